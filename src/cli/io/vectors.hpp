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

// The configuration: home if --q is absent. Quaternions are normalised, with a note if their length deviates by more
// than 1e-6; more than 1e-2 is an error. A coordinate outside its limits is accepted with a note.
std::vector<double> read_q(const Arguments& arguments, const LoadedModel& loaded);
// Notes coordinates beyond their limits.
void note_passed_limits(const LoadedModel& loaded, std::span<const double> q);
// The same for quaternions in coordinates from other sources; `what` names them in messages.
void normalize_quaternions(const Model<double>& model, std::vector<double>& q, const std::string& what, bool quiet);
// A vector with nv entries: zero if the option is absent. `angles`: degrees are allowed (not for forces).
std::vector<double> read_velocity(const Arguments& arguments, const std::string& option, const Model<double>& model,
                                  bool angles = true);

// A vector with these entries; `option` names it in messages.
std::vector<double> parse_entries(const std::string& option, const std::string& text, const std::vector<Entry>& entries,
                                  bool angles = true);
// One number, optionally with `deg` if it is an angle; `what` names it in messages.
double parse_value(const std::string& text, bool angle, const std::string& what);
// Numbers separated by commas or blanks, optionally in brackets; those from `first_angle` on are angles.
std::vector<double> parse_values(const std::string& text, const std::string& what,
                                 std::size_t first_angle = std::string::npos);

}  // namespace lw::cli
