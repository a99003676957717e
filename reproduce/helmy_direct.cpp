#include "experiments.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/worse.hpp"
#include "dynamics/planar_3rrr/direct_kinematics.hpp"
#include "evaluate.hpp"
#include "helmy_manoeuvre.hpp"

// Helmy 1994, section 4.2: direct kinematics by the virtual cut, beside the methods that he names and those that he
// does not.
namespace lw::reproduce {
namespace {

struct DirectResult {
  double iterations = 0.0, evaluations = 0.0, worst = 0.0;
  Vector operations;  // mean additions, multiplications, divisions, roots, trigonometric
};

// Along the manoeuvre, each sample from the one before; the first from a guess a centimetre away.
DirectResult along_manoeuvre(DirectMethod method, const ThreeLegs& legs, const std::vector<HelmyPlatform>& exact) {
  DirectResult result;
  OperationCount count;
  Triangle<Count> corners;
  for (std::size_t k = 0; k < 3; ++k)
    corners[k] = {Count(exact[0].corners[k].x, &count), Count(exact[0].corners[k].y, &count)};
  OperationCount sum;
  for (std::size_t k = 0; k < exact.size(); ++k) {
    const std::array<double, 3> angles = helmy_cranks(0.01 * static_cast<double>(k));
    std::array<Count, 3> q;
    for (std::size_t j = 0; j < 3; ++j) q[j] = Count(angles[j], &count);
    const Triangle<Count> P = knees<Count>(legs, q);
    count = {};
    const DirectEffort effort = direct_kinematics<Count>(method, legs, q, P, corners, 1e-12);
    result.iterations += effort.iterations;
    result.evaluations += effort.evaluations;
    sum.additions += count.additions;
    sum.multiplications += count.multiplications;
    sum.divisions += count.divisions;
    sum.roots += count.roots;
    sum.trigonometric += count.trigonometric;
    if (!effort.converged) result.worst = HUGE_VAL;
    for (std::size_t c = 0; c < 3; ++c) {
      result.worst = worse(result.worst, std::hypot(value_of(corners[c].x) - exact[k].corners[c].x,
                                                    value_of(corners[c].y) - exact[k].corners[c].y));
    }
  }
  const auto n = static_cast<double>(exact.size());
  result.iterations /= n;
  result.evaluations /= n;
  for (const std::int64_t total : {sum.additions, sum.multiplications, sum.divisions, sum.roots, sum.trigonometric}) {
    result.operations.push_back(static_cast<double>(total) / n);
  }
  return result;
}

}  // namespace

Experiment helmy_direct() {
  Experiment e("helmy", "helmy.direct", "Direct kinematics, six methods (section 4.2)",
               "Where the platform is for given cranks. The thesis cuts one rod and solves one equation of the "
               "four-bar linkage that is "
               "left; it names Newton's method on three angles and on six coordinates as more expensive, natural "
               "coordinates as bigger still.");
  const ThreeLegs legs = three_legs(embedded("planar-3rrr")).value();
  const Source source = recomputed("helmy_direct.py", "with the lengths that reproduce appendix D");
  const Triangle<double> P0 = knees<double>(legs, helmy_cranks(0)), P3 = knees<double>(legs, helmy_cranks(3));
  const FourBar four(std::hypot(P0[1].x - P0[0].x, P0[1].y - P0[0].y), legs.rod[0], 0.4, legs.rod[1]);
  const FourBar::Range range = four.range();
  e.compare("range", "mobility range of ψ at t = 0 (deg)", source, {13.898, 97.971},
            {range.low / kDegree, range.high / kDegree}, absolute(6e-4));
  const ColdStart start = virtual_cut_search(legs, P0, 1);
  e.compare("cold", "cold start at t = 0, K = +1: ψ, θ (deg)", source, {67.776704, -101.966634},
            {start.psi / kDegree, start.theta / kDegree}, absolute(1e-6),
            fmt::format("{} steps of the scan, {} secants to 1e-10 m².", start.scanned, start.secants));
  e.compare("secants", "secants of that cold start", source, 3.0, static_cast<double>(start.secants), absolute(1.0));
  const ColdStart end = virtual_cut_search(legs, P3, 1);
  Triangle<double> tracked = start.corners;
  for (int k = 0; k <= 300; ++k) {
    const std::array<double, 3> q = helmy_cranks(0.01 * k);
    direct_kinematics<double>(DirectMethod::virtual_cut, legs, q, knees<double>(legs, q), tracked, 1e-13);
  }
  const CutAngles kept = cut_angles(P3, tracked);
  e.compare("hazard", "ψ at t = 3 s, K = +1: by a cold start, and tracked (deg)", source, {-46.982, 34.288703},
            {end.psi / kDegree, kept.psi / kDegree}, absolute(6e-4),
            "The same branch K, two modes: the branch alone does not determine the mode, as section 4.2 implies. "
            "Tracking does.");
  // the six methods along the manoeuvre
  Vector times;
  for (int k = 0; k <= 300; ++k) times.push_back(0.01 * k);
  const std::vector<HelmyPlatform> exact = helmy_platforms(times);
  std::vector<DirectResult> results;
  double worst = 0.0;
  for (const DirectMethod method : kDirectMethods) {
    results.push_back(along_manoeuvre(method, legs, exact));
    worst = worse(worst, results.back().worst);
  }
  e.compare("agreement", "largest distance of a corner from the mechanism's own closures, all methods and samples (m)",
            property("one mode, six methods"), 0.0, worst, absolute(1e-9));
  const auto result = [&](DirectMethod m) -> const DirectResult& { return results[static_cast<std::size_t>(m)]; };
  e.compare("iterations", "mean steps of Newton's method to 1e-12: angles 3×3, corners 6×6, pose 3×3", source,
            {2.70, 2.76, 2.74},
            {result(DirectMethod::angles).iterations, result(DirectMethod::corners).iterations,
             result(DirectMethod::pose).iterations},
            absolute(0.35), "The tolerance is on the equations, which are scaled differently.");
  e.compare("evaluations", "mean evaluations of the virtual cut's equation", source, 5.42,
            result(DirectMethod::virtual_cut).evaluations, absolute(0.35));
  // +, ×, ÷, roots, sines and cosines
  const std::pair<DirectMethod, Vector> counted_before[] = {// oracle: helmy_direct.py cut-operations
                                                            {DirectMethod::virtual_cut, {147, 124, 18, 7, 13}},
                                                            // oracle: helmy_direct.py angles-operations
                                                            {DirectMethod::angles, {143, 119, 22, 3, 76}},
                                                            // oracle: helmy_direct.py corners-operations
                                                            {DirectMethod::corners, {386, 279, 58, 0, 0}},
                                                            // oracle: helmy_direct.py pose-operations
                                                            {DirectMethod::pose, {144, 96, 16, 0, 9}}};
  for (const auto& [method, before] : counted_before) {
    const Vector& now = result(method).operations;
    const std::string note = fmt::format(
        "Ours: {:.0f} +, {:.0f} ×, {:.0f} ÷, {:.1f} √, {:.1f} trigonometric; theirs {:.0f}, {:.0f}, {:.0f}, {:.0f}, "
        "{:.0f}.",
        now[0], now[1], now[2], now[3], now[4], before[0], before[1], before[2], before[3], before[4]);
    e.beaten(
        fmt::format("operations-{}", std::array{"cut", "angles", "corners", "pose"}[static_cast<std::size_t>(method)]),
        fmt::format("{}: mean operations +, ×, ÷ a solution", to_string(method)), source,
        before[0] + before[1] + before[2], now[0] + now[1] + now[2], note);
  }
  // what the thesis argues: an inversion of 3×3 for an eighth of one of 6×6, natural coordinates bigger still, one
  // equation least of all
  const auto total = [&](DirectMethod m) {
    return result(m).operations[0] + result(m).operations[1] + result(m).operations[2];
  };
  e.not_reproducible(
      "eighth", "angles 3×3 against corners 6×6: cost as a part", "section 4.2", 1.0 / 8,
      fmt::format(
          "The cubic cost of an inversion, argued and not counted. Counted (+, ×, ÷) it is {:.2f}, with {:.0f} "
          "sines and cosines "
          "besides; tests/oracles/helmy_direct.py counts {:.2f}. Natural coordinates take {:.0f} operations, tracking "
          "the sextic {:.0f}.",
          total(DirectMethod::angles) / total(DirectMethod::corners), result(DirectMethod::angles).operations[4],
          /* oracle: helmy_direct.py angles-of-corners */ 0.39, total(DirectMethod::natural),
          total(DirectMethod::sextic)));
  return e;
}

}  // namespace lw::reproduce
