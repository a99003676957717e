#include "names.hpp"

#include <cmath>
#include <map>
#include <set>
#include <string>

#include "../../base/error.hpp"
#include "../../base/random.hpp"
#include "../interpreter.hpp"

namespace lw {
namespace {

constexpr double kSame = 1e-10;

// A value and its negative share a name.
std::string without_sign(const std::string& name) { return name.starts_with("minus_") ? name.substr(6) : name; }

using Point = std::vector<double>;

// The values of `nodes` at a random point.
Point values(const Function& f, const std::vector<NodeId>& nodes, std::uint64_t seed) {
  const std::shared_ptr<const Graph> graph(std::shared_ptr<const Graph>(), &f.graph());
  Interpreter<double> run(Function(f.name(), f.inputs(), {{"values", nodes.size()}}, graph, nodes, f.arithmetic()));
  Random random(seed);
  Point in(f.input_size()), out(nodes.size());
  for (double& x : in) x = random.between(0.2, 1.4);
  run(in, out);
  return out;
}

}  // namespace

void carry_names(const Function& from, const Function& to, Graph& graph) {
  std::vector<NodeId> named, candidates;
  std::set<std::string> kept;
  for (const NodeId id : to.order()) {
    if (const std::string* name = to.graph().name_of(id)) kept.insert(without_sign(*name));
  }
  for (const NodeId id : from.order()) {
    const std::string* name = from.graph().name_of(id);
    if (name != nullptr && !kept.contains(without_sign(*name))) named.push_back(id);
  }
  if (named.empty()) return;
  for (const NodeId id : to.order()) {
    const Op op = to.graph()[id].op;
    const bool is_value = op != Op::constant && op != Op::input && op != Op::neg && op != Op::call && op != Op::solve;
    if (is_value && to.graph().name_of(id) == nullptr) candidates.push_back(id);
  }
  try {
    const Point was[] = {values(from, named, 1), values(from, named, 2)};
    const Point is[] = {values(to, candidates, 1), values(to, candidates, 2)};
    std::multimap<double, std::size_t> by_size;
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      if (is[0][k] != 0.0 && std::isfinite(is[0][k])) by_size.emplace(std::abs(is[0][k]), k);
    }
    for (std::size_t k = 0; k < named.size(); ++k) {
      const double x = std::abs(was[0][k]), y = std::abs(was[1][k]);
      for (auto at = by_size.lower_bound(x * (1.0 - kSame)); at != by_size.end() && at->first <= x * (1.0 + kSame);
           ++at) {
        if (std::abs(std::abs(is[1][at->second]) - y) > kSame * y) continue;
        const Expr found(&graph, candidates[at->second]);
        const bool is_negated = is[0][at->second] * was[0][k] < 0.0;
        if ((is[1][at->second] * was[1][k] < 0.0) != is_negated) continue;
        graph.name(is_negated ? -found : found, *from.graph().name_of(named[k]));
        break;
      }
    }
  } catch (const Error&) {
    // a Solve without solution at a random point: only copied nodes keep names
  }
}

Function named(Rewrite& to) {
  Function f = to.finish();
  carry_names(to.from(), f, to.graph());
  return f;
}

}  // namespace lw
