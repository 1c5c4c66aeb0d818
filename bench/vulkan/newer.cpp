// SPDX-License-Identifier: MIT
// Rows of what not every driver has: meshlets, memory in parts, shader objects, descriptor buffers, memory of file
// descriptors, cooperative matrices.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "support/matrix_module.hpp"
#include "vulkan/bench_vulkan.hpp"
#include "vulkan/descriptor_kit.hpp"
#include "vulkan/feature_kit.hpp"

namespace heddle::bench {
namespace {

using test::Canvas;
using test::PipelineState;
using test::VulkanDevice;

constexpr double kMissing = std::numeric_limits<double>::infinity();  // the driver lacks what the row needs
constexpr std::uint32_t kBinds = 256, kImports = 100, kBound = 1000;

/// Whether the driver has all of them.
bool has(const Bench& of, const std::vector<const char*>& extensions) {
  std::uint32_t count = 0;
  vkEnumerateDeviceExtensionProperties(of.v.physical, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> list(count);
  vkEnumerateDeviceExtensionProperties(of.v.physical, nullptr, &count, list.data());
  return std::ranges::all_of(extensions, [&](const char* name) {
    return std::ranges::any_of(list,
                               [&](const VkExtensionProperties& e) { return std::strcmp(e.extensionName, name) == 0; });
  });
}

/// The row's own device and objects on a driver, made when it comes to them.
template <typename T>
T* own(Bench& b, const char* name, const std::vector<const char*>& extensions) {
  if (!has(b, extensions)) return nullptr;
  std::shared_ptr<void>& kept = b.rows[name];
  if (!kept) kept = std::make_shared<T>(b, extensions);
  return static_cast<T*>(kept.get());
}

/// Groups of 32 invocations, each of which makes two triangles of one or two pixels.
const char* const kMesh =
    "#version 450\n#extension GL_EXT_mesh_shader : require\n"
    "layout(local_size_x = 32) in;\nlayout(triangles, max_vertices = 128, max_primitives = 64) out;\n"
    "void main() { SetMeshOutputsEXT(128u, 64u); uint n = gl_LocalInvocationIndex, g = gl_WorkGroupID.x;\n"
    "  for (uint k = 0u; k < 4u; ++k) {\n"
    "    vec2 p = vec2(float((g % 125u) * 16u + n % 16u + (k & 1u)), float(g / 125u * 4u + n / 16u * 2u + k / 2u));\n"
    "    gl_MeshVerticesEXT[4u * n + k].gl_Position = vec4(p * vec2(2.0 / 2000.0, 2.0 / 500.0) - 1.0, 0.0, 1.0); }\n"
    "  gl_PrimitiveTriangleIndicesEXT[2u * n] = uvec3(4u * n) + uvec3(0, 1, 2);\n"
    "  gl_PrimitiveTriangleIndicesEXT[2u * n + 1u] = uvec3(4u * n) + uvec3(2, 1, 3); }\n";

/// Groups of 8 x 8 vertices with 124 triangles of one or two pixels: those of the 49 squares between them, and 26 of
/// these again.
const char* const kLargeMesh =
    "#version 450\n#extension GL_EXT_mesh_shader : require\n"
    "layout(local_size_x = 64) in;\nlayout(triangles, max_vertices = 64, max_primitives = 124) out;\n"
    "void main() { SetMeshOutputsEXT(64u, 124u); uint n = gl_LocalInvocationIndex, g = gl_WorkGroupID.x;\n"
    "  vec2 p = vec2(float((g % 125u) * 8u + n % 8u), float(g / 125u * 8u + n / 8u));\n"
    "  gl_MeshVerticesEXT[n].gl_Position = vec4(p * vec2(2.0 / 1000.0, 2.0 / 520.0) - 1.0, 0.0, 1.0);\n"
    "  for (uint t = n; t < 124u; t += 64u) { uint q = t / 2u % 49u, at = q / 7u * 8u + q % 7u;\n"
    "    gl_PrimitiveTriangleIndicesEXT[t] = uvec3(at) + (t % 2u == 0u ? uvec3(0, 1, 8) : uvec3(8, 1, 9)); } }\n";

template <bool Large>
struct Meshlets {
  static constexpr std::uint32_t kGroups = Large ? 8065 : 15625, kTriangles = Large ? 124 : 64;
  Meshlets(const Bench& of, const std::vector<const char*>& extensions)
      : canvas(1920, 1080, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT, extensions,
               of.manifest.c_str()),
        draw(canvas.v.proc<PFN_vkCmdDrawMeshTasksEXT>("vkCmdDrawMeshTasksEXT")) {
    PipelineState state;
    state.mesh = Large ? kLargeMesh : kMesh;
    state.fragment = test::one_color("vec4(gl_FragCoord.xy * 0.0005, 0.5, 1.0)");
    state.layout = canvas.plain_layout;
    pipeline = canvas.pipeline(state);
  }
  double run() {
    VulkanDevice& v = canvas.v;
    const VkCommandBuffer c = v.commands();
    v.begin(c);
    canvas.begin(c, true);
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    draw(c, kGroups, 1, 1);
    canvas.end(c);
    const double seconds = seconds_of([&] { (void)v.submit(c); });
    vkFreeCommandBuffers(v.device, v.pool, 1, &c);
    return seconds;
  }
  Canvas canvas;
  PFN_vkCmdDrawMeshTasksEXT draw;
  VkPipeline pipeline = VK_NULL_HANDLE;
};

/// A buffer whose pages are bound one by one, in an order that changes from round to round.
struct Parts {
  static constexpr std::uint64_t kPage = 65536;
  Parts(const Bench& of, const std::vector<const char*>&) : v({}, of.manifest) {
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.flags = VK_BUFFER_CREATE_SPARSE_BINDING_BIT | VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT;
    info.size = kBinds * kPage;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    if (vkCreateBuffer(v.device, &info, nullptr, &buffer) != VK_SUCCESS) return;
    v.later([this] { vkDestroyBuffer(v.device, buffer, nullptr); });
    memory = v.buffer(kBinds * kPage);
  }
  double run() {
    std::vector<VkSparseMemoryBind> binds(kBinds);
    ++turn;
    for (std::uint32_t n = 0; n < kBinds; ++n)
      binds[n] = {n * kPage, kPage, memory.memory, (n + turn) % kBinds * kPage, 0};
    const VkSparseBufferMemoryBindInfo of{buffer, kBinds, binds.data()};
    VkBindSparseInfo info{VK_STRUCTURE_TYPE_BIND_SPARSE_INFO};
    info.bufferBindCount = 1;
    info.pBufferBinds = &of;
    return seconds_of([&] {
      (void)vkQueueBindSparse(v.queue, 1, &info, VK_NULL_HANDLE);
      (void)vkQueueWaitIdle(v.queue);
    });
  }
  VulkanDevice v;
  VkBuffer buffer = VK_NULL_HANDLE;
  VulkanDevice::Buffer memory;
  std::uint32_t turn = 0;
};

/// Two shaders that are bound in turn, each with a dispatch behind it.
struct Objects {
  Objects(const Bench& of, const std::vector<const char*>& extensions) : v(extensions, of.manifest) {
    const std::vector<VulkanDevice::Binding> bindings{{0, kStorage}};
    const VkDescriptorSetLayout sets = v.set_layout(bindings);
    layout = v.layout({sets});
    set = v.set(sets, bindings);
    v.write(set, 0, kStorage, v.buffer(4096));
    bind = v.proc<PFN_vkCmdBindShadersEXT>("vkCmdBindShadersEXT");
    const auto create = v.proc<PFN_vkCreateShadersEXT>("vkCreateShadersEXT");
    for (std::size_t k = 0; k < shaders.size(); ++k) {
      const std::vector<std::uint32_t> words = test::compile_compute(
          "#version 450\nlayout(local_size_x = 64) in;\nlayout(binding = 0) buffer B { uint o[]; };\n"
          "void main() { o[gl_GlobalInvocationID.x] = " +
          std::to_string(k) + "u; }\n");
      VkShaderCreateInfoEXT info{VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT};
      info.stage = VK_SHADER_STAGE_COMPUTE_BIT;
      info.codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
      info.codeSize = words.size() * 4;
      info.pCode = words.data();
      info.pName = "main";
      info.setLayoutCount = 1;
      info.pSetLayouts = &sets;
      (void)create(v.device, 1, &info, nullptr, &shaders[k]);
      v.later(
          [this, made = shaders[k]] { v.proc<PFN_vkDestroyShaderEXT>("vkDestroyShaderEXT")(v.device, made, nullptr); });
    }
  }
  double run() {
    const VkCommandBuffer c = v.commands();
    double seconds = 0;
    v.begin(c);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
    seconds += seconds_of([&] {
      for (std::uint32_t n = 0; n < kBound; ++n) {
        bind(c, 1, &stage, &shaders[n % 2]);
        vkCmdDispatch(c, 1, 1, 1);
      }
    });
    seconds += seconds_of([&] { (void)v.submit(c); });
    vkFreeCommandBuffers(v.device, v.pool, 1, &c);
    return seconds;
  }
  VulkanDevice v;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkDescriptorSet set = VK_NULL_HANDLE;
  PFN_vkCmdBindShadersEXT bind = nullptr;
  std::array<VkShaderEXT, 2> shaders{};
};

/// Two sets in a buffer; before each dispatch one of them is written anew, and placed.
struct DescriptorBuffers {
  DescriptorBuffers(const Bench& of, const std::vector<const char*>& extensions)
      : v(extensions, of.manifest), buffer(v, 1 << 20), data(test::addressed_buffer(v, 4096)) {
    sets = buffer.layout({{0, kStorage}, {1, kStorage}});
    layout = v.layout({sets});
    const auto words = test::compile_compute(
        "#version 450\nlayout(local_size_x = 64) in;\nlayout(binding = 0) buffer B { uint o[]; };\n"
        "layout(binding = 1) buffer C { uint p[]; };\n"
        "void main() { o[gl_GlobalInvocationID.x] = p[0]; }\n");
    const VkShaderModuleCreateInfo code{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, words.size() * 4,
                                        words.data()};
    VkShaderModule module = VK_NULL_HANDLE;
    (void)vkCreateShaderModule(v.device, &code, nullptr, &module);
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.flags = VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT;
    info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  nullptr,
                  0,
                  VK_SHADER_STAGE_COMPUTE_BIT,
                  module,
                  "main",
                  nullptr};
    info.layout = layout;
    (void)vkCreateComputePipelines(v.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline);
    vkDestroyShaderModule(v.device, module, nullptr);
    v.later([this] { vkDestroyPipeline(v.device, pipeline, nullptr); });
    get = v.proc<PFN_vkGetDescriptorEXT>("vkGetDescriptorEXT");
    place = v.proc<PFN_vkCmdSetDescriptorBufferOffsetsEXT>("vkCmdSetDescriptorBufferOffsetsEXT");
    offsets = {buffer.offset_of(sets, 0), buffer.offset_of(sets, 1)};
    const std::uint64_t unit = buffer.limits.descriptorBufferOffsetAlignment;
    step = (buffer.size_of(sets) + unit - 1) / unit * unit;
  }
  double run() {
    const VkCommandBuffer c = v.commands();
    v.begin(c);
    double seconds = seconds_of([&] {
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
      buffer.bind(c);
      const std::uint32_t bytes = buffer.bytes_of(kStorage), first = 0;
      for (std::uint32_t n = 0; n < kBound; ++n) {
        const VkDeviceSize set = n * step;
        for (std::uint32_t binding = 0; binding < 2; ++binding) {
          const VkDescriptorAddressInfoEXT range{VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT, nullptr,
                                                 data.address + (n + binding) % 2 * 2048, 2048, VK_FORMAT_UNDEFINED};
          VkDescriptorGetInfoEXT info{VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT, nullptr, kStorage, {}};
          info.data.pStorageBuffer = &range;
          get(v.device, &info, bytes, buffer.memory.bytes + set + offsets[binding]);
        }
        place(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &first, &set);
        vkCmdDispatch(c, 1, 1, 1);
      }
    });
    seconds += seconds_of([&] { (void)v.submit(c); });
    vkFreeCommandBuffers(v.device, v.pool, 1, &c);
    return seconds;
  }
  VulkanDevice v;
  test::DescriptorBuffer buffer;
  test::AddressedBuffer data;
  VkDescriptorSetLayout sets = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;
  PFN_vkGetDescriptorEXT get = nullptr;
  PFN_vkCmdSetDescriptorBufferOffsetsEXT place = nullptr;
  std::array<std::uint64_t, 2> offsets{};
  std::uint64_t step = 0;  ///< from set to set
};

/// Memory that is exported as a file descriptor, and imported from it.
struct Imports {
  Imports(const Bench& of, const std::vector<const char*>& extensions) : v(extensions, of.manifest) {
    const VkExportMemoryAllocateInfo exported{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, nullptr, kType};
    (void)allocate(&exported, memory);
    get = v.proc<PFN_vkGetMemoryFdKHR>("vkGetMemoryFdKHR");
  }
  ~Imports() { vkFreeMemory(v.device, memory, nullptr); }
  Imports(const Imports&) = delete;
  Imports& operator=(const Imports&) = delete;
  VkResult allocate(const void* chain, VkDeviceMemory& to) const {
    const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, chain, 1 << 20, 0};
    return vkAllocateMemory(v.device, &info, nullptr, &to);
  }
  double run() const {
    bool good = memory != VK_NULL_HANDLE;
    const double seconds = seconds_of([&] {
      for (std::uint32_t n = 0; n < kImports && good; ++n) {
        const VkMemoryGetFdInfoKHR from{VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, nullptr, memory, kType};
        int fd = -1;
        VkDeviceMemory made = VK_NULL_HANDLE;
        good = get(v.device, &from, &fd) == VK_SUCCESS;
        const VkImportMemoryFdInfoKHR import{VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR, nullptr, kType, fd};
        good = good && allocate(&import, made) == VK_SUCCESS;
        vkFreeMemory(v.device, made, nullptr);
      }
    });
    return good ? seconds : kMissing;
  }
  static constexpr VkExternalMemoryHandleTypeFlagBits kType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  VulkanDevice v;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  PFN_vkGetMemoryFdKHR get = nullptr;
};

/// Descriptors of a large array, each chosen by a word of a buffer: all invocations mean the same one, or each another.
struct Chosen {
  static constexpr std::uint32_t kDescriptors = 500, kInvocations = 4096, kLoops = 64;
  static constexpr double kItems = double{kInvocations} * kLoops;
  Chosen(const Bench& of, const std::vector<const char*>& extensions) : v(extensions, of.manifest) {
    const std::vector<VulkanDevice::Binding> bindings{
        {0, kStorage}, {1, kStorage}, {2, kStorage, kDescriptors}, {3, kImage, kDescriptors}};
    const VkDescriptorSetLayout sets = v.set_layout(bindings);
    layout = v.layout({sets});
    set = v.set(sets, bindings);
    const auto words = v.buffer(4096);
    for (std::uint32_t k = 0; k < 1024; ++k) words.set(k, k * 37 % kDescriptors);
    v.write(set, 0, kStorage, v.buffer(4 * kInvocations));
    v.write(set, 1, kStorage, words);
    const auto data = v.buffer(std::uint64_t{kDescriptors} * 256);
    const VkSampler sampler = v.sampler(VK_FILTER_LINEAR);
    for (std::uint32_t k = 0; k < kDescriptors; ++k) {
      v.write(set, 2, kStorage, data, std::uint64_t{k} * 256, 256, k);
      if (k % 50 == 0)  // an image for many descriptors
        view =
            v.view(v.image(VulkanDevice::image_info(VK_FORMAT_R8G8B8A8_UNORM, 16, 16)).image, VK_FORMAT_R8G8B8A8_UNORM);
      v.write(set, 3, kImage, view, sampler, k);
    }
    for (std::size_t k = 0; k < pipelines.size(); ++k) {
      const std::string index = k % 2 == 0 ? "w[i]" : "w[(n * 5u + i) % 1024u]";
      pipelines[k] = v.pipeline(
          "#version 450\n#extension GL_EXT_nonuniform_qualifier : require\nlayout(local_size_x = 64) in;\n"
          "layout(binding = 0) buffer O { float o[]; };\nlayout(binding = 1) buffer W { uint w[]; };\n"
          "layout(binding = 2) buffer B { float f[]; } b[500];\nlayout(binding = 3) uniform sampler2D t[500];\n"
          "void main() { uint n = gl_GlobalInvocationID.x; float sum = 0.0;\n"
          "  for (uint i = 0u; i < 64u; ++i) sum += " +
              std::string(k < 2 ? "b[nonuniformEXT(" + index + ")].f[n % 64u];"
                                : "textureLod(t[nonuniformEXT(" + index + ")], vec2(float(n) * 0.01, 0.5), 0.0).r;") +
              "\n  o[n] = sum; }\n",
          layout);
    }
  }
  double run(std::size_t which) {
    const VkCommandBuffer c = v.commands();
    v.begin(c);
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines.at(which));
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdDispatch(c, kInvocations / 64, 1, 1);
    const auto once = [&] { (void)v.submit(c); };
    for (double before = 0; !warm.at(which) && before < kWarmSeconds;) before += seconds_of(once);
    warm.at(which) = true;
    const double seconds = seconds_of(once);
    vkFreeCommandBuffers(v.device, v.pool, 1, &c);
    return seconds;
  }
  /// Optimized code is made beside the first runs.
  static constexpr double kWarmSeconds = 0.3;
  std::array<bool, 4> warm{};
  static constexpr VkDescriptorType kImage = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  VulkanDevice v;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkDescriptorSet set = VK_NULL_HANDLE;
  VkImageView view = VK_NULL_HANDLE;
  std::array<VkPipeline, 4> pipelines{};
};

/// A product of two matrices of halves, in tiles of 16 x 16: of cooperative matrices where the driver has them, else
/// each element by an invocation.
struct Product {
  static constexpr std::uint32_t kRows = 1024, kTile = 16;
  static constexpr double kItems = double{kRows} * kRows * kRows;
  static constexpr const char* kExtension = "VK_KHR_cooperative_matrix";
  static const char* extension(const Bench& of) {
    return has(of, {kExtension}) ? kExtension : VK_KHR_16BIT_STORAGE_EXTENSION_NAME;
  }
  Product(const Bench& of, const std::vector<const char*>& extensions)
      : cooperates(has(of, {kExtension})), v(extensions, of.manifest) {
    const std::vector<VulkanDevice::Binding> bindings{{0, kStorage}, {1, kStorage}, {2, kStorage}};
    const VkDescriptorSetLayout sets = v.set_layout(bindings);
    layout = v.layout({sets});
    set = v.set(sets, bindings);
    for (std::uint32_t b = 0; b < 3; ++b) {
      const auto buffer = v.buffer(std::uint64_t{kRows} * kRows * (b == 0 ? 4 : 2));
      for (std::uint32_t k = 0; k < kRows * kRows / 2 && b != 0; ++k) buffer.set(k, 0x3c003c00u + k * 7 % 64);
      v.write(set, b, kStorage, buffer);
    }
    const std::vector<std::uint32_t> words = cooperates ? test::assemble(assembly()) : std::vector<std::uint32_t>();
    if (!cooperates)
      pipeline = v.pipeline(plain(), layout);
    else if (!words.empty())
      pipeline = v.pipeline_of(words, layout);
  }
  static std::string plain() {
    return "#version 450\n#extension GL_EXT_shader_16bit_storage : require\nlayout(local_size_x = 16, local_size_y = "
           "16) "
           "in;\nlayout(binding = 0) buffer O { float o[]; };\nlayout(binding = 1) readonly buffer A { float16_t a[]; "
           "};\n"
           "layout(binding = 2) readonly buffer B { float16_t b[]; };\n"
           "void main() { uvec2 at = gl_GlobalInvocationID.xy; float sum = 0.0;\n"
           "  for (uint k = 0u; k < 1024u; ++k) sum = fma(float(a[at.y * 1024u + k]), float(b[k * 1024u + at.x]), "
           "sum);\n"
           "  o[at.y * 1024u + at.x] = sum; }\n";
  }
  /// A subgroup makes a tile.
  static std::string assembly() {
    test::MatrixModule m;
    m.decorations = "OpDecorate %group BuiltIn WorkgroupId\n";
    m.inputs = " %group";
    m.types =
        "%v3 = OpTypeVector %u32 3\n%pi3 = OpTypePointer Input %v3\n%group = OpVariable %pi3 Input\n%size = OpConstant "
        "%u32 1024\n%rows = OpConstant %u32 16384\n%zero = OpConstant %f32 0\n%zeros = OpConstantComposite %mc %zero\n";
    m.body =
        "%g = OpLoad %v3 %group\n%x = OpCompositeExtract %u32 %g 0\n%y = OpCompositeExtract %u32 %g 1\n"
        "%row = OpIMul %u32 %y %rows\n%column = OpIMul %u32 %x %n16\nOpBranch %head\n%head = OpLabel\n"
        "%i = OpPhi %u32 %c0 %first %next %loop\n%sum = OpPhi %mc %zeros %first %more %loop\n"
        "%goes = OpULessThan %bool %i %size\nOpLoopMerge %end %loop None\nOpBranchConditional %goes %loop %end\n"
        "%loop = OpLabel\n%ia = OpIAdd %u32 %row %i\n%below = OpIMul %u32 %i %size\n%ib = OpIAdd %u32 %below %column\n"
        "%pa = OpAccessChain %pe_f16 %buffer_a %c0 %ia\n%pb = OpAccessChain %pe_f16 %buffer_b %c0 %ib\n" +
        test::numbered(test::kMatrixLoad, "%ma %tile_a %pa %c0 %size") +
        test::numbered(test::kMatrixLoad, "%mb %tile_b %pb %c0 %size") +
        test::numbered(test::kMatrixMulAdd, "%mc %more %tile_a %tile_b %sum") +
        "%next = OpIAdd %u32 %i %n16\nOpBranch %head\n%end = OpLabel\n%io = OpIAdd %u32 %row %column\n"
        "%po = OpAccessChain %pe_f32 %buffer_d %c0 %io\n" +
        test::numbered(test::kMatrixStore, "%po %sum %c0 %size");
    m.whole = true;
    return m.text();
  }
  double run() {
    if (pipeline == VK_NULL_HANDLE) return kMissing;
    const VkCommandBuffer c = v.commands();
    v.begin(c);
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdDispatch(c, kRows / kTile, kRows / kTile, 1);
    const auto once = [&] { (void)v.submit(c); };
    for (double before = 0; !warm && before < 2;) before += seconds_of(once);  // optimized code is made meanwhile
    warm = true;
    const double seconds = seconds_of(once);
    vkFreeCommandBuffers(v.device, v.pool, 1, &c);
    return seconds;
  }
  bool cooperates, warm = false;
  VulkanDevice v;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkDescriptorSet set = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;
};

template <bool Large>
void add_meshlets(std::vector<Item>& items, const char* name) {
  items.push_back({name, double{Meshlets<Large>::kGroups} * Meshlets<Large>::kTriangles, 0,
                   [](Bench& b) {
                     auto* const row = own<Meshlets<Large>>(
                         b, Large ? "large meshlets" : "meshlets",
                         {VK_EXT_MESH_SHADER_EXTENSION_NAME, VK_KHR_SPIRV_1_4_EXTENSION_NAME,
                          VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME, VK_KHR_MULTIVIEW_EXTENSION_NAME});
                     return row != nullptr ? row->run() : kMissing;
                   },
                   2, true});
}

}  // namespace

void add_newer(std::vector<Item>& items) {
  add_meshlets<false>(items, "1,000,000 small triangles of meshlets: triangle");
  add_meshlets<true>(items, "1,000,000 triangles of meshlets of 64 vertices and 124 triangles: triangle");
  items.push_back({"bind a page of a buffer in parts", kBinds, 0, [](Bench& b) {
                     VkPhysicalDeviceFeatures features;
                     vkGetPhysicalDeviceFeatures(b.v.physical, &features);
                     if (features.sparseResidencyBuffer == VK_FALSE) return kMissing;
                     return own<Parts>(b, "parts", {})->run();
                   }});
  items.push_back({"bind a shader object and dispatch 64 invocations", kBound, 0, [](Bench& b) {
                     auto* const row =
                         own<Objects>(b, "objects", {"VK_EXT_shader_object", VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME});
                     return row != nullptr ? row->run() : kMissing;
                   }});
  items.push_back({"write two descriptors of a buffer, bind them and dispatch 64 invocations", kBound, 0, [](Bench& b) {
                     auto* const row = own<DescriptorBuffers>(
                         b, "descriptor buffers",
                         {VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME, VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME});
                     return row != nullptr ? row->run() : kMissing;
                   }});
  items.push_back({"export memory as a file descriptor, and import it", kImports, 0, [](Bench& b) {
                     auto* const row = own<Imports>(
                         b, "imports",
                         {VK_KHR_EXTERNAL_MEMORY_EXTENSION_NAME, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME});
                     return row != nullptr ? row->run() : kMissing;
                   }});
  items.push_back(
      {"a product of matrices of 1024 x 1024 halves, cooperative where they are: 1,000,000 products and sums",
       Product::kItems / 1e6, 0,
       [](Bench& b) {
         auto* const row = own<Product>(b, "product", {Product::extension(b)});
         return row != nullptr ? row->run() : kMissing;
       },
       0, true});
  constexpr const char* kChosen[] = {"a buffer of 500, the same for all invocations", "a buffer of 500, one each",
                                     "a sampled image of 500, the same for all invocations",
                                     "a sampled image of 500, one each"};
  for (std::size_t k = 0; k < std::size(kChosen); ++k)
    items.push_back({kChosen[k], Chosen::kItems, 0, [k](Bench& b) {
                       auto* const row = own<Chosen>(b, "chosen", {VK_EXT_DESCRIPTOR_INDEXING_EXTENSION_NAME});
                       return row != nullptr ? row->run(k) : kMissing;
                     }});
}

}  // namespace heddle::bench
