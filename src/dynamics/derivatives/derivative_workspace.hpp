// Scratch memory of inverse_derivatives and forward_derivatives, sized once for a model, with the sparsity of the tree.
#pragma once

#include <cstddef>
#include <vector>

#include "../tree/workspace.hpp"
#include "lanes.hpp"

namespace lw {

template <class T>
struct DerivativeWorkspace {
  explicit DerivativeWorkspace(const Model<T>& model);

  // A velocity of a joint. A mimic joint has its own here.
  struct Column {
    Motion<T> S, rate, acceleration, twice;  // S, Ψ̇, Ψ̈, E
    int above = -1;                          // the column above it in the tree, or -1; a free root does not count
    std::ptrdiff_t velocity = 0;             // whose place it has in the results
    T ratio = T(1.0);                        // of a mimic
  };
  // A body in the axes of its root.
  struct Placed {
    Transform<T> X;
    Motion<T> v, a;
    RigidInertia<T> inertia;
    Force<T> coriolis;  // v ×* I v = B v
  };
  // All bodies supported by a joint.
  struct Composite {
    RigidInertia<T> inertia;
    Mat3<T> N;
    Vec3<T> momentum;
    Force<T> f;
  };
  std::vector<Column> columns;  // of the first body, of the second, …
  std::vector<Placed> placed;
  std::vector<Composite> composite;
  std::vector<T> angle, sine, cosine;  // of each body, where it turns
  std::vector<int> first;              // of each body: its first column
  std::vector<int> root;               // of each body: its tree's root where that turns or floats freely, else -1
  std::vector<Vec3<T>> fall;           // of each root: −gravity in its axes
  bool branches = false;               // some joints are not above one another: their entries are zero

  // Where the entries of column j stand: by columns, or spread over lanes, eight columns a block.
  std::vector<std::ptrdiff_t> by_columns, in_lanes;

  // Of forward_derivatives. Row k of M or of its factors: the velocities above k from the root on, and k itself last.
  struct Row {
    int path = 0, size = 0;
    int lanes = 0;  // where its entries begin; a row fills whole lanes
  };
  std::vector<Row> rows;  // by velocity
  std::vector<int> path;  // whose entries these are
  std::vector<Lanes<T>> factors;
  struct Entry {
    int velocity;
    int below;  // how many of those that follow hang on it
  };
  std::vector<Entry> order;                 // all velocities, what hangs on one right behind it
  std::vector<std::vector<Entry>> touched;  // of every block: those whose rows have entries in it
  std::vector<std::vector<Entry>> above;    // of every block: its own and those above
  std::vector<T> zero, h, qdd;
  std::vector<TwoLanes<T>> both;  // d_q and d_qd, rows of a block one behind the other
  std::vector<Lanes<T>> single;   // a block of M⁻¹

  // All of that. Above Workspace::kDense velocities it is megabytes that few want: forward_derivatives then calls this
  // first.
  void prepare_solutions(const Model<T>& model);
};

template <class T>
void check_workspace(const char* algorithm, const Model<T>& model, const DerivativeWorkspace<T>& work) {
  const bool fits = work.placed.size() == model.bodies.size() && work.qdd.size() == static_cast<std::size_t>(model.nv);
  if (!fits) [[unlikely]]
    refuse_workspace(algorithm, model.name);
}

}  // namespace lw
