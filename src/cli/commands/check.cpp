#include "../commands.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "../../base/text.hpp"
#include "../../dynamics/assembly/assembly.hpp"
#include "../../dynamics/assembly/soundness.hpp"
#include "../../dynamics/kinematics/closure.hpp"
#include "../../dynamics/loops/plant.hpp"
#include "../../model/evaluate.hpp"
#include "../../model/limits.hpp"
#include "../frame/terminal.hpp"
#include "../io/judgements.hpp"
#include "../io/model_input.hpp"
#include "../io/results.hpp"
#include "../io/vectors.hpp"

namespace lw::cli {
namespace {

// What could be found out; a file that gives no mechanism leaves most of it empty.
struct Findings {
  ReadResult reading;
  std::optional<Model<double>> model;
  std::optional<Plant> plant;  // as commands take it
  std::string no_plant;        // why not
  Mobility mobility;
  LoopJudgement loops;
  std::vector<double> closed_home;  // the pose that commands begin with
  double mass = 0.0;                // of everything that moves
  bool ok = false;
  bool impossible = false;  // it would be accepted with --allow-unphysical
};

constexpr double kMovedHome = 1e-6;  // rad or m: files round

// A mechanism in which nothing resists a velocity has inverse dynamics, but no accelerations.
void add_singular(const Plant& plant, const Mechanism& mechanism, std::vector<Diagnostic>& diagnostics) {
  int k = -1;
  try {
    k = bad_pivots(plant.model, plant.plan, plant.home).zero;
  } catch (const Error&) {
    return;  // numbers that overflow are said where they are asked for
  }
  if (k < 0) return;
  Location where = mechanism.where;
  for (const JointInfo& joint : plant.model.joints) {
    if (joint.v <= k) where = mechanism.find_joint(joint.name)->joint.where;
  }
  diagnostics.push_back({Severity::warning, where,
                         fmt::format("nothing resists an acceleration of `{}`: no mass or inertia moves with it alone, "
                                     "so `forward` has no solution",
                                     plant.model.velocity_names[static_cast<std::size_t>(k)]),
                         "add an inertia to the links that it moves, or a `rotor_inertia` to its drive"});
}

// What is no error but can hardly be meant.
void add_doubts(const Findings& f, const Mechanism& mechanism, std::vector<Diagnostic>& diagnostics) {
  const Model<double>& model = *f.model;
  for (const PassedLimit& passed : passed_limits(mechanism, model, model.home)) {
    diagnostics.push_back({Severity::warning, passed.where,
                           fmt::format("the home of joint `{}`, {:.6g}, is {} limit, {:.6g}", passed.joint->name,
                                       passed.value, passed.side, passed.limit),
                           "give a `home` within the limits"});
  }
  for (std::size_t k = 0; k < model.loops.size(); ++k) {
    const LoopClosure<double>& loop = model.loops[k];
    if (loop.a.body != loop.b.body) continue;
    diagnostics.push_back(
        {Severity::warning, mechanism.loops[k].where,
         fmt::format("the loop `{}` connects `{}` to `{}`, which belong to the same rigid body: it has no effect",
                     loop.name, loop.a.name, loop.b.name),
         "name links that move relative to each other"});
  }
  if (f.plant && model.nv <= kAffordablePivots) add_singular(*f.plant, mechanism, diagnostics);
  const std::string losses = losses_left_out(mechanism);
  if (!losses.empty()) diagnostics.push_back({Severity::note, {mechanism.where.file, 0, 0}, losses, {}});
}

// A home that does not fit together is not what anything begins with: which of the driven joints stand elsewhere.
void add_moved_home(const Model<double>& model, const Mechanism& mechanism, const Findings& f,
                    std::vector<Diagnostic>& diagnostics) {
  const std::vector<Entry> entries = coordinate_entries(model);
  std::string moved;
  for (const int k : actuated_coordinates(model)) {
    const auto i = static_cast<std::size_t>(k);
    if (!(std::abs(f.closed_home[i] - model.home[i]) > kMovedHome)) continue;
    moved += fmt::format("{}`{}` by {:.4g} {} to {:.6g}", moved.empty() ? "" : ", ", entries[i].name,
                         f.closed_home[i] - model.home[i], entries[i].unit, f.closed_home[i]);
  }
  if (moved.empty()) return;
  diagnostics.push_back({Severity::warning, mechanism.where,
                         fmt::format("the loops cannot be closed with the actuated joints at `home`; commands start "
                                     "from the nearest closed pose, which moves {}",
                                     moved),
                         "give a `home` that closes the loops"});
}

// Whether the loops close, say something each, and leave what the actuated joints can drive.
void add_loops(const Model<double>& model, const Mechanism& mechanism, Findings& f,
               std::vector<Diagnostic>& diagnostics) {
  const std::string wrong = complaint(model, f.loops);
  if (!f.mobility.closed) {
    diagnostics.push_back({Severity::error, mechanism.where,
                           fmt::format("the loops cannot be closed from the home pose: {:.3g} (m or rad) remain\n  {}",
                                       f.mobility.residual, wrong),
                           "check the lengths, or give a `home` nearer to a closed pose"});
    return;
  }
  f.closed_home = f.plant ? f.plant->home : assemble_home(model).q;
  add_moved_home(f.plant ? f.plant->minimal : model, mechanism, f, diagnostics);
  const auto judged = [&](Severity severity, const Location& where, const std::string& what) {
    diagnostics.push_back({severity, where, what, {}});
  };
  if (const std::string twice = redundancy(model, f.loops); !twice.empty()) {
    judged(Severity::warning, mechanism.loops[static_cast<std::size_t>(f.loops.redundant[0])].where, twice);
  }
  if (!wrong.empty()) {
    judged(Severity::warning, mechanism.where, wrong);
  } else {
    if (const std::string note = remark(model, f.loops); !note.empty()) judged(Severity::note, mechanism.where, note);
    if (!f.plant) return judged(Severity::warning, mechanism.where, f.no_plant);
    if (actuated_velocities(f.plant->model) != actuated_velocities(model))
      return judged(Severity::note, mechanism.where, drivers_taken(f.plant->model));
    try {
      Workspace<double> work(model);
      const Model<double> driven = led_by(model, f.plant->plan.actuated);
      driving_velocities(driven, work, assemble_home(driven));
    } catch (const Error& e) {
      judged(Severity::warning, mechanism.where, e.what());
    }
  }
}

Findings examine(const Arguments& arguments) {
  Findings f;
  f.reading = read(arguments.text("MODEL"), read_options(arguments));
  std::vector<Diagnostic>& diagnostics = f.reading.diagnostics;
  // a mechanism that no body could be built as can still be described; its errors stay errors
  f.impossible = f.reading.impossible.has_value();
  if (!f.reading.mechanism) f.reading.mechanism = std::move(f.reading.impossible);
  if (!f.reading.mechanism) return f;
  const Mechanism& mechanism = *f.reading.mechanism;
  const std::vector<Diagnostic> changes = without(apply_changes(arguments, *f.reading.mechanism), diagnostics);
  diagnostics.insert(diagnostics.end(), changes.begin(), changes.end());
  if (has_error(changes) && has_error(judge_numbers(mechanism, true))) return f;  // not even numbers to describe
  f.model = instantiate<double>(mechanism);
  try {
    f.plant.emplace(*f.model);
  } catch (const Error& e) {
    f.no_plant = e.what();
  }
  add_doubts(f, mechanism, diagnostics);
  for (const Body<double>& body : f.model->bodies) f.mass += body.inertia.mass;
  f.mobility = mobility(*f.model);
  f.loops = judge_loops(*f.model);
  f.closed_home = f.model->home;
  add_loops(*f.model, mechanism, f, diagnostics);
  f.ok = !has_error(diagnostics);
  return f;
}

Json to_json(const Findings& f, const std::string& name) {
  Json json{{"ok", f.ok}, {"model", name}};
  if (f.model) {
    const Model<double>& m = *f.model;
    std::vector<std::string> joints;
    for (const JointInfo& joint : m.joints) joints.push_back(joint.name);
    json["model"] = m.name;
    json["dof"] = f.mobility.dof;
    json["nq"] = m.nq;
    json["nv"] = m.nv;
    json["links"] = f.reading.mechanism->links.size();
    json["joints"] = joints.size();
    json["joint_names"] = joints;
    json["coordinate_names"] = m.coordinate_names;
    json["velocity_names"] = m.velocity_names;
    json["loops"] = m.loops.size();
    json["loop_residual"] = f.mobility.residual;
    json["gruebler"] = f.loops.gruebler;
    json["closure_rank"] = f.loops.rank;
    json["home_residual"] = f.mobility.home_residual;
    json["closed_home"] = f.closed_home;
    json["mass"] = f.mass;
    json["home"] = m.home;
  } else {
    for (const char* field : {"dof", "nq", "nv", "links", "joints"}) json[field] = nullptr;
    for (const char* field : {"joint_names", "coordinate_names", "velocity_names"}) json[field] = Json::array();
    for (const char* field : {"loops", "loop_residual", "mass"}) json[field] = nullptr;
    json["home"] = Json::array();
  }
  json["diagnostics"] = Json::array();
  for (const Diagnostic& d : f.reading.diagnostics) {
    json["diagnostics"].push_back({{"severity", to_string(d.severity)},
                                   {"file", d.where.file},
                                   {"line", d.where.line},
                                   {"column", d.where.column},
                                   {"message", d.message},
                                   {"hint", d.hint}});
  }
  return json;
}

void print_summary(const Findings& f) {
  const Model<double>& m = *f.model;
  const Mechanism& mechanism = *f.reading.mechanism;
  fmt::print("{}{}{}\n", m.name, mechanism.summary.empty() ? "" : ": ", mechanism.summary);
  std::string loops = m.loops.empty() ? "no loops" : counted(m.loops.size(), "loop");
  if (!f.mobility.closed)
    loops += " (not closed)";
  else if (f.mobility.home_residual > kMovedHome)
    loops += fmt::format(" (closed to {:.1g} near home; the closure error at home is up to {:.2g} m or rad)",
                         f.mobility.residual, f.mobility.home_residual);
  else if (f.mobility.residual > 0.0)
    loops += fmt::format(" (closed to {:.1g})", f.mobility.residual);
  fmt::print("{}, {}, {}, moving mass {:.6g} kg\n\n",
             counted(static_cast<std::size_t>(f.mobility.dof), "degree of freedom", "degrees of freedom"),
             counted(mechanism.links.size(), "link"), loops, f.mass);

  std::vector<std::string> header{"coordinate", "joint", "unit", "home"};
  const bool has_passive = !std::ranges::all_of(m.joints, &JointInfo::actuated);
  if (has_passive) header.emplace_back("driven");
  Table table(header);
  const std::vector<Entry> entries = coordinate_entries(m);
  for (const JointInfo& joint : m.joints) {
    for (int k = 0; k < coordinates(joint.type); ++k) {
      const auto i = static_cast<std::size_t>(joint.q + k);
      std::vector<std::string> row{entries[i].name, to_string(joint.type), entries[i].unit, readable(m.home[i])};
      if (has_passive) row.emplace_back(joint.actuated ? "yes" : "");
      table.add(std::move(row));
    }
  }
  fmt::print("{}\n", table.str());
  if (mechanism.parameters.empty()) return;
  std::string parameters = "parameters:";
  const DefaultValues values(mechanism);
  for (const Parameter& p : mechanism.parameters) parameters += fmt::format(" {}={:.6g},", p.name, values(p.value));
  parameters.pop_back();
  for (const std::string& line : wrap(parameters, 92))
    fmt::print("{}{}\n", line.starts_with("parameters") ? "" : "  ", line);
  fmt::print("\n");
}

int run_check(const Arguments& arguments) {
  const Findings f = examine(arguments);
  print_diagnostics(f.reading, arguments.quiet() ? Severity::error : Severity::note);
  if (f.impossible && !arguments.quiet()) {
    say("note: `--allow-unphysical`, or a reason under `unphysical` in the file, reports unphysical inertias as "
        "warnings");
  }
  if (arguments.json()) {
    print_json(to_json(f, arguments.text("MODEL")));
  } else if (f.model) {
    print_summary(f);
    const auto count = [&](Severity severity) {
      return static_cast<std::size_t>(std::count_if(f.reading.diagnostics.begin(), f.reading.diagnostics.end(),
                                                    [&](const Diagnostic& d) { return d.severity == severity; }));
    };
    const std::size_t warnings = count(Severity::warning);
    const std::string also = warnings > 0 ? ", " + counted(warnings, "warning") : "";
    if (f.ok) {
      fmt::print("{}{}\n", styled("ok", Style::good, stdout), also);
    } else {
      fmt::print("{}{}\n", styled(counted(count(Severity::error), "error"), Style::error, stdout), also);
    }
  }
  if (f.ok) return kOk;
  return f.model ? kCheckFailed : kBadData;
}

}  // namespace

Command check_command() {
  Command c = elastic_command({});
  c.name = "check";
  c.summary = "reads a mechanism, checks it and describes it";
  c.description =
      "Reads a mechanism file and reports all errors with their lines: syntax, names, and physics (positive masses, "
      "physical inertias, loops that can be closed). Then describes the mechanism: its degrees of freedom and the "
      "order of its coordinates, which applies to all vectors.\nExit code 3 if the file does not describe a mechanism, "
      "1 if the mechanism cannot exist.";
  c.examples = {"linkwright check puma560", "linkwright check puma560 --json"};
  c.run = run_check;
  return c;
}

}  // namespace lw::cli
