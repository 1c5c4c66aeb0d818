#include "engine/jit/runtime/kernel.hpp"

#include <algorithm>
#include <chrono>

#include "base/disk_cache.hpp"
#include "engine/jit/cache/kernel_cache.hpp"

namespace heddle::engine::jit {

Kernel::~Kernel() = default;

namespace {

/// Everything of an object that translation looks at.
void add_object(base::KeyMaker& key, const machine::PreparedObject& object) {
  key.value(object.code.size());
  for (const machine::Decoded& d : object.code)
    key.values(d.description->index, d.instruction->exec.bits, d.instruction->predicate.bits, d.operand_count);
  for (const machine::Operand& o : object.operands) {
    key.values(o.kind, o.modifier, o.type, o.null, o.element, o.width, o.id, o.base, o.root_begin, o.root_end, o.offset,
               o.value, o.source != nullptr);
    key.value(o.lane);
    if (o.source != nullptr) key.values(o.source->type, o.source->state);
  }
  const isa::Object& source = *object.object;
  key.value(object.layout.bytes());
  for (const isa::Input& input : source.inputs) key.values(input.kind_bits, input.id, input.offset, input.size);
  for (const auto* list : {&source.addresses, &source.predicates, &source.samplers, &source.surfaces}) {
    key.value(list->size());
    for (const isa::PlainVariable& v : *list) key.value(v.elements);
  }
  for (std::uint32_t v = 0; v < source.variables.size(); ++v) {
    const machine::VariablePlacement& place = *object.layout.place(isa::kFirstVariable + v);
    key.values(place.begin, place.root_begin, place.root_end, place.root, place.type);
  }
}

}  // namespace

namespace {
/// Compiling takes longer than linearly; such kernels run once anyway.
constexpr std::uint64_t kMostInstructions = 20000;
/// Around an indirect operand the code has to assume that any register was touched: hundreds of them in one kernel
/// (arrays indexed lane by lane) take minutes to compile.
constexpr std::int64_t kMostIndirect = 150;
/// Places where control flow joins or parts: 4000 take 10 seconds.
constexpr std::int64_t kMostBlocks = 6000;
/// Instructions between two looks at the budget, about.
constexpr std::size_t kCallInstructions = 65536;
constexpr std::size_t kMostThreads = 1024;

bool names(const machine::PreparedObject& object, const machine::Decoded& d, const machine::VariablePlacement& place) {
  for (unsigned o = 0; o < d.operand_count; ++o) {
    const machine::Operand& operand = object.operands[d.first_operand + o];
    if (operand.root_begin < place.root_end && place.root_begin < operand.root_end) return true;
  }
  return false;
}

/// An index of shared local memory in a surface variable, or what may be one.
bool may_reach_shared_memory(const machine::PreparedObject& object, const machine::Decoded& d) {
  if (d.description->traits.any_memory) return true;
  for (unsigned o = 0; o < d.operand_count; ++o) {
    const machine::Operand& operand = object.operands[d.first_operand + o];
    if (operand.kind == isa::OperandKind::Surface && operand.id == 0) return true;
    if (operand.kind != isa::OperandKind::State || operand.source->state != isa::StateClass::Surface) continue;
    // movs: only a constant other than that index is harmless.
    const machine::Operand* from = d.sources[0] >= 0 ? &object.operands[d.first_operand + d.sources[0]] : nullptr;
    if (from == nullptr || from->kind != isa::OperandKind::Immediate || from->value == machine::kBtiSlm) return true;
  }
  return false;
}
}  // namespace

std::string Kernel::key_of(For what) const {
  base::KeyMaker key;
  key.text("heddle kernel");
  key.text(base::build_name());
  key.text(compiler_name());
  key.text(options_.compile.cpu);
  // Code for a named processor is the same wherever it can run, but for what the states say of the machine
  // (texture::simd::gathers_are_slow).
  const std::string& cpu = options_.compile.cpu;
  key.text(cpu.empty() ? processor_name() : processor_problem(cpu));
  key.value(sizeof(machine::jit::ThreadContext));
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
  key.value(options_.own_bytes);
  key.value(code_.platform);
  add_object(key, code_.objects.front());
  for (const auto& state : known_.initial.states) {
    key.value(state.has_value());
    key.value(state.value_or(0));
  }
  for (std::uint32_t i = 0; i < code_.objects.front().code.size(); ++i)
    if (const machine::jit::MessageUse* use = images_.at(i)) {
      const machine::jit::PreparedMessage::Kernel kernel = use->message->kernel();
      std::vector<std::uint8_t> static_state(kernel.static_state.begin(), kernel.static_state.end());
      // What link_kernels finds out follows from the rest of the key and the processor.
      use->message->complete(static_state, {.unread_channels = 0, .has_vbmi = !cpu.starts_with("x86-64")});
      key.value(i);
      key.value(use->slot);
      key.text(kernel.entry);
      key.add(static_state.data(), static_state.size());
    }
  return key.hex();
}

std::shared_ptr<const LoadedCode> Kernel::make(For what, std::string& error) const {
  const bool listing = options_.compile.keep_listing, first = what != For::Some;
  const std::string key = key_of(what);
  const base::DiskCache disk("kernel");
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
  const Specialisation special{options_.simd, first, options_.own_bytes, options_.keep_registers, &known_,
                               &images_,      row};
  CompileOutput output = compile(code_, graph_, special, options_.compile);
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

Function Kernel::partial(reference::Budget& budget) const {
  std::call_once(partial_once_, [&] {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = Clock::now();
    partial_code_ = make(For::Some, partial_problem_);
    const Clock::duration taken = Clock::now() - begin;
    budget.extend(taken);
    late_seconds_ = std::chrono::duration<double>(taken).count();
  });
  return partial_code_ != nullptr ? partial_code_->function() : nullptr;
}

bool Kernel::reads_input(std::uint32_t offset, std::uint32_t size) const {
  const machine::PreparedObject& object = code_.objects.front();
  const auto used = [&](const machine::VariablePlacement& place) {
    for (std::size_t i = 0; i < object.code.size(); ++i) {
      if (graph_.nodes[i].routine == 0xffffffffu) continue;
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
    const machine::VariablePlacement* place = object.layout.place(input.id);
    return place == nullptr || used(*place);
  });
}

std::unique_ptr<Kernel> Kernel::prepare(const reference::Kernel& kernel, const machine::Bindings& bindings,
                                        const KernelOptions& options, std::string& why_not) {
  why_not = compiler_problem();
  if (!why_not.empty()) return nullptr;
  std::unique_ptr<Kernel> k(new Kernel(kernel.code()));
  k->options_ = options;
  const machine::PreparedObject& object = kernel.code().objects.front();
  k->graph_ = build_control_flow_graph(object, options.simd);
  if (!k->graph_.refusal.empty()) {
    why_not = k->graph_.refusal;
    return nullptr;
  }
  const auto reached =
      std::ranges::count_if(k->graph_.nodes, [](const FlowNode& s) { return s.routine != 0xffffffffu; });
  if (static_cast<std::uint64_t>(reached) > kMostInstructions) {
    why_not = "it is too long to be compiled";
    return nullptr;
  }
  if (std::ranges::count_if(k->graph_.nodes, [](const FlowNode& s) { return s.leader; }) > kMostBlocks) {
    why_not = "it has too many branches to be compiled in a short time";
    return nullptr;
  }
  const std::int64_t indirect = std::ranges::count_if(
      object.operands, [](const machine::Operand& o) { return o.kind == isa::OperandKind::Indirect; });
  if (indirect > kMostIndirect) {
    why_not = "it has too many indirect operands to be compiled in a short time";
    return nullptr;
  }
  const machine::StateIndex states(*object.object);
  k->known_ = find_known_values(object, states, k->graph_, bindings);
  k->images_ = Images(kernel.code(), states, k->graph_, k->known_, bindings, options.pixels);
  k->payload_bytes_ = kernel.code().grf_bytes * 4;
  for (const isa::Input& input : object.object->inputs)
    k->payload_bytes_ = std::max<std::size_t>(k->payload_bytes_, std::size_t{input.offset} + input.size);
  k->uses_shared_memory_ =
      std::ranges::any_of(object.object->inputs,
                          [](const isa::Input& input) { return input.kind() == isa::InputKind::Surface; }) ||
      std::ranges::any_of(bindings.surface_variables, [](const auto& variable) {
        return std::ranges::find(variable.second, machine::kBtiSlm) != variable.second.end();
      });
  const machine::VariablePlacement& time = *object.layout.place(machine::predefined::kTsc);
  bool reads_time = false;
  for (std::size_t i = 0; i < object.code.size(); ++i) {
    if (k->graph_.nodes[i].routine == 0xffffffffu) continue;
    reads_time = reads_time || names(object, object.code[i], time);
    k->uses_shared_memory_ = k->uses_shared_memory_ || may_reach_shared_memory(object, object.code[i]);
  }
  if (!reads_time)
    k->threads_at_once_ = static_cast<std::uint32_t>(
        std::clamp<std::size_t>(kCallInstructions / std::max<std::size_t>(1, object.code.size()), 1, kMostThreads));
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
