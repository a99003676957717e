// Symbolic expressions. An Expr is copied and used like a double; computing with it records the calculation.
//
//   Graph g;  Expr x = g.input("x");  Expr y = sin(x) * 2.0 + x;      // y is a node of g
//
// Nodes are hash-consed: the same operation on the same operands is the same node, so common subexpressions are always
// shared. Construction folds constants, 0 and ±1, orders the operands of + and ×, and hoists signs outward, because
// negation is free in generated code. Folding is exact and never reassociates, so a traced calculation gives the bits
// of the original one up to the sign of a zero. (0·x folds to 0, as for finite x.)
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
  Graph* graph_ = nullptr;  // null for constants, which are compatible with every graph
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
// Same node or same constant; compares expressions, not values.
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
// a b + c rounded once. Never created by tracing, only by the pass passes/contract.hpp.
Expr fma(const Expr& a, const Expr& b, const Expr& c);

// A call of a Function: a body or a limb traced once, with its constants as arguments.
struct Call {
  std::shared_ptr<const Function> function;
  std::vector<NodeId> arguments;
};

// Newton iteration for residual(x, p) = 0 from a guess, with at most `steps` steps. The residual's first inputs are the
// unknowns x, as many as it has outputs; the rest are p. Outputs of the node: x, the residual there, and the sign ±1 of
// det ∂r/∂x where the last step began, which identifies the branch of solutions. By the implicit function theorem dx/dp
// = -(∂r/∂x)⁻¹ ∂r/∂p at the solution, for any guess. A step is shortened to the fraction f, the first of 1, ½, ¼ … that
// reduces |r|² by f/2 or more. If none does, or if almost nothing is left of the guess's |r|², the full step is taken
// as the last one. The last step is always a full one: thus one step solves a linear equation, and derivatives carried
// along are those of the implicit function. If a function for the `step` is given, (x, p) → (∂r/∂x)⁻¹ r by explicit
// formulas, exactly `steps` full steps x ← x − step(x, p) are taken, always in the same time; a good guess needs few.
// The orientation is then 1, and at the solution, where r is zero, dx/dp = −∂step/∂p.
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
  Graph(const Graph&) = delete;  // Exprs point to the graph
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
  // The same solve with other arguments.
  Solution solve_like(const Solve& other, const std::vector<Expr>& guess, const std::vector<Expr>& arguments) {
    return solve(other.residual, guess, arguments, other.steps, other.step);
  }

  // Declares an angle whose sine and cosine are known: from now on, sin and cos of it, and of its sums with other
  // angles, are built from these.
  void know_angle(const Expr& angle, const Expr& sine, const Expr& cosine);
  struct Angle {
    Expr sine, cosine;
  };
  const Angle* known_angle(NodeId id);  // nullptr if not known

  // The node of an expression; for a constant it is created.
  NodeId intern(const Expr& e);
  // The node for an operation, found or created, without folding (the operators above fold, then call this).
  Expr make(Op op, NodeId a, NodeId b = 0, NodeId c = 0);
  bool find(Op op, NodeId a, NodeId b, NodeId c, NodeId& found) const;

  const Node& operator[](NodeId id) const { return nodes_[id]; }
  std::size_t size() const { return nodes_.size(); }
  const std::vector<std::string>& inputs() const { return inputs_; }
  const std::vector<Call>& calls() const { return calls_; }
  const std::vector<Solve>& solves() const { return solves_; }

  // Names a value for generated code ("omega2_x"). The first name is kept; constants and inputs keep theirs. Negations
  // are not separate values: naming one names its operand, minus_omega2_x.
  void name(const Expr& e, const std::string& name);
  const std::string* name_of(NodeId id) const;  // nullptr if it has none

  // Begins a new section: nodes created from now on belong to it, for example one step of a traced loop. Sections are
  // numbered from 0; −1 denotes nodes created before the first.
  void begin_section() { ++section_; }
  int section_of(NodeId id) const { return id < sections_.size() ? sections_[id] : -1; }

 private:
  // Position of such a node in the table, or of the free slot for it.
  std::size_t place_of(const Node& node, std::uint32_t hash) const;
  NodeId add_node(const Node& node);

  std::vector<Node> nodes_;
  // Hash table of the nodes with linear probing, at most half full.
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
  std::vector<int> sections_;  // section of each node, up to the last one with a section
};

// An angle with known sine and cosine (see Graph::know_angle); does nothing for numbers.
template <class T>
void know_angle(const T& angle, const T& sine, const T& cosine) {
  if constexpr (std::is_same_v<T, Expr>) {
    if (!angle.is_constant()) angle.graph()->know_angle(angle, sine, cosine);
  }
}

// Begins a section of the graph of these expressions; does nothing for other scalars.
template <class Numbers>
void begin_section(const Numbers& numbers) {
  if constexpr (std::is_same_v<std::remove_cvref_t<decltype(numbers[0])>, Expr>) {
    for (const Expr& e : numbers) {
      if (!e.is_constant()) return e.graph()->begin_section();
    }
  }
}

// Names a value if it is an expression; algorithms call it for all scalars.
inline void name_value(const Expr& e, const std::string& name) {
  if (!e.is_constant()) e.graph()->name(e, name);
}

}  // namespace lw
