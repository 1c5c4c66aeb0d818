// SPDX-License-Identifier: MIT
#include "image_shader.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <fstream>
#include <random>

#include "support/process.hpp"

namespace heddle::test {

std::string ImageShader::text() const {
  std::string t =
      "OpCapability Shader\nOpCapability Sampled1D\nOpCapability Image1D\nOpCapability SampledCubeArray\nOpCapability "
      "ImageCubeArray\n"
      "OpCapability SampledBuffer\nOpCapability ImageBuffer\nOpCapability ImageQuery\nOpCapability "
      "ImageGatherExtended\n"
      "OpCapability StorageImageReadWithoutFormat\nOpCapability StorageImageWriteWithoutFormat\nOpCapability "
      "StorageImageExtendedFormats\n" +
      capabilities;
  if (body.find("MinLod") != std::string::npos) t += "OpCapability MinLod\n";
  if (body.find("Sparse") != std::string::npos) t += "OpCapability SparseResidency\n";
  if (quads) t += "OpCapability ComputeDerivativeGroupLinearNV\nOpExtension \"SPV_NV_compute_shader_derivatives\"\n";
  t += extensions;
  t += extensions +
       "OpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\" %index_in %tex %in %out\nOpExecutionMode "
       "%main LocalSize 32 1 1\n";
  if (quads) t += "OpExecutionMode %main DerivativeGroupLinearNV\n";
  t +=
      "OpName %tex \"tex\"\nOpDecorate %index_in BuiltIn LocalInvocationIndex\n"
      "OpDecorate %tex DescriptorSet 0\nOpDecorate %tex Binding 0\n"
      "OpDecorate %in DescriptorSet 0\nOpDecorate %in Binding 1\nOpDecorate %out DescriptorSet 0\nOpDecorate %out "
      "Binding 2\n"
      "OpDecorate %In Block\nOpDecorate %Out Block\nOpMemberDecorate %In 0 Offset 0\nOpMemberDecorate %Out 0 Offset 0\n"
      "OpDecorate %vectors ArrayStride 16\nOpDecorate %words ArrayStride 4\n"
      "%void = OpTypeVoid\n%none = OpTypeFunction %void\n%bool = OpTypeBool\n%float = OpTypeFloat 32\n%int = OpTypeInt "
      "32 1\n%uint = OpTypeInt 32 0\n";
  for (const char* type : {"float", "int", "uint"})
    for (int n = 2; n <= 4; ++n) t += fmt::format("%v{0}{1} = OpTypeVector %{1} {0}\n", n, type);
  for (int n = 0; n <= 24; ++n)
    t += fmt::format("%uint_{0} = OpConstant %uint {0}\n%int_{0} = OpConstant %int {0}\n", n);
  t += "%float_0 = OpConstant %float 0\n";
  t += types + fmt::format("%Image = OpTypeImage %{} {} 0 {} {} {} {}\n", texel, dim, arrayed ? 1 : 0,
                           multisampled ? 1 : 0, storage ? 2 : 1, format);
  const bool combined = !storage && dim != "Buffer";
  if (combined) t += "%Sampled = OpTypeSampledImage %Image\n";
  const std::string type = combined ? "%Sampled" : "%Image";
  if (elements != 0) {
    t += fmt::format(
        "%count = OpConstant %uint {}\n%Array = OpTypeArray {} %count\n%p_array = OpTypePointer UniformConstant "
        "%Array\n",
        elements, type);
    t += "%tex = OpVariable %p_array UniformConstant\n";
  }
  t += "%p_image = OpTypePointer UniformConstant " + type + "\n";
  if (elements == 0) t += "%tex = OpVariable %p_image UniformConstant\n";
  t += "%p_in_uint = OpTypePointer Input %uint\n%index_in = OpVariable %p_in_uint Input\n"
       "%vectors = OpTypeRuntimeArray %v4float\n%In = OpTypeStruct %vectors\n%p_In = OpTypePointer StorageBuffer %In\n"
       "%in = OpVariable %p_In StorageBuffer\n%p_v4float = OpTypePointer StorageBuffer %v4float\n"
       "%words = OpTypeRuntimeArray %uint\n%Out = OpTypeStruct %words\n%p_Out = OpTypePointer StorageBuffer %Out\n"
       "%out = OpVariable %p_Out StorageBuffer\n%p_uint = OpTypePointer StorageBuffer %uint\n" +
       globals +
       "%main = OpFunction %void None %none\n%start = OpLabel\n%lane = OpLoad %uint %index_in\n%base = OpIMul %uint "
       "%lane %uint_4\n";
  for (int k = 0; k < 4; ++k) {
    const char name = "PEXY"[k];
    t += fmt::format(
        "%at_{0} = OpIAdd %uint %base %uint_{1}\n%to_{0} = OpAccessChain %p_v4float %in %uint_0 %at_{0}\n%{0} = OpLoad "
        "%v4float %to_{0}\n",
        name, k);
  }
  for (const char name : {'P', 'X', 'Y'}) {
    t += fmt::format(
        "%{0}1 = OpCompositeExtract %float %{0} 0\n%{0}2 = OpVectorShuffle %v2float %{0} %{0} 0 1\n"
        "%{0}3 = OpVectorShuffle %v3float %{0} %{0} 0 1 2\n%{0}4 = OpCopyObject %v4float %{0}\n",
        name);
  }
  t += "%EI = OpConvertFToS %v4int %E\n%I4 = OpConvertFToS %v4int %P\n%I1 = OpCompositeExtract %int %I4 0\n%I2 = "
       "OpVectorShuffle %v2int %I4 %I4 0 1\n"
       "%I3 = OpVectorShuffle %v3int %I4 %I4 0 1 2\n";
  for (int k = 0; k < 4; ++k)
    t += fmt::format("%E_{0} = OpCompositeExtract %float %E {0}\n%EI_{0} = OpCompositeExtract %int %EI {0}\n", k);
  t += "%U_0 = OpBitcast %uint %EI_0\n";
  if (elements != 0)
    t += fmt::format("%chosen = OpAccessChain %p_image %tex %{}\n%image = OpLoad {} %chosen\n", index, type);
  else
    t += "%image = OpLoad " + type + " %tex\n";
  t += combined ? "%bare = OpImage %Image %image\n" : "%bare = OpCopyObject %Image %image\n";
  t += body;
  t += fmt::format("%to = OpIMul %uint %lane %uint_{}\n", std::max<std::size_t>(results.size(), 1));
  for (std::size_t k = 0; k < results.size(); ++k) {
    const auto& [id, of] = results[k];
    t += fmt::format(
        "%word_{0} = OpIAdd %uint %to %uint_{0}\n%place_{0} = OpAccessChain %p_uint %out %uint_0 %word_{0}\n", k);
    t += of == "uint" ? fmt::format("OpStore %place_{} {}\n", k, id)
                      : fmt::format("%bits_{0} = OpBitcast %uint {1}\nOpStore %place_{0} %bits_{0}\n", k, id);
  }
  return t + "OpReturn\nOpFunctionEnd\n";
}

std::string image_words(const Picture& p) {
  static const TemporaryFolder folder;
  static int number = 0;
  std::size_t texels = 0;
  for (unsigned level = 0; level < p.levels; ++level) {
    const auto size = [&](unsigned n) { return std::size_t{std::max(1u, n >> level)}; };
    texels += size(p.width) * (p.dim == "1D" || p.dim == "Buffer" ? 1 : size(p.height)) *
              (p.dim == "3D" ? size(p.depth) : p.layers) * p.samples;
  }
  std::mt19937 random(p.seed);
  std::vector<std::uint8_t> bytes(texels * p.texel_bytes);
  for (std::uint8_t& b : bytes) b = static_cast<std::uint8_t>(random());
  const auto file = folder / fmt::format("texels{}.bin", number++);
  write_bytes(file, bytes);
  const std::string type = p.dim == "Cube"     ? "cube"
                           : p.dim == "Buffer" ? "buffer"
                           : p.dim == "1D"     ? "1d"
                           : p.dim == "3D"     ? "3d"
                                               : "2d";
  std::string t = fmt::format("type = \"{}\"\nformat = \"{}\"\nraw = \"{}\"\n", type, p.format, file.string());
  if (p.dim == "1D")
    t += fmt::format("size = [{}]\n", p.width);
  else if (p.dim == "3D")
    t += fmt::format("size = [{}, {}, {}]\n", p.width, p.height, p.depth);
  else
    t += fmt::format("size = [{}, {}]\n", p.width, p.height);
  if (p.dim != "3D" && p.layers > 1) t += fmt::format("layers = {}\n", p.layers);
  if (p.array) t += "array = true\n";
  if (p.levels > 1) t += fmt::format("levels = {}\n", p.levels);
  if (p.samples > 1) t += fmt::format("samples = {}\n", p.samples);
  return t + p.more;
}

namespace {

std::string image_tables(const ImageJob& job, bool array, const std::string& save) {
  std::string t;
  for (std::size_t k = 0; k <= job.more.size(); ++k)
    t += fmt::format("[images.\"0.0{}\"]\n{}\n{}", array ? fmt::format("[{}]", k) : "",
                     k == 0 ? job.image : job.more[k - 1], k == 0 ? save : std::string());
  if (!job.sampler.empty())
    for (std::size_t k = 0; k <= job.more.size(); ++k)
      t += fmt::format("[samplers.\"0.0{}\"]\n{}\n", array ? fmt::format("[{}]", k) : "", job.sampler);
  return t;
}

}  // namespace

Words run_image_shader(const ImageShader& shader, const ImageJob& job, const std::vector<Operands>& operands,
                       spirv::CompileOptions options, std::string* saved_image) {
  std::string data;
  for (const Operands& o : operands)
    for (const auto& vector : {o.p, o.e, o.x, o.y})
      for (const float f : vector)
        data += fmt::format("{}\"0x{:08x}\"", data.empty() ? "" : ", ", std::bit_cast<std::uint32_t>(f));
  const std::size_t words = std::max<std::size_t>(shader.results.size(), 1);
  const spirv::Module module = assemble_shader(shader.text(), shader.target_env);
  options.target_env = shader.target_env;
  if (const char* folder = std::getenv("HEDDLE_KEEP_SHADERS")) {
    static int number = 0;
    const CompiledShader c = compile_shader(module, options);
    std::ofstream(fmt::format("{}/image{}_{}.visaasm", folder, number++, options.simd)) << c.text;
  }
  // Both engines: the fast one where it compiles in reasonable time, or everywhere when all is wanted.
  const bool fast = options.platform != isa::Platform::XE2 && ((options.simd == 16 && !options.portable) || test_all());
  const job::RunResult o =
      run_shader(module,
                 // Several invocations write one texel: a race that is reported, and meant.
                 std::string(saved_image != nullptr ? "check = \"warn\"\n" : "") +
                     std::string(fast ? "engine = \"fast\"\n" : "engine = \"reference\"\n") +
                     "groups = [1]\n[buffers.\"0.1\"]\ntype = \"f32\"\ndata = [" + data + "]\n" +
                     fmt::format("[buffers.\"0.2\"]\ntype = \"u32\"\ncount = {}\nfill = 0\nsave = \"out.bin\"\n",
                                 kInvocations * words) +
                     image_tables(job, shader.elements != 0, saved_image != nullptr ? "save = \"image.bin\"\n" : ""),
                 options);
  if (!o.succeeded) {
    ADD_FAILURE() << messages(o.diagnostics) << compile_shader(module, options).text;
    return {};
  }
  if (saved_image != nullptr) *saved_image = output_bytes(o, "image.bin");
  const auto all = output_as<std::uint32_t>(o, "out.bin");
  Words results;
  for (std::size_t i = 0; i < kInvocations; ++i)
    results.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(i * words),
                         all.begin() + static_cast<std::ptrdiff_t>((i + 1) * words));
  return results;
}

Bound bind_images(const ImageJob& job) {
  Bound bound;
  auto read =
      job::read_job("program = \"x.visaasm\"\ngroups = [1]\n" + image_tables(job, !job.more.empty(), {}), "test.toml");
  if (!read.ok())
    throw std::runtime_error("the job cannot be read: " + base::render(read.diagnostics().front(), {}, false));
  bound.job = std::move(*read);
  auto loaded = job::load_resources(bound.job);
  if (!loaded.ok())
    throw std::runtime_error("the images cannot be made: " + base::render(loaded.diagnostics().front(), {}, false));
  bound.resources = std::move(*loaded);
  return bound;
}

Value real(std::function<float(const Operands&)> f) {
  return [f = std::move(f)](const Operands& o) { return std::bit_cast<std::uint32_t>(f(o)); };
}
Value integer(std::function<std::int32_t(const Operands&)> f) {
  return [f = std::move(f)](const Operands& o) { return static_cast<std::uint32_t>(f(o)); };
}

Words call_unit(const UnitCall& call, const image::Surface& surface, const image::Sampler& sampler,
                const std::vector<Operands>& operands) {
  texture::OperationContext context;
  texture::LaneRequest request;
  request.op = call.op;
  request.simd = kInvocations;
  request.surface = &surface;
  request.sampler = &sampler;
  request.offset = call.offset;
  request.source_channel = static_cast<std::uint8_t>(call.channel);
  request.null_mask = call.null_mask;
  std::vector<texture::LaneWords> words(call.params.size());
  for (std::size_t p = 0; p < call.params.size(); ++p) {
    for (unsigned lane = 0; lane < kInvocations; ++lane) words[p][lane] = call.params[p].second(operands[lane]);
    request.set(call.params[p].first, words[p]);
  }
  const texture::LaneResult r = texture::execute(request, context);
  EXPECT_FALSE(context.reports.has_errors());
  Words results(kInvocations);
  for (unsigned lane = 0; lane < kInvocations; ++lane) {
    if (call.null_mask) results[lane].push_back(r.null_mask >> lane & 1u);
    for (const unsigned c : call.take) results[lane].push_back(r.channels[c][lane]);
  }
  return results;
}

std::vector<Operands> random_operands(unsigned seed) {
  std::mt19937 random(seed);
  const auto range = [&](float low, float high) {
    return low + (high - low) * static_cast<float>(random() % 65536) / 65536.0f;
  };
  std::vector<Operands> list(kInvocations);
  for (unsigned i = 0; i < kInvocations; ++i) {
    // Quads of quite different sizes, so that levels differ.
    const float spread = std::bit_cast<float>(0x3b000000u + (i / 4 % 7 << 23));
    for (float& f : list[i].p)
      f = (i % 4 == 0 ? range(-0.3f, 1.3f) : list[i / 4 * 4].p[static_cast<std::size_t>(&f - list[i].p.data())]) +
          range(0, spread);
    for (float& f : list[i].e) f = range(0, 4);
    for (float& f : list[i].x) f = range(-spread, spread);
    for (float& f : list[i].y) f = range(-spread, spread);
  }
  return list;
}

void expect_words(const ImageShader& shader, const ImageJob& job, const std::vector<Operands>& operands,
                  const Words& expected) {
  // XE2: other registers, packed offsets, minimum levels of detail as parameters.
  std::vector<std::pair<isa::Platform, unsigned>> targets{{isa::Platform::SKL, 8},
                                                          {isa::Platform::SKL, 16},
                                                          {isa::Platform::SKL, 32},
                                                          {isa::Platform::XE2, 16},
                                                          {isa::Platform::XE2, 32}};
  if (test_all())
    for (const isa::PlatformInfo& p : isa::all_platforms())
      if (!shader.lane_offsets || p.platform < isa::Platform::XeHP_SDV || p.platform >= isa::Platform::XE2)
        targets.emplace_back(p.platform, 16);
  for (const auto& [platform, simd] : targets) {
    spirv::CompileOptions options;
    options.platform = platform;
    options.simd = simd;
    const Words got = run_image_shader(shader, job, operands, options);
    ASSERT_EQ(got.size(), expected.size()) << shader.body;
    for (std::size_t i = 0; i < got.size(); ++i)
      EXPECT_EQ(got[i], expected[i]) << "invocation " << i << " on " << isa::platform_info(platform).name << " at simd "
                                     << simd << "\n"
                                     << shader.body;
  }
}

void expect_like_unit(const ImageShader& shader, const ImageJob& job, const std::vector<Operands>& operands,
                      const UnitCall& call) {
  const Bound bound = bind_images(job);
  expect_words(shader, job, operands, call_unit(call, bound.surface(), bound.sampler(), operands));
}

}  // namespace heddle::test
