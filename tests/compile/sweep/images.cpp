// SPDX-License-Identifier: MIT
// Images: samples written one by one, rectangle images, more descriptors than the binding table holds.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "compile/sweep/stages.hpp"

namespace heddle::test {
namespace {

struct Texel {
  const char *type, *format, *surface;  ///< component type; SPIR-V's and Intel's name of the format
};
constexpr Texel kTexels[] = {{"f32", "Rgba32f", "R32G32B32A32_FLOAT"},
                             {"i32", "Rgba32i", "R32G32B32A32_SINT"},
                             {"u32", "Rgba32ui", "R32G32B32A32_UINT"}};

/// One pixel draws nothing of interest: the shaders of this file are fragment shaders, so that one harness runs them.
ModuleText module_of() {
  ModuleText m = fragment_module();
  m.interfaces += " %place";
  m.decorations += "OpDecorate %place BuiltIn FragCoord\n";
  m.globals += "%to_place = OpTypePointer Input %v4f32\n%place = OpVariable %to_place Input\n";
  m.body =
      "%at = OpLoad %v4f32 %place\n%at_x = OpCompositeExtract %f32 %at 0\n%at_y = OpCompositeExtract %f32 %at 1\n"
      "%x = OpConvertFToU %u32 %at_x\n%y = OpConvertFToU %u32 %at_y\nOpStore %color %at\n";
  return m;
}

/// Writes (x, y, layer * 10 + sample, 1) to each sample of each layer, and adds nothing to a target.
StageShader samples_shader(const Texel& texel, unsigned samples, unsigned layers, unsigned simd) {
  ModuleText m = module_of();
  const bool arrayed = layers > 1;
  m.capabilities =
      std::string("OpCapability StorageImageMultisample\n") + (arrayed ? "OpCapability ImageMSArray\n" : "");
  m.interfaces += " %image";
  m.decorations += "OpDecorate %image DescriptorSet 0\nOpDecorate %image Binding 3\n";
  m.globals += fmt::format(
      "%image_type = OpTypeImage %{} 2D 0 {} 1 2 {}\n%to_image = OpTypePointer UniformConstant %image_type\n"
      "%image = OpVariable %to_image UniformConstant\n",
      texel.type, arrayed ? 1 : 0, texel.format);
  const std::string convert = texel.type[0] == 'f' ? "OpConvertUToF" : "OpBitcast";
  const bool same = std::string(texel.type) == "u32";
  m.body += "%loaded = OpLoad %image_type %image\n";
  const auto number = [&](const std::string& to, const std::string& from) {
    return same ? fmt::format("{} = OpCopyObject %u32 {}\n", to, from)
                : fmt::format("{} = {} %{} {}\n", to, convert, texel.type, from);
  };
  m.body += number("%tx", "%x") + number("%ty", "%y");
  for (unsigned layer = 0; layer < layers; ++layer) {
    m.body += arrayed ? fmt::format("%p{0} = OpCompositeConstruct %v3u32 %x %y %u32_{0}\n", layer)
                      : fmt::format("%p{} = OpCompositeConstruct %v2u32 %x %y\n", layer);
    for (unsigned sample = 0; sample < samples; ++sample) {
      const std::string id = fmt::format("{}_of_{}", sample, layer);
      m.body += number("%mark" + id, fmt::format("%u32_{}", layer * 10 + sample));
      m.body += fmt::format(
          "%texel{0} = OpCompositeConstruct %v4{1} %tx %ty %mark{0} %{1}_1\n"
          "OpImageWrite %loaded %p{2} %texel{0} Sample %u32_{3}\n",
          id, texel.type, layer, sample);
    }
  }
  StageShader s;
  s.name = fmt::format("Samples{}Of{}Layers{}By{}", samples, texel.type, layers, simd);
  s.fragment = module_text(m);
  s.options.simd = simd;
  s.tables = fmt::format("[images.\"0.3\"]\nformat = \"{}\"\nsize = [8, 8]\nsamples = {}\n{}save = \"samples.bin\"\n",
                         texel.surface, samples,
                         arrayed ? fmt::format("array = true\nlayers = {0}\nview_layers = {0}\n", layers) : "");
  s.file = "samples.bin";
  const auto bits = [&](unsigned value) {
    return texel.type[0] == 'f' ? std::bit_cast<std::uint32_t>(static_cast<float>(value)) : value;
  };
  for (unsigned layer = 0; layer < layers; ++layer)
    for (unsigned sample = 0; sample < samples; ++sample)
      for (unsigned y = 0; y < 8; ++y)
        for (unsigned x = 0; x < 8; ++x)
          for (const unsigned value : {x, y, layer * 10 + sample, 1u}) s.words.push_back(bits(value));
  return s;
}

/// Each pixel adds x + 1 to sample `sample` of the texel in its row's first column.
StageShader sample_atomic_shader(unsigned samples, unsigned sample) {
  ModuleText m = module_of();
  m.capabilities = "OpCapability StorageImageMultisample\n";
  m.interfaces += " %image";
  m.decorations += "OpDecorate %image DescriptorSet 0\nOpDecorate %image Binding 3\n";
  m.globals +=
      "%image_type = OpTypeImage %u32 2D 0 0 1 2 R32ui\n%to_image = OpTypePointer UniformConstant %image_type\n"
      "%image = OpVariable %to_image UniformConstant\n%to_texel = OpTypePointer Image %u32\n";
  m.body += fmt::format(
      "%p = OpCompositeConstruct %v2u32 %u32_0 %y\n%texel = OpImageTexelPointer %to_texel %image %p %u32_{}\n"
      "%more = OpIAdd %u32 %x %u32_1\n%old = OpAtomicIAdd %u32 %texel %u32_1 %u32_0 %more\n",
      sample);
  StageShader s;
  s.name = fmt::format("SampleAtomic{}Of{}", sample, samples);
  s.fragment = module_text(m);
  s.tables = fmt::format(
      "[images.\"0.3\"]\nformat = \"R32_UINT\"\nsize = [8, 8]\nsamples = {}\nsave = \"samples.bin\"\n", samples);
  s.file = "samples.bin";
  for (unsigned k = 0; k < samples; ++k)
    for (unsigned texel = 0; texel < 64; ++texel) s.words.push_back(k == sample && texel % 8 == 0 ? 36 : 0);
  return s;
}

/// A rectangle image of 8 x 8 texels (x, y, 0, 1): its coordinates are texels.
StageShader rect_shader(const char* name, const std::string& code, double shift) {
  ModuleText m = module_of();
  m.capabilities = "OpCapability SampledRect\nOpCapability ImageQuery\n";
  m.interfaces += " %rect";
  m.decorations += "OpDecorate %rect DescriptorSet 0\nOpDecorate %rect Binding 3\n";
  m.globals +=
      "%image_type = OpTypeImage %f32 Rect 0 0 0 1 Unknown\n%sampled = OpTypeSampledImage %image_type\n"
      "%to_sampled = OpTypePointer UniformConstant %sampled\n%rect = OpVariable %to_sampled UniformConstant\n"
      "%half = OpConstant %f32 0.5\n";
  m.body += "%both = OpLoad %sampled %rect\n%place2 = OpCompositeConstruct %v2f32 %at_x %at_y\n" + code +
            "OpStore %color %shown\n";
  StageShader s;
  s.name = std::string("Rect") + name;
  s.fragment = module_text(m);
  s.options.target_env = "universal1.5";
  std::string texels;
  for (unsigned y = 0; y < 8; ++y)
    for (unsigned x = 0; x < 8; ++x)
      for (const float value : {static_cast<float>(x), static_cast<float>(y), 0.0f, 1.0f}) {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        for (unsigned k = 0; k < 4; ++k) texels += fmt::format("{:02x}", bits >> (8 * k) & 255u);
      }
  s.tables = "[images.\"0.3\"]\nformat = \"R32G32B32A32_FLOAT\"\nsize = [8, 8]\ndata = [[\"" + texels +
             "\"]]\n[samplers.\"0.3\"]\nfilter = \"" + (shift == 0 ? "nearest" : "linear") +
             "\"\naddress = \"clamp_to_edge\"\n";
  s.tolerance = 1e-2;
  s.color = [shift](unsigned x, unsigned y) {
    return std::array<double, 4>{std::min(x + shift, 7.0), static_cast<double>(y), 0, 1};
  };
  return s;
}

/// Images of one 64-bit component; their surfaces have format R32G32_UINT.
void add_wide_image(ModuleText& m, const char* type) {
  m.capabilities =
      "OpCapability Int64ImageEXT\nOpCapability Int64Atomics\nOpExtension \"SPV_EXT_shader_image_int64\"\n";
  m.interfaces += " %image";
  m.decorations += "OpDecorate %image DescriptorSet 0\nOpDecorate %image Binding 3\n";
  m.globals += fmt::format(
      "%image_type = OpTypeImage %{0} 2D 0 0 0 2 {1}\n%to_image = OpTypePointer UniformConstant %image_type\n"
      "%image = OpVariable %to_image UniformConstant\n%to_texel = OpTypePointer Image %{0}\n"
      "%wide_part = OpConstant %{0} 21474836487\n%wide_32 = OpConstant %{0} 32\n",  // 5 * 2^32 + 7
      type, type[0] == 'u' ? "R64ui" : "R64i");
  m.body += fmt::format(
      "%wx = OpUConvert %u64 %x\n%wy = OpUConvert %u64 %y\n%high = OpShiftLeftLogical %u64 %wy %u64_33\n"
      "%both_u = OpBitwiseOr %u64 %high %wx\n%both = {} %{} %both_u\n",
      type[0] == 'u' ? "OpCopyObject" : "OpBitcast", type);
}

StageShader wide_shader(const std::string& name, const char* type, const std::string& code,
                        std::uint64_t (*texel)(unsigned x, unsigned y)) {
  ModuleText m = module_of();
  add_wide_image(m, type);
  m.body += code;
  StageShader s;
  s.name = "Wide" + name;
  s.fragment = module_text(m);
  s.tables = "[images.\"0.3\"]\nformat = \"R32G32_UINT\"\nsize = [8, 8]\nsave = \"wide.bin\"\n";
  s.file = "wide.bin";
  for (unsigned y = 0; y < 8; ++y)
    for (unsigned x = 0; x < 8; ++x) {
      const std::uint64_t value = texel(x, y);
      s.words.push_back(static_cast<std::uint32_t>(value));
      s.words.push_back(static_cast<std::uint32_t>(value >> 32));
    }
  return s;
}

/// What a pixel has to say: its row in the upper half, its column in the lower.
std::uint64_t wide_value(std::uint64_t x, std::uint64_t y) { return y << 33 | x; }
/// Over the pixels of a row, beginning with 0.
template <typename Fold>
std::uint64_t row_of(unsigned x, unsigned y, Fold fold) {
  std::uint64_t sum = 0;
  for (unsigned k = 0; x == 0 && k < 8; ++k) sum = fold(sum, wide_value(k, y));
  return sum;
}

void add_wide_shaders(std::vector<StageShader>& list) {
  const std::string place = "%p = OpCompositeConstruct %v2u32 %x %y\n%loaded = OpLoad %image_type %image\n";
  for (const char* type : {"u64", "i64"})
    list.push_back(
        wide_shader(std::string("ReadWrite") + type, type,
                    filled_in(place + "%texel = OpCompositeConstruct %v4{T} %both %both %both %both\n"
                                      "OpImageWrite %loaded %p %texel\n%again = OpImageRead %v4{T} %loaded %p\n"
                                      "%red = OpCompositeExtract %{T} %again 0\n"
                                      "%alpha = OpCompositeExtract %{T} %again 3\n"
                                      "%more = OpIAdd %{T} %red %wide_part\n"
                                      "%most = OpIAdd %{T} %more %alpha\n"
                                      "%last = OpCompositeConstruct %v4{T} %most %red %red %red\n"
                                      "OpImageWrite %loaded %p %last\n",
                              {{"T", type}}),
                    [](unsigned x, unsigned y) { return wide_value(x, y) + 21474836487u + 1; }));
  struct Wide {
    const char *name, *type, *code;
    std::uint64_t (*texel)(unsigned x, unsigned y);
  };
  const Wide kWide[] = {
      {"Add", "u64", "OpAtomicIAdd %u64 %texel %u32_1 %u32_0 %both",
       [](unsigned x, unsigned y) { return row_of(x, y, [](std::uint64_t a, std::uint64_t b) { return a + b; }); }},
      {"Sub", "u64", "OpAtomicISub %u64 %texel %u32_1 %u32_0 %both",
       [](unsigned x, unsigned y) { return row_of(x, y, [](std::uint64_t a, std::uint64_t b) { return a - b; }); }},
      {"Or", "u64", "OpAtomicOr %u64 %texel %u32_1 %u32_0 %both",
       [](unsigned x, unsigned y) { return row_of(x, y, [](std::uint64_t a, std::uint64_t b) { return a | b; }); }},
      {"Xor", "u64", "OpAtomicXor %u64 %texel %u32_1 %u32_0 %both",
       [](unsigned x, unsigned y) { return row_of(x, y, [](std::uint64_t a, std::uint64_t b) { return a ^ b; }); }},
      {"Umax", "u64", "OpAtomicUMax %u64 %texel %u32_1 %u32_0 %both",
       [](unsigned x, unsigned y) {
         return row_of(x, y, [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); });
       }},
      {"Smax", "i64", "OpAtomicSMax %i64 %texel %u32_1 %u32_0 %both",
       [](unsigned x, unsigned y) {
         return row_of(x, y, [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); });
       }},
      {"Increment", "u64", "OpAtomicIIncrement %u64 %texel %u32_1 %u32_0",
       [](unsigned x, unsigned y) { return row_of(x, y, [](std::uint64_t a, std::uint64_t) { return a + 1; }); }},
      // The pixels of a row count by compare and exchange: one of them finds 0, nobody finds the other.
      {"CompareExchange", "u64", "OpAtomicCompareExchange %u64 %texel %u32_1 %u32_0 %u32_0 %wide_part %u64_0",
       [](unsigned x, unsigned) { return std::uint64_t{x == 0 ? 21474836487u : 0}; }},
      {"Exchange", "u64", "OpAtomicExchange %u64 %texel %u32_1 %u32_0 %wide_part",
       [](unsigned x, unsigned) { return std::uint64_t{x == 0 ? 21474836487u : 0}; }},
  };
  for (const Wide& w : kWide)
    list.push_back(wide_shader(w.name, w.type,
                               "%p = OpCompositeConstruct %v2u32 %u32_0 %y\n"
                               "%texel = OpImageTexelPointer %to_texel %image %p %u32_0\n%old = " +
                                   std::string(w.code) + "\n",
                               w.texel));
  list.push_back(wide_shader("LoadStore", "u64",
                             place + "%texel = OpImageTexelPointer %to_texel %image %p %u32_0\n"
                                     "OpAtomicStore %texel %u32_1 %u32_0 %both\n"
                                     "%seen = OpAtomicLoad %u64 %texel %u32_1 %u32_0\n"
                                     "%more = OpIAdd %u64 %seen %wide_part\nOpAtomicStore %texel %u32_1 %u32_0 %more\n",
                             [](unsigned x, unsigned y) { return wide_value(x, y) + 21474836487u; }));
}

/// `count` storage buffers in an array; pixel n takes from buffer n mod count, or from one that is known.
StageShader buffers_shader(unsigned count, int fixed) {
  ModuleText m = module_of();
  m.capabilities = "OpCapability ShaderNonUniform\nOpCapability StorageBufferArrayNonUniformIndexing\n";
  m.interfaces += " %many";
  m.decorations +=
      "OpMemberDecorate %block 0 Offset 0\nOpDecorate %block Block\nOpDecorate %many DescriptorSet 0\n"
      "OpDecorate %many Binding 5\nOpDecorate %which NonUniform\nOpDecorate %from NonUniform\nOpDecorate %value "
      "NonUniform\n";
  m.globals += fmt::format(
      "%block = OpTypeStruct %f32\n%array = OpTypeArray %block %u32_{}\n%to_array = OpTypePointer StorageBuffer "
      "%array\n"
      "%to_one = OpTypePointer StorageBuffer %f32\n%many = OpVariable %to_array StorageBuffer\n",
      count);
  m.body += fmt::format(
      "%row = OpIMul %u32 %y %u32_8\n%pixel = OpIAdd %u32 %row %x\n%wide = OpIMul %u32 %pixel %u32_7\n"
      "%which = OpUMod %u32 %wide %u32_{}\n",
      count);
  m.body += fmt::format("%from = OpAccessChain %to_one %many {} %u32_0\n",
                        fixed < 0 ? std::string("%which") : fmt::format("%u32_{}", fixed));
  m.body += "%value = OpLoad %f32 %from\n" + to_v4f32("%value", "f32", "%shown") + "OpStore %color %shown\n";
  if (fixed >= 0)
    for (const char* id : {"from", "value"}) {
      const std::string line = fmt::format("OpDecorate %{} NonUniform\n", id);
      m.decorations.erase(m.decorations.find(line), line.size());
    }
  StageShader s;
  s.name = fmt::format("Buffers{}{}", count, fixed < 0 ? std::string("Indexed") : fmt::format("Element{}", fixed));
  s.fragment = module_text(m);
  for (unsigned k = 0; k < count; ++k)
    s.tables += fmt::format("[buffers.\"0.5[{0}]\"]\ntype = \"f32\"\ndata = [{0}.5]\n", k);
  s.color = [=](unsigned x, unsigned y) {
    const unsigned k = fixed < 0 ? (y * 8 + x) * 7 % count : static_cast<unsigned>(fixed);
    return std::array<double, 4>{k + 0.5, 0, 0, 0};
  };
  return s;
}

/// `count` combined images and samplers of one texel each; all are sampled and summed.
StageShader samplers_shader(unsigned count) {
  ModuleText m = module_of();
  m.globals +=
      "%image_type = OpTypeImage %f32 2D 0 0 0 1 Unknown\n%sampled = OpTypeSampledImage %image_type\n"
      "%to_sampled = OpTypePointer UniformConstant %sampled\n%half = OpConstant %f32 0.5\n";
  m.body += "%middle = OpCompositeConstruct %v2f32 %half %half\n";
  std::string sum = "%zero";
  m.globals += "%zero = OpConstantNull %v4f32\n";
  StageShader s;
  for (unsigned k = 0; k < count; ++k) {
    m.interfaces += fmt::format(" %tex{}", k);
    m.decorations += fmt::format("OpDecorate %tex{0} DescriptorSet 1\nOpDecorate %tex{0} Binding {0}\n", k);
    m.globals += fmt::format("%tex{} = OpVariable %to_sampled UniformConstant\n", k);
    m.body += fmt::format(
        "%l{0} = OpLoad %sampled %tex{0}\n%v{0} = OpImageSampleExplicitLod %v4f32 %l{0} %middle Lod %f32_0\n"
        "%s{0} = OpFAdd %v4f32 {1} %v{0}\n",
        k, sum);
    sum = fmt::format("%s{}", k);
    s.tables += fmt::format(
        "[images.\"1.{0}\"]\nformat = \"R32G32B32A32_FLOAT\"\nsize = [1, 1]\nfill = [{0}, 1, 0, 0]\n"
        "[samplers.\"1.{0}\"]\nfilter = \"nearest\"\naddress = \"clamp_to_edge\"\n",
        k);
  }
  m.body += "OpStore %color " + sum + "\n";
  s.name = fmt::format("Samplers{}", count);
  s.fragment = module_text(m);
  s.color = [count](unsigned, unsigned) {
    return std::array<double, 4>{count * (count - 1) / 2.0, static_cast<double>(count), 0, 0};
  };
  return s;
}

}  // namespace

std::vector<StageShader> image_shaders() {
  std::vector<StageShader> list;
  for (const Texel& texel : kTexels)
    for (const unsigned samples : {2u, 4u, 8u})
      for (const unsigned layers : {1u, 3u}) list.push_back(samples_shader(texel, samples, layers, 16));
  list.push_back(samples_shader(kTexels[0], 4, 3, 8));
  list.push_back(samples_shader(kTexels[0], 4, 3, 32));
  for (const unsigned samples : {2u, 4u, 16u})
    for (const unsigned sample : {0u, samples - 1}) list.push_back(sample_atomic_shader(samples, sample));
  list.push_back(rect_shader("Sample", "%shown = OpImageSampleImplicitLod %v4f32 %both %place2\n", 0));
  list.push_back(rect_shader("SampleBetween",
                             "%moved = OpFAdd %f32 %at_x %half\n%between = OpCompositeConstruct %v2f32 %moved %at_y\n"
                             "%shown = OpImageSampleImplicitLod %v4f32 %both %between\n",
                             0.5));
  list.push_back(rect_shader("Fetch",
                             "%only = OpImage %image_type %both\n%texel = OpCompositeConstruct %v2u32 %x %y\n"
                             "%shown = OpImageFetch %v4f32 %only %texel\n",
                             0));
  list.push_back(rect_shader("Size",
                             "%only = OpImage %image_type %both\n%size = OpImageQuerySize %v2u32 %only\n"
                             "%size_x = OpCompositeExtract %u32 %size 0\n%less = OpISub %u32 %size_x %u32_8\n"
                             "%less_f = OpConvertUToF %f32 %less\n%xf = OpConvertUToF %f32 %x\n"
                             "%yf = OpConvertUToF %f32 %y\n%sum = OpFAdd %f32 %xf %less_f\n"
                             "%shown = OpCompositeConstruct %v4f32 %sum %yf %f32_0 %f32_1\n",
                             0));
  add_wide_shaders(list);
  for (const unsigned count : {231u, 300u}) list.push_back(buffers_shader(count, -1));
  for (const int element : {0, 229, 230, 299}) list.push_back(buffers_shader(300, element));
  for (const unsigned count : {31u, 32u, 40u}) list.push_back(samplers_shader(count));
  return list;
}

}  // namespace heddle::test
