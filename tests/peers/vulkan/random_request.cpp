// SPDX-License-Identifier: MIT
#include "peers/vulkan/random_request.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <random>

#include <fmt/format.h>

#include "image/format.hpp"
#include "peers/vulkan/surface_image.hpp"

namespace heddle::test {
namespace {

using image::AddressMode;
using image::SurfaceType;
using texture::Op;
using texture::Param;

struct Mode {
  AddressMode ours;
  VkSamplerAddressMode theirs;
};
constexpr Mode kModes[] = {{AddressMode::Wrap, VK_SAMPLER_ADDRESS_MODE_REPEAT},
                           {AddressMode::Mirror, VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT},
                           {AddressMode::Clamp, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE},
                           {AddressMode::ClampBorder, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER},
                           {AddressMode::MirrorOnce, VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE}};
constexpr const char* kFormats[] = {
    "R8G8B8A8_UNORM", "R8G8B8A8_UNORM_SRGB", "R16G16B16A16_FLOAT", "R32_FLOAT",
    "R8_UNORM",       "R10G10B10A2_UNORM",   "R16_UNORM",          "R8G8B8A8_SNORM",
    "R8G8_UNORM",     "R11G11B10_FLOAT",     "R16G16_FLOAT",       "R32G32B32A32_FLOAT"};
constexpr const char* kIntegers[] = {"R8G8B8A8_UINT", "R32_UINT", "R16G16_SINT"};
struct Kind {
  SurfaceType type;
  bool array;
  const char* sampler;  ///< the end of GLSL's word
  unsigned axes;        ///< of coordinates
};
constexpr Kind kKinds[] = {{SurfaceType::Dim2, false, "2D", 2},    {SurfaceType::Dim2, true, "2DArray", 2},
                           {SurfaceType::Cube, false, "Cube", 3},  {SurfaceType::Dim3, false, "3D", 3},
                           {SurfaceType::Dim1, false, "1D", 1},    {SurfaceType::Cube, true, "CubeArray", 3},
                           {SurfaceType::Dim1, true, "1DArray", 1}};
/// Points of quads are asked in the upper right quarter of a draw. A driver that clips the triangle divides it along
/// the diagonal, and may give what the other part of a quad loads from buffers as zeros.
constexpr std::uint32_t kDrawWidth = 32;

/// Makes one request, step by step.
class Maker {
 public:
  Maker(std::uint64_t seed, unsigned points) : random_(seed), points_(points) {}
  RandomRequest make() {
    choose_kind();
    choose_operation();
    make_surface();
    make_sampler();
    make_points();
    return std::move(one_);
  }

 private:
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  bool chance(std::uint32_t n) { return below(n) == 0; }
  float between(float low, float high) { return std::uniform_real_distribution<float>(low, high)(random_); }

  void choose_kind() {
    const std::uint32_t pick = below(12);  // mostly 2D
    kind_ = &kKinds[pick < 7 ? pick : pick == 7 ? 2 : pick == 8 ? 1 : 0];
    one_.integer = chance(10);
    one_.depth = !one_.integer && kind_->type == SurfaceType::Dim2 && chance(5);
  }

  [[nodiscard]] std::string place(const char* reference = "") const {
    constexpr const char* kPlaces[] = {"", "A.x", "A.xy", "A.xyz"};
    std::string text = kPlaces[kind_->axes];
    unsigned numbers = kind_->axes;
    if (kind_->array) text += ", C.w", ++numbers;
    if (*reference != '\0') text += fmt::format(", {}", reference), ++numbers;
    return numbers == 1 ? text : fmt::format("vec{}({})", numbers, text);
  }
  [[nodiscard]] std::string steps() const {
    constexpr const char* kSteps[] = {"", "B.x, C.x", "B.xy, C.xy", "B.xyz, C.xyz"};
    return kSteps[kind_->axes];
  }

  void choose_operation() {
    if (one_.depth) return choose_comparison();
    const std::string p = place();
    const bool gathers = kind_->type == SurfaceType::Dim2 || kind_->type == SurfaceType::Cube;
    switch (below(10)) {
      case 0:
        if (kind_->type != SurfaceType::Cube) return choose_fetch();
        break;
      case 1:
      case 2:
        if (!gathers) break;
        one_.op = Op::Gather4;
        one_.source_channel = static_cast<std::uint8_t>(below(4));
        one_.call = fmt::format("textureGather(t, {}, {})", p, one_.source_channel);
        return;
      case 3:
        if (one_.integer) break;
        one_.op = Op::Lod;
        one_.fragment = true;
        one_.call = fmt::format("vec4(textureQueryLod(t, {}), 0.0, 0.0)", query_place());
        return;
      case 4:
      case 5:
        return choose("texture", fmt::format("t, {}", p), Op::Sample, true);
      case 6:
        return choose("texture", fmt::format("t, {}, A.w", p), Op::SampleB, true);
      case 7:
      case 8:
        return choose("textureGrad", fmt::format("t, {}, {}", p, steps()), Op::SampleD, false);
      default:
        break;
    }
    choose("textureLod", fmt::format("t, {}, A.w", p), Op::SampleL, false);
  }
  void choose(const char* function, const std::string& arguments, Op op, bool fragment) {
    one_.op = op;
    one_.fragment = fragment;
    one_.call = fmt::format("{}({})", function, arguments);
    // Offsets of texels: where GLSL has a function for them, and no face has an edge.
    if (kind_->type == SurfaceType::Cube || op == Op::SampleB || !chance(5)) return;
    std::string offsets;
    for (unsigned k = 0; k < kind_->axes; ++k) {
      one_.offset[k] = static_cast<std::int32_t>(below(16)) - 8;
      offsets += fmt::format("{}{}", k == 0 ? "" : ", ", one_.offset[k]);
    }
    one_.call = fmt::format("{}Offset({}, {})", function, arguments,
                            kind_->axes == 1 ? offsets : fmt::format("ivec{}({})", kind_->axes, offsets));
  }
  [[nodiscard]] std::string query_place() const {
    constexpr const char* kPlaces[] = {"", "A.x", "A.xy", "A.xyz"};
    return kPlaces[kind_->axes];
  }
  void choose_fetch() {
    one_.op = Op::Ld;
    constexpr const char* kPlaces[] = {"", "int(A.x)", "ivec2(A.xy)", "ivec3(A.xyz)"};
    std::string where = kPlaces[kind_->axes];
    if (kind_->array) where = fmt::format("ivec{}({}, int(C.w))", kind_->axes + 1, where);
    one_.call = fmt::format("texelFetch(t, {}, int(A.w))", where);
  }
  void choose_comparison() {
    const bool flat = !kind_->array;
    const auto one_value = [](const std::string& call) { return fmt::format("vec4({}, 0.0, 0.0, 0.0)", call); };
    switch (below(4)) {
      case 0:
        one_.op = Op::Gather4C;
        one_.call = fmt::format("textureGather(t, {}, B.w)", place());
        return;
      case 1:
        if (!flat) break;
        one_.op = Op::SampleLC;
        one_.call = one_value(fmt::format("textureLod(t, {}, A.w)", place("B.w")));
        return;
      case 2:
        one_.op = Op::SampleC;
        one_.fragment = true;
        one_.call = one_value(fmt::format("texture(t, {})", place("B.w")));
        return;
      default:
        break;
    }
    one_.op = Op::SampleDC;
    one_.call = one_value(fmt::format("textureGrad(t, {}, {})", place("B.w"), steps()));
  }

  void make_surface() {
    image::Surface& s = one_.surface;
    const char* format = one_.integer ? kIntegers[below(std::size(kIntegers))]
                         : one_.depth ? (chance(2) ? "R32_FLOAT" : "R16_UNORM")
                                      : kFormats[below(std::size(kFormats))];
    s.type = kind_->type;
    s.format = image::find_format(format)->format;
    s.width = 5 + below(40);
    s.height = kind_->type == SurfaceType::Dim1 ? 1 : kind_->type == SurfaceType::Cube ? s.width : 5 + below(40);
    s.depth = kind_->type == SurfaceType::Dim3 ? 3 + below(8) : 1;
    s.array = kind_->array;
    s.layers = (kind_->type == SurfaceType::Cube ? 6 : 1) * (kind_->array ? 3 : 1);
    s.view_layers = kind_->array ? 3 : 1;
    s.levels = 1 + below(3);
    s.mip_count = s.levels - 1;
    if (!image::allocate(s).ok()) return;
    const std::size_t element = s.info().bytes_per_element();
    const bool is_signed = !one_.depth && chance(3);
    for (std::size_t at = 0; at + element <= s.memory->size(); at += element) {
      image::Texel texel;
      for (int c = 0; c < 4; ++c)
        if (one_.integer)
          texel.bits[static_cast<std::size_t>(c)] = below(100);
        else
          texel.set(c, static_cast<float>(below(256)) / 256.0f - (is_signed && chance(2) ? 0.5f : 0.0f));
      image::encode_texel(s.info(), texel, &(*s.memory)[at]);
    }
  }

  void make_sampler() {
    image::Sampler& s = one_.sampler;
    const bool min = !one_.integer && !chance(3), mag = one_.integer ? false : chance(4) ? !min : min;
    const bool blend = !one_.integer && chance(2);
    s.min_filter = min ? image::Filter::Linear : image::Filter::Nearest;
    s.mag_filter = mag ? image::Filter::Linear : image::Filter::Nearest;
    s.mip_filter = blend ? image::MipFilter::Linear : image::MipFilter::Nearest;
    s.cube_override = kind_->type == SurfaceType::Cube;
    one_.peer = peer_sampler(mag ? VK_FILTER_LINEAR : VK_FILTER_NEAREST,
                             blend ? VK_SAMPLER_MIPMAP_MODE_LINEAR : VK_SAMPLER_MIPMAP_MODE_NEAREST,
                             VK_SAMPLER_ADDRESS_MODE_REPEAT);
    one_.peer.minFilter = min ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
    set_modes();
    set_levels();
    if (min && mag && !one_.depth && chance(4)) set_anisotropy();
    if (min && mag && !one_.integer && !one_.depth && !one_.anisotropic() && chance(10)) set_reduction();
    if (one_.depth) set_comparison();
    s.set_api_rounding();
  }
  void set_modes() {
    image::Sampler& s = one_.sampler;
    const Mode u = kModes[below(5)], v = kModes[below(5)], w = kModes[below(5)];
    s.tcx = u.ours, s.tcy = v.ours, s.tcz = w.ours;
    one_.peer.addressModeU = u.theirs, one_.peer.addressModeV = v.theirs, one_.peer.addressModeW = w.theirs;
    constexpr std::uint32_t kOne = std::bit_cast<std::uint32_t>(1.0f);
    const std::uint32_t one = one_.integer ? 1 : kOne;
    switch (below(3)) {
      case 0:
        one_.peer.borderColor =
            one_.integer ? VK_BORDER_COLOR_INT_TRANSPARENT_BLACK : VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK;
        return;
      case 1:
        one_.peer.borderColor = one_.integer ? VK_BORDER_COLOR_INT_OPAQUE_BLACK : VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK;
        s.border = {0, 0, 0, one};
        return;
      default:
        one_.peer.borderColor = one_.integer ? VK_BORDER_COLOR_INT_OPAQUE_WHITE : VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE;
        s.border = {one, one, one, one};
    }
  }
  /// In steps of 1/256, as samplers hold them.
  void set_levels() {
    const auto steps = [](std::int32_t n) { return static_cast<float>(n) / 256.0f; };
    image::Sampler& s = one_.sampler;
    s.max_lod = 4095;
    if (chance(4)) s.lod_bias = static_cast<std::int32_t>(below(512)) - 256;
    if (chance(4)) s.min_lod = static_cast<std::int32_t>(below(300));
    if (chance(4)) s.max_lod = s.min_lod + static_cast<std::int32_t>(below(400));
    one_.peer.mipLodBias = steps(s.lod_bias);
    one_.peer.minLod = steps(s.min_lod);
    if (s.max_lod != 4095) one_.peer.maxLod = steps(s.max_lod);
  }
  void set_anisotropy() {
    const std::uint32_t half = 1u << below(4);
    one_.sampler.min_filter = one_.sampler.mag_filter = image::Filter::Anisotropic;
    one_.sampler.max_anisotropy = static_cast<std::uint8_t>(half - 1);  // ANI-1
    one_.peer.anisotropyEnable = VK_TRUE;
    one_.peer.maxAnisotropy = 2.0f * static_cast<float>(half);
  }
  void set_reduction() {
    const bool least = chance(2);
    one_.sampler.reduction_enable = true;
    one_.sampler.reduction = least ? image::Reduction::Minimum : image::Reduction::Maximum;
    one_.reduction = least ? VK_SAMPLER_REDUCTION_MODE_MIN : VK_SAMPLER_REDUCTION_MODE_MAX;
  }
  void set_comparison() {
    using image::CompareFunction;
    // CMP-1: the sampler's sense is inverted.
    constexpr std::pair<VkCompareOp, CompareFunction> kPairs[] = {
        {VK_COMPARE_OP_LESS, CompareFunction::Lequal},    {VK_COMPARE_OP_LESS_OR_EQUAL, CompareFunction::Less},
        {VK_COMPARE_OP_GREATER, CompareFunction::Gequal}, {VK_COMPARE_OP_GREATER_OR_EQUAL, CompareFunction::Greater},
        {VK_COMPARE_OP_EQUAL, CompareFunction::Notequal}, {VK_COMPARE_OP_NOT_EQUAL, CompareFunction::Equal}};
    const auto& [theirs, ours] = kPairs[below(std::size(kPairs))];
    one_.peer.compareEnable = VK_TRUE;
    one_.peer.compareOp = theirs;
    one_.sampler.compare = ours;
  }

  void make_points() {
    one_.points.resize(std::size_t{points_} * RandomRequest::kNumbers);
    for (unsigned k = 0; k < points_; ++k) {
      float* p = &one_.points[std::size_t{k} * RandomRequest::kNumbers];
      if (one_.op == Op::Ld)
        make_fetch(p);
      else if (one_.fragment && k % 4 != 0)
        next_of_quad(p, k % 4);
      else
        make_point(p);
    }
  }
  void make_point(float* p) {
    const float reach = kind_->type == SurfaceType::Cube ? 1.0f : 2.0f;
    for (int k = 0; k < 3; ++k) p[k] = between(-reach, reach);
    p[3] = between(-1, 3.5f);
    // From far below a texel to several, one direction often longer.
    const float longer = std::exp2(between(-9, -1)), shorter = longer * std::exp2(between(-5, 0));
    const bool turned = chance(2);
    for (int k = 0; k < 3; ++k) {
      p[4 + k] = between(-1, 1) * (turned ? longer : shorter);
      p[8 + k] = between(-1, 1) * (turned ? shorter : longer);
    }
    p[7] = static_cast<float>(below(257)) / 256.0f;
    p[11] = kind_->array ? between(-0.7f, 3.4f) : 0;
  }
  /// The other points of a quad: one step away in x, in y, in both.
  void next_of_quad(float* p, unsigned lane) {
    const float* first = p - lane * RandomRequest::kNumbers;
    std::copy(first, first + RandomRequest::kNumbers, p);
    for (int k = 0; k < 3; ++k)
      p[k] = first[k] + ((lane & 1u) != 0 ? first[4 + k] : 0) + ((lane & 2u) != 0 ? first[8 + k] : 0);
  }
  void make_fetch(float* p) {
    const image::Surface& s = one_.surface;
    const std::uint32_t level = below(s.levels);
    p[0] = static_cast<float>(below(s.level_width(level)));
    if (kind_->axes > 1) p[1] = static_cast<float>(below(s.level_height(level)));
    if (kind_->axes > 2) p[2] = static_cast<float>(below(std::max(1u, s.depth >> level)));
    p[3] = static_cast<float>(level);
    p[11] = kind_->array ? static_cast<float>(below(3)) : 0;
  }

  std::mt19937_64 random_;
  unsigned points_;
  const Kind* kind_ = nullptr;
  RandomRequest one_;
};

std::string sampler_type(const RandomRequest& one) {
  const auto* const kind = std::ranges::find_if(
      kKinds, [&](const Kind& k) { return k.type == one.surface.type && k.array == one.surface.array; });
  const image::ValueClass is = one.surface.info().value_class;
  return fmt::format("{}sampler{}{}",
                     is == image::ValueClass::Uint   ? "u"
                     : is == image::ValueClass::Sint ? "i"
                                                     : "",
                     kind->sampler, one.depth ? "Shadow" : "");
}

std::string shader_of(const RandomRequest& one) {
  const std::string answer =
      one.integer ? fmt::format("uvec4({})", one.call) : fmt::format("floatBitsToUint({})", one.call);
  const std::string head = "#version 460\nlayout(binding = 0) uniform " + sampler_type(one) +
                           " t;\nlayout(binding = 1) readonly buffer In { vec4 points[]; };\nlayout(binding = 2) "
                           "buffer Out { uvec4 results[]; };\n";
  const std::string body = fmt::format(
      "  vec4 A = points[3u * i], B = points[3u * i + 1u], C = points[3u * i + 2u];\n  uvec4 answer = {};\n", answer);
  if (!one.fragment)
    return head + "layout(local_size_x = 64) in;\nvoid main() {\n  uint i = gl_GlobalInvocationID.x;\n" + body +
           "  results[i] = answer;\n}\n";
  return head +
         fmt::format(
             "layout(location = 0) out vec4 color;\nvoid main() {{\n  uvec2 p = uvec2(gl_FragCoord.xy);\n"
             "  bool asked = p.x >= {0}u && p.y < {1}u;\n  p = asked ? p - uvec2({0}u, 0u) : p & 1u;\n"
             "  uint i = (p.y / 2u * {2}u + p.x / 2u) * 4u + (p.y & 1u) * 2u + (p.x & 1u);\n",
             kDrawWidth, one.count() / kDrawWidth, kDrawWidth / 2) +
         body + "  if (asked) results[i] = answer;\n  color = vec4(1.0);\n}\n";
}

VkFormat format_of(const RandomRequest& one) {
  if (one.depth) return one.surface.info().name == "R32_FLOAT" ? VK_FORMAT_D32_SFLOAT : VK_FORMAT_D16_UNORM;
  return static_cast<VkFormat>(*image::vulkan_format(one.surface.format));
}

}  // namespace

std::string RandomRequest::text() const {
  return fmt::format(
      "{} {} {}x{}x{} {} levels, {} layers, filters {}{} mip {} modes {}{}{} bias {} levels {} to {} "
      "anisotropy {} reduction {} compare {}",
      call, surface.info().name, surface.width, surface.height, surface.depth, surface.levels, surface.layers,
      static_cast<int>(sampler.min_filter), static_cast<int>(sampler.mag_filter), static_cast<int>(sampler.mip_filter),
      static_cast<int>(sampler.tcx), static_cast<int>(sampler.tcy), static_cast<int>(sampler.tcz), sampler.lod_bias,
      sampler.min_lod, sampler.max_lod, peer.anisotropyEnable != VK_FALSE ? peer.maxAnisotropy : 0.0f,
      static_cast<int>(reduction), peer.compareEnable != VK_FALSE ? static_cast<int>(peer.compareOp) : -1);
}

RandomRequest random_request(std::uint64_t seed, unsigned points) { return Maker(seed, points).make(); }

bool can_answer(const VulkanClient& vulkan, const RandomRequest& one) {
  const VkFormatFeatureFlags has = vulkan.features(format_of(one));
  VkFormatFeatureFlags needs = VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_TRANSFER_DST_BIT;
  if (one.peer.minFilter == VK_FILTER_LINEAR || one.peer.magFilter == VK_FILTER_LINEAR ||
      one.peer.mipmapMode == VK_SAMPLER_MIPMAP_MODE_LINEAR)
    needs |= VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
  if (one.reduction != VK_SAMPLER_REDUCTION_MODE_WEIGHTED_AVERAGE)
    needs |= VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_MINMAX_BIT;
  return (has & needs) == needs && vulkan.can_sample(one.peer, one.cube() && one.surface.array);
}

std::vector<std::uint32_t> answers_of(VulkanClient& vulkan, const RandomRequest& one, std::string& why) {
  std::vector<std::uint8_t> in(one.points.size() * 4), out(std::size_t{one.count()} * 16);
  std::memcpy(in.data(), one.points.data(), in.size());
  PeerImage picture = peer_image(one.surface);
  picture.format = format_of(one);
  picture.depth_aspect = one.depth;
  std::vector<PeerBinding> bindings(3);
  VkSamplerReductionModeCreateInfo mode{VK_STRUCTURE_TYPE_SAMPLER_REDUCTION_MODE_CREATE_INFO, nullptr, one.reduction};
  bindings[0].image = &picture;
  bindings[0].sampler = one.peer;
  if (one.reduction != VK_SAMPLER_REDUCTION_MODE_WEIGHTED_AVERAGE) bindings[0].sampler.pNext = &mode;
  bindings[1].buffer = &in;
  bindings[2].buffer = &out;
  if (one.fragment) {
    PeerDraw draw;
    draw.width = 2 * kDrawWidth;
    draw.height = 2 * one.count() / kDrawWidth;
    draw.target.resize(std::size_t{4} * draw.width * draw.height);
    draw.blend.colorWriteMask = 15;
    why = vulkan.draw(shader_of(one), bindings, draw);
  } else {
    why = vulkan.compute(shader_of(one), bindings, one.count() / 64);
  }
  if (!why.empty()) return {};
  std::vector<std::uint32_t> words(std::size_t{one.count()} * 4);
  std::memcpy(words.data(), out.data(), out.size());
  return words;
}

EightPoints::EightPoints(const RandomRequest& one, unsigned first) {
  const texture::Operation& op = texture::operation(one.op);
  request.op = one.op;
  request.simd = 8;
  request.surface = &one.surface;
  request.sampler = &one.sampler;
  request.source_channel = one.source_channel;
  request.offset = one.offset;
  const SurfaceType type = one.surface.type;
  const bool array = one.surface.array, fetch = one.op == Op::Ld;
  // Which of a point's numbers a parameter is; the index of an array lies behind the coordinates.
  const std::pair<Param, unsigned> places[] = {{Param::U, 0},
                                               {Param::V, type == SurfaceType::Dim1 ? 11u : 1u},
                                               {Param::R, type == SurfaceType::Dim2 ? 11u : 2u},
                                               {Param::Ai, 11},
                                               {Param::Lod, 3},
                                               {Param::Bias, 3},
                                               {Param::Ref, 7},
                                               {Param::DuDx, 4},
                                               {Param::DvDx, 5},
                                               {Param::DrDx, 6},
                                               {Param::DuDy, 8},
                                               {Param::DvDy, 9},
                                               {Param::DrDy, 10}};
  for (const auto& [param, number] : places) {
    if (!op.has(param) || (number == 11 && !array)) continue;
    texture::LaneWords& words = words_[static_cast<std::size_t>(param)];
    for (unsigned lane = 0; lane < 8; ++lane) {
      const float value = one.points[std::size_t{first + lane} * RandomRequest::kNumbers + number];
      words[lane] = fetch ? static_cast<std::uint32_t>(value) : std::bit_cast<std::uint32_t>(value);
    }
    request.set(param, words);
  }
}

}  // namespace heddle::test
