#include "interpreter.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <unordered_map>

#include "../base/error.hpp"
#include "kernels/sincos.hpp"
#include "tangent.hpp"

namespace lw {
namespace {

// Solves A x = b by Gaussian elimination with row pivoting on values; A is n×n by rows, x overwrites b. The sign of det
// A.
template <class U>
double solve_linear(std::vector<double>& A, std::span<U> b) {
  const std::size_t n = b.size();
  double sign = 1.0;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i) {
      if (std::abs(A[i * n + k]) > std::abs(A[pivot * n + k])) pivot = i;
    }
    if (!(std::abs(A[pivot * n + k]) > 0.0)) throw Error(ErrorCode::data, "singular Jacobian in a Newton step");
    if (pivot != k) {
      for (std::size_t j = 0; j < n; ++j) std::swap(A[k * n + j], A[pivot * n + j]);
      std::swap(b[k], b[pivot]);
      sign = -sign;
    }
    if (A[k * n + k] < 0.0) sign = -sign;
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = A[i * n + k] / A[k * n + k];
      for (std::size_t j = k; j < n; ++j) A[i * n + j] -= factor * A[k * n + j];
      b[i] -= U(factor) * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= U(A[k * n + j]) * b[j];
    b[k] *= U(1.0 / A[k * n + k]);
  }
  return sign;
}

// Numbers use the function's arithmetic; for other scalars the last bits do not matter.
template <class U>
bool has_own_trigonometry(const Arithmetic& arithmetic) {
  return std::is_floating_point_v<U> && arithmetic.trigonometry == Arithmetic::Trigonometry::own;
}

}  // namespace

// Rounding a sum, product, quotient or root first to double and then to float equals rounding it once.
template <>
float apply<float>(Op op, const float& a, const float& b, const float& c) {
  return op == Op::fma ? std::fma(a, b, c) : static_cast<float>(apply<double>(op, a, b, c));
}

template <class U>
U apply(Op op, const U& a, const U& b, const U& c) {
  using std::abs, std::acos, std::asin, std::atan, std::atan2, std::cos, std::exp, std::log, std::sin, std::sqrt,
      std::tan, std::tanh;
  switch (op) {
    case Op::add: return a + b;
    case Op::sub: return a - b;
    case Op::mul: return a * b;
    case Op::div: return a / b;
    case Op::neg: return -a;
    case Op::sqrt: return sqrt(a);
    case Op::sin: return sin(a);
    case Op::cos: return cos(a);
    case Op::tan: return tan(a);
    case Op::asin: return asin(a);
    case Op::acos: return acos(a);
    case Op::atan: return atan(a);
    case Op::atan2: return atan2(a, b);
    case Op::exp: return exp(a);
    case Op::log: return log(a);
    case Op::tanh: return tanh(a);
    case Op::abs: return abs(a);
    case Op::min: return lw::min(a, b);
    case Op::max: return lw::max(a, b);
    case Op::less: return lw::less(a, b);
    case Op::select: return lw::select(a, b, c);
    case Op::fma:
      if constexpr (std::is_same_v<U, double>)
        return std::fma(a, b, c);
      else if constexpr (std::is_same_v<U, Expr>)
        return lw::fma(a, b, c);
      else
        return a * b + c;
    default: assert(false && "not an elementary operation"); return U(0.0);
  }
}

// A tape over compact slots. Nested functions have their own programs and buffers, created once.
template <class U>
struct Interpreter<U>::Program {
  struct Instruction {
    Op op;
    std::uint32_t to, a, b, c;
  };
  struct Run {  // instructions with the same operation, executed with one jump
    Op op;
    std::uint32_t begin, end;
  };
  struct Nested {  // a call, or a solve if there is a residual
    std::unique_ptr<Interpreter<U>> function;
    std::unique_ptr<Interpreter<double>> tangent;  // of a solve's residual along its unknowns
    std::unique_ptr<Interpreter<U>> own_step;      // instead, for a solve with its own step
    std::shared_ptr<const Function> residual, step_function;
    std::vector<std::uint32_t> guess, arguments;
    int steps = 0;
    std::vector<U> in, out, from, step;
    std::vector<double> tangent_in, tangent_out, jacobian;
  };

  std::size_t inputs = 0;
  Arithmetic arithmetic;
  std::vector<U> slots;
  std::vector<Instruction> code;
  std::vector<Run> runs;
  std::vector<Nested> nested;
  std::vector<std::uint32_t> results;

  void gather_equal_operations();
  void run_nested(Nested& n);
  template <class Number>  // U; a template so that it is not instantiated for Expr
  static double run_newton(Nested& n, std::span<Number> x, std::span<Number> residual);
};

template <class U>
Interpreter<U>::Interpreter(const Function& function) : program_(std::make_unique<Program>()) {
  Program& p = *program_;
  const Graph& graph = function.graph();
  p.inputs = function.input_size();
  p.arithmetic = function.arithmetic();
  const bool own = has_own_trigonometry<U>(p.arithmetic);
  std::unordered_map<NodeId, std::uint32_t> slot;
  std::unordered_map<NodeId, std::uint32_t> sine_of;    // angle -> slot of its sine, followed by its cosine
  std::unordered_map<NodeId, std::uint32_t> nested_of;  // call or solve node -> index in p.nested
  // inputs come first, in order
  p.slots.resize(p.inputs);
  const auto fresh = [&](NodeId id) {
    slot[id] = static_cast<std::uint32_t>(p.slots.size());
    p.slots.emplace_back(0.0);
    return slot[id];
  };
  for (const NodeId id : function.order()) {
    const Node& n = graph[id];
    switch (n.op) {
      case Op::constant: p.slots[fresh(id)] = U(n.value); break;
      case Op::input: slot[id] = n.a; break;
      case Op::call:
      case Op::solve: {
        typename Program::Nested nested;
        const bool is_call = n.op == Op::call;
        const Function& inner = is_call ? *graph.calls()[n.a].function : *graph.solves()[n.a].residual;
        nested.function = std::make_unique<Interpreter<U>>(inner);
        for (const NodeId a : is_call ? graph.calls()[n.a].arguments : graph.solves()[n.a].arguments) {
          nested.arguments.push_back(slot.at(a));
        }
        nested.in.resize(inner.input_size());
        nested.out.resize(is_call ? inner.output_size() : graph.solves()[n.a].outputs());
        if (!is_call) {
          for (const NodeId a : graph.solves()[n.a].guess) nested.guess.push_back(slot.at(a));
          nested.steps = graph.solves()[n.a].steps;
          nested.residual = graph.solves()[n.a].residual;
          nested.step_function = graph.solves()[n.a].step;
          if (nested.step_function != nullptr)
            nested.own_step = std::make_unique<Interpreter<U>>(*nested.step_function);
          else
            nested.tangent = std::make_unique<Interpreter<double>>(tangent(inner, inner.output_size()));
          nested.from.resize(inner.output_size());
          nested.step.resize(inner.output_size());
          nested.tangent_in.resize(inner.input_size() + inner.output_size());
          nested.tangent_out.resize(inner.output_size());
          nested.jacobian.resize(inner.output_size() * inner.output_size());
        }
        nested_of[id] = static_cast<std::uint32_t>(p.nested.size());
        p.code.push_back({n.op, 0, nested_of[id], 0, 0});
        p.nested.push_back(std::move(nested));
        break;
      }
      case Op::output: p.code.push_back({n.op, fresh(id), nested_of.at(n.a), n.b, 0}); break;
      case Op::sin:
      case Op::cos:
        if (own) {
          const auto [place, is_new] = sine_of.try_emplace(n.a, static_cast<std::uint32_t>(p.slots.size()));
          if (is_new) {
            p.slots.resize(p.slots.size() + 2);
            p.code.push_back({Op::sin, place->second, slot.at(n.a), 0, 0});
          }
          slot[id] = place->second + (n.op == Op::cos ? 1 : 0);
          break;
        }
        [[fallthrough]];
      default: {
        std::uint32_t operands[3] = {0, 0, 0};
        int k = 0;
        for_each_operand(graph, id, [&](NodeId operand) { operands[k++] = slot.at(operand); });
        p.code.push_back({n.op, fresh(id), operands[0], operands[1], operands[2]});
      }
    }
  }
  for (const NodeId r : function.results()) p.results.push_back(slot.at(r));
  // numbers may be computed in any order, but expressions are numbered by it
  if constexpr (std::is_floating_point_v<U>) p.gather_equal_operations();
  for (std::uint32_t k = 0; k < p.code.size(); ++k) {
    if (p.runs.empty() || p.runs.back().op != p.code[k].op) p.runs.push_back({p.code[k].op, k, k});
    p.runs.back().end = k + 1;
  }
}

// Groups instructions with the same operation in runs, as far as operands allow: among the ready instructions, always
// the most frequent kind. Long runs are predicted well; with alternating operations, the processor mispredicts every
// second jump.
template <class U>
void Interpreter<U>::Program::gather_equal_operations() {
  constexpr std::uint32_t kNone = ~std::uint32_t{0};
  const auto size = static_cast<std::uint32_t>(code.size());
  std::vector<std::uint32_t> maker(slots.size(), kNone), maker_of_nested(nested.size(), kNone), missing(size, 0);
  std::vector<std::vector<std::uint32_t>> users(size);
  std::vector<std::vector<std::uint32_t>> ready(static_cast<std::size_t>(Op::output) + 1);
  for (std::uint32_t k = 0; k < size; ++k) {
    const Instruction& i = code[k];
    const auto uses = [&](std::uint32_t from) {
      if (from == kNone) return;
      users[from].push_back(k);
      ++missing[k];
    };
    if (i.op == Op::output) {
      uses(maker_of_nested[i.a]);
    } else if (i.op == Op::call || i.op == Op::solve) {
      for (const std::uint32_t s : nested[i.a].guess) uses(maker[s]);
      for (const std::uint32_t s : nested[i.a].arguments) uses(maker[s]);
      maker_of_nested[i.a] = k;
    } else {
      for (const std::uint32_t s : {i.a, i.b, i.c})
        uses(maker[s]);  // unused operands are slot 0, which is computed before or never
    }
    if (i.op != Op::call && i.op != Op::solve) maker[i.to] = k;
    if (i.op == Op::sin && has_own_trigonometry<U>(arithmetic)) maker[i.to + 1] = k;  // its cosine
    if (missing[k] == 0) ready[static_cast<std::size_t>(i.op)].push_back(k);
  }
  std::vector<Instruction> gathered;
  gathered.reserve(size);
  while (gathered.size() < size) {
    auto& most =
        *std::max_element(ready.begin(), ready.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
    for (std::size_t n = 0; n < most.size(); ++n) {  // grows during the loop
      const std::uint32_t k = most[n];
      gathered.push_back(code[k]);
      for (const std::uint32_t user : users[k]) {
        if (--missing[user] == 0) ready[static_cast<std::size_t>(code[user].op)].push_back(user);
      }
    }
    most.clear();
  }
  code = std::move(gathered);
}

template <class U>
Interpreter<U>::~Interpreter() = default;
template <class U>
Interpreter<U>::Interpreter(Interpreter&&) noexcept = default;
template <class U>
Interpreter<U>& Interpreter<U>::operator=(Interpreter&&) noexcept = default;

template <class U>
void Interpreter<U>::operator()(In<U> inputs, Out<U> outputs) {
  Program& p = *program_;
  require(inputs.size() == p.inputs && outputs.size() == p.results.size(),
          "inputs and outputs must have the sizes of those of the function");
  std::copy(inputs.begin(), inputs.end(), p.slots.begin());
  [[maybe_unused]] const bool own = has_own_trigonometry<U>(p.arithmetic);
  U* const slots = p.slots.data();
  for (const auto& run : p.runs) {
    const std::span code(p.code.data() + run.begin, run.end - run.begin);
    if constexpr (std::is_floating_point_v<U>) {
      if (own && run.op == Op::sin) {
        for (const auto& i : code)
          sincos({&slots[i.a], 1}, {&slots[i.to], 1}, {&slots[i.to + 1], 1}, p.arithmetic.fused);
        continue;
      }
    }
    if constexpr (std::is_same_v<U, double>) {
      if (own && (run.op == Op::atan || run.op == Op::atan2)) {
        for (const auto& i : code) {
          const double x = i.op == Op::atan ? 1.0 : slots[i.b];
          arcs({&slots[i.a], 1}, {&x, 1}, {&slots[i.to], 1}, p.arithmetic.fused);
        }
        continue;
      }
    }
    switch (run.op) {
      case Op::call:
      case Op::solve:
        for (const auto& i : code) p.run_nested(p.nested[i.a]);
        break;
      case Op::output:
        for (const auto& i : code) slots[i.to] = p.nested[i.a].out[i.b];
        break;
      // the most frequent operations
      case Op::add:
        for (const auto& i : code) slots[i.to] = slots[i.a] + slots[i.b];
        break;
      case Op::sub:
        for (const auto& i : code) slots[i.to] = slots[i.a] - slots[i.b];
        break;
      case Op::mul:
        for (const auto& i : code) slots[i.to] = slots[i.a] * slots[i.b];
        break;
      case Op::fma:
        if constexpr (std::is_floating_point_v<U>) {
          for (const auto& i : code) slots[i.to] = std::fma(slots[i.a], slots[i.b], slots[i.c]);
          break;
        }
        [[fallthrough]];
      default:
        for (const auto& i : code) slots[i.to] = apply(i.op, slots[i.a], slots[i.b], slots[i.c]);
    }
  }
  for (std::size_t k = 0; k < outputs.size(); ++k) outputs[k] = p.slots[p.results[k]];
}

template <class U>
void Interpreter<U>::Program::run_nested(Nested& n) {
  const std::size_t unknowns = n.guess.size();
  for (std::size_t k = 0; k < n.arguments.size(); ++k) n.in[unknowns + k] = slots[n.arguments[k]];
  if (n.residual == nullptr) {
    (*n.function)(n.in, n.out);
    return;
  }
  if constexpr (std::is_same_v<U, Expr>) {
    // stays one node in the graph of the arguments; with constants only it becomes a number
    Graph* graph = nullptr;
    std::vector<Expr> guess;
    for (const std::uint32_t s : n.guess) guess.push_back(slots[s]);
    const std::vector<Expr> arguments(n.in.begin() + static_cast<std::ptrdiff_t>(unknowns), n.in.end());
    for (const Expr& e : guess) graph = e.graph() != nullptr ? e.graph() : graph;
    for (const Expr& e : arguments) graph = e.graph() != nullptr ? e.graph() : graph;
    if (graph == nullptr)
      throw Error(ErrorCode::usage, "a Solve node needs at least one argument that is an expression");
    const Graph::Solution solution = graph->solve(n.residual, guess, arguments, n.steps, n.step_function);
    for (std::size_t k = 0; k < n.out.size(); ++k) n.out[k] = solution[k];
  } else {
    const std::span<U> x(n.in.data(), unknowns), residual(n.out.data() + unknowns, unknowns);
    for (std::size_t k = 0; k < unknowns; ++k) x[k] = slots[n.guess[k]];
    if (n.own_step != nullptr) {
      for (int k = 0; k < n.steps; ++k) {
        (*n.own_step)(n.in, n.step);
        for (std::size_t i = 0; i < unknowns; ++i) x[i] -= n.step[i];
      }
      (*n.function)(n.in, residual);
      n.out.back() = U(1.0);
    } else {
      n.out.back() = U(run_newton(n, x, residual));
    }
    std::copy(x.begin(), x.end(), n.out.begin());
  }
}

template <class U>
template <class Number>
double Interpreter<U>::Program::run_newton(Nested& n, std::span<Number> x, std::span<Number> residual) {
  const std::size_t unknowns = x.size();
  const auto go = [&](double factor) {
    for (std::size_t k = 0; k < unknowns; ++k) x[k] = n.from[k] - Number(factor) * n.step[k];
    (*n.function)(n.in, residual);
  };
  const auto size = [&] {
    double sum = 0.0;
    for (const Number& r : residual) sum += value_of(r) * value_of(r);
    return sum;
  };
  (*n.function)(n.in, residual);
  const double first = size();
  double orientation = 1.0;
  for (int left = n.steps; left > 0; --left) {
    // J by columns, on values
    for (std::size_t k = 0; k < n.in.size(); ++k) n.tangent_in[k] = value_of(n.in[k]);
    for (std::size_t j = 0; j < unknowns; ++j) {
      n.tangent_in[n.in.size() + j] = 1.0;
      (*n.tangent)(n.tangent_in, n.tangent_out);
      n.tangent_in[n.in.size() + j] = 0.0;
      for (std::size_t i = 0; i < unknowns; ++i) n.jacobian[i * unknowns + j] = n.tangent_out[i];
    }
    const double before = size();
    if (!(before > first * Solve::kSolved)) left = 1;
    std::copy(x.begin(), x.end(), n.from.begin());
    std::copy(residual.begin(), residual.end(), n.step.begin());
    orientation = solve_linear<Number>(n.jacobian, std::span<Number>(n.step));
    double factor = 1.0;
    go(factor);
    while (left > 1 && !(size() < before * (1.0 - 0.5 * factor))) {
      factor *= 0.5;
      if (factor < Solve::kShortest) {
        factor = 1.0;
        left = 1;
      }
      go(factor);
    }
  }
  return orientation;
}

#define LW_INSTANTIATE(T)                                \
  template T apply<T>(Op, const T&, const T&, const T&); \
  template class Interpreter<T>;
LW_INSTANTIATE_FOR_SCALARS(LW_INSTANTIATE)
template class Interpreter<float>;
#ifdef LINKWRIGHT_DOUBLE_ALONE
LW_INSTANTIATE(Expr)  // graphs from graphs
#endif
#undef LW_INSTANTIATE

}  // namespace lw
