// Reads a file, a text or a name into a checked Mechanism. Invalid input never throws (except in `load`): it gives all
// diagnostics and no mechanism.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "../mechanism.hpp"

namespace lw {

struct ReadOptions {
  bool floating_base = false;              // URDF: the root link floats instead of being the base
  bool allow_unphysical = false;           // reports unphysical masses and inertias as warnings
  std::map<std::string, double> values{};  // Twu's language: for symbols without value in the file
};

struct ReadResult {
  std::optional<Mechanism> mechanism;   // only if there is no error
  std::optional<Mechanism> impossible;  // if all errors are physical: the result with allow_unphysical
  std::vector<Diagnostic> diagnostics;
  ErrorCode code = ErrorCode::model;           // kind of failure if there is no mechanism
  std::map<std::string, std::string> sources;  // the texts, by file names as in the diagnostics
};

// A name that ends in .urdf or .xml, or a text that begins with '<', is URDF; .twu and .wong are the formats of the
// theses; anything else is YAML. The sidecar is the text of NAME.loops.yaml.
ReadResult read_text(const std::string& text, const std::string& file, const ReadOptions& options = {},
                     const std::optional<std::string>& sidecar = {});

// A file of at most 64 MiB; for NAME.urdf also its NAME.loops.yaml, if there is one.
ReadResult read_file(const std::string& path, const ReadOptions& options = {});

// NAME.loops.yaml next to NAME.urdf.
std::string sidecar_name(const std::string& file);

// A path, the name of an embedded model ("puma560"), or one of a family ("chain-12", "tree-30").
ReadResult read(const std::string& path_or_name, const ReadOptions& options = {});

// The same, or throws Error with all diagnostics: ErrorCode::io if the file cannot be read, else ErrorCode::model.
Mechanism load(const std::string& path_or_name, const ReadOptions& options = {});

// "puma560", …: the names accepted by `read` besides paths and families.
std::vector<std::string> embedded_names();

// A diagnostic with the line of the text and a caret under the location:
//   two.yaml:9:20: error: `mass`: unknown name `m9`
//     inertia: {mass: m9}
//                     ^
//   did you mean `m1`?
std::string show(const Diagnostic& diagnostic, const std::string& text);
std::string show(const Diagnostic& diagnostic, const ReadResult& result);

}  // namespace lw
