#include "batch_run.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "../../codegen/compile.hpp"
#include "../../dynamics/loops/forward_losses.hpp"
#include "../../model/require_tree.hpp"
#include "../integrate/chart.hpp"
#include "../motion/dissipation.hpp"

namespace lw {
namespace {

// to = from + factor · rate, entry by entry.
void move_along(const std::vector<double>& from, double factor, const std::vector<double>& rate,
                std::vector<double>& to) {
  const double *const x = from.data(), *const r = rate.data();
  double* const y = to.data();
  const std::size_t n = to.size();
  for (std::size_t k = 0; k < n; ++k) y[k] = x[k] + factor * r[k];
}
void add_along(double factor, const std::vector<double>& rate, std::vector<double>& to) {
  const double* const r = rate.data();
  double* const y = to.data();
  const std::size_t n = to.size();
  for (std::size_t k = 0; k < n; ++k) y[k] += factor * r[k];
}

}  // namespace

class BatchRun::Lanes {
 public:
  template <class Table>
  static auto row(Table& table, std::size_t lane, std::size_t width) {
    return std::span(table.data() + lane * width, width);
  }

  Lanes(const Mechanism& mechanism, std::size_t lanes, BatchTorques torques, const BatchOptions& options)
      : model_(instantiate<double>(mechanism, options.values)),
        chart_(model_),
        lanes_(lanes),
        nq_(static_cast<std::size_t>(model_.nq)),
        nv_(static_cast<std::size_t>(model_.nv)),
        lossy_(options.friction && dissipates(model_)),
        work_(options.work),
        torques_(std::move(torques)) {
    require(lanes > 0, "a batch needs at least one lane");
    refuse_what_has_no_place();
    CompileOptions how;
    how.program.trace.values = options.values;
    how.program.trace.friction = lossy_;
    how.jit.batch = true;
    std::vector<FunctionName> functions{FunctionId::forward};
    if (lossy_ && work_) functions.emplace_back(FunctionId::friction);
    code_.emplace(compile(mechanism, functions, how));
    forward_ = code_->batch_pointer("forward");
    if (functions.size() > 1) friction_ = code_->batch_pointer("friction");
    for (auto* x : {&v_, &tau_, &a_, &u_, &du_, &stage_v_, &sum_u_, &sum_v_}) x->assign(lanes * nv_, 0.0);
    for (auto* x : {&q_, &stage_q_}) x->assign(lanes * nq_, 0.0);
    for (auto* x : {&z_, &dz_, &sum_z_}) x->assign(work_ ? 2 * lanes : 0, 0.0);
    for (auto& part : parts_) part.assign(lossy_ && work_ ? lanes * nv_ : 0, 0.0);
    for (std::size_t k = 0; k < lanes; ++k) std::copy(model_.home.begin(), model_.home.end(), row(q_, k, nq_).begin());
  }

  void advance(double until, double step) {
    if (!(step > 0.0 && std::isfinite(step))) {
      throw Error(ErrorCode::usage, fmt::format("the step is {}: it must be a positive number of seconds", step));
    }
    while (t_ < until) {
      const bool last = until - t_ <= step * (1.0 + 1e-9);
      const double h = last ? until - t_ : step;
      take(h);
      t_ = last ? until : t_ + h;
    }
  }

  const Model<double> model_;
  const Chart chart_;
  const std::size_t lanes_, nq_, nv_;
  const bool lossy_, work_;
  BatchTorques torques_;
  std::optional<Compiled> code_;
  double t_ = 0.0;
  std::vector<double> q_, v_, z_;  // a row a lane

 private:
  void refuse_what_has_no_place() const {
    const char* const reason = ": its motions are simulated one by one";
    const auto refuse = [&](const char* what) {
      throw Error(ErrorCode::model, fmt::format("`{}` has {}{}", model_.name, what, reason));
    };
    require_tree(model_, reason);
    if (!model_.forces.empty()) refuse("external forces");
    if (lossy_ && ForwardLosses(model_).is_dry()) refuse("dry friction, which stops joints");
  }

  void slopes(double t, const std::vector<double>& q, const std::vector<double>& v) {
    if (torques_) torques_(t, q, v, tau_);
    if (forward_ != nullptr) {
      const double* const in[] = {q.data(), v.data(), tau_.data()};
      double* const out[] = {a_.data()};
      forward_(lanes_, in, out);
    } else {
      const std::span<const double> in[] = {q, v, tau_};
      const std::span<double> out[] = {a_};
      code_->batch("forward", lanes_, in, out);
    }
    if (work_) powers(q, v);
    check(t, q, v);
  }

  void powers(const std::vector<double>& q, const std::vector<double>& v) {
    if (lossy_) {
      if (friction_ != nullptr) {
        const double* const in[] = {q.data(), v.data(), a_.data()};
        double* out[6];
        for (std::size_t k = 0; k < 6; ++k) out[k] = parts_[k].data();
        friction_(lanes_, in, out);
      } else {
        const std::span<const double> in[] = {q, v, a_};
        std::span<double> out[6];
        for (std::size_t k = 0; k < 6; ++k) out[k] = parts_[k];
        code_->batch("friction", lanes_, in, out);
      }
    }
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      double in = 0.0, lost = 0.0;
      for (std::size_t k = lane * nv_; k < (lane + 1) * nv_; ++k) {
        in += tau_[k] * v[k];
        if (lossy_) lost += (parts_[1][k] + parts_[3][k]) * v[k];  // bearing and transmission
      }
      dz_[2 * lane] = in;
      dz_[2 * lane + 1] = lost;
    }
  }

  void check(double t, const std::vector<double>& q, const std::vector<double>& v) const {
    double sum = 0.0;
    for (const double x : a_) sum += 0.0 * x;
    if (sum == 0.0) [[likely]]
      return;
    const auto at = static_cast<std::size_t>(
        std::find_if(a_.begin(), a_.end(), [](double x) { return !std::isfinite(x); }) - a_.begin());
    const std::size_t lane = at / nv_;
    throw NotFinite(fmt::format("lane {}: the acceleration of `{}` is {} at t = {:.9g} s; q = {:.6g}; qd = {:.6g}",
                                lane, model_.velocity_names[at % nv_], fault_of(a_[at]), t,
                                fmt::join(row(q, lane, nq_), ", "), fmt::join(row(v, lane, nv_), ", ")));
  }

  // q of a displacement u_, for all lanes; and how fast u_ grows there.
  void place(std::vector<double>& to) {
    if (chart_.is_flat()) return move_along(q_, 1.0, u_, to);
    for (std::size_t k = 0; k < lanes_; ++k) chart_.point(row(q_, k, nq_), row(u_, k, nv_), row(to, k, nq_));
  }
  const std::vector<double>& rates(const std::vector<double>& q, const std::vector<double>& v) {
    if (chart_.is_flat()) return v;
    for (std::size_t k = 0; k < lanes_; ++k) {
      chart_.rates(row(u_, k, nv_), row(q, k, nq_), row(v, k, nv_), row(du_, k, nv_));
    }
    return du_;
  }

  void take(double h) {
    constexpr double kNodes[] = {0.5, 0.5, 1.0}, kWeights[] = {2.0, 2.0, 1.0};
    std::fill(u_.begin(), u_.end(), 0.0);
    slopes(t_, q_, v_);
    const std::vector<double>* du = &rates(q_, v_);
    sum_u_ = *du;
    sum_v_ = a_;
    sum_z_ = dz_;
    for (int i = 0; i < 3; ++i) {
      const double part = kNodes[i] * h;
      for (std::size_t k = 0; k < u_.size(); ++k) u_[k] = part * (*du)[k];
      place(stage_q_);
      move_along(v_, part, a_, stage_v_);
      slopes(t_ + part, stage_q_, stage_v_);
      du = &rates(stage_q_, stage_v_);
      add_along(kWeights[i], *du, sum_u_);
      add_along(kWeights[i], a_, sum_v_);
      add_along(kWeights[i], dz_, sum_z_);
    }
    for (std::size_t k = 0; k < u_.size(); ++k) u_[k] = h / 6.0 * sum_u_[k];
    place(stage_q_);
    std::swap(q_, stage_q_);
    add_along(h / 6.0, sum_v_, v_);
    add_along(h / 6.0, sum_z_, z_);
  }

  Compiled::Batch *forward_ = nullptr, *friction_ = nullptr;
  std::vector<double> tau_, a_, u_, du_, stage_q_, stage_v_, sum_u_, sum_v_, dz_, sum_z_;
  std::vector<double> parts_[6];
};

BatchRun::BatchRun(const Mechanism& mechanism, std::size_t lanes, BatchTorques torques, const BatchOptions& options)
    : lanes_(std::make_unique<Lanes>(mechanism, lanes, std::move(torques), options)) {}
BatchRun::~BatchRun() = default;

const Model<double>& BatchRun::model() const { return lanes_->model_; }
std::size_t BatchRun::lanes() const { return lanes_->lanes_; }
double BatchRun::t() const { return lanes_->t_; }
std::span<double> BatchRun::q(std::size_t lane) { return Lanes::row(lanes_->q_, lane, lanes_->nq_); }
std::span<double> BatchRun::v(std::size_t lane) { return Lanes::row(lanes_->v_, lane, lanes_->nv_); }
double BatchRun::work(std::size_t lane) const { return lanes_->z_[2 * lane]; }
double BatchRun::losses(std::size_t lane) const { return lanes_->z_[2 * lane + 1]; }
bool BatchRun::is_vectorised() const { return lanes_->code_->has_batch(); }

MotionState BatchRun::state(std::size_t lane) const {
  const auto copy = [&](const std::vector<double>& table, std::size_t width) {
    const auto r = Lanes::row(table, lane, width);
    return std::vector<double>(r.begin(), r.end());
  };
  return {lanes_->t_, copy(lanes_->q_, lanes_->nq_), copy(lanes_->v_, lanes_->nv_),
          lanes_->work_ ? copy(lanes_->z_, 2) : std::vector<double>{}};
}

void BatchRun::advance(double until, double step) { lanes_->advance(until, step); }

}  // namespace lw
