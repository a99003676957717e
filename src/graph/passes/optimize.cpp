#include "optimize.hpp"

#include <algorithm>
#include <functional>

#include "contract.hpp"
#include "factoring.hpp"
#include "linear.hpp"
#include "products.hpp"
#include "schedule.hpp"

namespace lw {
namespace {

struct Pass {
  const char* name;
  Function (*run)(const Function&);
};

const std::vector<Pass>& passes() {
  static const std::vector<Pass> all{{"linear", linear}, {"products", products}, {"factoring", factoring}};
  return all;
}

OperationCount difference(const OperationCount& a, const OperationCount& b) {
  return {a.multiplications - b.multiplications, a.additions - b.additions,         a.divisions - b.divisions,
          a.roots - b.roots,                     a.trigonometric - b.trigonometric, a.comparisons - b.comparisons};
}

OperationCount sum(const OperationCount& a, const OperationCount& b) { return difference(a, difference({}, b)); }

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
    return true;
  }
  const Function& best() const { return best_; }
  void finish(const Function& f) { best_ = f; }

 private:
  // where the objective does not care, fewer operations are better
  using Key = std::pair<double, double>;
  Key key(const Function& f) const { return {price(f, objective_), operations(f)}; }

  void tell(const char* name, const Function& next, double gain) {
    auto report = std::find_if(explain_->begin(), explain_->end(), [&](const PassReport& r) { return r.pass == name; });
    const FunctionCost before = cost(best_), after = cost(next);
    if (report == explain_->end()) {
      explain_->push_back({.pass = name, .before = before, .after = before, .saved = {}});
      report = explain_->end() - 1;
    }
    report->after = after;
    report->gain += gain;
    report->saved = sum(report->saved, difference(before.operations, after.operations));
    ++report->turns;
  }

  Function best_;
  Objective objective_;
  Key lowest_;
  std::vector<PassReport>* explain_;
};

}  // namespace

Function optimize(const Function& function, Objective objective, std::vector<PassReport>* explain,
                  const SearchEffort& effort) {
  Driver driver(function, objective, explain);
  const auto to_the_end = [&] {
    for (bool again = true; again;) {
      again = false;
      for (const Pass& pass : passes()) again = driver.turn(pass.name, pass.run) || again;
    }
  };
  to_the_end();
  if (effort.trials > 0 && driver.turn("search", [&](const Function& f) { return search(f, effort); })) to_the_end();
  if (function.arithmetic().fused) driver.finish(contract(driver.best()));
  return schedule(driver.best());
}

}  // namespace lw
