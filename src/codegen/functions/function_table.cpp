#include <algorithm>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/text.hpp"
#include "../../model/complaints.hpp"
#include "rows.hpp"

namespace lw {

const std::vector<FunctionRow>& function_table() {
#define LINKWRIGHT_CALL(function) function##_row(),
  static const std::vector<FunctionRow> table{LINKWRIGHT_FUNCTIONS(LINKWRIGHT_CALL)};
#undef LINKWRIGHT_CALL
  return table;
}

const FunctionRow& row_of(FunctionId id) {
  const auto& table = function_table();
  return *std::find_if(table.begin(), table.end(), [&](const FunctionRow& row) { return row.id == id; });
}

const FunctionRow* find_function(std::string_view name) {
  const auto& table = function_table();
  const auto row = std::find_if(table.begin(), table.end(), [&](const FunctionRow& r) { return r.name == name; });
  return row == table.end() ? nullptr : &*row;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const FunctionRow& row : function_table()) names.emplace_back(row.name);
  return names;
}

namespace {

const FunctionRow& row_named(std::string_view name) {
  if (const FunctionRow* row = find_function(name); row != nullptr) return *row;
  const std::string text(name);
  throw Error(ErrorCode::usage,
              fmt::format("there is no function {}; {}", in_quotes(text), suggestion(text, function_names())));
}

}  // namespace

FunctionName::FunctionName(std::string_view name) : row(row_named(name)) {}

std::vector<FunctionName> functions_named(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

namespace {

// For closed-loop mechanisms: the last input, and the last outputs.
constexpr GroupRow
    kGuess = vector_row("guess", kDependent, Holds::coordinates, Measure::one,
                        "approximate dependent coordinates of the closed loops: those of a moment ago", kDependent),
    kDependentRow = vector_row("dependent", kDependent, Holds::coordinates, Measure::one,
                               "the dependent coordinates of the closed loops: the next guess", kDependent),
    kResidualRow = vector_row(
        "residual", kResiduals, Holds::nothing, Measure::one,
        "residual of the closed loops after the Newton steps (m, rad): zero if the guess was good enough", kDependent);

struct Sizes {
  const LoopPlan& plan;
  std::size_t kept, inertial;

  std::size_t operator()(const Extent& e) const {
    switch (e.of) {
      case Extent::Of::number: return e.number;
      case Extent::Of::coordinates: return plan.independent_q.size();
      case Extent::Of::velocities: return plan.freedoms();
      case Extent::Of::actuated: return plan.actuated.size();
      case Extent::Of::dependent: return plan.dependent_q.size();
      case Extent::Of::residuals: return plan.unknown.size();
      case Extent::Of::kept: return kept;
      case Extent::Of::inertial: return inertial;
    }
    return 0;
  }
};

void add(const GroupRow& g, const Sizes& size, std::vector<Group>& to) {
  const std::size_t rows = size(g.rows), entries = rows * (g.columns ? size(*g.columns) : 1);
  if (size(g.exists_with) > 0) to.push_back({g.name, entries, g.columns ? rows : 0});
}

}  // namespace

bool FunctionRow::takes(const GroupRow& group) const {
  return std::any_of(inputs.begin(), inputs.end(),
                     [&](const GroupRow& g) { return std::string_view(g.name) == group.name; });
}

const MethodSet& FunctionRow::methods_for(For kind) const {
  return *std::find_if(methods.begin(), methods.end(), [&](const MethodSet& m) { return suits(m.mechanisms, kind); });
}

For kind_of(const LoopPlan& plan) { return plan.is_tree() ? For::trees : For::loops; }

std::vector<Group> inputs_of(const FunctionRow& row, const LoopPlan& plan) {
  std::vector<Group> groups;
  const Sizes size{plan, 0, 0};
  for (const GroupRow& g : row.inputs) add(g, size, groups);
  add(kGuess, size, groups);
  return groups;
}

std::vector<Group> outputs_of(const FunctionRow& row, const LoopPlan& plan, std::size_t kept, std::size_t inertial) {
  std::vector<Group> groups;
  const Sizes size{plan, kept, inertial};
  for (const GroupRow& g : row.outputs) add(g, size, groups);
  add(kDependentRow, size, groups);
  add(kResidualRow, size, groups);
  return groups;
}

const GroupRow* group_row(const FunctionRow& row, std::string_view name) {
  for (const auto* groups : {&row.inputs, &row.outputs}) {
    for (const GroupRow& g : *groups) {
      if (g.name == name) return &g;
    }
  }
  for (const GroupRow* g : {&kGuess, &kDependentRow, &kResidualRow}) {
    if (g->name == name) return g;
  }
  return nullptr;
}

std::string signature(const FunctionRow& row) {
  std::string text;
  for (const GroupRow& g : row.inputs) text += fmt::format("{}{}", text.empty() ? "" : ", ", g.name);
  text += " -> ";
  bool first = true;
  for (const GroupRow& g : row.outputs) {
    if (g.exists_with.of != Extent::Of::number) continue;
    text += fmt::format("{}{}", first ? "" : ", ", g.name);
    first = false;
  }
  return text;
}

}  // namespace lw
