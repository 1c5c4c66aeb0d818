#pragma once
// Binding of pixel shaders, shared by hand-written kernels (bind_pixels.cpp) and compiled ones (bind_fragment.cpp).

#include "dispatch/pixels.hpp"

namespace heddle::dispatch {

struct PixelBinder {
  Binder& binder;
  const PixelsJob& job;
  PixelPlan& plan;

  void error(const base::Place& place, std::string_view id, std::string message, std::string note = {}) const;
  std::shared_ptr<image::Surface> image_named(const std::string& key, std::string_view what) const;

  void targets();
  void geometry();
  void state();
  /// Component indices of "uv.x" or "uv" in Triangle::values.
  std::vector<std::uint32_t> attribute(const PixelInput& input) const;
  std::optional<NamedInput::Source> builtin(const std::string& name) const;
  std::array<double, 3> corner_values(const PixelInput& input, std::size_t component) const;
  void named_inputs();
  void hardware_layout();

  // --- compiled shaders ---
  std::vector<MeshAttribute> bound_attributes{};  ///< what the inputs take, one component each, in place of the mesh's
  std::vector<std::shared_ptr<image::Surface>> shader_targets();
  /// Vulkan's sample shading: an input of qualifier `sample` or the sample's number makes one invocation for each.
  bool asks_for_samples() const;
  void shader(const VertexPlan* vertices);
  void shader_input(const StageVariable& input, const VertexPlan* vertices);
  const PixelInput* given(const StageVariable& input) const;
  void shader_value(DispatchWord word, std::uint32_t offset);
};

}  // namespace heddle::dispatch
