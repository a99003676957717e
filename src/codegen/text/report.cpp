#include "report.hpp"

#include <fmt/format.h>

#include "banner.hpp"
#include "statements.hpp"

namespace lw {
namespace {

std::string json_quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + "\"";
}

template <class List, class F>
std::string array(const List& list, F element) {
  std::string text;
  for (const auto& e : list) text += (text.empty() ? "" : ", ") + element(e);
  return "[" + text + "]";
}

std::string groups(const std::vector<Group>& list) {
  return array(
      list, [](const Group& g) { return fmt::format("{{\"name\": {}, \"size\": {}}}", json_quoted(g.name), g.size); });
}

std::string entries(const std::vector<Entry>& list) {
  return array(list, [](const Entry& e) {
    return fmt::format("{{\"name\": {}, \"unit\": {}}}", json_quoted(e.name), json_quoted(e.unit));
  });
}

std::string function(const Program& program, std::size_t index, const Form& form, const Proof& proof) {
  const Function& f = program.functions[index];
  const FunctionCost c = cost(f);
  const OperationCount& o = c.operations;
  std::string error = index < proof.errors.size() ? fmt::format(", \"error\": {:.3e}", proof.errors[index]) : "";
  if (index < proof.float_errors.size()) error += fmt::format(", \"float_error\": {:.3e}", proof.float_errors[index]);
  return fmt::format(
      "\n    {{\"name\": {}, \"symbol\": {}, \"inputs\": {}, \"outputs\": {},\n     \"operations\": "
      "{{\"multiplications\": {}, "
      "\"additions\": {}, \"divisions\": {}, \"roots\": {}, \"trigonometric\": {}, \"comparisons\": {}}}, \"depth\": "
      "{}{}}}",
      json_quoted(f.name()), json_quoted(symbol(program, f, form)), groups(f.inputs()), groups(f.outputs()),
      o.multiplications, o.additions, o.divisions, o.roots, o.trigonometric, o.comparisons, c.depth, error);
}

}  // namespace

Artefact emit_report(const Program& program, const std::vector<Artefact>& files, const Form& form, const Proof& proof) {
  std::vector<std::string> fields;
  const auto add = [&](const char* name, const std::string& value) {
    fields.push_back(fmt::format("  \"{}\": {}", name, value));
  };
  add("generator", json_quoted(generator()));
  add("name", json_quoted(program.name));
  add("robot", json_quoted(program.robot));
  add("source", json_quoted(program.source));
  add("language", json_quoted(form.language));
  add("precision", json_quoted(form.single_precision ? "single" : "double"));
  add("options", array(program.options, [](const auto& o) {
        return fmt::format("{{\"name\": {}, \"value\": {}}}", json_quoted(o.first), json_quoted(o.second));
      }));
  add("left_out", array(program.left_out, json_quoted));
  std::string parameters, vectors, functions;
  for (std::size_t k = 0; k < program.kept.size(); ++k) {
    parameters += fmt::format("{}{{\"name\": {}, \"value\": {}}}", k == 0 ? "" : ", ", json_quoted(program.kept[k]),
                              shortest(program.kept_values.at(k)));
  }
  for (const Contents& c : program.contents) {
    vectors += fmt::format("{}\n    {}: {{\"words\": {}, \"entries\": {}}}", vectors.empty() ? "" : ",",
                           json_quoted(c.function.empty() ? c.group : c.function + "." + c.group), json_quoted(c.words),
                           entries(c.entries));
  }
  for (std::size_t k = 0; k < program.functions.size(); ++k) {
    functions += (k == 0 ? "" : ",") + function(program, k, form, proof);
  }
  add("parameters", "[" + parameters + "]");
  add("vectors", "{" + vectors + "}");
  add("functions", "[" + functions + "]");
  add("notes", array(program.notes, json_quoted));
  add("verified_states", std::to_string(proof.states));
  add("snapping", fmt::format("{:.3e}", proof.snapping));
  add("self_test", json_quoted(proof.self_test));
  add("build", array(proof.build, json_quoted));
  add("files", array(files, [](const Artefact& a) { return json_quoted(a.path); }));
  return {stem(program, form) + "_report.json", fmt::format("{{\n{}\n}}\n", fmt::join(fields, ",\n"))};
}

}  // namespace lw
