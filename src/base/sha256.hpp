// SHA-256 (FIPS 180-4), for content-addressed storage.
#pragma once

#include <string>
#include <string_view>

namespace lw {

// 64 hexadecimal digits.
std::string sha256(std::string_view content);

}  // namespace lw
