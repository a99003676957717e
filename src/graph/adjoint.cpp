#include "adjoint.hpp"

#include <algorithm>

#include "../base/error.hpp"
#include "evaluated.hpp"
#include "partials.hpp"
#include "tangent.hpp"

namespace lw {

std::vector<Expr> adjoint_at(const Function& f, const std::vector<Expr>& x, const std::vector<Expr>& weights) {
  require(weights.size() == f.output_size(), "the adjoint needs one weight per output");
  if (switches_singularities(f)) {
    std::vector<Expr> products(x.size(), Expr(0.0));
    for (std::size_t k = 0; k < x.size(); ++k) {
      std::vector<Expr> rates(x.size(), Expr(0.0));
      rates[k] = 1.0;
      const std::vector<Expr> column = tangent_at(f, x, rates);
      for (std::size_t r = 0; r < column.size(); ++r) products[k] += column[r] * weights[r];
    }
    return products;
  }
  const Evaluated at(f, x);
  const Function& flat = at.function();
  const Graph& from = flat.graph();
  CalledDerivatives called;
  std::vector<Expr> bar(from.size(), Expr(0.0)), inputs(x.size(), Expr(0.0));
  std::map<NodeId, std::vector<Expr>> nested;  // of the outputs of calls and solves
  for (std::size_t k = 0; k < weights.size(); ++k) bar[flat.results()[k]] += weights[k];
  const auto all_zero = [](const std::vector<Expr>& list) {
    return std::all_of(list.begin(), list.end(), [](const Expr& e) { return e.is_constant(0.0); });
  };
  for (auto place = flat.order().rbegin(); place != flat.order().rend(); ++place) {
    const NodeId id = *place;
    const Node& n = from[id];
    switch (n.op) {
      case Op::constant: break;
      case Op::input: inputs[n.a] += bar[id]; break;
      case Op::call: {
        const Call& call = from.calls()[n.a];
        if (all_zero(nested[id])) break;
        std::vector<Expr> arguments = at.all(call.arguments);
        arguments.insert(arguments.end(), nested[id].begin(), nested[id].end());
        const std::vector<Expr> given = at.graph().call(called.adjoint(*call.function), arguments);
        for (std::size_t k = 0; k < given.size(); ++k) bar[call.arguments[k]] += given[k];
        break;
      }
      case Op::solve: {
        const Solve& solve = from.solves()[n.a];
        const std::size_t unknowns = solve.guess.size();
        if (nested[id].empty()) break;
        // the residual at the solution stays zero, so only the unknowns count
        const std::vector<Expr> given(nested[id].begin(), nested[id].begin() + static_cast<std::ptrdiff_t>(unknowns));
        if (all_zero(given)) break;
        const std::vector<Expr> p = at.all(solve.arguments);
        std::vector<Expr> solution = at.unknowns_of(id);
        solution.insert(solution.end(), p.begin(), p.end());
        if (solve.step != nullptr) {
          solution.insert(solution.end(), given.begin(), given.end());
          const std::vector<Expr> through = at.graph().call(called.adjoint(*solve.step), solution);
          for (std::size_t k = 0; k < p.size(); ++k) bar[solve.arguments[k]] -= through[unknowns + k];
          break;
        }
        std::vector<Expr> rest = solution;
        rest.insert(rest.end(), given.begin(), given.end());
        const std::vector<Expr> lambda =
            at.graph()
                .solve(called.transposed(*solve.residual), std::vector<Expr>(unknowns, Expr(0.0)), rest, 1)
                .unknowns;
        solution.insert(solution.end(), lambda.begin(), lambda.end());
        const std::vector<Expr> through = at.graph().call(called.adjoint(*solve.residual), solution);
        for (std::size_t k = 0; k < p.size(); ++k) bar[solve.arguments[k]] -= through[unknowns + k];
        break;
      }
      case Op::output: {
        const Node& owner = from[n.a];
        std::vector<Expr>& outputs = nested[n.a];
        outputs.resize(owner.op == Op::call ? from.calls()[owner.a].function->output_size()
                                            : from.solves()[owner.a].outputs());
        outputs[n.b] += bar[id];
        break;
      }
      default: {
        if (bar[id].is_constant(0.0)) break;
        const Operands o = operands_of(from, id);
        const Partials p = at.partials_of(id);
        for (std::size_t k = 0; k < o.count; ++k) {
          bar[o.id[k]] += p.is_switch ? select(p.condition, p.where_true[k] * bar[id], p.where_false[k] * bar[id])
                                      : p.of[k] * bar[id];
        }
      }
    }
  }
  return inputs;
}

Function adjoint(const Function& f) {
  std::vector<Group> inputs = f.inputs();
  inputs.push_back({"w", f.output_size()});
  const auto calculation = [&](const Arguments& in, Results& out) {
    std::vector<Expr> x;
    for (std::size_t g = 0; g + 1 < in.size(); ++g) x.insert(x.end(), in[g].begin(), in[g].end());
    const std::vector<Expr> results = adjoint_at(f, x, in.back());
    std::size_t k = 0;
    for (std::vector<Expr>& group : out) {
      for (Expr& e : group) e = results[k++];
    }
  };
  return trace(f.name() + "-adjoint", inputs, f.inputs(), calculation).with(f.arithmetic());
}

}  // namespace lw
