// SPDX-License-Identifier: MIT
// Real kernels of Intel's OpenCL compiler, all devices and widths, against what their sources compute.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "base/half.hpp"
#include "opencl_support.hpp"

using namespace heddle;
using namespace heddle::job;
using namespace heddle::job::kernels;

namespace {

/// Runs every variant; `check` looks at the outcome.
template <typename F>
void each(const std::string& kernel, const std::string& toml, F check, std::size_t at_least = 9, bool images = false) {
  const std::vector<Variant> list = variants(kernel);
  EXPECT_GE(list.size(), at_least);
  for (const Variant& v : list) {
    SCOPED_TRACE(v.path);
    const RunResult outcome = run_variant(v, toml);
    if (images &&
        v.device == "pvc") {  // it has no image reads: the compiler left the texels undefined, and the engine says so
      ASSERT_FALSE(outcome.succeeded);
      EXPECT_EQ(outcome.diagnostics.all()[0].id, "run-undefined-register");
      continue;
    }
    ASSERT_TRUE(outcome.succeeded) << messages(outcome.diagnostics);
    check(outcome, v);
    if (::testing::Test::HasFailure()) return;
  }
}

std::vector<float> floats(std::size_t count, unsigned seed, float low = -8, float high = 8) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float& f : values) f = low + (high - low) * static_cast<float>(random() % 65536) / 65536.0f;
  return values;
}

TEST(OpenCl, Saxpy) {
  const auto x = floats(77, 1), y = floats(77, 2);
  each(
      "saxpy",
      "global=[77]\nlocal=[32]\n[args]\na=2.5\nn=70\n[buffers.x]\ntype=\"f32\"\ndata=" + list_of(x) +
          "\n[buffers.y]\ntype=\"f32\"\nsave=\"y.bin\"\ndata=" + list_of(y) + "\n",
      [&](const RunResult& o, const Variant&) {
        const auto got = output<float>(o, "y");
        ASSERT_EQ(got.size(), 77u);
        for (std::size_t i = 0; i < 77; ++i) EXPECT_EQ(got[i], i < 70 ? std::fma(2.5f, x[i], y[i]) : y[i]) << i;
      },
      14);
}

TEST(OpenCl, WorkItemFunctionsWithNonUniformGroups) {
  constexpr std::uint32_t gx = 11, gy = 5, gz = 3, lx = 4, ly = 2, lz = 2;
  each("wid", "global=[11,5,3]\nlocal=[4,2,2]\noffset=[0,0,0]\n[buffers.o]\ntype=\"u32\"\ncount=5280\nsave=\"o.bin\"\n",
       [&](const RunResult& o, const Variant&) {
         const auto p = output<std::uint32_t>(o, "o");
         for (std::uint32_t z = 0; z < gz; ++z)
           for (std::uint32_t y = 0; y < gy; ++y)
             for (std::uint32_t x = 0; x < gx; ++x) {
               const std::uint32_t* q = &p[((z * gy + y) * gx + x) * 32];
               const std::uint32_t want[20] = {x % lx,
                                               y % ly,
                                               z % lz,
                                               x / lx,
                                               y / ly,
                                               z / lz,
                                               std::min(lx, gx - x / lx * lx),
                                               std::min(ly, gy - y / ly * ly),
                                               std::min(lz, gz - z / lz * lz),
                                               3,
                                               3,
                                               2,
                                               0,
                                               0,
                                               0,
                                               gx,
                                               gy,
                                               gz,
                                               3,
                                               lx};
               for (int k = 0; k < 20; ++k) ASSERT_EQ(q[k], want[k]) << x << ',' << y << ',' << z << " value " << k;
             }
       });
}

TEST(OpenCl, WorkItemOffsets) {
  each("wid", "global=[4]\nlocal=[4]\noffset=[2]\n[buffers.o]\ntype=\"u32\"\ncount=192\nsave=\"o.bin\"\n",
       [&](const RunResult& o, const Variant&) {
         const auto p = output<std::uint32_t>(o, "o");
         for (std::uint32_t x = 0; x < 4; ++x) {
           EXPECT_EQ(p[(x + 2) * 32], x);
           EXPECT_EQ(p[(x + 2) * 32 + 12], 2u);
           EXPECT_EQ(p[(x + 2) * 32 + 18], 1u);
         }
       });
}

TEST(OpenCl, Conversions) {
  std::vector<float> f = floats(64, 3, -400, 400);
  f[0] = 0.5f, f[1] = 1.5f, f[2] = 2.5f, f[3] = -0.5f, f[4] = 1e9f, f[5] = -1e9f, f[6] = 255.7f, f[7] = 40000.5f;
  std::vector<std::int32_t> d(64);
  std::mt19937 random(4);
  for (auto& v : d) v = static_cast<std::int32_t>(random()) >> (random() % 28);
  each("conv",
       "global=[64]\nlocal=[64]\n[buffers.o]\ncount=1064\nsave=\"o.bin\"\n[buffers.s]\ntype=\"i16\"\ncount=64\nsave="
       "\"s.bin\"\n[buffers.q]\ntype=\"i64\"\ncount=64\nsave=\"q.bin\"\n"
       "[buffers.f]\ntype=\"f32\"\ndata=" +
           list_of(f) + "\n[buffers.d]\ntype=\"i32\"\ndata=" + list_of(d) + "\n",
       [&](const RunResult& out, const Variant&) {
         const auto o = output<std::uint8_t>(out, "o");
         const auto s = output<std::int16_t>(out, "s");
         const auto q = output<std::int64_t>(out, "q");
         for (std::size_t i = 0; i < 64; ++i) {
           EXPECT_EQ(o[i], static_cast<int>(std::clamp(std::trunc(f[i]), 0.0f, 255.0f))) << f[i];
           EXPECT_EQ(s[i], static_cast<int>(std::clamp(std::nearbyint(f[i]), -32768.0f, 32767.0f))) << f[i];
           EXPECT_EQ(o[i + 1000], std::clamp(d[i], 0, 255));
           EXPECT_EQ(q[i], std::int64_t{d[i]} * 3 + static_cast<std::int64_t>(f[i]));
         }
       });
}

TEST(OpenCl, DivergentLoop) {
  each(
      "loop", "global=[100]\nlocal=[20]\n[args]\nlim=200\n[buffers.o]\ntype=\"u32\"\ncount=100\nsave=\"o.bin\"\n",
      [&](const RunResult& out, const Variant&) {
        const auto o = output<std::uint32_t>(out, "o");
        for (std::uint32_t g = 0; g < 100; ++g) {
          std::uint32_t x = g + 1, n = 0;
          while (x != 1 && n < 200) {
            if (x & 1)
              x = 3 * x + 1;
            else
              x >>= 1;
            n++;
            if (n == 77) break;
            if (x % 5 == 0) continue;
            n += x & 1;
          }
          EXPECT_EQ(o[g], n) << g;
        }
      },
      14);
}

TEST(OpenCl, ReductionInSharedMemory) {
  const auto a = floats(256, 5);
  each(
      "slm",
      "global=[256]\n[buffers.o]\ntype=\"f32\"\ncount=4\nsave=\"o.bin\"\n[buffers.a]\ntype=\"f32\"\ndata=" +
          list_of(a) + "\n",
      [&](const RunResult& out, const Variant&) {
        const auto o = output<float>(out, "o");
        for (std::size_t g = 0; g < 4; ++g) {
          std::vector<float> s(a.begin() + static_cast<std::ptrdiff_t>(g * 64),
                               a.begin() + static_cast<std::ptrdiff_t>(g * 64 + 64));
          for (std::size_t k = 32; k > 0; k >>= 1)
            for (std::size_t l = 0; l < k; ++l) s[l] += s[l + k];
          EXPECT_EQ(o[g], s[0]);
        }
      },
      14);
}

TEST(OpenCl, Atomics) {
  std::vector<std::uint8_t> a(96);
  std::mt19937 random(6);
  for (auto& v : a) v = static_cast<std::uint8_t>(random() % 16);
  each(
      "atomics",
      "global=[96]\nlocal=[32]\n[buffers.h]\ntype=\"u32\"\ncount=256\nsave=\"h.bin\"\n[buffers.a]\ndata=" + list_of(a) +
          "\n[buffers.m]\ntype=\"i32\"\ndata=[-3,5,12345,0]\nsave=\"m.bin\"\n[buffers.f]\ntype=\"f32\"\ncount="
          "1001\nfill=7.5\nsave=\"f.bin\"\n",
      [&](const RunResult& out, const Variant&) {
        const auto h = output<std::uint32_t>(out, "h");
        std::vector<std::uint32_t> want(256);
        for (const auto v : a) ++want[v];
        EXPECT_EQ(h, want);
        const auto m = output<std::int32_t>(out, "m");
        EXPECT_EQ(m[0], *std::max_element(a.begin(), a.end()));
        EXPECT_NE(m[1], 5);
        EXPECT_TRUE(m[1] >= 0 && m[1] < 96);
        std::int32_t x = 12345;
        for (int i = 0; i < 96; ++i) x ^= i;
        EXPECT_EQ(m[2], x);
        auto f = output<float>(out, "f");
        EXPECT_EQ(f[1000], 1.0f);
        EXPECT_EQ(std::count(f.begin(), f.begin() + 96, 7.5f),
                  1);  // one item exchanges the original value, the others a 1
        EXPECT_EQ(std::count(f.begin(), f.begin() + 96, 1.0f), 95);
      },
      14);
}

TEST(OpenCl, Subroutines) {
  std::vector<int> n(48);
  for (std::size_t i = 0; i < n.size(); ++i) n[i] = static_cast<int>(i * 7 % 11) - 1;
  each(
      "func",
      "global=[48]\nlocal=[16]\n[buffers.o]\ntype=\"f32\"\ncount=48\nsave=\"o.bin\"\n[buffers.n]\ntype=\"i32\"\ndata=" +
          list_of(n) + "\n",
      [&](const RunResult& out, const Variant&) {
        const auto o = output<float>(out, "o");
        const auto helper = [](float a, int count) {
          float r = 0;
          for (int i = 0; i < count; ++i) r = std::fma(a, static_cast<float>(i), r);
          return r;
        };
        for (std::size_t i = 0; i < 48; ++i) {
          float x = helper(static_cast<float>(i), n[i]);
          if (x > 3.0f) x = helper(x, n[i] + 1);
          EXPECT_EQ(o[i], x) << i;  // whole numbers below 2^24: exact either way
        }
      });
}

TEST(OpenCl, Halves) {
  const auto f = floats(40, 8, -1.5f, 1.5f);
  std::vector<std::uint16_t> a(40);
  for (std::size_t i = 0; i < 40; ++i) a[i] = base::float_to_half(static_cast<float>(i) / 32 - 0.5f);
  each(
      "half",
      "global=[40]\nlocal=[40]\n[buffers.o]\ntype=\"u16\"\ncount=40\nsave=\"o.bin\"\n[buffers.a]\ntype=\"u16\"\ndata=" +
          list_of(a) + "\n[buffers.f]\ntype=\"f32\"\ndata=" + list_of(f) + "\n",
      [&](const RunResult& out, const Variant&) {
        const auto o = output<std::uint16_t>(out, "o");
        for (std::size_t i = 0; i < 40; ++i) {
          const double x = static_cast<double>(base::half_to_float(a[i])),
                       y = static_cast<double>(base::half_to_float(base::float_to_half(f[i])));
          // The compiler may fuse x * y + 0.5 (one rounding) or not (two).
          const double fused = static_cast<double>(base::half_to_float(base::double_to_half(x * y + 0.5)));
          const double twice = static_cast<double>(base::half_to_float(
              base::double_to_half(static_cast<double>(base::half_to_float(base::double_to_half(x * y))) + 0.5)));
          const double got = static_cast<double>(base::half_to_float(o[i]));
          EXPECT_TRUE(got == std::clamp(fused, 0.0, 1.0) || got == std::clamp(twice, 0.0, 1.0))
              << i << ' ' << got << ' ' << fused;
        }
      },
      14);
}

TEST(OpenCl, Vectors) {
  const auto a = floats(4 * 24, 9);
  std::vector<std::int8_t> c(8 * 24);
  for (std::size_t i = 0; i < c.size(); ++i) c[i] = static_cast<std::int8_t>(i * 37);
  each(
      "vec",
      "global=[24]\nlocal=[24]\n[buffers.o]\ntype=\"f32\"\ncount=96\nsave=\"o.bin\"\n[buffers.a]\ntype=\"f32\"\ndata=" +
          list_of(a) + "\n[buffers.c]\ntype=\"i8\"\ndata=" + list_of(c) + "\n",
      [&](const RunResult& out, const Variant&) {
        const auto o = output<float>(out, "o");
        for (std::size_t i = 0; i < 24; ++i) {
          double v[4], w[4];
          for (std::size_t k = 0; k < 4; ++k) v[k] = static_cast<double>(a[4 * i + k]);
          double dot = 0;
          for (const double t : v) dot += t * t;
          const double y[4] = {v[1], v[2], v[3], v[0]};
          const double cross[4] = {v[1] * y[2] - v[2] * y[1], v[2] * y[0] - v[0] * y[2], v[0] * y[1] - v[1] * y[0], 0};
          double norm = 0;
          for (int k = 0; k < 4; ++k) {
            w[k] = v[3 - k] * dot + cross[k] + std::sqrt(dot);
            norm += w[k] * w[k];
          }
          for (std::size_t k = 0; k < 4; ++k) {
            const double want = w[k] / std::sqrt(norm) + c[8 * i + 2 * k];
            EXPECT_NEAR(static_cast<double>(o[4 * i + k]), want, 1e-5 * std::max(1.0, std::abs(want))) << i << ' ' << k;
          }
        }
      },
      14);
}

std::string image_data(const std::vector<std::vector<std::uint8_t>>& levels) {
  std::string text = "[";
  for (const auto& level : levels) {
    std::string hex;
    for (const std::uint8_t byte : level) {
      char two[3];
      std::snprintf(two, sizeof two, "%02x", byte);
      hex += two;
    }
    text += (text.size() > 1 ? ", [\"" : "[\"") + hex + "\"]";
  }
  return text + "]";
}

std::vector<std::uint8_t> bytes(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> values(count);
  for (auto& v : values) v = static_cast<std::uint8_t>(random());
  return values;
}

TEST(OpenCl, ImageCopy) {
  const auto texels = bytes(19 * 7 * 4, 10);
  each(
      "imgcopy",
      "global=[32,8]\nlocal=[16,2]\n[images.in]\nformat=\"R8G8B8A8_UNORM\"\nsize=[19,7]\ndata=" + image_data({texels}) +
          "\n[images.out]\nformat=\"R8G8B8A8_UNORM\"\nsize=[19,7]\nsave=\"out.bin\"\n",
      [&](const RunResult& out, const Variant&) { EXPECT_EQ(output<std::uint8_t>(out, "out"), texels); }, 14, true);
}

TEST(OpenCl, IntegerImages) {
  const auto a = bytes(16 * 4 * 4, 11), b = bytes(16 * 4 * 4, 12);
  each(
      "imgint",
      "global=[16,4]\nlocal=[16,2]\n[images.in]\nformat=\"R8G8B8A8_UINT\"\nsize=[16,4]\ndata=" + image_data({a}) +
          "\n[images.in2]\nformat=\"R8G8B8A8_SINT\"\nsize=[16,4]\ndata=" + image_data({b}) +
          "\n[images.out]\nformat=\"R32G32B32A32_UINT\"\nsize=[16,4]\nsave=\"out.bin\"\n",
      [&](const RunResult& out, const Variant&) {
        const auto got = output<std::uint32_t>(out, "out");
        for (std::size_t i = 0; i < got.size(); ++i)
          ASSERT_EQ(got[i], a[i] + static_cast<std::uint32_t>(static_cast<std::int8_t>(b[i])) * 0x10b5u)
              << i;  // CL_RGBA
      },
      14, true);
}

TEST(OpenCl, MippedImage) {
  // Levels of one color each, so that a sample says which level it came from: 64 texels, gradient 0.1 gives lambda =
  // log2(6.4) = 2.68.
  std::vector<std::vector<std::uint8_t>> levels;
  for (unsigned l = 0; l < 7; ++l) {
    std::vector<std::uint8_t> level;
    for (unsigned i = 0; i < (64u >> l) * (64u >> l); ++i)
      level.insert(level.end(), {static_cast<std::uint8_t>(l * 17), 0, 0, 255});
    levels.push_back(level);
  }
  each("mip",
       "global=[16,2]\nlocal=[16,1]\n[args]\nlod=1.0\n[images.in]\nformat=\"R8G8B8A8_UNORM\"\nsize=[64,64]\nlevels="
       "7\ndata=" +
           image_data(levels) +
           "\n[samplers.s]\nfilter=\"nearest\"\nmip=\"nearest\"\naddress=\"clamp\"\n[buffers.o]\ntype=\"f32\"\ncount="
           "512\nsave=\"o.bin\"\n",
       [&](const RunResult& out, const Variant&) {
         const auto o = output<float>(out, "o");
         for (std::size_t y = 0; y < 2; ++y)
           for (std::size_t x = 0; x < 16; ++x) {
             EXPECT_NEAR(o[(y * 64 + x) * 4], (17.0f + 51.0f) / 255 + 7, 1e-5);
             EXPECT_NEAR(o[(y * 64 + x) * 4 + 3], 9.0f, 1e-5);
           }
       });
}

TEST(OpenCl, PrivateMemory) {
  const std::vector<int> chosen(40);
  // idx[k] = 0 writes t[k & 63] and reads t[0]: nothing is read that was not written.
  each("priv",
       "global=[48]\nlocal=[48]\n[args]\nn=40\n[buffers.idx]\ntype=\"i32\"\ndata=" + list_of(chosen) +
           "\n[buffers.o]\ntype=\"i32\"\ncount=48\nsave=\"o.bin\"\n",
       [&](const RunResult& out, const Variant&) {
         const auto o = output<std::int32_t>(out, "o");
         for (int g = 0; g < 48; ++g) {
           int t[64] = {}, s = 0;
           for (int k = 0; k < 40; ++k) t[(chosen[static_cast<std::size_t>(k)] * 7 + k) & 63] = k + g;
           for (int k = 0; k < 40; ++k) s += t[chosen[static_cast<std::size_t>(k)] & 63] * k;
           EXPECT_EQ(o[static_cast<std::size_t>(g)], s) << g;
         }
       });
}

/// Structures whose address is taken: dg2 keeps them in 64-bit memory, each lane its own piece, for groups
/// of several threads and several groups at a time.
TEST(OpenCl, PrivateMemoryByAddress) {
  std::vector<int> idx(9);
  for (std::size_t i = 0; i < idx.size(); ++i) idx[i] = static_cast<int>((7 * i) % 11);
  each(
      "privstack",
      "global=[192]\nlocal=[48]\n[args]\nn=9\n[buffers.idx]\ntype=\"i32\"\ndata=" + list_of(idx) +
          "\n[buffers.o]\ntype=\"f32\"\ncount=192\nsave=\"o.bin\"\n",
      [&](const RunResult& out, const Variant&) {
        const auto o = output<float>(out, "o");
        for (int g = 0; g < 192; ++g) {
          float v[2][12] = {};
          int n[2] = {0, 3};
          for (int i = 0; i < 12; ++i) v[1][i] = static_cast<float>(i);
          const int p = (idx[static_cast<std::size_t>(g % 9)] & 1) != 0 ? 0 : 1;
          for (const int i : idx) v[p][n[p]++ % 12] = static_cast<float>(i + g);
          float a = 0, b = 0;
          for (int i = 0; i < 7; ++i) a += v[0][(i * 5) % 12];
          for (int i = 0; i < 9; ++i) b += v[1][(i * 5) % 12];
          EXPECT_EQ(o[static_cast<std::size_t>(g)], a - 2.0f * b + static_cast<float>(n[p])) << g;
        }
      },
      4);
}

// What a group's private memory takes is part of the limit: one byte less is refused, and with just enough for one
// group no second one runs beside it.
TEST(OpenCl, PrivateMemoryIsLimited) {
  for (const Variant& v : variants("privstack")) {
    if (v.device != "dg2-g10") continue;  // private memory by address
    SCOPED_TRACE(v.path);
    const auto limited = [&](const char* engine, std::uint64_t bytes) {
      return run_variant(v,
                         "global=[192]\nlocal=[48]\nthreads=4\nengine=\"" + std::string(engine) +
                             "\"\nlimits={ memory=" + std::to_string(bytes) +
                             " }\n[args]\nn=9\n[buffers.idx]\ntype=\"i32\"\ncount=9\n"
                             "[buffers.o]\ntype=\"f32\"\ncount=192\nsave=\"o.bin\"\n",
                         "off");
    };
    const RunResult free = limited("reference", 1 << 24);
    ASSERT_TRUE(free.succeeded) << messages(free.diagnostics);
    for (const char* engine : {"reference", "fast"}) {
      const RunResult least = limited(engine, 40000);
      ASSERT_TRUE(least.diagnostics.hit_limit()) << messages(least.diagnostics);
      const std::string text = messages(least.diagnostics);
      const std::size_t at = text.find(" of a group need ");
      ASSERT_NE(at, std::string::npos) << text;
      const std::uint64_t needed = std::stoull(text.substr(at + 17));
      EXPECT_GT(needed, 48u * 104u) << "104 bytes for each lane and more";
      const RunResult less = limited(engine, needed - 1), enough = limited(engine, needed);
      EXPECT_TRUE(less.diagnostics.hit_limit());
      EXPECT_TRUE(enough.succeeded) << messages(enough.diagnostics);
      EXPECT_TRUE(same_outputs(enough, free)) << engine;
    }
  }
}

TEST(OpenCl, ProgramScopeConstants) {
  std::vector<float> tab(16);
  std::iota(tab.begin(), tab.end(), 0.0f);
  const auto c = floats(32, 14);
  const auto texels = bytes(8 * 4, 15);
  each("cst",
       "global=[32]\nlocal=[32]\n[buffers.tab]\ntype=\"f32\"\ndata=" + list_of(tab) +
           "\n[buffers.c]\ntype=\"f32\"\ndata=" + list_of(c) +
           "\n[buffers.o]\ntype=\"f32\"\ncount=32\nfill=0.0625\nsave=\"o.bin\"\n[images.im]\nformat=\"R8G8B8A8_"
           "UNORM\"\nsize=[8,1]\ndata=" +
           image_data({texels}) + "\n",
       [&](const RunResult& out, const Variant&) {
         const auto o = output<float>(out, "o");
         // (1/16, 0) is the center of texel 0; v = 0 with repeat lies between the one row and itself.
         const double sample = texels[0] / 255.0;
         for (std::size_t i = 0; i < 32; ++i)
           EXPECT_NEAR(o[i], tab[i & 15] * c[i] + static_cast<float>(sample), 2e-5) << i;
       });
}

TEST(OpenCl, ProgramScopeConstantsFromTheCompilersBinary) {
  // The same without a buffer for `tab`: zeinfo names the binary, which has it.
  const std::string base = std::filesystem::absolute("tests/data/opencl/cst/skl.simd16").string();
  const auto job =
      read_job("program = \"" + base + ".visaasm\"\nzeinfo = \"" + base +
                   ".bin\"\ncheck = \"error\"\nglobal=[32]\nlocal=[32]\n[buffers.c]\ntype=\"f32\"\ncount=32\nfill=2\n"
                   "[buffers.o]\ntype=\"f32\"\ncount=32\nsave=\"o.bin\"\n[images.im]\nformat=\"R8G8B8A8_UNORM\"\n"
                   "size=[8,1]\nfill=[0,0,0,0]\n",
               "test.toml");
  ASSERT_TRUE(job.ok());
  base::Diagnostics problems;
  const auto program = text::parse(slurp(base + ".visaasm"), base + ".visaasm", {}, problems);
  ASSERT_TRUE(program);
  const RunResult outcome = run(*job, *program);
  ASSERT_TRUE(outcome.succeeded) << messages(outcome.diagnostics);
  const auto o = output<float>(outcome, "o");
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(o[i], 2.0f * static_cast<float>(i & 15));
}

TEST(OpenCl, EveryKindOfArgument) {
  // struct S { int a; float b; char c; short d; long e; }
  std::vector<std::uint8_t> s(24);
  const std::int32_t sa = 1000;
  const float sb = 7.75f;
  const std::int16_t sd = -300;
  const std::int64_t se = 5;
  std::memcpy(&s[0], &sa, 4);
  std::memcpy(&s[4], &sb, 4);
  s[8] = static_cast<std::uint8_t>(-2);
  std::memcpy(&s[10], &sd, 2);
  std::memcpy(&s[16], &se, 8);
  std::string hex;
  for (const auto b : s) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", b);
    hex += two;
  }
  std::vector<int> k(16);
  std::iota(k.begin(), k.end(), 100);
  const auto texels = bytes(4 * 4 * 4, 16);
  each("abi_args",
       "global=[16]\nlocal=[16]\n[args]\nc=-3\nuc=200\ns=-1000\nus=60000\ni=-7\nui=9\nl=-11\nul=13\nf=0.375\nf2=[0.625,"
       "2.5]\nf3=[1.0,2.0,3.0]\nf4=[0.5,0.25,0.125,0.0625]\n"
       "c4=[1,2,3,4]\ni16=[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]\nst={bytes=\"" +
           hex + "\"}\nlm=64\n[buffers.o]\ntype=\"i32\"\ncount=16\nsave=\"o.bin\"\n[buffers.k]\ntype=\"i32\"\ndata=" +
           list_of(k) +
           "\n[buffers.p2]\ntype=\"f32\"\ncount=16\nsave=\"p2.bin\"\n[samplers.smp]\nfilter=\"nearest\"\naddress="
           "\"clamp_to_edge\"\n[images.im]\nformat=\"R8G8B8A8_UNORM\"\nsize=[4,4]\ndata=" +
           image_data({texels}) +
           "\n[images.ow]\ntype=\"3d\"\nformat=\"R32G32B32A32_FLOAT\"\nsize=[16,16,2]\nsave=\"ow.bin\"\n",
       [&](const RunResult& out, const Variant&) {
         const auto o = output<std::int32_t>(out, "o");
         const auto p2 = output<float>(out, "p2");
         const auto ow = output<float>(out, "ow");
         for (int g = 0; g < 16; ++g) {
           const int lm = g ^ 1;
           const int want = -3 + 200 - 1000 + 60000 - 7 + 9 - 11 + 13 + 1 + 4 + 1 + 16 + sa + static_cast<int>(sb) - 2 +
                            sd + static_cast<int>(se) + k[static_cast<std::size_t>(g)] + lm + 4 + 4 + 2;
           EXPECT_EQ(o[static_cast<std::size_t>(g)], want) << g;
           EXPECT_EQ(p2[static_cast<std::size_t>(g)], 0.375f + 2.5f);
           const std::uint8_t* texel = &texels[(2 * 4 + 1) * 4];  // (0.375, 0.625) of 4 x 4
           const float f4[4] = {0.5f, 0.25f, 0.125f, 0.0625f}, f3[4] = {1, 2, 3, 3};
           for (int c = 0; c < 4; ++c)
             EXPECT_NEAR(ow[static_cast<std::size_t>((g * 16 + g) * 4 + c)], texel[c] / 255.0f + f4[c] + f3[c], 1e-6)
                 << g << ' ' << c;
         }
       });
}

}  // namespace
