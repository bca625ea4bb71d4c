#include "tools/report/terms.hpp"

#include <array>

#include "tools/analysis/html.hpp"

namespace kagami::tools {
namespace {

struct Term {
  const char* id;
  const char* name;
  const char* meaning;
};

constexpr std::array<Term, 24> kTerms = {
    {{"difference", "difference",
      "Simulated minus measured angle, deg. The simulated angle is not rounded and is taken at the "
      "reading's own time, between two ticks on a straight line."},
     {"rms", "RMS",
      "Root mean square, deg: the square root of the mean of the squares of all differences."},
     {"max", "maximum",
      "Largest absolute difference, deg, of all readings; figures never leave it out."},
     {"bias", "bias",
      "Mean of the differences, deg. Positive: the model is further than the robot."},
     {"lag", "lag",
      "How much later than the model the robot moves, ms; a dash where the joint rests."},
     {"floor", "floor",
      "RMS, deg, that reading in whole degrees alone would show for this motion; a dash where the "
      "joint rests. A difference near it cannot be told from rounding."},
     {"resolution", "resolution",
      "Part of the mean square that reading in whole degrees alone makes."},
     {"gap", "gap",
      "RMS of measured minus simulated angle, deg. The causes divide its square: all shares of a "
      "joint add up to 100 %."},
     {"tracking", "tracking", "RMS of measured angle minus the reference of the motion, deg."},
     {"cause", "cause",
      "A physical property in which robot and model can differ. Its share is the part of the mean "
      "square that goes when the model gets this property with the stated amount."},
     {"amount", "amount",
      "How much of a cause the readings show, with one standard deviation where it is known."},
     {"unexplained", "unexplained", "Part of the mean square that no cause explains."},
     {"command", "command",
      "Target angle, deg, that passed the safety gate and goes to the boards."},
     {"reference", "reference", "Angle, deg, that the motion asks for."},
     {"measured", "measured",
      "Angle, deg, that the board answered, at the time at which it read its servo."},
     {"twin", "twin",
      "Angle, deg, of the shadow model, whose inputs are the commands that the boards "
      "acknowledged."},
     {"loop", "loop twin",
      "Angle, deg, of the second model, which has its own copy of the controller."},
     {"baseline", "baseline",
      "A second record. Its curves are shifted in time so that both motions begin together."},
     {"rise", "rise time", "Time from the first 10 % to the first 90 % of a step, ms."},
     {"overshoot", "overshoot",
      "How far the joint goes beyond the end of a step, % of the step; less than half a reading "
      "step counts as 0."},
     {"settling", "settling time",
      "Time from the jump until the joint stays where it ends, within 2 % of the step or 0.6 of a "
      "reading step, ms."},
     {"fault", "fault",
      "The robot does not do what its boards acknowledged, or a limit cut off a command. Its "
      "episode lasts until the run reports its end."},
     {"rate", "exchanges",
      "Rounds over both boards in a second; in each one, commands are sent and angles are read."},
     {"extremes", "extremes in the curves",
      "Where a record has more values than the page can hold, each stretch of time shows its least "
      "and its "
      "greatest value in the order in which they occurred. No peak is lost; times are exact to "
      "half a stretch."}}};

}  // namespace

std::string term(const std::string& id, const std::string& text) {
  return "<a href=\"#term-" + id + "\">" + html_escaped(text) + "</a>";
}

std::string terms_list() {
  std::string list = "<dl class=\"terms\">\n";
  for (const Term& t : kTerms) {
    list += std::string("<dt id=\"term-") + t.id + "\">" + html_escaped(t.name) + "</dt><dd>" +
            html_escaped(t.meaning) + "</dd>\n";
  }
  return list + "</dl>\n";
}

}  // namespace kagami::tools
