#include "selftest.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../text/statements.hpp"
#include "emit_batch.hpp"
#include "emit_divided.hpp"

namespace lw {
namespace {

std::string numbers(const std::vector<double>& values) {
  std::string text;
  for (const double x : values) text += (text.empty() ? "" : ", ") + shortest(x);
  return text;
}

std::string table(const std::string& name, const std::vector<std::vector<double>>& rows) {
  if (rows[0].empty()) return fmt::format("static const double {}[1] = {{0.0}};\n", name);  // C has no empty arrays
  std::string text = fmt::format("static const double {}[{}] = {{\n", name, rows.size() * rows[0].size());
  for (const auto& row : rows) text += "  " + numbers(row) + ",\n";
  return text + "};\n";
}

constexpr const char* kCCheck = R"(
/* Whether all outputs are as expected, to a fraction of their size at each state: the size of the largest output, or of the
   terms of which outputs are sums. */
static int check(const char *name, void (*run)(int, const REAL *, REAL *), int states, int n_in, int n_out,
                 const double *inputs, const double *outputs, const double *sizes, double tolerance) {
  static REAL in[MOST_IN], out[MOST_OUT];
  double worst = 0.0;
  int wrong = 0;
  for (int k = 0; k < states * n_in; ++k) in[k] = (REAL)inputs[k];
  run(states, in, out);
  for (int state = 0; state < states; ++state) {
    const double *expected = outputs + state * n_out;
    double error = 0.0;
    for (int k = 0; k < n_out; ++k) {
      const double difference = fabs((double)out[state * n_out + k] - expected[k]);
      if (!(difference <= error)) error = difference; /* NaN stays */
    }
    error /= sizes[state];
    if (!(error <= worst)) worst = error;
    if (!(error <= tolerance)) ++wrong;
  }
  printf("%-32s %d states, largest error %.1e (%.1e allowed)%s\n", name, states, worst, tolerance,
         wrong > 0 ? "  WRONG" : "");
  return wrong == 0;
}
)";

constexpr const char* kDividedTestHead = R"(#if (defined(__unix__) || defined(__APPLE__)) && !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
)";

// Every state on all processors, over and over: this thread is processor 0, the others follow its count.
constexpr const char* kDividedRun = R"(
#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#include <sched.h>
typedef pthread_t thread;
typedef void *returned;
#define NOTHING NULL
#define START(thread, function, argument) pthread_create(thread, NULL, function, argument)
#define JOIN(thread) (void)pthread_join(thread, NULL)
#define YIELD() (void)sched_yield()
#else
#include <threads.h>
typedef thrd_t thread;
typedef int returned;
#define NOTHING 0
#define START(thread, function, argument) (thrd_create(thread, function, argument) != thrd_success)
#define JOIN(thread) (void)thrd_join(thread, NULL)
#define YIELD() thrd_yield()
#endif

enum { processors = PROCESSORS, rounds = 10 };

static struct {
  int (*share)(int, unsigned long long, const double *, double *);
  unsigned long long states, evaluations;
  int n_in, n_out;
  const double *in;
  double *out;
} job;
static atomic_ullong begun;
static atomic_int stopped;
static int as_one = 1; /* whether all results were those of one processor */

static returned follow(void *number) {
  const int processor = *(const int *)number;
  for (unsigned long long e = 0; e < job.evaluations; ++e) {
    const unsigned long long state = e % job.states;
    while (atomic_load(&begun) <= e) {
      if (atomic_load(&stopped)) return NOTHING;
      YIELD();
    }
    if (job.share(processor, e, job.in + state * (unsigned)job.n_in, job.out + state * (unsigned)job.n_out)) break;
  }
  return NOTHING;
}

/* `expected`: the results of one processor. */
static void run_on_all(const char *name, const double *expected) {
  thread threads[processors];
  int number[processors], running = 1, stalled = 0;
  unsigned long long wrong = 0;
  atomic_store(&begun, 0);
  atomic_store(&stopped, 0);
  for (; running < processors; ++running) {
    number[running] = running;
    if (START(&threads[running], follow, &number[running])) break;
  }
  for (unsigned long long e = 0; running == processors && e < job.evaluations && !stalled; ++e) {
    const unsigned long long state = e % job.states;
    double *out = job.out + state * (unsigned)job.n_out;
    for (int k = 0; k < job.n_out; ++k) out[k] = 12345.0; /* detects outputs that are not written */
    atomic_store(&begun, e + 1);
    stalled = job.share(0, e, job.in + state * (unsigned)job.n_in, out);
    if (memcmp(out, expected + state * (unsigned)job.n_out, (unsigned)job.n_out * sizeof(double)) != 0) ++wrong;
  }
  if (running < processors) printf("%-32s a thread does not start\n", name);
  if (stalled) printf("%-32s processor %d does not come\n", name, stalled - 1);
  if (wrong) printf("%-32s other bits than on one processor in %llu evaluations\n", name, wrong);
  if (running < processors || stalled || wrong) as_one = 0;
  atomic_store(&stopped, 1);
  while (--running > 0) JOIN(threads[running]);
}
)";

// run_inverse: one state after the other.
std::string run_one_by_one(const Function& f, const std::string& id, const std::string& called,
                           const CDialect& dialect) {
  std::vector<std::string> arguments;
  const auto add = [&](const std::vector<Group>& groups, const char* array, std::size_t row) {
    std::size_t at = 0;
    for (const Group& g : groups) {
      arguments.push_back(fmt::format("{} + {} * k + {}", array, row, at));
      at += g.size;
    }
  };
  add(f.inputs(), "in", f.input_size());
  add(f.outputs(), "out", f.output_size());
  return fmt::format(
      "static void run_{0}(int states, const {1} *in, {1} *out) {{\n  for (int k = 0; k < states; ++k) {2}({3});\n}}\n",
      id, dialect.real(), called, fmt::join(arguments, ", "));
}

// run_inverse_on: on all processors, and then on processor 0 alone, which must notice.
std::string run_divided(const Program& program, const Function& f, const std::string& id, std::size_t states) {
  const std::string on = c_on(program, f), shared = c_shared(program, f);
  std::string text = fmt::format(
      "static {0} {1}_shared;\n"
      "static int {1}_share(int processor, unsigned long long evaluation, const double *in, double *out) {{\n"
      "  return {2}(processor, evaluation, &{1}_shared, {3}, {4});\n}}\n",
      shared, id, on, pieces(f.inputs(), "in"), pieces(f.outputs(), "out"));
  text += fmt::format(
      "static void run_{0}_on(int states, const double *in, double *out) {{\n"
      "  static const {1} zero;\n  static double one[{2}];\n  run_{0}(states, in, one);\n"
      "  job.share = {0}_share;\n  job.states = (unsigned)states;\n  job.evaluations = (unsigned)states * (unsigned "
      "long long)rounds;\n"
      "  job.n_in = {3};\n  job.n_out = {4};\n  job.in = in;\n  job.out = out;\n"
      "  {0}_shared.patience = 60.0;\n  run_on_all(\"{5}\", one);\n"
      "  memcpy(&{0}_shared, &zero, sizeof zero);\n  {0}_shared.patience = 0.01;\n"
      "  if ({0}_share(0, 0, in, one) == 0) {{\n    printf(\"%-32s does not notice who does not come\\n\", \"{5}\");\n "
      "   as_one = 0;\n  }}\n}}\n",
      id, shared, std::max<std::size_t>(states * f.output_size(), 1), f.input_size(), f.output_size(), on);
  return text;
}

// run_inverse_batch: all states at once, a table for each group; p is one for all.
std::string run_at_once(const Function& f, const std::string& id, const std::string& called, std::size_t states,
                        const CDialect& dialect) {
  std::string arrays, before, after, list;
  const auto add = [&](const std::vector<Group>& groups, const char* array, const char* letter, std::size_t row,
                       bool input) {
    std::size_t at = 0, k = 0;
    for (const Group& g : groups) {
      const std::string table = fmt::format("{}{}", letter, ++k);
      arrays += fmt::format("  static {} {}[{}];\n", dialect.real(), table, std::max<std::size_t>(states * g.size, 1));
      if (g.size > 0) {
        const std::string one = fmt::format("{}[{} * k + i]", table, g.size),
                          other = fmt::format("{}[{} * k + {} + i]", array, row, at);
        (input ? before : after) +=
            fmt::format("  for (int k = 0; k < states; ++k) {{\n    for (int i = 0; i < {}; ++i) {} = {};\n  }}\n",
                        g.size, input ? one : other, input ? other : one);
      }
      list += ", " + table;
      at += g.size;
    }
  };
  add(f.inputs(), "in", "x", f.input_size(), true);
  add(f.outputs(), "out", "y", f.output_size(), false);
  return fmt::format(
      "static void run_{0}_batch(int states, const {1} *in, {1} *out) {{\n{2}{3}  {4}((size_t)states{5});\n{6}}}\n", id,
      dialect.real(), arrays, before, called, list, after);
}

}  // namespace

const Function& tested_function(const Program& program, const TestVectors& v) {
  const auto found = std::find_if(program.functions.begin(), program.functions.end(),
                                  [&](const Function& f) { return f.name() == v.function; });
  require(found != program.functions.end(), "test vectors must be for a function of the program");
  require(!v.inputs.empty() && v.inputs.size() == v.outputs.size(), "test vectors need outputs for all inputs");
  for (std::size_t k = 0; k < v.inputs.size(); ++k) {
    require(v.inputs[k].size() == found->input_size() && v.outputs[k].size() == found->output_size(),
            "test vectors must have the sizes of the function's inputs and outputs");
  }
  return *found;
}

std::vector<double> sizes_of(const TestVectors& vectors) {
  std::vector<double> sizes = vectors.sizes;
  for (std::size_t k = sizes.size(); k < vectors.outputs.size(); ++k) {
    double largest = 0.0;
    for (const double x : vectors.outputs[k]) largest = std::max(largest, std::abs(x));
    sizes.push_back(largest);
  }
  for (double& x : sizes) x = x > 0.0 && x < HUGE_VAL ? x : 1.0;
  return sizes;
}

Artefact emit_vectors(const Program& program, const std::vector<TestVectors>& vectors, const Form& form) {
  std::string text;
  for (const TestVectors& v : vectors) {
    const Function& f = tested_function(program, v);
    text += "# function";
    for (const auto* groups : {&f.inputs(), &f.outputs()}) {
      for (const Group& g : *groups) {
        for (std::size_t k = 0; k < g.size; ++k) text += fmt::format(", {}{}", g.name, k + 1);
      }
    }
    text += "\n";
    for (std::size_t k = 0; k < v.inputs.size(); ++k) {
      text += v.function;
      for (const auto* part : {&v.inputs[k], &v.outputs[k]}) text += part->empty() ? "" : ", " + numbers(*part);
      text += "\n";
    }
  }
  return {stem(program, form) + "_vectors.csv", text};
}

std::vector<Artefact> emit_selftest(const Program& program, const std::vector<TestVectors>& vectors,
                                    const CDialect& dialect, const SelfTestOptions& options) {
  const bool with_batch = options.batch, divided = options.processors > 1;
  const std::string name = c_name(program, dialect), space = dialect.cpp ? name + "::" : "";
  std::string tables, runs, calls;
  std::size_t most_in = 1, most_out = 1;
  for (const TestVectors& v : vectors) {
    const Function& f = tested_function(program, v);
    most_in = std::max(most_in, v.inputs.size() * f.input_size());
    most_out = std::max(most_out, v.inputs.size() * f.output_size());
    std::string id = v.function;
    std::replace(id.begin(), id.end(), '-', '_');
    tables += "\n" + table(id + "_inputs", v.inputs) + table(id + "_outputs", v.outputs) +
              table(id + "_sizes", {sizes_of(v)});
    const auto add = [&](const std::string& called, const std::string& run) {
      calls += fmt::format("  right &= check(\"{0}\", {1}, {2}, {3}, {4}, {5}_inputs, {5}_outputs, {5}_sizes, {6});\n",
                           called, run, v.inputs.size(), f.input_size(), f.output_size(), id, shortest(v.tolerance));
    };
    const std::string one = space + c_function(program, f, dialect),
                      all = space + c_batch_function(program, f, dialect);
    runs += run_one_by_one(f, id, one, dialect);
    add(one, "run_" + id);
    if (with_batch) {
      runs += run_at_once(f, id, all, v.inputs.size(), dialect);
      add(all, "run_" + id + "_batch");
    }
    if (divided) {
      runs += run_divided(program, f, id, v.inputs.size());
      add(c_on(program, f), "run_" + id + "_on");
    }
  }
  if (divided) {
    calls += fmt::format(
        "  if (as_one) printf(\"%d processors, %d rounds: the bits of one; one that does not come is noticed\\n\", "
        "processors, rounds);\n"
        "  right &= as_one;\n");
  }
  std::string check = kCCheck;
  replace_all(check, "REAL", dialect.real());
  replace_all(check, "MOST_IN", std::to_string(most_in));
  replace_all(check, "MOST_OUT", std::to_string(most_out));
  std::string run_on_all = divided ? kDividedRun : "";
  replace_all(run_on_all, "PROCESSORS", std::to_string(options.processors));
  const char* ending = dialect.cpp ? "hpp" : "h";
  const std::string text =
      c_comment({fmt::format("Self-test of {}: prints a line a function and exits with 0 where all is right.", name),
                 "The expected values come from Linkwright's reference algorithms, not from this code."}) +
      (divided ? kDividedTestHead : "") +
      fmt::format("#include <math.h>\n#include <stdio.h>\n{}\n#include \"{}.{}\"\n",
                  divided ? "#include <string.h>\n" : "", name, ending) +
      (divided ? fmt::format("#include \"{}.h\"\n", c_divided_name(program, options.processors)) : "") +
      (with_batch ? fmt::format("#include \"{}.{}\"\n", c_batch_name(program, dialect), ending) : "") + tables + check +
      run_on_all + "\n" + runs + "\nint main(" + (dialect.cpp ? "" : "void") + ") {\n  int right = 1;\n" + calls +
      (with_batch ? fmt::format("  printf(\"vector instructions: %s\\n\", {}batch_vectors());\n",
                                dialect.cpp ? space : name + "_")
                  : "") +
      "  printf(right ? \"all right\\n\" : \"WRONG\\n\");\n  return right ? 0 : 1;\n}\n";
  const Form form{dialect.cpp ? "c++" : "c", dialect.single_precision};
  return {emit_vectors(program, vectors, form), {name + "_selftest." + (dialect.cpp ? "cpp" : "c"), text}};
}

}  // namespace lw
