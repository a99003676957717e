"""Integrators and linear algebra of the reference programs. All work in the precision of their input: double, or
numpy.longdouble with its 64-bit mantissa (unit roundoff 5e-20) on x86-64.

    extrapolate   explicit, order 2k: Gragg's midpoint rule extrapolated by Aitken and Neville
                  (Hairer, Norsett, Wanner 1993, II.9)
    radau         implicit, order 2s - 1: Radau IIA collocation with s stages, for stiff equations
                  (Hairer and Wanner 1996, IV.5)
    solve         Gaussian elimination with partial pivoting, which numpy.linalg does not offer for longdouble
"""
import numpy as np

LONG = np.longdouble


def solve(matrix, right):
    """x of matrix x = right; both are left unchanged."""
    a = np.column_stack([matrix, right])
    n = len(a)
    for k in range(n):
        p = k + int(np.argmax(abs(a[k:, k])))
        if p != k:
            a[[k, p]] = a[[p, k]]
        a[k + 1 :, k:] -= np.multiply.outer(a[k + 1 :, k] / a[k, k], a[k, k:])
    x = np.empty(n, a.dtype)
    for k in range(n - 1, -1, -1):
        x[k] = (a[k, n] - a[k, k + 1 : n] @ x[k + 1 :]) / a[k, k]
    return x


def extrapolate(f, t, y, end, tolerance, project=None, columns=8, first=None, seen=None):
    """y(end) of y' = f(t, y). After every step: `project` returns the state to its constraints, `seen(t, y)`."""
    t, end = y.dtype.type(t), y.dtype.type(end)
    h = y.dtype.type(first if first else (end - t) / 1000)
    while t < end:
        h = min(h, end - t)
        table = []
        slope = f(t, y)
        for j in range(columns):
            n = 2 * (j + 1)
            s = h / n
            before, now = y, y + s * slope
            for i in range(1, n):
                before, now = now, before + 2 * s * f(t + i * s, now)
            row = [(before + now + s * f(t + h, now)) / 2]  # Gragg's smoothing: keeps the expansion in even powers
            for m in range(1, j + 1):
                ratio = y.dtype.type(j + 1) / (j + 1 - m)
                row.append(row[m - 1] + (row[m - 1] - table[j - 1][m - 1]) / (ratio * ratio - 1))
            table.append(row)
        error = float(np.max(abs(table[-1][-1] - table[-1][-2]) / (1 + abs(y))) / tolerance)
        factor = 0.9 * max(error, 1e-30) ** (-1.0 / (2 * columns - 1))
        if error <= 1:
            t = end if end - t <= h else t + h
            y = table[-1][-1]
            if project:
                y = project(t, y)
            if seen:
                seen(t, y)
        h = h * min(4.0, max(0.2, factor))
    return y


def radau_coefficients(stages):
    """Nodes c and matrix A of Radau IIA, to double precision: c are the zeros of P_s - P_(s-1) on [0, 1]."""
    P = np.polynomial.legendre.Legendre([LONG(0)] * (stages - 1) + [LONG(-1), LONG(1)])
    slope = P.deriv()
    c = np.sort(np.polynomial.legendre.legroots(P.coef.astype(float))).astype(LONG)
    for _ in range(4):
        c -= P(c) / slope(c)
    c = (1 + c) / 2
    c[-1] = 1
    order = np.arange(stages)
    powers, integrals = c[:, None] ** order, c[:, None] ** (order + 1) / (order + 1)
    a = np.array([solve(powers.T, row) for row in integrals])  # A powers = integrals
    return c.astype(float), a.astype(float)


def radau(f, y, times, stages):
    """y at times[-1] of the autonomous y' = f(y), one step between neighbours of `times`. f: one column per state."""
    c, a = radau_coefficients(stages)
    n = len(y)
    for h in np.diff(times):
        jacobian = np.empty((n, n))
        for k in range(n):
            d = 1e-7 * max(1.0, abs(y[k]))
            e = np.zeros(n)
            e[k] = d
            jacobian[:, k] = ((f((y + e)[:, None]) - f((y - e)[:, None])) / (2 * d))[:, 0]
        newton = np.linalg.inv(np.eye(n * stages) - h * np.kron(a, jacobian))
        k = np.repeat(f(y[:, None]), stages, axis=1)
        z = h * k @ a.T  # stage values less y
        last = np.inf
        for _ in range(50):
            residual = z - h * f(y[:, None] + z) @ a.T
            change = (newton @ residual.T.reshape(-1)).reshape(stages, n).T
            z = z - change
            size = np.max(abs(change) / (1 + abs(y[:, None])))
            if size < 1e-16 or (size < 1e-12 and size >= last):
                break
            last = size
        y = y + z[:, -1]
    return y
