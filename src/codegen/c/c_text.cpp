#include "c_text.hpp"

#include <fmt/format.h>

#include "c_writer.hpp"

namespace lw {

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
}

std::string c_name(const Program& program, const CDialect& dialect) {
  return program.name + (dialect.single_precision ? "f" : "");
}

std::string c_value(const CDialect& dialect, int lanes) {
  return lanes == 1 ? dialect.real() : lanes == 0 ? "lw_v" : "lw_v" + std::to_string(lanes);
}

std::string c_over_lanes(const std::string& name, int lanes) {
  return lanes == 1 ? name : lanes == 0 ? name + "_lanes" : name + "_x" + std::to_string(lanes);
}

std::string c_function(const Program& program, const Function& function, const CDialect& dialect) {
  Program named;
  named.name = c_name(program, dialect);
  const std::string full = symbol(named, function);
  return dialect.cpp ? full.substr(named.name.size() + 1) : full;
}

std::vector<std::string> c_arguments(const Function& function, const CDialect& dialect) {
  Needs needs;
  const Statements statements(function, c_language(dialect, false, needs, {}, 1));
  std::vector<std::string> names = statements.input_names();
  names.insert(names.end(), statements.output_names().begin(), statements.output_names().end());
  return names;
}

std::string c_declaration(const Program& program, const Function& function, const CDialect& dialect) {
  Needs needs;
  const Statements names(function, c_language(dialect, false, needs, {}, 1));
  return c_signature(names, c_function(program, function, dialect), dialect, false);
}

std::string c_sizes(const Function& function) {
  std::vector<std::string> sizes;
  for (const auto* groups : {&function.inputs(), &function.outputs()}) {
    for (const Group& g : *groups) sizes.push_back(fmt::format("{}[{}]", g.name, g.size));
  }
  return fmt::format("{}", fmt::join(sizes, ", "));
}

std::string c_comment(const std::vector<std::string>& lines) {
  std::string text;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    std::string line = lines[k];
    for (std::size_t at = 0; (at = line.find("*/", at)) != std::string::npos;) line.replace(at, 2, "* /");
    text += (k == 0 ? "/*" : " *") + (line.empty() ? "" : " " + line) + "\n";
  }
  return text + " */\n";
}

namespace {

std::string preamble(const CWriter& writer, const CDialect& dialect) {
  return c_preamble(writer.needs, writer.text.find("LW_PART") != std::string::npos, dialect);
}

}  // namespace

std::string c_source(const Program& program, const CDialect& dialect, const std::string& header) {
  CWriter writer(program, dialect);
  for (const Function& f : program.functions) writer.define(f, c_function(program, f, dialect), false);
  std::string text = fmt::format("#include \"{}\"\n", header) + preamble(writer, dialect);
  if (dialect.cpp) text += fmt::format("\nnamespace {} {{\n", c_name(program, dialect));
  text += c_helpers(writer.needs, dialect, writer.text) + writer.text;
  if (dialect.cpp) text += fmt::format("\n}}  // namespace {}\n", c_name(program, dialect));
  return text;
}

LanesSource c_lanes_source(const Program& program, const CDialect& dialect, int lanes) {
  CWriter writer(program, dialect);
  for (const Function& f : program.functions) {
    writer.define(f, c_over_lanes(c_function(program, f, dialect), lanes), true, lanes);
  }
  return {preamble(writer, dialect), c_helpers(writer.needs, dialect, writer.text) + writer.text};
}

}  // namespace lw
