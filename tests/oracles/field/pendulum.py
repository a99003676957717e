"""IFToMM A01: simple pendulum, released from rest at -90 deg from the downward vertical. Angle P, counter-clockwise.

With k = sin(|P0|/2), w = sqrt(g/L): sin(P/2) = -k cd(w t | k^2), by Jacobi's elliptic functions (mpmath, 50 digits).
Second method: the equation P'' = -(g/L) sin P by extrapolation.
"""
import numpy as np

from numerics import LONG, extrapolate

END = 10


def exact(t, digits=50):
    import mpmath

    with mpmath.workdps(digits):
        k = mpmath.sin(mpmath.pi / 4)
        w = mpmath.sqrt(mpmath.mpf('9.81'))
        cd = mpmath.ellipfun('cd', w * t, m=k * k)
        sn, dn = mpmath.ellipfun('sn', w * t, m=k * k), mpmath.ellipfun('dn', w * t, m=k * k)
        angle = -2 * mpmath.asin(k * cd)
        slope = k * w * (1 - k * k) * sn / dn**2  # d/dt of -k cd(w t)
        return angle, 2 * slope / mpmath.sqrt(1 - (k * cd) ** 2)


def integrated(tolerance, end=END):
    g = LONG('9.81')
    return extrapolate(
        lambda t, y: np.array([y[1], -g * np.sin(y[0])]), 0, np.array([-np.arcsin(LONG(1)), LONG(0)]), end, tolerance
    )


if __name__ == '__main__':
    import mpmath

    p, v = exact(END)
    print('Jacobi   ', mpmath.nstr(p, 20), mpmath.nstr(v, 20))
    for tolerance in (1e-13, 1e-17):
        print('ODE %.0e' % tolerance, *[np.format_float_positional(x, 19) for x in integrated(tolerance)])
