#include "lavapipe_side.hpp"

#include <chrono>

#include "peers/vulkan/vulkan_client.hpp"

namespace heddle::bench {
namespace {

VkFormat vulkan_format(const Texture& t) {
  if (t.format == "R32_FLOAT") return t.compare ? VK_FORMAT_D32_SFLOAT : VK_FORMAT_R32_SFLOAT;
  if (t.format == "R32G32B32A32_FLOAT") return VK_FORMAT_R32G32B32A32_SFLOAT;
  if (t.format == "R16G16B16A16_FLOAT") return VK_FORMAT_R16G16B16A16_SFLOAT;
  return t.format == "R8G8B8A8_UNORM_SRGB" ? VK_FORMAT_R8G8B8A8_SRGB : VK_FORMAT_R8G8B8A8_UNORM;
}

}  // namespace

std::string lavapipe_name(std::string& why) {
  const test::VulkanClient* client = test::lavapipe(why);
  return client != nullptr ? client->device_name() : std::string{};
}

struct Lavapipe::State {
  Case c;
  std::vector<std::uint32_t> words;
  test::PeerImage image;
  std::vector<std::uint8_t> out;
  test::PeerDraw draw;

  State(const Case& from, std::vector<std::uint32_t> module) : c(from), words(std::move(module)) {
    if (c.textured) take(c.texture);
    if (!c.fragment) {
      out.resize(std::size_t{c.lanes} * 4);
      return;
    }
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
    test::VulkanClient* client = test::lavapipe(problem);
    if (client == nullptr) return problem;
    std::vector<test::PeerBinding> list = bindings();
    if (!c.fragment) return client->compute(words, list, c.lanes / 64, {}, timing);
    draw.timing = timing;
    return client->draw(words, list, draw);
  }
};

Lavapipe::Lavapipe(const Case& c, std::vector<std::uint32_t> words)
    : state_(std::make_unique<State>(c, std::move(words))) {}
Lavapipe::~Lavapipe() = default;

double Lavapipe::run() {
  test::PeerTiming timing{state_->c.fragment ? 4u : 2u, 0};
  why = state_->run(&timing);
  return why.empty() ? timing.seconds / timing.passes : -1;
}

double Lavapipe::first_run() {
  const auto start = std::chrono::steady_clock::now();
  why = state_->run(nullptr);
  return why.empty() ? std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() : -1;
}

}  // namespace heddle::bench
