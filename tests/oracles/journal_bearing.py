#!/usr/bin/python3
"""A planar four-bar with a journal bearing that is loaded by its own reaction, simulated without Linkwright.

What it computes: the free motion of the mechanism of the defect "07-friction-loop-hang" (crank A, rod B with a journal
bearing, rocker C with Coulomb and viscous friction, loop closed at D) from crank angle 1 rad and crank speed 6 rad/s,
for 3 s, no motor torque. It prints JSON: final state, times at which directions of friction change, whether the
mechanism comes to rest, the difference between runs with two tolerances, the greatest error of the energy balance.

    tests/oracles/journal_bearing.py [--duration 3] [--speed 6] [--mu 0.1] [--tolerance 1e-13]

Conventions: SI units; z out of the plane; gravity along -y. Joint coordinates are those of the mechanism file: A angle
of the crank, B angle of the rod from the crank, C angle of the rocker. Moments of inertia are about centres of mass.
Geometry: P, tip of the crank; S, pivot of the rocker; D, pin of rod and rocker: the intersection of circles about P and
S nearest to the home pose. The crank turns fully (0.2 + 0.7 < 0.6 + 0.4), so A is a good coordinate everywhere.

Equations: Newton and Euler for three bodies (x, y of the centre of mass, angle) and eight rows for the four pins,
    M a - G^T f = weights + torques of friction        G a = sum over pins of (angular speed)^2 * (arm)
with a: nine accelerations, f: four pin forces. f_B acts on the rod and -f_B on the crank. Friction acts as a pair: the
torque -s_B F on the rod and +s_B F on the crank, and -(0.7 s_C + 0.05 C') on the rocker; s = sign of the joint's own
rate. Journal bearing: two supports, spacing d apart on the axis, carry force f and tilting moment n of the joint,
F = mu r (|f/2 + n x axis/d| + |f/2 - n x axis/d|). In the plane n = 0 and hence F = mu r |f_B|, without d.
(The pins are redundant out of the plane; a mechanism without stresses from assembly has n = 0 there.)
Load: two readings of it are computed, which are the same in a tree and differ in a loop.
  actual        f_B of the equations above: friction at B and C changes the force in D, and with it f_B.
  frictionless  f_B of the mechanism without friction that a motor at A gives the same accelerations. It depends on
                which joint is called the motor's, though that motor does nothing: an approximation, not mechanics.
Either is affine in F, load = u + F v. With k = mu r the law F = k |u + F v| is the quadratic
(1 - k^2 v.v) F^2 - 2 k^2 (u.v) F - k^2 u.u = 0. Where 1 - k^2 v.v > 0 (checked) it has exactly one root F >= 0.

Integration: collocation at 8 Gauss points (order 16) in (A, A', energy lost); a step is halved until it differs from
two halves by less than the tolerance. The other run has 100 times the tolerance and twice the longest step.
Signs of friction are s = (sign of A') * (sign of the ratio of the joint's rate to A'), both kept through a step. A step
in which A' or a ratio changes its sign is done again with the length at which the sign changes, found by bisection.
Where a ratio passes zero (an extreme of the rocker) the motion goes on and only the friction's sign changes. Where A'
is zero the whole mechanism stands; it moves on in a direction if the acceleration with friction against that direction
points there too, and where this holds for neither it rests for good, since nothing changes with time.

Checks of its own: energy (kinetic + potential + lost); f_B from moments of the rod about D and of rod and rocker about
S, with accelerations from differences of closed-form positions; energy without bearing and without friction.
"""
import argparse
import json
import numpy as np

GRAVITY = 9.81
CRANK, ROD, ROCKER, PIVOT = 0.2, 0.6, 0.4, 0.7
MASS = np.array([1.0, 2.0, 1.5])
COM = np.array([[0.1, 0.0], [0.3, 0.05], [0.2, 0.0]])  # in the bodies' axes, from their first pins
INERTIA = np.array([0.01, 0.1, 0.05])  # about the centres of mass
HOME = (1.0, -0.6, 1.9)
EVENTS = ("reversal", "B", "C")  # A', and ratios of the rates of B and C to A', change their signs
PINS = ((0, 0, 0, 1), (2, 1, 0, 1), (2, 0, 1, -1), (4, 2, 1, 1), (4, 1, 1, -1), (6, 2, 0, 1))  # row, body, end, sign
turn = lambda v: np.stack([-v[..., 1], v[..., 0]], -1)  # by 90 degrees
along = lambda angle: np.stack([np.cos(angle), np.sin(angle)], -1)
cross = lambda a, b: a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


class FourBar:
    def __init__(self, mu=0.1, radius=0.02, coulomb=0.7, viscous=0.05, load="actual"):
        self.load, self.load_factor, self.coulomb, self.viscous = load, mu * radius, coulomb, viscous
        self.side = min((1.0, -1.0), key=lambda side: np.abs(self.joints(HOME[0], side) - HOME).sum())

    def angles(self, A, side=None):
        """Angles of the three bodies from the x axis, shape (..., 3)."""
        to_pivot = np.array([PIVOT, 0.0]) - CRANK * along(A)
        square = (to_pivot**2).sum(-1)[..., None]
        part = 0.5 * (1 + (ROD**2 - ROCKER**2) / square)
        to_D = part * to_pivot + (side or self.side) * np.sqrt(ROD**2 / square - part**2) * turn(to_pivot)
        rocker = to_D - to_pivot
        return np.stack([A, np.arctan2(to_D[..., 1], to_D[..., 0]), np.arctan2(rocker[..., 1], rocker[..., 0])], -1)

    def joints(self, A, side=None):
        return self.angles(A, side) - [0.0, A, 0.0]

    @staticmethod
    def ratios(angles):
        """Angular speeds of the bodies per unit of A', from the velocity of D by two ways."""
        crank, rod, rocker = np.moveaxis(angles, -1, 0)
        sine = np.sin(rocker - rod)
        return np.stack([np.ones_like(sine), -CRANK / ROD * np.sin(rocker - crank) / sine,
                         CRANK / ROCKER * np.sin(crank - rod) / sine], -1)

    def event_values(self, state):
        """A', and the ratios of the rates of B and C to A'."""
        ratio = self.ratios(self.angles(state[..., 0]))
        return np.stack([state[..., 1], ratio[..., 1] - 1.0, ratio[..., 2]], -1)

    @staticmethod
    def centres(angles):
        """Centres of mass from the bodies' first pins."""
        return COM[:, :1] * along(angles) + COM[:, 1:] * turn(along(angles))

    def energy(self, state):
        """Kinetic and potential, of one state."""
        angles = self.angles(state[0])
        w, com, tip = self.ratios(angles) * state[1], self.centres(angles), CRANK * along(angles[0])
        v = w[:, None] * turn(com) + np.outer([0, 1, 0], w[0] * turn(tip))
        return 0.5 * (MASS * (v**2).sum(-1) + INERTIA * w**2).sum(), GRAVITY * MASS @ (com[:, 1] + [0, tip[1], 0])

    def dynamics(self, state, signs):
        """A'', power lost, f_B, friction torques on rod and rocker. `signs`: of A' and the ratios. `state`: (n, 3)."""
        n, angles = len(state), self.angles(state[:, 0])
        w, com = self.ratios(angles) * state[:, 1, None], self.centres(angles)
        arms = -com, np.array([[CRANK], [ROD], [ROCKER]]) * along(angles) - com  # to the first and the second pins
        G, centripetal = np.zeros((n, 8, 9)), np.zeros((n, 8))
        for row, body, end, sign in PINS:  # sign * acceleration of the pin as a point of the body
            arm = sign * arms[end][:, body]
            G[:, row, 3 * body] = G[:, row + 1, 3 * body + 1] = sign
            G[:, row:row + 2, 3 * body + 2] = turn(arm)
            centripetal[:, row:row + 2] += w[:, body, None]**2 * arm
        system = np.zeros((n, 17, 17))
        system[:, range(9), range(9)] = np.stack([MASS, MASS, INERTIA], -1).ravel()
        system[:, :9, 9:], system[:, 9:, :9] = -np.swapaxes(G, 1, 2), G
        s_B, s_C = signs[0] * signs[1], signs[0] * signs[2]
        torque_C = -(self.coulomb * s_C + self.viscous * w[:, 2])
        right = np.zeros((n, 17, 4))  # no friction; unit friction at B; friction at C; unit motor torque at A
        right[:, [1, 4, 7], 0], right[:, 9:, 0] = -GRAVITY * MASS, centripetal
        right[:, 2, 1], right[:, 5, 1], right[:, 8, 2], right[:, 2, 3] = s_B, -s_B, torque_C, 1.0
        x = np.linalg.solve(system, right)
        acceleration, force = x[:, 2, None], x[:, 11:13]  # of A; f_B
        u, v = force[..., 0] + force[..., 2], force[..., 1]
        if self.load == "frictionless":
            per_acceleration = force[..., 3] / acceleration[..., 3]
            u, v = force[..., 0] + acceleration[..., 2] * per_acceleration, acceleration[..., 1] * per_acceleration
        k2 = self.load_factor**2
        a, b, c = 1 - k2 * (v**2).sum(-1), k2 * (u * v).sum(-1), k2 * (u**2).sum(-1)
        assert (a > 0).all(), "the bearing jams: friction grows faster than its load"
        root = np.sqrt(b**2 + a * c)
        F = np.where(b > 0, (b + root) / a, c / np.where(root > b, root - b, 1.0))
        x = x[..., 0] + F[:, None] * x[..., 1] + x[..., 2]
        return x[:, 2], s_B * F * (w[:, 1] - w[:, 0]) - torque_C * w[:, 2], x[:, 11:13], -s_B * F, torque_C

    def force_by_moments(self, A, rate, acceleration, torque_B, torque_C, h=1e-3):
        """f_B of a motion and its friction, from moments; accelerations from differences of order 6."""
        def places(t):
            angles = self.angles(np.array(A + rate * t + 0.5 * acceleration * t * t))
            tip = CRANK * along(angles[0])
            com = self.centres(angles) + [[0, 0], tip, [PIVOT, 0]]
            return np.vstack([com, np.stack([angles, angles], -1), tip, tip + ROD * along(angles[1])])
        weights = np.array([2, -27, 270, -490, 270, -27, 2]) / (180 * h * h)
        second = sum(c * places(k * h) for c, k in zip(weights, range(-3, 4)))
        place, S, inertia = places(0.0), np.array([PIVOT, 0.0]), INERTIA * second[3:6, 0]
        D, pull = place[7], MASS[:, None] * ([0, -GRAVITY] - second[:3])
        about_D = cross(place[1] - D, pull[1]) + torque_B - inertia[1]
        about_S = sum(cross(place[i] - S, pull[i]) - inertia[i] for i in (1, 2)) + torque_B + torque_C
        return np.linalg.solve([turn(place[6] - D), turn(place[6] - S)], [-about_D, -about_S])


def gauss(stages, legendre=np.polynomial.legendre):
    """Weights and the matrix of integrals of the Lagrange polynomials on [0, 1]."""
    nodes, weights = legendre.leggauss(stages)
    P, n = legendre.legvander(nodes, stages), np.arange(stages)
    integrals = np.column_stack([nodes + 1, (P[:, 2:] - P[:, :-2]) / (2 * n[1:] + 1)])  # of P_n, from -1 to the nodes
    return 0.5 * weights, 0.5 * integrals * (n + 0.5) @ (P[:, :stages].T * weights)


WEIGHTS, MATRIX = gauss(8)


def step(bar, state, h, signs):
    """State after h, and the stages."""
    rate, change = np.tile([state[1], 0.0, 0.0], (len(WEIGHTS), 1)), np.inf
    for _ in range(200):
        stages = state + h * (MATRIX @ rate)
        acceleration, lost = bar.dynamics(stages, signs)[:2]
        new = np.stack([stages[:, 1], acceleration, lost], -1)
        before, change, rate = change, h * np.abs(new - rate).max(), new
        if change < 1e-13 and change >= 0.5 * before or change == 0:
            return state + h * (WEIGHTS @ rate), stages
    raise ArithmeticError("stages do not converge: the step is too long")


def start_direction(bar, A, ratio_signs):
    """Direction in which the mechanism leaves rest; 0: friction holds it."""
    moves = [s for s in (1.0, -1.0) if s * bar.dynamics(np.array([[A, 0.0, 0.0]]), [s, *ratio_signs])[0][0] > 0]
    assert len(moves) < 2, "two motions are possible from rest"
    return sum(moves)


def simulate(bar, speed, duration, tolerance, longest):
    t, h, state, events, worst = 0.0, longest, np.array([HOME[0], speed, 0.0]), [], 0.0
    signs, start, residual = np.sign(bar.event_values(state)), sum(bar.energy(state)), 0.0
    signs[0] = signs[0] or start_direction(bar, state[0], signs[1:])

    crossed = lambda *states: (bar.event_values(np.vstack(states)) * signs <= 0).any(0)
    while t < duration and signs[0] != 0:
        length = min(h, duration - t)
        whole, stages = step(bar, state, length, signs)
        middle = step(bar, state, 0.5 * length, signs)[0]
        after = step(bar, middle, 0.5 * length, signs)[0]
        error = np.abs(whole - after).max()
        if error > tolerance:
            h = 0.5 * length
            continue
        kinds = crossed(stages, middle, after)
        if kinds.any():  # the shortest length at which a sign has changed
            low, high, first, last = 0.0, length, state, after
            while high - low > 1e-9:
                half = 0.5 * (low + high)
                there, stages = step(bar, state, half, signs)
                now = crossed(stages, there)
                low, first = (low, first) if now.any() else (half, there)
                high, last, kinds = (half, there, now) if now.any() else (high, last, kinds)
            kind = int(np.argmax(kinds))
            before, behind = bar.event_values(first)[kind], bar.event_values(last)[kind]
            length = low + (high - low) * before / (before - behind)
            after = step(bar, state, length, signs)[0]
            signs[kind] *= -1
            if kind == 0:
                after[1] = 0.0
                signs[0] = start_direction(bar, after[0], signs[1:])
            events.append({"t": t + length, "kind": EVENTS[kind], "A": after[0], "rate_A": after[1]})
        elif error < 1e-4 * tolerance:
            h = min(2 * h, longest)
        t, state = t + length, after
        residual = max(residual, abs(sum(bar.energy(state)) + state[2] - start))
        if signs[0] != 0:
            acceleration, _, force, *torques = (x[0] for x in bar.dynamics(state[None], signs))
            other = bar.force_by_moments(state[0], state[1], acceleration, *torques)
            worst = max(worst, np.abs(force - other).max() / (1 + np.abs(force).max()))
    return {"q": list(bar.joints(state[0])), "qd": list(bar.event_values(state) * [1.0, state[1], state[1]]),
            "ends_at_rest": bool(signs[0] == 0), "events": events, "energy": list(bar.energy(state)), "lost": state[2],
            "energy_residual": residual, "pin_force_by_moments_relative_difference": worst}


def difference(a, b):
    """Of final states and of times of events; NaN where the events are others."""
    same = [e["kind"] for e in a["events"]] == [e["kind"] for e in b["events"]]
    numbers = [np.array(run["q"] + run["qd"] + [run["lost"]] + [e["t"] for e in run["events"]]) for run in (a, b)]
    return np.abs(numbers[0] - numbers[1]).max() if same else np.nan


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in (("duration", 3.0), ("speed", 6.0), ("mu", 0.1), ("tolerance", 1e-13)):
        parser.add_argument("--" + name, type=float, default=default, help=f"default {default}")
    args = parser.parse_args()
    cases = {"actual": {"mu": args.mu}, "frictionless": {"mu": args.mu, "load": "frictionless"},
             "without_bearing": {"mu": 0.0}, "without_friction": {"mu": 0.0, "coulomb": 0.0, "viscous": 0.0}}
    result = {}
    for name, settings in cases.items():
        runs = [simulate(FourBar(**settings), args.speed, args.duration, tolerance, longest)
                for tolerance, longest in ((args.tolerance, 0.01), (100 * args.tolerance, 0.02))]
        result[name] = {**runs[0], "direction_changes": len(runs[0]["events"]), "difference": difference(*runs)}
    print(json.dumps(result, indent=2, default=float))


if __name__ == "__main__":
    main()
