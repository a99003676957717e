#include "experiments.hpp"

#include <cmath>

#include "wong.hpp"

// Wong 1991, section 3.5.2: the torso, a tree of six joints, with the inertias as printed and with those of the trunk
// and of the second arm set along the links.
namespace lw::reproduce {
namespace {

const Source kTorsoSource = recomputed("wong.py", "data of section 3.5.2");

Vector torso_torque_at(const Model<double>& model, double t) { return wong_torque(model, t, 5.0); }

// Two arms that do not feel each other, on a trunk and a head.
Vector blocks(double trunk, double head, const Vector& arm1, const Vector& arm2) {
  Vector M(36, 0.0);
  M[0] = trunk;
  M[7] = head;
  M[14] = arm1[0], M[15] = M[20] = arm1[1], M[21] = arm1[2];
  M[28] = arm2[0], M[29] = M[34] = arm2[1], M[35] = arm2[2];
  return M;
}

Vector peaks(const Model<double>& model) {
  Vector largest(6, 0.0);
  for (int k = 0; k <= 5000; ++k) {
    const Vector tau = torso_torque_at(model, 0.001 * k);
    for (std::size_t j = 0; j < 6; ++j) {
      if (std::abs(tau[j]) > std::abs(largest[j])) largest[j] = tau[j];
    }
  }
  return largest;
}

}  // namespace

Experiment wong_torso() {
  Experiment e("wong", "wong.torso", "Human torso, a tree (section 3.5.2)",
               "The trunk's printed inertia has its small moment across the trunk, and the second arm's cylinders lie "
               "across that arm. Both "
               "sets are computed: as printed (torso-wong) and set right (torso).");
  const Model<double> right = embedded("torso"), printed = embedded("torso-wong");
  const Vector zero(6, 0.0);
  const Vector arm{0.772041666667, 0.201541666667, 0.0755416666667};
  e.compare("M0", "M(0), inertias set right (kg·m²)", kTorsoSource, {blocks(0.6283, 0.1008, arm, arm), 6},
            {mass_matrix(right, zero), 6}, relative(1e-9));
  e.compare("M0-printed", "M(0), inertias as printed (kg·m²)", kTorsoSource,
            {blocks(2.99655, 0.1008, arm, {0.777, 0.2065, 0.0805}), 6}, {mass_matrix(printed, zero), 6},
            relative(1e-9));
  e.compare("M", "M(q*), inertias set right (kg·m²)", kTorsoSource,
            {blocks(1.42153082614, 0.1008, {0.752149037155, 0.191595351911, 0.0755416666667},
                    {0.728026241624, 0.179533954145, 0.0755416666667}),
             6},
            {mass_matrix(right, kWongQ), 6}, relative(1e-9),
            "Trunk, head and arms turn about axes that do not couple.");
  e.compare("bias", "f_v(q*, q̇*), inertias set right (N·m)", kTorsoSource,
            {0.401935021587, -1.17441454278, 5.03418445306, 1.74248161324, 7.85504961647, 2.42335270982},
            bias(right, kWongQ, kWongQd), relative(1e-9));
  e.compare("bias-printed", "f_v(q*, q̇*), inertias as printed (N·m)", kTorsoSource,
            {0.386846155926, -1.17441454278, 5.03418445306, 1.74248161324, 7.87473291371, 2.42925271233},
            bias(printed, kWongQ, kWongQd), relative(1e-9));
  e.compare("forward", "θ̈ without torque from (q*, q̇*), inertias set right (rad/s²)", kTorsoSource,
            {-0.282748016572, 11.6509379244, -2.30928582294, -17.2094850524, -6.9544155222, -15.5516689556},
            forward(right, kWongQ, kWongQd, zero), relative(1e-9));
  const Vector middle{-2.12235973, -5.886, 11.34228129, 0.464266191, 11.34228129, 0.464266191};
  e.compare("torque", "τ on the trajectory, t = 2.5 s, T = 5 s, inertias set right (N·m)", kTorsoSource, middle,
            torso_torque_at(right, 2.5), absolute(5e-9), "Given with eight decimals.");
  e.compare("torque-printed", "the same, inertias as printed (N·m)", kTorsoSource, middle,
            torso_torque_at(printed, 2.5), absolute(5e-9), "Given with eight decimals.");
  e.compare("peaks", "largest torque of each joint, inertias set right (N·m)", kTorsoSource,
            {3.48265, -5.8861, 12.3005, 2.99589, 12.3005, 2.99589}, peaks(right), absolute(6e-5),
            "Given with six digits; over t = 0, 0.001, …, 5 s.");
  return e;
}

}  // namespace lw::reproduce
