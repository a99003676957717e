#include "experiments.hpp"

#include <fmt/format.h>

#include "polynomial.hpp"

// Wong 1991, tables 3.1 to 3.3 and 3.5: operations of forward dynamics on one processor, n joints. Columns n = 3 … 12
// as far as each table goes; multiplications, then additions.
namespace lw::reproduce {
namespace {

using Values = std::vector<double>;

struct Algorithm {
  const char *id, *name;
  Polynomial force_mul, force_add, inertia_mul, inertia_add, solver_mul, solver_add, total_mul, total_add;
};

// Table 3.1.
const Algorithm kProposed{"proposed",
                          "proposed",
                          {{3, 77, -44}},
                          {{3, 62, -43}},
                          {{2, 39, -49, 16}, 2},
                          {{5, 87, -122, 30}, 6},
                          {{1, 9, -4, 0}, 6},
                          {{1, 6, -7, 0}, 6},
                          {{7, 144, 311, -216}, 6},
                          {{2, 37, 81, -76}, 2}};
const Algorithm kAngeles{"angeles",
                         "Angeles",
                         {{105, -99}},
                         {{90, -95}},
                         {{2, 39, -33, 16}, 2},
                         {{5, 87, -92, 30}, 6},
                         {{1, 9, 8, 0}, 6},
                         {{1, 9, 2, 0}, 6},
                         {{7, 126, 539, -546}, 6},
                         {{1, 16, 75, -90}}};
const Algorithm kWalker{"walker",
                        "Walker",
                        {{137, -22}},
                        {{101, -11}},
                        {{12, 56, -27}},
                        {{7, 67, -53}},
                        {{1, 9, -4, 0}, 6},
                        {{1, 6, -7, 0}, 6},
                        {{1, 81, 1154, -294}, 6},
                        {{1, 48, 1001, -384}, 6}};
const Polynomial kFijanyMul{{9, 231, -362}, 2}, kFijanyAdd{{4, 88, -137}}, kLilly1Mul{{1, 22, -35, 12}},
    kLilly1Add{{1, 15, -26, 10}}, kLilly3Mul{{25, 49, -74}, 2}, kLilly3Add{{8, 40, -48}}, kHeMul{{91, -97}},
    kHeAdd{{86, -96}}, kBrandlMul{{250, -222}}, kBrandlAdd{{220, -198}};

const std::vector<long> kInertiaAt{4, 5, 6, 7}, kForceAt{4, 5, 6, 7, 8, 9, 10},
    kTotalAt{3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

void row(Experiment& e, const std::string& name, const std::string& quantity, const std::string& table,
         const std::vector<long>& at, const Values& printed, const Polynomial& formula) {
  e.compare(name, quantity, table, printed, values(formula, at), absolute(0.0));
}

// A row with one wrong entry, which must be what the polynomial through the others says.
void row_with_slip(Experiment& e, const std::string& name, const std::string& quantity, const std::string& table,
                   const std::vector<long>& at, const Values& printed, const Polynomial& formula, std::size_t wrong,
                   std::size_t degree) {
  Values other = printed;
  other[wrong] = interpolated(at, printed, wrong, degree);
  e.misprint(name, quantity, table, printed, values(formula, at), whole(other), absolute(0.0),
             fmt::format("{} for {} at n = {}. The other printed entries, continued, say the same as the formula.",
                         printed[wrong], formula(at[wrong]), at[wrong]));
}

void sums(Experiment& e, const Algorithm& a) {
  const auto parts = [&](const Polynomial& f, const Polynomial& m, const Polynomial& s) {
    return values(f + m + s, kTotalAt);
  };
  Values printed = values(a.total_mul, kTotalAt), computed = parts(a.force_mul, a.inertia_mul, a.solver_mul);
  const Values printed_add = values(a.total_add, kTotalAt),
               computed_add = parts(a.force_add, a.inertia_add, a.solver_add);
  printed.insert(printed.end(), printed_add.begin(), printed_add.end());
  computed.insert(computed.end(), computed_add.begin(), computed_add.end());
  e.compare(std::string("sum.") + a.id, fmt::format("total of the formulas, {}: n = 3 … 12, × then +", a.name),
            "table 3.1, Σ column", {printed, kTotalAt.size()}, {computed, kTotalAt.size()}, absolute(0.0),
            "Computed: force vector + inertia matrix + solver.");
}

// Table 3.2.
void inertia_matrix_operations(Experiment& e) {
  const std::string table = "table 3.2", head = "inertia matrix, n = 4 … 7, ";
  row(e, "inertia.proposed.mul", head + "proposed, ×", table, kInertiaAt, {286, 498, 779, 1135}, kProposed.inertia_mul);
  // the thesis's own items (section 3.2): c, ρ, J c, m r, products, less what symmetry saves
  const auto items = [](double n) {
    const double pairs = n * (n - 1) / 2;
    return (n - 1) * (n - 2) / 2 * 5 + pairs * (11 + 6 + 3) + (n * (n + 1) * (n + 2) / 6 - n) * 5 - pairs;
  };
  e.misprint("inertia.proposed.add", head + "proposed, +", table, {209, 370, 585, 851},
             values(kProposed.inertia_add, kInertiaAt), {items(4), items(5), items(6), items(7)}, absolute(0.0),
             "851 for 859 at n = 7; the items of section 3.2 add up to the formula.");
  row_with_slip(e, "inertia.walker.mul", head + "Walker, ×", table, kInertiaAt, {389, 555, 741, 953},
                kWalker.inertia_mul, 1, 2);
  row(e, "inertia.walker.add", head + "Walker, +", table, kInertiaAt, {327, 457, 601, 759}, kWalker.inertia_add);
  row(e, "inertia.angeles.mul", head + "Angeles, ×", table, kInertiaAt, {318, 538, 827, 1191}, kAngeles.inertia_mul);
  row(e, "inertia.angeles.add", head + "Angeles, +", table, kInertiaAt, {229, 395, 615, 894}, kAngeles.inertia_add);
  row_with_slip(e, "inertia.fijany.mul", head + "Fijany, ×", table, kInertiaAt, {353, 509, 664, 848}, kFijanyMul, 2, 2);
  row(e, "inertia.fijany.add", head + "Fijany, +", table, kInertiaAt, {279, 403, 535, 675}, kFijanyAdd);
  row(e, "inertia.lilly1.mul", head + "Lilly I, ×", table, kInertiaAt, {288, 512, 810, 1188}, kLilly1Mul);
  row(e, "inertia.lilly1.add", head + "Lilly I, +", table, kInertiaAt, {210, 380, 610, 906}, kLilly1Add);
  row(e, "inertia.lilly3.mul", head + "Lilly III, ×", table, kInertiaAt, {261, 398, 560, 747}, kLilly3Mul);
  row(e, "inertia.lilly3.add", head + "Lilly III, +", table, kInertiaAt, {240, 352, 480, 624}, kLilly3Add);
}

// Table 3.3.
void force_vector_operations(Experiment& e) {
  const std::string table = "table 3.3", head = "force vector, n = 4 … 10, ";
  row(e, "force.proposed.mul", head + "proposed, ×", table, kForceAt, {312, 416, 526, 642, 764, 892, 1026},
      kProposed.force_mul);
  row(e, "force.proposed.add", head + "proposed, +", table, kForceAt, {253, 342, 437, 538, 645, 758, 877},
      kProposed.force_add);
  row_with_slip(e, "force.angeles.mul", head + "Angeles, ×", table, kForceAt, {321, 426, 536, 636, 741, 846, 951},
                kAngeles.force_mul, 2, 1);
  row(e, "force.angeles.add", head + "Angeles, +", table, kForceAt, {265, 355, 445, 535, 625, 715, 805},
      kAngeles.force_add);
  row(e, "force.walker.mul", head + "Walker, ×", table, kForceAt, {526, 663, 800, 937, 1074, 1211, 1348},
      kWalker.force_mul);
  row(e, "force.walker.add", head + "Walker, +", table, kForceAt, {393, 494, 595, 696, 797, 898, 999},
      kWalker.force_add);
  row(e, "force.he.mul", head + "He, ×", table, kForceAt, {267, 358, 449, 540, 631, 722, 813}, kHeMul);
  row(e, "force.he.add", head + "He, +", table, kForceAt, {248, 334, 420, 506, 592, 678, 764}, kHeAdd);
}

// Table 3.5.
void forward_dynamics(Experiment& e) {
  const std::string table = "table 3.5", head = "forward dynamics, n = 3 … 12, ";
  row(e, "total.proposed.mul", head + "proposed, ×", table, kTotalAt,
      {367, 630, 969, 1391, 1903, 2512, 3225, 4049, 4991, 6058}, kProposed.total_mul);
  row(e, "total.proposed.add", head + "proposed, +", table, kTotalAt,
      {277, 484, 752, 1087, 1495, 1982, 2554, 3217, 3977, 4840}, kProposed.total_add);
  row(e, "total.angeles.mul", head + "Angeles, ×", table, kTotalAt,
      {399, 679, 1029, 1456, 1967, 2569, 3269, 4074, 4991, 6027}, kAngeles.total_mul);
  row(e, "total.angeles.add", head + "Angeles, +", table, kTotalAt,
      {306, 530, 810, 1152, 1562, 2046, 2610, 3260, 4002, 4842}, kAngeles.total_add);
  e.misprint("total.walker.mul", head + "Walker, ×", table, {631, 907, 1208, 1537, 1893, 2279, 2694, 3141, 3619, 4131},
             values(kWalker.total_mul, kTotalAt),
             values(kWalker.force_mul + kWalker.inertia_mul + kWalker.solver_mul, kTotalAt), absolute(0.0),
             "The column lacks 2.5 n²: it was computed with 11 n² for 27 n²/2. Ours is the sum of the three parts of "
             "table 3.1.");
  row(e, "total.walker.add", head + "Walker, +", table, kTotalAt,
      {513, 742, 991, 1261, 1553, 1868, 2207, 2571, 2961, 3378}, kWalker.total_add);
  row(e, "total.brandl.mul", head + "Brandl, ×", table, kTotalAt,
      {528, 778, 1028, 1278, 1528, 1778, 2028, 2278, 2528, 2778}, kBrandlMul);
  row(e, "total.brandl.add", head + "Brandl, +", table, kTotalAt,
      {462, 682, 902, 1122, 1342, 1562, 1782, 2002, 2222, 2442}, kBrandlAdd);
}

// The comparison behind his figure 3.11: a multiplication counts as two additions.
Plot forward_dynamics_plot() {
  Plot plot;
  plot.title = "Forward dynamics on one processor: multiplications + ½ additions";
  plot.x_label = "joints n";
  plot.y_label = "weighted operations";
  const auto add = [&](const char* label, const Polynomial& mul, const Polynomial& plus) {
    Series s;
    s.label = label;
    for (const long n : kTotalAt) {
      s.x.push_back(static_cast<double>(n));
      s.y.push_back(mul(n) + 0.5 * plus(n));
    }
    plot.series.push_back(std::move(s));
  };
  add("proposed", kProposed.total_mul, kProposed.total_add);
  add("Angeles", kAngeles.total_mul, kAngeles.total_add);
  add("Walker, corrected", kWalker.total_mul, kWalker.total_add);
  add("Brandl", kBrandlMul, kBrandlAdd);
  return plot;
}

}  // namespace

Experiment wong_operations() {
  Experiment e("wong", "wong.operations", "Operation counts on one processor (tables 3.1 to 3.3, 3.5)",
               "The printed formulas, evaluated in whole numbers, against the printed tables; wrong entries are found "
               "by formula and by a second method.");
  sums(e, kProposed);
  sums(e, kAngeles);
  sums(e, kWalker);
  inertia_matrix_operations(e);
  force_vector_operations(e);
  forward_dynamics(e);
  e.plots.push_back(forward_dynamics_plot());
  return e;
}

}  // namespace lw::reproduce
