// MCAP files, taken apart byte by byte as the specification (mcap.dev/spec) describes them.
#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

#include "base/mcap.hpp"

namespace lw {
namespace mcap_test {

// Reads little-endian fields; throws past the end.
struct Reader {
  std::string_view left;
  std::string_view bytes(std::size_t n) {
    if (n > left.size()) throw std::runtime_error("past the end");
    const std::string_view b = left.substr(0, n);
    left.remove_prefix(n);
    return b;
  }
  std::uint64_t number(std::size_t n) {
    const std::string_view b = bytes(n);
    std::uint64_t x = 0;
    for (std::size_t k = n; k-- > 0;) x = x << 8 | static_cast<unsigned char>(b[k]);
    return x;
  }
  std::string text() { return std::string(bytes(number(4))); }
  std::map<std::uint64_t, std::uint64_t> counts() {
    Reader inner{bytes(number(4))};
    std::map<std::uint64_t, std::uint64_t> map;
    while (!inner.left.empty()) {
      const std::uint64_t key = inner.number(2);
      map[key] = inner.number(8);
    }
    return map;
  }
};

struct Parsed {
  std::uint64_t opcode, offset, length;  // of the whole record
  std::string_view content;
};
std::vector<Parsed> records(std::string_view bytes, std::uint64_t from) {
  std::vector<Parsed> list;
  Reader r{bytes};
  while (!r.left.empty()) {
    const std::uint64_t offset = from + bytes.size() - r.left.size();
    const std::uint64_t opcode = r.number(1), size = r.number(8);
    list.push_back({opcode, offset, size + 9, r.bytes(size)});
  }
  return list;
}

// Bit by bit, not by a table.
std::uint32_t slow_crc(std::string_view bytes) {
  std::uint32_t c = 0xFFFFFFFFu;
  for (const char b : bytes) {
    for (int k = 0; k < 8; ++k) {
      const bool bit = ((c ^ (static_cast<unsigned char>(b) >> k)) & 1u) != 0;
      c = (c >> 1) ^ (bit ? 0xEDB88320u : 0u);
    }
  }
  return ~c;
}

TEST(Mcap, ChecksumsAreThoseOfIso3309) {
  EXPECT_EQ(crc32("123456789"), 0xCBF43926u);  // the check value of CRC-32
  EXPECT_EQ(crc32(""), 0u);
  EXPECT_EQ(crc32("6789", crc32("12345")), 0xCBF43926u);
  EXPECT_EQ(slow_crc("123456789"), 0xCBF43926u);
}

struct Message {
  std::uint64_t channel, time;
  std::string data;
  bool operator==(const Message&) const = default;
};

// Everything that the specification demands of a file.
void take_apart(const std::string& file, std::vector<Message>& messages, std::map<std::uint64_t, std::string>& topics,
                std::uint64_t& chunk_count) {
  const std::string magic("\x89MCAP0\r\n", 8);
  ASSERT_GT(file.size(), 16u);
  ASSERT_EQ(file.substr(0, 8), magic);
  ASSERT_EQ(file.substr(file.size() - 8), magic);
  const std::vector<Parsed> all = records(std::string_view(file).substr(8, file.size() - 16), 8);
  ASSERT_EQ(all.front().opcode, 0x01u);
  ASSERT_EQ(all.back().opcode, 0x02u);
  Reader head{all.front().content};
  head.text();
  EXPECT_EQ(head.text(), "test");

  Reader foot{all.back().content};
  const std::uint64_t summary = foot.number(8), offsets = foot.number(8);
  const std::uint32_t summary_crc = static_cast<std::uint32_t>(foot.number(4));
  EXPECT_TRUE(foot.left.empty());
  EXPECT_EQ(slow_crc(std::string_view(file).substr(summary, file.size() - 8 - 4 - summary)), summary_crc);

  std::map<std::uint64_t, std::string> schemas;
  std::map<std::uint64_t, std::uint64_t> counts,
      chunk_places;  // messages of a channel; offset of a chunk to its length
  std::map<std::uint64_t, std::vector<std::pair<std::uint64_t, std::uint64_t>>> in_chunk;
  std::map<std::uint64_t, std::uint64_t> index_places;
  std::uint64_t first = UINT64_MAX, last = 0, summaries = 0;
  bool ended = false;
  std::vector<Parsed> of_summary;
  const auto define = [&](const Parsed& p) {
    Reader r{p.content};
    if (p.opcode == 0x03) {
      const std::uint64_t id = r.number(2);
      const std::string name = r.text(), encoding = r.text();
      EXPECT_NE(id, 0u);
      EXPECT_EQ(encoding, "jsonschema");
      EXPECT_EQ(r.text(), "{\"type\":\"object\"}");
      schemas[id] = name;
    } else {
      const std::uint64_t id = r.number(2), schema = r.number(2);
      EXPECT_TRUE(schemas.contains(schema));
      topics[id] = r.text();
      EXPECT_EQ(r.text(), "json");
      EXPECT_EQ(r.number(4), 0u);
    }
    EXPECT_TRUE(r.left.empty());
  };
  std::string_view chunk;
  for (const Parsed& p : all) {
    Reader r{p.content};
    if (p.offset >= summary && p.opcode != 0x02) of_summary.push_back(p);
    if (p.opcode == 0x0F) {
      EXPECT_EQ(slow_crc(std::string_view(file).substr(0, p.offset)), r.number(4));
      EXPECT_EQ(p.offset + p.length, summary);
      ended = true;
    } else if (!ended && p.opcode == 0x06) {
      ++chunk_count;
      in_chunk.clear();
      chunk_places[p.offset] = p.length;
      const std::uint64_t start = r.number(8), end = r.number(8), size = r.number(8), crc = r.number(4);
      EXPECT_EQ(r.text(), "");
      chunk = r.bytes(r.number(8));
      EXPECT_TRUE(r.left.empty());
      EXPECT_EQ(chunk.size(), size);
      EXPECT_EQ(slow_crc(chunk), crc);
      std::uint64_t low = UINT64_MAX, high = 0;
      for (const Parsed& inner : records(chunk, 0)) {
        if (inner.opcode == 0x03 || inner.opcode == 0x04) {
          define(inner);
          continue;
        }
        ASSERT_EQ(inner.opcode, 0x05u);
        Reader m{inner.content};
        const std::uint64_t channel = m.number(2), sequence = m.number(4), log = m.number(8), publish = m.number(8);
        EXPECT_TRUE(topics.contains(channel));
        EXPECT_EQ(sequence, counts[channel]++);
        EXPECT_EQ(log, publish);
        in_chunk[channel].emplace_back(log, inner.offset);
        low = std::min(low, log), high = std::max(high, log);
        messages.push_back({channel, log, std::string(m.left)});
      }
      EXPECT_EQ(start, low);
      EXPECT_EQ(end, high);
      first = std::min(first, low), last = std::max(last, high);
    } else if (!ended && p.opcode == 0x07) {
      const std::uint64_t channel = r.number(2);
      Reader list{r.bytes(r.number(4))};
      index_places[p.offset] = channel;
      for (const auto& [time, where] : in_chunk.at(channel)) {
        EXPECT_EQ(list.number(8), time);
        EXPECT_EQ(list.number(8), where);
      }
      EXPECT_TRUE(list.left.empty());
    } else if (ended && (p.opcode == 0x03 || p.opcode == 0x04)) {
      define(p);
    } else if (ended && p.opcode == 0x08) {
      ++summaries;
      r.number(8), r.number(8);
      const std::uint64_t offset = r.number(8), length = r.number(8);
      EXPECT_EQ(chunk_places.at(offset), length);
      const auto indexes = r.counts();
      std::uint64_t end_of_indexes = offset + length;
      for (const auto& [channel, where] : indexes) {
        EXPECT_EQ(index_places.at(where), channel);
        end_of_indexes = std::max<std::uint64_t>(
            end_of_indexes, where + 9 + Reader{std::string_view(file).substr(where + 1)}.number(8));
      }
      EXPECT_EQ(r.number(8), end_of_indexes - offset - length);
      EXPECT_EQ(r.text(), "");
      EXPECT_EQ(r.number(8), r.number(8));
    } else if (ended && p.opcode == 0x0B) {
      EXPECT_EQ(r.number(8), messages.size());
      EXPECT_EQ(r.number(2), schemas.size());
      EXPECT_EQ(r.number(4), topics.size());
      EXPECT_EQ(r.number(4), 0u);
      EXPECT_EQ(r.number(4), 0u);
      EXPECT_EQ(r.number(4), chunk_count);
      EXPECT_EQ(r.number(8), first);
      EXPECT_EQ(r.number(8), last);
      for (const auto& [channel, n] : r.counts()) EXPECT_EQ(n, counts[channel]);
      EXPECT_TRUE(r.left.empty());
    } else if (ended && p.opcode == 0x0E) {
      EXPECT_GE(p.offset, offsets);
      const std::uint64_t opcode = r.number(1), start = r.number(8), length = r.number(8);
      std::uint64_t found = 0, begin = UINT64_MAX;
      for (const Parsed& s : of_summary) {
        if (s.opcode == opcode) found += s.length, begin = std::min(begin, s.offset);
      }
      EXPECT_EQ(start, begin);
      EXPECT_EQ(length, found);
    } else {
      EXPECT_TRUE(p.opcode == 0x01 || p.opcode == 0x02) << p.opcode;
    }
  }
  EXPECT_EQ(summaries, chunk_count);
}

TEST(Mcap, WrittenDataAreReadBack) {
  std::string file;
  McapWriter mcap([&](std::string_view bytes) { file += bytes; }, "test");
  const std::string schema = "{\"type\":\"object\"}";
  const std::uint16_t a = mcap.channel("/a", "A", schema), b = mcap.channel("/b", "B", schema);
  mcap.channel("/silent", "C", schema);
  std::vector<Message> given;
  for (std::uint64_t k = 0; k < 9000; ++k) {
    const Message m{k % 3 == 0 ? b : a, k * 1'000'000, "{\"x\": \"" + std::string(k % 400, 'x') + "\"}"};
    mcap.message(static_cast<std::uint16_t>(m.channel), m.time, m.data);
    given.push_back(m);
  }
  mcap.finish();
  std::vector<Message> got;
  std::map<std::uint64_t, std::string> topics;
  std::uint64_t chunks = 0;
  take_apart(file, got, topics, chunks);
  EXPECT_GE(chunks, 2u);
  EXPECT_EQ(topics.at(a), "/a");
  EXPECT_TRUE(got == given);
}

TEST(Mcap, AnEmptyFileIsValid) {
  std::string file;
  McapWriter mcap([&](std::string_view bytes) { file += bytes; }, "test");
  mcap.finish();
  const std::vector<Parsed> all = records(std::string_view(file).substr(8, file.size() - 16), 8);
  EXPECT_EQ(all.front().opcode, 0x01u);
  EXPECT_EQ(all.back().opcode, 0x02u);
}

}  // namespace mcap_test
}  // namespace lw
