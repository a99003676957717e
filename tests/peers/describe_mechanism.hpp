// A mechanism told to the peers link by link, straight from what the file says: no lumping of fixed links, no Model. So
// the peers judge `instantiate`, too.
#pragma once

#include <vector>

#include "model/mechanism.hpp"
#include "peer.hpp"

namespace lw {

// Every formula must be a number, and there are no springs, mimics or loops.
std::vector<peer::Body> describe_bodies(const Mechanism& mechanism);

}  // namespace lw
