// The matrix by which torques are linear in the inertial parameters.
#include "../../dynamics/parameters/regressor.hpp"
#include "../../base/index.hpp"
#include "method_list.hpp"
#include "reference_call.hpp"
#include "rows.hpp"

namespace lw {
namespace {

// Rᵀ Y with the tree's Y at the motion of all joints. For numbers and symbols.
template <class T>
void give_regressor(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work, const ParameterTable& table,
                    In<T> q, In<T> qd, In<T> qdd, Out<T> Y) {
  const std::size_t n = plan.freedoms(), nv = at(model.nv), columns = table.size();
  std::vector<T> of_tree(nv * columns);
  const auto whole = [&](In<T> x, In<T> xd, In<T> xdd, Out<T>) {
    regressor<T>(model, table, work.tree, x, xd, xdd, of_tree);
  };
  std::vector<T> force(n);
  generalised_forces<T>(model, plan, work, q, qd, qdd, force, TreeTorques<T>(whole));
  for (std::size_t k = 0; k < columns; ++k)
    project_torques<T>(plan, work, std::span<const T>(of_tree).subspan(k * nv, nv), Y.subspan(k * n, n));
}

void regressor_methods(MethodList& list) {
  list.add({"one body at a time", Frames::of_model}, [](Tracing& t) {
    give_regressor<Expr>(t.scene.model, t.plan, t.work, parameter_table(t.scene.model), t.q, t[kQd], t[kQdd], t.out[0]);
  });
}

void regressor_reference(ReferenceCall& c) {
  auto& table = c.parts.table;
  if (table == nullptr) table = std::make_unique<ParameterTable>(parameter_table(c.model));
  give_regressor<double>(c.model, c.plan, c.work, *table, c.q, c.qd, c.qdd, c.out[0]);
}

}  // namespace

FunctionRow regressor_row() {
  return {.id = FunctionId::regressor,
          .name = "regressor",
          .title = "Regressor",
          .summary = "matrix Y of tau = Y pi",
          .inputs = {kQ, kQd, kQdd},
          .outputs = {matrix_row(
              "Y", kVelocities, kInertial, Measure::largest,
              "matrix, a row per velocity; its columns, by link, for mass, first moments and inertia about "
              "the link's origin")},
          .inertias = false,  // they are left out of the matrix
          .methods = {{regressor_methods}},
          .reference = regressor_reference};
}

}  // namespace lw
