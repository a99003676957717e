// A program as Fortran 2008: NAME.f90, a module NAME of pure subroutines.
//
//   use puma560
//   call puma560_inverse(q, qd, qdd, tau)
//
// A vector argument may be an array of any shape with as many elements: M(6,6) for the mass matrix.
#pragma once

#include "../c/selftest.hpp"
#include "../text/program.hpp"

namespace lw {

std::vector<Artefact> emit_fortran(const Program& program);

// NAME_selftest.f90: prints one line per function and a verdict, and stops with an error if a comparison fails.
Artefact emit_fortran_selftest(const Program& program, const std::vector<TestVectors>& vectors);

}  // namespace lw
