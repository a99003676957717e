#include "direct_comparison.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/index.hpp"
#include "../../base/text.hpp"
#include "../../base/worse.hpp"
#include "../../dynamics/planar_3rrr/direct_kinematics.hpp"
#include "../io/results.hpp"

namespace lw::cli {
namespace {

struct MeasuredMethod {
  DirectMethod method;
  double iterations = 0.0, evaluations = 0.0, error = 0.0, ns = 0.0;
  OperationCount operations;  // of the whole path
};

struct DirectPath {
  const ThreeLegs& legs;
  std::vector<std::array<double, 3>> q;
  std::vector<Triangle<double>> knees, exact;
};

// The corners by the legs' own closures: knee angles of the first two rods are not needed, the platform is where its
// frame is.
DirectPath path_of(const ThreeLegs& legs, const Model<double>& model, const std::vector<DrivenSample>& driven,
                   const ClosedPath& followed) {
  DirectPath path{legs, {}, {}, {}};
  const std::vector<int> places = actuated_coordinates(model);
  for (std::size_t k = 0; k < followed.samples.size(); ++k) {
    std::array<double, 3> q{};
    for (std::size_t j = 0; j < 3; ++j) {
      const auto at_place = std::find(places.begin(), places.end(), legs.coordinate[j]) - places.begin();
      q[j] = driven[k].actuated[static_cast<std::size_t>(at_place)];
    }
    path.q.push_back(q);
    path.knees.push_back(knees<double>(legs, q));
    path.exact.push_back(platform_corners(model, legs, followed.samples[k].at.q));
  }
  return path;
}

MeasuredMethod measure(DirectMethod method, const DirectPath& path) {
  MeasuredMethod m{method, 0.0, 0.0, 0.0, 0.0, {}};
  OperationCount count;
  Triangle<Count> corners;
  for (std::size_t c = 0; c < 3; ++c)
    corners[c] = {Count(path.exact[0][c].x, &count), Count(path.exact[0][c].y, &count)};
  for (std::size_t k = 0; k < path.q.size(); ++k) {
    std::array<Count, 3> q;
    Triangle<Count> P;
    for (std::size_t j = 0; j < 3; ++j) {
      q[j] = Count(path.q[k][j], &count);
      P[j] = {Count(path.knees[k][j].x, &count), Count(path.knees[k][j].y, &count)};
    }
    const DirectEffort effort = direct_kinematics<Count>(method, path.legs, q, P, corners);
    m.iterations += effort.iterations;
    m.evaluations += effort.evaluations;
    for (std::size_t c = 0; c < 3; ++c) {
      m.error = worse(m.error, effort.converged ? std::hypot(corners[c].x.v - path.exact[k][c].x,
                                                             corners[c].y.v - path.exact[k][c].y)
                                                : HUGE_VAL);
    }
  }
  m.operations = count;
  // the least of several passes
  m.ns = HUGE_VAL;
  for (int pass = 0; pass < 15; ++pass) {
    Triangle<double> at = path.exact[0];
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t k = 0; k < path.q.size(); ++k)
      direct_kinematics<double>(method, path.legs, path.q[k], path.knees[k], at);
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
    m.ns = std::min(m.ns, spent.count() / static_cast<double>(path.q.size()));
  }
  return m;
}

}  // namespace

int compare_direct_kinematics(const Arguments& arguments, const Model<double>& model,
                              const std::vector<DrivenSample>& driven, const ClosedPath& followed) {
  const std::optional<ThreeLegs> legs = three_legs(model);
  if (!legs)
    throw Error(ErrorCode::usage,
                fmt::format("--compare: `{}` is not a planar 3-RRR with actuated cranks", model.name));
  if (followed.samples.empty()) return kCheckFailed;
  const DirectPath path = path_of(*legs, model, driven, followed);
  std::vector<MeasuredMethod> all;
  for (const DirectMethod method : kDirectMethods) all.push_back(measure(method, path));
  const auto n = static_cast<double>(path.q.size());
  const auto mean = [&](std::int64_t total) { return static_cast<double>(total) / n; };
  if (arguments.json()) {
    Json json{{"model", model.name}, {"samples", path.q.size()}, {"methods", Json::array()}};
    for (const MeasuredMethod& m : all) {
      json["methods"].push_back({{"method", to_string(m.method)},
                                 {"iterations", m.iterations / n},
                                 {"evaluations", m.evaluations / n},
                                 {"additions", mean(m.operations.additions)},
                                 {"multiplications", mean(m.operations.multiplications)},
                                 {"divisions", mean(m.operations.divisions)},
                                 {"roots", mean(m.operations.roots)},
                                 {"trig", mean(m.operations.trigonometric)},
                                 {"ns", m.ns},
                                 {"error", number_or_null(m.error)}});
    }
    print_json(json);
  } else {
    fmt::print(
        "{}: pose of the platform by six methods along {}; means per sample, each starting from the previous one\n\n",
        model.name, counted(path.q.size(), "sample"));
    Table table({"method", "steps", "evaluations", "+", "×", "÷", "√", "trig", "ns", "error (m)"});
    for (const MeasuredMethod& m : all) {
      table.add({to_string(m.method), fmt::format("{:.2f}", m.iterations / n), fmt::format("{:.2f}", m.evaluations / n),
                 fmt::format("{:.0f}", mean(m.operations.additions)),
                 fmt::format("{:.0f}", mean(m.operations.multiplications)),
                 fmt::format("{:.0f}", mean(m.operations.divisions)), fmt::format("{:.0f}", mean(m.operations.roots)),
                 fmt::format("{:.0f}", mean(m.operations.trigonometric)), fmt::format("{:.0f}", m.ns),
                 fmt::format("{:.0e}", m.error)});
    }
    fmt::print("{}", table.str());
  }
  return kOk;
}

}  // namespace lw::cli
