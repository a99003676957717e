// Parameters of a design: b = (named parameters of the file, inertial parameters of links).
//
//   DesignParameters design(load("twu-3r"), {"l1", "m2", "link3.mx"});
//   Model<T> model = design.model<T>(b);            // at any values, of any scalar
//
// A parameter of the file changes everything computed from it; an inertial parameter (regressor.hpp: `link3.m`,
// `link3.mx`, …, `link3.rotor`) changes only this value, in addition to the effect of the file's parameters.
#pragma once

#include <string>
#include <vector>

#include "../../dynamics/parameters/regressor.hpp"
#include "../../model/model.hpp"

namespace lw {

// Whether that name is the time, which formulas of forces hold beside parameters.
bool is_force_time(const Mechanism& mechanism, const std::string& name);

class DesignParameters {
 public:
  // Throws Error(usage) for a name that is neither (with the nearest that is), and for one that is there twice.
  DesignParameters(const Mechanism& mechanism, std::vector<std::string> names, ParameterValues<double> others = {});

  const Mechanism& mechanism() const { return mechanism_; }
  const std::vector<std::string>& names() const { return names_; }
  std::size_t size() const { return names_.size(); }
  const std::vector<double>& values() const { return values_; }  // what the file says

  // At the time t, which formulas of forces may hold.
  template <class T>
  Model<T> model(std::span<const T> b, const T& t = T(0.0)) const;

  // Every parameter of the file by name, at b.
  template <class T>
  ParameterValues<T> file_values(std::span<const T> b, const T& t = T(0.0)) const;

 private:
  template <class T>
  ParameterValues<T> given(std::span<const T> b, const T& t) const;

  Mechanism mechanism_;
  std::vector<std::string> names_;
  ParameterValues<double> others_;
  std::vector<int> inertial_;  // the column of the table, or -1
  ParameterTable table_;
  std::vector<double> values_;
};

}  // namespace lw
