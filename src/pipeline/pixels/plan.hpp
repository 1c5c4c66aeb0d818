// SPDX-License-Identifier: MIT
#pragma once
// What a draw does, worked out before it begins: the registers of pixel threads, where their inputs come from, and what
// is drawn (PIX-10 to PIX-22).

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/jit/runtime/runtime.hpp"
#include "machine/pixels.hpp"
#include "pipeline/bound.hpp"
#include "pipeline/raster/raster.hpp"
#include "pipeline/raster/shading_rate.hpp"
#include "pipeline/run_context.hpp"
#include "pipeline/shader_values.hpp"

namespace heddle::pipeline {

inline constexpr std::uint32_t kRegisterBytes = 32;  ///< of pixel payloads

class DepthTiles;

/// Which pixel and sample a slot of a thread stands for.
struct Slot {
  std::uint32_t subspan = 0;  ///< among the thread's
  std::uint32_t pixel = 0;    ///< 0 upper left ... 3 lower right
  std::uint32_t sample = 0;   ///< with per_sample
};

/// Subspans of one primitive: up to 4 for a SIMD8 or SIMD16 thread and for each half of SIMD32, the first half full
/// before the second has any.
struct PixelThread {
  std::uint32_t primitive = 0;
  std::uint32_t sspi = 0;                                  ///< starting sample pair index
  std::uint32_t count = 0;                                 ///< of subspans
  bool whole = false;                                      ///< as many as fit, and each covered everywhere
  FragmentSize size;                                       ///< of a pixel's place in a subspan (FSR-4)
  std::array<std::uint32_t, 8> subspans{};                 ///< x | y << 16 of each one's upper left pixel
  std::array<std::array<std::uint16_t, 4>, 8> coverage{};  ///< as in Subspan; not set where `whole`
  bool listed = false;                                     ///< `pixels` is set: pixels have one sample
  std::uint32_t pixels = 0;                                ///< a bit for each covered one, four for each subspan
};

/// Where one input variable takes its lanes' values from (PIX-19, PIX-20).
struct LaneInput {
  enum class Source : std::uint8_t {
    Attribute,
    Corners,
    Flat,
    PositionX,
    PositionY,
    PositionZ,
    PositionW,
    Front,
    Primitive,
    Sample,
    Coverage,
    Zero,
    SampleX,
    SampleY,
    SampleTable0,  ///< positions of samples 0-3, a byte for each: x | y << 4
    SampleTable1,
    SampleTable2,
    SampleTable3,
    Layer,
    Viewport,
    View,
    PointX,  ///< place in a point, 0 to 1 (RAS-1); 0 in other primitives
    PointY,
    ShadingRate  ///< the code of the fragment's size (FSR-1)
  };
  Source source = Source::Attribute;
  Interpolation interpolation;              ///< compiled shaders: mode and point
  ComponentType type = ComponentType::F32;  ///< of an attribute's component
  bool at_sample = false;                   ///< position: with per_sample that of the sample, not of the center
  std::uint32_t offset = 0;                 ///< of the variable in the register file
  bool half = false;                        ///< HF lanes in place of F
  std::vector<std::uint32_t> components;    ///< Attribute: indices among those of the mesh (PrimitiveList)
  std::vector<std::array<double, 3>>
      corners;                      ///< Corners: values at the full-screen triangle's vertices, for each component
  std::vector<std::uint8_t> bytes;  ///< Flat: one lane of each component, one after the other
  std::uint32_t element_bytes = 4, count = 1;  ///< bytes of a lane; components
};
/// Where lanes get a value of the dispatch (PIX-20); those that fragments don't have are 0.
[[nodiscard]] LaneInput::Source source_of(SystemValue value);
[[nodiscard]] constexpr bool is_sample_table(LaneInput::Source source) {
  return source >= LaneInput::Source::SampleTable0 && source <= LaneInput::Source::SampleTable3;
}

/// Words of the hardware's payload, in the order of their registers (PIX-16).
enum class PayloadWord : std::uint8_t {
  PerspectivePixel,
  PerspectiveCentroid,
  PerspectiveSample,
  LinearPixel,
  LinearCentroid,
  LinearSample,
  Depth,
  W,
  SamplePosition,
  Coverage
};
inline constexpr std::uint32_t kPayloadWords = 10;
/// A pair of barycentrics for each lane.
[[nodiscard]] constexpr bool is_barycentric(PayloadWord word) { return word <= PayloadWord::LinearSample; }
/// Registers that a word takes.
[[nodiscard]] constexpr std::uint32_t registers_of(PayloadWord word, std::uint32_t simd) {
  return is_barycentric(word) ? simd / 4 : word == PayloadWord::SamplePosition ? 1 : simd / 8;
}

/// One component of the attribute setup.
struct SetupComponent {
  std::uint32_t component = 0;  ///< among those of the mesh (PrimitiveList)
  bool constant = false;        ///< values below are used
  bool flat = false;
  std::array<double, 3> values{};
};

/// What the program and static state decide of its draws.
struct PixelPlan {
  unsigned simd = 16;
  std::uint32_t samples = 1;
  std::vector<SamplePosition> positions{SamplePosition{}};  ///< of the samples
  bool per_sample = false;
  bool early_tests = false;                   ///< depth and stencil are tested before the kernel runs (FBO-1)
  bool keeps_fragments = false;               ///< the kernel drops none and changes nothing that tests read
  bool own_subspans = false;                  ///< no lane of the kernel learns of lanes of another subspan
  bool own_lanes = false;                     ///< nor of others of its own
  bool post_depth_coverage = false;           ///< the kernel reads the coverage that early tests left (FBO-6)
  bool samples_in_turn = false;               ///< with per_sample: those of a pixel never run together (FBO-7)
  bool line_alpha = true;                     ///< the first target's alpha takes the coverage of smooth lines (RAS-8)
  std::uint64_t scratch_bytes = kMinScratch;  ///< of a thread
  std::vector<LaneInput> inputs;              ///< of kernels without the hardware's layout
  // the hardware's layout
  bool hardware_layout = false;
  std::uint32_t payload_bits = 0;  ///< bit i: PayloadWord i
  std::uint32_t payload_end = 64;  ///< byte after the words' registers
  std::uint32_t setup_offset = 0;  ///< of the attribute setup
  std::vector<SetupComponent> setup;
  std::vector<RecordComponent> from_vertices;  ///< of each attribute of the mesh, where a vertex shader gives them

  [[nodiscard]] Slot slot(std::uint32_t index, std::uint32_t sspi) const;   ///< index within a half
  [[nodiscard]] std::uint32_t slots() const { return simd == 8 ? 8 : 16; }  ///< of a half
  [[nodiscard]] std::uint32_t subspans_of_half() const;
  [[nodiscard]] std::uint32_t halves() const { return simd == 32 ? 2 : 1; }
  [[nodiscard]] std::uint32_t passes() const;  ///< threads for one group of subspans (8x, 16x per sample)
  [[nodiscard]] bool has(PayloadWord word) const { return (payload_bits >> static_cast<unsigned>(word) & 1u) != 0; }
  /// Where the payload's words begin: behind R0 and R1, in SIMD32 behind R2.
  [[nodiscard]] std::uint32_t first_word() const { return kRegisterBytes * (simd == 32 ? 3 : 2); }
};

/// What may change from draw to draw. The blend, depth and stencil state with its surfaces is a machine::Resource:
/// draws with the same one need no second look at it.
struct Draw {
  Mesh mesh;
  RasterState raster;  ///< with the plan's sample positions
  machine::Resource<machine::PixelState> state;
  DepthTiles* tiles = nullptr;  ///< of the state's depth surface; null: nobody keeps them
};

/// What of a whole thread's payload follows from its position alone, for threads that run side by side; nothing where
/// not all threads of a plan could.
[[nodiscard]] std::optional<engine::jit::RowLayout> row_layout(const PixelPlan& plan);
}  // namespace heddle::pipeline
