#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "complaints.hpp"
#include "directions.hpp"
#include "instantiate_forces.hpp"
#include "placement.hpp"

namespace lw {
namespace {

void refuse_unknown(const std::string& name, const Mechanism& mechanism) {
  std::vector<std::string> known;
  for (const Parameter& p : mechanism.parameters) known.push_back(p.name);
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  throw Error(ErrorCode::usage, "`" + name + "` is not a parameter of " + mechanism.name + "; " +
                                    (known.empty() ? "it has none" : suggestion(name, known)));
}

template <class T>
Transform<T> pose(const ModelValues<T>& at, const Origin& o) {
  return {rotation_of<T>(at, o.rotation), at(o.xyz)};
}

template <class T>
RigidInertia<T> inertia_in_link(const ModelValues<T>& at, const Inertia& inertia) {
  const auto& t = inertia.tensor;
  Mat3<T> I({at(t[0]), at(t[3]), at(t[4])}, {at(t[3]), at(t[1]), at(t[5])}, {at(t[4]), at(t[5]), at(t[2])});
  if (inertia.rotation.kind != Rotation::Kind::none) {
    const Mat3<T> R = rotation_of<T>(at, inertia.rotation);
    I = R * I * transpose(R);
  }
  const T mass = at(inertia.mass);
  const Vec3<T> com = at(inertia.com);
  if (inertia.about_origin) return {mass, mass * com, I};
  return RigidInertia<T>::about_com(mass, com, I);
}

template <class T>
class ModelBuilder {
 public:
  ModelBuilder(const Mechanism& mechanism, const ParameterValues<T>& values)
      : mechanism_(mechanism), at_(mechanism, values) {}

  Model<T> build() {
    model_.name = mechanism_.name;
    model_.gravity = at_(mechanism_.gravity);
    number_coordinates();
    place_links();
    add_payloads();
    for (const Loop& loop : mechanism_.loops) add_loop(loop);
    add_forces<T>(mechanism_, at_, model_);
    find_sparsity();
    return std::move(model_);
  }

 private:
  // coordinates in the file's order; fixed and mimic joints have none
  void number_coordinates() {
    for (const Link& link : mechanism_.links) {
      const Joint& j = link.joint;
      if (j.type == JointType::fixed || j.mimic) continue;
      joint_index_[j.name] = model_.joints.size();
      model_.joints.push_back({j.name, j.type, model_.nq, model_.nv, -1, -1, j.actuated});
      const auto home = mechanism_.home.find(j.name);
      for (int k = 0; k < coordinates(j.type); ++k) {
        const bool is_w = (j.type == JointType::spherical && k == 3) || (j.type == JointType::floating && k == 6);
        model_.home.push_back(home != mechanism_.home.end() ? at_(home->second[static_cast<std::size_t>(k)])
                                                            : T(is_w ? 1.0 : 0.0));
      }
      static const std::map<JointType, std::pair<std::vector<const char*>, std::vector<const char*>>> kNames = {
          {JointType::cylindrical, {{"angle", "slide"}, {"angle", "slide"}}},
          {JointType::universal, {{"first", "second"}, {"first", "second"}}},
          {JointType::planar, {{"x", "y", "angle"}, {"x", "y", "angle"}}},
          {JointType::spherical, {{"qx", "qy", "qz", "qw"}, {"wx", "wy", "wz"}}},
          {JointType::floating, {{"x", "y", "z", "qx", "qy", "qz", "qw"}, {"wx", "wy", "wz", "vx", "vy", "vz"}}}};
      const auto names = kNames.find(j.type);
      if (names == kNames.end()) {
        model_.coordinate_names.push_back(j.name);
        model_.velocity_names.push_back(j.name);
      } else {
        for (const char* n : names->second.first) model_.coordinate_names.push_back(j.name + "." + n);
        for (const char* n : names->second.second) model_.velocity_names.push_back(j.name + "." + n);
      }
      model_.nq += coordinates(j.type);
      model_.nv += velocities(j.type);
    }
  }

  // parents before children, otherwise in the file's order
  void place_links() {
    const std::size_t n = mechanism_.links.size();
    model_.frames.resize(n + 1);
    model_.frames[0] = {mechanism_.base, -1, {}};
    std::map<std::string, std::size_t> frame_of{{mechanism_.base, 0}};
    std::map<std::string, std::vector<std::size_t>> children;
    for (std::size_t k = 0; k < n; ++k) children[mechanism_.links[k].parent].push_back(k);
    std::vector<std::size_t> ready(children[mechanism_.base].rbegin(), children[mechanism_.base].rend());
    while (!ready.empty()) {
      const std::size_t k = ready.back();
      ready.pop_back();
      const Link& link = mechanism_.links[k];
      model_.frames[k + 1] = place_link(link, model_.frames[frame_of.at(link.parent)]);
      frame_of[link.name] = k + 1;
      const auto& below = children[link.name];
      ready.insert(ready.end(), below.rbegin(), below.rend());
    }
  }

  Frame<T> place_link(const Link& link, const Frame<T>& parent) {
    const Joint& j = link.joint;
    // X_PJ: parent link to joint frame; X_BF: joint frame after the motion to link frame (standard DH only)
    Transform<T> X_PJ, X_BF;
    Vec3<T> axis(T(0.0), T(0.0), T(1.0));
    if (j.dh) {
      const DhPlaces<T> places = dh_places<T>(at_, *j.dh);
      X_PJ = places.before;
      X_BF = places.after;
    } else {
      X_PJ = pose(at_, j.origin);
      axis = at_(j.axis);
    }
    Transform<T> X = parent.X_BF * X_PJ;
    int body = parent.body;
    if (j.type != JointType::fixed) {
      body = add_joint_bodies(j, axis, parent.body, X);
      X = X_BF;
    } else {
      X = X * X_BF;
    }
    if (link.inertia && body >= 0) {
      model_.bodies[static_cast<std::size_t>(body)].inertia += to_parent(X, inertia_in_link(at_, *link.inertia));
    }
    return {link.name, body, X};
  }

  int add_joint_bodies(const Joint& j, const Vec3<T>& written_axis, int parent, const Transform<T>& X_PJ) {
    JointInfo* info = &model_.joints[joint_index_.at(j.mimic ? j.mimic->joint : j.name)];
    int q = info->q, v = info->v;
    const int first = static_cast<int>(model_.bodies.size());
    Transform<T> X = X_PJ;
    const auto add = [&](JointKind kind, const Vec3<T>& axis) {
      Body<T> b;
      b.parent = parent;
      b.kind = kind;
      b.q = q++;
      b.v = v++;
      b.axis = axis;
      b.X_PJ = X;
      b.set_motion();
      parent = static_cast<int>(model_.bodies.size());
      model_.bodies.push_back(b);
      X = {};
    };
    const auto axis = [&] { return unit(written_axis); };
    switch (j.type) {
      case JointType::fixed: break;
      case JointType::revolute: add(JointKind::revolute, axis()); break;
      case JointType::prismatic: add(JointKind::prismatic, axis()); break;
      case JointType::cylindrical:
        add(JointKind::revolute, axis());
        add(JointKind::prismatic, axis());
        break;
      case JointType::universal:
        add(JointKind::revolute, axis());
        add(JointKind::revolute, unit(at_(j.axis2)));
        break;
      case JointType::planar: {
        const auto directions = plane_directions(axis());
        add(JointKind::prismatic, directions[0]);
        add(JointKind::prismatic, directions[1]);
        add(JointKind::revolute, axis());
        break;
      }
      case JointType::spherical: add(JointKind::spherical, axis()); break;
      case JointType::floating: add(JointKind::floating, axis()); break;
    }
    Body<T>& last = model_.bodies.back();
    if (j.mimic) {
      last.mimics = model_.has_mimics = true;
      last.ratio = at_(j.mimic->ratio);
      last.offset = at_(j.mimic->offset);
    } else {
      info->first_body = first;
      info->last_body = parent;
    }
    return parent;
  }

  const Frame<T>& frame(const std::string& name) const {
    return model_.frames[static_cast<std::size_t>(model_.frame_index(name))];
  }

  void add_payloads() {
    for (const Payload& payload : mechanism_.payloads) {
      const Frame<T>& f = frame(payload.link);
      if (f.body < 0) continue;
      model_.bodies[static_cast<std::size_t>(f.body)].inertia +=
          to_parent(f.X_BF, inertia_in_link(at_, payload.inertia));
    }
  }

  void add_loop(const Loop& loop) {
    LoopClosure<T> closure{loop.name, loop.type, unit(at_(loop.axis)), unit(at_(loop.axis2)), {}, {}, {}};
    for (std::size_t side = 0; side < 2; ++side) {
      const Frame<T>& f = frame(loop.between[side]);
      (side == 0 ? closure.a : closure.b) = Frame<T>{loop.between[side], f.body, f.X_BF * pose(at_, loop.at[side])};
    }
    model_.loops.push_back(closure);
  }

  // velocities in the order of the bodies; the parent of each is the last velocity of the nearest body above it
  void find_sparsity() {
    if (model_.has_mimics) return;
    model_.dof_parent.assign(static_cast<std::size_t>(model_.nv), -1);
    for (const Body<T>& b : model_.bodies) {
      int above = -1;
      if (b.parent >= 0) {
        const Body<T>& p = model_.bodies[static_cast<std::size_t>(b.parent)];
        above = p.v + p.velocities() - 1;
      }
      for (int k = 0; k < b.velocities(); ++k) {
        model_.dof_parent[static_cast<std::size_t>(b.v + k)] = k == 0 ? above : b.v + k - 1;
        model_.dof_order.push_back(b.v + k);
      }
    }
  }

  const Mechanism& mechanism_;
  ModelValues<T> at_;
  Model<T> model_;
  std::unordered_map<std::string, std::size_t> joint_index_;
};

}  // namespace

template <class T>
Model<T> instantiate(const Mechanism& mechanism, const ParameterValues<T>& values) {
  for (const auto& [name, value] : values) refuse_unknown(name, mechanism);
  return ModelBuilder<T>(mechanism, values).build();
}

#define LW_INSTANTIATE(T) template Model<T> instantiate<T>(const Mechanism&, const ParameterValues<T>&);
LW_INSTANTIATE_FOR_SCALARS(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
