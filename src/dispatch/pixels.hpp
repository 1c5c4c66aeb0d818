#pragma once
// Pixel dispatch: subspans to threads, register payload, inputs by name, running threads in triangle order (PIX-10
// to PIX-22).

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "dispatch/bind.hpp"
#include "dispatch/raster.hpp"
#include "dispatch/run_context.hpp"
#include "machine/pixels.hpp"

namespace heddle::dispatch {

/// Which pixel and sample a slot of a thread stands for.
struct Slot {
  std::uint32_t subspan = 0;  ///< among the thread's
  std::uint32_t pixel = 0;    ///< 0 upper left ... 3 lower right
  std::uint32_t sample = 0;   ///< with per_sample
};

/// Subspans of one triangle: up to 4 for a SIMD8 or SIMD16 thread and for each half of SIMD32, the first half full
/// before the second has any.
struct PixelThread {
  std::uint32_t triangle = 0;
  std::uint32_t sspi = 0;                                  ///< starting sample pair index
  std::uint32_t count = 0;                                 ///< of subspans
  bool whole = false;                                      ///< as many as fit, and each covered everywhere
  std::array<std::uint32_t, 8> places{};                   ///< x | y << 16
  std::array<std::array<std::uint16_t, 4>, 8> coverage{};  ///< as in Subspan; not set where `whole`
};

/// Where one input variable takes its lanes' values from.
struct NamedInput {
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
    SampleY
  };
  Source source = Source::Attribute;
  Interpolation interpolation;              ///< compiled shaders: mode and place
  ComponentType type = ComponentType::F32;  ///< of an attribute's component
  bool at_sample = false;                   ///< position: with per_sample the sample's place, not the centre
  std::uint32_t offset = 0;                 ///< of the variable in the register file
  bool half = false;                        ///< HF lanes in place of F
  std::vector<std::uint32_t> components;    ///< Attribute: indices into Triangle::values, one for each component
  std::vector<std::array<double, 3>>
      corners;                      ///< Corners: values at the full-screen triangle's vertices, for each component
  std::vector<std::uint8_t> bytes;  ///< Flat: one lane of each component, one after the other
  std::uint32_t element_bytes = 4, count = 1;  ///< bytes of a lane; components
};

/// One component of the attribute setup.
struct SetupComponent {
  std::uint32_t component = 0;  ///< index into Triangle::values
  bool constant = false;        ///< values below are used
  bool flat = false;
  std::array<double, 3> values{};
};

/// One dword of a vertex shader's record.
struct RecordComponent {
  std::uint32_t offset = 0;
  ComponentType type = ComponentType::F32;
};

struct VertexPlan;

struct PixelPlan {
  Mesh mesh;
  std::vector<RecordComponent> from_vertices;  ///< of each attribute of `mesh`, where a vertex shader gives them
  RasterState raster;
  unsigned simd = 16;
  std::uint32_t samples = 1;
  bool per_sample = false;
  machine::PixelState state;
  // --- the hardware's layout; registers of 32 bytes ---
  bool hardware_layout = false;
  std::uint32_t payload_bits = 0;  ///< bit i: word i of payload_words()
  std::uint32_t payload_end = 64;  ///< byte after the words' registers
  std::uint32_t setup_offset = 0;  ///< of the attribute setup
  std::vector<SetupComponent> setup;
  // --- by name ---
  std::vector<NamedInput> inputs;

  [[nodiscard]] Slot slot(std::uint32_t index, std::uint32_t sspi) const;   ///< index within a half
  [[nodiscard]] std::uint32_t slots() const { return simd == 8 ? 8 : 16; }  ///< of a half
  [[nodiscard]] std::uint32_t subspans_of_half() const;
  [[nodiscard]] std::uint32_t halves() const { return simd == 32 ? 2 : 1; }
  [[nodiscard]] std::uint32_t passes() const;  ///< threads for one group of subspans (8x, 16x per sample)
};

/// Binds a pixel shader; problems go to the binder's diagnostics.
[[nodiscard]] PixelPlan bind_pixels(Binder& binder, unsigned simd, const VertexPlan* vertices = nullptr);

/// Runs all triangles. False when a limit was hit or a report stopped the run.
bool run_pixels(const PixelPlan& plan, const Bound& bound, RunContext& context, Counters& counters);

}  // namespace heddle::dispatch
