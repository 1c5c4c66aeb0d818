// SPDX-License-Identifier: MIT
// What of a payload no interpolation gives: words of the hardware's layout, its attribute setup, samples and coverage.
// Rules: FBO-6, PIX-16, PIX-18.
#include <cstring>

#include "base/half.hpp"
#include "pipeline/pixels/payload.hpp"

namespace heddle::pipeline {
namespace {

/// Calls f(word, byte offset) for each word of the payload.
template <typename F>
void for_each_word(const PixelPlan& plan, F f) {
  std::size_t at = plan.first_word();
  for (std::uint32_t i = 0; i < kPayloadWords; ++i) {
    const auto word = static_cast<PayloadWord>(i);
    if (!plan.has(word)) continue;
    f(word, at);
    at += std::size_t{registers_of(word, plan.simd)} * kRegisterBytes;
  }
}

}  // namespace

/// Rows for the words that each thread has of its own.
void PixelPayload::add_hardware_words() {
  for_each_word(plan_, [&](PayloadWord word, std::size_t at) {
    if (word == PayloadWord::Coverage) words_.push_back({LaneInput::Source::Coverage, at, false});
  });
}

/// The word that no primitive changes.
void PixelPayload::put_sample_positions() {
  for_each_word(plan_, [&](PayloadWord word, std::size_t at) {
    if (word != PayloadWord::SamplePosition) return;
    for (std::size_t s = 0; s < plan_.positions.size() && at + 2 * s + 1 < bytes_.size(); ++s) {
      bytes_[at + 2 * s] = plan_.positions[s].x;
      bytes_[at + 2 * s + 1] = plan_.positions[s].y;
    }
  });
}

void PixelPayload::begin_hardware_words(const Primitive& t) {
  for_each_word(plan_, [&](PayloadWord word, std::size_t at) {
    LaneStep step;
    if (is_barycentric(word)) {  // b1 then b2 of lanes 0-7, then of lanes 8-15 ...
      const auto index = static_cast<std::uint8_t>(word);
      step.group_bytes = 2 * kRegisterBytes;
      step.point = static_cast<std::uint8_t>(index % 3);
      const std::array<double, 3> corners[2] = {{0, 1, 0}, {0, 0, 1}};
      for (unsigned k = 0; k < 2; ++k) {
        const bool linear = word >= PayloadWord::LinearPixel || is_flat(t);
        step.kind = linear ? LaneStep::Kind::Linear : LaneStep::Kind::Perspective;
        step.plane = linear ? linear_plane(t, corners[k]) : perspective_plane(t, corners[k]);
        add_step(step, at + k * kRegisterBytes);
      }
      return;
    }
    step.point = middle();
    if (word == PayloadWord::Depth) {
      step.plane = linear_plane(t, t.z);
      add_step(step, at);
    } else if (word == PayloadWord::W) {
      step.kind = LaneStep::Kind::Inverse;
      step.plane = inverse_w_plane(t);
      add_step(step, at);
    }
  });
}

void PixelPayload::put_setup() {
  for (std::size_t c = 0; c < plan_.setup.size(); ++c) {
    const SetupComponent& s = plan_.setup[c];
    const std::array<double, 3>& v = s.constant ? s.values : values_[s.component];
    const std::size_t at = plan_.setup_offset + c * 16;
    const auto number = [&](std::size_t k, double value) { put(at + 4 * k, base::bits_of(static_cast<float>(value))); };
    const bool flat = s.flat || (v[0] == v[1] && v[0] == v[2]);
    number(0, flat ? 0 : v[1] - v[0]);
    number(1, flat ? 0 : v[2] - v[0]);
    put(at + 8, 0);
    number(3, v[0]);
  }
}

/// FBO-6: the coverage that the kernel reads.
void PixelPayload::limit_words(std::uint32_t half, const std::array<std::uint32_t, 16>& samples) {
  for (const WordRow& row : words_) {
    if (row.source != LaneInput::Source::Coverage) continue;
    for (std::uint32_t i = 0; i < plan_.slots(); ++i) {
      const std::size_t at = row.at + 4 * (std::size_t{half} * 16 + i);
      std::uint32_t word = 0;
      std::memcpy(&word, bytes_.data() + at, 4);
      put(at, word & samples[i]);
    }
  }
}

void PixelPayload::fill_words(const Lanes& lanes, std::uint32_t half) {
  const std::uint32_t slots = plan_.slots();
  for (const WordRow& row : words_) {
    const std::size_t bytes = row.half ? 2 : 4, at = row.at + half * 16 * bytes;
    for (std::uint32_t i = 0; i < slots; ++i) {
      const SamplePosition& p = plan_.positions[std::min<std::size_t>(lanes.sample[i], plan_.positions.size() - 1)];
      const std::uint8_t sixteenths = row.source == LaneInput::Source::SampleX ? p.x : p.y;
      switch (row.source) {
        case LaneInput::Source::Sample:
          put(at + 4 * std::size_t{i}, lanes.sample[i]);
          break;
        case LaneInput::Source::Coverage:
          put(at + 4 * std::size_t{i},
              plan_.per_sample ? lanes.coverage[i] & 1u << lanes.sample[i] : lanes.coverage[i]);
          break;
        default:
          if (row.half) {
            const std::uint16_t value = base::double_to_half(sixteenths / 16.0);
            std::memcpy(bytes_.data() + at + 2 * std::size_t{i}, &value, 2);
          } else {
            put(at + 4 * std::size_t{i}, base::bits_of(static_cast<float>(sixteenths) / 16));
          }
          break;
      }
    }
  }
  for (std::size_t k = half; k < wide_.size(); k += plan_.halves()) {
    for (std::uint32_t i = 0; i < slots; ++i) {
      const std::uint16_t value = base::double_to_half(wide_[k]->lanes[i]);
      std::memcpy(bytes_.data() + wide_[k]->at + 2 * std::size_t{i}, &value, 2);
    }
  }
}

}  // namespace heddle::pipeline
