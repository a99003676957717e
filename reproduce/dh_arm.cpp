#include "dh_arm.hpp"

#include <fmt/format.h>

#include "dynamics/formulations/newton_euler.hpp"

namespace lw::reproduce {

Mechanism dh_mechanism(const std::vector<DhLink>& links, double gravity) {
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
  return mechanism_from_text(text);
}

Model<double> arm(const std::vector<DhLink>& links, double gravity) {
  return instantiate<double>(dh_mechanism(links, gravity));
}

Vector modified_newton_euler(const std::vector<DhLink>& links, double gravity, const Vector& q, const Vector& qd,
                             const Vector& qdd, const ListingFaults& faults) {
  namespace steps = newton_euler_steps;
  using V = Vec3<double>;
  const std::size_t count = links.size();
  const Linkage<double> chain = linkage(arm(links, gravity));
  std::vector<Transform<double>> poses = joint_poses<double>(chain, q);
  for (std::size_t i = 0; i < count && faults.stroke_behind_slide; ++i) {
    if (!links[i].slides) continue;
    poses[i].p = chain.links[i].rest.p;
    if (i + 1 < count) poses[i + 1].p += V(0, 0, q[i]);
  }

  V w, alpha, a = -chain.gravity;  // of the link before
  steps::Spin<double> spin;
  std::vector<V> f(count), n(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto& link = chain.links[i];
    const Mat3<double>& R = poses[i].R;
    const Mat3<double> Rt = transpose(R);
    a = Rt * (faults.drops_lambda1_p1 && i == 1 ? a : steps::point_acceleration(a, spin.lambda, poses[i].p));
    w = steps::angular_velocity(Rt, w, V(0, 0, link.slides() ? 0.0 : qd[i]));
    alpha = Rt * alpha;
    if (link.slides()) {
      a += steps::joint_acceleration(w, 2 * qd[i], qdd[i]);
      spin = {steps::turned_spin(R, spin).S,
              steps::turned_spin(faults.turns_slide_lambda_wrongly ? Rt : R, spin).lambda};
    } else {
      alpha += steps::joint_acceleration(w, qd[i], qdd[i]);
      spin = steps::spin(w, alpha);
    }
    f[i] = link.mass * steps::point_acceleration(a, spin.lambda, link.com);
    const V N = steps::own_moment(link.I, steps::inertia_differences(link.I), spin.S, alpha);
    n[i] = steps::moment_about_joint(N, link.com, f[i]);
  }
  Vector tau(count);
  for (std::size_t i = count; i-- > 0;) {
    tau[i] = (chain.links[i].slides() ? f[i] : n[i])[2];
    if (i == 0) break;
    const V passed = steps::passed_force(poses[i].R, f[i]);
    f[i - 1] += passed;
    n[i - 1] += steps::passed_moment(poses[i], n[i], passed);
  }
  return tau;
}

}  // namespace lw::reproduce
