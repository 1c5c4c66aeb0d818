// heddle vulkan: runs a program with Heddle's Vulkan driver.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "tools/commands.hpp"
#include "tools/support/console.hpp"
#include "tools/support/flags.hpp"

namespace heddle::tools {
namespace {

struct VulkanOptions {
  bool info = false;
  std::string check;
  std::vector<std::string> words;
};

/// The manifest beside this program: of the build, or installed.
std::string find_manifest() {
  namespace fs = std::filesystem;
  std::error_code problem;
  const fs::path folder = fs::read_symlink("/proc/self/exe", problem).parent_path();
  if (problem) return {};
  for (const char* place : {"../../lib/heddle_icd.json", "../share/vulkan/icd.d/heddle_icd.json"})
    if (const fs::path path = folder / place; fs::exists(path, problem)) return fs::weakly_canonical(path, problem);
  return {};
}

base::ExitCode fail(base::ExitCode code, std::string message, std::string note = {}) {
  base::Diagnostic d = base::error("vulkan-driver", std::move(message));
  if (!note.empty()) d.note(std::move(note));
  print_diagnostics({std::move(d)});
  return code;
}

base::ExitCode run_vulkan(const VulkanOptions& options) {
  std::vector<std::string> words = options.words;
  if (options.info) words = {"vulkaninfo"};
  if (words.empty()) return fail(base::ExitCode::Usage, "no program is named", "heddle vulkan PROGRAM ARGS...");
  if (words[0].starts_with('-'))
    return fail(base::ExitCode::Usage, fmt::format("heddle vulkan has no option '{}'", words[0]),
                "its own options stand before PROGRAM: --info, --check; the program's behind it");
  const std::string manifest = find_manifest();
  if (manifest.empty())
    return fail(base::ExitCode::File, "the driver's manifest heddle_icd.json is not beside this program",
                "the driver is built where libvulkan-dev and python3 are installed");
  setenv("VK_DRIVER_FILES", manifest.c_str(), 1);
  setenv("VK_ICD_FILENAMES", manifest.c_str(), 1);  // what loaders before 1.3.207 read
  // Mesa 22.3's threads of GL lose draws of vertices in client memory where a context is ES 2.0, as zink's is here.
  setenv("mesa_glthread", "false", 0);
  if (!options.check.empty()) setenv("HEDDLE_CHECK", options.check.c_str(), 1);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  const int problem = errno;
  return fail(base::ExitCode::File, fmt::format("{} cannot be run: {}", words[0], std::strerror(problem)),
              options.info ? "vulkaninfo belongs to Debian's vulkan-tools" : "");
}

}  // namespace

void add_vulkan(Commands& commands) {
  const auto o = std::make_shared<VulkanOptions>();
  Command c = commands.add("vulkan", "run a program with Heddle as its Vulkan driver");
  c.example("heddle vulkan vulkaninfo --summary", "any Vulkan program");
  c.example("heddle vulkan --info", "what the driver has");
  c.flag("--info", o->info, "what the driver has (vulkaninfo)");
  c.option("--check", o->check, "report what shaders do wrong (HEDDLE_CHECK); runs are slow").one_of({"off", "warn"});
  c.program(o->words);
  c.runs([o] { return run_vulkan(*o); });
}

}  // namespace heddle::tools
