// The methods by which a function can be computed, each as a graph: a row of the table adds them, the tracer takes the
// cheapest (trace/trace_function.cpp).
#pragma once

#include <optional>
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

struct Candidate {
  MethodName method;
  Function function;
  Variant variant;
  std::function<std::optional<Function>()> repeats = {};  // the same with calls for repeated parts
};

class MethodList {
 public:
  // All arguments except `row` must outlive it.
  MethodList(const FunctionRow& row, const Scenes& scenes, const LoopPlan& plan, const TraceOptions& options, int frame,
             bool friction);

  // Adds a method in one variant.
  void add(const MethodName& method, const Calculation& f, const Variant& variant = {});
  // The same, instead of all methods added so far.
  void replace(const MethodName& method, const Calculation& f, const Variant& variant);
  // Adds a method in all variants that help (Variant): which links share a carrier, which are evaluated in it, how axis
  // masses are divided. The search starts from the plain variant and repeats the best single change; for many links it
  // goes through the changes once. Returns the cheapest variant. Derivatives by kept parameters are left out: `replace`
  // adds them to the cheapest.
  Variant search(const MethodName& method, const Calculation& f);
  const std::vector<Candidate>& list() const { return list_; }
  // Nothing if there are no repeated parts.
  std::optional<Function> with_calls_for_repeats(const Candidate& candidate) const;

  // A separate function of the same symbolic model, for methods that need one. `p` is appended to the inputs.
  using Apart = std::function<void(const Scene&, const Arguments&, Results&)>;
  Function apart(const std::vector<Group>& inputs, const std::vector<Group>& outputs, const Variant& variant,
                 const Apart& f) const;
  Variant plain_variant() const;

  const FunctionRow& row() const { return row_; }
  const Scenes& scenes() const { return scenes_; }
  const Model<double>& values() const { return scenes_.values(); }
  const LoopPlan& plan() const { return plan_; }
  bool friction() const { return friction_; }                    // losses are included
  std::size_t kept() const { return options_.keep.size(); }      // number of kept parameters
  bool is_large() const { return values().bodies.size() > 12; }  // every variant costs a trace, and passes take longer
  // Straight-line code for so many links takes long to generate and to compile, and does not fit the processor's
  // caches.
  bool is_huge() const { return values().bodies.size() > 60; }

 private:
  using Groups = std::vector<Group>;

  void append(const MethodName& method, Function function, const Groups& outputs, const Variant& v,
              const Calculation& f);
  Function traced(const Groups& outputs, const Variant& v, const Calculation& f) const;
  std::optional<Function> traced_with_repeats(const Groups& outputs, Variant v, const Calculation& f) const;
  void run(const Scene& scene, const Variant& v, const Arguments& in, Results& out, const Calculation& f) const;
  double worth(const Candidate& c) const { return price(c.function, options_.objective); }
  std::size_t inertial_columns() const;

  const FunctionRow& row_;
  const Scenes& scenes_;
  const LoopPlan& plan_;
  const For kind_;
  const TraceOptions& options_;
  const int frame_;
  const bool friction_;
  Groups inputs_, outputs_, without_kept_;
  std::vector<Candidate> list_;
  mutable LoopPositionCache position_cache_;  // the same for all variants
};

}  // namespace lw
