// SPDX-License-Identifier: MIT
#pragma once
// From a job to what the pipeline runs: the grid, the plan of each stage, the bound resources.

#include <memory>
#include <vector>

#include "base/result.hpp"
#include "job/bind/binder.hpp"
#include "job/opencl/zeinfo.hpp"
#include "pipeline/compute/compute.hpp"
#include "pipeline/meshlets/mesh_program.hpp"
#include "pipeline/pixels/pixels.hpp"
#include "pipeline/primitives/geometry.hpp"
#include "pipeline/primitives/tessellation.hpp"
#include "pipeline/vertices/vertices.hpp"

namespace heddle::job {

/// Width of a kernel: its own, else what zeinfo or the job says, else 16 (1 for Target "cm").
[[nodiscard]] unsigned simd_of(const isa::Object& kernel, const ZeKernel* abi, const Job& job);

/// `shader`: a compiled shader brings its own local size, and all its groups are whole ones (Vulkan has no others).
[[nodiscard]] base::Result<pipeline::Grid> make_grid(const Job& job, unsigned simd, const ZeKernel* abi,
                                                     const ShaderInterface* shader = nullptr);

// Each binds everything of its stage; problems go to the binder's diagnostics.

[[nodiscard]] pipeline::ComputePlan bind_compute(Binder& binder, const ZeKernel* abi, unsigned simd);
/// Arguments and implicit values of a kernel by its compiler's description. `cross_thread`: where they begin in the
/// payload.
void bind_opencl(Binder& binder, const ZeKernel& abi, std::uint32_t cross_thread, pipeline::ComputePlan& plan);
struct BoundVertices {
  pipeline::VertexPlan plan;
  pipeline::VertexDraw draw;                     ///< of the buffers below
  std::vector<std::vector<std::uint8_t>> bytes;  ///< one for each component of an input, and the indices
  std::vector<pipeline::VertexBuffer> buffers;
};
/// A vertex shader: the mesh or the vertices' numbers to its inputs, by name or location.
[[nodiscard]] std::unique_ptr<BoundVertices> bind_vertices(Binder& binder, unsigned simd);
/// A geometry shader; `before`: the shader whose outputs it reads.
[[nodiscard]] pipeline::GeometryPlan bind_geometry(Binder& binder, unsigned simd, const ShaderInterface& before);
/// Tessellation shaders, each with the shader whose outputs it reads.
[[nodiscard]] pipeline::ControlPlan bind_control(Binder& binder, unsigned simd, const ShaderInterface& before);
[[nodiscard]] pipeline::EvaluationPlan bind_evaluation(Binder& binder, unsigned simd, const ShaderInterface& control);
/// Task and mesh shaders.
[[nodiscard]] pipeline::TaskPlan bind_task(Binder& binder, unsigned simd);
[[nodiscard]] pipeline::MeshPlan bind_mesh(Binder& binder, unsigned simd);
/// A pixel shader, hand-written or compiled; `before`: the shader whose outputs feed it.
struct BoundPixels {
  pipeline::PixelPlan plan;
  pipeline::Draw draw;
};
[[nodiscard]] BoundPixels bind_pixels(Binder& binder, unsigned simd, const ShaderInterface* before = nullptr);

}  // namespace heddle::job
