#include "machine/memory.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

namespace heddle::machine {

MemoryTarget shared_memory(ExecutionContext& context) {
  Group* group = context.thread().setup().group;
  if (group == nullptr) return {MemoryKind::Shared, nullptr, 0, kBtiSlm, "shared local memory"};
  return {MemoryKind::Shared, group->slm.data(), group->slm.size(), kBtiSlm, "shared local memory"};
}

MemoryTarget scratch_memory(ExecutionContext& context) {
  const auto scratch = context.thread().setup().scratch;
  return {MemoryKind::Scratch, scratch.data(), scratch.size(), kBtiScratch, "scratch memory"};
}

MemoryTarget argument_memory(ExecutionContext& context) {
  const ThreadStart& start = context.thread().setup();
  const std::size_t first = std::min<std::size_t>(start.arguments, start.payload.size());
  auto* bytes = const_cast<std::uint8_t*>(start.payload.data()) + first;  // read only, as declared
  return {MemoryKind::Surface, bytes, start.payload.size() - first, kBtiScratch, "the arguments"};
}

MemoryTarget bytes_of(const image::Surface& surface, std::uint32_t index) {
  MemoryTarget target{MemoryKind::Surface, nullptr, 0, index, surface.name};
  if (surface.memory == nullptr || surface.base > surface.memory->size()) return target;
  target.data = surface.memory->data() + surface.base;
  const std::uint64_t there = surface.memory->size() - surface.base;
  std::uint64_t size = there;
  if (surface.is_buffer()) {
    const std::uint64_t element =
        surface.structure_size != 0 ? surface.structure_size : std::max(1u, surface.info().bytes_per_element());
    size = surface.entries > there / element ? there : surface.entries * element;
  }
  target.size = std::min(size, there);
  return target;
}

std::optional<MemoryTarget> target_of_index(ExecutionContext& context, std::uint32_t index, const Operand* operand) {
  if (index == kBtiSlm) return shared_memory(context);
  if (index == kBtiScratch || index == kBtiTss) return scratch_memory(context);
  const auto& surfaces = context.thread().bindings().surfaces;
  if (index < surfaces.size() && surfaces[index] != nullptr) return bytes_of(*surfaces[index], index);
  context.refuse(operand, "run-binding-missing", fmt::format("nothing is bound to binding-table index {}", index));
  return std::nullopt;
}

std::optional<MemoryTarget> target_of(ExecutionContext& context, const Operand& surface) {
  const auto index = context.surface_index(surface);
  if (!index) return std::nullopt;
  if (surface.id == 4) {  // %bss
    const image::Surface* found = context.surface(surface);
    if (found == nullptr) return std::nullopt;
    return bytes_of(*found, *index);
  }
  return target_of_index(context, *index, &surface);
}

namespace {

constexpr std::string_view kBounds = "run-surface-bounds";

/// The bytes of one access, or nullptr when they are out of range (reported).
std::uint8_t* find(ExecutionContext& context, const MemoryTarget& target, std::uint64_t& address, unsigned bytes,
                   unsigned lane, unsigned alignment, bool write, bool atomic) {
  if (target.kind == MemoryKind::Shared) address &= ~std::uint64_t{kValidLocalPointer};
  if (address % alignment != 0) {
    context.check(nullptr, "run-misaligned", fmt::format("address {:#x} is not a multiple of {}", address, alignment),
                  lane);
    address -= address % alignment;
  }
  std::uint8_t* at = nullptr;
  if (target.kind == MemoryKind::Flat) {
    const MemoryRange* range = context.thread().bindings().memory.find(address, bytes);
    if (range == nullptr) {
      context.check(nullptr, kBounds, fmt::format("{} bytes at address {:#x} belong to no buffer", bytes, address),
                    lane);
      return nullptr;
    }
    at = range->data + (address - range->address);
  } else {
    if (address > target.size || bytes > target.size - address) {
      context.check(nullptr, kBounds,
                    fmt::format("{} bytes at offset {:#x} lie outside {} of {} bytes", bytes, address,
                                target.name.empty() ? "the surface" : target.name, target.size),
                    lane);
      return nullptr;
    }
    at = target.data + address;
  }
  Thread& thread = context.thread();
  if (target.kind == MemoryKind::Shared && context.checking()) {
    const Group::Access access = atomic ? Group::Access::Atomic : write ? Group::Access::Write : Group::Access::Read;
    if (const auto other = thread.setup().group->touch(address, bytes, access, thread.setup().thread))
      context.check(nullptr, "run-slm-race",
                    fmt::format("{} of shared local memory at offset {:#x} races with thread {}",
                                write ? "write" : "read", address, *other),
                    lane);
  }
  if (Observer* observer = thread.observer(); observer != nullptr && observer->wants_memory())
    observer->memory(
        thread, context.instruction(),
        {target.kind, write, atomic, lane + context.instruction().mask_offset, target.index, address, bytes});
  return at;
}

}  // namespace

void load(ExecutionContext& context, const MemoryTarget& target, std::uint64_t address, unsigned bytes, void* out,
          unsigned lane, unsigned alignment) {
  const std::uint8_t* at = find(context, target, address, bytes, lane, alignment, false, false);
  if (at != nullptr)
    std::memcpy(out, at, bytes);
  else
    std::memset(out, 0, bytes);
}

void store(ExecutionContext& context, const MemoryTarget& target, std::uint64_t address, unsigned bytes,
           const void* data, unsigned lane, unsigned alignment) {
  std::uint8_t* at = find(context, target, address, bytes, lane, alignment, true, false);
  if (at != nullptr) std::memcpy(at, data, bytes);
}

// --- atomics ---

namespace {

double float_of(std::uint64_t bits, unsigned bytes) {
  return widen(bits, bytes == 2 ? isa::Type::HF : bytes == 8 ? isa::Type::DF : isa::Type::F);
}

std::uint64_t float_sum(std::uint64_t a, std::uint64_t b, unsigned bytes) {
  if (bytes == 8) return base::bits_of(base::double_from_bits(a) + base::double_from_bits(b));
  if (bytes == 2) return half_bits(float_of(a, 2) + float_of(b, 2), Rounding::NearestEven);
  return base::bits_of(base::float_from_bits(static_cast<std::uint32_t>(a)) +
                       base::float_from_bits(static_cast<std::uint32_t>(b)));
}

std::uint64_t new_value(AtomicOp op, std::uint64_t old, std::uint64_t src0, std::uint64_t src1, unsigned bytes) {
  const std::uint64_t mask = bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * bytes)) - 1;
  const isa::Type type = bytes == 2 ? isa::Type::W : bytes == 8 ? isa::Type::Q : isa::Type::D;
  src0 &= mask;
  src1 &= mask;
  const auto smaller = [type](std::uint64_t a, std::uint64_t b) { return wide_of(a, type) < wide_of(b, type); };
  const std::uint64_t sign = std::uint64_t{1} << (8 * bytes - 1);
  switch (op) {
    case AtomicOp::Add:
      return old + src0;
    case AtomicOp::Sub:
      return old - src0;
    case AtomicOp::RevSub:
      return src0 - old;
    case AtomicOp::Inc:
      return old + 1;
    case AtomicOp::Dec:
    case AtomicOp::PreDec:
      return old - 1;
    case AtomicOp::Min:
      return std::min(old, src0);
    case AtomicOp::Max:
      return std::max(old, src0);
    case AtomicOp::Store:
    case AtomicOp::Xchg:
      return src0;
    case AtomicOp::CmpXchg:
      return old == src1 ? src0 : old;
    case AtomicOp::And:
      return old & src0;
    case AtomicOp::Or:
      return old | src0;
    case AtomicOp::Xor:
      return old ^ src0;
    case AtomicOp::IMin:
      return smaller(src0, old) ? src0 : old;
    case AtomicOp::IMax:
      return smaller(old, src0) ? src0 : old;
    // NUM-4: a NaN gives way to the other operand.
    case AtomicOp::FMax:
      return std::isnan(float_of(old, bytes)) || float_of(src0, bytes) > float_of(old, bytes) ? src0 : old;
    case AtomicOp::FMin:
      return std::isnan(float_of(old, bytes)) || float_of(src0, bytes) < float_of(old, bytes) ? src0 : old;
    case AtomicOp::FCmpWr:
      return float_of(src0, bytes) == float_of(old, bytes) ? src1 : old;
    case AtomicOp::FAdd:
      return float_sum(old, src0, bytes);
    case AtomicOp::FSub:
      return float_sum(old, src0 ^ sign, bytes);
    case AtomicOp::Load:
      break;
  }
  return old;
}

template <typename Word>
std::uint64_t exchange(std::uint8_t* at, AtomicOp op, std::uint64_t src0, std::uint64_t src1) {
  auto* word = reinterpret_cast<Word*>(at);
  Word old = __atomic_load_n(word, __ATOMIC_RELAXED);
  Word next = 0;
  do {
    next = static_cast<Word>(new_value(op, old, src0, src1, sizeof(Word)));
  } while (!__atomic_compare_exchange_n(word, &old, next, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
  return op == AtomicOp::PreDec ? next : old;
}

}  // namespace

std::uint64_t atomic_at(std::uint8_t* at, AtomicOp op, unsigned bytes, std::uint64_t src0, std::uint64_t src1) {
  if (reinterpret_cast<std::uintptr_t>(at) % bytes != 0) {  // a buffer that the host placed oddly
    std::uint64_t old = 0;
    std::memcpy(&old, at, bytes);
    const std::uint64_t next = new_value(op, old, src0, src1, bytes);
    std::memcpy(at, &next, bytes);
    return op == AtomicOp::PreDec ? next : old;
  }
  switch (bytes) {
    case 2:
      return exchange<std::uint16_t>(at, op, src0, src1);
    case 8:
      return exchange<std::uint64_t>(at, op, src0, src1);
    default:
      return exchange<std::uint32_t>(at, op, src0, src1);
  }
}

std::uint64_t atomic(ExecutionContext& context, const MemoryTarget& target, AtomicOp op, std::uint64_t address,
                     unsigned bytes, std::uint64_t src0, std::uint64_t src1, unsigned lane) {
  std::uint8_t* at = find(context, target, address, bytes, lane, bytes, true, true);
  return at != nullptr ? atomic_at(at, op, bytes, src0, src1) : 0;
}

}  // namespace heddle::machine
