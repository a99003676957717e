// MODEL and the options that change it, common to all commands with a MODEL.
#pragma once

#include <string>
#include <vector>

#include "../../model/model.hpp"
#include "../../model/read/read.hpp"
#include "../frame/command.hpp"

namespace lw::cli {

// A command on MODEL: adds the options that change the model, and --json, after its own.
Command model_command(std::vector<Option> own);
// The same with --elastic (elastic drives), and with --payload (additional masses).
Command elastic_command(std::vector<Option> own);
Command dynamics_command(std::vector<Option> own);

ReadOptions read_options(const Arguments& arguments);

// Applies --set, --payload and --elastic, and checks the mechanism again; returns diagnostics, with errors if the
// values are impossible. Throws Error(usage) for unknown names.
std::vector<Diagnostic> apply_changes(const Arguments& arguments, Mechanism& mechanism);

// "no joint is called `actuated`: `crank` is taken as driven ..."
std::string drivers_taken(const Model<double>& model);

// Reads MODEL, applies the changes, prints warnings to stderr, and instantiates it, with drivers where loops have none.
// Throws Error.
struct LoadedModel {
  Mechanism mechanism;
  Model<double> model;
};
LoadedModel load_model(const Arguments& arguments);
// The same for commands that cannot solve loops: rejects closed-loop mechanisms, with an alternative.
LoadedModel load_tree(const Arguments& arguments, const std::string& instead = {});

// Whether there are forces that may depend on the time `t`.
bool has_forces_over_time(const Mechanism& mechanism);

// Notes on stderr the parts of the file that the equations of motion omit, unless --quiet or --friction.
void note_losses(const Arguments& arguments, const Mechanism& mechanism);

// All checks of a mechanism that depend on the values of its parameters.
std::vector<Diagnostic> judge_numbers(const Mechanism& mechanism, bool allow_unphysical);
// Entries of the first list that are not in the second.
std::vector<Diagnostic> without(const std::vector<Diagnostic>& diagnostics, const std::vector<Diagnostic>& said);
bool has_error(const std::vector<Diagnostic>& diagnostics);
// Prints every diagnostic with its line of the file on stderr, except those below `least`.
void print_diagnostics(const ReadResult& result, Severity least);

}  // namespace lw::cli
