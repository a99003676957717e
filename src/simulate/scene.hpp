// A mechanism driven as a scenario says: the torques of formulas, tables and controllers, and the integrals of the latter.
//
// Tables have corners at their times. A step must end there (`knots`), and within a step a table is the piece that holds from the
// beginning of the step on (`enter`), so that an integrator never sees a jump.
#pragma once

#include <memory>
#include <vector>

#include "../dynamics/workspace.hpp"
#include "../graph/interpreter.hpp"
#include "driven.hpp"
#include "scenario.hpp"

namespace lw {

// Formulas of a scenario, evaluated together.
class ScenarioFormulas {
 public:
  ScenarioFormulas(const Scenario& scenario, const std::vector<Expr>& formulas);
  // As many as were given.
  std::span<const double> operator()(double t, std::span<const double> q, std::span<const double> v);

 private:
  std::unique_ptr<Interpreter<double>> run_;  // none where all are constant
  std::vector<double> in_, out_;
};

class Scene : public Driven {
 public:
  Scene(const Mechanism& mechanism, const Scenario& scenario, DrivenOptions::Way way = DrivenOptions::Way::automatic);

  // z: work and losses (driven.hpp), then ∫e of the joints of controllers that have a `ki`.
  int nz() const override { return Driven::nz() + static_cast<int>(integrals_.size()); }
  void slopes(double t, std::span<const double> q, std::span<const double> v, std::span<const double> z,
              std::span<double> a, std::span<double> dz) override;
  bool begin(const MotionState& state) override;
  bool still_holds(const MotionState& state) override;
  std::vector<std::string> settle(MotionState& state) override;
  // What it drives does not depend on the state through formulas or controllers; else Newton's method has no exact slopes.
  bool jacobian(double t, std::span<const double> q, std::span<const double> v, std::span<double> d_q,
                std::span<double> d_v) override;

  // From t on, until the next knot. True where torques may jump there: then the integrator restarts.
  bool enter(double t);
  double next_knot(double t) const;  // the first later than t; infinity where there is none
  void change(int v, const ScenarioInput& input);

  MotionState start() const;

 private:
  struct Integral {
    int controller, place;
  };
  void command(double t, std::span<const double> q, std::span<const double> v, std::span<double> tau);
  void prepare();  // after inputs have changed
  void take(std::span<const double> z);

  Scenario scenario_;
  std::vector<double> knots_;
  std::vector<Curve<double>> curves_;         // of tables that are not held, by velocity
  std::vector<std::size_t> piece_;            // of tables, by velocity
  std::unique_ptr<ScenarioFormulas> formulas_;
  std::vector<Integral> integrals_;
  std::vector<double> integrated_, error_;    // ∫e and e of these, at the state that is being computed
  Workspace<double> work_;
  std::vector<double> acceleration_, inverse_;
};

}  // namespace lw
