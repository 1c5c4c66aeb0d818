// SPDX-License-Identifier: MIT
// Memory instructions: scattered, block, typed, svm, atomics, LSC, shared local memory.
#include "engine/harness.hpp"

namespace heddle::engine::testing {
namespace {

using reference::Outcome;

/// A buffer surface of dwords 0x100, 0x101 ... at a binding-table index; T6 names index 0.
std::shared_ptr<image::Surface> bind_buffer(KernelRun& run, std::uint32_t bytes, std::uint32_t index = 0,
                                            image::Format format = static_cast<image::Format>(0x1ff)) {
  auto surface = std::make_shared<image::Surface>();
  surface->type = image::SurfaceType::Buffer;
  surface->format = format;
  surface->structure_size = format == static_cast<image::Format>(0x1ff) ? 1 : 0;
  surface->entries = format == static_cast<image::Format>(0x1ff) ? bytes : bytes / 4;
  surface->memory = std::make_shared<image::Memory>(bytes);
  for (std::uint32_t i = 0; i < bytes / 4; ++i) {
    const std::uint32_t word = 0x100 + i;
    std::memcpy(surface->memory->data() + 4 * i, &word, 4);
  }
  surface->name = "buffer";
  run.bindings.surfaces.resize(std::max<std::size_t>(run.bindings.surfaces.size(), index + 1));
  run.bindings.surfaces[index] = surface;
  run.bindings.surface_variables[6] = {0};
  return surface;
}
std::uint32_t word_at(const image::Surface& surface, std::uint32_t i) {
  std::uint32_t word = 0;
  std::memcpy(&word, surface.memory->data() + 4 * i, 4);
  return word;
}

const std::string kT6 = ".decl T6 v_type=T num_elts=1\n";
std::vector<std::uint32_t> iota(unsigned n, std::uint32_t step, std::uint32_t first = 0) {
  std::vector<std::uint32_t> out;
  for (unsigned i = 0; i < n; ++i) out.push_back(first + i * step);
  return out;
}

TEST(Scattered, Gather4ScaledPlacesChannelsByRegister) {
  KernelRun run(kT6 + decl("O", "ud", 8) + decl("D", "ud", 16) +
                "gather4_scaled.RB (M1, 8) T6 0x10:ud O.0 D.0\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  bind_buffer(run, 256);
  run.start(0x7f).set("O", iota(8, 8)).set("D", std::vector<std::uint32_t>(16, 7));
  ASSERT_EQ(run.go(), Outcome::Finished);
  const auto d = run.get<std::uint32_t>("D", 16);
  for (unsigned k = 0; k < 7; ++k) {
    EXPECT_EQ(d[k], 0x100 + 4 + 2 * k);
    EXPECT_EQ(d[8 + k], 0x100 + 6 + 2 * k);
  }
  EXPECT_EQ(d[7], 7u);
  EXPECT_EQ(d[15], 7u);
  EXPECT_TRUE(run.diagnostics.empty());
}

TEST(Scattered, OutOfRangeAndMisaligned) {
  KernelRun run(
      kT6 + decl("O", "ud", 8) + decl("D", "ud", 8) +
      "gather4_scaled.R (M1, 8) T6 0x0:ud O.0 D.0\nscatter4_scaled.R (M1, 8) T6 0x0:ud O.0 D.0\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  bind_buffer(run, 16);
  run.start().set<std::uint32_t>("O", {0, 4, 8, 12, 16, 0xfffffffc, 2, 0});
  ASSERT_EQ(run.go(), Outcome::Finished);
  EXPECT_EQ(run.get<std::uint32_t>("D", 8),
            (std::vector<std::uint32_t>{0x100, 0x101, 0x102, 0x103, 0, 0, 0x100, 0x100}));
  EXPECT_EQ(run.reports().counts().at("run-surface-bounds"), 4u);
  EXPECT_EQ(run.reports().counts().at("run-misaligned"), 2u);
}

TEST(Scattered, BytesAndWords) {
  KernelRun run(kT6 + decl("O", "ud", 8) + decl("D", "ud", 8) + decl("E", "ud", 8) +
                "gather_scaled.1 (M1, 8) T6 0x0:ud O.0 D.0\nscatter_scaled.2 (M1, 8) T6 0x40:ud O.0 D.0\ngather.2 (M1, "
                "8) T6 0x20:ud O.0 E.0\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  const auto buffer = bind_buffer(run, 256);
  for (unsigned i = 0; i < 8; ++i) (*buffer->memory)[i] = static_cast<std::uint8_t>(0xf0 + i);
  run.start().set("O", iota(8, 1));
  ASSERT_EQ(run.go(), Outcome::Finished);
  EXPECT_EQ(run.get<std::uint32_t>("D", 8), iota(8, 1, 0xf0));
  // Two-byte elements from element 0x20 + k: the bytes at 0x40 + 2k, which the overlapping stores left as f0 + k in
  // order.
  EXPECT_EQ(run.get<std::uint32_t>("E", 1)[0], 0xf1f0u);
}

TEST(Block, OwordsAndTheirOffsets) {
  KernelRun run(
      kT6 + decl("D", "ud", 16) + decl("E", "ud", 8) +
      "oword_ld (4) T6 2:ud D.0\noword_ld_unaligned (2) T6 4:ud E.0\noword_st (1) T6 0:ud D.0\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  const auto buffer = bind_buffer(run, 256);
  ASSERT_EQ(run.go(), Outcome::Finished);
  EXPECT_EQ(run.get<std::uint32_t>("D", 16), iota(16, 1, 0x108));
  EXPECT_EQ(run.get<std::uint32_t>("E", 8), iota(8, 1, 0x101));
  EXPECT_EQ(word_at(*buffer, 0), 0x108u);
  EXPECT_EQ(word_at(*buffer, 4), 0x104u);
}

TEST(Block, MediaRowsLieAPowerOfTwoApart) {
  KernelRun run(kT6 + decl("D", "ub", 64) +
                "media_ld.nomod (6,3) T6 6:ud 1:ud D.0\nmedia_st.nomod (4,1) T6 0:ud 0:ud D.0\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  auto surface = std::make_shared<image::Surface>();
  surface->format = image::find_format("R8_UINT")->format;
  surface->width = 10;
  surface->height = 4;
  ASSERT_TRUE(image::allocate(*surface).ok());
  for (unsigned i = 0; i < 40; ++i) (*surface->memory)[i] = static_cast<std::uint8_t>(i);
  run.bindings.surfaces = {surface};
  run.bindings.surface_variables[6] = {0};
  ASSERT_EQ(run.go(), Outcome::Finished);
  const auto d = run.get<std::uint8_t>("D", 24);
  EXPECT_EQ(d[0], 16u);
  EXPECT_EQ(d[8], 26u);
  EXPECT_EQ(d[5], 19u);  // beyond the edge: the edge's texel
  EXPECT_EQ((*surface->memory)[3], 19u);
}

TEST(Typed, ConvertsByTheSurfaceFormat) {
  KernelRun run(kT6 + decl("X", "ud", 8) + decl("Y", "ud", 8) + decl("D", "f", 32) + decl("E", "f", 8) +
                "scatter4_typed.RGBA (M1, 8) T6 X.0 Y.0 %null.0 %null.0 D.0\ngather4_typed.G (M1, 8) T6 X.0 Y.0 "
                "%null.0 %null.0 E.0\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  auto surface = std::make_shared<image::Surface>();
  surface->width = 8;
  surface->height = 2;
  ASSERT_TRUE(image::allocate(*surface).ok());
  run.bindings.surfaces = {surface};
  run.bindings.surface_variables[6] = {0};
  std::vector<float> color(32);
  for (unsigned k = 0; k < 8; ++k)
    color[k] = 1.0f, color[8 + k] = static_cast<float>(k) / 255, color[16 + k] = 0.5f, color[24 + k] = 0;
  run.start()
      .set("X", std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 8})
      .set("Y", std::vector<std::uint32_t>(8, 1))
      .set("D", color);
  ASSERT_EQ(run.go(), Outcome::Finished);
  EXPECT_EQ(word_at(*surface, 8 + 3), 0x008003ffu);
  const auto e = run.get<float>("E", 8);
  EXPECT_EQ(e[5], 5.0f / 255);
  EXPECT_EQ(e[7], 0.0f);
  EXPECT_EQ(run.reports().counts().at("run-surface-bounds"), 2u);
}

struct AtomicCase {
  const char* op;
  std::uint32_t old, src0, src1, stored, returned;
};

TEST(Atomics, EveryOperation) {
  const std::uint32_t two = base::bits_of(2.0f), three = base::bits_of(3.0f);
  const AtomicCase cases[] = {
      {"add", 5, 3, 0, 8, 5},
      {"sub", 5, 7, 0, 0xfffffffe, 5},
      {"inc", 0xffffffff, 0, 0, 0, 0xffffffff},
      {"dec", 0, 0, 0, 0xffffffff, 0},
      {"min", 5, 0xffffffff, 0, 5, 5},
      {"max", 5, 0xffffffff, 0, 0xffffffff, 5},
      {"minsint", 5, 0xffffffff, 0, 0xffffffff, 5},
      {"maxsint", 5, 0xffffffff, 0, 5, 5},
      {"xchg", 5, 9, 0, 9, 5},
      {"cmpxchg", 5, 9, 5, 9, 5},
      {"cmpxchg", 5, 9, 6, 5, 5},
      {"and", 12, 10, 0, 8, 12},
      {"or", 12, 10, 0, 14, 12},
      {"xor", 12, 10, 0, 6, 12},
      {"fmax", two, three, 0, three, two},
      {"fmin", two, three, 0, two, two},
      {"fcmpwr", two, two, three, three, two},
      {"fadd", two, three, 0, base::bits_of(5.0f), two},
      {"fsub", two, three, 0, base::bits_of(-1.0f), two},
  };
  for (const AtomicCase& c : cases) {
    const std::string op = c.op;
    const bool none = op == "inc" || op == "dec", both = op == "cmpxchg" || op == "fcmpwr";
    KernelRun run(kT6 + decl("O", "ud", 8) + decl("A", "ud", 8) + decl("B", "ud", 8) + decl("D", "ud", 8) +
                  "dword_atomic." + op + " (M1, 8) T6 O.0 " + (none ? "%null.0 " : "A.0 ") +
                  (both ? "B.0 " : "%null.0 ") + "D.0\nret (M1, 1)\n");
    ASSERT_TRUE(run.ready()) << op;
    const auto buffer = bind_buffer(run, 64);
    std::memcpy(buffer->memory->data() + 4, &c.old, 4);
    run.start(1).set<std::uint32_t>("O", {4}).set<std::uint32_t>("A", {c.src0}).set<std::uint32_t>("B", {c.src1});
    ASSERT_EQ(run.go(), Outcome::Finished) << op;
    EXPECT_EQ(word_at(*buffer, 1), c.stored) << op;
    EXPECT_EQ(run.get<std::uint32_t>("D", 1)[0], c.returned) << op;
  }
}

TEST(Svm, GathersScattersAndAtomics) {
  std::vector<std::uint64_t> memory(64);
  for (unsigned i = 0; i < 64; ++i) memory[i] = 0x1000 + i;
  KernelRun run(
      decl("A", "uq", 8) + decl("D", "uq", 16) + decl("E", "ud", 8) + decl("N", "uq", 8) +
      "svm_gather.8.2 (M1, 8) A.0 D.0\nsvm_gather.1.2 (M1, 8) A.0 E.0\nmov (M1, 8) N(0,0)<1> 5:uq\nsvm_atomic.add.64 "
      "(M1, 8) A.0 %null.0 N.0 %null.0\nsvm_block_ld (1) A(0,0)<0;1,0> E.0\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  ASSERT_TRUE(run.bindings.memory.add({0x100000, 512, reinterpret_cast<std::uint8_t*>(memory.data()), nullptr, "m"}));
  std::vector<std::uint64_t> address;
  for (unsigned k = 0; k < 8; ++k) address.push_back(0x100000 + 16 * k);
  run.start().set("A", address);
  ASSERT_EQ(run.go(), Outcome::Finished);
  const auto d = run.get<std::uint64_t>("D", 16);
  for (unsigned k = 0; k < 8; ++k) {
    EXPECT_EQ(d[k], 0x1000u + 2 * k);
    EXPECT_EQ(d[8 + k], 0x1001u + 2 * k);
    EXPECT_EQ(memory[2 * k], 0x1005u + 2 * k);
  }
  EXPECT_EQ(run.get<std::uint32_t>("E", 4), (std::vector<std::uint32_t>{0x1005, 0, 0x1001, 0}));
  EXPECT_TRUE(run.diagnostics.empty());
}

TEST(Svm, AddressesOutsideAllBuffers) {
  KernelRun run(decl("A", "uq", 8) + decl("E", "ud", 8) + "svm_gather.4.1 (M1, 8) A.0 E.0\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  run.start(1).set<std::uint64_t>("A", {12}).go();
  EXPECT_EQ(run.ids(), std::vector<std::string>{"run-surface-bounds"});
}

TEST(AddressMap, RangesDoNotOverlap) {
  std::uint8_t bytes[16] = {};
  machine::AddressMap map;
  EXPECT_TRUE(map.add({100, 16, bytes, nullptr, ""}));
  EXPECT_FALSE(map.add({115, 4, bytes, nullptr, ""}));
  EXPECT_FALSE(map.add({90, 11, bytes, nullptr, ""}));
  EXPECT_TRUE(map.add({90, 10, bytes, nullptr, ""}));
  EXPECT_FALSE(map.add({~0ull, 4, bytes, nullptr, ""}));
  EXPECT_EQ(map.find(99, 2), nullptr);
  EXPECT_NE(map.find(100, 16), nullptr);
}

TEST(Lsc, VectorsTransposedQuadsAndConversions) {
  KernelRun run(decl("O", "ud", 8) + decl("D", "ud", 24) + decl("T", "ud", 8) + decl("Q", "ud", 16) +
                    decl("W", "ud", 8) +
                    "lsc_load.ugm (M1, 8) D:d32x3 bti(0x0)[O]:a32\nlsc_load.ugm (M1_NM, 1) T:d32x8t "
                    "bti(0x0)[O+8]:a32\nlsc_load_quad.ugm (M1, 8) Q:d32.yw bti(0x0)[O]:a32\n"
                    "lsc_load.ugm (M1, 8) W:d16c32 bti(0x0)[O]:a32\nlsc_store.ugm (M1, 8) bti(0x0)[O+64]:a32 "
                    "W:d32\nret (M1, 1)\n",
                isa::Platform::DG2);
  ASSERT_TRUE(run.ready());
  const auto buffer = bind_buffer(run, 512);
  run.start().set("O", iota(8, 4));
  ASSERT_EQ(run.go(), Outcome::Finished);
  const auto d = run.get<std::uint32_t>("D", 24), q = run.get<std::uint32_t>("Q", 16);
  for (unsigned k = 0; k < 8; ++k) {
    for (unsigned c = 0; c < 3; ++c) EXPECT_EQ(d[8 * c + k], 0x100 + k + c);
    EXPECT_EQ(q[k], 0x101 + k);
    EXPECT_EQ(q[8 + k], 0x103 + k);
    EXPECT_EQ(word_at(*buffer, 16 + k), 0x100 + k);
  }
  EXPECT_EQ(run.get<std::uint32_t>("T", 8), iota(8, 1, 0x102));
  EXPECT_TRUE(run.diagnostics.empty());
}

TEST(Lsc, CompareAndExchangeTakesTheComparandFirst) {
  KernelRun run(decl("O", "ud", 8) + decl("C", "ud", 8) + decl("N", "ud", 8) + decl("D", "ud", 8) +
                    "lsc_atomic_icas.ugm (M1, 8) D:d32 bti(0x0)[O]:a32 C N\nlsc_atomic_umin.ugm (M1, 8) %null:d32 "
                    "bti(0x0)[O]:a32 C %null\nret (M1, 1)\n",
                isa::Platform::DG2);
  ASSERT_TRUE(run.ready());
  const auto buffer = bind_buffer(run, 64);
  run.start(3)
      .set<std::uint32_t>("O", {0, 4})
      .set<std::uint32_t>("C", {0x100, 7})
      .set<std::uint32_t>("N", {0x1000, 0x2000});
  ASSERT_EQ(run.go(), Outcome::Finished);
  EXPECT_EQ(run.get<std::uint32_t>("D", 2), (std::vector<std::uint32_t>{0x100, 0x101}));
  EXPECT_EQ(word_at(*buffer, 0), 0x100u);
  EXPECT_EQ(word_at(*buffer, 1), 7u);
}

TEST(Lsc, Block2dReadsRectanglesAndZerosOutside) {
  std::vector<std::uint8_t> memory(64 * 8);
  for (unsigned i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::uint8_t>(i);
  KernelRun run(decl("A", "uq", 1) + decl("D", "ub", 64) +
                    "lsc_load_block2d.ugm (M1_NM, 1) D:d8.6x2nn flat[A,63,7,63,60,6]\nret (M1, 1)\n",
                isa::Platform::PVC);
  if (!run.ready()) GTEST_SKIP();
  ASSERT_TRUE(run.bindings.memory.add({0x100000, memory.size(), memory.data(), nullptr, "m"}));
  run.start(1).set<std::uint64_t>("A", {0x100000});
  ASSERT_EQ(run.go(), Outcome::Finished);
  const auto d = run.get<std::uint8_t>("D", 16);
  EXPECT_EQ(d[0], static_cast<std::uint8_t>(6 * 64 + 60));
  EXPECT_EQ(d[4], 0u);
  EXPECT_EQ(d[8], static_cast<std::uint8_t>(7 * 64 + 60));
}

// --- groups ---

struct GroupRun {
  KernelRun run;
  machine::Group group;
  std::vector<machine::Thread> threads;
  GroupRun(const std::string& body, unsigned count, std::size_t slm) : run(body), group(count, slm) {
    for (unsigned t = 0; t < count; ++t) threads.emplace_back(run.kernel().code(), run.bindings, run.reports());
  }
  Outcome go() {
    std::vector<std::vector<std::uint8_t>> payload(threads.size(), std::vector<std::uint8_t>(64));
    for (unsigned t = 0; t < threads.size(); ++t) {
      payload[t][32] = static_cast<std::uint8_t>(t);
      machine::ThreadStart start;
      start.payload = payload[t];
      start.dispatch_mask = 0xff;
      start.thread = t;
      start.group = &group;
      threads[t].start(start);
    }
    run.note_forms();
    reference::Budget budget(run.limits);
    const Outcome outcome = reference::run_group(threads, group, budget);
    run.diagnostics = run.reports().take();
    return outcome;
  }
};

const std::string kGroupPrologue =
    decl("T", "ud", 1) + decl("O", "ud", 8) + decl("D", "ud", 8) + ".input T offset=32 size=4\n";

TEST(Groups, BarriersOrderSharedMemory) {
  // Every thread stores its number, waits, and reads its neighbor's.
  GroupRun g(
      kGroupPrologue +
          "shl (M1_NM, 1) O(0,0)<1> T(0,0)<0;1,0> 2:ud\nmov (M1, 8) D(0,0)<1> T(0,0)<0;1,0>\nmov (M1, 8) O(0,0)<1> "
          "O(0,0)<0;1,0>\nscatter_scaled.4 (M1_NM, 1) %slm 0:ud O.0 D.0\nbarrier\n"
          "add (M1_NM, 1) O(0,0)<1> O(0,0)<0;1,0> 4:ud\nand (M1_NM, 1) O(0,0)<1> O(0,0)<0;1,0> 15:ud\ngather_scaled.4 "
          "(M1_NM, 1) %slm 0:ud O.0 D.0\nbarrier\nscatter_scaled.4 (M1_NM, 1) %slm 0:ud O.0 D.0\nret (M1, 1)\n",
      4, 16);
  ASSERT_EQ(g.go(), Outcome::Finished);
  EXPECT_TRUE(g.run.diagnostics.empty()) << g.run.ids().front();
  std::vector<std::uint32_t> slm(4);
  std::memcpy(slm.data(), g.group.slm.data(), 16);
  EXPECT_EQ(slm, (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

TEST(Groups, RacesAreReported) {
  GroupRun g(
      kGroupPrologue + "mov (M1, 8) O(0,0)<1> 0:ud\nscatter_scaled.4 (M1_NM, 1) %slm 0:ud O.0 O.0\nret (M1, 1)\n", 2,
      16);
  ASSERT_EQ(g.go(), Outcome::Finished);
  EXPECT_EQ(g.run.ids(), std::vector<std::string>{"run-slm-race"});
}

TEST(Groups, UnreachedBarrierIsReported) {
  GroupRun g(kGroupPrologue +
                 ".decl P1 v_type=P num_elts=8\ncmp.eq (M1, 8) P1 T(0,0)<0;1,0> 0:ud\n(P1) goto (M1, 8) "
                 "L0\nbarrier\nL0:\nret (M1, 1)\n",
             2, 0);
  EXPECT_EQ(g.go(), Outcome::Failed);
  EXPECT_EQ(g.run.ids(), std::vector<std::string>{"run-barrier-unreached"});
}

TEST(Groups, SplitBarrier) {
  GroupRun g(kGroupPrologue + "sbarrier.signal\nmov (M1, 8) O(0,0)<1> 0:ud\nsbarrier.wait\nret (M1, 1)\n", 3, 0);
  EXPECT_EQ(g.go(), Outcome::Finished);
  EXPECT_TRUE(g.run.diagnostics.empty());
}

}  // namespace
}  // namespace heddle::engine::testing
