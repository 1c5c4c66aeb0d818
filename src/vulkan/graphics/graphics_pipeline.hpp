#pragma once
// Pipelines that draw: a vertex and a fragment program, and the state of the fixed functions.

#include <vulkan/vulkan.h>

#include <memory>
#include <optional>
#include <vector>

#include "pipeline/draw.hpp"
#include "pipeline/vertices.hpp"
#include "vulkan/graphics/graphics_state.hpp"
#include "vulkan/objects/pipeline.hpp"

namespace heddle::vulkan {

struct GraphicsPipeline {
  struct Vertex : Shader {
    std::shared_ptr<const pipeline::VertexProgram> program;
    bool positions = true;  ///< the shader writes where its vertices are
    /// What the shader reads at a location.
    struct Input {
      std::uint32_t location = 0;
      bool given = false;  ///< an attribute has the location
      std::uint32_t buffer = 0, offset = 0;
      std::uint32_t component = 0;  ///< of the format, where the location begins
      image::Format format{};
    };
    std::vector<Input> inputs;
  };
  struct Fragment : Shader {
    bool per_sample = false;  ///< a fragment for each sample, whatever the shader reads
    std::shared_ptr<const pipeline::PixelProgram> program;
    struct Target {
      std::uint32_t index;     ///< of the binding table
      std::uint32_t location;  ///< which colour attachment; the n-th target of a shader has the n-th blend state
    };
    std::vector<Target> targets;
    /// Inputs that the vertex shader does not write.
    struct Missing {
      std::uint32_t location = 0;
      bool partly = false;  ///< some components it does
    };
    std::vector<Missing> missing;
  };
  Vertex vertex;
  Fragment fragment;  ///< without a program where nothing is rasterized
  DynamicStates dynamic = 0;
  GraphicsState state;
  std::vector<std::optional<std::uint32_t>> divisors;  ///< of vertex bindings; none: one element for each vertex
  std::uint32_t samples = 1;
  std::uint32_t sample_mask = ~0u;
  bool alpha_to_coverage = false, alpha_to_one = false;
  bool depth_clamp = false, depth_clip = true;  ///< to the viewport's range; at the near and the far plane
  bool negative_one_to_one = false;             ///< depths of clip space
  bool provoking_last = false;
  bool bresenham = false;
  std::optional<pipeline::LineStipple> stipple;
  VkPolygonMode polygon_mode = VK_POLYGON_MODE_FILL;
  pipeline::Draw draw;  ///< kept from draw to draw; belongs to the queue's thread
};

/// The pixels of a draw are shaded in threads of so many lanes.
inline constexpr unsigned kPixelLanes = 16;

}  // namespace heddle::vulkan
