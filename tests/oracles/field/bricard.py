"""IFToMM A04: Bricard mechanism, from rest, by its threefold symmetry.

All bars are equal and all neighbouring axes perpendicular, so that the even joints turn alike and the odd joints turn
alike. With a = 90 deg - j0 = 90 deg - j2 = 90 deg - j4 and b = 90 deg - j1 = 90 deg - j3 the loop closes where

    cos a + cos b + cos a cos b = 0

(`find_signs` checks this closure, and that no other signs close the loop). The chain of five bars in the coordinates
(a, b) with this one constraint is integrated by extrapolation. Second method: maximal.py on the model file, which
does not use the symmetry.
"""
import os

import numpy as np

from numerics import LONG, extrapolate, solve

END = 10
FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../reproduce/field/bricard.yaml')
X, Y, Z = np.eye(3, dtype=LONG)
# axis of each joint; from its joint to the next; moments of inertia along x, y, z
THIN, THICK = LONG(1) / 600, LONG('1.01') / 12
CHAIN = (
    (Y, X, (THIN, THICK, THICK)),
    (Z, -Y, (THICK, THIN, THICK)),
    (X, Z, (THICK, THICK, THIN)),
    (Y, -X, (THIN, THICK, THICK)),
    (Z, Y, (THICK, THIN, THICK)),
)


def turn(axis, angle):
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]], LONG)
    return np.eye(3, dtype=LONG) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def cross(a, b):
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def closure_error(angles):
    R, p = np.eye(3, dtype=LONG), np.zeros(3, LONG)
    for (axis, along, _), x in zip(CHAIN, angles):
        R = R @ turn(axis, x)
        p = p + R @ along
    return float(max(abs(p - Z).max(), abs(R @ X - X).max()))


def find_signs():
    """Signs s with j_i = s_i (a - 90 deg) of even, s_i (b - 90 deg) of odd joints, for which the loop closes."""
    right_angle = np.arcsin(LONG(1))
    a = right_angle + LONG('0.3')
    b = np.arccos(-np.cos(a) / (1 + np.cos(a)))
    found = []
    for code in range(32):
        s = [1 - 2 * (code >> i & 1) for i in range(5)]
        if closure_error([s[i] * ((a, b)[i % 2] - right_angle) for i in range(5)]) < 1e-17:
            found.append(s)
    return found


def equations(y, signs):
    """Mass matrix and bias of the chain in (a, b), by Jacobians of the bars' centres and angular velocities."""
    R, p, v, w = np.eye(3, dtype=LONG), np.zeros(3, LONG), np.zeros(3, LONG), np.zeros(3, LONG)
    Jv, Jw, av, aw = (
        np.zeros((3, 2), LONG),
        np.zeros((3, 2), LONG),
        np.zeros(3, LONG),
        np.zeros(3, LONG),
    )  # av, aw: at a'' = b'' = 0
    M, h = np.zeros((2, 2), LONG), np.zeros(2, LONG)
    g = -LONG('9.81') * Y
    right_angle = np.arcsin(LONG(1))
    for i, (axis, along, moments) in enumerate(CHAIN):
        z = R @ axis * signs[i]
        aw = aw + cross(w, z) * y[2 + i % 2]
        w = w + z * y[2 + i % 2]
        Jw = Jw.copy()
        Jw[:, i % 2] += z
        R = R @ turn(axis, signs[i] * (y[i % 2] - right_angle))
        for half in range(2):
            arm = R @ along / 2
            Jv = Jv + np.column_stack([cross(Jw[:, 0], arm), cross(Jw[:, 1], arm)])
            av = av + cross(aw, arm) + cross(w, cross(w, arm))
            if half == 0:
                I = R @ np.diag(np.array(moments)) @ R.T
                M += Jv.T @ Jv + Jw.T @ I @ Jw
                h += Jv.T @ (av - g) + Jw.T @ (I @ aw + cross(w, I @ w))
    return M, h


def rate(y, signs):
    a, b, va, vb = y
    M, h = equations(y, signs)
    G = np.array([-np.sin(a) * (1 + np.cos(b)), -np.sin(b) * (1 + np.cos(a))])
    bias = (
        -np.cos(a) * (1 + np.cos(b)) * va * va
        - np.cos(b) * (1 + np.cos(a)) * vb * vb
        + 2 * np.sin(a) * np.sin(b) * va * vb
    )
    kkt = np.array([[M[0, 0], M[0, 1], G[0]], [M[1, 0], M[1, 1], G[1]], [G[0], G[1], LONG(0)]])
    return np.concatenate([y[2:], solve(kkt, np.array([-h[0], -h[1], -bias]))[:2]])


def project(t, y):
    for _ in range(2):
        ca, cb = np.cos(y[0]), np.cos(y[1])
        G = np.array([-np.sin(y[0]) * (1 + cb), -np.sin(y[1]) * (1 + ca)])
        y = np.concatenate([y[:2] - G * (ca + cb + ca * cb) / (G @ G), y[2:]])
    return np.concatenate([y[:2], y[2:] - G * (G @ y[2:]) / (G @ G)])


def reduced(times, tolerance):
    """(q, qd) of the model's joints at the times, which ascend."""
    signs, right_angle = find_signs()[0], np.arcsin(LONG(1))
    y, now, results = np.array([right_angle, right_angle, LONG(0), LONG(0)]), 0, []
    for t in times:
        y = extrapolate(lambda t, x: rate(x, signs), now, y, t, tolerance, project, first=0.05)
        now = t
        results.append(
            (
                {f'j{i}': float(signs[i] * (y[i % 2] - right_angle)) for i in range(5)},
                {f'j{i}': float(signs[i] * y[2 + i % 2]) for i in range(5)},
            )
        )
    return results


def point(q):
    """P3, the origin of b2."""
    R = turn(Y, LONG(q['j0']))
    return [float(x) for x in R @ X + R @ turn(Z, LONG(q['j1'])) @ -Y]


if __name__ == '__main__':
    from maximal import Maximal

    print('signs', find_signs())
    for tolerance in (1e-13, 1e-16):
        q, qd = reduced([END], tolerance)[0]
        print('reduced %.0e' % tolerance, q, qd, 'P3', point(q))
    for tolerance in (1e-9, 1e-12):
        q, qd = Maximal(FILE).run({}, {}, float(END), tolerance, first=0.05)
        print('maximal %.0e' % tolerance, q, qd)
