// Runs of scenarios against what mechanics says about a ball on a vertical slide and a wheel: instants of events,
// inputs with jumps, controllers, and what goes wrong.
#include <gtest/gtest.h>

#include <cmath>

#include "model/read/read.hpp"
#include "simulate/run/run.hpp"

namespace lw {
namespace run_test {

constexpr double kG = 9.81;

Mechanism ball() {
  return *read_text(R"(linkwright: 1
name: ball
links: [{name: ball, parent: base, joint: {type: prismatic, axis: z, limits: {lower: -3, upper: 5}}, inertia: {mass: 2}}]
)",
                    "ball.yaml")
              .mechanism;
}
// J = 0.5 about a vertical axis: no gravity.
Mechanism wheel() {
  return *read_text(R"(linkwright: 1
name: wheel
links: [{name: wheel, parent: base, joint: {type: revolute, axis: z}, inertia: {mass: 1, tensor: [0.3, 0.3, 0.5]}}]
)",
                    "wheel.yaml")
              .mechanism;
}

struct Rows : RunListener {
  std::vector<double> t, q, qd, tau;
  void row(const RunRow& r) override {
    t.push_back(r.t), q.push_back(r.q[0]), qd.push_back(r.qd[0]), tau.push_back(r.tau[0]);
  }
};

struct Done {
  RunResult result;
  Rows rows;
};

Done move(const Mechanism& mechanism, const std::string& text, const std::function<bool(double)>& proceed = {}) {
  const Model<double> model = instantiate<double>(mechanism);
  const ScenarioResult read = read_scenario_text("scenario: 1\n" + text, "s.yaml", mechanism, model);
  for (const Diagnostic& d : read.diagnostics) ADD_FAILURE() << to_string(d);
  const Scenario& s = read.scenario.value();
  ScenarioDriven scene(mechanism, s, DrivenOptions::Way::reference);
  const auto integrator = make_integrator(s.integrator, s.options);
  Done done;
  done.result = run(scene, *integrator, s, {*s.duration, s.sample > 0.0 ? s.sample : 0.1, {&done.rows}, proceed});
  return done;
}

const std::vector<std::string> kIntegrators{"{method: rk4, step: 0.01}", "dormand-prince",
                                            "{method: verner, step: 0.02}", "cvode"};

TEST(Run, RowsLieOnTheirGridAndOnTheParabola) {
  for (const std::string& i : kIntegrators) {
    const Done d = move(ball(), "duration: 1\ninitial: {q: {ball: 2}, qd: {ball: 1}}\nintegrator: " + i);
    EXPECT_EQ(d.result.end, RunResult::End::duration) << d.result.ended_by;
    ASSERT_EQ(d.rows.t.size(), 11u) << i;
    EXPECT_EQ(d.rows.t[3], 0.3);  // and not 0.30000000000000004
    const double tolerance = i == "cvode" ? 1e-8 : 1e-12;
    for (std::size_t k = 0; k < d.rows.t.size(); ++k) {
      const double t = d.rows.t[k];
      EXPECT_NEAR(d.rows.q[k], 2.0 + t - kG / 2.0 * t * t, tolerance) << i;
      EXPECT_NEAR(d.rows.qd[k], 1.0 - kG * t, tolerance) << i;
    }
    EXPECT_LE(d.result.energy_residual, i == "cvode" ? 1e-8 : 1e-13) << i;
  }
}

TEST(Run, AFallEndsOnTheGround) {
  for (const std::string& i : kIntegrators) {
    const Done d = move(ball(),
                        "duration: 5\ninitial: {q: {ball: 1}}\nevents: [{name: ground, crossing: q.ball, stop: true}]\n"
                        "integrator: " +
                            i);
    EXPECT_EQ(d.result.end, RunResult::End::event);
    EXPECT_EQ(d.result.ended_by, "ground");
    const double tolerance = i == "cvode" ? 1e-8 : 1e-13;
    EXPECT_NEAR(d.result.final.t, std::sqrt(2.0 / kG), tolerance) << i;
    EXPECT_NEAR(d.rows.t.back(), std::sqrt(2.0 / kG), tolerance);  // the last row is there
    EXPECT_NEAR(d.rows.q.back(), 0.0, 10 * tolerance);
  }
}

TEST(Run, EventsHaveDirections) {
  // thrown up from 0 at 4 m/s: passes 0.5 m upwards, then downwards; and again every time where both count
  const std::string text =
      "duration: 0.8\ninitial: {q: {ball: 0}, qd: {ball: 4}}\nevents: [{name: e, crossing: q.ball - 0.5, direction: ";
  const double root = std::sqrt(16.0 - 2.0 * kG * 0.5), up = (4.0 - root) / kG, down = (4.0 + root) / kG;
  const auto times = [&](const char* direction) {
    std::vector<double> t;
    for (const RunEvent& e : move(ball(), text + direction + "}]").result.events) t.push_back(e.t);
    return t;
  };
  ASSERT_EQ(times("up").size(), 1u);
  EXPECT_NEAR(times("up")[0], up, 1e-13);
  ASSERT_EQ(times("down").size(), 1u);
  EXPECT_NEAR(times("down")[0], down, 1e-13);
  ASSERT_EQ(times("both").size(), 2u);
  EXPECT_EQ(times("both, once: true").size(), 1u);
}

TEST(Run, ATouchBetweenTheEndsOfAStepIsSeen) {
  // one step of a second; the ball is above 0.8 m for a third of it
  const Done d =
      move(ball(), "duration: 0.8\ninitial: {qd: {ball: 4}}\nevents: [{name: high, crossing: q.ball - 0.7}]");
  EXPECT_EQ(d.result.events.size(), 2u);
}

TEST(Run, LimitsAreEvents) {
  const Done d = move(ball(), "duration: 5\ninitial: {q: {ball: 1}}\nevents: [{limit: all, stop: true}]");
  EXPECT_EQ(d.result.ended_by, "lower limit of ball");
  EXPECT_NEAR(d.result.final.t, std::sqrt(8.0 / kG), 1e-13);
}

TEST(Run, ABounceTurnsTheVelocityAndTheEnergyIsAccountedFor) {
  const double e = 0.5, first = std::sqrt(2.0 / kG), v = kG * first;
  for (const std::string& i : kIntegrators) {
    const Done d =
        move(ball(),
             "duration: 1.2\ninitial: {q: {ball: 1}}\nevents: [{name: bounce, crossing: q.ball, direction: down, "
             "set: {qd.ball: -0.5*qd.ball}}]\nintegrator: " +
                 i);
    EXPECT_EQ(d.result.end, RunResult::End::duration) << d.result.ended_by;
    ASSERT_GE(d.result.events.size(), 3u) << i;
    const double tolerance = i == "cvode" ? 1e-7 : 1e-12;
    double t = first, speed = v;
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(d.result.events[k].t, t, tolerance) << i;
      speed *= e;
      t += 2.0 * speed / kG;
    }
    EXPECT_LE(d.result.energy_residual, i == "cvode" ? 1e-7 : 1e-12) << i;
  }
}

TEST(Run, AnEventThatNeverEndsIsNamedWithTimeAndState) {
  const Done d =
      move(ball(),
           "duration: 3\noutputs: {step: 0.01}\ninitial: {q: {ball: 1}}\nevents: [{name: bounce, crossing: q.ball, "
           "direction: down, set: {qd.ball: -0.5*qd.ball}}]");
  EXPECT_EQ(d.result.end, RunResult::End::failed);
  for (const char* part : {"`bounce` recurs endlessly", "t = 1.354", "q = ", "qd = "}) {
    EXPECT_NE(d.result.ended_by.find(part), std::string::npos) << d.result.ended_by;
  }
  // infinitely many bounces until t₁ (1 + 2 e/(1 − e)) = 3 t₁; every row before is there
  EXPECT_NEAR(d.result.final.t, 3.0 * std::sqrt(2.0 / kG), 1e-4);
  EXPECT_GE(d.rows.t.size(), 135u);
  // an action that undoes itself
  const Done back =
      move(ball(),
           "duration: 3\ninitial: {q: {ball: 1}}\nevents: [{name: lift, crossing: q.ball, direction: down, "
           "set: {q.ball: 1e-9}}]");
  EXPECT_EQ(back.result.end, RunResult::End::failed);
  EXPECT_NE(back.result.ended_by.find("`lift` recurs endlessly"), std::string::npos) << back.result.ended_by;
}

// However quickly it comes to rest, and by whatever integrator.
TEST(Run, AnEventThatNeverEndsIsNamedByEveryIntegrator) {
  for (const std::string& i : kIntegrators) {
    for (const char* kept : {"0.9", "0.5", "0.1", "1e-3"}) {
      const Done d =
          move(ball(), std::string("duration: 12\ninitial: {q: {ball: 1}}\nevents: [{name: bounce, crossing: q.ball, "
                                   "direction: down, set: {qd.ball: -") +
                           kept + "*qd.ball}}]\nintegrator: " + i);
      EXPECT_EQ(d.result.end, RunResult::End::failed) << i << kept;
      EXPECT_NE(d.result.ended_by.find("`bounce` recurs endlessly"), std::string::npos)
          << i << kept << d.result.ended_by;
      const double e = std::stod(kept);
      EXPECT_NEAR(d.result.final.t, std::sqrt(2.0 / kG) * (1.0 + 2.0 * e / (1.0 - e)), 1e-3) << i << kept;
    }
  }
}

TEST(Run, EventsOfTheSameInstantAllHappen) {
  const auto names = [](const Done& d) {
    std::string list;
    for (const RunEvent& e : d.result.events) list += e.name + " ";
    return list;
  };
  for (const std::string& i : kIntegrators) {
    // a note beside the bounce that turns the ball round, and an end that comes with both of them
    const std::string text =
        "duration: 1.2\ninitial: {q: {ball: 1}}\nintegrator: " + i +
        "\nevents: [{name: note, crossing: q.ball}, {name: bounce, crossing: q.ball, direction: down, set: "
        "{qd.ball: -0.6*qd.ball}}";
    EXPECT_EQ(names(move(ball(), text + "]")), "note bounce note bounce ") << i;
    const Done ended = move(ball(), text + ", {name: end, crossing: 2*q.ball, stop: true}]");
    EXPECT_EQ(names(ended), "note bounce end ") << i;
    EXPECT_EQ(ended.result.ended_by, "end");
  }
  // thirty at once are not one that never ends
  std::string many = "duration: 1\nevents: [";
  for (int k = 0; k < 30; ++k) many += "{time: 0.5, name: e}, {crossing: q.ball + 0.1, name: c}, ";
  const Done d = move(ball(), many.substr(0, many.size() - 2) + "]");
  EXPECT_EQ(d.result.end, RunResult::End::duration) << d.result.ended_by;
  EXPECT_EQ(d.result.event_count, 60);
}

// A hundred turns a second, each of which is noted, in a run of days.
TEST(Run, EventsThatAreFastAreNotOnesThatNeverEnd) {
  const Done d = move(wheel(),
                      "duration: 1e5\ninitial: {qd: {wheel: 200*pi}}\nintegrator: {method: rk4, step: 1e-3}\n"
                      "events: [{name: turn, crossing: sin(q.wheel/2)}]\noutputs: {step: 100}\n",
                      [](double t) { return t < 0.995; });
  EXPECT_EQ(d.result.end, RunResult::End::interrupted) << d.result.ended_by;
  EXPECT_EQ(d.result.event_count, 99);
}

// Set to 0.5 above its crossing and falling, it happens again where it passes that crossing again, and not at 0.5.
TEST(Run, ACrossingThatIsSetElsewhereStaysWhereItIs) {
  const Done d = move(wheel(),
                      "duration: 3\ninitial: {q: {wheel: 0.9}, qd: {wheel: 1}}\ninputs: {wheel: 1}\n"
                      "events: [{name: e, crossing: q.wheel - 1, direction: up, set: {q.wheel: 1.5, qd.wheel: -1}}]\n");
  // up through 1 where 0.9 + t + t² = 1; then 1.5 − s + s², which turns at 1.25 and never comes to 1 again
  EXPECT_EQ(d.result.events.size(), 1u);
  EXPECT_NEAR(d.result.events[0].t, (std::sqrt(1.4) - 1.0) / 2.0, 1e-12);
}

TEST(Run, AnActionElsewhereDoesNotRepeatItsEvent) {
  const Done d =
      move(ball(),
           "duration: 1\ninitial: {q: {ball: 1}}\nevents: [{name: faster, crossing: q.ball - 0.5, set: {qd.ball: "
           "2*qd.ball}}]");
  EXPECT_EQ(d.result.events.size(), 1u);
}

TEST(Run, HeldInputsJumpWhereTheyShould) {
  // torque 1 until 0.25, then −3 until 0.7, then 0; steps that do not divide these times
  const std::string text =
      "duration: 1\ninputs: {wheel: {between: hold, table: [[0, 1], [0.25, -3], [0.7, 0]]}}\nintegrator: ";
  const double w1 = 0.25 / 0.5, w2 = w1 - 3.0 * 0.45 / 0.5;
  const double q = 0.5 * 2.0 * 0.0625 + w1 * 0.45 - 0.5 * 6.0 * 0.2025 + w2 * 0.3;
  for (const std::string& i : kIntegrators) {
    const Done d = move(wheel(), text + i);
    const double tolerance = i == "cvode" ? 1e-8 : 1e-13;
    EXPECT_NEAR(d.result.final.v[0], w2, tolerance) << i;
    EXPECT_NEAR(d.result.final.q[0], q, tolerance) << i;
    EXPECT_LE(d.result.energy_residual, i == "cvode" ? 1e-8 : 1e-13);
  }
}

TEST(Run, InterpolatedInputs) {
  const Done straight = move(wheel(), "duration: 2\ninputs: {wheel: {table: [[0.5, 0], [1, 2], [1.5, 0]]}}");
  EXPECT_NEAR(straight.result.final.v[0], 0.5 * 1.0 * 2.0 / 0.5, 1e-12);
  EXPECT_EQ(straight.rows.tau.back(), 0.0);
  EXPECT_NEAR(straight.rows.tau[7], 0.8, 1e-12);
  // a straight line is its own monotone cubic
  const Done cubic = move(wheel(), "duration: 1\ninputs: {wheel: {between: cubic, table: [[0, 0], [0.5, 1], [1, 2]]}}");
  EXPECT_NEAR(cubic.result.final.v[0], 1.0 / 0.5, 1e-12);
}

TEST(Run, FormulasSeeTimeAndState) {
  // J q̈ = −2 q, so that q = cos 2t
  const Done d = move(wheel(), "duration: 3\ninitial: {q: {wheel: 1}}\ninputs: {wheel: -2*q.wheel}");
  EXPECT_NEAR(d.result.final.q[0], std::cos(6.0), 1e-8);
  const Done force = move(wheel(), "duration: 2\ninputs: {wheel: cos(t)}");
  EXPECT_NEAR(force.result.final.v[0], std::sin(2.0) / 0.5, 1e-9);
}

TEST(Run, TimedEventsChangeInputs) {
  const Done d =
      move(wheel(), "duration: 1\ninputs: {wheel: 1}\nevents: [{time: 0.33, inputs: {wheel: -1}, message: back}]");
  EXPECT_NEAR(d.result.final.v[0], (0.33 - 0.67) / 0.5, 1e-12);
  ASSERT_EQ(d.result.events.size(), 1u);
  EXPECT_EQ(d.result.events[0].t, 0.33);
  EXPECT_EQ(d.result.events[0].message, "back");
}

TEST(Run, ComputedTorqueFollowsExactly) {
  const Mechanism puma = load("puma560");
  const Done d = move(puma, R"(
friction: false
duration: 1
initial: {q: [0, -90 deg, 90 deg, 0, 0, 0]}
controllers:
  - law: computed-torque
    kp: 100
    kd: 20
    trajectory: {times: [0, 1], points: [[0, -90 deg, 90 deg, 0, 0, 0], [1, -1, 2, 0.5, 0.4, -0.3]]}
)");
  EXPECT_EQ(d.result.end, RunResult::End::duration) << d.result.ended_by;
  const std::vector<double> goal{1, -1, 2, 0.5, 0.4, -0.3};
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(d.result.final.q[k], goal[k], 1e-9);
  // half way a quintic is half way
  EXPECT_NEAR(d.rows.q[5], 0.5, 1e-9);
}

// The slopes of torques that implicit integrators are given, against differences of the torques.
TEST(Run, SlopesOfTorquesAreThoseOfTheTorques) {
  const Mechanism arm = load("double-pendulum");
  const Model<double> model = instantiate<double>(arm);
  for (const char* text :
       {"inputs: {upper: q.lower*qd.upper^2 + sin(q.upper), lower: t*q.upper}",
        "controllers: [{law: computed-torque, kp: 30, kd: 7, trajectory: {times: [0, 1], points: [[0, 0], [1, 2]]}}]",
        "controllers: [{law: pid, kp: 30, kd: 7, ki: 3, trajectory: {times: [0, 1], points: [[0, 0], [1, 2]]}}]"}) {
    const ScenarioResult read = read_scenario_text(std::string("scenario: 1\n") + text, "s.yaml", arm, model);
    ASSERT_TRUE(read.scenario);
    ScenarioDriven scene(arm, *read.scenario, DrivenOptions::Way::reference);
    const double t = 0.3, h = 1e-6;
    std::vector<double> q{0.4, -0.7}, v{1.1, 0.6}, a(2), dz(static_cast<std::size_t>(scene.nz()));
    const std::vector<double> z(dz.size(), 0.1);
    std::vector<double> d_q(4), d_v(4);
    scene.slopes(t, q, v, z, a, dz);
    ASSERT_TRUE(scene.jacobian(t, q, v, d_q, d_v));
    for (std::size_t k = 0; k < 2; ++k) {
      for (std::vector<double>* x : {&q, &v}) {
        std::vector<double> plus(2), minus(2);
        (*x)[k] += h;
        scene.slopes(t, q, v, z, plus, dz);
        (*x)[k] -= 2 * h;
        scene.slopes(t, q, v, z, minus, dz);
        (*x)[k] += h;
        for (std::size_t i = 0; i < 2; ++i) {
          // of accelerations of a few hundred: differences are good to 1e-6
          EXPECT_NEAR((x == &q ? d_q : d_v)[2 * k + i], (plus[i] - minus[i]) / (2 * h), 2e-6 * (1.0 + std::abs(a[i])))
              << text;
        }
      }
    }
  }
}

TEST(Run, AnIntegralTakesAwayWhatGravityLeaves) {
  const auto held = [](const char* law) {
    return move(ball(), std::string("duration: 20\ncontrollers: [{law: ") + law +
                            ", trajectory: {times: [0, 1], points: [[0], [0]]}}]")
        .result.final.q[0];
  };
  EXPECT_NEAR(held("pd, kp: 100, kd: 30"), -2.0 * kG / 100.0, 1e-9);
  EXPECT_NEAR(held("pid, kp: 100, kd: 30, ki: 120"), 0.0, 1e-6);
}

TEST(Run, ABlowUpIsNamedWithTimeJointAndState) {
  // J q̈ = q̇², which reaches infinity after 0.5 s
  for (const char* i : {"dormand-prince", "{method: rk4, step: 1e-3}", "cvode"}) {
    const Done d = move(wheel(), std::string("duration: 1\noutputs: {step: 0.01}\ninitial: {qd: {wheel: 1}}\n"
                                             "inputs: {wheel: qd.wheel^2}\nintegrator: ") +
                                     i);
    EXPECT_EQ(d.result.end, RunResult::End::failed) << i;
    for (const char* part : {"t = 0.5", "q = ", "qd = "}) {
      EXPECT_NE(d.result.ended_by.find(part), std::string::npos) << i << ": " << d.result.ended_by;
    }
    ASSERT_GE(d.rows.t.size(), 50u) << i;
    EXPECT_NEAR(d.rows.qd[40], 1.0 / (1.0 - 2.0 * 0.4), 1e-6) << i;  // what came before is right
  }
}

// The last state of a run that cannot go on is one of the motion, not of a trial that was refused.
TEST(Run, TheLastRowOfABlowUpIsOfTheMotion) {
  const Done d = move(wheel(), "duration: 1\ninitial: {qd: {wheel: 1}}\ninputs: {wheel: qd.wheel^2}\n");
  ASSERT_EQ(d.result.end, RunResult::End::failed);
  // q̇ = 1/(1 − 2t), so that t = (1 − 1/q̇)/2
  EXPECT_NEAR(d.result.final.t, 0.5 - 0.5 / d.result.final.v[0], 1e-9);
  EXPECT_EQ(d.rows.t.back(), d.result.final.t);
  EXPECT_EQ(d.rows.qd.back(), d.result.final.v[0]);
}

// Held at rest, a hundred metres up: round-off of the potential energy is no energy that came from nowhere.
TEST(Run, RoundOffOfAMechanismAtRestIsNoResidual) {
  const Done d = move(ball(), "duration: 1\ninitial: {q: {ball: 100.1}}\ninputs: {ball: 19.62000000001}\n");
  EXPECT_LT(d.result.energy_residual, 1e-13);
  EXPECT_GT(d.result.final.v[0], 0.0);
}

TEST(Run, AnInputThatIsNoNumberIsNamed) {
  const Done d = move(wheel(), "duration: 2\ninputs: {wheel: sqrt(1 - t)}");
  EXPECT_EQ(d.result.end, RunResult::End::failed);
  EXPECT_NE(d.result.ended_by.find("wheel"), std::string::npos) << d.result.ended_by;
  EXPECT_NE(d.result.ended_by.find("t = 1"), std::string::npos) << d.result.ended_by;
  EXPECT_EQ(d.rows.t.back() > 0.89, true);
}

TEST(Run, EndsWhereItIsAsked) {
  const Done d = move(wheel(), "duration: 100\ninputs: {wheel: 1}\nintegrator: {method: rk4, step: 0.01}",
                      [](double t) { return t < 0.505; });
  EXPECT_EQ(d.result.end, RunResult::End::interrupted);
  EXPECT_NEAR(d.result.final.t, 0.51, 1e-12);
  EXPECT_EQ(d.rows.t.back(), d.result.final.t);
}

}  // namespace run_test
}  // namespace lw
