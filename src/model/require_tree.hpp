// Refusals: of mechanisms with loops by what is made for trees alone, and of trees by what is about loops.
#pragma once

#include <string_view>

#include <fmt/format.h>

#include "../base/error.hpp"
#include "../base/text.hpp"
#include "model.hpp"

namespace lw {

// `mechanism`: a Mechanism or a Model. Throws Error if it has loops. `reason` completes the sentence "`NAME` has 3
// closed loops" with its punctuation: ": dense bodies are counted for trees", ", which this command does not take".
template <class Mechanical>
void require_tree(const Mechanical& mechanism, std::string_view reason, ErrorCode code = ErrorCode::model) {
  if (mechanism.loops.empty()) return;
  throw Error(code,
              fmt::format("`{}` has {}{}", mechanism.name, counted(mechanism.loops.size(), "closed loop"), reason));
}

// Throws Error(usage) if it has none: "--mode is for mechanisms with loops: `puma560` has none".
template <class Mechanical>
void require_loops(const Mechanical& mechanism, std::string_view what) {
  if (!mechanism.loops.empty()) return;
  throw Error(ErrorCode::usage, fmt::format("{} is for mechanisms with loops: `{}` has none", what, mechanism.name));
}

}  // namespace lw
