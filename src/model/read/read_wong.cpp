#include "read_wong.hpp"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <Eigen/Core>

#include "../../base/text.hpp"
#include "../placement.hpp"
#include "read_parts.hpp"

namespace lw {
namespace {

constexpr double kAgreement = 1e-6;  // of l − k with (a, b, α), as printed, in metres
constexpr std::size_t kUnknownParent = static_cast<std::size_t>(-1);

Formula negative(const Formula& f) { return {-f.value, f.where, {}}; }
Formula difference(const Formula& a, const Formula& b) { return {a.value - b.value, a.where, {}}; }

// A body as written; numbered from 1, where 0 is the base.
struct WrittenBody {
  Location where;
  std::string name;
  std::size_t parent = 0;
  std::vector<std::size_t> children;
  Inertia inertia;
  Formula3 k;
  Formula alpha;
  std::optional<Formula> a, b;
  const YamlNode* l = nullptr;
  std::map<std::size_t, Formula3> hinges;  // l by the number of the attached body
  bool hinges_known = false;
};

class WongReader {
 public:
  WongReader(Mechanism& mechanism, NamePlaces& places, Complaints& complaints)
      : mechanism_(mechanism), places_(places), reader_(complaints) {}

  void whole(const YamlNode& root) {
    const Fields fields(reader_, root, "the file",
                        {"wong", "name", "summary", "unphysical", "gravity", "parameters", "base", "parents",
                         "connectivity", "bodies", "theta"},
                        {{"linkwright", "links"}, "the name of a file in Linkwright's own format must end in .yaml"});
    mechanism_.where = root.where;
    if (const YamlNode* n = fields.require("wong"); n != nullptr && n->text != "1") {
      reader_.complaints().error(n->where, "unknown version of the format", "this program reads `wong: 1`");
    }
    if (fields.has("name")) mechanism_.name = fields.require_word("name");
    if (const YamlNode* n = fields.find("summary")) mechanism_.summary = reader_.word(*n, "summary");
    if (const YamlNode* n = fields.find("unphysical")) mechanism_.unphysical = reader_.word(*n, "unphysical");
    if (fields.has("base")) mechanism_.base = fields.require_word("base");
    if (const YamlNode* n = fields.find("parameters")) read_parameters(reader_, *n, mechanism_);
    fields.read("gravity", mechanism_.gravity);
    const YamlNode* list = fields.require("bodies");
    if (list == nullptr) return;
    for (const YamlNode* item : reader_.items(*list, "bodies")) body(*item);
    if (list->kind == YamlNode::Kind::list && bodies_.empty())
      reader_.complaints().error(list->where, "`bodies` is empty");
    topology(fields);
    bool tree = true;  // else the structure is unknown
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
      const std::size_t parent = bodies_[k].parent;
      tree = tree && parent != kUnknownParent;
      if (parent > 0 && parent <= k) bodies_[parent - 1].children.push_back(k + 1);
    }
    for (std::size_t k = 0; k < bodies_.size() && tree; ++k) hinges(bodies_[k], k + 1);
    for (std::size_t k = 0; k < bodies_.size(); ++k) link(k);
    compare_places();
    if (const YamlNode* n = fields.find("theta")) theta(*n);
  }

 private:
  void body(const YamlNode& node) {
    const Fields fields(
        reader_, node, fmt::format("body {}", bodies_.size() + 1), {"name", "m", "J", "k", "l", "alpha", "a", "b"},
        {{"theta", "d"}, "bodies have α, a and b, where b is minus Craig's d; θ is the joint's coordinate"});
    WrittenBody b;
    b.where = node.where;
    b.name = fields.has("name") ? fields.require_word("name") : fmt::format("link{}", bodies_.size() + 1);
    b.inertia.where = node.where;
    fields.require("m", b.inertia.mass);
    if (const YamlNode* n = fields.require("J")) read_tensor(reader_, *n, "J", b.inertia);
    if (const YamlNode* n = fields.require("k")) {
      b.k = reader_.formula3(*n, "k");
      for (std::size_t i = 0; i < 3; ++i) b.inertia.com[i] = negative(b.k[i]);
    }
    fields.read("alpha", b.alpha);
    fields.read("a", b.a);
    fields.read("b", b.b);
    b.l = fields.find("l");
    bodies_.push_back(std::move(b));
  }

  // An integer from 0 to `most`, or nothing with an error.
  std::optional<std::size_t> whole_number(const YamlNode& node, std::size_t most, const std::string& what) {
    std::size_t value = 0;
    if (node.kind == YamlNode::Kind::scalar) {
      const char* end = node.text.data() + node.text.size();
      const auto [stop, fault] = std::from_chars(node.text.data(), end, value);
      if (fault == std::errc() && stop == end && value <= most) return value;
    }
    reader_.complaints().error(
        node.where, fmt::format("{} should be a number from 0 to {}, not {}", what, most,
                                node.kind == YamlNode::Kind::scalar ? in_quotes(node.text) : to_string(node.kind)));
    return std::nullopt;
  }

  // p(i) < i: Wong numbers each branch to its tip before the next. Default: a chain.
  void topology(const Fields& fields) {
    for (std::size_t k = 0; k < bodies_.size(); ++k) bodies_[k].parent = k;
    if (fields.has("parents") && fields.has("connectivity")) {
      reader_.complaints().error(fields.place("connectivity"), "`connectivity` together with `parents`",
                                 "keep one of them");
    }
    const char* key = fields.has("parents") ? "parents" : "connectivity";
    const YamlNode* node = fields.find(key);
    if (node == nullptr) return;
    const std::vector<const YamlNode*> rows = reader_.items(*node, key);
    for (std::size_t k = rows.size(); k < bodies_.size(); ++k) bodies_[k].parent = kUnknownParent;
    if (node->kind == YamlNode::Kind::list && rows.size() != bodies_.size()) {
      reader_.complaints().error(node->where,
                                 fmt::format("`{}` has {} for {}", key, counted(rows.size(), "entry", "entries"),
                                             counted(bodies_.size(), "body", "bodies")));
    }
    std::vector<std::vector<bool>> paths;
    for (std::size_t k = 0; k < std::min(rows.size(), bodies_.size()); ++k) {
      bodies_[k].parent = fields.has("parents") ? parent(*rows[k], k) : parent(*rows[k], k, paths);
    }
  }

  std::size_t parent(const YamlNode& node, std::size_t k) {
    const auto number = whole_number(node, k, fmt::format("the parent of body {}", k + 1));
    return number ? *number : kUnknownParent;
  }

  // From a row of U⁻¹, which must equal that of the parent plus a 1 for the body itself.
  std::size_t parent(const YamlNode& row, std::size_t k, std::vector<std::vector<bool>>& paths) {
    paths.emplace_back(k + 1, false);
    std::vector<bool>& path = paths.back();
    if (row.kind != YamlNode::Kind::list || row.items.size() <= k) {
      reader_.complaints().error(
          row.where, fmt::format("row {} of `connectivity` should be a list of {} or more entries", k + 1, k + 1));
      return kUnknownParent;
    }
    std::size_t above = 0;
    for (std::size_t j = 0; j < row.items.size(); ++j) {
      const auto entry = whole_number(*row.items[j], 1, "an entry of `connectivity`");
      if (!entry) return kUnknownParent;
      if (j > k && *entry == 1) {
        reader_.complaints().error(
            row.items[j]->where,
            fmt::format("body {} is on the path to body {}, but has the higher number", j + 1, k + 1),
            "number the bodies from the base outward");
        return kUnknownParent;
      }
      if (j <= k) path[j] = *entry == 1;
      if (j < k && *entry == 1) above = j + 1;
    }
    if (!path[k]) {
      reader_.complaints().error(row.items[k]->where,
                                 fmt::format("body {} is on the path to itself: this entry must be 1", k + 1));
      return kUnknownParent;
    }
    for (std::size_t j = 0; j < above; ++j) {
      if (path[j] == paths[above - 1][j]) continue;
      reader_.complaints().error(
          row.items[j]->where,
          fmt::format("row {} should go through the same bodies as row {}, the last on its way; they "
                      "differ in entry {}",
                      k + 1, above, j + 1));
      return kUnknownParent;
    }
    return above;
  }

  // `l: {2: [x, y, z], 5: [x, y, z]}`, or a single vector if only one body is attached to this one.
  void hinges(WrittenBody& b, std::size_t number) {
    b.hinges_known = b.l == nullptr || b.l->kind == YamlNode::Kind::map;
    if (b.l == nullptr) return;
    const std::vector<std::size_t>& hung = b.children;
    if (b.l->kind == YamlNode::Kind::list) {
      if (hung.size() == 1) {
        b.hinges[hung[0]] = reader_.formula3(*b.l, "l");
      } else {
        reader_.complaints().error(
            b.l->where, fmt::format("`l` is one vector, but {} bodies are attached to body {}", hung.size(), number),
            hung.empty() ? "the last body of a branch has none" : "l: {2: [x, y, z], 5: [x, y, z]}");
      }
      return;
    }
    std::vector<std::string> known;
    for (const std::size_t n : hung) known.push_back(std::to_string(n));
    const Fields fields(reader_, *b.l, fmt::format("`l` of body {}", number), known);
    for (const std::size_t n : hung) {
      if (const YamlNode* node = fields.find(std::to_string(n))) b.hinges[n] = reader_.formula3(*node, "l");
    }
  }

  void link(std::size_t index) {
    const WrittenBody& b = bodies_[index];
    Link link;
    link.where = b.where;
    link.name = link.joint.name = b.name;
    link.joint.where = b.where;
    link.joint.type = JointType::revolute;
    link.joint.actuated = true;
    link.inertia = b.inertia;
    link.parent = b.parent == 0 || b.parent > index ? mechanism_.base : bodies_[b.parent - 1].name;
    if (b.parent != kUnknownParent) link.joint.origin.xyz = place(index);
    link.joint.origin.rotation = {Rotation::Kind::rpy, {b.alpha, 0.0, 0.0}};
    link.joint.origin.where = b.where;
    mechanism_.links.push_back(std::move(link));
    places_.links.push_back({b.where, b.where, b.where});
  }

  // The hinge in the frame at the parent's hinge: l − k, or [a, b sin α, −b cos α].
  Formula3 place(std::size_t index) {
    const WrittenBody& body = bodies_[index];
    Formula3 by_row;
    if (body.a || body.b) {
      const Formula a = body.a.value_or(0.0), b = body.b.value_or(0.0);
      Expr s, c;
      sin_cos_exact(body.alpha.value, s, c);
      by_row = {a, Formula(b.value * s, b.where, {}), Formula(-(b.value * c), b.where, {})};
    }
    if (body.parent == 0) return by_row;
    const WrittenBody& parent = bodies_[body.parent - 1];
    const auto hinge = parent.hinges.find(index + 1);
    if (hinge == parent.hinges.end()) {
      if (!body.a && !body.b && parent.hinges_known) {
        reader_.complaints().error(body.where,
                                   fmt::format("the position of body {} on body {} is missing", index + 1, body.parent),
                                   fmt::format("`l: {{{}: [x, y, z]}}` of body {}, or `a` and `b` of body {}",
                                               index + 1, body.parent, index + 1));
      }
      return by_row;
    }
    Formula3 by_vectors;
    for (std::size_t i = 0; i < 3; ++i) by_vectors[i] = difference(hinge->second[i], parent.k[i]);
    if (body.a || body.b) twice_placed_.push_back({index, by_vectors, by_row});
    return by_vectors;
  }

  void compare_places() {
    const DefaultValues at(mechanism_);
    for (const auto& [index, by_vectors, by_row] : twice_placed_) {
      const Eigen::Vector3d v = at(by_vectors), r = at(by_row);
      if (!((v - r).cwiseAbs().maxCoeff() > kAgreement)) continue;  // NaN was already reported
      reader_.complaints().error(
          by_vectors[0].where,
          fmt::format("body {} is attached to body {} at l - k = [{:.6g}, {:.6g}, {:.6g}], but its a, b and alpha give "
                      "[{:.6g}, {:.6g}, {:.6g}]",
                      index + 1, bodies_[index].parent, v[0], v[1], v[2], r[0], r[1], r[2]),
          "[a, b sin α, -b cos α], where b has the opposite sign of Craig's d; give one of the two, or make them "
          "agree");
    }
  }

  void theta(const YamlNode& node) {
    const std::vector<Formula> values = reader_.formulas(node, "theta", bodies_.size());
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
      mechanism_.home[bodies_[k].name] = {values[k]};
      places_.home[bodies_[k].name] = node.where;
    }
  }

  Mechanism& mechanism_;
  NamePlaces& places_;
  FieldReader reader_;
  std::vector<WrittenBody> bodies_;
  struct TwicePlaced {
    std::size_t index;
    Formula3 by_vectors, by_row;
  };
  std::vector<TwicePlaced> twice_placed_;
};

}  // namespace

Mechanism read_wong(const std::string& text, const std::string& file, NamePlaces& places, Complaints& complaints) {
  Mechanism mechanism;
  mechanism.name = std::filesystem::path(file).stem().string();
  const auto root = parse_yaml(text, file, complaints);
  if (root != nullptr) WongReader(mechanism, places, complaints).whole(*root);
  return mechanism;
}

}  // namespace lw
