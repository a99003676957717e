// Reference values of the multibody field's benchmarks: where each starts, where it is later, what others have printed
// of it, and how long their programs took. Copied from tests/oracles/field.json, which names the sources in full; a
// test compares the two.
#pragma once

#include <string>
#include <vector>

namespace lw::reproduce {

struct FieldState {
  double t;
  std::vector<double> q, v;  // of the joints below, in their order
};

struct FieldTime {
  double seconds;
  std::string program, machine;
};

struct FieldPrint {
  std::vector<double> values;
  std::string by;
};

struct FieldProblem {
  std::string name;                 // as in field.json
  std::vector<std::string> joints;  // of N four-bars only A0, which determines the others: Hi = -A0, Bi = A0
  FieldState start;
  std::vector<FieldState> samples;
  std::vector<double> singular;  // instants at which branches meet
  std::vector<double> energy;    // kinetic, at the samples
  std::vector<FieldPrint> published;
  std::vector<FieldTime> times;
};

const std::vector<FieldProblem>& field_problems();
const FieldProblem& field_problem(const std::string& name);

}  // namespace lw::reproduce
