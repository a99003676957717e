// Vectors on the command line: `--q 0.1,-0.2,90deg`, in the order of the model's coordinates, checked one by one.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "../../model/entries.hpp"
#include "../../model/model.hpp"
#include "../frame/command.hpp"
#include "model_input.hpp"

namespace lw::cli {

// --q, --qd, --qdd, --tau with their help.
Option q_option();
Option velocity_option(const std::string& name, const std::string& meaning);

// The configuration: home where --q is absent. Quaternions are normalised, with a note where they were off by more than
// 1e-6; further than 1e-2 from unit length is an error. A coordinate outside its limits is noted and taken as it is.
std::vector<double> read_q(const Arguments& arguments, const LoadedModel& loaded);
// Notes coordinates beyond their limits.
void note_passed_limits(const LoadedModel& loaded, std::span<const double> q);
// The same for quaternions in coordinates from elsewhere; `what` names them in complaints.
void normalize_quaternions(const Model<double>& model, std::vector<double>& q, const std::string& what, bool quiet);
// A vector of nv entries: zero where the option is absent. `angles`: degrees may be written (not for forces).
std::vector<double> read_velocity(const Arguments& arguments, const std::string& option, const Model<double>& model,
                                  bool angles = true);

// A vector of these entries; `option` names it in complaints.
std::vector<double> parse_entries(const std::string& option, const std::string& text, const std::vector<Entry>& entries,
                                  bool angles = true);
// One number, with `deg` behind it where an angle makes sense; `what` names it in complaints.
double parse_value(const std::string& text, bool angle, const std::string& what);
// Numbers divided by commas or blanks, in brackets or not; those from `first_angle` on are angles.
std::vector<double> parse_values(const std::string& text, const std::string& what,
                                 std::size_t first_angle = std::string::npos);

}  // namespace lw::cli
