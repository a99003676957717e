#include "statements.hpp"

#include <algorithm>
#include <cassert>
#include <cctype>
#include <charconv>

namespace lw {
namespace {

bool is_free(Op op) { return op == Op::constant || op == Op::input || op == Op::neg; }

// Letters, digits and single underscores, beginning with a letter.
std::string variable_name(const std::string& wish) {
  std::string name;
  for (const char c : wish) {
    const bool fits = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (fits) {
      if (name.empty() && std::isdigit(static_cast<unsigned char>(c)) != 0) name = "v";
      name += c;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  return name.empty() ? "v" : name;
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

std::string shortest(double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  std::string text(buffer, end);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

Language::Language()
    : number(shortest),
      element([](const std::string& array, std::size_t index) { return array + "[" + std::to_string(index) + "]"; }),
      function([](Op op, const std::vector<std::string>& arguments) {
        std::string text = function_name(op);
        for (std::size_t k = 0; k < arguments.size(); ++k) text += (k == 0 ? "(" : ", ") + arguments[k];
        return text + ")";
      }) {}

Place place(const std::vector<Group>& groups, std::size_t k) {
  std::size_t group = 0;
  while (k >= groups[group].size) k -= groups[group++].size;
  return {group, k};
}

Statements::Statements(const Function& function, const Language& language)
    : function_(function),
      graph_(function.graph()),
      language_(language),
      has_variable_(graph_.size(), false),
      names_(graph_.size()) {
  for (const Group& g : function.inputs()) input_names_.push_back(fresh(g.name));
  for (const Group& g : function.outputs()) output_names_.push_back(fresh(g.name));
  choose();
  name_all();
}

void Statements::choose() {
  const std::vector<NodeId>& order = function_.order();
  std::vector<int> uses(graph_.size(), 0), uses_by_results(graph_.size(), 0), length(graph_.size(), 0);
  std::vector<std::vector<std::size_t>> results(graph_.size());
  for (std::size_t k = 0; k < function_.results().size(); ++k) {
    const NodeId r = function_.results()[k];
    results[r].push_back(k);
    ++uses[r];
    ++uses_by_results[r];
  }
  // readers before their operands: a negation is written once per reader
  for (auto id = order.rbegin(); id != order.rend(); ++id) {
    const int times = graph_[*id].op == Op::neg ? uses[*id] : 1;
    for_each_operand(graph_, *id, [&](NodeId operand) { uses[operand] += times; });
  }
  const auto is_named_input = [&](NodeId id) {
    const std::size_t index = graph_[id].a;
    const Place at = place(function_.inputs(), index);
    return graph_.inputs()[index] != function_.inputs()[at.group].name + std::to_string(at.element + 1);
  };
  std::vector<Statement> last;
  for (const NodeId id : order) {
    const Node& n = graph_[id];
    if (n.op == Op::input) {
      has_variable_[id] = is_named_input(id);
    } else if (!is_free(n.op)) {
      length[id] = 1;
      for_each_operand(graph_, id, [&](NodeId operand) {
        if (!has_variable_[operand]) length[id] += length[operand];
      });
      has_variable_[id] = n.op == Op::call || n.op == Op::solve || (n.op != Op::output && uses[id] > 1) ||
                          uses_by_results[id] > 1 ||
                          (graph_.name_of(id) != nullptr && uses_by_results[id] < uses[id]) || language_.alone(n) ||
                          (length[id] >= language_.longest_expression && uses_by_results[id] < uses[id]);
    } else if (n.op == Op::neg) {
      length[id] = has_variable_[n.a] ? 0 : length[n.a];
    }
    const bool late = n.op == Op::constant || n.op == Op::input;
    if (has_variable_[id]) list_.push_back({id, {}, late ? std::vector<std::size_t>{} : results[id]});
    if (late && !results[id].empty()) last.push_back({id, {}, results[id]});
    if (!late && !has_variable_[id] && !results[id].empty()) list_.push_back({id, {}, results[id]});
  }
  list_.insert(list_.end(), last.begin(), last.end());
}

void Statements::name_all() {
  // given names first, then generated ones
  const auto name = [this](Statement& s, const std::string& wish) { s.name = names_[s.node] = fresh(wish); };
  for (Statement& s : list_) {
    if (!has_variable_[s.node]) continue;
    const std::string* given = graph_.name_of(s.node);
    if (graph_[s.node].op == Op::input) {
      if (names_[s.node].empty()) name(s, graph_.inputs()[graph_[s.node].a]);
    } else if (given != nullptr) {
      name(s, *given);
    }
  }
  for (Statement& s : list_) {
    if (!has_variable_[s.node] || !names_[s.node].empty()) continue;
    name(s, systematic(s.node));
  }
}

// sin_q2, cos_q2_q3; tau1 for a result; t17 for anything else.
std::string Statements::systematic(NodeId id) {
  const Node& n = graph_[id];
  if (n.op == Op::sin || n.op == Op::cos) {
    const std::string angle = angle_name(n.a);
    if (!angle.empty()) return std::string(function_name(n.op)) + "_" + angle;
  }
  if (n.op == Op::call) return graph_.calls()[n.a].function->name();
  if (n.op == Op::solve) return graph_.solves()[n.a].residual->name();
  const auto result = std::find(function_.results().begin(), function_.results().end(), id);
  if (result != function_.results().end()) {
    const Place at = place(function_.outputs(), static_cast<std::size_t>(result - function_.results().begin()));
    return function_.outputs()[at.group].name + std::to_string(at.element + 1);
  }
  return {};
}

std::string Statements::angle_name(NodeId id) const {
  const Node& n = graph_[id];
  if (n.op == Op::input) return graph_.inputs()[n.a];
  if (const std::string* given = graph_.name_of(id)) return *given;
  if (n.op != Op::add) return {};
  const std::string a = angle_name(n.a), b = angle_name(n.b);
  return a.empty() || b.empty() ? std::string() : a + "_" + b;
}

std::string Statements::fresh(const std::string& wish) {
  const auto key = [this](const std::string& name) { return language_.case_blind ? lower(name) : name; };
  const auto is_free_name = [&](const std::string& name) {
    return !taken_.contains(key(name)) && !language_.reserved.contains(key(name));
  };
  const std::string stem = wish.empty() ? "t" : variable_name(wish).substr(0, language_.longest_name - 8);
  std::string name = stem;
  if (wish.empty() || !is_free_name(name)) {
    const std::string before = wish.empty() ? "t" : stem + "_";
    std::size_t k = wish.empty() ? ++unnamed_ : 2;
    while (!is_free_name(name = before + std::to_string(k))) ++k;
    if (wish.empty()) unnamed_ = k;
  }
  taken_.insert(key(name));
  return name;
}

const std::string* Statements::variable(NodeId id) const { return has_variable_[id] ? &names_[id] : nullptr; }

std::string Statements::text(NodeId id) const { return piece(id, true); }
std::string Statements::use(NodeId id) const { return piece(id, false); }

std::string Statements::result(std::size_t index) const {
  const Place at = place(function_.outputs(), index);
  return language_.element(output_names_[at.group], at.element);
}

int Statements::strength(NodeId id) const {
  if (has_variable_[id]) return 3;
  switch (graph_[id].op) {
    case Op::constant: return graph_[id].value < 0.0 ? 1 : 3;
    case Op::neg:
    case Op::add:
    case Op::sub: return 1;
    case Op::mul:
    case Op::div: return 2;
    default: return 3;
  }
}

std::string Statements::piece(NodeId id, bool definition) const {
  if (!definition && has_variable_[id]) return names_[id];
  const Node& n = graph_[id];
  const auto operand = [&](NodeId which, int least) {
    return strength(which) < least ? "(" + piece(which, false) + ")" : piece(which, false);
  };
  // a + (b + c) is written b + c + a: the same sum, rounding by rounding
  const auto turned = [&](int least) { return strength(n.b) == least && strength(n.a) > least; };
  switch (n.op) {
    case Op::constant: return language_.number(n.value);
    case Op::input: {
      const Place at = place(function_.inputs(), n.a);
      return language_.element(input_names_[at.group], at.element);
    }
    case Op::output: return language_.element(names_[n.a], n.b);
    case Op::neg: return "-" + operand(n.a, 3);
    case Op::add:
      return turned(1) ? operand(n.b, 1) + " + " + operand(n.a, 2) : operand(n.a, 1) + " + " + operand(n.b, 2);
    case Op::sub: return operand(n.a, 1) + " - " + operand(n.b, 2);
    case Op::mul:
      return turned(2) ? operand(n.b, 2) + " * " + operand(n.a, 3) : operand(n.a, 2) + " * " + operand(n.b, 3);
    case Op::div: return operand(n.a, 2) + " / " + operand(n.b, 3);
    case Op::call:
    case Op::solve: assert(false && "a call or a solve is no expression"); return {};
    default: {
      std::vector<std::string> arguments;
      for_each_operand(graph_, id, [&](NodeId a) { arguments.push_back(piece(a, false)); });
      return language_.function(n.op, arguments);
    }
  }
}

std::vector<NodeId> Statements::reads(NodeId id) const {
  std::vector<NodeId> found, open{id};
  while (!open.empty()) {
    const NodeId now = open.back();
    open.pop_back();
    for_each_operand(graph_, now, [&](NodeId operand) {
      if (has_variable_[operand] || graph_[operand].op == Op::input) {
        if (std::find(found.begin(), found.end(), operand) == found.end()) found.push_back(operand);
      } else {
        open.push_back(operand);
      }
    });
  }
  std::reverse(found.begin(), found.end());
  return found;
}

}  // namespace lw
