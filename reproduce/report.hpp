// The experiments as one self-contained HTML page: summary, then a section a thesis with its tables and plots.
#pragma once

#include <string>
#include <vector>

#include "experiment.hpp"

namespace lw::reproduce {

// How often each verdict was given, in the order of Verdict.
std::vector<std::size_t> count_verdicts(const std::vector<Experiment>& experiments);

// How many of the reproduced rows have each kind of reference, in the order of Reference.
std::vector<std::size_t> count_references(const std::vector<Experiment>& experiments);

std::string html_report(const std::vector<Thesis>& theses, const std::vector<Experiment>& experiments);

}  // namespace lw::reproduce
