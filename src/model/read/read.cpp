#include "read.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "../../base/text.hpp"
#include "../check/check.hpp"
#include "embedded.hpp"
#include "families.hpp"
#include "read_twu.hpp"
#include "read_urdf.hpp"
#include "read_wong.hpp"
#include "read_yaml.hpp"
#include "text_checks.hpp"

namespace lw {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestFile = 64u << 20;
constexpr std::string_view kSidecarSuffix = ".loops.yaml";

bool has_xml_name(std::string_view file) {
  return ends_with_ignoring_case(file, ".urdf") || ends_with_ignoring_case(file, ".xml");
}

bool is_urdf(std::string_view text, std::string_view file) {
  if (has_xml_name(file)) return true;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '<';
}

ReadResult failure(ErrorCode code, const std::string& file, std::string message, std::string hint = {}) {
  ReadResult result;
  result.code = code;
  result.diagnostics.push_back({Severity::error, {file, 0, 0}, std::move(message), std::move(hint)});
  return result;
}

// The content, or the reason why it cannot be read.
std::optional<std::string> slurp(const std::string& path, std::string& fault) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (!fs::exists(status)) {
    fault = "there is no such file";
  } else if (fs::is_directory(status)) {
    fault = "this is a folder, not a file";
  } else {
    errno = 0;
    std::ifstream stream(path, std::ios::binary);
    if (!stream) {
      fault = fmt::format("cannot be read: {}", errno != 0 ? std::strerror(errno) : "unknown reason");
      return std::nullopt;
    }
    // no more than the limit, because a pipe or a device has no size
    std::string text(1 << 16, '\0'), content;
    while (stream.read(text.data(), static_cast<std::streamsize>(text.size())) || stream.gcount() > 0) {
      content.append(text.data(), static_cast<std::size_t>(stream.gcount()));
      if (content.size() > kLargestFile) {
        fault = "larger than 64 MiB: not a mechanism file";
        return std::nullopt;
      }
    }
    return content;
  }
  return std::nullopt;
}

const EmbeddedFile* find_embedded(const std::string& name) {
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.name == name) return &file;
  }
  return nullptr;
}

ReadResult read_embedded(const EmbeddedFile& file, const ReadOptions& options) {
  const std::string name(file.name);
  std::optional<std::string> sidecar;
  if (has_xml_name(name)) {
    if (const EmbeddedFile* beside = find_embedded(sidecar_name(name))) sidecar = std::string(beside->text);
  }
  return read_text(std::string(file.text), name, options, sidecar);
}

ReadResult unknown_name(const std::string& name) {
  if (resembles_family(name)) {
    return failure(ErrorCode::model, name, fmt::format("there is no {}", in_quotes(name)),
                   fmt::format("`chain-N` and `tree-N` have N from 1 to {}", kLargestFamily));
  }
  const bool looks_like_path = name.find('/') != std::string::npos || name.find('.') != std::string::npos;
  const std::string near = name.size() < 200 ? nearest_word(name, embedded_names()) : std::string();
  std::string hint = near.empty() ? "" : fmt::format("did you mean {}? ", in_quotes(near));
  std::error_code ignored;
  for (const char* ending : {".yaml", ".yml", ".urdf"}) {
    if (fs::exists(name + ending, ignored)) hint = fmt::format("did you mean the file {}? ", in_quotes(name + ending));
  }
  hint += "`linkwright models` lists the names";
  return failure(ErrorCode::io, name,
                 looks_like_path ? "there is no such file" : "neither a file nor the name of a model", hint);
}

}  // namespace

std::string sidecar_name(const std::string& file) {
  const std::size_t dot = file.find_last_of("./");
  return (dot != std::string::npos && file[dot] == '.' ? file.substr(0, dot) : file) + std::string(kSidecarSuffix);
}

ReadResult read_text(const std::string& text, const std::string& file, const ReadOptions& options,
                     const std::optional<std::string>& sidecar) {
  ReadResult result;
  result.sources[file] = text;
  if (sidecar) result.sources[sidecar_name(file)] = *sidecar;
  Complaints complaints;
  bool readable = true;
  for (const auto& [name, content] : result.sources) readable = check_text(content, name, complaints) && readable;
  Mechanism mechanism;
  if (readable) {
    NamePlaces places;
    if (is_urdf(text, file)) {
      mechanism = read_urdf(text, file, options.floating_base, places, complaints);
      if (sidecar) read_sidecar(*sidecar, sidecar_name(file), mechanism, places, complaints);
    } else {
      const bool twu = ends_with_ignoring_case(file, ".twu"), wong = ends_with_ignoring_case(file, ".wong");
      mechanism = twu    ? read_twu(text, file, options.values, places, complaints)
                  : wong ? read_wong(text, file, places, complaints)
                         : read_yaml(text, file, places, complaints);
      if (options.floating_base) {
        complaints.error({file, 0, 0}, "a floating base is only possible with URDF files",
                         twu || wong ? "" : "here the file says it: `joint: {type: floating}` on the first link");
      }
    }
    const bool well_read = !complaints.failed();
    check_mechanism(mechanism, places, options.allow_unphysical, complaints);
    if (well_read && complaints.failed()) {
      Complaints lenient;
      check_mechanism(mechanism, places, true, lenient);
      if (!lenient.failed()) result.impossible = mechanism;
    }
  }
  result.diagnostics = complaints.sorted();
  if (!complaints.failed()) result.mechanism = std::move(mechanism);
  return result;
}

ReadResult read_file(const std::string& path, const ReadOptions& options) {
  std::string fault;
  const std::optional<std::string> text = slurp(path, fault);
  if (!text) return failure(ErrorCode::io, path, fault);
  std::optional<std::string> sidecar;
  if (is_urdf(*text, path)) {
    const std::string beside = sidecar_name(path);
    std::error_code ignored;
    if (fs::exists(beside, ignored)) {
      sidecar = slurp(beside, fault);
      if (!sidecar) return failure(ErrorCode::io, beside, fault);
    }
  }
  return read_text(*text, path, options, sidecar);
}

ReadResult read(const std::string& path_or_name, const ReadOptions& options) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path_or_name, ignored);
  const bool is_file = fs::exists(status) && !fs::is_directory(status);
  if (is_file) return read_file(path_or_name, options);
  for (const char* extension : {".yaml", ".urdf", ""}) {
    if (const EmbeddedFile* file = find_embedded(path_or_name + extension)) return read_embedded(*file, options);
  }
  if (const std::optional<std::string> text = family_text(path_or_name)) return read_text(*text, path_or_name, options);
  if (fs::exists(status)) return read_file(path_or_name, options);  // also reports folders
  return unknown_name(path_or_name);
}

Mechanism load(const std::string& path_or_name, const ReadOptions& options) {
  ReadResult result = read(path_or_name, options);
  if (!result.mechanism) throw Error(result.code, std::move(result.diagnostics));
  return std::move(*result.mechanism);
}

std::vector<std::string> embedded_names() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.name.ends_with(kSidecarSuffix)) continue;
    names.emplace_back(file.name.substr(0, file.name.rfind('.')));
  }
  return names;
}

}  // namespace lw
