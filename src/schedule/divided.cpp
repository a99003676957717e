#include "divided.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "../base/error.hpp"
#include "../base/random.hpp"
#include "../graph/rewrite.hpp"
#include "grain.hpp"
#include "share_times.hpp"

namespace lw {
namespace {

constexpr int kNone = -1;
constexpr std::size_t kLine = 8;  // numbers in a line of cache

// Who computes what, and in which order: chunks of nodes, some of which may be in chunks of several processors.
struct Plan {
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
  Divider(const Function& f, const Machine& machine, int processors)
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

  double one() const { return one_; }

  Plan best() const {
    Plan best;
    const auto offer = [&](Plan plan) {
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
      if (std::optional<Plan> plan = results_apart(blocks, best.chunks.empty() ? HUGE_VAL : best.time))
        offer(std::move(*plan));
    }
    return best;
  }

  // What would take longer to wait for than to compute again is computed again.
  void repeat_cheap(Plan& plan) const;
  DividedFunction realise(const Plan& plan, int* messages) const;

 private:
  static bool is_plain(Op op) { return op != Op::call && op != Op::solve && op != Op::output; }
  double time(NodeId id) const { return time_[id]; }

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

  // By strands that tell each other little (grain.hpp).
  Plan in_strands(double length) const {
    const Division division = divide(f_, machine_, length);
    std::vector<std::vector<NodeId>> chunks;
    for (const std::vector<NodeId>& nodes : division.nodes) {
      std::vector<NodeId> own;
      std::copy_if(nodes.begin(), nodes.end(), std::back_inserter(own), [&](NodeId id) { return !again_[id]; });
      if (!own.empty()) chunks.push_back(std::move(own));
    }
    return partition(chunks, fmt::format("strands of {:.2g} %", 100.0 * length / one_));
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
    return partition(chunks, fmt::format("chunks of {:.2g} % in {}", 100.0 * length / one_, words));
  }

  Plan partition(const std::vector<std::vector<NodeId>>& chunks, std::string way) const {
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
    Plan plan;
    plan.way = std::move(way);
    std::vector<Placement> placements = schedule.placements;
    std::stable_sort(placements.begin(), placements.end(), [](const Placement& a, const Placement& b) {
      return std::tie(a.start, a.task) < std::tie(b.start, b.task);
    });
    const double call = machine_.delay(0, 1, 8, processors_);
    for (const Placement& p : placements) {
      plan.chunks.push_back({chunks[static_cast<std::size_t>(p.task)], p.processor, p.start, p.finish});
      plan.time = std::max(plan.time, p.finish + (p.processor == 0 ? 0.0 : call));  // processor 0 must hear of it
    }
    plan.time += repeated_ + write_ * static_cast<double>(f_.results().size()) / processors_;
    return plan;
  }

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

  // The results in so many blocks, about, of each group by itself: numbers of results.
  std::vector<std::vector<std::size_t>> blocks_of_results(std::size_t count) const {
    const std::size_t size = std::max(kLine, (f_.results().size() + count - 1) / count);
    std::vector<std::vector<std::size_t>> blocks;
    for (std::size_t r = 0; const Group& g : f_.outputs()) {
      const std::size_t own = (g.size + size - 1) / size;  // equal ones
      for (std::size_t k = 0; k < own; ++k) {
        std::vector<std::size_t>& block = blocks.emplace_back();
        for (; block.size() < g.size * (k + 1) / own - g.size * k / own; ++r) block.push_back(r);
      }
    }
    return blocks;
  }

  // Each processor computes some blocks of results with all that these need. Blocks change places at random, fewer of
  // them for the worse as time goes by (simulated annealing), until what both compute is little. Where neighbours
  // belong to two processors both may write into one line of cache, since callers do not align results: that costs a
  // way to and fro.
  std::optional<Plan> results_apart(std::size_t count, double known) const {
    std::vector<std::vector<NodeId>> needs;
    std::vector<bool> needed(graph_.size());
    const std::vector<std::vector<std::size_t>> blocks = blocks_of_results(count);
    for (const std::vector<std::size_t>& block : blocks) {
      needed.assign(graph_.size(), false);
      for (const std::size_t r : block) needed[f_.results()[r]] = true;
      std::vector<NodeId>& own = needs.emplace_back();
      for (auto id = f_.order().rbegin(); id != f_.order().rend(); ++id) {
        if (!needed[*id]) continue;
        if (!again_[*id]) own.push_back(*id);
        for_each_operand(graph_, *id, [&](NodeId o) { needed[o] = true; });
      }
    }
    // what every block needs all processors compute: no plan is quicker than this one's share
    std::vector<std::size_t> wanted(graph_.size(), 0);
    double all = 0.0, common = 0.0;
    for (const std::vector<NodeId>& own : needs) {
      for (const NodeId id : own) {
        if (++wanted[id] == 1) all += time(id);
        if (wanted[id] == needs.size()) common += time(id);
      }
    }
    if ((all + (processors_ - 1) * common) / processors_ + repeated_ >= known) return std::nullopt;
    const auto p_count = static_cast<std::size_t>(processors_);
    const double hop = machine_.delay(0, 1, 8, processors_);
    std::vector<double> times(p_count, 2.0 * hop);  // the call, and the word that it is done
    times[0] = 0.0;
    std::vector<std::vector<std::uint16_t>> users(p_count, std::vector<std::uint16_t>(graph_.size(), 0));
    std::vector<std::size_t> of(needs.size(), 0);
    const auto put = [&](std::size_t block, std::size_t p) {
      of[block] = p;
      times[p] += write_ * static_cast<double>(blocks[block].size());
      for (const NodeId id : needs[block]) {
        if (users[p][id]++ == 0) times[p] += time(id);
      }
    };
    const auto take = [&](std::size_t block) {
      const std::size_t p = of[block];
      times[p] -= write_ * static_cast<double>(blocks[block].size());
      for (const NodeId id : needs[block]) {
        if (--users[p][id] == 0) times[p] -= time(id);
      }
    };
    int borders = 0;
    const auto is_border = [&](std::size_t block) {
      return block > 0 && block < needs.size() && of[block] != of[block - 1] ? 1 : 0;
    };
    const auto whole = [&] { return *std::max_element(times.begin(), times.end()) + 0.1 * hop * borders; };
    const auto cost = [&] { return whole() + 0.1 * std::accumulate(times.begin(), times.end(), 0.0); };
    for (std::size_t b = 0; b < needs.size(); ++b) {
      put(b, b * p_count / needs.size());
      borders += is_border(b);
    }
    const auto move = [&](std::size_t block, std::size_t to) {
      borders -= is_border(block) + is_border(block + 1);
      take(block);
      put(block, to);
      borders += is_border(block) + is_border(block + 1);
    };
    std::size_t sum = 1;
    for (const auto& own : needs) sum += own.size();
    const auto moves = static_cast<int>(std::min<std::size_t>(60000, 300'000'000 * needs.size() / sum));
    Random random(1);
    double now = cost(), least = now;
    std::vector<std::size_t> best = of;
    for (int k = 0; k < moves && p_count > 1; ++k) {
      const auto block = static_cast<std::size_t>(random.below(static_cast<int>(needs.size())));
      const std::size_t from = of[block],
                        to = (from + 1 + static_cast<std::size_t>(random.below(processors_ - 1))) % p_count;
      move(block, to);
      const double then = cost(), heat = 0.02 * now * (1.0 - static_cast<double>(k) / moves);
      if (then <= now || random.chance(std::exp((now - then) / heat))) {
        now = then;
      } else {
        move(block, from);
      }
      if (now < least) {
        least = now;
        best = of;
      }
    }
    for (std::size_t b = 0; b < needs.size(); ++b) move(b, best[b]);
    Plan plan;
    plan.way = "results apart";
    plan.writer.resize(f_.results().size());
    for (std::size_t r = 0, b = 0; const std::vector<std::size_t>&block : blocks) {
      for (std::size_t k = 0; k < block.size(); ++k) plan.writer[r++] = static_cast<int>(of[b]);
      ++b;
    }
    plan.time = whole() + repeated_;
    for (std::size_t p = 0; p < p_count; ++p) {
      Plan::Chunk chunk;
      chunk.processor = static_cast<int>(p);
      std::copy_if(f_.order().begin(), f_.order().end(), std::back_inserter(chunk.nodes),
                   [&](NodeId id) { return users[p][id] > 0; });
      plan.chunks.push_back(std::move(chunk));
    }
    return plan;
  }

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

void Divider::repeat_cheap(Plan& plan) const {
  const double limit = machine_.delay(0, 1, 8, processors_);
  std::vector<std::vector<bool>> have(static_cast<std::size_t>(processors_), std::vector<bool>(graph_.size(), false)),
      own = have;
  for (const Plan::Chunk& c : plan.chunks) {
    for (const NodeId id : c.nodes) own[static_cast<std::size_t>(c.processor)][id] = true;
  }
  std::vector<Plan::Chunk> chunks;
  for (Plan::Chunk& chunk : plan.chunks) {
    const auto p = static_cast<std::size_t>(chunk.processor);
    const std::set<NodeId> here(chunk.nodes.begin(), chunk.nodes.end());
    std::set<NodeId> missing;  // in order of evaluation, since numbers are
    std::vector<NodeId> open = chunk.nodes;
    double sum = 0.0;
    while (!open.empty() && sum <= limit) {
      const NodeId id = open.back();
      open.pop_back();
      for_each_needed(id, [&](NodeId o) {
        if (have[p][o] || here.contains(o)) return;
        if (own[p][o]) sum = 2.0 * limit;  // comes later here
        if (!missing.insert(o).second) return;
        sum += time(o);
        open.push_back(o);
      });
    }
    if (!missing.empty() && sum <= limit) {
      Plan::Chunk again{{missing.begin(), missing.end()}, chunk.processor, chunk.start, chunk.start};
      for (const NodeId id : again.nodes) have[p][id] = own[p][id] = true;
      chunks.push_back(std::move(again));
    }
    for (const NodeId id : chunk.nodes) have[p][id] = true;
    chunks.push_back(std::move(chunk));
  }
  plan.chunks = std::move(chunks);
}

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
  for (const Plan::Chunk& chunk : plan.chunks) {
    for (const NodeId id : chunk.nodes) {
      for_each_needed(id, [&](NodeId o) {
        if (!has[static_cast<std::size_t>(chunk.processor)][o]) slot[o] = 0;
      });
    }
  }
  // Who writes which result. Lines of cache that two processors write go to and fro between them: processor 0 writes
  // such a line, with what the others tell it. What is computed again is its own as well.
  const std::vector<NodeId>& results = f_.results();
  std::vector<int> writer = plan.writer;
  const bool is_open_who_writes = writer.empty();
  writer.resize(results.size());
  for (std::size_t r = 0, end = 0; const Group& g : f_.outputs()) {
    end += g.size;
    while (r < end && is_open_who_writes) {
      const std::size_t line = std::min(kLine, end - r);
      int whole = 0;  // the first processor that has all of it
      for (int p = processors_ - 1; p >= 0; --p) {
        const auto is_there = [&](NodeId id) {
          bool all = true;
          if (again_[id])
            for_each_needed(id, [&](NodeId o) { all = all && has[static_cast<std::size_t>(p)][o]; });
          else
            all = has[static_cast<std::size_t>(p)][id];
          return all;
        };
        if (std::all_of(results.begin() + static_cast<std::ptrdiff_t>(r),
                        results.begin() + static_cast<std::ptrdiff_t>(r + line), is_there))
          whole = p;
      }
      std::fill_n(writer.begin() + static_cast<std::ptrdiff_t>(r), line, whole);
      r += line;
    }
  }
  int late = kNone;  // the last chunk that processor 0 must wait for in the end
  const auto is_told_late = [&](NodeId id, auto&& self) -> void {
    if (!again_[id]) {
      if (has[0][id] || graph_[id].op == Op::constant || graph_[id].op == Op::input) return;
      slot[id] = 0;
      late = std::max(late, chunk_of[id]);
      return;
    }
    for_each_operand(graph_, id, [&](NodeId o) { self(o, self); });
  };
  for (std::size_t r = 0; r < results.size(); ++r) {
    if (writer[r] == 0) is_told_late(results[r], is_told_late);
  }

  // Who waits for which chunk. One that has waited for a chunk knows all that was done before it on that processor; and
  // while it waits, it waits at once for what will be done by then anyway: each wait ends a segment on both sides.
  std::vector<std::map<int, int>> waits(plan.chunks.size() + 1);  // of a chunk, and of the end: processor -> chunk
  std::vector<bool> tells(plan.chunks.size(), false);
  std::vector<std::vector<int>> waited(p_count, std::vector<int>(p_count, kNone));
  const auto wait = [&](std::size_t who, std::size_t p, int chunk) {
    const auto q = static_cast<std::size_t>(plan.chunks[static_cast<std::size_t>(chunk)].processor);
    if (q == p || chunk <= waited[p][q]) return;
    // and for what comes soon
    const double now = who < plan.chunks.size() ? plan.chunks[who].start + machine_.delay(0, 1, 8, processors_) : 0.0;
    for (std::size_t c = static_cast<std::size_t>(chunk) + 1; c < std::min(who, plan.chunks.size()); ++c) {
      if (plan.chunks[c].processor == static_cast<int>(q) && plan.chunks[c].finish <= now) chunk = static_cast<int>(c);
    }
    waits[who][static_cast<int>(q)] = waited[p][q] = chunk;
  };
  for (std::size_t c = 0; c < plan.chunks.size(); ++c) {
    const auto p = static_cast<std::size_t>(plan.chunks[c].processor);
    std::map<int, int> needed;
    for (const NodeId id : plan.chunks[c].nodes) {
      for_each_needed(id, [&](NodeId o) {
        if (has[p][o]) return;
        int& last = needed.try_emplace(owner[o], kNone).first->second;
        last = std::max(last, chunk_of[o]);
      });
    }
    for (const auto& [q, chunk] : needed) wait(c, p, chunk);
  }
  if (late != kNone) {
    for (std::size_t c = 0; c < plan.chunks.size(); ++c) {
      if (plan.chunks[c].processor != 0 && static_cast<int>(c) <= late)
        wait(plan.chunks.size(), 0, static_cast<int>(c));
    }
  }
  *messages = 0;
  for (const auto& of_chunk : waits) {
    for (const auto& [q, chunk] : of_chunk) {
      tells[static_cast<std::size_t>(chunk)] = true;
      ++*messages;
    }
  }
  std::vector<std::vector<Segment>> segments(p_count, std::vector<Segment>(1));
  std::vector<int> segment_of_chunk(plan.chunks.size(), 0);
  std::vector<bool> is_open(p_count, false);  // the last segment has work already
  const auto begin_segment = [&](std::size_t p, const std::map<int, int>& before) {
    if ((!before.empty() || segments[p].back().is_needed) && is_open[p]) segments[p].emplace_back();
    for (const auto& [q, chunk] : before)
      segments[p].back().waits.push_back({q, segment_of_chunk[static_cast<std::size_t>(chunk)]});
    is_open[p] = true;
  };
  for (std::size_t c = 0; c < plan.chunks.size(); ++c) {
    const auto p = static_cast<std::size_t>(plan.chunks[c].processor);
    begin_segment(p, waits[c]);
    segment_of_chunk[c] = static_cast<int>(segments[p].size()) - 1;
    segments[p].back().is_needed = tells[c];
  }
  begin_segment(0, waits.back());

  // places in the exchange: what is told together lies together, in lines of cache of its own
  std::size_t exchanged = 0;
  int last_chunk_segment = kNone, last_processor = kNone;
  std::vector<std::pair<std::pair<int, int>, NodeId>> told;
  for (auto& [id, place] : slot)
    told.push_back({{owner[id], segment_of_chunk[static_cast<std::size_t>(chunk_of[id])]}, id});
  std::sort(told.begin(), told.end());
  for (const auto& [where, id] : told) {
    if (where != std::pair(last_processor, last_chunk_segment)) exchanged = (exchanged + 7) / 8 * 8;
    std::tie(last_processor, last_chunk_segment) = where;
    slot[id] = exchanged++;
  }
  exchanged = (exchanged + 7) / 8 * 8;
  for (const auto& [where, id] : told) {
    Segment& of = segments[static_cast<std::size_t>(where.first)][static_cast<std::size_t>(where.second)];
    if (of.first == of.end) of.first = slot[id];
    of.end = slot[id] + 1;
  }
  for (std::vector<Segment>& own : segments) {
    std::vector<std::size_t> known(p_count, 0);  // segments of each other processor
    for (Segment& s : own) {
      for (Segment::Wait& w : s.waits) {
        std::size_t& from = known[static_cast<std::size_t>(w.processor)];
        for (; from <= static_cast<std::size_t>(w.segment); ++from) {
          const Segment& written = segments[static_cast<std::size_t>(w.processor)][from];
          if (written.first == written.end) continue;
          if (w.first == w.end) w.first = written.first;
          w.end = written.end;
        }
      }
    }
  }

  DividedFunction divided{f_, {}, exchanged};
  const std::size_t inputs = f_.input_size();
  for (std::size_t p = 0; p < p_count; ++p) {
    Rewrite to(f_);
    Graph& graph = to.graph();
    for (std::size_t k = 0; k < exchanged; ++k) graph.input(fmt::format("{}{}", kFromOthers, k + 1));
    const Expr elsewhere = graph.input(fmt::format("{}1", kElsewhere));
    std::vector<bool> known(graph_.size(), false);
    std::vector<int> segment_of,
        received(exchanged, 0);  // a number from others is there when it is first needed, not before
    int segment = 0;
    const auto ensure = [&](NodeId id, auto&& self) -> void {
      if (known[id]) return;
      known[id] = true;
      if (!again_[id] && !has[p][id]) {
        if (graph_[id].op == Op::call || graph_[id].op == Op::solve) return;  // its outputs are what is told
        received[slot.at(id)] = segment;
        to.put(id, Expr(&graph, static_cast<NodeId>(inputs + slot.at(id))), false);
        return;
      }
      for_each_operand(graph_, id, [&](NodeId o) { self(o, self); });
      to.put(id, to.copy(id));
    };
    for (std::size_t c = 0; c < plan.chunks.size(); ++c) {
      if (plan.chunks[c].processor != static_cast<int>(p)) continue;
      segment = segment_of_chunk[c];
      for (const NodeId id : plan.chunks[c].nodes) ensure(id, ensure);
      segment_of.resize(graph.size(), segment);
    }
    segment = static_cast<int>(segments[p].size()) - 1;
    std::vector<NodeId> written;
    for (std::size_t r = 0; r < results.size(); ++r) {
      if (writer[r] != static_cast<int>(p)) {
        written.push_back(elsewhere.id());
        continue;
      }
      ensure(results[r], ensure);
      written.push_back(graph.intern(to[results[r]]));
    }
    std::vector<NodeId> sent(exchanged, elsewhere.id());
    for (const auto& [id, place] : slot) {
      if (owner[id] == static_cast<int>(p)) sent[place] = graph.intern(to[id]);
    }
    written.insert(written.end(), sent.begin(), sent.end());
    segment_of.resize(graph.size(), segment);
    for (std::size_t k = 0; k < graph.inputs().size(); ++k)
      segment_of[k] = k < inputs || k == inputs + exchanged ? 0 : received[k - inputs];
    for (NodeId id = 0; id < graph.size(); ++id) {
      if (graph[id].op == Op::constant) segment_of[id] = 0;
    }
    std::vector<Group> in = f_.inputs(), out = f_.outputs();
    in.push_back({kFromOthers, exchanged});
    in.push_back({kElsewhere, 1});
    out.push_back({kToOthers, exchanged});
    divided.shares.push_back(
        {Function(f_.name(), std::move(in), std::move(out), to.shared_graph(), std::move(written), f_.arithmetic()),
         std::move(segment_of), segments[p]});
  }
  return divided;
}

}  // namespace

DividedFunction divide_over(const Function& function, const Machine& machine, int processors, PredictedTimes* times) {
  require(processors >= 1, "a function is divided over one processor at least");
  OperationCount work, code;
  std::set<const Function*> called;
  for (const NodeId id : function.order()) {
    const OperationCount own = work_with_passing(function.graph(), id);
    add_to(work, own);
    if (function.graph()[id].op != Op::call ||
        called.insert(function.graph().calls()[function.graph()[id].a].function.get()).second)
      add_to(code, own);
  }
  for (OperationCount* w : {&work, &code})
    w->additions += static_cast<std::int64_t>(function.results().size());  // to write one
  const Machine share = machine.for_code_of(work, code, processors);
  const Divider divider(function, share, processors);
  Plan plan = divider.best();
  divider.repeat_cheap(plan);
  int messages = 0;
  DividedFunction divided = divider.realise(plan, &messages);
  if (times != nullptr) {
    const bool by_one = std::all_of(plan.chunks.begin(), plan.chunks.end(),
                                    [&](const auto& c) { return c.processor == plan.chunks.front().processor; });
    const double one = time_on_one(function, machine.for_code_of(work, code, 1));
    *times = {one, by_one ? one : time_of(divided, share), by_one ? "nothing: one does it all" : plan.way, messages};
  }
  return divided;
}

}  // namespace lw
