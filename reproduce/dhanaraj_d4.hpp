// Dhanaraj 1990, appendix D.4: the simulation program's closed-form equations of the PUMA's first three joints with 10
// kg in the hand, D(q) q̈ = τ − h(q, q̇), and the arm that they are of. D has been made with 16.04 kg for link 3, h
// with 16.05 kg.
#pragma once

#include "dh_arm.hpp"

namespace lw::reproduce {

constexpr double kD4MassOfD = 16.04, kD4MassOfBias = 16.05, kD4Gravity = 9.8;
inline const Vector kD4Start{3.6997, 2.3083, 0.5951};  // of his simulation, at rest

std::vector<DhLink> d4_links(double mass3);
inline Model<double> d4_arm(double mass3) { return arm(d4_links(mass3), kD4Gravity); }

Vector d4_mass_matrix(const Vector& q);  // all nine entries
Vector d4_bias(const Vector& q, const Vector& v);

}  // namespace lw::reproduce
