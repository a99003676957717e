// Our own ways to compute, in the form in which the bench sees other libraries.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../../../bench/peers/peer.hpp"
#include "../../model/model.hpp"

namespace lw::cli {

// The algorithms over double.
std::unique_ptr<peer::Peer> reference_backend(const Model<double>& model);

// The same, traced and interpreted.
std::unique_ptr<peer::Peer> interpreter_backend(const Mechanism& mechanism, bool friction = false);

// Many states at once, in vectors. What it computes in one state goes the same way.
class BatchPeer : public peer::Peer {
 public:
  // In `count` states from `first` on; a number that depends on the results.
  virtual double compute_all(peer::Function function, int first, int count) = 0;
  // Additions, multiplications and divisions of one state, those of sines included.
  virtual double operations(peer::Function function) const = 0;
};

// Compiled: the cheapest method to each function, as machine code.
struct JitBackend {
  std::unique_ptr<peer::Peer> peer;
  std::unique_ptr<BatchPeer> batch;  // may be none
  double seconds = 0.0;              // to make it
  bool cached = false;               // the compiler's part
  bool native = false;               // else it is interpreted
  std::vector<std::string> notes;
};
// With `friction`, inverse dynamics without and with it and nothing else.
JitBackend jit_backend(const Mechanism& mechanism, bool with_batch, bool friction = false);

// How many numbers `result` gives: nv, nv², 3 nv², or rotation and position of every body.
std::size_t result_size(const Model<double>& model, peer::Function function);

}  // namespace lw::cli
