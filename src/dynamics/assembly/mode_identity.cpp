#include "mode_identity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/LU>

#include "../../base/index.hpp"
#include "../../base/linear.hpp"

namespace lw {
namespace {

using Eigen::MatrixXd;

constexpr double kSingularBlock = 1e-9;

MatrixXd block_of(const ClosureState& state, int nv, const ClosureBlock& block) {
  const Eigen::Map<const MatrixXd> J(state.jacobian.data(), static_cast<Eigen::Index>(state.residual.size()), nv);
  MatrixXd part(static_cast<Eigen::Index>(block.equations.size()), static_cast<Eigen::Index>(block.velocities.size()));
  for (Eigen::Index i = 0; i < part.rows(); ++i) {
    for (Eigen::Index k = 0; k < part.cols(); ++k)
      part(i, k) = J(block.equations[static_cast<std::size_t>(i)], block.velocities[static_cast<std::size_t>(k)]);
  }
  return part;
}

// Velocities between a body and the base; mimics count as what they follow.
std::vector<bool> carried_by(const Model<double>& model, int body) {
  std::vector<bool> on(at(model.nv), false);
  for (int k = body; k >= 0; k = model.bodies[at(k)].parent) {
    const Body<double>& b = model.bodies[at(k)];
    for (int v = 0; v < b.velocities(); ++v) on[at(b.v + v)] = true;
  }
  return on;
}

// A loop by itself, its velocities those of `free` that move its two sides against each other.
ClosureBlock single_loop(const Model<double>& model, int loop, const std::vector<bool>& free) {
  ClosureBlock block;
  block.loops = {loop};
  int equation = 0;
  for (int l = 0; l < loop; ++l) equation += 6 - velocities(model.loops[at(l)].type);
  for (int k = 0; k < 6 - velocities(model.loops[at(loop)].type); ++k) block.equations.push_back(equation + k);
  // what carries both sides alike does not matter, except through a mimic
  const std::vector<bool> a = carried_by(model, model.loops[at(loop)].a.body),
                          b = carried_by(model, model.loops[at(loop)].b.body);
  for (int v = 0; v < model.nv; ++v) {
    const bool one = a[at(v)], other = b[at(v)];
    if (free[at(v)] && (model.has_mimics ? one || other : one != other)) block.velocities.push_back(v);
  }
  return block;
}

// Those that share a velocity, together.
std::vector<ClosureBlock> joined_loops(const std::vector<ClosureBlock>& loops) {
  std::vector<ClosureBlock> blocks;
  for (const ClosureBlock& loop : loops) {
    ClosureBlock sum = loop;
    std::vector<ClosureBlock> apart;
    for (const ClosureBlock& block : blocks) {
      const bool shares = std::any_of(block.velocities.begin(), block.velocities.end(), [&](int v) {
        return std::find(sum.velocities.begin(), sum.velocities.end(), v) != sum.velocities.end();
      });
      if (!shares) {
        apart.push_back(block);
        continue;
      }
      for (auto list : {&ClosureBlock::velocities, &ClosureBlock::equations, &ClosureBlock::loops}) {
        std::vector<int>& all = sum.*list;
        all.insert(all.end(), (block.*list).begin(), (block.*list).end());
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
      }
    }
    apart.push_back(std::move(sum));
    blocks = std::move(apart);
  }
  std::sort(blocks.begin(), blocks.end(),
            [](const ClosureBlock& a, const ClosureBlock& b) { return a.loops < b.loops; });
  return blocks;
}

std::vector<bool> not_held(const Model<double>& model, const std::vector<int>& held) {
  std::vector<bool> free(at(model.nv), true);
  for (const int v : held) free[at(v)] = false;
  return free;
}

}  // namespace

std::vector<ClosureBlock> closure_blocks(const Model<double>& model, const std::vector<int>& held) {
  std::vector<ClosureBlock> loops;
  for (std::size_t l = 0; l < model.loops.size(); ++l)
    loops.push_back(single_loop(model, static_cast<int>(l), not_held(model, held)));
  return joined_loops(loops);
}

std::vector<ClosureBlock> solvable_blocks(const Model<double>& model, Workspace<double>& work, In<double> q,
                                          const std::vector<int>& held) {
  const ClosureState state = closure_state(model, work, q);
  std::vector<bool> free = not_held(model, held);
  std::vector<ClosureBlock> blocks, left;
  for (std::size_t l = 0; l < model.loops.size(); ++l) left.push_back(single_loop(model, static_cast<int>(l), free));
  for (bool more = true; more;) {
    more = false;
    for (std::size_t k = 0; k < left.size() && !more; ++k) {
      const ClosureBlock block = single_loop(model, left[k].loops[0], free);
      const auto unknowns = static_cast<int>(block.velocities.size());
      if (unknowns == 0 || Svd(block_of(state, model.nv, block)).rank(kSingularBlock) < unknowns) continue;
      for (const int v : block.velocities) free[at(v)] = false;
      blocks.push_back(block);
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(k));
      more = true;
    }
  }
  for (ClosureBlock& block : left) block = single_loop(model, block.loops[0], free);
  for (ClosureBlock& block : joined_loops(left)) blocks.push_back(std::move(block));
  std::sort(blocks.begin(), blocks.end(),
            [](const ClosureBlock& a, const ClosureBlock& b) { return a.loops < b.loops; });
  return blocks;
}

bool oriented_alike(const Model<double>& model, const std::vector<ClosureBlock>& blocks, const ClosureState& a,
                    const ClosureState& b) {
  return std::all_of(blocks.begin(), blocks.end(), [&](const ClosureBlock& block) {
    if (block.velocities.empty()) return true;
    const MatrixXd Ja = block_of(a, model.nv, block), Jb = block_of(b, model.nv, block);
    return (Ja.transpose() * Jb).determinant() > 0.0;
  });
}

ModeIdentity::ModeIdentity(const Model<double>& model, Workspace<double>& work, In<double> reference,
                           const std::vector<int>& held)
    : model_(model), links_(model), ends_(links_.rod_ends()), blocks_(solvable_blocks(model, work, reference, held)) {
  const ClosureState state = closure_state(model, work, reference);
  for (const ClosureBlock& block : blocks_) {
    const MatrixXd J = block_of(state, model.nv, block);
    reference_.emplace_back(J.data(), J.data() + J.size());
  }
  reference_over_ = turned_over(work, reference);
}

std::vector<bool> ModeIdentity::turned_over(Workspace<double>& work, In<double> q) const {
  std::vector<bool> over(blocks_.size(), false);
  if (ends_.empty()) return over;
  const LinkPoses poses = links_.at(work, q);
  for (const LinkComparison::RodEnd& end : ends_) {
    if (links_.handedness(work, poses, end) >= 0.0) continue;
    const auto of = [&](const ClosureBlock& block) {
      const std::vector<int>& list = end.loop >= 0 ? block.loops : block.velocities;
      return std::find(list.begin(), list.end(), end.loop >= 0 ? end.loop : model_.bodies[lw::at(end.first)].v) !=
             list.end();
    };
    for (std::size_t b = 0; b < blocks_.size(); ++b) over[b] = over[b] != of(blocks_[b]);
  }
  return over;
}

ModeIdentity::Measure ModeIdentity::at(Workspace<double>& work, In<double> q) const {
  const std::vector<bool> over = turned_over(work, q);
  const ClosureState state = closure_state(model_, work, q);
  Measure measure;
  double most = 0.0, least = std::numeric_limits<double>::infinity();
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const MatrixXd J = block_of(state, model_.nv, blocks_[b]);
    if (J.cols() == 0) continue;
    const Eigen::Map<const MatrixXd> reference(reference_[b].data(), J.rows(), J.cols());
    const Eigen::VectorXd s = Svd(J).s, s0 = Svd(MatrixXd(reference)).s;
    const bool tall = J.rows() >= J.cols();
    const double smallest = tall ? s[s.size() - 1] : 0.0;
    const bool singular = !(smallest > kSingularBlock * s[0]) || !tall || !(s0[s0.size() - 1] > kSingularBlock * s0[0]);
    const double turn = over[b] == reference_over_[b] ? 1.0 : -1.0;
    const double sign = singular ? 0.0 : turn * (reference.transpose() * J).determinant() > 0.0 ? 1.0 : -1.0;
    measure.signs += sign > 0.0 ? '+' : sign < 0.0 ? '-' : '0';
    measure.volumes.push_back((sign < 0.0 ? -1.0 : 1.0) * (tall ? s.prod() : 0.0));
    most = std::max(most, s[0]);
    least = std::min(least, smallest);
  }
  if (std::isfinite(least)) {
    measure.distance = least;
    measure.condition = least > 0.0 ? most / least : std::numeric_limits<double>::infinity();
  }
  return measure;
}

}  // namespace lw
