// Assembly modes of any mechanism by Newton's method from many starts: one block of loops at a time, with random
// coordinates (angles from a full turn, lengths from the mechanism's size), until every solution has been found several
// times. Each solution is verified by its residual; completeness is only likely, the more so the more often the rarest
// was found.
#pragma once

#include <vector>

#include "../tree/workspace.hpp"

namespace lw {

struct SearchResult {
  std::vector<std::vector<double>> found;  // all coordinates
  bool infinite = false;  // something moves while what is held stands still: then one way of each kind that was found
  int starts = 0;
  int rarest = 0;  // how often that was found which was found least often
};
// Joints outside the loops keep what `near` gives. Of ways that are one assembly (link_comparison.hpp, also `yokes`)
// the nearest to `near` is listed.
SearchResult search_modes(const Model<double>& model, Workspace<double>& work, In<double> near,
                          const std::vector<int>& held, const std::vector<bool>& yokes = {});

// Between two configurations: angles without whole turns, ways as parts of the mechanism's size.
double configuration_distance(const Model<double>& model, In<double> a, In<double> b, double size);
// Of the order of its longest reach: distances between the joints on each body, summed.
double mechanism_size(const Model<double>& model);

}  // namespace lw
