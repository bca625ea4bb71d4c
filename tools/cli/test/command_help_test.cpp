#include "tools/cli/command_help.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "tools/cli/completion.hpp"
#include "tools/cli/man_page.hpp"

namespace kagami::tools {
namespace {

/// A program with one command that has an option of each kind.
struct SmallProgram {
  Program mover{"Move things.", "mover"};
  double speed = 1.5;
  std::string mode;
  std::string file;
  std::string place;
  bool loop = false;

  SmallProgram() {
    Command move = mover.command().add_command("move", "Move one thing. It's heavy.");
    move.start_group("Motion");
    move.add_option("thing", place, "What to move.").required();
    move.add_option("--speed", speed, "How fast.").range(0.5, 2.0).with_default();
    move.add_option("-m,--mode", mode, "How.").one_of({"push", "pull"});
    move.add_flag("--loop", loop, "Again.");
    move.start_group("Output");
    move.add_option("--log", file, "Where to write.").value("NAME|FILE|none").required();
    move.set_examples("move it", "move it --loop");
  }

  CommandHelp program() { return command_help(mover.command()); }
  CommandHelp move() { return command_help(mover.command().find_command("move").value()); }
};

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) longest = std::max(longest, line.size());
  return longest;
}

TEST(CommandHelp, ReadsGroupsRangesDefaultsAndChoices) {
  SmallProgram small;
  const CommandHelp help = small.move();
  EXPECT_EQ(help.name, "mover move");
  ASSERT_EQ(help.groups.size(), 3u);
  EXPECT_EQ(help.groups[0].name, "Motion");
  EXPECT_EQ(help.groups[1].name, "Output");
  EXPECT_EQ(help.groups[2].name, "General") << "last, although its option was added first";
  ASSERT_EQ(help.groups[0].options.size(), 3u);
  const OptionHelp& speed = help.groups[0].options[0];
  EXPECT_EQ(speed.names, std::vector<std::string>{"--speed"});
  EXPECT_EQ(speed.value, "NUMBER");
  EXPECT_EQ(speed.text, "How fast. Range: 0.5 to 2. Default: 1.5.");
  const OptionHelp& mode = help.groups[0].options[1];
  EXPECT_EQ(mode.names, (std::vector<std::string>{"-m", "--mode"}));
  EXPECT_EQ(mode.value, "push|pull");
  EXPECT_EQ(mode.choices, (std::vector<std::string>{"push", "pull"}));
  EXPECT_EQ(help.groups[0].options[2].value, "") << "a flag";
  const OptionHelp& log = help.groups[1].options[0];
  EXPECT_EQ(log.value, "NAME|FILE|none");
  EXPECT_EQ(log.choices, std::vector<std::string>{"none"});
  EXPECT_TRUE(log.takes_file);
  EXPECT_FALSE(log.takes_folder);
  EXPECT_EQ(log.text, "Where to write. Required.");
  EXPECT_EQ(help.examples.size(), 2u);
}

TEST(CommandHelp, UsageNamesArgumentsAndRequiredOptions) {
  SmallProgram small;
  EXPECT_EQ(usage_line(small.move()), "mover move [OPTIONS] --log NAME|FILE|none THING");
  EXPECT_EQ(usage_line(small.program()), "mover COMMAND [OPTIONS]");
}

TEST(CommandHelp, FirstSentenceEndsBeforeItsFullStop) {
  EXPECT_EQ(first_sentence("One. Two."), "One");
  EXPECT_EQ(first_sentence("Write a .csv file."), "Write a .csv file");
  EXPECT_EQ(first_sentence("One"), "One");
  EXPECT_EQ(first_sentence(""), "");
}

TEST(HelpText, FitsItsWidth) {
  SmallProgram small;
  for (const int width : {30, 40, 59, 60, 80, 100}) {
    SCOPED_TRACE(width);
    EXPECT_LE(longest_line(help_text(small.move(), width)), static_cast<std::size_t>(width));
    EXPECT_LE(longest_line(help_text(small.program(), width)), static_cast<std::size_t>(width));
  }
}

TEST(HelpText, PutsNameAndTextSideBySideWhereTheScreenIsWide) {
  SmallProgram small;
  EXPECT_NE(help_text(small.move(), 80).find("\n  --loop                  Again.\n"),
            std::string::npos);
  EXPECT_NE(help_text(small.move(), 40).find("\n  --loop\n      Again.\n"), std::string::npos);
}

TEST(HelpText, ALongExampleContinuesInTheNextLine) {
  CommandHelp help;
  help.name = "mover";
  help.examples = {"mover one two three four five six seven"};
  EXPECT_NE(help_text(help, 30).find("  mover one two three four \\\n    five six seven\n"),
            std::string::npos)
      << help_text(help, 30);
}

TEST(HelpText, AWordThatIsTooLongIsBroken) {
  CommandHelp help;
  help.name = "mover";
  help.text = "alpha|" + std::string(70, 'x');
  EXPECT_LE(longest_line(help_text(help, 30)), 30u);
  EXPECT_EQ(help_text(help, 30).rfind("alpha|\nxxx", 0), 0u) << help_text(help, 30);
}

TEST(ManPage, NamesEveryOptionAndEscapesRoff) {
  SmallProgram small;
  EXPECT_EQ(man_page_name(small.move()), "mover-move");
  const std::string page = man_page(small.move(), "1.2");
  EXPECT_EQ(page.rfind(".TH \"MOVER\\-MOVE\" 1 ", 0), 0u) << page;
  EXPECT_NE(page.find("\n.SS Motion\n"), std::string::npos);
  EXPECT_NE(page.find("\\fB\\-m\\fR, \\fB\\-\\-mode\\fR \\fIpush|pull\\fR\n"), std::string::npos);
  EXPECT_NE(page.find("It\\(aqs heavy."), std::string::npos);
  EXPECT_NE(page.find("\\fITHING\\fR"), std::string::npos);
}

TEST(ManPage, OfAProgramRefersToThePagesOfItsCommands) {
  SmallProgram small;
  const std::string page = man_page(small.program(), "1.2");
  EXPECT_NE(page.find("\\fBmover\\-move\\fR(1)"), std::string::npos) << page;
  EXPECT_EQ(page.find("\\-\\-speed"), std::string::npos);
}

TEST(Completion, ZshAndFishQuoteTheirTexts) {
  SmallProgram small;
  small.mover.command().add_command("push", "Push what's there.");
  EXPECT_NE(zsh_completion(small.program()).find("'push:Push what'\\''s there'"),
            std::string::npos);
  EXPECT_NE(fish_completion(small.program()).find("-a push -d 'Push what\\'s there'"),
            std::string::npos);
}

TEST(Completion, FishTakesFilesWhereAValueIsAFile) {
  SmallProgram small;
  const std::string fish = fish_completion(small.program());
  EXPECT_NE(fish.find(" -l log -r -F -a 'none' -d 'Where to write'\n"), std::string::npos) << fish;
  EXPECT_NE(fish.find(" -s m -l mode -x -a 'push pull' -d 'How'\n"), std::string::npos) << fish;
  EXPECT_NE(fish.find(" -l loop -d 'Again'\n"), std::string::npos) << fish;
}

}  // namespace
}  // namespace kagami::tools
