// SPDX-License-Identifier: MIT
// heddle/run.hpp: dispatches, bindings by name and by number, values, limits, reports; wrong arguments. Drawings have a
// file of their own.
#include "heddle/run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "library/ids.hpp"
#include "library/programs.hpp"
#include "support/process.hpp"

namespace heddle {
namespace {

using test::id_of;
using testing::HasSubstr;

Buffer numbers(std::size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 1.0f);
  return Buffer::of(values);
}

/// y[i] = a x[i] + y[i] for i < n, an OpenCL kernel with its description.
struct Saxpy {
  Saxpy() { options.zeinfo = "tests/data/opencl/saxpy/skl.simd16.zeinfo"; }
  Program program = *Program::load("tests/data/opencl/saxpy/skl.simd16.isa");
  RunOptions options;
  Buffer x = Buffer::of<float>({1, 2, 3, 4}), y = Buffer::of<float>({10, 20, 30, 40});
};

TEST(LibraryBuffer, BytesAndElements) {
  const Buffer buffer = Buffer::of<std::uint16_t>({0x0102, 0x0304, 5});
  EXPECT_EQ(buffer.bytes().size(), 6u);
  EXPECT_EQ(buffer.as<std::uint16_t>(), (std::vector<std::uint16_t>{0x0102, 0x0304, 5}));
  EXPECT_EQ(buffer.as<std::uint32_t>(), std::vector<std::uint32_t>{0x03040102});  // a rest is left out
  const Buffer same = buffer;
  same.bytes()[0] = 9;
  EXPECT_EQ(buffer.bytes()[0], 9);
  EXPECT_EQ(Buffer(3).as<std::uint8_t>(), (std::vector<std::uint8_t>{0, 0, 0}));
  EXPECT_TRUE(Buffer().bytes().empty());
}

TEST(LibraryRun, AShaderDoublesABufferOnBothEngines) {
  const auto program = test::compile(test::kDouble);
  ASSERT_TRUE(program.ok()) << to_text(program.diagnostics());
  for (const Engine engine : {Engine::Automatic, Engine::Reference}) {
    RunOptions options;
    options.engine = engine;
    const Buffer data = numbers(32);
    const auto report = heddle::Run(*program, options).bind("data", data).dispatch({32});
    ASSERT_TRUE(report.ok()) << to_text(report.diagnostics());
    EXPECT_EQ(data.as<float>()[31], 64.0f);
    EXPECT_EQ(report->groups, 2u);
    EXPECT_EQ(report->simd, 16u);
    EXPECT_EQ(report->kernel, "main");
    EXPECT_EQ(report->platform, "SKL");
    EXPECT_GT(report->instructions, 0u);
    if (engine == Engine::Reference) EXPECT_EQ(report->engine, Engine::Reference);
  }
}

// What the first dispatch made ready serves the next ones, whatever their sizes, until something else is bound.
TEST(LibraryRun, DispatchesFollowEachOther) {
  const auto program = test::compile(test::kDouble);
  ASSERT_TRUE(program.ok()) << to_text(program.diagnostics());
  for (const Engine engine : {Engine::Automatic, Engine::Reference}) {
    RunOptions options;
    options.engine = engine;
    Buffer data = numbers(64);
    heddle::Run run(*program, options);
    run.bind("data", data);
    for (const std::uint32_t items : {32u, 16u, 64u}) ASSERT_TRUE(run.dispatch({items}).ok());
    EXPECT_EQ(data.as<float>()[0], 8.0f);
    EXPECT_EQ(data.as<float>()[16], 4.0f * 17);
    EXPECT_EQ(data.as<float>()[63], 2.0f * 64);
    const auto again = run.dispatch_groups({2});
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->groups, 2u);
    EXPECT_EQ(again->compile_seconds, 0);
    EXPECT_FALSE(run.dispatch({32}, {7}).ok());  // the shader has a size of group
    const Buffer other = numbers(32);
    ASSERT_TRUE(run.bind("data", other).dispatch({32}).ok());
    EXPECT_EQ(other.as<float>()[0], 2.0f);
    EXPECT_EQ(data.as<float>()[0], 16.0f);
  }
}

TEST(LibraryRun, ShadersAreBoundByNameDescriptorOrSlot) {
  const auto program = test::compile(test::kDouble);
  ASSERT_TRUE(program.ok());
  for (const Key& key : {Key("data"), Key("0.3"), Key(Descriptor{.set = 0, .binding = 3}), Key(Slot{6})}) {
    const Buffer data = numbers(16);
    const auto report = heddle::Run(*program).bind(key, data).dispatch_groups({1});
    ASSERT_TRUE(report.ok()) << key.name() << "\n" << to_text(report.diagnostics());
    EXPECT_EQ(data.as<float>()[3], 8.0f) << key.name();
  }
  EXPECT_EQ(Key(Descriptor{.set = 1, .binding = 2, .element = 5}).name(), "1.2[5]");
  EXPECT_EQ(Key(Slot{4}).name('S'), "S4");
  EXPECT_EQ(Key(Argument{3}).name(), "3");
  EXPECT_TRUE(Key().empty());
}

TEST(LibraryRun, ArgumentsOfAnOpenClKernelByIndexOrName) {
  Saxpy by_index;
  heddle::Run run(by_index.program, by_index.options);
  run.bind(Argument{0}, by_index.y).bind(Argument{1}, by_index.x).set(Argument{2}, 2.0f).set(Argument{3}, 3);
  auto report = run.dispatch({4}, {4});
  ASSERT_TRUE(report.ok()) << to_text(report.diagnostics());
  EXPECT_EQ(by_index.y.as<float>(), (std::vector<float>{12, 24, 36, 40}));
  // Bound anew: the last one counts.
  run.set(Argument{2}, 0.5).set(Argument{3}, std::uint8_t{1});
  report = run.dispatch({4}, {4});
  ASSERT_TRUE(report.ok()) << to_text(report.diagnostics());
  EXPECT_EQ(by_index.y.as<float>(), (std::vector<float>{12.5f, 24, 36, 40}));

  Saxpy by_bytes;
  const std::array<std::uint8_t, 4> one{1, 0, 0, 0};
  report = heddle::Run(by_bytes.program, by_bytes.options)
               .bind("0", by_bytes.y)
               .bind("1", by_bytes.x)
               .set("2", 1.0)
               .set_bytes("3", one)
               .dispatch({4}, {4});
  ASSERT_TRUE(report.ok()) << to_text(report.diagnostics());
  EXPECT_EQ(by_bytes.y.as<float>(), (std::vector<float>{11, 20, 30, 40}));

  // In the words of job files.
  Saxpy by_words;
  heddle::Run words(by_words.program, by_words.options);
  words.bind("0", by_words.y).bind("1", by_words.x).set_words("2", "2.0").set_words("3", "{ bytes = \"01000000\" }");
  report = words.dispatch({4}, {4});
  ASSERT_TRUE(report.ok()) << to_text(report.diagnostics());
  EXPECT_EQ(by_words.y.as<float>(), (std::vector<float>{12, 20, 30, 40}));
  for (const char* wrong : {"{ bytes = ", "[{ a = 1 }, 2]"}) {
    heddle::Run broken(by_words.program, by_words.options);
    broken.bind("0", by_words.y).bind("1", by_words.x).set("2", 1.0).set_words("3", wrong);
    const auto refused = broken.dispatch({4}, {4});
    ASSERT_FALSE(refused.ok()) << wrong;
    EXPECT_NE(to_text(refused.diagnostics()).find("argument '3'"), std::string::npos) << to_text(refused.diagnostics());
  }
}

TEST(LibraryRun, TheOffsetMovesGlobalIds) {
  Saxpy s;
  heddle::Run run(s.program, s.options);
  run.bind(Argument{0}, s.y).bind(Argument{1}, s.x).set(Argument{2}, 1.0f).set(Argument{3}, 4);
  const auto report = run.dispatch({2}, {2}, {2});
  ASSERT_TRUE(report.ok()) << to_text(report.diagnostics());
  EXPECT_EQ(s.y.as<float>(), (std::vector<float>{10, 20, 33, 44}));
}

TEST(LibraryRun, ValuesMustFitTheirType) {
  Saxpy s;
  const auto id = [&](auto value) {
    heddle::Run run(s.program, s.options);
    run.bind(Argument{0}, s.y).bind(Argument{1}, s.x).set(Argument{2}, 1.0f).set(Argument{3}, value);
    return id_of(run.dispatch({4}, {4}));
  };
  EXPECT_EQ(id(4), "ok");
  EXPECT_EQ(id(std::int64_t{1} << 40), "bind-type");
  EXPECT_EQ(id(std::vector<int>{1, 2}), "bind-type");
}

TEST(LibraryRun, BindingsThatLackOrFitNothing) {
  Saxpy s;
  heddle::Run run(s.program, s.options);
  EXPECT_EQ(id_of(run.dispatch({4}, {4})), "bind-missing");
  run.bind(Argument{0}, s.y).bind(Argument{1}, s.x).set(Argument{2}, 1.0f).set(Argument{3}, 4).set("nn", 3);
  EXPECT_EQ(id_of(run.dispatch({4}, {4})), "bind-unknown");
  EXPECT_EQ(id_of(heddle::Run(s.program, s.options).bind("0", Image()).dispatch({4})), "usage-argument");
}

TEST(LibraryRun, ChecksCountWhatTheyFind) {
  Saxpy s;
  s.options.check = Check::Warn;
  const auto run = [&] {
    return heddle::Run(s.program, s.options)
        .bind(Argument{0}, s.y)
        .bind(Argument{1}, Buffer::of<float>({1}))
        .set(Argument{2}, 1.0f)
        .set(Argument{3}, 4)
        .dispatch({4}, {4});
  };
  const auto report = run();
  ASSERT_TRUE(report.ok()) << to_text(report.diagnostics());
  EXPECT_EQ(report->engine, Engine::Reference);
  EXPECT_FALSE(report->findings.empty());
  EXPECT_FALSE(report->diagnostics.empty());
  s.options.check = Check::Error;
  EXPECT_FALSE(run().ok());
  s.options.check = Check::Off;
  EXPECT_TRUE(run()->findings.empty());
}

TEST(LibraryRun, LimitsEndARun) {
  const auto program = test::compile(test::kDouble);
  ASSERT_TRUE(program.ok());
  const auto run = [&](const Limits& limits) {
    RunOptions options;
    options.limits = limits;
    return heddle::Run(*program, options).bind("data", numbers(1 << 12)).dispatch({1 << 12});
  };
  Limits steps;
  steps.steps = 10;
  EXPECT_EQ(id_of(run(steps)), "limit-steps");
  EXPECT_TRUE(reached_limit(run(steps).diagnostics()));
  Limits memory;
  memory.memory_bytes = 100;
  EXPECT_EQ(id_of(run(memory)), "limit-memory");
}

TEST(LibraryRun, ProgressEndsAtOne) {
  const auto program = test::compile(test::kDouble);
  ASSERT_TRUE(program.ok());
  std::vector<double> parts;
  RunOptions options;
  options.progress = [&](double part) { parts.push_back(part); };
  ASSERT_TRUE(heddle::Run(*program, options).bind("data", numbers(1 << 12)).dispatch({1 << 12}).ok());
  ASSERT_FALSE(parts.empty());
  EXPECT_TRUE(std::is_sorted(parts.begin(), parts.end()));
  EXPECT_LE(parts.back(), 1.0);
}

TEST(LibraryRun, WrongArguments) {
  const auto program = test::compile(test::kDouble);
  ASSERT_TRUE(program.ok());
  const auto with = [&](const RunOptions& options) {
    return id_of(heddle::Run(*program, options).bind("data", numbers(16)).dispatch({16}));
  };
  EXPECT_EQ(with({}), "ok");
  EXPECT_EQ(with({.platform = "none"}), "usage-argument");
  EXPECT_EQ(with({.simd = 7}), "usage-argument");
  EXPECT_EQ(with({.threads = 1 << 20}), "usage-argument");
  RunOptions never;
  never.limits.seconds = 0;
  EXPECT_EQ(with(never), "usage-argument");
  EXPECT_EQ(with({.entry = "other"}), "job-value");
  heddle::Run run(*program);
  run.bind("data", numbers(16));
  EXPECT_EQ(id_of(run.dispatch({})), "usage-argument");
  EXPECT_EQ(id_of(run.dispatch({1, 1, 1, 1})), "usage-argument");
  EXPECT_EQ(id_of(run.dispatch({16}, {0})), "usage-argument");
  EXPECT_EQ(id_of(run.dispatch({16}, {}, {1, 1, 1, 1})), "usage-argument");
  EXPECT_EQ(id_of(run.dispatch_groups({})), "usage-argument");
  EXPECT_EQ(id_of(run.dispatch_groups({1}, {1, 1, 1, 1})), "usage-argument");
}

/// A program that breaks a rule is not run, and the message shows its line.
TEST(LibraryRun, RulesComeFirst) {
  std::string text = test::kNegative;
  text.replace(text.find("c(4,0)<1> (-)"), 6, "c(9,0)");
  const auto program = Program::parse(text, "k.visaasm");
  ASSERT_TRUE(program.ok()) << to_text(program.diagnostics());
  const auto report = heddle::Run(*program).dispatch({1});
  ASSERT_FALSE(report.ok());
  EXPECT_TRUE(report.diagnostics().front().id.starts_with("visa-")) << to_text(report.diagnostics());
  EXPECT_THAT(to_text(report.diagnostics()), HasSubstr("c(9,0)<1>"));
}

TEST(LibraryRun, ACanceledRunFails) {  // run-canceled
  Saxpy saxpy;
  const Cancellation cancellation;
  saxpy.options.cancellation = cancellation;
  heddle::Run run(saxpy.program, saxpy.options);
  run.bind(Argument{0}, saxpy.y).bind(Argument{1}, saxpy.x).set(Argument{2}, 2.0f).set(Argument{3}, 4);
  cancellation.cancel();
  EXPECT_EQ(id_of(run.dispatch({4})), "run-canceled");
  cancellation.reset();
  const auto report = run.dispatch({4});
  EXPECT_TRUE(report.ok()) << to_text(report.diagnostics());
}

}  // namespace
}  // namespace heddle
