// SPDX-License-Identifier: MIT
#pragma once
// The texture unit at single points and over many: gather, sample, load and queries, with the results that the GPU's
// sampler messages give. Coordinates are normalized (0 to 1 across level 0) unless the sampler is `unnormalized`.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/image.hpp"
#include "heddle/sampler.hpp"

namespace heddle {

/// u, v, r (3D), or the direction x, y, z of a cube; `index`: array layer, or cube of a cube array.
struct Point {
  float u = 0, v = 0, r = 0;
  float index = 0;
};

/// Derivatives of u, v, r with respect to the screen's x and y.
struct Gradients {
  std::array<float, 3> dx{}, dy{};
};

/// One texel that an operation read.
struct TexelRead {
  TexelPlace place;
  bool weighted = true;  ///< false: it belongs to the footprint with weight 0
};

/// Where sources describe two behaviors: what compilers and drivers make of the hardware, or what its document says.
enum class Behavior : std::uint8_t { Hardware, Document };

/// What every operation takes beside its operands. All of it may be left out.
struct OperationOptions {
  std::array<int, 3> offset{};              ///< texels, -8 to 7
  std::optional<float> reference;           ///< compare with it by the sampler's `compare`; results are 0 to 1
  std::vector<TexelRead>* reads = nullptr;  ///< gets the texels that were read, in order
  Diagnostics* warnings = nullptr;          ///< gets what the rules only warn of, and bind-compare
  std::optional<Behavior> behavior;         ///< default: Hardware; of sample_unorm's output formats Document (UNO-12)
  std::string platform;                     ///< of operation_platforms(): its rules are checked; empty: none
};

/// "skl", "icllp", "tgllp", "dg2", "pvc", "xe2".
[[nodiscard]] std::vector<std::string_view> operation_platforms();

struct SampleOptions : OperationOptions {
  float lod = 0;                       ///< level of detail; counts where there are no gradients
  std::optional<Gradients> gradients;  ///< the level of detail, and the shape of anisotropic filters, from these
};

struct GatherOptions : OperationOptions {
  unsigned channel = 0;      ///< 0 R, 1 G, 2 B, 3 A of the texels
  std::optional<float> lod;  ///< without one the first level is gathered
};

/// Four texels of one channel, those that a bilinear filter reads at the point: with (i0, j0) the upper left one,
/// [0] (i0, j1), [1] (i1, j1), [2] (i1, j0), [3] (i0, j0). Ids: usage-argument, and the rules' ("RET-9", "GA-2").
Result<Color> gather(const Image& image, const Sampler& sampler, const Point& at, const GatherOptions& options = {});

/// The filtered color. Ids: as gather.
Result<Color> sample(const Image& image, const Sampler& sampler, const Point& at, const SampleOptions& options = {});

/// `sample` at each of many points, all with level of detail `lod`, over vectors: the same bits, faster. `colors` has
/// as many elements as `points`. Ids: as gather.
Result<Done> sample(const Image& image, const Sampler& sampler, std::span<const Point> points, std::span<Color> colors,
                    float lod = 0);

/// One texel by its place, without a filter: zeros outside the image, as the hardware reads them. `slice`: layer, or z.
/// Images of one sample. Ids: as gather.
Result<Color> load(const Image& image, const TexelPlace& at, const OperationOptions& options = {});

/// What the image says of a level (message resinfo). `lod`: 0 is the view's first level.
struct ImageSize {
  std::uint32_t width = 0, height = 0;  ///< texels of the level; 0 where there is no such level
  std::uint32_t depth = 0;              ///< 3D
  std::uint32_t layers = 0;             ///< arrays: layers, or cubes
  std::uint32_t levels = 0;             ///< of the view
};
Result<ImageSize> query_size(const Image& image, std::uint32_t lod = 0, const OperationOptions& options = {});

/// What the image says of its samples (message sampleinfo).
struct SampleInfo {
  std::uint32_t samples = 0;  ///< of a pixel
  std::uint32_t palette = 0;  ///< index of their positions
};
Result<SampleInfo> query_samples(const Image& image, const OperationOptions& options = {});

/// The level of detail for these derivatives. Ids: as gather.
struct LevelOfDetail {
  float clamped = 0;    ///< that `sample` uses
  float unclamped = 0;  ///< before it is clamped to the image's levels and the sampler's range
};
Result<LevelOfDetail> query_lod(const Image& image, const Sampler& sampler, const Gradients& gradients);

/// Form in which sample_unorm returns its pixels (UNO-12).
enum class UnormFormat : std::uint8_t { Full16, Downsampled16, Full8, Downsampled8 };
/// "16-full", "16-downsampled", "8-full", "8-downsampled".
[[nodiscard]] std::optional<UnormFormat> find_unorm_format(std::string_view name);
[[nodiscard]] std::string_view to_string(UnormFormat format);

struct UnormRequest {
  float u = 0, v = 0;                                    ///< of pixel (0, 0)
  float du = 0, dv = 0;                                  ///< step to the next pixel on each axis
  std::array<bool, 4> channels{true, true, true, true};  ///< R, G, B, A; at least one (UNO-8)
  UnormFormat format = UnormFormat::Full16;
};

/// Pixel (x, y) has index 8 y + x.
struct UnormBlock {
  static constexpr unsigned kWidth = 8, kHeight = 4;
  std::array<std::array<std::uint16_t, kWidth * kHeight>, 4> channels{};  ///< R, G, B, A; 0xFF00 is 1.0
  UnormFormat format = UnormFormat::Full16;                               ///< that counts: the document ignores others
  std::vector<std::uint8_t> bytes;                                        ///< what the message writes
};

/// Filtered samples of a block of 8 x 4 pixels in fixed point (message sample_unorm). `offset` and `reference` of the
/// options do not count. Ids: usage-argument, and the rules' ("UNO-9").
Result<UnormBlock> sample_unorm(const Image& image, const Sampler& sampler, const UnormRequest& request,
                                const OperationOptions& options = {});

enum class OperationKind : std::uint8_t { Sample, Load, Gather, Info };

/// One operation of the texture unit.
struct OperationInfo {
  std::string_view name;  ///< "sample_d_c", "gather4_po" ...
  OperationKind family = OperationKind::Sample;
  std::vector<std::string_view>
      parameters;       ///< "u", "v", "r", "ai", "dudx" ...: in the order of the message's operands
  bool packed = false;  ///< one of them holds several values in its bits
};
/// All of them.
[[nodiscard]] std::vector<OperationInfo> operations();
[[nodiscard]] std::optional<OperationInfo> find_operation(std::string_view name);

/// Any operation, over the lanes of one instruction.
struct LaneOperation {
  std::string name;                   ///< of operations()
  unsigned lanes = 8;                 ///< 8, 16 or 32
  std::uint32_t active = 0xFFFFFFFF;  ///< bit k: lane k takes part. All lanes of a quad give its derivatives
  /// Words by the parameter's name: binary32 bits, or the integers of loads; one word for all lanes, or one for each.
  /// What is missing is 0 (EXE-6). CRD-5 says which parameter an array's index is.
  std::vector<std::pair<std::string_view, std::vector<std::uint32_t>>> parameters;
  unsigned channel = 0;  ///< gathers: 0 R, 1 G, 2 B, 3 A of the texels
};

struct LaneResults {
  NumberClass number_class = NumberClass::Float;
  std::array<std::array<std::uint32_t, 32>, 4> channels{};  ///< R, G, B, A by lane; 0 for lanes that take no part
};

/// Ids: as gather.
Result<LaneResults> execute(const Image& image, const Sampler& sampler, const LaneOperation& operation,
                            const OperationOptions& options = {});

}  // namespace heddle
