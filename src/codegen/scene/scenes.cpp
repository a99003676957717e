#include "scenes.hpp"

#include <algorithm>
#include <numbers>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/random.hpp"
#include "../../dynamics/friction/friction.hpp"
#include "../../dynamics/loops/loop_parameters.hpp"
#include "../../dynamics/parameters/base_parameters.hpp"
#include "../../dynamics/tree/elements.hpp"
#include "../../graph/typical.hpp"
#include "../../model/evaluate.hpp"
#include "snapping.hpp"

namespace lw {
namespace {

double& entry_of(SecondMoments<double>& P, int entry) {
  if (entry == 0) return P.m;
  if (entry < 4) return P.h[entry - 1];
  constexpr int rows[] = {0, 0, 1, 0, 1, 2}, columns[] = {0, 1, 1, 2, 2, 2};
  return P.E(rows[entry - 4], columns[entry - 4]);
}

// For such a link the two parameters are (E_xx ± E_yy)/2.
bool turned_with_both(const Variant& v, std::size_t link, SecondMoments<double>& P) {
  return !v.method.in_carrier.empty() && v.method.in_carrier[link] && P.E(0, 0) != 0.0 && P.E(1, 1) != 0.0;
}

}  // namespace

std::string described(const Variant& v) {
  const auto list = [](const std::vector<bool>& flags) {
    std::string text;
    for (std::size_t i = 0; i < flags.size(); ++i) {
      if (flags[i]) text += (text.empty() ? "" : ", ") + std::to_string(i + 1);
    }
    return text;
  };
  std::string text;
  const std::string merged = list(v.method.merged), turned = list(v.method.in_carrier);
  if (!merged.empty()) text += "; links that share their parent's carrier: " + merged;
  const std::string near = list(v.near_parent);
  if (!near.empty()) text += "; frames next to the parent's axis: " + near;
  if (!turned.empty()) text += "; evaluated in their carrier: " + turned;
  std::string gauge;
  for (std::size_t i = 0; i < v.gauges.size(); ++i) {
    if (v.gauges[i] == Gauge::child) continue;
    gauge += fmt::format("{}{} ({})", gauge.empty() ? "" : ", ", i + 1, v.gauges[i] == Gauge::parent_hx ? "hx" : "hy");
  }
  if (!gauge.empty()) text += "; axis mass left on: " + gauge;
  return text;
}

Scenes::Scenes(const Mechanism& mechanism, Model<double> values, const SceneNeeds& needs, const TraceOptions& options)
    : mechanism_(mechanism), options_(options), values_(std::move(values)) {
  if (needs.losses) loads_ = felt_reactions(values_);
  regroup_ = options.base_parameters && needs.torques_alone;
  if (options.dense && options.friction) {
    throw Error(ErrorCode::usage,
                "dense bodies are counted without friction, because friction coefficients are numbers of the file");
  }
  if (options.dense && !options.keep.empty()) {
    throw Error(ErrorCode::usage, "either all inertial parameters are symbols, or the kept ones: not both");
  }
  dense_ = options.dense && needs.inertias;
  if (dense_) make_dense();
  others_ = other_values(needs.derivatives);
}

void Scenes::make_dense() {
  Random random(1);
  values_ = without_elements(std::move(values_));
  values_.rotor_ties.clear();
  for (Body<double>& b : values_.bodies) {
    b.armature = b.stiffness = 0.0;
    // a body: point masses around its frame
    b.inertia = {};
    for (int k = 0; k < 5; ++k) {
      const Vec3<double> r{random.between(-1.0, 1.0), random.between(-1.0, 1.0), random.between(-1.0, 1.0)};
      b.inertia += RigidInertia<double>::about_com(random.between(0.5, 1.0), r, Mat3<double>::zero());
    }
  }
}

std::vector<Scenes::DenseSymbol> Scenes::dense_symbols(const Variant& v) const {
  const Model<double> model = snapped(values_, options_.snap),
                      fewer = regroup_ ? regrouped(model, kRounding, loads_) : model;
  CanonicalTree<double> tree = canonical_tree(fewer, v.near_parent);
  if (regroup_) regauge(tree, fewer, v.gauges.empty() ? Gauges(tree.links.size(), Gauge::child) : v.gauges, loads_);
  std::vector<DenseSymbol> symbols;
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    const auto& link = tree.links[i];
    SecondMoments<double> P = link.inertia;
    if (turned_with_both(v, i, P)) {
      P.E(0, 0) = link.mean;
      P.E(1, 1) = link.spread;
    }
    for (int e = 0; e < 10; ++e) {
      if (entry_of(P, e) != 0.0) symbols.push_back({i, e, entry_of(P, e)});
    }
  }
  return symbols;
}
Scene Scenes::scene(const std::vector<Expr>& p, const Variant& v) const {
  ParameterValues<Expr> values;
  for (const auto& [name, value] : options_.values) values[name] = value;
  for (std::size_t k = 0; k < options_.keep.size(); ++k) values[options_.keep[k]] = p[k];
  Scene s;
  s.model = snapped(instantiate<Expr>(mechanism_, values), options_.snap);
  if (dense_) {
    s.model = without_elements(std::move(s.model));
    s.model.rotor_ties.clear();
    for (Body<Expr>& b : s.model.bodies) b.armature = b.stiffness = 0.0;
  }
  // inertias that load bearings must not be moved
  const bool passes_cuts = std::none_of(loads_.begin(), loads_.end(), [](bool load) { return load; });
  s.fewer = !regroup_ ? s.model : regrouped(passes_cuts ? masses_over_cuts(s.model) : s.model, kRounding, loads_);
  s.tree = canonical_tree(s.fewer, v.near_parent);
  if (regroup_)
    regauge(s.tree, s.fewer, v.gauges.empty() ? Gauges(s.tree.links.size(), Gauge::child) : v.gauges, loads_);
  if (dense_) {
    put_dense(s, p, v);
    s.model = s.fewer = canonical_model(s.tree, s.fewer);
  }
  return s;
}

void Scenes::put_dense(Scene& s, const std::vector<Expr>& p, const Variant& v) const {
  for (auto& link : s.tree.links) link.inertia = {};
  const std::vector<DenseSymbol> symbols = dense_symbols(v);
  std::vector<bool> both(s.tree.links.size(), false);
  for (std::size_t k = 0; k < symbols.size(); ++k) {
    const auto& [i, entry, value] = symbols[k];
    SecondMoments<Expr>& P = s.tree.links[i].inertia;
    const Expr& e = p[k];
    if (entry == 0) P.m = e;
    if (entry >= 1 && entry < 4) P.h[entry - 1] = e;
    constexpr int rows[] = {0, 0, 1, 0, 1, 2}, columns[] = {0, 1, 1, 2, 2, 2};
    if (entry >= 4) P.E(rows[entry - 4], columns[entry - 4]) = P.E(columns[entry - 4], rows[entry - 4]) = e;
  }
  for (std::size_t i = 0; i < s.tree.links.size(); ++i) {
    auto& link = s.tree.links[i];
    SecondMoments<Expr>& P = link.inertia;
    if (v.method.in_carrier.empty() || !v.method.in_carrier[i] || is_zero(P.E(0, 0)) || is_zero(P.E(1, 1))) {
      link.set_mean_and_spread();
      continue;
    }
    link.mean = P.E(0, 0);
    link.spread = P.E(1, 1);
    P.E(0, 0) = link.mean + link.spread;
    P.E(1, 1) = link.mean - link.spread;
  }
}

std::vector<std::string> Scenes::names(const Variant& v) const {
  if (!dense_) return options_.keep;
  std::vector<std::string> list;
  constexpr const char* entries[] = {"m", "hx", "hy", "hz", "Exx", "Exy", "Eyy", "Exz", "Eyz", "Ezz"};
  for (const DenseSymbol& s : dense_symbols(v)) {
    list.push_back(fmt::format("{}{}", entries[s.entry], s.link + 1));
  }
  return list;
}

std::vector<double> Scenes::parameter_values(const Variant& v) const {
  std::vector<double> list;
  if (dense_) {
    for (const DenseSymbol& s : dense_symbols(v)) list.push_back(s.value);
    return list;
  }
  const FormulaValues<double> values(mechanism_, options_.values);
  for (const std::string& name : options_.keep) {
    for (const Parameter& p : mechanism_.parameters) {
      if (p.name == name) list.push_back(options_.values.contains(name) ? options_.values.at(name) : values(p.value));
    }
  }
  return list;
}

std::vector<OtherValues> Scenes::other_values(bool of_derivatives) const {
  if (dense_ || options_.keep.empty()) return {};
  constexpr int kSets = 10;
  const std::vector<double> own = parameter_values({});
  Random random(7);
  std::vector<OtherValues> list;
  for (int k = 0; k < kSets; ++k) {
    OtherValues other{own, {}, {}};
    ParameterValues<double> values = options_.values;
    for (std::size_t i = 0; i < own.size(); ++i) {
      double& x = other.p[i];
      x = x == 0.0 ? random.between(-1.0, 1.0) : x * random.between(0.5, 1.5);
      if (k % 5 != 0 && random.chance(0.5)) x = random.chance(0.5) ? 0.0 : 0.5 * std::numbers::pi;
      values[options_.keep[i]] = x;
    }
    other.model = instantiate<double>(mechanism_, values);
    if (of_derivatives) other.moving = moving(other.p);
    list.push_back(std::move(other));
  }
  return list;
}

std::vector<Model<Dual>> Scenes::moving(const std::vector<double>& kept) const {
  ParameterValues<Dual> still;
  for (const auto& [name, value] : options_.values) still[name] = value;
  for (std::size_t k = 0; k < options_.keep.size(); ++k) still[options_.keep[k]] = kept[k];
  std::vector<Model<Dual>> list;
  for (const std::string& name : options_.keep) {
    ParameterValues<Dual> moving = still;
    moving[name].d = 1.0;
    list.push_back(instantiate<Dual>(mechanism_, moving));
  }
  return list;
}

}  // namespace lw
