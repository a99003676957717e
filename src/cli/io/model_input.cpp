#include "model_input.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "../../base/text.hpp"
#include "../../dynamics/assembly/assembly.hpp"
#include "../../dynamics/loops/loop_plan.hpp"
#include "../../model/check/check.hpp"
#include "../../model/check/elastic.hpp"
#include "../../model/require_tree.hpp"
#include "../frame/terminal.hpp"
#include "judgements.hpp"
#include "vectors.hpp"

namespace lw::cli {
namespace {

// NAME=VALUE
void set_parameter(Mechanism& mechanism, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw Error(ErrorCode::usage, fmt::format("--set needs NAME=VALUE, not `{}`", text));
  }
  const std::string name = text.substr(0, equals);
  std::vector<std::string> known;
  for (const Parameter& p : mechanism.parameters) known.push_back(p.name);
  const auto place = std::find(known.begin(), known.end(), name);
  if (place == known.end()) {
    throw Error(ErrorCode::usage, fmt::format("`{}` has no parameter `{}`; {}", mechanism.name, name,
                                              known.empty() ? "it has no parameters" : suggestion(name, known)));
  }
  const double value = parse_value(text.substr(equals + 1), true, fmt::format("--set {}", name));
  mechanism.parameters[static_cast<std::size_t>(place - known.begin())].value = Formula(value);
}

// LINK:MASS[@x,y,z]
Payload parse_payload(const Mechanism& mechanism, const std::string& text) {
  // names may contain both signs: the last ones count, and `@` only behind the mass
  std::size_t at = text.rfind('@');
  if (at != std::string::npos && text.find(':', at) != std::string::npos) at = std::string::npos;
  const std::size_t colon = text.rfind(':', at);
  if (colon == std::string::npos || colon == 0) {
    throw Error(ErrorCode::usage,
                fmt::format("--payload needs LINK:MASS[@x,y,z] (kg; metres in the link's frame), not `{}`", text));
  }
  Payload payload;
  payload.link = text.substr(0, colon);
  if (mechanism.find_link(payload.link) == nullptr) {
    std::vector<std::string> known;
    for (const Link& link : mechanism.links) known.push_back(link.name);
    throw Error(ErrorCode::usage, fmt::format("--payload: `{}` has no link `{}`; {}", mechanism.name, payload.link,
                                              suggestion(payload.link, known)));
  }
  const std::string mass = text.substr(colon + 1, at == std::string::npos ? at : at - colon - 1);
  payload.inertia.mass = parse_value(mass, false, "--payload: the mass");
  if (at != std::string::npos) {
    const std::vector<double> place = parse_values(text.substr(at + 1), "--payload: the position");
    if (place.size() != 3) {
      throw Error(ErrorCode::usage,
                  fmt::format("--payload: the position is x,y,z, not {}", counted(place.size(), "value")));
    }
    for (std::size_t k = 0; k < 3; ++k) payload.inertia.com[k] = place[k];
  }
  payload.where = payload.inertia.where = {"--payload " + text, 0, 0};
  return payload;
}

// A motor with a coordinate of its own for each drive that is elastic.
void free_motors(Mechanism& mechanism) {
  const std::size_t before = mechanism.shafts.size();
  mechanism = with_elastic_drives(mechanism);
  if (mechanism.shafts.size() > before) return;
  throw Error(ErrorCode::usage, fmt::format("--elastic: no drive of `{}` has a `stiffness`", mechanism.name));
}

std::vector<Option> model_options() {
  return {texts_option("--set", "NAME=VALUE", "overrides a parameter of the file; repeatable", "Model"),
          flag_option("--floating-base", "lets the root link of a URDF float", "Model"),
          flag_option("--allow-unphysical", "reports unphysical masses and inertias as warnings instead of errors",
                      "Model")};
}

Option payload_option() {
  return texts_option("--payload", "LINK:MASS[@x,y,z]",
                      "attaches a point mass (kg) to a link, at its origin or at a point in its frame (m); repeatable",
                      "Model");
}
Option elastic_option() {
  return flag_option("--elastic",
                     "treats drives with a `stiffness` as elastic: each motor has its own coordinate, JOINT.motor",
                     "Model");
}

Command changed(Command c, const std::vector<Option>& more) {
  c.options.insert(c.options.end() - 1, more.begin(), more.end());  // beside the others that change the model
  return c;
}

}  // namespace

Command model_command(std::vector<Option> own) {
  Command c;
  c.positionals = {{"MODEL", "path of a mechanism file, or one of `linkwright models`", true, {}}};
  c.options = std::move(own);
  for (const Option& o : model_options()) c.options.push_back(o);
  c.options.push_back(json_option());
  return c;
}

Command elastic_command(std::vector<Option> own) { return changed(model_command(std::move(own)), {elastic_option()}); }
Command dynamics_command(std::vector<Option> own) {
  return changed(model_command(std::move(own)), {payload_option(), elastic_option()});
}

ReadOptions read_options(const Arguments& arguments) {
  ReadOptions options{arguments.has("--floating-base"), arguments.has("--allow-unphysical"), {}};
  // what is wrong with them is said where they are applied
  for (const std::string& text : arguments.texts("--set")) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) continue;
    options.values[text.substr(0, equals)] =
        parse_value(text.substr(equals + 1), true, "--set " + text.substr(0, equals));
  }
  return options;
}

std::vector<Diagnostic> apply_changes(const Arguments& arguments, Mechanism& mechanism) {
  const std::vector<std::string> values = arguments.texts("--set"), payloads = arguments.texts("--payload");
  std::set<std::string> named;
  for (const std::string& text : values) {
    set_parameter(mechanism, text);
    const std::string name = text.substr(0, text.find('='));
    if (!named.insert(name).second) throw Error(ErrorCode::usage, fmt::format("--set: `{}` is given twice", name));
  }
  for (const std::string& text : payloads) mechanism.payloads.push_back(parse_payload(mechanism, text));
  if (arguments.has("--elastic")) free_motors(mechanism);
  if (values.empty() && payloads.empty()) return {};
  // the file was judged with the values it gives; now it has others
  std::vector<Diagnostic> result = judge_numbers(mechanism, arguments.has("--allow-unphysical"));
  for (std::size_t k = mechanism.payloads.size() - payloads.size(); k < mechanism.payloads.size(); ++k) {
    const Payload& p = mechanism.payloads[k];
    if (!mechanism.stands_still(p.link)) continue;
    result.push_back({Severity::warning, p.where, fmt::format("no effect: `{}` is fixed to the base", p.link), {}});
  }
  return result;
}

void note_losses(const Arguments& arguments, const Mechanism& mechanism) {
  const std::string losses = arguments.has("--friction") ? "" : losses_left_out(mechanism);
  if (!losses.empty() && !arguments.quiet()) say("note: " + losses);
}

std::vector<Diagnostic> judge_numbers(const Mechanism& mechanism, bool allow_unphysical) {
  Complaints complaints;
  const DefaultValues defaults(mechanism);
  check_finite(mechanism, defaults, complaints);
  check_geometry(mechanism, defaults, complaints);
  check_physics(mechanism, defaults, allow_unphysical, complaints);
  check_forces(mechanism, defaults, complaints);
  check_sizes(mechanism, defaults, complaints);
  return complaints.sorted();
}

std::vector<Diagnostic> without(const std::vector<Diagnostic>& diagnostics, const std::vector<Diagnostic>& said) {
  std::vector<Diagnostic> rest;
  std::copy_if(diagnostics.begin(), diagnostics.end(), std::back_inserter(rest), [&](const Diagnostic& d) {
    return std::none_of(said.begin(), said.end(), [&](const Diagnostic& s) { return to_string(s) == to_string(d); });
  });
  return rest;
}

bool has_error(const std::vector<Diagnostic>& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& d) { return d.severity == Severity::error; });
}

void print_diagnostics(const ReadResult& result, Severity least) {
  for (const Diagnostic& d : result.diagnostics) {
    if (d.severity < least) continue;
    const Style style = d.severity == Severity::error ? Style::error : Style::warning;
    say_marked(show(d, result), std::string(to_string(d.severity)) + ":", style);
  }
}

std::string drivers_taken(const Model<double>& model) {
  std::vector<std::string> names;
  for (const int v : actuated_velocities(model))
    names.push_back(fmt::format("`{}`", model.velocity_names[static_cast<std::size_t>(v)]));
  return fmt::format(
      "no joint is marked as `actuated`: {} {} assumed to be actuated, and vectors list {}; `actuated: true` at other "
      "joints changes this",
      fmt::join(names, ", "), names.size() == 1 ? "is" : "are", names.size() == 1 ? "it" : "them");
}

LoadedModel load_model(const Arguments& arguments) {
  ReadResult result = read(arguments.text("MODEL"), read_options(arguments));
  const Severity least = arguments.quiet() ? Severity::error : Severity::warning;
  // shown here, where the texts are at hand
  print_diagnostics(result, least);
  const char* impossible = "no such mechanism can exist; use `--allow-unphysical` to compute with it nevertheless";
  if (result.impossible) throw Error(result.code, impossible);
  if (!result.mechanism) throw Error(result.code, std::vector<Diagnostic>{});
  LoadedModel loaded{std::move(*result.mechanism), {}};
  // what the file's own values gave cause to has been said
  const std::vector<Diagnostic> said = std::move(result.diagnostics);
  result.diagnostics = without(apply_changes(arguments, loaded.mechanism), said);
  print_diagnostics(result, least);
  if (has_error(result.diagnostics)) throw Error(ErrorCode::model, std::vector<Diagnostic>{});
  loaded.model = instantiate<double>(loaded.mechanism);
  try {
    Model<double> driven = with_drivers(loaded.model);
    const bool chosen = actuated_velocities(driven) != actuated_velocities(loaded.model);
    if (chosen && !arguments.quiet()) say("note: " + drivers_taken(driven));
    loaded.model = std::move(driven);
  } catch (const Error&) {
    // it cannot be assembled, which is said where that is asked for
  }
  return loaded;
}

LoadedModel load_tree(const Arguments& arguments, const std::string& instead) {
  LoadedModel loaded = load_model(arguments);
  require_tree(loaded.model, instead.empty()
                                 ? ", which this command does not support yet\n  `assemble`, `kinematics`, `ik`, "
                                   "`inverse`, `forward`, `mass-matrix`, `bias`, `derivatives`, `simulate`, `verify`, "
                                   "`sensitivity`, `optimize`, `count`, `compile` and `bench` do"
                                 : ": " + instead);
  return loaded;
}

bool has_forces_over_time(const Mechanism& mechanism) {
  const auto is_time = [](const Parameter& p) { return p.name == "t"; };
  return !mechanism.forces.empty() && std::any_of(mechanism.parameters.begin(), mechanism.parameters.end(), is_time);
}

}  // namespace lw::cli
