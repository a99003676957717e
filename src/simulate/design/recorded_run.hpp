// An integration that is kept step by step, and the derivatives of what it computed: exact ones, of the steps as they
// were made.
//
//   Y_i = y + h Σ_j a_ij k_j,  k_i = f(t + c_i h, Y_i, b),  y⁺ = y + h Σ b_i k_i            a step (explicit
//                              Runge-Kutta)
//   along:  the same with Ẏ_i, k̇_i = f_y Ẏ_i + f_b ḃ                                       forward in time, a
//           direction each
//   back:   k̄_i = h (b_i λ⁺ + Σ_j a_ji Ȳ_j),  Ȳ_i = f_yᵀ k̄_i,  b̄ += f_bᵀ k̄_i,  λ = λ⁺ + Σ Ȳ_i      backward, once
//           for all b
//
// λ is the derivative of the result with respect to y. Step sizes are numbers here: that they were chosen by the state
// is not differentiated, so both methods and a complex step through the same steps agree to round-off.
#pragma once

#include <string>

#include "../integrate/butcher.hpp"
#include "parametric.hpp"

namespace lw {

struct RecordedRunOptions {
  std::string integrator = "dormand-prince";  // or verner, which chooses its steps too where none is given; rk4, gill
  double step = 0.0;                          // of fixed steps
  double rtol = 1e-10, atol = 1e-12;
  double longest = 0.0, shortest = 0.0;  // of steps that it chooses, as of IntegratorOptions; 0: none
  long most_steps = 10'000'000;
};
const std::vector<std::string>& recordable_integrators();

// What may end a run before its times do: something that has passed by then. It is looked for at the ends of steps, and
// of steps that the integrator chooses at their quarters too; the instant is then found by bisection, each trial a step
// of that length.
class RunEnd {
 public:
  virtual ~RunEnd() = default;
  virtual bool passed(double t, std::span<const double> y) = 0;   // since the last `move_on`
  virtual void move_on(double t, std::span<const double> y) = 0;  // nothing has until here
};

class RecordedRun {
 public:
  // From y0 at t0 over the times, which rise; each is the end of a step. Throws Error(data) where there is no next
  // step, with the time; Error(usage) for options that are none. The system must outlive it.
  RecordedRun(Parametric& system, std::vector<double> y0, double t0, std::vector<double> times,
              const RecordedRunOptions& options = {}, RunEnd* end = nullptr);

  // Those that were given, or as far as it came: where RunEnd ended it, the last is that instant.
  const std::vector<double>& times() const { return times_; }
  bool ended() const { return ended_; }
  // y at times[k].
  std::span<const double> at(std::size_t k) const { return {&marks_[k * n_], n_}; }
  std::size_t steps() const { return t_.size(); }
  long evaluations() const { return evaluations_; }

  // ẏ at all the times, one behind the other, from ẏ at the beginning and ḃ.
  std::vector<double> along(std::span<const double> dy0, std::span<const double> db);
  // From the weights of y at all the times, one behind the other: what y0 and b weigh. Added to.
  void back(std::span<const double> weights, std::span<double> y0_bar, std::span<double> b_bar);

  const ButcherTableau& tableau() const { return tableau_; }
  std::size_t stages() const { return s_; }  // that a step consists of; one that only tells its error is none
  // Where step k begins, and its size; and at which step an interval between times begins.
  double start(std::size_t k) const { return t_[k]; }
  double step(std::size_t k) const { return h_[k]; }
  std::size_t first_step(std::size_t interval) const { return first_[interval]; }
  std::span<const double> state(std::size_t k) const { return {&y_[k * n_], n_}; }  // where it begins

 private:
  double run_to(double t, double end, std::vector<double>& y);  // where it came to
  // The length of the step after which RunEnd has passed; h where it has not. Stages are then those of the result.
  double look(double t, double h, std::span<const double> y);
  void between(double part, double h, std::span<const double> y, std::span<const double> next,
               std::span<double> out) const;
  void make_stages(double t, double h, std::span<const double> y, bool first_known);
  void store(double t, double h, std::span<const double> y);
  double first_size(double t, double end, std::span<const double> y);
  std::span<const double> stage(std::size_t step, std::size_t i);
  double error_size(double h, std::span<const double> y, std::span<const double> next) const;
  void enter(std::size_t interval);

  Parametric& system_;
  RunEnd* end_;  // while it runs
  bool ended_ = false;
  RecordedRunOptions options_;
  const ButcherTableau& tableau_;
  bool adaptive_;
  std::size_t n_, s_;
  double t0_;
  std::vector<double> times_, marks_;
  std::vector<std::size_t> quaternions_;

  std::vector<double> t_, h_, y_, Y_,
      length_;  // of the steps: begin, size, y there, stages, lengths of quaternions before they were 1
  std::vector<std::size_t> first_;
  bool keeps_stages_ = true;
  std::size_t staged_ = static_cast<std::size_t>(-1);  // whose stages are in here, where they are not kept
  std::vector<double> k_, here_, next_, whole_;        // of the step at hand
  double wanted_ = 0.0;                                // size of the next step
  long evaluations_ = 0;
};

}  // namespace lw
