#include "mechanism.hpp"

#include <algorithm>

namespace lw {
namespace {

struct TypeFacts {
  const char* name;
  int nq, nv;
};
constexpr TypeFacts kTypes[] = {{"fixed", 0, 0},     {"revolute", 1, 1},  {"prismatic", 1, 1}, {"cylindrical", 2, 2},
                                {"universal", 2, 2}, {"spherical", 4, 3}, {"planar", 3, 3},    {"floating", 7, 6}};

const TypeFacts& facts(JointType type) { return kTypes[static_cast<int>(type)]; }

}  // namespace

Inertia::Inertia() = default;
LW_COPIES(Inertia)
Drive::Drive() = default;
LW_COPIES(Drive)
Joint::Joint() = default;
LW_COPIES(Joint)
Link::Link() = default;
LW_COPIES(Link)
Loop::Loop() = default;
LW_COPIES(Loop)
Mechanism::Mechanism() = default;
LW_COPIES(Mechanism)

const char* to_string(JointType type) { return facts(type).name; }
int coordinates(JointType type) { return facts(type).nq; }
int velocities(JointType type) { return facts(type).nv; }

const Link* Mechanism::find_link(const std::string& wanted) const {
  const auto place = std::find_if(links.begin(), links.end(), [&](const Link& l) { return l.name == wanted; });
  return place == links.end() ? nullptr : &*place;
}

bool Mechanism::stands_still(const std::string& wanted) const {
  std::string at = wanted;
  for (std::size_t steps = 0; steps <= links.size(); ++steps) {  // bounded even if links form a cycle
    if (at == base) return true;
    const Link* link = find_link(at);
    if (link == nullptr || link->joint.type != JointType::fixed) return false;
    at = link->parent;
  }
  return false;
}

const Link* Mechanism::find_joint(const std::string& wanted) const {
  const auto place = std::find_if(links.begin(), links.end(), [&](const Link& l) { return l.joint.name == wanted; });
  return place == links.end() ? nullptr : &*place;
}

}  // namespace lw
