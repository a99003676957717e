#!/usr/bin/python3
"""E. E. Binder, Distributed architecture and fast parallel algorithms in real-time robot control, Oregon State
University, 1985: joints, trajectories and the worked Lagrange-Euler example of the Stanford arm.

His parameters are not printed; Paul's (1981) with d2 = 0.16 m give every printed value. Frame i is behind joint i
(Denavit and Hartenberg): a turn q about z, a step d along z, a turn alpha about x. Moments of inertia are about the
frame's origin. His base acceleration (0, 0, -9.806) is gravity upwards.
"""
import numpy as np

from arms import X, Z, Arm, Link, report, rotation

D2 = .16
# alpha (degrees), d, mass, centre of mass and moments of inertia about the origin of frame i; joint 3 slides
ROWS = [(-90, 0, 9.29, [0, .0175, -.1105], [.276, .255, .071]), (90, D2, 5.01, [0, -.1054, 0], [.108, .018, .100]),
        (0, 0, 4.25, [0, 0, -.6447], [2.51, 2.51, .006]), (-90, 0, 1.08, [0, .0092, -.0054], [.002, .001, .001]),
        (90, 0, .63, [0, 0, .0566], [.003, .003, .0004]), (0, 0, .51, [0, 0, .1554], [.013, .013, .0003])]
# Degrees and metres; the via point follows from the hand at (0.3, 0, -0.1) and the example of section 2.3.1.
J = np.array([[-74.96, 100.11, .57, 30.20, 73.75, 1.15], [-55.06, 108.74, .31, 29.38, 56.67, 8.77],
              [-1.93, 108.74, .31, 1.46, 41.28, 85.71], [43.11, 100.11, .57, -23.43, 59.24, 153.45]])
VIA = np.array([-32.23, 111.51, .27, 22.29, 44.68, 29.70])
IN_RADIANS = np.array([1 if j == 2 else np.pi / 180 for j in range(6)])


def stanford():
    links, turn, offset = [], np.eye(3), np.zeros(3)
    for i, (alpha, d, mass, com, inertia) in enumerate(ROWS):
        behind, com = rotation(X, np.radians(alpha)), np.array(com)
        about_com = np.diag(inertia) - mass * ((com @ com) * np.eye(3) - np.outer(com, com))
        # joint i's own frame is frame i - 1; what belongs to frame i is d along z and alpha about x behind it
        links.append(Link(i - 1, turn, offset, Z, mass, behind @ com + d * Z, behind @ about_com @ behind.T, i == 2))
        turn, offset = behind, d * Z
    return Arm(links, [0, 0, 9.806])


ARM = stanford()


def inverse_kinematics(y, near):
    """Joints (degrees, metres) that bring the hand to (0.3, y, -0.1) with N, S, A of section 2.2; of the branches (Paul
    1981) that with q1 to q5 nearest to `near`."""
    c = np.sqrt(3) / 2
    R, p = np.array([[0, 1, 0], [c, 0, .5], [.5, 0, -c]]).T, np.array([.3, y, -.1])
    found = []
    for shoulder in (1, -1):
        reach = np.hypot(p[0], p[1])
        q1 = np.arctan2(p[1], p[0]) - np.arctan2(D2, shoulder * np.sqrt(reach ** 2 - D2 ** 2))
        ahead = np.cos(q1) * p[0] + np.sin(q1) * p[1]
        for slide in (1, -1):
            q3 = slide * np.hypot(ahead, p[2])
            q2 = np.arctan2(ahead / q3, p[2] / q3)
            before = rotation(Z, q1) @ rotation(X, -np.pi / 2) @ rotation(Z, q2) @ rotation(X, np.pi / 2)
            W = before.T @ R  # = Z(q4) X(-90) Z(q5) X(90) Z(q6)
            for wrist in (1, -1):
                q5 = wrist * np.arccos(W[2, 2])
                q4 = np.arctan2(W[1, 2] / np.sin(q5), W[0, 2] / np.sin(q5))
                q6 = np.arctan2(W[2, 1] / np.sin(q5), -W[2, 0] / np.sin(q5))
                found.append(np.array([q1, q2, q3, q4, q5, q6]) / IN_RADIANS)
                hand = before @ rotation(Z, q4) @ rotation(X, -np.pi / 2) @ rotation(Z, q5) @ rotation(X, np.pi / 2)
                assert abs(hand @ rotation(Z, q6) - R).max() < 1e-14
                assert abs(ARM.pose(found[-1] * IN_RADIANS)[1][5] - p).max() < 1e-14
    assert len(found) == 8
    return min(found, key=lambda q: abs(((q - near + 180) % 360 - 180)[:5]).max())


def waypoints():
    for name, y, near in (("M0", -.5, J[0]), ("M1", -.15, J[1]), ("M2", .15, J[2]), ("M3", .5, J[3]), ("V", 0.0, VIA)):
        q = inverse_kinematics(y, near)
        report(f"binder.kinematics.{name}.q6-right", q[5])
        if name == "V":
            report("binder.kinematics.V.q", q[[0, 1, 3, 4]])
            report("binder.kinematics.V.q3", q[2])


def quintic(p, v, T):
    """Coefficients, ascending, from positions and velocities at both ends; no acceleration there. A row per joint."""
    conditions = np.array([[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 2, 0, 0, 0], [T ** k for k in range(6)],
                           [k * T ** max(k - 1, 0) for k in range(6)],
                           [k * (k - 1) * T ** max(k - 2, 0) for k in range(6)]])
    rest = 0 * p[0]
    return np.linalg.solve(conditions, [p[0], v[0], rest, p[1], v[1], rest]).T


def cruise():
    """Section 2.6: from rest to rest in 4 s, the middle segment at constant velocity."""
    middle, still = (J[2] - J[1]) / 1.2, np.zeros(6)
    return [(0, 1.4, quintic(J[:2], [still, middle], 1.4)), (1.4, 2.6, quintic(J[1:3], [middle, middle], 1.2)),
            (2.6, 4, quintic(J[2:], [middle, still], 1.4))]


def stop_at_via(T):
    still = np.zeros(6)
    return [(0, T / 2, quintic([J[0], VIA], [still, still], T / 2)),
            (T / 2, T, quintic([VIA, J[3]], [still, still], T / 2))]


def at(segments, t):
    begin, _, rows = next(s for s in segments if t <= s[1])
    values = [np.array([np.polynomial.polynomial.polyval(t - begin, np.polynomial.polynomial.polyder(row, m))
                        for row in rows]) * IN_RADIANS for m in range(3)]
    return values


def trajectories():
    first = cruise()
    for j in range(6):
        report(f"binder.kinematics.coefficients.{j + 1}", [segment[2][j] for segment in first])
    for name, segments in (("first", first), ("second", stop_at_via(4.0))):
        hand = np.array([ARM.pose(at(segments, t)[0])[1][5] for t in np.linspace(0, 4, 2001)])
        report(f"binder.kinematics.excursion.{name}",
               *(f(hand[:, axis]) for axis in (0, 2) for f in (min, max)))


def example():
    for name, t in (("first", .125), ("second", .75)):
        report(f"binder.lagrange.{name}.u5", ARM.torque(*at(stop_at_via(1.0), t)))


if __name__ == "__main__":
    waypoints()
    trajectories()
    example()
