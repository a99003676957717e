#include "quantities.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "../../base/index.hpp"
#include "../../dynamics/tree/energy.hpp"
#include "../../dynamics/tree/kinematics.hpp"
#include "../../model/complaints.hpp"

namespace lw {
namespace {

std::string formula_name(const std::string& name) {
  std::string text = name;
  for (char& c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (!plain) c = '_';
  }
  if (!text.empty() && text[0] >= '0' && text[0] <= '9') text.insert(text.begin(), '_');
  return text;
}

}  // namespace

FormulaNames quantity_names(const DesignParameters& design, std::span<const Expr> b, const MotionMoment& moment) {
  FormulaNames names;
  names["t"] = moment.t;
  const Model<Expr> model = design.model<Expr>(b, moment.t);
  const auto vector = [&](const char* letter, const std::vector<std::string>& entries, const std::vector<Expr>& values,
                          const std::vector<int> LoopPlan::*counted) {
    if (values.empty()) return;
    for (std::size_t k = 0; k < values.size(); ++k)
      names.try_emplace(fmt::format("{}.{}", letter, formula_name(entries[k])), values[k]);
    std::size_t number = 0;
    for (const int k : moment.plan.*counted) names.try_emplace(fmt::format("{}{}", letter, ++number), values[at(k)]);
  };
  vector("q", model.coordinate_names, moment.q, &LoopPlan::independent_q);
  vector("qd", model.velocity_names, moment.qd, &LoopPlan::independent);
  vector("qdd", model.velocity_names, moment.qdd, &LoopPlan::independent);
  vector("tau", model.velocity_names, moment.tau, &LoopPlan::actuated);
  Workspace<Expr> work(model);
  forward_velocities<Expr>(model, work, moment.q, moment.qd);
  for (std::size_t f = 0; f < model.frames.size(); ++f) {
    const Transform<Expr> X = frame_pose<Expr>(model, work, static_cast<int>(f));
    for (int c = 0; c < 3; ++c)
      names.try_emplace(fmt::format("{}.{}", formula_name(model.frames[f].name), "xyz"[c]), X.p[c]);
  }
  const Energy<Expr> e = energy<Expr>(model, work, moment.q, moment.qd);
  names.try_emplace("kinetic", e.kinetic);
  names.try_emplace("potential", e.potential);
  for (const auto& [name, value] : design.file_values<Expr>(b, moment.t)) names.try_emplace(name, value);
  return names;
}

Expr parsed_formula(const WrittenFormula& formula, const FormulaNames& names) {
  const std::variant<Expr, FormulaError> read = parse_formula(formula.text, names);
  if (const Expr* value = std::get_if<Expr>(&read)) return *value;
  const FormulaError& fault = std::get<FormulaError>(read);
  std::string hint = fault.hint;
  if (!fault.unknown.empty() && !hint.starts_with("did you")) {
    hint =
        "formulas name t, q.JOINT, qd.JOINT, qdd.JOINT, tau.JOINT, LINK.x, kinetic, potential and parameters of the "
        "file";
  }
  const std::string message = fmt::format("`{}`: {}", formula.what, fault.message);
  if (formula.where.line > 0) {
    throw Error(ErrorCode::data, std::vector<Diagnostic>{{Severity::error, formula.where, message, hint}});
  }
  throw Error(ErrorCode::usage,
              fmt::format("{} in {}{}", message, in_quotes(formula.text), hint.empty() ? "" : "\n" + hint));
}

}  // namespace lw
