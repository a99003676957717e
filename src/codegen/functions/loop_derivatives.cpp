#include "loop_derivatives.hpp"

#include <algorithm>
#include <optional>

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

// The balance linearised at a motion, and the response of all joints to a change of the independent ones.
class LoopSlope {
 public:
  using Exprs = std::vector<Expr>;

  // `applied`: the given torques of all joints; `w`: as in the header.
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

  // A change of the pose and the motion. The entries of dependent joints are filled in later.
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

  // Rᵀ times the change of the tree's torques.
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

  // The change of `count` rows from `first` on, without the parts of q̈ and w, in which they are linear.
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
  // The change of the dependent joints that keeps the rows constant, given that of the independent ones.
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

// Torques of more motors than degrees of freedom: τ = A z with AᵀA z = f, where A are the rows of R of the actuated
// joints.
class Sharing {
 public:
  Sharing(const LoopPlan& plan, const std::vector<Expr>& R, std::size_t nv)
      : plan_(plan), R_(R), nv_(nv), AA_(plan.freedoms() * plan.freedoms(), Expr(0.0)) {
    const std::size_t n = plan.freedoms();
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t l = 0; l < n; ++l) {
        for (std::size_t i = 0; i < plan.actuated.size(); ++i) AA_[k * n + l] += A(i, k) * A(i, l);
      }
    }
  }

  const Expr& A(std::size_t i, std::size_t k) const { return R_[k * nv_ + at(plan_.actuated[i])]; }
  std::vector<Expr> z(std::vector<Expr> f) const {
    std::vector<Expr> factors = AA_;
    cholesky_solve<Expr>(factors, f);
    return f;
  }
  // w = R z
  std::vector<Expr> sharing_motion(const std::vector<Expr>& force) const {
    const std::vector<Expr> by = z(force);
    std::vector<Expr> w(nv_, Expr(0.0));
    for (std::size_t k = 0; k < by.size(); ++k) {
      for (std::size_t v = 0; v < nv_; ++v) w[v] += R_[k * nv_ + v] * by[k];
    }
    return w;
  }
  // The change of the torques, given that of w and of the forces.
  std::vector<Expr> change(const std::vector<Expr>& w, std::vector<Expr> force) const {
    const std::size_t n = force.size(), actuated = plan_.actuated.size();
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t i = 0; i < actuated; ++i) force[k] -= A(i, k) * w[at(plan_.actuated[i])];
    }
    const std::vector<Expr> by = z(force);
    std::vector<Expr> tau;
    for (std::size_t i = 0; i < actuated; ++i) {
      Expr sum = w[at(plan_.actuated[i])];
      for (std::size_t k = 0; k < n; ++k) sum += A(i, k) * by[k];
      tau.push_back(sum);
    }
    return tau;
  }

 private:
  const LoopPlan& plan_;
  const std::vector<Expr>& R_;
  std::size_t nv_;
  std::vector<Expr> AA_;
};

class LoopDerivatives {
 public:
  using Exprs = std::vector<Expr>;

  LoopDerivatives(Tracing& t, Slopes::Of of)
      : t_(t),
        forward_(of == Slopes::Of::forward),
        shares_(!forward_ && t.plan.actuated != t.plan.independent),
        n_(t.plan.freedoms()),
        nv_(at(t.scene.model.nv)),
        applied_(nv_, Expr(0.0)),
        w_(nv_, Expr(0.0)) {
    set_pose<Expr>(t.scene.model, t.plan, t.work, t.q);
    forward_ ? find_accelerations() : find_torques();
  }

  void trace(const Function& balance, Elimination order) {
    const LoopSlope slope(t_, balance, order, applied_, w_);
    for (std::size_t k = 0; k < n_; ++k) {
      LoopSlope::Change by_q = slope.change(), by_qd = by_q, by_qdd = by_q;
      by_q.step = by_qd.qd = by_qdd.qdd = column_of_R(k);
      slope.follow_velocities(by_q);
      slope.follow_accelerations(by_q);
      give(slope, 0, k, by_q);
      slope.follow_accelerations(by_qd);
      give(slope, 1, k, by_qd);
      if (!forward_) give(slope, 2, k, by_qdd);
    }
    for (std::size_t k = 0; k < t_.plan.actuated.size() && forward_; ++k) along_torque(k);
    for (std::size_t k = 0; k < t_.kept().size(); ++k) {
      LoopSlope::Change by_p = slope.change();
      by_p.parameter = static_cast<int>(k);
      slope.follow_parameter(by_p);
      slope.follow_velocities(by_p);
      slope.follow_accelerations(by_p);
      give(slope, 3, k, by_p);
    }
  }

 private:
  // The motion of forward dynamics, and H.
  void find_accelerations() {
    const Model<Expr>& model = t_.scene.model;
    H_.resize(n_ * n_);
    projected_mass_matrix<Expr>(model, t_.plan, t_.work, t_.q, H_, composite_masses(t_));
    R_ = t_.work.R;
    Exprs factors = H_, qdd(n_);
    projected_accelerations<Expr>(model, t_.plan, t_.work, t_.q, t_.in[1], t_.in[2], qdd, factors,
                                  with_names(t_, tensor_torques(t_)));
    name_multipliers(t_.work);
    for (std::size_t k = 0; k < t_.plan.actuated.size(); ++k) applied_[at(t_.plan.actuated[k])] = t_.in[2][k];
    set_motion(qdd);
  }

  void find_torques() {
    const Model<Expr>& model = t_.scene.model;
    refuse_undriven(t_.plan, model.name, model.velocity_names);
    complement_by_unit_velocities<Expr>(model, t_.plan, t_.work);
    R_ = t_.work.R;
    set_motion(t_.in[2]);
    if (!shares_) return;
    sharing_.emplace(t_.plan, R_, nv_);
    Exprs force(n_);
    tensor_torques(t_)(t_.q, t_.work.qd, t_.work.qdd, t_.work.tau);
    project_torques<Expr>(t_.plan, t_.work, t_.work.tau, force);
    w_ = sharing_->sharing_motion(force);
    for (const int v : t_.plan.actuated) applied_[at(v)] = w_[at(v)];
  }

  void set_motion(const Exprs& qdd) {
    tree_velocities<Expr>(t_.scene.model, t_.plan, t_.work, t_.in[1]);
    tree_accelerations<Expr>(t_.scene.model, t_.plan, t_.work, t_.q, qdd);
  }

  Exprs column_of_R(std::size_t k) const {
    return Exprs(R_.begin() + static_cast<std::ptrdiff_t>(k * nv_),
                 R_.begin() + static_cast<std::ptrdiff_t>((k + 1) * nv_));
  }
  Exprs by_H(Exprs b) const {
    Exprs factors = H_;
    cholesky_solve<Expr>(factors, b);
    return b;
  }

  // Writes one column of an output from one change.
  void give(const LoopSlope& slope, std::size_t group, std::size_t column, LoopSlope::Change& c) {
    if (shares_) slope.follow_sharing(c);
    Exprs result = slope.force(c);
    if (shares_) result = sharing_->change(c.w, std::move(result));
    if (forward_) {  // q̈ changes by −H⁻¹ times the change of the forces
      result = by_H(result);
      for (Expr& e : result) e = -e;
    }
    std::copy(result.begin(), result.end(),
              t_.out[group].begin() + static_cast<std::ptrdiff_t>(column * result.size()));
  }

  void along_torque(std::size_t k) {
    Exprs unit(t_.plan.actuated.size(), Expr(0.0)), force(n_);
    unit[k] = 1.0;
    t_.work.R = R_;
    gather_torques<Expr>(t_.plan, t_.work, unit, force);
    const Exprs column = by_H(force);
    std::copy(column.begin(), column.end(), t_.out[2].begin() + static_cast<std::ptrdiff_t>(k * n_));
  }

  Tracing& t_;
  const bool forward_, shares_;
  const std::size_t n_, nv_;
  Exprs H_, R_;
  Exprs applied_;  // given torques, one per joint
  Exprs w_;        // as in the header
  std::optional<Sharing> sharing_;
};

}  // namespace

void trace_loop_derivatives(Tracing& t, Slopes::Of of, const Function& balance, Elimination order) {
  LoopDerivatives(t, of).trace(balance, order);
}

}  // namespace lw
