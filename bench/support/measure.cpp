// SPDX-License-Identifier: MIT
#include "support/measure.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

extern char** environ;

namespace heddle::bench {
namespace {

double seconds_of(const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; }

}  // namespace

Usage run_process(const std::vector<std::string>& words, const std::string& folder) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);

  Usage usage;
  pid_t child = 0;
  const auto start = std::chrono::steady_clock::now();
  const int failed = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return usage;
  int status = 0;
  rusage used{};
  while (wait4(child, &status, 0, &used) < 0 && errno == EINTR) {
  }
  usage.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  usage.cpu_seconds = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
  usage.peak_bytes = static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
  if (WIFEXITED(status)) usage.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) usage.signal = WTERMSIG(status);
  return usage;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

Usage median(const std::vector<Usage>& runs) {
  std::vector<double> seconds, cpu, peak;
  for (const Usage& u : runs) {
    seconds.push_back(u.seconds);
    cpu.push_back(u.cpu_seconds);
    peak.push_back(static_cast<double>(u.peak_bytes));
  }
  Usage out;
  out.seconds = median(std::move(seconds));
  out.cpu_seconds = median(std::move(cpu));
  out.peak_bytes = static_cast<std::uint64_t>(median(std::move(peak)));
  if (!runs.empty()) out.exit_code = runs.back().exit_code;
  return out;
}

std::string format_number(double value) {
  if (value == 0 || !std::isfinite(value)) return fmt::format("{}", value);
  const int digits = std::max(0, 2 - static_cast<int>(std::floor(std::log10(std::fabs(value)))));
  return fmt::format("{:.{}f}", value, digits);
}

std::string format_seconds(double seconds) {
  if (seconds >= 1) return format_number(seconds) + " s";
  if (seconds >= 1e-3) return format_number(seconds * 1e3) + " ms";
  if (seconds >= 1e-6) return format_number(seconds * 1e6) + " us";
  return format_number(seconds * 1e9) + " ns";
}

std::string format_bytes(double bytes) { return format_number(bytes / (1 << 20)) + " MiB"; }

void Section::table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 3);
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  text_ += "\n";
  for (std::size_t r = 0; r < rows.size(); ++r) {
    text_ += "|";
    for (std::size_t c = 0; c < widths.size(); ++c) {
      const std::string cell = c < rows[r].size() ? rows[r][c] : "";
      text_ += c == 0 ? fmt::format(" {:<{}} |", cell, widths[c]) : fmt::format(" {:>{}} |", cell, widths[c]);
    }
    text_ += "\n";
    if (r != 0) continue;
    for (std::size_t c = 0; c < widths.size(); ++c)
      text_ += "|" + std::string(widths[c] + 1, '-') + (c == 0 ? "-" : ":");
    text_ += "|\n";
  }
}

bool Section::finish(const std::string& path) const {
  std::fputs(text_.c_str(), stdout);
  std::fflush(stdout);
  if (path.empty()) return true;
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return false;
  const bool good = std::fputs(text_.c_str(), file) >= 0;
  return std::fclose(file) == 0 && good;
}

namespace {

/// A path is found from wherever the program is run; a name is looked up in PATH.
std::string program_of(const std::string& word) {
  return word.find('/') == std::string::npos ? word : std::filesystem::absolute(word).string();
}

}  // namespace

Options parse_options(int argc, char** argv, const std::vector<std::string>& own) {
  Options options;
  const auto end = [&](const std::string& problem) {
    std::string text = problem.empty() ? "" : fmt::format("{}: {}\n", argv[0], problem);
    text += "options: --markdown FILE, --all, --heddle PROGRAM";
    for (const std::string& option : own) text += ", " + option;
    fmt::print(problem.empty() ? stdout : stderr, "{}\n", text);
    std::exit(problem.empty() ? 0 : 2);
  };
  const auto is_start_of = [](const std::string& option, const std::string& word) {
    return option.ends_with('*') && word.starts_with(option.substr(0, option.size() - 1));
  };
  const auto known = [&](const std::string& word) {
    return std::ranges::find_if(own, [&](const std::string& option) {
      return option == word || (option.starts_with(word) && option[word.size()] == ' ') || is_start_of(option, word);
    });
  };
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--all")
      options.all = true;
    else if (word == "--markdown" && i + 1 < argc)
      options.markdown = argv[++i];
    else if (word == "--heddle" && i + 1 < argc)
      options.heddle = program_of(argv[++i]);
    else if (word == "--help")
      end({});
    else if (const auto option = known(word); option == own.end())
      end(fmt::format("unknown option '{}'", word));
    else if (*option == word || is_start_of(*option, word))
      options.rest.push_back(word);
    else if (i + 1 < argc)
      options.rest.insert(options.rest.end(), {word, argv[++i]});
    else
      end(fmt::format("'{}' lacks its value", *option));
  }
  return options;
}

}  // namespace heddle::bench
