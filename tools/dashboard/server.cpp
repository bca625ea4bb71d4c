#include "tools/dashboard/server.hpp"

#include "tools/dashboard/page_files.hpp"
#include "tools/dashboard/server_core.hpp"

namespace kagami::tools {
namespace {

std::string text_of(std::span<const unsigned char> bytes) {
  return {bytes.begin(), bytes.end()};
}

}  // namespace

DashboardServer::DashboardServer(const ServerSettings& settings, DashboardBackend& side,
                                 std::vector<ServedFile> files)
    : core_(std::make_unique<ServerCore>(settings, side, std::move(files))) {
  core_->start();
}

DashboardServer::~DashboardServer() {
  core_->stop();
}

std::uint16_t DashboardServer::port() const noexcept {
  return core_->port;
}

void DashboardServer::publish(std::uint32_t channel, std::uint64_t time_ns, std::string payload) {
  core_->publish(std::make_shared<const Frame>(Frame{channel, time_ns, std::move(payload)}));
}

void DashboardServer::publish_time(std::uint64_t time_ns) noexcept {
  core_->time_ns = time_ns;
}

void DashboardServer::publish_parameters(std::vector<Parameter> parameters) {
  core_->publish_parameters(std::move(parameters));
}

void DashboardServer::say_goodbye(const std::string& how) {
  core_->say_goodbye(how);
}

ServerCounters DashboardServer::counters() const {
  const auto& c = core_->counters;
  ServerCounters counters;
  counters.requests = c.requests;
  counters.refused = c.refused;
  counters.malformed = c.malformed;
  counters.flooded = c.flooded;
  counters.evicted = c.evicted;
  counters.dropped = c.dropped;
  counters.sent = c.sent;
  counters.clients = c.clients;
  return counters;
}

std::vector<ServedFile> embedded_page() {
  std::vector<ServedFile> files;
  for (const PageFile& file : page_files()) {
    files.push_back({std::string(file.path), std::string(file.type), std::string(file.etag),
                     text_of(file.raw), text_of(file.gzip), true});
  }
  if (files.empty()) {
    files.push_back(
        {"/", "text/html; charset=utf-8", "\"no-page\"",
         "<!doctype html><html lang=\"en\"><title>Kagami</title><p>This program was built without "
         "its page: node or npm was missing. The WebSocket at /ws works; Foxglove, Lichtblick and "
         "PlotJuggler can open it.</p></html>\n",
         "", true});
  }
  return files;
}

}  // namespace kagami::tools
