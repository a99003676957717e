#include "experiment.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace lw::reproduce {

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::reproduced: return "reproduced";
    case Verdict::misprint: return "misprint";
    case Verdict::beaten: return "beaten";
    case Verdict::not_reproducible: return "not-reproducible";
    case Verdict::failed: return "failed";
  }
  return "failed";
}

const char* to_string(Reference reference) {
  switch (reference) {
    case Reference::printed: return "printed";
    case Reference::recomputed: return "recomputed";
    case Reference::property: return "property";
  }
  return "printed";
}

double magnitude(const Numbers& a) {
  double m = 0.0;
  for (const double v : a.values) m = std::max(m, std::abs(v));
  return m;
}

double deviation(const Numbers& published, const Numbers& computed, const Tolerance& tolerance) {
  const bool own_units = !tolerance.units.empty();
  if (published.values.size() != computed.values.size()) return HUGE_VAL;
  if (own_units && tolerance.units.size() != published.values.size()) return HUGE_VAL;
  const double floor = std::max(tolerance.half_unit, 1e-14 * magnitude(published));
  double worst = 0.0;
  for (std::size_t i = 0; i < published.values.size(); ++i) {
    const double difference = std::abs(published.values[i] - computed.values[i]);
    if (!std::isfinite(difference)) return HUGE_VAL;
    if (difference == 0.0) continue;
    if (own_units) {
      worst = std::max(worst, tolerance.units[i] > 0.0 ? difference / tolerance.units[i] : HUGE_VAL);
      continue;
    }
    const double size = std::max(std::abs(published.values[i]), floor / tolerance.value);
    worst = std::max(worst, tolerance.relative ? difference / size : difference);
  }
  return worst;
}

Row& Experiment::add(const std::string& name, const std::string& quantity, const Source& source, Numbers published,
                     Numbers computed, Tolerance tolerance, const std::string& note) {
  Row row{.id = id + "." + name,
          .thesis = thesis,
          .quantity = quantity,
          .source = source,
          .published = std::move(published),
          .computed = std::move(computed),
          .tolerance = tolerance.value,
          .note = note,
          .experiment = title};
  row.relative = tolerance.relative;
  row.units = tolerance.units;
  row.unit = tolerance.unit;
  row.deviation = deviation(row.published, row.computed, tolerance);
  return rows.emplace_back(std::move(row));
}

void Experiment::compare(const std::string& name, const std::string& quantity, const Source& source, Numbers published,
                         Numbers computed, Tolerance tolerance, const std::string& note) {
  Row& row = add(name, quantity, source, std::move(published), std::move(computed), tolerance, note);
  row.verdict = row.deviation <= row.tolerance ? Verdict::reproduced : Verdict::failed;
}

void Experiment::misprint(const std::string& name, const std::string& quantity, const Source& source, Numbers published,
                          Numbers computed, Numbers other_method, Tolerance tolerance, const std::string& note) {
  Row& row = add(name, quantity, source, std::move(published), std::move(computed), tolerance, note);
  const bool verified = deviation(other_method, row.computed, tolerance) <= tolerance.value;
  const bool print_differs = row.deviation > tolerance.value;
  row.verdict = verified && print_differs ? Verdict::misprint : Verdict::failed;
}

void Experiment::beaten(const std::string& name, const std::string& quantity, const Source& source, Numbers published,
                        Numbers computed, const std::string& note) {
  Row& row = add(name, quantity, source, std::move(published), std::move(computed), absolute(0.0), note);
  const std::vector<double>&theirs = row.published.values, &ours = row.computed.values;
  const bool none_higher = std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end(), std::less_equal<>());
  row.verdict = none_higher && ours != theirs ? Verdict::beaten : Verdict::failed;
}

void Experiment::not_reproducible(const std::string& name, const std::string& quantity, const Source& source,
                                  Numbers published, const std::string& note) {
  Row& row = add(name, quantity, source, std::move(published), Numbers(std::vector<double>{}), absolute(0.0), note);
  row.deviation = 0.0;
  row.verdict = Verdict::not_reproducible;
}

}  // namespace lw::reproduce
