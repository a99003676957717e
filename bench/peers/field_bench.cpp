// Benchmarks of the field beside Simbody: IFToMM A01, A02 (N = 2), A03, A04, both programs in one run, at equal error.
//
// Each program runs with tolerances 1e-3, 1e-4, … by each of its integrators. What is shown is the fastest run of each
// whose largest error of a joint at the end is at most the target. Errors are those against tests/oracles/field.json.
// Times are CPU time of the integration, the least of three; both get their model ready beforehand. Explicit methods
// only: Simbody's CPodes exports functions that SUNDIALS, and with it our cvode, has under the same names.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "field_simbody.hpp"
#include "reproduce/field.hpp"

namespace {

using lw::reproduce::FieldProblem;
using Vector = std::vector<double>;

struct Outcome {
  double error = HUGE_VAL, seconds = HUGE_VAL;
  std::string method;
};

struct Problem {
  std::string name;
  double end;
  std::map<std::string, double> q0, v0, expected;  // by joint
};

std::string method_name(const std::string& integrator, double tolerance) {
  char text[64];
  std::snprintf(text, sizeof text, "%s %g", integrator.c_str(), tolerance);
  return text;
}

Outcome by_linkwright(const Problem& problem, lw::Driven& system, const std::string& integrator, double tolerance) {
  lw::MotionState start = system.home();
  const std::vector<lw::JointInfo>& joints = system.model().joints;
  for (std::size_t k = 0; k < joints.size(); ++k) {
    start.q[k] = problem.q0.at(joints[k].name);
    start.v[k] = problem.v0.at(joints[k].name);
  }
  const lw::reproduce::FieldRun run =
      lw::reproduce::run_field(system, start, Vector{problem.end}, {integrator, tolerance});
  Outcome o{0.0, run.seconds, method_name(integrator, tolerance)};
  for (std::size_t k = 0; k < joints.size(); ++k) {
    o.error = std::max(o.error, std::abs(run.at[0].q[k] - problem.expected.at(joints[k].name)));
  }
  return o;
}

Outcome by_simbody(const Problem& problem, const std::string& integrator, double accuracy) {
  const SimbodyRun run = run_simbody(problem.name, problem.q0, problem.v0, problem.end, integrator, accuracy);
  Outcome o{0.0, run.seconds, method_name(integrator, accuracy)};
  for (const auto& [joint, q] : run.q) o.error = std::max(o.error, std::abs(q - problem.expected.at(joint)));
  return o;
}

Problem problem_of(const std::string& name, std::size_t sample) {
  const FieldProblem& data = lw::reproduce::field_problem(name);
  Problem p{name, data.samples[sample].t, {}, {}, {}};
  for (std::size_t k = 0; k < data.joints.size(); ++k) {
    p.q0[data.joints[k]] = data.start.q[k];
    p.v0[data.joints[k]] = data.start.v[k];
    p.expected[data.joints[k]] = data.samples[sample].q[k];
  }
  if (name == "A02-2") {
    for (const std::string joint : {"H1", "H2", "B1", "B2"}) {
      const double sign = joint[0] == 'H' ? -1.0 : 1.0;
      p.q0[joint] = sign * p.q0["A0"], p.v0[joint] = sign * p.v0["A0"], p.expected[joint] = sign * p.expected["A0"];
    }
  }
  return p;
}

// All tolerances of all integrators; a run that throws, or takes more than 20 s once, is none.
template <class Run>
std::vector<Outcome> sweep(const std::vector<std::string>& integrators, const Run& run) {
  std::vector<Outcome> all;
  for (const std::string& integrator : integrators) {
    for (int digits = 3; digits <= 13; ++digits) {
      try {
        Outcome best = run(integrator, std::pow(10.0, -digits));
        for (int repetition = 1; repetition < 3 && best.seconds < 1.0; ++repetition) {
          best.seconds = std::min(best.seconds, run(integrator, std::pow(10.0, -digits)).seconds);
        }
        all.push_back(best);
        if (best.seconds > 5.0) break;
      } catch (const std::exception&) {}
    }
  }
  return all;
}

void print(const char* program, const std::string& problem, const std::vector<Outcome>& outcomes) {
  double smallest = HUGE_VAL;
  for (const Outcome& o : outcomes) smallest = std::min(smallest, o.error);
  for (const double target : {1e-3, 1e-6, 1e-9}) {
    const Outcome* best = nullptr;
    for (const Outcome& o : outcomes) {
      if (o.error <= target && (best == nullptr || o.seconds < best->seconds)) best = &o;
    }
    if (best != nullptr) {
      std::printf("%-12s %6.0e  %-11s %9.2f ms  error %.1e  %s\n", problem.c_str(), target, program,
                  1e3 * best->seconds, best->error, best->method.c_str());
    } else {
      std::printf("%-12s %6.0e  %-11s not reached; smallest error %.1e\n", problem.c_str(), target, program, smallest);
    }
  }
  std::fflush(stdout);
}

}  // namespace

int main() {
  struct Case {
    std::string name;
    std::size_t sample;
    lw::Mechanism mechanism;
    lw::DrivenOptions options;
  };
  const lw::DrivenOptions redundant{.coordinates = lw::DrivenOptions::Coordinates::redundant};
  using lw::reproduce::field_mechanism;
  const std::vector<Case> cases{
      {"A01", 9, field_mechanism("pendulum"), {}},
      {"A02-2", 9, lw::reproduce::mechanism_from_text(lw::reproduce::n_four_bar_text(2)), redundant},
      {"A03-testset", 0, field_mechanism("andrews"), {}},
      // at 9 s, where no rate vanishes: the end is near home
      {"A04", 8, field_mechanism("bricard"), {}}};
  std::printf("problem      target  program          time     largest error of a joint at the end, method\n");
  for (const Case& c : cases) {
    const Problem problem = problem_of(c.name, c.sample);
    lw::Driven system(c.mechanism, {}, c.options);
    print("linkwright", c.name, sweep({"dormand-prince", "verner"}, [&](const std::string& name, double tolerance) {
            return by_linkwright(problem, system, name, tolerance);
          }));
    print("simbody", c.name,
          sweep({"RungeKuttaMerson", "RungeKuttaFeldberg"},
                [&](const std::string& name, double accuracy) { return by_simbody(problem, name, accuracy); }));
  }
}
