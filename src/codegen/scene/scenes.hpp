// The symbolic model that methods trace. Kept parameters are symbols, or all inertial parameters (`dense`). It is
// snapped, and regrouped if the function depends on inertias through torques only.
#pragma once

#include "../../dynamics/canonical/composite.hpp"
#include "../../dynamics/canonical/tensor_inverse.hpp"
#include "../../model/mechanism.hpp"
#include "limbs.hpp"
#include "trace_options.hpp"

namespace lw {

// Choices that every tree method leaves open.
struct Variant {
  TensorMethod method;
  Gauges gauges;
  std::vector<bool> near_parent;

  // Gives every limb the choices of the first.
  void make_equal(const LimbGroup& group) {
    for (const auto& limb : group.limbs) {
      for (std::size_t k = 0; k < limb.size(); ++k) {
        const std::size_t to = limb[k], from = group.limbs[0][k];
        for (std::vector<bool>* flags : {&method.merged, &method.in_carrier, &near_parent}) {
          if (!flags->empty()) (*flags)[to] = bool((*flags)[from]);
        }
        if (!gauges.empty()) gauges[to] = gauges[from];
      }
    }
  }
};

std::string described(const Variant& v);

// The mechanism with other values of the kept parameters.
struct OtherValues {
  std::vector<double> p;
  Model<double> model;
  std::vector<Model<Dual>>
      moving;  // for derivatives: the model with one kept parameter after the other moving at rate 1
};

// What the function allows to be done to the model before tracing.
struct SceneNeeds {
  bool torques_alone = false;  // inertial parameters may be regrouped
  bool inertias = false;       // it depends on inertias: `dense` makes them symbols
  bool losses = false;         // of joints and drives
  bool derivatives = false;    // with respect to parameters too
};

// The symbolic model, created in the graph of every trace.
struct Scene {
  Model<Expr> model;  // snapped
  Model<Expr> fewer;  // with base parameters, if these are allowed
  CanonicalTree<Expr> tree;
};

class Scenes {
 public:
  Scenes(const Mechanism& mechanism, Model<double> values, const SceneNeeds& needs, const TraceOptions& options);

  Scene scene(const std::vector<Expr>& p, const Variant& v) const;
  // `p`: the symbols. Which moments of a dense tree are symbols depends on the variant.
  std::vector<std::string> names(const Variant& v) const;
  std::vector<double> parameter_values(const Variant& v) const;
  // Other values to verify with: what holds for the file's values of kept parameters may fail for others.
  const std::vector<OtherValues>& others() const { return others_; }
  // The model with one kept parameter after the other moving at rate 1.
  std::vector<Model<Dual>> moving() const { return moving(parameter_values({})); }

  const Model<double>& values() const { return values_; }  // before snapping
  bool dense() const { return dense_; }
  bool regroups() const { return regroup_; }
  // Whether losses depend on a body's reaction, so that regrouping must not move inertia across its joint.
  bool is_load(std::size_t body) const { return !loads_.empty() && loads_[body]; }

 private:
  // Which moments of the tree are symbols, and their names.
  struct DenseSymbol {
    std::size_t link;
    int entry;  // 0: m, 1–3: h, 4–9: E by columns of its upper half, where 4 and 6 are mean and spread of a turned link
    double value;
  };
  void make_dense();
  std::vector<DenseSymbol> dense_symbols(const Variant& v) const;
  void put_dense(Scene& s, const std::vector<Expr>& p, const Variant& v) const;
  std::vector<OtherValues> other_values(bool of_derivatives) const;
  std::vector<Model<Dual>> moving(const std::vector<double>& kept) const;

  const Mechanism& mechanism_;
  const TraceOptions& options_;
  Model<double> values_;
  std::vector<OtherValues> others_;
  bool regroup_ = false, dense_ = false;
  std::vector<bool> loads_;  // reactions on which losses depend, if these are included
};

}  // namespace lw
