#include "tools/board/unkept_record.hpp"

#include <memory>
#include <utility>

namespace kagami::tools {
namespace {

/// Takes every byte and keeps none.
class EmptySink final : public runtime::ByteSink {
 public:
  explicit EmptySink(std::unique_ptr<runtime::ByteSink> file) : file_(std::move(file)) {}
  runtime::SinkResult write_at(std::uint64_t /*offset*/,
                               std::span<const std::byte> bytes) noexcept override {
    return {.count = bytes.size()};
  }
  int truncate(std::uint64_t /*size*/) noexcept override { return 0; }
  int sync() noexcept override { return 0; }
  const std::string& name() const noexcept override { return file_->name(); }

 private:
  std::unique_ptr<runtime::ByteSink> file_;
};

}  // namespace

void UnkeptRecord::redirect(runtime::RecordHeader& header) const {
  header.file = folder_.file("run.mcap");
  header.replace = false;
  header.disk = [](std::unique_ptr<runtime::ByteSink> file) -> std::unique_ptr<runtime::ByteSink> {
    return std::make_unique<EmptySink>(std::move(file));
  };
}

}  // namespace kagami::tools
