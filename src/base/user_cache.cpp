#include "user_cache.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

namespace lw {

namespace fs = std::filesystem;

UserCache open_user_cache(const std::string& wanted) {
  fs::path folder = wanted;
  if (folder.empty()) {
    const char* xdg = std::getenv("XDG_CACHE_HOME");
    const char* home = std::getenv("HOME");
    if (xdg != nullptr && *xdg == '/')
      folder = fs::path(xdg) / "linkwright";
    else if (home != nullptr && *home == '/')
      folder = fs::path(home) / ".cache" / "linkwright";
    else
      return {{}, "neither XDG_CACHE_HOME nor HOME is set to a folder"};
  }
  std::error_code error;
  if (folder.has_parent_path()) fs::create_directories(folder.parent_path(), error);
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return {{}, fmt::format("{}: {}", folder.string(), std::strerror(errno))};
  struct stat about {};
  if (lstat(folder.c_str(), &about) != 0) return {{}, fmt::format("{}: {}", folder.string(), std::strerror(errno))};
  const auto refuse = [&](const char* why) { return UserCache{{}, fmt::format("{} {}", folder.string(), why)}; };
  if (!S_ISDIR(about.st_mode)) return refuse("is not a folder");
  if (about.st_uid != geteuid()) return refuse("belongs to another user");
  if ((about.st_mode & 077) != 0) return refuse("is accessible to other users; run chmod 700 on it");
  if (access(folder.c_str(), W_OK | X_OK) != 0) return refuse("is not writable");
  return {folder, {}};
}

}  // namespace lw
