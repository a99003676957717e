#include "base_parameters.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>
#include <Eigen/Core>

#include "../../base/index.hpp"
#include "../../base/linear.hpp"
#include "../../base/random.hpp"
#include "../../graph/typical.hpp"
#include "../../model/random_state.hpp"
#include "regrouping.hpp"

namespace lw {
namespace {

template <class T>
class Regroup {
 public:
  explicit Regroup(const Model<T>& model, double nearly_zero = kNearlyZero, const std::vector<bool>& felt = {})
      : model_(model), rules_(detail::regrouping(model, nearly_zero, felt)) {}

  const ParameterTable& table() const { return rules_.table; }

  std::vector<int> base() const {
    std::vector<int> stay;
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
      for (int k = 0; k < ParameterTable::kPerBody; ++k) {
        if (table().first[i] >= 0 && rules_.passes[i].stays(k)) stay.push_back(table().first[i] + k);
      }
      const bool rotor_stays = table().rotor[i] >= 0 && !rules_.rotor_in_body[i] && !model_.bodies[i].mimics;
      if (rotor_stays) stay.push_back(table().rotor[i]);
    }
    return stay;
  }

  BaseParameters<T> parameters() const {
    BaseParameters<T> result{table(), base(), {}};
    result.K.resize(result.base.size());
    std::vector<std::size_t> row(result.standard.size());
    for (std::size_t k = 0; k < result.base.size(); ++k) row[at(result.base[k])] = k;
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
      const auto follow = [&](int parameter, const RigidInertia<T>& inertia, const T& rotor) {
        one(i, inertia, rotor, [&](int base, const T& factor) {
          if (!is_zero(factor)) result.K[row[at(base)]].push_back({parameter, factor});
        });
      };
      const int first = result.standard.first[i], rotor = result.standard.rotor[i];
      for (int k = 0; first >= 0 && k < ParameterTable::kPerBody; ++k) {
        std::array<T, ParameterTable::kPerBody> unit;
        unit.fill(T(0.0));
        unit[at(k)] = T(1.0);
        follow(first + k, rigid_inertia<T>(unit), T(0.0));
      }
      if (rotor >= 0) follow(rotor, {}, T(1.0));
    }
    return result;
  }

  // All parameters of a model, from the leaves to the base.
  Model<T> all() const {
    Model<T> m = model_;
    for (Body<T>& b : m.bodies) {
      if (!b.mimics) continue;
      m.bodies[leader(b)].armature += b.ratio * b.ratio * b.armature;
      b.armature = T(0.0);
    }
    for (std::size_t i = m.bodies.size(); i-- > 0;) {
      if (table().first[i] < 0) continue;
      Body<T>& b = m.bodies[i];
      RigidInertia<T> gone = take_rotor(i, b.inertia, b.armature);
      gone += rules_.passes[i].take(b.inertia);
      if (rules_.holder[i] >= 0) m.bodies[at(rules_.holder[i])].inertia += at_holder(i, gone);
    }
    return m;
  }

  // One parameter, given as a body (or rotor) with only this parameter: calls keep(parameter, factor) for its
  // contributions on the path to the base.
  template <class Keep>
  void one(std::size_t body, RigidInertia<T> inertia, T rotor, Keep keep) const {
    const Body<T>& b = model_.bodies[body];
    if (b.mimics && !is_zero(rotor)) return one(leader(b), {}, b.ratio * b.ratio * rotor, keep);
    RigidInertia<T> gone = take_rotor(body, inertia, rotor);
    if (table().rotor[body] >= 0) keep(table().rotor[body], rotor);
    while (true) {
      gone += rules_.passes[body].take(inertia);
      const auto left = inertial_parameters(inertia);
      for (std::size_t k = 0; k < left.size(); ++k) keep(table().first[body] + static_cast<int>(k), left[k]);
      if (rules_.holder[body] < 0) return;
      inertia = at_holder(body, gone);
      gone = {};
      body = at(rules_.holder[body]);
    }
  }

 private:
  // A rotor that is indistinguishable from the body's own parameters is merged into them. Returns what the body above
  // must then receive.
  RigidInertia<T> take_rotor(std::size_t body, RigidInertia<T>& inertia, T& rotor) const {
    RigidInertia<T> gone;
    if (!rules_.rotor_in_body[body]) return gone;
    const Body<T>& b = model_.bodies[body];
    if (b.kind == JointKind::revolute) {
      inertia.I += outer(b.axis, b.axis) * rotor;
    } else {
      inertia.mass += rotor;  // carried by the prismatic joint's link, but not by its parent
      gone.mass = -rotor;
    }
    rotor = T(0.0);
    return gone;
  }

  // The inertia that a body passes on, in the frame of the receiving body.
  RigidInertia<T> at_holder(std::size_t body, const RigidInertia<T>& gone) const {
    std::size_t first = body;  // of a composite joint, whose bodies coincide at q = 0
    while (model_.bodies[first].parent != rules_.holder[body]) first = at(model_.bodies[first].parent);
    return to_parent(model_.bodies[first].X_PJ, gone);
  }

  std::size_t leader(const Body<T>& mimic) const {
    std::size_t k = 0;
    while (model_.bodies[k].v != mimic.v || model_.bodies[k].mimics) ++k;
    return k;
  }

  const Model<T>& model_;
  detail::Regrouping<T> rules_;
};

}  // namespace

template <class T>
BaseParameters<T> base_parameters(const Model<T>& model) {
  return Regroup<T>(model).parameters();
}

template <class T>
std::vector<T> base_values(const BaseParameters<T>& parameters, In<T> standard_values) {
  require(standard_values.size() == parameters.standard.size(), "base_values needs one value per standard parameter");
  std::vector<T> values;
  for (const auto& terms : parameters.K) {
    T sum(0.0);
    for (const auto& [parameter, factor] : terms) sum += factor * standard_values[at(parameter)];
    values.push_back(sum);
  }
  return values;
}

template <class T>
Model<T> regrouped(const Model<T>& model, double nearly_zero, const std::vector<bool>& felt) {
  return Regroup<T>(model, nearly_zero, felt).all();
}

std::string relation_text(const BaseParameters<double>& parameters, std::size_t k) {
  std::string text = parameters.name(k);
  for (const auto& [parameter, c] : parameters.K[k]) {
    if (parameter == parameters.base[k] || std::abs(c) < 1e-12) continue;  // rounding error of zero
    text += c < 0.0 ? " - " : " + ";
    if (std::abs(std::abs(c) - 1.0) > 1e-12) text += fmt::format("{:.6g}*", std::abs(c));
    text += parameters.standard.names[at(parameter)];
  }
  return text;
}

int base_rank(const Model<double>& model, bool rotors) {
  const ParameterTable table = parameter_table(model);
  const auto columns = static_cast<Eigen::Index>(table.size());
  if (columns == 0) return 0;
  const Eigen::Index nv = model.nv, states = 10 + 4 * columns / nv;
  Eigen::MatrixXd stacked(states * nv, columns), Y(nv, columns);
  Workspace<double> work(model);
  Random random(1);
  for (Eigen::Index k = 0; k < states; ++k) {
    const State s = random_state(model, random);
    regressor<double>(model, table, work, s.q, s.qd, s.qdd, {Y.data(), static_cast<std::size_t>(Y.size())});
    stacked.middleRows(k * nv, nv) = Y;
  }
  for (const int r : table.rotor) {
    if (r >= 0 && !rotors) stacked.col(r).setZero();
  }
  return rank(stacked, 1e-10);
}

#define LW_INSTANTIATE(T)                                                  \
  template BaseParameters<T> base_parameters<T>(const Model<T>& model);    \
  template std::vector<T> base_values<T>(const BaseParameters<T>&, In<T>); \
  template Model<T> regrouped<T>(const Model<T>& model, double, const std::vector<bool>&);
LW_INSTANTIATE_UNCOUNTED(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
