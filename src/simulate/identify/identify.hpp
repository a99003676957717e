// Inertial and friction parameters of a mechanism from a log of its motion and torques.
//
// Torques are linear in what is sought, x = (base parameters, friction):
//   τ = [Y_base(q, q̇, q̈)  F(q̇)] x + known + noise,   F: q̇ (viscous), σ(q̇) (Coulomb), 1 (offset)
// with `known` what acts whatever the parameters are: springs, and where friction is sought in some joints only, what
// the model has of it in the others. (Of the others' bearings and drives, under the loads of the model as it is.) Rows
// of joint j are divided by the deviation of its noise, σ_j² = |r_j|²/(n_j − h_j), r_j the residuals of the pass
// before, h_j the sum of the rows' leverages (a first pass has equal weights); then x = argmin |W (A x − b)|, its
// covariance is (AᵀW²A)⁻¹. All by orthogonal triangles, never by AᵀA. Of directions that the log does not show, x has
// what the model has.
//
// Without measured accelerations, or where a cut-off is given, positions and velocities are filtered (low_pass.hpp) and
// differenced. The same filter then goes over torques AND columns of A: a linear filter on both sides of a linear
// equation biases nothing, not even Coulomb's jumps. Afterwards every ⌊rate/(2 cut-off)⌋-th row is kept, so that the
// noise that is left is nearly independent from row to row, which the deviations presume. (Gautier 1997;
// docs/theory/identification.md)
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../../dynamics/friction/friction.hpp"
#include "../../dynamics/parameters/base_parameters.hpp"

namespace lw {

// A sample a row.
struct MotionLog {
  std::vector<double> t;                             // rising; at equal steps where filtered or differenced
  std::vector<std::vector<double>> q, qd, qdd, tau;  // qd, qdd: empty where they were not measured
};

struct IdentifyOptions {
  bool viscous = true, coulomb = true, offset = false;
  std::vector<std::string> friction_joints;  // empty: all. In the others it is what the model has
  // Hz; 0: none. Absent: a twentieth of the sampling rate if accelerations are missing, else none
  std::optional<double> filter;
  double still = 0.0;    // rows of a joint with Coulomb friction that is no faster than this are left out
  double holdout = 0.0;  // this part of the log, the end of it, is predicted instead of fitted
};

// A term of friction that is sought. `joint` counts in model.joints.
struct FrictionTerm {
  enum class Kind { viscous, coulomb, offset } kind;
  std::size_t joint;
};

// The unknowns of a model, and their columns.
class Unknowns {
 public:
  Unknowns(const Model<double>& model, const IdentifyOptions& options);

  std::size_t size() const { return base_.base.size() + friction_.size(); }
  const BaseParameters<double>& base() const { return base_; }
  const std::vector<FrictionTerm>& friction() const { return friction_; }
  std::string name(std::size_t k) const;                       // "link3.mx", "elbow.coulomb"
  const std::vector<double>& start() const { return start_; }  // what the model has

  // Of each velocity: whether its friction, sought or known, is anything where it rests.
  const std::vector<bool>& dry() const { return dry_; }

  // A (nv × size()) by columns, and `known`.
  void columns(Workspace<double>& work, In<double> q, In<double> qd, In<double> qdd, Out<double> A, Out<double> known);

 private:
  const Model<double>& model_;
  Model<double> weightless_;  // without what is sought
  std::vector<double> damping_;
  Losses<double> losses_;
  BaseParameters<double> base_;
  std::vector<FrictionTerm> friction_;
  std::vector<double> width_;  // of each velocity: within which σ is gradual
  std::vector<bool> keeps_;    // of each velocity: its friction is known
  std::vector<bool> dry_;
  std::vector<double> start_, Y_;
};

struct Estimate {
  std::string name;
  double start, value;
  double deviation;   // infinite where it is not identifiable
  bool identifiable;  // from this log; otherwise only in combination
};

struct JointFit {
  std::string name;  // of the velocity
  std::size_t rows = 0, holdout_rows = 0;
  double torque_rms = 0.0, noise = 0.0;  // deviation of the noise, by which its rows were divided
  double residual_rms = 0.0, holdout_rms = 0.0;
};

struct Identification {
  std::vector<Estimate> estimates;  // of base parameters, then of friction
  std::vector<JointFit> joints;     // one a velocity
  BaseParameters<double> base;
  std::vector<FrictionTerm> friction;
  double condition = 0.0;  // of W A with columns of length one, what is not identifiable left out
  int rank = 0;
  double rate = 0.0, filter = 0.0;  // Hz; filter 0: none
  std::size_t samples = 0;          // that were used, of fit and holdout
  // by columns: the triangle R whose RᵀR is AᵀW²A, so that |R (x − estimate)|² is what x fits worse
  std::vector<double> information;
};

// Throws Error(data) where the log does not suit: sizes, times, fewer equations than unknowns.
Identification identify(const Model<double>& model, const MotionLog& log, const IdentifyOptions& options = {});

}  // namespace lw
