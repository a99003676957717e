"""Runs the reference programs and writes ../field.json. Takes about two minutes.

`accuracy` of a problem is measured here: the largest difference, relative to 1 + |value|, between the stored state
and the same state by a second tolerance or a second method, as its `verified` says.
"""
import json
import math
import os

import mpmath
import numpy as np

import andrews
import bricard
import car_axis
import governor
import heavy_top
import n_four_bar
import pendulum
import slider_crank
from numerics import LONG

OPENSIM = 'RehabEngGroup/MBSbenchmarksInOpenSim (c76fa61)'
EXUDYN = 'jgerstmayr/EXUDYN (e44aca1)'
TEST_SET = 'Test Set for IVP Solvers, release 2006, as in rforge/bvpsolve (78c711b)'
LIBRARY = (
    'IFToMM library of computational benchmark problems (González, Dopico, Lugrís, Cuadrado 2006, Multibody System '
    'Dynamics 16, '
    '179-190)'
)


def opensim_time(problem, page, seconds, accuracy):
    return {
        'seconds': seconds,
        'program': 'OpenSim 3.2, integrator accuracy ' + accuracy,
        'machine': 'Intel Core i5-4570, 3.2 GHz, Windows 8.1',
        'source': f'{OPENSIM}, help/benchmarks/{page}.rst',
    }


def sample(t, state):
    return {'t': float(t), 'q': state[0], 'qd': state[1]}


def flat(state):
    return np.array(
        [x for part in state for value in part.values() for x in (value if isinstance(value, list) else [value])]
    )


def difference(a, b):
    a, b = flat(a), flat(b)
    return float(f'{np.max(abs(a - b) / (1 + abs(b))):.1e}')


def a01():
    exact = lambda t: tuple({'P': float(x)} for x in pendulum.exact(t))
    ode = pendulum.integrated(1e-17).astype(float)
    return {
        'name': 'A01',
        'title': 'simple pendulum',
        'model': 'reproduce/field/pendulum.yaml',
        'program': 'pendulum.py',
        'description': 'A point mass of 1 kg on a massless bar of 1 m, from rest at x = -1 m, y = 0.',
        'source': LIBRARY + ', A01',
        'friction': False,
        'initial': {'q': {'P': -math.pi / 2}, 'qd': {'P': 0.0}},
        'samples': [sample(t, exact(t)) for t in range(1, 11)],
        'accuracy': difference(exact(10), ({'P': ode[0]}, {'P': ode[1]})),
        'verified': 'Jacobi elliptic functions with 50 digits; the differential equation with tolerance 1e-17 '
        'differs by `accuracy`',
        'times': [
            opensim_time('A01', 'A01_SimplePendulum', 0.637, '1e-12, steps up to 0.001 s'),
            {
                'seconds': 0.037,
                'program': 'EXUDYN, steps of 0.0008 s, energy error below 5e-5 J',
                'machine': 'i7 laptop',
                'source': f'{EXUDYN}, main/pythonDev/Examples/pendulumIftommBenchmark.py',
            },
        ],
    }


def a02(n):
    with mpmath.workdps(40):
        states = []
        for t in range(1, 11):
            a, v = n_four_bar.exact(n, mpmath.mpf(t))
            states.append(sample(t, (n_four_bar.joints(n, float(a)), n_four_bar.joints(n, float(v)))))
        singular = [float(t) for t in n_four_bar.singular(n)]
    ode = n_four_bar.integrated(n, 1e-17).astype(float)
    angle = states[-1]['q']['H1']
    for state in states[:-1]:  # the others follow: Hi = -A0, Bi = A0
        state |= {key: {'A0': state[key]['A0']} for key in ('q', 'qd')}
    problem = {
        'name': f'A02-{n}',
        'title': f'{n} four-bar windows',
        'model': None,
        'generator': f'n_four_bar.py --model {n}',
        'program': 'n_four_bar.py',
        'description': f'{2 * n + 1} bars of 1 m and 1 kg, upright at the start, top points at +1 m/s along x. All '
        f'bars lie on one line at '
        'the instants `singular`, where the freedoms rise from 1 to N + 1; the reference stays in the branch of '
        'parallelograms. Before the last sample only A0 is given: Hi = -A0, Bi = A0.',
        'source': LIBRARY + ', A02',
        'friction': False,
        'coordinates': 'redundant',
        'initial': {'q': n_four_bar.joints(n, 0.0), 'qd': n_four_bar.joints(n, 1.0)},
        'samples': states,
        'singular': singular,
        'accuracy': difference(
            (states[-1]['q'], states[-1]['qd']), (n_four_bar.joints(n, ode[0]), n_four_bar.joints(n, ode[1]))
        ),
        'verified': 'Legendre elliptic integral with 40 digits; the differential equation with tolerance 1e-17 '
        'differs by `accuracy`',
    }
    if n == 2:
        problem['published'] = [
            {
                'quantity': 'point B0 at 10 s: x, y (m)',
                'values': [0.3284573768, 0.9445187937],
                'ours': [math.sin(angle), math.cos(angle)],
                'by': 'EXUDYN with steps of 1.25e-4 s, energy error 1.8e-5 J',
                'source': f'{EXUDYN}, main/pythonDev/TestModels/fourBarMechanismIftomm.py',
            }
        ]
        problem['times'] = [opensim_time('A02', 'A02_N_FourBarMechanism', 0.455, '1e-6, steps up to 0.01 s')]
    return problem


def a03():
    start, close = andrews.START, andrews.closed('-0.0620')
    zero = {k: 0.0 for k in andrews.NAMES}
    problems = []
    for name, title, q0, ends in (
        ('A03-testset', "Andrews' squeezing mechanism, test set", start, ('0.03', '0.05')),
        ('A03', "Andrews' squeezing mechanism, IFToMM", close, ('0.05',)),
    ):
        states = [andrews.motion(q0, LONG(t), 1e-16) for t in ends]
        other = andrews.motion(q0, LONG(ends[-1]), 1e-15)
        problem = {
            'name': name,
            'title': title,
            'model': 'reproduce/field/andrews.yaml',
            'program': 'andrews.py',
            'friction': False,
            'initial': {'q': dict(zip(andrews.NAMES, q0.astype(float))), 'qd': zero},
            'samples': [sample(t, andrews.joints(y)) for t, y in zip(ends, states)],
            'accuracy': difference(andrews.joints(states[-1]), andrews.joints(other)),
        }
        if name == 'A03':
            problem |= {
                'description': 'Seven bodies, a spring, a motor torque of 0.033 N m, no gravity; from rest at beta = '
                '-0.0620 rad (the '
                'library prints three digits), the other angles closed by the loops.',
                'source': LIBRARY + ', A03',
                'verified': 'index-reduced equations in longdouble; tolerance 1e-15 differs by `accuracy`, energy '
                'balance to 5e-16 J',
                'times': [opensim_time('A03', 'A03_AndrewsMechanism', 0.384, '1e-8, steps up to 0.0001 s')],
            }
        else:
            y = states[0]
            ours = np.concatenate([y, *andrews.accelerations(y[:7], y[7:])]).astype(float)
            problem |= {
                'description': 'The same mechanism from rest at beta = -0.06171389... rad, theta = 0, for 0.03 s; a '
                'second sample at 0.05 s.',
                'source': TEST_SET + ', problem andrews; Hairer and Wanner 1996, section VII.7',
                'verified': 'index-reduced equations in longdouble; tolerance 1e-15 differs by `accuracy`, energy '
                'balance to 2e-16 J. '
                'maximal.py on the model file differs by 2.8e-12 rad and 1.1e-9 rad/s at 0.03 s',
                'published': [
                    {
                        'quantity': "beta, theta, gamma, phi, delta, omega, epsilon, their rates, "
                        "their accelerations, six "
                        'multipliers at 0.03 s',
                        'values': list(andrews.PUBLISHED),
                        'ours': list(ours),
                        'by': 'PSIDE with tolerances 1e-14 on a Cray C90',
                        'source': TEST_SET + ', pkg/deTestSet/src/Ex_andrews.f',
                        'note': 'The printed state is 1.1e-9 rad ahead in beta. It misses the energy balance by '
                        '2.2e-10 J (ours: '
                        '2e-16 J) and the velocity constraints by 1e-9 m/s: it has 10 good digits.',
                    }
                ],
                'times': [
                    {
                        'seconds': 56.74,
                        'program': 'PSIDE, tolerances 1e-14, 1112 steps, to 0.03 s',
                        'machine': 'Cray C90',
                        'source': TEST_SET + ', pkg/deTestSet/src/Ex_andrews.f',
                    }
                ],
            }
        problems.append(problem)
    return problems


def a04():
    times = list(range(1, 11))
    states, other = bricard.reduced(times, 1e-16), bricard.reduced([10], 1e-15)
    return {
        'name': 'A04',
        'title': 'Bricard mechanism',
        'model': 'reproduce/field/bricard.yaml',
        'program': 'bricard.py',
        'description': 'Five square bars of 1 m, 0.1 m and 1 kg along the edges of a cube, six revolute joints, from '
        'rest under gravity. '
        'One of the 30 joint constraints is redundant. The motion has a period near 5 s, so that the end lies near '
        'home: '
        'compare at other samples too. `point` is the origin of b2 (P3 of the library).',
        'source': LIBRARY + ', A04',
        'friction': False,
        'initial': {'q': {f'j{i}': 0.0 for i in range(5)}, 'qd': {f'j{i}': 0.0 for i in range(5)}},
        'samples': [sample(t, s) | {'point': bricard.point(s[0])} for t, s in zip(times, states)],
        'accuracy': difference(states[-1], other[0]),
        'verified': 'chain with the closed-form closure in longdouble; tolerance 1e-15 differs by `accuracy`. '
        'maximal.py on the model file '
        '(redundant constraints by singular values) differs by 3.5e-15 rad and 4.8e-13 rad/s at 10 s',
        'times': [opensim_time('A04', 'A04_BricardsMechanism', 0.258, '1e-7, steps up to 0.01 s')],
    }


def a05():
    points = [float(t) for t in range(1, 11)]
    states, other = ([governor.joints(y) for y in governor.stiff(points, h)] for h in (0.005, 0.01))
    rest = {'shaft': 2 * math.pi, 's': 0.0, 'right': 0.0, 'left': 0.0}
    return {
        'name': 'A05',
        'title': 'stiff flyball governor',
        'model': 'reproduce/field/governor.yaml',
        'program': 'governor.py',
        'description': 'Shaft, slider and two rods with balls of 5 kg; springs of 8e5 N/m with dampers of 4e4 N s/m '
        'between slider and rods. '
        'The shaft starts with 2 pi rad/s. The dampers need friction switched on.',
        'source': LIBRARY + f', A05; numbers as in {OPENSIM}',
        'friction': True,
        'initial': {'q': {'shaft': 0.0, 's': 0.5, 'right': math.pi / 6, 'left': math.pi / 6}, 'qd': rest},
        'samples': [sample(t, s) for t, s in zip(points, states)],
        'accuracy': max(difference(a, b) for a, b in zip(states, other)),
        'verified': 'Radau IIA of order 13 in double; steps twice as long differ by `accuracy`. Explicit '
        'extrapolation differs by 2e-13 m, '
        '2e-11 rad (shaft) and 9e-12 m/s at 10 s; accelerations agree with maximal.py to 1e-11 relative to the largest',
        'times': [opensim_time('A05', 'A05_FlyballGovernor', 0.233, '1e-6, steps up to 0.005 s')],
    }


def top():
    times = ('0.2', '1', '2')
    states, other = heavy_top.motion(times, 1e-17), heavy_top.motion(times, 1e-15)
    published = [
        {
            'quantity': f'displacement of the centre of mass from (0, 1, 0) and quaternion w, x, y, z at {t} s',
            'values': list(heavy_top.KYNEMA[t]),
            'ours': [float(x) for x in [*(heavy_top.centre(states[t]) - np.array([0, 1, 0])), *states[t][:4]]],
            'by': 'kynema, Lie-group generalized-alpha with steps of 2e-6 s',
            'source': 'kynema/kynema (d3b403d), tests/regression_tests/regression/verification/'
            'heavy_top_kynema_material_0pt000002s.csv',
        }
        for t in (1, 2)
    ]
    published.append(
        {
            'quantity': 'quaternion w, x, y, z at 0.2 s',
            'values': list(heavy_top.EXUDYN),
            'ours': [float(x) for x in states[0][:4]],
            'by': 'RK4',
            'source': f'{EXUDYN}, main/pythonDev/TestModels/heavyTop.py',
        }
    )
    return {
        'name': 'heavy-top',
        'title': 'heavy top',
        'model': 'reproduce/field/heavy-top.yaml',
        'program': 'heavy_top.py',
        'description': 'A disk of 15 kg on a spherical joint 1 m from its centre, spinning with 150 rad/s. q is the '
        'quaternion x, y, z, w '
        '(its negative is the same pose), qd the angular velocity in body axes.',
        'source': 'Géradin and Cardona 2001; Brüls and Cardona 2010, J. Comput. Nonlinear Dynam. 5, 031002',
        'friction': False,
        'initial': {'q': {'O': [0.0, 0.0, 0.0, 1.0]}, 'qd': {'O': list(heavy_top.RATE)}},
        'samples': [
            sample(t, heavy_top.joint(y)) | {'centre': [float(x) for x in heavy_top.centre(y)]}
            for t, y in zip(times, states)
        ],
        'published': published,
        'accuracy': max(difference(heavy_top.joint(a), heavy_top.joint(b)) for a, b in zip(states, other)),
        'verified': "Euler's equations with quaternions in longdouble; tolerance 1e-15 differs by `accuracy`. "
        "maximal.py on the model file "
        'differs by 4e-13 (quaternion) and 7e-12 rad/s at 0.2 s',
    }


def car():
    times = (1, 2, 3)
    ys = [car_axis.motion(t, 1e-17) for t in times]
    states = [car_axis.joints(LONG(t), y) for t, y in zip(times, ys)]
    other = car_axis.joints(LONG(3), car_axis.motion(3, 1e-15))
    ours = np.concatenate([ys[-1], car_axis.accelerations(LONG(3), ys[-1][:4], ys[-1][4:])[1]]).astype(float)
    return {
        'name': 'car-axis',
        'title': 'car axis',
        'model': 'reproduce/field/car-axis.yaml',
        'program': 'car_axis.py',
        'description': 'Two point masses of 5e-4 kg at a fixed distance, on springs, over a road point that moves by '
        '0.1 sin(10 t). The '
        'model prescribes the road by a flywheel of 1e12 kg m^2 under a moment over time: t must be the time of the '
        'run.',
        'source': TEST_SET + ', problem caraxis',
        'friction': False,
        'initial': {'q': {'psi': 0.0, 's': 0.5, 'chi': 0.0}, 'qd': {'psi': 1.0, 's': 0.0, 'chi': -1.0}},
        'samples': [sample(t, s) | {'masses': [float(x) for x in y]} for t, s, y in zip(times, states, ys)],
        'published': [
            {
                'quantity': 'xl, yl, xr, yr, their rates, two multipliers at 3 s',
                'values': list(values),
                'ours': list(ours),
                'by': name,
                'source': TEST_SET,
            }
            for name, values in car_axis.PUBLISHED.items()
        ],
        'accuracy': difference(states[-1], other),
        'verified': 'index-reduced equations in longdouble; tolerance 1e-15 differs by `accuracy`',
    }


def coulomb():
    times = (0.5, 1, 1.5, 2)
    states = [slider_crank.joints(t) for t in times]
    ode = slider_crank.integrated(1e-17).astype(float)
    start = slider_crank.geometry(mpmath.mpf(1), mpmath.mpf)
    q0 = {'A': 1.0, 'B': float(start[2] - 1), 'P': float(start[0])}
    qd0 = {'A': 20.0, 'B': float(20 * (start[3] - 1)), 'P': float(20 * start[1])}
    return {
        'name': 'slider-crank-coulomb',
        'title': 'slider-crank with Coulomb friction',
        'model': 'reproduce/field/slider-crank-coulomb.yaml',
        'program': 'slider_crank.py',
        'description': 'No gravity; 2 N of Coulomb friction on the piston, which reverses at every dead centre; 20 '
        'rad/s at the start. '
        '`energy` is kinetic, in J; it starts at 20.9743299065842658 J.',
        'source': 'a problem of our own',
        'friction': True,
        'initial': {'q': q0, 'qd': qd0},
        'samples': [sample(t, s[:2]) | {'energy': s[2]} for t, s in zip(times, states)],
        'accuracy': difference(({'A': states[-1][0]['A']}, {'A': states[-1][1]['A']}), ({'A': ode[0]}, {'A': ode[1]})),
        'verified': 'energy in closed form and quadrature of time with 30 digits; the differential equation with '
        'tolerance 1e-17, restarted '
        'at the dead centres, differs by `accuracy`',
    }


def compact(value, indent=0):
    """JSON with one line per innermost map or list."""
    if isinstance(value, (dict, list)) and any(
        isinstance(x, (dict, list)) for x in (value.values() if isinstance(value, dict) else value)
    ):
        pad = ' ' * (indent + 1)
        if isinstance(value, dict):
            inner = [f'{pad}{json.dumps(k, ensure_ascii=False)}: {compact(x, indent + 1)}' for k, x in value.items()]
            return '{\n' + ',\n'.join(inner) + '\n' + ' ' * indent + '}'
        return '[\n' + ',\n'.join(pad + compact(x, indent + 1) for x in value) + '\n' + ' ' * indent + ']'
    return json.dumps(value, ensure_ascii=False)


if __name__ == '__main__':
    problems = [a01(), a02(2), a02(10), a02(40), *a03(), a04(), a05(), top(), car(), coulomb()]
    for problem in problems:
        problem['t_end'] = problem['samples'][-1]['t']
        print(
            problem['name'],
            'accuracy',
            problem['accuracy'],
            'end',
            {k: v for k, v in list(problem['samples'][-1]['q'].items())[:7]},
        )
    about = (
        'Reference values of benchmarks of multibody dynamics, written by field/write_json.py. Coordinates are those '
        'of the model files, '
        'relative between links, without wrapping; SI units and radians. The last sample is at t_end.'
    )
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../field.json')
    with open(path, 'w') as file:
        file.write(compact({'about': about, 'problems': problems}) + '\n')
