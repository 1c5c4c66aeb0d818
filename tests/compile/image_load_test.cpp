// SPDX-License-Identifier: MIT
// OpImageFetch, OpImageRead, OpImageWrite, image atomics: every dimension and operand, against the texture unit and the
// image's bytes.
// Rules: SPV-23 to SPV-29.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "image/format.hpp"
#include "image_shader.hpp"

using namespace heddle;
using namespace heddle::test;
using texture::Op;
using texture::Param;

namespace {

struct Kind {
  const char* dim;
  bool arrayed, multisampled;
};

unsigned axes(const Kind& k) {
  return std::string(k.dim) == "3D" ? 3 : std::string(k.dim) == "2D" || k.dim[0] == 'C' ? 2 : 1;
}

Picture picture(const Kind& k, const char* format = "R8G8B8A8_UNORM", unsigned bytes = 4) {
  Picture p;
  p.dim = k.dim;
  p.format = format;
  p.texel_bytes = bytes;
  p.array = k.arrayed;
  p.width = p.dim == "Buffer" ? 64 : 12;
  p.height = p.dim == "Buffer" ? 1 : p.dim == "Cube" ? 12 : 8;
  p.depth = 6;
  p.layers = (p.dim == "Cube" ? 6 : 1) * (k.arrayed ? 3 : 1);
  p.levels = k.multisampled || p.dim == "Buffer" ? 1 : 3;
  p.samples = k.multisampled ? 4 : 1;
  return p;
}

std::string image_of(const Kind& k, const char* format = "R8G8B8A8_UNORM", unsigned bytes = 4, unsigned levels = 0) {
  Picture p = picture(k, format, bytes);
  if (levels != 0) p.levels = levels;
  if (p.dim != "Buffer") return image_words(p);
  std::string words = image_words(p);
  return words.replace(words.find("size"), words.find('\n', words.find("size")) - words.find("size"), "size = [64]");
}

/// Coordinates from outside on the one side to outside on the other; E: level or sample.
std::vector<Operands> texels_of(const Kind& k, unsigned levels) {
  std::vector<Operands> list(kInvocations);
  for (unsigned i = 0; i < kInvocations; ++i) {
    const unsigned n = i * 7 + 3;
    list[i].p = {static_cast<float>(n % 15) - 1, static_cast<float>(n / 3 % 10) - 1, static_cast<float>(n / 5 % 8) - 1,
                 0};
    if (std::string(k.dim) == "Buffer") list[i].p[0] = static_cast<float>(n % 70) - 1;
    if (k.arrayed) list[i].p[axes(k)] = static_cast<float>(n % 5) - 1;
    list[i].e = {static_cast<float>(i % (levels + 1)), static_cast<float>(i % 6), static_cast<float>(i),
                 static_cast<float>(n)};
  }
  return list;
}

ImageShader shader(const Kind& k, const std::string& body, const std::string& texel = "float", unsigned results = 4) {
  ImageShader s;
  s.dim = k.dim;
  s.arrayed = k.arrayed;
  s.multisampled = k.multisampled;
  s.texel = texel;
  s.quads = false;
  s.body = body;
  for (unsigned c = 0; c < results; ++c) {
    s.body += fmt::format("%r{0} = OpCompositeExtract %{1} %r {0}\n", c, texel);
    s.results.emplace_back(fmt::format("%r{}", c), texel);
  }
  return s;
}

UnitCall load_call(const Kind& k, Op op) {
  UnitCall call;
  call.op = op;
  const Param kAxes[] = {Param::U, Param::V, Param::R};
  for (unsigned a = 0; a < axes(k) + (k.arrayed ? 1 : 0); ++a)
    call.params.emplace_back(kAxes[a], integer([a](const Operands& o) { return static_cast<int>(o.p[a]); }));
  return call;
}

const Kind kFetched[] = {{"1D", false, false}, {"1D", true, false},  {"2D", false, false},
                         {"2D", true, false},  {"3D", false, false}, {"Buffer", false, false}};

TEST(Fetch, EveryDimensionWithAndWithoutLod) {
  for (const Kind& k : kFetched)
    for (const char* lod : {"", "Lod %int_0", "Lod %EI_0"}) {
      const bool buffer = std::string(k.dim) == "Buffer";
      if (buffer && *lod != 0) continue;
      UnitCall call = load_call(k, Op::Ld);
      if (std::string(lod) == "Lod %EI_0")
        call.params.emplace_back(Param::Lod, integer([](const Operands& o) { return static_cast<int>(o.e[0]); }));
      const ImageShader s =
          shader(k, fmt::format("%r = OpImageFetch %v4float %bare %I{} {}\n", axes(k) + (k.arrayed ? 1 : 0), lod));
      expect_like_unit(s, {image_of(k), buffer ? "" : "filter = \"linear\"", {}}, texels_of(k, 3), call);
    }
}

TEST(Fetch, IntegerTexels) {
  for (const char* texel : {"int", "uint"}) {
    const Kind k{"2D", false, false};
    expect_like_unit(shader(k, fmt::format("%r = OpImageFetch %v4{} %bare %I2\n", texel), texel),
                     {image_of(k, *texel == 'i' ? "R8G8B8A8_SINT" : "R8G8B8A8_UINT"), "filter = \"nearest\"", {}},
                     texels_of(k, 1), load_call(k, Op::Ld));
  }
}

// Offsets are added as integers wrap, so coordinates below 0 can be moved inside.
TEST(Fetch, Offsets) {
  for (const Kind& k : kFetched) {
    if (std::string(k.dim) == "Buffer") continue;
    const unsigned n = axes(k);
    UnitCall call;
    call.op = Op::Ld;
    const int offset[] = {2, -3, 1};
    const Param kAxes[] = {Param::U, Param::V, Param::R};
    for (unsigned a = 0; a < n + (k.arrayed ? 1 : 0); ++a)
      call.params.emplace_back(kAxes[a], integer([a, n, &offset](const Operands& o) {
                                 return static_cast<int>(o.p[a]) + (a < n ? offset[a] : 0);
                               }));
    ImageShader s = shader(k, fmt::format("%r = OpImageFetch %v4float %bare %I{} ConstOffset {}\n",
                                          n + (k.arrayed ? 1 : 0), n == 1 ? "%int_2" : "%offset"));
    s.globals = "%minus_3 = OpConstant %int -3\n";
    if (n > 1)
      s.globals += fmt::format("%offset = OpConstantComposite %v{}int %int_2 %minus_3{}\n", n, n == 3 ? " %int_1" : "");
    expect_like_unit(s, {image_of(k), "filter = \"nearest\"", {}}, texels_of(k, 1), call);
  }
}

TEST(Fetch, Samples) {
  for (const bool arrayed : {false, true}) {
    const Kind k{"2D", arrayed, true};
    UnitCall call = load_call(k, Op::Ld2dmsW);
    call.params.emplace_back(Param::Si, integer([](const Operands& o) { return static_cast<int>(o.e[1]); }));
    expect_like_unit(shader(k, fmt::format("%r = OpImageFetch %v4float %bare %I{} Sample %EI_1\n", arrayed ? 3 : 2)),
                     {image_of(k), "filter = \"nearest\"", {}}, texels_of(k, 1), call);
  }
}

TEST(Fetch, Residency) {
  const Kind k{"2D", false, false};
  Picture p = picture(k);
  p.more = "null_texels = [[0, 0, 3, 2], [0, 0, 4, 2], [0, 0, 9, 6], [0, 0, 2, 0], [0, 0, 12, 1], [0, 0, 7, 7]]\n";
  UnitCall call = load_call(k, Op::Ld);
  call.null_mask = true;
  ImageShader s =
      shader(k,
             "%s = OpImageSparseFetch %Sparse %bare %I2\n%code = OpCompositeExtract %int %s 0\n%r = OpCompositeExtract "
             "%v4float %s 1\n"
             "%resident = OpImageSparseTexelsResident %bool %code\n%word = OpSelect %uint %resident %uint_1 %uint_0\n");
  s.globals = "%Sparse = OpTypeStruct %int %v4float\n";
  s.results.insert(s.results.begin(), {"%word", "uint"});
  expect_like_unit(s, {image_words(p), "filter = \"nearest\"", {}}, texels_of(k, 1), call);
}

const Kind kStorage[] = {{"1D", false, false}, {"1D", true, false},    {"2D", false, false},  {"2D", true, false},
                         {"3D", false, false}, {"Cube", false, false}, {"Cube", true, false}, {"Buffer", false, false}};

/// What each invocation names, inside only: typed messages report what is outside.
std::vector<Operands> inside(const Kind& k) {
  std::vector<Operands> list(kInvocations);
  for (unsigned i = 0; i < kInvocations; ++i) {
    list[i].p = {static_cast<float>(i % 12), static_cast<float>(i / 12), static_cast<float>(i % 6), 0};
    if (std::string(k.dim) == "Buffer") list[i].p[0] = static_cast<float>(2 * i);
    if (std::string(k.dim) == "1D") list[i].p = {static_cast<float>(i % 12), static_cast<float>(i / 12), 0, 0};
    if (std::string(k.dim) == "2D" && k.arrayed) list[i].p[2] = static_cast<float>(i % 3);
    if (std::string(k.dim) == "Cube" && k.arrayed) list[i].p[2] = static_cast<float>(i % 18);
    list[i].e = {static_cast<float>(i), 100.0f - static_cast<float>(i), 3, 0.25f};
    list[i].x = {static_cast<float>(i) / 31.0f, 0.5f, 1.5f, -1};
  }
  return list;
}

unsigned typed_coordinates(const Kind& k) { return k.dim[0] == 'C' ? 3 : axes(k) + (k.arrayed ? 1 : 0); }

/// The texel that an invocation names.
image::Texel texel_at(const image::Surface& s, const Kind& k, const Operands& o) {
  const auto at = [&](unsigned i) { return static_cast<std::uint32_t>(o.p[i]); };
  const std::string dim = k.dim;
  if (dim == "Buffer") return image::fetch_entry(s, at(0)).texel;
  if (dim == "1D") return image::fetch(s, 0, k.arrayed ? at(1) : 0, at(0), 0).texel;
  return image::fetch(s, 0, dim == "2D" && !k.arrayed ? 0 : at(2), at(0), at(1)).texel;
}

TEST(StorageImage, ReadsWithAndWithoutFormat) {
  struct Format {
    const char *spirv, *surface, *texel;
    unsigned bytes;
  };
  for (const Format& f : {Format{"Rgba8", "R8G8B8A8_UNORM", "float", 4}, Format{"Unknown", "R16G16_FLOAT", "float", 4},
                          Format{"R32ui", "R32_UINT", "uint", 4}, Format{"Rgba8i", "R8G8B8A8_SINT", "int", 4}})
    for (const Kind& k : kStorage) {
      ImageShader s =
          shader(k, fmt::format("%r = OpImageRead %v4{} %bare %I{}\n", f.texel, typed_coordinates(k)), f.texel);
      s.storage = true;
      s.format = f.spirv;
      const ImageJob job{image_of(k, f.surface, f.bytes, 1), "", {}};
      const Bound bound = bind_images(job);
      const std::vector<Operands> operands = inside(k);
      Words expected;
      for (const Operands& o : operands) {
        const image::Texel t = texel_at(bound.surface(), k, o);
        expected.push_back({t.bits[0], t.bits[1], t.bits[2], t.bits[3]});
      }
      expect_words(s, job, operands, expected);
    }
}

TEST(StorageImage, WritesConvertToTheSurfaceFormat) {
  for (const Kind& k : kStorage) {
    ImageShader s;
    s.dim = k.dim;
    s.arrayed = k.arrayed;
    s.quads = false;
    s.storage = true;
    s.body = fmt::format("OpImageWrite %bare %I{} %X\n", typed_coordinates(k));
    s.results = {{"%lane", "uint"}};
    const ImageJob job{image_of(k, "R8G8B8A8_UNORM", 4, 1), "", {}};
    const std::vector<Operands> operands = inside(k);
    for (const unsigned simd : {8u, 16u, 32u}) {
      spirv::CompileOptions options;
      options.simd = simd;
      std::string saved;
      (void)run_image_shader(s, job, operands, options, &saved);
      Bound bound = bind_images(job);
      image::Surface surface = bound.surface();
      ASSERT_EQ(saved.size(), surface.memory->size()) << k.dim;
      std::memcpy(surface.memory->data(), saved.data(), saved.size());
      for (unsigned i = 0; i < kInvocations; ++i) {
        const image::Texel t = texel_at(surface, k, operands[i]);
        EXPECT_EQ(std::bit_cast<float>(t.bits[1]), 128.0f / 255.0f) << k.dim << k.arrayed << " " << i;
        EXPECT_EQ(std::bit_cast<float>(t.bits[2]), 1.0f);
        EXPECT_EQ(std::bit_cast<float>(t.bits[3]), 0.0f);
      }
    }
  }
}

TEST(StorageImage, Atomics) {
  struct Case {
    const char *op, *operands, *texel;
    std::uint32_t (*next)(std::uint32_t old, std::uint32_t value);
  };
  const Case cases[] = {
      {"OpAtomicIAdd", "%value", "uint", [](std::uint32_t o, std::uint32_t v) { return o + v; }},
      {"OpAtomicISub", "%value", "uint", [](std::uint32_t o, std::uint32_t v) { return o - v; }},
      {"OpAtomicUMin", "%value", "uint", [](std::uint32_t o, std::uint32_t v) { return std::min(o, v); }},
      {"OpAtomicUMax", "%value", "uint", [](std::uint32_t o, std::uint32_t v) { return std::max(o, v); }},
      {"OpAtomicSMin", "%value", "int",
       [](std::uint32_t o, std::uint32_t v) {
         return static_cast<std::int32_t>(o) < static_cast<std::int32_t>(v) ? o : v;
       }},
      {"OpAtomicSMax", "%value", "int",
       [](std::uint32_t o, std::uint32_t v) {
         return static_cast<std::int32_t>(o) > static_cast<std::int32_t>(v) ? o : v;
       }},
      {"OpAtomicAnd", "%value", "int", [](std::uint32_t o, std::uint32_t v) { return o & v; }},
      {"OpAtomicOr", "%value", "uint", [](std::uint32_t o, std::uint32_t v) { return o | v; }},
      {"OpAtomicXor", "%value", "uint", [](std::uint32_t o, std::uint32_t v) { return o ^ v; }},
      {"OpAtomicExchange", "%value", "int", [](std::uint32_t, std::uint32_t v) { return v; }},
      {"OpAtomicIIncrement", "", "uint", [](std::uint32_t o, std::uint32_t) { return o + 1; }},
      {"OpAtomicIDecrement", "", "int", [](std::uint32_t o, std::uint32_t) { return o - 1; }},
      {"OpAtomicCompareExchange", "%uint_0 %value %compared", "uint",
       [](std::uint32_t o, std::uint32_t v) { return (o & 1) != 0 ? v : o; }},
  };
  for (const Case& c : cases)
    for (const Kind& k : {Kind{"2D", true, false}, Kind{"Buffer", false, false}}) {
      ImageShader shader;
      shader.dim = k.dim;
      shader.arrayed = k.arrayed;
      shader.texel = c.texel;
      shader.storage = true;
      shader.quads = false;
      shader.format = *c.texel == 'i' ? "R32i" : "R32ui";
      shader.globals = fmt::format("%p_texel = OpTypePointer Image %{}\n%big = OpConstant %{} {}\n", c.texel, c.texel,
                                   *c.texel == 'i' ? "-77777" : "3000000000");
      // The compared value equals the old one where that is odd.
      shader.body = fmt::format(
          "%read = OpImageRead %v4{0} %bare %I{1}\n%read0 = OpCompositeExtract %{0} %read 0\n%one = OpBitcast %{0} "
          "%uint_1\n%odd = OpBitwiseAnd %{0} %read0 %one\n"
          "%flip = OpBitwiseXor %{0} %odd %one\n%compared = OpIAdd %{0} %read0 %flip\n%lane_{0} = OpBitcast %{0} "
          "%lane\n%value = OpIAdd %{0} %big %lane_{0}\n"
          "%texel = OpImageTexelPointer %p_texel %tex %I{1} %uint_0\n%old = {2} %{0} %texel %uint_1 %uint_0 {3}\n",
          c.texel, typed_coordinates(k), c.op, c.operands);
      shader.results = {{"%old", c.texel}, {"%value", c.texel}};
      const ImageJob job{image_of(k, *c.texel == 'i' ? "R32_SINT" : "R32_UINT", 4, 1), "", {}};
      const std::vector<Operands> operands = inside(k);
      for (const unsigned simd : {8u, 16u, 32u}) {
        spirv::CompileOptions options;
        options.simd = simd;
        std::string saved;
        const Words got = run_image_shader(shader, job, operands, options, &saved);
        ASSERT_EQ(got.size(), kInvocations) << c.op;
        const Bound bound = bind_images(job);
        for (unsigned i = 0; i < kInvocations; ++i)
          EXPECT_EQ(got[i][0], texel_at(bound.surface(), k, operands[i]).bits[0]) << c.op << " " << i;
        image::Surface surface = bound.surface();
        std::memcpy(surface.memory->data(), saved.data(), saved.size());
        for (unsigned i = 0; i < kInvocations; ++i)
          EXPECT_EQ(texel_at(surface, k, operands[i]).bits[0], c.next(got[i][0], got[i][1])) << c.op << " " << i;
      }
    }
}

// No typed message names a sample: the sampler reads the same surface.
TEST(StorageImage, Samples) {
  const Kind k{"2D", false, true};
  ImageShader s = shader(k, "%r = OpImageRead %v4float %bare %I2 Sample %EI_1\n");
  s.storage = true;
  s.format = "Rgba8";
  s.capabilities = "OpCapability StorageImageMultisample\n";
  UnitCall call = load_call(k, Op::Ld2dmsW);
  call.params.emplace_back(Param::Si, integer([](const Operands& o) { return static_cast<int>(o.e[1]) % 4; }));
  std::vector<Operands> operands = inside(k);
  for (unsigned i = 0; i < kInvocations; ++i) operands[i].e[1] = static_cast<float>(i % 4);
  expect_like_unit(s, {image_of(k), "", {}}, operands, call);
}

// A sparse read of a storage image goes the same way, with the null mask.
TEST(StorageImage, Residency) {
  const Kind k{"2D", false, false};
  Picture p = picture(k);
  p.levels = 1;
  p.more = "null_texels = [[0, 0, 3, 2], [0, 0, 4, 2], [0, 0, 9, 1], [0, 0, 2, 0], [0, 0, 11, 1]]\n";
  UnitCall call = load_call(k, Op::Ld);
  call.null_mask = true;
  ImageShader s = shader(k,
                         "%s = OpImageSparseRead %Sparse %bare %I2\n%code = OpCompositeExtract %int %s 0\n"
                         "%r = OpCompositeExtract %v4float %s 1\n%resident = OpImageSparseTexelsResident %bool %code\n"
                         "%word = OpSelect %uint %resident %uint_1 %uint_0\n");
  s.storage = true;
  s.format = "Rgba8";
  s.globals = "%Sparse = OpTypeStruct %int %v4float\n";
  s.results.insert(s.results.begin(), {"%word", "uint"});
  expect_like_unit(s, {image_words(p), "", {}}, inside(k), call);
}

// A view of several levels: reads and writes name one.
TEST(StorageImage, LevelsOfDetail) {
  const Kind k{"2D", false, false};
  ImageShader s;
  s.texel = "uint";
  s.storage = true;
  s.quads = false;
  s.format = "R32ui";
  s.capabilities = "OpCapability ImageReadWriteLodAMD\n";
  s.extensions = "OpExtension \"SPV_AMD_shader_image_load_store_lod\"\n";
  s.body =
      "%r = OpImageRead %v4uint %bare %I2 Lod %EI_1\n%old = OpCompositeExtract %uint %r 0\n"
      "%next = OpIAdd %uint %old %uint_1\n%four = OpCompositeConstruct %v4uint %next %next %next %next\n"
      "OpImageWrite %bare %I2 %four Lod %EI_1\n%again = OpImageRead %v4uint %bare %I2 Lod %EI_1\n"
      "%new = OpCompositeExtract %uint %again 0\n";
  s.results = {{"%old", "uint"}, {"%new", "uint"}};
  const ImageJob job{image_of(k, "R32_UINT", 4, 3), "", {}};
  const Bound bound = bind_images(job);
  std::vector<Operands> operands(kInvocations);
  Words expected;
  for (unsigned i = 0; i < kInvocations; ++i) {
    const unsigned level = i % 3, x = i / 3 % 3, y = i / 9;
    operands[i].p = {static_cast<float>(x), static_cast<float>(y), 0, 0};
    operands[i].e[1] = static_cast<float>(level);
    const image::Texel t =
        image::fetch(bound.surface(), level, 0, x, static_cast<std::uint32_t>(operands[i].p[1])).texel;
    expected.push_back({t.bits[0], t.bits[0] + 1});
  }
  // Texels that several invocations name would be counted up more than once: those are left out.
  for (unsigned i = 18; i < kInvocations; ++i) {
    operands[i] = operands[0];
    operands[i].p = {static_cast<float>(i % 9), 6.0f + static_cast<float>(i / 9 % 2), 0, 0};
    const image::Texel t = image::fetch(bound.surface(), 0, 0, i % 9, 6 + i / 9 % 2).texel;
    expected[i] = {t.bits[0], t.bits[0] + 1};
  }
  expect_words(s, job, operands, expected);
}

// Reads, writes and atomics of an array's elements, each for its own lanes.
TEST(StorageImage, ArraysOfDescriptors) {
  const Kind k{"2D", false, false};
  std::vector<std::string> images;
  for (unsigned e = 0; e < 3; ++e) {
    Picture p = picture(k, "R32_UINT");
    p.levels = 1;
    p.seed = 50 + e;
    images.push_back(image_words(p));
  }
  const ImageJob job{images[0], "", {images[1], images[2]}};
  std::vector<Operands> operands = inside(k);
  for (unsigned i = 0; i < kInvocations; ++i) operands[i].e[3] = static_cast<float>(i * 5 % 3);
  const Bound bound = bind_images(job);
  Words expected;
  for (unsigned i = 0; i < kInvocations; ++i) {
    const std::uint32_t old = texel_at(bound.surface(i * 5 % 3), k, operands[i]).bits[0];
    expected.push_back({old, old, old + i, 77 + i});
  }
  ImageShader s;
  s.texel = "uint";
  s.storage = true;
  s.quads = false;
  s.format = "R32ui";
  s.elements = 3;
  s.capabilities =
      "OpCapability StorageImageArrayDynamicIndexing\nOpCapability ShaderNonUniform\nOpCapability "
      "StorageImageArrayNonUniformIndexing\n";
  s.globals = "%p_texel = OpTypePointer Image %uint\n%seventy = OpConstant %uint 77\n";
  s.body =
      "%r = OpImageRead %v4uint %bare %I2\n%read = OpCompositeExtract %uint %r 0\n%texel = OpImageTexelPointer "
      "%p_texel %chosen %I2 %uint_0\n"
      "%old = OpAtomicIAdd %uint %texel %uint_1 %uint_0 %lane\n%again = OpAtomicLoad %uint %texel %uint_1 %uint_0\n"
      "%new = OpIAdd %uint %lane %seventy\n%four = OpCompositeConstruct %v4uint %new %new %new %new\nOpImageWrite "
      "%bare %I2 %four\n"
      "%l = OpImageRead %v4uint %bare %I2\n%last = OpCompositeExtract %uint %l 0\n";
  s.results = {{"%read", "uint"}, {"%old", "uint"}, {"%again", "uint"}, {"%last", "uint"}};
  expect_words(s, job, operands, expected);
}

TEST(StorageImage, AtomicLoadAndStore) {
  const Kind k{"2D", false, false};
  ImageShader s;
  s.texel = "uint";
  s.storage = true;
  s.quads = false;
  s.format = "R32ui";
  s.globals = "%p_texel = OpTypePointer Image %uint\n";
  s.body =
      "%texel = OpImageTexelPointer %p_texel %tex %I2 %uint_0\n%old = OpAtomicLoad %uint %texel %uint_1 "
      "%uint_0\nOpAtomicStore %texel %uint_1 %uint_0 %lane\n";
  s.results = {{"%old", "uint"}};
  const ImageJob job{image_of(k, "R32_UINT", 4, 1), "", {}};
  const std::vector<Operands> operands = inside(k);
  std::string saved;
  const Words got = run_image_shader(s, job, operands, {}, &saved);
  ASSERT_EQ(got.size(), kInvocations);
  const Bound bound = bind_images(job);
  image::Surface surface = bound.surface();
  for (unsigned i = 0; i < kInvocations; ++i) EXPECT_EQ(got[i][0], texel_at(surface, k, operands[i]).bits[0]);
  std::memcpy(surface.memory->data(), saved.data(), saved.size());
  for (unsigned i = 0; i < kInvocations; ++i) EXPECT_EQ(texel_at(surface, k, operands[i]).bits[0], i);
}

}  // namespace
