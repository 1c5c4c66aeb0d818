// SPDX-License-Identifier: MIT
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

namespace {
bool is_bindless(const Operand& surface) { return surface.id == 4; }  // %bss
}  // namespace

std::optional<std::uint32_t> surface_number(ExecutionContext& context, const Operand& operand) {
  const auto index = context.surface_index(operand);
  return index && is_bindless(operand) ? std::optional(*index | kByHandle) : index;
}

std::optional<MemoryTarget> target_of(ExecutionContext& context, const Operand& surface) {
  const auto number = surface_number(context, surface);
  if (!number) return std::nullopt;
  if (is_bindless(surface)) {
    const image::Surface* found = context.surface(surface);
    if (found == nullptr) return std::nullopt;
    return bytes_of(*found, *number);
  }
  return target_of_index(context, *number, &surface);
}

namespace {

constexpr std::string_view kBounds = "run-surface-bounds";

/// Reports that stand for a resource.
void check_memory(ExecutionContext& context, const MemoryTarget& target, std::string_view id, std::string message,
                  unsigned lane) {
  Finding finding;
  finding.id = id;
  finding.message = std::move(message);
  finding.subject = name_of(target);
  if (target.kind == MemoryKind::Surface) finding.surface = target.index;
  context.check(nullptr, std::move(finding), lane);
}

std::string_view word_of(AccessKind kind) {
  return kind == AccessKind::Read ? "read" : kind == AccessKind::Write ? "write" : "atomic operation";
}

/// The invocation of a record, as far as the thread that found it can say.
Occurrence who_did(ExecutionContext& context, const RememberedAccess& record) {
  const ThreadStart& start = context.thread().setup();
  Occurrence who;
  who.thread = record.thread;
  who.lane = record.lane;
  who.group = start.group_id;
  if (const RaceDetector* races = context.thread().reports().races(); races != nullptr && start.invocations != nullptr)
    who.group = races->group_id(record.group);
  if (start.invocations != nullptr) {
    who.local = start.invocations->local_id(record.thread, record.lane);
    who.global = start.invocations->global_id(who.group, *who.local);
  }
  return who;
}

void report_race(ExecutionContext& context, const MemoryTarget& target, const Access& access, std::uint64_t offset,
                 unsigned lane, const Conflict& conflict) {
  const bool no_fence = conflict.race == RaceKind::NoFence;
  Finding finding;
  finding.id = no_fence ? "run-fence-missing" : access.shared ? "run-slm-race" : "run-race";
  const Occurrence other = who_did(context, conflict.other);
  finding.message = fmt::format("{} of {} at offset {:#x} races with the {} of another invocation",
                                word_of(access.kind), name_of(target), offset, word_of(conflict.kind));
  if (no_fence) finding.message += ": the barrier between them orders shared memory only, not buffers and images";
  finding.subject = name_of(target);
  if (target.kind == MemoryKind::Surface) finding.surface = target.index;
  const auto [object, instruction] = context.at_site(conflict.other.site);
  finding.notes.push_back({fmt::format("the other access: {}{}", word_of(conflict.kind), other.text()),
                           context.thread().reports().place_of(*object, *instruction)});
  if (access.same_value && access.kind == AccessKind::Write)
    finding.notes.push_back({"it writes what is there already", {}});
  context.check(nullptr, std::move(finding), lane);
}

/// What orders an access of the thread.
Access access_of(ExecutionContext& context, AccessKind kind, unsigned lane, bool same_value) {
  Thread& thread = context.thread();
  const ThreadStart& start = thread.setup();
  Group& group = *start.group;
  Access access;
  access.kind = kind;
  access.same_value = same_value;
  // Pixels and vertices of a driver are those of compiled shaders.
  access.lanes_apart = start.invocations != nullptr ? start.invocations->shader : watch_of(thread) != nullptr;
  RememberedAccess& record = access.record;
  if (group.order.number == 0)
    group.order.number =
        access.lanes_apart || start.invocations != nullptr ? thread.reports().races()->enter(start.group_id) : 1;
  record.group = group.order.number;
  record.thread = static_cast<std::uint16_t>(start.thread);
  record.lane = static_cast<std::uint8_t>(lane + context.instruction().mask_offset);
  record.site = context.site();
  record.epoch = group.order.epoch;
  record.order = access.lanes_apart ? thread.order() : static_cast<std::uint32_t>(thread.steps());
  record.fences = group.order.fences;
  return access;
}

/// The buffer that messages are printed to.
bool is_messages(ExecutionContext& context, const MemoryTarget& target) {
  return target.kind == MemoryKind::Surface && context.thread().bindings().messages == target.index;
}

/// The bytes of one access, or nullptr when they are out of range (reported). `data`: what is to be written.
std::uint8_t* find(ExecutionContext& context, const MemoryTarget& target, std::uint64_t& address, unsigned bytes,
                   unsigned lane, unsigned alignment, AccessKind kind, const void* data) {
  if (target.kind == MemoryKind::Shared) address &= ~std::uint64_t{kValidLocalPointer};
  if (address % alignment != 0) {
    check_memory(context, target, "run-misaligned",
                 fmt::format("address {:#x} is not a multiple of {}", address, alignment), lane);
    address -= address % alignment;
  }
  std::uint8_t* at = nullptr;
  bool shared = true;
  if (target.kind == MemoryKind::Flat) {
    const MemoryRange* range = context.thread().bindings().memory.find(address, bytes);
    if (range == nullptr) {
      check_memory(context, target, kBounds,
                   fmt::format("{} bytes at address {:#x} belong to no buffer", bytes, address), lane);
      return nullptr;
    }
    at = range->data + (address - range->address);
    shared = range->shared;
  } else {
    if (address > target.size || bytes > target.size - address) {
      check_memory(context, target, kBounds,
                   fmt::format("{} bytes at offset {:#x} lie outside {} of {} bytes", bytes, address, name_of(target),
                               target.size),
                   lane);
      return nullptr;
    }
    at = target.data + address;
  }
  Thread& thread = context.thread();
  if (context.checking() && shared && !is_messages(context, target)) {
    if (context.instruction().atomic) kind = AccessKind::Atomic;
    watch_access(context, target, at, address, bytes, kind, lane, data != nullptr && std::memcmp(at, data, bytes) == 0);
  }
  if (Observer* observer = thread.memory_observer(); observer != nullptr)
    observer->memory(thread, context.instruction(),
                     {target.kind, kind != AccessKind::Read, kind == AccessKind::Atomic,
                      lane + context.instruction().mask_offset, target.index, address, bytes});
  return at;
}

}  // namespace

std::string_view name_of(const MemoryTarget& target) { return target.name.empty() ? "the surface" : target.name; }

void watch_access(ExecutionContext& context, const MemoryTarget& target, const std::uint8_t* at, std::uint64_t offset,
                  unsigned bytes, AccessKind kind, unsigned lane, bool same_value) {
  const ThreadStart& start = context.thread().setup();
  RaceDetector* races = context.thread().reports().races();
  if (races == nullptr || start.group == nullptr || target.kind == MemoryKind::Scratch) return;
  const bool shared = target.kind == MemoryKind::Shared;
  if (!shared) {
    if (target.index == kBtiScratch) return;  // a thread's arguments are its own
    if (kind == AccessKind::Read && is_helper(context.thread(), lane + context.instruction().mask_offset)) return;
    MemoryWatch* watch = watch_of(context.thread());
    if (watch != nullptr) watch->access(context, target, at, bytes, kind, lane);
    // Pixels and vertices: those of a driver only, which says which threads run at once.
    if (start.invocations == nullptr && watch == nullptr) return;
  }
  Access access = access_of(context, kind, lane, same_value);
  access.shared = shared;
  const auto conflict =
      shared ? start.group->touch(offset, bytes, access) : races->touch(at, bytes, access, start.group->order);
  if (races->says_full())
    context.thread().reports().add(
        {.severity = base::Severity::Note,
         .id = "run-race-unwatched",
         .message = fmt::format("the program accesses more memory than is watched ({} MiB of records are kept): races "
                                "beyond it are not found; fewer groups, or smaller buffers, are watched whole",
                                RaceDetector::kMaxBytes >> 20)});
  if (!conflict) return;
  // What changes nothing ends no run.
  const bool harmless = same_value && kind == AccessKind::Write && conflict->kind == AccessKind::Write;
  // Records of a stage: the invocations of a patch may write the same to it (TES-11); others use the place again.
  const bool of_stage = target.name == kVertexRecords || target.name == kVertexCounts;
  if (of_stage && (harmless || conflict->other.group != access.record.group)) return;
  if (harmless && context.thread().reports().mode() == CheckMode::Error) return;
  report_race(context, target, access, offset, lane, *conflict);
}

void before_atomic(ExecutionContext& context) {
  const ThreadStart& start = context.thread().setup();
  if (RaceDetector* races = context.thread().reports().races(); races != nullptr && start.group != nullptr)
    races->before_atomic(start.group->order);
}
void after_atomic(ExecutionContext& context) {
  const ThreadStart& start = context.thread().setup();
  if (const RaceDetector* races = context.thread().reports().races(); races != nullptr && start.group != nullptr)
    races->after_atomic(start.group->order);
}

void load(ExecutionContext& context, const MemoryTarget& target, std::uint64_t address, unsigned bytes, void* out,
          unsigned lane, unsigned alignment) {
  const bool ordered = context.instruction().atomic && target.kind != MemoryKind::Shared;
  const std::uint8_t* at = find(context, target, address, bytes, lane, alignment, AccessKind::Read, nullptr);
  if (at != nullptr)
    std::memcpy(out, at, bytes);
  else
    std::memset(out, 0, bytes);
  if (ordered) after_atomic(context);
}

void store(ExecutionContext& context, const MemoryTarget& target, std::uint64_t address, unsigned bytes,
           const void* data, unsigned lane, unsigned alignment) {
  if (context.instruction().atomic && target.kind != MemoryKind::Shared) before_atomic(context);
  std::uint8_t* at = find(context, target, address, bytes, lane, alignment, AccessKind::Write, data);
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

/// NUM-100: sums of BF are rounded to the nearest, ties to even.
std::uint64_t bf_sum(std::uint64_t a, std::uint64_t b) {
  return element_of(widen(a, isa::Type::BF) + widen(b, isa::Type::BF), isa::Type::BF, false, Rounding::NearestEven);
}

std::uint64_t new_value(AtomicOp op, std::uint64_t old, std::uint64_t src0, std::uint64_t src1, unsigned bytes) {
  const std::uint64_t mask = bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * bytes)) - 1;
  const isa::Type type = bytes == 2 ? isa::Type::W : bytes == 8 ? isa::Type::Q : isa::Type::D;
  src0 &= mask;
  src1 &= mask;
  const auto smaller = [type](std::uint64_t a, std::uint64_t b) { return wide_of(a, type) < wide_of(b, type); };
  const std::uint64_t sign = std::uint64_t{1} << (8 * bytes - 1);
  const auto bf = [](std::uint64_t bits) { return widen(bits, isa::Type::BF); };
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
    case AtomicOp::BfAdd:
      return bf_sum(old, src0);
    case AtomicOp::BfSub:
      return bf_sum(old, src0 ^ sign);
    case AtomicOp::BfMax:
      return std::isnan(bf(old)) || bf(src0) > bf(old) ? src0 : old;
    case AtomicOp::BfMin:
      return std::isnan(bf(old)) || bf(src0) < bf(old) ? src0 : old;
    case AtomicOp::BfCmpWr:
      return bf(src0) == bf(old) ? src1 : old;
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
  const bool ordered = target.kind != MemoryKind::Shared && !is_messages(context, target);
  if (ordered) before_atomic(context);
  std::uint8_t* at = find(context, target, address, bytes, lane, bytes, AccessKind::Atomic, nullptr);
  if (at == nullptr) return 0;
  const std::uint64_t result = atomic_at(at, op, bytes, src0, src1);
  if (ordered) after_atomic(context);
  return result;
}

}  // namespace heddle::machine
