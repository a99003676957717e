"""IFToMM A02: N four-bar windows. Exact on the branch in which all 2N+1 bars keep being parallelograms.

All N+1 upright bars have the same angle a from the vertical (clockwise), the N coupler bars stay horizontal:

    T = 1/2 J a'^2, J = (N+1)/3 + N;    V = g W cos a, W = (N+1)/2 + N        (bars of 1 kg and 1 m)
    J a'' = g W sin a, a(0) = 0, a'(0) = 1

which integrates to t = 2 F(a/2 | -4 kappa), kappa = g W/J, with Legendre's elliptic integral F(phi | m). In the
model's joints A0 = -a, Hi = a, Bi = -a: the top points start with +1 m/s along x, which is A0' = -1 rad/s.
`n_four_bar.py --model N` prints the mechanism file.
"""
import sys

import numpy as np

from numerics import LONG, extrapolate

try:
    import mpmath
except ImportError:  # for the elliptic integral only
    mpmath = None

END = 10

HEAD = """linkwright: 1
name: n-four-bar-{N}
summary: {N} four-bar windows of bars of 1 m and 1 kg (IFToMM benchmark A02)
gravity: [0, -9.81, 0]
links:
  - name: v0
    parent: base
    joint: {{name: A0, type: revolute, axis: z, actuated: true}}
    inertia: {{mass: 1, com: [0, 0.5, 0], tensor: [1/12, 0, 1/12]}}
"""
# One per window i = 1..N; the first coupler starts at the end of v0 (y = 1), the others at the origin of the upright
# before them (y = 0).
WINDOW = """  - name: h{i}
    parent: v{before}
    joint: {{name: H{i}, type: revolute, axis: z, origin: {{xyz: [0, {y}, 0]}}}}
    inertia: {{mass: 1, com: [0.5, 0, 0], tensor: [0, 1/12, 1/12]}}
  - name: v{i}
    parent: h{i}
    joint: {{name: B{i}, type: revolute, axis: z, origin: {{xyz: [1, 0, 0]}}}}
    inertia: {{mass: 1, com: [0, -0.5, 0], tensor: [1/12, 0, 1/12]}}
"""
LOOP = """  - name: L{i}
    joint: {{type: revolute, axis: z}}
    between: [base, v{i}]
    at: {{base: {{xyz: [{i}, 0, 0]}}, v{i}: {{xyz: [0, -1, 0]}}}}
"""


def model(n):
    return (
        HEAD.format(N=n)
        + ''.join(WINDOW.format(i=i, before=i - 1, y=int(i == 1)) for i in range(1, n + 1))
        + 'loops:\n'
        + ''.join(LOOP.format(i=i) for i in range(1, n + 1))
    )


def kappa(n):
    return mpmath.mpf('9.81') * (mpmath.mpf(n + 1) / 2 + n) / (mpmath.mpf(n + 1) / 3 + n)


def instant(n, angle):
    """When the bars pass the angle."""
    return 2 * mpmath.ellipf(angle / 2, -4 * kappa(n))


def speed(n, angle):
    return mpmath.sqrt(1 + 4 * kappa(n) * mpmath.sin(angle / 2) ** 2)


def exact(n, t):
    """Angle and rate at t, by Newton's iteration on t = 2 F(a/2 | -4 kappa)."""
    turn = instant(n, 2 * mpmath.pi)
    a = 2 * mpmath.pi * t / turn
    for _ in range(100):
        change = (instant(n, a) - t) * speed(n, a)
        a -= max(-1, min(1, change))
        if abs(change) < mpmath.mpf(10) ** (5 - mpmath.mp.dps):
            break
    return a, speed(n, a)


def singular(n):
    """Instants up to END at which all bars lie on one line."""
    times = []
    while True:
        t = instant(n, mpmath.pi / 2 + len(times) * mpmath.pi)
        if t > END:
            return times
        times.append(t)


def integrated(n, tolerance, end=END):
    k = LONG('9.81') * (LONG(n + 1) / 2 + n) / (LONG(n + 1) / 3 + n)
    return extrapolate(lambda t, y: np.array([y[1], k * np.sin(y[0])]), 0, np.array([LONG(0), LONG(1)]), end, tolerance)


def joints(n, a):
    return {'A0': -a} | {f'H{i}': a for i in range(1, n + 1)} | {f'B{i}': -a for i in range(1, n + 1)}


if __name__ == '__main__':
    if sys.argv[1:2] == ['--model']:
        print(model(int(sys.argv[2])), end='')
        sys.exit()
    for n in (2, 10, 40):
        with mpmath.workdps(40):
            a, v = exact(n, mpmath.mpf(END))
            print(
                'N = %d  elliptic  ' % n,
                mpmath.nstr(a, 20),
                mpmath.nstr(v, 20),
                len(singular(n)),
                'singular poses, first',
                mpmath.nstr(singular(n)[0], 15),
            )
        for tolerance in (1e-13, 1e-17):
            print(
                'N = %d  ODE %.0e ' % (n, tolerance),
                *[np.format_float_positional(x, 19) for x in integrated(n, tolerance)],
            )
