#include "machine.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "../base/error.hpp"
#include "../model/read/embedded.hpp"
#include "../model/read/read_fields.hpp"
#include "../model/read/text_checks.hpp"
#include "../model/write/yaml_text.hpp"
#include "host.hpp"

namespace lw {
namespace {

const std::vector<std::string> kTopologies{"shared", "bus", "pipeline", "ring", "tree", "mesh", "hypercube", "full"};
constexpr double kMostProcessors = 4096;

// A cost: a nonnegative number of seconds or steps.
void read_cost(FieldReader& reader, const Fields& fields, const std::string& key, double& to) {
  const YamlNode* node = fields.find(key);
  if (node == nullptr) return;
  to = reader.number(*node, key);
  if (to < 0.0 || std::isinf(to)) {
    reader.complaints().error(node->where, fmt::format("`{}` is {}: a cost is a finite number, 0 or more", key, to));
  }
}

void read_overlap(FieldReader& reader, const Fields& fields, const std::string& key, double& to) {
  const YamlNode* node = fields.find(key);
  if (node == nullptr) return;
  to = reader.number(*node, key);
  if (to <= 0.0 || std::isinf(to)) {
    reader.complaints().error(
        node->where, fmt::format("`{}` is {}: the number of simultaneous operations must be above 0", key, to));
  }
}

void read_operations(FieldReader& reader, const YamlNode& node, Machine& machine) {
  const Fields fields(reader, node, "`operations`",
                      {"multiplication", "addition", "division", "root", "trigonometric", "comparison"});
  if (node.kind == YamlNode::Kind::map) {
    for (const char* key : {"multiplication", "addition"}) fields.require(key);
  }
  read_cost(reader, fields, "multiplication", machine.multiplication);
  read_cost(reader, fields, "addition", machine.addition);
  machine.division = machine.root = machine.multiplication;
  read_cost(reader, fields, "division", machine.division);
  read_cost(reader, fields, "root", machine.root);
  read_cost(reader, fields, "trigonometric", machine.trigonometric);
  read_cost(reader, fields, "comparison", machine.comparison);
}

void read_count(FieldReader& reader, const Fields& fields, Machine& machine) {
  const YamlNode* node = fields.find("processors");
  if (node == nullptr) return;
  const double count = reader.number(*node, "processors");
  if (std::isnan(count)) return;
  if (count < 1.0 || count > kMostProcessors || count != std::floor(count)) {
    reader.complaints().error(
        node->where, fmt::format("`processors` is {}; it must be a whole number from 1 to {}", count, kMostProcessors),
        "omit it for an unlimited number");
    return;
  }
  machine.processors = static_cast<int>(count);
}

void read_measured(FieldReader& reader, const YamlNode& node, Machine& machine) {
  const Fields fields(reader, node, "`measured`", {"date", "cpu", "line_transfer"});
  machine.date = fields.require_word("date");
  machine.cpu = fields.require_word("cpu");
  read_cost(reader, fields, "line_transfer", machine.line_transfer);
}

Machine read_root(FieldReader& reader, const YamlNode& root) {
  Machine machine;
  const Fields fields(reader, root, "the machine",
                      {"machine", "summary", "unit", "processors", "operations", "overhead", "overlap", "small_overlap",
                       "lanes", "messages", "topology", "measured"},
                      {{"start_up", "per_hop", "per_byte"}, "it belongs under `messages`"});
  machine.name = fields.require_word("machine");
  if (const YamlNode* n = fields.find("summary")) machine.summary = reader.word(*n, "summary");
  if (const YamlNode* n = fields.require("unit", "`unit: seconds`, or `unit: steps` if costs are numbers of steps")) {
    machine.in_seconds = reader.choice(*n, "unit", {"steps", "seconds"}) == 1;
  }
  read_count(reader, fields, machine);
  if (const YamlNode* n = fields.require("operations")) read_operations(reader, *n, machine);
  read_cost(reader, fields, "overhead", machine.overhead);
  read_overlap(reader, fields, "overlap", machine.overlap);
  read_overlap(reader, fields, "small_overlap", machine.small_overlap);
  if (const YamlNode* n = fields.find("lanes")) {
    const Fields lanes(reader, *n, "`lanes`", {"two", "four"});
    read_overlap(reader, lanes, "two", machine.two_lanes);
    read_overlap(reader, lanes, "four", machine.four_lanes);
  }
  if (const YamlNode* n = fields.find("messages")) {
    const Fields messages(reader, *n, "`messages`", {"start_up", "per_hop", "per_byte"});
    read_cost(reader, messages, "start_up", machine.start_up);
    read_cost(reader, messages, "per_hop", machine.per_hop);
    read_cost(reader, messages, "per_byte", machine.per_byte);
  }
  if (const YamlNode* n = fields.find("topology")) {
    const int k = reader.choice(*n, "topology", kTopologies);
    if (k >= 0) machine.topology = static_cast<Topology>(k);
  }
  if (const YamlNode* n = fields.find("measured")) read_measured(reader, *n, machine);
  return machine;
}

}  // namespace

double Machine::duration(const OperationCount& work) const {
  const auto times = [](std::int64_t n, double cost) { return static_cast<double>(n) * cost; };
  return overhead + (times(work.multiplications, multiplication) + times(work.additions, addition) +
                     times(work.divisions, division) + times(work.roots, root) +
                     times(work.trigonometric, trigonometric) + times(work.comparisons, comparison)) /
                        overlap;
}

double Machine::duration_in_lanes(const OperationCount& call, int lanes) const {
  Machine suited = *this;
  const double measured = lanes == 2 ? two_lanes : four_lanes;
  if (measured > 0.0) suited.overlap = measured;
  return overhead + lanes * (suited.duration(call) - overhead);
}

double Machine::delay(int from, int to, int bytes, int count) const {
  if (from == to) return 0.0;
  return start_up + hops(topology, from, to, count) * (per_hop + bytes * per_byte);
}

Machine Machine::for_code_of(const OperationCount& work, const OperationCount& code, int count) const {
  constexpr double kSmall = 2000.0, kLarge = 4500.0;
  Machine machine = *this;
  if (small_overlap <= 0.0) return machine;
  const auto arithmetic = [](const OperationCount& w) { return static_cast<double>(w.multiplications + w.additions); };
  const double operations = std::max(1.0, arithmetic(code) / count);
  const double share = std::clamp(std::log(operations / kSmall) / std::log(kLarge / kSmall), 0.0, 1.0) *
                       arithmetic(code) / std::max(1.0, arithmetic(work));
  // interpolates the cost of an operation, not its inverse
  machine.overlap = 1.0 / ((1.0 - share) / small_overlap + share / overlap);
  machine.small_overlap = 0.0;
  return machine;
}

const char* to_string(Topology topology) { return kTopologies[static_cast<std::size_t>(topology)].c_str(); }

int hops(Topology topology, int from, int to, int processors) {
  if (from == to) return 0;
  const int apart = std::abs(from - to);
  switch (topology) {
    case Topology::shared:
    case Topology::bus:
    case Topology::full: return 1;
    case Topology::pipeline: return apart;
    case Topology::ring: return std::min(apart, processors - apart);
    case Topology::tree: {
      int way = 0;
      for (int a = from, b = to; a != b; ++way) (a > b ? a : b) = ((a > b ? a : b) - 1) / 2;
      return way;
    }
    case Topology::mesh: {
      const int columns = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(processors))));
      return std::abs(from / columns - to / columns) + std::abs(from % columns - to % columns);
    }
    case Topology::hypercube: return std::popcount(static_cast<unsigned>(from ^ to));
  }
  return 1;
}

Machine read_machine(const std::string& text, const std::string& file) {
  Complaints complaints;
  Machine machine;
  if (check_text(text, file, complaints)) {
    if (const auto root = parse_yaml(text, file, complaints)) {
      FieldReader reader(complaints);
      machine = read_root(reader, *root);
    }
  }
  if (complaints.failed()) throw Error(ErrorCode::model, complaints.sorted());
  return machine;
}

std::string write_machine(const Machine& machine) {
  const auto number = [](double v) { return fmt::format("{}", v); };
  YamlText root = YamlText::map();
  root.add("machine", YamlText::name(machine.name));
  if (!machine.summary.empty()) root.add("summary", YamlText::name(machine.summary));
  root.add("unit", machine.in_seconds ? "seconds" : "steps");
  if (machine.processors > 0) root.add("processors", std::to_string(machine.processors));
  YamlText operations = YamlText::map();
  operations.add("multiplication", number(machine.multiplication));
  operations.add("addition", number(machine.addition));
  operations.add("division", number(machine.division));
  operations.add("root", number(machine.root));
  operations.add("trigonometric", number(machine.trigonometric));
  operations.add("comparison", number(machine.comparison));
  root.add("operations", YamlText::block(operations));
  root.add("overhead", number(machine.overhead));
  root.add("overlap", number(machine.overlap));
  if (machine.small_overlap > 0.0) root.add("small_overlap", number(machine.small_overlap));
  if (machine.four_lanes > 0.0) {
    YamlText lanes = YamlText::map();
    lanes.add("two", number(machine.two_lanes));
    lanes.add("four", number(machine.four_lanes));
    root.add("lanes", lanes);
  }
  YamlText messages = YamlText::map();
  messages.add("start_up", number(machine.start_up));
  messages.add("per_hop", number(machine.per_hop));
  messages.add("per_byte", number(machine.per_byte));
  root.add("messages", messages);
  root.add("topology", to_string(machine.topology));
  if (!machine.cpu.empty()) {
    YamlText measured = YamlText::map();
    measured.add("date", YamlText::name(machine.date));
    measured.add("cpu", YamlText::name(machine.cpu));
    measured.add("line_transfer", number(machine.line_transfer));
    root.add("measured", measured);
  }
  return root.str();
}

std::vector<std::string> embedded_machines() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded_machine_files())
    names.emplace_back(file.name.substr(0, file.name.rfind('.')));
  return names;
}

Machine load_machine(const std::string& name) {
  if (name == "host") return host();
  for (const EmbeddedFile& file : embedded_machine_files()) {
    if (file.name == name + ".yaml") return read_machine(std::string(file.text), std::string(file.name));
  }
  std::ifstream stream(name, std::ios::binary);
  std::ostringstream text;
  if (stream) text << stream.rdbuf();
  if (!stream || !text) {
    std::vector<std::string> known = embedded_machines();
    known.emplace_back("host");
    throw Error(ErrorCode::io,
                {{Severity::error, {name, 0, 0}, "neither a file nor the name of a machine", suggestion(name, known)}});
  }
  return read_machine(text.str(), name);
}

}  // namespace lw
