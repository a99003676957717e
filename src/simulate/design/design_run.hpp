// Runs of a design, functionals of them, and their derivatives with respect to the design.
//
//   F = ∫ F(t, q, q̇, q̈, τ, b) dt   or   F at an instant          b: parameters of the file, inertial ones, the
//                                    initial state
//
//   forward   torques are given, the motion follows: q, q̇ and q̈ depend on b
//   inverse   the motion is given, torques follow: τ depends on b
//
// dF/db by the direct method (one run along each parameter) or the adjoint one (one backward run for each functional,
// whatever the number of parameters); CVODES solves the continuous adjoint equations instead, for comparison.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>

#include "../../control/trajectory.hpp"
#include "eventful_run.hpp"

namespace lw {

struct DesignFunctional {
  std::string name;
  WrittenFormula formula;
  enum class Kind { integral, instant } kind = Kind::integral;
  double time = std::numeric_limits<double>::quiet_NaN();  // of an instant; NaN: the end

  // Throws Error(usage) for an instant that is none of the run.
  void check(double duration) const;
};

enum class DesignMethod { automatic, direct, adjoint, cvodes };
const char* to_string(DesignMethod method);

class DesignRun {
 public:
  virtual ~DesignRun() = default;

  virtual const std::vector<std::string>& parameters() const = 0;
  virtual const std::vector<double>& start() const = 0;  // their values as the file has them
  virtual const std::vector<DesignFunctional>& functionals() const = 0;
  // Runs at these values; functionals in their order. Throws Error(data) where a run does not come to its end, or a
  // joint with dry friction turns round: there friction jumps, and derivatives too.
  virtual std::vector<double> values(std::span<const double> b) = 0;
  // Of the last run: a row for each functional, a column for each parameter.
  virtual std::vector<std::vector<double>> gradients(DesignMethod method = DesignMethod::automatic) = 0;
};

// `start.q.JOINT` and `start.qd.JOINT`, of joints with quaternions by their velocities' names.
std::vector<std::string> initial_state_names(const Model<double>& model);

// What drives a run from an event on.
struct DesignDrive {
  DesignFormulas formulas = {};                                                                     // torques alone
  std::function<void(double t, double inside, std::span<double> u)> inputs = {}, input_rates = {};  // design_system.hpp
  std::vector<double> corners = {};
};

struct ForwardDesignOptions {
  std::vector<double> q, qd;  // the initial state; with loops of the independent joints, which the others follow
  std::vector<double> pose;   // with loops: all coordinates there, where it is not the mode of home continued to q
  // Coordinates of q that are the mechanism's home, and go with it where a parameter moves it; empty: none.
  std::vector<bool> at_home;
  double duration = 1.0;
  std::vector<double> instants;  // besides those of functionals, at which `trajectory` gives derivatives
  std::vector<double> corners;   // of inputs: where steps end
  DesignFormulas drive;          // torques alone
  std::vector<DesignEvent> events;
  // What drives it after events: of each velocity the last event that changed its input, -1 where none has.
  std::function<DesignDrive(const std::vector<int>& driven_by)> redriven;
  DesignSystemOptions system;
  RecordedRunOptions steps;
};

class ForwardDesign : public DesignRun {
 public:
  // Throws Error(usage) for names and formulas that are none.
  ForwardDesign(const Mechanism& mechanism, std::vector<std::string> parameters,
                std::vector<DesignFunctional> functionals, ForwardDesignOptions options,
                ParameterValues<double> others = {});

  const std::vector<std::string>& parameters() const override { return names_; }
  const std::vector<double>& start() const override { return start_; }
  const std::vector<DesignFunctional>& functionals() const override { return functionals_; }
  std::vector<double> values(std::span<const double> b) override;
  std::vector<std::vector<double>> gradients(DesignMethod method = DesignMethod::automatic) override;

  // q, q̇, q̈, τ of all joints at an instant of the last run, and their derivatives by every parameter, those of q
  // along the velocities.
  struct Instant {
    double t = 0.0;
    std::vector<double> q, qd, qdd, tau;
    struct Slope {
      std::vector<double> q, qd, qdd, tau;
    };
    std::vector<Slope> by;  // a parameter each
  };
  // At the instants of the options, by the direct method.
  std::vector<Instant> trajectory();

  // dF/db of the last run by a complex step through its steps, over the algorithms and not over what was traced from
  // them.
  std::vector<std::vector<double>> by_complex_step();

  DesignSystem& system() { return *system_; }  // of the beginning
  const EventfulRun& run() const { return *run_; }
  std::string ending() const;  // the event that has ended the last run, where one has

 private:
  struct Seed {
    std::vector<double> dy0, db;
  };
  const Seed& seed(std::size_t parameter);  // of the last run
  // Of any scalar: its derivatives are the seeds.
  template <class T>
  std::vector<T> initial_state(std::span<const T> b) const;
  std::vector<EventfulRun::Directions> directions();  // a parameter each
  std::vector<std::vector<double>> by_adjoint();
  std::vector<std::vector<double>> by_direct();
  std::vector<std::vector<double>> by_cvodes();
  std::vector<std::vector<double>> rows_by(const EventfulRun::PartBack& part_back);
  // Weights of y at all times and of b, of a functional itself; and of the instant of the end, which is returned.
  double weigh(std::size_t functional, std::span<double> weights, std::span<double> b_bar);
  double slope_in_time(std::size_t functional, std::size_t mark);
  bool end_moves(std::size_t functional) const;
  double gradient_entry(std::size_t parameter, std::span<const double> y0_bar, std::span<const double> b_bar);
  std::size_t mark(const DesignFunctional& f) const;
  DesignMode mode(const std::vector<int>& driven_by);

  struct Mode {
    std::unique_ptr<DesignSystem> system;
    std::vector<double> corners;
  };
  std::vector<DesignFunctional> functionals_;
  ForwardDesignOptions options_;
  std::vector<std::string> names_;
  std::vector<double> start_;
  std::vector<int> of_design_,
      of_state_;  // of each parameter: which of the design's, or which velocity of (q, qd); else -1
  std::optional<DesignParameters> design_;
  std::map<std::vector<int>, Mode> modes_;
  DesignSystem* system_ = nullptr;  // of the beginning
  std::vector<double> instants_, b_;
  bool home_moves_ = false;        // with parameters, and the initial state with it
  std::vector<int> home_place_;    // where in home the coordinates of the state are
  std::vector<double> home_;       // at the first values
  std::vector<Seed> seeds_;        // as far as they were needed
  std::vector<std::size_t> slot_;  // of each functional: its integral or its output
  std::unique_ptr<EventfulRun> run_;
};

// A motion as instants with weights, so that ∫ F dt = Σ weight · F.
struct WeighedMotion {
  std::vector<double> t, weight;
  std::vector<std::vector<double>> q, qd, qdd;
  double end = 0.0;

  // By Gauss's rule of five points, `pieces` times a segment.
  static WeighedMotion along(const Trajectory& trajectory, int pieces = 16);
  // By the trapezoidal rule, of samples.
  static WeighedMotion of_samples(std::vector<double> t, std::vector<std::vector<double>> q,
                                  std::vector<std::vector<double>> qd, std::vector<std::vector<double>> qdd);
};

struct InverseDesignOptions {
  WeighedMotion motion;  // with loops: of the independent joints
  std::vector<double>
      pose;  // with loops: all coordinates at its beginning, where it is not the mode of home continued to there
  // For instants that are none of the motion's; without it these are refused.
  std::function<JointMotion<double>(double t)> between = {};
  bool friction = false, fixed = true, compiled = true;
  JitOptions jit = {};
};

class InverseDesign : public DesignRun {
 public:
  InverseDesign(const Mechanism& mechanism, std::vector<std::string> parameters,
                std::vector<DesignFunctional> functionals, InverseDesignOptions options,
                ParameterValues<double> others = {});

  const std::vector<std::string>& parameters() const override { return design_.names(); }
  const std::vector<double>& start() const override { return design_.values(); }
  const std::vector<DesignFunctional>& functionals() const override { return functionals_; }
  std::vector<double> values(std::span<const double> b) override;
  std::vector<std::vector<double>> gradients(DesignMethod method = DesignMethod::automatic) override;

  // tau at every instant of the motion, and its derivatives by every parameter; with loops of the actuated joints.
  struct Torques {
    double t = 0.0;
    std::vector<double> tau;
    std::vector<std::vector<double>> by;
  };
  std::vector<Torques> torques();

 private:
  std::span<double> begin(FlatFunction& f, std::size_t sample);
  void follow();  // where all joints stand at the samples

  DesignParameters design_;
  std::vector<DesignFunctional> functionals_;
  InverseDesignOptions options_;
  WeighedMotion motion_;              // instants of functionals behind it, weighing nothing
  std::vector<std::size_t> instant_;  // of functionals that are at one
  std::vector<double> b_;
  LoopPath loops_;
  std::size_t torques_;
  std::vector<std::vector<double>> configurations_;  // of all joints, a sample each
  std::vector<FlatFunction> own_;                    // value, along, back
};

}  // namespace lw
