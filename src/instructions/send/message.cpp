// SPDX-License-Identifier: MIT
// Fields that all messages share, and their text.
#include "instructions/send/message.hpp"

#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "isa/program.hpp"
#include "machine/bindings.hpp"

namespace heddle::instructions::send {
namespace {

using isa::Platform;
using enum SharedFunction;

struct FunctionRow {
  unsigned number;
  SharedFunction function;
  Platform since, last;
  std::string_view name;
};
constexpr Platform kFirst = Platform::BDW, kEnd = Platform::XE3P;
/// The finalizer's numbers; 7, 8, Dh to Fh have other owners from DG2 on.
constexpr FunctionRow kFunctions[] = {
    {0x0, Null, kFirst, kEnd, "null function"},
    {0x1, LowBandwidthMemory, Platform::DG2, kEnd, "untyped global memory of low bandwidth (LSC)"},
    {0x2, Sampler, kFirst, kEnd, "sampler"},
    {0x3, Gateway, kFirst, kEnd, "message gateway"},
    {0x4, DataCache2, kFirst, kEnd, "data cache 2"},
    {0x5, RenderCache, kFirst, kEnd, "render cache"},
    {0x6, Urb, kFirst, kEnd, "URB"},
    {0x7, ThreadSpawner, kFirst, Platform::XeHP_SDV, "thread spawner"},
    {0x7, BindlessDispatch, Platform::DG2, kEnd, "bindless thread dispatcher"},
    {0x8, MotionEstimation, kFirst, Platform::XeHP_SDV, "video motion estimation"},
    {0x8, RayTracing, Platform::DG2, kEnd, "ray tracing"},
    {0x9, ConstantCache, kFirst, kEnd, "constant cache"},
    {0xa, DataCache0, kFirst, kEnd, "data cache 0"},
    {0xb, PixelInterpolator, kFirst, kEnd, "pixel interpolator"},
    {0xc, DataCache1, kFirst, kEnd, "data cache 1"},
    {0xd, CheckAndRefinement, kFirst, Platform::XeHP_SDV, "check and refinement engine"},
    {0xd, TypedMemory, Platform::DG2, kEnd, "typed global memory (LSC)"},
    {0xe, LocalMemory, Platform::DG2, kEnd, "shared local memory (LSC)"},
    {0xf, GlobalMemory, Platform::DG2, kEnd, "untyped global memory (LSC)"},
};

/// What the other shared functions' messages are called, by the low bits of the descriptor.
struct OtherRow {
  SharedFunction function;
  unsigned bits;
  unsigned code;
  std::string_view name;
};
constexpr OtherRow kOthers[] = {
    {Gateway, 3, 0, "end of thread"},
    {Gateway, 3, 1, "signal event"},
    {Gateway, 3, 2, "monitor event"},
    {Gateway, 3, 3, "unmonitor event"},
    {Gateway, 3, 4, "barrier"},
    {Gateway, 3, 6, "wait for event"},
    {Urb, 4, 0, "hword write"},
    {Urb, 4, 1, "oword write"},
    {Urb, 4, 2, "hword read"},
    {Urb, 4, 3, "oword read"},
    {Urb, 4, 4, "atomic move"},
    {Urb, 4, 5, "atomic increment"},
    {Urb, 4, 6, "atomic add"},
    {Urb, 4, 7, "SIMD8 write"},
    {Urb, 4, 8, "SIMD8 read"},
    {Urb, 4, 9, "fence"},
    {ThreadSpawner, 1, 0, "end of thread"},
    {ThreadSpawner, 1, 1, "spawn thread"},
};

std::string_view other_name(SharedFunction function, std::uint32_t descriptor) {
  for (const OtherRow& row : kOthers)
    if (row.function == function && bits(descriptor, 0, row.bits) == row.code) return row.name;
  return "message";
}

std::string other_reason(SharedFunction function) {
  switch (function) {
    case Gateway:
      return "the vISA barrier instructions do what the gateway is for";
    case Urb:
      return "no URB belongs to a vISA program's inputs here";
    case ThreadSpawner:
    case BindlessDispatch:
      return "threads are started by the dispatch alone; a thread ends with ret";
    case MotionEstimation:
    case CheckAndRefinement:
      return "its results are not publicly defined to the bit";
    case PixelInterpolator:
      return "attributes are interpolated by the dispatch";
    case RayTracing:
      return "its data structures are not public";
    case DataCache2:
      return "no public source defines its descriptors";
    default:
      return "there is no such shared function";
  }
}

std::string_view atomic_text(machine::AtomicOp op) {
  using enum machine::AtomicOp;
  constexpr std::pair<machine::AtomicOp, std::string_view> kNames[] = {{Add, "add"},
                                                                       {Sub, "subtract"},
                                                                       {Inc, "increment"},
                                                                       {Dec, "decrement"},
                                                                       {Min, "unsigned minimum"},
                                                                       {Max, "unsigned maximum"},
                                                                       {Xchg, "exchange"},
                                                                       {And, "and"},
                                                                       {CmpXchg, "compare and exchange"},
                                                                       {Or, "or"},
                                                                       {Xor, "xor"},
                                                                       {IMin, "signed minimum"},
                                                                       {IMax, "signed maximum"},
                                                                       {PreDec, "decrement before"},
                                                                       {FMax, "maximum"},
                                                                       {FMin, "minimum"},
                                                                       {FCmpWr, "compare and exchange"},
                                                                       {FAdd, "add"},
                                                                       {FSub, "subtract"},
                                                                       {RevSub, "reversed subtract"}};
  for (const auto& [code, name] : kNames)
    if (code == op) return name;
  return "";
}

std::string channels_text(unsigned mask) {
  std::string text;
  for (unsigned c = 0; c < 4; ++c)
    if ((mask >> c & 1u) != 0) text += "xyzw"[c];
  return text;
}

std::string surface_text(const Message& m) {
  switch (m.surface) {
    case machine::kBtiSlm:
      return "shared local memory";
    case machine::kBtiBindless:
      return fmt::format("bindless surface {:#x}", m.surface_handle);
    case 255:
    case 253:
      return "stateless";
    default:
      return fmt::format("surface {}", m.surface);
  }
}

void add_data_port(std::string& text, const Message& m) {
  const auto out = std::back_inserter(text);
  if (m.kind == MessageKind::Fence || m.kind == MessageKind::Refused) return;
  if (m.wide)
    text += ", 64-bit addresses";
  else if (m.scratch)
    fmt::format_to(out, ", scratch offset {:#x}", m.offset);
  else
    fmt::format_to(out, ", {}", surface_text(m));
  if (m.kind == MessageKind::Block)
    fmt::format_to(out, ", {} bytes{}", m.block_bytes, m.upper_half ? " (upper half)" : "");
  if (m.kind == MessageKind::MediaBlock && m.field) text += m.bottom ? ", bottom field" : ", top field";
  if (m.kind == MessageKind::Scattered) fmt::format_to(out, ", {} bits", 8 * m.element_bytes);
  if (m.kind == MessageKind::Typed || m.channels)
    fmt::format_to(out, ", channels {}", channels_text(m.components));
  else if (m.kind == MessageKind::Components)
    fmt::format_to(out, ", {} of {} bits", __builtin_popcount(m.components), 8 * m.element_bytes);
  if (m.kind == MessageKind::Atomic || m.kind == MessageKind::TypedAtomic)
    text += m.returns ? ", returns" : ", returns nothing";
  if (m.kind == MessageKind::Typed && m.upper_slots) text += ", slots 8-15";
}

void add_lsc(std::string& text, const Message& m) {
  const auto out = std::back_inserter(text);
  if (m.kind == MessageKind::Fence) return;
  fmt::format_to(out, ", {} bits", 8 * m.element_bytes);
  if (m.register_bytes != m.element_bytes) text += m.upper_half ? " in upper halves of dwords" : " in dwords";
  if (m.channels) fmt::format_to(out, ", channels {}", channels_text(m.components));
  if (m.count > 1) fmt::format_to(out, ", {} for each address", m.count);
  if (m.transposed) text += ", transposed";
  if (m.kind != MessageKind::Block2d) fmt::format_to(out, ", {}-bit addresses", 8 * m.address_bytes);
  switch (m.space) {
    case AddressSpace::Flat:
      break;
    case AddressSpace::Indexed:
      fmt::format_to(out, ", surface {}", m.surface);
      break;
    case AddressSpace::Bindless:
    case AddressSpace::State:
      fmt::format_to(out, ", {} surface {:#x}", m.space == AddressSpace::State ? "scratch" : "bindless",
                     m.surface_handle);
      break;
  }
  if (m.offset != 0) fmt::format_to(out, ", offset {}", static_cast<std::int32_t>(m.offset));
}

}  // namespace

std::string_view function_name(SharedFunction function) {
  for (const FunctionRow& row : kFunctions)
    if (row.function == function) return row.name;
  return kFunctions[0].name;
}

bool is_lsc(SharedFunction f) {
  return f == TypedMemory || f == LocalMemory || f == GlobalMemory || f == LowBandwidthMemory;
}

SharedFunction shared_function(unsigned number, Platform platform) {
  for (const FunctionRow& row : kFunctions)
    if (row.number == number && platform >= row.since && platform <= row.last) return row.function;
  return Null;
}

void refuse(Message& m, std::string_view name, std::string reason) {
  m.kind = MessageKind::Refused;
  m.name = name;
  m.refusal = std::move(reason);
}

Message decode_message(SharedFunction function, std::uint32_t extended, std::uint32_t descriptor,
                       const SendLengths& sending, Platform platform) {
  Message m;
  m.function = function;
  const bool stated = platform < Platform::XE3;
  m.length = stated ? bits(descriptor, 25, 4) : sending.nsrc0;
  m.response = stated ? bits(descriptor, 20, 5) : sending.ndst;
  m.extended_length = platform >= Platform::DG2 ? sending.nsrc1 : bits(extended, 6, 5);
  m.header = bits(descriptor, 19, 1) != 0;
  m.end_of_thread = platform <= Platform::ICLLP && bits(extended, 5, 1) != 0;
  m.surface = bits(descriptor, 0, 8);
  if (m.surface == machine::kBtiBindless)
    m.surface_handle = platform >= Platform::DG2 ? extended & ~0x3fu : extended & ~0xfffu;
  switch (function) {
    case Sampler:
      decode_sampler(m, extended, descriptor, platform);
      break;
    case RenderCache:
      decode_render_cache(m, extended, descriptor, platform);
      break;
    case ConstantCache:
    case DataCache0:
    case DataCache1:
      decode_data_port(m, extended, descriptor, platform);
      break;
    case TypedMemory:
    case LocalMemory:
    case GlobalMemory:
    case LowBandwidthMemory:
      m.simd = sending.lanes;
      decode_lsc(m, extended, descriptor, platform);
      break;
    default:
      refuse(m, other_name(function, descriptor), other_reason(function));
  }
  return m;
}

std::string describe(const Message& m) {
  std::string text = fmt::format("{} {}", function_name(m.function), m.name);
  const auto out = std::back_inserter(text);
  if ((m.kind == MessageKind::Atomic || m.kind == MessageKind::TypedAtomic) && !is_lsc(m.function))
    fmt::format_to(out, " {}", atomic_text(m.atomic));
  if (m.kind == MessageKind::Refused) {
    fmt::format_to(out, " (not executed: {})", m.refusal);
  } else if (m.function == Sampler) {
    fmt::format_to(out, " SIMD{}", m.simd);
    if (m.half_parameters) text += ", half parameters";
    if (m.half_result) text += ", half result";
    if (m.kind != MessageKind::SamplerFlush) fmt::format_to(out, ", {}, sampler {}", surface_text(m), m.sampler);
  } else if (m.function == RenderCache) {
    if (m.half_data) text += ", half data";
    if (m.upper_slots) text += ", slots 16-31";
    if (m.per_sample) text += ", per sample";
    if (m.coarse) text += ", coarse pixels";
    if (m.last) text += ", last target";
    text += m.null_target ? ", no target" : fmt::format(", {}", surface_text(m));
  } else if (is_lsc(m.function)) {
    add_lsc(text, m);
  } else {
    if (m.simd != 0) fmt::format_to(out, " SIMD{}", m.simd);
    add_data_port(text, m);
  }
  if (m.header) text += ", header";
  fmt::format_to(out, ", {}", m.length);
  if (m.extended_length != 0) fmt::format_to(out, "+{}", m.extended_length);
  fmt::format_to(out, " register{} sent, {} returned", m.length + m.extended_length == 1 ? "" : "s", m.response);
  if (m.end_of_thread) text += ", end of thread";
  return text;
}

std::string describe_instruction(const isa::Object& object, const isa::Instruction& i, Platform platform) {
  const isa::InstructionDescription& description = *i.description;
  if (description.slot("exdesc") == nullptr) return {};  // no raw message, or one with 64-bit descriptors
  const auto value = [&](std::string_view slot) -> std::optional<std::uint32_t> {
    const int at = description.slot_index(slot);
    if (at < 0 || at >= i.operand_count) return std::nullopt;
    const isa::Operand& o = object.operands[i.first_operand + static_cast<std::uint32_t>(at)];
    if (o.kind != isa::OperandKind::Integer && o.kind != isa::OperandKind::Immediate) return std::nullopt;
    return static_cast<std::uint32_t>(o.value);
  };
  const auto extended = value("exdesc"), descriptor = value("desc");
  if (!descriptor) return {};
  const std::uint32_t ffid = value("ffid").value_or(0), nsrc1 = value("nsrc1").value_or(0);
  const SendLengths sending{value("nsrc0").value_or(0), nsrc1, value("ndst").value_or(0), i.exec.size()};
  if (ffid == 0 && !extended) return {};
  const SharedFunction function = shared_function(function_number(ffid, extended.value_or(0)), platform);
  return describe(decode_message(function, extended.value_or(nsrc1 << 6), *descriptor, sending, platform));
}

}  // namespace heddle::instructions::send
