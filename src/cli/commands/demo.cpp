#include "../commands.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "../../base/text.hpp"
#include "../../base/worse.hpp"
#include "../../codegen/c/emit_c.hpp"
#include "../../codegen/compile.hpp"
#include "../../codegen/trace/traced.hpp"
#include "../../dynamics/formulations/formulation.hpp"
#include "../../dynamics/loops/forward_losses.hpp"
#include "../../dynamics/tree/aba.hpp"
#include "../../dynamics/tree/crba.hpp"
#include "../../dynamics/tree/energy.hpp"
#include "../../dynamics/tree/kinematics.hpp"
#include "../../dynamics/tree/rnea.hpp"
#include "../../graph/interpreter.hpp"
#include "../../model/random_state.hpp"
#include "../../model/read/read.hpp"
#include "../frame/terminal.hpp"
#include "../io/codegen_options.hpp"
#include "../report/published_counts.hpp"

// What the program can do, on one arm, for a person who has just built it.
namespace lw::cli {
namespace {

using Vector = std::vector<double>;

constexpr double kDegree = 3.14159265358979323846 / 180.0;

struct DemoState {
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

void show_model(const Mechanism& mechanism, const Model<double>& model, const DemoState& s) {
  heading(1, "Describe: a mechanism file becomes a model");
  double mass = 0.0;
  for (const Body<double>& b : model.bodies) mass += b.inertia.mass;
  fmt::print("  {}\n", mechanism.summary);
  fmt::print("  {}, {}, {:.2f} kg of moving mass; read and checked.\n\n", counted(mechanism.links.size(), "link"),
             counted(model.joints.size(), "joint"), mass);
  fmt::print("  {:<26}{:>11}{:>11}{:>11}{:>11}{:>11}{:>11}\n", "", "link1", "link2", "link3", "link4", "link5",
             "link6");
  fmt::print("  {:<26}{}\n", "q    angles, rad", listed(s.q, 4));
  fmt::print("  {:<26}{}\n", "qd   rates, rad/s", listed(s.qd, 4));
  fmt::print("  {:<26}{}\n", "qdd  accelerations, rad/s²", listed(s.qdd, 4));

  Workspace<double> work(model);
  forward_kinematics<double>(model, work, s.q);
  const Vec3<double> p = frame_pose(model, work, static_cast<int>(model.frames.size()) - 1).p;
  fmt::print("\n  In this pose the wrist is at x = {:.4f}, y = {:.4f}, z = {:.4f} m.\n", p[0], p[1], p[2]);
}

// Two methods to one number. Returns whether they agree.
bool show_agreement(const std::string& first, const std::string& second, double difference, double tolerance) {
  const bool agrees = difference <= tolerance;
  fmt::print("  {:<34}{:<36}{:>9.1e}  {}\n", first, second, difference,
             agrees ? styled("agrees", Style::good, stdout) : styled("DIFFERS", Style::error, stdout));
  return agrees;
}

// Every number by two methods. Returns whether they agree.
bool show_dynamics(const Model<double>& model, const Function& traced, const DemoState& s) {
  const std::size_t n = s.qd.size();
  Workspace<double> work(model);
  Vector tau(n), bias(n), M(n * n), twin(n), back(n), interpreted(n);
  rnea<double>(model, work, s.q, s.qd, s.qdd, tau);

  heading(2, "Derive: the torques of a motion, cross-checked by independent methods");
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
    all = show_agreement(first, second, difference, tolerance) && all;
  };
  // double precision on torques of some tens of N·m
  line("tau by Newton-Euler", "M(q) qdd + bias, composite bodies", largest_difference(tau, twin), 1e-12);
  line("qdd given", "qdd from tau, articulated bodies", largest_difference(s.qdd, back), 1e-11);
  line("tau by Newton-Euler", "the same code, traced and interpreted", largest_difference(tau, interpreted), 1e-12);
  double worst = 0.0;
  for (const Formulation& f : formulations()) {
    Vector other(n);
    inverse_by<double>(f, model, s.q, s.qd, s.qdd, other);
    worst = worse(worst, largest_difference(tau, other));
  }
  line("tau by Newton-Euler", fmt::format("{} other formulations, largest difference", formulations().size()), worst,
       1e-12);
  line(fmt::format("kinetic energy {:.6f} J", e.kinetic), "1/2 qd M qd", std::abs(e.kinetic - half_quadratic), 1e-12);
  return all;
}

void show_trace(const Function& traced) {
  heading(3, "Express: tracing the algorithm into a graph");
  const FunctionCost c = cost(traced);
  const OperationCount& o = c.operations;
  fmt::print("  Called with expressions instead of numbers, the same Newton-Euler code gives a graph:\n");
  fmt::print("  {} multiplications, {} additions, {} sines and cosines, {} operations deep.\n", o.multiplications,
             o.additions, o.trigonometric, c.depth);
  fmt::print("  Code generation, operation counts and derivatives start from such graphs.\n");
}

struct Generated {
  Program program;
  Compiled code;
  double seconds;  // to trace, optimise, emit, compile and load
};

Generated generate(const Mechanism& mechanism) {
  const auto start = std::chrono::steady_clock::now();
  ProgramOptions options;
  options.trace = native();
  options.trace.search.trials = kSearchTrials;  // as `compile` does
  Program program = make_program(mechanism, {"inverse", "forward"}, options);
  Compiled code = jit(program);
  return {std::move(program), std::move(code),
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
}

void show_counts(const Mechanism& mechanism, const Generated& made) {
  Table table({"inverse dynamics", "×", "+", "sin, cos", "total"});
  const auto add = [&](const std::string& what, std::int64_t multiplications, std::int64_t additions,
                       std::int64_t trig) {
    table.add({what, std::to_string(multiplications), std::to_string(additions), std::to_string(trig),
               std::to_string(multiplications + additions)});
  };
  for (const PublishedCount& p : published_counts(FunctionId::inverse, "puma560", true, true)) {
    if (p.who == "OpenSYMORO") add("any PUMA 560: OpenSYMORO", p.multiplications, p.additions, p.trigonometric);
  }
  TraceOptions dense;
  dense.dense = true;
  dense.search.trials = kSearchTrials;
  const OperationCount any = cost(trace_function(mechanism, "inverse", dense).function).operations;
  add("any PUMA 560: Linkwright", any.multiplications, any.additions, any.trigonometric);
  const OperationCount own = cost(made.program.functions.front()).operations;
  add("this one, with constant parameters", own.multiplications, own.additions, own.trigonometric);
  fmt::print("{}", table.str());
}

// A few lines of the C, with names that survived.
void show_excerpt(const Program& program) {
  const std::string text = emit_c(program).at(1).text;
  std::size_t shown = 0;
  fmt::print("\n");
  for (std::size_t at = 0, end; shown < 3 && (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    const std::string line = text.substr(at, end - at);
    const bool defines = line.find("const double") != std::string::npos && line.find("omega4_") < line.find('=');
    if (!defines || line.size() > 100) continue;
    fmt::print("  {}\n", styled(line, Style::faint, stdout));
    ++shown;
  }
}

bool show_code(const Mechanism& mechanism, const Model<double>& model, Generated& made) {
  heading(4, "Compile: minimal arithmetic, as machine code");
  show_counts(mechanism, made);
  show_excerpt(made.program);
  fmt::print("\n");
  if (made.code.is_native()) {
    fmt::print(
        "  Inverse and forward dynamics were {} in {:.1f} s.\n\n",
        made.code.was_cached() ? "generated, and their machine code found in the cache," : "generated and compiled",
        made.seconds);
  }
  for (const std::string& note : made.code.notes()) {
    for (const std::string& line : wrap("Note: " + note + ".", 100)) fmt::print("  {}\n", line);
    fmt::print("\n");
  }

  // at random states, relative to the largest of each result
  constexpr int kStates = 1000;
  Random random(1);
  Workspace<double> work(model);
  Vector tau(static_cast<std::size_t>(model.nv)), other(tau.size()), inputs;
  double torques = 0.0, accelerations = 0.0;
  for (int k = 0; k < kStates; ++k) {
    const lw::State s = random_state(model, random);
    rnea<double>(model, work, s.q, s.qd, s.qdd, tau);
    const auto call = [&](const char* function, const Vector& third, const Vector& expected) {
      inputs = s.q;
      for (const Vector* v : {&s.qd, &third}) inputs.insert(inputs.end(), v->begin(), v->end());
      made.code(function, inputs, other);
      double largest = 0.0;
      for (const double x : expected) largest = std::max(largest, std::abs(x));
      return largest_difference(expected, other) / largest;
    };
    torques = worse(torques, call("inverse", s.qdd, tau));
    accelerations = worse(accelerations, call("forward", tau, s.qdd));
  }
  const std::string where = fmt::format("the reference, {} states", kStates);
  const std::string by = made.code.is_native() ? " of the generated code" : " of the same graph, interpreted";
  const bool inverse = show_agreement("tau" + by, where, torques, 1e-12);
  return show_agreement("qdd" + by, where, accelerations, 1e-11) && inverse;
}

// The PUMA with the bearings and gears of Dhanaraj's table 3.4. Returns whether forward dynamics undoes inverse
// dynamics.
bool show_friction(const DemoState& s) {
  heading(5, "Friction: bearings loaded by the joints' reactions, gears with an efficiency (Dhanaraj 1990)");
  const Model<double> model = instantiate<double>(load("puma560-dhanaraj"));
  Workspace<double> work(model);
  Losses<double> losses(model);
  inverse_with_losses<double>(model, work, s.q, s.qd, s.qdd, losses);
  Table table({"N·m", "of the motion", "+ bearing", "+ transmission", "= tau"});
  for (std::size_t k = 0; k < s.qd.size(); ++k) {
    table.add({model.velocity_names[k], fmt::format("{:.3f}", losses.dynamic[k]),
               fmt::format("{:.3f}", losses.bearing[k]), fmt::format("{:.3f}", losses.transmission[k]),
               fmt::format("{:.3f}", losses.total[k])});
  }
  fmt::print("{}\n", table.str());
  Vector qdd(s.qdd.size());
  ForwardLosses forward(model);
  forward(s.q, s.qd, losses.total, qdd);
  double largest = 0.0;
  for (const double x : s.qdd) largest = std::max(largest, std::abs(x));
  return show_agreement("qdd of these tau, with friction", "the motion", largest_difference(s.qdd, qdd) / largest,
                        1e-11);
}

void show_times(const Model<double>& model, const Function& traced, const Generated& made, const DemoState& s) {
  heading(6, "Measure: one call on this machine, one core");
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
  const auto add_generated = [&](const std::string& name, Compiled::Flat* code, const Vector& third) {
    if (code == nullptr) return;
    Vector in;
    for (const Vector* v : {&s.q, &s.qd, &third}) in.insert(in.end(), v->begin(), v->end());
    add(name, "generated code", nanoseconds([&](int i) {
          in[0] = s.q[0] + 1e-6 * i;
          code(in.data(), out.data());
        }));
  };
  add("inverse dynamics", "traced graph, interpreted", nanoseconds([&](int i) {
        inputs[0] = s.q[0] + 1e-6 * i;
        interpreter(inputs, out);
      }));
  add("inverse dynamics", "Newton-Euler, for any mechanism", nanoseconds([&](int i) {
        vary(i);
        rnea<double>(model, work, q, s.qd, s.qdd, out);
      }));
  add_generated("inverse dynamics", made.code.flat("inverse"), s.qdd);
  add("forward dynamics", "articulated bodies, for any mechanism", nanoseconds([&](int i) {
        vary(i);
        aba<double>(model, work, q, s.qd, tau, out);
      }));
  add_generated("forward dynamics", made.code.flat("forward"), tau);
  add("mass matrix", "composite bodies, for any mechanism", nanoseconds([&](int i) {
        vary(i);
        crba<double>(model, work, q, M);
      }));
  fmt::print("{}", table.str());
}

int run_demo(const Arguments&) {
  const Mechanism mechanism = load("puma560");
  const Model<double> model = instantiate<double>(mechanism);
  const DemoState state;
  const Function traced = trace_inverse(mechanism);

  fmt::print("{}\n", styled("Linkwright on the PUMA 560", Style::heading, stdout));
  show_model(mechanism, model, state);
  bool agrees = show_dynamics(model, traced, state);
  show_trace(traced);
  Generated made = generate(mechanism);
  agrees = show_code(mechanism, model, made) && agrees;
  agrees = show_friction(state) && agrees;
  show_times(model, traced, made, state);

  fmt::print("\n{} (in the source folder `./run` stands for `linkwright`)\n\n",
             styled("Try next", Style::heading, stdout));
  Table next;
  next.add({"linkwright models", "lists all commands"});
  next.add({"linkwright check puma560", "checks it and lists its coordinates"});
  next.add({"linkwright inverse puma560 --payload link6:2@0,0,0.1", "the same arm with a payload of 2 kg"});
  next.add({"linkwright compile puma560 --out code", "its inverse dynamics in C, with a self-test"});
  next.add({"linkwright inverse puma560-dhanaraj --friction", "torques with friction, and the holding range at rest"});
  next.add({"linkwright ik puma560 --target 0.4,0.2,0.3,0,90deg,0", "all solutions for this target"});
  next.add({"linkwright reproduce all --out report.html", "5 theses and the field's benchmarks, compared"});
  next.add({"linkwright --help", "everything"});
  fmt::print("{}", next.str());
  if (!agrees) say_error("two methods disagree");
  return agrees ? kOk : kCheckFailed;
}

}  // namespace

Command demo_command() {
  Command c;
  c.name = "demo";
  c.summary = "shows one arm, from its file to torques and generated code";
  c.description =
      "Demonstrates the program on the PUMA 560: the model, the torques of a motion by several methods that must "
      "agree, the traced graph, the generated code, and times. Without a C compiler the code is interpreted.";
  c.examples = {"linkwright demo"};
  c.run = run_demo;
  return c;
}

}  // namespace lw::cli
