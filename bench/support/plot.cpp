// SPDX-License-Identifier: MIT
#include "support/plot.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::bench {
namespace {

constexpr double kMinLeft = 250, kLetter = 6.4, kBars = 550, kRight = 60, kTop = 84, kRow = 28, kBar = 11;
constexpr const char* kFirst = "#2f6f9f";
constexpr const char* kSecond = "#a9c8dd";
constexpr const char* kMark = "#c8452f";

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

}  // namespace

std::string plot_bars(const std::vector<Bar>& bars, const std::string& title, const std::string& first,
                      const std::string& second) {
  double most = 3, left = kMinLeft;
  for (const Bar& b : bars) left = std::max(left, 16 + kLetter * static_cast<double>(b.name.size()));
  const double width = left + kBars + kRight;
  for (const Bar& b : bars) most = std::max({most, std::min(std::max(b.ratio, b.second), 6.0), b.wanted});
  most = std::min(most * 1.02, 6.0);
  const double height = kTop + kRow * static_cast<double>(bars.size()) + 16, unit = kBars / most;
  const auto x = [&](double ratio) { return left + std::min(ratio, most) * unit; };
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\" font-size=\"12\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
      "<text x=\"16\" y=\"26\" font-size=\"16\" font-weight=\"bold\">{2}</text>\n",
      width, height, escaped(title));
  // What the colors mean.
  double at = 16;
  const auto key = [&](const char* color, double box, const std::string& text) {
    svg += fmt::format(
        "<rect x=\"{:.0f}\" y=\"42\" width=\"{:.0f}\" height=\"11\" fill=\"{}\"/>\n<text x=\"{:.0f}\" y=\"52\">{}"
        "</text>\n",
        at, box, color, at + box + 6, escaped(text));
    at += box + 26 + 6.6 * static_cast<double>(text.size());
  };
  key(kFirst, 18, first);
  key(kSecond, 18, second);
  key(kMark, 3, "wanted");
  for (unsigned k = 0; k <= static_cast<unsigned>(most); ++k)
    svg += fmt::format(
        "<line x1=\"{0:.1f}\" y1=\"{1:.0f}\" x2=\"{0:.1f}\" y2=\"{2:.0f}\" stroke=\"{3}\" stroke-width=\"{4}\"/>\n"
        "<text x=\"{0:.1f}\" y=\"{5:.0f}\" text-anchor=\"middle\" fill=\"#555555\">{6}</text>\n",
        x(k), kTop - 4, height - 12, k == 1 ? "#222222" : "#dddddd", k == 1 ? 1.6 : 1.0, kTop - 9, k);
  std::string numbers;
  for (std::size_t k = 0; k < bars.size(); ++k) {
    const Bar& b = bars[k];
    const double top = kTop + kRow * static_cast<double>(k);
    svg += fmt::format("<text x=\"{:.0f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", left - 8, top + kBar + 4,
                       escaped(b.name));
    const auto bar = [&](double ratio, double y, const char* color, double mark) {
      if (ratio <= 0) return;
      // The number stands behind the mark where it would lie on it.
      const double end = x(ratio), behind = mark > end - 2 && mark < end + 36 ? mark : end;
      svg += fmt::format("<rect x=\"{:.0f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\"/>\n", left, y,
                         end - left, kBar, color);
      numbers +=
          fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"10\">{:.2f}</text>\n", behind + 5, y + 9, ratio);
    };
    bar(b.ratio, top, kFirst, b.wanted > 0 ? x(b.wanted) : -1);
    bar(b.second, top + kBar, kSecond, -1);
    if (b.wanted > 0)
      svg += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"3\" height=\"{}\" fill=\"{}\"/>\n", x(b.wanted) - 1.5,
                         top - 1, kBar + 2, kMark);
  }
  svg += fmt::format(
      "<line x1=\"{0:.1f}\" y1=\"{1:.0f}\" x2=\"{0:.1f}\" y2=\"{2:.0f}\" stroke=\"#222222\" stroke-width=\"1.6\" "
      "stroke-dasharray=\"4 3\"/>\n",
      x(1), kTop - 4, height - 12);
  // Over everything, on a pale edge of its own.
  return svg + "<g fill=\"#333333\" stroke=\"#ffffff\" stroke-width=\"3\" paint-order=\"stroke\">\n" + numbers +
         "</g>\n</svg>\n";
}

}  // namespace heddle::bench
