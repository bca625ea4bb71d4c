/// Numbers as little-endian CDR (XCDR version 1), the encoding of ROS 2 messages.
///
/// Source: OMG DDS-XTYPES 1.3, section 7.4.1: encapsulation header 00 01 00 00, then each value
/// aligned to its own size, counted from the byte after the header.
///
///     std::vector<std::byte> row;             // kept and reused: no allocation once it has grown
///     CdrWriter out(row);                     // ros2msg schema:
///     out.put(std::int64_t{tick});            //   int64 tick
///     out.put(fresh);                         //   bool fresh
///     out.put_array(std::span(q));            //   float64[17] q
///     out.put_sequence(std::span(bytes));     //   uint8[] bytes
///     writer.write(channel, now_ns, now_ns, row);
///
///     CdrReader in(message.data);
///     in.get(tick); in.get(fresh); in.get_array(std::span(q));
///     if (!in.ok()) ...                       // one check at the end suffices
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace kagami::runtime {

static_assert(std::endian::native == std::endian::little, "CDR is written as the memory has it");

/// The numbers a message may have; enumerations are cast by the caller.
template <class T>
concept CdrNumber = std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8 &&
                    !std::is_same_v<T, long double>;

/// Appends to a buffer of the caller, which it empties first. Set-up or writer thread code.
class CdrWriter {
 public:
  /// Empties out and writes the encapsulation header.
  explicit CdrWriter(std::vector<std::byte>& out) : out_(out) {
    out_.assign({std::byte{0}, std::byte{1}, std::byte{0}, std::byte{0}});
  }

  template <CdrNumber T>
  void put(T value) {
    align(sizeof(T));
    append(&value, sizeof(T));
  }
  void put(bool value) { put(static_cast<std::uint8_t>(value)); }

  /// An array whose length is in the schema.
  template <class T, std::size_t N>
  requires CdrNumber<std::remove_const_t<T>>
  void put_array(std::span<T, N> values) {
    if (values.empty()) return;
    align(sizeof(T));
    append(values.data(), values.size_bytes());
  }
  /// Its length as uint32, then the values.
  template <class T, std::size_t N>
  requires CdrNumber<std::remove_const_t<T>>
  void put_sequence(std::span<T, N> values) {
    put(static_cast<std::uint32_t>(values.size()));
    put_array(values);
  }

 private:
  void align(std::size_t size) { out_.resize(4 + ((out_.size() - 4 + size - 1) & ~(size - 1))); }
  void append(const void* bytes, std::size_t size) {
    const std::byte* begin = static_cast<const std::byte*>(bytes);
    out_.insert(out_.end(), begin, begin + size);
  }
  std::vector<std::byte>& out_;
};

/// Reads what CdrWriter wrote. Never reads past the end: from the first value that is not there or
/// not possible on, ok() is false and outputs stay as they were.
class CdrReader {
 public:
  /// Checks the encapsulation header: little-endian CDR, options ignored.
  explicit CdrReader(std::span<const std::byte> message) noexcept;

  [[nodiscard]] bool ok() const noexcept { return ok_; }
  /// Everything was read: nothing but ok() and no bytes left.
  [[nodiscard]] bool at_end() const noexcept { return ok_ && at_ == body_.size(); }

  template <CdrNumber T>
  bool get(T& value) noexcept {
    return take(&value, sizeof(T), sizeof(T));
  }
  /// Refuses a byte other than 0 and 1.
  bool get(bool& value) noexcept;
  template <CdrNumber T, std::size_t N>
  bool get_array(std::span<T, N> values) noexcept {
    return values.empty() ? ok_ : take(values.data(), values.size_bytes(), sizeof(T));
  }

 private:
  bool take(void* to, std::size_t size, std::size_t alignment) noexcept;
  std::span<const std::byte> body_;
  std::size_t at_ = 0;
  bool ok_ = false;
};

}  // namespace kagami::runtime
