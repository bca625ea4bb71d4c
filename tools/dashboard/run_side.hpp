/// A run in progress as the backend of the dashboard's server.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/app/live_control.hpp"
#include "tools/dashboard/dashboard_backend.hpp"
#include "tools/dashboard/request_fields.hpp"

namespace kagami::tools {

/// Where a run's neighbours lie.
struct RunSideSettings {
  std::string title;                       ///< "walk_forward on the virtual robot"
  std::filesystem::path gains_folder;      ///< saved gain sets go here, made when missing
  std::filesystem::path sessions_folder;   ///< of finished runs
  std::filesystem::path motions_folder{};  ///< of the shipped motions
};

/// `live` outlives it; it outlives the server.
class RunSide : public DashboardBackend {
 public:
  RunSide(runtime::LiveControl& live, RunSideSettings settings);

  /// One more service, before the server is built.
  void add(const std::string& name, Right right, ServiceAction action);
  /// Answers with the row that applied the request: its tick, or why it was not applied; `more`
  /// joins a good answer.
  void answer_when_applied(const runtime::LiveAnswer& answer, Done done, nlohmann::json more);

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] std::vector<OfferedChannel> channels() const override;
  [[nodiscard]] std::vector<OfferedService> services() const override;
  [[nodiscard]] std::vector<Parameter> parameters(
      std::span<const std::string> names) const override;
  void set_parameters(std::vector<SetParameters::Entry> entries,
                      std::function<void(std::string)> done) override;
  void call(const std::string& service, nlohmann::json request, Done done) override;
  /// Holds at once during a supervised motion, else slows down and holds.
  void writer_lost() override;
  /// A joint is tested on the robot.
  [[nodiscard]] bool needs_hand() const override;

 private:
  struct Offer {
    OfferedService offered;
    ServiceAction action;
  };
  void add_list_services();

  runtime::LiveControl& live_;
  const RunSideSettings settings_;
  std::vector<Offer> offers_;
};

/// An applied set as the parameters that changed against the values before; `before` is brought up
/// to date.
std::vector<Parameter> changed_parameters(const runtime::AppliedGains& gains,
                                          std::map<std::string, double>& before);

}  // namespace kagami::tools
