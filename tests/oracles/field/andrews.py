"""IFToMM A03 and problem `andrews` of the Test Set for IVP Solvers: Andrews' squeezing mechanism.

The test set's coordinates q = (beta, theta, gamma, phi, delta, omega, epsilon) are the model's joints. Its index-3
equations M(q) q'' = f(q, q') - G' lambda, 0 = g(q) (Hairer and Wanner 1996, section VII.7) are differentiated twice,
solved for q'' and lambda and integrated by extrapolation; every step is projected back onto g = 0 and G q' = 0.
Second method: maximal.py on the model file.
"""
import os

import numpy as np

from numerics import LONG, extrapolate, solve

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../reproduce/field/andrews.yaml')
NAMES = ('beta', 'theta', 'gamma', 'phi', 'delta', 'omega', 'epsilon')
P = {
    k: LONG(v)
    for k, v in {
        'm1': '.04325',
        'm2': '.00365',
        'm3': '.02373',
        'm4': '.00706',
        'm5': '.07050',
        'm6': '.00706',
        'm7': '.05498',
        'xa': '-.06934',
        'ya': '-.00227',
        'xb': '-0.03635',
        'yb': '.03273',
        'xc': '.014',
        'yc': '.072',
        'c0': '4530',
        'i1': '2.194e-6',
        'i2': '4.410e-7',
        'i3': '5.255e-6',
        'i4': '5.667e-7',
        'i5': '1.169e-5',
        'i6': '5.667e-7',
        'i7': '1.912e-5',
        'd': '28e-3',
        'da': '115e-4',
        'e': '2e-2',
        'ea': '1421e-5',
        'rr': '7e-3',
        'ra': '92e-5',
        'l0': '7785e-5',
        'ss': '35e-3',
        'sa': '1874e-5',
        'sb': '1043e-5',
        'sc': '18e-3',
        'sd': '2e-2',
        'ta': '2308e-5',
        'tb': '916e-5',
        'u': '4e-2',
        'ua': '1228e-5',
        'ub': '449e-5',
        'zf': '2e-2',
        'zt': '4e-2',
        'fa': '1421e-5',
        'mom': '33e-3',
    }.items()
}
START = np.array(
    [
        LONG(x)
        for x in (
            '-0.0617138900142764496358948458001',
            '0',
            '0.455279819163070380255912382449',
            '0.222668390165885884674473185609',
            '0.487364979543842550225598953530',
            '-0.222668390165885884674473185609',
            '1.23054744454982119249735015568',
        )
    ]
)
# Test set, PSIDE on a Cray C90 with tolerances 1e-14: q, q', q'', lambda at 0.03 s
PUBLISHED = np.array(
    [
        0.1581077119629904e2,
        -0.1575637105984298e2,
        0.4082224013073101e-1,
        -0.5347301163226948e0,
        0.5244099658805304e0,
        0.5347301163226948e0,
        0.1048080741042263e1,
        0.1139920302151208e4,
        -0.1424379294994111e4,
        0.1103291221937134e2,
        0.1929337464421385e2,
        0.5735699284790808e0,
        -0.1929337464421385e2,
        0.3231791658026955e0,
        -0.2463176316945196e5,
        0.5185037701610329e5,
        0.3241025686413781e6,
        0.5667493645176213e6,
        0.1674362929479361e5,
        -0.5667493645176222e6,
        0.9826520791458422e4,
        0.1991753333731910e3,
        -0.2975531228015052e2,
        0.2306654119098399e2,
        0.3145271365475927e2,
        0.2264249232082739e2,
        0.1161740700019673e2,
    ]
)

# Constraints as sums of c cos(k.q) or c sin(k.q): (row, c, is it a cosine, the coordinates summed up in k)
BE, TH, GA, PH, DE, OM, EP = range(7)
TERMS = []
for row in (0, 2, 4):
    TERMS += [
        (row, P['rr'], True, (BE,)),
        (row, -P['d'], True, (BE, TH)),
        (row + 1, P['rr'], False, (BE,)),
        (row + 1, -P['d'], False, (BE, TH)),
    ]
TERMS += [
    (0, -P['ss'], False, (GA,)),
    (1, P['ss'], True, (GA,)),
    (2, -P['e'], False, (PH, DE)),
    (2, -P['zt'], True, (DE,)),
    (3, P['e'], True, (PH, DE)),
    (3, -P['zt'], False, (DE,)),
    (4, -P['zf'], True, (OM, EP)),
    (4, -P['u'], False, (EP,)),
    (5, -P['zf'], False, (OM, EP)),
    (5, P['u'], True, (EP,)),
]
ROWS = np.zeros((len(TERMS), 6), LONG)
K = np.zeros((len(TERMS), 7), LONG)
for i, (row, c, cosine, which) in enumerate(TERMS):
    ROWS[i, row] = 1
    K[i, list(which)] = 1
C = np.array([t[1] for t in TERMS])
COSINE = np.array([t[2] for t in TERMS])
TARGET = np.array([P[k] for k in ('xb', 'yb', 'xa', 'ya', 'xa', 'ya')])


def constraints(q, v):
    """g, G, and what G q'' must be."""
    angle = K @ q
    s, c = np.sin(angle), np.cos(angle)
    value = C * np.where(COSINE, c, s)
    slope = C * np.where(COSINE, -s, c)
    return ROWS.T @ value - TARGET, ROWS.T @ (slope[:, None] * K), ROWS.T @ (value * (K @ v) ** 2)


def mass_matrix(q):
    p, ce, cz = P, P['e'] - P['ea'], P['zf'] - P['fa']
    m = np.zeros((7, 7), LONG)
    m[0, 0] = (
        p['m1'] * p['ra'] ** 2
        + p['m2'] * (p['rr'] ** 2 - 2 * p['da'] * p['rr'] * np.cos(q[TH]) + p['da'] ** 2)
        + p['i1']
        + p['i2']
    )
    m[1, 0] = m[0, 1] = p['m2'] * (p['da'] ** 2 - p['da'] * p['rr'] * np.cos(q[TH])) + p['i2']
    m[1, 1] = p['m2'] * p['da'] ** 2 + p['i2']
    m[2, 2] = p['m3'] * (p['sa'] ** 2 + p['sb'] ** 2) + p['i3']
    m[3, 3] = p['m4'] * ce**2 + p['i4']
    m[4, 3] = m[3, 4] = p['m4'] * (ce**2 + p['zt'] * ce * np.sin(q[PH])) + p['i4']
    m[4, 4] = (
        p['m4'] * (p['zt'] ** 2 + 2 * p['zt'] * ce * np.sin(q[PH]) + ce**2)
        + p['m5'] * (p['ta'] ** 2 + p['tb'] ** 2)
        + p['i4']
        + p['i5']
    )
    m[5, 5] = p['m6'] * cz**2 + p['i6']
    m[6, 5] = m[5, 6] = p['m6'] * (cz**2 - p['u'] * cz * np.sin(q[OM])) + p['i6']
    m[6, 6] = (
        p['m6'] * (cz**2 - 2 * p['u'] * cz * np.sin(q[OM]) + p['u'] ** 2)
        + p['m7'] * (p['ua'] ** 2 + p['ub'] ** 2)
        + p['i6']
        + p['i7']
    )
    return m


def spring_length(q):
    p = P
    x = p['sd'] * np.cos(q[GA]) + p['sc'] * np.sin(q[GA]) + p['xb'] - p['xc']
    y = p['sd'] * np.sin(q[GA]) - p['sc'] * np.cos(q[GA]) + p['yb'] - p['yc']
    return np.sqrt(x * x + y * y), x, y


def forces(q, v):
    p, ce, cz = P, P['e'] - P['ea'], P['zf'] - P['fa']
    length, x, y = spring_length(q)
    pull = -p['c0'] * (length - p['l0']) / length
    return np.array(
        [
            p['mom'] - p['m2'] * p['da'] * p['rr'] * v[TH] * (v[TH] + 2 * v[BE]) * np.sin(q[TH]),
            p['m2'] * p['da'] * p['rr'] * v[BE] ** 2 * np.sin(q[TH]),
            pull * x * (p['sc'] * np.cos(q[GA]) - p['sd'] * np.sin(q[GA]))
            + pull * y * (p['sd'] * np.cos(q[GA]) + p['sc'] * np.sin(q[GA])),
            p['m4'] * p['zt'] * ce * v[DE] ** 2 * np.cos(q[PH]),
            -p['m4'] * p['zt'] * ce * v[PH] * (v[PH] + 2 * v[DE]) * np.cos(q[PH]),
            -p['m6'] * p['u'] * cz * v[EP] ** 2 * np.cos(q[OM]),
            p['m6'] * p['u'] * cz * v[OM] * (v[OM] + 2 * v[EP]) * np.cos(q[OM]),
        ]
    )


def accelerations(q, v):
    """q'' and lambda."""
    _, jacobian, gamma = constraints(q, v)
    kkt = np.zeros((13, 13), LONG)
    kkt[:7, :7] = mass_matrix(q)
    kkt[:7, 7:] = jacobian.T
    kkt[7:, :7] = jacobian
    x = solve(kkt, np.concatenate([forces(q, v), gamma]))
    return x[:7], x[7:]


def energy(q, v):
    return v @ mass_matrix(q) @ v / 2 + P['c0'] * (spring_length(q)[0] - P['l0']) ** 2 / 2 - P['mom'] * q[BE]


def project(t, y):
    q, v = y[:7].copy(), y[7:]
    for _ in range(2):
        g, jacobian, _ = constraints(q, v)
        q -= jacobian.T @ solve(jacobian @ jacobian.T, g)
    jacobian = constraints(q, v)[1]
    return np.concatenate([q, v - jacobian.T @ solve(jacobian @ jacobian.T, jacobian @ v)])


def closed(beta):
    """The pose of the crank angle on the branch of START."""
    q = START.copy()
    q[BE] = LONG(beta)
    for _ in range(20):
        g, jacobian, _ = constraints(q, q)
        q[1:] -= solve(jacobian[:, 1:], g)
    return q


def motion(start, end, tolerance):
    rate = lambda t, y: np.concatenate([y[7:], accelerations(y[:7], y[7:])[0]])
    return extrapolate(rate, 0, np.concatenate([start, np.zeros(7, LONG)]), end, tolerance, project, first=1e-5)


def joints(y):
    y = y.astype(float)
    return dict(zip(NAMES, y[:7])), dict(zip(NAMES, y[7:]))


if __name__ == '__main__':
    from maximal import Maximal

    np.set_printoptions(precision=17, linewidth=150)
    for title, start, end in (
        ('test set, 0.03 s', START, '0.03'),
        ('test set, 0.05 s', START, '0.05'),
        ('IFToMM, beta(0) = -0.0620, 0.05 s', closed('-0.0620'), '0.05'),
    ):
        results = []
        for tolerance in (1e-13, 1e-16):
            y = motion(start, LONG(end), tolerance)
            results.append(y)
            print(
                title,
                'tolerance %.0e' % tolerance,
                'energy error %.1e J' % (energy(y[:7], y[7:]) - energy(start, 0 * start)),
            )
        print(
            '  difference of the two, relative to 1 + |y|: %.1e'
            % np.max(abs(results[0] - results[1]) / (1 + abs(results[1])))
        )
        print(' ', results[1].astype(float))
        if end == '0.03':
            ours = np.concatenate([results[1], *accelerations(results[1][:7], results[1][7:])])
            print('  relative difference from the published 27 values:')
            print(((ours - PUBLISHED) / abs(PUBLISHED)).astype(float))
            print(
                '  energy error of the published state',
                energy(PUBLISHED[:7], PUBLISHED[7:14]) - energy(START, 0 * START),
            )
            q, qd = Maximal(FILE).run(dict(zip(NAMES, START.astype(float))), {}, 0.03, 1e-12, first=1e-5)
            for values, ours in ((q, results[1][:7]), (qd, results[1][7:])):
                print('  maximal less ours:', [float(values[k] - x) for k, x in zip(NAMES, ours)])
