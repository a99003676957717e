// Whether two closed configurations are the same assembly: every link has the same position and orientation.
//
// One thing does not count. A rod is a set of links that is held by nothing but points, ball and universal joints, all
// on one line, as a leg between a universal and a ball joint is. About that line it may stand turned: between two ball
// joints in any way, with a universal joint in two, the two sets of angles of that joint. These are one assembly.
#pragma once

#include <vector>

#include "../tree/workspace.hpp"

namespace lw {

struct LinkPoses {
  std::vector<Transform<double>> X;  // of the bodies, in the world
  std::vector<Vec3<double>>
      places;  // of joints that turn, in the tree and closing loops: a rod that is turned leaves them where they are
  std::vector<Vec3<double>> axes;  // of the same; zero where the joint holds a point only
  double key = 0.0;                // a sum of these: equal for equal assemblies, and seldom else
};

class LinkComparison {
 public:
  // `yokes`: bodies that are no links but the middle of a universal joint; by default those of the model's universal
  // joints.
  explicit LinkComparison(const Model<double>& model, std::vector<bool> yokes = {});

  LinkPoses at(Workspace<double>& work, In<double> q) const;
  // `tolerance`: of a place (m); of directions, by the mechanism's size.
  bool same(const LinkPoses& a, const LinkPoses& b, double tolerance) const;
  // As far as keys of equal assemblies may be apart.
  double key_tolerance(double tolerance) const { return tolerance * weights_; }

  // Universal joints at the ends of rods that two points hold.
  struct RodEnd {
    int first = -1, last = -1;         // bodies of the joint in the tree,
    int loop = -1;                     // or the loop that it closes
    std::size_t place = 0, other = 0;  // of LinkPoses: this end and that
  };
  std::vector<RodEnd> rod_ends() const;
  // (u × w)·d, u and w the joint's axes, d from this end to the other: its two sets of angles have opposite signs.
  // After at().
  double handedness(const Workspace<double>& work, const LinkPoses& poses, const RodEnd& end) const;

 private:
  // Links that other joints than points connect: all of them stand alike, or it is a rod that was turned.
  struct Part {
    std::vector<int> bodies;          // -1: the base
    std::vector<std::size_t> places;  // of all its joints
  };

  const Model<double>& model_;
  std::vector<bool> yokes_;
  std::vector<Part> parts_;
  double size_ = 1.0, weights_ = 0.0;
};

// The same for two configurations.
bool same_assembly(const Model<double>& model, Workspace<double>& work, In<double> a, In<double> b, double tolerance);

}  // namespace lw
