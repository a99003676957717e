// A design's run through its events: one RecordedRun after the other, each of the system that moves then, and
// derivatives along and back through all of them (design_events.hpp says how they pass an event).
#pragma once

#include <functional>
#include <memory>

#include "design_events.hpp"

namespace lw {

// What moves from an event on, and the corners of its inputs.
struct DesignMode {
  DesignSystem* system = nullptr;
  std::vector<double> corners = {};
};
// By what drives each velocity: -1 the inputs of the beginning, else those of that event; none: all of the beginning.
using DesignModes = std::function<DesignMode(const std::vector<int>& driven_by)>;

class EventfulRun {
 public:
  // From y0 at 0 to the duration, or to an event that ends it. Steps end at the instants. Throws Error(data) as
  // RecordedRun does, for an event that never ends, and for one that only touches zero.
  EventfulRun(const DesignModes& modes, const std::vector<DesignEvent>& events, std::vector<double> y0, double duration,
              const std::vector<double>& instants, const RecordedRunOptions& options);

  // The ends of intervals: instants, corners, events, of which it is the state before.
  const std::vector<double>& times() const { return times_; }
  std::size_t last() const { return times_.size() - 1; }
  std::size_t mark(double t) const;  // the first that is not before t
  std::span<const double> at(std::size_t mark) const;
  // The system that moves in the interval before the mark, entered into it.
  DesignSystem& enter(std::size_t mark);
  double inside(std::size_t mark) const;  // an instant of that interval
  std::size_t steps() const;
  // What ended it before its time.
  const EventPassage* stopped() const;
  const std::vector<DesignEvent>& events() const { return events_; }

  // As RecordedRun's, over all marks. Of a run that an event ended, the last one is that of the end, which moves, by
  // `end_shift`.
  struct Directions {
    std::vector<double> marks;
    double end_shift = 0.0;
  };
  Directions along(std::span<const double> dy0, std::span<const double> db);
  // `end_weight`: of the instant at which it ends.
  void back(std::span<const double> weights, double end_weight, std::span<double> y0_bar, std::span<double> b_bar);

  // From one event to the next.
  struct Part {
    DesignSystem* system;
    std::vector<double> y0;
    double t0;
    std::unique_ptr<RecordedRun> run;
    std::size_t first;                    // of its marks
    std::optional<EventPassage> passage;  // at its end
  };
  const std::vector<Part>& parts() const { return parts_; }
  // `back` with another method through each part: (part, weights of its marks, y0_bar, b_bar).
  using PartBack = std::function<void(const Part&, std::span<const double>, std::span<double>, std::span<double>)>;
  void back_by(const PartBack& part_back, std::span<const double> weights, double end_weight, std::span<double> y0_bar,
               std::span<double> b_bar) const;

 private:
  const Part& part_of(std::size_t mark) const;

  std::vector<DesignEvent> events_;
  std::size_t n_;
  std::vector<Part> parts_;
  std::vector<double> times_;
};

}  // namespace lw
