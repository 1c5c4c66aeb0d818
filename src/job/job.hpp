// SPDX-License-Identifier: MIT
#pragma once
// A job: a program, what it is bound to, and how it is dispatched. The words of docs/job-file.md as plain structs.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.hpp"
#include "base/node.hpp"
#include "base/result.hpp"
#include "image/objects/object.hpp"
#include "image/output_state.hpp"
#include "isa/shader_stage.hpp"
#include "job/formats/scalar.hpp"
#include "pipeline/primitives/topology.hpp"
#include "pipeline/raster/state.hpp"

namespace heddle::job {

enum class EngineKind : std::uint8_t { Automatic, Reference, Fast };
enum class CheckLevel : std::uint8_t { Off, Warn, Error };

/// A key of the job: the name, index or "set.binding" of something in the program, and where it stands.
struct Key {
  std::string text;
  base::Place place;
};

struct Argument {
  Key key;
  std::vector<Scalar> values;
  bool is_vector = false;                          ///< written as an array
  std::optional<ElementType> type;                 ///< { type = "f16", value = ... }
  std::optional<std::vector<std::uint8_t>> bytes;  ///< { bytes = "..." }
  std::vector<Argument> members;                   ///< a table by member name
  std::vector<Argument> elements;                  ///< an array of tables
};

struct BufferBinding {
  Key key;
  std::optional<ElementType> type;
  std::optional<image::Format> format;
  std::optional<std::uint64_t> count;
  std::optional<Scalar> fill;
  std::optional<std::vector<Scalar>> data;
  std::string file, save;  ///< resolved paths; "-" standard output
  base::Place save_place;
  std::optional<std::uint64_t> address;
  std::string same_as;
  std::shared_ptr<std::vector<std::uint8_t>> memory;  ///< the bytes themselves, of a caller in the same program
};

/// What the numbers of a buffer are: elements of its type; of a typed buffer surface the raw integers.
[[nodiscard]] ElementType element_type(const BufferBinding& buffer);
/// What the numbers of an image's `fill` are.
[[nodiscard]] ElementType fill_type(const image::FormatInfo& format);

struct ImageBinding {
  Key key;
  std::string file, raw, save;     ///< resolved paths
  std::vector<std::string> files;  ///< of the faces or layers, in place of `file`
  base::Place save_place;
  base::Place size_place;  ///< of `size`, `width` or `entries`; the key's where there is none
  bool generate_mips = false;
  std::vector<std::uint32_t> size;
  std::vector<Scalar> fill;
  image::SurfaceMembers members;
  std::optional<base::Node> data;  ///< the surface object's `data`
  std::string same_as;
  std::shared_ptr<image::Surface> surface;  ///< the image itself, of a caller in the same program
};

struct SamplerBinding {
  Key key;
  image::SamplerMembers members;
};

/// One entry of [pixels.inputs]: values at the target's corners (0,0), (w,0), (0,h), one value everywhere, or an
/// attribute's name.
struct PixelInput {
  Key key;
  std::vector<std::vector<Scalar>> values;  ///< three (corners) or one (flat), each a vector of components
  std::string attribute;                    ///< "uv.x", "position.z", "front" ...
  /// Vertex inputs: the elements of a vertex buffer.
  struct Elements {
    std::size_t buffer = 0;       ///< number in PixelsJob::vertex_buffers
    std::uint32_t offset = 0;     ///< bytes, in an element of the buffer
    std::uint32_t component = 0;  ///< of the format, that the input's first one takes
    image::Format format{};
  };
  std::optional<Elements> elements;
};

/// One entry of [pixels.vertex_buffers].
struct VertexBufferBinding {
  Key key;
  std::string file;                      ///< resolved path
  std::uint32_t stride = 0;              ///< bytes
  std::optional<std::uint32_t> divisor;  ///< instances that share an element, 0 = all; none: one for each vertex
};

/// `indices` of [pixels].
struct IndexBinding {
  base::Place place;
  std::string file;  ///< resolved path
  std::uint32_t bytes = 4;
  bool restart = false;
};

/// Words of PixelsJob::payload: those of pipeline::PayloadWord.
[[nodiscard]] const std::vector<std::string_view>& payload_words();

/// The program of a stage.
struct StageProgram {
  std::string path;   ///< resolved; empty: there is no such stage
  std::string entry;  ///< where that file has several
};

struct PixelsJob {
  base::Place place;
  std::optional<std::array<std::uint32_t, 2>> size;
  std::optional<std::uint32_t> samples;  ///< default: the first target's
  bool per_sample = false;
  std::optional<std::uint32_t> simd;
  std::vector<std::string> targets;
  std::string depth, stencil;           ///< image keys
  std::string geometry = "fullscreen";  ///< or a resolved path of an .obj, .gltf, .glb or .json mesh
  std::optional<std::vector<std::string>>
      payload;                                    ///< given: the hardware's layout, `inputs` become its attribute setup
  std::optional<base::Node> state;                ///< the state object of rt_write
  std::optional<image::OutputState> output;       ///< the state itself, of a caller in the same program
  std::optional<std::array<double, 6>> viewport;  ///< x, y, w, h, zmin, zmax
  std::optional<std::array<std::int32_t, 4>> scissor;  ///< x, y, w, h
  pipeline::Cull cull = pipeline::Cull::None;
  bool front_ccw = true;
  /// [pixels.raster]: all but what the members above say; without a viewport where viewport_count is 0.
  std::optional<pipeline::RasterState> raster;
  std::array<std::uint32_t, 2> coarse_size{1, 1};
  std::vector<PixelInput> inputs;
  // --- shaders in front ---
  isa::PerStage<StageProgram> stages;  ///< but the pixels' own, which is the job's program
  [[nodiscard]] bool has(isa::ShaderStage stage) const { return !stages[stage].path.empty(); }
  std::optional<std::uint32_t> vertices;  ///< without a mesh: how many; their numbers are all it gets
  std::uint32_t instances = 1;
  pipeline::Topology topology = pipeline::Topology::TriangleList;  ///< of `vertices`
  std::optional<IndexBinding> indices;                             ///< `vertices` counts these then
  std::vector<VertexBufferBinding> vertex_buffers;
  std::uint32_t first_vertex = 0, first_instance = 0, draw = 0;
  std::int32_t vertex_offset = 0;
  bool provoking_last = false;
  std::uint32_t patch_vertices = 3;       ///< of a patch, for tessellation shaders
  bool domain_lower_left = false;         ///< where the origin of a patch's domain lies (TES-9)
  std::vector<PixelInput> vertex_inputs;  ///< attributes of the mesh, or values that are the same everywhere
};

/// The keys of [pixels] that name the shaders in front.
struct StageKeys {
  isa::ShaderStage stage{};
  std::string_view program, entry;
};
inline constexpr std::array kStageKeys{
    StageKeys{isa::ShaderStage::Vertex, "vertex", "vertex_entry"},
    StageKeys{isa::ShaderStage::TessellationControl, "tessellation_control", "tessellation_control_entry"},
    StageKeys{isa::ShaderStage::TessellationEvaluation, "tessellation_evaluation", "tessellation_evaluation_entry"},
    StageKeys{isa::ShaderStage::Geometry, "geometry_shader", "geometry_entry"},  // 'geometry' is a mesh
    StageKeys{isa::ShaderStage::Task, "task_shader", "task_entry"},
    StageKeys{isa::ShaderStage::Mesh, "mesh_shader", "mesh_entry"}};
[[nodiscard]] constexpr bool stands_in_front(isa::ShaderStage stage) {
  for (const StageKeys& keys : kStageKeys)
    if (keys.stage == stage) return true;
  return false;
}

/// A stage that can't be drawn with beside the others, by its key of [pixels].
struct StageConflict {
  std::string_view key, why;
};
[[nodiscard]] std::vector<StageConflict> stage_conflicts(const PixelsJob& job);

struct Job {
  std::string file;     ///< the job file, or empty
  std::string program;  ///< resolved path
  std::string entry, platform, zeinfo;
  std::optional<std::uint32_t> simd;
  EngineKind engine = EngineKind::Automatic;
  CheckLevel check = CheckLevel::Warn;
  bool check_asked = false;  ///< the job or a flag says `check`: the reference engine runs, which alone checks
  unsigned threads = 0;      ///< 0: all cores
  base::Limits limits;

  /// At most one of global and groups; 1 to 3 sizes. A draw has groups where a mesh shader makes its primitives.
  std::vector<std::uint32_t> global, local, groups;
  std::vector<std::uint32_t> offset;
  std::optional<PixelsJob> pixels;

  std::vector<Argument> args;  ///< "spec.N" of SPIR-V programs is the compiler's business and taken out before the run
  std::vector<BufferBinding> buffers;
  std::vector<ImageBinding> images;
  std::vector<SamplerBinding> samplers;
};

/// Reads a job from TOML text. Paths in it are relative to `file`'s folder. `flags`: members that override those of the
/// file (their paths are taken as they are). All problems are reported, with file, line and column. Ids: job-syntax,
/// job-key, job-type, job-value, job-missing.
[[nodiscard]] base::Result<Job> read_job(std::string_view toml, const std::string& file,
                                         const base::Limits& limits = {}, const base::Node* flags = nullptr);
/// A job that consists of flags alone.
[[nodiscard]] base::Result<Job> read_job(const base::Node& table, const std::string& folder, const std::string& file,
                                         const base::Limits& limits = {});

/// An argument from its TOML value. What is wrong has no place: the text stands in no file.
[[nodiscard]] base::Result<Argument> parse_argument(const std::string& name, std::string_view text);

}  // namespace heddle::job
