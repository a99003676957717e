#include "../../simulate/identify/excite.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/file.hpp"
#include "../../base/text.hpp"
#include "../../dynamics/friction/friction.hpp"
#include "../commands.hpp"
#include "../frame/terminal.hpp"
#include "../io/friction_option.hpp"
#include "../io/model_input.hpp"
#include "../io/motion_csv.hpp"
#include "../io/results.hpp"
#include "../io/vectors.hpp"

namespace lw::cli {
namespace {

// One number for all joints, or one each.
void read_limit(const Arguments& arguments, const std::string& option, const Model<double>& model, bool angles,
                std::vector<double>& limit, bool magnitude = true) {
  if (!arguments.has(option)) return;
  const std::vector<double> given = parse_values(arguments.text(option), option, angles ? 0 : std::string::npos);
  if (given.size() != 1 && given.size() != static_cast<std::size_t>(model.nv)) {
    throw Error(ErrorCode::usage,
                fmt::format("{} needs one value, or {} values, not {}", option, model.nv, given.size()));
  }
  for (const double x : given) {
    if (magnitude && !(x > 0.0)) throw Error(ErrorCode::usage, fmt::format("{} must be positive, not {}", option, x));
  }
  for (std::size_t k = 0; k < limit.size(); ++k) limit[k] = given[given.size() == 1 ? 0 : k];
}

int whole_number(const Arguments& arguments, const std::string& option, int fallback, int least) {
  const double x = arguments.number(option, fallback);
  if (x != std::floor(x) || x < least || x > 1e9) {
    throw Error(ErrorCode::usage,
                fmt::format("{} needs an integer from {}, not `{}`", option, least, arguments.text(option)));
  }
  return static_cast<int>(x);
}

MotionLog sampled(const Model<double>& model, const FourierMotion& motion, double rate, bool torques) {
  MotionLog log;
  Workspace<double> work(model);
  Losses<double> losses(model);
  const auto steps = std::max(1, static_cast<int>(std::lround(motion.period() * rate)));
  for (int i = 0; i <= steps; ++i) {
    const double t = motion.period() * i / steps;
    JointMotion<double> m = motion.at(t);
    if (i == 0 || i == steps) std::fill(m.qd.begin(), m.qd.end(), 0.0);  // at rest, whatever rounding says
    log.t.push_back(t);
    log.q.push_back(m.q);
    log.qd.push_back(m.qd);
    log.qdd.push_back(m.qdd);
    if (!torques) continue;
    inverse_with_losses<double>(model, work, m.q, m.qd, m.qdd, losses, {}, AtRest::no_direction);
    log.tau.push_back(losses.total);
  }
  return log;
}

std::vector<double> peaks(const std::vector<std::vector<double>>& rows) {
  std::vector<double> most(rows.front().size(), 0.0);
  for (const std::vector<double>& row : rows) {
    for (std::size_t k = 0; k < row.size(); ++k) most[k] = std::max(most[k], std::abs(row[k]));
  }
  return most;
}

int run_excite(const Arguments& arguments) {
  require_ending(arguments, "--out", "CSV", ".csv");
  require_other_file(arguments, "--out", "MODEL");
  if (arguments.has("--torques") && !arguments.has("--out")) {
    throw Error(ErrorCode::usage, "--torques adds columns to the file of --out, which is missing");
  }
  const LoadedModel loaded = load_tree(arguments);
  const Model<double>& model = loaded.model;
  ExciteOptions options;
  options.harmonics = whole_number(arguments, "--harmonics", options.harmonics, 2);
  options.period = arguments.number("--period", options.period);
  options.start = read_q(arguments, loaded);
  options.unknowns = read_friction(arguments);
  options.evaluations = whole_number(arguments, "--evaluations", options.evaluations, 1);
  options.seed = static_cast<std::uint64_t>(whole_number(arguments, "--seed", 1, 0));
  options.time_limit = arguments.number("--time-limit", HUGE_VAL);
  const double rate = arguments.number("--rate", 100.0);
  if (!(rate > 0.0) || rate * options.period > 1e7) {
    throw Error(ErrorCode::usage,
                fmt::format("--rate {}: the number of samples per period must be between 1 and 10 million",
                            arguments.text("--rate")));
  }
  MotionLimits limits = motion_limits(loaded.mechanism, model);
  read_limit(arguments, "--lower", model, true, limits.lower, false);
  read_limit(arguments, "--upper", model, true, limits.upper, false);
  read_limit(arguments, "--velocity", model, true, limits.velocity);
  read_limit(arguments, "--acceleration", model, true, limits.acceleration);
  read_limit(arguments, "--effort", model, false, limits.effort);

  auto said = std::chrono::steady_clock::now();
  options.progress = [&](int evaluations, double condition) {
    const auto now = std::chrono::steady_clock::now();
    if (!arguments.quiet() && now - said > std::chrono::seconds(2)) {
      say(fmt::format("{} of {} evaluations, condition number {:.4g}", evaluations, options.evaluations, condition));
      said = now;
    }
    return true;
  };
  const Excitation found = excite(model, limits, options);
  const MotionLog log = sampled(model, found.motion, rate, true);
  if (found.out_of_time && !arguments.quiet()) {
    say(fmt::format("note: stopped by --time-limit after {} evaluations", found.evaluations));
  }
  if (arguments.has("--out")) {
    MotionLog written = log;
    if (!arguments.has("--torques")) written.tau.clear();
    write_file(arguments.text("--out"), motion_csv(model, written));
  }

  const std::vector<double> velocity = peaks(log.qd), acceleration = peaks(log.qdd), effort = peaks(log.tau);
  if (arguments.json()) {
    Json json{{"model", model.name},
              {"velocity_names", model.velocity_names},
              {"condition", found.condition},
              {"of_candidates", found.of_candidates},
              {"evaluations", found.evaluations},
              {"out_of_time", found.out_of_time},
              {"seed", options.seed},
              {"start", found.motion.start()},
              {"period", found.motion.period()},
              {"harmonics", found.motion.harmonics()},
              {"A", found.motion.A()},
              {"B", found.motion.B()},
              {"peaks", {{"velocity", velocity}, {"acceleration", acceleration}, {"effort", effort}}}};
    if (arguments.has("--out")) json["out"] = arguments.text("--out");
    add_given(arguments, json);
    print_json(json);
    return kOk;
  }
  fmt::print("{}: {} harmonics in {:.6g} s, condition number {:.4g} ({:.4g} for the best random motion) after {}\n\n",
             model.name, found.motion.harmonics(), found.motion.period(), found.condition, found.of_candidates,
             counted(static_cast<std::size_t>(found.evaluations), "evaluation"));
  std::vector<double> low = log.q.front(), high = low;
  for (const std::vector<double>& q : log.q) {
    for (std::size_t k = 0; k < q.size(); ++k) low[k] = std::min(low[k], q[k]), high[k] = std::max(high[k], q[k]);
  }
  Table table({"joint", "start", "minimum", "maximum", "velocity", "acceleration", "effort"});
  for (std::size_t k = 0; k < velocity.size(); ++k) {
    table.add({model.velocity_names[k], readable(found.motion.start()[k], 4), readable(low[k], 4), readable(high[k], 4),
               readable(velocity[k], 4), readable(acceleration[k], 4), readable(effort[k], 4)});
  }
  fmt::print("{}", table.str());
  if (arguments.has("--out")) fmt::print("\n{}\n", arguments.text("--out"));
  return kOk;
}

}  // namespace

Command excite_command() {
  std::vector<Option> own{
      text_option("--out", "FILE.csv", "writes t, q1.., qd1.., qdd1.."),
      flag_option("--torques", "also writes tau1.., the model's torques with friction"),
      number_option("--rate", "HZ", "samples per second of that file; default: 100"),
      number_option("--harmonics", "N", "number of harmonics of the series; default: 5"),
      number_option("--period", "SECONDS", "period of the motion; default: 10")};
  for (const Option& o : friction_options()) own.push_back(o);
  const auto limit = [&](const char* name, const char* help) {
    own.push_back(text_option(
        name, "X1,X2,...", std::string(help) + ", one value for all or one per joint; default: the file's", "Limits"));
  };
  limit("--lower", "lower limits of coordinates");
  limit("--upper", "upper limits of coordinates");
  limit("--velocity", "limits of velocities");
  own.push_back(text_option("--acceleration", "X1,X2,...",
                            "limits of accelerations, one value for all or one per joint; default: none", "Limits"));
  limit("--effort", "limits of torques and forces, friction included");
  own.push_back(number_option("--evaluations", "N", "length of the search; default: 3000", "Search"));
  own.push_back(number_option("--seed", "N", "seed of the initial series; default: 1", "Search"));
  own.push_back(number_option("--time-limit", "SECONDS",
                              "ends the search early; the result then depends on the machine", "Search"));
  own.push_back(q_option());
  Command c = dynamics_command(own);
  c.name = "excite";
  c.summary = "designs an exciting motion for identification";
  c.description =
      "Designs a motion for `identify`: one Fourier series per joint, from rest in a posture (--q) back to it, which "
      "minimises the condition number of the equations for base parameters and friction. It respects the limits of "
      "positions, velocities and efforts of the file or the options; revolute joints without limits stay within half a "
      "turn of the posture. The same options give the same motion. --json has the coefficients: q = "
      "start + sum over l of A_l (cos(l w t) - 1) + B_l sin(l w t), w = 2 pi/period.";
  c.examples = {"linkwright excite double-pendulum --velocity 4 --evaluations 300 --out motion.csv",
                "linkwright excite puma560 --period 8 --velocity 90deg --evaluations 200 --json"};
  c.run = run_excite;
  return c;
}

}  // namespace lw::cli
