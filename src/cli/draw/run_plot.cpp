#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../../base/file.hpp"
#include "../../base/svg.hpp"
#include "../../model/entries.hpp"
#include "run_files.hpp"

namespace lw::cli {
namespace {

constexpr std::size_t kMostPoints = 4000;  // of a curve; then every other one is left out
constexpr std::size_t kMostCurves = 8;     // of a panel: those that move most

using Courses = std::vector<std::vector<double>>;  // by entry, over time

class PlotRun : public RunFile {
 public:
  PlotRun(std::string path, const Model<double>& model, const Scenario& scenario)
      : path_(std::move(path)), model_(model), scenario_(scenario) {
    write_file(path_, "");  // a path that cannot be written is no news for the end of a long run
  }

  void row(const RunRow& r) override {
    if (rows_++ % stride_ != 0) return;
    t_.push_back(r.t);
    add(q_, r.q);
    add(qd_, r.qd);
    add(tau_, r.tau);
    add(outputs_, r.outputs);
    if (t_.size() == 1) potential_ = r.potential;
    const double potential = r.potential - potential_;
    const double energies[] = {r.kinetic, potential, r.kinetic + potential, r.work, r.losses};
    add(energy_, energies);
    if (t_.size() < kMostPoints) return;
    for (Courses* c : {&q_, &qd_, &tau_, &outputs_, &energy_}) {
      for (std::vector<double>& values : *c) halve(values);
    }
    halve(t_);
    stride_ *= 2;
  }
  void event(const RunEvent& e) override {
    if (events_.size() < 50) events_.push_back(e.t);
  }

  bool finish() override {
    const std::vector<Entry> q = coordinate_entries(model_), v = velocity_entries(model_);
    panel(q, q_, "rad", "angle (rad)");
    panel(q, q_, "m", "position (m)");
    panel(q, q_, "", "quaternion");
    panel(v, qd_, "rad", "velocity (rad/s)");
    panel(v, qd_, "m", "velocity (m/s)");
    panel(v, tau_, "rad", "torque (N·m)", true);
    panel(v, tau_, "m", "force (N)", true);
    std::vector<Entry> named;
    for (const auto& [name, formula] : scenario_.outputs) named.push_back({name, "out"});
    panel(named, outputs_, "out", "outputs");
    if (!energy_.empty()) add_energy();
    const std::string title = scenario_.name.empty() ? model_.name : fmt::format("{}: {}", model_.name, scenario_.name);
    write_file(path_, to_svg_stack(panels_, title));
    return true;
  }

 private:
  static void add(Courses& to, std::span<const double> values) {
    to.resize(values.size());
    for (std::size_t k = 0; k < values.size(); ++k) to[k].push_back(values[k]);
  }
  static void halve(std::vector<double>& values) {
    for (std::size_t k = 0; 2 * k < values.size(); ++k) values[k] = values[2 * k];
    values.resize((values.size() + 1) / 2);
  }
  static double reach(const std::vector<double>& values) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    return values.empty() ? 0.0 : *high - *low + 1e-9 * std::max(std::abs(*high), std::abs(*low));
  }

  Plot empty(const char* label) const {
    Plot p{"", "time (s)", label, {}, 860, 200};
    p.marks = events_;
    return p;
  }
  void panel(const std::vector<Entry>& entries, const Courses& courses, const std::string& unit, const char* label,
             bool leave_zeros = false) {
    std::vector<std::size_t> chosen;
    for (std::size_t k = 0; k < courses.size(); ++k) {
      const bool zero = std::ranges::all_of(courses[k], [](double x) { return x == 0.0; });
      if (entries[k].unit == unit && !(leave_zeros && zero)) chosen.push_back(k);
    }
    if (chosen.empty()) return;
    const std::size_t all = chosen.size();
    if (all > kMostCurves) {
      std::ranges::stable_sort(chosen,
                               [&](std::size_t a, std::size_t b) { return reach(courses[a]) > reach(courses[b]); });
      chosen.resize(kMostCurves);
      std::ranges::sort(chosen);
    }
    Plot p = empty(label);
    for (const std::size_t k : chosen)
      p.series.push_back({entries[k].name, t_, courses[k], {}, static_cast<int>(k % 8)});
    if (all > chosen.size()) p.y_label += fmt::format(", {} of {}", chosen.size(), all);
    panels_.push_back(std::move(p));
  }
  void add_energy() {
    Plot p = empty("energy (J)");
    const char* names[] = {"kinetic", "potential, change", "sum", "work", "lost"};
    for (std::size_t k = 0; k < energy_.size(); ++k) {
      const bool zero = std::ranges::all_of(energy_[k], [](double x) { return x == 0.0; });
      if (!zero || k < 3) p.series.push_back({names[k], t_, energy_[k], {}, static_cast<int>(k)});
    }
    panels_.push_back(std::move(p));
  }

  std::string path_;
  const Model<double>& model_;
  const Scenario& scenario_;
  std::vector<double> t_, events_;
  Courses q_, qd_, tau_, outputs_, energy_;
  double potential_ = 0.0;
  std::size_t rows_ = 0, stride_ = 1;
  std::vector<Plot> panels_;
};

}  // namespace

std::unique_ptr<RunFile> plot_file(const std::string& path, const Model<double>& model, const Scenario& scenario) {
  return std::make_unique<PlotRun>(path, model, scenario);
}

}  // namespace lw::cli
