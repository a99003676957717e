// A function divided over processors that share memory: NAME_pP.h and NAME_pP.c, with C11 atomics only. The header
// explains how processors call it, together and one evaluation after the other.
//
//   int NAME_inverse_on(int processor, unsigned long long evaluation, NAME_inverse_shared *shared,
//                       const double *q, const double *qd, const double *qdd, double *tau)
//
// Every processor calls it with its own number, from 0, and otherwise equal arguments; `evaluation` counts from 0 since
// `shared` was zero. It returns 0 when its share is done, on processor 0 when all shares are done; then the next
// evaluation may begin. It returns 1 + k if it has waited for processor k longer than shared->patience (seconds; 0:
// forever).
//
// Each share is straight-line code in segments. Values for other processors are stored in shared->exchange; then the
// processor publishes how many segments it has done (store-release, in its own cache line). Readers wait for that count
// (load-acquire). There are no locks and no barriers, and every number has the same bits as on one processor.
#pragma once

#include <vector>

#include "../text/program.hpp"
#include "c_text.hpp"

namespace lw {

struct Segment {
  struct Wait {
    int processor = 0;
    int segment = 0;                 // that it must have finished
    std::size_t first = 0, end = 0;  // places in the exchange that were written since the previous wait
  };
  std::vector<Wait> waits;         // before this segment
  bool is_needed = false;          // by another processor, so that its end is published
  std::size_t first = 0, end = 0;  // places in the exchange that it writes
};

// One processor's share of a function. Inputs: those of the whole, then `from_others` and the single `elsewhere`.
// Outputs: those of the whole, then `to_others`. A result that is `elsewhere` is left to another processor.
struct Share {
  Function function;
  std::vector<int> segment_of;  // of each node of its graph; never less than the segments of its operands
  std::vector<Segment> segments;

  NodeId elsewhere() const;
};
inline constexpr const char* kFromOthers = "from_others";
inline constexpr const char* kToOthers = "to_others";
inline constexpr const char* kElsewhere = "elsewhere";

struct DividedFunction {
  Function whole;
  std::vector<Share> shares;
  std::size_t exchanged = 0;  // numbers that processors exchange, and gaps between their cache lines

  std::size_t most_segments() const;  // of any processor; at least 1
};

// The functions of the program, in its order, all for the same number of processors.
std::vector<Artefact> emit_divided(const Program& program, const std::vector<DividedFunction>& functions);

// NAME_p2: the name of the files. NAME_inverse_on, NAME_inverse_shared.
std::string c_divided_name(const Program& program, std::size_t processors);
std::string c_on(const Program& program, const Function& function);
std::string c_shared(const Program& program, const Function& function);

}  // namespace lw
