// Rules: PIX-12 to PIX-18, PIX-21.
#include "dispatch/pixel_payload.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/half.hpp"

namespace heddle::dispatch {
namespace {

constexpr std::uint32_t kRegister = 32;
constexpr std::uint8_t kCentroid = 1, kSample = 2;  // places beside 0, the centre

/// The row of `half` in a variable or word of registers.
std::size_t row_of(std::size_t at, std::uint32_t half, std::uint32_t bytes) { return at + std::size_t{half} * bytes; }

bool same(const std::array<double, 3>& v) { return v[0] == v[1] && v[0] == v[2]; }

}  // namespace

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

std::optional<engine::jit::RowLayout> row_layout(const PixelPlan& plan) {
  using Source = NamedInput::Source;
  engine::jit::RowLayout layout;
  layout.coverage = all_samples(plan.raster);
  constexpr std::uint32_t kCoverageWord = 9;
  if (!plan.mesh.full_screen || (plan.per_sample && plan.samples > 1)) return std::nullopt;
  if (plan.hardware_layout && (plan.payload_bits >> kCoverageWord & 1u) != 0) return std::nullopt;
  for (const NamedInput& n : plan.inputs) {
    const bool lanes = n.source != Source::Flat && n.source != Source::Zero && n.source != Source::Front &&
                       n.source != Source::Primitive;
    if (lanes && n.half) return std::nullopt;
    if (n.source == Source::Sample || n.source == Source::Coverage || n.source == Source::SampleX ||
        n.source == Source::SampleY)
      return std::nullopt;
    if (n.source == Source::PositionX) layout.x.push_back(n.offset);
    if (n.source == Source::PositionY) layout.y.push_back(n.offset);
  }
  return layout;
}

PixelPayload::PixelPayload(const PixelPlan& plan, std::span<const std::uint8_t> image, std::size_t bytes,
                           const std::function<bool(std::uint32_t, std::uint32_t)>& reads)
    : plan_(plan), run_(lane_function()) {
  input_.state = &plan.state;
  per_sample_ = plan.per_sample && plan.samples > 1;
  all_ = all_samples(plan.raster);
  std::size_t end = std::max<std::size_t>(bytes, 4 * kRegister);
  if (plan.hardware_layout) {
    end = std::max<std::size_t>(end, plan.payload_end);
    end = std::max<std::size_t>(end, plan.setup_offset + plan.setup.size() * 16);
  }
  for (const NamedInput& n : plan.inputs) {
    const std::size_t components =
        std::max({n.components.size(), n.corners.size(), std::size_t{n.count}, std::size_t{1}});
    const std::size_t size = components * plan.simd * std::max(n.element_bytes, n.half ? 2u : 4u);
    if (reads && !reads(n.offset, static_cast<std::uint32_t>(size))) continue;
    end = std::max(end, n.offset + size);
    inputs_.push_back(n);
  }
  end = std::max(end, image.size());
  storage_.resize(end + 63);
  bytes_ = {storage_.data() + (64 - reinterpret_cast<std::uintptr_t>(storage_.data()) % 64) % 64, end};
  std::ranges::copy(image, bytes_.begin());
  halves_ = plan.halves();
  every_ = plan.simd == 32 ? 0xffffffffu : (1u << plan.slots()) - 1;
  depth_read_ = plan.state.depth != nullptr;
  for (const NamedInput& n : inputs_) {
    using Source = NamedInput::Source;
    const auto row = [&](Source source) { words_.push_back({source, n.offset, n.half}); };
    switch (n.source) {
      case Source::Flat:
        for (std::size_t lane = 0; lane < std::size_t{n.count} * plan.simd; ++lane)
          std::memcpy(bytes_.data() + n.offset + lane * n.element_bytes,
                      n.bytes.data() + lane / plan.simd * n.element_bytes, n.element_bytes);
        break;
      case Source::Zero:
        for (std::size_t lane = 0; lane < plan.simd; ++lane) put(n.offset + 4 * lane, 0);
        break;
      case Source::Sample:
      case Source::Coverage:
      case Source::SampleX:
      case Source::SampleY:
        row(n.source);
        break;
      default:
        break;
    }
  }
  if (plan.hardware_layout) add_hardware_words();
}

void PixelPayload::put(std::size_t at, std::uint32_t value) { std::memcpy(bytes_.data() + at, &value, 4); }

void PixelPayload::put_lanes(const NamedInput& n, std::size_t component, double value) {
  const std::size_t at = n.offset + component * plan_.simd * n.element_bytes;
  for (std::size_t lane = 0; lane < plan_.simd; ++lane) {
    if (n.half) {
      const std::uint16_t half = base::double_to_half(value);
      std::memcpy(bytes_.data() + at + lane * n.element_bytes, &half, 2);
    } else if (n.type == ComponentType::F32) {
      put(at + lane * n.element_bytes, base::bits_of(static_cast<float>(value)));
    } else {  // integers are flat, and exact in binary64
      put(at + lane * n.element_bytes,
          std::abs(value) < 4294967296.0 ? static_cast<std::uint32_t>(static_cast<std::int64_t>(value)) : 0);
    }
  }
}

/// `at`: of the first half's row.
void PixelPayload::add_step(LaneStep step, std::size_t at) {
  for (std::uint32_t half = 0; half < plan_.halves(); ++half) {
    step.to = bytes_.data() + row_of(at, half, 2 * step.group_bytes);
    steps_[half].push_back(step);
  }
}

void PixelPayload::add_row(const NamedInput& n, std::size_t component, LaneStep step) {
  const std::size_t at = n.offset + component * plan_.simd * n.element_bytes;
  if (!n.half) return add_step(step, at);
  step.wide = true;
  step.group_bytes = 64;
  if (step.kind == LaneStep::Kind::PixelX) step.kind = LaneStep::Kind::PointX;
  if (step.kind == LaneStep::Kind::PixelY) step.kind = LaneStep::Kind::PointY;
  for (std::uint32_t half = 0; half < plan_.halves(); ++half) {
    wide_.push_back(std::make_unique<WideRow>());
    wide_.back()->at = row_of(at, half, 32);
    step.to = reinterpret_cast<std::uint8_t*>(wide_.back()->lanes.data());
    steps_[half].push_back(step);
  }
}

void PixelPayload::add_value(const NamedInput& n, std::size_t component, const std::array<double, 3>& v) {
  if (same(v) || n.type != ComponentType::F32) return put_lanes(n, component, v[0]);  // comes back exactly
  LaneStep step;
  step.place = n.interpolation.place == InputPlace::Pixel      ? middle()
               : n.interpolation.place == InputPlace::Centroid ? kCentroid
                                                               : kSample;
  if (n.interpolation.linear || is_flat(*triangle_)) {
    step.plane = linear_plane(*triangle_, v);
  } else {
    step.kind = LaneStep::Kind::Perspective;
    step.plane = perspective_plane(*triangle_, v);
    step.base = v[0];
  }
  add_row(n, component, step);
}

/// Words that no triangle changes, and room for the others.
void PixelPayload::add_hardware_words() {
  std::size_t at = kRegister * (plan_.simd == 32 ? 3 : 2);
  const std::uint32_t groups = plan_.simd / 8;
  for (std::uint32_t word = 0; word < payload_words().size(); ++word) {
    if ((plan_.payload_bits >> word & 1u) == 0) continue;
    if (word == 8) {
      for (std::size_t s = 0; s < plan_.raster.samples.size() && at + 2 * s + 1 < bytes_.size(); ++s) {
        bytes_[at + 2 * s] = plan_.raster.samples[s].x;
        bytes_[at + 2 * s + 1] = plan_.raster.samples[s].y;
      }
      at += kRegister;
      continue;
    }
    if (word == 9) words_.push_back({NamedInput::Source::Coverage, at, false});
    at += std::size_t{groups} * kRegister * (word < 6 ? 2 : 1);
  }
}

void PixelPayload::put_setup() {
  const Triangle& t = *triangle_;
  std::size_t at = kRegister * (plan_.simd == 32 ? 3 : 2);
  const std::uint32_t groups = plan_.simd / 8;
  for (std::uint32_t word = 0; word < payload_words().size(); ++word) {
    if ((plan_.payload_bits >> word & 1u) == 0) continue;
    LaneStep step;
    if (word < 6) {  // b1 then b2 of lanes 0-7, then of lanes 8-15 ...
      step.group_bytes = 2 * kRegister;
      step.place = static_cast<std::uint8_t>(word % 3);
      const std::array<double, 3> corners[2] = {{0, 1, 0}, {0, 0, 1}};
      for (unsigned k = 0; k < 2; ++k) {
        const bool linear = word >= 3 || is_flat(t);
        step.kind = linear ? LaneStep::Kind::Linear : LaneStep::Kind::Perspective;
        step.plane = linear ? linear_plane(t, corners[k]) : perspective_plane(t, corners[k]);
        add_step(step, at + k * kRegister);
      }
      at += std::size_t{groups} * 2 * kRegister;
      continue;
    }
    step.place = middle();
    if (word == 6) {
      step.plane = linear_plane(t, t.z);
      add_step(step, at);
    } else if (word == 7) {
      step.kind = LaneStep::Kind::Inverse;
      step.plane = inverse_w_plane(t);
      add_step(step, at);
    }
    at += std::size_t{word == 8 ? 1 : groups} * kRegister;
  }
  for (std::size_t c = 0; c < plan_.setup.size(); ++c) {
    const SetupComponent& s = plan_.setup[c];
    const std::array<double, 3>& v = s.constant ? s.values : t.values[s.component];
    const std::size_t place = plan_.setup_offset + c * 16;
    const auto number = [&](std::size_t k, double value) {
      put(place + 4 * k, base::bits_of(static_cast<float>(value)));
    };
    const bool flat = s.flat || same(v);
    number(0, flat ? 0 : v[1] - v[0]);
    number(1, flat ? 0 : v[2] - v[0]);
    put(place + 8, 0);
    number(3, v[0]);
  }
}

void PixelPayload::begin(const Triangle& t) {
  using Source = NamedInput::Source;
  triangle_ = &t;
  wide_.clear();
  for (auto& list : steps_) list.clear();
  if (depth_read_) {
    if (same(t.z)) {
      input_.depth.fill(static_cast<float>(t.z[0] + 0.0));
    } else {
      LaneStep step;
      step.place = middle();
      step.plane = linear_plane(t, t.z);
      for (std::uint32_t half = 0; half < plan_.halves(); ++half) {
        step.to = reinterpret_cast<std::uint8_t*>(input_.depth.data() + 16 * std::size_t{half});
        steps_[half].push_back(step);
      }
    }
  }
  if (plan_.hardware_layout) put_setup();
  for (const NamedInput& n : inputs_) {
    LaneStep step;
    step.place = middle();
    const auto position = [&](LaneStep::Kind center, LaneStep::Kind point) {
      step.kind = n.at_sample && per_sample_ ? point : center;
      add_row(n, 0, step);
    };
    switch (n.source) {
      case Source::Attribute:
        for (std::size_t c = 0; c < n.components.size(); ++c) add_value(n, c, t.values[n.components[c]]);
        break;
      case Source::Corners:
        for (std::size_t c = 0; c < n.corners.size(); ++c) add_value(n, c, n.corners[c]);
        break;
      case Source::PositionX:
        if (!n.at_sample) step.place = 0;
        position(LaneStep::Kind::PixelX, LaneStep::Kind::PointX);
        break;
      case Source::PositionY:
        if (!n.at_sample) step.place = 0;
        position(LaneStep::Kind::PixelY, LaneStep::Kind::PointY);
        break;
      case Source::PositionZ:
      case Source::PositionW:
        if (n.source == Source::PositionW && is_flat(t)) {
          put_lanes(n, 0, 1 / t.w[0]);
        } else if (n.source == Source::PositionZ && same(t.z)) {
          put_lanes(n, 0, t.z[0] + 0.0);
        } else {
          step.plane = n.source == Source::PositionZ ? linear_plane(t, t.z) : inverse_w_plane(t);
          add_row(n, 0, step);
        }
        break;
      case Source::Front:
        for (std::size_t lane = 0; lane < plan_.simd; ++lane) put(n.offset + 4 * lane, t.front ? 0xffffffffu : 0);
        break;
      case Source::Primitive:
        for (std::size_t lane = 0; lane < plan_.simd; ++lane) put(n.offset + 4 * lane, t.primitive);
        break;
      default:
        break;
    }
  }
  put(0, header(0));
  for (std::uint32_t half = 0; half < halves_; ++half) {
    LaneJob& job = jobs_[half];
    centers_ = static_cast<std::size_t>(std::ranges::partition(steps_[half],
                                                               [](const LaneStep& step) {
                                                                 return step.kind == LaneStep::Kind::PixelX ||
                                                                        step.kind == LaneStep::Kind::PixelY;
                                                               })
                                            .begin() -
                                        steps_[half].begin());
    job.steps = steps_[half].data();
    job.count = steps_[half].size();
    job.eight = plan_.simd == 8;
    job.left = t.left;
    job.top = t.top;
    job.centers = false;
    job.weighted = 0;
    simple_ = !per_sample_ && words_.empty() && wide_.empty();
    for (const LaneStep& step : steps_[half]) {
      if (step.kind == LaneStep::Kind::PixelX || step.kind == LaneStep::Kind::PixelY) continue;
      job.centers |= step.place == 0;
      simple_ &= step.place == 0;
      if (step.kind == LaneStep::Kind::Perspective)
        job.weighted = static_cast<std::uint8_t>(job.weighted | 1u << step.place);
    }
    if (job.weighted != 0) job.inverse_w = inverse_w_plane(t);
  }
}

/// R0: the header (PIX-14).
std::uint32_t PixelPayload::header(std::uint32_t sspi) const {
  return (triangle_->front ? 0u : 1u << 15) | (sspi & 7u) << 6;
}

void PixelPayload::set_full(std::uint32_t half) {
  const std::uint32_t slots = plan_.slots(), every = (1u << slots) - 1;
  put(kRegister * (1 + std::size_t{half}) + 28, every | every << 16);
  std::fill_n(input_.coverage.begin() + 16 * half, slots, all_);
  full_[half] = true;
}

std::uint32_t PixelPayload::fill_slowly(const PixelThread& thread) {
  put(0, header(thread.sspi));
  const std::uint32_t half = plan_.subspans_of_half();
  std::uint32_t mask = fill_half(thread, 0, std::min(thread.count, half));
  if (plan_.simd == 32) mask |= fill_half(thread, 1, thread.count > half ? thread.count - half : 0) << 16;
  return mask;
}

/// R1 (and R2): subspans and enables; then the lanes.
std::uint32_t PixelPayload::fill_half(const PixelThread& thread, std::uint32_t half, std::uint32_t count) {
  const std::size_t r1 = kRegister * (1 + std::size_t{half});
  const std::uint32_t slots = plan_.slots();
  const std::uint32_t* places = thread.places.data() + std::size_t{half} * plan_.subspans_of_half();
  LaneJob& job = jobs_[half];
  for (std::uint32_t s = 0; s < 4; ++s) put(r1 + 8 + 4 * std::size_t{s}, s < count ? places[s] : 0);
  full_[half] = false;
  job.places = nullptr;
  Lanes lanes;
  std::uint32_t enables = 0, dispatched = 0;
  for (std::uint32_t i = 0; i < 16; ++i) {
    const Slot slot = plan_.slot(std::min(i, slots - 1), thread.sspi);
    const bool present = i < slots && slot.subspan < count;
    const std::uint32_t subspan = present ? slot.subspan : 0;
    const std::uint32_t place = count != 0 ? places[subspan] : 0;
    job.pixels[i] = place + (slot.pixel & 1u) + ((slot.pixel >> 1) << 16);
    const std::uint32_t number = half * plan_.subspans_of_half() + subspan;
    std::uint16_t coverage = 0;
    if (present) coverage = thread.whole ? all_ : thread.coverage[number][slot.pixel];
    lanes.coverage[i] = coverage;
    lanes.sample[i] = static_cast<std::uint8_t>(slot.sample);
    input_.coverage[half * 16 + i] = coverage;
    if (present) dispatched |= 1u << i;
    if (plan_.per_sample ? (coverage >> slot.sample & 1u) != 0 : coverage != 0) enables |= 1u << i;
  }
  put(r1 + 28, enables | dispatched << 16);
  if (!simple_) find_points(lanes, job);
  run_(job);
  if (!simple_) fill_words(lanes, half);
  return dispatched;
}

/// The centroid is the covered sample nearest to the centre; the centre where nothing is covered.
void PixelPayload::find_points(const Lanes& lanes, LaneJob& job) const {
  const auto& samples = plan_.raster.samples;
  for (std::size_t i = 0; i < 16; ++i) {
    SamplePosition own = samples[std::min<std::size_t>(lanes.sample[i], samples.size() - 1)], middle;
    int nearest = 1 << 20;
    for (std::size_t s = 0; s < samples.size(); ++s) {
      if ((lanes.coverage[i] >> s & 1u) == 0) continue;
      const int dx = samples[s].x - 8, dy = samples[s].y - 8, distance = dx * dx + dy * dy;
      if (distance >= nearest) continue;
      nearest = distance;
      middle = samples[s];
    }
    const double x = static_cast<double>((static_cast<std::int32_t>(job.pixels[i] & 0xffffu) - job.left) * 256),
                 y = static_cast<double>((static_cast<std::int32_t>(job.pixels[i] >> 16) - job.top) * 256);
    job.points[kCentroid].x[i] = x + middle.x * 16;
    job.points[kCentroid].y[i] = y + middle.y * 16;
    job.points[kSample].x[i] = x + own.x * 16;
    job.points[kSample].y[i] = y + own.y * 16;
  }
}

void PixelPayload::fill_words(const Lanes& lanes, std::uint32_t half) {
  const std::uint32_t slots = plan_.slots();
  for (const WordRow& row : words_) {
    const std::size_t bytes = row.half ? 2 : 4, at = row.at + half * 16 * bytes;
    for (std::uint32_t i = 0; i < slots; ++i) {
      const SamplePosition& p =
          plan_.raster.samples[std::min<std::size_t>(lanes.sample[i], plan_.raster.samples.size() - 1)];
      const std::uint8_t sixteenths = row.source == NamedInput::Source::SampleX ? p.x : p.y;
      switch (row.source) {
        case NamedInput::Source::Sample:
          put(at + 4 * std::size_t{i}, lanes.sample[i]);
          break;
        case NamedInput::Source::Coverage:
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

}  // namespace heddle::dispatch
