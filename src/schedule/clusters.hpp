// Operations joined into clusters whose graph stays free of circles.
//
// Joins that are safe whatever the graph (u, v clusters):
//   all edges out of u lead to v       a way from u to v by another cluster would leave u by another edge
//   all edges into v come from u       the same, backwards
//   u and v have the same layer        a way between them would make one layer greater than the other
//   u leads to v by no way but edges   that is what a circle would be
//   u and v have the same numbers      where all edges lead to numbers that are no less, and greater where the cluster
//                                      changes
#pragma once

#include <string>
#include <vector>

#include "../graph/function.hpp"

namespace lw {

class Clusters {
 public:
  // Every operation alone; signs belong to what they negate, outputs to their calls. Weights are by node.
  Clusters(const Function& function, const std::vector<double>& weight);

  // Joins what one cluster alone reads to its reader, as long as together they weigh no more than `most`.
  void join_readers(double most);
  // Puts clusters of one layer together, up to that weight.
  void join_layers(double most);
  // Joins operations of one label (by node) as far as no way from one to the other leads through another.
  void join_labels(const std::vector<int>& label);

  // Divides what is computed into `strands` of equal weight (an order depth first from the results, which keeps
  // together what one result needs, cut into pieces) and the time that unlimited processors would take into `windows`;
  // joins what has both in common, as far as strands do not wait for each other within a window, up to that weight.
  void join_strands(int strands, int windows, double most);
  // Joins clusters to the only one that reads them, and to the only one that they read, up to that weight.
  void join_neighbours(double most);

  // Clusters in an order of evaluation, each with its nodes, in that of the function.
  std::vector<std::vector<NodeId>> members() const;

 private:
  struct Quotient {
    std::vector<std::vector<int>> before, after;  // by cluster, each once; empty for those that are gone
    std::vector<int> order, layer;
  };
  int of(int operation) const;  // its cluster: one of its operations
  void join(int kept, int gone);
  Quotient quotient() const;
  std::vector<int> depth_first(const Quotient& quotient) const;
  void join_fragments(const std::vector<int>& label_of_operation);

  const Function& function_;
  std::vector<int> operation_of_;           // of nodes: the operation that they belong to, -1 for inputs and constants
  std::vector<std::vector<int>> operands_;  // of operations: operations, each once
  std::vector<int> parent_;                 // towards the cluster
  std::vector<double> weight_;              // of clusters
};

}  // namespace lw
