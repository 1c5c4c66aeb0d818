// The kernels of Intel's OpenCL compiler on Heddle against the same sources compiled natively by POCL: bit for bit for
// integers and copies, within the full-profile bounds of OpenCL C for floats (NUM-98). Fresh sources go through ocloc
// first, where it is installed.

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "dispatch/opencl_support.hpp"
#include "peers/opencl/pocl.hpp"
#include "support/process.hpp"

using namespace heddle;
using namespace heddle::peers;
using dispatch::kernels::Variant;

namespace {

std::string hex(const std::vector<std::uint8_t>& bytes) {
  static const char* digits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t b : bytes) {
    text += digits[b >> 4];
    text += digits[b & 15];
  }
  return text;
}

std::string format_name(const std::string& type) {
  return type == "unorm8"    ? "R8G8B8A8_UNORM"
         : type == "uint8"   ? "R8G8B8A8_UINT"
         : type == "sint8"   ? "R8G8B8A8_SINT"
         : type == "float32" ? "R32G32B32A32_FLOAT"
                             : "R32G32B32A32_UINT";
}

std::string sizes(const std::vector<std::size_t>& values) {
  std::string text = "[";
  for (const std::size_t v : values) text += (text.size() > 1 ? "," : "") + std::to_string(v);
  return text + "]";
}

/// The launch as a job; buffer contents lie in files of `folder`.
std::string job_of(const Launch& launch, const heddle::test::TemporaryFolder& folder) {
  std::string args = "[args]\n", rest;
  for (const Argument& a : launch.arguments) {
    switch (a.kind) {
      case Argument::Kind::Value:
        args += a.name + " = { bytes = \"" + hex(a.bytes) + "\" }\n";
        break;
      case Argument::Kind::Buffer:
        heddle::test::write_bytes(folder / (a.name + ".in"), a.bytes);
        rest += "[buffers." + a.name + "]\nfile = \"" + (folder / (a.name + ".in")).string() + "\"\n" +
                (a.output ? "save = \"" + a.name + ".bin\"\n" : "");
        break;
      case Argument::Kind::Image:
        heddle::test::write_bytes(folder / (a.name + ".raw"), a.bytes);
        rest += "[images." + a.name + "]\nformat = \"" + format_name(a.type) + "\"\nsize = [" +
                std::to_string(a.width) + ", " + std::to_string(a.height) + "]\nraw = \"" +
                (folder / (a.name + ".raw")).string() + "\"\n" + (a.output ? "save = \"" + a.name + ".bin\"\n" : "");
        break;
      case Argument::Kind::Sampler:
        rest += "[samplers." + a.name + "]\nfilter = \"" + (a.linear ? "linear" : "nearest") + "\"\naddress = \"" +
                a.address + "\"\nunnormalized = " + (a.normalized ? "false" : "true") + "\n";
        break;
    }
  }
  return "global = " + sizes(launch.global) + "\nlocal = " + sizes(launch.local) + "\n" + args + rest;
}

/// Distance in units in the last place of binary32; NaNs are equal.
double ulps(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b) ? 0 : 1e9;
  const auto ordered = [](float f) {
    const auto bits = std::bit_cast<std::int32_t>(f);
    return bits < 0 ? std::int64_t{INT32_MIN} - bits : std::int64_t{bits};
  };
  return static_cast<double>(std::abs(ordered(a) - ordered(b)));
}

void compare(const Launch& launch, const std::vector<std::vector<std::uint8_t>>& want, const dispatch::Outcome& outcome,
             double tolerance_ulps, double absolute) {
  std::size_t index = 0;
  for (const Argument& a : launch.arguments) {
    if (!a.output) continue;
    const auto got = dispatch::kernels::output<std::uint8_t>(outcome, a.name);
    const std::vector<std::uint8_t>& expected = want[index++];
    ASSERT_EQ(got.size(), expected.size());
    if (a.type != "f32" && a.type != "float32") {
      EXPECT_EQ(got, expected) << a.name;
      continue;
    }
    for (std::size_t i = 0; i + 4 <= got.size(); i += 4) {
      float x = 0, y = 0;
      std::memcpy(&x, &got[i], 4);
      std::memcpy(&y, &expected[i], 4);
      ASSERT_TRUE(ulps(x, y) <= tolerance_ulps || std::abs(x - y) <= static_cast<float>(absolute))
          << a.name << '[' << i / 4 << "] " << x << " instead of " << y;
    }
  }
}

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
  return {Argument::Kind::Buffer, std::move(name), std::move(type), std::move(bytes), 0, 0, output};
}
Argument scalar(std::string name, std::vector<std::uint8_t> bytes) {
  return {Argument::Kind::Value, std::move(name), "", std::move(bytes)};
}
Argument picture(std::string name, std::string type, std::uint32_t width, std::uint32_t height,
                 std::vector<std::uint8_t> bytes, bool output = false) {
  return {Argument::Kind::Image, std::move(name), std::move(type), std::move(bytes), width, height, output};
}

class Pocl : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!have_pocl()) GTEST_SKIP() << "POCL (pocl-opencl-icd) is not installed";
  }
  heddle::test::TemporaryFolder folder;

  /// `tolerance`: ulps for floats; `absolute`: or this difference. pvc_too: the kernel needs no image reads.
  void both(const std::string& function, const Launch& launch, double tolerance = 0, double absolute = 0,
            bool pvc_too = true) {
    const std::string source =
        dispatch::kernels::slurp("tests/data/opencl/" + launch.kernel + "/" + launch.kernel + ".cl");
    std::string why;
    const auto want = run_pocl(source, function, launch, why);
    if (!want) GTEST_SKIP() << "POCL: " << why;
    const std::string job = job_of(launch, folder);
    for (const Variant& v : dispatch::kernels::variants(launch.kernel)) {
      if (!pvc_too && v.device == "pvc") continue;
      SCOPED_TRACE(v.path);
      const dispatch::Outcome outcome = dispatch::kernels::run_variant(v, job);
      if (launch.kernel == "func" && v.simd == 32) {
        // This compiler loses the upper half of a subroutine's result at SIMD32: the caller reads a variable that
        // nothing writes.
        EXPECT_FALSE(outcome.succeeded);
        EXPECT_EQ(outcome.diagnostics.all()[0].id, "run-undefined-register");
        continue;
      }
      ASSERT_TRUE(outcome.succeeded) << dispatch::kernels::messages(outcome.diagnostics);
      compare(launch, *want, outcome, tolerance, absolute);
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

// A kernel that no folder holds: compiled by ocloc here and now.
TEST_F(Pocl, FreshSourcesThroughOcloc) {
  if (!heddle::test::have_program("ocloc")) GTEST_SKIP() << "ocloc (intel-opencl-icd) is not installed";
  const std::string source = R"(
__kernel void fresh(__global uint* o, __global const uint* a, uint n) {
  uint i = get_global_id(0);
  uint h = a[i] ^ (i * 2654435761u);
  for (uint k = 0; k < (i & 7u) + 3; ++k) {
    h ^= h >> 15; h *= 0x2c1b3c6du; h = rotate(h, k + 5u);
    if (h % 3u == 0u) h += n; else if ((h & 15u) == 9u) break;
  }
  o[i] = h + popcount(a[i]) + clz(a[i]) + mul_hi(a[i], n) + (uint)max((int)a[i], -7) + as_uint((float)(int)(h & 0xffff));
})";
  heddle::test::write_text(folder / "fresh.cl", source);
  Launch launch{"fresh",
                {256},
                {64},
                {buffer("o", "u32", std::vector<std::uint8_t>(1024), true), buffer("a", "u32", random_bytes(1024, 20)),
                 scalar("n", value(12345u))}};
  std::string why;
  const auto want = run_pocl(source, "fresh", launch, why);
  if (!want) GTEST_SKIP() << "POCL: " << why;
  const std::string job = job_of(launch, folder);
  for (const char* device : {"skl", "icllp", "tgllp"}) {
    for (const unsigned simd : {8u, 16u, 32u}) {
      SCOPED_TRACE(std::string(device) + " SIMD" + std::to_string(simd));
      const std::string work = (folder / (std::string(device) + std::to_string(simd))).string();
      std::filesystem::create_directories(work + "/dump");
      std::filesystem::create_directories(work + "/dis");
      const std::string command =
          "cd " + work + " && IGC_ForceOCLSIMDWidth=" + std::to_string(simd) +
          " IGC_ShaderDumpEnable=1 IGC_DumpToCustomDir=" + work + "/dump ocloc compile -file " +
          (folder / "fresh.cl").string() + " -device " + device +
          " -out_dir bin --format zebin -options -cl-std=CL3.0 >/dev/null && ocloc disasm -file bin/*.bin -device " +
          device + " -dump dis >/dev/null";
      const auto compiled = heddle::test::run({"sh", "-c", command});
      ASSERT_EQ(compiled.exit_code, 0) << compiled.err << compiled.out;
      Variant v;
      v.device = device;
      v.simd = simd;
      v.path = work + "/fresh";
      for (const auto& entry : std::filesystem::directory_iterator(work + "/dump")) {
        const std::string name = entry.path().filename().string();
        if (name.ends_with(".visaasm") && name.find("_entry_") != std::string::npos)
          std::filesystem::copy_file(entry.path(), v.path + ".visaasm",
                                     std::filesystem::copy_options::overwrite_existing);
      }
      std::filesystem::copy_file(work + "/dis/.ze_info", v.path + ".zeinfo");
      ASSERT_TRUE(std::filesystem::exists(v.path + ".visaasm"));
      const dispatch::Outcome outcome = dispatch::kernels::run_variant(v, job);
      ASSERT_TRUE(outcome.succeeded) << dispatch::kernels::messages(outcome.diagnostics);
      compare(launch, *want, outcome, 0, 0);
    }
  }
}

}  // namespace
