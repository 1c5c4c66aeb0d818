// SPDX-License-Identifier: MIT
#include "base/environment/environment.hpp"

#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "base/environment/frame_plan.hpp"
#include "base/environment/program_path.hpp"
#include "base/quantity.hpp"

namespace heddle::base {
namespace {

namespace fs = std::filesystem;

std::string lower(std::string_view text) {
  std::string small;
  for (const char c : text) small += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return small;
}

std::vector<std::string_view> words_of(const EnvironmentVariable& row) {
  std::vector<std::string_view> words;
  for (std::string_view rest = row.takes; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    words.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return words;
}

Diagnostic problem_of(const EnvironmentVariable& row, std::string_view text, std::string_view taken) {
  return warning("environment-value", fmt::format("{} is '{}', which it does not take: {}", row.name, text, taken))
      .note(fmt::format("{} takes {}", row.name, takes_text(row)));
}

std::string standard_text(const EnvironmentVariable& row) {
  return fmt::format("as if it were not set ({})", row.standard);
}

Reading<std::string_view> parse_word(const EnvironmentVariable& row, std::string_view text) {
  const std::vector<std::string_view> words = words_of(row);
  for (const std::string_view word : words)
    if (word == text) return {word, {}};
  const std::string small = lower(text);
  std::string_view taken = row.otherwise;
  if (small == "0" || small == "no" || small == "false" || small == "none" || small == "off") taken = words.front();
  if (const std::string_view near = nearest(small, words); small.size() >= 4 && !near.empty()) taken = near;
  for (const std::string_view word : words)
    if (word == small) taken = word;
  return {taken, problem_of(row, text, fmt::format("it is taken for {}", taken))};
}

/// Folders of the kernel's own, in which nobody makes anything, though root seems to be allowed to.
bool belongs_to_kernel(const fs::path& folder) {
  struct statfs system{};
  return statfs(folder.c_str(), &system) == 0 && (system.f_type == PROC_SUPER_MAGIC || system.f_type == SYSFS_MAGIC);
}

/// Whether a file or folder of this name can be made: the nearest folder above it that is there can be written.
bool can_be_made(const fs::path& path) {
  std::error_code error;
  fs::path above = fs::absolute(path, error).lexically_normal();
  while (above.has_relative_path() && !fs::exists(above, error)) above = above.parent_path();
  return fs::is_directory(above, error) && access(above.c_str(), W_OK | X_OK) == 0 && !belongs_to_kernel(above);
}

/// Empty, or why the path cannot be what the variable names.
std::string path_problem(VariableType type, const std::string& text) {
  std::error_code error;
  if (!fs::exists(text, error))
    return can_be_made(text)            ? ""
           : type == VariableType::File ? "no such file can be made"
                                        : "no such folder can be made";
  const bool is_folder = fs::is_directory(text, error);
  if (is_folder != (type != VariableType::File)) return is_folder ? "it is a folder" : "it is no folder";
  return type == VariableType::Cache || access(text.c_str(), W_OK) == 0 ? "" : "it cannot be written";
}

/// What is wrong with a variable that names a place to write to.
std::optional<Diagnostic> place_problem(Variable variable) {
  const std::optional<std::string> text = read_text_variable(variable);
  if (!text || text->empty()) return std::nullopt;
  const EnvironmentVariable& row = environment_variable(variable);
  const std::string why = path_problem(row.type, *text);
  return why.empty() ? std::nullopt : std::optional(value_problem(row, *text, why));
}

template <typename T>
Reading<T> within(const EnvironmentVariable& row, std::string_view text, std::optional<T> value) {
  if (!value) return {{}, problem_of(row, text, standard_text(row))};
  const auto number = static_cast<double>(*value);
  if (number < row.least) return {{}, problem_of(row, text, standard_text(row))};
  if (number > row.most) return {static_cast<T>(row.most), problem_of(row, text, "the most that it takes is taken")};
  return {value, {}};
}

Reading<std::array<std::uint32_t, 3>> parse_invocation(const EnvironmentVariable& row, std::string_view text) {
  std::array<std::uint32_t, 3> id{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t i = 0; i < 3; ++i) {
    const auto [next, problem] = std::from_chars(at, end, id[i]);
    if (problem != std::errc()) break;
    if (next == end) return {id, {}};
    if (*next != ',') break;
    at = next + 1;
  }
  return {{}, problem_of(row, text, standard_text(row))};
}

template <typename T, typename Parse>
Reading<T> read(Variable variable, const Parse& parse) {
  const std::optional<std::string> text = read_text_variable(variable);
  if (!text || text->empty()) return {};
  return parse(environment_variable(variable), *text);
}

}  // namespace

Diagnostic value_problem(const EnvironmentVariable& row, std::string_view text, std::string_view why) {
  const bool is_place =
      row.type == VariableType::Folder || row.type == VariableType::Cache || row.type == VariableType::File;
  const std::string taken = is_place ? "nothing is written there" : "it is " + standard_text(row);
  return warning("environment-value", fmt::format("{} is '{}': {}; {}", row.name, text, why, taken))
      .note(fmt::format("{} takes {}", row.name, takes_text(row)));
}

std::string takes_text(const EnvironmentVariable& row) {
  if (row.type != VariableType::Word) return std::string(row.takes);
  const std::vector<std::string_view> words = words_of(row);
  std::string text(words.front());
  for (std::size_t i = 1; i < words.size(); ++i)
    text += fmt::format("{}{}", i + 1 == words.size() ? " or " : ", ", words[i]);
  return text;
}

std::vector<std::string> environment_with(const std::map<std::string, std::string>& others) {
  std::vector<std::string> variables;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view variable = *at;
    if (!others.contains(std::string(variable.substr(0, variable.find('='))))) variables.emplace_back(variable);
  }
  for (const auto& [name, value] : others) variables.push_back(name + "=" + value);
  return variables;
}

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* list = std::getenv("PATH");
  std::string_view rest = list == nullptr ? "/bin:/usr/bin" : list;
  for (;;) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::string path = fmt::format("{}/{}", end == 0 ? "." : rest.substr(0, end), name);
    if (access(path.c_str(), X_OK) == 0) return path;
    if (end == rest.size()) return {};
    rest.remove_prefix(end + 1);
  }
}

std::optional<std::string> read_text_variable(Variable variable) {
  const char* text = std::getenv(environment_variable(variable).name.data());
  return text == nullptr ? std::nullopt : std::optional<std::string>(text);
}

Reading<std::string_view> read_word_variable(Variable variable) { return read<std::string_view>(variable, parse_word); }

Reading<std::uint64_t> read_bytes_variable(Variable variable) {
  return read<std::uint64_t>(variable, [](const EnvironmentVariable& row, std::string_view text) {
    return within(row, text, parse_size(text));
  });
}

Reading<double> read_seconds_variable(Variable variable) {
  return read<double>(variable, [](const EnvironmentVariable& row, std::string_view text) {
    return within(row, text, parse_seconds(text));
  });
}

Reading<std::array<std::uint32_t, 3>> read_invocation_variable(Variable variable) {
  return read<std::array<std::uint32_t, 3>>(variable, parse_invocation);
}

std::vector<Diagnostic> environment_problems(VariableReader reader) {
  std::vector<Diagnostic> problems;
  const auto add = [&](const auto& reading) {
    if (reading.problem) problems.push_back(*reading.problem);
  };
  const auto rows = environment_variables();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].reader != reader) continue;
    const auto variable = static_cast<Variable>(i);
    switch (rows[i].type) {
      case VariableType::Word:
        add(read_word_variable(variable));
        break;
      case VariableType::Bytes:
        add(read_bytes_variable(variable));
        break;
      case VariableType::Seconds:
        add(read_seconds_variable(variable));
        break;
      case VariableType::Invocation:
        add(read_invocation_variable(variable));
        break;
      case VariableType::Plan:
        add(read_frame_plan_variable());
        break;
      case VariableType::Folder:
      case VariableType::Cache:
      case VariableType::File:
        if (auto problem = place_problem(variable)) problems.push_back(*std::move(problem));
        break;
      case VariableType::Text:
        break;
    }
  }
  constexpr std::string_view kPrefix = "HEDDLE_";
  std::vector<std::string_view> own;
  for (const EnvironmentVariable& row : rows)
    if (row.reader == reader && row.name.starts_with(kPrefix)) own.push_back(row.name.substr(kPrefix.size()));
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    const std::string_view name = std::string_view(*each).substr(0, std::string_view(*each).find('='));
    const auto known = [&](const EnvironmentVariable& row) { return row.name == name; };
    if (!name.starts_with(kPrefix) || std::ranges::any_of(rows, known)) continue;
    const auto renamed = std::ranges::find(rows, name, &EnvironmentVariable::former);
    const std::string_view near = nearest(name.substr(kPrefix.size()), own);
    std::string way;
    if (renamed == rows.end())
      way = near.empty() ? std::string() : fmt::format("did you mean {}{}?", kPrefix, near);
    else if (renamed->reader == reader)
      way = fmt::format("it is called {} now", renamed->name);
    if (way.empty()) continue;
    problems.push_back(warning("environment-name", fmt::format("{} is set, but no variable has this name", name))
                           .note(std::move(way)));
  }
  return problems;
}

}  // namespace heddle::base
