// Design derivatives of motions: direct and adjoint against a complex step through the whole integration on the reference path.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "dynamics/aba.hpp"
#include "model/coordinate_rates.hpp"
#include "model/read.hpp"
#include "simulate/design_system.hpp"
#include "simulate/recorded_run.hpp"

namespace lw {
namespace design_sensitivity_test {

using Values = std::vector<double>;

TEST(DesignSensitivity, Sketch) {
  const auto now = [] { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); };
  for (const char* name : {"twu-3r", "puma560"}) {
    const Mechanism mechanism = load(name);
    Values q0, names_;
    std::vector<std::string> names;
    for (const auto& p : mechanism.parameters) names.push_back(p.name);
    const Model<double> model = instantiate<double>(mechanism);
    if (std::string(name) == "puma560") names = parameter_table(model).names;
    double t0 = now();
    DesignFormulas formulas;
    for (int k = 0; k < model.nv; ++k) formulas.torques.push_back({"torque", "10*sqrt(t)+1"});
    formulas.integrands = {{"F", "tau1^2 + qdd2^2 + q1*qd2"}};
    formulas.outputs = {{"G", "q1*qd2"}};
    DesignSystem system(DesignParameters(mechanism, names), formulas);
    std::printf("%s: made in %.2f s; params %zu\n", name, now() - t0, names.size());
    for (const auto& f : {system.functions().rates.value, system.functions().rates.along, system.functions().rates.back}) {
      const auto c = cost(at_values(f, system.at())).operations;
      std::printf("  %s %ld x %ld +\n", f.name().c_str(), long(c.multiplications), long(c.additions));
    }
    Values y(system.states(), 0.1);
    for (int k = 0; k < 3; ++k) {
      t0 = now();
      RecordedRun run(system, y, 0.0, {0.1, 0.5});
      double t1 = now();
      Values w(2 * y.size(), 1.0), y0(y.size()), b(names.size());
      run.back(w, y0, b);
      double t2 = now();
      std::printf("  run %.3g ms, back %.3g ms, ratio %.2f; steps %zu\n", (t1 - t0) * 1e3, (t2 - t1) * 1e3, (t2 - t0) / (t1 - t0), run.steps());
      if (k == 2) {
        double most = 0, size = 0;
        for (std::size_t i = 0; i < names.size(); ++i) {
          Values db(names.size()), dy(y.size());
          db[i] = 1;
          const Values d = run.along(dy, db);
          double sum = 0;
          for (double x : d) sum += x;
          most = std::max(most, std::abs(sum - b[i]));
          size = std::max(size, std::abs(b[i]));
        }
        std::printf("  adjoint - direct %.3g of %.3g\n", most, size);
      }
    }
  }
}

}  // namespace design_sensitivity_test
}  // namespace lw
