// A function while it is traced: its inputs, the closed pose that they determine, its outputs; and steps that several
// functions share.
#pragma once

#include "../../dynamics/loops/projection.hpp"
#include "../scene/scenes.hpp"
#include "function_row.hpp"

namespace lw {

class Tracing {
 public:
  // Sets the outputs that describe the loops.
  Tracing(const FunctionRow& row, const Scene& scene, const Variant& variant, const LoopPlan& plan,
          const LoopPositionOptions& position, int frame, const Arguments& in, Results& out);

  // A group of inputs; zeros if the function does not take it.
  const std::vector<Expr>& operator[](const GroupRow& group) const;
  // The symbols of kept parameters; empty if there are none.
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

// Algorithms for trees, in the link frames of the variant.
TreeTorques<Expr> tensor_torques(const Scene& scene, const Variant& variant);
inline TreeTorques<Expr> tensor_torques(const Tracing& t) { return tensor_torques(t.scene, t.variant); }
TreeMassMatrix<Expr> composite_masses(const Tracing& t);
// The same algorithm; also names the motion of the dependent joints.
TreeTorques<Expr> with_names(Tracing& t, const TreeTorques<Expr>& torques);

// Names for readers of generated code, such as M3_2; entries on the diagonal may have another letter.
void name_lower_half(const std::vector<Expr>& M, std::size_t n, const char* diagonal, const char* off);
void name_motion(const Model<Expr>& model, const Workspace<Expr>& work, bool forces);
void name_motion_of_dependent(const Tracing& t, bool accelerations);
void name_multipliers(const PlantWorkspace<Expr>& work);

// Adds to tau what force elements contribute, for algorithms on models without them.
void add_elements(const Model<Expr>& model, std::span<const Expr> q, std::vector<Expr>& tau);

}  // namespace lw
