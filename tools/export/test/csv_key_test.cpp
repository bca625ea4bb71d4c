#include "tools/export/csv_key.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>

#include "models/base/text_file.hpp"
#include "tools/export/cycle_csv.hpp"
#include "tools/test/cycle_rows.hpp"

namespace kagami::tools {
namespace {

/// Number of enumerators of an enumeration, by its source.
int count_in_source(const std::string& header, const std::string& name) {
  const std::string text = read_text_file(std::filesystem::path(KAGAMI_SOURCE_DIR) / header);
  const std::size_t begin = text.find("enum class " + name + " ");
  const std::string body = text.substr(begin, text.find("};", begin) - begin);
  const std::regex enumerator("\n\\s+k[A-Z]\\w*\\s*[,\\s]");
  const std::string closed = body + "\n";
  return static_cast<int>(std::distance(
      std::sregex_iterator(closed.begin(), closed.end(), enumerator), std::sregex_iterator()));
}

const CodedColumn& column(const std::vector<CodedColumn>& all, const std::string& name) {
  return *std::find_if(all.begin(), all.end(),
                       [&](const CodedColumn& c) { return c.name == name; });
}

TEST(CsvKey, EveryNumberHasAWordOfItsOwn) {
  struct Enumeration {
    const char* column;
    const char* header;
    const char* name;
  };
  const std::vector<CodedColumn> columns = coded_columns();
  for (const Enumeration& e :
       {Enumeration{"phase", "runtime/channels/cycle_types.hpp", "Phase"},
        Enumeration{"stop", "runtime/channels/cycle_types.hpp", "StopLevel"},
        Enumeration{"run_state", "runtime/channels/supervisor_state.hpp", "SupervisorState"},
        Enumeration{"control_status", "control/core/status.hpp", "ControlStatus"},
        Enumeration{"test", "runtime/channels/joint_test_state.hpp", "JointTestStage"}}) {
    const CodedColumn& coded = column(columns, e.column);
    EXPECT_EQ(static_cast<int>(coded.values.size()), count_in_source(e.header, e.name)) << e.name;
    std::set<std::string> words;
    for (const CodedValue& value : coded.values) {
      EXPECT_TRUE(words.insert(value.word).second) << value.word;
      EXPECT_NE(value.meaning, "") << value.word;
    }
  }
  const CodedColumn& events = column(columns, "events");
  EXPECT_EQ(static_cast<int>(events.values.size()),
            count_in_source("runtime/channels/event.hpp", "EventCode") - 1);
  for (const CodedValue& event : events.values) EXPECT_NE(event.word, "unknown") << event.number;
}

TEST(CsvKey, EveryColumnOfTheTableIsInTheKey) {
  const std::vector<std::string> gains = {"pid/left_knee/kp"};
  std::ostringstream out;
  const CycleCsv csv(out, test::two_joint_wiring(), gains);
  const std::string key = "\n" + csv_key_text({"pid"}, {gain_column(gains[0])});
  std::istringstream header(out.str());
  int columns = 0;
  for (std::string name; std::getline(header, name, ',');) {
    ++columns;
    name.erase(std::remove(name.begin(), name.end(), '\n'), name.end());
    const bool is_gain = name.rfind("gain/", 0) == 0;
    const std::string group = is_gain ? name : name.substr(0, name.find('/'));
    EXPECT_NE(key.find("\n" + group), std::string::npos) << name;
  }
  EXPECT_EQ(columns, 3 + 6 * 2 + 9 + 2 * 2 + 2 + 1);
  EXPECT_NE(key.find("\ncontroller,,0,pid,"), std::string::npos);
}

}  // namespace
}  // namespace kagami::tools
