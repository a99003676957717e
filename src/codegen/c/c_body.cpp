#include <algorithm>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "c_writer.hpp"
#include "emit_divided.hpp"

namespace lw {
namespace {

constexpr const char* kLaneByLane = R"(  for (int lane = 0; lane < @lanes; ++lane) {
    REAL one_in[@ins], one_out[@outs];
    for (int k = 0; k < @ins; ++k) one_in[k] = @in[k][lane];
    @newton(one_in, one_out);
    for (int k = 0; k < @outs; ++k) @out[k][lane] = one_out[k];
  }
)";

}  // namespace

// One function while it is written: its statements and calls of the kernel in an order, cut into parts.
struct CWriter::Body {
  // A value has a variable or, where it has several elements, an array: nodes first, then the kernel's calls.
  using ValueId = std::size_t;
  struct Item {
    const Statement* statement = nullptr;  // or
    std::size_t stage = 0;                 // a call of the kernel
    std::vector<ValueId> reads;
    int operations = 0;
    std::size_t part = 0;
    int segment = 0;                          // of a share
    const CallsTogether* together = nullptr;  // the statement is the first of these
  };
  // Angles from `first` on, as many as a vector has lanes; sines from `at` on in the stage's array, then cosines. Or
  // points, and from `at` on their angles.
  struct Piece {
    std::size_t first, width, at;
  };
  struct Stage {  // a call of a kernel for each piece
    bool arcs = false;
    std::vector<NodeId> angles;  // of sines; or what is the angle of a point
    std::vector<Piece> pieces;
    std::size_t size = 0;
    std::string array;
    int segment = 0;
  };

  Body(CWriter& owner, const Function& f, bool with_kernel, const std::string& function_name, int over_lanes,
       const std::vector<CallsTogether>& groups, const Share* of_processor = nullptr)
      : writer(owner),
        function(f),
        graph(f.graph()),
        kernel(with_kernel),
        lanes(over_lanes),
        share(of_processor),
        statements(f, language(with_kernel)),
        name(function_name),
        real(c_value(owner.dialect_, over_lanes)) {
    if (kernel) find_stages();
    put_in_order();
    for (const CallsTogether& g : groups) put_together(g);
    if (!groups.empty()) put_in_order_again();
    if (share != nullptr) put_into_segments();
    cut();
  }

  Language language(bool with_kernel) {
    Language c = c_language(writer.dialect_, with_kernel, writer.needs, writer.symbols_, lanes);
    c.element = [this](const std::string& array, std::size_t index) {
      const auto lane = lane_of.find(array);
      if (lane == lane_of.end()) return fmt::format("{}[{}]", array, index);
      return fmt::format("{}[{}]", lane->second.array, index * lane->second.lanes + lane->second.lane);
    };
    return c;
  }
  void put_together(const CallsTogether& group);
  void put_in_order_again();
  void write_together(std::string& out, const Item& item, bool crosses);

  void find_stages();
  bool is_from_kernel(const Node& n) const { return kernel && (is_sine(n) || is_arc(n, writer.dialect_)); }
  std::string from_kernel(NodeId id) const;
  std::vector<NodeId> arguments_of(const Stage& stage) const;
  std::string value_of(NodeId id) const;
  void write_sines(std::string& out, const Stage& stage);
  void write_arcs(std::string& out, const Stage& stage);
  void put_in_order();
  void put_into_segments();
  void cut();
  Item item_of(const Statement& s) const;
  std::size_t size_of(ValueId value) const;
  std::string name_of(ValueId value) const;
  ValueId stage_value(std::size_t stage) const { return graph.size() + stage; }

  std::string write(const std::string& signature);
  std::string write_share(int processor, const std::string& shared);
  void write_parts(std::string& out);
  void write_unused(std::string& out);
  std::string part_signature(std::size_t part, bool call) const;
  void write_items(std::string& out, std::size_t part);
  std::string link_of(const Item& item) const;
  bool begins_section(std::size_t at, const std::string& link) const;
  bool only_chooses(NodeId comparison) const;
  void write_item(std::string& out, const Item& item, bool crosses);
  void write_nested(std::string& out, const Item& item, bool crosses);
  std::string array(const std::string& called, std::size_t size, bool crosses, ValueId value) const;

  CWriter& writer;
  const Function& function;
  const Graph& graph;
  bool kernel;
  int lanes;
  const Share* share;
  struct Lane {
    std::string array;  // of numbers, a vector for each output
    std::size_t lane, lanes;
  };
  std::map<std::string, Lane> lane_of;      // of a call in a group, by its name
  std::map<ValueId, std::size_t> array_of;  // of the first call in a group: how many numbers
  Statements statements;
  const std::string& name;
  std::string real;  // the type of a value
  std::vector<Stage> stages;
  using Place = std::pair<std::size_t, std::size_t>;  // stage, where in there
  std::map<NodeId, Place> stage_of, arc_of;           // by angle; by node
  std::vector<Item> items;
  std::size_t parts = 1;
  std::map<ValueId, std::size_t> slots;  // of values that one part passes to another
  std::size_t slot_count = 0;
  std::string passed;  // what the array of those is called
};

// Angles and points by the number of calls of kernels that must come before they are known; of these sines first. In a
// share those that are known before others are waited for do not wait with the rest.
void CWriter::Body::find_stages() {
  std::vector<std::size_t> level(graph.size(), 0);
  using Key = std::tuple<std::size_t, bool, int>;  // level, arcs, segment
  std::map<Key, Stage> found;
  std::map<NodeId, std::pair<Key, std::size_t>> sines, points;
  for (const NodeId id : function.order()) {
    for_each_operand(graph, id, [&](NodeId operand) { level[id] = std::max(level[id], level[operand]); });
    const Node& n = graph[id];
    if (!is_from_kernel(n)) continue;
    const bool arc = !is_sine(n);
    const NodeId what = arc ? id : n.a;
    const Key key{level[id]++, arc, share != nullptr ? share->segment_of[id] : 0};
    auto& places = arc ? points : sines;
    if (places.contains(what)) continue;
    Stage& stage = found[key];
    stage.arcs = arc;
    stage.segment = std::get<int>(key);
    places.emplace(what, std::pair(key, stage.angles.size()));
    stage.angles.push_back(what);
  }
  std::map<Key, std::size_t> number;
  for (auto& [key, stage] : found) {
    number.emplace(key, stages.size());
    stages.push_back(std::move(stage));
  }
  for (const auto& [angle, place] : sines) stage_of[angle] = {number.at(place.first), place.second};
  for (const auto& [node, place] : points) arc_of[node] = {number.at(place.first), place.second};
  // Vectors of 32 bytes and no longer: while those of 64 are under way, scalars have one port of two (Intel).
  const std::size_t longest = writer.dialect_.single_precision ? 8 : 4;
  for (Stage& s : stages) {
    s.array = statements.fresh(s.arcs ? "arcs" : "sin_cos");
    for (std::size_t first = 0; first < s.angles.size();) {
      const std::size_t rest = s.angles.size() - first;
      const std::size_t width = lanes != 1 ? rest : rest > 4 ? longest : rest > 2 ? 4 : rest;
      s.pieces.push_back({first, width, s.size});
      s.size += s.arcs ? width : 2 * width;
      first += width;
    }
  }
}

// What a kernel has to know.
std::vector<NodeId> CWriter::Body::arguments_of(const Stage& stage) const {
  if (!stage.arcs) return stage.angles;
  std::vector<NodeId> arguments;
  for (const NodeId id : stage.angles)
    for_each_operand(graph, id, [&](NodeId operand) { arguments.push_back(operand); });
  return arguments;
}

// sin_cos[3]: where a piece of a kernel's work has the sine or cosine of an angle, or the angle of a point.
std::string CWriter::Body::from_kernel(NodeId id) const {
  const auto [stage, k] = is_sine(graph[id]) ? stage_of.at(graph[id].a) : arc_of.at(id);
  const Stage& s = stages[stage];
  const Piece& p =
      *std::find_if(s.pieces.begin(), s.pieces.end(), [k = k](const Piece& q) { return k < q.first + q.width; });
  return fmt::format("{}[{}]", s.array, p.at + (k - p.first) + (graph[id].op == Op::cos ? p.width : 0));
}

CWriter::Body::Item CWriter::Body::item_of(const Statement& s) const {
  Item item;
  item.statement = &s;
  const Node& n = graph[s.node];
  if (is_from_kernel(n)) {
    item.reads = {stage_value(is_sine(n) ? stage_of.at(n.a).first : arc_of.at(s.node).first)};
    return item;
  }
  if (n.op == Op::input || n.op == Op::constant) return item;
  std::vector<NodeId> open{s.node};
  while (!open.empty()) {
    const NodeId now = open.back();
    open.pop_back();
    const Op op = graph[now].op;
    if (op != Op::constant && op != Op::input && op != Op::neg && op != Op::output) ++item.operations;
    for_each_operand(graph, now, [&](NodeId operand) {
      if (statements.variable(operand) == nullptr) open.push_back(operand);
    });
  }
  for (const NodeId id : statements.reads(s.node)) {
    if (statements.variable(id) != nullptr) item.reads.push_back(id);
  }
  return item;
}

// The function's order, but for each call of a kernel what its angles need comes first. Angles of points that no sine
// waits for come last of all: mostly they are results, and nothing that is wanted sooner should stand behind a
// division.
void CWriter::Body::put_in_order() {
  std::vector<Item> all;
  std::map<ValueId, std::size_t> definition;  // value -> index in all
  for (const Statement& s : statements.list()) {
    all.push_back(item_of(s));
    if (!s.name.empty()) definition[s.node] = all.size() - 1;
  }
  std::vector<bool> done(all.size(), false);
  for (std::size_t k = 0; k < stages.size(); ++k) {
    Item call;
    call.stage = k;
    std::vector<bool> needed(all.size(), false);
    const auto need = [&](ValueId value) {
      if (const auto d = definition.find(value); d != definition.end()) needed[d->second] = true;
    };
    call.operations = static_cast<int>(60 * (lanes == 1 ? stages[k].pieces.size() : stages[k].angles.size()));
    for (const NodeId angle : arguments_of(stages[k])) {
      if (statements.variable(angle) != nullptr) {
        call.reads.push_back(angle);
      } else {
        for (const NodeId id : statements.reads(angle)) {
          if (statements.variable(id) != nullptr) call.reads.push_back(id);
        }
      }
    }
    std::sort(call.reads.begin(), call.reads.end());
    call.reads.erase(std::unique(call.reads.begin(), call.reads.end()), call.reads.end());
    for (const ValueId value : call.reads) need(value);
    const bool late = std::all_of(stages.begin() + static_cast<std::ptrdiff_t>(k), stages.end(),
                                  [](const Stage& s) { return s.arcs; });
    if (late) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        needed[i] = std::all_of(all[i].reads.begin(), all[i].reads.end(), [&](ValueId value) {
          const auto d = definition.find(value);
          return value >= graph.size() ? value < stage_value(k) : d == definition.end() || needed[d->second];
        });
      }
    }
    for (std::size_t i = all.size(); i-- > 0;) {
      if (needed[i])
        for (const ValueId value : all[i].reads) need(value);
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!needed[i] || done[i]) continue;
      items.push_back(all[i]);
      done[i] = true;
    }
    items.push_back(std::move(call));
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!done[i]) items.push_back(std::move(all[i]));
  }
}

// One item for all calls of a group, where the first of them is.
void CWriter::Body::put_together(const CallsTogether& group) {
  Item* first = nullptr;
  for (std::size_t lane = 0; lane < group.calls.size(); ++lane) {
    const auto item = std::find_if(items.begin(), items.end(), [&](const Item& i) {
      return i.statement != nullptr && i.statement->node == group.calls[lane];
    });
    lane_of[item->statement->name] = {first == nullptr ? item->statement->name : first->statement->name, lane,
                                      static_cast<std::size_t>(group.lanes)};
    if (first == nullptr) {
      first = &*item;
      first->together = &group;
      continue;
    }
    first->reads.insert(first->reads.end(), item->reads.begin(), item->reads.end());
    first->operations += item->operations;
    item->operations = -1;  // to be taken out
  }
  std::erase_if(items, [](const Item& i) { return i.operations < 0; });
  // who reads one of them reads the array of all
  array_of[group.calls[0]] =
      graph.calls()[graph[group.calls[0]].a].function->output_size() * static_cast<std::size_t>(group.lanes);
  for (Item& item : items) {
    for (ValueId& value : item.reads) {
      if (std::find(group.calls.begin(), group.calls.end(), value) != group.calls.end()) value = group.calls[0];
    }
    std::sort(item.reads.begin(), item.reads.end());
    item.reads.erase(std::unique(item.reads.begin(), item.reads.end()), item.reads.end());
  }
}

// Everything behind what it reads, else as it was.
void CWriter::Body::put_in_order_again() {
  std::vector<bool> known(graph.size() + stages.size(), true);
  const auto gives = [&](const Item& item, bool is_known) {
    if (item.statement == nullptr)
      known[stage_value(item.stage)] = is_known;
    else
      known[item.statement->node] = is_known;
  };
  for (const Item& item : items) gives(item, false);
  std::vector<Item> waiting = std::move(items);
  items.clear();
  while (!waiting.empty()) {
    std::vector<Item> later;
    for (Item& item : waiting) {
      if (std::all_of(item.reads.begin(), item.reads.end(), [&](ValueId v) { return known[v]; })) {
        gives(item, true);
        items.push_back(std::move(item));
      } else {
        later.push_back(std::move(item));
      }
    }
    require(later.size() < waiting.size(), "calls that run together do not wait for each other");
    waiting = std::move(later);
  }
}

void CWriter::Body::write_together(std::string& out, const Item& item, bool crosses) {
  const CallsTogether& group = *item.together;
  const Function& called = *graph.calls()[graph[group.calls[0]].a].function;
  const std::string value = c_value(writer.dialect_, group.lanes), array = item.statement->name;
  std::vector<std::string> rows;
  for (std::size_t k = 0; k < called.input_size(); ++k) {
    std::vector<std::string> row;
    for (const NodeId call : group.calls) row.push_back(statements.use(graph.calls()[graph[call].a].arguments[k]));
    while (row.size() < static_cast<std::size_t>(group.lanes)) row.push_back(row.back());
    const bool same = std::all_of(row.begin(), row.end(), [&](const std::string& x) { return x == row[0]; });
    rows.push_back(same ? fmt::format("{}_all({})", value, row[0]) : fmt::format("{{{}}}", fmt::join(row, ", ")));
  }
  const std::string in = statements.fresh(array + "_in");
  out += fmt::format("  const {} {}[{}] = {{\n", value, in, rows.size());
  for (const std::string& row : rows) add_line(out, row + ",", 6);
  out += "  };\n";
  // vectors for the function, numbers for all others: compilers let the ones be seen as the others
  add_line(out,
           crosses ? this->array(array, size_of(item.statement->node), true, item.statement->node)
                   : fmt::format("{} {}[{}] {};", real, array, size_of(item.statement->node), kAligned),
           2);
  add_line(out,
           fmt::format("{}({}, {});", writer.nested_.at({&called, group.lanes}), pieces(called.inputs(), in),
                       pieces(called.outputs(), fmt::format("({} *){}", value, array))),
           2);
}

// By segments; what is elsewhere is not written at all.
void CWriter::Body::put_into_segments() {
  const NodeId elsewhere = share->elsewhere();
  std::erase_if(items,
                [&](const Item& item) { return item.statement != nullptr && item.statement->node == elsewhere; });
  for (Item& item : items)
    item.segment = item.statement == nullptr ? stages[item.stage].segment : share->segment_of[item.statement->node];
  std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.segment < b.segment; });
}

void CWriter::Body::cut() {
  int total = 0;
  for (const Item& item : items) total += item.operations;
  const int longest = writer.dialect_.longest_function;
  if (total <= longest && share == nullptr) return;
  const int wanted = std::max(1, (total + longest - 1) / longest), length = total / wanted + 1;
  int so_far = 0, at_cut = 0, segment = items.empty() ? 0 : items.front().segment;
  std::map<ValueId, std::size_t> home;
  for (Item& item : items) {
    if (so_far / length > at_cut / length || item.segment != segment) {
      ++parts;  // and no more than one, however long the last item was
      at_cut = so_far;
      segment = item.segment;
    }
    item.part = parts - 1;
    so_far += item.operations;
    for (const ValueId value : item.reads) {
      if (home.at(value) == item.part || slots.contains(value)) continue;
      if (array_of.contains(value)) slot_count = (slot_count + 7) / 8 * 8;
      slots[value] = slot_count;
      slot_count += size_of(value);
    }
    if (item.statement == nullptr)
      home[stage_value(item.stage)] = item.part;
    else if (!item.statement->name.empty())
      home[item.statement->node] = item.part;
  }
  passed = statements.fresh("passed");
}

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
    if (share != nullptr) add_line(out, fmt::format("(void){};", passed), 2);  // not every segment passes on
    write_items(out, part);
    out += "}\n\n";
  }
}

// Arguments that no statement has.
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

// A function for each segment, and one that waits, computes and says so, segment by segment. What segments pass to each
// other is in shared->passedK, which is the processor's own.
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

// The link that a value belongs to by its name (omega2_x: 2), or nothing.
std::string CWriter::Body::link_of(const Item& item) const {
  const std::string* given = item.statement == nullptr ? nullptr : graph.name_of(item.statement->node);
  const std::size_t first = given == nullptr ? std::string::npos : given->find_first_of("0123456789_");
  if (first == std::string::npos || (*given)[first] == '_') return {};
  return given->substr(first, given->find_first_not_of("0123456789", first) - first);
}

// Whether three named values in a row, from here on, are of one link: worth a heading.
bool CWriter::Body::begins_section(std::size_t at, const std::string& link) const {
  int found = 0;
  for (; at < items.size() && found < 3; ++at) {
    const std::string other = link_of(items[at]);
    if (other == link)
      ++found;
    else if (!other.empty())
      return false;
  }
  return found == 3;
}

void CWriter::Body::write_items(std::string& out, std::size_t part) {
  std::set<ValueId> here;
  std::string section;
  for (std::size_t at = 0; at < items.size(); ++at) {
    const Item& item = items[at];
    if (item.part != part) continue;
    if (const std::string link = link_of(item); !link.empty() && link != section && begins_section(at, link)) {
      section = link;
      out += fmt::format("\n  /* link {} */\n", link);
    }
    for (const ValueId value : item.reads) {
      const auto slot = slots.find(value);
      if (slot == slots.end() || !here.insert(value).second) continue;
      if (size_of(value) == 1)
        add_line(out, fmt::format("const {} {} = {}[{}];", real, name_of(value), passed, slot->second), 2);
      else
        add_line(out, fmt::format("const {} *const {} = {} + {};", real, name_of(value), passed, slot->second), 2);
    }
    const ValueId own = item.statement == nullptr ? stage_value(item.stage) : ValueId{item.statement->node};
    here.insert(own);
    write_item(out, item, slots.contains(own));
  }
}

std::string CWriter::Body::array(const std::string& called, std::size_t size, bool crosses, ValueId value) const {
  return crosses ? fmt::format("{} *const {} = {} + {};", real, called, passed, slots.at(value))
                 : fmt::format("{} {}[{}];", real, called, size);
}

// A use of a node where no expression stands around it: a constant must then be said to be in every lane.
std::string CWriter::Body::value_of(NodeId id) const {
  const std::string used = statements.use(id);
  return lanes == 1 || graph[id].op != Op::constant ? used : fmt::format("{}_all({})", real, used);
}

// sin_cos of one angle a lane, or of the angles of many states.
void CWriter::Body::write_sines(std::string& out, const Stage& stage) {
  const bool fused = function.arithmetic().fused;
  if (lanes != 1) {
    std::vector<std::string> list;
    for (const NodeId angle : stage.angles) list.push_back(value_of(angle));
    const std::string angles = statements.fresh("angles");
    add_line(out, fmt::format("const {} {}[{}] = {{{}}};", real, angles, list.size(), fmt::join(list, ", ")), 2);
    add_line(out,
             fmt::format("{0}_{1}sincos({2}, {3}, {4}, {4} + {2});", real, fused ? "fused_" : "", list.size(), angles,
                         stage.array),
             2);
    writer.needs.lanes[lanes].sincos[fused] = true;
    return;
  }
  for (const Piece& p : stage.pieces) {
    std::vector<std::string> angles;
    for (std::size_t k = p.first; k < p.first + p.width; ++k) {
      angles.push_back(k < stage.angles.size()            ? statements.use(stage.angles[k])
                       : writer.dialect_.single_precision ? "0.0f"
                                                          : "0.0");
    }
    add_line(out,
             fmt::format("lw_{}sincos{}({}{}, {});", fused ? "fused_" : "", p.width, stage.array,
                         p.at > 0 ? fmt::format(" + {}", p.at) : "", fmt::join(angles, ", ")),
             2);
    writer.needs.sincos[fused].insert(p.width);
  }
}

void CWriter::Body::write_arcs(std::string& out, const Stage& stage) {
  const bool fused = function.arithmetic().fused;
  const auto list = [&](bool second, const Piece& p) {
    std::vector<std::string> values;
    for (std::size_t k = p.first; k < p.first + p.width; ++k) {
      const Node* n = k < stage.angles.size() ? &graph[stage.angles[k]] : nullptr;  // or any point
      if (n != nullptr && (!second || n->op == Op::atan2))
        values.push_back(value_of(second ? n->b : n->a));
      else
        values.push_back(lanes == 1 ? "1.0" : fmt::format("{}_all(1.0)", real));
    }
    return fmt::format("{}", fmt::join(values, ", "));
  };
  for (const Piece& p : stage.pieces) {
    if (lanes == 1) {
      add_line(out,
               fmt::format("lw_{}arcs{}({}{}, {}, {});", fused ? "fused_" : "", p.width, stage.array,
                           p.at > 0 ? fmt::format(" + {}", p.at) : "", list(false, p), list(true, p)),
               2);
      writer.needs.arcs[fused].insert(p.width);
      continue;
    }
    const std::string y = statements.fresh("ys"), x = statements.fresh("xs");
    add_line(out, fmt::format("const {} {}[{}] = {{{}}};", real, y, p.width, list(false, p)), 2);
    add_line(out, fmt::format("const {} {}[{}] = {{{}}};", real, x, p.width, list(true, p)), 2);
    add_line(out, fmt::format("{}_{}arcs({}, {}, {}, {});", real, fused ? "fused_" : "", p.width, y, x, stage.array),
             2);
    writer.needs.lanes[lanes].arcs[fused] = true;
  }
}

// Whether a comparison is used as the condition of choices alone.
bool CWriter::Body::only_chooses(NodeId comparison) const {
  return std::all_of(function.order().begin(), function.order().end(), [&](NodeId id) {
    const Node& n = graph[id];
    if (n.op == Op::select) return n.b != comparison && n.c != comparison;
    bool uses = false;
    for_each_operand(graph, id, [&](NodeId operand) { uses = uses || operand == comparison; });
    return !uses;
  });
}

void CWriter::Body::write_item(std::string& out, const Item& item, bool crosses) {
  if (item.statement == nullptr) {
    const Stage& stage = stages[item.stage];
    add_line(out, array(stage.array, stage.size, crosses, stage_value(item.stage)), 2);
    return stage.arcs ? write_arcs(out, stage) : write_sines(out, stage);
  }
  const Statement& s = *item.statement;
  const Node& n = graph[s.node];
  if (item.together != nullptr) return write_together(out, item, crosses);
  if (n.op == Op::call || n.op == Op::solve) return write_nested(out, item, crosses);
  std::string value = is_from_kernel(n)      ? from_kernel(s.node)
                      : n.op == Op::constant ? value_of(s.node)
                                             : statements.text(s.node);
  if (n.op == Op::less && !crosses && lanes == 1 && s.results.empty() && only_chooses(s.node)) {
    writer.needs.masks.insert(s.name);
    return add_line(out, fmt::format("const lw_mask {} = {}{};", s.name, kBelow, value.substr(kLess.size())), 2);
  }
  if (!s.name.empty()) {
    add_line(out, fmt::format("const {} {} = {};", real, s.name, value), 2);
    if (crosses) add_line(out, fmt::format("{}[{}] = {};", passed, slots.at(s.node), s.name), 2);
    value = s.name;
  }
  for (const std::size_t r : s.results) add_line(out, fmt::format("{} = {};", statements.result(r), value), 2);
}

// A call or a solve: all its arguments in an array, all that it gives in another.
void CWriter::Body::write_nested(std::string& out, const Item& item, bool crosses) {
  const Statement& s = *item.statement;
  const Node& n = graph[s.node];
  std::vector<std::string> values;
  for_each_operand(graph, s.node, [&](NodeId a) { values.push_back(value_of(a)); });
  if (values.empty()) values.push_back("0");
  const std::string in = statements.fresh(s.name + "_in");
  add_line(out, fmt::format("const {} {}[{}] = {{{}}};", real, in, values.size(), fmt::join(values, ", ")), 2);
  add_line(out, array(s.name, size_of(s.node), crosses, s.node), 2);
  if (n.op == Op::solve) {
    const Solve& solve = graph.solves()[n.a];
    if (solve.step != nullptr) {
      const std::string& steps = writer.own_steps_.at({solve.step.get(), lanes, reads_residual(function, s.node)});
      return add_line(out, fmt::format("{}({}, {});", steps, in, s.name), 2);
    }
    const std::string call = fmt::format("{}_newton({}, ", writer.nested_.at({solve.residual.get(), 1}), solve.steps);
    if (lanes == 1) {
      add_line(out, fmt::format("{}{}, {});", call, in, s.name), 2);
    } else {  // each lane pivots as it must
      std::string loop = kLaneByLane;
      replace_all(loop, "@lanes", fmt::format("(int)(sizeof {}[0] / sizeof(REAL))", in));
      choose_precision(loop, writer.dialect_);
      replace_all(loop, "@ins", std::to_string(values.size()));
      replace_all(loop, "@outs", std::to_string(size_of(s.node)));
      replace_all(loop, "@newton(", call);
      replace_all(loop, "@in", in);
      replace_all(loop, "@out", s.name);
      out += loop;
    }
  } else {
    const Function& called = *graph.calls()[n.a].function;
    add_line(out,
             fmt::format("{}({}, {});", writer.nested_.at({&called, lanes}), pieces(called.inputs(), in),
                         pieces(called.outputs(), s.name)),
             2);
  }
}

std::string CWriter::body(const Function& function, const std::string& name, bool is_static, int lanes,
                          const std::vector<CallsTogether>& groups) {
  const bool kernel = function.arithmetic().trigonometry == Arithmetic::Trigonometry::own;
  needs.masks.clear();
  Body body(*this, function, kernel, name, lanes, groups);
  return body.write((is_static ? "static " : "") + c_signature(body.statements, name, dialect_, true, lanes));
}

std::size_t CWriter::write_share(const Share& share, int processor, const std::string& name, const std::string& shared,
                                 const std::vector<CallsTogether>& groups) {
  const bool kernel = share.function.arithmetic().trigonometry == Arithmetic::Trigonometry::own;
  needs.masks.clear();
  Body body(*this, share.function, kernel, name, 1, groups, &share);
  text += "\n" + body.write_share(processor, shared);
  return body.slot_count;
}

}  // namespace lw
