#include "slopes.hpp"

#include <cmath>

#include "../../base/index.hpp"
#include "../../model/coordinate_rates.hpp"
#include "../../model/joints_alone.hpp"
#include "../../model/over.hpp"
#include "loop_position.hpp"

namespace lw {

Slopes::Slopes(const Model<double>& model, const LoopPlan& plan, Of of, std::vector<Model<Dual>> moving)
    : plan_(plan),
      model_(model),
      joints_(joints_alone(model, plan.independent)),
      twin_(over<Dual>(model)),
      moving_(std::move(moving)),
      values_(model_, plan),
      work_(twin_, plan),
      forward_(of == Of::forward) {}

void Slopes::operator()(In<double> q, In<double> qd, In<double> third, In<double> guess, Out<double> columns) {
  const std::size_t n = plan_.freedoms(), rows = forward_ ? n : plan_.actuated.size();
  const auto dual = [](In<double> x) { return std::vector<Dual>(x.begin(), x.end()); };
  const std::vector<Dual> still = dual(q), near = dual(guess);
  std::vector<Dual> velocity = dual(qd), last = dual(third);
  std::vector<double> H(n * n), qdd(n), factors;
  if (forward_) {
    const LoopPosition<double> there = loop_position<double>(model_, plan_, q, guess);
    forward_dynamics<double>(model_, plan_, values_, there.q, qd, third, qdd);
    mass_matrix<double>(model_, plan_, values_, there.q, H);
  }
  const std::vector<Dual> acceleration = dual(qdd);
  std::vector<Dual> result(rows), given(rows);
  std::size_t next = 0;
  const auto column = [&](const Model<Dual>& model, In<Dual> x) {
    const LoopPosition<Dual> there = loop_position<Dual>(model, plan_, x, near);
    const Out<double> to = columns.subspan(rows * next++, rows);
    if (forward_) {  // what is missing at these accelerations, and by which they change
      generalised_forces<Dual>(model, plan_, work_, there.q, velocity, acceleration, result);
      if (plan_.actuated != plan_.independent) complement_by_unit_velocities<Dual>(model, plan_, work_);
      gather_torques<Dual>(plan_, work_, last, given);
    } else {
      inverse_dynamics<Dual>(model, plan_, work_, there.q, velocity, last, result);
    }
    for (std::size_t r = 0; r < rows; ++r) {
      const double slope = forward_ ? given[r].d - result[r].d : result[r].d;
      to[r] = there.converged ? slope : std::nan("");
    }
    if (!forward_) return;
    factors = H;
    solve_inertia<double>(model_, plan_, factors, to);
  };
  for (int k = 0; k < joints_.nv; ++k) column(twin_, moving_along(joints_, q, k));
  for (std::vector<Dual>* part : {&velocity, &last}) {
    for (Dual& x : *part) {
      x.d = 1.0;
      column(twin_, still);
      x.d = 0.0;
    }
  }
  for (const Model<Dual>& m : moving_) column(m, still);
}

}  // namespace lw
