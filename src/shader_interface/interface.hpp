// SPDX-License-Identifier: MIT
#pragma once
// What a compiled shader says about itself in the FILE instructions of its text: docs/spirv-interface.md.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "isa/program.hpp"
#include "isa/shader_stage.hpp"
#include "pipeline/primitives/tessellator.hpp"
#include "pipeline/primitives/topology.hpp"
#include "pipeline/shader_values.hpp"
#include "shader_interface/element_type.hpp"
#include "shader_interface/messages.hpp"

namespace heddle::shader_interface {

using isa::ShaderStage;

enum class ResourceKind : std::uint8_t {
  Image,
  StorageImage,
  TexelBuffer,
  StorageTexelBuffer,
  UniformBuffer,
  StorageBuffer,
  InputAttachment,
  RectImage,       ///< an image whose sampler takes texels as coordinates
  StorageSamples,  ///< a multisampled storage image with its samples as layers
  Plane1,          ///< the second plane of an image
  Plane2,          ///< its third plane
  PushConstant,
  Target,
  VertexOutputs,
  SamplerRecord,
  NoTarget,
  Messages,           ///< what the shader prints
  VertexInputs,       ///< records that a stage reads by the vertices of its primitives
  PrimitiveVertices,  ///< which vertices each primitive has
  PatchOutputs,       ///< records of patches that a control shader writes
  PatchInputs,        ///< those that an evaluation shader reads
  EmittedCounts,      ///< how many vertices each invocation emitted
  Constants,          ///< of the shader, too many for its instructions
  WorkGroups,         ///< of task and mesh shaders: the numbers of the groups of a run
  GroupCounts,        ///< what each of them says of itself
  TaskPayload,        ///< records that task groups write and their mesh groups read
  PrimitiveOutputs    ///< records of primitives that a mesh shader writes
};

/// How a member lies in its block.
struct MemberType {
  ElementType element = ElementType::U8;
  std::uint32_t components = 1;
  std::uint32_t columns = 1, column_stride = 0;
  bool row_major = false;  ///< `column_stride` lies between rows
  std::vector<std::pair<std::uint32_t, std::uint32_t>>
      arrays;                ///< outermost first: elements (0: as many as there are), stride
  std::uint32_t opaque = 0;  ///< bytes without a type of their own
  std::string text;          ///< as written

  [[nodiscard]] std::uint64_t value_count() const;  ///< scalars; of one element where an array has no end
  [[nodiscard]] std::uint64_t bytes() const;        ///< from its first byte to behind its last one
  [[nodiscard]] std::uint64_t value_bytes() const;  ///< bytes of one element: a scalar, vector or matrix
  [[nodiscard]] bool runtime() const { return !arrays.empty() && arrays.front().first == 0; }
};
[[nodiscard]] std::optional<MemberType> parse_member_type(std::string_view text);

struct BlockMember {
  std::uint32_t offset = 0;
  MemberType type;
  std::string name;
};

/// What coordinates an image takes: "2d_array".
enum class ImageShape : std::uint8_t {
  Unknown,
  Dim1,
  Dim1Array,
  Dim2,
  Dim2Array,
  Dim3,
  Cube,
  CubeArray,
  Samples,
  SamplesArray
};

/// Bindless surfaces and samplers have handles in place of variables: B0 is this number.
inline constexpr std::uint32_t kFirstHandle = 1u << 16;

struct SurfaceLine {
  std::uint32_t variable = 0;  ///< T6 is 6
  ResourceKind kind = ResourceKind::Image;
  ImageShape shape = ImageShape::Unknown;
  std::uint32_t set = 0, binding = 0;
  std::optional<std::uint32_t> element;
  bool open = false;           ///< an element of an array without a length: may stay unbound beside others
  std::uint32_t count = 1;     ///< the first of so many elements, whose handles follow each other
  std::uint32_t location = 0;  ///< Target
  std::uint32_t stride = 0;    ///< of a record: VertexOutputs, VertexInputs, Patch..., PrimitiveOutputs, TaskPayload
  std::uint32_t bytes = 0;     ///< Messages, Constants
  std::uint32_t sampler = 0;   ///< SamplerRecord: S0 is 0
  std::string name;
  std::string format;  ///< of storage images: the format that the shader declares, Intel's name; may be empty
  std::string block;   ///< the name of its type, where it has one of its own and shares it with no other line
  std::vector<BlockMember> members;
  std::vector<std::uint8_t> data;  ///< Constants

  [[nodiscard]] bool is_resource() const { return kind < ResourceKind::PushConstant; }
  [[nodiscard]] bool bindless() const { return variable >= kFirstHandle; }
  /// Bytes that the members take, a runtime array counted as one element.
  [[nodiscard]] std::uint64_t block_bytes() const;
};

struct SamplerLine {
  std::uint32_t variable = 0;
  [[nodiscard]] bool bindless() const { return variable >= kFirstHandle; }
  std::uint32_t set = 0, binding = 0;
  std::optional<std::uint32_t> element;
  bool open = false;  ///< as of surfaces
  std::uint32_t count = 1;
  std::string name;
};

inline constexpr std::uint32_t kPositionLocation = UINT32_MAX, kPointSizeLocation = UINT32_MAX - 1,
                               kClipDistanceLocation = UINT32_MAX - 2, kCullDistanceLocation = UINT32_MAX - 3,
                               kLayerLocation = UINT32_MAX - 4, kViewportLocation = UINT32_MAX - 5,
                               kPrimitiveLocation = UINT32_MAX - 6, kTessLevelOuterLocation = UINT32_MAX - 7,
                               kTessLevelInnerLocation = UINT32_MAX - 8, kShadingRateLocation = UINT32_MAX - 9,
                               kIndexLocation = UINT32_MAX - 10, kCullPrimitiveLocation = UINT32_MAX - 11;

/// One component of an input or output.
struct StageVariable {
  std::uint32_t variable = 0;  ///< inputs: index of the vISA variable
  std::uint32_t offset = 0;    ///< outputs and inputs of records: byte in the record
  std::uint32_t location = 0, component = 0;
  pipeline::ComponentType type = pipeline::ComponentType::F32;
  pipeline::Interpolation interpolation;
  std::string name;
};

/// A variable that gets a value of the pipeline.
struct ValueLine {
  std::uint32_t variable = 0;
  pipeline::SystemValue value = pipeline::SystemValue::Slot;
};

/// What a geometry shader takes and makes.
struct GeometryLine {
  std::uint32_t corners = 3;  ///< vertices of a primitive that it takes
  pipeline::Topology made = pipeline::Topology::TriangleStrip;
  std::uint32_t max_vertices = 1, invocations = 1;
  std::uint32_t header = 0;  ///< byte of a record: `vertex_header`
};

/// What a group of a mesh shader makes.
struct MeshLine {
  std::uint32_t corners = 3;  ///< vertices of a primitive
  std::uint32_t max_vertices = 1, max_primitives = 1;
};

/// What a shader of patches says of them; what it leaves out the other one says.
struct TessellationLine {
  std::uint32_t output_vertices = 0;  ///< of control shaders
  std::optional<pipeline::TessellationDomain> domain;
  std::optional<pipeline::TessellationSpacing> spacing;
  std::optional<bool> counterclockwise;
  bool points = false;
};

/// A buffer of transform feedback, and which dwords of the record go where in it.
struct CaptureLine {
  std::uint32_t buffer = 0, stride = 0, stream = 0;
  struct Dword {
    std::uint32_t to = 0, from = 0;  ///< bytes: of the vertex in the buffer, of the record
  };
  std::vector<Dword> dwords;
  std::vector<Dword> shorts;  ///< of these dwords the low 16 bits
};

struct ShaderInterface {
  ShaderStage stage = ShaderStage::Compute;
  std::array<std::uint32_t, 3> local{1, 1, 1};
  GeometryLine geometry;
  MeshLine mesh;
  TessellationLine tessellation;
  bool sees_lanes = false;  ///< of vertex shaders: lanes may learn of all others
  // Of fragment shaders:
  bool early_tests = false;          ///< it runs for what passes depth and stencil tests only
  bool keeps_fragments = false;      ///< it drops none and gives neither depth, stencil reference nor coverage
  bool own_subspans = false;         ///< no lane learns of lanes of another subspan
  bool own_lanes = false;            ///< nor of others of its own
  bool post_depth_coverage = false;  ///< the coverage that it reads is what early tests left
  bool samples_in_turn = false;      ///< samples of a pixel that have lanes of their own never run together
  std::vector<SurfaceLine> surfaces;
  std::vector<SamplerLine> samplers;
  std::vector<StageVariable> inputs, outputs;
  std::vector<StageVariable> record_inputs;                ///< what is read of records: their offset there
  std::vector<StageVariable> patch_inputs, patch_outputs;  ///< the same of the records of patches
  std::vector<StageVariable> primitive_outputs;            ///< of mesh shaders: their offset in the record
  std::vector<CaptureLine> captures;
  std::vector<StageVariable> unread;  ///< components of inputs of which others are read: location, component, name
  std::vector<ValueLine> values;
  std::vector<PrintLine> prints;  ///< messages name them by their place, from 1

  [[nodiscard]] const SurfaceLine* surface(std::uint32_t variable) const;
  [[nodiscard]] const SamplerLine* sampler(std::uint32_t variable) const;
  [[nodiscard]] const SurfaceLine* of_kind(ResourceKind kind) const;
  /// Whether a variable is filled by an `input` or `value` line.
  [[nodiscard]] bool describes(std::uint32_t variable) const;
  /// The inputs (or outputs) of one name, or of one location ("in.3"), in order of location and component.
  [[nodiscard]] static std::vector<const StageVariable*> named(const std::vector<StageVariable>& list,
                                                               std::string_view key, std::string_view prefix);
  /// Place of an input's component among those of its own name, those that are not read included.
  [[nodiscard]] std::uint32_t rank(const StageVariable& input) const;
};

[[nodiscard]] ElementType element_type(pipeline::ComponentType type);
[[nodiscard]] std::string_view kind_word(ResourceKind kind);
[[nodiscard]] std::string_view shape_word(ImageShape shape);  ///< empty: unknown

/// The interface of a compiled shader; nothing for a kernel without such lines. Lines that say something impossible are
/// reported. Ids: shader-interface.
[[nodiscard]] std::optional<ShaderInterface> read_interface(const isa::Program& program, const isa::Object& kernel,
                                                            base::Diagnostics& diagnostics);

/// Gives each element of an array of handles a line of its own. Ids: shader-interface (more than kMaxLines of them).
void expand_arrays(ShaderInterface& interface, base::Diagnostics& diagnostics);
inline constexpr std::size_t kMaxLines = 1 << 16;

}  // namespace heddle::shader_interface
