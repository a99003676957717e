#include "wrenches.hpp"

#include <fmt/format.h>

#include "../../base/text.hpp"
#include "../../dynamics/tree/kinematics.hpp"
#include "../../dynamics/tree/rnea.hpp"
#include "../../model/complaints.hpp"
#include "../frame/terminal.hpp"
#include "vectors.hpp"

namespace lw::cli {
namespace {

struct Wrench {
  int frame = -1;
  Vec3<double> force, moment;  // world axes
  Vec3<double> place;          // in the link's frame
};

Vec3<double> three(const std::vector<double>& values, std::size_t first) {
  return {values[first], values[first + 1], values[first + 2]};
}

Wrench parse(const std::string& text, const Model<double>& model) {
  // names may contain both signs: the last colon divides, and `@` only behind it
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) {
    throw Error(ErrorCode::usage, fmt::format("--wrench needs LINK:FX,FY,FZ[,NX,NY,NZ][@x,y,z] (N, N·m, world axes; "
                                              "metres in the link's frame), not `{}`",
                                              text));
  }
  Wrench w;
  const std::string name = text.substr(0, colon);
  w.frame = model.frame_index(name);
  if (w.frame < 0) {
    std::vector<std::string> known;
    for (const Frame<double>& f : model.frames) known.push_back(f.name);
    throw Error(ErrorCode::usage,
                fmt::format("--wrench: `{}` has no link `{}`; {}", model.name, name, suggestion(name, known)));
  }
  const std::size_t at = text.find('@', colon);
  const std::string numbers = text.substr(colon + 1, at == std::string::npos ? at : at - colon - 1);
  const std::vector<double> values = parse_values(numbers, "--wrench: the force");
  if (values.size() != 3 && values.size() != 6) {
    throw Error(ErrorCode::usage,
                fmt::format("--wrench: a force needs FX,FY,FZ, with a moment FX,FY,FZ,NX,NY,NZ, not {}",
                            counted(values.size(), "value")));
  }
  w.force = three(values, 0);
  if (values.size() == 6) w.moment = three(values, 3);
  if (at != std::string::npos) {
    const std::vector<double> place = parse_values(text.substr(at + 1), "--wrench: the place");
    if (place.size() != 3) {
      throw Error(ErrorCode::usage,
                  fmt::format("--wrench: the place is x,y,z, not {}", counted(place.size(), "value")));
    }
    w.place = three(place, 0);
  }
  return w;
}

}  // namespace

Option wrench_option() {
  return texts_option("--wrench", "LINK:FX,FY,FZ",
                      "a force (N) on a link, in world axes at its origin; LINK:FX,FY,FZ,NX,NY,NZ with a moment (N·m), "
                      "...@x,y,z at a point in the link's frame (m); repeatable");
}

Wrenches::Wrenches(const Arguments& arguments, const Model<double>& model, std::span<const double> q)
    : at_joints_(static_cast<std::size_t>(model.nv), 0.0) {
  Workspace<double> work(model);
  forward_kinematics<double>(model, work, q);
  std::vector<double> J(6 * at_joints_.size());
  for (const std::string& text : arguments.texts("--wrench")) {
    const Wrench w = parse(text, model);
    const Frame<double>& frame = model.frames[static_cast<std::size_t>(w.frame)];
    if (frame.body < 0) {
      if (!arguments.quiet())
        say_warning(fmt::format("--wrench {}: no effect: `{}` is fixed to the base", text, frame.name));
      continue;
    }
    const Vec3<double> arm = frame_pose(model, work, w.frame).R * w.place;
    const Force<double> at_origin{w.moment + cross(arm, w.force), w.force};
    on_bodies_.resize(model.bodies.size());
    on_bodies_[static_cast<std::size_t>(frame.body)] += wrench_on_body(model, work, w.frame, at_origin);
    frame_jacobian<double>(model, work, w.frame, J);
    for (std::size_t k = 0; k < at_joints_.size(); ++k) {
      for (int r = 0; r < 3; ++r) {
        const std::size_t row = 6 * k + static_cast<std::size_t>(r);
        at_joints_[k] += J[row] * at_origin.ang[r] + J[row + 3] * at_origin.lin[r];
      }
    }
  }
}

}  // namespace lw::cli
