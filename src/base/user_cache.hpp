// A folder for what can be made again, closed to all but the user: compiled code, what was measured of this computer.
#pragma once

#include <filesystem>
#include <string>

namespace lw {

struct UserCache {
  std::filesystem::path folder;  // empty: there is none
  std::string why;               // there is none
};

// Made where it is missing. "" is $XDG_CACHE_HOME/linkwright or ~/.cache/linkwright.
UserCache open_user_cache(const std::string& wanted = {});

}  // namespace lw
