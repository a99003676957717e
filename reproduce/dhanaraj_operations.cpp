#include "experiments.hpp"

#include <numeric>

#include "polynomial.hpp"

// Dhanaraj 1990, table 1.1 (operation counts of the formulations, n joints and n = 6) and table 2.9 (operations a joint).
namespace lw::reproduce {
namespace {

const char* kTable11 = "table 1.1, column n = 6";

void table_1_1(Experiment& e) {
  const Polynomial uicker_mul{{390, 1037, 2055, 640, -1536}, 12}, uicker_add{{150, 398, 777, 254, -576}, 6};
  const auto counts = [](const Polynomial& mul, const Polynomial& add) { return std::vector<double>{mul(6), add(6)}; };
  const std::vector<long> at{1, 2, 3, 4, 5, 6};
  e.misprint("uicker-multiplications", "multiplications, Uicker and Kahn, n = 6", kTable11, 66271.0, uicker_mul(6),
             interpolated(at, values(uicker_mul, at), 5, 4), absolute(1e-9),
             "The printed formula gives 67 143, in fractions and by differences from n = 1 … 5; the printed total 117 "
             "819 carries the slip on.");
  e.compare("uicker-additions", "additions, Uicker and Kahn, n = 6", kTable11, 51548.0, uicker_add(6), absolute(0.0));
  e.compare("hollerbach4", "multiplications and additions, Hollerbach 4×4, n = 6", kTable11, {4388, 3586},
            counts({{830, -592}}, {{675, -464}}), absolute(0.0));
  e.compare("hollerbach3", "multiplications and additions, Hollerbach 3×3, n = 6", kTable11, {2195, 1719},
            counts({{412, -277}}, {{320, -201}}), absolute(0.0));
  e.compare("newton-euler", "multiplications and additions, Newton-Euler, n = 6", kTable11, {852, 738},
            counts({{150, -48}}, {{131, -48}}), absolute(0.0));
}

double sum(const std::vector<double>& column) { return std::accumulate(column.begin(), column.end(), 0.0); }

// Rows: ω, α, λ, a, a_c, F, N, f, f of the next link, n.
void table_2_9(Experiment& e) {
  const char* source = "table 2.9, last row";
  const std::vector<double> rev_mul{9, 11, 6, 18, 9, 3, 6, 0, 9, 21}, rev_add{7, 9, 9, 15, 9, 0, 3, 3, 6, 15};
  const std::vector<double> conventional_mul{9, 24, 0, 27, 18, 3, 24, 9, 0, 21},
      conventional_add{7, 19, 0, 21, 15, 0, 18, 9, 0, 24};
  const std::vector<double> slide_mul{0, 0, 0, 20, 9, 3, 6, 0, 9, 12}, slide_add{0, 0, 0, 18, 9, 0, 3, 3, 6, 15};
  const std::vector<double> old_slide_mul{0, 0, 0, 33, 18, 3, 24, 9, 0, 21},
      old_slide_add{0, 0, 0, 26, 15, 0, 18, 9, 0, 24};
  e.compare("revolute", "operations a revolute joint, modified: ×, +, both", source, {92, 76, 168},
            {sum(rev_mul), sum(rev_add), sum(rev_mul) + sum(rev_add)}, absolute(0.0), "Column sums.");
  double by_rows = 0.0;
  for (std::size_t i = 0; i < conventional_mul.size(); ++i) by_rows += conventional_mul[i] + conventional_add[i];
  e.misprint(
      "revolute-conventional", "operations a revolute joint, conventional: ×, +, both", source, {135, 123, 258},
      {sum(conventional_mul), sum(conventional_add), sum(conventional_mul) + sum(conventional_add)},
      {by_rows - sum(conventional_add), by_rows - sum(conventional_mul), by_rows}, absolute(0.0),
      "The table's own rows add up to 113 additions, by columns and by rows; the saving is then 32.3 %, not 34.9 %.");
  e.compare("slide", "operations a slide, modified: ×, +, both", source, {59, 54, 113},
            {sum(slide_mul), sum(slide_add), sum(slide_mul) + sum(slide_add)}, absolute(0.0), "Column sums.");
  e.compare("slide-conventional", "operations a slide, conventional: ×, +, both", source, {108, 92, 200},
            {sum(old_slide_mul), sum(old_slide_add), sum(old_slide_mul) + sum(old_slide_add)}, absolute(0.0),
            "Column sums.");
}

}  // namespace

Experiment dhanaraj_operations() {
  Experiment e("dhanaraj", "dhanaraj.operations", "Operation counts (tables 1.1 and 2.9)",
               "The printed formulas evaluated in whole numbers, and the printed columns added up.");
  table_1_1(e);
  table_2_9(e);
  return e;
}

}  // namespace lw::reproduce
