// SPDX-License-Identifier: MIT
#include "tools/suite/suite_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <sstream>
#include <utility>

#include "base/diagnostic.hpp"
#include "base/file.hpp"
#include "base/node.hpp"
#include "base/variable.hpp"
#include "job/formats/toml.hpp"

namespace heddle::tools {
namespace {

namespace fs = std::filesystem;
using base::Done;
using base::Result;

base::Diagnostic too_long(const base::Place& place) {
  return base::error("suite-list", fmt::format("a line has more than {} characters", kLongestLine), place)
      .note("names, with the prefix of their part, and regular expressions may have so many");
}

/// Calls `take` for each line that says something.
Result<Done> each_line(const std::string& path,
                       const std::function<Result<Done>(const std::string& line, const base::Place& place)>& take) {
  const auto text = base::read_text(path);
  if (!text.ok()) return base::Failure(text.diagnostics());
  std::istringstream lines(*text);
  std::uint32_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t')) line.pop_back();
    if (line.empty() || line[0] == '#') continue;
    if (line.size() > kLongestLine) return too_long(base::Place::text(path, number, 1));
    if (auto taken = take(line, base::Place::text(path, number, 1)); !taken.ok()) return taken;
  }
  return Done{};
}

/// Reads one [[deqp]].
class PartReader {
 public:
  PartReader(const base::Node& node, const base::NodeContext& context, fs::path folder)
      : node_(node), table_(node, context, "[[deqp]]"), folder_(std::move(folder)) {}

  Result<SuitePart> read(const SuiteAdditions& more) {
    SuitePart part;
    const std::string program = table_.text("deqp").value_or("");
    part.program = program.find('/') == std::string::npos ? program : path_of(program);
    const std::vector<std::string> lists = texts("caselists");
    part.arguments = texts("deqp_args");
    part.prefix = table_.text("prefix").value_or("");
    read_timeout(part);
    constexpr std::int64_t kMax = 1'000'000;
    part.group = static_cast<std::size_t>(table_.integer("tests_per_group", 1, kMax).value_or(500));
    const auto fraction = static_cast<std::size_t>(table_.integer("fraction", 1, kMax).value_or(1));
    const auto start = static_cast<std::size_t>(table_.integer("fraction_start", 1, kMax).value_or(1));
    read_environment(part);
    const base::Node* const include_node = table_.any("include");
    const std::vector<std::string> includes = texts("include"), skips = texts("skips"), flakes = texts("flakes");
    const auto baseline = table_.text("baseline");
    table_.finish();
    if (!table_.context().diagnostics->has_errors() && (program.empty() || lists.empty()))
      table_.context().error(
          "missing",
          fmt::format("[[deqp]] needs {}",
                      program.empty() ? "'deqp', the program" : "'caselists', files with a case a line"),
          node_);
    if (table_.context().diagnostics->has_errors()) return base::Failure(table_.context().diagnostics->all());

    for (std::size_t k = 0; k < includes.size(); ++k)
      if (!include_.add(includes[k]))
        return base::error("suite-value", fmt::format("'{}' is no regular expression", includes[k].substr(0, 200)),
                           table_.context().place(include_node->items[k]))
            .note("'include' has expressions that are found anywhere in a case's name");
    if (auto done = read_lists(part, skips, flakes, baseline, more); !done.ok())
      return base::Failure(done.diagnostics());
    if (auto done = read_cases(part, lists, fraction, start); !done.ok()) return base::Failure(done.diagnostics());
    return part;
  }

 private:
  /// Paths are relative to the suite's file; ~ is the home.
  [[nodiscard]] std::string path_of(const std::string& text) const {
    if (text.starts_with("~/"))
      if (const auto home = base::read_text_variable(base::Variable::Home)) return *home + text.substr(1);
    const std::string path = (folder_ / text).lexically_normal().string();
    return path.find('/') == std::string::npos ? "./" + path : path;  // not one that PATH has
  }

  std::vector<std::string> texts(const char* key) {
    std::vector<std::string> list;
    const base::Node* array = table_.array(key);
    if (array == nullptr) return list;
    for (const base::Node& item : array->items) {
      if (item.kind != base::Node::Kind::Text) table_.wrong_type(key, item, "a list of texts");
      list.push_back(item.text);
    }
    return list;
  }

  void read_timeout(SuitePart& part) {
    const base::Node* node = table_.any("timeout");
    part.timeout = table_.number("timeout").value_or(part.timeout);
    if (node != nullptr && (!std::isfinite(part.timeout) || part.timeout <= 0))
      table_.wrong_value("timeout", *node, "must be a number of seconds above 0");
  }

  void read_environment(SuitePart& part) {
    const base::Node* environment = table_.table("env");
    if (environment == nullptr) return;
    for (std::size_t i = 0; i < environment->keys.size(); ++i) {
      const base::Node& value = environment->items[i];
      if (value.kind != base::Node::Kind::Text) table_.wrong_type("env", value, "a table of texts");
      part.environment[environment->keys[i]] = value.text;
    }
  }

  /// Which member names a list that cannot be opened.
  [[nodiscard]] Result<Done> named_by(const char* key, Result<Done> read) const {
    if (read.ok() || read.diagnostics().front().id != "file-open") return read;
    auto problems = read.diagnostics();
    problems.front().note(
        fmt::format("'{}' of '{}' names it; paths are relative to that file", key, table_.context().file));
    return base::Failure(std::move(problems));
  }

  Result<Done> read_lists(SuitePart& part, const std::vector<std::string>& skips,
                          const std::vector<std::string>& flakes, const std::optional<std::string>& baseline,
                          const SuiteAdditions& more) {
    if (baseline)
      if (auto done = named_by("baseline", read_baseline(path_of(*baseline), part.baseline)); !done.ok()) return done;
    if (!more.baseline.empty())
      if (auto done = read_baseline(more.baseline, part.baseline); !done.ok()) return done;
    const auto add = [&](const char* key, NamePatterns& to, const std::vector<std::string>& files,
                         const std::string& added) {
      for (const std::string& file : files)
        if (auto done = named_by(key, to.add_file(path_of(file))); !done.ok()) return done;
      return added.empty() ? Result<Done>(Done{}) : to.add_file(added);
    };
    if (auto done = add("skips", skips_, skips, more.skips); !done.ok()) return done;
    return add("flakes", part.flakes, flakes, more.flakes);
  }

  /// Of every list the cases that are wanted, each once.
  Result<Done> read_cases(SuitePart& part, const std::vector<std::string>& lists, std::size_t fraction,
                          std::size_t start) const {
    std::size_t counted = 0;
    std::map<std::string, bool, std::less<>> seen;
    for (const std::string& list : lists) {
      auto done = each_line(path_of(list), [&](const std::string& name, const base::Place& place) -> Result<Done> {
        if (name.find(',') != std::string::npos)
          return base::error("suite-list", fmt::format("'{}' is no case", name), place)
              .note("a case list has one case a line");
        if (!seen.emplace(name, true).second) return Done{};
        const std::string full = part.prefix + name;
        if (full.size() > kLongestLine) return too_long(place);
        if (skips_.match(full) || (!include_.empty() && !include_.match(full))) return Done{};
        if (++counted % fraction == start % fraction) part.cases.push_back(name);
        return Done{};
      });
      if (!done.ok()) return named_by("caselists", std::move(done));
    }
    return Done{};
  }

  const base::Node& node_;
  base::TableReader table_;
  const fs::path folder_;
  NamePatterns skips_, include_;
};

}  // namespace

bool NamePatterns::add(const std::string& pattern) {
  if (pattern.size() > kLongestLine) return false;
  try {
    patterns_.emplace_back(pattern, std::regex::ECMAScript | std::regex::optimize);
    return true;
  } catch (const std::regex_error&) {
    return false;
  }
}

Result<Done> NamePatterns::add_file(const std::string& path) {
  return each_line(path, [&](const std::string& line, const base::Place& place) -> Result<Done> {
    if (add(line)) return Done{};
    return base::error("suite-list", fmt::format("'{}' is no regular expression", line), place)
        .note("each line is one, and matches where it is found in a case's name");
  });
}

bool NamePatterns::match(const std::string& name) const {
  return std::ranges::any_of(patterns_, [&](const std::regex& pattern) { return std::regex_search(name, pattern); });
}

Result<Done> read_baseline(const std::string& path, Baseline& baseline) {
  return each_line(path, [&](const std::string& line, const base::Place& place) -> Result<Done> {
    const std::size_t comma = line.find(',');
    const std::size_t end = std::min(line.find(',', std::min(comma, line.size() - 1) + 1), line.size());
    const std::string word = comma == std::string::npos ? std::string() : line.substr(comma + 1, end - comma - 1);
    const auto status = find_case_status(word);
    // What a run has written may hold more words than those that are expected.
    if (status && is_failure(*status)) {
      baseline[line.substr(0, comma)] = *status;
    } else if (!status && !word.starts_with("Unexpected") && !word.ends_with("Flake") && word != "ExpectedFail") {
      return base::error("suite-list", fmt::format("'{}' is no expected failure", line), place)
          .note("a baseline has lines NAME,STATUS: Fail, Crash, Timeout or Missing");
    }
    return Done{};
  });
}

Result<std::vector<SuitePart>> read_suite(const std::string& path, const SuiteAdditions& more) {
  const auto text = base::read_text(path);
  if (!text.ok()) return base::Failure(text.diagnostics());
  const auto node = job::parse_toml(*text, path);
  if (!node.ok()) return base::Failure(node.diagnostics());
  base::Diagnostics problems;
  base::NodeContext context{path, "suite", &problems};
  base::TableReader suite(*node, context, "the suite");
  const base::Node* const any = suite.any("deqp");
  const bool one = any != nullptr && any->kind == base::Node::Kind::Table;
  if (one) context.error("type", "'deqp' is one table", *any, "each program has a part of its own: [[deqp]]");
  const base::Node* parts = one ? nullptr : suite.array("deqp");
  suite.finish();
  if (parts == nullptr && !problems.has_errors())
    context.error("missing", "the suite has no [[deqp]]", *node, "docs/suite.md shows one");
  if (problems.has_errors()) return base::Failure(problems.all());
  std::vector<SuitePart> list;
  for (const base::Node& item : parts->items) {
    auto part = PartReader(item, context, fs::path(path).parent_path()).read(more);
    if (!part.ok()) return base::Failure(part.diagnostics());
    list.push_back(std::move(*part));
  }
  return list;
}

}  // namespace heddle::tools
