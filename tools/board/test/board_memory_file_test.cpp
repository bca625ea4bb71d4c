// kagami board --memory where the file cannot be written.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "tools/board/test/real_boards.hpp"
#include "tools/board/test/served_board.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;
using test::OtherProgram;
using test::ServedBoard;

/// Gives a motion of board 1 this many poses.
void store(const std::string& link, std::uint8_t count) {
  OtherProgram program(link);
  ASSERT_TRUE(program.ask({.command = drivers::rcb1::Command::kSetMotionSize,
                           .board = 1,
                           .motion = 3,
                           .count = count}));
}

/// A memory file whose folder comes and goes.
struct MemoryCase : ServedBoard {
  MemoryCase() : ServedBoard([](const std::string&) {}) { fs::create_directories(place); }
  int serve_with_memory() { return serve({"--memory", file.string()}); }

  const fs::path place = folder.path() / "place";
  const fs::path file = place / "boards.json";
};

TEST(BoardMemoryFile, AFailureIsReportedWhileTheBoardServes) {
  MemoryCase c;
  // a call each 5 ms at least; a change is written 0.2 s after it
  c.settings.seconds = [&c, calls = 0, is_over = false]() mutable {
    ++calls;
    if (calls == 2) {
      fs::remove_all(c.place);
      store(c.link, 20);
    }
    if (calls == 200) {
      fs::create_directories(c.place);
      store(c.link, 21);
    }
    if (calls > 200 && fs::exists(c.file) && !is_over) {
      is_over = true;
      std::raise(SIGINT);
    }
    return 0.0;
  };
  ASSERT_EQ(c.serve_with_memory(), 0) << c.err;
  // at the end nothing is wrong any more: the warning came before
  EXPECT_NE(c.err.find("warning: '" + c.file.string() + "' cannot be written"), std::string::npos)
      << c.err;
  EXPECT_NE(c.err.find("written again"), std::string::npos) << c.err;
  EXPECT_EQ(c.err.find("error"), std::string::npos) << c.err;
  EXPECT_EQ(c.json()["memory"], c.file.string());
  EXPECT_EQ(c.json()["memory_error"], nullptr);
}

TEST(BoardMemoryFile, WhatCannotBeWrittenAtTheEndIsAnError) {
  MemoryCase c;
  c.settings.seconds = [&c, calls = 0]() mutable {
    if (++calls == 2) {
      fs::remove_all(c.place);
      store(c.link, 20);
      std::raise(SIGINT);  // before the change is due
    }
    return 0.0;
  };
  EXPECT_EQ(c.serve_with_memory(), 1);
  EXPECT_NE(c.err.find("error: '" + c.file.string() + "' cannot be written"), std::string::npos)
      << c.err;
  EXPECT_NE(c.json()["memory_error"], nullptr);
}

}  // namespace
}  // namespace kagami::tools
