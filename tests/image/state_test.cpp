// SPDX-License-Identifier: MIT
// HW-1 to HW-14, HW-20, HW-21: fields at their documented bits, both directions, and what they become.
#include "image/hardware/state.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace heddle::image::hardware {
namespace {

struct Position {
  std::string_view structure, field, generation;
  unsigned dword, high, low;
};
constexpr Position kPositions[] = {
#include "state_positions.inc"
};

TEST(StateFields, EveryFieldLandsAtTheDocumentedBits) {
  for (const Position& at : kPositions) {
    SCOPED_TRACE(std::string(at.structure) + "." + std::string(at.field) + " gen " + std::string(at.generation));
    const auto kind = find_state(at.structure);
    const auto generation = find_state_generation(at.generation);
    ASSERT_TRUE(kind && generation);
    const unsigned bits = at.high - at.low + 1;
    for (unsigned lit = 0; lit < bits; ++lit) {
      DecodedState state;
      state.kind = *kind;
      state.generation = *generation;
      state.set(at.field, std::uint64_t{1} << lit);
      auto words = encode_state(state);
      ASSERT_TRUE(words.ok());
      const unsigned where = at.dword * 32 + at.low + lit;
      for (unsigned word = 0; word < words->size(); ++word)
        EXPECT_EQ((*words)[word], word == where / 32 ? 1u << where % 32 : 0u);
      auto back = decode_state(*kind, *generation, *words);
      ASSERT_TRUE(back.ok());
      EXPECT_EQ(back->get(at.field), std::uint64_t{1} << lit);
    }
    if (bits < 64) {
      DecodedState wide;
      wide.kind = *kind;
      wide.generation = *generation;
      wide.set(at.field, std::uint64_t{1} << bits);
      EXPECT_FALSE(encode_state(wide).ok());
    }
  }
}

TEST(StateFields, TheTablesHaveNothingThatTheDocumentsLack) {
  std::set<std::string> documented;
  for (const Position& at : kPositions)
    documented.insert(std::string(at.structure) + "/" + std::string(at.field) + "/" + std::string(at.generation));
  std::size_t known = 0;
  for (StateKind kind : {StateKind::RenderSurfaceState, StateKind::SamplerState, StateKind::BlendStateHeader,
                         StateKind::BlendStateEntry, StateKind::WmDepthStencil})
    for (const Field& field : state_fields(kind))
      for (std::string_view generation : {"9", "11", "12", "12.5"}) {
        if (field.at(*find_state_generation(generation)).count == 0) continue;
        ++known;
        EXPECT_TRUE(documented.contains(std::string(state_name(kind)) + "/" + std::string(field.name) + "/" +
                                        std::string(generation)))
            << field.name << generation;
      }
  EXPECT_EQ(known, documented.size());
}

TEST(StateFields, Hw9DecodeThenEncodeIsTheIdentity) {
  std::mt19937 random(7);
  for (unsigned kind = 0; kind < kStateKinds; ++kind)
    for (std::string_view generation : {"9", "11", "12", "12.5"})
      for (int round = 0; round < 200; ++round) {
        std::vector<std::uint32_t> words(dword_count(static_cast<StateKind>(kind)));
        for (auto& word : words) word = static_cast<std::uint32_t>(random());
        auto state = decode_state(static_cast<StateKind>(kind), *find_state_generation(generation), words);
        ASSERT_TRUE(state.ok());
        auto back = encode_state(*state);
        ASSERT_TRUE(back.ok());
        EXPECT_EQ(*back, words);
      }
}

TEST(StateFields, Hw9ReservedBitsAreSeenAndIgnoredOnesAreNot) {
  std::vector<std::uint32_t> words(16);
  words[1] = 0x7F000000;  // MOCS
  EXPECT_FALSE(decode_state(StateKind::RenderSurfaceState, Generation::Gen9, words)->has_reserved_bits());
  words[7] = 1u << 12;
  EXPECT_TRUE(decode_state(StateKind::RenderSurfaceState, Generation::Gen9, words)->has_reserved_bits());
  std::vector<std::uint32_t> sampler{0, 0, 0, 1u << 24};
  EXPECT_FALSE(decode_state(StateKind::SamplerState, Generation::Gen9, sampler)->has_reserved_bits());
  sampler[3] = 1u << 25;
  EXPECT_TRUE(decode_state(StateKind::SamplerState, Generation::Gen9, sampler)->has_reserved_bits());
}

TEST(StateFields, UnknownFieldsAndSizesAreRefused) {
  DecodedState state;
  state.kind = StateKind::SamplerState;
  state.fields.emplace_back("mag_filtre", 1);
  auto words = encode_state(state);
  ASSERT_FALSE(words.ok());
  EXPECT_EQ(words.diagnostics()[0].id, "state-field");
  ASSERT_EQ(words.diagnostics()[0].notes.size(), 1u);
  const auto short_state = decode_state(StateKind::SamplerState, Generation::Gen9, std::vector<std::uint32_t>(3));
  ASSERT_FALSE(short_state.ok());
  EXPECT_EQ(short_state.diagnostics()[0].id, "state-size");
  DecodedState old;
  old.kind = StateKind::SamplerState;
  old.generation = Generation::Gen9;
  old.set("srgb_decode", 1);
  EXPECT_FALSE(encode_state(old).ok());
}

TEST(SurfaceState, Hw1EntriesAreSplit) {
  for (std::uint64_t entries : {1ull, 128ull, 129ull, (1ull << 21), (1ull << 21) + 1, (1ull << 27), (1ull << 30)}) {
    const BufferSize fields = split_entries(entries);
    EXPECT_EQ(fields.width, (entries - 1) % 128);
    EXPECT_EQ(fields.height, (entries - 1) / 128 % 16384);
    EXPECT_EQ(fields.depth, (entries - 1) / 128 / 16384);
    EXPECT_EQ(join_entries(fields), entries);
  }
}

Surface example() {
  Surface surface;
  surface.type = SurfaceType::Dim2;
  surface.format = Format::R16G16B16A16_FLOAT;
  surface.width = 60;
  surface.height = 34;
  surface.array = true;
  surface.view_layers = 3;
  surface.min_array_element = 2;
  surface.layers = 5;
  surface.levels = 4;
  surface.mip_count = 2;
  surface.surf_min_lod = 1;
  surface.rt_extent = 2;
  surface.resource_min_lod = 0x180;
  surface.base_mip_level = 3;
  surface.swizzle = {ChannelSelect::Blue, ChannelSelect::One, ChannelSelect::Zero, ChannelSelect::Alpha};
  surface.tile_mode = TileMode::Y;
  return surface;
}

TEST(SurfaceState, RoundTripsOnEveryGenerationAndTileMode) {
  const std::vector<std::pair<Generation, std::vector<TileMode>>> modes{
      {Generation::Gen9, {TileMode::Linear, TileMode::X, TileMode::Y, TileMode::Yf, TileMode::Ys}},
      {Generation::Gen11, {TileMode::Linear, TileMode::X, TileMode::Y, TileMode::Yf, TileMode::Ys}},
      {Generation::Gen12, {TileMode::Linear, TileMode::X, TileMode::Y}},
      {Generation::Gen12_5, {TileMode::Linear, TileMode::X, TileMode::Tile4, TileMode::Tile64}}};
  for (const auto& [generation, list] : modes)
    for (TileMode mode : list) {
      SCOPED_TRACE(tile_mode_name(mode));
      Surface surface = example();
      surface.tile_mode = mode;
      const LayoutState layout_state = default_layout_state(surface, generation);
      ASSERT_TRUE(lay_out_levels(surface, layout_state).ok());
      auto state = from_surface(surface, generation, layout_state, 0x12340000);
      ASSERT_TRUE(state.ok());
      auto words = encode_state(*state);
      ASSERT_TRUE(words.ok());
      auto decoded = to_surface(*decode_state(StateKind::RenderSurfaceState, generation, *words));
      ASSERT_TRUE(decoded.ok());
      const Surface& back = decoded->surface;
      EXPECT_EQ(decoded->base_address, 0x12340000u);
      EXPECT_EQ(back.width, 60u);
      EXPECT_EQ(back.height, 34u);
      EXPECT_EQ(back.view_layers, 3u);
      EXPECT_EQ(back.min_array_element, 2u);
      EXPECT_EQ(back.layers, 5u);
      EXPECT_EQ(back.levels, 4u);
      EXPECT_EQ(back.mip_count, 2u);
      EXPECT_EQ(back.surf_min_lod, 1u);
      EXPECT_EQ(back.resource_min_lod, 0x180);
      EXPECT_EQ(back.base_mip_level, 3);
      EXPECT_EQ(back.swizzle, surface.swizzle);
      EXPECT_EQ(back.tile_mode, mode);
      EXPECT_EQ(back.bytes, surface.bytes);
      for (std::uint32_t level = 0; level < 4; ++level)
        EXPECT_EQ(element_offset(back, level, 3, 1, 2), element_offset(surface, level, 3, 1, 2));
      EXPECT_TRUE(decoded->warnings.empty());
    }
}

DecodedState surface_fields(Generation generation,
                            std::initializer_list<std::pair<std::string_view, std::uint64_t>> fields) {
  DecodedState state;
  state.kind = StateKind::RenderSurfaceState;
  state.generation = generation;
  state.set("surface_type", 1);
  state.set("surface_format", 0x0C7);
  state.set("width", 63);
  state.set("height", 31);
  state.set("pitch", 255);
  state.set("valign", 1);
  state.set("halign", 1);
  state.set("scs_r", 4), state.set("scs_g", 5), state.set("scs_b", 6), state.set("scs_a", 7);
  for (const auto& [name, value] : fields) state.set(name, value);
  return state;
}

TEST(SurfaceState, TileModeCodesDependOnTheGeneration) {
  const auto mode = [](Generation generation, std::uint64_t code,
                       std::uint64_t resource = 0) -> std::optional<TileMode> {
    auto decoded = to_surface(surface_fields(
        generation,
        {{"tile_mode", code}, {"tiled_resource_mode", resource}, {"pitch", 4095}, {"surface_format", 0x140}}));
    return decoded.ok() ? std::optional(decoded->surface.tile_mode) : std::nullopt;
  };
  EXPECT_EQ(mode(Generation::Gen9, 1), TileMode::W);
  EXPECT_EQ(mode(Generation::Gen11, 3), TileMode::Y);
  EXPECT_EQ(mode(Generation::Gen11, 3, 1), TileMode::Yf);
  EXPECT_EQ(mode(Generation::Gen9, 3, 2), TileMode::Ys);
  EXPECT_EQ(mode(Generation::Gen12, 1), std::nullopt);
  EXPECT_EQ(mode(Generation::Gen12_5, 1), TileMode::Tile64);
  EXPECT_EQ(mode(Generation::Gen12_5, 3), TileMode::Tile4);
  EXPECT_EQ(mode(Generation::Gen12_5, 2), TileMode::X);
}

/// What a surface has and its state cannot say.
TEST(SurfaceState, WhatTheStateCannotSayIsRefused) {
  const auto refusal = [](Generation generation, TileMode tile, std::uint32_t qpitch, std::uint32_t halign) {
    Surface surface;
    surface.format = find_format("R8G8B8A8_UNORM")->format;
    surface.width = surface.height = 64;
    surface.tile_mode = tile;
    LayoutState layout = default_layout_state(surface, generation);
    EXPECT_TRUE(lay_out(surface).ok());
    surface.qpitch = qpitch;
    if (halign != 0) layout.halign = halign;
    const auto state = from_surface(surface, generation, layout);
    return state.ok() ? std::string() : state.diagnostics()[0].id;
  };
  EXPECT_EQ(refusal(Generation::Gen9, TileMode::Y, 64, 0), "");
  EXPECT_EQ(refusal(Generation::Gen9, TileMode::Tile64, 64, 0), "surface-tile");
  EXPECT_EQ(refusal(Generation::Gen9, TileMode::Y, 64, 3), "surface-align");
  EXPECT_EQ(refusal(Generation::Gen9, TileMode::Y, 63, 0), "surface-pitch");
}

TEST(SurfaceState, Hw4NullIgnoresEverything) {
  std::vector<std::uint32_t> words(16, 0xFFFFFFFF);
  auto decoded = to_surface(*decode_state(StateKind::RenderSurfaceState, Generation::Gen12, words));
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->surface.type, SurfaceType::Null);
}

TEST(SurfaceState, Hw2Hw5Hw8AreReported) {
  auto depth = to_surface(surface_fields(Generation::Gen9, {{"depth", 4}}));
  ASSERT_TRUE(depth.ok());
  ASSERT_EQ(depth->warnings.size(), 1u);
  EXPECT_EQ(depth->warnings[0].id, "HW-2");
  EXPECT_EQ(depth->surface.array_length(), 1u);
  auto mips = to_surface(surface_fields(Generation::Gen9, {{"num_multisamples", 2}, {"mip_count", 1}}));
  ASSERT_FALSE(mips.ok());
  EXPECT_EQ(mips.diagnostics()[0].id, "HW-5");
  auto compressed = to_surface(surface_fields(Generation::Gen12, {{"aux_mode", 5}}));
  ASSERT_FALSE(compressed.ok());
  EXPECT_EQ(compressed.diagnostics()[0].id, "HW-8");
  auto mcs = to_surface(surface_fields(Generation::Gen12, {{"aux_mode", 1}, {"num_multisamples", 2}}));
  ASSERT_TRUE(mcs.ok());
  EXPECT_TRUE(mcs->has_mcs);
  EXPECT_EQ(mcs->surface.samples, 4u);
  auto corner = to_surface(surface_fields(Generation::Gen12, {{"corner_texel", 1}}));
  ASSERT_FALSE(corner.ok());
  EXPECT_EQ(corner.diagnostics()[0].id, "SUR-8");
}

TEST(SurfaceState, AstcPageIsBit27) {
  std::vector<std::uint32_t> words(16);
  words[0] = 1u << 29 | 1u << 27 | 0x17u << 18 | 1u << 16 | 1u << 14;  // some code of the ASTC page
  const auto state = decode_state(StateKind::RenderSurfaceState, Generation::Gen11, words);
  EXPECT_EQ(state->get("surface_format"), 0x217u);
  EXPECT_EQ(decode_state(StateKind::RenderSurfaceState, Generation::Gen12_5, words)->get("surface_format"), 0x17u);
}

TEST(SurfaceState, Hw45PlanesOfTheState) {
  // U at byte 0 of row 16, V at column 32 of row 20; interleaved: both at row 16, shifted by 4 luma texels.
  for (bool separate : {true, false}) {
    auto decoded = to_surface(surface_fields(Generation::Gen9, {{"surface_format", 0x1A5},
                                                                {"width", 31},
                                                                {"height", 15},
                                                                {"pitch", 63},
                                                                {"uv_y_offset", 16},
                                                                {"uv_x_offset", separate ? 0 : 4},
                                                                {"separate_uv", separate},
                                                                {"v_x_offset", 32},
                                                                {"v_y_offset", 20}}));
    ASSERT_TRUE(decoded.ok());
    Surface& surface = decoded->surface;
    surface.memory = std::make_shared<image::Memory>(64 * 40);
    const std::size_t u = separate ? 16 * 64 + 2 * 64 + 3 : 18 * 64 + 4 + 6,
                      v = separate ? 20 * 64 + 32 + 2 * 64 + 3 : u + 1;
    (*surface.memory)[5 * 64 + 7] = 51;
    (*surface.memory)[u] = 102;
    (*surface.memory)[v] = 153;
    const Texel texel = fetch(surface, 0, 0, 7, 5).texel;
    EXPECT_EQ(texel.f(0), 153.0f / 255.0f);
    EXPECT_EQ(texel.f(1), 51.0f / 255.0f);
    EXPECT_EQ(texel.f(2), 102.0f / 255.0f);
    EXPECT_LE(surface.bytes, surface.memory->size());
  }
}

TEST(SurfaceState, Hw7Hw30QuiltsAndOffsets) {
  auto decoded = to_surface(surface_fields(Generation::Gen12, {{"quilt_width", 1},
                                                               {"quilt_height", 3},
                                                               {"x_offset", 2},
                                                               {"y_offset", 1},
                                                               {"tile_mode", 2},
                                                               {"pitch", 511},
                                                               {"qpitch", 8}}));
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->surface.cells(), 8u);
  TileAddress at;
  at.mode = TileMode::X;
  at.pitch = 512;
  at.u = (8 + 3) * 4;
  at.v = 5 * 32 + 4 + 6;
  EXPECT_EQ(element_offset(decoded->surface, 0, 5, 3, 6), tile_offset(at));
}

TEST(SurfaceState, AnyBitsAreSafe) {
  std::mt19937 random(21);
  int accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::uint32_t> state(16);
    for (auto& value : state) value = static_cast<std::uint32_t>(random());
    if (round % 2 != 0) {  // nearer to what is accepted
      state[0] = (state[0] & 0x3FFFF) | 1u << 29 | 0x0C7u << 18;
      state[3] |= 0x3FFFF;
      state[4] &= ~(7u << 3);
      state[6] = 0;
      state[7] = 0x09770000;
      state[10] = 0;
    }
    const auto generation = static_cast<Generation>(random() % 4);
    auto decoded = to_surface(*decode_state(StateKind::RenderSurfaceState, generation, state),
                              random() % 2 != 0 ? SurfaceUse::Target : SurfaceUse::Sampled);
    if (!decoded.ok()) continue;
    ++accepted;
    Surface& surface = decoded->surface;
    surface.memory = std::make_shared<image::Memory>(65536);
    for (int i = 0; i < 8; ++i) {
      const auto level = static_cast<std::uint32_t>(random() % 16), slice = static_cast<std::uint32_t>(random() % 64);
      const auto x = static_cast<std::uint32_t>(random() % 128), y = static_cast<std::uint32_t>(random() % 128);
      (void)fetch(surface, level, slice, x, y);
      store(surface, level, slice, x, y, Texel{});
      (void)fetch_entry(surface, random());
    }
  }
  EXPECT_GT(accepted, 1000);
}

TEST(SurfaceState, TargetsReadTheLevelFromMipCount) {
  auto decoded =
      to_surface(surface_fields(Generation::Gen9, {{"mip_count", 3}, {"surf_min_lod", 2}, {"rt_view_extent", 4}}),
                 SurfaceUse::Target);
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->surface.rt_level, 3u);
  EXPECT_EQ(decoded->surface.levels, 4u);
  EXPECT_EQ(decoded->surface.layers, 5u);
}

TEST(SamplerState, EveryFieldRoundTrips) {  // NUM-71
  std::mt19937 random(11);
  const auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  for (Generation generation : {Generation::Gen11, Generation::Gen12, Generation::Gen12_5})
    for (int round = 0; round < 300; ++round) {
      Sampler sampler;
      sampler.min_filter = static_cast<Filter>(pick(3));
      sampler.mag_filter = static_cast<Filter>(pick(3));
      sampler.mip_filter = std::array{MipFilter::None, MipFilter::Nearest, MipFilter::Linear}[pick(3)];
      sampler.tcx = static_cast<AddressMode>(pick(8)), sampler.tcy = static_cast<AddressMode>(pick(8)),
      sampler.tcz = static_cast<AddressMode>(pick(8));
      sampler.cube_override = pick(2) != 0;
      sampler.border_mode = static_cast<BorderMode>(pick(2));
      for (auto& word : sampler.border)
        word = sampler.border_mode == BorderMode::Dx9 ? pick(256) : static_cast<std::uint32_t>(random());
      sampler.lod_bias = static_cast<std::int32_t>(pick(8192)) - 4096;
      sampler.min_lod = static_cast<std::int32_t>(pick(3585)), sampler.max_lod = static_cast<std::int32_t>(pick(3585));
      sampler.preclamp = pick(2) != 0 ? LodPreClamp::Ogl : LodPreClamp::None;
      sampler.lod_clamp_mag = static_cast<LodClampMag>(pick(2));
      sampler.max_anisotropy = static_cast<std::uint8_t>(pick(8));
      sampler.trilinear_quality = static_cast<std::uint8_t>(pick(4));
      sampler.non_normalized = pick(2) != 0;
      sampler.disable = pick(2) != 0;
      sampler.srgb_decode = pick(2) != 0;
      sampler.compare = static_cast<CompareFunction>(pick(8));
      sampler.reduction_enable = pick(2) != 0;
      sampler.reduction = static_cast<Reduction>(pick(4));
      for (unsigned axis = 0; axis < 3; ++axis)
        sampler.round_min[axis] = pick(2) != 0, sampler.round_mag[axis] = pick(2) != 0;
      sampler.cps_lod_compensation = pick(2) != 0;
      auto state = from_sampler(sampler, generation, 0x1240);
      ASSERT_TRUE(state.ok());
      auto words = encode_state(*state);
      ASSERT_TRUE(words.ok());
      auto decoded = to_sampler(*decode_state(StateKind::SamplerState, generation, *words), border_words(sampler));
      ASSERT_TRUE(decoded.ok());
      const Sampler& back = decoded->sampler;
      EXPECT_EQ(decoded->border_pointer, 0x1240u);
      auto again = from_sampler(back, generation, decoded->border_pointer);
      ASSERT_TRUE(again.ok());
      EXPECT_EQ(*encode_state(*again), *words);
      EXPECT_EQ(back.border, sampler.border);
      EXPECT_EQ(back.lod_bias, sampler.lod_bias);
      EXPECT_EQ(back.tcy, sampler.tcy);
      EXPECT_EQ(back.round_mag, sampler.round_mag);
      EXPECT_EQ(back.srgb_decode, sampler.srgb_decode);
    }
}

TEST(SamplerState, WhatIsNotModeledIsRefused) {
  const auto id = [](Generation generation, std::string_view name, std::uint64_t value) -> std::string {
    DecodedState state;
    state.kind = StateKind::SamplerState;
    state.generation = generation;
    state.set(name, value);
    auto decoded = to_sampler(state);
    return decoded.ok() ? "" : decoded.diagnostics()[0].id;
  };
  EXPECT_EQ(id(Generation::Gen9, "chromakey_enable", 1), "SUR-8");
  EXPECT_EQ(id(Generation::Gen9, "mag_filter", 6), "SUR-8");
  EXPECT_EQ(id(Generation::Gen9, "min_filter", 3), "state-value");
  EXPECT_EQ(id(Generation::Gen9, "tcx", 7), "ADR-7");
  EXPECT_EQ(id(Generation::Gen11, "tcx", 7), "");
  EXPECT_EQ(id(Generation::Gen11, "return_weight_null", 1), "HW-11");
  EXPECT_EQ(id(Generation::Gen11, "force_gather4", 1), "");
}

TEST(SamplerState, Hw12Dx9BorderIsFourBytes) {
  DecodedState state;
  state.kind = StateKind::SamplerState;
  state.generation = Generation::Gen9;
  state.set("border_mode", 1);
  const std::array<std::uint32_t, 4> border{0x80402010, 1, 2, 3};
  auto decoded = to_sampler(state, border);
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->sampler.border, (std::array<std::uint32_t, 4>{0x10, 0x20, 0x40, 0x80}));
}

TEST(SamplerState, Hw21NonNormalized) {
  Sampler sampler;
  sampler.non_normalized = true;
  sampler.max_lod = 0;
  Surface surface;
  EXPECT_TRUE(check_non_normalized(sampler, surface).empty());
  sampler.tcx = AddressMode::Wrap;
  sampler.mip_filter = MipFilter::Linear;
  const auto found = check_non_normalized(sampler, surface);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].id, "HW-21");
}

TEST(OutputStateWords, Hw13Hw14RoundTrip) {
  OutputState state;
  state.alpha_to_coverage = true;
  state.alpha_test = true;
  state.alpha_func = CompareFunction::Gequal;
  state.dither = true;
  state.dither_x = 2, state.dither_y = 1;
  state.blend[1].enable = true;
  state.blend[1].src_color = BlendFactor::SrcAlpha;
  state.blend[1].dst_color = BlendFactor::InvSrcAlpha;
  state.blend[1].alpha_blend_func = BlendFunction::Max;
  state.blend[1].write_disable = {true, false, false, true};
  state.blend[0].logic_op_enable = true;
  state.blend[0].logic_op = LogicOp::Xor;
  state.blend[0].clamp_range = ClampRange::Snorm;
  state.alpha_ref = 0.25f;
  state.constant = {1, 2, 3, 4};
  state.depth_test = state.depth_write = state.stencil_test = true;
  state.depth_func = CompareFunction::Less;
  state.front = {CompareFunction::Equal, StencilOp::Invert, StencilOp::IncrSat, StencilOp::Replace, 0x0F, 0xF0, 0x55};
  state.back = {CompareFunction::Never, StencilOp::Decr, StencilOp::Zero, StencilOp::Incr, 1, 2, 3};
  OutputState back;
  ASSERT_TRUE(apply_blend_state(back, blend_state_words(state, 8)).ok());
  ASSERT_TRUE(apply_color_calc_state(back, color_calc_state_words(state)).ok());
  ASSERT_TRUE(apply_wm_depth_stencil(back, wm_depth_stencil_words(state, 0x784E0002)).ok());
  EXPECT_EQ(back, state);
  EXPECT_EQ(wm_depth_stencil_words(state, 0x784E0002)[0], 0x784E0002u);
  EXPECT_EQ(apply_blend_state(back, std::vector<std::uint32_t>(2)).diagnostics()[0].id, "state-size");
  // A reserved factor in an enabled entry.
  EXPECT_FALSE(apply_blend_state(back, std::vector<std::uint32_t>{0, 0x80000000u | 0x16u << 26, 0}).ok());
}

TEST(OutputStateWords, DepthFormatsAndPsExtra) {
  EXPECT_EQ(depth_format(1), Format::R32_FLOAT);
  EXPECT_EQ(static_cast<unsigned>(*depth_format(3)), 0x0D9u);
  EXPECT_EQ(static_cast<unsigned>(*depth_format(5)), 0x10Au);
  EXPECT_FALSE(depth_format(2));
  EXPECT_TRUE(decode_ps_extra(1u << 4, Generation::Gen11).per_coarse_pixel);
  EXPECT_FALSE(decode_ps_extra(1u << 4, Generation::Gen9).per_coarse_pixel);
  EXPECT_TRUE(decode_ps_extra(1u << 29, Generation::Gen9).omask);
}

}  // namespace
}  // namespace heddle::image::hardware
