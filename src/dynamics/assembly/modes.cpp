#include "modes.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "../../base/index.hpp"
#include "../../model/placement.hpp"
#include "../kinematics/closure.hpp"
#include "../tree/kinematics.hpp"
#include "link_comparison.hpp"
#include "mode_identity.hpp"
#include "mode_search.hpp"
#include "planar_groups.hpp"

namespace lw {
namespace {

// The closed form as far as it goes, then the search of what is left.
class Enumeration {
 public:
  Enumeration(const Model<double>& model, Workspace<double>& work, In<double> q, const std::vector<int>& held)
      : model_(model),
        work_(work),
        near_(q.begin(), q.end()),
        held_(held),
        size_(mechanism_size(model)),
        links_(model) {}

  Assemblies run() {
    const LoopGraph graph = loop_graph(model_, near_, held_);
    if (graph.tied) {
      search_whole();
      return std::move(result_);
    }
    result_.complete = true;
    std::vector<LoopGraph> states{graph};
    for (const PlanarGroup& step : planar_plan(graph).steps) {
      std::vector<LoopGraph> next;
      bool planar = true;
      for (const LoopGraph& state : states) {
        std::optional<PlanarSolutions> ways = put_together(state, step);
        planar = planar && ways;
        if (!planar) break;
        result_.infinite = result_.infinite || ways->infinite;
        next.insert(next.end(), ways->graphs.begin(), ways->graphs.end());
      }
      if (!planar) break;
      states = std::move(next);
    }
    for (LoopGraph& state : states) {
      if (state.whole()) {
        take(coordinates_from(model_, state, near_));
      } else {
        search(state);
      }
    }
    // where something moves by itself the closed form has no place for it, but there is one: the nearest. Nor may
    // lengths that just fit be lost to rounding.
    if (result_.infinite || result_.found.empty()) {
      take(near_);
      if (result_.infinite && result_.found.empty()) search_whole();
      result_.complete = result_.complete && result_.found.empty() && !result_.infinite;
    }
    return std::move(result_);
  }

 private:
  // Mimics tie coordinates together in ways that a graph of joints does not know.
  void search_whole() {
    const SearchResult found = search_modes(model_, work_, near_, held_);
    note(found);
    for (const std::vector<double>& q : found.found) take(q);
  }

  void search(const LoopGraph& state) {
    const GraphModel rest = model_of(state);
    Workspace<double> work(rest.model);
    const SearchResult found = search_modes(rest.model, work, start_of(state, rest), {}, rest.yokes);
    note(found);
    for (const std::vector<double>& q : found.found) {
      LoopGraph closed = state;
      forward_kinematics<double>(rest.model, work, q);
      take_poses(rest, work, closed);
      take(coordinates_from(model_, closed, near_));
    }
  }

  void note(const SearchResult& found) {
    result_.rarest = result_.starts == 0 ? found.rarest : std::min(result_.rarest, found.rarest);
    result_.starts += found.starts;
    result_.infinite = result_.infinite || found.infinite;
    result_.complete = false;
  }

  // Coordinates of the remaining mechanism where the whole one is as `near` has it.
  std::vector<double> start_of(const LoopGraph& state, const GraphModel& rest) {
    forward_kinematics<double>(model_, work_, near_);
    LoopGraph posed;
    posed.group.assign(rest.model.bodies.size() + 1, 0);
    posed.X.resize(rest.model.bodies.size() + 1);
    for (std::size_t k = 1; k < state.group.size(); ++k) {
      const Frame<double>& group = rest.groups[at(state.group[k])];
      if (group.body < 0) continue;
      posed.X[at(group.body + 1)] = work_.X_W[k - 1] * state.X[k].inverse() * group.X_BF.inverse();
    }
    // bodies inside a joint of several velocities stand where those before them end
    for (const JointInfo& joint : rest.model.joints) {
      for (int k = joint.first_body; k < joint.last_body; ++k) {
        const int parent = rest.model.bodies[at(k)].parent;
        posed.X[at(k + 1)] = posed.X[at(parent + 1)] * rest.model.bodies[at(k)].X_PJ;
      }
    }
    return coordinates_from(rest.model, posed, rest.model.home);
  }

  void take(const std::vector<double>& guess) {
    const Assembled at = assemble_from(model_, work_, guess, held_);
    if (!at.closed) return;
    const double tolerance = at.condition < 1e8 ? 1e-7 * size_ : 1e-4 * size_, apart = links_.key_tolerance(tolerance);
    LinkPoses links = links_.at(work_, at.q);
    for (auto other = known_.lower_bound(links.key - apart); other != known_.end() && other->first <= links.key + apart;
         ++other) {
      if (!links_.same(other->second.links, links, tolerance)) continue;
      Assembled& known = result_.found[other->second.place];
      if (configuration_distance(model_, at.q, near_, size_) < configuration_distance(model_, known.q, near_, size_))
        known = at;
      return;
    }
    const double key = links.key;
    known_.emplace(key, Known{std::move(links), result_.found.size()});
    result_.found.push_back(at);
  }

  const Model<double>& model_;
  Workspace<double>& work_;
  std::vector<double> near_;
  std::vector<int> held_;
  double size_;
  LinkComparison links_;
  struct Known {
    LinkPoses links;
    std::size_t place;  // in result_.found
  };
  std::multimap<double, Known> known_;  // by key, so that few need comparing
  Assemblies result_;
};

bool before(const AssemblyMode& a, const AssemblyMode& b) {
  for (std::size_t k = 0; k < a.pose.size(); ++k) {
    if (std::abs(a.pose[k] - b.pose[k]) > 1e-7) return a.pose[k] < b.pose[k];
  }
  for (std::size_t k = 0; k < a.at.q.size(); ++k) {
    if (std::abs(a.at.q[k] - b.at.q[k]) > 1e-7) return a.at.q[k] < b.at.q[k];
  }
  return false;
}

}  // namespace

Assemblies all_assemblies(const Model<double>& model, Workspace<double>& work, In<double> q,
                          const std::vector<int>& held) {
  check_sizes("all_assemblies", model, work, {{"q", q.size(), model.nq}});
  return Enumeration(model, work, q, held).run();
}

std::array<double, 6> pose_at(const Model<double>& model, Workspace<double>& work, In<double> q, int frame) {
  forward_kinematics<double>(model, work, q);
  const Transform<double> X = frame_pose(model, work, frame);
  const Vec3<double> rpy = rpy_from_rotation(X.R);
  return {X.p[0], X.p[1], X.p[2], rpy[0], rpy[1], rpy[2]};
}

AssemblyModes assembly_modes(const Model<double>& model, In<double> actuated, int frame) {
  Workspace<double> work(model);
  const Assembled home = assemble_home(model);
  const std::vector<int> held = driving_velocities(model, work, home);
  std::vector<double> q = home.q;
  const std::vector<int> places = actuated_coordinates(model);
  check_sizes("assembly_modes", model, {{"actuated", actuated.size(), static_cast<int>(places.size())}});
  for (std::size_t k = 0; k < places.size(); ++k) q[at(places[k])] = actuated[k];
  std::vector<double> led;
  std::string why_not;
  try {
    led = continue_to(model, work, home, actuated).q;
  } catch (const Error& e) {
    why_not = e.what();  // no mode is that of home: the straight line does not lead there
  }
  // more actuated joints than freedoms: all of them as given, or it is no mode
  Assemblies all = all_assemblies(model, work, led.empty() ? q : led, actuated_velocities(model));
  AssemblyModes result{{}, all.complete, all.infinite, all.starts, all.rarest, why_not};
  const LinkComparison links(model);
  const LinkPoses from_home = links.at(work, led.empty() ? q : led);
  const ModeIdentity identity(model, work, home.q, held);
  const double size = mechanism_size(model);
  for (Assembled& found : all.found) {
    AssemblyMode mode;
    mode.pose = pose_at(model, work, found.q, frame);
    mode.signs = identity.at(work, found.q).signs;
    mode.from_home = !led.empty() && links.same(links.at(work, found.q), from_home, 1e-6 * size);
    mode.at = std::move(found);
    result.modes.push_back(std::move(mode));
  }
  std::sort(result.modes.begin(), result.modes.end(), before);
  return result;
}

}  // namespace lw
