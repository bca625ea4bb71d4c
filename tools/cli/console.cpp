#include "tools/cli/console.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <istream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <system_error>

#include "tools/cli/table.hpp"

namespace kagami::tools {
namespace {

constexpr double kBarPeriod = 0.1;   // s
constexpr double kLinePeriod = 5.0;  // s
constexpr double kLineShare = 0.1;   // of the whole
constexpr int kBarCells = 30;
constexpr const char* kRed = "\033[1;31m";
constexpr const char* kYellow = "\033[1;33m";
constexpr const char* kPlain = "\033[0m";
constexpr const char* kEraseLine = "\r\033[K";

}  // namespace

Console::Console(std::istream& in, std::ostream& out, std::ostream& err, ConsoleSettings settings)
    : in_(in), out_(out), err_(err), settings_(std::move(settings)) {
  no_color = !environment("NO_COLOR").value_or("").empty();
}

void Console::print(const std::string& text) {
  end_progress();
  out_ << text << std::flush;
}

void Console::print_json(const nlohmann::json& object) {
  end_progress();
  // file names and notes may hold bytes that are no UTF-8: replaced, never a crash
  out_ << object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n"
       << std::flush;
}

void Console::say(const std::string& text) {
  if (quiet) return;
  end_progress();
  err_ << text << "\n" << std::flush;
}

void Console::detail(const std::string& text) {
  if (verbose) say(text);
}

void Console::warn(const std::string& text) {
  end_progress();
  err_ << painted(kYellow, "warning:") << " " << text << "\n" << std::flush;
}

void Console::error(const std::string& text) {
  end_progress();
  err_ << painted(kRed, "error:") << " " << text << "\n" << std::flush;
}

bool Console::confirm(const std::string& question) {
  if (!settings_.in_is_terminal) return false;
  end_progress();
  err_ << question << " [y/N] " << std::flush;
  std::string answer;
  std::getline(in_, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

std::optional<std::string> Console::read_line(const std::string& prompt) {
  end_progress();
  if (settings_.in_is_terminal) err_ << prompt << std::flush;
  std::string line;
  if (!std::getline(in_, line)) return std::nullopt;
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return line;
}

void Console::progress(double share, const std::string& text) {
  if (quiet) return;
  share = std::clamp(share, 0.0, 1.0);
  const double now = seconds();
  if (settings_.err_is_terminal) {
    if (now - progress_at_ < kBarPeriod && share < 1.0) return;
    progress_at_ = now;
    const int cells = static_cast<int>(share * kBarCells);
    std::string line =
        fmt::format("[{:<{}}] {:3.0f} % {}", std::string(static_cast<std::size_t>(cells), '#'),
                    kBarCells, 100.0 * share, text);
    const std::size_t most = static_cast<std::size_t>(std::max(20, settings_.width - 1));
    if (line.size() > most) line.resize(most);
    err_ << kEraseLine << line << std::flush;
    bar_is_open_ = true;
    return;
  }
  const bool is_due = share - progress_share_ >= kLineShare && now - progress_at_ >= kLinePeriod;
  if (!is_due && progress_share_ >= 0.0) return;
  progress_at_ = now;
  progress_share_ = share;
  err_ << fmt::format("{:3.0f} % {}\n", 100.0 * share, text) << std::flush;
}

void Console::end_progress() {
  if (bar_is_open_) err_ << "\n" << std::flush;
  bar_is_open_ = false;
}

bool Console::results_are_written() const {
  return out_.good();
}

std::optional<std::string> Console::environment(const std::string& name) const {
  return settings_.environment ? settings_.environment(name) : std::nullopt;
}

double Console::seconds() const {
  if (settings_.seconds) return settings_.seconds();
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

int Console::out_width() const {
  return settings_.out_is_terminal ? settings_.width : 0;
}

int Console::help_width() const {
  constexpr int kUnknown = 80;
  constexpr int kWidest = 100;  // longer lines are hard to read
  int width = settings_.out_is_terminal ? settings_.width : kUnknown;
  const std::string columns = environment("COLUMNS").value_or("");
  int number = 0;
  const auto [end, error] =
      std::from_chars(columns.data(), columns.data() + columns.size(), number);
  if (error == std::errc() && end == columns.data() + columns.size() && number > 0) width = number;
  return std::min(width, kWidest);
}

std::string Console::painted(const char* code, const std::string& text) const {
  return settings_.err_is_terminal && !no_color ? code + text + kPlain : text;
}

}  // namespace kagami::tools
