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

TEST(Vulkan, InfoNamesTheDevice) {
  if (!has_driver()) GTEST_SKIP() << "the driver is not built";
  if (!have_program("vulkaninfo")) GTEST_SKIP() << "vulkaninfo is not installed";
  const Outcome outcome = run({kProgram, "vulkan", "--info"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("Heddle (CPU)"), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace heddle::test
