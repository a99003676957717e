// The functions that `bench` times by the plain algorithms for trees, over any scalar: in numbers the reference of a
// tree, in symbols what is interpreted.
#pragma once

#include "../../model/random_state.hpp"
#include "backends.hpp"

namespace lw::cli {

// How many numbers a result has: poses are those of all bodies, as peers give them.
std::size_t size_of(const LoopPlan& plan, std::size_t bodies, const TimedFunction& f);
// A graph of the algorithm as it stands, with a result of so many numbers.
lw::Function traced_as_it_stands(const TimedFunction& f, const Model<Expr>& model, std::size_t size);
std::unique_ptr<Backend> make_tree_backend(const Model<double>& model, const LoopPlan& plan,
                                           const std::vector<State>& states, bool friction);

}  // namespace lw::cli
