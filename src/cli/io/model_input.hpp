// MODEL and the options that change it, the same for every command that takes one.
#pragma once

#include <string>
#include <vector>

#include "../../model/model.hpp"
#include "../../model/read/read.hpp"
#include "../frame/command.hpp"

namespace lw::cli {

// A command on MODEL: behind its own options stand those that change the model, and --json.
Command model_command(std::vector<Option> own);
// The same where drives may be elastic: also --elastic; and where masses count: also --payload.
Command elastic_command(std::vector<Option> own);
Command dynamics_command(std::vector<Option> own);

ReadOptions read_options(const Arguments& arguments);

// Applies --set, --payload and --elastic, and judges the mechanism again: its diagnostics, errors among them, where the
// values are such as none can have. Throws Error(usage) for unknown names.
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
// The same, for commands that cannot solve loops: refuses a mechanism that has any, and says what to do instead.
LoadedModel load_tree(const Arguments& arguments, const std::string& instead = {});

// Whether forces act on it that may change with the time `t`.
bool has_forces_over_time(const Mechanism& mechanism);

// Notes on stderr what the file says and the equations of motion leave out, unless --quiet or --friction.
void note_losses(const Arguments& arguments, const Mechanism& mechanism);

// All checks of a mechanism that depend on the values of its parameters.
std::vector<Diagnostic> judge_numbers(const Mechanism& mechanism, bool allow_unphysical);
// Those of the first list that are not in the second.
std::vector<Diagnostic> without(const std::vector<Diagnostic>& diagnostics, const std::vector<Diagnostic>& said);
bool has_error(const std::vector<Diagnostic>& diagnostics);
// Every diagnostic with its line of the file, on stderr; those below `least` are left out.
void print_diagnostics(const ReadResult& result, Severity least);

}  // namespace lw::cli
