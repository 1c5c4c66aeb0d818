// SPDX-License-Identifier: MIT
#include "tools/command_line/flags.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <optional>

#include "base/quantity.hpp"
#include "heddle/program.hpp"

namespace heddle::tools {
namespace {

/// A limit as people write it: 4 GiB, 1000, none.
std::string limit_text(std::uint64_t value) {
  if (value >= std::uint64_t{1} << 62) return "none";
  if (value >= 1u << 30 && value % (1u << 30) == 0) return fmt::format("{}GiB", value >> 30);
  return fmt::to_string(value);
}

/// "--a, --b or --c".
std::string list_of(const std::vector<std::string>& words) {
  std::string text = words.front();
  for (std::size_t i = 1; i < words.size(); ++i) text += (i + 1 == words.size() ? " or " : ", ") + words[i];
  return text;
}

void say_usage(const CLI::App& command, const std::string& message) {
  std::fprintf(stderr, "heddle %s: %s\n", command.get_name().c_str(), message.c_str());
  std::fprintf(stderr, "heddle: 'heddle help %s' lists its flags\n", command.get_name().c_str());
}

/// Other commands that have the flag; empty where there are none, or many.
std::string commands_with(const CLI::App& program, const std::string& flag) {
  std::vector<std::string> names;
  for (const CLI::App* each : program.get_subcommands([](const CLI::App*) { return true; }))
    if (each->get_option_no_throw(flag) != nullptr) names.push_back("'heddle " + each->get_name() + "'");
  constexpr std::size_t kMaxNamed = 4;
  return names.empty() || names.size() > kMaxNamed ? std::string() : list_of(names);
}

/// "; did you mean '--near'?" of the flags that the command (or the program) has, or nothing.
std::string suggestion(const CLI::App& command, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options([](const CLI::Option* each) { return each->nonpositional(); }))
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  const std::string meant = word.starts_with("--") ? word : "-" + word.substr(0, word.find('='));
  const std::string_view near = base::nearest(meant, {names.begin(), names.end()});
  return near.empty() ? "" : fmt::format("; did you mean '{}'?", near);
}

void say_unknown_flag(const CLI::App& command, const std::string& word) {
  if (const std::string others = commands_with(*command.get_parent(), word); !others.empty())
    return say_usage(command, fmt::format("there is no flag '{}'; it is one of {}", word, others));
  say_usage(command, fmt::format("there is no flag '{}'{}", word, suggestion(command, word)));
}

/// Whether a command line that begins with a flag begins with one of the program's own.
bool check_first_flag(const CLI::App& program, const std::string& word) {
  if (!word.starts_with('-') || program.get_option_no_throw(word) != nullptr) return true;
  const std::string flag = word.substr(0, word.find('='));
  const bool of_command =
      std::ranges::any_of(program.get_subcommands([](const CLI::App*) { return true; }),
                          [&](const CLI::App* each) { return each->get_option_no_throw(flag) != nullptr; });
  const std::string message =
      of_command ? fmt::format("'{}' is a flag of commands, and stands behind the command's name", flag)
                 : fmt::format("there is no flag '{}'{}", word, suggestion(program, word));
  std::fprintf(stderr, "heddle: %s\nheddle: 'heddle --help' lists the commands\n", message.c_str());
  return false;
}

/// A flag as it stands among the words of a command line.
struct GivenFlag {
  const CLI::Option* option = nullptr;
  std::string name;                  ///< as it was written, without its value
  std::optional<std::string> value;  ///< beside it, behind "=", or the next word
};

/// What was given to a command before the program that it may run.
struct GivenWords {
  std::vector<GivenFlag> flags;
  std::vector<std::string> arguments;  ///< those that are no flags
  std::string unknown;                 ///< the first flag that the command does not have
};

bool is_flag(const std::string& word) {
  return word.size() >= 2 && word[0] == '-' && word[1] != '.' && std::isdigit(static_cast<unsigned char>(word[1])) == 0;
}

/// The flag at `at`, which goes to its last word.
GivenFlag read_flag(const CLI::App& command, const std::vector<std::string>& words, std::size_t& at) {
  const std::string& word = words[at];
  const bool is_long = word[1] == '-';
  GivenFlag flag;
  flag.name = is_long ? word.substr(0, word.find('=')) : word.substr(0, 2);
  flag.option = command.get_option_no_throw(flag.name);
  if (flag.option == nullptr) {
    if (!is_long) flag.name = word;
    return flag;
  }
  const bool has_value = flag.name.size() < word.size();
  if (has_value)
    flag.value = word.substr(flag.name.size() + (is_long ? 1 : 0));
  else if (at + 1 < words.size() && flag.option->get_items_expected_max() > 0 &&
           (flag.option->get_items_expected_min() > 0 || (!is_flag(words[at + 1]) && words[at + 1] != "--")))
    flag.value = words[++at];
  return flag;
}

GivenWords read_words(const CLI::App& command, const std::vector<std::string>& words) {
  GivenWords given;
  for (std::size_t i = 1; i < words.size() && words[i] != "--"; ++i) {
    if (!is_flag(words[i])) {
      if (command.get_prefix_command()) break;  // the rest is the program's
      given.arguments.push_back(words[i]);
      continue;
    }
    GivenFlag flag = read_flag(command, words, i);
    if (flag.option == nullptr) {
      given.unknown = flag.name;
      break;
    }
    given.flags.push_back(std::move(flag));
  }
  return given;
}

std::string empty_value(const GivenFlag& flag) {
  const std::string takes = flag.option->get_items_expected_max() > 0 ? " " + flag.option->get_type_name() : "";
  return fmt::format("{} is given an empty value: leave it out, or write {}{}", flag.name, flag.name, takes);
}

/// What is wrong with a flag's company; empty where nothing is.
std::string company_problem(const CLI::App& command, const GivenFlag& flag, const FlagCompany& company,
                            const GivenWords& given) {
  const auto is_given = [&](const std::string& word) {
    if (word[0] != '-') return !given.arguments.empty() && given.arguments[0] == word;
    const std::size_t blank = std::min(word.find(' '), word.size());
    const CLI::Option* option = command.get_option_no_throw(word.substr(0, blank));
    return std::ranges::any_of(given.flags, [&](const GivenFlag& other) {
      return other.option == option && (blank == word.size() || other.value == word.substr(blank + 1));
    });
  };
  for (const std::string& other : company.excluded)
    if (is_given(other)) return fmt::format("{} has no effect beside {}: leave one of them out", flag.name, other);
  const std::vector<std::string>& owners = company.owners;
  if (owners.empty() || std::ranges::any_of(owners, is_given)) return {};
  if (owners[0][0] != '-')
    return fmt::format("{} belongs to 'heddle {} {}' and has no effect here", flag.name, command.get_name(),
                       list_of(owners));
  return fmt::format("{} belongs to {}: give {} too, or leave {} out", flag.name, list_of(owners),
                     owners.size() == 1 ? "that" : "one of them", flag.name);
}

}  // namespace

Flag& Flag::required() {
  option_->required();
  return *this;
}
Flag& Flag::shows_default() {
  option_->capture_default_str();
  return *this;
}
Flag& Flag::value_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}
Flag& Flag::alone(const std::string& value) {
  option_->expected(0, 1)->default_str(value);
  return *this;
}
Flag& Flag::group(const std::string& name) {
  option_->group(name);
  return *this;
}
Flag& Flag::one_of(const std::vector<std::string>& words) {
  option_->check(CLI::IsMember(words));
  return *this;
}
Flag& Flag::one_of_numbers(const std::vector<unsigned>& numbers) {
  option_->check(CLI::IsMember(numbers));
  return *this;
}

Flag& Flag::belongs_to(const std::vector<std::string>& owners) {
  all_.company_[option_].owners = owners;
  return *this;
}
Flag& Flag::not_beside(const std::vector<std::string>& others) {
  all_.company_[option_].excluded = others;
  return *this;
}

Flag& Flag::offers(const std::vector<std::string_view>& words) {
  all_.words_[option_].assign(words.begin(), words.end());
  return *this;
}

Flag Command::option(const std::string& name, std::string& target, const std::string& help) {
  return {app_->add_option(name, target, help), all_};
}
Flag Command::option(const std::string& name, unsigned& target, const std::string& help) {
  return {app_->add_option(name, target, help), all_};
}
Flag Command::option(const std::string& name, std::vector<std::string>& target, const std::string& help) {
  return {app_->add_option(name, target, help), all_};
}
Flag Command::repeated(const std::string& name, std::vector<std::string>& target, const std::string& help) {
  CLI::Option* option = app_->add_option(name, target, help);
  option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  option->allow_extra_args(false);  // else it takes the words behind its value, the input among them
  return {option, all_};
}
void Command::program(std::vector<std::string>& words) {
  app_->prefix_command();
  app_->final_callback([app = app_, &words] { words = app->remaining(); });
}
Flag Command::flag(const std::string& name, bool& target, const std::string& help) {
  return {app_->add_flag(name, target, help), all_};
}

Flag Command::limit(const std::string& name, std::uint64_t& target, const std::string& help) {
  const auto read = [&target, name](const std::string& text) {
    const auto size = base::parse_size(text);
    if (!size) throw CLI::ValidationError(name, "expected a count such as 1000000, 1e9 or 64MiB");
    target = *size;
  };
  CLI::Option* option =
      app_->add_option_function<std::string>(name, read, fmt::format("{} (default {})", help, limit_text(target)));
  return {option->type_name("N")->group("Limits"), all_};
}

Flag Command::json(OutputFormat& format) {
  return {
      app_->add_flag_callback("--json", [&format] { format = OutputFormat::Json; }, "one JSON object a line"), all_};
}

void Command::example(const std::string& line, const std::string& about) {
  all_.examples_[name_].push_back({line, about});
}

void Command::footer(const std::string& text) { app_->footer(text); }

void Command::runs(std::function<base::ExitCode()> action) { all_.actions_[app_] = std::move(action); }

Commands::Commands(CLI::App& app) : app_(app) { app_.formatter(help_formatter(examples_)); }

Command Commands::add(const std::string& name, const std::string& about) {
  return {*this, app_.add_subcommand(name, about), name};
}

bool Commands::check_name(const std::string& word) const {
  std::vector<std::string_view> names;
  const auto all = app_.get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* each : all) {
    if (each->get_name() == word) return true;
    names.push_back(each->get_name());
  }
  const std::string_view near = base::nearest(word, names);
  std::fprintf(stderr, "heddle: there is no command '%s'%s\n", word.c_str(),
               near.empty() ? "" : fmt::format("; did you mean '{}'?", near).c_str());
  std::fputs("heddle: 'heddle --help' lists the commands\n", stderr);
  return false;
}

bool Commands::check_flags(const std::vector<std::string>& words) const {
  const auto found = app_.get_subcommands([&](const CLI::App* each) { return each->get_name() == words[0]; });
  if (found.empty()) return check_first_flag(app_, words[0]);
  const CLI::App& command = *found[0];
  const GivenWords given = read_words(command, words);
  if (!given.unknown.empty()) {
    say_unknown_flag(command, given.unknown);
    return false;
  }
  for (const GivenFlag& flag : given.flags) {
    std::string problem;
    if (flag.value && flag.value->empty())
      problem = empty_value(flag);
    else if (const auto company = company_.find(flag.option); company != company_.end())
      problem = company_problem(command, flag, company->second, given);
    if (problem.empty()) continue;
    say_usage(command, problem);
    return false;
  }
  return true;
}

void Commands::drop_separator(std::vector<std::string>& words) const {
  const auto found = app_.get_subcommands([&](const CLI::App* each) { return each->get_name() == words[0]; });
  if (found.empty() || !found[0]->get_prefix_command()) return;
  const CLI::App* command = found[0];
  for (std::size_t i = 1; i < words.size() && words[i].starts_with('-'); ++i) {
    if (words[i] == "--") {
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
    const CLI::Option* option = command->get_option_no_throw(words[i]);
    if (option != nullptr && option->get_items_expected_min() > 0) ++i;  // its value
  }
}

std::string Commands::help(const std::string& command) const {
  // Not App::help, which shows the command that was given: this one.
  if (command.empty()) return app_.get_formatter()->make_help(&app_, app_.get_name(), CLI::AppFormatMode::Normal);
  return app_.get_subcommand(command)->help(app_.get_name());
}
std::string Commands::manual(const std::string& command) const {
  return manual_page(app_, command.empty() ? app_ : *app_.get_subcommand(command), examples_);
}
std::string Commands::completion(const std::string& shell, const std::vector<std::string>& explained) const {
  return completion_script(app_, shell, words_, explained);
}

base::ExitCode Commands::run() const {
  for (const auto& [command, action] : actions_)
    if (command->parsed()) return action();
  return base::ExitCode::Usage;
}

void common_options(Command& command, Common& common) {
  command.flag("-q,--quiet", common.quiet, "errors only");
  command.limit("--max-input", common.limits.input_bytes, "bytes of one input file, or of one line of a batch");
  command.limit("--max-instructions", common.limits.instructions, "instructions of one file");
  command.limit("--max-variables", common.limits.variables, "declarations of one object");
  command.limit("--max-nesting", common.limits.nesting, "depth of nested expressions and scopes");
  command.limit("--max-errors", common.limits.diagnostics, "messages kept");
}

void surface_limits(Command& command, Common& common) {
  command.limit("--max-surface", common.limits.surface_bytes, "bytes of one surface");
  command.limit("--max-memory", common.limits.memory_bytes,
                "bytes of all surfaces and buffers, and of what running threads hold");
}

void program_options(Command& command, ProgramOptions& program) {
  command.option("--platform", program.platform, "SKL, ICLLP, TGLLP, DG2, PVC, XE2 ...").offers(platform_names());
  command.option("--dialect", program.dialect, "operand dialect of vISA files")
      .one_of({"auto", "12504", "newer", "document-codes"})
      .shows_default();
  command.flag("--lenient", program.lenient, "accept what known producers write against the rules, with a warning");
}

void format_option(Command& command, std::string& word, const std::string& help) {
  command.option("--format", word, help).one_of({"text", "json"}).shows_default();
}

OutputFormat format_of(const std::string& word) { return word == "json" ? OutputFormat::Json : OutputFormat::Text; }

}  // namespace heddle::tools
