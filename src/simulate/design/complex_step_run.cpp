#include "complex_step_run.hpp"

#include <memory>

#include "../../base/index.hpp"
#include "../../dynamics/loops/closed_losses.hpp"
#include "../../dynamics/loops/loop_position.hpp"
#include "../../graph/interpreter.hpp"

namespace lw {
namespace {

using Steps = std::vector<ComplexStep>;

// What the traced functions have as (t, u, y, p).
Steps arguments(const DesignSystem& system, const ComplexStep& t, std::span<const ComplexStep> u,
                std::span<const ComplexStep> y, std::span<const ComplexStep> b) {
  const LoopPlan& plan = system.loops().plan();
  std::vector<double> real, guess;
  for (const ComplexStep& c : y) real.push_back(c.re);
  const std::vector<double> there = system.configuration(t.re, real);
  for (const int k : plan.dependent_q) guess.push_back(there[at(k)]);
  const Steps dependent(guess.begin(), guess.end());
  const Steps q =
      loop_position<ComplexStep>(system.design().model<ComplexStep>(b, t), plan, y.first(system.nq()), dependent).q;
  const std::span<const ComplexStep> v = y.subspan(system.nq(), system.nv());
  Steps x{t};
  for (const std::span<const ComplexStep> part : {u, std::span<const ComplexStep>(q), v, b})
    x.insert(x.end(), part.begin(), part.end());
  return x;
}

// (a, t, u, q, v, b) of all joints there.
Steps moment(const DesignSystem& system, Interpreter<ComplexStep>& torques, const Steps& at_state,
             std::span<const ComplexStep> b) {
  const LoopPlan& plan = system.loops().plan();
  const Model<ComplexStep> model = system.design().model<ComplexStep>(b, at_state[0]);
  const std::span<const ComplexStep> all(at_state), q = all.subspan(1 + system.nu(), at(model.nq)),
                                                    v = all.subspan(1 + system.nu() + q.size(), system.nv());
  PlantWorkspace<ComplexStep> work(model, plan);
  prepare_projection<ComplexStep>(model, plan, work, q);
  tree_velocities<ComplexStep>(model, plan, work, v);
  Steps x(all.begin(), q.end()), tau(system.nu()), actuated, a(system.nv());
  x.insert(x.end(), work.qd.begin(), work.qd.end());
  x.insert(x.end(), b.begin(), b.end());
  torques(x, tau);
  for (const int k : plan.actuated) actuated.push_back(tau[at(k)]);
  if (system.losses() == DesignLosses::smooth) {  // what the motors would have to give for it
    ClosedLosses<ComplexStep> made(model, plan);
    made.inverse(work, q, v, Steps(v.size(), ComplexStep(0.0)), {}, {}, AtRest::no_direction);
    for (std::size_t k = 0; k < actuated.size(); ++k) actuated[k] -= made.losses.bearing[k];
  }
  forward_dynamics<ComplexStep>(model, plan, work, q, v, actuated, a);
  tree_velocities<ComplexStep>(model, plan, work, v);
  tree_accelerations<ComplexStep>(model, plan, work, q, a);
  x.insert(x.begin(), work.qdd.begin(), work.qdd.end());
  return x;
}

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
    std::vector<double> u(system_.nu(), 0.0);
    if (system_.options().inputs) system_.options().inputs(t, inside, u);
    const Steps given(u.begin(), u.end()), x = arguments(system_, complex_time(t), given, y.first(nq + nv), b_);
    if (system_.losses() == DesignLosses::any) return traced_(x, f);
    const Steps there = moment(system_, torques_, x, b_);
    Steps rates(f.size() - nv);
    at_accelerations_(there, rates);
    const std::vector<int>& independent = system_.loops().plan().independent;
    for (std::size_t k = 0; k < f.size(); ++k)
      f[k] = k < nq ? rates[k] : k < nq + nv ? there[at(independent[k - nq])] : rates[k - nv];
  }

 private:
  const DesignSystem& system_;
  Interpreter<ComplexStep> torques_, at_accelerations_, traced_;
  Steps b_;
};

Steps complex_state(std::span<const double> y, std::span<const double> dy) {
  Steps all;
  for (std::size_t c = 0; c < y.size(); ++c) all.emplace_back(y[c], dy[c] * kComplexStep);
  return all;
}

// One part; y becomes its end.
void part_along(const EventfulRun::Part& part, std::span<const double> db, Steps& y, std::vector<double>& marks) {
  const DesignSystem& system = *part.system;
  const RecordedRun& run = *part.run;
  ComplexRates rates(system, db);
  const std::size_t n = system.states(), s = run.stages();
  Steps Y(n), k(s * n);
  double begin = part.t0;
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
    for (const ComplexStep& x : y) marks.push_back(derivative_of(x));
    begin = run.times()[m];
  }
}

// The instant's derivative along dy; y becomes what follows, at the instant as it is.
double pass_events(const EventfulRun& run, const EventfulRun::Part& part, const EventfulRun::Part* next,
                   std::span<const double> db, Steps& y) {
  const DesignSystem& system = *part.system;
  const EventPassage& p = *part.passage;
  const std::size_t n = system.states(), m = part.run->times().size();
  const std::vector<double> none(n, 0.0), still(db.size(), 0.0);
  const auto rates_at = [&](const DesignSystem& of, double inside, std::span<const double> at) {
    Steps f(n);
    ComplexRates(of, still)(p.t, inside, complex_state(at, none), f);
    std::vector<double> values;
    for (const ComplexStep& x : f) values.push_back(x.re);
    return values;
  };
  const std::vector<double> f =
      rates_at(system, 0.5 * ((m > 1 ? part.run->times()[m - 2] : part.t0) + p.t), part.run->at(m - 1));
  double shift = 0.0;
  for (const std::size_t e : p.events) {
    const DesignEvent& event = run.events()[e];
    if (event.time || shift != 0.0) continue;
    const auto g = [&](double t_moves, const Steps& at) {
      Steps x{ComplexStep(p.t, t_moves * kComplexStep)}, value(1);
      x.insert(x.end(), at.begin(), at.begin() + static_cast<std::ptrdiff_t>(system.nq() + system.nv()));
      evaluate<ComplexStep>(*event.crossing, x, value);
      return derivative_of(value[0]);
    };
    shift = -g(0.0, y) / g(1.0, complex_state(part.run->at(m - 1), f));
  }
  for (std::size_t c = 0; c < n; ++c) y[c].im += f[c] * shift * kComplexStep;
  if (p.stops) return shift;
  y = set_by<ComplexStep>(run.events(), p.events, system, ComplexStep(p.t, shift * kComplexStep), y);
  const std::vector<double>& times = next->run->times();
  const std::vector<double> after = rates_at(*next->system, 0.5 * (next->t0 + times.front()), next->y0);
  for (std::size_t c = 0; c < n; ++c) y[c].im -= after[c] * shift * kComplexStep;
  return shift;
}

}  // namespace

std::vector<ComplexStep> complex_outputs(const DesignSystem& system, const ComplexStep& t,
                                         std::span<const ComplexStep> u, std::span<const ComplexStep> y,
                                         std::span<const ComplexStep> b) {
  const DesignFunctions& functions = system.functions();
  const Steps x = arguments(system, t, u, y, b);
  Steps results(system.outputs());
  if (system.losses() == DesignLosses::any) {
    Interpreter<ComplexStep> traced(functions.outputs.value);
    traced(x, results);
  } else {
    Interpreter<ComplexStep> torques(functions.torques), outputs(functions.outputs_at);
    outputs(moment(system, torques, x, b), results);
  }
  return results;
}

EventfulRun::Directions complex_step_along(const EventfulRun& run, std::span<const double> dy0,
                                           std::span<const double> db) {
  EventfulRun::Directions result;
  Steps y = complex_state(run.parts().front().y0, dy0);
  for (std::size_t k = 0; k < run.parts().size(); ++k) {
    const EventfulRun::Part& part = run.parts()[k];
    part_along(part, db, y, result.marks);
    if (!part.passage) continue;
    const double shift = pass_events(run, part, k + 1 < run.parts().size() ? &run.parts()[k + 1] : nullptr, db, y);
    if (!part.passage->stops) continue;
    result.end_shift = shift;
    const std::size_t n = y.size();
    for (std::size_t c = 0; c < n; ++c) result.marks[result.marks.size() - n + c] = derivative_of(y[c]);
  }
  return result;
}

}  // namespace lw
