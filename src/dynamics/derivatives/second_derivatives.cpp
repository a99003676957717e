#include "second_derivatives.hpp"

#include "../../model/coordinate_rates.hpp"
#include "inverse_derivatives.hpp"

namespace lw {

SecondDerivatives second_inverse_derivatives(const Mechanism& mechanism, std::span<const double> q,
                                             std::span<const double> qd, std::span<const double> qdd) {
  const Model<double> model = instantiate<double>(mechanism);
  const Model<Dual> twin = instantiate<Dual>(mechanism);
  DerivativeWorkspace<Dual> work(twin);
  const auto nv = static_cast<std::size_t>(model.nv);
  std::vector<Dual> d_q(nv * nv), d_qd(nv * nv), d_qdd(nv * nv);
  const std::vector<Dual> still_q(q.begin(), q.end()), still_qd(qd.begin(), qd.end()),
      still_qdd(qdd.begin(), qdd.end());
  const auto append = [](std::vector<double>& to, const std::vector<Dual>& matrix) {
    for (const Dual& x : matrix) to.push_back(x.d);
  };
  SecondDerivatives all;
  for (std::size_t k = 0; k < nv; ++k) {
    inverse_derivatives<Dual>(twin, work, moving_along(model, q, static_cast<int>(k)), still_qd, still_qdd, d_q, d_qd,
                              d_qdd);
    append(all.q_q, d_q);
    append(all.qd_q, d_qd);
    append(all.qdd_q, d_qdd);
    std::vector<Dual> rates = still_qd;
    rates[k].d = 1.0;
    inverse_derivatives<Dual>(twin, work, still_q, rates, still_qdd, d_q, d_qd, d_qdd);
    append(all.qd_qd, d_qd);
  }
  return all;
}

}  // namespace lw
