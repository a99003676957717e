#include "friction_roads.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "../dynamics/rnea.hpp"

namespace lw {
namespace {

void name_losses(const Losses<Expr>& losses) {
  for (std::size_t k = 0; k < losses.dynamic.size(); ++k) {
    const auto name = [&](const Expr& e, const char* what) { name_value(e, fmt::format("{}{}", what, k + 1)); };
    name(losses.dynamic[k], "dynamic");
    name(losses.bearing[k], "bearing");
    name(losses.at_joint[k], "at_joint");
  }
}

std::vector<Expr> places_along(const CanonicalTree<Expr>& tree) {
  std::vector<Expr> along;
  for (const auto& link : tree.links) along.push_back(link.along);
  return along;
}

}  // namespace

Losses<Expr> tensor_losses(const Scene& scene, const TensorRoad& road, const Arguments& in) {
  Losses<Expr> losses(scene.fewer);
  std::vector<Force<Expr>> reactions;
  tensor_inverse<Expr>(scene.fewer, scene.tree, road, in[0], in[1], in[2], losses.dynamic, &reactions);
  add_losses<Expr>(canonical_model(scene.tree, scene.fewer), reactions, places_along(scene.tree), in[1], in[2], losses);
  name_losses(losses);
  return losses;
}

Losses<Expr> newton_euler_losses(const Model<Expr>& model, const CanonicalTree<Expr>* tree, Workspace<Expr>& work,
                                 const Arguments& in) {
  Losses<Expr> losses(model);
  rnea<Expr>(model, work, in[0], in[1], in[2], losses.dynamic);
  add_losses<Expr>(model, work.force, tree == nullptr ? std::vector<Expr>{} : places_along(*tree), in[1], in[2], losses);
  name_losses(losses);
  return losses;
}

std::vector<Group> loss_groups(const std::string& function, std::size_t nv) {
  if (function == "inverse") return {{"tau", nv}};
  std::vector<Group> groups;
  for (const char* name : {"dynamic", "bearing", "at_joint", "transmission", "total", "motor"}) groups.push_back({name, nv});
  return groups;
}

void give_losses(const Losses<Expr>& losses, Results& out) {
  if (out.size() == 1) {
    out[0] = losses.total;
    return;
  }
  std::size_t k = 0;
  for (const auto* part : {&losses.dynamic, &losses.bearing, &losses.at_joint, &losses.transmission, &losses.total, &losses.motor}) {
    out[k++] = *part;
  }
}

std::vector<LossCost> loss_costs(const Mechanism& mechanism, const ParameterValues<double>& values) {
  ParameterValues<Expr> numbers;
  for (const auto& [name, value] : values) numbers[name] = value;
  const Model<Expr> file = instantiate<Expr>(mechanism, numbers);
  const CanonicalTree<Expr> tree = canonical_tree(file);
  const Model<Expr> model = canonical_model(tree, file);
  const auto nv = static_cast<std::size_t>(model.nv);
  std::vector<bool> done(model.transmissions.size(), false);
  std::vector<LossCost> list;
  for (const JointInfo& joint : model.joints) {
    const auto is_own = [&](int v) { return v >= joint.v && v < joint.v + velocities(joint.type); };
    Model<Expr> own = model;
    std::erase_if(own.losses, [&](const JointLoss<Expr>& loss) { return !is_own(loss.v); });
    own.transmissions.clear();
    for (std::size_t k = 0; k < done.size(); ++k) {
      const Transmission<Expr>& t = model.transmissions[k];
      if (done[k] || std::none_of(t.v.begin(), t.v.end(), is_own)) continue;
      own.transmissions.push_back(t);
      done[k] = true;
    }
    if (own.losses.empty() && own.transmissions.empty()) continue;
    const auto count = [&](bool with_losses) {
      const Function f = trace("total", {{"reaction", 6 * model.bodies.size()}, {"torque", nv}, {"qd", nv}, {"qdd", nv}}, {{"tau", nv}},
                               [&](const Arguments& in, Results& out) {
        std::vector<Force<Expr>> reactions;
        for (std::size_t i = 0; i < model.bodies.size(); ++i) {
          const Expr* x = &in[0][6 * i];
          reactions.push_back({{x[0], x[1], x[2]}, {x[3], x[4], x[5]}});
        }
        Losses<Expr> losses(own);
        losses.dynamic = in[1];
        for (const Body<Expr>& b : own.bodies) {  // the rotor's part of the torque, which does not pass the gear
          losses.dynamic[static_cast<std::size_t>(b.v)] += b.armature * joint_rate<Expr>(b, in[3]);
        }
        add_losses<Expr>(own, reactions, places_along(tree), in[2], in[3], losses);
        out[0] = with_losses ? losses.total : losses.dynamic;
      });
      return cost(lw::optimize(f, Objective::operations)).operations;
    };
    const OperationCount with = count(true), without = count(false);
    list.push_back({joint.name,
                    {with.multiplications - without.multiplications, with.additions - without.additions,
                     with.divisions - without.divisions, with.roots - without.roots,
                     with.trigonometric - without.trigonometric, with.comparisons - without.comparisons}});
  }
  return list;
}

}  // namespace lw
