// SPDX-License-Identifier: MIT
// heddle vulkan: the environment that a program is run in.

#include <gtest/gtest.h>

#include <filesystem>

#include "support/process.hpp"

namespace heddle::test {
namespace {

const std::string kProgram = HEDDLE_PROGRAM;

bool has_driver() {
  return std::filesystem::exists(std::filesystem::path(kProgram).parent_path() / "../../lib/libvulkan_heddle.so");
}

TEST(Vulkan, RunsAProgramWithTheDriversManifest) {
  if (!has_driver()) GTEST_SKIP() << "the driver is not built";
  const Outcome outcome = run({kProgram, "vulkan", "--check", "warn", "sh", "-c",
                               "echo $VK_DRIVER_FILES $HEDDLE_CHECK $0 $mesa_glthread", "--flag"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("/lib/heddle_icd.json warn --flag false\n"), std::string::npos) << outcome.out;
}

TEST(Vulkan, SaysWhatIsMissing) {
  const Outcome help = run({kProgram, "vulkan", "--help"});
  EXPECT_NE(help.out.find("heddle vulkan [OPTIONS] PROGRAM ARGS...\n"), std::string::npos) << help.out;
  const Outcome none = run({kProgram, "vulkan"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("no program is named [vulkan-driver]"), std::string::npos) << none.err;
  const Outcome option = run({kProgram, "vulkan", "--verison", "ls"});
  EXPECT_EQ(option.exit_code, 2);
  EXPECT_NE(option.err.find("heddle vulkan has no option '--verison'"), std::string::npos) << option.err;
  if (!has_driver()) GTEST_SKIP() << "the driver is not built";
  // Two dashes may stand between the options and the program; later ones are the program's.
  EXPECT_EQ(run({kProgram, "vulkan", "--", "echo", "--info", "--", "x"}).out, "--info -- x\n");
  EXPECT_EQ(run({kProgram, "vulkan", "--check", "warn", "--", "sh", "-c", "echo $HEDDLE_CHECK"}).out, "warn\n");
  const Outcome unknown = run({kProgram, "vulkan", "no-such-program-here"});
  EXPECT_EQ(unknown.exit_code, 3);
  EXPECT_NE(unknown.err.find("no-such-program-here cannot be run"), std::string::npos) << unknown.err;
}

// environment-value, environment-name: nothing is taken in silence, and the program does not start.
TEST(Vulkan, RefusesVariablesThatMeanNothing) {
  if (!has_driver()) GTEST_SKIP() << "the driver is not built";
  const auto with = [](const std::string& variable) {
    return run({"env", variable, kProgram, "vulkan", "echo", "started"});
  };
  for (const char* text : {"1", "on", "yes", "WARN", "0"}) {
    const Outcome outcome = with(std::string("HEDDLE_CHECK=") + text);
    EXPECT_EQ(outcome.exit_code, 2) << text;
    EXPECT_EQ(outcome.out, "") << text;
    EXPECT_NE(outcome.err.find(std::string("HEDDLE_CHECK is '") + text + "', which it does not take"),
              std::string::npos)
        << outcome.err;
    EXPECT_NE(outcome.err.find("HEDDLE_CHECK takes off, warn or error"), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(with("HEDDLE_DEVICE_MEMORY=1GiBs").exit_code, 2);
  EXPECT_EQ(with("HEDDLE_TIME_LIMIT=soon").exit_code, 2);
  EXPECT_EQ(with("HEDDLE_CHECK_FORMAT=JSON").exit_code, 2);
  EXPECT_EQ(with("HEDDLE_TRACE=here").exit_code, 2);
  EXPECT_NE(with("HEDDLE_CHEK=warn").err.find("did you mean HEDDLE_CHECK?"), std::string::npos);
  for (const char* good : {"HEDDLE_CHECK=error", "HEDDLE_CHECK=", "HEDDLE_DEVICE_MEMORY=1GiB", "HEDDLE_TIME_LIMIT=2min",
                           "HEDDLE_CHECK_FORMAT=json", "HEDDLE_TRACE=1,2,3", "HEDDLE_TEST_SEED=1"}) {
    const Outcome outcome = with(good);
    EXPECT_EQ(outcome.exit_code, 0) << good << outcome.err;
    EXPECT_EQ(outcome.out, "started\n") << good;
  }
  // The flag outweighs the variable.
  EXPECT_EQ(run({"env", "HEDDLE_CHECK=1", kProgram, "vulkan", "--check", "off", "true"}).exit_code, 0);
}

// --check error: 5 for findings of any process that the program starts, else the program's own code.
TEST(Vulkan, CheckErrorHasAnExitCode) {
  if (!has_driver()) GTEST_SKIP() << "the driver is not built";
  const auto code = [](const std::string& script) {
    return run({kProgram, "vulkan", "--check", "error", "sh", "-c", script}).exit_code;
  };
  EXPECT_EQ(code("test $HEDDLE_CHECK = error"), 0);
  EXPECT_EQ(code("exit 7"), 7);
  EXPECT_EQ(code("kill -TERM $$"), 128 + 15);
  EXPECT_EQ(code("printf x >>$HEDDLE_CHECK_MARK"), 5);
  EXPECT_EQ(code("printf x >>$HEDDLE_CHECK_MARK; exit 1"), 5);
  EXPECT_EQ(code("rm $HEDDLE_CHECK_MARK; exit 3"), 3);
  const Outcome mark = run({kProgram, "vulkan", "--check", "error", "sh", "-c", "echo $HEDDLE_CHECK_MARK"});
  EXPECT_FALSE(std::filesystem::exists(mark.out.substr(0, mark.out.find('\n')))) << mark.out;
  EXPECT_EQ(run({kProgram, "vulkan", "--check", "error", "no-such-program-here"}).exit_code, 3);
}

TEST(Vulkan, InfoNamesTheDevice) {
  if (!has_driver()) GTEST_SKIP() << "the driver is not built";
  if (!have_program("vulkaninfo")) GTEST_SKIP() << "vulkaninfo is not installed";
  const Outcome outcome = run({kProgram, "vulkan", "--info"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("Heddle (CPU)"), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace heddle::test
