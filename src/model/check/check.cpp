#include "check.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

namespace lw {
namespace {

// Names go into CSV headers, lists on the command line and messages.
bool is_usable_name(const std::string& name) {
  return std::none_of(name.begin(), name.end(),
                      [](char c) { return c == ',' || static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

class StructureCheck {
 public:
  StructureCheck(const Mechanism& mechanism, const NamePlaces& places, Complaints& complaints)
      : m_(mechanism), places_(places), complaints_(complaints) {}

  void run() {
    index_names();
    for (std::size_t k = 0; k < m_.links.size(); ++k) parent(k);
    cycles();
    for (const Link& link : m_.links) joint(link.joint);
    for (std::size_t k = 0; k < m_.loops.size(); ++k) loop(k);
    for (std::size_t k = 0; k < m_.payloads.size(); ++k) payload(k);
    for (const auto& [name, values] : m_.home) home(name, values);
    for (std::size_t k = 0; k < m_.couplings.size(); ++k) coupling(k);
    for (std::size_t k = 0; k < m_.springs.size(); ++k) spring(k);
    for (std::size_t k = 0; k < m_.forces.size(); ++k) force(k);
    for (std::size_t k = 0; k < m_.shafts.size(); ++k) shaft(k);
    drives();
  }

 private:
  // Indexes by name; a second owner of a name is an error.
  void index_names() {
    for (std::size_t k = 0; k < m_.links.size(); ++k) {
      const Link& link = m_.links[k];
      some_name_missing_ = some_name_missing_ || link.name.empty();
      usable("link", link.name, places_.links[k].name);
      usable("joint", link.joint.name, places_.links[k].joint_name);
      if (!link.name.empty()) {
        if (link.name == m_.base) {
          complaints_.error(places_.links[k].name,
                            fmt::format("the link {} has the same name as the base", in_quotes(link.name)),
                            "rename the link, or the base (`base: world`)");
        }
        const auto [first, fresh] = links_.try_emplace(link.name, k);
        if (!fresh) twice("link", link.name, places_.links[first->second].name, places_.links[k].name);
      }
      if (!link.joint.name.empty()) {
        const auto [first, fresh] = joints_.try_emplace(link.joint.name, k);
        // two links with the same name whose joints are named after them are one error, not two
        const bool said = m_.links[first->second].name == link.name && link.joint.name == link.name;
        if (!fresh && !said)
          twice("joint", link.joint.name, places_.links[first->second].joint_name, places_.links[k].joint_name);
      }
    }
  }

  void usable(const char* kind, const std::string& name, const Location& where) {
    if (is_usable_name(name) || unusable_.contains(name)) return;
    unusable_.insert(name);
    complaints_.error(where,
                      fmt::format("the {} name {} contains a comma or a control character", kind, in_quotes(name)),
                      "names are used in lists and in headers of CSV files");
  }

  void twice(const char* kind, const std::string& name, const Location& first, const Location& second) {
    complaints_.error(second,
                      fmt::format("duplicate {} {}; first defined in line {}", kind, in_quotes(name), first.line),
                      "names must be unique");
  }

  bool is_link(const std::string& name) const { return name == m_.base || links_.contains(name); }

  std::vector<std::string> link_names() const {
    std::vector<std::string> names{m_.base};
    for (const Link& link : m_.links) names.push_back(link.name);
    return names;
  }

  // If a name could not be read, references to it are not reported.
  void unknown_link(const std::string& name, const Location& where, const char* role) {
    if (name.empty() || some_name_missing_) return;
    complaints_.error(where, fmt::format("unknown {} {}", role, in_quotes(name)),
                      complaints_.full() ? "" : suggestion(name, link_names()));
  }

  void parent(std::size_t k) {
    const Link& link = m_.links[k];
    if (link.parent == link.name && !link.name.empty() && link.name != m_.base) {
      complaints_.error(places_.links[k].parent, fmt::format("the link {} is its own parent", in_quotes(link.name)));
    } else if (!is_link(link.parent)) {
      unknown_link(link.parent, places_.links[k].parent, "parent");
    }
  }

  // Every link has one parent, so a walk upwards ends at the base, at an unknown name, or in a cycle.
  void cycles() {
    std::vector<std::size_t> walk(m_.links.size(), 0);  // number of the walk that visited the link
    for (std::size_t start = 0; start < m_.links.size(); ++start) {
      std::size_t k = start;
      while (walk[k] == 0) {
        walk[k] = start + 1;
        const auto up = links_.find(m_.links[k].parent);
        if (up == links_.end() || m_.links[k].parent == m_.base || up->second == k) break;
        k = up->second;
        if (walk[k] == start + 1) report_cycle(k);
      }
    }
  }

  void report_cycle(std::size_t first) {
    std::string names;
    std::size_t k = first, count = 0;
    do {
      if (count++ < 10) names += (names.empty() ? "" : ", ") + in_quotes(m_.links[k].name);
      k = links_.at(m_.links[k].parent);
    } while (k != first);
    complaints_.error(
        places_.links[first].parent,
        fmt::format("the links {}{} form a cycle of parents", names, count > 10 ? ", …" : ""),
        "the parent of one of them must be the base or another link; a closed loop is cut at one joint, which "
        "goes under `loops`");
  }

  void joint(const Joint& joint) {
    const Limits& l = joint.limits;
    const bool limited = l.lower || l.upper || l.velocity || l.effort || l.stiffness || l.damping;
    if (limited && coordinates(joint.type) > 1) {
      complaints_.error(joint.where, fmt::format("a {} joint cannot have `limits`", to_string(joint.type)),
                        "only revolute and prismatic joints have them");
    }
    if (joint.mimic) mimic(joint, *joint.mimic);
  }

  void mimic(const Joint& joint, const Mimic& mimic) {
    if (coordinates(joint.type) != 1) {
      complaints_.error(mimic.where, fmt::format("a {} joint cannot mimic another", to_string(joint.type)),
                        "only revolute and prismatic joints can");
    }
    if (mimic.joint.empty()) return;
    const auto place = joints_.find(mimic.joint);
    if (place == joints_.end()) {
      if (!some_name_missing_) {
        complaints_.error(
            mimic.where,
            fmt::format("joint {} mimics an unknown joint {}", in_quotes(joint.name), in_quotes(mimic.joint)),
            complaints_.full() ? "" : suggestion(mimic.joint, movable_joints()));
      }
      return;
    }
    const Joint& leader = m_.links[place->second].joint;
    if (mimic.joint == joint.name) {
      complaints_.error(mimic.where, fmt::format("the joint {} mimics itself", in_quotes(joint.name)));
    } else if (leader.mimic) {
      complaints_.error(mimic.where, fmt::format("the joint {} is itself a mimic joint", in_quotes(mimic.joint)),
                        fmt::format("follow {} directly", in_quotes(leader.mimic->joint)));
    } else if (coordinates(leader.type) != 1) {
      complaints_.error(
          mimic.where,
          fmt::format("the {} joint {} cannot be mimicked", to_string(leader.type), in_quotes(mimic.joint)),
          "a mimic joint follows a joint with one coordinate");
    }
  }

  std::vector<std::string> movable_joints() const {
    std::vector<std::string> names;
    for (const Link& link : m_.links) {
      if (link.joint.type != JointType::fixed && !link.joint.mimic) names.push_back(link.joint.name);
    }
    return names;
  }

  void loop(std::size_t k) {
    const Loop& loop = m_.loops[k];
    if (!loop.name.empty()) {
      const auto [first, fresh] = loops_.try_emplace(loop.name, k);
      if (!fresh) twice("loop", loop.name, m_.loops[first->second].where, loop.where);
    }
    for (std::size_t side = 0; side < 2; ++side) {
      if (!is_link(loop.between[side])) unknown_link(loop.between[side], places_.loops[k][side], "link");
    }
    if (loop.between[0] == loop.between[1] && !loop.between[0].empty()) {
      complaints_.error(places_.loops[k][1], fmt::format("the loop connects {} to itself", in_quotes(loop.between[0])),
                        "`between` must name two different links");
    }
    if (loop.type == JointType::floating) {
      complaints_.error(loop.where, "a floating joint cannot close a loop");
    }
  }

  void payload(std::size_t k) {
    const std::string& link = m_.payloads[k].link;
    if (!is_link(link)) {
      unknown_link(link, places_.payloads[k], "link");
    } else if (m_.stands_still(link)) {
      complaints_.warning(places_.payloads[k],
                          link == m_.base ? "a payload on the base has no effect"
                                          : fmt::format("a payload on {} has no effect: the link is fixed to the base",
                                                        in_quotes(link)));
    }
  }

  void home(const std::string& name, const std::vector<Formula>& values) {
    const auto known_place = places_.home.find(name);
    const Location where = known_place != places_.home.end() ? known_place->second : m_.where;
    const auto place = joints_.find(name);
    if (place == joints_.end()) {
      if (!some_name_missing_) {
        complaints_.error(where, fmt::format("`home` of an unknown joint {}", in_quotes(name)),
                          complaints_.full() ? "" : suggestion(name, movable_joints()));
      }
      return;
    }
    const Joint& joint = m_.links[place->second].joint;
    const auto expected = static_cast<std::size_t>(coordinates(joint.type));
    if (joint.mimic || expected == 0) {
      complaints_.error(where, fmt::format("the {} joint {} has no coordinate of its own",
                                           joint.mimic ? "mimic" : "fixed", in_quotes(name)));
    } else if (values.size() != expected) {
      complaints_.error(where, fmt::format("the {} joint {} has {} coordinate{}, not {}", to_string(joint.type),
                                           in_quotes(name), expected, expected == 1 ? "" : "s", values.size()));
    }
  }

  // Checks that a name is unique among its kind.
  void own_name(const char* kind, const std::string& name, const Location& where,
                std::map<std::string, Location>& taken) {
    if (name.empty()) return;
    usable(kind, name, where);
    const auto [first, fresh] = taken.try_emplace(name, where);
    if (!fresh) twice(kind, name, first->second, where);
  }

  // The joint of this name if it has its own single coordinate; otherwise null, with an error.
  const Joint* single_joint(const std::string& name, const Location& where, const char* what) {
    if (name.empty()) return nullptr;
    const auto place = joints_.find(name);
    if (place == joints_.end()) {
      if (!some_name_missing_) {
        complaints_.error(where, fmt::format("unknown joint {}", in_quotes(name)),
                          complaints_.full() ? "" : suggestion(name, movable_joints()));
      }
      return nullptr;
    }
    const Joint& joint = m_.links[place->second].joint;
    if (velocities(joint.type) == 1 && !joint.mimic) return &joint;
    complaints_.error(
        where,
        fmt::format("the {} joint {} in a {}", joint.mimic ? "mimic" : to_string(joint.type), in_quotes(name), what),
        "only revolute and prismatic joints with their own coordinate are allowed here");
    return nullptr;
  }

  void coupling(std::size_t k) {
    const Coupling& c = m_.couplings[k];
    own_name("coupling", c.name, c.where, couplings_);
    for (std::size_t i = 0; i < c.joints.size(); ++i) {
      const Location& where = places_.couplings[k][i];
      const Joint* joint = single_joint(c.joints[i], where, "coupling");
      if (joint == nullptr) continue;
      if (joint->drive) {
        complaints_.error(where, fmt::format("the joint {} has a `drive` of its own", in_quotes(joint->name)),
                          "a joint is driven either by its own drive or by those of a coupling");
      }
      const auto [first, fresh] = coupled_.try_emplace(joint->name, where);
      if (!fresh) {
        complaints_.error(where, fmt::format("the joint {} is in two couplings; first in line {}",
                                             in_quotes(joint->name), first->second.line));
      }
    }
    for (std::size_t i = 0; i < c.motors.size(); ++i) own_name("motor", c.motors[i], c.drives[i].where, motors_);
  }

  void spring(std::size_t k) {
    const PointSpring& s = m_.springs[k];
    own_name("spring", s.name, s.where, springs_);
    for (std::size_t side = 0; side < 2; ++side) {
      if (!is_link(s.between[side])) unknown_link(s.between[side], places_.springs[k][side], "link");
    }
    if (s.between[0] == s.between[1] && !s.between[0].empty()) {
      complaints_.error(places_.springs[k][1], fmt::format("the spring connects {} to itself", in_quotes(s.between[0])),
                        "`between` must name two different links");
    }
  }

  void force(std::size_t k) {
    const std::string& link = m_.forces[k].link;
    if (!is_link(link)) {
      unknown_link(link, places_.forces[k], "link");
    } else if (m_.stands_still(link)) {
      complaints_.warning(places_.forces[k],
                          fmt::format("a force on {} has no effect: it cannot move", in_quotes(link)));
    }
  }

  void shaft(std::size_t k) {
    const Shaft& s = m_.shafts[k];
    own_name("shaft", s.name, s.where, shafts_);
    const Joint* a = single_joint(s.between[0], places_.shafts[k][0], "shaft");
    const Joint* b = single_joint(s.between[1], places_.shafts[k][1], "shaft");
    if (a == nullptr || b == nullptr) return;
    if (a == b) {
      complaints_.error(places_.shafts[k][1], fmt::format("the shaft connects {} to itself", in_quotes(a->name)),
                        "`between` must name two different joints");
    } else if (a->type != b->type) {
      complaints_.error(
          places_.shafts[k][1],
          fmt::format("the shaft connects a {} joint to a {} joint", to_string(a->type), to_string(b->type)),
          "both turn or both slide");
    }
  }

  void drives() {
    const auto is_driven = [](const Link& link) { return link.joint.actuated; };
    if (m_.loops.empty() || m_.links.empty() || std::any_of(m_.links.begin(), m_.links.end(), is_driven)) return;
    complaints_.warning(m_.loops.front().where, "the mechanism has loops, but no actuated joint",
                        "write `actuated: true` in a joint, or `actuated: [joint, …]` in NAME.loops.yaml");
  }

  const Mechanism& m_;
  const NamePlaces& places_;
  Complaints& complaints_;
  std::map<std::string, std::size_t> links_, joints_, loops_;
  std::map<std::string, Location> couplings_, coupled_, motors_, springs_, shafts_;
  std::set<std::string> unusable_;
  bool some_name_missing_ = false;
};

}  // namespace

void check_structure(const Mechanism& mechanism, const NamePlaces& places, Complaints& complaints) {
  StructureCheck(mechanism, places, complaints).run();
}

void check_finite(const Mechanism& m, const DefaultValues& values, Complaints& complaints) {
  const auto complain = [&](const Formula& f) {
    complaints.error(f.where, fmt::format("{} has no finite value for the given parameters", in_quotes(f.text)));
  };
  bool parameters_known = true;
  for (const Parameter& p : m.parameters) {
    if (std::isfinite(values(p.value))) continue;
    if (parameters_known && !p.value.value.is_constant()) complain(p.value);
    parameters_known = false;
  }
  if (!parameters_known) return;
  for_each_formula(m, [&](const Formula& f) {
    if (!f.value.is_constant() && !std::isfinite(values(f))) complain(f);
  });
}

void check_mechanism(const Mechanism& mechanism, const NamePlaces& places, bool allow_unphysical,
                     Complaints& complaints) {
  check_structure(mechanism, places, complaints);
  const DefaultValues values(mechanism);
  check_finite(mechanism, values, complaints);
  check_geometry(mechanism, values, complaints);
  check_physics(mechanism, values, allow_unphysical, complaints);
  check_forces(mechanism, values, complaints);
  check_sizes(mechanism, values, complaints);
}

}  // namespace lw
