// The contents of a mechanism file, before parameters get values: links, joints, loops, drives, friction.
//
// Every number is a Formula over the mechanism's named parameters, with its location in the file. `instantiate`
// (model.hpp) evaluates them in any scalar type and returns the flat Model that the algorithms use. Units are SI,
// angles are radians (a file may write `90 deg`); the file format is docs/format.md.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../base/copied_once.hpp"
#include "../base/error.hpp"
#include "../graph/expr.hpp"

namespace lw {

struct Formula {
  Expr value;
  Location where;
  std::string text;  // as written; empty if not from a file

  Formula(double number = 0.0) : value(number) {}  // NOLINT: a number is a formula
  Formula(Expr expression, Location place, std::string written)
      : value(expression), where(std::move(place)), text(std::move(written)) {}
};
using Formula3 = std::array<Formula, 3>;

struct Parameter {
  std::string name;
  Formula value;  // over earlier parameters
};

// Rotation as written in the file: rpy (roll, pitch, yaw about fixed x, y, z), quaternion (x, y, z, w), matrix (by
// rows).
struct Rotation {
  enum class Kind { none, rpy, quaternion, matrix };
  Kind kind = Kind::none;
  std::vector<Formula> values;  // 0, 3, 4 or 9
};

struct Origin {
  Formula3 xyz;
  Rotation rotation;
  Location where;
};

// Denavit-Hartenberg. Modified (Craig): Rx(alpha) Tx(a) Rz(theta) Tz(d), the joint moves about or along the new z.
// Standard (Paul): Rz(theta) Tz(d) Tx(a) Rx(alpha), the joint moves about or along the parent's z.
// theta and d are offsets: the joint coordinate is added to theta (revolute) or d (prismatic).
struct DenavitHartenberg {
  bool standard = false;
  Formula alpha, a, theta, d;
  Location where;
};

enum class JointType { fixed, revolute, prismatic, cylindrical, universal, spherical, planar, floating };
const char* to_string(JointType type);
int coordinates(JointType type);  // nq: 0, 1, 1, 2, 2, 4, 3, 7
int velocities(JointType type);   // nv: 0, 1, 1, 2, 2, 3, 3, 6

struct Limits {  // each present only if given
  std::optional<Formula> lower, upper, velocity, effort;
  std::optional<Formula> stiffness, damping;  // of the stops at lower and upper, if any
};

struct Mimic {  // q = ratio * q(joint) + offset
  std::string joint;
  Formula ratio = 1.0, offset = 0.0;
  Location where;
};

// A table: piecewise linear or monotone cubic (Fritsch, Carlson 1980).
struct FormulaTable {
  std::vector<Formula> x, y;
  bool cubic = false;
  Location where;
};

// Dissipation in the joint; acts only with friction enabled (laws: docs/theory/friction.md).
struct Bearing {
  enum class Kind { journal, linear, thrust };
  Kind kind = Kind::journal;
  Formula mu, radius, spacing;
  bool moments = true;  // of a journal: whether moments load it; otherwise it needs no spacing
  Location where;
};
struct Stribeck {
  Formula static_torque, velocity, shape = 2.0;
};
struct Friction {
  Formula viscous, coulomb;
  std::optional<Stribeck> stribeck;
  std::vector<Bearing> bearings;
  Formula width;  // velocity below which the direction of friction changes smoothly; 0: abruptly
  bool present = false;
};

struct Drive {
  Drive();
  LW_COPIED_ONCE(Drive);

  Formula ratio = 1.0;    // motor speed / joint speed
  Formula rotor_inertia;  // on the motor side; ratio² · rotor_inertia at the joint
  // the rotor's axis in the parent link's frame, if its gyroscopic effect matters; the link's inertia includes the
  // rotor's
  std::optional<Formula3> rotor_axis;
  std::optional<FormulaTable> efficiency;  // over |torque|/rated; a constant is a table of one value
  std::optional<Formula> breakaway, rated, peak;
  std::optional<Formula> stiffness, damping, backlash;  // of an elastic transmission, joint side
  Location where;
};

// Several drives that move several joints together: the drives' outputs turn by φ = C q (C is square), and the torques
// at the joints are Cᵀ times those at the outputs.
struct Coupling {
  std::string name;
  std::vector<std::string> joints;
  std::vector<std::string> motors;  // names
  std::vector<Drive> drives;        // one per motor; all but ratio and rotor_inertia refer to the output φ
  std::vector<Formula> matrix;      // C by rows: motors × joints
  Location where;
};

// Joint spring: torque = -stiffness · (q - rest), or -table(q). Always acts.
struct Spring {
  Formula stiffness, rest;
  std::optional<FormulaTable> table;
};
// Joint damper: torque = -coefficient · q̇, or -table(q̇). Acts with friction.
struct Damper {
  Formula coefficient;
  std::optional<FormulaTable> table;
};

struct Joint {
  Joint();
  LW_COPIED_ONCE(Joint);

  std::string name;
  JointType type = JointType::fixed;
  Formula3 axis{0.0, 0.0, 1.0};         // in the joint frame; first axis of a universal joint, normal of a planar one
  Formula3 axis2{0.0, 1.0, 0.0};        // second axis of a universal joint, fixed in the child
  std::optional<DenavitHartenberg> dh;  // placement: by DH, or by origin
  Origin origin;                        // joint frame in the parent link's frame
  bool actuated = true;
  Limits limits;
  std::optional<Mimic> mimic;
  Friction friction;
  std::optional<Drive> drive;
  std::optional<Spring> spring;
  std::optional<Damper> damper;
  Location where;
};

struct Inertia {
  Inertia();
  LW_COPIED_ONCE(Inertia);

  Formula mass;
  Formula3 com;
  // xx, yy, zz, xy, xz, yz: elements of the inertia matrix (xy = -∫ x y dm)
  std::array<Formula, 6> tensor;
  bool about_origin = false;  // tensor about the link's origin instead of the centre of mass
  Rotation rotation;          // of the axes of the tensor relative to the link's
  Location where;
};

struct Visual {
  enum class Shape { box, cylinder, sphere, mesh };
  Shape shape = Shape::box;
  std::vector<Formula> size;  // box: x, y, z; cylinder (along z): radius, length; sphere: radius; mesh: scale x, y, z
  std::string mesh;
  Origin origin;
  std::array<double, 4> color{0.7, 0.7, 0.7, 1.0};
};

struct Link {
  Link();
  LW_COPIED_ONCE(Link);

  std::string name;
  std::string parent;  // a link, or the base
  Joint joint;
  std::optional<Inertia> inertia;
  std::vector<Visual> visuals;
  Location where;
};

// A joint that closes a loop: the frames `at[0]` on link `between[0]` and `at[1]` on `between[1]` may move relative to
// each other only as the joint allows.
struct Loop {
  Loop();
  LW_COPIED_ONCE(Loop);

  std::string name;
  JointType type = JointType::revolute;
  Formula3 axis{0.0, 0.0, 1.0};
  Formula3 axis2{0.0, 1.0, 0.0};
  std::array<std::string, 2> between;
  std::array<Origin, 2> at;
  Friction friction;
  Location where;
};

// A spring and damper between a point on each of two links (one may be the base): tension = stiffness · (length -
// rest), or table(length), and damping · its rate, which acts with friction.
struct PointSpring {
  std::string name;
  std::array<std::string, 2> between;
  std::array<Formula3, 2> at;
  Formula stiffness, rest, damping;
  std::optional<FormulaTable> table;
  Location where;
};

// A force and moment on a link at a point of it, in the world's or the link's axes; formulas may contain the parameter
// `t`.
struct AppliedForce {
  std::string link;
  Formula3 at;
  bool in_link = false;
  Formula3 force, moment;
  // over time, the parameter `t`: six values at each time (force, moment) instead of those above
  std::vector<Formula> time;
  std::vector<std::array<Formula, 6>> values;
  Location where;
};

// A spring, damper and backlash between the coordinates of two joints: torque stiffness · s + damping · ṡ on the second
// and its opposite on the first, with s = first - second, reduced by the backlash. Also models elastic drives (see
// `with_elastic_drives`).
struct Shaft {
  std::string name;
  std::array<std::string, 2> between;  // joints
  Formula stiffness, damping,
      backlash;  // total; the damping acts while the shaft is loaded, with friction
  Location where;
};

// A body carried by a link, part of the same rigid body.
struct Payload {
  std::string link;
  Inertia inertia;
  Location where;
};

struct Mechanism {
  Mechanism();
  LW_COPIED_ONCE(Mechanism);

  std::string name;
  std::string summary;
  std::string unphysical;  // reason for unphysical inertias (historical data), which are then noted, not rejected
  std::string base = "base";
  std::optional<Inertia> base_inertia;  // of a URDF's root link; matters only if the base floats
  std::vector<Visual> base_visuals;
  std::shared_ptr<Graph> formulas = std::make_shared<Graph>();  // parameters are its inputs, in order
  std::vector<Parameter> parameters;
  Formula3 gravity{0.0, 0.0, -9.81};
  std::vector<Link> links;  // in the file's order; a parent may come after its child
  std::vector<Loop> loops;
  std::vector<Payload> payloads;
  std::vector<Coupling> couplings;
  std::vector<PointSpring> springs;
  std::vector<AppliedForce> forces;
  std::vector<Shaft> shafts;
  std::map<std::string, std::vector<Formula>> home;  // joint name -> its coordinates
  Location where;

  const Link* find_link(const std::string& name) const;
  // Whether only fixed joints connect this link to the base.
  bool stands_still(const std::string& link) const;
  const Link* find_joint(const std::string& name) const;  // the link whose inboard joint has that name
};

}  // namespace lw
