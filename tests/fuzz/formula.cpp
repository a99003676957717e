// Any bytes as a formula over two parameters and over none.
#include <cmath>
#include <cstdlib>

#include "graph/expr.hpp"
#include "model/formula.hpp"
#include "target.hpp"

const Target formula("formula", [](const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  lw::Graph graph;
  const lw::FormulaNames names{{"a", graph.input("a")}, {"b", graph.input("b")}};
  const auto with_names = lw::parse_formula(text, names);
  const auto without = lw::parse_formula(text, {});
  for (const auto* result : {&with_names, &without}) {
    if (const auto* error = std::get_if<lw::FormulaError>(result)) {
      if (error->offset > size || error->message.empty()) std::abort();
    } else if (const lw::Expr& e = std::get<lw::Expr>(*result); e.is_constant() && !std::isfinite(e.constant())) {
      std::abort();
    }
  }
  // what needs no names does not change with them
  if (const auto* e = std::get_if<lw::Expr>(&without)) {
    const auto* same = std::get_if<lw::Expr>(&with_names);
    if (same == nullptr || !(*same == *e)) std::abort();
  }
});
