// A mechanism in motion, its design parameters and its derivatives, compiled: the Parametric of a mechanism.
//
//   y = (q, v, z), z the integrals;   outputs q, v, a, τ and those of the formulas
//
// With loops q and v are those of the independent joints; where the others stand is found by numbers before the code is
// called (loop_path.hpp), and outputs are those of all joints.
//
// Torques are formulas over t, q, qd and parameters, or come from outside as functions of time alone. A function is
// compiled when it is first needed: most runs need two or three of the six.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>

#include "../../codegen/jit/jit.hpp"
#include "design_functions.hpp"
#include "force_jumps.hpp"
#include "loop_path.hpp"
#include "parametric.hpp"

namespace lw {

struct DesignSystemOptions {
  bool friction = false;
  bool fixed = true;     // the parameters stay what they are, as numbers in the code: faster, and made anew for others
  bool compiled = true;  // else interpreted
  // Torques of those velocities whose formula is empty; `inside`: an instant of the interval that is being integrated,
  // which tells from which side a jump at t is seen.
  std::function<void(double t, double inside, std::span<double> u)> inputs = {};
  // How these change with the time, for events that move; none: not at all.
  std::function<void(double t, double inside, std::span<double> du)> input_rates = {};
  JitOptions jit = {};
  // Where several systems share a run; made where there is none.
  std::shared_ptr<LoopPath> loops = {};
};

// A function of several groups of inputs that stand in one vector, and of one of outputs.
class FlatFunction {
 public:
  FlatFunction(std::shared_ptr<Compiled> code, std::string name, std::size_t inputs);
  std::span<double> inputs() { return inputs_; }
  void operator()(std::span<double> outputs);

 private:
  std::shared_ptr<Compiled> code_;
  std::string name_;
  std::vector<double> inputs_;
  Compiled::Flat* flat_;
};

class DesignSystem : public Parametric {
 public:
  // Throws Error(usage) for formulas that are none.
  DesignSystem(DesignParameters design, DesignFormulas formulas, DesignSystemOptions options = {});

  std::size_t states() const override { return nq_ + nv_ + nz_; }
  std::size_t parameters() const override { return design_.size(); }
  std::size_t outputs() const override { return first_formula() + formulas_.outputs.size(); }
  std::size_t first_formula() const { return static_cast<std::size_t>(model_.nq + 3 * model_.nv); }  // of the outputs
  void value(Of of, double t, In y, Out result) override;
  void along(Of of, double t, In y, In dy, In db, Out result) override;
  void back(Of of, double t, In y, In w, Out y_bar, Out b_bar) override;
  void enter(double from, double to) override { inside_ = 0.5 * (from + to); }
  // Keeps the pose to come back to.
  // Refuses steps across a jump of the forces (force_jumps.hpp): derivatives jump with them.
  void stepped(double t, In y, In next) override;
  void staged(double t, In y, In stage) override { refuse_jumps(t, y, stage); }
  std::vector<std::size_t> quaternions() const override;

  const Model<double>& model() const { return model_; }  // at the file's values; all joints
  // The joints whose q and v the state has: with loops the independent ones alone.
  const Model<double>& state_model() const { return loops().joints(); }
  LoopPath& loops() const { return *options_.loops; }
  DesignLosses losses() const { return losses_; }
  // The coordinates of all joints at that state.
  std::vector<double> configuration(double t, In y) const;
  const DesignParameters& design() const { return design_; }
  const DesignFormulas& formulas() const { return formulas_; }
  // The traced functions, for methods that check them; parameters are inputs.
  const DesignFunctions& functions() const { return functions_; }
  const DesignSystemOptions& options() const { return options_; }
  std::span<const double> at() const { return b_; }
  // Throws Error(usage) where the parameters are fixed.
  void set(std::span<const double> b);
  // What the user should know of what was compiled so far: why it is interpreted.
  const std::vector<std::string>& notes() const { return notes_; }

  std::size_t nq() const { return nq_; }  // of the state
  std::size_t nv() const { return nv_; }
  std::size_t nu() const { return static_cast<std::size_t>(model_.nv); }  // inputs, a velocity each

 private:
  enum Product { kValue, kAlong, kBack };
  FlatFunction& function(Of of, Product product) {
    std::optional<FlatFunction>& f = own_[(of == Of::rates ? 0U : 3U) + product];
    if (!f) [[unlikely]]
      f = made(of, product);
    return *f;
  }
  FlatFunction made(Of of, Product product);
  std::span<double> begin(FlatFunction& f, double t, In y);
  void refuse_jumps(double t, In y, In next) const;

  DesignParameters design_;
  DesignFormulas formulas_;
  DesignSystemOptions options_;
  Model<double> model_;
  DesignLosses losses_;
  std::size_t nq_, nv_, nz_;
  std::vector<double> b_;
  DesignFunctions functions_;
  std::vector<ForceJump<double>> jumps_;  // at b
  std::array<std::optional<FlatFunction>, 6> own_;
  std::vector<std::string> notes_;
  double inside_ = 0.0;
  std::vector<double> bars_;
};

// Program of these functions, by name.
std::shared_ptr<Compiled> compiled_design(const std::string& name, const std::vector<Function>& functions, bool native,
                                          const JitOptions& jit);

// q's derivative as velocities: of quaternions, the turn ω = 2 q⁻¹ ⊗ q̇, of the place of a floating joint v in its own
// axes. The inverse of coordinate_rates, whose columns are at right angles to each other.
std::vector<double> tangent_of(const Model<double>& model, std::span<const double> q, std::span<const double> dq);

}  // namespace lw
