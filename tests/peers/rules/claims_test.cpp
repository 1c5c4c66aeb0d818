// SPDX-License-Identifier: MIT
// What the rule book says of Intel's tools, tried on them: a rule whose source says "checks it" has an example that the
// finalizer refuses, "lets it pass" one that it takes; each claim in other words has lines of its own here.
// HEDDLE_TEST_ALL compiles every OpenCL kernel of the tests for what "holds in every kernel of Intel's OpenCL
// compiler".
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "peers/rules/tool.hpp"
#include "support/process.hpp"
#include "verify/explain/explain.hpp"
#include "verify/harness.hpp"
#include "verify/rules/rules.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

#define HEDDLE_NEED_GENX() \
  if (!have_program("GenX_IR")) GTEST_SKIP() << "GenX_IR is not installed (package libigc-tools)"

/// What a claim in other words than the two comes to.
enum class Judgment : std::uint8_t { Taken, Refused, RefusedThere };  ///< by it, by both, by it alone
struct Line {
  std::string_view rule, platform;  ///< "PVC/XE3P": the finalizer's and, where it does not know it, ours
  std::string_view lines;
  Judgment judgment;
};
constexpr Judgment kTaken = Judgment::Taken, kRefused = Judgment::Refused, kRefusedThere = Judgment::RefusedThere;

constexpr Line kLines[] = {
#include "claims.inc"
};

enum class Claim : std::uint8_t { None, Checks, Passes, Fails, Other };

bool has(std::string_view text, std::string_view words) { return text.find(words) != std::string_view::npos; }

Claim claim_of(const verify::Rule& rule) {
  const std::string_view source = rule.source;
  if (source.ends_with("Intel's tool (GenX_IR 1.0.12504) checks it") || source.ends_with("Intel's tool checks it"))
    return Claim::Checks;
  if (source.ends_with("Intel's tool lets it pass")) return Claim::Passes;
  if (source.ends_with("Intel's tool fails on it")) return Claim::Fails;
  const bool told = has(source, "Intel's tool") || has(rule.explanation, "Intel's tool") ||
                    has(rule.explanation, "Intel's parser") || has(rule.statement, "Intel's tool");
  return told ? Claim::Other : Claim::None;
}

template <typename Fn>
void for_each_rule(Fn fn) {
  for (unsigned area = 0; area < verify::kAreaCount; ++area)
    for (const verify::Rule& rule : verify::rules(static_cast<verify::Area>(area)))
      if (static_cast<verify::Area>(area) != verify::Area::Container) fn(rule);
}

struct Attempt {
  std::string what;
  bool taken;
};

TEST(RuleClaims, HoldForIntelsFinalizer) {
  HEDDLE_NEED_GENX();
  std::vector<Attempt> attempts;
  std::vector<ToolCase> cases;
  const auto add = [&](std::string what, std::string_view lines, std::string_view platform, bool taken) {
    attempts.push_back({std::move(what), taken});
    cases.push_back({program_of(lines), std::string(platform.empty() ? "SKL" : platform)});
  };
  std::set<std::string_view> spoken;
  for (const Line& line : kLines) {
    ASSERT_TRUE(verify::find_rule(line.rule) != nullptr || verify::explain(line.rule)) << line.rule;
    spoken.insert(line.rule);
    add(std::string(line.rule) + ": " + std::string(line.lines), line.lines,
        line.platform.substr(0, line.platform.find('/')), line.judgment == kTaken);
  }
  for_each_rule([&](const verify::Rule& rule) {
    const Claim claim = claim_of(rule);
    if (claim == Claim::None) return;
    if (claim == Claim::Other) {
      EXPECT_TRUE(spoken.contains(rule.id)) << rule.id << " claims something that no line of claims.inc tries";
      return;
    }
    ASSERT_FALSE(rule.accepted.starts_with("bytes:") || rule.rejected.starts_with("bytes:")) << rule.id;
    add(std::string(rule.id) + ", accepted example", rule.accepted, rule.platform, true);
    add(std::string(rule.id) + ", rejected example", rule.rejected, rule.platform, claim == Claim::Passes);
  });
  const std::vector<std::string> found = tool_objections(cases);
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_EQ(found[i].empty(), attempts[i].taken) << attempts[i].what << " on " << cases[i].platform << "\n"
                                                   << found[i];
  EXPECT_GT(found.size(), 150u);
}

/// What the finalizer refuses is an error here too, but for what is read beyond its text.
TEST(RuleClaims, LinesThatIntelsFinalizerRefusesAreErrorsHere) {
  for (const Line& line : kLines) {
    if (line.judgment == kTaken) continue;
    const Verdict verdict =
        judge_text(program_of(line.lines), platform_named(line.platform.substr(line.platform.find('/') + 1)));
    EXPECT_EQ(verdict.diagnostics.has_errors(), line.judgment == kRefused) << line.lines;
  }
}

/// Kernels of the OpenCL tests, as Intel's offline compiler makes them with and without optimization.
TEST(RuleClaims, HoldInKernelsOfIntelsOpenClCompiler) {
  if (!have_program("ocloc")) GTEST_SKIP() << "ocloc (intel-opencl-icd) is not installed";
  std::set<std::string_view> claimed;
  for_each_rule([&](const verify::Rule& rule) {
    if (has(rule.source, "holds in every kernel of Intel's OpenCL compiler")) claimed.insert(rule.id);
  });
  ASSERT_FALSE(claimed.empty());
  const std::set<std::string> few = {"sort.cl", "generics.cl"};
  std::size_t kernels = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(HEDDLE_TEST_DIR) / "peers" / "opencl" / "kernels")) {
    const std::string name = entry.path().filename().string();
    if (!test_all() && !few.contains(name)) continue;
    for (const std::string device : {"skl", "pvc"})
      for (const std::string options : {"-cl-opt-disable", ""}) {
        if (!test_all() && options.empty()) continue;
        const TemporaryFolder folder;
        fs::create_directory(folder / "bin");
        fs::copy_file(entry.path(), folder / "k.cl");
        const std::string standard = device == "pvc" ? "-cl-std=CL2.0 " : "-cl-std=CL3.0 ";
        (void)run({"sh", "-c",
                   "IGC_ForceOCLSIMDWidth=16 IGC_ShaderDumpEnable=1 IGC_DumpToCustomDir=$PWD exec ocloc compile -file "
                   "k.cl -device " +
                       device + " -out_dir bin --format zebin -options '" + standard + options + "'"},
                  {}, folder.path(), 300);
        for (const auto& file : fs::directory_iterator(folder.path())) {
          if (file.path().extension() != ".visaasm" || has(file.path().filename().string(), "Symbol_Table")) continue;
          ++kernels;
          const Verdict verdict = judge_text(read_text(file.path()), platform_named(device == "skl" ? "SKL" : "PVC"));
          EXPECT_TRUE(verdict.parsed) << name << " " << device << " " << options;
          for (const base::Diagnostic& d : verdict.diagnostics.all()) {
            EXPECT_NE(d.severity, base::Severity::Error) << name << " " << device << " " << options << "\n"
                                                         << list(verdict.diagnostics);
            EXPECT_FALSE(claimed.contains(d.id) && d.id != "visa-raw-bounds") << name << ": " << d.message;
          }
        }
      }
  }
  EXPECT_GE(kernels, 4u);
}

}  // namespace
}  // namespace heddle::test
