// SPDX-License-Identifier: MIT
#pragma once
// What the descriptors of a raw message say: shared function, operation, lengths. Sources: the public message decoders
// of Intel's assembler IGA, what the finalizer puts into descriptors, PRM volumes "sampler" and "data port".

#include <cstdint>
#include <string>
#include <string_view>

#include "isa/platform.hpp"
#include "machine/memory.hpp"
#include "texture/operations.hpp"

namespace heddle::instructions::send {

enum class SharedFunction : std::uint8_t {
  Null,
  LowBandwidthMemory,  ///< UGML
  Sampler,
  Gateway,
  DataCache2,
  RenderCache,
  Urb,
  ThreadSpawner,
  BindlessDispatch,
  MotionEstimation,
  RayTracing,
  ConstantCache,
  DataCache0,
  PixelInterpolator,
  DataCache1,
  CheckAndRefinement,
  TypedMemory,   ///< TGM
  LocalMemory,   ///< SLM
  GlobalMemory,  ///< UGM
};
/// "sampler", "data cache 1", "video motion estimation" ...
[[nodiscard]] std::string_view function_name(SharedFunction function);
/// The number that raw_send's extended descriptor or raw_sends' own field holds.
[[nodiscard]] SharedFunction shared_function(unsigned number, isa::Platform platform);
/// That number: raw_sends' own field, or where it is 0 (raw_send has none, the finalizer's text may leave it out) the
/// low bits of the extended descriptor.
[[nodiscard]] inline unsigned function_number(std::uint64_t ffid, std::uint32_t extended) {
  return static_cast<unsigned>(ffid != 0 ? ffid : extended & 15u);
}

enum class MessageKind : std::uint8_t {
  Refused,      ///< Message::refusal says why
  Sample,       ///< 3D sampler operations: sample, load, gather4, info
  SampleUnorm,  ///< SIMD32 media
  SamplerFlush,
  RenderWrite,
  RenderRead,
  Block,       ///< contiguous bytes at an address of the header
  MediaBlock,  ///< a rectangle
  Scattered,   ///< `element_bytes` in a dword for each lane
  Components,  ///< the components of a mask for each lane
  Typed,       ///< texels
  Atomic,
  TypedAtomic,
  Fence,
  // LSC
  Vectors,
  Strided,
  Block2d,
  Status,
};

/// LSC's address models.
enum class AddressSpace : std::uint8_t { Flat, Bindless, State, Indexed };

/// The ways of RT write (RTW-2 and the rest of the PRM's table).
enum class RenderLayout : std::uint8_t { Simd16, Replicated16, DualLow, DualHigh, Simd8 };

struct Message {
  SharedFunction function = SharedFunction::Null;
  MessageKind kind = MessageKind::Refused;
  std::string_view name;  ///< "gather4", "untyped surface read", "SIMD8 write"; of refused messages too
  std::string refusal;    ///< why it is not executed; empty when it is

  unsigned length = 0, extended_length = 0, response = 0;  ///< registers
  bool header = false;
  bool end_of_thread = false;  ///< extended descriptor bit 5 (up to Gen11)
  unsigned simd = 0;           ///< 0: not by lanes

  std::uint32_t surface = 0;         ///< binding-table index
  std::uint32_t surface_handle = 0;  ///< with index 252: the extended descriptor's surface-state offset
  std::uint32_t sampler = 0;

  // sampler
  const texture::Operation* operation = nullptr;
  bool half_parameters = false, half_result = false, cps_compensation = false;

  // data ports
  bool write = false;
  bool wide = false;  ///< 64-bit address space
  unsigned address_bytes = 4;
  bool upper_slots = false;    ///< lanes 8-15 (typed) or 16-31 (render target)
  unsigned element_bytes = 4;  ///< of a component, of an atomic, of a scattered element
  unsigned components = 1;     ///< mask
  bool channels = false;       ///< Components: a mask of channels, not a count of elements
  unsigned address_unit = 1;   ///< bytes that an offset counts
  unsigned block_bytes = 0;    ///< Block
  bool upper_half = false;     ///< a single oword in the upper half of its register
  bool scratch = false;        ///< block of scratch memory at `offset` bytes
  std::uint32_t offset = 0;
  bool field = false, bottom = false;  ///< media blocks: every other row
  machine::AtomicOp atomic{};
  bool returns = false;

  // LSC: `element_bytes` in memory, these in the register (`upper_half`: in its upper half)
  AddressSpace space{};
  unsigned register_bytes = 4, count = 1;
  bool transposed = false, vnni = false;

  // render target
  RenderLayout layout = RenderLayout::Simd16;
  bool half_data = false, last = false, per_sample = false, coarse = false, null_target = false;
  bool source0_alpha = false;  ///< by the extended descriptor, for messages without header
  std::uint32_t target_index = 0;

  /// Registers of one parameter of `bytes` bytes for each lane.
  [[nodiscard]] unsigned registers(unsigned bytes, unsigned grf_bytes) const {
    return (simd * bytes + grf_bytes - 1) / grf_bytes;
  }
};

/// What the instruction says beside its descriptors: lengths in registers (from DG2 on that of the second payload is
/// nowhere else, from XE3 on all of them) and its execution size, which is LSC's width.
struct SendLengths {
  unsigned nsrc0 = 0, nsrc1 = 0, ndst = 0, lanes = 1;
};
[[nodiscard]] Message decode_message(SharedFunction function, std::uint32_t extended, std::uint32_t descriptor,
                                     const SendLengths& sending, isa::Platform platform);
[[nodiscard]] bool is_lsc(SharedFunction function);

/// One line for people: "sampler gather4 SIMD16, surface 6, sampler 0, header, 5 registers sent, 8 returned".
[[nodiscard]] std::string describe(const Message& message);

/// The message of an instruction whose descriptors are immediate, as `describe` says it; empty for other instructions.
[[nodiscard]] std::string describe_instruction(const isa::Object& object, const isa::Instruction& instruction,
                                               isa::Platform platform);

// The parts of decode_message: what is common to all is filled in already.
inline std::uint32_t bits(std::uint32_t word, unsigned low, unsigned count) {
  return word >> low & (count >= 32 ? 0xffffffffu : (1u << count) - 1u);
}
void refuse(Message& message, std::string_view name, std::string reason);
void decode_sampler(Message& message, std::uint32_t extended, std::uint32_t descriptor, isa::Platform platform);
void decode_render_cache(Message& message, std::uint32_t extended, std::uint32_t descriptor, isa::Platform platform);
void decode_lsc(Message& message, std::uint32_t extended, std::uint32_t descriptor, isa::Platform platform);
void decode_data_port(Message& message, std::uint32_t extended, std::uint32_t descriptor, isa::Platform platform);

}  // namespace heddle::instructions::send
