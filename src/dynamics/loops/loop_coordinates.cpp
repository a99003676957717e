#include "loop_coordinates.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <Eigen/Core>

#include "../../base/index.hpp"
#include "../../base/linear.hpp"
#include "../assembly/mode_search.hpp"
#include "../kinematics/closure.hpp"
#include "../tree/kinematics.hpp"

namespace lw {
namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

// Velocities of the joints that a loop passes through.
std::vector<bool> on_loop(const Model<double>& model, const LoopView& view) {
  std::vector<bool> has(at(model.nv), false);
  for (const std::vector<int>* side : {&view.a, &view.b}) {
    for (const int i : *side) {
      const Body<double>& b = model.bodies[at(i)];
      for (int k = 0; k < b.velocities(); ++k) has[at(b.v + k)] = true;
    }
  }
  return has;
}

// What lengths are measured by: a link of middling length.
double length_of(const Model<double>& model) {
  return mechanism_size(model) / static_cast<double>(std::max<std::size_t>(1, model.bodies.size()));
}

// Shifts, and slides too.
std::vector<double> scales_of_rows(const ClosureEquations& equations, double size) {
  std::vector<double> scales;
  for (const ClosureRow& row : equations.rows) scales.push_back(row.kind == ClosureRow::Kind::shift ? 1.0 / size : 1.0);
  return scales;
}
std::vector<double> scales_of_columns(const Model<double>& model, double size) {
  std::vector<double> scales(at(model.nv), 1.0);
  for (const Body<double>& b : model.bodies) {
    for (int k = 0; k < b.velocities(); ++k) {
      if (b.kind == JointKind::prismatic || (b.kind == JointKind::floating && k >= 3)) scales[at(b.v + k)] = size;
    }
  }
  return scales;
}

MatrixXd scaled_jacobian(const Model<double>& model, Workspace<double>& work, const ClosureEquations& equations,
                         In<double> q, double size) {
  forward_kinematics<double>(model, work, q);
  const auto m = static_cast<Index>(equations.size());
  std::vector<double> J(equations.size() * at(model.nv));
  closure_jacobian<double>(model, work, equations, ClosureAt::closed, J);
  const std::vector<double> rows = scales_of_rows(equations, size), columns = scales_of_columns(model, size);
  return Eigen::Map<const VectorXd>(rows.data(), m).asDiagonal() * Eigen::Map<const MatrixXd>(J.data(), m, model.nv) *
         Eigen::Map<const VectorXd>(columns.data(), model.nv).asDiagonal();
}

// Gauss, the pivots anywhere among the rows and columns that are offered.
class Elimination {
 public:
  explicit Elimination(MatrixXd A)
      : A_(std::move(A)),
        row_used_(static_cast<std::size_t>(A_.rows()), false),
        column_used_(static_cast<std::size_t>(A_.cols()), false) {}

  struct Pivot {
    Index row = -1, column = -1;
    double size = 0.0;
  };
  template <class Rows, class Columns>
  Pivot largest(const Rows& rows, const Columns& columns) const {
    Pivot best;
    for (Index j = 0; j < A_.cols(); ++j) {
      if (column_used_[static_cast<std::size_t>(j)] || !columns(j)) continue;
      for (Index i = 0; i < A_.rows(); ++i) {
        if (row_used_[static_cast<std::size_t>(i)] || !rows(i)) continue;
        if (std::abs(A_(i, j)) > best.size) best = {i, j, std::abs(A_(i, j))};
      }
    }
    return best;
  }
  void take(const Pivot& p) {
    row_used_[static_cast<std::size_t>(p.row)] = column_used_[static_cast<std::size_t>(p.column)] = true;
    for (Index i = 0; i < A_.rows(); ++i) {
      if (row_used_[static_cast<std::size_t>(i)] || A_(i, p.column) == 0.0) continue;
      A_.row(i) -= A_(i, p.column) / A_(p.row, p.column) * A_.row(p.row);
    }
    pivots.push_back(p);
  }
  std::vector<Pivot> pivots;

 private:
  MatrixXd A_;
  std::vector<bool> row_used_, column_used_;
};

// So many pivots among the columns that are offered, loop after loop, each in joints that no loop before it has where
// these are as good; then what is left, wherever it is.
void eliminate_by_loops(Elimination& elimination, const Model<double>& model, const ClosureEquations& equations,
                        const std::vector<bool>& offered, std::size_t rank) {
  constexpr double kOwn = 0.3;         // of the largest pivot: as good
  constexpr double kPostponed = 1e-3;  // what is small here may be large when all loops are seen
  constexpr double kNothing = 1e-12;   // a row that is left of dependent ones
  std::vector<bool> seen(at(model.nv), false);
  for (std::size_t l = 0; l < model.loops.size() && elimination.pivots.size() < rank; ++l) {
    const std::vector<bool> has = on_loop(model, equations.loops[l]);
    const auto rows = [&](Index i) { return equations.rows[static_cast<std::size_t>(i)].loop == l; };
    const auto columns = [&](Index j) {
      return offered[static_cast<std::size_t>(j)] && has[static_cast<std::size_t>(j)];
    };
    const auto own = [&](Index j) { return columns(j) && !seen[static_cast<std::size_t>(j)]; };
    while (elimination.pivots.size() < rank) {
      const Elimination::Pivot best = elimination.largest(rows, columns), of_own = elimination.largest(rows, own);
      if (best.size < kPostponed) break;
      elimination.take(of_own.size >= kOwn * best.size ? of_own : best);
    }
    for (std::size_t v = 0; v < has.size(); ++v) seen[v] = seen[v] || has[v];
  }
  const auto any = [](Index) { return true; };
  const auto left = [&](Index j) { return offered[static_cast<std::size_t>(j)]; };
  while (elimination.pivots.size() < rank) {
    const Elimination::Pivot p = elimination.largest(any, left);
    if (p.size < kNothing) break;
    elimination.take(p);
  }
}

// Strongly connected parts of the equations, each of which has a velocity of its own and needs those of others; what is
// needed first comes first (Tarjan 1972).
std::vector<std::vector<std::size_t>> connected_parts(const std::vector<std::vector<std::size_t>>& needs) {
  const std::size_t n = needs.size();
  std::vector<std::vector<std::size_t>> parts;
  std::vector<int> number(n, -1), low(n, 0);
  std::vector<bool> open(n, false);
  std::vector<std::size_t> stack;
  int count = 0;
  const std::function<void(std::size_t)> visit = [&](std::size_t k) {
    number[k] = low[k] = count++;
    stack.push_back(k);
    open[k] = true;
    for (const std::size_t j : needs[k]) {
      if (number[j] < 0) {
        visit(j);
        low[k] = std::min(low[k], low[j]);
      } else if (open[j]) {
        low[k] = std::min(low[k], number[j]);
      }
    }
    if (low[k] != number[k]) return;
    parts.emplace_back();
    for (std::size_t j = n; j != k;) {
      j = stack.back();
      stack.pop_back();
      open[j] = false;
      parts.back().push_back(j);
    }
    std::sort(parts.back().begin(), parts.back().end());
  };
  for (std::size_t k = 0; k < n; ++k) {
    if (number[k] < 0) visit(k);
  }
  return parts;
}

// `own`: for each equation the place of its velocity among plan.dependent.
std::vector<EliminationPlan::Block> blocks_of(const Model<double>& model, const LoopPlan& plan,
                                              const std::vector<std::size_t>& own) {
  std::vector<std::size_t> equation_of(plan.dependent.size());
  for (std::size_t k = 0; k < own.size(); ++k) equation_of[own[k]] = k;
  std::vector<std::vector<std::size_t>> needs;
  for (const ClosureRow& row : plan.equations.rows) {
    const std::vector<bool> has = on_loop(model, plan.equations.loops[row.loop]);
    needs.emplace_back();
    for (std::size_t k = 0; k < plan.dependent.size(); ++k) {
      if (has[at(plan.dependent[k])]) needs.back().push_back(equation_of[k]);
    }
  }
  std::vector<EliminationPlan::Block> blocks;
  for (const std::vector<std::size_t>& part : connected_parts(needs)) {
    EliminationPlan::Block block;
    block.rows = part;
    for (const std::size_t k : part) block.columns.push_back(own[k]);
    std::sort(block.columns.begin(), block.columns.end());
    blocks.push_back(std::move(block));
  }
  return blocks;
}

}  // namespace

std::vector<EliminationPlan::Block> elimination_blocks(const Model<double>& model, const LoopPlan& plan, In<double> q) {
  Workspace<double> work(model);
  const MatrixXd J = scaled_jacobian(model, work, plan.equations, q, length_of(model));
  std::vector<bool> offered(at(model.nv), false);
  for (const int v : plan.dependent) offered[at(v)] = true;
  Elimination elimination(J);
  eliminate_by_loops(elimination, model, plan.equations, offered, plan.dependent.size());
  if (elimination.pivots.size() < plan.dependent.size()) return {};  // singular: no order is known
  std::vector<std::size_t> own(plan.equations.size());
  for (const Elimination::Pivot& p : elimination.pivots) {
    own[static_cast<std::size_t>(p.row)] = static_cast<std::size_t>(
        std::find(plan.dependent.begin(), plan.dependent.end(), static_cast<int>(p.column)) - plan.dependent.begin());
  }
  return blocks_of(model, plan, own);
}

LoopChoice choose_coordinates(const Model<double>& model, const LoopPlan& like, In<double> q, bool same_equations) {
  Workspace<double> work(model);
  ClosureEquations all = same_equations ? like.equations : closure_equations(model);
  all.loops = like.equations.loops;
  const std::size_t rank = like.dependent.size();
  const MatrixXd J = scaled_jacobian(model, work, all, q, length_of(model));
  Elimination by_loops(J), anywhere(J);
  eliminate_by_loops(by_loops, model, all, std::vector<bool>(at(model.nv), true), rank);
  const auto any = [](Index) { return true; };
  while (anywhere.pivots.size() < rank) {
    const Elimination::Pivot p = anywhere.largest(any, any);
    if (!(p.size > 0.0)) break;
    anywhere.take(p);
  }
  const auto margin_of = [rank](const Elimination& e) {
    double least = e.pivots.size() < rank ? 0.0 : HUGE_VAL;
    for (const Elimination::Pivot& p : e.pivots) least = std::min(least, p.size);
    return least;
  };
  // solved loop by loop, unless that costs too many digits
  constexpr double kWorthIt = 0.2;
  const Elimination& elimination = margin_of(by_loops) >= kWorthIt * margin_of(anywhere) ? by_loops : anywhere;
  LoopChoice choice;
  choice.margin = margin_of(elimination);
  if (elimination.pivots.size() < rank) return choice;
  std::vector<Elimination::Pivot> pivots = elimination.pivots;
  std::sort(pivots.begin(), pivots.end(), [](const auto& a, const auto& b) { return a.row < b.row; });
  LoopPlan& plan = choice.plan;
  plan.actuated = like.actuated;
  plan.pushed = like.pushed;
  plan.equations.loops = all.loops;
  std::vector<bool> dependent(at(model.nv), false);
  for (const Elimination::Pivot& p : pivots) {
    plan.equations.rows.push_back(all.rows[static_cast<std::size_t>(p.row)]);
    dependent[static_cast<std::size_t>(p.column)] = true;
  }
  for (int v = 0; v < model.nv; ++v) (dependent[at(v)] ? plan.dependent : plan.independent).push_back(v);
  std::vector<std::size_t> own;
  for (const Elimination::Pivot& p : pivots) {
    own.push_back(static_cast<std::size_t>(
        std::find(plan.dependent.begin(), plan.dependent.end(), static_cast<int>(p.column)) - plan.dependent.begin()));
  }
  plan.velocity.rows.resize(rank);
  for (std::size_t k = 0; k < rank; ++k) plan.velocity.rows[k] = k;
  plan.velocity.columns = plan.velocity.rows;
  plan.velocity.blocks = blocks_of(model, plan, own);
  return choice;
}

double independence_of_closures(const Model<double>& model, const LoopPlan& like, In<double> q) {
  if (like.dependent.empty()) return HUGE_VAL;  // there are none
  Workspace<double> work(model);
  const MatrixXd J = scaled_jacobian(model, work, closure_equations(model), q, length_of(model));
  // squares of singular values: half of their digits are lost, and a few would do
  const VectorXd squares =
      symmetric_eigenvalues(J.rows() < J.cols() ? MatrixXd(J * J.transpose()) : MatrixXd(J.transpose() * J));
  const auto rank = static_cast<Index>(like.dependent.size());
  return rank > squares.size() ? 0.0 : std::sqrt(std::max(0.0, squares[squares.size() - rank]));
}

LoopCoordinates::LoopCoordinates(const Model<double>& model, LoopPlan plan)
    : model_(model),
      plan_(std::move(plan)),
      size_(length_of(model)),
      work_(model, plan_),
      row_scale_(scales_of_rows(plan_.equations, size_)),
      column_scale_(scales_of_columns(model, size_)),
      residual_(plan_.equations.size()),
      step_(at(model.nv), 0.0),
      whole_(step_) {}

bool LoopCoordinates::close(Out<double> q, double reach) {
  if (plan_.dependent.empty()) return true;
  constexpr int kMost = 30;
  constexpr double kClosedHere = 4e-16,
                   kNear = 1e-12;  // of the mechanism's size; where a step that gains nothing is rounding
  constexpr double kSlow = 1e-3;   // as long as the residual falls faster than by this, the Jacobian will do
  double before = HUGE_VAL, moved = 0.0;
  std::fill(whole_.begin(), whole_.end(), 0.0);
  bool factorized = false, fresh = false;  // the Jacobian of the last step: known at all, and of where that step began
  for (int k = 0; k < kMost; ++k) {
    forward_kinematics<double>(model_, work_.tree, q);
    closure_residual<double>(model_, work_.tree, plan_.equations, residual_);
    double open = 0.0;
    for (std::size_t i = 0; i < residual_.size(); ++i) open = std::max(open, std::abs(residual_[i]) * row_scale_[i]);
    if (!std::isfinite(open)) return false;
    if (open <= kClosedHere || (open < kNear && open >= 0.25 * before && fresh)) {
      set_pose<double>(model_, plan_, work_, q);
      return true;
    }
    fresh = !factorized || open > kSlow * before;
    if (fresh) set_pose<double>(model_, plan_, work_, q);
    factorized = true;
    before = open;
    work_.factors.solve(residual_);
    for (std::size_t i = 0; i < residual_.size(); ++i) {
      const auto v = at(plan_.dependent[i]);
      step_[v] = -residual_[i];
      whole_[v] += step_[v];
      moved = std::max(moved, std::abs(whole_[v]) / column_scale_[v]);
    }
    if (!(moved <= reach)) return false;
    advance(model_, q, step_);
    for (const int v : plan_.dependent) step_[at(v)] = 0.0;
  }
  return false;
}

void LoopCoordinates::close_near_branches(Out<double> q, Out<double> qd) {
  constexpr double kBarely = 1e-4;
  const auto m = static_cast<Index>(plan_.equations.size());
  const Eigen::Map<const VectorXd> rows(row_scale_.data(), m), columns(column_scale_.data(), model_.nv);
  const auto jacobian = [&] {
    forward_kinematics<double>(model_, work_.tree, q);
    closure_jacobian<double>(model_, work_.tree, plan_.equations, ClosureAt::closed, work_.J);
    return MatrixXd(rows.asDiagonal() * Eigen::Map<const MatrixXd>(work_.J.data(), m, model_.nv) *
                    columns.asDiagonal());
  };
  for (int k = 0; k < 2; ++k) {
    const MatrixXd J = jacobian();
    closure_residual<double>(model_, work_.tree, plan_.equations, residual_);
    const VectorXd step = -(columns.asDiagonal() *
                            least_norm(J, rows.cwiseProduct(Eigen::Map<const VectorXd>(residual_.data(), m)), kBarely));
    std::copy(step.data(), step.data() + step.size(), whole_.begin());
    advance(model_, q, whole_);
  }
  const MatrixXd J = jacobian();
  Eigen::Map<VectorXd> v(qd.data(), model_.nv);
  const VectorXd scaled = v.cwiseQuotient(columns), open = J * scaled;
  v -= columns.asDiagonal() * least_norm(J, open, kBarely);
}

LoopCoordinates::Margin LoopCoordinates::margin(In<double> q, double small) {
  if (plan_.velocity.blocks.empty()) return {.least = HUGE_VAL, .volumes = {}, .lost = 0, .loops = {}};
  forward_kinematics<double>(model_, work_.tree, q);
  closure_jacobian<double>(model_, work_.tree, plan_.equations, ClosureAt::closed, work_.J);
  const std::size_t m = plan_.equations.size();
  Margin result;
  result.least = HUGE_VAL;
  for (const EliminationPlan::Block& block : plan_.velocity.blocks) {
    const auto n = static_cast<Index>(block.rows.size());
    MatrixXd A(n, n);
    for (Index j = 0; j < n; ++j) {
      const auto v = at(plan_.dependent[block.columns[static_cast<std::size_t>(j)]]);
      for (Index i = 0; i < n; ++i) {
        const std::size_t row = block.rows[static_cast<std::size_t>(i)];
        A(i, j) = work_.J[v * m + row] * row_scale_[row] * column_scale_[v];
      }
    }
    result.volumes.push_back(n == 1 ? A(0, 0) : determinant(A));
    Elimination elimination(std::move(A));
    const auto any = [](Index) { return true; };
    int lost = 0;
    for (Index k = 0; k < n; ++k) {
      const Elimination::Pivot p = elimination.largest(any, any);
      result.least = std::min(result.least, p.size);
      if (p.size < small) ++lost;
      if (p.row >= 0) elimination.take(p);
    }
    result.lost += lost;
    for (const std::size_t row : block.rows) {
      const std::size_t loop = plan_.equations.rows[row].loop;
      if (lost > 0 && (result.loops.empty() || result.loops.back() != loop)) result.loops.push_back(loop);
    }
  }
  return result;
}

}  // namespace lw
