#include "optimize.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>

#include "../schedule.hpp"
#include "angle_sums.hpp"
#include "balance.hpp"
#include "contract.hpp"
#include "factoring.hpp"
#include "linear.hpp"
#include "products.hpp"
#include "pythagorean.hpp"
#include "strength.hpp"

namespace lw {
namespace {

// one division for several pays only together with factoring; without several divisions, factoring has been
Function factored_reciprocals(const Function& f) {
  const Function one_for_several = reciprocals(f);
  return cost(one_for_several).operations == cost(f).operations ? f : factoring(one_for_several);
}

struct Pass {
  const char* name;
  Function (*run)(const Function&);
};

const std::vector<Pass>& passes() {
  static const std::vector<Pass> all{{"strength", strength},      {"angle sums", angle_sums},
                                     {"linear", linear},          {"products", products},
                                     {"factoring", factoring},    {"reciprocals", factored_reciprocals},
                                     {"pythagorean", pythagorean}};
  return all;
}

class Driver {
 public:
  Driver(const Function& function, Objective objective, std::vector<PassReport>* explain)
      : best_(function), objective_(objective), lowest_(key(function)), explain_(explain) {}

  bool turn(const char* name, const std::function<Function(const Function&)>& pass) {
    Function next = pass(best_);
    const Key now = key(next);
    if (!(now < lowest_)) return false;
    if (explain_ != nullptr) tell(name, next, lowest_.first - now.first);
    best_ = std::move(next);
    lowest_ = now;
    ++version_;
    return true;
  }
  // A pass that found nothing is not run again on the same function: for large functions a round takes seconds, and the
  // last one finds nothing.
  bool turn(const Pass& pass) {
    const auto vain = in_vain_.find(pass.name);
    if (vain != in_vain_.end() && vain->second == version_) return false;
    if (turn(pass.name, pass.run)) return true;
    in_vain_[pass.name] = version_;
    return false;
  }
  const Function& best() const { return best_; }

 private:
  // for equal objectives, fewer operations are better
  using Key = std::pair<double, double>;
  Key key(const Function& f) const {
    const bool as_fused = objective_ == Objective::latency && f.arithmetic().fused;
    return {price(as_fused ? contract(f) : f, objective_), operations(f)};
  }

  void tell(const char* name, const Function& next, double gain) {
    auto report = std::find_if(explain_->begin(), explain_->end(), [&](const PassReport& r) { return r.pass == name; });
    const FunctionCost before = cost(best_), after = cost(next);
    if (report == explain_->end()) {
      explain_->push_back({.pass = name, .before = before, .after = before, .saved = {}});
      report = explain_->end() - 1;
    }
    report->after = after;
    report->gain += gain;
    add_to(report->saved, before.operations);
    add_to(report->saved, after.operations, -1);
    ++report->turns;
  }

  Function best_;
  Objective objective_;
  Key lowest_;
  std::vector<PassReport>* explain_;
  int version_ = 0;  // of best_
  std::map<std::string_view, int> in_vain_;
};

Function optimize_or_search(const Function& function, Objective objective, std::vector<PassReport>* explain,
                            const SearchEffort& effort, bool is_optimized) {
  Driver driver(function, objective, explain);
  const auto to_the_end = [&] {
    for (bool again = true; again;) {
      again = false;
      const double before = operations(driver.best());
      for (const Pass& pass : passes()) again = driver.turn(pass) || again;
      if (objective != Objective::operations) again = driver.turn(Pass{"balance", balance}) || again;
      if (before > kLargeFunction) again = again && is_worth_another_turn(before, operations(driver.best()));
    }
  };
  if (!is_optimized) to_the_end();
  // in two parts: the second may use the results of the passes on the first
  for (const std::uint64_t part : {1, 2}) {
    const SearchEffort half{(effort.trials + 1) / 2, effort.seconds / 2.0, effort.seed + part - 1};
    if (half.trials > 0 && driver.turn("search", [&](const Function& f) { return search(f, half); })) to_the_end();
  }
  const Function done = function.arithmetic().fused ? contract(driver.best()) : driver.best();
  return objective == Objective::latency ? schedule(done) : done;
}

}  // namespace

Function optimize(const Function& function, Objective objective, std::vector<PassReport>* explain,
                  const SearchEffort& effort) {
  return optimize_or_search(function, objective, explain, effort, false);
}

Function searched(const Function& function, Objective objective, std::vector<PassReport>* explain,
                  const SearchEffort& effort) {
  return optimize_or_search(function, objective, explain, effort, true);
}

}  // namespace lw
