// SPDX-License-Identifier: MIT
// 3D_LOAD (LD-1..10), INFO (RES, SIN, INF) and the destination (RET-1..5, NUM-31, NUM-32).
// Rules: EXE-3, INF-1 to INF-3, RES-2, RES-8, RES-9, SIN-1.
#include "support.hpp"
#include "texture/destination.hpp"

namespace heddle::texture {
namespace {

using namespace test;
using image::Surface;
using image::SurfaceType;

TEST(Load, LD2_OffsetsAndUnsignedCoordinates) {  // C45
  Surface s = make2d("R8_UINT", 8, 8, 2);
  fill(s, [](auto level, auto, auto x, auto y) { return level * 64 + y * 8 + x; });
  const auto at = [&](std::uint32_t u, std::uint32_t v, std::uint32_t lod, std::array<int, 3> offset = {}) {
    Call call(Op::Ld, s);
    call.request.offset = offset;
    return call.word(Param::U, u).word(Param::V, v).word(Param::Lod, lod).run();
  };
  EXPECT_EQ(at(3, 2, 0).channels[0][0], 19u);
  EXPECT_EQ(at(3, 2, 0, {-3, 1, 7}).channels[0][0], 24u);
  EXPECT_EQ(at(3, 2, 1).channels[0][0], 64u + 19);
  // LD-3: out of bounds is 0, alpha integer 1.
  for (const auto& r :
       {at(8, 0, 0), at(4, 0, 1), at(0, 0, 2), at(0xffffffffu, 0, 0, {1, 0, 0}), at(0, 0, 0, {-1, 0, 0})}) {
    EXPECT_EQ(r.channels[0][0], 0u);
    EXPECT_EQ(r.channels[3][0], 1u);
  }
}

// EXE-3: where no lane is active the surface may be of any kind, as code behind a branch that no lane takes meets it.
TEST(Execute, EXE3_NothingIsRefusedWhereNoLaneIsActive) {
  Surface buffer;
  buffer.type = SurfaceType::Buffer;
  buffer.format = format_named("R32_UINT");
  buffer.entries = 4;
  buffer.memory = std::make_shared<image::Memory>(16);
  Surface corner = make2d("R8_UINT", 4, 4);
  corner.corner_texel = true;
  const image::Sampler sampler;
  const auto refuses = [&](Op op, const Surface& surface, std::uint32_t active) {
    Call call(op, surface, &sampler);
    call.request.active = active;
    OperationContext context;
    call.run(context);
    return context.reports.has_errors();
  };
  for (const Op op : {Op::Sample, Op::SampleL, Op::SampleLz, Op::Gather4}) {
    EXPECT_TRUE(refuses(op, buffer, 1));
    EXPECT_FALSE(refuses(op, buffer, 0));
    EXPECT_FALSE(refuses(op, buffer, 0xffffff00u)) << "lanes beyond SIMD8 are none";
  }
  EXPECT_TRUE(refuses(Op::Resinfo, corner, 1));
  EXPECT_FALSE(refuses(Op::Resinfo, corner, 0));
}

TEST(Load, LD3_Arrays) {  // C45
  Surface s = make(SurfaceType::Dim2, "R8G8B8A8_UNORM", 2, 2, 1, 1, 5, true);
  fill(s, [](auto, auto slice, auto, auto) { return slice | 0xff000000u; });
  s.min_array_element = 1;
  s.view_layers = 3;
  const auto at = [&](std::uint32_t r) { return Call(Op::LdLz, s).word(Param::R, r).run(); };
  EXPECT_EQ(f(at(2), 0), 3 / 255.0f);
  EXPECT_EQ(f(at(3), 0), 0.0f);
  EXPECT_EQ(f(at(3), 3), 0.0f);  // the format has an alpha
  Surface one = make(SurfaceType::Dim1, "R8_UINT", 4, 1, 1, 1, 2, true);
  fill(one, [](auto, auto slice, auto x, auto) { return slice * 16 + x; });
  EXPECT_EQ(Call(Op::Ld, one).word(Param::U, 3).word(Param::V, 1).run().channels[0][0], 19u);
  EXPECT_EQ(Call(Op::Ld, one).word(Param::U, 3).word(Param::V, 2).run().channels[0][0], 0u);
  Surface volume = make(SurfaceType::Dim3, "R8_UINT", 2, 2, 4, 2);
  fill(volume, [](auto level, auto z, auto, auto) { return level * 16 + z; });
  volume.min_array_element = 1;  // C40: not added
  EXPECT_EQ(Call(Op::Ld, volume).word(Param::R, 3).run().channels[0][0], 3u);
  EXPECT_EQ(Call(Op::LdL, volume).word(Param::R, 1).word(Param::Lod, 1).run().channels[0][0], 17u);
  EXPECT_EQ(Call(Op::Ld, volume).word(Param::R, 2).word(Param::Lod, 1).run().channels[0][0], 0u);
}

TEST(Load, LD10_LevelsThatAreNotRead) {
  Surface s = make2d("R8_UINT", 16, 16, 5);
  fill(s, [](auto level, auto, auto, auto) { return level; });
  s.surf_min_lod = 1;
  s.mip_count = 3;
  s.unread_levels = 2;
  const auto r = Call(Op::Ld, s).with(Param::Lod, LaneWords{0, 1, 2, 3, 4}).run();
  const std::uint32_t red[] = {0, 0, 3, 4, 0}, alpha[] = {1, 1, 1, 1, 1};
  for (unsigned k = 0; k < 5; ++k) {
    EXPECT_EQ(r.channels[0][k], red[k]) << k;
    EXPECT_EQ(r.channels[3][k], alpha[k]) << k;
  }
  EXPECT_EQ(Call(Op::LdLz, s).run().channels[0][0], 0u);
  s.unread_levels = 0;
  s.resource_min_lod = 3 * 256;  // LD-9
  EXPECT_EQ(Call(Op::LdLz, s).run().channels[0][0], 1u);
}

TEST(Load, LD4_Buffers) {
  Surface s;
  s.type = SurfaceType::Buffer;
  s.format = format_named("R32_UINT");
  s.entries = 3;
  ASSERT_TRUE(image::allocate(s).ok());
  for (unsigned k = 0; k < 3; ++k) (*s.memory)[4 * k] = static_cast<std::uint8_t>(10 + k);
  Call call(Op::Ld, s);
  call.request.offset = {1, 0, 0};  // ignored
  const auto r = call.with(Param::U, LaneWords{0, 2, 3, 0xffffffffu}).run();
  EXPECT_EQ(r.channels[0][0], 10u);
  EXPECT_EQ(r.channels[0][1], 12u);
  EXPECT_EQ(r.channels[0][2], 0u);
  EXPECT_EQ(r.channels[3][3], 1u);
}

TEST(Load, LD4_LD9_Refusals) {
  const auto id = [](Op op, const Surface& s) {
    OperationContext context;
    (void)Call(op, s).run(context);
    return context.reports.has_errors() ? context.reports.all()[0].id : "";
  };
  EXPECT_EQ(id(Op::Ld, make(SurfaceType::Cube, "R8_UINT", 2, 2, 1, 1, 6)), "LD-4");
  EXPECT_EQ(id(Op::LdMcs, make(SurfaceType::Dim3, "R8_UINT", 2, 2, 2)), "LD-4");
  Surface quilt = make2d("R8_UINT", 2, 2);
  quilt.quilt_width = 2;
  EXPECT_EQ(id(Op::Ld, quilt), "LD-9");
  Surface null;
  null.type = SurfaceType::Null;
  EXPECT_EQ(id(Op::Ld, null), "");
}

TEST(Load, LD5_LD6_Multisample) {  // C46
  Surface s = make(SurfaceType::Dim2, "R8_UINT", 2, 1, 1, 1, 1, false, 4);
  fill(s, [](auto, auto slice, auto x, auto) { return 16 * x + slice; });
  const auto at = [&](std::uint32_t si, std::uint32_t mcs) {
    return Call(Op::Ld2dmsW, s).word(Param::Si, si).word(Param::McsL, mcs).word(Param::U, 1).run().channels[0][0];
  };
  EXPECT_EQ(at(2, 0), 18u);  // no MCS: the sample itself
  EXPECT_EQ(at(9, 0), 19u);  // clamped
  s.mcs = std::make_shared<std::vector<std::vector<std::uint8_t>>>(1, std::vector<std::uint8_t>{0xe4, 0x1b});
  s.clear_color = {77, 0, 0, 0};
  EXPECT_EQ(at(0, 0xe4), 16u);
  EXPECT_EQ(at(3, 0xe4), 19u);
  EXPECT_EQ(at(0, 0x00), 16u);  // all samples in slice 0
  EXPECT_EQ(at(3, 0x00), 16u);
  EXPECT_EQ(at(2, 0xff), 77u);  // clear
  EXPECT_EQ(at(0, 0xf9), 16u);  // 4x F9h: samples 0, 1 in slices 0, 1; 2, 3 clear
  EXPECT_EQ(at(1, 0xf9), 17u);
  EXPECT_EQ(at(2, 0xf9), 77u);
  EXPECT_EQ(at(3, 0xf9), 77u);
  // LD-7
  const auto mcs = Call(Op::LdMcs, s).with(Param::U, LaneWords{0, 1, 2}).run();
  EXPECT_EQ(mcs.channels[0][0], 0xe4u);
  EXPECT_EQ(mcs.channels[0][1], 0x1bu);
  EXPECT_EQ(mcs.channels[0][2], 0u);
  EXPECT_EQ(mcs.channels[3][0], 0u);
  Surface big = make(SurfaceType::Dim2, "R8_UINT", 1, 1, 1, 1, 1, false, 16);
  const auto identity = Call(Op::LdMcs, big).run();
  EXPECT_EQ(identity.channels[0][0], 0x76543210u);
  EXPECT_EQ(identity.channels[1][0], 0xfedcba98u);
  // LD-1: 16-bit parameters carry the value in four words.
  fill(big, [](auto, auto slice, auto, auto) { return slice; });
  big.mcs = std::make_shared<std::vector<std::vector<std::uint8_t>>>(1, std::vector<std::uint8_t>(8));
  Call half(Op::Ld2dmsW, big);
  half.request.half_parameters = true;
  EXPECT_EQ(half.word(Param::Si, 13)
                .word(Param::Mcs0, 0x3210)
                .word(Param::Mcs1, 0x7654)
                .word(Param::Mcs2, 0xba98)
                .word(Param::Mcs3, 0xfedc)
                .run()
                .channels[0][0],
            13u);
}

TEST(Load, LD8_NullTexels) {
  Surface s = make2d("R8G8_UNORM", 2, 2);
  fill(s, [](auto, auto, auto, auto) { return 0xffffu; });
  s.null_texels = {{0, 0, 1, 0}};
  const auto r = Call(Op::Ld, s).with(Param::U, LaneWords{0, 1, 5}).run();
  EXPECT_EQ(r.null_mask, ~2u);
  EXPECT_EQ(f(r, 0, 1), 0.0f);
  EXPECT_EQ(f(r, 3, 1), 1.0f);  // C19: zero bits, then decoded
}

TEST(Info, RES_WorkedExample3) {  // C9: both behaviors; E3: the array bit decides; E18
  Surface s = make2d("R8_UNORM", 64, 32, 7);
  const auto words = [](const LaneResult& r, unsigned lane) {
    return std::array<std::uint32_t, 4>{r.channels[0][lane], r.channels[1][lane], r.channels[2][lane],
                                        r.channels[3][lane]};
  };
  using W = std::array<std::uint32_t, 4>;
  auto r = Call(Op::Resinfo, s).with(Param::Lod, LaneWords{6, 7, 0, 0xffffffffu}).run();
  EXPECT_EQ(words(r, 0), (W{1, 1, 0, 7}));
  EXPECT_EQ(words(r, 1), (W{0, 0, 0, 7}));
  EXPECT_EQ(words(r, 2), (W{64, 32, 0, 7}));
  EXPECT_EQ(words(r, 3), (W{0, 0, 0, 7}));  // RES-5
  s.array = true;
  s.view_layers = 6;
  r = Call(Op::Resinfo, s).with(Param::Lod, LaneWords{6, 7}).run();
  EXPECT_EQ(words(r, 0), (W{1, 1, 6, 7}));
  EXPECT_EQ(words(r, 1), (W{0, 0, 6, 7}));
  // RES-4, document: bare shift.
  OperationContext document;
  document.set_behavior(Behavior::Document);
  r = Call(Op::Resinfo, s).with(Param::Lod, LaneWords{6, 5, 40, 0xffffffffu}).run(document);
  EXPECT_EQ(words(r, 0), (W{1, 0, 6, 7}));
  EXPECT_EQ(words(r, 1), (W{2, 1, 6, 7}));
  EXPECT_EQ(words(r, 2), (W{0, 0, 6, 7}));
  EXPECT_EQ(words(r, 3), (W{0, 0, 6, 7}));
}

TEST(Info, RES1_EveryType) {  // C10, E2
  const auto words = [](const Surface& s, std::uint32_t lod = 0) {
    const auto r = Call(Op::Resinfo, s).word(Param::Lod, lod).run();
    EXPECT_EQ(r.value_class, image::ValueClass::Uint);
    return std::array<std::uint32_t, 4>{r.channels[0][0], r.channels[1][0], r.channels[2][0], r.channels[3][0]};
  };
  using W = std::array<std::uint32_t, 4>;
  Surface s = make(SurfaceType::Dim1, "R8_UNORM", 100, 1, 1, 1, 5, true);
  EXPECT_EQ(words(s), (W{100, 5, 0, 1}));
  EXPECT_EQ(words(make(SurfaceType::Dim3, "R8_UNORM", 16, 8, 4, 3), 1), (W{8, 4, 2, 3}));
  EXPECT_EQ(words(make(SurfaceType::Cube, "R8_UNORM", 16, 16, 1, 1, 12, true)), (W{16, 16, 2, 1}));
  EXPECT_EQ(words(make(SurfaceType::Cube, "R8_UNORM", 16, 16, 1, 1, 6)), (W{16, 16, 0, 1}));  // RES-6
  Surface quilt = make2d("R8_UNORM", 16, 8, 2);
  quilt.quilt_width = 4;
  quilt.quilt_height = 2;
  EXPECT_EQ(words(quilt, 1), (W{32, 8, 0, 2}));
  Surface buffer;
  buffer.type = SurfaceType::Buffer;
  buffer.entries = 1234567;
  EXPECT_EQ(words(buffer, 9), (W{1234567, 0, 0, 0}));  // RES-7
  Surface null;
  null.type = SurfaceType::Null;
  EXPECT_EQ(words(null), (W{0, 0, 0, 0}));
  // RES-3
  Surface view = make2d("R8_UNORM", 64, 64, 7);
  view.surf_min_lod = 2;
  view.mip_count = 3;
  EXPECT_EQ(words(view, 1), (W{8, 8, 0, 4}));
  EXPECT_EQ(words(view, 4), (W{0, 0, 0, 4}));
}

TEST(Info, SIN1_Sampleinfo) {  // C10, E19
  Surface s = make(SurfaceType::Dim2, "R8_UNORM", 2, 2, 1, 1, 1, false, 8);
  s.palette_index = 3;
  auto r = Call(Op::Sampleinfo, s).run();
  EXPECT_EQ(r.channels[0][7], 8u);
  EXPECT_EQ(r.channels[1][0], 0u);
  EXPECT_EQ(r.channels[3][0], 4u);
  s.type = SurfaceType::Null;
  EXPECT_EQ(Call(Op::Sampleinfo, s).run().channels[0][0], 0u);
}

TEST(Destination, RET1_Sizes) {
  // The table under section 11: bytes of one channel.
  const auto bytes = [](unsigned simd, unsigned element, std::uint32_t grf) {
    return channel_offset({simd, ~0u, 15, element, grf, false}, 1);
  };
  EXPECT_EQ(bytes(8, 2, 32), 32u);
  EXPECT_EQ(bytes(16, 2, 32), 32u);
  EXPECT_EQ(bytes(32, 2, 32), 64u);
  EXPECT_EQ(bytes(8, 4, 32), 32u);
  EXPECT_EQ(bytes(16, 4, 32), 64u);
  EXPECT_EQ(bytes(32, 4, 32), 128u);
  EXPECT_EQ(bytes(8, 2, 64), 64u);
  EXPECT_EQ(bytes(16, 2, 64), 64u);
  EXPECT_EQ(bytes(32, 2, 64), 64u);
  EXPECT_EQ(bytes(8, 4, 64), 64u);
  EXPECT_EQ(bytes(16, 4, 64), 64u);
  EXPECT_EQ(bytes(32, 4, 64), 128u);
  EXPECT_EQ(destination_bytes({8, ~0u, 0b1010, 4, 32, true}), 96u);
}

TEST(Destination,
     RET2_to_RET5_Placement) {  // C8: the low 16 bits; E10: the rest of the mask's register; NUM-30 to NUM-32, RET-6
  LaneResult r;
  for (unsigned c = 0; c < 4; ++c)
    for (unsigned k = 0; k < 32; ++k) r.channels[c][k] = base::bits_of(static_cast<float>(c * 100 + k));
  r.null_mask = 0xfffffffeu;
  std::vector<std::uint8_t> bytes(3 * 32, 0xee);
  // HF, channels G and A, lanes 0 and 2.
  write_destination(bytes, {8, 0b101, 0b1010, 2, 32, true}, r);
  const auto half = [&](std::size_t at) { return static_cast<std::uint16_t>(bytes[at] | bytes[at + 1] << 8); };
  EXPECT_EQ(half(0), base::float_to_half(100));
  EXPECT_EQ(half(2), 0xeeee);
  EXPECT_EQ(half(4), base::float_to_half(102));
  EXPECT_EQ(half(16), 0xeeee);  // RET-3
  EXPECT_EQ(half(32), base::float_to_half(300));
  EXPECT_EQ(bytes[64], 0xfe);  // RET-5
  EXPECT_EQ(bytes[67], 0xff);
  EXPECT_EQ(bytes[68], 0xee);
  // NUM-32
  EXPECT_EQ(narrow_result(0x12345678u, image::ValueClass::Uint), 0x5678);
  EXPECT_EQ(narrow_result(base::bits_of(1.0f), image::ValueClass::Float), 0x3c00);
}

}  // namespace
}  // namespace heddle::texture
