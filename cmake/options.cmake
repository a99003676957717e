# How our own targets are compiled. None of this reaches a target that links the library.

# Warnings that find mistakes. Not -Wsign-conversion: Eigen counts with signed numbers, the standard library without.
set(linkwright_warnings
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align -Wold-style-cast
  -Wfloat-conversion -Wimplicit-fallthrough -Wunused)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND linkwright_warnings -Wduplicated-cond -Wduplicated-branches -Wlogical-op)
  # By mistake far more often than not, in optimised std::string and Eigen code of gcc 12.
  list(APPEND linkwright_warnings -Wno-maybe-uninitialized -Wno-uninitialized)
endif()
if(LINKWRIGHT_WERROR)
  list(APPEND linkwright_warnings -Werror)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Also at times by mistake, depending on what was inlined.
    list(APPEND linkwright_warnings
      -Wno-error=array-bounds -Wno-error=restrict -Wno-error=stringop-overflow -Wno-error=stringop-overread)
  endif()
endif()

if(LINKWRIGHT_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "LINKWRIGHT_FUZZ needs clang: use the preset `fuzz`")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=address,undefined)
endif()

function(linkwright_options target)
  target_compile_options(${target} PRIVATE ${linkwright_warnings})
  set_target_properties(${target} PROPERTIES CXX_STANDARD 20 CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
endfunction()

# No fused multiply-add behind our back: the same text gives the same bits as a reference, when it is traced and
# interpreted, and in the C made from it, on every machine.
function(linkwright_reproducible target)
  target_compile_options(${target} PRIVATE -ffp-contract=off)
endfunction()
