#include "../commands.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/file.hpp"
#include "../../base/index.hpp"
#include "../../base/text.hpp"
#include "../../dynamics/assembly/feasibility.hpp"
#include "../../dynamics/assembly/modes.hpp"
#include "../../dynamics/assembly/soundness.hpp"
#include "../../dynamics/assembly/workspace_map.hpp"
#include "../../model/require_tree.hpp"
#include "../draw/workspace_picture.hpp"
#include "../frame/terminal.hpp"
#include "../io/frame_option.hpp"
#include "../io/model_input.hpp"
#include "../io/plant_input.hpp"
#include "../io/results.hpp"
#include "../parts/assemble_path.hpp"

namespace lw::cli {
namespace {

constexpr double kDegreesPerRadian = 180.0 / 3.14159265358979323846;

std::string how(const AssemblyModes& all) {
  if (all.infinite && all.starts == 0) return "are some of infinitely many";
  if (all.complete) return "were found in closed form, so the list is complete";
  return fmt::format("were found by a search from {}; the rarest was found {}. There may be others",
                     counted(at(all.starts), "start"), counted(at(all.rarest), "time"));
}

void print_modes(const Model<double>& model, int frame, const AssemblyModes& all, const std::vector<double>& actuated) {
  const std::string ways = all.infinite ? fmt::format("{} of infinitely many configurations", all.modes.size())
                                        : counted(all.modes.size(), "assembly mode");
  fmt::print("{}: {}\n{}\n", model.name, ways, configuration_line(actuated));
  Table table({"mode", "x", "y", "z", "m", "roll", "pitch", "yaw", "deg", "residual", "condition", "signs", ""});
  for (std::size_t k = 0; k < all.modes.size(); ++k) {
    const AssemblyMode& mode = all.modes[k];
    std::vector<std::string> row{std::to_string(k + 1)};
    for (std::size_t i = 0; i < 3; ++i) row.push_back(readable(mode.pose[i], 6, 1.0));
    row.emplace_back();
    for (std::size_t i = 3; i < 6; ++i) row.push_back(readable(mode.pose[i] * kDegreesPerRadian, 5, 180.0));
    row.emplace_back();
    row.push_back(fmt::format("{:.0e}", mode.at.residual));
    row.push_back(fmt::format("{:.4g}", mode.at.condition));
    row.push_back(mode.signs);
    row.emplace_back(mode.from_home ? "from home" : "");
    table.add(std::move(row));
  }
  fmt::print("{}\nThe poses are those of `{}`; they {}\n", table.str(), model.frames[at(frame)].name, how(all));
  const bool led = std::any_of(all.modes.begin(), all.modes.end(), [](const AssemblyMode& m) { return m.from_home; });
  if (!led && !all.not_from_home.empty()) fmt::print("None is that of the home pose: {}\n", all.not_from_home);
}

// Prints the coordinates of all joints, a column a mode.
void print_coordinates(const Model<double>& model, const AssemblyModes& all) {
  std::vector<std::string> header{"joint"};
  for (std::size_t k = 0; k < all.modes.size(); ++k) header.push_back("mode " + std::to_string(k + 1));
  header.emplace_back("");
  Table table(header);
  const std::vector<Entry> entries = coordinate_entries(model);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    std::vector<std::string> row{entries[i].name};
    for (const AssemblyMode& mode : all.modes) row.push_back(readable(mode.at.q[i], 6, 1.0));
    row.push_back(entries[i].unit);
    table.add(std::move(row));
  }
  fmt::print("\n{}", table.str());
}

Json polygon_json(const OpenPolygon& p) {
  return {
      {"joints", p.joints}, {"links", p.links}, {"distance", p.distance}, {"reach", p.reach}, {"missing", p.missing()}};
}

int list_modes(const Arguments& arguments, const LoadedModel& loaded, const LoopJudgement& judgement, int frame) {
  const Model<double>& model = loaded.model;
  const Model<double> led = led_model(model);
  const GivenJoints given = read_given(arguments, model, led);
  const std::vector<double>& actuated = given.led;
  AssemblyModes all = assembly_modes(led, actuated, frame);
  // of more actuated joints than freedoms all were given: those modes in which the rest are where they should be
  std::string unlike;
  std::erase_if(all.modes, [&](const AssemblyMode& m) {
    const std::string why = disagreement(model, led, given, m.at.q);
    if (!why.empty()) unlike = why;
    return !why.empty();
  });
  std::vector<double> q = model.home;
  const std::vector<int> places = actuated_coordinates(led);
  for (std::size_t k = 0; k < places.size(); ++k) q[at(places[k])] = actuated[k];
  const std::vector<OpenPolygon> open = all.modes.empty() && unlike.empty()
                                            ? open_polygons(model, q, actuated_velocities(led))
                                            : std::vector<OpenPolygon>{};
  if (arguments.json()) {
    std::vector<std::string> names;
    for (const Entry& e : actuated_entries(led)) names.push_back(e.name);
    Json json{{"model", model.name},
              {"frame", model.frames[at(frame)].name},
              {"dof", judgement.freedoms},
              {"gruebler", judgement.gruebler},
              {"planar", judgement.planar},
              {"actuated", names},
              {"q", actuated},
              {"complete", all.complete},
              {"infinite", all.infinite}};
    add_given(arguments, json);
    if (all.starts > 0) json["search"] = {{"starts", all.starts}, {"rarest", all.rarest}};
    json["modes"] = Json::array();
    for (const AssemblyMode& m : all.modes) {
      json["modes"].push_back({{"pose", m.pose},
                               {"residual", m.at.residual},
                               {"condition", number_or_null(m.at.condition)},
                               {"signs", m.signs},
                               {"from_home", m.from_home},
                               {"q", m.at.q}});
    }
    json["impossible"] = Json::array();
    for (const OpenPolygon& p : open) json["impossible"].push_back(polygon_json(p));
    print_json(json);
  } else if (!all.modes.empty()) {
    print_modes(model, frame, all, actuated);
    if (arguments.has("--all")) print_coordinates(model, all);
  }
  if (all.infinite && !arguments.quiet()) {
    say_warning(
        "parts can move there while the actuated joints are fixed: the modes listed are some of infinitely many");
  }
  if (!all.modes.empty()) return kOk;
  if (!unlike.empty()) {
    say(unlike);
    return kCheckFailed;
  }
  say(fmt::format("`{}` cannot be assembled there{}", model.name,
                  open.empty() && !all.complete ? ", as far as found" : ""));
  for (const std::string& why : to_lines(open)) say("  " + why);
  if (open.empty()) {
    Workspace<double> work(model);
    const Assembled least = assemble_from(model, work, q, actuated_velocities(led));
    say("  " + open_loop(model, work, least.q) + " at best");
  }
  return kCheckFailed;
}

int draw_workspace(const Arguments& arguments, const Model<double>& model, int frame) {
  const double turned = arguments.has("--turn") ? parse_value(arguments.text("--turn"), true, "--turn") : 0.0;
  const WorkspaceMap map = workspace_map(model, frame, turned);
  if (map.turns_freely && arguments.has("--turn")) {
    throw Error(
        ErrorCode::usage,
        fmt::format("--turn: `{}` has two degrees of freedom, so its orientation depends on its position", model.name));
  }
  write_file(arguments.text("--workspace"), workspace_picture(model, frame, map));
  if (arguments.json()) {
    print_json({{"model", model.name},
                {"frame", model.frames[at(frame)].name},
                {"area", map.area},
                {"best_dexterity", map.best},
                {"turned", map.turned},
                {"cells", {map.columns, map.rows}},
                {"step", map.step},
                {"file", arguments.text("--workspace")}});
  } else {
    fmt::print("{}: workspace of `{}` in the working mode of home: {:.4g} m²; dexterity up to {:.3g}\n", model.name,
               model.frames[at(frame)].name, map.area, map.best);
    if (!arguments.quiet()) say("note: drawing written to " + arguments.text("--workspace"));
  }
  return kOk;
}

int run_assemble(const Arguments& arguments) {
  for (const auto& [option, contents, ending] :
       {std::tuple{"--plot", "SVG", ".svg"}, std::tuple{"--workspace", "SVG", ".svg"},
        std::tuple{"--out", "CSV", ".csv"}}) {
    require_ending(arguments, option, contents, ending);
    require_other_file(arguments, option, "MODEL");
    require_other_file(arguments, option, "--path");
  }
  for (const char* option : {"--out", "--plot", "--warning", "--compare"}) {
    if (arguments.has(option) && !arguments.has("--path")) {
      throw Error(ErrorCode::usage, fmt::format("{} requires a --path", option));
    }
  }
  if (arguments.has("--path") && arguments.has("--workspace")) {
    throw Error(ErrorCode::usage, "--path and --workspace cannot be combined");
  }
  if (arguments.has("--turn") && !arguments.has("--workspace"))
    throw Error(ErrorCode::usage, "--turn requires --workspace");
  const LoadedModel loaded = load_model(arguments);
  const Model<double>& model = loaded.model;
  require_loops(model, "`assemble`");
  const LoopJudgement judgement = judge_loops(model);
  if (const std::string wrong = complaint(model, judgement); !wrong.empty()) throw Error(ErrorCode::model, wrong);
  if (const std::string twice = redundancy(model, judgement); !twice.empty() && !arguments.quiet()) say_warning(twice);
  if (const std::string note = remark(model, judgement); !note.empty() && !arguments.quiet()) say("note: " + note);
  const int frame = chosen_frame(arguments, model);
  if (arguments.has("--path")) return assemble_along(arguments, loaded, frame);
  if (arguments.has("--mode")) {
    throw Error(ErrorCode::usage,
                "--mode selects the mode at the start of a --path; without --path, `assemble` lists all modes");
  }
  if (arguments.has("--workspace")) return draw_workspace(arguments, model, frame);
  return list_modes(arguments, loaded, judgement, frame);
}

}  // namespace

Command assemble_command() {
  Option q = q_option();
  q.help = "coordinates of the actuated joints (rad, m; `90deg` is understood); default: those of the home pose";
  Option mode = mode_option();
  mode.help = "the mode in which the path begins: the K-th of those listed at --q; default: that of the home pose";
  mode.group = "Path";
  Command c = model_command(
      {q, frame_option("the link whose pose distinguishes the modes"),
       flag_option("--all", "also the coordinates of all joints"),
       text_option("--path", "FILE.csv",
                   "follows a motion of the actuated joints (t,q1,...) in its mode and reports singularities", "Path"),
       mode,
       number_option("--warning", "SECONDS", "how long before a parallel singularity it is announced; default: 0.25",
                     "Path"),
       text_option("--out", "FILE.csv", "writes all joints along the path, with condition numbers and distances",
                   "Path"),
       text_option("--plot", "FILE.svg", "plots distances from singularities along the path", "Path"),
       flag_option(
           "--compare",
           "for a planar 3-RRR: compares six methods for the pose of its platform by steps, operations and time",
           "Path"),
       text_option("--workspace", "FILE.svg",
                   "draws the workspace of the frame of a planar mechanism, with its dexterity", "Workspace"),
       text_option("--turn", "ANGLE", "with the frame at this rotation from home (three degrees of freedom only)",
                   "Workspace")});
  c.name = "assemble";
  c.summary = "assembly modes of a closed-loop mechanism, and the mode along a path";
  c.description =
      "Finds all assembly modes of a closed-loop mechanism for given actuated joints, sorted by the pose of a frame. "
      "Planar loops are solved in closed form, up to the six modes of a platform on "
      "three legs; others are searched, and every mode is verified by the residual of its closures. `signs` are those "
      "of the closure determinants, one per block of loops, relative to the home pose: along a path they change only "
      "where modes meet. If the mechanism cannot be assembled, the output says which links are too short and by how "
      "much (exit code 1).\nWith --path the mode is tracked: the output reports where it ends, where a parallel "
      "singularity is near (the rest can move while the actuated joints are fixed), and where a leg passes through "
      "full stretch (a serial singularity).";
  c.examples = {"linkwright assemble planar-3rrr --q 0,0,90deg", "linkwright assemble four-bar --all",
                "linkwright assemble excavator --q 0,2.1,3.2,1.5",
                "linkwright assemble five-bar --workspace five-bar.svg"};
  c.run = run_assemble;
  return c;
}

}  // namespace lw::cli
