#include "urdf_fields.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "../formula.hpp"

namespace lw {
namespace {

bool contains(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

std::string misspelling(const std::string& word, const std::vector<std::string>& known) {
  return word.size() < 100 ? nearest_word(word, known) : std::string();
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  constexpr const char* kBlanks = " \t\r\n";
  for (std::size_t at = text.find_first_not_of(kBlanks); at != std::string::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(kBlanks, end);
  }
  return parts;
}

// Prefix of a message; empty if the element identifies itself.
std::string prefix(const std::string& what) { return what.empty() ? "" : what + ": "; }

// The largest double counts as infinite, because many URDF readers support no other notation.
bool is_infinite(std::string text) {
  double value = 0.0;
  if (parse_number(text, value)) return std::abs(value) == std::numeric_limits<double>::max();
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (text.starts_with('-') || text.starts_with('+')) text.erase(0, 1);
  return text == "inf" || text == "infinity";
}

}  // namespace

void UrdfFields::attributes(const XmlElement& e, const std::string& what, const std::vector<std::string>& known) {
  for (const tinyxml2::XMLAttribute* a = e.FirstAttribute(); a != nullptr; a = a->Next()) {
    if (contains(known, a->Name())) continue;
    const std::string near = misspelling(a->Name(), known);
    if (near.empty() || e.Attribute(near.c_str()) != nullptr) continue;
    complaints_.warning(
        place(*a),
        fmt::format("{}: <{}> has an unknown attribute {}, which is ignored", what, e.Name(), in_quotes(a->Name())),
        fmt::format("did you mean {}?", in_quotes(near)));
  }
}

void UrdfFields::children(const XmlElement& e, const std::string& what, const std::vector<std::string>& known,
                          const std::vector<std::string>& single) {
  std::map<std::string, int> lines;
  for (const XmlElement* c = e.FirstChildElement(); c != nullptr; c = c->NextSiblingElement()) {
    const std::string name = c->Name();
    if (contains(single, name)) {
      const auto [first, fresh] = lines.try_emplace(name, c->GetLineNum());
      if (!fresh)
        complaints_.error(place(*c), fmt::format("{}: duplicate <{}>; first in line {}", what, name, first->second));
    } else if (!contains(known, name)) {
      const std::string near = misspelling(name, known);
      if (!near.empty()) {
        complaints_.warning(place(*c), fmt::format("{}: unknown element <{}>, which is ignored", what, name),
                            fmt::format("did you mean <{}>?", near));
      }
    }
  }
}

std::string UrdfFields::require_text(const XmlElement& e, const std::string& what, const char* attribute) {
  const char* text = e.Attribute(attribute);
  if (text == nullptr) {
    complaints_.error(place(e), fmt::format("{}<{}> has no attribute `{}`", prefix(what), e.Name(), attribute));
    return {};
  }
  if (*text == '\0')
    complaints_.error(place(e),
                      fmt::format("{}the attribute `{}` of <{}> is empty", prefix(what), attribute, e.Name()));
  return text;
}

Formula UrdfFields::parse(const tinyxml2::XMLAttribute& a, const std::string& owner, const std::string& text) {
  double value = 0.0;
  if (parse_number(text, value)) return {Expr(value), place(a), text};
  std::string hint;
  if (text.find(',') != std::string::npos)
    hint = "a decimal point, not a comma; several numbers are separated by blanks";
  if (text.find("${") != std::string::npos || text.find("$(") != std::string::npos)
    hint = "this is xacro: run `xacro FILE > FILE.urdf` first";
  complaints_.error(place(a), fmt::format("{}: {} in `{}` is not a number", owner, in_quotes(text), a.Name()), hint);
  return {Expr(std::nan("")), place(a), text};
}

std::optional<Formula> UrdfFields::number(const XmlElement& e, const std::string& what, const char* attribute,
                                          bool infinite) {
  const tinyxml2::XMLAttribute* a = e.FindAttribute(attribute);
  if (a == nullptr) return std::nullopt;
  const std::vector<std::string> parts = split(a->Value());
  const std::string owner = fmt::format("{}: <{}>", what, e.Name());
  if (parts.size() == 1 && infinite && is_infinite(parts[0])) return std::nullopt;
  if (parts.size() == 1) return parse(*a, owner, parts[0]);
  complaints_.error(place(*a),
                    fmt::format("{}: `{}` should be one number, not {}", owner, attribute, in_quotes(a->Value())));
  return Formula(std::nan(""));
}

Formula UrdfFields::require_number(const XmlElement& e, const std::string& what, const char* attribute) {
  if (std::optional<Formula> f = number(e, what, attribute)) return *f;
  complaints_.error(place(e), fmt::format("{}: <{}> has no attribute `{}`", what, e.Name(), attribute));
  return std::nan("");
}

std::optional<std::vector<Formula>> UrdfFields::numbers(const XmlElement& e, const std::string& what,
                                                        const char* attribute, std::size_t count) {
  const tinyxml2::XMLAttribute* a = e.FindAttribute(attribute);
  if (a == nullptr) return std::nullopt;
  const std::vector<std::string> parts = split(a->Value());
  const std::string owner = fmt::format("{}: <{}>", what, e.Name());
  std::vector<Formula> result;
  if (parts.size() != count) {
    complaints_.error(place(*a), fmt::format("{}: `{}` should be {} numbers separated by blanks, not {}", owner,
                                             attribute, count, in_quotes(a->Value())));
    return std::vector<Formula>(count, Formula(std::nan("")));
  }
  result.reserve(count);
  for (const std::string& part : parts) result.push_back(parse(*a, owner, part));
  return result;
}

Origin UrdfFields::origin(const XmlElement& parent, const std::string& what) {
  Origin result;
  const XmlElement* e = parent.FirstChildElement("origin");
  if (e == nullptr) return result;
  result.where = place(*e);
  attributes(*e, what, {"xyz", "rpy", "quat_xyzw"});
  if (const auto xyz = numbers(*e, what, "xyz", 3)) std::copy(xyz->begin(), xyz->end(), result.xyz.begin());
  if (auto rpy = numbers(*e, what, "rpy", 3)) {
    const bool turns =
        std::any_of(rpy->begin(), rpy->end(), [](const Formula& f) { return !f.value.is_constant(0.0); });
    if (turns) result.rotation = {Rotation::Kind::rpy, std::move(*rpy)};
  } else if (auto quaternion = numbers(*e, what, "quat_xyzw", 4)) {
    result.rotation = {Rotation::Kind::quaternion, std::move(*quaternion)};
  }
  return result;
}

}  // namespace lw
