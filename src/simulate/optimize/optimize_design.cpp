#include "optimize_design.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

#include <fmt/format.h>
#include <Eigen/Core>
#include <nlopt.hpp>

#include "descent.hpp"

namespace lw {
namespace {

constexpr double kMet = 1e-7;       // of a constraint, relative to its size
constexpr double kNearby = 1e-4;    // of the ranges of parameters: how far away a better design is looked for
constexpr double kElsewhere = 0.1;  // of the ranges: how far away a cost without a slope is looked at once more
constexpr double kFlat = 1e-12;     // of the sizes of its terms: a slope of the cost over the ranges that is rounding
constexpr int kAgain = 3;

[[noreturn]] void refuse_problem(const Location& where, const std::string& message, const std::string& hint = {}) {
  throw Error(ErrorCode::data, std::vector<Diagnostic>{{Severity::error, where, message, hint}});
}

std::string listed(const std::vector<std::string>& names, std::span<const double> values) {
  std::string text;
  for (std::size_t k = 0; k < names.size(); ++k)
    text += fmt::format("{}{} = {:.6g}", k == 0 ? "" : ", ", names[k], values[k]);
  return text;
}

// A joint whose beginning is a variable of its own does not go with home.
void stay_where_given(const Model<double>& model, const std::vector<std::string>& names, std::vector<bool>& at_home) {
  if (at_home.size() != static_cast<std::size_t>(model.nq)) return;
  for (const JointInfo& joint : model.joints) {
    for (int v = joint.v; v < joint.v + velocities(joint.type); ++v) {
      const std::string name = "start.q." + model.velocity_names[static_cast<std::size_t>(v)];
      if (std::find(names.begin(), names.end(), name) == names.end()) continue;
      for (int k = 0; k < coordinates(joint.type); ++k) at_home[static_cast<std::size_t>(joint.q + k)] = false;
    }
  }
}

// One number of a constraint: functional ≤ limit, ≥ limit or = limit, as s (F − limit) ≤ 0 or = 0, in units of `size`.
struct ConstraintRow {
  std::size_t constraint, functional;
  double limit, sign, size;
  bool equality;
};

class DesignSearch {
 public:
  DesignSearch(const DesignProblem& problem, DesignRun& run,
               const std::function<void(int, const DesignStep&)>& progress)
      : problem_(problem), run_(run), progress_(progress), n_(problem.variables.size()) {
    for (std::size_t k = 0; k < n_; ++k) {
      const DesignVariable& v = problem.variables[k];
      start_.push_back((v.start.value_or(run.start()[k]) - v.lower) / (v.upper - v.lower));
    }
    std::size_t functional = problem.cost.size();
    for (std::size_t c = 0; c < problem.constraints.size(); ++c) {
      const DesignConstraint& k = problem.constraints[c];
      for (int i = 0; i < std::max(1, k.instants); ++i, ++functional) {
        if (k.equals) rows_.push_back({c, functional, *k.equals, 1.0, 1.0, true});
        if (k.at_most) rows_.push_back({c, functional, *k.at_most, 1.0, 1.0, false});
        if (k.at_least) rows_.push_back({c, functional, *k.at_least, -1.0, 1.0, false});
      }
    }
    evaluate(start_);
    result_.before = result_.history.front();
    cost_size_ = std::max(std::abs(result_.before.cost), 1e-12);
    for (ConstraintRow& row : rows_)
      row.size = std::max({std::abs(row.limit), std::abs(values_[row.functional] - row.limit), 1e-9});
    result_.before.violation = result_.history.front().violation = violation();
    before_ = values_;
  }

  DesignOptimum whole() {
    std::vector<double> x = start_;
    bool exhausted = minimize(x, false);
    evaluate(x);
    if (violation() > kMet && !exhausted) {  // the nearest that there is; from there once more, should it do
      exhausted = minimize(x, true);
      evaluate(x);
      if (violation() <= kMet) exhausted = minimize(x, false);
      evaluate(x);
    }
    // a search may end where its steps are short and not where the cost is least: then once more from the better design
    bool better_nearby = false;
    for (int k = 0; k <= kAgain && !exhausted && violation() <= kMet; ++k) {
      const std::vector<double> nearby = better_design(x);
      better_nearby = !nearby.empty();
      if (!better_nearby || k == kAgain) break;
      std::vector<double> other = nearby;
      const double had = cost_at(x);
      exhausted = minimize(other, false);
      evaluate(other);
      if (violation() <= kMet && cost() <= had) x = other;
      evaluate(x);
    }
    const bool indifferent = !exhausted && flat_ && is_flat_elsewhere(x);
    evaluate(x);
    result_.after = {cost(), violation(), design(x)};
    result_.end = exhausted            ? DesignOptimum::End::out_of_evaluations
                  : violation() > kMet ? DesignOptimum::End::infeasible
                  : better_nearby      ? DesignOptimum::End::stalled
                  : indifferent        ? DesignOptimum::End::indifferent
                                       : DesignOptimum::End::optimal;
    describe_constraints();
    return std::move(result_);
  }

 private:
  struct Self {  // what NLopt hands back
    DesignSearch* search;
    bool equality;
  };

  std::vector<double> design(const std::vector<double>& x) const {
    std::vector<double> b;
    for (std::size_t k = 0; k < n_; ++k) {
      const DesignVariable& v = problem_.variables[k];
      b.push_back(std::clamp(v.lower + x[k] * (v.upper - v.lower), v.lower, v.upper));
    }
    return b;
  }

  void evaluate(const std::vector<double>& x) {
    if (x == at_) return;
    const std::vector<double> b = design(x);
    try {
      values_ = run_.values(b);
      gradients_ = run_.gradients();
    } catch (const Error& e) {
      if (e.code() != ErrorCode::data) throw;
      throw Error(ErrorCode::data, fmt::format("with {}: {}", listed(run_.parameters(), b), e.what()));
    }
    at_ = x;
    for (std::size_t f = 0; f < values_.size(); ++f) {
      const bool finite = std::isfinite(values_[f]) && std::all_of(gradients_[f].begin(), gradients_[f].end(),
                                                                   [](double d) { return std::isfinite(d); });
      if (finite) continue;
      throw Error(ErrorCode::data,
                  fmt::format("{} `{}` {} with {}; narrower bounds may keep away from there",
                              f < problem_.cost.size() ? "the cost" : "the constraint", run_.functionals()[f].name,
                              std::isfinite(values_[f]) ? "has no derivative"
                              : std::isnan(values_[f])  ? "is not a number"
                                                        : "is infinite",
                              listed(run_.parameters(), b)));
    }
    flat_ = flat_ && is_flat();
    result_.history.push_back({cost(), violation(), b});
    if (progress_) progress_(static_cast<int>(result_.history.size()), result_.history.back());
  }

  double cost() const {
    double sum = 0.0;
    for (std::size_t k = 0; k < problem_.cost.size(); ++k) sum += problem_.cost[k].weight * values_[k];
    return sum;
  }
  double excess(const ConstraintRow& row) const { return row.sign * (values_[row.functional] - row.limit) / row.size; }
  double violated_by(const ConstraintRow& row) const {
    return row.equality ? std::abs(excess(row)) : std::max(0.0, excess(row));
  }
  double violation() const {
    double most = 0.0;
    for (const ConstraintRow& row : rows_) most = std::max(most, violated_by(row));
    return most;
  }
  // Whether the cost has no slope here: no parameter changes it, over its whole range, by more than rounding of its
  // terms.
  bool is_flat() const {
    double size = 0.0;
    for (std::size_t f = 0; f < problem_.cost.size(); ++f) size += std::abs(problem_.cost[f].weight * values_[f]);
    for (std::size_t k = 0; k < n_; ++k) {
      double slope = 0.0;
      for (std::size_t f = 0; f < problem_.cost.size(); ++f) slope += problem_.cost[f].weight * gradients_[f][k];
      if (std::abs(slope * range(k)) > kFlat * size) return false;
    }
    return true;
  }
  // A search that begins where the cost is least sees no slope either: so a look from further away, each parameter
  // moved by another part of its range. Where that cannot be run, nothing is said.
  bool is_flat_elsewhere(std::vector<double> x) {
    for (std::size_t k = 0; k < n_; ++k) {
      const double step = kElsewhere * (1.0 + 0.5 * static_cast<double>(k) / static_cast<double>(n_));
      x[k] += x[k] < 0.5 ? step : -step;
    }
    try {
      evaluate(x);
    } catch (const Error& e) {
      if (e.code() != ErrorCode::data) throw;
      return false;
    }
    return flat_;
  }
  double cost_at(const std::vector<double>& x) {
    evaluate(x);
    return cost();
  }

  // A design nearby that costs less and meets the constraints; none where there is none, to first order or in fact.
  std::vector<double> better_design(const std::vector<double>& x) {
    evaluate(x);
    const auto n = static_cast<Eigen::Index>(n_);
    const auto gradient_of = [&](std::size_t functional) {
      Eigen::VectorXd g(n);
      for (std::size_t k = 0; k < n_; ++k) g[static_cast<Eigen::Index>(k)] = gradients_[functional][k] * range(k);
      return g;
    };
    Eigen::VectorXd g = Eigen::VectorXd::Zero(n);
    for (std::size_t f = 0; f < problem_.cost.size(); ++f) g += problem_.cost[f].weight / cost_size_ * gradient_of(f);
    std::vector<Eigen::VectorXd> active;
    for (const ConstraintRow& row : rows_) {
      const Eigen::VectorXd of_row = row.sign / row.size * gradient_of(row.functional);
      if (row.equality) active.push_back(-of_row);
      if (row.equality || excess(row) >= -kNearby) active.push_back(of_row);
    }
    for (Eigen::Index k = 0; k < n; ++k) {
      const double at = x[static_cast<std::size_t>(k)];
      if (at <= kNearby) active.push_back(-Eigen::VectorXd::Unit(n, k));
      if (at >= 1.0 - kNearby) active.push_back(Eigen::VectorXd::Unit(n, k));
    }
    Eigen::MatrixXd A(n, static_cast<Eigen::Index>(active.size()));
    for (std::size_t k = 0; k < active.size(); ++k) A.col(static_cast<Eigen::Index>(k)) = active[k];
    const Eigen::VectorXd down = descent_left(g, A);
    const double had = cost(), steep = down.norm();
    if (!(steep > 1e-9 * (1.0 + g.norm()))) return {};
    std::vector<double> nearby = x;
    for (std::size_t k = 0; k < n_; ++k)
      nearby[k] = std::clamp(x[k] + kNearby * down[static_cast<Eigen::Index>(k)] / steep, 0.0, 1.0);
    evaluate(nearby);
    // a tangent leaves a curved constraint by the square of its length
    const bool better = violation() <= kMet + 10.0 * kNearby * kNearby && cost() < had - 1e-9 * std::abs(had);
    return better ? nearby : std::vector<double>{};
  }
  double range(std::size_t k) const { return problem_.variables[k].upper - problem_.variables[k].lower; }

  // Whether it ran out of evaluations. `nearest`: Σ violation² instead of the cost, and no constraints.
  bool minimize(std::vector<double>& x, bool nearest) {
    const int left = problem_.evaluations - static_cast<int>(result_.history.size());
    if (left <= 0) return true;
    nlopt::opt search(nlopt::LD_SLSQP, static_cast<unsigned>(n_));
    search.set_lower_bounds(std::vector<double>(n_, 0.0));
    search.set_upper_bounds(std::vector<double>(n_, 1.0));
    search.set_xtol_abs(problem_.tolerance);
    search.set_ftol_abs(1e-16);
    search.set_maxeval(left);
    Self own{this, false}, equal{this, true}, unequal{this, false};
    search.set_min_objective(nearest ? &DesignSearch::distance : &DesignSearch::objective, &own);
    const auto count = [&](bool equality) {
      return static_cast<std::size_t>(
          std::count_if(rows_.begin(), rows_.end(), [&](const ConstraintRow& r) { return r.equality == equality; }));
    };
    if (!nearest) {
      const auto constrain = [](unsigned, double* result, unsigned n, const double* at, double* gradient, void* data) {
        const Self& self = *static_cast<const Self*>(data);
        self.search->constraints(self.equality, result, n, at, gradient);
      };
      if (count(true) > 0) search.add_equality_mconstraint(constrain, &equal, std::vector<double>(count(true), 1e-9));
      if (count(false) > 0)
        search.add_inequality_mconstraint(constrain, &unequal, std::vector<double>(count(false), 1e-9));
    }
    double least = 0.0;
    bool exhausted = false;
    try {
      exhausted = search.optimize(x, least) == nlopt::MAXEVAL_REACHED;
    } catch (const nlopt::forced_stop&) {
    } catch (const nlopt::roundoff_limited&) {  // as near as numbers go
    } catch (const std::runtime_error&) {       // it found no way to go on; constraints say whether that is an answer
    }
    if (failure_) std::rethrow_exception(failure_);
    return exhausted;
  }

  // NLopt forgets what was thrown.
  void evaluate_for_nlopt(const std::vector<double>& x) {
    try {
      evaluate(x);
    } catch (...) {
      failure_ = std::current_exception();
      throw nlopt::forced_stop();
    }
  }

  static double objective(unsigned n, const double* x, double* gradient, void* data) {
    DesignSearch& s = *static_cast<const Self*>(data)->search;
    s.evaluate_for_nlopt({x, x + n});
    for (unsigned k = 0; gradient != nullptr && k < n; ++k) {
      gradient[k] = 0.0;
      for (std::size_t f = 0; f < s.problem_.cost.size(); ++f) {
        gradient[k] += s.problem_.cost[f].weight * s.gradients_[f][k] * s.range(k) / s.cost_size_;
      }
    }
    return s.cost() / s.cost_size_;
  }
  static double distance(unsigned n, const double* x, double* gradient, void* data) {
    DesignSearch& s = *static_cast<const Self*>(data)->search;
    s.evaluate_for_nlopt({x, x + n});
    double sum = 0.0;
    for (unsigned k = 0; gradient != nullptr && k < n; ++k) gradient[k] = 0.0;
    for (const ConstraintRow& row : s.rows_) {
      if (s.violated_by(row) == 0.0) continue;
      const double e = s.excess(row);
      sum += e * e;
      for (unsigned k = 0; gradient != nullptr && k < n; ++k) {
        gradient[k] += 2.0 * e * row.sign / row.size * s.gradients_[row.functional][k] * s.range(k);
      }
    }
    return sum;
  }
  void constraints(bool equality, double* result, unsigned n, const double* x, double* gradient) {
    evaluate_for_nlopt({x, x + n});
    std::size_t i = 0;
    for (const ConstraintRow& row : rows_) {
      if (row.equality != equality) continue;
      result[i] = excess(row);
      for (unsigned k = 0; gradient != nullptr && k < n; ++k) {
        gradient[i * n + k] = row.sign / row.size * gradients_[row.functional][k] * range(k);
      }
      ++i;
    }
  }

  // Of a constraint at many instants, the one that comes nearest to its limit or goes beyond it most.
  void describe_constraints() {
    for (std::size_t c = 0; c < problem_.constraints.size(); ++c) {
      const DesignConstraint& k = problem_.constraints[c];
      DesignOptimum::Constraint& told = result_.constraints.emplace_back();
      told.name = k.name;
      const auto add = [&](const char* words, const std::optional<double>& limit) {
        if (limit) told.wanted += fmt::format("{}{} {:.6g}", told.wanted.empty() ? "" : ", ", words, *limit);
      };
      add("equal to", k.equals);
      add("at least", k.at_least);
      add("at most", k.at_most);
      if (k.instants > 0) told.wanted += ", always";
      double worst = -HUGE_VAL, worst_before = -HUGE_VAL;
      for (const ConstraintRow& row : rows_) {
        if (row.constraint != c) continue;
        const double e = row.equality ? std::abs(excess(row)) : excess(row);
        const double was = row.sign * (before_[row.functional] - row.limit) / row.size;
        if (e > worst) worst = e, told.after = values_[row.functional];
        if (was > worst_before) worst_before = was, told.before = before_[row.functional];
        told.met = told.met && violated_by(row) <= kMet;
        told.active = told.active || (!row.equality && std::abs(e) <= 1e-6);
      }
    }
  }

  const DesignProblem& problem_;
  DesignRun& run_;
  const std::function<void(int, const DesignStep&)>& progress_;
  std::size_t n_;
  std::vector<double> start_, at_, values_, before_;
  std::vector<std::vector<double>> gradients_;
  std::vector<ConstraintRow> rows_;
  double cost_size_ = 1.0;
  bool flat_ = true;  // at every design so far
  std::exception_ptr failure_;
  DesignOptimum result_;
};

}  // namespace

std::unique_ptr<DesignRun> make_run(const DesignProblem& problem) {
  if (problem.variables.empty()) refuse_problem(problem.mechanism.where, "there is no parameter to change");
  if (problem.cost.empty()) refuse_problem(problem.mechanism.where, "there is no cost to minimise");
  require(problem.forward.has_value() != problem.motion.has_value(),
          "a problem needs either a `motion` or a `scenario`");
  std::vector<std::string> names;
  ParameterValues<double> start;
  for (const DesignVariable& v : problem.variables) {
    if (!std::isfinite(v.lower) || !std::isfinite(v.upper))
      refuse_problem(v.where, fmt::format("`{}` has no finite bounds", v.name));
    if (!(v.lower < v.upper)) {
      refuse_problem(v.where,
                     fmt::format("the bounds of `{}` are the wrong way round: from {} to {}", v.name, v.lower, v.upper),
                     "lower < upper");
    }
    if (v.start && (*v.start < v.lower || *v.start > v.upper)) {
      refuse_problem(v.where,
                     fmt::format("`{}` starts at {}, outside its bounds {} to {}", v.name, *v.start, v.lower, v.upper));
    }
    names.push_back(v.name);
  }
  std::vector<DesignFunctional> functionals;
  for (const DesignTerm& term : problem.cost) functionals.push_back(term.functional);
  const double end = problem.forward ? problem.forward->duration : problem.motion->times().back();
  for (const DesignConstraint& c : problem.constraints) {
    require(c.equals || c.at_least || c.at_most, "a constraint must state its condition");
    for (int i = 0; i < std::max(1, c.instants); ++i) {
      DesignFunctional f = c.functional;
      if (c.instants > 0) {
        f.kind = DesignFunctional::Kind::instant;
        f.time = c.instants == 1 ? end : end * i / (c.instants - 1);
      }
      functionals.push_back(std::move(f));
    }
  }
  std::unique_ptr<DesignRun> run;
  if (problem.forward) {
    ForwardDesignOptions options = *problem.forward;
    options.system.fixed = false;
    options.system.friction = problem.friction;
    stay_where_given(instantiate<double>(problem.mechanism), names, options.at_home);
    run = std::make_unique<ForwardDesign>(problem.mechanism, names, std::move(functionals), std::move(options));
  } else {
    InverseDesignOptions options;
    options.motion = WeighedMotion::along(*problem.motion);
    options.between = [motion = *problem.motion](double t) { return motion.at(t); };
    options.friction = problem.friction;
    options.fixed = false;
    run = std::make_unique<InverseDesign>(problem.mechanism, names, std::move(functionals), std::move(options));
  }
  for (std::size_t k = 0; k < problem.variables.size(); ++k) {
    const DesignVariable& v = problem.variables[k];
    const double x = v.start.value_or(run->start()[k]);
    if (x < v.lower || x > v.upper) {
      refuse_problem(
          v.where, fmt::format("`{}` is {:.6g} in the model, outside its bounds {} to {}", v.name, x, v.lower, v.upper),
          "give it a `start` within them");
    }
  }
  return run;
}

DesignOptimum optimize_design(const DesignProblem& problem, DesignRun& run,
                              const std::function<void(int, const DesignStep&)>& progress) {
  return DesignSearch(problem, run, progress).whole();
}

bool has_place_in(const Mechanism& mechanism, const DesignVariable& variable) {
  return std::any_of(mechanism.parameters.begin(), mechanism.parameters.end(),
                     [&](const Parameter& p) { return p.name == variable.name; });
}

Mechanism with_values(Mechanism mechanism, const std::vector<DesignVariable>& variables, std::span<const double> b) {
  for (std::size_t k = 0; k < variables.size(); ++k) {
    for (Parameter& p : mechanism.parameters) {
      if (p.name == variables[k].name) p.value = Formula(b[k]);
    }
  }
  return mechanism;
}

}  // namespace lw
