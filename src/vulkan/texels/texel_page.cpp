// SPDX-License-Identifier: MIT
// index.html: the maps as pictures. One file that loads nothing and runs nothing.
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/base64.hpp"
#include "vulkan/texels/texel_maps.hpp"
#include "vulkan/texels/texel_summary.hpp"

namespace heddle::vulkan {
namespace {

constexpr std::uint32_t kMaxLayers = 8;       ///< that have pictures
constexpr std::size_t kMaxUnits = 1000;       ///< rows of frames or commands
constexpr std::size_t kMaxBytes = 64u << 20;  ///< of the page: later images have no pictures

// Its hash stands in the page's content security policy; TexelsPage.StyleHasItsHash compares.
constexpr std::string_view kStyle =
    "body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 "
    "1rem;color:#222;background:#fff}"
    "table{border-collapse:collapse;margin:.5rem 0 1.5rem}td,th{padding:.15rem .7rem;text-align:right;"
    "border-bottom:1px solid #ddd}td:first-child,th:first-child{text-align:left}figure{display:inline-block;"
    "margin:0 1.5rem 1rem 0;vertical-align:top}img{image-rendering:pixelated;max-width:100%;background:#888}"
    "figcaption{font-size:.85rem;color:#555}h2{margin-top:2.5rem}b.k{display:inline-block;width:.8em;height:.8em}"
    ".r{background:#3cb45a}.u{background:#3c6edc}.e{background:#e63ca0}.w{background:#787880}.n{background:#202228}";
constexpr std::string_view kStyleHash = "Y1AHoHLTMJsM0mrnvmnkYLJ/nEr59IwEyoi0656nnww=";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

std::string title_of(const PlaneRecord& record) {
  std::string title = record.name.empty() ? fmt::format("image {}", record.image) : record.name;
  if (!record.plane.empty()) title += ", " + record.plane;
  return escaped(title);
}

std::string bytes_text(std::uint64_t bytes) {
  if (bytes < 10240) return fmt::format("{} B", bytes);
  if (bytes < std::uint64_t{10} << 20) return fmt::format("{:.1f} KiB", static_cast<double>(bytes) / 1024);
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
}

std::string levels_text(const PlaneUse& use) {
  if (!use.least_level) return "-";
  return *use.least_level == *use.greatest_level ? std::to_string(*use.least_level)
                                                 : fmt::format("{} to {}", *use.least_level, *use.greatest_level);
}

std::string picture(const std::vector<std::uint8_t>& png, const MapPictures& of, std::string_view caption) {
  if (png.empty()) return {};
  std::string data;
  base::append_base64(data, png);
  return fmt::format(
      "<figure><img width=\"{}\" height=\"{}\" alt=\"{}\" src=\"data:image/png;base64,{}\"><figcaption>{}</figcaption>"
      "</figure>\n",
      of.width, of.height, caption, data, caption);
}

std::string overview(const TexelReport& report) {
  std::string text =
      "<table><tr><th>image</th><th>format</th><th>extent</th><th>levels read</th><th>texels read</th>"
      "<th>read before written</th><th>uploaded</th><th>never read</th></tr>\n";
  for (const TexelReport::Plane& plane : report.planes) {
    const PlaneRecord& r = *plane.record;
    const LevelSummary sum = plane.summary.sum();
    text += fmt::format(
        "<tr><td><a href=\"#{}\">{}</a></td><td>{}</td><td>{} × {} × {}, {} levels, {} layers</td><td>{}</td>"
        "<td>{} of {}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
        plane.file, title_of(r), r.format, r.extent[0], r.extent[1], r.extent[2], r.shape.levels.size(), r.layers,
        levels_text(plane.summary.whole), sum.texels_read, sum.texels, sum.texels_early, bytes_text(sum.bytes_uploaded),
        bytes_text(sum.bytes_unread));
  }
  return text + "</table>\n";
}

std::string uses_table(const TexelReport::Plane& plane) {
  std::string text = "<table><tr><th>use</th><th>count</th><th>map</th></tr>\n";
  for (std::size_t k = 0; k < kTexelUses; ++k) {
    if (plane.summary.whole.counts[k] == 0) continue;
    const auto map = plane.maps.find(k);
    const std::string link =
        map == plane.maps.end() ? "-" : fmt::format("<a href=\"{0}\">{0}</a>", escaped(map->second));
    text += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td></tr>\n", kTexelUseRows[k].words,
                        plane.summary.whole.counts[k], link);
  }
  return text + "</table>\n";
}

std::string samplers_list(const TexelReport& report, const PlaneRecord& record) {
  std::uint64_t all = 0;
  for (const auto& [number, samples] : record.samplers) all += samples;
  std::string text;
  for (const auto& [number, samples] : record.samplers) {
    if (samples == 0) continue;
    const SamplerRecord& s = report.samplers[number];
    text += fmt::format("<p>{:.1f} % of {} samples by {}: magnified {}, minified {}, levels {}, {} by {}</p>\n",
                        100.0 * static_cast<double>(samples) / static_cast<double>(all), all,
                        s.name.empty() ? fmt::format("sampler {}", number) : escaped(s.name), s.mag, s.min, s.mip,
                        s.address[0], s.address[1]);
  }
  return text;
}

std::string image_section(const TexelReport& report, const TexelReport::Plane& plane, bool with_pictures) {
  std::string text = fmt::format("<h2 id=\"{}\">{}</h2>\n{}", plane.file, title_of(*plane.record), uses_table(plane));
  text += samplers_list(report, *plane.record);
  if (!with_pictures) return text + "<p>The page is full: the maps are in the files alone.</p>\n";
  for (const MapPictures& p : draw_pictures(*plane.record, kMaxLayers)) {
    const std::string layer = plane.record->layers > 1 || plane.record->shape.volume
                                  ? fmt::format("{} {}: ", plane.record->shape.volume ? "slice" : "layer", p.layer)
                                  : "";
    text += picture(p.reads, p, layer + "reads by shaders, each doubling a step of color");
    text += picture(p.fate, p, layer + "what became of each texel");
  }
  return text;
}

std::string units_table(const TexelReport& report) {
  if (report.units.empty()) return {};
  const bool by_draw = report.by_draw, submissions = report.frames == TexelSession::Frames::Submissions;
  std::string text = fmt::format(
      "<h2>{}</h2>\n<table><tr><th>{}</th><th>image</th><th>levels read</th><th>texels "
      "read</th><th>texels written</th></tr>\n",
      by_draw       ? "Commands"
      : submissions ? "Submissions"
                    : "Frames",
      by_draw       ? "command"
      : submissions ? "submission"
                    : "frame");
  std::size_t rows = 0;
  for (const TexelUnit& unit : report.units)
    for (const PlaneUse& use : unit.planes) {
      if (++rows > kMaxUnits) continue;
      const std::string name = unit.command == 0
                                   ? std::to_string(unit.frame) + (unit.id ? fmt::format(" (id {})", *unit.id) : "")
                                   : fmt::format("{}.{} {}", unit.frame, unit.command, escaped(unit.name));
      text += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", name,
                          title_of(*use.record), levels_text(use), use.texels_read, use.texels_written);
    }
  text += "</table>\n";
  if (rows > kMaxUnits) text += fmt::format("<p>{} more rows are in texels.json.</p>\n", rows - kMaxUnits);
  return text;
}

}  // namespace

std::string page_text(const TexelReport& report) {
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src "
      "'sha256-{}'; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{} - texels - Heddle</title>\n<style>{}</style>\n</head>\n<body>\n<h1>Texels of {}</h1>\n"
      "<p>In the second picture of each image: <b class=\"k r\"></b> read by shaders, <b class=\"k u\"></b> uploaded "
      "and "
      "never read by them, <b class=\"k e\"></b> read before anybody wrote it, <b class=\"k w\"></b> written "
      "otherwise, "
      "<b class=\"k n\"></b> never touched. Levels stand beside the first one. <a href=\"texels.json\">texels.json</a> "
      "has all numbers.</p>\n",
      kStyleHash, escaped(report.program), kStyle, escaped(report.program));
  page += overview(report);
  for (const TexelReport::Plane& plane : report.planes) page += image_section(report, plane, page.size() < kMaxBytes);
  return page + units_table(report) + "</body>\n</html>\n";
}

}  // namespace heddle::vulkan
