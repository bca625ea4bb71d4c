// Messages in the order of log time: chunks are opened when their first message is due, so only
// those whose times overlap are in memory.
#include <algorithm>
#include <queue>
#include <set>
#include <tuple>

#include "models/base/errors.hpp"
#include "runtime/record/mcap_bytes.hpp"
#include "runtime/record/mcap_load.hpp"

namespace kagami::runtime {
namespace {

struct Entry {
  std::uint64_t time_ns = 0;
  std::size_t offset = 0;  // of the record in the chunk
};

/// An opened chunk and how far it was read.
struct OpenChunk {
  ChunkBuffers buffers;
  std::vector<Entry> entries;  // wanted messages by time, ties by offset
  std::size_t next = 0;
  std::uint64_t file_offset = 0;
};

/// A place where messages lie.
struct Place {
  const ChunkIndex* index = nullptr;
  bool loose = false;  // bare records, no chunk around them
};

struct Later {
  bool operator()(const OpenChunk* a, const OpenChunk* b) const {
    const Entry& ea = a->entries[a->next];
    const Entry& eb = b->entries[b->next];
    return std::tie(ea.time_ns, a->file_offset) > std::tie(eb.time_ns, b->file_offset);
  }
};

}  // namespace

struct MessageStream::State {
  const FileSource* file = nullptr;
  const McapReaderOptions* options = nullptr;
  const McapContents* contents = nullptr;
  MessageFilter filter;
  std::set<ChannelId> wanted;
  std::vector<Place> places;  // by start time
  std::size_t next_place = 0;
  std::uint64_t open_bytes = 0;
  std::vector<std::unique_ptr<OpenChunk>> pool;  // all that were ever opened
  std::vector<OpenChunk*> free;
  std::priority_queue<OpenChunk*, std::vector<OpenChunk*>, Later> queue;
  OpenChunk* current = nullptr;  // holds the last view

  void add_place(const ChunkIndex& index, bool loose);
  void open(const Place& place);
  void list_entries(OpenChunk& chunk, const ChunkIndex& index) const;
  void put_back();
  [[nodiscard]] RecordError bad(const ChunkIndex& index, const std::string& what) const;
};

RecordError MessageStream::State::bad(const ChunkIndex& index, const std::string& what) const {
  return RecordError(file->path() + ": the chunk at byte " + std::to_string(index.offset) + " " +
                     what);
}

void MessageStream::State::add_place(const ChunkIndex& index, bool loose) {
  if (index.end_time_ns < filter.start_ns || index.start_time_ns > filter.end_ns) return;
  const auto& offsets = index.message_index_offsets;
  const auto is_wanted = [&](const auto& entry) { return wanted.contains(entry.first); };
  if (!offsets.empty() && std::none_of(offsets.begin(), offsets.end(), is_wanted)) return;
  places.push_back({&index, loose});
}

/// Lists the wanted messages of a chunk, whatever its message indexes say.
void MessageStream::State::list_entries(OpenChunk& chunk, const ChunkIndex& index) const {
  chunk.entries.clear();
  chunk.next = 0;
  const std::span<const std::byte> all(chunk.buffers.records);
  std::span<const std::byte> left = all;
  for (;;) {
    const std::size_t offset = all.size() - left.size();
    const std::optional<RecordView> record = next_record(left);
    if (!record) break;
    if (record->op != McapOp::kMessage) continue;
    const std::optional<RawMessage> m = parse_message(record->body);
    // a scan has counted these; a summary must know all channels
    if (m && !contents->damage.rebuilt && !contents->channels.contains(m->channel)) {
      throw bad(index, "has a message of channel " + std::to_string(m->channel) +
                           ", which the summary does not describe");
    }
    if (!m || m->log_time_ns < filter.start_ns || m->log_time_ns > filter.end_ns) continue;
    if (wanted.contains(m->channel)) chunk.entries.push_back({m->log_time_ns, offset});
  }
  std::stable_sort(chunk.entries.begin(), chunk.entries.end(),
                   [](const Entry& a, const Entry& b) { return a.time_ns < b.time_ns; });
}

void MessageStream::State::open(const Place& place) {
  if (free.empty()) free.push_back(pool.emplace_back(std::make_unique<OpenChunk>()).get());
  OpenChunk& chunk = *free.back();
  const ChunkIndex& index = *place.index;
  if (place.loose) {
    file->read(index.offset, index.length, chunk.buffers.records);
  } else {
    const std::string why = load_chunk(*file, index, options->max_chunk_bytes, chunk.buffers);
    if (!why.empty()) throw bad(index, why);
  }
  chunk.file_offset = index.offset;
  list_entries(chunk, index);
  if (chunk.entries.empty()) return;
  free.pop_back();
  open_bytes += chunk.buffers.records.size();
  if (open_bytes > options->max_stream_bytes) {
    throw bad(index, "overlaps in time with so many others that more than " +
                         std::to_string(options->max_stream_bytes) + " bytes would be held");
  }
  queue.push(&chunk);
}

/// The chunk of the last view goes back to the queue, or is free when it has no more.
void MessageStream::State::put_back() {
  if (current == nullptr) return;
  if (++current->next < current->entries.size()) {
    queue.push(current);
  } else {
    open_bytes -= current->buffers.records.size();
    free.push_back(current);
  }
  current = nullptr;
}

MessageStream::MessageStream(std::unique_ptr<State> state) : state_(std::move(state)) {}
MessageStream::MessageStream(MessageStream&&) noexcept = default;
MessageStream& MessageStream::operator=(MessageStream&&) noexcept = default;
MessageStream::~MessageStream() = default;

bool MessageStream::next(MessageView& message) {
  State& s = *state_;
  s.put_back();
  const auto first_due = [&s] {
    const OpenChunk& top = *s.queue.top();
    return top.entries[top.next].time_ns;
  };
  while (s.next_place < s.places.size() &&
         (s.queue.empty() || s.places[s.next_place].index->start_time_ns <= first_due())) {
    s.open(s.places[s.next_place++]);
  }
  if (s.queue.empty()) return false;
  s.current = s.queue.top();
  s.queue.pop();

  const Entry& entry = s.current->entries[s.current->next];
  std::span<const std::byte> at(s.current->buffers.records);
  at = at.subspan(entry.offset);
  const RawMessage raw = *parse_message(next_record(at)->body);
  message.channel = &s.contents->channels.find(raw.channel)->second;
  message.sequence = raw.sequence;
  message.log_time_ns = raw.log_time_ns;
  message.publish_time_ns = raw.publish_time_ns;
  message.data = raw.data;
  return true;
}

MessageStream McapReader::messages(const MessageFilter& filter) const {
  auto state = std::make_unique<MessageStream::State>();
  state->file = file_.get();
  state->options = &options_;
  state->contents = &contents_;
  state->filter = filter;
  for (const auto& [id, channel] : contents_.channels) {
    const std::vector<std::string>& topics = filter.topics;
    const bool named = std::find(topics.begin(), topics.end(), channel.topic) != topics.end();
    if (topics.empty() || named) state->wanted.insert(id);
  }
  for (const ChunkIndex& index : contents_.chunks) state->add_place(index, false);
  for (const ChunkIndex& index : contents_.loose) state->add_place(index, true);
  std::sort(state->places.begin(), state->places.end(), [](const Place& a, const Place& b) {
    return std::tie(a.index->start_time_ns, a.index->offset) <
           std::tie(b.index->start_time_ns, b.index->offset);
  });
  return MessageStream(std::move(state));
}

}  // namespace kagami::runtime
