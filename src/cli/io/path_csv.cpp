#include "path_csv.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "../../base/csv.hpp"
#include "../../base/error.hpp"
#include "../../base/text.hpp"
#include "../../model/complaints.hpp"
#include "../../model/placement.hpp"
#include "motion_csv.hpp"
#include "vectors.hpp"

namespace lw::cli {
namespace {

using Names = std::array<const char*, 3>;
constexpr Names kPosition{"x", "y", "z"}, kRotation{"roll", "pitch", "yaw"};
constexpr Names kLinear{"vx", "vy", "vz"}, kAngular{"wx", "wy", "wz"};
constexpr Names kLinearAcceleration{"ax", "ay", "az"}, kAngularAcceleration{"alphax", "alphay", "alphaz"};

class Reader {
 public:
  explicit Reader(const std::string& file) : csv_(read_csv(file, "t,x,y,z")) {}

  Path read() {
    header();
    csv_.require_rows();
    for (const Csv::Row& row : csv_.rows) sample(row);
    return std::move(path_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { csv_.fail(csv_.header_line, what); }

  void header() {
    std::vector<std::string> known{"t"};
    for (const Names* g : {&kPosition, &kRotation, &kLinear, &kAngular, &kLinearAcceleration, &kAngularAcceleration})
      known.insert(known.end(), g->begin(), g->end());
    for (const std::string& name : csv_.names) {
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        fail(fmt::format("a path has no column `{}`; {}", name, suggestion(name, known)));
      }
    }
    if (!csv_.column("t")) fail("the column `t` is missing");
    if (!group(kPosition)) fail("the columns `x`, `y`, `z` are missing");
    path_.has_orientation = group(kRotation);
    path_.has_velocity = paired(kLinear, kAngular);
    path_.has_acceleration = paired(kLinearAcceleration, kAngularAcceleration);
    if (path_.has_acceleration && !path_.has_velocity)
      fail("accelerations without velocities: `vx` and so on are missing");
  }

  // All three, or none.
  bool group(const Names& names) const {
    const auto there =
        std::count_if(names.begin(), names.end(), [&](const char* n) { return csv_.column(n).has_value(); });
    if (there != 0 && there != 3)
      fail(fmt::format("either all or none of `{}`, `{}`, `{}` are needed", names[0], names[1], names[2]));
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

  void sample(const Csv::Row& row) {
    const auto value = [&](const char* name, bool angle = false) {
      try {
        return parse_value(row.cells[*csv_.column(name)], angle, fmt::format("`{}`", name));
      } catch (const Error& e) {
        csv_.fail(row.line, e.what());
      }
    };
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
      csv_.fail(row.line, fmt::format("times must increase: {:.9g} follows {:.9g}", s.t, path_.samples.back().t));
    }
    path_.samples.push_back(s);
  }

  Csv csv_;
  Path path_;
};

}  // namespace

Path read_path(const std::string& file) {
  Path path = Reader(file).read();
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

std::string joint_csv(const Model<double>& model, const std::vector<JointSample>& motion) {
  MotionLog log;
  for (const JointSample& s : motion) {
    log.t.push_back(s.t);
    log.q.push_back(s.q);
    if (s.qdd.empty()) continue;
    log.qd.push_back(s.qd);
    log.qdd.push_back(s.qdd);
  }
  return motion_csv(model, log);
}

}  // namespace lw::cli
