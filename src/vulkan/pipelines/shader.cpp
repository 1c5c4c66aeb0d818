// SPDX-License-Identifier: MIT
#include "vulkan/pipelines/shader.hpp"

#include <algorithm>
#include <cstring>

#include "base/byte_cursor.hpp"
#include "base/disk_cache.hpp"
#include "base/environment/interpret.hpp"
#include "engine/jit/runtime/expect_code.hpp"
#include "spirv/assembly_lines.hpp"
#include "spirv/missing_words.hpp"
#include "spirv/module.hpp"
#include "spirv/specialization.hpp"
#include "text/text.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/device/properties/limits.hpp"
#include "vulkan/device/properties/settings.hpp"
#include "vulkan/objects/memory/buffer.hpp"
#include "vulkan/pipelines/code/shader_module.hpp"
#include "vulkan/pipelines/pipeline_cache.hpp"

namespace heddle::vulkan {
namespace {

// Numbers of SPIR-V's specification.
constexpr std::uint16_t kOpDecorate = 71;
constexpr std::uint32_t kSpecId = 1;
constexpr std::uint32_t kHeaderBytes = 32;  // global offset and local size, in front of the arguments

/// A constant's bits as the module's type reads them.
std::variant<std::int64_t, double, bool> value_of(const spirv::Module& module, const spirv::Instruction& constant,
                                                  const std::byte* bytes, std::size_t size) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes, std::min<std::size_t>(size, 8));
  return spirv::value_of_bits(module, constant, bits);
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
             value_of(module, *constant, static_cast<const std::byte*>(info->pData) + entry.offset, entry.size),
             constant->result});
  }
  return list;
}

spirv::CompileOptions options_of(const StageSource& stage, const spirv::Module& module) {
  spirv::CompileOptions options;
  options.entry = stage.entry;
  options.stage = stage.stage;
  options.platform = kPlatform;
  options.simd = stage.simd;
  options.specialization = specialization_of(module, stage.specialization);
  options.lenient = true;
  options.layout = {true, true, true, true};  // what applications may not use, validation says
  options.array_lengths = stage.array_lengths;
  options.planes = stage.planes;
  options.check_output = false;  // its reader finds what can't be read
  options.sample_shading = stage.sample_shading;
  options.alpha_to_coverage = stage.alpha_to_coverage;
  options.targets = stage.targets;
  options.empty_write = true;
  if (!base::may_interpret()) options.translating = engine::jit::expect_code;
  return options;
}

std::uint64_t bytes_attribute(const isa::Object& kernel, std::string_view name) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, kernel.integer_attribute(name).value_or(0)));
}

}  // namespace

pipeline::ComputePlan group_plan(const isa::Object& kernel, std::uint32_t& payload_bytes) {
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

namespace {

/// Of the others the draw itself knows what they are.
bool has_descriptor(shader_interface::ResourceKind kind) {
  return kind <= shader_interface::ResourceKind::PushConstant;
}

/// Gives the elements of surface and sampler variables their places in the binding table.
void place_slots(const isa::Object& kernel, const shader_interface::ShaderInterface& interface, Shader& shader) {
  machine::Bindings& bindings = shader.bound.bindings;
  std::uint32_t next = 0;
  for (std::uint32_t i = 0; i < kernel.surfaces.size(); ++i) {
    const std::uint32_t id = isa::kFirstSurface + i, elements = std::max(1u, kernel.surfaces[i].elements);
    const shader_interface::SurfaceLine* line = interface.surface(id);
    for (std::uint32_t e = 0; e < elements; ++e, ++next) {
      bindings.surface_variables[id].push_back(next);
      if (line != nullptr && has_descriptor(line->kind))
        shader.surfaces.push_back({.index = next,
                                   .kind = line->kind,
                                   .set = line->set,
                                   .binding = line->binding,
                                   .element = line->element.value_or(e),
                                   .array = line->element.has_value(),
                                   .name = line->name.empty() ? line->block : line->name});
    }
  }
  bindings.surfaces.resize(next);
  next = 0;
  for (std::uint32_t i = 0; i < kernel.samplers.size(); ++i) {
    const shader_interface::SamplerLine* line = interface.sampler(i);
    for (std::uint32_t e = 0; e < std::max(1u, kernel.samplers[i].elements); ++e, ++next) {
      bindings.sampler_variables[i].push_back(next);
      if (line != nullptr)
        shader.samplers.push_back({.index = next,
                                   .set = line->set,
                                   .binding = line->binding,
                                   .element = line->element.value_or(e),
                                   .array = line->element.has_value(),
                                   .name = line->name});
    }
  }
  bindings.samplers.resize(next);
  for (const shader_interface::SurfaceLine& line : interface.surfaces)
    if (line.bindless())
      shader.surfaces.push_back({.index = line.variable - shader_interface::kFirstHandle,
                                 .bindless = true,
                                 .kind = line.kind,
                                 .set = line.set,
                                 .binding = line.binding,
                                 .element = line.element.value_or(0),
                                 .count = line.count,
                                 .array = line.element.has_value(),
                                 .name = line.name.empty() ? line.block : line.name});
  for (const shader_interface::SamplerLine& line : interface.samplers)
    if (line.bindless())
      shader.samplers.push_back({.index = line.variable - shader_interface::kFirstHandle,
                                 .bindless = true,
                                 .set = line.set,
                                 .binding = line.binding,
                                 .element = line.element.value_or(0),
                                 .count = line.count,
                                 .array = line.element.has_value(),
                                 .name = line.name});
  std::uint32_t sets = 0;
  for (const auto* slots : {&shader.surfaces, &shader.samplers})
    for (const Shader::Slot& slot : *slots)
      if (slot.kind != shader_interface::ResourceKind::PushConstant)
        sets = std::max(sets, std::min(slot.set, kMaxSets - 1) + 1);
  shader.standing.resize(sets);
  shader.reading.resize(sets);
}

/// Messages are the shader's own, like push constants.
void give_messages(Shader& shader, std::uint64_t bytes) {
  machine::Bindings& bindings = shader.bound.bindings;
  shader.messages = std::make_shared<image::Memory>(bytes);
  bindings.surfaces[*bindings.messages] = raw_surface(shader.messages, 0, bytes);
}

/// The buffer that the shader's messages are written to.
void bind_messages(const shader_interface::ShaderInterface& interface, Shader& shader) {
  const shader_interface::SurfaceLine* line = interface.of_kind(shader_interface::ResourceKind::Messages);
  if (line == nullptr) return;
  machine::Bindings& bindings = shader.bound.bindings;
  const std::uint32_t index = bindings.surface_variables.at(line->variable).front();
  shader.prints = interface.prints;
  bindings.messages = index;
  give_messages(shader, line->bytes);
}

void bind_constants(const shader_interface::ShaderInterface& interface, Shader& shader) {
  const shader_interface::SurfaceLine* line = interface.of_kind(shader_interface::ResourceKind::Constants);
  if (line == nullptr) return;
  machine::Bindings& bindings = shader.bound.bindings;
  auto bytes = std::make_shared<image::Memory>(line->data.size());
  std::ranges::copy(line->data, bytes->data());
  bindings.surfaces[bindings.surface_variables.at(line->variable).front()] =
      raw_surface(std::move(bytes), 0, line->data.size());
}

}  // namespace

std::string key_of(const StageSource& stage) {
  base::KeyMaker key;
  key.text("vulkan stage");
  key.text(base::build_name());
  key.value(stage.words.size());
  key.add(stage.words.data(), stage.words.size_bytes());
  key.text(stage.entry);
  key.value(isa::stage_info(stage.stage).execution_model);
  key.value(stage.simd);
  key.value(stage.array_lengths.size());
  for (const auto& [place, length] : stage.array_lengths) key.values(place.first, place.second, length);
  key.value(stage.planes.size());
  for (const auto& [place, list] : stage.planes) {
    key.values(place.first, place.second, list.size());
    key.add(list.data(), list.size() * sizeof list[0]);
  }
  key.value(stage.targets);
  key.value((stage.sample_shading ? 1u : 0u) | (stage.alpha_to_coverage ? 2u : 0u));
  if (const VkSpecializationInfo* s = stage.specialization) {
    for (const VkSpecializationMapEntry& entry : std::span(s->pMapEntries, s->mapEntryCount))
      key.values(entry.constantID, entry.offset, static_cast<std::uint64_t>(entry.size));
    key.value(s->dataSize);
    key.add(s->pData, s->dataSize);
  }
  return key.hex();
}

namespace {

base::Result<std::shared_ptr<const std::string>> compile(const StageSource& stage) {
  const std::vector<std::uint32_t> completed = spirv::with_missing_words(stage.words);
  const std::span<const std::uint32_t> words = completed.empty() ? stage.words : std::span(completed);
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(words.data()), words.size_bytes());
  auto module = spirv::read_binary(bytes, stage.entry);
  if (!module.ok()) return module.failure();
  // Captured programs name the lines that they were made from; the capture has the words as the program gave them.
  if (capture_folder() && completed.empty()) spirv::take_assembly_lines(*module);
  base::Diagnostics warnings;
  const base::DiskCache disk("shader");
  auto compiled = spirv::compile(*module, options_of(stage, *module), warnings, disk);
  if (!compiled.ok()) return compiled.failure();
  return std::make_shared<const std::string>(std::move(compiled->text));
}

/// Push constants are the shader's own.
void give_push_constants(Shader& shader) {
  for (const Shader::Slot& slot : shader.surfaces)
    if (slot.kind == shader_interface::ResourceKind::PushConstant) {
      shader.push = std::make_shared<image::Memory>(kPushConstantBytes);
      shader.bound.bindings.surfaces[slot.index] = raw_surface(shader.push, 0, kPushConstantBytes);
    }
}

/// Another pipeline like one that was never bound.
std::unique_ptr<Pipeline> another(const Pipeline& like) {
  auto pipeline = std::make_unique<Pipeline>();
  static_cast<Shader&>(*pipeline) = like;
  pipeline->program = like.program;
  pipeline->local = like.local;
  give_push_constants(*pipeline);
  if (like.messages) give_messages(*pipeline, like.messages->size());
  return pipeline;
}

}  // namespace

base::Result<std::shared_ptr<const LoadedStage>> read_stage(std::shared_ptr<const std::string> text) {
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
  auto interface = shader_interface::read_interface(*source, *kernel, diagnostics);
  if (!interface || diagnostics.has_errors()) return base::Failure(diagnostics.all());
  auto program = pipeline::Program::create(source, *kernel, kPlatform);
  if (!program.ok()) return program.failure();
  return std::make_shared<const LoadedStage>(LoadedStage{std::move(text), std::move(*program), std::move(*interface)});
}

std::unique_ptr<Pipeline> make_compute_pipeline(Device& device, const LoadedStage& stage,
                                                VkPipelineCreateFlags2 flags) {
  auto pipeline = std::make_unique<Pipeline>();
  pipeline->listed = listed_code(flags);
  set_shader(device, stage, *pipeline);
  const isa::Object& kernel = stage.program->object();
  pipeline->local = stage.interface.local;
  std::uint32_t payload_bytes = 0;
  pipeline::ComputePlan plan = group_plan(kernel, payload_bytes);
  pipeline->bound.payload.resize(payload_bytes);
  for (const shader_interface::ValueLine& value : stage.interface.values)
    for (const isa::Input& input : kernel.inputs)
      if (value.value == pipeline::SystemValue::GroupCount && input.kind() == isa::InputKind::General &&
          input.id == value.variable)
        plan.grid_inputs.push_back({pipeline::ComputePlan::GridValue::GroupCount, input.offset});
  pipeline->program = pipeline::ComputeProgram::create(stage.program, std::move(plan), pipeline->bound,
                                                       code_options(device, *pipeline));
  return pipeline;
}

base::Result<std::shared_ptr<const LoadedStage>> load_stage(const StageSource& stage, const std::string& key,
                                                            PipelineCache* cache) {
  CachedStage known;
  if (cache != nullptr) known = cache->find(key).value_or(CachedStage());
  if (known.loaded) return std::move(known.loaded);
  if (!known.text) {
    auto compiled = compile(stage);
    if (!compiled.ok()) return compiled.failure();
    known.text = std::move(*compiled);
  }
  auto loaded = read_stage(known.text);
  if (!loaded.ok()) return loaded.failure();
  known.loaded = *loaded;
  if (cache != nullptr) cache->store(key, known);
  return loaded;
}

StageSource source_of(const VkPipelineShaderStageCreateInfo& info) {
  StageSource stage;
  if (info.module != VK_NULL_HANDLE) {
    stage.words = from_handle(info.module)->words;
  } else if (const auto* code =
                 find_in_chain<VkShaderModuleCreateInfo>(info.pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO)) {
    stage.words = {code->pCode, code->codeSize / 4};
  }
  stage.entry = info.pName;
  stage.stage = stage_of_flag(info.stage);
  if (const auto* size = find_in_chain<VkPipelineShaderStageRequiredSubgroupSizeCreateInfo>(
          info.pNext, VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO))
    stage.simd = size->requiredSubgroupSize;
  stage.specialization = info.pSpecializationInfo;
  return stage;
}

void set_shader(Device& device, const LoadedStage& stage, Shader& shader) {
  const isa::Object& kernel = stage.program->object();
  shader.name = kernel.name;
  shader.visa = stage.visa;
  place_slots(kernel, stage.interface, shader);
  give_push_constants(shader);
  if (const auto* block = stage.interface.of_kind(shader_interface::ResourceKind::PushConstant))
    shader.push_bytes = std::min<std::uint64_t>(block->block_bytes(), kPushConstantBytes);
  bind_messages(stage.interface, shader);
  bind_constants(stage.interface, shader);
  shader.bound.bindings.memory.set_outer(device.addresses);
}

std::shared_ptr<pipeline::ListedCode> listed_code(VkPipelineCreateFlags2 flags) {
  const bool wanted = (flags & VK_PIPELINE_CREATE_2_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR) != 0;
  return wanted ? std::make_shared<pipeline::ListedCode>() : nullptr;
}

pipeline::CodeOptions code_options(Device& device, const Shader& shader) {
  pipeline::CodeOptions code;
  code.listed = shader.listed;
  code.memory = &device.kernels;
  code.fast = !device.checks;
  return code;
}

base::Result<std::unique_ptr<Pipeline>> make_pipeline(Device& device, const StageSource& stage,
                                                      VkPipelineCreateFlags2 flags, const std::string& key,
                                                      PipelineCache* cache) {
  const bool listed = listed_code(flags) != nullptr;  // then the programs are its own
  if (cache != nullptr && !listed)
    if (const auto known = cache->find(key); known && known->pipeline) return another(*known->pipeline);
  auto loaded = load_stage(stage, key, cache);
  if (!loaded.ok()) return loaded.failure();
  std::unique_ptr<Pipeline> made = make_compute_pipeline(device, **loaded, flags);
  if (cache != nullptr && !listed)
    cache->store(key, {.text = (*loaded)->visa, .loaded = *loaded, .pipeline = another(*made)});
  return made;
}

}  // namespace heddle::vulkan
