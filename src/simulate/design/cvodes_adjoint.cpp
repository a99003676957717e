#include "cvodes_adjoint.hpp"

#include <algorithm>

#include <cvodes/cvodes.h>
#include <fmt/format.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "../../base/error.hpp"

namespace lw {
namespace {

constexpr long kMostCvodesSteps = 10'000'000;

void check_cvodes(int result, const char* what, double t) {
  if (result >= 0) return;
  throw Error(ErrorCode::data,
              fmt::format("CVODES gives up at t = {:.9g} s ({}: {})", t, what, CVodeGetReturnFlagName(result)));
}

}  // namespace

// One interval between instants, in which nothing jumps.
struct CvodesAdjoint::Interval {
  Parametric& system;
  double from, to;
  CvodesAdjointOptions options;
  SUNContext context = nullptr;
  N_Vector y = nullptr, lambda = nullptr, sum = nullptr;
  void* memory = nullptr;
  SUNNonlinearSolver forward = nullptr, backward = nullptr;
  int which = -1;

  Interval(Parametric& s, double a, double b, std::span<double> state, const CvodesAdjointOptions& o)
      : system(s), from(a), to(b), options(o) {
    const auto n = static_cast<sunindextype>(system.states());
    SUNContext_Create(nullptr, &context);
    y = N_VNew_Serial(n, context);
    lambda = N_VNew_Serial(n, context);
    sum = N_VNew_Serial(std::max<sunindextype>(1, static_cast<sunindextype>(system.parameters())), context);
    std::copy(state.begin(), state.end(), N_VGetArrayPointer(y));
    memory = CVodeCreate(CV_ADAMS, context);
    CVodeSetErrFile(memory, nullptr);
    CVodeSetUserData(memory, this);
    system.enter(from, to);
    check_cvodes(CVodeInit(memory, &Interval::rates, from, y), "begin", from);
    check_cvodes(CVodeSStolerances(memory, options.rtol, options.atol), "tolerances", from);
    forward = SUNNonlinSol_FixedPoint(y, 0, context);
    check_cvodes(CVodeSetNonlinearSolver(memory, forward), "solver", from);
    check_cvodes(CVodeSetMaxNumSteps(memory, kMostCvodesSteps), "steps", from);
    check_cvodes(CVodeSetStopTime(memory, to), "end", from);
    check_cvodes(CVodeAdjInit(memory, options.checkpoint_steps, CV_HERMITE), "checkpoints", from);
    double t = from;
    int checkpoints = 0;
    check_cvodes(CVodeF(memory, to, y, &t, CV_NORMAL, &checkpoints), "forward", t);
    std::copy_n(N_VGetArrayPointer(y), state.size(), state.begin());
  }
  ~Interval() {
    CVodeFree(&memory);
    SUNNonlinSolFree(forward);
    if (backward != nullptr) SUNNonlinSolFree(backward);
    for (N_Vector v : {y, lambda, sum}) N_VDestroy(v);
    SUNContext_Free(&context);
  }
  Interval(const Interval&) = delete;
  Interval& operator=(const Interval&) = delete;

  // λ from the end of the interval to its beginning; b̄ is added to.
  void back(std::vector<double>& adjoint, std::span<double> b_bar) {
    system.enter(from, to);
    std::copy(adjoint.begin(), adjoint.end(), N_VGetArrayPointer(lambda));
    N_VConst(0.0, sum);
    if (which < 0) {
      check_cvodes(CVodeCreateB(memory, CV_ADAMS, &which), "begin", to);
      check_cvodes(CVodeInitB(memory, which, &Interval::adjoint_rates, to, lambda), "begin", to);
      check_cvodes(CVodeSStolerancesB(memory, which, options.rtol, options.atol), "tolerances", to);
      CVodeSetUserDataB(memory, which, this);
      CVodeSetMaxNumStepsB(memory, which, kMostCvodesSteps);
      backward = SUNNonlinSol_FixedPoint(lambda, 0, context);
      check_cvodes(CVodeSetNonlinearSolverB(memory, which, backward), "solver", to);
      check_cvodes(CVodeQuadInitB(memory, which, &Interval::parameter_rates, sum), "quadrature", to);
      check_cvodes(CVodeSetQuadErrConB(memory, which, SUNTRUE), "quadrature", to);
      check_cvodes(CVodeQuadSStolerancesB(memory, which, options.rtol, options.atol), "quadrature", to);
    } else {
      check_cvodes(CVodeReInitB(memory, which, to, lambda), "begin", to);
      check_cvodes(CVodeQuadReInitB(memory, which, sum), "quadrature", to);
    }
    check_cvodes(CVodeB(memory, from, CV_NORMAL), "backward", to);
    double t = from;
    check_cvodes(CVodeGetB(memory, which, &t, lambda), "backward", from);
    check_cvodes(CVodeGetQuadB(memory, which, &t, sum), "quadrature", from);
    std::copy_n(N_VGetArrayPointer(lambda), adjoint.size(), adjoint.begin());
    for (std::size_t k = 0; k < b_bar.size(); ++k) b_bar[k] += N_VGetArrayPointer(sum)[k];
  }

  std::span<double> values(N_Vector v) const { return {N_VGetArrayPointer(v), system.states()}; }

  static int rates(double t, N_Vector state, N_Vector f, void* self) {
    const auto& i = *static_cast<const Interval*>(self);
    i.system.value(Parametric::Of::rates, t, i.values(state), i.values(f));
    return finite(i.values(f)) ? 0 : 1;
  }
  static int adjoint_rates(double t, N_Vector state, N_Vector adjoint, N_Vector f, void* self) {
    const auto& i = *static_cast<const Interval*>(self);
    std::vector<double> unused(i.system.parameters());
    N_VConst(0.0, f);
    i.system.back(Parametric::Of::rates, t, i.values(state), i.values(adjoint), i.values(f), unused);
    N_VScale(-1.0, f, f);
    return finite(i.values(f)) ? 0 : 1;
  }
  // Backward in time: what is integrated is minus what is wanted.
  static int parameter_rates(double t, N_Vector state, N_Vector adjoint, N_Vector f, void* self) {
    const auto& i = *static_cast<const Interval*>(self);
    std::vector<double> unused(i.system.states());
    N_VConst(0.0, f);
    i.system.back(Parametric::Of::rates, t, i.values(state), i.values(adjoint), unused,
                  {N_VGetArrayPointer(f), i.system.parameters()});
    N_VScale(-1.0, f, f);
    return 0;
  }
  static bool finite(std::span<const double> x) {
    return std::all_of(x.begin(), x.end(), [](double e) { return e - e == 0.0; });
  }
};

CvodesAdjoint::CvodesAdjoint(Parametric& system, std::vector<double> y0, double t0, std::vector<double> times,
                             const CvodesAdjointOptions& options)
    : n_(system.states()) {
  double t = t0;
  for (const double end : times) {
    intervals_.push_back(end > t ? std::make_unique<Interval>(system, t, end, y0, options) : nullptr);
    marks_.insert(marks_.end(), y0.begin(), y0.end());
    t = end;
  }
}

CvodesAdjoint::~CvodesAdjoint() = default;

std::span<const double> CvodesAdjoint::at(std::size_t k) const { return {&marks_[k * n_], n_}; }

void CvodesAdjoint::back(std::span<const double> weights, std::span<double> y0_bar, std::span<double> b_bar) {
  std::vector<double> lambda(n_, 0.0);
  for (std::size_t m = intervals_.size(); m-- > 0;) {
    for (std::size_t c = 0; c < n_; ++c) lambda[c] += weights[m * n_ + c];
    if (intervals_[m] != nullptr) intervals_[m]->back(lambda, b_bar);
  }
  for (std::size_t c = 0; c < n_; ++c) y0_bar[c] += lambda[c];
}

}  // namespace lw
