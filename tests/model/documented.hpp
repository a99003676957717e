#pragma once

#include <fstream>
#include <sstream>
#include <string>

namespace lw {

// The example that docs/format.md gives, from its first words to the end of the block.
inline std::string documented(const std::string& first_words) {
  std::ostringstream text;
  text << std::ifstream(LW_SOURCE_DIR "/docs/format.md").rdbuf();
  const std::string all = text.str();
  const std::size_t begin = all.find(first_words);
  return begin == std::string::npos ? "" : all.substr(begin, all.find("```", begin) - begin);
}

}  // namespace lw
