#include "substituted.hpp"

#include <vector>

#include <fmt/format.h>

#include "base/error.hpp"

namespace lw::reproduce {

Substituted substituted(const Function& function) {
  const Graph& graph = function.graph();
  std::vector<Substituted> of(graph.size());
  const auto joined = [&](const Node& n, double multiplications, double additions) {
    const Substituted &a = of[n.a], &b = of[n.b];
    return Substituted{a.multiplications + b.multiplications + multiplications, a.additions + b.additions + additions,
                       a.bytes + b.bytes + 3};
  };
  for (const NodeId id : function.order()) {
    const Node& n = graph[id];
    switch (n.op) {
      case Op::constant: of[id].bytes = static_cast<double>(fmt::format("{}", n.value).size()); break;
      case Op::input: of[id].bytes = static_cast<double>(graph.inputs()[n.a].size()); break;
      case Op::add:
      case Op::sub: of[id] = joined(n, 0, 1); break;
      case Op::mul:
      case Op::div: of[id] = joined(n, 1, 0); break;
      case Op::neg:
        of[id] = of[n.a];
        of[id].bytes += 1;
        break;
      case Op::sin:
      case Op::cos:
        of[id] = of[n.a];
        of[id].bytes += 5;
        break;
      default: require(false, "only arithmetic, sines and cosines are written out");
    }
  }
  Substituted all;
  for (const NodeId id : function.results()) {
    all.multiplications += of[id].multiplications;
    all.additions += of[id].additions;
    all.bytes += of[id].bytes;
  }
  return all;
}

}  // namespace lw::reproduce
