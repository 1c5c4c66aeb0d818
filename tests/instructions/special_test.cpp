// SPDX-License-Identifier: MIT
// Instructions outside the big tables: addresses and indirect regions, exact and approximate macros, conversions of
// small floats, synchronization, every LSC atomic, functions called by address. Expected values are worked out here.
#include <bit>
#include <cmath>
#include <random>

#include "engine/harness.hpp"

namespace heddle::engine::testing {
namespace {

using reference::Outcome;

// --- addresses ---

TEST(Addresses, IndirectSourceRegions) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const unsigned lanes = 1u << (random() % 5);
    constexpr unsigned kV[] = {0, 1, 2, 4, 8}, kW[] = {1, 2, 4, 8, 16}, kH[] = {0, 1, 2};
    const unsigned v = kV[random() % 5], h = kH[random() % 3];
    unsigned w = kW[random() % 5];
    while (w > lanes) w /= 2;
    const unsigned start = 2 * (random() % 20), imm = 2 * (random() % 10);
    KernelRun run(".decl A0 v_type=A num_elts=1\n" + decl("T", "w", 512) + decl("D", "w", 16) +
                  "addr_add (M1_NM, 1) A0(0)<1> &T " + std::to_string(start) + ":uw\nmov (M1_NM, " +
                  std::to_string(lanes) + ") D(0,0)<1> r[A0(0)," + std::to_string(imm) + "]<" + std::to_string(v) +
                  ";" + std::to_string(w) + "," + std::to_string(h) + ">:w\nret (M1, 1)\n");
    ASSERT_TRUE(run.ready());
    std::vector<std::int16_t> table(512);
    for (unsigned i = 0; i < 512; ++i) table[i] = static_cast<std::int16_t>(i * 3 - 700);
    ASSERT_EQ(run.set("T", table).go(), Outcome::Finished);
    EXPECT_TRUE(run.diagnostics.empty()) << run.diagnostics.all().front().message;
    const auto d = run.get<std::int16_t>("D", lanes);
    for (unsigned k = 0; k < lanes; ++k)
      EXPECT_EQ(d[k], table[(start + imm) / 2 + k / w * v + k % w * h]) << round << " lane " << k;
  }
}

TEST(Addresses, OneAddressForEachGroupOfLanes) {
  // <1,0>: an address for each lane; <4,1>: one for four lanes.
  KernelRun run(".decl A0 v_type=A num_elts=8\n" + decl("T", "ud", 64) + decl("O", "uw", 8) + decl("D", "ud", 8) +
                decl("E", "ud", 8) +
                "addr_add (M1, 8) A0(0)<1> &T O(0,0)<1;1,0>\nmov (M1, 8) D(0,0)<1> r[A0(0),4]<1,0>:ud\n"
                "mov (M1, 8) E(0,0)<1> (-)r[A0(0),-4]<4,1>:ud\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  std::vector<std::uint32_t> table(64);
  for (unsigned i = 0; i < 64; ++i) table[i] = 100 + i;
  const std::vector<std::uint16_t> offsets = {4, 200, 16, 16, 100, 8, 252 - 8, 40};
  ASSERT_EQ(run.set("T", table).set("O", offsets).go(), Outcome::Finished);
  EXPECT_TRUE(run.diagnostics.empty());
  const auto d = run.get<std::uint32_t>("D", 8), e = run.get<std::uint32_t>("E", 8);
  for (unsigned k = 0; k < 8; ++k) {
    EXPECT_EQ(d[k], 100u + (offsets[k] + 4u) / 4);
    EXPECT_EQ(e[k], 0u - (100u + (offsets[k / 4] - 4u) / 4 + k % 4));
  }
}

TEST(Addresses, IndirectDestinationsAndSums) {
  KernelRun run(".decl A0 v_type=A num_elts=2\n.decl A1 v_type=A num_elts=2\n" + decl("T", "uw", 32) +
                decl("R", "uw", 4) +
                "addr_add (M1_NM, 2) A0(0)<1> &T 6:uw\naddr_add (M1_NM, 1) A1(0)<1> A0(1)<1> 0xfffe:uw\n"
                "mov (M1_NM, 2) r[A0(0),2]<2>:uw 77:uw\nmov (M1_NM, 1) r[A1(0)]<1>:uw 55:uw\n"
                "mov (M1_NM, 1) R(0,0)<1> A1(0)<1>\nmov (M1_NM, 1) R(0,1)<1> A0(0)<1>\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  ASSERT_EQ(run.set("T", std::vector<std::uint16_t>(32, 1)).go(), Outcome::Finished);
  std::vector<std::uint16_t> want(32, 1);
  want[4] = want[6] = 77;
  want[2] = 55;
  EXPECT_EQ(run.get<std::uint16_t>("T", 32), want);
  const auto r = run.get<std::uint16_t>("R", 2);
  EXPECT_EQ(r[1] - r[0], 2);
}

// --- predicates ---

TEST(Predicates, SelectAndSetpOfVectors) {
  KernelRun run(decl("A", "d", 16) + decl("D", "w", 16) +
                ".decl P1 v_type=P num_elts=16\nsetp (M1, 16) P1 A(0,0)<1;1,0>\n"
                "(!P1) sel.sat (M1, 16) D(0,0)<1> A(0,0)<1;1,0> (-)A(0,0)<1;1,0>\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  std::vector<std::int32_t> a;
  for (int i = 0; i < 16; ++i) a.push_back((i - 8) * 9001);
  ASSERT_EQ(run.start(0x7fff).set("A", a).set("D", std::vector<std::int16_t>(16, 5)).go(), Outcome::Finished);
  const auto d = run.get<std::int16_t>("D", 16);
  for (unsigned k = 0; k < 15; ++k) {
    const int chosen = (a[k] & 1) != 0 ? -a[k] : a[k];
    EXPECT_EQ(d[k], std::clamp(chosen, -32768, 32767)) << k;
  }
  EXPECT_EQ(d[15], 5);
}

// --- macros, approximations, small floats ---

struct FloatCase {
  const char* op;
  long double (*model)(long double, long double);
  double ulps;
};

TEST(Macros, DoubleAndSingle) {
  const FloatCase cases[] = {
      {"divm", [](long double a, long double b) { return a / b; }, 0},
      {"sqrtm", [](long double a, long double) { return sqrtl(a); }, 0},
      {"tanh", [](long double a, long double) { return tanhl(a); }, 1},
      {"sigm", [](long double a, long double) { return 1 / (1 + expl(-a)); }, 1},
  };
  std::mt19937 random(11);
  for (const FloatCase& c : cases) {
    const std::string op = c.op;
    const bool two = op == "divm", newer = op == "tanh" || op == "sigm";
    KernelRun run(decl("A", "f", 16) + decl("B", "f", 16) + decl("D", "f", 16) + op +
                      " (M1, 16) D(0,0)<1> A(0,0)<1;1,0>" + (two ? " B(0,0)<1;1,0>" : "") + "\nret (M1, 1)\n",
                  newer ? isa::Platform::XE3P : isa::Platform::SKL);
    ASSERT_TRUE(run.ready()) << op;
    std::uniform_real_distribution<float> range(0.01f, 8.0f);
    std::vector<float> a, b;
    for (int i = 0; i < 16; ++i) a.push_back(range(random)), b.push_back(range(random));
    ASSERT_EQ(run.set("A", a).set("B", b).go(), Outcome::Finished) << op;
    const auto d = run.get<float>("D", 16);
    for (unsigned k = 0; k < 16; ++k) {
      const long double exact = c.model(static_cast<long double>(a[k]), static_cast<long double>(b[k]));
      const auto rounded = static_cast<float>(exact);
      const double ulp = static_cast<double>(std::nextafter(rounded, 1e30f)) - static_cast<double>(rounded);
      EXPECT_LE(std::fabs(static_cast<double>(d[k]) - static_cast<double>(rounded)), c.ulps * ulp) << op << ' ' << a[k];
    }
  }
}

TEST(Macros, FirstApproximationsSayWhereTheyEnd) {
  KernelRun run(
      decl("A", "f", 4) + decl("B", "f", 4) + decl("D", "f", 4) + decl("E", "f", 4) + decl("R", "uw", 2) +
          ".decl P1 v_type=P num_elts=4\n.decl P2 v_type=P num_elts=4\ninvm (M1, 4) D(0,0)<1> P1 A(0,0)<1;1,0> "
          "B(0,0)<1;1,0>\nrsqtm (M1, 4) E(0,0)<1> P2 B(0,0)<1;1,0>\nmov (M1_NM, 1) R(0,0)<1> P1\nmov (M1_NM, 1) "
          "R(0,1)<1> P2\nret (M1, 1)\n",
      isa::Platform::PVC);
  ASSERT_TRUE(run.ready());
  ASSERT_EQ(run.set<float>("A", {6, 1, 0, 3}).set<float>("B", {4, 0, 5, 0.25f}).go(), Outcome::Finished);
  EXPECT_EQ(run.get<std::uint16_t>("R", 2), (std::vector<std::uint16_t>{0x6, 0x2}));
  EXPECT_EQ(run.get<float>("D", 1)[0], 1.5f);
  EXPECT_EQ(run.get<float>("D", 4)[3], 12.0f);
  EXPECT_EQ(run.get<float>("E", 4)[0], 0.5f);
}

TEST(SmallFloats, Bf8AndTf32) {  // NUM-96
  KernelRun run(decl("H", "hf", 8) + decl("B", "ub", 8) + decl("G", "hf", 8) + decl("F", "f", 4) + decl("T", "ud", 4) +
                    "fcvt (M1, 8) B(0,0)<1> H(0,0)<1;1,0>\nfcvt (M1, 8) G(0,0)<1> B(0,0)<1;1,0>\n"
                    "fcvt (M1, 4) T(0,0)<1> F(0,0)<1;1,0>\nret (M1, 1)\n",
                isa::Platform::PVCXT);
  ASSERT_TRUE(run.ready());
  // E5M2 is the upper byte of a half: ties to even, infinity kept, overflow to infinity.
  const std::vector<std::uint16_t> h = {0x3c00, 0x3c80, 0x3d80, 0x3c81, 0xfc00, 0x7bff, 0x0001, 0x8180};
  ASSERT_EQ(run.set("H", h).set<std::uint32_t>("F", {0x3f800fff, 0x3f801000, 0x3f803000, 0xc0490fdb}).go(),
            Outcome::Finished);
  EXPECT_EQ(run.get<std::uint8_t>("B", 8), (std::vector<std::uint8_t>{0x3c, 0x3c, 0x3e, 0x3d, 0xfc, 0x7c, 0x00, 0x82}));
  EXPECT_EQ(run.get<std::uint16_t>("G", 8),
            (std::vector<std::uint16_t>{0x3c00, 0x3c00, 0x3e00, 0x3d00, 0xfc00, 0x7c00, 0x0000, 0x8200}));
  // 10 fraction bits, ties to even.
  EXPECT_EQ(run.get<std::uint32_t>("T", 4),
            (std::vector<std::uint32_t>{0x3f800000, 0x3f800000, 0x3f804000, 0xc0490000}));
}

TEST(SmallFloats, StochasticRoundingAddsTheRandomBits) {
  KernelRun run(decl("F", "f", 4) + decl("R", "f", 4) + decl("D", "hf", 4) +
                    "srnd (M1, 4) D(0,0)<1> F(0,0)<1;1,0> R(0,0)<1;1,0>\nret (M1, 1)\n",
                isa::Platform::PVCXT);
  ASSERT_TRUE(run.ready());
  // 1 + 0x1000 / 2^23 lies in the middle of two halves: 0xfff more stays below the next, 0x1000 reaches it.
  ASSERT_EQ(run.set<std::uint32_t>("F", {0x3f801000, 0x3f801000, 0x3f800000, 0x3f801fff})
                .set<std::uint32_t>("R", {0x0fff, 0x1000, 0x1fff, 0x0001})
                .go(),
            Outcome::Finished);
  EXPECT_EQ(run.get<std::uint16_t>("D", 4), (std::vector<std::uint16_t>{0x3c00, 0x3c01, 0x3c00, 0x3c01}));
}

TEST(Integers, Sad2addAddsToEvenLanes) {
  KernelRun run(
      decl("D", "uw", 8) + decl("A", "ub", 8) + decl("B", "ub", 8) + decl("C", "uw", 8) +
      "mov (M1, 8) D(0,0)<1> 9:uw\nsad2add (M1, 8) D(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0> C(0,0)<1;1,0>\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  run.set<std::uint8_t>("A", {1, 200, 3, 4, 0, 255, 9, 9}).set<std::uint8_t>("B", {5, 100, 3, 4, 255, 0, 8, 7});
  ASSERT_EQ(run.set<std::uint16_t>("C", {1000, 1, 2, 3, 4, 5, 60000, 7}).go(), Outcome::Finished);
  EXPECT_EQ(run.get<std::uint16_t>("D", 8), (std::vector<std::uint16_t>{1104, 9, 2, 9, 514, 9, 60003, 9}));
}

// --- synchronization ---

TEST(Sync, ThreadAloneDoesNotWait) {
  KernelRun run(decl("D", "ud", 1) +
                    "fence_local.E\nfence_sw\nfence_global.EL1\nsampler_cache_flush\nyield\nbarrier\nsbarrier.signal\n"
                    "sbarrier.wait\nnbarrier.signal 3:ud 1:ud\nnbarrier.wait 3:ud\nlsc_fence.ugm.none.gpu\n"
                    "mov (M1_NM, 1) D(0,0)<1> 7:ud\nret (M1, 1)\n",
                isa::Platform::PVC);
  ASSERT_TRUE(run.ready());
  ASSERT_EQ(run.go(), Outcome::Finished);
  EXPECT_EQ(run.get<std::uint32_t>("D", 1)[0], 7u);
  EXPECT_TRUE(run.diagnostics.empty());
  KernelRun waits("wait 0:ud\nret (M1, 1)\n");
  ASSERT_TRUE(waits.ready());
  EXPECT_EQ(waits.go(), Outcome::Finished);
}

// --- memory ---

std::shared_ptr<image::Surface> bind_buffer(KernelRun& run, std::uint32_t bytes) {
  auto surface = std::make_shared<image::Surface>();
  surface->type = image::SurfaceType::Buffer;
  surface->format = static_cast<image::Format>(0x1ff);
  surface->structure_size = 1;
  surface->entries = bytes;
  surface->memory = std::make_shared<image::Memory>(bytes);
  surface->name = "buffer";
  run.bindings.surfaces = {surface};
  run.bindings.surface_variables[6] = {0};
  return surface;
}

struct LscAtomic {
  const char* op;
  unsigned sources;
  bool real;
  std::uint64_t (*model)(std::uint64_t old, std::uint64_t a, std::uint64_t b, unsigned bits);
};
std::int64_t sign(std::uint64_t x, unsigned bits) {
  return bits == 64 ? static_cast<std::int64_t>(x) : static_cast<std::int64_t>(x << (64 - bits)) >> (64 - bits);
}
float f(std::uint64_t x) { return std::bit_cast<float>(static_cast<std::uint32_t>(x)); }
std::uint64_t b(float x) { return std::bit_cast<std::uint32_t>(x); }

using U = std::uint64_t;
const LscAtomic kLscAtomics[] = {
    {"iinc", 0, false, [](U o, U, U, unsigned) { return o + 1; }},
    {"idec", 0, false, [](U o, U, U, unsigned) { return o - 1; }},
    {"load", 0, false, [](U o, U, U, unsigned) { return o; }},
    {"store", 1, false, [](U, U x, U, unsigned) { return x; }},
    {"iadd", 1, false, [](U o, U x, U, unsigned) { return o + x; }},
    {"isub", 1, false, [](U o, U x, U, unsigned) { return o - x; }},
    {"smin", 1, false, [](U o, U x, U, unsigned n) { return sign(x, n) < sign(o, n) ? x : o; }},
    {"smax", 1, false, [](U o, U x, U, unsigned n) { return sign(x, n) > sign(o, n) ? x : o; }},
    {"umin", 1, false, [](U o, U x, U, unsigned) { return x < o ? x : o; }},
    {"umax", 1, false, [](U o, U x, U, unsigned) { return x > o ? x : o; }},
    {"icas", 2, false, [](U o, U x, U y, unsigned) { return o == x ? y : o; }},
    {"and", 1, false, [](U o, U x, U, unsigned) { return o & x; }},
    {"or", 1, false, [](U o, U x, U, unsigned) { return o | x; }},
    {"xor", 1, false, [](U o, U x, U, unsigned) { return o ^ x; }},
    {"fadd", 1, true, [](U o, U x, U, unsigned) { return b(f(o) + f(x)); }},
    {"fsub", 1, true, [](U o, U x, U, unsigned) { return b(f(o) - f(x)); }},
    {"fmin", 1, true, [](U o, U x, U, unsigned) { return f(x) < f(o) ? x : o; }},
    {"fmax", 1, true, [](U o, U x, U, unsigned) { return f(x) > f(o) ? x : o; }},
    {"fcas", 2, true, [](U o, U x, U y, unsigned) { return f(o) == f(x) ? y : o; }},
};

TEST(Lsc, EveryAtomicIn16And32And64Bits) {
  std::mt19937_64 random(12);
  for (const LscAtomic& c : kLscAtomics) {
    for (const unsigned bits : {16u, 32u, 64u}) {
      if (c.real && bits != 32) continue;
      SCOPED_TRACE(std::string(c.op) + " " + std::to_string(bits));
      const unsigned slot = bits == 64 ? 8 : 4, stored = bits / 8;
      const std::string type = bits == 64 ? "uq" : "ud", size = bits == 16 ? "d16c32" : "d" + std::to_string(bits);
      KernelRun run(decl("O", "ud", 16) + decl("X", type, 16) + decl("Y", type, 16) + decl("D", type, 16) +
                        "lsc_atomic_" + c.op + ".ugm (M1, 16) D:" + size + " bti(0x0)[O]:a32 " +
                        (c.sources > 0 ? "X " : "%null ") + (c.sources > 1 ? "Y" : "%null") + "\nret (M1, 1)\n",
                    isa::Platform::DG2);
      ASSERT_TRUE(run.ready());
      const auto buffer = bind_buffer(run, 256);
      const std::uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
      std::vector<std::uint32_t> offset;
      std::vector<std::uint64_t> old, x, y;
      std::vector<std::uint8_t> xs(16 * slot), ys(16 * slot);
      for (unsigned k = 0; k < 16; ++k) {
        offset.push_back(k * stored);
        const auto value = [&] {
          return c.real ? b(static_cast<float>(static_cast<int>(random() % 9) - 4)) : random() & mask;
        };
        old.push_back(value()), x.push_back(value()), y.push_back(value());
        if (c.sources == 2 && k % 2 == 0) x[k] = old[k];
        std::memcpy(&xs[k * slot], &x[k], slot);
        std::memcpy(&ys[k * slot], &y[k], slot);
        std::memcpy(buffer->memory->data() + k * stored, &old[k], stored);
      }
      ASSERT_EQ(run.start(0x7fff)
                    .set("O", offset)
                    .set("X", xs)
                    .set("Y", ys)
                    .set("D", std::vector<std::uint8_t>(16 * slot))
                    .go(),
                Outcome::Finished);
      EXPECT_TRUE(run.diagnostics.empty());
      const auto d = run.get<std::uint8_t>("D", 16 * slot);
      for (unsigned k = 0; k < 16; ++k) {
        std::uint64_t now = 0, returned = 0;
        std::memcpy(&now, buffer->memory->data() + k * stored, stored);
        std::memcpy(&returned, &d[k * slot], slot);
        EXPECT_EQ(now, k < 15 ? c.model(old[k], x[k], y[k], bits) & mask : old[k]) << "lane " << k;
        if (std::string(c.op) != "store") {
          EXPECT_EQ(returned, k < 15 ? old[k] : 0) << "lane " << k;
        }
      }
    }
  }
}

TEST(Lsc, EveryTypedAtomic) {
  std::mt19937_64 random(13);
  for (const LscAtomic& c : kLscAtomics) {
    SCOPED_TRACE(c.op);
    KernelRun run(decl("U", "ud", 8) + decl("V", "ud", 8) + decl("X", "ud", 8) + decl("Y", "ud", 8) +
                      decl("D", "ud", 8) + "lsc_atomic_" + c.op + ".tgm (M1, 8) D:d32 bti(0x0)[U,V]:a32 " +
                      (c.sources > 0 ? "X " : "%null ") + (c.sources > 1 ? "Y" : "%null") + "\nret (M1, 1)\n",
                  isa::Platform::DG2);
    ASSERT_TRUE(run.ready());
    auto surface = std::make_shared<image::Surface>();
    surface->format = c.real ? image::Format::R32_FLOAT : image::Format::R32_UINT;
    surface->width = 4;
    surface->height = 2;
    ASSERT_TRUE(image::allocate(*surface).ok());
    run.bindings.surfaces = {surface};
    std::vector<std::uint32_t> old, x, y;
    const auto value = [&] {
      return c.real ? static_cast<std::uint32_t>(b(static_cast<float>(static_cast<int>(random() % 9) - 4)))
                    : static_cast<std::uint32_t>(random());
    };
    for (unsigned k = 0; k < 8; ++k) {
      old.push_back(value()), x.push_back(value()), y.push_back(value());
      if (c.sources == 2 && k % 2 == 0) x[k] = old[k];
      std::memcpy(image::element_bytes(*surface, 0, 0, k % 4, k / 4), &old[k], 4);
    }
    ASSERT_EQ(run.start(0x7f)
                  .set<std::uint32_t>("U", {0, 1, 2, 3, 0, 1, 2, 3})
                  .set<std::uint32_t>("V", {0, 0, 0, 0, 1, 1, 1, 1})
                  .set("X", x)
                  .set("Y", y)
                  .set("D", std::vector<std::uint32_t>(8))
                  .go(),
              Outcome::Finished)
        << run.diagnostics.all().front().message;
    const auto d = run.get<std::uint32_t>("D", 8);
    for (unsigned k = 0; k < 8; ++k) {
      std::uint32_t now = 0;
      std::memcpy(&now, image::element_bytes(*surface, 0, 0, k % 4, k / 4), 4);
      EXPECT_EQ(now, k < 7 ? static_cast<std::uint32_t>(c.model(old[k], x[k], y[k], 32)) : old[k]) << k;
      if (std::string(c.op) != "store") {
        EXPECT_EQ(d[k], k < 7 ? old[k] : 0u) << k;
      }
    }
  }
}

TEST(Lsc, StridedUncompressedStatusAndQuads) {
  KernelRun run(decl("A", "ud", 1) + decl("O", "ud", 8) + decl("D", "ud", 16) + decl("Q", "ud", 16) +
                    decl("S", "ud", 8) + decl("W", "ud", 16) +
                    "lsc_load_strided.ugm (M1, 8) D:d32 bti(0x0)[A,12]:a32\nlsc_store_strided.ugm (M1, 8) "
                    "bti(0x0)[A+128,8]:a32 D:d32\nlsc_store_uncompressed.ugm (M1, 8) bti(0x0)[O+256]:a32 D:d32\n"
                    "lsc_load_quad.ugm (M1, 8) Q:d32.xz bti(0x0)[O]:a32\nlsc_store_quad.ugm (M1, 8) "
                    "bti(0x0)[O+320]:a32 Q:d32.xy\n"
                    "ret (M1, 1)\n",
                isa::Platform::DG2);
  ASSERT_TRUE(run.ready());
  const auto buffer = bind_buffer(run, 512);
  for (std::uint32_t i = 0; i < 128; ++i) {
    const std::uint32_t word = 1000 + i;
    std::memcpy(buffer->memory->data() + 4 * i, &word, 4);
  }
  const auto word = [&](std::uint32_t byte) {
    std::uint32_t w = 0;
    std::memcpy(&w, buffer->memory->data() + byte, 4);
    return w;
  };
  ASSERT_EQ(run.start(0xff).set<std::uint32_t>("A", {16}).set<std::uint32_t>("O", {0, 8, 16, 24, 32, 40, 48, 56}).go(),
            Outcome::Finished);
  EXPECT_TRUE(run.diagnostics.empty()) << run.diagnostics.all().front().message;
  const auto d = run.get<std::uint32_t>("D", 8), q = run.get<std::uint32_t>("Q", 16);
  for (unsigned k = 0; k < 8; ++k) {
    EXPECT_EQ(d[k], 1004 + 3 * k);
    EXPECT_EQ(word(144 + 8 * k), d[k]);
    EXPECT_EQ(word(256 + 8 * k), d[k]);
    EXPECT_EQ(q[k], 1000 + 2 * k);
    EXPECT_EQ(q[8 + k], 1002 + 2 * k);
    EXPECT_EQ(word(320 + 8 * k), q[k]);
  }
}

TEST(Scattered, QuadwordsOfSeveralElements) {
  KernelRun run(
      ".decl T6 v_type=T num_elts=1\n" + decl("O", "ud", 8) + decl("D", "uq", 16) +
          "qw_gather.2 (M1, 8) T6 O.0 D.0\nadd (M1, 8) O(0,0)<1> O(0,0)<1;1,0> 128:ud\nqw_scatter.2 (M1, 8) T6 O.0 "
          "D.0\nret (M1, 1)\n",
      isa::Platform::XeHP_SDV);
  ASSERT_TRUE(run.ready());
  const auto buffer = bind_buffer(run, 512);
  for (unsigned i = 0; i < 128; ++i) (*buffer->memory)[i] = static_cast<std::uint8_t>(i * 7);
  ASSERT_EQ(run.start(0xff).set<std::uint32_t>("O", {0, 16, 32, 48, 64, 80, 96, 112}).go(), Outcome::Finished);
  EXPECT_TRUE(run.diagnostics.empty()) << run.diagnostics.all().front().message;
  const auto d = run.get<std::uint64_t>("D", 16);
  for (unsigned k = 0; k < 16; ++k) {
    std::uint64_t want = 0;
    std::memcpy(&want, buffer->memory->data() + 16 * (k % 8) + 8 * (k / 8), 8);
    EXPECT_EQ(d[k], want) << k;
  }
  EXPECT_EQ(std::memcmp(buffer->memory->data(), buffer->memory->data() + 128, 128), 0);
}

TEST(Svm, Gather4ScaledAndItsScatter) {
  std::vector<std::uint32_t> memory(128);
  for (unsigned i = 0; i < 128; ++i) memory[i] = 500 + i;
  KernelRun run(decl("O", "uq", 8) + decl("D", "ud", 16) +
                "svm_gather4scaled.GA (M1, 8) 0x100000:uq O.0 D.0\nsvm_scatter4scaled.RG (M1, 8) 0x100100:uq O.0 "
                "D.0\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  ASSERT_TRUE(run.bindings.memory.add({0x100000, 512, reinterpret_cast<std::uint8_t*>(memory.data()), nullptr, "m"}));
  ASSERT_EQ(run.start(0xff).set<std::uint64_t>("O", {0, 16, 32, 48, 64, 80, 96, 112}).go(), Outcome::Finished);
  EXPECT_TRUE(run.diagnostics.empty()) << run.diagnostics.all().front().message;
  for (unsigned k = 0; k < 8; ++k) {
    EXPECT_EQ(memory[64 + 4 * k], 501 + 4 * k);
    EXPECT_EQ(memory[65 + 4 * k], 503 + 4 * k);
  }
}

// --- flow ---

TEST(Flow, JumpsLabelsSubroutinesAndFunctionsByAddress) {
  KernelRun run(
      decl("X", "ud", 1) + decl("F", "uq", 1) + decl("I", "ud", 1) +
      "mov (M1_NM, 1) X(0,0)<1> 0:ud\nmov (M1_NM, 1) I(0,0)<1> 1:ud\njmp (M1, 1) L1\nL0:\nadd (M1_NM, 1) X(0,0)<1> "
      "X(0,0)<0;1,0> 100:ud\njmp (M1, 1) L2\nL1:\nswitchjmp (M1, 1) I(0,0)<0;1,0> (L2, L0)\nL2:\nfaddr g F(0,0)<1>\n"
      "fcall (M1, 8) g 0 1\nifcall (M1, 8) F(0,0)<0;1,0> 0 1\nmov (M1_NM, 1) I(0,0)<1> %retval(0,0)<0;1,0>\ncall (M1, "
      "8) sub\nret (M1, 1)\n"
      ".function \"sub\"\nsub:\nadd (M1_NM, 1) X(0,0)<1> X(0,0)<0;1,0> I(0,0)<0;1,0>\nret (M1, 8)\n"
      ".global_function \"g\"\n.kernel_attr ArgSize=0\n.kernel_attr RetValSize=1\n"
      "mov (M1_NM, 1) %retval(0,0)<1> 42:ud\nfret (M1, 8)\n");
  ASSERT_TRUE(run.ready());
  ASSERT_EQ(run.start(0xff).go(), Outcome::Finished);
  EXPECT_TRUE(run.diagnostics.empty()) << run.diagnostics.all().front().message;
  EXPECT_EQ(run.get<std::uint32_t>("X", 1)[0], 142u);
}

}  // namespace
}  // namespace heddle::engine::testing
