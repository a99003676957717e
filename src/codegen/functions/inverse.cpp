// Torques of a motion: `inverse`; of a motion without acceleration: `bias`; of no motion: `gravity`.
#include "../../dynamics/formulations/formulation.hpp"
#include "../../dynamics/tree/elements.hpp"
#include "../../dynamics/tree/rnea.hpp"
#include "losses.hpp"
#include "method_list.hpp"
#include "reference_call.hpp"
#include "rows.hpp"

namespace lw {
namespace {

// Torques of the actuated joints, or generalised forces of the independent ones.
void give_torques(Tracing& t, const TreeTorques<Expr>& of_tree) {
  const Model<Expr>& model = t.scene.model;
  const TreeTorques<Expr> torques = with_names(t, of_tree);
  if (t.row.outputs[0].rows.of == Extent::Of::actuated)
    inverse_dynamics<Expr>(model, t.plan, t.work, t.q, t[kQd], t[kQdd], t.out[0], torques);
  else
    generalised_forces<Expr>(model, t.plan, t.work, t.q, t[kQd], t[kQdd], t.out[0], torques);
  name_multipliers(t.work);
}

void torque_methods(MethodList& list) {
  if (list.friction()) return loss_methods(list);
  list.search({"acceleration tensor"}, [](Tracing& t) { give_torques(t, tensor_torques(t)); });
  if (list.is_huge()) return;
  const Formulation& link_frames = *find_formulation("newton-euler-modified");
  if (!list.scenes().regroups() && refusal(link_frames, list.values()).empty()) {  // its bodies need their masses
    list.add({"link-frame Newton-Euler", Frames::of_model, For::trees}, [&](Tracing& t) {
      give_torques(t, [&](In<Expr> q, In<Expr> qd, In<Expr> qdd, Out<Expr> tau) {
        inverse_by<Expr>(link_frames, t.scene.model, q, qd, qdd, tau);
      });
    });
  }
  for (const bool canonical : {true, false}) {
    list.add(newton_euler_name("recursive Newton-Euler", canonical), [canonical](Tracing& t) {
      const Model<Expr> m = canonical ? canonical_model(t.scene.tree, t.scene.fewer) : t.scene.fewer;
      Workspace<Expr> work(m);
      give_torques(t, [&](In<Expr> q, In<Expr> qd, In<Expr> qdd, Out<Expr> tau) {
        rnea<Expr>(m, work, q, qd, qdd, tau);
        if (canonical) subtract_elements<Expr>(t.scene.fewer, q, tau);
      });
      name_motion(m, work, true);
    });
  }
}

void generalised_reference(ReferenceCall& c) {
  generalised_forces<double>(c.model, c.plan, c.work, c.q, c.qd, c.qdd, c.out[0]);
}

void inverse_reference(ReferenceCall& c) {
  if (c.friction) return loss_reference(c);
  inverse_dynamics<double>(c.model, c.plan, c.work, c.q, c.qd, c.qdd, c.out[0]);
}

}  // namespace

FunctionRow inverse_row() {
  return {.id = FunctionId::inverse,
          .name = "inverse",
          .title = "Inverse dynamics",
          .summary = "torques of a motion",
          .inputs = {kQ, kQd, kQdd},
          .outputs = {kTau},
          .torques_alone = true,
          .losses = FunctionRow::Losses::on_request,
          .methods = {{torque_methods}},
          .reference = inverse_reference};
}

FunctionRow bias_row() {
  return {.id = FunctionId::bias,
          .name = "bias",
          .title = "Bias forces",
          .summary = "Coriolis, centrifugal and gravity torques",
          .inputs = {kQ, kQd},
          .outputs = {vector_row("bias", kVelocities, Holds::forces, Measure::torque_terms,
                                 "tau for qdd = 0: Coriolis, centrifugal, gravity and spring forces")},
          .torques_alone = true,
          .methods = {{torque_methods}},
          .reference = generalised_reference};
}

FunctionRow gravity_row() {
  return {.id = FunctionId::gravity,
          .name = "gravity",
          .title = "Gravity forces",
          .summary = "torques that hold the mechanism at rest",
          .inputs = {kQ},
          .outputs = {vector_row(
              "gravity", kVelocities, Holds::forces, Measure::torque_terms,
              "torques and forces that hold the mechanism at rest: against gravity, springs and other force "
              "elements")},
          .torques_alone = true,
          .methods = {{torque_methods}},
          .reference = generalised_reference};
}

}  // namespace lw
