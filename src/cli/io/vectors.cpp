#include "vectors.hpp"

#include <cmath>
#include <cstdio>
#include <numbers>
#include <sstream>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/text.hpp"
#include "../../model/formula.hpp"
#include "../../model/limits.hpp"
#include "../frame/terminal.hpp"
#include "judgements.hpp"

namespace lw::cli {
namespace {

// At commas and blanks; one pair of brackets may stand around the whole. A value between two commas may not be missing.
std::vector<std::string> split(const std::string& text, const std::string& what) {
  std::string inner = trimmed(text);
  if (inner.size() >= 2 && inner.front() == '[' && inner.back() == ']')
    inner = trimmed(inner.substr(1, inner.size() - 2));
  if (inner.find_first_of("[](){}") != std::string::npos) {
    throw Error(
        ErrorCode::usage,
        fmt::format("{}: only one pair of brackets [ ] around the whole vector is allowed, not `{}`", what, text));
  }
  std::vector<std::string> words;
  if (inner.empty()) return words;
  for (std::size_t begin = 0, comma = 0; comma != std::string::npos; begin = comma + 1) {
    comma = inner.find(',', begin);
    std::istringstream blanks(inner.substr(begin, comma == std::string::npos ? comma : comma - begin));
    const std::size_t before = words.size();
    for (std::string word; blanks >> word;) words.push_back(word);
    if (words.size() == before) {
      throw Error(ErrorCode::usage,
                  fmt::format("{}: a value is missing {} in `{}`", what,
                              comma == std::string::npos ? "after the last comma" : "before a comma", text));
    }
  }
  return words;
}

void normalize_quaternion(double* x, const std::string& what, const std::string& joint, bool quiet) {
  const double norm = std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
  const double off = std::abs(norm - 1.0);
  if (!(off <= 1e-2)) {
    throw Error(ErrorCode::data,
                fmt::format("{}: the quaternion of `{}` has length {:.6g}, not 1 (its order is x, y, z, w)", what,
                            joint, norm));
  }
  if (off > 1e-6 && !quiet) {
    say(fmt::format("note: the quaternion of `{}` had length {:.9g}; it was normalised", joint, norm));
  }
  for (int k = 0; k < 4; ++k) x[k] /= norm;
}

}  // namespace

Option q_option() {
  return text_option("--q", "Q1,Q2,...", "configuration (rad, m; `90deg` is understood); default: the home pose",
                     "State");
}

Option velocity_option(const std::string& name, const std::string& meaning) {
  return text_option(name, "X1,X2,...", meaning + "; default: zero", "State");
}

void normalize_quaternions(const Model<double>& model, std::vector<double>& q, const std::string& what, bool quiet) {
  for (const JointInfo& joint : model.joints) {
    if (joint.type == JointType::spherical)
      normalize_quaternion(&q[static_cast<std::size_t>(joint.q)], what, joint.name, quiet);
    if (joint.type == JointType::floating)
      normalize_quaternion(&q[static_cast<std::size_t>(joint.q) + 3], what, joint.name, quiet);
  }
}

std::vector<double> parse_entries(const std::string& option, const std::string& text, const std::vector<Entry>& entries,
                                  bool angles) {
  const std::vector<std::string> words = split(text, option);
  if (words.size() != entries.size()) {
    std::string names;
    for (const Entry& e : entries) names += (names.empty() ? "" : ", ") + e.name;
    throw Error(ErrorCode::usage,
                fmt::format("{} has {}, but {} {} expected: {}", option, counted(words.size(), "value"), entries.size(),
                            entries.size() == 1 ? "is" : "are", names));
  }
  std::vector<double> values;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string what = fmt::format("{} value {} (`{}`)", option, i + 1, entries[i].name);
    values.push_back(parse_value(words[i], angles && entries[i].unit == "rad", what));
  }
  return values;
}

std::vector<double> read_q(const Arguments& arguments, const LoadedModel& loaded) {
  const Model<double>& model = loaded.model;
  if (!arguments.has("--q")) return model.home;
  std::vector<double> q = parse_entries("--q", arguments.text("--q"), coordinate_entries(model), true);
  normalize_quaternions(model, q, "--q", arguments.quiet());
  if (!arguments.quiet()) note_passed_limits(loaded, q);
  return q;
}

void note_passed_limits(const LoadedModel& loaded, std::span<const double> q) {
  for (const PassedLimit& passed : passed_limits(loaded.mechanism, loaded.model, q)) {
    say(fmt::format("note: {} = {:.6g} lies {} limit, {:.6g}", passed.joint->name, passed.value, passed.side,
                    passed.limit));
  }
}

std::vector<double> read_velocity(const Arguments& arguments, const std::string& option, const Model<double>& model,
                                  bool angles) {
  if (!arguments.has(option)) return std::vector<double>(static_cast<std::size_t>(model.nv), 0.0);
  return parse_entries(option, arguments.text(option), velocity_entries(model), angles);
}

double parse_value(const std::string& text, bool angle, const std::string& what) {
  const bool degrees = text.size() > 3 && text.ends_with("deg");
  const std::string number = degrees ? text.substr(0, text.size() - 3) : text;
  double value = 0.0;
  if (!parse_number(number, value)) {
    char* end = nullptr;
    const double read = std::strtod(number.c_str(), &end);
    if (!number.empty() && *end == '\0' && !std::isfinite(read)) {
      throw Error(ErrorCode::data, fmt::format("{} is `{}`, but must be finite", what, text));
    }
    throw Error(ErrorCode::usage, fmt::format("{} is not a number: `{}`", what, text));
  }
  if (!degrees) return value;
  if (!angle) throw Error(ErrorCode::usage, fmt::format("{} is no angle: `{}`", what, text));
  return value * std::numbers::pi / 180.0;
}

std::vector<double> parse_values(const std::string& text, const std::string& what, std::size_t first_angle) {
  std::vector<double> values;
  for (const std::string& word : split(text, what)) {
    values.push_back(parse_value(word, values.size() >= first_angle, what));
  }
  return values;
}

}  // namespace lw::cli
