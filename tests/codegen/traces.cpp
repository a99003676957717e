#include "traces.hpp"

#include "dynamics/tree/aba.hpp"
#include "dynamics/tree/crba.hpp"
#include "dynamics/tree/rnea.hpp"
#include "model/random_state.hpp"

namespace lw {

Program traced_program(const Mechanism& mechanism, const std::string& name, const Arithmetic& arithmetic) {
  const Model<Expr> model = instantiate<Expr>(mechanism);
  Workspace<Expr> work(model);
  const auto nq = static_cast<std::size_t>(model.nq), nv = static_cast<std::size_t>(model.nv);
  Program program;
  program.name = name;
  program.robot = mechanism.name;
  program.source = "a test";
  const auto add = [&](const Function& f) { program.functions.push_back(f.with(arithmetic)); };
  add(trace("inverse", {{"q", nq}, {"qd", nv}, {"qdd", nv}}, {{"tau", nv}},
            [&](const Arguments& in, Results& out) { rnea<Expr>(model, work, in[0], in[1], in[2], out[0]); }));
  add(trace("mass-matrix", {{"q", nq}}, {{"M", nv * nv}},
            [&](const Arguments& in, Results& out) { crba<Expr>(model, work, in[0], out[0]); }));
  add(trace("forward", {{"q", nq}, {"qd", nv}, {"tau", nv}}, {{"qdd", nv}},
            [&](const Arguments& in, Results& out) { aba<Expr>(model, work, in[0], in[1], in[2], out[0]); }));
  return program;
}

std::vector<double> random_inputs(const Model<double>& model, const Function& function, Random& random) {
  const State s = random_state(model, random);
  std::vector<double> inputs;
  for (const Group& g : function.inputs()) {
    const std::vector<double>& part = g.name == "q" ? s.q : g.name == "qd" ? s.qd : g.name == "qdd" ? s.qdd : s.tau;
    inputs.insert(inputs.end(), part.begin(), part.end());
  }
  return inputs;
}

}  // namespace lw
