// SPDX-License-Identifier: MIT
#include "tools/golden/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

#include "base/diagnostic.hpp"
#include "base/file.hpp"
#include "image/files/files.hpp"
#include "tools/pictures/picture.hpp"
#include "tools/suite/xml.hpp"

namespace heddle::tools {
namespace {

/// A picture of a recording and its texels' bytes.
struct Loaded {
  image::Surface surface;
  std::vector<std::uint8_t> bytes;
  [[nodiscard]] std::size_t texel_bytes() const { return bytes.size() / surface.width / surface.height; }
};

std::optional<Loaded> load(const std::string& folder, const GoldenFrame& frame) {
  if (frame.picture.empty()) return std::nullopt;
  auto surface = image::load_image(folder + "/" + frame.picture);
  if (!surface.ok()) return std::nullopt;
  std::vector<std::uint8_t> bytes = image::packed_texels(*surface);
  return Loaded{std::move(*surface), std::move(bytes)};
}

Rgb color_at(const Loaded& picture, std::uint32_t x, std::uint32_t y) {
  const image::Texel texel = image::fetch(picture.surface, 0, 0, x, y).texel;
  Rgb color{};
  for (unsigned k = 0; k < 3; ++k)
    color[k] = static_cast<std::uint8_t>(std::clamp(texel.f(static_cast<int>(k)), 0.0f, 1.0f) * 255 + 0.5f);
  return color;
}

struct Differing {
  std::uint64_t pixels = 0;
  unsigned most = 0;  ///< of a byte
};

/// Side by side: the recorded picture, the new one, and where they differ, red on the first one's faint gray.
Picture side_by_side(const Loaded& golden, const Loaded& now, Differing& differing) {
  constexpr std::int64_t kGap = 4;
  const std::uint32_t width = golden.surface.width, height = golden.surface.height;
  const std::size_t size = golden.texel_bytes();
  Picture picture(3 * width + 2 * static_cast<std::uint32_t>(kGap), height);
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x) {
      const std::size_t at = (std::size_t{y} * width + x) * size;
      unsigned most = 0;
      for (std::size_t k = at; k < at + size; ++k)
        most = std::max(most, static_cast<unsigned>(std::abs(int{golden.bytes[k]} - int{now.bytes[k]})));
      const Rgb before = color_at(golden, x, y);
      picture.set(x, y, before);
      picture.set(width + kGap + x, y, color_at(now, x, y));
      const auto gray = static_cast<std::uint8_t>(191 + (before[0] + 2 * before[1] + before[2]) / 16);
      picture.set(2 * (width + kGap) + x, y, most != 0 ? Rgb{220, 0, 0} : Rgb{gray, gray, gray});
      differing.pixels += most != 0 ? 1 : 0;
      differing.most = std::max(differing.most, most);
    }
  return picture;
}

/// In words: where bytes differ first.
std::string first_byte(const std::string& golden_folder, const GoldenFrame& golden, const std::string& new_folder,
                       const GoldenFrame& now) {
  const auto a = base::read_file(golden_folder + "/" + golden.picture),
             b = base::read_file(new_folder + "/" + now.picture);
  if (!a.ok() || !b.ok()) return "bytes differ";
  std::size_t count = 0, first = 0;
  for (std::size_t i = std::min(a->size(), b->size()); i-- > 0;)
    if ((*a)[i] != (*b)[i]) ++count, first = i;
  return count == 0 ? "its bytes were changed since they were recorded"
                    : fmt::format("{} of {} bytes differ, first byte {}: {} was recorded, now it is {}", count,
                                  a->size(), first, (*a)[first], (*b)[first]);
}

/// Their hashes differ.
base::Result<FrameResult> describe(const std::string& golden_folder, const GoldenFrame& golden,
                                   const std::string& new_folder, const GoldenFrame& now,
                                   const std::string& differences) {
  FrameResult result{golden.number, golden.name, {}, {}};
  if (golden.width != now.width || golden.height != now.height || golden.format != now.format) {
    result.difference = fmt::format("{} x {} of {} was recorded, now it is {} x {} of {}", golden.width, golden.height,
                                    golden.format, now.width, now.height, now.format);
    return result;
  }
  if (golden.format == kBytes) {
    result.difference = first_byte(golden_folder, golden, new_folder, now);
    return result;
  }
  const auto a = load(golden_folder, golden), b = load(new_folder, now);
  if (!a || !b || a->bytes.size() != b->bytes.size() || a->surface.width != b->surface.width) {
    result.difference = "texels differ; there is no picture of them";
    return result;
  }
  Differing differing;
  const Picture picture = side_by_side(*a, *b, differing);
  result.difference = differing.pixels == 0
                          ? "texels differ, the pictures of them do not"
                          : fmt::format("{} of {} pixels differ, a byte by at most {}", differing.pixels,
                                        golden.width * golden.height, differing.most);
  if (!base::make_folders(differences))
    return base::error("file-write", fmt::format("'{}' cannot be made", differences),
                       base::Place::in_file(differences));
  result.picture = fmt::format("{}/{:06}.png", differences, golden.number);
  if (const auto saved = picture.save(result.picture); !saved.ok())
    return base::error("file-write", fmt::format("'{}' cannot be written", result.picture),
                       base::Place::in_file(result.picture));
  return result;
}

}  // namespace

base::Result<std::vector<FrameResult>> compare_frames(const std::string& golden_folder, const Manifest& golden,
                                                      const std::string& new_folder, const Manifest& now,
                                                      const std::string& differences) {
  std::map<std::uint64_t, std::pair<const GoldenFrame*, const GoldenFrame*>> frames;
  for (const GoldenFrame& frame : golden.recorded) frames[frame.number].first = &frame;
  for (const GoldenFrame& frame : now.recorded) frames[frame.number].second = &frame;
  std::vector<FrameResult> results;
  for (const auto& [number, pair] : frames) {
    const auto& [before, after] = pair;
    if (before == nullptr || after == nullptr) {
      results.push_back({number,
                         (before == nullptr ? after : before)->name,
                         before == nullptr ? "it was not recorded" : "the program has no such frame now",
                         {}});
    } else if (before->name != after->name) {
      results.push_back({number, before->name, fmt::format("now it is '{}'", after->name), {}});
    } else if (before->sha256 == after->sha256 && before->format == after->format && before->width == after->width) {
      results.push_back({number, before->name, {}, {}});
    } else {
      auto result = describe(golden_folder, *before, new_folder, *after, differences);
      if (!result.ok()) return base::Failure(result.diagnostics());
      results.push_back(std::move(*result));
    }
  }
  return results;
}

std::string FrameResult::title() const { return GoldenFrame{.number = number, .name = name}.title(); }

std::string junit_of(const std::string& suite, const std::vector<FrameResult>& results) {
  const auto failed = std::ranges::count_if(results, [](const FrameResult& r) { return !r.difference.empty(); });
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"{}\" tests=\"{}\" "
      "failures=\"{}\">\n",
      xml_text(suite), results.size(), failed);
  for (const FrameResult& r : results) {
    text += fmt::format("    <testcase classname=\"{}\" name=\"{}\"", xml_text(suite), xml_text(r.title()));
    if (r.difference.empty()) {
      text += "/>\n";
      continue;
    }
    const std::string where = r.picture.empty() ? std::string() : ": " + r.picture;
    text += fmt::format("><failure message=\"{}\">{}{}</failure></testcase>\n", xml_text(r.difference),
                        xml_text(r.difference), xml_text(where));
  }
  return text + "  </testsuite>\n</testsuites>\n";
}

}  // namespace heddle::tools
