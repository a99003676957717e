// A Function is a traced calculation: named groups of inputs and outputs over one graph.
//
//   const Model<Expr> model = instantiate<Expr>(load("puma560"));
//   Workspace<Expr> work(model);
//   Function f = trace("inverse", {{"q", 6}, {"qd", 6}, {"qdd", 6}}, {{"tau", 6}}, [&](const Arguments& in, Results&
//   out) {
//     rnea<Expr>(model, work, in[0], in[1], in[2], out[0]);
//   });
//   Interpreter<double> run(f);
//   run(inputs, tau);  // inputs: q, qd and qdd concatenated
//
// Node numbers are an order of evaluation (an operand is always older than its user); `order` contains the live ones in
// the order of the generated code, which passes may change without modifying the graph.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "expr.hpp"
#include "scalar.hpp"

namespace lw {

struct Group {
  std::string name;
  std::size_t size = 0;
  std::size_t rows = 0;  // of a matrix, stored by columns; 0: a vector

  bool operator==(const Group&) const = default;
};

using Arguments = std::vector<std::vector<Expr>>;  // one vector per input group
using Results = std::vector<std::vector<Expr>>;    // one per output group, already sized

// How sin and cos are computed, in the interpreter and in generated code: by the C library, or by sincos.hpp, which
// processes all angles at once and gives the same bits everywhere; with or without fused multiply-adds.
struct Arithmetic {
  enum class Trigonometry { libm, own } trigonometry = Trigonometry::libm;
  bool fused = false;  // also says whether passes may contract a b + c
};

class Function {
 public:
  Function(std::string name, std::vector<Group> inputs, std::vector<Group> outputs, std::shared_ptr<const Graph> graph,
           std::vector<NodeId> results, Arithmetic arithmetic = {});

  // The same calculation in another order of evaluation, which contains all live nodes, operands first.
  Function in_order(std::vector<NodeId> order) const;
  Function with(Arithmetic arithmetic) const;

  const std::string& name() const { return name_; }
  const std::vector<Group>& inputs() const { return inputs_; }
  const std::vector<Group>& outputs() const { return outputs_; }
  const Graph& graph() const { return *graph_; }
  const std::shared_ptr<const Graph>& shared_graph() const { return graph_; }
  const std::vector<NodeId>& results() const { return results_; }  // one node per output element
  const std::vector<NodeId>& order() const { return order_; }      // live nodes, operands first
  const Arithmetic& arithmetic() const { return arithmetic_; }
  std::size_t input_size() const;
  std::size_t output_size() const { return results_.size(); }

 private:
  std::string name_;
  std::vector<Group> inputs_, outputs_;
  std::shared_ptr<const Graph> graph_;
  std::vector<NodeId> results_;
  std::vector<NodeId> order_;
  Arithmetic arithmetic_;
};

Function trace(std::string name, std::vector<Group> inputs, std::vector<Group> outputs,
               const std::function<void(const Arguments&, Results&)>& calculation);

// The operands of a node, including those of calls and solves.
void for_each_operand(const Graph& graph, NodeId id, const std::function<void(NodeId)>& visit);
// Whether a live node reads the remaining residual of a solve.
bool reads_residual(const Function& function, NodeId solve);

// Cost of the live operations. A call costs as much as its function; a solve costs `steps` times its residual, which is
// an upper bound, or, with its own step, `steps` times that step, plus the residual once if it is used. `depth`:
// operations on the longest path from an input to an output (sign changes and constants free).
struct FunctionCost {
  OperationCount operations;
  int depth = 0;
};
FunctionCost cost(const Function& function);
void add_to(OperationCount& sum, const OperationCount& more, std::int64_t times = 1);

}  // namespace lw
