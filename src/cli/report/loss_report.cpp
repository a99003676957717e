#include "loss_report.hpp"

#include <cmath>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/text.hpp"
#include "../../dynamics/loops/closed_losses.hpp"
#include "../../dynamics/loops/undetermined_loads.hpp"
#include "../../model/entries.hpp"
#include "../frame/terminal.hpp"

namespace lw::cli {
namespace {

// A drive that takes torque to be driven back, and what is known of what it stands.
struct BackDriving {
  std::string name;
  std::size_t place;
  double torque;
  const char* limit_name = nullptr;  // "peak", "rated"
  double limit = 0.0;
};

std::vector<BackDriving> back_driving(const Model<double>& model) {
  std::vector<BackDriving> list;
  for (const Transmission<double>& t : model.transmissions) {
    for (std::size_t k = 0; k < t.drives.size(); ++k) {
      const DriveLoss<double>& d = t.drives[k];
      BackDriving b{d.name, static_cast<std::size_t>(t.v[k]), back_driving_torque(d)};
      if (d.has_peak || d.has_rated) {
        b.limit_name = d.has_peak ? "peak" : "rated";
        b.limit = d.has_peak ? d.peak : d.rated;
      }
      list.push_back(b);
    }
  }
  return list;
}

}  // namespace

Option friction_option() {
  return flag_option("--friction", "includes joint friction and drive losses; tau is the total drive torque");
}

void require_own_method(const Arguments& arguments, const std::string& with) {
  if (!arguments.has(with) || !arguments.has("--method")) return;
  throw Error(ErrorCode::usage, fmt::format("{} has its own method: omit --method", with));
}

const std::vector<LossPart>& loss_parts() {
  using L = Losses<double>;
  static const std::vector<LossPart> parts{
      {"dynamic", "dynamic", &L::dynamic},    {"bearing", "bearing", &L::bearing},
      {"at_joint", "at joint", &L::at_joint}, {"transmission", "transmission", &L::transmission},
      {"total", "total", &L::total},          {"motor", "motor", &L::motor}};
  return parts;
}

LossReport loss_report(const Model<double>& model, const LoopPlan& plan, PlantWorkspace<double>& work,
                       std::span<const double> q, std::span<const double> qd, std::span<const double> qdd,
                       std::span<const double> weights, std::span<const Force<double>> external) {
  ClosedLosses<double> made(model, plan);
  made.inverse(work, q, qd, qdd, weights, external);
  LossReport report{made.losses, {}, made.motors()};
  for (const LossPart& part : loss_parts()) require_finite(part.name, report.losses.*part.values, made.motors());
  if (!plan.is_tree()) return report;
  std::vector<double> low(qd.size()), high(qd.size());
  holding_range<double>(model, work.tree, q, qd, qdd, low, high, external);
  for (std::size_t v = 0; v < qd.size(); ++v) {
    if (qd[v] == 0.0 && qdd[v] == 0.0) report.holding.push_back({v, low[v], high[v]});
  }
  return report;
}

void warn_of_loads(const Arguments& arguments, const LoadedPlant& plant, const PlantWorkspace<double>& work,
                   const std::vector<double>& q, std::span<const Force<double>> external) {
  if (arguments.quiet()) return;
  const Model<double>& model = plant.loaded.model;
  const std::string warning = to_string(undetermined_loads(model, plant.plan, work, q, external), model.name);
  if (!warning.empty()) say_warning(warning);
}

std::vector<bool> without_motor(const LoadedPlant& plant) {
  const Model<double>& model = plant.loaded.model;
  std::vector<bool> none(static_cast<std::size_t>(model.nv), false), of_actuated;
  for (const ShaftElement<double>& shaft : model.shafts) {
    none[static_cast<std::size_t>(model.bodies[static_cast<std::size_t>(shaft.body_b)].v)] = true;
  }
  for (const Transmission<double>& t : model.transmissions) {
    for (const int v : t.v) none[static_cast<std::size_t>(v)] = false;
  }
  for (const int v : plant.plan.actuated) of_actuated.push_back(none[static_cast<std::size_t>(v)]);
  return of_actuated;
}

void add_losses_to(Json& json, const LoadedPlant& plant, const LossReport& report) {
  const Model<double>& model = plant.motors;
  const std::vector<bool> no_motor = without_motor(plant);
  for (const char* field : {"breakdown", "holding", "back_drivable"}) json[field] = Json::array();
  for (std::size_t v = 0; v < report.losses.total.size(); ++v) {
    Json row{{"joint", model.velocity_names[v]}};
    for (const LossPart& part : loss_parts()) row[part.name] = (report.losses.*part.values)[v];
    if (no_motor[v]) row["motor"] = nullptr;
    json["breakdown"].push_back(std::move(row));
  }
  for (const LossReport::Holding& h : report.holding) {
    json["holding"].push_back({{"joint", model.velocity_names[h.v]}, {"low", h.low}, {"high", h.high}});
  }
  for (const BackDriving& b : back_driving(report.drives)) {
    const bool known = b.limit_name != nullptr || b.torque == 0.0;
    json["back_drivable"].push_back(
        {{"joint", b.name},
         {"torque", b.torque},
         {"limit", b.limit_name != nullptr ? Json(b.limit) : Json(nullptr)},
         {"back_drivable", known ? Json(b.torque <= b.limit || b.torque == 0.0) : Json(nullptr)}});
  }
}

std::string loss_tables(const LoadedPlant& plant, const LossReport& report) {
  const Model<double>& model = plant.motors;
  if (model.nv == 0) return {};
  const std::vector<Entry> entries = velocity_entries(model);
  const std::vector<bool> no_motor = without_motor(plant);
  std::vector<std::string> header{"joint"};
  for (const LossPart& part : loss_parts()) {
    if (std::string(part.name) == "motor") header.emplace_back();  // behind the unit of the joint's own side
    header.emplace_back(part.title);
  }
  Table table(header);
  for (std::size_t v = 0; v < entries.size(); ++v) {
    std::vector<std::string> row{entries[v].name};
    for (const LossPart& part : loss_parts()) {
      const bool motor = std::string(part.name) == "motor";
      if (motor) row.push_back(force_unit(entries[v]));
      row.push_back(motor && no_motor[v]
                        ? "-"
                        : readable((report.losses.*part.values)[v], 6, largest(report.losses.*part.values)));
    }
    table.add(std::move(row));
  }
  std::string text =
      "\nParts of the torques, on the joint side; motor: on the motor side of the gear:\n\n" + table.str();

  Table holding({"joint", "low", "high", ""});
  bool holds = false;
  for (const LossReport::Holding& h : report.holding) {
    if (h.low == h.high) continue;
    holds = true;
    const double size = std::max(std::abs(h.low), std::abs(h.high));
    holding.add({entries[h.v].name, readable(h.low, 6, size), readable(h.high, 6, size), force_unit(entries[h.v])});
  }
  if (holds) {
    text +=
        "\nAt rest, friction opposes the motion that qdd starts. If qdd is zero too, it has no direction and tau is "
        "given\nwithout it; these joints stay at rest for any tau in the range (for coupled drives: while the others "
        "have their own)\n\n" +
        holding.str();
  }

  Table back({"drive", "moves from", "", ""});
  bool resists = false;
  for (const BackDriving& b : back_driving(report.drives)) {
    if (b.torque == 0.0) continue;
    resists = true;
    const std::string verdict =
        b.limit_name == nullptr
            ? "no peak or rated torque is known"
            : fmt::format("{}: {} torque {:.6g}", b.torque <= b.limit ? "back-drivable" : "not back-drivable",
                          b.limit_name, b.limit);
    back.add({b.name, readable(b.torque, 6), force_unit(entries[b.place]), verdict});
  }
  if (resists) text += "\nBack-driving from the joint side with the motor off:\n\n" + back.str();
  return text;
}

}  // namespace lw::cli
