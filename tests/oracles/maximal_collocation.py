"""Collocation of y' = f(y) at 9 Gauss-Lobatto nodes tau_i of a step of length h (Lobatto IIIA, order 16 at its end):

  y(tau_i) = y0 + h sum_j A_ij f(y(tau_j)),   A_ij = integral from 0 to tau_i of the Lagrange polynomial of node j

The slopes define a polynomial of y over the step. Its Legendre coefficients decay; the last ones estimate its error.
"""
import numpy as np
from numpy.polynomial import legendre

NODES = 9


class Collocation:
    def __init__(self, count):
        inner = legendre.Legendre.basis(count - 1).deriv().roots()
        self.tau = (np.concatenate([[-1.0], np.sort(inner.real), [1.0]]) + 1) / 2
        self.to_coefficients = np.linalg.inv(self.basis(self.tau))
        self.A = self.integral(self.tau) @ self.to_coefficients
        # the polynomial is searched for events here; nodes included
        self.grid = np.union1d(self.tau, np.linspace(0, 1, 41))
        self.on_grid = self.basis(self.grid) @ self.to_coefficients

    @staticmethod
    def basis(tau):
        return legendre.legvander(2 * np.asarray(tau) - 1, NODES - 1)

    @staticmethod
    def integral(tau):
        """Integrals of the Legendre polynomials from 0 to tau."""
        coefficients = legendre.legint(np.eye(NODES), lbnd=-1, axis=0)
        return legendre.legvander(2 * np.asarray(tau) - 1, NODES) @ coefficients / 2


RULE = Collocation(NODES)


def last_coefficients(coefficients):
    """Error of the polynomial, estimated by its last two Legendre coefficients (one may vanish by symmetry)."""
    return np.maximum(np.abs(coefficients[-1]), 0.1 * np.abs(coefficients[-2]))


class Step:
    """One step: slopes at the nodes, states at the nodes, speeds of the freedoms at the nodes."""

    def __init__(self, y0, h, slopes, states, speeds):
        self.y0, self.h, self.slopes, self.states, self.speeds = y0, h, slopes, states, speeds
        self.coefficients = RULE.to_coefficients @ slopes
        self.error = h * np.max(last_coefficients(self.coefficients) / (1 + np.abs(y0)))  # of the polynomial

    def at(self, tau):
        return self.y0 + self.h * RULE.integral([tau])[0] @ self.coefficients

    def slopes_at(self, tau):
        return RULE.basis(tau) @ self.coefficients
