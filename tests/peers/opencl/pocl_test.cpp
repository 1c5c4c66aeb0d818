// SPDX-License-Identifier: MIT
// The kernels of Intel's OpenCL compiler on Heddle against the same sources compiled natively by POCL: bit for bit for
// integers and copies, within the full-profile bounds of OpenCL C for floats (NUM-98).

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>

#include "base/half.hpp"
#include "peers/opencl/compare.hpp"

using namespace heddle;
using namespace heddle::peers;
using job::kernels::Variant;

namespace {

std::vector<std::uint8_t> random_bytes(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> bytes(count);
  for (auto& b : bytes) b = static_cast<std::uint8_t>(random() >> 8);
  return bytes;
}

template <typename T>
std::vector<std::uint8_t> bytes_of(const std::vector<T>& values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
template <typename T>
std::vector<std::uint8_t> value(T v) {
  return bytes_of(std::vector<T>{v});
}

std::vector<float> random_floats(std::size_t count, unsigned seed, float low, float high) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> d(low, high);
  std::vector<float> values(count);
  for (auto& f : values) f = d(random);
  return values;
}
std::vector<int> random_ints(std::size_t count, unsigned seed, int low, int high) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> d(low, high);
  std::vector<int> values(count);
  for (auto& i : values) i = d(random);
  return values;
}

Argument buffer(std::string name, std::string type, std::vector<std::uint8_t> bytes, bool output = false) {
  return {.kind = Argument::Kind::Buffer,
          .name = std::move(name),
          .type = std::move(type),
          .bytes = std::move(bytes),
          .output = output};
}
Argument scalar(std::string name, std::vector<std::uint8_t> bytes) {
  return {.kind = Argument::Kind::Value, .name = std::move(name), .type = "", .bytes = std::move(bytes)};
}
Argument picture(std::string name, std::string type, std::uint32_t width, std::uint32_t height,
                 std::vector<std::uint8_t> bytes, bool output = false) {
  return {.kind = Argument::Kind::Image,
          .name = std::move(name),
          .type = std::move(type),
          .bytes = std::move(bytes),
          .width = width,
          .height = height,
          .output = output};
}

Argument nearest_sampler(std::string name) {
  return {.kind = Argument::Kind::Sampler, .name = std::move(name), .type = "", .bytes = {}};
}

class Pocl : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!have_pocl()) GTEST_SKIP() << "POCL (pocl-opencl-icd) is not installed";
  }
  heddle::test::TemporaryFolder folder;
  bool half = false;             ///< POCL gets clang's halves
  std::string prelude;           ///< for POCL, before the source
  std::optional<Launch> native;  ///< for POCL, where its arguments differ

  /// `tolerance`: ulps for floats; `absolute`: or this difference. pvc_too: the kernel needs no image reads.
  void both(const std::string& function, const Launch& launch, double tolerance = 0, double absolute = 0,
            bool pvc_too = true) {
    const std::string source = job::kernels::slurp("tests/data/opencl/" + launch.kernel + "/" + launch.kernel + ".cl");
    std::string why;
    const auto want = run_pocl(half ? with_halves(source) : prelude + source, function, native ? *native : launch, why);
    ASSERT_TRUE(want) << "POCL: " << why;
    const std::string job = job_of(launch, folder.path());
    for (const Variant& v : job::kernels::variants(launch.kernel)) {
      if (!pvc_too && v.device == "pvc") continue;
      SCOPED_TRACE(v.path);
      const job::RunResult outcome = job::kernels::run_variant(v, job);
      if (launch.kernel == "func" && v.simd == 32) {
        // This compiler loses the upper half of a subroutine's result at SIMD32: the caller reads a variable that
        // nothing writes.
        EXPECT_FALSE(outcome.succeeded);
        EXPECT_EQ(outcome.diagnostics.all()[0].id, "run-undefined-register");
        continue;
      }
      ASSERT_TRUE(outcome.succeeded) << job::kernels::messages(outcome.diagnostics);
      compare(launch, *want, outcome, {tolerance, absolute});
      if (HasFatalFailure()) return;
    }
  }
};

TEST_F(Pocl, Saxpy) {
  both("saxpy",
       {"saxpy",
        {1024},
        {64},
        {buffer("y", "f32", bytes_of(random_floats(1024, 1, -100, 100)), true),
         buffer("x", "f32", bytes_of(random_floats(1024, 2, -100, 100))), scalar("a", value(1.7f)),
         scalar("n", value(1000))}},
       1, 1e-5);
}

TEST_F(Pocl, WorkItemFunctions) {
  both("wid",
       {"wid", {24, 6, 4}, {8, 3, 2}, {buffer("o", "u32", std::vector<std::uint8_t>(24 * 6 * 4 * 32 * 4), true)}});
}

TEST_F(Pocl, Conversions) {
  auto f = random_floats(512, 3, -70000, 70000);
  for (std::size_t i = 0; i < 200; ++i) f[i] = static_cast<float>(i) / 2 - 20;
  both("conv", {"conv",
                {512},
                {64},
                {buffer("o", "u8", std::vector<std::uint8_t>(1512), true),
                 buffer("s", "i16", std::vector<std::uint8_t>(1024), true), buffer("f", "f32", bytes_of(f)),
                 buffer("d", "i32", bytes_of(random_ints(512, 4, -100000, 100000))),
                 buffer("q", "i64", std::vector<std::uint8_t>(4096), true)}});
}

TEST_F(Pocl, DivergentLoop) {
  both("collatz",
       {"loop", {512}, {32}, {buffer("o", "u32", std::vector<std::uint8_t>(2048), true), scalar("lim", value(500u))}});
}

TEST_F(Pocl, SharedMemory) {
  both("reduce", {"slm",
                  {512},
                  {64},
                  {buffer("o", "f32", std::vector<std::uint8_t>(32), true),
                   buffer("a", "f32", bytes_of(random_floats(512, 5, -10, 10)))}});
}

TEST_F(Pocl, Atomics) {
  Launch launch{"atomics",
                {256},
                {32},
                {buffer("h", "u32", std::vector<std::uint8_t>(1024), true), buffer("a", "u8", random_bytes(256, 6)),
                 buffer("m", "i32", bytes_of(std::vector<int>{-5, 6, 77}), true),
                 buffer("f", "f32", std::vector<std::uint8_t>(4004))}};
  both("hist", launch);  // m[1] is not 5, so the exchange never happens and the outcome does not depend on the order
}

TEST_F(Pocl, Subroutines) {
  both("func",
       {"func",
        {256},
        {64},
        {buffer("o", "f32", std::vector<std::uint8_t>(1024), true),
         buffer("n", "i32", bytes_of(random_ints(256, 7, -2, 12)))}},
       4);
}

TEST_F(Pocl, Vectors) {
  both("vec",
       {"vec",
        {256},
        {32},
        {buffer("o", "f32", std::vector<std::uint8_t>(4096), true),
         buffer("a", "f32", bytes_of(random_floats(1024, 8, -4, 4))), buffer("c", "i8", random_bytes(2048, 9))}},
       16, 2e-5);
}

TEST_F(Pocl, PrivateMemory) {
  // Indices that only read what was written before: idx[k] = 0 for all, then permutations that write every slot first.
  std::vector<int> idx(64);
  both("priv", {"priv",
                {96},
                {32},
                {buffer("o", "i32", std::vector<std::uint8_t>(384), true), scalar("n", value(64)),
                 buffer("idx", "i32", bytes_of(idx))}});
  for (std::size_t k = 0; k < 64; ++k)
    idx[k] =
        static_cast<int>(k) * 64 + static_cast<int>(k % 3) * 64;  // multiples of 64: slot k is written, slot 0 read
  both("priv", {"priv",
                {96},
                {32},
                {buffer("o", "i32", std::vector<std::uint8_t>(384), true), scalar("n", value(64)),
                 buffer("idx", "i32", bytes_of(idx))}});
}

TEST_F(Pocl, ImageCopy) {
  both("imgcopy",
       {"imgcopy",
        {64, 48},
        {16, 4},
        {picture("in", "unorm8", 61, 45, random_bytes(61 * 45 * 4, 10)),
         picture("out", "unorm8", 61, 45, std::vector<std::uint8_t>(61 * 45 * 4), true)}},
       0, 0, false);
}

TEST_F(Pocl, IntegerImages) {
  both("imgint",
       {"imgint",
        {32, 16},
        {16, 4},
        {picture("in", "uint8", 32, 16, random_bytes(2048, 11)),
         picture("out", "uint32", 32, 16, std::vector<std::uint8_t>(8192), true),
         picture("in2", "sint8", 32, 16, random_bytes(2048, 12))}},
       0, 0, false);
}

// The half source as it is, but for the spelling of halves that POCL's compiler knows.
TEST_F(Pocl, Halves) {
  std::vector<std::uint16_t> a(256);
  for (std::size_t i = 0; i < 256; ++i) a[i] = base::float_to_half(static_cast<float>(i) / 64 - 2);
  half = true;
  // x * y + 0.5 with one rounding or two
  both("halfk",
       {"half",
        {256},
        {64},
        {buffer("o", "f16", std::vector<std::uint8_t>(512), true), buffer("a", "f16", bytes_of(a)),
         buffer("f", "f32", bytes_of(random_floats(256, 13, -1.5f, 1.5f)))}},
       1, 0x1p-11);
}

TEST_F(Pocl, ProgramScopeConstants) {
  std::vector<float> tab(16);
  std::iota(tab.begin(), tab.end(), 0.0f);
  both("cst",
       {"cst",
        {64},
        {32},
        {buffer("o", "f32", bytes_of(random_floats(64, 14, -2, 2)), true),
         buffer("c", "f32", bytes_of(random_floats(64, 15, -4, 4))),
         picture("im", "unorm8", 8, 1, random_bytes(32, 16)),
         {.kind = Argument::Kind::Buffer, .name = "tab", .type = "f32", .bytes = bytes_of(tab), .symbol = true}}},
       4, 1.0 / 256);  // linear filtering: weights have at least eight bits
}

TEST_F(Pocl, EveryKindOfArgument) {
  // struct S { int a; float b; char c; short d; long e; }
  std::vector<std::uint8_t> s(24);
  const std::int32_t sa = -77;
  const float sb = 12.25f;
  const std::int16_t sd = 4000;
  const std::int64_t se = -9;
  std::memcpy(&s[0], &sa, 4);
  std::memcpy(&s[4], &sb, 4);
  s[8] = 0x85;
  std::memcpy(&s[10], &sd, 2);
  std::memcpy(&s[16], &se, 8);
  Argument target = picture("ow", "float32", 16, 16, std::vector<std::uint8_t>(16 * 16 * 4 * 16), true);
  target.depth = 4;
  both("args",
       {"abi_args",
        {16},
        {16},
        {buffer("o", "i32", std::vector<std::uint8_t>(64), true),
         scalar("c", value<std::int8_t>(-100)),
         scalar("uc", value<std::uint8_t>(250)),
         scalar("s", value<std::int16_t>(-30000)),
         scalar("us", value<std::uint16_t>(65000)),
         scalar("i", value(-123456)),
         scalar("ui", value(7u)),
         scalar("l", value<std::int64_t>(-11)),
         scalar("ul", value<std::uint64_t>(13)),
         scalar("f", value(0.375f)),
         scalar("f2", bytes_of(std::vector<float>{0.625f, 2.5f})),
         scalar("f3", bytes_of(std::vector<float>{1, 2, 3, 0})),
         scalar("f4", bytes_of(std::vector<float>{0.5f, 0.25f, 0.125f, 0.0625f})),
         scalar("c4", bytes_of(std::vector<std::int8_t>{-1, 2, 3, -4})),
         scalar("i16", bytes_of(random_ints(16, 17, -1000, 1000))),
         scalar("st", s),
         buffer("k", "i32", bytes_of(random_ints(16, 18, -1000, 1000))),
         {.kind = Argument::Kind::Local, .name = "lm", .type = "", .bytes = std::vector<std::uint8_t>(64)},
         nearest_sampler("smp"),
         picture("im", "unorm8", 4, 4, random_bytes(64, 19)),
         target,
         buffer("p2", "f32", std::vector<std::uint8_t>(64), true)}},
       1, 1e-6);
}

// POCL has no images with mip levels: its kernel reads them from an atlas, by the functions of this prelude (nearest
// texel of the nearest level; level of the gradients as in the OpenCL C specification).
TEST_F(Pocl, MippedImages) {
  prelude = R"(
float4 __attribute__((overloadable)) atlas(read_only image2d_t in, float2 uv, float lod) {
  int level = clamp((int)rint(lod), 0, 6), size = 64 >> level, at = 128 - 2 * size;
  int2 p = clamp(convert_int2(floor(uv * (float)size)), 0, size - 1);
  return read_imagef(in, CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST, (int2)(at + p.x, p.y));
}
float4 __attribute__((overloadable)) mip_read(read_only image2d_t in, sampler_t s, float2 uv, float lod) { return atlas(in, uv, lod); }
float4 __attribute__((overloadable)) mip_read(read_only image2d_t in, sampler_t s, float2 uv, float2 dx, float2 dy) {
  return atlas(in, uv, log2(max(length(dx * 64.0f), length(dy * 64.0f))));
}
#define read_imagef mip_read
#define get_image_width(im) 64
#define get_image_num_mip_levels(im) 7
)";
  const std::vector<std::uint8_t> levels = random_bytes((64 * 64 + 32 * 32 + 16 * 16 + 64 + 16 + 4 + 1) * 4, 21);
  std::vector<std::uint8_t> atlas(128 * 64 * 4);
  std::size_t from = 0;
  for (std::size_t size = 64; size != 0; size /= 2)
    for (std::size_t y = 0; y < size; ++y, from += size * 4)
      std::memcpy(&atlas[(y * 128 + 128 - 2 * size) * 4], &levels[from], size * 4);
  for (const float lod : {0.0f, 1.0f, 2.25f, 4.75f, 9.0f}) {
    const auto launch = [&](Argument image) {
      return Launch{"mip",
                    {48, 40},
                    {16, 1},
                    {image, nearest_sampler("s"), buffer("o", "f32", std::vector<std::uint8_t>(64 * 40 * 16), true),
                     scalar("lod", value(lod))}};
    };
    Argument mipped = picture("in", "unorm8", 64, 64, levels);
    mipped.levels = 7;
    native = launch(picture("in", "unorm8", 128, 64, atlas));
    both("mip", launch(mipped), 1, 1e-6);
  }
}

}  // namespace
