// SPDX-License-Identifier: MIT
// LSC: loads, stores, atomics and typed messages of DG2 and later.
#include <algorithm>

#include <fmt/format.h>

#include "instructions/data_port/lsc_transfer.hpp"
#include "instructions/data_port/memory.hpp"
#include "instructions/data_port/typed.hpp"
#include "instructions/reference.hpp"

namespace heddle::instructions::lsc {
namespace {

using machine::AtomicOp;
using machine::ExecutionContext;
using machine::Lanes;
using machine::MemoryTarget;
using machine::Operand;

enum AddressModel : std::uint8_t { kFlat = 1, kBss, kSs, kBti, kArg, kSurf };
enum AddressSize : std::uint8_t { kWords = 1, kDwords, kQwords, kUnsignedDwords, kSignedDwords };

DataSize size_of(const ExecutionContext& s) { return data_size(s.integer("data_size")); }

/// Surface index or handle of bss, ss, bti; the address of a surface's state of surf (LD-12).
std::optional<std::uint64_t> surface_value(ExecutionContext& s, const Operand& surface) {
  constexpr std::uint64_t kStateBytes = 64;
  if (surface.kind != isa::OperandKind::State && surface.kind != isa::OperandKind::Surface) {
    const auto value = static_cast<std::uint64_t>(s.read_scalar(surface));
    return s.integer("addr_type") == kSurf ? value + s.integer("surface_index") * kStateBytes : value;
  }
  if (const auto index = s.surface_index(surface)) return *index;
  return std::nullopt;
}

constexpr std::uint64_t kSfidSlm = 3;

std::optional<MemoryTarget> target_of(ExecutionContext& s) {
  if (s.integer("sfid") == kSfidSlm) return machine::shared_memory(s);
  const Operand& surface = *s.named("surface");
  switch (s.integer("addr_type")) {
    case kFlat:
      return machine::flat_memory();
    case kBti:
      if (const auto value = surface_value(s, surface))
        return machine::target_of_index(s, static_cast<std::uint32_t>(*value), &surface);
      return std::nullopt;
    case kSurf:
    case kBss:
    case kSs: {
      // 10.6: pvc's private memory is the surface r0.5 >> 4; scratch belongs to the thread whatever that number is.
      if (s.integer("addr_type") == kSs) return machine::scratch_memory(s);
      const auto value = surface_value(s, surface);
      if (!value) return std::nullopt;
      const auto& handles = s.thread().bindings().bindless_surfaces;
      if (const auto found = handles.find(*value); found != handles.end())
        return machine::bytes_of(*found->second, static_cast<std::uint32_t>(*value) | machine::kByHandle);
      s.refuse(&surface, "run-binding-missing", fmt::format("no surface has handle {:#x}", *value));
      return std::nullopt;
    }
    case kArg:
      if (is_load(op_of(*s.instruction().description))) return machine::argument_memory(s);
      s.refuse(&surface, "run-address-model", "the kernel's arguments are only read");
      return std::nullopt;
    default:
      s.refuse(&surface, "run-address-model", fmt::format("address model {} does not exist", s.integer("addr_type")));
      return std::nullopt;
  }
}

unsigned address_bytes(const ExecutionContext& s) {
  switch (s.integer("addr_size")) {
    case kWords:
      return 2;
    case kQwords:
      return 8;
    default:
      return 4;
  }
}

/// What the flat model's addresses count from.
std::uint64_t flat_base(ExecutionContext& s) {
  const Operand& base = *s.named("surface");
  if (s.integer("addr_type") != kFlat || base.null) return 0;
  return static_cast<std::uint64_t>(s.read_scalar(base));
}

/// `count` addresses, of which those in `needed` must have been written. LD-12: those of 32 bits wrap, those that are
/// said to be extended (a32u, a32s) do not.
Lanes addresses(ExecutionContext& s, unsigned count, std::uint32_t needed) {
  const unsigned size = address_bytes(s);
  const std::uint64_t form = s.integer("addr_size"), base = flat_base(s);
  Lanes address{};
  s.read_raw(*s.named("src0"), 0, size, count, address.data(), needed);
  const Operand* offset_operand = s.named("imm_offset");
  const auto offset =
      static_cast<std::int64_t>(offset_operand != nullptr ? static_cast<std::int32_t>(offset_operand->value) : 0);
  const std::uint64_t scale = std::max<std::uint64_t>(s.integer("scale"), 1);
  for (std::uint64_t& a : address) {
    if (form == kSignedDwords) a = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(a)});
    a = a * scale + static_cast<std::uint64_t>(offset);
    if (form == kWords || form == kDwords) a &= 0xffffffffu;
    a += base;
  }
  return address;
}

Lanes addresses(ExecutionContext& s) { return addresses(s, s.lanes(), s.enabled()); }

/// The surface of a typed message, which is named by index or handle.
image::Surface* typed_of(ExecutionContext& s) {
  const Operand& surface = *s.named("surface");
  const auto value = surface_value(s, surface);
  if (!value) return nullptr;
  const machine::Bindings& bindings = s.thread().bindings();
  if (s.integer("addr_type") == kBti && *value < bindings.surfaces.size() && bindings.surfaces[*value] != nullptr)
    return bindings.surfaces[*value].get();
  if (const auto found = bindings.bindless_surfaces.find(*value); found != bindings.bindless_surfaces.end())
    return found->second.get();
  s.refuse(&surface, "run-binding-missing", fmt::format("no surface is bound to index {}", *value));
  return nullptr;
}

TypedAddress typed_address(ExecutionContext& s) {
  const auto offset = [&](std::string_view slot) {
    const Operand* operand = s.named(slot);
    return operand != nullptr ? static_cast<std::int32_t>(operand->value) : 0;
  };
  return {s.named("u"),
          s.named("v"),
          s.named("r"),
          s.named("lod"),
          {offset("u_offset"), offset("v_offset"), offset("r_offset")},
          address_bytes(s)};
}

bool transposed(const ExecutionContext& s) { return s.integer("order") == 2; }

std::uint64_t vector_mask(const ExecutionContext& s) {
  const unsigned count = vector_length(s.integer("elems"));
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

/// LD-11: a load into %null fetches into caches, which are not there.
bool is_prefetch(ExecutionContext& s) { return s.named("dst")->null; }

void vectors(ExecutionContext& s, bool write) {
  if (!write && is_prefetch(s)) return;
  const auto target = target_of(s);
  if (!target) return;
  const Lanes address = addresses(s);
  const Operand& data = *s.named(write ? "src1" : "dst");
  if (transposed(s))
    transfer_block(s, *target, address[0], vector_length(s.integer("elems")), size_of(s), data, write);
  else
    transfer(s, *target, address, vector_mask(s), size_of(s), data, write);
}
void load(ExecutionContext& s) { vectors(s, false); }
void store(ExecutionContext& s) { vectors(s, true); }

void quads(ExecutionContext& s, bool write) {
  if (!write && is_prefetch(s)) return;
  if (const auto target = target_of(s))
    transfer(s, *target, addresses(s), s.integer("elems") & 15u, size_of(s), *s.named(write ? "src1" : "dst"), write);
}
void load_quad(ExecutionContext& s) { quads(s, false); }
void store_quad(ExecutionContext& s) { quads(s, true); }

/// Lane k at base + k * pitch.
void strided(ExecutionContext& s, bool write) {
  if (!write && is_prefetch(s)) return;
  const auto target = target_of(s);
  if (!target) return;
  Lanes address = addresses(s, 1, s.enabled() != 0 ? 1u : 0u);
  const std::uint64_t base = address[0];
  const auto pitch = static_cast<std::uint64_t>(s.read_scalar(*s.named("pitch")));
  const Operand& data = *s.named(write ? "src1" : "dst");
  if (transposed(s)) {
    transfer_block(s, *target, base, vector_length(s.integer("elems")), size_of(s), data, write);
    return;
  }
  for (unsigned k = 0; k < machine::kMaxLanes; ++k) address[k] = base + k * pitch;
  transfer(s, *target, address, vector_mask(s), size_of(s), data, write);
}
void load_strided(ExecutionContext& s) { strided(s, false); }
void store_strided(ExecutionContext& s) { strided(s, true); }

/// Bit k of the dword: the bytes of lane k are there.
void load_status(ExecutionContext& s) {
  if (is_prefetch(s)) return;
  const auto target = target_of(s);
  if (!target) return;
  const std::uint64_t bytes = std::uint64_t{size_of(s).memory} * vector_length(s.integer("elems"));
  const std::uint64_t present = present_lanes(s, *target, addresses(s), bytes);
  s.write_raw(*s.named("dst"), 0, 4, 1, &present, 1);
}

// --- atomics ---

void atomic(ExecutionContext& s) {
  const auto op = atomic_op(op_of(*s.instruction().description));
  if (!op) {
    s.refuse(nullptr, "visa-bin-subop", "this LSC operation is not executed");
    return;
  }
  const unsigned bytes = size_of(s).memory < 2 ? 4 : size_of(s).memory;
  const Operand *first = s.named("src1"), *second = s.named("src2");
  // icas compares with src1 and stores src2.
  if (*op == AtomicOp::CmpXchg) std::swap(first, second);
  const Operand& dst = *s.named("dst");
  if (s.named("u") != nullptr) {
    if (image::Surface* surface = typed_of(s))
      run_typed_atomics(s, *surface, *op, bytes, typed_address(s), *first, *second, dst);
    return;
  }
  if (const auto target = target_of(s)) run_atomics(s, *target, *op, bytes, addresses(s), *first, *second, dst);
}

// --- rectangles of 64-bit address space ---

/// Base, width, height, pitch, x and y as operands, or in the dwords of one register (LD-13).
Block2d block_address(ExecutionContext& s) {
  std::array<std::uint64_t, 6> fields{};
  if (const Operand* payload = s.named("payload")) {
    s.read_raw(*payload, 0, 8, 1, fields.data(), 1);
    for (unsigned i = 1; i < 6; ++i) s.read_raw(*payload, 4 + 4 * i, 4, 1, &fields[i], 1);
  } else {
    constexpr std::string_view kSlots[] = {"base", "surf_width", "surf_height", "surf_pitch", "x", "y"};
    for (std::size_t i = 0; i < fields.size(); ++i)
      fields[i] = static_cast<std::uint64_t>(s.read_scalar(*s.named(kSlots[i])));
  }
  const auto offset = [&](std::string_view slot) { return static_cast<std::uint32_t>(s.integer(slot)); };
  Block2d block;
  block.base = fields[0];
  block.columns = (fields[1] & 0xffffffffu) + 1;  // minus one
  block.rows = (fields[2] & 0xffffffffu) + 1;
  block.pitch = fields[3] & 0xffffffffu;
  if ((block.pitch & 7u) == 7u) ++block.pitch;  // pitches are multiples of 8; a descriptor's value is one less
  block.x = static_cast<std::int32_t>(static_cast<std::uint32_t>(fields[4]) + offset("x_offset"));
  block.y = static_cast<std::int32_t>(static_cast<std::uint32_t>(fields[5]) + offset("y_offset"));
  return block;
}

void block2d(ExecutionContext& s, bool write) {
  if (!s.is_enabled(0) || (!write && is_prefetch(s))) return;
  Block2d block = block_address(s);
  block.width = static_cast<unsigned>(std::min<std::uint64_t>(s.integer("width"), 64));
  block.height = static_cast<unsigned>(std::min<std::uint64_t>(s.integer("height"), 64));
  block.blocks = static_cast<unsigned>(std::clamp<std::uint64_t>(s.integer("blocks"), 1, 4));
  block.transposed = transposed(s);
  block.vnni = s.integer("vnni") != 0;
  transfer_block2d(s, block, size_of(s), *s.named(write ? "src1" : "dst"), write);
}
void load_block2d(ExecutionContext& s) { block2d(s, false); }
void store_block2d(ExecutionContext& s) { block2d(s, true); }

// --- typed ---

/// LD-14: bytes of an image's rows.
void rows(ExecutionContext& s, bool write) {
  if (!s.is_enabled(0) || (!write && is_prefetch(s))) return;
  const image::Surface* surface = typed_of(s);
  if (surface == nullptr) return;
  const auto coordinate = [&](std::string_view slot, std::string_view offset) {
    return static_cast<std::int32_t>(
        static_cast<std::uint32_t>(static_cast<std::uint64_t>(s.read_scalar(*s.named(slot)))) +
        static_cast<std::uint32_t>(s.integer(offset)));
  };
  MediaBlock block;
  block.x = coordinate("x", "x_offset");
  block.y = coordinate("y", "y_offset");
  block.width = static_cast<unsigned>(std::min<std::uint64_t>(s.integer("width"), 64));
  block.height = static_cast<unsigned>(std::min<std::uint64_t>(s.integer("height"), 64));
  transfer_media_block(s, *surface, block, *s.named(write ? "src1" : "dst"), write);
}
void load_rows(ExecutionContext& s) { rows(s, false); }
void store_rows(ExecutionContext& s) { rows(s, true); }

void load_typed(ExecutionContext& s) {
  if (is_prefetch(s)) return;
  if (image::Surface* surface = typed_of(s))
    read_texels(s, *surface, typed_address(s), static_cast<unsigned>(s.integer("elems")) & 15u, *s.named("dst"));
}
void store_typed(ExecutionContext& s) {
  if (image::Surface* surface = typed_of(s))
    write_texels(s, *surface, typed_address(s), static_cast<unsigned>(s.integer("elems")) & 15u, *s.named("src1"));
}

constexpr ReferenceHook kHooks[] = {
    {"lsc", atomic},
    {"lsc_read_state_info.tgm", nullptr},
    {"lsc_load", load},
    {"lsc_load_strided", load_strided},
    {"lsc_load_quad", load_quad},
    {"lsc_load_block2d", load_block2d},
    {"lsc_store", store},
    {"lsc_store_uncompressed", store},
    {"lsc_store_strided", store_strided},
    {"lsc_store_quad", store_quad},
    {"lsc_store_block2d", store_block2d},
    {"lsc_load_status", load_status},
    {"lsc_ccs_update", does_nothing},
    {"lsc_load_quad.tgm", load_typed},
    {"lsc_load_block2d.tgm", load_rows},
    {"lsc_store_block2d.tgm", store_rows},
    {"lsc_store_quad.tgm", store_typed},
    {"lsc_fence", does_nothing},
};

}  // namespace

std::span<const ReferenceHook> reference() { return kHooks; }

}  // namespace heddle::instructions::lsc
