// A function as statements: what every back end prints. A value gets a variable where it has a name, is used more than
// once, or would make an expression too long; all else is written into the expression of its only user. Negations are
// never variables. The order is the function's; results are written as soon as they are known.
//
//   Language c;                                                // how numbers, elements and functions are written
//   Statements statements(function, c);
//   for (const Statement& s : statements.list()) {
//     if (!s.name.empty()) line("const double " + s.name + " = " + statements.text(s.node) + ";");
//     for (std::size_t r : s.results) line(statements.result(r) + " = " + statements.value(s) + ";");
//   }
//
// A call or a solve is a statement whose variable is an array of what it gives; the back end writes it.
// Parentheses follow the graph exactly, so that the arithmetic is the interpreter's, rounding by rounding.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "../../graph/function.hpp"
#include "../../graph/op_names.hpp"

namespace lw {

struct Language {
  std::set<std::string> reserved;  // words that are no names here; in lower case where case does not count
  bool case_blind = false;         // omega and Omega are one name
  std::size_t longest_name = 63;
  int longest_expression = 8;  // operations in one statement
  // Whether a node has a variable in any case.
  std::function<bool(const Node&)> alone = [](const Node&) { return false; };
  std::function<std::string(double)> number;                                        // shortest that reads back, or else
  std::function<std::string(const std::string& array, std::size_t index)> element;  // array[index], from 0, or else
  std::function<std::string(Op, const std::vector<std::string>& arguments)> function;  // sin(x), or else

  Language();
};

// The shortest decimal number that reads back as the same double, with a point or an exponent: 0.1, 2.0, 1e-30.
std::string shortest(double value);

struct Statement {
  NodeId node = 0;
  std::string name;                  // of its variable; empty where the value is written to results alone
  std::vector<std::size_t> results;  // elements of Function::results() that it is
};

class Statements {
 public:
  Statements(const Function& function, const Language& language);

  const std::vector<Statement>& list() const { return list_; }
  // What arguments are called: the groups' names, where the language and the others allow.
  const std::vector<std::string>& input_names() const { return input_names_; }
  const std::vector<std::string>& output_names() const { return output_names_; }

  // The variable of a node; nullptr where it is part of an expression.
  const std::string* variable(NodeId id) const;
  // The expression that defines a node, and one for the use of it: its variable, where it has one.
  std::string text(NodeId id) const;
  std::string use(NodeId id) const;
  std::string value(const Statement& s) const { return s.name.empty() ? text(s.node) : s.name; }
  // tau[2]: where a result goes, and its place among the groups of outputs.
  std::string result(std::size_t index) const;
  // The nodes with variables, and the inputs, that the expression of a node reads, each once.
  std::vector<NodeId> reads(NodeId id) const;

  // A name that the language allows and nothing has yet, near to the one that is wished; then taken.
  std::string fresh(const std::string& wish);

 private:
  void choose();
  void name_all();
  std::string systematic(NodeId id);
  std::string angle_name(NodeId id) const;
  int strength(NodeId id) const;  // of its use: 1 for a sum or a sign, 2 for a product, 3 for what needs no parentheses
  std::string piece(NodeId id, bool definition) const;

  const Function& function_;
  const Graph& graph_;
  Language language_;
  std::vector<Statement> list_;
  std::vector<std::string> input_names_, output_names_;
  std::vector<bool> has_variable_;
  std::vector<std::string> names_;  // by node
  std::set<std::string> taken_;
  std::size_t unnamed_ = 0;
};

// Group and element of the k-th number of some groups that stand one behind the other.
struct Place {
  std::size_t group = 0, element = 0;
};
Place place(const std::vector<Group>& groups, std::size_t k);

}  // namespace lw
