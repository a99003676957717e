// Evaluates the formulas of a mechanism in any scalar type.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "../base/eigen_names.hpp"
#include "../graph/interpreter.hpp"
#include "mechanism.hpp"

namespace lw {

// Evaluates all nodes in one pass: operands are older than their users, and a parameter's formula is older than the
// parameter. `given` has the values of some parameters; the others keep the file's.
template <class T>
class FormulaValues {
 public:
  explicit FormulaValues(const Mechanism& mechanism, const std::map<std::string, T>& given = {}) {
    const Graph& g = *mechanism.formulas;
    values_.reserve(g.size());
    for (NodeId id = 0; id < g.size(); ++id) {
      const Node& n = g[id];
      if (n.op == Op::constant) {
        values_.push_back(T(n.value));
      } else if (n.op == Op::input) {
        const Parameter& p = mechanism.parameters[n.a];
        const auto place = given.find(p.name);
        values_.push_back(place != given.end() ? place->second : (*this)(p.value));
      } else {
        values_.push_back(apply<T>(n.op, values_[n.a], values_[n.b], values_[n.c]));  // unused operands are node 0
      }
    }
  }
  T operator()(const Formula& f) const { return f.value.is_constant() ? T(f.value.constant()) : values_[f.value.id()]; }

 private:
  std::vector<T> values_;
};

// At the default values of the parameters, for checks of values.
class DefaultValues : public FormulaValues<double> {
 public:
  using FormulaValues<double>::FormulaValues;
  using FormulaValues<double>::operator();

  EigenVector3 operator()(const Formula3& f) const;
  // The rotation of the file, normalised if it is a quaternion; identity if there is none.
  EigenMatrix3 operator()(const Rotation& rotation) const;
};

void for_each_formula(const Mechanism& mechanism, const std::function<void(const Formula&)>& visit);

}  // namespace lw
