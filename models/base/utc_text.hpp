/// Times of the calendar as text, UTC.
#pragma once

#include <ctime>
#include <string>

namespace kagami {

/// By a format of strftime.
std::string utc_text(std::time_t at, const char* format);
/// The present time as files state it: "2026-11-30T22:58:27Z".
std::string utc_now_text();

}  // namespace kagami
