#include "other_languages.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/process.hpp"
#include "base/random.hpp"
#include "dynamics/tree/crba.hpp"
#include "dynamics/tree/rnea.hpp"
#include "graph/interpreter.hpp"
#include "model/read/read.hpp"
#include "traces.hpp"

namespace lw {

void write(const Scratch& scratch, const std::vector<Artefact>& artefacts) {
  for (const Artefact& a : artefacts) write_file((scratch.path / a.path).string(), a.text);
}

std::string output_of(const Scratch& scratch, const std::string& shell_command) {
  const Finished ran = run_program({"sh", "-c", fmt::format("cd '{}' && {}", scratch.path.string(), shell_command)});
  EXPECT_EQ(ran.status, 0) << ran.output;
  return ran.output;
}

Program every_operation() {
  const auto inner = std::make_shared<Function>(
      trace("norm", {{"u", 2}, {"w", 1}}, {{"sum", 1}, {"parts", 2}}, [](const Arguments& in, Results& out) {
        out[0][0] = sqrt(in[0][0] * in[0][0] + in[0][1] * in[0][1]);
        out[1] = {in[0][0] / in[1][0], in[0][1] / in[1][0]};
      }));
  Program program;
  program.name = "everything";
  program.functions.push_back(trace(
      "every-operation", {{"x", 2}, {"end", 1}}, {{"lambda", 9}, {"M", 4, 2}}, [&](const Arguments& in, Results& out) {
        const Expr x = in[0][0], y = in[0][1], z = in[1][0];
        out[0][0] = (x + y) * (x - y) / (3.0 + x * x);
        out[0][1] = sin(x) * cos(y) + tan(x * 0.3) - (-y);
        out[0][2] = sqrt(1.0 + x * x) + exp(x * 0.1) + log(5.0 + y) + tanh(y);
        out[0][3] = asin(x * 0.2) + acos(y * 0.2) + atan(x) + atan2(y, x + 7.0);
        out[0][4] = abs(x) + min(x, y) * max(x, Expr(0.25)) + select(less(x, y), x * y, x - y) +
                    select(less(-x, y) * less(y, Expr(2.0) * x), x, y);
        out[0][5] = fma(x, y, z) * fma(-x, z + 1.0, y);
        out[0][6] = min(Expr(std::numeric_limits<double>::infinity()), x * 1e-30 + 12345678.0);
        const auto norm = x.graph()->call(inner, {x + y, y, z + 9.0});
        out[0][7] = norm[0] * norm[1];
        out[0][8] = 2.5;
        name_value(norm[2], "Norm");
        out[1] = {norm[2], x, -y, z * norm[2]};
      }));
  return program;
}

std::string table(const std::vector<std::vector<double>>& rows) {
  std::string text;
  for (const auto& row : rows) {
    for (const double x : row) text += fmt::format("{:.17g} ", x);
    text += "\n";
  }
  return text;
}

std::vector<double> numbers(const std::string& text) {
  std::istringstream in(text);
  std::vector<double> all;
  for (std::string word; in >> word;) all.push_back(std::stod(word));
  return all;
}

std::vector<double> interpreted(const Function& function, const std::vector<std::vector<double>>& states) {
  Interpreter<double> interpret(function);
  std::vector<double> all, out(function.output_size());
  for (const auto& state : states) {
    interpret(state, out);
    all.insert(all.end(), out.begin(), out.end());
  }
  return all;
}

double relative_difference(const std::vector<double>& got, const std::vector<double>& expected) {
  if (got.size() != expected.size()) return std::numeric_limits<double>::infinity();
  double largest = 0.0, worst = 0.0;
  for (std::size_t k = 0; k < got.size(); ++k) {
    largest = std::max(largest, std::abs(expected[k]));
    const double difference = std::abs(got[k] - expected[k]);
    if (!(difference <= worst)) worst = difference;  // NaN stays
  }
  return worst / largest;
}

TestVectors vectors_of(const Function& function, const std::vector<std::vector<double>>& states) {
  TestVectors vectors{function.name(), states, {}, 1e-12};
  for (const auto& state : states) vectors.outputs.push_back(interpreted(function, {state}));
  return vectors;
}

Case model_case(const std::string& name, int states) {
  const Mechanism mechanism = load(name);
  const Model<double> model = instantiate<double>(mechanism);
  std::string identifier = name;
  std::replace(identifier.begin(), identifier.end(), '-', '_');
  Case result{traced_program(mechanism, identifier), {}};
  Random random(11);
  for (const Function& f : result.program.functions) {
    auto& rows = result.states.emplace_back();
    for (int k = 0; k < states; ++k) rows.push_back(random_inputs(model, f, random));
  }
  return result;
}

Program named_program(const std::string& name) {
  const Mechanism mechanism = load(name);
  const Model<Expr> model = instantiate<Expr>(mechanism);
  Workspace<Expr> work(model);
  const auto nq = static_cast<std::size_t>(model.nq), nv = static_cast<std::size_t>(model.nv);
  Program program;
  program.name = name;
  std::replace(program.name.begin(), program.name.end(), '-', '_');
  program.robot = mechanism.name;
  program.source = name + ".yaml";
  program.functions.push_back(
      trace("inverse", {{"q", nq}, {"qd", nv}, {"qdd", nv}}, {{"tau", nv}}, [&](const Arguments& in, Results& out) {
        rnea<Expr>(model, work, in[0], in[1], in[2], out[0]);
        const auto name3 = [](const Vec3<Expr>& v, const std::string& quantity, std::size_t body) {
          for (int k = 0; k < 3; ++k) name_value(v[k], fmt::format("{}{}_{}", quantity, body + 1, "xyz"[k]));
        };
        for (std::size_t b = 0; b < model.bodies.size(); ++b) {
          name3(work.velocity[b].ang, "omega", b);
          name3(work.alpha[b], "alpha", b);
          name3(work.acceleration[b], "a", b);
          name3(work.force[b].lin, "f", b);
          name3(work.force[b].ang, "n", b);
        }
      }));
  program.functions.push_back(
      trace("mass-matrix", {{"q", nq}}, {{"M", nv * nv, nv}},
            [&](const Arguments& in, Results& out) { crba<Expr>(model, work, in[0], out[0]); }));
  return program;
}

}  // namespace lw
