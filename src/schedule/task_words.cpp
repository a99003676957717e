#include "task_words.hpp"

#include <fmt/format.h>

#include "../graph/op_names.hpp"

namespace lw {
namespace {

constexpr int kDeepest = 12;  // levels of an expression that is written out

}  // namespace

TaskWords::TaskWords(const Function& function)
    : function_(function), result_names_(function.graph().size()), uses_(function.graph().size(), 0) {
  std::size_t k = 0;
  for (const Group& group : function.outputs()) {
    for (std::size_t i = 0; i < group.size; ++i, ++k) {
      std::string& name = result_names_[function.results()[k]];
      ++uses_[function.results()[k]];
      if (!name.empty()) continue;
      name = group.rows == 0 ? fmt::format("{}{}", group.name, i + 1)
                             : fmt::format("{}[{},{}]", group.name, i % group.rows + 1, i / group.rows + 1);
    }
  }
  for (const NodeId id : function.order()) {
    for_each_operand(function.graph(), id, [&](NodeId operand) { ++uses_[operand]; });
  }
}

std::string TaskWords::name(NodeId id) const {
  const Node& node = function_.graph()[id];
  if (node.op == Op::input) return function_.graph().inputs()[node.a];
  if (!result_names_[id].empty()) return result_names_[id];
  const std::string* given = function_.graph().name_of(id);
  return given != nullptr ? *given : fmt::format("t{}", id);
}

bool TaskWords::has_name(NodeId id) const {
  return !result_names_[id].empty() ||
         (function_.graph().name_of(id) != nullptr && function_.graph()[id].op != Op::input);
}

std::string TaskWords::written(NodeId id, bool definition, const std::vector<bool>& inside, int depth) const {
  const Graph& graph = function_.graph();
  const Node& n = graph[id];
  if (n.op == Op::constant) return fmt::format("{:.6g}", n.value);
  if (n.op == Op::input) return name(id);
  if (n.op == Op::output) return fmt::format("{}[{}]", name(n.a), n.b + 1);
  const bool free = n.op == Op::neg;
  if (!definition && !free && (!inside[id] || uses_[id] > 1 || depth > kDeepest)) return name(id);
  const auto sub = [&](NodeId operand) { return written(operand, false, inside, depth + 1); };
  // a sum in a product or after a minus is put in parentheses
  const auto guarded = [&](NodeId operand) {
    NodeId inner = operand;
    while (graph[inner].op == Op::neg) inner = graph[inner].a;
    const Op op = graph[inner].op;
    const bool sum = op == Op::add || op == Op::sub || op == Op::fma;
    const std::string text = sub(operand);
    return sum && text.find(' ') != std::string::npos ? "(" + text + ")" : text;
  };
  switch (n.op) {
    case Op::add: return sub(n.a) + " + " + sub(n.b);
    case Op::sub: return sub(n.a) + " - " + guarded(n.b);
    case Op::mul: return guarded(n.a) + " * " + guarded(n.b);
    case Op::div: return guarded(n.a) + " / (" + sub(n.b) + ")";
    case Op::neg: return "-" + guarded(n.a);
    case Op::fma: return guarded(n.a) + " * " + guarded(n.b) + " + " + sub(n.c);
    case Op::call:
    case Op::solve: {
      const bool call = n.op == Op::call;
      const Function& f = call ? *graph.calls()[n.a].function : *graph.solves()[n.a].residual;
      const std::size_t count = call ? graph.calls()[n.a].arguments.size() : graph.solves()[n.a].arguments.size();
      return fmt::format("{}{} of {} values", call ? "" : "solution of ", f.name(), count);
    }
    default: break;
  }
  std::string text = function_name(n.op);
  text += "(";
  bool first = true;
  for_each_operand(graph, id, [&](NodeId operand) {
    text += (first ? "" : ", ") + sub(operand);
    first = false;
  });
  return text + ")";
}

std::string TaskWords::text(const std::vector<NodeId>& nodes, std::size_t most) const {
  const Graph& graph = function_.graph();
  std::vector<bool> inside(graph.size(), false);
  std::vector<int> used_inside(graph.size(), 0);
  for (const NodeId id : nodes) {
    inside[id] = true;
    for_each_operand(graph, id, [&](NodeId operand) { ++used_inside[operand]; });
  }
  std::string text;
  for (const NodeId id : nodes) {
    const Op op = graph[id].op;
    // a value that is used only here, and once, is written where it is used
    if (op == Op::neg || op == Op::output || (uses_[id] == 1 && used_inside[id] == 1)) continue;
    if (text.size() > most) return text + "; …";
    text += (text.empty() ? "" : "; ") + name(id) + " = " + written(id, true, inside, 0);
  }
  return text;
}

}  // namespace lw
