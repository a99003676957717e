/* Computed torque at 1 kHz on a simulated arm, by the code that `linkwright compile` makes of arm.yaml: inverse dynamics
 * commands, forward dynamics answers. The weight in the hand stayed a parameter, so that the controller can be wrong
 * about it: once it knows nothing of the load, once it knows it.
 */
#include <math.h>
#include <stdio.h>

#include "arm.h"

enum { N = 3 };
static const double kStep = 1e-3, kSeconds = 4.0, kStiffness = 400.0, kDamping = 40.0; /* 1/s^2 and 1/s: critical */

/* Where the joints should be. */
static void wanted(double t, double *q, double *qd, double *qdd) {
  static const double middle[N] = {0.0, -0.6, 1.2}, swing[N] = {0.8, 0.4, 0.6}, rate[N] = {1.5, 2.0, 2.5};
  for (int i = 0; i < N; ++i) {
    q[i] = middle[i] + swing[i] * sin(rate[i] * t);
    qd[i] = swing[i] * rate[i] * cos(rate[i] * t);
    qdd[i] = -swing[i] * rate[i] * rate[i] * sin(rate[i] * t);
  }
}

/* One step of the arm under constant torques (Runge and Kutta's fourth order). */
static void move(double load, const double *tau, double *q, double *qd) {
  static const double at[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0, 2.0, 2.0, 1.0};
  double v[N] = {0}, a[N] = {0}, dq[N] = {0}, dqd[N] = {0};
  for (int k = 0; k < 4; ++k) {
    double x[N], y[N];
    for (int i = 0; i < N; ++i) {
      x[i] = q[i] + at[k] * kStep * v[i];
      y[i] = qd[i] + at[k] * kStep * a[i];
    }
    arm_forward(x, y, tau, &load, a);
    for (int i = 0; i < N; ++i) {
      v[i] = y[i];
      dq[i] += weight[k] * kStep / 6.0 * v[i];
      dqd[i] += weight[k] * kStep / 6.0 * a[i];
    }
  }
  for (int i = 0; i < N; ++i) {
    q[i] += dq[i];
    qd[i] += dqd[i];
  }
}

/* Follows the path and returns the largest error after the first second. */
static double follow(double load, double believed) {
  double q[N], qd[N], qdd[N], worst = 0.0;
  wanted(0.0, q, qd, qdd);
  for (int i = 0; i < N; ++i) q[i] += 0.1; /* beside the path at first */
  const int steps = (int)(kSeconds / kStep + 0.5);
  for (int k = 0; k < steps; ++k) {
    double goal[N], goal_d[N], command[N], tau[N];
    wanted(k * kStep, goal, goal_d, command);
    for (int i = 0; i < N; ++i) {
      const double error = goal[i] - q[i];
      if (k * kStep > 1.0 && fabs(error) > worst) worst = fabs(error);
      command[i] += kStiffness * error + kDamping * (goal_d[i] - qd[i]);
    }
    arm_inverse(q, qd, command, &believed, tau);
    move(load, tau, q, qd);
  }
  return worst;
}

int main(void) {
  const double load = 2.0, blind = follow(load, 0.0), knowing = follow(load, load);
  printf("largest error with %.0f kg in the hand: %.5f rad unknown, %.5f rad known\n", load, blind, knowing);
  return knowing < 2e-3 && knowing < 0.1 * blind ? 0 : 1;
}
