// SPDX-License-Identifier: MIT
#include "engine/jit/runtime/compiled_kernel.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <unordered_map>
#include <utility>

#include "base/disk_cache.hpp"
#include "engine/jit/cache/kernel_cache.hpp"
#include "engine/jit/runtime/expect_code.hpp"
#include "engine/jit/runtime/image_functions.hpp"
#include "engine/jit/runtime/native_functions.hpp"

namespace heddle::engine::jit {

CompiledKernel::~CompiledKernel() {
  for (const Part* part : {&main_, &partial_})
    if (part->made.job != nullptr) BackgroundCompiler::instance().forget(*part->made.job);
}

/// What all keys of a function begin with.
base::KeyMaker CompiledKernel::function_key(For what) const {
  base::KeyMaker key = prepared_->program_key();
  key.value(what);
  if (what == For::Row) {
    for (const auto* list : {&options_.row->x, &options_.row->y}) {
      key.value(list->size());
      for (const std::uint32_t at : *list) key.value(at);
    }
    key.value(options_.row->coverage);
  }
  return key;
}

/// Of the first tier: what is bound counts only where the emitted code itself depends on it.
std::string CompiledKernel::first_key(For what) const {
  base::KeyMaker key = function_key(what);
  key.text("forms");
  for (const Images::Message& message : images_.messages()) key.value(message != nullptr ? message->form() + 1 : 0);
  return key.hex();
}

/// Of the second tier, which knows the static states.
std::string CompiledKernel::second_key(For what) const {
  base::KeyMaker key = function_key(what);
  key.text("states");
  const std::string& cpu = options_.compile.cpu;
  std::unordered_map<const machine::jit::PreparedMessage*, std::uint32_t> first;  // instruction that has it
  for (const auto& [i, use] : images_.uses()) {
    if (const auto [at, added] = first.try_emplace(use.message, i); !added) {
      key.values(i, use.slot, at->second);
      continue;
    }
    const machine::jit::PreparedMessage::Function kernel = use.message->function();
    std::vector<std::uint8_t> static_state(kernel.static_state.begin(), kernel.static_state.end());
    // What link_kernels finds out follows from the rest of the key and the processor.
    use.message->complete(static_state, {.unread_channels = 0, .has_vbmi = !cpu.starts_with("x86-64")});
    key.value(i);
    key.value(use.slot);
    key.text(kernel.entry);
    key.add(static_state.data(), static_state.size());
  }
  return key.hex();
}

namespace {
/// The second tier is worth making where so many instructions were executed in the first: what it would have saved is
/// then about what LLVM's passes take, so that a run of whatever length takes at most twice what it could. Of the
/// passes 50 microseconds are an instruction's, and some 20 milliseconds those of image functions for states that
/// nobody met before; the second tier saves some 5 ns an instruction.
constexpr std::uint64_t kWorthSecondTier = 1'000'000, kForEachInstruction = 10'000, kForImages = 4'000'000;
/// It is made sooner, behind this part of them, in a run that is known to go on for long.
constexpr std::uint64_t kSooner = 8;

/// Kernels of more take half as long to compile where variables stay in memory, which is worth it unless they are known
/// to run for long.
constexpr std::size_t kFewInstructions = 60;
/// So many times the steps of compiling: what variables in machine registers save is what they cost.
constexpr std::uint64_t kLarge = 8;

/// Calls of messages by handle: a state has at most so many votes, so that what comes later can win.
constexpr std::uint64_t kMaxVotes = 100'000;
/// So many calls of states that the second tier does not know, some 40 ns each, take as long as making it once more.
constexpr std::uint64_t kWorthKnowing = 1'000'000;

std::string disk_key(const std::string& key, Tier tier) { return key + (tier == Tier::First ? "-1" : "-2"); }

std::shared_ptr<const LoadedCode> load_from_disk(const std::string& key, Tier tier, std::string& error) {
  const auto object = base::DiskCache("kernel").find(disk_key(key, tier));
  return object ? LoadedCode::load(*object, error) : nullptr;
}
}  // namespace

CompileOutput CompiledKernel::compile_for(For what, const CompileOptions& options) const {
  const RowLayout* row = what == For::Row ? &*options_.row : nullptr;
  const bool first = options.tier == Tier::First;
  Images own;
  if (first) {
    own = prepared_->images_of(images_.messages(), Images::Knows::Forms);
  } else {
    own = images_;
    std::vector<Images::Message> likely;
    {
      const std::lock_guard guard(jobs_);
      for (const Guess& guess : likely_) likely.push_back(guess.message);
    }
    own.set_likely(prepared_->sites(), likely);
  }
  const bool is_brief = prepared_->compiles_late() && code_.objects.front().code.size() > kFewInstructions &&
                        (what == For::Some || !large_.load(std::memory_order_relaxed));
  const bool in_memory = first && (options_.in_memory || is_brief);
  const KernelVariant special{
      options_.simd, what != For::Some, options_.own_bytes, options_.keep_registers, &known_, &own, row, in_memory};
  ImageFunctions functions(options_.disk_cache);
  CompileOptions all = options;
  all.functions = &functions;
  return compile(code_, graph_, special, all);
}

std::shared_ptr<const LoadedCode> CompiledKernel::compile_now(For what, Tier tier, const std::string& key,
                                                              std::string& error) const {
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
  if (!error.empty()) return nullptr;
  auto code = LoadedCode::load(output.object, error);
  if (code != nullptr && options_.disk_cache) base::DiskCache("kernel").store(disk_key(key, tier), output.object);
  return code;
}

/// The first tier's code, which kernels of other states may have made.
std::shared_ptr<const LoadedCode> CompiledKernel::first_code(For what, bool compiles, Origin& origin,
                                                             std::string& error) const {
  const std::string key = first_key(what);
  const std::shared_ptr<TieredCode> known = wants_listing(what) ? nullptr : prepared_->first_codes().find_or_add(key);
  std::shared_ptr<const LoadedCode> code = known != nullptr ? known->first() : nullptr;
  origin = Origin::Memory;
  if (code != nullptr) return code;
  // Kernels of other states have looked there already; who compiles does once more.
  if (known != nullptr && options_.disk_cache && (compiles || !known->looked_on_disk()))
    code = load_from_disk(key, Tier::First, error);
  origin = Origin::Disk;
  if (code == nullptr && compiles) {
    code = compile_now(what, Tier::First, key, error);
    origin = Origin::Compiled;
  }
  if (code != nullptr && known != nullptr) known->set(Tier::First, code);
  return code;
}

CompiledKernel::Made CompiledKernel::make(For what, bool compiles, std::string& error) const {
  const bool listing = wants_listing(what);
  const bool second = options_.tiers == Tiers::Second || (listing && options_.tiers == Tiers::Both);
  Made made;
  made.key = second_key(what);
  made.code =
      listing || options_.memory == nullptr ? std::make_shared<TieredCode>() : options_.memory->find_or_add(made.key);
  const auto from = [&](Origin origin) {
    if (what != For::Some) origin_ = origin;
    return made;
  };
  if (made.code->function() != nullptr && (!second || made.code->has_second())) return from(Origin::Memory);
  if (!listing && options_.tiers != Tiers::First && options_.disk_cache)
    if (auto code = load_from_disk(made.key, Tier::Second, error)) {
      made.code->set(Tier::Second, std::move(code));
      return from(Origin::Disk);
    }
  // Where the second cannot be made, or would take too much of the stack, the first may do.
  if (second && compiles)
    if (auto code = compile_now(what, Tier::Second, made.key, error)) {
      made.code->set(Tier::Second, std::move(code));
      return from(Origin::Compiled);
    }
  Origin origin = Origin::Compiled;
  if (auto code = first_code(what, compiles, origin, error))
    made.code->set(Tier::First, std::move(code));
  else
    made.code = nullptr;
  return from(made.code != nullptr ? origin : Origin::None);
}

void CompiledKernel::ask_second_tier(For what, Made& made) const {
  const std::lock_guard guard(jobs_);
  if (made.job == nullptr && !made.code->has_second() && made.code->claim()) ask(what, made, false);
}

/// With the jobs' lock. `again`: what asked before has ended.
void CompiledKernel::ask(For what, Made& made, bool again) const {
  made.job = std::make_shared<SecondTierJob>();
  made.job->again = again;
  made.job->compile = [this, what](const CompileOptions& options) { return compile_for(what, options); };
  made.job->options = options_.compile;
  made.job->options.keep_listing = false;
  made.job->code = made.code;
  if (options_.disk_cache) made.job->disk_key = disk_key(made.key, Tier::Second);
  BackgroundCompiler::instance().ask(made.job);
}

const CompiledKernel::Part* CompiledKernel::counting_part() const {
  return main_.has_code() ? &main_ : partial_.has_code() ? &partial_ : nullptr;
}

std::uint64_t CompiledKernel::executed() const {
  std::uint64_t all = 0;
  for (const Part* part : {&main_, &partial_})
    if (part->has_code()) all += part->made.code->count(0);
  return all;
}

void CompiledKernel::Guess::hear(const MetState& met) {
  if (met.calls.all == 0) return;
  unknown += met.calls.unknown;  // whichever state they had: code for the likeliest one is better than none
  if (same_state(message, met.message)) {
    votes = std::min(votes + met.calls.all, kMaxVotes);
  } else if (met.calls.all > votes) {
    message = met.message;
    votes = std::min(met.calls.all - votes, kMaxVotes);
  } else {
    votes -= met.calls.all;
  }
}

void CompiledKernel::met(std::span<const MetState> states) const {
  const Part* counts = counting_part();
  const std::lock_guard guard(jobs_);
  const unsigned times = counts != nullptr ? counts->made.code->times_again() : 0;
  if (std::exchange(times_again_, times) != times)
    for (Guess& guess : likely_) guess.unknown = 0;
  likely_.resize(states.size());
  std::uint64_t unknown = 0;
  for (std::size_t site = 0; site < states.size(); ++site) {
    likely_[site].hear(states[site]);
    unknown_calls_.fetch_add(states[site].calls.unknown, std::memory_order_relaxed);
    unknown += likely_[site].unknown;
  }
  if (options_.tiers != Tiers::Both || unknown < kWorthKnowing) return;
  for (Part* part : {&main_, &partial_}) {
    if (!part->has_code() || !part->made.code->may_be_made_again()) continue;  // before the compiler's lock is taken
    if (part->made.job != nullptr && !BackgroundCompiler::instance().has_ended(*part->made.job)) continue;
    if (!part->made.code->claim_again()) continue;
    ask(part->what, part->made, true);
    for (Guess& guess : likely_) guess.unknown = 0;
  }
}

std::uint64_t CompiledKernel::worth_second_tier() const {
  return kWorthSecondTier + kForEachInstruction * code_.objects.front().code.size() +
         (prepared_->sites().empty() ? 0 : kForImages);
}

void CompiledKernel::ran(std::uint64_t instructions, std::uint64_t partial) const {
  const std::uint64_t worth = worth_second_tier(), left = left_after(instructions);
  // Code would come too late for the rest of a short run, and slow it down where there is one processor: the next asks.
  // What ran for twice as long asks all the same.
  const bool ends_soon = left != 0 && left < worth;
  // What a run is known to have is full threads.
  ran(main_, instructions, ends_soon ? 2 * worth : long_.load(std::memory_order_relaxed) ? worth / kSooner : worth);
  ran(partial_, partial, worth);
}

/// What is left of the run that expect() told of; 0: nothing, or nothing is known.
std::uint64_t CompiledKernel::left_after(std::uint64_t instructions) const {
  std::uint64_t before = left_.load(std::memory_order_relaxed), left = 0;
  do left = before - std::min(before, instructions);
  while (!left_.compare_exchange_weak(before, left, std::memory_order_relaxed));
  return left;
}

void CompiledKernel::ran(Part& part, std::uint64_t instructions, std::uint64_t worth) const {
  if (!part.has_code() || part.made.code->count(instructions) < worth || options_.tiers != Tiers::Both) return;
  if (!part.made.code->has_second()) ask_second_tier(part.what, part.made);
}

bool CompiledKernel::asked_second_tier() const {
  const std::lock_guard guard(jobs_);
  return std::ranges::any_of(std::array{&main_, &partial_}, [](const Part* part) {
    return part->has_code() && (part->made.job != nullptr || part->made.code->has_second());
  });
}

bool CompiledKernel::finish_second_tier() const {
  (void)compile_part(main_);
  bool has_second = main_.state.load(std::memory_order_acquire) == State::Code;
  for (Part* part : {&main_, &partial_}) {
    if (part->state.load(std::memory_order_acquire) != State::Code) continue;
    ask_second_tier(part->what, part->made);
    const std::shared_ptr<SecondTierJob> job = [&] {
      const std::lock_guard guard(jobs_);
      return part->made.job;
    }();
    if (job != nullptr) BackgroundCompiler::instance().wait(*job);
    has_second = has_second && part->made.code->has_second();
  }
  return has_second;
}

void CompiledKernel::look(Part& part) const {
  std::call_once(part.looked, [&] {
    std::string error;
    part.made = make(part.what, false, error);
    part.shared = prepared_->first_codes().find_or_add(first_key(part.what));
    if (part.made.code != nullptr) part.state.store(State::Code, std::memory_order_release);
  });
}

bool CompiledKernel::compile_part(Part& part) const {
  bool mine = false;
  std::call_once(part.compiled, [&] {
    look(part);
    if (part.state.load(std::memory_order_relaxed) == State::Code) return;
    std::string error;
    part.made = make(part.what, true, error);
    mine = true;
    const std::lock_guard guard(jobs_);
    if (part.made.code == nullptr) problem_ = error;
    part.state.store(part.made.code != nullptr ? State::Code : State::Failed, std::memory_order_release);
  });
  return mine;
}

CodeListing CompiledKernel::list(Tier tier) const {
  CompileOptions options = options_.compile;
  options.tier = tier;
  options.keep_listing = true;
  CompileOutput output = compile_for(options_.row ? For::Row : For::Full, options);
  CodeListing listing;
  listing.assembly = std::move(output.assembly);
  listing.tier = tier;
  listing.problem = std::move(output.error);
  return listing;
}

CodeListing CompiledKernel::list() const {
  CodeListing listing = list(main_.has_code() && main_.made.code->has_second() ? Tier::Second : Tier::First);
  listing.bound = true;
  return listing;
}

CodeListing CompiledKernel::list_unbound(std::shared_ptr<const PreparedKernel> prepared) {
  Images images = prepared->example_messages();
  return CompiledKernel(std::move(prepared), std::move(images)).list(Tier::First);
}

Function CompiledKernel::function_of(Part& part, reference::Budget& budget) const {
  if (part.state.load(std::memory_order_acquire) == State::None) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = Clock::now();
    if (compile_part(part))
      late_seconds_.fetch_add(std::chrono::duration<double>(Clock::now() - begin).count(), std::memory_order_relaxed);
    budget.exclude(begin, Clock::now());  // also the time of a caller who waited for another run's code
  }
  return part.state.load(std::memory_order_acquire) == State::Code ? part.made.code->function() : nullptr;
}

bool CompiledKernel::still_interprets(Part& part, reference::Budget& budget) const {
  const std::uint64_t most = prepared_->interpreted_steps();
  if (most == 0) {
    (void)function_of(part, budget);
    return part.state.load(std::memory_order_acquire) == State::Failed;
  }
  look(part);
  if (part.state.load(std::memory_order_acquire) == State::None) {
    const bool worth = part.shared->interpreted() >= most || part.shared->function() != nullptr;
    if (!worth || part.claimed.exchange(true)) return true;
    try {
      (void)function_of(part, budget);
    } catch (...) {
      part.claimed = false;
      throw;
    }
  }
  return part.state.load(std::memory_order_acquire) != State::Code;
}

void CompiledKernel::interpreted(std::uint32_t dispatch_mask, Way way, std::uint64_t steps) const {
  const std::uint64_t before = part_of(dispatch_mask, way).shared->count_interpreted(steps);
  const std::uint64_t half = prepared_->interpreted_steps() / 2;
  if (before < half && before + steps >= half) expect_code();
}

namespace {
/// What so many threads take, or as many as 64 bits count.
std::uint64_t steps_of(std::uint64_t threads, const PreparedKernel& prepared) {
  std::uint64_t steps = 0;
  const bool too_many = __builtin_mul_overflow(threads, prepared.expected_steps(), &steps);
  return too_many ? std::numeric_limits<std::uint64_t>::max() : steps;
}
}  // namespace

void CompiledKernel::expect(std::uint64_t threads) const {
  left_.store(steps_of(threads, *prepared_), std::memory_order_relaxed);
  expect_at_least(threads);
}

void CompiledKernel::expect_at_least(std::uint64_t threads) const {
  const std::uint64_t steps = steps_of(threads, *prepared_);
  // Twice as much, for where there is one processor the first tier goes on at half its speed until the second is made.
  if (steps / 2 >= worth_second_tier()) long_.store(true, std::memory_order_relaxed);
  if (main_.state.load(std::memory_order_relaxed) != State::None) return;
  if (steps < prepared_->worth_compiling()) return;
  if (steps / kLarge >= prepared_->compiling_steps()) large_.store(true, std::memory_order_relaxed);
  main_.shared->count_interpreted(prepared_->interpreted_steps());
}

std::unique_ptr<CompiledKernel> CompiledKernel::prepare(const reference::ResolvedKernel& kernel,
                                                        const machine::Bindings& bindings, const KernelOptions& options,
                                                        std::string& why_not) {
  auto prepared = PreparedKernel::create(kernel, bindings, options, why_not);
  if (prepared == nullptr) return nullptr;
  Images images = prepared->prepare_messages(bindings, options.pixels);
  std::unique_ptr<CompiledKernel> made = prepare(std::move(prepared), std::move(images), why_not);
  if (made != nullptr)
    for (const Images::Message& message : made->images_.messages()) made->calls_.push_back(call_of(message.get()));
  return made;
}

std::unique_ptr<CompiledKernel> CompiledKernel::prepare(std::shared_ptr<const PreparedKernel> prepared, Images images,
                                                        std::string& why_not) {
  std::unique_ptr<CompiledKernel> k(new CompiledKernel(std::move(prepared), std::move(images)));
  k->main_.what = k->options_.row ? For::Row : For::Full;
  if (k->prepared_->compiles_late()) {
    k->look(k->main_);
    return k;
  }
  (void)k->compile_part(k->main_);
  if (k->main_.state.load(std::memory_order_acquire) == State::Code) return k;
  why_not = k->problem();
  return nullptr;
}

}  // namespace heddle::engine::jit
