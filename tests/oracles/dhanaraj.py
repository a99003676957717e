#!/usr/bin/python3
"""C. Dhanaraj, Parallel processing of manipulator dynamics incorporating frictional effects, Memorial University of
Newfoundland, 1990: torques at one state, the simulation of appendix D.4, bearings of chapter 3.

Frame i is at joint i (Craig); row i of his tables leads there from frame i - 1: a turn alpha about x, then the offset
(a, -d sin alpha, d cos alpha). A sliding joint adds q to d.
"""
import numpy as np

from arms import X, Z, Arm, Link, cross, extrapolated, report, rotation

G = 9.8
Q = np.array([.3, -.5, .7, .2, -.4, .6])
QD = np.array([.5, -.3, .4, -.6, .7, -.2])
QDD = np.array([1, -.8, .6, .5, -.9, .4])

# alpha (degrees), a, d, slides, mass, centre of mass, moments of inertia about it. Appendix D.2, motors within Izz.
PUMA = [(0, 0, 0, False, 0, [0, 0, 0], [0, 0, 1.49]),
        (-90, 0, .2435, False, 17.4, [-.068, 0, 0], [.1351, .6089, 5.3301]),
        (0, .4318, -.0934, False, 4.8, [0, -.07, 0], [.066, .0134, .9395]),
        (90, -.0203, .4331, False, .82, [0, 0, -.019], [.0021, .0021, .2013]),
        (-90, 0, 0, False, .34, [0, 0, 0], [.0003, .0003, .1794]),
        (90, 0, 0, False, .09, [0, 0, .032], [.2422e-3, .2422e-3, .193])]
# Listing D.3.2; D.3.1 has links 3 to 6 as one of 6.47 kg.
STANFORD = [(0, 0, 0, False, 0, [0, 0, 0], [0, 0, 1.208]),
            (-90, 0, .1524, False, 5.01, [0, 0, -.1054], [.108, .1, 2.211]),
            (90, 0, 0, True, 4.25, [0, 0, -.6447], [2.51, 2.51, 0]),
            (0, 0, 0, False, 1.08, [0, -.0054, -.0092], [.002, .001, .107]),
            (-90, 0, 0, False, .63, [0, -.0566, 0], [.003, .0004, .1]),
            (90, 0, 0, False, .51, [0, 0, .1554], [.013, .013, .0203])]
STANFORD_3 = [*STANFORD[:2], (90, 0, 0, True, 6.47, [0, 0, -.6447], [2.51, 2.51, 0])]


def frame(alpha, a, d):
    alpha = np.radians(alpha)
    return rotation(X, alpha), np.array([a, -d * np.sin(alpha), d * np.cos(alpha)])


def arm(rows):
    return Arm([Link(i - 1, *frame(alpha, a, d), Z, mass, com, inertia, slides)
                for i, (alpha, a, d, slides, mass, com, inertia) in enumerate(rows)], [0, 0, -G])


def torque(rows):
    n = len(rows)
    return arm(rows).torque(Q[:n], QD[:n], QDD[:n])


def program_d12(payload):
    """D.1.2: link 3 with the wrist; the payload's inertia about the origin counts as one about the centre of mass."""
    rows = PUMA[:3]
    mass, square = 6.05 + payload, payload * .4318 ** 2
    y = -(6.05 * .07 + payload * .4318) / mass
    rows[1] = (*rows[1][:6], [.130, .524, .539 + 4.71])
    rows[2] = (*rows[2][:4], mass, [0, y, 0], [.192 + square, .0154, .212 + .83 + square])
    return rows


def tables_25_26():
    """Rows 5 and 6 of table 2.6 divided by ten; without motors."""
    com = [[0, 0, 0], [.068, .006, -.016], [0, -.07, .014], [0, 0, -.019], [0, 0, 0], [0, 0, .032]]
    inertia = [[0, 0, .35], [.130, .524, .539], [.066, .0125, .086], [.0018, .0018, .0013], [.0003, .0003, .0004],
               [.00015, .00015, .00004]]
    return [(*row[:5], c, i) for row, c, i in zip(PUMA, com, inertia)]


def torques():
    report("dhanaraj.torques.puma6", torque(PUMA))
    report("dhanaraj.torques.puma3", torque(PUMA[:3]))
    report("dhanaraj.torques.stanford6", torque(STANFORD))
    report("dhanaraj.torques.stanford3", torque(STANFORD_3))
    report("dhanaraj.torques.puma3-d12", torque(program_d12(0)))
    report("dhanaraj.torques.puma3-d12-payload", torque(program_d12(10)))
    bare = torque(tables_25_26())
    report("dhanaraj.torques.puma6-tables-bare", bare)
    report("dhanaraj.torques.puma6-tables", bare + np.array([1.14, 4.71, .83, .2, .179, .193]) * QDD)


def with_faults(rows):
    """Newton's and Euler's equations as table 2.4 has them, with what is wrong in the generated listings.

    lam = alpha x . + omega x (omega x .) of link 1 is missing where joint 2's acceleration needs it; through a slide it
    is turned by R lam R' for R' lam R (equation 2.29); and link 3's mass stays where it is when it slides: the stroke
    is added to the offset of joint 4.
    """
    n = len(rows)
    R, p = [], []
    for i, (alpha, a, d, slides, *_) in enumerate(rows):
        turn, offset = frame(alpha, a, d)
        R.append(turn if slides else turn @ rotation(Z, Q[i]))
        if i > 0 and rows[i - 1][3]:
            offset = offset + [0, 0, Q[i - 1]]
        p.append(offset)
    w, alpha, acceleration, lam = np.zeros(3), np.zeros(3), np.array([0, 0, G]), np.zeros((3, 3))
    forces, moments = [], []
    for i, (_, _, _, slides, mass, com, inertia) in enumerate(rows):
        Rt, turned = R[i].T, R[i] @ lam @ R[i].T
        acceleration = Rt @ (acceleration + (0 if i == 1 else lam @ p[i]))
        before = Rt @ w
        if slides:
            w, alpha, lam = before, Rt @ alpha, turned
            acceleration = acceleration + Z * QDD[i] + 2 * QD[i] * cross(w, Z)
        else:
            w, alpha = before + Z * QD[i], Rt @ alpha + Z * QDD[i] + QD[i] * cross(before, Z)
            lam = np.array([cross(alpha, e) + cross(w, cross(w, e)) for e in np.eye(3)]).T
        forces.append(mass * (acceleration + lam @ com))
        moments.append(inertia * alpha + cross(w, inertia * w))
    f, m, tau = np.zeros(3), np.zeros(3), np.zeros(n)
    for i in reversed(range(n)):
        passed, carried = (R[i + 1] @ f, R[i + 1] @ m) if i + 1 < n else (f, m)
        m = moments[i] + carried + cross(rows[i][5], forces[i])
        if i + 1 < n:
            m = m + cross(p[i + 1], passed)
        f = forces[i] + passed
        tau[i] = (f if rows[i][3] else m)[2]
    return tau


def listings():
    for number, rows in (("d34", PUMA), ("d33", PUMA[:3]), ("d32", STANFORD), ("d31", STANFORD_3)):
        tau = with_faults(rows)
        # the listings' own constants have seven digits
        report(f"dhanaraj.torques.listing-{number}", tau, within=3e-5)
        report(f"dhanaraj.torques.listing-{number}-faults", tau, within=3e-5)


def d4(q, v):
    """D and h of appendix D.4 as printed."""
    c2, s2, c3, s3 = np.cos(q[1]), np.sin(q[1]), np.cos(q[2]), np.sin(q[2])
    v1, v2, v3 = v
    d11 = 6.881538 * (c2 * s2 * c3 * s3 + .5946234 * c2 * s2 * c3 - s2 ** 2 * s3 ** 2 - .5946234 * s2 ** 2 * s3 -
                      .0035408 * s2 ** 2 + .5 * s3 ** 2 + .5946234 * s3 + .9436266)
    d12, d13 = -.7112062 * (c2 * c3 - s2 * s3 - 1.056647 * s2), -.7112062 * (c2 * c3 - s2 * s3)
    d22, d23, d33 = 4.091923 * (s3 + 3.085665), 2.045961 * (s3 + 2.104716), 4.306169
    A = (c2 * s2 * s3 ** 2 + .5948432 * c2 * s2 * s3 + .0036841 * c2 * s2 + s2 ** 2 * c3 * s3 +
         .5948432 * s2 ** 2 * c3 - .5 * c3 * s3 - .2974216 * c3)
    B = (c2 * s2 * s3 ** 2 + .2974216 * c2 * s2 * s3 - .5 * c2 * s2 + s2 ** 2 * c3 * s3 + .2974216 * s2 ** 2 * c3 -
         .5 * c3 * s3 - .2974216 * c3)
    s23 = c2 * s3 + s2 * c3
    h1 = -13.76656 * (v1 * v2 * A + v1 * v3 * B - s23 * (.0516941 * v2 ** 2 + .1033881 * v2 * v3 + .0516941 * v3 ** 2) -
                      .0546354 * c2 * v2 ** 2)
    h2 = 6.883283 * (v1 ** 2 * A - 6.750189 * s23 - 8.182499 * c2 + .5948432 * c3 * v2 * v3 + .2974216 * c3 * v3 ** 2)
    h3 = 6.883283 * (v1 ** 2 * B - 6.750189 * s23 - .2974216 * c3 * v2 ** 2)
    return np.array([[d11, d12, d13], [d12, d22, d23], [d13, d23, d33]]), np.array([h1, h2, h3])


def motion():
    def slope(_, y):
        D, h = d4(y[:3], y[3:])
        return np.concatenate([y[3:], np.linalg.solve(D, -h)])

    start = np.array([3.6997, 2.3083, .5951, 0, 0, 0])
    y = extrapolated(slope, 0.0, start, .2, 8)
    report("dhanaraj.motion.free.start", slope(0, start)[3:])
    report("dhanaraj.motion.free.q", y[:3])
    report("dhanaraj.motion.free.library", y[:3])
    report("dhanaraj.motion.free.qd", y[3:])
    # program D.1.3: upper arm and forearm 0.4318 m, shoulder offset 0.127 m
    c1, s1, c2, s2 = np.cos(start[0]), np.sin(start[0]), np.cos(start[1]), np.sin(start[1])
    c23, s23 = np.cos(start[1] + start[2]), np.sin(start[1] + start[2])
    out = .4318 * c2 - .4318 * s23
    report("dhanaraj.kinematics.start", c1 * out - .127 * s1, s1 * out + .127 * c1, -.4318 * c23 - .4318 * s2)


def bearings():
    """A journal on two supports at +-d/2 along its axis, which carry force and moment across it; and equation 3.3."""
    mu, r, d = .1, .08, .2
    force, moment = np.array([12.0, -5.0, 0.0]), np.array([3.0, 4.0, 0.0])
    right, printed = [], []
    for angle in (0.0, .7):
        f, n = rotation(Z, angle) @ force, rotation(Z, angle) @ moment
        # A + B = f and d/2 z x (A - B) = n: A - B = -2/d z x n
        difference = -2 / d * cross(Z, n)
        right.append(mu * r * sum(np.linalg.norm((f + side * difference) / 2) for side in (1, -1)))
        printed.append(mu * r / d * sum(np.hypot(d / 2 * f[0] + side * n[1], d / 2 * f[1] + side * n[0])
                                        for side in (1, -1)))
    report("dhanaraj.friction.journal", right)
    report("journal", right[0])
    report("dhanaraj.friction.journal-printed", printed)
    report("dhanaraj.friction.journal-faults", printed)


if __name__ == "__main__":
    torques()
    listings()
    motion()
    bearings()
