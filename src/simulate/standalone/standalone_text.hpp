// The text of a stand-alone simulator, from its functions and vectors. Used only by standalone.cpp.
#pragma once

#include "../../codegen/c/selftest.hpp"
#include "../../model/model.hpp"

namespace lw {

// Where a force jumps or sets in (force_jumps.hpp), in words, and whether that is where something turns.
struct ForceJumpName {
  std::string name, what;
  bool turns = false;
};

// `program` has forward, forward-tangent, inverse, inverse-tangent, energy, rates, rates-tangent and, where losses or
// external forces take work, ideal; where forces jump, jumps.
struct StandaloneParts {
  const Program& program;
  const Model<double>& model;
  std::vector<TestVectors> vectors;
  int time_parameter = -1;           // the one that is the time
  std::vector<bool> idle;            // parameters on which no motion depends
  std::vector<ForceJumpName> jumps;  // a result of the function `jumps` each
};
std::vector<Artefact> standalone_files(const StandaloneParts& parts);
std::vector<std::string> standalone_flags();

}  // namespace lw
