// Locates the mesh files of a mechanism on this machine.
//
// A relative name is searched next to the mechanism's file; package://NAME/PATH in a folder NAME next to the file or
// above it, or as PATH if the file is in NAME itself. Names that are not found are unchanged.
#pragma once

#include <string>

#include "../complaints.hpp"

namespace lw {

class MeshFiles {
 public:
  explicit MeshFiles(std::string mechanism_file) : mechanism_file_(std::move(mechanism_file)) {}

  std::string find(const std::string& written, const Location& where);

  // One warning for all missing files: only drawings need them.
  void report_missing(Complaints& complaints) const;

 private:
  std::string mechanism_file_;
  int asked_ = 0, missing_ = 0;
  std::string first_missing_;
  Location first_place_;
};

}  // namespace lw
