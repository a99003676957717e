// An experiment of a thesis, run again: rows that set a published quantity against what we compute, each with a verdict.
//
//   reproduced        the two agree within the tolerance
//   misprint          the print is wrong: ours is verified by another road, which the note names
//   beaten            a cost or a speed, bettered
//   not-reproducible  the data are lost; the note says what is missing
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

struct Row {
  std::string id;        // unique: "wong.puma.torque"
  std::string thesis;    // "wong"
  std::string quantity;  // what it is, with its unit
  std::string source;    // where the published number stands: table, equation, appendix
  Numbers published, computed;
  double tolerance = 0.0;  // on the deviation; 0 for whole numbers
  double deviation = 0.0;  // largest |computed − published|, relative to `scale`
  double scale = 1.0;
  Verdict verdict = Verdict::failed;
  std::string note;
  std::string experiment;  // title of the experiment it belongs to
};

// Largest |a − b| over all entries; infinite where the sizes differ or an entry is not finite.
double largest_deviation(const Numbers& a, const Numbers& b);
// Largest magnitude of an entry.
double magnitude(const Numbers& a);

struct Tolerance {
  double value;
  bool relative = false;  // to the largest published entry
};
inline Tolerance absolute(double value) { return {value, false}; }
inline Tolerance relative(double value) { return {value, true}; }

class Experiment {
 public:
  Experiment(std::string of_thesis, std::string its_id, std::string its_title, std::string its_story)
      : thesis(std::move(of_thesis)), id(std::move(its_id)), title(std::move(its_title)), about(std::move(its_story)) {}

  std::string thesis, id, title;
  std::string about;  // a sentence or two for the report
  std::vector<Row> rows;
  std::vector<Plot> plots;

  // Reproduced where they agree, else failed.
  void compare(const std::string& name, const std::string& quantity, const std::string& source, Numbers published,
               Numbers computed, Tolerance tolerance, const std::string& note = {});
  // A misprint where ours agrees with the other road and the print with neither; else failed. The note names the road.
  void misprint(const std::string& name, const std::string& quantity, const std::string& source, Numbers published,
                Numbers computed, Numbers other_road, Tolerance tolerance, const std::string& note);
  void not_reproducible(const std::string& name, const std::string& quantity, const std::string& source,
                        Numbers published, const std::string& note);

 private:
  Row& add(const std::string& name, const std::string& quantity, const std::string& source, Numbers published,
           Numbers computed, Tolerance tolerance, const std::string& note);
};

struct Thesis {
  std::string id;  // as on the command line
  std::string author, title, place;
  int year;
  std::string missing;  // what is said where no experiment can run yet
};

}  // namespace lw::reproduce
