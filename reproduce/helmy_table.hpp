// A. Helmy, McGill University 1994, appendix D: crank angles and torques of the planar 3-RRR along his manoeuvre, every
// 0.01 s.
#pragma once

#include <array>
#include <span>

namespace lw::reproduce {

struct HelmyRow {
  double t;                          // s
  std::array<double, 3> q;           // deg, as printed with four decimals; NaN where the print cannot be read
  std::array<double, 3> tau;         // N·m, likewise
  std::array<double, 3> recomputed;  // N·m, by tests/oracles/helmy.py, nine decimals
};
std::span<const HelmyRow> helmy_table();

}  // namespace lw::reproduce
