// SPDX-License-Identifier: MIT
// The row functions of every instruction set that the machine has, with the same bytes. Rules: TRF-9, TRF-11, TRF-15.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "pipeline/transfer/row_format.hpp"

using namespace heddle::pipeline::transfer;
using heddle::texture::simd::InstructionSet;

namespace {

constexpr std::size_t kMax = 40;

/// What every kernel makes of one row of a format.
std::vector<std::vector<std::uint8_t>> results(const RowFunctions& kernels, const RowAccess& access,
                                               const std::vector<std::uint8_t>& row, std::size_t count) {
  const RowFormat& f = access.format;
  std::vector<std::vector<std::uint8_t>> all;
  const auto keep = [&](const void* from, std::size_t bytes) {
    const auto* first = static_cast<const std::uint8_t*>(from);
    all.emplace_back(first, first + bytes);
  };
  std::vector<std::uint32_t> texels(4 * (kMax + kRowPadding));
  kernels.decode(f, row.data(), count, texels.data());
  keep(texels.data(), 16 * count);
  std::vector<float> first(texels.size()), second(texels.size());
  std::memcpy(first.data(), texels.data(), 4 * texels.size());
  std::vector<std::uint32_t> near(kMax + kRowPadding), far(near.size());
  std::vector<float> weight(near.size());
  for (std::size_t i = 0; i < count; ++i) {
    near[i] = static_cast<std::uint32_t>(i * 7 % count);
    far[i] = static_cast<std::uint32_t>(i * 5 % count);
    weight[i] = static_cast<float>(i % 4) * 0.3f;
  }
  if (!f.integer) {
    kernels.across(first.data(), {near.data(), far.data(), weight.data()}, count, second.data());
    keep(second.data(), 16 * count);
    std::vector<float> third(texels.size());
    kernels.between(first.data(), second.data(), 0.3f, count, third.data());
    keep(third.data(), 16 * count);
    kernels.halve(f, row.data(), count / 2, third.data());
    keep(third.data(), 16 * (count / 2));
  }
  if (!access.writes) return all;
  std::vector<std::uint8_t> elements(16 * kMax);
  kernels.encode(f, texels.data(), count, elements.data());
  keep(elements.data(), f.bytes * count);
  kernels.convert(f, f, row.data(), count, elements.data());
  keep(elements.data(), f.bytes * count);
  const std::uint8_t* samples[2] = {row.data(), row.data() + f.bytes * (kMax - count)};
  for (const ResolveMode mode : {ResolveMode::Average, ResolveMode::Minimum, ResolveMode::Maximum}) {
    if (f.integer && mode == ResolveMode::Average) continue;
    kernels.resolve(f, samples, 2, mode, count, elements.data());
    keep(elements.data(), f.bytes * count);
  }
  return all;
}

TEST(TransferRows, EveryInstructionSetHasTheSameBytes) {
  const auto best = heddle::texture::simd::best_instruction_set();
  std::mt19937 random(11);
  unsigned formats = 0;
  for (const heddle::image::FormatInfo& format : heddle::image::all_formats()) {
    const RowAccess access = row_access(format);
    if (!access.reads) continue;
    ++formats;
    for (const std::size_t count : {1u, 7u, 16u, 39u}) {
      std::vector<std::uint8_t> row(kMax * 16);
      for (std::uint8_t& byte : row) byte = static_cast<std::uint8_t>(random());
      const auto expected = results(row_functions(InstructionSet::Baseline), access, row, count);
      if (best != InstructionSet::Baseline)
        EXPECT_EQ(results(row_functions(InstructionSet::V3), access, row, count), expected)
            << format.name << " " << count;
      if (best == InstructionSet::V4)
        EXPECT_EQ(results(row_functions(InstructionSet::V4), access, row, count), expected)
            << format.name << " " << count;
    }
  }
  EXPECT_GT(formats, 100u);
}

}  // namespace
