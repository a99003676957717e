#include "experiments.hpp"

#include <cmath>

#include <Eigen/Core>

#include "base/largest.hpp"
#include "base/linear.hpp"
#include "base/worse.hpp"
#include "helmy_motion.hpp"

// Helmy 1994, sections 4.4 to 4.6: velocities, accelerations and the natural orthogonal complement of the planar 3-RRR.
namespace lw::reproduce {
namespace {

const Source kComplementCalculation = recomputed("helmy.py", "with the data that reproduce appendix D");

Vector platform_and_rods(HelmyMotion& motion, double t) {
  motion.go(t);
  Vector angles;  // absolute, of all links in the plane: sums along the tree
  const auto q = [&](std::size_t k) { return motion.tree_q[k]; };
  for (std::size_t k = 0; k < 3; ++k) angles.push_back(q(k));
  for (std::size_t k = 0; k < 3; ++k) angles.push_back(q(k) + q(3 + k));
  angles.push_back(q(0) + q(3) + q(6));
  return angles;
}

void by_differences(Experiment& e) {
  double velocity = 0.0, acceleration = 0.0;
  for (const double at : {0.75, 1.5, 2.2}) {
    HelmyMotion motion;
    for (double t = 0.0; t < at; t += 0.02) motion.go(t);
    motion.go(at);
    const Vector w = motion.angular_velocities(), a = motion.angular_accelerations();
    constexpr double h = 1e-3;
    const Vector m2 = platform_and_rods(motion, at - 2 * h), m1 = platform_and_rods(motion, at - h);
    Vector rates_before = motion.angular_velocities();
    const Vector p1 = platform_and_rods(motion, at + h);
    const Vector rates_behind = motion.angular_velocities(), p2 = platform_and_rods(motion, at + 2 * h),
                 rates_p2 = motion.angular_velocities();
    platform_and_rods(motion, at - 2 * h);
    const Vector rates_m2 = motion.angular_velocities();
    for (std::size_t k = 0; k < 7; ++k) {
      velocity = std::max(velocity, std::abs((8.0 * (p1[k] - m1[k]) - (p2[k] - m2[k])) / (12.0 * h) - w[k]));
      acceleration = std::max(
          acceleration,
          std::abs((8.0 * (rates_behind[k] - rates_before[k]) - (rates_p2[k] - rates_m2[k])) / (12.0 * h) - a[k]));
    }
  }
  e.compare("velocity.differences", "angular velocities of the seven links against differences of their angles (rad/s)",
            property("velocities are derivatives"), 0.0, velocity, absolute(1e-9), "At t = 0.75, 1.5 and 2.2 s.");
  e.compare("acceleration.differences", "angular accelerations against differences of the velocities (rad/s²)",
            property("accelerations are derivatives"), 0.0, acceleration, absolute(1e-6),
            "At t = 0.75, 1.5 and 2.2 s.");
}

void values(Experiment& e) {
  HelmyMotion motion;
  const Vector start = motion.mass_matrix();
  const Eigen::MatrixXd T = motion.complement();
  Vector rows;
  for (int r = 9; r < 21; ++r) {
    for (int c = 0; c < 3; ++c) rows.push_back(T(r, c));
  }
  e.compare("T", "rows of T at t = 0 of rods and platform: ω, ċx, ċy", kComplementCalculation,
            {{0.028684,  -0.316557, 0.507822,  -0.404823, 0.053224, -0.085382, 0.007127,  -0.078651, 0.126172,
              0.472768,  -0.41056,  -0.090632, -0.107953, 0.093748, 0.020695,  -0.091989, -0.320115, 0.017635,
              -0.272772, 0.422955,  0.238368,  -0.070551, 0.109395, 0.061653,  0.04146,   -0.064288, 0.363769,
              0.692959,  0.289893,  0.758826,  -0.255551, 0.170912, -0.002023, -0.028935, -0.175369, 0.205051},
             3},
            {rows, 3}, absolute(6e-7));
  // rates of the joints: rods against cranks, platform against rods
  Vector R;
  for (int i = 0; i < 3; ++i) {
    for (int c = 0; c < 3; ++c) R.push_back(T(9 + 3 * i, c) - T(3 * i, c));
  }
  for (int i = 0; i < 3; ++i) {
    for (int c = 0; c < 3; ++c) R.push_back(T(18, c) - T(9 + 3 * i, c));
  }
  e.compare("R", "rows of R at t = 0 of the six passive joints", kComplementCalculation,
            {{-0.971316, -0.316557, 0.507822, 0.472768, -1.41056, -0.090632, -0.272772, 0.422955, -0.761632, 0.664275,
              0.606449, 0.251004, 0.220191, 0.700453, 0.849458, 0.965731, -0.133062, 0.520458},
             3},
            {R, 3}, absolute(6e-7));
  const Source inertia = kComplementCalculation;
  const auto upper = [](const Vector& H) { return Vector{H[0], H[1], H[2], H[4], H[5], H[8]}; };
  e.compare("H.start", "generalised inertia at t = 0, upper half (kg·m²)", inertia,
            {1.527208, -0.383287, 0.157794, 1.245831, -0.414454, 1.222503}, upper(start), absolute(6e-7));
  for (int i = 1; i <= 75; ++i) motion.go(0.01 * i);
  e.compare("omega.0.75", "angular velocities of the links at t = 0.75 s (rad/s)", kComplementCalculation,
            {0.174533, 0.349066, -0.698132, -0.466227, 0.06567, -0.006659, -0.286129}, motion.angular_velocities(),
            absolute(6e-7));
  e.compare("alpha.0.75", "angular accelerations at t = 0.75 s (rad/s²)", kComplementCalculation,
            {0.365541, 0.731082, -1.462164, -0.984292, 0.37616, 0.218327, -0.479612}, motion.angular_accelerations(),
            absolute(6e-7));
  for (int i = 76; i <= 150; ++i) motion.go(0.01 * i);
  e.compare("omega.1.5", "angular velocities at t = 1.5 s (rad/s)", kComplementCalculation,
            {0.349066, 0.698132, -1.396263, -0.677271, 0.654466, 0.828779, 0.369738}, motion.angular_velocities(),
            absolute(6e-7));
  e.compare("alpha.1.5", "angular accelerations at t = 1.5 s (rad/s²)", kComplementCalculation,
            {0, 0, 0, 1.133899, 0.153105, 1.725914, 2.365852}, motion.angular_accelerations(), absolute(6e-7));
  e.compare("H.middle", "generalised inertia at t = 1.5 s, upper half (kg·m²)", inertia,
            {1.394246, 0.095899, -0.400454, 1.615553, -0.244377, 1.220743}, upper(motion.mass_matrix()),
            absolute(6e-7));
  for (int i = 151; i <= 300; ++i) motion.go(0.01 * i);
  e.compare("H.end", "generalised inertia at t = 3 s, upper half (kg·m²)", inertia,
            {2.352616, -0.604219, 1.966669, 1.447732, -0.553573, 3.595159}, upper(motion.mass_matrix()),
            absolute(6e-7));
}

void orthogonality(Experiment& e) {
  HelmyMotion motion;
  int least_rank = 18;
  double product = 0.0, projection = 0.0, inertia = 0.0, smallest = HUGE_VAL;
  for (int i = 0; i <= 300; i += 5) {
    motion.go(0.01 * i);
    const Eigen::MatrixXd T = motion.complement(), other = motion.complement(true), Omega = motion.twist_constraints();
    least_rank = std::min(least_rank, rank(Omega, 1e-9));
    product = worse(product, largest(Omega * T));
    projection = worse(projection, largest(T - other));
    // TᵀMT by the links' own inertias
    Eigen::VectorXd M(21);
    for (int k = 0; k < 7; ++k) {
      const double mass = k < 3 ? 3.0 : k < 6 ? 4.0 : 8.0, moment = k < 3 ? 0.04 : k < 6 ? 0.12 : 0.0817;
      M.segment(3 * k, 3) << moment, mass, mass;
    }
    const Eigen::MatrixXd H = T.transpose() * M.asDiagonal() * T;
    const Vector ours = motion.mass_matrix();
    inertia = worse(inertia, largest(H - Eigen::Map<const Eigen::MatrixXd>(ours.data(), 3, 3)));
    smallest = std::min(smallest, symmetric_eigenvalues(H)[0]);
  }
  e.compare("rank", "rank of the twist constraints Ω (18 × 21), least on the way", kComplementCalculation, 18.0,
            least_rank, absolute(0.0));
  e.compare("orthogonal", "largest entry of Ω T on the way",
            property("T is orthogonal to the constraints (section 4.6)"), 0.0, product, absolute(1e-13));
  e.compare("two-constructions", "T by unit velocities against K_a − K_u J_u⁻¹ J_a, largest difference on the way",
            property("both constructions give T (section 4.6)"), 0.0, projection, absolute(1e-13));
  e.compare("inertia", "TᵀMT of the links' masses against RᵀMR of the tree (kg·m²), largest difference on the way",
            property("one generalised inertia"), 0.0, inertia, absolute(1e-13));
  e.compare("definite", "the generalised inertia is positive definite on the way (1: yes)",
            property("Cholesky's factorisation never fails"), 1.0, smallest > 0.0 ? 1.0 : 0.0, absolute(0.0));
}

}  // namespace

Experiment helmy_complement() {
  Experiment e("helmy", "helmy.complement",
               "Velocities, accelerations and the natural orthogonal complement (sections 4.4 to 4.6)",
               "The twists of seven links under nine joints: T by unit velocities of the cranks and by projection, "
               "orthogonal to 18 constraints; and "
               "the velocities and accelerations that it gives, against differences.");
  values(e);
  orthogonality(e);
  by_differences(e);
  return e;
}

}  // namespace lw::reproduce
