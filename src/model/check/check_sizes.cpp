// Unit errors: a length a hundred times the typical length of its mechanism, or a mechanism of implausible size.
//
// Only large lengths are checked. Small ones are common in correct files: a centre of mass 0.1 mm off the axis, a rotor
// in an excavator. Confusing metres with millimetres gives a factor of 1000, and the lengths of a robot rarely span a
// factor of 100.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "check.hpp"

namespace lw {
namespace {

constexpr double kFar = 100.0;
constexpr double kTiny = 1e-6;       // m; smaller lengths count as zero
constexpr double kImplausible = 50;  // m; well above the median length of the largest machines

struct Length {
  double value = 0.0;
  Location where;
  std::string what;
  bool by_inertia = false;
};

class Lengths {
 public:
  explicit Lengths(const DefaultValues& values) : at_(values) {}

  void origin(const Origin& origin, const std::string& what) {
    add(at_(origin.xyz).norm(), place(origin.xyz, origin.where), what);
  }

  void joint(const Joint& joint) {
    const std::string name = in_quotes(joint.name);
    if (joint.dh) {
      add(std::abs(at_(joint.dh->a)), joint.dh->a.where, fmt::format("`a` of joint {}", name));
      add(std::abs(at_(joint.dh->d)), joint.dh->d.where, fmt::format("`d` of joint {}", name));
    } else {
      origin(joint.origin, fmt::format("the origin of joint {}", name));
    }
  }

  // The radius of gyration is the length in an inertia tensor: I = m k².
  void inertia(const Inertia& inertia, const std::string& what) {
    add(at_(inertia.com).norm(), place(inertia.com, inertia.where), "the centre of mass of " + what);
    const double mass = at_(inertia.mass);
    const auto& t = inertia.tensor;
    const double largest = std::max({std::abs(at_(t[0])), std::abs(at_(t[1])), std::abs(at_(t[2]))});
    if (mass > 0.0) {
      add(std::sqrt(largest / mass), t[0].where.line > 0 ? t[0].where : inertia.where,
          "the radius of gyration of " + what);
      if (!list_.empty()) list_.back().by_inertia = list_.back().what.starts_with("the radius");
    }
  }

  const std::vector<Length>& list() const { return list_; }

 private:
  static Location place(const Formula3& f, const Location& fallback) {
    return f[0].where.line > 0 ? f[0].where : fallback;
  }

  void add(double value, const Location& where, std::string what) {
    if (std::isfinite(value) && value > kTiny) list_.push_back({value, where, std::move(what)});
  }

  const DefaultValues& at_;
  std::vector<Length> list_;
};

}  // namespace

void check_sizes(const Mechanism& mechanism, const DefaultValues& values, Complaints& complaints) {
  Lengths lengths(values);
  for (const Link& link : mechanism.links) {
    lengths.joint(link.joint);
    if (link.inertia) lengths.inertia(*link.inertia, fmt::format("link {}", in_quotes(link.name)));
  }
  for (const Loop& loop : mechanism.loops) {
    for (const Origin& at : loop.at) lengths.origin(at, fmt::format("a frame of loop {}", in_quotes(loop.name)));
  }
  for (const Payload& p : mechanism.payloads) lengths.inertia(p.inertia, "a payload");
  if (lengths.list().size() < 2) return;

  std::vector<double> sorted;
  for (const Length& l : lengths.list()) sorted.push_back(l.value);
  // the lower median, so that the larger of two lengths is suspect
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  const double median = *middle;
  if (median > kImplausible) {
    complaints.warning(
        mechanism.where,
        fmt::format("half of the lengths are {:.4g} m or more; probably millimetres were written as metres", median),
        "lengths are in metres");
    return;
  }
  for (const Length& l : lengths.list()) {
    if (l.value < kFar * median) continue;
    complaints.warning(l.where,
                       fmt::format("{} is {:.4g} m, {:.0f} times the median length of the mechanism; probably "
                                   "millimetres were written as metres",
                                   l.what, l.value, l.value / median),
                       l.by_inertia ? "inertias are in kg·m²" : "lengths are in metres");
  }
}

}  // namespace lw
