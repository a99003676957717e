// Arms given by a table of modified Denavit-Hartenberg parameters, as Dhanaraj's thesis gives all of his.
#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

#include "evaluate.hpp"

namespace lw::reproduce {

struct DhLink {
  double alpha_degrees, a, d;  // of the joint's frame in the parent's; q adds to theta, or to d of a slide
  bool slides;
  double mass;
  Eigen::Vector3d com, inertia;  // about the centre of mass, along the link's axes
  double rotor;                  // on the own joint only, joint side
};

Mechanism dh_mechanism(const std::vector<DhLink>& links, double gravity);
Model<double> arm(const std::vector<DhLink>& links, double gravity);

// Dhanaraj 1990, table 2.4, in the library's steps, with what his programs leave out or turn round. Rotors have no part
// in it: his are within the links' inertias.
struct ListingFaults {
  bool drops_lambda1_p1 = false;            // the acceleration of joint 2's origin by the turning of link 1
  bool turns_slide_lambda_wrongly = false;  // λ₃ = R λ₂ Rᵀ (equation 2.29) for Rᵀ λ₂ R
  bool stroke_behind_slide = false;  // q₃ in p₃ instead of p₂: the sliding link's own mass stays where it is
};
Vector modified_newton_euler(const std::vector<DhLink>& links, double gravity, const Vector& q, const Vector& qd,
                             const Vector& qdd, const ListingFaults& faults = {});

}  // namespace lw::reproduce
