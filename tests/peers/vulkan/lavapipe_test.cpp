// SPDX-License-Identifier: MIT
// The texture unit against lavapipe (Debian's mesa-vulkan-drivers): the same images, samplers and coordinates through
// both. Gathers and queries must agree exactly away from ties; filtered samples within the other side's documented
// precision; every difference that is allowed names the rule that explains it.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <random>

#include "image/format.hpp"
#include "image/surface.hpp"
#include "peers/vulkan/vulkan_client.hpp"
#include "support/process.hpp"
#include "texture/request.hpp"

namespace heddle::test {
namespace {

using image::AddressMode;
using image::Surface;
using image::SurfaceType;
using texture::LaneRequest;
using texture::LaneWords;
using texture::Op;
using texture::Param;

constexpr unsigned kPoints = 2048;

struct Picture {
  Surface surface;
  PeerImage peer;
};

Picture make_picture(SurfaceType type, const char* format, std::uint32_t width, std::uint32_t height,
                     std::uint32_t depth = 1, std::uint32_t layers = 1, std::uint32_t levels = 1, bool array = false,
                     unsigned seed = 1) {
  Picture p;
  Surface& s = p.surface;
  s.type = type;
  s.format = image::find_format(format)->format;
  s.width = width;
  s.height = height;
  s.depth = depth;
  s.array = array;
  s.layers = layers;
  s.view_layers = type == SurfaceType::Cube ? layers / 6 : layers;
  s.levels = levels;
  s.mip_count = levels - 1;
  EXPECT_TRUE(image::allocate(s).ok());
  std::mt19937 random(seed);
  const image::FormatInfo& info = s.info();
  const bool depth_format = std::string(format).find("R32_FLOAT") == 0 || std::string(format).find("R16_UNORM") == 0;
  image::Memory& bytes = *s.memory;
  for (std::size_t i = 0; i < bytes.size(); i += info.bytes_per_element()) {
    image::Texel texel;
    for (int c = 0; c < 4; ++c) {
      if (info.value_class == image::ValueClass::Float)
        texel.set(c, static_cast<float>(random() % 4096) / 4096.0f);
      else
        texel.bits[static_cast<unsigned>(c)] = random() % 120;
    }
    image::encode_texel(info, texel, bytes.data() + i);
  }
  static_cast<void>(depth_format);
  p.peer.format = static_cast<VkFormat>(*image::vulkan_format(s.format));
  p.peer.width = width;
  p.peer.height = height;
  p.peer.depth = depth;
  p.peer.layers = layers;
  p.peer.levels = levels;
  p.peer.data = bytes.copy();
  p.peer.view = type == SurfaceType::Dim3   ? VK_IMAGE_VIEW_TYPE_3D
                : type == SurfaceType::Cube ? (array ? VK_IMAGE_VIEW_TYPE_CUBE_ARRAY : VK_IMAGE_VIEW_TYPE_CUBE)
                                            : (array ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D);
  return p;
}

struct Point {
  float c[4] = {};      // coordinates
  float extra[4] = {};  // lod, ref, ...
};

std::vector<std::uint8_t> point_bytes(const std::vector<Point>& points) {
  std::vector<std::uint8_t> bytes(points.size() * sizeof(Point));
  std::memcpy(bytes.data(), points.data(), bytes.size());
  return bytes;
}

/// GLSL around one expression `value` of type vec4/uvec4/ivec4; P is the point's coordinates, E its extras.
std::string shader(const std::string& sampler, const std::string& type, const std::string& value) {
  return "#version 460\nlayout(local_size_x = 64) in;\nlayout(set = 0, binding = 0) uniform " + sampler +
         " t;\nstruct Point { vec4 P, E; };\nlayout(set = 0, binding = 1) readonly buffer In { Point points[]; };\n"
         "layout(set = 0, binding = 2) buffer Out { " +
         type +
         " results[]; };\n"
         "void main() { uint i = gl_GlobalInvocationID.x; vec4 P = points[i].P, E = points[i].E; results[i] = " +
         value + "; }\n";
}

using Results = std::vector<std::array<std::uint32_t, 4>>;

Results peer_results(VulkanClient& vulkan, const Picture& picture, const VkSamplerCreateInfo& sampler,
                     const std::string& glsl, const std::vector<Point>& points) {
  std::vector<std::uint8_t> in = point_bytes(points), out(points.size() * 16);
  std::vector<PeerBinding> bindings(3);
  bindings[0].image = &picture.peer;
  bindings[0].sampler = sampler;
  bindings[1].buffer = &in;
  bindings[2].buffer = &out;
  const std::string why = vulkan.compute(glsl, bindings, static_cast<std::uint32_t>(points.size() / 64));
  EXPECT_EQ(why, "");
  Results results(points.size());
  std::memcpy(results.data(), out.data(), out.size());
  return results;
}

/// Runs an operation of the texture unit over all points, 8 lanes at a time; `fill` sets the parameters of one lane
/// group.
Results unit_results(Op op, const Picture& picture, const image::Sampler& sampler, const std::vector<Point>& points,
                     const std::vector<std::pair<Param, std::function<float(const Point&)>>>& params, int channel = 0,
                     std::array<std::int32_t, 3> offset = {}) {
  Results results(points.size());
  texture::OperationContext context;
  for (std::size_t first = 0; first < points.size(); first += 8) {
    LaneRequest request;
    request.op = op;
    request.simd = 8;
    request.surface = &picture.surface;
    request.sampler = &sampler;
    request.source_channel = static_cast<std::uint8_t>(channel);
    request.offset = offset;
    std::vector<LaneWords> words(params.size());
    for (std::size_t p = 0; p < params.size(); ++p) {
      for (unsigned lane = 0; lane < 8; ++lane)
        words[p][lane] = __builtin_bit_cast(std::uint32_t, params[p].second(points[first + lane]));
      request.set(params[p].first, words[p]);
    }
    const texture::LaneResult r = texture::execute(request, context);
    for (unsigned lane = 0; lane < 8; ++lane)
      for (unsigned c = 0; c < 4; ++c) results[first + lane][c] = r.channels[c][lane];
  }
  EXPECT_FALSE(context.reports.has_errors());
  return results;
}

image::Sampler unit_sampler(image::Filter filter, image::MipFilter mip, AddressMode mode) {
  image::Sampler s;
  s.min_filter = s.mag_filter = filter;
  s.mip_filter = mip;
  s.tcx = s.tcy = s.tcz = mode;
  s.set_api_rounding();
  return s;
}

const auto kX = [](const Point& p) { return p.c[0]; };
const auto kY = [](const Point& p) { return p.c[1]; };
const auto kZ = [](const Point& p) { return p.c[2]; };
const auto kW = [](const Point& p) { return p.c[3]; };
const auto kE0 = [](const Point& p) { return p.extra[0]; };

/// Random points whose texel coordinates keep `clear` texels away from every decision of a gather (k + 1/2) of a w x h
/// level (CRD-1: ties and the 1/256 grid are Heddle's own choice, C1).
std::vector<Point> clear_points(unsigned seed, float w, float h, float low, float high, float clear = 1.0f / 200) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> range(low, high);
  std::vector<Point> points(kPoints);
  const auto pick = [&](float n) {
    for (;;) {
      const float u = range(random), t = u * n - 0.5f, f = t - std::floor(t);
      if (f > clear && f < 1 - clear) return u;
    }
  };
  for (Point& p : points) {
    p.c[0] = pick(w);
    p.c[1] = pick(h);
    p.c[2] = std::floor(range(random) * 4);
    p.extra[0] = static_cast<float>(random() % 1000) / 1000.0f;
  }
  return points;
}

struct Mode {
  AddressMode ours;
  VkSamplerAddressMode theirs;
};
const Mode kModes[] = {{AddressMode::Wrap, VK_SAMPLER_ADDRESS_MODE_REPEAT},
                       {AddressMode::Mirror, VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT},
                       {AddressMode::Clamp, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE},
                       {AddressMode::ClampBorder, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER},
                       {AddressMode::MirrorOnce, VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE}};

/// Results that differ by more than `ulps` units in the last place. 1 where texels are UNORM: lavapipe multiplies by a
/// reciprocal, NUM-10 divides.
std::size_t count_different(const Results& a, const Results& b, std::string& first, const std::vector<Point>& points,
                            std::uint32_t ulps = 0) {
  std::size_t different = 0;
  const auto near = [&](std::uint32_t x, std::uint32_t y) { return (x > y ? x - y : y - x) <= ulps; };
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!std::equal(a[i].begin(), a[i].end(), b[i].begin(), near) && different++ == 0)
      first = "point " + std::to_string(points[i].c[0]) + " " + std::to_string(points[i].c[1]) + " " +
              std::to_string(points[i].c[2]);
  return different;
}

#define HEDDLE_NEED_LAVAPIPE()                    \
  std::string why_not;                            \
  VulkanClient* const vulkan = lavapipe(why_not); \
  if (vulkan == nullptr) GTEST_SKIP() << "lavapipe: " << why_not

// GA-3, GA-4, GA-5, ADR-0, 1, 2, 4, 5: which four texels a gather returns, in which order.
TEST(Lavapipe, Gather4AgreesExactly) {
  HEDDLE_NEED_LAVAPIPE();
  for (const char* format : {"R8G8B8A8_UNORM", "R32_FLOAT", "R16G16B16A16_FLOAT", "R32G32B32A32_FLOAT"}) {
    const Picture picture = make_picture(SurfaceType::Dim2, format, 37, 19);
    for (const Mode& mode : kModes) {
      const std::vector<Point> points = clear_points(7, 37, 19, -2.2f, 3.1f);
      const Results theirs =
          peer_results(*vulkan, picture, peer_sampler(VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, mode.theirs),
                       shader("sampler2D", "vec4", "textureGather(t, P.xy)"), points);
      const Results ours =
          unit_results(Op::Gather4, picture, unit_sampler(image::Filter::Linear, image::MipFilter::Nearest, mode.ours),
                       points, {{Param::U, kX}, {Param::V, kY}});
      std::string first;
      const std::size_t different =
          count_different(ours, theirs, first, points, std::string(format) == "R8G8B8A8_UNORM" ? 1 : 0);
      // lavapipe takes the fraction of a repeated coordinate before it scales (binary32), which moves a few points
      // across a texel's edge.
      const bool fraction_first = mode.ours == AddressMode::Wrap || mode.ours == AddressMode::Mirror;
      EXPECT_LE(different, fraction_first ? kPoints / 50 : 0u)
          << format << " mode " << static_cast<int>(mode.ours) << " first " << first;
    }
  }
}

// GA-5 with integer formats (GA-11), all four source channels.
TEST(Lavapipe, Gather4IntegersAndChannels) {
  HEDDLE_NEED_LAVAPIPE();
  const Picture picture = make_picture(SurfaceType::Dim2, "R8G8B8A8_UINT", 16, 16);
  const std::vector<Point> points = clear_points(3, 16, 16, -0.5f, 1.5f);
  for (int channel = 0; channel < 4; ++channel) {
    const Results theirs = peer_results(
        *vulkan, picture,
        peer_sampler(VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE),
        shader("usampler2D", "uvec4", "textureGather(t, P.xy, " + std::to_string(channel) + ")"), points);
    image::Sampler sampler = unit_sampler(image::Filter::Nearest, image::MipFilter::Nearest, AddressMode::Clamp);
    const Results ours = unit_results(Op::Gather4, picture, sampler, points, {{Param::U, kX}, {Param::V, kY}}, channel);
    std::string first;
    EXPECT_EQ(count_different(ours, theirs, first, points), 0u) << "channel " << channel << " " << first;
  }
}

// CRD-4: immediate offsets before the address mode.
TEST(Lavapipe, Gather4Offsets) {
  HEDDLE_NEED_LAVAPIPE();
  const Picture picture = make_picture(SurfaceType::Dim2, "R32_FLOAT", 24, 17);
  const std::vector<Point> points = clear_points(5, 24, 17, -0.4f, 1.4f);
  const std::array<std::int32_t, 3> offsets[] = {{-8, 7, 0}, {3, -2, 0}, {0, 5, 0}};
  for (const auto& offset : offsets) {
    const std::string text = "ivec2(" + std::to_string(offset[0]) + ", " + std::to_string(offset[1]) + ")";
    const Results theirs = peer_results(
        *vulkan, picture,
        peer_sampler(VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE),
        shader("sampler2D", "vec4", "textureGatherOffset(t, P.xy, " + text + ")"), points);
    const Results ours = unit_results(
        Op::Gather4, picture, unit_sampler(image::Filter::Linear, image::MipFilter::Nearest, AddressMode::Clamp),
        points, {{Param::U, kX}, {Param::V, kY}}, 0, offset);
    std::string first;
    EXPECT_EQ(count_different(ours, theirs, first, points), 0u) << text << " " << first;
  }
}

// CMP-1, CMP-3: every compare function; the state's function is the inverse of the API's.
TEST(Lavapipe, Gather4Compare) {
  HEDDLE_NEED_LAVAPIPE();
  using image::CompareFunction;
  struct Function {
    VkCompareOp theirs;
    CompareFunction ours;
  };
  const Function functions[] = {{VK_COMPARE_OP_NEVER, CompareFunction::Always},
                                {VK_COMPARE_OP_LESS, CompareFunction::Lequal},
                                {VK_COMPARE_OP_EQUAL, CompareFunction::Notequal},
                                {VK_COMPARE_OP_LESS_OR_EQUAL, CompareFunction::Less},
                                {VK_COMPARE_OP_GREATER, CompareFunction::Gequal},
                                {VK_COMPARE_OP_NOT_EQUAL, CompareFunction::Equal},
                                {VK_COMPARE_OP_GREATER_OR_EQUAL, CompareFunction::Greater},
                                {VK_COMPARE_OP_ALWAYS, CompareFunction::Never}};
  Picture picture = make_picture(SurfaceType::Dim2, "R32_FLOAT", 32, 32);
  picture.peer.format = VK_FORMAT_D32_SFLOAT;
  picture.peer.depth_aspect = true;
  for (const Function& f : functions) {
    const std::vector<Point> points = clear_points(11, 32, 32, 0.0f, 1.0f);
    VkSamplerCreateInfo sampler =
        peer_sampler(VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE);
    sampler.compareEnable = VK_TRUE;
    sampler.compareOp = f.theirs;
    const Results theirs = peer_results(*vulkan, picture, sampler,
                                        shader("sampler2DShadow", "vec4", "textureGather(t, P.xy, E.x)"), points);
    image::Sampler own = unit_sampler(image::Filter::Linear, image::MipFilter::Nearest, AddressMode::Clamp);
    own.compare = f.ours;
    const Results ours =
        unit_results(Op::Gather4C, picture, own, points, {{Param::Ref, kE0}, {Param::U, kX}, {Param::V, kY}});
    std::string first;
    EXPECT_EQ(count_different(ours, theirs, first, points), 0u) << "compare op " << f.theirs << " " << first;
  }
}

// SUR-3, SUR-4: array layers round to nearest even and clamp.
TEST(Lavapipe, Gather4Array) {
  HEDDLE_NEED_LAVAPIPE();
  const Picture picture = make_picture(SurfaceType::Dim2, "R8G8B8A8_UNORM", 16, 16, 1, 5, 1, true);
  std::vector<Point> points = clear_points(13, 16, 16, -0.3f, 1.3f);
  for (std::size_t i = 0; i < points.size(); ++i) points[i].c[2] = static_cast<float>(i % 29) / 4.0f - 1.0f;
  const Results theirs = peer_results(
      *vulkan, picture,
      peer_sampler(VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE),
      shader("sampler2DArray", "vec4", "textureGather(t, P.xyz)"), points);
  const Results ours = unit_results(Op::Gather4, picture,
                                    unit_sampler(image::Filter::Linear, image::MipFilter::Nearest, AddressMode::Clamp),
                                    points, {{Param::U, kX}, {Param::V, kY}, {Param::R, kZ}});
  std::string first;
  EXPECT_EQ(count_different(ours, theirs, first, points, 1), 0u) << first;
}

/// Directions whose position on their face stays clear of gather decisions; `seam` keeps only those whose taps all lie
/// inside the face.
std::vector<Point> directions(unsigned seed, float n, bool inside) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> range(-1, 1);
  std::vector<Point> points;
  while (points.size() < kPoints) {
    Point p;
    for (int k = 0; k < 3; ++k) p.c[k] = range(random);
    float major = 0;
    int axis = 0;
    for (int k = 0; k < 3; ++k)
      if (std::fabs(p.c[k]) > major) major = std::fabs(p.c[k]), axis = k;
    if (major < 0.1f) continue;
    int outside = 0;
    bool clear = true;
    for (int k = 0; k < 3; ++k) {
      if (k == axis) continue;
      const float t = (p.c[k] / major * 0.5f + 0.5f) * n - 0.5f, f = t - std::floor(t);
      clear = clear && f > 0.02f && f < 0.98f;
      if (t < 0 || t > n - 1) ++outside;
    }
    if (clear && outside < 2 && (!inside || outside == 0)) points.push_back(p);  // corners differ by choice (C4)
  }
  return points;
}

// CUB-1, CUB-4: faces, and seams in one axis.
TEST(Lavapipe, Gather4Cube) {
  HEDDLE_NEED_LAVAPIPE();
  const Picture picture = make_picture(SurfaceType::Cube, "R8G8B8A8_UNORM", 16, 16, 1, 6);
  const std::vector<Point> points = directions(17, 16, false);
  const Results theirs = peer_results(
      *vulkan, picture,
      peer_sampler(VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE),
      shader("samplerCube", "vec4", "textureGather(t, P.xyz)"), points);
  const Results ours = unit_results(Op::Gather4, picture,
                                    unit_sampler(image::Filter::Linear, image::MipFilter::Nearest, AddressMode::Cube),
                                    points, {{Param::U, kX}, {Param::V, kY}, {Param::R, kZ}});
  std::string first;
  EXPECT_EQ(count_different(ours, theirs, first, points, 1), 0u) << first;
}

// RES-1: sizes and level counts.
TEST(Lavapipe, QueriesAgree) {
  HEDDLE_NEED_LAVAPIPE();
  const auto check = [&](const Picture& picture, const std::string& sampler, const std::string& size, unsigned parts) {
    for (std::uint32_t lod = 0; lod < picture.surface.levels; ++lod) {
      std::vector<Point> points(64);
      for (Point& p : points) p.extra[0] = static_cast<float>(lod);
      const Results theirs =
          peer_results(*vulkan, picture,
                       peer_sampler(VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT),
                       shader(sampler, "uvec4", "uvec4(" + size + ", textureQueryLevels(t))"), points);
      LaneRequest request;
      request.op = Op::Resinfo;
      request.surface = &picture.surface;
      LaneWords lods;
      lods.fill(lod);
      request.set(Param::Lod, lods);
      texture::OperationContext context;
      const texture::LaneResult ours = texture::execute(request, context);
      for (unsigned c = 0; c < parts; ++c)
        EXPECT_EQ(ours.channels[c][0], theirs[0][c]) << sampler << " lod " << lod << " part " << c;
      EXPECT_EQ(ours.channels[3][0], theirs[0][3]);
    }
  };
  check(make_picture(SurfaceType::Dim2, "R8G8B8A8_UNORM", 77, 33, 1, 1, 7), "sampler2D", "textureSize(t, int(E.x)), 0",
        2);
  check(make_picture(SurfaceType::Dim2, "R8G8B8A8_UNORM", 64, 32, 1, 6, 7, true), "sampler2DArray",
        "textureSize(t, int(E.x))", 3);
  check(make_picture(SurfaceType::Dim3, "R8G8B8A8_UNORM", 20, 9, 13, 1, 5), "sampler3D", "textureSize(t, int(E.x))", 3);
  check(make_picture(SurfaceType::Cube, "R8G8B8A8_UNORM", 32, 32, 1, 6, 6), "samplerCube",
        "textureSize(t, int(E.x)), 0", 2);
}

/// The largest difference of any channel.
double largest_difference(const Results& a, const Results& b, std::size_t& where) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (unsigned c = 0; c < 4; ++c) {
      const double d = std::fabs(static_cast<double>(__builtin_bit_cast(float, a[i][c])) -
                                 static_cast<double>(__builtin_bit_cast(float, b[i][c])));
      if (!(d <= worst)) worst = d, where = i;
    }
  return worst;
}

// FLT-3 against a filter without the 8-bit weight grid: a weight moves by at most 1/512 an axis (CRD-1), and lavapipe's
// RGBA8 filter rounds each step to 8 bits (off by up to 1.1/255 for repeat and clamp).
TEST(Lavapipe, BilinearWithinItsPrecision) {
  HEDDLE_NEED_LAVAPIPE();
  for (const char* format : {"R8G8B8A8_UNORM", "R32_FLOAT", "R16G16B16A16_FLOAT", "R8G8B8A8_UNORM_SRGB"}) {
    const Picture picture = make_picture(SurfaceType::Dim2, format, 33, 21);
    for (const Mode& mode : kModes) {
      const std::vector<Point> points = clear_points(19, 33, 21, -1.3f, 2.2f);
      const Results theirs =
          peer_results(*vulkan, picture, peer_sampler(VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, mode.theirs),
                       shader("sampler2D", "vec4", "textureLod(t, P.xy, 0.0)"), points);
      const Results ours =
          unit_results(Op::SampleLz, picture, unit_sampler(image::Filter::Linear, image::MipFilter::Nearest, mode.ours),
                       points, {{Param::U, kX}, {Param::V, kY}});
      std::size_t where = 0;
      EXPECT_LE(largest_difference(ours, theirs, where), peer_tolerance(2.0 / 512 + 1.5 / 255))
          << format << " mode " << static_cast<int>(mode.ours) << " at " << points[where].c[0] << " "
          << points[where].c[1];
    }
  }
}

// LOD-5, LOD-6, FLT-4: explicit LOD, two levels.
TEST(Lavapipe, TrilinearWithinItsPrecision) {
  HEDDLE_NEED_LAVAPIPE();
  const Picture picture = make_picture(SurfaceType::Dim2, "R32_FLOAT", 64, 64, 1, 1, 7);
  std::vector<Point> points = clear_points(23, 64, 64, -0.6f, 1.7f);
  std::mt19937 random(5);
  for (Point& p : points) p.extra[0] = static_cast<float>(random() % 8000) / 1000.0f - 0.5f;
  const Results theirs =
      peer_results(*vulkan, picture,
                   peer_sampler(VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_LINEAR, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE),
                   shader("sampler2D", "vec4", "textureLod(t, P.xy, E.x)"), points);
  const Results ours = unit_results(Op::SampleL, picture,
                                    unit_sampler(image::Filter::Linear, image::MipFilter::Linear, AddressMode::Clamp),
                                    points, {{Param::Lod, kE0}, {Param::U, kX}, {Param::V, kY}});
  std::size_t where = 0;
  EXPECT_LE(largest_difference(ours, theirs, where), peer_tolerance(4.0 / 512))
      << points[where].c[0] << " " << points[where].c[1] << " lod " << points[where].extra[0];
}

// LOD-7: the nearest level, away from the half.
TEST(Lavapipe, NearestLevelAgrees) {
  HEDDLE_NEED_LAVAPIPE();
  const Picture picture = make_picture(SurfaceType::Dim2, "R32_FLOAT", 32, 32, 1, 1, 6);
  std::vector<Point> points = clear_points(29, 32, 32, 0.01f, 0.99f);
  std::mt19937 random(6);
  for (Point& p : points) {
    do p.extra[0] = static_cast<float>(random() % 6000) / 1000.0f - 0.5f;
    while (std::fabs(p.extra[0] - std::floor(p.extra[0]) - 0.5f) < 0.01f);
    for (int axis = 0; axis < 2; ++axis)  // stay clear of every level's texel edges
      p.c[axis] = (std::floor(p.c[axis] * 32) + 0.37f) / 32;
  }
  const Results theirs = peer_results(
      *vulkan, picture,
      peer_sampler(VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE),
      shader("sampler2D", "vec4", "textureLod(t, P.xy, E.x)"), points);
  const Results ours = unit_results(Op::SampleL, picture,
                                    unit_sampler(image::Filter::Nearest, image::MipFilter::Nearest, AddressMode::Clamp),
                                    points, {{Param::Lod, kE0}, {Param::U, kX}, {Param::V, kY}});
  std::string first;
  EXPECT_EQ(count_different(ours, theirs, first, points), 0u) << first;
}

// CUB-4 and FLT-3 on a cube array, CRD-5: the fourth coordinate is the cube.
TEST(Lavapipe, CubeArraySamples) {
  HEDDLE_NEED_LAVAPIPE();
  const Picture picture = make_picture(SurfaceType::Cube, "R32_FLOAT", 8, 8, 1, 18, 1, true);
  std::vector<Point> points = directions(31, 8, false);
  for (std::size_t i = 0; i < points.size(); ++i) points[i].c[3] = static_cast<float>(i % 3);
  const Results theirs = peer_results(
      *vulkan, picture,
      peer_sampler(VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE),
      shader("samplerCubeArray", "vec4", "textureLod(t, P, 0.0)"), points);
  const Results ours = unit_results(Op::SampleLz, picture,
                                    unit_sampler(image::Filter::Linear, image::MipFilter::Nearest, AddressMode::Cube),
                                    points, {{Param::U, kX}, {Param::V, kY}, {Param::R, kZ}, {Param::Ai, kW}});
  std::size_t where = 0;
  EXPECT_LE(largest_difference(ours, theirs, where), 2.5 / 512)
      << points[where].c[0] << " " << points[where].c[1] << " " << points[where].c[2];
}

// LD-2, LD-3: fetches inside the level.
TEST(Lavapipe, FetchesAgree) {
  HEDDLE_NEED_LAVAPIPE();
  const Picture picture = make_picture(SurfaceType::Dim2, "R8G8B8A8_UNORM_SRGB", 21, 13, 1, 1, 4);
  std::vector<Point> points(kPoints);
  std::mt19937 random(37);
  for (Point& p : points) {
    const unsigned level = random() % 4;
    const std::uint32_t x = random() % std::max(1u, 21u >> level), y = random() % std::max(1u, 13u >> level);
    p.c[0] = __builtin_bit_cast(float, x);
    p.c[1] = __builtin_bit_cast(float, y);
    p.extra[0] = __builtin_bit_cast(float, level);
  }
  const Results theirs = peer_results(
      *vulkan, picture, peer_sampler(VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT),
      shader("sampler2D", "vec4", "texelFetch(t, floatBitsToInt(P.xy), floatBitsToInt(E.x))"), points);
  const Results ours = unit_results(Op::Ld, picture, {}, points, {{Param::U, kX}, {Param::V, kY}, {Param::Lod, kE0}});
  std::size_t where = 0;
  EXPECT_LE(largest_difference(ours, theirs, where),
            0.35 / 255);  // lavapipe's sRGB decode is off by up to 0.3/255 (NUM-21 is exact)
}

}  // namespace
}  // namespace heddle::test
