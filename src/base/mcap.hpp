// MCAP: timestamped messages of several channels in one file (https://mcap.dev/spec), as read by Foxglove.
//
// Messages are stored in chunks with an index each; the file ends with a summary of all chunks, statistics, and a
// checksum. Nothing is compressed. Data passed to the sink can be recovered even without `finish`.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lw {

class McapWriter {
 public:
  using Sink = std::function<void(std::string_view bytes)>;
  // Writes the header. `library` names the writing program.
  McapWriter(Sink sink, const std::string& library);

  // A channel of JSON messages, described by a JSON schema. Add channels before messages. Returns the channel's number.
  std::uint16_t channel(const std::string& topic, const std::string& schema_name, const std::string& schema);
  void message(std::uint16_t channel, std::uint64_t nanoseconds, std::string_view json);
  void finish();

 private:
  using Entries = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // time, and offset in the chunk
  struct ChunkIndex {
    std::uint64_t start_time, end_time, offset, length;
    std::map<std::uint16_t, std::uint64_t> indexes;
    std::uint64_t indexes_length, size;
  };
  void put(std::string_view bytes);
  void put_chunk();

  Sink sink_;
  std::uint64_t written_ = 0;
  std::uint32_t crc_;  // of everything written
  std::string schemas_, channels_;
  std::uint16_t count_ = 0;
  std::string chunk_;
  std::map<std::uint16_t, Entries> entries_;
  std::vector<ChunkIndex> chunks_;
  std::map<std::uint16_t, std::uint64_t> messages_;
  std::uint64_t first_time_ = 0, last_time_ = 0, chunk_first_ = 0, chunk_last_ = 0;
};

// CRC-32 of ISO 3309 (polynomial 0xEDB88320), continued from the CRC of the preceding data.
std::uint32_t crc32(std::string_view bytes, std::uint32_t before = 0);

}  // namespace lw
