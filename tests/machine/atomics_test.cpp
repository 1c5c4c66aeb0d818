// SPDX-License-Identifier: MIT
// Atomic operations of all lanes of a message, as compiled code asks for them.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <thread>
#include <vector>

#include "machine/jit/atomics.hpp"
#include "machine/memory.hpp"

namespace heddle::machine {
namespace {

using Lanes = std::array<std::uint32_t, 16>;

Lanes run(std::uint32_t* data, std::uint32_t words, const Lanes& places, const Lanes& first, std::uint32_t mask,
          AtomicOp op) {
  Lanes old{};
  const Lanes second{};
  jit::run_atomics(reinterpret_cast<std::uint8_t*>(data), words * 4, places.data(), first.data(), second.data(),
                   old.data(), mask, static_cast<std::uint32_t>(op) | 4 << 8);
  return old;
}

TEST(Atomics, LanesAtOnePlaceComeOneAfterTheOther) {
  // Lanes 0-2 and 4-6 at word 0, 3 not enabled, 7-9 at word 1, 10 outside, 11-15 at word 0 again.
  Lanes places{}, first{};
  for (unsigned k = 7; k < 10; ++k) places[k] = 4;
  places[10] = 8;
  for (unsigned k = 0; k < 16; ++k) first[k] = 0x10101u * (k + 1) ^ 0x80u;
  const std::uint32_t mask = 0xfff7;
  for (const AtomicOp op : {AtomicOp::Add, AtomicOp::Sub, AtomicOp::Inc, AtomicOp::Dec, AtomicOp::And, AtomicOp::Or,
                            AtomicOp::Xor, AtomicOp::Xchg, AtomicOp::Max, AtomicOp::IMin}) {
    std::array<std::uint32_t, 2> words{0x7fff1234u, 5}, expected = words;
    const Lanes old = run(words.data(), 2, places, first, mask, op);
    for (unsigned k = 0; k < 16; ++k) {
      if ((mask >> k & 1) == 0) continue;
      std::uint32_t before = 0;
      if (places[k] < 8) {
        std::uint32_t& word = expected[places[k] / 4];
        before = word;
        (void)atomic_at(reinterpret_cast<std::uint8_t*>(&word), op, 4, first[k], 0);
      }
      EXPECT_EQ(old[k], before) << "operation " << static_cast<int>(op) << ", lane " << k;
    }
    EXPECT_EQ(words, expected) << "operation " << static_cast<int>(op);
  }
}

TEST(Atomics, ThreadsCountTogether) {
  constexpr unsigned kRounds = 2000, kThreads = 4;
  std::uint32_t word = 0;
  std::vector<std::vector<std::uint32_t>> seen(kThreads);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (unsigned i = 0; i < kRounds; ++i) {
        const Lanes old = run(&word, 1, {}, {}, 0xffff, AtomicOp::Inc);
        seen[t].insert(seen[t].end(), old.begin(), old.end());
      }
    });
  for (std::thread& thread : threads) thread.join();
  std::vector<std::uint32_t> all;
  for (const auto& list : seen) all.insert(all.end(), list.begin(), list.end());
  std::ranges::sort(all);
  std::vector<std::uint32_t> expected(std::size_t{kRounds} * kThreads * 16);
  std::iota(expected.begin(), expected.end(), 0u);
  EXPECT_EQ(word, expected.size());
  EXPECT_EQ(all, expected) << "each count was given to one lane";
}

}  // namespace
}  // namespace heddle::machine
