// Where a frame of a planar mechanism can go, and how well: a grid of its plane, at each place the inverse kinematics
// in closed form.
//
// With two freedoms the orientation follows; with three it is held. Places are judged in the working mode of home: the
// legs bent as they are there. Dexterity is 1/condition of the closures by what is not driven: 0 at a parallel
// singularity.
#pragma once

#include <string>
#include <vector>

#include "assembly.hpp"

namespace lw {

struct WorkspaceMap {
  Vec3<double> right, up, origin;  // place (u, v) is origin + u right + v up
  double left = 0.0, bottom = 0.0, step = 0.0;
  int columns = 0, rows = 0;
  bool turns_freely = false;  // the orientation follows
  double turned = 0.0;        // else: by so much from home's, about right × up
  // by rows from the bottom
  std::vector<double> dexterity;  // −1 where the working mode of home does not reach
  std::vector<double> volume;     // of the closures, with the sign (mode_identity.hpp); NaN where it does not
  std::vector<int> ways;          // working modes that reach it
  std::vector<double> border_right,
      border_up;  // where the reach ends on the way to the next cell, as a part of it; NaN where it does not
  double best = 0.0;
  double area = 0.0;  // that home's working mode reaches, m²

  std::size_t at(int column, int row) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column);
  }
};
// `resolution`: cells along the longer side. Throws Error(usage) where the mechanism is not planar, has other than two
// or three freedoms, or does not close in closed form.
WorkspaceMap workspace_map(const Model<double>& model, int frame, double turned = 0.0, int resolution = 150);

}  // namespace lw
