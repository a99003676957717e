"""Problem `caraxis` of the Test Set for IVP Solvers: index-3 equations of the car axis, differentiated twice and
integrated by extrapolation with projection. The state (xl, yl, xr, yr) and the model's joints are related by

    psi = asin(r sin(w t)/L),  s = -xl sin psi + yl cos psi,  chi = atan2(yr - yl, xr - xl) - psi
"""
import numpy as np

from numerics import LONG, extrapolate, solve

END = 3
L, L0, R, W, G = LONG(1), LONG('0.5'), LONG('0.1'), LONG(10), LONG(1)
MASS = LONG(10) * LONG('0.01') ** 2 / 2
# Test set: positions, velocities, multipliers at 3 s
PUBLISHED = {
    'caraxis.f (Fortran, 2006)': (
        0.4934557842755629e-1, 0.4969894602303324, 1.041742524885400, 0.3739110272652214, -0.7705836840321485e-1,
        0.7446866596327776e-2, 0.1755681574942899e-1, 0.7703410437794031, -0.4736886750784630e-2,
        -0.1104680411345730e-2),
    'deTestSet reference()': (
        0.493455784275402809122e-1, 0.496989460230171153861, 0.104174252488542151681e1, 0.373911027265361256927,
        -0.770583684040972357970e-1, 0.744686658723778553466e-2, 0.175568157537232222276e-1, 0.770341043779251976443,
        -0.473688659084893324729e-2, -0.110468033125734368808e-2)}


def road(t):
    """(xb, yb) with first and second derivatives."""
    y, dy, ddy = R * np.sin(W * t), R * W * np.cos(W * t), -R * W * W * np.sin(W * t)
    x = np.sqrt(L * L - y * y)
    dx = -y * dy / x
    return x, y, dx, dy, -(dy * dy + y * ddy + dx * dx) / x, ddy


def constraints(t, p, v):
    """Errors, Jacobian, time derivative of the errors at v = 0, and what J a must be."""
    xb, yb, dx, dy, ddx, ddy = road(t)
    apart, rate = p[:2] - p[2:], v[:2] - v[2:]
    error = np.array([p[0] * xb + p[1] * yb, apart @ apart - L * L])
    jacobian = np.array([[xb, yb, 0, 0], [2 * apart[0], 2 * apart[1], -2 * apart[0], -2 * apart[1]]], LONG)
    drift = np.array([p[0] * dx + p[1] * dy, LONG(0)])
    return error, jacobian, drift, -np.array([2 * (v[0] * dx + v[1] * dy) + p[0] * ddx + p[1] * ddy, 2 * rate @ rate])


def accelerations(t, p, v):
    xb, yb = road(t)[:2]
    right = p[2:] - np.array([xb, yb])
    left_length, right_length = np.sqrt(p[:2] @ p[:2]), np.sqrt(right @ right)
    force = np.concatenate([(L0 - left_length) / left_length * p[:2], (L0 - right_length) / right_length * right])
    force[[1, 3]] -= MASS * G
    _, jacobian, _, gamma = constraints(t, p, v)
    kkt = np.zeros((6, 6), LONG)
    kkt[:4, :4] = MASS * np.eye(4)
    kkt[:4, 4:] = -jacobian.T                              # the test set's sign of the multipliers
    kkt[4:, :4] = jacobian
    x = solve(kkt, np.concatenate([force, gamma]))
    return x[:4], x[4:]


def project(t, y):
    p, v = y[:4].copy(), y[4:]
    for _ in range(2):
        error, jacobian, _, _ = constraints(t, p, v)
        p -= jacobian.T @ solve(jacobian @ jacobian.T, error)
    _, jacobian, drift, _ = constraints(t, p, v)
    return np.concatenate([p, v - jacobian.T @ solve(jacobian @ jacobian.T, jacobian @ v + drift)])


def motion(end, tolerance):
    y = np.array([LONG(x) for x in ('0', '0.5', '1', '0.5', '-0.5', '0', '-0.5', '0')])
    rate = lambda t, x: np.concatenate([x[4:], accelerations(t, x[:4], x[4:])[0]])
    return extrapolate(rate, 0, y, end, tolerance, project, first=0.001)


def joints(t, y):
    xb, yb, dx, dy = road(t)[:4]
    psi, dpsi = np.arcsin(yb / L), dy / xb
    c, s = xb / L, yb / L
    along, apart, rate = np.array([-s, c]), y[2:4] - y[:2], y[6:] - y[4:6]
    q = {'psi': psi, 's': along @ y[:2], 'chi': np.arctan2(apart[1], apart[0]) - psi}
    qd = {'psi': dpsi, 's': along @ y[4:6] + np.array([-c, -s]) @ y[:2] * dpsi,
          'chi': (apart[0] * rate[1] - apart[1] * rate[0]) / (L * L) - dpsi}
    return {k: float(x) for k, x in q.items()}, {k: float(x) for k, x in qd.items()}


if __name__ == '__main__':
    np.set_printoptions(precision=17, linewidth=150)
    results = [motion(END, tolerance) for tolerance in (1e-15, 1e-17)]
    print('difference of tolerances 1e-15 and 1e-17', float(np.max(abs(results[0] - results[1]))))
    p, v = results[1][:4], results[1][4:]
    ours = np.concatenate([p, v, accelerations(LONG(END), p, v)[1]])
    print(ours.astype(float))
    for name, values in PUBLISHED.items():
        print(name, 'relative difference', ((ours - np.array(values)) / np.abs(values)).astype(float))
    print(joints(LONG(END), results[1]))
