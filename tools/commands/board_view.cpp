// kagami board --view: the dashboard's page for what another program does with the robot.
#include <memory>

#include "tools/board/board_view.hpp"
#include "tools/commands/board_command.hpp"
#include "tools/commands/commands.hpp"
#include "tools/dashboard/run_dashboard.hpp"

namespace kagami::tools {
namespace {

/// The dashboard of a run that takes no requests: it only shows.
class DashboardView final : public BoardView {
 public:
  DashboardView(const BoardOptions& options, const runtime::RunSetup& setup)
      : live_(stop_), dashboard_(settings(options, token_), side(options), setup, live_) {}

  void hook_into(runtime::RunHooks& hooks) override { dashboard_.hook_into(hooks); }
  std::string address() const override {
    return "http://127.0.0.1:" + std::to_string(dashboard_.server().port()) + "/#token=" + token_;
  }
  void say_goodbye(const std::string& how) override { dashboard_.say_goodbye(how); }

 private:
  static ServerSettings settings(const BoardOptions& options, const std::string& token) {
    ServerSettings settings;
    settings.guard.address = "127.0.0.1";
    settings.guard.port = options.view_port;
    settings.guard.token = token;
    settings.other_port = "another one by --view-port, or any by --view-port 0";
    return settings;
  }
  static RunSideSettings side(const BoardOptions& options) {
    const std::string robot =
        options.mirror.empty() ? "the virtual robot" : "the robot at " + options.mirror;
    return {.title = "another program on " + robot, .gains_folder = {}, .sessions_folder = {}};
  }

  const std::string token_ = new_token();
  runtime::StopRequest stop_;
  runtime::LiveControl live_;
  RunDashboard dashboard_;
};

}  // namespace

void add_board_with_view(Command& app, Console& io) {
  add_board_with(app, io,
                 [](const BoardOptions& options, const runtime::RunSetup& setup, Console&) {
                   return std::make_unique<DashboardView>(options, setup);
                 });
}

}  // namespace kagami::tools
