// SPDX-License-Identifier: MIT
#pragma once
// State structures as tables of fields: JSON name and bit positions for each generation (HW-1
// to HW-21). Decoding and encoding follow the same row, so they can't disagree. HW-9: reserved bits are kept.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "image/format.hpp"

namespace heddle::image::hardware {

enum class StateKind : std::uint8_t {
  RenderSurfaceState,  ///< HW-10
  SamplerState,        ///< HW-11
  SamplerBorderColor,  ///< HW-12
  BlendStateHeader,    ///< HW-13
  BlendStateEntry,     ///< HW-13
  ColorCalcState,
  WmDepthStencil,  ///< HW-14; dword 0 is the command header
  CcViewport
};
inline constexpr unsigned kStateKinds = 8;

/// Bits of a little-endian dword array; count 0 = the generation lacks the field.
struct BitRange {
  std::uint16_t start = 0;
  std::uint8_t count = 0;
};

struct Field {
  std::string_view name;
  std::array<BitRange, 4> bits;  ///< Gen9, Gen11, Gen12, Gen12.5
  [[nodiscard]] BitRange at(Generation generation) const;
};

[[nodiscard]] std::string_view state_name(StateKind kind);  ///< "RENDER_SURFACE_STATE", "BLEND_STATE_ENTRY" ...
[[nodiscard]] std::optional<StateKind> find_state(std::string_view name);
[[nodiscard]] unsigned dword_count(StateKind kind);
[[nodiscard]] std::span<const Field> state_fields(StateKind kind);
[[nodiscard]] const Field* find_field(StateKind kind, std::string_view name);
/// "9", "11", "12", "12.5".
[[nodiscard]] std::optional<Generation> find_state_generation(std::string_view name);

[[nodiscard]] std::uint64_t read_bits(std::span<const std::uint32_t> words, BitRange range);
void write_bits(std::span<std::uint32_t> words, BitRange range, std::uint64_t value);

struct DecodedState {
  StateKind kind{};
  Generation generation{};
  std::vector<std::pair<std::string_view, std::uint64_t>> fields;  ///< in table order; those that the generation has
  std::vector<std::uint32_t> reserved;                             ///< the words without the fields' bits (HW-9)

  [[nodiscard]] std::uint64_t get(std::string_view name) const;  ///< 0 when absent
  void set(std::string_view name, std::uint64_t value);          ///< adds the field when it is not there
  [[nodiscard]] bool has_reserved_bits() const;  ///< besides those of HW-6 and HW-20 that are ignored on purpose
};

/// Ids: state-size.
[[nodiscard]] base::Result<DecodedState> decode_state(StateKind kind, Generation generation,
                                                      std::span<const std::uint32_t> words);
/// The inverse; fields that are missing are 0. Ids: state-field (unknown, or not of this generation), state-value (too
/// wide).
[[nodiscard]] base::Result<std::vector<std::uint32_t>> encode_state(const DecodedState& state);

}  // namespace heddle::image::hardware
