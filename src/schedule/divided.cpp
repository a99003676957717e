#include "divided.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "../base/error.hpp"
#include "../graph/rewrite.hpp"
#include "divider.hpp"
#include "grain.hpp"
#include "share_times.hpp"

namespace lw {

DividedFunction Divider::realise(const DivisionPlan& plan, int* messages) const {
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
  for (const DivisionPlan::Chunk& chunk : plan.chunks) {
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
  DivisionPlan plan = divider.best();
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
