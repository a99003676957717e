// From a file, a text or a name to a checked Mechanism. Bad input never throws here (except from `load`): it gives
// diagnostics, all of them, and no mechanism.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "../mechanism.hpp"

namespace lw {

struct ReadOptions {
  bool floating_base = false;              // URDF: the root link floats instead of being the base
  bool allow_unphysical = false;           // impossible masses and inertias are warnings
  std::map<std::string, double> values{};  // Twu's language: for symbols to which the file gives none
};

struct ReadResult {
  std::optional<Mechanism> mechanism;   // only if there is no error
  std::optional<Mechanism> impossible;  // if all errors are about physics: what allow_unphysical would give
  std::vector<Diagnostic> diagnostics;
  ErrorCode code = ErrorCode::model;           // what kind of failure, where there is no mechanism
  std::map<std::string, std::string> sources;  // the texts by the names that diagnostics give to files
};

// A name that ends in .urdf or .xml, or a text that begins with '<', is URDF; .twu and .wong are the vocabularies of
// the theses; anything else is YAML. The sidecar is the text of NAME.loops.yaml.
ReadResult read_text(const std::string& text, const std::string& file, const ReadOptions& options = {},
                     const std::optional<std::string>& sidecar = {});

// A file of at most 64 MiB; with NAME.urdf its NAME.loops.yaml, where there is one.
ReadResult read_file(const std::string& path, const ReadOptions& options = {});

// NAME.loops.yaml beside NAME.urdf.
std::string sidecar_name(const std::string& file);

// A path, the name of an embedded model ("puma560"), or one of a family ("chain-12", "tree-30").
ReadResult read(const std::string& path_or_name, const ReadOptions& options = {});

// The same, or Error with all diagnostics: ErrorCode::io where the file cannot be read, else ErrorCode::model.
Mechanism load(const std::string& path_or_name, const ReadOptions& options = {});

// "puma560", …: what `read` knows besides paths and families.
std::vector<std::string> embedded_names();

// A diagnostic with its line of the text and a caret under the place:
//   two.yaml:9:20: error: `mass`: unknown name `m9`
//     inertia: {mass: m9}
//                     ^
//   did you mean `m1`?
std::string show(const Diagnostic& diagnostic, const std::string& text);
std::string show(const Diagnostic& diagnostic, const ReadResult& result);

}  // namespace lw
