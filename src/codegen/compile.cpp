#include "compile.hpp"

#include <cctype>

#include <fmt/format.h>

#include "../base/error.hpp"
#include "../graph/outline.hpp"
#include "c_text.hpp"
#include "emit_python.hpp"

namespace lw {

std::string identifier(const std::string& name) {
  std::string text;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain) {
      text += c;
    } else if (!text.empty() && text.back() != '_') {
      text += '_';
    }
  }
  while (!text.empty() && text.back() == '_') text.pop_back();
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) text = "robot" + (text.empty() ? "" : "_" + text);
  constexpr std::size_t kLongest = 40;  // Fortran has names of 63, and functions append theirs
  if (text.size() > kLongest) text.resize(kLongest);
  while (text.back() == '_') text.pop_back();
  if (is_word_of_c(text) || is_word_of_python(text)) text += "_robot";
  return text;
}

Program make_program(const Mechanism& mechanism, const std::vector<std::string>& functions,
                     const ProgramOptions& options, std::vector<Traced>* details) {
  require(!functions.empty(), "a program has at least one function");
  Program program;
  program.name = identifier(mechanism.name);
  program.robot = mechanism.summary.empty() ? mechanism.name : mechanism.name + ": " + mechanism.summary;
  program.source = mechanism.where.file;
  for (const std::string& name : functions) {
    Traced traced = trace_function(mechanism, name, options.trace);
    Arithmetic arithmetic = traced.function.arithmetic();
    arithmetic.trigonometry = options.libm ? Arithmetic::Trigonometry::libm : Arithmetic::Trigonometry::own;
    program.functions.push_back(with_arithmetic(traced.function, arithmetic));
    program.notes.push_back(fmt::format("{}: {}", name, traced.roads.front().name));
    program.kept = traced.parameters;
    program.kept_values = traced.parameter_values;
    if (details != nullptr) details->push_back(std::move(traced));
  }
  if (options.trace.base_parameters) {
    program.notes.push_back(
        "inertial parameters are regrouped: the torques are those of the mechanism, its joint reactions are not in here");
  }
  return program;
}

Compiled compile(const Mechanism& mechanism, const std::vector<std::string>& functions, CompileOptions options) {
  options.program.trace = native(std::move(options.program.trace));
  return jit(make_program(mechanism, functions, options.program), options.jit);
}

TraceOptions native(TraceOptions options) {
  options.fused = machine_has_fma();
  options.limbs = true;
  return options;
}

bool machine_has_fma() {
#if defined(__x86_64__) || defined(__i386__)
  return __builtin_cpu_supports("fma") > 0;
#elif defined(__aarch64__)
  return true;
#else
  return false;
#endif
}

}  // namespace lw
