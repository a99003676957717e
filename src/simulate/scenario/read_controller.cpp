// Controllers of scenario files: a law, its joints, gains, and a trajectory that they follow.
#include <algorithm>

#include <fmt/format.h>

#include "../../base/text.hpp"
#include "scenario_fields.hpp"

namespace lw {
namespace {

class ControllerReader {
 public:
  explicit ControllerReader(ScenarioFields& fields) : f_(fields) {}

  ScenarioController whole(const YamlNode& node) {
    const Fields fields(f_.reader(), node, "a controller", {"law", "joints", "kp", "kd", "ki", "trajectory"});
    if (const YamlNode* n = fields.require("law", "law: computed-torque, pd or pid")) {
      c_.kind =
          static_cast<JointLaw::Kind>(std::max(0, f_.reader().choice(*n, "law", {"pd", "pid", "computed-torque"})));
    }
    if (const YamlNode* n = fields.find("joints")) {
      for (const YamlNode* j : f_.reader().items(*n, "joints", true))
        add_joint(j->where, f_.reader().word(*j, "joints"));
    } else {
      for (const JointInfo& j : f_.model().joints) {
        if (j.actuated && coordinates(j.type) == velocities(j.type)) add_joint(node.where, j.name);
      }
    }
    gains(fields, "kp", c_.kp);
    gains(fields, "kd", c_.kd);
    gains(fields, "ki", c_.ki);
    if (c_.kind == JointLaw::Kind::pd && fields.has("ki")) {
      complain(fields.place("ki"), "`pd` has no `ki`", "law: pid has one");
    }
    if (!fields.has("kp") && !fields.has("kd")) {
      complain(node.where, "a controller needs gains", "kp: 100, kd: 20 (one number, or a list with one a joint)");
    }
    if (const YamlNode* n = fields.require("trajectory", "trajectory: {times: [0, 1], points: [[…], […]]}"))
      trajectory(*n);
    return std::move(c_);
  }

 private:
  void complain(const Location& where, const std::string& what, const std::string& hint = {}) {
    f_.complaints().error(where, what, hint);
  }

  // All velocities of a joint, or one of them.
  void add_joint(const Location& where, const std::string& name) {
    for (const JointInfo& j : f_.model().joints) {
      for (int k = 0; k < velocities(j.type); ++k) {
        const std::string& one = f_.model().velocity_names[static_cast<std::size_t>(j.v + k)];
        if (j.name != name && one != name) continue;
        if (coordinates(j.type) != velocities(j.type)) {
          complain(where, fmt::format("`{}` is a {} joint: a controller takes joints without quaternions", j.name,
                                      to_string(j.type)));
          return;
        }
        f_.require_motor(where, j.v + k);
        c_.q.push_back(j.q + k);
        c_.v.push_back(j.v + k);
        if (one == name) return;
      }
      if (j.name == name) return;
    }
    f_.unknown_joint(where, name, f_.model().velocity_names);
  }

  void gains(const Fields& fields, const char* key, std::vector<double>& to) {
    to.assign(c_.v.size(), 0.0);
    const YamlNode* n = fields.find(key);
    if (n == nullptr) return;
    if (n->kind != YamlNode::Kind::list) {
      to.assign(c_.v.size(), f_.at_least(*n, key, 0.0, true));
    } else if (n->items.size() != c_.v.size()) {
      complain(n->where,
               fmt::format("`{}` should be one number or {}, one a joint, not {}", key, c_.v.size(), n->items.size()));
    } else {
      for (std::size_t k = 0; k < to.size(); ++k) to[k] = f_.at_least(*n->items[k], key, 0.0, true);
    }
  }

  void trajectory(const YamlNode& node) {
    const Fields fields(f_.reader(), node, "`trajectory`", {"times", "points", "kind", "file"});
    try {
      if (const YamlNode* n = fields.find("file")) {
        for (const char* other : {"times", "points", "kind"}) {
          if (fields.has(other)) complain(fields.place(other), fmt::format("`{}` does not go with `file`", other));
        }
        from_file(*n);
        return;
      }
      const YamlNode* t = fields.require("times");
      const YamlNode* p = fields.require("points");
      if (t == nullptr || p == nullptr) return;
      std::vector<double> times;
      for (const YamlNode* item : f_.reader().items(*t, "times")) times.push_back(f_.number(*item, "times"));
      std::vector<std::vector<double>> points;
      for (const YamlNode* row : f_.reader().items(*p, "points")) {
        if (row->kind != YamlNode::Kind::list || row->items.size() != c_.v.size()) {
          f_.reader().formulas(*row, "points", c_.v.size());  // complains
          continue;
        }
        points.emplace_back();
        for (const auto& item : row->items) points.back().push_back(f_.number(*item, "points"));
      }
      const YamlNode* k = fields.find("kind");
      const int kind = k != nullptr ? f_.reader().choice(*k, "kind", {"rest-to-rest", "cruise", "cycloid"}) : 0;
      if (f_.complaints().failed()) return;
      c_.trajectory = std::make_shared<Trajectory>(kind == 1   ? Trajectory::cruise(times, points)
                                                   : kind == 2 ? Trajectory::cycloidal(times, points)
                                                               : Trajectory::rest_to_rest(times, points));
    } catch (const Error& e) {
      complain(node.where, e.what());
    }
  }

  void from_file(const YamlNode& node) {
    const std::optional<Csv> motion = f_.csv(node, "t,q1,qd1,qdd1");
    if (!motion) return;
    const std::vector<double> t = f_.numbers(node, *motion, "t");
    std::vector<std::vector<Moving<double>>> via(t.size(), std::vector<Moving<double>>(c_.v.size()));
    for (std::size_t k = 0; k < c_.v.size() && !t.empty(); ++k) {
      const auto q = f_.numbers(node, *motion, fmt::format("q{}", c_.q[k] + 1)),
                 qd = f_.numbers(node, *motion, fmt::format("qd{}", c_.v[k] + 1)),
                 qdd = f_.numbers(node, *motion, fmt::format("qdd{}", c_.v[k] + 1));
      if (q.empty() || qd.empty() || qdd.empty()) return;
      for (std::size_t i = 0; i < t.size(); ++i) via[i][k] = {q[i], qd[i], qdd[i]};
    }
    if (!t.empty()) c_.trajectory = std::make_shared<Trajectory>(t, via);
  }

  ScenarioFields& f_;
  ScenarioController c_;
};

}  // namespace

ScenarioController read_controller(ScenarioFields& fields, const YamlNode& node) {
  return ControllerReader(fields).whole(node);
}

}  // namespace lw
