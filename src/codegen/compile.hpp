// From a mechanism to functions that run: trace, optimise, emit, compile, load.
//
//   Compiled arm = compile(load("puma560"), {"inverse", "forward"});
//   arm("inverse", q_qd_qdd, tau);
#pragma once

#include <functional>

#include "../base/error.hpp"
#include "functions/function_row.hpp"
#include "jit/jit.hpp"
#include "scene/trace_options.hpp"

namespace lw {

struct Traced;

// Functions of one mechanism, ready for any back end. Sines and cosines by our own kernel unless `libm`.
struct ProgramOptions {
  TraceOptions trace = {};
  bool libm = false;
  std::function<void(const FunctionRow&)> progress = {};  // called before each function is traced
};
Program make_program(const Mechanism& mechanism, const std::vector<FunctionName>& functions,
                     const ProgramOptions& options = {}, std::vector<Traced>* details = nullptr);

struct CompileOptions {
  ProgramOptions program = {};
  JitOptions jit = {};
};
// A traced function does not agree with the reference: a defect of this library. Other Errors are about the mechanism
// or the machine.
class Disagreement : public Error {
 public:
  explicit Disagreement(const std::string& message) : Error(ErrorCode::data, message) {}
};
// For this machine (see `native`). Throws Disagreement.
Compiled compile(const Mechanism& mechanism, const std::vector<FunctionName>& functions, CompileOptions options = {});

// Whether this machine computes a·b + c in one instruction.
bool machine_has_fma();

// Options for the fastest code on this machine: fused multiply-adds if it has them, equal limbs in the lanes of
// vectors.
TraceOptions native(TraceOptions options = {});

// An identifier in every language: letters, digits and _, beginning with a letter, not too long, no reserved word or
// module name.
std::string identifier(const std::string& name);

}  // namespace lw
