// SPDX-License-Identifier: MIT
#include "vulkan/texels/texel_output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/file.hpp"
#include "vulkan/texels/texel_maps.hpp"
#include "vulkan/texels/texel_summary.hpp"

namespace heddle::vulkan {
namespace {

namespace fs = std::filesystem;

void complain(const std::string& why) { std::fputs(("heddle: HEDDLE_TEXELS: " + why + "\n").c_str(), stderr); }

/// A name as a part of a file's.
std::string file_word(const std::string& name) {
  std::string word;
  for (const char c : name.substr(0, 40)) {
    const auto byte = static_cast<unsigned char>(c);
    word += std::isalnum(byte) != 0 || c == '-' || c == '_' || c == '.' ? c : '_';
  }
  return word;
}

std::string file_of(const PlaneRecord& record) {
  std::string file = fmt::format("{:03}", record.image);
  if (!record.name.empty()) file += "-" + file_word(record.name);
  if (!record.plane.empty()) file += "-" + file_word(record.plane);
  return file;
}

std::string map_path(const std::string& folder, const PlaneRecord& record, std::size_t use) {
  return fmt::format("{}/{}.{}.ktx2", folder, file_of(record), kTexelUseRows[use].name);
}

/// Writes files below a folder until one can't be written.
class Files {
 public:
  explicit Files(std::string folder) : folder_(std::move(folder)) {}
  template <typename Bytes>
  void add(const std::string& path, const Bytes& bytes) {
    if (!good_) return;
    std::error_code ignored;
    fs::create_directories(fs::path(folder_ + "/" + path).parent_path(), ignored);
    const auto done = base::write_file(folder_ + "/" + path, bytes);
    good_ = done.ok();
    if (!good_)
      for (const base::Diagnostic& d : done.diagnostics()) complain(d.message);
  }
  [[nodiscard]] bool good() const { return good_; }

 private:
  std::string folder_;
  bool good_ = true;
};

/// Renames the folder to `name`, or to the first of name-2, name-3 ... that is free.
bool take_name(const std::string& folder, const std::string& name) {
  constexpr int kMax = 1000;
  for (int k = 1; k <= kMax; ++k) {
    const std::string to = k == 1 ? name : fmt::format("{}-{}", name, k);
    if (std::rename(folder.c_str(), to.c_str()) == 0) return true;
    if (errno != ENOTEMPTY && errno != EEXIST) break;
  }
  complain(fmt::format("{} cannot be written: {}", name, std::strerror(errno)));
  return false;
}

}  // namespace

void TexelOutput::write() const {
  if (session_.devices_ == 0) return;
  std::string name = session_.folder_;
  while (name.size() > 1 && name.ends_with('/')) name.pop_back();
  const std::string folder = fmt::format("{}.part-{}", name, ::getpid());
  std::error_code ignored;
  try {
    if (write_files(folder) && take_name(folder, name)) return;
  } catch (const std::exception& problem) {
    complain(problem.what());
  }
  fs::remove_all(folder, ignored);
}

bool TexelOutput::write_files(const std::string& folder) const {
  TexelReport report{.program = program_invocation_short_name,
                     .frames = session_.frames_,
                     .by_draw = session_.by_draw_,
                     .lost = session_.counts_.lost(),
                     .planes = {},
                     .samplers = session_.samplers_,
                     .units = session_.units_,
                     .unit_maps = {},
                     .maps_left_out = session_.maps_left_out_};
  Files files(folder);
  for (const PlaneRecord* record : session_.counts_.planes()) {
    if (std::ranges::all_of(record->total, [](const auto& counts) { return counts.empty(); })) continue;
    TexelReport::Plane& plane = report.planes.emplace_back();
    plane.record = record;
    plane.file = file_of(*record);
    plane.summary = summary_of(*record);
    for (std::size_t k = 0; k < kTexelUses; ++k) {
      if (record->total[k].empty()) continue;
      plane.maps[k] = map_path("maps", *record, k);
      files.add(plane.maps[k], encode_map(record->shape, record->total[k]));
    }
  }
  report.unit_maps.resize(session_.units_.size());
  for (std::size_t u = 0; u < session_.units_.size(); ++u)
    for (std::size_t p = 0; p < session_.units_[u].planes.size(); ++p)
      for (const auto& [use, map] : session_.units_[u].planes[p].maps) {
        const std::string path = map_path(fmt::format("maps/{:06}", u), *session_.units_[u].planes[p].record, use);
        report.unit_maps[u][p][use] = path;
        files.add(path, map);
      }
  files.add("texels.json", std::string_view(summary_text(report)));
  files.add("index.html", std::string_view(page_text(report)));
  return files.good();
}

}  // namespace heddle::vulkan
