#include "centroidal.hpp"

#include "../../base/index.hpp"
#include "columns.hpp"

namespace lw {
namespace {

template <class T>
Vec3<T> centre(const Model<T>& model, const Workspace<T>& work) {
  T mass(0.0);
  Vec3<T> first = Vec3<T>::zero();
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const RigidInertia<T>& I = model.bodies[i].inertia;
    mass += I.mass;
    first += I.mass * work.X_W[i].p + work.X_W[i].R * I.h;
  }
  return first / mass;
}

}  // namespace

template <class T>
void momentum_matrix(const Model<T>& model, const Workspace<T>& work, Out<T> A) {
  check_sizes("momentum_matrix", model, work, {{"A", A.size(), 6 * model.nv}});
  const std::size_t n = model.bodies.size();
  const Vec3<T> c = centre(model, work);
  std::vector<RigidInertia<T>> hanging(n);  // about c, in the world's axes
  for (T& x : A) x = T(0.0);
  for (std::size_t i = n; i-- > 0;) {
    const Body<T>& b = model.bodies[i];
    const Transform<T>& X = work.X_W[i];
    hanging[i] += to_parent(Transform<T>{X.R, X.p - c}, b.inertia);
    if (b.parent >= 0) hanging[at(b.parent)] += hanging[i];
    visit_columns<T>(b, X.R, c - X.p, [&](int v, const Vec3<T>& ang, const Vec3<T>& lin) {
      const Force<T> h = hanging[i] * Motion<T>{ang, lin};
      T* const column = A.data() + 6 * v;
      for (int k = 0; k < 3; ++k) {
        column[k] += h.ang[k];
        column[3 + k] += h.lin[k];
      }
    });
  }
}

template <class T>
Force<T> momentum_rate(const Model<T>& model, const Workspace<T>& work) {
  const Vec3<T> c = centre(model, work);
  Force<T> rate;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const RigidInertia<T>& I = model.bodies[i].inertia;
    const Transform<T>& X = work.X_W[i];
    const Vec3<T>&w = work.velocity[i].ang, &alpha = work.alpha[i], &a = work.acceleration[i];
    const Vec3<T> force = I.mass * a + cross(alpha, I.h) + cross(w, cross(w, I.h)),
                  moment = I.I * alpha + cross(w, I.I * w) + cross(I.h, a);
    rate += Transform<T>{X.R, X.p - c}.to_parent(Force<T>{moment, force});
  }
  return rate;
}

#define LW_INSTANTIATE(T)                                                         \
  template void momentum_matrix<T>(const Model<T>&, const Workspace<T>&, Out<T>); \
  template Force<T> momentum_rate<T>(const Model<T>&, const Workspace<T>&);
LW_INSTANTIATE_UNCOUNTED(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
