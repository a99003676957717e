// What `linkwright bench` and tests/peers see of another dynamics library.
//
// Each adapter is a shared module with two C functions (LINKWRIGHT_PEER below). Only plain numbers cross its border, so
// that it may be built by another compiler, for another instruction set and with another alignment of Eigen's types
// than ours. This header therefore stands alone.
//
// States go in once, by set_states, converted to what the library wants. Only compute is timed: it calls the library
// and leaves the result there. result brings the last one back in our convention (DESIGN, "Conventions").
#pragma once

#include <string>

namespace lw::peer {

enum class Kind : int { revolute, prismatic, spherical, floating, fixed };

// Body frame in its parent: X_PJ = (R, p) at q = 0, then the joint's motion.
struct Body {
  int parent;  // an earlier body, or -1
  Kind kind;
  int q, v;        // first coordinate and velocity; not for fixed
  double axis[3];  // unit, in the joint frame
  double R[9];     // by rows
  double p[3];
  double mass;
  double com[3];
  double I[6];      // xx, yy, zz, xy, xz, yz about the centre of mass
  double armature;  // added to the diagonal of M
};

struct Description {
  int nq, nv;
  double gravity[3];
  int body_count;
  const Body* bodies;
};

// Derivatives are those with respect to q (along the velocities, for quaternions too), qd, and qdd or tau. Other
// libraries are not asked for the last.
enum class Function : int {
  inverse,
  mass_matrix,
  forward,
  bias,
  kinematics,
  inverse_derivatives,
  forward_derivatives,
  inverse_with_friction
};

class Peer {
 public:
  virtual ~Peer() = default;
  virtual bool supports(Function function) const = 0;
  // State after state: q (nq), qd, qdd, tau (nv).
  virtual void set_states(int count, const double* q, const double* qd, const double* qdd, const double* tau) = 0;
  // Adds `nudge`, where it is not 0, to every coordinate and computes. Returns the first plus the last number of the
  // result, for a caller that wants the next call to wait for this one: a multiple of it too small to change anything
  // is the next nudge. Every coordinate, since on some nothing depends, and generated code does not read those.
  virtual double compute(Function function, int state, double nudge) = 0;
  // tau, M (by columns, both halves), qdd, c + g, or three matrices of derivatives (by columns) of the last compute.
  virtual void result(Function function, double* out) = 0;
};

using About = const char* (*)();
using Make = Peer* (*)(const Description*);  // null where the library lacks a joint of the mechanism; delete when done
inline constexpr const char* kAboutSymbol = "linkwright_peer_about";
inline constexpr const char* kMakeSymbol = "linkwright_peer_make";

inline std::string compiler() {
#if defined(__clang__)
  return "clang " + std::to_string(__clang_major__) + "." + std::to_string(__clang_minor__) + "." +
         std::to_string(__clang_patchlevel__);
#else
  return "gcc " + std::to_string(__GNUC__) + "." + std::to_string(__GNUC_MINOR__) + "." +
         std::to_string(__GNUC_PATCHLEVEL__);
#endif
}

#ifndef LINKWRIGHT_PEER_FLAGS
#define LINKWRIGHT_PEER_FLAGS ""
#endif

#define LINKWRIGHT_PEER_ABOUT(library)                                                                 \
  extern "C" __attribute__((visibility("default"))) const char* linkwright_peer_about() {              \
    static const std::string about =                                                                   \
        std::string(library) + " (adapter: " + ::lw::peer::compiler() + " " LINKWRIGHT_PEER_FLAGS ")"; \
    return about.c_str();                                                                              \
  }

// Defines the two functions; `library` is its name and version.
#define LINKWRIGHT_PEER(library, make)                                                      \
  LINKWRIGHT_PEER_ABOUT(library)                                                            \
  extern "C" __attribute__((visibility("default"))) ::lw::peer::Peer* linkwright_peer_make( \
      const ::lw::peer::Description* description) {                                         \
    return make(*description);                                                              \
  }

}  // namespace lw::peer
