// Joins operations into clusters. The graph of clusters stays acyclic.
//
// Joins of clusters u and v that are safe in every graph:
//   all edges out of u lead to v       a path from u to v through another cluster would leave u by another edge
//   all edges into v come from u       the same in reverse
//   u and v have the same layer        a path between them would give them different layers
//   u reaches v by edges alone         a longer path would become a cycle
//   u and v have the same numbers      if no edge leads to a smaller number, and edges between clusters to a larger one
#pragma once

#include <string>
#include <vector>

#include "../graph/function.hpp"

namespace lw {

class Clusters {
 public:
  // Every operation is its own cluster; signs belong to the values that they negate, outputs to their calls. `weights`:
  // one per node.
  Clusters(const Function& function, const std::vector<double>& weight);

  // Joins a cluster with its only reader if together they weigh no more than `most`.
  void join_readers(double most);
  // Joins clusters of the same layer, up to that weight.
  void join_layers(double most);
  // Joins operations with the same label (one per node) if no path between them passes through another label.
  void join_labels(const std::vector<int>& label);

  // Divides the operations into `strands` of equal weight (a depth-first order from the results, which keeps together
  // what one result needs, cut into pieces) and the time that unlimited processors would take into `windows`. Joins
  // operations of the same strand and window if strands do not wait for each other within a window, up to that weight.
  void join_strands(int strands, int windows, double most);
  // Joins clusters with their only reader, and with the only cluster that they read, up to that weight.
  void join_neighbours(double most);

  // Clusters in an order of evaluation; the nodes of each in the order of the function.
  std::vector<std::vector<NodeId>> members() const;

 private:
  struct Quotient {
    std::vector<std::vector<int>> before,
        after;  // by cluster, each once; empty for clusters that were joined to another
    std::vector<int> order, layer;
  };
  int of(int operation) const;  // its cluster, named by one of its operations
  void join(int kept, int gone);
  Quotient quotient() const;
  std::vector<int> depth_first(const Quotient& quotient) const;
  void join_fragments(const std::vector<int>& label_of_operation);

  const Function& function_;
  std::vector<int> operation_of_;           // by node: the operation that it belongs to; -1 for inputs and constants
  std::vector<std::vector<int>> operands_;  // by operation: its operands, each once
  std::vector<int> parent_;                 // union-find: towards the cluster
  std::vector<double> weight_;              // of clusters
};

}  // namespace lw
