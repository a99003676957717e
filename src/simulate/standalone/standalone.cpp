#include "standalone.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include "../../base/error.hpp"
#include "../../base/index.hpp"
#include "../../base/linear.hpp"
#include "../../base/random.hpp"
#include "../../base/worse.hpp"
#include "../../codegen/scene/snapping.hpp"
#include "../../codegen/trace/verification.hpp"
#include "../../dynamics/friction/friction.hpp"
#include "../../dynamics/tree/rnea.hpp"
#include "../../graph/interpreter.hpp"
#include "../../graph/outline.hpp"
#include "../../graph/passes/contract.hpp"
#include "../../graph/schedule.hpp"
#include "../../graph/tangent.hpp"
#include "../../model/coordinate_rates.hpp"
#include "../../model/over.hpp"
#include "../design/force_jumps.hpp"
#include "standalone_text.hpp"

namespace lw {
namespace {

constexpr int kStandaloneStates = 100;  // at which everything is verified before it is written
constexpr double kStandaloneTolerance =
    1e-9;  // of the largest result at a state: accelerations lose what M is ill-conditioned

Function function_named(const Function& f, const std::string& name) {
  return Function(name, f.inputs(), f.outputs(), f.shared_graph(), f.results(), f.arithmetic()).in_order(f.order());
}

// Inputs: those of f, then d_NAME for each, coordinates as they are. Outputs: d_NAME for each.
Function standalone_tangent(const Function& f) {
  std::vector<Group> inputs = f.inputs(), outputs;
  for (const Group& g : f.inputs()) inputs.push_back({"d_" + g.name, g.size});
  for (const Group& g : f.outputs()) outputs.push_back({"d_" + g.name, g.size, g.rows});
  const std::size_t groups = f.inputs().size();
  const Function plain = trace(f.name() + "-tangent", inputs, outputs, [&](const Arguments& in, Results& out) {
    std::vector<Expr> x, rates;
    for (std::size_t g = 0; g < groups; ++g) {
      x.insert(x.end(), in[g].begin(), in[g].end());
      rates.insert(rates.end(), in[groups + g].begin(), in[groups + g].end());
    }
    const std::vector<Expr> y = tangent_at(f, x, rates);
    std::size_t k = 0;
    for (auto& group : out) {
      for (Expr& e : group) e = y[k++];
    }
  });
  constexpr int kMost = 20000;  // operations: passes take longer than linear time
  return cost(plain).operations.multiplications > kMost ? plain : optimize(plain, Objective::operations);
}

// q̇ with quaternions and rotations by Eigen: ½ q ⊗ (ω, 0), and R v for the place of a floating joint.
std::vector<double> rates_by_eigen(const Model<double>& model, const std::vector<double>& q,
                                   const std::vector<double>& qd) {
  std::vector<double> rates(q.size());
  for (const JointInfo& joint : model.joints) {
    const std::size_t k = at(joint.q), v = at(joint.v);
    const bool floats = joint.type == JointType::floating;
    if (!floats && joint.type != JointType::spherical) {
      for (std::size_t i = 0; i < at(coordinates(joint.type)); ++i) rates[k + i] = qd[v + i];
      continue;
    }
    const std::size_t turn = floats ? k + 3 : k;
    const Eigen::Quaterniond Q(q[turn + 3], q[turn], q[turn + 1], q[turn + 2]), spin(0.0, qd[v], qd[v + 1], qd[v + 2]);
    const Eigen::Vector4d rate = 0.5 * (Q * spin).coeffs();  // x, y, z, w
    for (int i = 0; i < 4; ++i) rates[turn + at(i)] = rate[i];
    if (!floats) continue;
    const Eigen::Vector3d moved = Q * Eigen::Vector3d(qd[v + 3], qd[v + 4], qd[v + 5]);
    for (int i = 0; i < 3; ++i) rates[k + at(i)] = moved[i];
  }
  return rates;
}

// One state of the mechanism with some values of what is kept.
struct StandaloneSample {
  std::vector<double> p;
  Model<double> model;
  State state;
};

// What a function takes behind q and q̇.
std::vector<double> third_input(const FunctionRow& row, const State& s) {
  return row.takes(kTau) ? s.tau : row.takes(kQdd) ? s.qdd : std::vector<double>{};
}

class StandaloneMaker {
 public:
  StandaloneMaker(const Mechanism& mechanism, const StandaloneOptions& options)
      : mechanism_(mechanism), options_(options) {
    TraceOptions& trace = options_.program.trace;
    for (const Parameter& p : mechanism.parameters) {
      if (options.program.trace.keep.empty() && p.value.value.is_constant()) trace.keep.push_back(p.name);
    }
    fused_ = trace.fused;
    trace.fused = false;  // until derivatives are taken
    trace.limbs = false;
    if (!mechanism.forces.empty()) {
      const auto t = std::find(trace.keep.begin(), trace.keep.end(), "t");
      const auto is_time = [](const Parameter& p) { return p.name == "t"; };
      if (t == trace.keep.end() && std::any_of(mechanism.parameters.begin(), mechanism.parameters.end(), is_time))
        trace.keep.emplace_back("t");
      const auto found = std::find(trace.keep.begin(), trace.keep.end(), "t");
      if (found != trace.keep.end()) time_ = static_cast<int>(found - trace.keep.begin());
    }
  }

  Standalone run() {
    model_ = instantiate<double>(mechanism_, options_.program.trace.values);
    if (model_.nv == 0)
      throw Error(ErrorCode::usage,
                  fmt::format("{} has no degrees of freedom: there is nothing to simulate", mechanism_.name));
    std::vector<Traced> traced;
    program_ = make_program(mechanism_, {FunctionId::forward, FunctionId::inverse, FunctionId::energy},
                            options_.program, &traced);
    program_.functions.clear();
    for (Traced& t : traced) {
      add(t, t.row->name);
      if (t.row->inputs.size() > 2) add_tangent(t);
    }
    lossy_ = traced[0].friction;
    if (lossy_ || !mechanism_.forces.empty()) add_ideal();
    add_rates();
    add_jumps();
    made_.compile = standalone_flags();
    made_.files = standalone_files({program_, model_, std::move(vectors_), time_, idle(), std::move(jumps_)});
    for (std::size_t k = 0; k < program_.kept.size(); ++k) {
      if (static_cast<int>(k) != time_) made_.parameters.push_back(program_.kept[k]);
    }
    made_.compile.insert(made_.compile.end(), {program_.name + ".cpp", "-o", program_.name});
    made_.program = std::move(program_);
    return std::move(made_);
  }

 private:
  const TraceOptions& trace_options() const { return options_.program.trace; }

  Function finished(const Function& f) const {
    const auto fuse = [](const Function& g) { return schedule(contract(g.with({g.arithmetic().trigonometry, true}))); };
    Function out = !fused_ ? f : has_calls(f) ? fuse(with_calls(f, fuse)) : fuse(f);
    Arithmetic arithmetic = out.arithmetic();
    arithmetic.trigonometry = options_.program.libm ? Arithmetic::Trigonometry::libm : Arithmetic::Trigonometry::own;
    return with_arithmetic(out, arithmetic);
  }

  // A function of the contract: verified as `compile` does, with vectors by the algorithms over double.
  void add(const Traced& traced, const std::string& name, const Mechanism* other = nullptr) {
    Traced final = traced;
    final.function = finished(traced.function);
    const Verification check = verify(final, kStandaloneStates);
    if (!check.passed()) refuse(name, check.error);
    made_.snapping = worse(made_.snapping, check.snapping);
    made_.errors.push_back(check.error);
    program_.functions.push_back(function_named(final.function, name));
    add_vectors(name, other != nullptr ? *other : mechanism_,
                [&](const StandaloneSample& s, std::vector<double>& in, std::vector<double>& out) {
                  append(in, s.state.q, s.state.qd, third_input(*traced.row, s.state));
                  reference(s.model, traced.row->id, "", traced.friction)(in, out);
                  append(in, s.p);
                });
  }

  void add_tangent(const Traced& traced) {
    const std::string name = traced.function.name() + "-tangent";
    const Function tangent = finished(standalone_tangent(traced.function));
    program_.functions.push_back(tangent);
    add_vectors(name, mechanism_, [&](const StandaloneSample& s, std::vector<double>& in, std::vector<double>& out) {
      Random random(static_cast<std::uint64_t>(1e6 * std::abs(s.state.qd[0])));
      const auto any = [&](std::size_t n) {
        std::vector<double> x(n);
        for (double& each : x) each = random.between(-1.0, 1.0);
        return x;
      };
      std::vector<double> dq(s.state.q.size());  // quaternions stay of unit length
      coordinate_rates<double>(s.model, s.state.q, any(s.state.qd.size()), dq);
      const std::vector<double> dqd = any(dq.size() > 0 ? s.state.qd.size() : 0), dlast = any(dqd.size()),
                                dp = any(s.p.size());
      append(in, s.state.q, s.state.qd, third_input(*traced.row, s.state), s.p, dq, dqd, dlast, dp);
      out = slope_by_duals(s, traced.row->takes(kTau), dq, dqd, dlast, dp);
    });
    made_.errors.push_back(vectors_error(tangent));
    if (!(made_.errors.back() <= kStandaloneTolerance)) refuse(name, made_.errors.back());
  }

  // What the drives would need without losses and external forces: the rest of their work is taken by these.
  void add_ideal() {
    Mechanism ideal = mechanism_;
    ideal.forces.clear();
    TraceOptions trace = trace_options();
    trace.friction = false;
    const Traced traced = trace_function(ideal, FunctionId::inverse, trace);
    add(traced, "ideal", &ideal);
  }

  void add_rates() {
    const auto nq = at(model_.nq), nv = at(model_.nv);
    const auto model = instantiate<Expr>(mechanism_);
    const Function rates =
        trace("rates", {{"q", nq}, {"qd", nv}}, {{"q_rate", nq}},
              [&](const Arguments& in, Results& out) { coordinate_rates<Expr>(model, in[0], in[1], out[0]); });
    const auto measure = [&](const std::string& name) {
      made_.errors.push_back(vectors_error(program_.functions.back()));
      if (!(made_.errors.back() <= kStandaloneTolerance)) refuse(name, made_.errors.back());
    };
    program_.functions.push_back(finished(rates));
    add_vectors("rates", mechanism_, [&](const StandaloneSample& s, std::vector<double>& in, std::vector<double>& out) {
      append(in, s.state.q, s.state.qd);
      out = rates_by_eigen(s.model, s.state.q, s.state.qd);
    });
    measure("rates");
    program_.functions.push_back(finished(standalone_tangent(rates)));
    add_vectors("rates-tangent", mechanism_,
                [&](const StandaloneSample& s, std::vector<double>& in, std::vector<double>& out) {
                  const std::vector<double>&dqd = s.state.qdd, &along = s.state.tau;
                  std::vector<double> dq(nq);
                  coordinate_rates<double>(s.model, s.state.q, along, dq);
                  append(in, s.state.q, s.state.qd, dq, dqd);
                  std::vector<Dual> q, qd, moved(nq);
                  for (std::size_t k = 0; k < nq; ++k) q.emplace_back(s.state.q[k], dq[k]);
                  for (std::size_t k = 0; k < nv; ++k) qd.emplace_back(s.state.qd[k], dqd[k]);
                  coordinate_rates<Dual>(over<Dual>(s.model), q, qd, moved);
                  for (std::size_t k = 0; k < nq; ++k) out[k] = moved[k].d;
                });
    measure("rates-tangent");
  }

  // q, qd, p → a number each that passes zero where a force jumps or sets in: sensitivities do not go through there.
  void add_jumps() {
    const std::vector<std::string>& keep = trace_options().keep;
    std::vector<Group> inputs{{"q", at(model_.nq)}, {"qd", at(model_.nv)}};
    if (!keep.empty()) inputs.push_back({"p", keep.size()});
    // what is a parameter may have any value, also where the file's is zero
    const auto all = [&]<class T>(const std::vector<T>& p) {
      ParameterValues<T> values;
      for (const auto& [name, value] : trace_options().values) values[name] = T(value);
      for (std::size_t k = 0; k < keep.size(); ++k) values[keep[k]] = p[k];
      return force_jumps<T>(instantiate<T>(mechanism_, values), lossy_);
    };
    std::vector<Dual> free;
    for (const double value : program_.kept_values) free.emplace_back(value, 1.0);
    for (const ForceJump<Dual>& jump : all(free))
      jumps_.push_back({jump.name, jump.what, jump.kind == ForceJump<Dual>::Kind::turn});
    if (jumps_.empty()) return;
    const Function jumps = trace("jumps", inputs, {{"sides", jumps_.size()}}, [&](const Arguments& in, Results& out) {
      const std::vector<ForceJump<Expr>> list = all(keep.empty() ? std::vector<Expr>{} : in[2]);
      require(list.size() == out[0].size(), "as many jumps in symbols as in numbers");
      for (std::size_t k = 0; k < list.size(); ++k) out[0][k] = list[k](in[0], in[1]);
    });
    program_.functions.push_back(finished(jumps));
    add_vectors("jumps", mechanism_, [&](const StandaloneSample& s, std::vector<double>& in, std::vector<double>& out) {
      append(in, s.state.q, s.state.qd, s.p);
      std::vector<Dual> p, q(s.state.q.begin(), s.state.q.end()), qd(s.state.qd.begin(), s.state.qd.end());
      for (const double value : s.p) p.emplace_back(value, 1.0);
      const std::vector<ForceJump<Dual>> list = all(p);
      for (std::size_t k = 0; k < list.size(); ++k) out[k] = list[k](q, qd).v;
    });
    made_.errors.push_back(vectors_error(program_.functions.back()));
    if (!(made_.errors.back() <= kStandaloneTolerance)) refuse("jumps", made_.errors.back());
  }

  // δτ of inverse dynamics by dual numbers; δq̈ from it: (∂τ/∂q̈) δq̈ = δτ − δτ at rest of q̈.
  std::vector<double> slope_by_duals(const StandaloneSample& s, bool torques_given, const std::vector<double>& dq,
                                     const std::vector<double>& dqd, const std::vector<double>& dlast,
                                     const std::vector<double>& dp) const {
    const std::size_t nv = s.state.qd.size();
    const auto moving = [](const std::vector<double>& x, const std::vector<double>& d) {
      std::vector<Dual> both;
      for (std::size_t k = 0; k < x.size(); ++k) both.emplace_back(x[k], d[k]);
      return both;
    };
    const std::vector<double> still(std::max(nv, std::max(dq.size(), dp.size())), 0.0);
    const auto inverse = [&](const std::vector<double>& q, const std::vector<double>& qd,
                             const std::vector<double>& qdd_value, const std::vector<double>& qdd,
                             const std::vector<double>& p) {
      ParameterValues<Dual> values;
      for (const auto& [name, value] : trace_options().values) values[name] = value;
      for (std::size_t k = 0; k < s.p.size(); ++k) values[trace_options().keep[k]] = Dual(s.p[k], p[k]);
      const Model<Dual> model = snapped(instantiate<Dual>(mechanism_, values), trace_options().snap);
      Workspace<Dual> work(model);
      std::vector<Dual> tau(nv);
      const std::vector<Dual> x = moving(s.state.q, q), xd = moving(s.state.qd, qd), xdd = moving(qdd_value, qdd);
      if (trace_options().friction) {
        Losses<Dual> losses(model);
        inverse_with_losses<Dual>(model, work, x, xd, xdd, losses);
        tau = losses.total;
      } else {
        rnea<Dual>(model, work, x, xd, xdd, tau);
      }
      Eigen::VectorXd slope(nv);
      for (std::size_t k = 0; k < nv; ++k) slope[static_cast<Eigen::Index>(k)] = tau[k].d;
      return slope;
    };
    Eigen::VectorXd result;
    if (!torques_given) {
      result = inverse(dq, dqd, s.state.qdd, dlast, dp);
    } else {
      const auto n = static_cast<Eigen::Index>(nv);
      Eigen::MatrixXd columns(n, n);
      for (std::size_t k = 0; k < nv; ++k) {
        std::vector<double> unit(nv, 0.0);
        unit[k] = 1.0;
        columns.col(static_cast<Eigen::Index>(k)) = inverse(still, still, s.state.qdd, unit, still);
      }
      const Eigen::VectorXd given = Eigen::Map<const Eigen::VectorXd>(dlast.data(), n);
      result = lw::inverse(columns) * (given - inverse(dq, dqd, s.state.qdd, still, dp));
    }
    return {result.begin(), result.end()};
  }

  // Half of the states with the file's values of what is kept, half with others near them. tau is that of qdd.
  template <class Fill>
  void add_vectors(const std::string& name, const Mechanism& mechanism, const Fill& fill) {
    TestVectors vectors{name, {}, {}, kStandaloneTolerance};
    Random random(5);
    const Function& f = program_.functions.back();
    for (int k = 0; k < options_.vectors; ++k) {
      StandaloneSample s;
      ParameterValues<double> values = trace_options().values;
      for (std::size_t j = 0; j < trace_options().keep.size(); ++j) {
        double value = program_.kept_values[j];
        if (k % 2 == 1) value *= 1.0 + random.between(-0.02, 0.02);
        if (static_cast<int>(j) == time_) value = random.between(0.0, 1.0);
        s.p.push_back(values[trace_options().keep[j]] = value);
      }
      s.model = snapped(instantiate<double>(mechanism, values), trace_options().snap);
      s.state = random_state(s.model, random);
      Workspace<double> work(s.model);
      if (trace_options().friction && name != "ideal") {
        Losses<double> losses(s.model);
        inverse_with_losses<double>(s.model, work, s.state.q, s.state.qd, s.state.qdd, losses);
        s.state.tau = losses.total;
      } else {
        rnea<double>(s.model, work, s.state.q, s.state.qd, s.state.qdd, s.state.tau);
      }
      vectors.inputs.emplace_back();
      vectors.outputs.emplace_back(f.output_size());
      fill(s, vectors.inputs.back(), vectors.outputs.back());
    }
    vectors_.push_back(std::move(vectors));
  }

  // Of the vectors that were added last.
  double vectors_error(const Function& f) const {
    Interpreter<double> interpret(f);
    std::vector<double> out(f.output_size());
    double worst = 0.0;
    for (std::size_t k = 0; k < vectors_.back().inputs.size(); ++k) {
      interpret(vectors_.back().inputs[k], out);
      double largest = 0.0;
      for (const double x : vectors_.back().outputs[k]) largest = std::max(largest, std::abs(x));
      worst = worse(worst, largest_difference(out, vectors_.back().outputs[k]) / (largest > 0.0 ? largest : 1.0));
    }
    return worst;
  }

  std::vector<bool> idle() const {
    std::vector<bool> idle(trace_options().keep.size(), true);
    for (const Function& f : program_.functions) {
      for (const NodeId id : f.order()) {
        if (f.graph()[id].op != Op::input) continue;
        std::size_t k = f.graph()[id].a;
        for (const Group& g : f.inputs()) {
          if (k < g.size) {
            if (g.name == "p") idle[k] = false;
            break;
          }
          k -= g.size;
        }
      }
    }
    return idle;
  }

  template <class... Lists>
  static void append(std::vector<double>& to, const Lists&... lists) {
    (to.insert(to.end(), lists.begin(), lists.end()), ...);
  }

  [[noreturn]] void refuse(const std::string& function, double error) const {
    throw Error(ErrorCode::data, fmt::format("`{}` of {} does not agree with the reference: error {:.1e}", function,
                                             mechanism_.name, error));
  }

  const Mechanism& mechanism_;
  StandaloneOptions options_;
  bool fused_ = false, lossy_ = false;
  int time_ = -1;
  Model<double> model_;
  Program program_;
  std::vector<TestVectors> vectors_;
  std::vector<ForceJumpName> jumps_;
  Standalone made_;
};

}  // namespace

Standalone make_standalone(const Mechanism& mechanism, const StandaloneOptions& options) {
  return StandaloneMaker(mechanism, options).run();
}

int name_inertias(Mechanism& mechanism) {
  int named = 0;
  const auto name = [&](Formula& f, const std::string& as) {
    if (!f.value.is_constant() || f.value.constant() == 0.0) return;
    const Expr symbol = mechanism.formulas->input(as);
    mechanism.parameters.push_back({as, Formula(f.value.constant())});
    f = Formula(symbol, f.where, as);
    ++named;
  };
  for (Link& link : mechanism.links) {
    if (!link.inertia) continue;
    const std::string of = identifier(link.name) + ".";
    name(link.inertia->mass, of + "m");
    constexpr const char* kCentre[] = {"cx", "cy", "cz"};
    constexpr const char* kMoments[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    for (std::size_t k = 0; k < 3; ++k) name(link.inertia->com[k], of + kCentre[k]);
    for (std::size_t k = 0; k < 6; ++k) name(link.inertia->tensor[k], of + kMoments[k]);
  }
  return named;
}

std::vector<std::string> jumping_joints(const Model<double>& model) {
  std::vector<std::string> names;
  for (const JointLoss<double>& loss : model.losses) {
    if (is_dry(loss) && loss.width == 0.0) names.push_back(model.velocity_names[at(loss.v)]);
  }
  for (const Transmission<double>& t : model.transmissions) {
    const auto jumps = [](const DriveLoss<double>& d) { return d.breakaway != 0.0 || !d.efficiency.empty(); };
    if (t.width == 0.0 && std::any_of(t.drives.begin(), t.drives.end(), jumps)) names.push_back("drive of " + t.name);
  }
  return names;
}

}  // namespace lw
