// SPDX-License-Identifier: MIT
// GLSL and HLSL to SPIR-V by glslangValidator, a program of its own: Heddle needs it only where they are given.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "base/file.hpp"
#include "tools/inputs/shader_file.hpp"

extern char** environ;

namespace heddle::tools {
namespace {

/// A folder that goes away with its files.
struct WorkFolder {
  std::string path;
  WorkFolder() {
    std::error_code ignored;
    path = (std::filesystem::temp_directory_path(ignored) / "heddle-XXXXXX").string();
    if (::mkdtemp(path.data()) == nullptr) path.clear();
  }
  ~WorkFolder() {
    std::error_code ignored;
    if (!path.empty()) std::filesystem::remove_all(path, ignored);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
};

/// How a program ended: one of the three.
struct Ending {
  int not_started = 0;  ///< error number
  int signal = 0;
  int status = 0;
};

/// What it prints goes to `log`; it reads the file `input`.
Ending run(const std::vector<std::string>& words, const std::string& log, const std::string& input) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input.c_str(), O_RDONLY, 0);
  // It shall not ignore the signals that this process ignores.
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  sigaddset(&defaults, SIGXFSZ);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  pid_t child = 0;
  Ending ending;
  ending.not_started = posix_spawnp(&child, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (ending.not_started != 0) return ending;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return {.not_started = errno};
  if (WIFSIGNALED(status))
    ending.signal = WTERMSIG(status);
  else
    ending.status = WEXITSTATUS(status);
  return ending;
}

/// "ERROR: FILE:LINE: message": one diagnostic each. A file is one of its includes, or what it calls the input, which
/// it read from `file`.
std::vector<base::Diagnostic> messages(std::string_view log, const std::string& file_read, const std::string& path) {
  const std::string own = path == "-" ? "stdin" : file_read, shown = path == "-" ? "<stdin>" : path;
  std::vector<base::Diagnostic> list;
  while (!log.empty()) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    std::string_view line = log.substr(0, end);
    log.remove_prefix(std::min(end + 1, log.size()));
    const bool error = line.starts_with("ERROR: ");
    if (!error) continue;
    line.remove_prefix(7);
    std::string file = shown;
    if (line.starts_with(own + ":")) {
      line.remove_prefix(own.size() + 1);
    } else {
      const std::size_t colon = line.find(':');
      if (colon == std::string_view::npos) continue;
      if (colon != 0) file = std::string(line.substr(0, colon));
      line.remove_prefix(colon + 1);
    }
    std::uint32_t number = 0;
    const auto digits = std::from_chars(line.data(), line.data() + line.size(), number);
    if (digits.ec != std::errc()) continue;
    line.remove_prefix(static_cast<std::size_t>(digits.ptr - line.data()));
    while (!line.empty() && (line.front() == ':' || line.front() == ' ')) line.remove_prefix(1);
    while (!line.empty() && line.back() == ' ') line.remove_suffix(1);
    if (line.find("compilation terminated") == std::string_view::npos)
      list.push_back(base::error("glsl-error", std::string(line), base::Place::text(file, number, 1)));
  }
  return list;
}

/// What it says of the shader as a whole, "ERROR: message": one diagnostic each, without its counts.
std::vector<base::Diagnostic> whole_messages(std::string_view log, const base::Place& place) {
  std::vector<base::Diagnostic> list;
  constexpr std::string_view kMark = "ERROR: ";
  while (!log.empty()) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    std::string_view line = log.substr(0, end);
    log.remove_prefix(std::min(end + 1, log.size()));
    if (!line.starts_with(kMark) || line.find("compilation errors.") != std::string_view::npos) continue;
    line.remove_prefix(kMark.size());
    while (!line.empty() && line.back() == ' ') line.remove_suffix(1);
    if (!line.empty()) list.push_back(base::error("glsl-error", std::string(line), place));
  }
  return list;
}

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// `file`: what is read, the source or a copy.
std::vector<std::string> command_line(const SourceText& source, const SourceOptions& options, const std::string& spv,
                                      const std::string& file) {
  // Storage buffers of its HLSL are those of SPIR-V up to 1.3, whatever the target.
  std::string target = options.target_env;
  if (source.language == Language::Hlsl && target > "vulkan1.1" && target.starts_with("vulkan")) target = "vulkan1.1";
  const isa::ShaderStage stage = stage_of(source.path, source.text, options, source.wanted);
  std::vector<std::string> words{"glslangValidator", "-V", "-g"};
  if (source.path == "-") words.emplace_back("--stdin");  // wants the stage behind it
  words.emplace_back("-S");
  words.emplace_back(isa::stage_info(stage).word);
  words.emplace_back("--target-env");
  words.push_back(target.starts_with("universal") ? "spirv" + target.substr(9) : target);
  if (source.language == Language::Hlsl)
    for (const std::string& word : {std::string("-D"), std::string("-e"), hlsl_entry(source.text, options, stage),
                                    std::string("--auto-map-bindings"), std::string("--auto-map-locations")})
      words.push_back(word);
  for (const std::string& define : options.defines) words.push_back("-D" + define);
  for (const std::string& folder : options.includes) words.push_back("-I" + folder);
  if (file != source.path) {  // a copy lies elsewhere than what it includes
    const std::string folder = std::filesystem::path(source.path).parent_path().string();
    words.push_back("-I" + (folder.empty() ? std::string(".") : folder));
  }
  words.emplace_back("-o");
  words.push_back(spv);
  if (source.path != "-") words.push_back(file);
  return words;
}

/// The module with a text in place of another one (OpString).
std::string with_name(const std::string& spv, const std::string& from, const std::string& to) {
  const auto word = [&](std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, spv.data() + at, 4);
    return value;
  };
  std::string out = spv.substr(0, std::min<std::size_t>(20, spv.size()));
  for (std::size_t at = 20; at + 4 <= spv.size();) {
    constexpr std::uint32_t kOpString = 7;
    const std::size_t bytes = std::min<std::size_t>(std::size_t{word(at) >> 16} * 4, spv.size() - at);
    if (bytes == 0) return spv;
    std::string instruction = spv.substr(at, bytes);
    at += bytes;
    if (bytes > 8 && (word(at - bytes) & 0xffffu) == kOpString && instruction.c_str() + 8 == from) {
      std::string name = to + std::string(4 - to.size() % 4, '\0');
      const auto head = static_cast<std::uint32_t>((2 + name.size() / 4) << 16 | kOpString);
      std::memcpy(instruction.data(), &head, 4);
      instruction.replace(8, std::string::npos, name);
    }
    out += instruction;
  }
  return out;
}

}  // namespace

base::Result<std::string> compile_source(const SourceText& source, const SourceOptions& options) {
  const isa::ShaderStage stage = stage_of(source.path, source.text, options, source.wanted);
  if (source.language == Language::Hlsl && (stage == isa::ShaderStage::Task || stage == isa::ShaderStage::Mesh))
    return base::error("glsl-compiler",
                       fmt::format("this is a {} shader of HLSL, which glslangValidator does not compile",
                                   isa::stage_info(stage).name),
                       base::Place::in_file(source.path == "-" ? "<stdin>" : source.path))
        .note("give it as SPIR-V (dxc -spirv), or in GLSL");
  if (source.text.find_first_not_of(" \t\r\n") == std::string::npos)
    return base::error("glsl-error", "the shader is empty",
                       base::Place::in_file(source.path == "-" ? "<stdin>" : source.path));
  const WorkFolder folder;
  if (folder.path.empty())
    return base::error("file-write", "no temporary folder can be made for glslangValidator's output")
        .note("TMPDIR names where");
  const std::string spv = folder.path + "/shader.spv", log = folder.path + "/log", text = folder.path + "/text";
  // Standard input was read already: the compiler reads it from a file, and calls it stdin.
  const bool piped = source.path == "-", marked = source.text.starts_with(kByteOrderMark);
  const std::string_view bare = std::string_view(source.text).substr(marked ? kByteOrderMark.size() : 0);
  if (piped || marked)  // the compiler knows no byte order mark
    if (const auto done = base::write_file(text, bare); !done.ok()) return done.failure();
  const std::string file = marked && !piped ? text : source.path;
  const Ending ending = run(command_line(source, options, spv, file), log, piped ? text : std::string("/dev/null"));
  const std::string language = source.language == Language::Hlsl ? "HLSL" : "GLSL";
  const base::Place place = base::Place::in_file(piped ? "<stdin>" : source.path);
  if (ending.not_started == ENOENT || ending.status == 127)
    return base::error("glsl-compiler", language + " is compiled by glslangValidator, which is not installed", place)
        .note("Debian's package is glslang-tools; SPIR-V (.spv, .spvasm) needs no other program");
  if (ending.not_started != 0)
    return base::error("glsl-compiler",
                       fmt::format("glslangValidator cannot be started: {}", std::strerror(ending.not_started)), place);
  if (ending.signal != 0)
    return base::error(
        ending.signal == SIGXFSZ ? "file-write" : "glsl-compiler",
        fmt::format("glslangValidator was ended by signal {} ({})", ending.signal, ::strsignal(ending.signal)), place);
  if (ending.status != 0) {
    const auto said = base::read_text(log);
    std::vector<base::Diagnostic> list =
        said.ok() ? messages(*said, file, source.path) : std::vector<base::Diagnostic>();
    if (list.empty() && said.ok() && said->find("Entry point not found") != std::string::npos)
      list.push_back(base::error("glsl-error",
                                 fmt::format("there is no function '{}' that the shader could begin with",
                                             options.entry.empty() ? "main" : options.entry),
                                 place)
                         .note("--entry names the function, --stage the stage"));
    if (list.empty() && said.ok()) list = whole_messages(*said, place);
    if (list.empty())
      list.push_back(base::error(
          "glsl-error", fmt::format("glslangValidator failed: {}", said.ok() ? *said : "nothing was said"), place));
    return base::Failure(std::move(list));
  }
  auto compiled = base::read_text(spv);
  return compiled.ok() && file != source.path ? with_name(*compiled, file, source.path) : compiled;
}

}  // namespace heddle::tools
