// Inverse dynamics as a matrix of the motion times the inertial parameters: τ = Y(q, q̇, q̈) π + rest.
//
// Standard parameters of a body, about the origin of its frame: m, h = (mx, my, mz), and the elements xx, xy, xz, yy,
// yz, zz of the inertia matrix (xy = −∫ x y dm); if the joint (or a mimic joint that follows it) has a drive also
// `rotor`, the rotor's inertia reflected to the joint (armature). The massless bodies inside a composite joint have
// none.
//
// A velocity of joint j moves body i by the twist (s, t) at its origin, in its frame. By virtual work, row j of it is
//   m: t·a     h: a × s + t × α + (t × ω) × ω     I: s·(I α) + (s × ω)·(I ω), linear in the six elements
// with ω, α, a of the outward sweep of rnea. One twist is transformed instead of ten wrenches, and only joints between
// a body and the base have entries.
//
// The rest has no inertial parameters here: springs and other force elements, the coupling between joints by rotors of
// coupled drives, rotors that are separate bodies. It is the inverse dynamics of the model with π = 0
// (with_parameters).
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "../tree/workspace.hpp"

namespace lw {

// The parameter of each column.
struct ParameterTable {
  static constexpr int kPerBody = 10;
  std::vector<std::string> names;  // "link3.mx": named after the first link of the body in the file
  std::vector<int> first;          // of each body: the column of its mass, or -1
  std::vector<int> rotor;          // of each body: the column of its rotor, or -1

  std::size_t size() const { return names.size(); }
};
template <class T>
ParameterTable parameter_table(const Model<T>& model);

// The ten of a body, in their order.
template <class T>
std::array<T, ParameterTable::kPerBody> inertial_parameters(const RigidInertia<T>& b) {
  return {b.mass, b.h[0], b.h[1], b.h[2], b.I(0, 0), b.I(0, 1), b.I(0, 2), b.I(1, 1), b.I(1, 2), b.I(2, 2)};
}
template <class T>
RigidInertia<T> rigid_inertia(std::span<const T, ParameterTable::kPerBody> p) {
  return {p[0], {p[1], p[2], p[3]}, {{p[4], p[5], p[6]}, {p[5], p[7], p[8]}, {p[6], p[8], p[9]}}};
}

// π of a model, and the model with another π.
template <class T>
std::vector<T> parameter_values(const Model<T>& model, const ParameterTable& table);
template <class T>
Model<T> with_parameters(Model<T> model, const ParameterTable& table, In<T> values);

// Y, nv × table.size() by columns.
template <class T>
void regressor(const Model<T>& model, const ParameterTable& table, Workspace<T>& work, In<T> q, In<T> qd, In<T> qdd,
               Out<T> Y);

}  // namespace lw
