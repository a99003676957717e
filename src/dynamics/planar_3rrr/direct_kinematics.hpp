// Direct kinematics of a planar 3-RRR: the pose of the platform for given crank angles, by six methods. Each follows a
// mode from a nearby guess.
//
//   virtual_cut  Ma and Angeles 1989, as in Helmy 1994 (4.16–4.24, corrected): without rod 3 a four-bar linkage
//                remains, whose coupler angle θ follows from the input angle ψ and a branch K = ±1 in closed form; that
//                rod 3 has its length is one equation in ψ, solved by secants
//   angles       3×3 Newton on the angles ψ₁, ψ₂, ψ₃ between the triangle of the knees and the rods (4.5, with the sign
//                set right)
//   corners      6×6 Newton on the corners: three rods, three sides of the platform
//   pose         3×3 Newton on the platform's pose: three rods
//   natural      12×12 Newton on knees and corners (natural coordinates): cranks, rods, sides, and the driven angles
//   sextic       Newton on the polynomial of planar_platform.hpp, of degree six in tan(φ/2), whose real roots are all
//                modes
//
// `angles`, `corners` and `natural` describe the platform by its sides only and could find its mirror image, but not
// from a nearby guess. The code is a template over the scalar; with Count it counts operations. Tolerances apply to the
// equations: m², or m² divided by the product of two lengths.
#pragma once

#include <string>
#include <vector>

#include "three_legs.hpp"

namespace lw {

enum class DirectMethod { virtual_cut, angles, corners, pose, natural, sextic };
const char* to_string(DirectMethod method);
inline constexpr DirectMethod kDirectMethods[] = {DirectMethod::virtual_cut, DirectMethod::angles,
                                                  DirectMethod::corners,     DirectMethod::pose,
                                                  DirectMethod::natural,     DirectMethod::sextic};

struct DirectEffort {
  int iterations = 0;   // Newton or secant steps
  int evaluations = 0;  // of the equations
  bool converged = false;
};

// Corners from the knees, starting from the previous `corners`. `q` are the crank angles (needed only by natural).
template <class T>
DirectEffort direct_kinematics(DirectMethod method, const ThreeLegs& legs, const std::array<T, 3>& q,
                               const Triangle<T>& knees, Triangle<T>& corners, double tolerance = 1e-12);

// The four-bar linkage that remains when rod 3 is cut: base b between the knees 1 and 2, input rod 1, coupler the
// platform's first side, output rod 2.
struct FourBar {
  double base, input, coupler, output;
  double k1, k2, k3;  // k1 − k2 cos ψ − k3 cos θ + cos(ψ − θ) = 0

  FourBar(double base_length, double input_length, double coupler_length, double output_length);

  // cos θ and sin θ on branch K; none if the input angle is out of range.
  std::optional<PlaneVector<double>> coupler_angle(double psi, int branch) const;
  // The branch nearest to a coupler angle; 0 if the input angle is out of range.
  int branch_of(double psi, double theta) const;
  struct Range {
    enum class Kind { none, crank, around_zero, around_pi, two_sided } kind = Kind::none;
    double low = 0.0, high = 0.0;  // of ψ; two_sided: also its mirror image [−high, −low]
  };
  Range range() const;  // shrunk by 1e-6 rad at both ends, as the thesis does
};

// Cold start of the virtual cut (the thesis's CONF): scans ψ through its range until the sign of the cut's equation
// changes, first on the branch given, then on the other, and refines by secants.
struct ColdStart {
  bool found = false;
  int branch = 0, scanned = 0, secants = 0;
  double psi = 0.0, theta = 0.0;
  Triangle<double> corners;
};
ColdStart virtual_cut_search(const ThreeLegs& legs, const Triangle<double>& knees, int branch, double step = 0.017,
                             double tolerance = 1e-10);

// ψ and θ of the virtual cut at a configuration.
struct CutAngles {
  double psi, theta;
};
CutAngles cut_angles(const Triangle<double>& knees, const Triangle<double>& corners);

// All modes, by the eigenvalues of the sextic: triangles of corners sorted by the platform's angle.
std::vector<Triangle<double>> all_platforms(const ThreeLegs& legs, const Triangle<double>& knees);

}  // namespace lw
