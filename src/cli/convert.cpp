#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "../base/error.hpp"
#include "../base/file.hpp"
#include "../model/write_urdf.hpp"
#include "../model/write_yaml.hpp"
#include "commands.hpp"
#include "model_input.hpp"
#include "terminal.hpp"

namespace lw::cli {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kFormats{"yaml", "urdf"};

// By --to, by the ending of --out, or YAML; where both are given they must agree.
std::string chosen_format(const Arguments& arguments) {
  const std::string asked = arguments.text("--to");
  if (!arguments.has("--out")) return asked.empty() ? "yaml" : asked;
  const std::string out = arguments.text("--out"), ending = fs::path(out).extension().string();
  const std::string by_name = ending == ".yaml" || ending == ".yml" ? "yaml" : ending == ".urdf" ? "urdf" : "";
  if (by_name.empty()) {
    throw Error(ErrorCode::usage,
                fmt::format("--out: `{}` should end in .yaml or .urdf, by which it is read again", out));
  }
  if (!asked.empty() && asked != by_name) {
    throw Error(ErrorCode::usage, fmt::format("--to {} does not go with --out {}", asked, out));
  }
  return by_name;
}

class Warnings {
 public:
  explicit Warnings(bool quiet) : quiet_(quiet) {}
  void say(const std::string& text) const {
    if (!quiet_) fmt::print(stderr, "{} {}\n", styled("warning:", Style::warning, stderr), text);
  }

 private:
  bool quiet_;
};

int to_yaml(const Arguments& arguments, const Mechanism& mechanism, const Warnings& warnings) {
  if (mechanism.base_inertia) {
    warnings.say(fmt::format("the inertia of the base `{}` is left out: it stands still", mechanism.base));
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

int to_urdf(const Arguments& arguments, const Mechanism& mechanism, const Warnings& warnings) {
  const UrdfFiles files = write_urdf(mechanism);
  for (const std::string& w : files.warnings) warnings.say(w);
  if (!arguments.has("--out")) {
    if (!files.sidecar.empty()) {
      warnings.say(
          "what stands beside a URDF in its NAME.loops.yaml (gravity, loops, home, …) is written with --out only");
    }
    fmt::print("{}", files.urdf);
    return kOk;
  }
  const std::string out = arguments.text("--out"), beside = sidecar_name(out);
  std::error_code ignored;
  if (!files.sidecar.empty()) {
    write_file(beside, files.sidecar);
  } else if (fs::exists(beside, ignored)) {
    warnings.say(fmt::format("`{}` stands there from before and will be read with `{}`", beside, out));
  }
  write_file(out, files.urdf);
  fmt::print("{}\n", out);
  if (!files.sidecar.empty()) fmt::print("{}\n", beside);
  return kOk;
}

int run(const Arguments& arguments) {
  const std::string format = chosen_format(arguments);
  const Mechanism mechanism = load_model(arguments).mechanism;
  const Warnings warnings(arguments.quiet());
  return format == "yaml" ? to_yaml(arguments, mechanism, warnings) : to_urdf(arguments, mechanism, warnings);
}

}  // namespace

Command convert_command() {
  Command c = dynamics_command(
      {{"--out", "FILE", "where it is written: NAME.yaml or NAME.urdf", Option::Kind::text, {}, "Options"},
       {"--to", "yaml|urdf", "what goes to stdout where there is no --out; default: yaml", Option::Kind::text, kFormats,
        "Options"}});
  std::erase_if(c.options, [](const Option& o) { return o.name == "--json"; });  // a mechanism is its own format
  c.name = "convert";
  c.summary = "writes a mechanism in another format";
  c.description =
      "Reads a mechanism from any format and writes it as a YAML mechanism file, with its formulas and parameters, or "
      "as "
      "URDF, with numbers. What a URDF cannot say goes to NAME.loops.yaml beside it or is named in a warning. Without "
      "--out the text goes to stdout.";
  c.examples = {"linkwright convert arm6", "linkwright convert puma560 --to urdf",
                "linkwright convert four-bar --out four-bar.urdf"};
  c.run = run;
  return c;
}

}  // namespace lw::cli
