#include "standalone_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/index.hpp"
#include "../../codegen/text/banner.hpp"
#include "../../codegen/text/statements.hpp"
#include "../../model/read/embedded.hpp"

namespace lw {
namespace {

std::string standalone_kernel(std::string_view name) {
  for (const EmbeddedFile& file : embedded_simulator_kernels()) {
    if (file.name == name) return std::string(file.text);
  }
  require(false, "the text of the simulator must be embedded");
  return {};
}

std::string c_string(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c == '\n' ? ' ' : c;
  }
  return quoted + "\"";
}

// C++ has no empty arrays.
std::string string_array(const std::string& name, const std::vector<std::string>& texts) {
  std::vector<std::string> quoted;
  for (const std::string& text : texts) quoted.push_back(c_string(text));
  if (quoted.empty()) quoted.emplace_back("\"\"");
  return fmt::format("constexpr const char* {}[] = {{{}}};\n", name, fmt::join(quoted, ", "));
}

template <class Numbers>
std::string number_array(const std::string& declared, const Numbers& numbers) {
  std::vector<std::string> texts;
  for (const double x : numbers) texts.push_back(shortest(x));
  if (texts.empty()) texts.emplace_back("0");
  std::string text = declared + "[] = {";
  std::size_t width = text.size();
  for (std::size_t k = 0; k < texts.size(); ++k) {
    if (width + texts[k].size() > 118) {
      text += "\n    ";
      width = 4;
    }
    text += texts[k] + (k + 1 < texts.size() ? ", " : "");
    width += texts[k].size() + 2;
  }
  return text + "};\n";
}

void require_plain(const std::string& name) {
  if (name.find_first_of("=#()[],\n\"") == std::string::npos) return;
  throw Error(ErrorCode::model, fmt::format("the name `{}` cannot be used in a simulator's data file: =, #, brackets, "
                                            "commas and quotes have a meaning there",
                                            name));
}

std::vector<std::string> names_of(const std::vector<Entry>& entries) {
  std::vector<std::string> names;
  for (const Entry& e : entries) {
    require_plain(e.name);
    names.push_back(e.name);
  }
  return names;
}

std::vector<int> quaternion_places(const Model<double>& model) {
  std::vector<int> places;
  for (const JointInfo& joint : model.joints) {
    if (joint.type == JointType::spherical) places.push_back(joint.q);
    if (joint.type == JointType::floating) places.push_back(joint.q + 3);
  }
  return places;
}

bool has_function(const Program& program, const std::string& name) {
  return std::any_of(program.functions.begin(), program.functions.end(),
                     [&](const Function& f) { return f.name() == name; });
}

// `# unit` behind the equals signs, in one column.
struct DataLine {
  std::string text, comment;
};
std::string aligned(const std::vector<DataLine>& lines) {
  std::size_t width = 0;
  for (const DataLine& line : lines) width = std::max(width, line.text.size());
  std::string text;
  for (const DataLine& line : lines)
    text += line.comment.empty() ? line.text + "\n" : fmt::format("{:<{}}  # {}\n", line.text, width, line.comment);
  return text;
}

std::string data_text(const StandaloneParts& parts) {
  const Program& program = parts.program;
  const std::vector<Entry> coordinates = coordinate_entries(parts.model), velocities = velocity_entries(parts.model);
  std::vector<DataLine> parameters, start, forces;
  for (std::size_t k = 0; k < program.kept.size(); ++k) {
    require_plain(program.kept[k]);
    if (static_cast<int>(k) == parts.time_parameter) continue;
    parameters.push_back({fmt::format("{} = {}", program.kept[k], shortest(program.kept_values[k])),
                          parts.idle[k] ? "no motion depends on it" : ""});
  }
  for (std::size_t k = 0; k < coordinates.size(); ++k)
    start.push_back(
        {fmt::format("q({}) = {}", coordinates[k].name, shortest(parts.model.home[k])), coordinates[k].unit});
  for (const Entry& e : velocities) start.push_back({fmt::format("qd({}) = 0", e.name), e.unit + "/s"});
  for (const Entry& e : velocities) forces.push_back({e.name + " = 0", force_unit(e)});
  return fmt::format(
      "# {}\n# Data of its simulator, made by {}. Lines are `name = value`; # begins a comment; `30 deg` is an "
      "angle.\n\n"
      "[parameters]\n{}\n[start]\n{}\n"
      "[forces]   # numbers, or formulas of t, q(NAME), qd(NAME) and the parameters: 10*sqrt(t) - 2*qd({})\n{}"
      "# table = forces.csv          # columns t, tau1, ..., which are added to these\n# between = line              # "
      "its rows; or held\n\n"
      "[run]\n{}",
      program.robot, generator(), aligned(parameters), aligned(start), velocities.front().name, aligned(forces),
      aligned({{"duration = 1", "s"},
               {"output = 0.01", "s from line to line of the result"},
               {"integrator = verner", "of order 6, with steps of its own; or rk4"},
               {"tolerance = 1e-10", "of verner: error of a step"},
               {"step = 0.001", "s, of rk4"}}));
}

// How the simulator calls a function: NAME::inverse, with p or without.
std::string adaptor(const Program& program, const Function& f) {
  std::string name = f.name();
  std::replace(name.begin(), name.end(), '-', '_');
  std::vector<std::string> taken, given;
  const bool keeps = !program.kept.empty();
  const auto add = [&](const std::vector<Group>& groups) {
    for (const Group& g : groups) {
      taken.push_back("const double* " + g.name);
      given.push_back(g.name);
      // parameters stand behind the torques or accelerations, and their changes behind those of these
      const bool before_p = g.name == "tau" || g.name == "qdd" || g.name == "d_tau" || g.name == "d_qdd";
      if (!keeps && before_p) taken.emplace_back("const double*");
    }
  };
  add(f.inputs());
  if (f.name() == "jumps" && !keeps) taken.emplace_back("const double*");
  if (f.outputs().size() == 2) {  // energies
    if (!keeps) taken.emplace_back("const double*");
    taken.emplace_back("double* both");
    given.insert(given.end(), {"both", "both + 1"});
  } else {
    taken.push_back("double* result");
    given.emplace_back("result");
  }
  return fmt::format("inline void {0}({1}) {{ {2}::{0}({3}); }}\n", name, fmt::join(taken, ", "), program.name,
                     fmt::join(given, ", "));
}

std::string model_text(const StandaloneParts& parts, const std::string& data) {
  const Program& program = parts.program;
  const Model<double>& model = parts.model;
  const std::vector<int> turned = quaternion_places(model);
  std::string text = "// The mechanism as the simulator sees it.\nnamespace model {\n";
  text += fmt::format("constexpr int nq = {}, nv = {}, np = {}, quaternion_count = {};\n", model.nq, model.nv,
                      program.kept.size(), turned.size());
  text += fmt::format("constexpr int time_parameter = {};  // the parameter that is the time, or -1\n",
                      parts.time_parameter);
  text +=
      fmt::format("constexpr bool takes_work = {};  // losses or external forces do\n", has_function(program, "ideal"));
  text += fmt::format("constexpr const char* name = {};\nconstexpr const char* title = {};\n", c_string(model.name),
                      c_string(program.robot));
  text += string_array("coordinates", names_of(coordinate_entries(model))) +
          string_array("velocities", names_of(velocity_entries(model)));
  text += string_array("parameters", program.kept) + number_array("constexpr double values", program.kept_values);
  text += number_array("constexpr double home", model.home);
  text += fmt::format("constexpr int quaternions[] = {{{}}};  // where in q each begins: x, y, z, w\n",
                      turned.empty() ? "-1" : fmt::format("{}", fmt::join(turned, ", ")));
  text += fmt::format(
      "constexpr int jump_count = {};  // where forces jump or have a corner: where one of `jumps` passes zero\n",
      parts.jumps.size());
  std::vector<std::string> jump_names, owners, turns;
  for (const ForceJumpName& jump : parts.jumps) {
    jump_names.push_back(jump.what);
    owners.push_back(jump.name);
    turns.emplace_back(jump.turns ? "true" : "false");
  }
  if (turns.empty()) turns.emplace_back("false");
  text += string_array("jump_names", jump_names) + string_array("jump_owners", owners);
  text += fmt::format("constexpr bool jump_turns[] = {{{}}};  // rest is on neither side\n", fmt::join(turns, ", "));
  text += "constexpr const char* data = R\"DATA(" + data + ")DATA\";\n\n";
  for (const Function& f : program.functions) text += adaptor(program, f);
  if (!has_function(program, "ideal"))
    text += "inline void ideal(const double*, const double*, const double*, const double*, double*) {}\n";
  if (!has_function(program, "jumps"))
    text += "inline void jumps(const double*, const double*, const double*, double*) {}\n";
  return text + "}  // namespace model\n\n";
}

std::string selftest_text(const StandaloneParts& parts) {
  std::string text =
      "// Inputs and results of states, one behind the other. The results come from Linkwright's algorithms over "
      "double, not from "
      "this code; those of derivatives from dual numbers.\n"
      "struct SelfTest {\n  const char* name;\n  void (*run)(const double* in, double* out);\n  int states, inputs, "
      "outputs;\n"
      "  const double *input, *output;\n  double tolerance;\n};\n";
  std::string list;
  for (const TestVectors& v : parts.vectors) {
    const Function& f = tested_function(parts.program, v);
    std::string id = v.function;
    std::replace(id.begin(), id.end(), '-', '_');
    std::vector<double> in, out;
    for (const auto& row : v.inputs) in.insert(in.end(), row.begin(), row.end());
    for (const auto& row : v.outputs) out.insert(out.end(), row.begin(), row.end());
    text += number_array(fmt::format("const double {}_inputs", id), in) +
            number_array(fmt::format("const double {}_outputs", id), out);
    std::vector<std::string> arguments;
    std::size_t at = 0;
    for (const Group& g : f.inputs()) {
      arguments.push_back(fmt::format("in + {}", at));
      at += g.size;
    }
    at = 0;
    for (const Group& g : f.outputs()) {
      arguments.push_back(fmt::format("out + {}", at));
      at += g.size;
    }
    list += fmt::format(
        "    {{{}, [](const double* in, double* out) {{ {}::{}({}); }}, {}, {}, {}, {}_inputs, {}_outputs, {}}},\n",
        c_string(v.function), parts.program.name, id, fmt::join(arguments, ", "), v.inputs.size(), f.input_size(),
        f.output_size(), id, id, shortest(v.tolerance));
  }
  return text + "const SelfTest kSelfTests[] = {\n" + list + "};\n\n";
}

}  // namespace

std::vector<std::string> standalone_flags() {
  std::vector<std::string> flags{"-std=c++17", "-O2", "-march=native"};
  flags.insert(flags.end(), kCFlags.begin(), kCFlags.end());
  return flags;
}

std::vector<Artefact> standalone_files(const StandaloneParts& parts) {
  const Program& program = parts.program;
  const std::string data = data_text(parts);
  CDialect dialect;
  dialect.cpp = true;
  const LanesSource code = c_lanes_source(program, dialect, 1);
  std::string text = c_comment(banner(program, {"c++"}));
  text +=
      "#include <algorithm>\n#include <array>\n#include <cctype>\n#include <charconv>\n#include <cmath>\n#include "
      "<cstdio>\n#include <cstdlib>\n"
      "#include <filesystem>\n#include <fstream>\n#include <memory>\n#include <set>\n#include <stdexcept>\n#include "
      "<string>\n#include <utility>\n#include <vector>\n";
  text += code.preamble + fmt::format("\nnamespace {} {{\n", program.name) + code.text +
          fmt::format("\n}}  // namespace {}\n\nnamespace {{\n\n", program.name);
  text += model_text(parts, data) + selftest_text(parts);
  for (const char* kernel : {"standalone_data_kernel.h", "standalone_motion_kernel.h", "standalone_main_kernel.h"})
    text += standalone_kernel(kernel) + "\n";
  std::string make = standalone_kernel("standalone_make_kernel.mk");
  replace_all(make, "LW_TITLE", program.robot);
  replace_all(make, "LW_NAME", program.name);
  replace_all(make, "LW_FLAGS", fmt::format("{}", fmt::join(kCFlags, " ")));
  return {{program.name + ".cpp", text}, {program.name + ".data", data}, {"Makefile", make}};
}

}  // namespace lw
