#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

#include "equations.hpp"

namespace lw {

// Puts statements into sections. A section goes on as long as any of its statements can be computed. Then comes the
// next section of the sweeps over the links, or of the function; sections of the same body come first. Auxiliaries are
// written just before they are needed.
class Equations::Arrangement {
 public:
  explicit Arrangement(Equations& equations)
      : e_(equations),
        list_(equations.statements_.list()),
        key_(list_.size()),
        auxiliary_(list_.size(), false),
        done_(list_.size(), false),
        needs_(list_.size()),
        users_(list_.size()),
        missing_(list_.size(), 0) {
    name_sections();
    find_needs();
  }

  void run() {
    for (std::size_t k = 0; k < list_.size(); ++k) {
      if (needs_[k].empty()) offer(k);
    }
    Key current{"", "\n"};  // none
    while (true) {
      auto place = ready_.find(current);
      if (place == ready_.end() || place->second.empty()) {
        place = next_section(current.first);
        if (place == ready_.end()) break;
        current = place->first;
        e_.sections_.push_back({current.second, current.first, {}});
      }
      std::pop_heap(place->second.begin(), place->second.end(), std::greater<>());
      const std::size_t k = place->second.back();
      place->second.pop_back();
      write(k);
      know(k);
    }
  }

 private:
  using Key = std::pair<std::string, std::string>;        // body, quantity
  using Ready = std::map<Key, std::vector<std::size_t>>;  // heaps by place in the list

  void name_sections() {
    for (std::size_t k = 0; k < list_.size(); ++k) {
      const Statement& s = list_[k];
      if (!s.name.empty()) definition_[s.node] = k;
      const Symbol symbol = s.results.empty() ? e_.symbol_of(s.node) : e_.symbol_of_result(s.results[0]);
      auxiliary_[k] = s.results.empty() && is_auxiliary(symbol);
      const bool is_sine = symbol.quantity == "sin" || symbol.quantity == "cos";
      key_[k] = is_sine ? Key() : Key(symbol.body, symbol.quantity);
      if (meaning(symbol.quantity) == nullptr && !s.results.empty()) key_[k].first.clear();
    }
  }

  void find_needs() {
    for (std::size_t k = 0; k < list_.size(); ++k) {
      const NodeId node = list_[k].node;
      if (e_.graph_[node].op == Op::input) continue;
      const bool is_copy = list_[k].name.empty() && e_.statements_.variable(node) != nullptr;
      for (const NodeId id : is_copy ? std::vector<NodeId>{node} : e_.statements_.reads(node)) {
        if (const auto d = definition_.find(id); d != definition_.end()) needs_[k].push_back(d->second);
      }
    }
    for (std::size_t k = 0; k < list_.size(); ++k) {
      missing_[k] = needs_[k].size();
      for (const std::size_t n : needs_[k]) users_[n].push_back(k);
    }
  }

  // A statement that can be computed. An auxiliary counts as known at once; it is written where it is first needed.
  void offer(std::size_t k) {
    if (auxiliary_[k]) return know(k);
    std::vector<std::size_t>& heap = ready_[key_[k]];
    heap.push_back(k);
    std::push_heap(heap.begin(), heap.end(), std::greater<>());
  }

  void know(std::size_t k) {
    for (const std::size_t u : users_[k]) {
      if (--missing_[u] == 0) offer(u);
    }
  }

  void write(std::size_t k) {
    if (done_[k]) return;
    done_[k] = true;
    for (const std::size_t n : needs_[k]) {
      if (auxiliary_[n]) write(n);
    }
    e_.add(list_[k], e_.sections_.back());
  }

  // First sections of no link, then outward from the base, then inward, then the rest.
  Ready::iterator next_section(const std::string& body) {
    const auto turn = [&](const Ready::value_type& section) {
      const auto& [own, quantity] = section.first;
      const Meaning* m = meaning(quantity);
      const Sweep sweep = m == nullptr ? Sweep::none : m->sweep;
      const int link = own.empty() || own.size() > 6 || sweep == Sweep::none ? 0 : std::stoi(own);
      const int stage = own.empty() ? 0 : sweep == Sweep::outward ? 1 : sweep == Sweep::inward ? 2 : 3;
      return std::tuple(stage, stage == 2 ? -link : link, own != body, section.second.front());
    };
    auto next = ready_.end();
    for (auto r = ready_.begin(); r != ready_.end(); ++r) {
      if (!r->second.empty() && (next == ready_.end() || turn(*r) < turn(*next))) next = r;
    }
    return next;
  }

  Equations& e_;
  const std::vector<Statement>& list_;
  std::map<NodeId, std::size_t> definition_;
  std::vector<Key> key_;
  std::vector<bool> auxiliary_, done_;
  std::vector<std::vector<std::size_t>> needs_, users_;
  std::vector<std::size_t> missing_;
  Ready ready_;
};

void Equations::arrange() { Arrangement(*this).run(); }

}  // namespace lw
