#include "verification.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "../../base/error.hpp"
#include "../../base/worse.hpp"
#include "../../dynamics/parameters/regressor.hpp"
#include "../../graph/interpreter.hpp"
#include "../scene/snapping.hpp"
#include "error_scale.hpp"

namespace lw {
namespace {

using Values = std::vector<double>;
using Run = std::function<void(std::span<const double>, std::span<double>)>;

std::vector<Model<Dual>> all_snapped(const std::vector<Model<Dual>>& moving, double snap) {
  std::vector<Model<Dual>> there;
  for (const Model<Dual>& m : moving) there.push_back(snapped(m, snap));
  return there;
}

// One function with one set of values of kept parameters.
class Check {
 public:
  // With the values of the mechanism, or with others.
  explicit Check(const Traced& traced)
      : Check(traced, traced.model, traced.moving, traced.parameter_values, reference(traced, true),
              reference(traced)) {}
  Check(const Traced& traced, const OtherValues& other)
      : Check(traced, other.model, other.moving, other.p, reference(traced, other, true),
              reference(traced, other, false)) {}

  // `single`: at states that single precision can represent.
  void run(const Run& interpreter, Random& random, bool only_where_defined, bool single, Verification& v) {
    // a rotor's inertia may be zero for some values; then its columns are missing
    const LoopPlan& plan = *traced_.plan;
    if (outputs_of(*traced_.row, plan, moving_.size(), parameter_table(model_).size()) != f_.outputs()) return;
    State s = states_.next(random);
    for (Values* part : {&s.q, &s.qd, &s.qdd, &s.tau, &s.guess}) {
      for (double& x : *part) x = single ? static_cast<double>(static_cast<float>(x)) : x;
    }
    const Values in = inputs_of(f_, s, p_), own = inputs_of(f_, s);
    Values out(f_.output_size()), expected(out.size()), unsnapped(out.size());
    exact_(own, expected);
    ErrorScale scale(traced_, model_, moving_, s);
    if (only_where_defined) {
      if (!std::all_of(expected.begin(), expected.end(), [](double x) { return std::isfinite(x); })) return;
      if (scale.is_indefinite()) return;
    }
    interpreter(in, out);
    original_(own, unsnapped);
    v.error = worse(v.error, scale.error(out, expected, true));
    if (unsnapped != expected) v.snapping = worse(v.snapping, scale.error(unsnapped, expected, false));
  }

 private:
  Check(const Traced& traced, const Model<double>& model, const std::vector<Model<Dual>>& moving, const Values& p,
        Reference exact, Reference original)
      : traced_(traced),
        f_(traced.function),
        model_(snapped(model, traced.snap)),
        moving_(all_snapped(moving, traced.snap)),
        states_(traced, model_),
        p_(p),
        exact_(std::move(exact)),
        original_(std::move(original)) {}

  const Traced& traced_;
  const Function& f_;
  const Model<double> model_;
  const std::vector<Model<Dual>> moving_;
  StatesFor states_;
  const Values& p_;
  Reference exact_, original_;
};

Verification verify(const Traced& traced, int states, std::uint64_t seed, const Run& run, bool single) {
  Random random(seed);
  Verification v{states, 0.0, 0.0, traced.row->methods_for(kind_of(*traced.plan)).limit};
  Check own(traced);
  for (int k = 0; k < states; ++k) own.run(run, random, false, single, v);
  for (const OtherValues& other : traced.others) {
    std::optional<Check> check;
    try {
      check.emplace(traced, other);
    } catch (const Error& e) {
      if (e.code() != ErrorCode::data) throw;
      continue;  // the mechanism cannot be assembled with these lengths
    }
    for (int k = 0; k < std::max(1, states / 10); ++k) check->run(run, random, true, single, v);
  }
  return v;
}

}  // namespace

double output_size(const Traced& traced, const State& s, const std::vector<double>& expected) {
  const Model<double> model = snapped(traced.model, traced.snap);
  const std::vector<Model<Dual>> moving = all_snapped(traced.moving, traced.snap);
  return ErrorScale(traced, model, moving, s).size(expected);
}

Verification verify(const Traced& traced, int states, std::uint64_t seed) {
  Interpreter<double> interpret(traced.function);
  return verify(
      traced, states, seed, [&](auto in, auto out) { interpret(in, out); }, false);
}

double float_error(const Traced& traced, int states, std::uint64_t seed) {
  Interpreter<float> interpret(traced.function);
  const auto run = [&](std::span<const double> in, std::span<double> out) {
    const std::vector<float> x(in.begin(), in.end());
    std::vector<float> y(out.size());
    interpret(x, y);
    std::copy(y.begin(), y.end(), out.begin());
  };
  return verify(traced, states, seed, run, true).error;
}

}  // namespace lw
