#include "divider.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "../base/random.hpp"
#include "grain.hpp"
#include "share_times.hpp"

namespace lw {
Divider::Divider(const Function& f, const Machine& machine, int processors)
    : f_(f),
      graph_(f.graph()),
      machine_(machine),
      processors_(processors),
      work_(graph_.size()),
      time_(graph_.size(), 0.0),
      again_(graph_.size(), false) {
  std::vector<double> cone(graph_.size(), 0.0);
  const double cheap = 0.03 * machine.delay(0, 1, 8, std::max(2, processors));
  double arithmetic = 0.0, instructions = 0.0;
  for (const NodeId id : f.order()) {
    work_[id] = work_with_passing(graph_, id);
    time_[id] = machine.duration(work_[id]) - machine.overhead;
    if (!is_arithmetic(graph_[id].op)) continue;
    arithmetic += time_[id];
    instructions += 1.0;
  }
  for (const NodeId id : f.order()) {
    if (is_arithmetic(graph_[id].op)) time_[id] = arithmetic / instructions;
    cone[id] = time_[id];
    for_each_operand(graph_, id, [&](NodeId o) { cone[id] += cone[o]; });
    const Op op = graph_[id].op;
    again_[id] = op == Op::constant || op == Op::input || op == Op::neg || (cone[id] <= cheap && is_plain(op));
    one_ += time(id);
    if (again_[id]) repeated_ += time(id);
  }
  write_ = instructions > 0.0 ? arithmetic / instructions : 0.0;
  one_ += write_ * static_cast<double>(f.results().size());
}

DivisionPlan Divider::best() const {
  DivisionPlan best;
  const auto offer = [&](DivisionPlan plan) {
    if (best.chunks.empty() || plan.time < best.time) best = std::move(plan);
  };
  const double wait = machine_.delay(0, 1, 8, processors_);
  for (const double part : {0.1, 0.3, 1.0}) {
    const double length = std::max(part * wait, one_ / 3000.0);
    if (length < one_ / 2.0) offer(in_strands(length));
  }
  for (const auto& [order, words] :
       {std::pair(f_.order(), "the order of evaluation"), std::pair(depth_first(), "the order of results")}) {
    for (const double part : {0.25, 0.5, 1.0, 2.0}) {
      const double length = std::max(part * wait, one_ / 3000.0);
      if (length < one_ / 2.0) offer(in_chunks(order, length, words));
    }
  }
  for (const std::size_t blocks : {12, 16, 28, 64, 256}) {
    if (std::optional<DivisionPlan> plan = results_apart(blocks, best.chunks.empty() ? HUGE_VAL : best.time))
      offer(std::move(*plan));
  }
  return best;
}

// Depth first: everything that a result needs, one result after the other.
std::vector<NodeId> Divider::depth_first() const {
  std::vector<NodeId> order;
  std::vector<bool> done(graph_.size(), false);
  std::vector<NodeId> open;
  for (const NodeId result : f_.results()) {
    open.push_back(result);
    while (!open.empty()) {
      const NodeId id = open.back();
      if (done[id]) {
        open.pop_back();
        continue;
      }
      bool ready = true;
      for_each_operand(graph_, id, [&](NodeId o) {
        if (done[o]) return;
        open.push_back(o);
        ready = false;
      });
      if (!ready) continue;
      open.pop_back();
      done[id] = true;
      order.push_back(id);
    }
  }
  return order;
}

// By strands that send each other little (grain.hpp).
DivisionPlan Divider::in_strands(double length) const {
  const Division division = divide(f_, machine_, length);
  std::vector<std::vector<NodeId>> chunks;
  for (const std::vector<NodeId>& nodes : division.nodes) {
    std::vector<NodeId> own;
    std::copy_if(nodes.begin(), nodes.end(), std::back_inserter(own), [&](NodeId id) { return !again_[id]; });
    if (!own.empty()) chunks.push_back(std::move(own));
  }
  return partition(chunks, fmt::format("strands of {:.2g} %", 100.0 * length / one_));
}

DivisionPlan Divider::in_chunks(const std::vector<NodeId>& order, double length, const char* words) const {
  std::vector<std::vector<NodeId>> chunks;
  std::vector<int> chunk_of(graph_.size(), kNone);
  double so_far = 0.0;
  for (const NodeId id : order) {
    if (again_[id]) continue;
    if (graph_[id].op == Op::output) {  // stays with its call
      chunk_of[id] = chunk_of[graph_[id].a];
      chunks[at(chunk_of[id])].push_back(id);
      continue;
    }
    if (chunks.empty() || so_far >= length) {
      chunks.emplace_back();
      so_far = 0.0;
    }
    so_far += time(id);
    chunk_of[id] = static_cast<int>(chunks.size()) - 1;
    chunks.back().push_back(id);
  }
  return partition(chunks, fmt::format("chunks of {:.2g} % in {}", 100.0 * length / one_, words));
}

DivisionPlan Divider::partition(const std::vector<std::vector<NodeId>>& chunks, std::string way) const {
  std::vector<int> chunk_of(graph_.size(), kNone);
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    for (const NodeId id : chunks[c]) chunk_of[id] = static_cast<int>(c);
  }
  TaskGraph tasks("chunks");
  for (const auto& nodes : chunks) {
    Task task;
    task.name = std::to_string(tasks.size());
    for (const NodeId id : nodes) add_to(task.work, work_[id]);
    tasks.add(std::move(task));
  }
  std::set<std::pair<NodeId, int>> seen;
  for (const auto& nodes : chunks) {
    for (const NodeId id : nodes) {
      for_each_needed(id, [&](NodeId o) {
        if (chunk_of[o] != chunk_of[id] && seen.insert({o, chunk_of[id]}).second)
          tasks.depend(chunk_of[o], chunk_of[id], 8);
      });
    }
  }
  const Schedule schedule = partitioned(tasks, machine_, processors_);
  DivisionPlan plan;
  plan.way = std::move(way);
  std::vector<Placement> placements = schedule.placements;
  std::stable_sort(placements.begin(), placements.end(), [](const Placement& a, const Placement& b) {
    return std::tie(a.start, a.task) < std::tie(b.start, b.task);
  });
  const double call = machine_.delay(0, 1, 8, processors_);
  for (const Placement& p : placements) {
    plan.chunks.push_back({chunks[at(p.task)], p.processor, p.start, p.finish});
    plan.time = std::max(plan.time, p.finish + (p.processor == 0 ? 0.0 : call));  // and the message to processor 0
  }
  plan.time += repeated_ + write_ * static_cast<double>(f_.results().size()) / processors_;
  return plan;
}

// Divides the results of each group into blocks, about so many in all. A block lists numbers of results.
std::vector<std::vector<std::size_t>> Divider::blocks_of_results(std::size_t count) const {
  const std::size_t size = std::max(kLine, (f_.results().size() + count - 1) / count);
  std::vector<std::vector<std::size_t>> blocks;
  for (std::size_t r = 0; const Group& g : f_.outputs()) {
    const std::size_t own = (g.size + size - 1) / size;  // of equal size
    for (std::size_t k = 0; k < own; ++k) {
      std::vector<std::size_t>& block = blocks.emplace_back();
      for (; block.size() < g.size * (k + 1) / own - g.size * k / own; ++r) block.push_back(r);
    }
  }
  return blocks;
}

// Each processor computes some blocks of results, and everything that these need. Blocks change processors at random,
// for the worse less and less often (simulated annealing), until little is computed twice. Where neighbouring blocks
// belong to two processors, both may write to one cache line, because callers do not align results: that costs a
// message in each direction.
class Divider::ResultsApart {
 public:
  ResultsApart(const Divider& divider, std::size_t count)
      : d_(divider),
        blocks_(divider.blocks_of_results(count)),
        p_count_(at(divider.processors_)),
        hop_(divider.machine_.delay(0, 1, 8, divider.processors_)),
        times_(p_count_, 2.0 * hop_),  // the call, and the message that it is done
        users_(p_count_, std::vector<std::uint16_t>(divider.graph_.size(), 0)) {
    times_[0] = 0.0;
    std::vector<bool> needed(d_.graph_.size());
    for (const std::vector<std::size_t>& block : blocks_) {
      needed.assign(d_.graph_.size(), false);
      for (const std::size_t r : block) needed[d_.f_.results()[r]] = true;
      std::vector<NodeId>& own = needs_.emplace_back();
      for (auto id = d_.f_.order().rbegin(); id != d_.f_.order().rend(); ++id) {
        if (!needed[*id]) continue;
        if (!d_.again_[*id]) own.push_back(*id);
        for_each_operand(d_.graph_, *id, [&](NodeId o) { needed[o] = true; });
      }
    }
    of_.resize(needs_.size(), 0);
  }

  // All processors compute what every block needs: no plan is faster than an equal share of the rest.
  double least_time() const {
    std::vector<std::size_t> wanted(d_.graph_.size(), 0);
    double all = 0.0, common = 0.0;
    for (const std::vector<NodeId>& own : needs_) {
      for (const NodeId id : own) {
        if (++wanted[id] == 1) all += d_.time(id);
        if (wanted[id] == needs_.size()) common += d_.time(id);
      }
    }
    return (all + (d_.processors_ - 1) * common) / d_.processors_ + d_.repeated_;
  }

  DivisionPlan plan() {
    for (std::size_t b = 0; b < needs_.size(); ++b) {
      put(b, b * p_count_ / needs_.size());
      borders_ += is_border(b);
    }
    anneal();
    DivisionPlan plan;
    plan.way = "results apart";
    plan.writer.resize(d_.f_.results().size());
    for (std::size_t r = 0, b = 0; const std::vector<std::size_t>&block : blocks_) {
      for (std::size_t k = 0; k < block.size(); ++k) plan.writer[r++] = static_cast<int>(of_[b]);
      ++b;
    }
    plan.time = whole() + d_.repeated_;
    for (std::size_t p = 0; p < p_count_; ++p) {
      DivisionPlan::Chunk chunk;
      chunk.processor = static_cast<int>(p);
      std::copy_if(d_.f_.order().begin(), d_.f_.order().end(), std::back_inserter(chunk.nodes),
                   [&](NodeId id) { return users_[p][id] > 0; });
      plan.chunks.push_back(std::move(chunk));
    }
    return plan;
  }

 private:
  void put(std::size_t block, std::size_t p) {
    of_[block] = p;
    times_[p] += d_.write_ * static_cast<double>(blocks_[block].size());
    for (const NodeId id : needs_[block]) {
      if (users_[p][id]++ == 0) times_[p] += d_.time(id);
    }
  }
  void take(std::size_t block) {
    const std::size_t p = of_[block];
    times_[p] -= d_.write_ * static_cast<double>(blocks_[block].size());
    for (const NodeId id : needs_[block]) {
      if (--users_[p][id] == 0) times_[p] -= d_.time(id);
    }
  }
  int is_border(std::size_t block) const {
    return block > 0 && block < needs_.size() && of_[block] != of_[block - 1] ? 1 : 0;
  }
  void move(std::size_t block, std::size_t to) {
    borders_ -= is_border(block) + is_border(block + 1);
    take(block);
    put(block, to);
    borders_ += is_border(block) + is_border(block + 1);
  }
  double whole() const { return *std::max_element(times_.begin(), times_.end()) + 0.1 * hop_ * borders_; }
  double cost() const { return whole() + 0.1 * std::accumulate(times_.begin(), times_.end(), 0.0); }

  void anneal() {
    std::size_t sum = 1;
    for (const auto& own : needs_) sum += own.size();
    const auto moves = static_cast<int>(std::min<std::size_t>(60000, 300'000'000 * needs_.size() / sum));
    Random random(1);
    double now = cost(), least = now;
    std::vector<std::size_t> best = of_;
    for (int k = 0; k < moves && p_count_ > 1; ++k) {
      const auto block = at(random.below(static_cast<int>(needs_.size())));
      const std::size_t from = of_[block], to = (from + 1 + at(random.below(d_.processors_ - 1))) % p_count_;
      move(block, to);
      const double then = cost(), heat = 0.02 * now * (1.0 - static_cast<double>(k) / moves);
      if (then <= now || random.chance(std::exp((now - then) / heat))) {
        now = then;
      } else {
        move(block, from);
      }
      if (now < least) {
        least = now;
        best = of_;
      }
    }
    for (std::size_t b = 0; b < needs_.size(); ++b) move(b, best[b]);
  }

  const Divider& d_;
  const std::vector<std::vector<std::size_t>> blocks_;  // numbers of results
  const std::size_t p_count_;
  const double hop_;
  std::vector<double> times_;                      // of the processors
  std::vector<std::vector<std::uint16_t>> users_;  // by processor and node, the blocks that need it
  std::vector<std::vector<NodeId>> needs_;         // of the blocks
  std::vector<std::size_t> of_;                    // the processor of each block
  int borders_ = 0;
};

std::optional<DivisionPlan> Divider::results_apart(std::size_t count, double known) const {
  ResultsApart apart(*this, count);
  if (apart.least_time() >= known) return std::nullopt;
  return apart.plan();
}

void Divider::repeat_cheap(DivisionPlan& plan) const {
  const double limit = machine_.delay(0, 1, 8, processors_);
  std::vector<std::vector<bool>> have(at(processors_), std::vector<bool>(graph_.size(), false)), own = have;
  for (const DivisionPlan::Chunk& c : plan.chunks) {
    for (const NodeId id : c.nodes) own[at(c.processor)][id] = true;
  }
  std::vector<DivisionPlan::Chunk> chunks;
  for (DivisionPlan::Chunk& chunk : plan.chunks) {
    const auto p = at(chunk.processor);
    const std::set<NodeId> here(chunk.nodes.begin(), chunk.nodes.end());
    std::set<NodeId> missing;  // in order of evaluation, because node numbers are
    std::vector<NodeId> open = chunk.nodes;
    double sum = 0.0;
    while (!open.empty() && sum <= limit) {
      const NodeId id = open.back();
      open.pop_back();
      for_each_needed(id, [&](NodeId o) {
        if (have[p][o] || here.contains(o)) return;
        if (own[p][o]) sum = 2.0 * limit;  // it comes later on this processor
        if (!missing.insert(o).second) return;
        sum += time(o);
        open.push_back(o);
      });
    }
    if (!missing.empty() && sum <= limit) {
      DivisionPlan::Chunk again{{missing.begin(), missing.end()}, chunk.processor, chunk.start, chunk.start};
      for (const NodeId id : again.nodes) have[p][id] = own[p][id] = true;
      chunks.push_back(std::move(again));
    }
    for (const NodeId id : chunk.nodes) have[p][id] = true;
    chunks.push_back(std::move(chunk));
  }
  plan.chunks = std::move(chunks);
}

}  // namespace lw
