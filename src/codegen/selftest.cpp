#include "selftest.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "../base/error.hpp"
#include "statements.hpp"

namespace lw {
namespace {

std::string numbers(const std::vector<double>& values) {
  std::string text;
  for (const double x : values) text += (text.empty() ? "" : ", ") + shortest(x);
  return text;
}

std::string table(const std::string& name, const std::vector<std::vector<double>>& rows) {
  if (rows[0].empty()) return fmt::format("static const double {}[1] = {{0.0}};\n", name);  // C has no empty arrays
  std::string text = fmt::format("static const double {}[{}] = {{\n", name, rows.size() * rows[0].size());
  for (const auto& row : rows) text += "  " + numbers(row) + ",\n";
  return text + "};\n";
}

constexpr const char* kCheck = R"(
/* Whether all outputs are as expected, to a fraction of the largest at each state. */
static int check(const char *name, void (*run)(const REAL *, REAL *), int states, int n_in, int n_out,
                 const double *inputs, const double *outputs, double tolerance) {
  REAL in[MOST_IN], out[MOST_OUT];
  double worst = 0.0;
  int wrong = 0;
  for (int state = 0; state < states; ++state) {
    const double *expected = outputs + state * n_out;
    double largest = 0.0, error = 0.0;
    for (int k = 0; k < n_in; ++k) in[k] = (REAL)inputs[state * n_in + k];
    run(in, out);
    for (int k = 0; k < n_out; ++k) {
      const double size = fabs(expected[k]), difference = fabs((double)out[k] - expected[k]);
      if (size > largest) largest = size;
      if (!(difference <= error)) error = difference; /* NaN stays */
    }
    if (error > 0.0 || error != error) error /= largest > 0.0 ? largest : 1.0;
    if (!(error <= worst)) worst = error;
    if (!(error <= tolerance)) ++wrong;
  }
  printf("%-32s %d states, largest error %.1e (%.1e allowed)%s\n", name, states, worst, tolerance,
         wrong > 0 ? "  WRONG" : "");
  return wrong == 0;
}
)";

}  // namespace

const Function& tested_function(const Program& program, const TestVectors& v) {
  const auto found = std::find_if(program.functions.begin(), program.functions.end(),
                                  [&](const Function& f) { return f.name() == v.function; });
  require(found != program.functions.end(), "test vectors are for a function of the program");
  require(!v.inputs.empty() && v.inputs.size() == v.outputs.size(), "test vectors have outputs for all inputs");
  for (std::size_t k = 0; k < v.inputs.size(); ++k) {
    require(v.inputs[k].size() == found->input_size() && v.outputs[k].size() == found->output_size(),
            "test vectors have the sizes of the function's inputs and outputs");
  }
  return *found;
}

Artefact emit_vectors(const Program& program, const std::vector<TestVectors>& vectors, const Form& form) {
  std::string text;
  for (const TestVectors& v : vectors) {
    const Function& f = tested_function(program, v);
    text += "# function";
    for (const auto* groups : {&f.inputs(), &f.outputs()}) {
      for (const Group& g : *groups) {
        for (std::size_t k = 0; k < g.size; ++k) text += fmt::format(", {}{}", g.name, k + 1);
      }
    }
    text += "\n";
    for (std::size_t k = 0; k < v.inputs.size(); ++k) {
      text += v.function;
      for (const auto* part : {&v.inputs[k], &v.outputs[k]}) text += part->empty() ? "" : ", " + numbers(*part);
      text += "\n";
    }
  }
  return {stem(program, form) + "_vectors.csv", text};
}

std::vector<Artefact> emit_selftest(const Program& program, const std::vector<TestVectors>& vectors,
                                    const CDialect& dialect) {
  const std::string name = c_name(program, dialect);
  std::string tables, runs, calls;
  std::size_t most_in = 1, most_out = 1;
  for (const TestVectors& v : vectors) {
    const Function& f = tested_function(program, v);
    most_in = std::max(most_in, f.input_size());
    most_out = std::max(most_out, f.output_size());
    std::string id = v.function;
    std::replace(id.begin(), id.end(), '-', '_');
    tables += "\n" + table(id + "_inputs", v.inputs) + table(id + "_outputs", v.outputs);
    std::vector<std::string> arguments;
    std::size_t at = 0;
    for (const Group& g : f.inputs()) arguments.push_back(fmt::format("in + {}", at)), at += g.size;
    at = 0;
    for (const Group& g : f.outputs()) arguments.push_back(fmt::format("out + {}", at)), at += g.size;
    const std::string called = (dialect.cpp ? name + "::" : "") + c_function(program, f, dialect);
    runs += fmt::format("static void run_{}(const {} *in, {} *out) {{ {}({}); }}\n", id, dialect.real(), dialect.real(),
                        called, fmt::join(arguments, ", "));
    calls += fmt::format("  right &= check(\"{0}\", run_{1}, {2}, {3}, {4}, {1}_inputs, {1}_outputs, {5});\n", called, id,
                         v.inputs.size(), f.input_size(), f.output_size(), shortest(v.tolerance));
  }
  std::string check = kCheck;
  replace_all(check, "REAL", dialect.real());
  replace_all(check, "MOST_IN", std::to_string(most_in));
  replace_all(check, "MOST_OUT", std::to_string(most_out));
  const std::string text =
      c_comment({fmt::format("Self-test of {}: prints a line a function and exits with 0 where all is right.", name),
                 "The expected values come from Linkwright's reference algorithms, not from this code."}) +
      fmt::format("#include <math.h>\n#include <stdio.h>\n\n#include \"{}.{}\"\n", name, dialect.cpp ? "hpp" : "h") + tables +
      check + "\n" + runs + "\nint main(" + (dialect.cpp ? "" : "void") + ") {\n  int right = 1;\n" + calls +
      "  printf(right ? \"all right\\n\" : \"WRONG\\n\");\n  return right ? 0 : 1;\n}\n";
  const Form form{dialect.cpp ? "c++" : "c", dialect.single_precision};
  return {emit_vectors(program, vectors, form), {name + "_selftest." + (dialect.cpp ? "cpp" : "c"), text}};
}

}  // namespace lw
