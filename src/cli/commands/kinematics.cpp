#include "../commands.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include "../../base/error.hpp"
#include "../../base/file.hpp"
#include "../../base/index.hpp"
#include "../../base/text.hpp"
#include "../../dynamics/assembly/follower_rates.hpp"
#include "../../dynamics/loops/projection.hpp"
#include "../../dynamics/tree/kinematics.hpp"
#include "../../model/placement.hpp"
#include "../draw/picture.hpp"
#include "../frame/terminal.hpp"
#include "../io/closed_input.hpp"
#include "../io/frame_option.hpp"
#include "../io/model_input.hpp"
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

// Where everything is and how it moves; with loops, by the joints that lead.
struct Posture {
  std::vector<double> given, q, qd;     // as given, and of all joints
  std::vector<std::string> velocities;  // names of the columns of the Jacobian
  std::vector<double> followers;        // G of q̇ = G q̇_given, empty without loops
};

Posture read_posture(const Arguments& arguments, const LoadedModel& loaded) {
  const Model<double>& model = loaded.model;
  refuse_mode(arguments, model);
  if (model.loops.empty()) {
    const std::vector<double> q = read_q(arguments, loaded);
    return {q, q, read_velocity(arguments, "--qd", model), model.velocity_names, {}};
  }
  Workspace<double> work(model);
  const Model<double> led = led_model(model);
  const Assembled there = read_assembled(arguments, loaded, led);
  const std::vector<int> driven = actuated_velocities(led);
  Posture p{{}, there.q, std::vector<double>(at(model.nv), 0.0), {}, follower_rates(model, work, there.q, driven)};
  for (const int k : actuated_coordinates(led)) p.given.push_back(there.q[at(k)]);
  for (const int v : driven) p.velocities.push_back(model.velocity_names[at(v)]);
  if (!arguments.has("--qd")) return p;
  const std::vector<double> rates = parse_entries("--qd", arguments.text("--qd"), actuated_velocity_entries(led));
  for (std::size_t k = 0; k < rates.size(); ++k) {
    for (std::size_t i = 0; i < p.qd.size(); ++i) p.qd[i] += p.followers[k * p.qd.size() + i] * rates[k];
  }
  return p;
}

// Accelerations of all joints where those of the leading ones are zero.
std::vector<double> loop_bias(const Model<double>& model, const std::vector<double>& q, const std::vector<double>& qd) {
  const LoopPlan plan = plan_loops(led_model(model));
  PlantWorkspace<double> work(model, plan);
  std::vector<double> given;
  for (const int v : plan.independent) given.push_back(qd[at(v)]);
  set_pose<double>(model, plan, work, q);
  tree_velocities<double>(model, plan, work, given);
  tree_accelerations<double>(model, plan, work, q, std::vector<double>(given.size(), 0.0));
  return work.qdd;
}

int run_kinematics(const Arguments& arguments) {
  require_ending(arguments, "--draw", "SVG", ".svg");
  const LoadedModel loaded = load_model(arguments);
  const Model<double>& model = loaded.model;
  const bool closed = !model.loops.empty();
  const Posture posture = read_posture(arguments, loaded);
  const std::vector<double>&q = posture.q, &qd = posture.qd;
  const int frame = chosen_frame(arguments, model);

  Workspace<double> work(model);
  forward_velocities<double>(model, work, q, qd);
  std::vector<Pose> poses;
  for (std::size_t i = 0; i < model.frames.size(); ++i) {
    poses.push_back(pose_of(model.frames[i].name, frame_pose(model, work, static_cast<int>(i))));
  }
  std::vector<double> J(6 * static_cast<std::size_t>(model.nv));
  frame_jacobian<double>(model, work, frame, J);
  const Motion<double> velocity = frame_velocity(model, work, frame);
  Motion<double> bias = frame_bias<double>(model, work, frame, q, qd);
  if (closed) {
    // what the loops accelerate by themselves
    const std::vector<double> b = loop_bias(model, q, qd);
    for (std::size_t v = 0; v < b.size(); ++v) {
      for (int r = 0; r < 3; ++r) {
        bias.ang[r] += J[6 * v + at(r)] * b[v];
        bias.lin[r] += J[6 * v + 3 + at(r)] * b[v];
      }
    }
    // of the joints that are given, the others following
    const auto n = static_cast<Eigen::Index>(posture.velocities.size());
    const Eigen::Map<const Eigen::MatrixXd> all(J.data(), 6, model.nv), G(posture.followers.data(), model.nv, n);
    const Eigen::MatrixXd reduced = all * G;
    J.assign(reduced.data(), reduced.data() + reduced.size());
  }
  for (const Pose& pose : poses) {
    require_finite("the position", {pose.p.data(), 3}, [&](std::size_t) { return fmt::format("of `{}`", pose.frame); });
  }
  require_finite("the Jacobian", J, [&](std::size_t k) { return fmt::format("of `{}`", posture.velocities[k / 6]); });
  const auto moves = [&](std::size_t) {
    return fmt::format("of `{}`", model.frames[static_cast<std::size_t>(frame)].name);
  };
  for (const Vec3<double>* v :
       std::initializer_list<const Vec3<double>*>{&velocity.ang, &velocity.lin, &bias.ang, &bias.lin}) {
    const double values[3] = {(*v)[0], (*v)[1], (*v)[2]};
    require_finite("the motion", values, moves);
  }
  if (arguments.has("--draw")) {
    write_file(arguments.text("--draw"), picture(loaded.mechanism, model, q));
    if (!arguments.quiet()) say("note: drawing written to " + arguments.text("--draw"));
  }

  if (arguments.json()) {
    Json json{
        {"model", model.name}, {"velocity_names", posture.velocities}, {"q", posture.given}, {"frames", Json::array()}};
    if (closed) json["coordinates"] = q;
    for (const Pose& p : poses) {
      const Eigen::Quaterniond& u = p.quaternion;
      json["frames"].push_back(
          {{"name", p.frame}, {"position", list(p.p)}, {"quaternion", {u.x(), u.y(), u.z(), u.w()}}});
    }
    json["frame"] = model.frames[static_cast<std::size_t>(frame)].name;
    json["jacobian"] = rows_of(J, 6, static_cast<int>(posture.velocities.size()));
    if (arguments.has("--qd")) {
      json["qd"] = qd;
      json["velocity"] = list(velocity);
      json["bias"] = list(bias);
    }
    print_json(json);
    return kOk;
  }

  print_tables(model, poses, frame, J, posture.velocities, posture.given);
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
  Command c = model_command(
      {q_option(),
       velocity_option("--qd", "velocities"),
       mode_option(),
       frame_option("the link whose Jacobian is wanted"),
       {"--draw", "FILE.svg", "also draws the mechanism in that pose", Option::Kind::text, {}, "Options"}});
  c.name = "kinematics";
  c.summary = "poses of all frames, and the Jacobian of one";
  c.description =
      "Where every link's frame is, and the Jacobian of one of them: [angular; linear] velocity of its origin in world "
      "axes. With "
      "--qd also that velocity, and the acceleration that remains where qdd = 0. Of a mechanism with loops all vectors "
      "run over its "
      "actuated joints, and the others follow.";
  c.examples = {"linkwright kinematics puma560",
                "linkwright kinematics puma560 --q 0,-90deg,90deg,0,0,0 --frame link4 --qd 1,0,0,0,0,0",
                "linkwright kinematics cat215b --q 20deg,35deg,-70deg,-50deg --draw cat215b.svg",
                "linkwright kinematics excavator --q 0.3,2.1,3.2,1.5 --draw excavator.svg"};
  c.run = run_kinematics;
  return c;
}

}  // namespace lw::cli
