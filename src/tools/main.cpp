// The heddle program: the list of its commands.

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <sstream>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "engine/jit/runtime/unfinished.hpp"
#include "tools/commands.hpp"
#include "tools/support/console.hpp"
#include "tools/support/flags.hpp"

namespace heddle::tools {
namespace {

int run(int argc, char** argv) {
  CLI::App app{"Runs GPU image instructions without the GPU: Intel vISA and SPIR-V image shaders, on any CPU.",
               "heddle"};
  app.set_version_flag("--version", "heddle " HEDDLE_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 done, 1 the input is wrong, 2 usage, 3 a file could not be read or written, 4 a limit was hit, 70 "
      "internal error.");
  Commands commands(app);
  for (const auto add : {add_as, add_dis, add_dump, add_val, add_compile, add_explain, add_info, add_gather, add_sample,
                         add_unorm, add_footprint, add_batch, add_state, add_run, add_vulkan})
    add(commands);
  if (argc == 1) {
    std::fputs(app.help().c_str(), stderr);
    return static_cast<int>(base::ExitCode::Usage);
  }
  // `heddle help`, `heddle help COMMAND` and `heddle version` say what the flags say.
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words[0] == "version" && words.size() == 1) words[0] = "--version";
  if (words[0] == "help") {
    words.erase(words.begin());
    words.resize(std::min<std::size_t>(words.size(), 1));
    words.emplace_back("--help");
  }
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands({})) names.push_back(sub->get_name());
  if (const std::string word = words[0];
      !word.empty() && word[0] != '-' && std::find(names.begin(), names.end(), word) == names.end()) {
    const std::string_view near = base::nearest(word, {names.begin(), names.end()});
    std::fprintf(stderr, "heddle: there is no command '%s'%s\n", word.c_str(),
                 near.empty() ? "" : fmt::format("; did you mean '{}'?", near).c_str());
    std::fputs("heddle: 'heddle --help' lists the commands\n", stderr);
    return static_cast<int>(base::ExitCode::Usage);
  }
  try {
    std::reverse(words.begin(), words.end());  // as CLI11 takes them
    app.parse(std::move(words));
  } catch (const CLI::Success& e) {
    std::ostringstream text;
    const int code = app.exit(e, text, text);
    print(text.str());
    return code;
  } catch (const CLI::ParseError& e) {
    std::fprintf(stderr, "heddle: %s\n", e.what());
    std::fputs("heddle: 'heddle --help' lists the commands, 'heddle COMMAND --help' their options\n", stderr);
    return static_cast<int>(base::ExitCode::Usage);
  }
  return static_cast<int>(commands.run());
}

/// Nobody waits for code that is still being optimised.
int leave(int code) {
  if (!engine::jit::has_unfinished_code()) return code;
  std::fflush(nullptr);
  std::_Exit(code);
}

}  // namespace
}  // namespace heddle::tools

int main(int argc, char** argv) {
  // Both are then errors of the write: what was begun is removed, and said.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    using heddle::base::ExitCode;
    const int code = heddle::tools::run(argc, argv);
    const bool replaced = code == static_cast<int>(ExitCode::Done) || code == static_cast<int>(ExitCode::WrongInput);
    return heddle::tools::leave(heddle::tools::flush_output() || !replaced ? code : static_cast<int>(ExitCode::File));
  } catch (const std::bad_alloc&) {
    std::fputs("heddle: out of memory; --max-memory and --max-input lower the limits\n", stderr);
    return static_cast<int>(heddle::base::ExitCode::Limit);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "heddle: internal error: %s\n", e.what());
    return static_cast<int>(heddle::base::ExitCode::Internal);
  }
}
