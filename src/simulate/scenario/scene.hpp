// A mechanism driven by a scenario: the torques of formulas, tables and controllers, and the integrals of the latter.
//
// Tables have corners at their times. A step must end there (`knots`), and within a step a table continues the segment
// at the beginning of the step (`enter`), so that an integrator never sees a discontinuity.
#pragma once

#include <memory>
#include <vector>

#include "../../dynamics/tree/workspace.hpp"
#include "../../graph/interpreter.hpp"
#include "../motion/driven.hpp"
#include "scenario.hpp"

namespace lw {

// Formulas of a scenario, evaluated together, over numbers or over dual numbers.
template <class T>
class ScenarioFormulasOver {
 public:
  ScenarioFormulasOver(const Scenario& scenario, const std::vector<Expr>& formulas);
  // As many as were given.
  std::span<const T> operator()(const T& t, std::span<const T> q, std::span<const T> v);

 private:
  std::unique_ptr<Interpreter<T>> run_;  // none where all are constant
  std::vector<T> in_, out_;
};
using ScenarioFormulas = ScenarioFormulasOver<double>;

class ScenarioDriven : public Driven {
 public:
  ScenarioDriven(const Mechanism& mechanism, const Scenario& scenario,
                 DrivenOptions::Way way = DrivenOptions::Way::automatic);
  ~ScenarioDriven() override;

  // z: work and losses (driven.hpp), then ∫e of the joints of controllers that have a `ki`.
  int nz() const override { return Driven::nz() + static_cast<int>(integrals_.size()); }
  void slopes(double t, std::span<const double> q, std::span<const double> v, std::span<const double> z,
              std::span<double> a, std::span<double> dz) override;
  bool begin(const MotionState& state) override;
  bool still_holds(const MotionState& state) override;
  std::vector<std::string> settle(MotionState& state) override;

  // From t on, until the next knot. Returns true if torques may jump there, so that the integrator must restart.
  bool enter(double t);
  double next_knot(double t) const;  // the first later than t; infinity if there is none
  void change(int v, const ScenarioInput& input);

  MotionState start() const;

 private:
  struct Integral {
    int controller, place;
  };
  // Workspace for computing the torques in a scalar.
  template <class T>
  struct Commands;
  template <class T>
  void command(Commands<T>& c, double t, std::span<const T> q, std::span<const T> v, std::span<T> tau);
  void command_slopes(double t, std::span<const double> q, std::span<const double> v, std::span<double> d_q,
                      std::span<double> d_v);
  void prepare();                            // after inputs have changed
  std::vector<Expr> input_formulas() const;  // by velocity; 0 where there is another input
  void take(std::span<const double> z);

  Scenario scenario_;
  std::vector<double> knots_;
  std::vector<Curve<double>> curves_;  // of tables that are not held, by velocity
  std::vector<std::size_t> piece_;     // of tables, by velocity
  std::unique_ptr<Commands<double>> commands_;
  std::unique_ptr<Commands<Dual>> moving_;  // where slopes are asked for
  std::vector<Integral> integrals_;
  std::vector<double> integrated_, error_;  // ∫e and e of these, at the state that is being computed
};

}  // namespace lw
