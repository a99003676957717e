#!/usr/bin/python3
"""Motions of planar four-bars with dry friction, for tests/simulate/trusted_motion_test.cpp.

Two are of journal_bearing.py: its crank-rocker without and with the bearing. The third has constant dry friction in
three joints and starts from rest. It has one freedom, the crank angle A: with the derivatives of all angles and centres
of mass by A (r: first, s: second, for A' = 1)

    sum of m c_r.(c_r A'' + c_s A'^2) + I r (r A'' + s A'^2) = -V_r - sum of F |rho| sign(A'),

rho: rates of the joints by A'. Motion goes on where a rho vanishes; where A' does, it goes on in a direction in which
the acceleration against friction points, or ends.
"""
import numpy as np

import journal_bearing
from arms import extrapolated, report

CRANK, COUPLER, ROCKER, FRAME, DENSITY, FRICTION, GRAVITY = .12, .36, .28, .4, 2.5, .05, 9.81
BARS = np.array([CRANK, COUPLER, ROCKER])
MASS, MOMENT = DENSITY * BARS, DENSITY * BARS ** 3 / 12 * np.ones(3)


def angles(A):
    """Of crank, coupler and rocker, in the mode in which the coupler's pin is above the line to the rocker's pivot."""
    tip = CRANK * np.array([np.cos(A), np.sin(A)])
    across = np.array([FRAME, 0]) - tip
    s = np.hypot(*across)
    coupler = np.arctan2(across[1], across[0]) + np.arccos((COUPLER ** 2 + s * s - ROCKER ** 2) / (2 * COUPLER * s))
    pin = tip + COUPLER * np.array([np.cos(coupler), np.sin(coupler)]) - [FRAME, 0]
    return np.array([A, coupler, np.arctan2(pin[1], pin[0])])


def motion_terms(A):
    """Inertia, velocity terms (for A' = 1), weight, and rates of the joints: crank, coupler on crank, rocker."""
    x = angles(A)
    u = np.stack([np.cos(x), np.sin(x)], -1)
    v = np.stack([-u[:, 1], u[:, 0]], -1)
    closure = np.stack([COUPLER * v[1], -ROCKER * v[2]], -1)  # crank + coupler - rocker: constant
    r = np.array([1, *np.linalg.solve(closure, -CRANK * v[0])])
    centripetal = CRANK * u[0] + COUPLER * r[1] ** 2 * u[1] - ROCKER * r[2] ** 2 * u[2]
    s = np.array([0, *np.linalg.solve(closure, centripetal)])
    first, second = BARS[:, None] * v * r[:, None], BARS[:, None] * (v * s[:, None] - u * (r ** 2)[:, None])
    c1, c2 = first / 2, second / 2
    c1[1] += first[0]
    c2[1] += second[0]
    inertia = MASS @ (c1 * c1).sum(1) + MOMENT @ (r * r)
    return inertia, MASS @ (c1 * c2).sum(1) + MOMENT @ (r * s), GRAVITY * MASS @ c1[:, 1], \
        np.array([r[0], r[1] - r[0], r[2]])


def acceleration(A, rate, signs):
    """signs: of the joints' own rates."""
    inertia, velocity, weight, rho = motion_terms(A)
    return (-velocity * rate * rate - weight - FRICTION * signs @ rho) / inertia


def rubbing(A, duration, step=.005):
    def slope(_, y):
        return np.array([y[1], acceleration(y[0], y[1], signs)])

    def begin(A):
        """Direction in which it leaves rest, 0: none."""
        rho = motion_terms(A)[3]
        return next((d for d in (1, -1) if d * acceleration(A, 0.0, d * np.sign(rho)) > 0), 0)

    def after(h):
        return extrapolated(slope, 0.0, y, h, 1)

    t, y, direction = 0.0, np.array([A, 0.0]), begin(A)
    ratios = np.sign(motion_terms(A)[3])
    while t < duration and direction:
        signs, h = direction * ratios, min(step, duration - t)

        def watched(y):
            """Positive until something changes its sign."""
            return np.array([direction * y[1], *(ratios * motion_terms(y[0])[3])])

        end = after(h)
        changed = watched(end) < 0
        if changed.any():  # the first instant
            low, high = 0.0, h
            for _ in range(48):
                middle = (low + high) / 2
                if (watched(after(middle)) < 0).any():
                    high = middle
                else:
                    low = middle
            h, end = high, after(high)
            changed = watched(end) < 0
            if changed[0]:
                direction = begin(end[0])
                end[1] = 0.0
            ratios = np.where(changed[1:], -ratios, ratios)
        t, y = t + h, end
    return y


def crank_rocker(mu, duration):
    return journal_bearing.simulate(journal_bearing.FourBar(mu=mu), 6.0, duration, 1e-12, .02)


if __name__ == "__main__":
    final = rubbing(np.radians(60), 2.0)
    report("rubbing.crank", final[0], within=1e-11)
    report("rubbing.rate", final[1], within=1e-10)
    dry = crank_rocker(0.0, 6.0)
    A = dry["q"][0]
    report("crank-rocker", .1 * np.cos(A), .1 * np.sin(A), within=1e-11)
    bearing = crank_rocker(.1, 3.0)
    report("bearing.q", bearing["q"], within=1e-11)
    report("bearing.qd", bearing["qd"], within=1e-10)
