// SPDX-License-Identifier: MIT
// heddle vulkan: runs a program with Heddle's Vulkan driver.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/environment/environment.hpp"
#include "base/environment/program_path.hpp"
#include "base/file.hpp"
#include "tools/command_line/console.hpp"
#include "tools/command_line/flags.hpp"
#include "tools/command_line/numbers.hpp"
#include "tools/commands.hpp"
#include "tools/profiles/command.hpp"
#include "tools/run/explore_program.hpp"
#include "tools/services/driver.hpp"
#include "tools/suite/command.hpp"

namespace heddle::tools {
namespace {

struct VulkanOptions {
  bool info = false;
  std::string check, explore, draws, frames, texels, by, profile;
  OutputFormat format = OutputFormat::Text;
  std::uint64_t budget = 20'000'000;
  SuiteOptions suite;
  std::vector<std::string> words;
};

/// "7" or "3-9": the first and the last of what is counted from 0.
std::optional<NumberRange> read_range(const std::string& text) {
  const std::size_t dash = text.find('-');
  const auto first = parse_number<std::uint32_t>(text.substr(0, dash));
  const auto last = dash == std::string::npos ? first : parse_number<std::uint32_t>(text.substr(dash + 1));
  return first && last && *first <= *last ? std::optional(NumberRange(*first, *last)) : std::nullopt;
}

/// Captures what the program draws and dispatches, and makes the report when it has ended.
base::ExitCode run_explored(const VulkanOptions& options, const std::vector<std::string>& words) {
  ProgramPart part;
  if (!options.draws.empty()) {
    const auto read = read_range(options.draws);
    if (!read) return driver_failure(base::ExitCode::Usage, "--draws takes a number or A-B");
    part.draws = *read;
  }
  if (!options.frames.empty()) {
    part.frames = read_range(options.frames);
    if (!part.frames) return driver_failure(base::ExitCode::Usage, "--frames takes a number or A-B");
  }
  return explore_program(words, part, {options.explore, fmt::format("{} - Heddle", words[0]), options.budget, false});
}

/// Whether an earlier run wrote the folder, which a new one may replace.
bool is_texel_folder(const std::filesystem::path& folder) {
  const auto text = base::read_text((folder / "texels.json").string());
  return text.ok() && text->find("\"heddle_texels\"") < 16;
}

/// Counts what the program does with texels; its driver writes the folder when it ends.
base::ExitCode run_counted(const VulkanOptions& options, const std::vector<std::string>& words) {
  namespace fs = std::filesystem;
  std::error_code problem;
  const fs::path folder = fs::absolute(options.texels, problem);
  const bool is_there = fs::exists(folder, problem);
  if (is_there && !fs::is_directory(folder, problem))
    return driver_failure(base::ExitCode::File, fmt::format("{} is no folder", options.texels));
  if (is_there && !fs::is_empty(folder, problem) && !is_texel_folder(folder))
    return driver_failure(base::ExitCode::File,
                          fmt::format("{} has files in it that are no counts of texels", options.texels),
                          "--texels takes a folder that is not there, is empty, or has what an earlier run wrote");
  const fs::path above = folder.has_filename() ? folder.parent_path() : folder.parent_path().parent_path();
  if (const auto good = base::check_writable((above / ".heddle-texels").string());
      !good.ok() || !fs::is_directory(above, problem))
    return driver_failure(base::ExitCode::File, fmt::format("{} cannot be written: {}", options.texels,
                                                            good.ok() ? "the folder above it is not there"
                                                                      : good.diagnostics().front().message));
  // The counts of an earlier run stay where nothing can take their place.
  if (const std::string program = base::find_program(words[0]); access(program.c_str(), X_OK) != 0)
    return cannot_run(words[0], errno);
  if (is_there) fs::remove_all(folder, problem);
  setenv("HEDDLE_TEXELS", folder.c_str(), 1);
  setenv("HEDDLE_TEXELS_BY", options.by.empty() ? "frame" : options.by.c_str(), 1);
  const base::ExitCode code = run_to_end(words);
  if (!fs::exists(folder, problem)) {
    base::Diagnostic d = base::warning("vulkan-texels", fmt::format("{} was not written", options.texels));
    d.note("a program that makes no device, or that a signal or _exit ends, writes nothing");
    print_diagnostics({std::move(d)});
  }
  return code;
}

/// Which profiles the driver has; no program runs.
base::ExitCode run_profiles(const VulkanOptions& options) {
  if (!options.words.empty())
    return driver_failure(base::ExitCode::Usage, "--profile runs no program", "leave PROGRAM out");
  if (const base::ExitCode code = use_driver(); code != base::ExitCode::Done) return code;
#ifdef HEDDLE_HAS_PROFILES
  return run_profile_command(options.profile, options.format);
#else
  return driver_failure(base::ExitCode::File, "this program was built where libvulkan-dev was not installed",
                        "install it and build again");
#endif
}

base::ExitCode run_vulkan(const VulkanOptions& options) {
  std::vector<std::string> words = options.words;
  if (options.info && !words.empty())
    return driver_failure(base::ExitCode::Usage, "--info runs vulkaninfo", "leave PROGRAM out");
  if (options.info) words = {"vulkaninfo"};
  const bool suite = !options.suite.file.empty();
  if (suite && !words.empty())
    return driver_failure(base::ExitCode::Usage, "--suite runs the programs that its file names", "leave PROGRAM out");
  if (!options.profile.empty()) return run_profiles(options);
  if (words.empty() && !suite)
    return driver_failure(base::ExitCode::Usage, "no program is named", "heddle vulkan PROGRAM ARGS...");
  const std::string_view check = options.check.empty()
                                     ? base::read_word_variable(base::Variable::Check).value.value_or("off")
                                     : std::string_view(options.check);
  if (!options.texels.empty() && (!options.explore.empty() || check != "off"))
    return driver_failure(base::ExitCode::Usage, "--texels does not go with --check (HEDDLE_CHECK) and --explore",
                          "they have shaders run on the reference engine: run the program once for each");
  if (!options.check.empty()) setenv("HEDDLE_CHECK", options.check.c_str(), 1);
  if (const base::ExitCode code = use_driver(); code != base::ExitCode::Done) return code;
  if (suite) return run_suite_command(options.suite);
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_DFL);  // the program's own affair
  if (!options.explore.empty()) return run_explored(options, words);
  if (!options.texels.empty()) return run_counted(options, words);
  if (base::read_word_variable(base::Variable::Check).value == "error") return run_checked(words);
  const std::vector<char*> arguments = argument_list(words);
  execvp(arguments[0], arguments.data());
  return cannot_run(words[0], errno);
}

/// The flags under the heading Suites.
void suite_flags(Command& c, SuiteOptions& s) {
  c.option("--suite", s.file, "run the cases of deqp programs, in processes of their own (docs/suite.md)")
      .value_name("FILE.toml")
      .not_beside({"--texels", "--explore"})
      .group("Suites");
  c.option("--output", s.output, "of --suite: results.csv, failures.csv and logs (default results)")
      .value_name("FOLDER")
      .belongs_to({"--suite"})
      .group("Suites");
  c.option("--jobs", s.jobs, "of --suite: processes at a time (default: one for each core)")
      .belongs_to({"--suite"})
      .not_beside({"--merge"})
      .group("Suites");
  c.option("--shard", s.shard, "of --suite: every N-th group of cases, beginning with the I-th")
      .value_name("I/N")
      .belongs_to({"--suite"})
      .not_beside({"--merge"})
      .group("Suites");
  c.repeated("--merge", s.merged, "of --suite: nothing runs; results of shards become those of one run")
      .value_name("FOLDER")
      .belongs_to({"--suite"})
      .group("Suites");
  c.option("--junit", s.junit, "of --suite: write the results there too, as CI systems read them")
      .value_name("FILE.xml")
      .belongs_to({"--suite"})
      .group("Suites");
  c.option("--baseline", s.more.baseline, "of --suite: expected failures, NAME,STATUS lines")
      .value_name("FILE")
      .belongs_to({"--suite"})
      .group("Suites");
  c.option("--flakes", s.more.flakes, "of --suite: cases that may fail, a regular expression a line")
      .value_name("FILE")
      .belongs_to({"--suite"})
      .group("Suites");
  c.option("--skips", s.more.skips, "of --suite: cases that do not run, a regular expression a line")
      .value_name("FILE")
      .belongs_to({"--suite"})
      .group("Suites");
}

}  // namespace

void add_vulkan(Commands& commands) {
  const auto o = std::make_shared<VulkanOptions>();
  Command c = commands.add("vulkan", "run a program with Heddle as its Vulkan driver");
  c.example("heddle vulkan vulkaninfo --summary", "any Vulkan program");
  c.example("heddle vulkan --check error vulkaninfo --summary", "exit code 5 where its shaders do something wrong");
  c.example("heddle vulkan --info", "what the driver has");
  c.example("heddle vulkan --profile VP_KHR_roadmap_2024",
            "whether the driver has a profile, and what it misses of it");
  c.example("heddle vulkan --suite suite.toml", "cases of conformance tests, as docs/suite.md says");
  c.flag("--info", o->info, "what the driver has (vulkaninfo)").not_beside({"--profile", "--suite", "--texels"});
  c.option("--profile", o->profile,
           "which profiles the driver has (roadmap, Android, desktop, DXVK, vkd3d-proton, zink, WebGPU), or what the "
           "one of this name, or those of a file, miss: exit code 5 then (docs/profiles.md)")
      .value_name("NAME")
      .alone("all")
      .not_beside({"--suite", "--check", "--texels", "--explore"})
      .group("Profiles");
  c.json(o->format).belongs_to({"--profile"});
  c.option("--check", o->check,
           "report what shaders do wrong (HEDDLE_CHECK); runs are slow. error: exit code 5 where there are findings")
      .one_of({"off", "warn", "error"});
  c.option("--texels", o->texels,
           "how often each texel of each image was read and written, by what: maps, texels.json and a page, written "
           "when the program has ended (HEDDLE_TEXELS)")
      .value_name("FOLDER");
  c.option("--by", o->by, "of --texels: what has counts of its own (frame)")
      .one_of({"frame", "draw"})
      .belongs_to({"--texels"});
  c.option("--explore", o->explore,
           "a page with every draw and dispatch of the program (heddle explore), when it has ended")
      .value_name("FILE.html");
  c.option("--draws", o->draws, "of --explore: only these draws and dispatches, counted from 0")
      .value_name("A-B")
      .belongs_to({"--explore"});
  c.option(
       "--frames", o->frames,
       "of --explore: only what is drawn for these frames, counted from 0 by what the program presents; it is ended "
       "behind the last one")
      .value_name("A-B")
      .belongs_to({"--explore"});
  c.limit("--budget", o->budget, "of --explore: bytes of the page").belongs_to({"--explore"});
  suite_flags(c, o->suite);
  c.program(o->words);
  c.runs([o] { return run_vulkan(*o); });
}

}  // namespace heddle::tools
