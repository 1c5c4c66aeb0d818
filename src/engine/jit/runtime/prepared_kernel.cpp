// SPDX-License-Identifier: MIT
#include "engine/jit/runtime/prepared_kernel.hpp"

#include <algorithm>

#include "engine/jit/analysis/choice_loops.hpp"
#include "engine/jit/runtime/plain_steps.hpp"
#include "texture/touches.hpp"

namespace heddle::engine::jit {

namespace {
/// The first tier takes 0.1 ms for each; longer kernels run once anyway. The second's time grows faster.
constexpr std::uint64_t kMaxInstructions = 50'000, kMaxInstructionsOfSecond = 20'000;
/// Around an indirect operand the code has to assume that any register was touched: hundreds of them in one kernel
/// (arrays indexed lane by lane) take minutes to compile.
constexpr std::int64_t kMaxIndirect = 150;
/// Places where control flow joins or parts: for the second tier 1000 of them take 5 seconds, 4000 minutes.
constexpr std::int64_t kMaxBlocksOfSecond = 4000;
/// Instructions between two looks at the budget, about.
constexpr std::size_t kCallInstructions = 65536;
constexpr std::size_t kMaxThreads = 1024;

bool names(const machine::PreparedObject& object, const machine::Decoded& d, const machine::VariablePlacement& place) {
  for (unsigned o = 0; o < d.operand_count; ++o) {
    const machine::Operand& operand = object.operands[d.first_operand + o];
    if (operand.root_begin < place.root_end && place.root_begin < operand.root_end) return true;
  }
  return false;
}

using Indices = std::initializer_list<std::uint32_t>;
constexpr Indices kShared = {machine::kBtiSlm}, kScratch = {machine::kBtiTss, machine::kBtiScratch};
constexpr Indices kSharedVariables = {0}, kScratchVariables = {3, 5};  // predefined ones

bool is_in(Indices list, std::uint64_t value) { return std::ranges::find(list, value) != list.end(); }

/// One of the indices in a surface variable, one of the predefined `variables`, or what may be one.
bool may_reach(const machine::PreparedObject& object, const machine::Decoded& d, Indices indices, Indices variables) {
  if (d.description->traits.any_memory) return true;
  for (unsigned o = 0; o < d.operand_count; ++o) {
    const machine::Operand& operand = object.operands[d.first_operand + o];
    if (operand.kind == isa::OperandKind::Surface && is_in(variables, operand.id)) return true;
    if (operand.kind != isa::OperandKind::State || operand.source->state != isa::StateClass::Surface) continue;
    // movs: only a constant other than these indices is harmless.
    const machine::Operand* from = d.sources[0] >= 0 ? &object.operands[d.first_operand + d.sources[0]] : nullptr;
    if (from == nullptr || from->kind != isa::OperandKind::Immediate || is_in(indices, from->value)) return true;
  }
  return false;
}

/// Before its first instruction.
bool may_begin_with(const machine::PreparedObject& object, const machine::Bindings& slots, Indices indices) {
  return std::ranges::any_of(object.object->inputs,
                             [](const isa::Input& input) { return input.kind() == isa::InputKind::Surface; }) ||
         std::ranges::any_of(slots.surface_variables, [&](const auto& variable) {
           return std::ranges::any_of(variable.second, [&](std::uint32_t value) { return is_in(indices, value); });
         });
}
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

PreparedKernel::PreparedKernel(const reference::ResolvedKernel& kernel, const KernelOptions& options)
    : kernel_(kernel),
      code_(kernel_.code()),
      options_(options),
      of_pixels_(options.pixels != nullptr),
      states_(*code_.objects.front().object) {
  full_mask_ = options.simd >= 32 ? 0xffffffffu : (1u << options.simd) - 1;
}

PreparedKernel::~PreparedKernel() = default;

bool PreparedKernel::reads_input(std::uint32_t offset, std::uint32_t size) const {
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

/// What compiled code may do with shared memory and time, and how much of a payload it reads.
void PreparedKernel::look_at_instructions(const machine::Bindings& slots) {
  const machine::PreparedObject& object = code_.objects.front();
  payload_bytes_ = code_.grf_bytes * 4;
  for (const isa::Input& input : object.object->inputs)
    payload_bytes_ = std::max<std::size_t>(payload_bytes_, std::size_t{input.offset} + input.size);
  uses_shared_memory_ = may_begin_with(object, slots, kShared);
  uses_scratch_ = may_begin_with(object, slots, kScratch);
  const machine::VariablePlacement& time = *object.layout.place(machine::predefined::kTsc);
  bool reads_time = false;
  for (std::size_t i = 0; i < object.code.size(); ++i) {
    if (graph_.nodes[i].routine == 0xffffffffu) continue;
    reads_time = reads_time || names(object, object.code[i], time);
    uses_shared_memory_ = uses_shared_memory_ || may_reach(object, object.code[i], kShared, kSharedVariables);
    uses_scratch_ = uses_scratch_ || may_reach(object, object.code[i], kScratch, kScratchVariables);
  }
  if (!reads_time)
    threads_at_once_ = static_cast<std::uint32_t>(
        std::clamp<std::size_t>(kCallInstructions / std::max<std::size_t>(1, object.code.size()), 1, kMaxThreads));
}

void PreparedKernel::decide_interpretation(const machine::Bindings& slots, std::uint64_t instructions, Tiers tiers) {
  // Code that counts texels, or is shown, is made in any case.
  compiles_late_ = options_.interpret > 0 && tiers == Tiers::Both && !options_.compile.keep_listing &&
                   texture::touch_sink() == nullptr;
  if (!compiles_late_) return;
  InterpretedSteps steps{.instructions = instructions, .messages = sites_.size()};
  compiling_steps_ = steps_worth_compiling(steps);
  interpretation_ = interpretation_of(code_.objects.front(), graph_, slots, options_.own_surfaces);
  last_branch_back_ = engine::jit::last_branch_back(code_.objects.front(), graph_);
  if (interpretation_ != Interpretation::Never) {
    plain_ = std::make_unique<PlainSteps>(code_, graph_, sites_);
    steps.plain = plain_->steps();
    steps.plain_messages = plain_->messages();
  }
  const double worth = options_.interpret * static_cast<double>(steps_worth_compiling(steps));
  worth_compiling_ = static_cast<std::uint64_t>(std::min(1e15, worth));
  if (interpretation_ != Interpretation::Never) interpreted_steps_ = worth_compiling_;
}

std::shared_ptr<const PreparedKernel> PreparedKernel::create(const reference::ResolvedKernel& kernel,
                                                             const machine::Bindings& slots,
                                                             const KernelOptions& options, std::string& why_not) {
  why_not = compiler_problem();
  if (!why_not.empty()) return nullptr;
  std::shared_ptr<PreparedKernel> k(new PreparedKernel(kernel, options));
  const machine::PreparedObject& object = kernel.code().objects.front();
  k->graph_ = build_control_flow_graph(object, options.simd);
  if (!k->graph_.refusal.empty()) {
    why_not = k->graph_.refusal;
    return nullptr;
  }
  const auto reached =
      std::ranges::count_if(k->graph_.nodes, [](const FlowNode& s) { return s.routine != 0xffffffffu; });
  if (static_cast<std::uint64_t>(reached) > kMaxInstructions) {
    why_not = "it is too long to be compiled";
    return nullptr;
  }
  const auto blocks = std::ranges::count_if(k->graph_.nodes, [](const FlowNode& s) { return s.leader; });
  if (static_cast<std::uint64_t>(reached) > kMaxInstructionsOfSecond || blocks > kMaxBlocksOfSecond)
    k->options_.tiers = Tiers::First;
  const std::int64_t indirect = std::ranges::count_if(
      object.operands, [](const machine::Operand& o) { return o.kind == isa::OperandKind::Indirect; });
  if (indirect > kMaxIndirect) {
    why_not = "it has too many indirect operands to be compiled in a short time";
    return nullptr;
  }
  k->known_ = find_known_values(object, k->states_, k->graph_, slots);
  k->sites_ = find_message_sites(k->code_, k->states_, k->graph_, k->known_, options.pixels);
  k->look_at_instructions(slots);
  const bool straight = std::ranges::none_of(k->graph_.nodes, [](const FlowNode& s) {
    return s.routine != 0xffffffffu && s.moves() && !(s.kind == isa::FlowKind::Return && s.always);
  });
  k->expected_steps_ = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(reached) / (straight ? 1 : 2));
  k->decide_interpretation(slots, static_cast<std::uint64_t>(reached), options.tiers);
  if (k->options_.row)
    for (auto* list : {&k->options_.row->x, &k->options_.row->y})
      std::erase_if(*list, [&](std::uint32_t at) { return !k->reads_input(at, options.simd * 4); });
  return k;
}

Images::Message PreparedKernel::prepare_message(std::size_t site, const machine::Bindings& bindings,
                                                const machine::PixelState* pixels) const {
  if (sites_[site].slots.by_handle) return sites_[site].sample;
  return prepare_site(sites_[site], code_, states_, bindings, pixels);
}

std::unique_ptr<machine::jit::PreparedMessage> PreparedKernel::prepare_by_handle(
    const MessageSite& site, const Handles& handles, const machine::Bindings& bindings) const {
  // Messages by handle ask only whether there is one: none writes targets.
  static const machine::PixelState kAny;
  return jit::prepare_by_handle(site, handles, code_, states_, bindings, of_pixels_ ? &kAny : nullptr);
}

Images PreparedKernel::prepare_messages(const machine::Bindings& bindings, const machine::PixelState* pixels) const {
  std::vector<Images::Message> messages;
  for (std::size_t k = 0; k < sites_.size(); ++k) messages.push_back(prepare_message(k, bindings, pixels));
  return images_of(messages);
}

Images PreparedKernel::example_messages() const {
  std::vector<Images::Message> messages;
  for (const MessageSite& site : sites_)
    messages.push_back(site.slots.by_handle
                           ? site.sample
                           : Images::Message(jit::prepare_example(site, code_, states_, options_.pixels)));
  return images_of(messages);
}

Images PreparedKernel::images_of(std::span<const Images::Message> messages, Images::Knows knows) const {
  return {sites_, messages, knows};
}

const base::KeyMaker& PreparedKernel::program_key() const {
  std::call_once(key_once_, [&] {
    base::KeyMaker key;
    key.text("heddle kernel");
    key.text(base::build_name());
    key.text(compiler_name());
    if (texture::touch_sink() != nullptr) key.text("counts texels");
    key.text(options_.compile.cpu);
    // Code for a named processor is the same wherever it can run, but for what the states say of the machine
    // (texture::simd::gathers_are_slow).
    const std::string& cpu = options_.compile.cpu;
    key.text(cpu.empty() ? processor_name() : processor_problem(cpu));
    key.value(sizeof(machine::jit::ThreadContext));
    key.value(options_.tiers == Tiers::First);  // never the second
    key.value(options_.simd);
    key.value(options_.keep_registers);
    key.value(options_.own_bytes);
    key.value(code_.platform);
    add_object(key, code_.objects.front());
    for (const auto& state : known_.initial.states) {
      key.value(state.has_value());
      key.value(state.value_or(0));
    }
    // The first tier finds its calls by the site's number.
    for (const MessageSite& site : sites_) key.values(site.instruction, site.slots.by_handle);
    program_key_ = key;
  });
  return program_key_;
}

}  // namespace heddle::engine::jit
