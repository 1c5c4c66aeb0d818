// SPDX-License-Identifier: MIT
// Compiled shaders against lavapipe: the same SPIR-V modules, images, samplers and operands on both sides. Gathers,
// fetches, queries, reads, writes and atomics agree exactly; filtered samples within lavapipe's precision.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "compile/image_shader.hpp"
#include "image/format.hpp"
#include "peers/vulkan/surface_image.hpp"
#include "support/process.hpp"

namespace heddle::test {
namespace {

#define HEDDLE_NEED_LAVAPIPE()                    \
  std::string why_not;                            \
  VulkanClient* const vulkan = lavapipe(why_not); \
  if (vulkan == nullptr) GTEST_SKIP() << "lavapipe: " << why_not

struct Kind {
  const char* dim;
  bool arrayed;
};
const Kind kKinds[] = {{"1D", false}, {"1D", true},    {"2D", false},  {"2D", true},
                       {"3D", false}, {"Cube", false}, {"Cube", true}, {"Buffer", false}};

bool is(const Kind& k, const char* dim) { return std::string(k.dim) == dim; }
/// Of float coordinates; a cube's direction has three.
unsigned axes(const Kind& k) { return is(k, "1D") || is(k, "Buffer") ? 1 : is(k, "2D") ? 2 : 3; }
unsigned coordinates(const Kind& k) { return axes(k) + (k.arrayed ? 1 : 0); }

struct Format {
  const char *surface, *spirv, *texel;
  unsigned bytes;
};
const Format kUnorm{"R8G8B8A8_UNORM", "Rgba8", "float", 4}, kUint{"R32_UINT", "R32ui", "uint", 4},
    kSint{"R8G8B8A8_SINT", "Rgba8i", "int", 4}, kDepth{"R16_UNORM", "Unknown", "float", 2};

Picture picture(const Kind& k, const Format& f, unsigned levels) {
  Picture p;
  p.dim = k.dim;
  p.format = f.surface;
  p.texel_bytes = f.bytes;
  p.array = k.arrayed;
  p.width = is(k, "Buffer") ? 64 : 16;
  p.height = is(k, "Buffer") ? 1 : is(k, "Cube") ? 16 : 8;
  p.depth = 8;
  p.levels = is(k, "Buffer") ? 1 : levels;
  p.layers = (is(k, "Cube") ? 6 : 1) * (k.arrayed ? 3 : 1);
  return p;
}

std::string words_of(const Picture& p) {
  std::string words = image_words(p);
  if (p.dim == "Buffer")
    words.replace(words.find("size"), words.find('\n', words.find("size")) - words.find("size"), "size = [64]");
  return words;
}

struct Filter {
  const char* words;
  VkSamplerCreateInfo info;
};
Filter nearest() {
  return {"filter = \"nearest\"\nmip = \"nearest\"\naddress = \"clamp_to_edge\"",
          peer_sampler(VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE)};
}
Filter gathering() {
  return {"filter = \"linear\"\naddress = \"clamp_to_edge\"",
          peer_sampler(VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE)};
}
Filter trilinear() {
  return {"filter = \"linear\"\nmip = \"linear\"\naddress = \"clamp_to_edge\"",
          peer_sampler(VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_LINEAR, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE)};
}
Filter comparing(Filter f) {
  static std::vector<std::string> kept;
  static const bool reserved = (kept.reserve(64), true);
  static_cast<void>(reserved);
  kept.push_back(std::string(f.words) + "\ncompare_op = \"less_or_equal\"");
  f.words = kept.back().c_str();
  f.info.compareEnable = VK_TRUE;
  f.info.compareOp = VK_COMPARE_OP_LESS_OR_EQUAL;
  return f;
}

/// Runs on both sides and compares: integers and bits exactly, floats within `tolerance`. `written`: the image is
/// compared as well.
void compare(VulkanClient& vulkan, const Kind& k, ImageShader shader, const Picture& picture, const Filter* filter,
             const std::vector<Operands>& operands, double tolerance, bool written = false) {
  shader.dim = k.dim;
  shader.arrayed = k.arrayed;
  shader.quads = false;
  const bool sampled = !shader.storage && !is(k, "Buffer");
  const ImageJob job{words_of(picture), sampled && filter != nullptr ? filter->words : "", {}};
  const Bound bound = bind_images(job);
  const PeerImage image = peer_image(bound.surface());
  const std::size_t words = shader.results.size();
  std::vector<std::uint8_t> in(kInvocations * 64), out(kInvocations * words * 4), texels, buffer = image.data;
  for (unsigned i = 0; i < kInvocations; ++i) {
    const std::array<std::array<float, 4>, 4> all{operands[i].p, operands[i].e, operands[i].x, operands[i].y};
    std::memcpy(in.data() + i * 64, all.data(), 64);
  }
  std::vector<PeerBinding> bindings(3);
  if (is(k, "Buffer")) {
    bindings[0].buffer = &buffer;
    bindings[0].texel_format = image.format;
    bindings[0].type =
        shader.storage ? VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER : VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
  } else {
    bindings[0].image = &image;
    if (filter != nullptr) bindings[0].sampler = filter->info;
    if (shader.storage) {
      bindings[0].type = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
      bindings[0].texels = &texels;
    }
  }
  bindings[1].buffer = &in;
  bindings[2].buffer = &out;
  ASSERT_EQ(vulkan.compute(assemble_shader(shader.text(), "vulkan1.2").words, bindings, 1), "") << shader.body;
  std::string saved;
  const Words ours = run_image_shader(shader, job, operands, {}, written ? &saved : nullptr);
  ASSERT_EQ(ours.size(), kInvocations);
  unsigned shown = 0;
  for (unsigned i = 0; i < kInvocations && shown < 4; ++i)
    for (std::size_t c = 0; c < words; ++c) {
      std::uint32_t theirs = 0;
      std::memcpy(&theirs, out.data() + (i * words + c) * 4, 4);
      if (shader.results[c].second != "float") {
        EXPECT_EQ(ours[i][c], theirs) << "invocation " << i << "\n" << shader.body;
        shown += ours[i][c] != theirs;
        continue;
      }
      const float a = std::bit_cast<float>(ours[i][c]), b = std::bit_cast<float>(theirs);
      const bool near = std::abs(a - b) <= peer_tolerance(tolerance);
      EXPECT_TRUE(near) << a << " and lavapipe's " << b << ", invocation " << i << " at " << operands[i].p[0] << " "
                        << operands[i].p[1] << " " << operands[i].p[2] << "\n"
                        << k.dim << k.arrayed << " " << shader.body;
      shown += !near;
    }
  if (!written) return;
  const std::vector<std::uint8_t>& theirs = is(k, "Buffer") ? buffer : texels;
  EXPECT_EQ(std::vector<std::uint8_t>(saved.begin(), saved.end()), theirs) << shader.body;
}

ImageShader instruction(const std::string& body, const std::string& texel, unsigned results = 4) {
  ImageShader s;
  s.texel = texel;
  s.body = body;
  for (unsigned c = 0; c < results; ++c) {
    if (results > 1) s.body += fmt::format("%r{0} = OpCompositeExtract %{1} %r {0}\n", c, texel);
    s.results.emplace_back(results > 1 ? fmt::format("%r{}", c) : "%r", texel);
  }
  return s;
}

/// Coordinates whose texel position is 0.3 past a decision in every level of 16 x 16 (8, 4 ...) texels; directions
/// inside a face; layers with halves.
std::vector<Operands> clear_operands(const Kind& k, unsigned seed) {
  std::vector<Operands> list = random_operands(seed);
  for (unsigned i = 0; i < kInvocations; ++i) {
    Operands& o = list[i];
    const unsigned n = i * 11 + seed;
    if (is(k, "Cube")) {
      const float s = (static_cast<float>(n % 12) - 6 + 0.3f) / 8, t = (static_cast<float>(n / 3 % 12) - 6 + 0.3f) / 8;
      const float sign = i % 2 == 0 ? 1.0f : -1.0f;
      const unsigned major = i / 2 % 3;
      o.p = {s, t, sign, 0};
      if (major == 0) o.p = {sign, s, t, 0};
      if (major == 1) o.p = {t, sign, s, 0};
    } else {
      o.p = {(static_cast<float>(n % 20) - 2 + 0.8f) / 16, (static_cast<float>(n / 3 % 12) - 2 + 0.8f) / 8,
             (static_cast<float>(n / 5 % 12) - 2 + 0.8f) / 8, 0};
    }
    if (k.arrayed) o.p[axes(k)] = static_cast<float>(i % 5) - 0.6f;
    o.e = {static_cast<float>(n % 7), static_cast<float>(i % 3) + 0.2f, static_cast<float>(n % 17) / 17.0f,
           static_cast<float>(n % 5)};
  }
  return list;
}

TEST(LavapipeShaders, GathersAgreeExactly) {
  HEDDLE_NEED_LAVAPIPE();
  const Filter filter = gathering();
  for (const Kind& k : kKinds) {
    if (!is(k, "2D") && !is(k, "Cube")) continue;
    const std::string globals =
        "%minus_5 = OpConstant %int -5\n%near = OpConstantComposite %v2int %minus_5 %int_7\n"
        "%far = OpConstantComposite %v2int %int_16 %minus_5\n%mid = OpConstantComposite %v2int %int_2 %int_1\n%zero = "
        "OpConstantComposite %v2int %int_0 %int_0\n"
        "%list = OpTypeArray %v2int %uint_4\n%offsets = OpConstantComposite %list %near %far %zero %mid\n";
    for (const std::string operand : {"", "ConstOffset %near", "Offset %moving", "ConstOffsets %offsets"})
      for (const Format& f : {kUnorm, kUint}) {
        if (is(k, "Cube") && !operand.empty()) continue;
        ImageShader s =
            instruction((operand.starts_with("Offset")
                             ? "%offu = OpIAdd %int %EI_0 %minus_5\n%moving = OpCompositeConstruct %v2int %offu %EI_3\n"
                             : "") +
                            fmt::format("%r = OpImageGather %v4{} %image %P{} %uint_{} {}\n", f.texel, coordinates(k),
                                        *f.texel == 'f' ? 2 : 0, operand),
                        f.texel);
        s.globals = globals;
        compare(*vulkan, k, s, picture(k, f, 3), &filter, clear_operands(k, 3), 1e-7);
      }
    const Filter compared = comparing(filter);
    ImageShader s =
        instruction(fmt::format("%r = OpImageDrefGather %v4float %image %P{} %E_2\n", coordinates(k)), "float");
    compare(*vulkan, k, s, picture(k, kDepth, 1), &compared, clear_operands(k, 4), 0);
  }
}

TEST(LavapipeShaders, FetchesAgreeExactly) {
  HEDDLE_NEED_LAVAPIPE();
  const Filter filter = nearest();
  for (const Kind& k : kKinds) {
    if (is(k, "Cube")) continue;
    for (const Format& f : {kUnorm, kUint, kSint})
      for (const std::string operand : {"", "Lod %EI_1", "ConstOffset"}) {
        if (is(k, "Buffer") && !operand.empty()) continue;
        const unsigned n = axes(k);
        std::string text = operand;
        ImageShader s;
        std::string globals;
        if (operand == "ConstOffset") {
          text = n == 1 ? "ConstOffset %int_2" : "ConstOffset %offset";
          globals = "%minus_1 = OpConstant %int -1\n";
          if (n > 1)
            globals +=
                fmt::format("%offset = OpConstantComposite %v{}int %int_2 %minus_1{}\n", n, n == 3 ? " %int_1" : "");
        }
        s = instruction(fmt::format("%r = OpImageFetch %v4{} %bare %I{} {}\n", f.texel, coordinates(k), text), f.texel);
        s.globals = globals;
        std::vector<Operands> operands = clear_operands(k, 5);
        for (unsigned i = 0; i < kInvocations; ++i) {  // inside, offsets included
          operands[i].p = {static_cast<float>(i % (is(k, "Buffer") ? 64 : 3)), 1 + static_cast<float>(i / 3 % 1),
                           static_cast<float>(i % 1), 0};
          if (is(k, "Buffer")) operands[i].p[0] = static_cast<float>(2 * i);
          if (k.arrayed) operands[i].p[n] = static_cast<float>(i % 3);
        }
        compare(*vulkan, k, s, picture(k, f, 3), &filter, operands, 1e-7);
      }
  }
}

TEST(LavapipeShaders, QueriesAgreeExactly) {
  HEDDLE_NEED_LAVAPIPE();
  const Filter filter = nearest();
  for (const Kind& k : kKinds) {
    const unsigned sizes = (is(k, "Cube") ? 2 : axes(k)) + (k.arrayed ? 1 : 0);
    const std::string type = sizes == 1 ? "int" : fmt::format("v{}int", sizes);
    const auto query = [](const std::string& body, unsigned results) {  // integers of an image of floats
      ImageShader s = instruction(body, "int", results);
      s.texel = "float";
      return s;
    };
    if (!is(k, "Buffer")) {
      std::vector<Operands> operands = clear_operands(k, 6);
      for (unsigned lod = 0; lod < 3; ++lod) {  // lavapipe takes the first invocation's for all
        for (Operands& o : operands) o.e[1] = static_cast<float>(lod);
        compare(*vulkan, k, query(fmt::format("%r = OpImageQuerySizeLod %{} %bare %EI_1\n", type), sizes),
                picture(k, kUnorm, 3), &filter, operands, 0);
      }
      compare(*vulkan, k, query("%r = OpImageQueryLevels %int %bare\n", 1), picture(k, kUnorm, 3), &filter, operands,
              0);
    }
    ImageShader s = instruction(fmt::format("%r = OpImageQuerySize %{} %bare\n", type), "int", sizes);
    s.storage = true;
    s.format = "R32i";
    s.texel = "int";
    compare(*vulkan, k, s, picture(k, {"R32_SINT", "R32i", "int", 4}, 1), nullptr, clear_operands(k, 6), 0);
  }
}

std::string sampled(const Kind& k, const std::string& operands, const std::string& variant = "") {
  return fmt::format("%r = OpImageSample{}ExplicitLod %{} %image %P{}{} {}\n", variant,
                     variant.find("Dref") != std::string::npos ? "float" : "v4float",
                     variant.starts_with("Proj") ? axes(k) + 1 : coordinates(k),
                     variant.find("Dref") != std::string::npos ? " %E_2" : "", operands);
}

TEST(LavapipeShaders, NearestSamplesAgreeExactly) {
  HEDDLE_NEED_LAVAPIPE();
  const Filter filter = nearest();
  for (const Kind& k : kKinds) {
    if (is(k, "Buffer")) continue;
    compare(*vulkan, k, instruction(sampled(k, "Lod %float_0"), "float"), picture(k, kUnorm, 3), &filter,
            clear_operands(k, 7), 1e-7);
    compare(*vulkan, k, instruction(sampled(k, "Lod %E_1"), "float"), picture(k, kUnorm, 1), &filter,
            clear_operands(k, 8), 1e-7);
    if (!is(k, "Cube")) {
      ImageShader s = instruction(
          sampled(k, fmt::format("Lod|ConstOffset %float_0 {}", axes(k) == 1 ? "%int_3" : "%offset")), "float");
      if (axes(k) > 1)
        s.globals =
            fmt::format("%minus_2 = OpConstant %int -2\n%offset = OpConstantComposite %v{}int %int_3 %minus_2{}\n",
                        axes(k), axes(k) == 3 ? " %int_1" : "");
      compare(*vulkan, k, s, picture(k, kUnorm, 2), &filter, clear_operands(k, 9), 1e-7);
    }
    if (!is(k, "3D")) {
      const Filter compared = comparing(filter);
      compare(*vulkan, k, instruction(sampled(k, "Lod %float_0", "Dref"), "float", 1), picture(k, kDepth, 2), &compared,
              clear_operands(k, 10), 0);
    }
    if (k.arrayed || is(k, "Cube")) continue;
    std::vector<Operands> projected = clear_operands(k, 11);
    for (Operands& o : projected) {
      for (unsigned a = 0; a < axes(k); ++a) o.p[a] *= 2;
      o.p[axes(k)] = 2;
    }
    compare(*vulkan, k, instruction(sampled(k, "Lod %float_0", "Proj"), "float"), picture(k, kUnorm, 2), &filter,
            projected, 1e-7);
  }
}

// FLT-3, FLT-4, LOD-5: a weight moves by at most 1/512 an axis (CRD-1), lavapipe rounds each step of a filter to 8
// bits.
TEST(LavapipeShaders, FilteredSamplesAgreeWithinPrecision) {
  HEDDLE_NEED_LAVAPIPE();
  const Filter filter = trilinear();
  for (const Kind& k : kKinds) {
    if (is(k, "Buffer")) continue;
    std::vector<Operands> operands = clear_operands(k, 12);
    compare(*vulkan, k, instruction(sampled(k, "Lod %E_1"), "float"), picture(k, kUnorm, 3), &filter, operands, 0.02);
    if (is(k, "Cube")) continue;
    for (unsigned i = 0; i < kInvocations; ++i) {  // one axis each: lavapipe adds lengths of several in its own way
      operands[i].x = operands[i].y = {};
      operands[i].x[0] = (i % 2 == 0 ? 1.0f : 2.0f) / 8;
    }
    compare(*vulkan, k, instruction(sampled(k, fmt::format("Grad %X{0} %Y{0}", axes(k))), "float"),
            picture(k, kUnorm, 3), &filter, operands, 0.03);
  }
}

TEST(LavapipeShaders, StorageImagesAgreeExactly) {
  HEDDLE_NEED_LAVAPIPE();
  for (const Kind& k : kKinds) {
    const unsigned n = is(k, "Cube") ? 3 : coordinates(k);
    std::vector<Operands> operands(kInvocations);
    for (unsigned i = 0; i < kInvocations; ++i) {
      operands[i].p = {static_cast<float>(i % 16), static_cast<float>(i / 16), static_cast<float>(i % 6), 0};
      if (is(k, "Buffer")) operands[i].p[0] = static_cast<float>(2 * i);
      if (is(k, "2D") && k.arrayed) operands[i].p[2] = static_cast<float>(i % 3);
      operands[i].x = {static_cast<float>(i) / 31.0f, 0.25f, 1.5f, -1};
      operands[i].e = {static_cast<float>(i * 3), 0, 0, 0};
    }
    ImageShader read = instruction(fmt::format("%r = OpImageRead %v4float %bare %I{}\n", n), "float");
    read.storage = true;
    read.format = kUnorm.spirv;
    compare(*vulkan, k, read, picture(k, kUnorm, 1), nullptr, operands, 1e-7);
    ImageShader write =
        instruction(fmt::format("%r = OpCopyObject %int %EI_0\nOpImageWrite %bare %I{} %X\n", n), "int", 1);
    write.storage = true;
    write.texel = "float";
    write.format = kUnorm.spirv;
    compare(*vulkan, k, write, picture(k, kUnorm, 1), nullptr, operands, 0, true);
    for (const char* op : {"OpAtomicIAdd", "OpAtomicUMax", "OpAtomicXor", "OpAtomicExchange"}) {
      ImageShader atomic = instruction(
          fmt::format(
              "%texel = OpImageTexelPointer %p_texel %tex %I{} %uint_0\n%r = {} %uint %texel %uint_1 %uint_0 %U_0\n", n,
              op),
          "uint", 1);
      atomic.globals = "%p_texel = OpTypePointer Image %uint\n";
      atomic.storage = true;
      atomic.format = "R32ui";
      compare(*vulkan, k, atomic, picture(k, kUint, 1), nullptr, operands, 0, true);
    }
  }
}

// --- fragment shaders ---

std::vector<float> floats_of(const std::vector<std::uint8_t>& bytes) {
  std::vector<float> values(bytes.size() / 4);
  std::memcpy(values.data(), bytes.data(), values.size() * 4);
  return values;
}

std::vector<std::uint8_t> nines(unsigned pixels) {
  const std::vector<float> values(pixels * 4, 9.0f);
  std::vector<std::uint8_t> bytes(pixels * 16);
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// Implicit derivatives, discarded pixels, two targets. Only one coordinate changes along each axis, so that lavapipe's
// length of the derivatives (the largest, not the root of squares) is the same.
TEST(LavapipeShaders, ImplicitLodsOfPixels) {
  HEDDLE_NEED_LAVAPIPE();
  constexpr unsigned kWidth = 13, kHeight = 7;
  const Kind k{"2D", false};
  Picture p = picture(k, kUnorm, 5);
  p.height = 16;
  Filter filter{"filter = \"linear\"\nmip = \"linear\"\naddress = \"repeat\"",
                peer_sampler(VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_LINEAR, VK_SAMPLER_ADDRESS_MODE_REPEAT)};
  const ImageJob job{image_words(p), filter.words, {}};
  const spirv::Module module = load_shader("image/textured.spvasm");
  const Bound bound = bind_images(job);
  const PeerImage image = peer_image(bound.surface());
  std::vector<PeerBinding> bindings(1);
  bindings[0].image = &image;
  bindings[0].sampler = filter.info;
  PeerDraw draw;
  draw.width = kWidth;
  draw.height = kHeight;
  draw.format = VK_FORMAT_R32G32B32A32_SFLOAT;
  draw.target = nines(kWidth * kHeight);
  draw.blend.colorWriteMask = 15;
  draw.more.push_back({draw.format, draw.target});
  ASSERT_EQ(vulkan->draw(module.words, bindings, draw), "");
  const std::string target = "format = \"R32G32B32A32_FLOAT\"\nsize = [13, 7]\nfill = [9, 9, 9, 9]\n";
  const job::RunResult o = run_shader(
      module, "[images.\"0.0\"]\n" + job.image + "[samplers.\"0.0\"]\n" + job.sampler + "\n[images.color]\n" + target +
                  "save = \"color.bin\"\n[images.facts]\n" + target + "save = \"facts.bin\"\n[pixels]\n");
  ASSERT_TRUE(o.succeeded) << messages(o.diagnostics);
  const auto color = output_as<float>(o, "color.bin"), facts = output_as<float>(o, "facts.bin");
  const std::vector<float> their_color = floats_of(draw.target), their_facts = floats_of(draw.more[0].texels);
  for (std::size_t i = 0; i < color.size(); ++i) {
    EXPECT_NEAR(color[i], their_color[i], 0.06) << i / 4 % kWidth << " " << i / 4 / kWidth;
    EXPECT_NEAR(facts[i], their_facts[i], i % 4 < 2 ? 0.06 : 0)
        << i / 4 % kWidth << " " << i / 4 / kWidth;  // lavapipe's log2 is off by up to 0.05; sizes: exactly
  }
}

TEST(LavapipeShaders, SideEffectsOfPixels) {
  HEDDLE_NEED_LAVAPIPE();
  const spirv::Module module = load_shader("image/count.spvasm");
  PeerImage counts, drawn;
  counts.format = VK_FORMAT_R32_UINT;
  drawn.format = VK_FORMAT_R8G8B8A8_UNORM;
  counts.width = counts.height = drawn.width = drawn.height = 8;
  counts.data.assign(256, 1);
  drawn.data.assign(256, 2);
  std::vector<std::uint8_t> their_counts, their_drawn;
  std::vector<PeerBinding> bindings(2);
  bindings[0].image = &counts;
  bindings[0].texels = &their_counts;
  bindings[1].image = &drawn;
  bindings[1].texels = &their_drawn;
  bindings[0].type = bindings[1].type = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
  PeerDraw draw;
  draw.width = 7;
  draw.height = 5;
  draw.format = VK_FORMAT_R32G32B32A32_SFLOAT;
  draw.target = nines(35);
  draw.blend.colorWriteMask = 15;
  ASSERT_EQ(vulkan->draw(module.words, bindings, draw), "");
  const TemporaryFolder folder;
  write_bytes(folder / "counts.bin", counts.data);
  write_bytes(folder / "drawn.bin", drawn.data);
  const job::RunResult o =
      run_shader(module, fmt::format("[images.counts]\nformat = \"R32_UINT\"\nsize = [8, 8]\nraw = \"{}\"\nsave = "
                                     "\"c.bin\"\n[images.drawn]\nformat = \"R8G8B8A8_UNORM\"\n"
                                     "size = [8, 8]\nraw = \"{}\"\nsave = \"d.bin\"\n[images.color]\nformat = "
                                     "\"R32G32B32A32_FLOAT\"\nsize = [7, 5]\nfill = [9, 9, 9, 9]\n"
                                     "save = \"color.bin\"\n[pixels]\n",
                                     (folder / "counts.bin").string(), (folder / "drawn.bin").string()));
  ASSERT_TRUE(o.succeeded) << messages(o.diagnostics);
  EXPECT_EQ(output_as<std::uint8_t>(o, "c.bin"), their_counts);
  EXPECT_EQ(output_as<std::uint8_t>(o, "d.bin"), their_drawn);
  EXPECT_EQ(output_as<std::uint8_t>(o, "color.bin"), draw.target);
}

}  // namespace
}  // namespace heddle::test
