# Writes the files NAMES (separated by commas) of FOLDER into OUT, a C++ source with FUNCTION of src/model/read/embedded.hpp.
# Every byte is an escape of its own in short literals that the compiler joins, so that any text survives.
string(REPLACE "," ";" names "${NAMES}")
list(SORT names)

set(entries "")
set(count 0)
foreach(name IN LISTS names)
  file(READ "${FOLDER}/${name}" hex HEX)
  string(LENGTH "${hex}" digits)
  math(EXPR bytes "${digits} / 2")
  string(REGEX REPLACE "(..)" "\\\\x\\1" text "${hex}")
  string(REPEAT "." 128 line)  # 32 bytes of four characters
  string(REGEX REPLACE "(${line})" "\\1\"\n    \"" text "${text}")
  string(APPEND entries "  {\"${name}\", {\n    \"${text}\", ${bytes}}},\n")
  math(EXPR count "${count} + 1")
endforeach()

file(CONFIGURE OUTPUT "${OUT}" @ONLY CONTENT [=[
// Made by cmake/embed.cmake from @NAMES@.
#include <array>

#include "model/read/embedded.hpp"

namespace lw {

std::span<const EmbeddedFile> @FUNCTION@() {
  static constexpr std::array<EmbeddedFile, @count@> kFiles{{
@entries@  }};
  return kFiles;
}

}  // namespace lw
]=])
