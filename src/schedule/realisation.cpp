// From a division plan to the functions of the processors: which values go through the exchange, which processor writes
// which result, and which segments wait for which.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "../graph/rewrite.hpp"
#include "divider.hpp"

namespace lw {

class Divider::Realisation {
 public:
  Realisation(const Divider& divider, const DivisionPlan& plan)
      : d_(divider),
        plan_(plan),
        results_(divider.f_.results()),
        count_(at(divider.processors_)),
        owner_(divider.graph_.size(), kNone),
        chunk_of_(owner_),
        has_(count_, std::vector<bool>(divider.graph_.size(), false)),
        writer_(plan.writer),
        waits_(plan.chunks.size() + 1),
        waited_(count_, std::vector<int>(count_, kNone)),
        segments_(count_, std::vector<Segment>(1)),
        segment_of_chunk_(plan.chunks.size(), 0) {
    find_owners();
    find_told();
    if (writer_.empty()) choose_writers();
    for (std::size_t r = 0; r < results_.size(); ++r) {
      if (writer_[r] == 0) tell_late(results_[r]);
    }
    find_waits();
    make_segments();
    place_exchange();
    find_ranges();
  }

  int messages() const {
    std::size_t count = 0;
    for (const auto& of_chunk : waits_) count += of_chunk.size();
    return static_cast<int>(count);
  }

  DividedFunction made() const {
    DividedFunction divided{d_.f_, {}, exchanged_};
    for (std::size_t p = 0; p < count_; ++p) divided.shares.push_back(share(p));
    return divided;
  }

 private:
  static std::size_t at(int k) { return static_cast<std::size_t>(k); }

  // Which processors have a value: those that compute it. The first of them sends it to others.
  void find_owners() {
    for (std::size_t c = 0; c < plan_.chunks.size(); ++c) {
      for (const NodeId id : plan_.chunks[c].nodes) {
        has_[at(plan_.chunks[c].processor)][id] = true;
        if (owner_[id] != kNone) continue;
        owner_[id] = plan_.chunks[c].processor;
        chunk_of_[id] = static_cast<int>(c);
      }
    }
  }

  // By node; places in the exchange are assigned later.
  void find_told() {
    for (const DivisionPlan::Chunk& chunk : plan_.chunks) {
      for (const NodeId id : chunk.nodes) {
        d_.for_each_needed(id, [&](NodeId o) {
          if (!has_[at(chunk.processor)][o]) slot_[o] = 0;
        });
      }
    }
  }

  // A cache line that two processors write would move back and forth between them: processor 0 writes such lines, with
  // values from the others. Values that are computed again it computes itself.
  void choose_writers() {
    writer_.resize(results_.size());
    const auto is_there = [this](std::size_t p, NodeId id) {
      if (!d_.again_[id]) return bool(has_[p][id]);
      bool all = true;
      d_.for_each_needed(id, [&](NodeId o) { all = all && has_[p][o]; });
      return all;
    };
    for (std::size_t r = 0, end = 0; const Group& g : d_.f_.outputs()) {
      end += g.size;
      while (r < end) {
        const std::size_t line = std::min(kLine, end - r);
        int whole = 0;  // the first processor that has the whole line
        for (std::size_t p = count_; p-- > 0;) {
          bool all = true;
          for (std::size_t k = r; k < r + line && all; ++k) all = is_there(p, results_[k]);
          if (all) whole = static_cast<int>(p);
        }
        std::fill_n(writer_.begin() + static_cast<std::ptrdiff_t>(r), line, whole);
        r += line;
      }
    }
  }

  // Values that processor 0 needs for its results and does not have.
  void tell_late(NodeId id) {
    if (d_.again_[id]) return for_each_operand(d_.graph_, id, [this](NodeId o) { tell_late(o); });
    if (has_[0][id] || d_.graph_[id].op == Op::constant || d_.graph_[id].op == Op::input) return;
    slot_[id] = 0;
    late_ = std::max(late_, chunk_of_[id]);
  }

  // Which chunk waits for which. After a wait for a chunk, everything before it on that processor is known as well. A
  // wait also covers what will be done by then anyway, because each wait ends a segment on both sides.
  void wait(std::size_t who, std::size_t p, int chunk) {
    const std::vector<DivisionPlan::Chunk>& chunks = plan_.chunks;
    const std::size_t q = at(chunks[at(chunk)].processor);
    if (q == p || chunk <= waited_[p][q]) return;
    // and for chunks that end soon
    const double now = who < chunks.size() ? chunks[who].start + d_.machine_.delay(0, 1, 8, d_.processors_) : 0.0;
    for (std::size_t c = at(chunk) + 1; c < std::min(who, chunks.size()); ++c) {
      if (at(chunks[c].processor) == q && chunks[c].finish <= now) chunk = static_cast<int>(c);
    }
    waits_[who][static_cast<int>(q)] = waited_[p][q] = chunk;
  }

  void find_waits() {
    const std::vector<DivisionPlan::Chunk>& chunks = plan_.chunks;
    for (std::size_t c = 0; c < chunks.size(); ++c) {
      const std::size_t p = at(chunks[c].processor);
      std::map<int, int> needed;
      for (const NodeId id : chunks[c].nodes) {
        d_.for_each_needed(id, [&](NodeId o) {
          if (has_[p][o]) return;
          int& last = needed.try_emplace(owner_[o], kNone).first->second;
          last = std::max(last, chunk_of_[o]);
        });
      }
      for (const auto& [q, chunk] : needed) wait(c, p, chunk);
    }
    for (std::size_t c = 0; c < chunks.size() && static_cast<int>(c) <= late_; ++c) {
      if (chunks[c].processor != 0) wait(chunks.size(), 0, static_cast<int>(c));
    }
  }

  void make_segments() {
    std::vector<bool> tells(plan_.chunks.size(), false);
    for (const auto& of_chunk : waits_) {
      for (const auto& [q, chunk] : of_chunk) tells[at(chunk)] = true;
    }
    std::vector<bool> is_open(count_, false);  // the last segment has work already
    const auto begin_segment = [&](std::size_t p, const std::map<int, int>& before) {
      if ((!before.empty() || segments_[p].back().is_needed) && is_open[p]) segments_[p].emplace_back();
      for (const auto& [q, chunk] : before) segments_[p].back().waits.push_back({q, segment_of_chunk_[at(chunk)]});
      is_open[p] = true;
    };
    for (std::size_t c = 0; c < plan_.chunks.size(); ++c) {
      const std::size_t p = at(plan_.chunks[c].processor);
      begin_segment(p, waits_[c]);
      segment_of_chunk_[c] = static_cast<int>(segments_[p].size()) - 1;
      segments_[p].back().is_needed = tells[c];
    }
    begin_segment(0, waits_.back());
  }

  // Values that are sent together lie together, in their own cache lines.
  void place_exchange() {
    using Where = std::pair<int, int>;  // processor and segment
    std::vector<std::pair<Where, NodeId>> told;
    for (const auto& [id, place] : slot_) told.push_back({{owner_[id], segment_of_chunk_[at(chunk_of_[id])]}, id});
    std::sort(told.begin(), told.end());
    const auto next_line = [this] { exchanged_ = (exchanged_ + 7) / 8 * 8; };
    Where last{kNone, kNone};
    for (const auto& [where, id] : told) {
      if (where != last) next_line();
      last = where;
      Segment& of = segments_[at(where.first)][at(where.second)];
      if (of.first == of.end) of.first = exchanged_;
      slot_[id] = exchanged_++;
      of.end = exchanged_;
    }
    next_line();
  }

  // Which part of the exchange each wait makes readable.
  void find_ranges() {
    for (std::vector<Segment>& own : segments_) {
      std::vector<std::size_t> known(count_, 0);  // segments done by each other processor
      for (Segment& s : own) {
        for (Segment::Wait& w : s.waits) {
          std::size_t& from = known[at(w.processor)];
          for (; from <= at(w.segment); ++from) {
            const Segment& written = segments_[at(w.processor)][from];
            if (written.first == written.end) continue;
            if (w.first == w.end) w.first = written.first;
            w.end = written.end;
          }
        }
      }
    }
  }

  // The function of one processor.
  Share share(std::size_t p) const {
    const std::size_t inputs = d_.f_.input_size();
    Rewrite to(d_.f_);
    Graph& graph = to.graph();
    for (std::size_t k = 0; k < exchanged_; ++k) graph.input(fmt::format("{}{}", kFromOthers, k + 1));
    const Expr elsewhere = graph.input(fmt::format("{}1", kElsewhere));
    std::vector<bool> known(d_.graph_.size(), false);
    std::vector<int> segment_of,
        received(exchanged_, 0);  // the segment in which a number from another processor is first needed
    int segment = 0;
    const auto ensure = [&](NodeId id, auto&& self) -> void {
      if (known[id]) return;
      known[id] = true;
      if (!d_.again_[id] && !has_[p][id]) {
        if (d_.graph_[id].op == Op::call || d_.graph_[id].op == Op::solve)
          return;  // its outputs are sent, not the call
        received[slot_.at(id)] = segment;
        to.put(id, Expr(&graph, static_cast<NodeId>(inputs + slot_.at(id))), false);
        return;
      }
      for_each_operand(d_.graph_, id, [&](NodeId o) { self(o, self); });
      to.put(id, to.copy(id));
    };
    for (std::size_t c = 0; c < plan_.chunks.size(); ++c) {
      if (at(plan_.chunks[c].processor) != p) continue;
      segment = segment_of_chunk_[c];
      for (const NodeId id : plan_.chunks[c].nodes) ensure(id, ensure);
      segment_of.resize(graph.size(), segment);
    }
    segment = static_cast<int>(segments_[p].size()) - 1;
    std::vector<NodeId> written;
    for (std::size_t r = 0; r < results_.size(); ++r) {
      if (at(writer_[r]) != p) {
        written.push_back(elsewhere.id());
        continue;
      }
      ensure(results_[r], ensure);
      written.push_back(graph.intern(to[results_[r]]));
    }
    std::vector<NodeId> sent(exchanged_, elsewhere.id());
    for (const auto& [id, place] : slot_) {
      if (at(owner_[id]) == p) sent[place] = graph.intern(to[id]);
    }
    written.insert(written.end(), sent.begin(), sent.end());
    segment_of.resize(graph.size(), segment);
    for (std::size_t k = 0; k < graph.inputs().size(); ++k)
      segment_of[k] = k < inputs || k == inputs + exchanged_ ? 0 : received[k - inputs];
    for (NodeId id = 0; id < graph.size(); ++id) {
      if (graph[id].op == Op::constant) segment_of[id] = 0;
    }
    std::vector<Group> in = d_.f_.inputs(), out = d_.f_.outputs();
    in.push_back({kFromOthers, exchanged_});
    in.push_back({kElsewhere, 1});
    out.push_back({kToOthers, exchanged_});
    return {Function(d_.f_.name(), std::move(in), std::move(out), to.shared_graph(), std::move(written),
                     d_.f_.arithmetic()),
            std::move(segment_of), segments_[p]};
  }

  const Divider& d_;
  const DivisionPlan& plan_;
  const std::vector<NodeId>& results_;
  const std::size_t count_;                // of processors
  std::vector<int> owner_, chunk_of_;      // of each node
  std::vector<std::vector<bool>> has_;     // of each processor, of each node
  std::map<NodeId, std::size_t> slot_;     // place in the exchange of each value that is sent
  std::vector<int> writer_;                // of each result
  int late_ = kNone;                       // the last chunk that processor 0 must wait for at the end
  std::vector<std::map<int, int>> waits_;  // of each chunk, and of the end: processor -> chunk
  std::vector<std::vector<int>> waited_;   // of each processor, of each other
  std::vector<std::vector<Segment>> segments_;
  std::vector<int> segment_of_chunk_;
  std::size_t exchanged_ = 0;
};

DividedFunction Divider::realise(const DivisionPlan& plan, int* messages) const {
  const Realisation realisation(*this, plan);
  *messages = realisation.messages();
  return realisation.made();
}

}  // namespace lw
