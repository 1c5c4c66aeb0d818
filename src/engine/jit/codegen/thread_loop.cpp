// SPDX-License-Identifier: MIT
#include "engine/jit/codegen/thread_loop.hpp"

#include <cstddef>

#include "base/half.hpp"

namespace heddle::engine::jit {
namespace {

using machine::jit::Binary;
using machine::jit::Block;
using machine::jit::Callee;
using machine::jit::Cast;
using machine::jit::Compare;
using machine::jit::Element;
using machine::jit::ThreadContext;
using machine::jit::Value;

constexpr machine::jit::VectorType kWord{Element::I32, 0}, kLong{Element::I64, 0}, kPointer{Element::Pointer, 0};
constexpr Callee kFill{"heddle_jit_fill", {}, false};

}  // namespace

Value ThreadLoop::number(std::uint64_t value) { return b_.constant(kWord, value); }
Value ThreadLoop::of_context(std::uint32_t offset) { return b_.load_fixed(function_.context, offset, kWord, 4); }

Value ThreadLoop::begin() {
  if (special_.row != nullptr) begin_row();
  b_.store(function_.steps, 0, b_.constant(kLong, 0), 8);
  const Value payload = b_.load_fixed(function_.context, offsetof(ThreadContext, payload), kPointer, 8, {1, 1});
  return special_.own_bytes != 0 ? begin_groups(payload) : payload;
}

void ThreadLoop::end() {
  if (special_.row != nullptr) end_row();
  if (special_.own_bytes != 0) end_groups();
}

void ThreadLoop::say_which_thread() {
  if (special_.own_bytes == 0) return;
  b_.store(function_.context, offsetof(ThreadContext, thread), b_.load(function_.thread, 0, kWord, 4), 4);
  b_.store(function_.context, offsetof(ThreadContext, group), b_.load(function_.group, 0, kWord, 4), 4);
}

// --- threads of a row ---

/// Places and centers go to the payload, from where they are loaded like anything else. Down the rows nothing changes;
/// across, everything moves by the same step.
void ThreadLoop::begin_row() {
  const unsigned slots = special_.simd == 8 ? 8 : 16, halves = special_.simd == 32 ? 2 : 1;
  const auto lanes = [&](Element element, unsigned count, const auto& of) {
    std::vector<std::uint64_t> values;
    for (unsigned k = 0; k < count; ++k) values.push_back(of(k));
    return b_.constants(element, values);
  };
  const machine::jit::VectorType four{Element::I32, 4}, centers{Element::F32, slots};
  const Value payload = b_.load_fixed(function_.context, offsetof(ThreadContext, payload), kPointer, 8, {1, 1});
  const Value place = b_.load(function_.context, offsetof(ThreadContext, place), kWord, 4);
  // Whole numbers and halves below 2^16: exact in any order.
  const auto center = [&](Value corner, const auto& pixel) {
    const Value base = b_.splat(b_.cast(Cast::UToF, corner, {Element::F32, 0}), slots);
    const auto offsets = lanes(Element::F32, slots, [&](unsigned k) {
      return std::uint64_t{base::bits_of(static_cast<float>(pixel(k)) + 0.5f)};
    });
    return b_.binary(Binary::FAdd, base, offsets);
  };
  const Value left = b_.binary(Binary::And, place, number(0xffff));
  const Value across = b_.storage(slots * 4, 64, "across");
  place_storage_ = b_.storage(4, 4, "place");
  b_.store(across, 0, center(left, [](unsigned k) { return k / 4 * 2 + k % 2; }), 64);
  b_.store(place_storage_, 0, place, 4);
  const Value down = center(b_.binary(Binary::LShr, place, number(16)), [](unsigned k) { return k / 2 % 2; });
  function_.coverage = special_.row->coverage;
  head_ = b_.block("thread");
  b_.jump(head_);
  b_.at(head_);
  place_ = b_.load(place_storage_, 0, kWord, 4);
  const Value x = b_.load(across, 0, centers, 64);
  const auto columns = [&](unsigned n) {
    return b_.constant(centers, std::uint64_t{base::bits_of(static_cast<float>(n))});
  };
  b_.store(across, 0, b_.binary(Binary::FAdd, x, columns(special_.simd / 2)), 64);
  for (unsigned half = 0; half < halves; ++half) {
    const auto next = lanes(Element::I32, 4, [&](unsigned k) { return half * 8 + (4 * k < slots ? 2 * k : 0); });
    function_.places[half] = b_.binary(Binary::Add, b_.splat(place_, 4), next);
    if (slots == 8)
      function_.places[half] = b_.shuffle(function_.places[half], b_.constant(four, 0), std::array{0, 1, 4, 4});
  }
  put_places(payload, halves);
  const std::uint32_t every = (1u << slots) - 1;  // M1.7, as it is already: for the compiler
  for (unsigned half = 0; half < halves; ++half)
    b_.store(payload, 32 * (1 + std::int64_t{half}) + 28, number(every | every << 16), 4);
  for (unsigned half = 0; half < halves; ++half) {
    for (const std::uint32_t to : special_.row->x)
      b_.store(payload, to + std::int64_t{half} * 64, half == 0 ? x : b_.binary(Binary::FAdd, x, columns(8)), 4);
    for (const std::uint32_t to : special_.row->y) b_.store(payload, to + std::int64_t{half} * 64, down, 4);
  }
}

/// M1.2 to M1.5 of each half; what else differs from thread to thread, where anything does, follows from them.
void ThreadLoop::put_places(Value payload, unsigned halves) {
  const auto put = [&] {
    for (unsigned half = 0; half < halves; ++half)
      b_.store(payload, 32 * (1 + std::int64_t{half}) + 8, function_.places[half], 4);
  };
  const Block fill = b_.block("fill"), filled = b_.block("filled");
  const Value other = b_.load_fixed(function_.context, offsetof(ThreadContext, fill), kLong, 8);
  b_.branch_unlikely(b_.compare(Compare::Ne, other, b_.constant(kLong, 0)), fill, filled);
  b_.at(fill);
  put();
  (void)b_.call(kFill, std::array{function_.context});
  b_.jump(filled);
  b_.at(filled);
  put();
}

/// No further thread either where something wants to be looked at between threads.
void ThreadLoop::end_row() {
  const Value left =
      b_.binary(Binary::Sub, b_.load(function_.context, offsetof(ThreadContext, left), kWord, 4), number(1));
  b_.store(function_.context, offsetof(ThreadContext, left), left, 4);
  const Value stop = b_.load(function_.context, offsetof(ThreadContext, stop), kWord, 4);
  const Value steps = b_.load(function_.steps, 0, kLong, 8);
  const Value granted = b_.load(function_.context, offsetof(ThreadContext, granted), kLong, 8);
  const Value go_on = b_.binary(
      Binary::And, b_.compare(Compare::Ne, left, number(0)),
      b_.binary(Binary::And, b_.compare(Compare::Eq, stop, number(0)), b_.compare(Compare::Ult, steps, granted)));
  const Block again = b_.block("again"), over = b_.block("over");
  b_.branch(go_on, again, over);
  b_.at(again);
  b_.store(function_.context, offsetof(ThreadContext, granted), b_.binary(Binary::Sub, granted, steps), 8);
  const Value next = b_.binary(Binary::Add, place_, number(special_.simd / 2));
  b_.store(place_storage_, 0, next, 4);
  b_.store(function_.context, offsetof(ThreadContext, place), next, 4);
  b_.jump(head_);
  b_.at(over);
}

// --- threads of compute groups (ThreadContext) ---

Value ThreadLoop::begin_groups(Value payload) {
  function_.own_bytes = special_.own_bytes;
  function_.thread = b_.storage(4, 4, "thread");
  function_.group = b_.storage(4, 4, "group");
  b_.store(function_.thread, 0, of_context(offsetof(ThreadContext, thread_begin)), 4);
  b_.store(function_.group, 0, b_.load(function_.context, offsetof(ThreadContext, group), kWord, 4), 4);
  head_ = b_.block("thread");
  b_.jump(head_);
  b_.at(head_);
  const Value stride = b_.cast(Cast::ZExt, of_context(offsetof(ThreadContext, stride)), kLong);
  const Value thread = b_.cast(Cast::ZExt, b_.load(function_.thread, 0, kWord, 4), kLong);
  return b_.offset(payload, b_.binary(Binary::Mul, thread, stride));
}

void ThreadLoop::end_groups() {
  const Block group = b_.block("group"), done = b_.block("all");
  const auto advance = [&](Value storage, std::uint32_t end, Block otherwise) {
    const Value next = b_.binary(Binary::Add, b_.load(storage, 0, kWord, 4), number(1));
    b_.store(storage, 0, next, 4);
    b_.branch(b_.compare(Compare::Ult, next, of_context(end)), head_, otherwise);
  };
  advance(function_.thread, offsetof(ThreadContext, thread_end), group);
  b_.at(group);
  b_.store(function_.thread, 0, of_context(offsetof(ThreadContext, thread_begin)), 4);
  advance(function_.group, offsetof(ThreadContext, group_end), done);
  b_.at(done);
}

}  // namespace heddle::engine::jit
