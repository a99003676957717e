#!/usr/bin/python3
"""J.-T. Twu, Automated generation of robotic dynamics simulators through symbolic computing, Kansas State University,
1987, chapter 5: motions of both examples under joint forces a sqrt(t) + b, their sensitivities to every parameter, and
his tables as his program made them.

At q = 0 all frames are parallel; frame i is at joint i, the next one l_i along the link; gravity g along -y.
Sensitivities are complex steps of all parameters at once through an integration in s = sqrt(t), in which the forces are
smooth. The printed tables are read from reproduce/twu_planar.cpp and twu_spatial.cpp.
"""
import os
import re

import numpy as np

from arms import Arm, Link, extrapolated, report

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../reproduce")
STEP = 1e-30
TIMES = .02 * np.arange(10)


class Example:
    """links: along, axis ('' slides along), length, mass, coordinate of the centre of mass along, moments x y z."""

    def __init__(self, name, links, a, b, degrees):
        self.name, self.links, self.a, self.b, self.n = name, links, np.array(a), np.array(b), len(links)
        self.start = np.radians(degrees)

    def arm(self, g=0.0, varied=()):
        """With as many variants as `varied` names parameters, each off by a complex step; or as it is."""
        def of(name, value):
            k = np.array([STEP * 1j if name == parameter else 0 for parameter in varied])
            return value + k if varied else value

        links, offset = [], np.zeros(3)
        for i, (along, axis, length, mass, centre, moments) in enumerate(self.links, 1):
            e = np.eye(3)["xyz".index(along)]
            inertia = np.stack([of(name, m) for name, m in zip(self.moment_names(i), moments)], -1)
            links.append(Link(i - 2, np.eye(3), offset, np.eye(3)["xyz".index(axis or along)], of(f"m{i}", mass),
                              np.multiply.outer(of(f"c{i}", centre), e), inertia, slides=not axis))
            offset = np.multiply.outer(of(f"l{i}", length), e)
        return Arm(links, np.multiply.outer(of("g", g), [0, -1.0, 0]))

    def moment_names(self, i):
        return f"link{i}.xx", f"link{i}.yy", f"i{i}" if self.name == "planar" else f"link{i}.zz"

    def force(self, t):
        return self.a * np.sqrt(t) + self.b

    def motion(self, arm, variants=()):
        """q, qd, qdd at TIMES, stacked over time; work of the forces."""
        n, kind = self.n, complex if variants else float

        def slope(s, y):  # by s = sqrt(t)
            qdd = arm.acceleration(y[..., :n], y[..., n:2 * n], self.force(s * s))
            power = (self.force(s * s) * y[..., n:2 * n]).sum(-1, keepdims=True)
            return 2 * s * np.concatenate([y[..., n:2 * n], qdd, power], -1)

        y = np.zeros((*variants, 2 * n + 1), kind)
        y[..., n:2 * n] = self.start
        rows = [y]
        for before, after in zip(TIMES, TIMES[1:]):
            rows.append(extrapolated(slope, np.sqrt(before), rows[-1], np.sqrt(after), 2, columns=6))
        q, qd, work = (np.array([row[..., part] for row in rows]) for part in
                       (slice(0, n), slice(n, 2 * n), slice(2 * n, None)))
        qdd = np.array([arm.acceleration(q[k], qd[k], self.force(t)) for k, t in enumerate(TIMES)])
        return q, qd, qdd, work[..., 0]


PLANAR = Example("planar", [("x", "z", 1.5, 45, .75, (0, 0, 8.4375)), ("x", "z", 1.0, 30, .5, (0, 0, 2.5)),
                            ("x", "z", .75, 25, .375, (0, 0, 1.17))],
                 [10, 8, 6], [6, 5, 4], [12, -8, -4])
SPATIAL = Example("spatial", [("y", "y", 1.5, 50, .75, (9.375, 1.0, 9.375)), ("x", "z", 1.0, 30, .5, (.15, 2.5, 2.5)),
                              ("x", "y", .75, 20, .375, (.1, .9375, .9375)), ("x", "", .25, 15, -.15, (.075, .8, .8))],
                  [10, 8, 6, 4], [6, 5, 4, 3], [20, 15, -15, 5])


def numbers(text):
    return [float(x) for x in re.findall(r"[-+]?\d*\.?\d+(?:e[-+]?\d+)?", text)]


def source(example):
    with open(os.path.join(FOLDER, f"twu_{example.name}.cpp"), encoding="utf-8") as file:
        return file.read()


def printed(example, what):
    name = f"k{example.name.capitalize()}Printed{what}"
    body = re.search(rf"{name}\s*{{(.*?)}};", source(example), re.S).group(1)
    return np.reshape(numbers(body), (-1, example.n))


def start(example):
    arm, zero = example.arm(), np.zeros(example.n)
    M, h, kinetic, _ = arm.terms(zero, example.start)
    report(f"twu.{example.name}.M0", M)
    report(f"twu.{example.name}.h0", h)
    report(f"twu.{example.name}.start", arm.acceleration(zero, example.start, example.b))
    report(f"twu.{example.name}.kinetic", kinetic)
    # of a length, a centre along the link, a mass and three moments per link, and g: those that joint forces depend on
    names = [name for i in range(1, example.n + 1) for name in (f"l{i}", f"c{i}", f"m{i}", *example.moment_names(i))]
    q, qd, qdd = np.random.default_rng(5).uniform(-1, 1, (3, 1, example.n)) * np.ones((len(names) + 1, 1))
    slopes = example.arm(9.81, [*names, "g"]).torque(q, qd, qdd).imag / STEP
    report(f"{example.name}.felt", (abs(slopes).max(-1) > 1e-9).sum())
    report(f"{example.name}.heavy-start", example.arm(9.81).acceleration(zero, example.start, example.b))


def motions(example):
    exact = 1e-14  # what extrapolation leaves, of numbers of up to about 1
    for name, g in (("motion", 0.0), ("heavy", 9.81)):
        arm = example.arm(g)
        q, qd, qdd, work = example.motion(arm)
        rows = np.concatenate([q, qd, qdd], -1)
        names = (name, "verner", "cvode") if g == 0 else (name,)
        for row in names:
            report(f"twu.motion.{example.name}.{row}", rows, within=exact * max(1, abs(rows).max()))
        _, _, kinetic, potential = arm.terms(q, qd)
        energies = np.stack([kinetic, potential], -1)
        if g:
            report(f"twu.motion.{example.name}.heavy.energy", energies, within=exact * 100)
        else:
            for row in ("gain", "work"):
                report(f"twu.motion.{example.name}.{row}", work, within=exact * 10)
            assert abs(kinetic - kinetic[0] - work).max() < 1e-12


def sensitivities(example):
    """At 0.18 s, without gravity: of the motion, and of the joint forces that hold it."""
    names = re.findall(r'{"([\w.]+)",\s*{', source(example))  # the order of the rows
    arm = example.arm(0.0, names)
    q, qd, qdd = (part[-1].imag / STEP for part in example.motion(arm, (len(names),))[:3])
    moved = np.concatenate([q, qd, qdd], -1)
    q, qd, qdd = (np.tile(part[-1], (len(names), 1)) for part in example.motion(example.arm())[:3])
    held = arm.torque(q, qd, qdd).imag / STEP
    for row in ("nest", "direct", "adjoint", "cvodes"):
        report(f"twu.sensitivity.{example.name}.{row}", moved, within=1e-13 * abs(moved).max())
    for row in ("nest", "compiled"):
        report(f"twu.sensitivity.{example.name}.held.{row}", held, within=1e-13 * abs(held).max())


# Verner's eight stages as in IMSL's DVERK: nodes, stages, weights of order 6.
NODES = [0, 1 / 6, 4 / 15, 2 / 3, 5 / 6, 1, 1 / 15, 1]
STAGES = [[], [1 / 6], [4 / 75, 16 / 75], [5 / 6, -8 / 3, 5 / 2], [-165 / 64, 55 / 6, -425 / 64, 85 / 96],
          [12 / 5, -8, 4015 / 612, -11 / 36, 88 / 255], [-8263 / 15000, 124 / 75, -643 / 680, -81 / 250, 2484 / 10625],
          [3501 / 1720, -300 / 43, 297275 / 52632, -319 / 2322, 24068 / 84065, 0, 3850 / 26703]]
WEIGHTS = [3 / 40, 0, 875 / 2244, 23 / 72, 264 / 1955, 0, 125 / 11592, 43 / 616]


def his_run(example, start):
    """Steps of 0.01 s without gravity; every call uses the forces that the call before it computed at its end."""
    arm, n, h, remembered = example.arm(), example.n, .01, [example.force(0.0)]

    def slope(t, y):
        qdd = arm.acceleration(y[:n], y[n:], remembered[0])
        remembered[0] = example.force(t)
        return np.concatenate([y[n:], qdd])

    y = np.concatenate([np.zeros(n), start])
    rows = [y]
    for k in range(18):
        slopes = []
        for node, stage in zip(NODES, STAGES):
            slopes.append(slope((k + node) * h, y + h * sum((a * s for a, s in zip(stage, slopes)), 0 * y)))
        y = y + h * sum(w * s for w, s in zip(WEIGHTS, slopes))
        rows.append(y)
    q, qd = np.array(rows[::2])[:, :n], np.array(rows[::2])[:, n:]
    return q, qd, np.array([arm.acceleration(q[k], qd[k], example.force(t)) for k, t in enumerate(TIMES)])


def lag():
    same = 0
    for example in (PLANAR, SPATIAL):
        for what, ours in zip(("Q", "Qd", "Qdd"), his_run(example, example.start)):
            table = printed(example, what)
            with np.errstate(divide="ignore"):
                digit = np.where(table == 0, 0, np.minimum(1e-4, 10 ** (np.floor(np.log10(abs(table))) - 3)))
            same += (abs(table - ours) <= .5 * digit * (1 + 1e-9)).sum()
    report("twu.lag.cells", same)
    # from the start with seven digits
    q, qd, _ = his_run(SPATIAL, np.array([.3490659, .2617994, -.2617994, .0872665]))
    report("lag.q1", q[1, 0])
    report("lag.qd3", qd[9, 2])


if __name__ == "__main__":
    for one in (PLANAR, SPATIAL):
        start(one)
        motions(one)
        sensitivities(one)
    lag()
