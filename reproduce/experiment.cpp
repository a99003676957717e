#include "experiment.hpp"

#include <cmath>

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

double largest_deviation(const Numbers& a, const Numbers& b) {
  if (a.values.size() != b.values.size()) return HUGE_VAL;
  double d = 0.0;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    const double difference = std::abs(a.values[i] - b.values[i]);
    if (!std::isfinite(difference)) return HUGE_VAL;
    d = std::max(d, difference);
  }
  return d;
}

double magnitude(const Numbers& a) {
  double m = 0.0;
  for (const double v : a.values) m = std::max(m, std::abs(v));
  return m;
}

Row& Experiment::add(const std::string& name, const std::string& quantity, const std::string& source, Numbers published,
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
  const double size = magnitude(row.published);
  row.scale = tolerance.relative && size > 0.0 ? size : 1.0;
  row.deviation = largest_deviation(row.published, row.computed) / row.scale;
  return rows.emplace_back(std::move(row));
}

void Experiment::compare(const std::string& name, const std::string& quantity, const std::string& source,
                         Numbers published, Numbers computed, Tolerance tolerance, const std::string& note) {
  Row& row = add(name, quantity, source, std::move(published), std::move(computed), tolerance, note);
  row.verdict = row.deviation <= row.tolerance ? Verdict::reproduced : Verdict::failed;
}

void Experiment::misprint(const std::string& name, const std::string& quantity, const std::string& source,
                          Numbers published, Numbers computed, Numbers other_road, Tolerance tolerance,
                          const std::string& note) {
  Row& row = add(name, quantity, source, std::move(published), std::move(computed), tolerance, note);
  const bool verified = largest_deviation(row.computed, other_road) / row.scale <= tolerance.value;
  const bool print_differs = row.deviation > tolerance.value;
  row.verdict = verified && print_differs ? Verdict::misprint : Verdict::failed;
}

void Experiment::not_reproducible(const std::string& name, const std::string& quantity, const std::string& source,
                                  Numbers published, const std::string& note) {
  Row& row = add(name, quantity, source, std::move(published), Numbers(std::vector<double>{}), absolute(0.0), note);
  row.deviation = 0.0;
  row.verdict = Verdict::not_reproducible;
}

}  // namespace lw::reproduce
