"""IFToMM A05: stiff flyball governor, in the symmetric motion of both rods.

Coordinates: height s of the slider, angle a of the rods below the horizontal, shaft angle f. With J(a) the inertia
about the shaft, d(s, a) the length of a spring and T = k (d - d0) + c d' its tension, the angular momentum h = J f'
is constant and

    m_slider s'' = -m_slider g - 2 T dd/ds,    K a'' = 1/4 J'(a) f'^2 + g S cos a - T dd/da

K and S are the second and first moments of a rod with its ball about its pin. The springs relax at k/c = 20 1/s, the
dampers at more than 1e4 1/s: Radau IIA with graded steps. Second method: the same equations by explicit extrapolation
(`--explicit`: over all 10 s, which takes minutes). Third: accelerations by maximal.py, from the model file, at states
of the motion.
"""
import math
import os
import sys

import numpy as np

from numerics import extrapolate, radau

END = 10
FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../reproduce/field/governor.yaml')
G, K, C, REST, BALL, ROD, SLIDER, HALF = 9.81, 8e5, 4e4, 0.5, 5.0, 0.3, 3.0, 0.05
THIN, THICK = ROD * 0.01**2 / 6, ROD * (1 + 0.01**2) / 12
FIXED = THIN + SLIDER * 0.1**2 / 6  # shaft and slider about the shaft
PIVOT = THICK + ROD / 4 + BALL  # a rod with its ball about its pin
FIRST, SECOND = (
    ROD / 2 + BALL,
    THICK - THIN + ROD / 4 + BALL,
)  # moments along the rod: first, and second (of the axial terms)


def inertia(a):
    """About the shaft, and its slope over a. A rod's point at x has the radius b/2 + x cos a."""
    c, s = np.cos(a), np.sin(a)
    mass = ROD + BALL
    return (
        FIXED + 2 * (THIN + mass * HALF**2 + 2 * HALF * FIRST * c + SECOND * c * c),
        -2 * (2 * HALF * FIRST * s + 2 * SECOND * c * s),
    )


MOMENTUM = inertia(math.pi / 6)[0] * 2 * math.pi


def spring(s, a, sd, ad):
    """Tension, and the derivatives of the length over s and a. The rod's middle is at (b/2 + cos a/2, 1 - sin a/2)."""
    x, z = np.cos(a) / 2, 1 - np.sin(a) / 2 - s
    d = np.sqrt(x * x + z * z)
    ds, da = -z / d, (-x * np.sin(a) - z * np.cos(a)) / 2 / d
    return K * (d - REST) + C * (ds * sd + da * ad), ds, da


def rate(y):
    """y = s, a, s', a', f; columns are states."""
    s, a, sd, ad = y[0], y[1], y[2], y[3]
    T, ds, da = spring(s, a, sd, ad)
    J, dJ = inertia(a)
    spin = MOMENTUM / J
    sdd = -G - 2 * T * ds / SLIDER
    # of one rod: PIVOT a'' = 1/4 J' f'^2 + g FIRST cos a - T dd/da      (V = -g FIRST sin a)
    add = (dJ * spin * spin / 4 + G * FIRST * np.cos(a) - T * da) / PIVOT
    return np.array([sd, ad, sdd, add, spin])


START = np.array([0.5, math.pi / 6, 0, 0, 0])


def grid(points, longest):
    """From 0 over `points`, steps up to `longest`, finely graded at first: the dampers' transient takes 1e-3 s."""
    times = [0.0]
    h = 1e-5
    for end in points:
        while times[-1] < end:
            n = math.ceil((end - times[-1]) / h)
            times.append(end if n <= 1 else times[-1] + min(h, (end - times[-1]) / n))
            h = min(1.25 * h, longest)
    return np.array(times)


def stiff(points, longest, stages=7):
    y, results, last = START, [], 0.0
    times = grid(points, longest)
    for end in points:
        part = times[(times >= last) & (times <= end)]
        y = radau(rate, y, part, stages)
        results.append(y)
        last = end
    return results


def joints(y):
    s, a, sd, ad, f = (float(x) for x in y)
    return (
        {'shaft': f, 's': s, 'right': a, 'left': a},
        {'shaft': float(MOMENTUM / inertia(a)[0]), 's': sd, 'right': ad, 'left': ad},
    )


if __name__ == '__main__':
    from maximal import Maximal

    np.set_printoptions(precision=17, linewidth=150)
    points = [0.1, 1.0, 5.0, 10.0]
    for stages, longest in ((5, 0.02), (7, 0.02), (7, 0.01), (7, 0.005)):
        print('Radau, %d stages, steps to %g s' % (stages, longest), stiff(points, longest, stages)[-1])
    y = stiff([0.1, 1.0], 0.005)
    if '--explicit' in sys.argv:
        explicit = extrapolate(lambda t, x: rate(x), 0, START, 10.0, 1e-11, first=1e-5)
        print('extrapolation at 10 s less Radau', explicit - stiff([10.0], 0.01)[0])
    explicit = extrapolate(lambda t, x: rate(x), 0, START, 0.1, 1e-13, first=1e-5)
    print('extrapolation at 0.1 s less Radau', explicit - y[0])
    model = Maximal(FILE)
    for state in (START, y[0], y[1]):
        q, qd = joints(state)
        full = model.assemble(q, qd)
        a = model.accelerations(model.project(0, full)).reshape(4, 6)
        ours = rate(state)
        print(
            'maximal: slider, its vertical acceleration',
            a[1, 2],
            'and',
            ours[2],
            'shaft',
            a[0, 5],
            'and',
            -MOMENTUM * inertia(state[1])[1] / inertia(state[1])[0] ** 2 * state[3],
        )
