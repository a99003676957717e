#include "../commands.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "../../base/text.hpp"
#include "../../dynamics/kinematics/closure.hpp"
#include "../../model/read/read.hpp"
#include "../io/results.hpp"

namespace lw::cli {
namespace {

struct Listed {
  std::string name;
  int dof = 0;
  std::size_t loops = 0;
  std::string summary;
};

// Unphysical ones are listed too: they are shipped because a thesis printed them so.
Listed look_at(const std::string& name) {
  const Mechanism mechanism = load(name, {.floating_base = false, .allow_unphysical = true});
  return {name, mobility(instantiate<double>(mechanism)).dof, mechanism.loops.size(), mechanism.summary};
}

int run_models(const Arguments& arguments) {
  std::vector<Listed> models;
  for (const std::string& name : embedded_names()) models.push_back(look_at(name));
  std::sort(models.begin(), models.end(), [](const Listed& a, const Listed& b) { return a.name < b.name; });
  if (arguments.json()) {
    Json json{{"models", Json::array()}};
    for (const Listed& m : models) {
      json["models"].push_back({{"name", m.name}, {"dof", m.dof}, {"loops", m.loops}, {"summary", m.summary}});
    }
    json["families"] = {"chain-N", "tree-N"};
    print_json(json);
    return kOk;
  }
  Table table({"name", "dof", "loops", "description"});
  for (const Listed& m : models) {
    bool first = true;
    for (const std::string& line : wrap(m.summary, 68)) {
      table.add(first ? std::vector<std::string>{m.name, std::to_string(m.dof), std::to_string(m.loops), line}
                      : std::vector<std::string>{"", "", "", line});
      first = false;
    }
  }
  fmt::print("{}\n", table.str());
  fmt::print(
      "  chain-N, tree-N, arm-N: mechanisms of N joints for tests and benchmarks, for example chain-12 or tree-30.\n");
  fmt::print("  `linkwright check NAME` describes one; use a path for your own files.\n");
  return kOk;
}

}  // namespace

Command models_command() {
  Command c;
  c.name = "models";
  c.summary = "lists the built-in mechanisms";
  c.description = "The built-in mechanisms, which every command accepts by name, with their degrees of freedom.";
  c.examples = {"linkwright models", "linkwright models --json"};
  c.options = {json_option()};
  c.run = run_models;
  return c;
}

}  // namespace lw::cli
