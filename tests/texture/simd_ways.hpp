// SPDX-License-Identifier: MIT
#pragma once
// The ways in which the machines at hand and elsewhere run the vector functions, on texels beside memory that nobody
// may touch.

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "texture/simd_cases.hpp"

namespace heddle::texture::test {

/// Copies of bytes that end where memory does, and that begin where it does: a kernel that reads further ends the
/// program. No sanitizer sees kernels.
class GuardedMemory {
 public:
  GuardedMemory()
      : region_(mmap(nullptr, kMax + 2 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    if (region_ == MAP_FAILED || mprotect(first(), kMax, PROT_READ | PROT_WRITE) != 0) std::abort();
  }
  ~GuardedMemory() { munmap(region_, kMax + 2 * kPage); }
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  /// Null where there are too many.
  const std::uint8_t* place(std::span<const std::uint8_t> bytes, bool at_the_end) {
    if (bytes.empty() || bytes.size() > kMax) return nullptr;
    std::uint8_t* at = at_the_end ? first() + kMax - bytes.size() : first();
    std::memcpy(at, bytes.data(), bytes.size());
    return at;
  }

 private:
  static constexpr std::size_t kPage = 65536, kMax = std::size_t{64} << 20;  // no machine has larger pages
  [[nodiscard]] std::uint8_t* first() const { return static_cast<std::uint8_t*>(region_) + kPage; }
  void* region_;
};

/// The memory ends behind the last texel.
inline void end_with_last_texel(image::Surface& s) {
  if (!s.memory || s.is_buffer() || s.tile_mode != image::TileMode::Linear) return;
  std::uint64_t end = 0;
  for (const image::LevelLayout& at : s.layout)
    end = std::max(end, s.base + at.offset + (at.slices - 1) * at.slice_pitch + (at.height - 1) * at.row_pitch +
                            std::uint64_t{at.width} * s.info().bytes_per_element());
  if (end == 0 || end >= s.memory->size()) return;
  s.memory->resize(end);
}

/// What this machine can take of the ways in which some machine runs a kernel.
struct Way {
  simd::InstructionSet target{};
  bool slow_gathers = false, has_vbmi = false;
  [[nodiscard]] std::string name() const {
    return "target " + std::to_string(static_cast<int>(target)) + (slow_gathers ? ", slow gathers" : "") +
           (has_vbmi ? ", VBMI" : "");
  }
};
inline const std::vector<Way>& all_ways() {
  static const std::vector<Way> ways = [] {
    using simd::InstructionSet;
    std::vector<Way> list;
    for (unsigned n = 0; n <= static_cast<unsigned>(simd::best_instruction_set()); ++n) {
      const auto target = static_cast<InstructionSet>(n);
      list.push_back({target, false, false});
      if (target != InstructionSet::Baseline) list.push_back({target, true, false});
      if (target == InstructionSet::V4 && simd::has_vbmi()) list.push_back({target, true, true});
    }
    return list;
  }();
  return ways;
}

/// Kernels for arrays take the operation, perhaps with its blocks decoded.
inline bool takes_arrays(const simd::PreparedOperation& prepared, simd::InstructionSet target) {
  return simd::sample_array(prepared, {}, 0, target) != 0 || simd::texels_to_decode(prepared, target) != 0;
}

/// The lanes as elements of an array, where kernels for arrays take them; their results, and what is expected
/// elsewhere.
inline LaneResult run_as_array(const simd::PreparedOperation& prepared, const LaneRequest& request, const Way& way,
                               const LaneResult& expected) {
  static constexpr LaneWords kZeros{};
  const auto words = [&](Param param) {
    const LaneWords* given = request.params[static_cast<std::size_t>(param)];
    return given != nullptr ? given->data() : kZeros.data();
  };
  std::unique_ptr<simd::DecodedOperation> decoded;
  if (simd::texels_to_decode(prepared, way.target) != 0) {
    decoded = simd::make_decoded(prepared);
    for (std::uint32_t row = 0; row < decoded->rows; ++row) simd::decode_rows(prepared, *decoded, row, row + 1);
  }
  std::array<std::uint32_t, 4 * kMaxLanes> out{};
  const std::size_t group =
      simd::sample_array(decoded != nullptr ? decoded->operation : prepared,
                         {words(Param::U), words(Param::V), out.data()}, request.simd, way.target);
  LaneResult result = expected;
  for (std::size_t k = 0; group != 0 && k < request.simd / group * group; ++k)
    for (std::size_t c = 0; c < 4 && (request.active >> k & 1u) != 0; ++c) result.channels[c][k] = out[4 * k + c];
  return result;
}

/// Runs what is prepared in one way. The texels are copied beside the end of memory, or beside its beginning.
/// `message`: what comes of it as a message, for another run as an array.
inline LaneResult run_in_way(simd::PreparedOperation& prepared, const LaneRequest& request, OperationContext& context,
                             const Way& way, bool at_the_end, const LaneResult* message = nullptr) {
  static GuardedMemory guarded;
  prepared.static_state.slow_gathers = way.slow_gathers;
  prepared.static_state.has_vbmi = way.has_vbmi;
  const std::uint8_t* memory = prepared.dynamic_state.memory;
  if (memory != nullptr)
    if (const std::uint8_t* copy = guarded.place(*request.surface->memory, at_the_end))
      prepared.dynamic_state.memory = copy;
  LaneResult result = message != nullptr ? run_as_array(prepared, request, way, *message)
                                         : simd::run(prepared, request, context, way.target);
  prepared.dynamic_state.memory = memory;
  return result;
}

/// The first difference of any way from the reference.
struct WayDifference : Difference {
  std::string way;
};
inline WayDifference difference_in_any_way(const LaneRequest& request, simd::PreparedOperation& prepared,
                                           const LaneResult& expected, const OperationContext& start) {
  for (const Way& way : all_ways())
    for (const bool at_the_end : {true, false}) {
      OperationContext context = start;
      const LaneResult actual = run_in_way(prepared, request, context, way, at_the_end);
      if (const Difference d = compare_results(expected, actual, request.simd); d.found) return {d, way.name()};
      if (!takes_arrays(prepared, way.target)) continue;
      const LaneResult array = run_in_way(prepared, request, context, way, at_the_end, &actual);
      if (const Difference d = compare_results(expected, array, request.simd); d.found)
        return {d, way.name() + " as an array"};
    }
  return {};
}

}  // namespace heddle::texture::test
