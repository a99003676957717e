#include "reference.hpp"

#include <algorithm>
#include <cmath>

#include "../../base/error.hpp"
#include "../../base/index.hpp"
#include "../../dynamics/loops/loop_position.hpp"
#include "../functions/losses.hpp"
#include "../functions/reference_call.hpp"
#include "../scene/snapping.hpp"

namespace lw {
namespace {

class Calls {
 public:
  Calls(const FunctionRow& row, const Model<double>& model, int frame, bool friction,
        std::shared_ptr<const LoopPlan> plan, std::vector<Model<Dual>> moving)
      : row_(row),
        model_(model),
        frame_(frame),
        friction_(friction),
        plan_(std::move(plan)),
        moving_(std::move(moving)),
        work_(model_, *plan_),
        zero_(at(model.nv), 0.0),
        inputs_(inputs_of(row, *plan_)),
        outputs_(outputs_of(row, *plan_, moving_.size(), parameter_table(model).size())) {}

  void operator()(std::span<const double> in, std::span<double> out) {
    const In<double> q = input("q", in), guess = input("guess", in);
    const LoopPosition<double> there = loop_position<double>(model_, *plan_, q, guess);
    if (!there.converged) return std::fill(out.begin(), out.end(), std::nan(""));
    ReferenceCall call{
        row_,  model_, *plan_, work_,     there.q, q,     input("qd", in), input("qdd", in), input("tau", in),
        guess, {},     frame_, friction_, moving_, parts_};
    std::size_t first = 0;
    for (const Group& g : outputs_) {
      call.out.push_back(out.subspan(first, g.size));
      first += g.size;
    }
    if (!guess.empty()) {
      const Out<double> residual = call.out.back(), dependent = *(call.out.end() - 2);
      call.out.resize(call.out.size() - 2);
      for (std::size_t k = 0; k < dependent.size(); ++k) dependent[k] = there.q[at(plan_->dependent_q[k])];
      std::fill(residual.begin(), residual.end(), 0.0);
    }
    row_.reference(call);
  }

 private:
  In<double> input(std::string_view name, std::span<const double> in) const {
    std::size_t first = 0;
    for (const Group& g : inputs_) {
      if (g.name == name) return in.subspan(first, g.size);
      first += g.size;
    }
    if (name == "guess") return {};
    return In<double>(zero_).first(name == "tau" ? plan_->actuated.size() : plan_->freedoms());
  }

  const FunctionRow& row_;
  const Model<double> model_;
  const int frame_;
  const bool friction_;
  const std::shared_ptr<const LoopPlan> plan_;
  const std::vector<Model<Dual>> moving_;
  PlantWorkspace<double> work_;
  const std::vector<double> zero_;
  const std::vector<Group> inputs_, outputs_;
  ReferenceCall::Parts parts_;
};

Reference with_values(const Traced& traced, const Model<double>& given, const std::vector<Model<Dual>>& moving,
                      bool snapped_model) {
  const double snap = snapped_model ? traced.snap : 0.0;
  std::vector<Model<Dual>> there;
  for (const Model<Dual>& m : moving) there.push_back(snapped(m, snap));
  return reference(snapped(given, snap), traced.row->id, traced.frame, traced.friction, traced.plan, std::move(there));
}

}  // namespace

Reference reference(const Model<double>& model, const FunctionName& function, const std::string& frame, bool friction,
                    std::shared_ptr<const LoopPlan> plan, std::vector<Model<Dual>> moving) {
  if (plan == nullptr) plan = std::make_shared<const LoopPlan>(plan_loops(with_drivers(model)));
  const int number = frame.empty() ? static_cast<int>(model.frames.size()) - 1 : model.frame_index(frame);
  require(number >= 0, "a reference needs a frame of the model");
  auto calls = std::make_shared<Calls>(function.row, model, number, friction, std::move(plan), std::move(moving));
  return [calls](std::span<const double> in, std::span<double> out) { (*calls)(in, out); };
}

Reference reference(const Traced& traced, bool snapped_model) {
  return with_values(traced, traced.model, traced.moving, snapped_model);
}
Reference reference(const Traced& traced, const OtherValues& other, bool snapped_model) {
  return with_values(traced, other.model, other.moving, snapped_model);
}

State StatesFor::next(Random& random) {
  State s = states_.next(random);
  const LoopPlan& plan = *traced_.plan;
  if (traced_.friction && traced_.row->takes(kTau) && plan.actuated == plan.independent)
    s.tau = torques_with_losses(model_, plan, states_.tree_q(), s.qd, s.qdd);
  return s;
}

std::vector<double> inputs_of(const Function& function, const State& state, std::span<const double> p) {
  const std::pair<const char*, std::span<const double>> parts[] = {
      {"q", state.q}, {"qd", state.qd}, {"qdd", state.qdd}, {"tau", state.tau}, {"guess", state.guess}, {"p", p}};
  std::vector<double> in;
  for (const Group& g : function.inputs()) {
    for (const auto& [name, values] : parts) {
      if (g.name == name) in.insert(in.end(), values.begin(), values.end());
    }
  }
  return in;
}

}  // namespace lw
