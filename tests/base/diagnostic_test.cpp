// SPDX-License-Identifier: MIT
// The word that was probably meant.

#include "base/diagnostic.hpp"

#include <gtest/gtest.h>

namespace heddle::base {
namespace {

TEST(Nearest, AWordWithAFewSlipsIsMeant) {
  EXPECT_EQ(nearest("gahter4", {"sample", "gather4", "ld"}), "gather4");
  EXPECT_EQ(nearest("LINEAR", {"nearest", "linear"}), "linear");
  EXPECT_EQ(nearest("hologram", {"sample", "gather4"}), "");
  EXPECT_EQ(nearest("", {"a"}), "");
}

// Of one letter changed in a word of one nothing is left.
TEST(Nearest, AnotherLetterIsAnotherWord) {
  EXPECT_EQ(nearest("q", {"p", "u"}), "");
  EXPECT_EQ(nearest("q", {""}), "");
  EXPECT_EQ(nearest("a", {"b", "A"}), "A");
  EXPECT_EQ(nearest("p", {"q", "p0"}), "p0");
  EXPECT_EQ(nearest("ab", {"ac"}), "ac");
}

}  // namespace
}  // namespace heddle::base
