// SPDX-License-Identifier: MIT
#pragma once
// Surface and sampler objects read from a tree of values: the same members in `heddle batch`
// and in jobs.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/node.hpp"
#include "image/sampler.hpp"
#include "image/surface.hpp"

namespace heddle::image {

/// The state members of a surface object; those that are absent take their defaults in `apply`.
struct SurfaceMembers {
  std::optional<SurfaceType> type;
  std::optional<Format> format;
  std::optional<std::uint32_t> width, height, depth;
  std::optional<std::uint64_t> entries;
  std::optional<bool> array;
  std::optional<std::uint32_t> layers, view_layers, levels, mip_count, surf_min_lod, min_array_element, samples,
      unread_levels;
  std::optional<std::int32_t> resource_min_lod, base_mip_level;  ///< U4.8, U4.1
  std::optional<std::array<std::uint32_t, 4>> clear_color;
  std::optional<std::uint32_t> palette, cube_faces, rotation, rt_level, rt_extent;
  std::optional<std::array<std::uint32_t, 2>> quilt;
  std::optional<std::array<ChannelSelect, 4>> swizzle;
  std::vector<Surface::TexelIndex> null_texels;
  std::vector<std::vector<std::uint8_t>> mcs;
  /// From `state` and `gen`: what RENDER_SURFACE_STATE says, in packed storage; the other members change it.
  std::shared_ptr<const Surface> state;
};

/// Asks `reader` for every state member (type ... null_texels); wrong ones are reported through it.
[[nodiscard]] SurfaceMembers read_surface_members(base::TableReader& reader);

/// `start` with the given members set, then the defaults that follow from others (layers of a cube, view_layers,
/// mip_count, rt_extent). Texels and layout are not touched.
[[nodiscard]] Surface apply(const SurfaceMembers& members, Surface start = {});

/// The members `data` and `fill` of a surface object whose state is allocated. Reports data that do not fit.
void read_surface_data(base::TableReader& reader, Surface& surface);

/// A surface with these members, from an object that `reader` reads: with the texels of `data` or `fill`. Without both
/// there is a layout but no memory, which is an error if `texels` are needed. Problems are in the reader's context,
/// then the result is empty. `object` is where they are reported; the caller finishes the reader.
[[nodiscard]] std::optional<Surface> make_surface(base::TableReader& reader, const SurfaceMembers& members,
                                                  const base::Node& object, const base::Limits& limits, bool texels);

/// A whole surface object (state, data, fill). Without data and fill there is a layout but no memory, which is an error
/// if `texels` are needed. Problems are in the context's diagnostics, then the result is empty.
[[nodiscard]] std::optional<Surface> read_surface(const base::Node& object, const base::NodeContext& context,
                                                  const std::string& what, const base::Limits& limits,
                                                  bool texels = true);

/// All members of a sampler object, in either vocabulary, with `filter` short for min and mag and `compare_op` for
/// Vulkan's comparison. With `state` (the dwords of SAMPLER_STATE) and `gen` they change what those say.
struct SamplerMembers {
  Sampler sampler;                                             ///< border as binary32
  std::optional<std::array<std::uint32_t, 4>> integer_border;  ///< the same member as integers, where it can be read so
  bool compare_given = false;                                  ///< `compare`, `compare_op` or `state`
  std::optional<bool> seamless_cube;  ///< `cube_override` or `seamless_cube`, where given, or that of `state`

  /// The sampler beside surfaces of a format: integer formats take an integer border.
  [[nodiscard]] Sampler for_format(Format format) const;
};
[[nodiscard]] SamplerMembers read_sampler_members(base::TableReader& reader);

/// Intel's names of all formats, for "did you mean".
[[nodiscard]] std::vector<std::string_view> format_words();

/// A number as binary32 bits (rounded once), or the bits themselves from "0x...".
[[nodiscard]] std::optional<std::uint32_t> float_word(const base::Node& node);
/// An integer of 32 bits (signed or unsigned), or "0x...".
[[nodiscard]] std::optional<std::uint32_t> integer_word(const base::Node& node);

}  // namespace heddle::image
