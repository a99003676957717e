// Times of the functions of a mechanism with loops: position from a guess up to 1e-3 off and all that follows, by
// numbers (reference), interpreted, compiled, and compiled for many states at once.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "../io/model_input.hpp"
#include "timing.hpp"

namespace lw::cli {

struct ClosedTiming {
  std::string function, backend;
  Timing timing;
  double operations = 0.0;  // of a batch, a state
};
// `note`: told what the user should know. Throws Error(data) where a backend does not agree with the reference to 1e-9.
std::vector<ClosedTiming> time_closed(const LoadedModel& loaded, double seconds,
                                      const std::function<void(const std::string&)>& note);

}  // namespace lw::cli
