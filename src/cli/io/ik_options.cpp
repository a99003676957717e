#include "ik_options.hpp"

#include <cmath>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/text.hpp"
#include "../../model/placement.hpp"
#include "vectors.hpp"

namespace lw::cli {

IkTarget read_target(const std::string& text, bool position_only) {
  const std::vector<double> v = parse_values(text, "--target", 3);
  if (v.size() != 3 && v.size() != 6) {
    throw Error(ErrorCode::usage,
                fmt::format("--target takes x,y,z or x,y,z,roll,pitch,yaw, not {}", counted(v.size(), "value")));
  }
  IkTarget target{{Mat3<double>::identity(), {v[0], v[1], v[2]}}, position_only || v.size() == 3};
  if (!target.position_only) target.pose.R = rotation_from_rpy(v[3], v[4], v[5]);
  return target;
}

std::size_t read_branch(const Arguments& arguments) {
  const double k = arguments.number("--branch", 0.0);
  if (arguments.has("--branch") && !(k >= 1.0 && k <= 1e6 && k == std::floor(k))) {
    throw Error(ErrorCode::usage, fmt::format("--branch takes the number of a solution, 1 for the nearest, not `{}`",
                                              arguments.text("--branch")));
  }
  return static_cast<std::size_t>(k);
}

void require_branch(std::size_t branch, std::size_t solutions) {
  if (branch <= solutions) return;
  throw Error(ErrorCode::usage, fmt::format("--branch {}: there {} only {}", branch, solutions == 1 ? "is" : "are",
                                            counted(solutions, "solution")));
}

}  // namespace lw::cli
