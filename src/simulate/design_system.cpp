#include "design_system.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "../base/index.hpp"
#include "../codegen/compile.hpp"
#include "../model/coordinate_rates.hpp"

namespace lw {

std::shared_ptr<Compiled> compiled_design(const std::string& name, const std::vector<Function>& functions, bool native,
                                          const JitOptions& jit_options) {
  Program program;
  program.name = identifier(name);
  program.robot = name;
  program.functions = functions;
  JitOptions options = jit_options;
  if (!native) options.compiler = "-";  // none has that name
  return std::make_shared<Compiled>(jit(program, options));
}

FlatFunction::FlatFunction(std::shared_ptr<Compiled> code, std::string name, std::size_t inputs)
    : code_(std::move(code)), name_(std::move(name)), inputs_(inputs, 0.0), flat_(code_->flat(name_)) {}

void FlatFunction::operator()(std::span<double> outputs) {
  if (flat_ != nullptr) {
    flat_(inputs_.data(), outputs.data());
  } else {
    (*code_)(name_, inputs_, outputs);
  }
}

DesignSystem::DesignSystem(DesignParameters design, DesignFormulas formulas, DesignSystemOptions options)
    : design_(std::move(design)),
      formulas_(std::move(formulas)),
      options_(std::move(options)),
      model_(design_.model<double>(design_.values())),
      nq_(lw::at(model_.nq)),
      nv_(lw::at(model_.nv)),
      nz_(formulas_.integrands.size()),
      b_(design_.values()),
      functions_([&] {
        formulas_.torques.resize(nv_);
        return forward_functions(design_, formulas_, options_.friction);
      }()) {
  std::vector<Function> all;
  for (const DesignFunctions::Three* three : {&functions_.rates, &functions_.outputs}) {
    for (const Function* f : {&three->value, &three->along, &three->back}) {
      all.push_back(options_.fixed ? at_values(*f, b_) : shortened(*f));
    }
  }
  code_ = compiled_design(design_.mechanism().name + "_design", all, options_.compiled, options_.jit);
  own_.push_back(compiled3("rates"));
  own_.push_back(compiled3("outputs"));
}

DesignSystem::Compiled3 DesignSystem::compiled3(const char* name) {
  const std::size_t x = 1 + nv_ + nq_ + nv_ + (options_.fixed ? 0 : b_.size());
  const std::size_t n = std::string(name) == "rates" ? states() : outputs();
  const std::string text = name;
  return {FlatFunction(code_, text, x), FlatFunction(code_, text + "-along", x + nq_ + nv_ + b_.size()),
          FlatFunction(code_, text + "-back", x + n)};
}

void DesignSystem::set(std::span<const double> b) {
  require(!options_.fixed, "the parameters of this design are fixed");
  require(b.size() == b_.size(), "as many values as parameters of the design");
  b_.assign(b.begin(), b.end());
}

// t, u, y, p; what comes behind is left to fill in.
std::span<double> DesignSystem::begin(FlatFunction& f, double t, In y) {
  const std::span<double> in = f.inputs();
  in[0] = t;
  if (options_.inputs) options_.inputs(t, inside_, in.subspan(1, nv_));
  std::copy_n(y.begin(), nq_ + nv_, in.begin() + static_cast<std::ptrdiff_t>(1 + nv_));
  const std::size_t p = 1 + nv_ + nq_ + nv_;
  if (options_.fixed) return in.subspan(p);
  std::copy(b_.begin(), b_.end(), in.begin() + static_cast<std::ptrdiff_t>(p));
  return in.subspan(p + b_.size());
}

void DesignSystem::value(Of of, double t, In y, Out result) {
  FlatFunction& f = own_[of == Of::rates ? 0 : 1].value;
  begin(f, t, y);
  f(result);
}

void DesignSystem::along(Of of, double t, In y, In dy, In db, Out result) {
  FlatFunction& f = own_[of == Of::rates ? 0 : 1].along;
  const std::span<double> rest = begin(f, t, y);
  std::copy_n(dy.begin(), nq_ + nv_, rest.begin());
  std::copy(db.begin(), db.end(), rest.begin() + static_cast<std::ptrdiff_t>(nq_ + nv_));
  f(result);
}

void DesignSystem::back(Of of, double t, In y, In w, Out y_bar, Out b_bar) {
  FlatFunction& f = own_[of == Of::rates ? 0 : 1].back;
  std::copy(w.begin(), w.end(), begin(f, t, y).begin());
  bars_.resize(nq_ + nv_ + b_.size());
  f(bars_);
  for (std::size_t k = 0; k < nq_ + nv_; ++k) y_bar[k] += bars_[k];
  for (std::size_t k = 0; k < b_.size(); ++k) b_bar[k] += bars_[nq_ + nv_ + k];
}

std::vector<std::size_t> DesignSystem::quaternions() const {
  std::vector<std::size_t> places;
  for (const JointInfo& joint : model_.joints) {
    if (joint.type == JointType::spherical) places.push_back(lw::at(joint.q));
    if (joint.type == JointType::floating) places.push_back(lw::at(joint.q) + 3);
  }
  return places;
}

std::vector<double> tangent_of(const Model<double>& model, std::span<const double> q, std::span<const double> dq) {
  const auto nv = lw::at(model.nv);
  std::vector<double> v(nv), unit(nv, 0.0), column(q.size());
  for (std::size_t k = 0; k < nv; ++k) {
    unit[k] = 1.0;
    coordinate_rates<double>(model, q, unit, column);
    unit[k] = 0.0;
    double product = 0.0, square = 0.0;
    for (std::size_t c = 0; c < q.size(); ++c) product += column[c] * dq[c], square += column[c] * column[c];
    v[k] = product / square;
  }
  return v;
}

}  // namespace lw
