#include "runtime/test/support/line_disturbances.hpp"

#include <algorithm>
#include <array>
#include <random>

namespace kagami::test {
namespace {

using runtime::Stalled;

/// Draws; the standard's distributions differ between libraries, this does not.
class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}
  int below(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  bool one_in(int count) { return below(count) == 0; }
  std::int64_t ns(double least_s, double most_s) {
    const double part = static_cast<double>(random_() % 100'000) * 1e-5;
    return static_cast<std::int64_t>((least_s + part * (most_s - least_s)) * 1e9);
  }

 private:
  std::mt19937 random_;
};

std::int64_t stall_length(Draw& draw) {
  switch (draw.below(4)) {
    case 0:
      return draw.ns(0.002, 0.03);
    case 1:
      return draw.ns(0.2, 1.5);
    default:
      return draw.ns(0.03, 0.2);
  }
}

DrawnStall draw_stall(Draw& draw, double length_s) {
  constexpr std::array<Stalled, 4> kKinds{Stalled::kComputer, Stalled::kComputer, Stalled::kSleeper,
                                          Stalled::kTasks};
  const std::int64_t from_ns = draw.ns(0.0, length_s);
  return {kKinds.at(static_cast<std::size_t>(draw.below(4))), from_ns,
          from_ns + stall_length(draw)};
}

std::string seconds(std::int64_t ns) {
  return std::to_string(static_cast<double>(ns) * 1e-9);
}

std::string draw_fault(Draw& draw, double length_s) {
  const std::int64_t from_ns = draw.ns(0.0, length_s);
  const std::string window = ", from " + seconds(from_ns);
  const std::string few = window + ", for " + std::to_string(1 + draw.below(4));
  const std::string board = std::to_string(draw.below(2)) + ":";
  switch (draw.below(6)) {
    case 0:
      return board + "late " + seconds(draw.ns(0.005, 0.12)) + few;
    case 1:
      return board + "drop " + std::to_string(draw.below(14)) + few;
    case 2:
      return board + "extra " + std::to_string(1 + draw.below(3)) + few;
    case 3:
      return board + "flip " + std::to_string(draw.below(14)) + ":" +
             std::to_string(draw.below(8)) + few;
    case 4:
      return board + "mute" + window + ", until " + seconds(from_ns + draw.ns(0.02, 0.25));
    default:
      return board + "mute" + window + ", until " + seconds(from_ns + draw.ns(0.02, 1.5));
  }
}

}  // namespace

std::int64_t LineDisturbances::stalled_ns() const {
  std::int64_t sum_ns = 0;
  for (const DrawnStall& stall : stalls) sum_ns += stall.until_ns - stall.from_ns;
  return sum_ns;
}

std::int64_t LineDisturbances::stopped_at_ns() const {
  if (presses_ns.empty()) return -1;
  std::int64_t at_ns = presses_ns.front();
  for (const DrawnStall& stall : stalls) {
    if (stall.what != Stalled::kSleeper && at_ns >= stall.from_ns) {
      at_ns = std::max(at_ns, std::min(at_ns + stalled_ns(), stall.until_ns));
    }
  }
  return at_ns;
}

std::string LineDisturbances::text() const {
  constexpr std::array<const char*, 3> kNames{"computer", "cycle", "line"};
  std::string text = board + " boards, speed " + std::to_string(speed);
  if (on_stop == runtime::OnStop::kRelease) text += ", --on-stop release";
  for (const DrawnStall& stall : stalls) {
    text += std::string("; stall of the ") + kNames.at(static_cast<std::size_t>(stall.what)) + " " +
            seconds(stall.from_ns) + ".." + seconds(stall.until_ns);
  }
  for (const std::string& fault : faults) text += "; " + fault;
  for (const std::int64_t press : presses_ns) text += "; Ctrl-C at " + seconds(press);
  return text;
}

LineDisturbances draw_disturbances(unsigned seed, double length_s) {
  Draw draw(seed);
  LineDisturbances d;
  d.speed = 1.0 + 0.25 * draw.below(5);
  if (draw.one_in(8)) d.board = "slow";
  if (draw.one_in(3)) d.on_stop = runtime::OnStop::kRelease;
  const double end_s = length_s / d.speed;
  const bool clean = draw.one_in(7);
  const int stalls = clean ? 0 : draw.below(4);
  const int faults = clean ? 0 : draw.below(4);
  for (int k = 0; k < stalls; ++k) d.stalls.push_back(draw_stall(draw, end_s));
  for (int k = 0; k < faults; ++k) d.faults.push_back(draw_fault(draw, end_s));
  std::int64_t at_ns = draw.ns(0.0, end_s);
  // most presses come while something is wrong
  if (!d.stalls.empty() && draw.one_in(2)) at_ns = d.stalls.front().from_ns + draw.ns(-0.02, 0.15);
  for (int presses = draw.below(4); presses > 0; --presses) {
    d.presses_ns.push_back(std::max<std::int64_t>(0, at_ns));
    at_ns += draw.ns(0.0, draw.one_in(2) ? 0.05 : 0.6);
  }
  return d;
}

}  // namespace kagami::test
