// Instantiates everything that acts on joints and links besides inertia and gravity: losses, drives, springs, stops,
// forces, shafts.
#pragma once

#include "evaluate.hpp"
#include "model.hpp"

namespace lw {

// The formulas and parameters of a mechanism, evaluated as numbers and vectors of a model.
template <class T>
class ModelValues : public FormulaValues<T> {
 public:
  ModelValues(const Mechanism& mechanism, const ParameterValues<T>& given)
      : FormulaValues<T>(mechanism, given), mechanism_(mechanism), given_(given) {}
  using FormulaValues<T>::operator();
  Vec3<T> operator()(const Formula3& f) const { return {(*this)(f[0]), (*this)(f[1]), (*this)(f[2])}; }
  T parameter(const std::string& name) const;  // must be a parameter of the mechanism

 private:
  const Mechanism& mechanism_;
  const ParameterValues<T>& given_;
};

// Adds these to a model whose bodies, frames and joints are complete. Also adds bodies for rotors with gyroscopic
// effect, which mimic their joints, and the inertia of rotors to bodies.
template <class T>
void add_forces(const Mechanism& mechanism, const ModelValues<T>& at, Model<T>& model);

}  // namespace lw
