#include "identify.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <Eigen/Core>

#include "../../base/index.hpp"
#include "../../base/linear.hpp"
#include "../../dynamics/tree/elements.hpp"
#include "../../dynamics/tree/rnea.hpp"
#include "../../model/complaints.hpp"
#include "low_pass.hpp"

namespace lw {
namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

// Singular values of columns of length one that are this small against the largest are rounding.
constexpr double kUnseen = 1e-10;
// Residuals below this part of the torques are rounding too: no log is known better.
constexpr double kLeastNoise = 1e-13;
// A joint this slow against its fastest rests, and what it moves with is rounding.
constexpr double kRest = 1e-9;

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::data, what); }

Index to_index(std::size_t k) { return static_cast<Index>(k); }

}  // namespace

Unknowns::Unknowns(const Model<double>& model, const IdentifyOptions& options)
    : model_(model),
      losses_(model),
      base_(base_parameters(model)),
      width_(at(model.nv), 0.0),
      keeps_(at(model.nv), false),
      dry_(at(model.nv), false) {
  std::vector<std::string> names;
  for (const JointInfo& j : model.joints) names.push_back(j.name);
  for (const std::string& name : options.friction_joints) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw Error(ErrorCode::usage,
                  fmt::format("`{}` has no movable joint `{}`; {}", model.name, name, suggestion(name, names)));
    }
  }
  const auto& wanted = options.friction_joints;
  using Kind = FrictionTerm::Kind;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const bool known = !wanted.empty() && std::find(wanted.begin(), wanted.end(), names[k]) == wanted.end();
    const std::size_t v = at(model.joints[k].v), end = v + at(velocities(model.joints[k].type));
    for (std::size_t i = v; i < end; ++i) {
      keeps_[i] = known;
      dry_[i] = !known && options.coulomb;
    }
    if (known) continue;
    if (options.viscous) friction_.push_back({Kind::viscous, k});
    if (options.coulomb) friction_.push_back({Kind::coulomb, k});
    if (options.offset) friction_.push_back({Kind::offset, k});
  }

  const std::vector<double> standard = parameter_values(model, base_.standard);
  damping_.resize(at(model.nv));
  weightless_ = with_parameters<double>(model, base_.standard, std::vector<double>(standard.size(), 0.0));
  start_ = base_values<double>(base_, standard);
  std::vector<double> viscous(at(model.nv), 0.0), coulomb(viscous);
  for (const JointLoss<double>& loss : model.losses) {
    viscous[at(loss.v)] = loss.viscous;
    coulomb[at(loss.v)] = loss.coulomb;
    width_[at(loss.v)] = loss.width;
    if (keeps_[at(loss.v)] && is_dry<double>(loss)) dry_[at(loss.v)] = true;
  }
  for (const Transmission<double>& t : model.transmissions) {
    for (std::size_t k = 0; k < t.v.size(); ++k) {
      if (t.drives[k].breakaway == 0.0 && t.drives[k].efficiency.empty()) continue;
      for (const int v : t.v) dry_[at(v)] = dry_[at(v)] || keeps_[at(v)];
    }
  }
  for (const FrictionTerm& f : friction_) {
    const std::size_t v = at(model.joints[f.joint].v);
    start_.push_back(f.kind == Kind::viscous ? viscous[v] : f.kind == Kind::coulomb ? coulomb[v] : 0.0);
  }
  Y_.resize(at(model.nv) * base_.standard.size());
}

std::string Unknowns::name(std::size_t k) const {
  if (k < base_.base.size()) return base_.name(k);
  static constexpr const char* kNames[] = {"viscous", "coulomb", "offset"};
  const FrictionTerm& f = friction_[k - base_.base.size()];
  return model_.joints[f.joint].name + "." + kNames[static_cast<int>(f.kind)];
}

void Unknowns::columns(Workspace<double>& work, In<double> q, In<double> qd, In<double> qdd, Out<double> A,
                       Out<double> known) {
  const std::size_t nv = at(model_.nv);
  require(A.size() == nv * size() && known.size() == nv, "Unknowns: A has a row a velocity and a column an unknown");
  regressor<double>(model_, base_.standard, work, q, qd, qdd, Y_);
  double* column = A.data();
  for (const int b : base_.base) column = std::copy_n(Y_.data() + at(b) * nv, nv, column);
  for (const FrictionTerm& f : friction_) {
    std::fill_n(column, nv, 0.0);
    const JointInfo& joint = model_.joints[f.joint];
    for (std::size_t v = at(joint.v); v < at(joint.v + velocities(joint.type)); ++v) {
      switch (f.kind) {
        case FrictionTerm::Kind::viscous: column[v] = qd[v]; break;
        case FrictionTerm::Kind::coulomb:
          column[v] = opposing<double>(qd[v], width_[v], 1.0);
          break;  // rows at rest are left out
        case FrictionTerm::Kind::offset: column[v] = 1.0; break;
      }
    }
    column += nv;
  }
  // dampers of force elements stay in the fitted mechanism: they are known
  rnea_with_damping<double>(weightless_, work, q, qd, qdd, known, damping_);
  for (std::size_t v = 0; v < nv; ++v) known[v] += damping_[v];
  if (std::find(keeps_.begin(), keeps_.end(), true) == keeps_.end()) return;
  inverse_with_losses<double>(model_, work, q, qd, qdd, losses_);
  for (std::size_t v = 0; v < nv; ++v) {
    if (keeps_[v]) known[v] += losses_.total[v] - losses_.dynamic[v] - losses_.damping[v];
  }
}

namespace {

using Rows = std::vector<std::vector<double>>;

void check_log(const Model<double>& model, const MotionLog& log) {
  const auto sized = [&](const char* what, const Rows& rows, int width, bool needed) {
    if (rows.empty() && !needed) return;
    if (rows.size() != log.t.size())
      refuse(fmt::format("the log has {} times, but {} rows of {}", log.t.size(), rows.size(), what));
    for (const std::vector<double>& row : rows) {
      if (row.size() != at(width)) refuse(fmt::format("a row of {} has {} values, not {}", what, row.size(), width));
      for (const double x : row) {
        if (!std::isfinite(x)) refuse(fmt::format("{} holds {}: only finite numbers make sense here", what, x));
      }
    }
  };
  sized("q", log.q, model.nq, true);
  sized("qd", log.qd, model.nv, false);
  sized("qdd", log.qdd, model.nv, false);
  sized("tau", log.tau, model.nv, true);
  if (log.qd.empty() && !log.qdd.empty()) refuse("the log has accelerations without velocities");
  for (std::size_t k = 1; k < log.t.size(); ++k) {
    if (!(log.t[k] > log.t[k - 1]))
      refuse(fmt::format("times must increase: {:.9g} follows {:.9g}", log.t[k], log.t[k - 1]));
  }
}

// The step of a log at equal steps.
double equal_step(const std::vector<double>& t) {
  const double step = (t.back() - t.front()) / static_cast<double>(t.size() - 1);
  for (std::size_t k = 1; k < t.size(); ++k) {
    if (std::abs(t[k] - t[k - 1] - step) > 0.01 * step) {
      refuse(fmt::format(
          "the log is not sampled at equal steps ({:.6g} s from t = {:.6g}, {:.6g} s in the mean), so it can "
          "be neither filtered nor differenced: resample it, or give qd and qdd",
          t[k] - t[k - 1], t[k - 1], step));
    }
  }
  return step;
}

template <class Change>
Rows by_columns(const Rows& rows, Change&& change) {
  Rows out(rows.size(), std::vector<double>(rows.front().size()));
  std::vector<double> column(rows.size());
  for (std::size_t k = 0; k < rows.front().size(); ++k) {
    for (std::size_t i = 0; i < rows.size(); ++i) column[i] = rows[i][k];
    const std::vector<double> changed = change(column);
    for (std::size_t i = 0; i < rows.size(); ++i) out[i][k] = changed[i];
  }
  return out;
}

// The equations of each joint, [A_j b_j] a row a sample, ready to be fitted.
struct Equations {
  std::vector<MatrixXd> joint;
  Rows qd;
  std::vector<std::vector<bool>> dwells;  // of each sample: the joints that rest there, as far as the filter smears it
  double rate = 0.0, filter = 0.0;
};

// Where a joint rests its torque says nothing, and a filter carries that into the samples around: stretches of at least
// a period of the cut-off in which it is slow, with what the filter takes to settle at either end.
std::vector<std::vector<bool>> dwelling(const Rows& qd, const LowPass& low_pass, double rate) {
  constexpr double kSlow = 0.02;  // of its greatest speed: what a filter leaves of rest
  const auto period = static_cast<std::size_t>(std::ceil(0.5 * low_pass.settling_time() * rate)), margin = 2 * period;
  std::vector<std::vector<bool>> rests(qd.size(), std::vector<bool>(qd.front().size(), false));
  for (std::size_t v = 0; v < qd.front().size(); ++v) {
    double fastest = 0.0;
    for (const auto& row : qd) fastest = std::max(fastest, std::abs(row[v]));
    for (std::size_t begin = 0, end = 0; begin < qd.size(); begin = end + 1) {
      for (end = begin; end < qd.size() && std::abs(qd[end][v]) <= kSlow * fastest;) ++end;
      if (end - begin < period) continue;
      const std::size_t first = begin - std::min(begin, margin), last = std::min(end + margin, qd.size());
      for (std::size_t i = first; i < last; ++i) rests[i][v] = true;
    }
  }
  return rests;
}

Equations equations(const Model<double>& model, const MotionLog& log, const IdentifyOptions& options,
                    Unknowns& unknowns) {
  check_log(model, log);
  const std::size_t samples = log.t.size(), nv = at(model.nv), n = unknowns.size();
  if (samples < 5) refuse(fmt::format("{} samples are too few to fit anything", samples));
  Equations out;
  out.rate = static_cast<double>(samples - 1) / (log.t.back() - log.t.front());
  MotionLog motion = log;
  std::size_t dropped = 0;
  const bool differences = log.qd.empty() || log.qdd.empty();
  out.filter = options.filter.value_or(differences ? out.rate / 20.0 : 0.0);
  if (!(out.filter >= 0.0)) throw Error(ErrorCode::usage, fmt::format("a cut-off frequency cannot be {}", out.filter));
  std::optional<LowPass> low_pass;
  if (differences || out.filter > 0.0) {
    if (model.nq != model.nv) {
      refuse(fmt::format(
          "`{}` has coordinates that are quaternions, which are neither filtered nor differenced: give qd and "
          "qdd, and no cut-off",
          model.name));
    }
    const double step = equal_step(log.t);
    if (out.filter > 0.0) {
      low_pass.emplace(out.filter, out.rate);
      for (Rows* rows : {&motion.q, &motion.qd, &motion.qdd}) {
        if (!rows->empty()) *rows = by_columns(*rows, *low_pass);
      }
      dropped = static_cast<std::size_t>(std::ceil(low_pass->settling_time() * out.rate));
    }
    const auto once = [&](const std::vector<double>& x) { return central_difference(x, step); };
    const auto twice = [&](const std::vector<double>& x) { return second_difference(x, step); };
    if (log.qdd.empty()) motion.qdd = log.qd.empty() ? by_columns(motion.q, twice) : by_columns(motion.qd, once);
    if (log.qd.empty()) motion.qd = by_columns(motion.q, once);
    if (differences) dropped = std::max<std::size_t>(dropped, 2);
  }
  if (samples <= 2 * dropped) {
    refuse(
        fmt::format("{} samples are too few: {} at either end are lost to filter and differences", samples, dropped));
  }

  std::vector<MatrixXd> all(nv, MatrixXd(to_index(samples), to_index(n) + 1));
  Workspace<double> work(model);
  std::vector<double> A(nv * n), known(nv);
  for (std::size_t i = 0; i < samples; ++i) {
    unknowns.columns(work, motion.q[i], motion.qd[i], motion.qdd[i], A, known);
    for (std::size_t v = 0; v < nv; ++v) {
      for (std::size_t k = 0; k < n; ++k) all[v](to_index(i), to_index(k)) = A[k * nv + v];
      all[v](to_index(i), to_index(n)) = log.tau[i][v] - known[v];
    }
  }
  const std::size_t every =
      low_pass ? std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(out.rate / (2.0 * out.filter) - 1e-9)))
               : 1;
  const auto dwells = low_pass ? dwelling(motion.qd, *low_pass, out.rate) : std::vector<std::vector<bool>>{};
  for (std::size_t i = dropped; i < samples - dropped; i += every) {
    out.qd.push_back(motion.qd[i]);
    if (low_pass) out.dwells.push_back(dwells[i]);
  }
  for (MatrixXd& m : all) {
    for (Index k = 0; low_pass && k < m.cols(); ++k) {
      const std::vector<double> filtered = (*low_pass)({m.col(k).data(), samples});
      std::copy(filtered.begin(), filtered.end(), m.col(k).data());
    }
    MatrixXd kept(to_index(out.qd.size()), m.cols());
    for (std::size_t k = 0; k < out.qd.size(); ++k) kept.row(to_index(k)) = m.row(to_index(dropped + k * every));
    out.joint.push_back(std::move(kept));
    m.resize(0, 0);  // long logs are large
  }
  return out;
}

// What is left of the rows of one joint.
struct Triangle {
  MatrixXd R;
  std::size_t rows = 0;

  void take(const MatrixXd& more) {
    rows += static_cast<std::size_t>(more.rows());
    if (more.rows() > 0) absorb_rows(R, more);
  }
  double residual(const VectorXd& x) const {
    return rows == 0 ? 0.0 : (R.leftCols(x.size()) * x - R.col(x.size())).norm();
  }
  double torque() const { return rows == 0 ? 0.0 : R.rightCols(1).norm(); }
  double rms(double norm) const { return rows == 0 ? 0.0 : norm / std::sqrt(static_cast<double>(rows)); }
};

struct Solution {
  MatrixXd information, covariance, unseen;  // `unseen`: directions that leave all torques alone, columns scaled
  VectorXd x;
  double condition = 0.0;
  int rank = 0;
};

Solution solve(const std::vector<Triangle>& fit, const VectorXd& weights, const VectorXd& start) {
  const Index n = start.size();
  MatrixXd R(0, n + 1);
  for (std::size_t v = 0; v < fit.size(); ++v) absorb_rows(R, weights[to_index(v)] * fit[v].R);
  Solution s;
  s.information = R.topLeftCorner(n, n);
  VectorXd scale = s.information.colwise().norm();
  const double largest = scale.maxCoeff();
  for (double& x : scale) x = x > 0.0 ? x : largest > 0.0 ? largest : 1.0;
  const Svd svd(s.information * scale.cwiseInverse().asDiagonal(), true);
  s.rank = svd.rank(kUnseen);
  s.condition = s.rank > 0 ? svd.s[0] / svd.s[s.rank - 1] : 0.0;
  const VectorXd change = svd.solve(R.col(n).head(n) - s.information * start, kUnseen);
  s.x = start + change.cwiseQuotient(scale);
  const MatrixXd half =
      scale.cwiseInverse().asDiagonal() * svd.V.leftCols(s.rank) * svd.s.head(s.rank).cwiseInverse().asDiagonal();
  s.covariance = half * half.transpose();
  s.unseen = svd.V.rightCols(n - s.rank);
  return s;
}

}  // namespace

Identification identify(const Model<double>& model, const MotionLog& log, const IdentifyOptions& options) {
  if (!(options.holdout >= 0.0 && options.holdout < 1.0)) {
    throw Error(ErrorCode::usage,
                fmt::format("the part held out must be at least 0 and below 1, not {}", options.holdout));
  }
  Unknowns unknowns(model, options);
  if (unknowns.size() == 0) throw Error(ErrorCode::model, fmt::format("`{}` has nothing to identify", model.name));
  const Equations data = equations(model, log, options, unknowns);
  const std::size_t nv = at(model.nv), samples = data.qd.size();
  const auto held = static_cast<std::size_t>(std::llround(options.holdout * static_cast<double>(samples)));

  const std::vector<bool>& dry = unknowns.dry();
  std::vector<Triangle> fit(nv), holdout(nv);
  std::size_t rows = 0;
  for (std::size_t v = 0; v < nv; ++v) {
    std::vector<Index> kept, later;
    double fastest = 0.0;
    for (const std::vector<double>& qd : data.qd) fastest = std::max(fastest, std::abs(qd[v]));
    const double still = std::max(options.still, kRest * fastest);
    for (std::size_t i = 0; i < samples; ++i) {
      if (dry[v] && std::abs(data.qd[i][v]) <= still) continue;  // it may stick
      if (dry[v] && !data.dwells.empty() && data.dwells[i][v]) continue;
      (i < samples - held ? kept : later).push_back(to_index(i));
    }
    fit[v].R = holdout[v].R = MatrixXd(0, to_index(unknowns.size()) + 1);
    fit[v].take(data.joint[v](kept, Eigen::all));
    holdout[v].take(data.joint[v](later, Eigen::all));
    rows += kept.size();
  }
  if (rows <= unknowns.size()) {
    refuse(fmt::format("{} samples leave {} equations for {} unknowns: a longer log is needed", log.t.size(), rows,
                       unknowns.size()));
  }

  const VectorXd start = Eigen::Map<const VectorXd>(unknowns.start().data(), to_index(unknowns.size()));
  double largest = 0.0;
  for (const Triangle& t : fit) largest = std::max(largest, t.rms(t.torque()));
  VectorXd noise = VectorXd::Ones(to_index(nv));
  Solution s;
  constexpr int kPasses = 3;
  for (int pass = 0; pass < kPasses; ++pass) {
    s = solve(fit, noise.cwiseInverse(), start);
    if (pass + 1 == kPasses) break;
    for (std::size_t v = 0; v < nv; ++v) {
      if (fit[v].rows == 0) continue;
      double& sigma = noise[to_index(v)];
      const MatrixXd A = fit[v].R.leftCols(start.size());
      const double leverage = (A * s.covariance).cwiseProduct(A).sum() / (sigma * sigma);
      const double freedom = std::max(1.0, static_cast<double>(fit[v].rows) - leverage);
      const double least = kLeastNoise * std::max(fit[v].rms(fit[v].torque()), 1e-3 * largest);
      sigma = std::max({fit[v].residual(s.x) / std::sqrt(freedom), least, 1e-150});
    }
  }

  Identification result;
  result.base = unknowns.base();
  result.friction = unknowns.friction();
  result.condition = s.condition;
  result.rank = s.rank;
  result.rate = data.rate;
  result.filter = data.filter;
  result.samples = samples;
  result.information.assign(s.information.data(), s.information.data() + s.information.size());
  for (std::size_t k = 0; k < unknowns.size(); ++k) {
    const Index i = to_index(k);
    const bool seen = s.unseen.cols() == 0 || s.unseen.row(i).cwiseAbs().maxCoeff() < 1e-6;
    result.estimates.push_back(
        {unknowns.name(k), start[i], s.x[i], seen ? std::sqrt(s.covariance(i, i)) : HUGE_VAL, seen});
  }
  for (std::size_t v = 0; v < nv; ++v) {
    const Triangle &f = fit[v], &h = holdout[v];
    result.joints.push_back({model.velocity_names[v], f.rows, h.rows, f.rms(f.torque()), noise[to_index(v)],
                             f.rms(f.residual(s.x)), h.rms(h.residual(s.x))});
  }
  return result;
}

}  // namespace lw
