// A function as statements, which every back end prints. A value gets a variable if it has a name, is used more than
// once, or would make an expression too long; other values are written into the expression of their only reader.
// Negations are never variables. The order is that of the function; results are written as soon as they are known.
//
//   Language c;                                                // how numbers, elements and functions are written
//   Statements statements(function, c);
//   for (const Statement& s : statements.list()) {
//     if (!s.name.empty()) line("const double " + s.name + " = " + statements.text(s.node) + ";");
//     for (std::size_t r : s.results) line(statements.result(r) + " = " + statements.value(s) + ";");
//   }
//
// A call or a solve is a statement whose variable is the array of its outputs; the back end writes it. Parentheses
// follow the graph exactly, so that the arithmetic is the interpreter's, rounding by rounding.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "../../graph/function.hpp"
#include "../../graph/op_names.hpp"

namespace lw {

struct Language {
  std::set<std::string> reserved;  // reserved words; in lower case if case is ignored
  bool case_blind = false;         // omega and Omega are the same name
  std::size_t longest_name = 63;
  int longest_expression = 8;  // operations in one statement
  // Whether a node always has a variable.
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
  std::string name;                  // of its variable; empty if the value is only written to results
  std::vector<std::size_t> results;  // its indices in Function::results()
};

class Statements {
 public:
  Statements(const Function& function, const Language& language);

  const std::vector<Statement>& list() const { return list_; }
  // Names of arguments: those of the groups, if the language and other names allow.
  const std::vector<std::string>& input_names() const { return input_names_; }
  const std::vector<std::string>& output_names() const { return output_names_; }

  // The variable of a node; nullptr if it is part of an expression.
  const std::string* variable(NodeId id) const;
  // The expression that defines a node, and the expression for using it: its variable, if it has one.
  std::string text(NodeId id) const;
  std::string use(NodeId id) const;
  std::string value(const Statement& s) const { return s.name.empty() ? text(s.node) : s.name; }
  // tau[2]: the destination of a result, and its place among the groups of outputs.
  std::string result(std::size_t index) const;
  // The variables and inputs that the expression of a node reads, each once.
  std::vector<NodeId> reads(NodeId id) const;

  // An allowed and unused name similar to the wanted one; it is marked as used.
  std::string fresh(const std::string& wish);

 private:
  void choose();
  void name_all();
  std::string systematic(NodeId id);
  std::string angle_name(NodeId id) const;
  int strength(
      NodeId id) const;  // precedence when used: 1 for a sum or a sign, 2 for a product, 3 if it needs no parentheses
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

// Group and element of the k-th number of consecutive groups.
struct Place {
  std::size_t group = 0, element = 0;
};
Place place(const std::vector<Group>& groups, std::size_t k);

}  // namespace lw
