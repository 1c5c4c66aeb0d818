// SPDX-License-Identifier: MIT
// Kernels that no folder holds as assembly: compiled by ocloc here and now, run, and compared with POCL. The sources of
// kernels/, and random ones.
// HEDDLE_FRESH=REGEX picks sources, HEDDLE_FRESH_FROM=FOLDER takes others; HEDDLE_FRESH_KEEP=FOLDER keeps what ocloc
// made.

#include <algorithm>
#include <cstdlib>
#include <regex>

#include "peers/opencl/fresh.hpp"
#include "support/number_variable.hpp"

using namespace heddle;
using namespace heddle::peers;
using job::kernels::Variant;

namespace {

struct Target {
  const char* device;
  unsigned simd;
  bool always = false;  ///< the others only with `--all`: ocloc takes half a minute for each
};
constexpr Target kTargets[] = {{"skl", 8},          {"skl", 16, true}, {"skl", 32},           {"icllp", 8, true},
                               {"icllp", 16},       {"icllp", 32},     {"tgllp", 8},          {"tgllp", 16},
                               {"tgllp", 32, true}, {"dg2-g10", 8},    {"dg2-g10", 16, true}, {"dg2-g10", 32},
                               {"pvc", 16},         {"pvc", 32}};

struct Expectation {
  FreshKernel kernel;
  std::vector<std::vector<std::uint8_t>> want;
};

/// `fast`: on the fast engine too. `options`: of the compiler.
void run_everywhere(std::vector<Expectation>& all, bool fast = true, const std::string& options = {}) {
  heddle::test::TemporaryFolder folder;
  const char* keep = std::getenv("HEDDLE_FRESH_KEEP");
  const std::filesystem::path root = keep != nullptr ? std::filesystem::path(keep) : folder.path();
  for (const Target& target : kTargets) {
    const std::string simd = "simd" + std::to_string(target.simd);
    if (!target.always && !heddle::test::test_all()) continue;
    if (!options.empty() && target.simd == 32) continue;  // functions have 8 or 16 channels
    std::vector<const FreshKernel*> chosen;
    for (const Expectation& e : all)
      if (!e.kernel.skip.contains(target.device) && !e.kernel.skip.contains(simd) &&
          !e.kernel.skip.contains(target.device + ("." + simd)))
        chosen.push_back(&e.kernel);
    if (chosen.empty()) continue;
    std::string why;
    const auto compiled = compile_fresh(chosen, target.device, target.simd, root, why, options);
    EXPECT_FALSE(compiled.empty()) << target.device << ' ' << simd << ": " << why;
    if (compiled.empty()) continue;
    for (const Expectation& e : all) {
      if (std::find(chosen.begin(), chosen.end(), &e.kernel) == chosen.end()) continue;
      SCOPED_TRACE(e.kernel.launch.kernel + " on " + target.device + " " + simd);
      const auto variant = compiled.find(e.kernel.launch.kernel);
      if (variant == compiled.end()) {
        ADD_FAILURE() << "ocloc left no text";
        continue;
      }
      const job::RunResult outcome = job::kernels::run_variant(variant->second, job_of(e.kernel.launch, folder.path()),
                                                               e.kernel.races ? "warn" : "error");
      EXPECT_TRUE(outcome.succeeded) << job::kernels::messages(outcome.diagnostics);
      if (outcome.succeeded) compare(e.kernel.launch, e.want, outcome, e.kernel.bound);
      if (!fast || !target.always) continue;  // compiling takes its time
      SCOPED_TRACE("fast engine");
      const job::RunResult compiled_run =
          job::kernels::run_variant(variant->second, "engine = \"fast\"\n" + job_of(e.kernel.launch, folder.path()));
      EXPECT_TRUE(compiled_run.succeeded) << job::kernels::messages(compiled_run.diagnostics);
      if (compiled_run.succeeded) compare(e.kernel.launch, e.want, compiled_run, e.kernel.bound);
    }
  }
}

bool expectation(FreshKernel kernel, std::vector<Expectation>& all) {
  Expectation e{std::move(kernel), {}};
  if (e.kernel.zero) {
    for (const Argument& a : e.kernel.launch.arguments)
      if (a.output) e.want.emplace_back(a.bytes.size());
  } else {
    std::string why;
    auto want = run_pocl(e.kernel.halves ? with_halves(e.kernel.source) : e.kernel.source, e.kernel.launch.kernel,
                         e.kernel.launch, why);
    if (!want) {
      ADD_FAILURE() << e.kernel.launch.kernel << ": POCL: " << why;
      return false;
    }
    e.want = std::move(*want);
  }
  all.push_back(std::move(e));
  return true;
}

class Fresh : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!have_pocl()) GTEST_SKIP() << "POCL (pocl-opencl-icd) is not installed";
    if (!heddle::test::have_program("ocloc")) GTEST_SKIP() << "ocloc (intel-opencl-icd) is not installed";
  }
};

TEST_F(Fresh, SourcesOfTheFolder) {
  const char* only = std::getenv("HEDDLE_FRESH");
  std::vector<Expectation> all;
  std::vector<std::filesystem::path> files;
  const char* folder = std::getenv("HEDDLE_FRESH_FROM");
  for (const auto& entry :
       std::filesystem::directory_iterator(folder != nullptr ? folder : "tests/peers/opencl/kernels"))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  unsigned number = 0;  // one in three, without --all
  for (const auto& file : files) {
    const std::string name = file.stem().string();
    if (file.extension() != ".cl" || (only != nullptr && !std::regex_search(name, std::regex(only)))) continue;
    std::string why;
    auto kernel = read_fresh(name, job::kernels::slurp(file.string()), why);
    ASSERT_TRUE(kernel) << file << ": " << why;
    if (heddle::test::test_all() || only != nullptr || number++ % 3 == 0) expectation(std::move(*kernel), all);
  }
  run_everywhere(all);
}

/// What the compiler makes without optimizing: every variable in memory, built-in functions called through a stack.
TEST_F(Fresh, UnoptimizedKernels) {
  std::vector<Expectation> all;
  for (const std::string name : {"private_array", "collatz", "hash", "sort"}) {
    std::string why;
    auto kernel = read_fresh(name, job::kernels::slurp("tests/peers/opencl/kernels/" + name + ".cl"), why);
    ASSERT_TRUE(kernel) << name << ": " << why;
    expectation(std::move(*kernel), all);
  }
  run_everywhere(all, true, "-cl-opt-disable");
}

// HEDDLE_FRESH_SEED=N runs the kernel of one seed everywhere.
TEST_F(Fresh, RandomKernels) {
  const auto seed = heddle::test::number_variable<unsigned>("HEDDLE_FRESH_SEED");
  const unsigned first = seed.value_or(1);
  const unsigned count = seed ? 1 : heddle::test::test_all() ? 200 : 2;
  for (unsigned batch = first; batch < first + count; batch += 20) {
    std::vector<Expectation> all;
    for (unsigned s = batch; s < std::min(batch + 20, first + count); ++s) {
      const std::string name = "seed" + std::to_string(s);
      std::string why;
      auto kernel = read_fresh(name, random_kernel(name, s), why);
      ASSERT_TRUE(kernel) << why;
      if (std::getenv("HEDDLE_FRESH_KEEP") != nullptr)
        heddle::test::write_text(std::filesystem::path(std::getenv("HEDDLE_FRESH_KEEP")) / (name + ".cl"),
                                 kernel->source);
      expectation(std::move(*kernel), all);
    }
    run_everywhere(all, seed || heddle::test::test_all());
  }
}

}  // namespace
