// SPDX-License-Identifier: MIT
#include "tools/golden/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "base/bits/sha256.hpp"
#include "base/file.hpp"
#include "image/files/files.hpp"
#include "tools/pictures/picture.hpp"
#include "tools/services/new_folder.hpp"
#include "tools/suite/xml.hpp"

namespace heddle::tools {
namespace {

/// A picture of a recording and its texels' bytes; or why there is none.
struct Loaded {
  image::Surface surface;
  std::vector<std::uint8_t> bytes;
  std::string problem;
  [[nodiscard]] bool ok() const { return !bytes.empty(); }
  [[nodiscard]] std::size_t texel_bytes() const { return bytes.size() / surface.width / surface.height; }
  [[nodiscard]] bool has(std::uint32_t x, std::uint32_t y) const { return x < surface.width && y < surface.height; }
};

/// The bytes of a frame's file; nothing, and why, where they are not those that were recorded.
std::optional<std::vector<std::uint8_t>> file_of(const std::string& folder, const GoldenFrame& frame,
                                                 std::string& problem) {
  const std::string path = folder + "/" + frame.picture;
  auto bytes = base::read_file(path);
  if (!bytes.ok())
    problem = bytes.diagnostics().front().message;
  else if (base::sha256(*bytes) != frame.picture_sha256)
    problem = fmt::format("'{}' is not the file that was recorded", path);
  else
    return std::move(*bytes);
  return std::nullopt;
}

Loaded load(const std::string& folder, const GoldenFrame& frame) {
  Loaded loaded;
  if (frame.picture.empty()) return loaded.problem = "there is no picture of them", loaded;
  const auto file = file_of(folder, frame, loaded.problem);
  if (!file) return loaded;
  auto surface = image::decode_image(*file, frame.picture);
  if (!surface.ok()) return loaded.problem = surface.diagnostics().front().message, loaded;
  loaded.bytes = image::packed_texels(*surface);
  loaded.surface = std::move(*surface);
  return loaded;
}

Rgb color_at(const Loaded& picture, std::uint32_t x, std::uint32_t y) {
  const image::Texel texel = image::fetch(picture.surface, 0, 0, x, y).texel;
  Rgb color{};
  for (unsigned k = 0; k < 3; ++k)
    color[k] = static_cast<std::uint8_t>(std::clamp(texel.f(static_cast<int>(k)), 0.0f, 1.0f) * 255 + 0.5f);
  return color;
}

constexpr Rgb kRed{220, 0, 0};

/// Side by side: the recorded picture, the new one, and where they differ, red on the first one's faint gray. `differ`
/// is asked once for each texel that either has.
template <typename Differ>
Picture side_by_side(const Loaded& golden, const Loaded& now, const Differ& differ) {
  constexpr std::uint32_t kGap = 4;
  const std::uint32_t second = golden.surface.width + kGap, third = second + now.surface.width + kGap;
  const std::uint32_t width = std::max(golden.surface.width, now.surface.width),
                      height = std::max(golden.surface.height, now.surface.height);
  Picture picture(third + width, height);
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x) {
      if (!golden.has(x, y) && !now.has(x, y)) continue;
      const Rgb before = golden.has(x, y) ? color_at(golden, x, y) : Rgb{255, 255, 255};
      if (golden.has(x, y)) picture.set(x, y, before);
      if (now.has(x, y)) picture.set(second + x, y, color_at(now, x, y));
      const auto gray = static_cast<std::uint8_t>(191 + (before[0] + 2 * before[1] + before[2]) / 16);
      picture.set(third + x, y, differ(x, y) ? kRed : Rgb{gray, gray, gray});
    }
  return picture;
}

/// In words: where bytes differ first.
std::string first_byte(const std::string& golden_folder, const GoldenFrame& golden, const std::string& new_folder,
                       const GoldenFrame& now) {
  std::string problem;
  const auto a = file_of(golden_folder, golden, problem), b = file_of(new_folder, now, problem);
  if (!a || !b) return "bytes differ; " + problem;
  std::size_t count = 0, first = 0;
  for (std::size_t i = std::min(a->size(), b->size()); i-- > 0;)
    if ((*a)[i] != (*b)[i]) ++count, first = i;
  return count == 0 ? "its bytes were changed since they were recorded"
                    : fmt::format("{} of {} bytes differ, first byte {}: {} was recorded, now it is {}", count,
                                  a->size(), first, (*a)[first], (*b)[first]);
}

/// Frames of a recording beside new ones.
class Comparer {
 public:
  Comparer(const std::string& golden_folder, const std::string& new_folder, const DifferencesFolder& differences)
      : golden_folder_(golden_folder), new_folder_(new_folder), differences_(differences) {}

  FrameResult compare(const GoldenFrame& golden, const GoldenFrame& now) {
    if (golden.name != now.name) return {golden.number, golden.name, fmt::format("now it is '{}'", now.name), {}, {}};
    const bool same_shape = golden.format == now.format && golden.width == now.width && golden.height == now.height;
    if (same_shape && golden.sha256 == now.sha256) {
      forget(golden.number);
      return {golden.number, golden.name, {}, {}, {}};
    }
    return same_shape ? compare_texels(golden, now) : compare_shapes(golden, now);
  }
  [[nodiscard]] std::vector<base::Diagnostic>& problems() { return problems_; }

 private:
  [[nodiscard]] std::string path_of(std::uint64_t number) const {
    return fmt::format("{}/{:06}.png", differences_.path, number);
  }

  /// What an earlier check has left of a frame that is equal now would be taken for its difference.
  void forget(std::uint64_t number) const {
    std::error_code ignored;
    if (differences_.ours) std::filesystem::remove(path_of(number), ignored);
  }

  /// The path; empty where it cannot be written. One message is enough: the others fail alike.
  std::string save(const Picture& picture, std::uint64_t number) {
    const std::string path = path_of(number);
    if (!problems_.empty()) return {};
    if (const auto made = make_folder(differences_.path); !made.ok()) {
      problems_ = made.diagnostics();
    } else if (const auto good = base::check_writable(path); !good.ok()) {
      problems_ = good.diagnostics();
    } else if (const auto saved = picture.save(path); !saved.ok()) {
      problems_.push_back(
          base::error("file-write", fmt::format("'{}' cannot be written", path), base::Place::in_file(path)));
    }
    return problems_.empty() ? path : std::string();
  }

  /// Other sizes or formats; colors are compared as people see them.
  FrameResult compare_shapes(const GoldenFrame& golden, const GoldenFrame& now) {
    FrameResult result{golden.number, golden.name, {}, {}, {}};
    result.difference = fmt::format("{} x {} of {} was recorded, now it is {} x {} of {}", golden.width, golden.height,
                                    golden.format, now.width, now.height, now.format);
    if (golden.format == kBytes || now.format == kBytes) return result;
    const Loaded a = load(golden_folder_, golden), b = load(new_folder_, now);
    if (!a.ok() || !b.ok()) return result;
    const auto differ = [&](std::uint32_t x, std::uint32_t y) {
      return !a.has(x, y) || !b.has(x, y) || color_at(a, x, y) != color_at(b, x, y);
    };
    result.picture = save(side_by_side(a, b, differ), golden.number);
    return result;
  }

  /// Their hashes differ, and nothing else.
  FrameResult compare_texels(const GoldenFrame& golden, const GoldenFrame& now) {
    FrameResult result{golden.number, golden.name, {}, {}, {}};
    if (golden.format == kBytes) {
      result.difference = first_byte(golden_folder_, golden, new_folder_, now);
      return result;
    }
    const Loaded a = load(golden_folder_, golden), b = load(new_folder_, now);
    if (!a.ok() || !b.ok()) {
      result.difference = "texels differ; " + (a.ok() ? b : a).problem;
      return result;
    }
    if (a.bytes.size() != b.bytes.size() || a.surface.width != b.surface.width) {
      result.difference = "texels differ; their pictures are not of one size";
      return result;
    }
    std::uint64_t pixels = 0;
    unsigned most = 0;  // of a byte
    const std::size_t size = a.texel_bytes();
    const auto differ = [&](std::uint32_t x, std::uint32_t y) {
      const std::size_t at = (std::size_t{y} * a.surface.width + x) * size;
      unsigned here = 0;
      for (std::size_t k = at; k < at + size; ++k)
        here = std::max(here, static_cast<unsigned>(std::abs(int{a.bytes[k]} - int{b.bytes[k]})));
      if (here != 0 && pixels++ == 0)
        result.pixel = DifferingPixel{x, y, a.surface.width, a.surface.height, now.sha256};
      most = std::max(most, here);
      return here != 0;
    };
    Picture picture = side_by_side(a, b, differ);
    if (!result.pixel) {
      result.difference = "texels differ, the pictures of them do not";
      return result;
    }
    result.difference = fmt::format("{} of {} pixels differ, the first at {},{}, a byte by at most {}", pixels,
                                    golden.width * golden.height, result.pixel->x, result.pixel->y, most);
    // One red pixel of millions is not seen.
    constexpr std::int64_t kReach = 8;
    picture.frame(picture.width() - std::int64_t{a.surface.width} + result.pixel->x - kReach,
                  std::int64_t{result.pixel->y} - kReach, 2 * kReach + 1, 2 * kReach + 1, {0, 90, 220});
    result.picture = save(picture, golden.number);
    return result;
  }

  const std::string &golden_folder_, &new_folder_;
  const DifferencesFolder& differences_;
  std::vector<base::Diagnostic> problems_;
};

/// The head of a file with one suite.
std::string junit_head(const std::string& suite, std::size_t tests, std::ptrdiff_t failures, unsigned errors) {
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"{}\" tests=\"{}\" "
      "failures=\"{}\" errors=\"{}\">\n",
      xml_text(suite), tests, failures, errors);
}
constexpr std::string_view kJunitEnd = "  </testsuite>\n</testsuites>\n";

}  // namespace

Comparison compare_frames(const std::string& golden_folder, const Manifest& golden, const std::string& new_folder,
                          const Manifest& now, const DifferencesFolder& differences) {
  std::map<std::uint64_t, std::pair<const GoldenFrame*, const GoldenFrame*>> frames;
  for (const GoldenFrame& frame : golden.recorded) frames[frame.number].first = &frame;
  for (const GoldenFrame& frame : now.recorded) frames[frame.number].second = &frame;
  Comparison comparison;
  Comparer comparer(golden_folder, new_folder, differences);
  for (const auto& [number, pair] : frames) {
    const auto& [before, after] = pair;
    if (before != nullptr && after != nullptr)
      comparison.frames.push_back(comparer.compare(*before, *after));
    else if (before == nullptr)
      comparison.frames.push_back({number, after->name, "it was not recorded", {}, {}});
    else
      comparison.frames.push_back({number, before->name, "the program has no such frame now", {}, {}});
  }
  comparison.problems = std::move(comparer.problems());
  return comparison;
}

std::string FrameResult::title() const { return GoldenFrame{.number = number, .name = name}.title(); }

std::string junit_of(const std::string& suite, const std::vector<FrameResult>& results) {
  const auto failed = std::ranges::count_if(results, [](const FrameResult& r) { return !r.difference.empty(); });
  std::string text = junit_head(suite, results.size(), failed, 0);
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
  return text.append(kJunitEnd);
}

std::string junit_of(const std::string& suite, const std::string& test, const std::string& problem) {
  return junit_head(suite, 1, 0, 1) +
         fmt::format("    <testcase classname=\"{}\" name=\"{}\"><error message=\"{}\"/></testcase>\n{}",
                     xml_text(suite), xml_text(test), xml_text(problem), kJunitEnd);
}

}  // namespace heddle::tools
