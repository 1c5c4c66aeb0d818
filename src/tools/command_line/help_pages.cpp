// SPDX-License-Identifier: MIT
#include "tools/command_line/help_pages.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>

#include "base/environment/environment.hpp"

namespace heddle::tools {
namespace {

/// The last heading of --help.
constexpr const char* kLimits = "Limits";

std::vector<std::string> headings(const CLI::App& app) {
  std::vector<std::string> groups = app.get_groups();
  std::erase_if(groups, [](const std::string& group) { return group.empty(); });
  std::ranges::stable_partition(groups, [](const std::string& group) { return group != kLimits; });
  return groups;
}

std::vector<const CLI::Option*> flags_under(const CLI::App& app, const std::string& heading) {
  return app.get_options(
      [&](const CLI::Option* option) { return option->nonpositional() && option->get_group() == heading; });
}

/// In the order in which the program lists them.
std::vector<const CLI::App*> commands_of(const CLI::App& program) {
  return program.get_subcommands([](const CLI::App* command) { return !command->get_name().empty(); });
}

const std::vector<Example>& examples_of(const Examples& examples, const std::string& command) {
  static const std::vector<Example> none;
  const auto found = examples.find(command);
  return found == examples.end() ? none : found->second;
}

/// As the shell wants it: [OPTIONS] image ...
std::string usage_words(const CLI::App& app) {
  std::string words = "[OPTIONS]";
  for (const CLI::Option* option : app.get_options([](const CLI::Option* each) { return each->get_positional(); })) {
    const std::string name = option->get_name(true) + (option->get_expected_max() > 1 ? "..." : "");
    words += option->get_required() ? " " + name : " [" + name + "]";
  }
  if (app.get_prefix_command()) words += " PROGRAM ARGS...";
  if (!commands_of(app).empty()) words += " COMMAND";
  return words;
}

/// Which readers of the environment a command's page lists: of the commands heddle vulkan, which refuses to start a
/// program with variables that are set to what they do not take, lists all that the driver and it read.
bool reads(const CLI::App& command, base::VariableReader reader) {
  using enum base::VariableReader;
  if (command.get_parent() != nullptr && command.get_name() != "vulkan") return false;
  return reader == Driver || reader == Everything || reader == Program;
}

std::vector<const base::EnvironmentVariable*> variables_of(const CLI::App& command) {
  std::vector<const base::EnvironmentVariable*> list;
  for (const base::EnvironmentVariable& row : base::environment_variables())
    if (reads(command, row.reader)) list.push_back(&row);
  return list;
}

std::string variable_text(const base::EnvironmentVariable& row) {
  return fmt::format("{}; takes {} (not set: {})", row.meaning, base::takes_text(row), row.standard);
}

class HelpFormatter final : public CLI::Formatter {
 public:
  explicit HelpFormatter(const Examples& examples) : examples_(examples) { column_width(30); }

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string text = app->get_description() + "\nUsage: " + name + " " + usage_words(*app) + "\n";
    const std::string command = app->get_parent() == nullptr ? "" : app->get_name();
    if (const auto& list = examples_of(examples_, command); !list.empty()) {
      text += "\nExamples:\n";
      for (const Example& example : list) text += fmt::format("  {}\n      {}\n", example.line, example.about);
    }
    if (const std::string commands = make_subcommands(app, mode); !commands.empty()) text += commands;
    text += make_positionals(app);
    for (const std::string& heading : headings(*app))
      if (const auto flags = flags_under(*app, heading); !flags.empty()) text += make_group(heading, false, flags);
    if (const auto variables = variables_of(*app); !variables.empty() && app->get_parent() != nullptr) {
      text += "\nEnvironment:\n";
      for (const base::EnvironmentVariable* row : variables)
        text += fmt::format("  {}\n      {}\n", row->name, variable_text(*row));
    }
    const std::string footer = app->get_footer();
    return footer.empty() ? text : text + "\n" + footer + "\n";
  }

 private:
  const Examples& examples_;
};

// --- man pages ---

/// A line of text in roff: its own characters are escaped.
std::string roff(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else if ((c == '.' || c == '\'') && (escaped.empty() || escaped.back() == '\n')) {
      escaped += "\\&";
      escaped += c;
    } else {
      escaped += c;
    }
  }
  return escaped;
}

/// The words that stand behind a flag: FILE, {fast,reference} ...
std::string value_of(const CLI::Option& option) {
  if (option.get_expected_min() == 0 && option.get_expected_max() == 0) return {};
  std::string type = option.get_type_name();
  if (const auto words = type.find('{'); words != std::string::npos) type = type.substr(words);
  return type;
}

std::string roff_option(const CLI::Option& option) {
  std::string entry = ".TP\n\\fB" + roff(option.get_name(option.get_positional(), option.nonpositional())) + "\\fR";
  if (const std::string value = value_of(option); option.nonpositional() && !value.empty())
    entry += " \\fI" + roff(value) + "\\fR";
  std::string text = option.get_description();
  if (const std::string standard = option.get_default_str(); !standard.empty()) text += " (default " + standard + ")";
  return entry + "\n" + roff(text) + "\n";
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

// --- completions ---

/// The words of a flag that takes one of a few, {a,b} in its type, or that offers some.
std::string choices(const CLI::Option& option, const FlagWords& offered) {
  if (const auto found = offered.find(&option); found != offered.end())
    return fmt::format("{}", fmt::join(found->second, " "));
  const std::string value = value_of(option);
  if (!value.starts_with('{')) return {};
  std::string words = value.substr(1, value.find('}') - 1);
  std::ranges::replace(words, ',', ' ');
  return words;
}

/// Of bash and zsh in single quotes, of fish too.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

bool takes_folder(const CLI::Option& option) {
  const std::string value = value_of(option);
  return value.find("DIR") != std::string::npos || value.find("FOLDER") != std::string::npos;
}
bool takes_file(const CLI::Option& option) {
  const std::string value = value_of(option);
  return value.find("FILE") != std::string::npos || value.find(".toml") != std::string::npos;
}

/// The arguments of a command that take one of a few words: where each stands among the words of a line without flags,
/// and its words.
std::vector<std::pair<std::size_t, std::string>> argument_choices(const CLI::App& command, const FlagWords& offered) {
  std::vector<std::pair<std::size_t, std::string>> list;
  std::size_t at = 2;  // behind the program and the command
  for (const CLI::Option* option :
       command.get_options([](const CLI::Option* each) { return each->get_positional(); })) {
    if (std::string words = choices(*option, offered); !words.empty()) list.emplace_back(at, std::move(words));
    ++at;
  }
  return list;
}

/// `command --name`, `command -n`: what stands before a value.
std::string before_value(const CLI::App& command, const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_lnames()) names.push_back(quoted(command.get_name() + " --" + name));
  for (const std::string& name : option.get_snames()) names.push_back(quoted(command.get_name() + " -" + name));
  return fmt::format("{}", fmt::join(names, " | "));
}

std::string dashed(const CLI::App& app) {
  std::string words;
  for (const CLI::Option* option : app.get_options([](const CLI::Option* each) { return each->nonpositional(); })) {
    for (const std::string& name : option->get_lnames()) words += "--" + name + " ";
    for (const std::string& name : option->get_snames()) words += "-" + name + " ";
  }
  return words;
}

/// zsh runs it too, by bashcompinit. `known`: the words of heddle explain.
std::string bash_script(const CLI::App& program, const FlagWords& offered, const std::string& known) {
  std::string names, options, values, arguments;
  for (const CLI::App* command : commands_of(program)) {
    names += command->get_name() + " ";
    options += fmt::format("    {}) words={} ;;\n", command->get_name(), quoted(dashed(*command)));
    for (const CLI::Option* option : command->get_options()) {
      if (!option->nonpositional() || value_of(*option).empty()) continue;
      const std::string before = before_value(*command, *option);
      if (const std::string words = choices(*option, offered); !words.empty())
        values += fmt::format("    {}) words={} ;;\n", before, quoted(words));
      else if (takes_folder(*option))
        values += fmt::format("    {}) COMPREPLY=($(compgen -d -- \"$word\")); return ;;\n", before);
      else if (!takes_file(*option))
        values += fmt::format("    {}) return ;;\n", before);
    }
    for (const auto& [at, words] : argument_choices(*command, offered))
      arguments += fmt::format("    '{} {}') words={} ;;\n", command->get_name(), at, quoted(words));
    if (command->get_prefix_command())
      arguments += fmt::format(
          "    '{} 2') case $word in -*) ;; *) COMPREPLY=($(compgen -c -- \"$word\"; compgen -f -- \"$word\")); return "
          ";; "
          "esac ;;\n",
          command->get_name());
  }
  return fmt::format(
      "_heddle() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}} "
      "words=\n"
      "  case $before in '=') before=${{COMP_WORDS[COMP_CWORD-2]}} ;; esac\n"
      "  case $word in '=') word= ;; esac\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ] || {{ [ \"$COMP_CWORD\" -eq 2 ] && [ \"$command\" = help ]; }}; then\n"
      "    COMPREPLY=($(compgen -W {} -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"$command $before\" in\n{}  esac\n"
      "  if [ -z \"$words\" ] && [ \"${{word#-}}\" = \"$word\" ]; then\n"
      "    case \"$command $COMP_CWORD\" in\n{}    esac\n"
      "  fi\n"
      "  if [ -n \"$words\" ]; then\n"
      "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  if [ \"$command\" = explain ] && [ \"${{word#-}}\" = \"$word\" ]; then\n"
      "    COMPREPLY=($(compgen -W {} -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case $word in -*) ;; *) COMPREPLY=($(compgen -f -- \"$word\")); return ;; esac\n"
      "  case $command in\n{}  esac\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "}}\n"
      "complete -o filenames -F _heddle heddle\n",
      quoted(names + "--help --version"), values, arguments, quoted(known), options);
}

std::string fish_script(const CLI::App& program, const FlagWords& offered, const std::string& known) {
  std::string script = "complete -c heddle -n '__fish_seen_subcommand_from explain' -f -a " + quoted(known) +
                       " -d 'what is explained'\n";
  std::string names;
  for (const CLI::App* command : commands_of(program)) names += command->get_name() + " ";
  script +=
      "complete -c heddle -n '__fish_seen_subcommand_from help' -f -a " + tools::quoted(names) + " -d 'a command'\n";
  for (const CLI::App* command : commands_of(program)) {
    script += fmt::format("complete -c heddle -n __fish_use_subcommand -f -a {} -d {}\n", command->get_name(),
                          quoted(command->get_description()));
    const std::string when = "-n '__fish_seen_subcommand_from " + command->get_name() + "'";
    for (const auto& [at, words] : argument_choices(*command, offered))
      script += fmt::format("complete -c heddle {} -a {}\n", when, quoted(words));
    for (const CLI::Option* option : command->get_options()) {
      if (!option->nonpositional()) continue;
      std::string flags;
      for (const std::string& name : option->get_lnames()) flags += " -l " + name;
      for (const std::string& name : option->get_snames()) flags += " -s " + name;
      const std::string words = choices(*option, offered);
      script += fmt::format("complete -c heddle {}{}{} -d {}\n", when, flags,
                            !words.empty()              ? " -x -a " + quoted(words)
                            : value_of(*option).empty() ? ""
                            : takes_folder(*option)     ? " -x -a '(__fish_complete_directories)'"
                            : takes_file(*option)       ? " -r"
                                                        : " -x",
                            quoted(option->get_description()));
    }
  }
  return script;
}

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_formatter(const Examples& examples) {
  return std::make_shared<HelpFormatter>(examples);
}

std::string manual_page(const CLI::App& program, const CLI::App& command, const Examples& examples) {
  const bool whole = &program == &command;
  const std::string name = whole ? program.get_name() : program.get_name() + "-" + command.get_name();
  const std::string typed = whole ? program.get_name() : program.get_name() + " " + command.get_name();
  std::string page = fmt::format(".TH {} 1 \"\" \"Heddle {}\" \"Heddle\"\n.SH NAME\n{} \\- {}\n", upper(name),
                                 HEDDLE_VERSION, roff(name), roff(command.get_description()));
  page += fmt::format(".SH SYNOPSIS\n.B {}\n{}\n", typed, roff(usage_words(command)));
  if (const auto& list = examples_of(examples, whole ? "" : command.get_name()); !list.empty()) {
    page += ".SH EXAMPLES\n";
    for (const Example& example : list)
      page += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(example.line), roff(example.about));
  }
  if (whole) {
    page += ".SH COMMANDS\n";
    for (const CLI::App* each : commands_of(program))
      page += fmt::format(".TP\n\\fB{}\\fR\n{}; see\n.BR {}\\-{} (1)\n", each->get_name(),
                          roff(each->get_description()), program.get_name(), each->get_name());
  }
  const auto positional = command.get_options([](const CLI::Option* option) { return option->get_positional(); });
  if (!positional.empty()) page += ".SH ARGUMENTS\n";
  for (const CLI::Option* option : positional) page += roff_option(*option);
  for (const std::string& heading : headings(command)) {
    const auto flags = flags_under(command, heading);
    if (flags.empty()) continue;
    page += fmt::format(".SH \"{}\"\n", upper(heading));
    for (const CLI::Option* option : flags) page += roff_option(*option);
  }
  const auto variables = variables_of(command);
  if (!variables.empty()) page += ".SH ENVIRONMENT\n";
  for (const base::EnvironmentVariable* row : variables)
    page += fmt::format(".TP\n\\fB{}\\fR\n{}\n", row->name, roff(variable_text(*row)));
  if (!command.get_footer().empty()) page += ".SH NOTES\n.nf\n" + roff(command.get_footer()) + "\n.fi\n";
  if (!whole) page += fmt::format(".SH SEE ALSO\n.BR {} (1)\n", program.get_name());
  return page;
}

std::string completion_script(const CLI::App& program, const std::string& shell, const FlagWords& words,
                              const std::vector<std::string>& explained) {
  const std::string known = fmt::format("{}", fmt::join(explained, " "));
  if (shell == "fish") return fish_script(program, words, known);
  if (shell == "zsh") return "autoload -U +X bashcompinit && bashcompinit\n" + bash_script(program, words, known);
  return bash_script(program, words, known);
}

}  // namespace heddle::tools
