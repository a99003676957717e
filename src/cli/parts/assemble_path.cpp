#include "assemble_path.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../../base/csv.hpp"
#include "../../base/error.hpp"
#include "../../base/file.hpp"
#include "../../base/index.hpp"
#include "../../base/svg.hpp"
#include "../../base/text.hpp"
#include "../../dynamics/assembly/mode_path.hpp"
#include "../../model/complaints.hpp"
#include "../frame/terminal.hpp"
#include "../io/plant_input.hpp"
#include "../io/results.hpp"
#include "../report/direct_comparison.hpp"

namespace lw::cli {
namespace {

// t,q1,...: over the joints that lead, in any order of columns; or over all actuated ones, as many as there are columns
// for.
std::vector<DrivenSample> read_driven(const std::string& file, const Model<double>& all, const Model<double>& led) {
  const bool whole = read_csv(file, "t,q1").column(fmt::format("q{}", actuated_coordinates(all).size())).has_value();
  const Model<double>& model = whole ? all : led;
  const std::vector<Entry> entries = actuated_entries(model);
  std::string example = "t";
  std::vector<std::string> known{"t"};
  for (std::size_t k = 0; k < entries.size(); ++k) {
    known.push_back("q" + std::to_string(k + 1));
    example += "," + known.back();
  }
  const Csv csv = read_csv(file, example);
  for (const std::string& name : csv.names) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      csv.fail(csv.header_line,
               fmt::format("a motion of the {} of `{}` has no column `{}`; {}",
                           counted(entries.size(), "actuated joint"), model.name, name, suggestion(name, known)));
    }
  }
  for (const std::string& name : known) {
    if (!csv.column(name)) csv.fail(csv.header_line, fmt::format("the column `{}` is missing", name));
  }
  csv.require_rows();
  std::vector<DrivenSample> path;
  for (const Csv::Row& row : csv.rows) {
    DrivenSample sample;
    for (std::size_t k = 0; k < known.size(); ++k) {
      const bool angle = k > 0 && entries[k - 1].unit == "rad";
      try {
        const double value = parse_value(row.cells[*csv.column(known[k])], angle, fmt::format("`{}`", known[k]));
        if (k == 0) {
          sample.t = value;
        } else {
          sample.actuated.push_back(value);
        }
      } catch (const Error& e) {
        csv.fail(row.line, e.what());
      }
    }
    if (!path.empty() && !(sample.t > path.back().t)) {
      csv.fail(row.line, fmt::format("times must increase: {:.9g} follows {:.9g}", sample.t, path.back().t));
    }
    path.push_back(std::move(sample));
  }
  return path;
}

const char* kind_name(PathEvent::Kind kind) {
  switch (kind) {
    case PathEvent::Kind::approach: return "parallel-singularity-near";
    case PathEvent::Kind::mode_ends: return "mode-ends";
    case PathEvent::Kind::stretch: return "leg-stretch";
  }
  return "";
}

std::string samples_csv(const Model<double>& model, const ClosedPath& path) {
  std::string out = "t";
  for (const std::string& name : model.coordinate_names) out += "," + name;
  out += ",residual,parallel_distance,parallel_condition,serial_distance,serial_condition";
  for (std::size_t l = 0; l < path.legs.size(); ++l) out += fmt::format(",leg{}", l + 1);
  out += "\n";
  for (const ClosedSample& s : path.samples) {
    out += fmt::format("{}", s.t);
    for (const double x : s.at.q) out += fmt::format(",{}", x);
    out += fmt::format(",{},{},{},{},{}", s.at.residual, s.parallel_distance, s.parallel_condition, s.serial_distance,
                       s.serial_condition);
    for (const double x : s.legs) out += fmt::format(",{}", x);
    out += "\n";
  }
  return out;
}

std::string distances_svg(const Model<double>& model, const ClosedPath& path) {
  Plot conditions{"", "time (s)", "distance (σ min)", {}, 760, 260, {}},
      legs{"", "time (s)", "leg determinant", {}, 760, 260, {}};
  Series parallel{"parallel", {}, {}}, serial{"serial", {}, {}};
  std::vector<Series> each;
  for (std::size_t l = 0; l < path.legs.size(); ++l) each.push_back({"leg " + std::to_string(l + 1), {}, {}});
  for (const ClosedSample& s : path.samples) {
    for (Series* series : {&parallel, &serial}) series->x.push_back(s.t);
    parallel.y.push_back(s.parallel_distance);
    serial.y.push_back(s.serial_distance);
    for (std::size_t l = 0; l < each.size(); ++l) {
      each[l].x.push_back(s.t);
      each[l].y.push_back(s.legs[l]);
    }
  }
  for (const PathEvent& e : path.events) {
    for (Plot* plot : {&conditions, &legs}) plot->marks.push_back(e.t);
  }
  conditions.series = {parallel, serial};
  legs.series = each;
  std::vector<Plot> panels{conditions};
  if (!each.empty()) panels.push_back(legs);
  return to_svg_stack(panels, model.name + ": distance from singularities");
}

// Of a quantity along the path: its least value and when.
struct Least {
  double value = HUGE_VAL, t = 0.0;
};

}  // namespace

int assemble_along(const Arguments& arguments, const LoadedModel& loaded, int frame) {
  const Model<double> led = led_model(loaded.model);
  const std::vector<DrivenSample> driven = read_driven(arguments.text("--path"), loaded.model, led);
  const Model<double>& model = driven[0].actuated.size() == actuated_coordinates(led).size() ? led : loaded.model;
  // --q and --mode say from where: the path's first sample is reached from there
  const Assembled start =
      arguments.has("--q") || arguments.has("--mode") ? read_pose(arguments, loaded, led) : assemble_home(led);
  const double warning = arguments.number("--warning", 0.25);
  if (!(warning >= 0.0)) throw Error(ErrorCode::usage, "--warning needs a nonnegative number of seconds");
  const ClosedPath path = follow_modes(model, driven, frame, start, warning);
  if (arguments.has("--compare")) return compare_direct_kinematics(arguments, model, driven, path);
  if (arguments.has("--out") && !path.samples.empty()) write_file(arguments.text("--out"), samples_csv(model, path));
  if (arguments.has("--plot") && !path.samples.empty())
    write_file(arguments.text("--plot"), distances_svg(model, path));
  Least parallel, serial;
  double condition = 0.0;
  for (const ClosedSample& s : path.samples) {
    if (s.parallel_distance < parallel.value) parallel = {s.parallel_distance, s.t};
    if (s.serial_distance < serial.value) serial = {s.serial_distance, s.t};
    condition = std::max(condition, s.parallel_condition);
  }
  if (arguments.json()) {
    Json json{{"model", model.name},
              {"frame", model.frames[at(frame)].name},
              {"complete", path.complete},
              {"legs", Json::array()}};
    for (const Leg& leg : path.legs) json["legs"].push_back(leg.joints);
    json["events"] = Json::array();
    for (const PathEvent& e : path.events) {
      json["events"].push_back({{"t", e.t}, {"kind", kind_name(e.kind)}, {"what", e.what}, {"q", e.actuated}});
    }
    for (const char* field : {"t", "signs", "residual", "parallel_distance", "parallel_condition", "serial_distance",
                              "serial_condition", "volumes", "leg_determinants", "q"}) {
      json[field] = Json::array();
    }
    for (const ClosedSample& s : path.samples) {
      json["t"].push_back(s.t);
      json["signs"].push_back(s.signs);
      json["residual"].push_back(s.at.residual);
      json["parallel_distance"].push_back(s.parallel_distance);
      json["parallel_condition"].push_back(s.parallel_condition);
      json["serial_distance"].push_back(s.serial_distance);
      json["serial_condition"].push_back(s.serial_condition);
      json["volumes"].push_back(s.volumes);
      json["leg_determinants"].push_back(s.legs);
      json["q"].push_back(s.at.q);
    }
    print_json(json);
  } else {
    fmt::print("{}: {} of {} in one mode\n\n", model.name, path.samples.size(), counted(driven.size(), "sample"));
    if (!path.samples.empty()) {
      Table table({"singularity", "smallest distance", "at t (s)"});
      table.add({"parallel", fmt::format("{:.4g}", parallel.value), fmt::format("{:.4g}", parallel.t)});
      table.add({"serial", fmt::format("{:.4g}", serial.value), fmt::format("{:.4g}", serial.t)});
      fmt::print("{}\nlargest condition number of the closures {:.4g}; distances are smallest singular values\n",
                 table.str(), condition);
    }
    for (const PathEvent& e : path.events) {
      fmt::print("{}t = {:.6g} s: {}\n", &e == &path.events.front() ? "\n" : "", e.t, e.what);
    }
  }
  return path.complete ? kOk : kCheckFailed;
}

}  // namespace lw::cli
