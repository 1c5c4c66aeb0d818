// SPDX-License-Identifier: MIT
#include "vulkan_side.hpp"

#include <algorithm>
#include <chrono>
#include <map>

#include "peers/vulkan/vulkan_client.hpp"

namespace heddle::bench {
namespace {

VkFormat vulkan_format(const Texture& t) {
  if (t.format == "R32_FLOAT") return t.compare ? VK_FORMAT_D32_SFLOAT : VK_FORMAT_R32_SFLOAT;
  if (t.format == "R32G32B32A32_FLOAT") return VK_FORMAT_R32G32B32A32_SFLOAT;
  if (t.format == "R16G16B16A16_FLOAT") return VK_FORMAT_R16G16B16A16_SFLOAT;
  if (t.format == "BC1_UNORM") return VK_FORMAT_BC1_RGBA_UNORM_BLOCK;
  if (t.format == "BC7_UNORM") return VK_FORMAT_BC7_UNORM_BLOCK;
  return t.format == "R8G8B8A8_UNORM_SRGB" ? VK_FORMAT_R8G8B8A8_SRGB : VK_FORMAT_R8G8B8A8_UNORM;
}

/// The device of a driver, made when it is first asked for; nullptr with a reason when it cannot be made.
test::VulkanClient* client_of(const Driver& driver, std::string& why) {
  static std::map<std::string, std::unique_ptr<test::VulkanClient>> clients;
  auto& client = clients[driver.selector];
  if (client == nullptr) client = test::VulkanClient::create(driver.selector, why);
  return client.get();
}

/// "25.0.7" of "... Mesa 25.0.7-2~bpo12+1 (LLVM 15.0.6)".
std::string version_in(const std::string& text, const std::string& before) {
  const std::size_t at = text.find(before);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + before.size();
  return text.substr(begin, text.find_first_not_of("0123456789.", begin) - begin);
}

}  // namespace

std::vector<Driver> drivers(std::string& why) {
  std::vector<Driver> list;
  for (const std::string& text : test::VulkanClient::devices(why)) {
    if (text.starts_with("llvmpipe")) {
      const std::string version = version_in(text, "Mesa ");
      list.push_back({"lavapipe " + version, "Mesa " + version});
    } else if (text.starts_with("SwiftShader")) {
      list.push_back({"SwiftShader", "SwiftShader"});
    }
  }
  const auto rank = [](const Driver& d) {  // lavapipe before others, by its first number
    return d.name.starts_with("lavapipe ") ? std::stod("0" + d.name.substr(9)) : -1.0;
  };
  std::ranges::stable_sort(list, [&](const Driver& a, const Driver& b) { return rank(a) > rank(b); });
  if (list.empty() && why.empty()) why = "neither lavapipe (mesa-vulkan-drivers) nor SwiftShader is installed";
  return list;
}

double make_device(const Driver& driver, std::string& why) {
  const auto start = std::chrono::steady_clock::now();
  if (client_of(driver, why) == nullptr) return -1;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double run_small(const Driver& driver, const SmallWork& work, std::string& why) {
  test::VulkanClient* client = client_of(driver, why);
  if (client == nullptr) return -1;
  test::PeerTiming timing{work.count, 0};
  if (work.draw) {
    test::PeerDraw draw;
    draw.width = draw.height = 64;
    draw.target.resize(std::size_t{4} * draw.width * draw.height);
    draw.blend.colorWriteMask = 15;
    draw.timing = &timing;
    std::vector<test::PeerBinding> none;
    why = client->draw(
        "#version 450\nlayout(location = 0) out vec4 c;\n"
        "void main() { c = vec4(gl_FragCoord.xy / 64.0, 0.5, 1.0); }\n",
        none, draw);
  } else {
    std::vector<std::uint8_t> out(64 * 4);
    std::vector<test::PeerBinding> bindings(1);
    bindings[0].buffer = &out;
    why = client->compute(
        "#version 450\nlayout(local_size_x = 64) in;\nlayout(set = 0, binding = 0) buffer O { float o[]; };\n"
        "void main() { o[gl_GlobalInvocationID.x] = float(gl_GlobalInvocationID.x) * 0.5; }\n",
        bindings, 1, {}, &timing);
  }
  return why.empty() ? timing.seconds : -1;
}

struct VulkanPeer::State {
  Driver driver;
  Case c;
  std::vector<std::uint32_t> words;
  test::PeerImage image;
  std::vector<std::uint8_t> out;
  test::PeerDraw draw;

  State(Driver on, const Case& from, std::vector<std::uint32_t> module)
      : driver(std::move(on)), c(from), words(std::move(module)) {
    if (c.textured) take(c.texture);
    if (!c.fragment) {
      out.resize(std::size_t{c.lanes} * 4);
      return;
    }
    if (!c.vertex.empty()) draw.vertex = test::PeerShader(c.vertex);
    draw.vertices = c.vertices;
    draw.width = kWidth;
    draw.height = kHeight;
    draw.target.resize(std::size_t{kWidth} * kHeight * 4);
    for (std::uint32_t k = 1; k < c.targets; ++k) draw.more.push_back({VK_FORMAT_R8G8B8A8_UNORM, draw.target});
    draw.blend.colorWriteMask = 15;
    if (c.blend)
      draw.blend = {VK_TRUE,
                    VK_BLEND_FACTOR_SRC_ALPHA,
                    VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
                    VK_BLEND_OP_ADD,
                    VK_BLEND_FACTOR_ONE,
                    VK_BLEND_FACTOR_ZERO,
                    VK_BLEND_OP_ADD,
                    15};
    if (c.depth) draw.depth = VK_COMPARE_OP_LESS_OR_EQUAL;
    draw.samples = static_cast<VkSampleCountFlagBits>(c.samples);
  }

  void take(const Texture& t) {
    image.format = vulkan_format(t);
    image.depth_aspect = t.compare;
    image.width = image.height = t.size;
    image.levels = t.levels;
    image.layers = t.dim == "cube" ? 6 : t.layers;
    image.view = t.dim == "cube"       ? VK_IMAGE_VIEW_TYPE_CUBE
                 : t.dim == "2D array" ? VK_IMAGE_VIEW_TYPE_2D_ARRAY
                                       : VK_IMAGE_VIEW_TYPE_2D;
    image.data = texels(t);
    image.block_bytes = block_bytes(t);
  }

  std::vector<test::PeerBinding> bindings() {
    std::vector<test::PeerBinding> list;
    if (c.textured) {
      test::PeerBinding b;
      b.image = &image;
      b.sampler = test::peer_sampler(
          VK_FILTER_LINEAR, c.texture.mip == "linear" ? VK_SAMPLER_MIPMAP_MODE_LINEAR : VK_SAMPLER_MIPMAP_MODE_NEAREST,
          c.clamp ? VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE : VK_SAMPLER_ADDRESS_MODE_REPEAT);
      b.sampler.maxLod = VK_LOD_CLAMP_NONE;
      if (c.texture.anisotropy > 0) {
        b.sampler.anisotropyEnable = VK_TRUE;
        b.sampler.maxAnisotropy = c.texture.anisotropy;
      }
      if (c.texture.compare) {
        b.sampler.compareEnable = VK_TRUE;
        b.sampler.compareOp = VK_COMPARE_OP_LESS_OR_EQUAL;
      }
      b.binding = 0;
      list.push_back(b);
    }
    if (!c.fragment) {
      test::PeerBinding b;
      b.buffer = &out;
      b.binding = 1;
      list.push_back(b);
    }
    return list;
  }

  std::string run(test::PeerTiming* timing) {
    std::string problem;
    test::VulkanClient* client = client_of(driver, problem);
    if (client == nullptr) return problem;
    std::vector<test::PeerBinding> list = bindings();
    if (!c.fragment) return client->compute(words, list, c.lanes / 64, {}, timing);
    draw.timing = timing;
    return client->draw(words, list, draw);
  }
};

VulkanPeer::VulkanPeer(const Driver& driver, const Case& c, std::vector<std::uint32_t> words)
    : state_(std::make_unique<State>(driver, c, std::move(words))) {}
VulkanPeer::~VulkanPeer() = default;

double VulkanPeer::run() {
  test::PeerTiming timing{state_->c.fragment ? 4u : 2u, 0};
  why = state_->run(&timing);
  return why.empty() ? timing.seconds / timing.passes : -1;
}

double VulkanPeer::first_run() {
  const auto start = std::chrono::steady_clock::now();
  why = state_->run(nullptr);
  return why.empty() ? std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() : -1;
}

}  // namespace heddle::bench
