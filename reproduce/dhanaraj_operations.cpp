#include "experiments.hpp"

#include <fmt/format.h>

#include "counting.hpp"
#include "dynamics/formulations/newton_euler.hpp"
#include "polynomial.hpp"

// Dhanaraj 1990, table 1.1 (operation counts of the formulations, n joints and n = 6) and table 2.9 (operations a
// joint).
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

// Our conventional recursion, all of it, over a chain without zeros.
void newton_euler_formula(Experiment& e) {
  Variables x;
  const auto cost = [&](std::size_t n) {
    DenseChain c(x, n, false);
    return x.cost([&] { newton_euler<Count>(c.linkage, c.poses, c.rates, c.accelerations, c.tau); });
  };
  const std::vector<double> link = cost_of_a_link(newton_euler<Count>), six = cost(6);
  e.beaten(
      "newton-euler-counted", "multiplications and additions, Newton-Euler, n = 6, counted", kTable11, {852, 738}, six,
      fmt::format("{}n − {} and {}n − {} where the table has 150n − 48 and 131n − 48: joint axes are (0, 0, 1), so "
                  "that ω × z q̇ costs two multiplications, and Rᵀω is turned once. No entry of R, p, s, I or g is "
                  "zero; poses are given. Without these savings a joint costs 135 and 110 (below); what the other "
                  "15 and 21 are, the thesis does not say.",
                  link[0], 6 * link[0] - six[0], link[1], 6 * link[1] - six[1]));
}

using Cost = std::vector<double>;  // ×, +
using Steps = std::vector<Cost>;

Numbers table_of_steps(const Steps& steps) {
  Cost all;
  for (const Cost& c : steps) all.insert(all.end(), c.begin(), c.end());
  return {all, 2};
}
Cost sum(const Steps& steps, const Cost& last) {
  Cost total = last;
  for (const Cost& c : steps) total[0] += c[0], total[1] += c[1];
  return total;
}
// The same counted by hand: of turning a vector, a cross product and a sum of vectors.
Cost by_hand(double turns, double crosses, double sums) {
  return {9 * turns + 6 * crosses, 6 * turns + 3 * crosses + 3 * sums};
}

// Table 2.9: a link amid others, no zeros in R, p, s; inertia diagonal in the modified form only.
struct Table29 {
  Variables x;
  const Vec3<Count> w = x.vector(), alpha = x.vector(), a = x.vector(), p = x.vector(), s = x.vector(), F = x.vector(),
                    N = x.vector(), f = x.vector(), n = x.vector(), rate = x.along_z(), acceleration = x.along_z();
  const Count qd = x.number(), qdd = x.number(), mass = x.number();
  const Transform<Count> pose{x.matrix(), p};
  const Mat3<Count> Rt = transpose(pose.R), I = x.matrix();
  const newton_euler_steps::Spin<Count> spin{x.matrix(), x.matrix()};

  Cost force() {
    return x.cost([&] { return mass * a; });
  }
  Cost sum_of_forces() {
    return x.cost([&] { return F + f; });
  }
  Cost passed_force() {
    return x.cost([&] { return newton_euler_steps::passed_force(pose.R, f); });
  }
  Cost moment() {
    return x.cost([&] {
      return newton_euler_steps::moment_about_joint(N, s, F) + newton_euler_steps::passed_moment(pose, n, f);
    });
  }
  Cost angular_velocity() {
    return x.cost([&] { return newton_euler_steps::angular_velocity(Rt, w, rate); });
  }

  // a_c, F, N, f, f'
  Steps modified_statics() {
    const Mat3<Count> diagonal{{x.number(), 0.0, 0.0}, {0.0, x.number(), 0.0}, {0.0, 0.0, x.number()}};
    const Vec3<Count> D = x.vector();  // beforehand
    return {x.cost([&] { return newton_euler_steps::point_acceleration(a, spin.lambda, s); }), force(),
            x.cost([&] { return newton_euler_steps::own_moment(diagonal, D, spin.S, alpha); }), sum_of_forces(),
            passed_force()};
  }
  // a_c, F, N, f with its f'
  Steps conventional_statics() {
    return {x.cost([&] { return newton_euler_steps::point_acceleration(a, w, alpha, s); }), force(),
            x.cost([&] { return newton_euler_steps::own_moment(I, w, alpha); }),
            x.cost([&] { return F + newton_euler_steps::passed_force(pose.R, f); })};
  }
};

Steps joined(Steps a, const Steps& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const char* kTable29 = "table 2.9";
const Cost kMoment = by_hand(1, 2, 3);
const char* kMomentNote = "One turned vector, two cross products, three sums: 6 + 6 + 9 additions. ";

void revolute(Experiment& e) {
  Table29 t;
  Variables& x = t.x;
  const Steps modified =
      joined({t.angular_velocity(),
              x.cost([&] { return t.Rt * t.alpha + newton_euler_steps::joint_acceleration(t.w, t.qd, t.qdd); }),
              x.cost([&] { return newton_euler_steps::spin(t.w, t.alpha); }),
              x.cost([&] { return t.Rt * newton_euler_steps::point_acceleration(t.a, t.spin.lambda, t.p); })},
             t.modified_statics());
  e.compare("revolute-modified", "revolute joint, modified: × and + of ω, α, λ, a, a_c, F, N, f, f'", kTable29,
            table_of_steps({{9, 7}, {11, 9}, {6, 9}, {18, 15}, {9, 9}, {3, 0}, {6, 3}, {0, 3}, {9, 6}}),
            table_of_steps(modified), absolute(0.0),
            "Diagonal inertia, its differences D formed beforehand; z q̇ and z q̈ have one entry each.");
  const Cost moment = t.moment();
  e.misprint("revolute-modified-n", "revolute joint, modified: × and + of n", kTable29, {21, 15}, moment, kMoment,
             absolute(0.0),
             std::string(kMomentNote) + "The print leaves out those of turning n_{i+1}, whose multiplications it has.");
  const Cost total = sum(modified, moment);
  // ω, α, λ, a, a_c, N, f, f', n; apart: q̇ added to ω, ω × z q̇, λ, F, and N
  const Cost modified_by_hand = by_hand(1 + 1 + 0 + 2 + 1 + 0 + 0 + 1 + 1, 2, 0 + 1 + 0 + 1 + 1 + 1 + 1 + 0 + 3);
  e.misprint("revolute-modified-total", "revolute joint, modified: × and +, total", kTable29, {92, 76}, total,
             {modified_by_hand[0] + 2 + 6 + 3 + 6, modified_by_hand[1] + 1 + 9}, absolute(0.0),
             fmt::format("{} operations instead of 168, counted by hand too.", total[0] + total[1]));
  e.compare("revolute-modified-link", "× and + that one link more costs the whole modified recursion",
            property("the sum of the steps above"), total, cost_of_a_link(newton_euler_modified<Count>, true),
            absolute(0.0));

  const Vec3<Count> full = x.vector();
  const Steps conventional =
      joined({t.angular_velocity(), x.cost([&] {
                return newton_euler_steps::angular_acceleration(t.Rt, t.alpha, t.Rt * t.w, full, t.acceleration);
              }),
              x.cost([&] { return t.Rt * newton_euler_steps::point_acceleration(t.a, t.w, t.alpha, t.p); })},
             t.conventional_statics());
  e.compare(
      "revolute-conventional", "revolute joint, conventional: × and + of ω, α, a, a_c, F, N, f", kTable29,
      table_of_steps({{9, 7}, {24, 19}, {27, 21}, {18, 15}, {3, 0}, {24, 18}, {9, 9}}), table_of_steps(conventional),
      absolute(0.0),
      "In α, Rᵀω is turned once more and its product with z q̇ is charged as if z had no zeros; z q̈ has one entry.");
  e.misprint("revolute-conventional-n", "revolute joint, conventional: × and + of n", kTable29, {21, 24}, moment,
             kMoment, absolute(0.0),
             std::string(kMomentNote) +
                 "24 belongs to the form with (p + s) × F, which has a sum more (Binder 1985, table 2.2).");
  const Cost all = sum(conventional, moment);
  // ω, α, a, a_c, N, f, n; the entries of z q̇ and z q̈ and the mass apart
  const Cost hand = by_hand(1 + 2 + 1 + 0 + 2 + 1 + 1, 0 + 1 + 3 + 3 + 1 + 0 + 2, 0 + 1 + 2 + 2 + 1 + 1 + 3);
  e.misprint(
      "revolute-conventional-total", "revolute joint, conventional: × and +, total", kTable29, {135, 123}, all,
      {hand[0] + 3, hand[1] + 2}, absolute(0.0),
      fmt::format("The printed column adds up to 113, with 21 for n to 110; so does a count by hand. The modified form "
                  "saves {:.1f} %, not 34.9 %.",
                  100 * (1 - (total[0] + total[1]) / (all[0] + all[1]))));
}

void slide(Experiment& e) {
  Table29 t;
  Variables& x = t.x;
  // the slide's rotation, of zeros and ones, where the table takes it to be free
  const Mat3<Count> R{{1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, {0.0, -1.0, 0.0}};
  const Cost omega = x.cost([&] { return newton_euler_steps::angular_velocity(transpose(R), t.w, Vec3<Count>()); }),
             alpha = x.cost([&] { return transpose(R) * t.alpha; });
  const Count twice = x.number();
  const Steps modified =
      joined({omega, alpha, x.cost([&] { return newton_euler_steps::turned_spin(R, t.spin); }), x.cost([&] {
                return t.Rt * newton_euler_steps::point_acceleration(t.a, t.spin.lambda, t.p) +
                       newton_euler_steps::joint_acceleration(t.w, twice, t.qdd);
              })},
             t.modified_statics());
  e.compare("slide-modified", "slide, modified: × and + of ω, α, λ, a, a_c, F, N, f, f'", kTable29,
            table_of_steps({{0, 0}, {0, 0}, {0, 0}, {20, 18}, {9, 9}, {3, 0}, {6, 3}, {0, 3}, {9, 6}}),
            table_of_steps(modified), absolute(0.0),
            "The slide's constant rotation is of zeros and ones in ω, α and λ, without zeros in a; 2q̇ is not charged.");
  const Cost moment = t.moment();
  e.misprint("slide-modified-n", "slide, modified: × and + of n", kTable29, {12, 15}, moment, kMoment, absolute(0.0),
             std::string(kMomentNote) +
                 "The print leaves out turning n_{i+1}, although it charges f_{i+1} being turned by the same matrix.");
  const Cost total = sum(modified, moment);
  // a, a_c, N, f, f', n; apart: 2ω × z q̇, F, and N
  const Cost hand = by_hand(2 + 1 + 0 + 0 + 1 + 1, 2, 2 + 1 + 1 + 1 + 0 + 3);
  e.misprint("slide-modified-total", "slide, modified: × and +, total", kTable29, {59, 54}, total,
             {hand[0] + 2 + 3 + 6, hand[1]}, absolute(0.0),
             fmt::format("{} operations instead of 113, counted by hand too.", total[0] + total[1]));

  const Cost a = x.cost([&] {
    return t.Rt * newton_euler_steps::point_acceleration(t.a, t.w, t.alpha, t.p) +
           newton_euler_steps::slide_acceleration(t.w, t.rate, t.acceleration);
  });
  const Steps rest = joined({omega, alpha}, t.conventional_statics());
  e.compare("slide-conventional", "slide, conventional: × and + of ω, α, a_c, F, N, f", kTable29,
            table_of_steps({{0, 0}, {0, 0}, {18, 15}, {3, 0}, {24, 18}, {9, 9}}), table_of_steps(rest), absolute(0.0),
            "The slide's constant rotation is of zeros and ones in ω and α.");
  e.beaten(
      "slide-conventional-a", "slide, conventional: × and + of a", kTable29, {33, 26}, a,
      "z q̈ + 2ω × z q̇ costs three of each where z has zeros, and 2q̇ is a multiplication; the print has six and five.");
  e.misprint("slide-conventional-n", "slide, conventional: × and + of n", kTable29, {21, 24}, moment, kMoment,
             absolute(0.0), std::string(kMomentNote) + "As for the revolute joint.");
  e.beaten("slide-conventional-total", "slide, conventional: × and +, total",
           "table 2.9, with 21 additions for n instead of 24", {108, 92 - 3}, sum(joined(rest, {a}), moment),
           "By the zeros of z in a. The print has 92 additions, three of them by its error in n.");
}

}  // namespace

Experiment dhanaraj_operations() {
  Experiment e(
      "dhanaraj", "dhanaraj.operations", "Operation counts (tables 1.1 and 2.9)",
      "The printed formulas evaluated in whole numbers, and the operations of our own recursions, step by step, "
      "counted as they run. Sign changes and operations with 0 and ±1 are free; a link amid others, nothing zero "
      "but what the notes say.");
  table_1_1(e);
  newton_euler_formula(e);
  revolute(e);
  slide(e);
  return e;
}

}  // namespace lw::reproduce
