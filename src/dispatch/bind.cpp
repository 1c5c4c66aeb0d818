#include "dispatch/bind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>

namespace heddle::dispatch {
namespace {

constexpr std::uint32_t kMaxBti = 239;  // 240 and above are reserved for the predefined surfaces

std::optional<std::uint32_t> index_key(std::string_view key) {
  std::uint32_t value = 0;
  const auto r = std::from_chars(key.data(), key.data() + key.size(), value);
  return r.ec == std::errc() && r.ptr == key.data() + key.size() ? std::optional(value) : std::nullopt;
}

/// Surface or sampler variables that the kernel sets itself (movs to the variable): what they hold at the start does
/// not matter.
std::set<std::uint32_t> set_by_kernel(const isa::Object& kernel, isa::StateClass state) {
  std::set<std::uint32_t> result;
  for (const isa::Operand& operand : kernel.operands)
    if (operand.kind == isa::OperandKind::State && operand.state == state) result.insert(operand.id);
  return result;
}

std::set<std::uint32_t> used_by_kernel(const isa::Object& kernel, isa::OperandKind kind) {
  std::set<std::uint32_t> result;
  for (const isa::Operand& operand : kernel.operands)
    if (operand.kind == kind) result.insert(operand.id);
  return result;
}

}  // namespace

Binder::Binder(const Job& job, const Resources& resources, const isa::Object& kernel, const isa::Platform platform,
               base::Diagnostics& diagnostics)
    : job_(job),
      resources_(resources),
      kernel_(kernel),
      grf_bytes_(isa::platform_info(platform).grf_bytes),
      diagnostics_(diagnostics) {}

const Argument* Binder::argument(std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (name.empty()) continue;
    for (const Argument& a : job_.args)
      if (a.key.text == name) {
        use("args", name);
        return &a;
      }
  }
  return nullptr;
}

const Buffer* Binder::buffer(std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (name.empty()) continue;
    offer(std::string(name));
    if (const Buffer* b = resources_.buffer(name)) {
      use("buffers", name);
      return b;
    }
  }
  return nullptr;
}

const Image* Binder::image(std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (name.empty()) continue;
    offer(std::string(name));
    if (const Image* i = resources_.image(name)) {
      use("images", name);
      return i;
    }
  }
  return nullptr;
}

std::shared_ptr<image::Surface> Binder::surface(std::initializer_list<std::string_view> names) {
  if (const Image* i = image(names)) return i->surface;
  if (const Buffer* b = buffer(names)) return b->surface;
  return nullptr;
}

std::shared_ptr<image::Sampler> Binder::sampler(std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (name.empty()) continue;
    offer(std::string(name));
    if (const SamplerResource* s = resources_.sampler(name)) {
      use("samplers", name);
      return shader_ != nullptr ? s->vulkan_sampler : s->sampler;
    }
  }
  return nullptr;
}

void Binder::bind_surface(std::uint32_t bti, std::shared_ptr<image::Surface> surface) {
  auto& table = bound_.bindings.surfaces;
  if (table.size() <= bti) table.resize(bti + 1);
  table[bti] = std::move(surface);
}

void Binder::bind_sampler(std::uint32_t index, std::shared_ptr<image::Sampler> sampler) {
  auto& table = bound_.bindings.samplers;
  if (table.size() <= index) table.resize(index + 1);
  table[index] = std::move(sampler);
}

void Binder::put(std::uint32_t offset, std::span<const std::uint8_t> bytes) {
  if (bound_.payload.size() < offset + bytes.size()) bound_.payload.resize(offset + bytes.size());
  std::copy(bytes.begin(), bytes.end(), bound_.payload.begin() + offset);
}

void Binder::put_integer(std::uint32_t offset, std::uint64_t value, unsigned bytes) {
  std::vector<std::uint8_t> data;
  dispatch::put(data, value, bytes);
  put(offset, data);
}

std::string Binder::variable_name(const isa::Object& kernel, std::uint32_t id) {
  if (id >= isa::kFirstVariable && id - isa::kFirstVariable < kernel.variables.size()) {
    const std::string& name = kernel.variables[id - isa::kFirstVariable].name;
    if (!name.empty()) return name;
  }
  return fmt::format("V{}", id);
}

std::uint32_t Binder::free_surface_index() {
  auto& table = bound_.bindings.surfaces;
  for (std::uint32_t i = 0; i < kMaxBti; ++i)
    if (i >= table.size() || !table[i]) return i;
  return kMaxBti;
}

std::uint32_t Binder::free_sampler_index() {
  auto& table = bound_.bindings.samplers;
  std::uint32_t i = 0;
  while (i < table.size() && table[i]) ++i;
  return i;
}

void Binder::bind_variable(bool is_sampler, std::uint32_t id, const isa::PlainVariable& variable,
                           std::uint32_t first_index, bool needed) {
  const std::string plain = fmt::format("{}{}", is_sampler ? 'S' : 'T', id);
  const SurfaceLine* surface_line = shader_ != nullptr && !is_sampler ? shader_->surface(id) : nullptr;
  const SamplerLine* sampler_line = shader_ != nullptr && is_sampler ? shader_->sampler(id) : nullptr;
  if (const auto found = presets_.find(id); !is_sampler && found != presets_.end()) {
    bind_surface(first_index, found->second);
    bound_.bindings.surface_variables[id] = {first_index};
    return;
  }
  std::vector<std::uint32_t> values;
  bool any = false;
  std::string lacking;
  for (std::uint32_t element = 0; element < std::max(1u, variable.elements); ++element) {
    const std::string suffix = variable.elements > 1 ? fmt::format("[{}]", element) : std::string();
    std::string own = variable.name.empty() || variable.name == plain ? std::string() : variable.name + suffix;
    const std::string number = plain + suffix;
    std::uint32_t index = 0;
    std::string named;
    std::shared_ptr<image::Surface> of_shader;
    std::shared_ptr<image::Sampler> sampler_of_shader;
    if (surface_line != nullptr)
      of_shader =
          shader_surface(*surface_line, variable.elements > 1 ? std::optional(element) : surface_line->element, named);
    else if (sampler_line != nullptr)
      sampler_of_shader =
          shader_sampler(*sampler_line, variable.elements > 1 ? std::optional(element) : sampler_line->element, named);
    if (!named.empty()) own = named;
    if (is_sampler) {
      if (auto found = sampler_of_shader ? sampler_of_shader : sampler({number, own})) {
        index = first_index + element;
        if (index < bound_.bindings.samplers.size() && bound_.bindings.samplers[index]) index = free_sampler_index();
        bind_sampler(index, std::move(found));
        any = true;
      } else if (lacking.empty()) {
        lacking = own.empty() ? number : own;
      }
    } else if (auto found = of_shader ? of_shader : surface({number, own})) {
      index = first_index + element;
      if (index >= kMaxBti || (index < bound_.bindings.surfaces.size() && bound_.bindings.surfaces[index]))
        index = free_surface_index();
      bind_surface(index, std::move(found));
      any = true;
    } else if (lacking.empty()) {
      lacking = own.empty() ? number : own;
    }
    values.push_back(index);
  }
  if (!any && ((surface_line != nullptr && may_stay_open(*surface_line)) ||
               (sampler_line != nullptr && may_stay_open(*sampler_line)))) {
    // An array without a length whose other elements are given: this one reads 0.
    if (is_sampler) {
      auto none = std::make_shared<image::Sampler>();
      none->disable = true;
      bind_sampler(first_index, std::move(none));
    } else {
      auto none = std::make_shared<image::Surface>();
      none->type = image::SurfaceType::Null;
      bind_surface(first_index, std::move(none));
    }
    values = {first_index};
    any = true;
    lacking.clear();
  }
  if (surface_line != nullptr && needed && !lacking.empty() && (!any || variable.elements == 1)) {
    missing_resource(*surface_line, lacking);
  } else if (needed && !lacking.empty() && (shader_ == nullptr || !any)) {
    std::vector<std::string_view> candidates;
    if (is_sampler) {
      for (const SamplerResource& s : resources_.samplers) candidates.push_back(s.binding->key.text);
      missing(lacking, "sampler", fmt::format("[samplers.{}] or --sampler {}=...", lacking, lacking), candidates);
    } else {
      for (const Image& i : resources_.images) candidates.push_back(i.binding->key.text);
      for (const Buffer& b : resources_.buffers) candidates.push_back(b.binding->key.text);
      missing(lacking, "surface",
              fmt::format("[images.{}], [buffers.{}] or --surface {}=...", lacking, lacking, lacking), candidates);
    }
  }
  if (any) (is_sampler ? bound_.bindings.sampler_variables : bound_.bindings.surface_variables)[id] = std::move(values);
}

void Binder::bind_numbered() {
  for (const Buffer& b : resources_.buffers)
    if (const auto index = index_key(b.binding->key.text); index && *index <= kMaxBti)
      bind_surface(*index, surface({b.binding->key.text}));
  for (const Image& i : resources_.images)
    if (const auto index = index_key(i.binding->key.text); index && *index <= kMaxBti)
      bind_surface(*index, surface({i.binding->key.text}));
  for (const SamplerResource& s : resources_.samplers)
    if (const auto index = index_key(s.binding->key.text); index && *index < 4096)
      bind_sampler(*index, sampler({s.binding->key.text}));
}

bool Binder::needs_sampler(std::uint32_t id) const {
  return used_by_kernel(kernel_, isa::OperandKind::Sampler).contains(id);
}

void Binder::bind_state_variables() {
  // Keys that are numbers are binding-table and sampler indices themselves: kernels that movs an index into T6.
  if (shader_ == nullptr) bind_numbered();
  bind_sampler_records();
  const std::set<std::uint32_t> own_surfaces = set_by_kernel(kernel_, isa::StateClass::Surface),
                                own_samplers = set_by_kernel(kernel_, isa::StateClass::Sampler);
  const std::set<std::uint32_t> surfaces = used_by_kernel(kernel_, isa::OperandKind::Surface),
                                samplers = used_by_kernel(kernel_, isa::OperandKind::Sampler);
  const auto is_input = [&](isa::InputKind kind, std::uint32_t id) {
    return std::any_of(kernel_.inputs.begin(), kernel_.inputs.end(),
                       [&](const isa::Input& input) { return input.kind() == kind && input.id == id; });
  };
  std::uint32_t next = 0;
  for (std::uint32_t i = 0; i < kernel_.surfaces.size(); ++i) {
    const std::uint32_t id = isa::kFirstSurface + i;
    bind_variable(false, id, kernel_.surfaces[i], next,
                  surfaces.contains(id) && !own_surfaces.contains(id) && !is_input(isa::InputKind::Surface, id));
    next += std::max(1u, kernel_.surfaces[i].elements);
  }
  next = 0;
  for (std::uint32_t i = 0; i < kernel_.samplers.size(); ++i) {
    bind_variable(true, i, kernel_.samplers[i], next,
                  samplers.contains(i) && !own_samplers.contains(i) && !is_input(isa::InputKind::Sampler, i));
    next += std::max(1u, kernel_.samplers[i].elements);
  }
}

void Binder::bind_inputs(const std::function<bool(const isa::Input&, const isa::VariableInfo&)>& is_automatic) {
  std::uint32_t position = 0;
  for (std::size_t n = 0; n < kernel_.inputs.size(); ++n) {
    const isa::Input& input = kernel_.inputs[n];
    if (input.kind() != isa::InputKind::General || input.implicit() != 0 ||
        bound_.filled.contains(static_cast<std::uint32_t>(n)))
      continue;
    const auto info = isa::variable_info(kernel_, input.id, grf_bytes_);
    if (!info) continue;
    const std::string name = variable_name(kernel_, input.id), number = fmt::format("V{}", input.id);
    const bool automatic = is_automatic(input, *info);
    const std::string index = automatic ? std::string() : fmt::format("{}", position);
    if (!automatic) ++position;
    offer(name);
    const ValueShape shape = shape_of(info->type, input.size);
    if (const Argument* a = argument({name, number, index})) {
      std::string why;
      if (const auto bytes = encode_argument(*a, shape, why)) {
        put(input.offset, *bytes);
        bound_.filled.insert(static_cast<std::uint32_t>(n));
      } else {
        wrong(a->key, fmt::format("argument '{}': {}", a->key.text, why));
      }
      continue;
    }
    if (automatic) continue;
    if (input.size == 8) {  // a pointer may be named by its buffer
      if (const Buffer* b = buffer({name, number})) {
        put_integer(input.offset, b->address, 8);
        bound_.filled.insert(static_cast<std::uint32_t>(n));
        continue;
      }
    }
    std::vector<std::string_view> candidates;
    for (const Argument& a : job_.args) candidates.push_back(a.key.text);
    missing(name, "input",
            fmt::format("[args] {} = ... or --arg {}=... ({} at offset {}; position {})", name, name, shape.describe,
                        input.offset, position - 1),
            candidates);
  }
}

void Binder::bind_memory() {
  for (const std::string& symbol : kernel_.strings)
    if (const Buffer* b = resources_.buffer(symbol)) {
      use("buffers", symbol);
      bound_.bindings.symbols[symbol] = b->address;
    }
  for (const Buffer& b : resources_.buffers) {
    if (!b.bytes || b.bytes->empty() || !b.binding->same_as.empty()) continue;
    machine::MemoryRange range{b.address, b.bytes->size(), b.bytes->data(), b.bytes, b.binding->key.text};
    if (!bound_.bindings.memory.add(std::move(range)))
      wrong(b.binding->key,
            fmt::format("buffer '{}' does not fit the address space at 0x{:x}", b.binding->key.text, b.address));
  }
}

void Binder::missing(std::string what, std::string_view kind, std::string expected,
                     const std::vector<std::string_view>& candidates) {
  base::Diagnostic d =
      base::error("bind-missing", fmt::format("{} '{}' of kernel '{}' is not bound", kind, what, kernel_.name),
                  job_.file.empty() ? base::Place{} : base::Place::in_file(job_.file));
  d.note(fmt::format("expected: {}", expected));
  std::vector<std::string_view> unused;
  for (const std::string_view key : candidates) {
    const bool taken = used_.contains("args." + std::string(key)) || used_.contains("images." + std::string(key)) ||
                       used_.contains("buffers." + std::string(key)) || used_.contains("samplers." + std::string(key));
    if (!taken) unused.push_back(key);
  }
  if (const std::string_view near = base::nearest(what, unused); !near.empty())
    d.note(fmt::format("'{}' of the job is bound to nothing: is it meant?", near));
  else if (unused.size() == 1)
    d.note(fmt::format("'{}' of the job is bound to nothing", unused[0]));
  diagnostics_.add(std::move(d));
}

void Binder::wrong(const Key& key, std::string message, std::string note) {
  base::Diagnostic d = base::error("bind-type", std::move(message), key.place);
  if (!note.empty()) d.note(std::move(note));
  diagnostics_.add(std::move(d));
}

void Binder::report_unused() {
  std::vector<std::string_view> names(offered_.begin(), offered_.end());
  const auto check = [&](std::string_view table, const Key& key) {
    if (used_.contains(std::string(table) + "." + key.text)) return;
    base::Diagnostic d = base::error(
        "bind-unknown", fmt::format("kernel '{}' has nothing named '{}'", kernel_.name, key.text), key.place);
    if (const std::string_view near = base::nearest(key.text, names); !near.empty())
      d.note(fmt::format("did you mean '{}'?", near));
    else if (!names.empty())
      d.note(fmt::format("it has: {}", fmt::join(names, " ")));
    diagnostics_.add(std::move(d));
  };
  std::set<std::string> sources;  // what `same_as` names is used by way of the other
  for (const BufferBinding& b : job_.buffers)
    if (!b.same_as.empty()) sources.insert(b.same_as);
  for (const ImageBinding& b : job_.images)
    if (!b.same_as.empty()) sources.insert(b.same_as);
  for (const Argument& a : job_.args) check("args", a.key);
  for (const BufferBinding& b : job_.buffers)  // a buffer with an address of its own is reached through memory
    if (!b.address && !sources.contains(b.key.text)) check("buffers", b.key);
  for (const ImageBinding& b : job_.images)
    if (!sources.contains(b.key.text)) check("images", b.key);
  for (const SamplerBinding& b : job_.samplers) check("samplers", b.key);
}

}  // namespace heddle::dispatch
