// `schedule --run`: a function on one core of this computer and on several, timed side by side.
#pragma once

#include "../../schedule/machine.hpp"
#include "../frame/command.hpp"
#include "../io/model_input.hpp"

namespace lw::cli {

// Of second derivatives of inverse dynamics, which `schedule --run` times besides the functions of the contract.
inline constexpr const char* kSecondDerivatives = "inverse-second-derivatives";

int run_divided(const Arguments& arguments, const LoadedModel& loaded, const std::string& function,
                const Machine& machine, const std::vector<int>& processors);

}  // namespace lw::cli
