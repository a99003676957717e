"""Heavy top of Géradin and Cardona 2001, Brüls and Cardona 2010: Euler's equations about the fixed point and
quaternions.

    I w' = I w x w + x x R' (m g),  Q' = 1/2 Q (0, w),  I = J + m (|x|^2 1 - x x'),  x = (0, 1, 0)

w in body axes, Q = (w, x, y, z) from body to world. Quaternions and Euler's equations, in longdouble, by
extrapolation. Second method: maximal.py on the model file (a free body with a constrained point).
"""
import os

import numpy as np

from numerics import LONG, extrapolate

END = 2
FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../reproduce/field/heavy-top.yaml')
RATE = (0.0, 150.0, -4.61538)
I = np.array([LONG('15.234375'), LONG('0.46875'), LONG('15.234375')])
# kynema, heavy_top_kynema_material_0pt000002s.csv (Lie-group generalized-alpha, steps of 2e-6 s): displacement of the
# centre of mass from (0, 1, 0) and quaternion (w, x, y, z) at 1 s and 2 s
KYNEMA = {
    1: (
        0.1733440435722807,
        -0.3599112987333657,
        -0.7484906793466106,
        0.7329439942283007,
        -0.2782856278135421,
        0.5318246439927058,
        -0.3201761370231893,
    ),
    2: (
        -0.1504168894608856,
        -1.7241654846852867,
        -0.6730223697288009,
        0.1229471344095339,
        -0.4910798717314375,
        0.3504301068655838,
        -0.7879868665928781,
    ),
}
# EXUDYN, TestModels/heavyTop.py, quaternion at 0.2 s by RK4
EXUDYN = (-0.70828, 0.43878, 0.54573, 0.0894)


def rate(t, y):
    w, x, yy, z = y[:4]
    a, b, c = y[4:]
    fall = LONG(15) * LONG('9.81')
    # the centre of mass lies on the body's y axis; gravity in body axes is -fall times the third row of R
    moment_x, moment_z = -fall * (1 - 2 * (x * x + yy * yy)), fall * 2 * (x * z - yy * w)
    return np.array(
        [
            (-x * a - yy * b - z * c) / 2,
            (w * a + yy * c - z * b) / 2,
            (w * b + z * a - x * c) / 2,
            (w * c + x * b - yy * a) / 2,
            ((I[1] - I[2]) * b * c + moment_x) / I[0],
            (I[2] - I[0]) * c * a / I[1],
            ((I[0] - I[1]) * a * b + moment_z) / I[2],
        ]
    )


def project(t, y):
    return np.concatenate([y[:4] / np.sqrt(y[:4] @ y[:4]), y[4:]])


def motion(times, tolerance):
    """States at the times, which ascend."""
    y, now, states = np.array([LONG(x) for x in ('1', '0', '0', '0', '0', '150', '-4.61538')]), LONG(0), []
    for t in times:
        y = extrapolate(rate, now, y, LONG(t), tolerance, project, first=0.002)
        now = LONG(t)
        states.append(y)
    return states


def centre(y):
    w, x, yy, z = y[:4]
    return np.array([2 * (x * yy - z * w), 1 - 2 * (x * x + z * z), 2 * (yy * z + x * w)])


def energy(y):
    return y[4:] ** 2 @ I / 2 + LONG(15) * LONG('9.81') * centre(y)[2]


def joint(y):
    """The model's coordinates x, y, z, w and body-fixed rates."""
    y = y.astype(float)
    return {'O': [y[1], y[2], y[3], y[0]]}, {'O': list(y[4:])}


if __name__ == '__main__':
    from maximal import Maximal

    np.set_printoptions(precision=17, linewidth=150)
    coarse, fine = motion(('0.2', 1, 2), 1e-13), motion(('0.2', 1, 2), 1e-17)
    print(
        'difference of tolerances 1e-13 and 1e-17',
        float(max(np.max(abs(a - b)) for a, b in zip(coarse, fine))),
        'energy error',
        float(energy(fine[2]) - energy(motion((0,), 1e-13)[0])),
    )
    for t, y in zip((0.2, 1, 2), fine):
        print(t, y.astype(float), 'centre', centre(y).astype(float))
    print('EXUDYN at 0.2 s:', fine[0][:4].astype(float) * np.sign(EXUDYN[0] * float(fine[0][0])) - EXUDYN)
    for t in (1, 2):
        ours = np.concatenate([centre(fine[t]) - np.array([0, 1, 0]), fine[t][:4]])
        sign = np.sign(KYNEMA[t][3] * float(fine[t][0]))
        ours[3:] *= sign
        print('kynema at %d s:' % t, (ours - np.array(KYNEMA[t])).astype(float))
    q, qd = Maximal(FILE).run({}, {'O': RATE}, 0.2, 1e-12, first=0.002)
    ours, sign = fine[0].astype(float), np.sign(q['O'][0] * float(fine[0][0]))
    print('maximal at 0.2 s:', sign * np.array(q['O']) - ours[:4], np.array(qd['O']) - ours[4:])
