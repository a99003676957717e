// A mechanism of a few lines of YAML.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "model/read/read.hpp"

namespace lw {

inline Mechanism mechanism_of(const std::string& text) {
  const ReadResult result = read_text("linkwright: 1\n" + text, "test.yaml");
  for (const Diagnostic& d : result.diagnostics) {
    if (d.severity == Severity::error) ADD_FAILURE() << to_string(d);
  }
  return result.mechanism.value();
}

}  // namespace lw
