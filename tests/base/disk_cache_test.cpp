// SPDX-License-Identifier: MIT
// What is kept on disk: several writers, damaged files, limits.
#include "base/disk_cache.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "support/process.hpp"

namespace heddle::base {
namespace {

namespace fs = std::filesystem;

using Folder = heddle::test::TemporaryFolder;

std::vector<std::uint8_t> some_bytes(std::size_t n, unsigned seed) {
  std::vector<std::uint8_t> bytes(n);
  for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<std::uint8_t>(i * 7 + seed);
  return bytes;
}

std::string key_of(unsigned n) {
  KeyMaker key;
  key.value(n);
  return key.hex();
}

TEST(DiskCache, GivesBackWhatWasStored) {
  const Folder folder;
  const DiskCache cache("kernel", folder.path().string(), 1 << 20);
  EXPECT_FALSE(cache.find(key_of(1)));
  cache.store(key_of(1), some_bytes(1000, 1));
  EXPECT_EQ(cache.find(key_of(1)), some_bytes(1000, 1));
  EXPECT_FALSE(cache.find(key_of(2)));
}

/// An environment variable, as it was at the end of the scope.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    value == nullptr ? ::unsetenv(name) : ::setenv(name, value, 1);
  }
  ~Variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

// A user without a home has one in name only, /nonexistent: root, who could make it, leaves it alone.
TEST(DiskCache, AHomeIsNeverMade) {
  const Folder folder;
  const auto keeps = [] {
    const DiskCache cache("kernel");
    cache.store(key_of(1), some_bytes(10, 1));
    return cache.find(key_of(1)).has_value();
  };
  const std::string home = (folder.path() / "home").string();
  const Variable own("HEDDLE_CACHE_DIR", nullptr);
  for (const std::string& none : {home, home + "/", home + "/user"}) {
    const Variable no_home("HOME", none.c_str());
    {
      const Variable no_caches("XDG_CACHE_HOME", nullptr);
      EXPECT_FALSE(keeps()) << none;
    }
    for (const std::string& caches : {none + "/.cache", none + "/./a/../.cache", home + "/of/another/.cache"}) {
      const Variable below("XDG_CACHE_HOME", caches.c_str());
      EXPECT_FALSE(keeps()) << caches;
      const Variable given("HEDDLE_CACHE_DIR", (none + "/kernels").c_str());
      EXPECT_FALSE(keeps()) << none;
    }
    EXPECT_FALSE(fs::exists(home)) << none;
  }
  // Below a home that is there everything is made, and what was asked for elsewhere too.
  const Variable no_caches("XDG_CACHE_HOME", nullptr);
  {
    const Variable no_home("HOME", home.c_str());
    const Variable given("HEDDLE_CACHE_DIR", (folder.path() / "a/b").c_str());
    EXPECT_TRUE(keeps());
    EXPECT_TRUE(fs::is_directory(folder.path() / "a/b"));
  }
  fs::create_directory(home);
  const Variable with_home("HOME", home.c_str());
  EXPECT_TRUE(keeps());
  EXPECT_TRUE(fs::is_directory(home + "/.cache/heddle/kernels"));
  const Variable caches("XDG_CACHE_HOME", (home + "/caches").c_str());
  EXPECT_TRUE(keeps());
  EXPECT_TRUE(fs::is_directory(home + "/caches/heddle/kernels"));
}

// Nor is one made again that was there before, and what the folder of caches is in neither.
TEST(DiskCache, AHomeThatWentIsNotMadeAgain) {
  const Folder folder;
  const std::string gone = (folder.path() / "gone").string(), caches = gone + "/caches";
  const Variable own("HEDDLE_CACHE_DIR", nullptr);
  for (const bool has_caches : {false, true}) {
    const Variable home("HOME", has_caches ? folder.path().c_str() : gone.c_str());
    const Variable below("XDG_CACHE_HOME", has_caches ? caches.c_str() : nullptr);
    for (const std::string& kept : {gone, caches}) {
      fs::create_directories(kept);
      const DiskCache cache("kernel");
      cache.store(key_of(1), some_bytes(10, 1));
      EXPECT_TRUE(cache.find(key_of(1))) << kept << has_caches;
      fs::remove_all(gone);
      cache.store(key_of(1), some_bytes(10, 1));
      DiskCache("kernel").store(key_of(1), some_bytes(10, 1));
      EXPECT_FALSE(fs::exists(gone)) << kept << has_caches;
    }
  }
}

TEST(DiskCache, DamagedFilesAreNotThere) {
  const Folder folder;
  const DiskCache cache("kernel", folder.path().string(), 1 << 20);
  cache.store(key_of(1), some_bytes(500, 1));
  const fs::path file = folder.path() / (key_of(1) + ".kernel");
  std::ifstream in(file, std::ios::binary);
  const std::string good((std::istreambuf_iterator<char>(in)), {});
  for (std::size_t at = 0; at < good.size(); at += 13) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x20);
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bad;
    EXPECT_FALSE(cache.find(key_of(1))) << at;
  }
  for (const std::size_t length : {std::size_t{0}, std::size_t{7}, std::size_t{40}, good.size() - 1}) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << good.substr(0, length);
    EXPECT_FALSE(cache.find(key_of(1))) << length;
  }
  std::ofstream(file, std::ios::binary | std::ios::trunc) << good + "x";
  EXPECT_FALSE(cache.find(key_of(1)));
  // Another key's file under this name is not taken.
  std::ofstream(folder.path() / (key_of(2) + ".kernel"), std::ios::binary) << good;
  EXPECT_FALSE(cache.find(key_of(2)));
}

TEST(DiskCache, FilesOfSomebodyElseAreNotThere) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  const Folder folder;
  const DiskCache cache("kernel", folder.path().string(), 1 << 20);
  cache.store(key_of(1), some_bytes(500, 1));
  ASSERT_TRUE(cache.find(key_of(1)));
  if (::chown((folder.path() / (key_of(1) + ".kernel")).c_str(), 12345, 12345) != 0) {
    ASSERT_EQ(errno, EINVAL);
    GTEST_SKIP() << "this namespace has no other users";
  }
  EXPECT_FALSE(cache.find(key_of(1)));
}

TEST(DiskCache, TheOldestGoWhenItIsFull) {
  const Folder folder;
  const DiskCache cache("kernel", folder.path().string(), 100000);
  for (unsigned n = 0; n < 30; ++n) cache.store(key_of(n), some_bytes(10000, n));
  std::uintmax_t total = 0;
  for (const auto& entry : fs::directory_iterator(folder.path())) total += entry.file_size();
  EXPECT_LE(total, 100000u);
  EXPECT_TRUE(cache.find(key_of(29)));
  EXPECT_FALSE(cache.find(key_of(0)));
}

// Whatever else lies in the folder stays there, though it is old and the folder is full.
TEST(DiskCache, FilesOfOthersStay) {
  const Folder folder;
  const DiskCache cache("kernel", folder.path().string(), 100000);
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(2);
  const char* const names[] = {"part", ".part", "kernel", "image", ".shader", "notes.txt", "a.kernel.bak"};
  for (const char* name : names) {
    {
      std::ofstream(folder.path() / name) << "x";
    }
    fs::last_write_time(folder.path() / name, long_ago);
  }
  for (unsigned n = 0; n < 60; ++n) cache.store(key_of(n), some_bytes(10000, n));
  EXPECT_FALSE(cache.find(key_of(0)));
  for (const char* name : names) EXPECT_TRUE(fs::exists(folder.path() / name)) << name;
}

// The folder is not looked through again while it is known to have room.
TEST(DiskCache, RoomIsBelievedForAWhile) {
  const Folder folder;
  const DiskCache cache("kernel", folder.path().string(), 100000);
  const auto store_a_trimming_one = [&](unsigned from) {
    unsigned n = from;
    while (!key_of(n).ends_with('0')) ++n;
    cache.store(key_of(n), some_bytes(100, n));
    return n + 1;
  };
  const unsigned next = store_a_trimming_one(0);
  const fs::path counted = folder.path() / "counted", left = folder.path() / "left.1.1.part";
  ASSERT_TRUE(fs::exists(counted));
  {
    std::ofstream(left) << "x";
  }
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(2);
  fs::last_write_time(left, long_ago);
  const unsigned last = store_a_trimming_one(next);
  EXPECT_TRUE(fs::exists(left));  // nobody looked
  fs::last_write_time(counted, long_ago);
  const unsigned again = store_a_trimming_one(last);
  EXPECT_FALSE(fs::exists(left));
  // What is not believed: another length, more than there may be.
  for (const std::string& text : {std::string("x"), std::string(8, '\x7f')}) {
    {
      std::ofstream(left) << "x";
    }
    fs::last_write_time(left, long_ago);
    {
      std::ofstream(counted) << text;
    }
    store_a_trimming_one(again);
    EXPECT_FALSE(fs::exists(left));
  }
}

TEST(DiskCache, ProcessesWriteAtOnce) {
  const Folder folder;
  const DiskCache cache("kernel", folder.path().string(), 1 << 24);
  std::vector<pid_t> children;
  for (unsigned p = 0; p < 2; ++p) {
    const pid_t child = ::fork();
    if (child == 0) {
      bool good = true;
      for (unsigned round = 0; round < 200; ++round) {
        cache.store(key_of(round % 5), some_bytes(20000, round % 5));
        const auto found = cache.find(key_of((round + p) % 5));
        good = good && (!found || *found == some_bytes(20000, (round + p) % 5));
      }
      ::_exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  for (unsigned n = 0; n < 5; ++n) EXPECT_EQ(cache.find(key_of(n)), some_bytes(20000, n));
}

TEST(DiskCache, AFolderThatCannotBeWrittenIsNone) {
  const Folder folder;
  // A file in the folder's place stops every user; permissions would not stop root.
  const fs::path taken = folder.path() / "taken";
  std::ofstream(taken) << "x";
  for (const fs::path& path : {taken, taken / "below"}) {
    const DiskCache cache("kernel", path.string(), 1 << 20);
    cache.store(key_of(1), some_bytes(100, 1));
    EXPECT_FALSE(cache.find(key_of(1)));
  }
  EXPECT_EQ(fs::file_size(taken), 1u);
}

TEST(DiskCache, AnEmptyVariableMeansNoFolder) {
  const char* before = std::getenv("HEDDLE_CACHE_DIR");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("HEDDLE_CACHE_DIR", "", 1);
  const DiskCache cache("kernel");
  cache.store(key_of(1), some_bytes(100, 1));
  EXPECT_FALSE(cache.find(key_of(1)));
  if (before != nullptr)
    ::setenv("HEDDLE_CACHE_DIR", kept.c_str(), 1);
  else
    ::unsetenv("HEDDLE_CACHE_DIR");
}

TEST(DiskCache, KeysDifferByEveryByte) {
  std::vector<std::string> keys;
  std::vector<std::uint8_t> bytes(200);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    bytes[at] = 1;
    for (std::size_t size : {bytes.size(), std::min<std::size_t>(40, bytes.size())}) {
      if (at >= size) continue;
      KeyMaker key;
      key.add(bytes.data(), size);
      keys.push_back(key.hex());
    }
    bytes[at] = 0;
  }
  std::ranges::sort(keys);
  EXPECT_EQ(std::ranges::adjacent_find(keys), keys.end());
}

TEST(DiskCache, KindsAreApartAndShareTheLimit) {
  const Folder folder;
  const DiskCache kernels("kernel", folder.path().string(), 100000), shaders("shader", folder.path().string(), 100000);
  kernels.store(key_of(1), some_bytes(100, 1));
  EXPECT_FALSE(shaders.find(key_of(1)));
  shaders.store(key_of(1), some_bytes(100, 2));
  EXPECT_EQ(kernels.find(key_of(1)), some_bytes(100, 1));
  EXPECT_EQ(shaders.find(key_of(1)), some_bytes(100, 2));
  // One kind's file is not taken for the other's.
  fs::copy_file(folder.path() / (key_of(1) + ".kernel"), folder.path() / (key_of(1) + ".shader"),
                fs::copy_options::overwrite_existing);
  EXPECT_FALSE(shaders.find(key_of(1)));
  for (unsigned n = 0; n < 30; ++n) (n % 2 != 0 ? kernels : shaders).store(key_of(n), some_bytes(10000, n));
  std::uintmax_t total = 0;
  for (const auto& entry : fs::directory_iterator(folder.path())) total += entry.file_size();
  EXPECT_LE(total, 100000u);
}

TEST(DiskCache, WhatIsFoundCountsAsUsed) {
  const Folder folder;
  const DiskCache cache("kernel", folder.path().string(), 1 << 20);
  cache.store(key_of(1), some_bytes(100, 1));
  const fs::path file = folder.path() / (key_of(1) + ".kernel");
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(48);
  fs::last_write_time(file, old);
  EXPECT_TRUE(cache.find(key_of(1)));
  EXPECT_GT(fs::last_write_time(file), old + std::chrono::hours(47));
}

TEST(KeyMaker, ValuesAndTextsDoNotRunTogether) {
  const auto key = [](auto&&... parts) {
    KeyMaker k;
    (k.text(parts), ...);
    return k.hex();
  };
  EXPECT_NE(key("ab", "c"), key("a", "bc"));
  EXPECT_NE(key("", "abc"), key("abc", ""));
  EXPECT_NE(key("abc"), key("abc", ""));
  EXPECT_EQ(key("abc", "d"), key("abc", "d"));
}

}  // namespace
}  // namespace heddle::base
