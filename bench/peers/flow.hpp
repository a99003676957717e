// What `linkwright schedule --run` and tests/peers see of another library that runs tasks which wait for each other.
//
// An adapter is a module as in peer.hpp, with linkwright_flow_make in place of linkwright_peer_make. Tasks are
// functions of plain numbers: segments of a divided function, compiled once for our executor and for theirs.
#pragma once

#include "peer.hpp"

namespace lw::peer {

struct FlowTask {
  void (*run)(void* shared, const double* inputs, double* outputs);
  int before_count;
  const int* before;  // tasks that must be done
};

struct FlowDescription {
  int task_count;
  const FlowTask* tasks;
  int thread_count;  // the caller's among them
  const int* cores;  // of each thread; the caller is on the first
};

class Flow {
 public:
  virtual ~Flow() = default;
  // All tasks, so many times one after the other.
  virtual void evaluate(int times, void* shared, const double* inputs, double* outputs) = 0;
};

using MakeFlow = Flow* (*)(const FlowDescription*);  // delete when done
inline constexpr const char* kMakeFlowSymbol = "linkwright_flow_make";

// Defines the two functions; `library` is its name and version.
#define LINKWRIGHT_FLOW(library, make)                                                      \
  LINKWRIGHT_PEER_ABOUT(library)                                                            \
  extern "C" __attribute__((visibility("default"))) ::lw::peer::Flow* linkwright_flow_make( \
      const ::lw::peer::FlowDescription* description) {                                     \
    return make(*description);                                                              \
  }

}  // namespace lw::peer
