#include "loop_factors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include <Eigen/Core>

#include "../../graph/function.hpp"
#include "../../graph/typical.hpp"

namespace lw {
namespace {

constexpr std::size_t kLargestInverted = 3, kLargestReflected = 8;

// A x − b of so many unknowns: one Newton step solves it, with pivots.
std::shared_ptr<const Function> linear_residual(std::size_t n) {
  return std::make_shared<const Function>(
      trace("linear", {{"x", n}, {"A", n * n}, {"b", n}}, {{"r", n}}, [n](const Arguments& in, Results& out) {
        for (std::size_t i = 0; i < n; ++i) {
          Expr sum = -in[2][i];
          for (std::size_t j = 0; j < n; ++j) sum += in[1][j * n + i] * in[0][j];
          out[0][i] = sum;
        }
      }));
}

// An entry that keeps its sign and its order of magnitude wherever the mechanism stands.
bool is_safe(const std::vector<Eigen::MatrixXd>& samples, Eigen::Index i, Eigen::Index j) {
  double least = std::numeric_limits<double>::infinity(), most = 0.0;
  const double first = samples.front()(i, j);
  for (const Eigen::MatrixXd& A : samples) {
    if (!(A(i, j) * first > 0.0)) return false;
    least = std::min(least, std::abs(A(i, j)));
    most = std::max(most, std::abs(A(i, j)));
    if (!(std::abs(A(i, j)) > 1e-6 * A.row(i).cwiseAbs().maxCoeff())) return false;
  }
  return least >= 0.5 * most;
}
bool is_nothing(const std::vector<Eigen::MatrixXd>& samples, Eigen::Index i, Eigen::Index j) {
  return std::all_of(samples.begin(), samples.end(),
                     [&](const Eigen::MatrixXd& A) { return std::abs(A(i, j)) <= 1e-13 * A.cwiseAbs().maxCoeff(); });
}

}  // namespace

EliminationPlan plan_elimination(std::vector<Eigen::MatrixXd> samples) {
  EliminationPlan plan;
  const auto n = static_cast<std::size_t>(samples.front().rows());
  plan.rows.resize(n);
  std::iota(plan.rows.begin(), plan.rows.end(), std::size_t{0});
  plan.columns = plan.rows;
  const auto index = [](std::size_t k) { return static_cast<Eigen::Index>(k); };
  while (!plan.rows.empty()) {
    EliminationPlan::Pivot best{};
    std::size_t least = std::numeric_limits<std::size_t>::max();
    for (const std::size_t i : plan.rows) {
      for (const std::size_t j : plan.columns) {
        if (is_nothing(samples, index(i), index(j))) continue;
        std::size_t in_row = 0, in_column = 0;
        for (const std::size_t k : plan.columns) in_row += is_nothing(samples, index(i), index(k)) ? 0 : 1;
        for (const std::size_t k : plan.rows) in_column += is_nothing(samples, index(k), index(j)) ? 0 : 1;
        if (in_row > 1 && in_column > 1 && !is_safe(samples, index(i), index(j))) continue;
        const std::size_t fill = (in_row - 1) * (in_column - 1);
        if (fill >= least) continue;
        least = fill;
        best = {i, j};
      }
    }
    if (least == std::numeric_limits<std::size_t>::max()) break;
    plan.pivots.push_back(best);
    std::erase(plan.rows, best.row);
    std::erase(plan.columns, best.column);
    for (Eigen::MatrixXd& A : samples) {
      for (const std::size_t i : plan.rows) {
        const double factor = A(index(i), index(best.column)) / A(index(best.row), index(best.column));
        for (const std::size_t j : plan.columns) A(index(i), index(j)) -= factor * A(index(best.row), index(j));
      }
    }
  }
  return plan;
}

template <class T>
LoopFactors<T>::LoopFactors(const EliminationPlan& plan)
    : plan_(plan),
      n_(plan.pivots.size() + plan.rows.size()),
      core_(plan.rows.size()),
      A_(n_ * n_),
      inverse_pivots_(n_),
      core_inverse_(core_ * core_),
      x_(n_),
      part_(n_),
      reflections_(core_ > kLargestInverted && core_ <= kLargestReflected ? core_ : 0),
      order_(n_) {
  if (plan.blocks.empty()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    column_order_ = order_;
    block_ends_ = {n_};
    start_order_ = order_;
    return;
  }
  order_.clear();
  for (const EliminationPlan::Block& block : plan.blocks) {
    order_.insert(order_.end(), block.rows.begin(), block.rows.end());
    column_order_.insert(column_order_.end(), block.columns.begin(), block.columns.end());
    block_ends_.push_back(order_.size());
  }
  start_order_ = order_;
}

template <class T>
bool LoopFactors<T>::factorize(In<T> A, Solutions wanted) {
  wanted_ = wanted;
  std::copy(A.begin(), A.end(), A_.begin());
  if constexpr (std::is_same_v<T, Expr>) {
    eliminate();
  } else {
    return factorize_blocks();
  }
  return true;
}

// Row pivots within each block.
template <class T>
bool LoopFactors<T>::factorize_blocks() {
  if constexpr (!std::is_same_v<T, Expr>) {
    const auto size = [&](std::size_t i, std::size_t k) { return std::abs(value_of(at(order_[i], column_order_[k]))); };
    std::size_t first = 0;
    order_ = start_order_;
    for (const std::size_t end : block_ends_) {
      for (std::size_t k = first; k < end; ++k) {
        std::size_t pivot = k;
        for (std::size_t i = k + 1; i < end; ++i) {
          if (size(i, k) > size(pivot, k)) pivot = i;
        }
        if (!(size(pivot, k) > 0.0)) {
          inverse_pivots_[k] = T(std::numeric_limits<double>::infinity());
          return false;
        }
        std::swap(order_[k], order_[pivot]);
        const std::size_t row = order_[k], column = column_order_[k];
        inverse_pivots_[k] = T(1.0) / at(row, column);
        for (std::size_t i = k + 1; i < end; ++i) {
          T& factor = at(order_[i], column);
          factor *= inverse_pivots_[k];
          for (std::size_t j = k + 1; j < end; ++j)
            at(order_[i], column_order_[j]) -= factor * at(row, column_order_[j]);
        }
      }
      first = end;
    }
  }
  return true;
}

template <class T>
double LoopFactors<T>::smallest_pivot() const {
  if constexpr (std::is_same_v<T, Expr>) return 0.0;
  double least = std::numeric_limits<double>::infinity();
  if constexpr (!std::is_same_v<T, Expr>) {
    for (const T& x : inverse_pivots_) least = std::min(least, 1.0 / std::abs(value_of(x)));
  }
  return least;
}

// Gauss along the plan; what is below a pivot becomes its factor.
template <class T>
void LoopFactors<T>::eliminate() {
  for (std::size_t k = 0; k < plan_.pivots.size(); ++k) {
    const auto [row, column] = plan_.pivots[k];
    inverse_pivots_[k] = T(1.0) / at(row, column);
    const auto reduce = [&, r = row, c = column](std::size_t i) {
      if (is_zero(at(i, c))) return;
      at(i, c) *= inverse_pivots_[k];
      for (std::size_t l = k + 1; l < plan_.pivots.size(); ++l)
        at(i, plan_.pivots[l].column) -= at(i, c) * at(r, plan_.pivots[l].column);
      for (const std::size_t j : plan_.columns) at(i, j) -= at(i, c) * at(r, j);
    };
    for (std::size_t l = k + 1; l < plan_.pivots.size(); ++l) reduce(plan_.pivots[l].row);
    for (const std::size_t i : plan_.rows) reduce(i);
  }
  factorize_core();
}

template <class T>
void LoopFactors<T>::factorize_core() {
  const auto core = [&](std::size_t i, std::size_t j) -> T& { return at(plan_.rows[i], plan_.columns[j]); };
  const auto inverse = [&](std::size_t i, std::size_t j) -> T& { return core_inverse_[j * core_ + i]; };
  if (core_ == 1) {
    inverse(0, 0) = T(1.0) / core(0, 0);
  } else if (core_ == 2) {
    core_scale_ = T(1.0) / (core(0, 0) * core(1, 1) - core(0, 1) * core(1, 0));
    const T scale = wanted_ == Solutions::one ? T(1.0) : core_scale_;
    inverse(0, 0) = core(1, 1) * scale;
    inverse(1, 1) = core(0, 0) * scale;
    inverse(0, 1) = -core(0, 1) * scale;
    inverse(1, 0) = -core(1, 0) * scale;
  } else if (core_ == 3) {
    const auto cofactor = [&](std::size_t i, std::size_t j) {
      const std::size_t i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      return core(i1, j1) * core(i2, j2) - core(i1, j2) * core(i2, j1);
    };
    T first[3] = {cofactor(0, 0), cofactor(0, 1), cofactor(0, 2)};
    core_scale_ = T(1.0) / (core(0, 0) * first[0] + core(0, 1) * first[1] + core(0, 2) * first[2]);
    const T scale = wanted_ == Solutions::one ? T(1.0) : core_scale_;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) inverse(j, i) = (i == 0 ? first[j] : cofactor(i, j)) * scale;
    }
  } else if (core_ <= kLargestReflected) {
    for (std::size_t j = 0; j < core_; ++j) {
      for (std::size_t i = 0; i < core_; ++i) inverse(i, j) = core(i, j);
    }
    reflections_.factorize(core_inverse_);
  }
}

template <class T>
void LoopFactors<T>::solve_core(std::vector<T>& b, bool transposed) {
  if (core_ <= kLargestInverted) {
    std::array<T, kLargestInverted> x;
    for (std::size_t i = 0; i < core_; ++i) {
      x[i] = T(0.0);
      for (std::size_t j = 0; j < core_; ++j) x[i] += core_inverse_[transposed ? i * core_ + j : j * core_ + i] * b[j];
      if (wanted_ == Solutions::one && core_ > 1) x[i] *= core_scale_;
    }
    std::copy_n(x.begin(), core_, b.begin());
    return;
  }
  if (core_ <= kLargestReflected) {
    if (transposed)
      reflections_.solve_transposed(b);
    else
      reflections_.solve(b);
    return;
  }
  if constexpr (std::is_same_v<T, Expr>) {
    Graph* graph = nullptr;
    std::vector<Expr> arguments;
    for (std::size_t j = 0; j < core_; ++j) {
      for (std::size_t i = 0; i < core_; ++i) {
        arguments.push_back(transposed ? at(plan_.rows[j], plan_.columns[i]) : at(plan_.rows[i], plan_.columns[j]));
      }
    }
    arguments.insert(arguments.end(), b.begin(), b.begin() + static_cast<std::ptrdiff_t>(core_));
    for (const Expr& e : arguments) graph = e.is_constant() ? graph : e.graph();
    if (graph == nullptr) throw Error(ErrorCode::usage, "linear equations of a loop that hold no expression");
    const Graph::Solution s = graph->solve(linear_residual(core_), std::vector<Expr>(core_, Expr(0.0)), arguments, 1);
    std::copy(s.unknowns.begin(), s.unknowns.end(), b.begin());
  }
}

template <class T>
void LoopFactors<T>::solve(Out<T> b) {
  if constexpr (!std::is_same_v<T, Expr>) {
    std::vector<T>& y = part_;  // by steps
    for (std::size_t k = 0; k < n_; ++k) y[k] = b[order_[k]];
    std::size_t first = 0;
    for (const std::size_t end : block_ends_) {
      for (std::size_t k = first; k < end; ++k) {
        for (std::size_t i = k + 1; i < end; ++i) y[i] -= at(order_[i], column_order_[k]) * y[k];
      }
      for (std::size_t k = end; k-- > first;) {
        for (std::size_t j = k + 1; j < end; ++j) y[k] -= at(order_[k], column_order_[j]) * y[j];
        y[k] *= inverse_pivots_[k];
      }
      // what is known now, taken from all equations behind: along the columns as they lie in memory
      for (std::size_t k = first; k < end; ++k) {
        const T* const column = &A_[column_order_[k] * n_];
        for (std::size_t i = end; i < n_; ++i) y[i] -= column[order_[i]] * y[k];
      }
      first = end;
    }
    for (std::size_t k = 0; k < n_; ++k) x_[column_order_[k]] = y[k];
  } else {
    std::vector<T>& y = part_;
    std::copy(b.begin(), b.end(), y.begin());
    const std::size_t pivots = plan_.pivots.size();
    for (std::size_t k = 0; k < pivots; ++k) {
      const auto [row, column] = plan_.pivots[k];
      for (std::size_t l = k + 1; l < pivots; ++l) y[plan_.pivots[l].row] -= at(plan_.pivots[l].row, column) * y[row];
      for (const std::size_t i : plan_.rows) y[i] -= at(i, column) * y[row];
    }
    std::vector<T> core(core_);
    for (std::size_t i = 0; i < core_; ++i) core[i] = y[plan_.rows[i]];
    solve_core(core, false);
    for (std::size_t j = 0; j < core_; ++j) x_[plan_.columns[j]] = core[j];
    for (std::size_t k = pivots; k-- > 0;) {
      const auto [row, column] = plan_.pivots[k];
      T sum = y[row];
      for (std::size_t l = k + 1; l < pivots; ++l) sum -= at(row, plan_.pivots[l].column) * x_[plan_.pivots[l].column];
      for (const std::size_t j : plan_.columns) sum -= at(row, j) * x_[j];
      x_[column] = sum * inverse_pivots_[k];
    }
  }
  std::copy(x_.begin(), x_.end(), b.begin());
}

template <class T>
void LoopFactors<T>::solve_transposed(Out<T> c) {
  if constexpr (!std::is_same_v<T, Expr>) {
    std::vector<T>& y = part_;  // by steps
    for (std::size_t block = block_ends_.size(); block-- > 0;) {
      const std::size_t first = block == 0 ? 0 : block_ends_[block - 1], end = block_ends_[block];
      for (std::size_t k = first; k < end; ++k) {
        y[k] = c[column_order_[k]];
        for (std::size_t i = end; i < n_; ++i) y[k] -= at(order_[i], column_order_[k]) * y[i];
      }
      for (std::size_t k = first; k < end; ++k) {
        for (std::size_t i = first; i < k; ++i) y[k] -= at(order_[i], column_order_[k]) * y[i];
        y[k] *= inverse_pivots_[k];
      }
      for (std::size_t k = end; k-- > first;) {
        for (std::size_t i = k + 1; i < end; ++i) y[k] -= at(order_[i], column_order_[k]) * y[i];
      }
    }
    for (std::size_t k = 0; k < n_; ++k) x_[order_[k]] = y[k];
  } else {
    std::vector<T>& z = part_;  // by columns first
    std::copy(c.begin(), c.end(), z.begin());
    const std::size_t pivots = plan_.pivots.size();
    for (std::size_t k = 0; k < pivots; ++k) {
      const auto [row, column] = plan_.pivots[k];
      z[column] *= inverse_pivots_[k];
      for (std::size_t l = k + 1; l < pivots; ++l)
        z[plan_.pivots[l].column] -= at(row, plan_.pivots[l].column) * z[column];
      for (const std::size_t j : plan_.columns) z[j] -= at(row, j) * z[column];
    }
    std::vector<T> core(core_);
    for (std::size_t j = 0; j < core_; ++j) core[j] = z[plan_.columns[j]];
    solve_core(core, true);
    for (std::size_t i = 0; i < core_; ++i) x_[plan_.rows[i]] = core[i];
    for (std::size_t k = pivots; k-- > 0;) {
      const auto [row, column] = plan_.pivots[k];
      T sum = z[column];
      for (std::size_t l = k + 1; l < pivots; ++l) sum -= at(plan_.pivots[l].row, column) * x_[plan_.pivots[l].row];
      for (const std::size_t i : plan_.rows) sum -= at(i, column) * x_[i];
      x_[row] = sum;
    }
  }
  std::copy(x_.begin(), x_.end(), c.begin());
}

#define LW_INSTANTIATE(T) template class LoopFactors<T>;
LW_INSTANTIATE_UNCOUNTED(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
