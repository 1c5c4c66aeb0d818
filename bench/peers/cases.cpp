#include "cases.hpp"

#include <fmt/format.h>

namespace heddle::bench {
namespace {

/// A loop of `kLoops` operations; `coherent`: neighbouring lanes are neighbouring texels.
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
  return c;
}

Case frame(std::string name, const std::string& body, const std::string& declarations, bool textured,
           std::uint32_t targets, bool blend) {
  Case c;
  c.name = std::move(name);
  c.fragment = true;
  c.textured = textured;
  c.targets = targets;
  c.blend = blend;
  c.operations = 1;
  c.wanted = 2.0;
  std::string outputs;
  for (std::uint32_t k = 0; k < targets; ++k) outputs += fmt::format("layout(location = {0}) out vec4 c{0};\n", k);
  c.glsl = fmt::format(
      "#version 450\n{}{}{}\nvoid main() {{ vec2 uv = gl_FragCoord.xy * vec2(1.0 / 1920.0, 1.0 / 1080.0);\n{}\n}}\n",
      textured ? "layout(set = 0, binding = 0) uniform sampler2D t;\n" : "", outputs, declarations, body);
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
  list.push_back(texture_case("bilinear R32F", with("R32_FLOAT"), "sampler2D", sample, true, 2.0));
  list.push_back(texture_case("bilinear RGBA16F", with("R16G16B16A16_FLOAT"), "sampler2D", sample, true, 2.0));
  list.push_back(texture_case("bilinear RGBA32F", with("R32G32B32A32_FLOAT"), "sampler2D", sample, true, 2.0));
  list.push_back(texture_case("bilinear sRGB8", with("R8G8B8A8_UNORM_SRGB"), "sampler2D", sample, true, 2.0));
  list.push_back(
      texture_case("bilinear shadow D32", depth, "sampler2DShadow", "textureLod(t, vec3(uv, 0.5), 0.0)", true, 2.0));
  Texture mips = rgba8();
  mips.levels = 11;
  mips.mip = "linear";
  list.push_back(texture_case("trilinear RGBA8", mips, "sampler2D", sum("textureLod(t, uv, 1.4)"), true, 2.5));
  Texture anisotropic = mips;
  anisotropic.anisotropy = 16;
  list.push_back(texture_case("anisotropic 16x RGBA8", anisotropic, "sampler2D",
                              sum("textureGrad(t, uv, vec2(16.0 / 1024.0, 0.0), vec2(0.0, 1.0 / 1024.0))"), true, 1.0));
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
    c.operations = 8 * kLoops;
    c.wanted = 1.3;
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
    c.operations = kLoops;
    c.wanted = 1.3;
    list.push_back(c);
  }
  list.push_back(frame("frame 1920x1080: no texture", "c0 = vec4(uv, 0.5, 1.0);", "", false, 1, false));
  list.push_back(frame("frame 1920x1080: bilinear RGBA8", "c0 = texture(t, uv);", "", true, 1, false));
  list.push_back(frame("frame 1920x1080: 4 targets",
                       "vec4 x = texture(t, uv); c0 = x; c1 = x.yzwx; c2 = x.zwxy; c3 = x.wxyz;", "", true, 4, false));
  list.push_back(frame("frame 1920x1080: blend", "c0 = vec4(texture(t, uv).rgb, 0.5);", "", true, 1, true));
  return list;
}

std::string many_textures(unsigned operations) {
  std::string body;
  for (unsigned k = 0; k < operations; ++k)
    body += fmt::format("acc += {};", sum(fmt::format("textureLod(t, uv * {}.0 + 0.{}, 0.0)", k + 1, k + 1)));
  return fmt::format(
      "#version 450\nlayout(local_size_x = 64) in;\nlayout(set = 0, binding = 0) uniform sampler2D t;\nlayout(set = 0, "
      "binding = 1) buffer O {{ float o[]; "
      "}};\nvoid main() {{ uint id = gl_GlobalInvocationID.x; float acc = 0.0; vec2 uv = vec2(float(id)) * 0.01; {} "
      "o[id] = acc; }}\n",
      body);
}

}  // namespace heddle::bench
