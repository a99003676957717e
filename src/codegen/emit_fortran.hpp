// A program as Fortran 2008: NAME.f90, a module NAME of pure subroutines.
//
//   use puma560
//   call puma560_inverse(q, qd, qdd, tau)
//
// An array of any shape may stand for a vector of as many elements: M(6,6) for the mass matrix.
#pragma once

#include "program.hpp"

namespace lw {

std::vector<Artefact> emit_fortran(const Program& program);

}  // namespace lw
