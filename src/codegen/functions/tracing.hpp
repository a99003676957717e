// A function of a mechanism while it is traced: its inputs, the closed pose that they give, its outputs; and what
// several functions do with them.
#pragma once

#include "../../dynamics/loops/projection.hpp"
#include "../scene/scenes.hpp"
#include "function_row.hpp"

namespace lw {

class Tracing {
 public:
  // The outputs that describe the loops are given here.
  Tracing(const FunctionRow& row, const Scene& scene, const Variant& variant, const LoopPlan& plan,
          const LoopPositionOptions& position, int frame, const Arguments& in, Results& out);

  // A group of inputs; zeros if the function does not take it.
  const std::vector<Expr>& operator[](const GroupRow& group) const;
  // The symbols of parameters that are kept; empty without.
  std::vector<Expr> kept() const;

  const FunctionRow& row;
  const Scene& scene;
  const Variant& variant;
  const LoopPlan& plan;
  const int frame;
  const Arguments& in;
  Results& out;
  std::vector<Expr> q;        // all coordinates of the tree, loops closed
  PlantWorkspace<Expr> work;  // of scene.model

 private:
  const std::vector<Expr> zero_;
};

using Calculation = std::function<void(Tracing&)>;

// Algorithms for trees, on the link frames that the tracing's variant chooses.
TreeTorques<Expr> tensor_torques(const Scene& scene, const Variant& variant);
inline TreeTorques<Expr> tensor_torques(const Tracing& t) { return tensor_torques(t.scene, t.variant); }
TreeMassMatrix<Expr> composite_masses(const Tracing& t);
// The same algorithm; names what it is asked for, the motion of the dependent joints.
TreeTorques<Expr> with_names(Tracing& t, const TreeTorques<Expr>& torques);

// Names for readers of generated code. M3_2; entries on the diagonal may be something else.
void name_lower_half(const std::vector<Expr>& M, std::size_t n, const char* diagonal, const char* off);
void name_motion(const Model<Expr>& model, const Workspace<Expr>& work, bool forces);
void name_motion_of_dependent(const Tracing& t, bool accelerations);
void name_multipliers(const PlantWorkspace<Expr>& work);

// What a model without force elements needs besides, for the same motion.
void add_elements(const Model<Expr>& model, std::span<const Expr> q, std::vector<Expr>& tau);

}  // namespace lw
