#include "commands.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include "../base/error.hpp"
#include "../base/file.hpp"
#include "../base/text.hpp"
#include "../dynamics/closed.hpp"
#include "../dynamics/kinematics.hpp"
#include "closed_input.hpp"
#include "frame_option.hpp"
#include "model_input.hpp"
#include "picture.hpp"
#include "results.hpp"
#include "terminal.hpp"
#include "vectors.hpp"

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
  const Mat3<double>& R = X.R;
  const double level = std::hypot(R(0, 0), R(1, 0));
  // straight up or down the split between roll and yaw is free: yaw is taken as zero
  const bool upright = level < 1e-12;
  const Eigen::Vector3d rpy(upright ? std::atan2(-R(1, 2), R(1, 1)) : std::atan2(R(2, 1), R(2, 2)),
                            std::atan2(-R(2, 0), level), upright ? 0.0 : std::atan2(R(1, 0), R(0, 0)));
  return {name, X.p.eigen(), quaternion, rpy};
}

Json list(const Eigen::Vector3d& v) { return {v[0], v[1], v[2]}; }
Json list(const Motion<double>& m) { return {m.ang[0], m.ang[1], m.ang[2], m.lin[0], m.lin[1], m.lin[2]}; }

// Where the tree stands and how it moves, and of what its Jacobians have columns.
struct Motions {
  Model<double> joints;            // of --q and --qd: the model's, or those that a mechanism with loops is led by
  std::vector<double> q, qd, qdd;  // of the tree, where qdd of the joints is zero
  std::vector<double> given_q, given_qd, R;  // R by columns: velocities of the tree by those of the joints; empty: the same
  std::shared_ptr<const ClosedModel> closed;
  Assembled pose;
};
Motions read_motions(const Arguments& arguments, LoadedModel loaded) {
  Motions m;
  if (loaded.model.loops.empty()) {
    m.joints = loaded.model;
    m.q = m.given_q = read_q(arguments, loaded);
    m.qd = m.given_qd = read_velocity(arguments, "--qd", loaded.model);
    m.qdd.assign(m.qd.size(), 0.0);
    return m;
  }
  m.closed = std::make_shared<const ClosedModel>(std::move(loaded));
  m.joints = m.closed->joints.model;
  const Model<double>& model = m.closed->loaded.model;
  const LoopPlan& plan = m.closed->plan;
  m.pose = read_closed_pose(arguments, *m.closed);
  m.q = m.pose.q;
  for (const int k : plan.independent_q) m.given_q.push_back(m.q[static_cast<std::size_t>(k)]);
  m.given_qd = read_velocity(arguments, "--qd", m.joints);
  ClosedWorkspace<double> work(model, plan);
  set_closed_pose<double>(model, plan, work, m.q);
  complement_by_unit_velocities<double>(model, plan, work);
  m.R = work.R;
  closed_velocities<double>(model, plan, work, m.given_qd);
  closed_accelerations<double>(model, plan, work, m.q, std::vector<double>(plan.freedoms(), 0.0));
  m.qd = work.qd;
  m.qdd = work.qdd;
  return m;
}

// J of the tree, on the motions of the joints.
std::vector<double> on_joints(const Motions& m, const std::vector<double>& J) {
  if (m.R.empty()) return J;
  const std::size_t nv = m.qd.size(), n = m.R.size() / nv;
  std::vector<double> reduced(6 * n, 0.0);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t v = 0; v < nv; ++v) {
      for (std::size_t r = 0; r < 6; ++r) reduced[6 * k + r] += J[6 * v + r] * m.R[k * nv + v];
    }
  }
  return reduced;
}

void print_tables(const Model<double>& model, const std::vector<Pose>& poses, int frame, const std::vector<double>& J,
                  const Motions& motions) {
  fmt::print("{}: frames in the world\n{}{}\n", model.name, configuration_line(motions.given_q),
             motions.closed ? dependent_line(*motions.closed, motions.pose) : "");
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
  fmt::print("{}", matrix_table(J, {"wx", "wy", "wz", "vx", "vy", "vz"}, motions.joints.velocity_names));
}

int run_kinematics(const Arguments& arguments) {
  require_ending(arguments, "--draw", "SVG", ".svg");
  const LoadedModel loaded = load_model(arguments);
  const Model<double>& model = loaded.model;
  const Motions motions = read_motions(arguments, loaded);
  const std::vector<double>&q = motions.q, &qd = motions.qd;
  const int frame = chosen_frame(arguments, model);

  Workspace<double> work(model);
  forward_velocities<double>(model, work, q, qd);
  std::vector<Pose> poses;
  for (std::size_t i = 0; i < model.frames.size(); ++i) {
    poses.push_back(pose_of(model.frames[i].name, frame_pose(model, work, static_cast<int>(i))));
  }
  std::vector<double> of_tree(6 * static_cast<std::size_t>(model.nv));
  frame_jacobian<double>(model, work, frame, of_tree);
  const std::vector<double> J = on_joints(motions, of_tree);
  const Motion<double> velocity = frame_velocity(model, work, frame);
  Motion<double> bias = frame_bias<double>(model, work, frame, q, qd);
  for (std::size_t v = 0; v < motions.qdd.size(); ++v) {  // what the loops accelerate by themselves
    for (int r = 0; r < 3; ++r) {
      bias.ang[r] += of_tree[6 * v + static_cast<std::size_t>(r)] * motions.qdd[v];
      bias.lin[r] += of_tree[6 * v + 3 + static_cast<std::size_t>(r)] * motions.qdd[v];
    }
  }
  for (const Pose& pose : poses) {
    require_finite("the position", {pose.p.data(), 3}, [&](std::size_t) { return fmt::format("of `{}`", pose.frame); });
  }
  require_finite("the Jacobian", J, [&](std::size_t k) { return fmt::format("of `{}`", motions.joints.velocity_names[k / 6]); });
  const auto moves = [&](std::size_t) {
    return fmt::format("of `{}`", model.frames[static_cast<std::size_t>(frame)].name);
  };
  for (const Vec3<double>* v : {&velocity.ang, &velocity.lin, &bias.ang, &bias.lin}) {
    const double values[3] = {(*v)[0], (*v)[1], (*v)[2]};
    require_finite("the motion", values, moves);
  }
  if (arguments.has("--draw")) {
    write_file(arguments.text("--draw"), picture(loaded.mechanism, model, q));
    if (!arguments.quiet()) say("note: drawing written to " + arguments.text("--draw"));
  }

  if (arguments.json()) {
    Json json{{"model", model.name}, {"velocity_names", motions.joints.velocity_names}, {"q", motions.given_q}, {"frames", Json::array()}};
    if (motions.closed) {
      Json dependent = Json::object();
      for (const int k : motions.closed->plan.dependent_q) dependent[model.coordinate_names[static_cast<std::size_t>(k)]] = q[static_cast<std::size_t>(k)];
      json["dependent"] = std::move(dependent);
      json["closure"] = {{"residual", motions.pose.residual}, {"condition", motions.pose.condition}};
    }
    for (const Pose& p : poses) {
      const Eigen::Quaterniond& u = p.quaternion;
      json["frames"].push_back(
          {{"name", p.frame}, {"position", list(p.p)}, {"quaternion", {u.x(), u.y(), u.z(), u.w()}}});
    }
    json["frame"] = model.frames[static_cast<std::size_t>(frame)].name;
    json["jacobian"] = rows_of(J, 6, motions.joints.nv);
    if (arguments.has("--qd")) {
      json["qd"] = motions.given_qd;
      json["velocity"] = list(velocity);
      json["bias"] = list(bias);
    }
    print_json(json);
    return kOk;
  }

  print_tables(model, poses, frame, J, motions);
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
       frame_option("the link whose Jacobian is wanted"),
       {"--draw", "FILE.svg", "also draws the mechanism in that pose", Option::Kind::text, {}, "Options"}});
  c.name = "kinematics";
  c.summary = "poses of all frames, and the Jacobian of one";
  c.description =
      "Where every link's frame is, and the Jacobian of one of them: [angular; linear] velocity of its origin in world "
      "axes. With "
      "--qd also that velocity, and the acceleration that remains where qdd = 0. Of a mechanism with loops q, qd and the Jacobian's columns "
      "are of its actuated joints.";
  c.examples = {"linkwright kinematics puma560",
                "linkwright kinematics puma560 --q 0,-90deg,90deg,0,0,0 --frame link4 --qd 1,0,0,0,0,0",
                "linkwright kinematics cat215b --q 20deg,35deg,-70deg,-50deg --draw cat215b.svg"};
  c.run = run_kinematics;
  return c;
}

}  // namespace lw::cli
