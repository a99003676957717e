// Two models of one mechanism: the same bits, or the same torques at random states.
#pragma once

#include <gtest/gtest.h>

#include "model/model.hpp"

namespace lw {

// The largest difference of inverse dynamics as a fraction of the largest torque (at least 1), over random states.
double torque_difference(const Model<double>& a, const Model<double>& b, int states = 20);

// Every number equal (0 and -0 are), every name and index. The axis of a joint that has none is of no account.
::testing::AssertionResult same_bits(const Model<double>& a, const Model<double>& b);

}  // namespace lw
