// Our own ways to compute, in the form in which the bench sees other libraries.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../../bench/peers/peer.hpp"
#include "../model/model.hpp"

namespace lw::cli {

// The algorithms over double.
std::unique_ptr<peer::Peer> reference_backend(const Model<double>& model);

// The same, traced and interpreted.
std::unique_ptr<peer::Peer> interpreter_backend(const Mechanism& mechanism);

// Compiled: the cheapest road to each function, as machine code.
struct JitBackend {
  std::unique_ptr<peer::Peer> peer;
  double seconds = 0.0;    // to make it
  bool cached = false;     // the compiler's part
  bool native = false;     // else it is interpreted
  std::vector<std::string> notes;
};
JitBackend jit_backend(const Mechanism& mechanism);

// How many numbers `result` gives: nv, nv², 3 nv², or rotation and position of every body.
std::size_t result_size(const Model<double>& model, peer::Function function);

}  // namespace lw::cli
