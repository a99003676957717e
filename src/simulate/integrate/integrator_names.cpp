#include "integrator.hpp"

namespace lw {

const std::vector<std::string>& integrator_names() {
  static const std::vector<std::string> names{
      "semi-implicit-euler", "taylor", "rk4", "gill", "verner", "dormand-prince", "implicit-midpoint", "cvode"};
  return names;
}

}  // namespace lw
