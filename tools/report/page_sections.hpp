/// The sections of the report's page as HTML.
#pragma once

#include <string>

#include "tools/report/report_data.hpp"

namespace kagami::tools {

std::string conclusion_section(const ReportData& data);
std::string overview_section(const ReportData& data);
std::string joints_section(const ReportData& data);
std::string causes_section(const ReportData& data);
std::string curves_section(const ReportData& data);
/// "" where the data have no panel.
std::string multiples_section(const SmallMultiples& multiples, const std::string& after = "");
std::string steps_section(const ReportData& data);
std::string timing_section(const ReportData& data);
std::string line_section(const ReportData& data);
std::string reproduction_section(const ReportData& data);

/// A figure with its legend; a wide one is scrolled on a narrow screen.
std::string figure_element(const ReportFigure& figure, const std::string& caption);

}  // namespace kagami::tools
