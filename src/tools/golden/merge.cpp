// SPDX-License-Identifier: MIT
#include "tools/golden/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/bits/sha256.hpp"
#include "base/diagnostic.hpp"
#include "base/file.hpp"

namespace heddle::tools {
namespace {

base::Diagnostic part_error(const std::string& part, std::string message) {
  return base::error("golden-part", std::move(message), base::Place::in_file(part));
}

/// All shards, by index.
base::Result<std::map<std::uint64_t, std::pair<std::string, Manifest>>> read_parts(
    const std::vector<std::string>& folders) {
  std::map<std::uint64_t, std::pair<std::string, Manifest>> parts;
  for (const std::string& folder : folders) {
    auto manifest = read_manifest(folder);
    if (!manifest.ok()) return base::Failure(manifest.diagnostics());
    if (!parts.empty() && !manifest->same_recording(parts.begin()->second.second))
      return part_error(folder, fmt::format("this is no part of the recording that '{}' belongs to",
                                            parts.begin()->second.first))
          .note("program, arguments, inputs, frames, version, bits and number of shards must be the same");
    const std::uint64_t index = manifest->shard.index;
    const std::string shard = manifest->shard.text();
    if (const auto [at, added] = parts.emplace(index, std::pair(folder, std::move(*manifest))); !added)
      return part_error(folder, fmt::format("shard {} is there twice: '{}' has it too", shard, at->second.first));
  }
  return parts;
}

base::Result<base::Done> check_all_there(const std::map<std::uint64_t, std::pair<std::string, Manifest>>& parts) {
  const std::uint64_t count = parts.begin()->second.second.shard.count;
  constexpr std::uint64_t kShown = 10;
  const std::uint64_t all = count - parts.size();
  if (all == 0) return base::Done{};
  std::string missing;
  std::uint64_t shown = 0;
  for (std::uint64_t index = 1; index <= count && shown < kShown; ++index)
    if (!parts.contains(index)) missing += fmt::format("{}{}/{}", shown++ == 0 ? "" : ", ", index, count);
  if (all > shown) missing += fmt::format(" and {} more", all - shown);
  return base::error("golden-part", fmt::format("missing: shard {}", missing))
      .note("heddle golden record FOLDER --shard I/N -- PROGRAM makes it; a shard that was killed has no golden.json");
}

/// Its frames are those of its shard.
base::Result<base::Done> check_frames(const std::string& folder, const Manifest& part) {
  const auto wrong = find_wrong_frame(part);
  if (!wrong) return base::Done{};
  const char* what = wrong->missing ? "is missing" : "does not belong here, or is there twice";
  return part_error(folder, fmt::format("frame {} {}", wrong->frame, what));
}

base::Result<base::Done> copy_picture(const std::string& from, const GoldenFrame& frame, const std::string& to) {
  if (frame.picture.empty()) return base::Done{};
  const auto bytes = base::read_file(from + "/" + frame.picture);
  if (!bytes.ok()) return base::Failure(bytes.diagnostics());
  if (base::sha256(*bytes) != frame.picture_sha256)
    return part_error(from,
                      fmt::format("frame {}: '{}' is not the file that was recorded", frame.number, frame.picture))
        .note("record this shard anew");
  return base::write_file(to + "/" + frame.picture, std::span<const std::uint8_t>(*bytes));
}

}  // namespace

base::Result<Manifest> merge_parts(const std::string& folder, const std::vector<std::string>& parts) {
  const auto read = read_parts(parts);
  if (!read.ok()) return base::Failure(read.diagnostics());
  if (const auto all = check_all_there(*read); !all.ok()) return base::Failure(all.diagnostics());
  Manifest merged = read->begin()->second.second;
  merged.recorded.clear();
  merged.shard = {};
  for (const auto& [index, part] : *read) {
    const auto& [from, manifest] = part;
    if (const auto good = check_frames(from, manifest); !good.ok()) return base::Failure(good.diagnostics());
    for (const GoldenFrame& frame : manifest.recorded) {
      if (const auto copied = copy_picture(from, frame, folder); !copied.ok())
        return base::Failure(copied.diagnostics());
      merged.recorded.push_back(frame);
    }
  }
  if (merged.recorded.empty()) return part_error(parts.front(), "no part has a frame");
  std::ranges::sort(merged.recorded, {}, &GoldenFrame::number);
  return merged;
}

}  // namespace heddle::tools
