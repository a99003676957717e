# How our own targets are compiled. None of this reaches a target that links the library.

# Warnings that find mistakes. Not -Wsign-conversion: Eigen counts with signed numbers, the standard library without.
set(linkwright_warnings
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align -Wold-style-cast
  -Wfloat-conversion -Wimplicit-fallthrough -Wunused)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND linkwright_warnings -Wduplicated-cond -Wduplicated-branches -Wlogical-op)
  # By mistake far more often than not, in optimised std::string and Eigen code of gcc 12.
  list(APPEND linkwright_warnings -Wno-maybe-uninitialized -Wno-uninitialized)
  # Of anonymous namespaces in what is included, which files compiled together are.
  list(APPEND linkwright_warnings -Wno-subobject-linkage)
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
  set(LINKWRIGHT_SANITIZE address,undefined)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# A finding ends the program, and its stack trace has function names and lines.
if(LINKWRIGHT_SANITIZE)
  add_compile_options(-fsanitize=${LINKWRIGHT_SANITIZE} -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${LINKWRIGHT_SANITIZE})
endif()

# Memory that gcc takes before it looks for some to give back, in kB: with its own choice, 128 MB, it spends a tenth of the
# time of a large unit on that.
set(linkwright_quick)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(linkwright_quick "SHELL:--param ggc-min-heapsize=600000")
endif()

function(linkwright_options target)
  target_compile_options(${target} PRIVATE ${linkwright_warnings} ${linkwright_quick}
    $<$<BOOL:${LINKWRIGHT_NATIVE}>:-march=native>
    # No fused multiply-add unless it is written: the same text gives the same bits as a reference, when it is traced and
    # interpreted, and in the C made from it, on every machine.
    -ffp-contract=off)
  # Eigen's alignment and allocation follow the instruction set. Ours has a name of its own, so that it never meets that of
  # a program that links us and is compiled otherwise.
  target_compile_definitions(${target} PRIVATE Eigen=lw_eigen)
  set_target_properties(${target} PROPERTIES CXX_STANDARD 20 CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
endfunction()

# Deriving a function makes and drops small vectors by the million: with this allocator it takes a quarter less time. For
# programs of ours, never for the library; not under sanitizers, which have their own.
function(linkwright_allocator target)
  if(TARGET mimalloc AND CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT LINKWRIGHT_SANITIZE)
    target_link_libraries(${target} PRIVATE mimalloc)
  endif()
endfunction()

# What is optimised goes before the target's own objects: of a template that several have (Eigen's products, the standard library's
# containers) the linker takes the first for all of them. Behind tests that are not optimised, the library took up to eight times as long.
function(linkwright_optimized_first target)
  target_link_options(${target} PRIVATE
    LINKER:--whole-archive $<TARGET_FILE:linkwright> $<TARGET_FILE:linkwright_computing> LINKER:--no-whole-archive)
endfunction()

# Several files of a folder as one, 180 kB of text at most (a third of that for gcc): headers are read, and what they have of templates is
# instantiated, once for all of them. Files that take long stay alone, and those whose speed counts: in a large unit a compiler
# may inline less.
function(linkwright_batches target)
  if(NOT LINKWRIGHT_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set(alone base/linear codegen/trace/candidates dynamics/canonical/tree dynamics/derivatives/inverse_derivatives
            model/instantiate dynamics/tree/aba dynamics/tree/crba dynamics/tree/kinematics dynamics/tree/rnea
            graph/interpreter graph/kernels/sincos)
  list(TRANSFORM alone REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/src/\\1.cpp")
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources EXCLUDE REGEX "^[$]<|/generated/[^/]*$")
  list(REMOVE_ITEM sources ${alone})
  set(folders)
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    string(REGEX REPLACE "^(src/[^/]+)/.*" "\\1" folder ${folder})  # rooms of a stage together
    string(REPLACE / _ folder ${folder})
    if(NOT folder IN_LIST folders)
      list(APPEND folders ${folder})
      set(sources_of_${folder})
      set(size_of_${folder} 0)
    endif()
    file(SIZE ${source} size)
    list(APPEND sources_of_${folder} ${source})
    math(EXPR size_of_${folder} "${size_of_${folder}} + ${size}")
  endforeach()
  set(largest 60000)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    set(largest 180000)
  endif()
  foreach(folder IN LISTS folders)
    math(EXPR batches "${size_of_${folder}} / ${largest} + 1")
    set(before 0)
    foreach(source IN LISTS sources_of_${folder})
      file(SIZE ${source} size)
      math(EXPR batch "(${before} + ${size} / 2) * ${batches} / ${size_of_${folder}}")  # where the middle of its text is
      math(EXPR before "${before} + ${size}")
      set_property(SOURCE ${source} PROPERTY UNITY_GROUP ${folder}_${batch})
    endforeach()
  endforeach()
endfunction()

# Compiled once for many files: headers of the standard library and of texts. For clang, which reads of a compiled file what it needs,
# also the large ones; gcc reads it whole, and with Eigen in it takes as long for that as it saves.
set(linkwright_headers <algorithm> <array> <cmath> <filesystem> <fstream> <functional> <map> <memory> <numeric> <optional> <set> <span>
                       <sstream> <string> <vector> <fmt/format.h>)
set(linkwright_command_headers ${linkwright_headers} <nlohmann/json.hpp>)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  list(APPEND linkwright_headers <Eigen/Dense>)
  list(APPEND linkwright_command_headers <CLI/CLI.hpp> <Eigen/Core>)
endif()
