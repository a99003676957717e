#include "elastic.hpp"

#include <set>

#include "../complaints.hpp"
#include "../evaluate.hpp"

namespace lw {

Mechanism with_elastic_drives(const Mechanism& mechanism) {
  Mechanism result = mechanism;
  const DefaultValues at(mechanism);
  std::set<std::string> taken{mechanism.base};  // names of links, joints and shafts
  for (const Link& link : mechanism.links) taken.insert({link.name, link.joint.name});
  for (const Shaft& shaft : mechanism.shafts) taken.insert(shaft.name);
  const auto fresh = [&](std::string name) {
    while (!taken.insert(name).second) name += '_';
    return name;
  };
  for (const Link& link : mechanism.links) {
    const Joint& joint = link.joint;
    if (!joint.drive || !joint.drive->stiffness) continue;
    const Drive& drive = *joint.drive;
    const std::string whose = "the drive of joint " + in_quotes(joint.name) + " is elastic, but ";
    if (joint.mimic)
      throw Error(ErrorCode::model, whose + "the joint is a mimic joint and has no coordinate of its own");
    if (!(at(drive.rotor_inertia) > 0.0)) {
      throw Error(ErrorCode::model, whose + "its rotor has no inertia; add a `rotor_inertia`");
    }

    Link motor;
    motor.name = motor.joint.name = fresh(joint.name + ".motor");
    // a massless link may have any parent; a rotor on the joint's parent has that parent
    motor.parent = drive.rotor_axis ? link.parent : mechanism.base;
    motor.joint.type = joint.type;
    motor.joint.actuated = joint.actuated;
    motor.joint.drive = drive;
    motor.joint.drive->stiffness.reset();
    motor.joint.drive->damping.reset();
    motor.joint.drive->backlash.reset();
    motor.joint.friction.width = joint.friction.width;
    motor.where = motor.joint.where = drive.where;

    Shaft shaft;
    shaft.name = fresh(joint.name + ".shaft");
    shaft.between = {motor.name, joint.name};
    shaft.stiffness = *drive.stiffness;
    if (drive.damping) shaft.damping = *drive.damping;
    if (drive.backlash) shaft.backlash = *drive.backlash;
    shaft.where = drive.where;

    Joint& moved = result.links[static_cast<std::size_t>(&link - mechanism.links.data())].joint;
    moved.drive.reset();
    moved.actuated = false;
    if (const auto home = mechanism.home.find(joint.name); home != mechanism.home.end()) {
      result.home[motor.joint.name] = home->second;
    }
    result.links.push_back(std::move(motor));
    result.shafts.push_back(std::move(shaft));
  }
  return result;
}

}  // namespace lw
