// A program compiled while we run: emitted as C, compiled by the system's compiler in a child process, loaded.
//
//   Compiled arm = jit(program);
//   arm("inverse", inputs, tau);                                        // groups of inputs one behind the other
//   arm.batch("inverse", n, tables_of_inputs, tables_of_outputs);       // n states, a row each
//   auto* inverse = arm.pointer<void(const double*, const double*, const double*, double*)>("inverse");
//
// Where there is no compiler the interpreter does the work: the same bits, slower, and a note says so.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "../../base/view.hpp"
#include "../text/program.hpp"
#include "library.hpp"

namespace lw {

class Compiled {
 public:
  ~Compiled();
  Compiled(Compiled&&) noexcept;
  Compiled& operator=(Compiled&&) noexcept;

  // Evaluates a function, named as in the program. Where it is native, threads may share it.
  void operator()(std::string_view function, In<double> inputs, Out<double> outputs);

  // Evaluates it at many states: for each group of inputs and outputs a table with a row a state, `p` one for all. As
  // fast as vectors make it where it was compiled with `batch`, else state by state: the same bits.
  void batch(std::string_view function, std::size_t states, std::span<const std::span<const double>> inputs,
             std::span<const std::span<double>> outputs);
  bool has_batch() const;

  bool is_native() const;
  bool was_cached() const;
  // What the user should know: why it is interpreted, why the cache was of no use. Mostly empty.
  const std::vector<std::string>& notes() const;

  // The C function itself, F its type: a `const double*` for each group of inputs, then a `double*` for each group of
  // outputs; throws Error(usage) if F is another type. nullptr where it is interpreted. Valid as long as this lives.
  template <class F>
  F* pointer(std::string_view function) const {
    require_signature(function, Signature<F>::arguments());
    return reinterpret_cast<F*>(symbol_of(function, ""));
  }
  // The same with inputs as one array and outputs as one.
  using Flat = void(const double* inputs, double* outputs);
  Flat* flat(std::string_view function) const { return reinterpret_cast<Flat*>(symbol_of(function, "_flat")); }
  // Over n states, a pointer a group; nullptr where there is none.
  using Batch = void(std::size_t n, const double* const* inputs, double* const* outputs);
  Batch* batch_pointer(std::string_view function) const {
    return reinterpret_cast<Batch*>(symbol_of(function, "_batch_groups"));
  }

 private:
  friend Compiled jit(const Program& program, const JitOptions& options);
  struct State;
  explicit Compiled(std::unique_ptr<State> state);
  enum class Argument { input, output, other };
  template <class F>
  struct Signature {
    static std::vector<Argument> arguments() { return {Argument::other}; }
  };
  template <class... A>
  struct Signature<void(A...)> {
    static std::vector<Argument> arguments() {
      return {(std::is_same_v<A, const double*> ? Argument::input
               : std::is_same_v<A, double*>     ? Argument::output
                                                : Argument::other)...};
    }
  };
  void require_signature(std::string_view function, const std::vector<Argument>& arguments) const;
  void* symbol_of(std::string_view function, const char* ending) const;
  std::unique_ptr<State> state_;
};

// Throws Error(toolchain) with the compiler's words where it refuses the code.
Compiled jit(const Program& program, const JitOptions& options = {});

}  // namespace lw
