// SPDX-License-Identifier: MIT
// Resources of compiled shaders by their SPIR-V names: variable or block name, "set.binding", array elements.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/fixed_limits.hpp"
#include "image/format.hpp"
#include "image/sample_layers.hpp"
#include "instructions/sampler/operation.hpp"
#include "job/bind/binder.hpp"
#include "job/bind/image_shape.hpp"
#include "job/shader/block.hpp"
#include "shader_interface/words.hpp"
#include "texture/sampler_record.hpp"

namespace heddle::job {
namespace {

struct Keys {
  std::vector<std::string> all;  ///< in order of preference
  [[nodiscard]] const std::string& first() const { return all.front(); }
};

template <typename Line>
Keys keys_of(const Line& line, std::optional<std::uint32_t> element, char letter) {
  const std::string suffix = element ? fmt::format("[{}]", *element) : std::string();
  Keys keys;
  if (!line.name.empty()) keys.all.push_back(line.name + suffix);
  if constexpr (std::is_same_v<Line, SurfaceLine>)
    if (!line.block.empty()) keys.all.push_back(line.block + suffix);
  keys.all.push_back(fmt::format("{}.{}{}", line.set, line.binding, suffix));
  if (!line.bindless())
    keys.all.push_back(fmt::format("{}{}{}", letter, line.variable, line.element ? std::string() : suffix));
  return keys;
}

std::string_view kind_text(ResourceKind kind) {
  switch (kind) {
    case ResourceKind::Image:
      return "image";
    case ResourceKind::StorageImage:
      return "storage image";
    case ResourceKind::TexelBuffer:
      return "texel buffer";
    case ResourceKind::StorageTexelBuffer:
      return "storage texel buffer";
    case ResourceKind::UniformBuffer:
      return "uniform block";
    case ResourceKind::StorageBuffer:
      return "storage buffer";
    case ResourceKind::InputAttachment:
      return "input attachment";
    case ResourceKind::RectImage:
      return "rectangle image";
    case ResourceKind::StorageSamples:
      return "multisampled storage image";
    case ResourceKind::Plane1:
    case ResourceKind::Plane2:
      return "plane";
    case ResourceKind::PushConstant:
      return "push constant block";
    case ResourceKind::Target:
      return "target";
    case ResourceKind::VertexOutputs:
    case ResourceKind::VertexInputs:
      return "record";
    case ResourceKind::PatchOutputs:
    case ResourceKind::PatchInputs:
      return "record of patches";
    case ResourceKind::PrimitiveOutputs:
      return "record of primitives";
    case ResourceKind::WorkGroups:
      return "table of groups";
    case ResourceKind::GroupCounts:
      return "count of a group";
    case ResourceKind::TaskPayload:
      return "payload";
    case ResourceKind::PrimitiveVertices:
      return "table of vertices";
    case ResourceKind::EmittedCounts:
      return "count of vertices";
    case ResourceKind::NoTarget:
      return "missing target";
    case ResourceKind::SamplerRecord:
      return "sampler's record";
    case ResourceKind::Messages:
      return "buffer of messages";
    case ResourceKind::Constants:
      return "constants";
  }
  return "surface";
}

bool is_block(ResourceKind kind) { return kind == ResourceKind::UniformBuffer || kind == ResourceKind::StorageBuffer; }
bool is_texel_buffer(ResourceKind kind) {
  return kind == ResourceKind::TexelBuffer || kind == ResourceKind::StorageTexelBuffer;
}

/// Of an image without a format in the shader: integers are read of formats of integers, and nothing else is.
std::string numbers_problem(std::string_view key, const SurfaceLine& line, const image::Surface& surface) {
  const std::optional<bool> integers = holds_integers(surface);
  const bool wanted = line.format == shader_interface::kIntegers;
  if (line.shape == shader_interface::ImageShape::Unknown || !integers || *integers == wanted) return {};
  return fmt::format("'{}' is {} of {} in the shader, and what is bound has {}", key,
                     line.kind == ResourceKind::StorageImage ? "a storage image" : "an image",
                     wanted ? "integers" : "floats", surface.info().name);
}

/// A storage image's format must be the one that the shader declares; whether its numbers are sRGB makes no difference
/// to how they are stored.
std::string format_problem(std::string_view key, const SurfaceLine& line, const image::Surface& surface) {
  if (surface.type == image::SurfaceType::Null) return {};
  if (line.format.empty() || line.format == shader_interface::kIntegers) return numbers_problem(key, line, surface);
  std::string_view own = surface.info().name;
  constexpr std::string_view kSrgb = "_SRGB";
  if (own.ends_with(kSrgb)) own.remove_suffix(kSrgb.size());
  if (own == line.format) return {};
  const bool halves = line.format == "R32G32_UINT";  // SPV-27
  return fmt::format("'{}' is a {} of {}{} in the shader, and what is bound has {}", key, kind_text(line.kind),
                     line.format, halves ? " (which R64ui and R64i are too)" : "", surface.info().name);
}

/// VKF-10: what a shader stores to and asks the size of is one level: the one that `rt_level` names, else the first of
/// the view. Null: the surface says so already.
std::shared_ptr<image::Surface> storage_view(const image::Surface& surface) {
  const std::uint32_t level = surface.rt_level != 0 ? surface.rt_level : surface.surf_min_lod;
  if (surface.is_buffer() || level >= surface.levels || (surface.rt_level == level && surface.surf_min_lod == level))
    return nullptr;
  auto view = std::make_shared<image::Surface>(surface);
  view->rt_level = view->surf_min_lod = level;
  view->mip_count = std::min(surface.mip_count, surface.levels - 1 - level);
  return view;
}

}  // namespace

std::shared_ptr<image::Surface> Binder::shader_surface(const SurfaceLine& line, std::optional<std::uint32_t> element,
                                                       std::string& lacking) {
  if (line.kind == ResourceKind::PushConstant) lacking = line.name.empty() ? "push" : line.name;
  if (!line.is_resource()) return nullptr;
  const Keys keys = keys_of(line, element, 'T');
  lacking = keys.first();
  const image::FormatInfo& raw = *image::find_format("RAW");
  const bool block = is_block(line.kind), texels = is_texel_buffer(line.kind);
  for (const std::string& key : keys.all) {
    const Image* i = image({key});
    const Buffer* b = buffer({key});
    if (i == nullptr && b == nullptr) continue;
    if (block && b == nullptr) {
      wrong(i->binding->key, fmt::format("'{}' is a {} of the shader, not an image", key, kind_text(line.kind)),
            fmt::format("expected: {}", entry("buffers", key)));
      return i->surface;  // bound, so that it is not reported as missing too
    }
    if (block) {
      if (!b->bytes || (b->surface && b->surface->format == raw.format)) return b->surface;
      return buffer_surface(b->bytes, raw.format, key);
    }
    if (texels && b != nullptr) {
      if (b->surface && b->surface->format == raw.format)
        wrong(b->binding->key, fmt::format("'{}' is a {}: its buffer needs a texel format", key, kind_text(line.kind)),
              flags_alone()
                  ? fmt::format("expected: {}:format=R32G32B32A32_FLOAT or another", entry("buffers", key))
                  : fmt::format("expected: {} with format = \"R32G32B32A32_FLOAT\" or another", entry("buffers", key)));
      else if (b->surface)
        if (std::string other = format_problem(key, line, *b->surface); !other.empty())
          wrong(b->binding->key, std::move(other), fmt::format("expected: format {}", line.format));
      return b->surface;
    }
    if (i == nullptr) {
      wrong(b->binding->key, fmt::format("'{}' is an {} of the shader, not a buffer", key, kind_text(line.kind)),
            fmt::format("expected: {}", entry("images", key)));
      return b->surface;
    }
    if (i->surface) {
      const base::Place& place = i->binding->key.place;
      if (std::string other = format_problem(key, line, *i->surface); !other.empty())
        wrong(i->binding->key, std::move(other),
              "in Vulkan the two must be the same: bind an image of that format, or change what the shader declares");
      ShapeProblem problem = shape_problem(key, line.shape, *i->surface, place.on_command_line());
      if (!problem.message.empty()) wrong(i->binding->key, std::move(problem.message), std::move(problem.note));
    }
    if (line.kind == ResourceKind::StorageImage && i->surface)
      if (auto view = storage_view(*i->surface)) return view;
    if (line.kind != ResourceKind::StorageSamples || !i->surface) return i->surface;
    if (i->surface->mcs || i->surface->interleaved_samples)
      wrong(i->binding->key,
            fmt::format("'{}' is written to sample by sample: its samples must be stored plainly", key));
    return image::samples_as_layers(*i->surface);
  }
  return nullptr;
}

std::shared_ptr<image::Sampler> Binder::shader_sampler(const SamplerLine& line, std::optional<std::uint32_t> element,
                                                       std::string& lacking) {
  const Keys keys = keys_of(line, element, 'S');
  lacking = keys.first();
  const bool rect = std::any_of(shader_->surfaces.begin(), shader_->surfaces.end(), [&](const SurfaceLine& image) {
    return image.kind == ResourceKind::RectImage && image.set == line.set && image.binding == line.binding;
  });
  std::vector<std::string> all = keys.all;
  if (element && !line.name.empty()) all.push_back(line.name);  // one sampler for all elements
  for (const std::string& key : all) {
    auto found = sampler({key});
    if (!found) continue;
    if (!rect || found->non_normalized) return found;
    auto texels = std::make_shared<image::Sampler>(*found);
    texels->non_normalized = true;
    return texels;
  }
  return nullptr;
}

void Binder::bind_handles() {
  if (shader_ == nullptr) return;
  for (const SurfaceLine& line : shader_->surfaces) {
    if (!line.bindless()) continue;
    std::string lacking;
    std::shared_ptr<image::Surface> found;
    if (const auto preset = presets_.find(line.variable); preset != presets_.end())
      found = preset->second;
    else
      found = shader_surface(line, line.element, lacking);
    if (!found && may_stay_open(line)) {
      found = std::make_shared<image::Surface>();
      found->type = image::SurfaceType::Null;
    }
    if (found)
      bound_.bindings.bindless_surfaces[line.variable - kFirstHandle] = std::move(found);
    else
      missing_resource(line, lacking);
  }
  for (const SamplerLine& line : shader_->samplers) {
    if (!line.bindless()) continue;
    std::string lacking;
    auto found = shader_sampler(line, line.element, lacking);
    if (!found) {  // the shader may only fetch
      found = std::make_shared<image::Sampler>();
      found->disable = true;
    }
    bound_.bindings.bindless_samplers[line.variable - kFirstHandle] = std::move(found);
  }
}

bool Binder::is_given(const SurfaceLine& line) {
  if (presets_.contains(line.variable)) return true;
  const Keys keys = keys_of(line, line.element, 'T');
  return std::any_of(keys.all.begin(), keys.all.end(),
                     [&](const std::string& key) { return image({key}) != nullptr || buffer({key}) != nullptr; });
}

bool Binder::may_stay_open(const SurfaceLine& line) {
  return line.open && std::any_of(shader_->surfaces.begin(), shader_->surfaces.end(), [&](const SurfaceLine& other) {
           return other.is_resource() && other.set == line.set && other.binding == line.binding && is_given(other);
         });
}

bool Binder::may_stay_open(const SamplerLine& line) {
  if (!line.open) return false;
  bool some = false;
  for (const SurfaceLine& image : shader_->surfaces)
    if (image.is_resource() && image.set == line.set && image.binding == line.binding && is_given(image)) {
      if (image.element == line.element) return false;  // an image of a combined pair without its sampler
      some = true;
    }
  return some || std::any_of(shader_->samplers.begin(), shader_->samplers.end(), [&](const SamplerLine& other) {
           const Keys keys = keys_of(other, other.element, 'S');
           return other.set == line.set && other.binding == line.binding &&
                  std::any_of(keys.all.begin(), keys.all.end(),
                              [&](const std::string& key) { return sampler({key}) != nullptr; });
         });
}

void Binder::missing_resource(const SurfaceLine& line, const std::string& lacking) {
  std::vector<std::string_view> candidates;
  const bool block = is_block(line.kind);
  std::string expected;
  if (line.kind == ResourceKind::PushConstant || (block && !line.members.empty()))
    for (const Argument& a : job_.args) candidates.push_back(a.key.text);
  if (line.kind == ResourceKind::PushConstant) {
    expected = entry("args", "push") + (line.members.empty() ? "{ bytes = \"...\" }" : block_text(line));
  } else if (block || is_texel_buffer(line.kind)) {
    for (const Buffer& b : resources_.buffers) candidates.push_back(b.binding->key.text);
    expected = entry("buffers", lacking);
    if (!line.members.empty() && line.members.back().type.runtime())
      expected += fmt::format(" ({})", block_text(line));
    else if (!line.members.empty())
      expected += fmt::format(" or {}{}", entry("args", lacking), block_text(line));
  } else {
    for (const Image& i : resources_.images) candidates.push_back(i.binding->key.text);
    expected = entry("images", lacking);
  }
  if (line.is_resource()) expected += fmt::format("; set {}, binding {}", line.set, line.binding);
  missing(lacking.empty() ? "push" : lacking, kind_text(line.kind), std::move(expected), candidates);
}

void Binder::bind_blocks() {
  if (shader_ == nullptr) return;
  for (const SurfaceLine& line : shader_->surfaces) {
    const bool push = line.kind == ResourceKind::PushConstant;
    if (!push && !is_block(line.kind)) continue;
    const Argument* found = nullptr;
    std::vector<std::string> keys;
    if (push) {
      keys = {"push", line.name, line.block, fmt::format("T{}", line.variable)};
    } else {
      keys = keys_of(line, line.element, 'T').all;
    }
    for (const std::string& key : keys) {
      if (key.empty()) continue;
      offer(key);
      if (found == nullptr) found = argument({key});
    }
    if (found == nullptr) continue;
    std::vector<std::string> problems;
    std::vector<std::uint8_t> bytes;
    Argument shared;  // push constants of two stages: each takes the beginning that it knows
    if (push && found->bytes && job_.pixels && job_.pixels->has(isa::ShaderStage::Vertex) &&
        found->bytes->size() > line.block_bytes()) {
      shared = *found;
      shared.bytes->resize(line.block_bytes());
      found = &shared;
    }
    if (line.block_bytes() > base::kBlockBytes)
      problems.push_back(fmt::format("a block of {} bytes is given as a buffer", line.block_bytes()));
    else
      bytes = encode_block(line, *found, problems);
    for (const std::string& why : problems)
      wrong(found->key, fmt::format("argument '{}': {}", found->key.text, why),
            line.members.empty() || &why != &problems.back() ? std::string()
                                                             : fmt::format("the block is {}", block_text(line)));
    bytes.resize((bytes.size() + 15) / 16 * 16);
    preset(line.variable,
           buffer_surface(std::make_shared<image::Memory>(std::move(bytes)), image::find_format("RAW")->format,
                          line.name.empty() ? found->key.text : line.name));
  }
}

void Binder::bind_sampler_records() {
  if (shader_ == nullptr) return;
  for (const SurfaceLine& line : shader_->surfaces) {
    if (line.kind != ResourceKind::SamplerRecord) continue;
    const SamplerLine* described = shader_->sampler(line.sampler);
    if (described == nullptr) continue;
    std::string lacking;
    const auto found = shader_sampler(*described, described->element, lacking);
    image::Sampler none;
    none.disable = true;
    if (!found && !needs_sampler(line.sampler)) {  // a footprint at a given LOD reads nothing but the record
      missing_sampler(lacking);
    }
    const texture::sampler_record::Record record = texture::sampler_record::record(found ? *found : none);
    auto bytes = std::make_shared<image::Memory>(sizeof record);
    std::memcpy(bytes->data(), record.data(), sizeof record);
    preset(line.variable, buffer_surface(std::move(bytes), image::find_format("RAW")->format,
                                         fmt::format("record of S{}", line.sampler)));
  }
}

/// A comparison through a sampler that names none has always the same answer (bind-compare).
void Binder::check_compares() {
  std::set<std::uint32_t> comparing;
  for (const isa::Instruction& instruction : kernel_.instructions) {
    const texture::Operation* op = instructions::operation_of(*instruction.description);
    if (op == nullptr || !op->compare()) continue;
    for (const isa::Operand& operand : kernel_.operands_of(instruction))
      if (operand.kind == isa::OperandKind::Sampler) comparing.insert(operand.id);
  }
  for (const SamplerResource& s : resources_.samplers) {
    if (s.binding->members.compare_given || called()) continue;
    const bool compares = std::ranges::any_of(comparing, [&](std::uint32_t id) {
      const auto variable = bound_.bindings.sampler_variables.find(id);
      return variable != bound_.bindings.sampler_variables.end() &&
             std::ranges::any_of(variable->second, [&](std::uint32_t index) {
               const image::Sampler* bound = bound_.bindings.samplers[index].get();
               return bound == s.sampler.get() || bound == s.vulkan_sampler.get();
             });
    });
    if (!compares) continue;
    const std::string& key = s.binding->key.text;
    diagnostics_.add(
        base::warning("bind-compare",
                      fmt::format("sampler '{}' compares, and no comparison is given: all have the same answer", key),
                      s.binding->key.place)
            .note(flags_alone() ? fmt::format("such as --sampler {}=linear,compare_op=less_or_equal", key)
                                : std::string("such as compare_op = \"less_or_equal\"")));
  }
}

void Binder::bind_messages() {
  const SurfaceLine* line = shader_ != nullptr ? shader_->of_kind(ResourceKind::Messages) : nullptr;
  if (line == nullptr) return;
  messages_ = std::make_shared<image::Memory>(line->bytes);
  preset(line->variable, buffer_surface(messages_, image::find_format("RAW")->format, "messages"));
}

void Binder::bind_constants() {
  const SurfaceLine* line = shader_ != nullptr ? shader_->of_kind(ResourceKind::Constants) : nullptr;
  if (line == nullptr) return;
  auto bytes = std::make_shared<image::Memory>(line->data.size());
  std::ranges::copy(line->data, bytes->data());
  preset(line->variable, buffer_surface(std::move(bytes), image::find_format("RAW")->format, "constants"));
}

const isa::Input& Binder::input_of(std::uint32_t variable) const {
  return *std::find_if(kernel_.inputs.begin(), kernel_.inputs.end(), [&](const isa::Input& input) {
    return input.kind() == isa::InputKind::General && input.id == variable;
  });
}

void Binder::fill_values(const std::function<void(pipeline::SystemValue, std::uint32_t)>& value) {
  for (std::size_t n = 0; n < kernel_.inputs.size(); ++n)
    if (kernel_.inputs[n].kind() == isa::InputKind::General && shader_->describes(kernel_.inputs[n].id)) mark_filled(n);
  for (const ValueLine& v : shader_->values) value(v.value, input_of(v.variable).offset);
}

void Binder::absorb(const Binder& other) {
  used_.insert(other.used_.begin(), other.used_.end());
  offered_.insert(other.offered_.begin(), other.offered_.end());
  suggested_.insert(other.suggested_.begin(), other.suggested_.end());
}

}  // namespace heddle::job
