"""Any model file of reproduce/field in maximal coordinates: every link a free rigid body, every joint of tree and
loops a constraint.

Gauss's principle gives the accelerations, also with redundant constraints: with M = L L', a_f = M^-1 f and A a = b
from the joints,

    a = a_f + L'^-1 (A L'^-1)^+ (b - A a_f)

where + is the pseudo-inverse by singular values. Extrapolation integrates; every step is projected onto the
constraints of position and velocity. Joint coordinates are read from the poses and counted over whole turns. Double
precision; no joint friction; the dampers of springs act. Reads the subset of docs/format.md that the files use:
revolute, prismatic and spherical joints, origins without rotation, inertias about the centre of mass, springs,
constant moments, payloads that are points.
"""
import math
import re

import numpy as np
import yaml

from numerics import extrapolate

# Singular values below this part of the largest belong to redundant constraints. Between the projections the state
# leaves the constraints a little, and a redundant row is then independent by as little: the bound must be well above
# that.
RANK = 1e-5

AXES = {'x': (1, 0, 0), 'y': (0, 1, 0), 'z': (0, 0, 1)}


def cross(a, b):  # numpy's takes twenty times as long
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def skew(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0.0]])


def rotation(quaternion):
    w, x, y, z = quaternion / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def product(a, b):
    return np.concatenate([[a[0] * b[0] - a[1:] @ b[1:]], a[0] * b[1:] + b[0] * a[1:] + cross(a[1:], b[1:])])


class Joint:
    def __init__(self, name, kind, axis, a, b, pa, pb):
        self.name, self.kind = name, kind
        self.a, self.b, self.pa, self.pb = a, b, pa, pb  # bodies, -1 is the base; places on them
        self.axis = axis / np.linalg.norm(axis)
        n = cross(self.axis, np.eye(3)[np.argmin(abs(self.axis))])
        self.across = (n / np.linalg.norm(n), cross(self.axis, n / np.linalg.norm(n)))
        self.count = {'revolute': 5, 'prismatic': 5, 'spherical': 3}[kind]


class Maximal:
    def __init__(self, path):
        file = yaml.safe_load(open(path))
        self.names = {'pi': math.pi} | {k: getattr(math, k) for k in ('sin', 'cos', 'asin', 'atan2', 'sqrt')}
        for k, v in file.get('parameters', {}).items():
            self.names[k] = self.value(v)
        self.gravity = self.vector(file.get('gravity', [0, 0, -9.81]))
        links = file['links']
        self.index = {'base': -1} | {link['name']: i for i, link in enumerate(links)}
        self.n = len(links)
        self.mass, self.com, self.tensor = np.zeros(self.n), np.zeros((self.n, 3)), np.zeros((self.n, 3, 3))
        self.joints = []
        for i, link in enumerate(links):
            inertia = link['inertia']
            self.mass[i] = self.value(inertia['mass'])
            self.com[i] = self.vector(inertia.get('com', [0, 0, 0]))
            self.tensor[i] = np.diag(self.vector(inertia.get('tensor', [0, 0, 0])))
            j = link['joint']
            self.joints.append(
                Joint(
                    j.get('name', link['name']),
                    j['type'],
                    self.direction(j.get('axis', 'z')),
                    self.index[link['parent']],
                    i,
                    self.vector(j.get('origin', {}).get('xyz', [0, 0, 0])),
                    np.zeros(3),
                )
            )
        for load in file.get('payloads', []):
            i, m, p = self.index[load['link']], self.value(load['mass']), self.vector(load['com'])
            total = self.mass[i] + m
            apart = p - self.com[i]
            self.tensor[i] -= self.mass[i] * m / total * skew(apart) @ skew(apart)
            self.com[i] += m / total * apart
            self.mass[i] = total
        self.tree = len(self.joints)
        for loop in file.get('loops', []):
            a, b = loop['between']
            at = lambda link: self.vector(loop.get('at', {}).get(link, {}).get('xyz', [0, 0, 0]))
            self.joints.append(
                Joint(
                    loop['name'],
                    loop['joint']['type'],
                    self.direction(loop['joint'].get('axis', 'z')),
                    self.index[a],
                    self.index[b],
                    at(a),
                    at(b),
                )
            )
        self.springs = []
        for s in file.get('springs', []):
            a, b = s['between']
            self.springs.append(
                (
                    self.index[a],
                    self.index[b],
                    *(self.vector(s.get('at', {}).get(x, [0, 0, 0])) for x in (a, b)),
                    *(self.value(s.get(x, 0)) for x in ('stiffness', 'rest', 'damping')),
                )
            )
        self.moments = [(self.index[f['link']], self.vector(f['moment'])) for f in file.get('forces', [])]
        self.home = {k: self.value(v) for k, v in file.get('home', {}).items()}

    def value(self, formula):
        if isinstance(formula, (int, float)):
            return float(formula)
        return float(
            eval(re.sub(r'([\d.]+) deg', r'(\1*pi/180)', formula).replace('^', '**'), {'__builtins__': {}}, self.names)
        )

    def vector(self, formulas):
        return np.array([self.value(x) for x in formulas])

    def direction(self, axis):
        if isinstance(axis, str):
            return np.array(AXES[axis.strip('-')], float) * (-1 if axis.startswith('-') else 1)
        return self.vector(axis)

    # A state: centres of mass (3n), quaternions w x y z (4n), velocities (3n), angular velocities in world axes (3n).
    def unpack(self, y):
        n = self.n
        r, quats = y[: 3 * n].reshape(n, 3), y[3 * n : 7 * n].reshape(n, 4)
        v, w = y[7 * n : 10 * n].reshape(n, 3), y[10 * n :].reshape(n, 3)
        return r, quats, v, w, [rotation(x) for x in quats]

    def assemble(self, q, qd):
        """The state of tree joints at coordinates and rates by name, others at home and at rest."""
        n = self.n
        r, quats, v, w = np.zeros((n, 3)), np.zeros((n, 4)), np.zeros((n, 3)), np.zeros((n, 3))
        origin, speed = np.zeros((n, 3)), np.zeros((n, 3))
        for i, joint in enumerate(self.joints[: self.tree]):
            a = joint.a
            base = a < 0
            qa = np.array([1.0, 0, 0, 0]) if base else quats[a]
            arm = rotation(qa) @ joint.pa
            axis = rotation(qa) @ joint.axis
            origin[i] = arm if base else origin[a] + arm
            speed[i] = 0 if base else speed[a] + cross(w[a], arm)
            w[i] = 0 if base else w[a]
            x, xd = q.get(joint.name, self.home.get(joint.name, 0.0)), qd.get(joint.name, 0.0)
            quats[i] = qa
            if joint.kind == 'revolute':
                quats[i] = product(qa, np.concatenate([[math.cos(x / 2)], math.sin(x / 2) * joint.axis]))
                w[i] = w[i] + axis * xd
            elif joint.kind == 'prismatic':
                origin[i] += axis * x
                speed[i] += cross(w[i], axis * x) + axis * xd
            else:
                w[i] = w[i] + rotation(qa) @ np.array(xd)
            arm = rotation(quats[i]) @ self.com[i]
            r[i], v[i] = origin[i] + arm, speed[i] + cross(w[i], arm)
        return np.concatenate([r.ravel(), quats.ravel(), v.ravel(), w.ravel()])

    def ends(self, joint, r, R):
        """Lever arms from the centres of mass to the joint on both bodies; the vector from first to second place."""
        arm_a = joint.pa if joint.a < 0 else R[joint.a] @ (joint.pa - self.com[joint.a])
        arm_b = R[joint.b] @ (joint.pb - self.com[joint.b])
        return arm_a, arm_b, r[joint.b] + arm_b - (arm_a if joint.a < 0 else r[joint.a] + arm_a)

    def constraints(self, y):
        """Errors, Jacobian by rows (6 per body: velocity, then angular velocity), and what A a must be."""
        r, _, v, w, R = self.unpack(y)
        zero = np.zeros(3)
        error, rows, right = [], [], []

        def add(j, value, lin, ang_a, ang_b, bias):
            row = np.zeros(6 * self.n)
            if j.a >= 0:
                row[6 * j.a : 6 * j.a + 3], row[6 * j.a + 3 : 6 * j.a + 6] = -lin, ang_a
            row[6 * j.b : 6 * j.b + 3], row[6 * j.b + 3 : 6 * j.b + 6] = lin, ang_b
            error.append(value), rows.append(row), right.append(-bias)

        for j in self.joints:
            arm_a, arm_b, apart = self.ends(j, r, R)
            Ra, wa, va = (np.eye(3), zero, zero) if j.a < 0 else (R[j.a], w[j.a], v[j.a])
            wb, vb = w[j.b], v[j.b]
            centripetal = cross(wb, cross(wb, arm_b)) - cross(wa, cross(wa, arm_a))
            if j.kind == 'prismatic':
                rate = vb + cross(wb, arm_b) - va - cross(wa, arm_a)
                for n in j.across:
                    n = Ra @ n
                    dn = cross(wa, n)
                    bias = n @ centripetal + 2 * dn @ rate + cross(wa, dn) @ apart
                    add(j, n @ apart, n, -cross(arm_a + apart, n), cross(arm_b, n), bias)
                turn = Ra.T @ R[j.b]
                lag = Ra @ np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / 2
                for k in range(3):
                    add(j, lag[k], zero, -np.eye(3)[k], np.eye(3)[k], 0.0)
                continue
            for k in range(3):
                e = np.eye(3)[k]
                add(j, apart[k], e, -cross(arm_a, e), cross(arm_b, e), centripetal[k])
            if j.kind == 'revolute':
                axis = R[j.b] @ j.axis
                for n in j.across:
                    n = Ra @ n
                    z = cross(axis, n)
                    dz = cross(cross(wb, axis), n) + cross(axis, cross(wa, n))
                    add(j, axis @ n, zero, -z, z, dz @ (wb - wa))
        return np.array(error), np.array(rows), np.array(right)

    def inertias(self, R):
        """M^(-1/2) as blocks: L'^-1 of every body."""
        back = np.zeros((6 * self.n, 6 * self.n))
        world = []
        for i in range(self.n):
            I = R[i] @ self.tensor[i] @ R[i].T
            world.append(I)
            back[6 * i : 6 * i + 3, 6 * i : 6 * i + 3] = np.eye(3) / math.sqrt(self.mass[i])
            back[6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] = np.linalg.inv(np.linalg.cholesky(I)).T
        return back, world

    def accelerations(self, y):
        r, _, v, w, R = self.unpack(y)
        back, inertia = self.inertias(R)
        force = np.zeros((self.n, 6))
        force[:, :3] = self.mass[:, None] * self.gravity
        for i in range(self.n):
            force[i, 3:] = -cross(w[i], inertia[i] @ w[i])
        for i, moment in self.moments:
            force[i, 3:] += moment
        for a, b, pa, pb, stiffness, rest, damping in self.springs:
            place, speed, arm = [], [], []
            for body, p in ((a, pa), (b, pb)):
                arm.append(p if body < 0 else R[body] @ (p - self.com[body]))
                place.append(p if body < 0 else r[body] + arm[-1])
                speed.append(np.zeros(3) if body < 0 else v[body] + cross(w[body], arm[-1]))
            apart = place[1] - place[0]
            length = np.linalg.norm(apart)
            along = apart / length
            tension = stiffness * (length - rest) + damping * along @ (speed[1] - speed[0])
            for body, arm, pull in ((a, arm[0], tension * along), (b, arm[1], -tension * along)):
                if body >= 0:
                    force[body, :3] += pull
                    force[body, 3:] += cross(arm, pull)
        free = back @ (back.T @ force.ravel())
        _, A, b = self.constraints(y)
        return free + back @ (np.linalg.pinv(A @ back, rcond=RANK) @ (b - A @ free))

    def rate(self, t, y):
        _, quats, v, w, _ = self.unpack(y)
        a = self.accelerations(y).reshape(self.n, 6)
        spin = np.array([0.5 * product(np.concatenate([[0.0], w[i]]), quats[i]) for i in range(self.n)])
        return np.concatenate([v.ravel(), spin.ravel(), a[:, :3].ravel(), a[:, 3:].ravel()])

    def project(self, t, y):
        n = self.n
        y = y.copy()
        for step in range(3):
            quats = y[3 * n : 7 * n].reshape(n, 4)
            quats /= np.linalg.norm(quats, axis=1)[:, None]
            error, A, _ = self.constraints(y)
            back, _ = self.inertias(self.unpack(y)[4])
            inverse = back @ np.linalg.pinv(A @ back, rcond=RANK)
            if step == 2:
                velocity = np.concatenate([y[7 * n : 10 * n].reshape(n, 3), y[10 * n :].reshape(n, 3)], axis=1).ravel()
                velocity = (velocity - inverse @ (A @ velocity)).reshape(n, 6)
                y[7 * n : 10 * n], y[10 * n :] = velocity[:, :3].ravel(), velocity[:, 3:].ravel()
                return y
            change = -(inverse @ error).reshape(n, 6)
            y[: 3 * n] += change[:, :3].ravel()
            for i in range(n):
                quats[i] += 0.5 * product(np.concatenate([[0.0], change[i, 3:]]), quats[i])

    def coordinates(self, y, near):
        """Coordinates and rates of the tree joints, angles on the turn nearest to `near`."""
        r, _, v, w, R = self.unpack(y)
        q, qd = {}, {}
        for j in self.joints[: self.tree]:
            Ra, wa, va = (np.eye(3), np.zeros(3), np.zeros(3)) if j.a < 0 else (R[j.a], w[j.a], v[j.a])
            if j.kind == 'revolute':
                n = j.across[0]
                turned = Ra.T @ R[j.b] @ n
                angle = math.atan2(turned @ j.across[1], turned @ n)
                q[j.name] = angle + 2 * math.pi * round((near.get(j.name, 0.0) - angle) / (2 * math.pi))
                qd[j.name] = (Ra @ j.axis) @ (w[j.b] - wa)
            elif j.kind == 'prismatic':
                arm_a, arm_b, apart = self.ends(j, r, R)
                axis = Ra @ j.axis
                q[j.name] = axis @ apart
                qd[j.name] = axis @ (v[j.b] + cross(w[j.b], arm_b) - va - cross(wa, arm_a)) + cross(wa, axis) @ apart
            else:
                q[j.name] = list(y[3 * self.n + 4 * j.b : 3 * self.n + 4 * j.b + 4])
                qd[j.name] = list(R[j.b].T @ w[j.b])
        return q, qd

    def run(self, q, qd, end, tolerance, first=None):
        y = self.project(0, self.assemble(q, qd))
        latest = [self.coordinates(y, self.home | q)[0]]

        def seen(t, state):
            latest[0] = self.coordinates(state, latest[0])[0]

        y = extrapolate(self.rate, 0, y, end, tolerance, self.project, first=first, seen=seen)
        return self.coordinates(y, latest[0])
