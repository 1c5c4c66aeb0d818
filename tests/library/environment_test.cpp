// SPDX-License-Identifier: MIT
// environment.hpp: variables that a program of the library was started with. Rules: environment-value,
// environment-name.

#include "heddle/environment.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace heddle {
namespace {

/// What is said of the one variable that is set so.
Diagnostics said_of(const char* name, const char* value) {
  ::setenv(name, value, 1);
  Diagnostics all = environment_problems(), own;
  ::unsetenv(name);
  for (Diagnostic& d : all)
    if (d.message.starts_with(name)) own.push_back(std::move(d));
  return own;
}

TEST(LibraryEnvironment, WhatAVariableDoesNotTakeIsTold) {
  const char* before = std::getenv("HEDDLE_CACHE_DIR");
  const std::string cache = before != nullptr ? before : "";
  for (const char* wrong : {"v9", "avx2", "-1", "99999999999999999999", "V3"}) {
    const Diagnostics said = said_of("HEDDLE_VECTORS", wrong);
    ASSERT_EQ(said.size(), 1u) << wrong;
    EXPECT_EQ(said[0].severity, Severity::Warning);
    EXPECT_EQ(said[0].id, "environment-value");
    ASSERT_EQ(said[0].notes.size(), 1u);
    EXPECT_EQ(said[0].notes[0].message, "HEDDLE_VECTORS takes all, v2, v3 or v4");
  }
  for (const char* right : {"all", "v2", "v3", "v4", ""})
    EXPECT_TRUE(said_of("HEDDLE_VECTORS", right).empty()) << right;
  ASSERT_EQ(said_of("HEDDLE_CACHE_DIR", "/dev/null").size(), 1u);
  EXPECT_NE(said_of("HEDDLE_CACHE_DIR", "/dev/null")[0].message.find("it is no folder"), std::string::npos);
  EXPECT_TRUE(said_of("HEDDLE_CACHE_DIR", "").empty());
  ASSERT_EQ(said_of("HEDDLE_CACHE_DIRS", "x").size(), 1u);
  EXPECT_EQ(said_of("HEDDLE_CACHE_DIRS", "x")[0].id, "environment-name");
  if (before != nullptr) ::setenv("HEDDLE_CACHE_DIR", cache.c_str(), 1);
}

}  // namespace
}  // namespace heddle
