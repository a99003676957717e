#include <algorithm>

#include "c_body.hpp"

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

// The link that a value belongs to by its name (omega2_x: 2); empty if none.
std::string CWriter::Body::link_of(const Item& item) const {
  const std::string* given = item.statement == nullptr ? nullptr : graph.name_of(item.statement->node);
  const std::size_t first = given == nullptr ? std::string::npos : given->find_first_of("0123456789_");
  if (first == std::string::npos || (*given)[first] == '_') return {};
  return given->substr(first, given->find_first_not_of("0123456789", first) - first);
}

// Whether the next three named values belong to the same link, which then gets a heading.
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

// The use of a node by itself: a constant must then be spread to all lanes.
std::string CWriter::Body::value_of(NodeId id) const {
  const std::string used = statements.use(id);
  return lanes == 1 || graph[id].op != Op::constant ? used : fmt::format("{}_all({})", real, used);
}

// sin_cos of one angle per lane, or of the angles of many states.
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

// Whether a comparison is used only as the condition of selections.
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

// A call or a solve: its arguments in one array, its outputs in another.
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
    } else {  // each lane pivots by itself
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
