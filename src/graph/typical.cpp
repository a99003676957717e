#include "typical.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "../base/error.hpp"
#include "../base/random.hpp"
#include "interpreter.hpp"

namespace lw {

std::vector<double> typical_values(const std::vector<Expr>& x) {
  const Graph* graph = nullptr;
  std::vector<double> values(x.size());
  std::vector<std::size_t> symbolic;
  std::vector<NodeId> nodes;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (x[k].is_constant()) {
      values[k] = x[k].constant();
    } else {
      graph = x[k].graph();
      symbolic.push_back(k);
      nodes.push_back(x[k].id());
    }
  }
  if (graph == nullptr) return values;
  const std::shared_ptr<const Graph> borrowed(std::shared_ptr<const Graph>(), graph);
  const Function function("typical", {{"symbols", graph->inputs().size()}}, {{"values", nodes.size()}}, borrowed,
                          nodes);
  std::vector<double> point(function.input_size()), found(nodes.size());
  Random random(1);
  for (int attempt = 0; attempt < 100; ++attempt) {
    const double size = attempt % 2 == 0 ? 1.0 : 10.0;
    for (double& p : point) p = random.between(0.1, 0.9) * size;
    evaluate<double>(function, point, found);
    if (!std::all_of(found.begin(), found.end(), [](double v) { return std::isfinite(v); })) continue;
    for (std::size_t k = 0; k < found.size(); ++k) values[symbolic[k]] = found[k];
    return values;
  }
  throw Error(ErrorCode::data, "an expression is not finite at any of 100 random values of its symbols");
}

}  // namespace lw
