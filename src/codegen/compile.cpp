#include "compile.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "../base/error.hpp"
#include "../graph/outline.hpp"
#include "c/c_text.hpp"
#include "contents.hpp"
#include "languages/emit_python.hpp"

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

namespace {

// Functions for which inertias may be regrouped, and frames chosen.
bool gives_torques(const std::string& function) {
  return function.starts_with("inverse") || function.starts_with("forward") || function == "mass-matrix" ||
         function == "bias" || function == "friction";
}

bool has_chosen_frames(const std::string& function, const std::string& method) {
  return gives_torques(function) && method.find("the model's frames") == std::string::npos &&
         !method.starts_with("link-frame");
}

}  // namespace

Program make_program(const Mechanism& mechanism, const std::vector<std::string>& functions,
                     const ProgramOptions& options, std::vector<Traced>* details) {
  require(!functions.empty(), "a program has at least one function");
  Program program;
  program.name = identifier(mechanism.name);
  program.robot = mechanism.summary.empty() ? mechanism.name : mechanism.name + ": " + mechanism.summary;
  program.source = mechanism.where.file;
  bool elaborate = false, in_lanes = false;
  for (const std::string& name : functions) {
    if (options.progress) options.progress(name);
    Traced traced = trace_function(mechanism, name, options.trace);
    Arithmetic arithmetic = traced.function.arithmetic();
    arithmetic.trigonometry = options.libm ? Arithmetic::Trigonometry::libm : Arithmetic::Trigonometry::own;
    program.functions.push_back(with_arithmetic(traced.function, arithmetic));
    const std::string& method = traced.methods.front().name;
    program.notes.push_back(fmt::format("{}: {}", name, method));
    elaborate = elaborate || method.find(';') != std::string::npos;
    in_lanes = in_lanes || (options.trace.limbs && has_calls(program.functions.back()));
    if (has_chosen_frames(name, method)) program.in_chosen_frames.push_back(name);
    program.kept = traced.parameters;
    program.kept_values = traced.parameter_values;
    for (Contents& c : contents(traced)) {
      const auto same = [&](const Contents& known) { return known.group == c.group; };
      const auto known = std::find_if(program.contents.begin(), program.contents.end(), same);
      if (known != program.contents.end() && known->words == c.words) continue;
      if (known != program.contents.end()) c.function = name;
      program.contents.push_back(std::move(c));
    }
    if (details != nullptr) details->push_back(std::move(traced));
  }
  std::vector<std::string> lossy;
  for (const std::string& name : functions) {
    if (name != "friction" && includes_losses(name, options.trace)) lossy.push_back(name);
  }
  if (!lossy.empty()) {
    if (std::find(lossy.begin(), lossy.end(), "forward") != lossy.end()) {
      program.notes.emplace_back(
          "forward: a joint at rest has no dry friction here, it does not stick; accelerations are NaN where a joint "
          "jams");
    }
    program.notes.push_back(fmt::format(
        "{}: friction of the joints and losses of the drives are included; tau is the total", fmt::join(lossy, ", ")));
  }
  if (in_lanes) {
    program.notes.emplace_back("equal limbs run in vectors: for gcc and clang; --no-lanes is for other compilers");
  }
  if (elaborate)
    program.notes.emplace_back("these choices are explained in docs/theory/least-arithmetic.md of Linkwright");
  if (options.trace.base_parameters && std::any_of(functions.begin(), functions.end(), gives_torques)) {
    program.notes.emplace_back(
        "inertial parameters are regrouped: the torques are those of the mechanism, its joint reactions are not in "
        "here");
  }
  if (options.trace.base_parameters && std::find(functions.begin(), functions.end(), "regressor") != functions.end()) {
    program.notes.emplace_back("regressor: a column for every inertial parameter of the file; these are not regrouped");
  }
  return program;
}

Compiled compile(const Mechanism& mechanism, const std::vector<std::string>& functions, CompileOptions options) {
  options.program.trace = native(std::move(options.program.trace));
  std::vector<Traced> traced;
  const Program program = make_program(mechanism, functions, options.program, &traced);
  for (const Traced& t : traced) {
    constexpr int kStates = 20;
    if (const Verification check = verify(t, kStates); !check.passed()) {
      throw Disagreement(fmt::format("`{}` of {} does not agree with the reference: off by {:.1e}", t.function.name(),
                                     mechanism.name, check.error));
    }
  }
  return jit(program, options.jit);
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
