// Products of spatial vectors (Featherstone 2008, equations 2.31, 2.32): how a motion, and a force, change in a frame
// that moves with m.
#pragma once

#include "spatial.hpp"

namespace lw {

// m × n
template <class T>
Motion<T> cross(const Motion<T>& m, const Motion<T>& n) {
  return {cross(m.ang, n.ang), cross(m.ang, n.lin) + cross(m.lin, n.ang)};
}
// m ×* f
template <class T>
Force<T> cross(const Motion<T>& m, const Force<T>& f) {
  return {cross(m.ang, f.ang) + cross(m.lin, f.lin), cross(m.ang, f.lin)};
}

}  // namespace lw
