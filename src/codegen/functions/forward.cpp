// Accelerations under torques.
#include <fmt/format.h>

#include "../../dynamics/tree/aba.hpp"
#include "losses.hpp"
#include "method_list.hpp"
#include "rows.hpp"

namespace lw {
namespace {

// By mass matrix and bias, and the factors of the mass matrix.
void by_mass_matrix(Tracing& t) {
  const std::size_t n = t.plan.freedoms();
  const auto torques = [&](In<Expr> q, In<Expr> qd, In<Expr> qdd, Out<Expr> h) {
    tensor_torques(t)(q, qd, qdd, h);
    for (std::size_t k = 0; k < h.size(); ++k) name_value(h[k], fmt::format("bias{}", k + 1));
  };
  prepare_projection<Expr>(t.scene.model, t.plan, t.work, t.q);
  projected_mass_matrix<Expr>(t.scene.model, t.plan, t.work, t.q, t.work.H, composite_masses(t));
  name_lower_half(t.work.H, n, "M", "M");
  projected_accelerations<Expr>(t.scene.model, t.plan, t.work, t.q, t[kQd], t[kTau], t.out[0], t.work.H,
                                with_names(t, torques));
  name_lower_half(t.work.H, n, "D", "L");
  name_multipliers(t.work);
}

void forward_methods(MethodList& list) {
  if (list.friction()) return forward_loss_methods(list);
  const auto articulated = [&](bool canonical) {
    const char* name = canonical ? "articulated bodies, canonical frames" : "articulated bodies, the model's frames";
    list.add({name, canonical ? Frames::chosen : Frames::of_model, For::trees}, [canonical](Tracing& t) {
      const Model<Expr> m = canonical ? canonical_model(t.scene.tree, t.scene.fewer) : t.scene.fewer;
      Workspace<Expr> work(m);
      std::vector<Expr> tau = t[kTau];
      if (canonical) add_elements(t.scene.fewer, t.q, tau);
      aba<Expr>(m, work, t.q, t[kQd], tau, t.out[0]);
    });
  };
  articulated(true);
  if (!list.is_huge() || list.values().has_mimics) {
    articulated(false);
    list.search({"mass matrix and bias, branch-sparse factors", Frames::chosen, For::trees}, by_mass_matrix);
  }
  list.search({"mass matrix and bias", Frames::chosen, For::loops}, by_mass_matrix);
}

void forward_reference(ReferenceCall& c) {
  if (c.friction) return forward_loss_reference(c);
  forward_dynamics<double>(c.model, c.plan, c.work, c.q, c.qd, c.tau, c.out[0]);
}

}  // namespace

FunctionRow forward_row() {
  return {.id = FunctionId::forward,
          .name = "forward",
          .title = "Forward dynamics",
          .summary = "accelerations under torques",
          .inputs = {kQ, kQd, kTau},
          .outputs = {kQdd},
          .torques_alone = true,
          .losses = FunctionRow::Losses::on_request,
          .methods = {{forward_methods}},
          .reference = forward_reference};
}

}  // namespace lw
