// What a task computes, in words: `omega2_x = c2 omega1_x + s2 omega1_y; …`, values of other tasks by their names.
#pragma once

#include <string>
#include <vector>

#include "../graph/function.hpp"

namespace lw {

class TaskWords {
 public:
  explicit TaskWords(const Function& function);

  // Its name in the algorithm, or of the result that it is (tau3), or t17.
  std::string name(NodeId id) const;
  bool has_name(NodeId id) const;  // other than t17
  // The statements of the nodes of one task, in at most so many characters.
  std::string text(const std::vector<NodeId>& nodes, std::size_t most = 400) const;

 private:
  std::string written(NodeId id, bool definition, const std::vector<bool>& inside, int depth) const;

  const Function& function_;
  std::vector<std::string> result_names_;  // by node
  std::vector<int> uses_;
};

}  // namespace lw
