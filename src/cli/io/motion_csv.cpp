#include "motion_csv.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "../../base/csv.hpp"
#include "../../base/error.hpp"
#include "../../base/text.hpp"
#include "../../model/complaints.hpp"
#include "vectors.hpp"

namespace lw::cli {
namespace {

struct MotionGroup {
  const char* name;
  int size;
  std::vector<std::vector<double>> MotionLog::*rows;
  bool angles;  // `90deg` is understood
};

std::vector<MotionGroup> groups(const Model<double>& model) {
  return {{"q", model.nq, &MotionLog::q, true},
          {"qd", model.nv, &MotionLog::qd, true},
          {"qdd", model.nv, &MotionLog::qdd, true},
          {"tau", model.nv, &MotionLog::tau, false}};
}

std::vector<std::string> names_of(const MotionGroup& group) {
  std::vector<std::string> names;
  for (int k = 1; k <= group.size; ++k) names.push_back(fmt::format("{}{}", group.name, k));
  return names;
}

}  // namespace

namespace {

// Which columns are there: of a log torques, rates where it has them; of a motion all but torques.
enum class Kind { log, motion };

constexpr const char *kLogColumns = "t,q1,qd1,tau1", *kMotionColumns = "t,q1,qd1,qdd1";

MotionLog read(const Csv& csv, const Model<double>& model, Kind kind, std::vector<std::size_t>* lines = nullptr) {
  const bool is_log = kind == Kind::log;
  const auto fail = [&](const std::string& what) { csv.fail(csv.header_line, what); };
  std::vector<std::string> known{"t"};
  for (const MotionGroup& g : groups(model)) {
    std::ranges::copy(names_of(g), std::back_inserter(known));  // torques beside a motion are not read
  }
  known.emplace_back("energy");  // as `simulate` writes it, with formulas of its scenario as out.NAME
  for (const std::string& name : csv.names) {
    if (!name.starts_with("out.") && std::find(known.begin(), known.end(), name) == known.end()) {
      fail(fmt::format("a {} of `{}`, which has {} and {}, has no column `{}`; {}", is_log ? "log" : "motion",
                       model.name, counted(static_cast<std::size_t>(model.nq), "coordinate"),
                       counted(static_cast<std::size_t>(model.nv), "velocity", "velocities"), name,
                       suggestion(name, known)));
    }
  }
  MotionLog log;
  const auto number = [&](const Csv::Row& row, std::size_t column, bool angle) {
    try {
      return parse_value(row.cells[column], angle, fmt::format("`{}`", csv.names[column]));
    } catch (const Error& e) {
      csv.fail(row.line, e.what());
    }
  };
  const auto t = csv.column("t");
  if (!t) fail("the column `t` is missing");
  for (const MotionGroup& g : groups(model)) {
    if (!is_log && g.rows == &MotionLog::tau) continue;
    const bool optional = is_log && (g.rows == &MotionLog::qd || g.rows == &MotionLog::qdd);
    std::vector<std::string> missing = names_of(g);
    std::erase_if(missing, [&](const std::string& name) { return csv.column(name).has_value(); });
    if (!missing.empty() && !(optional && missing.size() == static_cast<std::size_t>(g.size))) {
      fail(fmt::format("the column `{}` is missing", missing.front()));
    }
  }
  if (!csv.column("qd1") && csv.column("qdd1")) fail("accelerations without velocities: `qd1` and so on are missing");
  csv.require_rows();
  for (const Csv::Row& row : csv.rows) {
    log.t.push_back(number(row, *t, false));
    if (lines != nullptr) lines->push_back(row.line);
    if (log.t.size() > 1 && !(log.t.back() > log.t[log.t.size() - 2])) {
      csv.fail(row.line,
               fmt::format("times must increase: {:.9g} follows {:.9g}", log.t.back(), log.t[log.t.size() - 2]));
    }
  }
  for (const MotionGroup& g : groups(model)) {
    std::vector<std::size_t> columns;
    for (const std::string& name : names_of(g)) {
      if (const auto place = csv.column(name)) columns.push_back(*place);
    }
    if (columns.empty()) continue;
    for (const Csv::Row& row : csv.rows) {
      std::vector<double>& values = (log.*g.rows).emplace_back();
      for (const std::size_t column : columns) values.push_back(number(row, column, g.angles));
    }
  }
  return log;
}

std::vector<JointSample> motion_of(const Csv& csv, const std::string& file, const Model<double>& model) {
  std::vector<std::size_t> lines;
  MotionLog log = read(csv, model, Kind::motion, &lines);
  std::vector<JointSample> motion(log.t.size());
  for (std::size_t i = 0; i < motion.size(); ++i) {
    motion[i].t = log.t[i];
    for (const auto& [to, from] : {std::pair{&JointSample::q, &MotionLog::q},
                                   {&JointSample::qd, &MotionLog::qd},
                                   {&JointSample::qdd, &MotionLog::qdd}}) {
      if (!(log.*from).empty()) motion[i].*to = std::move((log.*from)[i]);
    }
    try {
      normalize_quaternions(model, motion[i].q, "q", true);
    } catch (const Error& e) {
      throw Error(ErrorCode::data, fmt::format("{}:{}: {}", file, lines[i], e.what()));
    }
  }
  return motion;
}

}  // namespace

MotionLog read_log(const std::string& file, const Model<double>& model) {
  return read(read_csv(file, kLogColumns), model, Kind::log);
}

std::vector<JointSample> read_motion(const std::string& file, const Model<double>& model) {
  return motion_of(read_csv(file, kMotionColumns), file, model);
}

EitherMotion read_motion_of_either(const std::string& file, const Model<double>& part, const Model<double>& whole) {
  const Csv csv = read_csv(file, kMotionColumns);
  const bool is_whole = whole.nq > part.nq && csv.column(fmt::format("q{}", whole.nq)).has_value();
  return {motion_of(csv, file, is_whole ? whole : part), is_whole};
}

std::string motion_csv(const Model<double>& model, const MotionLog& motion) {
  std::string text = "t";
  for (const MotionGroup& g : groups(model)) {
    if ((motion.*g.rows).empty()) continue;
    for (const std::string& name : names_of(g)) text += "," + name;
  }
  text += '\n';
  for (std::size_t i = 0; i < motion.t.size(); ++i) {
    text += fmt::format("{}", motion.t[i]);
    for (const MotionGroup& g : groups(model)) {
      if ((motion.*g.rows).empty()) continue;
      for (const double x : (motion.*g.rows)[i]) text += fmt::format(",{}", x);
    }
    text += '\n';
  }
  return text;
}

}  // namespace lw::cli
