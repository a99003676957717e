// Backends for the functions that `bench` times, our own and those of other libraries, with a common interface.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "../../codegen/functions/function_row.hpp"
#include "../io/plant_input.hpp"
#include "peers.hpp"

namespace lw::cli {

struct TimedFunction {
  std::size_t index;   // in timed_functions
  const char* name;    // as displayed
  const char* symbol;  // in code
  FunctionId id;
  peer::Function of_peers;
  bool friction = false;
  bool all_poses = false;  // for a tree, the poses of all bodies, as in other libraries
};
inline constexpr std::size_t kMostTimed = 7;
std::span<const TimedFunction> timed_functions(bool friction);

class Backend {
 public:
  explicit Backend(std::string called) : name(std::move(called)) {}
  virtual ~Backend() = default;
  virtual bool has(const TimedFunction& f) const = 0;
  // Adds `nudge`, if it is not 0, to every coordinate of a state and computes there. Returns the first plus the last
  // number of the result.
  virtual double compute(const TimedFunction& f, int state, double nudge) = 0;
  // The result of the last compute, independent of whole turns of joints.
  virtual std::vector<double> result(const TimedFunction& f) = 0;
  // Computes `count` states from `first` on at once; returns a number that depends on the results. Null if unsupported.
  virtual std::function<double(int first, int count)> many(const TimedFunction&) { return {}; }
  // Additions, multiplications and divisions of one state, those of sines included; 0: unknown.
  virtual double operations(const TimedFunction&) const { return 0.0; }

  const std::string name;
};

// The first is the reference. With `friction`, only inverse dynamics without and with it. `note` receives messages for
// the user.
std::vector<std::unique_ptr<Backend>> make_backends(const LoadedModel& loaded, bool friction,
                                                    const std::vector<PeerLibrary>& libraries,
                                                    const std::function<void(const std::string&)>& note);

}  // namespace lw::cli
