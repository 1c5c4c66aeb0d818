// SPDX-License-Identifier: MIT
#include "tools/golden/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/bits/sha256.hpp"
#include "base/diagnostic.hpp"
#include "base/file.hpp"
#include "image/files/files.hpp"

namespace heddle::tools {
namespace {

namespace fs = std::filesystem;

/// Names of all regular files below a folder, relative to it, in order.
std::vector<std::string> names_below(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code problem;
  for (fs::recursive_directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem))
    if (at->is_regular_file(problem)) names.push_back(at->path().lexically_relative(folder).string());
  std::ranges::sort(names);
  return names;
}

/// Of one picture; KTX2 and DDS may have levels and layers. TGA has no signature, only an ending.
bool is_picture(const std::vector<std::uint8_t>& bytes, const std::string& name) {
  const auto known = image::kind_of_bytes(bytes), kind = known ? known : image::kind_of_path(name);
  return kind && *kind != image::FileKind::Ktx2 && *kind != image::FileKind::Dds;
}

/// Pictures by their texels, so that another packing of PNG is no difference; anything else by its bytes.
void describe(const std::vector<std::uint8_t>& bytes, const std::string& name, GoldenFrame& frame) {
  frame.picture_sha256 = base::sha256(bytes);
  if (is_picture(bytes, name))
    if (const auto surface = image::decode_image(bytes, name); surface.ok()) {
      frame.format = surface->info().name;
      frame.width = surface->width;
      frame.height = surface->height;
      frame.sha256 = base::sha256(image::packed_texels(*surface));
      return;
    }
  frame.format = kBytes;
  frame.width = bytes.size();
  frame.height = 1;
  frame.sha256 = frame.picture_sha256;
}

base::Result<GoldenFrame> take(const fs::path& file, std::uint64_t number, const std::string& name,
                               const std::string& folder) {
  const auto bytes = base::read_file(file.string());
  if (!bytes.ok()) return base::Failure(bytes.diagnostics());
  GoldenFrame frame;
  frame.number = number;
  frame.name = name;
  describe(*bytes, name, frame);
  frame.picture = fmt::format("{:06}{}", number, file.extension().string());
  const auto written = base::write_file(folder + "/" + frame.picture, std::span<const std::uint8_t>(*bytes));
  return written.ok() ? base::Result<GoldenFrame>(std::move(frame)) : base::Failure(written.diagnostics());
}

}  // namespace

base::Result<std::vector<std::string>> program_with_folder(const std::vector<std::string>& program,
                                                           const std::string& folder) {
  std::vector<std::string> words = program;
  bool marked = false;
  for (std::string& word : words)
    for (std::size_t at = word.find(kFolderMark); at != std::string::npos;
         at = word.find(kFolderMark, at + folder.size())) {
      word.replace(at, kFolderMark.size(), folder);
      marked = true;
    }
  if (!marked)
    return base::error("usage-flag", "--files needs {} among the program's arguments",
                       base::Place::command_line("--files"))
        .note("{} becomes a new folder, and files that the program leaves there are the frames: -- ./shots --out {}");
  return words;
}

base::Result<base::Done> collect_files(const std::string& from, const std::string& folder, Manifest& m) {
  const std::vector<std::string> names = names_below(from);
  if (names.empty())
    return base::error("golden-frames", "the program left no file")
        .note("its frames are the files that it writes below the folder that {} stands for");
  m.count = names.size();
  for (std::uint64_t number = 0; number < names.size(); ++number) {
    if (!m.frames.has(number) || !m.shard.has(number)) continue;
    auto frame = take(fs::path(from) / names[number], number, names[number], folder);
    if (!frame.ok()) return base::Failure(frame.diagnostics());
    m.recorded.push_back(std::move(*frame));
  }
  return base::Done{};
}

}  // namespace heddle::tools
