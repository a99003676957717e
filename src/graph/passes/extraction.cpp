#include "extraction.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <queue>
#include <unordered_map>

#include "../../base/random.hpp"
#include "objective.hpp"

namespace lw {
namespace {

using Product = std::vector<Literal>;

struct ProductHash {
  std::size_t operator()(const Product& p) const {
    std::uint64_t h = p.size();
    for (const Literal l : p) h = (h ^ l) * 0xff51afd7ed558ccdULL, h ^= h >> 32;
    return static_cast<std::size_t>(h);
  }
};

// u + r v
struct Divisor {
  std::uint32_t u, v;  // products
  std::uint64_t ratio;
  bool operator==(const Divisor&) const = default;
};
struct DivisorHash {
  std::size_t operator()(const Divisor& d) const {
    std::uint64_t h = (std::uint64_t{d.u} << 32 | d.v) * 0xff51afd7ed558ccdULL;
    h = (h ^ h >> 32 ^ d.ratio) * 0xc4ceb9fe1a85ec53ULL;
    return static_cast<std::size_t>(h ^ h >> 32);
  }
};

using Pair = std::uint64_t;
Pair pair_of(Literal a, Literal b) { return a < b ? Pair{a} << 32 | b : Pair{b} << 32 | a; }

constexpr std::size_t kMostTerms = 120;  // of sums whose terms are compared two by two

class Extractor {
 public:
  Extractor(Polynomials& system, const Extraction& what) : system_(system), what_(what), random_(what.seed) {
    for (const std::size_t s : topological(system)) {
      Terms terms = std::move(system.sums[s]);
      system.sums[s].clear();
      for (Term& t : terms) add(s, std::move(t));
    }
  }

  void run() {
    if (what_.sums) extract_sums();
    if (what_.products) extract_products();
    for (std::size_t s = 0; s < terms_of_.size(); ++s) {
      for (const std::uint32_t t : terms_of_[s]) {
        if (items_[t].alive) system_.sums[s].push_back(items_[t].term);
      }
    }
  }

 private:
  struct Item {
    Term term;
    std::size_t sum;
    Product factors;  // literals, and one for the constant
    bool alive = true;
  };
  struct Place {
    std::uint32_t a, b;  // items with u and with v
  };
  struct Entry {
    Divisor divisor;
    std::vector<Place> places;
  };
  struct Candidate {
    int gain;
    std::uint64_t rank;
    std::size_t entry;
    bool operator<(const Candidate& o) const { return gain != o.gain ? gain < o.gain : rank > o.rank; }
  };

  // ---- products

  std::uint32_t intern(const Product& p) {
    const auto [place, fresh] = product_index_.try_emplace(p, static_cast<std::uint32_t>(products_.size()));
    if (fresh) products_.push_back(p);
    return place->second;
  }

  // Constants count as factors, above all literals.
  Literal constant(double k) {
    const auto [place, fresh] =
        constants_.try_emplace(std::bit_cast<std::uint64_t>(std::abs(k)), static_cast<Literal>(constants_.size()));
    if (fresh) constant_values_.push_back(std::abs(k));
    return kFirstConstant + place->second;
  }
  static constexpr Literal kFirstConstant = Literal{3} << 30;

  Product factors_of(double k, const Product& literals) {
    Product f = literals;
    if (std::abs(k) != 1.0 && !literals.empty()) f.push_back(constant(k));
    return f;
  }

  template <class Visit>
  static void for_each_pair(const Product& f, Visit visit) {
    for (std::size_t i = 0; i < f.size(); ++i) {
      for (std::size_t j = i + 1; j < f.size(); ++j) visit(f[i], f[j]);
    }
  }
  void count(const Product& f, int by) {
    for_each_pair(f, [&](Literal a, Literal b) { pair_count_[pair_of(a, b)] += by; });
  }
  // Multiplications that it takes besides what all others that are counted take already.
  int price(const Product& f) const {
    if (f.size() < 2) return 0;
    int n = static_cast<int>(f.size()) - 1;
    if (f.size() == 2) {
      const auto place = pair_count_.find(pair_of(f[0], f[1]));
      return place != pair_count_.end() && place->second > 0 ? 0 : n;
    }
    std::uint64_t used = 0;
    for (std::size_t i = 0; i < f.size() && i < 64; ++i) {
      for (std::size_t j = i + 1; j < f.size() && j < 64; ++j) {
        if (used >> i & 1 || used >> j & 1) continue;
        const auto place = pair_count_.find(pair_of(f[i], f[j]));
        if (place != pair_count_.end() && place->second > 0) {
          used |= std::uint64_t{1} << i | std::uint64_t{1} << j;
          --n;
        }
      }
    }
    return n;
  }
  int take(const Product& f) {
    count(f, -1);
    return price(f);
  }
  int give(const Product& f) {
    const int n = price(f);
    count(f, 1);
    return n;
  }

  // ---- terms

  std::uint64_t ratio_bits(double r) const {
    if (what_.snap > 0.0) {
      int exponent = 0;
      const double mantissa = std::frexp(r, &exponent);
      r = std::ldexp(std::round(mantissa / what_.snap) * what_.snap, exponent);
    }
    return std::bit_cast<std::uint64_t>(r);
  }

  void add(std::size_t s, Term t) {
    if (terms_of_.size() <= s) terms_of_.resize(s + 1);
    std::vector<std::uint32_t>& mine = terms_of_[s];
    std::erase_if(mine, [&](std::uint32_t i) { return !items_[i].alive; });
    for (const std::uint32_t i : mine) {
      if (items_[i].term.literals != t.literals) continue;
      const double k = items_[i].term.k + t.k;
      const bool gone = std::abs(k) <= 1e-15 * std::abs(t.k);
      remove(i);
      if (!gone) add(s, {k, std::move(t.literals)});
      return;
    }
    const auto id = static_cast<std::uint32_t>(items_.size());
    Product f = factors_of(t.k, t.literals);
    count(f, 1);
    items_.push_back({std::move(t), s, std::move(f), true});
    if (what_.sums && mine.size() < kMostTerms) {
      for (const std::uint32_t other : mine) enter(other, id);
    }
    mine.push_back(id);
  }
  void remove(std::uint32_t i) {
    count(items_[i].factors, -1);
    items_[i].alive = false;
  }

  // ---- divisors of two terms

  void enter(std::uint32_t a, std::uint32_t b) {
    const Term &s = items_[a].term, &t = items_[b].term;
    Product u, v;
    std::set_difference(s.literals.begin(), s.literals.end(), t.literals.begin(), t.literals.end(), std::back_inserter(u));
    std::set_difference(t.literals.begin(), t.literals.end(), s.literals.begin(), s.literals.end(), std::back_inserter(v));
    std::uint32_t iu = intern(u), iv = intern(v);
    double r = t.k / s.k;
    if (iv < iu) {
      std::swap(iu, iv);
      std::swap(a, b);
      r = s.k / t.k;
    }
    const Divisor d{iu, iv, ratio_bits(r)};
    const auto [place, fresh] = divisor_index_.try_emplace(d, entries_.size());
    if (fresh) entries_.push_back({d, {}});
    Entry& e = entries_[place->second];
    e.places.push_back({a, b});
    queue_.push({most(e), what_.seed == 0 ? place->second : random_.bits(), place->second});
  }

  Product common(std::uint32_t a, std::uint32_t b) const {
    Product g;
    const Product &s = items_[a].term.literals, &t = items_[b].term.literals;
    std::set_intersection(s.begin(), s.end(), t.begin(), t.end(), std::back_inserter(g));
    return g;
  }

  // The places that still stand, none of them touching another.
  const std::vector<Place>& standing(Entry& e) {
    std::erase_if(e.places, [&](const Place& p) { return !items_[p.a].alive || !items_[p.b].alive; });
    chosen_.clear();
    for (const Place& p : e.places) {
      const bool free = std::none_of(chosen_.begin(), chosen_.end(), [&](const Place& c) {
        return c.a == p.a || c.a == p.b || c.b == p.a || c.b == p.b;
      });
      if (free) chosen_.push_back(p);
    }
    return chosen_;
  }

  // No divisor saves more than if nothing of it lived on elsewhere.
  int most(const Entry& e) const {
    int gain = 0;
    for (const Place& p : e.places) {
      gain += 1 + static_cast<int>(items_[p.a].factors.size() + items_[p.b].factors.size());
      if (gain > 1000) break;
    }
    return gain;
  }

  // What u and v are multiplied by in the new sum, so that the least multiplications remain.
  struct Scaled {
    int gain;
    double of_u;
  };
  Scaled gain(Entry& e) {
    const std::vector<Place> places = standing(e);
    if (places.empty()) return {0, 1.0};
    const Product &u = products_[e.divisor.u], &v = products_[e.divisor.v];
    const double r = ratio(places);
    std::vector<double> scales{1.0};
    if (std::abs(r) != 1.0) {
      scales.push_back(1.0 / r);
      for (std::size_t k = 0; k < places.size() && k < 4; ++k) scales.push_back(items_[places[k].a].term.k);
    }
    int before = 0;
    for (const Place& p : places) {
      before += 1 + take(items_[p.a].factors);
      before += take(items_[p.b].factors);
    }
    Scaled best{-1000000, 1.0};
    for (const double scale : scales) {
      if (scale == 0.0 || !std::isfinite(scale)) continue;
      std::vector<Product> given;
      int after = 1;
      const auto put = [&](Product f) {
        after += give(f);
        given.push_back(std::move(f));
      };
      put(factors_of(scale, u));
      put(factors_of(scale * r, v));
      for (const Place& p : places) {
        Product g = common(p.a, p.b);
        g.push_back(kNew);
        put(factors_of(items_[p.a].term.k / scale, g));
      }
      for (const Product& f : given) count(f, -1);
      if (before - after > best.gain) best = {before - after, scale};
    }
    for (const Place& p : places) {
      count(items_[p.a].factors, 1);
      count(items_[p.b].factors, 1);
    }
    return best;
  }
  static constexpr Literal kNew = kFirstConstant - 1;
  double ratio(const std::vector<Place>& places) const {
    return items_[places[0].b].term.k / items_[places[0].a].term.k;
  }

  void apply(Entry& e, double scale) {
    const std::vector<Place> places = standing(e);
    const Product u = products_[e.divisor.u], v = products_[e.divisor.v];
    const double r = ratio(places);
    const std::size_t s = system_.sums.size();
    system_.sums.emplace_back();
    struct New {
      std::size_t sum;
      Term term;
    };
    std::vector<New> rest;
    for (const Place& p : places) {
      Product g = common(p.a, p.b);
      g.push_back(sum_literal(s));  // above all others
      rest.push_back({items_[p.a].sum, {items_[p.a].term.k / scale, std::move(g)}});
      remove(p.a);
      remove(p.b);
    }
    add(s, {scale, u});
    add(s, {scale * r, v});
    for (New& n : rest) add(n.sum, std::move(n.term));
  }

  void extract_sums() {
    for (bool again = true; again;) {
      again = false;
      while (!queue_.empty()) {
        Candidate c = queue_.top();
        queue_.pop();
        const Scaled now = gain(entries_[c.entry]);
        if (now.gain <= 0) continue;
        if (now.gain < c.gain) {
          c.gain = now.gain;
          queue_.push(c);
          continue;
        }
        apply(entries_[c.entry], now.of_u);
        again = true;
      }
      // what has come to save by the end of a product elsewhere
      if (!again) break;
      for (std::size_t k = 0; k < entries_.size(); ++k) {
        if (entries_[k].places.empty()) continue;
        const int g = gain(entries_[k]).gain;
        if (g > 0) queue_.push({g, what_.seed == 0 ? k : random_.bits(), k});
      }
      again = !queue_.empty();
    }
  }

  // ---- products of two factors

  void extract_products() {
    struct Common {
      int times;
      std::uint64_t rank;
      Pair pair;
      bool operator<(const Common& o) const { return times != o.times ? times < o.times : rank > o.rank; }
    };
    std::unordered_map<Pair, std::vector<std::uint32_t>> where;
    std::priority_queue<Common> queue;
    const auto enter_pairs = [&](std::uint32_t i) {
      const Product& f = items_[i].factors;
      for_each_pair(f, [&](Literal a, Literal b) {
        const Pair p = pair_of(a, b);
        std::vector<std::uint32_t>& at = where[p];
        if (at.empty() || at.back() != i) at.push_back(i);
        if (at.size() > 1 || f.size() > 3) queue.push({0, 0, p});
      });
    };
    for (std::uint32_t i = 0; i < items_.size(); ++i) {
      if (items_[i].alive) enter_pairs(i);
    }
    // how often it can be taken out of one product
    const auto times = [](const Product& f, Literal a, Literal b) {
      const auto na = std::count(f.begin(), f.end(), a), nb = std::count(f.begin(), f.end(), b);
      return static_cast<int>(a == b ? na / 2 : std::min(na, nb));
    };
    std::priority_queue<Common> fresh;
    const auto evaluate = [&](Pair p) {
      std::vector<std::uint32_t>& at = where[p];
      std::erase_if(at, [&](std::uint32_t i) { return !items_[i].alive; });
      int n = 0;
      for (const std::uint32_t i : at) n += times(items_[i].factors, static_cast<Literal>(p >> 32), static_cast<Literal>(p));
      return n;
    };
    for (; !queue.empty(); queue.pop()) {
      const int n = evaluate(queue.top().pair);
      if (n > 1) fresh.push({n, what_.seed == 0 ? queue.top().pair : random_.bits(), queue.top().pair});
    }
    while (!fresh.empty()) {
      Common c = fresh.top();
      fresh.pop();
      const int n = evaluate(c.pair);
      if (n < 2) continue;
      if (n != c.times) {
        c.times = n;
        fresh.push(c);
        continue;
      }
      const auto a = static_cast<Literal>(c.pair >> 32), b = static_cast<Literal>(c.pair);
      const std::size_t s = system_.sums.size();
      system_.sums.emplace_back();
      const std::vector<std::uint32_t> places = where[c.pair];
      Term both;
      for (const Literal l : {a, b}) {
        if (l >= kFirstConstant) {
          both.k = constant_values_[l - kFirstConstant];
        } else {
          both.literals.push_back(l);
        }
      }
      std::sort(both.literals.begin(), both.literals.end());
      std::vector<std::uint32_t> changed;
      for (const std::uint32_t i : places) {
        Product f = items_[i].factors;
        const double sign = items_[i].term.k < 0.0 ? -1.0 : 1.0;
        int m = times(f, a, b);
        const int taken = m;
        for (; m > 0; --m) {
          f.erase(std::find(f.begin(), f.end(), a));
          f.erase(std::find(f.begin(), f.end(), b));
        }
        Term t{sign, {}};
        for (const Literal l : f) {
          if (l >= kFirstConstant) {
            t.k = sign * constant_values_[l - kFirstConstant];
          } else {
            t.literals.push_back(l);
          }
        }
        for (int k = 0; k < taken; ++k) t.literals.push_back(sum_literal(s));
        std::sort(t.literals.begin(), t.literals.end());
        const std::size_t sum = items_[i].sum;
        remove(i);
        changed.push_back(static_cast<std::uint32_t>(items_.size()));
        add_plain(sum, std::move(t));
      }
      changed.push_back(static_cast<std::uint32_t>(items_.size()));
      add_plain(s, std::move(both));
      for (const std::uint32_t i : changed) {
        enter_pairs(i);
        for (; !queue.empty(); queue.pop()) {
          const int m = evaluate(queue.top().pair);
          if (m > 1) fresh.push({m, what_.seed == 0 ? queue.top().pair : random_.bits(), queue.top().pair});
        }
      }
    }
  }
  void add_plain(std::size_t s, Term t) {
    if (terms_of_.size() <= s) terms_of_.resize(s + 1);
    const auto id = static_cast<std::uint32_t>(items_.size());
    Product f = factors_of(t.k, t.literals);
    count(f, 1);
    items_.push_back({std::move(t), s, std::move(f), true});
    terms_of_[s].push_back(id);
  }

  Polynomials& system_;
  Extraction what_;
  Random random_;
  std::vector<Item> items_;
  std::vector<std::vector<std::uint32_t>> terms_of_;
  std::unordered_map<Product, std::uint32_t, ProductHash> product_index_;
  std::vector<Product> products_;
  std::unordered_map<std::uint64_t, Literal> constants_;
  std::vector<double> constant_values_;
  std::unordered_map<Pair, int> pair_count_;
  std::unordered_map<Divisor, std::size_t, DivisorHash> divisor_index_;
  std::vector<Entry> entries_;
  std::priority_queue<Candidate> queue_;
  std::vector<Place> chosen_;
};

}  // namespace

void extract(Polynomials& system, const Extraction& what) { Extractor(system, what).run(); }

Function extracted(const Function& function, const Flattening& how, const Extraction& what) {
  Function best = function;
  for (double lowest = operations(best);;) {
    Polynomials system = flattened(polynomials(best), how);
    extract(system, what);
    Function next = rebuilt(best, system);
    const double now = operations(next);
    if (now >= lowest) return best;
    lowest = now;
    best = std::move(next);
  }
}

}  // namespace lw
