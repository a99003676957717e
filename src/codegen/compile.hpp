// From a mechanism to functions that run: trace, optimise, emit, compile, load.
//
//   Compiled arm = compile(load("puma560"), {"inverse", "forward"});
//   arm("inverse", q_qd_qdd, tau);
#pragma once

#include <functional>

#include "../base/error.hpp"
#include "jit/jit.hpp"
#include "trace/traced.hpp"

namespace lw {

// Functions of one mechanism, ready for any back end. Sines and cosines by our own kernel unless `libm`.
struct ProgramOptions {
  TraceOptions trace = {};
  bool libm = false;
  std::function<void(const FunctionRow&)> progress = {};  // called before each is traced
};
Program make_program(const Mechanism& mechanism, const std::vector<FunctionName>& functions,
                     const ProgramOptions& options = {}, std::vector<Traced>* details = nullptr);

struct CompileOptions {
  ProgramOptions program = {};
  JitOptions jit = {};
};
// What was traced does not agree with the reference: a defect of ours, while other Errors are the mechanism's or the
// machine's.
class Disagreement : public Error {
 public:
  explicit Disagreement(const std::string& message) : Error(ErrorCode::data, message) {}
};
// For this machine: see `native`. Throws Disagreement.
Compiled compile(const Mechanism& mechanism, const std::vector<FunctionName>& functions, CompileOptions options = {});

// Whether a·b + c is one instruction here.
bool machine_has_fma();

// What makes code fastest here: fused multiply-adds where the machine has them, equal limbs in the lanes of vectors.
TraceOptions native(TraceOptions options = {});

// A name that every language takes for an identifier: letters, digits and _, a letter first, not too long, no word or
// module of theirs.
std::string identifier(const std::string& name);

}  // namespace lw
