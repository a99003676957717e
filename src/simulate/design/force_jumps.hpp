// Jumps and corners of the forces of a moving mechanism, across which derivatives of a step are meaningless.
//
//   turn    φ̇ = Σ c_k q̇_k passes zero: dry friction of a joint (φ̇ = q̇), losses of a drive (a row of C, coupled
//           drives have several)
//   stop    q − upper or lower − q passes zero: the stop begins to push; with damping its force jumps
//   play    ±(q_a − q_b) − play passes zero: the shaft has passed through its backlash
//
// All are linear in q or q̇. Saltation at such instants is not implemented: differentiation rejects them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "../../model/model.hpp"

namespace lw {

template <class T>
struct ForceJump {
  enum class Kind { turn, stop, play } kind = Kind::turn;
  std::string name;                           // of the joint, drive or shaft
  std::string what;                           // "`s` reaches or leaves its upper stop"
  std::vector<std::pair<int, T>> terms = {};  // of velocities for a turn, else of coordinates
  T constant = T(0.0);

  T operator()(std::span<const T> q, std::span<const T> qd) const;
};

// `friction`: with what joints and drives lose; stops and backlash are there without it.
template <class T>
std::vector<ForceJump<T>> force_jumps(const Model<T>& model, bool friction);

// Whether a force is on one side of its jump at both. Rest is on no side of a turn; at its very limit a stop does not
// push.
template <class T>
bool on_one_side(const ForceJump<T>& jump, double before, double after) {
  return jump.kind == ForceJump<T>::Kind::turn ? before * after > 0.0 : (before > 0.0) == (after > 0.0);
}

// Throws Error(data) with the name and the time.
[[noreturn]] void refuse_jump(const ForceJump<double>& jump, double t);

}  // namespace lw
