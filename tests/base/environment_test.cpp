// SPDX-License-Identifier: MIT
// The environment: sizes and times with units, words, slips of the pen, and the page that lists the variables.
// Rules: environment-value, environment-name.
#include "base/environment/environment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>

#include "base/quantity.hpp"
#include "support/process.hpp"

namespace heddle::base {
namespace {

/// A variable that is set for a while.
class Set {
 public:
  Set(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value, 1);
  }
  ~Set() {
    if (before_)
      ::setenv(name_, before_->c_str(), 1);
    else
      ::unsetenv(name_);
  }
  Set(const Set&) = delete;
  Set& operator=(const Set&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(Quantity, SizesHaveUnits) {
  const std::pair<const char*, std::uint64_t> good[] = {{"0", 0},
                                                        {"4096", 4096},
                                                        {"1e9", 1000000000},
                                                        {"64KiB", 65536},
                                                        {"1GiB", 1073741824},
                                                        {"1 GiB", 1073741824},
                                                        {"1gib", 1073741824},
                                                        {"2GB", 2000000000},
                                                        {"2G", 2000000000},
                                                        {"1.5MiB", 1572864},
                                                        {"3k", 3000},
                                                        {"7B", 7},
                                                        {"2TiB", 2199023255552},
                                                        {"18446744073709551615", UINT64_MAX}};
  for (const auto& [text, bytes] : good) EXPECT_EQ(parse_size(text), bytes) << text;
  for (const char* text : {"", "GiB", "-1", "1GiBs", "1 x", "nan", "inf", "0x10", "18446744073709551616", "16777216TiB",
                           "1,5GiB", "1GiB 2"})
    EXPECT_EQ(parse_size(text), std::nullopt) << text;
}

TEST(Quantity, TimesHaveUnits) {
  const std::pair<const char*, double> good[] = {{"10", 10},     {"0.25", 0.25}, {"3s", 3},        {"500ms", 0.5},
                                                 {"2 min", 120}, {"1h", 3600},   {"1e300", 1e300}, {"-1", -1}};
  for (const auto& [text, seconds] : good) EXPECT_DOUBLE_EQ(parse_seconds(text).value_or(-7), seconds) << text;
  for (const char* text : {"", "s", "10x", "nan", "inf", "1:30"}) EXPECT_EQ(parse_seconds(text), std::nullopt) << text;
}

TEST(Environment, WordsAreTakenAndOthersAreTold) {
  struct Case {
    const char* text;
    const char* taken;
    bool is_right;
  };
  const Case cases[] = {{"off", "off", true},      {"warn", "warn", true},     {"error", "error", true},
                        {"1", "warn", false},      {"on", "warn", false},      {"yes", "warn", false},
                        {"true", "warn", false},   {"TRUE", "warn", false},    {"WARN", "warn", false},
                        {"Error", "error", false}, {"errors", "error", false}, {"warning", "warn", false},
                        {"0", "off", false},       {"no", "off", false},       {"OFF", "off", false},
                        {"all", "warn", false},    {"warn ", "warn", false},   {"2", "warn", false}};
  for (const Case& c : cases) {
    const Set set("HEDDLE_CHECK", c.text);
    const auto reading = read_word_variable(Variable::Check);
    EXPECT_EQ(reading.value, c.taken) << c.text;
    ASSERT_EQ(!reading.problem, c.is_right) << c.text;
    if (c.is_right) continue;
    EXPECT_EQ(reading.problem->id, "environment-value");
    EXPECT_EQ(reading.problem->message,
              "HEDDLE_CHECK is '" + std::string(c.text) + "', which it does not take: it is taken for " + c.taken);
    EXPECT_EQ(reading.problem->notes.at(0).message, "HEDDLE_CHECK takes off, warn or error");
  }
  const Set set("HEDDLE_CHECK", "");
  EXPECT_EQ(read_word_variable(Variable::Check).value, std::nullopt);
  EXPECT_FALSE(read_word_variable(Variable::Check).problem);
}

TEST(Environment, SizesTimesAndIdsAreTakenOrTold) {
  const auto memory = [](const char* text) {
    const Set set("HEDDLE_DEVICE_MEMORY", text);
    return read_bytes_variable(Variable::DeviceMemory);
  };
  EXPECT_EQ(memory("1GiB").value, std::uint64_t{1} << 30);
  EXPECT_EQ(memory("750000").value, 750000u);
  for (const char* text : {"1", "0", "lots", "1GiBB", "-5", "64KB"}) {
    EXPECT_EQ(memory(text).value, std::nullopt) << text;
    ASSERT_TRUE(memory(text).problem) << text;
    EXPECT_NE(memory(text).problem->message.find("as if it were not set (what the machine has)"), std::string::npos);
  }
  const auto limit = [](const char* text) {
    const Set set("HEDDLE_TIME_LIMIT", text);
    return read_seconds_variable(Variable::TimeLimit);
  };
  EXPECT_EQ(limit("2min").value, 120);
  EXPECT_EQ(limit("0.2").value, 0.2);
  EXPECT_FALSE(limit("0.2").problem);
  EXPECT_EQ(limit("1e300").value, 1e8);
  for (const char* text : {"1e300", "0", "-1", "ten", "nan", "10 seconds or so"})
    EXPECT_TRUE(limit(text).problem) << text;
  const auto traced = [](const char* text) {
    const Set set("HEDDLE_TRACE", text);
    return read_invocation_variable(Variable::Trace);
  };
  using Id = std::array<std::uint32_t, 3>;
  EXPECT_EQ(traced("1,2,3").value, (Id{1, 2, 3}));
  EXPECT_EQ(traced("7").value, (Id{7, 0, 0}));
  EXPECT_EQ(traced("7,8").value, (Id{7, 8, 0}));
  for (const char* text : {"x", "1,", "1,2,3,4", "-1", "1;2", "4294967296", "1 2"}) {
    EXPECT_EQ(traced(text).value, std::nullopt) << text;
    EXPECT_TRUE(traced(text).problem) << text;
  }
}

TEST(Environment, ProblemsOfAReaderAreListed) {
  const auto told = [](VariableReader reader, const std::string& text) {
    return std::ranges::any_of(environment_problems(reader),
                               [&](const Diagnostic& d) { return d.message.find(text) != std::string::npos; });
  };
  const Set format("HEDDLE_CHECK_FORMAT", "xml"), slip("HEDDLE_CHEK", "warn"), other("HEDDLE_HOUSE", "1"),
      known("HEDDLE_TEST_SEED", "1");
  EXPECT_TRUE(
      told(VariableReader::Driver, "HEDDLE_CHECK_FORMAT is 'xml', which it does not take: it is taken for text"));
  EXPECT_TRUE(told(VariableReader::Driver, "HEDDLE_CHEK is set, but no variable has this name"));
  EXPECT_FALSE(told(VariableReader::Everything, "HEDDLE_CHEK"));
  for (const auto reader : {VariableReader::Driver, VariableReader::Everything, VariableReader::Program}) {
    EXPECT_FALSE(told(reader, "HEDDLE_HOUSE"));
    EXPECT_FALSE(told(reader, "HEDDLE_TEST_SEED"));
  }
}

TEST(Environment, ThePageIsWrittenFromTheTable) {
  const std::string path = HEDDLE_SOURCE_DIR "/docs/environment.md";
  if (std::getenv("HEDDLE_UPDATE_TABLES") != nullptr) heddle::test::write_text(path, environment_page());
  EXPECT_EQ(heddle::test::read_text(path), environment_page()) << "HEDDLE_UPDATE_TABLES=1 writes it anew";
  for (const EnvironmentVariable& row : environment_variables()) {
    EXPECT_NE(environment_page().find("| `" + std::string(row.name) + "` |"), std::string::npos) << row.name;
    EXPECT_FALSE(row.takes.empty() || row.meaning.empty()) << row.name;
    EXPECT_EQ(row.standard.empty(), row.reader == VariableReader::Development) << row.name;
    EXPECT_EQ(row.otherwise.empty(), row.type != VariableType::Word) << row.name;
  }
}

}  // namespace
}  // namespace heddle::base
