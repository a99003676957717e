#include "design_run.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../../base/index.hpp"

namespace lw {

WeighedMotion WeighedMotion::along(const Trajectory& trajectory, int pieces) {
  constexpr double x1 = 0.53846931010568309, x2 = 0.90617984593866399;
  constexpr double w0 = 0.56888888888888889, w1 = 0.47862867049936647, w2 = 0.23692688505618909;
  constexpr std::pair<double, double> kGauss[] = {{-x2, w2}, {-x1, w1}, {0.0, w0}, {x1, w1}, {x2, w2}};
  WeighedMotion motion;
  motion.end = trajectory.times().back();
  for (std::size_t s = 0; s + 1 < trajectory.times().size(); ++s) {
    const double from = trajectory.times()[s], half = 0.5 * (trajectory.times()[s + 1] - from) / pieces;
    for (int p = 0; p < pieces; ++p) {
      for (const auto& [x, w] : kGauss) {
        motion.t.push_back(from + half * (2.0 * p + 1.0 + x));
        motion.weight.push_back(half * w);
        JointMotion<double> m = trajectory.at(motion.t.back());
        motion.q.push_back(std::move(m.q));
        motion.qd.push_back(std::move(m.qd));
        motion.qdd.push_back(std::move(m.qdd));
      }
    }
  }
  return motion;
}

WeighedMotion WeighedMotion::of_samples(std::vector<double> t, std::vector<std::vector<double>> q,
                                        std::vector<std::vector<double>> qd, std::vector<std::vector<double>> qdd) {
  WeighedMotion motion{std::move(t), {}, std::move(q), std::move(qd), std::move(qdd), 0.0};
  if (!motion.t.empty()) motion.end = motion.t.back();
  motion.weight.resize(motion.t.size(), 0.0);
  for (std::size_t k = 0; k + 1 < motion.t.size(); ++k) {
    const double half = 0.5 * (motion.t[k + 1] - motion.t[k]);
    motion.weight[k] += half;
    motion.weight[k + 1] += half;
  }
  return motion;
}

InverseDesign::InverseDesign(const Mechanism& mechanism, std::vector<std::string> parameters,
                             std::vector<DesignFunctional> functionals, InverseDesignOptions options,
                             ParameterValues<double> others)
    : design_(mechanism, std::move(parameters), std::move(others)),
      functionals_(std::move(functionals)),
      options_(std::move(options)),
      motion_(options_.motion),
      b_(design_.values()),
      loops_(design_),
      torques_(loops_.plan().actuated.size()) {
  for (const DesignFunctional& f : functionals_) f.check(motion_.end);
  require(!motion_.t.empty() && motion_.q.front().size() == loops_.plan().independent_q.size(),
          "a motion of the model's joints");
  std::vector<WrittenFormula> formulas;
  const std::size_t given = motion_.t.size();
  for (const DesignFunctional& f : functionals_) {
    formulas.push_back(f.formula);
    instant_.push_back(given);
    if (f.kind == DesignFunctional::Kind::integral) continue;
    const double t = std::isnan(f.time) ? motion_.end : f.time;
    const auto known = std::find(motion_.t.begin(), motion_.t.begin() + static_cast<std::ptrdiff_t>(given), t);
    if (known != motion_.t.begin() + static_cast<std::ptrdiff_t>(given)) {
      instant_.back() = static_cast<std::size_t>(known - motion_.t.begin());
      continue;
    }
    if (!options_.between) {
      throw Error(ErrorCode::usage,
                  fmt::format("`{}` is requested at {} s, where the motion has no sample", f.name, t));
    }
    JointMotion<double> m = options_.between(t);
    instant_.back() = motion_.t.size();
    motion_.t.push_back(t);
    motion_.weight.push_back(0.0);
    motion_.q.push_back(std::move(m.q));
    motion_.qd.push_back(std::move(m.qd));
    motion_.qdd.push_back(std::move(m.qdd));
  }
  const DesignLosses losses = loops_.losses(options_.friction);
  if (!options_.pose.empty()) loops_.stand(options_.pose);
  loops_.lead(motion_.q.front());
  const DesignFunctions::Three three = inverse_functions(design_, formulas, losses, loops_.plan());
  std::vector<Function> all;
  for (const Function* f : {&three.value, &three.along, &three.back}) {
    all.push_back(options_.fixed ? at_values(*f, b_) : shortened(*f));
  }
  const auto code = compiled_design(mechanism.name + "_inverse_design", all, options_.compiled, options_.jit);
  for (const Function& f : all) own_.emplace_back(code, f.name(), f.input_size());
}

void InverseDesign::follow() {
  std::vector<std::size_t> in_time(motion_.t.size());
  for (std::size_t i = 0; i < in_time.size(); ++i) in_time[i] = i;
  std::ranges::stable_sort(in_time, [&](std::size_t a, std::size_t b) { return motion_.t[a] < motion_.t[b]; });
  configurations_.resize(in_time.size());
  loops_.begin(b_, motion_.t[in_time.front()], motion_.q[in_time.front()]);
  for (const std::size_t i : in_time) {
    loops_.passed(motion_.t[i], motion_.q[i]);
    configurations_[i] = loops_.at(motion_.t[i], motion_.q[i]);
    if (!loops_.trouble().empty())
      throw Error(ErrorCode::data, fmt::format("at t = {:.6g} s: {}", motion_.t[i], loops_.trouble()));
  }
}

std::span<double> InverseDesign::begin(FlatFunction& f, std::size_t sample) {
  const std::span<double> in = f.inputs();
  std::size_t k = 0;
  in[k++] = motion_.t[sample];
  for (const auto* part : {&configurations_[sample], &motion_.qd[sample], &motion_.qdd[sample]}) {
    for (const double x : *part) in[k++] = x;
  }
  if (!options_.fixed) {
    for (const double x : b_) in[k++] = x;
  }
  return in.subspan(k);
}

std::vector<double> InverseDesign::values(std::span<const double> b) {
  require(b.size() == b_.size(), "as many values as parameters");
  require(!options_.fixed || std::equal(b.begin(), b.end(), b_.begin()), "the parameters of this design are fixed");
  b_.assign(b.begin(), b.end());
  follow();
  std::vector<double> sums(functionals_.size(), 0.0), y(torques_ + functionals_.size());
  for (std::size_t i = 0; i < motion_.t.size(); ++i) {
    begin(own_[0], i);
    own_[0](y);
    for (std::size_t f = 0; f < sums.size(); ++f) {
      const bool integral = functionals_[f].kind == DesignFunctional::Kind::integral;
      if (integral || instant_[f] == i) sums[f] += (integral ? motion_.weight[i] : 1.0) * y[torques_ + f];
    }
  }
  return sums;
}

std::vector<std::vector<double>> InverseDesign::gradients(DesignMethod method) {
  if (method == DesignMethod::cvodes)
    throw Error(ErrorCode::usage, "CVODES requires a simulated run, but the motion is prescribed");
  const std::size_t nf = functionals_.size(), np = b_.size();
  const bool direct = method == DesignMethod::direct || (method == DesignMethod::automatic && np <= nf);
  std::vector<std::vector<double>> rows(nf, std::vector<double>(np, 0.0));
  std::vector<double> y(torques_ + nf), p(np);
  for (std::size_t i = 0; i < motion_.t.size(); ++i) {
    const auto weight = [&](std::size_t f) {
      return functionals_[f].kind == DesignFunctional::Kind::integral ? motion_.weight[i]
             : instant_[f] == i                                       ? 1.0
                                                                      : 0.0;
    };
    for (std::size_t k = 0; direct && k < np; ++k) {
      const std::span<double> dp = begin(own_[1], i);
      std::fill(dp.begin(), dp.end(), 0.0);
      dp[k] = 1.0;
      own_[1](y);
      for (std::size_t f = 0; f < nf; ++f) rows[f][k] += weight(f) * y[torques_ + f];
    }
    for (std::size_t f = 0; !direct && f < nf; ++f) {
      if (weight(f) == 0.0) continue;
      const std::span<double> w = begin(own_[2], i);
      std::fill(w.begin(), w.end(), 0.0);
      w[torques_ + f] = weight(f);
      own_[2](p);
      for (std::size_t k = 0; k < np; ++k) rows[f][k] += p[k];
    }
  }
  return rows;
}

std::vector<InverseDesign::Torques> InverseDesign::torques() {
  std::vector<Torques> list;
  std::vector<double> y(torques_ + functionals_.size());
  for (std::size_t i = 0; i < options_.motion.t.size(); ++i) {
    begin(own_[0], i);
    own_[0](y);
    Torques at{motion_.t[i], {y.begin(), y.begin() + static_cast<std::ptrdiff_t>(torques_)}, {}};
    for (std::size_t k = 0; k < b_.size(); ++k) {
      const std::span<double> dp = begin(own_[1], i);
      std::fill(dp.begin(), dp.end(), 0.0);
      dp[k] = 1.0;
      own_[1](y);
      at.by.emplace_back(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(torques_));
    }
    list.push_back(std::move(at));
  }
  return list;
}

}  // namespace lw
