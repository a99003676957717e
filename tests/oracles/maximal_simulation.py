"""Simulation of a mechanism with event-driven dry friction.

Equations: maximal_equations.py (bodies, joints, forces) and maximal_friction.py (stick or slip).
Step: collocation (maximal_collocation.py), solved by fixed-point iteration over all nodes at once. It is accepted if
the error of the polynomial is below tolerance^(3/4), because the error at the end of the step is of twice the order.
After every step, Gauss-Newton projects the positions on the constraints, and least squares the velocities.
Events: sigma_j s_j = 0 of a slipping freedom, ratio = 1 of the sticking freedoms. They are found on the nodes and on
the polynomial, and located by regula falsi (Illinois) on repeated steps from the same start. An event changes the
pattern of sticking and slipping freedoms; velocities change only by the rounding errors of freedoms that stick.
"""
import numpy as np

from maximal_collocation import NODES, RULE, Step, last_coefficients
from maximal_equations import MechanismError, correction, cross, independent_rows, null_space, rank_of, stack_rows
from maximal_friction import FrictionError, decide, stick_ratio

EVENT_TIME = 1e-14  # seconds: regula falsi stops when the event moves by less
RESIDUAL = 1e-9  # largest contradiction of redundant constraints
REST = 1e-10  # seconds: a freedom counts as at rest if its speed vanishes within this time


class Simulation:
    def __init__(self, mechanism, tolerance):
        self.m, self.tolerance = mechanism, tolerance
        self.sigma = np.zeros(len(mechanism.owner))
        self.stick = np.zeros(0, int)
        self.fresh = set()  # slipping freedoms that started from rest at the beginning of the step
        self.events, self.steps, self.repeats = [], 0, 0
        self.smallest_kept, self.largest_dropped, self.residual = 1.0, 0.0, 0.0
        y = mechanism.initial_state()
        k = mechanism.kinematics(y[None])
        self.rank = rank_of(k["G"][0])[0]
        violation = np.max(np.abs(k["G"][0] @ k["V"][0]), initial=0)
        if violation > 1e-6 * (1 + np.abs(k["V"]).max()):
            raise MechanismError(f"the initial velocities violate the constraints by {violation:.2e}")
        self.t = 0.0
        self.y = self.project(y)
        self.choose_rows()
        self.set_pattern(mechanism.dry[self.slow_freedoms(self.y)[mechanism.dry]])

    # equations at a fixed pattern of sticking and slipping freedoms

    def rates(self, y):
        """y' and joint speeds of a stack of states."""
        m, n = self.m, self.m.n
        k = m.kinematics(y)
        M = m.mass_matrix(k["R"])
        f, dissipated, power = m.forces(y, k, M, self.sigma)
        A, N = null_space(*stack_rows(k, self.stick), self.chosen_with_stick)
        NM = N.swapaxes(1, 2) @ M
        right = np.einsum("tij,tj->ti", N.swapaxes(1, 2), f) - np.einsum("tij,tj->ti", NM, A)
        a = A + np.einsum("tij,tj->ti", N, np.linalg.solve(NM @ N, right[..., None])[..., 0])
        a = a.reshape(len(y), n, 6)
        w = k["w"][:, :n]
        turning = cross(w[:, :, None, :], k["R"][:, :n].swapaxes(2, 3)).swapaxes(2, 3)
        parts = (k["v"][:, :n], turning, a[:, :, :3], a[:, :, 3:], k["speeds"], dissipated, power)
        return np.concatenate([p.reshape(len(y), -1) for p in parts], 1), k["speeds"]

    def joint_accelerations(self, y):
        k = self.m.kinematics(y[None])
        slope = self.rates(y[None])[0][0]
        n = self.m.n
        a = slope[12 * n:18 * n].reshape(2, n, 3).transpose(1, 0, 2).ravel()
        return k["rows"][0] @ a + k["rows_bias"][0]

    def check(self, k):
        """Rank of the constraints unchanged, and every motion that they leave has inertia."""
        m = self.m
        G = k["G"][0]
        rank, kept, dropped = rank_of(G)
        self.smallest_kept, self.largest_dropped = min(self.smallest_kept, kept), max(self.largest_dropped, dropped)
        if rank != self.rank:
            raise MechanismError(f"singular configuration at t = {self.t:.6f} s: rank {rank} instead of {self.rank}")
        R = k["R"][0, :m.n]
        P = np.zeros((m.n, 6, m.n, 6))
        for i in range(m.n):
            P[i, :3, i, :3] = m.has_inertia[i, :3, :3]
            P[i, 3:, i, 3:] = R[i] @ m.has_inertia[i, 3:, 3:] @ R[i].T
        if rank_of(np.vstack([G / np.abs(G).max(initial=1e-300), P.reshape(6 * m.n, -1)]))[0] < 6 * m.n:
            raise MechanismError("a motion that the constraints allow has no inertia")

    def project(self, y):
        """Positions and velocities on the constraints, to rounding."""
        m, n = self.m, self.m.n
        y, scale, moved = y.copy(), 1 + np.abs(y).max(), np.inf
        for _ in range(10):
            U, _, Vt = np.linalg.svd(y[3 * n:12 * n].reshape(n, 3, 3))
            y[3 * n:12 * n] = (U @ Vt).ravel()
            k = m.kinematics(y[None])
            x = m.coordinates(y, k)
            residual = k["values"][0][m.constraint_rows] - m.constants
            turns = [x[j] - m.initial_coordinates[j] - ratio * (x[i] - m.initial_coordinates[i])
                     for i, j, ratio in m.couplings]
            residual = np.concatenate([residual, turns])
            worst = np.max(np.abs(residual), initial=0)
            # what redundant constraints contradict each other by cannot be removed: then Gauss-Newton no longer moves
            if worst < 4e-16 * scale or moved < 1e-15 * scale:
                break
            delta = correction(k["G"][0], residual).reshape(n, 6)
            moved = np.abs(delta).max()
            R = y[3 * n:12 * n].reshape(n, 3, 3)
            y[:3 * n] += delta[:, :3].ravel()
            y[3 * n:12 * n] = (R + cross(delta[:, None, 3:], R.swapaxes(1, 2)).swapaxes(1, 2)).ravel()
            y[18 * n:-2] = x
        self.residual = max(self.residual, worst)
        if worst > RESIDUAL:
            raise MechanismError(f"positions cannot be projected on the constraints at t = {self.t:.6f} s: {worst:.2e}")
        y[18 * n:-2] = x
        self.check(k)
        G = stack_rows(k, self.stick)[0][0]
        delta = correction(G, G @ k["V"][0]).reshape(n, 6)
        y[12 * n:18 * n] += np.concatenate([delta[:, :3].ravel(), delta[:, 3:].ravel()])
        return y

    def choose_rows(self):
        k = self.m.kinematics(self.y[None])
        self.chosen = self.chosen_with_stick = independent_rows(k["G"][0])
        if len(self.stick):
            self.chosen_with_stick = independent_rows(stack_rows(k, self.stick)[0][0])

    # dry friction

    def slow_freedoms(self, y):
        speeds = self.m.kinematics(y[None])["speeds"][0]
        return np.abs(speeds) <= 1e-12 * (1 + np.abs(speeds).max(initial=0))

    def rest_system(self, y, rest):
        """K, beta, zeta0 of maximal_friction.py for a stack of states; idle freedoms have neither K nor beta."""
        m = self.m
        sigma = self.sigma.copy()
        sigma[rest] = 0
        k = m.kinematics(y)
        M = m.mass_matrix(k["R"])
        f, _, _ = m.forces(y, k, M, sigma)
        A, N = null_space(k["G"], k["gamma"], self.chosen)
        L = np.linalg.cholesky(N.swapaxes(1, 2) @ M @ N)
        to_zeta = np.linalg.solve(L, N.swapaxes(1, 2))  # L^-1 N^T
        rows = k["rows"][:, rest]
        K = rows @ to_zeta.swapaxes(1, 2)
        beta = np.einsum("tij,tj->ti", rows, A) + k["rows_bias"][:, rest]
        zeta0 = np.einsum("tij,tj->ti", to_zeta, f - np.einsum("tij,tj->ti", M, A))
        size = np.linalg.norm(rows, axis=2)
        fast = np.linalg.norm(A, axis=1) + (k["V"]**2).sum(1)
        idle = (np.linalg.norm(rows @ N, axis=2) <= 1e-9 * size) & (np.abs(beta) <= 1e-9 * size * fast[:, None])
        return K, beta, zeta0, idle

    def ratios(self, states):
        """Applied over admissible friction power of the sticking freedoms, per state."""
        K, beta, zeta0, _ = self.rest_system(states, self.stick)
        F = self.m.coulomb[self.stick]
        return np.array([min(stick_ratio(*system, F)[0], 10.0) for system in zip(K, beta, zeta0)])

    def set_pattern(self, rest, break_away=False):
        """Decides which freedoms at rest stick, and the direction of the others. Moving freedoms slip on."""
        m, before = self.m, self.sigma.copy()
        speeds = m.kinematics(self.y[None])["speeds"][0]
        moving = np.setdiff1d(m.dry, rest)
        self.sigma[moving] = np.sign(speeds[moving])
        K, beta, zeta0, idle = (part[0] for part in self.rest_system(self.y[None], rest))
        self.sigma[rest[~idle]] = decide(K[~idle], beta[~idle], zeta0, m.coulomb[rest[~idle]], break_away)[0]
        self.sigma[rest[idle]] = 0
        if idle.any():
            self.sigma[rest[idle]] = self.idle_signs(rest, idle)
        self.stick = m.dry[self.sigma[m.dry] == 0]
        self.fresh = set(rest[self.sigma[rest] != 0])
        self.y = self.project(self.y)
        self.choose_rows()
        return before

    def idle_signs(self, rest, idle):
        """Slip signs of freedoms at a dead centre when the mechanism starts from rest with acceleration a: s_j is of
        third order in time, t^3/2 times the velocity products of the velocity a. Zero where these vanish."""
        m, n = self.m, self.m.n
        self.stick = np.setdiff1d(rest[self.sigma[rest] == 0], rest[idle])
        self.choose_rows()
        slope = self.rates(self.y[None])[0][0]
        start = self.y.copy()
        if np.abs(start[12 * n:18 * n]).max(initial=0) > 1e-12:
            return np.zeros(idle.sum())
        start[12 * n:18 * n] = slope[12 * n:18 * n]
        _, beta, _, _ = self.rest_system(start[None], rest[idle])
        beta[np.abs(beta) < 1e-9 * np.sum(slope[12 * n:18 * n]**2)] = 0
        return np.sign(beta[0])

    def at_rest_for_good(self):
        if len(self.chosen_with_stick) == 6 * self.m.n:
            return True
        slope = self.rates(self.y[None])[0][0]
        return np.abs(slope[:18 * self.m.n]).max() < 1e-14

    # integration

    def collocate(self, h, guess=None):
        """One step from the present state; None if the fixed-point iteration does not converge."""
        y0 = self.y
        first, first_speeds = self.rates(y0[None])
        slopes = np.tile(first, (NODES, 1)) if guess is None else guess.copy()
        slopes[0] = first
        scale = 1 + np.abs(y0)
        before = np.inf
        for iteration in range(40):
            states = y0 + h * (RULE.A @ slopes)
            try:
                new, speeds = self.rates(states[1:])
            except np.linalg.LinAlgError:
                return None
            if not np.all(np.isfinite(new)):
                return None
            new = np.vstack([first, new])
            change = np.max(np.abs(h * (RULE.A @ (new - slopes))) / scale)
            slopes = new
            if change < 1e-3 * self.tolerance or change < 0.1 * self.tolerance and change > 0.5 * before:
                states = y0 + h * (RULE.A @ slopes)
                return Step(y0, h, slopes, states, np.vstack([first_speeds, speeds]))
            if iteration > 5 and change > before:
                return None
            before = change
        return None

    def controlled_step(self, h, guess):
        """A step that satisfies the tolerance, and the length proposed for the next one."""
        while h > 1e-13:
            step = self.collocate(h, guess)
            if step is None:
                h, guess = h / 3, None
                continue
            goal = self.tolerance**0.75
            factor = 0.9 * (goal / max(step.error, 1e-300))**(1 / NODES)
            if step.error <= goal:
                return step, h * min(2.5, factor)
            h, guess = h * max(0.2, min(0.8, factor)), None
        raise MechanismError(f"the step has become too short at t = {self.t:.9f} s")

    def slip_bracket(self, j, speeds):
        """Bracket of the first zero of a slipping freedom's speed; () if there is none, None if the polynomial is not
        accurate enough to tell."""
        g = self.sigma[j] * (RULE.on_grid @ speeds)
        noise = max(4 * last_coefficients(RULE.to_coefficients @ speeds), 1e-13 * np.abs(g).max())
        clear = np.flatnonzero(g > noise)
        first = 0
        if j in self.fresh:
            if not len(clear) or g[:clear[0]].min(initial=0) < -noise - 2 * abs(g[0]):  # g[0] is what locating left
                return None
            first = clear[0]
        negative = first + 1 + np.flatnonzero(g[first + 1:] < -noise)
        if len(negative) or g[-1] < 0:
            high = negative[0] if len(negative) else len(g) - 1
            low = max(clear[clear < high], default=first)
            return RULE.grid[low], RULE.grid[high], j, g[low], g[high]
        if len(clear) and g[clear[0]:clear[-1]].min(initial=np.inf) < noise and noise > 1e-12 * np.abs(g).max():
            return None
        return ()

    def stick_bracket(self, step, scale=1.0):
        """The same for the first break-away of the sticking freedoms, on the nodes; tau is multiplied by the scale."""
        if not len(self.stick):
            return ()
        excess = self.ratios(step.states) - 1
        above = np.flatnonzero(excess[1:] > 0)
        if len(above):
            i = above[0] + 1
            return scale * RULE.tau[i - 1], scale * RULE.tau[i], None, -excess[i - 1], -excess[i]
        return None if (RULE.on_grid @ excess).max() > 1e-7 and step.h > 1e-6 else ()

    def candidates(self, step):
        """Brackets (low, high, freedom or None for sticking, margin at both) of events, earliest first; None: repeat
        with a shorter step."""
        found = []
        for j in self.m.dry[self.sigma[self.m.dry] != 0]:
            bracket = self.slip_bracket(j, step.speeds[:, j])
            if bracket is None:
                return None
            if bracket:
                found.append(bracket)
        bracket = self.stick_bracket(step)
        if bracket is None:
            return None
        if bracket:
            found.append(bracket)
        return sorted(found, key=lambda event: event[1])

    def margin(self, step, j):
        """Event function at the end of a step: positive before the event."""
        if j is None:
            return 1 - self.ratios(step.states[-1:])[0]
        return self.sigma[j] * step.speeds[-1, j]

    def locate(self, parent, low, high, j, g_low, g_high):
        """Step that ends at the event, None if there is none: Illinois on steps of length tau h of the parent."""
        size, side, last = max(g_low, -g_high), 0, np.inf
        for _ in range(80):
            tau = (low * g_high - high * g_low) / (g_high - g_low) if g_low > 0 else low
            tau = max(tau, EVENT_TIME / parent.h)
            self.repeats += 1
            step = self.collocate(tau * parent.h, parent.slopes_at(tau * RULE.tau))
            if step is None:
                return None
            g = self.margin(step, j)
            if g == 0 or g_low <= 0 or abs(tau - last) * parent.h < EVENT_TIME:
                return step if abs(g) < 1e-6 * size or g_low <= 0 else None
            last = tau
            if g > 0:
                low, g_low, g_high = tau, g, g_high / 2 if side == 1 else g_high
                side = 1
            else:
                high, g_high, g_low = tau, g, g_low / 2 if side == -1 else g_low
                side = -1
        return None

    def first_event(self, parent, found):
        """Step to the earliest event, its freedom (None: sticking freedoms break away), and all freedoms at rest."""
        bracket = found[0]
        for _ in range(2 * len(found) + 2):
            j, step = bracket[2], self.locate(parent, *bracket)
            if step is None:
                return None
            speeds = step.speeds[-1]
            rates = self.joint_accelerations(step.states[-1])
            tiny = REST * np.abs(rates) + 1e-13 * (1 + np.abs(speeds).max(initial=0))
            earlier = [i for i in self.m.dry if self.sigma[i] != 0 and i != j and self.sigma[i] * speeds[i] < -tiny[i]
                       and i not in self.fresh]
            if not earlier:
                bracket = self.stick_bracket(step, step.h / parent.h) if j is not None else ()
                if bracket is None:
                    return None
                if bracket:
                    continue
                break
            i = earlier[0]
            bracket = 0.0, step.h / parent.h, i, self.sigma[i] * parent.speeds[0, i], self.sigma[i] * speeds[i]
        else:
            return None
        slow = [i for i in self.m.dry if self.sigma[i] == 0 or i == j or abs(speeds[i]) <= tiny[i]]
        return step, j, np.array(slow, int)

    def state_inside(self, step, tau):
        """The polynomial if it is accurate enough, otherwise a shortened step."""
        if step.error < self.tolerance or tau >= 1:
            return step.at(min(tau, 1.0))
        self.repeats += 1
        return self.collocate(tau * step.h, step.slopes_at(tau * RULE.tau)).states[-1]

    def run(self, duration, times):
        """States at the given times."""
        times = np.asarray(times, float)
        output = np.empty((len(times), len(self.y)))
        output[times <= 0] = self.y
        h, guess, crowd = min(duration, 0.01), None, 0
        while self.t < duration * (1 - 1e-15):
            if self.at_rest_for_good():
                output[times > self.t] = self.y
                break
            step, proposed = self.controlled_step(min(h, duration - self.t), guess)
            found, parent = self.candidates(step), step
            event = self.first_event(parent, found) if found else None
            if found is None or found and event is None:
                h, guess = step.h / 4, None
                if h < 1e-12:
                    raise FrictionError(f"the slip direction at t = {self.t:.9f} s cannot be decided")
                continue
            if event:
                step, freedom, rest = event
            self.steps += 1
            for i in np.flatnonzero((times > self.t) & (times <= self.t + step.h * (1 + 1e-12))):
                output[i] = self.project(self.state_inside(step, (times[i] - self.t) / step.h))
            self.t += step.h
            self.y = self.project(step.states[-1])
            self.choose_rows()
            self.fresh = set()
            if event:
                self.record(self.set_pattern(rest, freedom is None))
                h, guess = min(parent.h, max(proposed, step.h)), None
                crowd = crowd + 1 if step.h < 1e-11 else 0
                if crowd > 20:
                    raise FrictionError(f"events accumulate at t = {self.t:.9f} s")
            else:
                # the polynomial continued into the next step
                h = proposed
                guess = step.slopes_at(1 + RULE.tau * min(h, duration - self.t) / step.h) if h < 1.5 * step.h else None
        output[times > self.t] = self.y
        return output

    def record(self, before):
        for j in self.m.dry:
            if before[j] != self.sigma[j]:
                kind = "stick" if self.sigma[j] == 0 else "slip" if before[j] == 0 else "reverse"
                joint, freedom = self.m.owner[j]
                self.events.append(dict(time=self.t, joint=joint, freedom=freedom, kind=kind))
