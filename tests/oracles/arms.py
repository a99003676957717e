"""Equations of motion of open chains and trees of rigid links, for the oracles of the five theses.

Newton's and Euler's equations of every link, projected on the joints by Jacobians that are written out in world axes:

    M = sum_i  m_i Jv_i' Jv_i + Jw_i' I_i Jw_i
    h = sum_i  Jv_i' m_i (a_i - g) + Jw_i' (I_i alpha_i + w_i x I_i w_i)        a_i, alpha_i: with qdd = 0
    M qdd + h = tau

No recursion over forces, no spatial vectors, no automatic differentiation. All functions take arrays with any leading
dimensions (many states at once), and complex numbers (complex steps). SI units, radians.
"""
import numpy as np

X, Y, Z = np.eye(3)


def skew(v):
    x, y, z = v
    return np.array([[0 * x, -z, y], [z, 0 * x, -x], [-y, x, 0 * x]])


def rotation(axis, angle):
    """Rodrigues' formula for a constant axis and angles of any shape."""
    S = skew(axis)
    angle = np.asarray(angle)[..., None, None]
    return np.eye(3) + np.sin(angle) * S + (1 - np.cos(angle)) * (S @ S)


def cross(a, b):
    a, b = np.broadcast_arrays(a, b)
    c = np.empty(a.shape, np.result_type(a, b))
    c[..., 0] = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    c[..., 1] = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    c[..., 2] = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return c


class Link:
    """One link and the joint that carries it.

    parent           index of the link that carries it, -1: the ground
    turn, offset     of the joint's frame in the parent's: rotation matrix (3 x 3), position
    axis             of the joint, in its frame
    slides           True: the joint is prismatic
    mass, com        centre of mass in the joint's frame
    inertia          about the centre of mass: 3 x 3, or the diagonal
    """

    def __init__(self, parent, turn, offset, axis, mass, com, inertia, slides=False):
        self.parent, self.turn, self.offset, self.axis, self.slides = parent, turn, offset, np.asarray(axis), slides
        self.mass, self.com = mass, com
        inertia = np.asarray(inertia)
        self.inertia = inertia if inertia.shape[-2:] == (3, 3) else inertia[..., None] * np.eye(3)
        self.skew = skew(self.axis)
        self.square = self.skew @ self.skew


class Arm:
    def __init__(self, links, gravity):
        self.links, self.gravity, self.n = links, np.asarray(gravity), len(links)
        self.ancestors = np.zeros((self.n, self.n))  # 1: joint of the column moves the link of the row
        for i, link in enumerate(links):
            if link.parent >= 0:
                self.ancestors[i] = self.ancestors[link.parent]
            self.ancestors[i, i] = 1
        self.turning = np.array([0.0 if link.slides else 1.0 for link in links])
        # of the joint itself excluded: what moves the joint's axis
        self.before = self.ancestors - np.eye(self.n)
        self.mass = np.stack([np.asarray(link.mass) for link in links], -1)

    def pose(self, q):
        """Rotations, joint origins and joint axes (world), stacked over the links."""
        R, o, a = [], [], []
        for i, link in enumerate(self.links):
            angle = q[..., i, None, None]
            if link.parent < 0:
                frame, origin = np.asarray(link.turn), np.asarray(link.offset)
            else:
                frame = R[link.parent] @ link.turn
                origin = o[link.parent] + np.squeeze(R[link.parent] @ np.asarray(link.offset)[..., None], -1)
            axis = frame @ link.axis
            if link.slides:
                R.append(np.broadcast_to(frame, q.shape[:-1] + (3, 3)))
                o.append(origin + axis * q[..., i, None])
            else:
                R.append(frame @ (np.eye(3) + np.sin(angle) * link.skew + (1 - np.cos(angle)) * link.square))
                o.append(np.broadcast_to(origin, q.shape[:-1] + (3,)))
            a.append(np.broadcast_to(axis, q.shape[:-1] + (3,)))
        return np.stack(R, -3), np.stack(o, -2), np.stack(a, -2)

    def terms(self, q, qd):
        """M, h, kinetic energy, potential energy."""
        q, qd = np.asarray(q), np.asarray(qd)
        R, o, a = self.pose(q)
        arm = [np.squeeze(R[..., i, :, :] @ np.asarray(link.com)[..., None], -1) for i, link in enumerate(self.links)]
        c = o + np.stack(np.broadcast_arrays(*arm), -2)
        inertia = [R[..., i, :, :] @ link.inertia @ np.swapaxes(R[..., i, :, :], -1, -2)
                   for i, link in enumerate(self.links)]
        I = np.stack(np.broadcast_arrays(*inertia), -3)
        turning, moves = self.turning[:, None], self.ancestors[..., None]

        def columns(point, mask):  # d point_i / d q_j, with the joint axes as they are
            reach = cross(a[..., None, :, :], point[..., :, None, :] - o[..., None, :, :])
            return mask[..., None] * (turning * reach + (1 - turning) * a[..., None, :, :])

        Jw = moves * (turning * a)[..., None, :, :]
        Jv = columns(c, self.ancestors)
        rate = qd[..., None, :, None]
        w, v = (Jw * rate).sum(-2), (Jv * rate).sum(-2)
        # velocities of the joints' origins and of their axes: a joint's own turning moves neither
        origin_v = (columns(o, self.ancestors) * rate).sum(-2)
        carried = (self.before[..., None] * (turning * a)[..., None, :, :] * rate).sum(-2)
        axis_v = cross(carried, a)
        # derivatives of the columns
        Aw = moves * (turning * axis_v)[..., None, :, :]
        reach = (cross(axis_v[..., None, :, :], c[..., :, None, :] - o[..., None, :, :]) +
                 cross(a[..., None, :, :], v[..., :, None, :] - origin_v[..., None, :, :]))
        Av = moves * (turning * reach + (1 - turning) * axis_v[..., None, :, :])
        alpha, acc = (Aw * rate).sum(-2), (Av * rate).sum(-2)

        mass = self.mass[..., None]
        Iw = np.squeeze(I @ w[..., None], -1)
        force = mass * (acc - self.gravity[..., None, :])
        moment = np.squeeze(I @ alpha[..., None], -1) + cross(w, Iw)
        M = (np.swapaxes(Jv @ np.swapaxes(Jv * mass[..., None], -1, -2), -1, -2) +
             Jw @ I @ np.swapaxes(Jw, -1, -2)).sum(-3)
        h = (Jv * force[..., None, :] + Jw * moment[..., None, :]).sum((-1, -3))
        kinetic = 0.5 * (mass * v * v + w * Iw).sum((-1, -2))
        potential = -(mass * self.gravity[..., None, :] * c).sum((-1, -2))
        return M, h, kinetic, potential

    def mass_matrix(self, q):
        return self.terms(np.asarray(q), np.zeros(self.n))[0]

    def bias(self, q, qd):
        return self.terms(q, qd)[1]

    def weights(self, q):
        return self.terms(np.asarray(q), np.zeros(self.n))[1]

    def torque(self, q, qd, qdd):
        M, h, _, _ = self.terms(q, qd)
        return np.squeeze(M @ np.asarray(qdd)[..., None], -1) + h

    def acceleration(self, q, qd, tau):
        M, h, _, _ = self.terms(q, qd)
        return np.squeeze(np.linalg.solve(M, (np.asarray(tau) - h)[..., None]), -1)


def rk4(slope, t, y, h):
    k1 = slope(t, y)
    k2 = slope(t + h / 2, y + h / 2 * k1)
    k3 = slope(t + h / 2, y + h / 2 * k2)
    k4 = slope(t + h, y + h * k3)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def extrapolated(slope, t, y, end, steps, columns=6):
    """y(end) by Gragg's midpoint rule with `steps` equal steps, extrapolated to order 2 columns."""
    h = (end - t) / steps
    for k in range(steps):
        table, start = [], slope(t, y)
        for j in range(columns):
            n = 2 * (j + 1)
            s = h / n
            before, now = y, y + s * start
            for i in range(1, n):
                before, now = now, before + 2 * s * slope(t + i * s, now)
            row = [(before + now + s * slope(t + h, now)) / 2]
            for m in range(1, j + 1):
                row.append(row[m - 1] + (row[m - 1] - table[-1][m - 1]) / (((j + 1) / (j + 1 - m)) ** 2 - 1))
            table.append(row)
        y, t = table[-1][-1], t + h
    return y


def free_motion(arm, q, qd, tau, duration, steps):
    """q and qd after `duration` under joint forces tau(t)."""
    n = arm.n

    def slope(t, y):
        return np.concatenate([y[..., n:], arm.acceleration(y[..., :n], y[..., n:], tau(t))], -1)

    y = extrapolated(slope, 0.0, np.concatenate([q, qd], -1), duration, steps)
    return y[..., :n], y[..., n:]


def report(name, *values, within=0.0):
    """One line of output for check.py: a name, numbers, and by how much the numbers may be off where that is known."""
    flat = np.concatenate([np.ravel(np.asarray(v, dtype=float)) for v in values])
    print(name, *([f"~{within}"] if within else []), *(repr(float(x)) for x in flat))
