// SPDX-License-Identifier: MIT
// heddle/arrays.hpp: the same bits as execute() for every operation, any strides, any count, any number of threads.
#include "heddle/arrays.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "library/ids.hpp"

namespace heddle {
namespace {

using test::id_of;

Image make_image(const char* format, ImageType type) {
  auto made = Image::create({.type = type,
                             .format = format,
                             .width = 16,
                             .height = type == ImageType::Dim1 ? 1u : 16u,
                             .depth = type == ImageType::Dim3 ? 4u : 1u});
  std::mt19937 random(5);
  std::vector<std::uint8_t> bytes = made->packed();
  for (auto& b : bytes) b = static_cast<std::uint8_t>(random() >> 9);
  if (std::string_view(format) == "R32_FLOAT")
    for (std::size_t k = 3; k < bytes.size(); k += 4) bytes[k] = 0x3e;  // finite
  (void)made->set_packed(bytes);
  const bool one_level = type == ImageType::Dim1 || std::string_view(format).starts_with("BC");
  return made->number_class() == NumberClass::Float && !one_level ? *made->with_mips() : *made;
}

std::uint32_t bits(float x) { return __builtin_bit_cast(std::uint32_t, x); }

/// Words of one parameter for 37 elements.
std::vector<std::uint32_t> words_of(std::string_view parameter, OperationKind family, std::mt19937& random) {
  std::vector<std::uint32_t> words(37);
  for (auto& w : words) {
    if (family == OperationKind::Load)
      w = random() % 18;
    else if (parameter.starts_with("off"))
      w = random() & 0x0f0fu;
    else
      w = bits(static_cast<float>(random() % 4096) / 2048 - 0.5f);
  }
  return words;
}

/// The operation on each 16 elements by execute().
std::vector<std::array<std::uint32_t, 4>> expected(const Image& image, const Sampler& sampler,
                                                   const OperationInfo& info,
                                                   const std::vector<std::vector<std::uint32_t>>& words,
                                                   std::size_t count) {
  std::vector<std::array<std::uint32_t, 4>> all(count);
  for (std::size_t first = 0; first < count; first += 16) {
    LaneOperation o;
    o.name = info.name;
    o.lanes = 16;
    o.active = count - first >= 16 ? 0xffffu : (1u << (count - first)) - 1;
    for (std::size_t p = 0; p < words.size(); ++p) {
      std::vector<std::uint32_t> lanes(16);
      for (std::size_t k = 0; k < 16 && first + k < count; ++k) lanes[k] = words[p][first + k];
      o.parameters.emplace_back(info.parameters[p], lanes);
    }
    const auto result = execute(image, sampler, o);
    EXPECT_TRUE(result.ok()) << info.name;
    for (std::size_t k = 0; result.ok() && k < 16 && first + k < count; ++k)
      for (std::size_t c = 0; c < 4; ++c) all[first + k][c] = result->channels[c][k];
  }
  return all;
}

TEST(Arrays, ComparisonsNeedASamplerThatCompares) {
  const Image image = make_image("R32_FLOAT", ImageType::Dim2);
  const auto warnings_of = [&](const char* sampler) {
    Diagnostics warnings;
    const ArrayOperationOptions options{
        .name = "sample_l_c", .parameters = {"u", "v", "lod", "ref"}, .warnings = &warnings};
    EXPECT_TRUE(ArrayOperation::prepare(image, *Sampler::parse(sampler), options).ok());
    return warnings;
  };
  EXPECT_TRUE(warnings_of("linear,compare_op=less").empty());
  const Diagnostics warnings = warnings_of("linear");
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].id, "bind-compare");
}

TEST(Arrays, EveryOperationHasTheBitsOfExecute) {
  const Sampler sampler = *Sampler::parse("linear,repeat,mip=linear,compare_op=less");
  std::mt19937 random(1);
  unsigned compared = 0;
  for (const auto& [format, type] : {std::pair{"R8G8B8A8_UNORM", ImageType::Dim2},
                                     {"R32_FLOAT", ImageType::Dim2},
                                     {"R8G8B8A8_UNORM", ImageType::Dim3},
                                     {"R8G8B8A8_UNORM", ImageType::Dim1}}) {
    const Image image = make_image(format, type);
    for (const OperationInfo& info : operations()) {
      ArrayOperationOptions options;
      options.name = info.name;
      for (const std::string_view p : info.parameters) options.parameters.emplace_back(p);
      std::vector<std::vector<std::uint32_t>> words;
      for (const std::string_view p : info.parameters) words.push_back(words_of(p, info.family, random));
      LaneOperation probe;
      probe.name = info.name;
      for (const std::string_view p : info.parameters) probe.parameters.emplace_back(p, std::vector<std::uint32_t>{0});
      const auto prepared = ArrayOperation::prepare(image, sampler, options);
      // What the rules refuse for this image is refused by both.
      ASSERT_EQ(prepared.ok(), execute(image, sampler, probe).ok()) << info.name << " " << format;
      if (!prepared.ok()) continue;
      std::vector<ArrayInput> inputs;
      for (const auto& w : words) inputs.push_back({w.data(), 4});
      std::vector<std::array<std::uint32_t, 4>> out(37);
      const ArrayOutput to{{&out[0][0], &out[0][1], &out[0][2], &out[0][3]}, 16};
      ASSERT_TRUE(prepared->run(37, inputs, to).ok()) << info.name;
      EXPECT_EQ(out, expected(image, sampler, info, words, 37)) << info.name << " " << format;
      ++compared;
    }
  }
  EXPECT_GT(compared, 100u);
}

TEST(Arrays, StridesCountsAndThreads) {
  const Image image = make_image("R8G8B8A8_UNORM", ImageType::Dim2);
  const auto operation = ArrayOperation::prepare(image, *Sampler::parse("linear,repeat"),
                                                 {.name = "sample_l", .parameters = {"lod", "u", "v"}});
  ASSERT_TRUE(operation.ok());
  EXPECT_TRUE(operation->is_fast());
  EXPECT_EQ(operation->number_class(), NumberClass::Float);
  std::mt19937 random(2);
  std::vector<std::array<float, 3>> points(20000);
  for (auto& p : points)
    for (auto& x : p) x = static_cast<float>(random() % 4096) / 1024;
  const float lod = 0.5f;
  const ArrayInput interleaved[] = {{&lod, 0}, {points[0].data(), 12}, {points[0].data() + 1, 12}};
  std::vector<float> one(points.size() * 4), many(points.size() * 4);
  const auto to = [](std::vector<float>& v) {
    return ArrayOutput{{v.data(), v.data() + 1, v.data() + 2, v.data() + 3}, 16};
  };
  ASSERT_TRUE(operation->run(points.size(), interleaved, to(one)).ok());
  ASSERT_TRUE(operation->run(points.size(), interleaved, to(many), 2).ok());
  EXPECT_EQ(one, many);
  // Planes, backwards, and one channel alone.
  std::vector<float> u(points.size()), v(points.size()), green(points.size());
  for (std::size_t k = 0; k < points.size(); ++k)
    u[points.size() - 1 - k] = points[k][0], v[points.size() - 1 - k] = points[k][1];
  const ArrayInput backwards[] = {{&lod, 0}, {u.data() + u.size() - 1, -4}, {v.data() + v.size() - 1, -4}};
  ASSERT_TRUE(operation->run(points.size(), backwards, {{nullptr, green.data(), nullptr, nullptr}, 4}).ok());
  for (std::size_t k = 0; k < points.size(); ++k) ASSERT_EQ(green[k], one[4 * k + 1]) << k;
  // Every short count; what lies behind is not touched.
  for (std::size_t count = 0; count < 40; ++count) {
    std::vector<float> few(164, -1);
    ASSERT_TRUE(operation->run(count, interleaved, to(few)).ok());
    EXPECT_TRUE(std::equal(few.begin(), few.begin() + static_cast<std::ptrdiff_t>(4 * count), one.begin()));
    EXPECT_TRUE(
        std::all_of(few.begin() + static_cast<std::ptrdiff_t>(4 * count), few.end(), [](float f) { return f == -1; }));
  }
}

// Texels of blocks are decoded for a long array, each time: they may have changed. Blocks at the edges are partly
// there.
class ArraysOfBlocks : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Formats, ArraysOfBlocks, ::testing::Values("BC1_UNORM", "BC7_UNORM", "ASTC_LDR_2D_5X4_FLT16"));
TEST_P(ArraysOfBlocks, AreThoseOfTheirRun) {
  Image image = *Image::create({.format = GetParam(), .width = 21, .height = 13});
  std::mt19937 random(6);
  const auto fill = [&] {
    std::vector<std::uint8_t> bytes = image.packed();
    for (auto& b : bytes) b = static_cast<std::uint8_t>(random() >> 9);
    return image.set_packed(bytes).ok();
  };
  ASSERT_TRUE(fill());
  const auto operation =
      ArrayOperation::prepare(image, *Sampler::parse("linear,repeat"), {.name = "sample_lz", .parameters = {"u", "v"}});
  ASSERT_TRUE(operation.ok());
  constexpr std::size_t kCount = 1000, kFew = 50;  // messages
  std::vector<float> u(kCount), v(kCount);
  for (auto* words : {&u, &v})
    for (float& x : *words) x = static_cast<float>(random() % 5000) / 4096 - 0.1f;
  std::vector<float> before;
  for (int time = 0; time < 2; ++time) {
    std::vector<float> all(4 * kCount), parts(4 * kCount);
    const auto run = [&](std::vector<float>& out, std::size_t first, std::size_t count, unsigned threads) {
      const ArrayInput inputs[] = {{&u[first]}, {&v[first]}};
      float* to = &out[4 * first];
      return operation->run(count, inputs, ArrayOutput{{to, to + 1, to + 2, to + 3}, 16}, threads).ok();
    };
    ASSERT_TRUE(run(all, 0, kCount, 1 + static_cast<unsigned>(time)));
    for (std::size_t first = 0; first < kCount; first += kFew) ASSERT_TRUE(run(parts, first, kFew, 1));
    ASSERT_EQ(std::memcmp(all.data(), parts.data(), all.size() * sizeof(float)), 0) << time;
    EXPECT_NE(all, before);
    before = all;
    ASSERT_TRUE(fill());
  }
}

// Long arrays of bilinear samples have kernels of their own; wherever coordinates and results lie, the bits are those
// of messages, which arrays of fewer than 64 elements are.
TEST(Arrays, LongOnesAreThoseOfMessages) {
  for (const char* format : {"R8G8B8A8_UNORM", "R32_FLOAT", "R8_UNORM", "R16G16B16A16_UNORM", "BC1_UNORM_SRGB"}) {
    const auto operation =
        ArrayOperation::prepare(make_image(format, ImageType::Dim2), *Sampler::parse("linear,clamp_to_edge"),
                                {.name = "sample_lz", .parameters = {"u", "v"}, .residency = true});
    ASSERT_TRUE(operation.ok());
    constexpr std::size_t kCount = 9001;
    std::mt19937 random(4);
    std::vector<float> u(kCount), v(kCount);
    for (auto* words : {&u, &v})
      for (float& x : *words) x = static_cast<float>(random() % 5000) / 4096 - 0.1f;
    const auto from = [](void* first, std::ptrdiff_t stride = 16) {
      auto* bytes = static_cast<std::uint8_t*>(first);
      return ArrayOutput{{bytes, bytes + 4, bytes + 8, bytes + 12}, stride};
    };
    std::vector<float> expected(4 * kCount);
    for (std::size_t first = 0; first < kCount; first += 63) {
      const ArrayInput part[] = {{&u[first]}, {&v[first]}};
      ASSERT_TRUE(operation->run(std::min<std::size_t>(63, kCount - first), part, from(&expected[4 * first])).ok());
    }
    const ArrayInput inputs[] = {{u.data()}, {v.data()}};
    std::vector<float> found(4 * kCount);
    std::vector<std::uint8_t> there(kCount + 1, 7);
    ArrayOutput output = from(found.data());
    output.residency = there.data();
    ASSERT_TRUE(operation->run(kCount, inputs, output).ok());
    EXPECT_EQ(found, expected);
    EXPECT_EQ(std::ranges::count(there, 1), static_cast<std::ptrdiff_t>(kCount));
    EXPECT_EQ(there.back(), 7);
    // Results over the coordinates.
    for (std::size_t k = 0; k < kCount; ++k) found[4 * k] = u[k], found[4 * k + 1] = v[k];
    const ArrayInput same[] = {{found.data(), 16}, {found.data() + 1, 16}};
    ASSERT_TRUE(operation->run(kCount, same, from(found.data())).ok());
    EXPECT_EQ(found, expected);
    // One coordinate for all; words at any byte; results with gaps.
    std::vector<std::uint8_t> bytes(4 * kCount + 1), odd(16 * kCount + 1);
    std::memcpy(&bytes[1], v.data(), 4 * kCount);
    const ArrayInput row[] = {{&u[5], 0}, {&bytes[1], 4}};
    const ArrayInput plain[] = {{&u[5], 0}, {v.data(), 4}};
    ASSERT_TRUE(operation->run(kCount, row, from(&odd[1])).ok());
    ASSERT_TRUE(operation->run(kCount, plain, from(found.data())).ok());
    EXPECT_EQ(std::memcmp(&odd[1], found.data(), 16 * kCount), 0);
    EXPECT_EQ(found[20], expected[20]);
    std::vector<float> gaps(5 * kCount, 3);
    ASSERT_TRUE(operation->run(kCount, inputs, from(gaps.data(), 20)).ok());
    for (std::size_t k = 0; k < kCount; ++k) {
      ASSERT_EQ(std::memcmp(&gaps[5 * k], &expected[4 * k], 16), 0) << k;
      ASSERT_EQ(gaps[5 * k + 4], 3) << k;
    }
  }
}

TEST(Arrays, ResidencyAndLiveTexels) {
  const Image image = make_image("R32_FLOAT", ImageType::Dim2);
  const auto operation =
      ArrayOperation::prepare(image, Sampler(), {.name = "sample_lz", .parameters = {"u", "v"}, .residency = true});
  ASSERT_TRUE(operation.ok());
  const float at = 0.5f;
  const ArrayInput inputs[] = {{&at, 0}, {&at, 0}};
  float red = 0;
  std::uint8_t there = 9;
  const ArrayOutput output{{&red, nullptr, nullptr, nullptr}, 4, &there};
  ASSERT_TRUE(operation->run(1, inputs, output).ok());
  EXPECT_EQ(there, 1);
  Image same = image;
  same.set_texel({.x = 8, .y = 8}, {42, 0, 0, 1});
  ASSERT_TRUE(operation->run(1, inputs, output).ok());
  EXPECT_EQ(red, 42.0f);
}

TEST(Arrays, WrongArguments) {
  const Image image = make_image("R8G8B8A8_UNORM", ImageType::Dim2);
  const Sampler sampler;
  EXPECT_EQ(id_of(ArrayOperation::prepare({}, sampler, {.name = "sample_l"})), "usage-argument");
  const auto unknown = ArrayOperation::prepare(image, sampler, {.name = "sample_x"});
  EXPECT_EQ(id_of(unknown), "usage-argument");
  EXPECT_FALSE(unknown.diagnostics().front().notes.empty());
  EXPECT_EQ(id_of(ArrayOperation::prepare(image, sampler, {.name = "sample_l", .parameters = {"dudx"}})),
            "usage-argument");
  EXPECT_EQ(id_of(ArrayOperation::prepare(image, sampler, {.name = "sample_l", .parameters = {"u", "u"}})),
            "usage-argument");
  EXPECT_EQ(id_of(ArrayOperation::prepare(image, sampler, {.name = "gather4", .channel = 4})), "usage-argument");
  EXPECT_EQ(id_of(ArrayOperation::prepare(image, sampler, {.name = "sample_l", .platform = "none"})), "usage-argument");
  const auto good = ArrayOperation::prepare(image, sampler, {.name = "sample_l", .parameters = {"u", "v"}});
  ASSERT_TRUE(good.ok());
  const float x = 0;
  const ArrayInput one[] = {{&x, 0}}, none[] = {{&x, 0}, {}};
  EXPECT_EQ(id_of(good->run(1, one, {})), "usage-argument");
  EXPECT_EQ(id_of(good->run(1, none, {})), "usage-argument");
  std::uint8_t there = 0;
  const ArrayInput both[] = {{&x, 0}, {&x, 0}};
  EXPECT_EQ(id_of(good->run(1, both, {{}, 16, &there})), "usage-argument");
}

}  // namespace
}  // namespace heddle
