#include "vulkan/objects/shader.hpp"

#include <algorithm>
#include <cstring>

#include "base/byte_cursor.hpp"
#include "base/disk_cache.hpp"
#include "base/half.hpp"
#include "spirv/module.hpp"
#include "text/text.hpp"
#include "vulkan/device/limits.hpp"
#include "vulkan/objects/device.hpp"
#include "vulkan/objects/memory.hpp"

namespace heddle::vulkan {
namespace {

// Numbers of SPIR-V's specification.
constexpr std::uint16_t kOpTypeFloat = 22, kOpSpecConstantTrue = 48, kOpSpecConstantFalse = 49, kOpDecorate = 71;
constexpr std::uint32_t kSpecId = 1;
constexpr isa::Platform kPlatform = isa::Platform::SKL;
constexpr std::uint32_t kHeaderBytes = 32;  // global offset and local size, in front of the arguments

/// A constant's bits as the module's type reads them.
std::variant<std::int64_t, double, bool> value_of(const spirv::Module& module, const spirv::Instruction& constant,
                                                  const std::byte* bytes, std::size_t size) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes, std::min<std::size_t>(size, 8));
  if (constant.opcode == kOpSpecConstantTrue || constant.opcode == kOpSpecConstantFalse) return bits != 0;
  const spirv::Instruction* type = module.find(constant.type);
  if (type == nullptr || type->opcode != kOpTypeFloat || type->operands.empty()) return static_cast<std::int64_t>(bits);
  switch (type->operands[0]) {
    case 16:
      return static_cast<double>(base::half_to_float(static_cast<std::uint16_t>(bits)));
    case 32:
      return static_cast<double>(base::float_from_bits(static_cast<std::uint32_t>(bits)));
    default:
      return std::bit_cast<double>(bits);
  }
}

/// Constants that the module does not have are passed over.
std::vector<spirv::Specialization> specialization_of(const spirv::Module& module, const VkSpecializationInfo* info) {
  std::vector<spirv::Specialization> list;
  if (info == nullptr) return list;
  for (const spirv::Instruction& i : module.instructions) {
    if (i.opcode != kOpDecorate || i.operands.size() < 3 || i.operands[1] != kSpecId) continue;
    const spirv::Instruction* constant = module.find(i.operands[0]);
    if (constant == nullptr) continue;
    for (const VkSpecializationMapEntry& entry : std::span(info->pMapEntries, info->mapEntryCount))
      if (entry.constantID == i.operands[2] && entry.offset <= info->dataSize &&
          entry.size <= info->dataSize - entry.offset)
        list.push_back(
            {entry.constantID,
             value_of(module, *constant, static_cast<const std::byte*>(info->pData) + entry.offset, entry.size)});
  }
  return list;
}

spirv::CompileOptions options_of(const ShaderStage& stage, const spirv::Module& module) {
  spirv::CompileOptions options;
  options.entry = stage.entry;
  options.platform = kPlatform;
  options.simd = stage.simd;
  options.specialization = specialization_of(module, stage.specialization);
  options.lenient = true;
  options.layout = {true, true, true, true};  // what applications may not use, validation says
  options.runtime_array = stage.runtime_array;
  options.check_output = false;  // its reader finds what can't be read
  return options;
}

std::uint64_t bytes_attribute(const isa::Object& kernel, std::string_view name) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, kernel.integer_attribute(name).value_or(0)));
}

/// How the parts of a compute thread's payload lie (docs/spirv-interface.md): r0, local ids, the header, the rest.
pipeline::ComputePlan plan_of(const isa::Object& kernel, std::uint32_t& payload_bytes) {
  pipeline::ComputePlan plan;
  plan.shader = true;
  plan.simd = static_cast<unsigned>(kernel.integer_attribute("SimdSize").value_or(16));
  plan.grf_bytes = isa::platform_info(kPlatform).grf_bytes;
  plan.arguments = plan.grf_bytes + 3 * std::max(plan.grf_bytes, plan.simd * 2);
  plan.scratch_bytes = bytes_attribute(kernel, "SpillMemOffset");
  plan.slm_bytes = bytes_attribute(kernel, "SLMSize");
  plan.local_size.push_back(plan.arguments + 12);
  payload_bytes = plan.arguments + kHeaderBytes;
  for (const isa::Input& input : kernel.inputs) {
    payload_bytes = std::max(payload_bytes, input.offset + input.size);
    if (input.kind() == isa::InputKind::General && input.offset >= plan.grf_bytes && input.offset < plan.arguments)
      plan.local_ids.push_back({input.offset, input.size});
  }
  return plan;
}

/// Gives the elements of surface and sampler variables their places in the binding table.
void place_slots(const isa::Object& kernel, const shader_interface::ShaderInterface& interface, Pipeline& pipeline) {
  machine::Bindings& bindings = pipeline.bound.bindings;
  std::uint32_t next = 0;
  for (std::uint32_t i = 0; i < kernel.surfaces.size(); ++i) {
    const std::uint32_t id = isa::kFirstSurface + i, elements = std::max(1u, kernel.surfaces[i].elements);
    const shader_interface::SurfaceLine* line = interface.surface(id);
    for (std::uint32_t e = 0; e < elements; ++e, ++next) {
      bindings.surface_variables[id].push_back(next);
      if (line != nullptr)
        pipeline.surfaces.push_back({.index = next,
                                     .kind = line->kind,
                                     .set = line->set,
                                     .binding = line->binding,
                                     .element = line->element.value_or(e),
                                     .name = line->name});
    }
  }
  bindings.surfaces.resize(next);
  next = 0;
  for (std::uint32_t i = 0; i < kernel.samplers.size(); ++i) {
    const shader_interface::SamplerLine* line = interface.sampler(i);
    for (std::uint32_t e = 0; e < std::max(1u, kernel.samplers[i].elements); ++e, ++next) {
      bindings.sampler_variables[i].push_back(next);
      if (line != nullptr)
        pipeline.samplers.push_back(
            {.index = next, .set = line->set, .binding = line->binding, .element = line->element.value_or(e)});
    }
  }
  bindings.samplers.resize(next);
  for (const shader_interface::SurfaceLine& line : interface.surfaces)
    if (line.bindless())
      pipeline.surfaces.push_back({.index = line.variable - shader_interface::kFirstHandle,
                                   .bindless = true,
                                   .kind = line.kind,
                                   .set = line.set,
                                   .binding = line.binding,
                                   .element = line.element.value_or(0),
                                   .name = line.name});
  for (const shader_interface::SamplerLine& line : interface.samplers)
    if (line.bindless())
      pipeline.samplers.push_back({.index = line.variable - shader_interface::kFirstHandle,
                                   .bindless = true,
                                   .set = line.set,
                                   .binding = line.binding,
                                   .element = line.element.value_or(0)});
}

}  // namespace

std::string key_of(const ShaderStage& stage) {
  base::KeyMaker key;
  key.text("vulkan stage");
  key.text(base::build_name());
  key.value(stage.words.size());
  key.add(stage.words.data(), stage.words.size_bytes());
  key.text(stage.entry);
  key.value(stage.simd);
  key.value(stage.runtime_array);
  if (const VkSpecializationInfo* s = stage.specialization) {
    for (const VkSpecializationMapEntry& entry : std::span(s->pMapEntries, s->mapEntryCount))
      key.values(entry.constantID, entry.offset, static_cast<std::uint64_t>(entry.size));
    key.value(s->dataSize);
    key.add(s->pData, s->dataSize);
  }
  return key.hex();
}

base::Result<std::string> compile_stage(const ShaderStage& stage, PipelineCache* cache) {
  const std::string key = key_of(stage);
  if (cache != nullptr)
    if (auto found = cache->find(key)) return *found;
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(stage.words.data()), stage.words.size_bytes());
  const auto module = spirv::read_binary(bytes, stage.entry);
  if (!module.ok()) return module.failure();
  base::Diagnostics warnings;
  const base::DiskCache disk("shader");
  auto compiled = spirv::compile(*module, options_of(stage, *module), warnings, disk);
  if (!compiled.ok()) return compiled.failure();
  if (cache != nullptr) cache->store(key, compiled->text);
  return std::move(compiled->text);
}

base::Result<std::unique_ptr<Pipeline>> make_pipeline(Device& device, std::string visa) {
  const auto text = std::make_shared<const std::string>(std::move(visa));
  text::ParseOptions options;
  options.platform = kPlatform;
  options.owner = text;
  base::Diagnostics diagnostics;
  auto parsed = text::parse(*text, "compiled shader", options, diagnostics);
  if (!parsed) return base::Failure(diagnostics.all());
  parsed->written = isa::Program::Written::InMemory;
  auto source = std::make_shared<const isa::Program>(std::move(*parsed));
  const auto kernel = std::ranges::find_if(
      source->objects, [](const isa::Object& object) { return object.kind == isa::ObjectKind::Kernel; });
  if (kernel == source->objects.end()) return base::error("compile-entry", "the shader has no kernel");
  const auto interface = shader_interface::read_interface(*source, *kernel, diagnostics);
  if (!interface || diagnostics.has_errors()) return base::Failure(diagnostics.all());

  auto pipeline = std::make_unique<Pipeline>();
  pipeline->name = kernel->name;
  pipeline->local = interface->local;
  place_slots(*kernel, *interface, *pipeline);
  for (const Pipeline::Slot& slot : pipeline->surfaces)
    if (slot.kind == shader_interface::ResourceKind::PushConstant) {
      pipeline->push = std::make_shared<image::Memory>(kPushConstantBytes);
      pipeline->bound.bindings.surfaces[slot.index] = raw_surface(pipeline->push, 0, kPushConstantBytes);
    }
  std::uint32_t payload_bytes = 0;
  pipeline::ComputePlan plan = plan_of(*kernel, payload_bytes);
  pipeline->bound.payload.resize(payload_bytes);
  for (const shader_interface::ValueLine& value : interface->values)
    for (const isa::Input& input : kernel->inputs)
      if (value.value == pipeline::SystemValue::GroupCount && input.kind() == isa::InputKind::General &&
          input.id == value.variable)
        plan.grid_inputs.push_back({pipeline::ComputePlan::GridValue::GroupCount, input.offset});
  pipeline->bound.bindings.memory.set_outer(device.addresses);
  const isa::Object& object = *kernel;
  auto program = pipeline::Program::create(std::move(source), object, kPlatform);
  if (!program.ok()) return program.failure();
  pipeline::CodeOptions code;
  code.memory = &device.kernels;
  code.fast = !device.checks;
  pipeline->program = pipeline::ComputeProgram::create(*program, std::move(plan), pipeline->bound, code);
  return pipeline;
}

}  // namespace heddle::vulkan
