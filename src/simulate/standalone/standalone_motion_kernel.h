/* The motion of a stand-alone simulator: q' = rates(q, qd), qd' = forward(q, qd, tau(t, q, qd, p), p), the work of the drives and
   what losses and external forces take of it, and for every sensitivity the variational equations

     dq' = d rates,   dqd' = d forward along (dq, dqd, dtau, dp)

   by generated derivatives. Integrated by Verner's 6(5) pair with steps of its own (DVERK) or by the classical RK4. */

// What a motion is differentiated by: a parameter, or a start value.
struct Direction {
  std::string name;
  char what;  // p, q, v
  int index;
};

std::vector<Direction> directions_of(const std::string& list) {
  std::vector<Direction> found;
  for (const std::string& name : list.empty() ? std::vector<std::string>() : split(list, ',')) {
    const std::size_t open = name.find('(');
    Direction d{name, 'p', find(model::parameters, model::np, name)};
    if (open != std::string::npos && name.back() == ')') {
      const std::string joint = name.substr(open + 1, name.size() - open - 2);
      const std::string group = name.substr(0, open);
      d.what = group == "qd" ? 'v' : 'q';
      d.index = group != "q" && group != "qd" ? -1 : d.what == 'v' ? find(model::velocities, model::nv, joint) : find(model::coordinates, model::nq, joint);
      for (int k = 0; k < model::quaternion_count; ++k) {
        if (d.what == 'q' && d.index >= model::quaternions[k] && d.index < model::quaternions[k] + 4) {
          throw Trouble(2, "--sensitivity " + name + ": a quaternion's numbers do not change one by one");
        }
      }
    }
    if (d.index < 0 || (d.what == 'p' && d.index == model::time_parameter)) {
      throw Trouble(2, "--sensitivity " + name + ": there is no such parameter; there are " + listed(model::parameters, model::np) + ", and start values q(NAME), qd(NAME)");
    }
    found.push_back(d);
  }
  return found;
}

class System {
 public:
  System(const Data& data, std::vector<Direction> directions)
      : data_(data), directions_(std::move(directions)), p_(data.p), dp_(data.p.size() + 1, 0.0) {
    for (std::size_t k = 0; k < data.table.rows.size(); ++k) times_.push_back(data.table.at(k, data.table.column("t")));
  }

  // q, qd, work of the drives, what is taken of it; for every direction dq, dqd.
  static constexpr int kMotion = model::nq + model::nv, kOwn = kMotion + 2;
  std::size_t size() const { return static_cast<std::size_t>(kOwn) + directions_.size() * static_cast<std::size_t>(kMotion); }
  const std::vector<Direction>& directions() const { return directions_; }

  std::vector<double> start() const {
    std::vector<double> x(size(), 0.0);
    std::copy(data_.q.begin(), data_.q.end(), x.begin());
    std::copy(data_.qd.begin(), data_.qd.end(), x.begin() + model::nq);
    for (std::size_t k = 0; k < directions_.size(); ++k) {
      double* variation = x.data() + kOwn + k * static_cast<std::size_t>(kMotion);
      if (directions_[k].what == 'q') variation[directions_[k].index] = 1.0;
      if (directions_[k].what == 'v') variation[model::nq + directions_[k].index] = 1.0;
    }
    return x;
  }

  // Where forces have corners: steps end there.
  double next_corner(double t, double until) const {
    const auto next = std::upper_bound(times_.begin(), times_.end(), t);
    return next == times_.end() ? until : std::min(*next, until);
  }

  // Held forces have two values at a corner: the one before it while a step that ends there is made.
  void forces(double t, const double* q, const double* qd, double* tau) {
    p_at(t);
    const std::size_t row = times_.empty() ? 0 : row_at(t);
    for (int k = 0; k < model::nv; ++k) tau[k] = data_.table_columns.empty() || data_.table_columns[static_cast<std::size_t>(k)] < 0 ? 0.0 : from_table(t, row, data_.table_columns[static_cast<std::size_t>(k)]);
    const Point point{t, q, qd, p_.data()};
    for (const auto& [k, formula] : data_.forces) tau[k] += formula(point).v;
  }

  void slopes(double t, const std::vector<double>& x, std::vector<double>& dx) {
    const double *q = x.data(), *qd = q + model::nq;
    forces(t, q, qd, tau_);
    double* a = dx.data() + model::nq;
    model::rates(q, qd, dx.data());
    model::forward(q, qd, tau_, p_.data(), a);
    double work = 0.0, taken = 0.0;
    for (int k = 0; k < model::nv; ++k) {
      if (!std::isfinite(a[k])) throw Trouble(3, "t = " + text_of(t) + " s: the acceleration of " + model::velocities[k] + " is not finite (force " + text_of(tau_[k]) + ", velocity " + text_of(qd[k]) + ")");
      work += tau_[k] * qd[k];
    }
    if (model::takes_work) {
      model::ideal(q, qd, a, p_.data(), ideal_);
      for (int k = 0; k < model::nv; ++k) taken += (tau_[k] - ideal_[k]) * qd[k];
    }
    dx[static_cast<std::size_t>(kMotion)] = work;
    dx[static_cast<std::size_t>(kMotion) + 1] = taken;
    for (std::size_t k = 0; k < directions_.size(); ++k) {
      const double* dq = x.data() + kOwn + k * static_cast<std::size_t>(kMotion);
      const double* dqd = dq + model::nq;
      double* rate = dx.data() + kOwn + k * static_cast<std::size_t>(kMotion);
      std::fill(dp_.begin(), dp_.end(), 0.0);
      if (directions_[k].what == 'p') dp_[static_cast<std::size_t>(directions_[k].index)] = 1.0;
      std::fill(dtau_, dtau_ + model::nv, 0.0);
      const Point point{t, q, qd, p_.data(), dq, dqd, dp_.data()};
      for (const auto& [j, formula] : data_.forces) dtau_[j] += formula(point).d;
      model::rates_tangent(q, qd, dq, dqd, rate);
      model::forward_tangent(q, qd, tau_, p_.data(), dq, dqd, dtau_, dp_.data(), rate + model::nq);
    }
  }

  const double* p_at(double t) {
    if (model::time_parameter >= 0) p_[static_cast<std::size_t>(model::time_parameter)] = t;
    return p_.data();
  }
  // Quaternions drift off their unit by what a step is wrong.
  void normalize(std::vector<double>& x) const {
    for (int k = 0; k < model::quaternion_count; ++k) {
      double* q = x.data() + model::quaternions[k];
      const double size = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
      for (int i = 0; i < 4; ++i) q[i] /= size;
    }
  }
  // Of what is differentiated: which force jumps or has a corner between two states, or -1. The variational equations know nothing
  // of that instant's moving.
  int jump_between(const std::vector<double>& x, const std::vector<double>& y) {
    if (model::jump_count == 0 || directions_.empty()) return -1;
    double before[model::jump_count + 1], after[model::jump_count + 1];
    model::jumps(x.data(), x.data() + model::nq, p_.data(), before);
    model::jumps(y.data(), y.data() + model::nq, p_.data(), after);
    for (int k = 0; k < model::jump_count; ++k) {
      if (model::jump_turns[k] ? !(before[k] * after[k] > 0.0) : (before[k] > 0.0) != (after[k] > 0.0)) return k;
    }
    return -1;
  }
  // Which dry friction changes its direction between two states, or -1. What stays at rest does not.
  int turn_between(const std::vector<double>& x, const std::vector<double>& y) {
    if (model::jump_count == 0) return -1;
    double before[model::jump_count + 1], after[model::jump_count + 1];
    model::jumps(x.data(), x.data() + model::nq, p_.data(), before);
    model::jumps(y.data(), y.data() + model::nq, p_.data(), after);
    for (int k = 0; k < model::jump_count; ++k) {
      if (model::jump_turns[k] && ((before[k] < 0.0 && after[k] > 0.0) || (before[k] > 0.0 && after[k] < 0.0))) return k;
    }
    return -1;
  }
  // t is the end of a step that does not go beyond it.
  void set_end(double t) { end_ = t; }

 private:
  // The piece of the table that t lies in; at the end of a step, the one before it.
  std::size_t row_at(double t) const {
    const auto first = times_.begin() + 1;
    return static_cast<std::size_t>((t == end_ ? std::lower_bound(first, times_.end(), t) : std::upper_bound(first, times_.end(), t)) - first);
  }
  double from_table(double t, std::size_t row, int column) const {
    const double here = data_.table.at(row, column), t0 = times_[row];
    if (data_.held || t <= t0 || row + 1 == times_.size()) return here;
    return here + (data_.table.at(row + 1, column) - here) * (t - t0) / (times_[row + 1] - t0);
  }

  const Data& data_;
  std::vector<Direction> directions_;
  std::vector<double> p_, dp_, times_;
  double end_ = -1e300;
  double tau_[model::nv + 1], dtau_[model::nv + 1], ideal_[model::nv + 1];
};

class Integrator {
 public:
  Integrator(System& system, const Data& data) : system_(system), data_(data), h_(std::min(data.output, 1e-3 * data.duration)) {
    for (auto& k : k_) k.resize(system.size());
    y_.resize(system.size());
  }

  void advance(double& t, std::vector<double>& x, double until) {
    while (t < until) {
      const double corner = system_.next_corner(t, until);
      system_.set_end(corner);
      if (data_.rk4) rk4(t, x, corner);
      else verner(t, x, corner);
      system_.normalize(x);
      if (!data_.rk4) require_progress(t);
    }
    system_.set_end(-1e300);
  }
  long steps = 0, refused = 0;

 private:
  // Small steps for ever, such as about rest under dry friction.
  void require_progress(double t) {
    if (steps + refused < next_look_) return;
    if (t - last_look_ < 1e-3 * data_.duration) {
      refuse_rest(t);
      throw Trouble(3, "t = " + text_of(t) + " s: " + std::to_string(kTries) + " steps have come no further than " + text_of(t - last_look_) + " s: forces jump there, or the motion grows beyond bounds");
    }
    next_look_ = steps + refused + kTries;
    last_look_ = t;
  }

  // What turns round goes on; what comes to rest under dry friction turns round within step after step.
  void count_turn(int turned) {
    if (turned >= 0) turned_ = turned;
    turns_ = turned >= 0 ? std::min(turns_ + 2, kChatter + 2) : std::max(turns_ - 1, 0);
  }
  void refuse_rest(double t) const {
    if (turns_ == 0) return;
    throw Trouble(3, "t = " + text_of(t) + " s: `" + model::jump_owners[turned_] + "` has come to rest, and this simulator cannot go on. It follows dry friction while a joint slides or turns round; "
                     "friction that holds a joint at rest it does not know.\nThe motion until then has been written. To go on: give the friction a `width` in the mechanism's file and make the simulator again, "
                     "or run the mechanism with `linkwright simulate`, which knows joints that stick.");
  }

  void refuse_jump(int jump, double t) const {
    if (jump < 0) return;
    throw Trouble(3, "t = " + text_of(t) + " s: " + model::jump_names[jump] + ", where its force jumps or sets in: sensitivities end here, a motion without them goes on");
  }

  // One step, which ends at `until` where that is near.
  void rk4(double& t, std::vector<double>& x, double until) {
    const double left = until - t;
    const bool last = left <= data_.step * (1.0 + 1e-9);
    const double h = last ? left : data_.step;
    system_.slopes(t, x, k_[0]);
    int jump = -1, turned = -1;
    for (int s = 1; s < 4; ++s) {
      const double c = s == 3 ? 1.0 : 0.5;
      for (std::size_t i = 0; i < x.size(); ++i) y_[i] = x[i] + c * h * k_[s - 1][i];
      if (jump < 0) jump = system_.jump_between(x, y_);
      if (turned < 0) turned = system_.turn_between(x, y_);
      system_.slopes(s == 3 && last ? until : t + c * h, y_, k_[s]);
    }
    for (std::size_t i = 0; i < x.size(); ++i) y_[i] = x[i] + h / 6.0 * (k_[0][i] + 2.0 * (k_[1][i] + k_[2][i]) + k_[3][i]);
    refuse_jump(jump < 0 ? system_.jump_between(x, y_) : jump, t);
    count_turn(turned < 0 ? system_.turn_between(x, y_) : turned);
    if (turns_ > kChatter) refuse_rest(t);
    x = y_;
    t = last ? until : t + h;
    ++steps;
  }

  // One step that is right to the tolerance, after as many that were not.
  void verner(double& t, std::vector<double>& x, double until) {
    static constexpr double c[8] = {0.0, 1.0 / 6, 4.0 / 15, 2.0 / 3, 5.0 / 6, 1.0, 1.0 / 15, 1.0};
    static constexpr double a[8][7] = {{},
                                       {1.0 / 6},
                                       {4.0 / 75, 16.0 / 75},
                                       {5.0 / 6, -8.0 / 3, 5.0 / 2},
                                       {-165.0 / 64, 55.0 / 6, -425.0 / 64, 85.0 / 96},
                                       {12.0 / 5, -8.0, 4015.0 / 612, -11.0 / 36, 88.0 / 255},
                                       {-8263.0 / 15000, 124.0 / 75, -643.0 / 680, -81.0 / 250, 2484.0 / 10625},
                                       {3501.0 / 1720, -300.0 / 43, 297275.0 / 52632, -319.0 / 2322, 24068.0 / 84065, 0.0, 3850.0 / 26703}};
    static constexpr double b6[8] = {3.0 / 40, 0.0, 875.0 / 2244, 23.0 / 72, 264.0 / 1955, 0.0, 125.0 / 11592, 43.0 / 616};
    static constexpr double b5[8] = {13.0 / 160, 0.0, 2375.0 / 5984, 5.0 / 16, 12.0 / 85, 3.0 / 44, 0.0, 0.0};
    system_.slopes(t, x, k_[0]);
    while (true) {
      const bool last = t + 1.01 * h_ >= until;
      const double h = last ? until - t : h_;
      if (t + 0.01 * h == t && !last) {
        refuse_rest(t);
        throw Trouble(3, "t = " + text_of(t) + " s: steps shrink to nothing: forces jump there, or the motion grows beyond bounds");
      }
      int jump = -1, turned = -1;
      for (int s = 1; s < 8; ++s) {
        for (std::size_t i = 0; i < x.size(); ++i) {
          double sum = 0.0;
          for (int j = 0; j < s; ++j) sum += a[s][j] * k_[j][i];
          y_[i] = x[i] + h * sum;
        }
        if (jump < 0) jump = system_.jump_between(x, y_);
        if (turned < 0) turned = system_.turn_between(x, y_);
        system_.slopes(last && c[s] == 1.0 ? until : t + c[s] * h, y_, k_[s]);
      }
      double worst = 0.0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        double six = 0.0, five = 0.0;
        for (int j = 0; j < 8; ++j) {
          six += b6[j] * k_[j][i];
          five += b5[j] * k_[j][i];
        }
        y_[i] = x[i] + h * six;
        const double scale = data_.tolerance * (1.0 + std::max(std::fabs(x[i]), std::fabs(y_[i])));
        worst = std::max(worst, std::fabs(h * (six - five)) / scale);
      }
      count_turn(turned);
      const double factor = worst > 0.0 ? 0.9 * std::pow(worst, -1.0 / 6.0) : 5.0;
      if (worst <= 1.0) {
        refuse_jump(jump < 0 ? system_.jump_between(x, y_) : jump, t);
        x = y_;
        t = last ? until : t + h;
        if (!last || factor < 1.0) h_ = h * std::min(5.0, std::max(0.2, factor));
        else h_ = std::max(h_, h * std::min(5.0, factor));
        ++steps;
        return;
      }
      h_ = h * std::max(0.1, factor);
      ++refused;
    }
  }

  System& system_;
  const Data& data_;
  double h_;
  static constexpr long kTries = 10000;
  static constexpr int kChatter = 60;
  int turned_ = -1, turns_ = 0;  // what turned round last, and how often of late
  long next_look_ = kTries;
  double last_look_ = 0.0;
  std::vector<double> k_[8], y_;
};
