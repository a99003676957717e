// Files written whole or not at all: under a temporary name beside the target, flushed to the disk, then renamed.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lw {

// Throws Error(io) that names the file and the reason (no such folder, no permission, disk full); the old file, if
// there was one, is then untouched. A device or pipe is written to directly.
// Through a symbolic link the file behind it is written, whether it exists yet or not; a circle of links is an error.
void write_file(const std::string& path, std::string_view content);

// Several that belong together: none is replaced before all of them are on the disk.
struct FileToWrite {
  std::string path;
  std::string_view content;
};
void write_files(const std::vector<FileToWrite>& files);

// A file that grows while something runs: under a temporary name until `finish`, which puts it in place. Whatever was
// written by then is in it. Without `finish` nothing is left. Where the disk is full, the first call that finds it so
// throws, later ones do nothing, and `finish` puts in place what did fit, up to the end of a `write`.
class GrowingFile {
 public:
  explicit GrowingFile(const std::string& path);
  ~GrowingFile();
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  void write(std::string_view more);  // all these throw Error(io)
  bool finish();                      // whether all that was written is in it

 private:
  class Open;
  std::unique_ptr<Open> open_;
};

}  // namespace lw
