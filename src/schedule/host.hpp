// This computer as a machine: times of generated code on one core, and of messages between two cores.
//
// Operations    Latencies of × and + come from chains of them. How many overlap comes from a whole function of
//               dynamics, compiled like any other: `overlap` = Σ count · latency / time it takes; once small enough for
//               a core to keep its instructions decoded (small_overlap), once several times as large. Divisions, roots,
//               sines and comparisons cost what a function takes longer with them than without, times the overlap by
//               which durations are divided.
// Messages      `start_up`: half of the way to and fro of a value and of the flag that says it is there, each in a
//               cache line of its own, between two threads on the cores that they are pinned to; `per_byte`: what four
//               lines more add.
//
// Every figure is the least of many repetitions, that is, of an undisturbed computer.
#pragma once

#include <string>

#include "machine.hpp"

namespace lw {

// Measures for a few seconds and keeps the result in the user's cache (base/user_cache.hpp; `cache` names another
// folder). Throws Error(toolchain) if there is no compiler, because then there is no code to measure.
Machine measure_host(const std::string& cache = {});
// The kept result if it is complete and of this processor; else measures now.
Machine host(const std::string& cache = {});

}  // namespace lw
