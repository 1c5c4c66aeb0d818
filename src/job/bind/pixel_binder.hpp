// SPDX-License-Identifier: MIT
#pragma once
// Binding of pixel shaders, shared by hand-written kernels (bind_pixels.cpp) and compiled ones (bind_fragment.cpp).

#include "job/bind/bind.hpp"
#include "job/formats/mesh_files.hpp"
#include "pipeline/pixels/plan.hpp"

namespace heddle::job {

struct PixelBinder {
  Binder& binder;
  const PixelsJob& job;
  pipeline::PixelPlan& plan;
  pipeline::RasterState& raster;
  machine::PixelState& output;
  NamedMesh mesh{};           ///< becomes the plan's
  bool unknown_mesh = false;  ///< its file was reported: attributes that are missing then are not

  void error(const base::Place& place, std::string_view id, std::string message, std::string note = {}) const;
  std::shared_ptr<image::Surface> image_named(const std::string& key, std::string_view what) const;

  void targets();
  /// Viewports and [pixels.raster], when the size is known.
  void set_raster();
  void geometry();
  void state();
  /// Component indices of "uv.x" or "uv" in Triangle::values.
  std::vector<std::uint32_t> attribute(const PixelInput& input) const;
  std::optional<pipeline::LaneInput::Source> builtin(const std::string& name) const;
  std::array<double, 3> corner_values(const PixelInput& input, std::size_t component) const;

  // --- hand-written kernels ---
  void kernel();
  void named_input(const PixelInput& input);
  bool set_source(const PixelInput& input, isa::Type type, pipeline::LaneInput& lanes) const;
  void hardware_layout();
  void setup_component(const PixelInput& input);
  void place_setup();

  // --- compiled shaders ---
  std::vector<pipeline::MeshAttribute> bound_attributes{};  ///< what the inputs take, one component each
  std::vector<std::shared_ptr<image::Surface>> shader_targets();
  /// Vulkan's sample shading: an input of qualifier `sample` or the sample's number makes one invocation for each.
  bool asks_for_samples() const;
  void shader(const ShaderInterface* before);
  const PixelInput* given(const StageVariable& input) const;
  void shader_value(pipeline::SystemValue value, std::uint32_t offset);
  /// An input that is the weight of one of the triangle's vertices.
  void weight(pipeline::LaneInput lanes, const pipeline::VertexWeight& of);
};

}  // namespace heddle::job
