#include "driven_code.hpp"

namespace lw {

DrivenCode::DrivenCode(const Mechanism& mechanism, const std::vector<FunctionName>& functions,
                       const TraceOptions& trace, bool interpreted) {
  if (interpreted) {
    for (const Function& f : make_program(mechanism, functions, {.trace = trace}).functions)
      interpreters_.emplace_back(f);
  } else {
    std::vector<std::string> names;
    for (const FunctionName& f : functions) names.emplace_back(f.row.name);
    take(compile(mechanism, functions, {.program = {.trace = trace}, .jit = {}}), names);
  }
}

DrivenCode::DrivenCode(Function function, const Mechanism& mechanism) {
  Program program;
  program.name = identifier(mechanism.name);
  const std::string name = function.name();
  program.functions.push_back(std::move(function));
  take(jit(program), {name});
}

void DrivenCode::take(Compiled compiled, const std::vector<std::string>& functions) {
  compiled_ = std::move(compiled);
  notes_ = compiled_->notes();
  if (!compiled_->is_native()) return;
  for (const std::string& f : functions) flat_.push_back(compiled_->flat(f));
}

}  // namespace lw
