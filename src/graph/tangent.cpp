#include "tangent.hpp"

#include <unordered_map>

#include "../base/error.hpp"
#include "interpreter.hpp"

namespace lw {
namespace {

struct Moving {  // a value and its derivative
  Expr v, d;
};

Moving moved(Op op, const Moving& a, const Moving& b, const Moving& c) {
  const Expr f = apply(op, a.v, b.v, c.v);
  const auto derivative = [&]() -> Expr {
    switch (op) {
      case Op::add: return a.d + b.d;
      case Op::sub: return a.d - b.d;
      case Op::mul: return a.d * b.v + a.v * b.d;
      case Op::div: return (a.d - f * b.d) / b.v;
      case Op::neg: return -a.d;
      case Op::fma: return a.d * b.v + a.v * b.d + c.d;
      case Op::sqrt: return a.d / (Expr(2.0) * f);
      case Op::sin: return cos(a.v) * a.d;
      case Op::cos: return -sin(a.v) * a.d;
      case Op::tan: return (Expr(1.0) + f * f) * a.d;
      case Op::asin: return a.d / sqrt(Expr(1.0) - a.v * a.v);
      case Op::acos: return -a.d / sqrt(Expr(1.0) - a.v * a.v);
      case Op::atan: return a.d / (Expr(1.0) + a.v * a.v);
      case Op::atan2: return (b.v * a.d - a.v * b.d) / (b.v * b.v + a.v * a.v);
      case Op::exp: return f * a.d;
      case Op::log: return a.d / a.v;
      case Op::tanh: return (Expr(1.0) - f * f) * a.d;
      case Op::abs: return select(less(a.v, 0.0), -a.d, a.d);
      case Op::min: return select(less(b.v, a.v), b.d, a.d);
      case Op::max: return select(less(a.v, b.v), b.d, a.d);
      case Op::select: return select(a.v, b.d, c.d);
      default: return 0.0;  // less
    }
  };
  return {f, derivative()};
}

std::vector<Moving> run(const Function& f, const std::vector<Moving>& inputs);

std::vector<Moving> solved(const Solve& solve, const std::vector<Moving>& guess, const std::vector<Moving>& arguments) {
  Graph* graph = nullptr;
  std::vector<Expr> x0, p;
  for (const auto* part : {&guess, &arguments}) {
    for (const Moving& m : *part) graph = m.v.graph() != nullptr ? m.v.graph() : graph;
  }
  if (graph == nullptr) throw Error(ErrorCode::usage, "a Solve node of constants has no graph to stand in");
  for (const Moving& m : guess) x0.push_back(m.v);
  for (const Moving& m : arguments) p.push_back(m.v);
  const Graph::Solution solution = graph->solve(solve.residual, x0, p, solve.steps);
  const std::size_t n = guess.size(), m = arguments.size();
  const auto linear = std::make_shared<Function>(
      trace(solve.residual->name() + "-tangent", {{"dx", n}, {"x", n}, {"p", m}, {"dp", m}}, {{"dr", n}},
            [&](const Arguments& in, Results& out) {
              std::vector<Moving> all;
              for (std::size_t k = 0; k < n; ++k) all.push_back({in[1][k], in[0][k]});
              for (std::size_t k = 0; k < m; ++k) all.push_back({in[2][k], in[3][k]});
              const std::vector<Moving> r = run(*solve.residual, all);
              for (std::size_t k = 0; k < n; ++k) out[0][k] = r[k].d;
            })
          .with(solve.residual->arithmetic()));
  std::vector<Expr> rest = solution.unknowns;
  rest.insert(rest.end(), p.begin(), p.end());
  for (const Moving& a : arguments) rest.push_back(a.d);
  const Graph::Solution rates = graph->solve(linear, std::vector<Expr>(n, 0.0), rest, 1);
  std::vector<Moving> outputs;
  for (std::size_t k = 0; k < n; ++k) outputs.push_back({solution.unknowns[k], rates.unknowns[k]});
  for (std::size_t k = 0; k < n; ++k) outputs.push_back({solution.residual[k], rates.residual[k]});
  return outputs;
}

std::vector<Moving> run(const Function& f, const std::vector<Moving>& inputs) {
  const Graph& graph = f.graph();
  std::vector<Moving> at(graph.size());
  std::unordered_map<NodeId, std::vector<Moving>> nested;
  const auto all = [&](const std::vector<NodeId>& ids) {
    std::vector<Moving> values;
    for (const NodeId id : ids) values.push_back(at[id]);
    return values;
  };
  for (const NodeId id : f.order()) {
    const Node& n = graph[id];
    switch (n.op) {
      case Op::constant: at[id] = {n.value, 0.0}; break;
      case Op::input: at[id] = inputs[n.a]; break;
      case Op::call: nested[id] = run(*graph.calls()[n.a].function, all(graph.calls()[n.a].arguments)); break;
      case Op::solve: {
        const Solve& solve = graph.solves()[n.a];
        nested[id] = solved(solve, all(solve.guess), all(solve.arguments));
        break;
      }
      case Op::output: at[id] = nested.at(n.a)[n.b]; break;
      default: {
        Moving operands[3];
        int k = 0;
        for_each_operand(graph, id, [&](NodeId operand) { operands[k++] = at[operand]; });
        at[id] = moved(n.op, operands[0], operands[1], operands[2]);
      }
    }
  }
  return all(f.results());
}

}  // namespace

Function tangent(const Function& f, std::size_t directions) {
  require(directions <= f.input_size(), "a derivative is along inputs of the function");
  std::vector<Group> inputs = f.inputs();
  inputs.push_back({"d", directions});
  const auto calculation = [&](const Arguments& in, Results& out) {
    std::vector<Moving> moving;
    for (std::size_t g = 0; g + 1 < in.size(); ++g) {
      for (const Expr& e : in[g]) {
        const std::size_t k = moving.size();
        moving.push_back({e, k < directions ? in.back()[k] : Expr(0.0)});
      }
    }
    const std::vector<Moving> results = run(f, moving);
    std::size_t k = 0;
    for (std::vector<Expr>& group : out) {
      for (Expr& e : group) e = results[k++].d;
    }
  };
  return trace(f.name() + "-tangent", inputs, f.outputs(), calculation).with(f.arithmetic());
}

}  // namespace lw
