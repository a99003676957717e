#include "tracing.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include <fmt/format.h>

#include "../../base/index.hpp"
#include "../../dynamics/tree/elements.hpp"

namespace lw {

Tracing::Tracing(const FunctionRow& r, const Scene& s, const Variant& v, const LoopPlan& p,
                 const LoopPositionOptions& position, int f, const Arguments& arguments, Results& results)
    : row(r),
      scene(s),
      variant(v),
      plan(p),
      frame(f),
      in(arguments),
      out(results),
      work(s.model, p),
      zero_(p.freedoms(), Expr(0.0)) {
  const std::size_t own = row.inputs.size();
  const std::vector<Expr> none, &guess = plan.dependent_q.empty() ? none : in[own];
  LoopPosition<Expr> pose = loop_position<Expr>(scene.model, plan, in[0], guess, position);
  for (std::size_t k = 0; k < guess.size(); ++k) out[out.size() - 2][k] = pose.q[at(plan.dependent_q[k])];
  if (!guess.empty()) out.back() = pose.residual;
  q = std::move(pose.q);
}

const std::vector<Expr>& Tracing::operator[](const GroupRow& group) const {
  for (std::size_t k = 0; k < row.inputs.size(); ++k) {
    if (std::string_view(row.inputs[k].name) == group.name) return in[k];
  }
  return zero_;
}

std::vector<Expr> Tracing::kept() const {
  const std::size_t own = inputs_of(row, plan).size();
  return in.size() > own ? in[own] : std::vector<Expr>{};
}

TreeTorques<Expr> tensor_torques(const Scene& scene, const Variant& variant) {
  return [&](In<Expr> q, In<Expr> qd, In<Expr> qdd, Out<Expr> tau) {
    tensor_inverse<Expr>(scene.fewer, scene.tree, variant.method, q, qd, qdd, tau);
    subtract_elements<Expr>(scene.fewer, q, tau);
  };
}

TreeMassMatrix<Expr> composite_masses(const Tracing& t) {
  return [&t](In<Expr> q, Out<Expr> M) {
    composite_mass_matrix<Expr>(t.scene.fewer, t.scene.tree, t.variant.method, q, M);
  };
}

TreeTorques<Expr> with_names(Tracing& t, const TreeTorques<Expr>& torques) {
  return [&t, torques](In<Expr> q, In<Expr> qd, In<Expr> qdd, Out<Expr> tau) {
    name_motion_of_dependent(t, true);
    torques(q, qd, qdd, tau);
  };
}

void name_lower_half(const std::vector<Expr>& M, std::size_t n, const char* diagonal, const char* off) {
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c <= r; ++c)
      name_value(M[r * n + c], fmt::format("{}{}_{}", r == c ? diagonal : off, r + 1, c + 1));
  }
}

void name_motion(const Model<Expr>& model, const Workspace<Expr>& work, bool forces) {
  constexpr const char* axes = "xyz";
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      const auto name = [&](const Expr& e, const char* what) {
        name_value(e, fmt::format("{}{}_{}", what, i + 1, axes[k]));
      };
      name(work.velocity[i].ang[k], "omega");
      name(work.velocity[i].lin[k], "v");
      name(work.alpha[i][k], "alpha");
      name(work.acceleration[i][k], "a");
      if (!forces) continue;
      name(work.force[i].ang[k], "n");
      name(work.force[i].lin[k], "f");
    }
  }
}

void name_motion_of_dependent(const Tracing& t, bool accelerations) {
  for (const int v : t.plan.dependent) {
    std::string joint = t.scene.model.velocity_names[at(v)];
    std::replace_if(
        joint.begin(), joint.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    name_value(t.work.qd[at(v)], "qd_" + joint);
    if (accelerations) name_value(t.work.qdd[at(v)], "qdd_" + joint);
  }
}

void name_multipliers(const PlantWorkspace<Expr>& work) {
  for (std::size_t k = 0; k < work.multipliers.size(); ++k)
    name_value(work.multipliers[k], fmt::format("lambda{}", k + 1));
}

void add_elements(const Model<Expr>& model, std::span<const Expr> q, std::vector<Expr>& tau) {
  if (!has_elements(model)) return;
  std::vector<Expr> needed(tau.size(), Expr(0.0));
  subtract_elements<Expr>(model, q, needed);
  for (std::size_t k = 0; k < tau.size(); ++k) tau[k] -= needed[k];
}

}  // namespace lw
