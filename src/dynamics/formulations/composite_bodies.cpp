#include "composite_bodies.hpp"

#include "noc.hpp"

namespace lw {
namespace {

// The unit motions of a link's joint at its hinge, in the link's axes.
template <class T>
std::vector<Motion<T>> directions(const typename Linkage<T>::Link& link) {
  const Vec3<T> none;
  if (link.kind == JointKind::revolute) return {{Vec3<T>::unit(2), none}};
  if (link.kind == JointKind::prismatic) return {{none, Vec3<T>::unit(2)}};
  std::vector<Motion<T>> all;
  for (int k = 0; k < 3; ++k) all.push_back({Vec3<T>::unit(k), none});
  if (link.kind == JointKind::floating) {
    for (int k = 0; k < 3; ++k) all.push_back({none, Vec3<T>::unit(k)});
  }
  return all;
}

// The symmetric matrix whose lower half is entry(i, j).
template <class T, class Entry>
Mat3<T> symmetric(const Entry& entry) {
  Mat3<T> out;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j <= i; ++j) {
      out(i, j) = entry(i, j);
      out(j, i) = out(i, j);
    }
  }
  return out;
}

// R J Rᵀ
template <class T>
Mat3<T> turned(const Mat3<T>& R, const Mat3<T>& J) {
  const Mat3<T> B = R * J;
  return symmetric<T>([&](int i, int j) { return B(i, 0) * R(j, 0) + B(i, 1) * R(j, 1) + B(i, 2) * R(j, 2); });
}

template <class T>
struct CompositeLinks {
  T mass;
  Vec3<T> centre;  // from the link's origin
  Mat3<T> I;       // about the centre
};

// Rigidly joined: I = I_a + I_b + μ (d·d 1 − d dᵀ), d from centre to centre, μ = m_a m_b / (m_a + m_b). If neither has
// mass, the centre is that of the first.
template <class T>
CompositeLinks<T> joined(const CompositeLinks<T>& a, const CompositeLinks<T>& b) {
  const T mass = a.mass + b.mass, massive = less(T(0.0), mass);
  const T share = select(massive, b.mass / select(massive, mass, T(1.0)), T(0.0));
  const Vec3<T> d = b.centre - a.centre, moment = (a.mass * share) * d;
  const T square[3] = {moment[0] * d[0], moment[1] * d[1], moment[2] * d[2]};
  return {mass, a.centre + d * share, symmetric<T>([&](int i, int j) {
            const T apart = i == j ? square[(i + 1) % 3] + square[(i + 2) % 3] : -(moment[i] * d[j]);
            return a.I(i, j) + b.I(i, j) + apart;
          })};
}

// τ = M q̈ + h
template <class T>
void inverse_with(void (*mass_matrix)(const Linkage<T>&, Poses<T>, Out<T>), const Linkage<T>& linkage, Poses<T> poses,
                  In<T> qd, In<T> qdd, Out<T> tau) {
  const auto n = static_cast<std::size_t>(linkage.nv);
  const std::vector<T> still(n, T(0.0));
  std::vector<T> M(n * n);
  mass_matrix(linkage, poses, M);
  natural_orthogonal_complement<T>(linkage, poses, qd, still, tau);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < n; ++i) tau[i] += M[j * n + i] * qdd[j];
  }
}

}  // namespace

template <class T>
void walker_orin_mass_matrix(const Linkage<T>& linkage, Poses<T> poses, Out<T> M) {
  const std::size_t links = linkage.links.size();
  const auto n = static_cast<std::size_t>(linkage.nv);
  std::vector<CompositeLinks<T>> bodies;
  for (const auto& link : linkage.links) bodies.push_back({link.mass, link.com, link.I});
  for (T& each : M) each = T(0.0);
  for (std::size_t j = links; j-- > 0;) {
    const auto& link = linkage.links[j];
    const CompositeLinks<T>& body = bodies[j];
    if (link.parent >= 0) {
      CompositeLinks<T>& carrier = bodies[static_cast<std::size_t>(link.parent)];
      carrier = joined(carrier, {body.mass, poses[j].R * body.centre + poses[j].p, turned(poses[j].R, body.I)});
    }
    const auto own = directions<T>(link);
    for (std::size_t k = 0; k < own.size(); ++k) {
      const std::size_t column = static_cast<std::size_t>(link.v) + k;
      const Vec3<T> F = body.mass * (cross(own[k].ang, body.centre) + own[k].lin);
      Force<T> wrench{body.I * own[k].ang + cross(body.centre, F), F};
      for (auto i = static_cast<int>(j);;) {
        const auto& at = linkage.links[static_cast<std::size_t>(i)];
        const auto felt = directions<T>(at);
        for (std::size_t a = 0; a < felt.size(); ++a) {
          const std::size_t row = static_cast<std::size_t>(at.v) + a;
          M[column * n + row] = dot(felt[a], wrench);
          M[row * n + column] = M[column * n + row];
        }
        if (at.parent < 0) break;
        wrench = poses[static_cast<std::size_t>(i)].to_parent(wrench);
        i = at.parent;
      }
    }
  }
}

template <class T>
void bae_hwang_haug_mass_matrix(const Linkage<T>& linkage, Poses<T> poses, Out<T> M) {
  const std::size_t links = linkage.links.size();
  const auto n = static_cast<std::size_t>(linkage.nv);
  std::vector<Transform<T>> in_base;
  std::vector<RigidInertia<T>> K;
  std::vector<std::vector<Motion<T>>> B(links);
  for (std::size_t i = 0; i < links; ++i) {
    const auto& link = linkage.links[i];
    in_base.push_back(link.parent < 0 ? poses[i] : in_base[static_cast<std::size_t>(link.parent)] * poses[i]);
    const Transform<T>& X = in_base[i];
    K.push_back(RigidInertia<T>::about_com(link.mass, X.R * link.com + X.p, turned(X.R, link.I)));
    for (const Motion<T>& own : directions<T>(link)) {
      const Vec3<T> turning = X.R * own.ang;
      B[i].push_back({turning, cross(X.p, turning) + X.R * own.lin});
    }
  }
  for (T& each : M) each = T(0.0);
  for (std::size_t j = links; j-- > 0;) {
    const auto& link = linkage.links[j];
    if (link.parent >= 0) K[static_cast<std::size_t>(link.parent)] += K[j];
    for (std::size_t b = 0; b < B[j].size(); ++b) {
      const std::size_t column = static_cast<std::size_t>(link.v) + b;
      const Force<T> momentum = K[j] * B[j][b];
      for (auto i = static_cast<int>(j); i >= 0; i = linkage.links[static_cast<std::size_t>(i)].parent) {
        const auto& inner = B[static_cast<std::size_t>(i)];
        for (std::size_t a = 0; a < inner.size(); ++a) {
          const std::size_t row = static_cast<std::size_t>(linkage.links[static_cast<std::size_t>(i)].v) + a;
          M[column * n + row] = dot(inner[a], momentum);
          M[row * n + column] = M[column * n + row];
        }
      }
    }
  }
}

template <class T>
void walker_orin(const Linkage<T>& linkage, Poses<T> poses, In<T> qd, In<T> qdd, Out<T> tau) {
  inverse_with<T>(walker_orin_mass_matrix<T>, linkage, poses, qd, qdd, tau);
}
template <class T>
void bae_hwang_haug(const Linkage<T>& linkage, Poses<T> poses, In<T> qd, In<T> qdd, Out<T> tau) {
  inverse_with<T>(bae_hwang_haug_mass_matrix<T>, linkage, poses, qd, qdd, tau);
}

#define LW_INSTANTIATE(T)                                                             \
  template void walker_orin<T>(const Linkage<T>&, Poses<T>, In<T>, In<T>, Out<T>);    \
  template void walker_orin_mass_matrix<T>(const Linkage<T>&, Poses<T>, Out<T>);      \
  template void bae_hwang_haug<T>(const Linkage<T>&, Poses<T>, In<T>, In<T>, Out<T>); \
  template void bae_hwang_haug_mass_matrix<T>(const Linkage<T>&, Poses<T>, Out<T>);
LW_INSTANTIATE_FOR_SCALARS(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
