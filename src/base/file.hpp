// Files written completely or not at all: under a temporary name next to the target, flushed to disk, then renamed.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lw {

// Throws Error(io) that names the file and the reason (no such folder, no permission, disk full); the old file, if
// there was one, is then untouched. Devices and pipes are written to directly. If the path is a symbolic link, its
// target is written, whether it exists or not; a cycle of links is an error.
void write_file(const std::string& path, std::string_view content);

// Several related files: none is replaced before all of them are on disk.
struct FileToWrite {
  std::string path;
  std::string_view content;
};
void write_files(const std::vector<FileToWrite>& files);

// A file that is written incrementally: under a temporary name until `finish` renames it. Without `finish` no file
// remains. If the disk is full, the first call to detect this throws, later ones do nothing, and `finish` keeps the
// part that fits, up to the end of a `write`.
class GrowingFile {
 public:
  explicit GrowingFile(const std::string& path);
  ~GrowingFile();
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  void write(std::string_view more);  // all these throw Error(io)
  bool finish();                      // whether everything written is in the file

 private:
  class Open;
  std::unique_ptr<Open> open_;
};

}  // namespace lw
