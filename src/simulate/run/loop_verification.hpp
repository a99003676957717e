// What the numbers of a mechanism with loops are worth (verification.hpp). Its second method is that of multipliers,
// which knows no independent joints (dynamics/loops/multipliers.hpp).
//
//   at random states   accelerations by multipliers put into the orthogonal complement's inverse dynamics; the
//                      complement against dual numbers through the position; compiled code against the algorithms;
//                      derivatives against dual numbers; power
//   along a run        minimal against redundant coordinates; energy; closures
//   of integrators     the order by which the error falls with the step
#pragma once

#include "verification.hpp"

namespace lw {

VerificationReport verify_loops(const Mechanism& mechanism, const VerificationOptions& options);

}  // namespace lw
