#include "evaluated.hpp"

#include <algorithm>

#include "../base/error.hpp"
#include "adjoint.hpp"
#include "interpreter.hpp"
#include "jacobian.hpp"
#include "rewrite.hpp"
#include "tangent.hpp"

namespace lw {
namespace {

constexpr double kLarge = 200;

double size_of(const Function& f) {
  const OperationCount o = cost(f).operations;
  return static_cast<double>(o.multiplications + o.additions + o.divisions + o.roots + o.trigonometric + o.comparisons);
}

// Concatenates some groups.
std::vector<Expr> all_of(const Arguments& in, std::size_t first, std::size_t last) {
  std::vector<Expr> list;
  for (std::size_t g = first; g < last; ++g) list.insert(list.end(), in[g].begin(), in[g].end());
  return list;
}

}  // namespace

Function with_large_calls(const Function& f) {
  const Graph& graph = f.graph();
  std::map<const Function*, int> sites;
  for (const NodeId id : f.order()) {
    if (graph[id].op == Op::call) ++sites[graph.calls()[graph[id].a].function.get()];
  }
  if (sites.empty()) return f;
  bool dissolved = false;
  std::map<NodeId, std::vector<Expr>> written;
  Function now = rewritten(f, [&](Rewrite& to, NodeId id) -> Expr {
    const Node& n = graph[id];
    if (n.op == Op::call) {
      const Call& call = graph.calls()[n.a];
      if (sites[call.function.get()] > 1 || size_of(*call.function) > kLarge) return to.copy(id);
      dissolved = true;
      std::vector<Expr> arguments;
      for (const NodeId a : call.arguments) arguments.push_back(to[a]);
      // nested calls stay and are considered in the next iteration
      const bool symbols =
          std::any_of(arguments.begin(), arguments.end(), [](const Expr& e) { return !e.is_constant(); });
      std::vector<Expr>& results = written[id];
      results.resize(call.function->output_size());
      if (symbols) {
        const Evaluated inner(*call.function, arguments);
        results = inner.all(inner.function().results());
      } else {
        evaluate<Expr>(*call.function, arguments, results);
      }
      return 0.0;
    }
    if (n.op == Op::output && written.contains(n.a)) return written.at(n.a)[n.b];
    return to.copy(id);
  });
  return dissolved ? with_large_calls(now) : f;
}

Operands operands_of(const Graph& graph, NodeId id) {
  Operands o;
  for_each_operand(graph, id, [&](NodeId operand) { o.id[o.count++] = operand; });
  return o;
}

Evaluated::Evaluated(const Function& f, const std::vector<Expr>& arguments)
    : function_(with_large_calls(f)), values_(function_.graph().size()) {
  require(arguments.size() == f.input_size(),
          "the number of arguments must equal the number of inputs of the function");
  for (const Expr& e : arguments) graph_ = e.is_constant() ? graph_ : e.graph();
  require(graph_ != nullptr, "at least one argument must be an expression, in whose graph the derivative is built");
  const Graph& from = function_.graph();
  std::map<NodeId, std::vector<Expr>> called;
  for (const NodeId id : function_.order()) {
    const Node& n = from[id];
    switch (n.op) {
      case Op::constant: values_[id] = n.value; break;
      case Op::input: values_[id] = arguments[n.a]; break;
      case Op::call: called[id] = graph_->call(from.calls()[n.a].function, all(from.calls()[n.a].arguments)); break;
      case Op::solve: {
        const Solve& solve = from.solves()[n.a];
        solutions_[id] = graph_->solve_like(solve, all(solve.guess), all(solve.arguments));
        break;
      }
      case Op::output: values_[id] = from[n.a].op == Op::call ? called.at(n.a)[n.b] : solutions_.at(n.a)[n.b]; break;
      default: {
        const Operands o = operands_of(from, id);
        values_[id] = apply(n.op, values_[o.id[0]], values_[o.id[1]], values_[o.id[2]]);
        if (const std::string* name = from.name_of(id)) graph_->name(values_[id], *name);
      }
    }
  }
}

std::vector<Expr> Evaluated::all(const std::vector<NodeId>& ids) const {
  std::vector<Expr> list;
  for (const NodeId id : ids) list.push_back(values_[id]);
  return list;
}

Partials Evaluated::partials_of(NodeId id) const {
  const Operands o = operands_of(function_.graph(), id);
  return partials(function_.graph()[id].op, values_[id], {values_[o.id[0]], values_[o.id[1]], values_[o.id[2]]});
}

CalledDerivatives::Pointer CalledDerivatives::tangent(const Function& f, const std::vector<bool>& moves) {
  Pointer& p = tangents_[{&f, moves}];
  if (p != nullptr) return p;
  const auto n = static_cast<std::size_t>(std::count(moves.begin(), moves.end(), true));
  std::vector<Group> inputs = f.inputs();
  inputs.push_back({"d", n});
  const auto calculation = [&](const Arguments& in, Results& out) {
    std::vector<Expr> rates;
    std::size_t k = 0;
    for (const bool moving : moves) rates.push_back(moving ? in.back()[k++] : Expr(0.0));
    const std::vector<Expr> results = tangent_at(f, all_of(in, 0, in.size() - 1), rates);
    k = 0;
    for (std::vector<Expr>& group : out) {
      for (Expr& e : group) e = results[k++];
    }
  };
  p = std::make_shared<Function>(trace(f.name() + "-tangent", inputs, f.outputs(), calculation).with(f.arithmetic()));
  return p;
}

CalledDerivatives::Pointer CalledDerivatives::adjoint(const Function& f) {
  Pointer& p = adjoints_[&f];
  if (p == nullptr) p = std::make_shared<Function>(lw::adjoint(f));
  return p;
}

CalledDerivatives::Pointer CalledDerivatives::jacobian(const Function& f) {
  Pointer& p = jacobians_[&f];
  if (p == nullptr) p = std::make_shared<Function>(lw::jacobian(f));
  return p;
}

CalledDerivatives::Pointer CalledDerivatives::linear(const Function& residual) {
  Pointer& p = linear_[&residual];
  if (p != nullptr) return p;
  const std::size_t n = residual.output_size(), m = residual.input_size() - n;
  const auto calculation = [&](const Arguments& in, Results& out) {
    std::vector<Expr> rates = in[0];
    rates.insert(rates.end(), in[3].begin(), in[3].end());
    out[0] = tangent_at(residual, all_of(in, 1, 3), rates);
  };
  p = std::make_shared<Function>(
      trace(residual.name() + "-tangent", {{"dx", n}, {"x", n}, {"p", m}, {"dp", m}}, {{"dr", n}}, calculation)
          .with(residual.arithmetic()));
  return p;
}

std::vector<Expr> CalledDerivatives::through_step(const Solve& solve, Graph& graph, const std::vector<Expr>& x,
                                                  const std::vector<Expr>& p, const std::vector<Expr>& dp) {
  std::vector<Expr> arguments = x;
  arguments.insert(arguments.end(), p.begin(), p.end());
  std::vector<bool> moves(x.size(), false);
  for (const Expr& rate : dp) {
    moves.push_back(!rate.is_constant(0.0));
    if (moves.back()) arguments.push_back(rate);
  }
  std::vector<Expr> rates(solve.outputs(), Expr(0.0));
  if (arguments.size() == x.size() + p.size()) return rates;
  const std::vector<Expr> through = graph.call(tangent(*solve.step, moves), arguments);
  for (std::size_t k = 0; k < x.size(); ++k) rates[k] = -through[k];
  return rates;
}

CalledDerivatives::Pointer CalledDerivatives::transposed(const Function& residual) {
  Pointer& p = transposed_[&residual];
  if (p != nullptr) return p;
  const std::size_t n = residual.output_size(), m = residual.input_size() - n;
  const auto calculation = [&](const Arguments& in, Results& out) {
    const std::vector<Expr> weights = adjoint_at(residual, all_of(in, 1, 3), in[0]);
    for (std::size_t k = 0; k < n; ++k) out[0][k] = weights[k] - in[3][k];
  };
  p = std::make_shared<Function>(
      trace(residual.name() + "-adjoint", {{"lambda", n}, {"x", n}, {"p", m}, {"w", n}}, {{"r", n}}, calculation)
          .with(residual.arithmetic()));
  return p;
}

}  // namespace lw
