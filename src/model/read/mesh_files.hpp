// Where the mesh files that a mechanism names lie on this machine.
//
// A relative name is looked for beside the mechanism's file; package://NAME/PATH in a folder NAME beside the file or
// above it, or as PATH where the file lies in NAME itself. What is not found keeps the name as it is written.
#pragma once

#include <string>

#include "../complaints.hpp"

namespace lw {

class MeshFiles {
 public:
  explicit MeshFiles(std::string mechanism_file) : mechanism_file_(std::move(mechanism_file)) {}

  std::string find(const std::string& written, const Location& where);

  // One warning for all that are not there: without them everything but the picture works.
  void report_missing(Complaints& complaints) const;

 private:
  std::string mechanism_file_;
  int asked_ = 0, missing_ = 0;
  std::string first_missing_;
  Location first_place_;
};

}  // namespace lw
