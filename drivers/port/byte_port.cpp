#include "drivers/port/byte_port.hpp"

namespace kagami::drivers {

const char* io_status_text(IoStatus status) noexcept {
  switch (status) {
    case IoStatus::kOk:
      return "ok";
    case IoStatus::kTimedOut:
      return "timed out";
    case IoStatus::kBadSum:
      return "bad check sum";
    case IoStatus::kBadReply:
      return "wrong reply";
    case IoStatus::kGone:
      return "port gone";
    case IoStatus::kRefused:
      return "refused";
  }
  return "unknown status";
}

}  // namespace kagami::drivers
