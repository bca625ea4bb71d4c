/// The page that shows what a program does with the robot. Its server is in another library.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "runtime/app/assemble.hpp"
#include "runtime/app/run.hpp"
#include "tools/board/board_options.hpp"
#include "tools/cli/console.hpp"

namespace kagami::tools {

/// Served from its construction on. Two implementations: the dashboard, and one for tests.
class BoardView {
 public:
  BoardView() = default;
  BoardView(const BoardView&) = delete;
  BoardView& operator=(const BoardView&) = delete;
  virtual ~BoardView() = default;
  /// Adds itself to what the hooks call.
  virtual void hook_into(runtime::RunHooks& hooks) = 0;
  /// "http://127.0.0.1:8765/#token=..."
  [[nodiscard]] virtual std::string address() const = 0;
  /// Before the end: the sentence how it ended.
  virtual void say_goodbye(const std::string& how) = 0;
};

/// Makes the view; empty = this program has none. The setup outlives the view.
using MakeBoardView = std::function<std::unique_ptr<BoardView>(
    const BoardOptions& options, const runtime::RunSetup& setup, Console& io)>;

}  // namespace kagami::tools
