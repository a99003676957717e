// A mechanism with some joints locked, as a graph: rigid groups of bodies, and the free joints between them.
//
// Closures and joints of the spanning tree are treated alike. Groups grow as their positions become known: `merge`
// moves one into the frame of another. When all bodies are in the base's group, `coordinates_from` reads the
// coordinates of the spanning tree off their poses.
#pragma once

#include <string>
#include <vector>

#include "../tree/workspace.hpp"

namespace lw {

struct FreeJoint {
  JointType type = JointType::revolute;
  int body[2] = {-1, -1};    // -1: the base
  Transform<double> X[2];    // the joint's frame on either body: the second moves against the first
  Vec3<double> axis, axis2;  // in the joint's frame; axis2 on the second body
  std::string name;          // of the joint, or of the loop
};

struct LoopGraph {
  std::vector<int> group;            // of body k at k + 1; the base is at 0, its group is 0
  std::vector<Transform<double>> X;  // the same bodies in the frames of their groups
  std::vector<FreeJoint> joints;
  bool tied = false;       // a mimic follows a free joint: not a matter of this joint alone
  std::vector<int> yokes;  // groups that are no links but the middle of a universal joint

  int group_of(const FreeJoint& joint, int side) const { return group[static_cast<std::size_t>(joint.body[side] + 1)]; }
  bool joins(const FreeJoint& joint, int a, int b) const;
  int side_in(const FreeJoint& joint, int of_group) const { return group_of(joint, 0) == of_group ? 0 : 1; }
  // The joint's frame, as the group that holds that side sees it.
  Transform<double> frame(const FreeJoint& joint, int side) const {
    return X[static_cast<std::size_t>(joint.body[side] + 1)] * joint.X[side];
  }
  void merge(int keep, int gone, const Transform<double>& X_keep_gone);
  bool whole() const;  // all bodies in the base's group
};

// `q` gives the held coordinates; `held` are velocities. Closures of type fixed make one group of two.
LoopGraph loop_graph(const Model<double>& model, In<double> q, const std::vector<int>& held);

// Coordinates of the tree from a graph that is whole; those of `near` where a pose leaves them open, angles within half
// a turn of it.
std::vector<double> coordinates_from(const Model<double>& model, const LoopGraph& graph, In<double> near);

// The graph as a mechanism of its own: groups as bodies without mass, reached from the base over as few joints as
// possible, every further joint a closure. Its coordinates are those of its own joints, zero where the frames of the
// joints coincide.
struct GraphModel {
  Model<double> model;
  std::vector<Frame<double>> groups;  // the frames of the groups on its bodies; body -2: not reached
  std::vector<bool> yokes;            // its bodies that are in the middle of a universal joint
};
GraphModel model_of(const LoopGraph& graph);
// Puts all groups that were reached into the base's, as the mechanism of the graph stands after forward_kinematics.
void take_poses(const GraphModel& from, const Workspace<double>& work, LoopGraph& graph);

}  // namespace lw
