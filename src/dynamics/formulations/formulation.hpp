// The formulations compared in the theses, by name. Each is a function template over Linkage<T> in a separate file;
// here they compute the same results as rnea, crba and aba, so that each can check the others.
//
// Rotor inertia, springs, mimic joints, force elements and coupled rotors (elements.hpp), which the theses do not have,
// are added to all in the same way:
//   τ = Gᵀ(τ_linkage + armature · G q̈ + stiffness · (G q − rest)) + ties q̈ − Q,   M = Gᵀ(M_linkage + armature) G +
//   ties
// where G q are the coordinates of all joints, mimic joints included.
#pragma once

#include <string>
#include <vector>

#include "../tree/workspace.hpp"

namespace lw {

struct Formulation {
  // The mechanisms that it can describe.
  enum class Scope {
    any,             // every tree
    one_coordinate,  // trees without spherical and floating joints
    chain,           // the same, where each link carries at most one other
  };
  std::string name;     // as in `--method`
  std::string summary;  // method, author, year
  Scope scope = Scope::any;
  int most_joints = 0;       // 0: no limit; some cost the fourth power of it
  bool mass_matrix = false;  // has its own method for M; else M consists of torques for unit accelerations
  // Properties that must not be negative if unphysical bodies are allowed.
  enum class Needs { nothing, masses, inertias } needs = Needs::nothing;
};

const std::vector<Formulation>& formulations();
const Formulation* find_formulation(const std::string& name);  // nullptr if there is none

// Why it cannot describe the model ("`twu` takes up to 12 joints; this mechanism has 37"); empty if it can.
template <class T>
std::string refusal(const Formulation& formulation, const Model<T>& model);

// Same results as rnea, crba and forward dynamics. These allocate: they are for checks and comparisons. Throws
// Error(usage) if the formulation cannot describe the model.
template <class T>
void inverse_by(const Formulation& formulation, const Model<T>& model, In<T> q, In<T> qd, In<T> qdd, Out<T> tau);
template <class T>
void mass_matrix_by(const Formulation& formulation, const Model<T>& model, In<T> q, Out<T> M);
// q̈ = M⁻¹(τ − h), M and h both by the formulation, M factorised by Cholesky.
template <class T>
void forward_by(const Formulation& formulation, const Model<T>& model, In<T> q, In<T> qd, In<T> tau, Out<T> qdd);

}  // namespace lw
