#include "path_csv.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "../base/error.hpp"
#include "../base/text.hpp"
#include "../model/entries.hpp"
#include "../model/placement.hpp"
#include "csv_reader.hpp"
#include "vectors.hpp"

namespace lw::cli {
namespace {

using Names = std::array<const char*, 3>;
constexpr Names kPosition{"x", "y", "z"}, kRotation{"roll", "pitch", "yaw"};
constexpr Names kLinear{"vx", "vy", "vz"}, kAngular{"wx", "wy", "wz"};
constexpr Names kLinearAcceleration{"ax", "ay", "az"}, kAngularAcceleration{"alphax", "alphay", "alphaz"};

class PathReader : private CsvReader {
 public:
  explicit PathReader(std::string file) : CsvReader(std::move(file)) {}

  Path read() {
    read_lines("t,x,y,z");
    return std::move(path_);
  }

 private:
  void header() override {
    std::vector<std::string> known{"t"};
    for (const Names* g : {&kPosition, &kRotation, &kLinear, &kAngular, &kLinearAcceleration, &kAngularAcceleration})
      known.insert(known.end(), g->begin(), g->end());
    allow_columns("a path", known);
    if (!has_column("t")) fail("the column `t` is missing");
    if (!group(kPosition)) fail("the columns `x`, `y`, `z` are missing");
    path_.has_orientation = group(kRotation);
    path_.has_velocity = paired(kLinear, kAngular);
    path_.has_acceleration = paired(kLinearAcceleration, kAngularAcceleration);
    if (path_.has_acceleration && !path_.has_velocity)
      fail("accelerations without velocities: `vx` and so on are missing");
  }

  // All three, or none.
  bool group(const Names& names) const {
    const auto there = std::count_if(names.begin(), names.end(), [&](const char* n) { return has_column(n); });
    if (there != 0 && there != 3)
      fail(fmt::format("of `{}`, `{}`, `{}` all or none are needed", names[0], names[1], names[2]));
    return there == 3;
  }
  bool paired(const Names& linear, const Names& angular) const {
    const bool has_linear = group(linear), has_angular = group(angular);
    if (has_angular && !path_.has_orientation) fail(fmt::format("`{}` without `roll`, `pitch`, `yaw`", angular[0]));
    if (has_angular != (has_linear && path_.has_orientation)) {
      fail(fmt::format("with an orientation, `{}` and `{}` come together", linear[0], angular[0]));
    }
    return has_linear;
  }

  void sample() override {
    const auto vector = [&](const Names& names, bool angle = false) {
      return Vec3<double>(value(names[0], angle), value(names[1], angle), value(names[2], angle));
    };
    PathSample s{value("t"), {Mat3<double>::identity(), vector(kPosition)}, {}, {}};
    if (path_.has_orientation) {
      const Vec3<double> rpy = vector(kRotation, true);
      s.pose.R = rotation_from_rpy(rpy[0], rpy[1], rpy[2]);
    }
    if (path_.has_velocity) s.velocity.lin = vector(kLinear);
    if (path_.has_acceleration) s.acceleration.lin = vector(kLinearAcceleration);
    if (path_.has_velocity && path_.has_orientation) s.velocity.ang = vector(kAngular, true);
    if (path_.has_acceleration && path_.has_orientation) s.acceleration.ang = vector(kAngularAcceleration, true);
    if (!path_.samples.empty() && !(s.t > path_.samples.back().t)) {
      fail(fmt::format("times must rise: {:.9g} follows {:.9g}", s.t, path_.samples.back().t));
    }
    path_.samples.push_back(s);
  }

  Path path_;
};

// What stands in the columns of a joint motion.
std::vector<std::string> numbered(const char* name, int n) {
  std::vector<std::string> names;
  for (int k = 1; k <= n; ++k) names.push_back(fmt::format("{}{}", name, k));
  return names;
}

class MotionReader : private CsvReader {
 public:
  MotionReader(std::string file, const Model<double>& model)
      : CsvReader(std::move(file)), model_(model), q_(numbered("q", model.nq)), qd_(numbered("qd", model.nv)),
        qdd_(numbered("qdd", model.nv)) {}

  std::vector<JointSample> read() {
    read_lines("t,q1,..,qd1,..,qdd1,..");
    return std::move(motion_);
  }

 private:
  void header() override {
    std::vector<std::string> known{"t"};
    for (const auto* names : {&q_, &qd_, &qdd_}) known.insert(known.end(), names->begin(), names->end());
    allow_columns(fmt::format("a motion of `{}`", model_.name), known);
    for (const std::string& name : known) {
      if (!has_column(name)) {
        fail(fmt::format("the column `{}` is missing: a motion of `{}` has t, q1 to q{}, qd1 to qd{}, qdd1 to qdd{}", name,
                         model_.name, model_.nq, model_.nv, model_.nv));
      }
    }
  }

  void sample() override {
    JointSample s;
    s.t = value("t");
    const std::vector<Entry> coordinates = coordinate_entries(model_), velocities = velocity_entries(model_);
    const auto read_group = [&](const std::vector<std::string>& names, const std::vector<Entry>& entries) {
      std::vector<double> values;
      for (std::size_t k = 0; k < names.size(); ++k) values.push_back(value(names[k], entries[k].unit == "rad"));
      return values;
    };
    s.q = read_group(q_, coordinates);
    s.qd = read_group(qd_, velocities);
    s.qdd = read_group(qdd_, velocities);
    try {
      normalize_quaternions(model_, s.q, "q", true);
    } catch (const Error& e) {
      fail(e.what());
    }
    if (!motion_.empty() && !(s.t > motion_.back().t)) {
      fail(fmt::format("times must rise: {:.9g} follows {:.9g}", s.t, motion_.back().t));
    }
    motion_.push_back(std::move(s));
  }

  const Model<double>& model_;
  std::vector<std::string> q_, qd_, qdd_;
  std::vector<JointSample> motion_;
};

}  // namespace

Path read_path(const std::string& file) {
  Path path = PathReader(file).read();
  if (path.has_acceleration) return path;
  if (path.samples.size() < 3) {
    throw Error(ErrorCode::data, fmt::format("{}: {} without {}: at least three are needed to take differences", file,
                                             counted(path.samples.size(), "sample"),
                                             path.has_velocity ? "accelerations" : "velocities"));
  }
  if (path.has_velocity) {
    difference_velocities(path.samples);
  } else {
    difference_poses(path.samples);
  }
  return path;
}

std::vector<JointSample> read_motion(const std::string& file, const Model<double>& model) {
  return MotionReader(file, model).read();
}

std::string joint_csv(const Model<double>& model, const std::vector<JointSample>& motion) {
  std::string text = "t";
  for (const auto& names : {numbered("q", model.nq), numbered("qd", model.nv), numbered("qdd", model.nv)}) {
    for (const std::string& name : names) text += ',' + name;
  }
  text += '\n';
  for (const JointSample& s : motion) {
    text += fmt::format("{}", s.t);
    for (const std::vector<double>* v : {&s.q, &s.qd, &s.qdd}) {
      for (const double x : *v) text += fmt::format(",{}", x);
    }
    text += '\n';
  }
  return text;
}

}  // namespace lw::cli
