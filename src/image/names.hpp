// SPDX-License-Identifier: MIT
#pragma once
// The words for sampler and surface state: the hardware's enumerants (`heddle batch`) and Vulkan's, in any
// case, with or without their prefixes ("repeat", "VK_SAMPLER_ADDRESS_MODE_REPEAT", "wrap", "TEXCOORDMODE_WRAP").

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "image/sampler.hpp"
#include "image/surface.hpp"

namespace heddle::image {

std::optional<AddressMode> find_address_mode(std::string_view word);
std::optional<Filter> find_filter(std::string_view word);
std::optional<MipFilter> find_mip_filter(std::string_view word);
/// The state's own function (`compare`): the sampler's result is inverted (CMP-1).
std::optional<CompareFunction> find_compare_function(std::string_view word);
/// Vulkan's comparison "reference OP texel, true = 1" (`compare_op`) as the state function that computes it: LESS gives
/// LEQUAL (CMP-1).
std::optional<CompareFunction> find_compare_op(std::string_view word);
std::optional<Reduction> find_reduction(std::string_view word);
std::optional<BorderMode> find_border_mode(std::string_view word);
std::optional<LodPreClamp> find_preclamp(std::string_view word);
std::optional<LodClampMag> find_lod_clamp_mag(std::string_view word);
std::optional<SurfaceType> find_surface_type(std::string_view word);
/// A type, or the array of one: "2d-array".
struct SurfaceShape {
  SurfaceType type = SurfaceType::Dim2;
  bool array = false;
};
std::optional<SurfaceShape> find_surface_shape(std::string_view word);
std::optional<TileMode> find_tile_mode(std::string_view word);
/// Four letters of R G B A 0 1: "RGBA", "BGR1".
std::optional<std::array<ChannelSelect, 4>> find_swizzle(std::string_view word);
/// Vulkan's border colors: "float_transparent_black", "int_opaque_white" ...: four words (binary32 bits or integers).
std::optional<std::array<std::uint32_t, 4>> find_border_color(std::string_view word);

/// A format by Intel's or Vulkan's name, or in short, by GLSL's: rgba8, r32f, rgb10_a2ui ... (and d32, bgra8 ...).
/// nullptr for other words.
const FormatInfo* find_format_word(std::string_view word);
/// The short words alone: "rgba8".
std::vector<std::string_view> short_format_words();
/// Which of all these is probably meant by a word that is none of them; empty: none.
std::string_view nearest_format_word(std::string_view word);

/// The word of `heddle batch` for a value.
std::string_view name_of(AddressMode value);
std::string_view name_of(Filter value);
std::string_view name_of(MipFilter value);
std::string_view name_of(CompareFunction value);
std::string_view name_of(Reduction value);
std::string_view name_of(SurfaceType value);
std::string_view name_of(TileMode value);
std::string swizzle_text(const std::array<ChannelSelect, 4>& swizzle);

/// All words of a vocabulary, for "did you mean".
std::vector<std::string_view> address_mode_words();
std::vector<std::string_view> filter_words();
std::vector<std::string_view> mip_filter_words();
std::vector<std::string_view> compare_function_words();
std::vector<std::string_view> compare_op_words();
std::vector<std::string_view> reduction_words();
std::vector<std::string_view> border_mode_words();
std::vector<std::string_view> preclamp_words();
std::vector<std::string_view> lod_clamp_mag_words();
std::vector<std::string_view> surface_shape_words();
std::vector<std::string_view> border_color_words();

}  // namespace heddle::image
