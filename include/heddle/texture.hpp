#pragma once
// The texture unit at single points and over many: gather, sample, load and queries, with the results that the GPU's
// sampler messages give. Coordinates are normalized (0 to 1 across level 0) unless the sampler is `unnormalized`.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
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

/// What every operation takes beside its operands. All of it may be left out.
struct OperationOptions {
  std::array<int, 3> offset{};              ///< texels, -8 to 7
  std::optional<float> reference;           ///< compare with it by the sampler's `compare`; results are 0 to 1
  std::vector<TexelRead>* reads = nullptr;  ///< gets the texels that were read, in order
  Diagnostics* warnings = nullptr;          ///< gets what the rules only warn of
};

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

/// The filtered colour. Ids: as gather.
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
Result<ImageSize> query_size(const Image& image, std::uint32_t lod = 0);

/// The level of detail for these derivatives. Ids: as gather.
struct LevelOfDetail {
  float clamped = 0;    ///< that `sample` uses
  float unclamped = 0;  ///< before it is clamped to the image's levels and the sampler's range
};
Result<LevelOfDetail> query_lod(const Image& image, const Sampler& sampler, const Gradients& gradients);

}  // namespace heddle
