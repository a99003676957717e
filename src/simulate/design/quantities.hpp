// The variables of formulas about a motion: F(t, q, qd, qdd, tau, b).
//
//   t                                          the time
//   q.JOINT, qd.JOINT, qdd.JOINT, tau.JOINT    or by number, as in motion files: q1, qd1, qdd1, tau1 (which with loops
//   count
//                                              independent joints, and actuated ones of tau)
//   LINK.x, LINK.y, LINK.z                     where the link's frame is in the world
//   kinetic, potential                         the energies
//   l1, m2, …                                  every parameter of the file
//
// Signs of a name that no formula can have are _. Where two things have one name, it means the first of this list.
#pragma once

#include <string>
#include <vector>

#include "../../dynamics/loops/loop_plan.hpp"
#include "../../model/formula.hpp"
#include "design_parameters.hpp"

namespace lw {

// A formula as it was written, and what it is called in complaints: "--functional", "cost".
struct WrittenFormula {
  std::string what, text;
  Location where = {};
};

// A moment of a motion in symbols; what is empty is not known (yet) and cannot be named.
struct MotionMoment {
  Expr t;
  std::vector<Expr> q, qd, qdd, tau;
  const LoopPlan& plan;  // numbers like q1 count the independent joints, tau1 the actuated ones
};

FormulaNames quantity_names(const DesignParameters& design, std::span<const Expr> b, const MotionMoment& moment);
// Throws Error(usage), or Error(data) with its place where it has one: what is wrong, and what would be right.
Expr parsed_formula(const WrittenFormula& formula, const FormulaNames& names);

}  // namespace lw
