#include "force_jumps.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/index.hpp"
#include "../../dynamics/friction/friction.hpp"
#include "../../graph/typical.hpp"

namespace lw {
namespace {

// The joint that moves a body; one that follows another has no entry of its own and goes by its link.
template <class T>
std::string joint_of_body(const Model<T>& model, int body) {
  for (const JointInfo& joint : model.joints) {
    if (body >= joint.first_body && body <= joint.last_body) return joint.name;
  }
  for (const Frame<T>& frame : model.frames) {
    if (frame.body == body) return frame.name;
  }
  return "";
}

// jump += factor · the coordinate of the body's joint
template <class T>
void add_coordinate(ForceJump<T>& jump, const Body<T>& body, double factor) {
  jump.terms.emplace_back(body.q, body.mimics ? T(factor) * body.ratio : T(factor));
  if (body.mimics) jump.constant += T(factor) * body.offset;
}

}  // namespace

template <class T>
T ForceJump<T>::operator()(std::span<const T> q, std::span<const T> qd) const {
  const std::span<const T> of = kind == Kind::turn ? qd : q;
  T sum = constant;
  for (const auto& [k, factor] : terms) sum += factor * of[at(k)];
  return sum;
}

template <class T>
std::vector<ForceJump<T>> force_jumps(const Model<T>& model, bool friction) {
  using Jump = ForceJump<T>;
  std::vector<Jump> list;
  const auto turn = [](const std::string& name) {
    return Jump{Jump::Kind::turn, name, fmt::format("`{}` is at rest or turns round", name)};
  };
  for (const JointLoss<T>& loss : model.losses) {
    if (!friction || !is_dry(loss) || !is_zero(loss.width)) continue;
    Jump& jump = list.emplace_back(turn(model.velocity_names[at(loss.v)]));
    jump.terms = {{loss.v, T(1.0)}};
  }
  for (const Transmission<T>& t : model.transmissions) {
    if (!friction || !is_zero(t.width)) continue;
    for (std::size_t k = 0; k < t.drives.size(); ++k) {
      const DriveLoss<T>& drive = t.drives[k];
      if (is_zero(drive.breakaway) && drive.efficiency.empty()) continue;
      Jump& jump = list.emplace_back(turn(drive.name));
      for (std::size_t j = 0; j < t.v.size(); ++j) {
        const T& c = t.C[k * t.v.size() + j];
        if (!is_zero(c)) jump.terms.emplace_back(t.v[j], c);
      }
    }
  }
  for (const JointElement<T>& e : model.joint_elements) {
    const auto stop = [&](const char* side, double sign, const T& limit) {
      const std::string name = joint_of_body(model, e.body);
      Jump& jump = list.emplace_back(
          Jump{Jump::Kind::stop, name, fmt::format("`{}` reaches or leaves its {} stop", name, side)});
      add_coordinate(jump, model.bodies[at(e.body)], sign);
      jump.constant -= T(sign) * limit;
    };
    if (e.has_upper) stop("upper", 1.0, e.upper);
    if (e.has_lower) stop("lower", -1.0, e.lower);
  }
  for (const ShaftElement<T>& s : model.shafts) {
    if (is_zero(s.play)) continue;
    for (const double sign : {1.0, -1.0}) {
      Jump& jump = list.emplace_back(
          Jump{Jump::Kind::play, s.name, fmt::format("the shaft `{}` passes an end of its backlash", s.name)});
      add_coordinate(jump, model.bodies[at(s.body_a)], sign);
      add_coordinate(jump, model.bodies[at(s.body_b)], -sign);
      jump.constant -= s.play;
    }
  }
  return list;
}

void refuse_jump(const ForceJump<double>& jump, double t) {
  using Kind = ForceJump<double>::Kind;
  throw Error(
      ErrorCode::data,
      fmt::format("{} at t = {:.6g} s, where its {}: a run through there has no derivatives of this kind; {}",
                  jump.what, t,
                  jump.kind == Kind::turn   ? "dry friction jumps"
                  : jump.kind == Kind::stop ? "force sets in"
                                            : "torque sets in or ends",
                  jump.kind == Kind::turn   ? "give its friction a `width`, or leave friction out"
                  : jump.kind == Kind::stop ? "end the run before that, or leave out the `stiffness` of its limits"
                                            : "end the run before that, or leave out the `backlash`"));
}

#define LW_INSTANTIATE(T)       \
  template struct ForceJump<T>; \
  template std::vector<ForceJump<T>> force_jumps<T>(const Model<T>&, bool);
LW_INSTANTIATE(double)
LW_INSTANTIATE(Dual)
LW_INSTANTIATE(Expr)
#undef LW_INSTANTIATE

}  // namespace lw
