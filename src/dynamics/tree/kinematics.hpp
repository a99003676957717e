// Forward kinematics: poses and velocities of bodies and frames.
//
//   forward_kinematics   X_W of every body from q
//   frame_pose           pose of a link's frame in the world
//   frame_jacobian       J(q), 6 × nv by columns: [ω; v] of the frame's origin in world axes = J q̇
//   frame_bias           J̇ q̇: acceleration of the frame for q̈ = 0, in world axes
//
// The sweeps leave their results in the workspace: forward_kinematics fills X and X_W, forward_velocities also
// velocity. Cost per revolute joint: 45 × and 36 + for X_W, one sin and cos.
#pragma once

#include "workspace.hpp"

namespace lw {

template <class T>
void forward_kinematics(const Model<T>& model, Workspace<T>& work, In<T> q);

// Also the twist of every body, from q and q̇.
template <class T>
void forward_velocities(const Model<T>& model, Workspace<T>& work, In<T> q, In<T> qd);

// After forward_kinematics.
template <class T>
Transform<T> frame_pose(const Model<T>& model, const Workspace<T>& work, int frame);

template <class T>
void frame_jacobian(const Model<T>& model, const Workspace<T>& work, int frame, Out<T> jacobian);

// The same for an arbitrary frame.
template <class T>
Transform<T> frame_pose(const Workspace<T>& work, const Frame<T>& frame);
template <class T>
void frame_jacobian(const Model<T>& model, const Workspace<T>& work, const Frame<T>& frame, Out<T> jacobian);

// After forward_velocities: twist of the frame's origin, in world axes.
template <class T>
Motion<T> frame_velocity(const Model<T>& model, const Workspace<T>& work, int frame);

// After forward_kinematics; runs its own sweep.
template <class T>
Motion<T> frame_bias(const Model<T>& model, Workspace<T>& work, int frame, In<T> q, In<T> qd);

}  // namespace lw
