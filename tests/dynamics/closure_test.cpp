#include "dynamics/kinematics/closure.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "model/read/read.hpp"

namespace lw {
namespace closure_test {

struct Expected {
  const char* model;
  int dof;
};

// Freedoms as the makers count them: by inspection of each mechanism.
TEST(Mobility, OfTheShippedLoops) {
  for (const Expected& e : {Expected{"four-bar", 1}, Expected{"planar-3rrr", 3}, Expected{"planar-3rrr-helmy", 3},
                            Expected{"stewart", 6}}) {
    const Mobility m = mobility(instantiate<double>(load(e.model)));
    EXPECT_EQ(m.dof, e.dof) << e.model;
    EXPECT_TRUE(m.closed) << e.model;
    EXPECT_LT(m.residual, 1e-10) << e.model;
  }
}

TEST(Mobility, OfATreeIsItsVelocities) {
  EXPECT_EQ(mobility(instantiate<double>(load("puma560"))).dof, 6);
  EXPECT_EQ(mobility(instantiate<double>(load("quadruped"))).dof, 18);
}

TEST(Mobility, SaysWhereALoopCannotBeClosed) {
  const char* text = R"(linkwright: 1
name: torn
parameters: {rod: 0.2}
links:
  - {name: crank, parent: base, joint: {type: revolute}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: coupler, parent: crank, joint: {type: revolute, origin: {xyz: [0.1, 0, 0]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
loops:
  - {name: far, joint: {type: revolute}, between: [coupler, base], at: {coupler: {xyz: [rod, 0, 0]}, base: {xyz: [5, 0, 0]}}}
)";
  const ReadResult r = read_text(text, "torn.yaml");
  ASSERT_TRUE(r.mechanism);
  const Mobility open = mobility(instantiate<double>(*r.mechanism));
  EXPECT_FALSE(open.closed);
  EXPECT_NEAR(open.residual, 4.7, 1e-3);  // stretched out, 5 − 0.1 − 0.2 is missing
  // the same with a rod long enough closes, from a home pose that does not
  const Mobility closed = mobility(instantiate<double>(*r.mechanism, {{"rod", 4.95}}));
  EXPECT_TRUE(closed.closed);
  EXPECT_EQ(closed.dof, 0);  // two joints, held at a point: nothing moves
}

Mechanism two_bars(const std::string& home, const std::string& loop) {
  const ReadResult r = read_text(R"(linkwright: 1
name: bars
parameters: {ground: 1}
links:
  - {name: left, parent: base, joint: {type: revolute}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: coupler, parent: left, joint: {type: revolute, origin: {xyz: [0.5, 0, 0]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: right, parent: base, joint: {type: revolute, origin: {xyz: [ground, 0, 0]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
)" + home + loop,
                                 "bars.yaml");
  EXPECT_TRUE(r.mechanism);
  return *r.mechanism;
}

TEST(Mobility, OfAParallelogramLaidFlatIsOne) {
  // flat, both angles may start to change on their own; standing at 60°, only together
  const std::string loop =
      "loops: [{name: pin, joint: {type: revolute}, between: [coupler, right], at: {coupler: {xyz: [1, 0, 0]}, right: "
      "{xyz: [0.5, 0, 0]}}}]\n";
  const Mobility flat = mobility(instantiate<double>(two_bars("", loop)));
  EXPECT_EQ(flat.dof, 1);
  EXPECT_TRUE(flat.singular_home);
  const Mobility standing =
      mobility(instantiate<double>(two_bars("home: {left: 60 deg, coupler: -60 deg, right: 60 deg}\n", loop)));
  EXPECT_EQ(standing.dof, 1);
  EXPECT_FALSE(standing.singular_home);
}

TEST(Mobility, AnAxisTurnedOverIsNotClosed) {
  const std::string loop =
      "loops: [{name: pin, joint: {type: revolute}, between: [coupler, right], at: {coupler: {xyz: [1, 0, 0], rpy: "
      "[180 deg, 0, 0]}, right: "
      "{xyz: [0.5, 0, 0]}}}]\n";
  EXPECT_FALSE(
      mobility(instantiate<double>(two_bars("home: {left: 60 deg, coupler: -60 deg, right: 60 deg}\n", loop))).closed);
}

TEST(Mobility, OfNumbersThatAreNoneIsNotClosed) {
  const Mobility m = mobility(instantiate<double>(load("four-bar"), {{"l_crank", 2.0}}));  // longer than all the rest
  EXPECT_FALSE(m.closed);
}

TEST(Mobility, OfALoopWithoutJointsIsNone) {
  const ReadResult r = read_text(R"(linkwright: 1
name: rigid
links:
  - {name: shelf, parent: base, joint: {type: fixed, origin: {xyz: [1, 0, 0]}}}
loops:
  - {name: bolt, joint: {type: fixed}, between: [shelf, base], at: {shelf: {}, base: {xyz: [1, 0, 0]}}}
)",
                                 "rigid.yaml");
  ASSERT_TRUE(r.mechanism);
  const Mobility m = mobility(instantiate<double>(*r.mechanism));
  EXPECT_EQ(m.dof, 0);
  EXPECT_TRUE(m.closed);
}

TEST(Closure, JacobianIsTheDerivativeOfTheResidual) {
  for (const char* name : {"four-bar", "planar-3rrr", "stewart"}) {
    const Model<double> model = instantiate<double>(load(name));
    Workspace<double> work(model);
    const std::vector<double> q = mobility(model).q;
    const ClosureState at = closure_state(model, work, q);
    const std::size_t m = at.residual.size();
    for (int k = 0; k < model.nv; ++k) {
      const double h = 1e-6;
      std::vector<double> step(static_cast<std::size_t>(model.nv)), up = q, down = q;
      step[static_cast<std::size_t>(k)] = h;
      advance(model, up, step);
      step[static_cast<std::size_t>(k)] = -h;
      advance(model, down, step);
      const ClosureState a = closure_state(model, work, up), b = closure_state(model, work, down);
      for (std::size_t i = 0; i < m; ++i) {
        EXPECT_NEAR((a.residual[i] - b.residual[i]) / (2 * h), at.jacobian[static_cast<std::size_t>(k) * m + i], 1e-8)
            << name;
      }
    }
  }
}

}  // namespace closure_test
}  // namespace lw
