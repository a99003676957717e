// A benchmark of the field by Simbody. Its headers are C++17, ours C++20: numbers and names pass between them.
#pragma once

#include <map>
#include <string>

struct SimbodyRun {
  double seconds;                   // of CPU time, the model being ready
  std::map<std::string, double> q;  // joint angles at the end
};

// `problem`: A01, A02-2, A03-testset or A04. `integrator`: RungeKuttaMerson or RungeKuttaFeldberg.
SimbodyRun run_simbody(const std::string& problem, const std::map<std::string, double>& q0,
                       const std::map<std::string, double>& v0, double end, const std::string& integrator,
                       double accuracy);
