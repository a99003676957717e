// Trajectories: what they promise at their knots, derivatives by complex step, and the traced twin.
#include "control/trajectory.hpp"

#include <gtest/gtest.h>
#include <Eigen/Core>

#include <cmath>
#include <numbers>

#include "base/error.hpp"
#include "base/random.hpp"
#include "graph/interpreter.hpp"
#include "model/placement.hpp"
#include "spatial/rotation_vector.hpp"

namespace lw {
namespace trajectory_test {

TEST(Quintic, SatisfiesBothEndsAndItsDerivativesAreConsistent) {
  Random random(2);
  for (int trial = 0; trial < 200; ++trial) {
    const auto any = [&] {
      return Moving<double>{random.between(-3, 3), random.between(-3, 3), random.between(-3, 3)};
    };
    const Moving<double> from = any(), to = any();
    const double T = random.between(0.3, 4.0);
    const Quintic<double> q = Quintic<double>::between(from, to, T);
    const Moving<double> end = q.at(T), begin = q.at(0.0);
    EXPECT_EQ(begin.position, from.position);
    EXPECT_EQ(begin.velocity, from.velocity);
    EXPECT_EQ(begin.acceleration, from.acceleration);
    const double scale = 1e-12 * (1.0 + 1.0 / (T * T));
    EXPECT_NEAR(end.position, to.position, scale);
    EXPECT_NEAR(end.velocity, to.velocity, 10 * scale);
    EXPECT_NEAR(end.acceleration, to.acceleration, 100 * scale);
    Quintic<ComplexStep> c;
    for (std::size_t k = 0; k < 6; ++k) c.c[k] = q.c[k];
    const double s = random.between(0, T);
    const Moving<ComplexStep> m = c.at(ComplexStep(s, kComplexStep));
    EXPECT_NEAR(derivative_of(m.position), q.at(s).velocity, scale * 10);
    EXPECT_NEAR(derivative_of(m.velocity), q.at(s).acceleration, scale * 100);
  }
}

const std::vector<double> kTimes{1.0, 1.5, 2.7, 3.1};
const std::vector<std::vector<double>> kPoints{{0, 1}, {2, -1}, {3, 4}, {-1, 0.5}};

TEST(Trajectory, PassesItsPointsAtRest) {
  const Trajectory x = Trajectory::rest_to_rest(kTimes, kPoints);
  for (std::size_t k = 0; k < 4; ++k) {
    for (const double t : {kTimes[k], std::nextafter(kTimes[k], -1e9), std::nextafter(kTimes[k], 1e9)}) {
      const JointMotion<double> m = x.at(t);
      for (std::size_t j = 0; j < 2; ++j) {
        EXPECT_NEAR(m.q[j], kPoints[k][j], 1e-12);
        EXPECT_NEAR(m.qd[j], 0.0, 1e-11);
        EXPECT_NEAR(m.qdd[j], 0.0, 1e-9);
      }
    }
  }
  // half way it is half way, by symmetry, and fastest: 15/8 of the mean
  const JointMotion<double> middle = x.at(2.1);
  EXPECT_NEAR(middle.q[0], 2.5, 1e-14);
  EXPECT_NEAR(middle.qd[0], 1.875 * 1.0 / 1.2, 1e-14);
  // outside it stands at its ends
  EXPECT_EQ(x.at(-5.0).q, kPoints.front());
  EXPECT_NEAR(x.at(50.0).q[1], 0.5, 1e-14);
}

TEST(Cycloid, MovesFromRestToRestAndItsDerivativesAreConsistent) {
  const Trajectory x = Trajectory::cycloidal(kTimes, kPoints);
  for (std::size_t k = 0; k < 4; ++k) {
    for (const double t : {kTimes[k], std::nextafter(kTimes[k], -1e9), std::nextafter(kTimes[k], 1e9)}) {
      const JointMotion<double> m = x.at(t);
      for (std::size_t j = 0; j < 2; ++j) {
        EXPECT_NEAR(m.q[j], kPoints[k][j], 1e-12);
        EXPECT_NEAR(m.qd[j], 0.0, 1e-11);
        EXPECT_NEAR(m.qdd[j], 0.0, 1e-9);
      }
    }
  }
  // half way it is half way and fastest, twice the mean; a quarter from the end it accelerates most, by 2π of the mean
  // a duration
  EXPECT_NEAR(x.at(2.1).q[0], 2.5, 1e-14);
  EXPECT_NEAR(x.at(2.1).qd[0], 2.0 * 1.0 / 1.2, 1e-14);
  EXPECT_NEAR(x.at(1.8).qdd[0], 2.0 * std::numbers::pi / (1.2 * 1.2), 1e-13);
  EXPECT_EQ(x.at(-5.0).q, kPoints.front());
  EXPECT_NEAR(x.at(50.0).q[1], 0.5, 1e-14);
  for (const double t : {1.1, 1.49, 1.77, 2.6, 3.0}) {
    const JointMotion<double> m = x.at(t);
    const JointMotion<ComplexStep> step = x.at(ComplexStep(t, kComplexStep));
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_NEAR(derivative_of(step.q[j]), m.qd[j], 1e-12);
      EXPECT_NEAR(derivative_of(step.qd[j]), m.qdd[j], 1e-11);
    }
  }
}

TEST(Cycloid, TracedIsTheSame) {
  const Trajectory x = Trajectory::cycloidal(kTimes, kPoints);
  const Function f = trace("cycloid", {{"t", 1}}, {{"q", 2}, {"qdd", 2}}, [&](const Arguments& in, Results& out) {
    const JointMotion<Expr> m = x.at(in[0][0]);
    for (std::size_t j = 0; j < 2; ++j) out[0][j] = m.q[j], out[1][j] = m.qdd[j];
  });
  Interpreter<double> run(f);
  for (const double t : {0.5, 1.0, 1.2, 1.5, 2.0, 2.7, 2.9, 3.1, 4.0}) {
    std::vector<double> got(4);
    run(std::vector<double>{t}, got);
    const JointMotion<double> m = x.at(t);
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_NEAR(got[j], m.q[j], 1e-13) << t;
      EXPECT_NEAR(got[2 + j], m.qdd[j], 1e-11) << t;
    }
  }
}

TEST(Trajectory, CruisesAtConstantVelocity) {
  const Trajectory x = Trajectory::cruise(kTimes, kPoints);
  for (const double t : {1.5, 1.9, 2.3, 2.7}) {
    const JointMotion<double> m = x.at(t);
    for (std::size_t j = 0; j < 2; ++j) {
      const double v = (kPoints[2][j] - kPoints[1][j]) / 1.2;
      EXPECT_NEAR(m.q[j], kPoints[1][j] + v * (t - 1.5), 1e-13);
      EXPECT_NEAR(m.qd[j], v, 1e-12);
      EXPECT_NEAR(m.qdd[j], 0.0, 1e-11);
    }
  }
  for (const double t : {1.0, 3.1}) {
    const JointMotion<double> m = x.at(t);
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_NEAR(m.q[j], kPoints[t < 2 ? 0 : 3][j], 1e-12);
      EXPECT_NEAR(m.qd[j], 0.0, 1e-11);
      EXPECT_NEAR(m.qdd[j], 0.0, 1e-10);
    }
  }
}

TEST(Trajectory, OtherScalarsChooseTheSameSegments) {
  const Trajectory x = Trajectory::cruise(kTimes, kPoints);
  const Function traced =
      trace("trajectory", {{"t", 1}}, {{"q", 2}, {"qdd", 2}}, [&](const Arguments& in, Results& out) {
        const JointMotion<Expr> m = x.at(in[0][0]);
        out[0] = m.q;
        out[1] = m.qdd;
      });
  for (const double t : {0.5, 1.0, 1.2, 1.5, 2.0, 2.7, 3.0, 3.1, 4.0}) {
    const JointMotion<double> m = x.at(t);
    const JointMotion<ComplexStep> c = x.at(ComplexStep(t, kComplexStep));
    std::vector<double> r(4);
    evaluate<double>(traced, std::vector<double>{t}, r);
    const bool inside = t > 1.0 && t < 3.1;
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_EQ(r[j], m.q[j]);
      EXPECT_EQ(r[2 + j], m.qdd[j]);
      EXPECT_NEAR(c.q[j].re, m.q[j], 1e-50);  // the square of the step
      EXPECT_NEAR(c.qdd[j].re, m.qdd[j], 1e-50);
      if (!inside) continue;
      EXPECT_NEAR(derivative_of(c.q[j]), m.qd[j], 1e-12);
      EXPECT_NEAR(derivative_of(c.qd[j]), m.qdd[j], 1e-10);
    }
  }
}

TEST(Trajectory, RejectsInvalidInput) {
  EXPECT_THROW(Trajectory::rest_to_rest({0, 1}, {{1}}), Error);
  EXPECT_THROW(Trajectory::rest_to_rest({0}, {{1}}), Error);
  EXPECT_THROW(Trajectory::rest_to_rest({0, 0}, {{1}, {2}}), Error);
  EXPECT_THROW(Trajectory::rest_to_rest({0, NAN}, {{1}, {2}}), Error);
  EXPECT_THROW(Trajectory::rest_to_rest({0, 1}, {{1}, {2, 3}}), Error);
  EXPECT_THROW(Trajectory::cruise({0, 1, 2}, {{1}, {2}, {3}}), Error);
  EXPECT_THROW(Trajectory::cruise({0, 1, 2, 3}, {{1}, {2}, {3, 4}, {5}}), Error);
  EXPECT_THROW(CartesianLine({}, {}, 0.0), Error);
}

TEST(CartesianLine, MovesStraightAndRotatesAboutOneAxis) {
  const Transform<double> from{rotation_about_x(0.4), {1, 2, 3}};
  const Transform<double> to{rotation_about_z(2.9) * rotation_about_y(-1.0), {-1, 0.5, 2}};
  const CartesianLine line(from, to, 2.0);
  EXPECT_LE((line.at(2.0).pose.R.eigen() - to.R.eigen()).norm(), 1e-14);
  EXPECT_LE((line.at(2.0).pose.p - to.p).eigen().norm(), 1e-14);
  const Vec3<double> turn = rotation_vector(to.R * transpose(from.R));
  for (double t = 0.0; t <= 2.0; t += 0.125) {
    const FrameMotion<double> m = line.at(t);
    const Vec3<double> way = to.p - from.p, gone = m.pose.p - from.p;
    EXPECT_LE(cross(way, gone).eigen().norm(), 1e-14);
    EXPECT_LE(cross(turn, rotation_vector(m.pose.R * transpose(from.R))).eigen().norm(), 1e-13);
    const FrameMotion<ComplexStep> c = line.at(ComplexStep(t, kComplexStep));
    Mat3<double> rate;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) rate(i, j) = derivative_of(c.pose.R(i, j));
      if (t > 0.0 && t < 2.0) {
        EXPECT_NEAR(derivative_of(c.pose.p[i]), m.velocity.lin[i], 1e-13);
        EXPECT_NEAR(derivative_of(c.velocity.lin[i]), m.acceleration.lin[i], 1e-12);
        EXPECT_NEAR(derivative_of(c.velocity.ang[i]), m.acceleration.ang[i], 1e-12);
      }
    }
    if (t > 0.0 && t < 2.0) {
      const Mat3<double> W = rate * transpose(m.pose.R);
      EXPECT_LE((Vec3<double>(W(2, 1), W(0, 2), W(1, 0)) - m.velocity.ang).eigen().norm(), 1e-13);
    }
  }
}

}  // namespace trajectory_test
}  // namespace lw
