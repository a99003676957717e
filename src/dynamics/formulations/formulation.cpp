#include "formulation.hpp"

#include <functional>

#include <fmt/format.h>
#include <Eigen/Core>

#include "../../base/linear.hpp"
#include "../linear/cholesky.hpp"
#include "../tree/elements.hpp"
#include "binder.hpp"
#include "composite_bodies.hpp"
#include "hollerbach.hpp"
#include "lagrange.hpp"
#include "ness.hpp"
#include "newton_euler.hpp"
#include "noc.hpp"
#include "twu.hpp"

namespace lw {
namespace {

// The templates of a formulation.
template <class T>
struct Templates {
  const char* name;
  void (*inverse)(const Linkage<T>&, Poses<T>, In<T> qd, In<T> qdd, Out<T> tau);
  void (*mass_matrix)(const Linkage<T>&, Poses<T>, Out<T> M);  // null: by unit accelerations
};

template <class T>
const Templates<T>& templates(const Formulation& formulation) {
  static const std::vector<Templates<T>> all{
      {"newton-euler", newton_euler<T>, nullptr},
      {"newton-euler-modified", newton_euler_modified<T>, nullptr},
      {"binder-link", binder_link<T>, nullptr},
      {"binder-base", binder_base<T>, nullptr},
      {"lagrange", lagrange<T>, lagrange_mass_matrix<T>},
      {"hollerbach-4x4", hollerbach_4x4<T>, nullptr},
      {"hollerbach-3x3", hollerbach_3x3<T>, nullptr},
      {"twu", twu<T>, twu_mass_matrix<T>},
      {"ness", ness<T>, ness_mass_matrix<T>},
      {"noc", natural_orthogonal_complement<T>, noc_mass_matrix<T>},
      {"walker-orin", walker_orin<T>, walker_orin_mass_matrix<T>},
      {"bae-hwang-haug", bae_hwang_haug<T>, bae_hwang_haug_mass_matrix<T>},
  };
  for (const Templates<T>& t : all) {
    if (formulation.name == t.name) return t;
  }
  throw std::logic_error(formulation.name + " has no templates");
}

// The linkage of a model and the map between its coordinates and the model's.
template <class T>
struct Geared {
  explicit Geared(const Formulation& formulation, const Model<T>& of) : model(of), chain(linkage(of)) {
    const std::string why = refusal(formulation, model);
    if (!why.empty()) throw Error(ErrorCode::usage, why);
    for (const Body<T>& b : model.bodies) {
      const bool one = b.kind == JointKind::revolute || b.kind == JointKind::prismatic;
      for (int k = 0; k < b.velocities(); ++k) joints.push_back({&b, b.v + k, one});
    }
  }

  std::vector<T> coordinates(In<T> q) const {
    std::vector<T> all;
    for (const Body<T>& b : model.bodies) {
      if (b.kind == JointKind::revolute || b.kind == JointKind::prismatic) {
        all.push_back(joint_coordinate<T>(b, q));
      } else {
        const auto first = q.begin() + b.q;
        all.insert(all.end(), first, first + (b.kind == JointKind::spherical ? 4 : 7));
      }
    }
    return all;
  }
  std::vector<T> rates(In<T> qd) const {
    std::vector<T> all;
    for (const Joint& j : joints) all.push_back(j.one ? joint_rate<T>(*j.body, qd) : qd[static_cast<std::size_t>(j.v)]);
    return all;
  }

  struct Joint {  // a velocity of the linkage
    const Body<T>* body;
    int v;  // the model's velocity that it follows
    bool one;
  };
  const Model<T>& model;
  Linkage<T> chain;
  std::vector<Joint> joints;
};

template <class T>
void linkage_mass_matrix(const Templates<T>& by, const Linkage<T>& chain, Poses<T> poses, Out<T> M) {
  if (by.mass_matrix != nullptr) return by.mass_matrix(chain, poses, M);
  Linkage<T> weightless = chain;
  weightless.gravity = Vec3<T>::zero();
  const auto n = static_cast<std::size_t>(chain.nv);
  std::vector<T> still(n, T(0.0)), unit(n, T(0.0));
  for (std::size_t k = 0; k < n; ++k) {
    unit[k] = T(1.0);
    by.inverse(weightless, poses, still, unit, M.subspan(k * n, n));
    unit[k] = T(0.0);
  }
}

}  // namespace

const std::vector<Formulation>& formulations() {
  using Scope = Formulation::Scope;
  static const std::vector<Formulation> all{
      {"newton-euler", "Newton-Euler about the centres of mass (Luh, Walker, Paul 1980; Dhanaraj's table 2.3)",
       Scope::one_coordinate, 0, false},
      {"newton-euler-modified", "the same by the matrix λ of relative accelerations (Dhanaraj 1990, table 2.4)",
       Scope::one_coordinate, 0, false},
      {"binder-link", "Newton-Euler in frames at the far ends of the links (Binder 1985, equations 2.3-34 to 44)",
       Scope::chain, 0, false},
      {"binder-base", "the same in the axes of the base (Binder 1985, equations 2.3-19 to 33)", Scope::chain, 0, false},
      {"lagrange", "closed Lagrange, all coefficients formed (Uicker 1965, Kahn 1969; Dhanaraj's appendix A.1)",
       Scope::one_coordinate, 12, true},
      {"hollerbach-4x4", "recursive Lagrange with 4×4 matrices (Hollerbach 1980; Dhanaraj's appendix A.2)",
       Scope::one_coordinate, 0, false},
      {"hollerbach-3x3", "recursive Lagrange with 3×3 matrices (Hollerbach 1980; Dhanaraj's appendix A.3)",
       Scope::one_coordinate, 0, false},
      {"twu", "Lagrange by groups of matrix products (Twu 1987, chapter 4)", Scope::one_coordinate, 12, true},
      {"ness", "Newton-Euler state space: orthogonal complement in body axes (Wong 1991)", Scope::any, 0, true},
      {"noc", "natural orthogonal complement by square roots of the inertias (Angeles and Ma 1988)", Scope::any, 0,
       true, Formulation::Needs::inertias},
      {"walker-orin", "composite rigid bodies in link axes (Walker and Orin 1982, method 3)", Scope::any, 0, true,
       Formulation::Needs::masses},
      {"bae-hwang-haug", "composite inertias in base axes (Bae, Hwang and Haug 1988)", Scope::any, 0, true},
  };
  return all;
}

const Formulation* find_formulation(const std::string& name) {
  for (const Formulation& f : formulations()) {
    if (f.name == name) return &f;
  }
  return nullptr;
}

namespace {

// The property required by the formulation that a body lacks ("a mass that is not negative"); empty if none.
template <class T>
std::string lacking(const Formulation& formulation, const Body<T>& body, const Mat3<T>& I_about_com) {
  using Needs = Formulation::Needs;
  const double mass = value_of(body.inertia.mass);
  const Vec3<T>& h = body.inertia.h;
  if (mass == 0.0 && (value_of(h[0]) != 0.0 || value_of(h[1]) != 0.0 || value_of(h[2]) != 0.0)) {
    return "a centre of mass";
  }
  if (formulation.needs != Needs::nothing && mass < 0.0) return "a mass that is not negative";
  if (formulation.needs != Needs::inertias) return {};
  Eigen::Matrix3d I;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) I(r, c) = value_of(I_about_com(r, c));
  }
  const Eigen::Vector3d moments = symmetric_eigenvalues(I);
  return moments[0] >= -1e-9 * moments.cwiseAbs().maxCoeff() ? "" : "moments of inertia that are not negative";
}

}  // namespace

template <class T>
std::string refusal(const Formulation& formulation, const Model<T>& model) {
  std::vector<int> carried(model.bodies.size() + 1, 0);
  for (const Body<T>& b : model.bodies) {
    if (formulation.scope != Formulation::Scope::any && b.velocities() > 1) {
      return fmt::format("`{}` needs joints with one coordinate each; this mechanism has a {} joint", formulation.name,
                         b.kind == JointKind::spherical ? "spherical" : "floating");
    }
    if (++carried[static_cast<std::size_t>(b.parent + 1)] > 1 && formulation.scope == Formulation::Scope::chain) {
      return fmt::format("`{}` needs a chain, in which each link carries at most one other; this mechanism branches",
                         formulation.name);
    }
  }
  const auto n = static_cast<int>(model.bodies.size());
  if (formulation.most_joints > 0 && n > formulation.most_joints) {
    return fmt::format("`{}` takes up to {} joints; this mechanism has {}", formulation.name, formulation.most_joints,
                       n);
  }
  if constexpr (!std::is_same_v<T, Expr>) {  // symbols are not checked
    const Linkage<T> chain = linkage(model);
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
      const std::string what = lacking(formulation, model.bodies[i], chain.links[i].I);
      if (what.empty()) continue;
      std::string link = "a link";
      for (const Frame<T>& f : model.frames) {
        if (f.body == static_cast<int>(i)) link = "`" + f.name + "`";
      }
      return fmt::format("`{}` needs {} for every body; {} has none", formulation.name, what, link);
    }
  }
  return {};
}

template <class T>
void inverse_by(const Formulation& formulation, const Model<T>& model, In<T> q, In<T> qd, In<T> qdd, Out<T> tau) {
  check_sizes("inverse_by", model,
              {{"q", q.size(), model.nq},
               {"qd", qd.size(), model.nv},
               {"qdd", qdd.size(), model.nv},
               {"tau", tau.size(), model.nv}});
  const Geared<T> geared(formulation, model);
  const std::vector<T> x = geared.coordinates(q), xd = geared.rates(qd), xdd = geared.rates(qdd);
  std::vector<T> t(xd.size());
  templates<T>(formulation).inverse(geared.chain, joint_poses<T>(geared.chain, x), xd, xdd, t);
  for (T& each : tau) each = T(0.0);
  for (std::size_t k = 0; k < t.size(); ++k) {
    const auto& j = geared.joints[k];
    const auto v = static_cast<std::size_t>(j.v);
    if (!j.one) {
      tau[v] = t[k];
      continue;
    }
    const Body<T>& b = *j.body;
    const T own = t[k] + b.armature * xdd[k] + b.stiffness * (joint_coordinate<T>(b, q) - b.rest);
    tau[v] = b.mimics || model.has_mimics ? tau[v] + b.ratio * own : own;
  }
  subtract_elements<T>(model, q, tau);
  add_rotor_ties<T>(model, qdd, tau);
}

template <class T>
void mass_matrix_by(const Formulation& formulation, const Model<T>& model, In<T> q, Out<T> M) {
  check_sizes("mass_matrix_by", model, {{"q", q.size(), model.nq}, {"M", M.size(), model.nv * model.nv}});
  const Geared<T> geared(formulation, model);
  const std::size_t n = geared.joints.size(), nv = static_cast<std::size_t>(model.nv);
  std::vector<T> free(n * n);
  const std::vector<T> x = geared.coordinates(q);
  linkage_mass_matrix<T>(templates<T>(formulation), geared.chain, joint_poses<T>(geared.chain, x), free);
  for (T& each : M) each = T(0.0);
  for (std::size_t j = 0; j < n; ++j) {
    const auto& column = geared.joints[j];
    if (column.one) free[j * n + j] += column.body->armature;
    for (std::size_t i = 0; i < n; ++i) {
      const auto& row = geared.joints[i];
      M[static_cast<std::size_t>(column.v) * nv + static_cast<std::size_t>(row.v)] +=
          row.body->ratio * column.body->ratio * free[j * n + i];
    }
  }
  add_rotor_ties<T>(model, M);
}

template <class T>
void forward_by(const Formulation& formulation, const Model<T>& model, In<T> q, In<T> qd, In<T> tau, Out<T> qdd) {
  check_sizes("forward_by", model, {{"tau", tau.size(), model.nv}, {"qdd", qdd.size(), model.nv}});
  const auto n = static_cast<std::size_t>(model.nv);
  const std::vector<T> still(n, T(0.0));
  std::vector<T> M(n * n);
  mass_matrix_by<T>(formulation, model, q, M);
  inverse_by<T>(formulation, model, q, qd, still, qdd);
  for (std::size_t k = 0; k < n; ++k) qdd[k] = tau[k] - qdd[k];
  cholesky_solve<T>(M, qdd);
}

#define LW_INSTANTIATE(T)                                                                        \
  template std::string refusal<T>(const Formulation&, const Model<T>&);                          \
  template void inverse_by<T>(const Formulation&, const Model<T>&, In<T>, In<T>, In<T>, Out<T>); \
  template void mass_matrix_by<T>(const Formulation&, const Model<T>&, In<T>, Out<T>);           \
  template void forward_by<T>(const Formulation&, const Model<T>&, In<T>, In<T>, In<T>, Out<T>);
LW_INSTANTIATE_FOR_SCALARS(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
