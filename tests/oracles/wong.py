#!/usr/bin/python3
"""D. Wong, Parallel implementation of multibody dynamics for real-time simulation, University of British Columbia,
1991.

PUMA 600 (table 3.4), torso (section 3.5.2), Caterpillar 215B (tables 5.1 and 5.2): equations of motion, torques of the
profile (3.43), free motions, and runs driven by computed torques with fourth-order Runge-Kutta. The thesis prints data
and curves only. His k leads from a link's centre of mass to its inboard hinge, l to an outboard one, so that a hinge is
at l - k behind the hinge of its parent, and the centre of mass at -k; alpha turns about x (equation 3.18).
"""
import numpy as np

from arms import Arm, Link, X, Z, extrapolated, report, rk4, rotation

GRAVITY = [0, 0, -9.81]
Q, QD, QDD = np.array([.1, .2, .3, .4, .5, .6]), np.array([.6, .5, .4, .3, .2, .1]), np.arange(1.0, 7.0)


def link(parent, alpha, hinge, mass, k, inertia):
    return Link(parent, rotation(X, np.radians(alpha)), hinge, Z, mass, [-x for x in k], inertia)


def serial(rows):
    """rows: alpha (degrees), mass, k, l, diagonal of J."""
    links, hinge = [], [0, 0, 0]
    for i, (alpha, mass, k, l, inertia) in enumerate(rows):
        links.append(link(i - 1, alpha, hinge, mass, k, inertia))
        hinge = np.subtract(l, k)
    return Arm(links, GRAVITY)


PUMA = serial([(0, 10.521, [0, .054, 0], [0, .203, 0], [1.6120, .5091, 1.6120]),
               (-90, 15.781, [-.14, 0, 0], [.292, 0, 0], [.4898, 8.0783, 8.2672]),
               (0, 8.767, [0, .197, 0], [.02, -.235, 0], [3.3768, .3009, 3.3768]),
               (90, 1.052, [0, 0, .057], [0, 0, .057], [.1810, .1810, .1273]),
               (-90, 1.052, [0, .007, 0], [0, -.049, 0], [.0735, .0735, .1273]),
               (90, .351, [0, 0, .019], [0, 0, 0], [.0071, .0071, .0141])])

EXCAVATOR = serial([(0, 8031, [-1.05, .04, -.5], [.35, -.12, .5], [8000, 8000, 15700]),
                    (90, 1830, [-2.3, -.2, 0], [2.9, -.2, 0], [100, 15400, 15400]),
                    (0, 688, [-.9, -.1, 0], [.9, -.1, 0], [10, 600, 600]),
                    (0, 512, [-.5, -.5, 0], [0, 0, 0], [130, 130, 130])])


def torso(trunk, arm2):
    """Equation 3.48 and section 3.5.2; arm2: inertias of the second arm, of its mass and length."""
    def cylinder_y(m, l, r=.05):
        across = m * (r * r / 4 + l * l / 12)
        return [across, m * r * r / 2, across]

    ball = 2 / 5 * 5 * .12 ** 2
    k1, k3, k4, k5 = [0, 0, -.42], [0, .2, 0], [0, .2, 0], [0, -.2, 0]
    return Arm([link(-1, 0, [0, 0, 0], 41, k1, trunk),
                link(0, -90, np.subtract([0, 0, .242], k1), 5, [0, .12, 0], [ball] * 3),
                link(0, 90, np.subtract([.15, 0, .15], k1), 2.8, k3, cylinder_y(2.8, .45)),
                link(2, 0, np.subtract([0, -.25, 0], k3), 1.4, k4, cylinder_y(1.4, .4)),
                link(0, -90, np.subtract([-.15, 0, .15], k1), 2.8, k5, arm2(2.8, .45, cylinder_y)),
                link(4, 0, np.subtract([0, .25, 0], k5), 1.4, [0, -.2, 0], arm2(1.4, .4, cylinder_y))], GRAVITY)


def cylinder_x_of_upper_length(m, l, _, r=.05):
    """As printed: along x, the lower one too with the length of the upper."""
    across = m * (r * r / 4 + .45 * .45 / 12)
    return [m * r * r / 2, across, across]


TORSO = torso([2.7, 2.7, .4], lambda m, l, cylinder: cylinder(m, l))
TORSO_PRINTED = torso([2.7, .4, 2.7], cylinder_x_of_upper_length)
TORSO_BOTH = torso(np.array([[2.7, .4, 2.7], [2.7, 2.7, .4]]),  # as printed, set right: two arms at once
                   lambda m, l, cylinder: np.array([cylinder_x_of_upper_length(m, l, cylinder), cylinder(m, l)]))


def profile(t, T):
    """Equation 3.43 and its derivatives, the same for all joints: (..., 6) each."""
    w, t = 2 * np.pi / T, np.asarray(t)[..., None] * np.ones(6)
    return (w * t - np.sin(w * t)) / 2, (w - w * np.cos(w * t)) / 2, w * w * np.sin(w * t) / 2


def computed_torque(arm, t, T):
    return arm.torque(*profile(t, T))


def peaks(arm, T, count):
    t = np.linspace(0, T, count + 1)
    tau = computed_torque(arm, t, T)
    at = np.argmax(abs(tau), axis=0)
    return tau[at, range(6)], t[at]


def single_states():
    zero = np.zeros(6)
    report("wong.puma.M0", PUMA.mass_matrix(zero))
    report("wong.puma.M", PUMA.mass_matrix(Q))
    report("wong.puma.bias", PUMA.bias(Q, QD))
    report("wong.puma.gravity", PUMA.weights(Q))
    report("wong.puma.inverse", PUMA.torque(Q, QD, QDD))
    report("wong.puma.forward", PUMA.acceleration(zero, zero, zero))
    for t in (0, 1.25, 2.5, 3.75, 5, 6.25, 7.5, 8.75, 10):
        report(f"wong.puma.torque.{t}", computed_torque(PUMA, t, 10.0))
    largest, when = peaks(PUMA, 10.0, 1000)
    report("wong.puma.peaks", largest)
    report("wong.puma.peak-times", when)

    report("wong.torso.M0", TORSO.mass_matrix(zero))
    report("wong.torso.M0-printed", TORSO_PRINTED.mass_matrix(zero))
    report("wong.torso.M", TORSO.mass_matrix(Q))
    report("wong.torso.bias", TORSO.bias(Q, QD))
    report("wong.torso.bias-printed", TORSO_PRINTED.bias(Q, QD))
    report("wong.torso.forward", TORSO.acceleration(Q, QD, zero))
    report("wong.torso.torque", computed_torque(TORSO, 2.5, 5.0))
    report("wong.torso.torque-printed", computed_torque(TORSO_PRINTED, 2.5, 5.0))
    report("wong.torso.peaks", peaks(TORSO, 5.0, 5000)[0])

    zero, q, qd = np.zeros(4), np.array([.1, .5, -1, -.3]), np.array([.3, .2, -.1, .4])
    report("wong.excavator.M0", EXCAVATOR.mass_matrix(zero))
    report("wong.excavator.gravity0", EXCAVATOR.weights(zero))
    report("wong.excavator.M", EXCAVATOR.mass_matrix(q))
    report("wong.excavator.bias", EXCAVATOR.bias(q, qd))
    report("wong.excavator.gravity", EXCAVATOR.weights(q))
    report("wong.excavator.forward", EXCAVATOR.acceleration(q, qd, zero))
    for name, at in (("pin", q), ("pin0", zero)):
        report(f"wong.excavator.{name}", EXCAVATOR.pose(at)[1][3])


def fall(arm, q, qd):
    n = arm.n

    def slope(_, y):
        return np.concatenate([y[n:], arm.acceleration(y[:n], y[n:], np.zeros(n))])

    fine, coarse = (extrapolated(slope, 0.0, np.concatenate([q, qd]), 1.0, steps) for steps in (32, 24))
    assert abs(fine - coarse).max() < 1e-11, abs(fine - coarse).max()
    return fine[:n], fine[n:]


def free_motions():
    q, qd = fall(PUMA, np.zeros(6), np.zeros(6))
    report("wong.motion.puma.rest.q", q)
    report("wong.motion.puma.rest.qd", qd)
    _, _, kinetic, potential = PUMA.terms(q, qd)
    report("wong.motion.puma.rest.energy", kinetic + potential)
    q, qd = fall(PUMA, Q, QD)
    report("wong.motion.puma.q", q)
    report("wong.motion.puma.qd", qd)
    report("wong.motion.torso.q", fall(TORSO, Q, QD)[0])
    q, qd = fall(EXCAVATOR, np.array([.1, .5, -1, -.3]), np.array([.3, .2, -.1, .4]))
    report("wong.motion.excavator.q", q)
    report("wong.motion.excavator.qd", qd)


def open_loop(arm, T, h, arms=()):
    """Errors (degrees) of angles, rates and accelerations at every step of Runge-Kutta under computed torques."""
    steps, n = round(T / h), arm.n
    tau = computed_torque(arm, np.arange(2 * steps + 1).reshape(-1, *(1,) * len(arms)) * h / 2, T)  # every half step

    def slope(t, y):
        return np.concatenate([y[..., n:], arm.acceleration(y[..., :n], y[..., n:], tau[round(2 * t / h)])], -1)

    y, errors = np.zeros((*arms, 2 * n)), []
    for k in range(steps):
        y = rk4(slope, k * h, y, h)
        q, qd, qdd = profile((k + 1) * h, T)
        a = arm.acceleration(y[..., :n], y[..., n:], tau[2 * k + 2])
        errors.append(np.degrees([q - y[..., :n], qd - y[..., n:], qdd - a]))
    return np.array(errors)


def largest(errors):
    """Of the kind, by joint: where its magnitude is largest."""
    at = np.argmax(abs(errors), axis=0)
    return np.take_along_axis(errors, at[None], 0)[0]


def tracking():
    angle, rate, acceleration = largest(open_loop(PUMA, 10.0, .01))
    report("wong.tracking.puma.sixth", angle[5], rate[5], acceleration[5])
    report("wong.tracking.puma.angle", angle)
    report("wong.tracking.puma.rate", rate)
    report("wong.tracking.puma.acceleration", acceleration)
    coarse = largest(open_loop(PUMA, 10.0, .02))[0]
    report("wong.tracking.puma.coarse", coarse[5])
    report("wong.tracking.puma.order", coarse[5] / angle[5])
    report("wong.tracking.torso.sixth", largest(open_loop(TORSO_BOTH, 5.0, .001, (2,)))[0][:, 5])
    with np.errstate(all="ignore"):
        errors = open_loop(TORSO, 5.0, .01)[:, 0]
    lost = np.argmax(~(abs(errors) <= 1).all(axis=1))
    report("wong.tracking.torso.lost", .01 * (lost + 1))


def oil():
    """Tables 5.1 and 5.2, all valves closed: stiffness 2 beta (D G)^2 / 8 of a joint, undamped modes at 0."""
    stiffness = 2 * 1000.0 * (0.7 * np.array([307, 545, 220, 250])) ** 2 / 8
    M = EXCAVATOR.mass_matrix(np.zeros(4))
    rates = np.sort(np.sqrt(np.linalg.eigvals(np.linalg.solve(M, np.diag(stiffness))).real))
    z = 1j * rates[3] * .01
    report("wong.integrators.stiffness", stiffness)
    report("wong.integrators.modes", rates)
    report("wong.integrators.factor", abs(1 + z + z ** 2 / 2 + z ** 3 / 6 + z ** 4 / 24))


if __name__ == "__main__":
    single_states()
    oil()
    free_motions()
    tracking()
