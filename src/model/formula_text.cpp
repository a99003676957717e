#include "formula_text.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include <fmt/format.h>

#include "../graph/function.hpp"
#include "../graph/op_names.hpp"

namespace lw {
namespace {

// Precedence of a text, as the levels of the grammar.
enum Level { kSum, kProduct, kSigned, kPower, kValue };

struct Piece {
  std::string text;
  Level level = kValue;
};

std::string at_least(Level level, const Piece& piece) {
  return piece.level >= level ? piece.text : '(' + piece.text + ')';
}

bool takes_two(Op op) { return op == Op::atan2 || op == Op::min || op == Op::max; }

class FormulaPrinter {
 public:
  explicit FormulaPrinter(const Graph& graph) : graph_(graph) {}

  Piece piece(NodeId id) const {
    const Node& n = graph_[id];
    switch (n.op) {
      case Op::constant: return {number_text(n.value), n.value < 0.0 ? kSigned : kValue};
      case Op::input: return {graph_.inputs()[n.a], kValue};
      case Op::neg: {  // -a*b is parsed as (-a)*b, which is the same node
        const Piece inner = piece(n.a);
        return {'-' + at_least(kProduct, inner), std::min(inner.level, kSigned)};
      }
      case Op::add: {
        const auto [left, right] = in_order(n);
        return {left.text + " + " + at_least(kProduct, right), kSum};
      }
      case Op::sub: return {piece(n.a).text + " - " + at_least(kProduct, piece(n.b)), kSum};
      case Op::mul: {
        if (n.a == n.b) return {at_least(kValue, piece(n.a)) + "^2", kPower};
        const auto [left, right] = in_order(n);
        return {at_least(kProduct, left) + '*' + at_least(kSigned, right), kProduct};
      }
      case Op::div: return {at_least(kProduct, piece(n.a)) + '/' + at_least(kSigned, piece(n.b)), kProduct};
      default: break;
    }
    const char* name = function_name(n.op);
    assert(name != nullptr);  // formulas have no other operations
    const std::string arguments = takes_two(n.op) ? piece(n.a).text + ", " + piece(n.b).text : piece(n.a).text;
    return {fmt::format("{}({})", name, arguments), kValue};
  }

 private:
  // a + b is b + a: the left operand is the one that would need parentheses on the right, else a constant factor.
  std::pair<Piece, Piece> in_order(const Node& n) const {
    const Level own = n.op == Op::add ? kSum : kProduct;
    Piece a = piece(n.a), b = piece(n.b);
    const bool factor = n.op == Op::mul && graph_[n.b].op == Op::constant;
    if (a.level > own && (b.level == own || factor)) std::swap(a, b);
    return {std::move(a), std::move(b)};
  }

  const Graph& graph_;
};

// The number of terms of a node when fully expanded as text.
double terms(const Graph& graph, NodeId id) {
  std::vector<double> count(id + 1, 1.0);
  for (NodeId k = 0; k <= id; ++k) {
    for_each_operand(graph, k, [&](NodeId part) { count[k] += count[part]; });
  }
  return count[id];
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

}  // namespace

std::string number_text(double number) { return fmt::format("{}", number + 0.0); }  // no negative zero

std::string formula_text(const Expr& expression) {
  if (expression.is_constant()) return number_text(expression.constant());
  if (constexpr double kMost = 20'000; terms(*expression.graph(), expression.id()) > kMost) {
    throw Error(ErrorCode::model,
                "a formula has more than 20 000 terms as text; define parameters for its repeated parts");
  }
  return FormulaPrinter(*expression.graph()).piece(expression.id()).text;
}

FormulaTexts::FormulaTexts(const Mechanism& mechanism) {
  Graph& graph = *mechanism.formulas;
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (graph[id].op == Op::input) names_.emplace(graph.inputs()[graph[id].a], Expr(&graph, id));
  }
}

std::string FormulaTexts::operator()(const Formula& formula) const {
  if (formula.value.is_constant(0.0) && std::signbit(formula.value.constant())) return "0";
  const std::string written = trimmed(formula.text);
  if (!written.empty() && written.find_first_of("\t\r\n") == std::string::npos) {
    const auto parsed = parse_formula(written, names_);
    if (const Expr* value = std::get_if<Expr>(&parsed); value != nullptr && *value == formula.value) return written;
  }
  return formula_text(formula.value);
}

}  // namespace lw
