// SPDX-License-Identifier: MIT
// Binding of compiled vertex shaders: the mesh's attributes, or values, by name or location.
// Rules: PIX-3.
#include <fmt/format.h>

#include <set>

#include <algorithm>
#include <cmath>

#include "base/file.hpp"
#include "base/half.hpp"
#include "job/bind/bind.hpp"
#include "job/bind/own_surfaces.hpp"
#include "job/formats/mesh_files.hpp"
#include "shader_interface/record_layout.hpp"

namespace heddle::job {
namespace {

using pipeline::ComponentType;
using pipeline::MeshAttribute;
using pipeline::VertexPlan;

bool fits(double value, ComponentType type) {
  if (type == ComponentType::F32 || type == ComponentType::F64) return true;
  const bool is_signed = type == ComponentType::I32 || type == ComponentType::I64;
  const double range = pipeline::is_wide(type) ? 0x1p64 : 0x1p32;
  const double low = is_signed ? -range / 2 : 0, above = is_signed ? range / 2 : range;
  return value >= low && value < above && value == std::floor(value);
}

std::uint64_t bits_of(double value, ComponentType type) {
  if (type == ComponentType::F32) return base::bits_of(static_cast<float>(value));
  if (type == ComponentType::F64) return base::bits_of(value);
  if (type == ComponentType::U64) return static_cast<std::uint64_t>(value);
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
}

class VertexBinder {
 public:
  VertexBinder(Binder& to, BoundVertices& vertices)
      : binder(to), shader(*to.shader()), job(*to.job().pixels), result(vertices), plan(vertices.plan) {}
  void run();

 private:
  Binder& binder;
  const ShaderInterface& shader;
  const PixelsJob& job;
  BoundVertices& result;
  VertexPlan& plan;
  NamedMesh mesh{};
  std::uint32_t mesh_vertices = 0;
  mutable std::set<std::uint32_t> reported{};  ///< locations of inputs that are not bound

  void error(const base::Place& place, std::string_view id, std::string message, std::string note = {}) const {
    base::Diagnostic d = base::error(std::string(id), std::move(message), place);
    if (!note.empty()) d.note(std::move(note));
    binder.diagnostics().add(std::move(d));
  }

  /// The mesh with its positions as an attribute in front, so that inputs find them by name or location.
  bool geometry() {
    result.draw.instances = job.instances;
    result.draw.first_instance = job.first_instance;
    result.draw.draw = job.draw;
    if (job.raster) {
      result.draw.view = job.raster->view;
      result.draw.with_points = job.raster->polygon_mode == pipeline::PolygonMode::Point;
    }
    if (job.has(isa::ShaderStage::TessellationEvaluation)) {
      result.draw.topology = pipeline::Topology::PatchList;  // the triangles of a mesh, or what the job says
      result.draw.patch_vertices = job.vertices ? job.patch_vertices : 3;
    }
    if (job.vertices) return vertices();
    if (job.geometry == "fullscreen") {
      mesh = full_screen();
    } else {
      auto loaded = load_mesh(job.geometry, binder.job().limits);
      if (!loaded.ok()) {
        for (const base::Diagnostic& d : loaded.diagnostics()) binder.diagnostics().add(d);
        return false;
      }
      mesh = std::move(*loaded);
    }
    mesh_vertices = static_cast<std::uint32_t>(mesh.mesh.positions.size());
    result.draw.vertices = static_cast<std::uint32_t>(3 * mesh.mesh.triangles.size());
    std::vector<std::uint8_t>& indices = result.bytes.emplace_back();
    for (const std::array<std::uint32_t, 3>& triangle : mesh.mesh.triangles)
      for (const std::uint32_t index : triangle) put(indices, index, 4);
    result.draw.indices = {.bytes = indices};
    MeshAttribute position{4, false, false, {}};
    for (const std::array<double, 4>& p : mesh.mesh.positions)
      position.values.insert(position.values.end(), p.begin(), p.end());
    mesh.names.insert(mesh.names.begin(), "position");
    mesh.mesh.attributes.insert(mesh.mesh.attributes.begin(), std::move(position));
    return true;
  }

  /// Vertices by their numbers, with buffers and indices where the job has them.
  bool vertices() {
    result.draw.vertices = mesh_vertices = *job.vertices;
    result.draw.topology = job.topology;
    result.draw.first_vertex = job.first_vertex;
    result.draw.vertex_offset = job.vertex_offset;
    result.draw.provoking_last = job.provoking_last;
    const auto load = [&](const std::string& file) {
      auto bytes = base::read_file(file, binder.job().limits);
      if (!bytes.ok())
        for (const base::Diagnostic& d : bytes.diagnostics()) binder.diagnostics().add(d);
      else
        result.bytes.push_back(std::move(*bytes));
      return bytes.ok();
    };
    for (const VertexBufferBinding& b : job.vertex_buffers) {
      if (!load(b.file)) return false;
      result.buffers.push_back({.bytes = result.bytes.back(), .stride = b.stride, .divisor = b.divisor});
    }
    if (!job.indices) return true;
    if (!load(job.indices->file)) return false;
    result.draw.indices = {result.bytes.back(), job.indices->bytes, job.indices->restart};
    return true;
  }

  const PixelInput* given(const StageVariable& v) const {
    for (const PixelInput& input : job.vertex_inputs)
      for (const StageVariable* named : ShaderInterface::named(shader.inputs, input.key.text, "in."))
        if (named == &v) return &input;
    return nullptr;
  }

  std::string attribute_names() const {
    return mesh.names.empty() ? std::string("the vertices have numbers only")
                              : fmt::format("the geometry has: {}", fmt::join(mesh.names, " "));
  }

  /// A component whose values lie in a buffer of their own; `once`: the same one for all vertices.
  void fetch(const StageVariable& v, std::vector<std::uint8_t> values, bool once) {
    const auto buffer = static_cast<std::uint32_t>(result.buffers.size());
    plan.fetches.push_back({.register_offset = binder.input_of(v.variable).offset, .type = v.type, .buffer = buffer});
    result.bytes.push_back(std::move(values));
    result.buffers.push_back({.bytes = result.bytes.back(), .stride = once ? 0 : pipeline::is_wide(v.type) ? 8u : 4u});
  }
  void constant(const StageVariable& v, std::uint64_t bits) {
    std::vector<std::uint8_t> value;
    put(value, bits, pipeline::is_wide(v.type) ? 8 : 4);
    fetch(v, std::move(value), true);
  }

  /// An input with the same value in all vertices.
  void constant_input(const PixelInput& wanted, std::uint32_t rank, const StageVariable& v) {
    const std::vector<Scalar>& values = wanted.values[0];
    std::string why = fmt::format("it has component {}, which no value is given for", rank);
    const auto bits = rank < values.size() ? encode(values[rank], element_type(v.type), why) : std::nullopt;
    if (!bits) return error(wanted.key.place, "bind-type", fmt::format("vertex input '{}': {}", wanted.key.text, why));
    constant(v, *bits);
  }

  /// One component of a vertex buffer's elements. Wide components take two of a location's four.
  void element_input(const PixelInput& wanted, const StageVariable& v) {
    const PixelInput::Elements& e = *wanted.elements;
    std::uint32_t first = v.location;
    for (const StageVariable* named : ShaderInterface::named(shader.inputs, wanted.key.text, "in."))
      first = std::min(first, named->location);
    const bool wide = pipeline::is_wide(v.type);
    const std::uint32_t component = wide ? (v.location - first) * 2 + v.component / 2 : v.component;
    plan.fetches.push_back({.register_offset = binder.input_of(v.variable).offset,
                            .type = v.type,
                            .buffer = static_cast<std::uint32_t>(e.buffer),
                            .offset = e.offset,
                            .format = e.format,
                            .component = e.component + component});
  }

  /// The attribute that the job names, or one with the input's name or place; none is reported.
  const MeshAttribute* attribute_of(const StageVariable& v, const PixelInput* wanted) const {
    const MeshAttribute* found = mesh.find(wanted != nullptr ? wanted->attribute : v.name);
    if (found != nullptr) return found;
    if (wanted != nullptr) {
      error(wanted->key.place, "bind-unknown", fmt::format("the geometry has no attribute '{}'", wanted->attribute),
            attribute_names());
      return nullptr;
    }
    if (const std::size_t dot = v.name.rfind('.'); dot != std::string::npos) found = mesh.find(v.name.substr(dot + 1));
    if (found == nullptr) found = mesh.find_usual(v.name);
    if (found == nullptr && v.location < mesh.mesh.attributes.size()) found = &mesh.mesh.attributes[v.location];
    if (found == nullptr && reported.insert(v.location).second)  // once for all its components
      error(job.place, "bind-missing",
            fmt::format("input '{}' (location {}, {}) of the vertex shader is not bound", v.name, v.location,
                        element_name(element_type(v.type))),
            fmt::format("expected: {}{} or a value; {}",
                        binder.pixel_entry("vertex_inputs", v.name.empty() ? fmt::format("in.{}", v.location) : v.name),
                        binder.flags_alone() ? "ATTRIBUTE" : "\"ATTRIBUTE\"", attribute_names()));
    return found;
  }

  void input(const StageVariable& v) {
    const std::uint32_t rank = shader.rank(v);
    const PixelInput* wanted = given(v);
    if (wanted != nullptr && wanted->elements) return element_input(*wanted, v);
    if (wanted != nullptr && wanted->attribute.empty()) return constant_input(*wanted, rank, v);
    const MeshAttribute* attribute = attribute_of(v, wanted);
    if (attribute == nullptr) return;
    if (rank >= attribute->components) {  // Vulkan: missing components read 0, 0, 1
      constant(v, rank == 3 ? bits_of(1, v.type) : 0);
      return;
    }
    std::vector<std::uint8_t> values;
    for (std::uint32_t i = 0; i < mesh_vertices; ++i) {
      const double value = attribute->values[std::size_t{i} * attribute->components + rank];
      if (!fits(value, v.type))
        return error(wanted != nullptr ? wanted->key.place : job.place, "bind-type",
                     fmt::format("attribute '{}' has the value {}, input '{}' is {}", mesh.name_of(*attribute), value,
                                 v.name, element_name(element_type(v.type))));
      put(values, bits_of(value, v.type), pipeline::is_wide(v.type) ? 8 : 4);
    }
    fetch(v, std::move(values), false);
  }

  void report_unknown_inputs() const {
    for (const PixelInput& wanted : job.vertex_inputs) {
      if (!ShaderInterface::named(shader.inputs, wanted.key.text, "in.").empty()) continue;
      std::vector<std::string_view> names;
      for (const StageVariable& v : shader.inputs) names.push_back(v.name);
      const std::string_view near = base::nearest(wanted.key.text, names);
      error(wanted.key.place, "bind-unknown", fmt::format("the vertex shader has no input '{}'", wanted.key.text),
            near.empty() ? std::string() : fmt::format("did you mean '{}'?", near));
    }
  }

  /// Where the outputs lie that the rasterizer needs, where the vertices go to it.
  void outputs() {
    const bool found = shader_interface::take_outputs(shader.outputs, plan);
    if (!found && !job.has(isa::ShaderStage::Geometry) && !job.has(isa::ShaderStage::TessellationControl))
      error(job.place, "bind-missing", "the vertex shader writes no position");
  }
};

void VertexBinder::run() {
  if (!geometry()) return;
  report_unknown_inputs();
  std::uint32_t end = 128;
  for (const isa::Input& i : binder.kernel().inputs) end = std::max(end, i.offset + i.size);
  binder.bound().payload.resize(end);
  for (const StageVariable& v : shader.inputs) input(v);
  binder.fill_values(
      [&](pipeline::SystemValue value, std::uint32_t offset) { plan.values.push_back({value, offset}); });
  outputs();
  plan.stride = shader.of_kind(ResourceKind::VertexOutputs)->stride;
  OwnSurfaces own(binder);
  own.preset(ResourceKind::VertexOutputs);
  binder.bind_blocks();
  binder.bind_state_variables();
  binder.bind_inputs([](const isa::Input& i, const isa::VariableInfo&) { return i.offset < 32; });
  binder.bind_memory();
  plan.records = own.find(ResourceKind::VertexOutputs);
  result.draw.buffers = result.buffers;
}

}  // namespace

std::unique_ptr<BoundVertices> bind_vertices(Binder& binder, unsigned simd) {
  auto result = std::make_unique<BoundVertices>();
  result->plan.simd = simd;
  result->plan.scratch_bytes = pipeline::scratch_of(binder.kernel());
  VertexBinder(binder, *result).run();
  return result;
}

}  // namespace heddle::job
