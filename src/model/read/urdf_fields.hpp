// Typed access to the elements of a URDF: like read_fields.hpp for XML, where locations are lines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tinyxml2.h>

#include "../complaints.hpp"
#include "../mechanism.hpp"

namespace lw {

using XmlElement = tinyxml2::XMLElement;

class UrdfFields {
 public:
  UrdfFields(std::string file, Complaints& complaints) : file_(std::move(file)), complaints_(complaints) {}

  Complaints& complaints() { return complaints_; }
  const std::string& file() const { return file_; }
  Location place(const XmlElement& e) const { return {file_, e.GetLineNum(), 0}; }

  // `what` names the owner in messages: "joint `shoulder`".
  // Warns about unknown attributes that resemble known ones.
  void attributes(const XmlElement& e, const std::string& what, const std::vector<std::string>& known);
  // The same for the child elements; duplicates of those in `single` are errors.
  void children(const XmlElement& e, const std::string& what, const std::vector<std::string>& known,
                const std::vector<std::string>& single);

  // A required, non-empty text attribute; "" with an error otherwise.
  std::string require_text(const XmlElement& e, const std::string& what, const char* attribute);
  // A number; `infinite`: ±inf counts as absent (no limit).
  std::optional<Formula> number(const XmlElement& e, const std::string& what, const char* attribute,
                                bool infinite = false);
  Formula require_number(const XmlElement& e, const std::string& what, const char* attribute);
  // `count` numbers separated by blanks; absent: nothing. NaN for unreadable numbers.
  std::optional<std::vector<Formula>> numbers(const XmlElement& e, const std::string& what, const char* attribute,
                                              std::size_t count);

  // The element <origin xyz="" rpy=""/> inside `parent`, or the identity.
  Origin origin(const XmlElement& parent, const std::string& what);

 private:
  Location place(const tinyxml2::XMLAttribute& a) const { return {file_, a.GetLineNum(), 0}; }
  Formula parse(const tinyxml2::XMLAttribute& a, const std::string& owner, const std::string& text);

  std::string file_;
  Complaints& complaints_;
};

}  // namespace lw
