#include "divided.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "../base/error.hpp"
#include "../graph/rewrite.hpp"
#include "grain.hpp"

namespace lw {
namespace {

constexpr int kNone = -1;

// As `work_of`, where a solve takes its residual for each derivative too, and an elimination.
OperationCount work_done(const Graph& graph, NodeId id) {
  if (graph[id].op != Op::solve) return work_of(graph, id);
  const Solve& s = graph.solves()[graph[id].a];
  const OperationCount r = cost(*s.residual).operations;
  const auto n = static_cast<std::int64_t>(s.guess.size());
  OperationCount w;
  for (auto field : {&OperationCount::multiplications, &OperationCount::additions, &OperationCount::divisions,
                     &OperationCount::roots, &OperationCount::trigonometric, &OperationCount::comparisons}) {
    w.*field = r.*field * s.steps * (2 * n + 1);
  }
  w.multiplications += s.steps * n * n * n / 3;
  w.additions += s.steps * n * n * n / 3;
  return w;
}

void add_to(OperationCount& sum, const OperationCount& w) {
  sum.multiplications += w.multiplications;
  sum.additions += w.additions;
  sum.divisions += w.divisions;
  sum.roots += w.roots;
  sum.trigonometric += w.trigonometric;
  sum.comparisons += w.comparisons;
}

// Who computes what, and in which order: chunks of nodes, some of which may be in chunks of several processors.
struct Plan {
  struct Chunk {
    std::vector<NodeId> nodes;
    int processor = 0;
  };
  std::vector<Chunk> chunks;  // in an order in which all can be done
  double time = 0.0;
  std::string way;
};

class Divider {
 public:
  Divider(const Function& f, const Machine& machine, int processors)
      : f_(f), graph_(f.graph()), machine_(machine), processors_(processors), work_(graph_.size()), again_(graph_.size(), false) {
    std::vector<double> cone(graph_.size(), 0.0);
    const double cheap = 0.15 * machine.delay(0, 1, 8, std::max(2, processors));
    for (const NodeId id : f.order()) {
      work_[id] = work_done(graph_, id);
      cone[id] = machine.duration(work_[id]) - machine.overhead;
      for_each_operand(graph_, id, [&](NodeId o) { cone[id] += cone[o]; });
      const Op op = graph_[id].op;
      again_[id] = op == Op::constant || op == Op::input || op == Op::neg || (cone[id] <= cheap && is_plain(op));
      one_ += machine.duration(work_[id]) - machine.overhead;
    }
  }

  double one() const { return one_; }

  Plan best() {
    Plan best;
    const auto offer = [&](Plan plan) {
      if (best.chunks.empty() || plan.time < best.time) best = std::move(plan);
    };
    offer(results_apart());
    const double wait = machine_.delay(0, 1, 8, processors_);
    for (const auto& [order, words] : {std::pair(f_.order(), "the order of evaluation"), std::pair(depth_first(), "the order of results")}) {
      for (const double part : {0.25, 0.5, 1.0, 2.0}) {
        const double length = std::max(part * wait, one_ / 3000.0);
        if (length < one_ / 2.0) offer(in_chunks(order, length, words));
      }
    }
    return best;
  }

  DividedFunction realise(const Plan& plan, int* messages) const;

 private:
  static bool is_plain(Op op) { return op != Op::call && op != Op::solve && op != Op::output; }
  double time(NodeId id) const { return machine_.duration(work_[id]) - machine_.overhead; }

  // What each result needs, one result after the other.
  std::vector<NodeId> depth_first() const {
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

  Plan in_chunks(const std::vector<NodeId>& order, double length, const char* words) const {
    std::vector<std::vector<NodeId>> chunks;
    std::vector<int> chunk_of(graph_.size(), kNone);
    double so_far = 0.0;
    for (const NodeId id : order) {
      if (again_[id]) continue;
      if (graph_[id].op == Op::output) {  // stays with its call
        chunk_of[id] = chunk_of[graph_[id].a];
        chunks[static_cast<std::size_t>(chunk_of[id])].push_back(id);
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
          if (chunk_of[o] != chunk_of[id] && seen.insert({o, chunk_of[id]}).second) tasks.depend(chunk_of[o], chunk_of[id], 8);
        });
      }
    }
    const Schedule schedule = earliest_finish(tasks, machine_, processors_);
    Plan plan;
    plan.way = fmt::format("chunks of {:.0f} % in {}", 100.0 * length / one_, words);
    std::vector<Placement> placements = schedule.placements;
    std::stable_sort(placements.begin(), placements.end(), [](const Placement& a, const Placement& b) {
      return std::tie(a.start, a.task) < std::tie(b.start, b.task);
    });
    const double call = machine_.delay(0, 1, 8, processors_);
    double end = 0.0;
    for (const Placement& p : placements) {
      plan.chunks.push_back({chunks[static_cast<std::size_t>(p.task)], p.processor});
      end = std::max(end, p.finish + (p.processor == 0 ? 0.0 : 2.0 * call));  // begun later, and told of
    }
    plan.time = end;
    return plan;
  }

  // The nodes of chunks that a node needs, through what is computed again.
  template <class Visit>
  void for_each_needed(NodeId id, const Visit& visit) const {
    for_each_operand(graph_, id, [&](NodeId o) {
      if (!again_[o]) visit(o);
      else if (graph_[o].op != Op::constant && graph_[o].op != Op::input) for_each_needed(o, visit);
    });
  }

  // Results in a row to each processor, with all that they need.
  Plan results_apart() const {
    const std::vector<NodeId>& results = f_.results();
    const auto closure = [&](std::size_t from, std::size_t to) {
      std::vector<bool> needed(graph_.size(), false);
      for (std::size_t r = from; r < to; ++r) needed[results[r]] = true;
      double sum = 0.0;
      for (auto id = f_.order().rbegin(); id != f_.order().rend(); ++id) {
        if (!needed[*id]) continue;
        sum += time(*id);
        for_each_operand(graph_, *id, [&](NodeId o) { needed[o] = true; });
      }
      return std::pair(sum, needed);
    };
    // the bound that lets every processor take as many results as it has time for
    double low = one_ / processors_, high = one_;
    const auto cuts = [&](double limit) {
      std::vector<std::size_t> ends;
      std::size_t from = 0;
      for (int p = 0; p < processors_ && from < results.size(); ++p) {
        std::size_t some = from, all = results.size() + 1;
        while (all - some > 1) {
          const std::size_t middle = (some + all) / 2;
          (closure(from, middle).first <= limit ? some : all) = middle;
        }
        from = some;
        ends.push_back(from);
      }
      return ends;
    };
    for (int k = 0; k < 7; ++k) {
      const double middle = (low + high) / 2.0;
      const std::vector<std::size_t> ends = cuts(middle);
      (!ends.empty() && ends.back() == results.size() ? high : low) = middle;
    }
    Plan plan;
    std::size_t from = 0;
    const std::vector<std::size_t> ends = cuts(high);
    for (std::size_t p = 0; p < ends.size(); ++p) {
      const auto [sum, needed] = closure(from, ends[p]);
      Plan::Chunk chunk;
      chunk.processor = static_cast<int>(p);
      for (const NodeId id : f_.order()) {
        if (needed[id] && !again_[id]) chunk.nodes.push_back(id);
      }
      plan.chunks.push_back(std::move(chunk));
      plan.time = std::max(plan.time, sum + (p == 0 ? 0.0 : 2.0 * machine_.delay(0, 1, 8, processors_)));
      from = ends[p];
    }
    plan.way = "results apart";
    return plan;
  }

  const Function& f_;
  const Graph& graph_;
  const Machine& machine_;
  int processors_;
  std::vector<OperationCount> work_;
  std::vector<bool> again_;  // computed wherever it is needed
  double one_ = 0.0;
};

DividedFunction Divider::realise(const Plan& plan, int* messages) const {
  const auto p_count = static_cast<std::size_t>(processors_);
  // who has a value: the processors that compute it, the first of which tells others
  std::vector<int> owner(graph_.size(), kNone), chunk_of(graph_.size(), kNone);
  std::vector<std::vector<bool>> has(p_count, std::vector<bool>(graph_.size(), false));
  for (std::size_t c = 0; c < plan.chunks.size(); ++c) {
    for (const NodeId id : plan.chunks[c].nodes) {
      has[static_cast<std::size_t>(plan.chunks[c].processor)][id] = true;
      if (owner[id] != kNone) continue;
      owner[id] = plan.chunks[c].processor;
      chunk_of[id] = static_cast<int>(c);
    }
  }
  // what is told: by node, its place in the exchange later
  std::map<NodeId, std::size_t> slot;
  std::vector<bool> tells(plan.chunks.size(), false);
  for (const Plan::Chunk& chunk : plan.chunks) {
    for (const NodeId id : chunk.nodes) {
      for_each_needed(id, [&](NodeId o) {
        if (has[static_cast<std::size_t>(chunk.processor)][o]) return;
        slot[o] = 0;
        tells[static_cast<std::size_t>(chunk_of[o])] = true;
      });
    }
  }
  // what is computed again and is a result belongs to processor 0, and so does what it needs
  const auto result_owner = [&](NodeId id) { return again_[id] ? 0 : owner[id]; };
  const auto is_told_late = [&](NodeId id, auto&& self) -> void {
    if (!again_[id]) {
      if (has[0][id] || graph_[id].op == Op::constant || graph_[id].op == Op::input) return;
      slot[id] = 0;
      tells[static_cast<std::size_t>(chunk_of[id])] = true;
      return;
    }
    for_each_operand(graph_, id, [&](NodeId o) { self(o, self); });
  };
  for (const NodeId r : f_.results()) {
    if (again_[r]) is_told_late(r, is_told_late);
  }

  // segments
  std::vector<std::vector<Segment>> segments(p_count, std::vector<Segment>(1));
  std::vector<int> segment_of_chunk(plan.chunks.size(), 0);
  std::vector<std::vector<int>> waited(p_count, std::vector<int>(p_count, kNone));
  std::vector<bool> is_open(p_count, false);  // the last segment has work already
  *messages = 0;
  const auto begin_segment = [&](std::size_t p, const std::map<int, int>& waits) {
    std::vector<Segment::Wait> fresh;
    for (const auto& [q, s] : waits) {
      if (s > waited[p][static_cast<std::size_t>(q)]) {
        fresh.push_back({q, s});
        waited[p][static_cast<std::size_t>(q)] = s;
      }
    }
    if ((!fresh.empty() || segments[p].back().is_needed) && is_open[p]) segments[p].emplace_back();
    Segment& now = segments[p].back();
    now.waits.insert(now.waits.end(), fresh.begin(), fresh.end());
    *messages += static_cast<int>(fresh.size());
    is_open[p] = true;
  };
  for (std::size_t c = 0; c < plan.chunks.size(); ++c) {
    const Plan::Chunk& chunk = plan.chunks[c];
    const auto p = static_cast<std::size_t>(chunk.processor);
    std::map<int, int> waits;
    for (const NodeId id : chunk.nodes) {
      for_each_needed(id, [&](NodeId o) {
        if (has[p][o]) return;
        int& last = waits.try_emplace(owner[o], kNone).first->second;
        last = std::max(last, segment_of_chunk[static_cast<std::size_t>(chunk_of[o])]);
      });
    }
    begin_segment(p, waits);
    segment_of_chunk[c] = static_cast<int>(segments[p].size()) - 1;
    segments[p].back().is_needed = tells[c];
  }
  // late results of processor 0
  std::map<int, int> late;
  const auto wait_late = [&](NodeId id, auto&& self) -> void {
    if (!again_[id]) {
      if (!slot.contains(id) || has[0][id]) return;
      int& last = late.try_emplace(owner[id], kNone).first->second;
      last = std::max(last, segment_of_chunk[static_cast<std::size_t>(chunk_of[id])]);
      return;
    }
    for_each_operand(graph_, id, [&](NodeId o) { self(o, self); });
  };
  for (const NodeId r : f_.results()) {
    if (again_[r]) wait_late(r, wait_late);
  }
  begin_segment(0, late);

  // places in the exchange: what is told together lies together, in lines of cache of its own
  std::size_t exchanged = 0;
  int last_chunk_segment = kNone, last_processor = kNone;
  std::vector<std::pair<std::pair<int, int>, NodeId>> told;
  for (auto& [id, place] : slot) told.push_back({{owner[id], segment_of_chunk[static_cast<std::size_t>(chunk_of[id])]}, id});
  std::sort(told.begin(), told.end());
  for (const auto& [where, id] : told) {
    if (where != std::pair(last_processor, last_chunk_segment)) exchanged = (exchanged + 7) / 8 * 8;
    std::tie(last_processor, last_chunk_segment) = where;
    slot[id] = exchanged++;
  }
  exchanged = (exchanged + 7) / 8 * 8;

  DividedFunction divided{f_, {}, exchanged};
  const std::size_t inputs = f_.input_size();
  for (std::size_t p = 0; p < p_count; ++p) {
    Rewrite to(f_);
    Graph& graph = to.graph();
    for (std::size_t k = 0; k < exchanged; ++k) graph.input(fmt::format("{}[{}]", kFromOthers, k));
    const Expr elsewhere = graph.input(kElsewhere);
    std::vector<bool> known(graph_.size(), false);
    std::vector<int> segment_of;
    const auto ensure = [&](NodeId id, auto&& self) -> void {
      if (known[id]) return;
      known[id] = true;
      if (!again_[id] && !has[p][id]) {
        if (graph_[id].op == Op::call || graph_[id].op == Op::solve) return;  // its outputs are what is told
        to.put(id, Expr(&graph, static_cast<NodeId>(inputs + slot.at(id))), false);
        return;
      }
      for_each_operand(graph_, id, [&](NodeId o) { self(o, self); });
      to.put(id, to.copy(id));
    };
    for (std::size_t c = 0; c < plan.chunks.size(); ++c) {
      if (plan.chunks[c].processor != static_cast<int>(p)) continue;
      for (const NodeId id : plan.chunks[c].nodes) ensure(id, ensure);
      segment_of.resize(graph.size(), segment_of_chunk[c]);
    }
    std::vector<NodeId> results;
    for (const NodeId r : f_.results()) {
      if (result_owner(r) != static_cast<int>(p)) {
        results.push_back(elsewhere.id());
        continue;
      }
      ensure(r, ensure);
      results.push_back(graph.intern(to[r]));
    }
    std::vector<NodeId> sent(exchanged, elsewhere.id());
    for (const auto& [id, place] : slot) {
      if (owner[id] == static_cast<int>(p)) sent[place] = graph.intern(to[id]);
    }
    results.insert(results.end(), sent.begin(), sent.end());
    segment_of.resize(graph.size(), static_cast<int>(segments[p].size()) - 1);
    for (std::size_t k = 0; k < graph.inputs().size(); ++k) segment_of[k] = 0;
    for (NodeId id = 0; id < graph.size(); ++id) {
      if (graph[id].op == Op::constant) segment_of[id] = 0;
    }
    std::vector<Group> in = f_.inputs(), out = f_.outputs();
    in.push_back({kFromOthers, exchanged});
    in.push_back({kElsewhere, 1});
    out.push_back({kToOthers, exchanged});
    divided.shares.push_back({Function(f_.name(), std::move(in), std::move(out), to.shared_graph(), std::move(results), f_.arithmetic()),
                              std::move(segment_of), segments[p]});
  }
  return divided;
}

}  // namespace

DividedFunction divide_over(const Function& function, const Machine& machine, int processors, PredictedTimes* times) {
  require(processors >= 1, "a function is divided over one processor at least");
  Divider divider(function, machine, processors);
  const Plan plan = divider.best();
  int messages = 0;
  DividedFunction divided = divider.realise(plan, &messages);
  if (times != nullptr) *times = {divider.one(), plan.time, plan.way, messages};
  return divided;
}

}  // namespace lw
