#include "c_text.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "../base/error.hpp"
#include "../graph/tangent.hpp"
#include "kernels.hpp"
#include "statements.hpp"

namespace lw {
namespace {

const std::set<std::string> kReserved = {
    // C11 and C++20
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char",
    "char8_t", "char16_t", "char32_t", "class", "compl", "concept", "const", "consteval", "constexpr", "constinit",
    "const_cast", "continue", "co_await", "co_return", "co_yield", "decltype", "default", "delete", "do", "double",
    "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if",
    "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or",
    "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "requires", "restrict", "return", "short",
    "signed", "sizeof", "static", "static_assert", "static_cast", "struct", "switch", "template", "this", "thread_local",
    "throw", "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using", "virtual", "void", "volatile",
    "wchar_t", "while", "xor", "xor_eq",
    // what the text itself says
    "std", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "tanh", "fabs", "sqrtf", "sinf",
    "cosf", "tanf", "asinf", "acosf", "atanf", "atan2f", "expf", "logf", "tanhf", "fabsf", "NAN", "INFINITY", "main",
    // macros of gcc's GNU dialects and of system headers
    "linux", "unix", "I", "errno", "signbit", "isnan", "isinf", "assert"};

// Of functions over so many lanes: functions of the library, lane by lane, and kernels for sines.
struct LanesNeeds {
  std::set<Op> library;
  bool sincos[2] = {false, false};
};

bool is_sine(const Node& n) { return n.op == Op::sin || n.op == Op::cos; }

// What helpers and headers a text needs.
struct Needs {
  bool math = false, fma = false, linear = false;
  std::set<std::size_t> sincos[2];  // how many angles at once, without and with fused multiply-adds
  std::set<Op> helpers;             // min, max, less, select
  std::map<int, LanesNeeds> lanes;
};

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

// sin, std::sin, sinf.
std::string library_name(Op op, const CDialect& dialect) {
  const std::string name = op == Op::abs ? "fabs" : function_name(op);
  return dialect.cpp ? "std::" + name : dialect.single_precision ? name + "f" : name;
}

bool is_in_lanes_kernel(Op op) {
  return op == Op::fma || op == Op::min || op == Op::max || op == Op::less || op == Op::select || op == Op::abs;
}

Language c_language(const CDialect& dialect, bool kernel, Needs& needs, std::set<std::string> taken, int lanes) {
  Language language;
  language.reserved = kReserved;
  language.reserved.merge(taken);
  if (kernel) language.alone = is_sine;
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
      case Op::min:
      case Op::max:
      case Op::less:
      case Op::select:
        name = "lw_" + name;
        needs.helpers.insert(op);
        break;
      default:
        needs.math = true;
        name = library_name(op, dialect);
    }
    return fmt::format("{}({})", name, fmt::join(arguments, ", "));
  };
  return language;
}

// A line of code, broken behind commas, or else at blanks, where it is too long.
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

class Writer {
 public:
  Writer(const Program& program, const CDialect& dialect) : dialect_(dialect), prefix_(c_name(program, dialect)) {
    for (const Function& f : program.functions) symbols_.insert(c_function(program, f, dialect));
  }

  // Definitions of what the function calls, then its own; over numbers or over lanes.
  void define(const Function& function, const std::string& name, bool is_static, int lanes = 1);

  std::string text;
  Needs needs;

 private:
  struct Body;
  class Loops;
  const std::string& nested(const Function& function, int lanes = 1);
  void newton(const Function& residual);

  const CDialect& dialect_;
  std::string prefix_;
  std::map<std::pair<const Function*, int>, std::string> nested_;  // by lanes
  std::map<const Function*, Function> tangents_;  // of residuals
  std::set<std::string> symbols_;
};

const std::string& Writer::nested(const Function& function, int lanes) {
  const auto known = nested_.find({&function, lanes});
  if (known != nested_.end()) return known->second;
  std::string name = c_over_lanes(dialect_.cpp ? function.name() : prefix_ + "_" + function.name(), lanes);
  std::replace_if(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  const std::string stem = name;
  for (int k = 2; symbols_.contains(name); ++k) name = stem + "_" + std::to_string(k);
  symbols_.insert(name);
  define(function, name, true, lanes);
  return nested_[{&function, lanes}] = name;
}

// NAME_newton(steps, in, out): Newton steps on a residual, as the interpreter makes them. A singular Jacobian gives NaN.
constexpr const char* kNewton = R"(
static void @name_newton(int steps, const REAL *start, REAL *out) {
  REAL in[@all], seed[@n] = {ZERO}, jacobian[@square], column[@n];
  for (int k = 0; k < @all; ++k) in[k] = start[k];
  for (int step = 0; step < steps; ++step) {
    for (int j = 0; j < @n; ++j) {
      seed[j] = ONE;
      @tangent;
      seed[j] = ZERO;
      for (int i = 0; i < @n; ++i) jacobian[i * @n + j] = column[i];
    }
    @residual;
    lw_solve_linear(@n, jacobian, out + @n);
    for (int k = 0; k < @n; ++k) in[k] -= out[@n + k];
  }
  @residual;
  for (int k = 0; k < @n; ++k) out[k] = in[k];
}
)";

constexpr const char* kLaneByLane = R"(  for (int lane = 0; lane < @lanes; ++lane) {
    REAL one_in[@ins], one_out[@outs];
    for (int k = 0; k < @ins; ++k) one_in[k] = @in[k][lane];
    @newton(one_in, one_out);
    for (int k = 0; k < @outs; ++k) @out[k][lane] = one_out[k];
  }
)";

constexpr const char* kSolveLinear = R"(
/* A x = b by elimination with row pivoting, A by rows; x overwrites b. */
static void lw_solve_linear(int n, REAL *A, REAL *b) {
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
}
)";

// in, in + 6, in + 12: the groups in an array.
std::string pieces(const std::vector<Group>& groups, const std::string& array) {
  std::vector<std::string> list;
  std::size_t at = 0;
  for (const Group& g : groups) {
    list.push_back(at == 0 ? array : fmt::format("{} + {}", array, at));
    at += g.size;
  }
  return fmt::format("{}", fmt::join(list, ", "));
}

// REAL, ONE and the like, in a text that is the same for double and float.
void choose_precision(std::string& text, const CDialect& dialect) {
  replace_all(text, "REAL", dialect.real());
  replace_all(text, "ONE", dialect.single_precision ? "1.0f" : "1.0");
  replace_all(text, "ZERO", dialect.single_precision ? "0.0f" : "0.0");
  replace_all(text, "FABS", dialect.cpp ? "std::fabs" : dialect.single_precision ? "fabsf" : "fabs");
}

void Writer::newton(const Function& residual) {
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
  replace_all(newton, "@tangent", fmt::format("{}({}, seed, {})", along, pieces(inputs, "in"), pieces(derivative.outputs(), "column")));
  replace_all(newton, "@residual", fmt::format("{}({}, {})", name, pieces(residual.inputs(), "in"),
                                              pieces(residual.outputs(), fmt::format("out + {}", residual.output_size()))));
  replace_all(newton, "@name", name);
  replace_all(newton, "@all", std::to_string(residual.input_size()));
  replace_all(newton, "@square", std::to_string(residual.output_size() * residual.output_size()));
  replace_all(newton, "@n", std::to_string(residual.output_size()));
  text += newton;
}

constexpr const char* kAligned = "__attribute__((aligned(64)))";  // for any vector

// Calls of one function that do not wait for each other: they run in the lanes of vectors.
struct CallsTogether {
  std::vector<NodeId> calls;
  int lanes = 4;  // the last ones repeat the last call where there are fewer
};

std::vector<CallsTogether> calls_together(const Function& function) {
  const Graph& graph = function.graph();
  std::vector<int> level(graph.size(), 0);  // calls that must come before
  std::map<std::pair<const Function*, int>, std::vector<NodeId>> equal;
  for (const NodeId id : function.order()) {
    for_each_operand(graph, id, [&](NodeId operand) { level[id] = std::max(level[id], level[operand]); });
    const Node& n = graph[id];
    if (n.op == Op::call) equal[{graph.calls()[n.a].function.get(), level[id]++}].push_back(id);
  }
  std::vector<CallsTogether> groups;
  for (auto& [key, calls] : equal) {
    for (std::size_t first = 0; first + 1 < calls.size(); first += 4) {
      const std::size_t last = std::min(first + 4, calls.size());
      groups.push_back({{calls.begin() + static_cast<std::ptrdiff_t>(first), calls.begin() + static_cast<std::ptrdiff_t>(last)},
                        last - first > 2 ? 4 : 2});
    }
  }
  return groups;
}

// One function while it is written: its statements and calls of the kernel in an order, cut into parts.
struct Writer::Body {
  // A value has a variable or, where it has several elements, an array: nodes first, then the kernel's calls.
  using ValueId = std::size_t;
  struct Item {
    const Statement* statement = nullptr;  // or
    std::size_t stage = 0;                 // a call of the kernel
    std::vector<ValueId> reads;
    int operations = 0;
    std::size_t part = 0;
    const CallsTogether* together = nullptr;  // the statement is the first of these
  };
  // Angles from `first` on, as many as a vector has lanes; sines from `at` on in the stage's array, then cosines.
  struct Piece {
    std::size_t first, width, at;
  };
  struct Stage {  // a call of the kernel for each piece
    std::vector<NodeId> angles;
    std::vector<Piece> pieces;
    std::size_t size = 0;
    std::string array;
  };

  Body(Writer& owner, const Function& f, bool with_kernel, const std::string& function_name, int over_lanes,
       const std::vector<CallsTogether>& groups)
      : writer(owner),
        function(f),
        graph(f.graph()),
        kernel(with_kernel),
        lanes(over_lanes),
        statements(f, language(with_kernel)),
        name(function_name),
        real(c_value(owner.dialect_, over_lanes)) {
    if (kernel) find_stages();
    put_in_order();
    for (const CallsTogether& g : groups) put_together(g);
    if (!groups.empty()) put_in_order_again();
    cut();
  }

  Language language(bool with_kernel) {
    Language c = c_language(writer.dialect_, with_kernel, writer.needs, writer.symbols_, lanes);
    c.element = [this](const std::string& array, std::size_t index) {
      const auto lane = lane_of.find(array);
      if (lane == lane_of.end()) return fmt::format("{}[{}]", array, index);
      return fmt::format("{}[{}]", lane->second.array, index * lane->second.lanes + lane->second.lane);
    };
    return c;
  }
  void put_together(const CallsTogether& group);
  void put_in_order_again();
  void write_together(std::string& out, const Item& item, bool crosses);

  void find_stages();
  std::string sine(NodeId id) const;
  std::string value_of(NodeId id) const;
  void write_sines(std::string& out, const Stage& stage);
  void put_in_order();
  void cut();
  Item item_of(const Statement& s) const;
  std::size_t size_of(ValueId value) const;
  std::string name_of(ValueId value) const;
  ValueId stage_value(std::size_t stage) const { return graph.size() + stage; }

  std::string write(const std::string& signature);
  std::string part_signature(std::size_t part, bool call) const;
  void write_items(std::string& out, std::size_t part);
  std::string link_of(const Item& item) const;
  bool begins_section(std::size_t at, const std::string& link) const;
  void write_item(std::string& out, const Item& item, bool crosses);
  void write_nested(std::string& out, const Item& item, bool crosses);
  std::string array(const std::string& called, std::size_t size, bool crosses, ValueId value) const;

  Writer& writer;
  const Function& function;
  const Graph& graph;
  bool kernel;
  int lanes;
  struct Lane {
    std::string array;  // of numbers, a vector for each output
    std::size_t lane, lanes;
  };
  std::map<std::string, Lane> lane_of;          // of a call in a group, by its name
  std::map<ValueId, std::size_t> array_of;      // of the first call in a group: how many numbers
  Statements statements;
  const std::string& name;
  std::string real;  // the type of a value
  std::vector<Stage> stages;
  std::map<NodeId, std::pair<std::size_t, std::size_t>> stage_of;  // angle -> stage, place there
  std::vector<Item> items;
  std::size_t parts = 1;
  std::map<ValueId, std::size_t> slots;  // of values that one part passes to another
  std::size_t slot_count = 0;
  std::string passed;  // what the array of those is called
};

// Angles by the number of calls of the kernel that must come before they are known.
void Writer::Body::find_stages() {
  std::vector<std::size_t> level(graph.size(), 0);
  for (const NodeId id : function.order()) {
    for_each_operand(graph, id, [&](NodeId operand) { level[id] = std::max(level[id], level[operand]); });
    if (!is_sine(graph[id])) continue;
    const std::size_t before = level[id]++;
    if (stages.size() <= before) stages.resize(before + 1);
    std::vector<NodeId>& angles = stages[before].angles;
    if (stage_of.try_emplace(graph[id].a, before, angles.size()).second) angles.push_back(graph[id].a);
  }
  // Vectors of 32 bytes and no longer: while those of 64 are under way, scalars have one port of two (Intel).
  const std::size_t longest = writer.dialect_.single_precision ? 8 : 4;
  for (Stage& s : stages) {
    s.array = statements.fresh("sin_cos");
    for (std::size_t first = 0; first < s.angles.size();) {
      const std::size_t rest = s.angles.size() - first;
      const std::size_t width = lanes != 1 ? rest : rest > 4 ? longest : rest > 2 ? 4 : rest;
      s.pieces.push_back({first, width, s.size});
      s.size += 2 * width;
      first += width;
    }
  }
}

// sin_cos[3]: where a piece of the kernel's work has the sine or cosine of an angle.
std::string Writer::Body::sine(NodeId id) const {
  const auto [stage, k] = stage_of.at(graph[id].a);
  const Stage& s = stages[stage];
  const Piece& p = *std::find_if(s.pieces.begin(), s.pieces.end(), [k = k](const Piece& q) { return k < q.first + q.width; });
  return fmt::format("{}[{}]", s.array, p.at + (k - p.first) + (graph[id].op == Op::cos ? p.width : 0));
}

Writer::Body::Item Writer::Body::item_of(const Statement& s) const {
  Item item;
  item.statement = &s;
  const Node& n = graph[s.node];
  if (kernel && is_sine(n)) {
    item.reads = {stage_value(stage_of.at(n.a).first)};
    return item;
  }
  if (n.op == Op::input || n.op == Op::constant) return item;
  std::vector<NodeId> open{s.node};
  while (!open.empty()) {
    const NodeId now = open.back();
    open.pop_back();
    const Op op = graph[now].op;
    if (op != Op::constant && op != Op::input && op != Op::neg && op != Op::output) ++item.operations;
    for_each_operand(graph, now, [&](NodeId operand) {
      if (statements.variable(operand) == nullptr) open.push_back(operand);
    });
  }
  for (const NodeId id : statements.reads(s.node)) {
    if (statements.variable(id) != nullptr) item.reads.push_back(id);
  }
  return item;
}

// The function's order, but for each call of the kernel what its angles need comes first.
void Writer::Body::put_in_order() {
  std::vector<Item> all;
  std::map<ValueId, std::size_t> definition;  // value -> index in all
  for (const Statement& s : statements.list()) {
    all.push_back(item_of(s));
    if (!s.name.empty()) definition[s.node] = all.size() - 1;
  }
  std::vector<bool> done(all.size(), false);
  for (std::size_t k = 0; k < stages.size(); ++k) {
    Item call;
    call.stage = k;
    std::vector<bool> needed(all.size(), false);
    const auto need = [&](ValueId value) {
      if (const auto d = definition.find(value); d != definition.end()) needed[d->second] = true;
    };
    call.operations = static_cast<int>(60 * (lanes == 1 ? stages[k].pieces.size() : stages[k].angles.size()));
    for (const NodeId angle : stages[k].angles) {
      if (statements.variable(angle) != nullptr) {
        call.reads.push_back(angle);
      } else {
        for (const NodeId id : statements.reads(angle)) {
          if (statements.variable(id) != nullptr) call.reads.push_back(id);
        }
      }
    }
    std::sort(call.reads.begin(), call.reads.end());
    call.reads.erase(std::unique(call.reads.begin(), call.reads.end()), call.reads.end());
    for (const ValueId value : call.reads) need(value);
    for (std::size_t i = all.size(); i-- > 0;) {
      if (needed[i]) for (const ValueId value : all[i].reads) need(value);
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!needed[i] || done[i]) continue;
      items.push_back(all[i]);
      done[i] = true;
    }
    items.push_back(std::move(call));
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!done[i]) items.push_back(std::move(all[i]));
  }
}

// One item for all calls of a group, where the first of them is.
void Writer::Body::put_together(const CallsTogether& group) {
  Item* first = nullptr;
  for (std::size_t lane = 0; lane < group.calls.size(); ++lane) {
    const auto item = std::find_if(items.begin(), items.end(), [&](const Item& i) {
      return i.statement != nullptr && i.statement->node == group.calls[lane];
    });
    lane_of[item->statement->name] = {first == nullptr ? item->statement->name : first->statement->name, lane,
                                      static_cast<std::size_t>(group.lanes)};
    if (first == nullptr) {
      first = &*item;
      first->together = &group;
      continue;
    }
    first->reads.insert(first->reads.end(), item->reads.begin(), item->reads.end());
    first->operations += item->operations;
    item->operations = -1;  // to be taken out
  }
  std::erase_if(items, [](const Item& i) { return i.operations < 0; });
  // who reads one of them reads the array of all
  array_of[group.calls[0]] = graph.calls()[graph[group.calls[0]].a].function->output_size() * static_cast<std::size_t>(group.lanes);
  for (Item& item : items) {
    for (ValueId& value : item.reads) {
      if (std::find(group.calls.begin(), group.calls.end(), value) != group.calls.end()) value = group.calls[0];
    }
    std::sort(item.reads.begin(), item.reads.end());
    item.reads.erase(std::unique(item.reads.begin(), item.reads.end()), item.reads.end());
  }
}

// Everything behind what it reads, else as it was.
void Writer::Body::put_in_order_again() {
  std::vector<bool> known(graph.size() + stages.size(), true);
  const auto gives = [&](const Item& item, bool is_known) {
    if (item.statement == nullptr) known[stage_value(item.stage)] = is_known;
    else known[item.statement->node] = is_known;
  };
  for (const Item& item : items) gives(item, false);
  std::vector<Item> waiting = std::move(items);
  items.clear();
  while (!waiting.empty()) {
    std::vector<Item> later;
    for (Item& item : waiting) {
      if (std::all_of(item.reads.begin(), item.reads.end(), [&](ValueId v) { return known[v]; })) {
        gives(item, true);
        items.push_back(std::move(item));
      } else {
        later.push_back(std::move(item));
      }
    }
    require(later.size() < waiting.size(), "calls that run together do not wait for each other");
    waiting = std::move(later);
  }
}

void Writer::Body::write_together(std::string& out, const Item& item, bool crosses) {
  const CallsTogether& group = *item.together;
  const Function& called = *graph.calls()[graph[group.calls[0]].a].function;
  const std::string value = c_value(writer.dialect_, group.lanes), array = item.statement->name;
  std::vector<std::string> rows;
  for (std::size_t k = 0; k < called.input_size(); ++k) {
    std::vector<std::string> row;
    for (const NodeId call : group.calls) row.push_back(statements.use(graph.calls()[graph[call].a].arguments[k]));
    while (row.size() < static_cast<std::size_t>(group.lanes)) row.push_back(row.back());
    const bool same = std::all_of(row.begin(), row.end(), [&](const std::string& x) { return x == row[0]; });
    rows.push_back(same ? fmt::format("{}_all({})", value, row[0]) : fmt::format("{{{}}}", fmt::join(row, ", ")));
  }
  const std::string in = statements.fresh(array + "_in");
  out += fmt::format("  const {} {}[{}] = {{\n", value, in, rows.size());
  for (const std::string& row : rows) add_line(out, row + ",", 6);
  out += "  };\n";
  // vectors for the function, numbers for all others: compilers let the ones be seen as the others
  add_line(out, crosses ? this->array(array, size_of(item.statement->node), true, item.statement->node)
                        : fmt::format("{} {}[{}] {};", real, array, size_of(item.statement->node), kAligned), 2);
  add_line(out, fmt::format("{}({}, {});", writer.nested_.at({&called, group.lanes}), pieces(called.inputs(), in),
                            pieces(called.outputs(), fmt::format("({} *){}", value, array))), 2);
}

void Writer::Body::cut() {
  int total = 0;
  for (const Item& item : items) total += item.operations;
  const int longest = writer.dialect_.longest_function;
  if (total <= longest) return;
  const int wanted = (total + longest - 1) / longest, share = total / wanted + 1;
  int so_far = 0, at_cut = 0;
  std::map<ValueId, std::size_t> home;
  for (Item& item : items) {
    if (so_far / share > at_cut / share) {
      ++parts;  // and no more than one, however long the last item was
      at_cut = so_far;
    }
    item.part = parts - 1;
    so_far += item.operations;
    for (const ValueId value : item.reads) {
      if (home.at(value) == item.part || slots.contains(value)) continue;
      if (array_of.contains(value)) slot_count = (slot_count + 7) / 8 * 8;
      slots[value] = slot_count;
      slot_count += size_of(value);
    }
    if (item.statement == nullptr) home[stage_value(item.stage)] = item.part;
    else if (!item.statement->name.empty()) home[item.statement->node] = item.part;
  }
  passed = statements.fresh("passed");
}

std::size_t Writer::Body::size_of(ValueId value) const {
  if (value >= graph.size()) return stages[value - graph.size()].size;
  if (const auto a = array_of.find(value); a != array_of.end()) return a->second;
  const Node& n = graph[static_cast<NodeId>(value)];
  if (n.op == Op::call) return graph.calls()[n.a].function->output_size();
  if (n.op == Op::solve) return 2 * graph.solves()[n.a].guess.size();
  return 1;
}

std::string Writer::Body::name_of(ValueId value) const {
  return value >= graph.size() ? stages[value - graph.size()].array : *statements.variable(static_cast<NodeId>(value));
}

// static void NAME_part1(const double *restrict q, double *restrict passed, double *restrict tau), or a call of it
std::string Writer::Body::part_signature(std::size_t part, bool call) const {
  std::set<std::size_t> inputs, outputs;
  const auto read_input = [&](NodeId id) {
    if (graph[id].op == Op::input) inputs.insert(place(function.inputs(), graph[id].a).group);
  };
  for (const Item& item : items) {
    if (item.part != part) continue;
    if (item.statement == nullptr) {
      for (const NodeId angle : stages[item.stage].angles) {
        if (statements.variable(angle) != nullptr) continue;
        read_input(angle);
        for (const NodeId id : statements.reads(angle)) {
          if (statements.variable(id) == nullptr) read_input(id);
        }
      }
      continue;
    }
    const Statement& s = *item.statement;
    for (const std::size_t r : s.results) outputs.insert(place(function.outputs(), r).group);
    if (kernel && is_sine(graph[s.node])) continue;
    read_input(s.node);
    for (const NodeId id : statements.reads(s.node)) {
      if (statements.variable(id) == nullptr) read_input(id);
    }
  }
  const std::string restricted = writer.dialect_.cpp ? " *__restrict " : " *restrict ";
  std::vector<std::string> arguments;
  for (const std::size_t g : inputs) {
    arguments.push_back((call ? "" : "const " + real + restricted) + statements.input_names()[g]);
  }
  arguments.push_back((call ? "" : real + restricted) + passed);
  for (const std::size_t g : outputs) arguments.push_back((call ? "" : real + restricted) + statements.output_names()[g]);
  return fmt::format("{}{}_part{}({})", call ? "" : "LW_PART static void ", name, part + 1, fmt::join(arguments, ", "));
}

std::string Writer::Body::write(const std::string& signature) {
  std::string out;
  if (parts > 1) {
    for (std::size_t part = 0; part < parts; ++part) {
      add_line(out, part_signature(part, false) + " {", 0);
      write_items(out, part);
      out += "}\n\n";
    }
  }
  add_line(out, signature + " {", 0);
  std::vector<bool> read(function.inputs().size(), false);
  for (const NodeId id : function.order()) {
    if (graph[id].op == Op::input) read[place(function.inputs(), graph[id].a).group] = true;
  }
  for (std::size_t g = 0; g < read.size(); ++g) {
    if (!read[g]) add_line(out, fmt::format("(void){};", statements.input_names()[g]), 2);
  }
  for (std::size_t g = 0; g < function.outputs().size(); ++g) {
    if (function.outputs()[g].size == 0) add_line(out, fmt::format("(void){};", statements.output_names()[g]), 2);
  }
  if (parts > 1) {
    add_line(out, fmt::format("{} {}[{}]{}{};", real, passed, std::max<std::size_t>(slot_count, 1), array_of.empty() ? "" : " ",
                              array_of.empty() ? "" : kAligned), 2);
    for (std::size_t part = 0; part < parts; ++part) add_line(out, part_signature(part, true) + ";", 2);
  } else {
    write_items(out, 0);
  }
  out += "}\n";
  return out;
}

// The link that a value belongs to by its name (omega2_x: 2), or nothing.
std::string Writer::Body::link_of(const Item& item) const {
  const std::string* given = item.statement == nullptr ? nullptr : graph.name_of(item.statement->node);
  const std::size_t first = given == nullptr ? std::string::npos : given->find_first_of("0123456789_");
  if (first == std::string::npos || (*given)[first] == '_') return {};
  return given->substr(first, given->find_first_not_of("0123456789", first) - first);
}

// Whether three named values in a row, from here on, are of one link: worth a heading.
bool Writer::Body::begins_section(std::size_t at, const std::string& link) const {
  int found = 0;
  for (; at < items.size() && found < 3; ++at) {
    const std::string other = link_of(items[at]);
    if (other == link) ++found;
    else if (!other.empty()) return false;
  }
  return found == 3;
}

void Writer::Body::write_items(std::string& out, std::size_t part) {
  std::set<ValueId> here;
  std::string section;
  for (std::size_t at = 0; at < items.size(); ++at) {
    const Item& item = items[at];
    if (item.part != part) continue;
    if (const std::string link = link_of(item); !link.empty() && link != section && begins_section(at, link)) {
      section = link;
      out += fmt::format("\n  /* link {} */\n", link);
    }
    for (const ValueId value : item.reads) {
      const auto slot = slots.find(value);
      if (slot == slots.end() || !here.insert(value).second) continue;
      if (size_of(value) == 1) add_line(out, fmt::format("const {} {} = {}[{}];", real, name_of(value), passed, slot->second), 2);
      else add_line(out, fmt::format("const {} *const {} = {} + {};", real, name_of(value), passed, slot->second), 2);
    }
    const ValueId own = item.statement == nullptr ? stage_value(item.stage) : ValueId{item.statement->node};
    here.insert(own);
    write_item(out, item, slots.contains(own));
  }
}

std::string Writer::Body::array(const std::string& called, std::size_t size, bool crosses, ValueId value) const {
  return crosses ? fmt::format("{} *const {} = {} + {};", real, called, passed, slots.at(value))
                 : fmt::format("{} {}[{}];", real, called, size);
}

// A use of a node where no expression stands around it: a constant must then be said to be in every lane.
std::string Writer::Body::value_of(NodeId id) const {
  const std::string text = statements.use(id);
  return lanes == 1 || graph[id].op != Op::constant ? text : fmt::format("{}_all({})", real, text);
}

// sin_cos of one angle a lane, or of the angles of many states.
void Writer::Body::write_sines(std::string& out, const Stage& stage) {
  const bool fused = function.arithmetic().fused;
  if (lanes != 1) {
    std::vector<std::string> list;
    for (const NodeId angle : stage.angles) list.push_back(value_of(angle));
    const std::string angles = statements.fresh("angles");
    add_line(out, fmt::format("const {} {}[{}] = {{{}}};", real, angles, list.size(), fmt::join(list, ", ")), 2);
    add_line(out, fmt::format("{0}_{1}sincos({2}, {3}, {4}, {4} + {2});", real, fused ? "fused_" : "", list.size(), angles,
                              stage.array), 2);
    writer.needs.lanes[lanes].sincos[fused] = true;
    return;
  }
  for (const Piece& p : stage.pieces) {
    std::vector<std::string> angles;
    for (std::size_t k = p.first; k < p.first + p.width; ++k) {
      angles.push_back(k < stage.angles.size() ? statements.use(stage.angles[k])
                       : writer.dialect_.single_precision ? "0.0f" : "0.0");
    }
    add_line(out, fmt::format("lw_{}sincos{}({}{}, {});", fused ? "fused_" : "", p.width, stage.array,
                              p.at > 0 ? fmt::format(" + {}", p.at) : "", fmt::join(angles, ", ")), 2);
    writer.needs.sincos[fused].insert(p.width);
  }
}

void Writer::Body::write_item(std::string& out, const Item& item, bool crosses) {
  if (item.statement == nullptr) {
    const Stage& stage = stages[item.stage];
    add_line(out, array(stage.array, stage.size, crosses, stage_value(item.stage)), 2);
    return write_sines(out, stage);
  }
  const Statement& s = *item.statement;
  const Node& n = graph[s.node];
  if (item.together != nullptr) return write_together(out, item, crosses);
  if (n.op == Op::call || n.op == Op::solve) return write_nested(out, item, crosses);
  std::string value = kernel && is_sine(n) ? sine(s.node) : n.op == Op::constant ? value_of(s.node) : statements.text(s.node);
  if (!s.name.empty()) {
    add_line(out, fmt::format("const {} {} = {};", real, s.name, value), 2);
    if (crosses) add_line(out, fmt::format("{}[{}] = {};", passed, slots.at(s.node), s.name), 2);
    value = s.name;
  }
  for (const std::size_t r : s.results) add_line(out, fmt::format("{} = {};", statements.result(r), value), 2);
}

// A call or a solve: all its arguments in an array, all that it gives in another.
void Writer::Body::write_nested(std::string& out, const Item& item, bool crosses) {
  const Statement& s = *item.statement;
  const Node& n = graph[s.node];
  std::vector<std::string> values;
  for_each_operand(graph, s.node, [&](NodeId a) { values.push_back(value_of(a)); });
  if (values.empty()) values.push_back("0");
  const std::string in = statements.fresh(s.name + "_in");
  add_line(out, fmt::format("const {} {}[{}] = {{{}}};", real, in, values.size(), fmt::join(values, ", ")), 2);
  add_line(out, array(s.name, size_of(s.node), crosses, s.node), 2);
  if (n.op == Op::solve) {
    const Solve& solve = graph.solves()[n.a];
    const std::string call = fmt::format("{}_newton({}, ", writer.nested_.at({solve.residual.get(), 1}), solve.steps);
    if (lanes == 1) {
      add_line(out, fmt::format("{}{}, {});", call, in, s.name), 2);
    } else {  // each lane pivots as it must
      std::string loop = kLaneByLane;
      replace_all(loop, "@lanes", fmt::format("(int)(sizeof {}[0] / sizeof(REAL))", in));
      choose_precision(loop, writer.dialect_);
      replace_all(loop, "@ins", std::to_string(values.size()));
      replace_all(loop, "@outs", std::to_string(size_of(s.node)));
      replace_all(loop, "@newton(", call);
      replace_all(loop, "@in", in);
      replace_all(loop, "@out", s.name);
      out += loop;
    }
  } else {
    const Function& called = *graph.calls()[n.a].function;
    add_line(out, fmt::format("{}({}, {});", writer.nested_.at({&called, lanes}), pieces(called.inputs(), in),
                              pieces(called.outputs(), s.name)), 2);
  }
}

std::string signature(const Statements& names, const std::string& name, const CDialect& dialect, bool restricted,
                      int lanes = 1) {
  const char* star = !restricted ? " *" : dialect.cpp ? " *__restrict " : " *restrict ";
  const std::string value = c_value(dialect, lanes);
  std::vector<std::string> arguments;
  for (const std::string& g : names.input_names()) arguments.push_back(fmt::format("const {}{}{}", value, star, g));
  for (const std::string& g : names.output_names()) arguments.push_back(fmt::format("{}{}{}", value, star, g));
  return fmt::format("void {}({})", name, arguments.empty() ? "void" : fmt::format("{}", fmt::join(arguments, ", ")));
}

// A function that is mostly calls: values live in one array, and calls in a row become a loop. Of one function, it finds its
// arguments there by arithmetic, or by a table where there is no rule; of several, all by tables.
class Writer::Loops {
 public:
  Loops(Writer& writer, const Function& function, const std::string& name)
      : writer_(writer),
        function_(function),
        graph_(function.graph()),
        name_(name),
        real_(writer.dialect_.real()),
        kernel_(function.arithmetic().trigonometry == Arithmetic::Trigonometry::own),
        statements_(function, language()) {}

  static bool are_worth_it(const Function& function) {
    int calls = 0;
    for (const NodeId id : function.order()) calls += function.graph()[id].op == Op::call ? 1 : 0;
    return calls > 32;
  }

  // Tables first, then the function.
  std::string write() {
    for (const NodeId id : function_.order()) {
      if (graph_[id].op == Op::call) place_[id] = claim(graph_.calls()[graph_[id].a].function->output_size());
    }
    for (const Statement& s : statements_.list()) {
      if (!s.name.empty()) call_named_[s.name] = s.node;
    }
    std::string results;
    for (const Statement& s : statements_.list()) {
      const Op op = graph_[s.node].op;
      if (op == Op::call) {
        add_to_run(s.node);
        continue;
      }
      if (s.name.empty() && (op == Op::output || op == Op::input || op == Op::constant)) {  // of all that is known at the end
        for (const std::size_t r : s.results) add_line(results, fmt::format("{} = {};", statements_.result(r), statements_.text(s.node)), 2);
        continue;
      }
      write_run();
      if (s.name.empty()) {
        for (const std::size_t r : s.results) add_line(body_, fmt::format("{} = {};", statements_.result(r), statements_.text(s.node)), 2);
        continue;
      }
      const std::string value = kernel_ && is_sine(graph_[s.node]) ? sine(s.node) : statements_.text(s.node);
      add_line(body_, fmt::format("const {} {} = {};", real_, s.name, value), 2);
      for (const std::size_t r : s.results) add_line(body_, fmt::format("{} = {};", statements_.result(r), s.name), 2);
    }
    write_run();
    std::string out = tables_ + "\n";
    add_line(out, signature(statements_, name_, writer_.dialect_, true) + " {", 0);
    add_line(out, fmt::format("{} values[{}];", real_, std::max<std::size_t>(size_, 1)), 2);
    for (const auto& [id, place] : place_) {
      const Op op = graph_[id].op;
      if (op == Op::input || op == Op::constant) add_line(out, fmt::format("values[{}] = {};", place, statements_.use(id)), 2);
    }
    return out + body_ + results + "}\n";
  }
  const Statements& names() const { return statements_; }

 private:
  Language language() {
    Language c = c_language(writer_.dialect_, kernel_, writer_.needs, writer_.symbols_, 1);
    c.reserved.insert("values");
    c.element = [this](const std::string& array, std::size_t index) {
      const auto call = call_named_.find(array);
      return call == call_named_.end() ? fmt::format("{}[{}]", array, index)
                                       : fmt::format("values[{}]", place_.at(call->second) + index);
    };
    return c;
  }

  // Of an angle that only one link has, by a call of the kernel for it alone.
  std::string sine(NodeId id) {
    const NodeId angle = graph_[id].a;
    if (!sines_.contains(angle)) {
      const bool fused = function_.arithmetic().fused;
      const std::string array = sines_[angle] = statements_.fresh("sin_cos");
      add_line(body_, fmt::format("{} {}[2];", real_, array), 2);
      add_line(body_, fmt::format("lw_{}sincos1({}, {});", fused ? "fused_" : "", array, statements_.use(angle)), 2);
      writer_.needs.sincos[fused].insert(1);
    }
    return fmt::format("{}[{}]", sines_[angle], graph_[id].op == Op::cos ? 1 : 0);
  }

  std::size_t claim(std::size_t count) {
    size_ += count;
    return size_ - count;
  }

  const Function& called(NodeId call) const { return *graph_.calls()[graph_[call].a].function; }
  static std::size_t variables(const Function& f) { return f.inputs().empty() ? 0 : f.inputs()[0].size; }

  void add_to_run(NodeId call) {
    for (const NodeId a : graph_.calls()[graph_[call].a].arguments) {
      const Op op = graph_[a].op;
      if (op == Op::output || place_.contains(a)) continue;
      if (op != Op::input && op != Op::constant) {  // is made here: before the call, and behind what it may need itself
        write_run();
        place_[a] = claim(1);
        add_line(body_, fmt::format("values[{}] = {};", place_[a], statements_.use(a)), 2);
      } else if (op == Op::input) {
        place_[a] = claim(1);
      }
    }
    run_.push_back(call);
  }

  long place_of(NodeId id) {
    if (graph_[id].op == Op::output) return static_cast<long>(place_.at(graph_[id].a) + graph_[id].b);
    if (!place_.contains(id)) place_[id] = claim(1);  // a number where others have a variable
    return static_cast<long>(place_.at(id));
  }

  const std::vector<NodeId>& arguments(NodeId call) const { return graph_.calls()[graph_[call].a].arguments; }

  void write_run() {
    if (run_.empty()) return;
    const std::vector<NodeId> run = std::exchange(run_, {});
    const std::string label = fmt::format("{}_run{}", name_, ++runs_);
    std::vector<const Function*> functions;  // that occur
    for (const NodeId call : run) {
      if (std::find(functions.begin(), functions.end(), &called(call)) == functions.end()) functions.push_back(&called(call));
    }
    if (functions.size() == 1) write_loop(run, label);
    else write_loop_over(functions, run, label);
  }

  template <class Number>
  void write_table(const char* type, const std::string& name, const std::vector<std::vector<Number>>& rows) {
    tables_ += fmt::format("\nstatic const {} {}[{}][{}] = {{\n", type, name, rows.size(), rows[0].size());
    for (const auto& row : rows) add_line(tables_, fmt::format("{{{}}},", fmt::join(row, ", ")), 4);
    tables_ += "};\n";
  }

  std::vector<std::string> numbers_of(NodeId call) const {
    std::vector<std::string> row;
    for (std::size_t k = variables(called(call)); k < called(call).input_size(); ++k) row.push_back(statements_.use(arguments(call)[k]));
    return row;
  }

  // Calls of one function: the i-th one finds an argument in values[first + step * i], or else by a table.
  void write_loop(const std::vector<NodeId>& run, const std::string& label) {
    const Function& f = called(run[0]);
    const auto by_rule = [&](const std::vector<long>& places) -> std::string {
      const long step = places.size() > 1 ? places[1] - places[0] : 0;
      for (std::size_t i = 1; i < places.size(); ++i) {
        if (places[i] - places[i - 1] != step) return "";
      }
      return step == 0 ? fmt::format("{}", places[0]) : fmt::format("{} {} {} * i", places[0], step < 0 ? "-" : "+", std::abs(step));
    };
    std::vector<std::vector<long>> odd(run.size());
    const auto found = [&](const std::function<long(NodeId)>& place) {
      std::vector<long> places;
      for (const NodeId call : run) places.push_back(place(call));
      const std::string rule = by_rule(places);
      if (!rule.empty()) return rule;
      for (std::size_t i = 0; i < run.size(); ++i) odd[i].push_back(places[i]);
      return fmt::format("{}_from[i][{}]", label, odd[0].size() - 1);
    };
    std::vector<std::string> loads;
    for (std::size_t k = 0; k < variables(f); ++k) {
      loads.push_back(fmt::format("values[{}]", found([&](NodeId call) { return place_of(arguments(call)[k]); })));
    }
    const std::string to = found([&](NodeId call) { return static_cast<long>(place_.at(call)); });
    if (!odd[0].empty()) write_table("int", label + "_from", odd);
    add_line(body_, fmt::format("for (int i = 0; i < {}; ++i) {{", run.size()), 2);
    if (!loads.empty()) add_line(body_, fmt::format("const {} in[{}] = {{{}}};", real_, loads.size(), fmt::join(loads, ", ")), 4);
    std::string numbers;
    if (variables(f) < f.input_size()) {
      std::vector<std::vector<std::string>> rows;
      for (const NodeId call : run) rows.push_back(numbers_of(call));
      write_table(real_.c_str(), label + "_k", rows);
      numbers = label + "_k[i]";
    }
    add_line(body_, call_text(f, loads.empty() ? "values" : "in", numbers, fmt::format("values + ({})", to)), 4);
    body_ += "  }\n";
  }

  std::string call_text(const Function& f, const std::string& in, const std::string& numbers, const std::string& out) const {
    std::vector<std::string> passed;
    if (!f.inputs().empty()) passed.push_back(in);
    if (f.inputs().size() > 1) passed.push_back(numbers);
    passed.push_back(out);
    return fmt::format("{}({});", writer_.nested_.at({&f, 1}), fmt::join(passed, ", "));
  }

  // Calls of several functions in a row: which, where to, and from where.
  void write_loop_over(const std::vector<const Function*>& functions, const std::vector<NodeId>& run, const std::string& label) {
    std::size_t widest = 0, most = 0;
    for (const Function* f : functions) {
      widest = std::max(widest, variables(*f));
      most = std::max(most, f->input_size() - variables(*f));
    }
    std::vector<std::vector<long>> from;
    std::vector<std::vector<std::string>> numbers;
    for (const NodeId call : run) {
      const auto which = std::find(functions.begin(), functions.end(), &called(call)) - functions.begin();
      std::vector<long>& row = from.emplace_back(std::vector<long>{static_cast<long>(which), static_cast<long>(place_.at(call))});
      for (std::size_t k = 0; k < variables(called(call)); ++k) row.push_back(place_of(arguments(call)[k]));
      row.resize(widest + 2, 0);
      numbers.push_back(numbers_of(call));
      numbers.back().resize(most, "0");
    }
    write_table("int", label + "_from", from);
    if (most > 0) write_table(real_.c_str(), label + "_k", numbers);
    add_line(body_, fmt::format("for (int i = 0; i < {}; ++i) {{", run.size()), 2);
    add_line(body_, fmt::format("const int *const from = {}_from[i];", label), 4);
    add_line(body_, fmt::format("{} in[{}];", real_, std::max<std::size_t>(widest, 1)), 4);
    add_line(body_, "switch (from[0]) {", 4);
    for (std::size_t k = 0; k < functions.size(); ++k) {
      const Function& f = *functions[k];
      add_line(body_, k + 1 < functions.size() ? fmt::format("case {}:", k) : "default:", 6);
      add_line(body_, fmt::format("for (int k = 0; k < {}; ++k) in[k] = values[from[k + 2]];", variables(f)), 8);
      add_line(body_, call_text(f, "in", label + "_k[i]", "values + from[1]"), 8);
      add_line(body_, "break;", 8);
    }
    body_ += "    }\n  }\n";
  }

  Writer& writer_;
  const Function& function_;
  const Graph& graph_;
  const std::string& name_;
  std::string real_;
  bool kernel_;
  std::map<NodeId, std::string> sines_;
  std::map<std::string, NodeId> call_named_;
  std::map<NodeId, std::size_t> place_;  // in the array of values: of a call's first output, of inputs and others
  std::size_t size_ = 0;
  std::vector<NodeId> run_;  // calls of one function, not yet written
  int runs_ = 0;
  std::string tables_, body_;
  Statements statements_;
};

void Writer::define(const Function& function, const std::string& name, bool is_static, int lanes) {
  if (lanes != 1) needs.lanes.try_emplace(lanes);
  std::vector<CallsTogether> groups;
  if (lanes == 1 && dialect_.calls_in_lanes && !Loops::are_worth_it(function)) groups = calls_together(function);
  std::map<NodeId, int> lanes_of;
  for (const CallsTogether& g : groups) {
    for (const NodeId call : g.calls) lanes_of[call] = g.lanes;
  }
  for (const NodeId id : function.order()) {
    const Node& n = function.graph()[id];
    if (n.op == Op::call) nested(*function.graph().calls()[n.a].function, lanes_of.contains(id) ? lanes_of[id] : lanes);
    if (n.op == Op::solve) newton(*function.graph().solves()[n.a].residual);
  }
  if (lanes == 1 && Loops::are_worth_it(function)) {
    std::string loops = Loops(*this, function, name).write();
    if (is_static) replace_all(loops, "\nvoid " + name + "(", "\nstatic void " + name + "(");
    text += loops;
    return;
  }
  const bool kernel = function.arithmetic().trigonometry == Arithmetic::Trigonometry::own;
  Body body(*this, function, kernel, name, lanes, groups);
  text += "\n" + body.write((is_static ? "static " : "") + signature(body.statements, name, dialect_, true, lanes));
}

const char* kHelpers = R"(static inline REAL lw_min(REAL a, REAL b) { return b < a ? b : a; }
static inline REAL lw_max(REAL a, REAL b) { return a < b ? b : a; }
static inline REAL lw_less(REAL a, REAL b) { return a < b ? ONE : ZERO; }
static inline REAL lw_select(REAL condition, REAL a, REAL b) { return condition != ZERO ? a : b; }
)";

std::string helpers(const std::set<Op>& ops, const CDialect& dialect) {
  std::string text, all = kHelpers;
  choose_precision(all, dialect);
  for (const Op op : ops) {
    const std::size_t name = all.find(std::string("lw_") + function_name(op) + "(");
    const std::size_t begin = all.rfind('\n', name) == std::string::npos ? 0 : all.rfind('\n', name) + 1;
    text += all.substr(begin, all.find('\n', name) + 1 - begin);
  }
  return text;
}

// lw_sincos4(s, a, b, c, d): four sines, then four cosines. The angles become a vector without a detour over memory, where
// loading a vector would wait for the stores of its elements.
std::string sincos_of(std::size_t width, const CDialect& dialect) {
  const char* letters = "abcdefgh";
  std::vector<std::string> names, arguments;
  for (std::size_t k = 0; k < width; ++k) {
    names.emplace_back(1, letters[k]);
    arguments.push_back(fmt::format("{} {}", dialect.real(), letters[k]));
  }
  const std::string list = fmt::format("{{{}}}", fmt::join(names, ", "));
  std::string text = fmt::format("\nstatic inline void lw_sincos{}({} *sine, {}) {{\n", width, dialect.real(),
                                 fmt::join(arguments, ", "));
  if (width == 1) {
    text += fmt::format("  const {} x[1] = {};\n", dialect.real(), list);
  } else {
    text += fmt::format(
        "#ifdef __GNUC__\n  typedef {0} lw_lanes __attribute__((vector_size({1} * sizeof({0}))));\n"
        "  const lw_lanes lanes = {2};\n  {0} x[{1}];\n  __builtin_memcpy(x, &lanes, sizeof x);\n"
        "#else\n  const {0} x[{1}] = {2};\n#endif\n", dialect.real(), width, list);
  }
  return text + fmt::format("  lw_sincos{0}({1}, x, sine, sine + {1});\n}}\n", dialect.single_precision ? "f" : "", width);
}

// Functions of the library lane by lane: no vector instruction has their bits.
constexpr const char* kLibrary = R"(LW_INLINE VALUE VALUE_NAME_(ARGUMENTS) {
  for (int k = 0; k < LANES; ++k) a[k] = CALL;
  return a;
}
#define VALUE_NAME(LIST) VALUE_NAME_(WRAPPED)
)";

std::string library_of(Op op, int lanes, const CDialect& dialect) {
  const bool two = op == Op::atan2;
  std::string text = kLibrary;
  replace_all(text, "ARGUMENTS", two ? "VALUE a, VALUE b" : "VALUE a");
  replace_all(text, "WRAPPED", two ? "VALUE_all(a), VALUE_all(b)" : "VALUE_all(a)");
  replace_all(text, "LIST", two ? "a, b" : "a");
  replace_all(text, "CALL", library_name(op, dialect) + (two ? "(a[k], b[k])" : "(a[k])"));
  replace_all(text, "NAME", function_name(op));
  replace_all(text, "VALUE", c_value(dialect, lanes));
  replace_all(text, "LANES", lanes == 0 ? "LW_LANES" : std::to_string(lanes));
  return text;
}

// The type lw_v4 and all that functions over it need.
std::string lanes_text(int lanes, const LanesNeeds& needs, const CDialect& dialect) {
  const std::string value = c_value(dialect, lanes);
  std::string text = lanes_kernel_text(dialect.single_precision);
  if (lanes != 0) {
    replace_all(text, "LW_LANES", std::to_string(lanes));
    replace_all(text, "lw_v", value);
  }
  for (const Op op : needs.library) text += library_of(op, lanes, dialect);
  for (const bool fused : {false, true}) {
    if (!needs.sincos[fused]) continue;
    std::string kernel = dialect.single_precision ? sincosf_kernel_text() : sincos_kernel_text();
    kernel = kernel.substr(kernel.find("*/\n") + 3);  // what it is about stands in the scalar kernel, or in the docs
    replace_all(kernel, dialect.single_precision ? "lw_sincosf" : "lw_sincos", value + (fused ? "_fused_sincos" : "_sincos"));
    replace_all(kernel, dialect.single_precision ? "LW_FMAF" : "LW_FMA", value + "_fma");
    text += fmt::format(
        "\n#define LW_SINCOS_FUSED {}\n#define LW_NUMBER {}\n#define LW_WORD {}_bits\n#define LW_BITS(x) (({}_bits)(x))\n"
        "#define LW_OF_BITS(b) (({})(b))\n{}#undef LW_SINCOS_FUSED\n", fused ? "LW_HAS_FMA" : "0", value, value, value,
        value, kernel);
  }
  return text;
}

constexpr const char* kVectors = R"(
/* bytes of the longest vectors that this is compiled for */
#if defined(__AVX512F__)
#define LW_VECTOR 64
#elif defined(__AVX__)
#define LW_VECTOR 32
#else
#define LW_VECTOR 16
#endif
#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif
)";

constexpr const char* kPart = R"(
/* parts stay apart: in one piece they would take the compiler long */
#ifdef __GNUC__
#define LW_PART __attribute__((noinline))
#else
#define LW_PART
#endif
)";

// Two kernels in one file, with fused multiply-adds and without, need names of their own.
std::string kernel_text(bool fused, const std::set<std::size_t>& widths, const CDialect& dialect) {
  std::string text = dialect.single_precision ? sincosf_kernel_text() : sincos_kernel_text();
  for (const std::size_t width : widths) text += sincos_of(width, dialect);
  if (fused) replace_all(text, "lw_", "lw_fused_");
  return fmt::format("#define LW_SINCOS_FUSED {}\n{}#undef LW_SINCOS_FUSED\n", fused ? "LW_HAS_FMA" : "0", text);
}

}  // namespace

bool is_word_of_c(const std::string& name) { return kReserved.contains(name); }

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) text.replace(at, what.size(), by);
}

std::string c_name(const Program& program, const CDialect& dialect) {
  return program.name + (dialect.single_precision ? "f" : "");
}

std::string c_value(const CDialect& dialect, int lanes) {
  return lanes == 1 ? dialect.real() : lanes == 0 ? "lw_v" : "lw_v" + std::to_string(lanes);
}

std::string c_over_lanes(const std::string& name, int lanes) {
  return lanes == 1 ? name : lanes == 0 ? name + "_lanes" : name + "_x" + std::to_string(lanes);
}

std::string c_function(const Program& program, const Function& function, const CDialect& dialect) {
  Program named;
  named.name = c_name(program, dialect);
  const std::string full = symbol(named, function);
  return dialect.cpp ? full.substr(named.name.size() + 1) : full;
}

std::vector<std::string> c_arguments(const Function& function, const CDialect& dialect) {
  Needs needs;
  const Statements statements(function, c_language(dialect, false, needs, {}, 1));
  std::vector<std::string> names = statements.input_names();
  names.insert(names.end(), statements.output_names().begin(), statements.output_names().end());
  return names;
}

std::string c_declaration(const Program& program, const Function& function, const CDialect& dialect) {
  Needs needs;
  const Statements names(function, c_language(dialect, false, needs, {}, 1));
  return signature(names, c_function(program, function, dialect), dialect, false);
}

std::string c_comment(const std::vector<std::string>& lines) {
  std::string text;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    std::string line = lines[k];
    for (std::size_t at = 0; (at = line.find("*/", at)) != std::string::npos;) line.replace(at, 2, "* /");
    text += (k == 0 ? "/*" : " *") + (line.empty() ? "" : " " + line) + "\n";
  }
  return text + " */\n";
}

namespace {

// What a writer's text needs before it, in a namespace or not.
std::string helpers_of(const Needs& needs, const CDialect& dialect) {
  std::string text;
  if (!needs.helpers.empty()) text += "\n" + helpers(needs.helpers, dialect);
  for (const bool fused : {false, true}) {
    if (!needs.sincos[fused].empty()) text += "\n" + kernel_text(fused, needs.sincos[fused], dialect);
  }
  for (const auto& [lanes, used] : needs.lanes) text += "\n" + lanes_text(lanes, used, dialect);
  return text;
}

// Macros and headers.
std::string preamble(const Writer& writer, const CDialect& dialect) {
  const Needs& needs = writer.needs;
  std::string text;
  bool math = needs.math, fused = needs.fma || !needs.sincos[1].empty();
  for (const auto& [lanes, used] : needs.lanes) math = math || !used.library.empty();
  if (math) text += dialect.cpp ? "\n#include <cmath>\n" : "\n#include <math.h>\n";
  if (fused || !needs.lanes.empty()) {
    const char* f = dialect.single_precision ? "f" : "";
    const char* F = dialect.single_precision ? "F" : "";
    text += fmt::format(
        "\n/* a b + c rounded once; without the instruction the last bits differ */\n"
        "#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)\n"
        "#define LW_HAS_FMA 1\n#define LW_FMA{1}(a, b, c) __builtin_fma{0}(a, b, c)\n"
        "#else\n#define LW_HAS_FMA 0\n#define LW_FMA{1}(a, b, c) ((a) * (b) + (c))\n#endif\n", f, F);
  }
  if (!needs.lanes.empty()) text += kVectors;
  if (writer.text.find("LW_PART") != std::string::npos) text += kPart;
  return text;
}

}  // namespace

std::string c_source(const Program& program, const CDialect& dialect, const std::string& header) {
  Writer writer(program, dialect);
  for (const Function& f : program.functions) writer.define(f, c_function(program, f, dialect), false);
  std::string text = fmt::format("#include \"{}\"\n", header) + preamble(writer, dialect);
  if (dialect.cpp) text += fmt::format("\nnamespace {} {{\n", c_name(program, dialect));
  text += helpers_of(writer.needs, dialect) + writer.text;
  if (dialect.cpp) text += fmt::format("\n}}  // namespace {}\n", c_name(program, dialect));
  return text;
}

LanesSource c_lanes_source(const Program& program, const CDialect& dialect, int lanes) {
  Writer writer(program, dialect);
  for (const Function& f : program.functions) {
    writer.define(f, c_over_lanes(c_function(program, f, dialect), lanes), true, lanes);
  }
  return {preamble(writer, dialect), helpers_of(writer.needs, dialect) + writer.text};
}

}  // namespace lw
