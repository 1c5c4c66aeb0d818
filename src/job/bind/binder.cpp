// SPDX-License-Identifier: MIT
#include "job/bind/binder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>

#include "job/bind/value.hpp"

namespace heddle::job {
namespace {

using namespace std::string_view_literals;

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

std::string StateVariable::number(std::uint32_t element) const {
  return fmt::format("{}{}{}", is_sampler ? 'S' : 'T', id, is_array() ? fmt::format("[{}]", element) : std::string());
}

std::string StateVariable::own_name(std::uint32_t element) const {
  if (variable.name.empty() || variable.name == fmt::format("{}{}", is_sampler ? 'S' : 'T', id)) return {};
  return is_array() ? fmt::format("{}[{}]", variable.name, element) : variable.name;
}

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
  job::put(data, value, bytes);
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

/// The binding-table index of an element of a surface variable; nothing, with the key that it lacks, when nothing is
/// bound to it.
std::optional<std::uint32_t> Binder::surface_element(const StateVariable& v, std::uint32_t element,
                                                     std::string& lacking) {
  const auto index_in_array = v.is_array() ? std::optional(element) : std::nullopt;
  std::string own = v.own_name(element);
  std::shared_ptr<image::Surface> found;
  if (const SurfaceLine* line = shader_ != nullptr ? shader_->surface(v.id) : nullptr) {
    std::string named;
    found = shader_surface(*line, index_in_array ? index_in_array : line->element, named);
    if (!named.empty()) own = named;
  }
  if (!found) found = surface({v.number(element), own});
  if (!found) {
    lacking = own.empty() ? v.number(element) : own;
    return std::nullopt;
  }
  const auto& table = bound_.bindings.surfaces;
  std::uint32_t index = v.first_index + element;
  if (index >= kMaxBti || (index < table.size() && table[index])) index = free_surface_index();
  bind_surface(index, std::move(found));
  return index;
}

/// The same of a sampler variable.
std::optional<std::uint32_t> Binder::sampler_element(const StateVariable& v, std::uint32_t element,
                                                     std::string& lacking) {
  const auto index_in_array = v.is_array() ? std::optional(element) : std::nullopt;
  std::string own = v.own_name(element);
  std::shared_ptr<image::Sampler> found;
  if (const SamplerLine* line = shader_ != nullptr ? shader_->sampler(v.id) : nullptr) {
    std::string named;
    found = shader_sampler(*line, index_in_array ? index_in_array : line->element, named);
    if (!named.empty()) own = named;
  }
  if (!found) found = sampler({v.number(element), own});
  if (!found) {
    lacking = own.empty() ? v.number(element) : own;
    return std::nullopt;
  }
  const auto& table = bound_.bindings.samplers;
  std::uint32_t index = v.first_index + element;
  if (index < table.size() && table[index]) index = free_sampler_index();
  bind_sampler(index, std::move(found));
  return index;
}

/// An element of an array without a length whose other elements are given: this one reads 0.
bool Binder::leave_open(const StateVariable& v) {
  if (shader_ == nullptr) return false;
  if (v.is_sampler) {
    const SamplerLine* line = shader_->sampler(v.id);
    if (line == nullptr || !may_stay_open(*line)) return false;
    auto none = std::make_shared<image::Sampler>();
    none->disable = true;
    bind_sampler(v.first_index, std::move(none));
  } else {
    const SurfaceLine* line = shader_->surface(v.id);
    if (line == nullptr || !may_stay_open(*line)) return false;
    auto none = std::make_shared<image::Surface>();
    none->type = image::SurfaceType::Null;
    bind_surface(v.first_index, std::move(none));
  }
  return true;
}

void Binder::missing_variable(const StateVariable& v, const std::string& lacking) {
  if (v.is_sampler) return missing_sampler(lacking);
  std::vector<std::string_view> candidates;
  for (const Image& i : resources_.images) candidates.push_back(i.binding->key.text);
  for (const Buffer& b : resources_.buffers) candidates.push_back(b.binding->key.text);
  missing(lacking, "surface",
          called() || flags_alone()
              ? fmt::format("{} or {}", entry("images", lacking), entry("buffers", lacking))
              : fmt::format("[images.{}], [buffers.{}] or --surface {}=...", lacking, lacking, lacking),
          candidates);
}

void Binder::missing_sampler(const std::string& lacking) {
  std::vector<std::string_view> candidates;
  for (const SamplerResource& s : resources_.samplers) candidates.push_back(s.binding->key.text);
  missing(lacking, "sampler",
          called() || flags_alone() ? entry("samplers", lacking)
                                    : fmt::format("{} or --sampler {}=...", entry("samplers", lacking), lacking),
          candidates);
}

void Binder::bind_variable(const StateVariable& v, bool needed) {
  auto& variables = v.is_sampler ? bound_.bindings.sampler_variables : bound_.bindings.surface_variables;
  if (const auto found = presets_.find(v.id); !v.is_sampler && found != presets_.end()) {
    bind_surface(v.first_index, found->second);
    variables[v.id] = {v.first_index};
    if (messages_ != nullptr && found->second->memory == messages_) bound_.bindings.messages = v.first_index;
    return;
  }
  std::vector<std::uint32_t> indices;
  bool any = false;
  std::string lacking;  // the key of the first element that is not bound
  for (std::uint32_t element = 0; element < v.elements(); ++element) {
    std::string key;
    const auto index = v.is_sampler ? sampler_element(v, element, key) : surface_element(v, element, key);
    if (lacking.empty()) lacking = key;
    any = any || index.has_value();
    indices.push_back(index.value_or(0));
  }
  if (!any && leave_open(v)) {
    indices = {v.first_index};
    any = true;
    lacking.clear();
  }
  const SurfaceLine* line = shader_ != nullptr && !v.is_sampler ? shader_->surface(v.id) : nullptr;
  if (needed && !lacking.empty()) {
    if (line != nullptr && (!any || v.variable.elements == 1))
      missing_resource(*line, lacking);
    else if (shader_ == nullptr || !any)
      missing_variable(v, lacking);
  }
  if (any) variables[v.id] = std::move(indices);
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
  bind_messages();
  bind_constants();
  bind_handles();
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
    bind_variable({false, id, kernel_.surfaces[i], next},
                  surfaces.contains(id) && !own_surfaces.contains(id) && !is_input(isa::InputKind::Surface, id));
    next += std::max(1u, kernel_.surfaces[i].elements);
  }
  next = 0;
  for (std::uint32_t i = 0; i < kernel_.samplers.size(); ++i) {
    bind_variable({true, i, kernel_.samplers[i], next},
                  samplers.contains(i) && !own_samplers.contains(i) && !is_input(isa::InputKind::Sampler, i));
    next += std::max(1u, kernel_.samplers[i].elements);
  }
  check_compares();
}

void Binder::bind_inputs(const std::function<bool(const isa::Input&, const isa::VariableInfo&)>& is_automatic) {
  std::uint32_t position = 0;
  for (std::size_t n = 0; n < kernel_.inputs.size(); ++n) {
    const isa::Input& input = kernel_.inputs[n];
    if (input.kind() != isa::InputKind::General || input.implicit() != 0 || is_filled(n)) continue;
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
        mark_filled(n);
      } else {
        wrong(a->key, fmt::format("argument '{}': {}", a->key.text, why));
      }
      continue;
    }
    if (automatic) continue;
    if (input.size == 8) {  // a pointer may be named by its buffer
      if (const Buffer* b = buffer({name, number})) {
        put_integer(input.offset, b->address, 8);
        mark_filled(n);
        continue;
      }
    }
    std::vector<std::string_view> candidates;
    for (const Argument& a : job_.args) candidates.push_back(a.key.text);
    missing(name, "input",
            fmt::format("{}{}... ({} at offset {}; position {})",
                        called() || flags_alone() ? "" : fmt::format("[args] {} = ... or ", name),
                        called() ? entry("args", name) : fmt::format("--arg {}=", name), shape.describe, input.offset,
                        position - 1),
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
    if (!b.bytes || b.bytes->size() == 0 || !b.binding->same_as.empty()) continue;
    machine::MemoryRange range{b.address, b.bytes->size(), b.bytes->data(), b.bytes, b.binding->key.text};
    if (!bound_.bindings.memory.add(std::move(range)))
      wrong(b.binding->key,
            fmt::format("buffer '{}' does not fit the address space at 0x{:x}", b.binding->key.text, b.address));
  }
}

namespace {
/// TOML keys with a dot or bracket are quoted.
std::string quoted(std::string_view key) {
  return key.find_first_of(".[ ") == std::string_view::npos ? std::string(key) : fmt::format("\"{}\"", key);
}
}  // namespace

std::string Binder::entry(std::string_view table, std::string_view key) const {
  const bool value = table == "args";
  if (called()) return value ? fmt::format("{} = ", key) : fmt::format("'{}' among the {}", key, table);
  if (flags_alone()) return fmt::format("--{} {}={}", table.substr(0, table.size() - 1), key, value ? "" : "...");
  return value ? fmt::format("[args] {} = ", quoted(key)) : fmt::format("[{}.{}]", table, quoted(key));
}

std::string Binder::pixel_entry(std::string_view table, std::string_view key) const {
  if (called()) return fmt::format("{} = ", key);
  if (flags_alone()) return fmt::format("--{} {}=", table == "inputs" ? "input" : "vertex-input", key);
  return fmt::format("[pixels.{}] {} = ", table, quoted(key));
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
    if (!taken && !suggested_.contains(std::string(key))) unused.push_back(key);
  }
  if (const std::string_view near = base::nearest(what, unused); !near.empty()) {
    d.note(fmt::format("'{}' of the job is bound to nothing: is it meant?", near));
    suggested_.insert(std::string(near));
  }
  diagnostics_.add(std::move(d));
}

void Binder::wrong(const Key& key, std::string message, std::string note) {
  base::Diagnostic d = base::error("bind-type", std::move(message), key.place);
  if (!note.empty()) d.note(std::move(note));
  diagnostics_.add(std::move(d));
}

std::string Binder::block_with(std::string_view member) const {
  if (shader_ != nullptr)
    for (const SurfaceLine& line : shader_->surfaces)
      for (const BlockMember& m : line.members)
        if (m.name == member || m.name.starts_with(std::string(member) + "."))
          return line.kind == ResourceKind::PushConstant ? std::string("push")
                 : !line.name.empty()                    ? line.name
                                                         : fmt::format("{}.{}", line.set, line.binding);
  return {};
}

void Binder::report_unused() {
  std::vector<std::string_view> names(offered_.begin(), offered_.end());
  // Numbers of variables and places work as keys, but where a shader has names they only make the list long.
  std::vector<std::string_view> readable;
  for (const std::string_view name : names) {
    const bool number =
        name.find_first_not_of("0123456789.[]", "TSV"sv.find(name.front()) == std::string_view::npos ? 0 : 1) ==
        std::string_view::npos;
    if (shader_ == nullptr || !number) readable.push_back(name);
  }
  const auto check = [&](std::string_view table, const Key& key) {
    if (used_.contains(std::string(table) + "." + key.text) || suggested_.contains(key.text)) return;
    base::Diagnostic d = base::error(
        "bind-unknown", fmt::format("kernel '{}' has nothing named '{}'", kernel_.name, key.text), key.place);
    const std::string block = table == "args" || table == "buffers" ? block_with(key.text) : std::string();
    if (const std::string_view near = base::nearest(key.text, names); !near.empty())
      d.note(fmt::format("did you mean '{}'?", near));
    else if (!block.empty())
      d.note(fmt::format(
          "'{}' is a member of '{}': {}", key.text, block,
          table == "args" ? fmt::format("{}{{ {} = ... }}", entry(table, block), key.text) : entry(table, block)));
    else if (!readable.empty())
      d.note(fmt::format("it has: {}", fmt::join(readable, " ")));
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

}  // namespace heddle::job
