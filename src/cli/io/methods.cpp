#include "methods.hpp"

namespace lw::cli {

Methods with_formulations(Methods ours) {
  for (const Formulation& f : formulations()) ours.emplace_back(f.name, f.summary);
  return ours;
}

Option method_option(const Methods& methods) {
  std::vector<std::string> names;
  for (const auto& [name, meaning] : methods) names.push_back(name);
  return choice_option("--method", "NAME", "the algorithm, listed below; default: " + names.front(), names);
}

Section method_section(const Methods& methods) { return {"Methods", methods}; }

const Formulation* chosen_formulation(const Arguments& arguments) {
  return find_formulation(arguments.text("--method"));
}

}  // namespace lw::cli
