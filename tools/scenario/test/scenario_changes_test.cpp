// --set: what is replaced, what is created, what is refused.
#include "tools/scenario/scenario_changes.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "models/base/errors.hpp"

namespace kagami::tools {
namespace {

using nlohmann::json;

json changed(const std::string& text, const std::vector<std::string>& sets) {
  std::vector<ScenarioChange> changes;
  for (const std::string& set : sets) changes.push_back(change_of(set));
  return with_changes(json::parse(text), "s.json", changes).json();
}

std::string refusal(const std::string& text, const std::string& set) {
  try {
    static_cast<void>(changed(text, {set}));
    return "accepted";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

TEST(ScenarioChanges, ReplaceAndCreate) {
  EXPECT_EQ(changed(R"({"a": {"b": [1, 2]}})", {"/a/b/1=7"}), json::parse(R"({"a":{"b":[1,7]}})"));
  EXPECT_EQ(changed("{}", {"/a/b=0.1", "/a/c=[1,2]", "/a/c/0=3"}),
            json::parse(R"({"a":{"b":0.1,"c":[3,2]}})"));
  EXPECT_EQ(changed(R"({"a/b": 1, "~": 2})", {"/a~1b=3", "/~0=4"}),
            json::parse(R"({"a/b":3,"~":4})"));
  EXPECT_EQ(changed("{}", {"/a=multipoint", "/b=\"1\"", "/c=null", "/d=x=y"}),
            json::parse(R"({"a":"multipoint","b":"1","c":null,"d":"x=y"})"));
}

TEST(ScenarioChanges, KeepAllDigits) {
  const double value = 0.1 + 0.2;
  const json result = changed("{}", {change_text({"/x", json(value).dump()})});
  EXPECT_EQ(result.at("x").get<double>(), value);
}

TEST(ScenarioChanges, RefuseWhatLeadsNowhere) {
  const std::string text = R"({"list": [1, 2], "number": 5, "name": "x"})";
  EXPECT_NE(refusal(text, "/list/2=1").find("s.json: /list/2: /list has 2 elements"),
            std::string::npos);
  for (const char* set : {"/list/-1=1", "/list/-=1", "/list/01=1", "/list/x=1", "/list/=1",
                          "/list/99999999999999999999=1"})
    EXPECT_NE(refusal(text, set).find("/list has 2 elements"), std::string::npos) << set;
  EXPECT_NE(refusal(text, "/number/x=1").find("/number is 5, expected an object or a list"),
            std::string::npos);
  EXPECT_NE(refusal(text, "/name/x=1").find("/name is \"x\""), std::string::npos);
  for (const char* set : {"x=1", "=1", "/=1", "", "/a"})
    EXPECT_NE(refusal(text, set).find("expected "), std::string::npos) << set;
  EXPECT_NE(refusal(text, "/a~=1").find("~0 for '~'"), std::string::npos);
  EXPECT_NE(refusal(text, "/a~2b=1").find("~0 for '~'"), std::string::npos);
  std::string deep;
  for (int i = 0; i < 33; ++i) deep += "/a";
  EXPECT_NE(refusal(text, deep + "=1").find("at most 32 names"), std::string::npos);
  EXPECT_NE(
      refusal(text, "/x=" + std::string(70, '[') + std::string(70, ']')).find("nested deeper"),
      std::string::npos);
  EXPECT_NE(refusal(text, "/x=\xff").find("no UTF-8"), std::string::npos);
}

}  // namespace
}  // namespace kagami::tools
