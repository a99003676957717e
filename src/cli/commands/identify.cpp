#include "../../simulate/identify/identify.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/file.hpp"
#include "../../base/text.hpp"
#include "../../model/write/write_yaml.hpp"
#include "../../simulate/identify/physical_fit.hpp"
#include "../commands.hpp"
#include "../frame/terminal.hpp"
#include "../io/friction_option.hpp"
#include "../io/model_input.hpp"
#include "../io/motion_csv.hpp"
#include "../io/results.hpp"

namespace lw::cli {
namespace {

Json as_json(const Model<double>& model, const Identification& id, const PhysicalFit& fit) {
  Json parameters = Json::array(), joints = Json::array();
  for (const Estimate& e : id.estimates) {
    parameters.push_back({{"name", e.name},
                          {"start", e.start},
                          {"value", e.value},
                          {"deviation", number_or_null(e.deviation)},
                          {"identifiable", e.identifiable}});
  }
  for (const JointFit& j : id.joints) {
    joints.push_back({{"name", j.name},
                      {"rows", j.rows},
                      {"torque_rms", j.torque_rms},
                      {"noise", j.noise},
                      {"residual_rms", j.residual_rms},
                      {"holdout_rows", j.holdout_rows},
                      {"holdout_rms", j.holdout_rows > 0 ? Json(j.holdout_rms) : Json(nullptr)}});
  }
  return {{"model", model.name},
          {"samples", id.samples},
          {"rate", id.rate},
          {"filter", id.filter > 0.0 ? Json(id.filter) : Json(nullptr)},
          {"rank", id.rank},
          {"condition", id.condition},
          {"parameters", parameters},
          {"joints", joints},
          {"physical", {{"consistent", fit.consistent()}, {"worst", fit.worst}, {"parameter", fit.worst_name}}}};
}

void print(const Model<double>& model, const Identification& id, const PhysicalFit& fit) {
  const auto hidden = static_cast<std::size_t>(
      std::count_if(id.estimates.begin(), id.estimates.end(), [](const Estimate& e) { return !e.identifiable; }));
  fmt::print("{}: {} from {}{}, condition number {:.4g}\n\n", model.name, counted(id.estimates.size(), "parameter"),
             counted(id.samples, "sample"), id.filter > 0.0 ? fmt::format(", filtered at {:.4g} Hz", id.filter) : "",
             id.condition);
  Table parameters({"parameter", "start", "value", "deviation", ""});
  for (const Estimate& e : id.estimates) {
    const std::string remark = !e.identifiable                   ? "only in combination"
                               : e.deviation > std::abs(e.value) ? "zero within its standard deviation"
                                                                 : "";
    parameters.add(
        {e.name, readable(e.start), readable(e.value), e.identifiable ? readable(e.deviation) : "-", remark});
  }
  fmt::print("{}\n", parameters.str());
  const bool held =
      std::any_of(id.joints.begin(), id.joints.end(), [](const JointFit& j) { return j.holdout_rows > 0; });
  std::vector<std::string> header{"joint", "rows", "torque rms", "residual rms"};
  if (held) header.emplace_back("held-out rms");
  Table joints(header);
  for (const JointFit& j : id.joints) {
    std::vector<std::string> row{j.name, std::to_string(j.rows), readable(j.torque_rms), readable(j.residual_rms)};
    if (held) row.push_back(j.holdout_rows > 0 ? readable(j.holdout_rms) : "-");
    joints.add(std::move(row));
  }
  fmt::print("{}\n", joints.str());
  if (hidden > 0) {
    fmt::print(
        "{0} not identifiable from this log, which determines {2} of {1} combinations; the rest is as in the file\n",
        hidden == 1 ? "1 parameter is" : fmt::format("{} parameters are", hidden), id.estimates.size(), id.rank);
  }
  fmt::print("{} (worst: {}, {:.2g} deviations)\n",
             fit.consistent() ? "physically consistent bodies have these parameters"
                              : "no physically consistent bodies have these parameters",
             fit.worst_name, fit.worst);
}

// What the fitted friction takes the place of.
std::string replaced(const Mechanism& mechanism) {
  std::string names;
  for (const Link& link : mechanism.links) {
    const Joint& j = link.joint;
    const bool drive = j.drive && (j.drive->efficiency || j.drive->breakaway);
    if (drive || j.damper || j.friction.stribeck || !j.friction.bearings.empty())
      names += (names.empty() ? "" : ", ") + j.name;
  }
  return names;
}

// What the file comes of, as comments at its head.
std::string provenance(const Arguments& arguments, const Identification& id, const PhysicalFit& fit) {
  std::string log = arguments.text("--log");
  std::replace_if(
      log.begin(), log.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; }, '?');
  std::string text =
      fmt::format("# identified from {}: {}{}, condition number {:.4g}\n", log, counted(id.samples, "sample"),
                  id.filter > 0.0 ? fmt::format(", filtered at {:.4g} Hz", id.filter) : "", id.condition);
  text += "# residual torques, rms of the estimates:";
  for (const JointFit& j : id.joints) {
    text += fmt::format("{} {} {:.3g}", &j == &id.joints.front() ? "" : ",", j.name, j.residual_rms);
    if (j.holdout_rows > 0) text += fmt::format(" (held out {:.3g})", j.holdout_rms);
  }
  return text +
         fmt::format("\n# physically consistent bodies, at most {:.2g} standard deviations from the estimates ({})\n",
                     fit.worst, fit.worst_name);
}

void write_fitted(const Arguments& arguments, const LoadedModel& loaded, const Identification& id,
                  const PhysicalFit& fit) {
  write_file(arguments.text("--out"),
             provenance(arguments, id, fit) + write_yaml(fitted_mechanism(loaded.mechanism, loaded.model, id, fit)));
  if (!fit.consistent()) {
    say_warning(
        fmt::format("the mechanism written is the nearest physically consistent one, {:.2g} standard deviations from "
                    "`{}`; check its geometry and the log's units and signs",
                    fit.worst, fit.worst_name));
  }
  if (arguments.quiet()) return;
  const std::string losses = replaced(loaded.mechanism);
  if (!id.friction.empty() && !losses.empty()) {
    say(fmt::format("note: the identified friction also replaces bearings, dampers and drive losses of {}", losses));
  }
  if (std::any_of(id.friction.begin(), id.friction.end(),
                  [](const FrictionTerm& f) { return f.kind == FrictionTerm::Kind::offset; })) {
    say("note: torque offsets cannot be represented in a mechanism file and are omitted");
  }
}

int run_identify(const Arguments& arguments) {
  if (!arguments.has("--log")) throw Error(ErrorCode::usage, "`identify` needs a log: --log FILE.csv");
  require_ending(arguments, "--out", "a YAML mechanism", ".yaml");
  require_other_file(arguments, "--out", "MODEL");
  require_other_file(arguments, "--out", "--log");
  const LoadedModel loaded = load_tree(arguments);
  if (!loaded.mechanism.couplings.empty()) {
    throw Error(ErrorCode::model,
                fmt::format("`{}` has coupled drives, which `identify` does not support yet", loaded.mechanism.name));
  }
  if (has_forces_over_time(loaded.mechanism)) {
    throw Error(ErrorCode::model,
                fmt::format("`{}` has forces that depend on the time `t`, which `identify` does not support yet",
                            loaded.mechanism.name));
  }
  IdentifyOptions options = read_friction(arguments);
  if (arguments.has("--filter")) options.filter = arguments.number("--filter", 0.0);
  options.still = arguments.number("--still", 0.0);
  options.holdout = arguments.number("--holdout", 0.0);
  const Identification id = identify(loaded.model, read_log(arguments.text("--log"), loaded.model), options);
  std::vector<double> values;
  for (const Estimate& e : id.estimates) values.push_back(e.value);
  require_finite("value", values, [&](std::size_t k) { return fmt::format("of `{}`", id.estimates[k].name); });
  const PhysicalFit fit = physical_fit(loaded.model, id);
  if (arguments.has("--out")) write_fitted(arguments, loaded, id, fit);
  if (arguments.json()) {
    Json json = as_json(loaded.model, id, fit);
    if (arguments.has("--out")) json["out"] = arguments.text("--out");
    add_given(arguments, json);
    print_json(json);
  } else {
    print(loaded.model, id, fit);
    if (arguments.has("--out")) fmt::print("{}\n", arguments.text("--out"));
  }
  return kOk;
}

}  // namespace

Command identify_command() {
  std::vector<Option> own{text_option("--log", "FILE.csv", "t, q1.., tau1.. and, if measured, qd1.., qdd1.."),
                          text_option("--out", "FILE.yaml", "writes the mechanism with the identified parameters")};
  for (const Option& o : friction_options()) own.push_back(o);
  own.push_back(number_option("--filter", "HZ",
                              "cut-off of the low-pass filter, 0: none; default: a twentieth of the sampling rate if "
                              "accelerations are missing, else none"));
  own.push_back(number_option(
      "--still", "V",
      "omits rows of joints that are not faster than this (rad/s, m/s), because they may stick; default: 0"));
  own.push_back(
      number_option("--holdout", "PART", "this fraction of the log, at its end, is predicted instead of fitted: 0.25"));
  Command c = dynamics_command(own);
  c.name = "identify";
  c.summary = "masses, inertias and friction from a log of a motion";
  c.description =
      "Estimates base inertial parameters and joint friction together from measured motions and torques, by weighted "
      "least squares, with their standard deviations, and reports what the log does not determine. Torques are those "
      "on the output side of the drives; springs of the mechanism are known. If accelerations were not measured, "
      "positions and velocities are filtered and differentiated, and the same filter is applied to both sides of the "
      "equations.\n\nThe mechanism written has physically consistent bodies, within three standard deviations of the "
      "estimates if possible; parameters not determined by the log stay near the file.";
  c.examples = {
      "linkwright excite double-pendulum --evaluations 100 --torques --out log.csv && linkwright identify "
      "double-pendulum --log log.csv",
      "linkwright excite puma560 --velocity 1 --evaluations 50 --torques --out puma.csv && linkwright identify puma560 "
      "--log puma.csv --holdout 0.25 --out fitted.yaml"};
  c.run = run_identify;
  return c;
}

}  // namespace lw::cli
