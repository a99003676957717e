// A mechanism in the input language of Twu 1987, a chain of links described by REDUCE assignments (docs/format.md):
//
//   NUML:=2;  L(1):=RL(1);  CM(1,1):=XCM(1); CM(1,2):=0; CM(1,3):=0; CM(1,4):=1;  MAS(1):=RM(1);  MI(1,1):=RMI(1,1); …
//   DIRECT(1):=X;  JOINT(1):=REV;  AXIS(1):=Z;  …  ;END;
//   RL(1):=1.5;  XCM(1):=RL(1)/2;  …
//
// Every symbol on a right-hand side is a parameter: RL(1) is RL1, RMI(1,2) is RMI1_2. Its value is a separate
// assignment, before or after END. At q = 0 all frames are parallel; y is up, gravity is g along -y. Link i's frame is
// at its joint:
//   A_i = Trans(L_{i-1} e_DIRECT(i-1)) Rot(AXIS(i), q_i)   or   Trans(L_{i-1} e_DIRECT(i-1)) Trans(q_i e_DIRECT(i)).
#pragma once

#include <map>
#include <string>

#include "../check/check.hpp"
#include "../complaints.hpp"
#include "../mechanism.hpp"

namespace lw {

// `given`: values of parameters that have none in the file.
Mechanism read_twu(const std::string& text, const std::string& file, const std::map<std::string, double>& given,
                   NamePlaces& places, Complaints& complaints);

}  // namespace lw
