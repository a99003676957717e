#include "design_system.hpp"

#include <algorithm>

#include "../../base/index.hpp"
#include "../../codegen/compile.hpp"
#include "../../model/coordinate_rates.hpp"

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
      options_([&] {
        if (!options.loops) options.loops = std::make_shared<LoopPath>(design_);
        return std::move(options);
      }()),
      model_(design_.model<double>(design_.values())),
      losses_(loops().losses(options_.friction)),
      nq_(lw::at(state_model().nq)),
      nv_(lw::at(state_model().nv)),
      nz_(formulas_.integrands.size()),
      b_(design_.values()),
      functions_([&] {
        formulas_.torques.resize(nu());
        return forward_functions(design_, formulas_, losses_, loops().plan());
      }()),
      jumps_(force_jumps(model_, losses_ != DesignLosses::none)) {}

std::vector<double> DesignSystem::configuration(double t, In y) const { return loops().at(t, y.first(nq_)); }

void DesignSystem::stepped(double t, In y, In next) {
  loops().passed(t, y.first(nq_));
  refuse_jumps(t, y, next);
}

// With loops, friction is smooth: what is left are stops and backlash, of all joints.
void DesignSystem::refuse_jumps(double t, In y, In next) const {
  if (jumps_.empty()) return;
  const std::vector<double> q = configuration(t, y), q_next = configuration(t, next);
  for (const ForceJump<double>& jump : jumps_) {
    if (!on_one_side(jump, jump(q, y.subspan(nq_, nv_)), jump(q_next, next.subspan(nq_, nv_)))) refuse_jump(jump, t);
  }
}

FlatFunction DesignSystem::made(Of of, Product product) {
  const DesignFunctions::Three& three = of == Of::rates ? functions_.rates : functions_.outputs;
  const Function& traced = product == kValue ? three.value : product == kAlong ? three.along : three.back;
  const Function f = options_.fixed ? at_values(traced, b_) : shortened(traced);
  const auto code = compiled_design(design_.mechanism().name + "_design", {f}, options_.compiled, options_.jit);
  for (const std::string& note : code->notes()) {
    if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) notes_.push_back(note);
  }
  return FlatFunction(code, f.name(), f.input_size());
}

void DesignSystem::set(std::span<const double> b) {
  require(!options_.fixed, "the parameters of this design are fixed");
  require(b.size() == b_.size(), "the design needs one value per parameter");
  b_.assign(b.begin(), b.end());
  jumps_ = force_jumps(design_.model<double>(b_), losses_ != DesignLosses::none);
}

// t, u, y, p; what comes behind is left to fill in.
std::span<double> DesignSystem::begin(FlatFunction& f, double t, In y) {
  const std::span<double> in = f.inputs();
  in[0] = t;
  if (options_.inputs) options_.inputs(t, inside_, in.subspan(1, nu()));
  std::size_t p = 1 + nu();
  const auto add = [&](In values) {
    std::copy(values.begin(), values.end(), in.begin() + static_cast<std::ptrdiff_t>(p));
    p += values.size();
  };
  add(loops().at(t, y.first(nq_)));
  add(y.subspan(nq_, nv_));
  if (options_.fixed) return in.subspan(p);
  std::copy(b_.begin(), b_.end(), in.begin() + static_cast<std::ptrdiff_t>(p));
  return in.subspan(p + b_.size());
}

void DesignSystem::value(Of of, double t, In y, Out result) {
  FlatFunction& f = function(of, kValue);
  begin(f, t, y);
  f(result);
}

void DesignSystem::along(Of of, double t, In y, In dy, In db, Out result) {
  FlatFunction& f = function(of, kAlong);
  const std::span<double> rest = begin(f, t, y);
  std::copy_n(dy.begin(), nq_ + nv_, rest.begin());
  std::copy(db.begin(), db.end(), rest.begin() + static_cast<std::ptrdiff_t>(nq_ + nv_));
  f(result);
}

void DesignSystem::back(Of of, double t, In y, In w, Out y_bar, Out b_bar) {
  FlatFunction& f = function(of, kBack);
  std::copy(w.begin(), w.end(), begin(f, t, y).begin());
  bars_.resize(nq_ + nv_ + b_.size());
  f(bars_);
  for (std::size_t k = 0; k < nq_ + nv_; ++k) y_bar[k] += bars_[k];
  for (std::size_t k = 0; k < b_.size(); ++k) b_bar[k] += bars_[nq_ + nv_ + k];
}

std::vector<std::size_t> DesignSystem::quaternions() const {
  std::vector<std::size_t> places;
  for (const JointInfo& joint : state_model().joints) {
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
