// kagami ports: which serial ports there are, and who holds them.
#include "drivers/port/list_ports.hpp"

#include <nlohmann/json.hpp>

#include "tools/cli/common_options.hpp"
#include "tools/cli/table.hpp"
#include "tools/commands/commands.hpp"

namespace kagami::tools {
namespace {

using drivers::PortInfo;

nlohmann::json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::json(nullptr) : nlohmann::json(text);
}

nlohmann::json ports_json(const std::vector<PortInfo>& ports) {
  nlohmann::json rows = nlohmann::json::array();
  for (const PortInfo& port : ports) {
    nlohmann::json row = {{"path", port.path},
                          {"by_id", text_or_null(port.by_id)},
                          {"driver", text_or_null(port.driver)},
                          {"vendor_id", text_or_null(port.vendor_id)},
                          {"product_id", text_or_null(port.product_id)},
                          {"product", text_or_null(port.product)},
                          {"serial", text_or_null(port.serial)},
                          {"latency_timer_ms", nullptr},
                          {"holder", nullptr}};
    if (port.latency_timer_ms >= 0) row["latency_timer_ms"] = port.latency_timer_ms;
    if (port.holder) row["holder"] = {{"pid", port.holder->pid}, {"program", port.holder->program}};
    rows.push_back(std::move(row));
  }
  return {{"schema", "kagami.ports/1"}, {"ports", rows}};
}

std::string ports_text(const std::vector<PortInfo>& ports) {
  Table table({{"port", Align::kLeft},
               {"driver", Align::kLeft},
               {"adapter", Align::kLeft},
               {"serial", Align::kLeft},
               {"timer ms"},
               {"held by", Align::kLeft},
               {"stable name", Align::kLeft}});
  for (const PortInfo& port : ports) {
    const std::string usb =
        port.vendor_id.empty() ? "" : " " + port.vendor_id + ":" + port.product_id;
    table.add_row(
        {port.path, port.driver, port.product + usb, port.serial,
         port.latency_timer_ms < 0 ? "-" : std::to_string(port.latency_timer_ms),
         port.holder ? port.holder->program + " (" + std::to_string(port.holder->pid) + ")" : "-",
         port.by_id.empty() ? "-" : port.by_id});
  }
  return table.text();
}

}  // namespace

void add_ports(Command& app, Console& io) {
  Command cmd = app.add_command("ports", "List the serial ports and the programs that use them.");
  add_json_option(cmd, io);
  add_common_options(cmd, io, "ports", "ports --json");
  cmd.on_run([&io] {
    const std::vector<PortInfo> ports = drivers::list_ports();
    for (const PortInfo& port : ports)
      if (port.latency_timer_ms > 1)
        io.warn(port.path + " collects bytes for " + std::to_string(port.latency_timer_ms) +
                " ms; a run requests a shorter time when it opens the port");
    if (io.json) return io.print_json(ports_json(ports));
    if (ports.empty())
      return io.print("no serial ports; 'kagami board --pty PATH' starts a virtual one\n");
    io.print(ports_text(ports));
  });
}

}  // namespace kagami::tools
