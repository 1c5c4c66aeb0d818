#include "engine/jit/runtime/kernel.hpp"

#include <algorithm>
#include <chrono>

#include "base/disk_cache.hpp"
#include "engine/jit/cache/kernel_cache.hpp"
#include "engine/jit/runtime/image_functions.hpp"

namespace heddle::engine::jit {

Kernel::~Kernel() {
  for (const Made* made : {&main_, &partial_})
    if (made->job != nullptr) BackgroundCompiler::instance().forget(*made->job);
}

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
  key.value(options_.tiers == Tiers::First);  // never the second
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

namespace {
/// The second tier is worth making where so many instructions were executed in the first: some milliseconds.
constexpr std::uint64_t kWorthSecondTier = 200'000;

std::string disk_key(const std::string& key, Tier tier) { return key + (tier == Tier::First ? "-1" : "-2"); }
}  // namespace

CompileOutput Kernel::compile_for(For what, const CompileOptions& options) const {
  const RowLayout* row = what == For::Row ? &*options_.row : nullptr;
  const KernelVariant special{
      options_.simd, what != For::Some, options_.own_bytes, options_.keep_registers, &known_, &images_, row};
  ImageFunctions functions(options_.disk_cache);
  CompileOptions all = options;
  all.functions = &functions;
  return compile(code_, graph_, special, all);
}

bool Kernel::find_on_disk(const Made& made, Tier tier, std::string& error) const {
  if (!options_.disk_cache) return false;
  const auto object = base::DiskCache("kernel").find(disk_key(made.key, tier));
  auto code = object ? LoadedCode::load(*object, error) : nullptr;
  if (code == nullptr) return false;
  made.code->set(tier, std::move(code));
  return true;
}

bool Kernel::compile_now(For what, Tier tier, const Made& made, std::string& error) const {
  CompileOptions options = options_.compile;
  options.tier = tier;
  options.keep_listing = wants_listing(what);
  CompileOutput output = compile_for(what, options);
  error = output.error;
  if (what != For::Some) {
    counts_ = std::move(output.counts);
    listing_ = std::move(output.listing);
    assembly_ = std::move(output.assembly);
  }
  if (!error.empty()) return false;
  auto code = LoadedCode::load(output.object, error);
  if (code == nullptr) return false;
  made.code->set(tier, std::move(code));
  if (options_.disk_cache) base::DiskCache("kernel").store(disk_key(made.key, tier), output.object);
  return true;
}

Kernel::Made Kernel::make(For what, std::string& error) const {
  const bool listing = wants_listing(what);
  const bool second = options_.tiers == Tiers::Second || (listing && options_.tiers == Tiers::Both);
  const Tier tier = second ? Tier::Second : Tier::First;
  Made made;
  made.key = key_of(what);
  made.code = std::make_shared<TieredCode>();
  const auto from = [&](Origin origin) {
    if (what != For::Some) origin_ = origin;
    return made;
  };
  if (!listing) {
    if (options_.memory != nullptr) {
      made.code = options_.memory->find_or_add(made.key);
      if (made.code->function() != nullptr && (tier == Tier::First || made.code->has_second()))
        return from(Origin::Memory);
    }
    if (options_.tiers != Tiers::First && find_on_disk(made, Tier::Second, error)) return from(Origin::Disk);
    if (tier == Tier::First && find_on_disk(made, Tier::First, error)) return from(Origin::Disk);
  }
  // Where the second cannot be made, or would take too much of the stack, the first may do.
  if (!compile_now(what, tier, made, error) && (tier == Tier::First || !compile_now(what, Tier::First, made, error)))
    made.code = nullptr;
  return from(Origin::Compiled);
}

void Kernel::ask_second_tier(For what, Made& made) const {
  const std::lock_guard guard(jobs_);
  if (made.job != nullptr || made.code->has_second() || !made.code->claim()) return;
  made.job = std::make_shared<SecondTierJob>();
  made.job->compile = [this, what](const CompileOptions& options) { return compile_for(what, options); };
  made.job->options = options_.compile;
  made.job->options.keep_listing = false;
  made.job->code = made.code;
  if (options_.disk_cache) made.job->disk_key = disk_key(made.key, Tier::Second);
  BackgroundCompiler::instance().ask(made.job);
}

void Kernel::ran(std::uint64_t instructions) const {
  if (options_.tiers != Tiers::Both || main_.code->count(instructions) < kWorthSecondTier) return;
  if (!main_.code->has_second()) ask_second_tier(options_.row ? For::Row : For::Full, main_);
  if (has_partial_.load(std::memory_order_acquire) && !partial_.code->has_second())
    ask_second_tier(For::Some, partial_);
}

bool Kernel::finish_second_tier() const {
  ask_second_tier(options_.row ? For::Row : For::Full, main_);
  const bool partial = has_partial_.load(std::memory_order_acquire);
  if (partial) ask_second_tier(For::Some, partial_);
  for (const Made* made : {&main_, &partial_}) {
    const std::shared_ptr<SecondTierJob> job = [&] {
      const std::lock_guard guard(jobs_);
      return made->job;
    }();
    if (job != nullptr) BackgroundCompiler::instance().wait(*job);
  }
  return main_.code->has_second() && (!partial || partial_.code->has_second());
}

Function Kernel::partial(reference::Budget& budget) const {
  if (!has_partial_.load(std::memory_order_acquire)) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = Clock::now();
    std::call_once(partial_once_, [&] {
      partial_ = make(For::Some, partial_problem_);
      has_partial_.store(partial_.code != nullptr, std::memory_order_release);
      late_seconds_ = std::chrono::duration<double>(Clock::now() - begin).count();
    });
    budget.exclude(begin, Clock::now());  // also the time of a caller who waited for another run's code
  }
  return partial_.code != nullptr ? partial_.code->function() : nullptr;
}

std::unique_ptr<Kernel> Kernel::prepare(const reference::Kernel& kernel, const machine::Bindings& bindings,
                                        const KernelOptions& options, std::string& why_not) {
  auto prepared = PreparedKernel::create(kernel, bindings, options, why_not);
  if (prepared == nullptr) return nullptr;
  Images images = prepared->prepare_messages(bindings, options.pixels);
  return prepare(std::move(prepared), std::move(images), why_not);
}

std::unique_ptr<Kernel> Kernel::prepare(std::shared_ptr<const PreparedKernel> prepared, Images images,
                                        std::string& why_not) {
  std::unique_ptr<Kernel> k(new Kernel(std::move(prepared), std::move(images)));
  k->main_ = k->make(k->options_.row ? For::Row : For::Full, why_not);
  return k->main_.code != nullptr ? std::move(k) : nullptr;
}

}  // namespace heddle::engine::jit
