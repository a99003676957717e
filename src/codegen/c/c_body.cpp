#include "c_body.hpp"

#include <algorithm>

namespace lw {

std::size_t CWriter::Body::size_of(ValueId value) const {
  if (value >= graph.size()) return stages[value - graph.size()].size;
  if (const auto a = array_of.find(value); a != array_of.end()) return a->second;
  const Node& n = graph[static_cast<NodeId>(value)];
  if (n.op == Op::call) return graph.calls()[n.a].function->output_size();
  if (n.op == Op::solve) return graph.solves()[n.a].outputs();
  return 1;
}

std::string CWriter::Body::name_of(ValueId value) const {
  return value >= graph.size() ? stages[value - graph.size()].array : *statements.variable(static_cast<NodeId>(value));
}

// static void NAME_part1(const double *restrict q, double *restrict passed, double *restrict tau), or a call of it
std::string CWriter::Body::part_signature(std::size_t part, bool call) const {
  std::set<std::size_t> inputs, outputs;
  const auto read_input = [&](NodeId id) {
    if (graph[id].op == Op::input) inputs.insert(place(function.inputs(), graph[id].a).group);
  };
  for (const Item& item : items) {
    if (item.part != part) continue;
    if (item.statement == nullptr) {
      for (const NodeId angle : arguments_of(stages[item.stage])) {
        if (statements.variable(angle) != nullptr) continue;
        read_input(angle);
        for (const NodeId id : statements.reads(angle)) {
          if (statements.variable(id) == nullptr) read_input(id);
        }
      }
      continue;
    }
    const Statement& s = *item.statement;
    for (const std::size_t r : s.results) outputs.insert(place(function.outputs(), r).group);
    if (is_from_kernel(graph[s.node])) continue;
    read_input(s.node);
    for (const NodeId node : item.together != nullptr ? item.together->calls : std::vector<NodeId>{s.node}) {
      for (const NodeId id : statements.reads(node)) {
        if (statements.variable(id) == nullptr) read_input(id);
      }
    }
  }
  const std::string restricted = writer.dialect_.cpp ? " *__restrict " : " *restrict ";
  std::vector<std::string> arguments;
  for (const std::size_t g : inputs) {
    arguments.push_back((call ? "" : "const " + real + restricted) + statements.input_names()[g]);
  }
  arguments.push_back((call ? "" : real + restricted) + passed);
  for (const std::size_t g : outputs)
    arguments.push_back((call ? "" : real + restricted) + statements.output_names()[g]);
  return fmt::format("{}{}_part{}({})", call ? "" : "LW_PART static void ", name, part + 1, fmt::join(arguments, ", "));
}

void CWriter::Body::write_parts(std::string& out) {
  if (items.empty()) return;  // a share without work
  for (std::size_t part = 0; part < parts; ++part) {
    add_line(out, part_signature(part, false) + " {", 0);
    if (share != nullptr) add_line(out, fmt::format("(void){};", passed), 2);  // not every segment uses it
    write_items(out, part);
    out += "}\n\n";
  }
}

// Declares arguments that are not statements.
void CWriter::Body::write_unused(std::string& out) {
  std::vector<bool> read(function.inputs().size(), false);
  for (const NodeId id : function.order()) {
    if (graph[id].op == Op::input) read[place(function.inputs(), graph[id].a).group] = true;
  }
  for (std::size_t g = 0; g < read.size(); ++g) {
    if (!read[g]) add_line(out, fmt::format("(void){};", statements.input_names()[g]), 2);
  }
  for (std::size_t g = 0; g < function.outputs().size(); ++g) {
    if (function.outputs()[g].size == 0) add_line(out, fmt::format("(void){};", statements.output_names()[g]), 2);
  }
}

std::string CWriter::Body::write(const std::string& signature) {
  std::string out;
  if (parts > 1) write_parts(out);
  add_line(out, signature + " {", 0);
  write_unused(out);
  if (parts > 1) {
    add_line(out,
             fmt::format("{} {}[{}]{}{};", real, passed, std::max<std::size_t>(slot_count, 1),
                         array_of.empty() ? "" : " ", array_of.empty() ? "" : kAligned),
             2);
    for (std::size_t part = 0; part < parts; ++part) add_line(out, part_signature(part, true) + ";", 2);
  } else {
    write_items(out, 0);
  }
  out += "}\n";
  return out;
}

// A function per segment, and one that waits, computes and publishes, segment by segment. Values that segments pass to
// each other are in shared->passedK, private to processor K.
std::string CWriter::Body::write_share(int processor, const std::string& shared) {
  std::string out;
  write_parts(out);
  std::vector<std::string> arguments{shared + " *shared"}, names{"shared"};
  const std::size_t own_in = function.inputs().size() - 2, own_out = function.outputs().size() - 1;
  for (std::size_t g = 0; g < own_in; ++g) {
    arguments.push_back(fmt::format("const {} *{}", real, statements.input_names()[g]));
    names.push_back(statements.input_names()[g]);
  }
  for (std::size_t g = 0; g < own_out; ++g) {
    arguments.push_back(fmt::format("{} *{}", real, statements.output_names()[g]));
    names.push_back(statements.output_names()[g]);
  }
  std::string driver;
  add_line(driver, fmt::format("static int {}({}, unsigned long long base) {{", name, fmt::join(arguments, ", ")), 0);
  std::size_t part = 0;
  for (std::size_t s = 0; s < share->segments.size(); ++s) {
    const std::string own = fmt::format("{}_segment{}", name, s + 1);
    add_line(out, fmt::format("static inline void {}({}) {{", own, fmt::join(arguments, ", ")), 0);
    add_line(out, fmt::format("const {} *const {} = shared->exchange;", real, statements.input_names()[own_in]), 2);
    add_line(out, fmt::format("{} *const {} = shared->exchange;", real, statements.output_names()[own_out]), 2);
    add_line(out, fmt::format("{} *const {} = shared->passed{};", real, passed, processor), 2);
    for (std::size_t k = 1; k < names.size(); ++k) add_line(out, fmt::format("(void){};", names[k]), 2);
    for (const std::string& n : {statements.input_names()[own_in], statements.output_names()[own_out], passed}) {
      add_line(out, fmt::format("(void){};", n), 2);
    }
    for (; part < parts; ++part) {
      const auto first = std::find_if(items.begin(), items.end(), [&](const Item& i) { return i.part == part; });
      if (first == items.end()) continue;
      if (first->segment > static_cast<int>(s)) break;
      add_line(out, part_signature(part, true) + ";", 2);
    }
    out += "}\n\n";
    const auto fetch = [&](const char* what, std::size_t first, std::size_t end) {
      if (first < end) add_line(driver, fmt::format("{}(shared->exchange + {}, {});", what, first, end - first), 2);
    };
    // lines of cache on their way before they are needed, all at once: of what is written here, and of what others
    // wrote
    fetch("lw_fetch_to_write", share->segments[s].first, share->segments[s].end);
    for (const Segment::Wait& w : share->segments[s].waits) {
      add_line(driver,
               fmt::format("if (lw_wait(&shared->processor[{}].done, base + {}, shared->patience)) return {};",
                           w.processor, w.segment + 1, w.processor + 1),
               2);
      fetch("lw_fetch", w.first, w.end);
    }
    add_line(driver, fmt::format("{}({});", own, fmt::join(names, ", ")), 2);
    if (share->segments[s].is_needed)
      add_line(driver, fmt::format("lw_post(&shared->processor[{}].done, base + {});", processor, s + 1), 2);
  }
  return out + driver + "  (void)base;\n  return 0;\n}\n";
}

}  // namespace lw
