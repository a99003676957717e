// Closed-form inverse kinematics for arms whose axes allow it.
//
// Arms are recognised by the model's axes at q = 0, independently of frames and names. With unit axes a_i:
//
//   first two joints   revolute, a₂ ⟂ a₁; the axes may be offset from each other
//   third joint        (a) revolute, a₃ ∥ a₂ (PUMA and most industrial arms, elbow offset included), or
//                      (b) prismatic along e ⟂ a₂ (Stanford arm)
//   then               nothing: position of the frame's origin only; or
//                      three revolute axes through one point c, the spherical wrist of most industrial arms; or, after
//                      (a), a₄ ∥ a₃ and two axes through one point c, the offset wrist of the UR arms
//
// The spherical wrist decouples: c follows from the target pose, its position determines q₁…q₃, and the remaining
// rotation determines the wrist. In the plane normal to a₂, which rotates with joint 1, with d the (constant) distance
// of c along a₂:
//
//   shoulder  X = ± √(ρ² − d²), ρ the distance of the target from axis 1; q₁ turns (X, d) to the target
//   (a) elbow u = L + R(q₃) m, |u|² = L² + m² + 2 L m cos(q₃ + φ): two q₃; q₂ turns L + R(q₃) m to u
//   (b) slide u = R(q₂)(m + q₃ e), q₃ = −m·e ± √(u² − m² + (m·e)²); q₂ likewise
//   wrist     R₄R₅R₆ = R_w, w = R_w a₆ at the angle γ from a₄: with α = ∠(a₄, a₅), β = ∠(a₅, a₆), ψ = q₅ + ψ₀,
//             sin²(ψ/2) sin α sin β = sin((γ+α−β)/2) sin((γ−α+β)/2),
//             cos²(ψ/2) sin α sin β = sin((α+β+γ)/2) sin((α+β−γ)/2): two ψ, exact also where the wrist is straight
//
// With the offset wrist, c is not moved by q₅ and q₆, nor along a₂ by q₂…q₄: the shoulder is the same. Then
//
//   wrist     R₂R₃R₄ rotates about a₄ by θ, q₄ plus or minus q₂ and q₃: θ, q₅, q₆ are the angles of the wrist above
//   elbow     u − R(θ) h instead of u, h from axis 4 to c; q₄ is the remainder of θ
//
// Four branches, eight with a wrist, named by their signs: "shoulder+ elbow- wrist+". If a joint is undetermined
// (target on axis 1; a folded elbow; a straight wrist, where only q₄ ± q₆ or θ ± q₆ matters), it keeps the value of the
// start, or the nearest value that the elbow can reach; branches may coincide there.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "../tree/workspace.hpp"

namespace lw {

class ClosedFormArm {
 public:
  // The arm that carries the frame, if it is one of these.
  static std::optional<ClosedFormArm> recognise(const Model<double>& model, int frame);

  struct Branch {
    std::vector<double> q;  // all coordinates; those that do not move the frame are the start's
    std::string name;
  };
  // All branches that reach the target, for an arm without wrist its position only. Angles within ±π.
  std::vector<Branch> solve(const Transform<double>& target, In<double> start) const;

  bool has_wrist() const { return has_wrist_; }

 private:
  using V = Vec3<double>;
  using M = Mat3<double>;
  // plane normal to a₂, rotating with joint 1: components along (a₁, a₂ × a₁), in which rotations about a₂ are positive
  struct P {
    double z, x;
  };
  struct Shoulder {
    double q1;
    P u;  // from axis 2 to the target
    const char* name;
  };
  struct Elbow {
    double q2, q3;
    const char* name;
  };
  struct Wrist {
    double q4, q5, q6;
    bool straight;  // q₄ is the start's
    const char* name;
  };
  std::vector<Shoulder> shoulders(const V& target, In<double> start) const;
  std::vector<Elbow> elbows(const P& u, In<double> start) const;
  std::vector<Wrist> wrists(const M& R_w, double q4) const;
  double last_turn(const M& R_w, double q4, double q5) const;  // q₆
  double bring_elbow_in_reach(double theta, const P& u) const;
  double started(std::size_t joint, In<double> start) const {
    return start[static_cast<std::size_t>(coordinate_[joint])];
  }

  bool has_wrist_ = false, offset_ = false, slides_ = false;
  std::array<int, 6> coordinate_{};
  std::size_t nq_ = 0;      // of the model
  std::array<V, 6> axis_;   // in the world, at q = 0
  V point_;                 // c, or the frame's origin
  Transform<double> home_;  // the frame
  double size_ = 0.0;
  V origin_, x_;                                        // a point of axis 1; a₂ × a₁
  double d_ = 0.0;                                      // of c along a₂, from axis 1
  P shoulder_{}, upper_{}, fore_{}, slide_{}, hand_{};  // axis 2 from axis 1; L; m; e; h
  double turn3_ = 1.0, turn4_ = 1.0;                    // a₃ = ± a₂, a₄ = ± a₂
};

}  // namespace lw
