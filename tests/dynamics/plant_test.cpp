// A tree is the plant with the empty plan: what `Dynamics` and the solvers for loops give of it, friction included, is
// what the algorithms for trees give.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dynamics/loops/forward_losses.hpp"
#include "dynamics/loops/dynamics.hpp"
#include "model/random_state.hpp"
#include "model/read/read.hpp"

namespace lw {
namespace plant_test {

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0.0, size = 1.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    most = std::max(most, std::abs(a[k] - b[k]));
    size = std::max(size, std::abs(b[k]));
  }
  return most / size;
}

// Every third state has joints at rest, which begin to move.
TEST(Plant, FrictionOfATreeIsThatOfTheAlgorithmsForTrees) {
  for (const char* name : {"puma560-dhanaraj", "stanford-dhanaraj", "puma560", "quadruped"}) {
    Dynamics dynamics(load(name));
    const Model<double>& model = dynamics.model();
    Random random(3);
    ForwardLosses forward(model);
    Workspace<double> work(model);
    Losses<double> losses(model);
    for (int trial = 0; trial < 100; ++trial) {
      State s = random_state(model, random);
      for (std::size_t v = 0; v < s.qd.size() && trial % 3 == 0; v += 2) s.qd[v] = 0.0;
      inverse_with_losses<double>(model, work, s.q, s.qd, s.qdd, losses);
      std::vector<double> tau(s.qd.size()), by_plant(tau), by_tree(tau);
      dynamics.inverse(s.q, s.qd, s.qdd, tau, true);
      EXPECT_LE(largest_difference(tau, losses.total), 1e-14) << name;
      dynamics.forward_losses().forget();
      dynamics.forward(s.q, s.qd, tau, by_plant, true);
      forward(s.q, s.qd, tau, by_tree);
      EXPECT_LE(largest_difference(by_plant, by_tree), 1e-9) << name << ", trial " << trial;
      EXPECT_LE(largest_difference(by_plant, s.qdd), 1e-9) << name << ", trial " << trial;
    }
  }
}

}  // namespace plant_test
}  // namespace lw
