// The engine of extraction.hpp and search.hpp: a system of polynomials with an index of its divisors.
//
// Terms are immutable: they are added and removed, and dead ones can be restored. Therefore an expensive step can be
// undone, and the cost of a step depends on the terms that it affects, not on the size of the system.
#pragma once

#include <queue>
#include <set>
#include <unordered_map>
#include <vector>

#include "../../base/random.hpp"
#include "extraction.hpp"

namespace lw {

class Extractor {
 public:
  Extractor(const Polynomials& system, const Extraction& what);

  // Extracts divisors until none saves anything.
  void extract();
  Polynomials system() const;
  int operations() const { return operations_; }

  // Expands the sum wherever it is used, distributing products too. Does nothing if that would give more than `most`
  // terms.
  void dissolve(std::size_t sum, std::size_t most);
  // Expands products that have the literal as a factor wherever they are used.
  void dissolve_products_with(Literal literal);
  std::vector<std::size_t> sums_with(Literal literal) const;
  Terms terms(std::size_t sum) const;
  // Replaces these terms of the sum by those.
  void replace(std::size_t sum, const Terms& gone, const Terms& come);

  // A random live sum, which exists if operations() > 0; a sum that it uses or that uses it.
  std::size_t any_sum();
  std::size_t neighbour(std::size_t sum);

  // Everything since begin() can be undone.
  void begin();
  void take_back();
  // Size of the tables, which only grow.
  std::size_t size() const { return items_.size(); }

 private:
  using Product = std::vector<Literal>;
  using Id = std::uint32_t;
  using Pair = std::uint64_t;

  struct Item {
    Term term;
    Product factors;                   // literals, and one for the constant
    std::vector<std::uint32_t> pairs;  // of factors, first with second, first with third, …
    std::size_t sum;
    bool alive;
    int died;  // in which step
  };
  struct Sum {
    std::vector<Id> items;  // alive
    std::vector<Id> users;  // items with its literal; some of them dead
    int uses = 0;
    bool root = false;
  };
  struct Divisor {  // u + r v
    std::uint32_t u, v;
    std::uint64_t ratio;
    bool operator==(const Divisor&) const = default;
  };
  struct Place {
    Id a, b;  // the items with u and with v
  };
  struct Entry {
    Divisor divisor;
    std::vector<Place> places;  // some of them dead
    bool waiting = false;       // to be looked at
  };
  struct Shared {
    Literal a, b;
    int count = 0;
    std::vector<Id> where;  // some of them dead
  };
  struct Candidate {
    int gain;
    std::uint64_t rank;
    std::uint64_t what;  // entry or pair
    bool operator<(const Candidate& o) const { return gain != o.gain ? gain < o.gain : rank > o.rank; }
  };
  struct Scaled {
    int gain;
    double of_u;
  };
  struct ProductHash {
    std::size_t operator()(const Product& p) const;
  };
  struct DivisorHash {
    std::size_t operator()(const Divisor& d) const;
  };
  struct PairHash {
    std::size_t operator()(Pair p) const;
  };

  // numbers count as factors, above all literals
  static constexpr Literal kFirstConstant = Literal{3} << 30, kNew = kFirstConstant - 1;
  static Pair pair_of(Literal a, Literal b) { return a < b ? Pair{a} << 32 | b : Pair{b} << 32 | a; }
  double snapped(double k);  // a number seen before that it agrees with, where numbers are snapped
  Literal constant(double k);
  Product factors_of(double k, const Product& literals);
  Term term_of(const Product& factors, bool negative) const;
  std::uint32_t intern(const Product& p);
  std::uint64_t rank(std::uint64_t what) { return what_.seed == 0 ? what : random_.bits(); }
  static int multiplications(const Product& f) { return f.size() < 2 ? 0 : static_cast<int>(f.size()) - 1; }
  template <class Visit>
  static void for_each_pair(const Product& f, Visit visit) {
    for (std::size_t i = 0; i < f.size(); ++i) {
      for (std::size_t j = i + 1; j < f.size(); ++j) visit(f[i], f[j]);
    }
  }

  std::size_t new_sum();
  void add(std::size_t sum, Term term);
  void remove(Id id);
  void stand(Id id);  // what add and bringing back share
  void fall(Id id);
  bool is_forgotten(Id id) const { return !items_[id].alive && items_[id].died < step_; }
  void tidy();  // sums that nothing needs, that are one term, or that one sum alone uses
  void substitute(std::size_t sum);

  std::uint32_t pair_index(Literal a, Literal b);
  void find_pairs(const Product& f, std::vector<std::uint32_t>& pairs);
  void count(const std::vector<std::uint32_t>& pairs, int by);
  // Multiplications besides what all others that are counted take already.
  int price(std::size_t factors, const std::vector<std::uint32_t>& pairs) const;
  int take(const Item& item) { return count(item.pairs, -1), price(item.factors.size(), item.pairs); }

  void enter(Id a, Id b);
  bool is_vain(const Entry& e) const;
  Product common(const Place& p) const;
  void standing(Entry& e, std::vector<Place>& chosen) const;
  double ratio(const Place& p) const { return items_[p.b].term.k / items_[p.a].term.k; }
  Scaled gain(Entry& e);
  void apply(std::size_t entry, double scale);
  void extract_sums();
  int times(std::uint32_t pair);
  void extract_products();

  Extraction what_;
  Random random_;
  std::vector<Polynomials::Root> roots_;
  std::vector<Item> items_;
  std::vector<Sum> sums_;
  int operations_ = 0, step_ = 1;
  struct Change {
    Id item;
    bool added;
  };
  std::vector<Change> journal_;
  bool journaling_ = false;
  std::vector<std::size_t> touched_;

  std::unordered_map<Product, std::uint32_t, ProductHash> product_index_;
  std::vector<Product> products_;
  std::unordered_map<Literal, std::vector<Id>> where_;  // items with the literal; some of them dead
  std::unordered_map<std::uint64_t, Literal> constants_;
  std::vector<double> constant_values_;
  std::set<double> numbers_{1.0};
  std::unordered_map<Pair, std::uint32_t, PairHash> pair_index_;
  std::vector<Shared> pairs_;
  std::vector<std::uint32_t> touched_pairs_;
  std::unordered_map<Divisor, std::size_t, DivisorHash> divisor_index_;
  std::vector<Entry> entries_;
  std::priority_queue<Candidate> queue_;
  std::vector<Place> chosen_;
  std::vector<std::vector<std::uint32_t>> given_;
};

}  // namespace lw
