#include "codegen/emit_c.hpp"

#include <gtest/gtest.h>

#include <iostream>

#include "base/file.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/rnea.hpp"
#include "model/embedded.hpp"
#include "model/read.hpp"

namespace lw {
TEST(EmitC, Print) {
}
}  // namespace lw
