"""Slider-crank with constant Coulomb friction F on the piston, no gravity: one freedom, crank angle A.

The friction's work is F times the distance that the piston has run, so that energy is known at every angle:

    E(A) = E(A0) - F D(A),  A' = sqrt(2 E/I(A)),  t(A) = integral of dA/A'

I(A) is the inertia felt by the crank; D changes its slope's sign at the dead centres A = k pi, where the quadrature
is split. It is Gauss and Legendre's by mpmath with 30 digits, and A(t) follows by Newton's iteration. Second method:
the differential equation in (t, A') over the angle A by extrapolation, restarted at every dead centre.
"""
import numpy as np

from numerics import LONG, extrapolate

try:
    import mpmath
except ImportError:  # for the quadrature only
    mpmath = None

END = 2


def geometry(a, num):
    """Piston's x and x', rod angle and its slope, inertia I and its slope, over the crank angle."""
    r, l = num('0.1'), num('0.3')
    sin, cos, sqrt = (np.sin, np.cos, np.sqrt) if num is LONG else (mpmath.sin, mpmath.cos, mpmath.sqrt)
    k = r / l
    s, c = sin(a), cos(a)
    root = sqrt(1 - k * k * s * s)  # cosine of the rod angle phi, sin phi = -k sin a
    p = -k * c / root  # phi'
    pp = k * s / root - k**3 * c * c * s / root**3  # phi''
    x1 = -r * s + l * k * s * p  # d/da of r cos a + l cos phi; sin phi = -k s
    x2 = -r * c + l * k * (c * p + s * pp)
    gx1, gx2 = -r * s + l / 2 * k * s * p, -r * c + l / 2 * k * (c * p + s * pp)
    gy1, gy2 = r * c - l / 2 * k * c, -r * s + l / 2 * k * s  # rod's centre: y = r sin a - l/2 k sin a
    inertia = num('0.1') + num('0.2') * (gx1 * gx1 + gy1 * gy1) + num('0.001') * p * p + num('0.3') * x1 * x1
    slope = 2 * (num('0.2') * (gx1 * gx2 + gy1 * gy2) + num('0.001') * p * pp + num('0.3') * x1 * x2)
    phi = -(np.arcsin if num is LONG else mpmath.asin)(k * s)
    return r * c + l * root, x1, phi, p, inertia, slope


def quadrature(end, speed=20, friction=2):
    num = mpmath.mpf
    inertia = geometry(num(1), num)[4]
    energy0 = inertia * num(speed) ** 2 / 2
    energy, a, t = energy0, num(1), num(0)

    def rate(angle, start, energy_there):
        x, _, _, _, inertia, _ = geometry(angle, num)
        return mpmath.sqrt(2 * (energy_there - friction * abs(x - geometry(start, num)[0])) / inertia)

    centre = mpmath.pi
    while True:
        span = mpmath.quad(lambda z: 1 / rate(z, a, energy), mpmath.linspace(a, centre, 5))
        if t + span > end:
            break
        energy -= friction * abs(geometry(centre, num)[0] - geometry(a, num)[0])
        t, a, centre = t + span, centre, centre + mpmath.pi
    b = a + (centre - a) * (end - t) / span
    for _ in range(50):
        change = (t + mpmath.quad(lambda z: 1 / rate(z, a, energy), mpmath.linspace(a, b, 5)) - end) * rate(
            b, a, energy
        )
        b -= change
        if abs(change) < num(10) ** (10 - mpmath.mp.dps):
            break
    energy -= friction * abs(geometry(b, num)[0] - geometry(a, num)[0])
    return b, mpmath.sqrt(2 * energy / geometry(b, num)[4]), energy, energy0


def integrated(tolerance, friction=2, end=END):
    """The differential equation I A'' + I'/2 A'^2 = -F |x'|, over the angle: t' = 1/w, w' = A''/w between dead centres;
    over time     after the last one."""

    def acceleration(a, w, sign):
        _, x1, _, _, inertia, slope = geometry(a, LONG)
        return (-slope * w * w / 2 - sign * friction * x1) / inertia

    a, y = LONG(1), np.array([LONG(0), LONG(20)])  # t and w
    pi = 4 * np.arctan(LONG(1))
    centre, sign = pi, -1  # the piston runs backward from 0 to pi
    while True:
        f = lambda angle, z: np.array([1 / z[1], acceleration(angle, z[1], sign) / z[1]])
        after = extrapolate(f, a, y, centre, tolerance, first=0.1)
        if after[0] > end:
            z = np.array([a, y[1]])
            return extrapolate(
                lambda t, z: np.array([z[1], acceleration(z[0], z[1], sign)]), y[0], z, LONG(end), tolerance, first=0.01
            )
        a, y, centre, sign = centre, after, centre + pi, -sign


def joints(t):
    """Coordinates and rates of the model's joints, and the kinetic energy."""
    with mpmath.workdps(30):
        a, w, energy, _ = quadrature(mpmath.mpf(t))
        x, x1, phi, p, _, _ = geometry(a, mpmath.mpf)
        return (
            {'A': float(a), 'B': float(phi - a), 'P': float(x)},
            {'A': float(w), 'B': float((p - 1) * w), 'P': float(x1 * w)},
            float(energy),
        )


if __name__ == '__main__':
    for digits in (20, 30):
        with mpmath.workdps(digits):
            print('quadrature, %d digits ' % digits, *[mpmath.nstr(x, 18) for x in quadrature(END)])
    for tolerance in (1e-13, 1e-17):
        print('ODE %.0e' % tolerance, *[np.format_float_positional(x, 18) for x in integrated(tolerance)])
    print(joints(END))
