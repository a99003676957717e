// Compile: from a mechanism to the fastest code for it.
#pragma once

#include "codegen/compile.hpp"
#include "codegen/emit_c.hpp"
#include "codegen/emit_cpp.hpp"
#include "codegen/emit_dot.hpp"
#include "codegen/emit_fortran.hpp"
#include "codegen/emit_latex.hpp"
#include "codegen/emit_python.hpp"
#include "codegen/emit_text.hpp"
#include "codegen/function_derivatives.hpp"
#include "codegen/jit.hpp"
#include "codegen/report.hpp"
#include "codegen/roads.hpp"
#include "codegen/selftest.hpp"
#include "codegen/strategies.hpp"
#include "dynamics.hpp"
