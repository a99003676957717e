#include "curve.hpp"

#include <algorithm>

namespace lw {
namespace {

// Slopes at the points: the weighted harmonic mean of the slopes of the two neighbouring pieces if they have the same
// sign, else 0 (Fritsch, Butland 1984, a variant of Fritsch and Carlson that needs no second pass); at the ends the
// slope of the parabola through three points, limited so that the end piece stays monotone.
template <class T>
std::vector<T> monotone_slopes(const std::vector<T>& x, const std::vector<T>& y) {
  const std::size_t n = x.size();
  std::vector<T> h(n - 1), s(n - 1), slope(n);
  for (std::size_t k = 0; k + 1 < n; ++k) {
    h[k] = x[k + 1] - x[k];
    s[k] = (y[k + 1] - y[k]) / h[k];
  }
  if (n == 2) return {s[0], s[0]};
  const T zero(0.0);
  for (std::size_t k = 1; k + 1 < n; ++k) {
    const T w1 = T(2.0) * h[k] + h[k - 1], w2 = h[k] + T(2.0) * h[k - 1];
    const T same = less(zero, s[k - 1] * s[k]);
    const T below = select(same, s[k - 1], T(1.0)), above = select(same, s[k], T(1.0));
    slope[k] = select(same, (w1 + w2) / (w1 / below + w2 / above), zero);
  }
  const auto at_end = [&](const T& h0, const T& h1, const T& s0, const T& s1) {
    const T parabola = ((T(2.0) * h0 + h1) * s0 - h0 * s1) / (h0 + h1);
    const T kept = select(less(zero, parabola * s0), parabola, zero);
    // at most three times the slope of the piece if the next one has the opposite sign
    const T turns = less(s0 * s1, zero), steep = less(T(9.0) * s0 * s0, kept * kept);
    return select(turns * steep, T(3.0) * s0, kept);
  };
  slope[0] = at_end(h[0], h[1], s[0], s[1]);
  slope[n - 1] = at_end(h[n - 2], h[n - 3], s[n - 2], s[n - 3]);
  return slope;
}

}  // namespace

template <class T>
Curve<T>::Curve(std::vector<T> x, std::vector<T> y, bool cubic, Ends ends)
    : x_(std::move(x)), y_(std::move(y)), cubic_(cubic) {
  const T zero(0.0);
  const std::size_t n = x_.size();
  if (n == 0) return;
  if (n == 1) {
    pieces_ = {{x_[0], y_[0], zero, zero, zero, zero}};
    return;
  }
  std::vector<T> slope(n);
  if (cubic_) slope = monotone_slopes(x_, y_);
  std::vector<Piece> inside;
  for (std::size_t k = 0; k + 1 < n; ++k) {
    const T h = x_[k + 1] - x_[k], s = (y_[k + 1] - y_[k]) / h;
    if (cubic_) {
      const T c2 = (T(3.0) * s - T(2.0) * slope[k] - slope[k + 1]) / h,
              c3 = (slope[k] + slope[k + 1] - T(2.0) * s) / (h * h);
      inside.push_back({x_[k], y_[k], slope[k], c2, c3, zero});
    } else {
      inside.push_back({x_[k], y_[k] - s * x_[k], s, zero, zero, zero});
    }
  }
  const bool straight = ends == Ends::straight;
  const auto outside = [&](std::size_t k, const T& s) {
    const T along = straight ? s : zero;
    return Piece{x_[k], cubic_ ? y_[k] : y_[k] - along * x_[k], along, zero, zero, zero};
  };
  const T first = cubic_ ? slope[0] : inside.front().c1, last = cubic_ ? slope[n - 1] : inside.back().c1;
  pieces_.push_back(outside(0, first));
  pieces_.insert(pieces_.end(), inside.begin(), inside.end());
  pieces_.push_back(outside(n - 1, last));
  T sum(0.0);
  for (std::size_t k = 1; k < pieces_.size(); ++k) {
    pieces_[k].before = sum;
    if (k + 1 < pieces_.size()) sum += area(pieces_[k], x_[k]);
  }
}

// The piece at x: the last that begins at or before x, with all its coefficients selected in the same way.
template <class T>
typename Curve<T>::Piece Curve<T>::piece(const T& x) const {
  Piece at = pieces_.back();
  for (std::size_t k = pieces_.size() - 1; k-- > 0;) {
    const Piece& p = pieces_[k];
    const T before = less(x, pieces_[k + 1].from);
    at = {select(before, p.from, at.from), select(before, p.c0, at.c0), select(before, p.c1, at.c1),
          select(before, p.c2, at.c2),     select(before, p.c3, at.c3), select(before, p.before, at.before)};
  }
  return at;
}

template <class T>
T Curve<T>::area(const Piece& p, const T& x) const {
  const T d = x - p.from;
  if (!cubic_) return d * (p.c0 + p.c1 * T(0.5) * (x + p.from));
  return d * (p.c0 + d * (p.c1 * T(0.5) + d * (p.c2 * T(1.0 / 3.0) + d * p.c3 * T(0.25))));
}

template <class T>
T Curve<T>::operator()(const T& x) const {
  const Piece p = piece(x);
  if (!cubic_ || is_constant()) return p.c0 + p.c1 * x;
  const T d = x - p.from;
  return p.c0 + d * (p.c1 + d * (p.c2 + d * p.c3));
}

template <class T>
T Curve<T>::slope(const T& x) const {
  const Piece p = piece(x);
  if (!cubic_ || is_constant()) return p.c1;
  const T d = x - p.from;
  return p.c1 + d * (T(2.0) * p.c2 + d * T(3.0) * p.c3);
}

template <class T>
T Curve<T>::integral(const T& x) const {
  const Piece p = piece(x);
  return p.before + area(p, x);
}

#define LW_INSTANTIATE(T) template class Curve<T>;
LW_INSTANTIATE_FOR_SCALARS(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
