// A machine as schedulers see it: what an operation takes, and what it takes to send.
//
//   duration of a task = overhead + Σ count · seconds of each kind of operation / overlap
//   delay of a message = start_up + hops · per_hop + bytes · per_byte · hops,   0 on the processor itself
//
// hops by topology between processors i and j of p: shared memory, bus and fully connected 1; pipeline |i - j|; ring
// the shorter way round; tree over the least common parent (processor 0 the root, i's parent (i - 1)/2); mesh |Δrow| +
// |Δcolumn| on the squarest grid; hypercube the bits in which i and j differ. A message is passed on whole, so its
// bytes take their time on each hop. On a bus and on links messages may wait for each other, and a
// core stands still while it reads what another wrote: that is not modelled.
#pragma once

#include <string>
#include <vector>

#include "../graph/scalar.hpp"

namespace lw {

enum class Topology { shared, bus, pipeline, ring, tree, mesh, hypercube, full };

struct Machine {
  std::string name = "ideal";
  std::string summary;
  int processors = 0;  // that it has; 0: as many as one likes
  // seconds; what has no unit is in steps of the ideal machine
  double multiplication = 1.0, addition = 1.0, division = 1.0, root = 1.0, trigonometric = 0.0, comparison = 0.0;
  double overhead = 0.0;  // of every task
  // how many operations run at the same time on one processor when none waits for another (superscalar cores, fused
  // multiply-adds): durations are divided by it
  double overlap = 1.0;
  // the same of functions so small that a processor keeps them decoded; 0: as others
  double small_overlap = 0.0;
  // the same of equal calls that run side by side in two and in four lanes; 0: one call after the other
  double two_lanes = 0.0, four_lanes = 0.0;
  double start_up = 0.0, per_hop = 0.0, per_byte = 0.0;
  Topology topology = Topology::full;
  bool in_seconds = false;  // false: costs are numbers of steps
  // of a machine that was measured: when (UTC, 2026-11-16T12:00:00Z) and on what, and what else was found
  std::string date, cpu;
  double line_transfer = 0.0;  // seconds that a message takes longer by a line of cache, 64 bytes

  double duration(const OperationCount& work) const;
  // Of one call for each of so many lanes, 2 or 4.
  double duration_in_lanes(const OperationCount& call, int lanes) const;
  double delay(int from, int to, int bytes, int processors) const;

  // The same machine with the overlap of code of that work, an equal share on each of so many processors: the small one
  // up to 2000 operations, the other from 4500 on, in between by the logarithm. (A core's cache of decoded instructions
  // holds some 4000.)
  Machine for_code_of(const OperationCount& work, int count = 1) const { return for_code_of(work, work, count); }
  // `code`: the part of the work that is code of its own; what is called again is decoded already, and goes at the
  // small rate.
  Machine for_code_of(const OperationCount& work, const OperationCount& code, int count) const;
};

const char* to_string(Topology topology);
int hops(Topology topology, int from, int to, int processors);

// "ideal", "8086", "t800", "t425": files of machines/ in the library; "host": what measure_host() found and keeps; else
// the path of a file. Throws Error(model) with line and reason, Error(io) where there is no such machine.
Machine load_machine(const std::string& name);
std::vector<std::string> embedded_machines();
Machine read_machine(const std::string& text, const std::string& file);
std::string write_machine(const Machine& machine);

}  // namespace lw
