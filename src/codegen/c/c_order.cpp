#include <algorithm>

#include "../../base/error.hpp"
#include "c_body.hpp"

namespace lw {

// Angles and points by the number of kernel calls that must precede them; sines first. In a share, those that are known
// before a wait are not delayed by it.
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
  // Vectors of 32 bytes at most: while those of 64 execute, scalars have only one of two ports (Intel).
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

// The operands of a kernel.
std::vector<NodeId> CWriter::Body::arguments_of(const Stage& stage) const {
  if (!stage.arcs) return stage.angles;
  std::vector<NodeId> arguments;
  for (const NodeId id : stage.angles)
    for_each_operand(graph, id, [&](NodeId operand) { arguments.push_back(operand); });
  return arguments;
}

// sin_cos[3]: the place in a piece's output of the sine or cosine of an angle, or of the angle of a point.
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

// The function's order, except that the operands of each kernel call come first. Angles of points that no sine needs
// come last: mostly they are results, and nothing urgent should wait behind a division.
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

// One item for all calls of a group, at the place of the first.
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
    item->operations = -1;  // to be removed
  }
  std::erase_if(items, [](const Item& i) { return i.operations < 0; });
  // a reader of one of them reads the array of all
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

// Moves every item after those that it reads; otherwise keeps the order.
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
    require(later.size() < waiting.size(), "calls that run together must not wait for each other");
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
  // vectors for the function, numbers for all others: compilers allow both views of the same memory
  add_line(out,
           crosses ? this->array(array, size_of(item.statement->node), true, item.statement->node)
                   : fmt::format("{} {}[{}] {};", real, array, size_of(item.statement->node), kAligned),
           2);
  add_line(out,
           fmt::format("{}({}, {});", writer.nested_.at({&called, group.lanes}), pieces(called.inputs(), in),
                       pieces(called.outputs(), fmt::format("({} *){}", value, array))),
           2);
}

// By segments; values of other processors are not written.
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
      ++parts;  // one at most, however long the last item was
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

}  // namespace lw
