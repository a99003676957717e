#include "plant.hpp"

#include "../../base/index.hpp"
#include "../../model/joints_alone.hpp"
#include "../assembly/assembly.hpp"

namespace lw {
namespace {

std::vector<double> part(In<double> q, const std::vector<int>& places) {
  std::vector<double> list;
  list.reserve(places.size());
  for (const int k : places) list.push_back(q[at(k)]);
  return list;
}

}  // namespace

Plant::Plant(const Mechanism& from, const ParameterValues<double>& given) : Plant(instantiate<double>(from, given)) {
  mechanism = from;
  values = given;
}

Plant::Plant(Model<double> given)
    : model(with_drivers(std::move(given))),
      plan(plan_loops(model)),
      minimal(led_by(model, plan.independent)),
      home(assemble_home(minimal).q),
      joints(joints_alone(model, plan.independent)),
      motors(joints_alone(model, plan.actuated)) {
  joints.home = independent(home);
}

std::vector<double> Plant::independent(In<double> q) const { return part(q, plan.independent_q); }
std::vector<double> Plant::dependent(In<double> q) const { return part(q, plan.dependent_q); }

}  // namespace lw
