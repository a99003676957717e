// All assembly modes of a closed-loop mechanism for given actuated joints.
//
// With the actuated joints fixed, the mechanism is decomposed into groups that can be solved in closed form
// (planar_groups.hpp); the rest, mainly spatial loops, is searched (mode_search.hpp). Every mode found is closed again
// by Newton's method on the mechanism's own closures, whose residual verifies it. The list is complete for closed
// forms, and probably complete after a search.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "assembly.hpp"

namespace lw {

// Every configuration in which the closures hold and the held coordinates are those of `q`; others of `q` say which of
// several equal ones is wanted (angles within half a turn of it).
struct Assemblies {
  std::vector<Assembled> found;
  bool complete = false;  // in closed form, so the list is complete
  bool infinite =
      // something moves while what is held stands still: of these the one nearest to `q`, or some that were found
      false;
  int starts = 0, rarest = 0;  // of the search
};
Assemblies all_assemblies(const Model<double>& model, Workspace<double>& work, In<double> q,
                          const std::vector<int>& held);

struct AssemblyMode {
  Assembled at;
  std::array<double, 6> pose{};  // of the frame in the world: x, y, z, roll, pitch, yaw
  std::string signs;  // of the closure determinants, a block of loops each: `+` as in the home pose (mode_identity.hpp)
  bool from_home = false;  // the one that `assemble_at` leads to
};
struct AssemblyModes {
  std::vector<AssemblyMode> modes;  // sorted by pose
  bool complete = false, infinite = false;
  int starts = 0, rarest = 0;
  std::string not_from_home;  // why none is: what continue_to says
};
// `actuated` as for assemble_at. Throws Error if the actuated joints do not determine the motion; having no mode is not
// an error.
AssemblyModes assembly_modes(const Model<double>& model, In<double> actuated, int frame);

// Position and roll, pitch, yaw of a frame at q.
std::array<double, 6> pose_at(const Model<double>& model, Workspace<double>& work, In<double> q, int frame);

}  // namespace lw
