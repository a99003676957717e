#include "design_instants.hpp"

#include <numeric>

#include <fmt/format.h>

#include "../../base/index.hpp"
#include "../../base/text.hpp"

namespace lw::cli {
namespace {

// Which entries of vectors over all joints belong to those that lead, to the motors, and to those that follow.
struct InstantPlaces {
  std::vector<int> q, v, tau, following_q, following_v;

  InstantPlaces(const Model<double>& model, const LoadedPlant* closed) {
    if (closed != nullptr) {
      const LoopPlan& plan = closed->plan;
      q = plan.independent_q, v = plan.independent, tau = plan.actuated;
      following_q = plan.dependent_q, following_v = plan.dependent;
      return;
    }
    q.resize(at(model.nq));
    v.resize(at(model.nv));
    std::iota(q.begin(), q.end(), 0);
    std::iota(v.begin(), v.end(), 0);
    tau = v;
  }
};

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
Json motion_json(const Row& row, const Model<double>& model, const LoadedPlant* closed, bool slopes) {
  const InstantPlaces places(model, closed);
  Json json{{"q", entries_at(row.q, slopes ? places.v : places.q)},
            {"qd", entries_at(row.qd, places.v)},
            {"qdd", entries_at(row.qdd, places.v)},
            {"tau", entries_at(row.tau, places.tau)}};
  if (closed == nullptr) return json;
  json["dependent"] = {{"q", slopes ? entries_by_name(row.q, places.following_v, model.velocity_names)
                                    : entries_by_name(row.q, places.following_q, model.coordinate_names)},
                       {"qd", entries_by_name(row.qd, places.following_v, model.velocity_names)},
                       {"qdd", entries_by_name(row.qdd, places.following_v, model.velocity_names)}};
  return json;
}

}  // namespace

Json instant_json(const ForwardDesign::Instant& instant, const Model<double>& model, const LoadedPlant* closed,
                  const std::vector<std::string>& parameters) {
  Json json{{"t", instant.t}};
  json.update(motion_json(instant, model, closed, false));
  Json& by = json["d_parameters"] = Json::object();
  for (std::size_t k = 0; k < parameters.size(); ++k)
    by[parameters[k]] = motion_json(instant.by[k], model, closed, true);
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

std::string trajectory_csv(const std::vector<ForwardDesign::Instant>& instants, const Model<double>& model,
                           const LoadedPlant* closed, const std::vector<std::string>& parameters) {
  const InstantPlaces places(model, closed);
  std::string text = "t";
  const auto header = [&](const std::string& front, const std::string& end, bool slopes) {
    const std::pair<const char*, std::size_t> groups[] = {{"q", slopes ? places.v.size() : places.q.size()},
                                                          {"qd", places.v.size()},
                                                          {"qdd", places.v.size()},
                                                          {"tau", places.tau.size()}};
    for (const auto& [letter, n] : groups) {
      for (std::size_t k = 1; k <= n; ++k) text += fmt::format(",{}{}{}{}", front, letter, k, end);
    }
    for (const char* letter : {"q", "qd", "qdd"}) {
      const bool coordinates = !slopes && letter[1] == 0;
      for (const int k : coordinates ? places.following_q : places.following_v) {
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
    add(row.q, slopes ? places.v : places.q);
    add(row.qd, places.v);
    add(row.qdd, places.v);
    add(row.tau, places.tau);
    add(row.q, slopes ? places.following_v : places.following_q);
    add(row.qd, places.following_v);
    add(row.qdd, places.following_v);
  };
  for (const ForwardDesign::Instant& i : instants) {
    text += fmt::format("\n{}", i.t);
    numbers(i, false);
    for (const auto& by : i.by) numbers(by, true);
  }
  return text + "\n";
}

}  // namespace lw::cli
