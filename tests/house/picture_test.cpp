// SPDX-License-Identifier: MIT
// docs/house.svg shows the folders and includes that src/ has.

#include <gtest/gtest.h>

#include "support/process.hpp"

namespace heddle {
namespace {

TEST(House, ThePictureIsWhatTheSourcesSay) {
  if (!test::have_program("python3")) GTEST_SKIP() << "python3 is not installed";
  const test::Outcome outcome = test::run({"python3", HEDDLE_SOURCE_DIR "/docs/house.py", "--check"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
}

}  // namespace
}  // namespace heddle
