#include "support/random_mechanism.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <numbers>
#include <string>

namespace lw {
namespace {

constexpr double kPi = std::numbers::pi;

Formula3 random_vector(Random& random, double size) {
  return {random.between(-size, size), random.between(-size, size), random.between(-size, size)};
}

// not too short to have a direction
Formula3 random_axis(Random& random) {
  while (true) {
    const Eigen::Vector3d a{random.between(-1.0, 1.0), random.between(-1.0, 1.0),
                            random.between(-1.0, 1.0)};  // braces: in this order
    if (a.norm() > 0.1) return {a[0], a[1], a[2]};
  }
}

Eigen::Matrix3d random_rotation_matrix(Random& random) {
  const Formula3 a = random_axis(random);
  const Eigen::Vector3d axis(a[0].value.constant(), a[1].value.constant(), a[2].value.constant());
  return Eigen::AngleAxisd(random.between(-kPi, kPi), axis.normalized()).toRotationMatrix();
}

Rotation random_rotation(Random& random) {
  switch (random.below(5)) {
    case 0: return {};
    case 1:  // right angles: exact zeros and ones
      return {Rotation::Kind::rpy, {random.below(4) * kPi / 2, random.below(4) * kPi / 2, random.below(4) * kPi / 2}};
    case 2: {
      const double scale = random.between(0.5, 2.0);
      const Eigen::Quaterniond r(random_rotation_matrix(random));
      return {Rotation::Kind::quaternion, {scale * r.x(), scale * r.y(), scale * r.z(), scale * r.w()}};
    }
    case 3: {
      const Eigen::Matrix3d R = random_rotation_matrix(random);
      Rotation out{Rotation::Kind::matrix, {}};
      for (int k = 0; k < 9; ++k) out.values.emplace_back(R(k / 3, k % 3));
      return out;
    }
    default:
      return {Rotation::Kind::rpy, {random.between(-kPi, kPi), random.between(-kPi, kPi), random.between(-kPi, kPi)}};
  }
}

// A body of second moments ∫ x² dm, ∫ y² dm, ∫ z² dm along random axes through its centre of mass.
Inertia random_inertia(Random& random) {
  Inertia out;
  const double mass = random.between(0.2, 8.0);
  out.mass = mass;
  const Eigen::Vector3d com{random.between(-0.2, 0.2), random.between(-0.2, 0.2), random.between(-0.2, 0.2)};
  out.com = {com[0], com[1], com[2]};
  Eigen::Vector3d second;
  for (double& x : second) {
    const double radius = random.between(0.03, 0.3);
    x = mass * radius * radius;
  }
  const Eigen::Matrix3d R = random_rotation_matrix(random);
  Eigen::Matrix3d I = R * (Eigen::Vector3d::Constant(second.sum()) - second).asDiagonal() * R.transpose();
  if (random.chance(0.2)) {
    out.about_origin = true;
    I += mass * (com.squaredNorm() * Eigen::Matrix3d::Identity() - com * com.transpose());
  } else if (random.chance(0.3)) {
    out.rotation = random_rotation(random);
  }
  out.tensor = {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)};
  return out;
}

Joint random_joint(Random& random, JointType type, const RandomMechanismOptions& options) {
  Joint j;
  j.type = type;
  j.axis = random.chance(0.3) ? Formula3{0.0, 0.0, 1.0} : random_axis(random);
  if (type == JointType::universal) {
    const auto value = [](const Formula3& f) {
      return Eigen::Vector3d(f[0].value.constant(), f[1].value.constant(), f[2].value.constant());
    };
    do {
      j.axis2 = random_axis(random);
    } while (value(j.axis).normalized().cross(value(j.axis2).normalized()).norm() < 0.3);
  }
  const bool one = type == JointType::revolute || type == JointType::prismatic;
  if (one && random.chance(options.dh)) {
    j.dh = DenavitHartenberg{random.chance(0.5),        random.between(-kPi, kPi), random.between(-0.5, 0.5),
                             random.between(-kPi, kPi), random.between(-0.5, 0.5), {}};
  } else {
    j.origin = {random_vector(random, 0.5), random_rotation(random), {}};
  }
  if (one && options.drives && random.chance(0.5)) {
    j.drive.emplace();
    j.drive->ratio = random.between(-100.0, 100.0);
    j.drive->rotor_inertia = random.between(1e-5, 1e-3);
  }
  if (one && options.springs && random.chance(0.5)) {
    j.spring = {random.between(0.0, 100.0), random.between(-1.0, 1.0), {}};
  }
  return j;
}

}  // namespace

Mechanism random_mechanism(std::uint64_t seed, const RandomMechanismOptions& options) {
  Random random(seed);
  Mechanism m;
  m.name = "random-" + std::to_string(seed);
  const Formula3 up = random_axis(random);
  for (std::size_t k = 0; k < 3; ++k) m.gravity[k] = 9.81 * up[k].value.constant();

  std::vector<std::string> names{m.base};
  const auto add = [&](JointType type) {
    Link link;
    link.name = (type == JointType::fixed ? "plate" : "link") + std::to_string(names.size());
    link.parent = random.chance(options.branching)
                      ? names[static_cast<std::size_t>(random.below(static_cast<int>(names.size())))]
                      : names.back();
    link.joint = random_joint(random, type, options);
    link.joint.name = "joint" + std::to_string(names.size());
    if (type != JointType::fixed || random.chance(0.7)) link.inertia = random_inertia(random);
    names.push_back(link.name);
    m.links.push_back(std::move(link));
  };
  for (int k = 0; k < options.joints; ++k) {
    if (random.chance(options.fixed)) add(JointType::fixed);
    add(options.types[static_cast<std::size_t>(random.below(static_cast<int>(options.types.size())))]);
    if (random.chance(options.payload)) m.payloads.push_back({names.back(), random_inertia(random), {}});
  }
  if (random.chance(options.fixed)) add(JointType::fixed);

  if (options.mimic > 0.0) {
    std::string leader;
    for (Link& link : m.links) {
      if (velocities(link.joint.type) != 1) continue;
      if (!leader.empty() && random.chance(options.mimic)) {
        link.joint.mimic = Mimic{leader, random.between(-2.0, 2.0), random.between(-1.0, 1.0), {}};
      } else {
        leader = link.joint.name;
      }
    }
  }

  if (options.shuffle) {
    for (std::size_t k = m.links.size(); k > 1; --k) {
      std::swap(m.links[k - 1], m.links[static_cast<std::size_t>(random.below(static_cast<int>(k)))]);
    }
  }
  return m;
}

Mechanism special_mechanism(std::uint64_t seed, const RandomMechanismOptions& options) {
  Mechanism m = random_mechanism(seed, options);
  Random random(seed + 1000000);
  const auto along = [&](double size) {
    Formula3 v{0.0, 0.0, 0.0};
    v[static_cast<std::size_t>(random.below(3))] = random.chance(0.5) ? size : -size;
    return v;
  };
  const auto quarter = [&] { return random.below(4) * std::numbers::pi / 2; };
  const auto offset = [&] { return random.chance(0.7) ? 0.0 : random.between(-0.5, 0.5); };
  switch (random.below(4)) {
    case 0: m.gravity = {0.0, 0.0, 0.0}; break;
    case 1: break;
    default: m.gravity = along(9.81);
  }
  const bool flat = random.chance(0.3);  // all axes alike
  for (Link& link : m.links) {
    Joint& j = link.joint;
    if (j.dh) {
      j.dh->alpha = flat ? 0.0 : quarter();
      j.dh->theta = quarter();
      j.dh->a = offset();
      j.dh->d = offset();
      continue;
    }
    const Formula3 axis = flat ? Formula3{0.0, 0.0, 1.0} : along(1.0);
    j.origin.rotation = {Rotation::Kind::rpy, {flat ? 0.0 : quarter(), flat ? 0.0 : quarter(), quarter()}};
    for (Formula& x : j.origin.xyz) x = offset();
    j.axis = axis;
    if (j.type == JointType::universal) j.axis2 = {axis[2], axis[0], axis[1]};
  }
  return m;
}

}  // namespace lw
