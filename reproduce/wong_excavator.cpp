#include "experiments.hpp"

#include "dynamics/tree/kinematics.hpp"
#include "evaluate.hpp"

// Wong 1991, section 5.2: the Caterpillar 215B as rigid bodies.
namespace lw::reproduce {
namespace {

const Source kExcavatorSource = recomputed("wong.py", "data of section 5.2");

Vector bucket_pin(const Model<double>& model, const Vector& q) {
  Workspace<double> work(model);
  forward_kinematics<double>(model, work, q);
  const Vec3<double> p = frame_pose(model, work, model.frame_index("bucket")).p;
  return {p[0], p[1], p[2]};
}

}  // namespace

Experiment wong_excavator() {
  Experiment e("wong", "wong.excavator", "Caterpillar 215B, rigid bodies (section 5.2)",
               "Cab, boom, stick and bucket at two states; hydraulics and the joystick are not part of it.");
  const Model<double> model = embedded("cat215b");
  const Vector zero(4, 0.0), q{.1, .5, -1, -.3}, qd{.3, .2, -.1, .4};
  e.compare("M0", "M(0) (kg·m²)", kExcavatorSource,
            {symmetric(4, {145082.8151, -110.528, -51.968, -40.96, 80419.26, 13474, 2178, 4130.64, 846.8, 386}), 4},
            {mass_matrix(model, zero), 4}, relative(1e-9));
  e.compare("gravity0", "gravity torques at 0 (N·m)", kExcavatorSource, {0, 120131.298, 17626.608, 2511.36},
            gravity(model, zero), relative(1e-9));
  e.compare("M", "M(q), q = (.1, .5, −1, −.3) (kg·m²)", kExcavatorSource,
            {symmetric(4, {123997.581632, -743.536838276, 109.377189008, 0.845798668385, 74501.36209, 10630.6458104,
                           2601.17786251, 4361.82953084, 962.394765419, 386}),
             4},
            {mass_matrix(model, q), 4}, relative(1e-9));
  e.compare("bias", "f_v(q, q̇), q̇ = (.3, .2, −.1, .4) (N·m)", kExcavatorSource,
            {-4099.67027964, 108077.163493, 16268.605852, 3513.27233236}, bias(model, q, qd), relative(1e-9));
  e.compare("gravity", "gravity torques at q (N·m)", kExcavatorSource, {0, 105374.646774, 17139.6765374, 3551.22075403},
            gravity(model, q), relative(1e-9));
  e.compare("forward", "θ̈ without torque from (q, q̇) (rad/s²)", kExcavatorSource,
            {0.0252532283539, -1.42099763057, -0.826282293553, 2.53415451265}, forward(model, q, qd, zero),
            relative(1e-9));
  e.compare("pin", "bucket pin at q (m)", kExcavatorSource, {7.52136731, 0.593850576, 2.63004683}, bucket_pin(model, q),
            absolute(5e-9), "The reference is given to nine digits.");
  e.compare("pin0", "bucket pin at 0 (m)", kExcavatorSource, {8.4, -0.16, 1.0}, bucket_pin(model, zero),
            absolute(1e-12));
  return e;
}

}  // namespace lw::reproduce
