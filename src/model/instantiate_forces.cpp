#include "instantiate_forces.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "../graph/typical.hpp"
#include "directions.hpp"

namespace lw {
namespace {

// Gauss-Jordan inversion. Pivot rows are chosen at typical values, so that it also works for symbols.
template <class T>
std::vector<T> inverse_matrix(std::vector<T> A, std::size_t n) {
  std::vector<double> sample = typical_values(A);
  std::vector<T> X(n * n, T(0.0));
  for (std::size_t k = 0; k < n; ++k) X[k * n + k] = T(1.0);
  const auto eliminate = [n](auto& M, std::size_t row, std::size_t from, const auto& factor) {
    for (std::size_t j = 0; j < n; ++j) M[row * n + j] -= factor * M[from * n + j];
  };
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i) {
      if (std::abs(sample[i * n + k]) > std::abs(sample[pivot * n + k])) pivot = i;
    }
    for (std::size_t j = 0; j < n; ++j) {
      std::swap(A[k * n + j], A[pivot * n + j]);
      std::swap(X[k * n + j], X[pivot * n + j]);
      std::swap(sample[k * n + j], sample[pivot * n + j]);
    }
    const T scale = T(1.0) / A[k * n + k];
    for (std::size_t j = 0; j < n; ++j) {
      A[k * n + j] *= scale;
      X[k * n + j] *= scale;
    }
    const double sample_pivot = sample[k * n + k];
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const T factor = A[i * n + k];
      eliminate(A, i, k, factor);
      eliminate(X, i, k, factor);
      eliminate(sample, i, k, sample[i * n + k] / sample_pivot);
    }
  }
  return X;
}

template <class T>
class Forces {
 public:
  Forces(const Mechanism& mechanism, const ModelValues<T>& at, Model<T>& model)
      : mechanism_(mechanism), at_(at), model_(model) {}

  void add() {
    for (std::size_t k = 0; k < mechanism_.links.size(); ++k) {
      const Link& link = mechanism_.links[k];
      if (link.joint.type == JointType::fixed) continue;
      const int body = model_.frames[k + 1].body;
      friction(link.joint, body);
      if (velocities(link.joint.type) != 1) continue;
      if (link.joint.drive) drive(link, *link.joint.drive, body);
      joint_element(link.joint, body);
    }
    for (std::size_t k = 0; k < mechanism_.loops.size(); ++k) loop(mechanism_.loops[k], model_.loops[k]);
    for (const Coupling& c : mechanism_.couplings) coupling(c);
    for (const PointSpring& s : mechanism_.springs) spring(s);
    for (const AppliedForce& f : mechanism_.forces) force(f);
    for (const Shaft& s : mechanism_.shafts) shaft(s);
  }

 private:
  Body<T>& body(int index) { return model_.bodies[static_cast<std::size_t>(index)]; }
  const Frame<T>& frame(const std::string& link) const {
    return model_.frames[static_cast<std::size_t>(model_.frame_index(link))];
  }
  int body_of_joint(const std::string& joint) const { return frame(mechanism_.find_joint(joint)->name).body; }
  Frame<T> point(const std::string& link, const Formula3& at) const {
    const Frame<T>& f = frame(link);
    return {link, f.body, f.X_BF * Transform<T>{Mat3<T>::identity(), at_(at)}};
  }

  Curve<T> table(const FormulaTable& t, typename Curve<T>::Ends ends, const T& unit_of_x = T(1.0)) const {
    std::vector<T> x, y;
    for (const Formula& f : t.x) x.push_back(at_(f) * unit_of_x);
    for (const Formula& f : t.y) y.push_back(at_(f));
    return Curve<T>(std::move(x), std::move(y), t.cubic, ends);
  }

  // The losses of any joint, where `axis` is that of its bearings.
  JointLoss<T> friction_loss(const Friction& f, const Vec3<T>& axis) const {
    JointLoss<T> loss;
    loss.viscous = at_(f.viscous);
    loss.coulomb = at_(f.coulomb);
    if (const auto& s = f.stribeck) {
      loss.stribeck = true;
      loss.static_torque = at_(s->static_torque);
      loss.stribeck_velocity = at_(s->velocity);
      loss.shape = at_(s->shape);
    }
    for (const Bearing& b : f.bearings) {
      const bool flat = b.kind == Bearing::Kind::linear;
      const Vec3<T> across = flat ? plane_directions(axis)[0] : Vec3<T>::zero();
      loss.bearings.push_back({b.kind, b.moments, at_(b.mu), at_(b.radius), at_(b.spacing), across});
    }
    loss.width = at_(f.width);
    return loss;
  }

  // Mimic joints have no losses of their own, because they have no velocity.
  void friction(const Joint& j, int last) {
    if (j.mimic || (!j.friction.present && !j.damper)) return;
    const auto info =
        std::find_if(model_.joints.begin(), model_.joints.end(), [&](const JointInfo& i) { return i.name == j.name; });
    for (int k = 0; k < velocities(j.type); ++k) {
      const int of = std::min(info->first_body + k, last);
      JointLoss<T> loss = friction_loss(j.friction, body(of).axis);
      loss.body = of;
      loss.v = info->v + k;
      if (j.damper) {
        loss.damper = at_(j.damper->coefficient);
        if (j.damper->table) loss.damper_table = table(*j.damper->table, Curve<T>::Ends::straight);
      }
      model_.losses.push_back(std::move(loss));
    }
  }

  void loop(const Loop& l, LoopClosure<T>& closure) const {
    for (int k = 0; l.friction.present && k < velocities(l.type); ++k) {
      closure.losses.push_back(friction_loss(l.friction, closure.axis));
      closure.losses.back().v = k;
    }
  }

  DriveLoss<T> drive_loss(const Drive& d, const std::string& name) const {
    DriveLoss<T> loss;
    loss.name = name;
    loss.ratio = at_(d.ratio);
    loss.rotor_inertia = at_(d.rotor_inertia);
    if (d.efficiency) {
      loss.efficiency = table(*d.efficiency, Curve<T>::Ends::constant, d.rated ? at_(*d.rated) : T(1.0));
    }
    if (d.breakaway) loss.breakaway = at_(*d.breakaway);
    if ((loss.has_rated = d.rated.has_value())) loss.rated = at_(*d.rated);
    if ((loss.has_peak = d.peak.has_value())) loss.peak = at_(*d.peak);
    return loss;
  }

  void drive(const Link& link, const Drive& d, int moved) {
    const Joint& j = link.joint;
    DriveLoss<T> loss = drive_loss(d, j.name);
    if (d.rotor_axis && !is_zero(loss.rotor_inertia)) {
      loss.rotor_body = add_rotor(loss, unit<T>(at_(*d.rotor_axis)), frame(link.parent), body(moved));
    } else {
      body(moved).armature += loss.ratio * loss.ratio * loss.rotor_inertia;
    }
    if (j.mimic) return;
    const int v = body(moved).v;
    model_.transmissions.push_back({j.name, {v}, {std::move(loss)}, {T(1.0)}, {T(1.0)}, at_(j.friction.width)});
  }

  // A rotor on the parent that spins `ratio` times as fast as the joint: J a aᵀ, subtracted from the parent, whose
  // inertia includes it. The rest of the rotor's inertia does not depend on its rotation and stays there.
  int add_rotor(const DriveLoss<T>& drive, const Vec3<T>& axis, const Frame<T>& parent, const Body<T>& moved) {
    Body<T> rotor;
    rotor.parent = parent.body;
    rotor.q = moved.q;
    rotor.v = moved.v;
    rotor.mimics = model_.has_mimics = true;
    rotor.ratio = drive.ratio * moved.ratio;
    rotor.offset = drive.ratio * moved.offset;
    rotor.axis = parent.X_BF.R * axis;
    rotor.set_motion();
    rotor.inertia.I = outer(rotor.axis, rotor.axis) * drive.rotor_inertia;
    if (parent.body >= 0) body(parent.body).inertia.I = body(parent.body).inertia.I - rotor.inertia.I;
    model_.bodies.push_back(rotor);
    return static_cast<int>(model_.bodies.size()) - 1;
  }

  void joint_element(const Joint& j, int moved) {
    JointElement<T> element;
    element.body = moved;
    if (j.spring && j.spring->table) {
      element.spring = table(*j.spring->table, Curve<T>::Ends::straight);
    } else if (j.spring) {
      body(moved).stiffness = at_(j.spring->stiffness);
      body(moved).rest = at_(j.spring->rest);
    }
    if (j.limits.stiffness) {
      element.stiffness = at_(*j.limits.stiffness);
      if (j.limits.damping) element.damping = at_(*j.limits.damping);
      if ((element.has_lower = j.limits.lower.has_value())) element.lower = at_(*j.limits.lower);
      if ((element.has_upper = j.limits.upper.has_value())) element.upper = at_(*j.limits.upper);
    }
    if (!element.spring.empty() || element.has_lower || element.has_upper) model_.joint_elements.push_back(element);
  }

  // Rotors spin with φ̇ = C q̇: their inertia at the joints is Cᵀ diag(ratio² J) C.
  void coupling(const Coupling& c) {
    const std::size_t n = c.joints.size();
    Transmission<T> t;
    t.name = c.name;
    std::vector<int> bodies;
    for (const std::string& joint : c.joints) {
      bodies.push_back(body_of_joint(joint));
      t.v.push_back(body(bodies.back()).v);
      t.width = max(t.width, at_(mechanism_.find_joint(joint)->joint.friction.width));
    }
    for (std::size_t k = 0; k < n; ++k) t.drives.push_back(drive_loss(c.drives[k], c.motors[k]));
    for (const Formula& f : c.matrix) t.C.push_back(at_(f));
    t.C_inverse = inverse_matrix(t.C, n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        T inertia(0.0);
        for (std::size_t k = 0; k < n; ++k) {
          const DriveLoss<T>& d = t.drives[k];
          inertia += t.C[k * n + i] * t.C[k * n + j] * (d.ratio * d.ratio * d.rotor_inertia);
        }
        if (i == j) {
          body(bodies[i]).armature += inertia;
        } else if (!is_zero(inertia)) {
          tie(bodies[i], bodies[j], inertia);
        }
      }
    }
    model_.transmissions.push_back(std::move(t));
  }

  void tie(int a, int b, const T& inertia) { model_.rotor_ties.push_back({body(a).v, body(b).v, inertia}); }

  void spring(const PointSpring& s) {
    PointSpringElement<T> element;
    element.name = s.name;
    element.a = point(s.between[0], s.at[0]);
    element.b = point(s.between[1], s.at[1]);
    element.stiffness = at_(s.stiffness);
    element.rest = at_(s.rest);
    element.damping = at_(s.damping);
    if (s.table) element.tension = table(*s.table, Curve<T>::Ends::straight);
    model_.springs.push_back(std::move(element));
  }

  void force(const AppliedForce& f) {
    Force<T> wrench{at_(f.moment), at_(f.force)};
    if (!f.time.empty()) {
      const T time = at_.parameter("t");
      std::vector<T> places;
      for (const Formula& x : f.time) places.push_back(at_(x));
      for (int k = 0; k < 6; ++k) {
        std::vector<T> values;
        for (const auto& six : f.values) values.push_back(at_(six[static_cast<std::size_t>(k)]));
        (k < 3 ? wrench.lin : wrench.ang)[k % 3] =
            Curve<T>(places, std::move(values), false, Curve<T>::Ends::constant)(time);
      }
    }
    model_.forces.push_back({point(f.link, f.at), f.in_link, wrench});
  }

  void shaft(const Shaft& s) {
    model_.shafts.push_back({s.name, body_of_joint(s.between[0]), body_of_joint(s.between[1]), at_(s.stiffness),
                             at_(s.damping), T(0.5) * at_(s.backlash)});
  }

  const Mechanism& mechanism_;
  const ModelValues<T>& at_;
  Model<T>& model_;
};

}  // namespace

template <class T>
T ModelValues<T>::parameter(const std::string& name) const {
  const auto place = given_.find(name);
  if (place != given_.end()) return place->second;
  const auto own = std::find_if(mechanism_.parameters.begin(), mechanism_.parameters.end(),
                                [&](const Parameter& p) { return p.name == name; });
  return (*this)(own->value);
}

template <class T>
void add_forces(const Mechanism& mechanism, const ModelValues<T>& at, Model<T>& model) {
  Forces<T>(mechanism, at, model).add();
}

#define LW_INSTANTIATE(T)        \
  template class ModelValues<T>; \
  template void add_forces<T>(const Mechanism&, const ModelValues<T>&, Model<T>&);
LW_INSTANTIATE_FOR_SCALARS(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
