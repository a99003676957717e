#include "derivative_workspace.hpp"

#include <algorithm>

#include "../../base/index.hpp"
#include "../tree/crba.hpp"

namespace lw {

template <class T>
DerivativeWorkspace<T>::DerivativeWorkspace(const Model<T>& model)
    : placed(model.bodies.size()),
      composite(model.bodies.size()),
      angle(model.bodies.size(), T(0.0)),
      sine(model.bodies.size()),
      cosine(model.bodies.size()),
      fall(model.bodies.size()),
      zero(at(model.nv), T(0.0)),
      h(at(model.nv)),
      qdd(at(model.nv)) {
  std::size_t related = 0;
  std::vector<std::size_t> depth;  // velocities down to a body, its own among them
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body<T>& b = model.bodies[i];
    const bool is_root = b.parent < 0;
    first.push_back(static_cast<int>(columns.size()));
    root.push_back(!is_root ? root[at(b.parent)] : b.velocities() > 1 ? static_cast<int>(i) : -1);
    int upper = is_root || b.parent == root[i] ? -1 : first[at(b.parent)] + model.bodies[at(b.parent)].velocities() - 1;
    depth.push_back(is_root ? 0 : depth[at(b.parent)]);
    for (int k = 0; k < b.velocities(); ++k) {
      Column c;
      c.above = upper;
      c.velocity = b.v + k;
      c.ratio = b.ratio;
      upper = static_cast<int>(columns.size());
      columns.push_back(c);
      related += ++depth.back();
    }
  }
  branches = related < columns.size() * (columns.size() + 1) / 2;

  for (int j = 0; j < model.nv; ++j) by_columns.push_back(std::ptrdiff_t(j) * model.nv);
  if (model.nv <= Workspace<T>::kDense) prepare_solutions(model);
}

template <class T>
void DerivativeWorkspace<T>::prepare_solutions(const Model<T>& model) {
  constexpr int kLanes = Lanes<T>::kCount;
  const int nv = model.nv;
  for (int j = 0; j < nv; ++j) {
    in_lanes.push_back(std::ptrdiff_t(j / kLanes) * nv * 2 * kLanes + j % kLanes);
  }
  // depth first; a dense M is as if each velocity hung on the one before
  const bool dense = has_dense_mass_matrix(model);
  std::vector<std::vector<int>> children(at(nv + 1));
  for (int k = nv; k-- > 0;) children[at(1 + (dense ? k - 1 : model.dof_parent[at(k)]))].push_back(k);
  std::vector<int> ready = children[0], depth_first;
  while (!ready.empty()) {
    const int k = ready.back();
    ready.pop_back();
    depth_first.push_back(k);
    ready.insert(ready.end(), children[at(k + 1)].begin(), children[at(k + 1)].end());
  }
  int lanes = 0;
  rows.resize(at(nv));
  for (const int k : depth_first) {
    const int up = dense ? k - 1 : model.dof_parent[at(k)];
    Row& row = rows[at(k)];
    row = {static_cast<int>(path.size()), 1 + (up < 0 ? 0 : rows[at(up)].size), lanes};
    for (int s = 0; s + 1 < row.size; ++s) path.push_back(int{path[at(rows[at(up)].path + s)]});  // a copy: it may move
    path.push_back(k);
    lanes += (row.size + kLanes - 1) / kLanes;
  }
  factors.resize(at(lanes), Lanes<T>::zero());
  const auto is_above = [&](int a, int k) {  // or the same
    const Row &high = rows[at(a)], &low = rows[at(k)];
    return high.size <= low.size && path[at(low.path + high.size - 1)] == a;
  };
  const auto listed = [&](const auto& belongs) {
    std::vector<Entry> list;
    for (const int k : depth_first) {
      if (belongs(k)) list.push_back({k, 0});
    }
    // those open at an entry are above it; each closes with all that hangs on it counted
    std::vector<std::size_t> open;
    const auto close = [&] {
      const int count = list[open.back()].below;
      open.pop_back();
      if (!open.empty()) list[open.back()].below += 1 + count;
    };
    for (std::size_t n = 0; n < list.size(); ++n) {
      while (!open.empty() && !is_above(list[open.back()].velocity, list[n].velocity)) close();
      open.push_back(n);
    }
    while (!open.empty()) close();
    return list;
  };
  order = listed([](int) { return true; });
  for (int begin = 0; begin < nv; begin += kLanes) {
    const auto some = [&](const auto& holds) {
      for (int j = begin; j < std::min(begin + kLanes, nv); ++j) {
        if (holds(j)) return true;
      }
      return false;
    };
    above.push_back(listed([&](int k) { return some([&](int j) { return is_above(k, j); }); }));
    touched.push_back(listed([&](int k) { return some([&](int j) { return is_above(k, j) || is_above(j, k); }); }));
  }
  both.resize(touched.size() * at(nv), TwoLanes<T>::zero());
  single.resize(at(nv), Lanes<T>::zero());
}

#define LW_INSTANTIATE(T) template struct DerivativeWorkspace<T>;
LW_INSTANTIATE_UNCOUNTED(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
