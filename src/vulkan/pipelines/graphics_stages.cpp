// SPDX-License-Identifier: MIT
#include "vulkan/pipelines/graphics_stages.hpp"

#include <algorithm>
#include <span>

#include "image/vulkan_formats.hpp"
#include "shader_interface/record_layout.hpp"
#include "vulkan/pipelines/stage_parts.hpp"

namespace heddle::vulkan {
namespace {

constexpr std::size_t kMaxVariants = 64;  ///< programs of a stage that are kept for states that commands set

using pipeline::LaneInput;
using pipeline::MeshAttribute;
using pipeline::SystemValue;
using shader_interface::ResourceKind;
using shader_interface::StageVariable;
using shader_interface::take_outputs;

/// Where the value of one component lies; nothing where no attribute has the location.
std::optional<pipeline::VertexFetch> fetch_of(const StageVariable& v,
                                              std::span<const VertexInput::Attribute> attributes) {
  const bool wide = pipeline::is_wide(v.type);
  for (const VertexInput::Attribute& a : attributes) {
    // Three and four components of 64 bits take two locations.
    if (a.location != v.location && !(wide && a.location + 1 == v.location)) continue;
    const image::VulkanFormat* format = image::find_vulkan_format(a.format);
    if (format == nullptr || !format->vertex) continue;
    const image::FormatInfo& info = *image::format_info(*format->vertex);
    const std::uint32_t component = wide ? (v.location - a.location) * 2 + v.component / 2 : v.component;
    if (wide && a.location != v.location && info.channel_count <= 2) continue;
    return pipeline::VertexFetch{
        .type = v.type, .buffer = a.binding, .offset = a.offset, .format = *format->vertex, .component = component};
  }
  return std::nullopt;
}

/// What is captured of an input: once for each location.
void note_input(const StageVariable& v, const std::optional<pipeline::VertexFetch>& fetch,
                std::vector<VertexPrograms::Input>& inputs) {
  if (std::ranges::any_of(inputs, [&](const auto& i) { return i.location == v.location; })) return;
  auto& input = inputs.emplace_back();
  input.location = v.location;
  if (!fetch) return;
  input = {v.location, true, fetch->buffer, fetch->offset, 0, fetch->format};
  input.component = fetch->component - (pipeline::is_wide(v.type) ? v.component / 2 : v.component);
}

bool asks_for_samples(const shader_interface::ShaderInterface& interface) {
  return std::ranges::any_of(
             interface.inputs,
             [](const StageVariable& v) { return v.interpolation.point == pipeline::InterpolationPoint::Sample; }) ||
         std::ranges::any_of(interface.values,
                             [](const shader_interface::ValueLine& v) { return pipeline::asks_for_samples(v.value); });
}

/// What a stage writes at the place that another one reads; null: nothing.
const StageVariable* find_output(const StageVariables& outputs, const StageVariable& input) {
  const auto found = std::ranges::find_if(
      outputs, [&](const StageVariable& o) { return o.location == input.location && o.component == input.component; });
  return found == outputs.end() ? nullptr : &*found;
}

/// Inputs of a fragment shader become attributes of the mesh, one component each.
class Inputs {
 public:
  /// `before`: the stage that writes them.
  Inputs(const isa::Object& kernel, const shader_interface::ShaderInterface& before, pipeline::PixelPlan& plan,
         pipeline::Mesh& mesh)
      : kernel_(kernel), before_(before), plan_(plan), mesh_(mesh) {}

  void add(const StageVariable& v) {
    LaneInput lanes;
    lanes.offset = offset_of(kernel_, v.variable);
    lanes.interpolation = v.interpolation;
    lanes.type = v.type;
    if (const StageVariable* of_primitive = find_output(before_.primitive_outputs, v)) return add(lanes, *of_primitive);
    const StageVariable* from = find_output(before_.outputs, v);
    if (from == nullptr) {
      lanes.source = LaneInput::Source::Zero;  // undefined
      plan_.inputs.push_back(std::move(lanes));
      return;
    }
    MeshAttribute attribute;
    attribute.flat = v.interpolation.flat;
    attribute.linear = v.interpolation.linear;
    if (v.interpolation.vertex) {
      attribute.source = MeshAttribute::Source::AtVertex;
      attribute.vertex = *v.interpolation.vertex;
    }
    add_attribute(std::move(lanes), std::move(attribute), {from->offset, from->type});
  }

  void add(const shader_interface::ValueLine& value) {
    LaneInput lanes;
    lanes.offset = offset_of(kernel_, value.variable);
    lanes.at_sample = plan_.per_sample;
    if (const auto weight = pipeline::weight_of(value.value)) return add_weight(std::move(lanes), *weight);
    lanes.source = source_of(value.value);
    plan_.inputs.push_back(std::move(lanes));
  }

 private:
  /// MSH-5: the primitive's value, whatever is said of interpolation.
  void add(LaneInput lanes, const StageVariable& from) {
    lanes.interpolation = {.flat = true};
    MeshAttribute attribute;
    attribute.flat = true;
    attribute.source = MeshAttribute::Source::Primitives;
    add_attribute(std::move(lanes), std::move(attribute), {from.offset, from.type, true});
  }
  void add_weight(LaneInput lanes, const pipeline::VertexWeight& weight) {
    MeshAttribute attribute;
    attribute.linear = weight.interpolation.linear;
    attribute.source = MeshAttribute::Source::Weight;
    attribute.vertex = weight.vertex;
    lanes.interpolation = weight.interpolation;
    add_attribute(std::move(lanes), std::move(attribute), {});
  }
  void add_attribute(LaneInput lanes, MeshAttribute attribute, pipeline::RecordComponent from) {
    lanes.source = LaneInput::Source::Attribute;
    lanes.components = {static_cast<std::uint32_t>(mesh_.attributes.size())};
    mesh_.attributes.push_back(std::move(attribute));
    plan_.from_vertices.push_back(from);
    plan_.inputs.push_back(std::move(lanes));
  }

  const isa::Object& kernel_;
  const shader_interface::ShaderInterface& before_;
  pipeline::PixelPlan& plan_;
  pipeline::Mesh& mesh_;
};

/// The interface of the last stage before the rasterizer.
const shader_interface::ShaderInterface& before_pixels(const GraphicsPipeline& pipeline) {
  return before(ShaderStage::Fragment, pipeline);
}

/// Inputs without an output, by location.
std::vector<PixelPrograms::Missing> missing_inputs(const StageVariables& inputs,
                                                   const shader_interface::ShaderInterface& before) {
  std::vector<PixelPrograms::Missing> missing;
  const auto written = [&](const StageVariable& v) {
    return find_output(before.outputs, v) != nullptr || find_output(before.primitive_outputs, v) != nullptr;
  };
  for (const StageVariable& v : inputs) {
    if (written(v) || std::ranges::any_of(missing, [&](const auto& m) { return m.location == v.location; })) continue;
    const bool partly = std::ranges::any_of(
        inputs, [&](const StageVariable& other) { return other.location == v.location && written(other); });
    missing.push_back({v.location, partly});
  }
  return missing;
}

/// Which targets the shader writes to, in order of location: the order of its messages.
void take_targets(const shader_interface::ShaderInterface& interface, Shader& shader, PixelPrograms& to) {
  auto none = std::make_shared<image::Surface>();
  none->type = image::SurfaceType::Null;
  for (const shader_interface::SurfaceLine& line : interface.surfaces) {
    if (line.kind == ResourceKind::Target) to.targets.push_back({index_of(shader, line.variable), line.location});
    if (line.kind == ResourceKind::NoTarget) shader.bound.bindings.surfaces[index_of(shader, line.variable)] = none;
  }
  std::ranges::sort(to.targets, {}, &PixelPrograms::Target::location);
}

base::Result<base::Done> make_vertex_stage(Device& device, GraphicsPipeline& to) {
  GraphicsStage& shader = to.stages[ShaderStage::Vertex];
  set_shader(device, *shader.loaded, shader);
  if (shader.loaded->interface.of_kind(ResourceKind::VertexOutputs) == nullptr)
    return base::error("compile-entry", "the shader is no vertex shader");
  shader.bound.payload.resize(payload_bytes(shader.loaded->program->object()));
  if (!to.dynamic_input) set_vertex_input(device, to.input.attributes, to);
  return base::Done{};
}

base::Result<base::Done> make_geometry_stage(Device& device, GraphicsPipeline& to) {
  GraphicsStage& shader = to.stages[ShaderStage::Geometry];
  set_shader(device, *shader.loaded, shader);
  const shader_interface::ShaderInterface& interface = shader.loaded->interface;
  if (interface.stage != ShaderStage::Geometry) return base::error("compile-entry", "the shader is no geometry shader");
  const isa::Object& kernel = shader.loaded->program->object();
  shader.bound.payload.resize(payload_bytes(kernel));
  const auto own = [&](ResourceKind kind) { return own_surface(shader, *interface.of_kind(kind)); };
  pipeline::GeometryPlan plan;
  plan.simd = static_cast<unsigned>(kernel.integer_attribute("SimdSize").value_or(kPixelLanes));
  plan.scratch_bytes = pipeline::scratch_of(kernel);
  for (const shader_interface::ValueLine& v : interface.values)
    plan.values.push_back({v.value, offset_of(kernel, v.variable)});
  shader_interface::take_geometry(interface, before(ShaderStage::Geometry, to), plan);
  plan.records = own(ResourceKind::VertexOutputs);
  plan.vertices = own(ResourceKind::VertexInputs);
  plan.table = own(ResourceKind::PrimitiveVertices);
  plan.counts = own(ResourceKind::EmittedCounts);
  to.geometry = pipeline::GeometryProgram::create(shader.loaded->program, std::move(plan), shader.bound,
                                                  code_options(device, shader));
  return base::Done{};
}

base::Result<base::Done> make_fragment_stage(Device& device, GraphicsPipeline& to) {
  GraphicsStage& shader = to.stages[ShaderStage::Fragment];
  set_shader(device, *shader.loaded, shader);
  const shader_interface::ShaderInterface& interface = shader.loaded->interface;
  if (interface.stage != shader_interface::ShaderStage::Fragment)
    return base::error("compile-entry", "the shader is no fragment shader");
  shader.bound.payload.resize(payload_bytes(shader.loaded->program->object()));
  to.pixels.missing = missing_inputs(interface.inputs, before_pixels(to));
  const auto gives_rate = [](const StageVariable& v) { return v.location == shader_interface::kShadingRateLocation; };
  to.pixels.primitive_rates = std::ranges::any_of(before_pixels(to).outputs, gives_rate) ||
                              std::ranges::any_of(before_pixels(to).primitive_outputs, gives_rate);
  take_targets(interface, shader, to.pixels);
  if (!to.dynamic_samples) set_samples(device, to.state, to);
  return base::Done{};
}

using Make = base::Result<base::Done> (*)(Device&, GraphicsPipeline&);
constexpr isa::PerStage<Make> kMakers = [] {
  isa::PerStage<Make> makers;
  makers[ShaderStage::Vertex] = make_vertex_stage;
  makers[ShaderStage::TessellationControl] = make_control_stage;
  makers[ShaderStage::TessellationEvaluation] = make_evaluation_stage;
  makers[ShaderStage::Geometry] = make_geometry_stage;
  makers[ShaderStage::Task] = make_task_stage;
  makers[ShaderStage::Mesh] = make_mesh_stage;
  makers[ShaderStage::Fragment] = make_fragment_stage;
  return makers;
}();
static_assert(std::ranges::all_of(kStageRows,
                                  [](const StageRow& row) {
                                    return !isa::stage_info(row.stage).compiled || row.part == 0 ||
                                           kMakers[row.stage] != nullptr;
                                  }),
              "a stage that is compiled becomes a program here");

}  // namespace

base::Result<base::Done> make_stage(Device& device, ShaderStage stage, GraphicsPipeline& to) {
  return kMakers[stage](device, to);
}

void set_records(GraphicsPipeline& to) {
  const shader_interface::ShaderInterface& last = before_pixels(to);
  pipeline::RecordLayout layout;
  layout.stride = last.of_kind(ResourceKind::VertexOutputs)->stride;
  to.records.reset();
  shader_interface::take_primitive_outputs(last, layout.primitives);
  if (take_outputs(last.outputs, layout)) to.records = std::move(layout);
  to.capture = shader_interface::capture_plan(last);
}

void set_vertex_input(Device& device, const std::vector<VertexInput::Attribute>& attributes,
                      GraphicsPipeline& pipeline) {
  GraphicsStage& shader = pipeline.stages[ShaderStage::Vertex];
  VertexPrograms& to = pipeline.vertices;
  if (to.program && to.variants[to.variant].attributes == attributes) return;
  const auto known = std::ranges::find(to.variants, attributes, &VertexPrograms::Variant::attributes);
  if (known == to.variants.end()) {
    if (to.variants.size() == kMaxVariants) to.variants.clear();
    const isa::Object& kernel = shader.loaded->program->object();
    const shader_interface::ShaderInterface& interface = shader.loaded->interface;
    VertexPrograms::Variant& made = to.variants.emplace_back();
    made.attributes = attributes;
    pipeline::VertexPlan plan;
    plan.simd = static_cast<unsigned>(kernel.integer_attribute("SimdSize").value_or(kPixelLanes));
    plan.scratch_bytes = pipeline::scratch_of(kernel);
    for (const StageVariable& v : interface.inputs) {
      auto fetch = fetch_of(v, attributes);
      note_input(v, fetch, made.inputs);
      if (!fetch) continue;
      fetch->register_offset = offset_of(kernel, v.variable);
      plan.fetches.push_back(*fetch);
    }
    for (const shader_interface::ValueLine& v : interface.values)
      plan.values.push_back({v.value, offset_of(kernel, v.variable)});
    (void)take_outputs(interface.outputs, plan);
    const shader_interface::SurfaceLine& records = *interface.of_kind(ResourceKind::VertexOutputs);
    plan.stride = records.stride;
    plan.records = own_surface(shader, records);
    made.program = pipeline::VertexProgram::create(shader.loaded->program, std::move(plan), shader.bound,
                                                   code_options(device, shader));
    to.variant = to.variants.size() - 1;
  } else {
    to.variant = static_cast<std::size_t>(known - to.variants.begin());
  }
  to.program = to.variants[to.variant].program;
  to.inputs = to.variants[to.variant].inputs;
}

namespace {

/// The program for so many samples in their standard positions.
const std::shared_ptr<const pipeline::PixelProgram>& program_of(Device& device, std::uint32_t samples,
                                                                GraphicsPipeline& to) {
  std::shared_ptr<const pipeline::PixelProgram>& program = to.pixels.programs[samples];
  if (!program) {
    GraphicsStage& shader = to.stages[ShaderStage::Fragment];
    const isa::Object& kernel = shader.loaded->program->object();
    const shader_interface::ShaderInterface& interface = shader.loaded->interface;
    pipeline::PixelPlan plan;
    plan.simd = static_cast<unsigned>(kernel.integer_attribute("SimdSize").value_or(kPixelLanes));
    plan.scratch_bytes = pipeline::scratch_of(kernel);
    plan.samples = samples;
    plan.positions = pipeline::sample_positions(samples);
    const bool asks = asks_for_samples(interface);
    plan.per_sample = samples > 1 && (to.pixels.per_sample || asks);
    to.pixels.sample_shading = to.pixels.sample_shading || asks;
    plan.early_tests = interface.early_tests;
    plan.keeps_fragments = interface.keeps_fragments;
    plan.own_subspans = interface.own_subspans;
    plan.own_lanes = interface.own_lanes;
    plan.post_depth_coverage = interface.post_depth_coverage;
    plan.samples_in_turn = interface.samples_in_turn;
    plan.line_alpha = !to.pixels.targets.empty() && to.pixels.targets.front().location == 0;
    to.draw.mesh.attributes.clear();  // the same for every number of samples
    Inputs inputs(kernel, before_pixels(to), plan, to.draw.mesh);
    for (const StageVariable& v : interface.inputs) inputs.add(v);
    for (const shader_interface::ValueLine& v : interface.values) inputs.add(v);
    program = pipeline::PixelProgram::create(shader.loaded->program, std::move(plan), shader.bound,
                                             code_options(device, shader));
  }
  return program;
}

std::vector<pipeline::SamplePosition> positions_of(const GraphicsState& state) {
  if (state.moves_samples == VK_FALSE || state.positions.count != state.samples)
    return pipeline::sample_positions(state.samples);
  return {state.positions.at.begin(), state.positions.at.begin() + state.positions.count};
}

}  // namespace

void set_samples(Device& device, const GraphicsState& state, GraphicsPipeline& to) {
  PixelPrograms& pixels = to.pixels;
  std::vector<pipeline::SamplePosition> positions = positions_of(state);
  if (pixels.program && pixels.program->plan().positions == positions) return;
  pixels.program = program_of(device, state.samples, to);
  if (pixels.program->plan().positions != positions) {  // RAS-10
    const auto known =
        std::ranges::find_if(pixels.moved, [&](const auto& p) { return p->plan().positions == positions; });
    if (known != pixels.moved.end()) {
      pixels.program = *known;
    } else {
      if (pixels.moved.size() == kMaxVariants) pixels.moved.clear();
      pixels.program = pixels.moved.emplace_back(pixels.program->with_positions(std::move(positions)));
    }
  }
  to.draw.raster.samples = pixels.program->plan().positions;
}

}  // namespace heddle::vulkan
