#include "commands.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "../../reproduce/experiments.hpp"
#include "../base/text.hpp"
#include "../base/worse.hpp"
#include "../dynamics/aba.hpp"
#include "../dynamics/crba.hpp"
#include "../dynamics/energy.hpp"
#include "../dynamics/formulations/formulation.hpp"
#include "../dynamics/kinematics.hpp"
#include "../dynamics/rnea.hpp"
#include "../graph/interpreter.hpp"
#include "../model/read.hpp"
#include "terminal.hpp"

// What the program can do, on one arm, for a person who has just built it.
namespace lw::cli {
namespace {

using Vector = std::vector<double>;

constexpr double kDegree = 3.14159265358979323846 / 180.0;

struct State {
  Vector q{20 * kDegree, -60 * kDegree, 100 * kDegree, 30 * kDegree, 40 * kDegree, -50 * kDegree};
  Vector qd{0.5, -0.8, 1.0, 0.7, -0.4, 1.2};
  Vector qdd{1.0, 2.0, -1.5, 3.0, -2.0, 4.0};
};

void heading(int number, const std::string& text) {
  fmt::print("\n{}\n\n", styled(fmt::format("{}. {}", number, text), Style::heading, stdout));
}

std::string listed(const Vector& values, int decimals) {
  std::string text;
  for (const double x : values) text += fmt::format("{:>11}", readable(x, decimals));
  return text;
}

// The quickest of several bursts, in nanoseconds a call.
template <class F>
double nanoseconds(F&& call) {
  using Clock = std::chrono::steady_clock;
  constexpr int kCalls = 2000, kBursts = 25;
  double best = 1e300;
  for (int b = 0; b < kBursts; ++b) {
    const auto start = Clock::now();
    for (int i = 0; i < kCalls; ++i) call(i);
    best = std::min(best, std::chrono::duration<double, std::nano>(Clock::now() - start).count() / kCalls);
  }
  return best;
}

Function trace_inverse(const Mechanism& mechanism) {
  const Model<Expr> model = instantiate<Expr>(mechanism);
  const auto n = static_cast<std::size_t>(model.nv);
  return trace("inverse", {{"q", n}, {"qd", n}, {"qdd", n}}, {{"tau", n}}, [&](const lw::Arguments& in, Results& out) {
    Workspace<Expr> work(model);
    rnea<Expr>(model, work, in[0], in[1], in[2], out[0]);
  });
}

void show_model(const Mechanism& mechanism, const Model<double>& model, const State& s) {
  heading(1, "Describe: a mechanism file becomes a model");
  double mass = 0.0;
  for (const Body<double>& b : model.bodies) mass += b.inertia.mass;
  fmt::print("  {}\n", mechanism.summary);
  fmt::print("  {}, {}, {:.2f} kg that move; read, checked, ready.\n\n", counted(mechanism.links.size(), "link"),
             counted(model.joints.size(), "joint"), mass);
  fmt::print("  {:<26}{:>11}{:>11}{:>11}{:>11}{:>11}{:>11}\n", "", "link1", "link2", "link3", "link4", "link5",
             "link6");
  fmt::print("  {:<26}{}\n", "q    angles, rad", listed(s.q, 4));
  fmt::print("  {:<26}{}\n", "qd   rates, rad/s", listed(s.qd, 4));
  fmt::print("  {:<26}{}\n", "qdd  accelerations, rad/s²", listed(s.qdd, 4));

  Workspace<double> work(model);
  forward_kinematics<double>(model, work, s.q);
  const Vec3<double> p = frame_pose(model, work, static_cast<int>(model.frames.size()) - 1).p;
  fmt::print("\n  In this pose the wrist stands at x = {:.4f}, y = {:.4f}, z = {:.4f} m.\n", p[0], p[1], p[2]);
}

// Every number by two roads. Returns whether they agree.
bool show_dynamics(const Model<double>& model, const Function& traced, const State& s) {
  const std::size_t n = s.qd.size();
  Workspace<double> work(model);
  Vector tau(n), bias(n), M(n * n), twin(n), back(n), interpreted(n);
  rnea<double>(model, work, s.q, s.qd, s.qdd, tau);

  heading(2, "Derive: the torques of that motion, and every number by another road");
  fmt::print("  {:<26}{}\n\n", "tau  torques, N·m", listed(tau, 4));

  bias_forces<double>(model, work, s.q, s.qd, bias);
  crba<double>(model, work, s.q, M);
  for (std::size_t i = 0; i < n; ++i) {
    twin[i] = bias[i];
    for (std::size_t j = 0; j < n; ++j) twin[i] += M[j * n + i] * s.qdd[j];
  }
  aba<double>(model, work, s.q, s.qd, tau, back);
  Vector inputs;
  for (const Vector* v : {&s.q, &s.qd, &s.qdd}) inputs.insert(inputs.end(), v->begin(), v->end());
  Interpreter<double> interpreter(traced);
  interpreter(inputs, interpreted);

  forward_velocities<double>(model, work, s.q, s.qd);
  const Energy<double> e = energy<double>(model, work, s.q, s.qd);
  double half_quadratic = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) half_quadratic += 0.5 * s.qd[i] * M[j * n + i] * s.qd[j];
  }

  bool all = true;
  const auto line = [&](const std::string& first, const std::string& second, double difference, double tolerance) {
    const bool agrees = difference <= tolerance;
    all = all && agrees;
    fmt::print("  {:<34}{:<36}{:>9.1e}  {}\n", first, second, difference,
               agrees ? styled("agrees", Style::good, stdout) : styled("DIFFERS", Style::error, stdout));
  };
  // double precision on torques of some tens of N·m
  line("tau by Newton-Euler", "M(q) qdd + bias, composite bodies", largest_difference(tau, twin), 1e-12);
  line("qdd that was asked for", "qdd from tau, articulated bodies", largest_difference(s.qdd, back), 1e-11);
  line("tau by Newton-Euler", "the same text traced, interpreted", largest_difference(tau, interpreted), 1e-12);
  double worst = 0.0;
  for (const Formulation& f : formulations()) {
    Vector other(n);
    inverse_by<double>(f, model, s.q, s.qd, s.qdd, other);
    worst = worse(worst, largest_difference(tau, other));
  }
  line("tau by Newton-Euler", fmt::format("{} other formulations, the farthest", formulations().size()), worst, 1e-12);
  line(fmt::format("kinetic energy {:.6f} J", e.kinetic), "1/2 qd M qd", std::abs(e.kinetic - half_quadratic), 1e-12);
  return all;
}

void show_trace(const Function& traced) {
  heading(3, "Express: the algorithm, written once, writes itself down");
  const FunctionCost c = cost(traced);
  const OperationCount& o = c.operations;
  fmt::print("  Called with expressions instead of numbers, the same Newton-Euler text became a graph:\n");
  fmt::print("  {} multiplications, {} additions, {} sines and cosines, {} operations deep.\n", o.multiplications,
             o.additions, o.trigonometric, c.depth);
  fmt::print("  Code generation, derivatives and schedules start from such graphs.\n");
}

void show_times(const Model<double>& model, const Function& traced, const State& s) {
  heading(4, "Measure: one call on this machine, one core");
  Workspace<double> work(model);
  const std::size_t n = s.qd.size();
  Vector q = s.q, out(n), M(n * n), tau(n), inputs;
  rnea<double>(model, work, s.q, s.qd, s.qdd, tau);
  for (const Vector* v : {&s.q, &s.qd, &s.qdd}) inputs.insert(inputs.end(), v->begin(), v->end());
  Interpreter<double> interpreter(traced);
  const auto vary = [&](int i) { q[0] = s.q[0] + 1e-6 * i; };

  Table table({"function", "by", "ns"});
  const auto add = [&](const std::string& name, const std::string& by, double ns) {
    table.add({name, by, fmt::format("{:.0f}", ns)});
  };
  add("inverse dynamics", "Newton-Euler, compiled here", nanoseconds([&](int i) {
        vary(i);
        rnea<double>(model, work, q, s.qd, s.qdd, out);
      }));
  add("inverse dynamics", "traced graph, interpreted", nanoseconds([&](int i) {
        inputs[0] = s.q[0] + 1e-6 * i;
        interpreter(inputs, out);
      }));
  add("forward dynamics", "articulated bodies", nanoseconds([&](int i) {
        vary(i);
        aba<double>(model, work, q, s.qd, tau, out);
      }));
  add("mass matrix", "composite rigid bodies", nanoseconds([&](int i) {
        vary(i);
        crba<double>(model, work, q, M);
      }));
  fmt::print("{}", table.str());
}

int run(const Arguments&) {
  const Mechanism mechanism = load("puma560");
  const Model<double> model = instantiate<double>(mechanism);
  const State state;
  const Function traced = trace_inverse(mechanism);

  fmt::print("{}\n", styled("Linkwright on the PUMA 560", Style::heading, stdout));
  show_model(mechanism, model, state);
  const bool agrees = show_dynamics(model, traced, state);
  show_trace(traced);
  show_times(model, traced, state);

  fmt::print("\n{} (in the source folder `./run` stands for `linkwright`)\n\n",
             styled("Try next", Style::heading, stdout));
  Table next;
  next.add({"linkwright models", "what else there is"});
  next.add({"linkwright check puma560", "its coordinates, and whether it can exist"});
  next.add({"linkwright inverse puma560 --payload link6:2@0,0,0.1", "the same arm with 2 kg in its hand"});
  next.add({"linkwright ik puma560 --target 0.4,0.2,0.3,0,90deg,0", "all ways to bring its hand there"});
  next.add({"linkwright reproduce all --out report.html",
            fmt::format("{} of {} theses, rerun and compared", reproduce::rerun_theses(), reproduce::theses().size())});
  next.add({"linkwright --help", "everything"});
  fmt::print("{}", next.str());
  if (!agrees) say_error("two roads to one number disagree");
  return agrees ? kOk : kCheckFailed;
}

}  // namespace

Command demo_command() {
  Command c;
  c.name = "demo";
  c.summary = "the whole way on one arm, from its file to its torques";
  c.description =
      "Shows what the program does on the PUMA 560: the model, the torques of a motion by several roads that must "
      "agree, the traced graph, and times.";
  c.examples = {"linkwright demo"};
  c.run = run;
  return c;
}

}  // namespace lw::cli
