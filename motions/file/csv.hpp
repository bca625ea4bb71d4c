/// Lines and fields of CSV motion files; channel values of KHR-1 tables.
#pragma once

#include <array>
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

inline constexpr int kUnusedChannel = 225;  ///< instead of a count: the joint keeps its angle

/// One line that is not blank: fields trimmed of spaces and quotes, a trailing empty one dropped.
struct CsvLine {
  int number = 0;  ///< from 1
  std::vector<std::string_view> fields;
};

/// What separates the fields of a file: the most frequent of ";", "," and tab in its first line
/// that has any.
char separator_of(std::string_view bytes);

/// Splits into lines (CRLF, LF or CR) and fields. Throws ConfigError when the file is larger than
/// kMaxMotionBytes or has more than 2 * kMaxPoses lines.
std::vector<CsvLine> split_csv(std::string_view bytes, const std::string& file);

/// "line 3, field 5", counted from 1.
std::string place_of(const CsvLine& line, std::size_t field);

/// The whole number in a field, if it is nothing else.
std::optional<int> whole_number(std::string_view field);

/// A robot whose joints are the channels: "ch1" to "ch24". For files of robots that are not known.
RobotWiring channel_wiring(const SpeedTable& speed = {});

/// Turns channel values into a pose; collects warnings, one per cause.
class ChannelReader {
 public:
  enum class Values {
    kRelativeToHome,
    kAbsolute,
    kRaw,  ///< taken as degrees as they are; for `channel_wiring` and a later MotionMap
  };
  ChannelReader(const RobotWiring& wiring, Values values);

  /// Reads 24 channel fields of `line` from field `first` on.
  Pose read(const CsvLine& line, std::size_t first, Problems& problems);
  /// The speed code in `field`, 0..7.
  static std::optional<int> read_speed(const CsvLine& line, std::size_t field, Problems& problems);
  [[nodiscard]] std::vector<std::string> warnings() const;

 private:
  std::optional<double> read_channel(const CsvLine& line, std::size_t field, int channel,
                                     Problems& problems);
  void warn(const std::string& cause, const std::string& place);
  void note_clipped(const std::string& joint, int count, const CsvLine& line, std::size_t field);

  const RobotWiring& wiring_;
  Values values_;
  std::array<int, kMotionChannels + 1> joint_on_{};  ///< index by channel, -1: no servo
  struct Warning {
    int count = 0;
    std::string first_place;
  };
  std::map<std::string, Warning> warnings_;
  struct Clipped {
    int count = 0;
    int furthest = 0;
    std::string place;
  };
  std::map<std::string, Clipped> clipped_;  ///< by joint
};

}  // namespace kagami::motions
