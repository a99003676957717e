#include "test_vectors.hpp"

#include <algorithm>
#include <cmath>

#include "../../base/worse.hpp"
#include "../../model/random_state.hpp"

namespace lw::cli {
namespace {

constexpr double kTolerance = 1e-10;       // of the self-test, of the size of the outputs at a state
constexpr double kSingleTolerance = 1e-6;  // at least

}  // namespace

// States and what the algorithms over double make of them, in the frames of the model as snapped: what snapping changes
// is measured apart, and no tolerance hides it. In single precision inputs are numbers that it has, and ten times what
// a last bit of each changes is allowed.
TestVectors vectors_of(const Traced& traced, bool single) {
  const Function& f = traced.function;
  const Reference expected = reference(traced, true);
  TestVectors vectors{f.name(), {}, {}, single ? kSingleTolerance : kTolerance, {}};
  StatesFor states(traced, traced.model);
  Random random(2), bits(3);
  for (int k = 0; k < kVectors; ++k) {
    const State s = states.next(random);
    std::vector<double> in = inputs_of(f, s, traced.parameter_values), own = inputs_of(f, s), out(f.output_size());
    if (single) {
      for (auto* list : {&in, &own}) {
        for (double& x : *list) x = static_cast<float>(x);
      }
    }
    expected(own, out);
    vectors.sizes.push_back(output_size(traced, s, out));
    if (single) {
      std::vector<double> moved(out.size());
      for (double& x : own) x *= 1.0 + (bits.chance(0.5) ? 0x1p-23 : -0x1p-23);
      expected(own, moved);
      const double size = vectors.sizes.back();
      if (size > 0.0) vectors.tolerance = std::max(vectors.tolerance, 10.0 * largest_difference(moved, out) / size);
    }
    vectors.inputs.push_back(std::move(in));
    vectors.outputs.push_back(std::move(out));
  }
  return vectors;
}

}  // namespace lw::cli
