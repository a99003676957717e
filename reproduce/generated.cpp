#include "generated.hpp"

#include <cmath>

#include <fmt/format.h>

#include "codegen/scene/snapping.hpp"
#include "codegen/c/emit_c.hpp"
#include "dynamics/formulations/formulation.hpp"

namespace lw::reproduce {
namespace {

constexpr int kStates = 100;
constexpr double kSnap = 1e-10;  // rad: cos 90° is a zero

Vector arithmetic_in(const OperationCount& c) {
  return {static_cast<double>(c.multiplications + c.divisions), static_cast<double>(c.additions)};
}

}  // namespace

Vector Generated::operations() const {
  return check.passed() ? arithmetic_in(cost.operations) : Vector{HUGE_VAL, HUGE_VAL};
}

double Generated::depth() const { return check.passed() ? cost.depth : HUGE_VAL; }

std::string Generated::verified() const {
  return fmt::format(
      "Verified against recursive {} at {} random states: within {:.0e} of the terms.",
      traced.function.name() == "forward" ? "Newton-Euler, which returns the given torques," : "Newton-Euler",
      check.states, check.error);
}

Generated generate(const Mechanism& mechanism, const std::string& function, const TraceOptions& options) {
  Traced traced = trace_function(mechanism, function, options);
  const FunctionCost cost = lw::cost(traced.function);
  const Verification check = verify(traced, kStates);
  return {std::move(traced), cost, check};
}

Function traced_formulation(const std::string& formulation, const Mechanism& mechanism, const std::string& function) {
  const Formulation& by = *find_formulation(formulation);
  const Model<Expr> model = snapped(instantiate<Expr>(mechanism), kSnap);
  const auto nq = static_cast<std::size_t>(model.nq), nv = static_cast<std::size_t>(model.nv);
  const bool forward = function == "forward";
  return trace(function, {{"q", nq}, {"qd", nv}, {forward ? "tau" : "qdd", nv}}, {{forward ? "qdd" : "tau", nv}},
               [&](const Arguments& in, Results& out) {
                 if (forward) {
                   forward_by<Expr>(by, model, in[0], in[1], in[2], out[0]);
                 } else {
                   inverse_by<Expr>(by, model, in[0], in[1], in[2], out[0]);
                 }
               });
}

Vector arithmetic_of(const Function& function) { return arithmetic_in(lw::cost(function).operations); }

double bytes_of_c(const Function& function) {
  Program program;
  program.name = program.robot = "arm";
  program.functions = {function};
  double bytes = 0;
  for (const Artefact& file : emit_c(program)) bytes += static_cast<double>(file.text.size());
  return bytes;
}

}  // namespace lw::reproduce
