#include "jit.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../graph/interpreter.hpp"
#include "../c/emit_c.hpp"
#include "library.hpp"

namespace lw {
namespace {

// NAME_inverse_flat(in, out): all inputs one behind the other, all outputs too.
std::string flat_functions(const Program& program) {
  std::string text;
  for (const Function& f : program.functions) {
    const std::string name = symbol(program, f);
    std::vector<std::string> arguments;
    const auto add = [&](const std::vector<Group>& groups, const char* array) {
      std::size_t at = 0;
      for (const Group& g : groups) {
        arguments.push_back(fmt::format("{} + {}", array, at));
        at += g.size;
      }
    };
    add(f.inputs(), "in");
    add(f.outputs(), "out");
    text += fmt::format(
        "\nvoid {0}_flat(const double *in, double *out);\nvoid {0}_flat(const double *in, double *out) {{ {0}({1}); "
        "}}\n",
        name, fmt::join(arguments, ", "));
  }
  return text;
}

// NAME_inverse_batch_groups(n, in, out): a pointer a group.
std::string batch_of_groups(const Program& program) {
  std::string text;
  for (const Function& f : program.functions) {
    std::string arguments;
    for (std::size_t k = 0; k < f.inputs().size(); ++k) arguments += fmt::format(", in[{}]", k);
    for (std::size_t k = 0; k < f.outputs().size(); ++k) arguments += fmt::format(", out[{}]", k);
    const std::string head =
        fmt::format("void {}_batch_groups(size_t n, const double *const *in, double *const *out)", symbol(program, f));
    text += fmt::format("\n{0};\n{0} {{ {1}_batch(n{2}); }}\n", head, symbol(program, f), arguments);
  }
  return "\n#ifndef LW_SET\n" + text + "#endif\n";
}

}  // namespace

struct Compiled::State {
  struct Entry {
    std::string name, symbol;
    std::size_t inputs = 0, outputs = 0;
    std::vector<Group> input_groups, output_groups;
    Flat* flat = nullptr;
    Batch* batch = nullptr;
    std::unique_ptr<Interpreter<double>> interpreter;
  };
  std::vector<Entry> entries;
  Library library;
  bool batch = false;

  void find_symbols() {
    for (Entry& e : entries) {
      e.flat = reinterpret_cast<Flat*>(library.symbol(e.symbol + "_flat"));
      if (batch) e.batch = reinterpret_cast<Batch*>(library.symbol(e.symbol + "_batch_groups"));
      if (e.flat == nullptr || (batch && e.batch == nullptr)) {
        throw Error(ErrorCode::toolchain, fmt::format("compiled code has no function {}", e.symbol));
      }
    }
  }

  const Entry& find(std::string_view function) const {
    for (const Entry& e : entries) {
      if (e.name == function) return e;
    }
    throw Error(ErrorCode::usage, fmt::format("the program has no function `{}`", function));
  }
};

Compiled::Compiled(std::unique_ptr<State> state) : state_(std::move(state)) {}
Compiled::~Compiled() = default;
Compiled::Compiled(Compiled&&) noexcept = default;
Compiled& Compiled::operator=(Compiled&&) noexcept = default;
bool Compiled::is_native() const { return state_->library.is_loaded(); }
bool Compiled::has_batch() const { return is_native() && state_->batch; }
bool Compiled::was_cached() const { return state_->library.was_cached(); }
const std::vector<std::string>& Compiled::notes() const { return state_->library.notes(); }

void Compiled::operator()(std::string_view function, In<double> inputs, Out<double> outputs) {
  const State::Entry& e = state_->find(function);
  require(inputs.size() == e.inputs && outputs.size() == e.outputs,
          "inputs and outputs have the sizes of the function's");
  if (e.flat != nullptr)
    e.flat(inputs.data(), outputs.data());
  else
    (*e.interpreter)(inputs, outputs);
}

void Compiled::batch(std::string_view function, std::size_t states, std::span<const std::span<const double>> inputs,
                     std::span<const std::span<double>> outputs) {
  const State::Entry& e = state_->find(function);
  require(inputs.size() == e.input_groups.size() && outputs.size() == e.output_groups.size(),
          "a batch has a table for each group of the function");
  std::vector<const double*> in;
  std::vector<double*> out;
  for (std::size_t g = 0; g < inputs.size(); ++g) {
    require(inputs[g].size() == e.input_groups[g].size * (e.input_groups[g].name == "p" ? 1 : states),
            "tables of inputs have a row a state");
    in.push_back(inputs[g].data());
  }
  for (std::size_t g = 0; g < outputs.size(); ++g) {
    require(outputs[g].size() == e.output_groups[g].size * states, "tables of outputs have a row a state");
    out.push_back(outputs[g].data());
  }
  if (e.batch != nullptr) return e.batch(states, in.data(), out.data());
  std::vector<double> row_in(e.inputs), row_out(e.outputs);
  for (std::size_t k = 0; k < states; ++k) {
    auto to = row_in.begin();
    for (std::size_t g = 0; g < in.size(); ++g) {
      const std::size_t size = e.input_groups[g].size;
      to = std::copy_n(in[g] + (e.input_groups[g].name == "p" ? 0 : k * size), size, to);
    }
    (*this)(function, row_in, row_out);
    auto from = row_out.begin();
    for (std::size_t g = 0; g < out.size(); ++g) {
      const auto size = static_cast<std::ptrdiff_t>(e.output_groups[g].size);
      std::copy_n(from, size, out[g] + static_cast<std::ptrdiff_t>(k) * size);
      from += size;
    }
  }
}

void Compiled::require_signature(std::string_view function, const std::vector<Argument>& arguments) const {
  const State::Entry& e = state_->find(function);
  std::vector<Argument> right(e.input_groups.size(), Argument::input);
  right.resize(right.size() + e.output_groups.size(), Argument::output);
  if (arguments == right) return;
  std::vector<std::string> names;
  for (const Group& g : e.input_groups) names.push_back("const double* " + g.name);
  for (const Group& g : e.output_groups) names.push_back("double* " + g.name);
  throw Error(ErrorCode::usage, fmt::format("a pointer of another type was asked for: `{}` is void({})", function,
                                            fmt::join(names, ", ")));
}

void* Compiled::symbol_of(std::string_view function, const char* ending) const {
  const State::Entry& e = state_->find(function);
  return state_->library.symbol(e.symbol + ending);
}

Compiled jit(const Program& program, const JitOptions& options) {
  auto state = std::make_unique<Compiled::State>();
  for (const Function& f : program.functions) {
    state->entries.push_back({f.name(), symbol(program, f), f.input_size(), f.output_size(), f.inputs(), f.outputs(),
                              nullptr, nullptr, nullptr});
  }
  constexpr int kMostLanes = 16;  // as many as fit are taken
  std::vector<Artefact> files = emit_c(program, {.batch = options.batch ? kMostLanes : 0});
  files[1].text += flat_functions(program);
  if (options.batch) files.back().text += batch_of_groups(program);
  state->library = compile_c(program.name, files, options);
  if (!state->library.is_loaded()) {
    for (std::size_t k = 0; k < program.functions.size(); ++k) {
      state->entries[k].interpreter = std::make_unique<Interpreter<double>>(program.functions[k]);
    }
    return Compiled(std::move(state));
  }
  state->batch = options.batch;
  state->find_symbols();
  return Compiled(std::move(state));
}

}  // namespace lw
