// SPDX-License-Identifier: MIT
// heddle help, heddle completion, heddle version: what the command line says of itself.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/bits/bits.hpp"
#include "heddle/explain.hpp"
#include "heddle/shader.hpp"
#include "tools/batch/batch.hpp"
#include "tools/command_line/console.hpp"
#include "tools/command_line/flags.hpp"
#include "tools/commands.hpp"

namespace heddle::tools {
namespace {

struct HelpOptions {
  std::string command;
  bool manual = false;
};

base::ExitCode run_help(const Commands& commands, const HelpOptions& options) {
  if (!options.command.empty() && !commands.check_name(options.command)) return base::ExitCode::Usage;
  print(options.manual ? commands.manual(options.command) : commands.help(options.command));
  return base::ExitCode::Done;
}

/// What heddle explain knows but raw messages.
std::vector<std::string> explained_words() {
  std::vector<std::string> words = explain_words();
  for (const FootprintRule& rule : footprint_rules()) words.emplace_back(rule.id);
  for (const std::string_view operation : batch_operations()) words.emplace_back(operation);
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

}  // namespace

void add_help(Commands& commands) {
  const auto o = std::make_shared<HelpOptions>();
  Command c = commands.add("help", "what a command does, its options, examples");
  c.example("heddle help run", "the options of heddle run");
  c.example("heddle help run --man", "the same as a man page");
  c.option("command", o->command, "the command; none: the list of commands");
  c.flag("--man", o->manual, "as a man page (roff)");
  c.runs([o, &commands] { return run_help(commands, *o); });
}

void add_completion(Commands& commands) {
  const auto shell = std::make_shared<std::string>();
  Command c = commands.add("completion", "the script by which a shell completes heddle's command lines");
  c.example("heddle completion bash", "for bash: source <(heddle completion bash)");
  c.example("heddle completion fish", "for fish: heddle completion fish | source");
  c.option("shell", *shell, "the shell").required().one_of({"bash", "zsh", "fish"});
  c.runs([shell, &commands] {
    print(commands.completion(*shell, explained_words()));
    return base::ExitCode::Done;
  });
}

void add_version(Commands& commands) {
  const auto format = std::make_shared<OutputFormat>(OutputFormat::Text);
  Command c = commands.add("version", "the version, and the number of the results' bits (docs/bits.md)");
  c.example("heddle version --json", "for scripts: {\"version\": ..., \"bits\": ...}");
  c.json(*format);
  c.runs([format] {
    print(*format == OutputFormat::Json
              ? fmt::format("{{\"version\": \"{}\", \"bits\": {}}}\n", HEDDLE_VERSION, base::kBits)
              : fmt::format("heddle {} (bits: {})\n", HEDDLE_VERSION, base::kBits));
    return base::ExitCode::Done;
  });
}

}  // namespace heddle::tools
