#include "jit.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "../base/error.hpp"
<<<<<<< Updated upstream
#include "../base/file.hpp"
#include "../base/process.hpp"
#include "../base/sha256.hpp"
#include "../base/user_cache.hpp"
=======
>>>>>>> Stashed changes
#include "../graph/interpreter.hpp"
#include "emit_c.hpp"
#include "library.hpp"

namespace lw {
namespace {

<<<<<<< Updated upstream
namespace fs = std::filesystem;

// Signals that end the process wait until temporary files are gone; a compiler that dies of them ends the wait.
class SignalPause {
 public:
  SignalPause() {
    sigset_t ending;
    sigemptyset(&ending);
    for (const int s : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&ending, s);
    pthread_sigmask(SIG_BLOCK, &ending, &before_);
  }
  ~SignalPause() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalPause(const SignalPause&) = delete;
  SignalPause& operator=(const SignalPause&) = delete;

 private:
  sigset_t before_{};
};

class TemporaryFolder {
 public:
  explicit TemporaryFolder(const fs::path& parent) {
    std::string pattern = (parent / "work.XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) {
      throw Error(ErrorCode::io, fmt::format("cannot make a folder in {}: {}", parent.string(), std::strerror(errno)));
    }
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return file ? text.str() : std::string();
}

// What a run that was killed left behind, what was not used for long, and what is too much.
void sweep(const fs::path& cache) {
  constexpr std::uintmax_t kMost = 256u << 20;
  constexpr auto kLong = std::chrono::days(90);
  struct Kept {
    fs::path path;
    fs::file_time_type used;
    std::uintmax_t size;
  };
  std::vector<Kept> libraries;
  std::error_code error;
  const auto now = fs::file_time_type::clock::now();
  for (const auto& entry : fs::directory_iterator(cache, error)) {
    std::error_code gone;  // by another's hand
    const auto used = entry.last_write_time(gone);
    if (gone) continue;
    if (entry.path().filename().string().starts_with("work.") && now - used > std::chrono::hours(1)) fs::remove_all(entry.path(), gone);
    if (entry.path().extension() == ".so") libraries.push_back({entry.path(), used, entry.file_size(gone)});
  }
  std::sort(libraries.begin(), libraries.end(), [](const Kept& a, const Kept& b) { return a.used > b.used; });
  std::uintmax_t together = 0;
  for (const Kept& k : libraries) {
    together += k.size;
    if (together > kMost || now - k.used > kLong) fs::remove(k.path, error);
  }
}

struct Compiler {
  std::vector<std::string> command;  // empty: there is none
  std::string identity;              // changes when the compiler does
};

Compiler find_compiler(const std::string& wanted) {
  const char* cc = std::getenv("CC");
  std::vector<std::string> candidates;
  if (!wanted.empty()) candidates = {wanted};
  else if (cc != nullptr && *cc != '\0') candidates = {cc};
  else candidates = {"cc", "gcc", "clang"};
  for (const std::string& candidate : candidates) {
    std::vector<std::string> command = words_of(candidate);
    if (command.empty()) continue;
    const std::string path = find_program(command[0]);
    if (path.empty()) continue;
    command[0] = path;
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    struct stat about {};
    if (error || stat(real.c_str(), &about) != 0) continue;
    return {command, fmt::format("{} {} {}.{}", real.string(), about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec)};
  }
  return {};
}

// What else decides what a compiler makes of a file.
std::string environment() {
  std::string text;
  for (const char* name : {"CPATH", "C_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX", "CCC_OVERRIDE_OPTIONS"}) {
    const char* value = std::getenv(name);
    if (value != nullptr) text += fmt::format("{}={}\n", name, value);
  }
  return text;
}

// -march=native means another machine's code where a home folder is shared.
std::string machine() {
  std::ifstream file("/proc/cpuinfo");
  std::string text;
  for (std::string line; std::getline(file, line) && !line.empty();) {
    if (line.starts_with("model name") || line.starts_with("flags") || line.starts_with("Features")) text += line + "\n";
  }
  return text;
}

=======
>>>>>>> Stashed changes
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
    text += fmt::format("\nvoid {0}_flat(const double *in, double *out);\nvoid {0}_flat(const double *in, double *out) {{ {0}({1}); }}\n",
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
    const std::string head = fmt::format("void {}_batch_groups(size_t n, const double *const *in, double *const *out)", symbol(program, f));
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

void Compiled::operator()(std::string_view function, std::span<const double> inputs, std::span<double> outputs) {
  const State::Entry& e = state_->find(function);
  require(inputs.size() == e.inputs && outputs.size() == e.outputs,
          "inputs and outputs have the sizes of the function's");
  if (e.flat != nullptr) e.flat(inputs.data(), outputs.data());
  else (*e.interpreter)(inputs, outputs);
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

void* Compiled::symbol_of(std::string_view function, const char* ending) const {
  const State::Entry& e = state_->find(function);
  return state_->library.symbol(e.symbol + ending);
}

Compiled jit(const Program& program, const JitOptions& options) {
  auto state = std::make_unique<Compiled::State>();
  for (const Function& f : program.functions) {
    state->entries.push_back({f.name(), symbol(program, f), f.input_size(), f.output_size(), f.inputs(), f.outputs(), nullptr,
                              nullptr, nullptr});
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
<<<<<<< Updated upstream
  std::vector<std::string> flags = options.flags;
  flags.insert(flags.end(), kCFlags.begin(), kCFlags.end());
  for (const char* always : {"-std=c11", "-shared", "-fPIC"}) flags.emplace_back(always);
  std::string made_from = fmt::format("{}\n{}\n{}\n{}", compiler.identity, fmt::join(compiler.command, "\n"),
                                      fmt::join(flags, "\n"), machine() + environment());
  for (const Artefact& f : files) made_from += f.text;
  const std::string key = sha256(made_from);

  const UserCache cache = open_user_cache(options.cache);
  if (cache.folder.empty()) {
    state->notes.push_back(fmt::format("compiled code is not kept: {}", cache.why));
  } else {
    const fs::path kept = cache.folder / (key + ".so");
    const std::string content = content_of(kept);
    if (is_sealed(content, key)) {
      std::error_code ignored;
      fs::last_write_time(kept, fs::file_time_type::clock::now(), ignored);  // used: see sweep
      state->load(content, kept);
      state->cached = true;
      return Compiled(std::move(state));
    }
  }

  if (options.progress) options.progress(fmt::format("compiling {} with {}", program.name, compiler.command[0]));
  const SignalPause pause;
  if (!cache.folder.empty()) sweep(cache.folder);
  const TemporaryFolder work(cache.folder.empty() ? fs::temp_directory_path() : cache.folder);
  for (const Artefact& f : files) write_file((work.path() / f.path).string(), f.text);
  const fs::path library = work.path() / (program.name + ".so");
  std::vector<std::string> command = compiler.command;
  command.insert(command.end(), flags.begin(), flags.end());
  command.insert(command.end(), {"-o", library.string()});
  for (const Artefact& f : files) {
    if (f.path.ends_with(".c")) command.push_back((work.path() / f.path).string());
  }
  command.emplace_back("-lm");
  const Finished finished = run_program(command);
  if (finished.status != 0) {
    throw Error(ErrorCode::toolchain, fmt::format("{} refuses the code of {} (exit status {}):\n{}", compiler.command[0],
                                                  program.name, finished.status, finished.output));
  }
  const std::string content = content_of(library);
  if (!cache.folder.empty()) {
    write_file(library.string(), content + seal(content, key));
    const fs::path kept = cache.folder / (key + ".so");
    std::error_code error;
    fs::rename(library, kept, error);
    if (!error) {
      state->load(content, kept);
      return Compiled(std::move(state));
    }
    state->notes.push_back(fmt::format("compiled code is not kept: {}: {}", kept.string(), error.message()));
  }
  state->load(content, library);
=======
  state->find_symbols();
>>>>>>> Stashed changes
  return Compiled(std::move(state));
}

}  // namespace lw
