// SPDX-License-Identifier: MIT
// Loads of single samples (LD-5, LD-7): both engines, random formats, counts of samples and lanes; the fast engine
// compiles them, and calls the reference for none.

#include <fmt/format.h>

#include "engine/bindings.hpp"
#include "engine/jit_harness.hpp"

namespace heddle::engine::testing {
namespace {

/// What a shader's fetch of a sample is compiled to, with results in memory. R1 to R4: x, y, layer, sample.
std::string fetch(unsigned lanes) {
  std::string text = ".decl T6 v_type=T num_elts=1\n.decl T7 v_type=T num_elts=1\n";
  for (unsigned n = 0; n < 4; ++n)
    text += fmt::format(".decl {0} v_type=G type=ud num_elts={1} align=GRF\n.input {0} offset={2} size={3}\n",
                        std::array{"u", "v", "r", "si"}[n], lanes, 32 + n * 64, lanes * 4);
  text += fmt::format(
      ".decl at v_type=G type=ud num_elts={0} align=GRF\n.input at offset=288 size={1}\n"
      ".decl mcs v_type=G type=ud num_elts={2} align=GRF\n.decl texel v_type=G type=ud num_elts={3} align=GRF\n"
      "load_mcs.RG (M1, {0}) 0x0:uw T7 mcs.0 u.0 v.0 r.0\n"
      "load_2dms_w.RGBA (M1, {0}) 0x0:uw T7 texel.0 si.0 mcs.0 mcs.{4} u.0 v.0 r.0\n",
      lanes, lanes * 4, 2 * lanes, 4 * lanes, lanes * 4);
  return text + fmt::format("scatter4_scaled.RGBA (M1, {}) T6 0x0:ud at.0 texel.0\nret (M1, 1)\n", lanes);
}

void bind_samples(machine::Bindings& bindings, std::mt19937& random) {
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  constexpr const char* kFormats[] = {"R32G32B32A32_UINT", "R32G32B32A32_FLOAT",  "R8G8B8A8_UNORM", "R8_UINT",
                                      "R16_FLOAT",         "R8G8B8A8_UNORM_SRGB", "R32_SINT",       "R11G11B10_FLOAT",
                                      "R10G10B10A2_UNORM", "R16G16_SNORM",        "R32G32_FLOAT"};
  auto picture = std::make_shared<image::Surface>();
  picture->format = image::find_format(kFormats[below(11)])->format;
  picture->width = 1 + below(20);
  picture->height = 1 + below(20);
  picture->array = below(2) != 0;
  picture->layers = picture->view_layers = picture->array ? 1 + below(3) : 1;
  picture->samples = 1u << below(5);
  ASSERT_TRUE(image::allocate(*picture).ok());
  for (std::uint8_t& byte : *picture->memory) byte = static_cast<std::uint8_t>(random());
  bind(bindings, buffer_of(256), picture, std::make_shared<image::Sampler>());
}

TEST(JitMultisample, FetchesOfSamplesAreCompiled) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  std::mt19937 random(34);
  for (unsigned n = 0; n < 40; ++n) {
    const unsigned lanes = n % 2 != 0 ? 16 : 8;
    BothEngines both(fetch(lanes));
    bind_samples(both.bindings, random);
    const image::Surface& s = *both.bindings.surfaces[1];
    const std::array<std::uint32_t, 4> size{s.width, s.height, s.view_layers, s.samples};
    const auto put = [&](std::size_t at, std::uint32_t word) { std::memcpy(&both.payload[at], &word, 4); };
    for (unsigned k = 0; k < lanes; ++k) {
      for (unsigned p = 0; p < 4; ++p)
        put(32 + p * 64 + k * 4, random() % 8 == 0 ? random() : random() % (size[p] + 1));
      put(288 + k * 4, k * 16);
    }
    ASSERT_TRUE(both.agree(lanes, n % 3 == 0 ? random() : 0xffffu)) << s.info().name << ", case " << n;
    EXPECT_EQ(both.counts.called, 0u) << s.info().name << ", " << s.samples << " samples";
  }
}

// A surface with an MCS: its values are the reference's.
TEST(JitMultisample, AnMcsIsLeftToTheReference) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  BothEngines both(fetch(8));
  auto picture = std::make_shared<image::Surface>();
  picture->format = image::find_format("R8_UINT")->format;
  picture->width = picture->height = 4;
  picture->samples = 4;
  picture->mcs = std::make_shared<std::vector<std::vector<std::uint8_t>>>(1, std::vector<std::uint8_t>(16, 0xf9));
  ASSERT_TRUE(image::allocate(*picture).ok());
  bind(both.bindings, buffer_of(256), picture, std::make_shared<image::Sampler>());
  ASSERT_TRUE(both.agree(8, 0xff));
  EXPECT_EQ(both.counts.called, 2u);
}

}  // namespace
}  // namespace heddle::engine::testing
