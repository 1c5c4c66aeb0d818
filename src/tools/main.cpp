// The heddle program: reads the command line and hands each subcommand its options.

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "tools/commands.hpp"

namespace heddle::tools {
namespace {

using Action = std::function<base::ExitCode()>;

template <typename Options>
base::ExitCode call(base::ExitCode (*command)(const Options&), const Options& options) {
  if (command != nullptr) return command(options);
  std::fputs("heddle: this build does not have that command\n", stderr);
  return base::ExitCode::Usage;
}

/// "64MiB", "2GiB", "1e9", "4096": a count or a size in bytes.
std::string parse_size(const std::string& text, std::uint64_t& value) {
  try {
    std::size_t used = 0;
    const double number = std::stod(text, &used);
    std::string unit = text.substr(used);
    for (char& c : unit) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    static const std::map<std::string, double> kUnits = {{"", 1}, {"b", 1}, {"k", 1e3}, {"kib", 1024}, {"m", 1e6}, {"mib", 1048576},
                                                         {"g", 1e9}, {"gib", 1073741824}, {"t", 1e12}, {"tib", 1099511627776.0}};
    const auto factor = kUnits.find(unit);
    if (factor == kUnits.end() || !(number >= 0) || number * factor->second > 1.8e19) return "expected a count such as 1000000, 1e9 or 64MiB";
    value = static_cast<std::uint64_t>(number * factor->second);
    return {};
  } catch (const std::exception&) {
    return "expected a count such as 1000000, 1e9 or 64MiB";
  }
}

void size_option(CLI::App* app, const std::string& name, std::uint64_t& target, const std::string& help) {
  app->add_option_function<std::string>(
         name,
         [&target, name](const std::string& text) {
           if (const std::string why = parse_size(text, target); !why.empty()) throw CLI::ValidationError(name, why);
         },
         help)
      ->type_name("N")
      ->group("Limits");
}

void common_options(CLI::App* app, Common& common) {
  app->add_flag("-q,--quiet", common.quiet, "errors only");
  size_option(app, "--max-input", common.limits.input_bytes, "bytes of one input file");
  size_option(app, "--max-instructions", common.limits.instructions, "instructions of one file");
  size_option(app, "--max-variables", common.limits.variables, "declarations of one object");
  size_option(app, "--max-nesting", common.limits.nesting, "depth of nested expressions and scopes");
  size_option(app, "--max-errors", common.limits.diagnostics, "messages kept");
}

[[maybe_unused]] void surface_limits(CLI::App* app, Common& common) {
  size_option(app, "--max-surface", common.limits.surface_bytes, "bytes of one surface");
  size_option(app, "--max-memory", common.limits.memory_bytes, "bytes of all surfaces and buffers");
}

void program_options(CLI::App* app, ProgramOptions& program) {
  app->add_option("--platform", program.platform, "SKL, ICLLP, TGLLP, DG2, PVC, XE2 ...");
  app->add_option("--dialect", program.dialect, "operand dialect of vISA files")
      ->check(CLI::IsMember({"auto", "12504", "newer", "document-codes"}))
      ->capture_default_str();
  app->add_flag("--lenient", program.lenient, "accept what known producers write against the rules, with a warning");
}

std::map<CLI::App*, Action> make_commands(CLI::App& app) {
  std::map<CLI::App*, Action> actions;
  {
    static AsOptions o;
    CLI::App* c = app.add_subcommand("as", "assemble vISA text (.visaasm) into a .isa file");
    c->add_option("input", o.input, "text, - for standard input")->required();
    c->add_option("-o,--output", o.output, "file, - for standard output")->capture_default_str();
    program_options(c, o.program);
    common_options(c, o.common);
    actions[c] = [] { return call(&run_as, o); };
  }
  {
    static DisOptions o;
    CLI::App* c = app.add_subcommand("dis", "disassemble a .isa file into text");
    c->add_option("input", o.input, ".isa file (text is printed in canonical form), - for standard input")->required();
    c->add_option("-o,--output", o.output, "file, - for standard output")->capture_default_str();
    program_options(c, o.program);
    common_options(c, o.common);
    actions[c] = [] { return call(&run_dis, o); };
  }
  {
    static DumpOptions o;
    CLI::App* c = app.add_subcommand("dump", "show what a file holds; --encoding: each instruction's bytes with field names");
    c->add_option("input", o.input, ".isa or .visaasm, - for standard input")->required();
    c->add_flag("--encoding", o.encoding, "bytes and field names of every instruction");
    program_options(c, o.program);
    common_options(c, o.common);
    actions[c] = [] { return call(&run_dump, o); };
  }
  {
    static ValOptions o;
    static std::string format = "text";
    CLI::App* c = app.add_subcommand("val", "check files by every rule and report all findings");
    c->add_option("input", o.inputs, ".visaasm .isaasm .isa .spv .spvasm, - for standard input")->required();
    c->add_option("--format", format, "text, or json: one object a line")->check(CLI::IsMember({"text", "json"}))->capture_default_str();
    c->add_option("--target-env", o.target_env, "SPIR-V: vulkan1.0 ... vulkan1.3, universal1.0 ...")->capture_default_str();
    c->add_flag("--warnings-as-errors", o.warnings_as_errors, "exit 1 for warnings too");
    program_options(c, o.program);
    common_options(c, o.common);
    actions[c] = [] {
      o.format = format == "json" ? OutputFormat::Json : OutputFormat::Text;
      return call(&run_val, o);
    };
  }
  {
    static ExplainOptions o;
    static std::string format = "text";
    CLI::App* c = app.add_subcommand("explain", "print a rule (visa-sample4-channel) or an instruction (sample4)");
    c->add_option("what", o.words, "rule id or mnemonic; nothing: the list of rules");
    c->add_option("--format", format, "text or json")->check(CLI::IsMember({"text", "json"}))->capture_default_str();
    c->add_option("--reference", o.reference_folder, "write the whole reference as Markdown into a folder")->type_name("DIR");
    common_options(c, o.common);
    actions[c] = [] {
      o.format = format == "json" ? OutputFormat::Json : OutputFormat::Text;
      return call(&run_explain, o);
    };
  }
  return actions;
}

int run(int argc, char** argv) {
  CLI::App app{"Runs GPU image instructions without the GPU: Intel vISA and SPIR-V image shaders, on any CPU."};
  app.set_version_flag("--version", "heddle " HEDDLE_VERSION);
  app.require_subcommand(1);
  app.footer("Exit codes: 0 done, 1 the input is wrong, 2 usage, 3 a file could not be read or written, 4 a limit was hit, 70 internal error.");
  const std::map<CLI::App*, Action> actions = make_commands(app);
  if (argc == 1) {
    std::fputs(app.help().c_str(), stderr);
    return static_cast<int>(base::ExitCode::Usage);
  }
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands({})) names.push_back(sub->get_name());
  if (const std::string word = argv[1];
      !word.empty() && word[0] != '-' && std::find(names.begin(), names.end(), word) == names.end()) {
    const std::string_view near = base::nearest(word, {names.begin(), names.end()});
    std::fprintf(stderr, "heddle: there is no command '%s'%s\n", word.c_str(),
                 near.empty() ? "" : fmt::format("; did you mean '{}'?", near).c_str());
    std::fputs("heddle: 'heddle --help' lists the commands\n", stderr);
    return static_cast<int>(base::ExitCode::Usage);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    std::fprintf(stderr, "heddle: %s\n", e.what());
    std::fputs("heddle: 'heddle --help' lists the commands, 'heddle COMMAND --help' their options\n", stderr);
    return static_cast<int>(base::ExitCode::Usage);
  }
  for (const auto& [command, action] : actions)
    if (command->parsed()) return static_cast<int>(action());
  return static_cast<int>(base::ExitCode::Usage);
}

}  // namespace
}  // namespace heddle::tools

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return heddle::tools::run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("heddle: out of memory; --max-memory and --max-input lower the limits\n", stderr);
    return static_cast<int>(heddle::base::ExitCode::Limit);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "heddle: internal error: %s\n", e.what());
    return static_cast<int>(heddle::base::ExitCode::Internal);
  }
}
