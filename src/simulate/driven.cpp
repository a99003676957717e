#include "driven.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include <fmt/format.h>
#include <Eigen/LU>

#include "../codegen/compile.hpp"
#include "../codegen/function_derivatives.hpp"
#include "../dynamics/aba.hpp"
#include "../dynamics/elements.hpp"
#include "../dynamics/forward_derivatives.hpp"
#include "../dynamics/forward_friction.hpp"
#include "../dynamics/kinematics.hpp"
#include "../dynamics/rnea.hpp"
#include "../graph/interpreter.hpp"
#include "../model/coordinate_rates.hpp"
#include "dissipation.hpp"

namespace lw {
namespace {

// Flat code of more takes the compiler minutes.
constexpr int kLargestCompiledMotion = 60, kLargestCompiledJacobian = 24;

Model<double> moving_tree(Model<double> model) {
  if (!model.loops.empty()) {
    throw Error(ErrorCode::model, fmt::format("`{}` has closed loops: only trees are simulated", model.name));
  }
  if (model.nv == 0) throw Error(ErrorCode::model, fmt::format("nothing moves in `{}`", model.name));
  return model;
}

bool depends_on_time(const Mechanism& mechanism) {
  return std::any_of(mechanism.parameters.begin(), mechanism.parameters.end(),
                     [](const Parameter& p) { return p.name == "t"; });
}

Model<double> outer_forces_alone(Model<double> model) {
  model.joint_elements.clear();
  model.springs.clear();
  model.shafts.clear();
  return model;
}

bool is_finite(std::span<const double> numbers) {
  double sum = 0.0;
  for (const double x : numbers) sum += 0.0 * x;
  return sum == 0.0;
}

double power_of(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

// Functions of one array each, compiled or interpreted.
class DrivenCode {
 public:
  // Not of use where there is no compiler and `interpreted` is not asked for.
  DrivenCode(const Mechanism& mechanism, const std::vector<std::string>& functions, const TraceOptions& trace, bool interpreted) {
    if (interpreted) {
      for (const Function& f : make_program(mechanism, functions, {.trace = trace}).functions) interpreters_.emplace_back(f);
    } else {
      take(compile(mechanism, functions, {.program = {.trace = trace}, .jit = {}}), functions);
    }
  }
  DrivenCode(Function function, const Mechanism& mechanism) {
    Program program;
    program.name = identifier(mechanism.name);
    const std::string name = function.name();
    program.functions.push_back(std::move(function));
    take(jit(program), {name});
  }

  bool is_of_use() const { return !interpreters_.empty() || !flat_.empty(); }
  const std::vector<std::string>& notes() const { return notes_; }
  void run(std::size_t function, std::span<const double> in, std::span<double> out) {
    if (!flat_.empty()) flat_[function](in.data(), out.data());
    else interpreters_[function](in, out);
  }

 private:
  void take(Compiled compiled, const std::vector<std::string>& functions) {
    compiled_ = std::move(compiled);
    notes_ = compiled_->notes();
    if (!compiled_->is_native()) return;
    for (const std::string& f : functions) flat_.push_back(compiled_->flat(f));
  }

  std::optional<Compiled> compiled_;
  std::vector<Compiled::Flat*> flat_;
  std::vector<Interpreter<double>> interpreters_;
  std::vector<std::string> notes_;
};

class Driven::Dynamics {
 public:
  Dynamics(const Driven& system, std::optional<Mechanism> mechanism, Torques torques, DrivenOptions options)
      : mechanism_(std::move(mechanism)),
        options_(std::move(options)),
        torques_(std::move(torques)),
        model_(system.model()),
        outer_(outer_forces_alone(model_)),
        nq_(static_cast<std::size_t>(model_.nq)),
        nv_(static_cast<std::size_t>(model_.nv)),
        lossy_(options_.friction && dissipates(model_)),
        timed_(!model_.forces.empty() && mechanism_ && depends_on_time(*mechanism_)),
        work_(model_),
        in_(nq_ + 2 * nv_ + (timed_ ? 1 : 0), 0.0),
        dynamic_(nv_),
        outer_torques_(nv_) {
    if (lossy_) {
      losses_.emplace(model_);
      sticking_.emplace(model_);
      sticking_->get_modes(modes_);
      dry_ = !modes_.empty();
    }
    if (timed_) trace_wrenches();
    choose_way();
  }

  void slopes(double t, std::span<const double> q, std::span<const double> v, std::span<double> a, std::span<double> dz,
              bool same_directions = true) {
    std::copy(q.begin(), q.end(), in_.begin());
    std::copy(v.begin(), v.end(), in_.begin() + static_cast<std::ptrdiff_t>(nq_));
    if (torques_) torques_(t, q, v, tau());
    if (timed_) set_time(t);
    by_code_ = code_ && (!dry_ || (same_directions && sticking_->all_move(v)));
    if (by_code_) {
      code_->run(0, in_, a);
      // a joint that jams has no acceleration: the other way says which
      if (dry_ && !is_finite(a)) by_code_ = false;
    }
    if (!by_code_ && lossy_) {
      (*sticking_)(q, v, tau(), a, {.same_directions = same_directions});
    } else if (!by_code_) {
      aba<double>(model_, work_, q, v, tau(), a);
    }
    if (dz.empty()) return;
    dz[0] = power_of(tau(), v);
    dz[1] = lossy_ ? lost_power(q, v, a) : 0.0;
    if (!model_.forces.empty()) {
      element_torques<double>(outer_, work_, q, outer_torques_);
      dz[0] += power_of(outer_torques_, v);
    }
  }

  bool begin(const MotionState& s) {
    if (!dry_) return false;
    before_ = modes_;
    if (!sticking_->decide_by_motion(s.v)) slopes(s.t, s.q, s.v, dynamic_, {}, false);
    sticking_->get_modes(modes_);
    return before_ != modes_;
  }
  bool still_holds(const MotionState& s) {
    if (!dry_) return true;
    if (torques_) torques_(s.t, s.q, s.v, tau());
    if (timed_) set_time(s.t);
    return sticking_->still_fits(s.q, s.v, tau());
  }
  std::vector<std::string> settle(MotionState& s) const {
    std::vector<std::string> names;
    if (!dry_) return names;
    for (const int k : sticking_->stop_turned(s.v)) names.push_back(model_.velocity_names[static_cast<std::size_t>(k)]);
    return names;
  }

  bool jacobian(double t, std::span<const double> q, std::span<const double> v, std::span<double> d_q,
                std::span<double> d_v) {
    if (lossy_ && !mechanism_) return false;
    std::copy(q.begin(), q.end(), in_.begin());
    std::copy(v.begin(), v.end(), in_.begin() + static_cast<std::ptrdiff_t>(nq_));
    if (torques_) torques_(t, q, v, tau());
    if (timed_) set_time(t);
    d_tau_.resize(nv_ * nv_);
    if (!jacobian_known_) compile_jacobian();
    if (jacobian_) {
      by_code(d_q, d_v);
    } else if (lossy_) {
      by_dual_numbers(q, v, d_q, d_v);
    } else {
      if (!derivatives_) derivatives_.emplace(model_);
      forward_derivatives<double>(model_, *derivatives_, q, v, tau(), d_q, d_v, d_tau_);
    }
    if (options_.derivatives) add_torque_derivatives(t, q, v, d_q, d_v);
    return true;
  }

  Energy<double> energy(const MotionState& s) {
    forward_velocities<double>(model_, work_, s.q, s.v);
    return lw::energy<double>(model_, work_, s.q, s.v);
  }

  std::span<double> tau() { return std::span(in_).subspan(nq_ + nv_, nv_); }
  [[noreturn]] void refuse_torque(std::size_t k, const std::string& where) {
    throw NotFinite(fmt::format("the torque of `{}` is {} at {}", model_.velocity_names[k], fault_of(tau()[k]), where));
  }

  const std::optional<Mechanism> mechanism_;
  DrivenOptions options_;
  Torques torques_;
  Model<double> model_;        // outer forces at the time of the last call
  Model<double> outer_;        // its outer forces and no other element
  const std::size_t nq_, nv_;
  const bool lossy_, timed_;
  bool dry_ = false;
  DrivenOptions::Way way_ = DrivenOptions::Way::reference;
  std::vector<std::string> notes_;

 private:
  TraceOptions trace_options() const {
    TraceOptions trace;
    trace.values = options_.values;
    trace.friction = lossy_;
    if (timed_) trace.keep = {"t"};
    return trace;
  }

  void choose_way() {
    if (options_.way == DrivenOptions::Way::reference || !mechanism_) return;
    if (options_.way == DrivenOptions::Way::automatic && model_.nv > kLargestCompiledMotion) {
      notes_.push_back(fmt::format("`{}` is not compiled: code for more than {} velocities takes minutes to make", model_.name,
                                   kLargestCompiledMotion));
      return;
    }
    std::vector<std::string> functions{"forward"};
    if (lossy_ && options_.work) functions.emplace_back("friction");
    const bool interpreted = options_.way == DrivenOptions::Way::interpreted;
    code_.emplace(*mechanism_, functions, trace_options(), interpreted);
    notes_ = code_->notes();
    if (code_->is_of_use()) way_ = interpreted ? DrivenOptions::Way::interpreted : DrivenOptions::Way::compiled;
    else code_.reset();
    parts_.resize(6 * nv_);
    motion_.resize(in_.size());
  }

  // What is lost, by the laws. Of dry friction near rest: by the direction that it was decided to have, which is in what the
  // torques do beyond moving the mechanism.
  double lost_power(std::span<const double> q, std::span<const double> v, std::span<const double> a) {
    if (dry_ && !by_code_) {
      rnea<double>(model_, work_, q, v, a, dynamic_);
      return power_of(tau(), v) - power_of(dynamic_, v);
    }
    const auto n = static_cast<std::ptrdiff_t>(nv_);
    if (!code_) {
      inverse_with_losses<double>(model_, work_, q, v, a, *losses_);
      return power_of(losses_->bearing, v) + power_of(losses_->transmission, v);
    }
    motion_ = in_;
    std::copy(a.begin(), a.end(), motion_.begin() + static_cast<std::ptrdiff_t>(nq_) + n);
    code_->run(1, motion_, parts_);  // dynamic, bearing, at_joint, transmission, …
    return power_of({parts_.data() + n, nv_}, v) + power_of({parts_.data() + 3 * n, nv_}, v);
  }

  // Outer forces as functions of time.
  void trace_wrenches() {
    const std::size_t count = model_.forces.size();
    Function f = trace("wrenches", {{"t", 1}}, {{"wrenches", 6 * count}}, [&](const Arguments& in, Results& out) {
      ParameterValues<Expr> values;
      for (const auto& [name, value] : options_.values) values.emplace(name, Expr(value));
      values.insert_or_assign("t", in[0][0]);
      const Model<Expr> model = instantiate<Expr>(*mechanism_, values);
      for (std::size_t k = 0; k < count; ++k) {
        for (int i = 0; i < 3; ++i) {
          out[0][6 * k + static_cast<std::size_t>(i)] = model.forces[k].wrench.ang[i];
          out[0][6 * k + 3 + static_cast<std::size_t>(i)] = model.forces[k].wrench.lin[i];
        }
      }
    });
    wrenches_.emplace(f);
    wrench_.resize(6 * count);
  }
  void set_time(double t) {
    in_.back() = t;
    (*wrenches_)(std::span<const double>(&t, 1), wrench_);
    for (std::size_t k = 0; k < model_.forces.size(); ++k) {
      for (int i = 0; i < 3; ++i) {
        model_.forces[k].wrench.ang[i] = wrench_[6 * k + static_cast<std::size_t>(i)];
        model_.forces[k].wrench.lin[i] = wrench_[6 * k + 3 + static_cast<std::size_t>(i)];
      }
      outer_.forces[k].wrench = model_.forces[k].wrench;
    }
  }

  void compile_jacobian() {
    jacobian_known_ = true;
    if (way_ != DrivenOptions::Way::compiled || dry_ || model_.nv > kLargestCompiledJacobian) return;
    TraceOptions trace = trace_options();
    if (!lossy_) {
      jacobian_.emplace(*mechanism_, std::vector<std::string>{"forward-derivatives"}, trace, false);
    } else {
      const Traced forward = trace_function(*mechanism_, "forward", native(trace));
      jacobian_.emplace(optimize(derivatives(forward.model, forward.function), Objective::operations), *mechanism_);
    }
    if (!jacobian_->is_of_use()) jacobian_.reset();
    matrices_.resize((3 * nv_ + (timed_ ? 1 : 0)) * nv_);
  }
  void by_code(std::span<double> d_q, std::span<double> d_v) {
    jacobian_->run(0, in_, matrices_);
    const std::size_t n = nv_ * nv_;
    std::copy_n(matrices_.begin(), n, d_q.begin());
    std::copy_n(matrices_.begin() + static_cast<std::ptrdiff_t>(n), n, d_v.begin());
    std::copy_n(matrices_.begin() + static_cast<std::ptrdiff_t>(2 * n), n, d_tau_.begin());
  }

  // total(q, q̇, q̈) = τ differentiated, joints that stick held: −(∂total/∂q̈)⁻¹ ∂total/∂(q, q̇), and its inverse along τ.
  void by_dual_numbers(std::span<const double> q, std::span<const double> v, std::span<double> d_q, std::span<double> d_v) {
    const auto n = static_cast<Eigen::Index>(nv_);
    if (!dual_) {
      ParameterValues<Dual> values;
      for (const auto& [name, value] : options_.values) values.emplace(name, Dual(value));
      dual_.emplace(instantiate<Dual>(*mechanism_, values));
    }
    Eigen::MatrixXd by_q(n, n), by_v(n, n), by_a(n, n);
    std::vector<double> a(nv_);
    (*sticking_)(q, v, tau(), a, {.same_directions = true});
    std::vector<Dual> here(q.begin(), q.end()), rates(v.begin(), v.end()), accelerations(a.begin(), a.end());
    const Model<Dual> model = timed_ ? with_wrenches(dual_->model) : dual_->model;
    const auto column = [&](Eigen::MatrixXd& to, Eigen::Index k, std::span<const Dual> at) {
      inverse_with_losses<Dual>(model, dual_->work, at, rates, accelerations, dual_->losses);
      for (Eigen::Index i = 0; i < n; ++i) to(i, k) = dual_->losses.total[static_cast<std::size_t>(i)].d;
    };
    for (Eigen::Index k = 0; k < n; ++k) {
      const auto j = static_cast<std::size_t>(k);
      column(by_q, k, moving_along(model_, q, static_cast<int>(k)));
      rates[j] = Dual(v[j], 1.0);
      column(by_v, k, here);
      rates[j] = Dual(v[j]);
      accelerations[j] = Dual(a[j], 1.0);
      column(by_a, k, here);
      accelerations[j] = Dual(a[j]);
    }
    Eigen::MatrixXd by_tau = Eigen::MatrixXd::Identity(n, n);
    for (Eigen::Index k = 0; k < n; ++k) {
      if (!sticking_->sticks()[static_cast<std::size_t>(k)]) continue;
      by_q.row(k).setZero();
      by_v.row(k).setZero();
      by_a.row(k).setZero();
      by_tau.row(k).setZero();
      by_a(k, k) = 1.0;
    }
    const Eigen::PartialPivLU<Eigen::MatrixXd> lu(by_a);
    Eigen::Map<Eigen::MatrixXd>(d_q.data(), n, n) = -lu.solve(by_q);
    Eigen::Map<Eigen::MatrixXd>(d_v.data(), n, n) = -lu.solve(by_v);
    Eigen::Map<Eigen::MatrixXd>(d_tau_.data(), n, n) = lu.solve(by_tau);
  }
  Model<Dual> with_wrenches(Model<Dual> model) const {
    for (std::size_t k = 0; k < model.forces.size(); ++k) {
      for (int i = 0; i < 3; ++i) {
        model.forces[k].wrench.ang[i] = Dual(model_.forces[k].wrench.ang[i]);
        model.forces[k].wrench.lin[i] = Dual(model_.forces[k].wrench.lin[i]);
      }
    }
    return model;
  }

  void add_torque_derivatives(double t, std::span<const double> q, std::span<const double> v, std::span<double> d_q,
                              std::span<double> d_v) {
    tau_q_.assign(nv_ * nv_, 0.0);
    tau_v_.assign(nv_ * nv_, 0.0);
    options_.derivatives(t, q, v, tau_q_, tau_v_);
    const auto n = static_cast<Eigen::Index>(nv_);
    const auto matrix = [&](std::span<double> x) { return Eigen::Map<Eigen::MatrixXd>(x.data(), n, n); };
    matrix(d_q).noalias() += matrix(d_tau_) * matrix(tau_q_);
    matrix(d_v).noalias() += matrix(d_tau_) * matrix(tau_v_);
  }

  struct DualWorkspaces {
    explicit DualWorkspaces(Model<Dual> of) : model(std::move(of)), work(model), losses(model) {}
    Model<Dual> model;
    Workspace<Dual> work;
    Losses<Dual> losses;
  };

  Workspace<double> work_;
  std::optional<Losses<double>> losses_;
  std::optional<ForwardWithLosses> sticking_;
  std::vector<int> modes_, before_;
  bool by_code_ = false;  // the last accelerations
  std::optional<DrivenCode> code_, jacobian_;
  bool jacobian_known_ = false;
  std::optional<DerivativeWorkspace<double>> derivatives_;
  std::optional<DualWorkspaces> dual_;
  std::optional<Interpreter<double>> wrenches_;
  std::vector<double> in_;  // q, v, τ and, where outer forces have it, t
  std::vector<double> dynamic_, outer_torques_, motion_, parts_, wrench_, matrices_, d_tau_, tau_q_, tau_v_;
};

Driven::Driven(const Mechanism& mechanism, Torques torques, DrivenOptions options)
    : System(moving_tree(instantiate<double>(mechanism, options.values))),
      dynamics_(std::make_unique<Dynamics>(*this, mechanism, std::move(torques), std::move(options))) {}
Driven::Driven(Model<double> model, Torques torques, DrivenOptions options)
    : System(moving_tree(std::move(model))),
      dynamics_(std::make_unique<Dynamics>(*this, std::nullopt, std::move(torques), std::move(options))) {}
Driven::~Driven() = default;

int Driven::nz() const { return dynamics_->options_.work ? 2 : 0; }

// What goes wrong on the way (a joint jams, an input ends), with the state in which it does.
template <class Action>
auto Driven::telling(double t, std::span<const double> q, std::span<const double> v, const Action& action) const {
  try {
    return action();
  } catch (const NotFinite&) {
    throw;
  } catch (const Error& e) {
    if (e.code() != ErrorCode::data) throw;
    throw Error(ErrorCode::data, fmt::format("{}, at {}", e.what(), describe(t, q, v)));
  }
}

void Driven::slopes(double t, std::span<const double> q, std::span<const double> v, std::span<const double>,
                    std::span<double> a, std::span<double> dz) {
  telling(t, q, v, [&] { dynamics_->slopes(t, q, v, a, dz); });
  if (is_finite(a)) [[likely]] return;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (!std::isfinite(dynamics_->tau()[k])) dynamics_->refuse_torque(k, describe(t, q, v));
  }
  require_finite(t, q, v, a);
}

bool Driven::jacobian(double t, std::span<const double> q, std::span<const double> v, std::span<double> d_q,
                      std::span<double> d_v) {
  return dynamics_->jacobian(t, q, v, d_q, d_v);
}
bool Driven::begin(const MotionState& state) {
  return telling(state.t, state.q, state.v, [&] { return dynamics_->begin(state); });
}
bool Driven::still_holds(const MotionState& state) {
  return telling(state.t, state.q, state.v, [&] { return dynamics_->still_holds(state); });
}
std::vector<std::string> Driven::settle(MotionState& state) { return dynamics_->settle(state); }
std::span<const double> Driven::torques() const { return dynamics_->tau(); }
void Driven::set_torques(Torques torques) {
  dynamics_->torques_ = std::move(torques);
  if (!dynamics_->torques_) std::fill(dynamics_->tau().begin(), dynamics_->tau().end(), 0.0);
}
Energy<double> Driven::energy(const MotionState& state) { return dynamics_->energy(state); }
bool Driven::has_losses() const { return dynamics_->lossy_; }
bool Driven::is_dry() const { return dynamics_->dry_; }
DrivenOptions::Way Driven::way() const { return dynamics_->way_; }
const std::vector<std::string>& Driven::notes() const { return dynamics_->notes_; }

}  // namespace lw
