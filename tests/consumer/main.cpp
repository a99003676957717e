// Uses the installed package, every stage of it, in a program that is compiled without our own flags.
#include <cmath>
#include <cstdio>
#include <vector>

#include <linkwright/linkwright.hpp>

int main() {
  // graph
  lw::Graph graph;
  const lw::Expr x = graph.input("x");
  if (!(x + x == x + x)) return 1;

  // base, model
  try {
    lw::load("no-such-model");
    return 2;
  } catch (const lw::Error& e) {
    std::printf("%s\n", e.what());
  }
  const lw::Mechanism mechanism = lw::load("double-pendulum");
  const auto model = lw::instantiate(mechanism);

  // dynamics: tau of a motion, and the motion back from it
  lw::Workspace work(model);
  const std::vector<double> q{0.3, -0.4}, qd{0.5, 0.6}, qdd{1.0, -2.0};
  std::vector<double> tau(2), back(2);
  lw::rnea(model, work, q, qd, qdd, tau);
  lw::aba(model, work, q, qd, tau, back);
  std::printf("%s: tau = %g, %g\n", model.name.c_str(), tau[0], tau[1]);
  return std::abs(back[0] - qdd[0]) + std::abs(back[1] - qdd[1]) < 1e-12 ? 0 : 3;
}
