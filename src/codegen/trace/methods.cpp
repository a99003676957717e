#include "methods.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/index.hpp"
#include "../../base/random.hpp"
#include "../../dynamics/canonical/composite.hpp"
#include "../../dynamics/canonical/tensor_inverse.hpp"
#include "../../dynamics/derivatives/inverse_derivatives.hpp"
#include "../../dynamics/formulations/formulation.hpp"
#include "../../dynamics/loops/closed_losses.hpp"
#include "../../dynamics/parameters/base_parameters.hpp"
#include "../../dynamics/parameters/regressor.hpp"
#include "../../dynamics/tree/aba.hpp"
#include "../../dynamics/tree/crba.hpp"
#include "../../dynamics/tree/elements.hpp"
#include "../../dynamics/tree/energy.hpp"
#include "../../dynamics/tree/kinematics.hpp"
#include "../../dynamics/tree/rnea.hpp"
#include "../../graph/outline.hpp"
#include "../../graph/passes/contract.hpp"
#include "../../graph/schedule.hpp"
#include "../../graph/typical.hpp"
#include "../../model/complaints.hpp"
#include "../../model/displace.hpp"
#include "../../model/evaluate.hpp"
#include "closed_methods.hpp"
#include "derivative_methods.hpp"
#include "friction_methods.hpp"
#include "limbs.hpp"
#include "scenes.hpp"

namespace lw {
namespace {

int frame_number(const Mechanism& mechanism, const std::string& name) {
  if (name.empty()) return static_cast<int>(mechanism.links.size());
  if (name == "base") return 0;
  std::vector<std::string> names{"base"};
  for (std::size_t k = 0; k < mechanism.links.size(); ++k) {
    if (mechanism.links[k].name == name) return static_cast<int>(k) + 1;
    names.push_back(mechanism.links[k].name);
  }
  throw Error(ErrorCode::usage, fmt::format("there is no link {}; {}", in_quotes(name), suggestion(name, names)));
}

class Tracer {
 public:
  Tracer(const Mechanism& mechanism, const std::string& function, const TraceOptions& options)
      : function_(function), options_(options), scenes_(mechanism, function, options), values_(scenes_.values()) {
    frame_ = frame_number(mechanism, options.frame);
    lossy_ = includes_losses(function, options);
    if (mechanism.loops.empty()) return;
    if (scenes_.dense())
      throw Error(ErrorCode::usage, "dense bodies are counted for trees: a mechanism with loops has its own numbers");
    plan_ = std::make_shared<const LoopPlan>(plan_loops(with_drivers(values_)));
  }

  Traced run() {
    std::vector<Candidate> candidates = all_methods();
    std::vector<MethodTaken> taken;
    for (Candidate& c : candidates) {
      taken.push_back({c.name, cost(c.function), price(c.function, options_.objective)});
    }
    std::vector<std::size_t> order(candidates.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    const auto cheaper = [&](std::size_t a, std::size_t b) { return taken[a].price < taken[b].price; };
    std::stable_sort(order.begin(), order.end(), cheaper);
    std::optional<Function> best;
    std::vector<PassReport> passes;
    double least = 0.0;
    std::size_t best_at = 0;
    // of the cheapest as traced: what passes save differs by less than these
    const std::size_t optimised = !options_.optimize || is_huge() ? 1 : is_large() || is_derivative() ? 2 : 6;
    std::vector<std::size_t> right, wrong;
    for (std::size_t k = 0; k < order.size() && right.size() < optimised; ++k) {
      const std::size_t index = order[k];
      const Variant& v = candidates[index].variant;
      std::vector<PassReport> explained;
      Function f = candidates[index].function;
      bool agreed = agrees(f, v);
      if (agreed && options_.optimize && !is_huge()) {
        f = optimized(f, {}, explained);
        agreed = agrees(f, v);
      }
      (agreed ? right : wrong).push_back(index);
      if (!agreed) continue;
      taken[index].price = price(f, options_.objective);
      if (best && taken[index].price >= least) continue;
      least = taken[index].price;
      best = std::move(f);
      passes = std::move(explained);
      best_at = index;
    }
    const bool is_optimized = best.has_value();
    if (!best) {  // whoever verifies it refuses it
      best_at = order.front();
      best = candidates[best_at].function;
      least = taken[best_at].price;
    } else {
      std::erase_if(order, [&](std::size_t k) { return std::find(wrong.begin(), wrong.end(), k) != wrong.end(); });
    }
    if (options_.optimize && options_.search.trials > 0 && !is_huge()) {
      std::vector<PassReport> explained = passes;
      Function f = is_optimized ? searched(*best, options_.objective, &explained, options_.search)
                                : optimized(*best, options_.search, explained);
      if (price(f, options_.objective) < least && agrees(f, candidates[best_at].variant)) {
        taken[best_at].price = price(f, options_.objective);
        best = std::move(f);
        passes = std::move(explained);
      }
    }
    if (is_huge() || options_.limbs) {
      std::optional<Function> called = with_calls_for_repeats(candidates[best_at]);
      if (called && agrees(*called, candidates[best_at].variant)) {
        best = std::move(called);
        taken[best_at].name += is_huge() ? "; equal steps by one function" : "; equal limbs by one function";
      }
    }
    // last, so that the choice does not depend on it
    if (options_.optimize && options_.fused) {
      const auto fused = [](const Function& f) {
        return schedule(contract(f.with({f.arithmetic().trigonometry, true})));
      };
      best = fused(has_nested(*best) ? with_calls(*best, fused) : *best);
    }
    Traced result = made(std::move(*best), candidates[best_at].variant);
    result.passes = std::move(passes);
    std::stable_sort(order.begin(), order.end(), cheaper);
    for (const std::size_t k : order) result.methods.push_back(taken[k]);
    return result;
  }

 private:
  struct Candidate {
    std::string name;
    Function function;
    Variant variant;
    std::function<std::optional<Function>(const Variant&)>
        repeats;  // traced once more, with calls for what is repeated
  };
  using Calculation = std::function<void(Scene&, const Arguments&, Results&)>;

  // Nothing where nothing is repeated.
  std::optional<Function> with_calls_for_repeats(const Candidate& candidate) const {
    std::optional<Function> f = candidate.repeats ? candidate.repeats(candidate.variant) : std::nullopt;
    if (!f || !has_calls(*f)) return std::nullopt;
    if (!options_.optimize) return f;
    const auto shorter = [&](const Function& g) { return lw::optimize(g, options_.objective); };
    const Function called = with_calls(*f, shorter);
    return is_huge() ? called : shorter(called);
  }

  Traced made(Function f, const Variant& v) const {
    Traced result{std::move(f),
                  scenes_.names(v),
                  scenes_.parameter_values(v),
                  {},
                  {},
                  values_,
                  {},
                  options_.snap,
                  options_.frame,
                  scenes_.others(),
                  lossy_,
                  plan_};
    if (is_derivative()) result.moving = scenes_.moving();
    return result;
  }
  // A method can lose digits that another keeps, where axes are nearly parallel or lengths very different.
  bool agrees(const Function& f, const Variant& v) const { return is_huge() || verify(made(f, v), kStates).passed(); }
  static constexpr int kStates = 20;

  Function optimized(const Function& f, const SearchEffort& effort, std::vector<PassReport>& explained) const {
    return lw::optimize(f, options_.objective, &explained, effort);
  }

  // --- tracing

  Function traced(const std::vector<Group>& inputs, const std::vector<Group>& outputs, const Variant& v,
                  const Calculation& calculation) const {
    std::vector<Group> all = inputs;
    const std::size_t symbols = scenes_.names(v).size();
    if (symbols > 0) all.push_back({"p", symbols});
    return trace(function_, all, outputs, [&](const Arguments& in, Results& out) {
      Scene s = scenes_.scene(symbols > 0 ? in.back() : std::vector<Expr>{}, v);
      calculation(s, in, out);
    });
  }

  // The same with calls for what is repeated, of which the numbers are symbols first and then arguments: equal limbs,
  // or the steps of a long recursion. Equal limbs need equal choices: those of the first.
  std::optional<Function> traced_with_repeats(
      const std::vector<Group>& inputs, const std::vector<Group>& outputs, Variant v,
      const std::function<void(Scene&, const Variant&, const Arguments&, Results&)>& f) const {
    // elements and tied rotors join limbs that are alike
    if (scenes_.dense() || values_.has_mimics || has_elements(values_) || !values_.rotor_ties.empty() || lossy_) {
      return std::nullopt;
    }
    std::vector<Group> all = inputs;
    if (!options_.keep.empty()) all.push_back({"p", options_.keep.size()});
    const auto kept = [&](const Arguments& in) {
      return options_.keep.empty() ? std::vector<Expr>{} : in[inputs.size()];
    };
    std::vector<LimbGroup> groups;
    const auto make_alike = [&](Scene& s, const std::function<Expr(double)>& symbol) {
      if (is_huge())
        make_links_alike(s.tree, s.fewer, symbol);
      else
        make_limbs_alike(s.tree, s.fewer, groups, symbol);
    };
    std::vector<double> numbers;
    trace("count", all, {}, [&](const Arguments& in, Results&) {
      Scene s = scenes_.scene(kept(in), v);
      if (!is_huge()) {
        groups = equal_limbs(s.tree, s.fewer);
        for (const LimbGroup& group : groups) v.make_equal(group);
        s = scenes_.scene(kept(in), v);
        groups = equal_limbs(s.tree, s.fewer);
        // measured: matrices of derivatives cost more to bring into lanes than two of these save, four save half
        if (is_derivative()) std::erase_if(groups, [](const LimbGroup& group) { return group.limbs.size() < 3; });
      }
      make_alike(s, [&](double value) {
        numbers.push_back(value);
        return Expr(value);
      });
    });
    if (groups.empty() && !is_huge()) return std::nullopt;
    if (!numbers.empty()) all.push_back({"k", numbers.size()});
    const Function traced = trace(function_, all, outputs, [&](const Arguments& in, Results& out) {
      Scene s = scenes_.scene(kept(in), v);
      std::size_t next = 0;
      make_alike(s, [&](double) { return in.back()[next++]; });
      f(s, v, in, out);
    });
    return is_huge() ? with_steps_called(traced, numbers) : with_limbs_called(traced, values_, groups, numbers);
  }

  // Workspaces hold what is worth a name.
  static void name_motion(const Model<Expr>& model, const Workspace<Expr>& work, bool forces) {
    constexpr const char* axes = "xyz";
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
      for (int k = 0; k < 3; ++k) {
        const auto name = [&](const Expr& e, const char* what) {
          name_value(e, fmt::format("{}{}_{}", what, i + 1, axes[k]));
        };
        name(work.velocity[i].ang[k], "omega");
        name(work.velocity[i].lin[k], "v");
        name(work.alpha[i][k], "alpha");
        name(work.acceleration[i][k], "a");
        if (!forces) continue;
        name(work.force[i].ang[k], "n");
        name(work.force[i].lin[k], "f");
      }
    }
  }

  // Torques that a mechanism without force elements must be given for the same motion.
  static void add_elements(const Model<Expr>& model, std::span<const Expr> q, std::vector<Expr>& tau) {
    if (!has_elements(model)) return;
    std::vector<Expr> needed(tau.size(), Expr(0.0));
    subtract_elements<Expr>(model, q, needed);
    for (std::size_t k = 0; k < tau.size(); ++k) tau[k] -= needed[k];
  }

  // M3_2; entries on the diagonal may be something else
  static void name_lower_half(const std::vector<Expr>& M, std::size_t n, const char* diagonal, const char* off) {
    for (std::size_t r = 0; r < n; ++r) {
      for (std::size_t c = 0; c <= r; ++c)
        name_value(M[r * n + c], fmt::format("{}{}_{}", r == c ? diagonal : off, r + 1, c + 1));
    }
  }

  // The methods of the tree, with the loops around them.
  std::vector<Candidate> closed_methods() {
    const std::vector<Group> in = closed_inputs(function_, *plan_),
                             out = closed_outputs(function_, *plan_, options_.keep.size());
    std::vector<Candidate> list;
    const auto method = [this](const Scene& s) {
      return ClosedMethod{s.model, *plan_, {options_.newton_steps, &position_cache_}};
    };
    const auto add = [&](const std::string& name, const Calculation& f) {
      list.push_back({name, traced(in, out, {}, f), {}, {}});
    };
    const auto by_tensor = [](const Scene& s, const TensorMethod& t) {
      return [&s, &t](In<Expr> q, In<Expr> qd, In<Expr> qdd, Out<Expr> tau) {
        tensor_inverse<Expr>(s.fewer, s.tree, t, q, qd, qdd, tau);
        subtract_elements<Expr>(s.fewer, q, tau);
      };
    };
    const auto by_composite = [](const Scene& s, const TensorMethod& t) {
      return [&s, &t](In<Expr> q, Out<Expr> M) { composite_mass_matrix<Expr>(s.fewer, s.tree, t, q, M); };
    };
    if (lossy_) {
      // where a load is felt, in the tree or in a cut, inertias stay where they are
      const bool felt = ClosedLosses<double>(values_, *plan_).feels_reactions();
      const auto model_of = [felt](const Scene& s) -> const Model<Expr>& { return felt ? s.model : s.fewer; };
      if (function_ == "forward") {
        add("mass matrix and bias, with losses", [=, this](Scene& s, const Arguments& x, Results& y) {
          const Variant plain = plain_variant();
          trace_closed_forward_losses(method(s), model_of(s), by_composite(s, plain.method), x, y);
        });
      } else {
        add("recursive Newton-Euler with losses, the model's frames",
            [=](Scene& s, const Arguments& x, Results& y) { trace_closed_losses(method(s), model_of(s), x, y); });
      }
    } else if (function_ == "inverse" || function_ == "bias") {
      const bool still = function_ == "bias";
      search(
          "acceleration tensor", in, out,
          [=](Scene& s, const TensorMethod& t, const Arguments& x, Results& y) {
            trace_closed_torques(method(s), by_tensor(s, t), still, x, y);
          },
          list);
      for (const bool canonical : {true, false}) {
        add(canonical ? "recursive Newton-Euler, canonical frames" : "recursive Newton-Euler, the model's frames",
            [=](Scene& s, const Arguments& x, Results& y) {
              const Model<Expr> m = canonical ? canonical_model(s.tree, s.fewer) : s.fewer;
              Workspace<Expr> work(m);
              const auto torques = [&](In<Expr> q, In<Expr> qd, In<Expr> qdd, Out<Expr> tau) {
                rnea<Expr>(m, work, q, qd, qdd, tau);
                if (canonical) subtract_elements<Expr>(s.fewer, q, tau);
              };
              trace_closed_torques(method(s), torques, still, x, y);
              name_motion(m, work, true);
            });
      }
    } else if (function_ == "mass-matrix") {
      search(
          "composite bodies, second moments", in, out,
          [=](Scene& s, const TensorMethod& t, const Arguments& x, Results& y) {
            trace_closed_mass_matrix(method(s), by_composite(s, t), x, y);
          },
          list);
    } else if (function_ == "forward") {
      search(
          "mass matrix and bias", in, out,
          [=](Scene& s, const TensorMethod& t, const Arguments& x, Results& y) {
            trace_closed_forward(method(s), by_tensor(s, t), by_composite(s, t), x, y);
          },
          list);
    } else if (is_derivative()) {
      const bool forward = function_ == "forward-derivatives";
      const Variant plain = plain_variant();
      const Function balance = traced(closed_balance_inputs(values_, *plan_), closed_balance_outputs(values_, *plan_),
                                      plain, [&](Scene& s, const Arguments& x, Results& y) {
                                        trace_closed_balance(method(s), by_tensor(s, plain.method), x, y);
                                      });
      for (const Elimination order : {Elimination::forward, Elimination::reverse}) {
        list.push_back({fmt::format("elimination {} on the acceleration tensor",
                                    order == Elimination::forward ? "outward" : "inward"),
                        traced(in, out, plain,
                               [&](Scene& s, const Arguments& x, Results& y) {
                                 trace_closed_derivatives(method(s), by_tensor(s, plain.method),
                                                          by_composite(s, plain.method), balance, order, forward, x, y);
                               }),
                        plain,
                        {}});
      }
    } else {
      add("poses from the base outward", [=, this](Scene& s, const Arguments& x, Results& y) {
        trace_closed_pose(method(s), function_, frame_, x, y);
      });
    }
    return list;
  }

  Variant plain_variant() const {
    const std::size_t n = values_.bodies.size();
    return {{std::vector<bool>(n, false), std::vector<bool>(n, false)},
            Gauges(n, Gauge::child),
            std::vector<bool>(n, false)};
  }

  std::vector<Candidate> all_methods() {
    if (plan_ != nullptr) return closed_methods();
    const auto nq = at(values_.nq), nv = at(values_.nv);
    const std::vector<Group> state{{"q", nq}, {"qd", nv}};
    std::vector<Candidate> list;
    const auto add = [&](const std::string& name, const std::vector<Group>& in, const std::vector<Group>& out,
                         const Calculation& f, const Variant& v = {}) {
      list.push_back({name, traced(in, out, v, f), v, [this, in, out, f](const Variant& x) {
                        return traced_with_repeats(
                            in, out, x, [&f](Scene& s, const Variant&, const Arguments& a, Results& r) { f(s, a, r); });
                      }});
    };
    const auto variants = [&](const std::string& name, const std::vector<Group>& in, const std::vector<Group>& out,
                              const std::function<void(Scene&, const TensorMethod&, const Arguments&, Results&)>& f) {
      search(name, in, out, f, list);
    };
    if (lossy_ && function_ != "forward") {
      std::vector<Group> in = state;
      in.push_back({"qdd", nv});
      const std::vector<Group> out = loss_groups(function_, nv);
      const bool elements = has_elements(values_);  // canonical frames do not carry them, and bearings feel them
      if (!elements) {
        variants("acceleration tensor, with losses", in, out,
                 [](Scene& s, const TensorMethod& method, const Arguments& x, Results& y) {
                   give_losses(tensor_losses(s, method, x), y);
                 });
        if (is_huge()) return list;
      }
      for (const bool canonical : {true, false}) {
        if (canonical && elements) continue;
        add(fmt::format("recursive Newton-Euler with losses, {}",
                        canonical ? "canonical frames" : "the model's frames"),
            in, out, [canonical](Scene& s, const Arguments& x, Results& y) {
              const Model<Expr> m = canonical ? canonical_model(s.tree, s.fewer) : s.fewer;
              Workspace<Expr> work(m);
              give_losses(newton_euler_losses(m, canonical ? &s.tree : nullptr, work, x), y);
              name_motion(m, work, true);
            });
      }
    } else if (function_ == "inverse" || function_ == "bias") {
      const bool still = function_ == "bias";
      std::vector<Group> in = state;
      if (!still) in.push_back({"qdd", nv});
      const std::vector<Group> out{{still ? "bias" : "tau", nv}};
      const auto qdd = [still, nv](const Arguments& x) { return still ? std::vector<Expr>(nv, Expr(0.0)) : x[2]; };
      variants("acceleration tensor", in, out,
               [qdd](Scene& s, const TensorMethod& method, const Arguments& x, Results& y) {
                 tensor_inverse<Expr>(s.fewer, s.tree, method, x[0], x[1], qdd(x), y[0]);
                 subtract_elements<Expr>(s.fewer, x[0], y[0]);
               });
      if (is_huge()) return list;
      const Formulation& link_frames = *find_formulation("newton-euler-modified");
      if (!scenes_.regroups() && refusal(link_frames, values_).empty()) {  // its bodies need their masses
        add("link-frame Newton-Euler", in, out, [&, qdd](Scene& s, const Arguments& x, Results& y) {
          inverse_by<Expr>(link_frames, s.model, x[0], x[1], qdd(x), y[0]);
        });
      }
      for (const bool canonical : {true, false}) {
        add(canonical ? "recursive Newton-Euler, canonical frames" : "recursive Newton-Euler, the model's frames", in,
            out, [qdd, canonical](Scene& s, const Arguments& x, Results& y) {
              const Model<Expr> m = canonical ? canonical_model(s.tree, s.fewer) : s.fewer;
              Workspace<Expr> work(m);
              rnea<Expr>(m, work, x[0], x[1], qdd(x), y[0]);
              if (canonical) subtract_elements<Expr>(s.fewer, x[0], y[0]);
              name_motion(m, work, true);
            });
      }
    } else if (function_ == "mass-matrix") {
      const std::vector<Group> in{{"q", nq}}, out{{"M", nv * nv, nv}};
      if (is_huge()) {  // a scalar product a pair of joints, where in link frames a wrench moves along every pair
        add("composite bodies in the root's frame, canonical frames", in, out,
            [](Scene& s, const Arguments& x, Results& y) {
              const Model<Expr> m = canonical_model(s.tree, s.fewer);
              DerivativeWorkspace<Expr> work(m);
              place_bodies<Expr>(m, work, x[0], std::vector<Expr>(static_cast<std::size_t>(m.nv), Expr(0.0)));
              placed_mass_matrix<Expr>(m, work, y[0]);
            });
        return list;
      }
      variants("composite bodies, second moments", in, out,
               [](Scene& s, const TensorMethod& method, const Arguments& x, Results& y) {
                 composite_mass_matrix<Expr>(s.fewer, s.tree, method, x[0], y[0]);
               });
      for (const bool canonical : {true, false}) {
        add(canonical ? "composite rigid bodies, canonical frames" : "composite rigid bodies, the model's frames", in,
            out, [canonical](Scene& s, const Arguments& x, Results& y) {
              const Model<Expr> m = canonical ? canonical_model(s.tree, s.fewer) : s.fewer;
              Workspace<Expr> work(m);
              crba<Expr>(m, work, x[0], y[0]);
            });
      }
    } else if (function_ == "forward" && lossy_) {
      if (is_huge()) throw Error(ErrorCode::usage, "`forward` with friction is made for up to 60 bodies");
      std::vector<Group> in = state;
      in.push_back({"tau", nv});
      search_with_variants(
          "mass matrix, bias and reactions; Newton steps", in, {{"qdd", nv}},
          [this](Scene& s, const Variant& v, const Arguments& x, Results& y) {
            forward_with_losses(
                s, v.method, [&](const std::vector<Expr>& p) { return scenes_.scene(p, v); }, x, y[0]);
          },
          list);
    } else if (function_ == "forward") {
      std::vector<Group> in = state;
      in.push_back({"tau", nv});
      const std::vector<Group> out{{"qdd", nv}};
      const auto articulated = [&](bool canonical) {
        add(canonical ? "articulated bodies, canonical frames" : "articulated bodies, the model's frames", in, out,
            [canonical](Scene& s, const Arguments& x, Results& y) {
              const Model<Expr> m = canonical ? canonical_model(s.tree, s.fewer) : s.fewer;
              Workspace<Expr> work(m);
              std::vector<Expr> tau = x[2];
              if (canonical) add_elements(s.fewer, x[0], tau);
              aba<Expr>(m, work, x[0], x[1], tau, y[0]);
            });
      };
      articulated(true);
      if (is_huge() && !values_.has_mimics) return list;
      articulated(false);
      variants("mass matrix and bias, branch-sparse factors", in, out,
               [nv](Scene& s, const TensorMethod& method, const Arguments& x, Results& y) {
                 std::vector<Expr> M(nv * nv), h(nv);
                 composite_mass_matrix<Expr>(s.fewer, s.tree, method, x[0], M);
                 tensor_inverse<Expr>(s.fewer, s.tree, method, x[0], x[1], std::vector<Expr>(nv, Expr(0.0)), h);
                 subtract_elements<Expr>(s.fewer, x[0], h);
                 for (std::size_t k = 0; k < nv; ++k) {
                   name_value(h[k], fmt::format("bias{}", k + 1));
                   y[0][k] = x[2][k] - h[k];
                 }
                 name_lower_half(M, nv, "M", "M");
                 factorize_mass_matrix<Expr>(s.fewer, M);
                 name_lower_half(M, nv, "D", "L");
                 solve_mass_matrix<Expr>(s.fewer, M, y[0]);
               });
    } else if (function_ == "inverse-derivatives" || function_ == "forward-derivatives") {
      derivative_methods(list);
    } else if (function_ == "kinematics" || function_ == "jacobian") {
      const bool pose = function_ == "kinematics";
      const std::vector<Group> out =
          pose ? std::vector<Group>{{"position", 3}, {"rotation", 9, 3}} : std::vector<Group>{{"jacobian", 6 * nv, 6}};
      add("poses from the base outward", {{"q", nq}}, out, [this, pose](Scene& s, const Arguments& x, Results& y) {
        Workspace<Expr> work(s.model);
        forward_kinematics<Expr>(s.model, work, x[0]);
        if (!pose) {
          frame_jacobian<Expr>(s.model, work, frame_, y[0]);
          return;
        }
        const Transform<Expr> X = frame_pose<Expr>(s.model, work, frame_);
        for (int c = 0; c < 3; ++c) {
          y[0][at(c)] = X.p[c];
          for (int r = 0; r < 3; ++r) y[1][at(3 * c + r)] = X.R(r, c);
        }
      });
    } else if (function_ == "energy") {
      add("velocities outward", state, {{"kinetic", 1}, {"potential", 1}},
          [](Scene& s, const Arguments& x, Results& y) {
            Workspace<Expr> work(s.model);
            forward_velocities<Expr>(s.model, work, x[0], x[1]);
            const Energy<Expr> e = energy<Expr>(s.model, work, x[0], x[1]);
            y[0][0] = e.kinetic;
            y[1][0] = e.potential;
            name_motion(s.model, work, false);
          });
    } else if (function_ == "regressor") {
      std::vector<Group> in = state;
      in.push_back({"qdd", nv});
      std::size_t columns = 0;  // of the symbols: a rotor may be there for other values alone
      traced({}, {{"none", 1}}, {}, [&](Scene& s, const Arguments&, Results& y) {
        columns = parameter_table(s.model).size();
        y[0][0] = 0.0;
      });
      add("one body at a time", in, {{"Y", nv * columns, nv}}, [](Scene& s, const Arguments& x, Results& y) {
        Workspace<Expr> work(s.model);
        regressor<Expr>(s.model, parameter_table(s.model), work, x[0], x[1], x[2], y[0]);
      });
    } else {
      throw Error(ErrorCode::usage, fmt::format("there is no function {}; {}", in_quotes(function_),
                                                suggestion(function_, traceable_functions())));
    }
    return list;
  }

  // --- derivatives

  void derivative_methods(std::vector<Candidate>& list) {
    const bool forward = function_ == "forward-derivatives", parameters = !options_.keep.empty();
    const auto composite = forward ? composite_forward_derivatives : composite_inverse_derivatives;
    std::vector<Group> without = derivative_outputs();
    without.resize(3);
    std::vector<Candidate> found;
    search(
        "composite bodies in link frames", derivative_inputs(), without,
        [composite](Scene& s, const TensorMethod& method, const Arguments& x, Results& y) {  // kept by the candidates
          composite(s.fewer, s.tree, method, nullptr, x, y);
        },
        found);
    std::stable_sort(found.begin(), found.end(), [&](const Candidate& a, const Candidate& b) {
      return price(a.function, options_.objective) < price(b.function, options_.objective);
    });
    const auto add = [&](const std::string& name, const Variant& v, const Calculation& f) {
      list.push_back({name, traced(derivative_inputs(), derivative_outputs(), v, f), v, {}});
    };
    if (values_.nv == 0) {  // nothing to differentiate by
      list = std::move(found);
      return;
    }
    // elimination on the dynamics of the cheapest variant
    const Variant v = found.front().variant;
    const Function dynamics = displaced_dynamics(v);
    if (parameters) {
      add(found.front().name + "; parameters by elimination", v,
          [&](Scene& s, const Arguments& x, Results& y) { composite(s.fewer, s.tree, v.method, &dynamics, x, y); });
    } else {
      list = std::move(found);
    }
    constexpr std::pair<Elimination, const char*> kOrders[] = {{Elimination::forward, "outward"},
                                                               {Elimination::reverse, "inward"}};
    for (const auto& [order, what] : kOrders) {
      add(fmt::format("elimination {} on the acceleration tensor{}", what, described(v)), v,
          [&, chosen = order](Scene& s, const Arguments& x, Results& y) {
            const EliminationMethod method{dynamics, chosen, true};
            (forward ? forward_derivatives_by : inverse_derivatives_by)(s.fewer, method, x, y);
          });
    }
    if (parameters) return;
    for (const bool canonical : {true, false}) {
      if (canonical && has_elements(values_)) continue;  // which its frames do not carry
      add(canonical ? "composite bodies in the root's frame, canonical frames" : "composite bodies in the root's frame",
          {}, [canonical, forward](Scene& s, const Arguments& x, Results& y) {
            const auto f = forward ? analytic_forward_derivatives : analytic_inverse_derivatives;
            f(canonical ? canonical_model(s.tree, s.fewer) : s.fewer, x, y);
          });
    }
  }

  // q, qd, qdd, step, [p] → tau, M at q displaced by `step`
  Function displaced_dynamics(const Variant& v) const {
    const auto nq = at(values_.nq), nv = at(values_.nv);
    return traced({{"q", nq}, {"qd", nv}, {"qdd", nv}, {"step", nv}}, {{"tau", nv}, {"M", nv * nv, nv}}, v,
                  [&](Scene& s, const Arguments& x, Results& y) {
                    const std::vector<Expr> q = displaced<Expr>(s.fewer, x[0], x[3]);
                    tensor_inverse<Expr>(s.fewer, s.tree, v.method, q, x[1], x[2], y[0]);
                    subtract_elements<Expr>(s.fewer, q, y[0]);
                    composite_mass_matrix<Expr>(s.fewer, s.tree, v.method, q, y[1]);
                  });
  }

  std::vector<Group> derivative_inputs() const {
    const auto nq = at(values_.nq), nv = at(values_.nv);
    return {{"q", nq}, {"qd", nv}, {function_ == "inverse-derivatives" ? "qdd" : "tau", nv}};
  }
  std::vector<Group> derivative_outputs() const {
    const auto nv = at(values_.nv);
    std::vector<Group> out;
    for (const char* name : {"d_q", "d_qd", function_ == "inverse-derivatives" ? "d_qdd" : "d_tau"}) {
      out.push_back({name, nv * nv, nv});
    }
    if (!options_.keep.empty()) out.push_back({"d_p", nv * options_.keep.size(), nv});
    return out;
  }

  bool is_derivative() const { return function_.ends_with("-derivatives"); }
  // Every try costs a trace, and passes take longer.
  bool is_large() const { return values_.bodies.size() > 12; }
  // Straight-line code for so many links is long to make, long to compile and does not fit the processor's caches.
  bool is_huge() const { return values_.bodies.size() > 60; }

  // Variants of a method, from the plain one by single changes: the best of all, again and again; or, where they are
  // many, whichever helps, once through.
  void search(const std::string& name, const std::vector<Group>& in, const std::vector<Group>& out,
              const std::function<void(Scene&, const TensorMethod&, const Arguments&, Results&)>& f,
              std::vector<Candidate>& list) {
    search_with_variants(
        name, in, out, [f](Scene& s, const Variant& v, const Arguments& x, Results& y) { f(s, v.method, x, y); }, list);
  }

  void search_with_variants(const std::string& name, const std::vector<Group>& in, const std::vector<Group>& out,
                            const std::function<void(Scene&, const Variant&, const Arguments&, Results&)>& f,
                            std::vector<Candidate>& list) {
    const std::size_t n = values_.bodies.size();
    // as the symbols allow: what holds for the values of kept parameters need not hold for others
    std::vector<std::size_t> parallel, turned;
    std::vector<std::pair<std::size_t, Gauge>> moved;
    const auto look = [&](const CanonicalTree<Expr>& tree) {
      for (std::size_t i = 0; i < n; ++i) {
        const auto& link = tree.links[i];
        if (link.parallel) parallel.push_back(i);
        if (link.kind == JointKind::revolute) turned.push_back(i);
        for (const Gauge g : {Gauge::parent_hx, Gauge::parent_hy}) {
          if (scenes_.regroups() && !scenes_.is_felt(i) && has_gauge(tree, i, g)) moved.emplace_back(i, g);
        }
      }
    };
    const Variant v = plain_variant();
    const auto allowed = [&](const Variant& x, std::size_t i) {  // to be evaluated in its carrier
      for (std::size_t c = i + 1; c < n; ++c) {
        if (values_.bodies[c].parent == static_cast<int>(i) && !x.method.merged[c]) return false;
      }
      return true;
    };
    bool looked = false;
    const auto candidate = [&](const Variant& x) {
      Function traced_function = traced(in, out, x, [&](Scene& s, const Arguments& arguments, Results& results) {
        if (!std::exchange(looked, true)) look(s.tree);
        f(s, x, arguments, results);
      });
      return Candidate{name + described(x), std::move(traced_function), x,
                       [this, in, out, f](const Variant& w) { return traced_with_repeats(in, out, w, f); }};
    };
    const auto worth = [&](const Candidate& c) { return price(c.function, options_.objective); };
    Candidate best = candidate(v);
    double least = worth(best);
    list.push_back(best);
    bool better = !is_huge();
    while (better) {
      better = false;
      const auto attempt = [&](const Variant& x) {
        Candidate c = candidate(x);
        const double w = worth(c);
        list.push_back(c);
        if (w >= least) return;
        least = w;
        best = std::move(c);
        better = true;
      };
      const Variant before = best.variant;
      const auto start = [&]() -> const Variant& { return is_large() ? best.variant : before; };
      for (const std::size_t i : parallel) {
        Variant x = start();
        x.method.merged[i] = !x.method.merged[i];
        // the parent alone, and together with what this allows or forbids
        const auto parent = at(values_.bodies[i].parent);
        if (!x.method.merged[i]) x.method.in_carrier[parent] = false;
        attempt(x);
        if (x.method.merged[i] && allowed(x, parent) && !x.method.in_carrier[parent]) {
          x.method.in_carrier[parent] = true;
          attempt(x);
        }
      }
      for (const std::size_t i : turned) {
        Variant x = start();
        if (!x.method.in_carrier[i] && !allowed(x, i)) continue;
        x.method.in_carrier[i] = !x.method.in_carrier[i];
        attempt(x);
      }
      for (const std::size_t i : turned) {
        if (values_.bodies[i].parent < 0 || is_large()) continue;
        Variant x = start();
        x.near_parent[i] = !x.near_parent[i];
        attempt(x);
      }
      for (const auto& [i, g] : moved) {
        Variant x = start();
        x.gauges[i] = x.gauges[i] == g ? Gauge::child : g;
        attempt(x);
      }
      if (is_large()) break;
    }
  }

  const std::string function_;
  const TraceOptions& options_;
  const Scenes scenes_;
  const Model<double>& values_;
  int frame_ = 0;
  bool lossy_ = false;                        // what joints and drives lose is in it
  std::shared_ptr<const LoopPlan> plan_;      // of a mechanism with loops
  mutable LoopPositionCache position_cache_;  // the same for all variants
};

}  // namespace

bool includes_losses(const std::string& function, const TraceOptions& options) {
  if (function == "friction") return true;
  if (!options.friction) return false;
  if (function == "bias" || function.ends_with("-derivatives")) {
    throw Error(ErrorCode::usage,
                fmt::format("friction acts in `inverse`, `forward` and `friction`; `{}` is made without it", function));
  }
  return function == "inverse" || function == "forward";
}

const std::vector<std::string>& traceable_functions() {
  static const std::vector<std::string> names{"inverse",
                                              "forward",
                                              "mass-matrix",
                                              "bias",
                                              "kinematics",
                                              "jacobian",
                                              "energy",
                                              "inverse-derivatives",
                                              "forward-derivatives",
                                              "regressor",
                                              "friction"};
  return names;
}

Traced trace_function(const Mechanism& mechanism, const std::string& function, const TraceOptions& options) {
  return Tracer(mechanism, function, options).run();
}

}  // namespace lw
