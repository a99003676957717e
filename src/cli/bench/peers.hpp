// Finds and opens the adapters of bench/peers, and describes a model to them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../../../bench/peers/flow.hpp"
#include "../../../bench/peers/peer.hpp"
#include "../../model/model.hpp"

namespace lw::cli {

template <class Make>
struct Adapter {
  std::string name;   // kdl, dart, …
  std::string about;  // version, and how the adapter was compiled
  Make make = nullptr;
};
template <class Make>
struct AdapterSearch {
  std::vector<Adapter<Make>> found;
  std::vector<std::string> missing;   // names of known but missing ones
  std::vector<std::string> failures;  // reasons why existing ones cannot be loaded
};
using PeerLibrary = Adapter<peer::Make>;
using PeerSearch = AdapterSearch<peer::Make>;
using FlowSearch = AdapterSearch<peer::MakeFlow>;

// Looks for linkwright_peer_NAME.so in these folders, in order. Opened libraries stay open.
PeerSearch find_peers(const std::vector<std::string>& folders);
// oneTBB, which runs dependent tasks.
FlowSearch find_flows(const std::vector<std::string>& folders);

// The folders of `linkwright bench`: those of LINKWRIGHT_PEERS (separated by colons), then the executable's.
std::vector<std::string> peer_folders();

// Throws Error(model) for features that no other library has: mimic joints, springs and other force elements, coupled
// drives, loops.
std::vector<peer::Body> describe_bodies(const Model<double>& model);

// An adapter for the mechanism described; null if the library cannot represent it.
std::unique_ptr<peer::Peer> make_peer(const PeerLibrary& library, const Model<double>& model,
                                      const std::vector<peer::Body>& bodies);

}  // namespace lw::cli
