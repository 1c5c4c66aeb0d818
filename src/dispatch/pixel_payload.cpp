#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/half.hpp"
#include "dispatch/pixels.hpp"

namespace heddle::dispatch {
namespace {

constexpr std::uint32_t kRegister = 32;

/// A point of a pixel in 1/256 pixel.
struct Point {
  std::int64_t x = 0, y = 0;
};

struct Lane {
  bool present = false;
  bool enabled = false;
  std::uint32_t px = 0, py = 0;
  std::uint16_t coverage = 0;  ///< of the pixel
  std::uint32_t sample = 0;
  Point center, at, centroid, sample_point;
};

Point sample_point(const PixelPlan& plan, std::uint32_t px, std::uint32_t py, std::uint32_t sample) {
  const SamplePosition& p = plan.raster.samples[std::min<std::size_t>(sample, plan.raster.samples.size() - 1)];
  return {std::int64_t{px} * 256 + p.x * 16, std::int64_t{py} * 256 + p.y * 16};
}

/// The covered sample nearest to the centre; the centre where nothing is covered.
Point centroid_of(const PixelPlan& plan, const Lane& lane) {
  Point best = lane.center;
  int nearest = 1 << 20;
  for (std::uint32_t s = 0; s < plan.raster.samples.size(); ++s) {
    if ((lane.coverage >> s & 1u) == 0) continue;
    const int dx = plan.raster.samples[s].x - 8, dy = plan.raster.samples[s].y - 8, distance = dx * dx + dy * dy;
    if (distance >= nearest) continue;
    nearest = distance;
    best = sample_point(plan, lane.px, lane.py, s);
  }
  return best;
}

struct Writer {
  std::vector<std::uint8_t>& payload;
  void u32(std::size_t at, std::uint32_t value) const {
    if (at + 4 <= payload.size()) std::memcpy(payload.data() + at, &value, 4);
  }
  void f32(std::size_t at, double value) const { u32(at, base::bits_of(static_cast<float>(value))); }
};

double interpolate(const Barycentric& b, const std::array<double, 3>& v) {
  return v[0] + b.b1 * (v[1] - v[0]) + b.b2 * (v[2] - v[0]);
}

/// Barycentrics of the lanes, each mode and place computed when first asked for.
class Weights {
 public:
  Weights(const Triangle& triangle, const std::array<Lane, 32>& lanes) : triangle_(triangle), lanes_(lanes) {}
  Barycentric of(const Interpolation& mode, std::uint32_t lane) {
    const std::size_t index = static_cast<std::size_t>(mode.place) * 2 + (mode.linear ? 1 : 0);
    if (!known_[index]) {
      known_[index] = true;
      for (std::size_t k = 0; k < lanes_.size(); ++k) {
        const Lane& l = lanes_[k];
        if (!l.present) continue;
        const Point& p = mode.place == InputPlace::Pixel      ? l.at
                         : mode.place == InputPlace::Centroid ? l.centroid
                                                              : l.sample_point;
        const Barycentric b = mode.linear ? linear_at(triangle_, p.x, p.y) : perspective_at(triangle_, p.x, p.y);
        values_[index][k] = {b.b1, b.b2};
      }
    }
    return {values_[index][lane].b1, values_[index][lane].b2};
  }

 private:
  const Triangle& triangle_;
  const std::array<Lane, 32>& lanes_;
  std::array<bool, 6> known_{};
  struct Pair {
    double b1, b2;
  };
  std::array<std::array<Pair, 32>, 6> values_;  ///< not initialised: most threads ask for one mode
};

}  // namespace

std::span<const std::string_view> payload_words() {
  static constexpr std::array<std::string_view, 10> kWords{"perspective_pixel",
                                                           "perspective_centroid",
                                                           "perspective_sample",
                                                           "linear_pixel",
                                                           "linear_centroid",
                                                           "linear_sample",
                                                           "depth",
                                                           "w",
                                                           "sample_position",
                                                           "coverage"};
  return kWords;
}

std::uint32_t PixelPlan::subspans_of_half() const {
  const std::uint32_t groups = slots() / 4;
  return per_sample ? std::max(1u, groups / std::min(samples, groups)) : groups;
}

std::uint32_t PixelPlan::passes() const { return per_sample ? std::max(1u, samples / (slots() / 4)) : 1; }

Slot PixelPlan::slot(std::uint32_t index, std::uint32_t sspi) const {
  const std::uint32_t group = index / 4;
  Slot s;
  s.pixel = index & 3u;
  if (!per_sample || samples == 1) {
    s.subspan = group;
    return s;
  }
  const std::uint32_t width = std::min(samples, slots() / 4);  // RTW-6
  s.subspan = group / width;
  s.sample = 2 * sspi + group % width;
  return s;
}

void make_threads(const PixelPlan& plan, const Triangle& triangle, std::uint32_t index,
                  const std::function<bool(PixelThread&&)>& take) {
  std::vector<Subspan> pending;
  bool wanted = true;
  const std::size_t half = plan.subspans_of_half(), whole = half * (plan.simd == 32 ? 2 : 1);
  const auto flush = [&] {
    if (pending.empty()) return;
    for (std::uint32_t pass = 0; wanted && pass < plan.passes(); ++pass) {
      PixelThread thread;
      thread.triangle = index;
      thread.sspi = pass * (plan.slots() / 8);
      for (std::size_t at = 0; at < pending.size(); at += half)
        thread.halves.push_back({{pending.begin() + static_cast<std::ptrdiff_t>(at),
                                  pending.begin() + static_cast<std::ptrdiff_t>(std::min(at + half, pending.size()))}});
      wanted = take(std::move(thread));
    }
    pending.clear();
  };
  walk(triangle, plan.raster, [&](const Subspan& subspan) {
    pending.push_back(subspan);
    if (pending.size() == whole) flush();
    return wanted;
  });
  flush();
}

std::uint32_t fill_payload(const PixelPlan& plan, const Triangle& t, const PixelThread& thread,
                           std::vector<std::uint8_t>& payload, machine::PixelInput& input) {
  const Writer out{payload};
  input.state = &plan.state;
  input.coverage.fill(0);
  input.depth.fill(0);
  std::array<Lane, 32> lanes{};
  std::uint32_t mask = 0;
  const bool flat_depth = t.z[0] == t.z[1] && t.z[0] == t.z[2] && !std::signbit(t.z[0]);
  // R0: the header of image-unit.md section 14; R1 (and R2): subspans and enables.
  out.u32(0, (t.front ? 0u : 1u << 15) | (thread.sspi & 7u) << 6);
  for (std::size_t h = 0; h < thread.halves.size(); ++h) {
    const std::vector<Subspan>& subspans = thread.halves[h].subspans;
    const std::size_t r1 = kRegister * (1 + h);
    for (std::size_t s = 0; s < subspans.size() && s < 4; ++s)
      out.u32(r1 + 8 + 4 * s, subspans[s].x | static_cast<std::uint32_t>(subspans[s].y) << 16);
    std::uint32_t enables = 0, dispatched = 0;
    for (std::uint32_t i = 0; i < plan.slots(); ++i) {
      const Slot slot = plan.slot(i, thread.sspi);
      if (slot.subspan >= subspans.size()) continue;
      const Subspan& subspan = subspans[slot.subspan];
      const std::uint32_t k = static_cast<std::uint32_t>(h) * 16 + i;
      Lane& lane = lanes[k];
      lane.present = true;
      lane.px = subspan.x + (slot.pixel & 1u);
      lane.py = subspan.y + (slot.pixel >> 1);
      lane.coverage = subspan.coverage[slot.pixel];
      lane.sample = slot.sample;
      lane.enabled = plan.per_sample ? (lane.coverage >> slot.sample & 1u) != 0 : lane.coverage != 0;
      lane.center = {std::int64_t{lane.px} * 256 + 128, std::int64_t{lane.py} * 256 + 128};
      lane.sample_point = sample_point(plan, lane.px, lane.py, slot.sample);
      lane.at = plan.per_sample ? lane.sample_point : lane.center;
      lane.centroid = centroid_of(plan, lane);
      dispatched |= 1u << i;
      if (lane.enabled) enables |= 1u << i;
      mask |= 1u << k;
      input.coverage[k] = lane.coverage;
      input.depth[k] = flat_depth ? static_cast<float>(t.z[0]) : depth_at(t, lane.at.x, lane.at.y);
    }
    out.u32(r1 + 28, enables | dispatched << 16);
  }
  const auto seen_coverage = [&](const Lane& lane) {
    return plan.per_sample ? lane.coverage & 1u << lane.sample : std::uint32_t{lane.coverage};
  };

  if (plan.hardware_layout) {
    std::size_t at = kRegister * (plan.simd == 32 ? 3 : 2);
    const std::uint32_t groups = plan.simd / 8;
    for (std::uint32_t word = 0; word < payload_words().size(); ++word) {
      if ((plan.payload_bits >> word & 1u) == 0) continue;
      if (word < 6) {  // b1 then b2 of lanes 0-7, then of lanes 8-15 ...
        for (std::uint32_t k = 0; k < plan.simd; ++k) {
          const Lane& lane = lanes[k];
          if (!lane.present) continue;
          const Point& p = word % 3 == 0 ? lane.center : word % 3 == 1 ? lane.centroid : lane.sample_point;
          const Barycentric b = word < 3 ? perspective_at(t, p.x, p.y) : linear_at(t, p.x, p.y);
          const std::size_t place = at + k / 8 * 2 * kRegister + k % 8 * 4;
          out.f32(place, b.b1);
          out.f32(place + kRegister, b.b2);
        }
        at += std::size_t{groups} * 2 * kRegister;
      } else if (word == 8) {
        for (std::size_t s = 0; s < plan.raster.samples.size() && at + 2 * s + 1 < payload.size(); ++s) {
          payload[at + 2 * s] = plan.raster.samples[s].x;
          payload[at + 2 * s + 1] = plan.raster.samples[s].y;
        }
        at += kRegister;
      } else {
        for (std::uint32_t k = 0; k < plan.simd; ++k) {
          const Lane& lane = lanes[k];
          if (!lane.present) continue;
          std::uint32_t bits = 0;
          if (word == 6)
            bits = base::bits_of(input.depth[k]);
          else if (word == 7) {
            const Barycentric b = linear_at(t, lane.at.x, lane.at.y);
            bits = base::bits_of(static_cast<float>(1 / interpolate(b, {1 / t.w[0], 1 / t.w[1], 1 / t.w[2]})));
          } else
            bits = seen_coverage(lane);
          out.u32(at + std::size_t{k} * 4, bits);
        }
        at += std::size_t{groups} * kRegister;
      }
    }
    for (std::size_t c = 0; c < plan.setup.size(); ++c) {
      const SetupComponent& s = plan.setup[c];
      const std::array<double, 3>& v = s.constant ? s.values : t.values[s.component];
      const std::size_t place = plan.setup_offset + c * 16;
      const bool flat = s.flat || (v[0] == v[1] && v[0] == v[2]);
      out.f32(place, flat ? 0 : v[1] - v[0]);
      out.f32(place + 4, flat ? 0 : v[2] - v[0]);
      out.u32(place + 8, 0);
      out.f32(place + 12, v[0]);
    }
  }

  Weights weights{t, lanes};
  for (const NamedInput& n : plan.inputs) {
    for (std::uint32_t k = 0; k < plan.simd; ++k) {
      const Lane& lane = lanes[k];
      if (!lane.present) continue;
      const auto store = [&](std::uint32_t component, double value) {
        const std::size_t place =
            n.offset + std::size_t{component} * plan.simd * n.element_bytes + std::size_t{k} * n.element_bytes;
        if (n.half) {
          const std::uint16_t half = base::double_to_half(value);
          if (place + 2 <= payload.size()) std::memcpy(payload.data() + place, &half, 2);
        } else if (n.type == ComponentType::F32) {
          out.f32(place, value);
        } else {  // integers are flat, and exact in binary64
          out.u32(place,
                  std::abs(value) < 4294967296.0 ? static_cast<std::uint32_t>(static_cast<std::int64_t>(value)) : 0);
        }
      };
      const auto store_word = [&](std::uint32_t value) { out.u32(n.offset + std::size_t{k} * 4, value); };
      switch (n.source) {
        case NamedInput::Source::Attribute: {
          const Barycentric& b = weights.of(n.interpolation, k);
          for (std::uint32_t c = 0; c < n.components.size(); ++c) {
            const std::array<double, 3>& v = t.values[n.components[c]];
            store(c, v[0] == v[1] && v[0] == v[2] ? v[0] : interpolate(b, v));  // flat values come back exactly
          }
          break;
        }
        case NamedInput::Source::Corners: {
          const Barycentric& b = weights.of(n.interpolation, k);
          for (std::uint32_t c = 0; c < n.corners.size(); ++c) store(c, interpolate(b, n.corners[c]));
          break;
        }
        case NamedInput::Source::Flat:
          for (std::uint32_t c = 0; c < n.count; ++c) {
            const std::size_t place =
                n.offset + std::size_t{c} * plan.simd * n.element_bytes + std::size_t{k} * n.element_bytes;
            if (place + n.element_bytes <= payload.size())
              std::memcpy(payload.data() + place, n.bytes.data() + std::size_t{c} * n.element_bytes, n.element_bytes);
          }
          break;
        case NamedInput::Source::PositionX:
          store(0, n.at_sample ? static_cast<double>(lane.at.x) / 256 : lane.px + 0.5);
          break;
        case NamedInput::Source::PositionY:
          store(0, n.at_sample ? static_cast<double>(lane.at.y) / 256 : lane.py + 0.5);
          break;
        case NamedInput::Source::PositionZ:
          store(0, static_cast<double>(input.depth[k]));
          break;
        case NamedInput::Source::PositionW:
          store(0, static_cast<double>(inverse_w_at(t, lane.at.x, lane.at.y)));
          break;
        case NamedInput::Source::Front:
          store_word(t.front ? 0xffffffffu : 0);
          break;
        case NamedInput::Source::Primitive:
          store_word(t.primitive);
          break;
        case NamedInput::Source::Sample:
          store_word(lane.sample);
          break;
        case NamedInput::Source::Coverage:
          store_word(seen_coverage(lane));
          break;
        case NamedInput::Source::SampleX:
          store(0, static_cast<double>(lane.sample_point.x) / 256 - lane.px);
          break;
        case NamedInput::Source::SampleY:
          store(0, static_cast<double>(lane.sample_point.y) / 256 - lane.py);
          break;
        case NamedInput::Source::Zero:
          store_word(0);
          break;
      }
    }
  }
  return mask;
}

}  // namespace heddle::dispatch
