#include "peers.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include <Eigen/Core>

#include "../../base/error.hpp"
#include "../../dynamics/tree/elements.hpp"
#include "../../model/require_tree.hpp"

namespace lw::cli {

static_assert(static_cast<int>(JointKind::floating) == static_cast<int>(peer::Kind::floating));

namespace {

template <class Make>
AdapterSearch<Make> find_adapters(const std::vector<std::string>& folders, const std::vector<std::string>& names,
                                  const char* make_symbol) {
  AdapterSearch<Make> search;
  for (const std::string& name : names) {
    std::filesystem::path file;
    for (const std::string& folder : folders) {
      file = std::filesystem::path(folder) / ("linkwright_peer_" + name + ".so");
      if (std::filesystem::exists(file)) break;
      file.clear();
    }
    if (file.empty()) {
      search.missing.push_back(name);
      continue;
    }
    void* module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    const auto about = module ? reinterpret_cast<peer::About>(dlsym(module, peer::kAboutSymbol)) : nullptr;
    const auto make = module ? reinterpret_cast<Make>(dlsym(module, make_symbol)) : nullptr;
    if (about && make) {
      search.found.push_back({name, about(), make});
    } else {
      const char* why = dlerror();
      search.failures.push_back(why ? why : file.string() + ": not an adapter");
    }
  }
  return search;
}

}  // namespace

PeerSearch find_peers(const std::vector<std::string>& folders) {
  return find_adapters<peer::Make>(folders, {"kdl", "dart", "pinocchio", "rbdl", "cppadcg"}, peer::kMakeSymbol);
}
FlowSearch find_flows(const std::vector<std::string>& folders) {
  return find_adapters<peer::MakeFlow>(folders, {"tbb"}, peer::kMakeFlowSymbol);
}

std::vector<std::string> peer_folders() {
  std::vector<std::string> folders;
  if (const char* given = std::getenv("LINKWRIGHT_PEERS")) {
    std::istringstream list(given);
    for (std::string folder; std::getline(list, folder, ':');) {
      if (!folder.empty()) folders.push_back(folder);
    }
  }
  std::error_code ignored;
  const std::filesystem::path executable = std::filesystem::read_symlink("/proc/self/exe", ignored);
  if (!executable.empty()) folders.push_back(executable.parent_path().string());
  return folders;
}

std::vector<peer::Body> describe_bodies(const Model<double>& model) {
  if (model.has_mimics)
    throw Error(ErrorCode::model, model.name + " has mimic joints, which the other libraries do not support");
  require_tree(model, ", which the other libraries do not support");
  if (has_elements(model))
    throw Error(ErrorCode::model, model.name + " has force elements, which the other libraries do not support");
  if (!model.rotor_ties.empty())
    throw Error(ErrorCode::model, model.name + " has coupled drives, which the other libraries do not support");
  std::vector<peer::Body> bodies;
  for (const Body<double>& b : model.bodies) {
    if (b.stiffness != 0.0)
      throw Error(ErrorCode::model, model.name + " has springs, which the other libraries do not support");
    peer::Body out{};
    out.parent = b.parent;
    out.kind = static_cast<peer::Kind>(b.kind);
    out.q = b.q;
    out.v = b.v;
    out.mass = b.inertia.mass;
    out.armature = b.armature;
    // I about the centre of mass: I − m ((c·c) 1 − c cᵀ)
    Eigen::Vector3d com = Eigen::Vector3d::Zero();
    if (out.mass > 0.0) com = b.inertia.h.eigen() / out.mass;
    const Eigen::Matrix3d I =
        b.inertia.I.eigen() - out.mass * (com.squaredNorm() * Eigen::Matrix3d::Identity() - com * com.transpose());
    for (int i = 0; i < 3; ++i) {
      out.axis[i] = b.axis[i];
      out.p[i] = b.X_PJ.p[i];
      out.com[i] = com[i];
      for (int j = 0; j < 3; ++j) out.R[3 * i + j] = b.X_PJ.R(i, j);
    }
    const double elements[6] = {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)};
    std::copy_n(elements, 6, out.I);
    bodies.push_back(out);
  }
  return bodies;
}

std::unique_ptr<peer::Peer> make_peer(const PeerLibrary& library, const Model<double>& model,
                                      const std::vector<peer::Body>& bodies) {
  const peer::Description description{model.nq,
                                      model.nv,
                                      {model.gravity[0], model.gravity[1], model.gravity[2]},
                                      static_cast<int>(bodies.size()),
                                      bodies.data()};
  return std::unique_ptr<peer::Peer>(library.make(&description));
}

}  // namespace lw::cli
