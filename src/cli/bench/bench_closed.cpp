#include "bench_closed.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/random.hpp"
#include "../../codegen/compile.hpp"
#include "../../codegen/trace/verification.hpp"
#include "../../dynamics/loops/dynamics.hpp"
#include "../../graph/interpreter.hpp"

namespace lw::cli {
namespace {

// A function with its states, results of which go where those of earlier states were.
struct ClosedCase {
  std::string name;
  std::size_t inputs = 0, outputs = 0, coordinates = 0;
  std::vector<double> in;                   // state after state
  std::vector<std::vector<double>> tables;  // the same, a table a group
  std::vector<std::size_t> widths;

  std::span<double> state(int k) { return {in.data() + static_cast<std::size_t>(k) * inputs, inputs}; }
  void nudge(int k, double by) {
    if (by == 0.0) return;
    for (double& x : state(k).first(coordinates)) x += by;
  }
};

// As a controller has them, a millisecond apart: joints that swing about home, and for a guess the dependent
// coordinates of a moment ago.
std::vector<State> along_a_motion(const Model<double>& model, Random& random) {
  constexpr double kPeriod = 1e-3, kRate = 6.0;  // s, rad/s
  for (double size = 0.3;; size *= 0.5) {
    Dynamics moving(model);
    const LoopPlan& plan = moving.plan();
    const std::vector<double> home = moving.independent();
    std::vector<State> states;
    try {
      for (int k = 0; k < kTimedStates; ++k) {
        State s;
        s.q = home;
        for (const int v : plan.dependent_q) s.guess.push_back(moving.q()[static_cast<std::size_t>(v)]);
        for (std::size_t i = 0; i < plan.freedoms(); ++i) {
          const double reach = size * std::max(0.1, std::min(1.0, std::abs(home[i]))),
                       rate = kRate + static_cast<double>(i);
          const double phase = rate * kPeriod * k;
          s.qd.push_back(reach * rate * std::cos(phase));
          s.qdd.push_back(-reach * rate * rate * std::sin(phase));
          if (plan.independent_q.size() == plan.freedoms()) s.q[i] += reach * std::sin(phase);
        }
        for (std::size_t i = 0; i < plan.actuated.size(); ++i) s.tau.push_back(random.between(-1.0, 1.0));
        moving.follow(s.q);
        states.push_back(std::move(s));
      }
      return states;
    } catch (const Error&) {
      if (size < 1e-3) throw;  // its mode ends there: a smaller motion
    }
  }
}

ClosedCase case_of(const Traced& traced) {
  const Function& f = traced.function;
  ClosedCase c{f.name(), f.input_size(), f.output_size(), f.inputs().front().size, {}, {}, {}};
  for (const Group& g : f.inputs()) c.widths.push_back(g.size);
  c.tables.resize(c.widths.size());
  Random random(1);
  for (const State& s : along_a_motion(traced.model, random)) {
    const std::vector<double> in = inputs_of(f, s);
    c.in.insert(c.in.end(), in.begin(), in.end());
    std::size_t first = 0;
    for (std::size_t g = 0; g < c.widths.size(); ++g) {
      c.tables[g].insert(c.tables[g].end(), in.begin() + static_cast<std::ptrdiff_t>(first),
                         in.begin() + static_cast<std::ptrdiff_t>(first + c.widths[g]));
      first += c.widths[g];
    }
  }
  return c;
}

}  // namespace

namespace {

// Functions of one program, in their share of the time.
std::vector<ClosedTiming> time_program(const LoadedModel& loaded, const std::vector<FunctionName>& functions,
                                       bool with_batch, double seconds,
                                       const std::function<void(const std::string&)>& note) {
  std::vector<std::string> names;
  for (const FunctionName& f : functions) names.emplace_back(f.row.name);
  note(fmt::format("{}: deriving {}", loaded.model.name, fmt::join(names, ", ")));
  ProgramOptions options;
  options.trace = native();
  std::vector<Traced> traced;
  const Program program = make_program(loaded.mechanism, functions, options, &traced);
  std::int64_t all_operations = 0;
  for (const Function& f : program.functions)
    all_operations += cost(f).operations.multiplications + cost(f).operations.additions;
  note(fmt::format("{}: compiling {} operations{}", loaded.model.name, all_operations,
                   with_batch ? ", and in lanes" : ""));
  JitOptions how;
  how.batch = with_batch;
  Compiled compiled = jit(program, how);
  for (const std::string& text : compiled.notes()) note(text);
  std::vector<ClosedTiming> results;
  for (std::size_t f = 0; f < names.size(); ++f) {
    const Function& function = program.functions[f];
    ClosedCase c = case_of(traced[f]);
    const Reference exact = reference(traced[f]);
    Interpreter<double> interpret(function);
    std::vector<double> out(c.outputs), expected(c.outputs);
    std::vector<TimedCall> calls;
    std::vector<std::string> backends;
    const auto sum = [&] { return out.front() + out.back(); };
    const auto add = [&](const std::string& backend, const std::function<void(std::span<const double>)>& run) {
      for (int k = 0; k < kTimedStates; k += kTimedStates / 32) {
        exact(c.state(k), expected);
        run(c.state(k));
        double size = 1.0;
        for (const double x : expected) size = std::max(size, std::abs(x));
        for (std::size_t i = 0; i < out.size(); ++i) {
          // angles may be whole turns apart
          const bool angle =
              i + function.outputs().back().size >= out.size() - function.outputs()[function.outputs().size() - 2].size;
          const double off = angle ? 0.0 : std::abs(out[i] - expected[i]) / size;
          if (off <= 1e-9) continue;
          throw Error(ErrorCode::data, fmt::format("{}, {}: {} differs from the reference by {:.1e} of the result; "
                                                   "nothing is timed that does not agree to 1e-9",
                                                   loaded.model.name, names[f], backend, off));
        }
      }
      calls.push_back({[&c, &sum, run](int state, double nudge) {
        c.nudge(state, nudge);
        run(c.state(state));
        return sum();
      }});
      backends.push_back(backend);
    };
    add("reference", [&](std::span<const double> in) { exact(in, out); });
    add("interpreter", [&](std::span<const double> in) { interpret(in, out); });
    if (compiled.is_native()) {
      Compiled::Flat* flat = compiled.flat(names[f]);
      add("jit", [&, flat](std::span<const double> in) {
        if (flat != nullptr)
          flat(in.data(), out.data());
        else
          compiled(names[f], in, out);
      });
    }
    std::vector<std::vector<double>> many;
    Compiled::Batch* batch = compiled.has_batch() ? compiled.batch_pointer(names[f]) : nullptr;
    constexpr int kBatchRows = 64;
    if (batch != nullptr) {
      for (const Group& g : function.outputs()) many.emplace_back(g.size * kBatchRows);
      const auto run = [&, batch](int first, int count) {
        for (int done = 0; done < count; done += kBatchRows) {
          std::vector<const double*> in;
          std::vector<double*> to;
          for (std::size_t g = 0; g < c.widths.size(); ++g)
            in.push_back(c.tables[g].data() + static_cast<std::size_t>(first + done) * c.widths[g]);
          for (std::vector<double>& table : many) to.push_back(table.data());
          batch(static_cast<std::size_t>(std::min(kBatchRows, count - done)), in.data(), to.data());
        }
        return many.front().front();
      };
      calls.push_back({[run, &c](int state, double nudge) {
                         for (std::size_t k = 0; nudge != 0.0 && k < c.widths[0]; ++k)
                           c.tables[0][static_cast<std::size_t>(state) * c.widths[0] + k] += nudge;
                         return run(state, 1);
                       },
                       run});
      backends.emplace_back("batch");
    }
    const std::vector<Timing> timings = time_side_by_side(calls, seconds / static_cast<double>(names.size()));
    const OperationCount o = cost(function).operations;
    for (std::size_t k = 0; k < timings.size(); ++k) {
      const double operations = static_cast<double>(o.multiplications + o.additions + o.divisions + o.roots) +
                                26.0 * static_cast<double>(o.trigonometric);
      results.push_back({names[f], backends[k], timings[k], backends[k] == "batch" ? operations : 0.0});
    }
  }
  return results;
}

}  // namespace

// Derivatives of a Stewart platform have 72 000 operations, and compilers take more than linear time: two minutes for
// lanes of them, which are not timed.
std::vector<ClosedTiming> time_closed(const LoadedModel& loaded, double seconds,
                                      const std::function<void(const std::string&)>& note) {
  const std::vector<FunctionName> values{FunctionId::inverse, FunctionId::mass_matrix, FunctionId::forward,
                                         FunctionId::bias, FunctionId::kinematics},
      derivatives{FunctionId::inverse_derivatives, FunctionId::forward_derivatives};
  const double each = seconds / static_cast<double>(values.size() + derivatives.size());
  std::vector<ClosedTiming> results =
      time_program(loaded, values, true, each * static_cast<double>(values.size()), note);
  for (ClosedTiming& t : time_program(loaded, derivatives, false, each * static_cast<double>(derivatives.size()), note))
    results.push_back(std::move(t));
  return results;
}

}  // namespace lw::cli
