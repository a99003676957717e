// The graphs of one function by all of its methods, filled by the `methods` of its row.
#pragma once

#include <optional>

#include "../functions/method_list.hpp"

namespace lw {

struct Candidate {
  MethodName method;
  Function function;
  Variant variant;
  std::function<std::optional<Function>()> repeats = {};  // the same with calls for repeated parts
};

class Candidates final : public MethodList {
 public:
  // All arguments except `row` must outlive it.
  Candidates(const FunctionRow& row, const Scenes& scenes, const LoopPlan& plan, const TraceOptions& options, int frame,
             bool friction);

  const std::vector<Candidate>& list() const { return list_; }
  // Every variant costs a trace, and passes take longer.
  bool is_large() const { return values().bodies.size() > 12; }
  // Nothing if there are no repeated parts.
  std::optional<Function> with_calls_for_repeats(const Candidate& candidate) const;

  void add(const MethodName& method, const Calculation& f, const Variant& variant = {}) override;
  void replace(const MethodName& method, const Calculation& f, const Variant& variant) override;
  Variant search(const MethodName& method, const Calculation& f) override;
  Function apart(const std::vector<Group>& inputs, const std::vector<Group>& outputs, const Variant& variant,
                 const Apart& f) const override;
  Scene scene(const std::vector<Expr>& p, const Variant& variant) const override { return scenes_.scene(p, variant); }
  Variant plain_variant() const override;

  const FunctionRow& row() const override { return row_; }
  const Scenes& scenes() const override { return scenes_; }
  const LoopPlan& plan() const override { return plan_; }
  bool friction() const override { return friction_; }
  std::size_t kept() const override { return options_.keep.size(); }
  bool is_huge() const override { return values().bodies.size() > 60; }

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
