#include "method_list.hpp"

#include <algorithm>
#include <utility>

#include "../../base/index.hpp"
#include "../../dynamics/parameters/regressor.hpp"
#include "../../dynamics/tree/elements.hpp"
#include "../../graph/outline.hpp"

namespace lw {

MethodList::MethodList(const FunctionRow& row, const Scenes& scenes, const LoopPlan& plan, const TraceOptions& options,
                       int frame, bool friction)
    : row_(row),
      scenes_(scenes),
      plan_(plan),
      kind_(kind_of(plan)),
      options_(options),
      frame_(frame),
      friction_(friction),
      inputs_(inputs_of(row, plan)) {
  const std::size_t columns = inertial_columns();
  outputs_ = outputs_of(row, plan, kept(), columns);
  without_kept_ = outputs_of(row, plan, 0, columns);
}

// Counted in the symbolic model, because a rotor's inertia may be zero only for the file's values of kept parameters.
std::size_t MethodList::inertial_columns() const {
  const auto has = [](const GroupRow& g) { return g.columns && g.columns->of == Extent::Of::inertial; };
  if (std::none_of(row_.outputs.begin(), row_.outputs.end(), has)) return 0;
  std::size_t columns = 0;
  apart({}, {{"none", 1}}, {}, [&](const Scene& s, const Arguments&, Results& out) {
    columns = parameter_table(s.model).size();
    out[0][0] = 0.0;
  });
  return columns;
}

Variant MethodList::plain_variant() const {
  const std::size_t n = values().bodies.size();
  return {
      {std::vector<bool>(n, false), std::vector<bool>(n, false)}, Gauges(n, Gauge::child), std::vector<bool>(n, false)};
}

// --- tracing

Function MethodList::apart(const Groups& inputs, const Groups& outputs, const Variant& variant, const Apart& f) const {
  Groups all = inputs;
  const std::size_t symbols = scenes_.names(variant).size();
  if (symbols > 0) all.push_back({"p", symbols});
  return trace(row_.name, all, outputs, [&](const Arguments& in, Results& out) {
    f(scenes_.scene(symbols > 0 ? in.back() : std::vector<Expr>{}, variant), in, out);
  });
}

void MethodList::run(const Scene& scene, const Variant& v, const Arguments& in, Results& out,
                     const Calculation& f) const {
  Tracing tracing(row_, scene, v, plan_, {options_.newton_steps, &position_cache_}, frame_, in, out);
  f(tracing);
}

Function MethodList::traced(const Groups& outputs, const Variant& v, const Calculation& f) const {
  return apart(inputs_, outputs, v, [&](const Scene& s, const Arguments& in, Results& out) { run(s, v, in, out, f); });
}

// With calls for repeated parts: equal limbs, or the steps of a long recursion. Their numbers become symbols, then
// arguments. Equal limbs need equal choices: those of the first.
std::optional<Function> MethodList::traced_with_repeats(const Groups& outputs, Variant v, const Calculation& f) const {
  const Model<double>& model = values();
  // force elements and tied rotors couple limbs
  if (scenes_.dense() || model.has_mimics || has_elements(model) || !model.rotor_ties.empty() || friction_)
    return std::nullopt;
  Groups all = inputs_;
  if (kept() > 0) all.push_back({"p", kept()});
  const auto p = [&](const Arguments& in) { return kept() > 0 ? in[inputs_.size()] : std::vector<Expr>{}; };
  std::vector<LimbGroup> groups;
  const auto make_alike = [&](Scene& s, const std::function<Expr(double)>& symbol) {
    if (is_huge())
      make_links_alike(s.tree, s.fewer, symbol);
    else
      make_limbs_alike(s.tree, s.fewer, groups, symbol);
  };
  std::vector<double> numbers;
  trace("count", all, {}, [&](const Arguments& in, Results&) {
    Scene s = scenes_.scene(p(in), v);
    if (!is_huge()) {
      groups = equal_limbs(s.tree, s.fewer);
      for (const LimbGroup& group : groups) v.make_equal(group);
      s = scenes_.scene(p(in), v);
      groups = equal_limbs(s.tree, s.fewer);
      // measured: moving matrices of derivatives into lanes costs more than two limbs save; four save half
      if (row_.derivative_of) std::erase_if(groups, [](const LimbGroup& group) { return group.limbs.size() < 3; });
    }
    make_alike(s, [&](double value) {
      numbers.push_back(value);
      return Expr(value);
    });
  });
  if (groups.empty() && !is_huge()) return std::nullopt;
  if (!numbers.empty()) all.push_back({"k", numbers.size()});
  const Function called = trace(row_.name, all, outputs, [&](const Arguments& in, Results& out) {
    Scene s = scenes_.scene(p(in), v);
    std::size_t next = 0;
    make_alike(s, [&](double) { return in.back()[next++]; });
    run(s, v, in, out, f);
  });
  return is_huge() ? with_steps_called(called, numbers) : with_limbs_called(called, model, groups, numbers);
}

std::optional<Function> MethodList::with_calls_for_repeats(const Candidate& candidate) const {
  std::optional<Function> f = candidate.repeats ? candidate.repeats() : std::nullopt;
  if (!f || !has_calls(*f)) return std::nullopt;
  if (!options_.optimize) return f;
  const auto shorter = [&](const Function& g) { return optimize(g, options_.objective); };
  const Function called = with_calls(*f, shorter);
  return is_huge() ? called : shorter(called);
}

// --- the list

void MethodList::add(const MethodName& method, const Calculation& f, const Variant& v) {
  if (!suits(method.mechanisms, kind_)) return;
  append(method, traced(outputs_, v, f), outputs_, v, f);
}

void MethodList::append(const MethodName& method, Function function, const Groups& outputs, const Variant& v,
                        const Calculation& f) {
  list_.push_back({method, std::move(function), v});
  if (suits(method.repeats, kind_))
    list_.back().repeats = [this, &outputs, v, f] { return traced_with_repeats(outputs, v, f); };
}

void MethodList::replace(const MethodName& method, const Calculation& f, const Variant& v) {
  if (!suits(method.mechanisms, kind_)) return;
  list_.clear();
  add(method, f, v);
}

namespace {

// Single changes of a variant that may help, as far as the symbols allow: a property of the file's values of kept
// parameters need not hold for others.
class VariantChanges {
 public:
  VariantChanges(const CanonicalTree<Expr>& tree, const Scenes& scenes) : model_(scenes.values()) {
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
      const auto& link = tree.links[i];
      if (link.parallel) parallel_.push_back(i);
      if (link.kind == JointKind::revolute) turned_.push_back(i);
      for (const Gauge g : {Gauge::parent_hx, Gauge::parent_hy}) {
        if (scenes.regroups() && !scenes.is_load(i) && has_gauge(tree, i, g)) moved_.emplace_back(i, g);
      }
    }
  }

  // `start` gives the variant to change, `attempt` takes the result.
  void each(const std::function<Variant()>& start, bool all, const std::function<void(const Variant&)>& attempt) const {
    for (const std::size_t i : parallel_) {
      Variant x = start();
      x.method.merged[i] = !x.method.merged[i];
      // by itself, and together with the changes of the parent that it requires or allows
      const auto parent = at(model_.bodies[i].parent);
      if (!x.method.merged[i]) x.method.in_carrier[parent] = false;
      attempt(x);
      if (x.method.merged[i] && allowed(x, parent) && !x.method.in_carrier[parent]) {
        x.method.in_carrier[parent] = true;
        attempt(x);
      }
    }
    for (const std::size_t i : turned_) {
      Variant x = start();
      if (!x.method.in_carrier[i] && !allowed(x, i)) continue;
      x.method.in_carrier[i] = !x.method.in_carrier[i];
      attempt(x);
    }
    for (const std::size_t i : turned_) {
      if (model_.bodies[i].parent < 0 || !all) continue;
      Variant x = start();
      x.near_parent[i] = !x.near_parent[i];
      attempt(x);
    }
    for (const auto& [i, g] : moved_) {
      Variant x = start();
      x.gauges[i] = x.gauges[i] == g ? Gauge::child : g;
      attempt(x);
    }
  }

 private:
  // Whether the link may be evaluated in its carrier.
  bool allowed(const Variant& x, std::size_t i) const {
    for (std::size_t c = i + 1; c < model_.bodies.size(); ++c) {
      if (model_.bodies[c].parent == static_cast<int>(i) && !x.method.merged[c]) return false;
    }
    return true;
  }

  const Model<double>& model_;
  std::vector<std::size_t> parallel_, turned_;
  std::vector<std::pair<std::size_t, Gauge>> moved_;
};

}  // namespace

Variant MethodList::search(const MethodName& method, const Calculation& f) {
  Variant best = plain_variant();
  if (!suits(method.mechanisms, kind_)) return best;
  std::optional<VariantChanges> changes;
  const auto tried = [&](const Variant& v) {
    Function function = traced(without_kept_, v, [&](Tracing& t) {
      if (!changes) changes.emplace(t.scene.tree, scenes_);
      f(t);
    });
    MethodName name = method;
    name.name += described(v);
    append(name, std::move(function), without_kept_, v, f);
    return worth(list_.back());
  };
  double least = tried(best);
  for (bool better = !is_huge(); better;) {
    better = false;
    const Variant before = best;
    changes->each([&] { return is_large() ? best : before; }, !is_large(),
                  [&](const Variant& v) {
                    const double price = tried(v);
                    if (price >= least) return;
                    least = price;
                    best = v;
                    better = true;
                  });
    if (is_large()) break;
  }
  return best;
}

}  // namespace lw
