// Common parts of sums and products: divisors of two terms, and products of two factors.
#include "extractor.hpp"

#include <algorithm>
#include <cmath>

namespace lw {
namespace {

constexpr int kUnknown = 1000;  // a gain not yet computed

}  // namespace

void Extractor::enter(Id a, Id b) {
  const Term &s = items_[a].term, &t = items_[b].term;
  Product u, v;
  std::set_difference(s.literals.begin(), s.literals.end(), t.literals.begin(), t.literals.end(),
                      std::back_inserter(u));
  std::set_difference(t.literals.begin(), t.literals.end(), s.literals.begin(), s.literals.end(),
                      std::back_inserter(v));
  std::uint32_t iu = intern(u), iv = intern(v);
  if (iv < iu) {
    std::swap(iu, iv);
    std::swap(a, b);
  }
  double r = items_[b].term.k / items_[a].term.k;
  r = snapped(r);
  const Divisor d{iu, iv, std::bit_cast<std::uint64_t>(r)};
  const auto [place, fresh] = divisor_index_.try_emplace(d, entries_.size());
  if (fresh) entries_.push_back({d, {}});
  Entry& e = entries_[place->second];
  e.places.push_back({a, b});
  if (e.places.size() > 16) {
    std::erase_if(e.places, [&](const Place& p) { return is_forgotten(p.a) || is_forgotten(p.b); });
  }
  if (e.waiting || is_vain(e)) return;
  e.waiting = true;
  queue_.push({kUnknown, rank(place->second), place->second});
}

// A single place saves only the common factors of its terms.
bool Extractor::is_vain(const Entry& e) const {
  if (e.places.size() > 1) return false;
  const Item &a = items_[e.places[0].a], &b = items_[e.places[0].b];
  const bool nothing_common = a.term.literals.size() == products_[e.divisor.u].size();
  const double k = std::abs(a.term.k);
  return nothing_common && (k == 1.0 || k != std::abs(b.term.k));
}

Extractor::Product Extractor::common(const Place& p) const {
  Product g;
  const Product &s = items_[p.a].term.literals, &t = items_[p.b].term.literals;
  std::set_intersection(s.begin(), s.end(), t.begin(), t.end(), std::back_inserter(g));
  return g;
}

// The valid places, without overlaps.
void Extractor::standing(Entry& e, std::vector<Place>& chosen) const {
  chosen.clear();
  for (const Place& p : e.places) {
    // a new item is registered for its pairs before it counts as alive; places are examined later
    if (!items_[p.a].alive || !items_[p.b].alive) continue;
    const bool free = std::none_of(chosen.begin(), chosen.end(), [&](const Place& c) {
      return c.a == p.a || c.a == p.b || c.b == p.a || c.b == p.b;
    });
    if (free) chosen.push_back(p);
  }
}

// The saving, and the factor of u in the new sum that leaves the fewest multiplications.
Extractor::Scaled Extractor::gain(Entry& e) {
  std::vector<Place>& places = chosen_;
  standing(e, places);
  if (places.empty() || (places.size() == 1 && is_vain({e.divisor, places}))) return {0, 1.0};
  const Product &u = products_[e.divisor.u], &v = products_[e.divisor.v];
  const double r = ratio(places[0]);
  std::vector<double> scales{1.0};
  if (std::abs(r) != 1.0) {
    scales.push_back(1.0 / r);
    for (std::size_t k = 0; k < places.size() && k < 4; ++k) scales.push_back(items_[places[k].a].term.k);
  }
  const bool plain = std::all_of(places.begin(), places.end(), [&](const Place& p) {
    return items_[p.a].factors.size() == u.size() && items_[p.b].factors.size() == v.size();
  });
  if (plain) return {static_cast<int>(places.size()) - 1, items_[places[0].a].term.k};  // u ± v itself
  int before = 0;
  for (const Place& p : places) {
    before += 1 + take(items_[p.a]);
    before += take(items_[p.b]);
  }
  Scaled best{-1000000, 1.0};
  for (const double scale : scales) {
    if (scale == 0.0 || !std::isfinite(scale)) continue;
    std::size_t given = 0;
    int after = 1;
    const auto give = [&](const Product& f) {
      if (given == given_.size()) given_.emplace_back();
      find_pairs(f, given_[given]);
      after += price(f.size(), given_[given]);
      count(given_[given++], 1);
    };
    give(factors_of(scale, u));
    give(factors_of(scale * r, v));
    for (const Place& p : places) {
      Product g = common(p);
      g.push_back(kNew);
      give(factors_of(items_[p.a].term.k / scale, g));
    }
    while (given > 0) count(given_[--given], -1);
    if (before - after > best.gain) best = {before - after, scale};
  }
  for (const Place& p : places) {
    count(items_[p.a].pairs, 1);
    count(items_[p.b].pairs, 1);
  }
  return best;
}

void Extractor::apply(std::size_t entry, double scale) {
  std::vector<Place> places;
  standing(entries_[entry], places);
  const Product u = products_[entries_[entry].divisor.u], v = products_[entries_[entry].divisor.v];
  const double r = ratio(places[0]);
  const std::size_t s = new_sum();
  struct New {
    std::size_t sum;
    Term term;
  };
  std::vector<New> rest;
  for (const Place& p : places) {
    Product g = common(p);
    g.push_back(sum_literal(s));  // above all others
    rest.push_back({items_[p.a].sum, {items_[p.a].term.k / scale, std::move(g)}});
    remove(p.a);
    remove(p.b);
  }
  add(s, {scale, u});
  add(s, {scale * r, v});
  for (New& n : rest) add(n.sum, std::move(n.term));
}

void Extractor::extract_sums() {
  while (!queue_.empty()) {
    Candidate c = queue_.top();
    queue_.pop();
    entries_[c.what].waiting = false;
    const Scaled now = gain(entries_[c.what]);
    if (now.gain <= 0) continue;
    if (now.gain < c.gain) {
      c.gain = now.gain;
      queue_.push(c);
      continue;
    }
    apply(c.what, now.of_u);
  }
}

// Products of two factors.

namespace {

// How often the pair can be extracted from a product.
int times_in(const std::vector<Literal>& f, Literal a, Literal b) {
  const auto na = std::count(f.begin(), f.end(), a), nb = std::count(f.begin(), f.end(), b);
  return static_cast<int>(a == b ? na / 2 : std::min(na, nb));
}

}  // namespace

int Extractor::times(std::uint32_t pair) {
  Shared& shared = pairs_[pair];
  std::erase_if(shared.where, [&](Id i) { return is_forgotten(i); });
  int n = 0;
  for (const Id i : shared.where) {
    if (items_[i].alive) n += times_in(items_[i].factors, shared.a, shared.b);
  }
  return n;
}

void Extractor::extract_products() {
  std::priority_queue<Candidate> queue;
  const auto enter_touched = [&] {
    for (const std::uint32_t p : touched_pairs_) {
      const int n = times(p);
      if (n > 1) queue.push({n, rank(pair_of(pairs_[p].a, pairs_[p].b)), p});
    }
    touched_pairs_.clear();
  };
  enter_touched();
  while (!queue.empty()) {
    Candidate c = queue.top();
    queue.pop();
    const int n = times(static_cast<std::uint32_t>(c.what));
    if (n < 2) continue;
    if (n < c.gain) {
      c.gain = n;
      queue.push(c);
      continue;
    }
    const auto [a, b, count, places] = Shared(pairs_[c.what]);
    const std::size_t s = new_sum();
    for (const Id i : places) {
      if (!items_[i].alive) continue;
      Product f = items_[i].factors;
      const bool negative = items_[i].term.k < 0.0;
      const int m = times_in(f, a, b);
      for (int k = 0; k < m; ++k) {
        f.erase(std::find(f.begin(), f.end(), a));
        f.erase(std::find(f.begin(), f.end(), b));
      }
      f.insert(f.end(), static_cast<std::size_t>(m), sum_literal(s));
      const std::size_t sum = items_[i].sum;
      remove(i);
      add(sum, term_of(f, negative));
    }
    add(s, term_of({a, b}, false));
    enter_touched();
  }
}

}  // namespace lw
