// A mechanism in motion as a differential equation: q̇ = rates(q, v), v̇ = a(t, q, v), ż = g(t, q, v, z).
//
// q are coordinates (nq, quaternions among them), v velocities (nv), z what is integrated along with them: work,
// losses, variations. How q follows v is the model's (model/coordinate_rates.hpp), the rest a System's.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "../../base/error.hpp"
#include "../../model/model.hpp"

namespace lw {

struct MotionState {
  double t = 0.0;
  std::vector<double> q, v, z;
};

// Accelerations that are not numbers, at the instant and joint that `what` names. Integrators that choose their steps
// try a smaller one before they let it pass.
struct NotFinite : Error {
  explicit NotFinite(const std::string& message) : Error(ErrorCode::data, message) {}
};

// A dead centre: a pose of loops that the independent joints do not determine.
struct ModesMeet : Error {
  explicit ModesMeet(const std::string& message) : Error(ErrorCode::data, message) {}
};

// A pose in which branches of the motion meet, reached so that none of them is its continuation: without speed, or
// along a tangent that several have.
struct BranchUndecided : Error {
  explicit BranchUndecided(const std::string& message) : Error(ErrorCode::data, message) {}
};

// "not a number", "infinite": for messages.
const char* fault_of(double x);

class System {
 public:
  explicit System(Model<double> model) : model_(std::move(model)) {}
  virtual ~System() = default;
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  const Model<double>& model() const { return model_; }
  virtual int nz() const { return 0; }

  // nv accelerations and nz rates; quaternions have length 1. Not const: workspaces. Throws NotFinite (see
  // require_finite).
  virtual void slopes(double t, std::span<const double> q, std::span<const double> v, std::span<const double> z,
                      std::span<double> a, std::span<double> dz) = 0;

  // ∂a/∂q along the velocities and ∂a/∂v, nv × nv by columns: for implicit integrators, exact or near enough for
  // Newton's method. False where there is none.
  virtual bool jacobian(double t, std::span<const double> q, std::span<const double> v, std::span<double> d_q,
                        std::span<double> d_v);

  // Dry friction makes slopes jump. What they jump by (directions, what sticks) is decided at the beginning of a step
  // and kept for all of it: every integrator calls `begin` there, and `advance` (advance.hpp) ends the step where the
  // decision ceases to hold. `begin` says whether the slopes at this state are others than before it.
  virtual bool begin(const MotionState&) { return false; }
  virtual bool still_holds(const MotionState&) { return true; }
  // At the first state that it does not hold for: velocities that have just passed zero are zero. Their names, if any.
  virtual std::vector<std::string> settle(MotionState&) { return {}; }

  // Loops: brings what an integrator or its interpolation has left of them back to their closures. For every state that
  // is shown or gone on from. Throws ModesMeet where they cannot be closed near it.
  virtual void close(MotionState&) {}
  // In how many parts a step must be looked at for no mode to be left and another entered unseen.
  virtual int parts(const MotionState&, const MotionState&) const { return 1; }
  // Whether the motion from one closed state to a later one can be relied on. shorter: something may have been stepped
  // over; branch: the loops come to a pose in which branches of the motion meet (branch_crossing.hpp). Throws ModesMeet
  // at a dead centre. beside: it is next to such a pose, and has not gone through.
  enum class Passage { free, shorter, beside, branch };
  virtual Passage passage(const MotionState&, const MotionState&) { return Passage::free; }
  // Whether a closed state is so near to such a pose that its closures barely tell velocities; how long it is until
  // there, going straight on (negative: since then); and what to say of it.
  virtual bool is_near_branch(const MotionState&) { return false; }
  virtual bool may_pass_by(const MotionState&) { return true; }  // not so near that no ordinary step could be made
  virtual double time_to_branch(const MotionState&) { return 0.0; }
  virtual std::string describe_branch(const MotionState&) { return {}; }

  // "t = 0.25 s; q = …; qd = …", for messages.
  std::string describe(double t, std::span<const double> q, std::span<const double> v) const;
  std::string describe(const MotionState& s) const { return describe(s.t, s.q, s.v); }

  // The model's home pose at rest, z = 0.
  MotionState home() const;
  // Throws Error(usage) where sizes are not the model's, Error(data) where numbers are not finite or quaternions have
  // no length. These are made unit quaternions.
  void check(MotionState& state) const;

 protected:
  void require_finite(double t, std::span<const double> q, std::span<const double> v, std::span<const double> a) const;

 private:
  Model<double> model_;
};

}  // namespace lw
