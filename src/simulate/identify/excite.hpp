// Motions that show a mechanism's parameters: one period of a Fourier series a joint, from rest to rest.
//
//   q(t) = q₀ + Σ_{l=1…H} A_l (cos lωt − 1) + B_l sin lωt,   Σ l B_l = 0 (no velocity),  Σ l² A_l = 0 (no acceleration)
//
// at t = 0 and, after the period 2π/ω, again. A_H and B_H follow from the others, which are chosen so that the matrix
// of the unknowns (identify.hpp: base parameters and friction) has the least condition number over the period, its
// columns of length one, its rows in units of the joints' efforts where these are known (Swevers and others 1997).
// Columns of length one do not ask for large motions, which noise disturbs less: a fifth of the mean logarithm of their
// lengths is taken off.
//
// Limits hold by construction: a series that would leave them is made smaller, each joint for its own positions,
// velocities and accelerations, all together for the efforts. A series of H harmonics exceeds the range that it has at
// N equidistant points by no more than the factor 1/cos(πH/N) (Ehlich, Zeller 1964), which is allowed for; efforts are
// kept at 2000 points of the period.
#pragma once

#include <functional>

#include "../../control/trajectory.hpp"
#include "identify.hpp"

namespace lw {

// The motion above. One entry of A and B for each joint: H coefficients.
class FourierMotion {
 public:
  FourierMotion(std::vector<double> start, double period, std::vector<std::vector<double>> A,
                std::vector<std::vector<double>> B);

  template <class T>
  JointMotion<T> at(const T& t) const;

  const std::vector<double>& start() const { return start_; }
  double period() const { return period_; }
  int harmonics() const { return static_cast<int>(A_.front().size()); }
  const std::vector<std::vector<double>>& A() const { return A_; }
  const std::vector<std::vector<double>>& B() const { return B_; }

 private:
  std::vector<double> start_;
  double period_;
  std::vector<std::vector<double>> A_, B_;
};

// ∞ where there is none. One entry a velocity.
struct MotionLimits {
  std::vector<double> lower, upper, velocity, acceleration, effort;
};
// Those of the file.
MotionLimits motion_limits(const Mechanism& mechanism, const Model<double>& model);

struct ExciteOptions {
  int harmonics = 5;
  double period = 10.0;          // s
  std::vector<double> start;     // where it rests; empty: the home pose
  IdentifyOptions unknowns;      // which friction is sought
  int candidates = 20;           // random series, of which the best is improved
  int evaluations = 3000;        // of the condition number, candidates included
  double time_limit = HUGE_VAL;  // s; where it strikes, the result depends on the machine's speed
  std::uint64_t seed = 1;
  // Called after every evaluation with its number and the least condition number so far; false ends the search.
  std::function<bool(int, double)> progress;
};

struct Excitation {
  FourierMotion motion;
  double condition = 0.0;
  double of_candidates = 0.0;  // the least among the random ones
  int evaluations = 0;
  bool out_of_time = false;
};

// Throws Error(model) where joints have quaternions or a slide has no limits, Error(data) where the posture is beyond
// limits, or cannot be held within the efforts.
Excitation excite(const Model<double>& model, const MotionLimits& limits, const ExciteOptions& options = {});

// The condition number that `excite` minimises.
double condition_of(const Model<double>& model, const MotionLimits& limits, const FourierMotion& motion,
                    const IdentifyOptions& unknowns = {});

}  // namespace lw
