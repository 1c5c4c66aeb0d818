// SPDX-License-Identifier: MIT
// Bilinear samples at a million coordinates, through the public library: every format, address mode and size beside the
// quickest of them. Best of several rounds, in which the columns take turns.
#include "heddle/arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "support/measure.hpp"

namespace heddle::bench {
namespace {

constexpr std::size_t kCount = 1'000'000;
constexpr double kWanted = 1.5;  ///< times the quickest

struct Column {
  const char* name;
  std::uint32_t width, height;
  const char* mode;   ///< of Sampler::parse()
  float least, most;  ///< of the coordinates
};
constexpr std::array<Column, 6> kSmall = {{{"clamp, 64 x 64", 64, 64, "clamp_to_edge", 0, 1},
                                           {"repeat, 64 x 48", 64, 48, "repeat", 0, 1},
                                           {"repeat, -2 to 3", 64, 48, "repeat", -2, 3},
                                           {"mirror, -2 to 3", 64, 48, "mirrored_repeat", -2, 3},
                                           {"border, -0.5 to 1.5", 64, 48, "clamp_to_border", -0.5f, 1.5f},
                                           {"repeat, 5 x 3", 5, 3, "repeat", 0, 1}}};
constexpr std::array<Column, 3> kLarge = {{{"clamp, 1024 x 1024", 1024, 1024, "clamp_to_edge", 0, 1},
                                           {"repeat, 1000 x 1000", 1000, 1000, "repeat", 0, 1},
                                           {"mirror, -2 to 3", 1000, 1000, "mirrored_repeat", -2, 3}}};
constexpr std::array kFormats = {"R8G8B8A8_UNORM",     "B8G8R8A8_UNORM",  "R8G8B8A8_UNORM_SRGB", "R8G8B8A8_SNORM",
                                 "R10G10B10A2_UNORM",  "R11G11B10_FLOAT", "R9G9B9E5_SHAREDEXP",  "R8_UNORM",
                                 "R8G8_UNORM",         "B5G6R5_UNORM",    "R16_UNORM",           "R16_FLOAT",
                                 "R16G16_UNORM",       "R16G16_FLOAT",    "R32_FLOAT",           "R16G16B16A16_UNORM",
                                 "R16G16B16A16_FLOAT", "R32G32_FLOAT",    "R32G32B32A32_FLOAT",  "BC1_UNORM",
                                 "BC7_UNORM"};

std::vector<float> coordinates(const Column& column, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> real(column.least, column.most);
  std::vector<float> values(kCount);
  for (float& x : values) x = real(random);
  return values;
}

/// Nothing where the library has no such format.
std::optional<ArrayOperation> operation(const char* format, const Column& column) {
  auto image = Image::create({.format = format, .width = column.width, .height = column.height});
  if (!image.ok()) return std::nullopt;
  std::mt19937 random(3);
  std::vector<std::uint8_t> bytes(image->packed().size());
  // Numbers below 1, whatever the format's are.
  for (std::size_t k = 0; k < bytes.size(); ++k) bytes[k] = static_cast<std::uint8_t>(random() % 0x3c);
  if (!image->set_packed(bytes).ok()) return std::nullopt;
  const auto sampler = Sampler::parse(std::string("linear,") + column.mode);
  if (!sampler.ok()) return std::nullopt;
  ArrayOperationOptions options;
  options.name = "sample_l";
  options.parameters = {"u", "v"};
  auto prepared = ArrayOperation::prepare(*image, *sampler, options);
  if (!prepared.ok()) return std::nullopt;
  return *prepared;
}

double seconds_of(const ArrayOperation& operation, const std::vector<float>& u, const std::vector<float>& v,
                  std::vector<float>& out) {
  const std::array<ArrayInput, 2> inputs{{{u.data()}, {v.data()}}};
  ArrayOutput output;
  for (std::size_t c = 0; c < 4; ++c) output.channels[c] = &out[c];
  const auto began = std::chrono::steady_clock::now();
  if (!operation.run(kCount, inputs, output).ok()) std::exit(1);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

template <std::size_t N>
void add_table(Section& section, const std::array<Column, N>& columns, unsigned rounds, const std::string& filter) {
  std::vector<std::vector<std::string>> rows{{"format"}};
  for (const Column& column : columns) rows[0].emplace_back(column.name);
  rows[0].emplace_back("slowest / quickest way");
  std::array<std::array<std::vector<float>, 2>, N> places;
  for (std::size_t k = 0; k < N; ++k) places[k] = {coordinates(columns[k], 1), coordinates(columns[k], 2)};
  std::vector<float> out(4 * kCount);
  double quickest = 0;  // of the first format and column
  for (const char* format : kFormats) {
    if (std::string(format).find(filter) == std::string::npos && quickest != 0) continue;
    std::array<double, N> best;
    best.fill(1e9);
    std::vector<std::optional<ArrayOperation>> operations;
    for (const Column& column : columns) operations.push_back(operation(format, column));
    for (unsigned round = 0; round <= rounds; ++round)
      for (std::size_t k = 0; k < N; ++k)
        if (operations[k]) best[k] = std::min(best[k], seconds_of(*operations[k], places[k][0], places[k][1], out));
    if (quickest == 0) quickest = best[0];
    std::vector<std::string>& row = rows.emplace_back();
    row.emplace_back(format);
    for (const double each : best) row.push_back(each < 1e9 ? fmt::format("{:.2f} ns", each / kCount * 1e9) : "-");
    row.push_back(fmt::format("{:.2f}", *std::ranges::max_element(best) / quickest));
  }
  section.table(rows);
}

}  // namespace
}  // namespace heddle::bench

int main(int argc, char** argv) {
  using namespace heddle::bench;
  const Options options = parse_options(argc, argv, {"--rounds N", "--filter TEXT"});
  unsigned rounds = 7;
  std::string filter;
  for (std::size_t k = 0; k + 1 < options.rest.size(); k += 2) {
    if (options.rest[k] == "--rounds")
      rounds = static_cast<unsigned>(std::max(1, std::atoi(options.rest[k + 1].c_str())));
    if (options.rest[k] == "--filter") filter = options.rest[k + 1];
  }
  Section section("Arrays of coordinates");
  section.paragraph(fmt::format(
      "Bilinear samples at {} coordinates at random, one thread, through the C++ library (`heddle/arrays.hpp`; "
      "Python's "
      "arrays take the same way): time of an element, best of {} rounds. Wanted: at most {} times the quickest way, "
      "which is {} that clamps.",
      kCount, rounds, kWanted, kFormats[0]));
  section.heading("Images that the first caches hold");
  add_table(section, kSmall, rounds, filter);
  section.heading("Larger ones");
  add_table(section, kLarge, rounds, filter);
  return section.finish(options.markdown) ? 0 : 1;
}
