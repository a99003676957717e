// Values over places, as a function: y(x) through points (x_k, y_k), for any scalar.
//
// Straight between them, or a cubic with the slopes of Fritsch and Carlson (1980): it has no wiggles (monotone where
// the points are) and a continuous slope. Outside, `ends` says: as at the nearest point (an efficiency), or straight on
// with the slope there (a spring). Without branches, so that it can be traced: a piece is chosen by comparisons.
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
  // Places ascend (the checks of a mechanism see to it). One point: a constant.
  Curve(std::vector<T> x, std::vector<T> y, bool cubic, Ends ends);
  // The same curve over another scalar.
  template <class U>
  explicit Curve(const Curve<U>& o) : x_(o.x_.begin(), o.x_.end()), y_(o.y_.begin(), o.y_.end()), cubic_(o.cubic_) {
    for (const auto& p : o.pieces_) pieces_.push_back({p.from, p.c0, p.c1, p.c2, p.c3, p.before});
  }

  bool empty() const { return x_.empty(); }
  bool is_constant() const { return x_.size() == 1; }
  bool is_straight() const { return !cubic_; }  // between the places
  T operator()(const T& x) const;
  T slope(const T& x) const;     // dy/dx
  T integral(const T& x) const;  // of y from the first place to x: the energy of a spring
  const std::vector<T>& x() const { return x_; }
  const std::vector<T>& y() const { return y_; }

 private:
  template <class U>
  friend class Curve;
  // y = c0 + c1 x (straight pieces), or c0 + d (c1 + d (c2 + d c3)) with d = x - x_k (cubic ones)
  struct Piece {
    T from;  // its first place
    T c0, c1, c2, c3;
    T before;  // integral up to its first place
  };
  Piece piece(const T& x) const;
  T area(const Piece& p, const T& x) const;  // from the first place of p to x

  std::vector<T> x_, y_;
  bool cubic_ = false;
  std::vector<Piece> pieces_;  // with those outside first and last
};

}  // namespace lw
