#include "function_derivatives.hpp"

#include <algorithm>

#include "../../base/error.hpp"
#include "../../graph/adjoint.hpp"
#include "../../graph/interpreter.hpp"
#include "../../graph/jacobian.hpp"
#include "../../graph/objective.hpp"
#include "../../graph/tangent.hpp"
#include "../../model/displace.hpp"

namespace lw {
namespace {

std::size_t along(const Model<double>& model, const Group& g) {
  return g.name == "q" ? static_cast<std::size_t>(model.nv) : g.size;
}

// The joints of the model; rates of coordinates depend on nothing else.
Model<Expr> joints_of(const Model<double>& model) {
  Model<Expr> joints;
  joints.nq = model.nq;
  joints.nv = model.nv;
  joints.joints = model.joints;
  return joints;
}

std::vector<Expr> rates_of(const Model<Expr>& joints, const std::vector<Expr>& q, const std::vector<Expr>& v) {
  std::vector<Expr> rates(q.size());
  coordinate_rates<Expr>(joints, q, v, rates);
  return rates;
}

std::vector<Expr> joined(std::span<const std::vector<Expr>> groups) {
  std::vector<Expr> all;
  for (const std::vector<Expr>& group : groups) all.insert(all.end(), group.begin(), group.end());
  return all;
}

void put(const std::vector<Expr>& from, Results& out) {
  std::size_t k = 0;
  for (std::vector<Expr>& group : out) {
    for (Expr& e : group) e = from[k++];
  }
}

// Groups with a prefix; that of q has one entry per velocity.
void append(const Model<double>& model, const char* prefix, const std::vector<Group>& from, std::vector<Group>& to) {
  for (const Group& g : from) to.push_back({prefix + g.name, along(model, g), g.name == "q" ? 0 : g.rows});
}

// f with an additional last input, a step by which q is displaced
Function displaced_function(const Model<double>& model, const Function& f) {
  std::vector<Group> inputs = f.inputs();
  inputs.push_back({"step", static_cast<std::size_t>(model.nv)});
  const Model<Expr> joints = joints_of(model);
  return trace(f.name(), inputs, f.outputs(), [&](const Arguments& in, Results& out) {
    std::vector<Expr> x;
    for (std::size_t g = 0; g < f.inputs().size(); ++g) {
      const std::vector<Expr> group = f.inputs()[g].name == "q" ? displaced<Expr>(joints, in[g], in.back()) : in[g];
      x.insert(x.end(), group.begin(), group.end());
    }
    std::vector<Expr> y(f.output_size());
    evaluate<Expr>(f, x, y);
    put(y, out);
  });
}

Function cheapest(const std::function<Function(Elimination)>& made) {
  Function best = made(Elimination::forward);
  for (const Elimination order : {Elimination::reverse, Elimination::cheapest}) {
    Function other = made(order);
    if (operations(other) < operations(best)) best = std::move(other);
  }
  return best;
}

}  // namespace

Function derivatives(const Model<double>& model, const Function& f) {
  const Function moved = displaced_function(model, f);
  std::vector<Group> outputs;
  std::vector<std::size_t> columns;
  std::size_t first = 0;
  for (const Group& g : f.inputs()) {
    const std::size_t n = along(model, g), begin = g.name == "q" ? f.input_size() : first;
    outputs.push_back({"d_" + g.name, n * f.output_size(), f.output_size()});
    for (std::size_t k = 0; k < n; ++k) columns.push_back(begin + k);
    first += g.size;
  }
  return cheapest([&](Elimination order) {
    const auto calculation = [&](const Arguments& in, Results& out) {
      std::vector<Expr> x = joined(in);
      x.resize(moved.input_size(), Expr(0.0));
      put(jacobian_at(moved, x, columns, order), out);
    };
    return trace(f.name() + "-derivatives", f.inputs(), outputs, calculation).with(f.arithmetic());
  });
}

Function directional(const Model<double>& model, const Function& f) {
  std::vector<Group> inputs = f.inputs(), outputs;
  append(model, "d_", f.inputs(), inputs);
  append(model, "d_", f.outputs(), outputs);
  const std::size_t groups = f.inputs().size();
  const Model<Expr> joints = joints_of(model);
  const auto calculation = [&](const Arguments& in, Results& out) {
    std::vector<Expr> rates;
    for (std::size_t g = 0; g < groups; ++g) {
      const std::vector<Expr> own =
          f.inputs()[g].name == "q" ? rates_of(joints, in[g], in[groups + g]) : in[groups + g];
      rates.insert(rates.end(), own.begin(), own.end());
    }
    put(tangent_at(f, joined(std::span(in).first(groups)), rates), out);
  };
  return trace(f.name() + "-directional", inputs, outputs, calculation).with(f.arithmetic());
}

Function transposed(const Model<double>& model, const Function& f) {
  std::vector<Group> inputs = f.inputs(), outputs;
  for (const Group& g : f.outputs()) inputs.push_back({"w_" + g.name, g.size, g.rows});
  append(model, "d_", f.inputs(), outputs);
  const std::size_t groups = f.inputs().size();
  const auto nq = static_cast<std::size_t>(model.nq), nv = static_cast<std::size_t>(model.nv);
  const Model<Expr> joints = joints_of(model);
  const Function rates = trace("rates", {{"q", nq}, {"v", nv}}, {{"rates", nq}},
                               [&](const Arguments& in, Results& out) { out[0] = rates_of(joints, in[0], in[1]); });
  const auto calculation = [&](const Arguments& in, Results& out) {
    const std::span<const std::vector<Expr>> all(in);
    const std::vector<Expr> weights = adjoint_at(f, joined(all.first(groups)), joined(all.subspan(groups)));
    std::size_t k = 0;
    for (std::size_t g = 0; g < groups; ++g) {
      const Group& group = f.inputs()[g];
      const std::vector<Expr> own(weights.begin() + static_cast<std::ptrdiff_t>(k),
                                  weights.begin() + static_cast<std::ptrdiff_t>(k + group.size));
      k += group.size;
      if (group.name != "q") {
        out[g] = own;
        continue;
      }
      std::vector<Expr> x = in[g];
      x.resize(nq + nv, Expr(0.0));
      const std::vector<Expr> back = adjoint_at(rates, x, own);
      std::copy(back.begin() + static_cast<std::ptrdiff_t>(nq), back.end(), out[g].begin());
    }
  };
  return trace(f.name() + "-transposed", inputs, outputs, calculation).with(f.arithmetic());
}

Function second_derivatives(const Model<double>& model, const Function& first) {
  const auto nq = static_cast<std::size_t>(model.nq), nv = static_cast<std::size_t>(model.nv), square = nv * nv;
  require(first.outputs().size() == 3 && first.output_size() == 3 * square,
          "second derivatives are made from inverse-derivatives without parameters");
  const Function moved = displaced_function(model, first);
  const std::vector<NodeId>& results = moved.results();
  const Function rates(moved.name(), moved.inputs(), {moved.outputs()[1]}, moved.shared_graph(),
                       {results.begin() + static_cast<std::ptrdiff_t>(square),
                        results.begin() + static_cast<std::ptrdiff_t>(2 * square)});
  std::vector<Group> outputs;
  for (const char* name : {"d_q_q", "d_qd_q", "d_qdd_q", "d_qd_qd"}) outputs.push_back({name, square * nv, square});
  std::vector<std::size_t> steps, velocities;
  for (std::size_t k = 0; k < nv; ++k) {
    steps.push_back(nq + 2 * nv + k);
    velocities.push_back(nq + k);
  }
  return cheapest([&](Elimination order) {
    const auto calculation = [&](const Arguments& in, Results& out) {
      std::vector<Expr> x = joined(in);
      x.resize(moved.input_size(), Expr(0.0));
      const std::vector<Expr> along_q = jacobian_at(moved, x, steps, order);
      for (std::size_t c = 0; c < nv; ++c) {
        for (std::size_t g = 0; g < 3; ++g) {
          for (std::size_t r = 0; r < square; ++r) out[g][c * square + r] = along_q[(c * 3 + g) * square + r];
        }
      }
      out[3] = jacobian_at(rates, x, velocities, order);
    };
    return trace("inverse-second-derivatives", first.inputs(), outputs, calculation).with(first.arithmetic());
  });
}

}  // namespace lw
