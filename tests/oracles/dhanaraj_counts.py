#!/usr/bin/python3
"""C. Dhanaraj 1990, table 2.4: multiplications and additions of his modified Newton-Euler algorithm as generated code.

The algorithm is run on symbols: a value is a constant or a node of a graph; equal operations are one node; products
with 0, 1 and -1 and sums with 0 are none; signs are free. Counted is what the torques depend on, and the longest chain
of operations. Sines, cosines and the state are given.
"""
import numpy as np

from arms import report
from dhanaraj import G, PUMA, Q, QD, QDD, STANFORD, STANFORD_3, torque


class Code:
    """Nodes: (operation, operands). A value is (constant, None) or (sign, node)."""

    def __init__(self):
        self.nodes, self.known = [], {}

    def node(self, *key):
        if key not in self.known:
            self.known[key] = len(self.nodes)
            self.nodes.append(key)
        return self.known[key]

    def given(self, name):
        return Value(self, 1, self.node("given", name))

    def constant(self, x):
        return Value(self, 0.0 if abs(x) < 1e-12 else float(x), None)


class Value:
    def __init__(self, code, factor, node):
        self.code, self.factor, self.node = code, factor, node  # without a node: a constant; else a sign

    def __neg__(self):
        return Value(self.code, -self.factor, self.node)

    def __mul__(self, other):
        a, b = (self, other) if self.node is None else (other, self)
        if a.node is None and b.node is None:
            return self.code.constant(a.factor * b.factor)
        if a.node is None:
            if a.factor in (0.0, 1.0, -1.0):
                return Value(self.code, a.factor * b.factor, b.node) if a.factor else a
            sign = b.factor * (1 if a.factor > 0 else -1)
            return Value(self.code, sign, self.code.node("scale", abs(a.factor), b.node))
        return Value(self.code, a.factor * b.factor, self.code.node("product", *sorted((a.node, b.node))))

    def __add__(self, other):
        a, b = (self, other) if self.node is None else (other, self)
        if a.node is None and b.node is None:
            return self.code.constant(a.factor + b.factor)
        if a.node is None:
            if a.factor == 0.0:
                return b
            return Value(self.code, b.factor, self.code.node("shift", a.factor * b.factor, b.node))
        if a.node == b.node:
            return self.code.constant(0) if a.factor == -b.factor else self.code.constant(2) * a
        a, b = sorted((a, b), key=lambda v: v.node)
        return Value(self.code, a.factor, self.code.node("sum", a.factor * b.factor, a.node, b.node))

    def __sub__(self, other):
        return self + -other


def operands(node):
    return {"given": (), "scale": node[2:], "shift": node[2:], "product": node[1:], "sum": node[2:]}[node[0]]


def cost(code, values):
    """Multiplications, additions, longest chain."""
    live, waiting = set(), [v.node for v in values if v.node is not None]
    while waiting:
        node = waiting.pop()
        if node not in live:
            live.add(node)
            waiting.extend(operands(code.nodes[node]))
    depth = []
    for node in code.nodes:
        depth.append(0 if node[0] == "given" else 1 + max(depth[k] for k in operands(node)))
    kinds = [code.nodes[k][0] for k in live]
    return (sum(kind in ("scale", "product") for kind in kinds), sum(kind in ("shift", "sum") for kind in kinds),
            max(depth[v.node] for v in values if v.node is not None))


def evaluated(code, values, given):
    numbers = []
    for kind, *rest in code.nodes:
        if kind == "given":
            numbers.append(given[rest[0]])
        elif kind == "scale":
            numbers.append(rest[0] * numbers[rest[1]])
        elif kind == "shift":
            numbers.append(rest[0] + numbers[rest[1]])
        elif kind == "product":
            numbers.append(numbers[rest[0]] * numbers[rest[1]])
        else:
            numbers.append(numbers[rest[1]] + rest[0] * numbers[rest[2]])
    return [v.factor * (1 if v.node is None else numbers[v.node]) for v in values]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def plus(a, b):
    return [x + y for x, y in zip(a, b)]


def times(A, v):
    return [row[0] * v[0] + row[1] * v[1] + row[2] * v[2] for row in A]


def algorithm(rows):
    """Table 2.4 with all its terms; rows as in dhanaraj.py."""
    code, n = Code(), len(rows)
    c = code.constant
    R, p = [], []
    for i, (alpha, a, d, slides, *_) in enumerate(rows):
        ca, sa = c(np.cos(np.radians(alpha))), c(np.sin(np.radians(alpha)))
        cos, sin = (c(1), c(0)) if slides else (code.given(f"cos{i}"), code.given(f"sin{i}"))
        d = code.given(f"q{i}") if slides else c(d)  # his slides have d = 0
        R.append([[cos, -sin, c(0)], [sin * ca, cos * ca, -sa], [sin * sa, cos * sa, ca]])
        p.append([c(a), -(sa * d), ca * d])
    zero = [c(0)] * 3
    w, alpha, a, lam = zero, zero, [c(0), c(0), c(G)], [zero] * 3
    F, N = [], []
    for i, (_, _, _, slides, mass, com, inertia) in enumerate(rows):
        Rt, qd, qdd = list(zip(*R[i])), code.given(f"qd{i}"), code.given(f"qdd{i}")
        a = times(Rt, plus(a, times(lam, p[i])))
        w, alpha = times(Rt, w), times(Rt, alpha)
        if slides:
            twice = c(2) * qd
            a = [a[0] + twice * w[1], a[1] - twice * w[0], a[2] + qdd]
        else:
            w = [w[0], w[1], w[2] + qd]
            alpha = [alpha[0] + qd * w[1], alpha[1] - qd * w[0], alpha[2] + qdd]
        k = [w[1] * w[2], w[2] * w[0], w[0] * w[1]]
        s = [x * x for x in w]
        lam = [[-(s[1] + s[2]), k[2] - alpha[2], k[1] + alpha[1]],
               [k[2] + alpha[2], -(s[2] + s[0]), k[0] - alpha[0]],
               [k[1] - alpha[1], k[0] + alpha[0], -(s[0] + s[1])]]
        r = [c(x) for x in com]
        F.append([c(mass) * x for x in plus(a, times(lam, r))])
        D = [inertia[2] - inertia[1], inertia[0] - inertia[2], inertia[1] - inertia[0]]
        N.append([c(inertia[j]) * alpha[j] + c(D[j]) * k[j] for j in range(3)])
    f, m, tau = zero, zero, [None] * n
    for i in reversed(range(n)):
        passed, carried, offset = (times(R[i + 1], f), times(R[i + 1], m), p[i + 1]) if i + 1 < n else [zero] * 3
        f = plus(F[i], passed)
        m = plus(plus(plus(carried, N[i]), cross([c(x) for x in rows[i][5]], F[i])), cross(offset, passed))
        tau[i] = f[2] if rows[i][3] else m[2]
    state = {f"{name}{i}": of(x[i]) for i in range(n)
             for name, of, x in (("q", float, Q), ("cos", np.cos, Q), ("sin", np.sin, Q), ("qd", float, QD),
                                 ("qdd", float, QDD))} if n <= len(Q) else {}
    assert not state or abs(evaluated(code, tau, state) - torque(rows)).max() < 1e-12  # it is inverse dynamics
    return cost(code, tau)


def orthogonal_arm(n):
    """Axes square to each other, a and d of every joint, masses anywhere; no two numbers alike."""
    return [(0 if i == 0 else -90 if i % 2 else 90, .311 + .017 * i, .437 + .019 * i, False, 1.033 + .053 * i,
             [.061 + .003 * i, .127 + .007 * i, .189 + .011 * i], [.61 + .023 * i, .73 + .029 * i, .79 + .031 * i])
            for i in range(n)]


if __name__ == "__main__":
    for name, rows in (("puma6", PUMA), ("stanford6", STANFORD), ("puma3", PUMA[:3]), ("stanford3", STANFORD_3)):
        report(f"dhanaraj.generated.{name}.algorithm", algorithm(rows)[:2])
    costs = [algorithm(orthogonal_arm(n)) for n in range(2, 8)]
    for name in ("orthogonal.algorithm", "orthogonal"):
        report(f"dhanaraj.generated.{name}", [(m, a) for m, a, _ in costs])
    report("dhanaraj.generated.orthogonal-depth", [depth for _, _, depth in costs])
