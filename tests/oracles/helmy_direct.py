#!/usr/bin/python3
"""A. Helmy 1994, section 4.2: direct kinematics of the planar 3-RRR by four methods, how often they iterate, and how
many operations they take along the manoeuvre of appendix D.

    cut      the virtual cut: rod 6 removed, a four-bar with one unknown psi; secant method, as he does it
    angles   psi_1, psi_2, psi_3 at the knees, three equations (4.5) with the right sign; Newton
    corners  six coordinates of the platform's corners, six quadratic equations; Newton
    pose     x, y, phi of the platform, three equations; Newton

Every solution starts from the one before, 0.01 s earlier, and ends where no equation is off by more than 1e-12.
Derivatives are written out, linear equations solved by Gauss's elimination of full matrices.
"""
import collections
import math

import numpy as np

from arms import report
from helmy import L2, L3, cranks, follow, knees

COUNT = collections.Counter()
ROOT3 = math.sqrt(3)
WITHIN = 1e-12


class Counted:
    """A number that counts what is done with it; plain numbers are constants."""

    __slots__ = ("x",)

    def __init__(self, x):
        self.x = float(x)

    def __neg__(self):
        return Counted(-self.x)

    def __repr__(self):
        return repr(self.x)


def value(a):
    return a.x if isinstance(a, Counted) else a


def counting(symbol, function):
    def operation(a, b):
        COUNT[symbol] += 1
        return Counted(function(value(a), value(b)))

    return operation


for names, symbol, function in ((("__add__",), "+", lambda a, b: a + b), (("__radd__",), "+", lambda a, b: b + a),
                                (("__sub__",), "+", lambda a, b: a - b), (("__rsub__",), "+", lambda a, b: b - a),
                                (("__mul__",), "*", lambda a, b: a * b), (("__rmul__",), "*", lambda a, b: b * a),
                                (("__truediv__",), "/", lambda a, b: a / b),
                                (("__rtruediv__",), "/", lambda a, b: b / a)):
    for name in names:
        setattr(Counted, name, counting(symbol, function))


def unary(symbol, function):
    def operation(a):
        COUNT[symbol] += 1
        return Counted(function(value(a)))

    return operation


sqrt, sin, cos, acos = unary("root", math.sqrt), unary("sin", math.sin), unary("sin", math.cos), unary("sin", math.acos)


def solve(A, b):
    """Gauss with partial pivoting, of full matrices as in his program: zeros are numbers like others."""
    n = len(b)
    A, b = [[Counted(value(x)) for x in row] for row in A], list(b)
    for k in range(n):
        p = max(range(k, n), key=lambda i: abs(value(A[i][k])))
        A[k], A[p], b[k], b[p] = A[p], A[k], b[p], b[k]
        for i in range(k + 1, n):
            f = A[i][k] / A[k][k]
            for j in range(k + 1, n):
                A[i][j] = A[i][j] - f * A[k][j]
            b[i] = b[i] - f * b[k]
    for k in reversed(range(n)):
        for j in range(k + 1, n):
            b[k] = b[k] - A[k][j] * b[j]
        b[k] = b[k] / A[k][k]
    return b


def newton(equations, x):
    """x, and how many steps it took."""
    for steps in range(50):
        f, J = equations(x)
        if max(abs(value(r)) for r in f) <= WITHIN:
            return x, steps
        x = [a - d for a, d in zip(x, solve(J, f))]
    raise ArithmeticError("does not converge")


class FourBar:
    """P4 O7 O8 P5 in axes with P4 in the origin and P5 along the first (4.16 to 4.24)."""

    def __init__(self, P):
        e = (P[1][0] - P[0][0], P[1][1] - P[0][1])
        square = e[0] * e[0] + e[1] * e[1]
        b = sqrt(square)
        self.e = (e[0] / b, e[1] / b)
        d = (P[2][0] - P[0][0], P[2][1] - P[0][1])
        self.sixth = (self.e[0] * d[0] + self.e[1] * d[1], self.e[0] * d[1] - self.e[1] * d[0])
        self.k = ((square + L3 * L3) * (1 / (2 * L2 * L3)), b * (1 / L3), b * (1 / L2))
        self.base = b

    def coupler(self, psi, branch=1):
        """cos psi, sin psi, cos theta, sin theta; None: no real configuration."""
        k1, k2, k3 = self.k
        c, B = cos(psi), sin(psi)
        # with t = tan(theta / 2): A t^2 - 2 B t + C = 0, A = -k1 + (k2 + 1) c - k3, C = -k1 + (k2 - 1) c + k3
        C = k3 - k1 + (k2 - 1) * c
        A = (k2 + 1) * c - k1 - k3
        rest = B * B - A * C
        if value(rest) < 0:
            return None
        root = sqrt(rest)
        t = (B + root if branch > 0 else B - root) / A
        tt = t * t
        scale = 1 / (1 + tt)
        return c, B, (1 - tt) * scale, (t + t) * scale

    def residual(self, psi, branch=1):
        found = self.coupler(psi, branch)
        if found is None:
            return None
        c, s, ct, st = found
        x = L2 * c + L3 / 2 * (ct - ROOT3 * st) - self.sixth[0]
        y = L2 * s + L3 / 2 * (st + ROOT3 * ct) - self.sixth[1]
        return x * x + y * y - L2 * L2

    def corners(self, psi, P):
        c, s, ct, st = self.coupler(psi)
        local = [(L2 * c, L2 * s)]
        local.append((local[0][0] + L3 * ct, local[0][1] + L3 * st))
        local.append((local[0][0] + L3 / 2 * (ct - ROOT3 * st), local[0][1] + L3 / 2 * (st + ROOT3 * ct)))
        e = self.e
        return [(P[0][0] + e[0] * x - e[1] * y, P[0][1] + e[1] * x + e[0] * y) for x, y in local]

    def range(self):
        """Least and largest psi for which there is a coupler, on one side where there are two."""
        base = value(self.base)
        reach = [math.acos(min(1.0, max(-1.0, (base ** 2 + L2 ** 2 - (L3 + side * L2) ** 2) / (2 * base * L2))))
                 for side in (-1, 1)]
        folds, stretches = (base - L2) ** 2 <= (L3 - L2) ** 2, base + L2 >= L3 + L2
        low = reach[0] if folds else -reach[1] if stretches else -math.pi
        high = reach[1] if stretches else 2 * math.pi - reach[0] if folds else math.pi
        return low + 1e-6, high - 1e-6


def secant(bar, first, second, within, branch=1):
    g1, g2 = bar.residual(Counted(first), branch), bar.residual(Counted(second), branch)
    first, second, steps = Counted(first), Counted(second), 0
    while abs(value(g2)) > within:
        first, second = second, (first * g2 - second * g1) / (g2 - g1)
        g1, g2 = g2, bar.residual(second, branch)
        steps += 1
    return second, steps


def cold(q, branch=1):
    """Scan by 0.017 rad from the least psi to a change of sign, then secants to 1e-10 m^2."""
    bar = FourBar(knees(q))
    low, high = bar.range()
    psi, before = low, value(bar.residual(Counted(low), branch))
    while psi < high:
        psi += 1.7e-2
        now = value(bar.residual(Counted(psi), branch))
        if now * before < 0:
            return bar, *secant(bar, psi - 1.7e-2, psi, 1e-10, branch)
        before = now
    raise ArithmeticError("no mode")


def by_cut(P, state):
    bar = FourBar(P)
    psi, steps = secant(bar, value(state[0]), value(state[0]) + .02, WITHIN)
    return [psi], steps + 2, bar.corners(psi, P)


def by_angles(P, state):
    side = [(P[(i + 1) % 3][0] - P[i][0], P[(i + 1) % 3][1] - P[i][1]) for i in range(3)]
    square = [x * x + y * y for x, y in side]
    b = [sqrt(s) for s in square]
    alpha = [acos(-(side[i][0] * side[i - 1][0] + side[i][1] * side[i - 1][1]) / (b[i] * b[i - 1])) for i in range(3)]
    k1 = [(s + (2 * L2 * L2 - L3 * L3)) * (1 / (2 * L2 * L2)) for s in square]
    k2 = [x * (1 / L2) for x in b]

    def equations(psi):
        f, J = [], [[0] * 3 for _ in range(3)]
        for i in range(3):
            j = (i + 1) % 3
            far = alpha[j] - psi[j]
            turn = psi[i] + far
            f.append(k1[i] - k2[i] * cos(psi[i]) - k2[i] * cos(far) + cos(turn))
            s = sin(turn)
            J[i][i] = k2[i] * sin(psi[i]) - s
            J[i][j] = s - k2[i] * sin(far)
        return f, J

    psi, steps = newton(equations, state)
    # corner i: from knee i at psi_i from the side
    corners = []
    for i in range(3):
        c, s = cos(psi[i]) * k2[i], sin(psi[i]) * k2[i]
        scale = L2 * L2 / square[i]
        corners.append((P[i][0] + (side[i][0] * c - side[i][1] * s) * scale,
                        P[i][1] + (side[i][1] * c + side[i][0] * s) * scale))
    return psi, steps, corners


def by_corners(P, state):
    def equations(x):
        O = [(x[2 * i], x[2 * i + 1]) for i in range(3)]
        f, J = [], [[0] * 6 for _ in range(6)]
        for i in range(3):
            r = (O[i][0] - P[i][0], O[i][1] - P[i][1])
            f.append(r[0] * r[0] + r[1] * r[1] - L2 * L2)
            J[i][2 * i], J[i][2 * i + 1] = r[0] + r[0], r[1] + r[1]
        for i in range(3):
            j = (i + 1) % 3
            r = (O[j][0] - O[i][0], O[j][1] - O[i][1])
            f.append(r[0] * r[0] + r[1] * r[1] - L3 * L3)
            for axis in (0, 1):
                J[3 + i][2 * j + axis] = r[axis] + r[axis]
                J[3 + i][2 * i + axis] = -J[3 + i][2 * j + axis]
        return f, J

    x, steps = newton(equations, state)
    return x, steps, [(x[2 * i], x[2 * i + 1]) for i in range(3)]


def by_pose(P, state):
    def turned(c, s):
        return [(0, 0), (L3 * c, L3 * s), (L3 / 2 * (c - ROOT3 * s), L3 / 2 * (s + ROOT3 * c))]

    def equations(x):
        c, s = cos(x[2]), sin(x[2])
        f, J = [], []
        for k, d in enumerate(turned(c, s)):
            r = (x[0] - P[k][0], x[1] - P[k][1])
            if k:
                r = (r[0] + d[0], r[1] + d[1])
            f.append(r[0] * r[0] + r[1] * r[1] - L2 * L2)
            twice = (r[0] + r[0], r[1] + r[1])
            J.append([*twice, twice[1] * d[0] - twice[0] * d[1] if k else 0])
        return f, J

    x, steps = newton(equations, state)
    return x, steps, [(x[0] + dx, x[1] + dy) for dx, dy in turned(cos(x[2]), sin(x[2]))]


def along(method, first):
    """Mean number of steps and of operations over the manoeuvre; every corner must be right."""
    COUNT.clear()
    state, steps, operations, samples = [Counted(x) for x in first], 0, 0, 0
    for here, _, _ in follow(300):
        P = [(Counted(x), Counted(y)) for x, y in here.P]
        state, taken, corners = method(P, state)
        steps, samples = steps + taken, samples + 1
        off = np.array([[value(x), value(y)] for x, y in corners]) - here.corners
        assert abs(off).max() < 1e-10, (method.__name__, off)
    return steps / samples, [COUNT[kind] / samples for kind in ("+", "*", "/", "root", "sin")]


def starts():
    """What each method begins with: the corners of t = 0, a centimetre away."""
    here = next(follow(300))[0]
    corners = here.corners + [.01, 0]
    side = [here.P[(i + 1) % 3] - here.P[i] for i in range(3)]
    rods = [corners[i] - here.P[i] for i in range(3)]
    psi = [math.atan2(s[0] * r[1] - s[1] * r[0], s @ r) for s, r in zip(side, rods)]
    return {by_cut: psi[:1], by_angles: psi, by_corners: corners.ravel(), by_pose: [*corners[0], here.x[6]]}


if __name__ == "__main__":
    begin, end = cranks(0)[0], cranks(3)[0]
    report("helmy.direct.range", np.degrees(FourBar(knees(begin)).range()))
    bar, psi, secants = cold(begin)
    _, _, ct, st = bar.coupler(psi)
    report("helmy.direct.cold", np.degrees([value(psi), math.atan2(value(st), value(ct))]))
    report("helmy.direct.secants", secants)
    last = [here for here, _, _ in follow(300)][-1]
    tracked = last.x[3] - math.atan2(*(last.P[1] - last.P[0])[::-1])
    report("helmy.direct.hazard", np.degrees([value(cold(end)[1]), tracked]))
    result = {method: along(method, first) for method, first in starts().items()}
    # by the last place a comparison with 1e-12 may go one way or the other
    report("helmy.direct.iterations", [result[method][0] for method in (by_angles, by_corners, by_pose)], within=.005)
    report("helmy.direct.evaluations", result[by_cut][0], within=.01)
    for method, (_, operations) in result.items():
        report(f"{method.__name__[3:]}-operations", operations, within=.6)  # +, *, /, roots, trigonometric
        report(f"helmy.direct.operations-{method.__name__[3:]}", sum(operations[:3]), within=2)
    report("angles-of-corners", sum(result[by_angles][1][:3]) / sum(result[by_corners][1][:3]))
