// The result of `verify` as a page to file: verdicts, measured deviations, the energy of a run, errors over steps.
#pragma once

#include <string>

#include "../../simulate/run/verification.hpp"

namespace lw::cli {

struct VerifyPage {
  const Mechanism& mechanism;
  const Model<double>& model;
  const VerificationReport& report;
  int states;
  std::uint64_t seed;
  std::string source;                // the model as it was given
  std::vector<std::string> changes;  // --set and so on, as they were given
};
std::string verify_page(const VerifyPage& page);

}  // namespace lw::cli
