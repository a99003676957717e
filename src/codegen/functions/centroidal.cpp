// Momentum about the centre of mass: the matrix A of h = A q̇, and Ȧ q̇ of ḣ = A q̈ + Ȧ q̇.
#include "../../dynamics/tree/centroidal.hpp"
#include "../../base/index.hpp"
#include "../../dynamics/tree/kinematics.hpp"
#include "../../dynamics/tree/rnea.hpp"
#include "method_list.hpp"
#include "reference_call.hpp"
#include "rows.hpp"

namespace lw {
namespace {

// For numbers and symbols. With loops: A R, and the rate at the accelerations of all joints that belong to q̈ = 0.
template <class T, class Out>
void give_centroidal(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work, In<T> q, In<T> qd,
                     Out& out) {
  const std::size_t n = plan.freedoms(), nv = at(model.nv);
  set_pose<T>(model, plan, work, q);
  complement_by_unit_velocities<T>(model, plan, work);
  std::vector<T> A(6 * nv);
  momentum_matrix<T>(model, work.tree, A);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < 6; ++i) {
      T sum(0.0);
      for (std::size_t v = 0; v < nv; ++v) sum += A[6 * v + i] * work.R[k * nv + v];
      out[0][6 * k + i] = sum;
    }
  }
  const std::vector<T> still(n, T(0.0));
  tree_velocities<T>(model, plan, work, qd);
  tree_accelerations<T>(model, plan, work, q, still);
  forward_accelerations<T>(model, work.tree, q, work.qd, work.qdd, Vec3<T>::zero());
  const Force<T> rate = momentum_rate<T>(model, work.tree);
  for (int k = 0; k < 3; ++k) {
    out[1][at(k)] = rate.ang[k];
    out[1][at(3 + k)] = rate.lin[k];
  }
}

void centroidal_methods(MethodList& list) {
  list.add({"composite bodies about the centre of mass", Frames::of_model}, [](Tracing& t) {
    give_centroidal<Expr>(t.scene.model, t.plan, t.work, t.q, t[kQd], t.out);
    name_motion_of_dependent(t, true);
  });
}

void centroidal_reference(ReferenceCall& c) { give_centroidal<double>(c.model, c.plan, c.work, c.q, c.qd, c.out); }

}  // namespace

FunctionRow centroidal_row() {
  return {
      .id = FunctionId::centroidal,
      .name = "centroidal",
      .title = "Centroidal momentum",
      .summary = "matrix A and bias of the momentum about the centre of mass",
      .inputs = {kQ, kQd},
      .outputs = {matrix_row(
                      "A", {.number = 6}, kVelocities, Measure::momentum,
                      "matrix of the momentum A qd about the centre of mass, one column per velocity; rows: angular "
                      "momentum x, y, z, then linear momentum, in the base's axes"),
                  vector_row("A_bias", {.number = 6}, Holds::nothing, Measure::momentum_rate,
                             "rate of that momentum for qdd = 0; in general it is A qdd + A_bias")},
      .methods = {{centroidal_methods}},
      .reference = centroidal_reference};
}

}  // namespace lw
