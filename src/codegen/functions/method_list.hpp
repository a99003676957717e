// The methods by which a function can be computed: a row of the table adds its own, the tracer tries them and takes the
// cheapest (trace/trace_function.cpp).
#pragma once

#include <string>

#include "tracing.hpp"

namespace lw {

// The name of a method and the properties that the tracer needs.
struct MethodName {
  std::string name;
  enum class Frames { chosen, of_model } frames = Frames::chosen;  // link axes are chosen, or those of the file
  For mechanisms = For::all;
  // It may be traced again after the list is made, with calls for repeated parts (scene/limbs.hpp).
  For repeats = For::trees;
};
using Frames = MethodName::Frames;

class MethodList {
 public:
  virtual ~MethodList() = default;

  // Adds a method in one variant.
  virtual void add(const MethodName& method, const Calculation& f, const Variant& variant = {}) = 0;
  // The same, instead of all methods added so far.
  virtual void replace(const MethodName& method, const Calculation& f, const Variant& variant) = 0;
  // Adds a method in all variants that help (Variant): which links share a carrier, which are evaluated in it, how axis
  // masses are divided. The search starts from the plain variant and repeats the best single change; for many links it
  // goes through the changes once. Returns the cheapest variant. Derivatives by kept parameters are left out: `replace`
  // adds them to the cheapest.
  virtual Variant search(const MethodName& method, const Calculation& f) = 0;
  // A separate function of the same symbolic model, for methods that need one. `p` is appended to the inputs.
  using Apart = std::function<void(const Scene&, const Arguments&, Results&)>;
  virtual Function apart(const std::vector<Group>& inputs, const std::vector<Group>& outputs, const Variant& variant,
                         const Apart& f) const = 0;
  // The symbolic model in another graph.
  virtual Scene scene(const std::vector<Expr>& p, const Variant& variant) const = 0;
  virtual Variant plain_variant() const = 0;

  virtual const FunctionRow& row() const = 0;
  virtual const Scenes& scenes() const = 0;
  virtual const LoopPlan& plan() const = 0;
  virtual bool friction() const = 0;     // losses are included
  virtual std::size_t kept() const = 0;  // number of kept parameters
  // Straight-line code for so many links takes long to generate and to compile, and does not fit the processor's
  // caches.
  virtual bool is_huge() const = 0;
  const Model<double>& values() const { return scenes().values(); }
};

}  // namespace lw
