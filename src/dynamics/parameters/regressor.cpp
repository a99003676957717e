#include "regressor.hpp"

#include <algorithm>

#include "../../graph/typical.hpp"
#include "../tree/rnea.hpp"

namespace lw {
namespace {

constexpr const char* kNames[ParameterTable::kPerBody] = {"m", "mx", "my", "mz", "xx", "xy", "xz", "yy", "yz", "zz"};
constexpr int kRow[6] = {0, 0, 0, 1, 1, 2}, kColumn[6] = {0, 1, 2, 1, 2, 2};  // of xx, xy, …

// The effect of velocity k of a joint on a body at `place`: the twist at its origin, in its frame.
template <class T>
Motion<T> unit_motion(const Body<T>& joint, const Transform<T>& at, const Transform<T>& place, int k) {
  const Mat3<T> to_body = transpose(place.R);
  const bool slides = joint.kind == JointKind::prismatic || k >= 3;
  const bool one = joint.velocities() == 1;
  const Vec3<T> axis = one ? at.R * joint.axis : at.R.col(k % 3);
  if (slides) return {Vec3<T>::zero(), to_body * axis};
  return {to_body * axis, to_body * cross(axis, place.p - at.p)};
}

// One row of a body's columns.
template <class T>
std::array<T, ParameterTable::kPerBody> row_of(const Motion<T>& s, bool turns, const Vec3<T>& w, const Vec3<T>& alpha,
                                               const Vec3<T>& a) {
  std::array<T, ParameterTable::kPerBody> row;
  row[0] = dot(s.lin, a);
  Vec3<T> h = cross(s.lin, alpha) + cross(cross(s.lin, w), w);
  if (turns) h += cross(a, s.ang);
  for (int k = 0; k < 3; ++k) row[static_cast<std::size_t>(1 + k)] = h[k];
  if (!turns) {
    for (std::size_t k = 4; k < row.size(); ++k) row[k] = T(0.0);
    return row;
  }
  const Vec3<T> t = cross(s.ang, w);
  for (std::size_t k = 0; k < 6; ++k) {
    const int i = kRow[k], j = kColumn[k];
    row[4 + k] = s.ang[i] * alpha[j] + t[i] * w[j];
    if (i != j) row[4 + k] += s.ang[j] * alpha[i] + t[j] * w[i];
  }
  return row;
}

}  // namespace

template <class T>
ParameterTable parameter_table(const Model<T>& model) {
  std::vector<const std::string*> link(model.bodies.size(), nullptr);  // none inside a composite joint
  for (auto f = model.frames.rbegin(); f != model.frames.rend(); ++f) {
    if (f->body >= 0) link[static_cast<std::size_t>(f->body)] = &f->name;
  }
  std::vector<bool> driven(static_cast<std::size_t>(model.nv), false);  // by its own rotor or that of a mimic joint
  for (const Body<T>& b : model.bodies) {
    if (!is_zero(b.armature)) driven[static_cast<std::size_t>(b.v)] = true;
  }
  ParameterTable table;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body<T>& b = model.bodies[i];
    const bool composed = b.parent >= 0 && link[static_cast<std::size_t>(b.parent)] == nullptr;
    table.first.push_back(link[i] == nullptr ? -1 : static_cast<int>(table.size()));
    if (link[i] != nullptr) {
      for (const char* name : kNames) table.names.push_back(*link[i] + "." + name);
    }
    const bool turned = b.mimics ? !is_zero(b.armature) : driven[static_cast<std::size_t>(b.v)];
    const bool has_rotor = link[i] != nullptr && !composed && b.velocities() == 1 && turned;
    table.rotor.push_back(has_rotor ? static_cast<int>(table.size()) : -1);
    if (has_rotor) table.names.push_back(*link[i] + ".rotor");
  }
  return table;
}

template <class T>
std::vector<T> parameter_values(const Model<T>& model, const ParameterTable& table) {
  std::vector<T> values(table.size(), T(0.0));
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (table.first[i] >= 0) {
      const auto ten = inertial_parameters(model.bodies[i].inertia);
      std::copy(ten.begin(), ten.end(), values.begin() + table.first[i]);
    }
    if (table.rotor[i] >= 0) values[static_cast<std::size_t>(table.rotor[i])] = model.bodies[i].armature;
  }
  return values;
}

template <class T>
Model<T> with_parameters(Model<T> model, const ParameterTable& table, In<T> values) {
  require(values.size() == table.size(), "with_parameters needs one value per parameter of the table");
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    Body<T>& b = model.bodies[i];
    if (table.first[i] >= 0) {
      const auto place = static_cast<std::size_t>(table.first[i]);
      b.inertia = rigid_inertia<T>(values.subspan(place).template first<ParameterTable::kPerBody>());
    }
    if (table.rotor[i] >= 0) b.armature = values[static_cast<std::size_t>(table.rotor[i])];
  }
  return model;
}

template <class T>
void regressor(const Model<T>& model, const ParameterTable& table, Workspace<T>& work, In<T> q, In<T> qd, In<T> qdd,
               Out<T> Y) {
  const auto nv = static_cast<std::size_t>(model.nv);
  check_sizes("regressor", model, work,
              {{"q", q.size(), model.nq},
               {"qd", qd.size(), model.nv},
               {"qdd", qdd.size(), model.nv},
               {"Y", Y.size(), model.nv * static_cast<int>(table.size())}});
  for (T& y : Y) y = T(0.0);
  forward_accelerations<T>(model, work, q, qd, qdd, model.gravity);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body<T>& b = model.bodies[i];
    work.X_W[i] = b.parent < 0 ? work.X[i] : work.X_W[static_cast<std::size_t>(b.parent)] * work.X[i];
    if (table.rotor[i] >= 0) {
      const auto column = static_cast<std::size_t>(table.rotor[i]);
      Y[column * nv + static_cast<std::size_t>(b.v)] = b.ratio * joint_rate<T>(b, qdd);
    }
    if (table.first[i] < 0) continue;
    T* const columns = &Y[static_cast<std::size_t>(table.first[i]) * nv];
    for (int j = static_cast<int>(i); j >= 0; j = model.bodies[static_cast<std::size_t>(j)].parent) {
      const Body<T>& joint = model.bodies[static_cast<std::size_t>(j)];
      for (int k = 0; k < joint.velocities(); ++k) {
        const Motion<T> s = unit_motion(joint, work.X_W[static_cast<std::size_t>(j)], work.X_W[i], k);
        const bool turns = joint.kind != JointKind::prismatic && k < 3;
        const auto row = row_of(s, turns, work.velocity[i].ang, work.alpha[i], work.acceleration[i]);
        T* entry = columns + (joint.v + k);
        for (std::size_t p = 0; p < row.size(); ++p, entry += nv) *entry += joint.ratio * row[p];
      }
    }
  }
}

#define LW_INSTANTIATE(T)                                                              \
  template ParameterTable parameter_table<T>(const Model<T>&);                         \
  template std::vector<T> parameter_values<T>(const Model<T>&, const ParameterTable&); \
  template Model<T> with_parameters<T>(Model<T>, const ParameterTable&, In<T>);        \
  template void regressor<T>(const Model<T>&, const ParameterTable&, Workspace<T>&, In<T>, In<T>, In<T>, Out<T>);
LW_INSTANTIATE_UNCOUNTED(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
