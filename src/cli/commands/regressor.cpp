#include "../../dynamics/parameters/regressor.hpp"

#include <cmath>

#include <fmt/format.h>

#include "../../base/text.hpp"
#include "../../dynamics/parameters/base_parameters.hpp"
#include "../../dynamics/tree/rnea.hpp"
#include "../commands.hpp"
#include "../frame/terminal.hpp"
#include "../io/model_input.hpp"
#include "../io/results.hpp"
#include "../io/vectors.hpp"

namespace lw::cli {
namespace {

struct Parameters {
  std::vector<std::string> names, units;
  std::vector<double> values;
  std::vector<double> Y;  // nv rows, by columns
};

std::vector<std::string> units(const Model<double>& model, const ParameterTable& table) {
  std::vector<std::string> list;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (table.first[i] >= 0) {
      list.insert(list.end(), {"kg", "kg·m", "kg·m", "kg·m"});
      list.insert(list.end(), 6, "kg·m²");
    }
    if (table.rotor[i] >= 0) list.emplace_back(model.bodies[i].kind == JointKind::revolute ? "kg·m²" : "kg");
  }
  return list;
}

Parameters only_base(const Parameters& all, const BaseParameters<double>& base, std::size_t nv) {
  Parameters result;
  result.values = base_values<double>(base, all.values);
  for (const int b : base.base) {
    const auto column = static_cast<std::size_t>(b);
    result.names.push_back(all.names[column]);
    result.units.push_back(all.units[column]);
    result.Y.insert(result.Y.end(), all.Y.begin() + static_cast<std::ptrdiff_t>(column * nv),
                    all.Y.begin() + static_cast<std::ptrdiff_t>((column + 1) * nv));
  }
  return result;
}

// The velocities whose torque a parameter is part of, in this state.
std::string acts_on(const Model<double>& model, const Parameters& p, std::size_t parameter) {
  const auto nv = static_cast<std::size_t>(model.nv);
  const double scale = largest(p.Y);
  std::string text;
  for (std::size_t k = 0; k < nv; ++k) {
    if (std::abs(p.Y[parameter * nv + k]) <= 1e-14 * scale) continue;
    text += (text.empty() ? "" : " ") + model.velocity_names[k];
  }
  return text.empty() ? "-" : text;
}

// A line per parameter: its value and its column of Y, or what that acts on where it would be too long.
void print_parameters(const Model<double>& model, const Parameters& p) {
  const auto nv = static_cast<std::size_t>(model.nv);
  std::vector<std::string> header{"parameter", "value", ""};
  Table brief({"parameter", "value", "", "acts in this state on"});
  for (const std::string& name : model.velocity_names) header.push_back("Y " + name);
  Table whole(header);
  for (std::size_t k = 0; k < p.names.size(); ++k) {
    std::vector<std::string> row{p.names[k], readable(p.values[k], 6, largest(p.values)), p.units[k]}, short_row = row;
    for (std::size_t i = 0; i < nv; ++i) row.push_back(readable(p.Y[k * nv + i], 6, largest(p.Y)));
    whole.add(std::move(row));
    short_row.push_back(acts_on(model, p, k));
    brief.add(std::move(short_row));
  }
  constexpr std::size_t kWidth = 150;
  if (whole.width() <= kWidth) {
    fmt::print("{}", whole.str());
  } else {
    fmt::print("{}\nY is too wide to be shown; --json prints it\n", brief.str());
  }
}

void print_relations(const BaseParameters<double>& base) {
  fmt::print("\nGrouping relations (all other base parameters are single parameters):\n\n");
  for (std::size_t k = 0; k < base.base.size(); ++k) {
    const std::string text = relation_text(base, k);
    if (text == base.name(k)) continue;
    bool first = true;
    for (const std::string& line : wrap(base.name(k) + "' = " + text, 96)) {
      fmt::print("{}{}\n", first ? "  " : "      ", line);
      first = false;
    }
  }
}

Json relations_json(const BaseParameters<double>& base, const std::vector<double>& values) {
  Json list = Json::array();
  for (std::size_t k = 0; k < base.base.size(); ++k) {
    Json terms = Json::object();
    for (const auto& [parameter, factor] : base.K[k])
      terms[base.standard.names[static_cast<std::size_t>(parameter)]] = factor;
    list.push_back(
        {{"parameter", base.name(k)}, {"relation", relation_text(base, k)}, {"value", values[k]}, {"terms", terms}});
  }
  return list;
}

int run_regressor(const Arguments& arguments) {
  const LoadedModel loaded = load_tree(arguments);
  const Model<double>& model = loaded.model;
  const std::vector<double> q = read_q(arguments, loaded), qd = read_velocity(arguments, "--qd", model),
                            qdd = read_velocity(arguments, "--qdd", model);
  Workspace<double> work(model);
  const auto nv = static_cast<std::size_t>(model.nv);
  const ParameterTable table = parameter_table(model);
  Parameters p{table.names, units(model, table), parameter_values(model, table),
               std::vector<double>(nv * table.size())};
  regressor<double>(model, table, work, q, qd, qdd, p.Y);
  std::vector<double> springs(nv);
  const std::vector<double> nothing(table.size(), 0.0);
  rnea<double>(with_parameters<double>(model, table, nothing), work, q, qd, qdd, springs);

  const bool base_only = arguments.text("--parameters", "full") == "base";
  BaseParameters<double> base;
  int rank = 0;  // how many of them do not depend on the rest
  if (base_only) {
    base = base_parameters(model);
    p = only_base(p, base, nv);
    rank = model.has_mimics ? base_rank(model) : static_cast<int>(base.base.size());
    if (rank < static_cast<int>(base.base.size()) && !arguments.quiet()) {
      say(fmt::format("note: because of mimic joints, {} of these {} depend on the rest",
                      p.names.size() - static_cast<std::size_t>(rank), p.names.size()));
    }
  }
  require_finite("Y", p.Y, [&](std::size_t k) {
    return fmt::format("of `{}` and `{}`", model.velocity_names[k % nv], p.names[k / nv]);
  });
  require_finite("parameter", p.values, [&](std::size_t k) { return fmt::format("`{}`", p.names[k]); });

  if (arguments.json()) {
    Json json{{"model", model.name},
              {"q", q},
              {"qd", qd},
              {"qdd", qdd},
              {"velocity_names", model.velocity_names},
              {"parameters", p.names},
              {"values", p.values},
              {"Y", rows_of(p.Y, model.nv, static_cast<int>(p.names.size()))},
              {"springs", springs}};
    if (base_only) {
      json["rank"] = rank;
      json["relations"] = relations_json(base, p.values);
    }
    add_given(arguments, json);
    print_json(json);
    return kOk;
  }

  fmt::print("{}: tau = Y pi{}, Y of {}, {}\n{}\n", model.name, largest(springs) > 0.0 ? " + springs" : "",
             counted(nv, "row"),
             base_only ? fmt::format("{} base parameters of {}", p.names.size(), table.size())
                       : counted(p.names.size(), "parameter"),
             configuration_line(q));
  print_parameters(model, p);
  if (base_only) print_relations(base);
  return kOk;
}

}  // namespace

Command regressor_command() {
  Command c =
      dynamics_command({q_option(), velocity_option("--qd", "velocities"), velocity_option("--qdd", "accelerations"),
                        choice_option("--parameters", "full|base", "all parameters (default) or the base parameters",
                                      {"full", "base"})});
  c.name = "regressor";
  c.summary = "regressor Y(q, qd, qdd): torques linear in masses and inertias";
  c.description =
      "The matrix Y of tau = Y pi, where pi are masses, first moments, inertias about the origin of the body's frame, "
      "and rotor inertias. Base parameters are the smallest set that gives the same torques (with mimic joints, the "
      "rank shows the smallest possible number); the relations show how the others are grouped into them.";
  c.examples = {"linkwright regressor puma560 --qd 1,1,1,1,1,1",
                "linkwright regressor stanford --parameters base --qdd 1,1,1,1,1,1",
                "linkwright regressor double-pendulum --qdd 1,0 --json"};
  c.run = run_regressor;
  return c;
}

}  // namespace lw::cli
