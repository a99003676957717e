// Generated functions with one array each, compiled or interpreted, for simulating a motion.
#pragma once

#include <optional>

#include "../../codegen/compile.hpp"
#include "../../graph/interpreter.hpp"

namespace lw {

class DrivenCode {
 public:
  // Unavailable without a compiler unless `interpreted` is requested.
  DrivenCode(const Mechanism& mechanism, const std::vector<FunctionName>& functions, const TraceOptions& trace,
             bool interpreted);
  DrivenCode(Function function, const Mechanism& mechanism);

  bool is_of_use() const { return !interpreters_.empty() || !flat_.empty(); }
  const std::vector<std::string>& notes() const { return notes_; }
  void run(std::size_t function, std::span<const double> in, std::span<double> out) {
    if (!flat_.empty())
      flat_[function](in.data(), out.data());
    else
      interpreters_[function](in, out);
  }

 private:
  void take(Compiled compiled, const std::vector<std::string>& functions);

  std::optional<Compiled> compiled_;
  std::vector<Compiled::Flat*> flat_;
  std::vector<Interpreter<double>> interpreters_;
  std::vector<std::string> notes_;
};

}  // namespace lw
