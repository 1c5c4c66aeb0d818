#include "engine/jit/kernel.hpp"

#include <algorithm>

#include "engine/jit/cache.hpp"

namespace heddle::engine::jit {

Kernel::~Kernel() = default;

namespace {

/// Everything of an object that translation looks at.
void add_object(KeyMaker& key, const machine::Prepared& object) {
  for (const machine::Decoded& d : object.code) {
    key.value(d.form->index);
    key.value(d.instruction->exec.bits);
    key.value(d.instruction->predicate.bits);
    key.value(d.operand_count);
  }
  for (const machine::Operand& o : object.operands) {
    key.value(o.kind);
    key.value(o.modifier);
    key.value(o.type);
    key.value(o.null);
    key.value(o.element);
    key.value(o.width);
    key.value(o.id);
    key.value(o.base);
    key.value(o.root_begin);
    key.value(o.root_end);
    key.value(o.offset);
    key.value(o.value);
    key.value(o.lane);
    if (o.source != nullptr) {
      key.value(o.source->type);
      key.value(o.source->state);
    }
  }
  const isa::Object& source = *object.object;
  key.value(object.layout.bytes());
  for (const isa::Input& input : source.inputs) {
    key.value(input.kind_bits);
    key.value(input.id);
    key.value(input.offset);
    key.value(input.size);
  }
  for (const auto* list : {&source.addresses, &source.predicates, &source.samplers, &source.surfaces}) {
    key.value(list->size());
    for (const isa::PlainVariable& v : *list) key.value(v.elements);
  }
  for (std::uint32_t v = 0; v < source.variables.size(); ++v) {
    const machine::Place& place = *object.layout.place(isa::kFirstVariable + v);
    key.value(place.begin);
    key.value(place.root_begin);
    key.value(place.root_end);
    key.value(place.root);
    key.value(place.type);
  }
}

}  // namespace

namespace {
/// Compiling takes longer than linearly; such kernels run once anyway.
constexpr std::uint64_t kMostInstructions = 20000;
/// Around an indirect operand the code has to assume that any register was touched: hundreds of them in one kernel
/// (arrays indexed lane by lane) take minutes to compile.
constexpr std::int64_t kMostIndirect = 150;
}  // namespace

std::string Kernel::key_of(For what) const {
  KeyMaker key;
  key.text("heddle kernel");
  key.text(build_name());
  key.text(compiler_name());
  key.text(options_.compile.cpu);
  // Code for a named processor is the same wherever it can run.
  const std::string& cpu = options_.compile.cpu;
  key.text(cpu.empty() ? processor_name() : processor_problem(cpu));
  key.value(sizeof(machine::jit::Context));
  key.value(what);
  if (what == For::Row) {
    for (const auto* list : {&options_.row->x, &options_.row->y}) {
      key.value(list->size());
      for (const std::uint32_t at : *list) key.value(at);
    }
    key.value(options_.row->coverage);
  }
  key.value(options_.simd);
  key.value(options_.keep_registers);
  key.value(code_.platform);
  add_object(key, code_.objects.front());
  for (const auto& state : facts_.initial.states) {
    key.value(state.has_value());
    key.value(state.value_or(0));
  }
  for (std::uint32_t i = 0; i < code_.objects.front().code.size(); ++i)
    if (const machine::jit::ImageUse* use = images_.at(i)) {
      key.value(i);
      key.value(use->slot);
      if (use->state != nullptr) {
        key.value(use->state->fixed);
        key.value(use->state->value_class);
      } else if (use->footprint != nullptr) {
        key.value(use->footprint->fixed);
      } else if (use->target != nullptr) {
        key.value(use->target->fixed);
      } else {
        key.value(use->typed->fixed);
      }
    }
  return key.hex();
}

std::shared_ptr<const LoadedCode> Kernel::make(For what, std::string& error) const {
  const bool listing = options_.compile.keep_listing, first = what != For::Some;
  const std::string key = key_of(what);
  const DiskCache disk;
  if (!listing) {
    if (options_.memory != nullptr)
      if (auto code = options_.memory->find(key)) {
        if (first) origin_ = Origin::Memory;
        return code;
      }
    if (options_.disk_cache)
      if (const auto object = disk.find(key))
        if (auto code = LoadedCode::load(*object, error)) {
          if (first) origin_ = Origin::Disk;
          if (options_.memory != nullptr) options_.memory->store(key, code);
          return code;
        }
  }
  const RowLayout* row = what == For::Row ? &*options_.row : nullptr;
  const Specialisation special{options_.simd, first, options_.keep_registers, &facts_, &images_, row};
  CompileOutput output = compile(code_, shape_, special, options_.compile);
  error = output.error;
  if (first) {
    counts_ = std::move(output.counts);
    listing_ = std::move(output.listing);
    assembly_ = std::move(output.assembly);
  }
  if (!error.empty()) return nullptr;
  auto code = LoadedCode::load(output.object, error);
  if (code == nullptr) return nullptr;
  if (options_.memory != nullptr) options_.memory->store(key, code);
  if (options_.disk_cache) disk.store(key, output.object);
  return code;
}

Function Kernel::partial() const {
  std::call_once(partial_once_, [this] {
    std::string error;
    partial_code_ = make(For::Some, error);
  });
  return partial_code_ != nullptr ? partial_code_->function() : nullptr;
}

bool Kernel::reads_input(std::uint32_t offset, std::uint32_t size) const {
  const machine::Prepared& object = code_.objects.front();
  const auto used = [&](const machine::Place& place) {
    for (std::size_t i = 0; i < object.code.size(); ++i) {
      if (shape_.steps[i].routine == 0xffffffffu) continue;
      const machine::Decoded& d = object.code[i];
      for (unsigned o = 0; o < d.operand_count; ++o) {
        const machine::Operand& operand = object.operands[d.first_operand + o];
        if (operand.kind == isa::OperandKind::Indirect) return true;  // anything
        if (operand.root_begin < place.root_end && place.root_begin < operand.root_end) return true;
      }
    }
    return false;
  };
  return std::ranges::any_of(object.object->inputs, [&](const isa::Input& input) {
    const std::uint32_t begin = input.offset, end = begin + input.size;
    if (input.kind() != isa::InputKind::General || begin >= offset + size || offset >= end) return false;
    const machine::Place* place = object.layout.place(input.id);
    return place == nullptr || used(*place);
  });
}

std::unique_ptr<Kernel> Kernel::prepare(const reference::Kernel& kernel, const machine::Bindings& bindings,
                                        const KernelOptions& options, std::string& why_not) {
  why_not = compiler_problem();
  if (!why_not.empty()) return nullptr;
  std::unique_ptr<Kernel> k(new Kernel(kernel.code()));
  k->options_ = options;
  const machine::Prepared& object = kernel.code().objects.front();
  k->shape_ = shape_of(object, options.simd);
  if (!k->shape_.refusal.empty()) {
    why_not = k->shape_.refusal;
    return nullptr;
  }
  const auto reached = std::ranges::count_if(k->shape_.steps, [](const Step& s) { return s.routine != 0xffffffffu; });
  if (static_cast<std::uint64_t>(reached) > kMostInstructions) {
    why_not = "it is too long to be compiled";
    return nullptr;
  }
  const std::int64_t indirect = std::ranges::count_if(
      object.operands, [](const machine::Operand& o) { return o.kind == isa::OperandKind::Indirect; });
  if (indirect > kMostIndirect) {
    why_not = "it has too many indirect operands to be compiled in a short time";
    return nullptr;
  }
  const machine::StateIndex states(*object.object);
  k->facts_ = find_facts(object, states, k->shape_, bindings);
  k->images_ = Images(kernel.code(), states, k->shape_, k->facts_, bindings, options.pixels);
  k->payload_bytes_ = kernel.code().grf_bytes * 4;
  for (const isa::Input& input : object.object->inputs)
    k->payload_bytes_ = std::max<std::size_t>(k->payload_bytes_, std::size_t{input.offset} + input.size);
  k->full_mask_ = options.simd >= 32 ? 0xffffffffu : (1u << options.simd) - 1;
  if (k->options_.row)
    for (auto* list : {&k->options_.row->x, &k->options_.row->y})
      std::erase_if(*list, [&](std::uint32_t at) { return !k->reads_input(at, options.simd * 4); });
  k->first_code_ = k->make(k->options_.row ? For::Row : For::Full, why_not);
  if (k->first_code_ == nullptr) return nullptr;
  (k->options_.row ? k->row_ : k->full_) = k->first_code_->function();
  return k;
}

}  // namespace heddle::engine::jit
