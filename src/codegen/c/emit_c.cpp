#include "emit_c.hpp"

#include <fmt/format.h>

#include "../text/banner.hpp"
#include "c_text.hpp"
#include "emit_batch.hpp"

namespace lw {
namespace {

std::string guarded(const Program& program, const CDialect& dialect) {
  std::string guard = c_name(program, dialect) + "_H";
  for (char& c : guard) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  std::string header = fmt::format("#ifndef {0}\n#define {0}\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n", guard);
  for (const Function& f : program.functions)
    header += fmt::format("\n/* {} */\n{};\n", c_sizes(f), c_declaration(program, f, dialect));
  return header + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

std::string with_arrays(const Program& program, const Function& f, const CDialect& dialect) {
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
      c_name(program, dialect));  // an argument may have the function's name
}

std::string in_namespace(const Program& program, const CDialect& dialect) {
  const std::string name = c_name(program, dialect);
  std::string header = fmt::format("#pragma once\n\n#include <array>\n#include <cstddef>\n\nnamespace {} {{\n", name);
  for (const Function& f : program.functions) header += with_arrays(program, f, dialect);
  return header + fmt::format("\n}}  // namespace {}\n", name);
}

std::vector<Artefact> emit(const Program& program, const EmitCOptions& options, bool cpp) {
  CDialect dialect;
  dialect.cpp = cpp;
  dialect.single_precision = options.single_precision;
  const Form form{cpp ? "c++" : "c", options.single_precision};
  const std::string name = c_name(program, dialect), header = name + (cpp ? ".hpp" : ".h");
  const auto comment = [&](std::vector<std::string> lines) {
    lines.push_back(
        fmt::format("Compile with -O2 -march=native -std={} {}.", cpp ? "c++20" : "c11", fmt::join(kCFlags, " ")));
    return c_comment(lines);
  };
  std::vector<Artefact> files = {
      {header, comment(banner(program, form)) + (cpp ? in_namespace : guarded)(program, dialect)},
      {name + (cpp ? ".cpp" : ".c"), comment(banner_with_names(program, form)) + c_source(program, dialect, header)}};
  if (options.batch != 0) {
    for (Artefact& file : emit_batch(program, dialect, options.batch)) files.push_back(std::move(file));
  }
  return files;
}

}  // namespace

std::vector<Artefact> emit_c(const Program& program, const EmitCOptions& options) {
  return emit(program, options, false);
}

std::vector<Artefact> emit_cpp(const Program& program, const EmitCOptions& options) {
  return emit(program, options, true);
}

}  // namespace lw
