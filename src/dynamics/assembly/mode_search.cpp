#include "mode_search.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "../../base/index.hpp"
#include "../../base/linear.hpp"
#include "../../base/random.hpp"
#include "../kinematics/closure.hpp"
#include "assembly.hpp"
#include "link_comparison.hpp"
#include "mode_identity.hpp"

namespace lw {
namespace {

constexpr int kFewestStarts = 40, kMostStarts = 1500, kOftenEnough = 4, kMostIterations = 30;

// One block: its loops alone, all else held.
class BlockSearch {
 public:
  BlockSearch(const Model<double>& model, Workspace<double>& work, In<double> near, const ClosureBlock& block,
              double size, const LinkComparison& links)
      : model_(model), work_(work), near_(near.begin(), near.end()), block_(block), size_(size), links_(links) {
    model_.loops.clear();
    for (const int l : block.loops) model_.loops.push_back(model.loops[at(l)]);
    for (int v = 0; v < model.nv; ++v) {
      if (std::find(block.velocities.begin(), block.velocities.end(), v) == block.velocities.end()) held_.push_back(v);
    }
  }

  struct Way {
    std::vector<double> q;
    LinkPoses links;
    int times = 1;
  };

  void run() {
    take(near_);
    Random random(1);
    while (starts < kMostStarts && (starts < kFewestStarts || rarest() < kOftenEnough)) {
      // nothing at all in a good number of starts: there is nothing to find
      if (ways.empty() && starts >= 4 * kFewestStarts) break;
      if (infinite && starts >= kFewestStarts) break;
      take(anywhere(random));
    }
  }

  int rarest() const {
    int least = kOftenEnough;
    for (const Way& way : ways) least = std::min(least, way.times);
    return ways.empty() ? 0 : least;
  }

  std::vector<Way> ways;
  int starts = 0;
  bool infinite = false;

 private:
  std::vector<double> anywhere(Random& random) const {
    std::vector<double> q = near_;
    for (const Body<double>& body : model_.bodies) {
      if (body.mimics ||
          std::find(block_.velocities.begin(), block_.velocities.end(), body.v) == block_.velocities.end())
        continue;
      const auto i = at(body.q);
      const auto turn = [&](std::size_t k) {
        double u[4], square = 0.0;
        do {
          square = 0.0;
          for (double& x : u) x = random.between(-1.0, 1.0), square += x * x;
        } while (square > 1.0 || square < 0.01);
        for (std::size_t j = 0; j < 4; ++j) q[k + j] = u[j] / std::sqrt(square);
      };
      switch (body.kind) {
        case JointKind::revolute: q[i] = random.between(-std::numbers::pi, std::numbers::pi); break;
        case JointKind::prismatic: q[i] = random.between(-size_, size_); break;
        case JointKind::spherical: turn(i); break;
        case JointKind::floating:
          for (std::size_t k = 0; k < 3; ++k) q[i + k] = random.between(-size_, size_);
          turn(i + 3);
          break;
      }
    }
    return q;
  }

  void take(const std::vector<double>& guess) {
    ++starts;
    const Assembled there = assemble_from(model_, work_, guess, held_, kMostIterations);
    if (!there.closed) return;
    // where the Jacobian is singular Newton is slow and stops short: no nearer than the root of rounding
    const double tolerance = there.condition < 1e8 ? 1e-7 * size_ : 1e-4 * size_;
    infinite = infinite || !std::isfinite(there.condition) || there.condition > 1e13;
    LinkPoses links = links_.at(work_, there.q);
    for (Way& way : ways) {
      if (std::abs(way.links.key - links.key) > links_.key_tolerance(tolerance) ||
          !links_.same(way.links, links, tolerance))
        continue;
      ++way.times;
      if (configuration_distance(model_, there.q, near_, size_) < configuration_distance(model_, way.q, near_, size_))
        way.q = there.q;
      return;
    }
    ways.push_back({there.q, std::move(links), 1});
  }

  Model<double> model_;
  Workspace<double>& work_;
  std::vector<double> near_;
  const ClosureBlock& block_;
  double size_;
  const LinkComparison& links_;
  std::vector<int> held_;
};

}  // namespace

double mechanism_size(const Model<double>& model) {
  double size = 0.0;
  for (const Body<double>& body : model.bodies) size += norm(body.X_PJ.p);
  for (const LoopClosure<double>& loop : model.loops) size += norm(loop.a.X_BF.p) + norm(loop.b.X_BF.p);
  return size > 0.0 ? size : 1.0;
}

double configuration_distance(const Model<double>& model, In<double> a, In<double> b, double size) {
  double sum = 0.0;
  for (const Body<double>& body : model.bodies) {
    if (body.mimics) continue;
    const auto i = at(body.q);
    const auto turn = [&](std::size_t k) {
      double cosine = 0.0;
      for (std::size_t j = 0; j < 4; ++j) cosine += a[k + j] * b[k + j];
      const double angle = 2.0 * std::acos(std::min(1.0, std::abs(cosine)));
      sum += angle * angle;
    };
    switch (body.kind) {
      case JointKind::revolute: {
        const double d = std::remainder(a[i] - b[i], 2.0 * std::numbers::pi);
        sum += d * d;
        break;
      }
      case JointKind::prismatic: sum += (a[i] - b[i]) * (a[i] - b[i]) / (size * size); break;
      case JointKind::spherical: turn(i); break;
      case JointKind::floating:
        for (std::size_t k = 0; k < 3; ++k) sum += (a[i + k] - b[i + k]) * (a[i + k] - b[i + k]) / (size * size);
        turn(i + 3);
        break;
    }
  }
  return std::sqrt(sum);
}

SearchResult search_modes(const Model<double>& model, Workspace<double>& work, In<double> near,
                          const std::vector<int>& held, const std::vector<bool>& yokes) {
  check_sizes("search_modes", model, work, {{"near", near.size(), model.nq}});
  SearchResult result;
  result.found.emplace_back(near.begin(), near.end());
  result.rarest = kOftenEnough;
  const double size = mechanism_size(model);
  const LinkComparison links(model, yokes);
  for (const ClosureBlock& block : closure_blocks(model, held)) {
    BlockSearch search(model, work, near, block, size, links);
    search.run();
    result.starts += search.starts;
    result.rarest = std::min(result.rarest, search.rarest());
    result.infinite = result.infinite || search.infinite;
    // every way of this block with every way of those before
    std::vector<std::vector<double>> all;
    for (const std::vector<double>& before : result.found) {
      for (const BlockSearch::Way& way : search.ways) {
        if (all.size() >= 4096) break;
        all.push_back(before);
        for (const Body<double>& body : model.bodies) {
          if (body.mimics ||
              std::find(block.velocities.begin(), block.velocities.end(), body.v) == block.velocities.end())
            continue;
          const int n = body.kind == JointKind::spherical ? 4 : body.kind == JointKind::floating ? 7 : 1;
          std::copy_n(way.q.begin() + body.q, n, all.back().begin() + body.q);
        }
      }
    }
    result.found = std::move(all);
  }
  return result;
}

}  // namespace lw
