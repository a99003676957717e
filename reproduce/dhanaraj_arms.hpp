// The arms of Dhanaraj 1990 with the data that his programs compute with: motor inertia within Izz.
#pragma once

#include "dh_arm.hpp"

namespace lw::reproduce {

constexpr double kDhanarajGravity = 9.8;

const std::vector<DhLink>& dhanaraj_puma6();      // appendix D.2
std::vector<DhLink> dhanaraj_puma3();             // its first three links
const std::vector<DhLink>& dhanaraj_stanford6();  // listing D.3.2
std::vector<DhLink> dhanaraj_stanford3();         // listing D.3.1: links 3 to 6 are one of 6.47 kg

}  // namespace lw::reproduce
