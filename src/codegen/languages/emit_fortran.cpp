#include "emit_fortran.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../text/banner.hpp"
#include "../text/lines.hpp"
#include "../text/statements.hpp"

namespace lw {
namespace {

constexpr std::size_t kFortranWidth = 120;  // the standard allows 132

// Fortran reserves no words; these would hide names that the text uses, or confuse its reader.
const std::set<std::string> kWordsOfFortran = {"abs",
                                               "acos",
                                               "allocate",
                                               "asin",
                                               "associate",
                                               "atan",
                                               "atan2",
                                               "block",
                                               "call",
                                               "case",
                                               "class",
                                               "close",
                                               "common",
                                               "contains",
                                               "continue",
                                               "cos",
                                               "cycle",
                                               "data",
                                               "dimension",
                                               "do",
                                               "else",
                                               "elsewhere",
                                               "end",
                                               "entry",
                                               "exit",
                                               "exp",
                                               "external",
                                               "forall",
                                               "format",
                                               "function",
                                               "go",
                                               "if",
                                               "implicit",
                                               "in",
                                               "include",
                                               "inquire",
                                               "intent",
                                               "interface",
                                               "intrinsic",
                                               "ieee_value",
                                               "ieee_quiet_nan",
                                               "ieee_positive_inf",
                                               "ieee_negative_inf",
                                               "kind",
                                               "log",
                                               "max",
                                               "merge",
                                               "min",
                                               "module",
                                               "nullify",
                                               "only",
                                               "open",
                                               "out",
                                               "parameter",
                                               "pause",
                                               "print",
                                               "private",
                                               "procedure",
                                               "program",
                                               "public",
                                               "pure",
                                               "read",
                                               "real",
                                               "real64",
                                               "result",
                                               "return",
                                               "rewind",
                                               "save",
                                               "select",
                                               "sequence",
                                               "sin",
                                               "sqrt",
                                               "stop",
                                               "subroutine",
                                               "tan",
                                               "tanh",
                                               "target",
                                               "then",
                                               "to",
                                               "type",
                                               "use",
                                               "wait",
                                               "where",
                                               "while",
                                               "wp",
                                               "write"};

const std::string kFortranLess = "merge(1.0_wp, 0.0_wp, ";

// a != 0, also for NaN, in a form without compiler warnings; a comparison is used directly
std::string fortran_condition(const std::string& a) {
  if (is_one_call(a, kFortranLess)) return a.substr(kFortranLess.size(), a.size() - kFortranLess.size() - 1);
  return fmt::format(".not. abs({}) <= 0.0_wp", a);
}

class FortranWriter {
 public:
  // Subroutines for the functions that it calls, then its own.
  void define(const Function& function, const std::string& name);

  std::string text;
  bool needs_ieee = false;

 private:
  Language language();
  std::string call(const Function& caller, const Statements& statements, const Statement& s) const;

  Symbols symbols_;
  std::map<const Function*, std::string> nested_;
};

Language FortranWriter::language() {
  Language fortran;
  fortran.reserved = kWordsOfFortran;
  for (const std::string& name : symbols_.all()) fortran.reserved.insert(name);
  fortran.case_blind = true;
  fortran.number = [this](double value) -> std::string {
    if (std::isfinite(value)) return shortest(value) + "_wp";
    needs_ieee = true;
    return fmt::format("ieee_value(1.0_wp, {})", std::isnan(value) ? "ieee_quiet_nan"
                                                 : value > 0.0     ? "ieee_positive_inf"
                                                                   : "ieee_negative_inf");
  };
  fortran.element = [](const std::string& array, std::size_t index) { return fmt::format("{}({})", array, index + 1); };
  fortran.function = [](Op op, const std::vector<std::string>& a) {
    switch (op) {
      case Op::fma: return fmt::format("({} * {} + {})", operand(a[0]), operand(a[1]), operand(a[2]));
      case Op::less: return fmt::format("{}{} < {})", kFortranLess, operand(a[0]), operand(a[1]));
      case Op::select: return fmt::format("merge({}, {}, {})", a[1], a[2], fortran_condition(a[0]));
      default: return fmt::format("{}({})", function_name(op), fmt::join(a, ", "));
    }
  };
  return fortran;
}

std::string FortranWriter::call(const Function& caller, const Statements& statements, const Statement& s) const {
  const Call& call = caller.graph().calls()[caller.graph()[s.node].a];
  std::vector<std::string> arguments;
  std::size_t at = 0;
  for (const Group& g : call.function->inputs()) {
    std::vector<std::string> values;
    for (std::size_t k = 0; k < g.size; ++k) values.push_back(statements.use(call.arguments[at++]));
    arguments.push_back(fmt::format("[real(wp) :: {}]", fmt::join(values, ", ")));
  }
  at = 0;
  for (const Group& g : call.function->outputs()) {
    arguments.push_back(fmt::format("{}({}:{})", s.name, at + 1, at + g.size));
    at += g.size;
  }
  return fmt::format("call {}({})", nested_.at(call.function.get()), fmt::join(arguments, ", "));
}

void FortranWriter::define(const Function& function, const std::string& wish) {
  const Graph& graph = function.graph();
  for (const NodeId id : function.order()) {
    const Node& n = graph[id];
    if (n.op == Op::solve)
      throw Error(
          ErrorCode::usage,
          "functions that solve equations by iteration (`forward` with friction, mechanisms with loops) are not "
          "available in Fortran; use C or C++");
    if (n.op == Op::call && !nested_.contains(graph.calls()[n.a].function.get())) {
      define(*graph.calls()[n.a].function, wish + "_" + graph.calls()[n.a].function->name());
    }
  }
  const std::string name = nested_[&function] = symbols_.unique(wish);
  const Statements statements(function, language());
  const auto add = [this](const std::string& line, std::size_t indent) {
    text += code_line(line, indent, kFortranWidth, " &");
  };

  std::vector<std::string> arguments = statements.input_names();
  arguments.insert(arguments.end(), statements.output_names().begin(), statements.output_names().end());
  text += "\n";
  add(fmt::format("pure subroutine {}({})", name, fmt::join(arguments, ", ")), 2);
  for (std::size_t k = 0; k < function.inputs().size(); ++k) {
    add(fmt::format("real(wp), intent(in) :: {}({})", arguments[k], function.inputs()[k].size), 4);
  }
  for (std::size_t k = 0; k < function.outputs().size(); ++k) {
    add(fmt::format("real(wp), intent(out) :: {}({})", statements.output_names()[k], function.outputs()[k].size), 4);
  }
  // variables, as many per line as fit
  std::string declared;
  const auto flush = [&] {
    if (!declared.empty()) add("real(wp) :: " + declared, 4);
    declared.clear();
  };
  for (const Statement& s : statements.list()) {
    if (s.name.empty()) continue;
    const Node& n = graph[s.node];
    const std::string variable =
        n.op == Op::call ? fmt::format("{}({})", s.name, graph.calls()[n.a].function->output_size()) : s.name;
    if (declared.size() + variable.size() + 18 > kFortranWidth) flush();
    declared += (declared.empty() ? "" : ", ") + variable;
  }
  flush();
  text += "\n";
  for (const Statement& s : statements.list()) {
    if (graph[s.node].op == Op::call) {
      add(call(function, statements, s), 4);
      continue;
    }
    if (!s.name.empty()) add(s.name + " = " + statements.text(s.node), 4);
    for (const std::size_t r : s.results) add(statements.result(r) + " = " + statements.value(s), 4);
  }
  text += fmt::format("  end subroutine {}\n", name);
}

// array(first:last) = [values], in several statements if there are too many continuation lines
std::string assigned(const std::string& array, const std::vector<double>& values) {
  constexpr std::size_t kAtOnce = 200;
  std::string text;
  for (std::size_t from = 0; from < values.size(); from += kAtOnce) {
    const std::size_t to = std::min(values.size(), from + kAtOnce);
    std::vector<std::string> numbers;
    for (std::size_t k = from; k < to; ++k) numbers.push_back(shortest(values[k]) + "_wp");
    text += code_line(fmt::format("{}({}:{}) = [{}]", array, from + 1, to, fmt::join(numbers, ", ")), 4, kFortranWidth,
                      " &");
  }
  return text;
}

constexpr const char* kFortranCheck = R"(
  ! The largest error as a fraction of `scale`, the size of the results or of the terms that they are sums of; NaN stays.
  subroutine compare(got, expected, scale, worst)
    real(wp), intent(in) :: got(:), expected(:), scale
    real(wp), intent(inout) :: worst
    real(wp) :: error
    integer :: k
    error = 0.0_wp
    do k = 1, size(got)
      if (.not. abs(got(k) - expected(k)) <= error) error = abs(got(k) - expected(k))
    end do
    error = error / scale
    if (.not. error <= worst) worst = error
  end subroutine compare

  subroutine verdict(name, states, worst, tolerance)
    character(*), intent(in) :: name
    integer, intent(in) :: states
    real(wp), intent(in) :: worst, tolerance
    logical :: fine
    fine = worst <= tolerance
    right = right .and. fine
    print '(2a, i0, a, es8.1, a, es8.1, a)', name, repeat(' ', max(1, 33 - len(name))), states, &
        ' states, largest error', worst, ' (', tolerance, merge(' allowed)       ', ' allowed)  WRONG', fine)
  end subroutine verdict
)";

}  // namespace

Artefact emit_fortran_selftest(const Program& program, const std::vector<TestVectors>& vectors) {
  std::string text = commented({fmt::format("Self-test of the module {}: prints a line a function.", program.name),
                                "The expected values come from Linkwright's reference algorithms, not from this code."},
                               "!");
  text += fmt::format(
      "program {0}_selftest\n  use, intrinsic :: iso_fortran_env, only: wp => real64\n  use {0}\n"
      "  implicit none\n  logical :: right\n\n  right = .true.\n",
      program.name);
  std::string tests;
  for (const TestVectors& v : vectors) {
    const Function& f = tested_function(program, v);
    const std::string name = symbol(program, f), test = "test_" + name.substr(program.name.size() + 1);
    text += fmt::format("  call {}()\n", test);
    std::vector<std::string> arguments;
    for (const auto& [groups, array] : {std::pair(&f.inputs(), "x"), std::pair(&f.outputs(), "y")}) {
      std::size_t at = 0;
      for (const Group& g : *groups)
        arguments.push_back(fmt::format("{}({}:{})", array, at + 1, at + g.size)), at += g.size;
    }
    tests +=
        fmt::format("\n  subroutine {}()\n    real(wp) :: x({}), y({}), expected({}), worst\n\n    worst = 0.0_wp\n",
                    test, f.input_size(), f.output_size(), f.output_size());
    const std::vector<double> sizes = sizes_of(v);
    for (std::size_t k = 0; k < v.inputs.size(); ++k) {
      tests += assigned("x", v.inputs[k]) + assigned("expected", v.outputs[k]);
      tests += code_line(fmt::format("call {}({})", name, fmt::join(arguments, ", ")), 4, kFortranWidth, " &");
      tests += fmt::format("    call compare(y, expected, {}_wp, worst)\n", shortest(sizes[k]));
    }
    tests += fmt::format("    call verdict('{}', {}, worst, {}_wp)\n  end subroutine {}\n", name, v.inputs.size(),
                         shortest(v.tolerance), test);
  }
  text += "  if (.not. right) error stop 'WRONG'\n  print '(a)', 'all right'\n\ncontains\n" +
          std::string(kFortranCheck) + tests;
  return {program.name + "_selftest.f90", text + fmt::format("\nend program {}_selftest\n", program.name)};
}

std::vector<Artefact> emit_fortran(const Program& program) {
  FortranWriter writer;
  std::vector<std::string> names;
  for (const Function& f : program.functions) {
    names.push_back(symbol(program, f));
    writer.define(f, names.back());
  }
  std::string text = commented(banner_with_names(program, {.language = "fortran"}), "!");
  text += fmt::format("module {}\n", program.name);
  text += "  use, intrinsic :: iso_fortran_env, only: wp => real64\n";
  if (writer.needs_ieee) text += "  use, intrinsic :: ieee_arithmetic\n";
  text += "  implicit none\n  private\n";
  text += code_line(fmt::format("public :: {}", fmt::join(names, ", ")), 2, kFortranWidth, " &");
  text += "\ncontains\n" + writer.text + fmt::format("\nend module {}\n", program.name);
  return {{program.name + ".f90", text}};
}

}  // namespace lw
