// SPDX-License-Identifier: MIT
#include "layer/query_kit.hpp"

#include <cstdlib>
#include <filesystem>
#include <regex>

#include "support/lavapipe.hpp"
#include "support/process.hpp"

namespace heddle::test {
namespace {

constexpr std::uint32_t kMaxQueries = 4096;

texture::Footprint footprint_of(const VulkanDevice::Buffer& out, std::size_t first) {
  texture::Footprint f;
  f.single = out.word(first) != 0;
  for (std::size_t k = 0; k < 3; ++k) {
    f.anchor[k] = out.word(first + 1 + k);
    f.offset[k] = out.word(first + 4 + k);
  }
  f.mask = out.word(first + 7) | std::uint64_t{out.word(first + 8)} << 32;
  f.lod = out.word(first + 9);
  f.granularity = out.word(first + 10);
  return f;
}

texture::FootprintSampler sampler_of(const VkSamplerCreateInfo& info) {
  texture::FootprintSampler s;
  s.mag_linear = info.magFilter == VK_FILTER_LINEAR;
  s.min_linear = info.minFilter == VK_FILTER_LINEAR;
  s.mip = info.mipmapMode == VK_SAMPLER_MIPMAP_MODE_LINEAR ? image::MipFilter::Linear : image::MipFilter::Nearest;
  s.bias = info.mipLodBias;
  s.min_lod = info.minLod;
  s.max_lod = info.maxLod;
  s.max_anisotropy = info.anisotropyEnable != VK_FALSE ? info.maxAnisotropy : 0;
  return s;
}

/// The same words with an offset of texels, which GLSL has no word for.
std::vector<std::uint32_t> with_offset(const std::vector<std::uint32_t>& words) {
  const TemporaryFolder folder;
  std::vector<std::uint8_t> bytes(words.size() * 4);
  std::memcpy(bytes.data(), words.data(), bytes.size());
  write_bytes(folder / "a.spv", bytes);
  std::string text = run({"spirv-dis", "--raw-id", (folder / "a.spv").string()}).out;
  std::smatch integer;
  EXPECT_TRUE(std::regex_search(text, integer, std::regex(R"((%\d+) = OpTypeInt 32 1)")));
  const std::string constants = "%90000 = OpTypeVector " + integer[1].str() + " 2\n%90001 = OpConstant " +
                                integer[1].str() + " 3\n%90002 = OpConstant " + integer[1].str() +
                                " -2\n%90003 = OpConstantComposite %90000 %90001 %90002\n";
  text.insert(text.rfind('\n', text.find(" OpFunction ")) + 1, constants);
  text = std::regex_replace(text, std::regex(R"((OpImageSampleFootprintNV .*) Lod (%\d+))"),
                            "$1 Lod|ConstOffset $2 %90003");
  write_text(folder / "b.spvasm", text);
  EXPECT_EQ(run({"spirv-as", "--preserve-numeric-ids", "--target-env", "spv1.3", "-o", (folder / "b.spv").string(),
                 (folder / "b.spvasm").string()})
                .exit_code,
            0);
  bytes = read_bytes(folder / "b.spv");
  std::vector<std::uint32_t> changed(bytes.size() / 4);
  std::memcpy(changed.data(), bytes.data(), changed.size() * 4);
  return changed;
}

}  // namespace

std::string lavapipe_manifest() {
  const std::string path = kLavapipeManifest;
  return std::filesystem::exists(path) ? path : "";
}

WithLayer::WithLayer(bool force) {
  const std::string folder = std::filesystem::absolute(HEDDLE_LAYER_FOLDER).string();
  setenv("VK_INSTANCE_LAYERS", "VK_LAYER_HEDDLE_footprint", 1);
  // Below the layer is what a program asks for; above it what the loader finds before it.
  const char* validation = std::getenv("HEDDLE_TEST_VALIDATION");
  if (validation != nullptr && std::string(validation) == "above") {
    setenv("VK_LAYER_PATH", ("/usr/share/vulkan/explicit_layer.d:" + folder).c_str(), 1);
    setenv("VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation:VK_LAYER_HEDDLE_footprint", 1);
  } else {
    setenv("VK_ADD_LAYER_PATH", folder.c_str(), 1);
  }
  if (force) setenv("HEDDLE_LAYER_FORCE", "1", 1);
}
WithLayer::~WithLayer() {
  for (const char* name : {"VK_ADD_LAYER_PATH", "VK_LAYER_PATH", "VK_INSTANCE_LAYERS", "HEDDLE_LAYER_FORCE"})
    unsetenv(name);
}

VkSamplerCreateInfo sampler_info(VkFilter mag, VkFilter min, VkSamplerMipmapMode mip) {
  VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  info.magFilter = mag;
  info.minFilter = min;
  info.mipmapMode = mip;
  info.addressModeU = info.addressModeV = info.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  info.maxLod = VK_LOD_CLAMP_NONE;
  return info;
}

QueryKit::QueryKit(VulkanDevice& device, const Image& image, std::vector<VkSamplerCreateInfo> samplers, bool immutable)
    : d_(device), image_(image), samplers_(std::move(samplers)) {
  for (const VkSamplerCreateInfo& info : samplers_) {
    handles_.emplace_back();
    EXPECT_EQ(vkCreateSampler(d_.device, &info, nullptr, &handles_.back()), VK_SUCCESS);
    d_.later([d = d_.device, s = handles_.back()] { vkDestroySampler(d, s, nullptr); });
  }
  VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_R8_UNORM, image.size[0], image.size[1]);
  if (image.dim == 3) info.imageType = VK_IMAGE_TYPE_3D;
  info.extent.depth = image.dim == 3 ? image.size[2] : 1;
  info.mipLevels = image.levels;
  view_ = d_.view(d_.image(info).image, info.format, image.dim == 3 ? VK_IMAGE_VIEW_TYPE_3D : VK_IMAGE_VIEW_TYPE_2D);
  const auto count = static_cast<std::uint32_t>(samplers_.size());
  const VkDescriptorSetLayoutBinding bindings[] = {
      {0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, count, d_.stages, immutable ? handles_.data() : nullptr},
      {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, d_.stages, nullptr},
      {2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, d_.stages, nullptr}};
  const VkDescriptorSetLayoutCreateInfo layout{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, nullptr, 0, 3,
                                               bindings};
  EXPECT_EQ(vkCreateDescriptorSetLayout(d_.device, &layout, nullptr, &set_layout_), VK_SUCCESS);
  d_.later([d = d_.device, l = set_layout_] { vkDestroyDescriptorSetLayout(d, l, nullptr); });
  layout_ = d_.layout({set_layout_}, 8);
  in_ = d_.buffer(kMaxQueries * sizeof(LayerQuery));
  out_ = d_.buffer(kMaxQueries * 2 * 12 * 4);
  set_ = make_set();
  for (std::uint32_t k = 0; k < count; ++k)
    d_.write(set_, 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, view_, handles_[k], k);
}

VkDescriptorSet QueryKit::make_set() {
  const VkDescriptorSet set =
      d_.set(set_layout_, {{0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, static_cast<std::uint32_t>(samplers_.size())},
                           {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2}});
  d_.write(set, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, in_);
  d_.write(set, 2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, out_);
  return set;
}

std::string QueryKit::shader(Form form) const {
  const std::string dim = image_.dim == 3 ? "3D" : "2D", swizzle = image_.dim == 3 ? "xyz" : "xy",
                    widen = image_.dim == 3 ? "" : ", 0";
  const std::string point = "images[index], q.p." + swizzle, gradients = ", q.dx." + swizzle + ", q.dy." + swizzle;
  const auto call = [&](const char* coarse) {
    const std::string tail = std::string(", int(q.ask.x), ") + coarse + ", f)";
    switch (form) {
      case Form::Clamp:
        return "textureFootprintClampNV(" + point + ", q.dy.w" + tail;
      case Form::Grad:
        return "textureFootprintGradNV(" + point + gradients + tail;
      case Form::GradClamp:
        return "textureFootprintGradClampNV(" + point + gradients + ", q.dy.w" + tail;
      default:
        return "textureFootprintLodNV(" + point + ", q.p.w" + tail;
    }
  };
  const auto answer = [&](int k, const std::string& asked) {
    const std::string at = "answers[6 * i + " + std::to_string(3 * k);
    return "  single = " + asked + ";\n  " + at + "] = uvec4(uint(single), uvec3(f.anchor" + widen + "));\n  " + at +
           " + 1] = uvec4(uvec3(f.offset" + widen + "), f.mask.x);\n  " + at +
           " + 2] = uvec4(f.mask.y, f.lod, f.granularity, 0u);\n";
  };
  return "#version 450\n#extension GL_NV_shader_texture_footprint : require\nlayout(local_size_x = 64) in;\n"
         "struct Query { vec4 p, dx, dy; uvec4 ask; };\n"
         "layout(binding = 0) uniform sampler" +
         dim + " images[" + std::to_string(samplers_.size()) +
         "];\nlayout(std430, binding = 1) buffer In { Query queries[]; };\n"
         "layout(std430, binding = 2) buffer Out { uvec4 answers[]; };\n"
         "layout(push_constant) uniform Push { uint index, count; };\n"
         "void main() {\n  uint i = gl_GlobalInvocationID.x;\n  if (i >= count) return;\n"
         "  Query q = queries[i];\n  bool single;\n  "
         "gl_TextureFootprint" +
         dim + "NV f;\n" + answer(0, call("false")) + answer(1, call("true")) + "}\n";
}

VkPipeline QueryKit::pipeline(Form form) {
  std::vector<std::uint32_t> words = compile_compute(shader(form));
  if (form == Form::LodOffset) words = with_offset(words);
  return d_.pipeline_of(words, layout_);
}

std::vector<AnswerPair> QueryKit::ask(Form form, std::uint32_t sampler, const std::vector<LayerQuery>& queries) {
  const VkPipeline pipeline = this->pipeline(form);
  std::memcpy(in_.bytes, queries.data(), queries.size() * sizeof(LayerQuery));
  const std::uint32_t push[] = {sampler, static_cast<std::uint32_t>(queries.size())};
  EXPECT_EQ(d_.run([&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &set_, 0, nullptr);
    vkCmdPushConstants(c, layout_, d_.stages, 0, sizeof push, push);
    vkCmdDispatch(c, (push[1] + 63) / 64, 1, 1);
    barrier(c);
  }),
            VK_SUCCESS);
  std::vector<AnswerPair> answers;
  for (std::size_t k = 0; k < queries.size(); ++k)
    answers.push_back({footprint_of(out_, 24 * k), footprint_of(out_, 24 * k + 12)});
  return answers;
}

AnswerPair QueryKit::expected(Form form, std::uint32_t sampler, const LayerQuery& query,
                              const texture::FootprintOptions& options) const {
  texture::FootprintQuery q;
  q.coordinate = query.p;
  q.granularity = query.granularity;
  q.lod = form == Form::Clamp ? 0 : query.lod;
  if (form == Form::LodOffset) q.offset = kTexelOffset;
  if (form == Form::Clamp || form == Form::GradClamp) q.min_lod = query.min_lod;
  if (form == Form::Grad || form == Form::GradClamp) {
    q.operand = texture::FootprintOperand::Grad;
    q.gradients.dx = query.dx;
    q.gradients.dy = query.dy;
  }
  AnswerPair pair;
  for (const bool coarse : {false, true}) {
    q.coarse = coarse;
    const auto answer =
        texture::footprint({image_.dim, image_.size, image_.levels}, sampler_of(samplers_[sampler]), q, options);
    EXPECT_TRUE(answer.ok());
    if (answer.ok()) pair[coarse ? 1 : 0] = *answer;
  }
  return pair;
}

}  // namespace heddle::test
