#!/usr/bin/python3
"""Checks maximal.py against closed-form results, quadratures and conservation laws.

Usage: test_maximal.py [PART_OF_A_NAME]
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

from maximal import simulate
from maximal_equations import FREEDOMS, Mechanism, MechanismError
from maximal_friction import accelerations, all_patterns, decide, stick_ratio
from mechanisms import (DOWN, X, Y, Z, body, coulomb, crank_inertia, four_bar, heights, joint, rocker_path, slider,
                        slider_crank, turned)

def run(bodies, joints, times, gravity=(0, 0, 0), tolerance=1e-10, **more):
    data = dict(name="", gravity=list(gravity), bodies=bodies, joints=joints, duration=max(times), times=list(times))
    return simulate(json.loads(json.dumps({**data, **more})), tolerance)


def near(value, expected, tolerance, what):
    difference = np.max(np.abs(np.asarray(value) - np.asarray(expected)))
    print(f"    {what}: difference {difference:.1e}")
    assert difference <= tolerance, f"{what}: {value} instead of {expected}"


def good(result, difference=1e-9, balance=1e-9):
    c = result["convergence"]
    print(f"    convergence {c['largest_difference']:.1e}, energy balance {c['energy_balance']:.1e}, steps "
          f"{result['cost']['steps']}, {result['cost']['seconds']:.2f} s, events {len(result['events'])}")
    assert c["largest_difference"] < difference and c["energy_balance"] < balance and c["same_events"]


def agm(a, b):
    while abs(a - b) > 1e-16 * a:
        a, b = (a + b) / 2, np.sqrt(a * b)
    return a


def gauss(f, a, b, count=60):
    x, w = np.polynomial.legendre.leggauss(count)
    return (b - a) / 2 * sum(wi * f((a + b) / 2 + (b - a) / 2 * xi) for xi, wi in zip(x, w))


# trees

def test_pendulum_returns_after_its_period():
    mass, length, inertia, angle = 1.3, 0.4, 0.02, 2.5
    com = length * np.array([np.sin(angle), -np.cos(angle), 0])
    omega0 = np.sqrt(mass * 9.81 * length / (inertia + mass * length**2))
    period = 2 * np.pi / omega0 / agm(1, np.cos(angle / 2))
    result = run([body(mass, com, inertia)], [joint("revolute", -1, 0, (0, 0, 0))], [0, period / 4, period], DOWN)
    good(result)
    near(result["states"][2]["positions"][0], com, 1e-10, "position after one period")
    near(result["states"][1]["positions"][0], [0, -length, 0], 1e-9, "position after a quarter of the period")
    near(result["states"][1]["omegas"][0][2], -2 * omega0 * np.sin(angle / 2), 1e-10, "speed there")


def test_block_on_incline_stops_and_sticks_or_returns():
    g, slope, mass, speed = 9.81, np.pi / 6, 2.0, 3.0
    axis = np.array([np.cos(slope), np.sin(slope), 0])
    for force, sticks in ((12.0, True), (5.0, False)):
        up, down = g * np.sin(slope) + force / mass, g * np.sin(slope) - force / mass
        stop = speed / up
        times = [stop, stop + 0.5, stop + 1]
        result = run([body(mass, (0, 0, 0), 0.1, speed * axis)],
                     [joint("prismatic", -1, 0, (0, 0, 0), axis, friction=coulomb(force))], times, (0, -g, 0))
        good(result)
        near(result["events"][0]["time"], stop, 1e-13, "stop time")
        assert [e["kind"] for e in result["events"]] == (["stick"] if sticks else ["reverse"])
        x = speed**2 / (2 * up) - (0 if sticks else down / 2)
        near(result["states"][2]["positions"][0], x * axis, 1e-12, "position one second later")


def test_top_keeps_energy_and_momenta():
    tilt, distance = 0.5, 0.1
    axis = np.array([0, np.sin(tilt), np.cos(tilt)])
    inertia = 0.002 * np.eye(3) + (0.003 - 0.002) * np.outer(axis, axis)
    omega = 60 * axis + np.array([0, 0, 3.0])
    result = run([body(0.5, distance * axis, inertia, np.cross(omega, distance * axis), omega)],
                 [joint("spherical", -1, 0, (0, 0, 0))], np.linspace(0, 1, 6), (0, 0, -9.81))
    good(result)
    momenta = []
    for state in result["states"]:
        R, r, v, w = (np.array(state[key][0]) for key in ("rotations", "positions", "velocities", "omegas"))
        momentum = R @ inertia @ R.T @ w + 0.5 * np.cross(r, v)
        momenta.append([momentum[2], momentum @ R @ axis])
    near(momenta, momenta[0] * np.ones((6, 1)), 1e-11, "momenta about the vertical and about the axis")


def test_springs_and_dampers_oscillate_as_in_closed_form():
    mass, k, c = 2.0, 50.0, 3.0
    decay, omega = c / (2 * mass), np.sqrt(k / mass - (c / (2 * mass))**2)
    times = np.linspace(0, 2, 5)
    x = np.exp(-decay * times) * (0.3 * np.cos(omega * times) + 0.3 * decay / omega * np.sin(omega * times))
    slider = lambda **more: [joint("prismatic", -1, 0, (0.3, 0, 0), X, **more)]
    of_joint = run([body(mass, (0.3, 0, 0), 0.1)],
                   slider(friction=[dict(freedom=0, viscous=c)],
                          spring=[dict(freedom=0, stiffness=k, offset=0.2, initial=0.5)]), times)
    of_line = run([body(mass, (0.3, 0, 0), 0.1)], slider(), times, springs=[
        dict(a=-1, point_a=[-1, 0, 0], b=0, point_b=[0.3, 0, 0], stiffness=k, rest_length=1.0, damping=c)])
    for result in (of_joint, of_line):
        good(result)
        near([s["positions"][0][0] for s in result["states"]], x, 1e-11, "position")
    near(of_joint["states"][-1]["dissipated"], of_line["states"][-1]["dissipated"], 1e-10, "dissipated energy")


def test_planar_and_spherical_joints_slow_down_exponentially():
    times = [0, 0.5]
    friction = [dict(freedom=i, viscous=c) for i, c in enumerate((1.0, 2.0, 0.3))]
    result = run([body(2, (0, 0, 0), 0.1, (1, 2, 0), (0, 0, 3))],
                 [joint("planar", -1, 0, (0, 0, 0), Z, axis2=[1, 0, 0], friction=friction)], times)
    good(result)
    expected = np.array([np.exp(-0.25), 2 * np.exp(-0.5), 3 * np.exp(-1.5)])
    near(result["states"][1]["speeds"][0], expected, 1e-11, "speeds of the planar joint")
    result = run([body(2, (0, 0, 0), 0.1, (0, 0, 0), (1, 2, 3))], [joint("spherical", -1, 0, (0, 0, 0), friction=[
        dict(freedom=i, viscous=0.2) for i in range(3)])], times)
    near(result["states"][1]["omegas"][0], np.array([1, 2, 3]) * np.exp(-1), 1e-11, "speeds of the spherical joint")


def test_universal_joint_turns_unevenly():
    bend = 0.5
    out = np.array([np.cos(bend), np.sin(bend), 0])
    cross_axis_in = Z  # cross pin fixed in the input shaft
    cross_axis_out = np.cross(out, Z)
    speed = 5.0
    bodies = [body(1, (0, 0, 0), (0.02, 0.01, 0.01), omega=speed * X),
              body(1, (0, 0, 0), 0.03, omega=speed * ratio_of_cardan(0, bend) * out)]
    joints = [joint("revolute", -1, 0, (0, 0, 0), X), joint("revolute", -1, 1, (0, 0, 0), out),
              joint("universal", 0, 1, (0, 0, 0), cross_axis_in, axis2=cross_axis_out.tolist())]
    result = run(bodies, joints, np.linspace(0, 2, 9))
    good(result)
    angles = np.array([[s["coordinates"][0][0], s["coordinates"][1][0]] for s in result["states"]])
    near(np.tan(angles[:, 1]), np.cos(bend) * np.tan(angles[:, 0]), 1e-9, "tan(out) = cos(bend) tan(in)")
    expected = [speed_of_cardan(a, bend, speed) for a in angles[:, 0]]
    near([s["speeds"][0][0] for s in result["states"]], expected, 1e-9, "input speed by energy")
    assert angles[-1, 0] > 6, "more than one turn"


def ratio_of_cardan(angle, bend):
    """d(out)/d(in) for tan(out) = cos(bend) tan(in)."""
    return np.cos(bend) / (np.cos(angle)**2 + np.cos(bend)**2 * np.sin(angle)**2)


def speed_of_cardan(angle, bend, start):
    inertia = lambda a: 0.02 + 0.03 * ratio_of_cardan(a, bend)**2
    return start * np.sqrt(inertia(0) / inertia(angle))


def test_gear_accelerates_as_reflected_inertia():
    ratio, torque = -2.5, 1.2
    joints = [joint("revolute", -1, 0, (0, 0, 0), actuation=[dict(freedom=0, torque=torque)]),
              joint("revolute", -1, 1, (1, 0, 0))]
    result = run([body(1, (0, 0, 0), 0.1), body(1, (1, 0, 0), 0.02)], joints, [0, 1.0],
                 couplings=[dict(joint_1=0, joint_2=1, ratio=ratio)])
    good(result)
    angle = torque / (0.1 + ratio**2 * 0.02) / 2
    near(np.ravel(result["states"][1]["coordinates"]), [angle, ratio * angle], 1e-10, "angles, many turns")


def test_stuck_block_breaks_away_when_the_spring_force_reaches_friction():
    mass, k, force, amplitude = 1.0, 100.0, 6.0, 0.1
    # cart 0 oscillates between ground and block 1; the block sticks until k x = force
    springs = [dict(a=-1, point_a=[-1, 0, 0], b=0, point_b=[0, 0, 0], stiffness=k, rest_length=1.0),
               dict(a=0, point_a=[0, 0, 0], b=1, point_b=[1, 0, 0], stiffness=k, rest_length=1.0)]
    joints = [joint("prismatic", -1, 0, (0, 0, 0), X),
              joint("prismatic", -1, 1, (1, 0, 0), X, friction=coulomb(force))]
    bodies = [body(mass, (0, 0, 0), 1, (amplitude * np.sqrt(2 * k / mass), 0, 0)), body(3.0, (1, 0, 0), 1)]
    result = run(bodies, joints, [0, 0.2, 1], springs=springs)
    good(result)
    expected = np.arcsin(force / k / amplitude) / np.sqrt(2 * k / mass)
    assert result["events"][0]["kind"] == "slip"
    near(result["events"][0]["time"], expected, 1e-13, "time of breaking away")
    print("    " + ", ".join(f"{e['kind']} {e['time']:.6f}" for e in result["events"]))


def test_block_on_block_slips_then_moves_along_then_stops():
    below, above, ground, between, speed, g = 3.0, 1.0, 2.0, 5.0, 2.0, 9.81
    joints = [joint("prismatic", -1, 0, (0, 0, 0), X, friction=coulomb(ground)),
              joint("prismatic", 0, 1, (0, 1, 0), X, friction=coulomb(between))]
    result = run([body(below, (0, 0, 0), 1), body(above, (0, 1, 0), 1, speed * X)], joints, [0, 2.5], (0, -g, 0))
    good(result)
    fast, slow = between / above, (between - ground) / below
    together = speed / (fast + slow)
    stop = together + slow * together * (below + above) / ground
    assert [(e["joint"], e["kind"]) for e in result["events"]] == [(1, "stick"), (0, "stick")]
    near([e["time"] for e in result["events"]], [together, stop], 1e-13, "times of sticking")
    way = slow * together**2 / 2 + (slow * together)**2 / 2 * (below + above) / ground
    near(result["states"][1]["positions"][0][0], way, 1e-12, "position of the lower block")


def test_double_pendulum_with_dry_joints_dissipates_what_it_loses():
    bodies = [body(1, (0.5, 0, 0), 0.02), body(0.7, (1.5, 0, 0), 0.02)]
    joints = [joint("revolute", -1, 0, (0, 0, 0), friction=coulomb(2.5)),
              joint("revolute", 0, 1, (1, 0, 0), friction=coulomb(0.8))]
    result = run(bodies, joints, [0, 1, 12], DOWN)
    good(result, 1e-8)
    print("    " + ", ".join(f"{e['kind']} {e['joint']} {e['time']:.4f}" for e in result["events"]))
    state = result["states"][-1]
    near(np.ravel(state["omegas"]), 0, 1e-14, "speeds at the end")
    first, second = np.array(state["positions"])[:, 0]
    elbow = np.array(state["rotations"][0])[0, 0]
    assert abs(9.81 * 0.7 * (second - elbow)) <= 0.8 and abs(9.81 * (first + 0.7 * second)) <= 2.5


def test_rows_and_their_derivatives_agree_with_difference_quotients():
    random = np.random.default_rng(2)
    for kind in FREEDOMS:
        axis2 = np.cross(X + Y, Z) + 0.3 * Z  # oblique: not perpendicular to Z
        m = Mechanism(dict(name="", gravity=[0, 0, 0], joints=[joint(kind, 0, 1, (0.3, 0.1, 0.2), Z, axis2=axis2)],
                           bodies=[body(1, (0, 0, 0), 1), body(1, (1, 0, 0), 1)]))
        y = m.initial_state()
        y[:6] += random.normal(size=6)
        y[24:36] = random.normal(size=12)
        y[6:24] = np.linalg.qr(random.normal(size=(2, 3, 3)))[0].ravel()

        def moved(t):
            new = y.copy()
            new[:6] += t * y[24:30]
            for i, w in enumerate(y[30:36].reshape(2, 3)):
                angle = np.linalg.norm(w)
                W = np.cross(np.eye(3), w / angle)
                turn = np.eye(3) + np.sin(angle * t) * W + (1 - np.cos(angle * t)) * W @ W
                new[6 + 9 * i:15 + 9 * i] = (turn @ y[6 + 9 * i:15 + 9 * i].reshape(3, 3)).ravel()
            return m.kinematics(new[None])

        h, k = 1e-4, moved(0)
        difference = lambda f: (8 * (f(moved(h)) - f(moved(-h))) - f(moved(2 * h)) + f(moved(-2 * h))) / (12 * h)
        # tolerance: truncation h^4 and rounding 1e-16 / h of the difference quotient
        near(difference(lambda q: q["values"][0][m.constraint_rows]), k["G"][0] @ k["V"][0], 1e-9, f"{kind}: rows")
        near(difference(lambda q: q["G"][0] @ q["V"][0]), k["gamma"][0], 1e-9, f"{kind}: derivatives of the rows")
        if FREEDOMS[kind]:
            near(difference(lambda q: q["speeds"][0]), k["rows_bias"][0], 1e-9, f"{kind}: derivatives of the freedoms")


# loops

def test_four_bar_keeps_its_energy():
    result = run(*four_bar(speed=9.0), np.linspace(0, 1, 9), DOWN)
    good(result)
    near([s["energy"] for s in result["states"]], [result["states"][0]["energy"]] * 9, 1e-10, "energy")
    assert result["constraints"]["redundant"] == 3 and result["constraints"]["freedoms"] == 1


def test_redundant_four_bar_moves_as_the_statically_determinate_one():
    times = np.linspace(0, 0.5, 5)
    first = run(*four_bar(speed=9.0), times, DOWN)
    second = run(*four_bar(speed=9.0, kinds=("revolute", "spherical", "cylindrical", "revolute")), times, DOWN)
    good(second)
    assert (first["constraints"]["redundant"], second["constraints"]["redundant"]) == (3, 0)
    for key in ("positions", "rotations", "velocities", "omegas"):
        near([s[key] for s in first["states"]], [s[key] for s in second["states"]], 1e-9, key)


def travel(path, start, end, count=2000):
    """Path length of a coordinate that depends on the crank angle, turning points by golden section."""
    grid = np.linspace(start, end, count)
    x = np.array([path(t) for t in grid])
    total, last = 0.0, x[0]
    for i in range(1, count - 1):
        if (x[i] - x[i - 1]) * (x[i + 1] - x[i]) < 0:
            low, high, sign = grid[i - 1], grid[i + 1], np.sign(x[i] - x[i - 1])
            for _ in range(60):
                a, b = low + 0.381966 * (high - low), low + 0.618034 * (high - low)
                low, high = (low, b) if sign * path(a) > sign * path(b) else (a, high)
            total, last = total + abs(path((low + high) / 2) - last), path((low + high) / 2)
    return total + abs(x[-1] - last)


def test_crank_rocker_with_coulomb_friction_loses_force_times_travel():
    friction = ((), (), (), coulomb(0.7))
    result = run(*four_bar(speed=12.0, friction=friction), [0, 0.5, 1.0], DOWN)
    good(result)
    for state in result["states"][1:]:
        theta = 1.0 + state["coordinates"][0][0]
        loss = result["states"][0]["energy"] - state["energy"]
        near(loss, 0.7 * travel(rocker_path, 1.0, theta), 1e-9, f"loss after {theta - 1:.2f} rad of the crank")
    assert {e["kind"] for e in result["events"]} == {"reverse"}


def test_crank_rocker_comes_to_rest_and_friction_holds_it():
    friction = (coulomb(0.8), (), (), coulomb(0.7, 0.05))
    result = run(*four_bar(friction=friction), [0, 1, 20], DOWN)
    good(result)
    print("    " + ", ".join(f"{e['kind']} {e['joint']} {e['time']:.4f}" for e in result["events"]))
    end = result["states"][-1]
    near(np.ravel(end["omegas"]), 0, 1e-14, "speeds at the end")
    theta, h = 1.0 + end["coordinates"][0][0], 1e-5
    potential = lambda t: 9.81 * heights(t) @ [1.0, 2.0, 1.5]
    slope = (potential(theta + h) - potential(theta - h)) / (2 * h)
    rocker = abs(rocker_path(theta + h) - rocker_path(theta - h)) / (2 * h)
    print(f"    weight {slope:.4f} N m, largest friction {0.8 + 0.7 * rocker:.4f} N m on the crank")
    assert abs(slope) <= 0.8 + 0.7 * rocker
    near(potential(theta), end["potential"], 1e-9, "potential energy from the closed form")


def slider_energy(theta, start, energy, force, torque=0.0):
    """Energy at the crank angle: the slider reverses at multiples of pi."""
    stops = [start] + [k * np.pi for k in range(int(np.ceil(start / np.pi + 1e-12)), int(theta / np.pi) + 1)] + [theta]
    path = np.abs(np.diff([slider(t) for t in stops])).sum()
    return energy - force * path + torque * (theta - start), stops


def check_slider_crank(result, start, force, rod=(0.2, 0.001), torque=0.0):
    """Energy, crank speed and elapsed time at the crank angle of each state, by energy and quadrature."""
    first = result["states"][0]["energy"]
    energy = lambda angle: slider_energy(angle, start, first, force, torque)[0]
    inverse_speed = lambda angle: np.sqrt(crank_inertia(angle, *rod) / 2 / energy(angle))
    for state in result["states"][1:]:
        angle = start + state["coordinates"][0][0]
        near(state["energy"], energy(angle), 1e-9, f"energy {state['energy']:.6f} J at {state['time']} s")
        near(state["speeds"][0][0], 1 / inverse_speed(angle), 1e-9, f"crank speed {state['speeds'][0][0]:.6f} rad/s")
        if first > 0:
            stops = slider_energy(angle, start, first, force, torque)[1]
            elapsed = sum(gauss(inverse_speed, a, b) for a, b in zip(stops, stops[1:]))
            near(elapsed, state["time"], 1e-10, "time by quadrature")


def test_slider_crank_with_coulomb_friction_equals_quadrature():
    folder = pathlib.Path(__file__).parent
    with tempfile.TemporaryDirectory() as scratch:
        output = pathlib.Path(scratch) / "output.json"
        subprocess.run([sys.executable, folder / "maximal.py", folder / "slider_crank.json", output], check=True)
        result = json.loads(output.read_text())
    good(result)
    check_slider_crank(result, 1.0, 2.0)
    near(result["states"][-1]["speeds"][0][0], 17.499, 5e-4, "crank speed of the reference, 17.499 rad/s")
    near(result["states"][-1]["energy"], 16.13, 5e-3, "energy of the reference, 16.13 J")
    assert {e["kind"] for e in result["events"]} == {"reverse"}


def test_massless_rod_is_accepted():
    result = run(*slider_crank(1.0, 20.0, 2.0, 0.0, 0.0), [0, 0.5])
    good(result)
    check_slider_crank(result, 1.0, 2.0, (0.0, 0.0))
    try:
        run([body(0, (0, 0, 0))], [joint("revolute", -1, 0, (0, 0, 0))], [0, 1])
    except MechanismError as error:
        print(f"    massless pendulum: {error}")
    else:
        assert False, "a massless pendulum must be rejected"


def test_slider_crank_starts_from_rest_at_its_dead_centre():
    for torque in (0.5, -0.5):
        result = run(*slider_crank(0.0, 0.0, 2.0, torque=torque), [0, 0.5, 1.0])
        good(result)
        # mirrored about the dead centre, the negative torque gives the same motion
        for state in result["states"]:
            state["coordinates"][0][0] *= np.sign(torque)
            state["speeds"][0][0] *= np.sign(torque)
        check_slider_crank(result, 0.0, 2.0, torque=abs(torque))


def test_slider_crank_stops_in_three_friction_joints_at_once():
    bodies, joints = slider_crank(1.0, 3.0, 2.0)
    joints[0]["friction"] = coulomb(0.4)
    joints[1]["friction"] = coulomb(0.1)
    result = run(bodies, joints, [0, 0.5, 5.0])
    good(result)
    print("    " + ", ".join(f"{e['kind']} {e['joint']} {e['time']:.6f}" for e in result["events"]))
    assert [e["kind"] for e in result["events"]] == ["stick"] * 3
    near(np.ravel(result["states"][-1]["velocities"]), 0, 1e-14, "velocities at the end")
    near(result["states"][-1]["dissipated"], result["states"][0]["energy"], 1e-10, "dissipated energy")


def test_planar_3rrr_of_seven_bodies():
    """Three legs of two links and a platform, nine revolute joints: 6 redundant constraints, 3 freedoms."""
    random = np.random.default_rng(3)
    bodies, joints = [body(1.5, (0, 0, 0), 0.02)], []
    for leg in range(3):
        out = turned(2 * np.pi * leg / 3)
        base, elbow, tip = out @ [0.5, 0, 0], out @ [0.4, 0.25, 0], out @ [0.12, 0.03, 0]
        bodies += [body(0.5, (base + elbow) / 2, 0.004), body(0.4, (elbow + tip) / 2, 0.004)]
        joints += [joint("revolute", -1, 2 * leg + 1, base, friction=coulomb(0.05 + 0.1 * random.random())),
                   joint("revolute", 2 * leg + 1, 2 * leg + 2, elbow), joint("revolute", 2 * leg + 2, 0, tip)]
    joints[0]["actuation"] = [dict(freedom=0, torque=0.5)]
    result = run(bodies, joints, [0, 0.15, 0.3], DOWN)
    good(result)
    print("    " + ", ".join(f"{e['kind']} {e['joint']} {e['time']:.4f}" for e in result["events"]))
    print(f"    {result['constraints']}")
    assert result["constraints"]["redundant"] == 6 and result["constraints"]["freedoms"] == 3


# dry friction without a mechanism

def test_friction_patterns_are_unique_and_minimise():
    random = np.random.default_rng(1)
    for case in range(150):
        freedoms, count = random.integers(1, 5), random.integers(1, 6)
        K, beta = random.normal(size=(count, freedoms)), random.normal(size=count) * (random.random() < 0.5)
        if random.random() < 0.3:
            K[-1] = K[0] * random.normal()  # dependent rows: forces are not unique
            beta[-1] = 0 if not beta.any() else beta[-1]
        zeta0, F = 2 * random.normal(size=freedoms), random.random(count) + 0.05
        sigma, rates = decide(K, beta, zeta0, F)
        for pattern in all_patterns(count):
            other = accelerations(K, beta, zeta0, F, pattern)
            assert other is None or np.allclose(other, rates, atol=1e-7), "accelerations are not unique"
        zeta = stick_ratio(K[sigma == 0], beta[sigma == 0], zeta0 - (F * sigma) @ K, F[sigma == 0])[2]
        cost = lambda z: 0.5 * (z - zeta0) @ (z - zeta0) + F @ np.abs(K @ z + beta)
        nearby = [cost(zeta + s * random.normal(size=freedoms)) for s in (1e-1, 1e-2, 1e-3, 1e-4) for _ in range(10)]
        assert cost(zeta) <= min(nearby) + 1e-12, "the accelerations do not minimise Gauss's function"
    print("    150 random problems")


def test_halving_the_tolerance_changes_nothing():
    mechanism = four_bar(speed=9.0, friction=((), coulomb(0.2), (), coulomb(0.7, 0.05)))
    a, b = (run(*mechanism, [0.3, 0.6], DOWN, tolerance) for tolerance in (1e-11, 5e-12))
    for key in ("positions", "velocities", "omegas"):
        near([s[key] for s in a["states"]], [s[key] for s in b["states"]], 1e-10, key)
    near([e["time"] for e in a["events"]], [e["time"] for e in b["events"]], 1e-12, f"{len(a['events'])} event times")


def main():
    chosen = sys.argv[1] if len(sys.argv) > 1 else ""
    started = time.perf_counter()
    for name, test in list(globals().items()):
        if name.startswith("test_") and chosen in name:
            print(name[5:].replace("_", " "))
            test()
    print(f"passed in {time.perf_counter() - started:.1f} s")


if __name__ == "__main__":
    main()
