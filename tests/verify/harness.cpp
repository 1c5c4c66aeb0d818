// SPDX-License-Identifier: MIT
#include "verify/harness.hpp"

#include <algorithm>

#include "binary/reader.hpp"
#include "support/process.hpp"
#include "text/text.hpp"

namespace heddle::test {

const std::string& prologue() {
  static const std::string kText = read_text(HEDDLE_TEST_DIR "/data/golden/prologue.visaasm");
  return kText;
}

std::string program_of(std::string_view lines) {
  std::string source = lines.starts_with(".version") || lines.starts_with(".kernel \"") ? std::string() : prologue();
  source += lines;
  source += "\n";
  const bool ends = lines.find("ret (") != std::string_view::npos;
  return ends ? source : source + "ret (M1, 1)\n";
}

Verdict judge_text(const std::string& source, std::optional<isa::Platform> platform,
                   const std::function<void(isa::Program&)>& change) {
  Verdict verdict;
  text::ParseOptions options;
  options.platform = platform;
  options.rules_are_errors = true;
  auto program = text::parse(source, "case", options, verdict.diagnostics);
  if (!program) return verdict;
  if (change) change(*program);
  verdict.parsed = true;
  verify::Options rules;
  rules.platform = platform;
  verdict.fit = verify::check(*program, rules, verdict.diagnostics);
  return verdict;
}

Verdict judge_binary(const std::vector<std::uint8_t>& bytes, std::optional<isa::Platform> platform) {
  Verdict verdict;
  binary::ReadOptions options;
  options.platform = platform;
  const auto program = binary::read(bytes, "case", options, verdict.diagnostics);
  const bool usable = program && std::ranges::all_of(verdict.diagnostics.all(), [](const base::Diagnostic& d) {
                        return d.severity != base::Severity::Error || d.id == "visa-bin-reserved";
                      });
  if (!usable) return verdict;
  verdict.parsed = true;
  verify::Options rules;
  rules.platform = platform;
  verdict.fit = verify::check(*program, rules, verdict.diagnostics);
  return verdict;
}

std::optional<isa::Platform> platform_named(std::string_view name) {
  return name.empty() || name == "none" ? std::nullopt : isa::find_platform(name);
}

std::size_t count(const base::Diagnostics& diagnostics, std::string_view id) {
  std::size_t found = 0;
  for (const base::Diagnostic& d : diagnostics.all()) found += d.id == id ? 1 : 0;
  return found;
}

std::string list(const base::Diagnostics& diagnostics, std::string_view without) {
  std::string text;
  for (const base::Diagnostic& d : diagnostics.all())
    if (d.id != without) text += base::render(d, {}, false);
  return text;
}

}  // namespace heddle::test
