#include "target.hpp"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

namespace {

std::map<std::string, Target::Run*>& targets() {
  static std::map<std::string, Target::Run*> all;
  return all;
}

Target::Run* chosen = nullptr;

}  // namespace

Target::Target(const char* name, Run* run) { targets()[name] = run; }

extern "C" int LLVMFuzzerInitialize(int*, char*** arguments) {
  const std::string program = (*arguments)[0];
  const auto found =
      targets().find(program.substr(program.rfind("fuzz_") == std::string::npos ? 0 : program.rfind("fuzz_") + 5));
  if (found == targets().end()) {
    std::fprintf(stderr, "%s: call it fuzz_NAME, where NAME is", program.c_str());
    for (const auto& [name, run] : targets()) std::fprintf(stderr, " %s", name.c_str());
    std::fprintf(stderr, "\n");
    std::exit(2);
  }
  chosen = found->second;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen(data, size);
  return 0;
}
