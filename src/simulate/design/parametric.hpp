// A differential equation with parameters, and its derivatives as products: the interface needed for sensitivities.
//
//   ẏ = f(t, y, b)     the equation
//   g(t, y, b)         outputs: positions, torques, functions of them
//
//   along:  ḟ = f_y ẏ + f_b ḃ            one direction, at about twice the price of f
//   back:   ȳ = f_yᵀ w,  b̄ = f_bᵀ w      all parameters at once, at a few times the price of f
//
// Mechanisms are such systems, with closed loops too (design_system.hpp); other systems that provide these products are
// possible.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace lw {

class Parametric {
 public:
  using In = std::span<const double>;
  using Out = std::span<double>;
  enum class Of { rates, outputs };  // f, g

  virtual ~Parametric() = default;

  virtual std::size_t states() const = 0;
  virtual std::size_t parameters() const = 0;
  virtual std::size_t outputs() const = 0;
  std::size_t size(Of of) const { return of == Of::rates ? states() : outputs(); }

  // The parameters have values that the system keeps. Not const: workspaces.
  virtual void value(Of of, double t, In y, Out result) = 0;
  virtual void along(Of of, double t, In y, In dy, In db, Out result) = 0;
  // Added to y_bar and b_bar.
  virtual void back(Of of, double t, In y, In w, Out y_bar, Out b_bar) = 0;

  // The following calls are within this interval, so that inputs that jump at its ends are evaluated inside.
  virtual void enter(double /*from*/, double /*to*/) {}
  // A step was made at t, from y to next. Throws Error(data) if its derivatives would be meaningless.
  virtual void stepped(double /*t*/, In /*y*/, In /*next*/) {}
  // A stage of that step, likewise: where a force has changed sides on the way, though not from end to end.
  virtual void staged(double /*t*/, In /*y*/, In /*stage*/) {}
  // Places in y where a unit quaternion begins. Steps leave its length alone but for their error, which is taken out.
  virtual std::vector<std::size_t> quaternions() const { return {}; }
};

}  // namespace lw
