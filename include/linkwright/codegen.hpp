// Compile: from a mechanism to the fastest code for it.
#pragma once

#include "codegen/c/emit_c.hpp"
#include "codegen/c/selftest.hpp"
#include "codegen/compile.hpp"
#include "codegen/jit/jit.hpp"
#include "codegen/languages/emit_dot.hpp"
#include "codegen/languages/emit_fortran.hpp"
#include "codegen/languages/emit_latex.hpp"
#include "codegen/languages/emit_python.hpp"
#include "codegen/languages/emit_text.hpp"
#include "codegen/text/report.hpp"
#include "dynamics.hpp"
