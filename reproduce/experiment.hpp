// An experiment of a thesis, run again: rows that set a published quantity against what we compute, each with a
// verdict.
//
//   reproduced        the two agree within the tolerance
//   misprint          the print is wrong: ours is verified by another method, which the note names
//   beaten            a cost or a speed, bettered
//   not-reproducible  data are lost, or the print contradicts itself; the note says which
//   failed            none of these: a defect of ours
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/svg.hpp"

namespace lw::reproduce {

enum class Verdict { reproduced, misprint, beaten, not_reproducible, failed };
const char* to_string(Verdict verdict);

// A number, a vector, or a matrix by rows.
struct Numbers {
  std::vector<double> values;
  std::size_t columns = 0;  // 0: a vector (or a number); otherwise a matrix of so many columns

  Numbers(double value) : values{value} {}                            // NOLINT: a number is one
  Numbers(std::vector<double> vector) : values(std::move(vector)) {}  // NOLINT
  Numbers(std::initializer_list<double> vector) : values(vector) {}   // NOLINT
  Numbers(std::vector<double> by_rows, std::size_t n) : values(std::move(by_rows)), columns(n) {}
};

// What the number that ours is set against is.
//
//   printed     stands in the thesis, or follows by putting numbers into a formula that does
//   recomputed  the thesis prints data and curves only; a program of tests/oracles computed it from those, which shares
//               nothing with the library; tests/oracles/check.py runs it again and compares
//   property    no number of the thesis: what it claims, or what must hold, measured on our own programs
enum class Reference { printed, recomputed, property };
const char* to_string(Reference reference);

struct Source {
  std::string where;  // table, equation, appendix; what was calculated; what is claimed
  Reference reference = Reference::printed;

  Source(const char* place) : where(place) {}             // NOLINT: a place in the thesis
  Source(std::string place) : where(std::move(place)) {}  // NOLINT
  Source(std::string what, Reference kind) : where(std::move(what)), reference(kind) {}
};
// By a program of tests/oracles.
inline Source recomputed(const std::string& oracle, const std::string& how) {
  return {"tests/oracles/" + oracle + ": " + how, Reference::recomputed};
}
inline Source property(std::string claim) { return {std::move(claim), Reference::property}; }

struct Row {
  std::string id;        // unique: "wong.puma.torque"
  std::string thesis;    // "wong"
  std::string quantity;  // what it is, with its unit
  Source source;
  Numbers published, computed;
  double tolerance = 0.0;          // on the deviation; 0 for whole numbers
  bool relative = false;           // the deviation is measured entry by entry, as a fraction of that entry
  std::vector<double> units = {};  // or in a unit of that entry's own, which is
  std::string unit = {};           // the last printed digit, say
  double deviation = 0.0;          // largest |computed − published|, or largest such fraction
  Verdict verdict = Verdict::failed;
  std::string note;
  bool is_timed = false;   // the note tells how long it took: shown in the terminal with the deviation
  std::string experiment;  // title of the experiment it belongs to
};

// Largest magnitude of an entry.
double magnitude(const Numbers& a);

// On |a − b| of every entry: absolute, or a fraction of that very entry. A fraction of a small entry can ask for more
// than its last digit, of a zero for more than arithmetic can give: what a relative tolerance allows is never less than
// `half_unit`, half a unit of the last digit given, nor than 1e-14 of the largest entry, the rounding of doubles. Or
// every entry has a unit of its own: its last printed digit, the size of the vector that it belongs to. Where that is
// 0, it must be met.
struct Tolerance {
  double value;
  bool relative = false;
  double half_unit = 0.0;
  std::vector<double> units = {};
  std::string unit = {};  // in words, to stand behind a number: "of the last digit"
};
inline Tolerance absolute(double value) { return {value}; }
inline Tolerance relative(double value, double half_unit = 0.0) { return {value, true, half_unit}; }
inline Tolerance in_units(double value, std::vector<double> units, std::string unit) {
  return {value, false, 0.0, std::move(units), std::move(unit)};
}

// Largest deviation over all entries, in the measure of the tolerance: the two agree where it is at most its value.
// Infinite where the sizes differ or an entry is not finite.
double deviation(const Numbers& published, const Numbers& computed, const Tolerance& tolerance);

class Experiment {
 public:
  Experiment(std::string of_thesis, std::string its_id, std::string its_title, std::string its_story)
      : thesis(std::move(of_thesis)), id(std::move(its_id)), title(std::move(its_title)), about(std::move(its_story)) {}

  std::string thesis, id, title;
  std::string about;  // a sentence or two for the report
  std::vector<Row> rows;
  std::vector<Plot> plots;

  // Reproduced where they agree, else failed.
  void compare(const std::string& name, const std::string& quantity, const Source& source, Numbers published,
               Numbers computed, Tolerance tolerance, const std::string& note = {});
  // A misprint where ours agrees with the other method and the print with neither; else failed. The note names the
  // method.
  void misprint(const std::string& name, const std::string& quantity, const Source& source, Numbers published,
                Numbers computed, Numbers other_method, Tolerance tolerance, const std::string& note);
  // Costs: beaten where none of ours is higher and one is lower; else failed. The note says by what.
  void beaten(const std::string& name, const std::string& quantity, const Source& source, Numbers published,
              Numbers computed, const std::string& note);
  void not_reproducible(const std::string& name, const std::string& quantity, const Source& source, Numbers published,
                        const std::string& note);

 private:
  Row& add(const std::string& name, const std::string& quantity, const Source& source, Numbers published,
           Numbers computed, Tolerance tolerance, const std::string& note);
};

struct Thesis {
  std::string id;  // as on the command line
  std::string author, title, place;
  int year;
  std::string missing;  // what is said where no experiment can run yet
};

}  // namespace lw::reproduce
