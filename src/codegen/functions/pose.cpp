// Pose and Jacobian of a frame; energies.
#include "../../base/index.hpp"
#include "../../dynamics/tree/energy.hpp"
#include "../../dynamics/tree/kinematics.hpp"
#include "method_list.hpp"
#include "reference_call.hpp"
#include "rows.hpp"

namespace lw {
namespace {

// For numbers and symbols. `out`: position and rotation, by columns.
template <class T, class Out>
void give_pose(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work, In<T> q, int frame, Out& out) {
  set_pose<T>(model, plan, work, q);
  const Transform<T> X = frame_pose<T>(model, work.tree, frame);
  for (int c = 0; c < 3; ++c) {
    out[0][at(c)] = X.p[c];
    for (int r = 0; r < 3; ++r) out[1][at(3 * c + r)] = X.R(r, c);
  }
}

template <class T, class Out>
void give_jacobian(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work, In<T> q, int frame, Out& out) {
  set_pose<T>(model, plan, work, q);
  frame_jacobian<T>(model, plan, work, frame, out[0]);
}

template <class T, class Out>
void give_energy(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work, In<T> q, In<T> qd, Out& out) {
  prepare_projection<T>(model, plan, work, q);
  tree_velocities<T>(model, plan, work, qd);
  forward_velocities<T>(model, work.tree, q, work.qd);
  const Energy<T> e = energy<T>(model, work.tree, q, work.qd);
  out[0][0] = e.kinetic;
  out[1][0] = e.potential;
}

constexpr const char* kOutward = "poses from the base outward";

void pose_methods(MethodList& list) {
  list.add({kOutward, Frames::of_model},
           [](Tracing& t) { give_pose<Expr>(t.scene.model, t.plan, t.work, t.q, t.frame, t.out); });
}
void pose_reference(ReferenceCall& c) { give_pose<double>(c.model, c.plan, c.work, c.q, c.frame, c.out); }

void jacobian_methods(MethodList& list) {
  list.add({kOutward, Frames::of_model},
           [](Tracing& t) { give_jacobian<Expr>(t.scene.model, t.plan, t.work, t.q, t.frame, t.out); });
}
void jacobian_reference(ReferenceCall& c) { give_jacobian<double>(c.model, c.plan, c.work, c.q, c.frame, c.out); }

void energy_methods(MethodList& list) {
  list.add({"velocities outward", Frames::of_model}, [](Tracing& t) {
    give_energy<Expr>(t.scene.model, t.plan, t.work, t.q, t[kQd], t.out);
    name_motion_of_dependent(t, false);
    name_motion(t.scene.model, t.work.tree, false);
  });
}
void energy_reference(ReferenceCall& c) { give_energy<double>(c.model, c.plan, c.work, c.q, c.qd, c.out); }

}  // namespace

FunctionRow kinematics_row() {
  return {.id = FunctionId::kinematics,
          .name = "kinematics",
          .title = "Kinematics",
          .summary = "pose of a frame",
          .inputs = {kQ},
          .outputs = {vector_row("position", {.number = 3}, Holds::lengths, Measure::reach,
                                 "of the origin of `{frame}` in the base's frame"),
                      matrix_row("rotation", {.number = 3}, {.number = 3}, Measure::one,
                                 "matrix whose columns are the axes of `{frame}`, in the base's axes")},
          .inertias = false,
          .has_frame = true,
          .methods = {{pose_methods}},
          .reference = pose_reference};
}

FunctionRow jacobian_row() {
  return {.id = FunctionId::jacobian,
          .name = "jacobian",
          .title = "Jacobian",
          .summary = "Jacobian of a frame, angular rows first",
          .inputs = {kQ},
          .outputs = {matrix_row(
              "jacobian", {.number = 6}, kVelocities, Measure::lever,
              "matrix, a column per velocity; rows: angular velocity x, y, z of `{frame}`, then the velocity "
              "of its origin, all in the base's axes")},
          .inertias = false,
          .has_frame = true,
          .methods = {{jacobian_methods}},
          .reference = jacobian_reference};
}

FunctionRow energy_row() {
  return {.id = FunctionId::energy,
          .name = "energy",
          .title = "Energy",
          .summary = "kinetic and potential energy",
          .inputs = {kQ, kQd},
          .outputs = {vector_row("kinetic", {}, Holds::energies, Measure::kinetic, "kinetic energy"),
                      vector_row("potential", {}, Holds::energies, Measure::potential, "potential energy")},
          .methods = {{energy_methods}},
          .reference = energy_reference};
}

}  // namespace lw
