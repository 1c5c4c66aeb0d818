// SPDX-License-Identifier: MIT
// Kernels of OpenCL compilers: arguments by name or index, everything implicit filled in, as zeinfo says.
#include <fmt/format.h>

#include <algorithm>

#include "job/bind/bind.hpp"
#include "job/bind/value.hpp"
#include "job/opencl/codes.hpp"
#include "job/opencl/printf.hpp"

namespace heddle::job {
namespace {

/// What image queries in OpenCL return of a format.
opencl::ChannelOrder channel_order(const image::FormatInfo& info) {
  using opencl::ChannelOrder;
  const bool r = info.has_channel('R'), g = info.has_channel('G'), b = info.has_channel('B'), a = info.has_channel('A');
  if (info.has_channel('I')) return ChannelOrder::Intensity;
  if (info.has_channel('L')) return ChannelOrder::Luminance;
  if (info.alpha_only()) return ChannelOrder::A;
  const bool bgr = info.name.starts_with("B8G8R8") || info.name.starts_with("B5G") || info.name.starts_with("B10");
  if (info.is_srgb()) return bgr ? ChannelOrder::SbgrA : a ? ChannelOrder::SrgbA : ChannelOrder::Srgb;
  if (bgr && a) return ChannelOrder::Bgra;
  if (r && g && b && a) return ChannelOrder::Rgba;
  if (r && g && b) return ChannelOrder::Rgb;
  if (r && g) return ChannelOrder::Rg;
  return ChannelOrder::R;
}

opencl::ChannelDataType channel_data_type(const image::FormatInfo& info) {
  using opencl::ChannelDataType;
  const image::Channel& c = info.channels[0];
  if (info.channel_count >= 3 && c.bits == 10) return ChannelDataType::UnormInt101010;
  if (info.channel_count == 3 && c.bits == 5) return ChannelDataType::UnormShort565;
  const auto by_width = [&](ChannelDataType eight, ChannelDataType sixteen, ChannelDataType thirty_two) {
    return c.bits <= 8 ? eight : c.bits <= 16 ? sixteen : thirty_two;
  };
  switch (c.type) {
    case image::ChannelType::Snorm:
      return by_width(ChannelDataType::SnormInt8, ChannelDataType::SnormInt16, ChannelDataType::SnormInt16);
    case image::ChannelType::Sint:
      return by_width(ChannelDataType::SignedInt8, ChannelDataType::SignedInt16, ChannelDataType::SignedInt32);
    case image::ChannelType::Uint:
      return by_width(ChannelDataType::UnsignedInt8, ChannelDataType::UnsignedInt16, ChannelDataType::UnsignedInt32);
    case image::ChannelType::Float:
      return by_width(ChannelDataType::HalfFloat, ChannelDataType::HalfFloat, ChannelDataType::Float);
    default:
      return by_width(ChannelDataType::UnormInt8, ChannelDataType::UnormInt16, ChannelDataType::UnormInt16);
  }
}

opencl::SamplerAddress address_code(image::AddressMode mode) {
  switch (mode) {
    case image::AddressMode::ClampBorder:
      return opencl::SamplerAddress::Clamp;
    case image::AddressMode::Wrap:
      return opencl::SamplerAddress::Repeat;
    case image::AddressMode::Mirror:
      return opencl::SamplerAddress::MirroredRepeat;
    default:
      return opencl::SamplerAddress::ClampToEdge;
  }
}

std::shared_ptr<image::Sampler> inline_sampler(const ZeSampler& s) {
  auto sampler = std::make_shared<image::Sampler>();
  const image::AddressMode mode = s.address_mode == "repeat"         ? image::AddressMode::Wrap
                                  : s.address_mode == "mirror"       ? image::AddressMode::Mirror
                                  : s.address_mode == "clamp_border" ? image::AddressMode::ClampBorder
                                                                     : image::AddressMode::Clamp;
  sampler->tcx = sampler->tcy = sampler->tcz = mode;
  sampler->min_filter = sampler->mag_filter =
      s.filter_mode == "linear" ? image::Filter::Linear : image::Filter::Nearest;
  sampler->non_normalized = !s.normalized;
  sampler->set_api_rounding();
  return sampler;
}

using GridValue = pipeline::ComputePlan::GridValue;

/// Binds a kernel by its compiler's description: arguments by name or index, everything implicit filled in.
struct AbiBinder {
  Binder& binder;
  const ZeKernel& abi;
  std::uint32_t cross_thread;  ///< where the arguments begin in the payload
  pipeline::ComputePlan& plan;

  std::string name_of(std::int32_t index) const {
    return index >= 0 && static_cast<std::size_t>(index) < abi.names.size()
               ? abi.names[static_cast<std::size_t>(index)].name
               : std::string();
  }
  std::string type_of(std::int32_t index) const {
    return index >= 0 && static_cast<std::size_t>(index) < abi.names.size()
               ? abi.names[static_cast<std::size_t>(index)].type_name
               : std::string();
  }
  std::string shown(std::int32_t index) const {
    const std::string name = name_of(index);
    return name.empty() ? fmt::format("{}", index) : name;
  }

  void missing(std::int32_t index, std::string_view kind, const std::string& expected) const {
    std::vector<std::string_view> candidates;
    if (kind == "argument")
      for (const Argument& a : binder.job().args) candidates.push_back(a.key.text);
    else if (kind == "buffer")
      for (const Buffer& b : binder.resources().buffers) candidates.push_back(b.binding->key.text);
    else if (kind == "image")
      for (const Image& i : binder.resources().images) candidates.push_back(i.binding->key.text);
    else
      for (const SamplerResource& s : binder.resources().samplers) candidates.push_back(s.binding->key.text);
    binder.missing(shown(index), kind, expected, candidates);
  }

  const Argument* value(std::int32_t index) const {
    return binder.argument({name_of(index), fmt::format("{}", index)});
  }
  const Image* image_of(std::int32_t index) const { return binder.image({name_of(index), fmt::format("{}", index)}); }
  const Buffer* buffer_of(std::int32_t index) const {
    return binder.buffer({name_of(index), fmt::format("{}", index)});
  }
  std::shared_ptr<image::Sampler> sampler_of(std::int32_t index) const {
    return binder.sampler({name_of(index), fmt::format("{}", index)});
  }

  void sampler_pointer(const ZeArgument& a) {
    const auto sampler = sampler_of(a.index);
    if (!sampler) return missing(a.index, "sampler", binder.entry("samplers", shown(a.index)));
    binder.bind_sampler(static_cast<std::uint32_t>(std::max(0, a.sampler_index)), sampler);
  }

  void image_pointer(const ZeArgument& a) {
    const Image* image = image_of(a.index);
    if (image == nullptr)
      return missing(a.index, "image",
                     fmt::format("{} ({}, {})", binder.entry("images", shown(a.index)), type_of(a.index), a.access));
    if (const auto bti = abi.bti_of(static_cast<std::uint32_t>(a.index))) binder.bind_surface(*bti, image->surface);
  }

  /// A pointer to local memory: the argument is a number of bytes.
  void local_pointer(const ZeArgument& a) {
    const std::string name = shown(a.index);
    const Argument* size = value(a.index);
    if (size == nullptr) return missing(a.index, "argument", binder.entry("args", name) + "bytes of that local buffer");
    if (size->values.size() != 1 || size->values[0].kind != Scalar::Kind::Integer || size->values[0].integer < 0 ||
        size->values[0].integer > (1 << 24))
      return binder.wrong(size->key,
                          fmt::format("argument '{}' is a local pointer: its value is a number of bytes", name));
    const std::uint64_t align = std::max(1u, a.slm_alignment);
    plan.slm_bytes = (plan.slm_bytes + align - 1) / align * align;
    binder.put_integer(cross_thread + a.offset, plan.slm_bytes, std::min(8u, a.size));
    plan.slm_bytes += static_cast<std::uint64_t>(size->values[0].integer);
  }

  void pointer(const ZeArgument& a) {
    if (a.address_space == "sampler") return sampler_pointer(a);
    if (a.address_space == "image") return image_pointer(a);
    if (a.address_mode == "slm") return local_pointer(a);
    const auto bti = abi.bti_of(static_cast<std::uint32_t>(a.index));
    const Buffer* buffer = buffer_of(a.index);
    if (buffer == nullptr) {
      if (a.address_mode == "stateful" || !bti)
        missing(a.index, "buffer", fmt::format("{} ({})", binder.entry("buffers", shown(a.index)), type_of(a.index)));
      return;
    }
    if (a.address_mode == "stateless")
      binder.put_integer(cross_thread + a.offset, buffer->address, std::min(8u, a.size));
    if (bti) binder.bind_surface(*bti, buffer->surface);
  }

  void by_value(const ZeArgument& a) {
    const Argument* argument = value(a.index);
    const std::string type = type_of(a.index);
    ValueShape shape = shape_of_opencl(type, a.size);
    if (type.empty()) shape.describe = fmt::format("{} bytes", a.size), shape.count = 1;
    if (argument == nullptr) {
      // The runs of a struct are several entries for one argument: said once.
      for (const ZeArgument& other : abi.payload)
        if (other.type == a.type && other.index == a.index && other.offset < a.offset) return;
      return missing(a.index, "argument",
                     fmt::format("{}... ({})", binder.entry("args", shown(a.index)), shape.describe));
    }
    std::string why;
    const auto bytes = encode_argument(*argument, shape, why);
    if (!bytes) return binder.wrong(argument->key, fmt::format("argument '{}': {}", argument->key.text, why));
    const std::size_t begin = std::min<std::size_t>(a.source_offset, bytes->size()),
                      end = std::min<std::size_t>(begin + a.size, bytes->size());
    binder.put(cross_thread + a.offset, std::span(*bytes).subspan(begin, end - begin));
  }

  void of_grid(const ZeArgument& a, GridValue value) const {
    binder.put(cross_thread + a.offset, std::vector<std::uint8_t>(value == GridValue::Dimensions ? 4 : 12));
    plan.grid_inputs.push_back({value, cross_thread + a.offset});
  }

  void image_value(const ZeArgument& a) const {
    const Image* image = image_of(a.index);
    if (image == nullptr) return;  // reported with the image itself
    const image::Surface& s = *image->surface;
    std::uint32_t v = 0;
    if (a.type == "image_width")
      v = s.is_buffer() ? static_cast<std::uint32_t>(s.entries) : s.width;
    else if (a.type == "image_height")
      v = s.height;
    else if (a.type == "image_depth")
      v = s.depth;
    else if (a.type == "image_array_size")
      v = s.array_length();
    else if (a.type == "image_num_mip_levels")
      v = s.mip_count + 1;
    else if (a.type == "image_num_samples")
      v = s.samples;
    else if (a.type == "image_channel_order")
      v = static_cast<std::uint32_t>(channel_order(s.info()));
    else if (a.type == "image_channel_data_type")
      v = static_cast<std::uint32_t>(channel_data_type(s.info()));
    binder.put_integer(cross_thread + a.offset, v, 4);
  }

  /// What printf writes to. Messages of two work items race for nothing.
  void printf_buffer(std::uint32_t offset) const {
    constexpr std::uint64_t kAddress = 0x7ffe'0000'0000u;
    auto bytes = std::make_shared<image::Memory>(kPrintfBytes);
    clear_printf(*bytes);
    if (!binder.bound().bindings.memory.add({.address = kAddress,
                                             .size = kPrintfBytes,
                                             .data = bytes->data(),
                                             .owner = bytes,
                                             .name = "printf buffer",
                                             .shared = false}))
      return;
    binder.put_integer(offset, kAddress, 8);
    binder.set_messages(std::move(bytes));
  }

  void sampler_value(const ZeArgument& a) const {
    const auto sampler = sampler_of(a.index);
    if (a.type == "sampler_snap_wa") {
      const bool snap =
          sampler && sampler->tcx == image::AddressMode::ClampBorder && sampler->min_filter == image::Filter::Nearest;
      return binder.put_integer(cross_thread + a.offset, snap ? 0xffffffffu : 0, 4);
    }
    if (!sampler) return;  // reported with the sampler itself
    const std::uint32_t code =
        a.type == "sampler_address"
            ? static_cast<std::uint32_t>(address_code(sampler->tcx))
            : static_cast<std::uint32_t>(sampler->non_normalized ? opencl::SamplerCoordinates::Unnormalized
                                                                 : opencl::SamplerCoordinates::Normalized);
    binder.put_integer(cross_thread + a.offset, code, 4);
  }

  void buffer_address(const ZeArgument& a) const {
    if (const Buffer* b = buffer_of(a.index)) binder.put_integer(cross_thread + a.offset, b->address, 8);
  }

  void memory() {
    plan.slm_bytes = abi.slm_size;
    for (const ZeMemory& m : abi.memory) {
      if (m.type == "scratch")
        plan.scratch_bytes = std::max(plan.scratch_bytes, m.size);
      else if (m.per_lane)
        plan.private_bytes = m.size;
    }
  }

  void argument(const ZeArgument& a) {
    const std::uint32_t at = cross_thread + a.offset;
    if (a.type == "arg_bypointer")
      pointer(a);
    else if (a.type == "arg_byvalue")
      by_value(a);
    else if (a.type == "buffer_address")
      buffer_address(a);
    else if (a.type == "buffer_offset")
      binder.put_integer(at, 0, 4);
    else if (a.type == "global_id_offset")
      of_grid(a, GridValue::GlobalOffset);
    else if (a.type == "local_size")
      plan.local_size.push_back(at);
    else if (a.type == "enqueued_local_size")
      of_grid(a, GridValue::LocalSize);
    else if (a.type == "global_size")
      of_grid(a, GridValue::GlobalSize);
    else if (a.type == "group_count")
      of_grid(a, GridValue::GroupCount);
    else if (a.type == "work_dimensions")
      of_grid(a, GridValue::Dimensions);
    else if (a.type == "private_base_stateless")
      plan.private_base = at;
    else if (a.type == "sampler_snap_wa" || a.type == "sampler_address" || a.type == "sampler_normalized")
      sampler_value(a);
    else if (a.type == "printf_buffer")
      printf_buffer(at);
    else if (a.type.starts_with("image_"))
      image_value(a);
  }
};

}  // namespace

void bind_opencl(Binder& binder, const ZeKernel& abi, std::uint32_t cross_thread, pipeline::ComputePlan& plan) {
  AbiBinder bound{binder, abi, cross_thread, plan};
  bound.memory();
  for (const ZeSampler& s : abi.samplers) binder.bind_sampler(s.index, inline_sampler(s));
  for (const ZeArgument& a : abi.payload) bound.argument(a);
  if (plan.private_base == 0) plan.private_bytes = 0;
}

}  // namespace heddle::job
