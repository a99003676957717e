#include "experiments.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/worse.hpp"
#include "dynamics/parameters/regressor.hpp"
#include "dynamics/tree/rnea.hpp"
#include "simulate/design/design_run.hpp"
#include "twu_nest.hpp"

// Twu 1987, chapter 3: design sensitivities. He derives the equations and runs none; both examples, every parameter of
// them, by his own nested products, by the variational equations and their adjoint on compiled derivatives, by CVODES
// and by complex steps.
namespace lw::reproduce {
namespace {

constexpr double kLast = 0.18;
constexpr const char* kOfItsVector = "of its vector";

// A row a parameter; beside each other vectors that are measured by their largest entries.
struct SensitivityTable {
  std::vector<Vector> rows;
  Vector sizes;  // of the vector that an entry belongs to

  void add(const std::vector<const Vector*>& vectors) {
    rows.emplace_back();
    for (const Vector* v : vectors) {
      rows.back().insert(rows.back().end(), v->begin(), v->end());
      sizes.insert(sizes.end(), v->size(), magnitude(*v));
    }
  }
  Numbers numbers() const { return table_of_rows(rows); }
  // The largest difference, as a fraction of the vectors here.
  double from(const SensitivityTable& other) const {
    return deviation(numbers(), other.numbers(), in_units(0.0, sizes, kOfItsVector));
  }
};

std::vector<std::string> parameter_names(const TwuExample& x) {
  std::vector<std::string> names;
  for (const TwuSensitivity& s : x.sensitivities) names.push_back(s.parameter);
  return names;
}

// q, q̇, q̈ at the end as functionals, so that every method can be asked.
std::vector<DesignFunctional> end_of_motion(std::size_t n) {
  std::vector<DesignFunctional> list;
  for (const char* letter : {"q", "qd", "qdd"}) {
    for (std::size_t k = 1; k <= n; ++k) {
      const std::string formula = letter + std::to_string(k);
      list.push_back({formula, {"functional", formula}, DesignFunctional::Kind::instant});
    }
  }
  return list;
}

ForwardDesign design_of(const TwuExample& x, const Vector& instants) {
  ForwardDesignOptions options;
  options.q.assign(x.joints(), 0.0);
  options.qd = x.start();
  options.duration = kLast;
  options.instants = instants;
  options.steps.rtol = 1e-13;
  options.steps.atol = 1e-15;  // some vectors are no larger than 1e-5
  for (std::size_t j = 0; j < x.joints(); ++j)
    options.drive.torques.push_back({"torque", fmt::format("{}*sqrt(t) + {}", x.a[j], x.b[j])});
  return ForwardDesign(twu_mechanism(x, 0.0), parameter_names(x), end_of_motion(x.joints()), std::move(options));
}

// From a row for each of the functionals.
SensitivityTable by_parameter(const std::vector<std::vector<double>>& gradients, std::size_t n) {
  SensitivityTable table;
  for (std::size_t k = 0; k < gradients.front().size(); ++k) {
    Vector part[3];
    for (std::size_t i = 0; i < 3 * n; ++i) part[i / n].push_back(gradients[i][k]);
    table.add({&part[0], &part[1], &part[2]});
  }
  return table;
}

const Source& sensitivity_source() {
  static const Source source =
      recomputed("twu.py", "Newton's and Euler's equations by Jacobians, complex steps through an extrapolation");
  return source;
}

// Change of a joint's angle for one per cent more of a parameter: nested products as points, the compiled direct method
// as lines.
Plot influence_plot(const TwuExample& x, const std::vector<TwuVaried>& nested, ForwardDesign& design) {
  const std::vector<std::string> names = parameter_names(x);
  const std::vector<ForwardDesign::Instant> instants = design.trajectory();
  Plot plot{.title = fmt::format("What one per cent more of a parameter does to q₃, {}", x.name),
            .x_label = "time (s)",
            .y_label = "change of q₃ (10⁻⁶ rad)",
            .series = {}};
  int colour = 0;
  for (const char* wanted : {"l2", "c2", "c3", "m3"}) {
    const auto k = static_cast<std::size_t>(std::find(names.begin(), names.end(), wanted) - names.begin());
    Series line{.label = std::string(wanted) + ", variational", .x = {}, .y = {}, .colour = colour},
        points{.label = std::string(wanted) + ", nested",
               .x = {},
               .y = {},
               .look = Series::Look::points,
               .colour = colour};
    const double percent = 1e6 * 0.01 * design.start()[k];
    for (std::size_t i = 0; i < instants.size(); ++i) {
      line.x.push_back(instants[i].t), line.y.push_back(percent * instants[i].by[k].q[2]);
      points.x.push_back(instants[i].t), points.y.push_back(percent * nested[i].by[k].q[2]);
    }
    plot.series.push_back(std::move(line));
    plot.series.push_back(std::move(points));
    ++colour;
  }
  return plot;
}

void forward_sensitivity(Experiment& e, const TwuExample& x) {
  const std::size_t n = x.joints();
  const std::vector<std::string> names = parameter_names(x);
  SensitivityTable expected;
  for (const TwuSensitivity& s : x.sensitivities) expected.add({&s.q, &s.qd, &s.qdd});

  Vector times;
  for (std::size_t k = 1; k < x.q.size(); ++k) times.push_back(0.02 * static_cast<double>(k));
  times.back() = kLast;
  std::vector<TwuVariable> variables;
  for (const std::string& name : names) variables.push_back(twu_variable(name));
  const std::vector<TwuVaried> nested = nested_motion({x.links, 0.0}, x, variables, times, 4);
  SensitivityTable by_nest;
  for (const TwuInstant& by : nested.back().by) by_nest.add({&by.q, &by.qd, &by.qdd});

  ForwardDesign design = design_of(x, times);
  design.values(design.start());
  const SensitivityTable direct = by_parameter(design.gradients(DesignMethod::direct), n),
                         adjoint = by_parameter(design.gradients(DesignMethod::adjoint), n),
                         cvodes = by_parameter(design.gradients(DesignMethod::cvodes), n),
                         step = by_parameter(design.by_complex_step(), n);
  const std::string what = fmt::format("∂q, ∂q̇, ∂q̈ at 0.18 s by {} parameters, {}: ", names.size(), x.name);
  const auto row = [&](const char* id, const char* method, const SensitivityTable& by, const std::string& note) {
    e.compare(fmt::format("{}.{}", x.id, id), what + method, sensitivity_source(), expected.numbers(), by.numbers(),
              in_units(1e-8, expected.sizes, kOfItsVector), note);
  };
  row("nest", "nested products", by_nest,
      fmt::format("His equations, with M itself before ∂q̈/∂b. Rows: {}.", fmt::join(names, ", ")));
  row("direct", "variational equations", direct, "Compiled derivatives along the steps that were made.");
  row("adjoint", "adjoint", adjoint, "The same steps backwards.");
  row("cvodes", "adjoint by CVODES", cvodes, "The continuous equations, steps of their own.");
  e.compare(x.id + ".agree", "differences from the variational equations: nested products, adjoint, CVODES",
            property("three methods to one derivative"), {0.0, 0.0, 0.0},
            {direct.from(by_nest), direct.from(adjoint), direct.from(cvodes)}, absolute(1e-8),
            "As fractions of each vector's largest entry.");
  e.compare(x.id + ".complex", "difference from a complex step through the same steps",
            property("derivatives without a rule of differentiation"), 0.0, direct.from(step), absolute(1e-10),
            "Over articulated bodies in the file's frames.");
  if (n == 3) e.plots.push_back(influence_plot(x, nested, design));
}

// ∂Q/∂b of inertial parameters is a column of the regressor: Q is linear in m, m c and the moments about the origin.
Vector by_regressor(const TwuExample& x, const TwuVariable& b, const TwuInstant& m) {
  const Model<double> model = embedded(x.model, {{"g", 0.0}});
  const ParameterTable table = parameter_table(model);
  Workspace<double> work(model);
  const std::size_t n = x.joints();
  Vector Y(n * table.size()), slopes(table.size(), 0.0), result(n, 0.0);
  regressor<double>(model, table, work, m.q, m.qd, m.qdd, Y);
  const auto first = static_cast<std::size_t>(table.first[b.link]);
  constexpr std::size_t kPlaceOfMoment[3] = {4, 7, 9};  // xx, yy, zz among the ten of a body
  if (b.of == TwuVariable::Of::moment) {
    slopes[first + kPlaceOfMoment[b.axis]] = 1.0;
  } else {
    const TwuLink& link = x.links[b.link];
    const int along = link.direct - 'X';
    slopes[first] = 1.0;
    slopes[first + 1 + static_cast<std::size_t>(along)] = link.centre;
    for (int k = 0; k < 3; ++k) {
      if (k != along) slopes[first + kPlaceOfMoment[k]] = link.centre * link.centre;
    }
  }
  for (std::size_t k = 0; k < slopes.size(); ++k) {
    for (std::size_t j = 0; j < n; ++j) result[j] += Y[k * n + j] * slopes[k];
  }
  return result;
}

// By a complex step through recursive Newton-Euler.
Vector by_complex_newton_euler(const DesignParameters& design, std::size_t k, const TwuInstant& m) {
  std::vector<ComplexStep> b(design.values().begin(), design.values().end());
  b[k].im = kComplexStep;
  const Model<ComplexStep> model = design.model<ComplexStep>(b);
  Workspace<ComplexStep> work(model);
  const std::vector<ComplexStep> q(m.q.begin(), m.q.end()), qd(m.qd.begin(), m.qd.end()),
      qdd(m.qdd.begin(), m.qdd.end());
  std::vector<ComplexStep> tau(m.qd.size());
  rnea<ComplexStep>(model, work, q, qd, qdd, tau);
  Vector slope;
  for (const ComplexStep& t : tau) slope.push_back(derivative_of(t));
  return slope;
}

void inverse_sensitivity(Experiment& e, const TwuExample& x) {
  const std::vector<std::string> names = parameter_names(x);
  const Vector zero(x.joints(), 0.0);
  const TwuInstant end{x.light.q.back(), x.light.qd.back(), x.light.qdd.back()};
  InverseDesignOptions held;
  held.motion = WeighedMotion::of_samples({kLast}, {end.q}, {end.qd}, {end.qdd});
  const Mechanism mechanism = twu_mechanism(x, 0.0);
  InverseDesign design(mechanism, names, {}, held);
  design.values(design.start());
  const std::vector<std::vector<double>> compiled = design.torques().front().by;
  const DesignParameters parameters(mechanism, names);

  SensitivityTable expected, by_nest, by_compiled, by_step, linear, by_Y;
  double own_forces = 0.0;  // his forces at the reference state against the given ones
  for (std::size_t k = 0; k < names.size(); ++k) {
    const TwuVariable b = twu_variable(names[k]);
    const TwuForces nested = nested_forces({x.links, 0.0}, end, b, {zero, zero, zero});
    own_forces = worse(own_forces, largest_difference(nested.Q, x.force(kLast)));
    const Vector step = by_complex_newton_euler(parameters, k, end);
    expected.add({&x.sensitivities[k].tau});
    by_nest.add({&nested.by});
    by_compiled.add({&compiled[k]});
    by_step.add({&step});
    if (b.of == TwuVariable::Of::mass || b.of == TwuVariable::Of::moment) {
      const Vector Y = by_regressor(x, b, end);
      linear.add({&nested.by});
      by_Y.add({&Y});
    }
  }
  const std::string what = fmt::format("∂Q by {} parameters where the motion is held, {}: ", names.size(), x.name);
  const Tolerance tolerance = in_units(1e-8, expected.sizes, kOfItsVector);
  e.compare(x.id + ".held.nest", what + "nested products", sensitivity_source(), expected.numbers(), by_nest.numbers(),
            tolerance, fmt::format("(3-14). The joint forces themselves: within {:.0e} of a √t + b.", own_forces));
  e.compare(x.id + ".held.compiled", what + "compiled derivatives", sensitivity_source(), expected.numbers(),
            by_compiled.numbers(), tolerance);
  e.compare(x.id + ".held.agree", "differences from nested products: compiled; complex step through Newton-Euler",
            property("other methods to the same"), {0.0, 0.0}, {by_nest.from(by_compiled), by_nest.from(by_step)},
            absolute(1e-12), "As fractions of each vector's largest entry.");
  e.compare(x.id + ".held.regressor", "difference from the regressor's columns: masses and moments of inertia",
            property("joint forces are linear in inertial parameters: Q = Y π"), 0.0, linear.from(by_Y),
            absolute(1e-12), "As fractions of each vector's largest entry.");
}

// What mechanics says without a calculation.
void exact_relations(Experiment& e) {
  const TwuExample& x = twu_spatial_example();
  const Vector zero(x.joints(), 0.0);
  const auto by = [&](const char* name) {
    const std::vector<TwuVaried> end = nested_motion({x.links, 0.0}, x, {twu_variable(name)}, {kLast}, 8);
    const TwuInstant& slope = end.back().by.front();
    Vector all = slope.q;
    all.insert(all.end(), slope.qd.begin(), slope.qd.end());
    all.insert(all.end(), slope.qdd.begin(), slope.qdd.end());
    return all;
  };
  double nothing = 0.0, equal = 0.0;
  for (const char* name : {"l1", "l4", "m1", "link1.xx", "link1.zz"}) nothing = worse(nothing, magnitude(by(name)));
  for (const auto& [a, b] :
       {std::pair{"l3", "c4"}, {"link3.xx", "link4.xx"}, {"link3.yy", "link4.yy"}, {"link3.zz", "link4.zz"}})
    equal = worse(equal, largest_difference(by(a), by(b)));
  e.compare(
      "nothing", "largest derivative of the motion by l1, l4, m1 and the moments of link 1 about x and z, example 2",
      property("they turn nothing, or about no moving axis"), 0.0, nothing, absolute(0.0), "Nested products: exactly.");
  e.compare("equal",
            "largest difference between derivatives by l3 and c4, and by the moments of links 3 and 4, example 2",
            property("the slide keeps link 4 parallel to link 3"), 0.0, equal, absolute(1e-14), "Nested products.");
}

}  // namespace

Experiment twu_sensitivity() {
  Experiment e(
      "twu", "twu.sensitivity", "Design sensitivities (chapter 3)",
      "Derivatives of both motions, and of the joint forces where the motion is held, by every length, mass, centre "
      "and moment of inertia and by g: with his nested products, and by four other methods.");
  for (const TwuExample* x : twu_examples()) {
    forward_sensitivity(e, *x);
    inverse_sensitivity(e, *x);
  }
  exact_relations(e);
  return e;
}

}  // namespace lw::reproduce
