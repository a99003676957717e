#include <cmath>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include "../../base/file.hpp"
#include "../../base/mcap.hpp"
#include "../../dynamics/tree/kinematics.hpp"
#include "../../model/evaluate.hpp"
#include "../io/results.hpp"
#include "run_files.hpp"

namespace lw::cli {
namespace {

// JSON schemas, as the messages of these names have them (github.com/foxglove/schemas), without what is not written.
Json object(Json properties) { return {{"type", "object"}, {"properties", std::move(properties)}}; }
Json numbers(const std::vector<std::string>& names) {
  Json properties = Json::object();
  for (const std::string& name : names) properties[name] = {{"type", "number"}};
  return object(std::move(properties));
}
Json list_of(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }
Json text_schema() { return {{"type", "string"}}; }
Json time_schema() {
  Json t = object({{"sec", {{"type", "integer"}, {"minimum", 0}}},
                   {"nsec", {{"type", "integer"}, {"minimum", 0}, {"maximum", 999999999}}}});
  t["title"] = "time";
  return t;
}
Json vector_schema() { return numbers({"x", "y", "z"}); }
Json quaternion_schema() { return numbers({"x", "y", "z", "w"}); }
std::string titled(const char* title, Json schema) {
  schema["title"] = title;
  return schema.dump();
}

std::string transforms_schema() {
  return titled("foxglove.FrameTransforms",
                object({{"transforms", list_of(object({{"timestamp", time_schema()},
                                                       {"parent_frame_id", text_schema()},
                                                       {"child_frame_id", text_schema()},
                                                       {"translation", vector_schema()},
                                                       {"rotation", quaternion_schema()}}))}}));
}
std::string scene_schema() {
  const Json pose = object({{"position", vector_schema()}, {"orientation", quaternion_schema()}});
  const Json solid = object({{"pose", pose}, {"size", vector_schema()}, {"color", numbers({"r", "g", "b", "a"})}});
  Json cylinder = solid;
  cylinder["properties"]["bottom_scale"] = cylinder["properties"]["top_scale"] = {{"type", "number"}};
  Json duration = time_schema();
  duration["title"] = "duration";
  const Json entity = object({{"timestamp", time_schema()},
                              {"frame_id", text_schema()},
                              {"id", text_schema()},
                              {"lifetime", duration},
                              {"frame_locked", {{"type", "boolean"}}},
                              {"cubes", list_of(solid)},
                              {"spheres", list_of(solid)},
                              {"cylinders", list_of(cylinder)}});
  return titled("foxglove.SceneUpdate", object({{"entities", list_of(entity)}}));
}
std::string log_schema() {
  return titled("foxglove.Log", object({{"timestamp", time_schema()},
                                        {"level", {{"type", "integer"}}},
                                        {"message", text_schema()},
                                        {"name", text_schema()}}));
}
std::string state_schema(const Model<double>& model, const Scenario& scenario) {
  std::vector<std::string> outputs;
  for (const auto& [name, formula] : scenario.outputs) outputs.push_back(name);
  return titled("linkwright.State", object({{"t", {{"type", "number"}}},
                                            {"q", numbers(model.coordinate_names)},
                                            {"qd", numbers(model.velocity_names)},
                                            {"qdd", numbers(model.velocity_names)},
                                            {"tau", numbers(model.velocity_names)},
                                            {"energy", numbers({"kinetic", "potential", "work", "losses", "residual"})},
                                            {"outputs", numbers(outputs)}}));
}

std::uint64_t nanoseconds(double t) { return static_cast<std::uint64_t>(std::llround(std::max(t, 0.0) * 1e9)); }
Json time_json(double t) {
  const std::uint64_t ns = nanoseconds(t);
  return {{"sec", ns / 1'000'000'000}, {"nsec", ns % 1'000'000'000}};
}
Json point_json(const Vec3<double>& p) { return {{"x", p[0]}, {"y", p[1]}, {"z", p[2]}}; }
Json turn_json(const Mat3<double>& R) {
  const Eigen::Quaterniond u(R.eigen());
  return {{"x", u.x()}, {"y", u.y()}, {"z", u.z()}, {"w", u.w()}};
}

class McapRun : public RunFile {
 public:
  McapRun(const std::string& path, const Mechanism& mechanism, const Model<double>& model, const Scenario& scenario)
      : mechanism_(mechanism),
        model_(model),
        scenario_(scenario),
        work_(model),
        file_(path),
        mcap_([this](std::string_view bytes) { file_.write(bytes); }, "linkwright " LINKWRIGHT_VERSION),
        transforms_(mcap_.channel("/tf", "foxglove.FrameTransforms", transforms_schema())),
        scene_(mcap_.channel("/scene", "foxglove.SceneUpdate", scene_schema())),
        state_(mcap_.channel("/state", "linkwright.State", state_schema(model, scenario))),
        events_(mcap_.channel("/events", "foxglove.Log", log_schema())) {
    for (const Link& link : mechanism.links) parents_.push_back(model.frame_index(link.parent));
  }

  void row(const RunRow& r) override {
    if (!begun_) write_shapes(r.t);
    begun_ = true;
    write_transforms(r);
    write_state(r);
  }
  void event(const RunEvent& e) override {
    const Json message{{"timestamp", time_json(e.t)},
                       {"level", 2},
                       {"message", e.message.empty() ? e.name : e.name + ": " + e.message},
                       {"name", model_.name}};
    put(events_, e.t, message);
  }
  bool finish() override {
    mcap_.finish();
    return file_.finish();
  }

 private:
  void put(std::uint16_t channel, double t, const Json& json) {
    mcap_.message(channel, nanoseconds(t), json.dump(-1, ' ', false, Json::error_handler_t::replace));
  }

  void write_transforms(const RunRow& r) {
    forward_kinematics<double>(model_, work_, r.q);
    Json list = Json::array();
    for (std::size_t k = 0; k < mechanism_.links.size(); ++k) {
      const Transform<double> in_parent = frame_pose<double>(model_, work_, parents_[k]).inverse() *
                                          frame_pose<double>(model_, work_, static_cast<int>(k) + 1);
      list.push_back({{"timestamp", time_json(r.t)},
                      {"parent_frame_id", mechanism_.links[k].parent},
                      {"child_frame_id", mechanism_.links[k].name},
                      {"translation", point_json(in_parent.p)},
                      {"rotation", turn_json(in_parent.R)}});
    }
    put(transforms_, r.t, {{"transforms", std::move(list)}});
  }

  void write_state(const RunRow& r) {
    const auto named = [](const std::vector<std::string>& names, std::span<const double> values) {
      Json object = Json::object();
      for (std::size_t k = 0; k < names.size(); ++k) object[names[k]] = values[k];
      return object;
    };
    Json outputs = Json::object();
    for (std::size_t k = 0; k < scenario_.outputs.size(); ++k) outputs[scenario_.outputs[k].first] = r.outputs[k];
    put(state_, r.t,
        {{"t", r.t},
         {"q", named(model_.coordinate_names, r.q)},
         {"qd", named(model_.velocity_names, r.qd)},
         {"qdd", named(model_.velocity_names, r.qdd)},
         {"tau", named(model_.velocity_names, r.tau)},
         {"energy",
          {{"kinetic", r.kinetic},
           {"potential", r.potential},
           {"work", r.work},
           {"losses", r.losses},
           {"residual", r.residual}}},
         {"outputs", std::move(outputs)}});
  }

  // Boxes, cylinders and spheres, which then move with their frames.
  void write_shapes(double t) {
    const DefaultValues at(mechanism_);
    Json entities = Json::array();
    const auto add = [&](const std::string& frame, const std::vector<Visual>& visuals) {
      if (!visuals.empty()) entities.push_back(entity(t, frame, visuals, at));
    };
    add(mechanism_.base, mechanism_.base_visuals);
    for (const Link& link : mechanism_.links) add(link.name, link.visuals);
    put(scene_, t, {{"entities", std::move(entities)}});
  }
  static Json entity(double t, const std::string& frame, const std::vector<Visual>& visuals, const DefaultValues& at) {
    Json e{{"timestamp", time_json(t)},
           {"frame_id", frame},
           {"id", frame},
           {"lifetime", {{"sec", 0}, {"nsec", 0}}},
           {"frame_locked", true},
           {"cubes", Json::array()},
           {"spheres", Json::array()},
           {"cylinders", Json::array()}};
    for (const Visual& v : visuals) {
      if (v.shape == Visual::Shape::mesh) continue;
      const auto size = [&](std::size_t k) { return at(v.size[k]); };
      Json solid{{"pose",
                  {{"position", point_json(Vec3<double>::from(at(v.origin.xyz)))},
                   {"orientation", turn_json(Mat3<double>::from(at(v.origin.rotation)))}}},
                 {"size", nullptr},
                 {"color", {{"r", v.color[0]}, {"g", v.color[1]}, {"b", v.color[2]}, {"a", v.color[3]}}}};
      switch (v.shape) {
        case Visual::Shape::box:
          solid["size"] = point_json({size(0), size(1), size(2)});
          e["cubes"].push_back(std::move(solid));
          break;
        case Visual::Shape::sphere:
          solid["size"] = point_json({2 * size(0), 2 * size(0), 2 * size(0)});
          e["spheres"].push_back(std::move(solid));
          break;
        case Visual::Shape::cylinder:
          solid["size"] = point_json({2 * size(0), 2 * size(0), size(1)});
          solid["bottom_scale"] = solid["top_scale"] = 1.0;
          e["cylinders"].push_back(std::move(solid));
          break;
        case Visual::Shape::mesh: break;
      }
    }
    return e;
  }

  const Mechanism& mechanism_;
  const Model<double>& model_;
  const Scenario& scenario_;
  Workspace<double> work_;
  GrowingFile file_;
  McapWriter mcap_;
  std::uint16_t transforms_, scene_, state_, events_;
  std::vector<int> parents_;
  bool begun_ = false;
};

}  // namespace

std::unique_ptr<RunFile> mcap_file(const std::string& path, const Mechanism& mechanism, const Model<double>& model,
                                   const Scenario& scenario) {
  return std::make_unique<McapRun>(path, mechanism, model, scenario);
}

}  // namespace lw::cli
