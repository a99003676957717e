#include "angle_sums.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "../objective.hpp"
#include "../rewrite.hpp"
#include "names.hpp"

namespace lw {
namespace {

// An angle as a linear combination of nodes.
using Form = std::map<NodeId, double>;

constexpr std::size_t kMostTermsOfAngle = 16;  // longer sums are left unchanged
constexpr std::size_t kMostAngles = 200;       // compared pairwise

Form form_of(const Graph& g, NodeId id) {
  std::map<NodeId, double, std::greater<>> open{{id, 1.0}};  // users before their operands
  Form form;
  while (!open.empty()) {
    const auto [at, k] = *open.begin();
    open.erase(open.begin());
    const Node& n = g[at];
    if (n.op == Op::add || n.op == Op::sub || n.op == Op::neg) {
      open[n.a] += n.op == Op::neg ? -k : k;
      if (n.op != Op::neg) open[n.b] += n.op == Op::sub ? -k : k;
    } else {
      form[at] += k;
    }
    if (form.size() + open.size() > kMostTermsOfAngle) return {{id, 1.0}};
  }
  std::erase_if(form, [](const auto& term) { return term.second == 0.0; });
  return form;
}

Form combined(const Form& a, const Form& b, double sign) {
  Form sum = a;
  for (const auto& [id, k] : b) sum[id] += sign * k;
  std::erase_if(sum, [](const auto& term) { return term.second == 0.0; });
  return sum;
}

struct SummedAngle {
  NodeId argument = 0;
  std::optional<NodeId> sin, cos;
  Form form;
};

std::vector<SummedAngle> summed_angles(const Function& f) {
  std::map<NodeId, SummedAngle> of;
  for (const NodeId id : f.order()) {
    const Node& n = f.graph()[id];
    if (n.op == Op::sin) of[n.a].sin = id;
    if (n.op == Op::cos) of[n.a].cos = id;
  }
  std::vector<SummedAngle> all;
  for (auto& [argument, angle] : of) {
    angle.argument = argument;
    angle.form = form_of(f.graph(), argument);
    all.push_back(angle);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const SummedAngle& a, const SummedAngle& b) { return a.form.size() < b.form.size(); });
  return all;
}

// Sines and cosines of sums from those of the parts, the shortest sums first.
Function expanded(const Function& f) {
  const std::vector<SummedAngle> all = summed_angles(f);
  std::map<Form, std::size_t> known;
  for (std::size_t k = 0; k < all.size(); ++k) known[all[k].form] = k;
  if (all.size() > kMostAngles) return f;
  Rewrite to(f);
  const auto sin_of = [&](std::size_t k) { return to[*all[k].sin]; };
  const auto cos_of = [&](std::size_t k) { return to[*all[k].cos]; };
  for (std::size_t k = 0; k < all.size(); ++k) {
    const SummedAngle& whole = all[k];
    bool found = false;
    for (std::size_t i = 0; i < k && !found; ++i) {
      for (const double sign : {1.0, -1.0}) {  // whole = i ± j
        const auto other = known.find(combined(combined({}, whole.form, sign), all[i].form, -sign));
        if (other == known.end() || other->second >= k || other->second == i) continue;
        const std::size_t j = other->second;
        if (!all[i].sin || !all[i].cos || !all[j].sin || !all[j].cos) continue;
        const Expr si = sin_of(i), ci = cos_of(i), sj = Expr(sign) * sin_of(j), cj = cos_of(j);
        if (whole.sin) to.put(*whole.sin, si * cj + ci * sj);
        if (whole.cos) to.put(*whole.cos, ci * cj - si * sj);
        found = true;
        break;
      }
    }
  }
  return named(to);
}

// A node s_a c_b ± c_a s_b or c_a c_b ± s_a s_b.
struct SumPattern {
  NodeId a, b;  // angles
  bool difference;
  bool operator<(const SumPattern& o) const { return std::tie(a, b, difference) < std::tie(o.a, o.b, o.difference); }
};
struct Match {
  SumPattern pattern;
  bool is_sine, negative;
};

std::optional<Match> match(const Graph& g, NodeId id) {
  const Node& n = g[id];
  if ((n.op != Op::add && n.op != Op::sub) || g[n.a].op != Op::mul || g[n.b].op != Op::mul) return std::nullopt;
  NodeId p = g[n.a].a, q = g[n.a].b, r = g[n.b].a, s = g[n.b].b;
  const auto is = [&](NodeId x, Op op) { return g[x].op == op; };
  for (const NodeId x : {p, q, r, s}) {
    if (!is(x, Op::sin) && !is(x, Op::cos)) return std::nullopt;
  }
  const bool minus = n.op == Op::sub;
  if (is(p, Op::cos) && is(q, Op::sin)) std::swap(p, q);
  if (is(r, Op::cos) && is(s, Op::sin)) std::swap(r, s);
  const auto angle = [&](NodeId x) { return g[x].a; };
  if (is(p, Op::sin) && is(q, Op::cos) && is(r, Op::sin) && is(s, Op::cos)) {
    // s_a c_b ± s_b c_a
    if (angle(p) != angle(s) || angle(q) != angle(r)) return std::nullopt;
    const NodeId a = angle(p), b = angle(q);
    if (!minus) return Match{{std::min(a, b), std::max(a, b), false}, true, false};
    return Match{{std::min(a, b), std::max(a, b), true}, true, a > b};
  }
  const bool cosines_first = is(p, Op::cos) && is(q, Op::cos) && is(r, Op::sin) && is(s, Op::sin);
  const bool sines_first = is(p, Op::sin) && is(q, Op::sin) && is(r, Op::cos) && is(s, Op::cos);
  if (!cosines_first && !sines_first) return std::nullopt;
  const NodeId a = std::min(angle(p), angle(q)), b = std::max(angle(p), angle(q));
  if (std::min(angle(r), angle(s)) != a || std::max(angle(r), angle(s)) != b) return std::nullopt;
  return Match{{a, b, !minus}, false, minus && sines_first};
}

Function merged(const Function& f, const SumPattern& pattern) {
  Rewrite to(f);
  for (const NodeId id : f.order()) {
    const std::optional<Match> m = match(f.graph(), id);
    if (!m || m->pattern < pattern || pattern < m->pattern) {
      to.put(id, to.copy(id));
      continue;
    }
    const Expr angle = pattern.difference ? to[pattern.a] - to[pattern.b] : to[pattern.a] + to[pattern.b];
    const Expr e = m->is_sine ? sin(angle) : cos(angle);
    to.put(id, m->negative ? -e : e);
  }
  return named(to);
}

}  // namespace

Function angle_sums(const Function& function) {
  Function best = function;
  double lowest = operations(best);
  const auto keep = [&](Function next) {
    const double now = operations(next);
    if (now >= lowest) return false;
    lowest = now;
    best = std::move(next);
    return true;
  };
  for (bool again = true; again;) {
    again = keep(expanded(best));
    std::set<SumPattern> patterns;
    for (const NodeId id : best.order()) {
      if (const auto m = match(best.graph(), id)) patterns.insert(m->pattern);
    }
    for (const SumPattern& p : patterns) {
      if (keep(merged(best, p))) {
        again = true;
        break;  // node numbers have changed
      }
    }
  }
  return best;
}

}  // namespace lw
