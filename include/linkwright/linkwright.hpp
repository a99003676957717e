// All of Linkwright; each stage also has a header of its own. Where Eigen is found, its vectors and matrices are
// arguments like any other.
#pragma once

#include "base.hpp"
#include "codegen.hpp"
#include "control.hpp"
#include "dynamics.hpp"
#include "graph.hpp"
#include "model.hpp"
#include "schedule.hpp"
#include "simulate.hpp"
#include "spatial.hpp"
#if __has_include(<Eigen/Core>)
#include "eigen.hpp"
#endif
