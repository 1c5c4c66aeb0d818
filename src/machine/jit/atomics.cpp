// SPDX-License-Identifier: MIT
#include "machine/jit/atomics.hpp"

#include <cstring>

#include "machine/jit/context.hpp"
#include "machine/memory.hpp"

namespace heddle::machine::jit {
namespace {

/// The frequent operations have instructions of their own; `found` is false for the others.
template <typename Word>
Word fetch(std::uint8_t* at, AtomicOp op, Word value, Word compared, bool& found) {
  auto* word = reinterpret_cast<Word*>(at);
  found = true;
  switch (op) {
    case AtomicOp::Add:
      return __atomic_fetch_add(word, value, __ATOMIC_ACQ_REL);
    case AtomicOp::Sub:
      return __atomic_fetch_sub(word, value, __ATOMIC_ACQ_REL);
    case AtomicOp::Inc:
      return __atomic_fetch_add(word, Word{1}, __ATOMIC_ACQ_REL);
    case AtomicOp::Dec:
      return __atomic_fetch_sub(word, Word{1}, __ATOMIC_ACQ_REL);
    case AtomicOp::Xchg:
      return __atomic_exchange_n(word, value, __ATOMIC_ACQ_REL);
    case AtomicOp::CmpXchg:
      __atomic_compare_exchange_n(word, &compared, value, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
      return compared;
    case AtomicOp::And:
      return __atomic_fetch_and(word, value, __ATOMIC_ACQ_REL);
    case AtomicOp::Or:
      return __atomic_fetch_or(word, value, __ATOMIC_ACQ_REL);
    case AtomicOp::Xor:
      return __atomic_fetch_xor(word, value, __ATOMIC_ACQ_REL);
    default:
      found = false;
      return 0;
  }
}

/// The same where nobody else looks.
template <typename Word>
Word replace(std::uint8_t* at, AtomicOp op, Word value, Word compared, bool& found) {
  Word old = 0;
  std::memcpy(&old, at, sizeof old);
  Word next = old;
  switch (op) {
    case AtomicOp::Add:
      next = static_cast<Word>(old + value);
      break;
    case AtomicOp::Sub:
      next = static_cast<Word>(old - value);
      break;
    case AtomicOp::Inc:
      next = static_cast<Word>(old + 1);
      break;
    case AtomicOp::Dec:
      next = static_cast<Word>(old - 1);
      break;
    case AtomicOp::Xchg:
      next = value;
      break;
    case AtomicOp::CmpXchg:
      next = old == compared ? value : old;
      break;
    case AtomicOp::And:
      next = old & value;
      break;
    case AtomicOp::Or:
      next = old | value;
      break;
    case AtomicOp::Xor:
      next = old ^ value;
      break;
    default:
      found = false;
      return 0;
  }
  std::memcpy(at, &next, sizeof next);
  found = true;
  return old;
}

/// Lanes in a row from lane k of `mask` on that mean the same place as it does.
unsigned lanes_at_one_place(const std::uint32_t* places, std::uint32_t mask, unsigned k) {
  unsigned end = k + 1;
  while (end < 32 && (mask >> end & 1) != 0 && places[end] == places[k]) ++end;
  return end - k;
}

/// `count` operations at one place as one; each result is as if they had come one after the other.
template <typename Word, typename Register, typename Join, typename Fetch>
void fetch_together(std::uint8_t* at, const Word* values, unsigned count, Register* old, const Join& join,
                    const Fetch& fetch_one) {
  Word all = values[0];
  for (unsigned i = 1; i < count; ++i) all = join(all, values[i]);
  Word now = fetch_one(reinterpret_cast<Word*>(at), all);
  for (unsigned i = 0; i < count; ++i) {
    old[i] = now;
    now = join(now, values[i]);
  }
}

/// False, and nothing is done, where several operations can't be put together.
template <typename Word, typename Register>
bool run_together(std::uint8_t* at, AtomicOp op, const Register* given, unsigned count, Register* old) {
  Word values[32];
  for (unsigned i = 0; i < count; ++i) {
    const auto value = static_cast<Word>(given[i]);
    values[i] = op == AtomicOp::Sub   ? static_cast<Word>(Word{0} - value)
                : op == AtomicOp::Inc ? Word{1}
                : op == AtomicOp::Dec ? static_cast<Word>(~Word{0})
                                      : value;
  }
  switch (op) {
    case AtomicOp::Add:
    case AtomicOp::Sub:
    case AtomicOp::Inc:
    case AtomicOp::Dec:
      fetch_together(
          at, values, count, old, [](Word a, Word b) { return static_cast<Word>(a + b); },
          [](Word* word, Word all) { return __atomic_fetch_add(word, all, __ATOMIC_ACQ_REL); });
      return true;
    case AtomicOp::And:
      fetch_together(
          at, values, count, old, [](Word a, Word b) { return static_cast<Word>(a & b); },
          [](Word* word, Word all) { return __atomic_fetch_and(word, all, __ATOMIC_ACQ_REL); });
      return true;
    case AtomicOp::Or:
      fetch_together(
          at, values, count, old, [](Word a, Word b) { return static_cast<Word>(a | b); },
          [](Word* word, Word all) { return __atomic_fetch_or(word, all, __ATOMIC_ACQ_REL); });
      return true;
    case AtomicOp::Xor:
      fetch_together(
          at, values, count, old, [](Word a, Word b) { return static_cast<Word>(a ^ b); },
          [](Word* word, Word all) { return __atomic_fetch_xor(word, all, __ATOMIC_ACQ_REL); });
      return true;
    default:
      return false;
  }
}

template <typename Word, typename Register>
void run(std::uint8_t* data, std::uint32_t size, const std::uint32_t* places, const void* firsts, const void* seconds,
         void* olds, std::uint32_t mask, AtomicOp op, bool alone) {
  const auto *first = static_cast<const Register*>(firsts), *second = static_cast<const Register*>(seconds);
  auto* old = static_cast<Register*>(olds);
  // A buffer that the host placed oddly has no atomic instructions.
  const bool aligned = reinterpret_cast<std::uintptr_t>(data) % sizeof(Word) == 0;
  for (; mask != 0; mask &= mask - 1) {
    const auto k = static_cast<unsigned>(__builtin_ctz(mask));
    old[k] = 0;
    if (size < sizeof(Word) || places[k] > size - sizeof(Word)) continue;
    std::uint8_t* at = data + places[k];
    const unsigned together = alone || !aligned ? 1 : lanes_at_one_place(places, mask, k);
    if (together > 1 && run_together<Word>(at, op, first + k, together, old + k)) {
      mask &= ~static_cast<std::uint32_t>(((std::uint64_t{1} << together) - 2) << k);  // the loop takes lane k away
      continue;
    }
    bool found = false;
    const auto value = static_cast<Word>(first[k]), compared = static_cast<Word>(second[k]);
    if (alone)
      old[k] = replace<Word>(at, op, value, compared, found);
    else if (aligned)
      old[k] = fetch<Word>(at, op, value, compared, found);
    if (!found) old[k] = static_cast<Register>(atomic_at(at, op, sizeof(Word), first[k], second[k]));
  }
}

}  // namespace

void run_atomics(std::uint8_t* data, std::uint32_t size, const std::uint32_t* places, const void* first,
                 const void* second, void* old, std::uint32_t mask, std::uint32_t shape) {
  const auto op = static_cast<AtomicOp>(shape & 0xffu);
  const bool alone = (shape & kAlone) != 0;
  switch (shape >> 8 & 0xffu) {
    case 2:
      return run<std::uint16_t, std::uint32_t>(data, size, places, first, second, old, mask, op, alone);
    case 8:
      return run<std::uint64_t, std::uint64_t>(data, size, places, first, second, old, mask, op, alone);
    default:
      return run<std::uint32_t, std::uint32_t>(data, size, places, first, second, old, mask, op, alone);
  }
}

}  // namespace heddle::machine::jit
