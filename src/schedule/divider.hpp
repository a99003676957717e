// Who computes which node of a function, and in which order: several ways, of which the quickest is taken.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "divided.hpp"
#include "machine.hpp"

namespace lw {

// Who computes what, and in which order: chunks of nodes, some of which may be in chunks of several processors.
struct DivisionPlan {
  struct Chunk {
    std::vector<NodeId> nodes;
    int processor = 0;
    double start = 0.0, finish = 0.0;
  };
  std::vector<Chunk> chunks;  // in an order in which all can be done
  double time = 0.0;
  std::string way;
  std::vector<int> writer;  // of each result, who has it; empty: to be chosen
};

class Divider {
 public:
  Divider(const Function& f, const Machine& machine, int processors);

  double one() const { return one_; }

  DivisionPlan best() const;

  // What would take longer to wait for than to compute again is computed again.
  void repeat_cheap(DivisionPlan& plan) const;
  DividedFunction realise(const DivisionPlan& plan, int* messages) const;

 private:
  class Realisation;
  static constexpr int kNone = -1;
  static constexpr std::size_t kLine = 8;  // numbers in a line of cache
  static bool is_plain(Op op) { return op != Op::call && op != Op::solve && op != Op::output; }
  double time(NodeId id) const { return time_[id]; }

  std::vector<NodeId> depth_first() const;

  DivisionPlan in_strands(double length) const;

  DivisionPlan in_chunks(const std::vector<NodeId>& order, double length, const char* words) const;

  DivisionPlan partition(const std::vector<std::vector<NodeId>>& chunks, std::string way) const;

  // The nodes of chunks that a node needs, through what is computed again.
  template <class Visit>
  void for_each_needed(NodeId id, const Visit& visit) const {
    for_each_operand(graph_, id, [&](NodeId o) {
      if (!again_[o])
        visit(o);
      else if (graph_[o].op != Op::constant && graph_[o].op != Op::input)
        for_each_needed(o, visit);
    });
  }

  std::vector<std::vector<std::size_t>> blocks_of_results(std::size_t count) const;

  std::optional<DivisionPlan> results_apart(std::size_t count, double known) const;

  const Function& f_;
  const Graph& graph_;
  const Machine& machine_;
  int processors_;
  std::vector<OperationCount> work_;
  std::vector<double> time_;
  std::vector<bool> again_;  // computed wherever it is needed
  double one_ = 0.0, repeated_ = 0.0;
  double write_ = 0.0;  // a result
};

}  // namespace lw
