// The formulations that the theses compare, by name. Each is one function template over Linkage<T> in a file of its
// own; here they are made to answer the same questions as rnea, crba and aba, so that each is a method to check the
// others by.
//
// Rotor inertia, springs, geared (mimic) joints, force elements and rotor ties (elements.hpp), which no thesis has, are
// added alike for all:
//   τ = Gᵀ(τ_linkage + armature · G q̈ + stiffness · (G q − rest)) + ties q̈ − Q,   M = Gᵀ(M_linkage + armature) G +
//   ties
// where G q are the coordinates of all joints, followers too.
#pragma once

#include <string>
#include <vector>

#include "../tree/workspace.hpp"

namespace lw {

struct Formulation {
  // Which mechanisms it can describe.
  enum class Scope {
    any,             // every tree
    one_coordinate,  // trees without spherical and floating joints
    chain,           // those of them whose links each carry one other at most
  };
  std::string name;     // as `--method` takes it
  std::string summary;  // what, whose, when
  Scope scope = Scope::any;
  int most_joints = 0;       // 0: no limit; some cost the fourth power of it
  bool mass_matrix = false;  // has a way of its own to M; else M is made of torques for unit accelerations
  // What must not be negative, where impossible bodies are allowed.
  enum class Needs { nothing, masses, inertias } needs = Needs::nothing;
};

const std::vector<Formulation>& formulations();
const Formulation* find_formulation(const std::string& name);  // nullptr where there is none

// Why it cannot describe the model ("`twu` takes up to 12 joints; this mechanism has 37"); empty where it can.
template <class T>
std::string refusal(const Formulation& formulation, const Model<T>& model);

// As rnea, crba and forward dynamics do it. These allocate: they are for checking and comparing. Throws Error(usage)
// with the refusal.
template <class T>
void inverse_by(const Formulation& formulation, const Model<T>& model, In<T> q, In<T> qd, In<T> qdd, Out<T> tau);
template <class T>
void mass_matrix_by(const Formulation& formulation, const Model<T>& model, In<T> q, Out<T> M);
// q̈ = M⁻¹(τ − h), M and h both by the formulation, M factorised by Cholesky.
template <class T>
void forward_by(const Formulation& formulation, const Model<T>& model, In<T> q, In<T> qd, In<T> tau, Out<T> qdd);

}  // namespace lw
