#include "joint_law.hpp"

#include <algorithm>

namespace lw {

bool JointLaw::integrates() const {
  return std::ranges::any_of(ki, [](double k) { return k != 0.0; });
}

}  // namespace lw
