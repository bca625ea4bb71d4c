/// The services for finished sessions and motions: compare, session, check.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "models/base/types.hpp"
#include "runtime/app/assemble.hpp"
#include "runtime/threads/stop_request.hpp"
#include "tools/dashboard/run_side.hpp"
#include "tools/dashboard/worker.hpp"

namespace kagami::tools {

/// Everything is done one after another on a thread of its own. A request has a name within
/// the folders of sessions or motions; no path leads out of them. `side` and `setup` outlive it; it
/// ends before they do.
class RecordServices {
 public:
  /// The measured angles of now (rad, model order); nothing where the robot has not been read.
  using Present = std::function<std::optional<JointArray<double>>()>;

  /// Adds the services to `side`, before the server is built.
  RecordServices(RunSide& side, const runtime::RunSetup& setup, const RunSideSettings& settings,
                 Present present);
  ~RecordServices();
  RecordServices(const RecordServices&) = delete;
  RecordServices& operator=(const RecordServices&) = delete;

 private:
  void add_compare();
  void add_session();
  void add_check();
  /// The record of a session. Throws BadRequest.
  [[nodiscard]] std::filesystem::path record_of(const std::string& session) const;
  /// The same, and its run is over.
  [[nodiscard]] std::filesystem::path finished_record_of(const std::string& session) const;
  [[nodiscard]] std::filesystem::path motion_file(const std::string& name) const;
  [[nodiscard]] nlohmann::json exported(const std::filesystem::path& record,
                                        const std::string& format) const;
  [[nodiscard]] nlohmann::json reported(const std::filesystem::path& record) const;
  [[nodiscard]] nlohmann::json checked(const std::filesystem::path& motion);
  void give_up_at_the_end() const;

  RunSide& side_;
  const runtime::RunSetup& setup_;
  const RunSideSettings settings_;
  const Present present_;
  runtime::StopRequest stop_;  // of the run that `check` makes
  Worker worker_;              // last: its jobs use the others
};

}  // namespace kagami::tools
