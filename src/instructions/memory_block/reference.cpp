// Block reads and writes: owords of buffers, rectangles of 2D surfaces (facts visa 7.3).
#include <algorithm>

#include <fmt/format.h>

#include "instructions/image.hpp"
#include "instructions/memory.hpp"
#include "instructions/reference.hpp"

namespace heddle::instructions::memory_block {
namespace {

using machine::Operand;
using machine::Step;

void owords(Step& s, bool write, unsigned unit) {
  const auto target = machine::target_of(s, *operand_of_kind(s, isa::OperandKind::Surface));
  if (!target) return;
  std::uint64_t address =
      static_cast<std::uint64_t>(static_cast<std::uint32_t>(s.read_scalar(*s.named("offset")))) * unit;
  if (unit == 1 && address % 4 != 0) {
    s.check(s.named("offset"), "run-misaligned", fmt::format("offset {:#x} is not a multiple of 4", address));
    address &= ~std::uint64_t{3};
  }
  const unsigned bytes = 16u << std::min<std::uint64_t>(s.integer("size"), 4);
  if (write)
    store_block(s, *target, address, bytes, *s.named("src"));
  else
    load_block(s, *target, address, bytes, *s.named("dst"));
}

void oword_ld(Step& s) { owords(s, false, 16); }
void oword_st(Step& s) { owords(s, true, 16); }
void oword_ld_unaligned(Step& s) { owords(s, false, 1); }

/// A rectangle of bytes of level 0. Rows lie a power of two apart (at least 4 bytes) in the registers. top and bottom
/// take every other row. Outside the surface a read takes the nearest texel of the edge, a write is dropped.
void media(Step& s, bool write) {
  const image::Surface* surface = surface_of(s);
  if (surface == nullptr) return;
  if (surface->type != image::SurfaceType::Dim2 || surface->layout.empty() || surface->memory == nullptr ||
      surface->info().block_width != 1) {
    s.refuse(operand_of_kind(s, isa::OperandKind::Surface), "run-media-surface",
             "media blocks need a plain 2D surface");
    return;
  }
  if (s.integer("plane") != 0) {
    s.refuse(nullptr, "run-media-surface", "media blocks of further planes are not executed");
    return;
  }
  const auto width = static_cast<unsigned>(std::min<std::uint64_t>(s.integer("width"), 64)),
             height = static_cast<unsigned>(std::min<std::uint64_t>(s.integer("height"), 64));
  unsigned pitch = 4;
  while (pitch < width) pitch *= 2;
  const std::uint64_t modifier = s.integer("modifier");
  const bool field = modifier == 2 || modifier == 3 || modifier == 4 || modifier == 5;
  const bool bottom = modifier == 3 || modifier == 5;
  const auto x0 = static_cast<std::int64_t>(static_cast<std::int32_t>(s.read_scalar(*s.named("x"))));
  const auto y0 = static_cast<std::int64_t>(static_cast<std::int32_t>(s.read_scalar(*s.named("y"))));
  const std::int64_t texel = surface->info().bytes_per_element();
  const std::int64_t columns = std::int64_t{surface->level_width(0)} * texel;
  const std::int64_t rows =
      field ? (std::int64_t{surface->level_height(0)} + (bottom ? 0 : 1)) / 2 : surface->level_height(0);
  const Operand& data = *s.named(write ? "src" : "dst");
  std::vector<std::uint8_t>& memory = *surface->memory;
  unit::TexelObserver* observer = s.thread().unit_context().observer;

  bool outside = false;
  for (unsigned row = 0; row < height; ++row) {
    std::array<std::uint8_t, 64> line{};
    if (write) s.read_raw_bytes(data, row * pitch, std::span(line).first(width));
    for (unsigned column = 0; column < width; ++column) {
      std::int64_t x = x0 + column, y = y0 + row;
      if (x < 0 || x >= columns || y < 0 || y >= rows) {
        outside = true;
        if (write || columns == 0 || rows == 0) continue;
        // The nearest texel of the row's edge, at the same byte of the texel.
        if (x < 0)
          x = (x % texel + texel) % texel;
        else if (x >= columns)
          x = columns - texel + x % texel;
        y = std::clamp<std::int64_t>(y, 0, rows - 1);
      }
      const std::int64_t line_y = field ? 2 * y + (bottom ? 1 : 0) : y;
      const auto offset =
          image::element_offset(*surface, 0, surface->min_array_element, static_cast<std::uint32_t>(x / texel),
                                static_cast<std::uint32_t>(line_y));
      if (!offset) continue;
      const std::uint64_t at = *offset + static_cast<std::uint64_t>(x % texel);
      if (at >= memory.size()) continue;
      if (write)
        memory[at] = line[column];
      else
        line[column] = memory[at];
      if (observer != nullptr && x % texel == 0)
        observer->texel({.surface = surface,
                         .level = 0,
                         .slice = surface->min_array_element,
                         .x = static_cast<std::uint32_t>(x / texel),
                         .y = static_cast<std::uint32_t>(line_y),
                         .written = write});
    }
    if (!write) s.write_raw_bytes(data, row * pitch, std::span(line).first(width));
  }
  if (outside) s.check(nullptr, "run-surface-bounds", "the media block reaches beyond the surface");
}

void media_ld(Step& s) { media(s, false); }
void media_st(Step& s) { media(s, true); }

constexpr ReferenceHook kHooks[] = {
    {"oword_ld", oword_ld}, {"oword_st", oword_st}, {"oword_ld_unaligned", oword_ld_unaligned},
    {"media_ld", media_ld}, {"media_st", media_st},
};

}  // namespace

std::span<const ReferenceHook> reference() { return kHooks; }

}  // namespace heddle::instructions::memory_block
