#include "losses.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../dynamics/linear/cholesky.hpp"
#include "../../dynamics/tree/elements.hpp"
#include "../../graph/typical.hpp"
#include "friction_methods.hpp"
#include "rows.hpp"

namespace lw {
namespace {

// A row has only the total, or all parts.
template <class T, class Vectors>
void give_parts(const FunctionRow& row, const Losses<T>& l, Vectors& out) {
  std::vector<const std::vector<T>*> parts{&l.total};
  if (row.losses == FunctionRow::Losses::always)
    parts = {&l.dynamic, &l.bearing, &l.at_joint, &l.transmission, &l.total, &l.motor};
  for (std::size_t k = 0; k < parts.size(); ++k) std::copy(parts[k]->begin(), parts[k]->end(), out[k].begin());
}

void give_losses(Tracing& t, const Losses<Expr>& losses) {
  if (t.row.losses != FunctionRow::Losses::always) {
    for (std::size_t k = 0; k < losses.total.size(); ++k) {
      name_value(losses.bearing[k], fmt::format("bearing{}", k + 1));
      name_value(losses.at_joint[k], fmt::format("output{}", k + 1));
    }
  }
  give_parts(t.row, losses, t.out);
}

// If losses depend on reactions, in the tree or in a cut joint, inertias must not be regrouped.
bool depends_on_loads(const MethodList& list) {
  return ClosedLosses<double>(list.values(), list.plan()).feels_reactions();
}

}  // namespace

MethodName newton_euler_name(const char* what, bool canonical) {
  return {fmt::format("{}, {}", what, canonical ? "canonical frames" : "the model's frames"),
          canonical ? Frames::chosen : Frames::of_model};
}

void loss_methods(MethodList& list) {
  const bool elements = has_elements(list.values());  // canonical frames do not support them, and they load bearings
  if (!elements) {
    list.search({"acceleration tensor, with losses", Frames::chosen, For::trees},
                [](Tracing& t) { give_losses(t, tensor_losses(t.scene, t.variant.method, t.in)); });
    if (list.is_huge()) return;
  }
  for (const bool canonical : {true, false}) {
    if (canonical && elements) continue;
    MethodName name = newton_euler_name("recursive Newton-Euler with losses", canonical);
    name.mechanisms = For::trees;
    list.add(name, [canonical](Tracing& t) {
      const Model<Expr> m = canonical ? canonical_model(t.scene.tree, t.scene.fewer) : t.scene.fewer;
      Workspace<Expr> work(m);
      give_losses(t, newton_euler_losses(m, canonical ? &t.scene.tree : nullptr, work, t.in));
      name_motion(m, work, true);
    });
  }
  MethodName in_loops = newton_euler_name("recursive Newton-Euler with losses", false);
  in_loops.mechanisms = For::loops;
  list.add(in_loops, [loads = depends_on_loads(list)](Tracing& t) {
    ClosedLosses<Expr> made(loads ? t.scene.model : t.scene.fewer, t.plan);
    made.inverse(t.work, t.q, t[kQd], t[kQdd]);
    give_losses(t, made.losses);
  });
}

void loss_reference(ReferenceCall& c) {
  ClosedLosses<double> made(c.model, c.plan);
  made.inverse(c.work, c.q, c.qd, c.qdd);
  give_parts(c.row, made.losses, c.out);
}

std::vector<double> torques_with_losses(const Model<double>& model, const LoopPlan& plan, In<double> q, In<double> qd,
                                        In<double> qdd) {
  PlantWorkspace<double> work(model, plan);
  ClosedLosses<double> made(model, plan);
  made.inverse(work, q, qd, qdd);
  return made.losses.total;
}

namespace {

// Losses that do not depend on loads: H q̈ = τ − h − (friction at q̈ = 0).
void forward_without_loads(Tracing& t, bool loads) {
  const Model<Expr>& lossy = loads ? t.scene.model : t.scene.fewer;
  ClosedLosses<Expr> made(lossy, t.plan);
  const auto& drives = made.motors().transmissions;
  const bool drives_lose = std::any_of(drives.begin(), drives.end(), [](const Transmission<Expr>& transmission) {
    return std::any_of(transmission.drives.begin(), transmission.drives.end(),
                       [](const DriveLoss<Expr>& d) { return !d.efficiency.empty() || !is_zero(d.breakaway); });
  });
  if (made.feels_reactions() || drives_lose) {
    throw Error(
        ErrorCode::usage,
        "for mechanisms with loops, `forward` is compiled only with friction that does not depend on loads; for "
        "loaded bearings and losses of drives use `linkwright forward --friction`");
  }
  const Model<Expr>& model = t.scene.model;
  set_pose<Expr>(model, t.plan, t.work, t.q);
  const std::size_t n = t.plan.freedoms();
  std::vector<Expr> H(n * n);
  projected_mass_matrix<Expr>(model, t.plan, t.work, t.q, H, composite_masses(t));
  const std::vector<Expr> R = t.work.R;
  made.forces(t.work, t.q, t[kQd], std::vector<Expr>(n, Expr(0.0)));
  t.work.R = R;
  std::vector<Expr>& qdd = t.out[0];
  gather_torques<Expr>(t.plan, t.work, t[kTau], qdd);
  for (std::size_t k = 0; k < n; ++k) qdd[k] -= made.needed[k];
  cholesky_solve<Expr>(H, qdd);
}

}  // namespace

void forward_loss_methods(MethodList& list) {
  if (list.is_huge()) throw Error(ErrorCode::usage, "`forward` with friction is compiled for up to 60 bodies");
  list.search({"mass matrix, bias and reactions; Newton steps", Frames::chosen, For::trees}, [&list](Tracing& t) {
    forward_with_losses(
        t.scene, t.variant.method, [&](const std::vector<Expr>& p) { return list.scenes().scene(p, t.variant); }, t.in,
        t.out[0]);
  });
  list.add(
      {"mass matrix and bias, with losses", Frames::chosen, For::loops},
      [loads = depends_on_loads(list)](Tracing& t) { forward_without_loads(t, loads); }, list.plain_variant());
}

void forward_loss_reference(ReferenceCall& c) {
  try {
    ForwardLosses(c.model, c.plan)(c.q, c.qd, c.tau, c.out[0]);
  } catch (const Error&) {  // it jams: there is no acceleration
    std::fill(c.out[0].begin(), c.out[0].end(), std::nan(""));
  }
}

FunctionRow friction_row() {
  const auto part = [](const char* name, const char* words, Measure measure = Measure::torque_terms) {
    return vector_row(name, kActuated, Holds::forces, measure, words);
  };
  return {.id = FunctionId::friction,
          .name = "friction",
          .title = "Losses of joints and drives",
          .summary = "losses of a motion, part by part",
          .inputs = {kQ, kQd, kQdd},
          .outputs = {part("dynamic", "torques and forces of the motion, without losses"),
                      part("bearing", "friction and damping in the joints"),
                      part("at_joint", "dynamic + bearing: output torques of the drives"),
                      part("transmission", "losses of the drives"),
                      part("total", "at_joint + transmission, on the drives' output side"),
                      part("motor",
                           "total on the motors' side: divided by the drives' ratios; for coupled drives per motor",
                           Measure::motor_terms)},
          .torques_alone = true,
          .losses = FunctionRow::Losses::always,
          .methods = {{loss_methods}},
          .reference = loss_reference};
}

}  // namespace lw
