/// The reader's parts: summary, scan of the whole file, chunks. Internal to this folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/record/file_source.hpp"
#include "runtime/record/mcap_reader.hpp"

namespace kagami::runtime {

/// Buffers of load_chunk, kept by the caller.
struct ChunkBuffers {
  std::vector<std::byte> stored;
  std::vector<std::byte> records;  ///< uncompressed
};

/// Reads the chunk record at index.offset and checks its CRC.
/// @return "" or what is wrong with the chunk. @throws RecordError when the file cannot be read
[[nodiscard]] std::string load_chunk(const FileSource& file, const ChunkIndex& index,
                                     std::uint64_t max_bytes, ChunkBuffers& buffers);

/// Fills contents from footer and summary.
/// @return "" or why they cannot be used; contents are then half filled
[[nodiscard]] std::string read_summary(const FileSource& file, McapContents& contents);

/// Reads the data section record by record up to its end or to the first byte that is no whole
/// record, checks every chunk and makes the index.
[[nodiscard]] McapContents scan_file(const FileSource& file, const McapReaderOptions& options);

}  // namespace kagami::runtime
