// Torques with losses at one state, as functions of the accelerations of the independent joints and of friction in the
// joints that follow them, without a further recursion:
//
//   dynamic = H q̈ + h + Σ a_jᵀ F_j − Σ r_gᵀ u_g        of the independent joints
//   reactions w = W q̈ + w₀ + Σ V_j F_j + Σ U_g u_g     in joints whose laws read them
//   total = losses added to these (friction.hpp), and slopes by dual numbers through the same laws
//
// F_j: friction in joint j that follows, dependent or cut, whose velocity is a_j q̇; in a loop it loads other joints by
// λ. u_g: what comes out of a motor that is not that of one independent joint. A tree has neither: friction in its
// joints loads none of them.
//
// Cost: a run of rnea per independent joint and two solutions with the factors of J_u per F_j and u_g; where no law
// reads reactions, H and h alone. For one model and plan, which must outlive it. For trees nothing allocates after
// construction.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <Eigen/Core>

#include "closed_losses.hpp"

namespace lw {

class AffineLosses {
 public:
  AffineLosses(const Model<double>& model, const LoopPlan& plan);
  ~AffineLosses();

  // Whether no loss depends on what the joints carry, and so none on accelerations: ∂total/∂q̈ = H.
  bool is_plain() const { return plain_; }
  // H (by columns) and h by other means than the algorithms. Not taken (false) where the laws read more than that, or
  // where force elements act.
  using Equations = std::function<void(In<double> q, In<double> qd, Out<double> H, Out<double> h)>;
  bool take_equations_from(Equations equations);

  // Losses of the independent joints alone, with the drives that move nothing else: velocities are places among them.
  const Model<double>& own() const { return own_; }

  // Friction in a joint that follows.
  struct Follower {
    std::string name;
    const JointLoss<double>* loss = nullptr;  // null: its motor alone has losses
    JointLoss<Dual> dual_loss;
    Body<double> joint;
    Body<Dual> dual_joint;
    int v = -1, cut = -1;    // a velocity of the tree, or a place in ClosedLosses::cuts()
    int load = -1;           // place of its reaction; -1 where its law reads none
    double breakaway = 0.0;  // of its motor
    Eigen::VectorXd a;
    double b = 0.0;         // acceleration in it while the independent joints have none
    double moves = 0.0;     // velocity of this state
    double velocity = 0.0;  // where its law is taken
    double law = 0.0;       // friction by it, after evaluate
  };
  std::vector<Follower>& followers() { return followers_; }
  const std::vector<Follower>& followers() const { return followers_; }
  // Of the last state: the accelerations b of followers.
  void find_biases(In<double> q);

  // All of the above at a state. Leaves the pose and the velocities in work().
  void set_state(In<double> q, In<double> qd, std::span<const Force<double>> external);
  const PlantWorkspace<double>& work() const { return work_; }
  const Eigen::MatrixXd& H() const { return H_; }
  const Eigen::VectorXd& h() const { return h_; }

  // Where the laws are taken: velocities of the independent joints, and losses().velocity of their drives.
  std::vector<double>& velocity() { return velocity_; }
  Losses<double>& losses() { return losses_; }
  const Losses<double>& losses() const { return losses_; }

  // Torques of the actuated joints. target(): those of the independent ones which `total` has to meet.
  void set_torques(In<double> tau);
  const Eigen::VectorXd& target() const { return target_; }
  // The direction of a motor's breakaway torque, where it is not that of an independent joint: -1, 0, 1.
  void set_motor_direction(int v, int direction);

  // losses() and laws of followers at accelerations, where the independent joints take `force` besides, and followers
  // F.
  void evaluate(In<double> qdd, In<double> force, In<double> F);
  // The same accelerations and reactions, but other velocities: other.velocity, and `dynamic` as it stands in it.
  void evaluate_at(In<double> velocity, Losses<double>& other) const;
  double law_at(const Follower& follower, double velocity) const;
  // What rounding makes of the torque at an independent joint: the last bits of its terms.
  double rounding(std::size_t k) const;

  // After evaluate: how total and the laws of followers change with an acceleration, with a force that independent
  // joint `place` takes, or with F of follower `place`.
  enum class By { acceleration, force, follower };
  void slopes(By by, std::size_t place, Eigen::Ref<Eigen::VectorXd> of_total, Eigen::Ref<Eigen::VectorXd> of_laws);

  // Power that is lost, by the laws of the last evaluate, at the velocities of the state.
  double lost_power(In<double> qd) const;
  // Leaves in work() the motion of all joints and λ, with the accelerations and friction of the last evaluate.
  void leave_loads(In<double> q, std::span<const Force<double>> external);

 private:
  // A motor that is not that of independent joints alone.
  struct Motor {
    int actuated, v;  // its place among the actuated joints, and its velocity
    int direction;
    double output;
    Eigen::VectorXd row;  // of R
  };

  int place_of(int v) const;  // among the independent velocities, or -1
  Follower& add_follower(std::string name, const JointLoss<double>* loss, const Body<double>& joint);
  void sort_losses();
  void sort_motors();
  void choose_places();
  void set_equations(In<double> q, In<double> qd, std::span<const Force<double>> external);
  void find_base(In<double> q, In<double> qd, std::span<const Force<double>> external);
  void take_loads(Force<double>* to, bool with_recursion);
  void add_friction(const Follower& f, double F, std::vector<double>& of_tree) const;
  void set_rows(In<double> qd);
  void find_outputs();
  std::size_t sources() const { return n_ + followers_.size() + motors_.size(); }
  Force<double>* loads_of(std::size_t source) { return W_.data() + source * places_; }

  const Model<double>& model_;
  const LoopPlan& plan_;
  const Model<double> inertial_;
  ClosedLosses<double> joints_;
  PlantWorkspace<double> work_;
  const std::size_t n_, nv_;
  Model<double> own_;
  Model<Dual> own_dual_;
  std::vector<Follower> followers_;
  std::vector<Motor> motors_;
  std::vector<int> motor_of_, own_place_;     // of an actuated joint: place in motors_, or among the independent
  std::vector<Transmission<double>> drives_;  // of motors_, v are places there
  struct Moving;                              // cut rows over dual numbers
  std::unique_ptr<Moving> moving_;
  // Reactions that laws read, in bodies and in loops.
  std::vector<int> place_of_body_, place_of_loop_;
  std::size_t places_ = 0;
  bool plain_ = false, elements_;
  Equations equations_;
  std::vector<double> state_;  // q and q̇ of H and h, where nothing else has a part in them
  Eigen::MatrixXd H_;
  Eigen::VectorXd h_, given_, target_;             // given_ = Σ r_gᵀ u_g
  std::vector<Force<double>> w0_, W_, at_places_;  // W_: by accelerations, F and u
  std::vector<Force<double>> on_bodies_;           // zero between calls
  std::vector<double> tau_, unit_, column_, zero_, of_tree_, damping_;
  std::vector<double> bias_;  // accelerations of the tree while the independent joints have none
  std::vector<double> qdd_, velocity_, F_, multipliers_;
  double drive_loss_ = 0.0;
  std::vector<Force<double>> reactions_;  // one per body
  Losses<double> losses_;
  std::vector<Force<Dual>> reactions_dual_;
  std::vector<Dual> velocity_dual_, qdd_dual_;
  Losses<Dual> losses_dual_;
};

}  // namespace lw
