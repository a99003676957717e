// A function y(x) through points (x_k, y_k), for any scalar.
//
// Piecewise linear, or cubic with the slopes of Fritsch and Carlson (1980): monotone where the points are, with a
// continuous slope. Outside, `ends` decides: constant (an efficiency), or linear with the slope at the end (a spring).
// Without branches, so that it can be traced: a piece is selected by comparisons.
#pragma once

#include <cstddef>
#include <vector>

#include "../graph/scalar.hpp"

namespace lw {

template <class T>
class Curve {
 public:
  enum class Ends { constant, straight };

  Curve() = default;
  // The x_k increase (guaranteed by the checks of a mechanism). One point gives a constant.
  Curve(std::vector<T> x, std::vector<T> y, bool cubic, Ends ends);
  // The same curve in another scalar.
  template <class U>
  explicit Curve(const Curve<U>& o) : x_(o.x_.begin(), o.x_.end()), y_(o.y_.begin(), o.y_.end()), cubic_(o.cubic_) {
    for (const auto& p : o.pieces_) pieces_.push_back({p.from, p.c0, p.c1, p.c2, p.c3, p.before});
  }

  bool empty() const { return x_.empty(); }
  bool is_constant() const { return x_.size() == 1; }
  bool is_straight() const { return !cubic_; }  // linear between the points
  T operator()(const T& x) const;
  T slope(const T& x) const;     // dy/dx
  T integral(const T& x) const;  // of y from the first point to x: the energy of a spring
  const std::vector<T>& x() const { return x_; }
  const std::vector<T>& y() const { return y_; }

 private:
  template <class U>
  friend class Curve;
  // y = c0 + c1 x (linear pieces), or c0 + d (c1 + d (c2 + d c3)) with d = x - x_k (cubic ones)
  struct Piece {
    T from;  // its first x
    T c0, c1, c2, c3;
    T before;  // integral up to its first x
  };
  Piece piece(const T& x) const;
  T area(const Piece& p, const T& x) const;  // from the beginning of p to x

  std::vector<T> x_, y_;
  bool cubic_ = false;
  std::vector<Piece> pieces_;  // the first and the last are those outside
};

}  // namespace lw
