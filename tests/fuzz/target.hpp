// One program holds all targets, so that what is instrumented is linked once. Which of them runs its name says:
// fuzz_yaml is `yaml`.
//
//   const Target yaml("yaml", [](const std::uint8_t* data, std::size_t size) { … });
#pragma once

#include <cstddef>
#include <cstdint>

struct Target {
  using Run = void(const std::uint8_t* data, std::size_t size);
  Target(const char* name, Run* run);
};
