/// The report of a run: one HTML file that needs nothing else, and its figures as files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "tools/report/report_data.hpp"

namespace kagami::tools {

/// No page is larger, whatever the length of its record.
inline constexpr std::size_t kMostReportBytes = std::size_t{5} << 20;

/// The page. All texts of the record are escaped; nothing is loaded from anywhere, which its
/// Content-Security-Policy also enforces.
std::string report_page(const ReportData& data);

/// Writes every figure as SVG and as CSV into the folder, which is created where it is missing.
/// Throws RecordError that names the file and the cause.
void write_figures(const std::filesystem::path& folder, const ReportData& data);

}  // namespace kagami::tools
