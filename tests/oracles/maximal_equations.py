"""Equations of a mechanism in maximal coordinates: six velocities per body, constraint equations per joint.

Body i: centre of mass r_i, rotation R_i (identity at t = 0), velocities v_i and omega_i, all in world axes.
A joint connects body a to body b; s is the vector from the centre of mass to the joint point, d = p_b - p_a.
Every joint is a set of rows of three kinds; e, u are fixed in a, w in b, h in a or b:
  shift  e.d    speed  e.(v_b - v_a) + (s_b x e).omega_b - ((s_a + d) x e).omega_a
  tilt   u.w    speed  (w x u).(omega_b - omega_a)
  spin   -      speed  h.(omega_b - omega_a)
Constraints hold a shift or a tilt constant; the freedoms of a joint are shifts and spins, with speed s_j = n_j.V.
Stacked over all bodies, V = (v, omega):
  M V' + G^T lambda = f,     G V' = -G'V =: -gamma                                   (G may have dependent rows)
  rank G = number of singular values above RANK_TOLERANCE; G1 = as many independent rows, G1^T = [Q N] [T; 0]
  V' = A + N z,   A = -Q T^-T gamma1,   (N^T M N) z = N^T (f - M A)                  (M may be singular, N^T M N not)
Joint forces act as n_j^T tau_j, tau_j = -c_j s_j - k_j (x_j - x0_j) + actuation_j - F_j sigma_j, sigma_j the slip sign.
State vector y = (r, R, v, omega, x, dissipated energy, actuation work); x are the joint coordinates, x' = s.
Functions take stacks of states, shape (states, len(y)), because NumPy spends most of its time on calls.
Units: SI. Independent of Linkwright: nothing is shared with its sources.
"""
import numpy as np

RANK_TOLERANCE = 1e-8  # singular values of G below this fraction of the largest count as zero
ASSEMBLY_TOLERANCE = 1e-8  # largest mismatch of joint points at t = 0 in metres; a smaller one is kept constant
FREEDOMS = {"revolute": 1, "prismatic": 1, "cylindrical": 2, "universal": 2, "spherical": 3, "planar": 3, "fixed": 0}


class MechanismError(Exception):
    """The mechanism cannot be simulated; the message says why."""


def cross(a, b):
    next_axis, last_axis = (1, 2, 0), (2, 0, 1)
    return a.take(next_axis, -1) * b.take(last_axis, -1) - a.take(last_axis, -1) * b.take(next_axis, -1)


def dot(a, b):
    return np.einsum("...i,...i->...", a, b)


def turn(R, bodies, vectors):
    """World components of vectors that are fixed in bodies."""
    return np.einsum("tkij,kj->tki", R[:, bodies], vectors)


def perpendicular(axis):
    """Two unit vectors that form a right-handed triad with the axis: (x, y, axis)."""
    x = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    x /= np.linalg.norm(x)
    return x, np.cross(axis, x)


def unit(vector, joint):
    vector = np.asarray(vector, float)
    length = np.linalg.norm(vector)
    if length == 0:
        raise MechanismError(f"joint {joint['name']}: an axis has zero length")
    return vector / length


class Table:
    """Rows of one kind, collected joint by joint and then turned into arrays."""

    def __init__(self, *columns):
        self.columns, self.rows = columns, []

    def add(self, *row):
        self.rows.append(row)
        return len(self.rows) - 1

    def freeze(self):
        for i, name in enumerate(self.columns):
            is_body = name in "abk"
            column = [row[i] for row in self.rows]
            setattr(self, name, np.array(column, int if is_body else float).reshape((-1,) if is_body else (-1, 3)))


class Mechanism:
    def __init__(self, data):
        bodies = data["bodies"]
        self.n = n = len(bodies)
        self.data = data
        self.gravity = np.array(data["gravity"], float)
        self.mass = np.array([b["mass"] for b in bodies], float)
        self.inertia = np.array([b["inertia"] for b in bodies], float).reshape(n, 3, 3)
        self.com = np.vstack([np.array([b["com"] for b in bodies], float).reshape(n, 3), np.zeros(3)])
        self.shift = Table("a", "b", "e", "sa", "sb")
        self.tilt = Table("a", "b", "u", "w")
        self.spin = Table("a", "b", "k", "h", "pa", "pb")
        self.constraint_rows, self.freedom_rows, self.owner, self.combine = [], [], [], {}
        for index, joint in enumerate(data["joints"]):
            self._add_joint(index, joint)
        for table in (self.shift, self.tilt, self.spin):
            table.freeze()
        # rows of the three tables are stacked: shifts, tilts, spins
        start = {"shift": 0, "tilt": len(self.shift.rows), "spin": len(self.shift.rows) + len(self.tilt.rows)}
        self.constraint_rows = np.array([start[kind] + i for kind, i in self.constraint_rows], int)
        self.is_shift = np.array([kind == "shift" for kind, _ in self.freedom_rows], bool)
        self.freedom_rows = np.array([start[kind] + i for kind, i in self.freedom_rows], int)
        self.row_count = start["spin"] + len(self.spin.rows)
        self._add_joint_forces()
        self._add_springs()
        self.couplings = [(self._freedom(c["joint_1"], 0), self._freedom(c["joint_2"], 0), float(c["ratio"]))
                          for c in data.get("couplings", [])]
        if not all(self.measured[j] for c in self.couplings for j in c[:2]):
            raise MechanismError("a coupling refers to a spherical joint, which has no coordinate")
        self.size = 18 * n + len(self.owner) + 2
        # projector onto the velocities of each body that have inertia
        self.has_inertia = np.zeros((n, 6, 6))
        for i in range(n):
            values, vectors = np.linalg.eigh(self.inertia[i])
            if self.mass[i] < 0 or values[0] < -1e-9 * abs(values[2]):
                raise MechanismError(f"body {bodies[i]['name']}: negative mass or inertia")
            kept = vectors[:, values > 1e-12 * max(values[2], 1e-300)]
            self.has_inertia[i, :3, :3] = np.eye(3) * (self.mass[i] > 0)
            self.has_inertia[i, 3:, 3:] = kept @ kept.T
        y = self.initial_state()[None]
        values = self._rows(*self.unpack(y))[2][0]
        self.constants = values[self.constraint_rows]
        self._check_assembly(values)
        self.shift_offset = self.initial_coordinates[self.is_shift] - values[self.freedom_rows[self.is_shift]]

    def _add_joint(self, index, joint):
        a, b, kind = joint["a"], joint["b"], joint["type"]
        if kind not in FREEDOMS:
            raise MechanismError(f"joint {joint['name']}: unknown type {kind}")
        if a == b or not (-1 <= a < self.n and -1 <= b < self.n):
            raise MechanismError(f"joint {joint['name']}: needs two different bodies")
        sa = np.array(joint["point_a"], float) - self.com[a]
        sb = np.array(joint["point_b"], float) - self.com[b]
        z = unit(joint.get("axis", [0, 0, 1]), joint)
        x, y = perpendicular(z)
        if kind == "planar" and "axis2" in joint:
            x = np.array(joint["axis2"], float) - np.dot(joint["axis2"], z) * z
            x = unit(x, joint)
            y = np.cross(z, x)
        hold_shift = {"revolute": (x, y, z), "spherical": (x, y, z), "universal": (x, y, z), "fixed": (x, y, z),
                      "prismatic": (x, y), "cylindrical": (x, y), "planar": (z,)}[kind]
        hold_tilt = {"spherical": (), "universal": (), "prismatic": ((x, y), (y, z), (z, x)),
                     "fixed": ((x, y), (y, z), (z, x))}.get(kind, ((x, z), (y, z)))
        free_shift = {"prismatic": (z,), "cylindrical": (z,), "planar": (x, y)}.get(kind, ())
        free_spin = ((a, z, x, x),) if kind in ("revolute", "cylindrical", "planar") else ()
        if kind == "universal":
            axis2 = unit(joint["axis2"], joint)
            hold_tilt = ((z, axis2),)
            free_spin = ((a, z, axis2, axis2), (b, axis2, z, z))
            cosine = float(z @ axis2)
            if 1 - cosine**2 < 1e-6:
                raise MechanismError(f"joint {joint['name']}: the two axes are parallel")
            self.combine[len(self.owner)] = cosine  # speeds about oblique axes: see _rows
        if kind == "spherical":
            axes = np.array(joint.get("axes", np.eye(3)), float)  # rows: axes fixed in b, for the velocity components
            free_spin = tuple((b, axis, axis, axis) for axis in axes)
        shift_rows = [("shift", self.shift.add(a, b, e, sa, sb)) for e in free_shift]
        spin_rows = [("spin", self.spin.add(a, b, *row)) for row in free_spin]
        self.freedom_rows += spin_rows + shift_rows if kind == "cylindrical" else shift_rows + spin_rows
        self.owner += [(index, i) for i in range(FREEDOMS[kind])]
        self.constraint_rows += [("shift", self.shift.add(a, b, e, sa, sb)) for e in hold_shift]
        self.constraint_rows += [("tilt", self.tilt.add(a, b, u, w)) for u, w in hold_tilt]

    def _freedom(self, joint, freedom):
        if (joint, freedom) not in self.owner:
            raise MechanismError(f"joint {joint} has no freedom {freedom}")
        return self.owner.index((joint, freedom))

    def _add_joint_forces(self):
        count = len(self.owner)
        self.viscous, self.coulomb, self.actuation = np.zeros(count), np.zeros(count), np.zeros(count)
        self.stiffness, self.offset, self.initial_coordinates = np.zeros(count), np.zeros(count), np.zeros(count)
        types = [joint["type"] for joint in self.data["joints"]]
        self.measured = np.array([types[joint] != "spherical" for joint, _ in self.owner], bool)
        for index, joint in enumerate(self.data["joints"]):
            for entry in joint.get("friction", []):
                j = self._freedom(index, entry["freedom"])
                self.viscous[j] += entry.get("viscous", 0)
                self.coulomb[j] += entry.get("coulomb", 0)
            for entry in joint.get("spring", []):
                j = self._freedom(index, entry["freedom"])
                self.stiffness[j], self.offset[j] = entry["stiffness"], entry.get("offset", 0)
                self.initial_coordinates[j] = entry.get("initial", 0)
            for entry in joint.get("actuation", []):
                self.actuation[self._freedom(index, entry["freedom"])] += entry["torque"]
            if joint["type"] == "spherical" and any(
                    self.coulomb[j] or self.stiffness[j] for j in range(count) if self.owner[j][0] == index):
                raise MechanismError(f"joint {joint['name']}: spherical joints take only viscous friction, actuation")
        self.dry = np.flatnonzero(self.coulomb > 0)

    def _add_springs(self):
        self.line = Table("a", "b", "sa", "sb")
        springs = self.data.get("springs", [])
        for s in springs:
            self.line.add(s["a"], s["b"], np.array(s["point_a"], float) - self.com[s["a"]],
                          np.array(s["point_b"], float) - self.com[s["b"]])
        self.line.freeze()
        self.line_stiffness, self.line_rest, self.line_damping = (
            np.array([s.get(key, 0) for s in springs], float) for key in ("stiffness", "rest_length", "damping"))

    def _check_assembly(self, values):
        worst = np.max(np.abs(values[[i for i in self.constraint_rows if i < len(self.shift.rows)]]), initial=0)
        if worst > ASSEMBLY_TOLERANCE:
            raise MechanismError(f"the joint points do not coincide at t = 0: mismatch {worst:.2e} m")

    def initial_state(self):
        bodies, n = self.data["bodies"], self.n
        parts = [self.com[:n], np.tile(np.eye(3), (n, 1, 1)), [b.get("velocity", [0] * 3) for b in bodies],
                 [b.get("omega", [0] * 3) for b in bodies], self.initial_coordinates, np.zeros(2)]
        return np.concatenate([np.array(part, float).ravel() for part in parts])

    def unpack(self, y):
        """r, R, v, omega of a stack of states; the last body is the ground."""
        n, t = self.n, len(y)
        r, v, w = np.zeros((t, n + 1, 3)), np.zeros((t, n + 1, 3)), np.zeros((t, n + 1, 3))
        R = np.empty((t, n + 1, 3, 3))
        R[:, n] = np.eye(3)
        r[:, :n] = y[:, :3 * n].reshape(t, n, 3)
        R[:, :n] = y[:, 3 * n:12 * n].reshape(t, n, 3, 3)
        v[:, :n] = y[:, 12 * n:15 * n].reshape(t, n, 3)
        w[:, :n] = y[:, 15 * n:18 * n].reshape(t, n, 3)
        return r, R, v, w

    def _rows(self, r, R, v, w):
        """Jacobian (states, rows, 6n), velocity-product terms and values of all shift, tilt and spin rows."""
        t, n = len(r), self.n
        J = np.zeros((t, self.row_count, n + 1, 6))
        bias, values = np.zeros((t, self.row_count)), np.zeros((t, self.row_count))
        first = len(self.shift.rows)
        if first:
            a, b, i = self.shift.a, self.shift.b, np.arange(first)
            e, sa, sb = turn(R, a, self.shift.e), turn(R, a, self.shift.sa), turn(R, b, self.shift.sb)
            wa, wb = w[:, a], w[:, b]
            d = r[:, b] + sb - r[:, a] - sa
            ta, tb, te = cross(wa, sa), cross(wb, sb), cross(wa, e)
            J[:, i, b, :3], J[:, i, b, 3:] = e, cross(sb, e)
            J[:, i, a, :3], J[:, i, a, 3:] = -e, -cross(sa + d, e)
            bias[:, :first] = (dot(e, cross(wb, tb) - cross(wa, ta)) + 2 * dot(te, v[:, b] + tb - v[:, a] - ta)
                               + dot(cross(wa, te), d))
            values[:, :first] = dot(e, d)
        last = first + len(self.tilt.rows)
        if last > first:
            a, b, i = self.tilt.a, self.tilt.b, np.arange(first, last)
            u, q = turn(R, a, self.tilt.u), turn(R, b, self.tilt.w)
            wa, wb = w[:, a], w[:, b]
            J[:, i, b, 3:] = cross(q, u)
            J[:, i, a, 3:] = -J[:, i, b, 3:]
            bias[:, first:last] = dot(wb - wa, cross(cross(wb, q), u) + cross(q, cross(wa, u)))
            values[:, first:last] = dot(u, q)
        if self.row_count > last:
            a, b, i = self.spin.a, self.spin.b, np.arange(last, self.row_count)
            h = turn(R, self.spin.k, self.spin.h)
            J[:, i, b, 3:] = h
            J[:, i, a, 3:] = -h
            bias[:, last:] = dot(cross(w[:, self.spin.k], h), w[:, b] - w[:, a])
        return J[:, :, :n].reshape(t, self.row_count, 6 * n), bias, values

    def kinematics(self, y):
        """G, gamma = G'V, freedom rows n_j, their bias n_j'V, and speeds s_j."""
        r, R, v, w = self.unpack(y)
        J, bias, values = self._rows(r, R, v, w)
        rows, rows_bias = J[:, self.freedom_rows], bias[:, self.freedom_rows]
        for j, c in self.combine.items():  # omega_b - omega_a = s_1 axis_1 + s_2 axis_2, axes at the constant cosine c
            for array in (rows, rows_bias):
                first, second = array[:, j].copy(), array[:, j + 1].copy()
                array[:, j], array[:, j + 1] = (first - c * second) / (1 - c * c), (second - c * first) / (1 - c * c)
        G, gamma = [J[:, self.constraint_rows]], [bias[:, self.constraint_rows]]
        for i, j, ratio in self.couplings:
            G.append(rows[:, [j]] - ratio * rows[:, [i]])
            gamma.append(rows_bias[:, [j]] - ratio * rows_bias[:, [i]])
        V = y[:, 12 * self.n:18 * self.n].reshape(-1, 2, self.n, 3).transpose(0, 2, 1, 3).reshape(len(y), -1)
        speeds = np.einsum("tij,tj->ti", rows, V)
        return dict(r=r, R=R, v=v, w=w, V=V, G=np.concatenate(G, 1), gamma=np.concatenate(gamma, 1), rows=rows,
                    rows_bias=rows_bias, speeds=speeds, values=values)

    def mass_matrix(self, R):
        t, n = len(R), self.n
        M = np.zeros((t, n, 6, n, 6))
        i = np.arange(n)
        blocks = np.zeros((t, n, 6, 6))
        blocks[:, :, :3, :3] = self.mass[:, None, None] * np.eye(3)
        blocks[:, :, 3:, 3:] = R[:, :n] @ self.inertia @ R[:, :n].swapaxes(-1, -2)
        M[:, i, :, i, :] = blocks.swapaxes(0, 1)
        return M.reshape(t, 6 * n, 6 * n)

    def forces(self, y, k, M, sigma):
        """Applied force f with velocity products, power that friction and dampers dissipate, power of the actuation."""
        t, n = len(y), self.n
        w = k["w"][:, :n]
        f = np.zeros((t, n + 1, 6))
        f[:, :n, :3] = self.mass[:, None] * self.gravity
        momentum = np.einsum("tij,tj->ti", M, k["V"]).reshape(t, n, 6)[:, :, 3:]
        f[:, :n, 3:] = -cross(w, momentum)
        dissipated = np.zeros(t)
        if len(self.line_rest):
            d, sa, sb, length, rate = self.line_geometry(k)
            a, b, u = self.line.a, self.line.b, d / np.maximum(length, 1e-300)[..., None]
            force = -(self.line_stiffness * (length - self.line_rest) + self.line_damping * rate)[..., None] * u
            for i in range(len(a)):
                f[:, b[i]] += np.concatenate([force[:, i], cross(sb[:, i], force[:, i])], -1)
                f[:, a[i]] -= np.concatenate([force[:, i], cross(sa[:, i], force[:, i])], -1)
            dissipated += (self.line_damping * rate**2).sum(-1)
        x, s = y[:, 18 * n:-2], k["speeds"]
        friction = -self.viscous * s - self.coulomb * sigma
        tau = friction - self.stiffness * (x - self.offset) + self.actuation
        f = f[:, :n].reshape(t, 6 * n) + np.einsum("tij,ti->tj", k["rows"], tau)
        return f, dissipated - (friction * s).sum(-1), s @ self.actuation

    def line_geometry(self, k):
        a, b = self.line.a, self.line.b
        sa, sb = turn(k["R"], a, self.line.sa), turn(k["R"], b, self.line.sb)
        d = k["r"][:, b] + sb - k["r"][:, a] - sa
        length = np.sqrt(dot(d, d))
        speed = k["v"][:, b] + cross(k["w"][:, b], sb) - k["v"][:, a] - cross(k["w"][:, a], sa)
        return d, sa, sb, length, dot(d, speed) / np.maximum(length, 1e-300)

    def energy(self, y):
        """Kinetic and potential energy of a stack of states."""
        k = self.kinematics(y)
        kinetic = 0.5 * np.einsum("ti,tij,tj->t", k["V"], self.mass_matrix(k["R"]), k["V"])
        potential = -np.einsum("tij,j,i->t", k["r"][:, :self.n], self.gravity, self.mass)
        if len(self.line_rest):
            potential += 0.5 * (self.line_stiffness * (self.line_geometry(k)[3] - self.line_rest)**2).sum(-1)
        return kinetic, potential + 0.5 * (self.stiffness * (y[:, 18 * self.n:-2] - self.offset)**2).sum(-1)

    def coordinates(self, y, k):
        """Joint coordinates of one pose. The state's x supplies the number of turns, and spherical coordinates."""
        x = y[18 * self.n:-2].copy()
        x[self.is_shift] = k["values"][0][self.freedom_rows[self.is_shift]] + self.shift_offset
        if len(self.spin.rows):
            h, p, q = (turn(k["R"], body, vector)[0] for body, vector in (
                (self.spin.k, self.spin.h), (self.spin.a, self.spin.pa), (self.spin.b, self.spin.pb)))
            angle = np.arctan2(dot(h, cross(p, q)), dot(p, q) - dot(h, p) * dot(h, q))
            j = np.flatnonzero(~self.is_shift)
            angle += self.initial_coordinates[j]
            angle += 2 * np.pi * np.round((x[j] - angle) / (2 * np.pi))
            x[j] = np.where(self.measured[j], angle, x[j])
        return x


def stack_rows(k, stick=()):
    """G and gamma with the rows of the sticking freedoms."""
    stick = np.asarray(stick, int)
    return (np.concatenate([k["G"], k["rows"][:, stick]], 1), np.concatenate([k["gamma"], k["rows_bias"][:, stick]], 1))


def rank_of(G):
    """Rank by singular values, with the smallest kept and the largest dropped one relative to the largest."""
    if not np.any(G):
        return 0, 1.0, 0.0
    s = np.linalg.svd(G, compute_uv=False)
    s = s / s[0]
    rank = int((s > RANK_TOLERANCE).sum())
    return rank, s[rank - 1], s[rank] if rank < len(s) else 0.0


def independent_rows(G):
    """As many rows as the rank, by Gram-Schmidt orthogonalisation with the largest remainder first."""
    rows, chosen = G.copy(), []
    for _ in range(rank_of(G)[0]):
        i = int(np.argmax((rows**2).sum(1)))
        chosen.append(i)
        direction = rows[i] / np.linalg.norm(rows[i])
        for _ in range(2):
            rows -= np.outer(rows @ direction, direction)
        rows[i] = 0
    return np.sort(np.array(chosen, int))


def null_space(G, gamma, chosen):
    """A = -G^+ gamma and the basis N of the velocities that the constraints leave; chosen: independent rows."""
    t, r = len(G), len(chosen)
    if r == 0:
        return np.zeros((t, G.shape[2])), np.tile(np.eye(G.shape[2]), (t, 1, 1))
    Q, T = np.linalg.qr(G[:, chosen].swapaxes(1, 2), mode="complete")
    part = np.linalg.solve(T[:, :r].swapaxes(1, 2), gamma[:, chosen, None])
    return -(Q[:, :, :r] @ part)[..., 0], Q[:, :, r:]


def correction(G, residual):
    """The shortest step that removes the residual in the sense of least squares, at the rank of `rank_of`."""
    return -np.linalg.pinv(G, rcond=RANK_TOLERANCE) @ residual
