// Force elements of every kind on any model: the same numbers from the same seed, for every scalar.
#pragma once

#include <vector>

#include "base/random.hpp"
#include "model/model.hpp"

namespace lw {

struct RandomElementOptions {
  bool forces = true;      // whose work depends on the way
  bool rotor_ties = true;  // between joints of one velocity, with rotors on both
};

template <class T>
void add_random_elements(Model<T>& model, std::uint64_t seed, const RandomElementOptions& options = {}) {
  Random random(seed);
  const auto number = [&](double low, double high) { return T(random.between(low, high)); };
  const auto vector = [&](double size) {
    return Vec3<T>(number(-size, size), number(-size, size), number(-size, size));
  };
  const auto frame = [&] {
    const auto last = static_cast<double>(model.frames.size()) - 1e-9;
    Frame<T> f = model.frames[static_cast<std::size_t>(random.between(0.0, last))];
    f.X_BF.p += vector(0.3);
    return f;
  };
  std::vector<int> single;  // bodies whose joints have one velocity
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (model.bodies[i].velocities() == 1) single.push_back(static_cast<int>(i));
  }
  const auto body = [&] {
    return single[static_cast<std::size_t>(random.between(0.0, static_cast<double>(single.size()) - 1e-9))];
  };
  const auto table = [&](bool cubic) {
    std::vector<T> x{number(-2.0, -1.5)}, y{number(-5.0, 5.0)};
    for (int k = 0; k < 4; ++k) {
      x.push_back(x.back() + number(0.4, 1.0));
      y.push_back(number(-5.0, 5.0));
    }
    return Curve<T>(x, y, cubic, Curve<T>::Ends::straight);
  };
  for (const bool cubic : {false, true}) {
    if (!single.empty()) {
      JointElement<T> e;
      e.body = body();
      e.spring = table(cubic);
      e.has_lower = e.has_upper = true;
      e.lower = number(-1.0, -0.1);
      e.upper = number(0.1, 1.0);
      e.stiffness = number(5.0, 50.0);
      e.damping = number(0.5, 5.0);
      model.joint_elements.push_back(e);
      ShaftElement<T> s;
      s.body_a = body();
      s.body_b = body();
      s.stiffness = number(5.0, 50.0);
      s.damping = number(0.5, 5.0);
      if (cubic) s.play = number(0.2, 1.0);
      model.shafts.push_back(s);
    }
    PointSpringElement<T> s;
    s.a = frame();
    s.b = frame();
    s.stiffness = number(5.0, 50.0);
    s.rest = number(0.1, 0.5);
    s.damping = number(0.5, 5.0);
    if (cubic) s.tension = table(cubic);
    model.springs.push_back(s);
    if (!options.forces) continue;
    ForceElement<T> f;
    f.frame = frame();
    f.in_link = cubic;
    f.wrench = {vector(5.0), vector(10.0)};
    model.forces.push_back(f);
  }
  if (!options.rotor_ties || single.size() < 2) return;
  Body<T>&first = model.bodies[static_cast<std::size_t>(single.front())],
  &last = model.bodies[static_cast<std::size_t>(single.back())];
  if (first.v == last.v) return;
  const T inertia = number(0.05, 0.2);  // of a rotor that turns by q + q / 2
  first.armature += inertia;
  last.armature += T(0.25) * inertia;
  model.rotor_ties.push_back({first.v, last.v, T(0.5) * inertia});
}

}  // namespace lw
