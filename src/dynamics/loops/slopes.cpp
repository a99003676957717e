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
      joints_(plan.is_tree() ? model : joints_alone(model, plan.independent)),
      twin_(over<Dual>(model)),
      moving_(std::move(moving)),
      work_(twin_, plan),
      forward_(of == Of::forward) {}

void Slopes::operator()(In<double> q, In<double> qd, In<double> third, In<double> guess, Out<double> columns) {
  const auto dual = [](In<double> x) { return std::vector<Dual>(x.begin(), x.end()); };
  const std::vector<Dual> still = dual(q), near = dual(guess);
  std::vector<Dual> velocity = dual(qd), last = dual(third);
  std::vector<Dual> result(forward_ ? plan_.freedoms() : plan_.actuated.size());
  std::size_t next = 0;
  const auto column = [&](const Model<Dual>& model, In<Dual> x) {
    const LoopPosition<Dual> there = loop_position<Dual>(model, plan_, x, near);
    if (forward_)
      forward_dynamics<Dual>(model, plan_, work_, there.q, velocity, last, result);
    else
      inverse_dynamics<Dual>(model, plan_, work_, there.q, velocity, last, result);
    for (const Dual& y : result) columns[next++] = there.converged ? y.d : std::nan("");
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
