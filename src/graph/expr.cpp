#include "expr.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "../base/error.hpp"
#include "function.hpp"
#include "scalar.hpp"

namespace lw {
namespace {

Graph& common_graph(const Expr& a, const Expr& b) { return a.graph() != nullptr ? *a.graph() : *b.graph(); }

bool is_negation(const Expr& e) { return !e.is_constant() && (*e.graph())[e.id()].op == Op::neg; }
Expr negated(const Expr& e) { return {e.graph(), (*e.graph())[e.id()].a}; }
bool both_constant(const Expr& a, const Expr& b) { return a.is_constant() && b.is_constant(); }

Expr binary(Op op, const Expr& a, const Expr& b) {
  Graph& g = common_graph(a, b);
  const NodeId x = g.intern(a), y = g.intern(b);
  return g.make(op, x, y);
}

// The operands of + and × are ordered, so that a+b and b+a are one node.
Expr commutative(Op op, const Expr& a, const Expr& b) {
  Graph& g = common_graph(a, b);
  NodeId x = g.intern(a), y = g.intern(b);
  if (y < x) std::swap(x, y);
  return g.make(op, x, y);
}

Expr unary(Op op, const Expr& a) { return a.graph()->make(op, a.id()); }

// f(-x) = -f(x)
template <class F>
Expr odd(Op op, const Expr& x, F f) {
  if (x.is_constant()) return f(x.constant());
  if (is_negation(x)) return -unary(op, negated(x));
  return unary(op, x);
}

bool is_same(const Node& x, const Node& y) {
  return x.op == y.op && x.a == y.a && x.b == y.b && x.c == y.c &&
         std::bit_cast<std::uint64_t>(x.value) == std::bit_cast<std::uint64_t>(y.value);
}

std::uint32_t hash_of(const Node& node) {
  std::uint64_t h = 0;
  for (const std::uint64_t part :
       {node.a | std::uint64_t{node.b} << 32, node.c | static_cast<std::uint64_t>(node.op) << 32,
        std::bit_cast<std::uint64_t>(node.value)}) {
    h = (h ^ part) * 0xff51afd7ed558ccdULL;
    h ^= h >> 32;
  }
  return static_cast<std::uint32_t>(h);
}

}  // namespace

std::size_t Graph::place_of(const Node& node, std::uint32_t hash) const {
  for (std::size_t k = hash;; ++k) {
    k &= places_.size() - 1;
    const Place& place = places_[k];
    if (place.node == kFree || (place.hash == hash && is_same(nodes_[place.node], node))) return k;
  }
}

NodeId Graph::add_node(const Node& node) {
  if (2 * nodes_.size() >= places_.size()) {
    std::vector<Place> old(std::max<std::size_t>(64, 2 * places_.size()));
    places_.swap(old);
    for (const Place& place : old) {
      if (place.node != kFree) places_[place_of(nodes_[place.node], place.hash)] = place;
    }
  }
  const std::uint32_t hash = hash_of(node);
  Place& place = places_[place_of(node, hash)];
  if (place.node != kFree) return place.node;
  place = {hash, static_cast<NodeId>(nodes_.size())};
  nodes_.push_back(node);
  if (section_ >= 0) {
    sections_.resize(nodes_.size() - 1, -1);
    sections_.push_back(section_);
  }
  return place.node;
}

Expr Graph::input(std::string name) {
  const auto index = static_cast<NodeId>(inputs_.size());
  inputs_.push_back(std::move(name));
  return {this, add_node({Op::input, index, 0, 0, 0.0})};
}

NodeId Graph::intern(const Expr& e) {
  if (!e.is_constant()) {
    require(e.graph() == this, "all expressions in an operation must belong to the same graph");
    return e.id();
  }
  const double value = e.constant() == 0.0 ? 0.0 : e.constant();  // no negative zero
  return add_node({Op::constant, 0, 0, 0, value});
}

Expr Graph::make(Op op, NodeId a, NodeId b, NodeId c) { return {this, add_node({op, a, b, c, 0.0})}; }

bool Graph::find(Op op, NodeId a, NodeId b, NodeId c, NodeId& found) const {
  if (places_.empty()) return false;
  const Node node{op, a, b, c, 0.0};
  const Place& place = places_[place_of(node, hash_of(node))];
  if (place.node == kFree) return false;
  found = place.node;
  return true;
}

void Graph::name(const Expr& e, const std::string& name) {
  if (e.is_constant()) return;
  if (nodes_[e.id()].op == Op::neg) {
    const std::string minus = "minus_";
    return this->name(negated(e), name.starts_with(minus) ? name.substr(minus.size()) : minus + name);
  }
  if (nodes_[e.id()].op != Op::input) names_.try_emplace(e.id(), name);
}

const std::string* Graph::name_of(NodeId id) const {
  const auto place = names_.find(id);
  return place == names_.end() ? nullptr : &place->second;
}

void Graph::know_angle(const Expr& angle, const Expr& sine, const Expr& cosine) {
  angles_.insert_or_assign(intern(angle), Angle{sine, cosine});
}

const Graph::Angle* Graph::known_angle(NodeId id) {
  if (angles_.empty()) return nullptr;
  if (const auto found = angles_.find(id); found != angles_.end()) return &found->second;
  const Node n = nodes_[id];
  if (n.op == Op::neg) {
    if (known_angle(n.a) == nullptr) return nullptr;
    const Angle of = *known_angle(n.a);
    return &angles_.insert_or_assign(id, Angle{-of.sine, of.cosine}).first->second;
  }
  if ((n.op != Op::add && n.op != Op::sub) || (known_angle(n.a) == nullptr && known_angle(n.b) == nullptr))
    return nullptr;
  const auto operand = [this](NodeId o) {
    return nodes_[o].op == Op::constant ? Expr(nodes_[o].value) : Expr(this, o);
  };
  const Expr a = operand(n.a), b = operand(n.b), sa = lw::sin(a), ca = lw::cos(a),
             sb = n.op == Op::add ? lw::sin(b) : -lw::sin(b), cb = lw::cos(b);
  return &angles_.insert_or_assign(id, Angle{sa * cb + ca * sb, ca * cb - sa * sb}).first->second;
}

std::vector<Expr> Graph::call(std::shared_ptr<const Function> function, const std::vector<Expr>& arguments) {
  require(arguments.size() == function->input_size(),
          "the number of arguments of a call must equal the number of inputs of its function");
  Call record{std::move(function), {}};
  for (const Expr& e : arguments) record.arguments.push_back(intern(e));
  const std::size_t outputs = record.function->output_size();
  const auto [place, fresh] =
      call_index_.try_emplace({record.function.get(), record.arguments}, static_cast<NodeId>(calls_.size()));
  if (fresh) calls_.push_back(std::move(record));
  const Expr node = make(Op::call, place->second);
  std::vector<Expr> result;
  for (std::size_t k = 0; k < outputs; ++k) result.push_back(make(Op::output, node.id(), static_cast<NodeId>(k)));
  return result;
}

Graph::Solution Graph::solve(std::shared_ptr<const Function> residual, const std::vector<Expr>& guess,
                             const std::vector<Expr>& arguments, int steps, std::shared_ptr<const Function> step) {
  const std::size_t n = guess.size();
  require(residual->output_size() == n && residual->input_size() == n + arguments.size() && steps >= 0,
          "a solve needs one guess per output of its residual, whose inputs are the unknowns and the arguments");
  require(step == nullptr || (step->output_size() == n && step->input_size() == n + arguments.size()),
          "the step of a solve must have the inputs of the residual and one output per unknown");
  const bool has_step = step != nullptr;
  Solve record{std::move(residual), std::move(step), {}, {}, steps};
  for (const Expr& e : guess) record.guess.push_back(intern(e));
  for (const Expr& e : arguments) record.arguments.push_back(intern(e));
  solves_.push_back(std::move(record));
  const Expr node = make(Op::solve, static_cast<NodeId>(solves_.size() - 1));
  Solution solution;
  for (std::size_t k = 0; k < 2 * n; ++k) {
    (k < n ? solution.unknowns : solution.residual).push_back(make(Op::output, node.id(), static_cast<NodeId>(k)));
  }
  solution.orientation = has_step ? Expr(1.0) : make(Op::output, node.id(), static_cast<NodeId>(2 * n));
  return solution;
}

Expr operator+(const Expr& a, const Expr& b) {
  if (both_constant(a, b)) return a.constant() + b.constant();
  if (a.is_constant(0.0)) return b;
  if (b.is_constant(0.0)) return a;
  if (is_negation(a) && is_negation(b)) return -(negated(a) + negated(b));
  if (is_negation(b)) return a - negated(b);
  if (is_negation(a)) return b - negated(a);
  if (b.is_constant() && b.constant() < 0.0) return a - (-b.constant());
  if (a.is_constant() && a.constant() < 0.0) return b - (-a.constant());
  return commutative(Op::add, a, b);
}

Expr operator-(const Expr& a, const Expr& b) {
  if (both_constant(a, b)) return a.constant() - b.constant();
  if (b.is_constant(0.0)) return a;
  if (a.is_constant(0.0)) return -b;
  if (a == b) return 0.0;
  if (is_negation(b)) return a + negated(b);
  if (b.is_constant() && b.constant() < 0.0) return a + (-b.constant());
  if (is_negation(a)) return -(negated(a) + b);
  if (a.is_constant() && a.constant() < 0.0) return -(b + (-a.constant()));
  // if b-a exists, a-b is its negation
  Graph& g = common_graph(a, b);
  NodeId known = 0;
  if (g.find(Op::sub, g.intern(b), g.intern(a), 0, known)) return -Expr(&g, known);
  return binary(Op::sub, a, b);
}

Expr operator-(const Expr& a) {
  if (a.is_constant()) return -a.constant();
  if (is_negation(a)) return negated(a);
  return unary(Op::neg, a);
}

Expr operator*(const Expr& a, const Expr& b) {
  if (both_constant(a, b)) return a.constant() * b.constant();
  if (a.is_constant(0.0) || b.is_constant(0.0)) return 0.0;
  if (a.is_constant(1.0)) return b;
  if (b.is_constant(1.0)) return a;
  if (a.is_constant() && a.constant() < 0.0) return -(Expr(-a.constant()) * b);
  if (b.is_constant() && b.constant() < 0.0) return -(a * Expr(-b.constant()));
  if (is_negation(a)) return -(negated(a) * b);
  if (is_negation(b)) return -(a * negated(b));
  return commutative(Op::mul, a, b);
}

Expr operator/(const Expr& a, const Expr& b) {
  if (both_constant(a, b)) return a.constant() / b.constant();
  if (a.is_constant(0.0)) return 0.0;
  if (b.is_constant(1.0)) return a;
  if (a.is_constant() && a.constant() < 0.0) return -(Expr(-a.constant()) / b);
  if (b.is_constant() && b.constant() < 0.0) return -(a / Expr(-b.constant()));
  if (is_negation(a)) return -(negated(a) / b);
  if (is_negation(b)) return -(a / negated(b));
  return binary(Op::div, a, b);
}

bool operator==(const Expr& a, const Expr& b) {
  if (a.is_constant() != b.is_constant()) return false;
  return a.is_constant() ? a.constant() == b.constant() : a.graph() == b.graph() && a.id() == b.id();
}

Expr& Expr::operator+=(const Expr& other) { return *this = *this + other; }
Expr& Expr::operator-=(const Expr& other) { return *this = *this - other; }
Expr& Expr::operator*=(const Expr& other) { return *this = *this * other; }
Expr& Expr::operator/=(const Expr& other) { return *this = *this / other; }

Expr sqrt(const Expr& x) { return x.is_constant() ? Expr(std::sqrt(x.constant())) : unary(Op::sqrt, x); }
Expr exp(const Expr& x) { return x.is_constant() ? Expr(std::exp(x.constant())) : unary(Op::exp, x); }
Expr log(const Expr& x) { return x.is_constant() ? Expr(std::log(x.constant())) : unary(Op::log, x); }
Expr acos(const Expr& x) { return x.is_constant() ? Expr(std::acos(x.constant())) : unary(Op::acos, x); }

Expr sin(const Expr& x) {
  if (!x.is_constant()) {
    if (const Graph::Angle* known = x.graph()->known_angle(x.id())) return known->sine;
  }
  return odd(Op::sin, x, [](double v) { return std::sin(v); });
}
Expr tan(const Expr& x) {
  return odd(Op::tan, x, [](double v) { return std::tan(v); });
}
Expr asin(const Expr& x) {
  return odd(Op::asin, x, [](double v) { return std::asin(v); });
}
Expr atan(const Expr& x) {
  return odd(Op::atan, x, [](double v) { return std::atan(v); });
}
Expr tanh(const Expr& x) {
  return odd(Op::tanh, x, [](double v) { return std::tanh(v); });
}

Expr cos(const Expr& x) {
  if (x.is_constant()) return std::cos(x.constant());
  if (const Graph::Angle* known = x.graph()->known_angle(x.id())) return known->cosine;
  return unary(Op::cos, is_negation(x) ? negated(x) : x);
}

Expr abs(const Expr& x) {
  if (x.is_constant()) return std::abs(x.constant());
  return unary(Op::abs, is_negation(x) ? negated(x) : x);
}

Expr atan2(const Expr& y, const Expr& x) {
  if (both_constant(y, x)) return std::atan2(y.constant(), x.constant());
  return binary(Op::atan2, y, x);
}

Expr min(const Expr& a, const Expr& b) {
  if (both_constant(a, b)) return lw::min(a.constant(), b.constant());
  return a == b ? a : commutative(Op::min, a, b);
}

Expr max(const Expr& a, const Expr& b) {
  if (both_constant(a, b)) return lw::max(a.constant(), b.constant());
  return a == b ? a : commutative(Op::max, a, b);
}

Expr less(const Expr& a, const Expr& b) {
  if (both_constant(a, b)) return lw::less(a.constant(), b.constant());
  return a == b ? Expr(0.0) : binary(Op::less, a, b);
}

Expr fma(const Expr& a, const Expr& b, const Expr& c) {
  if (both_constant(a, b) && c.is_constant()) return std::fma(a.constant(), b.constant(), c.constant());
  const Expr product = a * b;  // folded, its sign in front
  const bool negative = is_negation(product);
  const Expr positive = negative ? negated(product) : product;
  if (positive.is_constant() || c.is_constant(0.0)) return product + c;
  Graph& g = *positive.graph();
  const Node n = g[positive.id()];
  if (n.op != Op::mul || (positive == a || positive == b)) return product + c;  // one factor was ±1
  return g.make(Op::fma, negative ? g.intern(-Expr(&g, n.a)) : n.a, n.b, g.intern(c));
}

Expr select(const Expr& condition, const Expr& where_true, const Expr& where_false) {
  if (condition.is_constant()) return condition.constant() != 0.0 ? where_true : where_false;
  if (where_true == where_false) return where_true;
  Graph& g = *condition.graph();
  const NodeId a = condition.id(), b = g.intern(where_true), c = g.intern(where_false);
  return g.make(Op::select, a, b, c);
}

}  // namespace lw
