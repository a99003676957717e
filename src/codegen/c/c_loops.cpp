#include <algorithm>

#include <fmt/format.h>

#include "c_writer.hpp"

namespace lw {

// A function that is mostly calls: values live in one array, and consecutive calls become a loop. Calls of one function
// find their arguments there by arithmetic, or by a table if there is no rule; calls of several functions by tables.
class CWriter::Loops {
 public:
  Loops(CWriter& writer, const Function& function, const std::string& name)
      : writer_(writer),
        function_(function),
        graph_(function.graph()),
        name_(name),
        real_(writer.dialect_.real()),
        kernel_(function.arithmetic().trigonometry == Arithmetic::Trigonometry::own),
        statements_(function, language()) {}

  // Tables first, then the function.
  std::string write() {
    for (const NodeId id : function_.order()) {
      if (graph_[id].op == Op::call) place_[id] = claim(graph_.calls()[graph_[id].a].function->output_size());
    }
    for (const Statement& s : statements_.list()) {
      if (!s.name.empty()) call_named_[s.name] = s.node;
    }
    std::string results;
    for (const Statement& s : statements_.list()) {
      const Op op = graph_[s.node].op;
      if (op == Op::call) {
        add_to_run(s.node);
        continue;
      }
      if (s.name.empty() &&
          (op == Op::output || op == Op::input || op == Op::constant)) {  // of everything known at the end
        for (const std::size_t r : s.results)
          add_line(results, fmt::format("{} = {};", statements_.result(r), statements_.text(s.node)), 2);
        continue;
      }
      write_run();
      if (s.name.empty()) {
        for (const std::size_t r : s.results)
          add_line(body_, fmt::format("{} = {};", statements_.result(r), statements_.text(s.node)), 2);
        continue;
      }
      const std::string value = kernel_ && is_sine(graph_[s.node])                    ? sine(s.node)
                                : kernel_ && is_arc(graph_[s.node], writer_.dialect_) ? arc(s.node)
                                                                                      : statements_.text(s.node);
      add_line(body_, fmt::format("const {} {} = {};", real_, s.name, value), 2);
      for (const std::size_t r : s.results) add_line(body_, fmt::format("{} = {};", statements_.result(r), s.name), 2);
    }
    write_run();
    std::string out = tables_ + "\n";
    add_line(out, c_signature(statements_, name_, writer_.dialect_, true) + " {", 0);
    add_line(out, fmt::format("{} values[{}];", real_, std::max<std::size_t>(size_, 1)), 2);
    for (const auto& [id, place] : place_) {
      const Op op = graph_[id].op;
      if (op == Op::input || op == Op::constant)
        add_line(out, fmt::format("values[{}] = {};", place, statements_.use(id)), 2);
    }
    return out + body_ + results + "}\n";
  }
  const Statements& names() const { return statements_; }

 private:
  Language language() {
    Language c = c_language(writer_.dialect_, kernel_, writer_.needs, writer_.symbols_, 1);
    c.reserved.insert("values");
    c.element = [this](const std::string& array, std::size_t index) {
      const auto call = call_named_.find(array);
      return call == call_named_.end() ? fmt::format("{}[{}]", array, index)
                                       : fmt::format("values[{}]", place_.at(call->second) + index);
    };
    return c;
  }

  // An angle of only one link, by its own kernel call.
  std::string sine(NodeId id) {
    const NodeId angle = graph_[id].a;
    if (!sines_.contains(angle)) {
      const bool fused = function_.arithmetic().fused;
      const std::string array = sines_[angle] = statements_.fresh("sin_cos");
      add_line(body_, fmt::format("{} {}[2];", real_, array), 2);
      add_line(body_, fmt::format("lw_{}sincos1({}, {});", fused ? "fused_" : "", array, statements_.use(angle)), 2);
      writer_.needs.sincos[fused].insert(1);
    }
    return fmt::format("{}[{}]", sines_[angle], graph_[id].op == Op::cos ? 1 : 0);
  }

  std::string arc(NodeId id) {
    const Node& n = graph_[id];
    const bool fused = function_.arithmetic().fused;
    const std::string array = statements_.fresh("arcs");
    add_line(body_, fmt::format("{} {}[1];", real_, array), 2);
    add_line(body_,
             fmt::format("lw_{}arcs1({}, {}, {});", fused ? "fused_" : "", array, statements_.use(n.a),
                         n.op == Op::atan ? "1.0" : statements_.use(n.b)),
             2);
    writer_.needs.arcs[fused].insert(1);
    return array + "[0]";
  }

  std::size_t claim(std::size_t count) {
    size_ += count;
    return size_ - count;
  }

  const Function& called(NodeId call) const { return *graph_.calls()[graph_[call].a].function; }
  static std::size_t variables(const Function& f) { return f.inputs().empty() ? 0 : f.inputs()[0].size; }

  void add_to_run(NodeId call) {
    for (const NodeId a : graph_.calls()[graph_[call].a].arguments) {
      const Op op = graph_[a].op;
      if (op == Op::output || place_.contains(a)) continue;
      if (op != Op::input && op != Op::constant) {  // computed here, before the call and after its own operands
        write_run();
        place_[a] = claim(1);
        add_line(body_, fmt::format("values[{}] = {};", place_[a], statements_.use(a)), 2);
      } else if (op == Op::input) {
        place_[a] = claim(1);
      }
    }
    run_.push_back(call);
  }

  long place_of(NodeId id) {
    if (graph_[id].op == Op::output) return static_cast<long>(place_.at(graph_[id].a) + graph_[id].b);
    if (!place_.contains(id)) place_[id] = claim(1);  // a number where other calls have a variable
    return static_cast<long>(place_.at(id));
  }

  const std::vector<NodeId>& arguments(NodeId call) const { return graph_.calls()[graph_[call].a].arguments; }

  void write_run() {
    if (run_.empty()) return;
    const std::vector<NodeId> run = std::exchange(run_, {});
    const std::string label = fmt::format("{}_run{}", name_, ++runs_);
    std::vector<const Function*> functions;  // the functions that occur
    for (const NodeId call : run) {
      if (std::find(functions.begin(), functions.end(), &called(call)) == functions.end())
        functions.push_back(&called(call));
    }
    if (functions.size() == 1)
      write_loop(run, label);
    else
      write_loop_over(functions, run, label);
  }

  template <class Number>
  void write_table(const char* type, const std::string& name, const std::vector<std::vector<Number>>& rows) {
    tables_ += fmt::format("\nstatic const {} {}[{}][{}] = {{\n", type, name, rows.size(), rows[0].size());
    for (const auto& row : rows) add_line(tables_, fmt::format("{{{}}},", fmt::join(row, ", ")), 4);
    tables_ += "};\n";
  }

  std::vector<std::string> numbers_of(NodeId call) const {
    std::vector<std::string> row;
    for (std::size_t k = variables(called(call)); k < called(call).input_size(); ++k)
      row.push_back(statements_.use(arguments(call)[k]));
    return row;
  }

  // Calls of one function: the i-th one reads an argument from values[first + step * i], or by a table.
  void write_loop(const std::vector<NodeId>& run, const std::string& label) {
    const Function& f = called(run[0]);
    const auto by_rule = [&](const std::vector<long>& places) -> std::string {
      const long step = places.size() > 1 ? places[1] - places[0] : 0;
      for (std::size_t i = 1; i < places.size(); ++i) {
        if (places[i] - places[i - 1] != step) return "";
      }
      return step == 0 ? fmt::format("{}", places[0])
                       : fmt::format("{} {} {} * i", places[0], step < 0 ? "-" : "+", std::abs(step));
    };
    std::vector<std::vector<long>> odd(run.size());
    const auto found = [&](const std::function<long(NodeId)>& place) {
      std::vector<long> places;
      for (const NodeId call : run) places.push_back(place(call));
      const std::string rule = by_rule(places);
      if (!rule.empty()) return rule;
      for (std::size_t i = 0; i < run.size(); ++i) odd[i].push_back(places[i]);
      return fmt::format("{}_from[i][{}]", label, odd[0].size() - 1);
    };
    std::vector<std::string> loads;
    for (std::size_t k = 0; k < variables(f); ++k) {
      loads.push_back(fmt::format("values[{}]", found([&](NodeId call) { return place_of(arguments(call)[k]); })));
    }
    const std::string to = found([&](NodeId call) { return static_cast<long>(place_.at(call)); });
    if (!odd[0].empty()) write_table("int", label + "_from", odd);
    add_line(body_, fmt::format("for (int i = 0; i < {}; ++i) {{", run.size()), 2);
    if (!loads.empty())
      add_line(body_, fmt::format("const {} in[{}] = {{{}}};", real_, loads.size(), fmt::join(loads, ", ")), 4);
    std::string numbers;
    if (variables(f) < f.input_size()) {
      std::vector<std::vector<std::string>> rows;
      for (const NodeId call : run) rows.push_back(numbers_of(call));
      write_table(real_.c_str(), label + "_k", rows);
      numbers = label + "_k[i]";
    }
    add_line(body_, call_text(f, loads.empty() ? "values" : "in", numbers, fmt::format("values + ({})", to)), 4);
    body_ += "  }\n";
  }

  std::string call_text(const Function& f, const std::string& in, const std::string& numbers,
                        const std::string& out) const {
    std::vector<std::string> passed;
    if (!f.inputs().empty()) passed.push_back(in);
    if (f.inputs().size() > 1) passed.push_back(numbers);
    passed.push_back(out);
    return fmt::format("{}({});", writer_.nested_.at({&f, 1}), fmt::join(passed, ", "));
  }

  // Consecutive calls of several functions: tables of function, destination and sources.
  void write_loop_over(const std::vector<const Function*>& functions, const std::vector<NodeId>& run,
                       const std::string& label) {
    std::size_t widest = 0, most = 0;
    for (const Function* f : functions) {
      widest = std::max(widest, variables(*f));
      most = std::max(most, f->input_size() - variables(*f));
    }
    std::vector<std::vector<long>> from;
    std::vector<std::vector<std::string>> numbers;
    for (const NodeId call : run) {
      const auto which = std::find(functions.begin(), functions.end(), &called(call)) - functions.begin();
      std::vector<long>& row =
          from.emplace_back(std::vector<long>{static_cast<long>(which), static_cast<long>(place_.at(call))});
      for (std::size_t k = 0; k < variables(called(call)); ++k) row.push_back(place_of(arguments(call)[k]));
      row.resize(widest + 2, 0);
      numbers.push_back(numbers_of(call));
      numbers.back().resize(most, "0");
    }
    write_table("int", label + "_from", from);
    if (most > 0) write_table(real_.c_str(), label + "_k", numbers);
    add_line(body_, fmt::format("for (int i = 0; i < {}; ++i) {{", run.size()), 2);
    add_line(body_, fmt::format("const int *const from = {}_from[i];", label), 4);
    add_line(body_, fmt::format("{} in[{}];", real_, std::max<std::size_t>(widest, 1)), 4);
    add_line(body_, "switch (from[0]) {", 4);
    for (std::size_t k = 0; k < functions.size(); ++k) {
      const Function& f = *functions[k];
      add_line(body_, k + 1 < functions.size() ? fmt::format("case {}:", k) : "default:", 6);
      add_line(body_, fmt::format("for (int k = 0; k < {}; ++k) in[k] = values[from[k + 2]];", variables(f)), 8);
      add_line(body_, call_text(f, "in", label + "_k[i]", "values + from[1]"), 8);
      add_line(body_, "break;", 8);
    }
    body_ += "    }\n  }\n";
  }

  CWriter& writer_;
  const Function& function_;
  const Graph& graph_;
  const std::string& name_;
  std::string real_;
  bool kernel_;
  std::map<NodeId, std::string> sines_;
  std::map<std::string, NodeId> call_named_;
  std::map<NodeId, std::size_t> place_;  // place in the array of values: of a call's first output, of inputs and others
  std::size_t size_ = 0;
  std::vector<NodeId> run_;  // calls of one function, not yet written
  int runs_ = 0;
  std::string tables_, body_;
  Statements statements_;
};

std::string CWriter::loops(const Function& function, const std::string& name) {
  return Loops(*this, function, name).write();
}

}  // namespace lw
