// Inertial and friction parameters of a mechanism from a log of its motion and torques.
//
// Torques are linear in the unknowns x = (base parameters, friction):
//   τ = [Y_base(q, q̇, q̈)  F(q̇)] x + known + noise,   F: q̇ (viscous), σ(q̇) (Coulomb), 1 (offset)
// where `known` does not depend on the unknowns: springs and, if friction is estimated only in some joints, the model's
// friction in the others (with bearings and drives under the loads of the given model). Rows of joint j are divided by
// the standard deviation of its noise, σ_j² = |r_j|²/(n_j − h_j), with r_j the residuals of the previous pass and h_j
// the sum of the rows' leverages (the first pass has equal weights); then x = argmin |W (A x − b)| with covariance
// (AᵀW²A)⁻¹, computed by orthogonal factorisation, never by AᵀA. In directions that the log does not determine, x keeps
// the model's values.
//
// Without measured accelerations, or if a cut-off is given, positions and velocities are filtered (low_pass.hpp) and
// differentiated. The same filter is applied to torques AND columns of A: a linear filter on both sides of a linear
// equation causes no bias, not even with Coulomb's jumps. Afterwards every ⌊rate/(2 cut-off)⌋-th row is kept, so that
// the remaining noise is nearly independent from row to row, as the standard deviations assume. (Gautier 1997;
// docs/theory/identification.md)
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../../dynamics/friction/friction.hpp"
#include "../../dynamics/parameters/base_parameters.hpp"

namespace lw {

// One sample per row.
struct MotionLog {
  std::vector<double> t;                             // increasing; at equal steps if filtered or differentiated
  std::vector<std::vector<double>> q, qd, qdd, tau;  // qd, qdd: empty if not measured
};

struct IdentifyOptions {
  bool viscous = true, coulomb = true, offset = false;
  std::vector<std::string> friction_joints;  // empty: all. The others keep the model's friction
  // Hz; 0: none. Absent: a twentieth of the sampling rate if accelerations are missing, else none
  std::optional<double> filter;
  double still = 0.0;    // rows of a joint with Coulomb friction that is not faster than this are omitted
  double holdout = 0.0;  // this fraction of the log, at its end, is predicted instead of fitted
};

// A friction term to be estimated. `joint` is an index in model.joints.
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
  const std::vector<double>& start() const { return start_; }  // the model's values

  // For each velocity: whether its friction, estimated or known, is undetermined at rest.
  const std::vector<bool>& dry() const { return dry_; }

  // A (nv × size()) by columns, and `known`.
  void columns(Workspace<double>& work, In<double> q, In<double> qd, In<double> qdd, Out<double> A, Out<double> known);

 private:
  const Model<double>& model_;
  Model<double> weightless_;  // without the unknown parts
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
  double deviation;   // infinite if not identifiable
  bool identifiable;  // from this log; otherwise only in combination with others
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

// Throws Error(data) if the log is unsuitable: sizes, times, fewer equations than unknowns.
Identification identify(const Model<double>& model, const MotionLog& log, const IdentifyOptions& options = {});

}  // namespace lw
