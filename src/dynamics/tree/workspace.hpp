// Scratch memory of the algorithms, sized once for a model: nothing allocates after its construction.
//
// Every algorithm has the form  algorithm(model, work, q, …, results): the model is constant, the workspace is
//                               explicit, and
// one workspace serves all algorithms (each may overwrite the results of others).
#pragma once

#include <vector>

#include "../../base/view.hpp"
#include "../../model/model.hpp"

namespace lw {

// Articulated-body inertia, the apparent inertia of a body whose supported joints are free: force = [I H; Hᵀ M] ·
// motion.
template <class T>
struct ArticulatedInertia {
  Mat3<T> I, H, M;
};

template <class T>
struct Workspace {
  explicit Workspace(const Model<T>& model);
  LW_COPIED_ONCE(Workspace);

  std::vector<Transform<T>> X;        // body in its parent
  std::vector<Transform<T>> X_W;      // body in the world
  std::vector<Motion<T>> velocity;    // twist of the body, in its frame
  std::vector<Vec3<T>> alpha;         // angular acceleration, in its frame
  std::vector<Vec3<T>> acceleration;  // acceleration of its origin (classical), in its frame
  std::vector<Force<T>> force;        // wrench that the joint transmits to the body, in its frame
  std::vector<RigidInertia<T>> composite;
  std::vector<ArticulatedInertia<T>> articulated;
  std::vector<Force<T>> bias;
  struct Column {  // U = I_A S of a joint with one velocity, 1/D and u; of a free or spherical joint u alone
    Force<T> U;
    T inverse_D, u;
    Force<T> u6;
    Motion<T> c;
  };
  std::vector<Column> column;
  // Above this number of velocities a mass matrix takes megabytes, so forward_by_crba allocates it when first called.
  static constexpr int kDense = 1000;
  std::vector<T> mass_matrix, h, zero, scratch;
};

// Throws Error(usage) where a workspace is that of another model, or a vector has another size.
[[noreturn]] void refuse_workspace(const char* algorithm, const std::string& model);
template <class T>
void check_sizes(const char* algorithm, const Model<T>& model, const Workspace<T>& work,
                 std::initializer_list<Size> sizes) {
  const bool fits = work.X.size() == model.bodies.size() && work.h.size() == static_cast<std::size_t>(model.nv);
  if (!fits) [[unlikely]]
    refuse_workspace(algorithm, model.name);
  check_sizes(algorithm, model, sizes);
}

}  // namespace lw
