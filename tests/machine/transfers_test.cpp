// SPDX-License-Identifier: MIT
// Memory messages by a call: each element by the message's own words, lane by lane.

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>
#include <vector>

#include "machine/jit/transfers.hpp"

namespace heddle::machine::jit {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::uint64_t element(const Bytes& bytes, std::size_t at, unsigned size) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < size; ++i) value |= std::uint64_t{bytes[at + i]} << 8 * i;
  return value;
}

Bytes counting(std::size_t size, std::uint8_t first) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(first + i);
  return bytes;
}

TEST(Transfers, ReadsWhatIsInsideAndZeroElsewhere) {
  Bytes memory = counting(32, 1);
  const std::array<std::uint32_t, 8> places{0, 4, 28, 29, 32, 0xfffffffc, 8, 12};
  Bytes values(8 * 4, 0xaa);
  const TransferShape shape{.lanes = 8, .bytes = 4, .components = 1, .aligned = false, .write = false};
  run_transfer(memory.data(), 32, places.data(), values.data(), 0xbf, shape.word());  // lane 6 does not run
  const std::array<std::uint64_t, 8> wanted{0x04030201, 0x08070605, 0x201f1e1d, 0, 0, 0, 0, 0x100f0e0d};
  for (unsigned k = 0; k < 8; ++k) EXPECT_EQ(element(values, 4 * k, 4), wanted[k]) << k;
}

TEST(Transfers, RoundsPlacesDownAndTakesTheComponentsThatAreThere) {
  Bytes memory = counting(32, 0);
  const std::array<std::uint32_t, 8> places{3, 5, 10, 15, 16, 17, 18, 19};
  Bytes values(2 * 8 * 4);
  const TransferShape shape{.lanes = 8, .bytes = 4, .components = 0b101, .aligned = true, .write = false};
  run_transfer(memory.data(), 32, places.data(), values.data(), 0xff, shape.word());
  for (unsigned k = 0; k < 8; ++k) {
    const std::uint32_t at = places[k] / 4 * 4;
    EXPECT_EQ(element(values, 4 * k, 4), element(memory, at, 4)) << k;
    EXPECT_EQ(element(values, 32 + 4 * k, 4), at + 12 <= 32 ? element(memory, at + 8, 4) : 0) << k;
  }
}

// Of lanes that write one place the last one stays; what is outside changes nothing.
TEST(Transfers, WritesInTheOrderOfLanes) {
  Bytes memory(16, 0x55);
  const std::array<std::uint32_t, 8> places{4, 4, 4, 14, 16, 8, 8, 0};
  Bytes values = counting(8 * 4, 0);
  const TransferShape shape{.lanes = 8, .bytes = 4, .components = 1, .aligned = false, .write = true};
  run_transfer(memory.data(), 16, places.data(), values.data(), 0x7b, shape.word());  // not lanes 2 and 7
  EXPECT_EQ(element(memory, 0, 4), 0x55555555u);
  EXPECT_EQ(element(memory, 4, 4), element(values, 4, 4));
  EXPECT_EQ(element(memory, 8, 4), element(values, 24, 4));
  EXPECT_EQ(element(memory, 12, 4), 0x55555555u);
}

// Places side by side are moved together, with the same result: 10,000 messages, most of them nearly rows.
TEST(Transfers, RowsAreAsLaneByLane) {
  std::mt19937 random(11);
  for (int round = 0; round < 10000; ++round) {
    const unsigned lanes = 8u << random() % 3, bytes = 1u << random() % 4;
    TransferShape shape{lanes, bytes, static_cast<unsigned>(1 + random() % 15), random() % 2 != 0, random() % 2 != 0};
    Bytes memory(random() % 3 == 0 ? 64 : 700), values(std::size_t{4} * 32 * 8);
    for (auto* list : {&memory, &values})
      for (std::uint8_t& byte : *list) byte = static_cast<std::uint8_t>(random());
    const auto size = static_cast<std::uint32_t>(memory.size());
    std::array<std::uint32_t, 32> places{};
    const std::uint32_t first = random() % 64;
    for (unsigned k = 0; k < 32; ++k) places[k] = first + k * bytes;
    if (random() % 2 == 0) places[random() % lanes] = static_cast<std::uint32_t>(random() % 800);
    const auto mask = static_cast<std::uint32_t>(random() % 2 == 0 ? 0xffffffffu >> (32 - lanes) : random());
    Bytes wanted = memory, read = values;
    std::size_t at = 0;
    for (unsigned c = 0; c < 4; ++c)
      for (unsigned k = 0; (shape.components >> c & 1) != 0 && k < lanes; ++k, at += bytes) {
        const std::uint64_t place =
            (shape.aligned ? places[k] / std::min(bytes, 4u) * std::min(bytes, 4u) : places[k]) +
            std::uint64_t{c} * bytes;
        const bool inside = (mask >> k & 1) != 0 && place + bytes <= size;
        if (shape.write && inside) std::memcpy(&wanted[place], &values[at], bytes);
        if (!shape.write) std::memset(&read[at], 0, bytes);
        if (!shape.write && inside) std::memcpy(&read[at], &memory[place], bytes);
      }
    run_transfer(memory.data(), size, places.data(), values.data(), mask, shape.word());
    ASSERT_EQ(memory, wanted) << round;
    ASSERT_EQ(values, read) << round;
  }
}

// 64-bit addresses: all lanes that run are in the view, or nothing is done.
TEST(FlatTransfers, ReachTheViewOrNothing) {
  Bytes memory = counting(32, 1);
  const FlatView view{0x7000'0000'1002, 32, memory.data()};
  std::array<std::uint64_t, 8> addresses{};
  for (unsigned k = 0; k < 8; ++k) addresses[k] = view.address + 2 + 3 * k;
  Bytes values(8 * 4, 0xaa);
  TransferShape shape{.lanes = 8, .bytes = 4, .components = 1, .aligned = true, .write = false};
  ASSERT_TRUE(run_transfer(view, addresses.data(), values.data(), 0xff, shape.word()));
  // The addresses are rounded down to multiples of four, not the places in the view.
  for (unsigned k = 0; k < 8; ++k)
    EXPECT_EQ(element(values, 4 * k, 4), element(memory, addresses[k] / 4 * 4 - view.address, 4)) << k;
  shape.aligned = false;
  shape.components = 0b100;
  const Bytes before = values;
  EXPECT_FALSE(run_transfer(view, addresses.data(), values.data(), 0xff, shape.word())) << "lane 7 ends at byte 35";
  EXPECT_EQ(values, before);
  ASSERT_TRUE(run_transfer(view, addresses.data(), values.data(), 0x3f, shape.word()));
  EXPECT_EQ(element(values, 4 * 5, 4), element(memory, 2 + 15 + 8, 4));
  EXPECT_EQ(element(values, 4 * 7, 4), 0u);
  addresses[3] = view.address - 4;
  EXPECT_FALSE(run_transfer(view, addresses.data(), values.data(), 0x3f, shape.word()));
  EXPECT_FALSE(run_transfer(FlatView{}, addresses.data(), values.data(), 0x3f, shape.word()));
}

TEST(FlatTransfers, Write) {
  Bytes memory(32, 0), values = counting(2 * 8 * 4, 1);
  const FlatView view{0x1000, 32, memory.data()};
  const std::array<std::uint64_t, 8> addresses{0x1000, 0x1008, 0x1010, 0x1018, 0, 0, 0, 0};
  const TransferShape shape{.lanes = 8, .bytes = 4, .components = 0b11, .aligned = true, .write = true};
  ASSERT_TRUE(run_transfer(view, addresses.data(), values.data(), 0x7, shape.word()));
  for (unsigned k = 0; k < 3; ++k) {
    EXPECT_EQ(element(memory, 8 * k, 4), element(values, 4 * k, 4)) << k;
    EXPECT_EQ(element(memory, 8 * k + 4, 4), element(values, 32 + 4 * k, 4)) << k;
  }
  EXPECT_EQ(element(memory, 24, 8), 0u);
}

}  // namespace
}  // namespace heddle::machine::jit
