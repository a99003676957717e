#include "design_instants.hpp"

#include <tuple>

#include <fmt/format.h>

#include "../../base/index.hpp"
#include "../../base/text.hpp"

namespace lw::cli {
namespace {

std::vector<double> entries_at(const std::vector<double>& all, const std::vector<int>& places) {
  std::vector<double> part;
  for (const int k : places) part.push_back(all[at(k)]);
  return part;
}

Json entries_by_name(const std::vector<double>& all, const std::vector<int>& places,
                     const std::vector<std::string>& names) {
  Json json = Json::object();
  for (const int k : places) json[names[at(k)]] = all[at(k)];
  return json;
}

// `slopes`: derivatives, of q along the velocities
template <class Row>
Json motion_json(const Row& row, const LoadedPlant& plant, bool slopes) {
  const LoopPlan& plan = plant.plan;
  Json json{{"q", entries_at(row.q, slopes ? plan.independent : plan.independent_q)},
            {"qd", entries_at(row.qd, plan.independent)},
            {"qdd", entries_at(row.qdd, plan.independent)},
            {"tau", entries_at(row.tau, plan.actuated)}};
  const auto& [coordinates, velocities] =
      std::tie(plant.loaded.model.coordinate_names, plant.loaded.model.velocity_names);
  Json followers{{"q", slopes ? entries_by_name(row.q, plan.dependent, velocities)
                              : entries_by_name(row.q, plan.dependent_q, coordinates)},
                 {"qd", entries_by_name(row.qd, plan.dependent, velocities)},
                 {"qdd", entries_by_name(row.qdd, plan.dependent, velocities)}};
  if (!followers["qd"].empty()) json["dependent"] = std::move(followers);
  return json;
}

}  // namespace

Json instant_json(const ForwardDesign::Instant& instant, const LoadedPlant& plant,
                  const std::vector<std::string>& parameters) {
  Json json{{"t", instant.t}};
  json.update(motion_json(instant, plant, false));
  Json& by = json["d_parameters"] = Json::object();
  for (std::size_t k = 0; k < parameters.size(); ++k) by[parameters[k]] = motion_json(instant.by[k], plant, true);
  return json;
}

void print_instant(const ForwardDesign::Instant& instant, const Model<double>& model,
                   const std::vector<std::string>& parameters) {
  fmt::print("\nat {:.6g} s\n\n", instant.t);
  Table table({"parameter", "joint", "d q", "d qd", "d qdd", "d tau"});
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const auto& d = instant.by[k];
    for (std::size_t v = 0; v < d.qd.size(); ++v) {
      table.add({v == 0 ? parameters[k] : "", model.velocity_names[v], readable(d.q[v], 9, largest(d.q)),
                 readable(d.qd[v], 9, largest(d.qd)), readable(d.qdd[v], 9, largest(d.qdd)),
                 readable(d.tau[v], 9, largest(d.tau))});
    }
  }
  fmt::print("{}", table.str());
}

std::string trajectory_csv(const std::vector<ForwardDesign::Instant>& instants, const LoadedPlant& plant,
                           const std::vector<std::string>& parameters) {
  const Model<double>& model = plant.loaded.model;
  const LoopPlan& plan = plant.plan;
  std::string text = "t";
  const auto header = [&](const std::string& front, const std::string& end, bool slopes) {
    const std::pair<const char*, std::size_t> groups[] = {
        {"q", slopes ? plan.independent.size() : plan.independent_q.size()},
        {"qd", plan.independent.size()},
        {"qdd", plan.independent.size()},
        {"tau", plan.actuated.size()}};
    for (const auto& [letter, n] : groups) {
      for (std::size_t k = 1; k <= n; ++k) text += fmt::format(",{}{}{}{}", front, letter, k, end);
    }
    for (const char* letter : {"q", "qd", "qdd"}) {
      const bool coordinates = !slopes && letter[1] == 0;
      for (const int k : coordinates ? plan.dependent_q : plan.dependent) {
        text += fmt::format(",{}{}.{}{}", front, letter,
                            (coordinates ? model.coordinate_names : model.velocity_names)[at(k)], end);
      }
    }
  };
  header("", "", false);
  for (const std::string& p : parameters) header("d_", "." + p, true);
  const auto numbers = [&](const auto& row, bool slopes) {
    const auto add = [&](const std::vector<double>& all, const std::vector<int>& which) {
      for (const int k : which) text += fmt::format(",{}", all[at(k)]);
    };
    add(row.q, slopes ? plan.independent : plan.independent_q);
    add(row.qd, plan.independent);
    add(row.qdd, plan.independent);
    add(row.tau, plan.actuated);
    add(row.q, slopes ? plan.dependent : plan.dependent_q);
    add(row.qd, plan.dependent);
    add(row.qdd, plan.dependent);
  };
  for (const ForwardDesign::Instant& i : instants) {
    text += fmt::format("\n{}", i.t);
    numbers(i, false);
    for (const auto& by : i.by) numbers(by, true);
  }
  return text + "\n";
}

}  // namespace lw::cli
