// SPDX-License-Identifier: MIT
// What examples/python/conformance_sweep.py lays beside Heddle: requests of `heddle batch`, and lavapipe's answers to
// them. With HEDDLE_RECORD=1 both files are written anew.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "image/format.hpp"
#include "image/surface.hpp"
#include "peers/vulkan/surface_image.hpp"
#include "peers/vulkan/vulkan_client.hpp"
#include "support/process.hpp"

namespace heddle::test {
namespace {

using nlohmann::json;

constexpr unsigned kLanes = 16;
const std::string kRequests = HEDDLE_SOURCE_DIR "/examples/python/records/requests.jsonl";
const std::string kAnswers = HEDDLE_SOURCE_DIR "/examples/python/records/lavapipe.jsonl";

struct Texture {
  std::string name, format;
  std::uint32_t width, height, levels;
};
const Texture kTextures[] = {{"bytes", "R8G8B8A8_UNORM", 16, 8, 3},
                             {"srgb", "R8G8B8A8_UNORM_SRGB", 8, 8, 1},
                             {"tens", "R10G10B10A2_UNORM", 8, 16, 2},
                             {"halves", "R16G16B16A16_FLOAT", 16, 16, 3},
                             {"floats", "R32_FLOAT", 8, 8, 2}};

struct Word {
  const char* word;
  VkSamplerAddressMode mode;
};
const Word kAddress[] = {{"repeat", VK_SAMPLER_ADDRESS_MODE_REPEAT},
                         {"mirrored_repeat", VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT},
                         {"clamp_to_edge", VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE},
                         {"clamp_to_border", VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER}};

/// One request, in both languages.
struct Case {
  const Texture* texture;
  std::string line;  ///< the request
  std::string call;  ///< GLSL: P is the point and the level
  VkSamplerCreateInfo sampler;
  std::vector<float> points;  ///< four numbers for each lane
};

image::Surface noise(const Texture& texture) {
  image::Surface s;
  s.format = image::find_format(texture.format)->format;
  s.width = texture.width;
  s.height = texture.height;
  s.levels = texture.levels;
  s.mip_count = texture.levels - 1;
  EXPECT_TRUE(image::allocate(s).ok());
  std::mt19937 random(texture.width * 100 + texture.levels);
  const std::size_t element = s.info().bytes_per_element();
  for (std::size_t i = 0; i < s.memory->size(); i += element) {
    image::Texel texel;
    for (int c = 0; c < 4; ++c) texel.set(c, static_cast<float>(random() % 256) / 256.0f);
    image::encode_texel(s.info(), texel, &(*s.memory)[i]);
  }
  return s;
}

std::string definition(const Texture& texture, const image::Surface& surface) {
  json data = json::array();
  std::size_t at = 0;
  for (std::uint32_t level = 0; level < texture.levels; ++level) {
    const std::size_t bytes = std::size_t{std::max(1u, texture.width >> level)} *
                              std::max(1u, texture.height >> level) * surface.info().bytes_per_element();
    std::string hex;
    for (std::size_t i = 0; i < bytes; ++i) hex += fmt::format("{:02x}", (*surface.memory)[at + i]);
    data.push_back({hex});
    at += bytes;
  }
  const json define = {{"surface", texture.name},
                       {"type", "2d"},
                       {"format", texture.format},
                       {"width", texture.width},
                       {"height", texture.height},
                       {"levels", texture.levels},
                       {"data", data}};
  return json{{"define", define}}.dump();
}

/// Points in steps that both sides hold exactly, away from the texels' edges (C1).
std::vector<float> points_of(const Texture& texture, unsigned seed, float low, float high) {
  std::mt19937 random(seed);
  std::vector<float> points;
  const auto one = [&](std::uint32_t size) {
    for (;;) {
      const float u = low + (high - low) * static_cast<float>(random() % 4096) / 4096;
      const float at = u * static_cast<float>(size) - 0.5f, part = at - std::floor(at);
      if (part > 0.05f && part < 0.95f && std::abs(part - 0.5f) > 0.05f) return u;
    }
  };
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    points.push_back(one(texture.width));
    points.push_back(one(texture.height));
    points.push_back(static_cast<float>(random() % (64 * texture.levels)) / 64);
    points.push_back(0);
  }
  return points;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  const auto add = [&all](const Texture& texture, json request, const std::string& call,
                          const VkSamplerCreateInfo& sampler, std::vector<float> points, bool lod) {
    json uv = json::array(), lods = json::array();
    for (std::size_t i = 0; i < points.size(); i += 4) {
      uv.push_back({points[i], points[i + 1]});
      lods.push_back(points[i + 2]);
    }
    request["id"] = all.size();
    request["surface"] = texture.name;
    request["uv"] = uv;
    if (lod) request["params"] = {{"lod", lods}};
    all.push_back({&texture, request.dump(), call, sampler, std::move(points)});
  };
  unsigned seed = 0;
  for (const Texture& texture : kTextures)
    for (const auto& [word, mode] : kAddress) {
      for (const bool linear : {false, true}) {
        VkSamplerCreateInfo sampler =
            peer_sampler(linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST,
                         linear ? VK_SAMPLER_MIPMAP_MODE_LINEAR : VK_SAMPLER_MIPMAP_MODE_NEAREST, mode);
        const std::string filter = linear ? "linear" : "nearest";
        add(texture, {{"op", "sample_l"}, {"sampler", filter + "," + word + ",mip=" + filter}},
            "textureLod(t, P.xy, P.z)", sampler, points_of(texture, ++seed, -1, 2), true);
      }
      add(texture, {{"op", "gather4"}, {"sampler", std::string("linear,") + word}, {"channel", "R"}},
          "textureGather(t, P.xy, 0)", peer_sampler(VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, mode),
          points_of(texture, ++seed, -1, 2), false);
    }
  return all;
}

/// What lavapipe gives, as `heddle batch` would say it.
std::string answer(VulkanClient& vulkan, const Case& one, const PeerImage& picture) {
  std::vector<std::uint8_t> in(one.points.size() * 4), out(kLanes * 16);
  std::memcpy(in.data(), one.points.data(), in.size());
  std::vector<PeerBinding> bindings(3);
  bindings[0].image = &picture;
  bindings[0].sampler = one.sampler;
  bindings[1].buffer = &in;
  bindings[2].buffer = &out;
  const std::string glsl =
      "#version 460\nlayout(local_size_x = 16) in;\nlayout(binding = 0) uniform sampler2D t;\n"
      "layout(binding = 1) readonly buffer In { vec4 points[]; };\n"
      "layout(binding = 2) buffer Out { vec4 results[]; };\n"
      "void main() { uint i = gl_GlobalInvocationID.x; vec4 P = points[i]; results[i] = " +
      one.call + "; }\n";
  EXPECT_EQ(vulkan.compute(glsl, bindings, 1), "");
  json channels;
  for (std::size_t c = 0; c < 4; ++c)
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      std::uint32_t word = 0;
      std::memcpy(&word, &out[lane * 16 + c * 4], 4);
      channels[std::string(1, "RGBA"[c])].push_back(fmt::format("{:08x}", word));
    }
  return json{{"id", json::parse(one.line)["id"]}, {"channels", channels}}.dump();
}

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  std::istringstream in(read_text(path));
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string joined(const std::vector<std::string>& lines) { return fmt::format("{}\n", fmt::join(lines, "\n")); }

float value(const json& word) {
  return __builtin_bit_cast(float, static_cast<std::uint32_t>(std::stoul(word.get<std::string>(), nullptr, 16)));
}

TEST(Records, AreWhatLavapipeAnswers) {
  std::string why;
  VulkanClient* const vulkan = lavapipe(why);
  if (vulkan == nullptr) GTEST_SKIP() << "lavapipe: " << why;
  if (vulkan->device_name().find("llvmpipe") == std::string::npos) GTEST_SKIP() << vulkan->device_name();
  std::vector<std::string> requests, answers;
  std::vector<PeerImage> pictures;
  for (const Texture& texture : kTextures) {
    const image::Surface surface = noise(texture);
    requests.push_back(definition(texture, surface));
    pictures.push_back(peer_image(surface));
  }
  for (const Case& one : cases()) {
    requests.push_back(one.line);
    answers.push_back(answer(*vulkan, one, pictures[static_cast<std::size_t>(one.texture - kTextures)]));
  }
  if (std::getenv("HEDDLE_RECORD") != nullptr) {
    write_text(kRequests, joined(requests));
    write_text(kAnswers, joined(answers));
  }
  EXPECT_EQ(lines_of(kRequests), requests) << "HEDDLE_RECORD=1 writes them anew";
  const std::vector<std::string> recorded = lines_of(kAnswers);
  ASSERT_EQ(recorded.size(), answers.size());
  // What the newest lavapipe says may differ from the recorded one's last bits, where it filters.
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const json then = json::parse(recorded[i]), now = json::parse(answers[i]);
    ASSERT_EQ(then["id"], now["id"]);
    for (const char* channel : {"R", "G", "B", "A"})
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        EXPECT_NEAR(value(then["channels"][channel][lane]), value(now["channels"][channel][lane]), 1.5 / 255)
            << requests[std::size(kTextures) + i] << " " << channel << " " << lane;
  }
}

}  // namespace
}  // namespace heddle::test
