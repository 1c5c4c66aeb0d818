// SPDX-License-Identifier: MIT
// Rules: PIX-12 to PIX-15, PIX-17, PIX-19, PIX-21, RAS-8.
#include "pipeline/pixels/payload.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <tuple>

#include "base/half.hpp"
#include "pipeline/raster/lines.hpp"

namespace heddle::pipeline {
namespace {

constexpr std::uint8_t kCentroid = 1, kSample = 2;  // LaneWork::points; 0 is the center

/// The row of `half` in a variable or word of registers.
std::size_t row_of(std::size_t at, std::uint32_t half, std::uint32_t bytes) { return at + std::size_t{half} * bytes; }

}  // namespace

PixelPayload::PixelPayload(const PixelPlan& plan, std::span<const std::uint8_t> image, std::size_t bytes,
                           const std::function<bool(std::uint32_t, std::uint32_t)>& reads)
    : plan_(plan), run_(lane_function()), run_pack_(pack_functions()) {
  per_sample_ = plan.per_sample && plan.samples > 1;
  if (per_sample_) input_.sample_groups = std::min(plan.samples, plan.slots() / 4);
  all_ = all_samples(plan.positions.size());
  std::size_t end = std::max<std::size_t>(bytes, 4 * kRegisterBytes);
  if (plan.hardware_layout) {
    end = std::max<std::size_t>(end, plan.payload_end);
    end = std::max<std::size_t>(end, plan.setup_offset + plan.setup.size() * 16);
  }
  for (const LaneInput& n : plan.inputs) {
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
  halves_ = plan.halves();
  every_ = plan.simd == 32 ? 0xffffffffu : (1u << plan.slots()) - 1;
  for (const LaneInput& n : inputs_) {
    using Source = LaneInput::Source;
    if (n.source == Source::Sample || n.source == Source::Coverage || n.source == Source::SampleX ||
        n.source == Source::SampleY)
      words_.push_back({n.source, n.offset, n.half});
  }
  if (plan.hardware_layout) add_hardware_words();
  put_image(image);
  set_up_packs();
}

/// Where four samples lie, a byte for each.
std::uint32_t PixelPayload::sample_table(std::size_t word) const {
  std::uint32_t table = 0;
  for (std::size_t s = 4 * word; s < std::min(plan_.positions.size(), 4 * word + 4); ++s)
    table |= (plan_.positions[s].x | std::uint32_t{plan_.positions[s].y} << 4) << s % 4 * 8;
  return table;
}

/// The bytes that all threads share, and those that no primitive changes.
void PixelPayload::put_image(std::span<const std::uint8_t> image) {
  std::ranges::copy(image.first(std::min(image.size(), bytes_.size())), bytes_.begin());
  full_ = {};
  for (const LaneInput& n : inputs_) {
    using Source = LaneInput::Source;
    switch (n.source) {
      case Source::Flat:
        for (std::size_t lane = 0; lane < std::size_t{n.count} * plan_.simd; ++lane)
          std::memcpy(bytes_.data() + n.offset + lane * n.element_bytes,
                      n.bytes.data() + lane / plan_.simd * n.element_bytes, n.element_bytes);
        break;
      case Source::Zero:
      case Source::ShadingRate:  // of fragments that are pixels
        put_word(n.offset, 0);
        break;
      case Source::SampleTable0:
      case Source::SampleTable1:
      case Source::SampleTable2:
      case Source::SampleTable3:
        put_word(n.offset,
                 sample_table(static_cast<std::size_t>(n.source) - static_cast<std::size_t>(Source::SampleTable0)));
        break;
      default:
        break;
    }
  }
  if (plan_.hardware_layout) put_sample_positions();
}

void PixelPayload::begin_draw(const machine::PixelState& state, bool tests_depth, std::span<const std::uint8_t> image) {
  input_.state = &state;
  smooth_ = state.line_coverage;
  rated_ = state.shading_rates;
  size_ = {};
  input_.fragment_size = {1, 1};
  depth_read_ = tests_depth;
  packed_ = pack_enables_ = 0;  // those of a draw that failed
  put_image(image);
}

void PixelPayload::put(std::size_t at, std::uint32_t value) { std::memcpy(bytes_.data() + at, &value, 4); }

void PixelPayload::put_lanes(const LaneInput& n, std::size_t component, double value) {
  const std::size_t at = n.offset + component * plan_.simd * n.element_bytes;
  if (n.half) {
    const std::uint16_t half = base::double_to_half(value);
    for (std::size_t lane = 0; lane < plan_.simd; ++lane)
      std::memcpy(bytes_.data() + at + lane * n.element_bytes, &half, 2);
    return;
  }
  const std::uint32_t word = word_of(n.type, value);
  if (n.element_bytes == 4) return put_word(at, word);
  for (std::size_t lane = 0; lane < plan_.simd; ++lane) put(at + lane * n.element_bytes, word);
}

/// One word in all lanes.
void PixelPayload::put_word(std::size_t at, std::uint32_t word) {
  std::array<std::uint32_t, 32> words;
  words.fill(word);
  std::memcpy(bytes_.data() + at, words.data(), std::size_t{4} * plan_.simd);
}

/// `at`: of the first half's row.
void PixelPayload::add_step(LaneStep step, std::size_t at) {
  for (std::uint32_t half = 0; half < plan_.halves(); ++half) {
    step.to = bytes_.data() + row_of(at, half, 2 * step.group_bytes);
    steps_[half].push_back(step);
  }
}

void PixelPayload::add_row(const LaneInput& n, std::size_t component, LaneStep step) {
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

void PixelPayload::add_value(const LaneInput& n, std::size_t component, const std::array<double, 3>& v) {
  if (same(v) || n.type != ComponentType::F32) return put_lanes(n, component, v[0]);  // comes back exactly
  LaneStep step;
  step.point = n.interpolation.point == InterpolationPoint::Center     ? middle()
               : n.interpolation.point == InterpolationPoint::Centroid ? kCentroid
                                                                       : kSample;
  if (n.interpolation.linear || is_flat(*primitive_)) {
    step.plane = linear_plane(*primitive_, v);
  } else {
    step.kind = LaneStep::Kind::Perspective;
    step.plane = perspective_plane(*primitive_, v);
    step.base = v[0];
  }
  add_row(n, component, step);
}

/// The interpolated depths of the lanes, where the depth test reads them (PIX-21).
void PixelPayload::begin_depth(const Primitive& t) {
  input_.depth_pitch = 0;
  if (same(t.z)) {
    input_.depth[0].fill(word_of(ComponentType::F32, t.z[0] + 0.0));
    return;
  }
  if (rated_) {
    depth_plane_ = linear_plane(t, t.z);
    input_.depth_pitch = static_cast<std::uint32_t>(input_.depth[0].size());
    return;
  }
  LaneStep step;
  step.point = middle();
  step.plane = linear_plane(t, t.z);
  const std::uint32_t count = depth_samples();
  if (count > 1) input_.depth_pitch = static_cast<std::uint32_t>(input_.depth[0].size());
  for (std::uint32_t s = 0; s < count; ++s) {
    if (!per_sample_) std::tie(step.x, step.y) = from_center(plan_.positions[s]);
    step.kind = step.x != 0 || step.y != 0 ? LaneStep::Kind::Sample : LaneStep::Kind::Linear;
    for (std::uint32_t half = 0; half < plan_.halves(); ++half) {
      step.to = reinterpret_cast<std::uint8_t*>(input_.depth[s].data() + 16 * std::size_t{half});
      steps_[half].push_back(step);
    }
  }
}

/// One component of the position; `center` and `point`: how it is found at the pixel's center and at a sample.
void PixelPayload::begin_position(const LaneInput& n, LaneStep::Kind center, LaneStep::Kind point) {
  LaneStep step;
  step.point = n.at_sample || rated_ ? middle() : 0;
  step.kind = (n.at_sample && per_sample_) || rated_ ? point : center;
  add_row(n, 0, step);
}

/// What one input reads of a primitive.
void PixelPayload::begin_input(const LaneInput& n, const Primitive& t) {
  using Source = LaneInput::Source;
  const auto interpolate = [&](const Plane& plane) {
    LaneStep step;
    step.point = middle();
    step.plane = plane;
    add_row(n, 0, step);
  };
  switch (n.source) {
    case Source::Attribute:
      for (std::size_t c = 0; c < n.components.size(); ++c) add_value(n, c, values_[n.components[c]]);
      return;
    case Source::Corners:
      for (std::size_t c = 0; c < n.corners.size(); ++c) add_value(n, c, n.corners[c]);
      return;
    case Source::PositionX:
      return begin_position(n, LaneStep::Kind::PixelX, LaneStep::Kind::PointX);
    case Source::PositionY:
      return begin_position(n, LaneStep::Kind::PixelY, LaneStep::Kind::PointY);
    case Source::PositionZ:
      return same(t.z) ? put_lanes(n, 0, t.z[0] + 0.0) : interpolate(linear_plane(t, t.z));
    case Source::PositionW:
      return is_flat(t) ? put_lanes(n, 0, 1 / t.w[0]) : interpolate(inverse_w_plane(t));
    case Source::Front:
      return put_word(n.offset, t.front ? 0xffffffffu : 0);
    case Source::Primitive:
      return put_word(n.offset, t.number);
    case Source::Layer:
      return put_word(n.offset, t.layer);
    case Source::Viewport:
      return put_word(n.offset, t.viewport_name);
    case Source::View:
      return put_word(n.offset, t.view);
    case Source::PointX:
    case Source::PointY:
      if (!t.is_point) return put_lanes(n, 0, 0);
      return interpolate(
          linear_plane(t, n.source == Source::PointX ? std::array{0.0, 1.0, 0.0} : std::array{0.0, 0.0, 1.0}));
    case Source::Flat:
    case Source::Zero:
    case Source::Sample:
    case Source::Coverage:
    case Source::SampleX:
    case Source::SampleY:
    case Source::SampleTable0:
    case Source::SampleTable1:
    case Source::SampleTable2:
    case Source::SampleTable3:
    case Source::ShadingRate:
      return;  // no primitive changes them
  }
}

/// The steps of a half in the order in which they run: centers of pixels first.
void PixelPayload::begin_half(std::uint32_t half, const Primitive& t) {
  const auto is_center = [](const LaneStep& step) {
    return step.kind == LaneStep::Kind::PixelX || step.kind == LaneStep::Kind::PixelY;
  };
  std::vector<LaneStep>& steps = steps_[half];
  LaneWork& work = works_[half];
  centers_ = static_cast<std::size_t>(std::ranges::partition(steps, is_center).begin() - steps.begin());
  work.steps = steps.data();
  work.count = steps.size();
  work.eight = plan_.simd == 8;
  work.left = t.left;
  work.top = t.top;
  work.centers = false;
  work.weighted = 0;
  simple_ = !per_sample_ && !smooth_ && !rated_ && words_.empty() && wide_.empty();
  work.plain = !work.eight;
  for (const LaneStep& step : steps) {
    const bool planar = step.kind == LaneStep::Kind::Linear || step.kind == LaneStep::Kind::Perspective;
    const bool together = !step.wide && step.group_bytes == 32;
    work.plain = work.plain && together && (is_center(step) || (planar && step.point == 0));
    if (is_center(step)) continue;
    work.centers |= step.point == 0;
    simple_ &= step.point == 0;
    if (step.kind == LaneStep::Kind::Perspective)
      work.weighted = static_cast<std::uint8_t>(work.weighted | 1u << step.point);
  }
  if (work.weighted != 0) work.inverse_w = inverse_w_plane(t);
}

void PixelPayload::begin(const Primitive& t, std::span<const std::array<double, 3>> values) {
  values_ = values;
  primitive_ = &t;
  wide_.clear();
  for (auto& list : steps_) list.clear();
  if (depth_read_) begin_depth(t);
  if (plan_.hardware_layout) {
    begin_hardware_words(t);
    put_setup();
  }
  for (const LaneInput& n : inputs_) begin_input(n, t);
  put(0, header_word(*primitive_));
  for (std::uint32_t half = 0; half < halves_; ++half) begin_half(half, t);
}

void PixelPayload::set_full(std::uint32_t half) {
  const std::uint32_t slots = plan_.slots(), every = (1u << slots) - 1;
  put(kRegisterBytes * (1 + std::size_t{half}) + 28, every | every << 16);
  std::fill_n(input_.coverage.begin() + 16 * half, slots, all_);
  full_[half] = true;
}

std::uint32_t PixelPayload::fill_slowly(const PixelThread& thread) {
  if (rated_) {
    size_ = thread.size;
    input_.fragment_size = {size_.width, size_.height};
    for (const LaneInput& n : inputs_)
      if (n.source == LaneInput::Source::ShadingRate) put_word(n.offset, encode_rate(size_));
  }
  put(0, header_word(*primitive_, thread.sspi));
  const std::uint32_t half = plan_.subspans_of_half();
  std::uint32_t mask = fill_half(thread, 0, std::min(thread.count, half));
  if (plan_.simd == 32) mask |= fill_half(thread, 1, thread.count > half ? thread.count - half : 0) << 16;
  return mask;
}

bool PixelPayload::limit(std::uint32_t half, const std::array<std::uint32_t, 16>& samples) {
  const std::size_t at = kRegisterBytes * (1 + std::size_t{half}) + 28;
  std::uint32_t word = 0, enables = 0;
  std::memcpy(&word, bytes_.data() + at, 4);
  for (std::uint32_t i = 0; i < plan_.slots(); ++i) {
    std::uint16_t& coverage = input_.coverage[std::size_t{half} * 16 + i];
    coverage = static_cast<std::uint16_t>(coverage & samples[i]);
    if (samples[i] != 0) enables |= word & 1u << i;
  }
  if (plan_.post_depth_coverage) limit_words(half, samples);
  put(at, enables | (word & 0xffff0000u));
  full_[half] = false;
  return enables != 0;
}

/// R1 (and R2): subspans and enables; then the lanes.
std::uint32_t PixelPayload::fill_half(const PixelThread& thread, std::uint32_t half, std::uint32_t count) {
  return simple_ ? fill_part(thread, half, count) : fill_lanes(thread, half, count);
}

/// Lanes are pixels, evaluated at their centers.
std::uint32_t PixelPayload::fill_part(const PixelThread& thread, std::uint32_t half, std::uint32_t count) {
  const std::size_t r1 = kRegisterBytes * (1 + std::size_t{half});
  const std::uint32_t* subspans = thread.subspans.data() + std::size_t{half} * plan_.subspans_of_half();
  LaneWork& work = works_[half];
  if (thread.listed && count != 0 && !work.eight)
    return fill_listed(subspans, count, thread.pixels >> 16 * half & 0xffffu, half);
  std::array<std::uint32_t, 4> named{};  // those that are not there read 0 in R1, and run as the first
  row_subspans_.fill(count != 0 ? subspans[0] : 0);
  for (std::uint32_t s = 0; s < count; ++s) row_subspans_[s] = named[s] = subspans[s];
  std::memcpy(bytes_.data() + r1 + 8, named.data(), sizeof named);
  full_[half] = false;
  work.subspans = row_subspans_.data();
  const std::uint32_t dispatched = (1u << 4 * count) - 1;
  std::uint32_t enables = dispatched;
  std::uint16_t* coverage = input_.coverage.data() + std::size_t{half} * 16;
  std::fill_n(coverage, 16, std::uint16_t{0});
  if (thread.whole) {
    std::fill_n(coverage, 4 * count, all_);
  } else {
    std::memcpy(coverage, thread.coverage.data() + std::size_t{half} * plan_.subspans_of_half(),
                std::size_t{8} * count);
    enables = 0;
    for (std::uint32_t s = 0; s < count; ++s) enables |= covered_pixels(coverage + std::size_t{4} * s) << 4 * s;
  }
  put(r1 + 28, enables | dispatched << 16);
  if (work.count != 0) run_(work);
  return dispatched;
}

/// The same of pixels with one sample. Each value is stored at once: who loads it finds it in one store.
std::uint32_t PixelPayload::fill_listed(const std::uint32_t* subspans, std::uint32_t count, std::uint32_t pixels,
                                        std::uint32_t half) {
  typedef std::uint16_t Halves __attribute__((vector_size(32)));
  typedef std::uint32_t Four __attribute__((vector_size(16)));
  constexpr Halves kLanes{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const std::size_t r1 = kRegisterBytes * (1 + std::size_t{half});
  const std::uint32_t dispatched = (1u << 4 * count) - 1;
  LaneWork& work = works_[half];
  Four places;
  std::memcpy(&places, subspans, sizeof places);
  work.subspans = subspans;
  if (count != 4) {  // those that are not there read 0 in R1, and run as the first
    const Four there = Four{0, 1, 2, 3} < count;
    const Four run = (places & there) | (places[0] & ~there);
    places &= there;
    std::memcpy(row_subspans_.data(), &run, sizeof run);
    work.subspans = row_subspans_.data();
  }
  std::memcpy(bytes_.data() + r1 + 8, &places, sizeof places);
  put(r1 + 28, pixels | dispatched << 16);
  full_[half] = false;
  const Halves coverage = (Halves{} + static_cast<std::uint16_t>(pixels)) >> kLanes & std::uint16_t{1};
  std::memcpy(input_.coverage.data() + std::size_t{half} * 16, &coverage, sizeof coverage);
  if (work.count != 0) run_(work);
  return dispatched;
}

std::uint32_t PixelPayload::fill_lanes(const PixelThread& thread, std::uint32_t half, std::uint32_t count) {
  const std::size_t r1 = kRegisterBytes * (1 + std::size_t{half});
  const std::uint32_t slots = plan_.slots();
  const std::uint32_t* subspans = thread.subspans.data() + std::size_t{half} * plan_.subspans_of_half();
  LaneWork& work = works_[half];
  for (std::uint32_t s = 0; s < 4; ++s) put(r1 + 8 + 4 * std::size_t{s}, s < count ? subspans[s] : 0);
  full_[half] = false;
  work.subspans = nullptr;
  Lanes lanes;
  std::uint32_t enables = 0, dispatched = 0;
  for (std::uint32_t i = 0; i < 16; ++i) {
    const Slot slot = plan_.slot(std::min(i, slots - 1), thread.sspi);
    const bool present = i < slots && slot.subspan < count;
    const std::uint32_t subspan = present ? slot.subspan : 0;
    const std::uint32_t corner = count != 0 ? subspans[subspan] : 0;
    work.pixels[i] = corner + (slot.pixel & 1u) * size_.width + ((slot.pixel >> 1) * size_.height << 16);
    const std::uint32_t number = half * plan_.subspans_of_half() + subspan;
    std::uint16_t coverage = 0;
    if (present) coverage = thread.whole ? all_ : thread.coverage[number][slot.pixel];
    lanes.coverage[i] = coverage;
    lanes.sample[i] = static_cast<std::uint8_t>(slot.sample);
    input_.coverage[half * 16 + i] = coverage;
    if (smooth_) input_.line_coverage[half * 16 + i] = line_coverage(work.pixels[i]);
    if (present) dispatched |= 1u << i;
    if (plan_.per_sample ? (coverage >> slot.sample & 1u) != 0 : coverage != 0) enables |= 1u << i;
  }
  put(r1 + 28, enables | dispatched << 16);
  if (rated_) {
    find_fragment_points(lanes, work);
    if (depth_read_ && input_.depth_pitch != 0) fill_depths(lanes, half);
  } else {
    find_points(lanes, work);
  }
  run_(work);
  fill_words(lanes, half);
  return dispatched;
}

/// RAS-8: of the pixel at x | y << 16.
float PixelPayload::line_coverage(std::uint32_t pixel) const {
  if (primitive_->shape != Primitive::Shape::Smooth) return 1;
  const auto x = static_cast<std::int32_t>(pixel & 0xffffu), y = static_cast<std::int32_t>(pixel >> 16);
  return static_cast<float>(covered_part(*primitive_, x, y));
}

/// The centroid is the covered sample nearest to the center; the center where nothing is covered.
void PixelPayload::find_points(const Lanes& lanes, LaneWork& work) const {
  const auto& samples = plan_.positions;
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
    const double x = static_cast<double>((static_cast<std::int32_t>(work.pixels[i] & 0xffffu) - work.left) * 256),
                 y = static_cast<double>((static_cast<std::int32_t>(work.pixels[i] >> 16) - work.top) * 256);
    work.points[kCentroid].x[i] = x + middle.x * 16;
    work.points[kCentroid].y[i] = y + middle.y * 16;
    work.points[kSample].x[i] = x + own.x * 16;
    work.points[kSample].y[i] = y + own.y * 16;
  }
}

}  // namespace heddle::pipeline
