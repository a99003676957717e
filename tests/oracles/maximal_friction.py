"""Stick or slip of the joints at rest: a box-constrained complementarity problem on joint accelerations.

In mass-orthonormal coordinates of the free accelerations, V' = A + N L^-T zeta with N^T M N = L L^T, the freedoms at
rest obey
  zeta = zeta0 + K^T phi,     s' = K zeta + beta,    |phi_j| <= F_j
  s'_j = 0 where |phi_j| < F_j,     phi_j = -F_j sign(s'_j) where s'_j != 0
zeta0 holds all other forces, beta the velocity products, without which a joint would stick at a dead centre.
zeta minimises |zeta - zeta0|^2 / 2 + sum F_j |K_j zeta + beta_j|, which is strictly convex: accelerations are unique,
although the forces phi need not be.
All freedoms of a set S can stick if and only if K_S zeta = -beta_S has a solution zeta* and K_S^T phi = zeta* - zeta0 
has one in the box (on the range of K_S^T). By duality this is a statement on virtual motions eta in that range:
  ratio = max over eta of  eta.(zeta0 - zeta*) / sum_S F_j |K_j eta|  <= 1     (applied power <= largest friction power)
The maximum is at a vertex: an eta with K_j eta = 0 for rank(K_S) - 1 of the freedoms. `stick_ratio` visits them all.
"""
import itertools

import numpy as np

MARGIN = 1e-9  # relative tolerance of all conditions below
ENUMERATE_UP_TO = 8  # freedoms at rest; 3^8 = 6561 patterns


class FrictionError(Exception):
    """No pattern of sticking and slipping freedoms satisfies the complementarity conditions."""


def stick_ratio(K, beta, zeta0, F):
    """Ratio, speeds K eta of the critical virtual motion, and zeta with all freedoms at rest."""
    if not len(F):
        return 0.0, np.zeros(0), zeta0
    size = np.sqrt((K**2).sum(1))
    U, s, Wt = np.linalg.svd(K, full_matrices=False)
    rank = int((s > 1e-10 * s[0]).sum()) if len(s) and s[0] > 0 else 0
    U, s, Wt = U[:, :rank], s[:rank], Wt[:rank]
    rest = beta - U @ (U.T @ beta)  # accelerations that no zeta can remove
    worst = np.argmax(np.abs(rest))
    negligible = MARGIN * (np.abs(beta).max() + size.max() * np.linalg.norm(zeta0)) + 1e-12 * (F * size**2).max()
    if np.abs(rest[worst]) > negligible:
        return np.inf, np.where(np.arange(len(F)) == worst, np.sign(rest), 0.0), zeta0
    surplus = Wt @ zeta0 + (U.T @ beta) / s  # zeta0 - zeta* in the basis Wt
    zeta = zeta0 - surplus @ Wt
    if rank == 0:
        return 0.0, np.zeros(len(F)), zeta
    B = U * s  # K in that basis
    if rank == 1:
        eta = np.ones((1, 1))
    else:
        subsets = np.array(list(itertools.combinations(range(len(F)), rank - 1)))
        eta = np.linalg.svd(B[subsets] / np.maximum(size, 1e-300)[subsets][..., None])[2][:, -1]
    power = eta @ surplus
    eta = eta * np.where(power < 0, -1.0, 1.0)[:, None]
    speeds = eta @ B.T
    ratios = np.abs(power) / (np.abs(speeds) @ F)
    best = np.argmax(ratios)
    speeds = speeds[best]
    return ratios[best], np.where(np.abs(speeds) > 1e-8 * size * np.linalg.norm(eta[best]), speeds, 0.0), zeta


def accelerations(K, beta, zeta0, F, sigma):
    """s' if freedoms with sigma = 0 stick and the others slip; None if that violates the conditions."""
    slip = sigma != 0
    loaded = zeta0 - (F * sigma) @ K
    ratio, _, zeta = stick_ratio(K[~slip], beta[~slip], loaded, F[~slip])
    rates = K @ zeta + beta
    size = np.sqrt((K**2).sum(1)) * (np.linalg.norm(zeta0) + np.linalg.norm((F * sigma) @ K)) + np.abs(beta)
    if ratio > 1 + MARGIN or np.any(sigma * rates < -MARGIN * size):
        return None
    return rates


def decide(K, beta, zeta0, F, break_away=False):
    """Slip signs sigma (0: stick) and s' of the freedoms at rest. break_away: the ratio has just reached one."""
    sigma = np.zeros(len(F))
    for attempt in range(len(F) + 1):  # release the critical virtual motion until the others stick
        stick = sigma == 0
        ratio, speeds, _ = stick_ratio(K[stick], beta[stick], zeta0 - (F * sigma) @ K, F[stick])
        if ratio <= 1 + MARGIN and not (break_away and attempt == 0):
            break
        sigma[stick] = np.sign(speeds)
    for pattern in itertools.chain([sigma], projected_gauss_seidel(K, beta, zeta0, F), all_patterns(len(F))):
        rates = accelerations(K, beta, zeta0, F, pattern)
        if rates is not None:
            return pattern, rates
    raise FrictionError("no pattern of sticking and slipping joints satisfies the conditions of dry friction")


def all_patterns(count):
    """Every pattern of a small problem, those with few slipping freedoms first."""
    if count <= ENUMERATE_UP_TO:
        patterns = itertools.product((0.0, 1.0, -1.0), repeat=count)
        yield from sorted(map(np.array, patterns), key=np.count_nonzero)


def projected_gauss_seidel(K, beta, zeta0, F, sweeps=1000):
    """Patterns guessed from an approximate solution, at three thresholds of 'at the bound'."""
    phi, zeta = np.zeros(len(F)), zeta0.copy()
    diagonal = (K**2).sum(1)
    for _ in range(sweeps):
        change = 0.0
        for j in np.flatnonzero(diagonal):
            new = max(-F[j], min(F[j], phi[j] - (K[j] @ zeta + beta[j]) / diagonal[j]))
            zeta += K[j] * (new - phi[j])
            change = max(change, abs(new - phi[j]) / F[j])
            phi[j] = new
        if change < 1e-14:
            break
    phi = np.where(diagonal > 0, phi, -F * np.sign(beta))
    for threshold in (1e-9, 1e-6, 1e-3):
        yield np.where(np.abs(phi) >= F * (1 - threshold), -np.sign(phi), 0.0)
