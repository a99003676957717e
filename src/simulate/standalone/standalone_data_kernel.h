/* What a stand-alone simulator reads: formulas, its data file, tables with a header. C++17. Before it stand the headers, and in
   namespace `model` the mechanism: names, sizes and functions (standalone.hpp). */

// What is wrong, in the user's words, and the exit code: 1 a check failed, 2 usage, 3 bad data.
struct Trouble : std::runtime_error {
  Trouble(int exit_code, const std::string& what) : std::runtime_error(what), code(exit_code) {}
  int code;
};

struct Place {
  std::string file;
  int line = 0;
  [[noreturn]] void fail(const std::string& what) const {
    throw Trouble(3, file + (line > 0 ? ":" + std::to_string(line) : "") + ": " + what);
  }
};

// The shortest text that reads back as the same number.
std::string text_of(double x) {
  char buffer[40];
  return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, x).ptr);
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == std::string::npos ? std::string() : text.substr(first, last - first + 1);
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == at) parts.emplace_back();
    else parts.back() += c;
  }
  for (std::string& part : parts) part = trimmed(part);
  return parts;
}

int find(const char* const* names, int count, const std::string& name) {
  for (int k = 0; k < count; ++k) {
    if (name == names[k]) return k;
  }
  return -1;
}

std::string listed(const char* const* names, int count) {
  std::string text;
  for (int k = 0; k < count; ++k) {
    if (k != model::time_parameter || names != model::parameters) text += (text.empty() ? "" : ", ") + std::string(names[k]);
  }
  return text.empty() ? "none" : text;
}

// A value and how fast it changes with the parameter or start value that is looked at.
struct Number {
  double v = 0.0, d = 0.0;
};

// Where formulas are evaluated: d... is null where nothing changes.
struct Point {
  double t;
  const double *q, *qd, *p;
  const double *dq = nullptr, *dqd = nullptr, *dp = nullptr;
};

//   sum = product {("+" | "-") product}    product = signed {("*" | "/") signed}    signed = {"-" | "+"} power
//   power = value ["^" signed]             value = (number | name | function "(" sum {"," sum} ")" | "(" sum ")") ["deg"]
// Names: pi; where the formula may change with the state, t, q(NAME), qd(NAME) and the parameters.
class Formula {
 public:
  Formula() = default;
  Formula(const std::string& text, const Place& place, bool of_state) : text_(text), place_(place), of_state_(of_state) {
    sum();
    if (rest() != '\0') fail("`" + text_.substr(at_) + "` is left over");
  }

  Number operator()(const Point& x) const {
    std::vector<Number>& stack = stack_;
    stack.clear();
    for (const Step& s : steps_) {
      const auto with = [](double value, const double* slopes, int k) { return Number{value, slopes == nullptr ? 0.0 : slopes[k]}; };
      if (s.what == '#') stack.push_back({s.value, 0.0});
      else if (s.what == 't') stack.push_back({x.t, 0.0});
      else if (s.what == 'q') stack.push_back(with(x.q[s.index], x.dq, s.index));
      else if (s.what == 'v') stack.push_back(with(x.qd[s.index], x.dqd, s.index));
      else if (s.what == 'p') stack.push_back(with(x.p[s.index], x.dp, s.index));
      else apply(s, stack);
    }
    return stack.back();
  }

 private:
  struct Step {
    char what;  // # t q v p, an operator, or f: a function
    int index = 0;
    double value = 0.0;
  };
  static constexpr const char* kFunctions[] = {"sqrt", "sin", "cos",  "tan", "asin", "acos", "atan",
                                               "exp",  "log", "tanh", "abs", "min",  "max",  "atan2"};
  static constexpr int kFunctionCount = 14, kOfTwo = 11;  // from there on with two arguments

  static Number chain(const Number& x, double value, double slope) { return {value, x.d == 0.0 ? 0.0 : slope * x.d}; }

  static void apply(const Step& s, std::vector<Number>& stack) {
    const Number b = stack.back();
    if (s.what == '~') {
      stack.back() = {-b.v, -b.d};
      return;
    }
    if (s.what == 'f' && s.index < kOfTwo) {
      double& x = stack.back().v;
      const double y = b.v;
      switch (s.index) {
        case 0: stack.back() = chain(b, std::sqrt(y), 0.5 / std::sqrt(y)); break;
        case 1: stack.back() = chain(b, std::sin(y), std::cos(y)); break;
        case 2: stack.back() = chain(b, std::cos(y), -std::sin(y)); break;
        case 3: stack.back() = chain(b, std::tan(y), 1.0 + std::tan(y) * std::tan(y)); break;
        case 4: stack.back() = chain(b, std::asin(y), 1.0 / std::sqrt(1.0 - y * y)); break;
        case 5: stack.back() = chain(b, std::acos(y), -1.0 / std::sqrt(1.0 - y * y)); break;
        case 6: stack.back() = chain(b, std::atan(y), 1.0 / (1.0 + y * y)); break;
        case 7: stack.back() = chain(b, std::exp(y), std::exp(y)); break;
        case 8: stack.back() = chain(b, std::log(y), 1.0 / y); break;
        case 9: stack.back() = chain(b, std::tanh(y), 1.0 - std::tanh(y) * std::tanh(y)); break;
        default: stack.back() = chain(b, std::fabs(x), y < 0.0 ? -1.0 : 1.0); break;
      }
      return;
    }
    stack.pop_back();
    const Number a = stack.back();
    Number& r = stack.back();
    switch (s.what) {
      case '+': r = {a.v + b.v, a.d + b.d}; break;
      case '-': r = {a.v - b.v, a.d - b.d}; break;
      case '*': r = {a.v * b.v, a.d * b.v + a.v * b.d}; break;
      case '/': r = {a.v / b.v, (a.d - a.v / b.v * b.d) / b.v}; break;
      case '^': {
        const double power = std::pow(a.v, b.v);
        r = {power, (a.d == 0.0 ? 0.0 : b.v * std::pow(a.v, b.v - 1.0) * a.d) + (b.d == 0.0 ? 0.0 : power * std::log(a.v) * b.d)};
        break;
      }
      default:
        if (s.index == 11) r = b.v < a.v ? b : a;
        else if (s.index == 12) r = a.v < b.v ? b : a;
        else r = {std::atan2(a.v, b.v), (a.d == 0.0 && b.d == 0.0) ? 0.0 : (b.v * a.d - a.v * b.d) / (a.v * a.v + b.v * b.v)};
    }
  }

  [[noreturn]] void fail(const std::string& what) const { place_.fail("formula `" + text_ + "`: " + what); }
  char rest() {  // the next character that is no blank
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (rest() != c) return false;
    ++at_;
    return true;
  }
  void need(char c) {
    if (!take(c)) fail(std::string("`") + c + "` is missing" + (rest() == '\0' ? " at its end" : " before `" + text_.substr(at_) + "`"));
  }

  void sum() {
    product();
    for (char c = rest(); c == '+' || c == '-'; c = rest()) {
      ++at_;
      product();
      steps_.push_back({c});
    }
  }
  void product() {
    signed_power();
    for (char c = rest(); c == '*' || c == '/'; c = rest()) {
      ++at_;
      signed_power();
      steps_.push_back({c});
    }
  }
  void signed_power() {
    bool negative = false;
    for (char c = rest(); c == '-' || c == '+'; c = rest()) {
      negative = negative != (c == '-');
      ++at_;
    }
    value();
    if (take('^')) {
      signed_power();
      steps_.push_back({'^'});
    }
    if (negative) steps_.push_back({'~'});
  }
  void value() {
    const char c = rest();
    if (take('(')) {
      sum();
      need(')');
    } else if ((c >= '0' && c <= '9') || c == '.') {
      char* end = nullptr;
      const double number = std::strtod(text_.c_str() + at_, &end);
      at_ = static_cast<std::size_t>(end - text_.c_str());
      steps_.push_back({'#', 0, number});
    } else {
      named(word());
    }
    const std::size_t before = at_;
    if (rest() == 'd' && word() == "deg") {
      steps_.push_back({'#', 0, std::acos(-1.0) / 180.0});
      steps_.push_back({'*'});
    } else {
      at_ = before;
    }
  }
  std::string word() {
    rest();
    const std::size_t first = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_' || text_[at_] == '.')) ++at_;
    return text_.substr(first, at_ - first);
  }
  void named(const std::string& name) {
    if (name.empty()) fail(rest() == '\0' ? "something is missing at its end" : std::string("`") + rest() + "` stands where a value should");
    if (name == "pi") {
      steps_.push_back({'#', 0, std::acos(-1.0)});
      return;
    }
    if (const int f = find(kFunctions, kFunctionCount, name); f >= 0 && rest() == '(') {
      need('(');
      sum();
      if (f >= kOfTwo) {
        need(',');
        sum();
      }
      need(')');
      steps_.push_back({'f', f});
      return;
    }
    if (!of_state_) fail("`" + name + "` is no number: only forces may depend on time, state and parameters");
    if (name == "t") {
      steps_.push_back({'t'});
      return;
    }
    if ((name == "q" || name == "qd") && rest() == '(') {
      const std::size_t close = text_.find(')', ++at_);
      if (close == std::string::npos) fail("`)` is missing at its end");
      const std::string joint = trimmed(text_.substr(at_, close - at_));
      const bool rate = name == "qd";
      const int k = rate ? find(model::velocities, model::nv, joint) : find(model::coordinates, model::nq, joint);
      if (k < 0) fail("there is no " + name + "(" + joint + "); there are " + (rate ? listed(model::velocities, model::nv) : listed(model::coordinates, model::nq)));
      at_ = close + 1;
      steps_.push_back({rate ? 'v' : 'q', k});
      return;
    }
    const int k = find(model::parameters, model::np, name);
    if (k < 0) fail("`" + name + "` is unknown; parameters are " + listed(model::parameters, model::np) + ", and there are t, q(NAME), qd(NAME), pi");
    steps_.push_back({'p', k});
  }

  std::string text_;
  Place place_;
  bool of_state_ = false;
  std::size_t at_ = 0;
  std::vector<Step> steps_;
  mutable std::vector<Number> stack_;
};

double constant(const std::string& text, const Place& place) {
  const double none = 0.0;
  const double value = Formula(text, place, false)({0.0, &none, &none, &none}).v;
  if (!std::isfinite(value)) place.fail("`" + text + "` is not finite");
  return value;
}

std::vector<std::string> lines_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Trouble(3, file + ": cannot be read");
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Rows of numbers under a header of names.
struct Table {
  Place place;
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;

  int column(const std::string& name) const {
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? -1 : static_cast<int>(found - names.begin());
  }
  int needed(const std::string& name) const {
    const int k = column(name);
    if (k < 0) place.fail("there is no column `" + name + "`");
    return k;
  }
  double at(std::size_t row, int k) const { return rows[row][static_cast<std::size_t>(k)]; }
};

Table read_table(const std::string& file) {
  Table table{{file, 0}, {}, {}};
  int number = 0;
  for (const std::string& line : lines_of(file)) {
    const Place place{file, ++number};
    if (trimmed(line).empty() || line[0] == '#') continue;
    const std::vector<std::string> cells = split(line, ',');
    if (table.names.empty()) {
      table.names = cells;
      continue;
    }
    if (cells.size() != table.names.size()) {
      place.fail("this row has " + std::to_string(cells.size()) + " numbers, the header " + std::to_string(table.names.size()) + " names");
    }
    std::vector<double> row;
    for (std::size_t k = 0; k < cells.size(); ++k) {
      char* end = nullptr;
      row.push_back(std::strtod(cells[k].c_str(), &end));
      if (cells[k].empty() || *end != '\0' || !std::isfinite(row.back())) place.fail("`" + cells[k] + "` (" + table.names[k] + ") is no finite number");
    }
    if (!table.rows.empty() && table.column("t") >= 0 && !(row[static_cast<std::size_t>(table.column("t"))] > table.at(table.rows.size() - 1, table.column("t")))) {
      place.fail("times must increase");
    }
    table.rows.push_back(std::move(row));
  }
  if (table.rows.empty()) table.place.fail("there are no rows of numbers");
  table.needed("t");
  return table;
}

// Everything that a run is given.
struct Data {
  std::vector<double> p = std::vector<double>(model::values, model::values + model::np);
  std::vector<double> q = std::vector<double>(model::home, model::home + model::nq);
  std::vector<double> qd = std::vector<double>(model::nv, 0.0);
  std::vector<std::pair<int, Formula>> forces;  // of a velocity
  Table table;                                  // of forces over time, or empty
  std::vector<int> table_columns;               // one a velocity, -1: none
  bool held = false;                            // between its rows: constant, or a line
  double duration = 1.0, output = 0.01, tolerance = 1e-10, step = 0.001;
  bool rk4 = false;
};

void use_table(Data& data, const std::string& file, const Place& place) {
  const std::size_t slash = place.file.rfind('/');
  const std::string beside = file[0] == '/' || slash == std::string::npos ? file : place.file.substr(0, slash + 1) + file;
  data.table = read_table(beside);
  bool any = false;
  for (int k = 0; k < model::nv; ++k) {
    data.table_columns.push_back(data.table.column("tau" + std::to_string(k + 1)));
    any = any || data.table_columns.back() >= 0;
  }
  if (!any) data.table.place.fail("there is no column tau1, tau2, ...: no force");
}

void set_run(Data& data, const std::string& key, const std::string& value, const Place& place) {
  const auto positive = [&] {
    const double x = constant(value, place);
    if (!(x > 0.0)) place.fail("`" + key + "` must be above zero, not " + value);
    return x;
  };
  if (key == "duration") data.duration = positive();
  else if (key == "output") data.output = positive();
  else if (key == "tolerance") data.tolerance = positive();
  else if (key == "step") data.step = positive();
  else if (key == "integrator") {
    if (value != "verner" && value != "rk4") place.fail("`integrator` is verner or rk4, not " + value);
    data.rk4 = value == "rk4";
  } else {
    place.fail("`" + key + "` is unknown in [run]; it has duration, output, integrator, tolerance, step");
  }
}

void set_start(Data& data, const std::string& key, const std::string& value, const Place& place) {
  const std::size_t open = key.find('(');
  const std::string what = key.substr(0, open);
  if (open == std::string::npos || key.back() != ')' || (what != "q" && what != "qd")) place.fail("[start] has q(NAME) and qd(NAME), not `" + key + "`");
  const std::string name = trimmed(key.substr(open + 1, key.size() - open - 2));
  const bool rate = what == "qd";
  const int k = rate ? find(model::velocities, model::nv, name) : find(model::coordinates, model::nq, name);
  if (k < 0) place.fail("there is no " + key + "; there are " + (rate ? listed(model::velocities, model::nv) : listed(model::coordinates, model::nq)));
  (rate ? data.qd : data.q)[static_cast<std::size_t>(k)] = constant(value, place);
}

void set_parameter(Data& data, const std::string& key, const std::string& value, const Place& place) {
  const int k = find(model::parameters, model::np, key);
  if (k < 0 || k == model::time_parameter) place.fail("there is no parameter `" + key + "`; there are " + listed(model::parameters, model::np));
  data.p[static_cast<std::size_t>(k)] = constant(value, place);
}

void set_force(Data& data, const std::string& key, const std::string& value, const Place& place) {
  if (key == "table") {
    use_table(data, value, place);
  } else if (key == "between") {
    if (value != "line" && value != "held") place.fail("`between` is line or held, not " + value);
    data.held = value == "held";
  } else {
    const int k = find(model::velocities, model::nv, key);
    if (k < 0) place.fail("there is no joint `" + key + "`; there are " + listed(model::velocities, model::nv) + ", and table, between");
    data.forces.emplace_back(k, Formula(value, place, true));
  }
}

Data read_data(const std::string& file) {
  Data data;
  std::string section;
  std::set<std::string> given;
  int number = 0;
  for (std::string line : lines_of(file)) {
    const Place place{file, ++number};
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    if (line[0] == '[') {
      section = line;
      if (section != "[parameters]" && section != "[start]" && section != "[forces]" && section != "[run]") {
        place.fail("there is no section " + section + "; there are [parameters], [start], [forces], [run]");
      }
      continue;
    }
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos) place.fail("`" + line + "` is not of the form name = value");
    const std::string key = trimmed(line.substr(0, equals)), value = trimmed(line.substr(equals + 1));
    if (value.empty()) place.fail("`" + key + "` has no value");
    if (!given.insert(section + key).second) place.fail("`" + key + "` is given twice");
    if (section == "[parameters]") set_parameter(data, key, value, place);
    else if (section == "[start]") set_start(data, key, value, place);
    else if (section == "[forces]") set_force(data, key, value, place);
    else if (section == "[run]") set_run(data, key, value, place);
    else place.fail("`" + key + "` stands before the first section");
  }
  for (int k = 0; k < model::quaternion_count; ++k) {
    double* q = data.q.data() + model::quaternions[k];
    const double size = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(std::fabs(size - 1.0) < 1e-6)) {
      throw Trouble(3, file + ": the quaternion of " + model::coordinates[model::quaternions[k]] + " has the length " + text_of(size) + ", not 1");
    }
  }
  return data;
}
