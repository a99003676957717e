#include "eventful_run.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

#include <fmt/format.h>
#include <Eigen/Core>

#include "../../base/index.hpp"

namespace lw {
namespace {

constexpr std::size_t kCrowd = 20;  // times within `kInstant` of the duration, or of a second: that never ends
constexpr double kInstant = 1e-6;

Eigen::Map<const Eigen::VectorXd> as_vector(std::span<const double> x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}

}  // namespace

EventfulRun::EventfulRun(const DesignModes& modes, const std::vector<DesignEvent>& events, std::vector<double> y0,
                         double duration, const std::vector<double>& instants, const RecordedRunOptions& options)
    : events_(events), n_(y0.size()) {
  DesignMode mode = modes({});
  std::vector<int> driven_by(mode.system->nu(), -1);
  EventWatch watch(events_, mode.system->nq(), mode.system->nv());
  std::vector<std::deque<double>> recent(events_.size());
  std::vector<double> y = std::move(y0), f(n_), f_after(n_);
  double t = 0.0;
  std::vector<std::size_t> due;
  for (;;) {
    const double until = std::min(duration, watch.next_time(t));
    std::vector<double> times = instants;
    times.insert(times.end(), mode.corners.begin(), mode.corners.end());
    std::erase_if(times, [&](double x) { return x > until || (parts_.empty() ? x < t : x <= t); });
    times.push_back(until);
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());

    std::vector<double> after = set_by<double>(events_, due, *mode.system, t, y);
    const auto next = std::upper_bound(times.begin(), times.end(), t);
    mode.system->enter(t, next == times.end() ? t : *next);
    mode.system->value(Parametric::Of::rates, t, after, f_after);
    if (!due.empty()) parts_.back().passage = passage(events_, due, t, y, f, f_after, *mode.system);
    y = std::move(after);
    watch.begin(t, y, f_after);

    Part part{mode.system, y, t, nullptr, times_.size(), {}};
    part.run = std::make_unique<RecordedRun>(*mode.system, y, t, std::move(times), options,
                                             watch.has_crossings() ? &watch : nullptr);
    const RecordedRun& run = *part.run;
    times_.insert(times_.end(), run.times().begin(), run.times().end());
    t = run.times().back();
    const std::span<const double> end = run.at(run.times().size() - 1);
    y.assign(end.begin(), end.end());
    due = watch.due(t, y);
    parts_.push_back(std::move(part));
    if (due.empty()) {
      require(t >= duration, "a run goes on to its end, or to an event");
      return;
    }

    enter(last());
    mode.system->value(Parametric::Of::rates, t, y, f);
    for (const std::size_t k : due) {
      const DesignEvent& e = events_[k];
      watch.happened(k, t, y);
      if (e.stop) {
        parts_.back().passage = passage(events_, due, t, y, f, f, *mode.system);
        return;
      }
      for (const int v : e.drives) driven_by[lw::at(v)] = static_cast<int>(k);
      std::deque<double>& lately = recent[k];
      lately.push_back(t);
      if (lately.size() > kCrowd) lately.pop_front();
      if (lately.size() == kCrowd && t - lately.front() <= kInstant * std::min(1.0, duration)) {
        throw Error(ErrorCode::data, fmt::format("the event `{}` recurs endlessly at t = {:.9g} s", e.name, t));
      }
    }
    mode = modes(driven_by);
  }
}

std::size_t EventfulRun::mark(double t) const {
  return static_cast<std::size_t>(std::lower_bound(times_.begin(), times_.end(), t) - times_.begin());
}

const EventfulRun::Part& EventfulRun::part_of(std::size_t mark) const {
  const auto after =
      std::upper_bound(parts_.begin(), parts_.end(), mark, [](std::size_t m, const Part& p) { return m < p.first; });
  return *(after - 1);
}

std::span<const double> EventfulRun::at(std::size_t mark) const {
  const Part& p = part_of(mark);
  return p.run->at(mark - p.first);
}

DesignSystem& EventfulRun::enter(std::size_t mark) {
  const Part& p = part_of(mark);
  p.system->enter(mark == p.first ? p.t0 : times_[mark - 1], times_[mark]);
  return *p.system;
}

double EventfulRun::inside(std::size_t mark) const {
  const Part& p = part_of(mark);
  return 0.5 * ((mark == p.first ? p.t0 : times_[mark - 1]) + times_[mark]);
}

std::size_t EventfulRun::steps() const {
  std::size_t sum = 0;
  for (const Part& p : parts_) sum += p.run->steps();
  return sum;
}

const EventPassage* EventfulRun::stopped() const {
  const std::optional<EventPassage>& end = parts_.back().passage;
  return end ? &*end : nullptr;
}

EventfulRun::Directions EventfulRun::along(std::span<const double> dy0, std::span<const double> db) {
  Directions result;
  Eigen::VectorXd d = as_vector(dy0);
  for (const Part& p : parts_) {
    const std::vector<double> part = p.run->along({d.data(), n_}, db);
    result.marks.insert(result.marks.end(), part.begin(), part.end());
    d = as_vector(std::span(part).last(n_));
    if (!p.passage) continue;
    result.end_shift = p.passage->w.dot(d);
    d = p.passage->S * d;
  }
  if (stopped() != nullptr) {
    std::copy_n(d.data(), n_, result.marks.end() - static_cast<std::ptrdiff_t>(n_));
  } else {
    result.end_shift = 0.0;
  }
  return result;
}

void EventfulRun::back(std::span<const double> weights, double end_weight, std::span<double> y0_bar,
                       std::span<double> b_bar) {
  back_by([](const Part& p, std::span<const double> w, std::span<double> bar,
             std::span<double> b) { p.run->back(w, bar, b); },
          weights, end_weight, y0_bar, b_bar);
}

void EventfulRun::back_by(const PartBack& part_back, std::span<const double> weights, double end_weight,
                          std::span<double> y0_bar, std::span<double> b_bar) const {
  Eigen::VectorXd bar = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(n_));
  for (std::size_t k = parts_.size(); k-- > 0;) {
    const Part& p = parts_[k];
    const std::size_t marks = p.run->times().size();
    const std::span<const double> of_part = weights.subspan(p.first * n_, marks * n_);
    std::vector<double> w(of_part.begin(), of_part.end());
    Eigen::Map<Eigen::VectorXd> at_end(&w[(marks - 1) * n_], static_cast<Eigen::Index>(n_));
    if (p.passage && k + 1 == parts_.size()) {  // the run ends there, and the end moves
      at_end = (p.passage->S.transpose() * at_end + end_weight * p.passage->w).eval();
    } else if (p.passage) {
      at_end += p.passage->S.transpose() * bar;
    }
    bar.setZero();
    part_back(p, w, {bar.data(), n_}, b_bar);
  }
  for (std::size_t c = 0; c < n_; ++c) y0_bar[c] += bar[static_cast<Eigen::Index>(c)];
}

}  // namespace lw
