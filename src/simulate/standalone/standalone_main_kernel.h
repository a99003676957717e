/* What a stand-alone simulator is asked: forward, inverse, selftest, data. */

struct Request {
  std::string command, data, motion, out, sensitivity;
  std::vector<std::string> set;
  bool energy = false;
};

void require_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) throw Trouble(3, "the standard output cannot be written");
}

// Written under another name and then renamed: whole or not at all. What is no plain file (a pipe, a device, a link) stays and is
// written into. Without a name: to the standard output.
void write_result(const std::string& file, const std::string& text) {
  if (file.empty()) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    require_output();
    return;
  }
  std::error_code ignored;
  const std::filesystem::file_type there = std::filesystem::symlink_status(file, ignored).type();
  const bool renames = there == std::filesystem::file_type::regular || there == std::filesystem::file_type::not_found;
  const std::string to = renames ? file + ".part" : file;
  std::ofstream out(to, std::ios::binary);
  out << text;
  out.close();
  if (!out || (renames && std::rename(to.c_str(), file.c_str()) != 0)) {
    if (renames) std::remove(to.c_str());
    throw Trouble(3, file + ": cannot be written");
  }
}

void add_names(std::string& line, const char* group, int count, const std::string& behind = {}) {
  for (int k = 1; k <= count; ++k) line += std::string(line.empty() ? "" : ",") + group + std::to_string(k) + behind;
}
void add_numbers(std::string& line, const double* numbers, int count) {
  for (int k = 0; k < count; ++k) line += "," + text_of(numbers[k]);
}

// E(t) - E(0) = work of the drives - what losses and external forces take.
struct Balance {
  double first = 0.0, last = 0.0, worst = 0.0, scale = 0.0;
  bool begun = false;

  void add(const double energy[2], double work, double taken) {
    if (!begun) first = energy[0] + energy[1];
    begun = true;
    last = energy[0] + energy[1];
    worst = std::max(worst, std::fabs(last - first - work + taken));
    scale = std::max({scale, std::fabs(last - first), std::fabs(work), std::fabs(taken), std::fabs(energy[0])});
  }
  void say(double work, double taken) const {
    std::fprintf(stderr, "energy: change %.10g J = work of the drives %.10g J - losses and external forces %.10g J, off by %.1e J at most (%.1e of the largest)\n",
                 last - first, work, taken, worst, scale > 0.0 ? worst / scale : 0.0);
  }
};

Data data_of(const Request& request) {
  Data data = read_data(request.data);
  for (const std::string& text : request.set) {
    const std::size_t equals = text.find('=');
    const Place place{"--set " + text, 0};
    if (equals == std::string::npos) place.fail("is not of the form NAME=VALUE");
    set_parameter(data, trimmed(text.substr(0, equals)), trimmed(text.substr(equals + 1)), place);
  }
  return data;
}

void forward(const Request& request) {
  const Data data = data_of(request);
  System system(data, directions_of(request.sensitivity));
  Integrator integrator(system, data);
  std::string text = "t";
  add_names(text, "q", model::nq);
  for (const char* group : {"qd", "qdd", "tau"}) add_names(text, group, model::nv);
  if (request.energy) text += ",kinetic,potential,work,taken";
  for (const Direction& d : system.directions()) {
    add_names(text, "dq", model::nq, "/d" + d.name);
    for (const char* group : {"dqd", "dqdd"}) add_names(text, group, model::nv, "/d" + d.name);
  }
  text += "\n";
  std::vector<double> x = system.start(), dx(x.size()), tau(model::nv + 1);
  Balance balance;
  double t = 0.0;
  const auto add_row = [&] {
    system.slopes(t, x, dx);
    system.forces(t, x.data(), x.data() + model::nq, tau.data());
    text += text_of(t);
    add_numbers(text, x.data(), System::kMotion);
    add_numbers(text, dx.data() + model::nq, model::nv);
    add_numbers(text, tau.data(), model::nv);
    double energy[2];
    model::energy(x.data(), x.data() + model::nq, system.p_at(t), energy);
    const double work = x[static_cast<std::size_t>(System::kMotion)], taken = x[static_cast<std::size_t>(System::kMotion) + 1];
    balance.add(energy, work, taken);
    if (request.energy) add_numbers(text, energy, 2), text += "," + text_of(work) + "," + text_of(taken);
    for (std::size_t k = 0; k < system.directions().size(); ++k) {
      const std::size_t from = static_cast<std::size_t>(System::kOwn) + k * static_cast<std::size_t>(System::kMotion);
      add_numbers(text, x.data() + from, System::kMotion);
      add_numbers(text, dx.data() + from + model::nq, model::nv);
    }
    text += "\n";
  };
  std::unique_ptr<Trouble> trouble;
  try {
    add_row();
    for (long k = 1; t < data.duration; ++k) {
      const double next = static_cast<double>(k) * data.output;
      integrator.advance(t, x, next > data.duration * (1.0 - 1e-12) ? data.duration : next);
      add_row();
    }
  } catch (const Trouble& e) {  // what was reached is written all the same
    trouble = std::make_unique<Trouble>(e);
  }
  write_result(request.out, text);
  if (trouble) throw *trouble;
  std::fprintf(stderr, "%s: %g s in %ld steps (%ld refused) by %s\n", model::name, data.duration, integrator.steps, integrator.refused, data.rk4 ? "rk4" : "verner");
  balance.say(x[static_cast<std::size_t>(System::kMotion)], x[static_cast<std::size_t>(System::kMotion) + 1]);
}

// The integral of y from times[k] to times[k + 1]: of the mean of the parabolas through three neighbours.
double integral(const std::vector<double>& times, const std::vector<double>& y, std::size_t k) {
  const double h = times[k + 1] - times[k];
  const auto parabola = [&](std::size_t i) {  // through i, i + 1, i + 2
    const double a = times[i] - times[k], b = times[i + 1] - times[k], c = times[i + 2] - times[k];
    const double first = (y[i + 1] - y[i]) / (b - a), second = ((y[i + 2] - y[i + 1]) / (c - b) - first) / (c - a);
    // y_i + first (s - a) + second (s - a)(s - b), from s = 0 to h
    return h * (y[i] + first * (h / 2.0 - a) + second * (h * h / 3.0 - (a + b) * h / 2.0 + a * b));
  };
  double sum = 0.0;
  int count = 0;
  if (k > 0) sum += parabola(k - 1), ++count;
  if (k + 2 < times.size()) sum += parabola(k), ++count;
  return count > 0 ? sum / count : 0.5 * h * (y[k] + y[k + 1]);
}

void inverse(const Request& request) {
  const Data data = data_of(request);
  System system(data, {});
  const std::vector<Direction> directions = directions_of(request.sensitivity);
  for (const Direction& d : directions) {
    if (d.what != 'p') throw Trouble(2, "--sensitivity " + d.name + ": an inverse run is given its motion; only parameters change its forces");
  }
  const Table motion = read_table(request.motion);
  std::vector<int> columns;
  const auto need = [&](const char* group, int count) {
    for (int k = 1; k <= count; ++k) columns.push_back(motion.needed(group + std::to_string(k)));
  };
  need("q", model::nq);
  need("qd", model::nv);
  need("qdd", model::nv);
  std::string text = "t";
  add_names(text, "tau", model::nv);
  for (const Direction& d : directions) add_names(text, "dtau", model::nv, "/d" + d.name);
  text += "\n";
  std::vector<double> times, work, taken;
  std::vector<std::array<double, 2>> energies;
  std::vector<double> x(columns.size()), tau(model::nv + 1), ideal(model::nv + 1), dtau(model::nv + 1), none(columns.size() + 1, 0.0);
  for (std::size_t row = 0; row < motion.rows.size(); ++row) {
    const double t = motion.at(row, motion.needed("t"));
    for (std::size_t k = 0; k < columns.size(); ++k) x[k] = motion.at(row, columns[k]);
    const double *q = x.data(), *qd = q + model::nq, *qdd = qd + model::nv, *p = system.p_at(t);
    model::inverse(q, qd, qdd, p, tau.data());
    text += text_of(t);
    add_numbers(text, tau.data(), model::nv);
    for (const Direction& d : directions) {
      std::vector<double> dp(model::np + 1, 0.0);
      dp[static_cast<std::size_t>(d.index)] = 1.0;
      model::inverse_tangent(q, qd, qdd, p, none.data(), none.data(), none.data(), dp.data(), dtau.data());
      add_numbers(text, dtau.data(), model::nv);
    }
    text += "\n";
    if (model::takes_work) model::ideal(q, qd, qdd, p, ideal.data());
    else ideal = tau;
    times.push_back(t);
    work.push_back(0.0);
    taken.push_back(0.0);
    for (int k = 0; k < model::nv; ++k) {
      work.back() += tau[static_cast<std::size_t>(k)] * qd[k];
      taken.back() += (tau[static_cast<std::size_t>(k)] - ideal[static_cast<std::size_t>(k)]) * qd[k];
    }
    energies.emplace_back();
    model::energy(q, qd, p, energies.back().data());
  }
  write_result(request.out, text);
  Balance balance;
  double given = 0.0, lost = 0.0;
  for (std::size_t k = 0; k < times.size(); ++k) {
    if (k > 0) given += integral(times, work, k - 1), lost += integral(times, taken, k - 1);
    balance.add(energies[k].data(), given, lost);
  }
  std::fprintf(stderr, "%s: forces of %zu states\n", model::name, times.size());
  balance.say(given, lost);
}

// Stored states and results of other algorithms, compared to a fraction of the largest result at each state.
int selftest() {
  bool right = true;
  for (const SelfTest& test : kSelfTests) {
    double worst = 0.0;
    std::vector<double> out(static_cast<std::size_t>(test.outputs) + 1);
    for (int state = 0; state < test.states; ++state) {
      test.run(test.input + state * test.inputs, out.data());
      const double* expected = test.output + state * test.outputs;
      double largest = 0.0, error = 0.0;
      for (int k = 0; k < test.outputs; ++k) {
        largest = std::max(largest, std::fabs(expected[k]));
        const double off = std::fabs(out[static_cast<std::size_t>(k)] - expected[k]);
        if (!(off <= error)) error = off;  // NaN stays
      }
      error = error == 0.0 ? 0.0 : error / (largest > 0.0 ? largest : 1.0);
      if (!(error <= worst)) worst = error;
    }
    const bool fine = worst <= test.tolerance;
    std::printf("%-16s %d states, largest error %.1e (%.0e allowed)%s\n", test.name, test.states, worst, test.tolerance, fine ? "" : "  WRONG");
    right = right && fine;
  }
  std::printf(right ? "all right\n" : "WRONG\n");
  return right ? 0 : 1;
}

int run(int count, char** words) {
  const std::string usage = std::string("usage: ") + words[0] + R"( COMMAND ...

  forward DATA [--out F.csv] [--energy] [--sensitivity NAME,...] [--set NAME=VALUE]
      the motion under the forces of the data file: t, q, qd, qdd, tau in the order below; --energy adds the energies, the
      work of the drives and what losses and external forces took of it; --sensitivity adds how the motion changes with
      parameters, or with start values q(NAME), qd(NAME)
  inverse DATA MOTION.csv [--out F.csv] [--sensitivity NAME,...] [--set NAME=VALUE]
      the forces of a motion (columns t, q1.., qd1.., qdd1..); --sensitivity adds how they change with parameters
  selftest
      stored states against results of other algorithms; exit code 0 or 1
  data
      a data file to begin with
)";
  Request request;
  std::vector<std::string> given;
  for (int k = 1; k < count; ++k) {
    const std::string word = words[k];
    const auto value = [&] {
      if (k + 1 == count) throw Trouble(2, word + " needs a value");
      return std::string(words[++k]);
    };
    if (word == "--help" || word == "-h") {
      std::printf("%s\n%s\n  velocities: %s\n  parameters: %s\n", model::title, usage.c_str(), listed(model::velocities, model::nv).c_str(), listed(model::parameters, model::np).c_str());
      return 0;
    }
    if (word == "--out") request.out = value();
    else if (word == "--sensitivity") request.sensitivity = value();
    else if (word == "--set") request.set.push_back(value());
    else if (word == "--energy") request.energy = true;
    else if (word.size() > 1 && word[0] == '-') throw Trouble(2, "unknown option " + word + "\n" + usage);
    else given.push_back(word);
  }
  if (given.empty()) throw Trouble(2, usage);
  request.command = given[0];
  const auto require_words = [&](std::size_t n, const char* what) {
    if (given.size() != n) throw Trouble(2, request.command + " takes " + what + "\n" + usage);
  };
  if (request.command == "forward") {
    require_words(2, "a data file");
    request.data = given[1];
    forward(request);
  } else if (request.command == "inverse") {
    require_words(3, "a data file and a motion");
    request.data = given[1];
    request.motion = given[2];
    inverse(request);
  } else if (request.command == "selftest") {
    return selftest();
  } else if (request.command == "data") {
    std::printf("%s", model::data);
  } else {
    throw Trouble(2, "unknown command " + request.command + "\n" + usage);
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  try {
    const int code = run(count, words);
    require_output();
    return code;
  } catch (const Trouble& trouble) {
    std::fprintf(stderr, "%s\n", trouble.what());
    return trouble.code;
  }
}
