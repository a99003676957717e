#include "partials.hpp"

namespace lw {

bool switches_singularities(const Function& f) {
  const Graph& graph = f.graph();
  std::vector<bool> singular(graph.size(), false);  // itself or an operand
  for (const NodeId id : f.order()) {
    const Node& n = graph[id];
    switch (n.op) {
      case Op::sqrt:
      case Op::log:
      case Op::asin:
      case Op::acos:
      case Op::atan2: singular[id] = true; break;
      case Op::div: singular[id] = graph[n.b].op != Op::constant; break;
      default: break;
    }
    for_each_operand(graph, id, [&](NodeId operand) { singular[id] = singular[id] || singular[operand]; });
    const bool is_switch = n.op == Op::abs || n.op == Op::min || n.op == Op::max || n.op == Op::select;
    if (is_switch && singular[id]) return true;
  }
  return false;
}

Partials partials(Op op, const Expr& f, const std::array<Expr, 3>& operands) {
  const auto& [a, b, c] = operands;
  const Expr one(1.0);
  Partials p;
  auto& [da, db, dc] = p.of;
  const auto switched = [&p](const Expr& condition, int where_true, double sign, int where_false) {
    p.is_switch = true;
    p.condition = condition;
    p.where_true[static_cast<std::size_t>(where_true)] = sign;
    p.where_false[static_cast<std::size_t>(where_false)] = 1.0;
  };
  switch (op) {
    case Op::add: da = db = one; break;
    case Op::sub: da = one, db = -one; break;
    case Op::mul: da = b, db = a; break;
    case Op::div: da = one / b, db = -(f * da); break;
    case Op::neg: da = -one; break;
    case Op::fma: da = b, db = a, dc = one; break;
    case Op::sqrt: da = Expr(0.5) / f; break;
    case Op::sin: da = cos(a); break;
    case Op::cos: da = -sin(a); break;
    case Op::tan: da = one + f * f; break;
    case Op::asin: da = one / sqrt(one - a * a); break;
    case Op::acos: da = -(one / sqrt(one - a * a)); break;
    case Op::atan: da = one / (one + a * a); break;
    case Op::atan2: {
      const Expr inverse = one / (b * b + a * a);
      da = b * inverse;
      db = -(a * inverse);
      break;
    }
    case Op::exp: da = f; break;
    case Op::log: da = one / a; break;
    case Op::tanh: da = one - f * f; break;
    case Op::abs: switched(less(a, 0.0), 0, -1.0, 0); break;
    case Op::min: switched(less(b, a), 1, 1.0, 0); break;
    case Op::max: switched(less(a, b), 1, 1.0, 0); break;
    case Op::select: switched(a, 1, 1.0, 2); break;
    default: break;  // less: constant on either side
  }
  return p;
}

}  // namespace lw
