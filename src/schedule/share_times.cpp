#include "share_times.hpp"

#include <algorithm>

#include "../base/error.hpp"
#include "../base/index.hpp"
#include "../codegen/c/calls_together.hpp"
#include "grain.hpp"

namespace lw {
namespace {

// Time of a multiplication, an addition, a fused multiply-add, or of writing a number.
double instruction_time(const Function& whole, const Machine& machine) {
  double sum = 0.0, instructions = 0.0;
  for (const NodeId id : whole.order()) {
    if (!is_arithmetic(whole.graph()[id].op)) continue;
    sum += machine.duration(work_of(whole.graph(), id)) - machine.overhead;
    instructions += 1.0;
  }
  return instructions > 0.0 ? sum / instructions : machine.addition / machine.overlap;
}

// Of each segment. `segment_of`: empty if there is only one.
std::vector<double> segment_times(const Function& f, const std::vector<int>* segment_of, std::size_t segments,
                                  const Machine& machine, double instruction) {
  std::vector<double> times(segments, 0.0);
  const auto of = [&](NodeId id) -> double& { return times[segment_of ? at((*segment_of)[id]) : 0]; };
  std::vector<bool> is_in_lanes(f.graph().size(), false);
  for (const CallsTogether& group : calls_together(f, segment_of)) {
    of(group.calls[0]) +=
        machine.duration_in_lanes(work_with_passing(f.graph(), group.calls[0]), group.lanes) - machine.overhead;
    for (const NodeId call : group.calls) is_in_lanes[call] = true;
  }
  for (const NodeId id : f.order()) {
    if (is_in_lanes[id]) continue;
    of(id) += is_arithmetic(f.graph()[id].op) ? instruction
                                              : machine.duration(work_with_passing(f.graph(), id)) - machine.overhead;
  }
  return times;
}

}  // namespace

double time_on_one(const Function& function, const Machine& machine) {
  const double instruction = instruction_time(function, machine);
  return machine.overhead + segment_times(function, nullptr, 1, machine, instruction)[0] +
         instruction * static_cast<double>(function.results().size());
}

double time_of(const DividedFunction& divided, const Machine& machine) {
  const auto count = static_cast<int>(divided.shares.size());
  const double instruction = instruction_time(divided.whole, machine), hop = machine.delay(0, 1, 8, count);
  std::vector<std::vector<double>> work, end(divided.shares.size());
  for (const Share& share : divided.shares) {
    work.push_back(segment_times(share.function, &share.segment_of, share.segments.size(), machine, instruction));
    const auto written = std::count_if(share.function.results().begin(), share.function.results().end(),
                                       [&](NodeId id) { return id != share.elsewhere(); });
    const double each = instruction * static_cast<double>(written) / static_cast<double>(share.segments.size());
    for (double& time : work.back()) time += each;
  }
  std::size_t left = 0;
  for (const auto& own : work) left += own.size();
  while (left > 0) {
    const std::size_t before = left;
    for (std::size_t p = 0; p < work.size(); ++p) {
      while (end[p].size() < work[p].size()) {
        double start = !end[p].empty() ? end[p].back() : p == 0 ? 0.0 : hop;
        bool is_known = true;
        for (const Segment::Wait& w : divided.shares[p].segments[end[p].size()].waits) {
          const std::vector<double>& others = end[at(w.processor)];
          is_known = is_known && others.size() > at(w.segment);
          if (!is_known) break;
          start = std::max(start, others[at(w.segment)] + machine.delay(w.processor, static_cast<int>(p),
                                                                        8 * static_cast<int>(w.end - w.first), count));
        }
        if (!is_known) break;
        end[p].push_back(start + work[p][end[p].size()]);
        --left;
      }
    }
    require(left < before, "no segment waits for itself");
  }
  double whole = end[0].back();
  for (std::size_t p = 1; p < end.size(); ++p) whole = std::max(whole, end[p].back() + hop);
  return machine.overhead + whole;
}

}  // namespace lw
