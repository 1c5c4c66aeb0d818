// SPDX-License-Identifier: MIT
// Radiance pictures: RGBE and XYZE, flat or in runs of the old and the new form, in any of the eight orientations.

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>

#include "base/byte_cursor.hpp"
#include "image/files/photo/photo.hpp"

namespace heddle::image {
namespace {

using Pixel = std::array<std::uint8_t, 4>;  // three mantissas and their exponent

constexpr std::size_t kMaxHeader = std::size_t{1} << 16;
constexpr std::size_t kMinRuns = 8, kMaxRuns = 32767;  // pixels of a scan line in runs of the new form

/// The resolution string: scan lines run along the second axis, and follow each other along the first.
struct Axes {
  std::uint32_t lines = 0, length = 0;
  bool columns = false;                                  ///< scan lines are columns: the first axis is X
  bool lines_backward = false, pixels_backward = false;  ///< from the bottom up, or from the right
};

/// The next word of a line.
std::string_view next_word(std::string_view& line) {
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t end = std::min(line.find(' ', begin), line.size());
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

std::optional<Axes> read_resolution(std::string_view line) {
  std::string_view axis[2];
  std::uint32_t size[2] = {};
  for (int i = 0; i < 2; ++i) {
    axis[i] = next_word(line);
    const std::string_view number = next_word(line);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), size[i]);
    if (axis[i].size() != 2 || (axis[i][0] != '-' && axis[i][0] != '+') || (axis[i][1] != 'X' && axis[i][1] != 'Y') ||
        error != std::errc() || end != number.data() + number.size())
      return std::nullopt;
  }
  if (axis[0][1] == axis[1][1] || !next_word(line).empty()) return std::nullopt;
  // X goes to the right, Y goes up: a picture from the top down and from the left is "-Y H +X W".
  const auto backward = [](std::string_view name) { return (name[0] == '-') == (name[1] == 'X'); };
  return Axes{size[0], size[1], axis[0][1] == 'X', backward(axis[0]), backward(axis[1])};
}

/// IMF-6.
float value_of(std::uint8_t mantissa, std::uint8_t exponent) {
  return exponent == 0 ? 0.0f : std::ldexp(static_cast<float>(mantissa), int{exponent} - (128 + 8));
}

struct Primary {
  double x, y;
};
/// IMF-7: the colors of Radiance's red, green, blue and white.
constexpr Primary kRed{0.640, 0.330}, kGreen{0.290, 0.600}, kBlue{0.150, 0.060}, kWhite{1.0 / 3, 1.0 / 3};

using Matrix = std::array<std::array<double, 3>, 3>;

Matrix inverse(const Matrix& m) {
  const auto minor = [&](std::size_t r, std::size_t c) {
    const std::size_t r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
    return m[r1][c1] * m[r2][c2] - m[r1][c2] * m[r2][c1];
  };
  const double whole = m[0][0] * minor(0, 0) + m[0][1] * minor(0, 1) + m[0][2] * minor(0, 2);
  Matrix result{};
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 3; ++c) result[r][c] = minor(c, r) / whole;
  return result;
}

/// From X, Y, Z to R, G, B: white is R = G = B = Y.
Matrix rgb_of_xyz() {
  Matrix primaries{};
  const Primary all[] = {kRed, kGreen, kBlue};
  for (std::size_t c = 0; c < 3; ++c) {
    primaries[0][c] = all[c].x / all[c].y;
    primaries[1][c] = 1;
    primaries[2][c] = (1 - all[c].x - all[c].y) / all[c].y;
  }
  Matrix result = inverse(primaries);
  const double white[] = {kWhite.x / kWhite.y, 1, (1 - kWhite.x - kWhite.y) / kWhite.y};
  for (std::size_t r = 0; r < 3; ++r) {
    const double scale = result[r][0] * white[0] + result[r][1] * white[1] + result[r][2] * white[2];
    for (double& value : result[r]) value /= scale;
  }
  return result;
}

class Decoder {
 public:
  Decoder(Bytes bytes, const std::string& name, base::Diagnostics* notes) : bytes_(bytes), name_(name), notes_(notes) {}

  base::Result<Surface> run(const base::Limits& limits) {
    if (const auto read = read_header(); !read.ok()) return read.failure();
    const std::size_t sizes_at = at_;
    const std::string_view line = next_line();
    const auto axes = read_resolution(line);
    if (!axes || axes->lines == 0 || axes->length == 0)
      return fail(fmt::format("'{}' is no resolution such as '-Y 480 +X 640'", line.substr(0, 40)), sizes_at);
    axes_ = *axes;
    // Runs make the shortest scan lines: a pixel and its repetitions, or four runs behind a mark.
    const std::uint64_t least = axes_.length == 1 ? 4 : 8;
    if ((bytes_.size() - at_) / least < axes_.lines)
      return fail(fmt::format("{} scan lines do not fit in the {} bytes that follow", axes_.lines, bytes_.size() - at_),
                  sizes_at);
    Surface surface;
    surface.width = axes_.columns ? axes_.lines : axes_.length;
    surface.height = axes_.columns ? axes_.length : axes_.lines;
    surface.format = Format::R32G32B32A32_FLOAT;
    auto allocated = allocate_for_file(std::move(surface), name_, sizes_at, limits);
    if (!allocated.ok()) return allocated;
    if (xyz_) matrix_ = rgb_of_xyz();
    std::vector<Pixel> scan(axes_.length);
    for (std::uint32_t l = 0; l < axes_.lines; ++l) {
      if (const auto read = read_scan_line(scan); !read.ok()) return read.failure();
      put(*allocated, l, scan);
    }
    return allocated;
  }

 private:
  base::Diagnostic fail(std::string_view why, std::uint64_t at) const { return broken(FileKind::Hdr, why, name_, at); }
  base::Diagnostic ends() const { return fail("the file ends within its scan lines", at_); }
  void note(std::string message, std::uint64_t at) const {
    say_of(notes_, FileKind::Hdr, std::move(message), name_, at);
  }

  std::string_view next_line() {
    const std::string_view text = base::as_text(bytes_).substr(at_);
    const std::size_t end = std::min(text.find('\n'), text.size());
    at_ += std::min(end + 1, text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  base::Result<base::Done> read_header() {
    bool format = false;
    next_line();  // "#?RADIANCE", "#?RGBE" ...
    for (;;) {
      const std::size_t line_at = at_;
      if (at_ >= std::min(bytes_.size(), kMaxHeader)) return fail("its header has no end", at_);
      const std::string_view line = next_line();
      if (line.empty()) break;
      if (line.starts_with("FORMAT=")) {
        const std::string_view value = line.substr(7);
        xyz_ = value == "32-bit_rle_xyze";
        format = xyz_ || value == "32-bit_rle_rgbe";
        if (!format)
          return fail(fmt::format("its format '{}' is none of 32-bit_rle_rgbe, 32-bit_rle_xyze", value.substr(0, 40)),
                      line_at);
        if (xyz_) note("its colors are XYZ: they are read as RGB with Radiance's primaries", line_at);
      } else if (line.starts_with("EXPOSURE=") || line.starts_with("COLORCORR=")) {
        note(fmt::format("{}: texels have the values of the file, which the factor was put into", line.substr(0, 60)),
             line_at);
      } else if (line.starts_with("PRIMARIES=")) {
        note(fmt::format("{}: the colors are not converted", line.substr(0, 80)), line_at);
      }
    }
    if (!format) note("its header has no FORMAT: the texels are read as RGBE", 0);
    return base::Done{};
  }

  base::Result<base::Done> read_scan_line(std::vector<Pixel>& scan) {
    const std::size_t left = bytes_.size() - at_;
    if (left < 4) return ends();
    const std::uint8_t* mark = bytes_.data() + at_;
    const bool runs =
        scan.size() >= kMinRuns && scan.size() <= kMaxRuns && mark[0] == 2 && mark[1] == 2 && mark[2] < 128;
    return runs ? read_runs(scan) : read_flat(scan);
  }

  /// Each of the four bytes of all pixels in runs of its own.
  base::Result<base::Done> read_runs(std::vector<Pixel>& scan) {
    const std::size_t length = std::size_t{bytes_[at_ + 2]} << 8 | bytes_[at_ + 3];
    if (length != scan.size())
      return fail(fmt::format("a scan line of {} pixels in a picture of {}", length, scan.size()), at_);
    at_ += 4;
    for (std::size_t channel = 0; channel < 4; ++channel)
      for (std::size_t x = 0; x < length;) {
        const std::size_t run_at = at_;
        if (bytes_.size() - at_ < 2) return ends();
        const std::uint8_t code = bytes_[at_++];
        const bool same = code > 128;
        const std::size_t count = same ? code - 128u : code;
        if (count == 0 || count > length - x)
          return fail(fmt::format("a run of {} pixels where {} are left", count, length - x), run_at);
        const std::size_t bytes = same ? 1 : count;
        if (bytes_.size() - at_ < bytes) return ends();
        for (std::size_t i = 0; i < count; ++i) scan[x++][channel] = bytes_[at_ + (same ? 0 : i)];
        at_ += bytes;
      }
    return base::Done{};
  }

  /// Pixel after pixel; (1, 1, 1, n) repeats the one before, and more of them side by side make a larger number.
  base::Result<base::Done> read_flat(std::vector<Pixel>& scan) {
    unsigned shift = 0;
    for (std::size_t x = 0; x < scan.size();) {
      if (bytes_.size() - at_ < 4) return ends();
      Pixel pixel;
      std::memcpy(pixel.data(), bytes_.data() + at_, 4);
      if (pixel[0] != 1 || pixel[1] != 1 || pixel[2] != 1) {
        scan[x++] = pixel;
        shift = 0;
      } else {
        const std::uint64_t count = shift > 24 ? ~std::uint64_t{0} : std::uint64_t{pixel[3]} << shift;
        if (x == 0 || count > scan.size() - x)
          return fail(x == 0 ? std::string("a scan line begins with a repetition")
                             : fmt::format("{} repetitions where {} pixels are left", count, scan.size() - x),
                      at_);
        for (std::uint64_t i = 0; i < count; ++i, ++x) scan[x] = scan[x - 1];
        shift += 8;
      }
      at_ += 4;
    }
    return base::Done{};
  }

  void put(Surface& surface, std::uint32_t line, const std::vector<Pixel>& scan) const {
    for (std::uint32_t i = 0; i < axes_.length; ++i) {
      const std::uint32_t along = axes_.pixels_backward ? axes_.length - 1 - i : i;
      const std::uint32_t across = axes_.lines_backward ? axes_.lines - 1 - line : line;
      const std::uint32_t x = axes_.columns ? across : along, y = axes_.columns ? along : across;
      float rgba[4] = {0, 0, 0, 1};
      for (std::size_t c = 0; c < 3; ++c) rgba[c] = value_of(scan[i][c], scan[i][3]);
      if (xyz_) {
        const double xyz[] = {rgba[0], rgba[1], rgba[2]};
        for (std::size_t c = 0; c < 3; ++c)
          rgba[c] = static_cast<float>(matrix_[c][0] * xyz[0] + matrix_[c][1] * xyz[1] + matrix_[c][2] * xyz[2]);
      }
      std::memcpy(surface.memory->data() + (std::size_t{y} * surface.width + x) * sizeof rgba, rgba, sizeof rgba);
    }
  }

  Bytes bytes_;
  const std::string& name_;
  base::Diagnostics* notes_;
  std::size_t at_ = 0;
  Axes axes_;
  bool xyz_ = false;
  Matrix matrix_{};
};

}  // namespace

base::Result<Surface> decode_hdr(Bytes bytes, const std::string& name, const base::Limits& limits,
                                 base::Diagnostics* notes) {
  return Decoder(bytes, name, notes).run(limits);
}

}  // namespace heddle::image
