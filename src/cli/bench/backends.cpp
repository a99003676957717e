#include "backends.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <vector>

#include "../../codegen/compile.hpp"
#include "../../codegen/scene/snapping.hpp"
#include "../../dynamics/derivatives/forward_derivatives.hpp"
#include "../../dynamics/derivatives/inverse_derivatives.hpp"
#include "../../dynamics/friction/friction.hpp"
#include "../../dynamics/tree/aba.hpp"
#include "../../dynamics/tree/crba.hpp"
#include "../../dynamics/tree/kinematics.hpp"
#include "../../dynamics/tree/rnea.hpp"
#include "../../graph/interpreter.hpp"

namespace lw::cli {
namespace {

constexpr peer::Function kFunctions[] = {peer::Function::inverse,
                                         peer::Function::mass_matrix,
                                         peer::Function::forward,
                                         peer::Function::bias,
                                         peer::Function::kinematics,
                                         peer::Function::inverse_derivatives,
                                         peer::Function::forward_derivatives,
                                         peer::Function::inverse_with_friction};

bool is_derivative(peer::Function f) {
  return f == peer::Function::inverse_derivatives || f == peer::Function::forward_derivatives;
}
// Of q, qd and tau, not of q, qd and qdd.
bool takes_forces(peer::Function f) { return f == peer::Function::forward || f == peer::Function::forward_derivatives; }

template <class T>
std::size_t size_of(const Model<T>& model, peer::Function f) {
  const auto nv = static_cast<std::size_t>(model.nv);
  if (f == peer::Function::mass_matrix) return nv * nv;
  if (is_derivative(f)) return 3 * nv * nv;
  return f == peer::Function::kinematics ? 12 * model.bodies.size() : nv;
}

template <class T>
struct Workspaces {
  explicit Workspaces(const Model<T>& model) : plain(model), derivative(model), losses(model) {}
  Workspace<T> plain;
  DerivativeWorkspace<T> derivative;
  Losses<T> losses;
};

// `last`: qdd or tau. Poses stay in the workspace.
template <class T>
void evaluate(peer::Function f, const Model<T>& model, Workspaces<T>& works, In<T> q, In<T> qd, In<T> last,
              Out<T> out) {
  Workspace<T>& work = works.plain;
  const auto third = [&](std::size_t k) { return out.subspan(k * out.size() / 3, out.size() / 3); };
  switch (f) {
    case peer::Function::inverse: rnea<T>(model, work, q, qd, last, out); break;
    case peer::Function::mass_matrix: crba<T>(model, work, q, out); break;
    case peer::Function::forward: aba<T>(model, work, q, qd, last, out); break;
    case peer::Function::bias: bias_forces<T>(model, work, q, qd, out); break;
    case peer::Function::kinematics: forward_kinematics<T>(model, work, q); break;
    case peer::Function::inverse_derivatives:
      inverse_derivatives<T>(model, works.derivative, q, qd, last, third(0), third(1), third(2));
      break;
    case peer::Function::forward_derivatives:
      forward_derivatives<T>(model, works.derivative, q, qd, last, third(0), third(1), third(2));
      break;
    case peer::Function::inverse_with_friction:
      inverse_with_losses<T>(model, work, q, qd, last, works.losses);
      std::copy(works.losses.total.begin(), works.losses.total.end(), out.begin());
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

// Velocities above which derivatives are not interpreted, and not compiled: straight-line code that is longer than the
// caches and takes minutes to make, where the algorithm over double is as fast.
constexpr std::size_t kLargestDerived = 60;
bool is_compiled(peer::Function f, std::size_t nv, bool friction) {
  if (friction || f == peer::Function::inverse_with_friction) {
    return friction && (f == peer::Function::inverse || f == peer::Function::inverse_with_friction);
  }
  return !is_derivative(f) || nv <= (f == peer::Function::inverse_derivatives ? 40 : 24);
}

std::size_t index(peer::Function f) { return static_cast<std::size_t>(f); }

class ReferencePeer : public peer::Peer {
 public:
  explicit ReferencePeer(const Model<double>& model) : model_(model), work_(model_) {
    for (const peer::Function f : kFunctions) out_[index(f)].resize(size_of(model, f));
  }
  bool supports(peer::Function) const override { return true; }
  void set_states(int count, const double* q, const double* qd, const double* qdd, const double* tau) override {
    const auto n = static_cast<std::size_t>(count) * nv();
    q_.assign(q, q + static_cast<std::size_t>(count) * nq());
    qd_.assign(qd, qd + n);
    qdd_.assign(qdd, qdd + n);
    tau_.assign(tau, tau + n);
  }
  double compute(peer::Function f, int state, double nudge) override {
    const auto k = static_cast<std::size_t>(state);
    const std::span<double> q(q_.data() + k * nq(), nq());
    if (nudge != 0.0) {
      for (double& x : q) x += nudge;
    }
    const std::vector<double>& last = takes_forces(f) ? tau_ : qdd_;
    std::vector<double>& out = out_[index(f)];
    evaluate<double>(f, model_, work_, q, {qd_.data() + k * nv(), nv()}, {last.data() + k * nv(), nv()}, out);
    return f == peer::Function::kinematics ? work_.plain.X_W.front().p[0] + work_.plain.X_W.back().p[0]
                                           : out.front() + out.back();
  }
  void result(peer::Function f, double* out) override {
    if (f == peer::Function::kinematics) {
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
  bool supports(peer::Function) const override { return true; }
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
  double compute(peer::Function f, int state, double nudge) override {
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
  void result(peer::Function f, double* out) override { std::copy(out_[index(f)].begin(), out_[index(f)].end(), out); }

 protected:
  explicit OfOneArray(const Model<Expr>& model)
      : nq_(static_cast<std::size_t>(model.nq)), nv_(static_cast<std::size_t>(model.nv)) {
    for (const peer::Function f : kFunctions) out_[index(f)].resize(size_of(model, f));
  }
  virtual void run(peer::Function f, std::span<const double> in, std::span<double> out) = 0;

  std::size_t nq_, nv_;

 private:
  std::vector<double> motion_, force_;
  std::array<std::vector<double>, std::size(kFunctions)> out_;
};

class Interpreted : public OfOneArray {
 public:
  Interpreted(const Model<Expr>& model, bool friction) : OfOneArray(model), friction_(friction) {
    for (const peer::Function f : kFunctions) {
      if (!supports(f)) continue;
      const lw::Function traced = trace("bench", {{"q", nq_}, {"qd", nv_}, {"last", nv_}}, {{"out", size_of(model, f)}},
                                        [&](const std::vector<std::vector<Expr>>& in, Results& out) {
                                          Workspaces<Expr> work(model);
                                          evaluate<Expr>(f, model, work, in[0], in[1], in[2], out[0]);
                                          if (f == peer::Function::kinematics) copy_poses(work.plain, out[0].data());
                                        });
      programs_[index(f)] = std::make_unique<Interpreter<double>>(traced);
    }
  }
  bool supports(peer::Function f) const override {
    if (friction_ || f == peer::Function::inverse_with_friction) return is_compiled(f, nv_, friction_);
    return !is_derivative(f) || nv_ <= kLargestDerived;
  }

 private:
  void run(peer::Function f, std::span<const double> in, std::span<double> out) override {
    (*programs_[index(f)])(in, out);
  }

  bool friction_;
  std::array<std::unique_ptr<Interpreter<double>>, std::size(kFunctions)> programs_;
};

constexpr const char* kNames[] = {"inverse",
                                  "mass-matrix",
                                  "forward",
                                  "bias",
                                  "kinematics",
                                  "inverse-derivatives",
                                  "forward-derivatives",
                                  "inverse-with-friction"};

class Jitted : public OfOneArray {
 public:
  Jitted(const Model<Expr>& model, std::shared_ptr<Compiled> compiled, bool friction)
      : OfOneArray(model), compiled_(std::move(compiled)), friction_(friction) {
    for (const peer::Function f : kFunctions) {
      if (supports(f)) flat_[index(f)] = compiled_->flat(kNames[index(f)]);
    }
  }
  bool supports(peer::Function f) const override { return is_compiled(f, nv_, friction_); }

 private:
  // each takes the first part of the state: what stands behind is not read
  void run(peer::Function f, std::span<const double> in, std::span<double> out) override {
    if (flat_[index(f)] != nullptr) {
      flat_[index(f)](in.data(), out.data());
      return;
    }
    const std::size_t used = f == peer::Function::mass_matrix || f == peer::Function::kinematics ? nq_
                             : f == peer::Function::bias                                         ? nq_ + nv_
                                                                                                 : nq_ + 2 * nv_;
    (*compiled_)(kNames[index(f)], in.first(used), out);
  }

  std::shared_ptr<Compiled> compiled_;
  bool friction_;
  std::array<Compiled::Flat*, std::size(kFunctions)> flat_{};
};

// Tables with a row a state.
class Batched : public BatchPeer {
 public:
  Batched(const Model<Expr>& model, const Program& program, std::shared_ptr<Compiled> compiled, bool friction)
      : nq_(static_cast<std::size_t>(model.nq)),
        nv_(static_cast<std::size_t>(model.nv)),
        compiled_(std::move(compiled)),
        friction_(friction) {
    for (const peer::Function f : kFunctions) {
      if (!supports(f)) continue;
      Entry& e = entries_[index(f)];
      e.size = size_of(model, f);
      e.batch = compiled_->batch_pointer(kNames[index(f)]);
      const auto named = [&](const lw::Function& g) { return g.name() == kNames[index(f)]; };
      const OperationCount c =
          cost(*std::find_if(program.functions.begin(), program.functions.end(), named)).operations;
      e.operations = static_cast<double>(c.multiplications + c.additions + c.divisions + c.roots) +
                     kOperationsOfSine * static_cast<double>(c.trigonometric);
    }
  }
  bool supports(peer::Function f) const override { return !is_derivative(f) && is_compiled(f, nv_, friction_); }
  void set_states(int count, const double* q, const double* qd, const double* qdd, const double* tau) override {
    const auto n = static_cast<std::size_t>(count);
    q_.assign(q, q + n * nq_);
    qd_.assign(qd, qd + n * nv_);
    qdd_.assign(qdd, qdd + n * nv_);
    tau_.assign(tau, tau + n * nv_);
    for (Entry& e : entries_) e.out.resize(kRows * e.size);
  }
  // Results go where those of earlier states were, as with the others: what is timed is no memory.
  double compute_all(peer::Function f, int first, int count) override {
    Entry& e = entries_[index(f)];
    const std::vector<double>& last = f == peer::Function::forward ? tau_ : qdd_;
    for (int done = 0; done < count; done += kRows) {
      const auto at = static_cast<std::size_t>(first + done);
      const double* in[] = {q_.data() + at * nq_, qd_.data() + at * nv_, last.data() + at * nv_};
      double* out[] = {e.out.data()};
      e.batch(static_cast<std::size_t>(std::min(kRows, count - done)), in, out);  // fewer groups: the first of them
    }
    return e.out.front() + e.out.back();
  }
  double compute(peer::Function f, int state, double nudge) override {
    if (nudge != 0.0) {
      for (std::size_t k = 0; k < nq_; ++k) q_[static_cast<std::size_t>(state) * nq_ + k] += nudge;
    }
    compute_all(f, state, 1);
    return entries_[index(f)].out[0] + entries_[index(f)].out[entries_[index(f)].size - 1];
  }
  void result(peer::Function f, double* out) override {
    std::copy_n(entries_[index(f)].out.data(), entries_[index(f)].size, out);
  }
  double operations(peer::Function f) const override { return entries_[index(f)].operations; }

 private:
  // sincos_kernel.h has 52 additions and multiplications for a sine and a cosine.
  static constexpr double kOperationsOfSine = 26.0;
  struct Entry {
    std::size_t size = 0;
    Compiled::Batch* batch = nullptr;
    double operations = 0.0;
    std::vector<double> out;
  };
  static constexpr int kRows = 64;
  std::size_t nq_, nv_;
  std::shared_ptr<Compiled> compiled_;
  bool friction_;
  std::vector<double> q_, qd_, qdd_, tau_;
  std::array<Entry, std::size(kFunctions)> entries_;
};

}  // namespace

std::unique_ptr<peer::Peer> reference_backend(const Model<double>& model) {
  return std::make_unique<ReferencePeer>(model);
}

std::unique_ptr<peer::Peer> interpreter_backend(const Mechanism& mechanism, bool friction) {
  return std::make_unique<Interpreted>(instantiate<Expr>(mechanism), friction);
}

namespace {

// The functions that are timed, under the names by which they are asked for.
Program program_of(const Mechanism& mechanism, const Model<Expr>& model) {
  ProgramOptions options;
  options.trace = native();
  Program program = make_program(mechanism, {"inverse", "mass-matrix", "forward", "bias"}, options);
  // poses of all bodies, as peers give them
  const Model<Expr> exact = snapped(model, options.trace.snap);
  const lw::Function poses = trace("kinematics", {{"q", static_cast<std::size_t>(model.nq)}},
                                   {{"poses", size_of(model, peer::Function::kinematics)}},
                                   [&](const std::vector<std::vector<Expr>>& in, Results& out) {
                                     Workspace<Expr> work(exact);
                                     forward_kinematics<Expr>(exact, work, in[0]);
                                     copy_poses(work, out[0].data());
                                   });
  const Arithmetic arithmetic = program.functions.front().arithmetic();
  program.functions.push_back(optimize(poses.with(arithmetic), Objective::operations).with(arithmetic));
  for (const peer::Function f : {peer::Function::inverse_derivatives, peer::Function::forward_derivatives}) {
    if (!is_compiled(f, static_cast<std::size_t>(model.nv), false)) continue;
    program.functions.push_back(make_program(mechanism, {kNames[index(f)]}, options).functions.front());
  }
  return program;
}

Program program_with_friction(const Mechanism& mechanism) {
  ProgramOptions options;
  options.trace = native();
  Program program = make_program(mechanism, {"inverse"}, options);
  options.trace.friction = true;
  const lw::Function f = make_program(mechanism, {"inverse"}, options).functions.front();
  program.functions.emplace_back(kNames[index(peer::Function::inverse_with_friction)], f.inputs(), f.outputs(),
                                 f.shared_graph(), f.results(), f.arithmetic());
  program.functions.back() = program.functions.back().in_order(f.order());
  return program;
}

}  // namespace

JitBackend jit_backend(const Mechanism& mechanism, bool with_batch, bool friction) {
  const auto start = std::chrono::steady_clock::now();
  const Model<Expr> model = instantiate<Expr>(mechanism);
  const Program program = friction ? program_with_friction(mechanism) : program_of(mechanism, model);
  JitBackend made;
  JitOptions how;
  how.batch = with_batch;
  const auto compiled = std::make_shared<Compiled>(jit(program, how));
  made.cached = compiled->was_cached();
  made.native = compiled->is_native();
  made.notes = compiled->notes();
  made.peer = std::make_unique<Jitted>(model, compiled, friction);
  if (compiled->has_batch()) made.batch = std::make_unique<Batched>(model, program, compiled, friction);
  made.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return made;
}

std::size_t result_size(const Model<double>& model, peer::Function function) { return size_of(model, function); }

}  // namespace lw::cli
