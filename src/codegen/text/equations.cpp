#include "equations.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include <fmt/format.h>

#include "../functions/function_row.hpp"

namespace lw {
namespace {

constexpr Meaning kMeanings[] = {
    {"q", "q", "q", "joint position", "rad or m"},
    {"qd", "\\dot q", "q\u0307", "joint velocity", "rad/s or m/s"},
    {"qdd", "\\ddot q", "q\u0308", "joint acceleration", "rad/s² or m/s²"},
    {"tau", "\\tau", "τ", "joint torque or force", "N m or N", Sweep::inward},
    {"bias", "h", "h", "Coriolis, centrifugal and gravity torque or force", "N m or N", Sweep::inward},
    {"p", "p", "p", "parameter", ""},
    {"sin", "s", "s", "sine of a joint angle, or of a sum of them", ""},
    {"cos", "c", "c", "cosine of a joint angle, or of a sum of them", ""},
    {"R", "R", "R", "rotation from a link to its parent", "", Sweep::outward},
    {"r", "r", "r", "position of an origin", "m", Sweep::outward},
    {"omega", "\\omega", "ω", "angular velocity", "rad/s", Sweep::outward},
    {"omegac", "{\\omega'}", "ω′", "angular velocity, in the carrier's axes", "rad/s", Sweep::outward},
    {"v", "v", "v", "velocity of the origin", "m/s", Sweep::outward},
    {"alpha", "\\alpha", "α", "angular acceleration", "rad/s²", Sweep::outward},
    {"U", "U", "U", "acceleration tensor", "1/s²", Sweep::outward},
    {"Uc", "{U'}", "U′", "acceleration tensor, in the carrier's axes", "1/s²", Sweep::outward},
    {"a", "a", "a", "acceleration of the origin, less gravity", "m/s²", Sweep::outward},
    {"ac", "{a'}", "a′", "acceleration of the origin, less gravity, in the carrier's axes", "m/s²", Sweep::outward},
    {"F", "F", "F", "force of inertia", "N", Sweep::inward},
    {"N", "N", "N", "moment of inertial forces", "N m", Sweep::inward},
    {"f", "f", "f", "force through the joint", "N", Sweep::inward},
    {"fc", "{f'}", "f′", "force through the joint, in the carrier's axes", "N", Sweep::inward},
    {"n", "n", "n", "moment through the joint", "N m", Sweep::inward},
    {"nc", "{n'}", "n′", "moment through the joint, in the carrier's axes", "N m", Sweep::inward},
    {"bearing", "b", "b", "friction in the joint", "N m or N", Sweep::inward},
    {"output", "x", "x", "what the drive gives", "N m or N", Sweep::inward},
    {"m", "m", "m", "mass", "kg"},
    {"h", "h", "h", "first moment of mass", "kg m"},
    {"I", "I", "I", "moment of inertia", "kg m²"},
    {"J", "J", "J", "Jacobian or articulated inertia", ""},
    {"M", "M", "M", "mass matrix", "kg m² or kg"},
    {"L", "L", "L", "triangular factor of the mass matrix", ""},
    {"D", "D", "D", "pivot of the mass matrix", "kg m² or kg"},
    {"g", "g", "g", "gravity", "m/s²"},
    {"t", "t", "t", "auxiliary quantity, used more than once", ""},
};

std::vector<const Meaning*> meanings_of(const std::set<std::string>& quantities) {
  std::vector<const Meaning*> found;
  for (const Meaning& m : kMeanings) {
    if (quantities.contains(m.quantity)) found.push_back(&m);
  }
  return found;
}

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

bool is_sum(Op op) { return op == Op::add || op == Op::sub || op == Op::fma; }

}  // namespace

const Meaning* meaning(const std::string& quantity) {
  for (const Meaning& m : kMeanings) {
    if (quantity == m.quantity) return &m;
  }
  return nullptr;
}

Symbol parsed(const std::string& name) {
  constexpr std::string_view minus = "minus_";
  Symbol symbol;
  if (name.starts_with(minus)) {
    symbol = parsed(name.substr(minus.size()));
    symbol.negative = true;
    return symbol;
  }
  if (name.starts_with("sin_q") || name.starts_with("cos_q")) {  // sin_q2_q3
    symbol.quantity = name.substr(0, 3);
    for (const char c : name.substr(4)) {
      if (is_digit(c))
        symbol.body += c;
      else if (c != 'q' && c != '_')
        return {name, {}, {}};
    }
    return symbol;
  }
  std::size_t at = 0;
  while (at < name.size() && !is_digit(name[at]) && name[at] != '_') ++at;
  symbol.quantity = name.substr(0, at);
  std::size_t end = at;
  while (end < name.size() && is_digit(name[end])) ++end;
  symbol.body = name.substr(at, end - at);
  if (end < name.size() && name[end] == '_') ++end;
  symbol.component = name.substr(end);
  return symbol;
}

std::vector<std::string> remarks(const std::vector<const Meaning*>& quantities, const std::string& mark) {
  bool tensors = false, carriers = false;
  for (const Meaning* m : quantities) {
    tensors = tensors || std::string_view(m->quantity).starts_with("U");
    carriers = carriers || std::string_view(m->unicode).ends_with("′");
  }
  std::vector<std::string> lines;
  if (tensors) lines.emplace_back("The point r of a link accelerates, less gravity, by a + U r.");
  if (carriers) lines.push_back(mark + " is for the axes of a link's carrier: what its joint turns it against.");
  return lines;
}

std::string chosen_frames(const Program& program) {
  if (program.in_chosen_frames.empty()) return {};
  return fmt::format(
      "In {} these axes are not the file's, but chosen for short equations: z is the joint's axis, x the common normal "
      "to "
      "the next one, the origin where they meet.",
      fmt::join(program.in_chosen_frames, ", "));
}

std::vector<const Meaning*> named_quantities(const Program& program) {
  std::set<std::string> present;
  for (const Function* f : with_called(program)) {
    for (const NodeId id : f->order()) {
      if (const std::string* name = f->graph().name_of(id)) present.insert(parsed(*name).quantity);
    }
  }
  return meanings_of(present);
}

bool is_auxiliary(const Symbol& symbol) { return symbol.quantity == "t" && symbol.component.empty(); }

std::string joined(const std::vector<Equation::Term>& terms, const Notation& notation) {
  std::string text;
  for (const Equation::Term& t : terms) {
    if (text.empty())
      text = (t.negative ? notation.minus() : "") + t.text;
    else
      text += fmt::format(" {} {}", t.negative ? notation.minus() : "+", t.text);
  }
  return text;
}

std::string title(const Function& function) {
  if (const FunctionRow* row = find_function(function.name()); row != nullptr) return row->title;
  return function.name();
}

std::vector<const Function*> with_called(const Program& program) {
  std::vector<const Function*> all;
  const std::function<void(const Function&)> visit = [&](const Function& f) {
    if (std::find(all.begin(), all.end(), &f) != all.end()) return;
    for (const NodeId id : f.order()) {
      const Node& n = f.graph()[id];
      if (n.op == Op::call) visit(*f.graph().calls()[n.a].function);
      if (n.op == Op::solve) visit(*f.graph().solves()[n.a].residual);
    }
    all.push_back(&f);
  };
  for (const Function& f : program.functions) visit(f);
  return all;
}

Equations::Equations(const Function& function, const Notation& notation, std::vector<std::string> kept)
    : function_(function),
      graph_(function.graph()),
      notation_(notation),
      kept_(std::move(kept)),
      statements_(function, Language()) {
  arrange();
}

Symbol Equations::symbol_of(NodeId id) const {
  const Node& n = graph_[id];
  if (n.op == Op::input) {
    const Place at = place(function_.inputs(), n.a);
    const bool is_kept = function_.inputs()[at.group].name == "p" && at.element < kept_.size();
    return is_kept ? Symbol{kept_[at.element], {}, {}, false, true} : parsed(graph_.inputs()[n.a]);
  }
  if (n.op == Op::output && statements_.variable(id) == nullptr) {
    return {*statements_.variable(n.a), std::to_string(n.b + 1), {}};
  }
  if (graph_.name_of(id) == nullptr) {  // a result that other equations use is its own symbol
    const auto result = std::find(function_.results().begin(), function_.results().end(), id);
    if (result != function_.results().end()) {
      return symbol_of_result(static_cast<std::size_t>(result - function_.results().begin()));
    }
  }
  return parsed(*statements_.variable(id));
}

Symbol Equations::symbol_of_result(std::size_t index) const {
  const Place at = place(function_.outputs(), index);
  const Group& g = function_.outputs()[at.group];
  if (g.rows == 0) return {g.name, std::to_string(at.element + 1), {}};
  return {g.name, {}, fmt::format("{},{}", at.element % g.rows + 1, at.element / g.rows + 1)};
}

void Equations::add(const Statement& s, Section& section) {
  const Op op = graph_[s.node].op;
  // a result without another name is the variable
  const bool is_itself = !s.name.empty() && graph_.name_of(s.node) == nullptr && op != Op::input && !s.results.empty();
  if (!s.name.empty() && op != Op::input) {
    Equation e;
    e.left = symbol_of(s.node);
    e.node = s.node;
    e.defines = true;
    if (is_itself) e.result = s.results[0];
    if (op == Op::call || op == Op::solve)
      e.step = step(s.node);
    else
      e.right = sum(s.node, true, e.left.negative);
    e.reads = statements_.reads(s.node);
    section.equations.push_back(std::move(e));
  }
  for (const std::size_t r : s.results) {
    if (is_itself && r == s.results[0]) continue;
    Equation e;
    e.left = symbol_of_result(r);
    e.node = s.node;
    e.result = r;
    e.right = sum(s.node, s.name.empty());
    e.reads = s.name.empty() && op != Op::input ? statements_.reads(s.node) : std::vector<NodeId>{s.node};
    section.equations.push_back(std::move(e));
  }
}

Equations::Terms Equations::sum(NodeId id, bool definition, bool negative) const {
  Terms terms;
  collect(id, definition, negative, terms);
  const auto first = std::find_if(terms.begin(), terms.end(), [](const Equation::Term& t) { return !t.negative; });
  if (first != terms.end()) std::rotate(terms.begin(), first, first + 1);  // a leading sign is easily overlooked
  return terms;
}

void Equations::collect(NodeId id, bool definition, bool negative, Terms& terms) const {
  const Node& n = graph_[id];
  if (definition || statements_.variable(id) == nullptr) {
    if (n.op == Op::neg) return collect(n.a, false, !negative, terms);
    if (n.op == Op::add || n.op == Op::sub) {
      collect(n.a, false, negative, terms);
      return collect(n.b, false, negative != (n.op == Op::sub), terms);
    }
    if (n.op == Op::fma) {
      bool minus = negative;
      std::vector<NodeId> above, under;
      collect_factors(n.a, false, false, minus, above, under);
      collect_factors(n.b, false, false, minus, above, under);
      terms.push_back({minus, under.empty() ? factors(above) : notation_.fraction(factors(above), factors(under))});
      return collect(n.c, false, negative, terms);
    }
  }
  if (n.op == Op::constant && n.value < 0.0) {
    terms.push_back({!negative, notation_.number(-n.value)});
    return;
  }
  Equation::Term t = product(id, definition);
  t.negative = t.negative != negative;
  terms.push_back(std::move(t));
}

void Equations::collect_factors(NodeId id, bool definition, bool below, bool& negative, std::vector<NodeId>& above,
                                std::vector<NodeId>& under) const {
  const Node& n = graph_[id];
  if (definition || statements_.variable(id) == nullptr) {
    if (n.op == Op::neg) {
      negative = !negative;
      return collect_factors(n.a, false, below, negative, above, under);
    }
    if (n.op == Op::mul || n.op == Op::div) {
      collect_factors(n.a, false, below, negative, above, under);
      return collect_factors(n.b, false, below != (n.op == Op::div), negative, above, under);
    }
  }
  if (!definition && is_negative(id)) negative = !negative;
  (below ? under : above).push_back(id);
}

// Whether the variable of a node is the negative of its symbol.
bool Equations::is_negative(NodeId id) const {
  return statements_.variable(id) != nullptr && graph_[id].op != Op::input && symbol_of(id).negative;
}

Equation::Term Equations::product(NodeId id, bool definition) const {
  const Op op = graph_[id].op;
  if (definition && op != Op::mul && op != Op::div && op != Op::neg) return {false, written(id, true)};
  bool negative = false;
  std::vector<NodeId> above, under;
  collect_factors(id, definition, false, negative, above, under);
  if (under.empty()) return {negative, factors(above)};
  return {negative, notation_.fraction(factors(above), factors(under))};
}

std::string Equations::factors(const std::vector<NodeId>& ids) const {
  // numbers, then symbols, then sums, then functions, which otherwise would seem to apply to what follows; equal
  // factors as powers
  std::vector<NodeId> order(ids);
  const auto rank = [this](NodeId id) {
    if (graph_[id].op == Op::constant) return 0;
    if (statements_.variable(id) != nullptr || graph_[id].op == Op::input) return 1;
    return is_sum(graph_[id].op) ? 2 : 3;
  };
  std::stable_sort(order.begin(), order.end(), [&](NodeId a, NodeId b) { return rank(a) < rank(b); });
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (std::find(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k), order[k]) !=
        order.begin() + static_cast<std::ptrdiff_t>(k)) {
      continue;
    }
    const auto exponent = static_cast<int>(std::count(order.begin(), order.end(), order[k]));
    const bool alone = order.size() == 1;
    const std::string text = alone ? symbol_or(order[k]) : factor(order[k]);
    texts.push_back(exponent == 1 ? text : notation_.power(text, exponent));
  }
  return notation_.product(texts);
}

// The symbol without its sign.
std::string Equations::symbol_or(NodeId id) const {
  return is_negative(id) ? notation_.symbol(symbol_of(id)) : written(id, false);
}

std::string Equations::factor(NodeId id) const {
  const std::string text = symbol_or(id);
  const bool is_long = statements_.variable(id) == nullptr && is_sum(graph_[id].op);
  return is_long ? notation_.brackets(text) : text;
}

std::string Equations::written(NodeId id, bool definition) const {
  const Node& n = graph_[id];
  if (n.op == Op::constant) return notation_.number(n.value);
  if (n.op == Op::input) return notation_.symbol(symbol_of(id));
  if (!definition && statements_.variable(id) != nullptr) {
    return (is_negative(id) ? notation_.minus() : "") + notation_.symbol(symbol_of(id));
  }
  switch (n.op) {
    case Op::output: return notation_.symbol({*statements_.variable(n.a), std::to_string(n.b + 1), {}});
    case Op::add:
    case Op::sub:
    case Op::fma:
    case Op::neg:
    case Op::mul:
    case Op::div: return joined(sum(id, definition), notation_);
    default: {
      std::vector<std::string> arguments;
      for_each_operand(graph_, id, [&](NodeId a) { arguments.push_back(written(a, false)); });
      return notation_.function(n.op, arguments);
    }
  }
}

std::string Equations::step(NodeId id) const {
  const Node& n = graph_[id];
  const bool is_call = n.op == Op::call;
  const Function& inner = is_call ? *graph_.calls()[n.a].function : *graph_.solves()[n.a].residual;
  std::vector<std::string> arguments;
  for (const NodeId a : is_call ? graph_.calls()[n.a].arguments : graph_.solves()[n.a].arguments) {
    arguments.push_back(written(a, false));
  }
  const std::string name = notation_.symbol({inner.name(), {}, {}});
  const std::string list = notation_.brackets(fmt::format("{}", fmt::join(arguments, ", ")));
  return is_call ? name + list : name + list + " = 0";
}

std::vector<const Meaning*> Equations::quantities() const {
  std::set<std::string> present;
  for (const NodeId id : function_.order()) {
    if (graph_[id].op == Op::input && !symbol_of(id).is_users) present.insert(symbol_of(id).quantity);
  }
  for (const Section& s : sections_) {
    for (const Equation& e : s.equations) present.insert(e.left.quantity);
  }
  return meanings_of(present);
}

bool Equations::has_angle_sums() const {
  return std::any_of(function_.order().begin(), function_.order().end(), [this](NodeId id) {
    const Op op = graph_[id].op;
    return (op == Op::sin || op == Op::cos) && is_sum(graph_[graph_[id].a].op);
  });
}

}  // namespace lw
