#include "emit_c.hpp"

#include <fmt/format.h>

#include "../text/banner.hpp"
#include "c_text.hpp"
#include "emit_batch.hpp"

namespace lw {

std::vector<Artefact> emit_c(const Program& program, const EmitCOptions& options) {
  CDialect dialect;
  dialect.single_precision = options.single_precision;
  const Form form{"c", options.single_precision};
  const std::string name = c_name(program, dialect);
  const auto comment = [](std::vector<std::string> lines) {
    lines.push_back(fmt::format("Compile with -O2 -march=native -std=c11 {}.", fmt::join(kCFlags, " ")));
    return c_comment(lines);
  };

  std::string guard = name + "_H";
  for (char& c : guard) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  std::string header = comment(banner(program, form)) +
                       fmt::format("#ifndef {0}\n#define {0}\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n", guard);
  for (const Function& f : program.functions) {
    header += fmt::format("\n/* {} */\n{};\n", c_sizes(f), c_declaration(program, f, dialect));
  }
  header += "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
  std::vector<Artefact> files = {
      {name + ".h", header},
      {name + ".c", comment(banner_with_names(program, form)) + c_source(program, dialect, name + ".h")}};
  if (options.batch != 0) {
    for (Artefact& file : emit_batch(program, dialect, options.batch)) files.push_back(std::move(file));
  }
  return files;
}

}  // namespace lw
