// SPDX-License-Identifier: MIT
#pragma once
// What is known of one plane of an image: who it is, and how often its texels were used.

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "vulkan/texels/counter_rows.hpp"
#include "vulkan/texels/texel_shape.hpp"
#include "vulkan/texels/texel_use.hpp"

namespace heddle::vulkan {

using TexelUses = std::array<bool, kTexelUses>;
using TexelCounters = std::array<Counters, kTexelUses>;

struct PlaneRecord {
  struct Counter {
    std::uint32_t number = 0;  ///< of the plane, from 0 on
    std::uint64_t base = 0;    ///< byte of its memory where the plane begins
    std::uint32_t shift = 0;   ///< log2 of the bytes of an element
    bool plain = false;        ///< an element is a texel of 1, 2, 4, 8 or 16 bytes
  };
  Counter counter;
  std::uint32_t device = 0;  ///< number of its device
  TexelShape shape;
  image::Surface whole;      ///< as the image has it; without memory
  std::string name, format;  ///< of the image: its debug name, its VkFormat
  std::string plane;         ///< "depth", "stencil", "plane 1"; empty: the only one
  std::uint32_t image = 0;   ///< number of the image in the order of first use
  std::array<std::uint32_t, 3> extent{1, 1, 1};
  std::uint32_t layers = 1;

  /// Of 4:2:2 in one plane: the pairs of texels that share their chroma. What is counted of one becomes that of both of
  /// its texels when the record is settled.
  PlaneRecord* pairs = nullptr;
  bool of_pairs = false;  ///< this is such a record: nobody is told of it

  // Of draws that run: set while no thread counts.
  std::atomic<bool> is_input = false;  ///< loads are those of an input attachment
  std::atomic<bool> blends = false;    ///< what is drawn is read before

  TexelCounters unit;                               ///< since the frame or the command began
  TexelUses counted{};                              ///< of those
  TexelCounters total;                              ///< of what ended before
  std::vector<std::uint8_t> state;                  ///< of each texel: kWritten, kEarly
  std::uint64_t unwritten = 0;                      ///< texels that nobody has written
  bool changed = false;                             ///< texels were written since HostWrites compared its bytes
  std::map<std::uint32_t, std::uint64_t> samplers;  ///< by number: lanes that sampled by it
  static constexpr std::uint8_t kWritten = 1, kEarly = 2;

  /// Whether `use` has no counts yet, and what was done to texels needs no look at each of them: then the counts of a
  /// thread may become those of the unit as they are.
  [[nodiscard]] bool takes_whole(std::size_t use) const {
    return !counted[use] && (unwritten == 0 || !(is_write(use) || is_shader_read(use)));
  }
  /// `counts`, which are of all texels, are those of the unit then, and get as many zeros.
  void take(std::size_t use, Counters& counts);
  /// What was done to the texels of a row from counter `first` on.
  void count(std::size_t use, std::uint64_t first, CounterRow row);
  /// The same to each of them.
  void count(std::size_t use, std::uint64_t first, std::uint64_t texels, std::uint32_t by);
  /// Somebody has written them.
  void write(std::uint64_t first, std::uint64_t texels);

 private:
  [[nodiscard]] std::uint32_t* counters(std::size_t use);
};

}  // namespace heddle::vulkan
