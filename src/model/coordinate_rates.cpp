#include "coordinate_rates.hpp"

namespace lw {
namespace {

// ½ (x, y, z, w) ⊗ (a, b, c, 0)
template <class T>
void turn(const T* q, const T* omega, T* rate) {
  const T &x = q[0], &y = q[1], &z = q[2], &w = q[3];
  const T a = T(0.5) * omega[0], b = T(0.5) * omega[1], c = T(0.5) * omega[2];
  rate[0] = w * a + y * c - z * b;
  rate[1] = w * b + z * a - x * c;
  rate[2] = w * c + x * b - y * a;
  rate[3] = -(x * a) - y * b - z * c;
}

}  // namespace

template <class T>
void coordinate_rates(const Model<T>& model, In<T> q, In<T> v, Out<T> rates) {
  for (const JointInfo& joint : model.joints) {
    const auto at = static_cast<std::size_t>(joint.q), from = static_cast<std::size_t>(joint.v);
    if (joint.type == JointType::spherical) {
      turn<T>(&q[at], &v[from], &rates[at]);
    } else if (joint.type == JointType::floating) {
      const Vec3<T> move = rotation_from_quaternion(q[at + 3], q[at + 4], q[at + 5], q[at + 6]) *
                           Vec3<T>(v[from + 3], v[from + 4], v[from + 5]);
      for (std::size_t k = 0; k < 3; ++k) rates[at + k] = move[static_cast<int>(k)];
      turn<T>(&q[at + 3], &v[from], &rates[at + 3]);
    } else {
      for (std::size_t k = 0; k < static_cast<std::size_t>(coordinates(joint.type)); ++k) rates[at + k] = v[from + k];
    }
  }
}

std::vector<Dual> moving_along(const Model<double>& model, std::span<const double> q, int k) {
  std::vector<double> unit(static_cast<std::size_t>(model.nv), 0.0), rates(q.size());
  unit[static_cast<std::size_t>(k)] = 1.0;
  coordinate_rates<double>(model, q, unit, rates);
  std::vector<Dual> moving;
  for (std::size_t i = 0; i < q.size(); ++i) moving.emplace_back(q[i], rates[i]);
  return moving;
}

#define LW_INSTANTIATE(T) template void coordinate_rates<T>(const Model<T>&, In<T>, In<T>, Out<T>);
LW_INSTANTIATE_UNCOUNTED(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
