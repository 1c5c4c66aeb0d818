#include "tools/support/flags.hpp"

#include <CLI/CLI.hpp>

#include "tools/support/numbers.hpp"

namespace heddle::tools {

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

Flag Command::option(const std::string& name, std::string& target, const std::string& help) {
  return Flag(app_->add_option(name, target, help));
}
Flag Command::option(const std::string& name, unsigned& target, const std::string& help) {
  return Flag(app_->add_option(name, target, help));
}
Flag Command::option(const std::string& name, std::vector<std::string>& target, const std::string& help) {
  return Flag(app_->add_option(name, target, help));
}
Flag Command::repeated(const std::string& name, std::vector<std::string>& target, const std::string& help) {
  return Flag(app_->add_option(name, target, help)->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll));
}
namespace {

/// The library knows nothing of the words behind the options.
struct ProgramFormatter : CLI::Formatter {
  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string usage = CLI::Formatter::make_usage(app, std::move(name));
    return usage.insert(usage.find_last_not_of('\n') + 1, " PROGRAM ARGS...");
  }
};

}  // namespace

void Command::program(std::vector<std::string>& words) {
  app_->prefix_command();
  app_->formatter(std::make_shared<ProgramFormatter>());
  app_->final_callback([app = app_, &words] { words = app->remaining(); });
}
Flag Command::flag(const std::string& name, bool& target, const std::string& help) {
  return Flag(app_->add_flag(name, target, help));
}

void Command::limit(const std::string& name, std::uint64_t& target, const std::string& help) {
  const auto read = [&target, name](const std::string& text) {
    const auto size = parse_size(text);
    if (!size) throw CLI::ValidationError(name, "expected a count such as 1000000, 1e9 or 64MiB");
    target = *size;
  };
  app_->add_option_function<std::string>(name, read, help)->type_name("N")->group("Limits");
}

void Command::json(OutputFormat& format) {
  app_->add_flag_callback("--json", [&format] { format = OutputFormat::Json; }, "one JSON object a line");
}

void Command::footer(const std::string& text) { app_->footer(text); }

void Command::runs(std::function<base::ExitCode()> action) { all_.actions_[app_] = std::move(action); }

Command Commands::add(const std::string& name, const std::string& about) {
  return {*this, app_.add_subcommand(name, about)};
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
  command.option("--platform", program.platform, "SKL, ICLLP, TGLLP, DG2, PVC, XE2 ...");
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
