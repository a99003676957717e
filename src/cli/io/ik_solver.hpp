// Inverse kinematics as `ik` asks for it: of trees (inverse_kinematics.hpp) and of mechanisms with loops
// (closed_ik.hpp), with answers of one form.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../../dynamics/assembly/feasibility.hpp"
#include "path_csv.hpp"
#include "plant_input.hpp"

namespace lw::cli {

struct IkWay {
  std::vector<double> q;  // as --q lists them
  double position_error = 0.0, rotation_error = 0.0;
  double residual = 0.0;  // the largest of these, and of the closures
  std::array<double, 3> position{};
  std::string branch;     // or legs; "" if there are none
  std::string condition;  // of the closures
  int freedom = 0;        // of the solutions around it
  Json json;
};

struct IkAnswer {
  std::vector<IkWay> ways;       // nearest to the start first
  std::optional<IkWay> nearest;  // the nearest pose, if there is no way and this is known
  bool closed_form = false;      // these are all
  bool rounded = false;          // no pose is the target, but one is within its last digits
  bool out_of_reach = false;     // for certain
  int freedom = 0;               // left over by the target
  std::optional<int> beyond_limits;
  std::vector<OpenPolygon> impossible;  // why there is none
};

struct IkMotion {
  std::vector<JointSample> samples;
  std::vector<Json> ways;            // one per sample
  Json fields;                       // lists all commands to say of it
  std::string about;                 // the same in the heading,
  std::vector<std::string> remarks;  // and after the table
};

class IkSolver {
 public:
  virtual ~IkSolver() = default;
  virtual IkAnswer solve(const IkTarget& target) = 0;
  // A solution of the last answer is the start of what follows.
  virtual void begin_with(std::size_t way) = 0;
  virtual IkMotion follow(const Path& path, bool position_only) = 0;

  Model<double> joints;                  // those that are listed
  std::string finds = "configurations";  // what they are called,
  std::string branches = "branch";       // and what tells them apart
};

// --q, --mode, --ignore-limits. Throws Error if no joint moves the frame.
std::unique_ptr<IkSolver> make_ik_solver(const Arguments& arguments, const LoadedModel& loaded, int frame);

}  // namespace lw::cli
