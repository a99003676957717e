#include "loop_parameters.hpp"

#include <algorithm>

#include "../../base/index.hpp"
#include "../../graph/typical.hpp"

namespace lw {
namespace {

template <class T>
RigidInertia<T> point_mass(const T& mass, const Vec3<T>& place) {
  return RigidInertia<T>::about_com(mass, place, Mat3<T>::zero());
}

// Nothing hangs on it but one end of one loop.
template <class T>
bool ends_in_one_loop(const Model<T>& model, int body) {
  if (body < 0) return false;
  int ends = 0;
  for (const LoopClosure<T>& l : model.loops) ends += (l.a.body == body ? 1 : 0) + (l.b.body == body ? 1 : 0);
  return ends == 1 &&
         std::none_of(model.bodies.begin(), model.bodies.end(), [body](const Body<T>& b) { return b.parent == body; });
}

template <class T>
int depth_of(const Model<T>& model, int body) {
  int depth = 0;
  for (int i = body; i >= 0; i = model.bodies[at(i)].parent) ++depth;
  return depth;
}

}  // namespace

template <class T>
Model<T> masses_over_cuts(Model<T> model) {
  for (const LoopClosure<T>& loop : model.loops) {
    const bool together =
        loop.type == JointType::revolute || loop.type == JointType::universal || loop.type == JointType::spherical;
    const bool first = ends_in_one_loop(model, loop.a.body), second = ends_in_one_loop(model, loop.b.body);
    if (!together || !(first || second)) continue;
    const bool from_first = first && (!second || depth_of(model, loop.a.body) >= depth_of(model, loop.b.body));
    const Frame<T>&from = from_first ? loop.a : loop.b, &to = from_first ? loop.b : loop.a;
    RigidInertia<T>& giver = model.bodies[at(from.body)].inertia;
    const Vec3<T>& r = from.X_BF.p;
    const T square = dot(r, r);
    if (typical_values(std::vector<T>{square})[0] == 0.0) continue;
    const T mass = dot(giver.h, r) / square;
    if (is_zero(mass)) continue;
    giver += point_mass<T>(-mass, r);
    // along an axis of the frame nothing is left; what rounding leaves would be computed with
    for (int k = 0; k < 3; ++k) {
      if (is_zero(r[(k + 1) % 3]) && is_zero(r[(k + 2) % 3])) giver.h[k] = T(0.0);
    }
    if (to.body >= 0) model.bodies[at(to.body)].inertia += point_mass<T>(mass, to.X_BF.p);
  }
  return model;
}

template Model<double> masses_over_cuts<double>(Model<double>);
template Model<Expr> masses_over_cuts<Expr>(Model<Expr>);

}  // namespace lw
