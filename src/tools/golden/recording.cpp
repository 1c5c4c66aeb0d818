// SPDX-License-Identifier: MIT
#include "tools/golden/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <sstream>

#include "base/bits/bits.hpp"
#include "base/bits/sha256.hpp"
#include "base/diagnostic.hpp"
#include "base/environment/program_path.hpp"
#include "base/file.hpp"
#include "tools/golden/files.hpp"
#include "tools/services/driver.hpp"
#include "tools/services/new_folder.hpp"
#include "tools/services/temporary_folder.hpp"

namespace heddle::tools {
namespace {

namespace fs = std::filesystem;

base::Result<GoldenInput> read_input(const std::string& shown, const std::string& path) {
  const auto bytes = base::read_file(path);
  if (!bytes.ok()) return base::Failure(bytes.diagnostics());
  return GoldenInput{shown, base::sha256(*bytes)};
}

base::Result<std::vector<GoldenInput>> read_inputs(const RecordOptions& options) {
  std::vector<std::pair<std::string, std::string>> files;  // as they are shown, and where they are
  if (const std::string program = base::find_program(options.program.front()); !program.empty())
    files.emplace_back(options.program.front(), program);
  std::error_code ignored;
  for (std::size_t i = 1; i < options.program.size(); ++i)
    if (fs::is_regular_file(options.program[i], ignored)) files.emplace_back(options.program[i], options.program[i]);
  for (const std::string& file : options.inputs) files.emplace_back(file, file);
  std::vector<GoldenInput> inputs;
  for (const auto& [shown, path] : files) {
    auto input = read_input(shown, path);
    if (!input.ok()) return base::Failure(input.diagnostics());
    inputs.push_back(std::move(*input));
  }
  return inputs;
}

/// A name in which other bytes than letters and digits are two hex digits.
std::string plain(const std::string& name) {
  std::string text;
  for (const char c : name) {
    const bool stays = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    text += stays ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  return text;
}

/// What the driver wrote of one frame; nothing where that is not what it writes.
std::optional<GoldenFrame> read_frame(const fs::path& file) {
  const auto text = base::read_text(file.string());
  if (!text.ok()) return std::nullopt;
  GoldenFrame frame;
  std::istringstream words(*text);
  words >> frame.format >> frame.width >> frame.height >> frame.sha256 >> frame.picture;
  if (!words) return std::nullopt;
  (void)std::getline(words >> std::ws, frame.name);
  frame.number = std::strtoull(file.stem().c_str(), nullptr, 10);
  if (frame.picture.find('.') == std::string::npos) frame.picture.clear();
  if (frame.picture.empty()) return frame;
  const auto bytes = base::read_file((file.parent_path() / frame.picture).string());
  if (!bytes.ok()) return std::nullopt;
  frame.picture_sha256 = base::sha256(*bytes);
  return frame;
}

base::Diagnostic no_frames(const RecordOptions& o) {
  if (o.of == FrameKind::Objects)
    return base::error("golden-frames", "nothing was written to an object of these names")
        .note(
            "--object takes an image's or buffer's name as the program gives it: vkSetDebugUtilsObjectNameEXT, with "
            "VK_EXT_debug_utils on");
  base::Diagnostic d = base::error(
      "golden-frames", o.of == FrameKind::Targets ? "the program drew nothing" : "the program presented no frame");
  return std::move(d).note(
      o.of == FrameKind::Targets
          ? "--targets records what draws write to; what compute shaders write: --object NAME, or --files"
          : "heddle golden record --targets records what it draws to instead of what it presents");
}

/// Takes the driver's notes of which names it met; one that it did not meet is a slip, if the program went to its end.
base::Result<base::Done> collect_names(const fs::path& folder, const RecordOptions& options) {
  for (std::size_t at = 0; at < options.objects.size(); ++at)
    if (!fs::remove(folder / fmt::format("seen-{}", at)) && !options.stops)
      return base::error("golden-frames",
                         fmt::format("no image or buffer had the name '{}' when commands had run", options.objects[at]))
          .note("names are compared whole; the program gives them by vkSetDebugUtilsObjectNameEXT");
  return base::Done{};
}

/// Takes the driver's notes of each frame into the manifest, and away from the folder.
base::Result<base::Done> collect(const fs::path& folder, const RecordOptions& options, Manifest& m) {
  const auto count = base::read_text((folder / "count").string());
  if (!count.ok()) return no_frames(options);
  m.count = std::strtoull(count->c_str(), nullptr, 10);
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  for (const fs::path& file : files) {
    auto frame = read_frame(file);
    if (!frame)
      return base::error("golden-frames", "the driver's note is cut off", base::Place::in_file(file.string()));
    m.recorded.push_back(std::move(*frame));
    fs::remove(file);
  }
  fs::remove(folder / "count");
  if (const auto names = collect_names(folder, options); !names.ok()) return names;
  std::ranges::sort(m.recorded, {}, &GoldenFrame::number);
  return base::Done{};
}

/// Frames below the count that are wanted, all of them.
base::Result<base::Done> check_complete(const Manifest& m) {
  if (const auto wrong = find_wrong_frame(m))
    return base::error("golden-frames", fmt::format("frame {} could not be recorded", wrong->frame))
        .note("the driver's message above says why");
  if (m.stops && m.count <= m.frames.last())
    return base::error("golden-frames",
                       fmt::format("the program ended after {} frames, before frame {}", m.count, m.frames.last()));
  return base::Done{};
}

/// Whether a folder is empty, or has a manifest and nothing but the pictures that it names: it may be replaced.
bool may_be_replaced(const fs::path& folder) {
  std::error_code problem;
  if (!fs::is_directory(folder, problem)) return false;
  if (fs::is_empty(folder, problem)) return true;
  const auto manifest = read_manifest(folder.string());
  if (!manifest.ok()) return false;
  std::set<std::string> known{std::string(kManifestName)};
  for (const GoldenFrame& frame : manifest->recorded) known.insert(frame.picture);
  fs::directory_iterator entries(folder, problem);
  return !problem && std::ranges::all_of(entries, [&](const fs::directory_entry& entry) {
    return known.contains(entry.path().filename().string()) && entry.is_regular_file(problem);
  });
}

base::Diagnostic folder_error(const std::string& path) {
  return base::error("golden-folder", fmt::format("'{}' is there, and is no recording, or has more than one", path))
      .note("name a new folder, an empty one, or one that heddle golden made: that is replaced");
}

base::Diagnostic rename_error(const std::string& path, const std::error_code& problem) {
  return base::error("file-write", fmt::format("'{}' cannot be made: {}", path, problem.message()),
                     base::Place::in_file(path));
}

/// Some frame of the program is in the list. A shard alone may have none: that is a part of a recording too.
base::Result<base::Done> check_chosen(const Manifest& m) {
  const auto first = std::ranges::min_element(m.frames.ranges);
  if (m.count != 0 && (first == m.frames.ranges.end() || first->first < m.count)) return base::Done{};
  return base::error("golden-frames",
                     fmt::format("--frames {} has no frame: the program has {}", m.frames.text(), m.count))
      .note("frames are counted from 0");
}

base::Result<base::Done> run_program(const std::vector<std::string>& words) {
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_DFL);  // the program's own affair
  const auto code = static_cast<int>(run_to_end(words));
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
  if (code == 0) return base::Done{};
  return base::error("golden-program", fmt::format("{} ended with exit code {}", words.front(), code))
      .note("frames of a program that fails are not recorded");
}

/// Frames that the driver writes.
base::Result<base::Done> record_driver(const std::string& folder, const RecordOptions& options, Manifest& m) {
  setenv("HEDDLE_GOLDEN", fs::absolute(folder).c_str(), 1);
  setenv("HEDDLE_FRAME_PLAN", frame_plan_of(options).c_str(), 1);
  if (const auto done = run_program(options.program); !done.ok()) return done;
  return collect(folder, options, m);
}

/// Frames that the program writes itself.
base::Result<base::Done> record_files(const std::string& folder, const RecordOptions& options, Manifest& m) {
  const TemporaryFolder made;
  if (made.path().empty())
    return base::error("file-write", "no temporary folder can be made").note("TMPDIR names where");
  const auto words = program_with_folder(options.program, made.path());
  if (!words.ok()) return base::Failure(words.diagnostics());
  if (const auto done = run_program(*words); !done.ok()) return done;
  return collect_files(made.path(), folder, m);
}

}  // namespace

base::Result<Manifest> begin_manifest(const RecordOptions& options) {
  Manifest m;
  m.version = HEDDLE_VERSION;
  m.bits = base::kBits;
  m.program = options.program;
  m.of = options.of;
  m.objects = options.objects;
  m.stops = options.stops;
  m.frames = options.frames;
  m.shard = options.shard;
  auto inputs = read_inputs(options);
  if (!inputs.ok()) return base::Failure(inputs.diagnostics());
  m.inputs = std::move(*inputs);
  return m;
}

base::Result<Manifest> record_frames(const std::string& folder, const RecordOptions& options) {
  auto m = begin_manifest(options);
  if (!m.ok()) return m;
  const auto left =
      options.of == FrameKind::Files ? record_files(folder, options, *m) : record_driver(folder, options, *m);
  if (!left.ok()) return base::Failure(left.diagnostics());
  if (const auto done = check_complete(*m); !done.ok()) return base::Failure(done.diagnostics());
  if (const auto done = check_chosen(*m); !done.ok()) return base::Failure(done.diagnostics());
  return m;
}

std::string frame_plan_of(const RecordOptions& o, bool chosen) {
  std::vector<std::string> words;
  if (chosen) words.push_back("shard=" + o.shard.text());
  if (chosen && !o.frames.ranges.empty()) words.push_back("frames=" + o.frames.text());
  if (o.of == FrameKind::Targets) words.emplace_back("of=targets");
  if (!o.objects.empty()) {
    std::string names;
    for (const std::string& name : o.objects) names += (names.empty() ? "" : ",") + plain(name);
    words.push_back("objects=" + names);
  }
  if (o.stops) words.push_back(fmt::format("last={}", o.frames.last()));
  return fmt::format("{}", fmt::join(words, " "));
}

std::string folder_name(const std::string& path) {
  fs::path normal = fs::path(path).lexically_normal();
  if (!normal.has_filename()) normal = normal.parent_path();
  if (const fs::path name = normal.filename(); name != "." && name != "..") return normal.string();
  normal = fs::absolute(path).lexically_normal();  // other names stand beside it, not in it
  return (normal.has_filename() ? normal : normal.parent_path()).string();
}

base::Result<base::Done> NewFolder::begin() {
  std::error_code problem;
  for (const std::string& path : {path_, replaced_})
    if (path.empty() || (fs::exists(path, problem) && !may_be_replaced(path))) return folder_error(path);
  fs::remove_all(unfinished_, problem);
  if (auto made = make_folder(unfinished_); !made.ok()) return made;
  begun_ = true;
  return base::Done{};
}

NewFolder::~NewFolder() {
  std::error_code ignored;
  if (begun_) fs::remove(unfinished_, ignored);  // frames of a program that ended early stay to be looked at
}

base::Result<base::Done> NewFolder::finish(const Manifest& manifest) {
  const std::string file = fmt::format("{}/{}", unfinished_, kManifestName);
  if (const auto written = base::write_file(file, std::string_view(manifest.json())); !written.ok()) return written;
  std::error_code problem, ignored;
  const bool replaces = fs::exists(fs::symlink_status(path_, ignored));
  if (replaces) {
    fs::remove_all(replaced_, ignored);  // left of an attempt that was killed just here
    fs::rename(path_, replaced_, problem);
    if (problem) return rename_error(replaced_, problem);
  }
  fs::rename(unfinished_, path_, problem);
  if (problem && replaces) fs::rename(replaced_, path_, ignored);
  if (problem) return rename_error(path_, problem);
  begun_ = false;
  if (replaces) fs::remove_all(replaced_, ignored);
  return base::Done{};
}

}  // namespace heddle::tools
