#include "stick_slip.hpp"

#include <algorithm>
#include <cmath>

#include "dynamics/energy.hpp"
#include "dynamics/kinematics.hpp"

namespace lw {

StickSlip::StickSlip(const Model<double>& model, std::vector<double> start, std::vector<double> rates, Torques torques)
    : q(std::move(start)),
      qd(std::move(rates)),
      qdd(qd.size()),
      model_(model),
      work_(model),
      losses_(model),
      forward_(model),
      torques_(std::move(torques)) {}

StickSlip::State StickSlip::derivative(double at, const State& s, bool first) {
  const std::vector<double> tau = torques_ ? torques_(at, s.q, s.qd) : std::vector<double>(qd.size(), 0.0);
  forward_(s.q, s.qd, tau, qdd, {.same_directions = !first});
  inverse_with_losses<double>(model_, work_, s.q, s.qd, qdd, losses_);
  State out{s.qd, qdd, 0.0};
  for (std::size_t k = 0; k < qd.size(); ++k) out.lost += (losses_.bearing[k] + losses_.transmission[k]) * s.qd[k];
  return out;
}

StickSlip::State StickSlip::step(double h, const State& first) {
  const State begin{q, qd, lost};
  const auto plus = [&](const State& d, double f) {
    State s = begin;
    for (std::size_t k = 0; k < s.q.size(); ++k) {
      s.q[k] += f * d.q[k];
      s.qd[k] += f * d.qd[k];
    }
    s.lost += f * d.lost;
    return s;
  };
  const State second = derivative(t + 0.5 * h, plus(first, 0.5 * h), false);
  const State third = derivative(t + 0.5 * h, plus(second, 0.5 * h), false);
  const State fourth = derivative(t + h, plus(third, h), false);
  State mean = first;
  for (std::size_t k = 0; k < q.size(); ++k) {
    mean.q[k] = (first.q[k] + 2 * second.q[k] + 2 * third.q[k] + fourth.q[k]) / 6;
    mean.qd[k] = (first.qd[k] + 2 * second.qd[k] + 2 * third.qd[k] + fourth.qd[k]) / 6;
  }
  mean.lost = (first.lost + 2 * second.lost + 2 * third.lost + fourth.lost) / 6;
  return plus(mean, h);
}

void StickSlip::advance(double duration, double length) {
  const double end = t + duration;
  while (end - t > 1e-12 * end) {
    double h = std::min(length, end - t);
    const State first = derivative(t, {q, qd, lost}, true);
    const std::vector<int> directions = forward_.directions();
    // the joint that is past its rest after a step
    const auto stopped = [&](const State& s) {
      for (std::size_t k = 0; k < qd.size(); ++k) {
        if (directions[k] * s.qd[k] < 0.0) return static_cast<int>(k);
      }
      return -1;
    };
    State next = step(h, first);
    int joint = stopped(next);
    if (joint >= 0) {
      double before = 0.0, after = h;
      while (true) {
        const double middle = 0.5 * (before + after);
        if (middle <= before || middle >= after || after - before < 1e-15 * h) break;
        const State s = step(middle, first);
        const int k = stopped(s);
        if (k >= 0) {
          joint = k;
          next = s;
          after = middle;
        } else {
          before = middle;
        }
      }
      h = after;
    }
    t += h;
    q = next.q;
    qd = next.qd;
    lost = next.lost;
    if (joint >= 0) {
      const auto k = static_cast<std::size_t>(joint);
      qd[k] = 0.0;
      stops.push_back({t, k, q[k]});
    }
  }
}

double StickSlip::energy() const {
  forward_velocities<double>(model_, work_, q, qd);
  const Energy<double> e = lw::energy<double>(model_, work_, q, qd);
  return e.kinetic + e.potential;
}

}  // namespace lw
