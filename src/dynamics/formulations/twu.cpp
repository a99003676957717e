#include "twu.hpp"

namespace lw {
namespace {

// A group: `at(k)` is the matrix at position k. From r leftward the vector is a point, with a fourth component of 1,
// until the first derivative, which is at position `derivative`; from there on the fourth component is 0.
template <class T, class At>
Vec3<T> group(std::size_t size, std::size_t derivative, Vec3<T> r, const At& at) {
  for (std::size_t k = size; k-- > 0;) {
    const Homogeneous<T>& M = at(k);
    const Vec3<T> turned = M.R * r;
    r = k >= derivative ? turned + M.p : turned;
  }
  return r;
}

// The angular velocity of a link and its derivatives by the coordinates on the path to it.
template <class T>
struct Spin {
  Vec3<T> W, W_rate;
  std::vector<Vec3<T>> by_q, by_rate, by_rate_rate;  // ∂W/∂q, ∂W/∂q̇, d/dt ∂W/∂q̇
};

template <class T>
Mat3<T> rotation_by_q(const typename Linkage<T>::Link& link, const Transform<T>& pose) {
  return Homogeneous<T>::pose(pose).derivative(link.slides()).R;
}

template <class T>
Spin<T> spin(const typename Linkage<T>::Link& link, const Transform<T>& pose, const Spin<T>& parent, const T& qd,
             const T& qdd) {
  const Mat3<T> Rt = transpose(pose.R), Rt_by_q = transpose(rotation_by_q<T>(link, pose)), Rt_rate = Rt_by_q * qd;
  const Vec3<T> axis = link.slides() ? Vec3<T>::zero() : Vec3<T>::unit(2);
  Spin<T> s;
  s.W = Rt * parent.W + axis * qd;
  s.W_rate = Rt_rate * parent.W + Rt * parent.W_rate + axis * qdd;
  for (std::size_t j = 0; j < parent.by_q.size(); ++j) {
    s.by_q.push_back(Rt * parent.by_q[j]);
    s.by_rate.push_back(Rt * parent.by_rate[j]);
    s.by_rate_rate.push_back(Rt_rate * parent.by_rate[j] + Rt * parent.by_rate_rate[j]);
  }
  s.by_q.push_back(Rt_by_q * parent.W);
  s.by_rate.push_back(axis);
  s.by_rate_rate.push_back(Vec3<T>::zero());
  return s;
}

// Those on the path to link i.
template <class T>
std::vector<detail::TwuMatrices<T>> gathered(const std::vector<detail::TwuMatrices<T>>& all,
                                             const std::vector<std::size_t>& way) {
  std::vector<detail::TwuMatrices<T>> some;
  for (const std::size_t k : way) some.push_back(all[k]);
  return some;
}

}  // namespace

namespace detail {

template <class T>
TwuMatrices<T> twu_matrices(const typename Linkage<T>::Link& link, const Transform<T>& pose, const T& qd,
                            const T& qdd) {
  const Homogeneous<T> A = Homogeneous<T>::pose(pose), first = A.derivative(link.slides()),
                       second = first.derivative(link.slides());
  return {A, first * qd, first * qdd + second * (qd * qd), first, second * qd};
}

template <class T>
Vec3<T> twu_v(TwuWay<T> way, const Vec3<T>& r) {
  Vec3<T> sum;
  for (std::size_t l = 0; l < way.size(); ++l) {
    sum += group<T>(
        way.size(), l, r, [&](std::size_t k) -> auto& { return k == l ? way[k].rate : way[k].A; });
  }
  return sum;
}

template <class T>
Vec3<T> twu_v_rate(TwuWay<T> way, const Vec3<T>& r) {
  Vec3<T> sum;
  for (std::size_t l = 0; l < way.size(); ++l) {
    for (std::size_t m = 0; m < way.size(); ++m) {
      sum += group<T>(
          way.size(), std::max(l, m), r, [&](std::size_t k) -> auto& {
            if (k != l && k != m) return way[k].A;
            return l == m ? way[k].rate_rate : way[k].rate;
          });
    }
  }
  return sum;
}

template <class T>
Vec3<T> twu_v_by_q(TwuWay<T> way, std::size_t j, const Vec3<T>& r) {
  Vec3<T> sum;
  for (std::size_t l = 0; l < way.size(); ++l) {
    sum += group<T>(
        way.size(), std::max(l, j), r, [&](std::size_t k) -> auto& {
          if (k == j) return l == j ? way[k].rate_by_q : way[k].by_q;
          return k == l ? way[k].rate : way[k].A;
        });
  }
  return sum;
}

template <class T>
Vec3<T> twu_v_by_rate(TwuWay<T> way, std::size_t j, const Vec3<T>& r) {
  return group<T>(
      way.size(), j, r, [&](std::size_t k) -> auto& { return k == j ? way[k].by_q : way[k].A; });
}

template <class T>
void twu_turning(const Linkage<T>& linkage, Poses<T> poses, In<T> qd, In<T> qdd, Out<T> tau) {
  const auto ways = joints_to(linkage);
  std::vector<Spin<T>> spins;
  for (T& t : tau) t = T(0.0);
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const auto& link = linkage.links[i];
    spins.push_back(spin<T>(link, poses[i], link.parent < 0 ? Spin<T>{} : spins[static_cast<std::size_t>(link.parent)],
                            qd[i], qdd[i]));
    const Spin<T>& s = spins.back();
    const Vec3<T> IW = link.I * s.W, IW_rate = link.I * s.W_rate;
    for (std::size_t j = 0; j < ways[i].size(); ++j) {
      tau[ways[i][j]] += dot(IW_rate, s.by_rate[j]) + dot(IW, s.by_rate_rate[j] - s.by_q[j]);
    }
  }
}

}  // namespace detail

template <class T>
void twu(const Linkage<T>& linkage, Poses<T> poses, In<T> qd, In<T> qdd, Out<T> tau) {
  const std::size_t n = poses.size();
  const auto ways = joints_to(linkage);
  std::vector<detail::TwuMatrices<T>> matrices;
  detail::twu_turning<T>(linkage, poses, qd, qdd, tau);
  for (std::size_t i = 0; i < n; ++i) {
    const auto& link = linkage.links[i];
    matrices.push_back(detail::twu_matrices<T>(link, poses[i], qd[i], qdd[i]));
    const std::vector<detail::TwuMatrices<T>> way = gathered(matrices, ways[i]);
    const Vec3<T> v = detail::twu_v<T>(way, link.com), v_rate = detail::twu_v_rate<T>(way, link.com);
    for (std::size_t j = 0; j < way.size(); ++j) {
      const Vec3<T> by_rate = detail::twu_v_by_rate<T>(way, j, link.com);
      // (4-8) and (4-6)
      const Vec3<T> by_rate_rate = detail::twu_v_by_q<T>(way, j, link.com),
                    by_q = detail::twu_v_by_q<T>(way, j, link.com);
      tau[ways[i][j]] +=
          link.mass * (dot(v_rate, by_rate) + dot(v, by_rate_rate - by_q) - dot(linkage.gravity, by_rate));
    }
  }
}

template <class T>
void twu_mass_matrix(const Linkage<T>& linkage, Poses<T> poses, Out<T> M) {
  const std::size_t n = poses.size();
  const auto ways = joints_to(linkage);
  const T still(0.0);
  std::vector<detail::TwuMatrices<T>> matrices;
  std::vector<Spin<T>> spins;
  for (T& each : M) each = T(0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const auto& link = linkage.links[i];
    matrices.push_back(detail::twu_matrices<T>(link, poses[i], still, still));
    spins.push_back(spin<T>(link, poses[i], link.parent < 0 ? Spin<T>{} : spins[static_cast<std::size_t>(link.parent)],
                            still, still));
    const std::vector<detail::TwuMatrices<T>> way = gathered(matrices, ways[i]);
    const std::vector<Vec3<T>>& W_by_rate = spins.back().by_rate;
    std::vector<Vec3<T>> v_by_rate;
    for (std::size_t j = 0; j < way.size(); ++j) v_by_rate.push_back(detail::twu_v_by_rate<T>(way, j, link.com));
    for (std::size_t a = 0; a < way.size(); ++a) {
      const Vec3<T> impulse = link.mass * v_by_rate[a], turn = link.I * W_by_rate[a];
      for (std::size_t j = 0; j < way.size(); ++j) {
        M[ways[i][a] * n + ways[i][j]] += dot(impulse, v_by_rate[j]) + dot(turn, W_by_rate[j]);
      }
    }
  }
}

#define LW_INSTANTIATE(T)                                                                                         \
  template detail::TwuMatrices<T> detail::twu_matrices<T>(const Linkage<T>::Link&, const Transform<T>&, const T&, \
                                                          const T&);                                              \
  template Vec3<T> detail::twu_v<T>(detail::TwuWay<T>, const Vec3<T>&);                                           \
  template Vec3<T> detail::twu_v_rate<T>(detail::TwuWay<T>, const Vec3<T>&);                                      \
  template Vec3<T> detail::twu_v_by_q<T>(detail::TwuWay<T>, std::size_t, const Vec3<T>&);                         \
  template Vec3<T> detail::twu_v_by_rate<T>(detail::TwuWay<T>, std::size_t, const Vec3<T>&);                      \
  template void detail::twu_turning<T>(const Linkage<T>&, Poses<T>, In<T>, In<T>, Out<T>);                        \
  template void twu<T>(const Linkage<T>&, Poses<T>, In<T>, In<T>, Out<T>);                                        \
  template void twu_mass_matrix<T>(const Linkage<T>&, Poses<T>, Out<T>);
LW_INSTANTIATE_FOR_SCALARS(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
