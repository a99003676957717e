// One function while it is written as C: its statements and kernel calls, ordered and cut into parts.
//
// c_order.cpp finds the order and the parts, c_body.cpp writes the parts, c_items.cpp writes statements.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "c_writer.hpp"
#include "emit_divided.hpp"

namespace lw {

struct CWriter::Body {
  // A value has a variable or, if it has several elements, an array: nodes first, then kernel calls.
  using ValueId = std::size_t;
  struct Item {
    const Statement* statement = nullptr;  // or
    std::size_t stage = 0;                 // a kernel call
    std::vector<ValueId> reads;
    int operations = 0;
    std::size_t part = 0;
    int segment = 0;                          // if the function is a share
    const CallsTogether* together = nullptr;  // the statement is the first of these calls
  };
  // Angles from `first` on, one per lane of a vector; their sines from `at` on in the stage's array, then their
  // cosines. Or points, with their angles from `at` on.
  struct Piece {
    std::size_t first, width, at;
  };
  struct Stage {  // one kernel call per piece
    bool arcs = false;
    std::vector<NodeId> angles;  // angles of sines, or nodes that are angles of points
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
    std::string array;  // an array of vectors, one per output
    std::size_t lane, lanes;
  };
  std::map<std::string, Lane> lane_of;      // of a call in a group, by its name
  std::map<ValueId, std::size_t> array_of;  // of the first call in a group: its number of outputs
  Statements statements;
  const std::string& name;
  std::string real;  // the type of a value
  std::vector<Stage> stages;
  using Place = std::pair<std::size_t, std::size_t>;  // stage, index in it
  std::map<NodeId, Place> stage_of, arc_of;           // by angle; by node
  std::vector<Item> items;
  std::size_t parts = 1;
  std::map<ValueId, std::size_t> slots;  // of values that one part passes to another
  std::size_t slot_count = 0;
  std::string passed;  // name of their array
};

}  // namespace lw
