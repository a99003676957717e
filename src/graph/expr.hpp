// Expressions as numbers. An Expr copies and computes like a double; computing with it writes the calculation down.
//
//   Graph g;  Expr x = g.input("x");  Expr y = sin(x) * 2.0 + x;      // y is a node of g
//
// Nodes are hash-consed: the same operation on the same operands is the same node, so common subexpressions are
// shared from birth. Building folds constants, 0 and ±1, keeps the operands of + and × in one order, and hoists signs
// outward, since a negation is free in the code that is made from the graph. Folding is exact: it never reassociates,
// so a traced calculation gives the bits of the original one up to the sign of a zero. (0·x folds to 0, as for finite
// x.)
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lw {

class Graph;
class Function;

enum class Op : std::uint8_t {
  constant,
  input,
  add,
  sub,
  mul,
  div,
  neg,
  sqrt,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  atan2,
  exp,
  log,
  tanh,
  abs,
  min,
  max,
  fma,     // a b + c, rounded once
  less,    // a < b ? 1 : 0
  select,  // a != 0 ? b : c
  call,    // a: index into Graph::calls
  solve,   // a: index into Graph::solves
  output,  // element b of the call or solve node a
};

using NodeId = std::uint32_t;

struct Node {
  Op op = Op::constant;
  NodeId a = 0, b = 0, c = 0;  // operands; for input: a is its index
  double value = 0.0;          // for constant
};

class Expr {
 public:
  Expr(double value = 0.0) : value_(value) {}  // NOLINT: a number is an expression
  Expr(Graph* graph, NodeId id) : graph_(graph), id_(id) {}

  bool is_constant() const { return graph_ == nullptr; }
  bool is_constant(double v) const { return graph_ == nullptr && value_ == v; }
  double constant() const { return value_; }  // only where is_constant()
  Graph* graph() const { return graph_; }
  NodeId id() const { return id_; }

  Expr& operator+=(const Expr& other);
  Expr& operator-=(const Expr& other);
  Expr& operator*=(const Expr& other);
  Expr& operator/=(const Expr& other);

 private:
  Graph* graph_ = nullptr;  // null: a constant, which belongs to no graph and so to all
  union {
    double value_;
    NodeId id_;
  };
};

Expr operator+(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator*(const Expr& a, const Expr& b);
Expr operator/(const Expr& a, const Expr& b);
Expr operator-(const Expr& a);
inline Expr operator+(const Expr& a) { return a; }
// Same node or same constant: a statement about the expressions, not about their values.
bool operator==(const Expr& a, const Expr& b);

Expr sqrt(const Expr& x);
Expr sin(const Expr& x);
Expr cos(const Expr& x);
Expr tan(const Expr& x);
Expr asin(const Expr& x);
Expr acos(const Expr& x);
Expr atan(const Expr& x);
Expr atan2(const Expr& y, const Expr& x);
Expr exp(const Expr& x);
Expr log(const Expr& x);
Expr tanh(const Expr& x);
Expr abs(const Expr& x);
Expr min(const Expr& a, const Expr& b);
Expr max(const Expr& a, const Expr& b);
Expr less(const Expr& a, const Expr& b);
Expr select(const Expr& condition, const Expr& where_true, const Expr& where_false);
// a b + c rounded once. Never made by tracing: a pass contracts what is to be contracted (passes/contract.hpp).
Expr fma(const Expr& a, const Expr& b, const Expr& c);

// A Function evaluated as one step: a body or a limb traced once, its constants as arguments.
struct Call {
  std::shared_ptr<const Function> function;
  std::vector<NodeId> arguments;
};

// Newton steps on residual(x, p) = 0 from a guess, `steps` at most. The residual's first inputs are the unknowns x, as
// many as it has outputs; the rest are p. Outputs of the node: x, the residual there, and the sign of
// det ∂r/∂x where the last step began, ±1: whether x lies on the branch of solutions that it should. By the implicit
// function theorem dx/dp = -(∂r/∂x)⁻¹ ∂r/∂p at the solution, whatever the guess was.
// Of a step the fraction f is made, the first of 1, ½, ¼ … that takes f/2 or more off |r|². Where none does, and where
// next to nothing is left of the guess's |r|², the whole step is made and is the last. The last step is always whole:
// so one step solves a linear equation, and derivatives that go along with the numbers are those of the implicit
// function. Where a function for the `step` is given, (x, p) → (∂r/∂x)⁻¹ r by formulas that know how that is to be
// factorised, exactly `steps` steps x ← x − step(x, p) are made, whole ones: as many as a good guess needs, always in
// the same time. The orientation is then 1, and at the solution, where r is zero, dx/dp = −∂step/∂p.
struct Solve {
  static constexpr double kShortest = 0x1p-10;  // f
  static constexpr double kSolved = 0x1p-80;    // of the guess's |r|²
  std::shared_ptr<const Function> residual;
  std::shared_ptr<const Function> step;  // or null
  std::vector<NodeId> guess;
  std::vector<NodeId> arguments;
  int steps = 0;

  std::size_t outputs() const { return 2 * guess.size() + 1; }
};

class Graph {
 public:
  Graph() = default;
  Graph(const Graph&) = delete;  // Exprs point here
  Graph& operator=(const Graph&) = delete;

  Expr input(std::string name);
  // Outputs of a call, one Expr each; the same call on the same arguments is the same node.
  std::vector<Expr> call(std::shared_ptr<const Function> function, const std::vector<Expr>& arguments);
  struct Solution {
    std::vector<Expr> unknowns;
    std::vector<Expr> residual;
    Expr orientation;

    const Expr& operator[](std::size_t output) const {
      const std::size_t n = unknowns.size();
      return output < n ? unknowns[output] : output < 2 * n ? residual[output - n] : orientation;
    }
  };
  Solution solve(std::shared_ptr<const Function> residual, const std::vector<Expr>& guess,
                 const std::vector<Expr>& arguments, int steps, std::shared_ptr<const Function> step = nullptr);
  // The same solve on other expressions.
  Solution solve_like(const Solve& other, const std::vector<Expr>& guess, const std::vector<Expr>& arguments) {
    return solve(other.residual, guess, arguments, other.steps, other.step);
  }

  // An angle whose sine and cosine are known without computing them from it: sin and cos of it, and of its sums with
  // other angles, are made of these from here on.
  void know_angle(const Expr& angle, const Expr& sine, const Expr& cosine);
  struct Angle {
    Expr sine, cosine;
  };
  const Angle* known_angle(NodeId id);  // nullptr where it is not

  // The node of an expression; a constant gets one here.
  NodeId intern(const Expr& e);
  // The node for an operation, found or made; no folding (the operators above fold, then come here).
  Expr make(Op op, NodeId a, NodeId b = 0, NodeId c = 0);
  bool find(Op op, NodeId a, NodeId b, NodeId c, NodeId& found) const;

  const Node& operator[](NodeId id) const { return nodes_[id]; }
  std::size_t size() const { return nodes_.size(); }
  const std::vector<std::string>& inputs() const { return inputs_; }
  const std::vector<Call>& calls() const { return calls_; }
  const std::vector<Solve>& solves() const { return solves_; }

  // What a value is called where code is made of it ("omega2_x"). The first name stays; constants and inputs keep
  // theirs. Negations are no values of their own: with the name of one goes what is negated, as minus_omega2_x.
  void name(const Expr& e, const std::string& name);
  const std::string* name_of(NodeId id) const;  // nullptr where it has none

  // What is made from here on belongs to another section: a step of a loop that was traced, say. Sections are numbered
  // from 0; −1 is what was made before the first.
  void begin_section() { ++section_; }
  int section_of(NodeId id) const { return id < sections_.size() ? sections_[id] : -1; }

 private:
  // Where a node of this kind is in the table, or where it would go.
  std::size_t place_of(const Node& node, std::uint32_t hash) const;
  NodeId add_node(const Node& node);

  std::vector<Node> nodes_;
  // The nodes by what they are, at most half full: a node is at its hash or as close behind it as there was room.
  static constexpr NodeId kFree = ~NodeId{0};
  struct Place {
    std::uint32_t hash = 0;
    NodeId node = kFree;
  };
  std::vector<Place> places_;
  std::vector<std::string> inputs_;
  std::vector<Call> calls_;
  std::map<std::pair<const Function*, std::vector<NodeId>>, NodeId> call_index_;  // into calls_
  std::vector<Solve> solves_;
  std::unordered_map<NodeId, std::string> names_;
  std::unordered_map<NodeId, Angle> angles_;
  int section_ = -1;
  std::vector<int> sections_;  // of nodes, as far as there were any
};

// An angle of a known sine and cosine (see Graph::know_angle); of numbers there is nothing to remember.
template <class T>
void know_angle(const T& angle, const T& sine, const T& cosine) {
  if constexpr (std::is_same_v<T, Expr>) {
    if (!angle.is_constant()) angle.graph()->know_angle(angle, sine, cosine);
  }
}

// Begins a section of the graph that these expressions are of; for other scalars, nothing.
template <class Numbers>
void begin_section(const Numbers& numbers) {
  if constexpr (std::is_same_v<std::remove_cvref_t<decltype(numbers[0])>, Expr>) {
    for (const Expr& e : numbers) {
      if (!e.is_constant()) return e.graph()->begin_section();
    }
  }
}

// Names a value where it is an expression; algorithms say it for all scalars.
inline void name_value(const Expr& e, const std::string& name) {
  if (!e.is_constant()) e.graph()->name(e, name);
}

}  // namespace lw
