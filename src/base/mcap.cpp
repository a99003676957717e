#include "mcap.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace lw {
namespace {

constexpr std::string_view kMagic("\x89MCAP0\r\n", 8);
constexpr std::size_t kChunk = 1 << 20;

enum class Opcode : char {
  header = 0x01,
  footer,
  schema,
  channel,
  message,
  chunk,
  message_index,
  chunk_index,
  statistics = 0x0B,
  summary_offset = 0x0E,
  data_end = 0x0F,
};

// The fields of a record, little-endian.
struct Record {
  std::string bytes;

  template <class Integer>
  Record& integer(Integer value) {
    for (std::size_t k = 0; k < sizeof(Integer); ++k)
      bytes += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * k));
    return *this;
  }
  Record& u16(std::uint16_t v) { return integer(v); }
  Record& u32(std::uint64_t v) { return integer(static_cast<std::uint32_t>(v)); }
  Record& u64(std::uint64_t v) { return integer(v); }
  Record& text(std::string_view t) {
    u32(t.size());
    bytes += t;
    return *this;
  }
  Record& counts(const std::map<std::uint16_t, std::uint64_t>& map) {
    u32(map.size() * 10);
    for (const auto& [key, value] : map) u16(key).u64(value);
    return *this;
  }
};

std::string head_of(Opcode opcode, std::uint64_t length) {
  return static_cast<char>(opcode) + Record{}.u64(length).bytes;
}
std::string as_bytes(Opcode opcode, const Record& r) { return head_of(opcode, r.bytes.size()) + r.bytes; }

}  // namespace

std::uint32_t crc32(std::string_view bytes, std::uint32_t before) {
  static const std::array<std::uint32_t, 256> table = [] {
    std::array<std::uint32_t, 256> t{};
    for (std::uint32_t n = 0; n < 256; ++n) {
      t[n] = n;
      for (int k = 0; k < 8; ++k) t[n] = (t[n] & 1u) != 0 ? 0xEDB88320u ^ (t[n] >> 1) : t[n] >> 1;
    }
    return t;
  }();
  std::uint32_t c = ~before;
  for (const char byte : bytes) c = table[(c ^ static_cast<unsigned char>(byte)) & 0xFFu] ^ (c >> 8);
  return ~c;
}

McapWriter::McapWriter(Sink sink, const std::string& library) : sink_(std::move(sink)), crc_(0) {
  put(kMagic);
  put(as_bytes(Opcode::header, Record{}.text("").text(library)));
}

void McapWriter::put(std::string_view bytes) {
  crc_ = crc32(bytes, crc_);
  written_ += bytes.size();
  sink_(bytes);
}

std::uint16_t McapWriter::channel(const std::string& topic, const std::string& schema_name, const std::string& schema) {
  const std::uint16_t id = ++count_;
  const std::string s = as_bytes(Opcode::schema, Record{}.u16(id).text(schema_name).text("jsonschema").text(schema));
  const std::string c = as_bytes(Opcode::channel, Record{}.u16(id).u16(id).text(topic).text("json").u32(0));
  schemas_ += s;
  channels_ += c;
  chunk_ += s + c;
  messages_[id] = 0;
  return id;
}

void McapWriter::message(std::uint16_t channel, std::uint64_t nanoseconds, std::string_view json) {
  const bool first = std::ranges::all_of(messages_, [](const auto& m) { return m.second == 0; });
  if (entries_.empty()) chunk_first_ = chunk_last_ = nanoseconds;
  if (first) first_time_ = last_time_ = nanoseconds;
  chunk_first_ = std::min(chunk_first_, nanoseconds), chunk_last_ = std::max(chunk_last_, nanoseconds);
  first_time_ = std::min(first_time_, nanoseconds), last_time_ = std::max(last_time_, nanoseconds);
  entries_[channel].emplace_back(nanoseconds, chunk_.size());
  const Record r = Record{}.u16(channel).u32(messages_[channel]++).u64(nanoseconds).u64(nanoseconds);
  chunk_ += head_of(Opcode::message, r.bytes.size() + json.size());
  chunk_ += r.bytes;
  chunk_ += json;
  if (chunk_.size() >= kChunk) put_chunk();
}

void McapWriter::put_chunk() {
  if (chunk_.empty()) return;
  if (entries_.empty()) chunk_first_ = chunk_last_ = 0;
  ChunkIndex index{chunk_first_, chunk_last_, written_, 0, {}, 0, chunk_.size()};
  Record r;
  r.u64(chunk_first_).u64(chunk_last_).u64(chunk_.size()).u32(crc32(chunk_)).text("").u64(chunk_.size());
  put(head_of(Opcode::chunk, r.bytes.size() + chunk_.size()));
  put(r.bytes);
  put(chunk_);
  index.length = written_ - index.offset;
  for (auto& [channel, entries] : entries_) {
    index.indexes[channel] = written_;
    std::ranges::stable_sort(entries, {}, &std::pair<std::uint64_t, std::uint64_t>::first);
    Record list;
    list.u16(channel).u32(entries.size() * 16);
    for (const auto& [time, where] : entries) list.u64(time).u64(where);
    put(as_bytes(Opcode::message_index, list));
  }
  index.indexes_length = written_ - index.offset - index.length;
  chunks_.push_back(std::move(index));
  chunk_.clear();
  entries_.clear();
}

void McapWriter::finish() {
  put_chunk();
  put(as_bytes(Opcode::data_end, Record{}.u32(crc_)));
  const std::uint64_t summary = written_;
  std::string indexes;
  for (const ChunkIndex& c : chunks_) {
    Record r;
    r.u64(c.start_time).u64(c.end_time).u64(c.offset).u64(c.length).counts(c.indexes).u64(c.indexes_length);
    indexes += as_bytes(Opcode::chunk_index, r.text("").u64(c.size).u64(c.size));
  }
  const std::uint64_t total = std::accumulate(messages_.begin(), messages_.end(), std::uint64_t{0},
                                              [](auto n, const auto& m) { return n + m.second; });
  Record statistics;
  statistics.u64(total).u16(count_).u32(count_).u32(0).u32(0).u32(chunks_.size());
  statistics.u64(first_time_).u64(last_time_).counts(messages_);
  std::string sections, offsets;
  const auto section = [&](Opcode opcode, const std::string& bytes) {
    if (bytes.empty()) return;
    const Record group{std::string(1, static_cast<char>(opcode))};
    offsets += as_bytes(Opcode::summary_offset, Record(group).u64(summary + sections.size()).u64(bytes.size()));
    sections += bytes;
  };
  section(Opcode::schema, schemas_);
  section(Opcode::channel, channels_);
  section(Opcode::statistics, as_bytes(Opcode::statistics, statistics));
  section(Opcode::chunk_index, indexes);
  const std::string tail =
      sections + offsets + head_of(Opcode::footer, 20) + Record{}.u64(summary).u64(summary + sections.size()).bytes;
  put(tail);
  put(Record{}.u32(crc32(tail)).bytes);
  put(kMagic);
}

}  // namespace lw
