// SPDX-License-Identifier: MIT
#include "image/names.hpp"

#include "base/diagnostic.hpp"

namespace heddle::image {
namespace {

template <typename E>
struct Word {
  std::string_view word;
  E value;
};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c == '-' ? '_' : c;
  return result;
}

template <typename E, std::size_t N>
std::optional<E> look_up(const Word<E> (&table)[N], std::string_view word,
                         std::initializer_list<std::string_view> prefixes) {
  const std::string text = lower(word);
  std::string_view rest = text;
  for (const std::string_view prefix : prefixes)
    if (rest.starts_with(prefix)) {
      rest.remove_prefix(prefix.size());
      break;
    }
  for (const Word<E>& entry : table)
    if (entry.word == rest) return entry.value;
  return std::nullopt;
}

template <typename E, std::size_t N>
std::string_view first_name(const Word<E> (&table)[N], E value) {
  for (const Word<E>& entry : table)
    if (entry.value == value) return entry.word;
  return "?";
}

template <typename E, std::size_t N>
std::vector<std::string_view> words(const Word<E> (&table)[N]) {
  std::vector<std::string_view> result;
  for (const Word<E>& entry : table) result.push_back(entry.word);
  return result;
}

// In each table the word of `heddle batch` comes first for its value, then Vulkan's and OpenCL's.
constexpr Word<AddressMode> kAddressModes[] = {{"wrap", AddressMode::Wrap},
                                               {"mirror", AddressMode::Mirror},
                                               {"clamp", AddressMode::Clamp},
                                               {"cube", AddressMode::Cube},
                                               {"clamp_border", AddressMode::ClampBorder},
                                               {"mirror_once", AddressMode::MirrorOnce},
                                               {"half_border", AddressMode::HalfBorder},
                                               {"mirror_101", AddressMode::Mirror101},
                                               {"repeat", AddressMode::Wrap},
                                               {"mirrored_repeat", AddressMode::Mirror},
                                               {"clamp_to_edge", AddressMode::Clamp},
                                               {"clamp_to_border", AddressMode::ClampBorder},
                                               {"mirror_clamp_to_edge", AddressMode::MirrorOnce}};
constexpr Word<Filter> kFilters[] = {{"nearest", Filter::Nearest},
                                     {"linear", Filter::Linear},
                                     {"anisotropic", Filter::Anisotropic},
                                     {"mono", Filter::Mono}};
constexpr Word<MipFilter> kMipFilters[] = {
    {"none", MipFilter::None}, {"nearest", MipFilter::Nearest}, {"linear", MipFilter::Linear}};
constexpr Word<CompareFunction> kCompareFunctions[] = {
    {"always", CompareFunction::Always},     {"never", CompareFunction::Never},   {"less", CompareFunction::Less},
    {"equal", CompareFunction::Equal},       {"lequal", CompareFunction::Lequal}, {"greater", CompareFunction::Greater},
    {"notequal", CompareFunction::Notequal}, {"gequal", CompareFunction::Gequal}};
// CMP-1: the hardware returns 0 where "texel OP reference" holds, so Vulkan's "reference OP texel" is the negated,
// mirrored function.
constexpr Word<CompareFunction> kCompareOps[] = {{"never", CompareFunction::Always},
                                                 {"less", CompareFunction::Lequal},
                                                 {"equal", CompareFunction::Notequal},
                                                 {"less_or_equal", CompareFunction::Less},
                                                 {"greater", CompareFunction::Gequal},
                                                 {"not_equal", CompareFunction::Equal},
                                                 {"greater_or_equal", CompareFunction::Greater},
                                                 {"always", CompareFunction::Never}};
constexpr Word<Reduction> kReductions[] = {{"std", Reduction::Std},
                                           {"comparison", Reduction::Comparison},
                                           {"min", Reduction::Minimum},
                                           {"max", Reduction::Maximum},
                                           {"minimum", Reduction::Minimum},
                                           {"maximum", Reduction::Maximum},
                                           {"weighted_average", Reduction::Std}};
constexpr Word<BorderMode> kBorderModes[] = {
    {"dx10", BorderMode::Dx10}, {"dx9", BorderMode::Dx9}, {"ogl", BorderMode::Dx10}};
constexpr Word<LodPreClamp> kPreclamps[] = {{"none", LodPreClamp::None}, {"ogl", LodPreClamp::Ogl}};
constexpr Word<LodClampMag> kLodClampMags[] = {{"mipnone", LodClampMag::MipNone},
                                               {"mipfilter", LodClampMag::MipFilter}};
constexpr Word<SurfaceType> kSurfaceTypes[] = {{"1d", SurfaceType::Dim1},       {"2d", SurfaceType::Dim2},
                                               {"3d", SurfaceType::Dim3},       {"cube", SurfaceType::Cube},
                                               {"buffer", SurfaceType::Buffer}, {"strbuf", SurfaceType::StrBuf},
                                               {"null", SurfaceType::Null},     {"scratch", SurfaceType::Scratch}};
constexpr Word<TileMode> kTileModes[] = {
    {"linear", TileMode::Linear}, {"x", TileMode::X},           {"y", TileMode::Y},   {"w", TileMode::W},
    {"tile4", TileMode::Tile4},   {"tile64", TileMode::Tile64}, {"yf", TileMode::Yf}, {"ys", TileMode::Ys}};

using Border = std::array<std::uint32_t, 4>;
constexpr std::uint32_t kOne = 0x3f800000u;
constexpr Word<Border> kBorderColors[] = {
    {"float_transparent_black", Border{0, 0, 0, 0}},        {"int_transparent_black", Border{0, 0, 0, 0}},
    {"float_opaque_black", Border{0, 0, 0, kOne}},          {"int_opaque_black", Border{0, 0, 0, 1}},
    {"float_opaque_white", Border{kOne, kOne, kOne, kOne}}, {"int_opaque_white", Border{1, 1, 1, 1}}};

}  // namespace

std::optional<AddressMode> find_address_mode(std::string_view word) {
  return look_up(kAddressModes, word, {"vk_sampler_address_mode_", "texcoordmode_"});
}
std::optional<Filter> find_filter(std::string_view word) {
  return look_up(kFilters, word, {"vk_filter_", "mapfilter_"});
}
std::optional<MipFilter> find_mip_filter(std::string_view word) {
  return look_up(kMipFilters, word, {"vk_sampler_mipmap_mode_", "mipfilter_"});
}
std::optional<CompareFunction> find_compare_function(std::string_view word) {
  return look_up(kCompareFunctions, word, {"prefilterop_", "comparefunction_"});
}
std::optional<CompareFunction> find_compare_op(std::string_view word) {
  return look_up(kCompareOps, word, {"vk_compare_op_"});
}
std::optional<Reduction> find_reduction(std::string_view word) {
  return look_up(kReductions, word, {"vk_sampler_reduction_mode_"});
}
std::optional<BorderMode> find_border_mode(std::string_view word) { return look_up(kBorderModes, word, {}); }
std::optional<LodPreClamp> find_preclamp(std::string_view word) { return look_up(kPreclamps, word, {"clamp_mode_"}); }
std::optional<LodClampMag> find_lod_clamp_mag(std::string_view word) { return look_up(kLodClampMags, word, {}); }
std::optional<SurfaceType> find_surface_type(std::string_view word) {
  return look_up(kSurfaceTypes, word, {"surftype_", "vk_image_type_", "vk_image_view_type_"});
}
std::optional<SurfaceShape> find_surface_shape(std::string_view word) {
  const bool array = word.size() > 6 && (word.ends_with("-array") || lower(word).ends_with("_array"));
  const auto type = find_surface_type(array ? word.substr(0, word.size() - 6) : word);
  if (!type || (array && *type != SurfaceType::Dim1 && *type != SurfaceType::Dim2 && *type != SurfaceType::Cube))
    return std::nullopt;
  return SurfaceShape{*type, array};
}
std::optional<TileMode> find_tile_mode(std::string_view word) { return look_up(kTileModes, word, {}); }

std::optional<std::array<ChannelSelect, 4>> find_swizzle(std::string_view word) {
  if (word.size() != 4) return std::nullopt;
  std::array<ChannelSelect, 4> result{};
  for (std::size_t i = 0; i < 4; ++i) {
    switch (word[i]) {
      case 'R':
      case 'r':
        result[i] = ChannelSelect::Red;
        break;
      case 'G':
      case 'g':
        result[i] = ChannelSelect::Green;
        break;
      case 'B':
      case 'b':
        result[i] = ChannelSelect::Blue;
        break;
      case 'A':
      case 'a':
        result[i] = ChannelSelect::Alpha;
        break;
      case '0':
        result[i] = ChannelSelect::Zero;
        break;
      case '1':
        result[i] = ChannelSelect::One;
        break;
      default:
        return std::nullopt;
    }
  }
  return result;
}

std::optional<std::array<std::uint32_t, 4>> find_border_color(std::string_view word) {
  return look_up(kBorderColors, word, {"vk_border_color_"});
}

std::string_view name_of(AddressMode value) { return first_name(kAddressModes, value); }
std::string_view name_of(Filter value) { return first_name(kFilters, value); }
std::string_view name_of(MipFilter value) { return first_name(kMipFilters, value); }
std::string_view name_of(CompareFunction value) { return first_name(kCompareFunctions, value); }
std::string_view name_of(Reduction value) { return first_name(kReductions, value); }
std::string_view name_of(SurfaceType value) { return first_name(kSurfaceTypes, value); }
std::string_view name_of(TileMode value) { return first_name(kTileModes, value); }

std::string swizzle_text(const std::array<ChannelSelect, 4>& swizzle) {
  std::string text;
  for (const ChannelSelect select : swizzle) text += "01??RGBA"[static_cast<unsigned>(select) & 7u];
  return text;
}

std::vector<std::string_view> address_mode_words() { return words(kAddressModes); }
std::vector<std::string_view> filter_words() { return words(kFilters); }
std::vector<std::string_view> mip_filter_words() { return words(kMipFilters); }
std::vector<std::string_view> compare_function_words() { return words(kCompareFunctions); }
std::vector<std::string_view> compare_op_words() { return words(kCompareOps); }
std::vector<std::string_view> reduction_words() { return words(kReductions); }
std::vector<std::string_view> border_mode_words() { return words(kBorderModes); }
std::vector<std::string_view> preclamp_words() { return words(kPreclamps); }
std::vector<std::string_view> lod_clamp_mag_words() { return words(kLodClampMags); }
std::vector<std::string_view> surface_shape_words() {
  std::vector<std::string_view> list = words(kSurfaceTypes);
  list.insert(list.end(), {"1d-array", "2d-array", "cube-array"});
  return list;
}
std::vector<std::string_view> border_color_words() { return words(kBorderColors); }

namespace {
constexpr std::pair<std::string_view, std::string_view> kShortFormats[] = {
    // Those of GLSL's layout qualifiers, all of them; 64-bit integers are two words.
    {"r8", "R8_UNORM"},
    {"r8_snorm", "R8_SNORM"},
    {"r8i", "R8_SINT"},
    {"r8ui", "R8_UINT"},
    {"rg8", "R8G8_UNORM"},
    {"rg8_snorm", "R8G8_SNORM"},
    {"rg8i", "R8G8_SINT"},
    {"rg8ui", "R8G8_UINT"},
    {"rgba8", "R8G8B8A8_UNORM"},
    {"rgba8_snorm", "R8G8B8A8_SNORM"},
    {"rgba8i", "R8G8B8A8_SINT"},
    {"rgba8ui", "R8G8B8A8_UINT"},
    {"r16", "R16_UNORM"},
    {"r16_snorm", "R16_SNORM"},
    {"r16f", "R16_FLOAT"},
    {"r16i", "R16_SINT"},
    {"r16ui", "R16_UINT"},
    {"rg16", "R16G16_UNORM"},
    {"rg16_snorm", "R16G16_SNORM"},
    {"rg16f", "R16G16_FLOAT"},
    {"rg16i", "R16G16_SINT"},
    {"rg16ui", "R16G16_UINT"},
    {"rgba16", "R16G16B16A16_UNORM"},
    {"rgba16_snorm", "R16G16B16A16_SNORM"},
    {"rgba16f", "R16G16B16A16_FLOAT"},
    {"rgba16i", "R16G16B16A16_SINT"},
    {"rgba16ui", "R16G16B16A16_UINT"},
    {"r32f", "R32_FLOAT"},
    {"r32i", "R32_SINT"},
    {"r32ui", "R32_UINT"},
    {"rg32f", "R32G32_FLOAT"},
    {"rg32i", "R32G32_SINT"},
    {"rg32ui", "R32G32_UINT"},
    {"rgba32f", "R32G32B32A32_FLOAT"},
    {"rgba32i", "R32G32B32A32_SINT"},
    {"rgba32ui", "R32G32B32A32_UINT"},
    {"r64i", "R32G32_UINT"},
    {"r64ui", "R32G32_UINT"},
    {"rgb10_a2", "R10G10B10A2_UNORM"},
    {"rgb10_a2ui", "R10G10B10A2_UINT"},
    {"r11f_g11f_b10f", "R11G11B10_FLOAT"},
    // Others.
    {"bgra8", "B8G8R8A8_UNORM"},
    {"rgba8_srgb", "R8G8B8A8_UNORM_SRGB"},
    {"srgb8", "R8G8B8A8_UNORM_SRGB"},
    {"bgra8_srgb", "B8G8R8A8_UNORM_SRGB"},
    {"rgb10a2", "R10G10B10A2_UNORM"},
    {"r11g11b10f", "R11G11B10_FLOAT"},
    {"d32", "R32_FLOAT"},
    {"d24", "R24_UNORM_X8_TYPELESS"},
    {"d16", "R16_UNORM"},
    {"s8", "R8_UINT"},
};
}  // namespace

std::vector<std::string_view> short_format_words() {
  std::vector<std::string_view> list;
  for (const auto& [word, name] : kShortFormats) list.push_back(word);
  return list;
}

std::string_view nearest_format_word(std::string_view word) {
  std::vector<std::string_view> all = short_format_words();
  for (const FormatInfo& info : all_formats()) all.push_back(info.name);
  return base::nearest(word, all);
}

const FormatInfo* find_format_word(std::string_view word) {
  if (const FormatInfo* info = find_format(word)) return info;
  const std::string text = lower(word);
  for (const auto& [name, format] : kShortFormats)
    if (name == text) return find_format(format);
  return nullptr;
}

}  // namespace heddle::image
