// Preconditions: functions that require a tree reject closed loops, and functions about loops reject trees.
#pragma once

#include <string_view>

#include <fmt/format.h>

#include "../base/error.hpp"
#include "../base/text.hpp"
#include "model.hpp"

namespace lw {

// `mechanism`: a Mechanism or a Model. Throws Error if it has loops. `reason` completes the sentence "`NAME` has 3
// closed loops" with its punctuation: ": --dense requires a tree", ", which this command does not support".
template <class Mechanical>
void require_tree(const Mechanical& mechanism, std::string_view reason, ErrorCode code = ErrorCode::model) {
  if (mechanism.loops.empty()) return;
  throw Error(code,
              fmt::format("`{}` has {}{}", mechanism.name, counted(mechanism.loops.size(), "closed loop"), reason));
}

// Throws Error(usage) if it has none: "--mode requires closed loops: `puma560` has none".
template <class Mechanical>
void require_loops(const Mechanical& mechanism, std::string_view what) {
  if (!mechanism.loops.empty()) return;
  throw Error(ErrorCode::usage, fmt::format("{} requires closed loops: `{}` has none", what, mechanism.name));
}

}  // namespace lw
