#include "experiments.hpp"

#include <numeric>

#include <fmt/format.h>

#include "polynomial.hpp"

// Dhanaraj 1990, table 1.1 (operation counts of the formulations, n joints and n = 6) and table 2.9 (operations a joint).
namespace lw::reproduce {
namespace {

const char* kTable11 = "table 1.1, column n = 6";

void table_1_1(Experiment& e) {
  const Polynomial uicker_mul{{390, 1037, 2055, 640, -1536}, 12}, uicker_add{{150, 398, 777, 254, -576}, 6};
  const auto counts = [](const Polynomial& mul, const Polynomial& add) { return std::vector<double>{mul(6), add(6)}; };
  // formula and number of one line contradict each other, and nothing printed says which of them is right
  e.not_reproducible(
      "uicker-multiplications", "multiplications, Uicker and Kahn, n = 6", kTable11, 66271.0,
      fmt::format("The formula beside it gives {}. Its total, 117 819, is the sum of the printed numbers, "
                  "so one of the two is a misprint; without Uicker's and Kahn's own count it is open which.",
                  uicker_mul(6)));
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
  e.compare("revolute-conventional-mul", "multiplications a revolute joint, conventional", source, 135.0,
            sum(conventional_mul), absolute(0.0), "Column sum.");
  // counted from the equations: turning a vector, a cross product, a sum; the moment's row as the slide's total has it
  const double turn = 6, cross = 3, plus = 3;
  const double omega = turn + 1, alpha = 2 * turn + cross + plus + 1, a = turn + 3 * cross + 2 * plus,
               a_c = 3 * cross + 2 * plus, N = 2 * turn + cross + plus, f = turn + plus;
  const double slide_total = 92, slide_a = 26, n = slide_total - slide_a - a_c - N - f;
  e.misprint(
      "revolute-conventional-add", "additions a revolute joint, conventional", source, 123.0, sum(conventional_add),
      omega + alpha + a + a_c + N + f + n, absolute(0.0),
      "The column adds up to 113. So does a count from the equations, with the moment's row as the printed total of "
      "the slide, 92, has it. The saving is then 32.3 %, not 34.9 %.");
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
