#include <fmt/format.h>

#include <algorithm>

#include "dispatch/compute.hpp"

namespace heddle::dispatch {
namespace {

/// CL_ enumerators of a format's channel order and data type (10.5): what image queries in OpenCL return.
std::uint32_t channel_order(const image::FormatInfo& info) {
  const bool r = info.has_channel('R'), g = info.has_channel('G'), b = info.has_channel('B'), a = info.has_channel('A');
  if (info.has_channel('I')) return 0x10b8;
  if (info.has_channel('L')) return 0x10b9;
  if (info.alpha_only()) return 0x10b1;
  const bool bgr = info.name.starts_with("B8G8R8") || info.name.starts_with("B5G") || info.name.starts_with("B10");
  if (info.is_srgb()) return bgr ? 0x10c2 : a ? 0x10c1 : 0x10bf;
  if (bgr && a) return 0x10b6;
  if (r && g && b && a) return 0x10b5;
  if (r && g && b) return 0x10b4;
  if (r && g) return 0x10b2;
  return 0x10b0;
}

std::uint32_t channel_data_type(const image::FormatInfo& info) {
  const image::Channel& c = info.channels[0];
  if (info.channel_count >= 3 && c.bits == 10) return 0x10d6;
  if (info.channel_count == 3 && c.bits == 5) return 0x10d4;
  const auto by_width = [&](std::uint32_t eight, std::uint32_t sixteen, std::uint32_t thirty_two) {
    return c.bits <= 8 ? eight : c.bits <= 16 ? sixteen : thirty_two;
  };
  switch (c.type) {
    case image::ChannelType::Snorm:
      return by_width(0x10d0, 0x10d1, 0x10d1);
    case image::ChannelType::Sint:
      return by_width(0x10d7, 0x10d8, 0x10d9);
    case image::ChannelType::Uint:
      return by_width(0x10da, 0x10db, 0x10dc);
    case image::ChannelType::Float:
      return by_width(0x10dd, 0x10dd, 0x10de);
    default:
      return by_width(0x10d2, 0x10d3, 0x10d3);
  }
}

/// What Intel's runtime passes for a sampler's addressing mode (sampler_address).
std::uint32_t address_code(image::AddressMode mode) {
  switch (mode) {
    case image::AddressMode::ClampBorder:
      return 1;
    case image::AddressMode::Wrap:
      return 3;
    case image::AddressMode::Mirror:
      return 4;
    default:
      return 2;
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

/// Binds a kernel by its compiler's description: arguments by name or index, everything implicit filled in (10.5).
struct AbiBinder {
  Binder& binder;
  const ZeKernel& abi;
  ComputePlan& plan;
  std::uint32_t cross;  ///< C of 10.3

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

  void pointer(const ZeArgument& a) {
    const std::string index = fmt::format("{}", a.index), name = shown(a.index);
    if (a.address_space == "sampler") {
      const auto sampler = binder.sampler({name_of(a.index), index});
      if (!sampler) return missing(a.index, "sampler", fmt::format("[samplers.{}]", name));
      binder.bind_sampler(static_cast<std::uint32_t>(std::max(0, a.sampler_index)), sampler);
      return;
    }
    if (a.address_space == "image") {
      const Image* image = image_of(a.index);
      if (image == nullptr)
        return missing(a.index, "image", fmt::format("[images.{}] ({}, {})", name, type_of(a.index), a.access));
      if (const auto bti = abi.bti_of(static_cast<std::uint32_t>(a.index))) binder.bind_surface(*bti, image->surface);
      return;
    }
    if (a.address_mode == "slm") {
      const Argument* size = value(a.index);
      if (size == nullptr)
        return missing(a.index, "argument", fmt::format("[args] {} = bytes of that local buffer", name));
      if (size->values.size() != 1 || size->values[0].kind != Scalar::Kind::Integer || size->values[0].integer < 0 ||
          size->values[0].integer > (1 << 24))
        return binder.wrong(size->key,
                            fmt::format("argument '{}' is a local pointer: its value is a number of bytes", name));
      const std::uint64_t align = std::max(1u, a.slm_alignment);
      plan.slm_bytes = (plan.slm_bytes + align - 1) / align * align;
      binder.put_integer(cross + a.offset, plan.slm_bytes, std::min(8u, a.size));
      plan.slm_bytes += static_cast<std::uint64_t>(size->values[0].integer);
      return;
    }
    const Buffer* buffer = binder.buffer({name_of(a.index), index});
    if (buffer == nullptr)
      return a.address_mode == "stateful" || !abi.bti_of(static_cast<std::uint32_t>(a.index))
                 ? missing(a.index, "buffer", fmt::format("[buffers.{}] ({})", name, type_of(a.index)))
                 : void();
    if (a.address_mode == "stateless") binder.put_integer(cross + a.offset, buffer->address, std::min(8u, a.size));
    if (const auto bti = abi.bti_of(static_cast<std::uint32_t>(a.index))) binder.bind_surface(*bti, buffer->surface);
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
      return missing(a.index, "argument", fmt::format("[args] {} = ... ({})", shown(a.index), shape.describe));
    }
    std::string why;
    const auto bytes = encode_argument(*argument, shape, why);
    if (!bytes) return binder.wrong(argument->key, fmt::format("argument '{}': {}", argument->key.text, why));
    const std::size_t begin = std::min<std::size_t>(a.source_offset, bytes->size()),
                      end = std::min<std::size_t>(begin + a.size, bytes->size());
    binder.put(cross + a.offset, std::span(*bytes).subspan(begin, end - begin));
  }

  void three(const ZeArgument& a, const std::array<std::uint32_t, 3>& values) const {
    for (std::uint32_t d = 0; d < 3; ++d) binder.put_integer(cross + a.offset + 4 * d, values[d], 4);
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
      v = channel_order(s.info());
    else if (a.type == "image_channel_data_type")
      v = channel_data_type(s.info());
    binder.put_integer(cross + a.offset, v, 4);
  }

  /// What printf writes to: the first dword is the place of the next message. Its text is not shown.
  void printf_buffer(std::uint32_t offset) const {
    constexpr std::uint64_t kAddress = 0x7ffe'0000'0000u;
    constexpr std::size_t kBytes = 4u << 20;  // the size that the compiler's code counts on
    auto bytes = std::make_shared<std::vector<std::uint8_t>>(kBytes);
    bytes->front() = 4;
    if (binder.bound().bindings.memory.add({kAddress, kBytes, bytes->data(), bytes, "printf buffer"}))
      binder.put_integer(offset, kAddress, 8);
  }

  void run() {
    plan.slm_bytes = abi.slm_size;
    for (const ZeMemory& m : abi.memory) {
      if (m.type == "scratch")
        plan.scratch_bytes = std::max(plan.scratch_bytes, m.size);
      else if (m.per_lane)
        plan.private_bytes = m.size;
    }
    for (const ZeSampler& s : abi.samplers) binder.bind_sampler(s.index, inline_sampler(s));
    for (const ZeArgument& a : abi.payload) {
      if (a.type == "arg_bypointer")
        pointer(a);
      else if (a.type == "arg_byvalue")
        by_value(a);
      else if (a.type == "buffer_address") {
        if (const Buffer* b = binder.buffer({name_of(a.index), fmt::format("{}", a.index)}))
          binder.put_integer(cross + a.offset, b->address, 8);
      } else if (a.type == "buffer_offset")
        binder.put_integer(cross + a.offset, 0, 4);
      else if (a.type == "global_id_offset")
        three(a, plan.grid.offset);
      else if (a.type == "local_size")
        plan.local_size.push_back(cross + a.offset);
      else if (a.type == "enqueued_local_size")
        three(a, plan.grid.local);
      else if (a.type == "global_size")
        three(a, plan.grid.global);
      else if (a.type == "group_count")
        three(a, plan.grid.groups);
      else if (a.type == "work_dimensions")
        binder.put_integer(cross + a.offset, plan.grid.dimensions, 4);
      else if (a.type == "private_base_stateless")
        plan.private_base = cross + a.offset;
      else if (a.type == "sampler_snap_wa") {
        const auto s = binder.sampler({name_of(a.index), fmt::format("{}", a.index)});
        const bool snap = s && s->tcx == image::AddressMode::ClampBorder && s->min_filter == image::Filter::Nearest;
        binder.put_integer(cross + a.offset, snap ? 0xffffffffu : 0, 4);
      } else if (a.type == "sampler_address") {
        if (const auto s = binder.sampler({name_of(a.index), fmt::format("{}", a.index)}))
          binder.put_integer(cross + a.offset, address_code(s->tcx), 4);
      } else if (a.type == "sampler_normalized") {
        if (const auto s = binder.sampler({name_of(a.index), fmt::format("{}", a.index)}))
          binder.put_integer(cross + a.offset, s->non_normalized ? 0 : 8, 4);
      } else if (a.type == "printf_buffer") {
        printf_buffer(cross + a.offset);
      } else if (a.type.starts_with("image_"))
        image_value(a);
    }
    if (plan.private_bytes != 0 && plan.private_base == 0) plan.private_bytes = 0;
  }
};

}  // namespace

ComputePlan bind_compute(Binder& binder, const ZeKernel* abi, const Grid& grid, unsigned simd) {
  ComputePlan plan;
  plan.grid = grid;
  plan.simd = simd;
  plan.grf_bytes = binder.grf_bytes();
  const isa::Object& kernel = binder.kernel();
  const std::uint32_t grf = plan.grf_bytes;
  const std::uint32_t ids =
      abi != nullptr && abi->local_id_bytes != 0 ? abi->local_id_bytes : 3 * std::max(grf, simd * 2);  // L of 10.3
  const std::uint32_t cross = grf + ids;
  plan.arguments = cross;
  const auto target = kernel.integer_attribute("Target");
  plan.all_lanes = simd == 1 && target && *target == 0;
  std::uint32_t end = cross + 32;
  for (const isa::Input& input : kernel.inputs) end = std::max(end, input.offset + input.size);
  binder.bound().payload.resize(end);
  plan.scratch_bytes =
      static_cast<std::uint64_t>(std::max<std::int64_t>(0, kernel.integer_attribute("SpillMemOffset").value_or(0)));
  plan.slm_bytes =
      static_cast<std::uint64_t>(std::max<std::int64_t>(0, kernel.integer_attribute("SLMSize").value_or(0)));
  if (plan.scratch_bytes > (1u << 24) || plan.slm_bytes > (1u << 24))
    binder.diagnostics().add(base::limit_error(
        "limit-memory", fmt::format("kernel '{}' asks for {} bytes of scratch and {} of shared memory", kernel.name,
                                    plan.scratch_bytes, plan.slm_bytes)));
  if (abi != nullptr) {
    plan.walk = abi->walk_order;
    plan.local_ids.push_back({grf, ids});
    AbiBinder{binder, *abi, plan, cross}.run();
  } else {
    const ShaderInterface* shader = binder.shader();
    if (plan.slm_bytes == 0 && shader == nullptr)
      plan.slm_bytes = 65536;  // a bare kernel does not say how much it uses
    if (shader != nullptr) {
      binder.bind_blocks();
      binder.fill_values([&](DispatchWord word, std::uint32_t offset) {
        for (std::uint32_t d = 0; d < 3 && word == DispatchWord::GroupCount; ++d)
          binder.put_integer(offset + 4 * d, grid.groups[d], 4);
      });
    }
    binder.bind_state_variables();
    binder.bind_inputs([&](const isa::Input& input, const isa::VariableInfo& info) {
      if (input.offset < grf) return true;  // r0
      if (shader != nullptr) return input.offset < cross + 32;
      const bool words = info.type == isa::Type::UW || info.type == isa::Type::W;
      if (input.offset < cross)
        return simd > 1 && words && input.size == std::min(grf, info.elements * 2) && input.offset % grf == 0;
      return input.offset == cross && input.size == 32 && simd > 1;  // the payload header
    });
    for (std::size_t n = 0; n < kernel.inputs.size(); ++n) {
      const isa::Input& input = kernel.inputs[n];
      if (input.kind() != isa::InputKind::General || binder.bound().filled.contains(static_cast<std::uint32_t>(n)))
        continue;
      switch (input.implicit()) {
        case 1:
          plan.local_size.push_back(input.offset);
          continue;
        case 2:
          for (std::uint32_t d = 0; d < 3; ++d) binder.put_integer(input.offset + 4 * d, grid.groups[d], 4);
          continue;
        case 3:
          plan.implicit_local_id.push_back(input.offset);
          continue;
        default:
          break;
      }
      if (input.offset >= grf && input.offset < cross)
        plan.local_ids.push_back({input.offset, input.size});
      else if (input.offset == cross && input.size == 32) {
        for (std::uint32_t d = 0; d < 3; ++d) binder.put_integer(cross + 4 * d, grid.offset[d], 4);
        plan.local_size.push_back(cross + 12);
      }
    }
  }
  binder.bind_memory();
  return plan;
}

}  // namespace heddle::dispatch
