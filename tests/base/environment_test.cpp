// SPDX-License-Identifier: MIT
// The environment: sizes and times with units, words, typing errors, and the page that lists the variables.
// Rules: environment-value, environment-name.
#include "base/environment/environment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "base/environment/frame_plan.hpp"
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

TEST(Environment, PlansOfFramesAreTakenOrTold) {
  const auto plan = [](const char* text) {
    const Set set("HEDDLE_FRAME_PLAN", text);
    return read_frame_plan_variable();
  };
  EXPECT_FALSE(plan("").value);
  EXPECT_FALSE(plan("").problem);
  const auto all = plan("frames=0..9,20,40.. shard=2/4 of=targets last=60");
  ASSERT_TRUE(all.value) << all.problem->message;
  EXPECT_EQ(all.value->frames, (std::vector<FrameRange>{{0, 9}, {20, 20}, {40, UINT64_MAX}}));
  EXPECT_EQ(all.value->shard.index, 2u);
  EXPECT_EQ(all.value->shard.count, 4u);
  EXPECT_TRUE(all.value->targets);
  EXPECT_EQ(all.value->last, 60u);
  // Of four frames in turn the second one, where the list has it.
  std::vector<std::uint64_t> wanted;
  for (std::uint64_t frame = 0; frame < 50; ++frame)
    if (all.value->wants(frame)) wanted.push_back(frame);
  EXPECT_EQ(wanted, (std::vector<std::uint64_t>{1, 5, 9, 41, 45, 49}));
  const auto named = plan("objects=shadow%20map,sums,a%2Cb");
  ASSERT_TRUE(named.value) << named.problem->message;
  EXPECT_EQ(named.value->objects, (std::vector<std::string>{"shadow map", "sums", "a,b"}));
  for (std::uint64_t frame : {0u, 7u, 1000000u}) EXPECT_TRUE(plan("of=presents").value->wants(frame));
  for (const char* text : {"frames",
                           "frames=",
                           "frames=x",
                           "frames=-1",
                           "frames=3..2",
                           "frames=1,,2",
                           "frames=1,",
                           "frames=..3",
                           "frames=99999999999999999999",
                           "shard=0/4",
                           "shard=5/4",
                           "shard=2",
                           "shard=1/0",
                           "shard=1/65537",
                           "shard=a/b",
                           "objects=",
                           "objects=a,",
                           "objects=a%2",
                           "objects=%zz",
                           "of=window",
                           "of=",
                           "last=",
                           "last=-3",
                           "last=1e3",
                           "last=99999999999999999999",
                           "frame=3",
                           "frames=0 frames=5",
                           "last=3 last=3",
                           "shard=1/2 shard=1/2",
                           "of=targets objects=a",
                           "objects=a of=presents",
                           "frames=5..9,7 last=4",
                           "3",
                           "all"}) {
    const auto reading = plan(text);
    EXPECT_FALSE(reading.value) << text;
    ASSERT_TRUE(reading.problem) << text;
    EXPECT_EQ(reading.problem->id, "environment-value");
    EXPECT_NE(reading.problem->message.find("as if it were not set (all presented frames)"), std::string::npos) << text;
  }
  EXPECT_NE(plan("frame=3").problem->message.find("'frame=3' is none of its words; is 'frames' meant?"),
            std::string::npos);
  EXPECT_NE(plan("shard=5/4").problem->message.find("'shard=5/4' is not of the kind shard=2/4"), std::string::npos);
  const auto said = [&](const std::string& text, const char* why) {
    EXPECT_NE(plan(text.c_str()).problem->message.find(why), std::string::npos) << text.substr(0, 80);
  };
  said("frames=0 frames=5", "'frames' stands twice");
  said("of=targets objects=a", "'of' stands beside 'objects'");
  said("frames=5..9,7 last=4", "'last=4' is before frame 5, the first of 'frames'");
  EXPECT_TRUE(plan("frames=5..9,7 last=5").value) << "that frame is recorded";
  std::string many = "frames=0";
  for (int i = 1; i < 4096; ++i) many += ",0";
  EXPECT_TRUE(plan(many.c_str()).value);
  said(many + ",0", "it has more than 4096 numbers and ranges");
}

// A folder that is written to, and one that may be read only; nothing is made by looking.
TEST(Environment, PlacesThatCannotBeAreTold) {
  const heddle::test::TemporaryFolder folder;
  heddle::test::write_text(folder / "file", "x");
  const auto told = [](const char* name, const std::string& value, VariableReader reader) -> std::string {
    const Set set(name, value.c_str());
    for (const Diagnostic& d : environment_problems(reader))
      if (d.message.starts_with(std::string(name) + " is '")) return d.message;
    return {};
  };
  const std::pair<const char*, VariableReader> folders[] = {{"HEDDLE_CAPTURE", VariableReader::Driver},
                                                            {"HEDDLE_GOLDEN", VariableReader::Driver},
                                                            {"HEDDLE_TEXELS", VariableReader::Driver},
                                                            {"HEDDLE_CACHE_DIR", VariableReader::Everything}};
  for (const auto& [name, reader] : folders) {
    for (const std::string& good : {std::string(), folder.path().string(), (folder / "new").string(),
                                    (folder / "new").string() + "/deep/er", std::string("relative")})
      EXPECT_EQ(told(name, good, reader), "") << name << "=" << good;
    EXPECT_NE(told(name, (folder / "file").string(), reader).find("it is no folder"), std::string::npos) << name;
    for (const std::string& none : {(folder / "file").string() + "/below", std::string("/proc/none")})
      EXPECT_NE(told(name, none, reader).find("no such folder can be made"), std::string::npos) << name << "=" << none;
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "new"));
  EXPECT_EQ(told("HEDDLE_CHECK_MARK", (folder / "file").string(), VariableReader::Driver), "");
  EXPECT_EQ(told("HEDDLE_CHECK_MARK", (folder / "mark").string(), VariableReader::Driver), "");
  EXPECT_NE(told("HEDDLE_CHECK_MARK", folder.path().string(), VariableReader::Driver).find("it is a folder"),
            std::string::npos);
  EXPECT_NE(told("HEDDLE_VECTORS", "avx9", VariableReader::Everything).find("it is taken for all"), std::string::npos);
}

TEST(Environment, ProblemsOfAReaderAreListed) {
  const auto told = [](VariableReader reader, const std::string& text) {
    return std::ranges::any_of(environment_problems(reader),
                               [&](const Diagnostic& d) { return d.message.find(text) != std::string::npos; });
  };
  const Set format("HEDDLE_CHECK_FORMAT", "xml"), slip("HEDDLE_CHEK", "warn"), other("HEDDLE_HOUSE", "1"),
      known("HEDDLE_TEST_SEED", "1"), former("HEDDLE_GOLDEN_PLAN", "frames=1");
  EXPECT_TRUE(
      told(VariableReader::Driver, "HEDDLE_CHECK_FORMAT is 'xml', which it does not take: it is taken for text"));
  EXPECT_TRUE(told(VariableReader::Driver, "HEDDLE_CHEK is set, but no variable has this name"));
  EXPECT_FALSE(told(VariableReader::Everything, "HEDDLE_CHEK"));
  // A name that a variable had before.
  EXPECT_TRUE(told(VariableReader::Driver, "HEDDLE_GOLDEN_PLAN is set, but no variable has this name"));
  EXPECT_TRUE(std::ranges::any_of(environment_problems(VariableReader::Driver), [](const Diagnostic& d) {
    return !d.notes.empty() && d.notes[0].message == "it is called HEDDLE_FRAME_PLAN now";
  }));
  EXPECT_FALSE(told(VariableReader::Program, "HEDDLE_GOLDEN_PLAN"));
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
