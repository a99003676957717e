// The functions of a mechanism: a table with one row per function (function_table.cpp). Tracing, references,
// verification, counts, code, schedules, benchmarks and help read the table. To add a function, write its row and name
// it in LINKWRIGHT_FUNCTIONS.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../../dynamics/loops/loop_plan.hpp"
#include "../../graph/function.hpp"

namespace lw {

// In the order of the documentation. The row of `f` is f_row(), in a file named after its subject.
// clang-format off
#define LINKWRIGHT_FUNCTIONS(ROW)                                                \
  ROW(inverse) ROW(forward) ROW(mass_matrix) ROW(bias) ROW(gravity)              \
  ROW(coriolis) ROW(centroidal) ROW(kinematics) ROW(jacobian) ROW(energy)        \
  ROW(inverse_derivatives) ROW(forward_derivatives) ROW(regressor) ROW(friction)
// clang-format on
#define LINKWRIGHT_IDENTITY(function) function,
enum class FunctionId { LINKWRIGHT_FUNCTIONS(LINKWRIGHT_IDENTITY) };
#undef LINKWRIGHT_IDENTITY

// A number of rows or columns: fixed, or a number of the mechanism.
struct Extent {
  enum class Of { number, coordinates, velocities, actuated, dependent, residuals, kept, inertial };
  Of of = Of::number;
  std::size_t number = 1;
};
inline constexpr Extent kCoordinates{Extent::Of::coordinates}, kVelocities{Extent::Of::velocities},
    kActuated{Extent::Of::actuated}, kDependent{Extent::Of::dependent}, kResiduals{Extent::Of::residuals},
    kKept{Extent::Of::kept}, kInertial{Extent::Of::inertial};

// What the entries of a vector, or the columns of a matrix, are; this gives them names and units.
enum class Holds { nothing, coordinates, velocities, accelerations, forces, energies, lengths };

// The scale of an entry's error (trace/error_scale.hpp).
enum class Measure {
  one,            // absolute
  largest,        // entry of the group
  torque_terms,   // the terms that a torque is the sum of
  motor_terms,    // the same on the motors' side of the drives
  inertia,        // √(H_ii H_jj)
  accelerations,  // the forces that they need
  kinetic,        // terms of the energies
  potential,      //
  reach,          // the length of the chain to the frame
  lever,          // the motion of a point at that distance
  along_q,        // the terms of a derivative of torques or accelerations by q,
  along_qd,       // q̇,
  along_third,    // q̈ or τ,
  along_p,        // and parameters
  momentum,       // terms of the momentum of a unit velocity: angular rows, then linear ones
  momentum_rate,  // the same for its rate
};

struct GroupRow {
  const char* name;
  Extent rows;
  std::optional<Extent> columns = {};  // of a matrix, stored by columns
  Holds holds = Holds::nothing;
  const char* words = "";  // for users of generated code; {frame} is the name of the frame
  Measure measure = Measure::largest;
  Extent exists_with = {};  // the group is left out if this is zero
};
constexpr GroupRow vector_row(const char* name, const Extent& rows, Holds holds, Measure measure, const char* words,
                              const Extent& exists_with = {}) {
  return {name, rows, {}, holds, words, measure, exists_with};
}
constexpr GroupRow matrix_row(const char* name, const Extent& rows, const Extent& columns, Measure measure,
                              const char* words, const Extent& exists_with = {}) {
  return {name, rows, columns, Holds::nothing, words, measure, exists_with};
}
inline constexpr GroupRow kQ{"q", kCoordinates, {}, Holds::coordinates, "positions"},
    kQd{"qd", kVelocities, {}, Holds::velocities, "velocities"},
    kQdd{"qdd", kVelocities, {}, Holds::accelerations, "accelerations", Measure::accelerations},
    kTau{"tau", kActuated, {}, Holds::forces, "torques and forces at the joints", Measure::torque_terms};

// The kinds of mechanisms that something is for.
enum class For { none = 0, trees = 1, loops = 2, all = trees | loops };
inline bool suits(For kinds, For kind) { return (static_cast<int>(kinds) & static_cast<int>(kind)) != 0; }
For kind_of(const LoopPlan& plan);

class MethodList;
struct ReferenceCall;

struct MethodSet {
  void (*add)(MethodList& list);  // method_list.hpp
  For mechanisms = For::all;
  double limit = 1e-12;  // on errors, as fractions of the scale of each group
};

struct FunctionRow {
  FunctionId id;
  const char* name;     // "inverse-derivatives"
  const char* title;    // "Derivatives of inverse dynamics"
  const char* summary;  // "tau of a motion"; help adds the groups
  std::vector<GroupRow> inputs, outputs;
  bool torques_alone =
      false;               // it depends on inertias through torques only: inertias may be regrouped, and frames chosen
  bool inertias = true;    // it depends on inertias at all
  bool has_frame = false;  // it takes --frame
  enum class Losses { never, on_request, always } losses = Losses::never;
  std::optional<FunctionId> derivative_of = {};
  std::vector<MethodSet> methods = {};               // one for each kind of mechanism, or one for all
  void (*reference)(ReferenceCall& call) = nullptr;  // reference_call.hpp

  bool takes(const GroupRow& group) const;  // as an input
  const MethodSet& methods_for(For kind) const;
};

const std::vector<FunctionRow>& function_table();  // in the order of the documentation
const FunctionRow& row_of(FunctionId id);
const FunctionRow* find_function(std::string_view name);  // null if there is none
std::vector<std::string> function_names();

// A function, given by its identity or its name. Throws Error(usage) for an unknown name.
struct FunctionName {
  FunctionName(FunctionId id) : row(row_of(id)) {}                                 // NOLINT: converts from either
  FunctionName(std::string_view name);                                             // NOLINT
  FunctionName(const std::string& name) : FunctionName(std::string_view(name)) {}  // NOLINT
  FunctionName(const char* name) : FunctionName(std::string_view(name)) {}         // NOLINT
  const FunctionRow& row;
};
std::vector<FunctionName> functions_named(const std::vector<std::string>& names);

// Groups of a row for a plan. `kept`: number of parameters that stay symbols; `inertial`: columns of a regressor. For
// closed-loop mechanisms, `guess` is the last input, and `dependent` and `residual` are the last outputs
// (loop_position.hpp).
std::vector<Group> inputs_of(const FunctionRow& row, const LoopPlan& plan);
std::vector<Group> outputs_of(const FunctionRow& row, const LoopPlan& plan, std::size_t kept, std::size_t inertial);
// The row of an input or output group; null for `p`, which every function may have.
const GroupRow* group_row(const FunctionRow& row, std::string_view name);
// "q, qd, qdd -> tau"
std::string signature(const FunctionRow& row);

}  // namespace lw
