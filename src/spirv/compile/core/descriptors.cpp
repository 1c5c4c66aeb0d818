// SPDX-License-Identifier: MIT
// Rules: SPV-16, SPV-31.
#include "spirv/compile/core/descriptors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <spirv/unified1/spirv.hpp11>

#include "base/fixed_limits.hpp"
#include "spirv/compile/arithmetic/subgroup.hpp"
#include "spirv/compile/core/context.hpp"
#include "spirv/compile/core/descriptor_lines.hpp"

namespace heddle::spirv::compiler {

using Spv = spv::Op;

namespace {

/// Up to so many elements have names of their own where one is chosen at run time: each is a message for the lanes that
/// chose it, while those of a handle are one in a loop, which costs less than five of buffers.
constexpr std::uint32_t kMaxNamed = 16, kMaxNamedBuffers = 4;
constexpr std::uint32_t kMaxIndexed = 1 << 20;  ///< elements of an array

/// The descriptors that a variable stands for.
struct DescriptorCount {
  std::uint32_t pointee = 0;  ///< type of one
  std::uint32_t count = 1;
  bool array = false;
  bool open = false;  ///< an array without a length

  /// SET.BINDING[K], with ? of an array without a length.
  [[nodiscard]] std::string place(const std::string& binding, std::uint32_t k) const {
    return array ? fmt::format("{}[{}]{}", binding, k, open ? "?" : "") : binding;
  }
};

DescriptorCount count_descriptors(ShaderContext& t, std::uint32_t type, std::uint32_t set, std::uint32_t binding) {
  const auto given = t.options.array_lengths.find({set, binding});
  const std::uint32_t length = given == t.options.array_lengths.end() ? t.options.runtime_array : given->second;

  DescriptorCount c;
  c.pointee = type;
  for (;;) {
    const TypeInfo info = t.types.of(c.pointee);
    const bool open = static_cast<Spv>(info.op) == Spv::OpTypeRuntimeArray;
    if (!open && static_cast<Spv>(info.op) != Spv::OpTypeArray) return c;
    c.array = true;
    c.open = c.open || open;
    const std::uint32_t elements = open ? length : info.count;
    c.count = static_cast<std::uint32_t>(std::min<std::uint64_t>(kMaxIndexed + 1, std::uint64_t{c.count} * elements));
    c.pointee = info.element;
  }
}

/// One line for all elements of an array, which have handles.
void index_descriptors(ShaderContext& t, DescriptorVariable& d, const DescriptorKind& kind,
                       const DescriptorCount& elements, const std::string& binding, const std::string& name) {
  d.indexed = elements.count;
  const std::string place = fmt::format("{}[0]{}", binding, elements.open ? "?" : "");
  const auto range = [&](std::uint32_t first) { return fmt::format("B{}..B{}", first, first + d.indexed - 1); };
  if (kind.surface) {
    d.first_surface = t.b.surface_handles(d.indexed);
    t.b.interface_line(fmt::format("surface {} {} {} {}", range(d.first_surface), kind.text(), place, name));
    if (kind.is_buffer()) block_lines(t, elements.pointee, fmt::format("B{}", d.first_surface), name);
  }
  if (kind.samples) {
    d.first_samples = t.b.surface_handles(d.indexed);
    t.b.interface_line(fmt::format("surface {} storage_samples {} {}", range(d.first_samples), place, name));
  }
  if (kind.sampler) {
    d.first_sampler = t.b.sampler_handles(d.indexed);
    t.b.interface_line(fmt::format("sampler {} {} {}", range(d.first_sampler), place, name));
  }
}

/// Which element of a variable.
struct ElementPlace {
  std::uint32_t k = 0;
  std::string place;  ///< SET.BINDING[K]
  const std::string& name;
};

/// The surfaces and samplers of one descriptor, each with its line.
void add_element(ShaderContext& t, DescriptorVariable& d, const DescriptorKind& kind, std::uint32_t pointee,
                 const ElementPlace& element) {
  const auto& [k, place, name] = element;
  if (kind.surface) {
    d.surfaces.push_back(t.b.descriptor_surface());
    t.b.interface_line(fmt::format("surface {} {} {} {}", d.surfaces[k], kind.text(), place, name));
    if (kind.is_buffer()) block_lines(t, pointee, d.surfaces[k], name);
  }
  if (kind.samples) {
    d.samples.push_back(t.b.descriptor_surface());
    t.b.interface_line(fmt::format("surface {} storage_samples {} {}", d.samples[k], place, name));
  }
  const std::uint32_t planes = k < d.conversions.size() ? d.conversions[k].planes : 0;
  for (std::uint32_t plane = 1; plane < 3 && !d.conversions.empty(); ++plane) {
    std::vector<std::string>& names = d.planes[plane - 1];
    names.push_back(plane < planes ? t.b.descriptor_surface() : std::string());
    if (plane < planes) t.b.interface_line(fmt::format("surface {} plane{} {} {}", names[k], plane, place, name));
  }
  if (kind.sampler) {
    d.samplers.push_back(t.b.sampler());
    t.b.interface_line(fmt::format("sampler {} {} {}", d.samplers[k], place, name));
  }
}

}  // namespace

void Descriptors::each_element(const Descriptor& d, const std::function<void(std::uint32_t, const Guard&)>& use) {
  for (const Selected& selected : selected_)
    if (selected.descriptor.variable == d.variable && same_lanes(selected.descriptor.index, d.index))
      return use(kSelected, {});
  const DescriptorVariable& variable = of(d.variable);
  const auto count = variable.indexed != 0
                         ? variable.indexed
                         : static_cast<std::uint32_t>(std::max(variable.surfaces.size(), variable.samplers.size()));
  if (d.index.constant() || count <= 1) {
    use(d.index.constant() ? std::min(static_cast<std::uint32_t>(d.index.bits), count == 0 ? 0 : count - 1) : 0, {});
    return;
  }
  for (std::uint32_t k = 0; k < count; ++k) use(k, {t_.b.compare("eq", d.index, ud(k), "is_element"), false, false});
}

std::string Descriptors::element_name(std::uint32_t variable, std::uint32_t element, DescriptorPart part) {
  const DescriptorVariable& d = of(variable);
  if (d.indexed == 0) {
    const std::vector<std::string>& names = part == DescriptorPart::Surface   ? d.surfaces
                                            : part == DescriptorPart::Samples ? d.samples
                                            : part == DescriptorPart::Plane1  ? d.planes[0]
                                            : part == DescriptorPart::Plane2  ? d.planes[1]
                                                                              : d.samplers;
    return element < names.size() ? names[element] : std::string();
  }
  const std::uint32_t first = part == DescriptorPart::Surface   ? d.first_surface
                              : part == DescriptorPart::Samples ? d.first_samples
                                                                : d.first_sampler;
  const bool sampler = part == DescriptorPart::Sampler;
  if (element != kSelected) return t_.b.handle_name(sampler, ud(first + element));
  for (const Selected& selected : selected_) {
    if (selected.descriptor.variable != variable) continue;
    const Part handle = t_.b.array(isa::Type::UD, "handle", 1);
    t_.b.op("add", handle, {selected.element, ud(first)});
    return t_.b.handle_name(sampler, handle);
  }
  return {};
}

std::vector<Descriptor> Descriptors::indexed_arrays(const Instruction& i) {
  std::vector<Descriptor> list;
  const auto add = [&](const Descriptor& d) {
    if (d.variable == 0 || d.index.constant() || of(d.variable).indexed == 0) return;
    for (const Descriptor& other : list) {
      if (other.variable != d.variable) continue;
      // Another element of few buffers has a message of its own (each_element).
      if (!same_lanes(other.index, d.index) && of(d.variable).indexed > kMaxNamed)
        t_.refuse("two elements of one large array in one instruction");
      return;
    }
    list.push_back(d);
  };
  switch (static_cast<Spv>(i.opcode)) {
    case Spv::OpAccessChain:
    case Spv::OpInBoundsAccessChain:
    case Spv::OpPtrAccessChain:
    case Spv::OpInBoundsPtrAccessChain:
    case Spv::OpCopyObject:
    case Spv::OpSampledImage:
    case Spv::OpImage:
    case Spv::OpImageTexelPointer:
      return list;  // names of descriptors only
    default:
      break;
  }
  const bool copies = static_cast<Spv>(i.opcode) == Spv::OpCopyMemory;
  for (std::size_t k = 0; k < i.operands.size() && k < (copies ? 2u : 1u); ++k) {
    const Value* found = t_.values.computed(i.operands[k]);
    if (found == nullptr) continue;
    if (const auto& handle = found->handle) add(handle->image), add(handle->sampler);
    if (const auto& p = found->pointer; p != nullptr && p->kind != Pointer::Kind::Descriptor) add(p->descriptor);
  }
  return list;
}

void Descriptors::by_element(const std::vector<Descriptor>& arrays, const std::function<void()>& translate) {
  if (selected_.size() == arrays.size()) return translate();
  const Descriptor& array = arrays[selected_.size()];
  const Part last = ud(of(array.variable).indexed - 1);
  const Part index = t_.b.in_register(t_.b.make("min", isa::Type::UD, {array.index, last}, "element"));
  const std::string again = t_.b.label("element"), behind = t_.b.label("others");
  t_.b.place(again);
  const Part first = first_value(t_.b, index);
  const Part others = t_.b.compare("ne", index, first, "others");
  t_.b.jump(behind, {others, false, false});
  selected_.push_back({array, first});
  by_element(arrays, translate);
  selected_.pop_back();
  t_.b.place(behind);
  t_.b.jump(again, {others, false, false});
}

const DescriptorVariable& Descriptors::of(std::uint32_t id) {
  if (const auto found = variables_.find(id); found != variables_.end()) return found->second;
  DescriptorVariable& d = variables_[id];
  const Instruction* i = t_.module.find(id);
  if (i == nullptr || static_cast<Spv>(i->opcode) != Spv::OpVariable) return d;
  const auto storage = static_cast<spv::StorageClass>(i->operands[0]);
  const auto word = [&](spv::Decoration kind) {
    const auto found = t_.annotations.decoration(id, static_cast<std::uint32_t>(kind));
    return found && !found->empty() ? (*found)[0] : 0u;
  };
  const std::uint32_t set = word(spv::Decoration::DescriptorSet), number = word(spv::Decoration::Binding);
  DescriptorCount elements = count_descriptors(t_, t_.types.of(i->type).element, set, number);
  std::string name = t_.annotations.name_of(id, "");
  if (name.empty()) name = t_.annotations.name_of(elements.pointee, "");
  if (storage == spv::StorageClass::PushConstant) {
    d.surfaces.push_back(t_.b.surface());
    t_.b.interface_line(fmt::format("surface {} push_constant {}", d.surfaces[0], name));
    block_lines(t_, elements.pointee, d.surfaces[0], name);
    return d;
  }
  const DescriptorKind kind = descriptor_kind(t_, elements.pointee, i->operands[0]);
  const std::string binding = fmt::format("{}.{}", set, number);
  const bool chosen = elements.open || t_.functions.dynamically_indexed(id);
  // Pointers chosen at run time count all buffers.
  const bool counted = t_.types.has_buffer_pointers() && storage == spv::StorageClass::StorageBuffer;
  const std::uint32_t named = kind.is_buffer() ? kMaxNamedBuffers : kMaxNamed;
  if (elements.array && chosen && !counted && elements.count > named && elements.count <= kMaxIndexed) {
    index_descriptors(t_, d, kind, elements, binding, name);
    return d;
  }
  if (const auto given = t_.options.planes.find({set, number}); given != t_.options.planes.end() && kind.sampler)
    d.conversions = given->second;
  used_ += elements.count;
  if (used_ > base::kDescriptors) {
    t_.report.limit(*i, fmt::format("variable '{}': a program has at most {} descriptors", name, base::kDescriptors));
    elements.count = 1;
  }
  for (std::uint32_t k = 0; k < elements.count; ++k)
    add_element(t_, d, kind, elements.pointee, {k, elements.place(binding, k), name});
  return d;
}

const std::string& Descriptors::sampler_record(const std::string& sampler) {
  std::string& surface = sampler_records_[sampler];
  if (surface.empty()) {
    surface = t_.b.surface();
    t_.b.interface_line(fmt::format("surface {} sampler_record {}", surface, sampler));
  }
  return surface;
}

}  // namespace heddle::spirv::compiler
