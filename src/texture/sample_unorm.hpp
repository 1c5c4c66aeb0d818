// SPDX-License-Identifier: MIT
#pragma once
// SAMPLE_UNORM (41h): an 8 x 4 block of pixels as 16-bit fixed point, FF00h = 1.0 (docs/rules/sample-unorm.md,
// UNO-1 to UNO-13).

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "image/sampler.hpp"
#include "image/surface.hpp"
#include "texture/context.hpp"

namespace heddle::texture {

/// Channel_mask bits 5:4.
enum class UnormOutput : std::uint8_t { Full16 = 0, Downsampled16 = 1, Full8 = 2, Downsampled8 = 3 };
/// "16-full", "16-downsampled", "8-full", "8-downsampled".
[[nodiscard]] std::optional<UnormOutput> find_unorm_output(std::string_view name);
[[nodiscard]] std::string_view unorm_output_name(UnormOutput output);

enum class UnormOrder : std::uint8_t { RowMajor, Sandybridge };  ///< UNO-7

inline constexpr unsigned kUnormWidth = 8, kUnormHeight = 4, kUnormPixels = 32;

struct UnormRequest {
  const image::Surface* surface = nullptr;
  const image::Sampler* sampler = nullptr;
  float u = 0, v = 0, du = 0, dv = 0;
  std::uint8_t channels = 15;  ///< Channel_mask bits 3:0
  UnormOutput output = UnormOutput::Full16;
  UnormOrder order = UnormOrder::RowMajor;
};

struct UnormResult {
  /// R, G, B, A at pixel 8y + x.
  std::array<std::array<std::uint16_t, kUnormPixels>, 4> channels{};
};

/// UNO-1..6, UNO-9, UNO-10. Restrictions that are only checked become warnings with id UNO-9 or UNO-11.
[[nodiscard]] UnormResult sample_unorm(const UnormRequest& request, OperationContext& context);

/// The output format that counts: UNO-13 ignores the field.
[[nodiscard]] UnormOutput effective_output(UnormOutput output, Behavior behavior);
/// Bytes of the destination (UNO-8, UNO-12 [C12]); `output` is the effective one.
[[nodiscard]] std::uint32_t unorm_bytes(std::uint8_t channels, UnormOutput output);
/// Writes the destination; bytes that are not part of it keep their value.
void write_unorm(std::span<std::uint8_t> bytes, const UnormResult& result, std::uint8_t channels, UnormOutput output,
                 UnormOrder order);

}  // namespace heddle::texture
