#include "pythagorean.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "../objective.hpp"
#include "extractor.hpp"

namespace lw {
namespace {

using Product = std::vector<Literal>;

// x² + y² = value
struct Identity {
  Literal x, y;
  Terms value;
};

struct SineAndCosine {
  NodeId sin = 0, cos = 0;
};

std::vector<SineAndCosine> sines_and_cosines(const Function& f) {
  std::map<NodeId, SineAndCosine> of;
  for (const NodeId id : f.order()) {
    const Node& n = f.graph()[id];
    if (n.op == Op::sin) of[n.a].sin = id;
    if (n.op == Op::cos) of[n.a].cos = id;
  }
  std::vector<SineAndCosine> both;
  for (const auto& [argument, angle] : of) {
    if (angle.sin != 0 && angle.cos != 0) both.push_back(angle);
  }
  return both;
}

bool without(const Product& from, const Product& factors, Product& rest) {
  rest.clear();
  if (!std::includes(from.begin(), from.end(), factors.begin(), factors.end())) return false;
  std::set_difference(from.begin(), from.end(), factors.begin(), factors.end(), std::back_inserter(rest));
  return true;
}

// Pairs of sums c a + s b and c b − s a, up to signs. `system`: with expanded products.
std::vector<Identity> rotations(const Polynomials& system, const std::vector<SineAndCosine>& angles) {
  struct Turned {
    std::size_t sum;
    double with_cos, with_sin;
  };
  std::map<std::tuple<NodeId, Product, Product>, std::vector<Turned>> by_parts;  // sine, a, b
  std::vector<Identity> found;
  for (const std::size_t s : topological(system)) {
    const Terms& t = system.sums[s];
    if (t.size() != 2) continue;
    for (const SineAndCosine& angle : angles) {
      for (const int first : {0, 1}) {
        Product a, b;
        const Term &u = t[static_cast<std::size_t>(first)], &v = t[static_cast<std::size_t>(1 - first)];
        if (!without(u.literals, {angle.cos}, a) || !without(v.literals, {angle.sin}, b)) continue;
        by_parts[{angle.sin, a, b}].push_back({s, u.k, v.k});
        const auto other = by_parts.find({angle.sin, b, a});
        if (other == by_parts.end()) continue;
        for (const Turned& o : other->second) {
          if (o.sum == s || std::abs(o.with_cos) != std::abs(v.k) || o.with_cos * o.with_sin != -u.k * v.k) continue;
          const Term ta{u.k, a}, tb{v.k, b};
          found.push_back({sum_literal(s), sum_literal(o.sum), {product(ta, ta), product(tb, tb)}});
        }
      }
    }
  }
  return found;
}

// k g x² + k g y² in all sums, and k g − k g x² if the value is 1.
bool apply(Extractor& system, const Identity& identity) {
  const bool is_one = identity.value.size() == 1 && identity.value[0].literals.empty();
  bool changed = false;
  Product gx, gy;
  const Product xx{identity.x, identity.x}, yy{identity.y, identity.y};
  std::vector<std::size_t> sums = system.sums_with(identity.x), others = system.sums_with(identity.y);
  sums.insert(sums.end(), others.begin(), others.end());
  for (const std::size_t s : sums) {
    const Terms terms = system.terms(s);
    for (const Term& a : terms) {
      for (const bool swapped : {false, true}) {
        if (!without(a.literals, swapped ? yy : xx, gx)) continue;
        for (const Term& b : terms) {
          if (without(b.literals, swapped ? xx : yy, gy) && gx == gy && !swapped && a.k == b.k) {
            Terms come;
            for (const Term& v : identity.value) come.push_back(product({a.k, gx}, v));
            system.replace(s, {a, b}, come);
            changed = true;
          } else if (is_one && b.literals == gx && a.k == -b.k) {
            system.replace(s, {a, b}, {product({b.k, gx}, {1.0, swapped ? xx : yy})});
            changed = true;
          } else {
            continue;
          }
          break;
        }
      }
    }
  }
  return changed;
}

}  // namespace

Function pythagorean(const Function& function) {
  constexpr std::size_t kMostTrials = 400;
  const std::vector<SineAndCosine> all = sines_and_cosines(function);
  Extractor system(flattened(polynomials(function), {.products = false, .sums = false}), {});
  system.extract();
  bool changed = false;
  std::size_t trials = 0;
  for (bool again = true; again;) {
    again = false;
    std::vector<Identity> identities;
    for (const SineAndCosine& a : all) identities.push_back({a.sin, a.cos, {{1.0, {}}}});
    const std::vector<Identity> turned = rotations(flattened(system.system(), {.sums = false}), all);
    identities.insert(identities.end(), turned.begin(), turned.end());
    for (const Identity& identity : identities) {
      if (++trials > kMostTrials) break;
      const int before = system.operations();
      system.begin();
      for (int round = 0; round < 2; ++round) {
        system.dissolve_products_with(identity.x);
        system.dissolve_products_with(identity.y);
      }
      if (apply(system, identity)) {
        system.extract();
        if (system.operations() < before) {
          changed = again = true;
          continue;
        }
      }
      system.take_back();
    }
  }
  if (!changed) return function;
  Function next = rebuilt(function, system.system());
  return operations(next) < operations(function) ? next : function;
}

}  // namespace lw
