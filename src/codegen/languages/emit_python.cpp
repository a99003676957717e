#include "emit_python.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../text/banner.hpp"
#include "../text/lines.hpp"
#include "../text/statements.hpp"

namespace lw {
namespace {

constexpr std::size_t kPythonWidth = 110;

const std::set<std::string> kWordsOfPython = {
    "False",    "None",   "True", "and",   "as",     "assert", "async",    "await", "break", "class",
    "continue", "def",    "del",  "elif",  "else",   "except", "finally",  "for",   "from",  "global",
    "if",       "import", "in",   "is",    "lambda", "match",  "nonlocal", "not",   "or",    "pass",
    "raise",    "return", "try",  "while", "with",   "yield",  "abs",      "math",  "np"};

// Functions of numbers and of arrays: a single state is computed with Python's numbers, which are twice as fast.
const std::map<Op, std::string> kHelpers = {
    {Op::min, "def _min(a, b):\n    return _select(b < a, b, a)\n"},
    {Op::max, "def _max(a, b):\n    return _select(a < b, b, a)\n"},
    {Op::select,
     "def _select(condition, a, b):\n"
     "    return np.where(condition, a, b) if isinstance(condition, np.ndarray) else a if condition else b\n"},
};

// Its name in NumPy.
std::string in_numpy(Op op) {
  switch (op) {
    case Op::asin: return "arcsin";
    case Op::acos: return "arccos";
    case Op::atan: return "arctan";
    case Op::atan2: return "arctan2";
    default: return function_name(op);
  }
}

std::string helper(Op op) {
  if (const auto known = kHelpers.find(op); known != kHelpers.end()) return known->second;
  const char* arguments = op == Op::atan2 ? "y, x" : "x";
  const char* is_array =
      op == Op::atan2 ? "isinstance(y, np.ndarray) or isinstance(x, np.ndarray)" : "isinstance(x, np.ndarray)";
  return fmt::format("def _{0}({2}):\n    return np.{1}({2}) if {3} else math.{0}({2})\n", function_name(op),
                     in_numpy(op), arguments, is_array);
}

const char* kArguments = R"(
def _arguments(*pairs):
    """The numbers of all arguments, and the shape of the states before them."""
    arrays = []
    for name, values, size in pairs:
        values = np.asarray(values, dtype=float)
        if values.ndim == 0 or values.shape[-1] != size:
            raise ValueError(f"{name} has shape {values.shape}; its last dimension must be {size}")
        arrays.append(values)
    numbers = []
    for values in arrays:
        numbers += values.tolist() if values.ndim == 1 else list(np.moveaxis(values, -1, 0))
    return np.broadcast_shapes(*(values.shape[:-1] for values in arrays)), numbers


def _result(numbers, states, rows=None):
    """Numbers as an array behind the shape of the states; a matrix where it has rows."""
    values = np.empty((*states, len(numbers)))
    for k, number in enumerate(numbers):
        values[..., k] = number
    return values if rows is None else np.swapaxes(values.reshape(*states, len(numbers) // rows, rows), -1, -2)
)";

const std::string kPythonLess = "(1.0 * (";

std::string python_condition(const std::string& a) {
  if (is_one_call(a, kPythonLess)) return a.substr(kPythonLess.size(), a.size() - kPythonLess.size() - 2);
  return operand(a) + " != 0.0";
}

class PythonWriter {
 public:
  // _NAME takes numbers, one per argument, and returns a tuple; functions that it calls come first.
  const std::string& define(const Function& function);
  // NAME takes arrays, one per group.
  void define_public(const Function& function, const std::string& name);

  std::string helpers() const;
  std::string text;

 private:
  // `groups`: the names of arguments and results, known once the statements are; their elements are separate numbers.
  using Groups = std::shared_ptr<std::set<std::string>>;
  Language language(const Function& function, const Groups& groups);

  Symbols symbols_;
  std::map<const Function*, std::string> defined_;
  std::set<Op> used_;
};

std::string numbered(const std::string& group, std::size_t index) { return group + std::to_string(index + 1); }

Language PythonWriter::language(const Function& function, const Groups& groups) {
  Language python;
  python.reserved = kWordsOfPython;
  for (const auto* side : {&function.inputs(), &function.outputs()}) {
    for (const Group& g : *side) {
      for (std::size_t k = 0; k < g.size; ++k) {
        python.reserved.insert({numbered(g.name, k), numbered(g.name + "_2", k)});
      }
    }
  }
  python.number = [](double value) -> std::string {
    if (std::isfinite(value)) return shortest(value);
    return std::isnan(value) ? "math.nan" : value > 0.0 ? "math.inf" : "-math.inf";
  };
  python.element = [groups](const std::string& array, std::size_t index) {
    return groups->contains(array) ? numbered(array, index) : fmt::format("{}[{}]", array, index);
  };
  python.function = [this](Op op, const std::vector<std::string>& a) {
    switch (op) {
      case Op::abs: return fmt::format("abs({})", a[0]);
      case Op::fma: return fmt::format("({} * {} + {})", operand(a[0]), operand(a[1]), operand(a[2]));
      case Op::select: used_.insert(op); return fmt::format("_select({}, {}, {})", python_condition(a[0]), a[1], a[2]);
      case Op::less: return fmt::format("{}{} < {}))", kPythonLess, operand(a[0]), operand(a[1]));
      default:
        used_.insert(op);
        if (op == Op::min || op == Op::max) used_.insert(Op::select);
        return fmt::format("_{}({})", function_name(op), fmt::join(a, ", "));
    }
  };
  return python;
}

// name = value, on several lines if it is long
std::string assignment(const std::string& name, const std::string& value) {
  const std::string line = name + " = " + value;
  if (line.size() + 4 <= kPythonWidth) return "    " + line + "\n";
  return code_line(name + " = (" + value + ")", 4, kPythonWidth);
}

const std::string& PythonWriter::define(const Function& function) {
  if (const auto known = defined_.find(&function); known != defined_.end()) return known->second;
  const Graph& graph = function.graph();
  for (const NodeId id : function.order()) {
    if (graph[id].op == Op::solve)
      throw Error(ErrorCode::usage,
                  "functions that solve equations by iteration (`forward` with friction, mechanisms with loops) are "
                  "not available in Python; use C or C++");
    if (graph[id].op == Op::call) define(*graph.calls()[graph[id].a].function);
  }
  const std::string& name = defined_[&function] = symbols_.unique("_" + function.name());
  const auto groups = std::make_shared<std::set<std::string>>();
  const Statements statements(function, language(function, groups));
  groups->insert(statements.input_names().begin(), statements.input_names().end());
  groups->insert(statements.output_names().begin(), statements.output_names().end());
  std::vector<std::string> inputs, results;
  for (std::size_t g = 0; g < function.inputs().size(); ++g) {
    for (std::size_t k = 0; k < function.inputs()[g].size; ++k)
      inputs.push_back(numbered(statements.input_names()[g], k));
  }
  text += "\n\n" + code_line(fmt::format("def {}({}):", name, fmt::join(inputs, ", ")), 0, kPythonWidth);
  for (const Statement& s : statements.list()) {
    if (graph[s.node].op == Op::call) {
      const Call& call = graph.calls()[graph[s.node].a];
      std::vector<std::string> values;
      for (const NodeId a : call.arguments) values.push_back(statements.use(a));
      text += code_line(fmt::format("{} = {}({})", s.name, defined_.at(call.function.get()), fmt::join(values, ", ")),
                        4, kPythonWidth);
      continue;
    }
    if (!s.name.empty()) text += assignment(s.name, statements.text(s.node));
    for (const std::size_t r : s.results) text += assignment(statements.result(r), statements.value(s));
  }
  for (std::size_t r = 0; r < function.output_size(); ++r) results.push_back(statements.result(r));
  text += code_line(fmt::format("return ({}{})", fmt::join(results, ", "), results.size() == 1 ? "," : ""), 4,
                    kPythonWidth);
  return name;
}

void PythonWriter::define_public(const Function& function, const std::string& wish) {
  const std::string inner = define(function);
  const std::string name = symbols_.unique(wish);
  Statements statements(function, language(function, nullptr));
  const std::vector<std::string>& inputs = statements.input_names();
  std::vector<std::string> pairs, shapes, results;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    pairs.push_back(fmt::format("(\"{0}\", {0}, {1})", inputs[k], function.inputs()[k].size));
    shapes.push_back(fmt::format("{} (..., {})", inputs[k], function.inputs()[k].size));
  }
  std::vector<std::string> returned;
  const std::string states = statements.fresh("states"), numbers = statements.fresh("numbers");
  std::size_t at = 0;
  for (const Group& g : function.outputs()) {
    const bool whole = function.outputs().size() == 1;
    results.push_back(fmt::format("_result({}{}, {}{})", numbers, whole ? "" : fmt::format("[{}:{}]", at, at + g.size),
                                  states, g.rows == 0 ? "" : fmt::format(", {}", g.rows)));
    returned.push_back(g.rows == 0 ? fmt::format("{} (..., {})", g.name, g.size)
                                   : fmt::format("{} (..., {}, {})", g.name, g.rows, g.size / g.rows));
    at += g.size;
  }
  text += fmt::format("\n\ndef {}({}):\n", name, fmt::join(inputs, ", "));
  text += code_line(fmt::format("\"\"\"{} from {}.\"\"\"", fmt::join(returned, ", "), fmt::join(shapes, ", ")), 4,
                    kPythonWidth);
  text += code_line(fmt::format("{}, {} = _arguments({})", states, numbers, fmt::join(pairs, ", ")), 4, kPythonWidth);
  text += fmt::format("    {0} = {1}(*{0})\n", numbers, inner);
  const std::string all = fmt::format("{}", fmt::join(results, ", "));
  text += code_line(all.size() + 11 <= kPythonWidth ? "return " + all : "return (" + all + ")", 4, kPythonWidth);
}

std::string PythonWriter::helpers() const {
  std::string all;
  for (const Op op : used_) all += "\n\n" + helper(op);
  return all;
}

// The name of a function of the program in Python.
std::string python_name(const Function& function) {
  std::string name = function.name();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::string table(const std::vector<std::vector<double>>& rows) {
  std::string text = "[\n";
  for (const auto& row : rows) {
    std::vector<std::string> numbers;
    for (const double x : row) numbers.push_back(shortest(x));
    text += code_line(fmt::format("[{}],", fmt::join(numbers, ", ")), 8, kPythonWidth);
  }
  return text + "    ]";
}

constexpr const char* kPythonCheck = R"(

def check(name, function, input_sizes, output_rows, inputs, outputs, sizes, tolerance):
    """Whether all outputs are as expected, one by one and all at once, to a fraction of their size at each state.

    The size is that of the largest of them, or of the terms that they are sums of.
    """
    inputs, outputs, sizes = np.array(inputs), np.array(outputs), np.array(sizes).reshape(-1, 1)

    def flat(states):
        results = function(*np.split(states, np.cumsum(input_sizes)[:-1], axis=-1))
        results = results if isinstance(results, tuple) else (results,)
        vectors = [
            np.swapaxes(result, -1, -2).reshape(*states.shape[:-1], -1) if rows else result
            for result, rows in zip(results, output_rows)
        ]
        return np.concatenate(vectors, axis=-1)

    worst = 0.0
    for got in (np.array([flat(state) for state in inputs]), flat(inputs)):
        worst = np.maximum(worst, np.max(np.abs(got - outputs) / sizes, initial=0.0))  # NaN stays
    right = bool(worst <= tolerance)
    print(f"{name:32} {len(inputs)} states, largest error {worst:.1e} ({tolerance:.1e} allowed){'' if right else '  WRONG'}")
    return right

)";

}  // namespace

bool is_word_of_python(const std::string& name) {
  return kWordsOfPython.contains(name) || name == "numpy" || name == "sys";
}

Artefact emit_python_selftest(const Program& program, const std::vector<TestVectors>& vectors) {
  std::string text = fmt::format(
      "\"\"\"Self-test of {0}: prints a line a function and exits with 0 where all is right.\n\nThe expected values "
      "come from "
      "Linkwright's reference algorithms, not from this code.\n\"\"\"\nimport sys\n\nimport numpy as np\n\nimport "
      "{0}\n",
      program.name);
  text += std::string(kPythonCheck) + "\nright = True\n";
  for (const TestVectors& v : vectors) {
    const Function& f = tested_function(program, v);
    std::vector<std::string> sizes, rows;
    for (const Group& g : f.inputs()) sizes.push_back(std::to_string(g.size));
    for (const Group& g : f.outputs()) rows.push_back(std::to_string(g.rows));
    text += fmt::format(
        "right &= check(\n    \"{0}.{1}\", {0}.{1}, [{2}], [{3}],\n    {4},\n    {5},\n    {6}[0],\n    {7})\n",
        program.name, python_name(f), fmt::join(sizes, ", "), fmt::join(rows, ", "), table(v.inputs), table(v.outputs),
        table({sizes_of(v)}), shortest(v.tolerance));
  }
  text += "print(\"all right\" if right else \"WRONG\")\nsys.exit(0 if right else 1)\n";
  return {program.name + "_selftest.py", text};
}

std::vector<Artefact> emit_python(const Program& program) {
  PythonWriter writer;
  std::vector<std::string> names;
  for (const Function& f : program.functions) {
    names.push_back(python_name(f));
    writer.define_public(f, names.back());
  }
  std::string text = commented(banner_with_names(program, {.language = "python"}), "#");
  text += fmt::format(
      "\"\"\"Dynamics of {}: {}.\n\nArguments of shape (..., n): leading dimensions are states, broadcast against "
      "each other. One state is computed in\nPython's own numbers, many at once in arrays.\n\"\"\"\n",
      program.robot.empty() ? program.name : program.robot, fmt::join(names, ", "));
  text += "import math\n\nimport numpy as np\n";
  text += "\n" + std::string(kArguments) + writer.helpers() + writer.text;
  return {{program.name + ".py", text}};
}

}  // namespace lw
