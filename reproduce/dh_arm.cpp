#include "dh_arm.hpp"

#include <cmath>

#include <fmt/format.h>

namespace lw::reproduce {

using V = Eigen::Vector3d;
using M3 = Eigen::Matrix3d;

Model<double> arm(const std::vector<DhLink>& links, double gravity) {
  std::string text = fmt::format("linkwright: 1\nname: arm\ngravity: [0, 0, {}]\nlinks:\n", -gravity);
  for (std::size_t i = 0; i < links.size(); ++i) {
    const DhLink& l = links[i];
    text += fmt::format("  - name: link{}\n    parent: {}\n", i + 1, i == 0 ? "base" : fmt::format("link{}", i));
    text += fmt::format("    joint: {{type: {}, dh: {{alpha: {} deg, a: {}, theta: 0, d: {}}}}}\n",
                        l.slides ? "prismatic" : "revolute", l.alpha_degrees, l.a, l.d);
    text += fmt::format("    inertia: {{mass: {}, com: [{}, {}, {}], tensor: [{}, {}, {}]}}\n", l.mass, l.com[0],
                        l.com[1], l.com[2], l.inertia[0], l.inertia[1], l.inertia[2]);
    if (l.rotor > 0.0) text += fmt::format("    drive: {{ratio: 1, rotor_inertia: {}}}\n", l.rotor);
  }
  return from_text(text);
}

namespace {

M3 lambda_of(const V& w, const V& alpha) {
  const auto cross = [](const V& v) {
    M3 m;
    m << 0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0;
    return m;
  };
  return cross(alpha) + cross(w) * cross(w);
}

}  // namespace

Vector modified_newton_euler(const std::vector<DhLink>& links, double gravity, const Vector& q, const Vector& qd,
                             const Vector& qdd, const ListingFaults& faults) {
  const std::size_t n = links.size();
  std::vector<M3> R(n + 1, M3::Identity()), lambda(n + 1, M3::Zero());
  std::vector<V> p(n + 1, V::Zero()), w(n + 1, V::Zero()), alpha(n + 1, V::Zero()), a(n + 1, V::Zero()), F(n + 1),
      N(n + 1);
  const V z = V::UnitZ();
  a[0] = gravity * z;

  // p[i]: origin of frame i+1 in frame i
  for (std::size_t i = 1; i <= n; ++i) {
    const DhLink& l = links[i - 1];
    const double turn = l.alpha_degrees * 3.14159265358979323846 / 180.0;
    const double c = std::round(std::cos(turn)), s = std::round(std::sin(turn));  // all twists are 0 or ±90°
    const double theta = l.slides ? 0.0 : q[i - 1], ct = std::cos(theta), st = std::sin(theta);
    R[i] << ct, -st, 0, st * c, ct * c, -s, st * s, ct * s, c;
    const double d = l.d + (l.slides && !faults.stroke_behind_slide ? q[i - 1] : 0.0);
    p[i - 1] += V(l.a, -d * s, d * c);
    if (l.slides && faults.stroke_behind_slide) p[i] += V(0, 0, q[i - 1]);
  }
  for (std::size_t i = 1; i <= n; ++i) {
    const DhLink& l = links[i - 1];
    const M3 T = R[i].transpose();
    const M3 previous = faults.drops_lambda1_p1 && i == 2 ? M3::Zero() : lambda[i - 1];
    const V carried = T * w[i - 1];
    a[i] = T * (a[i - 1] + previous * p[i - 1]);
    if (l.slides) {
      w[i] = carried;
      alpha[i] = T * alpha[i - 1];
      a[i] += z * qdd[i - 1] + 2.0 * carried.cross(z * qd[i - 1]);
      lambda[i] = faults.turns_slide_lambda_wrongly ? M3(R[i] * lambda[i - 1] * T) : M3(T * lambda[i - 1] * R[i]);
    } else {
      w[i] = carried + z * qd[i - 1];
      alpha[i] = T * alpha[i - 1] + z * qdd[i - 1] + carried.cross(z * qd[i - 1]);
      lambda[i] = lambda_of(w[i], alpha[i]);
    }
    F[i] = l.mass * (a[i] + lambda[i] * l.com);
    const V Iw = l.inertia.cwiseProduct(w[i]);
    N[i] = l.inertia.cwiseProduct(alpha[i]) + w[i].cross(Iw);
  }
  Vector tau(n);
  V f = V::Zero(), moment = V::Zero();  // of the next link, in its frame
  for (std::size_t i = n; i >= 1; --i) {
    const DhLink& l = links[i - 1];
    const V f_next = i < n ? V(R[i + 1] * f) : V(V::Zero()), n_next = i < n ? V(R[i + 1] * moment) : V(V::Zero());
    f = F[i] + f_next;
    moment = n_next + N[i] + l.com.cross(F[i]) + p[i].cross(f_next);
    tau[i - 1] = (l.slides ? f[2] : moment[2]) + l.rotor * qdd[i - 1];
  }
  return tau;
}

}  // namespace lw::reproduce
