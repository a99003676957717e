#include "complex_step_run.hpp"

#include <memory>

#include "../dynamics/aba.hpp"
#include "../graph/interpreter.hpp"

namespace lw {
namespace {

using Steps = std::vector<ComplexStep>;

class ComplexRates {
 public:
  ComplexRates(const DesignSystem& system, std::span<const double> db)
      : system_(system),
        torques_(system.functions().torques),
        at_accelerations_(system.functions().at_accelerations),
        traced_(system.functions().rates.value) {
    for (std::size_t k = 0; k < db.size(); ++k) b_.emplace_back(system.at()[k], db[k] * kComplexStep);
  }

  void operator()(double t, double inside, std::span<const ComplexStep> y, std::span<ComplexStep> f) {
    const std::size_t nq = system_.nq(), nv = system_.nv();
    std::vector<double> u(nv, 0.0);
    if (system_.options().inputs) system_.options().inputs(t, inside, u);
    Steps x{complex_time(t)};
    x.insert(x.end(), u.begin(), u.end());
    x.insert(x.end(), y.begin(), y.begin() + static_cast<std::ptrdiff_t>(nq + nv));
    x.insert(x.end(), b_.begin(), b_.end());
    if (system_.options().friction) {
      traced_(x, f);
      return;
    }
    Steps tau(nv), a(nv), rates(f.size() - nv);
    torques_(x, tau);
    const Model<ComplexStep> model = system_.design().model<ComplexStep>(b_, ComplexStep(t));
    Workspace<ComplexStep> work(model);
    aba<ComplexStep>(model, work, y.subspan(0, nq), y.subspan(nq, nv), tau, a);
    x.insert(x.begin(), a.begin(), a.end());
    at_accelerations_(x, rates);
    std::copy_n(rates.begin(), nq, f.begin());
    std::copy(a.begin(), a.end(), f.begin() + static_cast<std::ptrdiff_t>(nq));
    std::copy(rates.begin() + static_cast<std::ptrdiff_t>(nq), rates.end(),
              f.begin() + static_cast<std::ptrdiff_t>(nq + nv));
  }

 private:
  const DesignSystem& system_;
  Interpreter<ComplexStep> torques_, at_accelerations_, traced_;
  Steps b_;
};

}  // namespace

std::vector<double> complex_step_along(const DesignSystem& system, const RecordedRun& run, std::span<const double> y0,
                                       std::span<const double> dy0, std::span<const double> db) {
  ComplexRates rates(system, db);
  const std::size_t n = system.states(), s = run.stages();
  Steps y, Y(n), k(s * n);
  for (std::size_t c = 0; c < n; ++c) y.emplace_back(y0[c], dy0[c] * kComplexStep);
  std::vector<double> all;
  double begin = run.steps() > 0 ? run.start(0) : 0.0;
  for (std::size_t m = 0; m < run.times().size(); ++m) {
    const std::size_t last = m + 1 < run.times().size() ? run.first_step(m + 1) : run.steps();
    const double inside = 0.5 * (begin + run.times()[m]);
    for (std::size_t i = run.first_step(m); i < last; ++i) {
      const double h = run.step(i);
      for (std::size_t j = 0; j < s; ++j) {
        Y = y;
        for (std::size_t l = 0; l < j; ++l) {
          for (std::size_t c = 0; c < n; ++c) Y[c] += ComplexStep(h * run.tableau().A[j][l]) * k[l * n + c];
        }
        rates(run.start(i) + run.tableau().c[j] * h, inside, Y, {&k[j * n], n});
      }
      for (std::size_t j = 0; j < s; ++j) {
        for (std::size_t c = 0; c < n; ++c) y[c] += ComplexStep(h * run.tableau().b[j]) * k[j * n + c];
      }
      for (const std::size_t first : system.quaternions()) {
        ComplexStep square(0.0);
        for (std::size_t c = 0; c < 4; ++c) square += y[first + c] * y[first + c];
        const ComplexStep length = sqrt(square);
        for (std::size_t c = 0; c < 4; ++c) y[first + c] /= length;
      }
    }
    for (const ComplexStep& x : y) all.push_back(derivative_of(x));
    begin = run.times()[m];
  }
  return all;
}

}  // namespace lw
