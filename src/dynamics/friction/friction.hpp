// Friction in joints and drives of a prescribed motion: the joints' reactions are those of the frictionless mechanism
// (Gogoussis, Donath 1987), so no iteration is needed. σ is the direction of motion: -1, 0, 1, or smooth within
// `width`. It is the sign of q̇; at rest that of q̈, the impending motion (for a drive: of φ̇ and φ̈); if both are zero
// it is 0.
//
//   bearing = viscous q̇ + damper + σ (coulomb + (static - coulomb) exp(-(|q̇|/v_s)^shape) + Σ loaded bearings)
//     journal   (μ r/d) (|P - Q| + |P + Q|),  P = (d/2) f × a,  Q = a × (n × a)     two supports d apart, axis a
//               μ r |f × a| if moments do not load it; for a prismatic joint (a round guide) without r
//     linear    (μ/d) Σ |½d f_x ± n_y| + |½d f_y ± n_x|   flat guides normal to the joint axis
//     thrust    μ r |f·a|
//   f, n: force and moment that the joint transmits to its body (work.force of rnea), at the body's origin.
//
//   at_joint = dynamic + bearing
//   A drive whose output moves with φ̇ and delivers x (at the joints Cᵀ x; its rotor's torque does not pass the gear):
//     input = x/η + σ(φ̇) τ_B if driving (x φ̇ > 0),  x η + σ(φ̇) τ_B if driven,  η = η(|x|)
//   total = at_joint + transmission = Cᵀ input (output side),  motor = input / ratio
//
// docs/theory/friction.md derives these; C. Dhanaraj 1990, chapter 3, with the sign of n_x in equation 3.3 corrected.
#pragma once

#include "../tree/workspace.hpp"

namespace lw {

// One entry per velocity. Drives of a coupling are at the entries of its joints, the first at that of the first joint.
template <class T>
struct Losses {
  explicit Losses(const Model<T>& model)
      : dynamic(static_cast<std::size_t>(model.nv)),
        bearing(dynamic),
        at_joint(dynamic),
        transmission(dynamic),
        total(dynamic),
        motor(dynamic),
        direction(dynamic),
        velocity(dynamic),
        output(dynamic),
        damping(dynamic) {}
  std::vector<T> dynamic, bearing, at_joint, transmission, total, motor;
  std::vector<T> direction;         // of the joints: a number with the sign of σ
  std::vector<T> velocity, output;  // of the drives: φ̇ (or a number with the sign of σ), and x, what passes the gear
  std::vector<T> damping;           // of force elements (elements.hpp): a part of `bearing` that does not depend on q̈
};

// The direction of dry friction at rest. Code that solves for q̈ uses no_direction, because σ(q̈) jumps.
enum class AtRest { direction_of_acceleration, no_direction };

// Inverse dynamics with losses. Afterwards work.force contains the reactions.
template <class T>
void inverse_with_losses(const Model<T>& model, Workspace<T>& work, In<T> q, In<T> qd, In<T> qdd, Losses<T>& losses,
                         std::span<const Force<std::type_identity_t<T>>> external = {},
                         AtRest at_rest = AtRest::direction_of_acceleration);

// The same from losses.dynamic, losses.damping and the reactions, one per body. Reactions may be given at any point of
// the joint's axis: `along` is its distance from the body's origin (empty: zero). The bearings' supports are displaced
// instead of the moment, which costs nothing.
template <class T>
void add_losses(const Model<T>& model, std::span<const Force<std::type_identity_t<T>>> reactions, In<T> along, In<T> qd,
                In<T> qdd, Losses<T>& losses, AtRest at_rest = AtRest::direction_of_acceleration);
// Its halves: losses.velocity = C q̇, and all else with these as they are, though they belong to another q̇.
// `directions`: numbers with the signs of σ of the joints; empty: q̇.
template <class T>
void drive_velocities(const Model<T>& model, In<T> qd, Losses<T>& losses);
template <class T>
void losses_at(const Model<T>& model, std::span<const Force<std::type_identity_t<T>>> reactions, In<T> along, In<T> qd,
               In<T> qdd, Losses<T>& losses, In<T> directions = {});

// A number with the sign of σ: the velocity, at rest the acceleration. One comparison, no arithmetic.
template <class T>
T direction_of_motion(const T& velocity, const T& acceleration);

// Bodies on whose reactions the losses depend: loaded bearings, and rotors that are separate bodies.
template <class T>
std::vector<bool> felt_reactions(const Model<T>& model);

// The range of torques (total) within which a joint stays at rest: the limits of `total` if only this joint begins to
// move in either direction. For joints that move or begin to (q̈ ≠ 0), both ends equal total; joints with smooth laws
// have no holding range.
template <class T>
void holding_range(const Model<T>& model, Workspace<T>& work, In<T> q, In<T> qd, In<T> qdd, Out<T> low, Out<T> high,
                   std::span<const Force<std::type_identity_t<T>>> external = {});
// A velocity with a direction and zero magnitude.
inline constexpr double kImpending = 1e-250;

// Back-driving: the smallest torque on a drive's output that moves it with the motor off, |x| η(|x|) = τ_B.
double back_driving_torque(const DriveLoss<double>& drive);

// The factor of σ in a bearing's friction: its part of the formulas above. `slides`: for a prismatic joint. `along`:
// position on the axis at which the reaction is given, from the bearing's middle.
template <class T>
T bearing_friction(const BearingLoss<T>& bearing, const Vec3<T>& axis, bool slides, const Force<T>& reaction,
                   const T& along = T(0.0));
// Whether a joint has discontinuous friction.
template <class T>
bool is_dry(const JointLoss<T>& loss);
// Its magnitude: coulomb, Stribeck and bearings, at a speed.
template <class T>
T dry_friction(const JointLoss<T>& loss, const Body<T>& body, const T& speed, const Force<T>& reaction,
               const T& along = T(0.0));
// All losses in the joint. `direction`: a number with the sign of σ, instead of the velocity.
template <class T>
T joint_friction(const JointLoss<T>& loss, const Body<T>& body, const T& velocity, const Force<T>& reaction,
                 const T& along = T(0.0));
template <class T>
T directed_joint_friction(const JointLoss<T>& loss, const Body<T>& body, const T& velocity, const T& direction,
                          const Force<T>& reaction, const T& along = T(0.0));

// Input of a drive that delivers `output` while it moves with `velocity`, on the output side.
template <class T>
T drive_input(const DriveLoss<T>& drive, const T& output, const T& velocity, const T& width);

// Output of a drive for an input: drive_input(x) = input, which rises with x. Its breakaway torque, where it jumps, is
// not in here.
double drive_output(DriveLoss<double> drive, double input, double velocity, double width);

// σ(v) · size. Smooth within `width`: σ = s (3 - s²)/2, s = v/width, constant ±1 beyond; without a width by comparisons
// only, which cost no arithmetic.
template <class T>
T opposing(const T& velocity, const T& width, const T& size);

}  // namespace lw
