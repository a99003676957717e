// A private folder of the user for data that can be recreated: compiled code, measurements of this computer.
#pragma once

#include <filesystem>
#include <string>

namespace lw {

struct UserCache {
  std::filesystem::path folder;  // empty if there is none
  std::string why;               // reason if there is none
};

// Created if missing. "" is $XDG_CACHE_HOME/linkwright or ~/.cache/linkwright.
UserCache open_user_cache(const std::string& wanted = {});

}  // namespace lw
