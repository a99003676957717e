#include "experiments.hpp"

#include "counting.hpp"
#include "dynamics/formulations/binder.hpp"

// Binder 1985, table 2.2: operations of each term of the recursion for a link amid others, revolute joint.
namespace lw::reproduce {
namespace {

const char* kTable22 = "table 2.2";

// What one link more costs the whole recursion, for an axis given in frame i−1.
std::vector<double> cost_of_a_binder_link(Variables& x, const Vec3<Count>& z) {
  const auto cost = [&](std::size_t n) {
    const BinderLink<Count> link{false, x.matrix(), z, x.vector(), x.number(), x.vector(), x.matrix()};
    const BinderChain<Count> chain{x.vector(), std::vector(n, link)};
    std::vector<Count> tau(n);
    return x.cost([&] { binder_recursion<Count>(chain, x.numbers(n), x.numbers(n), tau); });
  };
  const std::vector<double> less = cost(4), more = cost(5);
  return {more[0] - less[0], more[1] - less[1]};
}

}  // namespace

Experiment binder_operations() {
  Experiment e(
      "binder", "binder.operations", "Operation counts (table 2.2)",
      "The terms of the recursion in link frames, counted as they run. Nothing is zero, not even in Z₀: Z₀q̇, Z₀q̈ "
      "and A Z₀ are full vectors. The matrices A, the vectors S and the products Z₀q̇ and Z₀q̈ are not charged.");
  Variables x;
  const Mat3<Count> A = x.matrix(), J = x.matrix();
  const Vec3<Count> w = x.vector(), wd = x.vector(), a = x.vector(), S = x.vector(), r = x.vector(), F = x.vector(),
                    N = x.vector(), f = x.vector(), n = x.vector(), z = x.vector(), rate = x.vector(),
                    acceleration = x.vector();
  const Count mass = x.number();
  const auto term = [&](const char* name, const char* quantity, const std::vector<double>& printed,
                        const auto& calculation, const char* note = "") {
    e.compare(name, std::string("operations of ") + quantity + ": ×, +", kTable22, printed, x.cost(calculation),
              absolute(0.0), note);
  };
  term("omega", "AW", {9, 9}, [&] { return binder_steps::angular_velocity(A, w, rate); });
  term("omega-dot", "AẆ", {15, 15}, [&] { return binder_steps::angular_acceleration(A, wd, w, rate, acceleration); });
  term("a", "Aa", {27, 21}, [&] { return binder_steps::origin_acceleration(A, a, w, wd, S); });
  term("F", "AF", {21, 15}, [&] { return binder_steps::own_force(mass, a, w, wd, r); });
  term("N", "AN", {24, 18}, [&] { return binder_steps::own_moment(J, w, wd); });
  term(
      "f", "Af", {9, 9}, [&] { return binder_steps::joint_force(A * f, F); }, "Turning Af(i+1) is charged here only.");
  term("n", "An", {21, 24}, [&] { return binder_steps::joint_moment(A, n, f, S, r, F, N); });
  term(
      "u", "u", {12, 8}, [&] { return binder_steps::along_joint(n, A, z); }, "A Z₀ is charged as a full product.");

  const std::vector<double> link = cost_of_a_binder_link(x, z);
  const double products = 6;  // Z₀q̇ and Z₀q̈
  e.compare("link", "operations of a link: ×, +", "table 2.2, totals", {138, 119}, {link[0] - products, link[1]},
            absolute(0.0),
            "What one link more costs the whole recursion, less the six multiplications of Z₀q̇ and Z₀q̈.");
  e.beaten("link-with-zeros", "operations of a link where Z₀ = (0, 0, 1): ×, +", "table 2.2, totals", {138, 119},
           cost_of_a_binder_link(x, Vec3<Count>::unit(2)),
           "The same with the zeros of Z₀ skipped; nothing else is zero.");
  return e;
}

}  // namespace lw::reproduce
