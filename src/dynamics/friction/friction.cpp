#include "friction.hpp"

#include <algorithm>
#include <cmath>

#include "../../graph/typical.hpp"
#include "../tree/elements.hpp"

namespace lw {
namespace {

// |v|, with a slope of 0 at 0 instead of none.
template <class T>
T length(const Vec3<T>& v) {
  using std::sqrt;
  return sqrt(max(dot(v, v), T(1e-200)));
}

template <class T>
T absolute(const T& x) {
  using std::abs;
  return abs(x);
}

template <class T>
T gradual_direction(const T& velocity, const T& width) {
  const T s = min(max(velocity * (T(1.0) / width), T(-1.0)), T(1.0));
  return s * (T(1.5) - T(0.5) * s * s);
}

// (x)^shape for x ≥ 0.
template <class T>
T power(const T& x, const T& shape) {
  using std::exp, std::log;
  if (is_exactly(shape, 1.0)) return x;
  if (is_exactly(shape, 2.0)) return x * x;
  return exp(shape * log(max(x, T(1e-200))));
}

}  // namespace

template <class T>
T opposing(const T& velocity, const T& width, const T& size) {
  const T zero(0.0);
  if (is_zero(size)) return zero;
  if (is_zero(width)) return select(less(zero, velocity), size, select(less(velocity, zero), -size, zero));
  return gradual_direction<T>(velocity, width) * size;
}

template <class T>
T bearing_friction(const BearingLoss<T>& bearing, const Vec3<T>& axis, bool slides, const Force<T>& reaction,
                   const T& along) {
  const Vec3<T>&f = reaction.lin, &n = reaction.ang;
  // of the two supports from where the reaction is taken
  const T half = T(0.5) * bearing.spacing, upper = half - along, lower = half + along;
  switch (bearing.kind) {
    case Bearing::Kind::journal: {
      const T factor = slides ? bearing.mu : bearing.mu * bearing.radius;
      const Vec3<T> P = cross(f, axis);
      if (!bearing.moments) return factor * length<T>(P);
      const Vec3<T> Q = cross(axis, cross(n, axis));
      const Vec3<T> L = lower * P, U = is_zero(along) ? L : upper * P;
      return factor / bearing.spacing * (length<T>(L - Q) + length<T>(U + Q));
    }
    case Bearing::Kind::linear: {
      const Vec3<T>&x = bearing.across, y = cross(axis, x);
      const T fx = dot(f, x), fy = dot(f, y), nx = dot(n, x), ny = dot(n, y);
      const T lx = lower * fx, ly = lower * fy, ux = is_zero(along) ? lx : upper * fx,
              uy = is_zero(along) ? ly : upper * fy;
      return bearing.mu / bearing.spacing *
             (absolute<T>(ux - ny) + absolute<T>(ly - nx) + absolute<T>(lx + ny) + absolute<T>(uy + nx));
    }
    case Bearing::Kind::thrust: return bearing.mu * bearing.radius * absolute<T>(dot(f, axis));
  }
  return T(0.0);
}

template <class T>
bool is_dry(const JointLoss<T>& loss) {
  return loss.stribeck || !loss.bearings.empty() || !is_zero(loss.coulomb);
}

template <class T>
T dry_friction(const JointLoss<T>& loss, const Body<T>& body, const T& speed, const Force<T>& reaction,
               const T& along) {
  using std::exp;
  T sum = loss.coulomb;
  if (loss.stribeck) {
    sum += (loss.static_torque - loss.coulomb) * exp(-power<T>(speed * (T(1.0) / loss.stribeck_velocity), loss.shape));
  }
  for (const BearingLoss<T>& b : loss.bearings) {
    sum += bearing_friction<T>(b, body.axis, body.kind == JointKind::prismatic, reaction, along);
  }
  return sum;
}

template <class T>
T direction_of_motion(const T& velocity, const T& acceleration) {
  return select(less(T(0.0), absolute<T>(velocity)), velocity, acceleration);
}

template <class T>
T joint_friction(const JointLoss<T>& loss, const Body<T>& body, const T& velocity, const Force<T>& reaction,
                 const T& along) {
  return directed_joint_friction<T>(loss, body, velocity, velocity, reaction, along);
}

template <class T>
T directed_joint_friction(const JointLoss<T>& loss, const Body<T>& body, const T& velocity, const T& direction,
                          const Force<T>& reaction, const T& along) {
  T sum = (loss.viscous + loss.damper) * velocity;
  if (!loss.damper_table.empty()) sum += loss.damper_table(velocity);
  if (!is_dry<T>(loss)) return sum;
  const T size = dry_friction<T>(loss, body, absolute<T>(velocity), reaction, along);
  return sum + opposing<T>(is_zero(loss.width) ? direction : velocity, loss.width, size);
}

template <class T>
T drive_input(const DriveLoss<T>& drive, const T& output, const T& velocity, const T& width) {
  const T breakaway = opposing<T>(velocity, width, drive.breakaway);
  if (drive.efficiency.empty()) return output + breakaway;
  const T zero(0.0), one(1.0);
  const T eta = drive.efficiency(absolute<T>(output));
  // > 0 where it drives, < 0 where it is driven, 0 at rest
  const T along = select(less(zero, velocity), output, select(less(velocity, zero), -output, zero));
  T gain = select(less(zero, along), one / eta, select(less(along, zero), eta, one));
  if (!is_zero(width)) gain = one + absolute<T>(gradual_direction<T>(velocity, width)) * (gain - one);
  return output * gain + breakaway;
}

namespace {

// What a rotor needs, which does not pass the gear.
template <class T>
T rotor_torque(const Model<T>& model, std::span<const Force<T>> reactions, const DriveLoss<T>& drive,
               const T& acceleration) {
  if (drive.rotor_body >= 0) {
    const auto b = static_cast<std::size_t>(drive.rotor_body);
    return model.bodies[b].ratio * dot(model.bodies[b].axis, reactions[b].ang);
  }
  return drive.ratio * drive.ratio * drive.rotor_inertia * acceleration;
}

template <class T>
T row_times(const Transmission<T>& t, std::size_t row, In<T> x) {
  T sum(0.0);
  for (std::size_t k = 0; k < t.v.size(); ++k) sum += t.C[row * t.v.size() + k] * x[static_cast<std::size_t>(t.v[k])];
  return sum;
}

}  // namespace

template <class T>
void drive_velocities(const Model<T>& model, In<T> qd, Losses<T>& losses) {
  for (const Transmission<T>& t : model.transmissions) {
    for (std::size_t k = 0; k < t.v.size(); ++k) {
      losses.velocity[static_cast<std::size_t>(t.v[k])] = row_times<T>(t, k, qd);
    }
  }
}

template <class T>
void losses_at(const Model<T>& model, std::span<const Force<std::type_identity_t<T>>> reactions, In<T> along, In<T> qd,
               In<T> qdd, Losses<T>& losses, In<T> directions) {
  const auto nv = static_cast<std::size_t>(model.nv);
  for (std::size_t k = 0; k < nv; ++k) {
    losses.bearing[k] = losses.damping[k];
    losses.transmission[k] = losses.output[k] = T(0.0);
  }
  for (const JointLoss<T>& loss : model.losses) {
    const auto b = static_cast<std::size_t>(loss.body), v = static_cast<std::size_t>(loss.v);
    losses.bearing[v] +=
        directed_joint_friction<T>(loss, model.bodies[b], qd[v], directions.empty() ? qd[v] : directions[v],
                                   reactions[b], along.empty() ? T(0.0) : along[b]);
  }
  for (std::size_t k = 0; k < nv; ++k) {
    losses.at_joint[k] = losses.total[k] = losses.motor[k] = losses.dynamic[k] + losses.bearing[k];
  }
  for (const Transmission<T>& t : model.transmissions) {
    const std::size_t n = t.v.size();
    for (const int v : t.v) losses.total[static_cast<std::size_t>(v)] = T(0.0);
    for (std::size_t k = 0; k < n; ++k) {
      const auto place = static_cast<std::size_t>(t.v[k]);
      const DriveLoss<T>& drive = t.drives[k];
      T sum(0.0);  // C⁻ᵀ τ
      for (std::size_t j = 0; j < n; ++j) {
        sum += t.C_inverse[j * n + k] * losses.at_joint[static_cast<std::size_t>(t.v[j])];
      }
      const T rotor = rotor_torque<T>(model, reactions, drive, row_times<T>(t, k, qdd));
      losses.output[place] = sum - rotor;
      const T input = drive_input<T>(drive, losses.output[place], losses.velocity[place], t.width) + rotor;
      losses.motor[place] = input * (T(1.0) / drive.ratio);
      for (std::size_t j = 0; j < n; ++j) losses.total[static_cast<std::size_t>(t.v[j])] += t.C[k * n + j] * input;
    }
    for (const int v : t.v) {
      const auto k = static_cast<std::size_t>(v);
      losses.transmission[k] = losses.total[k] - losses.at_joint[k];
    }
  }
}

namespace {

// Of joints and drives that move with q̇, or begin to with q̈.
template <class T>
void set_directions(const Model<T>& model, In<T> qd, In<T> qdd, Losses<T>& losses) {
  drive_velocities<T>(model, qd, losses);
  for (std::size_t v = 0; v < qd.size(); ++v) losses.direction[v] = qd[v];
  for (const JointLoss<T>& loss : model.losses) {
    const auto v = static_cast<std::size_t>(loss.v);
    losses.direction[v] = direction_of_motion<T>(qd[v], qdd[v]);
  }
  for (const Transmission<T>& t : model.transmissions) {
    for (std::size_t k = 0; k < t.v.size() && is_zero(t.width); ++k) {
      T& velocity = losses.velocity[static_cast<std::size_t>(t.v[k])];
      velocity = direction_of_motion<T>(velocity, row_times<T>(t, k, qdd));
    }
  }
}

}  // namespace

template <class T>
void add_losses(const Model<T>& model, std::span<const Force<std::type_identity_t<T>>> reactions, In<T> along, In<T> qd,
                In<T> qdd, Losses<T>& losses, AtRest at_rest) {
  if (at_rest == AtRest::no_direction) {
    drive_velocities<T>(model, qd, losses);
    return losses_at<T>(model, reactions, along, qd, qdd, losses);
  }
  set_directions<T>(model, qd, qdd, losses);
  losses_at<T>(model, reactions, along, qd, qdd, losses, losses.direction);
}

template <class T>
void inverse_with_losses(const Model<T>& model, Workspace<T>& work, In<T> q, In<T> qd, In<T> qdd, Losses<T>& losses,
                         std::span<const Force<std::type_identity_t<T>>> external, AtRest at_rest) {
  rnea_with_damping<T>(model, work, q, qd, qdd, losses.dynamic, losses.damping, external);
  add_losses<T>(model, work.force, {}, qd, qdd, losses, at_rest);
}

template <class T>
void holding_range(const Model<T>& model, Workspace<T>& work, In<T> q, In<T> qd, In<T> qdd, Out<T> low, Out<T> high,
                   std::span<const Force<std::type_identity_t<T>>> external) {
  Losses<T> losses(model);
  rnea_with_damping<T>(model, work, q, qd, qdd, losses.dynamic, losses.damping, external);
  add_losses<T>(model, work.force, {}, qd, qdd, losses);
  std::copy(losses.total.begin(), losses.total.end(), low.begin());
  std::copy(losses.total.begin(), losses.total.end(), high.begin());
  std::vector<T> beginning(qdd.begin(), qdd.end());
  const auto widen = [&](int joint) {
    const auto v = static_cast<std::size_t>(joint);
    const T begins = less(T(0.0), absolute<T>(qdd[v]));
    for (const double side : {-1.0, 1.0}) {
      beginning[v] = select(begins, qdd[v], T(side * kImpending));
      set_directions<T>(model, qd, beginning, losses);
      losses_at<T>(model, work.force, {}, qd, qdd, losses, losses.direction);
      (side < 0.0 ? low : high)[v] = losses.total[v];
    }
    beginning[v] = qdd[v];
  };
  for (const JointLoss<T>& loss : model.losses) widen(loss.v);
  for (const Transmission<T>& t : model.transmissions) {
    for (const int v : t.v) widen(v);
  }
}

double drive_output(DriveLoss<double> drive, double input, double velocity, double width) {
  if (width == 0.0) drive.breakaway = 0.0;
  if (drive.efficiency.empty()) return input - drive_input<double>(drive, 0.0, velocity, width);
  const auto excess = [&](double x) { return drive_input<double>(drive, x, velocity, width) - input; };
  double low = -1.0, high = 1.0;
  while (excess(low) > 0.0 && low > -1e300) low *= 4.0;
  while (excess(high) < 0.0 && high < 1e300) high *= 4.0;
  for (int k = 0; k < 200; ++k) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    (excess(middle) < 0.0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

double back_driving_torque(const DriveLoss<double>& drive) {
  if (drive.breakaway <= 0.0 || drive.efficiency.empty()) return drive.breakaway;
  const auto through = [&](double x) { return x * drive.efficiency(x); };
  // the first piece of the curve on which enough comes through; behind its last place the efficiency is constant
  double below = 0.0, above = 0.0;
  for (const double x : drive.efficiency.x()) {
    below = above;
    above = std::max(x, 0.0);
    if (through(above) >= drive.breakaway) break;
  }
  if (through(above) < drive.breakaway) return drive.breakaway / drive.efficiency(above);
  for (int k = 0; k < 200 && below < above; ++k) {
    const double middle = 0.5 * (below + above);
    if (middle <= below || middle >= above) break;
    (through(middle) < drive.breakaway ? below : above) = middle;
  }
  return above;
}

template <class T>
std::vector<bool> felt_reactions(const Model<T>& model) {
  std::vector<bool> felt(model.bodies.size(), false);
  for (const JointLoss<T>& loss : model.losses) {
    if (!loss.bearings.empty()) felt[static_cast<std::size_t>(loss.body)] = true;
  }
  for (const Transmission<T>& t : model.transmissions) {
    for (const DriveLoss<T>& d : t.drives) {
      if (d.rotor_body >= 0) felt[static_cast<std::size_t>(d.rotor_body)] = true;
    }
  }
  return felt;
}

#define LW_INSTANTIATE(T)                                                                                           \
  template T opposing<T>(const T&, const T&, const T&);                                                             \
  template bool is_dry<T>(const JointLoss<T>&);                                                                     \
  template T bearing_friction<T>(const BearingLoss<T>&, const Vec3<T>&, bool, const Force<T>&, const T&);           \
  template T dry_friction<T>(const JointLoss<T>&, const Body<T>&, const T&, const Force<T>&, const T&);             \
  template T joint_friction<T>(const JointLoss<T>&, const Body<T>&, const T&, const Force<T>&, const T&);           \
  template T direction_of_motion<T>(const T&, const T&);                                                            \
  template T directed_joint_friction<T>(const JointLoss<T>&, const Body<T>&, const T&, const T&, const Force<T>&,   \
                                        const T&);                                                                  \
  template T drive_input<T>(const DriveLoss<T>&, const T&, const T&, const T&);                                     \
  template void drive_velocities<T>(const Model<T>&, In<T>, Losses<T>&);                                            \
  template void losses_at<T>(const Model<T>&, std::span<const Force<T>>, In<T>, In<T>, In<T>, Losses<T>&, In<T>);   \
  template void holding_range<T>(const Model<T>&, Workspace<T>&, In<T>, In<T>, In<T>, Out<T>, Out<T>,               \
                                 std::span<const Force<T>>);                                                        \
  template void inverse_with_losses<T>(const Model<T>&, Workspace<T>&, In<T>, In<T>, In<T>, Losses<T>&,             \
                                       std::span<const Force<T>>, AtRest);                                          \
  template void add_losses<T>(const Model<T>&, std::span<const Force<T>>, In<T>, In<T>, In<T>, Losses<T>&, AtRest); \
  template std::vector<bool> felt_reactions<T>(const Model<T>&);
LW_INSTANTIATE_FOR_SCALARS(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
