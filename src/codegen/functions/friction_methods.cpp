#include "friction_methods.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "../../dynamics/tree/crba.hpp"
#include "../../dynamics/tree/elements.hpp"
#include "../../dynamics/tree/rnea.hpp"
#include "../../graph/typical.hpp"

namespace lw {
namespace {

std::vector<Expr> places_along(const CanonicalTree<Expr>& tree) {
  std::vector<Expr> along;
  for (const auto& link : tree.links) along.push_back(link.along);
  return along;
}

}  // namespace

Losses<Expr> tensor_losses(const Scene& scene, const TensorMethod& method, const Arguments& in) {
  Losses<Expr> losses(scene.fewer);
  std::vector<Force<Expr>> reactions;
  tensor_inverse<Expr>(scene.fewer, scene.tree, method, in[0], in[1], in[2], losses.dynamic, &reactions);
  add_losses<Expr>(canonical_model(scene.tree, scene.fewer), reactions, places_along(scene.tree), in[1], in[2], losses);
  return losses;
}

Losses<Expr> newton_euler_losses(const Model<Expr>& model, const CanonicalTree<Expr>* tree, Workspace<Expr>& work,
                                 const Arguments& in) {
  Losses<Expr> losses(model);
  rnea_with_damping<Expr>(model, work, in[0], in[1], in[2], losses.dynamic, losses.damping);
  add_losses<Expr>(model, work.force, tree == nullptr ? std::vector<Expr>{} : places_along(*tree), in[1], in[2],
                   losses);
  return losses;
}

namespace {

constexpr int kNewtonSteps = 30;
constexpr double kSolved = 1e-9, kSolvedInFloat = 1e-4;  // of the torques

// The output of a drive for an input, the inverse of drive_input: exact if its efficiency is piecewise linear,
// approximate if it is a cubic; in both cases without the kinks of drive_input.
Expr drive_output(const DriveLoss<Expr>& drive, const Expr& input, const Expr& velocity, const Expr& width) {
  const Expr zero(0.0), one(1.0), y = input - opposing<Expr>(velocity, width, drive.breakaway);
  if (drive.efficiency.empty()) return y;
  const Curve<Expr>& eta = drive.efficiency;
  const Expr along = select(less(zero, velocity), y, select(less(velocity, zero), -y, zero)), size = abs(y);
  const std::size_t n = eta.x().size();
  // piece by piece |x| = |y| η and |x| = |y|/η, with η = c + s |x|
  const auto piece = [&](std::size_t k, bool drives) {
    const bool flat = k == 0 || k == n;
    const Expr s = flat ? zero : (eta.y()[k] - eta.y()[k - 1]) / (eta.x()[k] - eta.x()[k - 1]);
    const Expr c = flat ? eta.y()[k == 0 ? 0 : n - 1] : eta.y()[k] - s * eta.x()[k];
    if (drives) return size * c / (one - s * size);
    return (size + size) / (c + sqrt(max(c * c + Expr(4.0) * s * size, zero)));
  };
  const auto given = [&](bool drives) {
    Expr x = piece(n, drives);
    for (std::size_t k = n; k-- > 0;) {
      const Expr from = drives ? eta.x()[k] / eta.y()[k] : eta.x()[k] * eta.y()[k];
      x = select(less(size, from), piece(k, drives), x);
    }
    return x;
  };
  if (is_zero(width)) {
    const Expr x = select(less(zero, along), given(true), select(less(along, zero), given(false), size));
    return select(less(y, zero), -x, x);
  }
  const Expr share = abs(opposing<Expr>(velocity, width, one)), driving = eta(given(true)), driven = eta(given(false));
  return y / select(less(zero, along), one + share * (one / driving - one), one + share * (driven - one));
}

template <class Row>
Expr sum_of(const Row& factor, const std::vector<int>& places, const std::vector<Expr>& x) {
  Expr sum(0.0);
  for (std::size_t j = 0; j < places.size(); ++j) sum += factor(j) * x[static_cast<std::size_t>(places[j])];
  return sum;
}

// A drive of a transmission, with its entries of joint vectors.
struct DriveAt {
  const Transmission<Expr>& t;
  std::size_t k;

  const DriveLoss<Expr>& drive() const { return t.drives[k]; }
  std::size_t place() const { return static_cast<std::size_t>(t.v[k]); }
  Expr rate(const std::vector<Expr>& qd) const {
    return sum_of([this](std::size_t j) { return t.C[k * t.v.size() + j]; }, t.v, qd);
  }
  Expr torque(const std::vector<Expr>& tau) const {
    return sum_of([this](std::size_t j) { return t.C_inverse[j * t.v.size() + k]; }, t.v, tau);
  }
  Expr rotor(const std::vector<Expr>& qdd) const {
    return drive().ratio * drive().ratio * drive().rotor_inertia * rate(qdd);
  }
  Expr output(const Expr& input, const std::vector<Expr>& qd) const {
    return drive_output(drive(), input, rate(qd), t.width);
  }
};

bool has_rotor_bodies(const Transmission<Expr>& t) {
  return std::any_of(t.drives.begin(), t.drives.end(), [](const DriveLoss<Expr>& d) { return d.rotor_body >= 0; });
}
// Expanded by the first row; A by rows.
Expr determinant(const std::vector<Expr>& A, std::size_t n) {
  if (n == 1) return A[0];
  Expr sum(0.0);
  for (std::size_t j = 0; j < n; ++j) {
    if (A[j].is_constant(0.0)) continue;
    std::vector<Expr> rest;
    for (std::size_t k = n; k < n * n; ++k) {
      if (k % n != j) rest.push_back(A[k]);
    }
    const Expr term = A[j] * determinant(rest, n - 1);
    sum = j % 2 == 0 ? sum + term : sum - term;
  }
  return sum;
}

// The outputs of these for an input do not depend on accelerations.
bool has_no_rotors(const Transmission<Expr>& t) {
  return std::all_of(t.drives.begin(), t.drives.end(),
                     [](const DriveLoss<Expr>& d) { return d.rotor_body < 0 && is_zero(d.rotor_inertia); });
}

// Accelerations without friction. If the torques allow several accelerations, the branch of these is taken.
std::vector<Expr> frictionless(const Model<Expr>& model, std::vector<Expr> M, const std::vector<Expr>& h,
                               const std::vector<Expr>& tau) {
  factorize_mass_matrix<Expr>(model, M);
  std::vector<Expr> qdd(h.size());
  for (std::size_t k = 0; k < h.size(); ++k) qdd[k] = tau[k] - h[k];
  solve_mass_matrix<Expr>(model, M, qdd);
  return qdd;
}

// The model in whose frames reactions are computed: the canonical one, unless there are force elements, which canonical
// frames do not support.
struct Taken {
  Model<Expr> model;
  std::vector<Expr> along;
};
Taken taken(const Scene& scene) {
  if (has_elements(scene.fewer)) return {scene.fewer, {}};
  return {canonical_model(scene.tree, scene.fewer), places_along(scene.tree)};
}

// Components of the reactions, six per body; those that nothing depends on are left out.
class Balance {
 public:
  using Anew = std::function<Scene(const std::vector<Expr>&)>;
  Balance(std::size_t nv, std::size_t bodies, std::size_t symbols, const Anew& anew)
      : nv_(nv), bodies_(bodies), symbols_(symbols), anew_(anew) {
    for (std::size_t k = 0; k < 6 * bodies; ++k) used_.push_back(k);
    const Function all = traced();
    std::vector<bool> lives(6 * bodies, false);
    const std::size_t first = first_reaction();
    for (const NodeId id : all.order()) {
      const Node& n = all.graph()[id];
      if (n.op == Op::input && n.a >= first && n.a < first + lives.size()) lives[n.a - first] = true;
    }
    std::erase_if(used_, [&](std::size_t k) { return !lives[k]; });
  }

  const std::vector<std::size_t>& used() const { return used_; }

  // qdd, M, h, qd, tau, w, W, [p] → total − tau, or the same on the output side of drives, which is `tau` for drives
  // without rotors
  Function traced() const {
    std::vector<Group> in{{"qdd", nv_},        {"M", nv_ * nv_, nv_},    {"h", nv_}, {"qd", nv_}, {"tau", nv_},
                          {"w", used_.size()}, {"W", nv_ * used_.size()}};
    if (symbols_ > 0) in.push_back({"p", symbols_});
    return trace("balance", in, {{"excess", nv_}}, [&](const Arguments& x, Results& y) {
      const Scene scene = anew_(symbols_ > 0 ? x.back() : std::vector<Expr>{});
      const auto affine = [&](const Expr& constant, const std::vector<Expr>& by_columns, std::size_t rows,
                              std::size_t row) {
        Expr sum = constant;
        for (std::size_t k = 0; k < nv_; ++k) sum += by_columns[k * rows + row] * x[0][k];
        return sum;
      };
      std::vector<Force<Expr>> reactions(bodies_);
      for (std::size_t k = 0; k < used_.size(); ++k) {
        component(reactions, used_[k]) = affine(x[5][k], x[6], used_.size(), k);
      }
      Losses<Expr> losses(scene.fewer);
      for (std::size_t k = 0; k < nv_; ++k) losses.dynamic[k] = affine(x[2][k], x[1], nv_, k);
      const Taken at = taken(scene);
      add_losses<Expr>(at.model, reactions, at.along, x[3], x[0], losses, AtRest::no_direction);
      for (std::size_t k = 0; k < nv_; ++k) y[0][k] = losses.total[k] - x[4][k];
      // On the output side of the drives: their laws have kinks, between which Newton steps on the input side would
      // alternate.
      for (const Transmission<Expr>& t : scene.fewer.transmissions) {
        if (has_rotor_bodies(t)) continue;
        for (std::size_t k = 0; k < t.v.size(); ++k) {
          const DriveAt drive{t, k};
          const Expr rotor = drive.rotor(x[0]), input = losses.motor[drive.place()] * t.drives[k].ratio - rotor;
          const bool exact = t.drives[k].efficiency.is_straight() && is_zero(t.width);
          const Expr output = exact ? drive.torque(losses.at_joint) - rotor : drive.output(input, x[3]);
          y[0][drive.place()] =
              output - (has_no_rotors(t) ? x[4][drive.place()] : drive.output(drive.torque(x[4]) - rotor, x[3]));
        }
      }
    });
  }

  static Expr& component(std::vector<Force<Expr>>& reactions, std::size_t k) {
    Force<Expr>& f = reactions[k / 6];
    const int c = static_cast<int>(k % 6);
    return c < 3 ? f.ang[c] : f.lin[c - 3];
  }

 private:
  std::size_t first_reaction() const { return nv_ * nv_ + 4 * nv_; }

  std::size_t nv_, bodies_, symbols_;
  const Anew& anew_;
  std::vector<std::size_t> used_;
};

}  // namespace

void forward_with_losses(const Scene& scene, const TensorMethod& method,
                         const std::function<Scene(const std::vector<Expr>&)>& anew, const Arguments& in,
                         std::vector<Expr>& qdd) {
  const std::size_t nv = qdd.size();
  if (nv == 0) return;
  const std::vector<Expr>& p = in.size() > 3 ? in[3] : std::vector<Expr>{};
  Balance balance(nv, scene.fewer.bodies.size(), p.size(), anew);
  const std::vector<Expr> zero(nv, Expr(0.0));
  std::vector<Expr> M(nv * nv), h(nv), none(nv);
  std::vector<Force<Expr>> reactions;
  composite_mass_matrix<Expr>(scene.fewer, scene.tree, method, in[0], M);
  const bool elements = has_elements(scene.fewer);
  if (elements) {
    Workspace<Expr> work(scene.fewer);
    rnea_with_damping<Expr>(scene.fewer, work, in[0], in[1], zero, h, none);
    for (std::size_t k = 0; k < nv; ++k) h[k] += none[k];
    reactions = work.force;
  } else {
    tensor_inverse<Expr>(scene.fewer, scene.tree, method, in[0], in[1], zero, h, &reactions);
  }
  std::vector<Expr> arguments = M;
  const auto add = [&](const std::vector<Expr>& x) { arguments.insert(arguments.end(), x.begin(), x.end()); };
  const auto add_reactions = [&] {
    for (const std::size_t k : balance.used()) arguments.push_back(Balance::component(reactions, k));
  };
  std::vector<Expr> given = in[2];
  for (const Transmission<Expr>& t : scene.fewer.transmissions) {
    for (std::size_t k = 0; k < t.v.size() && has_no_rotors(t); ++k) {
      given[DriveAt{t, k}.place()] = DriveAt{t, k}.output(DriveAt{t, k}.torque(in[2]), in[1]);
    }
  }
  add(h);
  add(in[1]);
  add(given);
  add_reactions();
  const std::vector<Expr> start = frictionless(scene.fewer, M, h, in[2]);
  // the part of the reactions that unit accelerations add
  CanonicalTree<Expr> weightless = scene.tree;
  weightless.gravity = {};
  Model<Expr> inertial = without_elements(scene.fewer);
  inertial.gravity = {};
  for (Body<Expr>& b : inertial.bodies) b.stiffness = 0.0;
  for (std::size_t k = 0; k < nv && !balance.used().empty(); ++k) {
    std::vector<Expr> unit = zero;
    unit[k] = 1.0;
    if (elements) {
      Workspace<Expr> work(inertial);
      rnea<Expr>(inertial, work, in[0], zero, unit, none);
      reactions = work.force;
    } else {
      tensor_inverse<Expr>(scene.fewer, weightless, method, in[0], zero, unit, none, &reactions);
    }
    add_reactions();
  }
  add(p);
  const Graph::Solution solution =
      in[0][0].graph()->solve(std::make_shared<Function>(lw::optimize(balance.traced(), Objective::operations)), start,
                              arguments, kNewtonSteps);
  // M q̈ too, because torques and bias may both be zero, for instance for a wheel that coasts
  Expr size(0.0), left(0.0);
  for (std::size_t k = 0; k < nv; ++k) {
    size = max(size, max(abs(in[2][k]), max(abs(h[k]), abs(M[k * nv + k] * solution.unknowns[k]))));
    left = max(left, abs(solution.residual[k]));
  }
  // in single precision this factor is 1
  const Expr in_double = less(size, size * Expr(1.0 + 0x1p-40));
  // where ∂total/∂q̈ has changed sign, the joint has another acceleration or none
  Expr sign = solution.orientation;
  for (const Transmission<Expr>& t : scene.fewer.transmissions) {
    if (!has_rotor_bodies(t)) sign *= determinant(t.C_inverse, t.v.size());
  }
  const Expr unsolved = less(select(in_double, kSolved, kSolvedInFloat) * size, left), turned = less(sign, 0.0);
  const Expr doubt = sqrt(select(max(unsolved, turned), -1.0, 0.0));  // NaN or 0
  for (std::size_t k = 0; k < nv; ++k) qdd[k] = solution.unknowns[k] + doubt;
}

std::vector<LossCost> loss_costs(const Mechanism& mechanism, const ParameterValues<double>& values) {
  ParameterValues<Expr> numbers;
  for (const auto& [name, value] : values) numbers[name] = value;
  const Model<Expr> file = instantiate<Expr>(mechanism, numbers);
  const CanonicalTree<Expr> tree = canonical_tree(file);
  const Model<Expr> model = canonical_model(tree, file);
  const auto nv = static_cast<std::size_t>(model.nv);
  std::vector<bool> done(model.transmissions.size(), false);
  std::vector<LossCost> list;
  for (const JointInfo& joint : model.joints) {
    const auto is_own = [&](int v) { return v >= joint.v && v < joint.v + velocities(joint.type); };
    Model<Expr> own = model;
    std::erase_if(own.losses, [&](const JointLoss<Expr>& loss) { return !is_own(loss.v); });
    own.transmissions.clear();
    for (std::size_t k = 0; k < done.size(); ++k) {
      const Transmission<Expr>& t = model.transmissions[k];
      if (done[k] || std::none_of(t.v.begin(), t.v.end(), is_own)) continue;
      own.transmissions.push_back(t);
      done[k] = true;
    }
    if (own.losses.empty() && own.transmissions.empty()) continue;
    const auto count = [&](bool with_losses) {
      const Function f =
          trace("total", {{"reaction", 6 * model.bodies.size()}, {"torque", nv}, {"qd", nv}, {"qdd", nv}},
                {{"tau", nv}}, [&](const Arguments& in, Results& out) {
                  std::vector<Force<Expr>> reactions;
                  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
                    const Expr* x = &in[0][6 * i];
                    reactions.push_back({{x[0], x[1], x[2]}, {x[3], x[4], x[5]}});
                  }
                  Losses<Expr> losses(own);
                  losses.dynamic = in[1];
                  for (const Body<Expr>& b :
                       own.bodies) {  // the rotor's part of the torque, which does not pass through the gear
                    losses.dynamic[static_cast<std::size_t>(b.v)] += b.armature * joint_rate<Expr>(b, in[3]);
                  }
                  add_losses<Expr>(own, reactions, places_along(tree), in[2], in[3], losses);
                  out[0] = with_losses ? losses.total : losses.dynamic;
                });
      return cost(lw::optimize(f, Objective::operations)).operations;
    };
    list.push_back({joint.name, count(true)});
    add_to(list.back().operations, count(false), -1);
  }
  return list;
}

}  // namespace lw
