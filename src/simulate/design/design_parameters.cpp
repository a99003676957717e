#include "design_parameters.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "../../model/evaluate.hpp"

namespace lw {

bool is_force_time(const Mechanism& mechanism, const std::string& name) {
  return name == "t" && !mechanism.forces.empty();
}

DesignParameters::DesignParameters(const Mechanism& mechanism, std::vector<std::string> names,
                                   ParameterValues<double> others)
    : mechanism_(mechanism), names_(std::move(names)), others_(std::move(others)) {
  const Model<double> model = instantiate<double>(mechanism_, others_);
  const FormulaValues<double> file(mechanism_, others_);
  table_ = parameter_table(model);
  const std::vector<double> inertial = parameter_values(model, table_);
  for (std::size_t k = 0; k < names_.size(); ++k) {
    const std::string& name = names_[k];
    if (std::find(names_.begin(), names_.begin() + static_cast<std::ptrdiff_t>(k), name) !=
        names_.begin() + static_cast<std::ptrdiff_t>(k)) {
      throw Error(ErrorCode::usage, fmt::format("the parameter `{}` is named twice", name));
    }
    if (is_force_time(mechanism_, name)) {
      throw Error(ErrorCode::usage,
                  fmt::format("`t` is the time in the forces of {}, not a parameter", mechanism_.name));
    }
    const auto p = std::find_if(mechanism_.parameters.begin(), mechanism_.parameters.end(),
                                [&](const Parameter& x) { return x.name == name; });
    const auto column = std::find(table_.names.begin(), table_.names.end(), name);
    if (p != mechanism_.parameters.end()) {
      const auto given = others_.find(name);
      inertial_.push_back(-1);
      values_.push_back(given != others_.end() ? given->second : file(p->value));
    } else if (column != table_.names.end()) {
      const auto place = static_cast<std::size_t>(column - table_.names.begin());
      inertial_.push_back(static_cast<int>(place));
      values_.push_back(inertial[place]);
    } else {
      std::vector<std::string> known = table_.names;
      for (const Parameter& x : mechanism_.parameters) known.push_back(x.name);
      const std::string near = nearest_word(name, known);
      throw Error(
          ErrorCode::usage,
          fmt::format("`{}` is neither a parameter of {} nor an inertial parameter of its links{}{}", name,
                      mechanism_.name, table_.names.empty() ? "" : fmt::format(" (such as `{}`)", table_.names.front()),
                      near.empty() ? "" : fmt::format("; did you mean `{}`?", near)));
    }
  }
}

template <class T>
ParameterValues<T> DesignParameters::given(std::span<const T> b, const T& t) const {
  require(b.size() == names_.size(), "the design needs one value per parameter");
  ParameterValues<T> values;
  for (const auto& [name, value] : others_) values[name] = T(value);
  for (std::size_t k = 0; k < b.size(); ++k) {
    if (inertial_[k] < 0) values[names_[k]] = b[k];
  }
  // forces over time name it
  for (const Parameter& p : mechanism_.parameters) {
    if (is_force_time(mechanism_, p.name)) values["t"] = t;
  }
  return values;
}

template <class T>
Model<T> DesignParameters::model(std::span<const T> b, const T& t) const {
  Model<T> model = instantiate<T>(mechanism_, given<T>(b, t));
  if (std::all_of(inertial_.begin(), inertial_.end(), [](int place) { return place < 0; })) return model;
  std::vector<T> inertial = parameter_values<T>(model, table_);
  for (std::size_t k = 0; k < b.size(); ++k) {
    if (inertial_[k] >= 0) inertial[static_cast<std::size_t>(inertial_[k])] += b[k] - T(values_[k]);
  }
  return with_parameters<T>(std::move(model), table_, inertial);
}

template <class T>
ParameterValues<T> DesignParameters::file_values(std::span<const T> b, const T& t) const {
  const FormulaValues<T> values(mechanism_, given<T>(b, t));
  const ParameterValues<T> changed = given<T>(b, t);
  ParameterValues<T> all;
  for (const Parameter& p : mechanism_.parameters) {
    const auto place = changed.find(p.name);
    all[p.name] = place != changed.end() ? place->second : values(p.value);
  }
  return all;
}

#define LW_INSTANTIATE(T)                                                           \
  template Model<T> DesignParameters::model<T>(std::span<const T>, const T&) const; \
  template ParameterValues<T> DesignParameters::file_values<T>(std::span<const T>, const T&) const;
LW_INSTANTIATE_UNCOUNTED(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
