// SPDX-License-Identifier: MIT
// Footprints as plain vISA: run in the reference engine, they are those of texture/footprint bit for bit.
#include <fmt/format.h>

#include <cstdlib>
#include <limits>
#include <random>

#include "engine/harness.hpp"
#include "spirv/compile/images/portable_footprint.hpp"
#include "texture/footprint.hpp"
#include "texture/sampler_record.hpp"

namespace heddle::spirv::compiler {
namespace {

using engine::testing::KernelRun;
using instructions::footprint::Mode;
using instructions::footprint::Shape;
using isa::Type;
using ShapeSource = instructions::footprint::Source;

constexpr unsigned kSimd = 16;

/// A program for one form: its inputs and outputs are variables with these names.
struct Program {
  Shape shape;
  std::optional<std::uint32_t> granularity;  ///< as a constant
  std::optional<bool> coarse;
  bool integer_texels = false;
  isa::Platform platform = isa::Platform::SKL;
  unsigned simd = kSimd;

  [[nodiscard]] std::string text() const {
    VisaWriter b(platform, simd);
    FootprintOperands q;
    q.shape = shape;
    FootprintTarget target;
    target.surface = b.surface();
    target.record = b.surface();
    target.sampler = b.sampler();
    q.integer_texels = integer_texels;
    q.granularity = granularity ? ud(*granularity) : b.lanes(Type::UD, "in_granularity");
    q.coarse = coarse ? boolean(*coarse) : b.lanes(Type::Bool, "in_coarse");
    for (unsigned k = 0; k < shape.dim; ++k) {
      q.coordinate[k] = b.lanes(Type::F, fmt::format("in_coordinate{}", k));
      if (shape.source == ShapeSource::Grad) {
        q.dx[k] = b.lanes(Type::F, fmt::format("in_dx{}", k));
        q.dy[k] = b.lanes(Type::F, fmt::format("in_dy{}", k));
      }
      if (shape.offset) q.offset[k] = b.lanes(Type::D, fmt::format("in_offset{}", k));
    }
    if (shape.source == ShapeSource::Lod) q.lod = b.lanes(Type::F, "in_lod");
    if (shape.bias) q.bias = b.lanes(Type::F, "in_bias");
    if (shape.min_lod) q.min_lod = b.lanes(Type::F, "in_min_lod");
    const std::vector<Part> members = portable_footprint(b, q, {&target, 1});
    for (unsigned m = 0; m < members.size(); ++m) b.move(b.lanes(Type::UD, fmt::format("out{}", m)), members[m]);
    b.instruction("ret", kOneLane, {});
    return b.text("k", "");
  }
};

struct State {
  std::shared_ptr<image::Surface> surface = std::make_shared<image::Surface>();
  std::shared_ptr<image::Sampler> sampler = std::make_shared<image::Sampler>();
};

class Random {
 public:
  explicit Random(unsigned seed) : bits_(seed) {}
  unsigned below(unsigned n) { return static_cast<unsigned>(bits_() % n); }
  float between(float low, float high) {
    return low + (high - low) * static_cast<float>(bits_() & 0xffffff) / 16777216.0f;
  }

 private:
  std::mt19937 bits_;
};

State random_state(Random& random, unsigned dim) {
  State s;
  image::Surface& t = *s.surface;
  t.type = dim == 3 ? image::SurfaceType::Dim3 : image::SurfaceType::Dim2;
  const auto side = [&random] { return random.below(3) == 0 ? 1u << random.below(12) : 1 + random.below(3000); };
  t.width = side();
  t.height = side();
  t.depth = dim == 3 ? 1 + random.below(600) : 1;
  unsigned most = 1;
  while ((std::max({t.width, t.height, t.depth}) >> most) != 0) ++most;
  t.levels = random.below(4) == 0 ? 1 + random.below(most) : most;
  t.mip_count = t.levels - 1;
  image::Sampler& f = *s.sampler;
  const bool anisotropic = random.below(2) == 0;
  const auto filter = [&] { return random.below(4) == 0 ? image::Filter::Nearest : image::Filter::Linear; };
  f.mag_filter = filter();
  f.min_filter = anisotropic ? image::Filter::Anisotropic : filter();
  f.max_anisotropy = static_cast<std::uint8_t>(random.below(8));
  constexpr image::MipFilter kMips[] = {image::MipFilter::None, image::MipFilter::Nearest, image::MipFilter::Linear,
                                        image::MipFilter::Linear};
  f.mip_filter = kMips[random.below(4)];
  if (random.below(3) == 0) f.lod_bias = static_cast<int>(random.below(2048)) - 1024;
  if (random.below(3) == 0) f.min_lod = static_cast<int>(random.below(1024));
  if (random.below(3) == 0) f.max_lod = f.min_lod + static_cast<int>(random.below(1024));
  f.set_api_rounding();
  return s;
}

struct Lanes {
  std::array<std::array<float, 3>, kSimd> coordinate{}, dx{}, dy{};
  std::array<std::array<std::int32_t, 3>, kSimd> offset{};
  std::array<float, kSimd> lod{}, bias{}, min_lod{};
  std::array<std::uint32_t, kSimd> granularity{}, coarse{};
};

float logarithmic(Random& random, float low, float high) {
  const float x = std::exp2(random.between(low, high));
  return random.below(2) == 0 ? x : -x;
}

Lanes random_lanes(Random& random, const Shape& shape, const State& state) {
  Lanes v;
  const std::array<std::uint32_t, 3> size = {state.surface->width, state.surface->height, state.surface->depth};
  constexpr unsigned kFlat[] = {1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 14, 15}, kVolume[] = {1, 3, 10, 11, 12, 13, 14};
  std::array<std::array<float, 2>, 3> quad{};
  for (unsigned lane = 0; lane < kSimd; ++lane) {
    const float stretch = random.between(0, 6);
    for (unsigned k = 0; k < shape.dim; ++k) {
      const auto texels = static_cast<float>(size[k]);
      v.dx[lane][k] = logarithmic(random, -3 + stretch, 4 + stretch) / texels;
      v.dy[lane][k] = logarithmic(random, -5, 5) / texels;
      if (shape.source == ShapeSource::Implicit && lane % 4 != 0)  // a quad around its first lane
        v.coordinate[lane][k] = v.coordinate[lane & ~3u][k] + (lane % 4 == 1 ? quad[k][0] : quad[k][1]);
      else
        v.coordinate[lane][k] =
            random.below(4) == 0 ? static_cast<float>(random.below(513)) / 512.0f : random.between(-0.3f, 1.3f);
      if (lane % 4 == 0) quad[k] = {v.dx[lane][k], v.dy[lane][k]};
      if (shape.offset) v.offset[lane][k] = static_cast<int>(random.below(16)) - 8;
    }
    v.lod[lane] = random.below(3) == 0 ? static_cast<float>(random.below(12)) : random.between(-2, 13);
    v.bias[lane] = random.between(-4, 4);
    v.min_lod[lane] = random.between(0, 8);
    v.granularity[lane] = shape.dim == 3 ? kVolume[random.below(7)] : kFlat[random.below(12)];
    v.coarse[lane] = random.below(2);
  }
  return v;
}

texture::FootprintQuery query_of(const Shape& shape, const Lanes& v, unsigned lane) {
  texture::FootprintQuery q;
  q.coordinate = v.coordinate[lane];
  q.granularity = v.granularity[lane];
  q.coarse = v.coarse[lane] != 0;
  q.operand = shape.source == ShapeSource::Lod    ? texture::FootprintOperand::Lod
              : shape.source == ShapeSource::Grad ? texture::FootprintOperand::Grad
                                                  : texture::FootprintOperand::Derivatives;
  q.lod = v.lod[lane];
  if (shape.bias) q.bias = v.bias[lane];
  if (shape.min_lod) q.min_lod = v.min_lod[lane];
  q.gradients = {v.dx[lane], v.dy[lane]};
  const unsigned first = lane & ~3u;
  if (shape.source == ShapeSource::Implicit)
    for (unsigned k = 0; k < 3; ++k) {
      q.gradients.dx[k] = v.coordinate[first + 1][k] - v.coordinate[first][k];
      q.gradients.dy[k] = v.coordinate[first + 2][k] - v.coordinate[first][k];
    }
  q.offset = v.offset[lane];
  return q;
}

std::vector<std::uint32_t> members_of(const texture::Footprint& f, unsigned dim) {
  std::vector<std::uint32_t> m = {f.single ? 1u : 0u};
  m.insert(m.end(), f.anchor.begin(), f.anchor.begin() + dim);
  m.insert(m.end(), f.offset.begin(), f.offset.begin() + dim);
  for (const std::uint64_t x : {f.mask & 0xffffffffu, f.mask >> 32, std::uint64_t{f.lod}, std::uint64_t{f.granularity}})
    m.push_back(static_cast<std::uint32_t>(x));
  return m;
}

/// Runs the program and compares every lane; counts coarsened answers.
void expect_equal(const Program& program, const State& state, Lanes v, unsigned& coarsened) {
  const std::string text = program.text();
  const std::size_t kernel = text.find('\n', text.find(".kernel")) + 1;
  KernelRun run(text.substr(kernel));
  ASSERT_TRUE(run.ready()) << text;
  auto record = std::make_shared<image::Surface>();
  record->type = image::SurfaceType::Buffer;
  record->format = static_cast<image::Format>(0x1ff);
  record->structure_size = 1;
  record->entries = 32;
  record->memory = std::make_shared<image::Memory>(32);
  const auto words = texture::sampler_record::record(*state.sampler);
  std::memcpy(record->memory->data(), words.data(), 32);
  run.bindings.surfaces = {state.surface, record};
  run.bindings.samplers = {state.sampler};
  run.bindings.surface_variables = {{6, {0}}, {7, {1}}};
  run.bindings.sampler_variables = {{0, {0}}};
  run.start(0xffff);
  const Shape& shape = program.shape;
  const auto set = [&](const std::string& name, auto value) {
    std::vector<std::uint32_t> bits(kSimd);
    for (unsigned lane = 0; lane < kSimd; ++lane) bits[lane] = __builtin_bit_cast(std::uint32_t, value(lane));
    run.set(name, bits);
  };
  if (program.granularity)
    v.granularity.fill(*program.granularity);
  else
    set("in_granularity", [&](unsigned l) { return v.granularity[l]; });
  if (program.coarse)
    v.coarse.fill(*program.coarse ? 1 : 0);
  else
    set("in_coarse", [&](unsigned l) { return v.coarse[l] != 0 ? -1 : 0; });
  for (unsigned k = 0; k < shape.dim; ++k) {
    set(fmt::format("in_coordinate{}", k), [&](unsigned l) { return v.coordinate[l][k]; });
    if (shape.source == ShapeSource::Grad) {
      set(fmt::format("in_dx{}", k), [&](unsigned l) { return v.dx[l][k]; });
      set(fmt::format("in_dy{}", k), [&](unsigned l) { return v.dy[l][k]; });
    }
    if (shape.offset) set(fmt::format("in_offset{}", k), [&](unsigned l) { return v.offset[l][k]; });
  }
  if (shape.source == ShapeSource::Lod) set("in_lod", [&](unsigned l) { return v.lod[l]; });
  if (shape.bias) set("in_bias", [&](unsigned l) { return v.bias[l]; });
  if (shape.min_lod) set("in_min_lod", [&](unsigned l) { return v.min_lod[l]; });
  ASSERT_EQ(run.go(), engine::reference::Outcome::Finished) << run.ids().front();
  if (!state.sampler->non_normalized) {  // the lod message reports those itself (HW-21)
    EXPECT_TRUE(run.diagnostics.empty()) << base::render(run.diagnostics, {}, false) << text;
  }

  texture::FootprintView view = texture::footprint_view(*state.surface);
  view.dim = shape.dim;
  texture::FootprintSampler sampler = texture::footprint_sampler(*state.sampler);
  if (program.integer_texels) {
    sampler.mag_linear = sampler.min_linear = false;
    sampler.max_anisotropy = 0;
    if (sampler.mip == image::MipFilter::Linear) sampler.mip = image::MipFilter::Nearest;
  }
  texture::FootprintOptions options;
  options.mode = static_cast<texture::FootprintMode>(shape.mode);
  for (unsigned lane = 0; lane < kSimd; ++lane) {
    const auto answer = texture::footprint(view, sampler, query_of(shape, v, lane), options);
    const bool nothing = state.sampler->disable || state.surface->type == image::SurfaceType::Null;  // RET-7, RET-8
    const auto expected =
        answer.ok() && !nothing ? members_of(*answer, shape.dim) : std::vector<std::uint32_t>(5 + 2 * shape.dim);
    std::vector<std::uint32_t> found;
    for (unsigned m = 0; m < expected.size(); ++m)
      found.push_back(run.get<std::uint32_t>(fmt::format("out{}", m), kSimd)[lane]);
    EXPECT_EQ(found, expected) << "lane " << lane << " dim " << shape.dim << " source "
                               << static_cast<int>(shape.source) << " granularity " << v.granularity[lane];
    if (answer.ok() && answer->granularity != 0) ++coarsened;
  }
}

/// What section 9 calls undefined, in some lanes and samplers.
void spoil(Random& random, Lanes& v, State& state) {
  const auto odd = [&random](float x) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const float values[] = {kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN(), 3e38f, -1e30f,
                            0.0f,      1e-42f};
    return random.below(12) == 0 ? values[random.below(7)] : x;
  };
  for (unsigned lane = 0; lane < kSimd; ++lane) {
    for (unsigned k = 0; k < 3; ++k) {
      v.coordinate[lane][k] = odd(v.coordinate[lane][k]);
      v.dx[lane][k] = odd(v.dx[lane][k]);
      v.dy[lane][k] = odd(v.dy[lane][k]);
    }
    v.lod[lane] = odd(v.lod[lane]);
    v.bias[lane] = odd(v.bias[lane]);
    v.min_lod[lane] = odd(v.min_lod[lane]);
    if (random.below(4) == 0)
      v.granularity[lane] = random.below(3) == 0 ? 0xffffffe1u + random.below(30) : random.below(40);
  }
  image::Sampler& f = *state.sampler;
  if (random.below(6) == 0) f.tcy = static_cast<image::AddressMode>(random.below(7));
  if (random.below(6) == 0) f.tcz = static_cast<image::AddressMode>(random.below(7));
  if (random.below(6) == 0) std::swap(f.min_lod, f.max_lod);
  if (random.below(8) == 0) f.non_normalized = true;
}

unsigned rounds(unsigned usual) { return std::getenv("HEDDLE_TEST_ALL") != nullptr ? usual * 50 : usual; }

TEST(PortableFootprint, StrictFormsEqualTheUnit) {
  Random random(11);
  unsigned coarsened = 0;
  for (unsigned round = 0; round < rounds(40) && !testing::Test::HasFailure(); ++round)
    for (unsigned form = 0; form < 7; ++form)
      for (const unsigned dim : {2u, 3u}) {
        Program p;
        p.shape.dim = dim;
        p.shape.source = form < 4 ? ShapeSource::Implicit : form == 4 ? ShapeSource::Lod : ShapeSource::Grad;
        p.shape.bias = form == 1 || form == 3;
        p.shape.min_lod = form == 2 || form == 3 || form == 6;
        if (dim == 3 && form >= 5) continue;
        if (round % 2 == 0) p.coarse = round % 4 == 0;
        if (round % 3 == 0) p.granularity = dim == 3 ? 3 : 1;
        p.integer_texels = round % 7 == 6;
        const State state = random_state(random, dim);
        SCOPED_TRACE(fmt::format("round {} form {} dim {}", round, form, dim));
        expect_equal(p, state, random_lanes(random, p.shape, state), coarsened);
        if (testing::Test::HasFailure()) return;
      }
  EXPECT_GT(coarsened, 20u);
}

TEST(PortableFootprint, UndefinedInputsAreZeroInStrictMode) {  // FC11
  Random random(12);
  unsigned coarsened = 0;
  for (unsigned round = 0; round < rounds(60); ++round) {
    Program p;
    p.shape.dim = 2 + round % 2;
    p.shape.source = static_cast<ShapeSource>(p.shape.dim == 3 ? round / 2 % 2 : round / 2 % 3);
    p.shape.bias = p.shape.source == ShapeSource::Implicit && round % 5 == 0;
    p.shape.min_lod = p.shape.source != ShapeSource::Lod && round % 3 == 0;
    if (round % 7 == 0) p.granularity = random.below(18);
    State state = random_state(random, p.shape.dim);
    Lanes lanes = random_lanes(random, p.shape, state);
    spoil(random, lanes, state);
    SCOPED_TRACE(fmt::format("round {}", round));
    expect_equal(p, state, lanes, coarsened);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(PortableFootprint, LenientFormsEqualTheUnit) {  // section 9.3, FC11
  Random random(13);
  unsigned coarsened = 0;
  for (unsigned round = 0; round < rounds(96); ++round) {
    Program p;
    p.shape.mode = Mode::Lenient;
    p.shape.dim = 2 + round % 2;
    p.shape.source = static_cast<ShapeSource>(round / 2 % 3);
    p.shape.bias = (round / 6 & 1u) != 0;
    p.shape.min_lod = (round / 6 & 2u) != 0;
    p.shape.offset = (round / 6 & 4u) != 0;
    if (round % 5 == 0) p.granularity = random.below(18);
    State state = random_state(random, p.shape.dim);
    Lanes lanes = random_lanes(random, p.shape, state);
    if (round >= 48) spoil(random, lanes, state);
    SCOPED_TRACE(fmt::format("round {} {}", round, state.sampler->non_normalized));
    expect_equal(p, state, lanes, coarsened);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(PortableFootprint, UnnormalizedCoordinates) {  // V3
  Random random(14);
  unsigned coarsened = 0;
  for (unsigned round = 0; round < 8; ++round) {
    Program p;
    p.shape.source = ShapeSource::Lod;
    State state = random_state(random, 2);
    state.sampler->non_normalized = true;
    if (round < 6) state.surface->levels = 1, state.surface->mip_count = 0;
    Lanes lanes = random_lanes(random, p.shape, state);
    for (unsigned lane = 0; lane < kSimd; ++lane) {
      lanes.lod[lane] = lane % 5 == 0 ? 0.25f : lane % 2 == 0 ? 0.0f : -0.0f;
      for (unsigned k = 0; k < 2; ++k) lanes.coordinate[lane][k] *= 700;
    }
    expect_equal(p, state, lanes, coarsened);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(PortableFootprint, NullSurfacesAndDisabledSamplersAreZero) {  // RET-7, RET-8
  Random random(15);
  unsigned coarsened = 0;
  for (unsigned round = 0; round < 4; ++round) {
    Program p;
    p.shape.source = round < 2 ? ShapeSource::Lod : ShapeSource::Implicit;
    State state = random_state(random, 2);
    const Lanes lanes = random_lanes(random, p.shape, state);
    if (round % 2 == 0)
      state.sampler->disable = true;
    else
      state.surface->type = image::SurfaceType::Null;
    expect_equal(p, state, lanes, coarsened);
  }
}

}  // namespace
}  // namespace heddle::spirv::compiler
