// SPDX-License-Identifier: MIT
#pragma once
// The command line as people read it: --help, man pages, completions of shells. All of it comes from what the commands
// declare.

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class FormatterBase;
class Option;
}  // namespace CLI

namespace heddle::tools {

/// A command line that works as it stands, and what it does.
struct Example {
  std::string line, about;
};
/// By the command's name; "" is the program.
using Examples = std::map<std::string, std::vector<Example>>;

/// What shells offer as the value of a flag that takes other words too.
using FlagWords = std::map<const CLI::Option*, std::vector<std::string>>;

/// --help: what the command does, its usage, examples, its options; limits come last. `examples` must outlive it.
[[nodiscard]] std::shared_ptr<CLI::FormatterBase> help_formatter(const Examples& examples);

/// A man page of section 1, as roff: of a command, or of the program when `command` is the program itself.
[[nodiscard]] std::string manual_page(const CLI::App& program, const CLI::App& command, const Examples& examples);

/// The script by which a shell completes commands, options, words of options, what `heddle explain` knows and file
/// names: those of arguments, and of flags whose value is named FILE or DIR. `shell`: bash, zsh or fish.
[[nodiscard]] std::string completion_script(const CLI::App& program, const std::string& shell, const FlagWords& words,
                                            const std::vector<std::string>& explained);

}  // namespace heddle::tools
