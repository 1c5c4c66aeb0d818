// SPDX-License-Identifier: MIT
#pragma once
// Pipelines that draw: a list of stages, the programs that run them, and the state of the fixed functions.

#include <vulkan/vulkan.h>

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "pipeline/meshlets/mesh_program.hpp"
#include "pipeline/meshlets/task.hpp"
#include "pipeline/pixels/pixels.hpp"
#include "pipeline/primitives/geometry.hpp"
#include "pipeline/primitives/tessellation.hpp"
#include "pipeline/primitives/transform_feedback.hpp"
#include "pipeline/vertices/vertices.hpp"
#include "vulkan/pipelines/graphics_state.hpp"
#include "vulkan/pipelines/pipeline.hpp"
#include "vulkan/pipelines/shader_object.hpp"
#include "vulkan/pipelines/stage_table.hpp"

namespace heddle::vulkan {

struct LoadedStage;

/// A stage of a pipeline that draws.
struct GraphicsStage : Shader {
  std::shared_ptr<const LoadedStage> loaded;  ///< null: the pipeline (or library) has no such stage
};

/// What runs the vertex stage.
struct VertexPrograms {
  std::shared_ptr<const pipeline::VertexProgram> program;  ///< for the vertex input that holds
  /// What the shader reads at a location.
  struct Input {
    std::uint32_t location = 0;
    bool given = false;  ///< an attribute has the location
    std::uint32_t buffer = 0, offset = 0;
    std::uint32_t component = 0;  ///< of the format, where the location begins
    image::Format format{};
  };
  std::vector<Input> inputs;
  /// Programs for the vertex inputs that there were.
  struct Variant {
    std::vector<VertexInput::Attribute> attributes;
    std::shared_ptr<const pipeline::VertexProgram> program;
    std::vector<Input> inputs;
  };
  std::vector<Variant> variants;
  std::size_t variant = 0;  ///< that holds
};

/// What rasterizes, and runs the fragment stage.
struct PixelPrograms {
  bool per_sample = false;                                ///< a fragment for each sample, whatever the shader reads
  bool sample_shading = false;                            ///< it is enabled, by the state or by the shader (FSR-3)
  bool primitive_rates = false;                           ///< the stage before gives primitives shading rates
  std::shared_ptr<const pipeline::PixelProgram> program;  ///< for the samples that hold
  std::map<std::uint32_t, std::shared_ptr<const pipeline::PixelProgram>> programs;  ///< by the number of samples
  std::vector<std::shared_ptr<const pipeline::PixelProgram>> moved;  ///< those for samples in other places
  struct Target {
    std::uint32_t index;     ///< of the binding table
    std::uint32_t location;  ///< which color attachment; the n-th target of a shader has the n-th blend state
  };
  std::vector<Target> targets;
  /// Inputs that the stage before does not write.
  struct Missing {
    std::uint32_t location = 0;
    bool partly = false;  ///< some components it does
  };
  std::vector<Missing> missing;
};

struct GraphicsPipeline {
  isa::PerStage<GraphicsStage> stages;
  VertexPrograms vertices;
  std::shared_ptr<const pipeline::ControlProgram> control;  ///< null: no such stage, and no evaluation
  std::shared_ptr<const pipeline::EvaluationProgram> evaluation;
  pipeline::TessellationState tessellation;                   ///< but for the winding, which a command may change
  bool counterclockwise = true;                               ///< VertexOrderCcw
  std::shared_ptr<const pipeline::GeometryProgram> geometry;  ///< null: no such stage
  std::shared_ptr<const pipeline::TaskProgram> task;          ///< null: no such stage
  std::shared_ptr<const pipeline::MeshProgram> mesh;          ///< null: vertices are drawn
  /// How the records lie that the rasterizer takes; nothing: they have no positions.
  std::optional<pipeline::RecordLayout> records;
  pipeline::CapturePlan capture;  ///< what transform feedback takes of them
  PixelPrograms pixels;           ///< without a program where nothing is rasterized
  PipelineParts parts = 0;        ///< that it has; libraries have few
  DynamicStates dynamic = 0;
  std::uint32_t colors = ~0u;  ///< color attachments that there are, a bit for each; all where no part says it
  /// Of depth and stencil, what the pipeline uses; what else is attached stays as it is.
  VkImageAspectFlags tested = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
  VkImageAspectFlags ordered = 0;  ///< of attachments that shaders read in rasterization order
  bool dynamic_input = false, dynamic_samples = false;
  GraphicsState state;
  VertexInput input;
  pipeline::Draw draw;  ///< kept from draw to draw; belongs to the queue's thread
};

/// A pipeline of shader objects, all of whose states commands set. Null where they can't be together; the device's
/// messages say why.
[[nodiscard]] std::unique_ptr<Pipeline> link_shaders(Device& device, const BoundShaders& shaders);

/// The stage that a draw begins with.
[[nodiscard]] inline ShaderStage first_stage(const GraphicsPipeline& pipeline) {
  if (!pipeline.stages[ShaderStage::Mesh].loaded) return ShaderStage::Vertex;
  return pipeline.stages[ShaderStage::Task].loaded ? ShaderStage::Task : ShaderStage::Mesh;
}

/// The pixels of a draw are shaded in threads of so many lanes, where the pipeline asks for no other subgroups.
inline constexpr unsigned kPixelLanes = kSubgroupSize;

}  // namespace heddle::vulkan
