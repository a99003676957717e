#!/usr/bin/python3
"""The samples of field.json once more, by the programs in field/ without mpmath: where the stored states are of
elliptic integrals or of a quadrature with 30 digits, by the differential equation in 80-bit arithmetic.

A result is a sample: problem@time, its coordinates and its rates, in the order of field.json.
"""
import math
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "field"))

import andrews  # noqa: E402
import bricard  # noqa: E402
import car_axis  # noqa: E402
import governor  # noqa: E402
import heavy_top  # noqa: E402
import n_four_bar  # noqa: E402
import pendulum  # noqa: E402
import slider_crank  # noqa: E402
from arms import report  # noqa: E402
from numerics import LONG  # noqa: E402

SECONDS = range(1, 11)


def sample(problem, t, state, accuracy):
    numbers = [x for part in state for value in part.values() for x in (value if isinstance(value, list) else [value])]
    report(f"{problem}@{float(t)}", numbers, within=accuracy * (1 + max(map(abs, numbers))))


def windows(n):
    for t in SECONDS:
        a, rate = (float(x) for x in n_four_bar.integrated(n, 1e-17, t))
        state = n_four_bar.joints(n, a), n_four_bar.joints(n, rate)
        if t < 10:  # the others follow
            state = tuple({"A0": part["A0"]} for part in state)
        sample(f"A02-{n}", t, state, 3e-14)
    # instants at which all bars lie on one line: t = integral of da/a' over quarters of a turn
    k = 9.81 * ((n + 1) / 2 + n) / ((n + 1) / 3 + n)
    x, w = np.polynomial.legendre.leggauss(40)

    def quarter(begin):
        a = begin + math.pi / 4 * (x + 1)
        return math.pi / 4 * (w @ (1 / np.sqrt(1 + 4 * k * np.sin(a / 2) ** 2)))

    first, around = quarter(0.0), quarter(math.pi / 2) + quarter(math.pi)
    after = quarter(3 * math.pi / 2) + first
    times = [first]
    while times[-1] + (step := around if len(times) % 2 else after) <= 10:
        times.append(times[-1] + step)
    report(f"A02-{n}@singular", times, within=1e-14 * 10)


def slider_crank_at(t):
    a, w = slider_crank.integrated(1e-17, end=t)
    x, x1, phi, p, inertia, _ = slider_crank.geometry(a, LONG)
    return {"A": float(a), "B": float(phi - a), "P": float(x)}, {"A": float(w), "B": float((p - 1) * w),
                                                                 "P": float(x1 * w)}, {"": float(inertia * w * w / 2)}


if __name__ == "__main__":
    for t in SECONDS:
        angle, rate = pendulum.integrated(1e-17, t)
        sample("A01", t, ({"P": float(angle)}, {"P": float(rate)}), 1e-15)
    for n in (2, 10, 40):
        windows(n)
    for problem, start, ends in (("A03-testset", andrews.START, ("0.03", "0.05")),
                                 ("A03", andrews.closed("-0.0620"), ("0.05",))):
        for end in ends:
            sample(problem, end, andrews.joints(andrews.motion(start, LONG(end), 1e-16)), 5e-13)
    for t, state in zip(SECONDS, bricard.reduced(SECONDS, 1e-16)):
        sample("A04", t, state, 2e-14)
    for t, y in zip(SECONDS, governor.stiff([float(t) for t in SECONDS], .005)):
        sample("A05", t, governor.joints(y), 2e-14)
    for t, y in zip(("0.2", "1", "2"), heavy_top.motion(("0.2", "1", "2"), 1e-17)):
        sample("heavy-top", t, heavy_top.joint(y), 1e-15)
    for t in (1, 2, 3):
        sample("car-axis", t, car_axis.joints(LONG(t), car_axis.motion(t, 1e-17)), 2e-14)
    for t in (.5, 1, 1.5, 2):
        sample("slider-crank-coulomb", t, slider_crank_at(t), 1e-15)
