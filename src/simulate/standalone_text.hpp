// The text of a stand-alone simulator, from its functions and vectors. Known to standalone.cpp alone.
#pragma once

#include "../codegen/selftest.hpp"
#include "../model/model.hpp"

namespace lw {

// `program` has forward, forward-tangent, inverse, inverse-tangent, energy, rates, rates-tangent and, where losses or outer
// forces take work, ideal.
struct StandaloneParts {
  const Program& program;
  const Model<double>& model;
  std::vector<TestVectors> vectors;
  int time_parameter = -1;   // the one that is the time
  std::vector<bool> idle;    // parameters on which no motion depends
};
std::vector<Artefact> standalone_files(const StandaloneParts& parts);
std::vector<std::string> standalone_flags();

}  // namespace lw
