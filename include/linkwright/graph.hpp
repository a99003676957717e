// Express: expressions as numbers, functions made of them, and the scalars that every algorithm is written over.
#pragma once

#include "base.hpp"
#include "graph/adjoint.hpp"
#include "graph/expr.hpp"
#include "graph/function.hpp"
#include "graph/interpreter.hpp"
#include "graph/jacobian.hpp"
#include "graph/passes/optimize.hpp"
#include "graph/scalar.hpp"
#include "graph/tangent.hpp"
