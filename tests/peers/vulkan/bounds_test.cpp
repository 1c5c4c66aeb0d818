// SPDX-License-Identifier: MIT
// What lavapipe answers to random requests lies inside what the texts allow, all of it.
// Rules: BND-3 to BND-16.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>

#include "image/format.hpp"
#include "peers/vulkan/surface_image.hpp"
#include "peers/vulkan/vulkan_client.hpp"
#include "texture/bounds/bounds.hpp"

namespace heddle::test {
namespace {

using image::AddressMode;
using image::SurfaceType;
using texture::LaneRequest;
using texture::LaneWords;
using texture::Op;
using texture::Param;
namespace bounds = texture::bounds;

constexpr unsigned kPoints = 512;

struct Mode {
  AddressMode ours;
  VkSamplerAddressMode theirs;
};
constexpr Mode kModes[] = {{AddressMode::Wrap, VK_SAMPLER_ADDRESS_MODE_REPEAT},
                           {AddressMode::Mirror, VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT},
                           {AddressMode::Clamp, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE},
                           {AddressMode::ClampBorder, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER}};
constexpr const char* kFormats[] = {"R8G8B8A8_UNORM",    "R8G8B8A8_UNORM_SRGB", "R16G16B16A16_FLOAT", "R32_FLOAT",
                                    "R10G10B10A2_UNORM", "R16_UNORM",           "R8G8B8A8_SNORM"};

/// One random request, in both languages.
struct Case {
  image::Surface surface;
  image::Sampler sampler;
  VkSamplerCreateInfo peer{};
  Op op = Op::SampleL;
  std::string call, type;
  std::vector<float> points;  ///< eight numbers each: u v r lod, dudx dvdx dudy dvdy
};

void fill_noise(image::Surface& s, std::mt19937& random) {
  const std::size_t element = s.info().bytes_per_element();
  for (std::size_t at = 0; at + element <= s.memory->size(); at += element) {
    image::Texel texel;
    for (int c = 0; c < 4; ++c) texel.set(c, static_cast<float>(random() % 256) / 256.0f);
    image::encode_texel(s.info(), texel, &(*s.memory)[at]);
  }
}

image::Surface surface_of(SurfaceType type, std::mt19937& random) {
  image::Surface s;
  s.type = type;
  s.format = image::find_format(kFormats[random() % std::size(kFormats)])->format;
  s.width = s.height = 8u << random() % 3;
  if (type != SurfaceType::Cube) s.width = 8 + random() % 30;
  s.depth = type == SurfaceType::Dim3 ? 8 : 1;
  s.layers = type == SurfaceType::Cube ? 6 : 1;
  s.levels = 3;
  s.mip_count = 2;
  EXPECT_TRUE(image::allocate(s).ok());
  fill_noise(s, random);
  return s;
}

void choose_operation(Case& one, std::mt19937& random) {
  const bool flat = one.surface.type == SurfaceType::Dim2;
  const std::string p = flat ? "P.xy" : "P.xyz";
  switch (random() % 4) {
    case 0:
      if (flat) {
        one.op = Op::SampleD;
        one.call = "textureGrad(t, P.xy, G.xy, G.zw)";
        return;
      }
      [[fallthrough]];
    case 1:
      if (one.surface.type != SurfaceType::Dim3) {
        one.op = Op::Gather4;
        one.call = "textureGather(t, " + p + ", 1)";
        return;
      }
      [[fallthrough]];
    default:
      one.op = Op::SampleL;
      one.call = "textureLod(t, " + p + ", P.w)";
  }
}

Case make_case(unsigned seed) {
  std::mt19937 random(seed);
  Case one;
  const auto kind = random() % 6;
  const SurfaceType type = kind == 4 ? SurfaceType::Cube : kind == 5 ? SurfaceType::Dim3 : SurfaceType::Dim2;
  one.surface = surface_of(type, random);
  one.type = type == SurfaceType::Cube ? "samplerCube" : type == SurfaceType::Dim3 ? "sampler3D" : "sampler2D";
  const bool linear = random() % 3 != 0, blend = random() % 2 != 0;
  const Mode u = kModes[random() % 4], v = kModes[random() % 4], w = kModes[random() % 4];
  one.sampler.min_filter = one.sampler.mag_filter = linear ? image::Filter::Linear : image::Filter::Nearest;
  one.sampler.mip_filter = blend ? image::MipFilter::Linear : image::MipFilter::Nearest;
  one.sampler.tcx = u.ours, one.sampler.tcy = v.ours, one.sampler.tcz = w.ours;
  one.sampler.cube_override = type == SurfaceType::Cube;
  one.peer = peer_sampler(linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST,
                          blend ? VK_SAMPLER_MIPMAP_MODE_LINEAR : VK_SAMPLER_MIPMAP_MODE_NEAREST, u.theirs);
  one.peer.addressModeV = v.theirs;
  one.peer.addressModeW = w.theirs;
  choose_operation(one, random);
  std::uniform_real_distribution<float> where(-1.25f, 2.0f), level(-0.5f, 2.5f), step(-0.3f, 0.3f);
  for (unsigned k = 0; k < kPoints; ++k) {
    for (int c = 0; c < 3; ++c) one.points.push_back(where(random));
    one.points.push_back(level(random));
    for (int c = 0; c < 4; ++c) one.points.push_back(step(random));
  }
  return one;
}

std::vector<std::uint32_t> peer_answers(VulkanClient& vulkan, const Case& one) {
  std::vector<std::uint8_t> in(one.points.size() * 4), out(std::size_t{kPoints} * 16);
  std::memcpy(in.data(), one.points.data(), in.size());
  const PeerImage picture = peer_image(one.surface);
  std::vector<PeerBinding> bindings(3);
  bindings[0].image = &picture;
  bindings[0].sampler = one.peer;
  bindings[1].buffer = &in;
  bindings[2].buffer = &out;
  const std::string glsl = "#version 460\nlayout(local_size_x = 64) in;\nlayout(binding = 0) uniform " + one.type +
                           " t;\nlayout(binding = 1) readonly buffer In { vec4 points[]; };\n"
                           "layout(binding = 2) buffer Out { vec4 results[]; };\n"
                           "void main() { uint i = gl_GlobalInvocationID.x; vec4 P = points[2 * i], G = points[2 * i + "
                           "1]; results[i] = " +
                           one.call + "; }\n";
  EXPECT_EQ(vulkan.compute(glsl, bindings, kPoints / 64), "");
  std::vector<std::uint32_t> words(std::size_t{kPoints} * 4);
  std::memcpy(words.data(), out.data(), out.size());
  return words;
}

/// What eight lanes from `first` on may answer.
bounds::Bounds allowed(const Case& one, unsigned first) {
  LaneRequest request;
  request.op = one.op;
  request.simd = 8;
  request.surface = &one.surface;
  request.sampler = &one.sampler;
  request.source_channel = 1;
  constexpr Param kOrder[] = {Param::U,    Param::V,    Param::R,    Param::Lod,
                              Param::DuDx, Param::DvDx, Param::DuDy, Param::DvDy};
  std::array<LaneWords, std::size(kOrder)> words{};
  for (std::size_t p = 0; p < std::size(kOrder); ++p) {
    for (unsigned lane = 0; lane < 8; ++lane)
      words[p][lane] = __builtin_bit_cast(std::uint32_t, one.points[(first + lane) * 8 + p]);
    request.set(kOrder[p], words[p]);
  }
  texture::OperationContext context;
  const auto found = bounds::find_bounds(request, {bounds::Api::Vulkan, 8, 4, false}, context);
  EXPECT_TRUE(found.has_value());
  return found.value_or(bounds::Bounds());
}

/// The first answer that lies outside, in words; empty where there is none.
std::string first_outside(const Case& one, const std::vector<std::uint32_t>& answers, std::size_t& edges) {
  for (unsigned first = 0; first < kPoints; first += 8) {
    const bounds::Bounds found = allowed(one, first);
    for (unsigned lane = 0; lane < 8; ++lane)
      for (unsigned c = 0; c < 4; ++c) {
        const bounds::ValueSet& set = found.lanes[lane].channels[c];
        const std::uint32_t word = answers[(first + lane) * 4 + c];
        const bounds::Verdict verdict = bounds::judge(set, word, found.value_class);
        edges += verdict == bounds::Verdict::Edge ? 1 : 0;
        if (verdict != bounds::Verdict::Outside) continue;
        std::string text = "point " + std::to_string(first + lane) + " channel " + std::to_string(c) + ": " +
                           std::to_string(__builtin_bit_cast(float, word)) + " is not in";
        for (const bounds::Part& p : set.parts())
          text += " [" + std::to_string(p.full.low) + ", " + std::to_string(p.full.high) + "]";
        for (unsigned k = 0; k < 8; ++k) text += " " + std::to_string(one.points[(first + lane) * 8 + k]);
        return text + " " + std::string(found.lanes[lane].rule);
      }
  }
  return {};
}

TEST(PeerBounds, LavapipesAnswersAreInside_BND16) {
  std::string why;
  VulkanClient* const vulkan = lavapipe(why);
  if (vulkan == nullptr) GTEST_SKIP() << "lavapipe: " << why;
  std::size_t values = 0, edges = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const Case one = make_case(seed);
    const std::vector<std::uint32_t> answers = peer_answers(*vulkan, one);
    const std::string outside = first_outside(one, answers, edges);
    EXPECT_EQ(outside, "") << "seed " << seed << " " << one.call << " " << one.type << " " << one.surface.info().name
                           << " " << one.surface.width << "x" << one.surface.height << " filter "
                           << static_cast<int>(one.sampler.min_filter) << " mip "
                           << static_cast<int>(one.sampler.mip_filter) << " modes " << static_cast<int>(one.sampler.tcx)
                           << static_cast<int>(one.sampler.tcy) << static_cast<int>(one.sampler.tcz);
    values += answers.size();
  }
  EXPECT_EQ(values, 40u * kPoints * 4);
  RecordProperty("values", static_cast<int>(values));
  RecordProperty("edges", static_cast<int>(edges));
}

}  // namespace
}  // namespace heddle::test
