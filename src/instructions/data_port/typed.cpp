// SPDX-License-Identifier: MIT
#include "instructions/data_port/typed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "instructions/data_port/memory.hpp"
#include "machine/memory.hpp"
#include "machine/sanitizer/memory_watch.hpp"

namespace heddle::instructions {

using image::SurfaceType;
using machine::ExecutionContext;
using machine::kMaxLanes;
using machine::Lanes;
using machine::Operand;

image::Surface* typed_surface(ExecutionContext& context) {
  const Operand* operand = operand_of_kind(context, isa::OperandKind::Surface);
  return const_cast<image::Surface*>(operand != nullptr ? context.surface(*operand)
                                                        : nullptr);  // bindings own changeable surfaces
}

namespace {

std::optional<Texel4> texel_of(const image::Surface& s, std::uint64_t u, std::uint64_t v, std::uint64_t r,
                               std::uint64_t lod) {
  Texel4 t;
  if (s.type == SurfaceType::Null) return std::nullopt;
  if (s.is_buffer()) {
    if (u >= s.entries || u > 0xffffffffu) return std::nullopt;
    t.x = static_cast<std::uint32_t>(u);
    return t;
  }
  const std::uint64_t level = s.rt_level + lod;  // the state names the view's first level
  if (lod > s.mip_count || level >= s.levels) return std::nullopt;
  t.level = static_cast<std::uint32_t>(level);
  const bool one = s.type == SurfaceType::Dim1;
  const std::uint64_t y = one ? 0 : v, index = one ? v : r;
  if (u >= s.level_width(t.level) || (!one && y >= s.level_height(t.level))) return std::nullopt;
  t.x = static_cast<std::uint32_t>(u);
  t.y = static_cast<std::uint32_t>(y);
  if (s.type == SurfaceType::Dim3) {
    if (index >= s.level_depth(t.level)) return std::nullopt;
    t.slice = static_cast<std::uint32_t>(index);
    return t;
  }
  const std::uint64_t length = std::uint64_t{s.array_length()} * (s.type == SurfaceType::Cube ? 6u : 1u);
  if (index >= length) return std::nullopt;
  t.slice = (s.min_array_element + static_cast<std::uint32_t>(index)) * (s.samples > 1 ? s.samples : 1u);
  return t;
}

}  // namespace

std::array<std::optional<Texel4>, kMaxLanes> locate_texels(ExecutionContext& context, const image::Surface& surface,
                                                           const TypedAddress& address) {
  std::array<Lanes, 4> words{};
  const Operand* operands[] = {address.u, address.v, address.r, address.lod};
  for (unsigned i = 0; i < 4; ++i) {
    if (operands[i] == nullptr || operands[i]->null) continue;
    context.read_raw(*operands[i], 0, address.element_bytes, context.lanes(), words[i].data(), context.enabled());
    if (i < 3 && address.offset[i] != 0)
      for (std::uint64_t& word : words[i]) word = (word + static_cast<std::uint32_t>(address.offset[i])) & 0xffffffffu;
  }
  std::array<std::optional<Texel4>, kMaxLanes> texels;
  for (unsigned k = 0; k < context.lanes(); ++k) {
    if (!context.is_enabled(k)) continue;
    texels[k] = texel_of(surface, words[0][k], words[1][k], words[2][k], words[3][k]);
    if (texels[k] || surface.type == SurfaceType::Null || !context.checking()) continue;
    machine::Finding finding;
    finding.id = "run-surface-bounds";
    finding.message =
        fmt::format("texel ({}, {}, {}) of level {} lies outside {}", static_cast<std::int32_t>(words[0][k]),
                    static_cast<std::int32_t>(words[1][k]), static_cast<std::int32_t>(words[2][k]), words[3][k],
                    surface.name.empty() ? "the image" : "surface " + surface.name);
    finding.subject = surface.name;
    if (const Operand* operand = operand_of_kind(context, isa::OperandKind::Surface))
      finding.surface = machine::surface_number(context, *operand);
    context.check(nullptr, std::move(finding), k);
  }
  return texels;
}

void touch_texel(ExecutionContext& context, const image::Surface& surface, const Texel4& t, unsigned lane,
                 bool written) {
  if (texture::TexelObserver* observer = context.thread().unit_context().observer)
    observer->texel({.surface = &surface,
                     .level = t.level,
                     .slice = t.slice,
                     .x = t.x,
                     .y = t.y,
                     .lane = lane,
                     .written = written});
}

namespace {

/// The bytes of a texel of an image or a buffer; null where it has none, and where it is null (SUR-6, RTW-21).
std::uint8_t* element_bytes(image::Surface& surface, const Texel4& t) {
  return surface.is_buffer() ? image::entry_bytes(surface, t.x) : texel_bytes(surface, t);
}

/// Races on a texel. `same_value`: a write that changed nothing.
void watch_texel(ExecutionContext& context, image::Surface& surface, const Texel4& t, unsigned lane,
                 machine::AccessKind kind, bool same_value = false) {
  if (!context.checking()) return;
  const unsigned bytes = surface.info().bytes_per_element();
  const std::uint8_t* at = element_bytes(surface, t);
  if (at == nullptr) return;
  machine::MemoryTarget target{.kind = machine::MemoryKind::Surface, .name = surface.name};
  if (const Operand* operand = operand_of_kind(context, isa::OperandKind::Surface))
    target.index = machine::surface_number(context, *operand).value_or(0);
  const auto offset = static_cast<std::uint64_t>(at - surface.memory->data());
  if (machine::MemoryWatch* watch = machine::watch_of(context.thread()); watch != nullptr && !surface.is_buffer())
    watch->texel(context, surface, t.level, t.slice, target.index, lane);
  machine::watch_access(context, target, at, offset, bytes,
                        context.instruction().atomic ? machine::AccessKind::Atomic : kind, lane, same_value);
}

}  // namespace

std::uint8_t* texel_bytes(image::Surface& surface, const Texel4& t) {
  return image::element_bytes(surface, t.level, t.slice, t.x, t.y);
}

void read_texels(ExecutionContext& context, image::Surface& surface, const TypedAddress& address, unsigned mask,
                 const Operand& data) {
  const auto texels = locate_texels(context, surface, address);
  std::array<Lanes, 4> channels{};
  const bool integer = surface.info().value_class != image::ValueClass::Float;
  for (unsigned k = 0; k < context.lanes(); ++k) {
    if (!context.is_enabled(k)) continue;
    image::Texel value;
    if (surface.type != SurfaceType::Null && !surface.info().has_channel('A'))  // LD-3
      value.bits[3] = integer ? 1u : base::bits_of(1.0f);
    if (const auto& t = texels[k]) {
      value = surface.is_buffer() ? image::fetch_entry(surface, t->x).texel
                                  : image::fetch(surface, t->level, t->slice, t->x, t->y).texel;
      touch_texel(context, surface, *t, k, false);
      watch_texel(context, surface, *t, k, machine::AccessKind::Read);
    }
    for (unsigned c = 0; c < 4; ++c) channels[c][k] = value.bits[c];
  }
  unsigned at = 0;
  for (unsigned c = 0; c < 4; ++c) {
    if ((mask >> c & 1u) == 0) continue;
    context.write_raw(data, at, 4, context.lanes(), channels[c].data(), context.enabled());
    at += component_stride(context, 4);
  }
}

void write_texels(ExecutionContext& context, image::Surface& surface, const TypedAddress& address, unsigned mask,
                  const Operand& data) {
  std::array<Lanes, 4> channels{};
  unsigned at = 0;
  for (unsigned c = 0; c < 4; ++c) {
    if ((mask >> c & 1u) == 0) continue;
    context.read_raw(data, at, 4, context.lanes(), channels[c].data(), context.enabled());
    at += component_stride(context, 4);
  }
  const auto texels = locate_texels(context, surface, address);
  for (unsigned k = 0; k < context.lanes(); ++k) {
    const auto& t = texels[k];
    if (!context.is_enabled(k) || !t) continue;
    image::Texel value;
    if ((mask & 15u) != 15u)
      value = surface.is_buffer() ? image::fetch_entry(surface, t->x).texel
                                  : image::fetch(surface, t->level, t->slice, t->x, t->y).texel;
    for (unsigned c = 0; c < 4; ++c)
      if ((mask >> c & 1u) != 0) value.bits[c] = static_cast<std::uint32_t>(channels[c][k]);
    const std::uint8_t* place = context.checking() ? element_bytes(surface, *t) : nullptr;
    std::array<std::uint8_t, 16> before{};
    const std::size_t bytes = std::min<std::size_t>(before.size(), surface.info().bytes_per_element());
    if (place != nullptr) std::copy_n(place, bytes, before.begin());
    if (surface.is_buffer())
      (void)image::store_entry(surface, t->x, value);
    else
      (void)image::store(surface, t->level, t->slice, t->x, t->y, value);
    touch_texel(context, surface, *t, k, true);
    watch_texel(context, surface, *t, k, machine::AccessKind::Write,
                place != nullptr && std::equal(place, place + bytes, before.begin()));
  }
}

void run_typed_atomics(ExecutionContext& context, image::Surface& surface, machine::AtomicOp op, unsigned bytes,
                       const TypedAddress& address, const Operand& src0, const Operand& src1, const Operand& dst) {
  if (context.enabled() == 0) return;  // EXE-3
  if (surface.type != SurfaceType::Null && surface.info().bytes_per_element() != bytes) {
    context.refuse(operand_of_kind(context, isa::OperandKind::Surface), "run-typed-atomic",
                   fmt::format("an atomic of {} bytes needs texels of that size, {} has {}", bytes, surface.info().name,
                               surface.info().bytes_per_element()));
    return;
  }
  const auto texels = locate_texels(context, surface, address);
  const unsigned element = bytes < 4 ? 4 : bytes;
  Lanes a{}, b{}, result{};
  context.read_raw(src0, 0, element, context.lanes(), a.data(), context.enabled());
  context.read_raw(src1, 0, element, context.lanes(), b.data(), context.enabled());
  for (unsigned k = 0; k < context.lanes(); ++k) {
    if (!context.is_enabled(k) || !texels[k]) continue;
    std::uint8_t* at = element_bytes(surface, *texels[k]);
    if (at == nullptr) continue;
    machine::before_atomic(context);
    watch_texel(context, surface, *texels[k], k, machine::AccessKind::Atomic);
    result[k] = machine::atomic_at(at, op, bytes, a[k], b[k]);
    machine::after_atomic(context);
    touch_texel(context, surface, *texels[k], k, true);
  }
  context.write_raw(dst, 0, element, context.lanes(), result.data(), context.enabled());
}

}  // namespace heddle::instructions
