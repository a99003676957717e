#include "compile.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "../base/error.hpp"
#include "../graph/outline.hpp"
#include "c/c_text.hpp"
#include "contents.hpp"
#include "languages/emit_python.hpp"
#include "trace/verification.hpp"

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

void note_losses(const std::vector<FunctionName>& functions, const TraceOptions& options,
                 std::vector<std::string>& notes) {
  std::vector<std::string> lossy;
  for (const FunctionName& f : functions) {
    if (f.row.losses != FunctionRow::Losses::on_request || !includes_losses(f.row, options)) continue;
    lossy.emplace_back(f.row.name);
    if (f.row.takes(kTau)) {
      notes.push_back(fmt::format(
          "{}: a joint at rest has no dry friction here, so it does not stick; accelerations are NaN if a joint jams",
          f.row.name));
    }
  }
  if (lossy.empty()) return;
  notes.push_back(fmt::format("{}: friction of the joints and losses of the drives are included; tau is the total",
                              fmt::join(lossy, ", ")));
}

void note_regrouping(const std::vector<FunctionName>& functions, std::vector<std::string>& notes) {
  const auto any = [&](auto property) {
    return std::find_if(functions.begin(), functions.end(), [&](const FunctionName& f) { return property(f.row); });
  };
  if (any([](const FunctionRow& row) { return row.torques_alone; }) != functions.end()) {
    notes.emplace_back("inertial parameters are regrouped, which keeps the torques but not the joint reactions");
  }
  const auto by_parameter = any([](const FunctionRow& row) {
    return std::any_of(row.outputs.begin(), row.outputs.end(),
                       [](const GroupRow& g) { return g.columns && g.columns->of == Extent::Of::inertial; });
  });
  if (by_parameter != functions.end()) {
    notes.push_back(fmt::format("{}: a column for every inertial parameter of the file; these are not regrouped",
                                by_parameter->row.name));
  }
}

}  // namespace

Program make_program(const Mechanism& mechanism, const std::vector<FunctionName>& functions,
                     const ProgramOptions& options, std::vector<Traced>* details) {
  require(!functions.empty(), "a program has at least one function");
  Program program;
  program.name = identifier(mechanism.name);
  program.robot = mechanism.summary.empty() ? mechanism.name : mechanism.name + ": " + mechanism.summary;
  program.source = mechanism.where.file;
  bool elaborate = false, in_lanes = false;
  for (const FunctionName& function : functions) {
    const std::string name = function.row.name;
    if (options.progress) options.progress(function.row);
    Traced traced = trace_function(mechanism, function, options.trace);
    Arithmetic arithmetic = traced.function.arithmetic();
    arithmetic.trigonometry = options.libm ? Arithmetic::Trigonometry::libm : Arithmetic::Trigonometry::own;
    program.functions.push_back(with_arithmetic(traced.function, arithmetic));
    const MethodTaken& method = traced.methods.front();
    program.notes.push_back(fmt::format("{}: {}", name, method.name));
    elaborate = elaborate || method.elaborate;
    in_lanes = in_lanes || (options.trace.limbs && has_calls(program.functions.back()));
    if (method.chosen_frames) program.in_chosen_frames.push_back(name);
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
  note_losses(functions, options.trace, program.notes);
  if (in_lanes) {
    program.notes.emplace_back("equal limbs run in vectors, with gcc and clang; use --no-lanes for other compilers");
  }
  if (elaborate)
    program.notes.emplace_back("these choices are explained in docs/theory/least-arithmetic.md of Linkwright");
  if (options.trace.base_parameters) note_regrouping(functions, program.notes);
  return program;
}

Compiled compile(const Mechanism& mechanism, const std::vector<FunctionName>& functions, CompileOptions options) {
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
