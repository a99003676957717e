#include "../commands.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include "../../base/error.hpp"
#include "../../base/file.hpp"
#include "../../base/index.hpp"
#include "../../base/text.hpp"
#include "../../dynamics/tree/kinematics.hpp"
#include "../../model/placement.hpp"
#include "../draw/picture.hpp"
#include "../frame/terminal.hpp"
#include "../io/frame_option.hpp"
#include "../io/plant_input.hpp"
#include "../io/results.hpp"
#include "../io/vectors.hpp"

namespace lw::cli {
namespace {

struct Pose {
  std::string frame;
  Eigen::Vector3d p;
  Eigen::Quaterniond quaternion;
  Eigen::Vector3d rpy;  // about fixed x, y, z: R = Rz(yaw) Ry(pitch) Rx(roll)
};

Pose pose_of(const std::string& name, const Transform<double>& X) {
  Eigen::Quaterniond quaternion(X.R.eigen());
  if (quaternion.w() < 0.0) quaternion.coeffs() *= -1.0;
  return {name, X.p.eigen(), quaternion, rpy_from_rotation(X.R).eigen()};
}

Json list(const Eigen::Vector3d& v) { return {v[0], v[1], v[2]}; }
Json list(const Motion<double>& m) { return {m.ang[0], m.ang[1], m.ang[2], m.lin[0], m.lin[1], m.lin[2]}; }

void print_tables(const Model<double>& model, const std::vector<Pose>& poses, int frame, const std::vector<double>& J,
                  const std::vector<std::string>& columns, const std::vector<double>& q) {
  fmt::print("{}: frames in the world\n{}\n", model.name, configuration_line(q));
  Table table({"frame", "x", "y", "z", "m", "roll", "pitch", "yaw", "deg"});
  constexpr double kDegrees = 180.0 / 3.14159265358979323846;
  double reach = 1.0;
  for (const Pose& pose : poses) reach = std::max(reach, pose.p.norm());
  for (const Pose& pose : poses) {
    std::vector<std::string> row{pose.frame};
    for (int k = 0; k < 3; ++k) row.push_back(readable(pose.p[k], 6, reach));
    row.emplace_back();
    for (int k = 0; k < 3; ++k) row.push_back(readable(pose.rpy[k] * kDegrees, 4, 180.0));
    table.add(std::move(row));
  }
  fmt::print("{}\nJacobian of `{}`, world axes, at its origin (w: angular, v: linear)\n\n", table.str(),
             model.frames[static_cast<std::size_t>(frame)].name);
  fmt::print("{}", matrix_table(J, {"wx", "wy", "wz", "vx", "vy", "vz"}, columns));
}

int run_kinematics(const Arguments& arguments) {
  require_ending(arguments, "--draw", "SVG", ".svg");
  const LoadedPlant plant = load_plant(arguments);
  const Model<double>& model = plant.loaded.model;
  const Assembled there = read_pose(arguments, plant);
  const std::vector<double>&q = there.q, given = plant.independent(q);
  const int frame = chosen_frame(arguments, model);

  PlantWorkspace<double>& work = plant.dynamics->work();
  plant.dynamics->move(read_velocity(arguments, "--qd", plant.joints));
  // where the given joints have no acceleration, others may have one
  tree_accelerations<double>(model, plant.plan, work, q, std::vector<double>(plant.plan.freedoms(), 0.0));
  const std::vector<double> qd = work.qd;
  forward_velocities<double>(model, work.tree, q, qd);
  std::vector<Pose> poses;
  for (std::size_t i = 0; i < model.frames.size(); ++i)
    poses.push_back(pose_of(model.frames[i].name, frame_pose(model, work.tree, static_cast<int>(i))));
  const Motion<double> velocity = frame_velocity(model, work.tree, frame);
  Motion<double> bias = frame_bias<double>(model, work.tree, frame, q, qd);
  std::vector<double> of_tree(6 * at(model.nv)), J(6 * plant.plan.freedoms());
  frame_jacobian<double>(model, work.tree, frame, of_tree);
  for (const int v : plant.plan.dependent) {
    for (int r = 0; r < 3; ++r) {
      bias.ang[r] += of_tree[6 * at(v) + at(r)] * work.qdd[at(v)];
      bias.lin[r] += of_tree[6 * at(v) + 3 + at(r)] * work.qdd[at(v)];
    }
  }
  frame_jacobian<double>(model, plant.plan, work, frame, J);
  for (const Pose& pose : poses) {
    require_finite("the position", {pose.p.data(), 3}, [&](std::size_t) { return fmt::format("of `{}`", pose.frame); });
  }
  require_finite("the Jacobian", J,
                 [&](std::size_t k) { return fmt::format("of `{}`", plant.joints.velocity_names[k / 6]); });
  const auto moves = [&](std::size_t) {
    return fmt::format("of `{}`", model.frames[static_cast<std::size_t>(frame)].name);
  };
  for (const Vec3<double>* v :
       std::initializer_list<const Vec3<double>*>{&velocity.ang, &velocity.lin, &bias.ang, &bias.lin}) {
    const double values[3] = {(*v)[0], (*v)[1], (*v)[2]};
    require_finite("the motion", values, moves);
  }
  if (arguments.has("--draw")) {
    write_file(arguments.text("--draw"), picture(plant.loaded.mechanism, model, q));
    if (!arguments.quiet()) say("note: drawing written to " + arguments.text("--draw"));
  }

  if (arguments.json()) {
    Json json{{"model", model.name},
              {"velocity_names", plant.joints.velocity_names},
              {"q", given},
              {"frames", Json::array()}};
    if (given.size() < q.size()) json["coordinates"] = q;
    for (const Pose& p : poses) {
      const Eigen::Quaterniond& u = p.quaternion;
      json["frames"].push_back(
          {{"name", p.frame}, {"position", list(p.p)}, {"quaternion", {u.x(), u.y(), u.z(), u.w()}}});
    }
    json["frame"] = model.frames[static_cast<std::size_t>(frame)].name;
    json["jacobian"] = rows_of(J, 6, static_cast<int>(plant.joints.velocity_names.size()));
    if (arguments.has("--qd")) {
      json["qd"] = qd;
      json["velocity"] = list(velocity);
      json["bias"] = list(bias);
    }
    print_json(json);
    return kOk;
  }

  print_tables(model, poses, frame, J, plant.joints.velocity_names, given);
  if (arguments.has("--qd")) {
    fmt::print("\nIts motion [w; v], and its acceleration where qdd = 0\n\n");
    Table table({"", "wx", "wy", "wz", "vx", "vy", "vz"});
    const auto add = [&](const std::string& name, const Motion<double>& m) {
      std::vector<std::string> row{name};
      for (int k = 0; k < 3; ++k) row.push_back(readable(m.ang[k], 6, 1.0));
      for (int k = 0; k < 3; ++k) row.push_back(readable(m.lin[k], 6, 1.0));
      table.add(std::move(row));
    };
    add("velocity (rad/s, m/s)", velocity);
    add("bias (rad/s², m/s²)", bias);
    fmt::print("{}", table.str());
  }
  return kOk;
}

}  // namespace

Command kinematics_command() {
  Command c = model_command({q_option(), velocity_option("--qd", "velocities"), mode_option(),
                             frame_option("the link whose Jacobian is computed"),
                             text_option("--draw", "FILE.svg", "also draws the mechanism in that pose")});
  c.name = "kinematics";
  c.summary = "poses of all frames, and the Jacobian of one";
  c.description =
      "The poses of all link frames, and the Jacobian of one of them: [angular; linear] velocity of its origin in "
      "world axes. With --qd also this velocity, and the acceleration at qdd = 0. For closed-loop mechanisms, all "
      "vectors list the actuated joints; the others follow.";
  c.examples = {"linkwright kinematics puma560",
                "linkwright kinematics puma560 --q 0,-90deg,90deg,0,0,0 --frame link4 --qd 1,0,0,0,0,0",
                "linkwright kinematics cat215b --q 20deg,35deg,-70deg,-50deg --draw cat215b.svg",
                "linkwright kinematics excavator --q 0.3,2.1,3.2,1.5 --draw excavator.svg"};
  c.run = run_kinematics;
  return c;
}

}  // namespace lw::cli
