// SPDX-License-Identifier: MIT
#pragma once
// Image instructions: what their files share.
// Rules: RET-5, SAM-3, SPV-23 to SPV-30, SPV-53.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spirv/compile/core/handler.hpp"

namespace heddle::spirv::compiler {

[[nodiscard]] std::span<const Op> image_ops();
[[nodiscard]] std::span<const Op> footprint_ops();  // footprint.cpp
[[nodiscard]] std::span<const Op> atomic_ops();     // image_atomic.cpp: atomics of texels, and of all other memory

namespace image {

/// The optional operands of an image instruction; 0: absent.
struct Operands {
  std::uint32_t bias = 0, lod = 0, dx = 0, dy = 0;
  std::uint32_t const_offset = 0, offset = 0, const_offsets = 0;
  std::uint32_t sample = 0, min_lod = 0;
};
/// Reads the mask at operand word `index` and what follows it; nothing after a refusal.
[[nodiscard]] std::optional<Operands> read_operands(ShaderContext& t, std::size_t index);

/// The image (and sampler) that an instruction works on.
struct Image {
  Handle handle;
  ImageInfo info;
  unsigned axes = 2;  ///< coordinates without the array index: 1D 1, 2D 2, 3D and cube 3

  [[nodiscard]] bool cube() const;
  [[nodiscard]] bool buffer() const;
  [[nodiscard]] bool subpass() const;
  [[nodiscard]] bool wide() const;  ///< one component of 64 bits: two channels of 32 in messages
  [[nodiscard]] unsigned coordinates() const { return axes + (info.arrayed ? 1u : 0u); }
};
/// The image value `id`; nothing after a refusal (types that the texture unit or this compiler does not have).
[[nodiscard]] std::optional<Image> image_of(ShaderContext& t, std::uint32_t id);

/// A surface (and a sampler), the target of a message, and the lanes that mean it.
struct GuardedImage {
  std::string surface, sampler;
  Guard guard;
};
/// One for each combination of elements that the indices may name. `guard`: lanes that take part at all.
[[nodiscard]] std::vector<GuardedImage> guarded_images(ShaderContext& t, const Handle& handle, bool with_sampler,
                                                       const Guard& guard = {});
/// `samples`: of the view of a multisampled storage image whose layers are its samples.
[[nodiscard]] std::vector<GuardedImage> guarded_images(ShaderContext& t, const Descriptor& image, const Guard& guard,
                                                       bool samples = false);
/// Coordinates of a sample in that view: the layer is layer * samples + sample.
void enter_samples(ShaderContext& t, const Descriptor& image, bool arrayed, std::vector<Part>& coordinates,
                   const Part& sample);

/// One element for each lane, in a variable of that type, at a register boundary: a raw operand. Values are converted
/// (numbers, not bits).
[[nodiscard]] Part parameter(ShaderContext& t, const Part& part, isa::Type type, std::string_view hint);
/// "name.64" under the part's own type.
[[nodiscard]] VisaOperand raw(ShaderContext& t, const Part& part, const LaneRange& range);
/// A parameter of zeros.
[[nodiscard]] Part zeros(ShaderContext& t, isa::Type type);

/// A message of the sampler: 3D_SAMPLE, 3D_SAMPLE4, 3D_LOAD.
struct SamplerMessage {
  std::string op;
  std::string channels = "RGBA";
  std::uint32_t offset = 0;  ///< aoffimmi (SAM-3)
  bool sampler = true;
  std::vector<Part> parameters;
  Guard guard;
};
/// Sends messages one after the other for each target, all into one result: `channels` groups of lanes of `type`; with
/// `residency` one group more, of 1 where no null page was read and 0 elsewhere (RET-5).
[[nodiscard]] std::vector<Part> send(ShaderContext& t, std::span<const GuardedImage> targets,
                                     std::span<const SamplerMessage> messages, unsigned channels, isa::Type type,
                                     bool residency);
[[nodiscard]] std::vector<Part> send(ShaderContext& t, std::span<const GuardedImage> targets,
                                     const SamplerMessage& message, unsigned channels, isa::Type type, bool residency);
/// A message that takes no predicate: lanes of a target are picked from its result.
[[nodiscard]] std::vector<Part> receive(
    ShaderContext& t, std::span<const GuardedImage> targets, unsigned max_lanes, unsigned channels, isa::Type type,
    const std::function<void(const GuardedImage&, const LaneRange&, const VisaOperand& dst)>& emit);

/// What the current instruction returns: a texel, or with the residency code a structure of both.
struct Result {
  bool sparse = false;
  std::vector<isa::Type> types;  ///< of the texel's components
};
[[nodiscard]] Result result_of(ShaderContext& t, bool sparse);
/// The current instruction's result from what was sent for; components are converted to the result's width.
void finish(ShaderContext& t, const Result& result, std::vector<Part> parts);

/// Channels that a message reads of a texel of 64 bits: its halves, and alpha where the shader has it, which is 1, or 0
/// where nothing is bound.
[[nodiscard]] unsigned wide_channels(std::size_t components);
/// The texel whose channels R and G are the halves of 64 bits, from that many channels (and the residency code); green
/// and blue are 0.
[[nodiscard]] std::vector<Part> wide_texel(ShaderContext& t, const std::vector<Part>& channels, isa::Type type,
                                           std::size_t components);

/// Lanes of a typed message: 8 before XeHP_SDV, then 16 (visa-typed-surface).
[[nodiscard]] unsigned typed_lanes(const ShaderContext& t);
/// gather4_typed of the first `channels` channels; `level` counts from the bound view's (Undefined: 0).
[[nodiscard]] std::vector<Part> typed_read(ShaderContext& t, std::span<const GuardedImage> targets,
                                           std::span<const Part> coordinates, unsigned channels, isa::Type type,
                                           const Part& level = {});
/// scatter4_typed of the channels given.
void typed_write(ShaderContext& t, std::span<const GuardedImage> targets, std::span<const Part> coordinates,
                 std::span<const Part> texel, isa::Type type, const Part& level = {});

/// A signed constant vector; nothing when it is not constant.
[[nodiscard]] std::optional<std::vector<std::int32_t>> constant_vector(ShaderContext& t, std::uint32_t id);
/// Offsets as aoffimmi, when all fit -8 to 7.
[[nodiscard]] std::optional<std::uint32_t> immediate_offset(std::span<const std::int32_t> offsets);

/// What a sample message samples at.
struct Sampling {
  std::vector<Part> direction;  ///< coordinates without the array index, f
  std::vector<Part> dx, dy;     ///< explicit gradients, or empty
  Part bias;                    ///< Undefined: none
  Part lod;                     ///< an explicit level of detail, as it is in the module; Undefined: none
  bool compare = false;
  Part reference;
  Part array_index;           ///< Undefined: none
  std::uint32_t offset = 0;   ///< texel offsets of all lanes (SAM-3)
  std::vector<Part> offsets;  ///< for each lane its own, d; empty: none
};
/// All parameters of one form of 3D_SAMPLE: reference, `lod` (bias or LOD, Undefined: none), coordinates with
/// gradients, array index.
[[nodiscard]] std::vector<Part> parameters_of(const Sampling& s, const Part& lod, bool gradients);
enum class SampleForm : std::uint8_t { Implicit, Bias, Lod, Gradients };
/// image_sample.cpp: a message of that form; `lod`: the bias or level of detail. SPV-53: with offsets of lanes.
[[nodiscard]] SamplerMessage message_of(ShaderContext& t, SampleForm form, const Sampling& s, const Part& lod);

/// image_min_lod.cpp: messages that sample at no less than the level of detail `min_lod`; see there.
[[nodiscard]] std::vector<SamplerMessage> with_min_lod(ShaderContext& t, const Image& image,
                                                       std::span<const GuardedImage> targets, const Sampling& sampling,
                                                       const Part& min_lod);
/// image_min_lod.cpp: the level of detail of explicit gradients, as the operand of a message of form Lod.
[[nodiscard]] Part lod_of_gradients(ShaderContext& t, const Image& image, std::span<const GuardedImage> targets,
                                    const Sampling& sampling);
/// image_min_lod.cpp: the level of detail before clamping, of implicit or explicit gradients, with the sampler's bias.
[[nodiscard]] Part level_of_detail(ShaderContext& t, std::span<const GuardedImage> targets, const Sampling& sampling);

/// image_planes.cpp: how the image is sampled, where it has planes or its colors are converted; null: as any other.
[[nodiscard]] const SampledPlanes* planes_of(ShaderContext& t, const Image& image);
/// What the shader sees of such an image, four floats (and the residency code of the first plane with `residency`).
/// `message`: a sample's for given coordinates.
[[nodiscard]] std::vector<Part> sample_planes(ShaderContext& t, const Image& image, const SampledPlanes& planes,
                                              std::span<const GuardedImage> targets, const Sampling& sampling,
                                              const std::function<SamplerMessage(const Sampling&)>& message,
                                              bool residency);

// Handlers.
void sampled_image(ShaderContext& t);
void image_only(ShaderContext& t);
void texels_resident(ShaderContext& t);
void sample(ShaderContext& t);
void gather(ShaderContext& t);
void fetch(ShaderContext& t);
void read(ShaderContext& t);
void write(ShaderContext& t);
void query(ShaderContext& t);
void query_lod(ShaderContext& t);
void texel_pointer(ShaderContext& t);

}  // namespace image
}  // namespace heddle::spirv::compiler
