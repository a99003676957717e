#!/usr/bin/python3
"""Simulates random mechanisms with dry friction at two tolerances: both runs must agree, and energy must balance.

Even seeds: chains of one to three bodies with random joints, springs and friction. Odd seeds: four-bars, slider-cranks.
Usage: fuzz_maximal.py FIRST_SEED LAST_SEED                                                       (about 2 s per seed)
"""
import json
import sys

import numpy as np

from maximal import simulate
from maximal_equations import FREEDOMS
from mechanisms import DOWN, body, coulomb, four_bar, joint, slider_crank


def random_chain(random):
    bodies, joints, end = [], [], np.zeros(3)
    for i in range(random.integers(1, 4)):
        kind = str(random.choice([k for k in FREEDOMS if k != "fixed"]))
        axis, other = random.normal(size=(2, 3))
        point = end + 0.2 * random.normal(size=3)
        end = point + 0.2 * random.normal(size=3)
        turn = np.linalg.qr(random.normal(size=(3, 3)))[0]
        bodies.append(body(0.5 + random.random(), end, turn @ np.diag([0.01, 0.012, 0.015]) @ turn.T))
        size = 0 if kind == "spherical" else 1.5 if kind in ("revolute", "universal") else 6
        friction = [dict(freedom=f, coulomb=size * random.random(), viscous=0.1 * random.random())
                    for f in range(FREEDOMS[kind])]
        spring = [dict(freedom=f, stiffness=3 + 20 * random.random(), offset=0.5 * random.normal(), initial=0.3)
                  for f in range(FREEDOMS[kind]) if kind != "spherical"]
        joints.append(joint(kind, i - 1, i, point, axis, axis2=np.cross(axis, other), friction=friction, spring=spring))
    return bodies, joints


def random_loop(random):
    moving = random.random() < 0.7
    if random.random() < 0.5:
        friction = [coulomb(0.6 * random.random(), 0.1 * random.random()) if random.random() < 0.8 else ()
                    for _ in range(4)]
        return four_bar(6 * random.random(), 6 * random.normal() * moving, friction=friction)
    angle = random.choice([0.0, np.pi, 6 * random.random()])
    bodies, joints = slider_crank(angle, 8 * random.normal() * moving, 2 * random.random(),
                                  torque=0.5 * random.normal())
    for j in joints[1:3]:
        j["friction"] = coulomb(0.05 * random.random())
    return bodies, joints


def main():
    failures = 0
    for seed in range(int(sys.argv[1]), int(sys.argv[2]) + 1):
        random = np.random.default_rng(seed)
        bodies, joints = random_loop(random) if seed % 2 else random_chain(random)
        data = dict(name=str(seed), gravity=DOWN, bodies=bodies, joints=joints, duration=1.0, times=[0, 0.5, 1.0])
        kinds = " ".join(j["type"] for j in joints)
        try:
            result = simulate(json.loads(json.dumps(data, default=np.ndarray.tolist)), 1e-10)
        except Exception as error:
            failures += 1
            print(f"{seed} {kinds}: FAILED: {type(error).__name__}: {error}", flush=True)
            continue
        c = result["convergence"]
        good = c["largest_difference"] < 1e-8 and c["energy_balance"] < 1e-9 and c["same_events"]
        failures += not good
        print(f"{seed} {kinds}: {len(result['events'])} events, difference {c['largest_difference']:.1e}, "
              f"energy balance {c['energy_balance']:.1e}{'' if good else ' FAILED'}", flush=True)
    sys.exit(f"{failures} failures" if failures else None)


if __name__ == "__main__":
    main()
