#include "trajectory.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <type_traits>

#include <fmt/format.h>

#include "../base/error.hpp"
#include "../base/text.hpp"
#include "../spatial/rotation_vector.hpp"

namespace lw {

template <class T>
Quintic<T> Quintic<T>::between(const Moving<T>& from, const Moving<T>& to, const T& duration) {
  const T &t = duration, half(0.5), t2 = t * t;
  const T way = to.position - from.position - from.velocity * t - half * from.acceleration * t2;
  const T dv = (to.velocity - from.velocity - from.acceleration * t) * t;
  const T da = (to.acceleration - from.acceleration) * t2;
  const T t3 = t2 * t, t4 = t3 * t, t5 = t4 * t;
  return {{from.position, from.velocity, half * from.acceleration,  //
           (T(10.0) * way - T(4.0) * dv + half * da) / t3,          //
           (T(7.0) * dv - T(15.0) * way - da) / t4,                 //
           (T(6.0) * way - T(3.0) * dv + half * da) / t5}};
}

template <class T>
Moving<T> Quintic<T>::at(const T& s) const {
  Moving<T> m{c[5], T(5.0) * c[5], T(20.0) * c[5]};
  for (std::size_t k = 5; k-- > 0;) {
    const double order = static_cast<double>(k);
    m.position = m.position * s + c[k];
    if (k >= 1) m.velocity = m.velocity * s + T(order) * c[k];
    if (k >= 2) m.acceleration = m.acceleration * s + T(order * (order - 1.0)) * c[k];
  }
  return m;
}

template <class T>
Moving<T> Cycloid<T>::at(const T& s) const {
  using std::cos, std::sin;
  constexpr double kTurn = 2.0 * std::numbers::pi;
  const T phase = T(kTurn) * s / duration, mean = way / duration;
  return {from + way * (phase - sin(phase)) / T(kTurn), mean * (T(1.0) - cos(phase)),
          T(kTurn) * mean / duration * sin(phase)};
}

namespace {

void require_sizes(const std::vector<double>& times, std::size_t points) {
  if (times.size() != points || points < 2) {
    throw Error(ErrorCode::data,
                fmt::format("a trajectory needs as many times as points, at least two; there are {} and {}",
                            counted(times.size(), "time"), counted(points, "point")));
  }
  for (std::size_t k = 0; k < points; ++k) {
    if (!std::isfinite(times[k]) || (k > 0 && !(times[k] > times[k - 1]))) {
      throw Error(ErrorCode::data,
                  fmt::format("the times of a trajectory must increase: time {} is {}", k + 1, times[k]));
    }
  }
}

std::vector<std::vector<Moving<double>>> still(const std::vector<std::vector<double>>& points) {
  std::vector<std::vector<Moving<double>>> via;
  for (const std::vector<double>& p : points) {
    via.emplace_back();
    for (const double x : p) via.back().push_back({x, 0.0, 0.0});
  }
  return via;
}

}  // namespace

Trajectory::Trajectory(std::vector<double> times, const std::vector<std::vector<Moving<double>>>& via)
    : times_(std::move(times)) {
  require_sizes(times_, via.size());
  for (std::size_t k = 0; k < via.size(); ++k) {
    if (via[k].size() == via[0].size()) continue;
    throw Error(ErrorCode::data, fmt::format("point {} of a trajectory has {}, the first has {}", k + 1,
                                             counted(via[k].size(), "joint"), via[0].size()));
  }
  for (std::size_t k = 0; k + 1 < via.size(); ++k) {
    segments_.emplace_back();
    for (std::size_t j = 0; j < via[k].size(); ++j) {
      segments_.back().push_back(Quintic<double>::between(via[k][j], via[k + 1][j], times_[k + 1] - times_[k]));
    }
  }
}

Trajectory Trajectory::rest_to_rest(const std::vector<double>& times, const std::vector<std::vector<double>>& points) {
  return {times, still(points)};
}

Trajectory Trajectory::cycloidal(const std::vector<double>& times, const std::vector<std::vector<double>>& points) {
  Trajectory result(times, still(points));
  result.cycloid_points_ = points;
  return result;
}

Trajectory Trajectory::cruise(const std::vector<double>& times, const std::vector<std::vector<double>>& points) {
  require_sizes(times, points.size());
  if (points.size() != 4) {
    throw Error(
        ErrorCode::data,
        fmt::format("a cruise needs four points (start, begin and end of the cruise, stop), not {}", points.size()));
  }
  std::vector<std::vector<Moving<double>>> via = still(points);
  for (std::size_t j = 0; j < std::min(points[1].size(), points[2].size()); ++j) {
    const double velocity = (points[2][j] - points[1][j]) / (times[2] - times[1]);
    via[1][j].velocity = via[2][j].velocity = velocity;
  }
  return {times, via};
}

template <class T>
JointMotion<T> Trajectory::at(const T& t) const {
  JointMotion<T> out;
  at(t, out);
  return out;
}

template <class T>
void Trajectory::at(const T& t, JointMotion<T>& out) const {
  const std::size_t n = segments_.size(), joints = segments_[0].size();
  for (std::vector<T>* part : {&out.q, &out.qd, &out.qdd}) part->clear();
  const auto put = [&](const Moving<T>& m) {
    out.q.push_back(m.position);
    out.qd.push_back(m.velocity);
    out.qdd.push_back(m.acceleration);
  };
  if constexpr (std::is_same_v<T, double>) {
    const double held = std::clamp(t, times_.front(), times_.back());
    const auto after = std::upper_bound(times_.begin(), times_.end(), held) - times_.begin();
    const std::size_t k = std::min(static_cast<std::size_t>(after) - 1, n - 1);
    for (std::size_t j = 0; j < joints; ++j) {
      if (cycloid_points_.empty()) {
        put(segments_[k][j].at(held - times_[k]));
      } else {
        const double from = cycloid_points_[k][j];
        put(Cycloid<double>{from, cycloid_points_[k + 1][j] - from, times_[k + 1] - times_[k]}.at(held - times_[k]));
      }
    }
  } else {
    const T held = max(min(t, T(times_.back())), T(times_.front()));
    T begin(times_[0]);
    std::vector<T> is_later;
    for (std::size_t k = 1; k < n; ++k) {
      is_later.push_back(T(1.0) - less(held, T(times_[k])));
      begin = select(is_later.back(), T(times_[k]), begin);
    }
    for (std::size_t j = 0; j < joints && !cycloid_points_.empty(); ++j) {
      const auto of = [&](auto&& value) {
        T chosen(value(std::size_t{0}));
        for (std::size_t k = 1; k < n; ++k) chosen = select(is_later[k - 1], T(value(k)), chosen);
        return chosen;
      };
      const T from = of([&](std::size_t k) { return cycloid_points_[k][j]; });
      const T way = of([&](std::size_t k) { return cycloid_points_[k + 1][j] - cycloid_points_[k][j]; });
      put(Cycloid<T>{from, way, of([&](std::size_t k) { return times_[k + 1] - times_[k]; })}.at(held - begin));
    }
    for (std::size_t j = 0; j < joints && cycloid_points_.empty(); ++j) {
      Quintic<T> q;
      for (std::size_t i = 0; i < 6; ++i) {
        q.c[i] = T(segments_[0][j].c[i]);
        for (std::size_t k = 1; k < n; ++k) q.c[i] = select(is_later[k - 1], T(segments_[k][j].c[i]), q.c[i]);
      }
      put(q.at(held - begin));
    }
  }
}

CartesianLine::CartesianLine(const Transform<double>& from, const Transform<double>& to, double duration)
    : from_(from), way_(to.p - from.p), duration_(duration) {
  if (!(duration > 0.0) || !std::isfinite(duration)) {
    throw Error(ErrorCode::data, fmt::format("the duration of a line must be positive, not {}", duration));
  }
  const Vec3<double> turn = rotation_vector(to.R * transpose(from.R));
  angle_ = std::sqrt(dot(turn, turn));
  axis_ = angle_ > 0.0 ? turn / angle_ : Vec3<double>::unit(2);
  law_ = Quintic<double>::between({0, 0, 0}, {1, 0, 0}, duration);
}

template <class T>
FrameMotion<T> CartesianLine::at(const T& t) const {
  using std::max, std::min;
  const auto vector = [](const Vec3<double>& v) { return Vec3<T>(T(v[0]), T(v[1]), T(v[2])); };
  Quintic<T> law;
  for (std::size_t k = 0; k < 6; ++k) law.c[k] = T(law_.c[k]);
  const Moving<T> s = law.at(max(min(t, T(duration_)), T(0.0)));
  const Vec3<T> way = vector(way_), axis = vector(axis_), turn = axis * T(angle_);
  const Mat3<T> start(vector(from_.R.col(0)), vector(from_.R.col(1)), vector(from_.R.col(2)));
  return {{rotation_about_axis<T>(axis, s.position * T(angle_)) * start, vector(from_.p) + way * s.position},
          {turn * s.velocity, way * s.velocity},
          {turn * s.acceleration, way * s.acceleration}};
}

#define LW_INSTANTIATE(T)                                           \
  template struct Quintic<T>;                                       \
  template struct Cycloid<T>;                                       \
  template JointMotion<T> Trajectory::at<T>(const T&) const;        \
  template void Trajectory::at<T>(const T&, JointMotion<T>&) const; \
  template FrameMotion<T> CartesianLine::at<T>(const T&) const;
LW_INSTANTIATE_UNCOUNTED(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
