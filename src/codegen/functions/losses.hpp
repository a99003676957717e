// Losses of joints and drives in `inverse` and `forward`, and as the function `friction`, part by part.
#pragma once

#include "method_list.hpp"
#include "reference_call.hpp"

namespace lw {

// Methods and reference of `inverse` with losses, and of `friction`; of `forward` with losses.
void loss_methods(MethodList& list);
void loss_reference(ReferenceCall& call);
void forward_loss_methods(MethodList& list);
void forward_loss_reference(ReferenceCall& call);

// The torques with losses that a motion needs, in the order of tau. Used to test `forward` with losses, because not
// every torque has an acceleration (a joint may jam).
std::vector<double> torques_with_losses(const Model<double>& model, const LoopPlan& plan, In<double> q, In<double> qd,
                                        In<double> qdd);

// "recursive Newton-Euler, canonical frames", or "..., the model's frames".
MethodName newton_euler_name(const char* what, bool canonical);

}  // namespace lw
