// The methods by which a function can be computed: a row of the table adds its own, the tracer tries them and takes the
// cheapest (trace/tracer.cpp).
#pragma once

#include <string>

#include "tracing.hpp"

namespace lw {

// The method's name for people, and the facts that others need to know of it.
struct MethodName {
  std::string name;
  enum class Frames { chosen, of_model } frames = Frames::chosen;  // links have axes of their own, or those of the file
  For mechanisms = For::all;
  // It may be traced again after the list is made, with calls for what is repeated (scene/limbs.hpp).
  For repeats = For::trees;
};
using Frames = MethodName::Frames;

class MethodList {
 public:
  virtual ~MethodList() = default;

  // In one way.
  virtual void add(const MethodName& method, const Calculation& f, const Variant& variant = {}) = 0;
  // In one way, instead of all that was added so far.
  virtual void replace(const MethodName& method, const Calculation& f, const Variant& variant) = 0;
  // In all variants that help (Variant): which links share a carrier, which are evaluated in it, how axis masses are
  // divided. From the plain one by single changes: the best of all, again and again; or, of many, once through.
  // Returns the cheapest. Without outputs along kept parameters: `replace` adds them to the cheapest.
  virtual Variant search(const MethodName& method, const Calculation& f) = 0;
  // A function apart, of the same mechanism in symbols, for methods that need one; without `p`, which is appended.
  using Apart = std::function<void(const Scene&, const Arguments&, Results&)>;
  virtual Function apart(const std::vector<Group>& inputs, const std::vector<Group>& outputs, const Variant& variant,
                         const Apart& f) const = 0;
  // The mechanism in the symbols of another graph.
  virtual Scene scene(const std::vector<Expr>& p, const Variant& variant) const = 0;
  virtual Variant plain_variant() const = 0;

  virtual const FunctionRow& row() const = 0;
  virtual const Scenes& scenes() const = 0;
  virtual const LoopPlan& plan() const = 0;
  virtual bool friction() const = 0;     // losses are in it
  virtual std::size_t kept() const = 0;  // parameters
  // Straight-line code for so many links is long to make, long to compile and does not fit the processor's caches.
  virtual bool is_huge() const = 0;
  const Model<double>& values() const { return scenes().values(); }
};

}  // namespace lw
