#include "machine/jit/atomics.hpp"

#include "machine/memory.hpp"

namespace heddle::machine::jit {
namespace {

/// The frequent operations have instructions of their own; `found` is false for the others.
template <typename Word>
Word fetch(std::uint8_t* at, AtomicOp op, Word value, bool& found) {
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

template <typename Word, typename Register>
void run(std::uint8_t* data, std::uint32_t size, const std::uint32_t* places, const void* firsts, const void* seconds,
         void* olds, std::uint32_t mask, AtomicOp op) {
  const auto *first = static_cast<const Register*>(firsts), *second = static_cast<const Register*>(seconds);
  auto* old = static_cast<Register*>(olds);
  // A buffer that the host placed oddly has no atomic instructions.
  const bool aligned = reinterpret_cast<std::uintptr_t>(data) % sizeof(Word) == 0;
  for (; mask != 0; mask &= mask - 1) {
    const auto k = static_cast<unsigned>(__builtin_ctz(mask));
    old[k] = 0;
    if (size < sizeof(Word) || places[k] > size - sizeof(Word)) continue;
    std::uint8_t* at = data + places[k];
    bool found = false;
    if (aligned) old[k] = fetch<Word>(at, op, static_cast<Word>(first[k]), found);
    if (!found) old[k] = static_cast<Register>(atomic_at(at, op, sizeof(Word), first[k], second[k]));
  }
}

}  // namespace

void run_atomics(std::uint8_t* data, std::uint32_t size, const std::uint32_t* places, const void* first,
                 const void* second, void* old, std::uint32_t mask, std::uint32_t shape) {
  const auto op = static_cast<AtomicOp>(shape & 0xffu);
  switch (shape >> 8) {
    case 2:
      return run<std::uint16_t, std::uint32_t>(data, size, places, first, second, old, mask, op);
    case 8:
      return run<std::uint64_t, std::uint64_t>(data, size, places, first, second, old, mask, op);
    default:
      return run<std::uint32_t, std::uint32_t>(data, size, places, first, second, old, mask, op);
  }
}

}  // namespace heddle::machine::jit
