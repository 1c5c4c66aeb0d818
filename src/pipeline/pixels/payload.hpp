// SPDX-License-Identifier: MIT
#pragma once
// The registers of pixel threads, one thread after the other in the same bytes: what stays the same from thread to
// thread is written once.

#include <cmath>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/half.hpp"
#include "pipeline/pixels/lanes.hpp"
#include "pipeline/pixels/plan.hpp"

namespace heddle::pipeline {

/// Which of a subspan's pixels have a sample, a bit for each.
[[nodiscard]] inline std::uint32_t covered_pixels(const std::uint16_t* coverage) {
  std::uint64_t words = 0;
  std::memcpy(&words, coverage, 8);
  constexpr std::uint64_t kLow = 0x7fff7fff7fff7fff, kGather = 1ull << 48 | 1ull << 33 | 1ull << 18 | 1ull << 3;
  const std::uint64_t top = (((words & kLow) + kLow) | words) & ~kLow;  // the highest bit of each word
  return static_cast<std::uint32_t>((top >> 15) * kGather >> 48 & 15);
}
/// Corners between which nothing is interpolated: the value comes back exactly.
[[nodiscard]] inline bool same(const std::array<double, 3>& v) { return v[0] == v[1] && v[0] == v[2]; }
/// A value as a lane has it. Integers are flat, and exact in binary64.
[[nodiscard]] inline std::uint32_t word_of(ComponentType type, double value) {
  if (type == ComponentType::F32) return base::bits_of(static_cast<float>(value));
  return std::abs(value) < 4294967296.0 ? static_cast<std::uint32_t>(static_cast<std::int64_t>(value)) : 0;
}

/// From the pixel's center to a sample, 1/256 pixel.
[[nodiscard]] inline std::pair<double, double> from_center(const SamplePosition& sample) {
  return {sample.x * 16 - 128, sample.y * 16 - 128};
}

class PixelPayload {
 public:
  /// `image`: the bytes that all threads share. `bytes`: how many of them are readable at least. `reads` says whether
  /// the kernel reads anything of an input by name (offset, size); others are not filled. The plan must outlive it.
  PixelPayload(const PixelPlan& plan, std::span<const std::uint8_t> image, std::size_t bytes,
               const std::function<bool(std::uint32_t, std::uint32_t)>& reads);
  PixelPayload(const PixelPayload&) = delete;
  PixelPayload& operator=(const PixelPayload&) = delete;

  /// What is the same for all threads of a draw: the output merger's state, which must live as long as they do, and the
  /// bytes that all threads share. Payloads of kernels without render targets need no such call.
  /// `tests_depth`: somebody reads input().depth.
  void begin_draw(const machine::PixelState& state, bool tests_depth, std::span<const std::uint8_t> image);
  /// What is the same for all threads of a primitive, which must live as long as they do. `values`: of the mesh's
  /// components at its corners.
  void begin(const Primitive& primitive, std::span<const std::array<double, 3>> values);
  /// A thread of that primitive: the dispatch mask. Slots without a subspan are filled as if the half's first subspan
  /// were there, or the pixel (0, 0).
  std::uint32_t fill(const PixelThread& thread) {
    if (!thread.whole || !simple_) return fill_slowly(thread);
    for (std::uint32_t half = 0; half < halves_; ++half) {
      LaneWork& work = works_[half];
      work.subspans = thread.subspans.data() + 4 * std::size_t{half};
      if (!full_[half]) set_full(half);
      std::uint8_t* r1 = bytes_.data() + 32 * (1 + std::size_t{half});
      if (work.eight)
        std::memcpy(r1 + 8, work.subspans, 8);
      else
        std::memcpy(r1 + 8, work.subspans, 16);
      if (work.count != 0) run_(work);
    }
    return every_;
  }

  /// Whole threads of the primitive may run side by side without fill(): what of them differs is their subspans,
  /// centers of pixels, and the rows that fill_row() fills.
  [[nodiscard]] bool has_rows() const { return simple_; }
  /// Before such threads; whether fill_row() is due for each of them.
  [[nodiscard]] bool begin_row() {
    for (std::uint32_t half = 0; half < halves_; ++half)
      if (!full_[half]) set_full(half);
    return works_[0].count != centers_;
  }
  /// The subspans of the next thread stand in R1 and R2.
  void fill_row() {
    for (std::uint32_t half = 0; half < halves_; ++half) {
      LaneWork& work = works_[half];
      std::memcpy(row_subspans_.data(), bytes_.data() + 32 * (1 + std::size_t{half}) + 8, 16);
      work.subspans = row_subspans_.data();
      work.steps += centers_;
      work.count -= centers_;
      run_(work);
      work.steps -= centers_;
      work.count += centers_;
    }
  }

  // Pixels of several primitives in one thread, of kernels that cannot tell (`packs`). Between the first one and
  // finish_pack() nothing else is begun or filled.
  [[nodiscard]] bool packs() const { return packs_; }
  /// The primitive of the subspans that follow, one of the list; they only go with others of the same header_word().
  void begin_pack(const Primitive& primitive, const PrimitiveList& primitives);
  /// R0.0 (PIX-14).
  [[nodiscard]] static std::uint32_t header_word(const Primitive& t, std::uint32_t sspi = 0) {
    return machine::PixelHeader{.sspi = sspi, .layer = t.target_layer(), .viewport = t.viewport, .back = !t.front}
        .pack();
  }
  [[nodiscard]] std::uint32_t packed() const { return packed_; }
  [[nodiscard]] static constexpr std::uint32_t most_packed() { return 4; }
  /// Where the pixels of a subspan go (PIX-11): to one that is there, where its other pixels stay as they are; behind
  /// those that are there; or nowhere, as they wait for the ones that the thread has at their place, or for room.
  [[nodiscard]] std::optional<std::uint32_t> pack_place(std::uint32_t subspan, std::uint32_t pixels) const {
    std::uint32_t place = packed_, held = 0;
    for (std::uint32_t s = packed_; s-- > 0;) {
      if (pack_places_[s] != subspan) continue;
      held |= pack_enables_ >> 4 * s & 15u;
      if (plan_.own_lanes) place = s;
    }
    if ((held & pixels) != 0 || place == most_packed()) return std::nullopt;
    return place;
  }
  /// There must be a place. `pixels`: covered_pixels().
  void pack(std::uint32_t place, std::uint32_t subspan, const std::array<std::uint16_t, 4>& coverage,
            std::uint32_t pixels) {
    std::uint16_t* const samples = input_.coverage.data() + std::size_t{4} * place;
    std::uint32_t filled = 15;
    if (place == packed_) {
      pack_places_[packed_++] = subspan;
      std::memcpy(samples, coverage.data(), sizeof coverage);
    } else {
      filled = pixels;
      for (unsigned i = 0; i < 4; ++i)
        if ((pixels >> i & 1u) != 0) samples[i] = coverage[i];
    }
    pack_enables_ |= pixels << 4 * place;
    if (pack_work_.count != 0) run_pack_.lanes(pack_work_, {subspan, place, filled});
  }
  /// The thread is complete: its dispatch mask. `place`: its first subspan.
  std::uint32_t finish_pack(std::uint32_t& place);

  /// Takes samples that are not in `samples` (slot by slot) from the coverage and the enables of a half. False where
  /// nothing is left.
  bool limit(std::uint32_t half, const std::array<std::uint32_t, 16>& samples);
  /// Lanes that are enabled in the thread that was filled in last.
  [[nodiscard]] std::uint32_t enabled() const {
    std::uint32_t lanes = 0;
    for (std::uint32_t half = 0; half < halves_; ++half) {
      std::uint32_t word = 0;
      std::memcpy(&word, bytes_.data() + kRegisterBytes * (1 + std::size_t{half}) + 28, 4);
      lanes += static_cast<std::uint32_t>(__builtin_popcount(word & 0xffffu));
    }
    return lanes;
  }

  /// The starting sample pair of the thread that was filled in last.
  [[nodiscard]] std::uint32_t first_pair() const {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes_.data(), 4);
    return machine::PixelHeader::unpack(word).sspi;
  }

  [[nodiscard]] std::span<const std::uint8_t> bytes() const { return bytes_; }
  [[nodiscard]] std::span<std::uint8_t> bytes() { return bytes_; }
  [[nodiscard]] const machine::PixelInput& input() const { return input_; }

 private:
  /// Rows of lanes that need no interpolation.
  struct WordRow {
    LaneInput::Source source = LaneInput::Source::Sample;
    std::size_t at = 0;
    bool half = false;
  };
  struct WideRow {
    std::size_t at = 0;
    std::array<double, 16> lanes{};
  };
  struct Lanes {
    std::array<std::uint16_t, 16> coverage{};
    std::array<std::uint8_t, 16> sample{};
  };
  void set_full(std::uint32_t half);
  std::uint32_t fill_slowly(const PixelThread& thread);
  std::uint32_t fill_half(const PixelThread& thread, std::uint32_t half, std::uint32_t count);
  std::uint32_t fill_part(const PixelThread& thread, std::uint32_t half, std::uint32_t count);
  std::uint32_t fill_listed(const std::uint32_t* subspans, std::uint32_t count, std::uint32_t pixels,
                            std::uint32_t half);
  std::uint32_t fill_lanes(const PixelThread& thread, std::uint32_t half, std::uint32_t count);
  void fill_words(const Lanes& lanes, std::uint32_t half);
  void limit_words(std::uint32_t half, const std::array<std::uint32_t, 16>& samples);
  [[nodiscard]] float line_coverage(std::uint32_t pixel) const;
  void find_points(const Lanes& lanes, LaneWork& work) const;
  void find_fragment_points(const Lanes& lanes, LaneWork& work) const;
  void put(std::size_t at, std::uint32_t value);
  void put_word(std::size_t at, std::uint32_t word);
  /// One value in all lanes.
  void put_lanes(const LaneInput& input, std::size_t component, double value);
  void add_step(LaneStep step, std::size_t at);
  void add_row(const LaneInput& input, std::size_t component, LaneStep step);
  void add_value(const LaneInput& input, std::size_t component, const std::array<double, 3>& v);
  void begin_depth(const Primitive& primitive);
  void begin_position(const LaneInput& input, LaneStep::Kind center, LaneStep::Kind point);
  void begin_input(const LaneInput& input, const Primitive& primitive);
  void begin_half(std::uint32_t half, const Primitive& primitive);
  [[nodiscard]] std::uint32_t sample_table(std::size_t word) const;
  void put_image(std::span<const std::uint8_t> image);
  void add_hardware_words();
  void put_sample_positions();
  void begin_hardware_words(const Primitive& primitive);
  void put_setup();
  /// A row that primitives share, and where its values come from.
  struct PackRow {
    LaneInput::Source source = LaneInput::Source::Zero;
    ComponentType type = ComponentType::F32;
    bool linear = false;
    std::uint32_t component = 0;
    bool changes = true;    ///< from primitive to primitive
    std::uint32_t run = 0;  ///< the first of so many in a PackRun
  };
  void set_up_packs();
  void add_pack_row(const PackRow& row, std::uint8_t* to);
  void find_pack_runs();
  void set_up_pack_planes();
  bool begin_pack_run(PackRun& run, const PackRow& row, const Primitive& t, const PrimitiveList& primitives, bool flat);
  void begin_pack_depth(const Primitive& t);
  void begin_pack_value(const PackRow& row, PackStep& step, bool flat, std::array<double, 3> v);
  void begin_pack_row(const PackRow& row, PackStep& step, const Primitive& t, bool flat);
  [[nodiscard]] std::uint8_t middle() const { return per_sample_ || rated_ ? 2 : 0; }
  void fill_depths(const Lanes& lanes, std::uint32_t half);
  /// How many depths a lane has.
  [[nodiscard]] std::uint32_t depth_samples() const {
    return per_sample_ ? 1 : static_cast<std::uint32_t>(plan_.positions.size());
  }

  const PixelPlan& plan_;
  const Primitive* primitive_ = nullptr;
  std::span<const std::array<double, 3>> values_;  ///< of the mesh's components at its corners
  std::vector<std::uint8_t> storage_;
  std::span<std::uint8_t> bytes_;  ///< in `storage_`, from a multiple of 64 bytes on
  std::vector<LaneInput> inputs_;  ///< those that are read
  machine::PixelInput input_;
  LaneFunction run_;
  bool per_sample_ = false, simple_ = false, depth_read_ = false, smooth_ = false;
  bool rated_ = false;                    ///< fragments may be several pixels
  FragmentSize size_;                     ///< those of the thread
  Plane depth_plane_;                     ///< of the primitive, where they may
  std::uint16_t all_ = 1;                 ///< samples of a pixel
  std::uint32_t halves_ = 1, every_ = 0;  ///< every lane
  std::array<bool, 2> full_{};            ///< the enables and input_.coverage say that everything is covered
  std::vector<WordRow> words_;
  std::array<std::vector<LaneStep>, 2> steps_;  ///< of each half
  std::vector<std::unique_ptr<WideRow>> wide_;
  std::array<LaneWork, 2> works_;
  std::size_t centers_ = 0;  ///< how many of a half's steps are PixelX and PixelY, which come first
  std::array<std::uint32_t, 4> row_subspans_{};
  // Subspans of several primitives:
  PackFunctions run_pack_;
  bool packs_ = false;
  std::vector<PackRow> pack_rows_;
  std::vector<PackStep> pack_steps_;  ///< of the rows, then for the depth at each sample
  std::vector<PackRun> pack_runs_;
  std::vector<PackPlanes> pack_planes_;
  PackRun* depth_run_ = nullptr;  ///< that has room for the plane of the depth
  PackWork pack_work_;
  std::uint32_t packed_ = 0, pack_enables_ = 0, pack_header_ = 0;
  std::array<std::uint32_t, 4> pack_places_{};
};

}  // namespace heddle::pipeline
