#!/usr/bin/python3
"""Simulates a mechanism in maximal coordinates, with event-driven dry friction: the independent judge of Linkwright.

  M V' + G^T lambda = f,   G V' = -G'V,   friction |phi_j| <= F_j, phi_j = -F_j sign(s_j) where s_j != 0

Each body has six velocities V, each joint is a set of constraint rows of G. Equations: maximal_equations.py; stick and
slip: maximal_friction.py; integration and events: maximal_simulation.py; input and output: README.md.

Usage: maximal.py INPUT.json OUTPUT.json [--tolerance 1e-11]
"""
import argparse
import json
import time

import numpy as np

from maximal_equations import Mechanism, MechanismError
from maximal_friction import FrictionError
from maximal_simulation import Simulation


def simulate(data, tolerance=1e-11):
    """The output of README.md for the input of README.md; the second run has ten times the tolerance."""
    started = time.perf_counter()
    m = Mechanism(data)
    times = data["times"]
    if not all(0 <= t <= data["duration"] for t in times):
        raise MechanismError("times must lie between 0 and the duration")
    simulation = Simulation(m, tolerance)
    first = simulation.y[None]
    states = simulation.run(data["duration"], times)
    coarse = Simulation(m, 10 * tolerance)
    n, other = m.n, coarse.run(data["duration"], times)
    kinetic, potential = m.energy(states)
    total = kinetic + potential
    balance = total + states[:, -2] - states[:, -1] - sum(m.energy(first))[0]
    r, R, v, w = m.unpack(states)
    speeds = m.kinematics(states)["speeds"]
    joints = range(len(data["joints"]))
    per_joint = lambda row: [[value for value, (owner, _) in zip(row, m.owner) if owner == i] for i in joints]
    return dict(
        name=data["name"], tolerance=tolerance,
        states=[dict(time=t, positions=r[i, :n].tolist(), rotations=R[i, :n].tolist(), velocities=v[i, :n].tolist(),
                     omegas=w[i, :n].tolist(), coordinates=per_joint(states[i, 18 * n:-2].tolist()),
                     speeds=per_joint(speeds[i].tolist()), energy=total[i], kinetic=kinetic[i], potential=potential[i],
                     dissipated=states[i, -2], actuation_work=states[i, -1]) for i, t in enumerate(times)],
        events=simulation.events,
        convergence=dict(largest_difference=float(np.max(np.abs(states - other)[:, :18 * n], initial=0)),
                         other_tolerance=10 * tolerance, same_events=same_events(simulation.events, coarse.events),
                         energy_balance=float(np.max(np.abs(balance), initial=0))),
        constraints=dict(rank=simulation.rank, redundant=len(m.constants) + len(m.couplings) - simulation.rank,
                         freedoms=6 * n - simulation.rank, smallest_kept=simulation.smallest_kept,
                         largest_dropped=simulation.largest_dropped, residual=simulation.residual),
        cost=dict(steps=simulation.steps, event_repeats=simulation.repeats, seconds=time.perf_counter() - started))


def same_events(first, second):
    keys = [[(e["joint"], e["freedom"], e["kind"]) for e in events] for events in (first, second)]
    return sorted(keys[0]) == sorted(keys[1])


def readable(result):
    """JSON with one state and one event per line."""
    def text(value):
        if not isinstance(value, list):
            return json.dumps(value)
        return "[\n  " + ",\n  ".join(map(json.dumps, value)) + "]"
    return "{" + ",\n ".join(f"{json.dumps(key)}: {text(value)}" for key, value in result.items()) + "}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("input")
    parser.add_argument("output")
    parser.add_argument("--tolerance", type=float, default=1e-11)
    arguments = parser.parse_args()
    with open(arguments.input) as file:
        data = json.load(file)
    try:
        result = simulate(data, arguments.tolerance)
    except (MechanismError, FrictionError) as error:
        raise SystemExit(f"error: {arguments.input}: {error}")
    except KeyError as error:
        raise SystemExit(f"error: {arguments.input}: the key {error} is missing")
    with open(arguments.output, "w") as file:
        file.write(readable(result))


if __name__ == "__main__":
    main()
