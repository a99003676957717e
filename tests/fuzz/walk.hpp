// What a fuzz target does with a result: whatever passed the readers must be fit for use.
#pragma once

#include <cmath>
#include <cstdlib>

#include "model/evaluate.hpp"
#include "model/model.hpp"
#include "model/read.hpp"

inline void walk(const lw::ReadResult& result) {
  bool failed = false;
  for (const lw::Diagnostic& d : result.diagnostics) {
    failed = failed || d.severity == lw::Severity::error;
    if (lw::show(d, result).empty() || d.message.empty()) std::abort();
  }
  if (failed == result.mechanism.has_value()) std::abort();  // a mechanism or an error, never both, never neither
  if (failed) return;
  const lw::DefaultValues values(*result.mechanism);
  lw::for_each_formula(*result.mechanism, [&](const lw::Formula& f) {
    if (!std::isfinite(values(f))) std::abort();
  });
  if (result.mechanism->links.size() > 200) return;
  const lw::Model<double> model = lw::instantiate<double>(*result.mechanism);
  if (model.home.size() != static_cast<std::size_t>(model.nq)) std::abort();
}
