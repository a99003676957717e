// A machine as schedulers see it: times of operations and of messages.
//
//   duration of a task = overhead + Σ count · seconds of each kind of operation / overlap
//   delay of a message = start_up + hops · per_hop + bytes · per_byte · hops,   0 on the processor itself
//
// Hops between processors i and j of p, by topology: shared memory, bus and fully connected 1; pipeline |i - j|; ring
// the shorter way round; tree over the least common parent (processor 0 the root, i's parent (i - 1)/2); mesh |Δrow| +
// |Δcolumn| on the squarest grid; hypercube the bits in which i and j differ. A message is forwarded as a whole, so its
// bytes take time on each hop. Not modelled: messages that wait for each other on a bus or a link, and a core that
// stalls while it reads what another wrote.
#pragma once

#include <string>
#include <vector>

#include "../graph/scalar.hpp"

namespace lw {

enum class Topology { shared, bus, pipeline, ring, tree, mesh, hypercube, full };

struct Machine {
  std::string name = "ideal";
  std::string summary;
  int processors = 0;  // 0: unlimited
  // seconds, or steps of a machine without a unit
  double multiplication = 1.0, addition = 1.0, division = 1.0, root = 1.0, trigonometric = 0.0, comparison = 0.0;
  double overhead = 0.0;  // per task
  // operations that run at the same time on one processor if none waits for another (superscalar cores, fused
  // multiply-adds); durations are divided by it
  double overlap = 1.0;
  // the same for functions so small that a processor keeps them decoded; 0: as `overlap`
  double small_overlap = 0.0;
  // the same for equal calls that run in two and in four lanes; 0: one call after the other
  double two_lanes = 0.0, four_lanes = 0.0;
  double start_up = 0.0, per_hop = 0.0, per_byte = 0.0;
  Topology topology = Topology::full;
  bool in_seconds = false;  // false: in steps
  // of a measured machine: when (UTC, 2026-11-16T12:00:00Z), on what, and further results
  std::string date, cpu;
  double line_transfer = 0.0;  // additional seconds per cache line of a message, 64 bytes

  double duration(const OperationCount& work) const;
  // Duration of one call in each of so many lanes, 2 or 4.
  double duration_in_lanes(const OperationCount& call, int lanes) const;
  double delay(int from, int to, int bytes, int processors) const;

  // The same machine with the overlap for code of that size, shared equally by so many processors: `small_overlap` up
  // to 2000 operations, `overlap` from 4500 on, interpolated by the logarithm in between. (A core's cache of decoded
  // instructions holds about 4000.)
  Machine for_code_of(const OperationCount& work, int count = 1) const { return for_code_of(work, work, count); }
  // `code`: the work that is distinct code; repeated calls are decoded already and take `small_overlap`.
  Machine for_code_of(const OperationCount& work, const OperationCount& code, int count) const;
};

const char* to_string(Topology topology);
int hops(Topology topology, int from, int to, int processors);

// "ideal", "8086", "t800", "t425": files of machines/ in the library; "host": the result of measure_host(); else the
// path of a file. Throws Error(model) with line and reason, or Error(io) if there is no such machine.
Machine load_machine(const std::string& name);
std::vector<std::string> embedded_machines();
Machine read_machine(const std::string& text, const std::string& file);
std::string write_machine(const Machine& machine);

}  // namespace lw
