#include "tools/import/servo_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "drivers/rcb1/protocol.hpp"
#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "models/base/number_text.hpp"
#include "runtime/channels/cycle_types.hpp"

namespace kagami::tools {
namespace {

using drivers::rcb1::kMaxCount;

constexpr std::size_t kMaxSteps = 4096;
constexpr double kMaxGap = 60.0;           // s between rows; more is a clock that was set
constexpr double kMaxDuration = 86400.0;   // s
constexpr double kMaxAngle = to_rad(720);  // rad; an angle beyond it has another unit
constexpr double kSlack = 0.5;             // deg; it rounds to a count of the range
constexpr auto kLastPhase = static_cast<int>(runtime::Phase::kTesting);

/// Of the numbers of a column.
struct ColumnStatistics {
  double largest = 0.0;
  bool is_whole = true;
};

/// The first pass over the table.
class Survey {
 public:
  Survey(CsvTable& table, std::optional<std::size_t> time) : table_(table), time_(time) {
    columns.resize(table.header().size());
  }

  void read(const std::function<void()>& step) {
    while (table_.next()) {
      const std::size_t count = std::min(columns.size(), table_.cells().size());
      for (std::size_t i = 0; i < count; ++i) add_cell(i);
      step();
    }
  }

  /// Median of the steps of time that rise; 0: none.
  [[nodiscard]] double median_step() {
    if (steps_.empty()) return 0.0;
    const auto middle = steps_.begin() + static_cast<std::ptrdiff_t>(steps_.size() / 2);
    std::nth_element(steps_.begin(), middle, steps_.end());
    return *middle;
  }

  std::vector<ColumnStatistics> columns;

 private:
  void add_cell(std::size_t i) {
    const Cell cell = read_cell(table_.cells()[i], table_.form());
    if (cell.kind != CellKind::kNumber) return;
    columns[i].largest = std::max(columns[i].largest, std::abs(cell.value));
    columns[i].is_whole = columns[i].is_whole && cell.value == std::floor(cell.value);
    if (i != time_ || steps_.size() >= kMaxSteps) return;
    if (last_time_ && cell.value > *last_time_) steps_.push_back(cell.value - *last_time_);
    last_time_ = cell.value;
  }

  CsvTable& table_;
  std::optional<std::size_t> time_;
  std::vector<double> steps_;
  std::optional<double> last_time_;
};

// a log has 5 to 5000 rows a second
TimeUnit unit_of_step(double step) {
  if (step < 0.3) return TimeUnit::kS;
  if (step < 300.0) return TimeUnit::kMs;
  return step < 300e3 ? TimeUnit::kUs : TimeUnit::kNs;
}

void choose_time_unit(const ServoLogOptions& options, double step, ServoLogFacts& facts) {
  if (options.time_unit) {
    facts.time_unit = *options.time_unit;
    facts.time_unit_why = "as given";
  } else if (facts.columns.time_unit) {
    facts.time_unit = *facts.columns.time_unit;
    facts.time_unit_why = "by its name";
  } else {
    facts.time_unit = unit_of_step(step);
    facts.time_unit_why = "by its steps of " + fmt::format("{:.4g}", step);
  }
  facts.step = step * seconds_per(facts.time_unit);
}

/// The angles of a robot have one unit unless their names say otherwise.
AngleUnit guessed_unit(const ServoLogFacts& facts, const std::vector<ColumnStatistics>& statistics,
                       std::string& why, motions::Problems& problems) {
  constexpr double kMostRad = 7.0;  // a turn and some
  constexpr double kMostDeg = 720.0;
  std::optional<std::size_t> largest;
  for (const JointColumns& joint : facts.columns.joints) {
    for (const auto& column : {joint.commanded, joint.measured, joint.reference}) {
      if (!column || column->unit) continue;
      if (!largest || statistics[column->place].largest > statistics[*largest].largest)
        largest = column->place;
    }
  }
  if (!largest) return AngleUnit::kRad;
  const double most = statistics[*largest].largest;
  why = "by its largest number, " + number_text(most);
  if (most > kMostDeg) {
    problems.add(column_text(facts.header, *largest),
                 "its largest number is " + number_text(most) +
                     ", too large for degrees; expected --unit counts with --counts-per-turn, or "
                     "--unit deg");
  }
  if (most > kMostRad) return AngleUnit::kDeg;
  if (statistics[*largest].is_whole && most > 0.0) {
    problems.add(column_text(facts.header, *largest),
                 "whole numbers of at most " + number_text(most) +
                     " may be degrees or radians; expected --unit deg or --unit rad");
  }
  return AngleUnit::kRad;
}

AngleScale scale_of(AngleUnit unit, const JointWiring& joint, const ServoLogOptions& options) {
  AngleScale scale;
  scale.unit = unit;
  if (unit == AngleUnit::kDeg) scale.per_one = to_rad(1.0);
  if (unit != AngleUnit::kCounts) return scale;
  if (options.counts_per_turn) {
    scale.per_one = 2.0 * std::numbers::pi / *options.counts_per_turn;
    scale.zero = options.center.value_or(0.5 * *options.counts_per_turn);
  } else {
    scale.per_one = to_rad(joint.sign);
    scale.zero = options.center.value_or(joint.home_deg);
  }
  return scale;
}

void choose_scales(const ServoLogOptions& options, const std::vector<ColumnStatistics>& statistics,
                   const RobotWiring& wiring, ServoLogFacts& facts, motions::Problems& problems) {
  std::string why = "by their names";
  AngleUnit other = options.angle_unit.value_or(AngleUnit::kRad);
  if (options.angle_unit)
    why = "as given";
  else
    other = guessed_unit(facts, statistics, why, problems);
  facts.angle_unit_why = why;
  for (std::size_t j = 0; j < wiring.joints.size(); ++j) {
    const JointColumns& columns = facts.columns.joints[j];
    std::optional<AngleUnit> named;
    for (const auto& column : {columns.commanded, columns.measured, columns.reference}) {
      if (!column || !column->unit) continue;
      if (named && *named != *column->unit) {
        problems.add(column_text(facts.header, column->place),
                     std::string("is in ") + name(*column->unit) + " and another column of joint " +
                         wiring.joints[j].joint + " in " + name(*named) +
                         "; expected one unit for a joint");
      }
      named = column->unit;
    }
    const AngleUnit unit = options.angle_unit ? *options.angle_unit : named.value_or(other);
    facts.scales.push_back(scale_of(unit, wiring.joints[j], options));
  }
}

std::string degrees(double angle) {
  return number_text(std::round(to_deg(angle) * 1e3) / 1e3) + " deg";
}

}  // namespace

ServoLogReader::ServoLogReader(const std::filesystem::path& file, const RobotWiring& wiring,
                               const ServoLogFacts& facts, motions::Problems* problems)
    : table_(file), wiring_(wiring), facts_(facts), problems_(problems) {}

bool ServoLogReader::next(ServoLogRow& row) {
  while (table_.next()) {
    if (read_row(row)) return true;
    ++skipped_;
  }
  return false;
}

void ServoLogReader::add_fault(std::optional<std::size_t> column, const std::string& problem) {
  is_bad_ = true;
  if (problems_ == nullptr) return;
  problems_->add("row " + std::to_string(table_.row()) +
                     (column ? ", " + column_text(table_.header(), *column) : ""),
                 problem);
}

std::optional<double> ServoLogReader::number(std::size_t column) {
  if (column >= table_.cells().size()) return std::nullopt;
  const std::string& text = table_.cells()[column];
  const Cell cell = read_cell(text, table_.form());
  if (cell.kind == CellKind::kText) {
    const std::string shown = text.size() > 40 ? text.substr(0, 40) + "..." : text;
    add_fault(column, "'" + shown + "' is not a number" +
                          (table_.form().decimal_comma ? " with a decimal comma" : ""));
  }
  if (cell.kind != CellKind::kNumber) return std::nullopt;
  return cell.value;
}

void ServoLogReader::read_time(ServoLogRow& row) {
  if (!facts_.columns.time) return;
  const std::size_t column = *facts_.columns.time;
  const bool was_bad = is_bad_;
  const std::optional<double> time = number(column);
  if (!time) {
    if (is_bad_ == was_bad) add_fault(column, "has no time; expected a number");
    return;
  }
  const double unit = seconds_per(facts_.time_unit);
  if (last_time_ && *time <= *last_time_) {
    return add_fault(
        column, (*time == *last_time_ ? "repeats the time of row " : "is before the time of row ") +
                    std::to_string(last_row_) + ", " + number_text(*last_time_) +
                    "; expected times that increase");
  }
  const double gap = last_time_ ? (*time - *last_time_) * unit : 0.0;
  const double length = first_time_ ? (*time - *first_time_) * unit : 0.0;
  if (gap > kMaxGap || length > kMaxDuration) {
    add_fault(column, "is " + number_text(gap) + " s after row " + std::to_string(last_row_) +
                          "; expected at most 60 s between rows and a day in all");
    if (problems_ == nullptr) return;  // the next row is compared with the last good one
  }
  if (!first_time_) first_time_ = *time;
  last_time_ = *time;
  last_row_ = table_.row();
  row.time_ns = std::llround((*time - *first_time_) * unit * 1e9);
}

void ServoLogReader::read_angles(ServoLogRow& row) {
  const std::size_t n = wiring_.joints.size();
  for (auto* values : {&row.commanded, &row.measured, &row.reference}) values->assign(n, {});
  for (std::size_t j = 0; j < n; ++j) {
    const JointColumns& columns = facts_.columns.joints[j];
    const AngleScale& scale = facts_.scales[j];
    const auto angle = [&](const std::optional<UsedColumn>& column) -> std::optional<double> {
      if (!column) return std::nullopt;
      const std::optional<double> value = number(column->place);
      if (!value) return std::nullopt;
      const double rad = (*value - scale.zero) * scale.per_one;
      if (std::abs(rad) <= kMaxAngle) return rad;
      add_fault(column->place, number_text(*value) + " is " + degrees(rad) +
                                   "; expected an angle within two turns");
      return std::nullopt;
    };
    row.measured[j] = angle(columns.measured);
    row.commanded[j] = angle(columns.commanded);
    row.reference[j] = angle(columns.reference);
    if (!row.commanded[j] || !columns.measured) continue;
    const JointWiring& joint = wiring_.joints[j];
    const double count = joint.home_deg + joint.sign * to_deg(*row.commanded[j]);
    if (count >= -kSlack && count <= kMaxCount + kSlack) continue;
    const double ends[] = {-1.0 * joint.sign * joint.home_deg,
                           1.0 * joint.sign * (kMaxCount - joint.home_deg)};
    add_fault(columns.commanded->place, degrees(*row.commanded[j]) +
                                            " is outside the servo's range; expected " +
                                            number_text(std::min(ends[0], ends[1])) + ".." +
                                            number_text(std::max(ends[0], ends[1])) +
                                            " deg, by home_deg of joint " + joint.joint);
  }
}

bool ServoLogReader::read_row(ServoLogRow& row) {
  is_bad_ = false;
  row.row = table_.row();
  const std::size_t cells = table_.cells().size();
  const std::size_t expected = table_.header().size();
  const bool has_end_mark = cells == expected + 1 && table_.cells().back().empty();
  if (table_.has_open_quote()) {
    add_fault(std::nullopt, "a quote is not closed");
  } else if (cells != expected && !has_end_mark) {
    add_fault(std::nullopt, "has " + std::to_string(cells) + " cells; the header has " +
                                std::to_string(expected));
    return false;  // its cells cannot be matched to columns
  }
  read_time(row);
  read_angles(row);
  row.phase.reset();
  if (facts_.columns.phase) {
    const std::optional<double> phase = number(*facts_.columns.phase);
    if (phase && (*phase < 0.0 || *phase > kLastPhase || *phase != std::floor(*phase))) {
      add_fault(*facts_.columns.phase,
                number_text(*phase) + " is not a phase; expected 0.." + std::to_string(kLastPhase));
    } else if (phase) {
      row.phase = static_cast<int>(*phase);
    }
  }
  row.speed_code.clear();
  for (const std::size_t column : facts_.columns.speed_code) {
    const std::optional<double> code = number(column);
    if (code && (*code < 0.0 || *code >= kSpeedCodes || *code != std::floor(*code))) {
      add_fault(column, number_text(*code) + " is not a speed code; expected 0.." +
                            std::to_string(kSpeedCodes - 1));
    }
    row.speed_code.push_back(code);
  }
  return !is_bad_;
}

ServoLogFacts inspect_servo_log(const std::filesystem::path& file, const RobotWiring& wiring,
                                const ServoLogOptions& options) {
  motions::Problems problems(file.string());
  std::vector<std::string> names;
  for (const JointWiring& joint : wiring.joints) names.push_back(joint.joint);
  ServoLogFacts facts;
  CsvTable table(file);
  facts.form = table.form();
  facts.header = table.header();
  facts.columns = choose_columns(facts.header, names, options.columns, problems);

  const auto progress = [&](const CsvTable& at, double from) {
    if (!options.progress || at.row() % 4096 != 0 || at.num_bytes() == 0) return;
    options.progress(from + 0.5 * static_cast<double>(at.bytes_read()) /
                                static_cast<double>(at.num_bytes()));
  };
  Survey survey(table, facts.columns.time);
  survey.read([&] { progress(table, 0.0); });
  choose_time_unit(options, survey.median_step(), facts);
  choose_scales(options, survey.columns, wiring, facts, problems);

  ServoLogReader reader(file, wiring, facts, options.skip_bad_rows ? nullptr : &problems);
  facts.first_measured.resize(names.size());
  facts.first_commanded.resize(names.size());
  ServoLogRow row;
  while (!problems.is_hopeless() && reader.next(row)) {
    progress(reader.table(), 0.5);
    ++facts.rows;
    facts.duration = 1e-9 * static_cast<double>(row.time_ns);
    for (std::size_t j = 0; j < names.size(); ++j) {
      if (!facts.first_measured[j]) facts.first_measured[j] = row.measured[j];
      if (!facts.first_commanded[j]) facts.first_commanded[j] = row.commanded[j];
    }
  }
  facts.skipped = reader.skipped();
  constexpr std::uint64_t kFewestRows = 10;
  if (facts.rows < kFewestRows && problems.empty()) {
    problems.add("rows", std::to_string(facts.rows) + " can be used; expected at least " +
                             std::to_string(kFewestRows));
  }
  for (std::size_t j = 0; j < names.size() && problems.empty(); ++j) {
    const JointColumns& columns = facts.columns.joints[j];
    if (columns.measured && !facts.first_measured[j]) {
      problems.add(column_text(facts.header, columns.measured->place), "has no number in any row");
    }
    if (columns.commanded && columns.measured && !facts.first_commanded[j]) {
      problems.add(column_text(facts.header, columns.commanded->place), "has no number in any row");
    }
  }
  problems.throw_if_any();
  return facts;
}

}  // namespace kagami::tools
