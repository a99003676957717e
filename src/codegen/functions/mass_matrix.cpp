// The mass matrix of the independent joints.
#include "../../dynamics/derivatives/inverse_derivatives.hpp"
#include "../../dynamics/tree/crba.hpp"
#include "method_list.hpp"
#include "reference_call.hpp"
#include "rows.hpp"

namespace lw {
namespace {

void give_mass_matrix(Tracing& t, const TreeMassMatrix<Expr>& mass) {
  prepare_projection<Expr>(t.scene.model, t.plan, t.work, t.q);
  projected_mass_matrix<Expr>(t.scene.model, t.plan, t.work, t.q, t.out[0], mass);
}

void mass_matrix_methods(MethodList& list) {
  if (list.is_huge()) {  // one scalar product per pair of joints; link frames need a wrench transform per pair
    return list.add({"composite bodies in the root's frame, canonical frames"}, [](Tracing& t) {
      const Model<Expr> m = canonical_model(t.scene.tree, t.scene.fewer);
      give_mass_matrix(t, [&m](In<Expr> q, Out<Expr> M) {
        DerivativeWorkspace<Expr> work(m);
        place_bodies<Expr>(m, work, q, std::vector<Expr>(static_cast<std::size_t>(m.nv), Expr(0.0)));
        placed_mass_matrix<Expr>(m, work, M);
      });
    });
  }
  list.search({"composite bodies, second moments"}, [](Tracing& t) { give_mass_matrix(t, composite_masses(t)); });
  for (const bool canonical : {true, false}) {
    const char* name =
        canonical ? "composite rigid bodies, canonical frames" : "composite rigid bodies, the model's frames";
    list.add({name, canonical ? Frames::chosen : Frames::of_model, For::trees}, [canonical](Tracing& t) {
      const Model<Expr> m = canonical ? canonical_model(t.scene.tree, t.scene.fewer) : t.scene.fewer;
      Workspace<Expr> work(m);
      give_mass_matrix(t, [&](In<Expr> q, Out<Expr> M) { crba<Expr>(m, work, q, M); });
    });
  }
}

void mass_matrix_reference(ReferenceCall& c) { mass_matrix<double>(c.model, c.plan, c.work, c.q, c.out[0]); }

}  // namespace

FunctionRow mass_matrix_row() {
  return {.id = FunctionId::mass_matrix,
          .name = "mass-matrix",
          .title = "Mass matrix",
          .summary = "mass matrix",
          .inputs = {kQ},
          .outputs = {matrix_row("M", kVelocities, kVelocities, Measure::inertia,
                                 "mass matrix, one row and one column per velocity")},
          .torques_alone = true,
          .methods = {{mass_matrix_methods}},
          .reference = mass_matrix_reference};
}

}  // namespace lw
