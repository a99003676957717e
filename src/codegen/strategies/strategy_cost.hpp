// The cost of writing inverse dynamics by a strategy: operations, text, seconds, memory. Runs in a separate process to
// measure the memory.
#pragma once

#include <cstdint>
#include <string>

#include "strategies.hpp"

namespace lw {

// Negative: not measured.
struct GenerationCost {
  std::int64_t multiplications = 0, additions = 0;  // of one call of the code
  double bytes = -1.0;                              // of its source, without headers
  double seconds = -1.0;
  double kilobytes = -1.0;        // the peak of the process
  double kilobytes_before = 0.0;  // memory when it began
  std::string why;                // why it was not made

  bool made() const { return seconds >= 0.0; }
};

// A strategy with a graph is first compared with recursive Newton-Euler (StrategyCode::check). The files stay in
// `folder`, if given. Throws Error(toolchain) if no process can be started.
GenerationCost generation_cost(Strategy strategy, const Mechanism& mechanism, const StrategyOptions& options = {},
                               const std::string& folder = {});

}  // namespace lw
