// SPDX-License-Identifier: MIT
#include "vulkan/texels/texel_summary.hpp"

#include <algorithm>
#include <optional>

#include <nlohmann/json.hpp>

#include "vulkan/texels/texel_maps.hpp"

namespace heddle::vulkan {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t kRegion = 64;

/// What of a level's elements was uploaded and never read. An element is a texel, or a block of a compressed image.
void count_uploads(const PlaneRecord& record, std::uint32_t number, LevelSummary& to) {
  const TexelShape& shape = record.shape;
  const Counters& uploads = record.total[static_cast<std::size_t>(TexelUse::Uploaded)];
  if (uploads.empty()) return;
  const TexelShape::Level& level = shape.levels[number];
  const auto element = [&](std::uint32_t z, std::uint32_t column, std::uint32_t row) {
    bool uploaded = false, read = false;
    const std::uint32_t x0 = column * shape.block_width, y0 = row * shape.block_height;
    for (std::uint32_t y = y0; y < std::min(y0 + shape.block_height, level.height); ++y)
      for (std::uint32_t x = x0; x < std::min(x0 + shape.block_width, level.width); ++x) {
        const std::uint64_t at = level.at(z, x, y);
        uploaded = uploaded || uploads[at] != 0;
        for (std::size_t k = 0; k < kFirstWrite; ++k)
          read = read || (!record.total[k].empty() && record.total[k][at] != 0);
      }
    if (uploaded) to.bytes_uploaded += shape.bytes;
    if (uploaded && !read) to.bytes_unread += shape.bytes;
  };
  for (std::uint32_t z = 0; z < level.slices; ++z)
    for (std::uint32_t row = 0; row < level.blocks; ++row)
      for (std::uint32_t column = 0; column < level.columns; ++column) element(z, column, row);
}

/// What became of one texel.
struct Touched {
  bool read = false, written = false, uploaded = false;  ///< reads: of shaders
};
Touched touched_at(const PlaneRecord& record, std::uint64_t at) {
  Touched touched;
  for (std::size_t k = 0; k < kTexelUses; ++k) {
    if (record.total[k].empty() || record.total[k][at] == 0) continue;
    touched.written = touched.written || is_write(k);
    touched.read = touched.read || (!is_write(k) && is_shader_read(k));
    touched.uploaded = touched.uploaded || k == static_cast<std::size_t>(TexelUse::Uploaded);
  }
  return touched;
}

/// The texels of one square of a slice.
void count_region(const PlaneRecord& record, const TexelShape::Level& level, std::uint32_t z, std::uint32_t left,
                  std::uint32_t top, LevelSummary& to) {
  bool read = false, uploaded = false;
  for (std::uint32_t y = top; y < std::min(top + kRegion, level.height); ++y)
    for (std::uint32_t x = left; x < std::min(left + kRegion, level.width); ++x) {
      const std::uint64_t at = level.at(z, x, y);
      const Touched t = touched_at(record, at);
      read = read || t.read;
      uploaded = uploaded || t.uploaded;
      to.texels += 1;
      to.texels_read += t.read ? 1 : 0;
      to.texels_written += t.written ? 1 : 0;
      to.texels_early += (record.state[at] & PlaneRecord::kEarly) != 0 ? 1 : 0;
      to.texels_uploaded += t.uploaded ? 1 : 0;
      to.texels_unread += t.uploaded && !t.read ? 1 : 0;
      to.texels_missing += t.read && !t.uploaded ? 1 : 0;
    }
  to.regions_uploaded += uploaded ? 1 : 0;
  to.regions_unread += uploaded && !read ? 1 : 0;
  to.regions_read += read ? 1 : 0;
  to.regions_missing += read && !uploaded ? 1 : 0;
}

void count_texels(const PlaneRecord& record, std::uint32_t number, LevelSummary& to) {
  const TexelShape::Level& level = record.shape.levels[number];
  for (std::uint32_t z = 0; z < level.slices; ++z)
    for (std::uint32_t top = 0; top < level.height; top += kRegion)
      for (std::uint32_t left = 0; left < level.width; left += kRegion) count_region(record, level, z, left, top, to);
}

Json counts_json(const PlaneUse& use) {
  Json counts = Json::object();
  for (std::size_t k = 0; k < kTexelUses; ++k)
    if (use.counts[k] != 0) counts[std::string(kTexelUseRows[k].name)] = use.counts[k];
  return counts;
}

Json maps_json(const std::map<std::size_t, std::string>& maps) {
  Json json = Json::object();
  for (const auto& [use, path] : maps) json[std::string(kTexelUseRows[use].name)] = path;
  return json;
}

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json levels_json(const PlaneSummary& summary) {
  Json levels = Json::array();
  for (std::size_t l = 0; l < summary.levels.size(); ++l) {
    const LevelSummary& level = summary.levels[l];
    levels.push_back({{"level", l},
                      {"texels", level.texels},
                      {"texels_read", level.texels_read},
                      {"texels_written", level.texels_written},
                      {"texels_read_before_written", level.texels_early},
                      {"bytes_uploaded", level.bytes_uploaded},
                      {"bytes_uploaded_never_read", level.bytes_unread},
                      {"texels_uploaded", level.texels_uploaded},
                      {"texels_uploaded_never_read", level.texels_unread},
                      {"texels_read_never_uploaded", level.texels_missing},
                      {"region_64x64",
                       {{"uploaded", level.regions_uploaded},
                        {"uploaded_never_read", level.regions_unread},
                        {"read", level.regions_read},
                        {"read_never_uploaded", level.regions_missing}}}});
  }
  return levels;
}

Json samplers_json(const PlaneRecord& record, const std::vector<SamplerRecord>& samplers) {
  std::uint64_t all = 0;
  for (const auto& [number, samples] : record.samplers) all += samples;
  Json json = Json::array();
  for (const auto& [number, samples] : record.samplers) {
    if (samples == 0) continue;
    Json one{{"sampler", number}};
    if (!samplers[number].name.empty()) one["name"] = samplers[number].name;
    one["samples"] = samples;
    one["share"] = static_cast<double>(samples) / static_cast<double>(all);
    json.push_back(std::move(one));
  }
  return json;
}

Json plane_json(const TexelReport::Plane& plane, const std::vector<SamplerRecord>& samplers) {
  const PlaneRecord& record = *plane.record;
  const LevelSummary sum = plane.summary.sum();
  Json json{{"image", record.image}, {"name", record.name}, {"format", record.format}};
  if (!record.plane.empty()) json["plane"] = record.plane;
  json["device"] = record.device;
  json["extent"] = record.extent;
  json["levels"] = record.shape.levels.size();
  json["layers"] = record.layers;
  json["samples"] = record.shape.samples;
  json["counts"] = counts_json(plane.summary.whole);
  json["texels"] = sum.texels;
  json["texels_read"] = sum.texels_read;
  json["texels_written"] = sum.texels_written;
  json["texels_read_before_written"] = sum.texels_early;
  json["bytes_uploaded"] = sum.bytes_uploaded;
  json["bytes_uploaded_never_read"] = sum.bytes_unread;
  Json used = Json::array();
  for (std::size_t l = 0; l < plane.summary.levels.size(); ++l)
    if (plane.summary.levels[l].texels_read != 0) used.push_back(l);
  json["levels_used"] = std::move(used);
  json["least_level"] = or_null(plane.summary.whole.least_level);
  json["greatest_level"] = or_null(plane.summary.whole.greatest_level);
  json["by_level"] = levels_json(plane.summary);
  json["samplers"] = samplers_json(record, samplers);
  json["maps"] = maps_json(plane.maps);
  return json;
}

Json unit_json(const TexelReport& report, std::size_t number) {
  const TexelUnit& unit = report.units[number];
  Json json{{"frame", unit.frame}, {"device", unit.device}};
  if (unit.id) json["id"] = *unit.id;
  if (unit.command != 0) {
    json["command"] = unit.command;
    json["name"] = unit.name;
    json["labels"] = unit.labels;
  }
  Json planes = Json::array();
  for (std::size_t k = 0; k < unit.planes.size(); ++k) {
    const PlaneUse& use = unit.planes[k];
    Json one{{"image", use.record->image}};
    if (!use.record->plane.empty()) one["plane"] = use.record->plane;
    if (!use.record->name.empty()) one["name"] = use.record->name;
    one["counts"] = counts_json(use);
    one["texels_read"] = use.texels_read;
    one["texels_written"] = use.texels_written;
    one["least_level"] = or_null(use.least_level);
    one["greatest_level"] = or_null(use.greatest_level);
    if (const auto maps = report.unit_maps[number].find(k); maps != report.unit_maps[number].end())
      one["maps"] = maps_json(maps->second);
    planes.push_back(std::move(one));
  }
  json["images"] = std::move(planes);
  return json;
}

Json sampler_json(const SamplerRecord& sampler) {
  return {{"sampler", sampler.number},
          {"name", sampler.name},
          {"mag", sampler.mag},
          {"min", sampler.min},
          {"mip", sampler.mip},
          {"address", sampler.address},
          {"max_anisotropy", sampler.anisotropy}};
}

}  // namespace

void LevelSummary::add(const LevelSummary& other) {
  texels += other.texels;
  texels_read += other.texels_read;
  texels_written += other.texels_written;
  texels_early += other.texels_early;
  bytes_uploaded += other.bytes_uploaded;
  bytes_unread += other.bytes_unread;
  texels_uploaded += other.texels_uploaded;
  texels_unread += other.texels_unread;
  texels_missing += other.texels_missing;
  regions_uploaded += other.regions_uploaded;
  regions_unread += other.regions_unread;
  regions_read += other.regions_read;
  regions_missing += other.regions_missing;
}

LevelSummary PlaneSummary::sum() const {
  LevelSummary all;
  for (const LevelSummary& level : levels) all.add(level);
  return all;
}

PlaneSummary summary_of(const PlaneRecord& record) {
  TexelUses some{};
  for (std::size_t k = 0; k < kTexelUses; ++k) some[k] = !record.total[k].empty();
  PlaneSummary summary{summarize(record, record.total, some), {}};
  for (std::uint32_t l = 0; l < record.shape.levels.size(); ++l) {
    LevelSummary& level = summary.levels.emplace_back();
    count_texels(record, l, level);
    count_uploads(record, l, level);
  }
  return summary;
}

namespace {

std::string_view frames_word(TexelSession::Frames frames) {
  switch (frames) {
    case TexelSession::Frames::Presents:
      return "presents";
    case TexelSession::Frames::Submissions:
      return "submissions";
    case TexelSession::Frames::Boundaries:
      return "boundaries";
  }
  return "";
}

}  // namespace

std::string summary_text(const TexelReport& report) {
  Json json{{"heddle_texels", 1}, {"program", report.program}, {"frames_are", frames_word(report.frames)}};
  json["images"] = Json::array();
  for (const TexelReport::Plane& plane : report.planes) json["images"].push_back(plane_json(plane, report.samplers));
  json["samplers"] = Json::array();
  for (const SamplerRecord& sampler : report.samplers) json["samplers"].push_back(sampler_json(sampler));
  Json& units = json[report.by_draw ? "commands" : "frames"] = Json::array();
  for (std::size_t k = 0; k < report.units.size(); ++k) units.push_back(unit_json(report, k));
  json["maps_left_out"] = report.maps_left_out;
  if (report.lost) json["incomplete"] = "there was no memory for some counts";
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace heddle::vulkan
