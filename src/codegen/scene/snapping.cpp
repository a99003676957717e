#include "snapping.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "../../dynamics/tree/extent.hpp"
#include "../../graph/typical.hpp"

namespace lw {
namespace {

// Its value if it is a number.
template <class T>
std::optional<double> number(const T& x) {
  const double v = typical_values(std::vector<T>{x})[0];
  return is_exactly(x, v) ? std::optional(v) : std::nullopt;
}

template <class T>
bool nearly_zero(const T& x, double tolerance) {
  const std::optional<double> v = number(x);
  return v && std::abs(*v) <= tolerance;
}

template <class T>
void snap_lengths(Vec3<T>& v, double snap, double size) {
  const double tolerance = snap * std::max(size, typical_size(v));  // a base or a tool may be farther away
  for (int k = 0; k < 3; ++k) {
    if (nearly_zero(v[k], tolerance)) v[k] = T(0.0);
  }
}

template <class T>
void snap_axis(Vec3<T>& a, double snap) {
  for (int k = 0; k < 3; ++k) {
    const std::optional<double> along = number(a[k]);
    if (!along || !nearly_zero(a[(k + 1) % 3], snap) || !nearly_zero(a[(k + 2) % 3], snap)) continue;
    a = Vec3<T>::unit(k) * T(*along > 0.0 ? 1.0 : -1.0);
  }
}

// Keeps the matrix a rotation: if an entry becomes zero, the others are adjusted.
template <class T>
class RotationSnap {
 public:
  RotationSnap(Mat3<T>& R, double snap) : R_(R), snap_(snap) {
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) {
        if (about_an_axis(r, c)) return;
      }
    }
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) {
        if (across(r, c)) return;
      }
    }
  }

 private:
  // A rotation about a coordinate axis: ±1 at (r, c), zeros in its row and column, and the angle in the other four
  // entries.
  bool about_an_axis(int r, int c) {
    const int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
    const std::optional<double> along = number(R_(r, c));
    if (!along) return false;
    bool exact = true;
    T* beside[] = {&R_(r, c1), &R_(r, c2), &R_(r1, c), &R_(r2, c)};
    for (const T* x : beside) {
      if (!nearly_zero(*x, snap_)) return false;
      exact = exact && is_zero(*x);
    }
    const double sign = *along > 0.0 ? 1.0 : -1.0;
    for (T* x : beside) *x = T(0.0);
    R_(r, c) = T(sign);
    const std::optional<double> x = number(R_(r1, c1)), y = number(R_(r2, c1));
    if (!x || !y) return true;
    const double right = 0.5 * std::numbers::pi, angle = std::atan2(*y, *x), quarters = std::round(angle / right);
    const bool square = std::abs(angle - right * quarters) <= snap_;
    if (exact && !square) return true;
    const double cosine = square ? std::round(*x) : *x / std::hypot(*x, *y),
                 sine = square ? std::round(*y) : *y / std::hypot(*x, *y);
    R_(r1, c1) = T(cosine);
    R_(r2, c1) = T(sine);
    R_(r1, c2) = T(-sign * sine);
    R_(r2, c2) = T(sign * cosine);
    return true;
  }

  // One zero, at (r, c): column c and row r without it are unit vectors u and v of the plane, and the other four
  // entries are ± u⊥ v⊥ᵀ.
  bool across(int r, int c) {
    if (!nearly_zero(R_(r, c), snap_)) return false;
    const int rows[] = {(r + 1) % 3, (r + 2) % 3}, columns[] = {(c + 1) % 3, (c + 2) % 3};
    double u[2], v[2], four[2][2];
    for (int i = 0; i < 2; ++i) {
      const std::optional<double> a = number(R_(rows[i], c)), b = number(R_(r, columns[i]));
      if (!a || !b) return false;
      u[i] = *a;
      v[i] = *b;
      for (int j = 0; j < 2; ++j) {
        const std::optional<double> x = number(R_(rows[i], columns[j]));
        if (!x) return false;
        four[i][j] = *x;
      }
    }
    if (is_zero(R_(r, c))) return true;
    for (double* w : {u, v}) {
      const double length = std::hypot(w[0], w[1]);
      w[0] /= length;
      w[1] /= length;
    }
    const double across_u[] = {-u[1], u[0]}, across_v[] = {-v[1], v[0]};
    double sign = 0.0;
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) sign += four[i][j] * across_u[i] * across_v[j];
    }
    R_(r, c) = T(0.0);
    for (int i = 0; i < 2; ++i) {
      R_(rows[i], c) = T(u[i]);
      R_(r, columns[i]) = T(v[i]);
      for (int j = 0; j < 2; ++j) R_(rows[i], columns[j]) = T(std::copysign(1.0, sign) * across_u[i] * across_v[j]);
    }
    return true;
  }

  Mat3<T>& R_;
  double snap_;
};

}  // namespace

template <class T>
Model<T> snapped(Model<T> model, double snap) {
  if (snap <= 0.0) return model;
  const double size = extent(model);
  for (Body<T>& b : model.bodies) {
    RotationSnap<T>(b.X_PJ.R, snap);
    snap_lengths(b.X_PJ.p, snap, size);
    snap_axis(b.axis, snap);
    b.set_motion();
  }
  const auto snap_frame = [&](Frame<T>& f) {
    RotationSnap<T>(f.X_BF.R, snap);
    snap_lengths(f.X_BF.p, snap, size);
  };
  for (Frame<T>& f : model.frames) snap_frame(f);
  for (LoopClosure<T>& loop : model.loops) {
    snap_frame(loop.a);
    snap_frame(loop.b);
    snap_axis(loop.axis, snap);
    snap_axis(loop.axis2, snap);
  }
  return model;
}

template Model<double> snapped<double>(Model<double>, double);
template Model<Expr> snapped<Expr>(Model<Expr>, double);
template Model<Dual> snapped<Dual>(Model<Dual>, double);

}  // namespace lw
