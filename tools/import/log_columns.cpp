#include "tools/import/log_columns.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>

#include "models/base/errors.hpp"

namespace kagami::tools {
namespace {

using Words = std::vector<std::string>;

enum class Role : std::uint8_t { kNone, kCommanded, kMeasured, kReference };

/// One of several columns that may be a joint's: the one with the lowest rank is chosen.
struct Candidate {
  UsedColumn column;
  int rank = 0;
};

template <std::size_t N>
bool is_one_of(const std::string& word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr std::array<std::string_view, 15> kCommandedWords = {
    "cmd",     "command", "commanded", "commands", "goal",  "target",     "targets", "setpoint",
    "desired", "des",     "action",    "demand",   "input", "instructed", "set"};
constexpr std::array<std::string_view, 13> kMeasuredWords = {
    "measured", "meas",   "actual", "present", "feedback", "fb",  "state",
    "encoder",  "sensed", "read",   "reading", "observed", "real"};
constexpr std::array<std::string_view, 2> kReferenceWords = {"reference", "ref"};
/// A column with one of these is no angle of the robot.
constexpr std::array<std::string_view, 27> kOtherWords = {
    "speed",       "velocity", "vel",     "load",      "torque", "current", "voltage",
    "volt",        "volts",    "temp",    "effort",    "accel",  "error",   "residual",
    "temperature", "enable",   "pwm",     "simulated", "sim",    "status",  "acceleration",
    "moving",      "power",    "enabled", "gain",      "age",    "hz"};
constexpr std::array<std::string_view, 9> kTimeWords = {
    "t", "time", "timestamp", "stamp", "timestamps", "times", "elapsed", "clock", "seconds"};
constexpr std::array<std::string_view, 3> kDegWords = {"deg", "degree", "degrees"};
constexpr std::array<std::string_view, 3> kRadWords = {"rad", "radian", "radians"};
constexpr std::array<std::string_view, 4> kCountWords = {"count", "counts", "ticks", "steps"};
/// Words without a role; a column with these alone is the measured angle.
constexpr std::array<std::string_view, 9> kAngleWords = {
    "q", "position", "positions", "pos", "angle", "ang", "joint", "servo", "motor"};

/// Lower case, split at everything else and at "aB".
Words words_of(const std::string& name) {
  Words words(1);
  bool was_lower = false;
  for (const char letter : name) {
    const auto c = static_cast<unsigned char>(letter);
    const bool is_word = std::isalnum(c) != 0;
    const bool starts = !is_word || (was_lower && std::isupper(c) != 0);
    if (starts && !words.back().empty()) words.emplace_back();
    if (is_word) words.back() += static_cast<char>(std::tolower(c));
    was_lower = std::islower(c) != 0;
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

/// Removes the words of `part` from `words`, where they follow each other. False: they do not.
bool remove_words(Words& words, const Words& part) {
  const auto found = std::search(words.begin(), words.end(), part.begin(), part.end());
  if (part.empty() || found == words.end()) return false;
  words.erase(found, found + static_cast<std::ptrdiff_t>(part.size()));
  return true;
}

/// Removes the longest joint name that is in the words, and returns the joint; -1: none.
int extract_joint(Words& words, const std::vector<std::string>& joints) {
  int best = -1;
  std::size_t longest = 0;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const Words name = words_of(joints[j]);
    Words copy = words;
    if (name.size() <= longest || !remove_words(copy, name)) continue;
    best = static_cast<int>(j);
    longest = name.size();
  }
  if (best >= 0) remove_words(words, words_of(joints[static_cast<std::size_t>(best)]));
  return best;
}

/// Removes the unit from the words and returns it.
std::optional<AngleUnit> extract_unit(Words& words) {
  std::optional<AngleUnit> unit;
  const auto is_unit = [&](const std::string& word) {
    if (is_one_of(word, kDegWords))
      unit = AngleUnit::kDeg;
    else if (is_one_of(word, kRadWords))
      unit = AngleUnit::kRad;
    else if (is_one_of(word, kCountWords))
      unit = AngleUnit::kCounts;
    else
      return false;
    return true;
  };
  words.erase(std::remove_if(words.begin(), words.end(), is_unit), words.end());
  return unit;
}

/// Whether all words are about time; sets the unit that they give.
bool is_time(const Words& words, std::optional<TimeUnit>& unit) {
  static const std::map<std::string, TimeUnit> kUnits = {
      {"s", TimeUnit::kS},       {"sec", TimeUnit::kS}, {"secs", TimeUnit::kS},
      {"seconds", TimeUnit::kS}, {"ms", TimeUnit::kMs}, {"msec", TimeUnit::kMs},
      {"millis", TimeUnit::kMs}, {"us", TimeUnit::kUs}, {"usec", TimeUnit::kUs},
      {"micros", TimeUnit::kUs}, {"ns", TimeUnit::kNs}, {"nsec", TimeUnit::kNs},
      {"nanos", TimeUnit::kNs}};
  bool any = false;
  for (const std::string& word : words) {
    const auto found = kUnits.find(word);
    if (found != kUnits.end()) unit = found->second;
    any = any || is_one_of(word, kTimeWords) || found != kUnits.end();
    if (found == kUnits.end() && !is_one_of(word, kTimeWords)) return false;
  }
  return any;
}

class Chooser {
 public:
  Chooser(const std::vector<std::string>& header, const std::vector<std::string>& joints,
          motions::Problems& problems)
      : header_(header), joints_(joints), problems_(problems), candidates_(joints.size()) {
    columns_.joints.resize(joints.size());
    is_used_.resize(header.size());
    is_log_export_ = std::find(header.begin(), header.end(), "motion_time") != header.end();
  }

  LogColumns choose(const RequestedColumns& requested) {
    refuse_equal_names();
    assign_requested(requested);
    for (std::size_t i = 0; i < header_.size(); ++i) {
      if (!is_used_[i]) classify_column(i);
    }
    for (std::size_t j = 0; j < joints_.size(); ++j) choose_joint_columns(j);
    check_completeness();
    return columns_;
  }

 private:
  using Roles = std::array<std::vector<Candidate>, 4>;

  void refuse_equal_names() {
    std::map<std::string, std::size_t> first;
    for (std::size_t i = 0; i < header_.size(); ++i) {
      if (header_[i].empty()) continue;
      const auto [found, is_new] = first.emplace(header_[i], i);
      if (is_new) continue;
      problems_.add(column_text(header_, i), "has the name of column " +
                                                 std::to_string(found->second + 1) +
                                                 "; expected a different name for each");
    }
  }

  std::optional<std::size_t> place_of(const std::string& text) const {
    const auto found = std::find(header_.begin(), header_.end(), text);
    if (found != header_.end()) return static_cast<std::size_t>(found - header_.begin());
    std::size_t number = 0;
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, number);
    const bool is_number = error == std::errc{} && end == last;
    if (!is_number || number < 1 || number > header_.size()) return std::nullopt;
    return number - 1;
  }

  void assign_requested(const RequestedColumns& requested) {
    is_time_named_ = !requested.time.empty();
    if (is_time_named_) {
      columns_.time = place_of(requested.time);
      if (!columns_.time) {
        problems_.add("--time " + requested.time,
                      "is not a column of the header; expected a name in it or a number from 1");
      } else {
        is_used_[*columns_.time] = true;
        static_cast<void>(is_time(words_of(header_[*columns_.time]), columns_.time_unit));
      }
    }
    for (const std::string& map : requested.maps) assign_mapped_column(map);
  }

  void assign_mapped_column(const std::string& map) {
    const std::size_t equal = map.find('=');
    const std::size_t slash = map.rfind('/', equal);
    const bool is_whole = equal != std::string::npos && slash != std::string::npos;
    const std::string joint = is_whole ? map.substr(0, slash) : "";
    const std::string what = is_whole ? map.substr(slash + 1, equal - slash - 1) : "";
    const auto found = std::find(joints_.begin(), joints_.end(), joint);
    if (found == joints_.end() || (what != "commanded" && what != "measured")) {
      return problems_.add("--map " + map,
                           "expected JOINT/commanded=COLUMN or "
                           "JOINT/measured=COLUMN with a joint of the robot: " +
                               joints_text());
    }
    const std::optional<std::size_t> place = place_of(map.substr(equal + 1));
    if (!place) {
      return problems_.add(
          "--map " + map,
          "'" + map.substr(equal + 1) +
              "' is not a column of the header; expected a name in it or a number from 1");
    }
    is_used_[*place] = true;
    Words words = words_of(header_[*place]);
    JointColumns& columns = columns_.joints[static_cast<std::size_t>(found - joints_.begin())];
    (what == "commanded" ? columns.commanded : columns.measured) = {*place, extract_unit(words)};
  }

  void classify_column(std::size_t i) {
    Words words = words_of(header_[i]);
    std::optional<TimeUnit> unit;
    if (!is_time_named_ && is_time(words, unit)) {
      if (!columns_.time) {
        columns_.time = i;
        columns_.time_unit = unit;
      } else {
        columns_.unused.push_back(header_[i]);
      }
      return;
    }
    if (is_log_export_ && header_[i] == "phase") {
      columns_.phase = i;
      return;
    }
    if (is_log_export_ && header_[i].rfind("speed_code/", 0) == 0) {
      columns_.speed_code.push_back(i);
      return;
    }
    if (!add_angle_candidate(i, words)) columns_.unused.push_back(header_[i]);
  }

  /// False: the column is no angle of a joint.
  bool add_angle_candidate(std::size_t i, Words words) {
    const bool is_exported = !words.empty() && words.front() == "q";  // by `log export`, in rad
    int joint = extract_joint(words, joints_);
    UsedColumn column{i, extract_unit(words)};
    if (is_exported && !column.unit) column.unit = AngleUnit::kRad;
    if (std::any_of(words.begin(), words.end(),
                    [](const std::string& w) { return is_one_of(w, kOtherWords); })) {
      return false;
    }
    Role role = Role::kNone;
    int rank = 1;
    bool is_angle = false;
    Words unknown;
    for (const std::string& word : words) {
      if (word == "received") {
        role = Role::kCommanded;
        rank = 0;
      } else if (is_one_of(word, kCommandedWords)) {
        role = Role::kCommanded;
      } else if (is_one_of(word, kMeasuredWords)) {
        role = Role::kMeasured;
      } else if (is_one_of(word, kReferenceWords)) {
        role = Role::kReference;
      } else if (is_one_of(word, kAngleWords)) {
        is_angle = true;
      } else {
        unknown.push_back(word);
      }
    }
    if (role == Role::kNone && (is_angle || (joint >= 0 && unknown.empty()))) {
      role = Role::kMeasured;
      rank = 2;
    }
    if (role == Role::kNone) return false;
    if (joint < 0 && joints_.size() == 1 && unknown.empty()) joint = 0;
    if (joint < 0) {
      if (!unknown.empty()) unknown_.push_back(i);
      return false;
    }
    candidates_[static_cast<std::size_t>(joint)][static_cast<std::size_t>(role)].push_back(
        {column, rank});
    return true;
  }

  void choose_joint_columns(std::size_t joint) {
    Roles& roles = candidates_[joint];
    JointColumns& chosen = columns_.joints[joint];
    auto& reference = roles[static_cast<std::size_t>(Role::kReference)];
    auto& commanded = roles[static_cast<std::size_t>(Role::kCommanded)];
    // without a column of commands, the reference is the command
    if (commanded.empty()) commanded = reference;
    choose_column(joint, "commanded", commanded, chosen.commanded);
    choose_column(joint, "measured", roles[static_cast<std::size_t>(Role::kMeasured)],
                  chosen.measured);
    choose_column(joint, "reference", reference, chosen.reference);
  }

  void choose_column(std::size_t joint, const std::string& what, std::vector<Candidate>& all,
                     std::optional<UsedColumn>& chosen) {
    if (chosen || all.empty()) return;
    std::stable_sort(all.begin(), all.end(),
                     [](const Candidate& a, const Candidate& b) { return a.rank < b.rank; });
    chosen = all[0].column;
    if (all.size() > 1 && all[1].rank == all[0].rank) {
      problems_.add(column_text(header_, all[1].column.place),
                    "may be the " + what + " angle of joint " + joints_[joint] + ", and so may " +
                        column_text(header_, all[0].column.place) + "; expected --map " +
                        joints_[joint] + "/" + what + "=COLUMN");
    }
  }

  void check_completeness() {
    if (!columns_.time && !is_time_named_) {
      problems_.add("header",
                    "has no time column; expected a name such as t, time_s or timestamp_ms, or "
                    "--time COLUMN");
    }
    bool any = false;
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      const JointColumns& columns = columns_.joints[j];
      any = any || columns.measured;
      if (columns.measured && !columns.commanded) {
        problems_.add(column_text(header_, columns.measured->place),
                      "joint " + joints_[j] +
                          " has no column of its command; expected one "
                          "with 'cmd', 'goal' or 'target' in its name, or --map " +
                          joints_[j] + "/commanded=COLUMN");
      }
    }
    if (!any) {
      for (const std::size_t i : unknown_) {
        problems_.add(column_text(header_, i), "its name has no joint of the robot");
      }
      problems_.add("header",
                    "no joint has both a commanded and a measured angle; expected columns as "
                    "JOINT_cmd and JOINT_measured, or --map, with a joint of the robot: " +
                        joints_text());
    }
  }

  [[nodiscard]] std::string joints_text() const {
    std::string text;
    for (const std::string& joint : joints_) text += (text.empty() ? "" : ", ") + joint;
    return text;
  }

  const std::vector<std::string>& header_;
  const std::vector<std::string>& joints_;
  motions::Problems& problems_;
  std::vector<Roles> candidates_;
  std::vector<bool> is_used_;
  std::vector<std::size_t> unknown_;  // angles whose names have no joint of the robot
  LogColumns columns_;
  bool is_time_named_ = false;  // by --time
  bool is_log_export_ = false;  // a table of `kagami log export`
};

}  // namespace

const char* name(AngleUnit unit) noexcept {
  return unit == AngleUnit::kRad ? "rad" : unit == AngleUnit::kDeg ? "deg" : "counts";
}

const char* name(TimeUnit unit) noexcept {
  constexpr std::array kNames = {"s", "ms", "us", "ns"};
  return kNames.at(static_cast<std::size_t>(unit));
}

double seconds_per(TimeUnit unit) noexcept {
  constexpr std::array kSeconds = {1.0, 1e-3, 1e-6, 1e-9};
  return kSeconds.at(static_cast<std::size_t>(unit));
}

std::string column_text(const std::vector<std::string>& header, std::size_t place) {
  const std::string name = place < header.size() ? header[place] : "";
  return "column " + std::to_string(place + 1) + (name.empty() ? "" : " '" + name + "'");
}

LogColumns choose_columns(const std::vector<std::string>& header,
                          const std::vector<std::string>& joints, const RequestedColumns& requested,
                          motions::Problems& problems) {
  return Chooser(header, joints, problems).choose(requested);
}

}  // namespace kagami::tools
