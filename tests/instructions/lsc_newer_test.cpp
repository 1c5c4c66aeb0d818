// SPDX-License-Identifier: MIT
// Load and store messages as later releases of Intel's compiler write them. Expected values are worked out here.
// Rules: LD-11 to LD-14, TXT-38, TXT-39, NUM-100.
#include "engine/harness.hpp"

namespace heddle::engine::testing {
namespace {

using reference::Outcome;

constexpr std::uint64_t kBase = 0x100000;

/// Memory at kBase that the kernel may change, sixteen lanes.
struct MemoryRun {
  std::vector<std::uint8_t> memory;
  KernelRun run;
  MemoryRun(const std::string& body, std::size_t bytes = 256, isa::Platform platform = isa::Platform::XE3P)
      : memory(bytes), run(body + "ret (M1, 1)\n", platform) {
    for (std::size_t i = 0; i < bytes; ++i) memory[i] = static_cast<std::uint8_t>(i * 7 + 3);
    EXPECT_TRUE(run.bindings.memory.add({kBase, memory.size(), memory.data(), nullptr, "m"}));
    run.start(0xffff);
  }
  template <typename T>
  [[nodiscard]] T at(std::size_t byte) const {
    T value{};
    std::memcpy(&value, memory.data() + byte, sizeof value);
    return value;
  }
};
std::vector<std::uint64_t> addresses(unsigned step, std::uint64_t first = kBase) {
  std::vector<std::uint64_t> out;
  for (unsigned k = 0; k < 16; ++k) out.push_back(first + std::uint64_t{k} * step);
  return out;
}

TEST(LscNewer, SizesByTheNamesOfThePages) {
  MemoryRun m(decl("A", "uq", 16) + decl("D", "ud", 16) + decl("E", "ud", 16) + decl("F", "ud", 16) +
                  "lsc_load.ugm (M1, 16) D:d8u32 flat[A]:a64\nlsc_load.ugm (M1, 16) E:d16u32 flat[A]:a64\n"
                  "lsc_load.ugm (M1, 16) F:d16u32h flat[A]:a64\nlsc_store.ugm (M1, 16) flat[A+0x80]:a64 E:d8u32\n",
              256, isa::Platform::PVC);
  ASSERT_EQ(m.run.set("A", addresses(2)).go(), Outcome::Finished);
  const auto d = m.run.get<std::uint32_t>("D", 16), e = m.run.get<std::uint32_t>("E", 16),
             f = m.run.get<std::uint32_t>("F", 16);
  for (unsigned k = 0; k < 16; ++k) {
    EXPECT_EQ(d[k], m.at<std::uint8_t>(2 * k));
    EXPECT_EQ(e[k], m.at<std::uint16_t>(2 * k));
    EXPECT_EQ(f[k], std::uint32_t{m.at<std::uint16_t>(2 * k)} << 16);
    EXPECT_EQ(m.at<std::uint8_t>(0x80 + 2 * k), m.at<std::uint8_t>(2 * k));
  }
}

TEST(LscNewer, LoadsIntoNullChangeNothingAndNeedNoMemory_LD11) {
  for (const std::string line :
       {"lsc_load.ugm (M1, 16) %null:d32 flat[A]:a64", "lsc_load_quad.ugm (M1, 16) %null:d32.xy flat[A]:a64",
        "lsc_load_strided.ugm (M1, 16) %null:d32 flat[A,4]:a64", "lsc_load_status.ugm (M1, 16) %null:d32 flat[A]:a64",
        "lsc_load_block2d.ugm (M1_NM, 1) %null:d8.16x4nn flat[A,0x3f,0x7,0x3f,0x0,0x0]",
        "lsc_load_quad.tgm (M1, 16) %null:d32.x bti(0x0)[A]:a32"}) {
    MemoryRun m(decl("A", "uq", 16) + line + "\n", 16, isa::Platform::PVC);
    ASSERT_EQ(m.run.set("A", addresses(0x1000, 0x55)).go(), Outcome::Finished) << line;
    EXPECT_TRUE(m.run.diagnostics.empty()) << line << ": " << m.run.diagnostics.all().front().message;
  }
}

TEST(LscNewer, AddressesAreExtended_LD12) {
  // flat(B) counts from B; a32s reaches backwards, a32u forwards, and neither wraps.
  MemoryRun m(decl("B", "uq", 1) + decl("O", "ud", 16) + decl("D", "ud", 16) + decl("E", "ud", 16) +
              decl("F", "ud", 16) +
              "lsc_load.ugm (M1, 16) D:d32 flat(B)[O]:a32s\nlsc_load.ugm (M1, 16) E:d32 flat(0x100010)[4*O+0x50]:a32s\n"
              "lsc_load.ugm (M1, 16) F:d32 flat(B)[O+0x24]:a32u\n");
  std::vector<std::uint32_t> offsets(16);
  for (unsigned k = 0; k < 16; ++k) offsets[k] = 4 * k - 16u;  // -16, -12 ... 44
  m.run.set<std::uint64_t>("B", {kBase + 64}).set("O", offsets);
  ASSERT_EQ(m.run.go(), Outcome::Finished);
  const auto d = m.run.get<std::uint32_t>("D", 16), e = m.run.get<std::uint32_t>("E", 16),
             f = m.run.get<std::uint32_t>("F", 16);
  for (unsigned k = 0; k < 16; ++k) {
    EXPECT_EQ(d[k], m.at<std::uint32_t>(64 - 16 + 4 * k));
    const int at = 0x10 + 4 * (4 * static_cast<int>(k) - 16) + 0x50;
    EXPECT_EQ(e[k], at + 4 <= 256 ? m.at<std::uint32_t>(static_cast<std::size_t>(at)) : 0u);
    EXPECT_EQ(f[k], k < 4 ? 0u : m.at<std::uint32_t>(64 + 0x24 + 4 * k - 16));  // 2^32 - 16 stays beyond the memory
  }
}

TEST(LscNewer, SurfacesByTheAddressOfTheirState_LD12) {
  auto surface = std::make_shared<image::Surface>();
  surface->type = image::SurfaceType::Buffer;
  surface->format = static_cast<image::Format>(0x1ff);
  surface->structure_size = 1;
  surface->entries = 64;
  surface->memory = std::make_shared<image::Memory>(64);
  for (unsigned i = 0; i < 64; ++i) (*surface->memory)[i] = static_cast<std::uint8_t>(i + 1);
  KernelRun run(decl("S", "uq", 1) + decl("O", "ud", 16) + decl("D", "ud", 16) + decl("E", "ud", 16) +
                    "lsc_load.ugm (M1, 16) D:d32 surf(S,0x3)[O]:a32u\nlsc_load.ugm (M1, 16) E:d32 "
                    "surf(0x1234567840)[O]:a32u\nret (M1, 1)\n",
                isa::Platform::XE3P);
  ASSERT_TRUE(run.ready());
  run.bindings.bindless_surfaces[0x1234567840] = surface;
  std::vector<std::uint32_t> offsets(16);
  for (unsigned k = 0; k < 16; ++k) offsets[k] = 4 * k;
  run.start(0xffff).set<std::uint64_t>("S", {0x1234567840 - 3 * 64}).set("O", offsets);
  ASSERT_EQ(run.go(), Outcome::Finished);
  const auto d = run.get<std::uint32_t>("D", 16), e = run.get<std::uint32_t>("E", 16);
  for (unsigned k = 0; k < 16; ++k) EXPECT_EQ(d[k], 0x04030201u + 0x04040404u * k);
  EXPECT_EQ(d, e);
}

/// Rows of 32 bytes; element (x, y) of d32 is at 32 y + 4 x.
TEST(LscNewer, RectanglesWithOffsetsAndPayloads_LD13) {
  MemoryRun m(decl("B", "uq", 1) + decl("X", "d", 2) + decl("P", "ud", 16) + decl("D", "ud", 16) + decl("E", "ud", 16) +
              "lsc_load_block2d.ugm (M1_NM, 1) D:d32.4x2nn flat[B,0x1f,0x7,0x1f,X+3,X(0,1)-2]\n"
              "lsc_load_block2d.ugm.uc.ca (M1_NM, 1) E:d32.4x2nn flat[P + (1,-1)]\n"
              "lsc_store_block2d.ugm (M1_NM, 1) flat[P+(-2,3)] D:d32.4x2nn\n");
  std::vector<std::uint32_t> payload(16);
  payload[0] = kBase;
  payload[2] = 31, payload[3] = 7, payload[4] = 31;  // each less one
  payload[5] = 2, payload[6] = 3, payload[7] = 0x103;
  m.run.set<std::uint64_t>("B", {kBase}).set<std::int32_t>("X", {1, 3}).set("P", payload);
  const auto before = m.memory;
  ASSERT_EQ(m.run.go(), Outcome::Finished);
  EXPECT_TRUE(m.run.diagnostics.empty());
  const auto d = m.run.get<std::uint32_t>("D", 8), e = m.run.get<std::uint32_t>("E", 8);
  for (unsigned y = 0; y < 2; ++y)
    for (unsigned x = 0; x < 4; ++x) {
      const auto word = [&](const std::vector<std::uint8_t>& bytes, unsigned column, unsigned row) {
        std::uint32_t value = 0;
        std::memcpy(&value, bytes.data() + 32 * row + 4 * column, 4);
        return value;
      };
      EXPECT_EQ(d[4 * y + x], word(before, 4 + x, 1 + y));
      EXPECT_EQ(e[4 * y + x], word(before, 3 + x, 2 + y));
      EXPECT_EQ(word(m.memory, x, 6 + y), d[4 * y + x]);
    }
}

TEST(LscNewer, RectanglesOfImages_LD14) {
  auto surface = std::make_shared<image::Surface>();
  surface->type = image::SurfaceType::Dim2;
  surface->width = 8;
  surface->height = 4;
  surface->format = image::find_format("R32_UINT")->format;
  ASSERT_TRUE(image::allocate(*surface).ok());
  const std::size_t pitch = surface->layout.front().row_pitch;
  for (unsigned y = 0; y < 4; ++y)
    for (unsigned x = 0; x < 8; ++x) {
      const std::uint32_t value = 16 * y + x;
      std::memcpy(surface->memory->data() + pitch * y + 4 * x, &value, 4);
    }
  KernelRun run(decl("X", "d", 2) + decl("D", "ud", 16) +
                    "lsc_load_block2d.tgm D:12x2 bti(0x0)[X,X(0,1)]\nlsc_store_block2d.tgm.uc.uc.uc "
                    "bti(0x0)[X+8,X(0,1)+1] D:8x1\nret (M1, 1)\n",
                isa::Platform::XE3P);
  ASSERT_TRUE(run.ready());
  run.bindings.surfaces = {surface};
  run.start(1).set<std::int32_t>("X", {4, 1});
  ASSERT_EQ(run.go(), Outcome::Finished);
  const auto d = run.get<std::uint32_t>("D", 8);
  for (unsigned y = 0; y < 2; ++y)
    for (unsigned x = 0; x < 3; ++x) EXPECT_EQ(d[4 * y + x], 16 * (1 + y) + 1 + x);  // rows of 12 bytes take 16
  for (unsigned x = 0; x < 2; ++x) {
    std::uint32_t value = 0;
    std::memcpy(&value, surface->memory->data() + pitch * 2 + 12 + 4 * x, 4);
    EXPECT_EQ(value, 17 + x);
  }
}

std::uint32_t bf(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, 4);
  return bits >> 16;
}

TEST(LscNewer, AtomicsOnBf16_NUM100) {
  struct Case {
    std::string op;
    float old, first, second, stored;
  };
  // 256 + 1 lies between 256 and 258: to the even one.
  for (const Case& c :
       {Case{"bfadd", 1.5f, 2.25f, 0, 3.75f}, Case{"bfadd", 256, 1, 0, 256}, Case{"bfadd", 256, 3, 0, 260},
        Case{"bfsub", 1.5f, 2.25f, 0, -0.75f}, Case{"bfmin", 1, -2, 0, -2}, Case{"bfmax", 1, -2, 0, 1},
        Case{"bfcas", 4, 4, 9, 9}, Case{"bfcas", 4, 5, 9, 4}}) {
    const bool two = c.op == "bfcas";
    MemoryRun m(decl("A", "uq", 16) + decl("X", "ud", 16) + decl("Y", "ud", 16) + decl("D", "ud", 16) + "lsc_atomic_" +
                c.op + ".ugm (M1, 1) D:d16u32 flat[A]:a64 X " + (two ? "Y" : "%null") + "\n");
    const auto old = static_cast<std::uint16_t>(bf(c.old));
    std::memcpy(m.memory.data() + 6, &old, 2);
    m.run.set<std::uint64_t>("A", {kBase + 6})
        .set<std::uint32_t>("X", {bf(c.first)})
        .set<std::uint32_t>("Y", {bf(c.second)});
    ASSERT_EQ(m.run.go(), Outcome::Finished) << c.op;
    EXPECT_EQ(m.run.get<std::uint32_t>("D", 1)[0], old) << c.op;
    EXPECT_EQ(m.at<std::uint16_t>(6), bf(c.stored)) << c.op << " " << c.old << " " << c.first;
  }
}

TEST(LscNewer, StoresOfSmallVariables) {
  MemoryRun m(decl("A", "uq", 1) + decl("Q", "uq", 1) + "svm_block_st (1) A(0,0)<0;1,0> Q.0\n", 64, isa::Platform::SKL);
  m.run.set<std::uint64_t>("A", {kBase + 16}).set<std::uint64_t>("Q", {0x1122334455667788});
  ASSERT_EQ(m.run.go(), Outcome::Finished);
  EXPECT_EQ(m.at<std::uint64_t>(16), 0x1122334455667788u);
  EXPECT_TRUE(m.run.diagnostics.empty()) << m.run.diagnostics.all().front().message;
}

TEST(RawNewer, TheGatewaysMessageEndsTheThread) {
  const std::string payload = decl("R", "ud", 16) + decl("D", "ud", 16);
  const std::string tail =
      " (M1, 1) %null.0/0 R.0/64 %null.0/0 %null(0,0)<0;1,0> %null(0,0)<0;1,0> 0x0\nmov (M1_NM, 1) D(0,0)<1> 0x7:ud\n"
      "ret (M1, 1)\n";
  for (const std::string word : {"raw_sendg_eot.0x3", "raw_sendg_eot.gtwy", "raw_sendgc_eot.3"}) {
    KernelRun run(payload + word + tail, isa::Platform::XE3P);
    ASSERT_TRUE(run.ready()) << word;
    ASSERT_EQ(run.set<std::uint32_t>("D", {5}).go(), Outcome::Finished) << word;
    EXPECT_EQ(run.get<std::uint32_t>("D", 1)[0], 5u);
    EXPECT_TRUE(run.diagnostics.empty());
  }
  KernelRun other(payload + "raw_sendg_eot.ugm" + tail, isa::Platform::XE3P);
  ASSERT_TRUE(other.ready());
  EXPECT_EQ(other.go(), Outcome::Failed);
  EXPECT_EQ(other.ids().front(), "run-send-message");
}

}  // namespace
}  // namespace heddle::engine::testing
