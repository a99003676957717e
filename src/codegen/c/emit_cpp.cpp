#include "emit_cpp.hpp"

#include <fmt/format.h>

#include "../text/banner.hpp"
#include "c_text.hpp"
#include "emit_batch.hpp"

namespace lw {
namespace {

std::string declarations(const Program& program, const Function& f, const CDialect& dialect) {
  const std::string name = c_function(program, f, dialect);
  const std::vector<std::string> names = c_arguments(f, dialect);
  std::vector<std::string> sizes, arrays, data;
  std::size_t k = 0;
  const auto add = [&](const std::vector<Group>& groups, const char* constness) {
    for (const Group& g : groups) {
      const std::string& argument = names[k++];
      sizes.push_back(fmt::format("{} = {}", argument, g.size));
      arrays.push_back(fmt::format("{}std::array<{}, {}>& {}", constness, dialect.real(), g.size, argument));
      data.push_back(argument + ".data()");
    }
  };
  add(f.inputs(), "const ");
  add(f.outputs(), "");
  return fmt::format(
      "\nstruct {0}_sizes {{\n  static constexpr std::size_t {1};\n}};\n{2};\ninline void {0}({3}) {{\n  "
      "{5}::{0}({4});\n}}\n",
      name, fmt::join(sizes, ", "), c_declaration(program, f, dialect), fmt::join(arrays, ", "), fmt::join(data, ", "),
      c_name(program, dialect));  // an argument may be called like it
}

}  // namespace

std::vector<Artefact> emit_cpp(const Program& program, const EmitCppOptions& options) {
  CDialect dialect;
  dialect.cpp = true;
  dialect.single_precision = options.single_precision;
  const Form form{"c++", options.single_precision};
  const std::string name = c_name(program, dialect);
  const auto comment = [](std::vector<std::string> lines) {
    lines.push_back(fmt::format("Compile with -O2 -march=native -std=c++20 {}.", fmt::join(kCFlags, " ")));
    return c_comment(lines);
  };
  std::string header = comment(banner(program, form)) +
                       fmt::format("#pragma once\n\n#include <array>\n#include <cstddef>\n\nnamespace {} {{\n", name);
  for (const Function& f : program.functions) header += declarations(program, f, dialect);
  header += fmt::format("\n}}  // namespace {}\n", name);
  std::vector<Artefact> files = {
      {name + ".hpp", header},
      {name + ".cpp", comment(banner_with_names(program, form)) + c_source(program, dialect, name + ".hpp")}};
  if (options.batch != 0) {
    for (Artefact& file : emit_batch(program, dialect, options.batch)) files.push_back(std::move(file));
  }
  return files;
}

}  // namespace lw
