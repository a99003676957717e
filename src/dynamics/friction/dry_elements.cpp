#include "dry_elements.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lw {
namespace {

bool jumps(const JointLoss<double>& loss) { return loss.width == 0.0 && is_dry<double>(loss); }
bool jumps(const Transmission<double>& t, std::size_t drive) {
  const DriveLoss<double>& d = t.drives[drive];
  return t.width == 0.0 && (d.breakaway != 0.0 || !d.efficiency.empty());
}
bool is_coupling(const Transmission<double>& t) { return t.v.size() > 1 || t.C[0] != 1.0; }

}  // namespace

double DryElement::along(In<double> x) const {
  if (is_joint()) return x[v];
  double sum = 0.0;
  const std::size_t n = coupling->v.size();
  for (std::size_t j = 0; j < n; ++j) sum += coupling->C[k * n + j] * x[static_cast<std::size_t>(coupling->v[j])];
  return sum;
}

double DryElement::rounding(In<double> qd) const {
  if (is_joint()) return 0.0;
  double sum = 0.0;
  const std::size_t n = coupling->v.size();
  for (std::size_t j = 0; j < n; ++j)
    sum += std::abs(coupling->C[k * n + j] * qd[static_cast<std::size_t>(coupling->v[j])]);
  return 4.0 * std::numeric_limits<double>::epsilon() * sum;
}

void DryElement::find_direction(In<double> qd, double rest) {
  const double velocity = along(qd);
  at_rest = std::abs(velocity) <= rest + rounding(qd);
  direction = at_rest ? 0 : velocity > 0.0 ? 1 : -1;
  force = 0.0;
}

void DryElement::stop(Out<double> qd) const {
  if (is_joint()) {
    qd[v] = 0.0;
    return;
  }
  const std::size_t n = coupling->v.size();
  double square = 0.0;
  for (std::size_t j = 0; j < n; ++j) square += coupling->C[k * n + j] * coupling->C[k * n + j];
  const double excess = along(qd) / square;
  for (std::size_t j = 0; j < n; ++j) qd[static_cast<std::size_t>(coupling->v[j])] -= excess * coupling->C[k * n + j];
}

std::vector<DryElement> dry_elements(const Model<double>& model) {
  const auto nv = static_cast<std::size_t>(model.nv);
  std::size_t couplings = 0;
  std::vector<DryElement> dry;
  std::vector<DryElement> joints(nv);
  for (std::size_t v = 0; v < nv; ++v) {
    joints[v].v = v;
    joints[v].name = model.velocity_names[v];
  }
  for (const JointLoss<double>& loss : model.losses) joints[static_cast<std::size_t>(loss.v)].joint = jumps(loss);
  std::vector<DryElement> drives;
  for (const Transmission<double>& t : model.transmissions) {
    for (std::size_t k = 0; k < t.v.size(); ++k) {
      DryElement& joint = joints[static_cast<std::size_t>(t.v[k])];
      if (!is_coupling(t)) {
        joint.drive = jumps(t, k);
        continue;
      }
      joint.coupling = &t;
      if (!jumps(t, k)) continue;
      DryElement drive;
      drive.name = t.drives[k].name;
      drive.v = joint.v;
      drive.drive = true;
      drive.coupling = &t;
      drive.k = k;
      drive.unknown = nv + couplings++;
      drives.push_back(std::move(drive));
    }
  }
  for (std::vector<DryElement>* list : {&joints, &drives}) {
    std::copy_if(list->begin(), list->end(), std::back_inserter(dry),
                 [](const DryElement& d) { return d.joint || d.drive; });
  }
  return dry;
}

}  // namespace lw
