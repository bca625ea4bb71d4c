/// The dashboard of one run: the server, what it offers, and the hooks that feed it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>

#include "runtime/app/assemble.hpp"
#include "runtime/app/run.hpp"
#include "tools/dashboard/record_services.hpp"
#include "tools/dashboard/row_stream.hpp"
#include "tools/dashboard/run_side.hpp"
#include "tools/dashboard/server.hpp"
#include "tools/dashboard/status_json.hpp"
#include "tools/dashboard/tune_services.hpp"

namespace kagami::tools {

/// Built before the run, alive until after it.
class RunDashboard {
 public:
  /// Listens at once. Throws as DashboardServer, robot_files and read_setup.
  RunDashboard(const ServerSettings& server, const RunSideSettings& side,
               const runtime::RunConfig& config, runtime::LiveControl& live);
  /// The same for a setup that was read already.
  RunDashboard(const ServerSettings& server, const RunSideSettings& side, runtime::RunSetup setup,
               runtime::LiveControl& live);

  /// Adds itself to what the hooks call already.
  void hook_into(runtime::RunHooks& hooks);
  [[nodiscard]] const DashboardServer& server() const { return server_; }
  /// Closes all clients with the sentence how the run ended, so that they see no lost server.
  void say_goodbye(const std::string& how) { server_.say_goodbye(how); }

 private:
  void publish_status(const runtime::Progress& progress);
  void publish(const PromotionNews& news);
  /// ns since the epoch by the run's clock; the machine's before its first row.
  [[nodiscard]] std::uint64_t now_of_the_run() const;
  [[nodiscard]] std::optional<JointArray<double>> present() const;

  runtime::LiveControl& live_;
  const runtime::RunSetup setup_;
  RunSide side_;
  TuneServices tuning_;
  RecordServices records_;
  DashboardServer server_;
  std::map<std::string, double> gains_;  // as they were published last
  RowStream rows_;
  std::mutex facts_mutex_;
  StatusFacts facts_;
};

}  // namespace kagami::tools
