// Decides which processor computes which node of a function, and in which order: tries several divisions and takes the
// fastest.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "divided.hpp"
#include "machine.hpp"

namespace lw {

// Which processor computes what, and in which order: chunks of nodes. A node may be in chunks of several processors.
struct DivisionPlan {
  struct Chunk {
    std::vector<NodeId> nodes;
    int processor = 0;
    double start = 0.0, finish = 0.0;
  };
  std::vector<Chunk> chunks;  // in an order of evaluation
  double time = 0.0;
  std::string way;
  std::vector<int> writer;  // of each result, the processor that writes it; empty: to be chosen
};

class Divider {
 public:
  Divider(const Function& f, const Machine& machine, int processors);

  double one() const { return one_; }

  DivisionPlan best() const;

  // Computes again what would take longer to wait for.
  void repeat_cheap(DivisionPlan& plan) const;
  DividedFunction realise(const DivisionPlan& plan, int* messages) const;

 private:
  class Realisation;
  class ResultsApart;
  static constexpr int kNone = -1;
  static constexpr std::size_t kLine = 8;  // numbers per cache line
  static bool is_plain(Op op) { return op != Op::call && op != Op::solve && op != Op::output; }
  double time(NodeId id) const { return time_[id]; }

  std::vector<NodeId> depth_first() const;

  DivisionPlan in_strands(double length) const;

  DivisionPlan in_chunks(const std::vector<NodeId>& order, double length, const char* words) const;

  DivisionPlan partition(const std::vector<std::vector<NodeId>>& chunks, std::string way) const;

  // The nodes of chunks that a node needs, directly or through values that are computed again.
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
  double write_ = 0.0;  // time to write one result
};

}  // namespace lw
