// SPDX-License-Identifier: MIT
// Modules changed so that their grammar stays (support/spirv_mutator): each is refused with a message or becomes a
// program that keeps all rules. HEDDLE_MUTANTS=100000 tries more of them; HEDDLE_MUTANT=SEED one alone.
// Rules: compile-internal.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cstring>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "support/compile_check.hpp"
#include "support/number_variable.hpp"
#include "support/processor_time.hpp"
#include "support/spirv_mutator.hpp"

using namespace heddle;

namespace {

namespace fs = std::filesystem;

std::vector<std::uint32_t> read_words(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  return words;
}

std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// One of each kind: with and without 64-bit types, registers of 32 and 64 bytes.
constexpr isa::Platform kPlatforms[] = {isa::Platform::SKL, isa::Platform::TGLLP, isa::Platform::DG2,
                                        isa::Platform::PVC, isa::Platform::XE2};

spirv::CompileOptions options_of(std::uint32_t choice) {
  spirv::CompileOptions options;
  options.simd = 8u << (choice % 3);
  options.portable = (choice & 4u) != 0;
  options.lenient = (choice & 8u) != 0;
  options.platform = kPlatforms[choice / 16 % std::size(kPlatforms)];
  return options;
}

char current[128];  ///< what a crash names

void crashed(int) {
  const auto written = write(STDERR_FILENO, current, sizeof current);
  _exit(written > 0 ? 1 : 2);
}

/// Each seed stands for a file of the corpus, options and changes.
test::CompileCheck try_seed(const std::vector<std::vector<std::uint32_t>>& corpus, std::uint32_t seed,
                            std::vector<std::uint32_t>* kept = nullptr) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> words = corpus[random() % corpus.size()];
  const std::uint32_t choice = words.back() + static_cast<std::uint32_t>(random() % 80);
  words.pop_back();
  test::SpirvMutator mutator(static_cast<std::uint32_t>(random()));
  words = mutator.mutate(words, 1 + static_cast<unsigned>(random() % 6));
  if (kept != nullptr) {
    *kept = words;
    kept->push_back(choice);
  }
  return test::check_compilation(words, options_of(choice));
}

TEST(Mutants, AreRefusedOrBecomePrograms) {
  std::vector<std::vector<std::uint32_t>> corpus;
  for (const fs::path& file : files_of(fs::path(HEDDLE_TEST_DIR) / "fuzz/corpus/spirv_mutants"))
    corpus.push_back(read_words(file));
  ASSERT_FALSE(corpus.empty());
  const auto given = test::number_variable<std::uint32_t>("HEDDLE_MUTANT");
  const bool one = given.has_value();
  const std::uint64_t first = given.value_or(test::number_variable<std::uint32_t>("HEDDLE_FIRST_MUTANT").value_or(1));
  const std::uint64_t count = one ? 1 : test::number_variable("HEDDLE_MUTANTS").value_or(300);
  std::signal(SIGSEGV, crashed);
  std::signal(SIGABRT, crashed);
  std::uint64_t compiled = 0, faults = 0;
  for (std::uint64_t seed = first; seed < first + count && faults < 50; ++seed) {
    std::snprintf(current, sizeof current, "mutant: HEDDLE_MUTANT=%llu crashed\n",
                  static_cast<unsigned long long>(seed));
    const double start = test::processor_seconds();
    std::vector<std::uint32_t> words;
    const test::CompileCheck check = try_seed(corpus, static_cast<std::uint32_t>(seed), &words);
    const double time = (test::processor_seconds() - start) / test::kSlowness;
    compiled += check.compiled ? 1 : 0;
    if (check.fault.empty() && time < 10 && !one) continue;
    faults += check.fault.empty() && time < 10 ? 0 : 1;
    EXPECT_EQ(check.fault, "") << "HEDDLE_MUTANT=" << seed;
    EXPECT_LT(time, 10) << "HEDDLE_MUTANT=" << seed;
    if (const char* folder = std::getenv("HEDDLE_KEEP_MUTANTS"))
      std::ofstream(fs::path(folder) / std::to_string(seed), std::ios::binary)
          .write(reinterpret_cast<const char*>(words.data()), static_cast<std::streamsize>(words.size() * 4));
    if (one) std::fprintf(stderr, "%s%s", check.compiled ? "compiled\n" : "refused\n", check.reason.c_str());
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  EXPECT_LT(usage.ru_maxrss, 2 << 20) << "kilobytes";
  if (!one) EXPECT_GT(compiled, count / 50) << "too few mutants are valid to show anything";
  std::fprintf(stderr, "%llu mutants, %llu compiled, %ld kB\n", static_cast<unsigned long long>(count),
               static_cast<unsigned long long>(compiled), usage.ru_maxrss);
}

/// What mutants found, once: module and a word of options.
TEST(Mutants, FoundFaultsStayMended) {
  for (const fs::path& file : files_of(fs::path(HEDDLE_TEST_DIR) / "malformed/spirv_mutants")) {
    std::vector<std::uint32_t> words = read_words(file);
    ASSERT_GT(words.size(), 6u) << file;
    const std::uint32_t choice = words.back();
    words.pop_back();
    for (std::uint32_t k = 0; k < 3; ++k)
      EXPECT_EQ(test::check_compilation(words, options_of(choice + k)).fault, "") << file;
  }
}

}  // namespace
