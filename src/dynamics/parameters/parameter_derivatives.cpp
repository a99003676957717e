#include "parameter_derivatives.hpp"

#include <algorithm>

#include "../../base/text.hpp"
#include "../../model/evaluate.hpp"
#include "regressor.hpp"

namespace lw {
namespace {

// The mechanism with one varying parameter.
class Moving {
 public:
  explicit Moving(const Mechanism& mechanism)
      : mechanism_(mechanism),
        values_(mechanism),
        model_(instantiate<Dual>(mechanism)),
        table_(parameter_table(instantiate<double>(mechanism))),
        inertial_(parameter_values(model_, table_)) {}

  Model<Dual> operator()(const std::string& parameter) const {
    for (const Parameter& p : mechanism_.parameters) {
      if (p.name == parameter) return instantiate<Dual>(mechanism_, {{parameter, Dual(values_(p.value), 1.0)}});
    }
    const auto place = std::find(table_.names.begin(), table_.names.end(), parameter);
    if (place == table_.names.end()) refuse(parameter);
    std::vector<Dual> values = inertial_;
    values[static_cast<std::size_t>(place - table_.names.begin())].d = 1.0;
    return with_parameters<Dual>(model_, table_, values);
  }

 private:
  [[noreturn]] void refuse(const std::string& parameter) const {
    std::vector<std::string> known = file_parameters(mechanism_);
    known.insert(known.end(), table_.names.begin(), table_.names.end());
    const std::string near = nearest_word(parameter, known);
    throw Error(ErrorCode::usage, "`" + parameter + "` is neither a parameter of " + mechanism_.name +
                                      " nor an inertial one of its links (such as `" + table_.names.front() + "`)" +
                                      (near.empty() ? "" : "; did you mean `" + near + "`?"));
  }

  const Mechanism& mechanism_;
  FormulaValues<double> values_;
  Model<Dual> model_;
  ParameterTable table_;
  std::vector<Dual> inertial_;
};

}  // namespace

std::vector<std::vector<double>> parameter_derivatives(const Mechanism& mechanism,
                                                       const std::vector<std::string>& parameters, const OfModel& f) {
  const Moving moving(mechanism);
  std::vector<std::vector<double>> all;
  for (const std::string& parameter : parameters) {
    std::vector<double> slopes;
    for (const Dual& x : f(moving(parameter))) slopes.push_back(x.d);
    all.push_back(std::move(slopes));
  }
  return all;
}

std::vector<std::string> file_parameters(const Mechanism& mechanism) {
  std::vector<std::string> names;
  for (const Parameter& p : mechanism.parameters) names.push_back(p.name);
  return names;
}

std::vector<std::string> inertial_parameter_names(const Mechanism& mechanism) {
  return parameter_table(instantiate<double>(mechanism)).names;
}

}  // namespace lw
