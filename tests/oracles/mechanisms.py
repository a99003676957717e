"""Mechanisms for the checks of maximal.py, with their closed-form kinematics."""
import numpy as np

X, Y, Z = np.eye(3)


def body(mass, com, inertia=0.0, velocity=(0, 0, 0), omega=(0, 0, 0)):
    tensor = inertia * np.eye(3) if np.isscalar(inertia) else np.diag(inertia) if np.ndim(inertia) == 1 else inertia
    return dict(name="", mass=mass, com=list(com), inertia=np.asarray(tensor).tolist(), velocity=list(velocity),
                omega=list(omega))


def joint(kind, a, b, point, axis=Z, point_b=None, **more):
    point_b = point if point_b is None else point_b
    return dict(name=kind, type=kind, a=a, b=b, point_a=list(point), point_b=list(point_b), axis=list(axis), **more)


def coulomb(force, viscous=0.0, freedom=0):
    return [dict(freedom=freedom, coulomb=force, viscous=viscous)]


def turned(angle):
    return np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])


def four_bar_angles(theta, crank, rod, rocker, base):
    """Directions of rod and rocker; upper assembly."""
    p = crank * np.array([np.cos(theta), np.sin(theta)])
    d = np.array([base, 0]) - p
    length = np.hypot(*d)
    along = (rod**2 - rocker**2 + length**2) / (2 * length)
    height = np.sqrt(rod**2 - along**2)
    q = p + along * d / length + height * np.array([-d[1], d[0]]) / length
    return np.arctan2(*(q - p)[::-1]), np.arctan2(q[1], q[0] - base)


def four_bar(theta=1.0, speed=0.0, kinds=("revolute",) * 4, friction=((), (), (), ()), masses=(1.0, 2.0, 1.5)):
    """Crank, rod, rocker of 00b-crankrocker-coulomb.yaml; joints A (crank), B, D, C (rocker)."""
    sizes = (0.2, 0.6, 0.4, 0.7)
    angle_rod, angle_rocker = four_bar_angles(theta, *sizes)
    A, C = np.zeros(3), np.array([0.7, 0, 0])
    B = turned(theta) @ [0.2, 0, 0]
    D = C + turned(angle_rocker) @ [0.4, 0, 0]
    # velocities: D = B + rod = C + rocker
    rod, rocker = D - B, D - C
    matrix = np.array([[-rod[1], rocker[1]], [rod[0], -rocker[0]]])
    omega_rod, omega_rocker = np.linalg.solve(matrix, -speed * np.array([-B[1], B[0]]))
    at = [turned(theta) @ [0.1, 0, 0], B + turned(angle_rod) @ [0.3, 0.05, 0], C + turned(angle_rocker) @ [0.2, 0, 0]]
    v_B = speed * np.cross(Z, B)
    velocities = [speed * np.cross(Z, at[0]), v_B + omega_rod * np.cross(Z, at[1] - B),
                  omega_rocker * np.cross(Z, at[2] - C)]
    bodies = [body(m, r, i, v, w * Z) for m, r, i, v, w in zip(
        masses, at, (0.01, 0.1, 0.05), velocities, (speed, omega_rod, omega_rocker))]
    ends = ((-1, 0, A), (0, 1, B), (1, 2, D), (-1, 2, C))
    joints = [joint(kind, a, b, p, friction=list(f)) for kind, (a, b, p), f in zip(kinds, ends, friction)]
    return bodies, joints


DOWN = (0, -9.81, 0)


def rocker_path(theta):
    return four_bar_angles(theta, 0.2, 0.6, 0.4, 0.7)[1]


def heights(theta):
    rod, rocker = four_bar_angles(theta, 0.2, 0.6, 0.4, 0.7)
    y = 0.2 * np.sin(theta)
    return np.array([y / 2, y + 0.3 * np.sin(rod) + 0.05 * np.cos(rod), 0.2 * np.sin(rocker)])


# slider-crank of defects/00-slidercrank-coulomb-energy-vanishes.yaml
R_CRANK, R_ROD = 0.1, 0.3


def slider_crank(theta, speed, force, rod_mass=0.2, rod_inertia=0.001, torque=0.0, viscous=0.0):
    sine = R_CRANK * np.sin(theta)
    phi = -np.arcsin(sine / R_ROD)
    B = R_CRANK * np.array([np.cos(theta), np.sin(theta), 0])
    pin = B + R_ROD * np.array([np.cos(phi), np.sin(phi), 0])
    omega_rod = -speed * R_CRANK * np.cos(theta) / (R_ROD * np.cos(phi))
    mid = (B + pin) / 2
    v_B = speed * np.cross(Z, B)
    bodies = [body(1, (0, 0, 0), 0.1, omega=speed * Z),
              body(rod_mass, mid, rod_inertia, v_B + omega_rod * np.cross(Z, mid - B), omega_rod * Z),
              body(0.3, pin, 0.0, v_B + omega_rod * np.cross(Z, pin - B))]
    joints = [joint("revolute", -1, 0, (0, 0, 0), actuation=[dict(freedom=0, torque=torque)]),
              joint("revolute", 0, 1, B), joint("revolute", 1, 2, pin),
              joint("prismatic", -1, 2, (0, 0, 0), X, point_b=pin, friction=coulomb(force, viscous))]
    return bodies, joints


def slider(theta):
    return R_CRANK * np.cos(theta) + np.sqrt(R_ROD**2 - (R_CRANK * np.sin(theta))**2)


def crank_inertia(theta, rod_mass=0.2, rod_inertia=0.001):
    h = 1e-200
    t = complex(theta, h)
    sine = R_CRANK * np.sin(t)
    phi = -np.arcsin(sine / R_ROD)
    x, y = R_CRANK * np.cos(t) + R_ROD / 2 * np.cos(phi), sine + R_ROD / 2 * np.sin(phi)
    return (0.1 + rod_mass * ((x.imag / h)**2 + (y.imag / h)**2) + rod_inertia * (phi.imag / h)**2
            + 0.3 * (slider(t).imag / h)**2)
