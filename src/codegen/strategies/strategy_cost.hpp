// What it takes to write inverse dynamics by a strategy: operations, text, seconds, memory. Made in a process of its
// own, so that the memory is known.
#pragma once

#include <cstdint>
#include <string>

#include "strategies.hpp"

namespace lw {

// Less than zero: not measured.
struct GenerationCost {
  std::int64_t multiplications = 0, additions = 0;  // that one call of the code carries out
  double bytes = -1.0;                              // of its source, headers apart
  double seconds = -1.0;
  double kilobytes = -1.0;        // the peak of the process
  double kilobytes_before = 0.0;  // what it held when it began
  std::string why;                // it was not made

  bool made() const { return seconds >= 0.0; }
};

// What has a graph is compared with recursive Newton-Euler first (StrategyCode::check). The files are left in the
// folder, where there is one. Throws Error(toolchain) where no process can be started.
GenerationCost generation_cost(Strategy strategy, const Mechanism& mechanism, const StrategyOptions& options = {},
                               const std::string& folder = {});

}  // namespace lw
