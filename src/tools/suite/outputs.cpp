// SPDX-License-Identifier: MIT
#include "tools/suite/outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "base/diagnostic.hpp"
#include "base/file.hpp"
#include "tools/suite/xml.hpp"

namespace heddle::tools {
namespace {

base::Diagnostic merge_error(const std::string& file, std::string message) {
  return base::error("suite-merge", std::move(message), base::Place::in_file(file))
      .note("each shard of the suite must be there once: heddle vulkan --suite FILE --shard I/N --output FOLDER");
}

/// Words that a run writes; what is a success stands in docs/suite.md.
std::optional<Verdict> read_verdict(std::string_view word) {
  for (const std::string_view success : {"Pass", "Skip", "Warn", "ExpectedFail", "KnownFlake", "Flake"})
    if (word == success) return Verdict{std::string(word), true};
  const bool improved = word.starts_with("UnexpectedImprovement(") && word.ends_with(')');
  if (improved || find_case_status(word)) return Verdict{std::string(word), false};
  return std::nullopt;
}

using Found = std::map<std::string, Verdict, std::less<>>;

base::Result<base::Done> read_results(const std::string& file, Found& found) {
  const auto text = base::read_text(file);
  if (!text.ok()) return base::Failure(text.diagnostics());
  for (std::size_t at = 0; at < text->size();) {
    const std::size_t end = std::min(text->find('\n', at), text->size());
    const std::string line = text->substr(at, end - at);
    at = end + 1;
    const std::size_t comma = line.rfind(',');
    const auto verdict =
        comma == std::string::npos ? std::nullopt : read_verdict(std::string_view(line).substr(comma + 1));
    if (!verdict) return merge_error(file, fmt::format("'{}' is no line of results", line.substr(0, 200)));
    if (!found.emplace(line.substr(0, comma), *verdict).second)
      return merge_error(file, fmt::format("'{}' is there twice", line.substr(0, comma)));
  }
  return base::Done{};
}

std::string line_of(const SuiteCase& one) { return fmt::format("{},{}\n", one.name, one.verdict.word); }

}  // namespace

std::string results_csv(const std::vector<SuiteCase>& cases) {
  std::string text;
  for (const SuiteCase& one : cases) text += line_of(one);
  return text;
}

std::string failures_csv(const std::vector<SuiteCase>& cases) {
  std::string text;
  for (const SuiteCase& one : cases)
    if (!one.verdict.success) text += line_of(one);
  return text;
}

std::string junit_of(const std::string& suite, const std::vector<SuiteCase>& cases) {
  const auto failed = std::ranges::count_if(cases, [](const SuiteCase& one) { return !one.verdict.success; });
  const auto skipped = std::ranges::count_if(cases, [](const SuiteCase& one) { return one.verdict.word == "Skip"; });
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"{}\" tests=\"{}\" "
      "failures=\"{}\" skipped=\"{}\">\n",
      xml_text(suite), cases.size(), failed, skipped);
  for (const SuiteCase& one : cases) {
    const std::size_t dot = one.name.rfind('.');
    const std::string group = dot == std::string::npos ? suite : one.name.substr(0, dot);
    text += fmt::format("    <testcase classname=\"{}\" name=\"{}\"", xml_text(group),
                        xml_text(dot == std::string::npos ? one.name : one.name.substr(dot + 1)));
    if (!one.verdict.success)
      text += fmt::format("><failure message=\"{}\"/></testcase>\n", xml_text(one.verdict.word));
    else if (one.verdict.word == "Skip")
      text += "><skipped/></testcase>\n";
    else
      text += "/>\n";
  }
  return text + "  </testsuite>\n</testsuites>\n";
}

base::Result<std::vector<SuiteCase>> merge_results(const std::vector<SuitePart>& parts,
                                                   const std::vector<std::string>& folders) {
  Found found;
  for (const std::string& folder : folders)
    if (const auto read = read_results(folder + "/results.csv", found); !read.ok())
      return base::Failure(read.diagnostics());
  std::vector<SuiteCase> cases;
  for (const SuitePart& part : parts)
    for (const std::string& own : part.cases) {
      const std::string name = part.prefix + own;
      const auto at = found.find(name);
      if (at == found.end()) return merge_error(folders.front(), fmt::format("'{}' has no result in any folder", name));
      cases.push_back({.name = name, .verdict = at->second});
    }
  if (cases.size() < found.size())
    return merge_error(folders.front(), "there are results of cases that the suite does not have");
  return cases;
}

}  // namespace heddle::tools
