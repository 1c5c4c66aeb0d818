// SPDX-License-Identifier: MIT
#pragma once
// Decoded state fields <-> image::Surface, image::Sampler, image::OutputState (hardware-state.md, HW-1 to HW-8, HW-20,
// HW-21).

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/result.hpp"
#include "image/hardware/fields.hpp"
#include "image/output_state.hpp"
#include "image/sampler.hpp"
#include "image/surface.hpp"
#include "image/tiling.hpp"

namespace heddle::image::hardware {

/// Who will use the surface: MIP Count means "levels - 1" to a sampler, "the level" to a render target.
enum class SurfaceUse : std::uint8_t { Sampled, Target };

struct DecodedSurface {
  Surface surface;  ///< laid out by `lay_out_levels`; no memory; `layers` and `levels` cover what the state reaches
  LayoutState layout_state;
  std::uint64_t base_address = 0;
  std::uint64_t clear_color_address = 0;   ///< Gen12 and later
  bool has_mcs = false;                    ///< HW-8: multisampled with mode 1, 4 or 5; the caller supplies Surface::mcs
  std::vector<base::Diagnostic> warnings;  ///< HW-9 reserved bits, HW-2 Depth without an array ...
};
/// Ids: those of the rules (HW-3, HW-5, HW-8, HW-42, SUR-8 ...), surface-*.
[[nodiscard]] base::Result<DecodedSurface> to_surface(const DecodedState& state, SurfaceUse use = SurfaceUse::Sampled);
/// `layout_state` as given to `lay_out_levels`; the surface's own pitch and qpitch are written. Ids: surface-tile,
/// surface-align, surface-value.
[[nodiscard]] base::Result<DecodedState> from_surface(const Surface& surface, Generation generation,
                                                      const LayoutState& layout_state, std::uint64_t base_address = 0,
                                                      SurfaceUse use = SurfaceUse::Sampled);
/// Alignments that the generation can express, for `lay_out_levels` and `from_surface`.
[[nodiscard]] LayoutState default_layout_state(const Surface& surface, Generation generation);

/// HW-1: the split entry count and back. Values are fields, i.e. entries - 1.
struct BufferSize {
  std::uint32_t width = 0, height = 0, depth = 0;
};
[[nodiscard]] BufferSize split_entries(std::uint64_t entries);
[[nodiscard]] std::uint64_t join_entries(BufferSize fields);

struct DecodedSampler {
  Sampler sampler;
  std::uint32_t border_pointer = 0;        ///< bytes from Dynamic State Base
  std::vector<base::Diagnostic> warnings;  ///< HW-9
};
/// `border`: SAMPLER_BORDER_COLOR_STATE, may be empty (transparent black). Ids: SUR-8, ADR-7, state-value.
[[nodiscard]] base::Result<DecodedSampler> to_sampler(const DecodedState& state,
                                                      std::span<const std::uint32_t> border = {});
[[nodiscard]] base::Result<DecodedState> from_sampler(const Sampler& sampler, Generation generation,
                                                      std::uint32_t border_pointer = 0);
/// HW-12: the four words of SAMPLER_BORDER_COLOR_STATE.
[[nodiscard]] std::array<std::uint32_t, 4> border_words(const Sampler& sampler);
/// HW-21: what the documents allow together with non-normalized coordinates. Warnings; empty when all is well.
[[nodiscard]] std::vector<base::Diagnostic> check_non_normalized(const Sampler& sampler, const Surface& surface);

/// BLEND_STATE: the header dword and one entry of two dwords for each target. Ids: state-size, state-value.
[[nodiscard]] base::Result<base::Done> apply_blend_state(OutputState& output, std::span<const std::uint32_t> words);
[[nodiscard]] base::Result<base::Done> apply_color_calc_state(OutputState& output,
                                                              std::span<const std::uint32_t> words);
[[nodiscard]] base::Result<base::Done> apply_wm_depth_stencil(OutputState& output,
                                                              std::span<const std::uint32_t> words);
/// One CC_VIEWPORT of two dwords for each viewport.
[[nodiscard]] base::Result<base::Done> apply_cc_viewports(OutputState& output, std::span<const std::uint32_t> words);
[[nodiscard]] std::vector<std::uint32_t> blend_state_words(const OutputState& output, unsigned targets);
[[nodiscard]] std::vector<std::uint32_t> color_calc_state_words(const OutputState& output);
[[nodiscard]] std::vector<std::uint32_t> wm_depth_stencil_words(const OutputState& output, std::uint32_t header = 0);

/// 3DSTATE_DEPTH_BUFFER's Surface Format; nullopt for reserved codes.
[[nodiscard]] std::optional<Format> depth_format(std::uint32_t code);
/// 3DSTATE_PS_EXTRA, dword 1.
struct PixelShaderExtra {
  bool alpha_to_coverage_disabled = false, per_sample = false, computes_stencil = false, per_coarse_pixel = false,
       omask = false, no_target_write = false;
};
[[nodiscard]] PixelShaderExtra decode_ps_extra(std::uint32_t dword1, Generation generation);

}  // namespace heddle::image::hardware
