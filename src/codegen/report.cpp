#include "report.hpp"

#include <fmt/format.h>

#include "banner.hpp"
#include "statements.hpp"

namespace lw {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else out += c;
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
  return array(list, [](const Group& g) { return fmt::format("{{\"name\": {}, \"size\": {}}}", quoted(g.name), g.size); });
}

std::string function(const Program& program, const Function& f) {
  const FunctionCost c = cost(f);
  const OperationCount& o = c.operations;
  return fmt::format(
      "\n    {{\"name\": {}, \"symbol\": {}, \"inputs\": {}, \"outputs\": {},\n     \"operations\": {{\"multiplications\": {}, "
      "\"additions\": {}, \"divisions\": {}, \"roots\": {}, \"trigonometric\": {}, \"comparisons\": {}}}, \"depth\": {}}}",
      quoted(f.name()), quoted(symbol(program, f)), groups(f.inputs()), groups(f.outputs()), o.multiplications, o.additions,
      o.divisions, o.roots, o.trigonometric, o.comparisons, c.depth);
}

}  // namespace

Artefact emit_report(const Program& program, const std::vector<Artefact>& files) {
  std::string parameters;
  for (std::size_t k = 0; k < program.kept.size(); ++k) {
    parameters += fmt::format("{}{{\"name\": {}, \"value\": {}}}", k == 0 ? "" : ", ", quoted(program.kept[k]),
                              shortest(program.kept_values.at(k)));
  }
  const std::string text = fmt::format(
      "{{\n  \"generator\": {},\n  \"name\": {},\n  \"robot\": {},\n  \"source\": {},\n  \"parameters\": [{}],\n"
      "  \"functions\": {},\n  \"notes\": {},\n  \"files\": {}\n}}\n",
      quoted(generator()), quoted(program.name), quoted(program.robot), quoted(program.source), parameters,
      array(program.functions, [&](const Function& f) { return function(program, f); }), array(program.notes, quoted),
      array(files, [](const Artefact& a) { return quoted(a.path); }));
  return {program.name + "_report.json", text};
}

}  // namespace lw
