#include "follower_rates.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <Eigen/Core>

#include "../../base/error.hpp"
#include "../../base/index.hpp"
#include "../../base/linear.hpp"
#include "../kinematics/closure.hpp"

namespace lw {

std::vector<double> follower_rates(const Model<double>& model, Workspace<double>& work, In<double> q,
                                   const std::vector<int>& driven) {
  const ClosureState state = closure_state(model, work, q);
  const Eigen::Map<const Eigen::MatrixXd> J(state.jacobian.data(), static_cast<Eigen::Index>(state.residual.size()),
                                            model.nv);
  std::vector<int> rest;
  for (int v = 0; v < model.nv; ++v) {
    if (std::find(driven.begin(), driven.end(), v) == driven.end()) rest.push_back(v);
  }
  Eigen::MatrixXd Ju(J.rows(), static_cast<Eigen::Index>(rest.size()));
  for (std::size_t k = 0; k < rest.size(); ++k) Ju.col(static_cast<Eigen::Index>(k)) = J.col(rest[k]);
  std::vector<double> G(at(model.nv) * driven.size(), 0.0);
  const auto entry = [&](std::size_t column, int v) -> double& { return G[column * at(model.nv) + at(v)]; };
  for (std::size_t k = 0; k < driven.size(); ++k) entry(k, driven[k]) = 1.0;
  if (rest.empty()) return G;
  const Svd svd(Ju);
  if (svd.rank(1e-9) < Ju.cols()) {
    throw Error(ErrorCode::data,
                fmt::format("`{}` is at a parallel singularity: the driven joints do not determine how the others move",
                            model.name));
  }
  for (std::size_t k = 0; k < driven.size(); ++k) {
    const Eigen::VectorXd follow = svd.solve(-J.col(driven[k]), 1e-12);
    for (std::size_t i = 0; i < rest.size(); ++i) entry(k, rest[i]) = follow[static_cast<Eigen::Index>(i)];
  }
  return G;
}

}  // namespace lw
