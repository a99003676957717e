#include "mesh_files.hpp"

#include <filesystem>
#include <vector>

#include <fmt/format.h>

namespace lw {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> candidates(const fs::path& folder, const std::string& written) {
  constexpr std::string_view kPackage = "package://", kFile = "file://";
  if (written.starts_with(kFile)) return {folder / written.substr(kFile.size())};
  if (!written.starts_with(kPackage)) return {folder / written};
  const std::string inner = written.substr(kPackage.size());
  const std::size_t slash = inner.find('/');
  std::vector<fs::path> result;
  for (fs::path f = folder;; f = f.parent_path()) {
    result.push_back(f / inner);
    if (slash != std::string::npos && f.filename() == inner.substr(0, slash))
      result.push_back(f / inner.substr(slash + 1));
    if (!f.has_relative_path()) return result;
  }
}

}  // namespace

std::string MeshFiles::find(const std::string& written, const Location& where) {
  ++asked_;
  std::error_code fault;
  const fs::path folder = fs::absolute(fs::path(mechanism_file_), fault).parent_path();
  for (const fs::path& candidate : candidates(folder, written)) {
    if (fs::is_regular_file(candidate, fault)) return candidate.lexically_normal().string();
  }
  if (missing_++ == 0) {
    first_missing_ = written;
    first_place_ = where;
  }
  return written;
}

void MeshFiles::report_missing(Complaints& complaints) const {
  if (missing_ == 0) return;
  complaints.warning(
      first_place_,
      asked_ == 1 ? fmt::format("the mesh file {} was not found", in_quotes(first_missing_))
                  : fmt::format("{} of {} mesh files {} not found, the first is {}", missing_, asked_,
                                missing_ == 1 ? "was" : "were", in_quotes(first_missing_)),
      "they are searched next to the file, `package://` also in its parent folders; only drawings need them");
}

}  // namespace lw
