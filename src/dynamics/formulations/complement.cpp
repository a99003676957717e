#include "complement.hpp"

namespace lw {
namespace {

// Vector from the centre of mass of a link's parent to the link's hinge.
template <class T>
Vec3<T> reach(const Linkage<T>& linkage, Poses<T> poses, std::size_t i) {
  return poses[i].p - linkage.links[static_cast<std::size_t>(linkage.links[i].parent)].com;
}

// The joint's own angular and linear rate, in the link's axes.
template <class T>
Motion<T> own_rate(const typename Linkage<T>::Link& link, In<T> rates) {
  const auto k = static_cast<std::size_t>(link.v);
  const Vec3<T> none;
  switch (link.kind) {
    case JointKind::revolute: return {Vec3<T>::unit(2) * rates[k], none};
    case JointKind::prismatic: return {none, Vec3<T>::unit(2) * rates[k]};
    case JointKind::spherical: return {{rates[k], rates[k + 1], rates[k + 2]}, none};
    case JointKind::floating:
      return {{rates[k], rates[k + 1], rates[k + 2]}, {rates[k + 3], rates[k + 4], rates[k + 5]}};
  }
  return {};
}

// [ω̇] + [ω]²
template <class T>
Mat3<T> acceleration_matrix(const Vec3<T>& w, const Vec3<T>& wd) {
  const T xx = w[0] * w[0], yy = w[1] * w[1], zz = w[2] * w[2];
  const T xy = w[0] * w[1], xz = w[0] * w[2], yz = w[1] * w[2];
  return {
      {-(yy + zz), xy + wd[2], xz - wd[1]}, {xy - wd[2], -(xx + zz), yz + wd[0]}, {xz + wd[1], yz - wd[0], -(xx + yy)}};
}

}  // namespace

template <class T>
Complement<T> orthogonal_complement(const Linkage<T>& linkage, Poses<T> poses) {
  const std::size_t n = linkage.links.size();
  Complement<T> all(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto& link = linkage.links[i];
    const Vec3<T> k = -link.com;
    std::vector<ComplementColumn<T>>& columns = all[i];
    if (link.parent >= 0) {
      const Mat3<T> A = transpose(poses[i].R);
      const Vec3<T> l = reach(linkage, poses, i);
      columns = all[static_cast<std::size_t>(link.parent)];
      int joint = -1;
      Vec3<T> rho;  // one for all rotational columns of a joint
      for (auto& column : columns) {
        column.axis = A * column.axis;
        if (!column.turns) continue;
        if (column.joint != joint) rho = A * (column.rho - l) + k;
        joint = column.joint;
        column.rho = rho;
      }
    }
    for (int v = 0; v < link.velocities(); ++v) {
      const bool one = link.velocities() == 1;
      columns.push_back({.velocity = link.v + v,
                         .joint = static_cast<int>(i),
                         .turns = !link.slides() && v < 3,
                         .axis = Vec3<T>::unit(one ? 2 : v % 3),
                         .rho = k,
                         .c = {},
                         .r = {}});
    }
    for (auto& column : columns) {
      column.c = column.turns ? column.axis : Vec3<T>::zero();
      column.r = column.turns ? cross(column.rho, column.axis) : column.axis;
    }
  }
  return all;
}

template <class T>
MomentumRates<T> momentum_rates(const Linkage<T>& linkage, Poses<T> poses, In<T> qd, In<T> qdd) {
  const std::size_t n = linkage.links.size();
  std::vector<Vec3<T>> w(n), wd(n), pdd(n);
  std::vector<Mat3<T>> W(n);
  MomentumRates<T> rates;
  for (std::size_t i = 0; i < n; ++i) {
    const auto& link = linkage.links[i];
    const Mat3<T> A = transpose(poses[i].R);
    const Motion<T> rate = own_rate<T>(link, qd), change = own_rate<T>(link, qdd);
    Vec3<T> w_p, wd_p, a = -linkage.gravity;
    if (link.parent >= 0) {
      const auto p = static_cast<std::size_t>(link.parent);
      w_p = A * w[p];
      wd_p = A * wd[p];
      a = pdd[p] + W[p] * reach(linkage, poses, i);
    }
    w[i] = w_p + rate.ang;
    wd[i] = wd_p + (cross(w[i], rate.ang) + change.ang);
    W[i] = acceleration_matrix(w[i], wd[i]);
    const Vec3<T> hinge = A * a + (change.lin + cross(w_p, rate.lin) + cross(w[i], rate.lin));
    pdd[i] = hinge + W[i] * link.com;
    rates.linear.push_back(link.mass * pdd[i]);
    rates.angular.push_back(link.I * wd[i] + cross(w[i], link.I * w[i]));
  }
  return rates;
}

template <class T>
std::vector<Force<T>> hinge_wrenches(const Linkage<T>& linkage, Poses<T> poses, const MomentumRates<T>& rates) {
  std::vector<Force<T>> wrenches;
  for (std::size_t i = 0; i < linkage.links.size(); ++i) {
    wrenches.push_back({rates.angular[i] + cross(linkage.links[i].com, rates.linear[i]), rates.linear[i]});
  }
  for (std::size_t i = linkage.links.size(); i-- > 0;) {
    const int parent = linkage.links[i].parent;
    if (parent >= 0) wrenches[static_cast<std::size_t>(parent)] += poses[i].to_parent(wrenches[i]);
  }
  return wrenches;
}

#define LW_INSTANTIATE(T)                                                                 \
  template Complement<T> orthogonal_complement<T>(const Linkage<T>&, Poses<T>);           \
  template MomentumRates<T> momentum_rates<T>(const Linkage<T>&, Poses<T>, In<T>, In<T>); \
  template std::vector<Force<T>> hinge_wrenches<T>(const Linkage<T>&, Poses<T>, const MomentumRates<T>&);
LW_INSTANTIATE_FOR_SCALARS(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
