// SPDX-License-Identifier: MIT
// Files that belong together take their names together.

#include "base/file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>

#include "support/process.hpp"

namespace {
namespace fs = std::filesystem;
using heddle::base::OutputFiles;
using heddle::test::read_text;

struct Files : ::testing::Test {
  heddle::test::TemporaryFolder folder;
  [[nodiscard]] std::string path(const std::string& name) const { return (folder / name).string(); }
  [[nodiscard]] std::size_t count() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()));
  }
};

TEST_F(Files, AppearAtTheCommit) {
  OutputFiles files;
  heddle::test::write_text(path("a"), "old");
  ASSERT_TRUE(files.add(path("a"), "one").ok());
  ASSERT_TRUE(files.add(path("new/b"), "two").ok());
  EXPECT_EQ(read_text(path("a")), "old");
  EXPECT_FALSE(fs::exists(path("new/b")));
  ASSERT_TRUE(files.commit().ok());
  EXPECT_EQ(read_text(path("a")), "one");
  EXPECT_EQ(read_text(path("new/b")), "two");
  EXPECT_EQ(count(), 2u);
}

TEST_F(Files, LeaveNothingWithoutIt) {
  {
    OutputFiles files;
    ASSERT_TRUE(files.add(path("a"), "one").ok());
    const auto descriptor = files.open(path("b"));
    ASSERT_TRUE(descriptor.ok());
    ::close(*descriptor);
    EXPECT_FALSE(files.add(folder.path().string(), "a folder").ok());
    EXPECT_FALSE(files.add("/proc/none/x", "no folder").ok());
  }
  EXPECT_EQ(count(), 0u);
}

TEST_F(Files, AFullDeviceKeepsTheOthersBack) {
  OutputFiles files;
  ASSERT_TRUE(files.add(path("a"), "one").ok());
  ASSERT_TRUE(files.add("/dev/full", "two").ok());
  const auto done = files.commit();
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.diagnostics()[0].id, "file-write");
  EXPECT_FALSE(fs::exists(path("a")));
}

TEST_F(Files, ANameThatCannotBeTakenKeepsNoOtherBack) {
  OutputFiles files;
  ASSERT_TRUE(files.add(path("a"), "one").ok());
  ASSERT_TRUE(files.add(path("b"), "two").ok());
  fs::create_directory(path("a"));
  EXPECT_FALSE(files.commit().ok());
  EXPECT_EQ(read_text(path("b")), "two");
}

TEST_F(Files, DevicesWithoutEndAreNotRead) {
  EXPECT_FALSE(heddle::base::read_file("/dev/zero").ok());
  const auto nothing = heddle::base::read_file("/dev/null");
  ASSERT_TRUE(nothing.ok());
  EXPECT_TRUE(nothing->empty());
}

}  // namespace
