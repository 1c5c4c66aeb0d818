// SPDX-License-Identifier: MIT
// The heddle program: the list of its commands.

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <sstream>
#include <string>
#include <vector>

#include "base/bits/bits.hpp"
#include "base/diagnostic.hpp"
#include "base/environment/environment.hpp"
#include "engine/jit/runtime/unfinished.hpp"
#include "tools/command_line/console.hpp"
#include "tools/command_line/flags.hpp"
#include "tools/commands.hpp"

namespace heddle::tools {
namespace {

/// What may be meant by a word that is too much, the first one that CLI11's message names.
std::string extra_note(const std::vector<std::string>& words, const std::string& message) {
  const std::size_t colon = message.rfind(": ");
  if (colon == std::string::npos) return {};
  const std::string extra = message.substr(colon + 2, message.find(' ', colon + 2) - colon - 2);
  const bool shader = std::ranges::any_of(std::array{".vert", ".frag", ".spv", ".glsl", ".hlsl"},
                                          [&](const char* end) { return extra.ends_with(end); });
  if (shader && (words[0] == "run" || words[0] == "explore"))
    return fmt::format(
        "heddle: 'heddle {}' takes one program; a vertex shader goes to --vertex beside the fragment shader\n",
        words[0]);
  const auto at = std::ranges::find(words, extra);
  if (at == words.end() || at == words.begin()) return {};
  // A number may begin with '-', and a flag may have its value behind '='.
  const std::string& before = at[-1];
  const bool flag = before.size() > 1 && before[0] == '-' && before.find('=') == std::string::npos &&
                    (before[1] == '-' || std::isalpha(static_cast<unsigned char>(before[1])) != 0);
  return flag ? fmt::format("heddle: '{}' takes no value\n", before) : std::string();
}

int run(int argc, char** argv) {
  CLI::App app{"Runs GPU image instructions without the GPU: Intel vISA and SPIR-V image shaders, on any CPU.",
               "heddle"};
  app.set_version_flag("--version", fmt::format("heddle {} (bits: {})", HEDDLE_VERSION, base::kBits));
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 done, 1 the input is wrong, 2 usage, 3 a file could not be read or written, 4 a limit was hit, 5 "
      "a program that was checked had findings (heddle vulkan --check error), 70 internal error.\nEnvironment: man "
      "heddle, "
      "docs/environment.md.");
  Commands commands(app);
  commands.example("heddle val kernel.visaasm", "every rule of vISA, all findings");
  commands.example("heddle gather brick.png --uv 0.3,0.4", "the four texels around a coordinate");
  commands.example("heddle run job.toml", "a kernel with its images, on the CPU");
  for (const auto add :
       {add_as,      add_dis,    add_dump,   add_diff,      add_val,        add_compile, add_explain, add_info,
        add_gather,  add_sample, add_unorm,  add_footprint, add_batch,      add_judge,   add_state,   add_run,
        add_explore, add_vulkan, add_golden, add_help,      add_completion, add_version})
    add(commands);
  if (argc == 1) {
    std::fputs(app.help().c_str(), stderr);
    return static_cast<int>(base::ExitCode::Usage);
  }
  for (const auto reader : {base::VariableReader::Everything, base::VariableReader::Program})
    print_diagnostics(base::environment_problems(reader));
  std::vector<std::string> words(argv + 1, argv + argc);
  if (!words[0].empty() && words[0][0] != '-' && !commands.check_name(words[0]))
    return static_cast<int>(base::ExitCode::Usage);
  if (!commands.check_flags(words)) return static_cast<int>(base::ExitCode::Usage);
  commands.drop_separator(words);
  const std::vector<std::string> given = words;
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
    if (e.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError))
      std::fputs(extra_note(given, e.what()).c_str(), stderr);
    std::fputs("heddle: 'heddle --help' lists the commands, 'heddle COMMAND --help' their options\n", stderr);
    return static_cast<int>(base::ExitCode::Usage);
  }
  return static_cast<int>(commands.run());
}

/// The process does not wait for code that is still being optimized.
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
