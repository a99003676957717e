#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/file.hpp"
#include "../../base/text.hpp"
#include "../../model/write/write_urdf.hpp"
#include "../../model/write/write_yaml.hpp"
#include "../commands.hpp"
#include "../frame/terminal.hpp"
#include "../io/model_input.hpp"

namespace lw::cli {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kFormats{"yaml", "urdf"};

// By --to, by the ending of --out, or YAML; where both are given they must agree.
std::string chosen_format(const Arguments& arguments) {
  const std::string asked = arguments.text("--to");
  if (!arguments.has("--out")) return asked.empty() ? "yaml" : asked;
  const std::string out = arguments.text("--out");
  const auto ends = [&](const char* ending) { return ends_with_ignoring_case(out, ending); };
  const std::string by_name = ends(".yaml") || ends(".yml") ? "yaml" : ends(".urdf") ? "urdf" : "";
  if (by_name.empty()) {
    throw Error(ErrorCode::usage, fmt::format("--out: the name `{}` must end in .yaml or .urdf", out));
  }
  if (!asked.empty() && asked != by_name) {
    throw Error(ErrorCode::usage, fmt::format("--to {} contradicts --out {}", asked, out));
  }
  return by_name;
}

// Meshes that were found are named relative to the file that is written, or to the current folder where that is stdout.
void rebase_meshes(const Arguments& arguments, Mechanism& mechanism) {
  std::error_code ignored;
  const fs::path folder = fs::absolute(arguments.text("--out", "-"), ignored).parent_path().lexically_normal();
  const auto rebase = [&](std::vector<Visual>& visuals) {
    for (Visual& v : visuals) {
      if (fs::path(v.mesh).is_absolute()) v.mesh = fs::path(v.mesh).lexically_relative(folder).generic_string();
    }
  };
  rebase(mechanism.base_visuals);
  for (Link& link : mechanism.links) rebase(link.visuals);
}

int to_yaml(const Arguments& arguments, const Mechanism& mechanism) {
  if (mechanism.base_inertia && !arguments.quiet()) {
    say_warning(fmt::format("the inertia of the base `{}` is omitted, because the base does not move", mechanism.base));
  }
  const std::string text = write_yaml(mechanism);
  if (!arguments.has("--out")) {
    fmt::print("{}", text);
    return kOk;
  }
  write_file(arguments.text("--out"), text);
  fmt::print("{}\n", arguments.text("--out"));
  return kOk;
}

int to_urdf(const Arguments& arguments, const Mechanism& mechanism) {
  const UrdfFiles files = write_urdf(mechanism);
  for (const std::string& change : files.remarks.changes) {
    if (!arguments.quiet()) say_warning(change);
  }
  // whoever reads the result computes other torques: nobody asks not to hear that
  for (const std::string& loss : files.remarks.losses) say_warning(loss);
  if (!arguments.has("--out")) {
    if (!files.sidecar.empty()) {
      say_warning("the contents of NAME.loops.yaml (gravity, loops, home, …) are only written with --out");
    }
    fmt::print("{}", files.urdf);
    return kOk;
  }
  const std::string out = arguments.text("--out"), beside = sidecar_name(out);
  std::error_code ignored;
  if (!files.sidecar.empty()) {
    write_file(beside, files.sidecar);
  } else if (fs::exists(beside, ignored)) {
    throw Error(ErrorCode::io, fmt::format("the existing `{}` would be read together with `{}`, but does not belong to "
                                           "it: remove it, or choose another name",
                                           beside, out));
  }
  write_file(out, files.urdf);
  fmt::print("{}\n", out);
  if (!files.sidecar.empty()) fmt::print("{}\n", beside);
  return kOk;
}

int run_convert(const Arguments& arguments) {
  const std::string format = chosen_format(arguments);
  require_other_file(arguments, "--out", "MODEL");
  Mechanism mechanism = load_model(arguments).mechanism;
  rebase_meshes(arguments, mechanism);
  return format == "yaml" ? to_yaml(arguments, mechanism) : to_urdf(arguments, mechanism);
}

}  // namespace

Command convert_command() {
  Command c =
      dynamics_command({text_option("--out", "FILE", "output file: NAME.yaml or NAME.urdf"),
                        choice_option("--to", "yaml|urdf", "format on stdout without --out; default: yaml", kFormats)});
  std::erase_if(c.options, [](const Option& o) { return o.name == "--json"; });  // a mechanism is its own format
  c.name = "convert";
  c.summary = "writes a mechanism in another format";
  c.description =
      "Reads a mechanism from any format and writes it as a YAML mechanism file, with its formulas and parameters, or "
      "as URDF, with numbers. Parts that URDF cannot represent are written to NAME.loops.yaml next to it, or reported "
      "by a warning, which --quiet does not suppress if the motion is affected. Without --out the text goes to stdout.";
  c.examples = {"linkwright convert arm6", "linkwright convert puma560 --to urdf",
                "linkwright convert four-bar --out four-bar.urdf"};
  c.run = run_convert;
  return c;
}

}  // namespace lw::cli
