#include "extractor.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace lw {
namespace {

constexpr std::size_t kMostComparedTerms = 120;  // largest sum whose terms are compared pairwise

std::uint64_t mixed(std::uint64_t h) {
  h *= 0xff51afd7ed558ccdULL;
  return h ^ h >> 32;
}

}  // namespace

std::size_t Extractor::ProductHash::operator()(const Product& p) const {
  std::uint64_t h = p.size();
  for (const Literal l : p) h = mixed(h ^ l);
  return static_cast<std::size_t>(h);
}
std::size_t Extractor::DivisorHash::operator()(const Divisor& d) const {
  return static_cast<std::size_t>(mixed(mixed(std::uint64_t{d.u} << 32 | d.v) ^ d.ratio));
}
std::size_t Extractor::PairHash::operator()(Pair p) const { return static_cast<std::size_t>(mixed(p)); }

Extractor::Extractor(const Polynomials& system, const Extraction& what)
    : what_(what), random_(what.seed), roots_(system.roots), sums_(system.sums.size()) {
  for (const Polynomials::Root& r : roots_) sums_[r.sum].root = true;
  for (const std::size_t s : topological(system)) {
    for (const Term& t : system.sums[s]) add(s, {snapped(t.k), t.literals});
  }
}

double Extractor::snapped(double k) {
  if (what_.snap <= 0.0) return k;
  const double size = std::abs(k);
  const auto near = numbers_.lower_bound(size * (1.0 - what_.snap));
  if (near != numbers_.end() && *near <= size * (1.0 + what_.snap)) return std::copysign(*near, k);
  numbers_.insert(size);
  return k;
}

Polynomials Extractor::system() const {
  Polynomials out;
  out.roots = roots_;
  out.sums.resize(sums_.size());
  for (std::size_t s = 0; s < sums_.size(); ++s) out.sums[s] = terms(s);
  return out;
}

void Extractor::extract() {
  tidy();
  for (int round = 0; round < 20; ++round) {
    if (what_.sums) extract_sums();
    if (what_.products) extract_products();
    tidy();
    if (queue_.empty() && touched_pairs_.empty()) return;
  }
}

void Extractor::begin() {
  journal_.clear();
  journaling_ = true;
  ++step_;
}

void Extractor::take_back() {
  for (auto c = journal_.rbegin(); c != journal_.rend(); ++c) {
    if (c->added) {
      fall(c->item);
    } else {
      stand(c->item);
    }
  }
  journal_.clear();
  touched_.clear();
  touched_pairs_.clear();
  for (; !queue_.empty(); queue_.pop()) entries_[queue_.top().what].waiting = false;
}

std::size_t Extractor::any_sum() {
  for (;;) {
    const auto s = static_cast<std::size_t>(random_.below(static_cast<int>(sums_.size())));
    if (!sums_[s].items.empty()) return s;
  }
}

std::size_t Extractor::neighbour(std::size_t sum) {
  std::vector<std::size_t> next;
  for (const Id i : sums_[sum].items) {
    for (const Literal l : items_[i].term.literals) {
      if (is_sum(l)) next.push_back(sum_index(l));
    }
  }
  if (next.empty() || random_.chance(0.5)) {
    for (const Id i : sums_[sum].users) {
      if (items_[i].alive) next.push_back(items_[i].sum);
    }
  }
  return next.empty() ? sum : next[static_cast<std::size_t>(random_.below(static_cast<int>(next.size())))];
}

// ---- products

Literal Extractor::constant(double k) {
  const auto [place, fresh] =
      constants_.try_emplace(std::bit_cast<std::uint64_t>(std::abs(k)), static_cast<Literal>(constants_.size()));
  if (fresh) constant_values_.push_back(std::abs(k));
  return kFirstConstant + place->second;
}

Extractor::Product Extractor::factors_of(double k, const Product& literals) {
  Product f = literals;
  if (std::abs(k) != 1.0 && !literals.empty()) f.push_back(constant(k));
  return f;
}

Term Extractor::term_of(const Product& factors, bool negative) const {
  Term t;
  for (const Literal l : factors) {
    if (l >= kFirstConstant) {
      t.k *= constant_values_[l - kFirstConstant];
    } else {
      t.literals.push_back(l);
    }
  }
  std::sort(t.literals.begin(), t.literals.end());
  if (negative) t.k = -t.k;
  return t;
}

std::uint32_t Extractor::intern(const Product& p) {
  const auto [place, fresh] = product_index_.try_emplace(p, static_cast<std::uint32_t>(products_.size()));
  if (fresh) products_.push_back(p);
  return place->second;
}

std::uint32_t Extractor::pair_index(Literal a, Literal b) {
  const auto [place, fresh] = pair_index_.try_emplace(pair_of(a, b), static_cast<std::uint32_t>(pairs_.size()));
  if (fresh) pairs_.push_back({a, b, 0, {}});
  return place->second;
}

void Extractor::find_pairs(const Product& f, std::vector<std::uint32_t>& pairs) {
  pairs.clear();
  for_each_pair(f, [&](Literal a, Literal b) { pairs.push_back(pair_index(a, b)); });
}

void Extractor::count(const std::vector<std::uint32_t>& pairs, int by) {
  for (const std::uint32_t p : pairs) pairs_[p].count += by;
}

int Extractor::price(std::size_t factors, const std::vector<std::uint32_t>& pairs) const {
  if (factors < 2) return 0;
  int n = static_cast<int>(factors) - 1;
  std::uint64_t used = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i + 1 < factors; ++i) {
    for (std::size_t j = i + 1; j < factors; ++j, ++at) {
      if (j >= 64 || used >> i & 1 || used >> j & 1 || pairs_[pairs[at]].count <= 0) continue;
      used |= std::uint64_t{1} << i | std::uint64_t{1} << j;
      --n;
    }
  }
  return n;
}

// ---- terms

std::size_t Extractor::new_sum() {
  sums_.emplace_back();
  return sums_.size() - 1;
}

void Extractor::stand(Id id) {
  Item& item = items_[id];
  item.alive = true;
  Sum& sum = sums_[item.sum];
  operations_ += multiplications(item.factors) + (sum.items.empty() ? 0 : 1);
  sum.items.push_back(id);
  count(item.pairs, 1);
  for (const Literal l : item.term.literals) {
    if (is_sum(l)) ++sums_[sum_index(l)].uses;
  }
}

void Extractor::fall(Id id) {
  Item& item = items_[id];
  item.alive = false;
  item.died = step_;
  Sum& sum = sums_[item.sum];
  sum.items.erase(std::find(sum.items.begin(), sum.items.end(), id));
  operations_ -= multiplications(item.factors) + (sum.items.empty() ? 0 : 1);
  count(item.pairs, -1);
  for (const Literal l : item.term.literals) {
    if (is_sum(l)) --sums_[sum_index(l)].uses;
  }
}

void Extractor::add(std::size_t s, Term t) {
  for (const Id i : sums_[s].items) {
    if (items_[i].term.literals != t.literals) continue;
    const double k = items_[i].term.k + t.k;
    const bool gone = std::abs(k) <= 1e-15 * std::abs(t.k);
    remove(i);
    if (!gone) add(s, {k, std::move(t.literals)});
    return;
  }
  const auto id = static_cast<Id>(items_.size());
  Product f = factors_of(t.k, t.literals);
  items_.push_back({std::move(t), std::move(f), {}, s, false, 0});
  Item& item = items_.back();
  find_pairs(item.factors, item.pairs);
  for (std::size_t k = 0; k < item.term.literals.size(); ++k) {
    const Literal l = item.term.literals[k];
    if (k > 0 && item.term.literals[k - 1] == l) continue;
    where_[l].push_back(id);
    if (!is_sum(l)) continue;
    std::vector<Id>& users = sums_[sum_index(l)].users;
    if (users.size() > 32) std::erase_if(users, [&](Id i) { return is_forgotten(i); });
    users.push_back(id);
  }
  if (what_.products) {
    for (const std::uint32_t p : item.pairs) {
      Shared& shared = pairs_[p];
      if (shared.where.empty() || shared.where.back() != id) shared.where.push_back(id);
      if (shared.where.size() > 1 || item.factors.size() > 3) touched_pairs_.push_back(p);
    }
  }
  if (what_.sums && sums_[s].items.size() < kMostComparedTerms) {
    for (const Id other : sums_[s].items) enter(other, id);
  }
  stand(id);
  if (journaling_) journal_.push_back({id, true});
  touched_.push_back(s);
}

void Extractor::remove(Id id) {
  fall(id);
  if (journaling_) journal_.push_back({id, false});
  touched_.push_back(items_[id].sum);
  for (const Literal l : items_[id].term.literals) {
    if (is_sum(l)) touched_.push_back(sum_index(l));
  }
}

void Extractor::substitute(std::size_t s) {
  Terms value;
  for (const Id i : sums_[s].items) value.push_back(items_[i].term);
  std::vector<Id> users = sums_[s].users;
  std::sort(users.begin(), users.end());
  for (const Id i : users) {
    if (!items_[i].alive) continue;
    Terms written{{items_[i].term.k, {}}};
    for (const Literal l : items_[i].term.literals) {
      if (l != sum_literal(s)) {
        for (Term& t : written) t.literals.insert(std::upper_bound(t.literals.begin(), t.literals.end(), l), l);
        continue;
      }
      Terms next;
      for (const Term& a : written) {
        for (const Term& b : value) next.push_back(product(a, b));
      }
      written = std::move(next);
    }
    const std::size_t sum = items_[i].sum;
    remove(i);
    for (Term& t : written) add(sum, std::move(t));
  }
}

void Extractor::dissolve(std::size_t s, std::size_t most) {
  std::size_t terms = 0;
  for (const Id i : sums_[s].users) {
    if (!items_[i].alive) continue;
    std::size_t n = 1;
    for (const Literal l : items_[i].term.literals) n *= l == sum_literal(s) ? sums_[s].items.size() : 1;
    terms += n;
  }
  if (terms <= most) substitute(s);
}

std::vector<std::size_t> Extractor::sums_with(Literal literal) const {
  std::vector<std::size_t> found;
  const auto place = where_.find(literal);
  if (place == where_.end()) return found;
  for (const Id i : place->second) {
    if (items_[i].alive) found.push_back(items_[i].sum);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

void Extractor::dissolve_products_with(Literal literal) {
  for (const std::size_t s : sums_with(literal)) {
    if (sums_[s].items.size() == 1 && sums_[s].uses > 0) substitute(s);
  }
}

Terms Extractor::terms(std::size_t s) const {
  Terms all;
  for (const Id i : sums_[s].items) all.push_back(items_[i].term);
  return all;
}

void Extractor::replace(std::size_t s, const Terms& gone, const Terms& come) {
  for (const Term& t : gone) {
    const auto at = std::find_if(sums_[s].items.begin(), sums_[s].items.end(), [&](Id i) {
      return items_[i].term.k == t.k && items_[i].term.literals == t.literals;
    });
    if (at != sums_[s].items.end()) remove(*at);
  }
  for (const Term& t : come) add(s, t);
}

void Extractor::tidy() {
  while (!touched_.empty()) {
    const std::size_t s = touched_.back();
    touched_.pop_back();
    const Sum& sum = sums_[s];
    if (sum.uses == 0) {
      if (sum.root) continue;
      while (!sums_[s].items.empty()) remove(sums_[s].items.back());
      continue;
    }
    if (sum.items.empty()) {  // it is zero
      substitute(s);
      continue;
    }
    const bool once = sum.uses == 1 && !sum.root;
    if (sum.items.size() == 1) {
      const Term& t = items_[sum.items[0]].term;
      if (t.literals.empty() || (t.literals.size() == 1 && std::abs(t.k) == 1.0) || once) substitute(s);
    } else if (once) {
      const auto user = std::find_if(sum.users.begin(), sum.users.end(), [&](Id i) { return items_[i].alive; });
      const Term& t = items_[*user].term;
      if (t.literals.size() == 1 && std::abs(t.k) == 1.0 && what_.sums) substitute(s);
    }
  }
}

}  // namespace lw
