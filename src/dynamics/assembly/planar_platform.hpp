// Three points of a body in planar motion, each at a given distance from a fixed point: the platform of a planar 3-RRR
// with fixed cranks, or any three rods between two bodies.
//
// With z = e^{iφ}, d_i the points seen from the first, B_i the fixed points likewise, e_i = d_i z − B_i and p from the
// first fixed point to the first point:  |p|² = r₁², |p + e_i|² = r_i². The differences are linear in p, Re(ē_i p) = ½
//                                        h_i with
// h_i = r_i² − r₁² − |e_i|², so that
//
//   p = (h₂ e₃ − h₃ e₂)/(2i D),  D = Im(ē₂ e₃),     h₂² |e₃|² + h₃² |e₂|² − 2 h₂ h₃ Re(ē₂ e₃) − 4 r₁² D² = 0.
//
// Each factor is a + b cos φ + c sin φ, the whole of degree three in these: a polynomial of degree six in tan(φ/2),
// whose real roots are the assembly modes. If D = 0 the two lines coincide, and p is the intersection of the line with
// the circle.
#pragma once

#include <array>
#include <complex>
#include <vector>

namespace lw {

using PlanePoint = std::complex<double>;  // x + iy

struct PlanarPlatform {
  std::array<PlanePoint, 3> fixed;   // one end of the rods, in the plane
  std::array<PlanePoint, 3> moving;  // the other, in the body's frame
  std::array<double, 3> rod{};       // their lengths
};

struct PlanarPose {
  PlanePoint p;        // of the body's frame
  double angle = 0.0;  // (−π, π]
};

// Coefficients of tan((φ − turn)/2), ascending.
std::array<double, 7> platform_polynomial(const PlanarPlatform& platform, double turn = 0.0);

struct PlatformPoses {
  std::vector<PlanarPose> poses;  // by angle, each met to rounding
  bool infinite = false;  // it moves while the fixed points stand; listed is what does not belong to that motion
};
PlatformPoses platform_poses(const PlanarPlatform& platform);

// Newton's method on the three lengths from a nearby pose; returns the largest remaining error of a length.
double polish(const PlanarPlatform& platform, PlanarPose& pose);

}  // namespace lw
