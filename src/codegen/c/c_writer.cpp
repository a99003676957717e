#include "c_writer.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "../../graph/tangent.hpp"
#include "../text/lines.hpp"
#include "emit_divided.hpp"

namespace lw {
namespace {

const std::set<std::string> kWordsOfC = {
    // C11 and C++20
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char",
    "char8_t", "char16_t", "char32_t", "class", "compl", "concept", "const", "consteval", "constexpr", "constinit",
    "const_cast", "continue", "co_await", "co_return", "co_yield", "decltype", "default", "delete", "do", "double",
    "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if",
    "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or",
    "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "requires", "restrict", "return",
    "short", "signed", "sizeof", "static", "static_assert", "static_cast", "struct", "switch", "template", "this",
    "thread_local", "throw", "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using", "virtual",
    "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
    // words that the text uses
    "std", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "tanh", "fabs", "sqrtf", "sinf",
    "cosf", "tanf", "asinf", "acosf", "atanf", "atan2f", "expf", "logf", "tanhf", "fabsf", "NAN", "INFINITY", "main",
    // macros of gcc's GNU dialects and of system headers
    "linux", "unix", "I", "errno", "signbit", "isnan", "isinf", "assert"};

std::string number_text(double value, const CDialect& dialect, Needs& needs) {
  if (!std::isfinite(value)) {
    needs.math = true;
    return std::isnan(value) ? "NAN" : value > 0.0 ? "INFINITY" : "-INFINITY";
  }
  if (!dialect.single_precision) return shortest(value);
  std::string text = fmt::format("{}", static_cast<float>(value));
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text + "f";
}

bool is_in_lanes_kernel(Op op) {
  return op == Op::fma || op == Op::min || op == Op::max || op == Op::less || op == Op::select || op == Op::abs;
}

// A comparison from lw_less(a, b), which is a number; from a variable that is a comparison; or from any other number.
std::string mask(const std::string& condition, const Needs& needs) {
  if (needs.masks.contains(condition)) return condition;
  if (is_one_call(condition, kLess)) return kBelow + condition.substr(kLess.size());
  return fmt::format("lw_nonzero({})", condition);
}

}  // namespace

bool is_word_of_c(const std::string& name) { return kWordsOfC.contains(name); }

std::string library_name(Op op, const CDialect& dialect) {
  const std::string name = op == Op::abs ? "fabs" : function_name(op);
  return dialect.cpp ? "std::" + name : dialect.single_precision ? name + "f" : name;
}

Language c_language(const CDialect& dialect, bool kernel, Needs& needs, std::set<std::string> taken, int lanes) {
  Language language;
  language.reserved = kWordsOfC;
  language.reserved.merge(taken);
  if (kernel) language.alone = [&dialect](const Node& n) { return is_sine(n) || is_arc(n, dialect); };
  language.number = [&dialect, &needs](double value) { return number_text(value, dialect, needs); };
  language.function = [&dialect, &needs, lanes](Op op, const std::vector<std::string>& arguments) {
    std::string name = function_name(op);
    if (lanes != 1) {
      if (!is_in_lanes_kernel(op)) needs.lanes[lanes].library.insert(op);
      return fmt::format("{}_{}({})", c_value(dialect, lanes), name, fmt::join(arguments, ", "));
    }
    switch (op) {
      case Op::fma:
        name = dialect.single_precision ? "LW_FMAF" : "LW_FMA";
        needs.fma = true;
        break;
      case Op::select:
        needs.helpers.insert(op);
        return fmt::format("lw_chosen({}, {}, {})", mask(arguments[0], needs), arguments[1], arguments[2]);
      case Op::min:
      case Op::max:
      case Op::less:
        name = "lw_" + name;
        needs.helpers.insert(op);
        break;
      default: needs.math = true; name = library_name(op, dialect);
    }
    return fmt::format("{}({})", name, fmt::join(arguments, ", "));
  };
  return language;
}

void add_line(std::string& text, const std::string& line, std::size_t indent) {
  constexpr std::size_t width = 118;
  std::size_t from = 0;
  std::size_t margin = indent;
  while (line.size() - from + margin > width) {
    std::size_t cut = line.rfind(", ", from + width - margin - 1);
    cut = cut == std::string::npos || cut <= from ? line.rfind(' ', from + width - margin) : cut + 1;
    if (cut == std::string::npos || cut <= from) break;
    text += std::string(margin, ' ') + line.substr(from, cut - from) + "\n";
    from = cut + 1;
    margin = indent + 4;
  }
  text += std::string(margin, ' ') + line.substr(from) + "\n";
}

std::string pieces(const std::vector<Group>& groups, const std::string& array) {
  std::vector<std::string> list;
  std::size_t at = 0;
  for (const Group& g : groups) {
    list.push_back(at == 0 ? array : fmt::format("{} + {}", array, at));
    at += g.size;
  }
  return fmt::format("{}", fmt::join(list, ", "));
}

void choose_precision(std::string& text, const CDialect& dialect) {
  replace_all(text, "REAL", dialect.real());
  replace_all(text, "HALF", dialect.single_precision ? "0.5f" : "0.5");
  const char* suffix = dialect.single_precision ? "f" : "";
  replace_all(text, "SHORTEST", fmt::format("{}{}", Solve::kShortest, suffix));
  replace_all(text, "SOLVED", fmt::format("{}{}", Solve::kSolved, suffix));
  replace_all(text, "ONE", dialect.single_precision ? "1.0f" : "1.0");
  replace_all(text, "ZERO", dialect.single_precision ? "0.0f" : "0.0");
  replace_all(text, "FABS", dialect.cpp ? "std::fabs" : dialect.single_precision ? "fabsf" : "fabs");
}

std::string c_signature(const Statements& names, const std::string& name, const CDialect& dialect, bool restricted,
                        int lanes) {
  const char* star = !restricted ? " *" : dialect.cpp ? " *__restrict " : " *restrict ";
  const std::string value = c_value(dialect, lanes);
  std::vector<std::string> arguments;
  for (const std::string& g : names.input_names()) arguments.push_back(fmt::format("const {}{}{}", value, star, g));
  for (const std::string& g : names.output_names()) arguments.push_back(fmt::format("{}{}{}", value, star, g));
  return fmt::format("void {}({})", name, arguments.empty() ? "void" : fmt::format("{}", fmt::join(arguments, ", ")));
}

namespace {

// NAME_newton(steps, in, out): Newton steps on a residual, as in the interpreter (Solve, graph/expr.hpp). A singular
// Jacobian gives NaN.
constexpr const char* kNewton = R"(
static void @name_newton(int steps, const REAL *start, REAL *out) {
  REAL in[@all], from[@n], whole[@n], seed[@n] = {ZERO}, jacobian[@square], column[@n];
  for (int k = 0; k < @all; ++k) in[k] = start[k];
  out[2 * @n] = ONE;
  @residual;
  const REAL first = lw_squares(@n, out + @n);
  for (int left = steps; left > 0; --left) {
    for (int j = 0; j < @n; ++j) {
      seed[j] = ONE;
      @tangent;
      seed[j] = ZERO;
      for (int i = 0; i < @n; ++i) jacobian[i * @n + j] = column[i];
    }
    const REAL before = lw_squares(@n, out + @n);
    if (!(before > first * SOLVED)) left = 1;
    for (int k = 0; k < @n; ++k) {
      from[k] = in[k];
      whole[k] = out[@n + k];
    }
    out[2 * @n] = lw_solve_linear(@n, jacobian, whole);
    REAL factor = ONE;
    for (int k = 0; k < @n; ++k) in[k] = from[k] - whole[k];
    @residual;
    while (left > 1 && !(lw_squares(@n, out + @n) < before * (ONE - HALF * factor))) {
      factor *= HALF;
      if (factor < SHORTEST) {
        factor = ONE;
        left = 1;
      }
      for (int k = 0; k < @n; ++k) in[k] = from[k] - factor * whole[k];
      @residual;
    }
  }
  for (int k = 0; k < @n; ++k) out[k] = in[k];
}
)";

// The same for a solve with its own step function: so many whole steps.
constexpr const char* kWithin = R"(
#ifndef LW_WITHIN
#ifdef __GNUC__
#define LW_WITHIN inline __attribute__((always_inline))
#else
#define LW_WITHIN inline
#endif
#endif
)";

constexpr const char* kOwnSteps = R"(
static void @name(const VALUE *start, VALUE *out) {
  VALUE in[@all], step[@n];
  for (int k = 0; k < @all; ++k) in[k] = start[k];
  for (int left = @steps; left > 0; --left) {
    @step;
    for (int k = 0; k < @n; ++k) in[k] = in[k] - step[k];
  }
  @residualfor (int k = 0; k < @n; ++k) out[k] = in[k];
}
)";

constexpr const char* kSolveLinear = R"(
static REAL lw_squares(int n, const REAL *x) {
  REAL sum = ZERO;
  for (int k = 0; k < n; ++k) sum += x[k] * x[k];
  return sum;
}

/* A x = b by elimination with row pivoting, A by rows; x overwrites b. The sign of det A. */
static REAL lw_solve_linear(int n, REAL *A, REAL *b) {
  REAL sign = ONE;
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i) {
      if (FABS(A[i * n + k]) > FABS(A[pivot * n + k])) pivot = i;
    }
    for (int j = 0; j < n; ++j) {
      const REAL kept = A[k * n + j];
      A[k * n + j] = A[pivot * n + j];
      A[pivot * n + j] = kept;
    }
    const REAL kept = b[k];
    b[k] = b[pivot];
    b[pivot] = kept;
    if ((A[k * n + k] < ZERO) != (pivot != k)) sign = -sign;
    for (int i = k + 1; i < n; ++i) {
      const REAL factor = A[i * n + k] / A[k * n + k];
      for (int j = k; j < n; ++j) A[i * n + j] -= factor * A[k * n + j];
      b[i] -= factor * b[k];
    }
  }
  for (int k = n - 1; k >= 0; --k) {
    for (int j = k + 1; j < n; ++j) b[k] -= A[k * n + j] * b[j];
    b[k] *= ONE / A[k * n + k];
  }
  return sign;
}
)";

// Functions with so many calls are written as loops.
bool is_mostly_calls(const Function& function) {
  int calls = 0;
  for (const NodeId id : function.order()) calls += function.graph()[id].op == Op::call ? 1 : 0;
  return calls > 32;
}

}  // namespace

const std::string& CWriter::nested(const Function& function, int lanes) {
  const auto known = nested_.find({&function, lanes});
  if (known != nested_.end()) return known->second;
  std::string name = c_over_lanes(dialect_.cpp ? function.name() : prefix_ + "_" + function.name(), lanes);
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  const std::string stem = name;
  for (int k = 2; symbols_.contains(name); ++k) name = stem + "_" + std::to_string(k);
  symbols_.insert(name);
  define(function, name, true, lanes);
  return nested_[{&function, lanes}] = name;
}

void CWriter::newton(const Function& residual) {
  if (tangents_.contains(&residual)) return;
  const Function& derivative = tangents_.emplace(&residual, tangent(residual, residual.output_size())).first->second;
  const std::string name = nested(residual), along = nested(derivative);
  if (!needs.linear) {
    std::string solver = kSolveLinear;
    choose_precision(solver, dialect_);
    text += solver;
    needs.linear = needs.math = true;
  }
  std::vector<Group> inputs = derivative.inputs();
  inputs.pop_back();
  std::string newton = kNewton;
  choose_precision(newton, dialect_);
  replace_all(newton, "@tangent",
              fmt::format("{}({}, seed, {})", along, pieces(inputs, "in"), pieces(derivative.outputs(), "column")));
  replace_all(newton, "@residual",
              fmt::format("{}({}, {})", name, pieces(residual.inputs(), "in"),
                          pieces(residual.outputs(), fmt::format("out + {}", residual.output_size()))));
  replace_all(newton, "@name", name);
  replace_all(newton, "@all", std::to_string(residual.input_size()));
  replace_all(newton, "@square", std::to_string(residual.output_size() * residual.output_size()));
  replace_all(newton, "@n", std::to_string(residual.output_size()));
  text += newton;
}

void CWriter::own_steps(const Solve& solve, bool with_residual, int lanes) {
  std::string& name = own_steps_[{solve.step.get(), lanes, with_residual}];
  if (!name.empty()) return;
  const Function& step = *solve.step;
  // Several functions may share the same steps. Compilers then do not inline them, and numbers go through memory from
  // step to step (a quarter of the time of the 3-RRR's cycle).
  constexpr double kMostWithin = 300.0;
  const OperationCount operations = cost(step).operations;
  const bool within = static_cast<double>(operations.multiplications + operations.additions) <= kMostWithin;
  if (within && text.find(kWithin) == std::string::npos) text += kWithin;
  const std::string step_name = nested(step, lanes);
  if (within) replace_all(text, "\nstatic void " + step_name + "(", "\nstatic LW_WITHIN void " + step_name + "(");
  name = step_name + (with_residual ? "_newton_residual" : "_newton");
  const std::size_t n = step.output_size();
  std::string steps = kOwnSteps;
  if (within) replace_all(steps, "static void", "static LW_WITHIN void");
  replace_all(steps, "VALUE", c_value(dialect_, lanes));
  replace_all(steps, "@steps", std::to_string(solve.steps));
  replace_all(steps, "@step", fmt::format("{}({}, step)", step_name, pieces(step.inputs(), "in")));
  replace_all(steps, "@residual",
              !with_residual ? std::string()
                             : fmt::format("{}({}, out + {});\n  ", nested(*solve.residual, lanes),
                                           pieces(solve.residual->inputs(), "in"), n));
  replace_all(steps, "@name", name);
  replace_all(steps, "@all", std::to_string(step.input_size()));
  replace_all(steps, "@n", std::to_string(n));
  text += steps;
}

void CWriter::define_called(const Function& function, int lanes, const std::vector<CallsTogether>& groups) {
  std::map<NodeId, int> lanes_of;
  for (const CallsTogether& g : groups) {
    for (const NodeId call : g.calls) lanes_of[call] = g.lanes;
  }
  for (const NodeId id : function.order()) {
    const Node& n = function.graph()[id];
    if (n.op == Op::call) nested(*function.graph().calls()[n.a].function, lanes_of.contains(id) ? lanes_of[id] : lanes);
    if (n.op != Op::solve) continue;
    const Solve& solve = function.graph().solves()[n.a];
    if (solve.step != nullptr)
      own_steps(solve, reads_residual(function, id), lanes);
    else
      newton(*solve.residual);
  }
}

void CWriter::define(const Function& function, const std::string& name, bool is_static, int lanes) {
  if (lanes != 1) needs.lanes.try_emplace(lanes);
  std::vector<CallsTogether> groups;
  if (lanes == 1 && dialect_.calls_in_lanes && !is_mostly_calls(function)) groups = calls_together(function);
  define_called(function, lanes, groups);
  if (lanes == 1 && is_mostly_calls(function)) {
    std::string written = loops(function, name);
    if (is_static) replace_all(written, "\nvoid " + name + "(", "\nstatic void " + name + "(");
    text += written;
    return;
  }
  text += "\n" + body(function, name, is_static, lanes, groups);
}

std::size_t CWriter::define(const Share& share, int processor, const std::string& name, const std::string& shared) {
  const std::vector<CallsTogether> groups =
      dialect_.calls_in_lanes ? calls_together(share.function, &share.segment_of) : std::vector<CallsTogether>();
  define_called(share.function, 1, groups);
  return write_share(share, processor, name, shared, groups);
}

}  // namespace lw
