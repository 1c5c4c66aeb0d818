// SPDX-License-Identifier: MIT
// What compiled code calls.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include <fmt/format.h>

#include "engine/jit/cache/loader.hpp"
#include "engine/jit/runtime/slot.hpp"
#include "machine/execution_context.hpp"
#include "machine/jit/atomics.hpp"
#include "machine/jit/counted_lanes.hpp"
#include "machine/jit/transfers.hpp"
#include "machine/memory.hpp"
#include "machine/numbers/math.hpp"
#include "machine/numbers/math_functions.hpp"
#include "render_target/touch/touch_pixels.hpp"
#include "texture/touch/count_touches.hpp"
#include "texture/touches.hpp"

namespace heddle::engine::jit {

using machine::jit::FlatView;
using machine::jit::Result;
using machine::jit::ThreadContext;

/// The functions that compiled code calls, with access to the runner.
struct Access {
  static std::uint32_t step(ThreadContext& context, std::uint32_t index, std::uint32_t active) {
    auto& slot = *static_cast<Runner::Slot*>(context.runner);
    machine::Thread& thread = slot.thread;
    slot.touched = true;
    ++slot.runner.reference_calls_;
    if (slot.runner.kernel_->prepared()->options().row && context.left != 0) {  // the next thread starts from outside
      context.stop = 1;
      thread.place_at(context.place & 0xffffu, context.place >> 16);
    }
    if (slot.threads != nullptr) slot.know_thread();
    const machine::Decoded& d = thread.object().code[index];
    thread.flow().place(active, index);
    thread.set_steps(context.steps);
    thread.reload_modes();
    machine::ExecutionContext s(thread, d);
    if (d.execute == nullptr) {
      reference::refuse_missing(s);
      return static_cast<std::uint32_t>(Result::Failed);
    }
    d.execute(s);
    if (thread.failed()) return static_cast<std::uint32_t>(Result::Failed);
    return thread.waiting.active ? static_cast<std::uint32_t>(Result::Waiting) : 0;
  }

  static std::uint32_t out_of_memory(ThreadContext& context) {
    static_cast<Runner::Slot*>(context.runner)->runner.budget_->run_out_of_memory();
    return static_cast<std::uint32_t>(Result::Limit);
  }

  static void* frame(ThreadContext& context, std::uint64_t bytes) {
    auto& slot = *static_cast<Runner::Slot*>(context.runner);
    if (bytes <= slot.frame_bytes) return context.frame;
    reference::Budget& budget = *slot.runner.budget_;
    slot.drop_frame(budget);
    constexpr std::uint64_t kTo = machine::jit::kFrameAlignment;
    const std::uint64_t size = (bytes + kTo - 1) / kTo * kTo;
    if (budget.take_memory(size)) {
      slot.frame_bytes = size;
      slot.frame.reset(std::aligned_alloc(kTo, size));
      if (slot.frame == nullptr) {
        slot.drop_frame(budget);
        budget.run_out_of_memory();
      }
    }
    context.frame = slot.frame.get();
    return context.frame;
  }

  /// The buffer at the first address of the mask.
  static void flat(ThreadContext& context, const std::uint64_t* addresses, std::uint32_t mask, std::uint32_t site) {
    if (mask == 0) return;
    auto& slot = *static_cast<Runner::Slot*>(context.runner);
    const machine::MemoryRange* range = slot.runner.bindings_->memory.find(addresses[__builtin_ctz(mask)], 1);
    // Offsets have 32 bits.
    context.flat[site] = range != nullptr && range->size <= std::uint64_t{1} << 31
                             ? FlatView{range->address, range->size, range->data}
                             : FlatView{};
  }

  /// The value in a word of the state file; nothing where it has none.
  static std::optional<std::uint32_t> handle_in(std::uint64_t state) {
    if ((state >> 32 & 0xffu) == 0) return std::nullopt;
    return static_cast<std::uint32_t>(state);
  }

  static machine::jit::View view_of_handle(const machine::Bindings& bindings, std::uint32_t handle) {
    const machine::SurfaceResource* surface = bindings.surface_with(handle);
    if (surface == nullptr) return {};
    const machine::MemoryTarget target = machine::bytes_of(**surface, handle);
    return view_of(target.data, target.size);
  }

  /// The bytes of the surface that %bss names; none where the reference function has something to say.
  static const machine::jit::HandleView* handle_view(ThreadContext& context, std::uint64_t state) {
    Runner& runner = static_cast<Runner::Slot*>(context.runner)->runner;
    const auto handle = handle_in(state);
    machine::jit::HandleView* to = &runner.far_view_;
    if (handle && *handle < Runner::kMaxHandleViews) {
      if (*handle >= runner.handle_views_.size()) runner.grow_handle_views(*handle);
      to = &runner.handle_views_[*handle];
    }
    const machine::jit::View view = handle ? view_of_handle(*runner.bindings_, *handle) : machine::jit::View{};
    *to = {view.data, view.size, view.data != nullptr ? context.run : 0};  // what is not there is asked for again
    return to;
  }

  static const machine::jit::MessageCall* message(ThreadContext& context, std::uint32_t site, std::uint64_t surface,
                                                  std::uint64_t sampler) {
    Runner& runner = static_cast<Runner::Slot*>(context.runner)->runner;
    return runner.handles_.find(site, {handle_in(surface), handle_in(sampler)}, *runner.bindings_);
  }

  static const machine::jit::MessageCall* shared_message(ThreadContext& context, std::uint32_t site,
                                                         const LaneHandles& handles, std::uint32_t lanes,
                                                         machine::jit::SharedCall& shared) {
    Runner& runner = static_cast<Runner::Slot*>(context.runner)->runner;
    return runner.handles_.find_shared(site, handles, lanes, *runner.bindings_, shared);
  }

  static std::uint32_t refuel(ThreadContext& context) {
    auto& slot = *static_cast<Runner::Slot*>(context.runner);
    Runner& runner = slot.runner;
    if (runner.reports_->failed()) return static_cast<std::uint32_t>(Result::Failed);
    // One call may run many threads.
    const std::array at{context.group[0], context.thread, context.left};
    runner.ended_ = runner.ended_ || at != slot.refueled;
    slot.refueled = at;
    // Steps that were overdrawn between two looks are taken too.
    const std::uint64_t over = context.steps - context.granted;
    const std::uint64_t got = runner.grant(Runner::kChunk + over);
    if (got <= over) return static_cast<std::uint32_t>(Result::Limit);
    context.granted += got;
    runner.left_ += got;
    return 0;
  }
};

namespace {

/// PIX-15: R1.7, of lanes 16 to 31 R2.7.
std::uint32_t dispatched_pixels(const ThreadContext& context) {
  std::uint32_t low = 0, high = 0;
  std::memcpy(&low, context.payload + 32 + 28, sizeof low);
  std::memcpy(&high, context.payload + 64 + 28, sizeof high);
  return (low & 0xffffu) | high << 16;
}

/// What helper invocations read nobody sees.
std::uint32_t seen_lanes(const ThreadContext& context, std::uint32_t mask, machine::jit::CountedLanes lanes) {
  return context.pixels == nullptr || lanes.covered ? mask : mask & dispatched_pixels(context) >> lanes.first;
}

extern "C" {
std::uint32_t heddle_jit_step(ThreadContext* context, void*, void*, void*, void*, std::uint32_t index,
                              std::uint32_t active) {
  try {
    return Access::step(*context, index, active);
  } catch (const std::bad_alloc&) {  // compiled code can't be unwound
    return Access::out_of_memory(*context);
  }
}
const void* heddle_jit_handle_view(ThreadContext* context, std::uint64_t state) {
  static const machine::jit::HandleView kNothing;
  try {
    return Access::handle_view(*context, state);
  } catch (const std::bad_alloc&) {  // the reference function does without
    return &kNothing;
  }
}
const void* heddle_jit_message(ThreadContext* context, std::uint32_t site, std::uint64_t surface,
                               std::uint64_t sampler) {
  try {
    return Access::message(*context, site, surface, sampler);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
/// `surface`, `sampler`: as words of the state file, of element 0.
const void* heddle_jit_shared_message(ThreadContext* context, std::uint32_t site, const std::uint32_t* elements,
                                      std::uint64_t surface, std::uint64_t sampler, std::uint32_t lanes,
                                      machine::jit::SharedCall* shared) {
  try {
    return Access::shared_message(*context, site, {elements, Access::handle_in(surface), Access::handle_in(sampler)},
                                  lanes, *shared);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
std::uint32_t heddle_jit_refuel(ThreadContext* context) { return Access::refuel(*context); }
void heddle_jit_fill(ThreadContext* context) { context->fill(context->filler); }
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
    }
  }
}
void* heddle_jit_frame(ThreadContext* context, std::uint64_t bytes) { return Access::frame(*context, bytes); }
void heddle_jit_flat(ThreadContext* context, const std::uint64_t* addresses, std::uint32_t mask, std::uint32_t site) {
  Access::flat(*context, addresses, mask, site);
}
/// 0: the reference engine says what happens.
std::uint32_t heddle_jit_transfer_flat(ThreadContext* context, const std::uint64_t* addresses, std::uint8_t* values,
                                       std::uint32_t mask, std::uint32_t shape, std::uint32_t site) {
  if (machine::jit::run_transfer(context->flat[site], addresses, values, mask, shape)) return 1;
  Access::flat(*context, addresses, mask, site);
  return machine::jit::run_transfer(context->flat[site], addresses, values, mask, shape) ? 1 : 0;
}
/// What a message reads.
void heddle_jit_count_texels(const ThreadContext* context, const texture::simd::DynamicState* state,
                             const texture::simd::Inputs* inputs, std::uint32_t mask, std::uint32_t counted) {
  const auto lanes = machine::jit::CountedLanes::unpack(counted);
  try {
    texture::count_touches(*static_cast<const texture::simd::PreparedOperation*>(state->owner), *inputs, lanes.width,
                           seen_lanes(*context, mask, lanes));
  } catch (const std::bad_alloc&) {
    texture::touch_sink()->lose_counts();
  }
}
/// Where code that knows a message's state counts what it reads.
void heddle_jit_open_counters(const texture::simd::DynamicState* state, texture::simd::TouchTarget* to) {
  try {
    *to = texture::open_counters(*static_cast<const texture::simd::PreparedOperation*>(state->owner));
  } catch (const std::bad_alloc&) {
    texture::touch_sink()->lose_counts();
  }
}
/// Of the lanes of a message those that are counted.
std::uint32_t heddle_jit_seen_lanes(const ThreadContext* context, std::uint32_t mask, std::uint32_t counted) {
  return seen_lanes(*context, mask, machine::jit::CountedLanes::unpack(counted));
}
/// What a message has written to its color target: the samples that have survived, for each slot.
void heddle_jit_count_pixels(const render_target::simd::DynamicState* state, const render_target::simd::Inputs* inputs,
                             std::uint32_t slots, texture::simd::TouchTarget* to) {
  const auto& prepared = *static_cast<const render_target::simd::PreparedWrite*>(state->owner);
  try {
    if (to->texels == nullptr) *to = render_target::open_counters(prepared);
  } catch (const std::bad_alloc&) {
    texture::touch_sink()->lose_counts();
  }
  if (to->texels != nullptr) render_target::count_touches(prepared, *inputs, slots, *to);
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
    {"heddle_jit_frame", reinterpret_cast<void*>(&heddle_jit_frame)},
    {"heddle_jit_handle_view", reinterpret_cast<void*>(&heddle_jit_handle_view)},
    {"heddle_jit_message", reinterpret_cast<void*>(&heddle_jit_message)},
    {"heddle_jit_shared_message", reinterpret_cast<void*>(&heddle_jit_shared_message)},
    {"heddle_jit_flat", reinterpret_cast<void*>(&heddle_jit_flat)},
    {"heddle_jit_count_texels", reinterpret_cast<void*>(&heddle_jit_count_texels)},
    {"heddle_jit_open_counters", reinterpret_cast<void*>(&heddle_jit_open_counters)},
    {"heddle_jit_seen_lanes", reinterpret_cast<void*>(&heddle_jit_seen_lanes)},
    {"heddle_jit_count_pixels", reinterpret_cast<void*>(&heddle_jit_count_pixels)},
    {"heddle_jit_atomics", reinterpret_cast<void*>(&machine::jit::run_atomics)},
    {"heddle_jit_transfer",
     reinterpret_cast<void*>(static_cast<void (*)(std::uint8_t*, std::uint32_t, const std::uint32_t*, std::uint8_t*,
                                                  std::uint32_t, std::uint32_t)>(&machine::jit::run_transfer))},
    {"heddle_jit_transfer_flat", reinterpret_cast<void*>(&heddle_jit_transfer_flat)},
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

}  // namespace heddle::engine::jit
