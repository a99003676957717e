// A function divided over processors that share memory: NAME_pP.h and NAME_pP.c, with C11 atomics and nothing else. The
// header tells a user how processors call it, together and one evaluation after the other.
//
//   int NAME_inverse_on(int processor, unsigned long long evaluation, NAME_inverse_shared *shared,
//                       const double *q, const double *qd, const double *qdd, double *tau)
//
// Every processor calls it with its own number, from 0, and with the same of all else: evaluation counts from 0 since
// `shared` was zero. It returns 0 when its share is done, on processor 0 when all are; the next evaluation may begin
// then. It returns 1 + k where it has waited for processor k longer than shared->patience (seconds; 0: for ever).
//
// Each share is straight-line code in segments. What others need is stored in shared->exchange, then the processor says
// how many segments it has done: a store with release, in a line of cache of its own. Who needs it waits until that
// count has come: a load with acquire. There are no locks and no barriers, and every number has the bits that one
// processor gives it.
#pragma once

#include <vector>

#include "../text/program.hpp"
#include "c_text.hpp"

namespace lw {

struct Segment {
  struct Wait {
    int processor = 0;
    int segment = 0;                 // that it must have done
    std::size_t first = 0, end = 0;  // places in the exchange that were written since the wait before
  };
  std::vector<Wait> waits;         // before this segment
  bool is_needed = false;          // by another processor, which is told
  std::size_t first = 0, end = 0;  // places in the exchange that it writes
};

// What one processor does of a function. Inputs are those of the whole, then `from_others` and the single `elsewhere`;
// outputs those of the whole, then `to_others`. A result that is `elsewhere` is that of another processor, or nothing.
struct Share {
  Function function;
  std::vector<int> segment_of;  // of each node of its graph; never less than those of its operands
  std::vector<Segment> segments;

  NodeId elsewhere() const;
};
inline constexpr const char* kFromOthers = "from_others";
inline constexpr const char* kToOthers = "to_others";
inline constexpr const char* kElsewhere = "elsewhere";

struct DividedFunction {
  Function whole;
  std::vector<Share> shares;
  std::size_t exchanged = 0;  // numbers that one processor has from another, and gaps between their lines of cache

  std::size_t most_segments() const;  // of any processor; at least 1
};

// The functions are those of the program, in its order, each over the same number of processors.
std::vector<Artefact> emit_divided(const Program& program, const std::vector<DividedFunction>& functions);

// NAME_p2: what the files are called. NAME_inverse_on, NAME_inverse_shared.
std::string c_divided_name(const Program& program, std::size_t processors);
std::string c_on(const Program& program, const Function& function);
std::string c_shared(const Program& program, const Function& function);

}  // namespace lw
