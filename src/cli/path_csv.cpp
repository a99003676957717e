#include "path_csv.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "../base/error.hpp"
#include "../base/text.hpp"
#include "../model/complaints.hpp"
#include "../model/placement.hpp"
#include "vectors.hpp"

namespace lw::cli {
namespace {

using Names = std::array<const char*, 3>;
constexpr Names kPosition{"x", "y", "z"}, kRotation{"roll", "pitch", "yaw"};
constexpr Names kLinear{"vx", "vy", "vz"}, kAngular{"wx", "wy", "wz"};
constexpr Names kLinearAcceleration{"ax", "ay", "az"}, kAngularAcceleration{"alphax", "alphay", "alphaz"};

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// Quotes around a cell do not count, nor does an empty cell at the end, which spreadsheets leave.
std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> out;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) {
    cell = trimmed(cell);
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') cell = trimmed(cell.substr(1, cell.size() - 2));
    out.push_back(cell);
  }
  while (!out.empty() && out.back().empty()) out.pop_back();
  return out;
}

class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) {}

  Path read() {
    std::error_code none;
    if (std::filesystem::is_directory(file_, none)) {
      throw Error(ErrorCode::io, fmt::format("`{}` cannot be read: it is a folder", file_));
    }
    errno = 0;
    std::ifstream stream(file_);
    if (!stream) {
      throw Error(ErrorCode::io,
                  fmt::format("`{}` cannot be read: {}", file_, errno != 0 ? std::strerror(errno) : "unknown reason"));
    }
    for (std::string line; std::getline(stream, line);) {
      if (++line_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);  // a byte order mark
      if (line.find('\0') != std::string::npos)
        fail("this is no text, or none in UTF-8: iconv -f utf-16 -t utf-8 converts it");
      const std::size_t first = line.find_first_not_of(" \t\r");
      if (first == std::string::npos || line[first] == '#') continue;
      if (columns_.empty()) {
        header(cells(line));
      } else {
        sample(cells(line));
      }
    }
    if (path_.samples.empty()) {
      fail(columns_.empty() ? "there is no header; it needs one such as t,x,y,z, and a line for each sample"
                            : "there are no samples after the header");
    }
    return std::move(path_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    const std::string place = line_ > 0 ? fmt::format("{}:{}", file_, line_) : file_;
    throw Error(ErrorCode::data, fmt::format("{}: {}", place, what));
  }

  void header(const std::vector<std::string>& names) {
    if (names.size() == 1 && names[0].find(';') != std::string::npos) {
      fail("columns are divided by commas, not by semicolons, and decimals are written with a point");
    }
    std::vector<std::string> known{"t"};
    for (const Names* g : {&kPosition, &kRotation, &kLinear, &kAngular, &kLinearAcceleration, &kAngularAcceleration})
      known.insert(known.end(), g->begin(), g->end());
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (std::find(known.begin(), known.end(), names[k]) == known.end()) {
        fail(fmt::format("a path has no column `{}`; {}", names[k], suggestion(names[k], known)));
      }
      if (!columns_.emplace(names[k], k).second) fail(fmt::format("the column `{}` is there twice", names[k]));
    }
    if (!columns_.contains("t")) fail("the column `t` is missing");
    if (!group(kPosition)) fail("the columns `x`, `y`, `z` are missing");
    path_.has_orientation = group(kRotation);
    path_.has_velocity = paired(kLinear, kAngular);
    path_.has_acceleration = paired(kLinearAcceleration, kAngularAcceleration);
    if (path_.has_acceleration && !path_.has_velocity)
      fail("accelerations without velocities: `vx` and so on are missing");
    width_ = names.size();
  }

  // All three, or none.
  bool group(const Names& names) const {
    const auto there = std::count_if(names.begin(), names.end(), [&](const char* n) { return columns_.contains(n); });
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

  void sample(const std::vector<std::string>& line) {
    if (line.size() != width_) fail(fmt::format("{}, but the header has {}", counted(line.size(), "value"), width_));
    const auto value = [&](const char* name, bool angle = false) {
      try {
        return parse_value(line[columns_.at(name)], angle, fmt::format("`{}`", name));
      } catch (const Error& e) {
        fail(e.what());
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
      fail(fmt::format("times must rise: {:.9g} follows {:.9g}", s.t, path_.samples.back().t));
    }
    path_.samples.push_back(s);
  }

  std::string file_;
  std::size_t line_ = 0, width_ = 0;
  std::map<std::string, std::size_t, std::less<>> columns_;
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
  std::string text = "t";
  const auto name = [&](const char* what, int n) {
    for (int k = 1; k <= n; ++k) text += fmt::format(",{}{}", what, k);
  };
  name("q", model.nq);
  name("qd", model.nv);
  name("qdd", model.nv);
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
