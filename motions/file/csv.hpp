/// Lines and fields of a comma separated file of whole numbers; channel values of KHR-1 tables.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/wiring.hpp"
#include "motions/file/motion.hpp"
#include "motions/file/problems.hpp"

namespace kagami::motions {

inline constexpr int kMotionChannels = 24;  ///< of both boards; every KHR-1 table has them all

/// One line that is not blank: fields trimmed of spaces and quotes, a trailing empty one dropped.
struct CsvLine {
  int number = 0;  ///< from 1
  std::vector<std::string_view> fields;
};

/// Splits into lines (CRLF, LF or CR) and fields; skips a UTF-8 byte order mark. Throws ConfigError
/// when the file is larger than kMaxMotionBytes or has more than 2 * kMaxPoses lines.
std::vector<CsvLine> split_csv(std::string_view bytes, const std::string& file);

/// "line 3, field 5", counted from 1.
std::string place_of(const CsvLine& line, std::size_t field);

/// The whole number in a field, if it is nothing else.
std::optional<int> whole_number(std::string_view field);

/// UTF-8 from code page 932; bytes that mean nothing become U+FFFD. ASCII passes unchanged.
struct DecodedText {
  std::string text;
  bool has_replacements = false;
};
DecodedText decode_cp932(std::string_view bytes);

/// Turns channel values into a pose; collects warnings, one per cause.
class ChannelReader {
 public:
  enum class Values { kRelativeToHome, kAbsolute };
  ChannelReader(const RobotWiring& wiring, Values values);

  /// Reads 24 channel fields of `line` from field `first` on.
  Pose read(const CsvLine& line, std::size_t first, Problems& problems);
  /// The speed code in `field`, 0..7.
  static std::optional<int> read_speed(const CsvLine& line, std::size_t field, Problems& problems);
  [[nodiscard]] std::vector<std::string> warnings() const;

 private:
  std::optional<double> read_channel(const CsvLine& line, std::size_t field, int channel,
                                     Problems& problems);
  const JointWiring* joint_on(int channel) const;
  void warn(const std::string& cause, const std::string& place);

  const RobotWiring& wiring_;
  Values values_;
  struct Warning {
    int count = 0;
    std::string first_place;
  };
  std::map<std::string, Warning> warnings_;
};

}  // namespace kagami::motions
