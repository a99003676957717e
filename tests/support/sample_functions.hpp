// Functions that passes are tried on: random ones, and traces of the dynamics of mechanisms that come with the project.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "graph/function.hpp"

namespace lw {

// A random calculation of `operations` steps, with repeated factors, like terms, constants, sines, quotients and names.
// All its values are below 10 where its inputs are within ±1.
Function random_function(std::uint64_t seed, int operations = 60);

enum class Method { rnea, newton_euler_modified, aba, crba };
inline constexpr Method kMethods[] = {Method::rnea, Method::newton_euler_modified, Method::aba, Method::crba};
const char* to_string(Method method);
// Inverse dynamics by the first two, forward dynamics by the others.
Function trace_of(const std::string& model, Method method);

// Both at `points` random points; differences to 1e-13 of the largest output.
::testing::AssertionResult same_values(const Function& expected, const Function& got, int points = 20);

// What holds of every pass, on all these functions: same values, none of them dearer by `price`, nothing left for a
// second turn, names kept. Prints what it gained on the traces.
void check_pass(const char* name, const std::function<Function(const Function&)>& pass,
                const std::function<double(const Function&)>& price);

}  // namespace lw
