// SPDX-License-Identifier: MIT
#include "cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "base/half.hpp"

namespace heddle::bench {
namespace {

/// A loop of `kLoops` operations; `coherent`: neighboring lanes are neighboring texels.
std::string compute(const std::string& sampler, const std::string& operation, std::uint32_t size, bool coherent,
                    const std::string& before = {}) {
  const std::string where =
      coherent ? fmt::format("vec2 uv = (vec2(float(id & {0}u), float((id >> {1}u) + uint(k))) + 0.3) * (1.0 / {2}.0);",
                             size - 1, __builtin_ctz(size), size)
               : "uint h = (id * 1664525u + uint(k) * 22695477u) * 2654435761u; h ^= h >> 15u; vec2 uv = vec2(float(h "
                 "& 0xffffu), float(h >> 16u)) * "
                 "(1.0 / 65536.0);";
  return fmt::format(
      "#version 450\nlayout(local_size_x = 64) in;\n{}\nlayout(set = 0, binding = 1) buffer O {{ float o[]; "
      "}};\n{}\nvoid main() {{\n"
      "  uint id = gl_GlobalInvocationID.x; float acc = 0.0;\n  for (int k = 0; k < {}; ++k) {{ {} acc += {}; }}\n  "
      "o[id] = acc;\n}}\n",
      sampler.empty() ? "" : fmt::format("layout(set = 0, binding = 0) uniform {} t;", sampler), before, kLoops, where,
      operation);
}

std::string sum(const std::string& texel) { return fmt::format("dot({}, vec4(1.0, 2.0, 3.0, 4.0))", texel); }

Case texture_case(std::string name, Texture texture, const std::string& sampler, const std::string& operation,
                  bool coherent, double wanted) {
  Case c;
  c.name = std::move(name);
  c.glsl = compute(sampler, operation, texture.size, coherent);
  c.texture = std::move(texture);
  c.operations = kLoops;
  c.wanted = wanted;
  c.group = c.name.substr(0, c.name.find(' '));
  return c;
}

Case frame(std::string name, const std::string& body, bool textured = true, std::uint32_t targets = 1) {
  Case c;
  c.name = "frame: " + std::move(name);
  c.group = "frames";
  c.fragment = true;
  c.textured = textured;
  c.targets = targets;
  c.operations = 1;
  c.wanted = 2.0;
  std::string outputs;
  for (std::uint32_t k = 0; k < targets; ++k) outputs += fmt::format("layout(location = {0}) out vec4 c{0};\n", k);
  c.glsl = fmt::format(
      "#version 450\n{}{}\nvoid main() {{ vec2 uv = gl_FragCoord.xy * vec2(1.0 / 1920.0, 1.0 / 1080.0);\n{}\n}}\n",
      textured ? "layout(set = 0, binding = 0) uniform sampler2D t;\n" : "", outputs, body);
  return c;
}

}  // namespace

std::vector<Case> cases() {
  std::vector<Case> list;
  const auto rgba8 = [] { return Texture{}; };
  const auto with = [](const char* format) {
    Texture t;
    t.format = format;
    return t;
  };
  const std::string gather = sum("textureGather(t, uv)");
  {
    Case empty;
    empty.name = "the loop alone";
    empty.glsl = compute("", "uv.x + uv.y", 1024, true);
    empty.textured = false;
    empty.operations = kLoops;
    list.push_back(empty);
  }
  Texture small = rgba8();
  small.size = 64;
  list.push_back(texture_case("gather4 RGBA8, coherent", rgba8(), "sampler2D", gather, true, 2.0));
  list.back().threads = true;
  list.push_back(texture_case("gather4 RGBA8, random 64x64", small, "sampler2D", gather, false, 2.0));
  list.push_back(texture_case("gather4 RGBA8, random 1024x1024", rgba8(), "sampler2D", gather, false, 1.2));
  list.push_back(texture_case("gather4 R32F, coherent", with("R32_FLOAT"), "sampler2D", gather, true, 2.0));
  list.push_back(texture_case("gather4 RGBA16F, coherent", with("R16G16B16A16_FLOAT"), "sampler2D", gather, true, 2.0));
  Texture depth = with("R32_FLOAT");
  depth.compare = true;
  list.push_back(texture_case("gather4 compare D32, coherent", depth, "sampler2DShadow",
                              sum("textureGather(t, uv, 0.5)"), true, 2.0));
  list.push_back(texture_case("gather4 with an offset", rgba8(), "sampler2D",
                              sum("textureGatherOffset(t, uv, ivec2(1, -2))"), true, 2.0));
  list.push_back(texture_case(
      "gather4 with four offsets", rgba8(), "sampler2D",
      sum("textureGatherOffsets(t, uv, ivec2[4](ivec2(0, 0), ivec2(2, 0), ivec2(0, 2), ivec2(2, 2)))"), true, 2.0));
  Texture cube = rgba8();
  cube.dim = "cube";
  cube.size = 256;
  list.push_back(
      texture_case("gather4 cube", cube, "samplerCube", sum("textureGather(t, vec3(uv * 2.0 - 1.0, 1.0))"), true, 2.0));
  Texture layers = rgba8();
  layers.dim = "2D array";
  layers.layers = 4;
  list.push_back(texture_case("gather4 2D array", layers, "sampler2DArray",
                              sum("textureGather(t, vec3(uv, float(k & 3)))"), true, 2.0));
  const std::string sample = sum("textureLod(t, uv, 0.0)");
  list.push_back(texture_case("bilinear RGBA8", rgba8(), "sampler2D", sample, true, 1.5));
  list.back().threads = true;
  list.push_back(texture_case("bilinear R32F", with("R32_FLOAT"), "sampler2D", sample, true, 2.0));
  list.push_back(texture_case("bilinear RGBA16F", with("R16G16B16A16_FLOAT"), "sampler2D", sample, true, 2.0));
  list.push_back(texture_case("bilinear RGBA32F", with("R32G32B32A32_FLOAT"), "sampler2D", sample, true, 2.0));
  list.push_back(texture_case("bilinear sRGB8", with("R8G8B8A8_UNORM_SRGB"), "sampler2D", sample, true, 2.0));
  list.push_back(texture_case("bilinear BC1", with("BC1_UNORM"), "sampler2D", sample, true, 1.0));
  list.push_back(texture_case("bilinear BC7", with("BC7_UNORM"), "sampler2D", sample, true, 1.0));
  list.push_back(
      texture_case("bilinear shadow D32", depth, "sampler2DShadow", "textureLod(t, vec3(uv, 0.5), 0.0)", true, 2.0));
  Texture mips = rgba8();
  mips.levels = 11;
  mips.mip = "linear";
  list.push_back(texture_case("trilinear RGBA8", mips, "sampler2D", sum("textureLod(t, uv, 1.4)"), true, 2.5));
  list.push_back(
      texture_case("texture size", rgba8(), "sampler2D", "float(textureSize(t, int(uv.x)).x) + uv.y", true, 0));
  {
    Case c;
    c.name = "ALU: mandelbrot, an iteration";
    c.glsl = fmt::format(
        "#version 450\nlayout(local_size_x = 64) in;\nlayout(set = 0, binding = 1) buffer O {{ float o[]; }};\nvoid "
        "main() {{\n"
        "  uint id = gl_GlobalInvocationID.x; vec2 c = vec2(float(id & 255u), float(id >> 8u)) * (0.5 / 256.0) - 0.25; "
        "vec2 z = vec2(0.0); float n = 0.0;\n"
        "  for (int k = 0; k < {}; ++k) {{ if (dot(z, z) > 4.0) break; z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * "
        "z.y) + c; n += 1.0; }}\n"
        "  o[id] = n;\n}}\n",
        8 * kLoops);
    c.textured = false;
    c.group = "ALU";
    c.lanes = 1u << 16;
    c.operations = 8 * kLoops;
    c.wanted = 1.3;
    c.threads = true;
    list.push_back(c);
  }
  {
    Case c;
    c.name = "ALU: value noise";
    c.glsl = compute("", "noise(uv * 37.0)", 1024, true,
                     "float hash(vec2 p) { return fract(sin(dot(p, vec2(12.9898, 78.233))) * 43758.5453); }\n"
                     "float noise(vec2 p) { vec2 i = floor(p), f = fract(p); vec2 u = f * f * (3.0 - 2.0 * f);\n"
                     "  return mix(mix(hash(i), hash(i + vec2(1, 0)), u.x), mix(hash(i + vec2(0, 1)), hash(i + vec2(1, "
                     "1)), u.x), u.y); }");
    c.textured = false;
    c.group = "ALU";
    c.operations = kLoops;
    c.wanted = 1.3;
    list.push_back(c);
  }
  list.push_back(frame("no texture", "c0 = vec4(uv, 0.5, 1.0);", false));
  list.push_back(frame("bilinear RGBA8", "c0 = texture(t, uv);"));
  list.back().threads = true;
  list.push_back(
      frame("4 targets", "vec4 x = texture(t, uv); c0 = x; c1 = x.yzwx; c2 = x.zwxy; c3 = x.wxyz;", true, 4));
  list.push_back(frame("depth test", "c0 = texture(t, uv);"));
  list.back().depth = true;
  list.push_back(frame("blend", "c0 = vec4(texture(t, uv).rgb, 0.5);"));
  list.back().blend = list.back().threads = true;
  list.push_back(frame("4x MSAA, sample mask",
                       "c0 = texture(t, uv); gl_SampleMask[0] = (int(gl_FragCoord.x) & 1) != 0 ? 5 : 11;"));
  list.back().samples = 4;
  // Neighboring pixels are so many texels apart in x, one texel in y: the derivatives mean level 0 and as many probes.
  for (const unsigned ratio : {2u, 4u, 16u}) {
    list.push_back(frame(fmt::format("anisotropic {}:1", ratio),
                         fmt::format("c0 = texture(t, gl_FragCoord.xy * vec2({}.0 / 1024.0, 1.0 / 1024.0));", ratio)));
    list.back().texture = mips;
    list.back().texture.anisotropy = 16;
    list.back().wanted = ratio == 16 ? 1.3 : 1.5;
  }
  return list;
}

std::vector<Case> vertex_cases() {
  const std::string full =
      "#version 450\nvoid main() { vec2 p = vec2(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0); "
      "gl_Position = vec4(p, 0.0, 1.0); }\n";
  // 2000 columns and 500 rows of cells, each with a right-angled triangle over its upper left half.
  const std::string small = fmt::format(
      "#version 450\nvoid main() {{ uint cell = uint(gl_VertexIndex) / 3u, corner = uint(gl_VertexIndex) % 3u;\n"
      "  vec2 p = vec2(float(cell % 2000u) + (corner == 1u ? 1.0 : 0.0), float(cell / 2000u) + (corner == 2u ? 1.0 : "
      "0.0));\n  gl_Position = vec4(p * vec2(2.0 / 2000.0, 2.0 / 500.0) - 1.0, 0.0, 1.0); }}\n");
  std::vector<Case> list;
  list.push_back(frame("vertex shader, no texture", "c0 = vec4(uv, 0.5, 1.0);", false));
  list.back().wanted = 3.0;
  list.push_back(frame("vertex shader, bilinear RGBA8", "c0 = texture(t, uv);"));
  list.back().wanted = 2.5;
  for (Case& c : list) c.vertex = full;
  list.push_back(frame("1,000,000 triangles, each triangle", "c0 = vec4(uv, 0.5, 1.0);", false));
  list.back().vertex = small;
  list.back().vertices = 3000000;
  list.back().operations = 1000000;
  list.back().wanted = 1.5;
  return list;
}

std::vector<Case> footprint_cases() {
  const std::string query =
      "gl_TextureFootprint2DNV f; textureFootprintLodNV(t, uv, 0.0, 1, false, f); "
      "acc += float(f.anchor.x + f.anchor.y + f.mask.x + f.lod)";
  std::vector<Case> list;
  list.push_back(texture_case("bilinear sample", Texture{}, "sampler2D", sum("textureLod(t, uv, 0.0)"), true, 0));
  for (const char* name : {"footprint query", "footprint query, plain vISA"}) {
    Case c = texture_case(name, Texture{}, "sampler2D", "0.0", true, 2.0);
    c.glsl = compute("sampler2D", "0.0; " + query, c.texture.size, true);
    c.glsl.insert(c.glsl.find('\n') + 1, "#extension GL_NV_shader_texture_footprint : require\n");
    list.push_back(c);
  }
  list.back().portable = true;
  for (Case& c : list) c.clamp = true, c.lanes = 1u << 16;
  return list;
}

std::uint32_t block_bytes(const Texture& t) { return t.format == "BC1_UNORM" ? 8 : t.format == "BC7_UNORM" ? 16 : 0; }

std::vector<std::uint8_t> texels(const Texture& t) {
  std::vector<std::uint8_t> data;
  std::mt19937 random(1);
  const auto number = [&] { return static_cast<float>(random() >> 8) / 16777216.0f; };
  const auto append = [&](const void* bytes, std::size_t size) {
    const auto* b = static_cast<const std::uint8_t*>(bytes);
    data.insert(data.end(), b, b + size);
  };
  for (std::uint32_t level = 0; level < t.levels; ++level) {
    if (const std::uint32_t bytes = block_bytes(t); bytes != 0) {
      const std::size_t across = (std::max(1u, t.size >> level) + 3) / 4;
      for (std::size_t k = 0; k < across * across * t.layers * bytes; ++k)
        data.push_back(static_cast<std::uint8_t>(random()));
      continue;
    }
    const std::size_t edge = std::max(1u, t.size >> level), count = edge * edge * (t.dim == "cube" ? 6 : t.layers);
    for (std::size_t k = 0; k < count; ++k) {
      if (t.format == "R32_FLOAT" || t.format == "R32G32B32A32_FLOAT") {
        for (int c = 0; c < (t.format == "R32_FLOAT" ? 1 : 4); ++c) {
          const float v = number();
          append(&v, 4);
        }
      } else if (t.format == "R16G16B16A16_FLOAT") {
        for (int c = 0; c < 4; ++c) {
          const std::uint16_t v = base::double_to_half(static_cast<double>(number()));
          append(&v, 2);
        }
      } else {
        const auto v = static_cast<std::uint32_t>(random());
        append(&v, 4);
      }
    }
  }
  return data;
}

Case many_textures(unsigned operations, unsigned groups) {
  std::string body;
  for (unsigned k = 0; k < operations; ++k)
    body += fmt::format("acc += {};", sum(fmt::format("textureLod(t, uv * {}.0 + 0.{}, 0.0)", k + 1, k + 1)));
  Case c;
  c.name = fmt::format("{} texture operation{}", operations, operations == 1 ? "" : "s");
  c.texture.size = 64;
  c.lanes = 64 * groups;
  c.operations = operations;
  c.glsl = fmt::format(
      "#version 450\nlayout(local_size_x = 64) in;\nlayout(set = 0, binding = 0) uniform sampler2D t;\nlayout(set = 0, "
      "binding = 1) buffer O {{ float o[]; "
      "}};\nvoid main() {{ uint id = gl_GlobalInvocationID.x; float acc = 0.0; vec2 uv = vec2(float(id)) * 0.01; {} "
      "o[id] = acc; }}\n",
      body);
  return c;
}

}  // namespace heddle::bench
