#include "field.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

#include <fmt/format.h>

#include "base/error.hpp"
#include "simulate/integrate/advance.hpp"

namespace lw::reproduce {
namespace {

const JointInfo& field_joint(const Model<double>& model, const std::string& name) {
  const auto found = std::ranges::find(model.joints, name, &JointInfo::name);
  if (found == model.joints.end())
    throw Error(ErrorCode::usage, fmt::format("`{}` has no joint `{}`", model.name, name));
  return *found;
}

// Where the numbers of the problem's joints are among those of the model.
struct FieldPlaces {
  std::vector<std::size_t> q, v;
};
FieldPlaces field_places(const Model<double>& model, const FieldProblem& problem) {
  FieldPlaces places;
  for (const std::string& name : problem.joints) {
    const JointInfo& joint = field_joint(model, name);
    for (int k = 0; k < coordinates(joint.type); ++k) places.q.push_back(static_cast<std::size_t>(joint.q + k));
    for (int k = 0; k < velocities(joint.type); ++k) places.v.push_back(static_cast<std::size_t>(joint.v + k));
  }
  return places;
}

// A quaternion and its negative are the same pose: ours with the sign of the reference.
void match_quaternions(const Model<double>& model, const FieldProblem& problem, const Vector& reference, Vector& ours) {
  std::size_t first = 0;
  for (const std::string& name : problem.joints) {
    const JointType type = field_joint(model, name).type;
    if (type == JointType::spherical) {
      double product = 0.0;
      for (std::size_t k = first; k < first + 4; ++k) product += reference[k] * ours[k];
      for (std::size_t k = first; k < first + 4; ++k) ours[k] = std::copysign(1.0, product) * ours[k];
    }
    first += static_cast<std::size_t>(coordinates(type));
  }
}

}  // namespace

Mechanism field_mechanism(const std::string& name) {
  const std::string file = name + ".yaml";
  for (const EmbeddedFile& f : embedded_field_files()) {
    if (f.name == file) return mechanism_from_text(std::string(f.text), file);
  }
  throw Error(ErrorCode::usage, "no benchmark file " + file);
}

std::string n_four_bar_text(int windows) {
  std::string text = fmt::format(
      "linkwright: 1\n"
      "name: n-four-bar-{0}\n"
      "summary: {0} four-bar windows of bars of 1 m and 1 kg (IFToMM benchmark A02)\n"
      "gravity: [0, -9.81, 0]\n"
      "links:\n"
      "  - name: v0\n"
      "    parent: base\n"
      "    joint: {{name: A0, type: revolute, axis: z, actuated: true}}\n"
      "    inertia: {{mass: 1, com: [0, 0.5, 0], tensor: [1/12, 0, 1/12]}}\n",
      windows);
  // the first coupler starts at the end of v0, the others at the origin of the upright before them
  for (int i = 1; i <= windows; ++i) {
    text += fmt::format(
        "  - name: h{0}\n"
        "    parent: v{1}\n"
        "    joint: {{name: H{0}, type: revolute, axis: z, origin: {{xyz: [0, {2}, 0]}}}}\n"
        "    inertia: {{mass: 1, com: [0.5, 0, 0], tensor: [0, 1/12, 1/12]}}\n"
        "  - name: v{0}\n"
        "    parent: h{0}\n"
        "    joint: {{name: B{0}, type: revolute, axis: z, origin: {{xyz: [1, 0, 0]}}}}\n"
        "    inertia: {{mass: 1, com: [0, -0.5, 0], tensor: [1/12, 0, 1/12]}}\n",
        i, i - 1, i == 1 ? 1 : 0);
  }
  text += "loops:\n";
  for (int i = 1; i <= windows; ++i) {
    text += fmt::format(
        "  - name: L{0}\n"
        "    joint: {{type: revolute, axis: z}}\n"
        "    between: [base, v{0}]\n"
        "    at: {{base: {{xyz: [{0}, 0, 0]}}, v{0}: {{xyz: [0, -1, 0]}}}}\n",
        i);
  }
  return text;
}

MotionState field_state(const System& system, const FieldProblem& problem, const FieldState& given) {
  MotionState state = system.home();
  const FieldPlaces places = field_places(system.model(), problem);
  state.t = given.t;
  for (std::size_t k = 0; k < places.q.size(); ++k) state.q[places.q[k]] = given.q[k];
  for (std::size_t k = 0; k < places.v.size(); ++k) state.v[places.v[k]] = given.v[k];
  return state;
}

FieldRun run_field(System& system, MotionState state, std::span<const double> instants, const FieldMethod& method) {
  FieldRun run{.method = method};
  const auto integrator = make_integrator(method.integrator, {.rtol = method.tolerance, .atol = method.tolerance});
  const std::clock_t start = std::clock();
  for (const double instant : instants) {
    while (state.t < instant) advance(*integrator, system, state, instant);
    if (method.afresh) integrator->restart();
    run.at.push_back(state);
  }
  run.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  run.steps = integrator->counts().steps;
  return run;
}

Vector instants_of(const FieldProblem& problem) {
  Vector instants;
  for (const FieldState& sample : problem.samples) instants.push_back(sample.t);
  return instants;
}

void compare_field(Experiment& e, const FieldProblem& problem, const System& system, const FieldRun& run,
                   const Source& reference, const Tolerance& q, const Tolerance& v) {
  const FieldPlaces places = field_places(system.model(), problem);
  Vector expected_q, expected_v, ours_q, ours_v;
  for (std::size_t i = 0; i < problem.samples.size(); ++i) {
    Vector own;
    for (const std::size_t k : places.q) own.push_back(run.at[i].q[k]);
    match_quaternions(system.model(), problem, problem.samples[i].q, own);
    ours_q.insert(ours_q.end(), own.begin(), own.end());
    for (const std::size_t k : places.v) ours_v.push_back(run.at[i].v[k]);
    expected_q.insert(expected_q.end(), problem.samples[i].q.begin(), problem.samples[i].q.end());
    expected_v.insert(expected_v.end(), problem.samples[i].v.begin(), problem.samples[i].v.end());
  }
  const std::size_t n = problem.samples.size();
  const std::string when = n == 1 ? fmt::format("at {:g} s", problem.samples[0].t)
                                  : fmt::format("at {} instants up to {:g} s", n, problem.samples.back().t);
  e.compare("q", "coordinates " + when + " (rad, m)", reference, {expected_q, places.q.size()},
            {ours_q, places.q.size()}, q, field_note(run, problem));
  e.compare("qd", "velocities " + when + " (rad/s, m/s)", reference, {expected_v, places.v.size()},
            {ours_v, places.v.size()}, v);
  e.rows[e.rows.size() - 2].is_timed = true;
}

std::string field_note(const FieldRun& run, const FieldProblem& problem) {
  std::string text = fmt::format("Ours: {:.2g} s of CPU time, {} steps of {} with tolerances of {:g}.", run.seconds,
                                 run.steps, run.method.integrator, run.method.tolerance);
  for (const FieldTime& t : problem.times) {
    text += fmt::format(" Published: {:g} s by {}, on {}.", t.seconds, t.program, t.machine);
  }
  return text;
}

}  // namespace lw::reproduce
