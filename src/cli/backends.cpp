#include "backends.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <vector>

#include "../codegen/compile.hpp"
#include "../dynamics/aba.hpp"
#include "../dynamics/crba.hpp"
#include "../dynamics/forward_derivatives.hpp"
#include "../dynamics/inverse_derivatives.hpp"
#include "../dynamics/kinematics.hpp"
#include "../dynamics/rnea.hpp"
#include "../graph/interpreter.hpp"

namespace lw::cli {
namespace {

using peer::Function;

constexpr Function kFunctions[] = {Function::inverse, Function::mass_matrix, Function::forward, Function::bias,
                                   Function::kinematics, Function::inverse_derivatives, Function::forward_derivatives};

bool is_derivative(Function f) { return f == Function::inverse_derivatives || f == Function::forward_derivatives; }
// Of q, qd and tau, not of q, qd and qdd.
bool takes_forces(Function f) { return f == Function::forward || f == Function::forward_derivatives; }

template <class T>
std::size_t size_of(const Model<T>& model, Function f) {
  const auto nv = static_cast<std::size_t>(model.nv);
  if (f == Function::mass_matrix) return nv * nv;
  if (is_derivative(f)) return 3 * nv * nv;
  return f == Function::kinematics ? 12 * model.bodies.size() : nv;
}

template <class T>
struct Workspaces {
  explicit Workspaces(const Model<T>& model) : plain(model), derivative(model) {}
  Workspace<T> plain;
  DerivativeWorkspace<T> derivative;
};

// `last`: qdd or tau. Poses stay in the workspace.
template <class T>
void evaluate(Function f, const Model<T>& model, Workspaces<T>& works, In<T> q, In<T> qd, In<T> last, Out<T> out) {
  Workspace<T>& work = works.plain;
  const auto third = [&](std::size_t k) { return out.subspan(k * out.size() / 3, out.size() / 3); };
  switch (f) {
    case Function::inverse: rnea<T>(model, work, q, qd, last, out); break;
    case Function::mass_matrix: crba<T>(model, work, q, out); break;
    case Function::forward: aba<T>(model, work, q, qd, last, out); break;
    case Function::bias: bias_forces<T>(model, work, q, qd, out); break;
    case Function::kinematics: forward_kinematics<T>(model, work, q); break;
    case Function::inverse_derivatives:
      inverse_derivatives<T>(model, works.derivative, q, qd, last, third(0), third(1), third(2));
      break;
    case Function::forward_derivatives:
      forward_derivatives<T>(model, works.derivative, q, qd, last, third(0), third(1), third(2));
      break;
  }
}

template <class T>
void copy_poses(const Workspace<T>& work, T* out) {
  for (const Transform<T>& X : work.X_W) {
    for (int column = 0; column < 3; ++column) {
      for (int row = 0; row < 3; ++row) *out++ = X.R(row, column);
    }
    for (int row = 0; row < 3; ++row) *out++ = X.p[row];
  }
}

std::size_t index(Function f) { return static_cast<std::size_t>(f); }

class Reference : public peer::Peer {
 public:
  explicit Reference(const Model<double>& model)
      : model_(model), work_(model_) {
    for (const Function f : kFunctions) out_[index(f)].resize(size_of(model, f));
  }
  bool supports(Function) const override { return true; }
  void set_states(int count, const double* q, const double* qd, const double* qdd, const double* tau) override {
    const auto n = static_cast<std::size_t>(count) * nv();
    q_.assign(q, q + static_cast<std::size_t>(count) * nq());
    qd_.assign(qd, qd + n);
    qdd_.assign(qdd, qdd + n);
    tau_.assign(tau, tau + n);
  }
  double compute(Function f, int state, double nudge) override {
    const auto k = static_cast<std::size_t>(state);
    const std::span<double> q(q_.data() + k * nq(), nq());
    if (nudge != 0.0) {
      for (double& x : q) x += nudge;
    }
    const std::vector<double>& last = takes_forces(f) ? tau_ : qdd_;
    std::vector<double>& out = out_[index(f)];
    evaluate<double>(f, model_, work_, q, {qd_.data() + k * nv(), nv()}, {last.data() + k * nv(), nv()}, out);
    return f == Function::kinematics ? work_.plain.X_W.front().p[0] + work_.plain.X_W.back().p[0] : out.front() + out.back();
  }
  void result(Function f, double* out) override {
    if (f == Function::kinematics) {
      copy_poses(work_.plain, out);
    } else {
      std::copy(out_[index(f)].begin(), out_[index(f)].end(), out);
    }
  }

 private:
  std::size_t nq() const { return static_cast<std::size_t>(model_.nq); }
  std::size_t nv() const { return static_cast<std::size_t>(model_.nv); }

  Model<double> model_;
  Workspaces<double> work_;
  std::vector<double> q_, qd_, qdd_, tau_;
  std::array<std::vector<double>, std::size(kFunctions)> out_;
};

// States one behind the other, once as (q, qd, qdd) and once as (q, qd, tau): what functions of one array take.
class OfOneArray : public peer::Peer {
 public:
  bool supports(Function) const override { return true; }
  void set_states(int count, const double* q, const double* qd, const double* qdd, const double* tau) override {
    motion_.clear();
    force_.clear();
    for (int k = 0; k < count; ++k) {
      for (auto* list : {&motion_, &force_}) {
        const double* last = list == &motion_ ? qdd : tau;
        list->insert(list->end(), q, q + nq_);
        list->insert(list->end(), qd, qd + nv_);
        list->insert(list->end(), last, last + nv_);
      }
      q += nq_;
      qd += nv_;
      qdd += nv_;
      tau += nv_;
    }
  }
  double compute(Function f, int state, double nudge) override {
    std::vector<double>& states = takes_forces(f) ? force_ : motion_;
    const std::size_t size = nq_ + 2 * nv_;
    const std::span<double> in(states.data() + static_cast<std::size_t>(state) * size, size);
    if (nudge != 0.0) {
      for (double& x : in.first(nq_)) x += nudge;
    }
    std::vector<double>& out = out_[index(f)];
    run(f, in, out);
    return out.front() + out.back();
  }
  void result(Function f, double* out) override { std::copy(out_[index(f)].begin(), out_[index(f)].end(), out); }

 protected:
  explicit OfOneArray(const Model<Expr>& model)
      : nq_(static_cast<std::size_t>(model.nq)),
        nv_(static_cast<std::size_t>(model.nv)) {
    for (const Function f : kFunctions) out_[index(f)].resize(size_of(model, f));
  }
  virtual void run(Function f, std::span<const double> in, std::span<double> out) = 0;

  std::size_t nq_, nv_;

 private:
  std::vector<double> motion_, force_;
  std::array<std::vector<double>, std::size(kFunctions)> out_;
};

class Interpreted : public OfOneArray {
 public:
  explicit Interpreted(const Model<Expr>& model) : OfOneArray(model) {
    for (const Function f : kFunctions) {
      if (!supports(f)) continue;
      const lw::Function traced = trace("bench", {{"q", nq_}, {"qd", nv_}, {"last", nv_}}, {{"out", size_of(model, f)}},
                                        [&](const std::vector<std::vector<Expr>>& in, Results& out) {
                                          Workspaces<Expr> work(model);
                                          evaluate<Expr>(f, model, work, in[0], in[1], in[2], out[0]);
                                          if (f == Function::kinematics) copy_poses(work.plain, out[0].data());
                                        });
      programs_.emplace_back(traced);
    }
  }
  // derivatives of large mechanisms are graphs of millions
  bool supports(Function f) const override { return !is_derivative(f) || nv_ <= kLargestDerived; }

 private:
  static constexpr std::size_t kLargestDerived = 60;
  void run(Function f, std::span<const double> in, std::span<double> out) override { programs_[index(f)](in, out); }

  std::vector<Interpreter<double>> programs_;  // by function; those that are left out come last
};

class Jitted : public OfOneArray {
 public:
  Jitted(const Model<Expr>& model, Compiled compiled) : OfOneArray(model), compiled_(std::move(compiled)) {
    for (const Function f : kFunctions) {
      if (supports(f)) flat_[index(f)] = compiled_.flat(kNames[index(f)]);
    }
  }
  // of large mechanisms derivatives take the compiler too long
  bool supports(Function f) const override { return !is_derivative(f) || nv_ <= kLargestDerived; }
  static constexpr std::size_t kLargestDerived = 12;
  static constexpr const char* kNames[] = {"inverse",    "mass-matrix",         "forward",            "bias",
                                           "kinematics", "inverse-derivatives", "forward-derivatives"};

 private:
  // each takes the first part of the state: what stands behind is not read
  void run(Function f, std::span<const double> in, std::span<double> out) override {
    if (flat_[index(f)] != nullptr) {
      flat_[index(f)](in.data(), out.data());
      return;
    }
    const std::size_t used = f == Function::inverse || f == Function::forward || is_derivative(f) ? nq_ + 2 * nv_
                             : f == Function::bias                                                ? nq_ + nv_
                                                                                                  : nq_;
    compiled_(kNames[index(f)], in.first(used), out);
  }

  Compiled compiled_;
  std::array<Compiled::Flat*, std::size(kFunctions)> flat_{};
};

}  // namespace

std::unique_ptr<peer::Peer> reference_backend(const Model<double>& model) { return std::make_unique<Reference>(model); }

std::unique_ptr<peer::Peer> interpreter_backend(const Mechanism& mechanism) {
  return std::make_unique<Interpreted>(instantiate<Expr>(mechanism));
}

JitBackend jit_backend(const Mechanism& mechanism) {
  const auto start = std::chrono::steady_clock::now();
  const Model<Expr> model = instantiate<Expr>(mechanism);
  ProgramOptions options;
  options.trace.fused = machine_has_fma();
  std::vector<std::string> functions{"inverse", "mass-matrix", "forward", "bias"};
  if (static_cast<std::size_t>(model.nv) <= Jitted::kLargestDerived) {
    functions.insert(functions.end(), {"inverse-derivatives", "forward-derivatives"});
  }
  Program program = make_program(mechanism, functions, options);
  // poses of all bodies, as peers give them
  const Model<Expr> exact = snapped(model, options.trace.snap);
  const lw::Function poses = trace("kinematics", {{"q", static_cast<std::size_t>(model.nq)}}, {{"poses", size_of(model, Function::kinematics)}},
                                   [&](const std::vector<std::vector<Expr>>& in, Results& out) {
                                     Workspace<Expr> work(exact);
                                     forward_kinematics<Expr>(exact, work, in[0]);
                                     copy_poses(work, out[0].data());
                                   });
  const Arithmetic arithmetic = program.functions.front().arithmetic();
  program.functions.push_back(optimize(poses.with(arithmetic), Objective::operations).with(arithmetic));
  JitBackend made;
  Compiled compiled = jit(program);
  made.cached = compiled.was_cached();
  made.native = compiled.is_native();
  made.notes = compiled.notes();
  made.peer = std::make_unique<Jitted>(model, std::move(compiled));
  made.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return made;
}

std::size_t result_size(const Model<double>& model, Function function) { return size_of(model, function); }

}  // namespace lw::cli
