#include "tools/dashboard/run_dashboard.hpp"

#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "tools/dashboard/robot_files.hpp"

namespace kagami::tools {
namespace {

std::vector<ServedFile> all_files(const std::filesystem::path& folder,
                                  const models::RobotDescription& robot) {
  std::vector<ServedFile> files = embedded_page();
  for (ServedFile& file : robot_files(folder, robot.urdf_text)) files.push_back(std::move(file));
  return files;
}

std::uint64_t now_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

}  // namespace

RunDashboard::RunDashboard(const ServerSettings& server, const RunSideSettings& side,
                           const runtime::RunConfig& config, runtime::LiveControl& live)
    : RunDashboard(server, side, runtime::read_setup(config), live) {}

RunDashboard::RunDashboard(const ServerSettings& server, const RunSideSettings& side,
                           runtime::RunSetup setup, runtime::LiveControl& live)
    : live_(live),
      setup_(std::move(setup)),
      side_(live, side),
      tuning_(side_, live, setup_, [this](const PromotionNews& news) { publish(news); }),
      records_(side_, setup_, side, [this] { return present(); }),
      server_(server, side_, all_files(setup_.config.robot_folder, setup_.robot)),
      rows_(
          setup_.robot, live.gains(),
          [this](Topic topic, std::uint64_t time_ns, std::string payload) {
            server_.publish(static_cast<std::uint32_t>(topic), time_ns, std::move(payload));
          },
          [this](const runtime::AppliedGains& gains) {
            const bool is_first = gains_.empty();
            std::vector<Parameter> changed = changed_parameters(gains, gains_);
            server_.publish_parameters(is_first ? side_.parameters({}) : std::move(changed));
          }) {
  facts_.record = (setup_.config.out_dir / "run.mcap").string();
}

void RunDashboard::hook_into(runtime::RunHooks& hooks) {
  hooks.row = [this, before = std::move(hooks.row)](const runtime::CycleRecord& row) {
    if (before) before(row);
    rows_.row(row);
    server_.publish_time(rows_.now());
    tuning_.row(row);
  };
  hooks.test = [this, before = std::move(hooks.test)](const runtime::CycleRecord& row) {
    if (before) before(row);
    tuning_.test_row(row);
  };
  hooks.line = [this, before = std::move(hooks.line)](const runtime::LineFrame& frame) {
    if (before) before(frame);
    rows_.line(frame);
  };
  hooks.progress = [this, before = std::move(hooks.progress)](const runtime::Progress& progress) {
    if (before) before(progress);
    publish_status(progress);
  };
}

std::uint64_t RunDashboard::now_of_the_run() const {
  const std::uint64_t now = rows_.now();
  return now > 0 ? now : now_ns();
}

void RunDashboard::publish_status(const runtime::Progress& progress) {
  const std::uint64_t now = now_of_the_run();
  const std::lock_guard lock(facts_mutex_);
  if (facts_.motions.empty()) facts_.motions = live_.motion().list();
  server_.publish(static_cast<std::uint32_t>(Topic::kStatus), now,
                  status_json(progress, live_.status(), facts_, now).dump());
}

std::optional<JointArray<double>> RunDashboard::present() const {
  const RunMoment now = tuning_.moment();
  if (now.tick < 0) return std::nullopt;
  return now.angle;
}

void RunDashboard::publish(const PromotionNews& news) {
  const std::uint64_t now = now_of_the_run();
  if (news.is_rollback) {
    const std::lock_guard lock(facts_mutex_);
    facts_.rollback = RollbackView{news.joint, news.sentence, news.tick, now};
  }
  runtime::ViewerJson json;
  runtime::LogView view;
  view.time_ns = now;
  view.level = news.is_rollback ? runtime::LogLevel::kError : runtime::LogLevel::kWarning;
  view.message = news.sentence;
  view.name = news.is_rollback ? "rollback" : "dashboard";
  server_.publish(static_cast<std::uint32_t>(Topic::kEvents), view.time_ns,
                  std::string(json.log(view)));
}

}  // namespace kagami::tools
