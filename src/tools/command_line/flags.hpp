// SPDX-License-Identifier: MIT
#pragma once
// The flags of commands, as the commands describe them. Only flags.cpp, help_pages.cpp and main.cpp include CLI11,
// which takes long to compile.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "tools/command_line/help_pages.hpp"
#include "tools/command_line/options.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace heddle::tools {

class Commands;

/// What a flag must and must not stand beside: "--suite", "--engine reference", or the command's first argument
/// ("check").
struct FlagCompany {
  std::vector<std::string> owners;  ///< one of these; empty: it needs none
  std::vector<std::string> excluded;
};

/// One option of a command, while it is described.
class Flag {
 public:
  Flag(CLI::Option* option, Commands& all) : option_(option), all_(all) {}
  Flag& required();
  Flag& shows_default();
  Flag& value_name(const std::string& name);  ///< in --help: FILE, WxH ...
  /// The flag may stand without a value, and means this one then.
  Flag& alone(const std::string& value);
  Flag& group(const std::string& name);  ///< the heading in --help
  Flag& one_of(const std::vector<std::string>& words);
  Flag& one_of_numbers(const std::vector<unsigned>& numbers);
  /// Words that shells offer. Other words are taken too, unless the reader of the flag refuses them.
  Flag& offers(const std::vector<std::string_view>& words);
  /// It has an effect only beside one of these (FlagCompany): else it is refused.
  Flag& belongs_to(const std::vector<std::string>& owners);
  /// It has none beside any of these, and is refused there.
  Flag& not_beside(const std::vector<std::string>& others);

 private:
  CLI::Option* option_;
  Commands& all_;
};

/// One command, while it is described. The variables that its options fill must live as long as the command line.
class Command {
 public:
  /// Names with dashes are flags, others positional arguments. A list takes all positional arguments.
  Flag option(const std::string& name, std::string& target, const std::string& help);
  Flag option(const std::string& name, unsigned& target, const std::string& help);
  Flag option(const std::string& name, std::vector<std::string>& target, const std::string& help);
  /// A flag with one value that may be given often.
  Flag repeated(const std::string& name, std::vector<std::string>& target, const std::string& help);
  /// A program and its arguments: everything from the first word that is no flag of the command.
  void program(std::vector<std::string>& words);
  Flag flag(const std::string& name, bool& target, const std::string& help);
  /// A count or a size in bytes (1000000, 1e9, 64MiB), under the heading Limits; --help shows what `target` holds now.
  Flag limit(const std::string& name, std::uint64_t& target, const std::string& help);
  Flag json(OutputFormat& format);
  /// A command line that works as it stands, and what it does; --help begins with it.
  void example(const std::string& line, const std::string& about);
  /// What stands at the end of --help.
  void footer(const std::string& text);
  /// What the command does.
  void runs(std::function<base::ExitCode()> action);

 private:
  friend class Commands;
  Command(Commands& all, CLI::App* app, std::string name) : all_(all), app_(app), name_(std::move(name)) {}
  Commands& all_;
  CLI::App* app_;
  std::string name_;
};

/// The command line: all commands in the order of --help.
class Commands {
 public:
  explicit Commands(CLI::App& app);
  [[nodiscard]] Command add(const std::string& name, const std::string& about);
  void example(const std::string& line, const std::string& about) { examples_[""].push_back({line, about}); }
  /// The command that a word names; where there is none, says so and is false.
  [[nodiscard]] bool check_name(const std::string& word) const;
  /// Whether the command of the first word knows every flag among the others, each has a value where it takes one, and
  /// none stands without what it belongs to. Else says which one is wrong, and what may be meant.
  [[nodiscard]] bool check_flags(const std::vector<std::string>& words) const;
  /// Takes "--" away from between a command's own options and the program that it runs.
  void drop_separator(std::vector<std::string>& words) const;
  /// Of a command, or of the program where the name is empty.
  [[nodiscard]] std::string help(const std::string& command) const;
  [[nodiscard]] std::string manual(const std::string& command) const;
  /// `explained`: the words of heddle explain.
  [[nodiscard]] std::string completion(const std::string& shell, const std::vector<std::string>& explained) const;
  /// Runs the command that was given.
  [[nodiscard]] base::ExitCode run() const;

 private:
  friend class Command;
  friend class Flag;
  CLI::App& app_;
  std::map<CLI::App*, std::function<base::ExitCode()>> actions_;
  Examples examples_;
  FlagWords words_;
  std::map<const CLI::Option*, FlagCompany> company_;
};

// --- options of several commands ---

void common_options(Command& command, Common& common);
void surface_limits(Command& command, Common& common);
void program_options(Command& command, ProgramOptions& program);
/// --format text|json; `word` is what was given.
void format_option(Command& command, std::string& word, const std::string& help);
[[nodiscard]] OutputFormat format_of(const std::string& word);

}  // namespace heddle::tools
