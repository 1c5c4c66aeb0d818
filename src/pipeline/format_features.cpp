// SPDX-License-Identifier: MIT
// Rules: VKF-5, VKF-6, VKF-8.

#include "pipeline/format_features.hpp"

#include <algorithm>
#include <bit>

#include "pipeline/vertex_formats.hpp"

namespace heddle::pipeline {
namespace {

using image::Compression;
using image::FormatInfo;
using image::ValueClass;
using image::VulkanFormat;

/// On any generation: a program of Vulkan runs on no particular one.
bool has(const FormatInfo& format, bool image::Support::* letter) {
  return std::ranges::any_of(format.support, [&](const image::Support& support) { return support.*letter; });
}

bool is_plain(const FormatInfo& format) { return format.compression == Compression::None; }

/// Typed messages store one element as a whole.
bool is_storage(const FormatInfo& format) {
  return is_plain(format) && image::encodable(format) && has(format, &image::Support::sample) && !format.is_srgb() &&
         format.codec != image::Codec::SharedExponent && std::has_single_bit(format.bytes_per_element());
}

/// Typed atomics change one integer or number of 32 bits, or an integer of 64 bits as two words.
bool is_atomic(const VulkanFormat& row, const FormatInfo& format) {
  const bool number = format.channels[0].type == image::ChannelType::Float || format.value_class != ValueClass::Float;
  return row.wide_integer || (number && format.channel_count == 1 && format.bits_per_element == 32);
}

void add_storage(FormatFeatures& features, const VulkanFormat& row, const FormatInfo& format, bool buffers) {
  if (!is_storage(format)) return;
  features.storage_image = features.storage_read_without_format = features.storage_write_without_format = true;
  features.storage_image_atomic = is_atomic(row, format);
  if (!buffers) return;
  features.storage_texel_buffer = true;
  features.storage_texel_buffer_atomic = features.storage_image_atomic;
}

void add_sampled(FormatFeatures& features, const FormatInfo& format) {
  features.sampled_image = features.blit_src = true;
  features.sampled_image_filter_linear =
      format.value_class == ValueClass::Float && has(format, &image::Support::filter);
  features.sampled_image_filter_minmax = features.sampled_image_filter_linear;
}

FormatFeatures depth_stencil_features(const VulkanFormat& row) {
  FormatFeatures features;
  const FormatInfo& first = *image::format_info(row.planes[0].format);
  add_sampled(features, first);
  features.sampled_image_depth_comparison = row.depth;
  features.depth_stencil_attachment = true;
  features.blit_dst = features.transfer_src = features.transfer_dst = true;
  return features;
}

/// VKF-8: each plane is sampled by itself, with its own filter, or given the size of the first one before.
void add_conversion(FormatFeatures& features) {
  features.sampled_image = features.sampled_image_filter_linear = true;
  features.sampled_image_ycbcr_conversion_linear_filter = true;
  features.separate_reconstruction_filter = features.explicit_reconstruction_forceable = true;
  features.midpoint_chroma_samples = features.cosited_chroma_samples = true;
}

FormatFeatures planar_features(const VulkanFormat& row) {
  FormatFeatures features;
  features.transfer_src = features.transfer_dst = features.disjoint = true;
  for (unsigned plane = 0; plane < row.plane_count; ++plane) {
    const FormatInfo& format = *image::format_info(row.planes[plane].format);
    if (!has(format, &image::Support::sample) || !image::decodable(format)) return features;
  }
  add_conversion(features);
  return features;
}

/// 4:2:2 in one plane: copied in pairs of texels.
FormatFeatures packed_422_features() {
  FormatFeatures features;
  features.transfer_src = features.transfer_dst = true;
  add_conversion(features);
  return features;
}

FormatFeatures color_features(const VulkanFormat& row, const FormatInfo& format) {
  FormatFeatures features;
  features.vertex_buffer = row.vertex && is_vertex_format(*image::format_info(*row.vertex));
  if (!has(format, &image::Support::sample) || !image::decodable(format)) return features;
  features.transfer_src = features.transfer_dst = true;
  if (row.wide_integer) {
    add_storage(features, row, format, true);
    return features;
  }
  add_sampled(features, format);
  features.blit_dst = image::encodable(format);
  features.color_attachment = is_plain(format) && image::encodable(format) && has(format, &image::Support::render);
  features.color_attachment_blend =
      features.color_attachment && format.value_class == ValueClass::Float && has(format, &image::Support::blend);
  features.uniform_texel_buffer = is_plain(format) && !format.is_srgb();
  features.fragment_shading_rate_attachment = format.name == "R8_UINT";
  add_storage(features, row, format, true);
  return features;
}

struct Bit {
  bool FormatFeatures::* member;
  std::uint64_t value;
};
// VkFormatFeatureFlagBits2.
constexpr Bit kImageBits[] = {{&FormatFeatures::sampled_image, 1u << 0},
                              {&FormatFeatures::storage_image, 1u << 1},
                              {&FormatFeatures::storage_image_atomic, 1u << 2},
                              {&FormatFeatures::color_attachment, 1u << 7},
                              {&FormatFeatures::color_attachment_blend, 1u << 8},
                              {&FormatFeatures::depth_stencil_attachment, 1u << 9},
                              {&FormatFeatures::blit_src, 1u << 10},
                              {&FormatFeatures::blit_dst, 1u << 11},
                              {&FormatFeatures::sampled_image_filter_linear, 1u << 12},
                              {&FormatFeatures::transfer_src, 1u << 14},
                              {&FormatFeatures::transfer_dst, 1u << 15},
                              {&FormatFeatures::sampled_image_filter_minmax, 1u << 16},
                              {&FormatFeatures::midpoint_chroma_samples, 1u << 17},
                              {&FormatFeatures::sampled_image_ycbcr_conversion_linear_filter, 1u << 18},
                              {&FormatFeatures::separate_reconstruction_filter, 1u << 19},
                              {&FormatFeatures::explicit_reconstruction_forceable, 1u << 21},
                              {&FormatFeatures::disjoint, 1u << 22},
                              {&FormatFeatures::fragment_shading_rate_attachment, 1u << 30},
                              {&FormatFeatures::cosited_chroma_samples, 1u << 23},
                              {&FormatFeatures::sampled_image_depth_comparison, std::uint64_t{1} << 33}};
constexpr Bit kBufferBits[] = {{&FormatFeatures::uniform_texel_buffer, 1u << 3},
                               {&FormatFeatures::storage_texel_buffer, 1u << 4},
                               {&FormatFeatures::storage_texel_buffer_atomic, 1u << 5},
                               {&FormatFeatures::vertex_buffer, 1u << 6}};
constexpr Bit kStorageBits[] = {{&FormatFeatures::storage_read_without_format, std::uint64_t{1} << 31},
                                {&FormatFeatures::storage_write_without_format, std::uint64_t{1} << 32}};

template <std::size_t N>
std::uint64_t bits_of(const FormatFeatures& features, const Bit (&table)[N]) {
  std::uint64_t bits = 0;
  for (const Bit& bit : table)
    if (features.*bit.member) bits |= bit.value;
  return bits;
}

}  // namespace

std::uint64_t FormatFeatures::image_bits() const {
  return bits_of(*this, kImageBits) | (storage_image ? bits_of(*this, kStorageBits) : 0);
}

std::uint64_t FormatFeatures::buffer_bits() const {
  return bits_of(*this, kBufferBits) | (storage_texel_buffer ? bits_of(*this, kStorageBits) : 0);
}

FormatFeatures format_features(const VulkanFormat& row) {
  if (row.depth || row.stencil) return depth_stencil_features(row);
  if (row.multi_planar()) return planar_features(row);
  if (row.pairs) return packed_422_features();
  return color_features(row, *image::format_info(row.planes[0].format));
}

}  // namespace heddle::pipeline
