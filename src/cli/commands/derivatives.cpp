#include "../commands.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "../../dynamics/derivatives/second_derivatives.hpp"
#include "../../dynamics/loops/loop_position.hpp"
#include "../../dynamics/loops/projection.hpp"
#include "../../dynamics/parameters/parameter_derivatives.hpp"
#include "../../dynamics/tree/energy.hpp"
#include "../../dynamics/tree/kinematics.hpp"
#include "../../model/coordinate_rates.hpp"
#include "../../model/require_tree.hpp"
#include "../io/codegen_options.hpp"
#include "../io/frame_option.hpp"
#include "../io/judgements.hpp"
#include "../io/plant_input.hpp"
#include "../io/vectors.hpp"

namespace lw::cli {
namespace {

// A state, of which one number has a rate.
struct MovingState {
  const Model<Dual>& model;
  const LoopPlan& plan;
  PlantWorkspace<Dual>& work;
  const std::vector<Dual>&q, &qd, &last;  // q: of all joints, loops closed
  int frame;
};

std::vector<Dual> torques(MovingState& s) {
  std::vector<Dual> out(s.plan.actuated.size());
  inverse_dynamics<Dual>(s.model, s.plan, s.work, s.q, s.qd, s.last, out);
  return out;
}
std::vector<Dual> accelerations(MovingState& s) {
  std::vector<Dual> out(s.plan.freedoms());
  forward_dynamics<Dual>(s.model, s.plan, s.work, s.q, s.qd, s.last, out);
  return out;
}
std::vector<Dual> inertias(MovingState& s) {
  std::vector<Dual> out(s.plan.freedoms() * s.plan.freedoms());
  mass_matrix<Dual>(s.model, s.plan, s.work, s.q, out);
  return out;
}
std::vector<Dual> forces(MovingState& s) {
  std::vector<Dual> out(s.plan.freedoms());
  generalised_forces<Dual>(s.model, s.plan, s.work, s.q, s.qd, std::vector<Dual>(out.size()), out);
  return out;
}
std::vector<Dual> pose_of_frame(MovingState& s) {
  forward_kinematics<Dual>(s.model, s.work.tree, s.q);
  const Transform<Dual> X = frame_pose<Dual>(s.model, s.work.tree, s.frame);
  std::vector<Dual> out{X.p[0], X.p[1], X.p[2]};
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) out.push_back(X.R(r, c));
  }
  return out;
}
std::vector<Dual> energies(MovingState& s) {
  set_pose<Dual>(s.model, s.plan, s.work, s.q);
  tree_velocities<Dual>(s.model, s.plan, s.work, s.qd);
  forward_velocities<Dual>(s.model, s.work.tree, s.q, s.work.qd);
  const Energy<Dual> e = energy<Dual>(s.model, s.work.tree, s.q, s.work.qd);
  return {e.kinetic, e.potential};
}

// What is differentiated, and by what besides q.
struct Target {
  const char* name;
  const char* result;
  bool by_qd;
  const char* last;  // qdd, tau, or nothing
  const char* help;
  enum class Rows { joints, motors, matrix, pose, energies } rows;
  std::vector<Dual> (*value)(MovingState&);

  bool has_last() const { return *last != 0; }
  bool is_of_torques() const { return rows == Rows::motors; }
  bool takes_torques() const { return has_last() && !is_of_torques(); }
  bool is_matrix() const { return rows == Rows::matrix; }
  bool is_of_a_frame() const { return rows == Rows::pose; }
};
using Rows = Target::Rows;
constexpr Target kTargets[] = {
    {"inverse", "tau", true, "qdd", "tau(q, qd, qdd)", Rows::motors, torques},
    {"forward", "qdd", true, "tau", "qdd(q, qd, tau)", Rows::joints, accelerations},
    {"mass-matrix", "M", false, "", "M(q), a matrix per velocity", Rows::matrix, inertias},
    {"bias", "bias", true, "", "c(q, qd) + g(q)", Rows::joints, forces},
    {"kinematics", "pose", false, "", "position and rotation matrix of a frame", Rows::pose, pose_of_frame},
    {"energy", "energy", true, "", "kinetic and potential energy", Rows::energies, energies}};

const Target& chosen_target(const Arguments& arguments) {
  const std::string wanted = arguments.text("--function", "inverse");
  for (const Target& t : kTargets) {
    if (wanted == t.name) return t;
  }
  throw Error(ErrorCode::usage, fmt::format("`{}` is not a function of this command", wanted));
}

struct DerivativePoint {
  std::vector<double> q, guess, qd, last;  // guess: the dependent coordinates
  int frame;
};

std::vector<Dual> still(const std::vector<double>& x) { return {x.begin(), x.end()}; }

std::vector<Dual> evaluate(const Target& target, const Model<Dual>& model, const LoopPlan& plan,
                           const DerivativePoint& p, const std::vector<Dual>& q, const std::vector<Dual>& qd,
                           const std::vector<Dual>& last) {
  const LoopPosition<Dual> pose = loop_position<Dual>(model, plan, q, still(p.guess));
  if (!pose.converged)
    throw Error(ErrorCode::data, fmt::format("the loops of `{}` cannot be closed in this pose", model.name));
  PlantWorkspace<Dual> work(model, plan);
  MovingState state{model, plan, work, pose.q, qd, last, p.frame};
  return target.value(state);
}

// A derivative: rows of the result, by columns.
struct Slopes {
  std::vector<double> q, qd, last;
};

// Of inverse and forward dynamics.
Slopes analytic(const Target& target, const LoadedPlant& plant, const DerivativePoint& p) {
  const std::size_t n = plant.plan.freedoms(), m = plant.plan.actuated.size(), rows = target.is_of_torques() ? m : n;
  Slopes s{std::vector<double>(rows * n), std::vector<double>(rows * n), std::vector<double>(n * m)};
  (*plant.dynamics.*(target.is_of_torques() ? &Dynamics::inverse_derivatives : &Dynamics::forward_derivatives))(
      p.q, p.qd, p.last, s.q, s.qd, s.last);
  return s;
}

Slopes by_dual_numbers(const Target& target, const LoadedPlant& plant, const DerivativePoint& p) {
  const Model<Dual> twin = instantiate<Dual>(plant.loaded.mechanism);
  Slopes s;
  const auto append = [&](std::vector<double>& to, const std::vector<Dual>& q, const std::vector<Dual>& qd,
                          const std::vector<Dual>& last) {
    for (const Dual& x : evaluate(target, twin, plant.plan, p, q, qd, last)) to.push_back(x.d);
  };
  const auto moving = [](const std::vector<double>& x, std::size_t k) {
    std::vector<Dual> along = still(x);
    along[k].d = 1.0;
    return along;
  };
  for (int k = 0; k < plant.joints.nv; ++k) append(s.q, moving_along(plant.joints, p.q, k), still(p.qd), still(p.last));
  for (std::size_t k = 0; target.by_qd && k < p.qd.size(); ++k)
    append(s.qd, still(p.q), moving(p.qd, k), still(p.last));
  for (std::size_t k = 0; k < p.last.size(); ++k) append(s.last, still(p.q), still(p.qd), moving(p.last, k));
  return s;
}

std::vector<std::string> row_names(const Target& target, const LoadedPlant& plant) {
  switch (target.rows) {
    case Rows::pose: return {"x", "y", "z", "Rxx", "Rxy", "Rxz", "Ryx", "Ryy", "Ryz", "Rzx", "Rzy", "Rzz"};
    case Rows::energies: return {"kinetic", "potential"};
    case Rows::motors: return plant.motors.velocity_names;
    default: return plant.joints.velocity_names;
  }
}

std::vector<std::string> wanted_parameters(const Arguments& arguments, const LoadedModel& loaded) {
  const std::string text = arguments.text("--parameters");
  if (text.empty()) return {};
  if (text == "inertial") return inertial_parameter_names(loaded.mechanism);
  if (text != "all") return names_in("--parameters", text);
  const std::vector<std::string> all = file_parameters(loaded.mechanism);
  if (all.empty()) {
    throw Error(ErrorCode::usage,
                fmt::format("`{}` has no named parameters; use --parameters inertial for those of its links",
                            loaded.model.name));
  }
  return all;
}

// A tensor as one matrix (array of rows) per k.
Json matrices_of(std::span<const double> tensor, std::size_t rows, std::size_t columns) {
  Json list = Json::array();
  for (std::size_t first = 0; first < tensor.size(); first += rows * columns) {
    list.push_back(rows_of(tensor.subspan(first, rows * columns), static_cast<int>(rows), static_cast<int>(columns)));
  }
  return list;
}

// Jacobian times a direction (of nv entries), and weights (one per row) times Jacobian.
std::vector<double> along(std::span<const double> by_columns, const std::vector<double>& direction) {
  const std::size_t rows = by_columns.size() / direction.size();
  std::vector<double> sum(rows, 0.0);
  for (std::size_t k = 0; k < by_columns.size(); ++k) sum[k % rows] += by_columns[k] * direction[k / rows];
  return sum;
}
std::vector<double> weighted(std::span<const double> by_columns, const std::vector<double>& weights) {
  std::vector<double> sum(by_columns.size() / weights.size(), 0.0);
  for (std::size_t k = 0; k < by_columns.size(); ++k)
    sum[k / weights.size()] += by_columns[k] * weights[k % weights.size()];
  return sum;
}

struct Results {
  std::vector<std::string> rows;  // what the results are called
  std::vector<std::string>
      by_last;  // columns of d_qdd or d_tau: velocities, or the actuated joints of d_tau with loops
  std::vector<double> direction, weights;  // empty: not asked for
  Slopes slopes;
  std::vector<std::string> parameters;
  std::vector<std::vector<double>> by_parameter;
  SecondDerivatives second;
};

// A direction has one number per velocity, so it is none for torques of other joints than the independent ones.
bool has_direction_of_last(const Target& target, const Model<double>& model, const Results& r) {
  return target.has_last() && r.by_last == model.velocity_names;
}

void require_finite_all(const Results& r, const Model<double>& model) {
  const auto check = [&](const char* what, const std::vector<double>& values) {
    const std::size_t rows = values.size() / std::max<std::size_t>(1, static_cast<std::size_t>(model.nv));
    require_finite(what, values, [&](std::size_t k) { return "by `" + model.velocity_names[k / rows] + "`"; });
  };
  check("d_q", r.slopes.q);
  check("d_qd", r.slopes.qd);
  require_finite("d_last", r.slopes.last, [](std::size_t) { return std::string("by a torque or an acceleration"); });
  for (std::size_t k = 0; k < r.parameters.size(); ++k) {
    require_finite("d_parameters", r.by_parameter[k], [&](std::size_t) { return "of `" + r.parameters[k] + "`"; });
  }
}

void print_as_json(const Arguments& arguments, const Target& target, const LoadedPlant& plant, const DerivativePoint& p,
                   const Results& r) {
  const Model<double>& model = plant.joints;
  const std::vector<std::string>& names = r.rows;
  const bool is_matrix = target.is_matrix();
  const auto nv = static_cast<std::size_t>(model.nv);
  const auto shaped = [&](const std::vector<double>& by_columns) {
    return is_matrix ? matrices_of(by_columns, nv, nv) : rows_of(by_columns, static_cast<int>(names.size()), model.nv);
  };
  Json json{
      {"model", model.name}, {"function", target.name}, {"velocity_names", model.velocity_names}, {"rows", names}};
  if (target.is_of_a_frame()) json["frame"] = plant.loaded.model.frames[static_cast<std::size_t>(p.frame)].name;
  json["q"] = p.q;
  if (target.by_qd) json["qd"] = p.qd;
  if (target.has_last()) json[target.last] = p.last;
  json["d_q"] = shaped(r.slopes.q);
  if (target.by_qd) json["d_qd"] = shaped(r.slopes.qd);
  if (target.has_last()) {
    json[std::string("d_") + target.last] =
        rows_of(r.slopes.last, static_cast<int>(names.size()), static_cast<int>(r.by_last.size()));
    if (!p.guess.empty()) json["actuated"] = plant.motors.velocity_names;
  }
  const auto products = [&](const char* name, const auto& product, const std::vector<double>& with, bool of_last) {
    if (with.empty()) return;
    Json& all = json[name] = {{"d_q", product(r.slopes.q, with)}};
    if (target.by_qd) all["d_qd"] = product(r.slopes.qd, with);
    if (of_last) all[std::string("d_") + target.last] = product(r.slopes.last, with);
  };
  products("along", along, r.direction, has_direction_of_last(target, model, r));
  products("weighted", weighted, r.weights, target.has_last());
  if (!r.parameters.empty()) {
    json["d_parameters"] = Json::object();
    for (std::size_t k = 0; k < r.parameters.size(); ++k) {
      json["d_parameters"][r.parameters[k]] =
          is_matrix ? rows_of(r.by_parameter[k], model.nv, model.nv) : Json(r.by_parameter[k]);
    }
  }
  if (arguments.has("--second")) {
    json["second"] = {{"q_q", matrices_of(r.second.q_q, nv, nv)},
                      {"qd_q", matrices_of(r.second.qd_q, nv, nv)},
                      {"qd_qd", matrices_of(r.second.qd_qd, nv, nv)},
                      {"qdd_q", matrices_of(r.second.qdd_q, nv, nv)}};
  }
  add_given(arguments, json);
  print_json(json);
}

void print_as_text(const Arguments& arguments, const Target& target, const LoadedPlant& plant, const DerivativePoint& p,
                   const Results& r) {
  const Model<double>& model = plant.joints;
  const std::vector<std::string>& names = r.rows;
  const auto nv = static_cast<std::size_t>(model.nv);
  fmt::print("{}: derivatives of {} (SI units; one row per result, one column per velocity{})\n{}", model.name,
             target.help,
             has_direction_of_last(target, model, r) || !target.has_last() ? "" : ", of d tau per actuated joint",
             configuration_line(p.q));
  const auto one = [&](const std::string& by, std::span<const double> values, const std::vector<std::string>& columns) {
    fmt::print("\nd {} / d {}\n\n{}", target.result, by, matrix_table(values, names, columns));
  };
  const auto tensor = [&](const std::string& what, const std::string& by, std::span<const double> values) {
    for (std::size_t k = 0; k < nv; ++k) {
      fmt::print("\nd {} / d {} {}\n\n{}", what, by, model.velocity_names[k],
                 matrix_table(values.subspan(k * nv * nv, nv * nv), model.velocity_names, model.velocity_names));
    }
  };
  if (target.is_matrix()) {
    tensor("M", "q", r.slopes.q);
    for (std::size_t k = 0; k < r.parameters.size(); ++k) one(r.parameters[k], r.by_parameter[k], model.velocity_names);
    return;
  }
  one("q", r.slopes.q, model.velocity_names);
  if (target.by_qd) one("qd", r.slopes.qd, model.velocity_names);
  if (target.has_last()) one(target.last, r.slopes.last, r.by_last);
  const bool same_columns = has_direction_of_last(target, model, r);
  const auto products = [&](const std::string& title, const auto& product, const std::vector<double>& with,
                            const std::vector<std::string>& rows) {
    if (with.empty()) return;
    std::vector<std::string> columns{"q"};
    std::vector<double> all = product(r.slopes.q, with);
    const auto add = [&](const char* by, const std::vector<double>& slopes) {
      columns.emplace_back(by);
      const std::vector<double> column = product(slopes, with);
      all.insert(all.end(), column.begin(), column.end());
    };
    if (target.by_qd) add("qd", r.slopes.qd);
    if (same_columns) add(target.last, r.slopes.last);
    fmt::print("\n{}\n\n{}", title, matrix_table(all, rows, columns));
  };
  products("along the direction", along, r.direction, names);
  products("weighted", weighted, r.weights, model.velocity_names);
  if (target.has_last() && !same_columns && !r.weights.empty()) {
    fmt::print("\nweighted\n\n{}", matrix_table(weighted(r.slopes.last, r.weights), r.by_last, {target.last}));
  }
  if (!r.parameters.empty()) {
    std::vector<double> all;
    for (const std::vector<double>& column : r.by_parameter) all.insert(all.end(), column.begin(), column.end());
    fmt::print("\nd {} / d parameter\n\n{}", target.result, matrix_table(all, names, r.parameters));
  }
  if (arguments.has("--second")) {
    tensor("(d tau / d q)", "q", r.second.q_q);
    tensor("(d tau / d qd)", "q", r.second.qd_q);
    tensor("(d tau / d qd)", "qd", r.second.qd_qd);
    tensor("M", "q", r.second.qdd_q);
  }
}

void read_products(const Arguments& arguments, const Target& target, const Model<double>& model, Results& r) {
  if (arguments.has("--direction")) r.direction = read_velocity(arguments, "--direction", model, false);
  if (!arguments.has("--weights")) return;
  r.weights = parse_values(arguments.text("--weights"), "--weights");
  if (r.weights.size() != r.rows.size()) {
    throw Error(ErrorCode::usage,
                fmt::format("--weights has {} values, {} has {}", r.weights.size(), target.result, r.rows.size()));
  }
}

void refuse_what_does_not_fit(const Arguments& arguments, const Target& target) {
  for (const char* option : {"--qdd", "--tau"}) {
    if (arguments.has(option) && std::string(option).substr(2) != target.last)
      throw Error(ErrorCode::usage, fmt::format("{} does not depend on {}: omit it", target.name, option));
  }
  if (arguments.has("--qd") && !target.by_qd)
    throw Error(ErrorCode::usage, fmt::format("{} does not depend on --qd: omit it", target.name));
  if (arguments.has("--frame") && !target.is_of_a_frame())
    throw Error(ErrorCode::usage, fmt::format("--frame is for --function kinematics, not for {}", target.name));
  for (const char* option : {"--direction", "--weights"}) {
    if (arguments.has(option) && target.is_matrix())
      throw Error(ErrorCode::usage,
                  fmt::format("{} applies to vectors, but the derivative of a mass matrix is not a vector", option));
  }
  if (arguments.has("--second") && !target.is_of_torques())
    throw Error(ErrorCode::usage, fmt::format("--second is for --function inverse, not for {}", target.name));
}

DerivativePoint read_point(const Arguments& arguments, const Target& target, const LoadedPlant& plant) {
  const Assembled pose = read_pose(arguments, plant);
  const Plant& parts = plant.dynamics->plant();
  DerivativePoint p{parts.independent(pose.q),
                    parts.dependent(pose.q),
                    read_velocity(arguments, "--qd", plant.joints),
                    {},
                    chosen_frame(arguments, plant.loaded.model)};
  if (target.has_last()) {
    p.last = read_velocity(arguments, fmt::format("--{}", target.last),
                           target.takes_torques() ? plant.motors : plant.joints, target.is_of_torques());
  }
  if (target.takes_torques()) judge_mass_matrix(arguments, plant.loaded.model, plant.plan, pose.q);
  return p;
}

int run_derivatives(const Arguments& arguments) {
  const Target& target = chosen_target(arguments);
  refuse_what_does_not_fit(arguments, target);
  const LoadedPlant plant = load_plant(arguments);
  note_losses(arguments, plant.loaded.mechanism);
  if (arguments.has("--second")) require_tree(plant.loaded.model, ": --second requires a tree", ErrorCode::usage);
  const DerivativePoint p = read_point(arguments, target, plant);
  Results r;
  r.rows = row_names(target, plant);
  r.by_last = (target.takes_torques() ? plant.motors : plant.joints).velocity_names;
  read_products(arguments, target, plant.joints, r);
  r.slopes = target.has_last() ? analytic(target, plant, p) : by_dual_numbers(target, plant, p);
  r.parameters = wanted_parameters(arguments, plant.loaded);
  r.by_parameter = parameter_derivatives(plant.loaded.mechanism, r.parameters, [&](const Model<Dual>& with) {
    return evaluate(target, with, plant.plan, p, still(p.q), still(p.qd), still(p.last));
  });
  if (arguments.has("--second")) r.second = second_inverse_derivatives(plant.loaded.mechanism, p.q, p.qd, p.last);
  require_finite_all(r, plant.joints);
  (arguments.json() ? print_as_json : print_as_text)(arguments, target, plant, p, r);
  return kOk;
}

}  // namespace

Command derivatives_command() {
  std::vector<std::string> functions;
  Section section{"Functions", {}};
  for (const Target& t : kTargets) {
    functions.emplace_back(t.name);
    section.rows.emplace_back(t.name, t.help);
  }
  Command c = dynamics_command(
      {choice_option("--function", "NAME", "what to differentiate (default: inverse)", functions), q_option(),
       velocity_option("--qd", "velocities"), velocity_option("--qdd", "accelerations, of inverse"),
       velocity_option("--tau", "torques and forces, for forward"),
       text_option("--parameters", "P1,P2,...|all|inertial",
                   "also with respect to parameters of the file (`all`) or of links, such as link3.mx (`inertial`)"),
       text_option("--direction", "V1,V2,...", "also each derivative times this vector, one number per velocity"),
       text_option("--weights", "W1,W2,...", "also these weights, one per row, times each derivative"),
       flag_option("--second", "also second derivatives, for inverse"),
       frame_option("frame whose pose is differentiated, for kinematics"), mode_option()});
  c.name = "derivatives";
  c.summary = "derivatives with respect to q, qd, qdd or tau, and to parameters";
  c.description =
      "Derivatives, accurate to the rounding of the largest entries. Those of inverse and forward dynamics are "
      "analytic, the others use dual numbers. Derivatives with respect to q are along the velocities: a spherical "
      "joint has three columns, for rotations about the axes of its child; a floating joint has three more, for "
      "displacements along them. Parameters computed from a parameter vary with it.";
  c.examples = {"linkwright derivatives puma560 --qd 1,1,1,1,1,1",
                "linkwright derivatives puma560 --function forward --tau 1,2,3,0,0,0 --json",
                "linkwright derivatives double-pendulum --parameters all --second --qd 1,2",
                "linkwright derivatives ur5 --function kinematics --parameters a2,d1"};
  c.sections = {section};
  c.run = run_derivatives;
  return c;
}

}  // namespace lw::cli
