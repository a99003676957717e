#include "file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.hpp"

namespace lw {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw Error(ErrorCode::io, fmt::format("`{}` cannot be written: {}", path, why));
}

// Writes everything; returns false and sets errno on failure.
bool write_all(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t n = ::write(file, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

// The file that writing to `path` replaces or creates: symbolic links are kept, and their target is written.
fs::path behind_links(const std::string& path) {
  fs::path target(path);
  std::error_code fault;
  for (int links = 0; fs::is_symlink(fs::symlink_status(target, fault)); ++links) {
    if (links == 40) fail(path, std::strerror(ELOOP));
    const fs::path next = fs::read_symlink(target, fault);
    if (fault) fail(path, fault.message());
    target = target.parent_path() / next;  // an absolute one replaces it
  }
  return target;
}

void write_directly(const std::string& path, std::string_view content) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) fail(path, std::strerror(errno));
  const bool ok = write_all(file, content);
  const int reason = errno;
  ::close(file);
  if (!ok) fail(path, std::strerror(reason));
}

}  // namespace

// A file under a temporary name next to its target; removed unless it is put in place.
class FilePart {
 public:
  FilePart(const std::string& path, const fs::file_status& status)
      : path_(path), target_(behind_links(path)), status_(status) {
    const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored)) fail(path, fmt::format("there is no folder `{}`", folder.string()));
    const fs::path temporary = folder / fmt::format(".{}.{}.part", target_.filename().string(), ::getpid());
    file_ = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file_ < 0) fail(path, std::strerror(errno));
    temporary_ = temporary;
  }
  FilePart(FilePart&& other) noexcept
      : path_(other.path_),
        target_(other.target_),
        temporary_(std::exchange(other.temporary_, {})),
        status_(other.status_),
        file_(std::exchange(other.file_, -1)),
        size_(other.size_) {}
  ~FilePart() { drop(); }

  void write(std::string_view content) {
    if (!write_all(file_, content)) give_up(errno);
  }
  // Writes everything or nothing; returns false and sets errno if it does not fit.
  bool append(std::string_view content) {
    const bool ok = write_all(file_, content);
    const int reason = errno;
    if (ok)
      size_ += static_cast<off_t>(content.size());
    else if (::ftruncate(file_, size_) != 0)
      size_ = 0;  // contents unknown
    errno = reason;
    return ok;
  }
  bool is_empty() const { return size_ == 0; }
  // Flushed to disk, with the permissions of the file that it replaces.
  void complete() {
    bool ok = ::fsync(file_) == 0;
    int reason = errno;
    if (ok && fs::exists(status_))
      ok = ::fchmod(file_, static_cast<mode_t>(status_.permissions())) == 0, reason = errno;
    if (::close(std::exchange(file_, -1)) != 0 && ok) ok = false, reason = errno;
    if (!ok) give_up(reason);
  }
  void put_in_place() {
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) give_up(errno);
    temporary_.clear();
  }

 private:
  void drop() {
    if (file_ >= 0) ::close(std::exchange(file_, -1));
    if (!temporary_.empty()) ::unlink(std::exchange(temporary_, {}).c_str());
  }
  [[noreturn]] void give_up(int reason) {
    drop();
    fail(path_, std::strerror(reason));
  }

  std::string path_;
  fs::path target_, temporary_;
  fs::file_status status_;
  int file_ = -1;
  off_t size_ = 0;  // appended so far
};

void write_file(const std::string& path, std::string_view content) { write_files({{path, content}}); }

void write_files(const std::vector<FileToWrite>& files) {
  std::vector<fs::file_status> status;
  for (const FileToWrite& f : files) {
    std::error_code ignored;
    status.push_back(fs::status(f.path, ignored));
    if (fs::is_directory(status.back())) fail(f.path, "it is a folder");
  }
  std::vector<FilePart> parts;
  for (std::size_t k = 0; k < files.size(); ++k) {
    if (fs::exists(status[k]) && !fs::is_regular_file(status[k])) {
      write_directly(files[k].path, files[k].content);
    } else {
      parts.emplace_back(files[k].path, status[k]);
      parts.back().write(files[k].content);
      parts.back().complete();
    }
  }
  for (FilePart& part : parts) part.put_in_place();
}

class GrowingFile::Open {
 public:
  explicit Open(const std::string& path) : path_(path) {
    std::error_code ignored;
    const fs::file_status status = fs::status(path, ignored);
    if (fs::is_directory(status)) fail(path, "it is a folder");
    if (fs::exists(status) && !fs::is_regular_file(status)) {
      device_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
      if (device_ < 0) fail(path, std::strerror(errno));
    } else {
      part_.emplace(path, status);
    }
  }
  ~Open() {
    if (device_ >= 0) ::close(device_);
  }
  void write(std::string_view more) {
    if (full_) return;
    waiting_ += more;
    if (waiting_.size() >= kBlock) flush();
  }
  bool finish() {
    try {
      flush();
    } catch (const Error&) {
      put_in_place();
      throw;
    }
    put_in_place();
    return !full_;
  }

 private:
  static constexpr std::size_t kBlock = 1 << 16;
  void flush() {
    if (full_ || (part_ ? part_->append(waiting_) : write_all(device_, waiting_))) {
      waiting_.clear();
      return;
    }
    const int reason = errno;
    full_ = true;
    fail(path_,
         fmt::format("{}{}", std::strerror(reason), part_ && !part_->is_empty() ? "; it holds what came before" : ""));
  }
  void put_in_place() {
    if (!part_ || (full_ && part_->is_empty())) return;
    part_->complete();
    part_->put_in_place();
  }

  std::string path_, waiting_;
  std::optional<FilePart> part_;
  int device_ = -1;
  bool full_ = false;  // and has been reported
};

GrowingFile::GrowingFile(const std::string& path) : open_(std::make_unique<Open>(path)) {}
GrowingFile::~GrowingFile() = default;
void GrowingFile::write(std::string_view more) { open_->write(more); }
bool GrowingFile::finish() { return open_->finish(); }

}  // namespace lw
