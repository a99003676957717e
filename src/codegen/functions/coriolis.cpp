// The matrix C of the velocity forces C q̇, with Ṁ = C + Cᵀ.
//
// With loops, q̇ = R q̇_a and H = Rᵀ M R:
//   C_a = Rᵀ (C R + M Ṙ),    Ṙ = [0; −J_u⁻¹ J̇ R]
#include "../../base/index.hpp"
#include "../../dynamics/derivatives/inverse_derivatives.hpp"
#include "../../dynamics/kinematics/closure.hpp"
#include "../../dynamics/tree/crba.hpp"
#include "../../dynamics/tree/kinematics.hpp"
#include "../../graph/tangent.hpp"
#include "../../model/displace.hpp"
#include "../../model/over.hpp"
#include "method_list.hpp"
#include "reference_call.hpp"
#include "rows.hpp"

namespace lw {
namespace {

// Matrices of the spanning tree, by columns: C, M, and J̇ of the closures along the velocities of all joints.
template <class T>
struct TreeMatrices {
  std::function<void(In<T> q, In<T> qd, Out<T> C)> coriolis;
  TreeMassMatrix<T> mass;
  std::function<std::vector<T>(In<T> q, In<T> qd)> closure_rate;
};

template <class T>
void give_coriolis(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work, In<T> q, In<T> qd,
                   const TreeMatrices<T>& tree, Out<T> C) {
  const std::size_t n = plan.freedoms(), nv = at(model.nv), m = plan.equations.size();
  prepare_projection<T>(model, plan, work, q);
  complement_by_unit_velocities<T>(model, plan, work);
  tree_velocities<T>(model, plan, work, qd);
  const std::vector<T> velocities = work.qd, J_rate = tree.closure_rate(q, velocities);
  std::vector<T> of_tree(nv * nv), M(nv * nv), rows(m), force(nv);
  tree.coriolis(q, velocities, of_tree);
  tree.mass(q, M);
  for (std::size_t k = 0; k < n; ++k) {
    const T* const R = work.R.data() + k * nv;
    for (std::size_t i = 0; i < m; ++i) {
      rows[i] = T(0.0);
      for (std::size_t v = 0; v < nv; ++v) rows[i] -= J_rate[v * m + i] * R[v];
    }
    work.factors.solve(rows);  // the rate of this column of R
    for (std::size_t i = 0; i < nv; ++i) {
      force[i] = T(0.0);
      for (std::size_t v = 0; v < nv; ++v) force[i] += of_tree[v * nv + i] * R[v];
      for (std::size_t j = 0; j < m; ++j) force[i] += M[at(plan.dependent[j]) * nv + i] * rows[j];
    }
    project_torques<T>(plan, work, force, C.subspan(k * n, n));
  }
}

template <class T>
void tree_coriolis(const Model<T>& model, In<T> q, In<T> qd, Out<T> C) {
  DerivativeWorkspace<T> work(model);
  place_bodies<T>(model, work, q, qd);
  placed_coriolis_matrix<T>(model, work, C);
}

// J of the closures, with all joints displaced by `step`.
Function displaced_closures(const MethodList& list) {
  const auto nq = at(list.values().nq), nv = at(list.values().nv);
  const ClosureEquations& equations = list.plan().equations;
  return list.apart({{"q", nq}, {"step", nv}}, {{"J", equations.size() * nv, equations.size()}}, {},
                    [&](const Scene& s, const Arguments& in, Results& out) {
                      Workspace<Expr> work(s.model);
                      forward_kinematics<Expr>(s.model, work, displaced<Expr>(s.model, in[0], in[1]));
                      closure_jacobian<Expr>(s.model, work, equations, ClosureAt::closed, out[0]);
                    });
}

void coriolis_methods(MethodList& list) {
  const Function closures = displaced_closures(list);
  for (const bool canonical : {true, false}) {
    const char* name =
        canonical ? "composite bodies in the root's frame, canonical frames" : "composite bodies in the root's frame";
    list.add({name, Frames::chosen, For::all, For::none}, [&closures, canonical](Tracing& t) {
      const Model<Expr> m = canonical ? canonical_model(t.scene.tree, t.scene.fewer) : t.scene.fewer;
      const auto closure_rate = [&](In<Expr> q, In<Expr> qd) {
        std::vector<Expr> x(q.begin(), q.end()), rates(q.size(), Expr(0.0));
        const std::vector<Expr> p = t.kept();
        x.resize(q.size() + qd.size(), Expr(0.0));
        rates.insert(rates.end(), qd.begin(), qd.end());
        x.insert(x.end(), p.begin(), p.end());
        rates.resize(x.size(), Expr(0.0));
        return tangent_at(closures, x, rates);
      };
      give_coriolis<Expr>(t.scene.model, t.plan, t.work, t.q, t[kQd],
                          {[&](In<Expr> q, In<Expr> qd, Out<Expr> C) { tree_coriolis<Expr>(m, q, qd, C); },
                           [&](In<Expr> q, Out<Expr> M) {
                             Workspace<Expr> work(m);
                             crba<Expr>(m, work, q, M);
                           },
                           closure_rate},
                          t.out[0]);
    });
  }
}

void coriolis_reference(ReferenceCall& c) {
  const auto closure_rate = [&](In<double> q, In<double> qd) {
    const Model<Dual> twin = over<Dual>(c.model);
    Workspace<Dual> work(twin);
    const std::vector<Dual> still(q.begin(), q.end());
    std::vector<Dual> step(qd.size()), J(c.plan.equations.size() * qd.size());
    for (std::size_t v = 0; v < qd.size(); ++v) step[v].d = qd[v];
    forward_kinematics<Dual>(twin, work, displaced<Dual>(twin, still, step));
    closure_jacobian<Dual>(twin, work, c.plan.equations, ClosureAt::closed, J);
    std::vector<double> rate;
    for (const Dual& x : J) rate.push_back(x.d);
    return rate;
  };
  give_coriolis<double>(c.model, c.plan, c.work, c.q, c.qd,
                        {[&](In<double> q, In<double> qd, Out<double> C) { tree_coriolis<double>(c.model, q, qd, C); },
                         [&](In<double> q, Out<double> M) { crba<double>(c.model, c.work.tree, q, M); }, closure_rate},
                        c.out[0]);
}

}  // namespace

FunctionRow coriolis_row() {
  return {.id = FunctionId::coriolis,
          .name = "coriolis",
          .title = "Coriolis matrix",
          .summary = "matrix C of the forces C qd, with Mdot - 2 C skew",
          .inputs = {kQ, kQd},
          .outputs = {matrix_row(
              "C", kVelocities, kVelocities, Measure::along_qd,
              "matrix of the Coriolis and centrifugal forces C qd, one row and one column per velocity")},
          .torques_alone = true,
          .methods = {{coriolis_methods}},
          .reference = coriolis_reference};
}

}  // namespace lw
