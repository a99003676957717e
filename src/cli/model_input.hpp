// MODEL and the options that change it, the same for every command that takes one.
#pragma once

#include <vector>

#include "../model/model.hpp"
#include "../model/read.hpp"
#include "command.hpp"

namespace lw::cli {

Positional model_positional();
// --set, --allow-unphysical, --floating-base
std::vector<Option> model_options();
// --payload
Option payload_option();

ReadOptions read_options(const Arguments& arguments);

// Applies --set and --payload. Errors: usage for unknown names, data for values that no mechanism can have.
void apply_changes(const Arguments& arguments, Mechanism& mechanism);

// Reads MODEL, applies the changes, prints warnings to stderr, and instantiates it. Throws Error.
struct LoadedModel {
  Mechanism mechanism;
  Model<double> model;
};
LoadedModel load_model(const Arguments& arguments);
// The same, for commands that cannot solve loops: refuses a mechanism that has any.
LoadedModel load_tree(const Arguments& arguments);

// Every diagnostic with its line of the file, on stderr; with `quiet` errors only.
void print_diagnostics(const ReadResult& result, bool quiet);

}  // namespace lw::cli
