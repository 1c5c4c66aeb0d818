#include "engine/jit/runtime.hpp"

#include <cmath>
#include <cstring>

#include <fmt/format.h>
#include <boost/context/fiber.hpp>
#include <boost/context/fixedsize_stack.hpp>

#include "machine/jit/atomics.hpp"
#include "machine/math.hpp"
#include "machine/math_functions.hpp"
#include "machine/memory.hpp"
#include "machine/step.hpp"

namespace heddle::engine::jit {

namespace ctx = boost::context;
using machine::jit::Context;
using machine::jit::FlatView;
using machine::jit::Result;
using machine::jit::View;
using reference::Outcome;

namespace {
constexpr std::uint64_t kChunk = 65536;  ///< steps between looks at the clock
constexpr std::size_t kStackBytes = 512 * 1024;

View view_of(std::uint8_t* data, std::uint64_t size) {
  static std::uint8_t nothing[64];
  if (size > std::uint64_t{1} << 31) return {};
  return {size == 0 ? nothing : data, static_cast<std::uint32_t>(size)};
}
}  // namespace

/// What one thread needs: registers, and a way to wait.
struct Runner::Slot {
  Slot(const machine::Code& code, const machine::Bindings& bindings, machine::Reports& reports, Runner& owner)
      : thread(code, bindings, reports), runner(owner) {
    context.runner = this;
    context.views = views.data();
    context.images = owner.kernel_.images().table();
    context.unit_context = &thread.unit_context();
  }
  machine::Thread thread;
  Runner& runner;
  Context context;
  std::array<View, machine::jit::kViews> views{};
  FlatView flat{};  ///< that was used last
  bool touched = true;  ///< the thread's own state has changed since it began
  // While it runs on a fiber:
  ctx::fiber fiber;
  ctx::fiber* back = nullptr;
  Outcome outcome = Outcome::Finished;
  bool started = false, done = false;
};

/// Stacks of fibers that ended are kept for those to come: a group has its fibers for a few microseconds.
struct Runner::Fibers {
  ctx::fixedsize_stack source{kStackBytes};
  std::vector<ctx::stack_context> kept;
  std::size_t made = 0;

  ~Fibers() {
    for (ctx::stack_context& stack : kept) source.deallocate(stack);
  }
  /// What a fiber asks for its stack.
  struct Lender {
    Fibers* owner;
    ctx::stack_context allocate() {
      if (owner->kept.empty()) {
        owner->kept.reserve(++owner->made);
        return owner->source.allocate();
      }
      const ctx::stack_context stack = owner->kept.back();
      owner->kept.pop_back();
      return stack;
    }
    void deallocate(ctx::stack_context& stack) noexcept { owner->kept.push_back(stack); }  // there is room
  };
};

/// The functions that compiled code calls, with access to the runner.
struct Access {
  static std::uint32_t step(Context& context, std::uint32_t index, std::uint32_t active) {
    auto& slot = *static_cast<Runner::Slot*>(context.runner);
    machine::Thread& thread = slot.thread;
    slot.touched = true;
    if (slot.runner.kernel_.row() != nullptr && context.left != 0) {  // the next thread starts from outside
      context.stop = 1;
      thread.place_at(context.place & 0xffffu, context.place >> 16);
    }
    const machine::Decoded& d = thread.object().code[index];
    thread.flow().place(active, index);
    thread.set_steps(context.steps);
    thread.reload_modes();
    machine::Step s(thread, d);
    if (d.execute == nullptr) {
      s.refuse(nullptr, "run-instruction-missing",
               fmt::format("'{}' is not executed by the reference engine", d.form->mnemonic));
      return static_cast<std::uint32_t>(Result::Failed);
    }
    d.execute(s);
    if (thread.failed()) return static_cast<std::uint32_t>(Result::Failed);
    while (thread.waiting.active) {
      if (slot.back == nullptr) {  // nobody else can come
        if (!wait_alone(thread)) return static_cast<std::uint32_t>(Result::Failed);
        break;
      }
      *slot.back = std::move(*slot.back).resume();
      if (slot.runner.reports_.failed() || thread.failed()) return static_cast<std::uint32_t>(Result::Failed);
    }
    return 0;
  }

  static bool wait_alone(machine::Thread& thread) {
    machine::Step(thread, *thread.waiting.at)
        .refuse(nullptr, "run-barrier-unreached", "not all 1 threads of the group reach this barrier");
    return false;
  }

  /// The buffer at the first address of the mask.
  static const FlatView& flat(Context& context, const std::uint64_t* addresses, std::uint32_t mask) {
    auto& slot = *static_cast<Runner::Slot*>(context.runner);
    if (mask == 0) return slot.flat;
    const std::uint64_t address = addresses[__builtin_ctz(mask)];
    if (address - slot.flat.address < slot.flat.size) return slot.flat;
    slot.flat = {};
    const machine::MemoryRange* range = slot.runner.bindings_.memory.find(address, 1);
    // Offsets have 32 bits.
    if (range != nullptr && range->size <= std::uint64_t{1} << 31)
      slot.flat = {range->address, range->size, range->data};
    return slot.flat;
  }

  static std::uint32_t refuel(Context& context) {
    auto& slot = *static_cast<Runner::Slot*>(context.runner);
    Runner& runner = slot.runner;
    if (runner.reports_.failed()) return static_cast<std::uint32_t>(Result::Failed);
    // Steps that were overdrawn between two looks are taken too.
    const std::uint64_t over = context.steps - context.granted;
    const std::uint64_t got = runner.budget_.take(kChunk + over);
    if (got <= over) return static_cast<std::uint32_t>(Result::Limit);
    context.granted += got;
    return 0;
  }
};

namespace {
extern "C" {
std::uint32_t heddle_jit_step(Context* context, void*, void*, void*, void*, std::uint32_t index, std::uint32_t active) {
  return Access::step(*context, index, active);
}
std::uint32_t heddle_jit_refuel(Context* context) { return Access::refuel(*context); }
void heddle_jit_fill(Context* context) { context->fill(context->filler); }
/// Sources x, then y.
void heddle_jit_math(std::uint32_t function, std::uint32_t lanes, const float* in, float* out) {
  using machine::math::Function;
  for (std::uint32_t k = 0; k < lanes; ++k) {
    switch (static_cast<Function>(function)) {
      case Function::Sine:
        out[k] = static_cast<float>(machine::math::sine(in[k]));
        break;
      case Function::Cosine:
        out[k] = static_cast<float>(machine::math::cosine(in[k]));
        break;
      case Function::Power:
        out[k] = static_cast<float>(machine::math::power(in[k], in[lanes + k]));
        break;
      case Function::ReciprocalRoot:
        out[k] = static_cast<float>(machine::math::reciprocal_root(in[k]));
        break;
    }
  }
}
const FlatView* heddle_jit_flat(Context* context, const std::uint64_t* addresses, std::uint32_t mask) {
  return &Access::flat(*context, addresses, mask);
}
}

struct Symbol {
  std::string_view name;
  void* address;
};
const Symbol kSymbols[] = {
    {"heddle_jit_step", reinterpret_cast<void*>(&heddle_jit_step)},
    {"heddle_jit_refuel", reinterpret_cast<void*>(&heddle_jit_refuel)},
    {"heddle_jit_fill", reinterpret_cast<void*>(&heddle_jit_fill)},
    {"heddle_jit_math", reinterpret_cast<void*>(&heddle_jit_math)},
    {"heddle_jit_flat", reinterpret_cast<void*>(&heddle_jit_flat)},
    {"heddle_jit_atomics", reinterpret_cast<void*>(&machine::jit::run_atomics)},
    {"memcpy", reinterpret_cast<void*>(static_cast<void* (*)(void*, const void*, std::size_t)>(&std::memcpy))},
    {"memmove", reinterpret_cast<void*>(static_cast<void* (*)(void*, const void*, std::size_t)>(&std::memmove))},
    {"memset", reinterpret_cast<void*>(static_cast<void* (*)(void*, int, std::size_t)>(&std::memset))},
};
}  // namespace

void* runtime_symbol(std::string_view name) {
  for (const Symbol& symbol : kSymbols)
    if (symbol.name == name) return symbol.address;
  return nullptr;
}

Runner::Runner(const Kernel& kernel, const machine::Bindings& bindings, machine::Reports& reports,
               reference::Budget& budget)
    : kernel_(kernel), bindings_(bindings), reports_(reports), budget_(budget) {}

Runner::~Runner() {
  if (left_ != 0) budget_.give_back(left_);
}

Runner::Slot& Runner::slot(std::size_t index) {
  while (slots_.size() <= index) {
    slots_.push_back(std::make_unique<Slot>(kernel_.code(), bindings_, reports_, *this));
    Slot& s = *slots_.back();
    for (std::uint32_t i = 0; i < s.views.size() && i < bindings_.surfaces.size(); ++i) {
      if (bindings_.surfaces[i] == nullptr) continue;
      const machine::Target target = machine::bytes_of(*bindings_.surfaces[i], i);
      s.views[i] = view_of(target.data, target.size);
    }
  }
  return *slots_[index];
}

machine::Thread& Runner::thread() { return slot(0).thread; }

/// Compiled code carries no type marks for the undefined-behaviour sanitizer to look at.
#if defined(__clang__)
__attribute__((no_sanitize("function")))
#endif
static std::uint32_t
call(Function function, Context& context, machine::Registers& r) {
  return function(&context, r.bytes(), r.address_file(), r.state_file(), r.predicate_file());
}

void Runner::set_up(Slot& s, const machine::ThreadStart& start) {
  s.thread.start_bare(start);
  s.views[machine::kBtiScratch] = s.views[machine::kBtiTss] = view_of(start.scratch.data(), start.scratch.size());
  s.views[machine::kBtiSlm] =
      start.group != nullptr ? view_of(start.group->slm.data(), start.group->slm.size()) : view_of(nullptr, 0);
  Context& c = s.context;
  c.payload = start.payload.data();
  c.state0 = start.state0;
  c.hardware_id = start.hardware_id;
  c.pixels = start.pixels;
}

/// Out of line: the way of a thread that runs to its end stays short.
__attribute__((noinline)) static Outcome refuse_mask(machine::Reports& reports) {
  reports.add(base::error("run-compile", "the kernel cannot be compiled for threads with fewer lanes"));
  return Outcome::Failed;
}

Outcome Runner::enter(Slot& s, Function function, std::uint32_t dispatch_mask) {
  if (function == nullptr) return refuse_mask(reports_);
  if (left_ == 0) left_ = budget_.take(kChunk);
  if (left_ == 0) return Outcome::Limit;
  Context& c = s.context;
  c.steps = 0;
  c.granted = left_;
  left_ = 0;
  c.dispatch_mask = dispatch_mask;
  const auto result = static_cast<Result>(call(function, c, s.thread.registers()));
  if (c.granted > c.steps) {
    left_ += c.granted - c.steps;
    if (left_ > 4 * kChunk) {
      budget_.give_back(left_ - kChunk);
      left_ = kChunk;
    }
  } else if (c.steps > c.granted && budget_.take(c.steps - c.granted) == 0 && result == Result::Finished) {
    return Outcome::Limit;
  }
  switch (result) {
    case Result::Finished:
      return Outcome::Finished;
    case Result::Limit:
      return Outcome::Limit;
    case Result::Failed:
      break;
  }
  return Outcome::Failed;
}

Outcome Runner::run_thread(Slot& s, const machine::ThreadStart& start) {
  set_up(s, start);
  return enter(s, kernel_.function(start.dispatch_mask), start.dispatch_mask);
}

void Runner::begin(const machine::ThreadStart& start) { set_up(slot(0), start); }

Outcome Runner::next(std::uint32_t dispatch_mask, std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  Slot& s = *slots_.front();
  s.thread.start_again(dispatch_mask, x, y, z, s.touched);
  s.touched = false;
  s.context.left = 0;
  return enter(s, kernel_.function(dispatch_mask), dispatch_mask);
}

Outcome Runner::next_row(std::uint32_t x, std::uint32_t y, std::uint32_t z, std::uint32_t count, void (*fill)(void*),
                         void* filler, std::uint64_t& done) {
  Slot& s = *slots_.front();
  Context& c = s.context;
  const std::uint32_t mask = kernel_.full_mask();
  c.fill = fill;
  c.filler = filler;
  while (count != 0) {
    s.thread.start_again(mask, x, y, z, s.touched);
    s.touched = false;
    c.place = x | y << 16;
    c.left = count;
    c.stop = 0;
    const Outcome outcome = enter(s, kernel_.row(), mask);
    const std::uint32_t ended = count - c.left;
    done += outcome == Outcome::Finished ? ended : ended + 1;
    if (outcome != Outcome::Finished) return outcome;
    if (reports_.failed()) return Outcome::Failed;
    count -= ended;
    x = (c.place & 0xffffu) + kernel_.columns();
  }
  return Outcome::Finished;
}

Outcome Runner::run_group(std::span<const machine::ThreadStart> starts, machine::Group& group) {
  if (kernel_.has_barrier() && starts.size() > 1) return run_fibers(starts, group);
  for (const machine::ThreadStart& start : starts) {
    if (start.dispatch_mask == 0) continue;
    const Outcome outcome = run_thread(slot(0), start);
    if (outcome != Outcome::Finished) return outcome;
  }
  return Outcome::Finished;
}

/// In turns, as the reference engine does: a thread runs until it waits or ends.
Outcome Runner::run_fibers(std::span<const machine::ThreadStart> starts, machine::Group& group) {
  if (fibers_ == nullptr) fibers_ = std::make_unique<Fibers>();
  for (std::size_t t = 0; t < starts.size(); ++t) {
    Slot& s = slot(t);
    s.started = false;
    s.done = starts[t].dispatch_mask == 0;
    s.outcome = Outcome::Finished;
    s.thread.waiting = {};
  }
  Outcome result = Outcome::Finished;
  for (bool progress = true; progress && result == Outcome::Finished;) {
    progress = false;
    for (std::size_t t = 0; t < starts.size() && result == Outcome::Finished; ++t) {
      Slot& s = *slots_[t];
      if (s.done) continue;
      if (s.thread.waiting.active) {
        if (!group.passed(s.thread.waiting.id, s.thread.waiting.phase)) continue;
        s.thread.waiting.active = false;
      }
      progress = true;
      if (!s.started) {
        s.started = true;
        s.fiber =
            ctx::fiber(std::allocator_arg, Fibers::Lender{fibers_.get()}, [this, &s, &starts, t](ctx::fiber&& caller) {
              ctx::fiber back = std::move(caller);
              s.back = &back;
              s.outcome = run_thread(s, starts[t]);
              s.back = nullptr;
              s.done = true;
              return back;
            });
      }
      s.fiber = std::move(s.fiber).resume();
      if (s.done && s.outcome != Outcome::Finished) result = s.outcome;
    }
  }
  if (result == Outcome::Finished) {
    for (std::size_t t = 0; t < starts.size(); ++t) {
      Slot& s = *slots_[t];
      if (s.done) continue;
      machine::Step(s.thread, *s.thread.waiting.at)
          .refuse(nullptr, "run-barrier-unreached",
                  fmt::format("not all {} threads of the group reach this barrier", starts.size()));
      result = Outcome::Failed;
      break;
    }
  }
  // Fibers that still wait are let run to their end: they see that the run has failed.
  for (std::size_t t = 0; t < starts.size(); ++t) {
    Slot& s = *slots_[t];
    while (!s.done && s.started) {
      s.thread.fail();
      s.fiber = std::move(s.fiber).resume();
    }
  }
  return result;
}

}  // namespace heddle::engine::jit
