// What a fuzz target does with a result: whatever passed the readers must be fit for use.
#pragma once

#include <cmath>
#include <cstdlib>

#include "dynamics/kinematics/closure.hpp"
#include "dynamics/tree/aba.hpp"
#include "dynamics/tree/crba.hpp"
#include "dynamics/tree/rnea.hpp"
#include "model/evaluate.hpp"
#include "model/model.hpp"
#include "model/read/read.hpp"

// The sanitizers judge: what the numbers are is for other tests, and they may overflow.
inline void compute(const lw::Mechanism& mechanism) {
  const lw::Model<double> model = lw::instantiate<double>(mechanism);
  const auto nv = static_cast<std::size_t>(model.nv);
  if (model.home.size() != static_cast<std::size_t>(model.nq)) std::abort();
  if (model.nv > 40 || model.loops.size() > 8) return;  // closing loops costs the third power
  if (lw::mobility(model).q.size() != model.home.size()) std::abort();
  lw::Workspace<double> work(model);
  const std::vector<double> zero(nv, 0.0), one(nv, 1.0);
  std::vector<double> tau(nv), qdd(nv);
  lw::rnea<double>(model, work, model.home, one, zero, tau);
  lw::aba<double>(model, work, model.home, one, tau, qdd);
  lw::forward_by_crba<double>(model, work, model.home, one, tau, qdd);
}

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
  if (result.mechanism->links.size() <= 200) compute(*result.mechanism);
}
