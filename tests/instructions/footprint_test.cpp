// SPDX-License-Identifier: MIT
// heddle_footprint: lanes, masks, operand forms and reports; the answers themselves are texture/footprint's.
// Rules: FP-23.
#include <gmock/gmock.h>

#include <random>

#include "engine/harness.hpp"
#include "instructions/sampler/footprint/operands.hpp"
#include "texture/footprint.hpp"

namespace heddle::engine::testing {
namespace {

using instructions::footprint::Mode;
using instructions::footprint::Parameter;
using instructions::footprint::ParameterType;
using instructions::footprint::Shape;
using instructions::footprint::Source;

const std::string kState = ".decl T6 v_type=T num_elts=1\n.decl S0 v_type=S num_elts=1\n";

std::shared_ptr<image::Surface> bind(KernelRun& run, unsigned dim, std::array<std::uint32_t, 3> size,
                                     std::uint32_t levels) {
  auto surface = std::make_shared<image::Surface>();
  surface->type = dim == 3 ? image::SurfaceType::Dim3 : image::SurfaceType::Dim2;
  surface->width = size[0];
  surface->height = size[1];
  surface->depth = dim == 3 ? size[2] : 1;
  surface->levels = levels;
  surface->mip_count = levels - 1;
  auto sampler = std::make_shared<image::Sampler>();
  sampler->min_filter = sampler->mag_filter = image::Filter::Linear;
  sampler->mip_filter = image::MipFilter::Linear;
  sampler->set_api_rounding();
  run.bindings.surfaces = {surface};
  run.bindings.samplers = {sampler};
  run.bindings.surface_variables[6] = {0};
  run.bindings.sampler_variables[0] = {0};
  return surface;
}

std::string mnemonic(const Shape& shape) {
  std::string text = shape.dim == 3 ? "heddle_footprint.3d" : "heddle_footprint.2d";
  text += shape.source == Source::Lod ? ".lod" : shape.source == Source::Grad ? ".grad" : ".implicit";
  if (shape.bias) text += ".bias";
  if (shape.min_lod) text += ".minlod";
  if (shape.offset) text += ".offset";
  if (shape.mode != Mode::Strict) text += shape.mode == Mode::Lenient ? ".lenient" : ".extended";
  return text;
}

/// Declarations and the instruction; every parameter is a variable named as it is.
std::string program(const Shape& shape, unsigned simd, const std::string& predicate = {}) {
  const auto list = parameters_of(shape);
  std::string declarations = kState + decl("D", "ud", instructions::footprint::members_of(shape.dim) * simd);
  std::string line = predicate + mnemonic(shape) + " (M1, " + std::to_string(simd) + ") S0 T6 D.0";
  for (unsigned i = 0; i < list.count; ++i) {
    const ParameterType type = type_of(list.at[i]);
    const std::string name = "p_" + std::string(name_of(list.at[i]));
    declarations += decl(name, type == ParameterType::Float ? "f" : type == ParameterType::Signed ? "d" : "ud", simd);
    line += " " + name + ".0";
  }
  return declarations + (predicate.empty() ? "" : ".decl P1 v_type=P num_elts=32\nsetp (M1_NM, 16) P1 0xfff7:ud\n") +
         line + "\nret (M1, 1)\n";
}

struct Values {
  std::array<std::vector<std::uint32_t>, instructions::footprint::kParameterCount> words;
  std::vector<std::uint32_t>& at(Parameter p) { return words[static_cast<std::size_t>(p)]; }
  float value(Parameter p, unsigned lane) { return base::float_from_bits(at(p)[lane]); }
};

Values random_values(const Shape& shape, unsigned simd, std::mt19937& random) {
  Values v;
  const auto unit = [&random] { return static_cast<float>(random() & 0xffff) / 65536.0f; };
  for (auto& words : v.words) words.resize(simd);
  for (unsigned lane = 0; lane < simd; ++lane) {
    constexpr unsigned kFlat[] = {1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 14, 15}, kVolume[] = {1, 3, 10, 11, 12, 13, 14};
    v.at(Parameter::Granularity)[lane] = shape.dim == 3 ? kVolume[random() % 7] : kFlat[random() % 12];
    v.at(Parameter::Coarse)[lane] = random() & 1u;
    for (unsigned p = static_cast<unsigned>(Parameter::Lod); p <= static_cast<unsigned>(Parameter::DrDy); ++p) {
      const auto parameter = static_cast<Parameter>(p);
      const bool coordinate = parameter == Parameter::U || parameter == Parameter::V || parameter == Parameter::R;
      const bool lod = parameter <= Parameter::Mlod;
      v.at(parameter)[lane] = base::bits_of(coordinate ? unit() * 1.5f - 0.25f
                                            : lod      ? unit() * 4
                                                       : (unit() - 0.5f) / 8);
    }
    for (const Parameter p : {Parameter::OffU, Parameter::OffV, Parameter::OffR})
      v.at(p)[lane] = static_cast<std::uint32_t>(static_cast<int>(random() % 16) - 8);
  }
  return v;
}

/// The query of a lane, put together independently of the instruction.
texture::FootprintQuery query(const Shape& shape, Values& v, unsigned lane) {
  texture::FootprintQuery q;
  q.coordinate = {v.value(Parameter::U, lane), v.value(Parameter::V, lane), v.value(Parameter::R, lane)};
  if (shape.dim == 2) q.coordinate[2] = 0;
  q.granularity = v.at(Parameter::Granularity)[lane];
  q.coarse = v.at(Parameter::Coarse)[lane] != 0;
  q.operand = shape.source == Source::Lod    ? texture::FootprintOperand::Lod
              : shape.source == Source::Grad ? texture::FootprintOperand::Grad
                                             : texture::FootprintOperand::Derivatives;
  q.lod = v.value(Parameter::Lod, lane);
  if (shape.bias) q.bias = v.value(Parameter::Bias, lane);
  if (shape.min_lod) q.min_lod = v.value(Parameter::Mlod, lane);
  if (shape.source == Source::Grad) {
    q.gradients.dx = {v.value(Parameter::DuDx, lane), v.value(Parameter::DvDx, lane), v.value(Parameter::DrDx, lane)};
    q.gradients.dy = {v.value(Parameter::DuDy, lane), v.value(Parameter::DvDy, lane), v.value(Parameter::DrDy, lane)};
  } else {
    const unsigned first = lane / 4 * 4;
    constexpr Parameter kAxes[3] = {Parameter::U, Parameter::V, Parameter::R};
    for (unsigned k = 0; k < 3; ++k) {
      q.gradients.dx[k] = v.value(kAxes[k], first + 1) - v.value(kAxes[k], first);
      q.gradients.dy[k] = v.value(kAxes[k], first + 2) - v.value(kAxes[k], first);
    }
  }
  if (shape.offset)
    for (unsigned k = 0; k < shape.dim; ++k)
      q.offset[k] = static_cast<std::int32_t>(v.words[static_cast<std::size_t>(Parameter::OffU) + k][lane]);
  return q;
}

std::vector<std::uint32_t> members(const texture::Footprint& f, unsigned dim) {
  std::vector<std::uint32_t> m = {f.single ? 1u : 0u};
  m.insert(m.end(), f.anchor.begin(), f.anchor.begin() + dim);
  m.insert(m.end(), f.offset.begin(), f.offset.begin() + dim);
  m.push_back(static_cast<std::uint32_t>(f.mask));
  m.push_back(static_cast<std::uint32_t>(f.mask >> 32));
  m.push_back(f.lod);
  m.push_back(f.granularity);
  return m;
}

void expect_lanes(KernelRun& run, const Shape& shape, Values& values, unsigned simd, std::uint32_t enabled) {
  const texture::FootprintView view = texture::footprint_view(*run.bindings.surfaces[0]);
  const texture::FootprintSampler sampler = texture::footprint_sampler(*run.bindings.samplers[0]);
  texture::FootprintOptions options;
  options.mode = static_cast<texture::FootprintMode>(shape.mode);
  const unsigned count = instructions::footprint::members_of(shape.dim);
  const auto d = run.get<std::uint32_t>("D", count * simd);
  for (unsigned lane = 0; lane < simd; ++lane) {
    std::vector<std::uint32_t> expected(count, 0xaaaaaaaau);
    if ((enabled >> lane & 1u) != 0) {
      const auto answer = texture::footprint(view, sampler, query(shape, values, lane), options);
      expected = answer.ok() ? members(*answer, shape.dim) : std::vector<std::uint32_t>(count, 0);
    }
    for (unsigned m = 0; m < count; ++m)
      EXPECT_EQ(d[m * simd + lane], expected[m]) << mnemonic(shape) << " lane " << lane << " member " << m;
  }
}

TEST(Footprint, EveryFormAnswersAsTheUnit) {
  std::mt19937 random(5);
  for (const unsigned simd : {8u, 16u, 32u})
    for (unsigned bits = 0; bits < 2 * 3 * 8; ++bits) {
      Shape shape;
      shape.dim = bits % 2 + 2;
      shape.source = static_cast<Source>(bits / 2 % 3);
      shape.bias = (bits / 6 & 1u) != 0;
      shape.min_lod = (bits / 6 & 2u) != 0;
      shape.offset = (bits / 6 & 4u) != 0;
      const bool strict = !shape.offset && (shape.source == Source::Implicit ||
                                            (shape.source == Source::Lod && !shape.bias && !shape.min_lod) ||
                                            (shape.source == Source::Grad && !shape.bias && shape.dim == 2));
      if (!strict) shape.mode = Mode::Lenient;
      KernelRun run(program(shape, simd));
      ASSERT_TRUE(run.ready());
      bind(run, shape.dim, {100, 64, 33}, 7);
      if (bits % 4 == 0) {
        run.bindings.samplers[0]->min_filter = image::Filter::Anisotropic;
        run.bindings.samplers[0]->max_anisotropy = 7;
      }
      Values values = random_values(shape, simd, random);
      const std::uint32_t mask = 0xfdfbf7edu;  // helper lanes in some quads
      run.start(mask).set(
          "D", std::vector<std::uint32_t>(instructions::footprint::members_of(shape.dim) * simd, 0xaaaaaaaau));
      const auto list = parameters_of(shape);
      for (unsigned i = 0; i < list.count; ++i)
        run.set("p_" + std::string(name_of(list.at[i])), values.words[static_cast<std::size_t>(list.at[i])]);
      ASSERT_EQ(run.go(), reference::Outcome::Finished);
      if (strict) {
        EXPECT_TRUE(run.diagnostics.empty()) << run.ids().front();
      }
      expect_lanes(run, shape, values, simd, mask & (simd == 32 ? ~0u : (1u << simd) - 1));
    }
}

/// Values for the worked example A of footprint section 7 in lane 0, elsewhere zero.
void example_a(KernelRun& run, unsigned simd) {
  std::vector<std::uint32_t> half(simd), one(simd, 1), zero(simd);
  half[0] = base::bits_of(0.5f);
  run.set("p_granularity", one).set("p_coarse", zero).set("p_lod", zero).set("p_u", half).set("p_v", half);
}

TEST(Footprint, WorkedExampleUnderAPredicate) {
  Shape shape;
  shape.source = Source::Lod;
  KernelRun run(program(shape, 16, "(P1) "));
  ASSERT_TRUE(run.ready());
  bind(run, 2, {1024, 1024, 1}, 11);
  run.start(0xffff).set("D", std::vector<std::uint32_t>(9 * 16, 7));
  example_a(run, 16);
  ASSERT_EQ(run.go(), reference::Outcome::Finished);
  const auto d = run.get<std::uint32_t>("D", 9 * 16);
  const std::uint32_t expected[9] = {1, 32, 32, 1, 1, 0x81, 0x81000000, 0, 0};
  for (unsigned m = 0; m < 9; ++m) {
    EXPECT_EQ(d[16 * m], expected[m]) << m;
    EXPECT_EQ(d[16 * m + 3], 7u) << m;  // the predicate's lane 3 is off
  }
}

TEST(Footprint, StrictReportsAndZero) {  // FC11
  Shape shape;
  shape.source = Source::Lod;
  const auto ids = [&](auto change) {
    KernelRun run(program(shape, 8));
    EXPECT_TRUE(run.ready());
    bind(run, 2, {64, 64, 1}, 7);
    run.start(0x01).set("D", std::vector<std::uint32_t>(9 * 8, 7));
    example_a(run, 8);
    change(run);
    EXPECT_EQ(run.go(), reference::Outcome::Finished);
    for (unsigned m = 0; m < 9; ++m) EXPECT_EQ(run.get<std::uint32_t>("D", 72)[8 * m], 0u);
    return run.ids();
  };
  using Ids = std::vector<std::string>;
  EXPECT_EQ(ids([](KernelRun& run) { run.bindings.samplers[0]->tcy = image::AddressMode::Wrap; }),
            Ids{"footprint-address-mode"});
  EXPECT_EQ(ids([](KernelRun& run) { run.set("p_granularity", std::vector<std::uint32_t>(8, 9)); }),
            Ids{"footprint-granularity-value"});
  EXPECT_EQ(ids([](KernelRun& run) { run.set("p_u", std::vector<std::uint32_t>(8, 0x7fc00000)); }),
            Ids{"footprint-undefined-input"});
  EXPECT_EQ(ids([](KernelRun& run) { run.bindings.surfaces[0]->samples = 4; }), Ids{"footprint-view"});
  EXPECT_EQ(ids([](KernelRun& run) { run.bindings.surfaces[0]->type = image::SurfaceType::Dim3; }),
            Ids{"footprint-view"});
  EXPECT_EQ(ids([](KernelRun& run) { run.bindings.surfaces[0]->type = image::SurfaceType::Null; }), Ids{});
}

TEST(Footprint, IntegerFormatsAreNearest) {  // V6, FLT-5
  Shape shape;
  shape.source = Source::Lod;
  KernelRun run(program(shape, 8));
  ASSERT_TRUE(run.ready());
  bind(run, 2, {64, 64, 1}, 7)->format = image::Format::R32_UINT;
  run.start(0x01).set("D", std::vector<std::uint32_t>(9 * 8, 7));
  example_a(run, 8);
  ASSERT_EQ(run.go(), reference::Outcome::Finished);
  EXPECT_EQ(run.ids(), std::vector<std::string>{"footprint-filter-format"});
  EXPECT_EQ(run.get<std::uint32_t>("D", 72)[5 * 8], 1u);  // one group
}

class Counter : public texture::TexelObserver {
 public:
  void texel(const texture::TexelTouch&) override { ++count; }
  unsigned count = 0;
};

TEST(Footprint, ReadsNoTexel) {
  Shape shape;
  shape.source = Source::Lod;
  KernelRun run(program(shape, 8));
  ASSERT_TRUE(run.ready());
  bind(run, 2, {64, 64, 1}, 7);
  run.start(0xff);
  Counter counter;
  run.thread().unit_context().observer = &counter;
  example_a(run, 8);
  run.set("p_u", std::vector<std::uint32_t>(8));
  ASSERT_EQ(run.go(), reference::Outcome::Finished);
  EXPECT_EQ(counter.count, 0u);
}

struct Queries final : machine::Observer {
  void footprint(const machine::FootprintTouch& t) override {
    rectangles.push_back({t.level, t.slice, t.x, t.y, t.width, t.height, t.lane});
  }
  std::vector<std::array<std::uint32_t, 7>> rectangles;
};

TEST(Footprint, TellsTheTexelsThatItNames) {  // FP-23
  Shape shape;
  shape.source = Source::Lod;
  KernelRun run(program(shape, 8));
  ASSERT_TRUE(run.ready());
  Queries queries;
  run.setup.observer = &queries;
  ASSERT_TRUE(image::allocate(*bind(run, 2, {1024, 1024, 1}, 11)).ok());
  run.start(0x01);
  example_a(run, 8);
  ASSERT_EQ(run.go(), reference::Outcome::Finished);
  using Rectangle = std::array<std::uint32_t, 7>;
  // Texels 511 and 512 in both directions, in groups of 2 x 2.
  EXPECT_THAT(queries.rectangles,
              ::testing::UnorderedElementsAre(Rectangle{0, 0, 510, 510, 2, 2, 0}, Rectangle{0, 0, 512, 510, 2, 2, 0},
                                              Rectangle{0, 0, 510, 512, 2, 2, 0}, Rectangle{0, 0, 512, 512, 2, 2, 0}));

  queries.rectangles.clear();
  ASSERT_TRUE(image::allocate(*bind(run, 2, {5, 3, 1}, 1)).ok());  // the last groups are cut where the level ends
  run.start(0x01);
  example_a(run, 8);
  run.set("p_u", std::vector<std::uint32_t>(8, base::bits_of(0.8f)));
  run.set("p_v", std::vector<std::uint32_t>(8, base::bits_of(0.9f)));
  ASSERT_EQ(run.go(), reference::Outcome::Finished);
  EXPECT_THAT(queries.rectangles,
              ::testing::UnorderedElementsAre(Rectangle{0, 0, 4, 2, 1, 1, 0}, Rectangle{0, 0, 2, 2, 2, 1, 0}));
}

}  // namespace
}  // namespace heddle::engine::testing
