#include "tangent.hpp"

#include "../base/error.hpp"
#include "evaluated.hpp"

namespace lw {

std::vector<Expr> tangent_at(const Function& f, const std::vector<Expr>& x, const std::vector<Expr>& rates) {
  require(rates.size() == x.size(), "the number of rates must equal the number of arguments");
  if (f.output_size() == 0) return {};
  const Evaluated at(f, x);
  const Function& flat = at.function();
  const Graph& from = flat.graph();
  CalledDerivatives called;
  std::vector<Expr> d(from.size(), Expr(0.0));
  std::map<NodeId, std::vector<Expr>> nested;
  const auto rates_of = [&](const std::vector<NodeId>& ids) {
    std::vector<Expr> list;
    for (const NodeId id : ids) list.push_back(d[id]);
    return list;
  };
  for (const NodeId id : flat.order()) {
    const Node& n = from[id];
    switch (n.op) {
      case Op::constant: break;
      case Op::input: d[id] = rates[n.a]; break;
      case Op::call: {
        const Call& call = from.calls()[n.a];
        std::vector<Expr> arguments = at.all(call.arguments);
        std::vector<bool> moves;
        bool any = false;
        for (const Expr& rate : rates_of(call.arguments)) {
          moves.push_back(!rate.is_constant(0.0));
          if (!moves.back()) continue;
          arguments.push_back(rate);
          any = true;
        }
        nested[id] = any ? at.graph().call(called.tangent(*call.function, moves), arguments)
                         : std::vector<Expr>(call.function->output_size(), Expr(0.0));
        break;
      }
      case Op::solve: {
        const Solve& solve = from.solves()[n.a];
        const std::vector<Expr> p = at.all(solve.arguments), dp = rates_of(solve.arguments);
        if (solve.step != nullptr) {
          nested[id] = called.through_step(solve, at.graph(), at.unknowns_of(id), p, dp);
          break;
        }
        std::vector<Expr> rest = at.unknowns_of(id);
        rest.insert(rest.end(), p.begin(), p.end());
        rest.insert(rest.end(), dp.begin(), dp.end());
        const Graph::Solution s =
            at.graph().solve(called.linear(*solve.residual), std::vector<Expr>(solve.guess.size(), Expr(0.0)), rest, 1);
        nested[id] = s.unknowns;
        nested[id].insert(nested[id].end(), s.residual.begin(), s.residual.end());
        nested[id].emplace_back(0.0);
        break;
      }
      case Op::output: d[id] = nested.at(n.a)[n.b]; break;
      default: {
        const Operands o = operands_of(from, id);
        const Partials p = at.partials_of(id);
        const auto sum = [&](const std::array<Expr, 3>& of) {
          Expr total(0.0);
          for (std::size_t k = 0; k < o.count; ++k) total += of[k] * d[o.id[k]];
          return total;
        };
        d[id] = p.is_switch ? select(p.condition, sum(p.where_true), sum(p.where_false)) : sum(p.of);
      }
    }
  }
  return rates_of(flat.results());
}

Function tangent(const Function& f, std::size_t directions) {
  require(directions <= f.input_size(), "there cannot be more directions than inputs");
  std::vector<Group> inputs = f.inputs();
  inputs.push_back({"d", directions});
  const auto calculation = [&](const Arguments& in, Results& out) {
    std::vector<Expr> x, rates;
    for (std::size_t g = 0; g + 1 < in.size(); ++g) {
      for (const Expr& e : in[g]) {
        rates.push_back(x.size() < directions ? in.back()[x.size()] : Expr(0.0));
        x.push_back(e);
      }
    }
    const std::vector<Expr> results = tangent_at(f, x, rates);
    std::size_t k = 0;
    for (std::vector<Expr>& group : out) {
      for (Expr& e : group) e = results[k++];
    }
  };
  return trace(f.name() + "-tangent", inputs, f.outputs(), calculation).with(f.arithmetic());
}

}  // namespace lw
