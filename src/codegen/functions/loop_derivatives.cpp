#include "loop_derivatives.hpp"

#include <algorithm>

#include "../../base/index.hpp"
#include "../../dynamics/linear/cholesky.hpp"
#include "../../dynamics/tree/kinematics.hpp"
#include "../../dynamics/tree/rnea.hpp"
#include "../../graph/typical.hpp"
#include "../../model/displace.hpp"

namespace lw {

Function loop_balance(const MethodList& list, const Variant& variant) {
  const ClosureEquations& equations = list.plan().equations;
  const std::size_t nv = at(list.values().nv), m = equations.size();
  const std::vector<Group> inputs{
      {"q", at(list.values().nq)}, {"qd", nv}, {"qdd", nv}, {"w", nv}, {"lambda", m}, {"step", nv}},
      outputs{{"velocity", m}, {"acceleration", m}, {"sharing", m}, {"force", nv}, {"residual", m}};
  return list.apart(inputs, outputs, variant, [&](const Scene& s, const Arguments& in, Results& out) {
    const std::vector<Expr> q = displaced<Expr>(s.model, in[0], in[5]);
    Workspace<Expr> tree(s.model);
    forward_kinematics<Expr>(s.model, tree, q);
    closure_residual<Expr>(s.model, tree, equations, out[4]);
    std::vector<Expr> J(m * nv);
    closure_jacobian<Expr>(s.model, tree, equations, ClosureAt::closed, J);
    tensor_torques(s, variant)(q, in[1], in[2], out[3]);
    for (std::size_t i = 0; i < m; ++i) {
      out[0][i] = out[2][i] = 0.0;
      for (std::size_t v = 0; v < nv; ++v) {
        out[0][i] += J[v * m + i] * in[1][v];
        out[2][i] += J[v * m + i] * in[3][v];
        out[3][v] -= J[v * m + i] * in[4][i];
      }
    }
    forward_accelerations<Expr>(s.model, tree, q, in[1], in[2], Vec3<Expr>::zero());
    closure_accelerations<Expr>(s.model, tree, equations, in[1], out[1]);
  });
}

namespace {

// The balance linearised at a motion, and how all joints follow a change of the independent ones.
class LoopSlope {
 public:
  using Exprs = std::vector<Expr>;

  // `applied`: torques of all joints that are given; `w`: as in the header.
  LoopSlope(Tracing& t, const Function& balance, Elimination order, const Exprs& applied, const Exprs& w)
      : plan_(t.plan),
        work_(t.work),
        n_(plan_.freedoms()),
        nv_(at(t.scene.model.nv)),
        m_(plan_.equations.size()),
        M_(nv_ * nv_) {
    Exprs tau(nv_), force(n_);
    const Exprs p = t.kept();
    tensor_torques(t)(t.q, work_.qd, work_.qdd, tau);
    for (std::size_t v = 0; v < nv_; ++v) tau[v] -= applied[v];
    project_torques<Expr>(plan_, work_, tau, force);
    composite_masses(t)(t.q, M_);
    Exprs x = t.q;
    for (const Exprs* part : std::initializer_list<const Exprs*>{&work_.qd, &work_.qdd, &w, &work_.multipliers})
      x.insert(x.end(), part->begin(), part->end());
    const std::size_t step = x.size(), qd = t.q.size();
    x.resize(step + nv_, Expr(0.0));
    x.insert(x.end(), p.begin(), p.end());
    std::vector<std::size_t> along;
    const auto add = [&](std::size_t first, std::size_t count) {
      for (std::size_t k = 0; k < count; ++k) along.push_back(first + k);
    };
    add(step, nv_);
    add(qd, nv_);
    add(step + nv_, p.size());
    by_all_ = jacobian_at(balance, x, along, order);
    rows_ = balance.output_size();
  }

  // A change of the pose and the motion; of what follows, entries are filled in.
  struct Change {
    Exprs step, qd, qdd, w;  // of all joints
    int parameter = -1;
  };
  Change change() const {
    return {Exprs(nv_, Expr(0.0)), Exprs(nv_, Expr(0.0)), Exprs(nv_, Expr(0.0)), Exprs(nv_, Expr(0.0)), -1};
  }

  // dq = −J_u⁻¹ ∂φ/∂p
  void follow_parameter(Change& c) const { follow(residual(), c, c.step); }
  void follow_velocities(Change& c) const { follow(0, c, c.qd); }
  void follow_accelerations(Change& c) const { follow(m_, c, c.qdd); }
  void follow_sharing(Change& c) const { follow(2 * m_, c, c.w); }

  // Rᵀ of what the tree's torques change by.
  Exprs force(const Change& c) const {
    Exprs tau = slopes(3 * m_, nv_, c), projected(n_);
    for (std::size_t i = 0; i < nv_; ++i) {
      for (std::size_t j = 0; j < nv_; ++j) tau[i] += M_[j * nv_ + i] * c.qdd[j];
    }
    project_torques<Expr>(plan_, work_, tau, projected);
    return projected;
  }

 private:
  std::size_t residual() const { return 3 * m_ + nv_; }

  // So many rows from the first, but for what q̈ and w do: these are linear.
  Exprs slopes(std::size_t first, std::size_t count, const Change& c) const {
    Exprs sum(count, Expr(0.0));
    const auto add = [&](std::size_t column, const Expr& factor) {
      if (is_zero(factor)) return;
      for (std::size_t r = 0; r < count; ++r) sum[r] += by_all_[column * rows_ + first + r] * factor;
    };
    for (std::size_t v = 0; v < nv_; ++v) add(v, c.step[v]);
    for (std::size_t v = 0; v < nv_ && first != 0; ++v) add(nv_ + v, c.qd[v]);
    if (c.parameter >= 0) add(2 * nv_ + at(c.parameter), 1.0);
    return sum;
  }
  // What dependent joints must do so that the rows stay as they are, beside what the independent ones do.
  void follow(std::size_t first, const Change& c, Exprs& of_joints) const {
    Exprs open = slopes(first, m_, c);
    for (const int v : plan_.independent) {
      for (std::size_t i = 0; i < m_; ++i) open[i] += work_.J[at(v) * m_ + i] * of_joints[at(v)];
    }
    work_.factors.solve(open);
    for (std::size_t k = 0; k < m_; ++k) of_joints[at(plan_.dependent[k])] = -open[k];
  }

  const LoopPlan& plan_;
  PlantWorkspace<Expr>& work_;
  std::size_t n_, nv_, m_, rows_ = 0;
  Exprs M_, by_all_;
};

}  // namespace

void trace_loop_derivatives(Tracing& t, const Function& balance, Elimination order) {
  using Exprs = std::vector<Expr>;
  const LoopPlan& plan = t.plan;
  const Model<Expr>& model = t.scene.model;
  const bool forward = t.row.derivative_of == FunctionId::forward;
  if (!forward) refuse_undriven(plan, model.name, model.velocity_names);
  const std::size_t n = plan.freedoms(), nv = at(model.nv), actuated = plan.actuated.size();
  const Exprs p = t.kept();
  const bool shares = !forward && plan.actuated != plan.independent;
  const TreeTorques<Expr> torques = tensor_torques(t);
  const Arguments& in = t.in;
  Results& out = t.out;
  PlantWorkspace<Expr>& work = t.work;
  set_pose<Expr>(model, plan, work, t.q);
  Exprs H(n * n), force(n), qdd = in[2], applied(nv, Expr(0.0)), w(nv, Expr(0.0));
  // accelerations of forward dynamics, and H
  if (forward)
    projected_mass_matrix<Expr>(model, plan, work, t.q, H, composite_masses(t));
  else
    complement_by_unit_velocities<Expr>(model, plan, work);
  const Exprs R = work.R;
  const auto column_of_R = [&](std::size_t k) {
    return Exprs(R.begin() + static_cast<std::ptrdiff_t>(k * nv),
                 R.begin() + static_cast<std::ptrdiff_t>((k + 1) * nv));
  };
  const auto by_H = [&](Exprs b) {
    Exprs factors = H;
    cholesky_solve<Expr>(factors, b);
    return b;
  };
  if (forward) {
    Exprs factors = H;
    qdd.resize(n);
    projected_accelerations<Expr>(model, plan, work, t.q, in[1], in[2], qdd, factors, with_names(t, torques));
    name_multipliers(work);
    for (std::size_t k = 0; k < actuated; ++k) applied[at(plan.actuated[k])] = in[2][k];
  }
  tree_velocities<Expr>(model, plan, work, in[1]);
  tree_accelerations<Expr>(model, plan, work, t.q, qdd);
  // torques that are shared: τ = A z with A the rows of R of the actuated joints, AᵀA z = f
  const auto A = [&](std::size_t i, std::size_t k) -> const Expr& { return R[k * nv + at(plan.actuated[i])]; };
  Exprs AA(n * n, Expr(0.0));
  const auto by_AA = [&](Exprs f) {
    Exprs factors = AA;
    cholesky_solve<Expr>(factors, f);
    return f;
  };
  if (shares) {
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t l = 0; l < n; ++l) {
        for (std::size_t i = 0; i < actuated; ++i) AA[k * n + l] += A(i, k) * A(i, l);
      }
    }
    torques(t.q, work.qd, work.qdd, work.tau);
    project_torques<Expr>(plan, work, work.tau, force);
    const Exprs z = by_AA(force);
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t v = 0; v < nv; ++v) w[v] += R[k * nv + v] * z[k];
    }
    for (const int v : plan.actuated) applied[at(v)] = w[at(v)];
  }
  LoopSlope slope(t, balance, order, applied, w);

  // one column of an output from one change
  const auto give = [&](std::size_t group, std::size_t column, LoopSlope::Change& c) {
    Exprs result;
    if (!shares) {
      result = slope.force(c);
      if (forward) {  // q̈ changes by −H⁻¹ of what would be missing
        result = by_H(result);
        for (Expr& e : result) e = -e;
      }
    } else {
      slope.follow_sharing(c);
      Exprs lacking = slope.force(c);
      for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t i = 0; i < actuated; ++i) lacking[k] -= A(i, k) * c.w[at(plan.actuated[i])];
      }
      const Exprs z = by_AA(lacking);
      for (std::size_t i = 0; i < actuated; ++i) {
        Expr sum = c.w[at(plan.actuated[i])];
        for (std::size_t k = 0; k < n; ++k) sum += A(i, k) * z[k];
        result.push_back(sum);
      }
    }
    std::copy(result.begin(), result.end(), out[group].begin() + static_cast<std::ptrdiff_t>(column * result.size()));
  };
  for (std::size_t k = 0; k < n; ++k) {
    LoopSlope::Change by_q = slope.change(), by_qd = by_q, by_qdd = by_q;
    by_q.step = by_qd.qd = by_qdd.qdd = column_of_R(k);
    slope.follow_velocities(by_q);
    slope.follow_accelerations(by_q);
    give(0, k, by_q);
    slope.follow_accelerations(by_qd);
    give(1, k, by_qd);
    if (!forward) give(2, k, by_qdd);
  }
  for (std::size_t k = 0; k < actuated && forward; ++k) {
    Exprs unit(actuated, Expr(0.0));
    unit[k] = 1.0;
    work.R = R;
    gather_torques<Expr>(plan, work, unit, force);
    const Exprs column = by_H(force);
    std::copy(column.begin(), column.end(), out[2].begin() + static_cast<std::ptrdiff_t>(k * n));
  }
  for (std::size_t k = 0; k < p.size(); ++k) {
    LoopSlope::Change by_p = slope.change();
    by_p.parameter = static_cast<int>(k);
    slope.follow_parameter(by_p);
    slope.follow_velocities(by_p);
    slope.follow_accelerations(by_p);
    give(3, k, by_p);
  }
}

}  // namespace lw
