// CVODE of SUNDIALS: backward differentiation formulas of order 1 to 5 with its own steps, for stiff systems.
//
// Its history needs a vector space that does not change from step to step, so y = (q, v, z) contains the quaternions
// themselves. This is exact: q̇ = ½ q ⊗ ω is linear in q, and everything else depends only on q/|q|, so the motion is
// independent of |q|, which deviates by the tolerance and is normalised in every state returned. There is no
// projection, and no chart that ends after a turn.
//
// The Newton matrix uses the system's own derivatives: with δθ = 2 (q⁻¹ ⊗ δq) and δx = Rᵀ δp as displacements along the
// velocities, ∂a/∂(q, v) of `System::jacobian`, and ∂q̇/∂(q, v). A system without them gets fixed-point iterations.
#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>

#include <cvodes/cvodes.h>
#include <fmt/format.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "../../model/coordinate_rates.hpp"
#include "one_step.hpp"

namespace lw {
namespace {

// Sundials' things end with the integrator.
template <class T, auto Free>
struct OfSundials {
  T thing = nullptr;
  OfSundials() = default;
  OfSundials(const OfSundials&) = delete;
  OfSundials& operator=(const OfSundials&) = delete;
  ~OfSundials() { reset(nullptr); }
  void reset(T other) {
    if (thing != nullptr) Free(thing);
    thing = other;
  }
};
void end_cvode_memory(void* memory) { CVodeFree(&memory); }
void end_cvode_context(SUNContext context) { SUNContext_Free(&context); }
void end_cvode_linear(SUNLinearSolver solver) { SUNLinSolFree(solver); }
void end_cvode_nonlinear(SUNNonlinearSolver solver) { SUNNonlinSolFree(solver); }

class Cvode : public Integrator {
 public:
  explicit Cvode(const IntegratorOptions& options) : options_(options) {
    SUNContext context = nullptr;
    SUNContext_Create(nullptr, &context);
    context_.reset(context);
  }

  void step(System& system, MotionState& state, double until) override {
    require(until > state.t, "steps must go forward in time");
    if (&system != system_) prepare(system);
    if (system.begin(state)) fresh_ = true;
    if (fresh_) start(state);
    check(CVodeSetStopTime(memory_.thing, until), state);
    from_ = state.t;
    double t = state.t;
    const int result = CVode(memory_.thing, until, y_.thing, &t, CV_ONE_STEP);
    count();
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    if (result < 0) refuse(result, state);
    double next = 0.0;
    CVodeGetCurrentStep(memory_.thing, &next);
    if (t < until && next <= 16.0 * std::numeric_limits<double>::epsilon() * std::abs(t)) refuse(CV_ERR_FAILURE, state);
    state.t = t;
    give(y_.thing, state);
  }

  void at(double t, MotionState& out) override {
    out.q.resize(nq_);
    out.v.resize(nv_);
    out.z.resize(nz_);
    CVodeGetDky(memory_.thing, std::max(t, from_), 0, other_.thing);
    give(other_.thing, out);
    out.t = t;
  }

  void forget() override { fresh_ = true; }

 private:
  void prepare(System& system) {
    system_ = &system;
    chart_ = Chart(system.model());
    nq_ = static_cast<std::size_t>(system.model().nq);
    nv_ = static_cast<std::size_t>(system.model().nv);
    nz_ = static_cast<std::size_t>(system.nz());
    const auto n = static_cast<sunindextype>(nq_ + nv_ + nz_);
    memory_.reset(nullptr);
    for (auto* vector : {&y_, &other_, &allowed_}) vector->reset(N_VNew_Serial(n, context_.thing));
    matrix_.reset(SUNDenseMatrix(n, n, context_.thing));
    linear_.reset(SUNLinSol_Dense(y_.thing, matrix_.thing, context_.thing));
    unit_.assign(nq_, 0.0);
    d_q_.assign(nv_ * nv_, 0.0);
    d_v_ = d_q_;
    std::fill_n(N_VGetArrayPointer(allowed_.thing), n, options_.atol);
    for (const Chart::Turn& r : chart_.rotations()) {
      std::fill_n(N_VGetArrayPointer(allowed_.thing) + r.q, 4, options_.atol + options_.rtol);
    }
    fresh_ = true;
  }

  void start(const MotionState& state) {
    double* const y = N_VGetArrayPointer(y_.thing);
    std::copy(state.q.begin(), state.q.end(), y);
    std::copy(state.v.begin(), state.v.end(), y + nq_);
    std::copy(state.z.begin(), state.z.end(), y + nq_ + nv_);
    fresh_ = false;
    if (memory_.thing != nullptr) return check(CVodeReInit(memory_.thing, state.t, y_.thing), state);
    memory_.reset(CVodeCreate(CV_BDF, context_.thing));
    check(CVodeInit(memory_.thing, &Cvode::slopes, state.t, y_.thing), state);
    CVodeSetUserData(memory_.thing, this);
    CVodeSetErrFile(memory_.thing, nullptr);
    check(CVodeSVtolerances(memory_.thing, options_.rtol, allowed_.thing), state);
    if (options_.step > 0.0) CVodeSetInitStep(memory_.thing, options_.step);
    if (options_.longest > 0.0) CVodeSetMaxStep(memory_.thing, options_.longest);
    if (options_.shortest > 0.0) CVodeSetMinStep(memory_.thing, options_.shortest);
    if (system_->jacobian(state.t, state.q, state.v, d_q_, d_v_)) {
      check(CVodeSetLinearSolver(memory_.thing, linear_.thing, matrix_.thing), state);
      check(CVodeSetJacFn(memory_.thing, &Cvode::jacobian), state);
    } else {
      nonlinear_.reset(SUNNonlinSol_FixedPoint(y_.thing, 3, context_.thing));
      check(CVodeSetNonlinearSolver(memory_.thing, nonlinear_.thing), state);
    }
  }

  void give(N_Vector vector, MotionState& out) const {
    const double* const y = N_VGetArrayPointer(vector);
    std::copy_n(y, nq_, out.q.begin());
    normalise(out.q);
    std::copy_n(y + nq_, nv_, out.v.begin());
    std::copy_n(y + nq_ + nv_, nz_, out.z.begin());
  }

  void normalise(std::span<double> q) const {
    for (const Chart::Turn& r : chart_.rotations()) {
      const double length =
          std::sqrt(q[r.q] * q[r.q] + q[r.q + 1] * q[r.q + 1] + q[r.q + 2] * q[r.q + 2] + q[r.q + 3] * q[r.q + 3]);
      for (std::size_t k = 0; k < 4; ++k) q[r.q + k] /= length;
    }
  }

  // For CVODE: 1 where a shorter step may help, −1 where none does.
  template <class Body>
  int guarded(const Body& body) {
    try {
      body();
      return 0;
    } catch (const NotFinite& e) {
      why_ = e.what();
      return 1;
    } catch (...) {
      failure_ = std::current_exception();
      return -1;
    }
  }

  static int slopes(double t, N_Vector at, N_Vector rate, void* self) {
    return static_cast<Cvode*>(self)->find_slopes(t, N_VGetArrayPointer(at), N_VGetArrayPointer(rate));
  }
  int find_slopes(double t, const double* y, double* dy) {
    return guarded([&] {
      const std::span<const double> q(y, nq_), v(y + nq_, nv_), z(y + nq_ + nv_, nz_);
      std::copy(q.begin(), q.end(), unit_.begin());
      normalise(unit_);
      coordinate_rates<double>(system_->model(), unit_, v, {dy, nq_});
      for (const Chart::Turn& r : chart_.rotations()) scale_turn(q, r, dy);
      system_->slopes(t, unit_, v, z, {dy + nq_, nv_}, {dy + nq_ + nv_, nz_});
    });
  }
  // ½ q ⊗ ω from that of the unit quaternion.
  void scale_turn(std::span<const double> q, const Chart::Turn& r, double* dy) const {
    std::size_t largest = 0;
    for (std::size_t k = 1; k < 4; ++k) {
      if (std::abs(unit_[r.q + k]) > std::abs(unit_[r.q + largest])) largest = k;
    }
    const double length = q[r.q + largest] / unit_[r.q + largest];
    for (std::size_t k = 0; k < 4; ++k) dy[r.q + k] *= length;
  }

  static int jacobian(double t, N_Vector at, N_Vector, SUNMatrix J, void* self, N_Vector, N_Vector, N_Vector) {
    return static_cast<Cvode*>(self)->find_jacobian(t, N_VGetArrayPointer(at), J);
  }
  int find_jacobian(double t, const double* y, SUNMatrix J) {
    return guarded([&] {
      ++counts_.jacobians;
      const std::span<const double> q(y, nq_), v(y + nq_, nv_);
      std::copy(q.begin(), q.end(), unit_.begin());
      normalise(unit_);
      SUNMatZero(J);
      system_->jacobian(t, unit_, v, d_q_, d_v_);
      const auto entry = [&](std::size_t row, std::size_t column) -> double& {
        return SM_ELEMENT_D(J, static_cast<sunindextype>(row), static_cast<sunindextype>(column));
      };
      for (std::size_t k = 0; k < nv_; ++k) {
        for (std::size_t i = 0; i < nv_; ++i) entry(nq_ + i, nq_ + k) = d_v_[k * nv_ + i];
      }
      for (const JointInfo& joint : system_->model().joints) {
        if (joint.type == JointType::spherical || joint.type == JointType::floating) continue;
        const auto q0 = static_cast<std::size_t>(joint.q), v0 = static_cast<std::size_t>(joint.v);
        for (std::size_t k = 0; k < static_cast<std::size_t>(velocities(joint.type)); ++k) {
          entry(q0 + k, nq_ + v0 + k) = 1.0;
          for (std::size_t i = 0; i < nv_; ++i) entry(nq_ + i, q0 + k) = d_q_[(v0 + k) * nv_ + i];
        }
      }
      for (const Chart::Turn& r : chart_.rotations()) turn_columns(r, v, entry);
    });
  }

  template <class Entry>
  void turn_columns(const Chart::Turn& r, std::span<const double> v, const Entry& entry) const {
    const double x = unit_[r.q], y = unit_[r.q + 1], z = unit_[r.q + 2], w = unit_[r.q + 3];
    // ½ q ⊗ ω = G ω, G = ½ times these; Gᵀ times 4 gives δθ of δq
    const double G[4][3] = {{w, -z, y}, {z, w, -x}, {-y, x, w}, {-x, -y, -z}};
    const double a = 0.5 * v[r.v], b = 0.5 * v[r.v + 1], c = 0.5 * v[r.v + 2];
    const double spin[4][4] = {{0, c, -b, a}, {-c, 0, a, b}, {b, -a, 0, c}, {-a, -b, -c, 0}};
    const Mat3<double> R = rotation_from_quaternion(x, y, z, w);
    for (std::size_t k = 0; k < 4; ++k) {
      for (std::size_t j = 0; j < 3; ++j) entry(r.q + k, nq_ + r.v + j) = 0.5 * G[k][j];
      for (std::size_t j = 0; j < 4; ++j) entry(r.q + k, r.q + j) = spin[k][j];
      for (std::size_t i = 0; i < nv_; ++i) {
        double sum = 0.0;
        for (std::size_t j = 0; j < 3; ++j) sum += d_q_[(r.v + j) * nv_ + i] * 2.0 * G[k][j];
        entry(nq_ + i, r.q + k) = sum;
      }
    }
    if (!r.floats) return;
    const std::size_t place = r.q - 3, slide = r.v + 3;
    const Vec3<double> along(v[slide], v[slide + 1], v[slide + 2]);
    const Mat3<double> swung = R * skew(along);  // δ(R v) = R (δθ × v) = −R [v] δθ
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t j = 0; j < 3; ++j)
        entry(place + k, nq_ + slide + j) = R(static_cast<int>(k), static_cast<int>(j));
      for (std::size_t j = 0; j < 4; ++j) {
        double sum = 0.0;
        for (std::size_t i = 0; i < 3; ++i) sum -= swung(static_cast<int>(k), static_cast<int>(i)) * 2.0 * G[j][i];
        entry(place + k, r.q + j) = sum;
      }
      for (std::size_t i = 0; i < nv_; ++i) {
        double sum = 0.0;
        for (std::size_t j = 0; j < 3; ++j) {
          sum += d_q_[(slide + j) * nv_ + i] * R(static_cast<int>(k), static_cast<int>(j));
        }
        entry(nq_ + i, place + k) = sum;
      }
    }
  }

  void count() {
    long steps = 0, slopes_so_far = 0, failed = 0;
    CVodeGetNumSteps(memory_.thing, &steps);
    CVodeGetNumRhsEvals(memory_.thing, &slopes_so_far);
    CVodeGetNumErrTestFails(memory_.thing, &failed);
    counts_.steps += 1;
    if (steps <= 1) seen_slopes_ = seen_failed_ = 0;
    counts_.slopes += slopes_so_far - seen_slopes_;
    counts_.rejected += failed - seen_failed_;
    seen_slopes_ = slopes_so_far;
    seen_failed_ = failed;
  }

  void check(int result, const MotionState& state) const {
    if (result < 0) refuse(result, state);
  }
  [[noreturn]] void refuse(int result, const MotionState& state) const {
    double h = 0.0;
    CVodeGetCurrentStep(memory_.thing, &h);
    std::string joint = worst_joint();
    const char* const reason =
        result == CV_TOO_MUCH_ACC   ? "the tolerance is beyond double precision"
        : result == CV_CONV_FAILURE ? "Newton's method does not converge"
        : result == CV_ERR_FAILURE  ? "steps shrink to nothing"
        : result == CV_RHSFUNC_FAIL || result == CV_REPTD_RHSFUNC_ERR || result == CV_FIRST_RHSFUNC_ERR
            ? "there are no accelerations"
            : "it gives up";
    throw Error(ErrorCode::data, fmt::format("cvode: {} ({:.1e} s), mainly because of `{}`, at {}{}{}", reason, h,
                                             joint, system_->describe(state), why_.empty() ? "" : ": ", why_));
  }
  // Whose error is the largest.
  std::string worst_joint() const {
    if (CVodeGetEstLocalErrors(memory_.thing, other_.thing) != CV_SUCCESS)
      return system_->model().velocity_names.front();
    const double* const e = N_VGetArrayPointer(other_.thing) + nq_;
    const auto worst = std::max_element(e, e + nv_, [](double a, double b) { return std::abs(a) < std::abs(b); }) - e;
    return system_->model().velocity_names[static_cast<std::size_t>(worst)];
  }

  IntegratorOptions options_;
  OfSundials<SUNContext, end_cvode_context> context_;
  OfSundials<N_Vector, N_VDestroy> y_, other_, allowed_;
  OfSundials<SUNMatrix, SUNMatDestroy> matrix_;
  OfSundials<SUNLinearSolver, end_cvode_linear> linear_;
  OfSundials<SUNNonlinearSolver, end_cvode_nonlinear> nonlinear_;
  OfSundials<void*, end_cvode_memory> memory_;
  System* system_ = nullptr;
  Chart chart_;
  std::size_t nq_ = 0, nv_ = 0, nz_ = 0;
  std::vector<double> unit_, d_q_, d_v_;
  bool fresh_ = true;
  double from_ = 0.0;
  long seen_slopes_ = 0, seen_failed_ = 0;
  std::string why_;
  std::exception_ptr failure_;
};

}  // namespace

std::unique_ptr<Integrator> make_cvode(const IntegratorOptions& options) { return std::make_unique<Cvode>(options); }

}  // namespace lw
