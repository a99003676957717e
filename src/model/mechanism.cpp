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

const char* to_string(JointType type) { return facts(type).name; }
int coordinates(JointType type) { return facts(type).nq; }
int velocities(JointType type) { return facts(type).nv; }

const Link* Mechanism::find_link(const std::string& wanted) const {
  const auto place = std::find_if(links.begin(), links.end(), [&](const Link& l) { return l.name == wanted; });
  return place == links.end() ? nullptr : &*place;
}

const Link* Mechanism::find_joint(const std::string& wanted) const {
  const auto place = std::find_if(links.begin(), links.end(), [&](const Link& l) { return l.joint.name == wanted; });
  return place == links.end() ? nullptr : &*place;
}

}  // namespace lw
