// The refusal of mechanisms with loops, by whatever is made for trees alone.
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

}  // namespace lw
