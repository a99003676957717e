#!/usr/bin/python3
"""A. Helmy, Parallel processing and the dynamics and kinematics of a three degree of freedom planar manipulator, McGill
University, 1994: positions, velocities, dynamics and simulation of the planar 3-RRR.

With the lengths, masses and moments of inertia that reproduce the torques of appendix D. Links: cranks 1 to 3, rods 4
to 6, platform 7; x holds their absolute angles. The centre of mass of a rod is at its middle, of the platform at its
centroid. Coordinates: x given for the cranks, the other four from two closed loops,

    P4 + l2 u(x4) + d_k(x7) = P_k + l2 u(x_k),   k = 5, 6

and everything else by their first and second derivatives: t = K xd = T qd, tau = T' (M td - w), with t the angular
velocity and the velocity of the centre of mass of every link.
"""
import numpy as np

from arms import report, rk4

L0, L1, L2, L3 = 1.0, 0.4, 0.6, 0.4
MASS = np.array([3, 3, 3, 4, 4, 4, 8.0])
MOMENT = np.array([.04, .04, .04, .12, .12, .12, .0817])
WEIGHT = -9.81  # m/s^2 along y
BASE = np.array([[0, 0], [L0, 0], [L0 / 2, np.sqrt(3) / 2 * L0]])
LEG = np.radians([0, 120, 240])
CORNER = [(0, 0.0), (L3, 0.0), (L3, np.pi / 3)]  # of the platform, from its first: distance, direction
MANOEUVRE = np.radians([[90, 60, 120], [120, 120, 0]])
SETUP = np.radians([[60, 120, 90], [120, 0, 120]])
T_END = 3.0


def u(angle):
    return np.array([np.cos(angle), np.sin(angle)])


def turned(v):
    """v turned by a right angle: the derivative of u by its angle."""
    return np.array([-v[1], v[0]])


def cranks(t, way=MANOEUVRE):
    a, s = 2 * np.pi / T_END, way[1] - way[0]
    return (way[0] + s * (t / T_END - np.sin(a * t) / (2 * np.pi)), s / T_END * (1 - np.cos(a * t)),
            s * a / T_END * np.sin(a * t))


def knees(q, lengths=(L0, L1)):
    l0, l1 = lengths
    return BASE * l0 / L0 + l1 * u(LEG + q).T


def corner(k, angle):
    return CORNER[k][0] * u(angle + CORNER[k][1])


# --- assembly modes

def sextic(P):
    """Coefficients, ascending, in tan(phi/2) of the angles phi that the platform can have at the knees P, monic.

    With p the first corner from P4: |p| = l2 and |p + e_k| = l2, e_k = d_k(phi) - (P_k - P4), hence 2 e_k.p = -|e_k|^2;
    p = (X, Y)/D by Cramer's rule and X^2 + Y^2 = l2^2 D^2. Of degree 8, divisible by 1 + tan^2.
    """
    one = np.array([1, 0, 1.0])
    cos, sin = np.array([1, 0, -1.0]), np.array([0, 2.0, 0])  # times one
    e, square = [], []
    for k in (1, 2):
        d, B = corner(k, 0.0), P[k] - P[0]
        e.append((d[0] * cos - d[1] * sin - B[0] * one, d[0] * sin + d[1] * cos - B[1] * one))
        square.append((d @ d + B @ B) * one - 2 * (B[0] * (d[0] * cos - d[1] * sin) + B[1] * (d[0] * sin + d[1] * cos)))
    times = np.convolve
    D = 2 * (times(e[0][0], e[1][1]) - times(e[0][1], e[1][0]))
    X = times(e[1][1], square[0]) - times(e[0][1], square[1])
    Y = times(e[0][0], square[1]) - times(e[1][0], square[0])
    f = times(X, X) + times(Y, Y) - L2 ** 2 * times(D, D)
    quotient, rest = np.polydiv(f[::-1], one[::-1])
    assert abs(rest).max() < 1e-12 * abs(f).max()
    return quotient[::-1] / quotient[0]


def modes(P):
    """Corner and angle of every mode, by ascending angle."""
    result = []
    for root in np.roots(sextic(P)[::-1]):
        if abs(root.imag) > 1e-8 * (1 + abs(root)):
            continue
        phi = 2 * np.arctan(root.real)
        e = np.array([corner(k, phi) - (P[k] - P[0]) for k in (1, 2)])
        p = np.linalg.solve(2 * e, -(e * e).sum(1))
        result.append((*(P[0] + p), phi))
    return sorted(result, key=lambda mode: mode[2])


def angles_of(P, mode):
    """Angles of rods and platform in a mode."""
    first, phi = np.array(mode[:2]), mode[2]
    rods = [first + corner(k, phi) - P[k] for k in range(3)]
    return np.array([*(np.arctan2(r[1], r[0]) for r in rods), phi])


# --- the mechanism at x

class State:
    """Closed, near the angles given; rates and accelerations of the cranks may be given too."""

    def __init__(self, q, near):
        x = np.concatenate([LEG + q, near])
        self.P = knees(q)
        for _ in range(50):
            step = np.linalg.solve(self.jacobian(x)[:, 3:], self.residual(x))
            x[3:] -= step
            if abs(step).max() < 1e-15:
                break
        assert abs(self.residual(x)).max() < 1e-14
        self.x = x
        J = self.jacobian(x)
        self.N = np.vstack([np.eye(3), -np.linalg.solve(J[:, 3:], J[:, :3])])  # xd = N qd
        self.corners = np.array([self.P[0] + L2 * u(x[3]) + corner(k, x[6]) for k in range(3)])
        self.centroid = self.corners.mean(0)
        self.K = self.twists()
        self.T = self.K @ self.N
        self.H = self.T.T @ (self.weights()[:, None] * self.T)

    def residual(self, x):
        return np.concatenate([self.P[0] + L2 * u(x[3]) + corner(k, x[6]) - self.P[k] - L2 * u(x[3 + k])
                               for k in (1, 2)])

    def loop(self, x, k):
        """Column vectors that turn with link j in loop k: sum of them is constant."""
        columns = {0: L1 * u(x[0]), 3: L2 * u(x[3]), 6: corner(k, x[6]), k: -L1 * u(x[k]), 3 + k: -L2 * u(x[3 + k])}
        return columns

    def jacobian(self, x):
        J = np.zeros((4, 7))
        for row, k in enumerate((1, 2)):
            for j, v in self.loop(x, k).items():
                J[2 * row:2 * row + 2, j] = turned(v)
        return J

    def chain(self, i):
        """Vectors that lead from the base to the centre of mass of link i, by the link that each turns with."""
        x = self.x
        if i < 3:
            return {i: L1 / 2 * u(x[i])}
        if i < 6:
            return {i - 3: L1 * u(x[i - 3]), i: L2 / 2 * u(x[i])}
        return {0: L1 * u(x[0]), 3: L2 * u(x[3]), 6: self.centroid - self.corners[0]}

    def twists(self):
        K = np.zeros((21, 7))
        for i in range(7):
            K[3 * i, i] = 1
            for j, v in self.chain(i).items():
                K[3 * i + 1:3 * i + 3, j] = turned(v)
        return K

    @staticmethod
    def weights():
        return np.stack([MOMENT, MASS, MASS], 1).ravel()

    def moved(self, qd, qdd):
        """Rates and accelerations of the angles; derivative of the twists."""
        xd = self.N @ qd
        J = self.jacobian(self.x)
        turning = np.concatenate([-sum(xd[j] ** 2 * v for j, v in self.loop(self.x, k).items()) for k in (1, 2)])
        xdd = np.concatenate([qdd, np.linalg.solve(J[:, 3:], -(J[:, :3] @ qdd + turning))])
        td = self.K @ xdd
        for i in range(7):
            td[3 * i + 1:3 * i + 3] -= sum(xd[j] ** 2 * v for j, v in self.chain(i).items())
        return xd, xdd, td

    def torque(self, qd, qdd, weight=WEIGHT):
        force = self.weights() * self.moved(qd, qdd)[2]
        force[2::3] -= MASS * weight
        return self.T.T @ force

    def acceleration(self, qd, tau):
        return np.linalg.solve(self.H, tau - self.torque(qd, np.zeros(3)))

    def potential(self):
        return -WEIGHT * sum(MASS[i] * (BASE[i % 3 if i < 6 else 0][1] + sum(v[1] for v in self.chain(i).values()))
                             for i in range(7))


def start(way=MANOEUVRE):
    """In the mode of the tables: of the two at the start that with the negative angle."""
    P = knees(way[0])
    return State(way[0], angles_of(P, modes(P)[0]))


def follow(steps, way=MANOEUVRE):
    here = start(way)
    for k in range(steps + 1):
        q, qd, qdd = cranks(T_END * k / steps, way)
        here = State(q, here.x[3:])
        yield here, qd, qdd


def cut(here):
    """The virtual cut: angles of rod 4 and of the platform against the line from P4 to P5."""
    side = here.P[1] - here.P[0]
    base = np.arctan2(side[1], side[0])
    return [np.degrees((angle - base + np.pi) % (2 * np.pi) - np.pi) for angle in (here.x[3], here.x[6])]


def positions(path):
    report("helmy.positions.rates", np.degrees(cranks(T_END / 2)[1]))
    report("helmy.positions.accelerations", np.degrees(cranks(T_END / 4)[2]))
    report("helmy.positions.platform",
           [[*here.centroid, np.degrees((here.x[6] + np.pi) % (2 * np.pi) - np.pi), *cut(here)]
            for here, _, _ in path[::50]])
    here = path[-1][0]
    report("end", here.centroid, np.degrees((here.x[6] + np.pi) % (2 * np.pi) - np.pi))
    report("helmy.positions.corners", path[0][0].corners)
    for name, way in (("impossible", MANOEUVRE), ("impossible-setup", SETUP)):  # lengths of section 6.4.2
        P = knees(way[0], (.8, .44))
        sides = sorted(np.linalg.norm(P[k] - P[k - 1]) for k in range(3))
        assert sides[0] > 2 * .22 + .125
        report(f"helmy.positions.{name}", sides)
    determinants = [abs(np.linalg.det(here.jacobian(here.x)[:, 3:])) for here, _, _ in path]
    report("helmy.positions.determinant", min(determinants), max(determinants))
    # leg 3 is stretched where crank and rod are in line
    bend = [np.sin(here.x[5] - here.x[2]) for here, _, _ in path]
    changes = [k for k in range(300) if bend[k] * bend[k + 1] < 0]
    low, high, here = .01 * changes[0], .01 * changes[0] + .01, path[changes[0]][0]
    for _ in range(40):
        middle = (low + high) / 2
        here = State(cranks(middle)[0], here.x[3:])
        low, high = (middle, high) if np.sin(here.x[5] - here.x[2]) * bend[changes[0]] > 0 else (low, middle)
    report("helmy.positions.stretch", len(changes), low, np.degrees(cranks(low)[0][2]))


def assembly():
    P = knees(MANOEUVRE[0])
    report("helmy.modes.sextic", sextic(P))
    report("helmy.modes.start", [np.degrees(mode[2]) for mode in modes(P)])
    report("helmy.modes.six", [[*mode[:2], np.degrees(mode[2])] for mode in modes(knees(np.radians([0, 0, 90])))])
    by_x = sorted(modes(knees(np.radians([0, 0, 90]))))
    report("modes.x", [mode[0] for mode in by_x])
    report("modes.angle", [np.degrees(mode[2]) for mode in by_x])
    random, count = np.random.default_rng(1994), np.zeros(4, int)
    for q in random.uniform(0, 2 * np.pi, (20000, 3)):
        count[len(modes(knees(q))) // 2] += 1
    for k in range(4):
        report(f"helmy.modes.count-{2 * k}", count[k])


def complement(path):
    here = path[0][0]
    report("helmy.complement.T", here.T[9:])
    ties = [(3, 0), (4, 1), (5, 2), (6, 3), (6, 4), (6, 5)]
    report("helmy.complement.R", [here.N[b] - here.N[a] for b, a in ties])
    upper = np.triu_indices(3)
    for name, k in (("start", 0), ("middle", 150), ("end", 300)):
        report(f"helmy.complement.H.{name}", path[k][0].H[upper])
    for t, k in ((0.75, 75), (1.5, 150)):
        here, qd, qdd = path[k]
        xd, xdd, _ = here.moved(qd, qdd)
        report(f"helmy.complement.omega.{t}", xd)
        report(f"helmy.complement.alpha.{t}", xdd)
    report("helmy.complement.rank", min(np.linalg.matrix_rank(twist_constraints(here), 1e-9) for here, _, _ in path))


def twist_constraints(here):
    """Two rows per joint: both links (the base: none) have the same velocity there. Nothing of K is used but where
    centres of mass are."""
    centre = [(BASE[i % 3] if i < 6 else BASE[0]) + sum(here.chain(i).values()) for i in range(7)]
    joints = [(BASE[k], k, None) for k in range(3)] + [(here.P[k], 3 + k, k) for k in range(3)]
    joints += [(here.corners[k], 6, 3 + k) for k in range(3)]
    omega = np.zeros((18, 21))
    for j, (point, a, b) in enumerate(joints):
        for link, sign in ((a, 1), (b, -1)):
            if link is not None:
                omega[2 * j:2 * j + 2, 3 * link] = sign * turned(point - centre[link])
                omega[2 * j:2 * j + 2, 3 * link + 1:3 * link + 3] = sign * np.eye(2)
    assert abs(omega @ here.T).max() < 1e-13
    return omega


def torques(path):
    tau = np.array([here.torque(qd, qdd) for here, qd, qdd in path])
    report("helmy.torques.torques.recomputed", tau)
    report("helmy.torques.torques.multipliers.recomputed", tau)
    report("helmy.start", tau[0])
    report("helmy.H1", path[0][0].H[0])
    report("helmy.H2", path[0][0].H[1])
    report("helmy.middle", tau[150])
    report("helmy.last", tau[300])
    power = [t @ qd for t, (_, qd, _) in zip(tau, path)]
    weights = np.array([1, *[4, 2] * 149, 4, 1]) * .01 / 3  # Simpson's rule
    report("helmy.torques.work", weights @ power)
    report("helmy.torques.power", min(power), max(power))
    report("helmy.torques.potential", path[0][0].potential())
    report("helmy.torques.weightless", [here.torque(qd, qdd, 0.0) for here, qd, qdd in path[50:251:50]])
    report("helmy.torques.setup", [here.torque(qd, qdd) for here, qd, qdd in list(follow(300, SETUP))[::50]])
    here, qd, _ = path[150]
    joints = np.array([here.N[b] - (0 if a is None else here.N[a]) for b, a in
                       ((0, None), (1, None), (2, None), (3, 0), (4, 1), (5, 2), (6, 3), (6, 4), (6, 5))])
    report("helmy.torques.friction", joints.T @ (0.5 * joints @ qd))


def open_loop_error(h):
    steps = round(T_END / h)
    tau = [here.torque(qd, qdd) for here, qd, qdd in follow(2 * steps)]
    near = [start().x[3:]]

    def slope(t, y):
        here = State(y[:3], near[0])
        near[0] = here.x[3:]
        return np.concatenate([y[3:], here.acceleration(y[3:], tau[round(2 * t / h)])])

    y, worst = np.concatenate([MANOEUVRE[0], np.zeros(3)]), 0.0
    for k in range(steps):
        y = rk4(slope, k * h, y, h)
        worst = max(worst, np.degrees(abs(y[:3] - cranks((k + 1) * h)[0]).max()))
    return worst


if __name__ == "__main__":
    PATH = list(follow(300))
    positions(PATH)
    assembly()
    complement(PATH)
    torques(PATH)
    report("helmy.simulation.error", [open_loop_error(h) for h in (.02, .01, .005)])
