#include "design_input.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "../../base/text.hpp"
#include "../../dynamics/parameters/parameter_derivatives.hpp"
#include "../../model/complaints.hpp"
#include "codegen_options.hpp"
#include "vectors.hpp"

namespace lw::cli {

std::vector<std::string> design_parameters(const std::string& option, const std::string& text,
                                           const Mechanism& mechanism, const Model<double>& state) {
  std::vector<std::string> names;
  for (const std::string& name : names_in(option, text)) {
    std::vector<std::string> more{name};
    if (name == "all") more = file_parameters(mechanism);
    if (name == "all") std::erase_if(more, [&](const std::string& p) { return is_force_time(mechanism, p); });
    if (name == "inertial") more = inertial_parameter_names(mechanism);
    if (name == "start") more = initial_state_names(state);
    if (more.empty()) {
      throw Error(ErrorCode::usage,
                  fmt::format("`{}` has no named parameters; use `inertial` for those of its links", mechanism.name));
    }
    names.insert(names.end(), more.begin(), more.end());
  }
  return names;
}

DesignFunctional functional_of(const std::string& option, const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string kind = colon == std::string::npos ? "" : trimmed(text.substr(0, colon));
  DesignFunctional f;
  f.name = trimmed(text);
  if (kind.empty()) {
    throw Error(
        ErrorCode::usage,
        fmt::format(
            "{} {}: the kind is missing; write `integral: FORMULA`, `end: FORMULA`, or `0.5: FORMULA` for that instant",
            option, in_quotes(text)));
  }
  f.formula = {option, trimmed(text.substr(colon + 1))};
  if (kind != "integral") {
    f.kind = DesignFunctional::Kind::instant;
    if (kind != "end") f.time = parse_value(kind, false, option);
  }
  return f;
}

std::vector<WrittenFormula> torque_formulas(const Arguments& arguments, const LoadedPlant& plant) {
  const Model<double>& model = plant.loaded.model;
  const std::vector<std::string>& actuated = plant.motors.velocity_names;
  std::vector<WrittenFormula> list(static_cast<std::size_t>(model.nv), {"--torque", "0"});
  for (const std::string& text : arguments.texts("--torque")) {
    const std::size_t sign = text.find('=');
    const std::string joint = trimmed(text.substr(0, sign));
    const auto place = std::find(model.velocity_names.begin(), model.velocity_names.end(), joint);
    if (sign == std::string::npos)
      throw Error(ErrorCode::usage, fmt::format("--torque {}: must have the form JOINT=FORMULA", in_quotes(text)));
    if (place == model.velocity_names.end()) {
      throw Error(ErrorCode::usage, fmt::format("--torque: `{}` has no joint {}; {}", model.name, in_quotes(joint),
                                                suggestion(joint, model.velocity_names)));
    }
    if (std::ranges::find(actuated, joint) == actuated.end()) {
      throw Error(ErrorCode::usage,
                  fmt::format("--torque: {} follows the loops of `{}` and is not actuated; actuated: {}",
                              in_quotes(joint), model.name, fmt::join(actuated, ", ")));
    }
    list[static_cast<std::size_t>(place - model.velocity_names.begin())].text = trimmed(text.substr(sign + 1));
  }
  return list;
}

}  // namespace lw::cli
